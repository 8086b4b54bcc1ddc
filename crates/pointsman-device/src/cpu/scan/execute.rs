//! Executes a scan: writes its rows, or a partial result.

use super::super::block::bitmap;
use super::super::frame::BlockFrame;
use super::super::launch::{Execution, OutputSplitter, next_morsel, on_threads};
use super::super::nodes::Nodes;
use super::super::ordered_commit::OrderedCommit;
use super::super::output::{ColumnWriter, ColumnWriters};
use super::super::{CpuShared, compact};
use super::partial::{self, ScannedLeaves};
use super::single_pass::{OverflowedFold, ScannedMorsel, ScannedOutput};
use super::{RowColumn, ScanProgram, frames};
use crate::DeviceResult;
use crate::host::{BoolLayout, HostBuffer};
use crate::host_pool::HostPool;
use crate::launch::{FaultLocation, Form, Outcome};
use crate::sync::Mutex;
use pointsman_ir::kernel::{Frame, LEAF_ROWS};
use smallvec::SmallVec;
use std::ops::Range;

/// The maximum number of rows that are computed before they are written: their prefixes stay in a thread's cache.
const PIECE_ROWS: usize = 16 * LEAF_ROWS;

/// An input column of framed folds: contiguous values (bools as bytes) and a bitmap.
pub(super) struct FrameColumn {
    pub(super) values: HostBuffer,
    validity: HostBuffer,
}

impl FrameColumn {
    /// The validity of a range of rows, as bytes.
    pub(super) fn validity(&self, rows: Range<usize>, nullable: bool, dst: &mut [u8]) {
        if nullable {
            bitmap::unpack(&self.validity, rows.start, &mut dst[..rows.len()]);
        } else {
            dst[..rows.len()].fill(1);
        }
    }
}

/// The input columns of framed folds; given back to the pool on drop.
struct FrameColumns<'p> {
    pool: &'p HostPool,
    columns: SmallVec<[FrameColumn; 2]>,
}

impl<'p> FrameColumns<'p> {
    fn new(pool: &'p HostPool, columns: &[RowColumn], rows: usize) -> DeviceResult<FrameColumns<'p>> {
        let mut frame_columns = FrameColumns { pool, columns: SmallVec::new() };
        for column in columns {
            let values = pool.take(rows * column.encoder.width())?;
            frame_columns.columns.push(FrameColumn { values, validity: HostBuffer::default() });
            if let (true, Some(frame_column)) = (column.encoder.ty.nullable, frame_columns.columns.last_mut()) {
                frame_column.validity = pool.take(rows.div_ceil(8))?;
            }
        }
        Ok(frame_columns)
    }
}

impl Drop for FrameColumns<'_> {
    fn drop(&mut self) {
        let all = self.columns.drain(..).flat_map(|frame_column| [frame_column.values, frame_column.validity]);
        all.filter(|buffer| !buffer.is_empty()).for_each(|buffer| self.pool.give(buffer));
    }
}

