//! Accumulators and the leaf tree: leaves are added in order and joined into the nodes that cover them, and finally
//! into a root.

use super::block::fold::exact_sum;
use pointsman_ir::kernel::FoldOp;
use pointsman_ir::types::{DType, Repr, Scalar, Type};
use std::cmp::Ordering;

/// The state of a fold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Acc {
    /// A count of rows.
    Count(u64),
    /// A sum of integers or unscaled decimals.
    Exact(i128),
    /// A sum of `f32` values.
    F32(f32),
    /// A sum of `f64` values.
    F64(f64),
    /// The minimum so far.
    Min(Option<Scalar>),
    /// The maximum so far.
    Max(Option<Scalar>),
}

impl Acc {
    /// The identity of a fold.
    pub(crate) fn identity(op: FoldOp, repr: Repr) -> Acc {
        match op {
            FoldOp::Count => Acc::Count(0),
            FoldOp::Sum if repr == Repr::F32 => Acc::F32(-0.0),
            FoldOp::Sum if repr == Repr::F64 => Acc::F64(-0.0),
            FoldOp::Sum | FoldOp::Total => Acc::Exact(0),
            FoldOp::Min => Acc::Min(None),
            FoldOp::Max => Acc::Max(None),
        }
    }

    /// Combines with the accumulator to the right. It is read in place: a copy of bytes that were just written would
    /// stall.
    #[inline]
    pub(super) fn combine(&mut self, right: &Acc) {
        match (self, right) {
            (Acc::Count(count), Acc::Count(other)) => *count += other,
            (Acc::Exact(sum), Acc::Exact(other)) => *sum = exact_sum(*sum, *other),
            (Acc::F32(sum), Acc::F32(other)) => *sum += other,
            (Acc::F64(sum), Acc::F64(other)) => *sum += other,
            (Acc::Min(best), Acc::Min(Some(other))) => {
                if best.as_ref().is_none_or(|best| total(other, best).is_lt()) {
                    *best = Some(*other);
                }
            }
            (Acc::Max(best), Acc::Max(Some(other))) => {
                if best.as_ref().is_none_or(|best| total(other, best).is_gt()) {
                    *best = Some(*other);
                }
            }
            (Acc::Min(_), Acc::Min(None)) | (Acc::Max(_), Acc::Max(None)) => {}
            (left, right) => unreachable!("accumulators of two folds meet: {left:?}, {right:?}"),
        }
    }

    /// Adds one value.
    pub(super) fn add(&mut self, value: Scalar) {
        let one = match (*self, value) {
            (Acc::Count(_), _) => Acc::Count(1),
            (Acc::F32(_), Scalar::F32(value)) => Acc::F32(value),
            (Acc::F64(_), Scalar::F64(value)) => Acc::F64(value),
            (Acc::Min(_), value) => Acc::Min(Some(value)),
            (Acc::Max(_), value) => Acc::Max(Some(value)),
            (Acc::Exact(_) | Acc::F32(_) | Acc::F64(_), value) => Acc::Exact(value.as_integer().unwrap_or(0)),
        };
        self.combine(&one);
    }

    /// The accumulator as a partial result stores it.
    pub(crate) fn kept(self) -> Option<Scalar> {
        match self {
            Acc::Count(count) => Some(Scalar::U64(count)),
            Acc::Exact(sum) => Some(Scalar::I128(sum)),
            Acc::F32(sum) => Some(Scalar::F32(sum)),
            Acc::F64(sum) => Some(Scalar::F64(sum)),
            Acc::Min(best) | Acc::Max(best) => best,
        }
    }

    /// The result of the fold; an error if it does not fit its type. A float sum is never −0.
    pub(super) fn finish(self, output: Type) -> Result<Option<Scalar>, OutOfRange> {
        match self {
            Acc::Exact(sum) => finish_exact(sum, output.dtype).map(Some),
            Acc::F32(sum) => Ok(Some(Scalar::F32(sum + 0.0))),
            Acc::F64(sum) => Ok(Some(Scalar::F64(sum + 0.0))),
            Acc::Count(_) | Acc::Min(_) | Acc::Max(_) => Ok(self.kept()),
        }
    }
}

/// A sum that does not fit its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutOfRange;

/// An exact sum in the type of its output.
pub(super) fn finish_exact(sum: i128, output: DType) -> Result<Scalar, OutOfRange> {
    if let DType::Decimal { precision, .. } = output
        && sum.unsigned_abs() >= 10u128.pow(precision.into())
    {
        return Err(OutOfRange);
    }
    Scalar::from_integer(output.repr(), sum).ok_or(OutOfRange)
}

/// The order of min and max: −0 below +0, NaN on top.
pub(super) fn total(a: &Scalar, b: &Scalar) -> Ordering {
    let float = |a: f64, b: f64| match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a, b) => a.cmp(&b),
    };
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => float((*a).into(), (*b).into()),
        (Scalar::F64(a), Scalar::F64(b)) => float(*a, *b),
        (a, b) => a.as_integer().cmp(&b.as_integer()),
    }
}

/// The position of a node in the leaf tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeHead {
    /// The node covers `2^level` leaves.
    pub(crate) level: u8,
    /// The number of the node on its level.
    pub(crate) index: u64,
    /// Whether a segment starts in the node.
    pub(crate) starts: bool,
}

impl NodeHead {
    /// The number of the first leaf that the node covers.
    fn first_leaf(self) -> u64 {
        self.index << self.level
    }
}

