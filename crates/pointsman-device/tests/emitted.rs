//! Machine code for kernels: it gives the interpreter's bits, and most of the kernels it is meant for become code.

#![cfg(feature = "testing")]

use pointsman_device::conformance::differential::compare;
use pointsman_device::cpu::{CpuDevice, CpuOptions, Isa};
use pointsman_ir::body::Inst;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::random::{DTypeClass, Profile, SinkKind, case};
use pointsman_ir::render::x86;
use pointsman_ir::types::Repr;
use std::collections::BTreeMap;

/// Kernels of the kind that becomes code.
fn profile() -> Profile {
    let narrow = |class: &DTypeClass| *class != DTypeClass::Decimal128;
    let classes: Vec<DTypeClass> = DTypeClass::ALL.into_iter().filter(narrow).collect();
    Profile::streaming()
        .with_sinks(&[SinkKind::Store, SinkKind::Compact, SinkKind::Reduce])
        .with_classes(&classes)
        .with_rows(&[(0, 1), (1, 2), (15, 2), (16, 2), (17, 2), (100, 2), (4095, 1), (4096, 1), (4100, 1), (9000, 1)])
}

fn is_plain(kernel: &Kernel) -> bool {
    kernel.body.iter().all(|(_, inst, ty)| {
        let flat =
            matches!(inst, Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. });
        flat && ty.dtype.repr() != Repr::I128
    })
}

#[test]
fn code_gives_the_bits_of_the_interpreter() {
    if Isa::detect() != Isa::Avx512 {
        return;
    }
    let device = CpuDevice::new(CpuOptions { jit: Some(true), ..CpuOptions::default() });
    let kernels = std::env::var("POINTSMAN_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4_000);
    compare(&device, &profile(), 0..kernels, |_| {}).unwrap_or_else(|difference| panic!("{difference}"));
    // Every kernel is launched twice.
    assert!(device.emitted_launches() * 100 >= 2 * kernels * 99, "{} launches", device.emitted_launches());
}

#[test]
fn most_kernels_become_code() {
    let (mut plain, mut emitted) = (0, 0);
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0;
    for seed in 0..3_000 {
        let kernel = case(seed, &profile()).kernel;
        let code = x86::render(&guard(&kernel));
        all += usize::from(code.is_ok());
        if is_plain(&kernel) {
            plain += 1;
            emitted += usize::from(code.is_ok());
        }
        if let Err(error) = code {
            *missing.entry(error.message).or_default() += 1;
        }
    }
    let shown = format!("{emitted} of {plain} plain kernels ({all} of all) became code; the others: {missing:#?}");
    assert!(all * 100 >= 3_000 * 99, "{shown}");
}
