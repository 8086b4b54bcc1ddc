//! [`Work`]: the most work that a row of a kernel can take, and how it spreads over loops. CUDA and the portable
//! GPU use it to decide where a launch must be able to stop, and which kernels a device that cannot stop must refuse; the
//! CPU counts emitted instructions instead (`render/x86/countdown.rs`).
//!
//! A unit is about one simple instruction. Kernels are measured after composite operations were decomposed. Loops count
//! with their bounds, so a loop that usually ends early counts as if it never did.

use super::Kernel;
use crate::body::{Inst, ValueId};
use crate::op::OpClass;
use std::collections::BTreeMap;

/// A loop that can take more than this many units asks in each iteration whether to stop.
const ASKING_LOOP_UNITS: u64 = 1 << 12;
/// A kernel with rows of more units must be able to stop: a hundred million such rows take a card milliseconds.
const STOPPABLE_ROW_UNITS: u64 = 1 << 10;

/// The most work of a row, in units of about one simple instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// All of it, loops counted to their bounds.
    pub row: u64,
    /// The part outside of loops that ask: what to account for once a row.
    pub outside: u64,
    /// The loops that ask in each iteration whether to stop, with the work of an iteration outside of inner loops that
    /// ask.
    pub asking: BTreeMap<ValueId, u64>,
}

/// The work of a loop's iteration, or of a row.
#[derive(Clone, Copy, Default)]
struct Region {
    /// All of it.
    total: u64,
    /// The part outside of loops that ask.
    outside: u64,
}

impl Work {
    /// The work of a row of a verified kernel.
    pub fn of(kernel: &Kernel) -> Work {
        let mut asking = BTreeMap::new();
        let mut open: Vec<(ValueId, u32, u32, Region)> = Vec::new();
        let mut region = Region::default();
        let mut close = |region: &mut Region, (of, bound, _, around): (ValueId, u32, u32, Region)| {
            let bound = u64::from(bound);
            let (total, outside) = (region.total.saturating_mul(bound), region.outside.saturating_mul(bound));
            let asks = total > ASKING_LOOP_UNITS;
            if asks {
                asking.insert(of, region.outside);
            }
            region.total = around.total.saturating_add(total);
            region.outside = around.outside.saturating_add(if asks { 0 } else { outside });
        };
        for (v, inst, _) in kernel.body.iter() {
            while let Some(ended) = open.pop_if(|(_, _, end, _)| *end <= v.0) {
                close(&mut region, ended);
            }
            let units = units(inst);
            region =
                Region { total: region.total.saturating_add(units), outside: region.outside.saturating_add(units) };
            if let Inst::Loop { bound, end, .. } = inst {
                open.push((v, *bound, *end, region));
                // The counter and the branch of an iteration.
                region = Region { total: 2, outside: 2 };
            }
        }
        while let Some(ended) = open.pop() {
            close(&mut region, ended);
        }
        Work { row: region.total, outside: region.outside, asking }
    }

    /// Whether launches of the kernel must be able to stop before they have computed all rows.
    pub fn must_stop(&self) -> bool {
        self.row > STOPPABLE_ROW_UNITS
    }
}

/// The units of an instruction.
fn units(inst: &Inst) -> u64 {
    match inst {
        Inst::Call { op, .. } => match op.class() {
            OpClass::Simple | OpClass::Multiply => 1,
            OpClass::Convert => 2,
            OpClass::Divide => 16,
            OpClass::Elementary => 64,
        },
        Inst::Lookup { .. } | Inst::Gather { .. } => 4,
        Inst::Probe { .. } => 64,
        Inst::Column(_) | Inst::Param(_) | Inst::RowIndex => 1,
        Inst::Const(_) | Inst::Loop { .. } => 0,
        Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse;

    fn work(text: &str) -> Work {
        Work::of(&parse::parse(text).unwrap())
    }

    #[test]
    fn straight_lines_and_short_loops_never_ask() {
        let line = work("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = add v0 v0\nsink store v1\n");
        assert_eq!(line, Work { row: 2, outside: 2, asking: BTreeMap::new() });
        assert!(!line.must_stop());
        let short = work(LOOPS.replace("16777216", "8").as_str());
        assert!(short.asking.is_empty() && short.row == short.outside && !short.must_stop(), "{short:?}");
    }

    #[test]
    fn long_loops_ask_and_their_work_is_counted_where_they_ask() {
        let long = work(LOOPS);
        assert_eq!(long.asking.keys().map(|v| v.0).collect::<Vec<_>>(), [2, 4]);
        // An iteration of the inner loop: counter and branch, an addition, a comparison, and the empty loop `v8`.
        assert_eq!(long.asking[&ValueId(4)], 6);
        // One of the outer loop, without the inner loop: counter and branch, a subtraction.
        assert_eq!(long.asking[&ValueId(2)], 3);
        assert_eq!((long.outside, long.row), (2, 2 + 8 * (3 + 16_777_216 * 6)));
        assert!(long.must_stop());
    }

    /// `v2` is the outer loop, `v4` the inner one.
    const LOOPS: &str = include_str!("../../tests/kernels/in/compact_nested_loops.kernel");
}
