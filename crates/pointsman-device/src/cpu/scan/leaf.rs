//! One leaf of a scan: computes the sink's operands, one element per source row, and the prefixes of its folds.
//!
//! Machine code writes the operands to these buffers directly; the slots of a block program are copied here, block by
//! block. Whether a row is selected, starts a segment or has a value is one byte each.

use super::super::block::{bitmap, bytes, gather, view_mut};
use super::super::frame::{BlockFrame, BlockSlots};
use super::super::jit;
use super::super::launch::{Execution, blocks};
use super::super::nodes::Acc;
use super::super::output::{BlockValues, ColumnWriter, OutputEncoder, OutputScratch};
use super::prefix::{FoldOperand, LeafTotal};
use super::{LeafSummary, RunningProgram, ScanProgram};
use crate::host::HostBuffer;
use pointsman_ir::kernel::{LEAF_ROWS, SCAN_RADIX};
use pointsman_ir::types::Repr;
use std::ops::Range;

/// A column of the leaf, or the input of a fold.
pub(in crate::cpu) struct Operand {
    pub(in crate::cpu) repr: Repr,
    /// The values, bools as bytes; rows that an unframed sum skips hold the identity (−0.0, or 0).
    pub(in crate::cpu) values: HostBuffer,
    /// The rows that have a value; unused for unframed sums and columns without nulls.
    pub(in crate::cpu) flags: HostBuffer,
    /// The values in 64 bits, for sums of narrower integers.
    pub(super) widened: HostBuffer,
}

/// The current leaf, and the summaries of the earlier leaves of the morsel.
pub(in crate::cpu) struct ScanState {
    pub(super) selected: HostBuffer,
    pub(super) starts: HostBuffer,
    pub(super) columns: Vec<Operand>,
    pub(super) folds: Vec<Operand>,
    /// Prefixes of each fold, and which rows have one.
    pub(super) prefixes: Vec<[HostBuffer; 2]>,
    /// Compacted rows: values and bytes.
    pub(super) compacted: [HostBuffer; 2],
    /// Scratch memory for a column that no operand holds.
    pub(super) made: HostBuffer,
    /// The leaves of the morsel.
    pub(super) ends: Vec<LeafSummary>,
    /// Their totals, one entry per unframed fold.
    pub(super) totals: Vec<LeafTotal>,
    /// The carry into each of them.
    pub(super) carries: Vec<Acc>,
}

fn bytes_of(width: usize) -> HostBuffer {
    HostBuffer::zeroed(width * LEAF_ROWS)
}

impl Operand {
    fn new(repr: Repr, values: bool, flags: bool) -> Operand {
        let room = |wanted: bool, width: usize| if wanted { bytes_of(width) } else { HostBuffer::default() };
        Operand { repr, values: room(values, repr.bytes()), flags: room(flags, 1), widened: HostBuffer::default() }
    }

    /// Unpacks the bits that code wrote: bools, and which rows have a value.
    fn unpack(&mut self, bits: &[HostBuffer; 2], n: usize) {
        if self.repr == Repr::Bool && !self.values.is_empty() {
            bitmap::unpack(&bits[0], 0, &mut self.values[..n]);
        }
        if !self.flags.is_empty() {
            bitmap::unpack(&bits[1], 0, &mut self.flags[..n]);
        }
    }

    /// Copies the values and flags of a block.
    fn take_in(&mut self, values: Option<&[u8]>, flags: Option<&[u8]>, at: usize, n: usize) {
        let width = self.repr.bytes();
        if let Some(values) = values {
            self.values[at * width..(at + n) * width].copy_from_slice(&values[..n * width]);
        }
        if !self.flags.is_empty() {
            match flags {
                Some(flags) => self.flags[at..at + n].copy_from_slice(&flags[..n]),
                None => self.flags[at..at + n].fill(1),
            }
        }
    }

    /// The input of a fold: these values, none of which is null, or its own.
    pub(super) fn values<'a>(&'a mut self, in_place: Option<&'a [u8]>) -> FoldOperand<'a> {
        let Operand { values, flags, widened, .. } = self;
        match in_place {
            Some(values) => FoldOperand { values, flags: &[], widened },
            None => FoldOperand { values, flags, widened },
        }
    }

