//! The run of a scan: in goes a launch, out come its rows, or a partial result.

use super::super::block::bitmap;
use super::super::frame::Frame as BlockFrame;
use super::super::launch::{Cut, Run, on_threads, take};
use super::super::nodes::Nodes;
use super::super::output::{Out, Parts};
use super::super::turns::Turns;
use super::super::{Shared, compact, lock};
use super::partial::{self, Leaves};
use super::pass::{Staged, Unfinished, Written};
use super::{RowColumn, ScanProgram, frames};
use crate::DeviceResult;
use crate::host::{BoolLayout, HostBuffer};
use crate::host_pool::HostPool;
use crate::launch::{Faulted, Form, Outcome};
use pointsman_ir::kernel::{Frame, LEAF_ROWS};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The most rows that are worked out before they are written: their prefixes stay in a thread's cache.
const PIECE_ROWS: usize = 16 * LEAF_ROWS;

/// A column that framed folds need at the end: values side by side (truth values as bytes) and a bitmap.
pub(super) struct Kept {
    pub(super) values: HostBuffer,
    validity: HostBuffer,
}

impl Kept {
    /// The validity of some rows, as bytes.
    pub(super) fn validity(&self, rows: Range<usize>, nullable: bool, dst: &mut [u8]) {
        if nullable {
            bitmap::unpack(&self.validity, rows.start, &mut dst[..rows.len()]);
        } else {
            dst[..rows.len()].fill(1);
        }
    }
}

/// Memory for what framed folds need at the end; given back when it is dropped.
struct Keeping<'p> {
    pool: &'p HostPool,
    columns: SmallVec<[Kept; 2]>,
}

impl<'p> Keeping<'p> {
    fn new(pool: &'p HostPool, columns: &[RowColumn], rows: usize) -> DeviceResult<Keeping<'p>> {
        let mut keeping = Keeping { pool, columns: SmallVec::new() };
        for column in columns {
            let values = pool.take(rows * column.leaving.width())?;
            keeping.columns.push(Kept { values, validity: HostBuffer::default() });
            if let (true, Some(kept)) = (column.leaving.ty.nullable, keeping.columns.last_mut()) {
                kept.validity = pool.take(rows.div_ceil(8))?;
            }
        }
        Ok(keeping)
    }
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        let all = self.columns.drain(..).flat_map(|kept| [kept.values, kept.validity]);
        all.filter(|buffer| !buffer.is_empty()).for_each(|buffer| self.pool.give(buffer));
    }
}