/// Executes a scan.
pub(in crate::cpu) fn execute(
    shared: &CpuShared,
    run: &Execution<'_>,
    scan: &ScanProgram,
    form: Form,
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<Outcome> {
    match form {
        Form::Whole => execute_whole(shared, run, scan, outs),
        Form::Partial => {
            let (rows, nodes) = outs.split_at_mut(scan.partial.len());
            Ok(execute_partial(shared, run, scan, rows, nodes))
        }
    }
}

/// Every morsel fills its part of the output from the front; then the gaps between the parts are closed.
fn execute_partial(
    shared: &CpuShared,
    run: &Execution<'_>,
    scan: &ScanProgram,
    outs: &mut [ColumnWriter<'_>],
    nodes: &mut [ColumnWriter<'_>],
) -> Outcome {
    let morsel = run.morsel_rows;
    let splitter = Mutex::new(OutputSplitter { rest: outs.iter_mut().map(ColumnWriter::reborrow).collect(), start: 0 });
    let finished: Mutex<Vec<(usize, ScannedLeaves)>> = Mutex::default();
    on_threads(shared, run, run.rows.div_ceil(morsel), |frame| {
        let mut parts = ColumnWriters::new();
        while run.should_continue()
            && let Some(rows) = next_morsel(&splitter, run.rows, morsel, &mut parts)
        {
            let leaves = partial::morsel(run, frame, scan, rows.clone(), &mut parts);
            finished.lock().push((rows.start, leaves));
            run.rows_done(rows.len());
        }
    });
    drop(splitter);
    if run.is_void() {
        return Outcome::default();
    }
    let mut finished = finished.into_inner();
    finished.sort_unstable_by_key(|(start, _)| *start);
    let rows = compact::close_gaps(outs, finished.iter().map(|(start, leaves)| (*start, leaves.rows())));
    finished.iter().for_each(|(_, leaves)| leaves.write_nodes(scan.identity.len(), nodes));
    Outcome { rows, nodes: finished.iter().map(|(_, leaves)| leaves.ends.len()).sum(), ..Outcome::default() }
}

fn execute_whole(
    shared: &CpuShared,
    run: &Execution<'_>,
    scan: &ScanProgram,
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<Outcome> {
    let (columns, folds) = outs.split_at_mut(scan.columns.len());
    let framed = &scan.carried[columns.len()..];
    let mut frame_columns = FrameColumns::new(&shared.pool, framed, run.rows)?;
    let mut written: SmallVec<[ColumnWriter<'_>; 4]> = columns.iter_mut().map(ColumnWriter::reborrow).collect();
    for (frame_column, column) in frame_columns.columns.iter_mut().zip(framed) {
        let validity = Some(&mut frame_column.validity[..]);
        written.push(ColumnWriter::new(
            &mut frame_column.values,
            BoolLayout::Bytes,
            validity,
            column.encoder.ty,
            run.rows,
        )?);
    }
    let unframed = folds.iter_mut().zip(&scan.running).filter(|(_, one)| one.frame == Frame::Unbounded);
    written.extend(unframed.map(|(out, _)| out.reborrow()));
    let (outcome, overflowed) = run_pass(shared, run, scan, written)?;
    if run.is_void() {
        return Ok(outcome);
    }
    let framed = frames(scan, outcome.rows, &frame_columns.columns, folds).err();
    // The fold with the smallest number is reported.
    let fault = overflowed.into_iter().chain(framed).min().map(FaultLocation::Fold);
    Ok(Outcome { fault, ..outcome })
}

/// Writes the columns and the unframed folds; also returns the number of a fold that overflowed.
fn run_pass(
    shared: &CpuShared,
    run: &Execution<'_>,
    scan: &ScanProgram,
    outs: SmallVec<[ColumnWriter<'_>; 4]>,
) -> DeviceResult<(Outcome, Option<usize>)> {
    let morsel = run.morsel_rows.min(PIECE_ROWS);
    let morsels = run.rows.div_ceil(morsel);
    let bools: SmallVec<[BoolLayout; 4]> = outs.iter().map(ColumnWriter::bools).collect();
    let overflowed = OverflowedFold::new();
    // The first thread gets this memory; other threads help if there is memory for them too.
    let ready = Mutex::new(Some(ScannedMorsel::new(&shared.pool, scan, &bools, morsel)?));
    let folds = scan.identity.len();
    let nodes = run.program.merged.take(|| [Nodes::new(folds), Nodes::new(folds)]);
    let commits = OrderedCommit::new(morsels, ScannedOutput::new(outs.into_iter(), nodes));
    // A launch of one morsel stays on its thread, but is computed in pieces too.
    on_threads(shared, run, run.rows.div_ceil(run.morsel_rows), |frame: &mut BlockFrame| {
        let first = ready.lock().take();
        let Some(mut staged) = first.or_else(|| ScannedMorsel::new(&shared.pool, scan, &bools, morsel).ok()) else {
            return;
        };
        while run.should_continue()
            && let Some(ticket) = commits.claim()
        {
            let start = ticket.number() * morsel;
            let end = run.rows.min(start + morsel);
            staged.morsel(run, frame, scan, start..end, ticket, &overflowed);
            run.rows_done(end - start);
        }
    });
    let written = commits.into_state();
    let rows = written.rows();
    run.program.merged.put(written.into_nodes());
    Ok((Outcome { rows, ..Outcome::default() }, overflowed.fold()))
}

/// Finishes the framed folds; the error is the number of the first that overflowed.
fn frames(
    scan: &ScanProgram,
    rows: usize,
    frame_column: &[FrameColumn],
    outs: &mut [ColumnWriter<'_>],
) -> Result<(), usize> {
    let starts = frame_column.last().filter(|_| scan.segment.is_some());
    let mut frame_column = frame_column.iter();
    for (number, (one, out)) in scan.running.iter().zip(outs).enumerate() {
        let Frame::Preceding(preceding) = one.frame else { continue };
        let values = one.kept().and_then(|_| frame_column.next());
        frames::finish(one, preceding, rows, values, starts, out).map_err(|_| number)?;
    }
    Ok(())
}