    /// Writes the identity after the last row, up to the end of its group.
    fn pad(&mut self, n: usize) {
        let end = n.next_multiple_of(SCAN_RADIX);
        self.skip(&[0; SCAN_RADIX][..end - n], n, end - n);
    }

    /// Writes the identity to the rows that a sum skips.
    fn skip(&mut self, present: &[u8], at: usize, n: usize) {
        match self.repr {
            Repr::F32 => self.keep(present, at, n, -0.0f32),
            Repr::F64 => self.keep(present, at, n, -0.0f64),
            Repr::Bool | Repr::I8 | Repr::U8 => self.keep(present, at, n, 0u8),
            Repr::I16 | Repr::U16 => self.keep(present, at, n, 0u16),
            Repr::I32 | Repr::U32 => self.keep(present, at, n, 0u32),
            Repr::I64 | Repr::U64 => self.keep(present, at, n, 0u64),
            Repr::I128 => self.keep(present, at, n, 0u128),
        }
    }

    fn keep<T: bytemuck::Pod>(&mut self, present: &[u8], at: usize, n: usize, identity: T) {
        let values = &mut view_mut::<T>(&mut self.values, at + n)[at..];
        for (value, &present) in values.iter_mut().zip(present) {
            *value = if present != 0 { *value } else { identity };
        }
    }
}

impl ScanState {
    /// Allocates the state of a leaf.
    pub(in crate::cpu) fn new(scan: &ScanProgram) -> ScanState {
        let fold = |one: &RunningProgram| {
            let mut operand = Operand::new(one.fold.repr(), one.takes_values(), !one.is_whole_sum());
            if one.is_whole_sum() && operand.repr.bytes() < 8 {
                operand.widened = bytes_of(8);
            }
            operand
        };
        ScanState {
            selected: bytes_of(1),
            starts: bytes_of(1),
            columns: scan
                .columns
                .iter()
                .map(|one| Operand::new(one.value.ty.dtype.repr(), true, one.value.ty.nullable))
                .collect(),
            folds: scan.running.iter().map(fold).collect(),
            prefixes: scan.running.iter().map(|one| [bytes_of(one.prefix_width()), bytes_of(1)]).collect(),
            compacted: [bytes_of(Repr::I128.bytes()), bytes_of(1)],
            made: bytes_of(Repr::I128.bytes()),
            ends: Vec::new(),
            totals: Vec::new(),
            carries: Vec::new(),
        }
    }

    /// The buffers that code writes: the operands of columns, then of folds.
    pub(in crate::cpu) fn operands(&mut self) -> impl Iterator<Item = &mut Operand> {
        self.columns.iter_mut().chain(&mut self.folds)
    }

    /// Unpacks the bits that code wrote: one entry per operand and one for the rows.
    pub(in crate::cpu) fn unpack(&mut self, scan: &ScanProgram, bits: &[[HostBuffer; 2]], n: usize) {
        for (operand, bits) in self.operands().zip(bits) {
            operand.unpack(bits, n);
        }
        let Some([selected, starts]) = bits.last() else { return };
        if scan.mask.is_some() {
            bitmap::unpack(selected, 0, &mut self.selected[..n]);
        }
        if scan.segment.is_some() {
            bitmap::unpack(starts, 0, &mut self.starts[..n]);
        }
    }

    /// Copies the current block, which starts at row `at` of the leaf.
    fn take_in(&mut self, run: &Execution<'_>, block: &BlockSlots, scan: &ScanProgram, at: usize, n: usize) {
        let flags = |dst: &mut [u8], slot| {
            if let Some(slot) = slot {
                dst[at..at + n].copy_from_slice(block.flags(slot));
            }
        };
        flags(&mut self.selected, scan.mask);
        flags(&mut self.starts, scan.segment);
        for (column, operand) in scan.columns.iter().zip(&mut self.columns) {
            let valid = column.value.valid.map(|valid| block.get(&run.inputs, valid));
            operand.take_in(Some(block.get(&run.inputs, column.value.data)), valid, at, n);
        }
        for (one, operand) in scan.running.iter().zip(&mut self.folds) {
            let present = one.fold.present.map(|slot| block.flags(slot));
            let values = one.fold.value.filter(|_| one.takes_values()).map(|value| block.get(&run.inputs, value.data));
            operand.take_in(values, present, at, n);
            if let (true, Some(present)) = (one.is_whole_sum(), present) {
                operand.skip(present, at, n);
            }
        }
    }

