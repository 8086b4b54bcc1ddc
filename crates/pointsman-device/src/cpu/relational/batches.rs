//! Concatenated batches, whose rows are read by position in any order.

use super::columns::{Batch, PoolColumn, append_from};
use super::context::RunContext;
use crate::cpu::launch::OutputSplitter;
use crate::cpu::output::{ColumnWriter, ColumnWriters};
use crate::launch::ColumnOutput;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult};

/// The number of rows that are written at a time: a multiple of 8, so that bitmaps split at bytes.
const WRITE_ROWS: usize = 1 << 14;

/// The batches.
#[derive(Default)]
pub(super) struct Batches {
    batches: Vec<Batch>,
    /// The number of rows before each batch.
    starts: Vec<usize>,
    rows: usize,
}

/// The place of a row: its batch in the high half, its row there in the low half.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct RowPlace(u64);

// SAFETY: a number that may be zero.
unsafe impl bytemuck::Zeroable for RowPlace {}
// SAFETY: a number, as `repr(transparent)` says, and any number is valid.
unsafe impl bytemuck::Pod for RowPlace {}

impl RowPlace {
    /// The number of the batch.
    #[inline(always)]
    pub(super) fn batch(self) -> usize {
        (self.0 >> 32) as usize
    }

    /// The number of the row in its batch.
    #[inline(always)]
    pub(super) fn row(self) -> usize {
        self.0 as u32 as usize
    }
}

impl Batches {
    /// Appends the rows of a batch.
    pub(super) fn push(&mut self, batch: Batch) -> DeviceResult<()> {
        if u32::try_from(batch.rows).is_err() {
            return Err(DeviceError::unsupported("a batch of more than 2^32 rows"));
        }
        self.starts.push(self.rows);
        self.rows += batch.rows;
        self.batches.push(batch);
        Ok(())
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Each batch, with the number of rows before it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Batch)> {
        self.starts.iter().copied().zip(&self.batches)
    }

    /// The place of a row by its number among all rows.
    #[inline]
    pub(super) fn place(&self, row: usize) -> RowPlace {
        // An empty batch starts where the next one does.
        let batch = self.starts.partition_point(|&start| start <= row).saturating_sub(1);
        RowPlace((batch as u64) << 32 | (row - self.starts[batch]) as u64)
    }

    fn column<'a>(&'a self, column: usize, rows: &'a [RowPlace]) -> impl Iterator<Item = (&'a PoolColumn, usize)> {
        rows.iter().map(move |place| (&self.batches[place.batch()].columns[column], place.row()))
    }

    /// Writes rows in this order, as many columns as there are outputs.
    pub(super) fn write(
        &self,
        context: RunContext<'_>,
        order: &[RowPlace],
        outs: &mut [ColumnWriter<'_>],
    ) -> DeviceResult<()> {
        let splitter = OutputSplitter { rest: outs.iter_mut().map(ColumnWriter::reborrow).collect(), start: 0 };
        let splitter = Mutex::new(splitter);
        context.tasks(order.len().div_ceil(WRITE_ROWS), |_| {
            let mut parts = ColumnWriters::new();
            let Some(rows) = splitter.lock().next(order.len(), WRITE_ROWS, &mut parts) else { return Ok(()) };
            for (number, out) in parts.iter_mut().enumerate() {
                let repr = out.ty().dtype.repr();
                append_from(out, repr, self.column(number, &order[rows.clone()]));
            }
            Ok(())
        })
    }

    /// A batch of these rows, in this order.
    pub(super) fn gathered(&self, context: RunContext<'_>, order: &[RowPlace]) -> DeviceResult<Batch> {
        let types = self.batches.first().into_iter().flat_map(|batch| &batch.columns).map(|column| column.ty);
        let column = |ty| PoolColumn::new(context.pool(), ty, order.len());
        let mut columns = types.map(column).collect::<DeviceResult<Vec<_>>>()?;
        {
            let mut outs = ColumnWriters::new();
            for column in &mut columns {
                let ty = column.ty;
                let ColumnOutput::Host { values, bools, validity } = column.output() else { continue };
                outs.push(ColumnWriter::new(values, bools, validity, ty, order.len())?);
            }
            self.write(context, order, &mut outs)?;
        }
        Ok(Batch { columns, rows: order.len() })
    }
}
