//! [`SpillWriter`] and [`SpilledTable`]: a table on disk, written as chunks of columns in order, and read block by
//! block.

use super::Spill;
use super::fault;
use super::file::SpillFile;
use crate::data::bitmap::append_bits;
use crate::data::chunks::host_chunk;
use crate::data::memory::{InlineVec, Pool, Pooled};
use crate::error::{Error, Result};
use pointsman_device::host::{Bits, HostChunk};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::Type;
use std::ops::Range;
use twox_hash::XxHash3_128;

/// The maximum number of bytes of a block of more than one leaf: few system calls per second of work, and little
/// memory.
const BLOCK_BYTES_MAX: usize = 1 << 20;
/// The alignment of the parts of a block, in bytes.
const PART_ALIGN: usize = 64;

/// The layout of a table's blocks: column after column, values before their bitmap.
#[derive(Clone, Debug)]
pub(crate) struct BlockLayout {
    types: Vec<Type>,
    /// The rows of every block but the last, a multiple of a leaf.
    pub(crate) block_rows: usize,
}

/// The position of a column in a block.
struct ColumnPart {
    values: Range<usize>,
    valid: Option<Range<usize>>,
}

impl BlockLayout {
    /// Lays out columns of these types in blocks of at most `bytes_max` bytes, but at least one leaf.
    pub(crate) fn new(types: &[Type], bytes_max: usize) -> BlockLayout {
        let mut layout = BlockLayout { types: types.to_vec(), block_rows: LEAF_ROWS };
        let leaf_bytes = layout.bytes().max(1);
        layout.block_rows *= (bytes_max.min(BLOCK_BYTES_MAX) / leaf_bytes).max(1);
        layout
    }

    /// The bytes of a full block.
    pub(crate) fn bytes(&self) -> usize {
        self.block_bytes(self.block_rows)
    }

    /// The bytes of a block of `rows` rows.
    fn block_bytes(&self, rows: usize) -> usize {
        self.ranges(rows).last().map_or(0, |last| aligned(last.end))
    }

    fn parts(&self, rows: usize) -> impl Iterator<Item = ColumnPart> {
        let mut at = 0;
        let mut next = move |bytes: usize| {
            let start = at;
            at = aligned(start + bytes);
            start..start + bytes
        };
        self.types.iter().map(move |ty| ColumnPart {
            values: next(rows * ty.dtype.repr().bytes()),
            valid: ty.nullable.then(|| next(rows.div_ceil(8))),
        })
    }

    /// The positions of all values and bitmaps in a block of `rows` rows, in order.
    fn ranges(&self, rows: usize) -> impl Iterator<Item = Range<usize>> {
        self.parts(rows).flat_map(|part| [Some(part.values), part.valid].into_iter().flatten())
    }
}

fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(PART_ALIGN)
}

/// A table that is being written.
pub(crate) struct SpillWriter {
    file: SpillFile,
    pub(crate) layout: BlockLayout,
    /// The block that is being filled, and its rows so far.
    block: Pooled,
    filled: usize,
    /// The checksum of each block so far. They stay in memory, so a block that is read in the wrong place shows too.
    checksums: Vec<u128>,
}

impl SpillWriter {
    /// Creates an empty table.
    pub(crate) fn new(spill: &Spill, layout: BlockLayout, pool: &Pool) -> Result<SpillWriter> {
        let block = pool.take(layout.bytes())?;
        Ok(SpillWriter { file: spill.create_file()?, layout, block, filled: 0, checksums: Vec::new() })
    }

    /// Appends rows of all columns. Booleans take one byte each.
    pub(crate) fn append(&mut self, columns: &[HostChunk<'_>], rows: usize) -> Result<()> {
        let mut from = 0;
        while from < rows {
            let count = (rows - from).min(self.layout.block_rows - self.filled);
            for ((part, ty), column) in self.layout.parts(self.layout.block_rows).zip(&self.layout.types).zip(columns) {
                let size = ty.dtype.repr().bytes();
                let values = &mut self.block[part.values][self.filled * size..][..count * size];
                values.copy_from_slice(&column.values[from * size..][..count * size]);
                if let Some(valid) = part.valid {
                    let bits = column.validity.ok_or_else(|| Error::internal("a spilled column without its bitmap"))?;
                    let bits = Bits { offset: bits.offset + from, ..bits };
                    append_bits(&mut self.block[valid], self.filled, bits, count);
                }
            }
            self.filled += count;
            from += count;
            if self.filled == self.layout.block_rows {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Writes the current block.
    fn flush(&mut self) -> Result<()> {
        let (rows, bytes) = (self.filled, self.layout.block_bytes(self.filled));
        // The parts of a partial block lie closer together: each moves towards the front, in order.
        for (full, own) in self.layout.ranges(self.layout.block_rows).zip(self.layout.ranges(rows)) {
            if own.start < full.start {
                self.block.copy_within(full.start..full.start + own.len(), own.start);
            }
            self.block[own.end..aligned(own.end)].fill(0);
        }
        let block = &self.block[..bytes];
        self.file.write(block)?;
        self.checksums.push(XxHash3_128::oneshot(block));
        self.filled = 0;
        Ok(())
    }

    /// Writes the last block; the table can be read afterwards.
    pub(crate) fn finish(mut self) -> Result<SpilledTable> {
        let rows = self.checksums.len() * self.layout.block_rows + self.filled;
        if self.filled > 0 {
            self.flush()?;
        }
        Ok(SpilledTable { file: self.file, layout: self.layout, rows, checksums: self.checksums })
    }
}

/// A table on disk.
pub(crate) struct SpilledTable {
    file: SpillFile,
    pub(crate) layout: BlockLayout,
    pub(crate) rows: usize,
    checksums: Vec<u128>,
}

/// A block of a table in memory.
pub(crate) struct SpilledBlock {
    bytes: Pooled,
    parts: InlineVec<ColumnPart>,
    pub(crate) rows: usize,
}

impl SpilledTable {
    /// Returns the number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.checksums.len()
    }

    /// Returns the bytes on disk.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// Reads a block; an error if it is not exactly as written.
    pub(crate) fn read(&mut self, number: usize, pool: &Pool) -> Result<SpilledBlock> {
        let first = number * self.layout.block_rows;
        let rows = self.layout.block_rows.min(self.rows.saturating_sub(first));
        let size = self.layout.block_bytes(rows);
        let mut bytes = pool.take(size)?;
        let block = &mut bytes[..size];
        self.file.read(number as u64 * self.layout.bytes() as u64, block)?;
        if self.checksums.get(number) != Some(&XxHash3_128::oneshot(block)) {
            return Err(fault::corrupt(&self.file.path(), number, size));
        }
        Ok(SpilledBlock { bytes, parts: self.layout.parts(rows).collect(), rows })
    }
}

impl SpilledBlock {
    /// Returns a column as a host chunk.
    pub(crate) fn chunk(&self, column: usize) -> HostChunk<'_> {
        let part = &self.parts[column];
        let validity = part.valid.clone().map(|valid| Bits { bytes: &self.bytes[valid], offset: 0 });
        let values = &self.bytes[part.values.clone()];
        host_chunk(values, validity, self.rows)
    }
}
