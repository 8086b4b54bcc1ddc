//! The leaf tree: in go rows in source order, out come nodes with an accumulator a fold, and at the end the folds' results.
//!
//! **Inside a leaf** (4,096 rows by source row number) a float sum has 128 accumulators from −0.0. Row `r` adds to
//! accumulator `r % 128`, rows in order; unselected and null rows add nothing. Then accumulator `j` takes in accumulator
//! `j + 64`, then `j + 32`, … `j + 1`. **Leaves** join as siblings, left first, as soon as both are there; at the end a
//! node without a sibling moves up alone. A node of a `Scan` also says whether a segment starts in it: then what lies
//! left of it does not reach beyond it.

use super::Inputs;
use super::fault::Fault;
use super::fold::{Accumulator, Folding, read_all};
use super::row::Rows;
use crate::body::ValueId;
use crate::data::TableData;
use crate::kernel::{Fold, Kernel, LEAF_LANES, LEAF_ROWS};
use crate::types::{Scalar, Type};
use std::ops::Range;

/// A node of the leaf tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The node covers `2^level` leaves.
    pub(super) level: u8,
    /// Its number among those of its level.
    pub(super) index: u64,
    /// Whether a segment starts in it.
    pub(super) starts: bool,
    /// An accumulator a fold.
    pub(super) accumulators: Vec<Accumulator>,
}

impl Node {
    /// Takes in what comes right of this.
    pub(super) fn append(&mut self, right: &Node) {
        if right.starts {
            self.accumulators.clone_from(&right.accumulators);
        } else {
            for (one, other) in self.accumulators.iter_mut().zip(&right.accumulators) {
                one.combine(other);
            }
        }
        self.starts |= right.starts;
    }

    fn is_left_sibling_of(&self, right: &Node) -> bool {
        self.level == right.level && self.index.is_multiple_of(2) && right.index == self.index + 1
    }
}

/// Appends a node behind all others and joins siblings.
pub(super) fn push_node(nodes: &mut Vec<Node>, node: Node) {
    let mut last = node;
    while let Some(mut left) = nodes.pop_if(|left| left.is_left_sibling_of(&last)) {
        left.append(&last);
        last = Node { level: left.level + 1, index: left.index / 2, ..left };
    }
    nodes.push(last);
}

/// The leaves that the inputs' rows lie in, each with those rows.
pub(super) fn leaves(inputs: &Inputs<'_>) -> impl Iterator<Item = (u64, Range<usize>)> + use<> {
    let (first, rows, leaf_rows) = (inputs.first_row, inputs.rows, LEAF_ROWS as u64);
    let end = if rows == 0 { first / leaf_rows } else { (first + rows as u64 - 1) / leaf_rows + 1 };
    (first / leaf_rows..end).map(move |leaf| {
        let from = (leaf * leaf_rows).saturating_sub(first) as usize;
        let to = ((leaf + 1) * leaf_rows - first) as usize;
        (leaf, from..to.min(rows))
    })
}

/// The nodes of a `Reduce` over the inputs.
pub(super) fn partial(kernel: &Kernel, inputs: &Inputs<'_>, folds: &[Folding]) -> Result<Vec<Node>, Fault> {
    let mut rows = Rows::new(kernel, inputs);
    let mut nodes = Vec::new();
    let mut leaf_folds: Vec<LeafFold> = folds.iter().map(|fold| LeafFold::new(fold.nothing)).collect();
    for (leaf, range) in leaves(inputs) {
        for row in range {
            rows.start(row);
            while rows.next_selected()? {
                let lane = (rows.source_row() % LEAF_LANES as u64) as usize;
                for (fold, leaf_fold) in folds.iter().zip(&mut leaf_folds) {
                    leaf_fold.add(lane, fold_input(&mut rows, &fold.fold)?);
                }
            }
        }
        let accumulators = leaf_folds.iter_mut().map(LeafFold::take).collect();
        push_node(&mut nodes, Node { level: 0, index: leaf, starts: false, accumulators });
    }
    Ok(nodes)
}

