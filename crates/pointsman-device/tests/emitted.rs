//! Machine code for kernels: how many of the random kernels become code, and what keeps the others from it.

#![cfg(feature = "testing")]

use pointsman_ir::body::Inst;
use pointsman_ir::guard::guard;
use pointsman_ir::kernel::Kernel;
use pointsman_ir::random::{Profile, SinkKind, case};
use pointsman_ir::render::x86;
use pointsman_ir::types::Repr;
use std::collections::BTreeMap;

/// Whether this stage of the emitter takes such kernels at all: no loops, look-ups or 128-bit integers, no scan.
fn is_plain(kernel: &Kernel) -> bool {
    let streams = ["store", "compact", "reduce"].contains(&kernel.sink.name());
    streams
        && kernel.body.iter().all(|(_, inst, ty)| {
            let flat = matches!(
                inst,
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. }
            );
            flat && ty.dtype.repr() != Repr::I128
        })
}

#[test]
fn most_plain_kernels_become_code() {
    let profile = Profile::streaming().with_sinks(&[SinkKind::Store, SinkKind::Compact, SinkKind::Reduce]);
    let (mut plain, mut emitted) = (0, 0);
    let mut missing: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = 0;
    for seed in 0..3_000 {
        let kernel = case(seed, &profile).kernel;
        let code = x86::render(&guard(&kernel));
        all += usize::from(code.is_ok());
        if !is_plain(&kernel) {
            continue;
        }
        plain += 1;
        match code {
            Ok(_) => emitted += 1,
            Err(error) => *missing.entry(error.message).or_default() += 1,
        }
    }
    let shown = format!("{emitted} of {plain} plain kernels ({all} of all) became code; the others: {missing:#?}");
    assert!(emitted * 100 >= plain * 99, "{shown}");
}
