//! The prefixes of a morsel: adds its leaves one after the other, and finishes the folds once the carries are known.

use super::super::block::{BLOCK_ROWS, bitmap, gather};
use super::super::launch::Execution;
use super::super::nodes::OutOfRange;
use super::finish::{LeafFinish, PrefixRows};
use super::leaf::{self, ScanState};
use super::{ScanProgram, UnframedFold};
use crate::DeviceResult;
use crate::host::HostBuffer;
use crate::host_pool::HostPool;
use crate::streaming_copy;
use pointsman_ir::kernel::SCAN_RADIX;
use smallvec::SmallVec;
use std::ops::Range;

/// The prefixes of a morsel's selected rows.
#[derive(Default)]
pub(super) struct MorselPrefixes {
    /// For each unframed fold: its prefixes and, for min and max, a mark for each row that has one.
    folds: SmallVec<[[HostBuffer; 2]; 4]>,
    /// Rows that start a segment.
    starts: HostBuffer,
    /// The bits of the fold being finished: its bools and its bitmap.
    pub(super) bits: [HostBuffer; 2],
}

/// The destination of a fold's results.
pub(super) enum FoldDestination<'a> {
    /// Output memory, written with non-temporal stores or not.
    Values(&'a mut [u8], bool),
    /// Bools, into the bits of the morsel.
    Bits,
}

impl MorselPrefixes {
    /// Allocates memory for a morsel of `rows` rows.
    pub(super) fn take_memory(&mut self, pool: &HostPool, scan: &ScanProgram, rows: usize) -> DeviceResult<()> {
        for one in scan.unframed().map(|fold| &scan.running[fold.number]) {
            let places = rows.next_multiple_of(SCAN_RADIX);
            self.folds.push([pool.take(places * one.prefix_width())?, HostBuffer::default()]);
            if let (true, Some([_, valid])) = (one.output.nullable, self.folds.last_mut()) {
                *valid = pool.take(rows)?;
            }
        }
        if self.folds.iter().any(|[_, valid]| !valid.is_empty()) {
            self.bits[0] = pool.take(rows.div_ceil(8))?;
            self.bits[1] = pool.take(rows.div_ceil(8))?;
        }
        if scan.segment.is_some() {
            self.starts = pool.take(rows)?;
        }
        Ok(())
    }

    /// Removes all buffers, to be given back to the pool.
    pub(super) fn buffers(&mut self) -> impl Iterator<Item = HostBuffer> {
        let MorselPrefixes { folds, starts, bits } = std::mem::take(self);
        folds.into_iter().flatten().chain(bits).chain([starts]).filter(|buffer| !buffer.is_empty())
    }

    /// Adds the current leaf, of `n` rows: its selected rows go after the rows written before.
    pub(super) fn add_leaf(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        written: usize,
        n: usize,
        positions: Option<&[u16]>,
    ) {
        if scan.segment.is_some() {
            copy_selected(1, &state.starts[..n], positions, &mut self.starts[written..]);
        }
        for fold in scan.unframed() {
            self.fold(scan, state, fold, written, n, positions);
        }
    }

    /// Adds a leaf whose values can be read in place; returns false if they cannot.
    pub(super) fn add_plain_leaf(
        &mut self,
        run: &Execution<'_>,
        scan: &ScanProgram,
        state: &mut ScanState,
        rows: &Range<usize>,
        written: usize,
    ) -> bool {
        let in_place = |number: usize| leaf::in_place(run, scan, number, rows);
        if scan.plain.is_empty() || !(0..scan.plain.len()).all(|number| in_place(number).is_some()) {
            return false;
        }
        for (number, [values, valid]) in self.folds.iter_mut().enumerate() {
            let dst = &mut values[written * scan.running[number].prefix_width()..];
            let valid = valid.get_mut(written..).unwrap_or_default();
            let operand = state.folds[number].values(in_place(number));
            state.totals.push(scan.fold(number, None, rows.len()).prefixes(operand, dst, valid));
        }
        true
    }

