//! One leaf of a scan: in go its rows' values, out come every fold's prefixes inside the leaf.
//!
//! A float sum's places form groups of 16, three levels of them; see `interpret/scan.rs` for the rule. Unselected and
//! null rows hold −0.0, and so do places beyond the last row.

use super::super::block::compare::Ordered;
use super::super::block::fold::{AsScalar, exact_sum};
use super::super::block::{BLOCK_ROWS, by_repr, bytes, gather, view, view_mut};
use super::super::frame::{Block, Frame as BlockFrame};
use super::super::launch::Run;
use super::super::nodes::Acc;
use super::super::output::{Out, Source};
use super::{LeafEnd, RowColumn, RowSource, RunningProgram, ScanProgram};
use crate::host::HostBuffer;
use pointsman_ir::kernel::{FoldOp, Frame, LEAF_ROWS, SCAN_RADIX};
use pointsman_ir::types::{Repr, Scalar};

/// The running folds of the leaf under way.
pub(in crate::cpu) struct ScanState {
    selected: HostBuffer,
    starts: HostBuffer,
    reached: HostBuffer,
    leaf: HostBuffer,
    folds: Vec<LeafFold>,
}

/// One running fold of the leaf under way.
struct LeafFold {
    values: HostBuffer,
    present: HostBuffer,
    /// Prefixes, and which are not null.
    prefixes: HostBuffer,
    known: HostBuffer,
}

impl ScanState {
    /// Room for a leaf.
    pub(in crate::cpu) fn new(program: &ScanProgram) -> ScanState {
        let bytes = |width: usize| HostBuffer::zeroed(width * LEAF_ROWS);
        let fold = |one: &RunningProgram| LeafFold {
            values: bytes(one.fold.repr().bytes()),
            present: bytes(1),
            prefixes: bytes(one.kept_repr().bytes()),
            known: bytes(1),
        };
        let folds = program.running.iter().map(fold).collect();
        ScanState { selected: bytes(1), starts: bytes(1), reached: bytes(1), leaf: bytes(8), folds }
    }

    /// Takes in the current block, which starts at this row of the leaf.
    pub(super) fn take_in(&mut self, run: &Run<'_>, block: &Block, scan: &ScanProgram, at: usize, n: usize) {
        let flags = |dst: &mut [u8], slot, otherwise: u8| match slot {
            Some(slot) => dst[at..at + n].copy_from_slice(block.flags(slot)),
            None => dst[at..at + n].fill(otherwise),
        };
        flags(&mut self.selected, run.program.mask, 1);
        flags(&mut self.starts, scan.segment, 0);
        for (one, fold) in scan.running.iter().zip(&mut self.folds) {
            flags(&mut fold.present, one.fold.present, 1);
            if let Some(value) = one.fold.value {
                let width = one.fold.repr().bytes();
                let values = block.get(&run.inputs, value.data);
                fold.values[at * width..(at + n) * width].copy_from_slice(&values[..n * width]);
            }
        }
    }

    /// Computes the prefixes of a leaf of `n` rows; the accumulators of unframed folds.
    fn prefixes(&mut self, scan: &ScanProgram, n: usize) -> Vec<Acc> {
        let starts = scan.segment.map(|_| &self.starts[..n]);
        let mut accs = Vec::with_capacity(scan.running.len());
        for (one, fold) in scan.running.iter().zip(&mut self.folds) {
            match one.frame {
                Frame::Unbounded => accs.push(fold.prefixes(one, starts, n)),
                Frame::Preceding(_) => {
                    let bytes = n * one.fold.repr().bytes();
                    if one.fold.value.is_some() {
                        fold.prefixes[..bytes].copy_from_slice(&fold.values[..bytes]);
                    }
                    fold.known[..n].copy_from_slice(&fold.present[..n]);
                }
            }
        }
        accs
    }

    /// Marks the rows before the first start; how many of them are selected, and whether there is a start.
    fn reach(&mut self, n: usize) -> (usize, bool) {
        let first = self.starts[..n].iter().position(|&start| start != 0);
        let reached = first.unwrap_or(n);
        self.reached[..reached].fill(1);
        self.reached[reached..n].fill(0);
        (bytes::count(&self.selected[..reached]), first.is_some())
    }
}

