//! `Store`: writes every row at its position; an unselected row is null.

use super::frame::BlockFrame;
use super::launch::Execution;
use super::output::ColumnWriter;
use super::sink::SinkColumn;
use std::ops::Range;

/// Writes a range of rows; stops early if one faults.
pub(super) fn morsel(
    run: &Execution<'_>,
    frame: &mut BlockFrame,
    columns: &[SinkColumn],
    rows: Range<usize>,
    outs: &mut [ColumnWriter<'_>],
) {
    if let Some(code) = &run.program.jit_code {
        return super::jit::store(run, code, frame, columns, rows, outs);
    }
    for (start, n) in super::launch::blocks(rows) {
        if !run.block(frame, start, n) {
            return;
        }
        for (column, out) in columns.iter().zip(&mut *outs) {
            let data = frame.block.get(&run.inputs, column.value.data);
            let valid = column.value.valid.map(|valid| frame.block.get(&run.inputs, valid));
            out.put(&column.encoder, data, valid, n, frame.sink.spare.encoder());
        }
    }
}
