//! [`OutputGrowth`]: room for a result of which nobody knows beforehand how many rows it has. It grows with what comes, and in
//! the end there is no more than that takes.

use crate::data::memory::Pool;
use crate::data::output::Output;
use crate::error::Result;
use crate::exec::in_place::allocate;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS};

/// So much more than is expected, as a part, so that it need not grow again.
const MARGIN_PART: usize = 16;
/// Room beyond the rows that is left as it is, as a part of them: the pool rounds sizes up as much.
const SLACK_PART: usize = 4;

/// Whether a kernel gives as many rows as there must be room for, whatever the values are.
pub(crate) fn gives_as_many_as_there_is_room_for(kernel: &Kernel) -> bool {
    kernel.sink.row_count_is_known(kernel.mask.is_some())
}

/// How the room for a result grows.
pub(in crate::exec) struct OutputGrowth<'m> {
    pub(in crate::exec) pool: &'m Pool,
    /// The rows that all batches read.
    pub(in crate::exec) all: usize,
    /// The rows that batches have read whose result came in.
    pub(in crate::exec) read: usize,
    /// The most rows that they can give.
    pub(in crate::exec) most: usize,
    /// The rows that there is room for.
    pub(in crate::exec) room: usize,
}

impl OutputGrowth<'_> {
    /// Makes room for the rows that are there and so many more, which came of so many that were read.
    pub(in crate::exec) fn make_room(
        &mut self,
        output: &mut Output,
        filled: usize,
        more: usize,
        read: usize,
    ) -> Result<()> {
        let needed = filled + more;
        if needed <= self.room {
            return Ok(());
        }
        let fits = |room: &usize| bytes_of(output, *room) <= self.pool.left();
        let room = [self.expected(needed, read), needed.saturating_mul(2).min(self.most)].into_iter().find(fits);
        self.resize(output, filled, room.unwrap_or(needed).max(needed))
    }

    /// How many rows there will be, if those to come are like those that came.
    fn expected(&self, needed: usize, read: usize) -> usize {
        let seen = (self.read + read).max(1);
        if seen >= self.all {
            return needed;
        }
        let expected = (needed as u128 * self.all as u128 / seen as u128) as usize;
        (expected + expected / MARGIN_PART + LEAF_ROWS).min(self.most)
    }

    /// Leaves no more room than there are rows.
    pub(in crate::exec) fn fit(&mut self, output: &mut Output, filled: usize) {
        if self.room > filled + filled / SLACK_PART {
            // What is there is as good, only larger.
            let _ = self.resize(output, filled, filled);
        }
    }

    /// Moves the rows that are there to room for so many.
    fn resize(&mut self, output: &mut Output, filled: usize, room: usize) -> Result<()> {
        for column in &mut output.columns {
            let (values, bitmap) = (filled * column.ty.dtype.repr().bytes(), filled.div_ceil(8));
            let mut other = Output::default();
            allocate(&[column.ty], room, false, self.pool, &mut other)?;
            let Some(mut other) = other.columns.pop() else { continue };
            other.values[..values].copy_from_slice(&column.values[..values]);
            if let (Some(to), Some(from)) = (&mut other.valid, &column.valid) {
                to[..bitmap].copy_from_slice(&from[..bitmap]);
            }
            *column = other;
        }
        self.room = room;
        Ok(())
    }
}

/// The memory that room for so many rows takes.
fn bytes_of(output: &Output, rows: usize) -> usize {
    let width = |column: &crate::data::output::ResultColumn| {
        let bitmap = if column.valid.is_some() { rows.div_ceil(8) } else { 0 };
        rows.saturating_mul(column.ty.dtype.repr().bytes()).saturating_add(bitmap)
    };
    output.columns.iter().map(width).fold(0, usize::saturating_add)
}
