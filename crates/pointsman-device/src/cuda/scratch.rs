//! The grid of a launch, and the layout of its scratch memory: the status block, then counters with nodes or records
//! (the part that the program requests is zeroed before the launch), then memory of each block of the grid. Pure
//! arithmetic.

use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::render::cuda::{Kind, Needs, SCRATCH_HEAD, Words};

/// The size of the status block, and the room reserved for it.
pub(super) const STATUS_BYTES: usize = 8 * Words::STATUS_WORDS;
const STATUS_ROOM: u64 = 64;
/// The offset of the records of leaves or nodes, after the counter.
const RECORDS: u64 = STATUS_ROOM + SCRATCH_HEAD;
/// The alignment of a block's own memory.
const BLOCK_SCRATCH_ALIGN: u64 = 256;

/// The grid and the scratch layout of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScratchLayout {
    /// The number of tiles.
    pub(super) tiles: u64,
    /// The number of blocks.
    pub(super) grid: u32,
    /// Bytes from the start that are zeroed; 0 if nothing is stored there.
    pub(super) zeroed: u64,
    /// Bytes before the blocks' own memory.
    kept: u64,
    /// The total size.
    pub(super) bytes: u64,
    /// The number of leaves that the rows lie in.
    pub(super) leaves: u64,
}

impl ScratchLayout {
    /// The layout of a launch over a range of rows.
    pub(super) fn of(needs: &Needs, resident_blocks: u32, first_row: u64, rows: u64, partial: bool) -> ScratchLayout {
        let geometry = needs.geometry(first_row, rows, partial);
        // Persistent blocks, which process several tiles each, are as few as run at once.
        let stay = match needs.kind {
            Kind::Stream { .. } => true,
            Kind::Store | Kind::Reduce { .. } => needs.block_scratch != 0,
        };
        let most = if stay { u64::from(resident_blocks).max(1) } else { u64::MAX };
        let grid = geometry.tiles.clamp(1, most);
        let head = if has_status(needs) { STATUS_ROOM } else { 0 };
        let (zeroed, kept) = (head + geometry.zeroed_bytes, head + geometry.scratch_bytes);
        let blocks = needs.block_scratch.saturating_mul(grid);
        let bytes = if blocks == 0 { kept } else { blocks_start(kept).saturating_add(blocks) };
        // Grids end at 2^31 - 1 blocks: far beyond any possible number of rows.
        let grid = u32::try_from(grid).unwrap_or(u32::MAX).min(i32::MAX as u32);
        ScratchLayout { tiles: geometry.tiles, grid, zeroed, kept, bytes, leaves: rows.div_ceil(LEAF_ROWS as u64) }
    }

    /// The offset of the counter, which nodes or records follow.
    pub(super) fn counter(&self) -> u64 {
        STATUS_ROOM
    }

    /// The offset of the records of leaves.
    pub(super) fn records(&self) -> u64 {
        RECORDS
    }

    /// The offset of the blocks' own memory.
    pub(super) fn blocks(&self) -> u64 {
        blocks_start(self.kept)
    }
}

fn blocks_start(kept: u64) -> u64 {
    kept.next_multiple_of(BLOCK_SCRATCH_ALIGN)
}

/// Whether a launch needs a status block; otherwise its outcome is known before it runs.
pub(super) fn has_status(needs: &Needs) -> bool {
    needs.can_fault || needs.can_stop || needs.kind != Kind::Store
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(kind: Kind) -> Needs {
        let (threads, tile_rows, can_fault, can_stop) = (256, 4096, false, false);
        Needs { threads, tile_rows, shared_bytes: 0, block_scratch: 0, kind, can_fault, can_stop }
    }

    #[test]
    fn a_store_that_cannot_fault_has_no_scratch() {
        let layout = ScratchLayout::of(&needs(Kind::Store), 100, 0, 10_000_000, false);
        assert_eq!((layout.tiles, layout.grid, layout.zeroed, layout.bytes), (2442, 2442, 0, 0));
        let faulty = Needs { can_fault: true, ..needs(Kind::Store) };
        let long = Needs { can_stop: true, ..needs(Kind::Store) };
        for other in [faulty, long] {
            let layout = ScratchLayout::of(&other, 100, 0, 5000, false);
            assert_eq!((layout.tiles, layout.grid, layout.zeroed, layout.bytes), (2, 2, 64, 64));
        }
    }

    #[test]
    fn nodes_and_records_follow_the_counter() {
        let compact = needs(Kind::Stream { node_words: 2, leaves: false });
        assert_eq!(ScratchLayout::of(&compact, 100, 0, 1, false).zeroed, 64 + 64 + 16);
        assert_eq!(
            ScratchLayout::of(&compact, 100, 0, 8000, false).zeroed,
            64 + 64 + 3 * 16,
            "two tiles and their parent"
        );
        assert_eq!(ScratchLayout::of(&compact, 100, 0, 1 << 30, false).grid, 100, "blocks take several tiles each");
        assert_eq!(ScratchLayout::of(&compact, 100, 0, 8000, false).grid, 2);
        let reduce = Needs { tile_rows: 8 * 4096, ..needs(Kind::Reduce { group_bytes: 48, leaf_bytes: 32 }) };
        assert_eq!(ScratchLayout::of(&reduce, 100, 0, 0, false).grid, 1, "a fold of nothing runs");
        let partial = ScratchLayout::of(&reduce, 100, 7 * 4096, 2 * 4096 + 1, true);
        assert_eq!((partial.zeroed, partial.bytes, partial.leaves), (128 + 3 * 32, 128 + 3 * 32, 3));
        assert_eq!(partial.records(), 128);
        let whole = ScratchLayout::of(&reduce, 100, 0, 1 << 28, false);
        let parents: u64 = 8192 / 32 + 8 + 1;
        assert_eq!(whole.zeroed, 128 + (parents * 4).next_multiple_of(64));
        assert_eq!(whole.bytes, whole.zeroed + (8192 + parents) * 48);
    }

    #[test]
    fn block_scratch_follows_nodes_and_records() {
        let own = Needs { block_scratch: 1000, ..needs(Kind::Stream { node_words: 2, leaves: true }) };
        let layout = ScratchLayout::of(&own, 100, 0, 4096 * 3, false);
        assert_eq!((layout.zeroed, layout.blocks(), layout.bytes), (64 + 64 + 4 * 16, 256, 256 + 3000));
        let store = Needs { block_scratch: 1000, ..needs(Kind::Store) };
        assert_eq!(ScratchLayout::of(&store, 100, 0, 1, false).bytes, 1000);
        assert_eq!(ScratchLayout::of(&store, 100, 0, 1 << 30, false).grid, 100, "no more than run at once");
    }
}
