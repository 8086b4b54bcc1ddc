//! `Compact`: writes the selected rows contiguously, in order.
//!
//! A thread selects a morsel into memory of its own. When the earlier morsels are committed, the position of its rows
//! is known, and they are copied there while they are in the caches. A launch of one morsel is written in place.

use super::block::gather;
use super::frame::BlockFrame;
use super::launch::Execution;
use super::ordered_commit::CommitTicket;
use super::output::{AppendColumn, BlockValues, ColumnWriter, ColumnWriters};
use super::program::Slot;
use super::sink::SinkColumn;
use crate::DeviceResult;
use crate::host::{BoolLayout, HostBuffer};
use crate::host_pool::HostPool;
use crate::streaming_copy;
use smallvec::SmallVec;
use std::ops::Range;

/// Writes the selected rows of a range and returns how many there are. Stops early if a row faults.
pub(super) fn morsel(
    run: &Execution<'_>,
    frame: &mut BlockFrame,
    columns: &[SinkColumn],
    rows: Range<usize>,
    outs: &mut [ColumnWriter<'_>],
) -> usize {
    if let Some(code) = &run.program.jit_code {
        return super::jit::compact(run, code, frame, columns, rows, outs);
    }
    let mut written = 0;
    for (start, n) in super::launch::blocks(rows) {
        if !run.block(frame, start, n) {
            break;
        }
        let selected = select(frame, run.program.mask, n);
        for (column, out) in columns.iter().zip(&mut *outs) {
            put(run, frame, column, n, selected, out);
        }
        written += selected;
    }
    written
}

/// Finds the selected rows of the current block and returns how many there are.
pub(super) fn select(frame: &mut BlockFrame, mask: Option<Slot>, n: usize) -> usize {
    match mask {
        Some(mask) => gather::positions(frame.block.flags(mask), &mut frame.sink.positions),
        None => {
            for (row, position) in frame.sink.positions[..n].iter_mut().enumerate() {
                *position = row as u16;
            }
            n
        }
    }
}

/// Appends the selected rows of a column.
pub(super) fn put(
    run: &Execution<'_>,
    frame: &mut BlockFrame,
    column: &SinkColumn,
    n: usize,
    selected: usize,
    out: &mut ColumnWriter<'_>,
) {
    let data = frame.block.get(&run.inputs, column.value.data);
    let valid = column.value.valid.map(|valid| frame.block.get(&run.inputs, valid));
    let positions = &frame.sink.positions[..selected];
    out.put_selected(&column.encoder, BlockValues { data, valid, n }, positions, &mut frame.sink.spare);
}

/// The output that threads append to in order: the columns of the result.
pub(super) struct CompactedOutput<'a> {
    columns: SmallVec<[AppendColumn<'a>; 4]>,
    rows: usize,
}

impl<'a> CompactedOutput<'a> {
    /// An empty output.
    pub(super) fn new(outs: &'a mut [ColumnWriter<'_>]) -> CompactedOutput<'a> {
        CompactedOutput { columns: outs.iter_mut().map(|out| AppendColumn::new(out.reborrow())).collect(), rows: 0 }
    }

    /// The number of rows written.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }
}

/// The selected rows of one morsel, in memory that stays in the thread's caches until their position is known.
pub(super) struct CompactedMorsel<'p> {
    pool: &'p HostPool,
    /// Values and bitmap of each column.
    columns: SmallVec<[[HostBuffer; 2]; 4]>,
    bools: SmallVec<[BoolLayout; 4]>,
    rows: usize,
}

impl<'p> CompactedMorsel<'p> {
    /// Allocates the columns of a morsel of `rows` rows, with bools laid out as in the outputs.
    pub(super) fn new(
        pool: &'p HostPool,
        columns: &[SinkColumn],
        bools: &[BoolLayout],
        rows: usize,
    ) -> DeviceResult<CompactedMorsel<'p>> {
        let mut staged = CompactedMorsel { pool, columns: SmallVec::new(), bools: bools.into(), rows };
        for column in columns {
            let values = pool.take(rows.saturating_mul(column.encoder.width()))?;
            staged.columns.push([values, HostBuffer::default()]);
            if column.value.ty.nullable
                && let Some([_, validity]) = staged.columns.last_mut()
            {
                *validity = pool.take(rows.div_ceil(8))?;
            }
        }
        Ok(staged)
    }

    /// Selects the rows of a morsel and commits them in order.
    pub(super) fn morsel(
        &mut self,
        run: &Execution<'_>,
        frame: &mut BlockFrame,
        columns: &[SinkColumn],
        rows: Range<usize>,
        ticket: CommitTicket<'_, CompactedOutput<'_>>,
    ) {
        let mut outs = ColumnWriters::new();
        for ((column, [values, validity]), bools) in columns.iter().zip(&mut self.columns).zip(&self.bools) {
            let out = ColumnWriter::new(values, *bools, Some(validity), column.value.ty, self.rows);
            outs.push(out.expect("there is room for a morsel"));
        }
        let n = morsel(run, frame, columns, rows, &mut outs);
        drop(outs);
        let places = ticket.commit(|written| {
            written.rows += n;
            let pairs = written.columns.iter_mut().zip(&self.columns);
            pairs.map(|(rest, [values, validity])| rest.take(values, validity, n)).collect::<SmallVec<[&mut [u8]; 4]>>()
        });
        for (place, [values, _]) in places.into_iter().flatten().zip(&self.columns) {
            streaming_copy::copy(&values[..place.len()], place, run.streams);
        }
    }
}

impl Drop for CompactedMorsel<'_> {
    fn drop(&mut self) {
        self.columns.drain(..).flatten().for_each(|buffer| self.pool.give(buffer));
    }
}

/// Moves parts of the output together. Each part has a first row and a number of rows; returns the total.
pub(super) fn close_gaps(outs: &mut [ColumnWriter<'_>], parts: impl Iterator<Item = (usize, usize)> + Clone) -> usize {
    for out in &mut *outs {
        for (start, rows) in parts.clone() {
            out.move_down(start, rows);
        }
    }
    parts.map(|(_, rows)| rows).sum()
}
