//! The mark join: each left row with whether some right row matches, in three values. In: a join over nodes that are
//! written. Out: the node of the left rows with their marks.
//!
//! A key is *two-valued* if its comparison is never null: it is null-safe, or neither side is nullable.
//! * Two-valued keys alone: whether a right row with these keys exists.
//! * One other key alone: true if it exists; else null if the right side has rows, and the key or one of theirs is
//!   null.
//! * Otherwise the pairs with equal two-valued keys (every pair, up to [`MARK_PAIRS_MAX`], if there are none) are
//!   asked, and the left rows look up whether one of theirs was true, or null.

use super::join::KeySides;
use super::{Expansion, PairColumns};
use crate::body::ValueId;
use crate::kernel::{Fold, FoldOp};
use crate::op::Op;
use crate::plan::{EquiJoinKind, Join, JoinKey, NodeId, NodeKind, PlanError};
use crate::types::{DType, Scalar};

/// The most pairs of a mark join that has to look at all of them.
pub const MARK_PAIRS_MAX: u64 = 1 << 32;

impl Expansion {
    pub(super) fn mark(&mut self, join: &Join) -> Result<NodeId, PlanError> {
        let open = |key: &JoinKey| !key.null_safe && (self.ty(key.left).nullable || self.ty(key.right).nullable);
        let (open, decided): (Vec<JoinKey>, Vec<JoinKey>) = join.keys.iter().partition(|key| open(key));
        match (&open[..], &decided[..], join.residual) {
            ([], decided, None) => self.mark_by_existence(join, decided),
            ([key], [], None) => self.mark_by_nulls(join, key),
            (open, decided, _) => self.mark_by_pairs(join, open, decided),
        }
    }

    fn mark_by_existence(&mut self, join: &Join, keys: &[JoinKey]) -> Result<NodeId, PlanError> {
        let width = self.width(join.left);
        let keys = self.keys(keys)?;
        let found = self.equi_join(EquiJoinKind::Exists, [join.left, join.right], keys);
        let exists = self.plan.column(found, width);
        let (yes, no) = (self.nullable_truth(true), self.nullable_truth(false));
        let mark = self.call(Op::Select, &[exists, yes, no])?;
        Ok(self.with_mark(found, width, mark))
    }

    fn mark_by_nulls(&mut self, join: &Join, key: &JoinKey) -> Result<NodeId, PlanError> {
        let width = self.width(join.left);
        let folds = vec![Fold::COUNT_ROWS, Fold::of(FoldOp::Count, key.right)];
        let counts = self.push(NodeKind::Reduce { input: join.right, folds });
        let (rows, values) = (self.plan.scalar(counts, 0), self.plan.scalar(counts, 1));
        let mut columns = self.columns(join.left, 0..width);
        columns.push(key.left);
        let left = self.project(join.left, columns);
        let keys = KeySides { left: self.columns(left, [width]), right: vec![key.right] };
        let found = self.equi_join(EquiJoinKind::Exists, [left, join.right], keys);
        let (key, exists) = (self.plan.column(found, width), self.plan.column(found, width + 1));
        let zero = self.constant(Scalar::U64(0), DType::U64);
        let any = self.call(Op::Gt, &[rows, zero])?;
        let null_right = self.call(Op::Lt, &[values, rows])?;
        let null_left = self.call(Op::IsNull, &[key])?;
        let null = self.call(Op::Or, &[null_left, null_right])?;
        let open = self.call(Op::And, &[any, null])?;
        let mark = self.three_valued(exists, open)?;
        Ok(self.with_mark(found, width, mark))
    }

    fn mark_by_pairs(&mut self, join: &Join, open: &[JoinKey], decided: &[JoinKey]) -> Result<NodeId, PlanError> {
        let width = self.width(join.left);
        let decided = self.keys(decided)?;
        let (open_left, open_right): (Vec<ValueId>, Vec<ValueId>) =
            open.iter().map(|key| (key.left, key.right)).unzip();
        let (found, asked) = (decided.left.len() as u32, open_left.len() as u32);
        let numbered = self.numbered(join.left, decided.left.into_iter().chain(open_left).collect());
        // The right keys become columns too: a pair has no other way to them.
        let right_width = self.width(join.right);
        let mut columns = self.columns(join.right, 0..right_width);
        columns.extend(decided.right.into_iter().chain(open_right));
        let right = self.project(join.right, columns);
        let keys = KeySides {
            left: self.columns(numbered.node, numbered.keys_at..numbered.keys_at + found),
            right: self.columns(right, right_width..right_width + found),
        };
        let pairs = match found {
            0 => self.cross(numbered.node, right, MARK_PAIRS_MAX),
            _ => self.equi_join(EquiJoinKind::Inner, [numbered.node, right], keys),
        };
        let right_at = self.width(numbered.node);
        let mut terms = Vec::new();
        for key in found..found + asked {
            let sides = self.columns(pairs, [numbered.keys_at + key, right_at + right_width + key]);
            terms.push(self.call(Op::Eq, &sides)?);
        }
        if let Some(residual) = join.residual {
            // Columns of the right side keep their places in its projection.
            terms.push(self.over_pairs(residual, &PairColumns { left: join.left, pairs, right_at }));
        }
        let mut accepted = terms[0];
        for &term in &terms[1..] {
            accepted = self.call(Op::And, &[accepted, term])?;
        }
        let number = self.plan.column(pairs, numbered.number);
        let asked = self.project(pairs, vec![number, accepted]);
        let (yes, unknown) = (self.numbers_where(asked, None)?, self.numbers_where(asked, Some(Op::IsNull))?);
        let node = self.join_numbers(EquiJoinKind::Exists, &numbered, yes);
        let keys = KeySides { left: self.columns(node, [numbered.number]), right: self.columns(unknown, [0]) };
        let node = self.equi_join(EquiJoinKind::Exists, [node, unknown], keys);
        let flags = self.columns(node, [right_at, right_at + 1]);
        let mark = self.three_valued(flags[0], flags[1])?;
        Ok(self.with_mark(node, width, mark))
    }

    /// The numbers of the pairs whose answer, or this test of it, is true.
    fn numbers_where(&mut self, asked: NodeId, test: Option<Op>) -> Result<NodeId, PlanError> {
        let answer = self.plan.column(asked, 1);
        let predicate = test.map_or(Ok(answer), |test| self.call(test, &[answer]))?;
        let filter = self.push(NodeKind::Filter { input: asked, predicate });
        let number = self.columns(filter, [0]);
        Ok(self.project(filter, number))
    }

    /// True, else null, else false.
    fn three_valued(&mut self, yes: ValueId, unknown: ValueId) -> Result<ValueId, PlanError> {
        let (is_true, is_false, null) = (self.nullable_truth(true), self.nullable_truth(false), self.null(DType::Bool));
        let other = self.call(Op::Select, &[unknown, null, is_false])?;
        self.call(Op::Select, &[yes, is_true, other])
    }

    fn with_mark(&mut self, input: NodeId, width: u32, mark: ValueId) -> NodeId {
        let mut columns = self.columns(input, 0..width);
        columns.push(mark);
        self.project(input, columns)
    }
}
