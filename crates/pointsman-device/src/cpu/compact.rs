//! `Compact`: the selected rows are written side by side, in order.
//!
//! Every morsel fills its part of the output from the front; then the parts are pulled together. With one morsel nothing
//! moves.

use super::block::gather;
use super::frame::Frame;
use super::launch::Run;
use super::output::{Out, Source};
use super::program::Slot;
use super::sink::Column;
use std::ops::Range;

/// Writes the selected ones of these rows; how many. Stops early where a row faults.
pub(super) fn morsel(
    run: &Run<'_>,
    frame: &mut Frame,
    columns: &[Column],
    rows: Range<usize>,
    outs: &mut [Out<'_>],
) -> usize {
    if let Some(code) = &run.program.emitted {
        return super::emitted::compact(run, code, frame, columns, rows, outs);
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

/// Finds the selected rows of the current block; how many.
pub(super) fn select(frame: &mut Frame, mask: Option<Slot>, n: usize) -> usize {
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
pub(super) fn put(run: &Run<'_>, frame: &mut Frame, column: &Column, n: usize, selected: usize, out: &mut Out<'_>) {
    let data = frame.block.get(&run.inputs, column.value.data);
    let valid = column.value.valid.map(|valid| frame.block.get(&run.inputs, valid));
    let positions = &frame.sink.positions[..selected];
    out.put_some(&column.leaving, Source { data, valid, n }, positions, &mut frame.sink.spare);
}

/// Pulls the parts together: each starts at a row and has so many rows.
pub(super) fn pull_together(outs: &mut [Out<'_>], parts: impl Iterator<Item = (usize, usize)> + Clone) -> usize {
    for out in &mut *outs {
        for (start, rows) in parts.clone() {
            out.pull(start, rows);
        }
    }
    parts.map(|(_, rows)| rows).sum()
}
