//! One leaf of a scan: in go source rows, out come the sink's operands, a place a row, and the prefixes of its folds.
//!
//! Machine code leaves the operands in these blocks at once; a block program's slots are copied here, a block after the
//! other. Which rows are selected, start a segment or have a value is a byte each.

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

/// A column of the leaf, or what a fold takes in.
pub(in crate::cpu) struct Operand {
    pub(in crate::cpu) repr: Repr,
    /// Its values, truth values as bytes; nothing (−0.0, or 0) in rows that an unframed sum skips.
    pub(in crate::cpu) values: HostBuffer,
    /// Which rows have a value; not for unframed sums and columns without nulls.
    pub(in crate::cpu) flags: HostBuffer,
    /// The values in 64 bits, for sums of narrower integers.
    pub(super) widened: HostBuffer,
}

/// The leaf under way, and what is known of those before it in the morsel.
pub(in crate::cpu) struct ScanState {
    pub(super) selected: HostBuffer,
    pub(super) starts: HostBuffer,
    pub(super) columns: Vec<Operand>,
    pub(super) folds: Vec<Operand>,
    /// Prefixes of each fold, and which rows have one.
    pub(super) prefixes: Vec<[HostBuffer; 2]>,
    /// Selected rows on their way out: values and bytes.
    pub(super) compacted: [HostBuffer; 2],
    /// A column that no operand holds.
    pub(super) made: HostBuffer,
    /// ScannedLeaves of the morsel.
    pub(super) ends: Vec<LeafSummary>,
    /// Their totals, an entry an unframed fold.
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

    /// Takes in code's bits: truth values, and which rows have a value.
    fn unpack(&mut self, bits: &[HostBuffer; 2], n: usize) {
        if self.repr == Repr::Bool && !self.values.is_empty() {
            bitmap::unpack(&bits[0], 0, &mut self.values[..n]);
        }
        if !self.flags.is_empty() {
            bitmap::unpack(&bits[1], 0, &mut self.flags[..n]);
        }
    }

    /// Takes in a block's values and bytes.
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

    /// What a fold takes in: these values, all of which are there, or its own.
    pub(super) fn values<'a>(&'a mut self, in_place: Option<&'a [u8]>) -> FoldOperand<'a> {
        let Operand { values, flags, widened, .. } = self;
        match in_place {
            Some(values) => FoldOperand { values, flags: &[], widened },
            None => FoldOperand { values, flags, widened },
        }
    }

    /// Puts nothing behind the last row, up to the end of its group.
    fn pad(&mut self, n: usize) {
        let end = n.next_multiple_of(SCAN_RADIX);
        self.skip(&[0; SCAN_RADIX][..end - n], n, end - n);
    }

    /// Puts nothing in the rows that a sum skips.
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
    /// Room for a leaf.
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

    /// Where code leaves an operand: the columns' come first, then the folds'.
    pub(in crate::cpu) fn operands(&mut self) -> impl Iterator<Item = &mut Operand> {
        self.columns.iter_mut().chain(&mut self.folds)
    }

    /// Takes in the bits that code left, an entry an operand and one for the rows.
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

    /// Takes in the current block, which starts at this row of the leaf.
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

    /// The prefixes of an unframed fold over the leaf's `n` rows, in the fold's own block.
    pub(super) fn prefixes(&mut self, scan: &ScanProgram, number: usize, n: usize) -> LeafTotal {
        let ScanState { folds, prefixes, starts, .. } = self;
        let [dst, known] = &mut prefixes[number];
        scan.fold(number, scan.segment.map(|_| &starts[..n]), n).prefixes(folds[number].values(None), dst, known)
    }

    /// What is known of a leaf of `n` rows, and which of them are selected, as positions.
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

/// Computes the operands of a leaf; false if a row faults, or an earlier one is known to.
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

/// The values of a fold as the launch has them, if it takes in a column that lies well, in whole groups.
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
