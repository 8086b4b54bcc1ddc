//! The conformance suite for every device of this crate, and for the CPU with other thread counts, morsel sizes and
//! instruction sets, and without machine code. The NVIDIA card is skipped, with the reason, where there is none.

#[cfg(feature = "cuda")]
use crate::cuda::card::first_card;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_device::sim::{SimDevice, SimOptions};

/// The CPU as users get it, in small morsels with other instruction sets, and without machine code.
fn cpus() -> Vec<CpuDevice> {
    let small = |isa, threads, morsel_rows| CpuOptions {
        isa: Some(isa),
        threads: Some(threads),
        morsel_rows: Some(morsel_rows),
        ..CpuOptions::default()
    };
    let variants = [
        CpuOptions::default(),
        small(Isa::Baseline, 7, 4096),
        small(Isa::Avx2, 3, 8192),
        CpuOptions { jit: Some(false), ..CpuOptions::default() },
    ];
    variants.into_iter().map(CpuDevice::new).collect()
}

pointsman_device::conformance!(cpu, cpus, variants);
pointsman_device::conformance!(sim, || SimDevice::new(SimOptions::default()));
#[cfg(feature = "cuda")]
pointsman_device::conformance!(cuda, first_card, optional);
