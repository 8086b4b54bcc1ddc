//! Where the parts of a launch's scratch lie: status block, counters and nodes (all zeroed before the launch), and
//! memory of each block of the grid (not zeroed). Pure arithmetic over the contract with `pointsman_ir::render::cuda`.

use super::program::Shape;
use crate::Form;
use pointsman_ir::kernel::{LEAF_ROWS, Sink};
use std::ops::RangeInclusive;

/// Bytes of the status block, four words, and the room it has.
pub(super) const STATUS_BYTES: usize = 32;
const STATUS_ROOM: u64 = 64;
/// Bytes that the counter of tickets or finished blocks has, before nodes or leaves.
pub(super) const COUNTER_ROOM: u64 = 64;
/// What a block's own memory starts at a multiple of.
const BLOCK_SCRATCH_ALIGN: u64 = 256;
/// Every fourth level of the tree has nodes.
const LEVEL_STEP: u32 = 4;
/// Leaves whose records are one in the finished form.
const LEAVES_A_GROUP: u64 = 8;
/// How many blocks a block's worth of a multiprocessor gets of a `Store`, one after the other.
const STORE_WAVES: u64 = 4;

/// A launch's grid and scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// How many tiles there are.
    pub(super) tiles: u64,
    /// How many blocks run.
    pub(super) grid: u32,
    /// Bytes from the start that are zeroed; 0 if there is no scratch.
    pub(super) zeroed: u64,
    /// Where the counter and what follows it start.
    pub(super) counter: u64,
    /// Where the blocks' own memory starts.
    pub(super) blocks: u64,
    /// All bytes.
    pub(super) bytes: u64,
    /// Leaves that the rows lie in.
    pub(super) leaves: u64,
}

impl Layout {
    /// The layout for rows of a source; `None` where the numbers do not fit.
    pub(super) fn of(shape: &Shape, sink: &Sink, form: Form, first_row: u64, rows: u64) -> Option<Layout> {
        let tiles =
            numbers(first_row, rows, u64::from(shape.tile_rows)).map_or(0, |tiles| tiles.end() - tiles.start() + 1);
        let leaves = numbers(first_row, rows, LEAF_ROWS as u64);
        let leaf_count = leaves.as_ref().map_or(0, |leaves| leaves.end() - leaves.start() + 1);
        let blocks_max = match sink {
            Sink::Store { .. } => u64::from(shape.resident_blocks) * STORE_WAVES,
            Sink::Compact { .. }
            | Sink::Reduce { .. }
            | Sink::Scan { .. }
            | Sink::Sort { .. }
            | Sink::Group { .. }
            | Sink::Build { .. }
            | Sink::Partition { .. } => u64::from(shape.resident_blocks),
        };
        let grid = tiles.clamp(1, blocks_max.max(1));
        let behind_status = match sink {
            Sink::Compact { .. } | Sink::Scan { .. } => {
                let nodes = node_count(numbers(first_row, rows, u64::from(shape.tile_rows)));
                COUNTER_ROOM.checked_add(nodes.checked_mul(u64::from(shape.node_words))?.checked_mul(8)?)?
            }
            Sink::Reduce { .. } => {
                let records = match form {
                    Form::Partial => leaf_count,
                    Form::Whole => group_count(leaves),
                };
                COUNTER_ROOM.checked_add(records.checked_mul(shape.leaf_bytes)?)?
            }
            Sink::Store { .. }
            | Sink::Sort { .. }
            | Sink::Group { .. }
            | Sink::Build { .. }
            | Sink::Partition { .. } => 0,
        };
        let zeroed = match (shape.has_status(sink), behind_status) {
            (false, 0) => 0,
            (_, behind) => STATUS_ROOM.checked_add(behind)?,
        };
        let blocks = zeroed.checked_next_multiple_of(BLOCK_SCRATCH_ALIGN)?;
        let bytes = blocks.checked_add(shape.block_scratch.checked_mul(grid)?)?;
        let bytes = if shape.block_scratch == 0 { zeroed } else { bytes };
        Some(Layout {
            tiles,
            grid: u32::try_from(grid).ok()?,
            zeroed,
            counter: STATUS_ROOM,
            blocks,
            bytes,
            leaves: leaf_count,
        })
    }
}