/// Runs a scan.
pub(in crate::cpu) fn run(
    shared: &Shared,
    run: &Run<'_>,
    scan: &ScanProgram,
    form: Form,
    outs: &mut [Out<'_>],
) -> DeviceResult<Outcome> {
    match form {
        Form::Whole => whole(shared, run, scan, outs),
        Form::Partial => {
            let (rows, nodes) = outs.split_at_mut(scan.partial.len());
            Ok(in_part(shared, run, scan, rows, nodes))
        }
    }
}

/// Every morsel fills its part of the output from the front; then the parts are pulled together.
fn in_part(shared: &Shared, run: &Run<'_>, scan: &ScanProgram, outs: &mut [Out<'_>], nodes: &mut [Out<'_>]) -> Outcome {
    let morsel = run.morsel_rows;
    let cut = Mutex::new(Cut { rest: outs.iter_mut().map(Out::reborrow).collect(), start: 0 });
    let given: Mutex<Vec<(usize, Leaves)>> = Mutex::default();
    on_threads(shared, run, run.rows.div_ceil(morsel), |frame| {
        let mut parts = Parts::new();
        while run.goes_on()
            && let Some(rows) = take(&cut, run.rows, morsel, &mut parts)
        {
            let leaves = partial::morsel(run, frame, scan, rows.clone(), &mut parts);
            lock(&given).push((rows.start, leaves));
            run.did(rows.len());
        }
    });
    drop(cut);
    if run.is_void() {
        return Outcome::default();
    }
    let mut given = given.into_inner().unwrap_or_else(PoisonError::into_inner);
    given.sort_unstable_by_key(|(start, _)| *start);
    let rows = compact::pull_together(outs, given.iter().map(|(start, leaves)| (*start, leaves.rows())));
    given.iter().for_each(|(_, leaves)| leaves.write_nodes(scan.nothing.len(), nodes));
    Outcome { rows, nodes: given.iter().map(|(_, leaves)| leaves.ends.len()).sum(), fault: None }
}

fn whole(shared: &Shared, run: &Run<'_>, scan: &ScanProgram, outs: &mut [Out<'_>]) -> DeviceResult<Outcome> {
    let (columns, folds) = outs.split_at_mut(scan.columns.len());
    let framed = &scan.carried[columns.len()..];
    let mut keeping = Keeping::new(&shared.pool, framed, run.rows)?;
    let mut written: SmallVec<[Out<'_>; 4]> = columns.iter_mut().map(Out::reborrow).collect();
    for (kept, column) in keeping.columns.iter_mut().zip(framed) {
        let validity = Some(&mut kept.validity[..]);
        written.push(Out::new(&mut kept.values, BoolLayout::Bytes, validity, column.leaving.ty, run.rows)?);
    }
    let unframed = folds.iter_mut().zip(&scan.running).filter(|(_, one)| one.frame == Frame::Unbounded);
    written.extend(unframed.map(|(out, _)| out.reborrow()));
    let (outcome, unfinished) = pass(shared, run, scan, written)?;
    if run.is_void() {
        return Ok(outcome);
    }
    let framed = frames(scan, outcome.rows, &keeping.columns, folds).err();
    // The fold with the smallest number is the one to tell of.
    let fault = unfinished.into_iter().chain(framed).min().map(Faulted::Fold);
    Ok(Outcome { fault, ..outcome })
}

/// Writes the columns and the unframed folds; the number of a fold that could not be finished.
fn pass(
    shared: &Shared,
    run: &Run<'_>,
    scan: &ScanProgram,
    outs: SmallVec<[Out<'_>; 4]>,
) -> DeviceResult<(Outcome, Option<usize>)> {
    let morsel = run.morsel_rows.min(PIECE_ROWS);
    let morsels = run.rows.div_ceil(morsel);
    let bools: SmallVec<[BoolLayout; 4]> = outs.iter().map(Out::bools).collect();
    let unfinished = Unfinished::new();
    // Whoever comes first has memory; others help if there is some for them too.
    let ready = Mutex::new(Some(Staged::new(&shared.pool, scan, &bools, morsel)?));
    let folds = scan.nothing.len();
    let nodes = run.program.merged.take(|| [Nodes::new(folds), Nodes::new(folds)]);
    let turns = Turns::new(morsels, Written::new(outs.into_iter(), nodes));
    // A launch of one morsel stays on its thread, but in pieces too.
    on_threads(shared, run, run.rows.div_ceil(run.morsel_rows), |frame: &mut BlockFrame| {
        let first = lock(&ready).take();
        let Some(mut staged) = first.or_else(|| Staged::new(&shared.pool, scan, &bools, morsel).ok()) else { return };
        while run.goes_on()
            && let Some(share) = turns.claim()
        {
            let start = share.number() * morsel;
            let end = run.rows.min(start + morsel);
            staged.morsel(run, frame, scan, start..end, share, &unfinished);
            run.did(end - start);
        }
    });
    let written = turns.into_state();
    let rows = written.rows();
    run.program.merged.put(written.into_nodes());
    Ok((Outcome { rows, nodes: 0, fault: None }, unfinished.fold()))
}

/// Finishes the framed folds, or gives the number of the first that cannot be.
fn frames(scan: &ScanProgram, rows: usize, kept: &[Kept], outs: &mut [Out<'_>]) -> Result<(), usize> {
    let starts = kept.last().filter(|_| scan.segment.is_some());
    let mut kept = kept.iter();
    for (number, (one, out)) in scan.running.iter().zip(outs).enumerate() {
        let Frame::Preceding(preceding) = one.frame else { continue };
        let values = one.kept().and_then(|_| kept.next());
        frames::finish(one, preceding, rows, values, starts, out).map_err(|_| number)?;
    }
    Ok(())
}