impl LeafFold {
    #[allow(clippy::unnecessary_cast)] // Values are widened to 128 bits, which some have already.
    fn prefixes(&mut self, one: &RunningProgram, starts: Option<&[u8]>, n: usize) -> Acc {
        let starts_at = |i: usize| starts.is_some_and(|starts| starts[i] != 0);
        let (present, known) = (&self.present[..n], &mut self.known);
        match (one.fold.op, one.fold.repr()) {
            (FoldOp::Count, _) => {
                let dst = view_mut::<u64>(&mut self.prefixes, n);
                Acc::Count(running(dst, present, 0, starts_at, |sum, _| sum + 1))
            }
            (FoldOp::Sum, Repr::F32) => {
                let total = float(&self.values, present, starts, &mut self.prefixes, -0.0f32);
                Acc::Single(total)
            }
            (FoldOp::Sum, Repr::F64) => {
                let total = float(&self.values, present, starts, &mut self.prefixes, -0.0f64);
                Acc::Double(total)
            }
            (FoldOp::Sum | FoldOp::Total, repr) => {
                let dst = view_mut::<i128>(&mut self.prefixes, n);
                let values = &self.values;
                Acc::Exact(by_repr!(repr, T => {
                    let values: &[T] = view(values, n);
                    running(dst, present, 0, starts_at, |sum, i| exact_sum(sum, values[i] as i128))
                }))
            }
            (FoldOp::Min, repr) => {
                let (values, dst) = (&self.values, &mut self.prefixes);
                Acc::Min(
                    by_repr!(repr, T => {
                        best::<T>(view(values, n), present, starts_at, view_mut(dst, n), known, T::least)
                    })
                    .map(|best| Scalar::from_bits(repr, best.bits())),
                )
            }
            (FoldOp::Max, repr) => {
                let (values, dst) = (&self.values, &mut self.prefixes);
                Acc::Max(
                    by_repr!(repr, T => {
                        best::<T>(view(values, n), present, starts_at, view_mut(dst, n), known, T::greatest)
                    })
                    .map(|best| Scalar::from_bits(repr, best.bits())),
                )
            }
        }
    }
}

/// The prefixes of an exact fold; the last.
fn running<T: Copy>(
    dst: &mut [T],
    present: &[u8],
    nothing: T,
    starts: impl Fn(usize) -> bool,
    f: impl Fn(T, usize) -> T,
) -> T {
    let mut so_far = nothing;
    for (i, (dst, &present)) in dst.iter_mut().zip(present).enumerate() {
        if starts(i) {
            so_far = nothing;
        }
        if present != 0 {
            so_far = f(so_far, i);
        }
        *dst = so_far;
    }
    so_far
}

/// The prefixes of min or max; the last.
fn best<T: Ordered + AsScalar>(
    values: &[T],
    present: &[u8],
    starts: impl Fn(usize) -> bool,
    dst: &mut [T],
    known: &mut [u8],
    f: impl Fn(T, T) -> T,
) -> Option<Scalar> {
    let mut so_far: Option<T> = None;
    for (i, (&value, &present)) in values.iter().zip(present).enumerate() {
        if starts(i) {
            so_far = None;
        }
        if present != 0 {
            so_far = Some(so_far.map_or(value, |best| f(best, value)));
        }
        dst[i] = so_far.unwrap_or(T::zeroed());
        known[i] = so_far.is_some().into();
    }
    so_far.map(AsScalar::scalar)
}

/// The prefixes of a float sum; the leaf's total.
fn float<T: bytemuck::Pod + std::ops::Add<Output = T>>(
    values: &[u8],
    present: &[u8],
    starts: Option<&[u8]>,
    dst: &mut [u8],
    nothing: T,
) -> T {
    let n = present.len();
    // Groups behind the last row hold nothing, and scanning them would leave them so.
    let (values, dst): (&[T], &mut [T]) = (view(values, n), view_mut(dst, n.next_multiple_of(SCAN_RADIX)));
    for (i, dst) in dst.iter_mut().enumerate() {
        *dst = if i < n && present[i] != 0 { values[i] } else { nothing };
    }
    let Some(starts) = starts else {
        return scan(dst, nothing, |a, b| a + b);
    };
    let start = |i: usize| i < n && starts[i] != 0;
    let mut pairs: Vec<(bool, T)> = dst.iter().enumerate().map(|(i, &value)| (start(i), value)).collect();
    let total = scan(&mut pairs, (false, nothing), |a, b| (a.0 || b.0, if b.0 { b.1 } else { a.1 + b.1 }));
    for (dst, pair) in dst.iter_mut().zip(pairs) {
        *dst = pair.1;
    }
    total.1
}

