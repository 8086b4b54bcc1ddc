//! A morsel's prefixes: in go its leaves, one after the other, out come its finished folds once the carries are known.

use super::super::block::{BLOCK_ROWS, bitmap, gather};
use super::super::launch::Run;
use super::super::nodes::OutOfRange;
use super::ScanProgram;
use super::finish::{LeafFinish, Rows};
use super::leaf::{self, ScanState};
use crate::DeviceResult;
use crate::host::HostBuffer;
use crate::host_pool::HostPool;
use crate::past_caches;
use pointsman_ir::kernel::SCAN_RADIX;
use smallvec::SmallVec;
use std::ops::Range;

/// The prefixes of a morsel's selected rows.
#[derive(Default)]
pub(super) struct Locals {
    /// Prefixes of each unframed fold, and which rows have one (min and max).
    folds: SmallVec<[[HostBuffer; 2]; 4]>,
    /// Rows that start a segment.
    starts: HostBuffer,
    /// Bits of a fold: truth values and bitmap.
    pub(super) bits: [HostBuffer; 2],
}

/// Where a fold's results go.
pub(super) enum Place<'a> {
    /// Into memory, past the caches or not.
    Values(&'a mut [u8], bool),
    /// Truth values into the bits of the morsel.
    Bits,
}

impl Locals {
    /// Takes memory for a morsel of this many rows.
    pub(super) fn take_memory(&mut self, pool: &HostPool, scan: &ScanProgram, rows: usize) -> DeviceResult<()> {
        for one in scan.unframed().map(|number| &scan.running[number]) {
            let places = rows.next_multiple_of(SCAN_RADIX);
            self.folds.push([pool.take(places * one.local_width())?, HostBuffer::default()]);
            if let (true, Some([_, known])) = (one.output.nullable, self.folds.last_mut()) {
                *known = pool.take(rows)?;
            }
        }
        if self.folds.iter().any(|[_, known]| !known.is_empty()) {
            self.bits[0] = pool.take(rows.div_ceil(8))?;
            self.bits[1] = pool.take(rows.div_ceil(8))?;
        }
        if scan.segment.is_some() {
            self.starts = pool.take(rows)?;
        }
        Ok(())
    }

    /// All its memory, to be given back.
    pub(super) fn buffers(&mut self) -> impl Iterator<Item = HostBuffer> {
        let Locals { folds, starts, bits } = std::mem::take(self);
        folds.into_iter().flatten().chain(bits).chain([starts]).filter(|buffer| !buffer.is_empty())
    }

    /// Takes in the leaf under way, of `n` rows: its selected ones go behind those written before.
    pub(super) fn leaf(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        (written, n): (usize, usize),
        positions: Option<&[u16]>,
    ) {
        if scan.segment.is_some() {
            pick(1, &state.starts[..n], positions, &mut self.starts[written..]);
        }
        for (at, number) in scan.unframed().enumerate() {
            self.fold(scan, state, (at, number), (written, n), positions);
        }
    }

    /// As [`Locals::leaf`], for a leaf whose values are read where they lie; false if they do not lie well.
    pub(super) fn plain_leaf(
        &mut self,
        run: &Run<'_>,
        scan: &ScanProgram,
        state: &mut ScanState,
        rows: &Range<usize>,
        written: usize,
    ) -> bool {
        let in_place = |number: usize| leaf::in_place(run, scan, number, rows);
        if scan.plain.is_empty() || !(0..scan.plain.len()).all(|number| in_place(number).is_some()) {
            return false;
        }
        for (number, [values, known]) in self.folds.iter_mut().enumerate() {
            let dst = &mut values[written * scan.running[number].local_width()..];
            let known = known.get_mut(written..).unwrap_or_default();
            let operand = state.folds[number].values(in_place(number));
            state.totals.push(scan.fold(number, None, rows.len()).prefixes(operand, dst, known));
        }
        true
    }

