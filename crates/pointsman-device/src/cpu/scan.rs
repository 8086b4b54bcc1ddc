//! `Scan`: writes the selected rows and, for each row, folds over the rows up to it.
//!
//! The leaves of a morsel are computed one after the other: the sink's operands ([`leaf`]), then the prefixes inside
//! the leaf ([`prefix`]). When the morsel is committed, it learns the carry into each leaf and the position of its
//! rows; then it adds the carries and writes ([`single_pass`], [`finish`]). Frames are folded at the end ([`frames`]).
//! The [`partial`] form has no carries.

#[cfg(target_arch = "x86_64")]
mod avx512;
pub(super) mod execute;
mod finish;
mod frames;
pub(super) mod leaf;
mod min_max;
mod morsel_prefixes;
mod partial;
mod prefix;
mod single_pass;

use super::compile::Lowering;
use super::isa::Level;
use super::nodes::Acc;
use super::output::OutputEncoder;
use super::program::Slot;
use super::reduce::FoldProgram;
use super::sink::SinkColumn;
use crate::DeviceResult;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::kernel::{FoldOp, Frame, Running};
use pointsman_ir::types::{DType, Type};
use prefix::{LeafFold, PrefixKind};

pub(super) use leaf::ScanState;

/// A scan of a program.
pub(super) struct ScanProgram {
    /// Columns that are written unchanged.
    pub(super) columns: Vec<SinkColumn>,
    /// The running folds.
    pub(super) running: Vec<RunningProgram>,
    /// Selected rows that start a segment; `None` if none does.
    pub(super) segment: Option<Slot>,
    /// The selected rows; `None` selects all.
    pub(super) mask: Option<Slot>,
    /// The row columns of a partial result.
    pub(super) partial: Vec<RowColumn>,
    /// The columns that a morsel writes unchanged: the kernel's columns, then the inputs of framed folds.
    pub(super) carried: Vec<RowColumn>,
    /// The input columns of the folds, if all of them are read in place and there is nothing else to compute; otherwise
    /// empty.
    plain: Vec<usize>,
    /// The identities of the unframed folds.
    pub(super) identity: Vec<Acc>,
    /// The instruction set.
    level: Level,
}

/// A running fold.
pub(super) struct RunningProgram {
    /// The fold.
    pub(super) fold: FoldProgram,
    /// The rows that it covers.
    pub(super) frame: Frame,
    /// The type of its result.
    pub(super) output: Type,
    /// How its prefixes are stored.
    prefix_kind: PrefixKind,
}

/// A column of a morsel's rows.
pub(super) struct RowColumn {
    /// The source of the column.
    pub(super) source: RowSource,
    /// The encoder of the column.
    pub(super) encoder: OutputEncoder,
}

/// The source of a column of a morsel's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSource {
    /// The number of the leaf.
    Leaf,
    /// Whether the carry reaches the row.
    Reached,
    /// Whether the row starts a segment.
    Starts,
    /// A column of the kernel.
    Column(usize),
    /// The prefix of a running fold in its leaf, or the input value of a framed one.
    Running(usize),
}

impl ScanProgram {
    /// A scan of the selected rows.
    pub(super) fn new(
        to: &mut Lowering<'_>,
        columns: &[ValueId],
        running: &[Running],
        segment: Option<ValueId>,
        mask: Option<Slot>,
    ) -> DeviceResult<ScanProgram> {
        let level = to.level;
        let plain = if mask.is_none() && segment.is_none() && columns.is_empty() { plain(to, running) } else { None };
        let columns = to.columns(columns);
        let running = running.iter().map(|one| RunningProgram::new(to, one, mask)).collect::<DeviceResult<Vec<_>>>()?;
        let segment = segment.and_then(|segment| {
            let starts = to.truth(segment);
            to.both(Some(starts), mask)
        });
        let column = |source, ty| RowColumn { source, encoder: OutputEncoder::new(level, ty) };
        let flag = DType::Bool.required();
        let head = [(RowSource::Leaf, DType::U64.required()), (RowSource::Reached, flag), (RowSource::Starts, flag)];
        let values = || columns.iter().enumerate().map(|(i, one)| (RowSource::Column(i), one.value.ty));
        let folds =
            || running.iter().enumerate().filter_map(|(i, one)| one.kept().map(|ty| (RowSource::Running(i), ty)));
        let partial = head.into_iter().chain(values()).chain(folds()).map(|(source, ty)| column(source, ty)).collect();
        let framed = |i: usize| running[i].frame != Frame::Unbounded;
        let starts = (segment.is_some() && (0..running.len()).any(framed)).then_some((RowSource::Starts, flag));
        let kept = folds().filter(|(source, _)| matches!(source, RowSource::Running(i) if framed(*i)));
        let carried = values().chain(kept).chain(starts).map(|(source, ty)| column(source, ty)).collect();
        let identity = running.iter().filter(|one| one.frame == Frame::Unbounded).map(|one| one.fold.identity());
        let identity = identity.collect();
        let plain = plain.unwrap_or_default();
        Ok(ScanProgram { columns, running, segment, mask, partial, carried, plain, identity, level })
    }