/// Scans a leaf of three levels in place; its total.
fn scan<E: Copy>(first: &mut [E], nothing: E, plus: impl Fn(E, E) -> E + Copy) -> E {
    let mut second = [nothing; LEAF_ROWS / SCAN_RADIX];
    let mut third = [nothing; SCAN_RADIX];
    totals(first, &mut second, plus);
    totals(&mut second, &mut third, plus);
    let mut all = [nothing];
    totals(&mut third, &mut all, plus);
    for (group, places) in first.chunks_exact_mut(SCAN_RADIX).enumerate() {
        let outer = group / SCAN_RADIX;
        let c2 = if group % SCAN_RADIX == 0 { nothing } else { second[group - 1] };
        let c3 = if outer == 0 { nothing } else { third[outer - 1] };
        for place in places {
            *place = plus(c3, plus(c2, *place));
        }
    }
    all[0]
}

/// Scans every group of 16 in place, in steps of 1, 2, 4 and 8; the groups' last elements.
fn totals<E: Copy>(values: &mut [E], totals: &mut [E], plus: impl Fn(E, E) -> E + Copy) {
    let (groups, _) = values.as_chunks_mut::<SCAN_RADIX>();
    for (group, total) in groups.iter_mut().zip(totals) {
        *group = step::<8, E>(step::<4, E>(step::<2, E>(step::<1, E>(*group, plus), plus), plus), plus);
        *total = group[SCAN_RADIX - 1];
    }
}

/// One step of a group's scan. By value and with a constant step, so that the group stays in registers: written to memory
/// and read back shifted, every read would wait for two writes.
#[inline(always)]
fn step<const STEP: usize, E: Copy>(group: [E; SCAN_RADIX], plus: impl Fn(E, E) -> E) -> [E; SCAN_RADIX] {
    let mut scanned = group;
    for i in STEP..SCAN_RADIX {
        scanned[i] = plus(group[i - STEP], group[i]);
    }
    scanned
}

/// Writes what a leaf of `n` rows knows only at its end.
pub(super) fn write(
    frame: &mut BlockFrame,
    scan: &ScanProgram,
    sources: &[&RowColumn],
    leaf: u64,
    n: usize,
    outs: &mut [Out<'_>],
) -> LeafEnd {
    let sink = &mut frame.sink;
    let state = sink.scan.as_mut().expect("a scan's frame has the state of a scan");
    let accs = state.prefixes(scan, n);
    let (reached, starts) = state.reach(n);
    view_mut::<u64>(&mut state.leaf, n).fill(leaf);
    let mut rows = 0;
    let all = bytes::count(&state.selected[..n]) == n;
    for at in (0..n).step_by(BLOCK_ROWS) {
        let block = at..n.min(at + BLOCK_ROWS);
        // Where every row is selected, only the number of positions is looked at.
        let selected =
            if all { block.len() } else { gather::positions(&state.selected[block.clone()], &mut sink.positions) };
        for (source, out) in sources.iter().zip(&mut *outs) {
            let (data, valid) = match source.source {
                RowSource::Column(_) => continue,
                RowSource::Leaf => (&state.leaf, None),
                RowSource::Reached => (&state.reached, None),
                RowSource::Starts => (&state.starts, None),
                RowSource::Running(i) => (&state.folds[i].prefixes, Some(&state.folds[i].known[block.clone()])),
            };
            let data = &data[block.start * source.leaving.width()..];
            let valid = valid.filter(|_| source.leaving.ty.nullable);
            let source_rows = Source { data, valid, n: block.len() };
            out.put_some(&source.leaving, source_rows, &sink.positions[..selected], &mut sink.spare);
        }
        rows += selected;
    }
    LeafEnd { leaf, rows, reached, starts, accs }
}
