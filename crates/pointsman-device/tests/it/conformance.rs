//! The conformance suite for every device of this crate, and for the CPU with other thread counts, morsel sizes and
//! instruction sets, and without machine code. The NVIDIA card is skipped, with the reason, where there is none.

#[cfg(feature = "cuda")]
use crate::cuda::card::first_card;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_device::sim::{SimDevice, SimOptions};

pointsman_device::conformance!(cpu, || CpuDevice::new(CpuOptions::default()));
pointsman_device::conformance!(cpu_baseline_in_small_morsels, || CpuDevice::new(CpuOptions {
    isa: Some(Isa::Baseline),
    threads: Some(7),
    morsel_rows: Some(4096),
    ..CpuOptions::default()
}));
pointsman_device::conformance!(cpu_avx2, || CpuDevice::new(CpuOptions {
    isa: Some(Isa::Avx2),
    threads: Some(3),
    morsel_rows: Some(8192),
    ..CpuOptions::default()
}));
pointsman_device::conformance!(cpu_without_machine_code, || CpuDevice::new(CpuOptions {
    jit: Some(false),
    ..CpuOptions::default()
}));
pointsman_device::conformance!(sim, || SimDevice::new(SimOptions::default()));
#[cfg(feature = "cuda")]
pointsman_device::conformance!(cuda, first_card, optional);
