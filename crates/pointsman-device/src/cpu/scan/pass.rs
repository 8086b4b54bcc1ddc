//! The one pass of a scan: morsels are worked out in any order, learn in turn what comes before them, and are written
//! while they are in the caches.
//!
//! A morsel's turn is short: it takes the carry into each of its leaves, joins its leaves to the nodes of those before,
//! and takes its rows of the output. Bits are written there and then, since rows of two morsels share bytes.

use super::super::frame::Frame as BlockFrame;
use super::super::launch::Run;
use super::super::nodes::{Head, Nodes, OutOfRange};
use super::super::output::{Out, Parts, Rest, Source};
use super::super::turns::Share;
use super::leaf::{self, ScanState};
use super::local::{Locals, Place};
use super::{LeafEnd, RowSource, ScanProgram};
use crate::DeviceResult;
use crate::host::{BoolLayout, HostBuffer};
use crate::host_pool::HostPool;
use crate::past_caches;
use pointsman_ir::kernel::LEAF_ROWS;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What morsels hand on.
pub(in crate::cpu) struct Written<'a> {
    /// What leaves a morsel as it is, then the unframed folds.
    columns: SmallVec<[Rest<'a>; 4]>,
    /// The leaves so far: the first of the two.
    nodes: Box<[Nodes; 2]>,
    rows: usize,
}

impl<'a> Written<'a> {
    /// Nothing is written yet; the columns are those of [`ScanProgram::carried`], then the unframed folds.
    pub(in crate::cpu) fn new(columns: impl Iterator<Item = Out<'a>>, mut nodes: Box<[Nodes; 2]>) -> Written<'a> {
        nodes[0].clear();
        Written { columns: columns.map(Rest::new).collect(), nodes, rows: 0 }
    }

    /// The memory of the nodes, for the next launch.
    pub(in crate::cpu) fn into_nodes(self) -> Box<[Nodes; 2]> {
        self.nodes
    }

    /// How many rows are written.
    pub(in crate::cpu) fn rows(&self) -> usize {
        self.rows
    }

    /// The carries into the leaves of the next morsel, which join those before.
    fn join(&mut self, scan: &ScanProgram, state: &mut ScanState) {
        let folds = scan.nothing.len();
        state.carries.clear();
        for (number, end) in state.ends.iter().enumerate() {
            self.nodes[0].carry(&scan.nothing, &mut state.carries);
            let head = Head { level: 0, index: end.leaf, starts: end.starts };
            let totals = &state.totals[number * folds..(number + 1) * folds];
            self.nodes[0].push_each(head, totals.iter().map(|total| total.acc));
            self.rows += end.rows;
        }
    }
}

/// Which fold of a launch could not be finished; the smallest number counts.
pub(in crate::cpu) struct Unfinished(AtomicUsize);

impl Unfinished {
    /// None so far.
    pub(in crate::cpu) fn new() -> Unfinished {
        Unfinished(AtomicUsize::new(usize::MAX))
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

/// A morsel of one thread, in memory that stays in its caches until it is known what comes before.
pub(in crate::cpu) struct Staged<'p> {
    pool: &'p HostPool,
    /// Values and bitmap of what leaves as it is.
    carried: SmallVec<[[HostBuffer; 2]; 4]>,
    bools: SmallVec<[BoolLayout; 4]>,
    locals: Locals,
    rows: usize,
}

impl<'p> Staged<'p> {
    /// Memory for a morsel of this many rows; truth values as the outputs have them.
    pub(in crate::cpu) fn new(
        pool: &'p HostPool,
        scan: &ScanProgram,
        bools: &[BoolLayout],
        rows: usize,
    ) -> DeviceResult<Staged<'p>> {
        let (carried, locals) = (SmallVec::new(), Locals::default());
        let mut staged = Staged { pool, carried, bools: bools.into(), locals, rows };
        for column in &scan.carried {
            staged.carried.push([pool.take(rows * column.leaving.width())?, HostBuffer::default()]);
            if let (true, Some([_, bits])) = (column.leaving.ty.nullable, staged.carried.last_mut()) {
                *bits = pool.take(rows.div_ceil(8))?;
            }
        }
        staged.locals.take_memory(pool, scan, rows)?;
        Ok(staged)
    }

    /// Works a morsel out, and writes it when it is its turn.
    pub(in crate::cpu) fn morsel(
        &mut self,
        run: &Run<'_>,
        frame: &mut BlockFrame,
        scan: &ScanProgram,
        rows: Range<usize>,
        share: Share<'_, Written<'_>>,
        unfinished: &Unfinished,
    ) {
        self.work_out(run, frame, scan, rows);
        let state = frame.sink.scan.as_mut().expect("a scan's frame has the state of a scan");
        let places = share.turn(|written| {
            written.join(scan, state);
            self.take_places(scan, state, &mut written.columns, unfinished)
        });
        let Some(mut places) = places else { return };
        let (carried, folds) = places.split_at_mut(self.carried.len());
        for (place, [values, _]) in carried.iter_mut().zip(&self.carried) {
            past_caches::copy(&values[..place.len()], place, run.streams);
        }
        for (at, (number, place)) in scan.unframed().zip(folds).enumerate() {
            if !place.is_empty() {
                let place = Place::Values(place, run.streams);
                unfinished.note(number, self.locals.finish(scan, state, (at, number), place));
            }
        }
    }

    /// The operands and prefixes of the morsel's leaves; stops early where a row faults.
    fn work_out(&mut self, run: &Run<'_>, frame: &mut BlockFrame, scan: &ScanProgram, rows: Range<usize>) {
        let mut outs = Parts::new();
        for (at, (column, [values, validity])) in scan.carried.iter().zip(&mut self.carried).enumerate() {
            let out = Out::new(values, self.bools[at], Some(validity), column.leaving.ty, self.rows);
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
                && self.locals.plain_leaf(run, scan, state, &range, written)
            {
                let (leaf, rows) = (run.leaf(start), range.len());
                state.ends.push(LeafEnd { leaf, rows, reached: rows, starts: false });
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
                let valid = Some(&valid[..]).filter(|_| column.leaving.ty.nullable);
                let rows = Source { data, valid, n: range.len() };
                leaf::put(out, &column.leaving, rows, positions, compacted, &mut sink.spare);
            }
            self.locals.leaf(scan, state, (written, range.len()), positions);
            state.ends.push(end);
            written += end.rows;
        }
    }

    /// Takes the morsel's rows of every column; bits are written at once, values go into the memory that comes back.
    fn take_places<'a>(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        columns: &mut [Rest<'a>],
        unfinished: &Unfinished,
    ) -> SmallVec<[&'a mut [u8]; 4]> {
        let n = state.ends.iter().map(|end| end.rows).sum();
        let mut places = SmallVec::new();
        let (carried, folds) = columns.split_at_mut(self.carried.len());
        for (rest, [values, validity]) in carried.iter_mut().zip(&self.carried) {
            places.push(rest.take(values, validity, n));
        }
        for (at, (number, rest)) in scan.unframed().zip(folds).enumerate() {
            if scan.running[number].output.nullable {
                self.locals.know(scan, state, at);
            }
            if rest.is_bits() {
                unfinished.note(number, self.locals.finish(scan, state, (at, number), Place::Bits));
            }
            let [truths, bits] = &self.locals.bits;
            places.push(rest.take(truths, bits, n));
        }
        places
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        let carried = self.carried.drain(..).flatten();
        carried.chain(self.locals.buffers()).for_each(|buffer| self.pool.give(buffer));
    }
}
