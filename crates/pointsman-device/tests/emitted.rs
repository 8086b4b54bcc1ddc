//! Machine code for kernels: it gives the interpreter's bits, and the kernels it is meant for do become code.

#![cfg(feature = "testing")]

use pointsman_device::conformance::differential::compare;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Guarded, guard};
use pointsman_ir::kernel::Kernel;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{DTypeClass, Profile, SinkKind, case};
use pointsman_ir::render::x86;
use std::collections::BTreeMap;

/// Kernels of the kind that becomes code: no wide decimals.
fn profile() -> Profile {
    let narrow = |class: &DTypeClass| *class != DTypeClass::Decimal128;
    let classes: Vec<DTypeClass> = DTypeClass::ALL.into_iter().filter(narrow).collect();
    let rows = [(1, 2), (15, 2), (16, 2), (17, 2), (100, 2), (4095, 1), (4096, 1), (4100, 1), (9000, 1)];
    let sinks = [SinkKind::Store, SinkKind::Compact, SinkKind::Reduce, SinkKind::Scan];
    Profile::streaming().with_sinks(&sinks).with_classes(&classes).with_rows(&rows)
}

/// Compares code with the interpreter; all but a few kernels must have become code.
fn check(profile: &Profile, kernels: u64) {
    if Isa::detect() != Isa::Avx512 {
        return;
    }
    let device = CpuDevice::new(CpuOptions { jit: Some(true), ..CpuOptions::default() });
    compare(&device, profile, 0..kernels, |_| {}).unwrap_or_else(|difference| panic!("{difference}"));
    // Every kernel is launched in two layouts.
    let launches = device.emitted_launches();
    assert!(launches * 100 >= 2 * kernels * 99, "{launches} launches of {kernels} kernels ran code");
}

#[test]
fn code_gives_the_bits_of_the_interpreter() {
    let kernels = std::env::var("POINTSMAN_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4_000);
    check(&profile(), kernels);
}

#[test]
fn every_number_of_rows_leaves_its_tail() {
    let rows: Vec<(usize, u32)> = (0..=130).map(|rows| (rows, 1)).collect();
    check(&profile().with_rows(&rows), 131 * 12);
}

/// A kernel as the CPU hands it to the emitter.
fn prepared(kernel: &Kernel) -> Guarded {
    guard(&decompose(kernel))
}

#[test]
fn long_kernels_spill() {
    let mut profile = profile().with_rows(&[(40, 1), (300, 1)]);
    profile.calls_max = 200;
    check(&profile, 400);
    let spills = |seed: &u64| {
        let code = x86::render(&prepared(&case(*seed, &profile).kernel));
        code.is_ok_and(|code| code.scratch_bytes >= 8 * code.constants.len() + 64)
    };
    let spilled = (0..400).filter(spills).count();
    assert!(spilled >= 100, "{spilled} of 400 kernels keep values in memory");
}

#[test]
fn kernels_become_code() {
    let mut emitted = 0;
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..3_000 {
        match x86::render(&prepared(&case(seed, &profile()).kernel)) {
            Ok(_) => emitted += 1,
            Err(error) => *missing.entry(error.message).or_default() += 1,
        }
    }
    assert!(emitted * 100 >= 3_000 * 99, "{emitted} of 3,000 kernels became code; the others: {missing:#?}");
}

#[test]
fn equal_kernels_give_equal_bytes() {
    for seed in 0..200 {
        let guarded = prepared(&case(seed, &profile()).kernel);
        assert_eq!(x86::render(&guarded), x86::render(&guarded), "seed {seed}");
    }
}

#[test]
fn what_is_not_emitted_is_said() {
    let head = "kernel\ncolumns c0: decimal(38,2), c1: f32\n  v0: decimal(38,2) = column c0\n  v1: f32 = column c1\n";
    for (sink, message) in [
        ("store v0", "values of 128 bits are not emitted yet"),
        ("scan columns() running(sum(v0))", "values of 128 bits are not emitted yet"),
        ("sort keys(v1 asc nulls_first) columns(v1)", "the sink `sort` is not emitted yet"),
    ] {
        let Ok(kernel) = parse(&format!("{head}sink {sink}\n")) else { panic!("{sink} is no kernel") };
        let error = x86::render(&guard(&kernel)).err().map(|error| error.message);
        assert_eq!(error.as_deref(), Some(message), "{sink}");
    }
}