    /// A fold over a leaf of `rows` rows.
    fn fold<'a>(&self, number: usize, starts: Option<&'a [u8]>, rows: usize) -> LeafFold<'a> {
        let fold = &self.running[number].fold;
        LeafFold { level: self.level, op: fold.op, repr: fold.repr(), starts, rows }
    }

    /// The folds over all rows of a segment.
    pub(super) fn unframed(&self) -> impl Iterator<Item = UnframedFold> + '_ {
        let numbers = (0..self.running.len()).filter(|&i| self.running[i].frame == Frame::Unbounded);
        numbers.enumerate().map(|(index, number)| UnframedFold { index, number })
    }
}

/// The input columns of the running folds, if every fold is an unframed sum, minimum or maximum of a column without
/// nulls; otherwise `None`.
fn plain(to: &Lowering<'_>, running: &[Running]) -> Option<Vec<usize>> {
    let column = |one: &Running| {
        let value = one.fold.value().filter(|_| one.fold.op != FoldOp::Count && one.frame == Frame::Unbounded)?;
        let Inst::Column(column) = to.body().inst(value) else { return None };
        (!to.body().ty(value).nullable).then_some(column.index())
    };
    running.iter().map(column).collect()
}

impl RunningProgram {
    fn new(to: &mut Lowering<'_>, running: &Running, mask: Option<Slot>) -> DeviceResult<RunningProgram> {
        let fold = FoldProgram::new(to, &running.fold, mask)?;
        let output = running.fold.output(to.body());
        let prefix_kind = PrefixKind::of(fold.op, fold.repr());
        Ok(RunningProgram { fold, frame: running.frame, output, prefix_kind })
    }

    /// The type of the value stored per row; a framed count of rows stores none.
    pub(super) fn kept(&self) -> Option<Type> {
        match self.frame {
            Frame::Preceding(_) => self.fold.value.map(|value| value.ty),
            Frame::Unbounded => Some(match self.fold.identity() {
                Acc::Count(_) => DType::U64.required(),
                Acc::Exact(_) => DType::Decimal { precision: 38, scale: 0 }.required(),
                Acc::F32(_) => DType::F32.required(),
                Acc::F64(_) => DType::F64.required(),
                Acc::Min(_) | Acc::Max(_) => self.output,
            }),
        }
    }

    /// Whether the fold is an unframed sum: then skipped rows hold the identity (−0.0, or 0).
    fn is_whole_sum(&self) -> bool {
        self.fold.op.is_sum() && self.frame == Frame::Unbounded
    }

    /// Whether the fold reads values: an unframed count does not.
    fn takes_values(&self) -> bool {
        self.fold.value.is_some() && (self.fold.op, self.frame) != (FoldOp::Count, Frame::Unbounded)
    }

    /// Bytes of a prefix.
    fn prefix_width(&self) -> usize {
        self.prefix_kind.width(self.fold.repr())
    }
}

/// A running fold over all rows of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnframedFold {
    /// Its number among the unframed folds.
    index: usize,
    /// Its number among all running folds.
    number: usize,
}

/// The summary of a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafSummary {
    /// The number of the leaf.
    pub(super) leaf: u64,
    /// The number of selected rows.
    pub(super) rows: usize,
    /// The number of selected rows before the first segment start: the carry reaches them.
    pub(super) reached: usize,
    /// Whether a segment starts in the leaf.
    pub(super) starts: bool,
}
