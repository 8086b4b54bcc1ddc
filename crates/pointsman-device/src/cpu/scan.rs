//! `Scan`: the selected rows are written with folds over the rows up to each.
//!
//! One pass over the leaves writes the columns and every fold's prefix inside its leaf ([`leaf`]); a second adds the carry
//! into each leaf, or folds the frames ([`finish`]). The partial form stops after the first.

pub(super) mod finish;
mod frames;
pub(super) mod leaf;

use super::compact;
use super::compile::Lowering;
use super::frame::Frame as BlockFrame;
use super::launch::{Run, blocks};
use super::nodes::Acc;
use super::output::{Leaving, Out};
use super::program::Slot;
use super::reduce::FoldProgram;
use super::sink::Column;
use crate::DeviceResult;
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::{Frame, LEAF_ROWS, Running};
use pointsman_ir::types::{DType, Repr, Type};
use std::ops::Range;

pub(super) use leaf::ScanState;

/// A scan of a program.
pub(super) struct ScanProgram {
    /// Columns written as they are.
    pub(super) columns: Vec<Column>,
    /// The running folds.
    pub(super) running: Vec<RunningProgram>,
    /// Selected rows that start a segment; `None`: none does.
    pub(super) segment: Option<Slot>,
    /// What a partial result's rows hold.
    pub(super) partial: Vec<RowColumn>,
    /// What is kept of a row until the result is finished.
    pub(super) kept: Vec<RowColumn>,
}

/// A running fold.
pub(super) struct RunningProgram {
    /// The fold.
    pub(super) fold: FoldProgram,
    /// Which rows it covers.
    pub(super) frame: Frame,
    /// The type of its result.
    pub(super) output: Type,
    /// How its result leaves.
    pub(super) leaving: Leaving,
}

/// A column of the first pass.
pub(super) struct RowColumn {
    /// Where it comes from.
    pub(super) source: RowSource,
    /// How it leaves.
    pub(super) leaving: Leaving,
}

/// Where a column of the first pass comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSource {
    /// The leaf's number.
    Leaf,
    /// Whether the carry reaches the row.
    Reached,
    /// Whether the row starts a segment.
    Starts,
    /// A column of the kernel.
    Column(usize),
    /// The prefix of a running fold in its leaf, or the value of a framed one.
    Running(usize),
}

impl ScanProgram {
    /// A scan of selected rows.
    pub(super) fn new(
        to: &mut Lowering<'_>,
        columns: &[ValueId],
        running: &[Running],
        segment: Option<ValueId>,
        mask: Option<Slot>,
    ) -> DeviceResult<ScanProgram> {
        let level = to.level;
        let columns = to.columns(columns);
        let running = running.iter().map(|one| RunningProgram::new(to, one, mask)).collect::<DeviceResult<Vec<_>>>()?;
        let segment = segment.and_then(|segment| {
            let starts = to.truth(segment);
            to.both(Some(starts), mask)
        });
        let column = |source, ty| RowColumn { source, leaving: Leaving::new(level, ty) };
        let flag = DType::Bool.required();
        let head = [(RowSource::Leaf, DType::U64.required()), (RowSource::Reached, flag), (RowSource::Starts, flag)];
        let values = columns.iter().enumerate().map(|(i, one)| (RowSource::Column(i), one.value.ty));
        let folds =
            || running.iter().enumerate().filter_map(|(i, one)| one.kept().map(|ty| (RowSource::Running(i), ty)));
        let partial = head.into_iter().chain(values).chain(folds()).map(|(source, ty)| column(source, ty)).collect();
        let starts = (RowSource::Starts, flag);
        let kept = folds().chain([starts]).map(|(source, ty)| column(source, ty)).collect();
        Ok(ScanProgram { columns, running, segment, partial, kept })
    }

    /// The numbers of the folds over all rows of a segment.
    pub(super) fn unframed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.running.len()).filter(|&i| self.running[i].frame == Frame::Unbounded)
    }
}

impl RunningProgram {
    fn new(to: &mut Lowering<'_>, running: &Running, mask: Option<Slot>) -> DeviceResult<RunningProgram> {
        let fold = FoldProgram::new(to, &running.fold, mask)?;
        let output = running.fold.output(to.body());
        Ok(RunningProgram { fold, frame: running.frame, output, leaving: Leaving::new(to.level, output) })
    }

    /// The type of what is kept of a row; a framed count of rows keeps nothing.
    pub(super) fn kept(&self) -> Option<Type> {
        match self.frame {
            Frame::Preceding(_) => self.fold.value.map(|value| value.ty),
            Frame::Unbounded => Some(match self.fold.nothing() {
                Acc::Count(_) => DType::U64.required(),
                Acc::Exact(_) => DType::Decimal { precision: 38, scale: 0 }.required(),
                Acc::Single(_) => DType::F32.required(),
                Acc::Double(_) => DType::F64.required(),
                Acc::Min(_) | Acc::Max(_) => self.output,
            }),
        }
    }

    /// How what is kept is held.
    pub(super) fn kept_repr(&self) -> Repr {
        self.kept().map_or(Repr::U64, |ty| ty.dtype.repr())
    }
}

/// What the first pass tells of a leaf.
#[derive(Clone, Debug)]
pub(super) struct LeafEnd {
    /// The leaf's number.
    pub(super) leaf: u64,
    /// Selected rows.
    pub(super) rows: usize,
    /// Those of them before the first segment start: the carry reaches them.
    pub(super) reached: usize,
    /// Whether a segment starts in it.
    pub(super) starts: bool,
    /// The leaf's accumulators of unframed folds.
    pub(super) accs: Vec<Acc>,
}

/// Writes these rows, whole leaves but for the last: `outs` are the sources' columns, in order.
pub(super) fn morsel(
    run: &Run<'_>,
    frame: &mut BlockFrame,
    scan: &ScanProgram,
    sources: &[&RowColumn],
    rows: Range<usize>,
    outs: &mut [Out<'_>],
) -> Vec<LeafEnd> {
    let mut ends = Vec::with_capacity(rows.len().div_ceil(LEAF_ROWS));
    for start in rows.clone().step_by(LEAF_ROWS) {
        let range = start..rows.end.min(start.saturating_add(LEAF_ROWS));
        for (block, n) in blocks(range.clone()) {
            if !run.block(frame, block, n) {
                return ends;
            }
            let Some(state) = &mut frame.sink.scan else { return ends };
            state.take_in(run, &frame.block, scan, block - start, n);
            let selected = compact::select(frame, run.program.mask, n);
            for (source, out) in sources.iter().zip(&mut *outs) {
                if let RowSource::Column(i) = source.source {
                    compact::put(run, frame, &scan.columns[i], n, selected, out);
                }
            }
        }
        ends.push(leaf::write(frame, scan, sources, run.leaf(start), range.len(), outs));
    }
    ends
}