/// The numbers of the parts of so many rows each that the rows of a source lie in; `None` if there are no rows.
fn numbers(first_row: u64, rows: u64, part_rows: u64) -> Option<RangeInclusive<u64>> {
    let last_row = first_row.checked_add(rows.checked_sub(1)?)?;
    Some(first_row.checked_div(part_rows)?..=last_row.checked_div(part_rows)?)
}

/// Nodes of levels 0, 4, 8, … up to the first level that has one node.
fn node_count(tiles: Option<RangeInclusive<u64>>) -> u64 {
    let Some(tiles) = tiles else { return 0 };
    let (mut first, mut last) = (*tiles.start(), *tiles.end());
    let mut nodes = 0;
    loop {
        nodes += last - first + 1;
        if first == last {
            return nodes;
        }
        (first, last) = (first >> LEVEL_STEP, last >> LEVEL_STEP);
    }
}

/// Groups of leaves.
fn group_count(leaves: Option<RangeInclusive<u64>>) -> u64 {
    leaves.map_or(0, |leaves| leaves.end() / LEAVES_A_GROUP - leaves.start() / LEAVES_A_GROUP + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use pointsman_ir::kernel::parse::parse;

    fn sink(text: &str) -> Sink {
        let head = "kernel\ncolumns c0: i64\n  v0: i64 = column c0\nsink ";
        parse(&format!("{head}{text}\n")).unwrap().sink
    }

    fn shape() -> Shape {
        Shape { tile_rows: 4096, resident_blocks: 100, node_words: 2, leaf_bytes: 32, ..Shape::default() }
    }

    #[test]
    fn nodes_of_every_fourth_level() {
        for (first, last, nodes) in
            [(0, 0, 1), (5, 5, 1), (0, 1, 3), (0, 15, 17), (0, 16, 17 + 2 + 1), (15, 16, 2 + 2 + 1)]
        {
            assert_eq!(node_count(Some(first..=last)), nodes, "{first}..={last}");
        }
        assert_eq!(node_count(None), 0);
    }

    #[test]
    fn a_store_that_cannot_fault_has_no_scratch() {
        let layout = Layout::of(&shape(), &sink("store v0"), Form::Whole, 0, 10_000_000).unwrap();
        assert_eq!((layout.tiles, layout.grid, layout.zeroed, layout.bytes), (2442, 400, 0, 0));
        let faulty = Shape { can_fault: true, ..shape() };
        let layout = Layout::of(&faulty, &sink("store v0"), Form::Whole, 0, 5000).unwrap();
        assert_eq!((layout.tiles, layout.grid, layout.zeroed, layout.bytes), (2, 2, 64, 64));
    }

    #[test]
    fn scratch_by_sink_and_form() {
        let bytes = |sink: &Sink, form, first_row, rows| Layout::of(&shape(), sink, form, first_row, rows).unwrap();
        let compact = sink("compact v0");
        assert_eq!(bytes(&compact, Form::Whole, 0, 1).zeroed, 64 + 64 + 16);
        assert_eq!(bytes(&compact, Form::Whole, 4000, 200).zeroed, 64 + 64 + 3 * 16, "rows of two tiles");
        assert_eq!(bytes(&compact, Form::Whole, 4000, 200).tiles, 2);
        let reduce = sink("reduce sum(v0)");
        assert_eq!(bytes(&reduce, Form::Whole, 0, 0).zeroed, 128);
        assert_eq!(bytes(&reduce, Form::Whole, 0, 0).grid, 1);
        assert_eq!(bytes(&reduce, Form::Whole, 4096 * 7, 4096 * 2).zeroed, 128 + 2 * 32, "two groups of eight leaves");
        let partial = bytes(&reduce, Form::Partial, 4096 * 7, 4096 * 2 + 1);
        assert_eq!((partial.zeroed, partial.leaves), (128 + 3 * 32, 3));
    }

    #[test]
    fn blocks_have_memory_of_their_own_behind_it() {
        let shape = Shape { block_scratch: 1000, ..shape() };
        let layout = Layout::of(&shape, &sink("compact v0"), Form::Whole, 0, 4096 * 3).unwrap();
        assert_eq!((layout.zeroed, layout.blocks, layout.bytes), (64 + 64 + 4 * 16, 256, 256 + 3000));
    }

    #[test]
    fn numbers_that_do_not_fit() {
        let wide = Shape { leaf_bytes: u64::MAX, ..shape() };
        assert_eq!(Layout::of(&wide, &sink("reduce sum(v0)"), Form::Partial, 0, 1 << 40), None);
    }
}
