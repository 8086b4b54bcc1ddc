//! The single pass of a scan: morsels are computed in any order, committed in order, and written while they are in the
//! caches.
//!
//! A commit is short: it takes the carry into each leaf of the morsel, joins these leaves to the nodes before them, and
//! reserves the rows of the output. Bits are written during the commit, since rows of two morsels share bytes.

use super::super::frame::BlockFrame;
use super::super::launch::Execution;
use super::super::nodes::{NodeHead, Nodes, OutOfRange};
use super::super::ordered_commit::CommitTicket;
use super::super::output::{AppendColumn, BlockValues, ColumnWriter, ColumnWriters};
use super::leaf::{self, ScanState};
use super::morsel_prefixes::{FoldDestination, MorselPrefixes};
use super::{LeafSummary, RowSource, ScanProgram};
use crate::DeviceResult;
use crate::host::{BoolLayout, HostBuffer};
use crate::host_pool::HostPool;
use crate::streaming_copy;
use pointsman_ir::kernel::LEAF_ROWS;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The state that morsels commit to.
pub(in crate::cpu) struct ScannedOutput<'a> {
    /// The columns that are written unchanged, then the unframed folds.
    columns: SmallVec<[AppendColumn<'a>; 4]>,
    /// The leaves so far in the first element; the second is scratch memory.
    nodes: Box<[Nodes; 2]>,
    rows: usize,
}

impl<'a> ScannedOutput<'a> {
    /// An empty output; the columns are those of [`ScanProgram::carried`], then the unframed folds.
    pub(in crate::cpu) fn new(
        columns: impl Iterator<Item = ColumnWriter<'a>>,
        mut nodes: Box<[Nodes; 2]>,
    ) -> ScannedOutput<'a> {
        nodes[0].clear();
        ScannedOutput { columns: columns.map(AppendColumn::new).collect(), nodes, rows: 0 }
    }

    /// The memory of the nodes, for the next launch.
    pub(in crate::cpu) fn into_nodes(self) -> Box<[Nodes; 2]> {
        self.nodes
    }

    /// The number of rows written.
    pub(in crate::cpu) fn rows(&self) -> usize {
        self.rows
    }

    /// Computes the carries into the leaves of the next morsel and joins these leaves to the nodes.
    fn join(&mut self, scan: &ScanProgram, state: &mut ScanState) {
        let folds = scan.identity.len();
        state.carries.clear();
        for (number, end) in state.ends.iter().enumerate() {
            self.nodes[0].carry(&scan.identity, &mut state.carries);
            let head = NodeHead { level: 0, index: end.leaf, starts: end.starts };
            let totals = &state.totals[number * folds..(number + 1) * folds];
            self.nodes[0].push_each(head, totals.iter().map(|total| total.acc));
            self.rows += end.rows;
        }
    }
}

/// The fold of a launch whose result does not fit its type; the smallest number counts.
pub(in crate::cpu) struct OverflowedFold(AtomicUsize);

impl OverflowedFold {
    /// No fold so far.
    pub(in crate::cpu) fn new() -> OverflowedFold {
        OverflowedFold(AtomicUsize::new(usize::MAX))
    }

    /// The fold, if there is one.
    pub(in crate::cpu) fn fold(&self) -> Option<usize> {
        Some(self.0.load(Ordering::Relaxed)).filter(|&fold| fold != usize::MAX)
    }

    fn note(&self, fold: usize, result: Result<(), OutOfRange>) {
        if result.is_err() {
            self.0.fetch_min(fold, Ordering::Relaxed);
        }
    }
}

/// A morsel of one thread, in memory that stays in its caches until the carry is known.
pub(in crate::cpu) struct ScannedMorsel<'p> {
    pool: &'p HostPool,
    /// Values and bitmap of the columns that are written unchanged.
    carried: SmallVec<[[HostBuffer; 2]; 4]>,
    bools: SmallVec<[BoolLayout; 4]>,
    prefixes: MorselPrefixes,
    rows: usize,
}

