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

/// A loop that can take more than this many units polls in each iteration whether to stop.
const POLLING_LOOP_UNITS_MIN: u64 = 1 << 12;
/// A kernel with rows of more units must be able to stop: a hundred million such rows take a card milliseconds.
const STOPPABLE_ROW_UNITS: u64 = 1 << 10;

/// The most work of a row, in units of about one simple instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The total, with loops counted to their bounds.
    pub row: u64,
    /// The part outside of polling loops, accounted for once a row.
    pub outside_polling_loops: u64,
    /// The loops that poll in each iteration whether to stop, with the work of an iteration outside of inner polling
    /// loops.
    pub polling_loops: BTreeMap<ValueId, u64>,
}

/// The work of a loop's iteration, or of a row.
#[derive(Clone, Copy, Default)]
struct Region {
    total: u64,
    /// The part outside of polling loops.
    outside_polling_loops: u64,
}

/// A loop whose body is being visited.
struct OpenLoop {
    value: ValueId,
    bound: u32,
    /// The first value after the loop.
    end: u32,
    /// The work of the region around the loop, up to the loop.
    around: Region,
}

impl Work {
    /// The work of a row of a verified kernel.
    pub fn of(kernel: &Kernel) -> Work {
        let mut polling_loops = BTreeMap::new();
        let mut open: Vec<OpenLoop> = Vec::new();
        let mut region = Region::default();
        let mut close = |region: &mut Region, ended: OpenLoop| {
            let bound = u64::from(ended.bound);
            let (total, outside_polling_loops) =
                (region.total.saturating_mul(bound), region.outside_polling_loops.saturating_mul(bound));
            let polls = total > POLLING_LOOP_UNITS_MIN;
            if polls {
                polling_loops.insert(ended.value, region.outside_polling_loops);
            }
            region.total = ended.around.total.saturating_add(total);
            region.outside_polling_loops =
                ended.around.outside_polling_loops.saturating_add(if polls { 0 } else { outside_polling_loops });
        };
        for (v, inst, _) in kernel.body.iter() {
            while let Some(ended) = open.pop_if(|open| open.end <= v.0) {
                close(&mut region, ended);
            }
            let units = units(inst);
            region = Region {
                total: region.total.saturating_add(units),
                outside_polling_loops: region.outside_polling_loops.saturating_add(units),
            };
            if let Inst::Loop { bound, end, .. } = inst {
                open.push(OpenLoop { value: v, bound: *bound, end: *end, around: region });
                // The counter and the branch of an iteration.
                region = Region { total: 2, outside_polling_loops: 2 };
            }
        }
        while let Some(ended) = open.pop() {
            close(&mut region, ended);
        }
        Work { row: region.total, outside_polling_loops: region.outside_polling_loops, polling_loops }
    }

    /// Whether launches of the kernel must be able to stop before they have computed all rows.
    pub fn must_be_stoppable(&self) -> bool {
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
    fn straight_lines_and_short_loops_never_poll() {
        let line = work("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = add v0 v0\nsink store v1\n");
        assert_eq!(line, Work { row: 2, outside_polling_loops: 2, polling_loops: BTreeMap::new() });
        assert!(!line.must_be_stoppable());
        let short = work(LOOPS.replace("16777216", "8").as_str());
        assert!(
            short.polling_loops.is_empty() && short.row == short.outside_polling_loops && !short.must_be_stoppable(),
            "{short:?}"
        );
    }

    #[test]
    fn long_loops_poll_and_count_their_work() {
        let long = work(LOOPS);
        assert_eq!(long.polling_loops.keys().map(|v| v.0).collect::<Vec<_>>(), [2, 4]);
        // An iteration of the inner loop: counter and branch, an addition, a comparison, and the empty loop `v8`.
        assert_eq!(long.polling_loops[&ValueId(4)], 6);
        // One of the outer loop, without the inner loop: counter and branch, a subtraction.
        assert_eq!(long.polling_loops[&ValueId(2)], 3);
        assert_eq!((long.outside_polling_loops, long.row), (2, 2 + 8 * (3 + 16_777_216 * 6)));
        assert!(long.must_be_stoppable());
    }

    /// `v2` is the outer loop, `v4` the inner one.
    const LOOPS: &str = include_str!("../../tests/kernels/in/compact_nested_loops.kernel");
}
