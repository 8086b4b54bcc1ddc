//! The calls of machine code for each sink: where the rows go, and how many rows a call may cover.

use super::super::frame::BlockFrame;
use super::super::launch::Execution;
use super::super::output::ColumnWriter;
use super::super::scan::ScanProgram;
use super::super::sink::SinkColumn;
use super::{JitCode, JitFrame, address_mut};
use crate::streaming_copy;
use pointsman_ir::render::x86::{Layout, RUN_ROWS};
use pointsman_ir::types::{DType, Repr};
use std::ops::Range;

/// The number of bytes of the next leaf that are prefetched while a leaf is finished.
const AHEAD_BYTES: usize = 512;
/// A cache line, and a vector: the alignment of the outputs of a streaming call.
const LINE_BYTES: usize = 64;

/// Splits a range into calls: whole leaves except for the last.
fn calls(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(RUN_ROWS).map(move |start| start..end.min(start + RUN_ROWS))
}

/// The number of rows before the first one at which all outputs are aligned to cache lines. 0 if there is no such row,
/// or if an output is bits, which start at a byte.
fn ragged(columns: &[SinkColumn], outs: &mut [ColumnWriter<'_>]) -> usize {
    let is_bits =
        |(column, out): (&SinkColumn, &ColumnWriter<'_>)| column.value.ty.dtype == DType::Bool || out.is_nullable();
    if columns.iter().zip(&*outs).any(is_bits) {
        return 0;
    }
    let mut is_whole = |rows: usize| {
        let offset = |(column, out): (&SinkColumn, &mut ColumnWriter<'_>)| {
            address_mut(out.next_values()) as usize + rows * column.encoder.width()
        };
        columns.iter().zip(&mut *outs).map(offset).all(|offset| offset.is_multiple_of(LINE_BYTES))
    };
    (0..LINE_BYTES).find(|&rows| is_whole(rows)).unwrap_or(0)
}

/// Points the block at the next rows of the outputs; returns whether the code may use non-temporal stores.
fn point_outputs(frame: &mut JitFrame, layout: &Layout, columns: &[SinkColumn], outs: &mut [ColumnWriter<'_>]) -> bool {
    let mut whole = true;
    for (number, (column, out)) in columns.iter().zip(outs).enumerate() {
        let [bits, _] = &mut frame.outputs[number];
        let values = if column.value.ty.dtype == DType::Bool {
            out.next_bools().map_or_else(|| address_mut(bits), address_mut)
        } else {
            let values = address_mut(out.next_values());
            whole &= values.is_multiple_of(LINE_BYTES as u64);
            values
        };
        frame.block[layout.output_values(number)] = values;
        frame.block[layout.output_validity(number)] = out.next_validity().map_or(0, address_mut);
    }
    whole
}

/// `Store`: writes a range of rows; stops early if one faults.
pub(in crate::cpu) fn store(
    run: &Execution<'_>,
    code: &JitCode,
    frame: &mut BlockFrame,
    columns: &[SinkColumn],
    rows: Range<usize>,
    outs: &mut [ColumnWriter<'_>],
) {
    let Some(frame) = &mut frame.jit else { return };
    let is_copied =
        |(c, out): (&SinkColumn, &mut ColumnWriter<'_>)| c.value.ty.dtype == DType::Bool && out.next_bools().is_none();
    let mut start = rows.start;
    let mut first = if rows.len() > RUN_ROWS { ragged(columns, outs) } else { 0 };
    while start < rows.end {
        let copies = columns.iter().zip(&mut *outs).any(is_copied);
        let most = if copies { RUN_ROWS } else { code.call_rows };
        let most = if first > 0 { std::mem::take(&mut first) } else { most };
        let n = JitFrame::reach(run.program, &run.inputs, start..rows.end.min(start + most));
        let whole = point_outputs(frame, &code.code.layout, columns, outs);
        frame.block[Layout::STREAM] = (run.streams && whole).into();
        if !frame.call(run, code, start..start + n) {
            return;
        }
        for (number, (column, out)) in columns.iter().zip(&mut *outs).enumerate() {
            if is_copied((column, out)) {
                out.put_bools(&frame.outputs[number][0], n);
            }
            out.advance(n);
        }
        start += n;
    }
}

/// `Compact`: writes the selected rows of a range and returns how many there are. Stops early if one faults.
pub(in crate::cpu) fn compact(
    run: &Execution<'_>,
    code: &JitCode,
    frame: &mut BlockFrame,
    columns: &[SinkColumn],
    rows: Range<usize>,
    outs: &mut [ColumnWriter<'_>],
) -> usize {
    let Some(frame) = &mut frame.jit else { return 0 };
    let layout = &code.code.layout;
    let mut written = 0;
    for rows in calls(rows) {
        for (number, (column, out)) in columns.iter().zip(&mut *outs).enumerate() {
            let [bits, validity] = &mut frame.outputs[number];
            let is_truth = column.value.ty.dtype == DType::Bool;
            if is_truth {
                bits.fill(0);
            }
            if out.is_nullable() {
                validity.fill(0);
            }
            frame.block[layout.output_values(number)] =
                if is_truth { address_mut(bits) } else { address_mut(out.next_values()) };
            frame.block[layout.output_validity(number)] = address_mut(validity);
        }
        if !frame.call(run, code, rows) {
            break;
        }
        let n = frame.block[Layout::WRITTEN] as usize;
        for ((column, out), [bits, validity]) in columns.iter().zip(&mut *outs).zip(&frame.outputs) {
            if column.value.ty.dtype == DType::Bool {
                out.put_bools(bits, n);
            }
            out.put_validity(validity, n);
            out.advance(n);
        }
        written += n;
    }
    written
}

/// Prefetches the columns from this row on.
fn read_ahead(run: &Execution<'_>, row: usize) {
    for load in &run.program.loads {
        if let Some((piece, row)) = run.inputs.piece(load.column, row, 1)
            && load.value.ty.dtype != DType::Bool
        {
            let bytes = piece.values.get(row * load.value.ty.dtype.repr().bytes()..).unwrap_or(&[]);
            streaming_copy::prefetch(&bytes[..bytes.len().min(AHEAD_BYTES)]);
        }
    }
}

/// `Reduce`: folds a leaf into the first lanes of the frame's folds; false if a row faults.
pub(in crate::cpu) fn leaf(run: &Execution<'_>, code: &JitCode, frame: &mut BlockFrame, rows: Range<usize>) -> bool {
    let Some(jit) = &mut frame.jit else { return false };
    let layout = &code.code.layout;
    for (number, state) in frame.sink.folds.iter_mut().enumerate() {
        jit.block[layout.fold_lanes(number)] = address_mut(state.lanes());
        jit.block[layout.fold_seen(number)] = 0;
    }
    let end = rows.end;
    let sound = jit.call(run, code, rows);
    read_ahead(run, end);
    for (number, state) in frame.sink.folds.iter_mut().enumerate() {
        state.set_seen(jit.block[layout.fold_seen(number)]);
    }
    sound
}

/// `Scan`: writes the operands of a leaf to the scan state of the frame; false if a row faults.
pub(in crate::cpu) fn fill(
    run: &Execution<'_>,
    code: &JitCode,
    frame: &mut BlockFrame,
    scan: &ScanProgram,
    rows: Range<usize>,
) -> bool {
    let (Some(jit), Some(state)) = (&mut frame.jit, &mut frame.sink.scan) else { return false };
    let (layout, n) = (&code.code.layout, rows.len());
    for (number, [truths, bits]) in jit.outputs.iter_mut().enumerate() {
        jit.block[layout.output_values(number)] = address_mut(truths);
        jit.block[layout.output_validity(number)] = address_mut(bits);
    }
    for (number, operand) in state.operands().enumerate() {
        if operand.repr != Repr::Bool {
            jit.block[layout.output_values(number)] = address_mut(&mut operand.values);
        }
    }
    let sound = jit.call(run, code, rows);
    if sound {
        state.unpack(scan, &jit.outputs, n);
    }
    sound
}
