//! The interface of a rendered kernel to the host: its text, its bindings, and the size of its nodes.

use super::arguments::Arguments;
use super::folds::Kind;
use super::look_back::COUNT_BITS;
use super::memory::Reads;
use super::row::Writer;
use super::staged::Tile;
use super::types::needs_64_bit;
use super::{reduce, reduce_quads};
use crate::kernel::{LEAF_ROWS, StreamingSink};
use crate::types::{Repr, Scalar};

/// Memory that a program binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binding {
    /// A column's values.
    Column(usize),
    /// A column's bitmap.
    ColumnValidity(usize),
    /// A captured table.
    List(usize),
    /// A column of another table.
    TableColumn(usize, usize),
    /// The bitmap of a column of another table.
    TableValidity(usize, usize),
    /// An output's values.
    Output(usize),
    /// An output's bitmap.
    OutputValidity(usize),
    /// The nodes of the leaf tree.
    Nodes,
}

impl Binding {
    /// Whether the program writes there.
    pub fn is_written(self) -> bool {
        match self {
            Binding::Output(_) | Binding::OutputValidity(_) | Binding::Nodes => true,
            Binding::Column(_) | Binding::ColumnValidity(_) | Binding::List(_) => false,
            Binding::TableColumn(..) | Binding::TableValidity(..) => false,
        }
    }
}

/// A rendered kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgslSource {
    /// The text.
    pub text: String,
    /// The entry points, in the order in which they run.
    pub entries: Vec<&'static str>,
    /// The bindings after the arguments and the status words, in order.
    pub bindings: Vec<Binding>,
    /// The layout of the arguments.
    pub arguments: Arguments,
    /// The layout of a node; `None` without a tree.
    pub node: Option<NodeWords>,
    /// Rows that a workgroup of the first entry point takes; in one pass those of a node.
    pub group_rows: u32,
    /// Whether the status words are used, which must be zero before.
    pub uses_status: bool,
    /// Outputs whose bits and narrow values are joined by atomic operations, so that they must be zero before.
    pub joined: Vec<Binding>,
}

/// A node of the leaf tree as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeWords {
    pub(super) kinds: Vec<Kind>,
    pub(super) counts: bool,
    pub(super) segments: bool,
    /// Whether the count has a tag above it.
    pub(super) tagged: bool,
}

impl NodeWords {
    /// The number of words.
    pub fn len(&self) -> usize {
        self.folds() + usize::from(self.counts) + usize::from(self.segments)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn folds(&self) -> usize {
        self.kinds.iter().map(|kind| kind.words() as usize).sum()
    }

    /// The number of selected rows, if the sink counts them.
    pub fn count(&self, words: &[u32]) -> u32 {
        let mask = if self.tagged { (1 << COUNT_BITS) - 1 } else { u32::MAX };
        if self.counts { words[self.folds()] & mask } else { 0 }
    }

    /// Whether a segment starts in the node.
    pub fn starts(&self, words: &[u32]) -> bool {
        self.segments && words[self.folds() + usize::from(self.counts)] != 0
    }

    /// The columns of the folds' accumulators, as a partial result holds them.
    pub fn accumulators(&self, mut words: &[u32]) -> Vec<Option<Scalar>> {
        let mut columns = Vec::with_capacity(self.kinds.len());
        for kind in &self.kinds {
            let (own, rest) = words.split_at(kind.words() as usize);
            columns.push(accumulator(*kind, own));
            words = rest;
        }
        columns
    }
}

fn accumulator(kind: Kind, words: &[u32]) -> Option<Scalar> {
    let bits = |words: &[u32]| words.iter().rev().fold(0u128, |bits, &word| bits << 32 | u128::from(word));
    let value =
        |repr: Repr| Scalar::from_bits(repr, bits(&words[..if needs_64_bit(repr) { 2 } else { 1 }])).canonical();
    match kind {
        Kind::Count => Some(Scalar::U64(words[0].into())),
        Kind::Sum(_) => Some(Scalar::I128(bits(words) as i128)),
        Kind::Float(repr) => Some(value(repr)),
        Kind::Best(repr, _) => (words[words.len() - 1] != 0).then(|| value(repr)),
    }
}

impl WgslSource {
    /// Whether rows move: their number is in the tree's root, or with one pass in the last node.
    pub fn moves(&self) -> bool {
        self.is_single_pass() || self.entries.contains(&"write")
    }

    /// Whether all is done in one pass; the nodes must be zero before.
    pub fn is_single_pass(&self) -> bool {
        self.entries.contains(&"compact")
    }
}

/// The entry points of a sink, in the order in which they run.
pub(super) fn entries(sink: StreamingSink<'_>, single_pass: bool) -> Vec<&'static str> {
    match sink {
        StreamingSink::Store { .. } => vec!["store"],
        StreamingSink::Compact { .. } if single_pass => vec!["compact"],
        StreamingSink::Reduce { .. } => vec!["leaves", "join"],
        StreamingSink::Compact { .. } | StreamingSink::Scan { .. } => vec!["leaves", "join", "carry", "write"],
    }
}

/// Rows that a workgroup of the kernel's first entry point takes.
pub(super) fn group_rows(writer: &Writer<'_>, sink: StreamingSink<'_>) -> u32 {
    let leaf = LEAF_ROWS as u32;
    match sink {
        StreamingSink::Reduce { folds } if reduce::reads(writer, folds) == Reads::Quads => {
            reduce_quads::GROUP_LEAVES * leaf
        }
        StreamingSink::Compact { .. } => Tile::of(writer).map_or(leaf, Tile::rows),
        StreamingSink::Reduce { .. } | StreamingSink::Store { .. } | StreamingSink::Scan { .. } => leaf,
    }
}