    /// Computes the prefixes of a fold over a leaf of `n` rows, whose selected rows go after the rows written before.
    fn fold(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        fold: UnframedFold,
        written: usize,
        n: usize,
        positions: Option<&[u16]>,
    ) {
        let UnframedFold { index, number } = fold;
        let width = scan.running[number].prefix_width();
        let [values, valid] = &mut self.folds[index];
        let (values, valid) = (&mut values[written * width..], valid.get_mut(written..).unwrap_or_default());
        if positions.is_none() {
            let ScanState { folds, starts, totals, .. } = state;
            let fold = scan.fold(number, scan.segment.map(|_| &starts[..n]), n);
            totals.push(fold.prefixes(folds[number].values(None), values, valid));
            return;
        }
        let total = state.prefixes(scan, number, n);
        state.totals.push(total);
        let [prefixes, flags] = &state.prefixes[number];
        copy_selected(width, &prefixes[..n * width], positions, values);
        if !valid.is_empty() {
            copy_selected(1, &flags[..n], positions, valid);
        }
    }

    /// Marks the rows that have a minimum or maximum, including those that a carry reaches, and packs the marks into
    /// bits.
    pub(super) fn mark_present(&mut self, scan: &ScanProgram, state: &ScanState, fold: UnframedFold) {
        let [_, valid] = &mut self.folds[fold.index];
        let folds = scan.identity.len();
        let (mut row, mut invalid) = (0, 0);
        for (leaf, end) in state.ends.iter().enumerate() {
            let rows = &mut valid[row..row + end.rows];
            if state.carries[leaf * folds + fold.index].kept().is_some() {
                rows[..end.reached].iter_mut().take_while(|valid| **valid == 0).for_each(|valid| *valid = 1);
            }
            // If the scan has only one segment, every row after the first one with a minimum or maximum has one, too.
            if invalid == row {
                invalid += rows.iter().position(|&valid| valid != 0).unwrap_or(end.rows);
            }
            row += end.rows;
        }
        match scan.segment {
            None => bitmap::set_from(&mut self.bits[1], invalid, row),
            Some(_) => bitmap::append(&mut self.bits[1], 0, &valid[..row]),
        }
    }

    /// Finishes a fold of the morsel's rows.
    pub(super) fn finish(
        &mut self,
        scan: &ScanProgram,
        state: &mut ScanState,
        fold: UnframedFold,
        mut place: FoldDestination<'_>,
    ) -> Result<(), OutOfRange> {
        let UnframedFold { index, number } = fold;
        let (one, folds) = (&scan.running[number], scan.identity.len());
        let (width, prefix_width) = (one.output.dtype.repr().bytes(), one.prefix_width());
        let [values, valid] = &mut self.folds[index];
        let mut row = 0;
        for (leaf, end) in state.ends.iter().enumerate() {
            let (carry, total) = (state.carries[leaf * folds + index], state.totals[leaf * folds + index]);
            let mut fold = LeafFinish::new(scan, one, carry, end.reached, total.is_small);
            let rows = row..row + end.rows;
            row = rows.end;
            if let FoldDestination::Values(place, streams) = &mut place {
                let prefixes = &mut values[rows.start * prefix_width..rows.end * prefix_width];
                let place = &mut place[rows.start * width..rows.end * width];
                if fold.finish_min_max_leaf(prefixes, valid.get(rows.clone()).unwrap_or_default(), place, *streams) {
                    continue;
                }
                if fold.leaf(prefixes, rows.len(), place, *streams) {
                    continue;
                }
            }
            for first in rows.clone().step_by(BLOCK_ROWS) {
                let block = first..rows.end.min(first + BLOCK_ROWS);
                let results = &mut state.made[..block.len() * width];
                let valid = valid.get(block.clone()).unwrap_or_default();
                let starts = self.starts.get(block.clone());
                let prefixes = &values[block.start * prefix_width..block.end * prefix_width];
                fold.block(&PrefixRows { prefixes, valid, starts, n: block.len() }, results)?;
                match &mut place {
                    FoldDestination::Values(place, streams) => {
                        streaming_copy::copy(results, &mut place[block.start * width..block.end * width], *streams);
                    }
                    FoldDestination::Bits => bitmap::append(&mut self.bits[0], block.start, results),
                }
            }
        }
        Ok(())
    }
}

/// Copies the rows at these positions, or all of them.
fn copy_selected(width: usize, rows: &[u8], positions: Option<&[u16]>, dst: &mut [u8]) {
    match positions {
        Some(positions) => gather::compact(width, rows, positions, dst),
        None => dst[..rows.len()].copy_from_slice(rows),
    }
}