    /// Computes the prefixes of an unframed fold over the leaf's `n` rows, in the fold's own buffer.
    pub(super) fn prefixes(&mut self, scan: &ScanProgram, number: usize, n: usize) -> LeafTotal {
        let ScanState { folds, prefixes, starts, .. } = self;
        let [dst, valid] = &mut prefixes[number];
        scan.fold(number, scan.segment.map(|_| &starts[..n]), n).prefixes(folds[number].values(None), dst, valid)
    }

    /// The summary of a leaf of `n` rows; writes the positions of the selected rows.
    pub(super) fn end(&self, scan: &ScanProgram, leaf: u64, n: usize, positions: &mut [u16]) -> LeafSummary {
        let starts = scan.segment.map_or(&[][..], |_| &self.starts[..n]);
        let first = starts.iter().position(|&start| start != 0);
        let before = first.unwrap_or(n);
        if scan.mask.is_none() {
            return LeafSummary { leaf, rows: n, reached: before, starts: first.is_some() };
        }
        let rows = gather::positions(&self.selected[..n], positions);
        LeafSummary { leaf, rows, reached: bytes::count(&self.selected[..before]), starts: first.is_some() }
    }
}

/// Computes the operands of a leaf; false if a row faults, or if an earlier row is known to fault.
pub(super) fn fill(run: &Execution<'_>, frame: &mut BlockFrame, scan: &ScanProgram, rows: Range<usize>) -> bool {
    if let Some(code) = &run.program.jit_code {
        if !jit::fill(run, code, frame, scan, rows.clone()) {
            return false;
        }
    } else {
        for (start, n) in blocks(rows.clone()) {
            if !run.block(frame, start, n) {
                return false;
            }
            let Some(state) = &mut frame.sink.scan else { return false };
            state.take_in(run, &frame.block, scan, start - rows.start, n);
        }
    }
    let Some(state) = &mut frame.sink.scan else { return false };
    let sums = scan.running.iter().zip(&mut state.folds).filter(|(one, _)| one.is_whole_sum());
    sums.for_each(|(_, operand)| operand.pad(rows.len()));
    true
}

/// The values of a fold in the launch's own memory, if it folds a column that can be read in place, in whole groups.
pub(super) fn in_place<'r>(
    run: &'r Execution<'_>,
    scan: &ScanProgram,
    number: usize,
    rows: &Range<usize>,
) -> Option<&'r [u8]> {
    let column = scan.plain.get(number).copied().filter(|_| rows.len().is_multiple_of(SCAN_RADIX))?;
    let dtype = scan.running[number].fold.value?.ty.dtype;
    run.inputs.place(column, dtype, rows.start, rows.len()).map(|place| run.inputs.bytes(place))
}

/// Appends the rows at these positions, or all of them.
pub(super) fn put(
    out: &mut ColumnWriter<'_>,
    encoder: &OutputEncoder,
    rows: BlockValues<'_>,
    positions: Option<&[u16]>,
    [data, valid]: &mut [HostBuffer; 2],
    spare: &mut OutputScratch,
) {
    let width = encoder.width();
    let Some(positions) = positions else {
        return put_blocks(out, encoder, rows, spare);
    };
    gather::compact(width, &rows.data[..rows.n * width], positions, data);
    if let Some(flags) = rows.valid {
        gather::compact(1, &flags[..rows.n], positions, valid);
    }
    let valid = rows.valid.map(|_| &valid[..]);
    put_blocks(out, encoder, BlockValues { data, valid, n: positions.len() }, spare);
}

fn put_blocks(out: &mut ColumnWriter<'_>, encoder: &OutputEncoder, rows: BlockValues<'_>, spare: &mut OutputScratch) {
    for (at, n) in blocks(0..rows.n) {
        let valid = rows.valid.map(|valid| &valid[at..]);
        out.put(encoder, &rows.data[at * encoder.width()..], valid, n, spare.encoder());
    }
}