/// The results of a `Reduce`: what is left of the tree is joined, lone nodes moving up.
pub(super) fn finish(mut nodes: Vec<Node>, folds: &[Folding]) -> Result<Vec<Option<Scalar>>, Fault> {
    while nodes.len() > 1 {
        let lowest = nodes.iter().map(|node| node.level).min().unwrap_or(0);
        let mut upper: Vec<Node> = Vec::with_capacity(nodes.len());
        for mut node in nodes {
            if node.level == lowest {
                node.level += 1;
                node.index /= 2;
            }
            match upper.last_mut() {
                Some(last) if (last.level, last.index) == (node.level, node.index) => last.append(&node),
                Some(_) | None => upper.push(node),
            }
        }
        nodes = upper;
    }
    let nothing: Vec<Accumulator> = folds.iter().map(|fold| fold.nothing).collect();
    let accumulators = nodes.pop().map_or(nothing, |root| root.accumulators);
    folds.iter().zip(&accumulators).map(|(fold, accumulator)| fold.finish(accumulator)).collect()
}

/// What a fold takes in from the current row; a fold without a value counts rows.
pub(super) fn fold_input(rows: &mut Rows<'_>, fold: &Fold) -> Result<Option<Scalar>, Fault> {
    fold.value().map_or(Ok(Some(Scalar::Bool(true))), |v: ValueId| rows.value(v))
}

/// The nodes that a table holds; `flagged` if it has the column that says whether a segment starts.
pub(super) fn read_nodes(table: &TableData, folds: &[Folding], flagged: bool) -> Vec<Node> {
    let whole = |value: Option<Scalar>| value.and_then(Scalar::as_integer).unwrap_or(0);
    let read = |row| {
        let columns = table.row(row);
        Node {
            level: whole(columns[0]) as u8,
            index: whole(columns[1]) as u64,
            starts: flagged && columns[2] == Some(Scalar::Bool(true)),
            accumulators: read_all(folds, &columns[2 + usize::from(flagged)..]),
        }
    };
    (0..table.rows).map(read).collect()
}

/// The table of these nodes.
pub(super) fn write_nodes(nodes: &[Node], schema: &[Type], flagged: bool) -> TableData {
    let mut table = TableData::empty(schema);
    let mut row = Vec::with_capacity(schema.len());
    for node in nodes {
        row.clear();
        row.extend([Some(Scalar::U8(node.level)), Some(Scalar::U64(node.index))]);
        row.extend(flagged.then_some(Some(Scalar::Bool(node.starts))));
        for accumulator in &node.accumulators {
            accumulator.write(&mut row);
        }
        table.push(&row);
    }
    table
}

/// The fold of a leaf under way: lanes for a float sum, one accumulator otherwise.
pub(super) struct LeafFold {
    nothing: Accumulator,
    lanes: Vec<Accumulator>,
}

impl LeafFold {
    pub(super) fn new(nothing: Accumulator) -> LeafFold {
        let lanes = if matches!(nothing, Accumulator::Float(_)) { LEAF_LANES } else { 1 };
        LeafFold { nothing, lanes: vec![nothing; lanes] }
    }

    pub(super) fn add(&mut self, lane: usize, value: Option<Scalar>) {
        let lanes = self.lanes.len();
        self.lanes[lane % lanes].add(value);
    }

    /// The leaf's accumulator; the next leaf starts afresh.
    pub(super) fn take(&mut self) -> Accumulator {
        let mut half = self.lanes.len() / 2;
        while half > 0 {
            let (low, high) = self.lanes.split_at_mut(half);
            for (one, other) in low.iter_mut().zip(high) {
                one.combine(other);
            }
            half /= 2;
        }
        let result = self.lanes[0];
        self.lanes.fill(self.nothing);
        result
    }
}
