//! Rewrites an aggregation, whose input is already expanded, as groups and folds. The resulting node has the
//! aggregation's schema.
//!
//! All folds, including those of means, are in one group node, which determines the order. Every other aggregate is a
//! separate node (a *family*) with one row per group, which is joined on the keys, where a null equals a null. Without
//! keys, its only value is a scalar.

use super::Expansion;
use super::join::KeySides;
use crate::body::ValueId;
use crate::kernel::{Fold, FoldInput, FoldOp};
use crate::op::Op;
use crate::plan::{Aggregate, AggregateOp, Aggregation, EquiJoinKind, JoinKey, NodeId, NodeKind, PlanError, RowOrder};
use crate::types::{DType, Scalar, Schema};

/// The source of an aggregate's value.
enum Part {
    /// This column of the group.
    Fold(u32),
    /// The quotient of these two columns of the group.
    Mean { sum: u32, count: u32 },
    /// The last column of this node, whose other columns are the keys.
    Family(NodeId),
}

impl Expansion {
    /// Expands an aggregation.
    pub(super) fn aggregation(&mut self, of: &Aggregation, schema: &Schema) -> Result<NodeId, PlanError> {
        let keys = of.keys.len() as u32;
        let (mut folds, mut parts) = (Vec::new(), Vec::new());
        for aggregate in &of.aggregates {
            parts.push(self.part(of, aggregate, &mut folds)?);
        }
        let (input, group_keys) = (of.input, of.keys.clone());
        let group = if group_keys.is_empty() {
            if folds.is_empty() {
                folds.push(Fold::COUNT_ROWS);
            }
            self.push(NodeKind::Reduce { input, folds })
        } else {
            self.push(NodeKind::Group { input, keys: group_keys, folds, order: of.order })
        };
        let (node, families) = self.join_families(group, keys, &parts)?;
        let mut columns = self.columns(node, 0..keys);
        let mut families = families.into_iter();
        for part in &parts {
            columns.push(match part {
                Part::Fold(at) => self.plan.column(node, keys + at),
                Part::Mean { sum, count } => {
                    let (sum, count) = (self.plan.column(node, keys + sum), self.plan.column(node, keys + count));
                    self.mean(sum, count)?
                }
                Part::Family(_) => families.next().expect("there is a value for each family"),
            });
        }
        Ok(self.push_as(NodeKind::Project { input: node, columns }, schema))
    }

    /// Determines the source of an aggregate's value; appends its folds to `folds`.
    fn part(&mut self, of: &Aggregation, aggregate: &Aggregate, folds: &mut Vec<Fold>) -> Result<Part, PlanError> {
        let value = self.filtered(aggregate)?;
        let at = folds.len() as u32;
        match (aggregate.op, value) {
            (AggregateOp::Fold(op), value) => {
                let input = value.map_or(FoldInput::Rows, FoldInput::Value);
                folds.push(Fold { op, input, mode: aggregate.mode });
                Ok(Part::Fold(at))
            }
            (AggregateOp::Mean, Some(value)) => {
                let dtype = self.ty(value).dtype;
                let op = if dtype.is_integer() { FoldOp::Total } else { FoldOp::Sum };
                let summed = if dtype == DType::F32 { self.as_double(value)? } else { value };
                folds.push(Fold { mode: aggregate.mode, ..Fold::of(op, summed) });
                folds.push(Fold::of(FoldOp::Count, value));
                Ok(Part::Mean { sum: at, count: at + 1 })
            }
            (AggregateOp::CountDistinct, Some(value)) => Ok(Part::Family(self.count_distinct(of, value))),
            (AggregateOp::Median | AggregateOp::Quantile(_), Some(value)) => {
                let fraction = aggregate.op.fraction().map_or(0.0, |fraction| fraction.value());
                Ok(Part::Family(self.quantile(of, value, fraction)?))
            }
            (AggregateOp::Mean | AggregateOp::CountDistinct | AggregateOp::Median | AggregateOp::Quantile(_), None) => {
                Err(PlanError::invalid(format!("`{}` needs a value", aggregate.op.name())))
            }
        }
    }

    /// The operand of an aggregate, null in rows where its filter is not true; `None` if it counts all rows.
    fn filtered(&mut self, aggregate: &Aggregate) -> Result<Option<ValueId>, PlanError> {
        match (aggregate.value, aggregate.filter) {
            (value, None) => Ok(value),
            (None, Some(filter)) => {
                let yes = self.constant(Scalar::Bool(true), DType::Bool);
                self.only_where(filter, yes).map(Some)
            }
            (Some(value), Some(filter)) => self.only_where(filter, value).map(Some),
        }
    }

    /// Counts the distinct values of each group.
    fn count_distinct(&mut self, of: &Aggregation, value: ValueId) -> NodeId {
        let keys = of.keys.len() as u32;
        let with_value = of.keys.iter().copied().chain([value]).collect();
        let distinct = NodeKind::Group { input: of.input, keys: with_value, folds: Vec::new(), order: RowOrder::Any };
        let distinct = self.push(distinct);
        let folds = vec![Fold::of(FoldOp::Count, self.plan.column(distinct, keys))];
        if keys == 0 {
            return self.push(NodeKind::Reduce { input: distinct, folds });
        }
        let keys = self.columns(distinct, 0..keys);
        self.push(NodeKind::Group { input: distinct, keys, folds, order: RowOrder::Any })
    }

    /// Joins the values of all families to the groups.
    fn join_families(&mut self, group: NodeId, keys: u32, parts: &[Part]) -> Result<(NodeId, Vec<ValueId>), PlanError> {
        let families =
            parts.iter().filter_map(|part| if let Part::Family(family) = part { Some(*family) } else { None });
        if keys == 0 {
            return Ok((group, families.map(|family| self.plan.scalar(family, 0)).collect()));
        }
        let (mut node, mut places) = (group, Vec::new());
        for family in families {
            places.push(self.width(node) + keys);
            let sides = self.same_keys([node, family], keys)?;
            node = self.equi_join(EquiJoinKind::Inner, [node, family], sides);
        }
        Ok((node, self.columns(node, places)))
    }

    /// Join keys over the first columns of two nodes, where a null equals a null.
    pub(super) fn same_keys(&mut self, [left, right]: [NodeId; 2], keys: u32) -> Result<KeySides, PlanError> {
        let pairs: Vec<JoinKey> = (0..keys)
            .map(|key| JoinKey {
                left: self.plan.column(left, key),
                right: self.plan.column(right, key),
                null_safe: true,
            })
            .collect();
        self.keys(&pairs)
    }

    /// The quotient in double precision; null if nothing was counted.
    fn mean(&mut self, sum: ValueId, count: ValueId) -> Result<ValueId, PlanError> {
        let zero = self.constant(Scalar::U64(0), DType::U64);
        let any = self.call(Op::Gt, &[count, zero])?;
        let (sum, count) = (self.as_double(sum)?, self.as_double(count)?);
        let mean = self.call(Op::Div, &[sum, count])?;
        self.only_where(any, mean)
    }
}
