//! Joins as equi-joins, filters, projections and unions. In: a join over nodes that are written. Out: the node of its
//! rows, with the join's schema.

use super::{Expansion, PairColumns};
use crate::body::ValueId;
use crate::kernel::{Fold, Frame, Running};
use crate::op::Op;
use crate::plan::{EquiJoinKind, Join, JoinKey, JoinKind, NodeId, NodeKind, PlanError};
use crate::types::{DType, Scalar, Schema};

/// A node whose rows are numbered, with keys as columns.
pub(super) struct Numbered {
    pub(super) node: NodeId,
    /// The first of the key columns; the input's columns come before.
    pub(super) keys_at: u32,
    /// The column of the numbers.
    pub(super) number: u32,
}

/// The two sides of keys.
pub(super) struct KeySides {
    pub(super) left: Vec<ValueId>,
    pub(super) right: Vec<ValueId>,
}

impl Expansion {
    /// Writes out a join.
    pub(super) fn join(&mut self, join: &Join, schema: &Schema) -> Result<NodeId, PlanError> {
        let node = match join.kind {
            JoinKind::Inner => self.inner(join)?,
            JoinKind::Left => self.left(join)?,
            JoinKind::Right => self.right(join)?,
            JoinKind::Full => self.full(join)?,
            JoinKind::Semi => self.existence(join, EquiJoinKind::Semi)?,
            JoinKind::Anti => self.existence(join, EquiJoinKind::Anti)?,
            JoinKind::Mark => self.mark(join)?,
            JoinKind::Cross { pairs_max } => {
                let pairs = self.cross(join.left, join.right, pairs_max);
                self.where_residual(join, pairs)
            }
        };
        self.plan.nodes[node.index()].schema = schema.clone();
        Ok(node)
    }

    fn inner(&mut self, join: &Join) -> Result<NodeId, PlanError> {
        let keys = self.keys(&join.keys)?;
        let pairs = self.equi_join(EquiJoinKind::Inner, [join.left, join.right], keys);
        Ok(self.where_residual(join, pairs))
    }

    fn left(&mut self, join: &Join) -> Result<NodeId, PlanError> {
        let keys = self.keys(&join.keys)?;
        let Some(residual) = join.residual else {
            return Ok(self.equi_join(EquiJoinKind::Left, [join.left, join.right], keys));
        };
        let width = self.width(join.left);
        let (numbered, matches, right_at) = self.matches(join, keys, residual)?;
        let mut columns = self.columns(matches, [numbered.number]);
        columns.extend(self.columns(matches, right_at..right_at + self.width(join.right)));
        let matches = self.project(matches, columns);
        let joined = self.join_numbers(EquiJoinKind::Left, &numbered, matches);
        let first = self.width(numbered.node) + 1;
        let columns = self.columns(joined, (0..width).chain(first..first + self.width(join.right)));
        Ok(self.project(joined, columns))
    }

    /// The left join with its sides swapped, the columns put back.
    fn right(&mut self, join: &Join) -> Result<NodeId, PlanError> {
        let (left, right) = (self.width(join.left), self.width(join.right));
        let swapped = self.left(&swapped(join, JoinKind::Left))?;
        let columns = self.columns(swapped, (right..right + left).chain(0..right));
        Ok(self.project(swapped, columns))
    }

    /// The left join, then the right rows without a match, with nulls on the left.
    fn full(&mut self, join: &Join) -> Result<NodeId, PlanError> {
        let matched = self.left(&Join { kind: JoinKind::Left, ..join.clone() })?;
        let unmatched = self.existence(&swapped(join, JoinKind::Anti), EquiJoinKind::Anti)?;
        let types = self.plan.node(join.left).schema.types();
        let mut columns: Vec<ValueId> = types.into_iter().map(|ty| self.null(ty.dtype)).collect();
        columns.extend(self.columns(unmatched, 0..self.width(join.right)));
        let unmatched = self.project(unmatched, columns);
        Ok(self.push(NodeKind::Union { inputs: vec![matched, unmatched] }))
    }

    /// Semi and anti joins.
    fn existence(&mut self, join: &Join, kind: EquiJoinKind) -> Result<NodeId, PlanError> {
        let keys = self.keys(&join.keys)?;
        let Some(residual) = join.residual else {
            return Ok(self.equi_join(kind, [join.left, join.right], keys));
        };
        let width = self.width(join.left);
        let (numbered, matches, _) = self.matches(join, keys, residual)?;
        let number = self.columns(matches, [numbered.number]);
        let matches = self.project(matches, number);
        let kept = self.join_numbers(kind, &numbered, matches);
        let columns = self.columns(kept, 0..width);
        Ok(self.project(kept, columns))
    }

