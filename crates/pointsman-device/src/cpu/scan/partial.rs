//! The partial form of a scan: the selected rows with their prefixes inside leaves, and one node per leaf.

use super::super::block::{view, view_mut};
use super::super::frame::BlockFrame;
use super::super::launch::Execution;
use super::super::nodes::Acc;
use super::super::output::{BlockValues, ColumnWriter};
use super::leaf::{self, Operand, ScanState};
use super::prefix::{PrefixKind, widen_sum};
use super::{LeafSummary, RowSource, ScanProgram};
use crate::host::HostBuffer;
use pointsman_ir::kernel::{Frame, LEAF_ROWS};
use pointsman_ir::types::{Repr, Scalar};
use std::ops::Range;

/// The leaves of a morsel: the summary of each, and its totals, one per unframed fold.
#[derive(Default)]
pub(super) struct ScannedLeaves {
    pub(super) ends: Vec<LeafSummary>,
    totals: Vec<Acc>,
}

impl ScannedLeaves {
    /// The number of selected rows.
    pub(super) fn rows(&self) -> usize {
        self.ends.iter().map(|end| end.rows).sum()
    }

    /// Writes one node per leaf.
    pub(super) fn write_nodes(&self, folds: usize, outs: &mut [ColumnWriter<'_>]) {
        for (number, end) in self.ends.iter().enumerate() {
            let head = [Scalar::U8(0), Scalar::U64(end.leaf), Scalar::Bool(end.starts)].map(Some);
            let totals = self.totals[number * folds..(number + 1) * folds].iter().map(|acc| acc.kept());
            for (out, value) in outs.iter_mut().zip(head.into_iter().chain(totals)) {
                out.push(value);
            }
        }
    }
}

/// Writes a range of rows, whole leaves except for the last; stops early if one faults.
pub(super) fn morsel(
    run: &Execution<'_>,
    frame: &mut BlockFrame,
    scan: &ScanProgram,
    rows: Range<usize>,
    outs: &mut [ColumnWriter<'_>],
) -> ScannedLeaves {
    let mut leaves = ScannedLeaves::default();
    for start in rows.clone().step_by(LEAF_ROWS) {
        let range = start..rows.end.min(start.saturating_add(LEAF_ROWS));
        if !leaf::fill(run, frame, scan, range.clone()) {
            break;
        }
        write(frame, scan, run.leaf(start), range.len(), outs, &mut leaves);
    }
    leaves
}

/// Writes a leaf of `n` rows.
fn write(
    frame: &mut BlockFrame,
    scan: &ScanProgram,
    leaf: u64,
    n: usize,
    outs: &mut [ColumnWriter<'_>],
    leaves: &mut ScannedLeaves,
) {
    let sink = &mut frame.sink;
    let state = sink.scan.as_mut().expect("a scan's frame has the state of a scan");
    let end = state.end(scan, leaf, n, &mut sink.positions);
    leaves.ends.push(end);
    leaves.totals.extend(scan.unframed().map(|fold| state.prefixes(scan, fold.number, n).acc));
    let positions = scan.mask.map(|_| &sink.positions[..end.rows]);
    for (column, out) in scan.partial.iter().zip(outs) {
        let ScanState { starts, columns, folds, prefixes, compacted, made, .. } = &mut *state;
        let (data, valid): (&[u8], Option<&[u8]>) = match column.source {
            RowSource::Leaf => {
                view_mut::<u64>(made, n).fill(leaf);
                (made, None)
            }
            RowSource::Reached => {
                reach(starts, scan.segment.is_some(), &mut made[..n]);
                (made, None)
            }
            RowSource::Starts if scan.segment.is_some() => (starts, None),
            RowSource::Starts => {
                made[..n].fill(0);
                (made, None)
            }
            RowSource::Column(i) => (&columns[i].values, Some(&columns[i].flags)),
            RowSource::Running(i) => {
                let one = &scan.running[i];
                match (one.frame, one.prefix_kind) {
                    (Frame::Preceding(_), _) => (&folds[i].values, Some(&folds[i].flags)),
                    (Frame::Unbounded, PrefixKind::I64) => {
                        in_128_bits(&folds[i], &prefixes[i][0], scan.segment.map(|_| &starts[..n]), n, made);
                        (made, None)
                    }
                    (Frame::Unbounded, _) => (&prefixes[i][0], Some(&prefixes[i][1])),
                }
            }
        };
        let valid = valid.filter(|_| column.encoder.ty.nullable);
        leaf::put(out, &column.encoder, BlockValues { data, valid, n }, positions, compacted, &mut sink.spare);
    }
}

/// Marks the rows before the first segment start.
fn reach(starts: &[u8], segmented: bool, reached: &mut [u8]) {
    let first = if segmented { starts[..reached.len()].iter().position(|&start| start != 0) } else { None };
    let first = first.unwrap_or(reached.len());
    reached[..first].fill(1);
    reached[first..].fill(0);
}

/// Widens sums modulo 2^64 to 128 bits: each value is the difference of two sums.
fn in_128_bits(operand: &Operand, prefixes: &[u8], starts: Option<&[u8]>, n: usize, dst: &mut HostBuffer) {
    let repr: Repr = operand.repr;
    let (mut sum, mut last) = (0, 0);
    let dst = view_mut::<i128>(dst, n);
    for (i, (dst, &prefix)) in dst.iter_mut().zip(view::<i64>(prefixes, n)).enumerate() {
        if starts.is_some_and(|starts| starts[i] != 0) {
            (sum, last) = (0, 0);
        }
        sum += widen_sum(repr, prefix.wrapping_sub(last));
        last = prefix;
        *dst = sum;
    }
}
