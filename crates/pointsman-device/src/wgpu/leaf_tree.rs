//! The layout of the leaf tree of a launch: the offset of each level, the nodes that cover the rows, and the root.
//! Rendered kernels compute the same numbers.

use pointsman_ir::render::wgsl::JOIN_LEVELS;

/// The low bits of a leaf's number that decide how it joins others. A launch of fewer than 2^32 rows has at most 2^20
/// leaves, so beyond these bits there is at most one boundary, and three rounds of `join` reach the root.
const NUMBER_BITS: u32 = 22;

/// The leaf tree of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeafTree {
    /// The low bits of the first leaf's number in the source.
    pub(super) first: u32,
    /// The number of leaves, at least one.
    pub(super) leaves: u32,
}

/// A node: its level, its number in the source, and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CoveringNode {
    pub(super) level: u32,
    pub(super) index: u64,
    pub(super) at: u64,
}

impl LeafTree {
    /// The tree of `leaves` leaves, from leaf `first_leaf` of the source.
    pub(super) fn new(first_leaf: u64, leaves: u32) -> LeafTree {
        LeafTree { first: (first_leaf & ((1 << NUMBER_BITS) - 1)) as u32, leaves }
    }

    /// The number of nodes of a level.
    pub(super) fn level_nodes(self, level: u32) -> u64 {
        let last = self.first + self.leaves - 1;
        u64::from((last >> level) - (self.first >> level) + 1)
    }

    /// The offset of a level, in nodes.
    pub(super) fn level_start(self, level: u32) -> u64 {
        (0..level).map(|level| self.level_nodes(level)).sum()
    }

    /// The levels that `join` starts from, one dispatch each.
    pub(super) fn joins(self) -> impl Iterator<Item = u32> {
        (0..).map(|round| round * JOIN_LEVELS).take_while(move |&level| self.level_nodes(level) > 1)
    }

    /// The number of workgroups of a `join` from this level.
    pub(super) fn join_groups(self, level: u32) -> u64 {
        self.level_nodes(level + JOIN_LEVELS)
    }

    /// The number of nodes of all levels.
    pub(super) fn nodes(self) -> u64 {
        let levels = self.joins().count() as u32 * JOIN_LEVELS;
        self.level_start(levels + 1)
    }

    /// The offset of the root, in nodes.
    pub(super) fn root(self) -> u64 {
        let level = (0..).find(|&level| self.level_nodes(level) == 1).unwrap_or(0);
        self.level_start(level)
    }

    /// The minimal set of nodes that covers the leaves, in order.
    pub(super) fn covering(self, first_leaf: u64) -> Vec<CoveringNode> {
        let (mut leaf, end) = (first_leaf, first_leaf + u64::from(self.leaves));
        let high = first_leaf - u64::from(self.first);
        let mut nodes = Vec::new();
        while leaf < end {
            let level = leaf.trailing_zeros().min((end - leaf).ilog2());
            let low = (leaf - high) >> level;
            let at = self.level_start(level) + low - u64::from(self.first >> level);
            nodes.push(CoveringNode { level, index: leaf >> level, at });
            leaf += 1 << level;
        }
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn covering_nodes_cover_every_leaf_once() {
        for first in [0u64, 1, 3, 7, 250, 255, 256, (1 << 22) - 3, (1 << 24) - 3, (1 << 40) + 5] {
            for leaves in [1u32, 2, 3, 8, 255, 256, 257, 1000, 70_000, 1 << 20] {
                let tree = LeafTree::new(first, leaves);
                let mut next = first;
                for node in tree.covering(first) {
                    assert_eq!(node.index << node.level, next, "{tree:?}");
                    let inside = node.at - tree.level_start(node.level);
                    assert!(inside < tree.level_nodes(node.level), "{tree:?} {node:?}");
                    next += 1 << node.level;
                }
                assert_eq!(next, first + u64::from(leaves));
                assert!(tree.root() < tree.nodes() && tree.joins().count() <= 3);
            }
        }
    }
}