/// Nodes in order of position, siblings joined, each with one accumulator per fold.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    heads: Vec<NodeHead>,
    accs: Vec<Acc>,
    folds: usize,
}

impl Nodes {
    /// An empty list of nodes with `folds` accumulators each.
    pub(crate) fn new(folds: usize) -> Nodes {
        Nodes { heads: Vec::new(), accs: Vec::new(), folds }
    }

    /// Every node with its accumulators.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (NodeHead, &[Acc])> {
        self.heads.iter().enumerate().map(|(i, head)| (*head, &self.accs[i * self.folds..(i + 1) * self.folds]))
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    /// Removes all nodes.
    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.accs.clear();
    }

    /// Appends a node after all others and joins siblings.
    pub(super) fn push(&mut self, head: NodeHead, accs: &[Acc]) {
        self.push_each(head, accs.iter().copied());
    }

    /// Appends a node after all others, with accumulators from an iterator, and joins siblings.
    pub(crate) fn push_each(&mut self, head: NodeHead, accs: impl Iterator<Item = Acc>) {
        self.heads.push(head);
        self.accs.extend(accs);
        self.join_siblings();
    }

    /// Appends a leaf after all others, whose accumulators `write` fills by fold number, and joins siblings.
    pub(super) fn push_leaf(&mut self, index: u64, write: impl Fn(usize, &mut Acc)) {
        self.heads.push(NodeHead { level: 0, index, starts: false });
        let start = self.accs.len();
        self.accs.resize(start + self.folds, Acc::Count(0));
        self.accs[start..].iter_mut().enumerate().for_each(|(fold, acc)| write(fold, acc));
        self.join_siblings();
    }

    fn join_siblings(&mut self) {
        while let [.., left, right] = self.heads[..] {
            if left.level != right.level || !left.index.is_multiple_of(2) || right.index != left.index + 1 {
                break;
            }
            self.join_last(NodeHead { level: left.level + 1, index: left.index / 2, starts: left.starts });
        }
    }

    /// Reserves room for one node per morsel and for the nodes that exist while joining.
    pub(super) fn reserve(&mut self, morsels: usize) {
        let nodes = morsels + u64::BITS as usize;
        self.heads.reserve(nodes);
        self.accs.reserve(nodes * self.folds);
    }

    /// Merges nodes that lie between and after these; `spare` is scratch memory.
    pub(super) fn merge(&mut self, other: &Nodes, spare: &mut Nodes) {
        spare.clear();
        spare.reserve(self.len() + other.len());
        let mut ours = self.iter().peekable();
        for (head, accs) in other.iter() {
            while let Some((ours, accs)) = ours.next_if(|(ours, _)| ours.first_leaf() < head.first_leaf()) {
                spare.push(ours, accs);
            }
            spare.push(head, accs);
        }
        ours.for_each(|(head, accs)| spare.push(head, accs));
        std::mem::swap(self, spare);
    }

    /// Joins the last two nodes into one with this head (a start in either is kept).
    fn join_last(&mut self, head: NodeHead) {
        let right = self.heads.pop().expect("two nodes are joined");
        let last = self.heads.last_mut().expect("two nodes are joined");
        *last = NodeHead { starts: head.starts | right.starts, ..head };
        let at = self.accs.len() - self.folds;
        let (left, accs) = self.accs.split_at_mut(at);
        let left = &mut left[at - self.folds..];
        append(left, right.starts, accs);
        self.accs.truncate(at);
    }

    /// Appends the fold of all nodes, in order, to `carries`.
    pub(super) fn carry(&self, identity: &[Acc], carries: &mut Vec<Acc>) {
        let start = carries.len();
        carries.extend_from_slice(identity);
        for (head, accs) in self.iter() {
            append(&mut carries[start..], head.starts, accs);
        }
    }

    /// Joins all nodes like the tree does: a node without a sibling moves up alone. Returns the accumulators of the
    /// root; empty if there are no nodes.
    pub(super) fn root(&mut self) -> &[Acc] {
        while self.heads.len() > 1 {
            let lowest = self.heads.iter().map(|head| head.level).min().unwrap_or(0);
            let nodes = self.heads.len();
            let mut kept = 0;
            for node in 0..nodes {
                let mut head = self.heads[node];
                if head.level == lowest {
                    head = NodeHead { level: head.level + 1, index: head.index / 2, ..head };
                }
                if kept > 0 && (self.heads[kept - 1].level, self.heads[kept - 1].index) == (head.level, head.index) {
                    let (left, right) = self.accs.split_at_mut(node * self.folds);
                    append(&mut left[(kept - 1) * self.folds..][..self.folds], head.starts, &right[..self.folds]);
                    self.heads[kept - 1].starts |= head.starts;
                    continue;
                }
                self.heads[kept] = head;
                self.accs.copy_within(node * self.folds..(node + 1) * self.folds, kept * self.folds);
                kept += 1;
            }
            self.heads.truncate(kept);
            self.accs.truncate(kept * self.folds);
        }
        &self.accs
    }
}

/// Combines with accumulators to the right; a segment that starts there hides the left side.
pub(super) fn append(left: &mut [Acc], starts: bool, right: &[Acc]) {
    for (left, right) in left.iter_mut().zip(right) {
        if starts {
            *left = *right;
        } else {
            left.combine(right);
        }
    }
}
