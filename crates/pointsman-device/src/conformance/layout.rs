//! Lays out columns in host memory in all ways that users pass them: sliced, misaligned, in chunks, bits at any offset,
//! and junk in null slots.

use crate::convert::{Layout, NullSlots, OwnedChunk};
use crate::host::{BoolLayout, HostChunk};
use pointsman_ir::data::ColumnData;
use pointsman_ir::random::Rng;

/// The layout of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One aligned chunk that starts at a byte.
    Plain,
    /// One chunk whose bits start this many bits into a byte, and whose values start as many values into memory.
    Sliced(usize),
    /// Chunks, offsets and alignments at random, by this seed.
    Random(u64),
    /// In the device's own buffers.
    Copied,
}

/// A column in memory, in chunks.
#[derive(Debug)]
pub struct Laid(Vec<OwnedChunk>);

impl Laid {
    /// Lays a column out in one chunk.
    pub fn plain(column: &ColumnData) -> Laid {
        Laid(vec![OwnedChunk::new(column, 0..column.len(), Layout::default())])
    }

    /// Lays a column out in one chunk after `rows` foreign rows.
    pub fn sliced(column: &ColumnData, rows: usize) -> Laid {
        let byte_offset = rows * column.dtype.repr().bytes();
        let layout = Layout { byte_offset, bit_offset: rows, null_slots: NullSlots::Junk, ..Layout::default() };
        Laid(vec![OwnedChunk::new(column, 0..column.len(), layout)])
    }

    /// Lays a column out in random chunks.
    pub fn random(column: &ColumnData, rng: &mut Rng) -> Laid {
        let mut ends: Vec<usize> = (0..rng.below(4)).map(|_| rng.below(column.len() + 1)).collect();
        ends.push(column.len());
        ends.sort_unstable();
        let mut start = 0;
        let mut pieces = Vec::new();
        for end in ends {
            pieces.push(piece(column, start..end, rng));
            start = end;
        }
        Laid(pieces)
    }

    /// Borrows the chunks.
    pub fn chunks(&self) -> Vec<HostChunk<'_>> {
        self.0.iter().map(OwnedChunk::chunk).collect()
    }
}

fn piece(column: &ColumnData, rows: std::ops::Range<usize>, rng: &mut Rng) -> OwnedChunk {
    let width = column.dtype.repr().bytes();
    let layout = Layout {
        // A whole number of values, and sometimes a byte more: a device must not assume an alignment.
        byte_offset: rng.below(5) * width + rng.below(2),
        bit_offset: rng.below(70),
        bools: rng.pick(&[BoolLayout::Bits, BoolLayout::Bytes]),
        null_slots: NullSlots::Junk,
    };
    let chunk = OwnedChunk::new(column, rows.clone(), layout);
    let all_valid = column.valid.as_ref().is_none_or(|valid| valid[rows].iter().all(|&valid| valid));
    if all_valid && rng.chance(50) { chunk.without_bitmap() } else { chunk }
}