impl<'p> ScannedMorsel<'p> {
    /// Allocates memory for a morsel of `rows` rows, with bools laid out as in the outputs.
    pub(in crate::cpu) fn new(
        pool: &'p HostPool,
        scan: &ScanProgram,
        bools: &[BoolLayout],
        rows: usize,
    ) -> DeviceResult<ScannedMorsel<'p>> {
        let (carried, prefixes) = (SmallVec::new(), MorselPrefixes::default());
        let mut staged = ScannedMorsel { pool, carried, bools: bools.into(), prefixes, rows };
        for column in &scan.carried {
            staged.carried.push([pool.take(rows * column.encoder.width())?, HostBuffer::default()]);
            if let (true, Some([_, bits])) = (column.encoder.ty.nullable, staged.carried.last_mut()) {
                *bits = pool.take(rows.div_ceil(8))?;
            }
        }
        staged.prefixes.take_memory(pool, scan, rows)?;
        Ok(staged)
    }

    /// Computes a morsel, commits it in order and writes it.
    pub(in crate::cpu) fn morsel(
        &mut self,
        run: &Execution<'_>,
        frame: &mut BlockFrame,
        scan: &ScanProgram,
        rows: Range<usize>,
        ticket: CommitTicket<'_, ScannedOutput<'_>>,
        overflowed: &OverflowedFold,
    ) {
        self.compute_prefixes(run, frame, scan, rows);
        let state = frame.sink.scan.as_mut().expect("a scan's frame has the state of a scan");
        let places = ticket.commit(|written| {
            written.join(scan, state);
            self.reserve_output(scan, state, &mut written.columns, overflowed)
        });
        let Some(mut places) = places else { return };
        let (carried, folds) = places.split_at_mut(self.carried.len());
        for (place, [values, _]) in carried.iter_mut().zip(&self.carried) {
            streaming_copy::copy(&values[..place.len()], place, run.streams);
        }
        for (fold, place) in scan.unframed().zip(folds) {
            if !place.is_empty() {
                let place = FoldDestination::Values(place, run.streams);
                overflowed.note(fold.number, self.prefixes.finish(scan, state, fold, place));
            }
        }
    }

    /// Computes the operands and prefixes of the morsel's leaves; stops early if a row faults.
    fn compute_prefixes(
        &mut self,
        run: &Execution<'_>,
        frame: &mut BlockFrame,
        scan: &ScanProgram,
        rows: Range<usize>,
    ) {
        let mut outs = ColumnWriters::new();
        for (at, (column, [values, validity])) in scan.carried.iter().zip(&mut self.carried).enumerate() {
            let out = ColumnWriter::new(values, self.bools[at], Some(validity), column.encoder.ty, self.rows);
            outs.push(out.expect("there is room for a morsel"));
        }
        if let Some(state) = &mut frame.sink.scan {
            state.ends.clear();
            state.totals.clear();
        }
        let mut written = 0;
        for start in rows.clone().step_by(LEAF_ROWS) {
            let range = start..rows.end.min(start + LEAF_ROWS);
            if let Some(state) = &mut frame.sink.scan
                && self.prefixes.add_plain_leaf(run, scan, state, &range, written)
            {
                let (leaf, rows) = (run.leaf(start), range.len());
                state.ends.push(LeafSummary { leaf, rows, reached: rows, starts: false });
                written += rows;
                continue;
            }
            if !leaf::fill(run, frame, scan, range.clone()) {
                return;
            }
            let sink = &mut frame.sink;
            let Some(state) = &mut sink.scan else { return };
            let end = state.end(scan, run.leaf(start), range.len(), &mut sink.positions);
            let positions = scan.mask.map(|_| &sink.positions[..end.rows]);
            for (column, out) in scan.carried.iter().zip(&mut outs) {
                let (operands, starts, compacted) = (&state.columns, &state.starts, &mut state.compacted);
                let (data, valid) = match column.source {
                    RowSource::Column(i) => (&operands[i].values, &operands[i].flags),
                    RowSource::Running(i) => (&state.folds[i].values, &state.folds[i].flags),
                    RowSource::Leaf | RowSource::Reached | RowSource::Starts => (starts, starts),
                };
                let valid = Some(&valid[..]).filter(|_| column.encoder.ty.nullable);
                let rows = BlockValues { data, valid, n: range.len() };
                leaf::put(out, &column.encoder, rows, positions, compacted, &mut sink.spare);
            }
            self.prefixes.add_leaf(scan, state, written, range.len(), positions);
            state.ends.push(end);
            written += end.rows;
        }
    }

    /// Reserves the morsel's rows of every column. Bits are written at once; values are written later, into the
    /// returned memory.
    fn reserve_output<'a>(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        columns: &mut [AppendColumn<'a>],
        overflowed: &OverflowedFold,
    ) -> SmallVec<[&'a mut [u8]; 4]> {
        let n = state.ends.iter().map(|end| end.rows).sum();
        let mut places = SmallVec::new();
        let (carried, folds) = columns.split_at_mut(self.carried.len());
        for (rest, [values, validity]) in carried.iter_mut().zip(&self.carried) {
            places.push(rest.take(values, validity, n));
        }
        for (fold, rest) in scan.unframed().zip(folds) {
            if scan.running[fold.number].output.nullable {
                self.prefixes.mark_present(scan, state, fold);
            }
            if rest.is_bits() {
                overflowed.note(fold.number, self.prefixes.finish(scan, state, fold, FoldDestination::Bits));
            }
            let [truths, bits] = &self.prefixes.bits;
            places.push(rest.take(truths, bits, n));
        }
        places
    }
}

impl Drop for ScannedMorsel<'_> {
    fn drop(&mut self) {
        let carried = self.carried.drain(..).flatten();
        carried.chain(self.prefixes.buffers()).for_each(|buffer| self.pool.give(buffer));
    }
}