    /// Every pair, through a key that all rows have.
    pub(super) fn cross(&mut self, left: NodeId, right: NodeId, pairs_max: u64) -> NodeId {
        let key = self.constant(Scalar::Bool(true), DType::Bool);
        self.push(NodeKind::EquiJoin {
            left,
            right,
            left_keys: vec![key],
            right_keys: vec![key],
            kind: EquiJoinKind::Inner,
            pairs_max: Some(pairs_max),
        })
    }

    pub(super) fn equi_join(&mut self, kind: EquiJoinKind, [left, right]: [NodeId; 2], keys: KeySides) -> NodeId {
        self.push(NodeKind::EquiJoin {
            left,
            right,
            left_keys: keys.left,
            right_keys: keys.right,
            kind,
            pairs_max: None,
        })
    }

    /// Joins numbered rows with rows whose first column is such a number.
    pub(super) fn join_numbers(&mut self, kind: EquiJoinKind, numbered: &Numbered, right: NodeId) -> NodeId {
        let keys = KeySides { left: self.columns(numbered.node, [numbered.number]), right: self.columns(right, [0]) };
        self.equi_join(kind, [numbered.node, right], keys)
    }

    fn where_residual(&mut self, join: &Join, pairs: NodeId) -> NodeId {
        let Some(residual) = join.residual else { return pairs };
        let predicate =
            self.over_pairs(residual, &PairColumns { left: join.left, pairs, right_at: self.width(join.left) });
        self.push(NodeKind::Filter { input: pairs, predicate })
    }

    /// The left rows with numbers, the pairs that match, and the place of the right columns in these.
    fn matches(
        &mut self,
        join: &Join,
        keys: KeySides,
        residual: ValueId,
    ) -> Result<(Numbered, NodeId, u32), PlanError> {
        let key_count = keys.left.len() as u32;
        let numbered = self.numbered(join.left, keys.left);
        let left = self.columns(numbered.node, numbered.keys_at..numbered.keys_at + key_count);
        let keys = KeySides { left, right: keys.right };
        let pairs = self.equi_join(EquiJoinKind::Inner, [numbered.node, join.right], keys);
        let right_at = self.width(numbered.node);
        let predicate = self.over_pairs(residual, &PairColumns { left: join.left, pairs, right_at });
        let matches = self.push(NodeKind::Filter { input: pairs, predicate });
        Ok((numbered, matches, right_at))
    }

    /// The rows with some values beside them, and a running number.
    pub(super) fn numbered(&mut self, input: NodeId, values: Vec<ValueId>) -> Numbered {
        let keys_at = self.width(input);
        let number = keys_at + values.len() as u32;
        let mut columns = self.columns(input, 0..keys_at);
        columns.extend(values);
        let running = vec![Running { fold: Fold::COUNT_ROWS, frame: Frame::Unbounded }];
        let node = self.push(NodeKind::Scan { input, columns, running, segment: None });
        Numbered { node, keys_at, number }
    }

    /// Keys where no null equals anything: a null-safe one becomes two, whether it is null and its value or zero.
    pub(super) fn keys(&mut self, keys: &[JoinKey]) -> Result<KeySides, PlanError> {
        let mut sides = KeySides { left: Vec::new(), right: Vec::new() };
        for key in keys {
            if key.null_safe && (self.ty(key.left).nullable || self.ty(key.right).nullable) {
                sides.left.extend(self.null_safe(key.left)?);
                sides.right.extend(self.null_safe(key.right)?);
            } else {
                sides.left.push(key.left);
                sides.right.push(key.right);
            }
        }
        Ok(sides)
    }

    fn null_safe(&mut self, key: ValueId) -> Result<[ValueId; 2], PlanError> {
        let dtype = self.ty(key).dtype;
        let zero = self.constant(dtype.repr().zero(), dtype);
        Ok([self.call(Op::IsNull, &[key])?, self.call(Op::Coalesce, &[key, zero])?])
    }
}

/// The join seen from the other side.
fn swapped(join: &Join, kind: JoinKind) -> Join {
    let keys = join.keys.iter().map(|key| JoinKey { left: key.right, right: key.left, ..*key });
    Join { left: join.right, right: join.left, keys: keys.collect(), residual: join.residual, kind }
}
