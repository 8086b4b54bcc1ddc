//! What a stage gives, while it comes ([`RowTarget`]) and when it is there ([`StoredOutput`]): in memory or on the disk.

use crate::data::bitmap::append_bits;
use crate::data::chunks::slice;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::{Output, ResultColumn};
use crate::error::{Error, Result};
use crate::exec::in_place::{CompiledStage, RunContext, allocate};
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::spill::{BlockLayout, SpillWriter, SpilledBlock, SpilledTable};
use crate::instrument::counters::RunCounters;
use pointsman_device::host::HostChunk;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Type};
use std::ops::Range;

/// A block of a table takes at most this part of the memory that is left.
const BLOCK_PART: usize = 16;

/// Rows that come, batch by batch.
pub(super) struct RowTarget<'t> {
    /// Makes rows of what batches give, and keeps them if they stay in memory.
    merger: Merger<'t>,
    /// Takes them if they do not.
    writer: Option<SpillWriter>,
    /// The most rows that a batch may read.
    pub(super) rows_max: usize,
}

impl<'t> RowTarget<'t> {
    /// In memory: what so many rows give.
    pub(super) fn in_memory(
        step: &'t CompiledStage,
        rows: usize,
        pool: &Pool,
        into: Option<&'t mut [u8]>,
    ) -> Result<Self> {
        Ok(RowTarget { merger: Merger::with_room(step, rows, pool, into)?, writer: None, rows_max: usize::MAX })
    }

    /// On the disk, with a merger that has memory for what a batch of so many rows gives.
    pub(super) fn on_disk(merger: Merger<'t>, writer: SpillWriter, rows: usize) -> RowTarget<'t> {
        RowTarget { merger, writer: Some(writer), rows_max: rows }
    }

    /// Takes in what the next batch gave.
    pub(super) fn take(&mut self, parcel: &HostBatch) -> Result<()> {
        self.merger.absorb(parcel)?;
        match &mut self.writer {
            Some(writer) => self.merger.drain(|columns, rows| writer.append(columns, rows)),
            None => Ok(()),
        }
    }

    /// All of them.
    pub(super) fn finish(self, counts: &mut RunCounters) -> Result<StoredOutput> {
        let output = self.merger.finish()?;
        match self.writer {
            Some(writer) => spilled(writer, &output, counts),
            None => Ok(StoredOutput::Memory(Box::new(output))),
        }
    }
}

/// A table of columns of these types on the disk, with blocks that leave memory for the rest.
pub(super) fn writer(types: &[Type], job: &RunContext<'_>) -> Result<SpillWriter> {
    SpillWriter::new(job.spill, BlockLayout::new(types, job.pool.left() / BLOCK_PART), job.pool)
}

/// The last rows, and then all of them, on the disk.
pub(super) fn spilled(mut writer: SpillWriter, rest: &Output, counts: &mut RunCounters) -> Result<StoredOutput> {
    let chunks: InlineVec<HostChunk<'_>> = rest.columns.iter().map(ResultColumn::chunk).collect();
    writer.append(&chunks, rest.rows)?;
    let table = writer.finish()?;
    counts.bytes_spilled += table.bytes();
    Ok(StoredOutput::Disk(table))
}

/// What a stage gave.
pub(super) enum StoredOutput {
    Memory(Box<Output>),
    Disk(SpilledTable),
    /// Nobody reads it any more.
    Gone,
}

impl StoredOutput {
    pub(super) fn rows(&self) -> usize {
        match self {
            StoredOutput::Memory(output) => output.rows,
            StoredOutput::Disk(table) => table.rows,
            StoredOutput::Gone => 0,
        }
    }

    /// Batches of it are multiples of so many rows.
    pub(super) fn unit(&self) -> usize {
        match self {
            StoredOutput::Memory(_) | StoredOutput::Gone => LEAF_ROWS,
            StoredOutput::Disk(table) => table.layout.block_rows,
        }
    }

    /// The memory that reading so many rows at once takes.
    pub(super) fn read_bytes(&self, rows: usize) -> usize {
        match self {
            StoredOutput::Memory(_) | StoredOutput::Gone => 0,
            StoredOutput::Disk(table) => rows.div_ceil(table.layout.block_rows).saturating_mul(table.layout.bytes()),
        }
    }

    /// Brings some rows into memory: whole units, or up to the last.
    pub(super) fn bring(&mut self, rows: Range<usize>, pool: &Pool) -> Result<LoadedRows<'_>> {
        match self {
            StoredOutput::Memory(output) => Ok(LoadedRows::Part(output, rows)),
            StoredOutput::Disk(table) => {
                let unit = table.layout.block_rows;
                let blocks = (rows.start / unit..rows.end.div_ceil(unit)).map(|number| table.read(number, pool));
                Ok(LoadedRows::Blocks(blocks.collect::<Result<_>>()?))
            }
            StoredOutput::Gone => Err(Error::internal("rows of a stage that are gone")),
        }
    }

    /// All rows in memory, in exactly as much as they need.
    pub(super) fn into_output(self, types: &[Type], pool: &Pool) -> Result<Output> {
        let mut table = match self {
            StoredOutput::Memory(output) => return Ok(*output),
            StoredOutput::Disk(table) => table,
            StoredOutput::Gone => return Err(Error::internal("a result that is gone")),
        };
        let mut output = Output::default();
        allocate(types, table.rows, false, pool, &mut output)?;
        for number in 0..table.blocks() {
            let block = table.read(number, pool)?;
            output
                .columns
                .iter_mut()
                .enumerate()
                .for_each(|(column, target)| put(target, output.rows, block.chunk(column)));
            output.rows += block.rows;
        }
        Ok(output)
    }
}

/// Copies a piece to its place in a column, from this row on.
fn put(column: &mut ResultColumn, row: usize, piece: HostChunk<'_>) {
    let size = column.ty.dtype.repr().bytes();
    column.values[row * size..][..piece.values.len()].copy_from_slice(piece.values);
    if let (Some(valid), Some(bits)) = (&mut column.valid, piece.validity) {
        append_bits(valid, row, bits, piece.rows);
    }
}

/// Some rows of what a stage gave, in memory.
pub(super) enum LoadedRows<'g> {
    Part(&'g Output, Range<usize>),
    Blocks(Vec<SpilledBlock>),
}

impl LoadedRows<'_> {
    /// The pieces of a column.
    pub(super) fn pieces(&self, column: usize, dtype: DType) -> InlineVec<HostChunk<'_>> {
        match self {
            LoadedRows::Part(output, rows) => slice(&[output.columns[column].chunk()], dtype, rows.clone()),
            LoadedRows::Blocks(blocks) => blocks.iter().map(|block| block.chunk(column)).collect(),
        }
    }
}