    /// The prefixes of a fold over a leaf of `n` rows, whose selected ones go behind those written before.
    fn fold(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        (at, number): (usize, usize),
        (written, n): (usize, usize),
        positions: Option<&[u16]>,
    ) {
        let width = scan.running[number].local_width();
        let [values, known] = &mut self.folds[at];
        let (values, known) = (&mut values[written * width..], known.get_mut(written..).unwrap_or_default());
        if positions.is_none() {
            let ScanState { folds, starts, totals, .. } = state;
            let fold = scan.fold(number, scan.segment.map(|_| &starts[..n]), n);
            totals.push(fold.prefixes(folds[number].values(None), values, known));
            return;
        }
        let total = state.prefixes(scan, number, n);
        state.totals.push(total);
        let [prefixes, flags] = &state.prefixes[number];
        pick(width, &prefixes[..n * width], positions, values);
        if !known.is_empty() {
            pick(1, &flags[..n], positions, known);
        }
    }

    /// Every row that a carry reaches has a least or greatest value, if there is one before it; the bits of all rows.
    pub(super) fn know(&mut self, scan: &ScanProgram, state: &ScanState, at: usize) {
        let [_, known] = &mut self.folds[at];
        let folds = scan.nothing.len();
        let (mut row, mut unknown) = (0, 0);
        for (leaf, end) in state.ends.iter().enumerate() {
            let rows = &mut known[row..row + end.rows];
            if state.carries[leaf * folds + at].kept().is_some() {
                rows[..end.reached].iter_mut().take_while(|known| **known == 0).for_each(|known| *known = 1);
            }
            // In one segment every row behind the first with a value has one.
            if unknown == row {
                unknown += rows.iter().position(|&known| known != 0).unwrap_or(end.rows);
            }
            row += end.rows;
        }
        match scan.segment {
            None => bitmap::set_from(&mut self.bits[1], unknown, row),
            Some(_) => bitmap::append(&mut self.bits[1], 0, &known[..row]),
        }
    }

    /// Finishes a fold of the morsel's rows.
    pub(super) fn finish(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        (at, number): (usize, usize),
        mut place: Place<'_>,
    ) -> Result<(), OutOfRange> {
        let (one, folds) = (&scan.running[number], scan.nothing.len());
        let (width, local_width) = (one.output.dtype.repr().bytes(), one.local_width());
        let [values, known] = &mut self.folds[at];
        let mut row = 0;
        for (leaf, end) in state.ends.iter().enumerate() {
            let (carry, total) = (state.carries[leaf * folds + at], state.totals[leaf * folds + at]);
            let mut fold = LeafFinish::new(scan, one, carry, end.reached, total.is_small);
            let rows = row..row + end.rows;
            row = rows.end;
            if let Place::Values(place, streams) = &mut place {
                let prefixes = &mut values[rows.start * local_width..rows.end * local_width];
                let place = &mut place[rows.start * width..rows.end * width];
                if fold.best_leaf(prefixes, known.get(rows.clone()).unwrap_or_default(), place, *streams) {
                    continue;
                }
                if fold.leaf(prefixes, rows.len(), place, *streams) {
                    continue;
                }
            }
            for first in rows.clone().step_by(BLOCK_ROWS) {
                let block = first..rows.end.min(first + BLOCK_ROWS);
                let results = &mut state.made[..block.len() * width];
                let known = known.get(block.clone()).unwrap_or_default();
                let starts = self.starts.get(block.clone());
                let prefixes = &values[block.start * local_width..block.end * local_width];
                fold.block(&Rows { prefixes, known, starts, n: block.len() }, results)?;
                match &mut place {
                    Place::Values(place, streams) => {
                        past_caches::copy(results, &mut place[block.start * width..block.end * width], *streams);
                    }
                    Place::Bits => bitmap::append(&mut self.bits[0], block.start, results),
                }
            }
        }
        Ok(())
    }
}

/// Copies the rows at these positions, or all.
fn pick(width: usize, rows: &[u8], positions: Option<&[u16]>, dst: &mut [u8]) {
    match positions {
        Some(positions) => gather::compact(width, rows, positions, dst),
        None => dst[..rows.len()].copy_from_slice(rows),
    }
}
