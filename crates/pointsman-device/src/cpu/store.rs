//! `Store`: every row is written where it lies; an unselected row is null.

use super::frame::Frame;
use super::launch::Run;
use super::output::Out;
use super::sink::Column;
use std::ops::Range;

/// Writes these rows; stops early where one faults.
pub(super) fn morsel(run: &Run<'_>, frame: &mut Frame, columns: &[Column], rows: Range<usize>, outs: &mut [Out<'_>]) {
    if let Some(code) = &run.program.emitted {
        return super::emitted::store(run, code, frame, columns, rows, outs);
    }
    for (start, n) in super::launch::blocks(rows) {
        if !run.block(frame, start, n) {
            return;
        }
        for (column, out) in columns.iter().zip(&mut *outs) {
            let data = frame.block.get(&run.inputs, column.value.data);
            let valid = column.value.valid.map(|valid| frame.block.get(&run.inputs, valid));
            out.put(&column.leaving, data, valid, n, frame.sink.spare.leaving());
        }
    }
}
