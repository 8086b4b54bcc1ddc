//! The CPU device against the interpreter: sizes, layouts, threads, instruction sets, faults and bad arguments.
#![allow(clippy::unwrap_used)]

mod arguments;
mod faults;
mod harness;
mod sizes;

use super::{CpuDevice, CpuOptions, Isa};
use crate::launch::Form;
use harness::{check, devices};
use pointsman_ir::random::{self, Profile, SideTables};

/// How many random kernels each test run takes; the conformance suite takes more.
const KERNELS: u64 = 400;

#[test]
fn random_kernels_give_the_bits_of_the_interpreter() {
    let mut profile = Profile::streaming();
    profile.side_tables = SideTables::Gather;
    let devices = devices();
    let mut faulted = 0;
    for seed in 0..KERNELS {
        let case = random::case(seed, &profile);
        let device = &devices[seed as usize % devices.len()];
        let form = if seed % 3 == 0 { Form::Partial } else { Form::Whole };
        faulted += usize::from(check(device, &case.kernel, case.inputs, form, seed).is_err());
    }
    assert!(faulted > 0 && faulted < KERNELS as usize / 2, "{faulted} kernels faulted");
}

#[test]
fn a_level_is_never_above_the_processor() {
    for isa in [Isa::Baseline, Isa::Avx2, Isa::Avx512] {
        let device = CpuDevice::new(CpuOptions { isa: Some(isa), ..CpuOptions::default() });
        assert!(device.level.isa() <= isa.min(Isa::detect()));
    }
}
