//! Computes the maximum number of loop iterations of an invocation, because some drivers silently stop loops beyond a
//! limit.

use crate::body::Inst;
use crate::kernel::{Kernel, LEAF_ROWS, StreamingSink};
use crate::op::Op;
use crate::types::DType;
use std::collections::BTreeMap;

/// Iterations that a float's remainder takes: a step is 8 bits of a single's exponent, 11 of a double's.
const REMAINDER_ITERATIONS: (u64, u64) = (33, 188);

/// The maximum number of iterations of all loops of one invocation together.
pub(super) fn iterations(kernel: &Kernel) -> u64 {
    let rows = LEAF_ROWS as u64 / u64::from(super::LANES);
    // Every sink calls `row` for its rows at most twice.
    let per_row = of_row(kernel).saturating_mul(2 * rows);
    per_row.saturating_add(kernel.sink.streaming().map_or(0, of_sink))
}

fn of_sink(sink: StreamingSink<'_>) -> u64 {
    match sink {
        StreamingSink::Store { columns } => 64 + 16 * columns.len() as u64,
        StreamingSink::Compact { .. } => 512,
        StreamingSink::Reduce { folds } => 512 + 8 * folds.len() as u64,
        StreamingSink::Scan { running, .. } => 1024 + 400 * running.len() as u64,
    }
}

fn of_row(kernel: &Kernel) -> u64 {
    let body = &kernel.body;
    let around = body.enclosing_loops();
    let mut times: BTreeMap<Option<crate::body::ValueId>, u64> = BTreeMap::from([(None, 1)]);
    let mut sum = 0u64;
    for (v, inst, ty) in body.iter() {
        let here = times.get(&around[v.index()]).copied().unwrap_or(1);
        if let Inst::Loop { bound, .. } = inst {
            let inside = here.saturating_mul(u64::from(*bound) + 1);
            times.insert(Some(v), inside);
            sum = sum.saturating_add(inside);
        }
        if matches!(inst, Inst::Call { op: Op::Rem, .. }) && ty.dtype.is_float() {
            let each = if ty.dtype == DType::F32 { REMAINDER_ITERATIONS.0 } else { REMAINDER_ITERATIONS.1 };
            sum = sum.saturating_add(here.saturating_mul(each));
        }
    }
    sum
}
