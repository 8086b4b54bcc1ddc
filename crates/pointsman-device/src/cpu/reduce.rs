//! `Reduce`: folds the selected rows, leaf by leaf, into the nodes of the leaf tree, and those into one row.

use super::block::fold::{Lanes, lanes};
use super::block::{Args, Imm, bytes};
use super::compile::{Lowering, no_loop};
use super::frame::BlockFrame;
use super::jit;
use super::launch::{Execution, blocks};
use super::nodes::Acc;
use super::program::{Slot, Value};
use crate::DeviceResult;
use crate::host::HostBuffer;
use pointsman_ir::kernel::{Fold, FoldOp, LEAF_ROWS};
use pointsman_ir::types::{Repr, Scalar};
use std::ops::Range;

/// A fold of a program.
pub(super) struct FoldProgram {
    /// The fold's operation.
    pub(super) op: FoldOp,
    /// The folded value; `None` counts rows.
    pub(super) value: Option<Value>,
    /// The rows that the fold includes: selected and not null; `None`: all.
    pub(super) present: Option<Slot>,
    lanes: Option<Lanes>,
}

impl FoldProgram {
    /// The fold over the selected rows.
    pub(super) fn new(to: &mut Lowering<'_>, fold: &Fold, mask: Option<Slot>) -> DeviceResult<FoldProgram> {
        let value = fold.value().map(|v| to.get(v));
        let present = to.both(value.and_then(|value| value.valid), mask);
        let repr = value.map_or(Repr::U64, |value| value.ty.dtype.repr());
        let lanes = lanes(to.level, fold.op, repr);
        if lanes.is_none() && fold.op != FoldOp::Count {
            return Err(no_loop(fold.op.name(), repr));
        }
        Ok(FoldProgram { op: fold.op, value, present, lanes })
    }

    /// The representation of its values.
    pub(super) fn repr(&self) -> Repr {
        self.value.map_or(Repr::U64, |value| value.ty.dtype.repr())
    }

    /// The identity of the fold.
    pub(super) fn identity(&self) -> Acc {
        Acc::identity(self.op, self.repr())
    }
}

/// The state of a fold in the current leaf.
pub(super) struct FoldState {
    lanes: HostBuffer,
    seen: u64,
}

impl FoldState {
    /// Allocates the state of a fold.
    pub(super) fn new(program: &FoldProgram) -> FoldState {
        FoldState { lanes: HostBuffer::zeroed(program.lanes.map_or(0, |lanes| lanes.bytes)), seen: 0 }
    }

    fn reset(&mut self, program: &FoldProgram) {
        self.seen = 0;
        if let Some(lanes) = program.lanes {
            (lanes.reset)(&mut self.lanes);
        }
    }

    fn take_in(&mut self, program: &FoldProgram, values: &[u8], present: Option<&[u8]>, n: usize) {
        if !program.op.is_sum() {
            self.seen += present.map_or(n, bytes::count) as u64;
        }
        if let Some(lanes) = program.lanes {
            let b = present.unwrap_or(&[]);
            let (dst, flag) = (&mut self.lanes[..], &mut [][..]);
            (lanes.fold)(Args { n, a: values, b, c: &[], dst, flag, imm: Imm::default() });
        }
    }

    /// The lanes, for code that folds into them.
    pub(super) fn lanes(&mut self) -> &mut [u8] {
        &mut self.lanes
    }

    /// Sets the number of values that the code has folded.
    pub(super) fn set_seen(&mut self, seen: u64) {
        self.seen = seen;
    }

    /// Folds the lanes into the first one.
    fn join(&mut self, program: &FoldProgram) {
        if let Some(lanes) = program.lanes {
            let (dst, flag) = (&mut self.lanes[..], &mut [][..]);
            (lanes.join)(Args { n: 0, a: &[], b: &[], c: &[], dst, flag, imm: Imm::default() });
        }
    }

    /// Writes the fold of the leaf, once its lanes are joined: field by field, in place.
    #[inline]
    fn finish(&self, program: &FoldProgram, acc: &mut Acc) {
        let Some(lanes) = program.lanes else {
            *acc = Acc::Count(self.seen);
            return;
        };
        let total = (lanes.total)(&self.lanes);
        match (program.op, total) {
            (FoldOp::Count, _) => *acc = Acc::Count(self.seen),
            (FoldOp::Min, _) if self.seen == 0 => *acc = Acc::Min(None),
            (FoldOp::Max, _) if self.seen == 0 => *acc = Acc::Max(None),
            (FoldOp::Min, best) => *acc = Acc::Min(Some(Scalar::from_bits(program.repr(), best.bits()))),
            (FoldOp::Max, best) => *acc = Acc::Max(Some(Scalar::from_bits(program.repr(), best.bits()))),
            (FoldOp::Sum | FoldOp::Total, Scalar::F32(sum)) => *acc = Acc::F32(sum),
            (FoldOp::Sum | FoldOp::Total, Scalar::F64(sum)) => *acc = Acc::F64(sum),
            (FoldOp::Sum | FoldOp::Total, sum) => *acc = Acc::Exact(sum.as_integer().unwrap_or(0)),
        }
    }
}

/// Folds a range of rows, whole leaves except for the last, into nodes after those that the frame has.
pub(super) fn morsel(run: &Execution<'_>, frame: &mut BlockFrame, folds: &[FoldProgram], rows: Range<usize>) {
    for start in rows.clone().step_by(LEAF_ROWS) {
        let leaf = start..rows.end.min(start.saturating_add(LEAF_ROWS));
        let is_sound = match &run.program.jit_code {
            Some(code) => jit::leaf(run, code, frame, leaf),
            None => by_block(run, frame, folds, leaf),
        };
        if !is_sound {
            return;
        }
        let states = &frame.sink.folds;
        frame.sink.nodes.push_leaf(run.leaf(start), |fold, acc| states[fold].finish(&folds[fold], acc));
    }
}

/// Folds a leaf with the block program; false if a row faults.
fn by_block(run: &Execution<'_>, frame: &mut BlockFrame, folds: &[FoldProgram], leaf: Range<usize>) -> bool {
    for (fold, state) in folds.iter().zip(&mut frame.sink.folds) {
        state.reset(fold);
    }
    for (start, n) in blocks(leaf) {
        if !run.block(frame, start, n) {
            return false;
        }
        for (fold, state) in folds.iter().zip(&mut frame.sink.folds) {
            let values = fold.value.map_or(&[][..], |value| frame.block.get(&run.inputs, value.data));
            state.take_in(fold, values, fold.present.map(|slot| frame.block.flags(slot)), n);
        }
    }
    for (fold, state) in folds.iter().zip(&mut frame.sink.folds) {
        state.join(fold);
    }
    true
}
