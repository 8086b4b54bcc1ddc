//! What a stage gives, while it comes ([`Target`]) and when it is there ([`Given`]): in memory or on the disk.

use crate::error::{Error, Result};
use crate::runtime::executor::Job;
use crate::runtime::memory::{Few, Pool};
use crate::runtime::merging::{Gathered, owned_chunks};
use crate::runtime::pieces::slice;
use crate::runtime::receipt::Counts;
use crate::runtime::results::Output;
use crate::runtime::spill::{Block, Layout, Table, Writer};
use pointsman_device::convert::OwnedChunk;
use pointsman_device::host::HostChunk;
use pointsman_ir::data::TableData;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Type};
use std::ops::Range;

/// A block of a table takes at most this part of the memory that is left.
const BLOCK_PART: usize = 16;

/// Rows that come, batch by batch.
pub(super) enum Target<'t> {
    Memory(Box<Gathered<'t>>),
    Disk(Writer),
}

impl Target<'_> {
    /// On the disk, with blocks that leave memory for the rest.
    pub(super) fn on_disk(types: &[Type], job: &Job<'_>) -> Result<Self> {
        let layout = Layout::new(types, job.pool.left() / BLOCK_PART);
        Ok(Target::Disk(Writer::new(job.spill, layout, job.pool)?))
    }

    /// Rows of all columns, behind those that are there.
    pub(super) fn append(&mut self, columns: &[HostChunk<'_>], rows: usize) -> Result<()> {
        match self {
            Target::Memory(gathered) => gathered.append(columns, rows),
            Target::Disk(writer) => writer.append(columns, rows),
        }
    }

    /// A table's rows.
    pub(super) fn append_table(&mut self, table: &TableData) -> Result<()> {
        let owned = owned_chunks(table);
        let chunks: Few<HostChunk<'_>> = owned.iter().map(OwnedChunk::chunk).collect();
        self.append(&chunks, table.rows)
    }

    /// All of them.
    pub(super) fn finish(self, counts: &mut Counts) -> Result<Given> {
        match self {
            Target::Memory(gathered) => Ok(Given::Memory(Box::new(gathered.finish()))),
            Target::Disk(writer) => {
                let table = writer.finish()?;
                counts.bytes_spilled += table.bytes();
                Ok(Given::Disk(table))
            }
        }
    }
}

/// What a stage gave.
pub(super) enum Given {
    Memory(Box<Output>),
    Disk(Table),
    /// Nobody reads it any more.
    Gone,
}

impl Given {
    pub(super) fn rows(&self) -> usize {
        match self {
            Given::Memory(output) => output.rows,
            Given::Disk(table) => table.rows,
            Given::Gone => 0,
        }
    }

    /// Batches of it are multiples of so many rows.
    pub(super) fn unit(&self) -> usize {
        match self {
            Given::Memory(_) | Given::Gone => LEAF_ROWS,
            Given::Disk(table) => table.layout.block_rows,
        }
    }

    /// The memory that reading so many rows at once takes.
    pub(super) fn read_bytes(&self, rows: usize) -> usize {
        match self {
            Given::Memory(_) | Given::Gone => 0,
            Given::Disk(table) => rows.div_ceil(table.layout.block_rows).saturating_mul(table.layout.bytes()),
        }
    }

    /// Brings some rows into memory: whole units, or up to the last.
    pub(super) fn bring(&mut self, rows: Range<usize>, pool: &Pool) -> Result<Brought<'_>> {
        match self {
            Given::Memory(output) => Ok(Brought::Part(output, rows)),
            Given::Disk(table) => {
                let unit = table.layout.block_rows;
                let blocks = (rows.start / unit..rows.end.div_ceil(unit)).map(|number| table.read(number, pool));
                Ok(Brought::Blocks(blocks.collect::<Result<_>>()?))
            }
            Given::Gone => Err(Error::internal("rows of a stage that are gone")),
        }
    }

    /// All rows in memory, in exactly as much as they need.
    pub(super) fn into_output(self, types: &[Type], pool: &Pool, into: Option<&mut [u8]>) -> Result<Output> {
        let mut table = match self {
            Given::Memory(output) => return Ok(*output),
            Given::Disk(table) => table,
            Given::Gone => return Err(Error::internal("a result that is gone")),
        };
        let mut gathered = Gathered::new(types, table.rows, pool, into)?;
        for number in 0..table.blocks() {
            let block = table.read(number, pool)?;
            let chunks: Few<HostChunk<'_>> = (0..types.len()).map(|column| block.chunk(column)).collect();
            gathered.append(&chunks, block.rows)?;
        }
        Ok(gathered.finish())
    }
}

/// Some rows of what a stage gave, in memory.
pub(super) enum Brought<'g> {
    Part(&'g Output, Range<usize>),
    Blocks(Vec<Block>),
}

impl Brought<'_> {
    /// The pieces of a column.
    pub(super) fn pieces(&self, column: usize, dtype: DType) -> Few<HostChunk<'_>> {
        match self {
            Brought::Part(output, rows) => slice(&[output.columns[column].chunk()], dtype, rows.clone()),
            Brought::Blocks(blocks) => blocks.iter().map(|block| block.chunk(column)).collect(),
        }
    }
}
