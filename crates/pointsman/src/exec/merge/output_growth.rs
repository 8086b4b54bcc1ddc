//! [`OutputGrowth`]: memory for a result whose size is not known in advance. It grows with the rows, and is trimmed at
//! the end.

use crate::data::memory::{InlineVec, Pool};
use crate::data::output::{Output, ResultColumn, output_bytes};
use crate::devices::download::RowCount;
use crate::error::Result;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};
use pointsman_ir::types::Type;

/// The part by which more memory is taken than expected, so that it need not grow again.
const MARGIN_PART: usize = 16;
/// Where nothing bounds the result, memory is taken for at most this many times the rows so far.
const GUESS_FACTOR_MAX: usize = 4;
/// Spare room up to this part of the rows is not trimmed: the pool rounds sizes up as much.
const SLACK_PART: usize = 4;

/// Whether a kernel gives exactly as many rows as it has capacity for, whatever the values are.
pub(in crate::exec) fn row_count(kernel: &Kernel) -> RowCount {
    let is_exact = kernel.sink.row_count_is_known(kernel.mask.is_some());
    if is_exact { RowCount::Exact } else { RowCount::AtMost }
}

/// How the memory for a result grows.
pub(super) struct OutputGrowth<'m> {
    pub(super) pool: &'m Pool,
    /// The rows that all batches read.
    pub(super) all: usize,
    /// The rows that the merged batches read.
    pub(super) read: usize,
    /// The maximum number of rows that they can give.
    pub(super) most: usize,
    /// The rows that there is room for.
    pub(super) room: usize,
}

impl OutputGrowth<'_> {
    /// Makes room for more rows after the filled ones, the output of `read` input rows.
    pub(super) fn make_room(&mut self, output: &mut Output, filled: usize, more: usize, read: usize) -> Result<()> {
        let needed = filled + more;
        if needed <= self.room {
            return Ok(());
        }
        let types: InlineVec<Type> = output.columns.iter().map(|column| column.ty).collect();
        let fits = |room: &usize| output_bytes(&types, *room) <= self.pool.left();
        let room = [self.expected(needed, read), needed.saturating_mul(2).min(self.most)].into_iter().find(fits);
        self.resize(output, filled, room.unwrap_or(needed).max(needed))
    }

    /// How many rows there will be, if the rest is like the rows so far. Rows that one row became say little about the
    /// others, so a result without a bound is guessed to grow by a fixed factor at most.
    fn expected(&self, needed: usize, read: usize) -> usize {
        let seen = self.read + read;
        if seen == 0 || seen >= self.all {
            return needed;
        }
        let expected = usize::try_from(needed as u128 * self.all as u128 / seen as u128).unwrap_or(usize::MAX);
        let expected = expected.saturating_add(expected / MARGIN_PART).saturating_add(LEAF_ROWS);
        let is_bounded = self.most < usize::MAX;
        expected.min(if is_bounded { self.most } else { needed.saturating_mul(GUESS_FACTOR_MAX) })
    }

    /// Trims the memory to the rows.
    pub(super) fn fit(&mut self, output: &mut Output, filled: usize) {
        if self.room > filled + filled / SLACK_PART {
            // Without memory for the copy, the larger one does as well.
            let _ = self.resize(output, filled, filled);
        }
    }

    /// Moves the filled rows to memory for `room` rows.
    fn resize(&mut self, output: &mut Output, filled: usize, room: usize) -> Result<()> {
        for column in &mut output.columns {
            let mut other = ResultColumn::empty(column.ty, room);
            other.allocate(None, self.pool)?;
            column.rows = filled;
            other.put(0, column.chunk());
            *column = other;
        }
        self.room = room;
        Ok(())
    }
}
