//! Rewrites an aggregation, whose input is already expanded, as groups and folds. The resulting node has the
//! aggregation's schema.
//!
//! All folds, including those of means, are in one group node, which determines the order. Every other aggregate is a
//! separate node (a *family*) with one row per group, which is joined on the keys, where a null equals a null. Without
//! keys, its only value is a scalar. All aggregates of a second pass (`second_pass.rs`) are one family.

use super::Expansion;
use super::join::KeySides;
use super::second_pass::{SecondNode, SecondPass};
use crate::body::ValueId;
use crate::kernel::{Fold, FoldInput, FoldMode, FoldOp};
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
    /// A second pass over the rows.
    Second(SecondPass),
}

/// The groups with everything beside them.
struct Joined {
    node: NodeId,
    /// The value of each family.
    families: Vec<ValueId>,
    /// The values of each aggregate of the second pass.
    seconds: Vec<Vec<ValueId>>,
}

/// The place of a fold among others; it is added unless it is there.
pub(super) fn add(folds: &mut Vec<Fold>, fold: Fold) -> u32 {
    let found = folds.iter().position(|other| *other == fold);
    found.unwrap_or_else(|| {
        folds.push(fold);
        folds.len() - 1
    }) as u32
}

impl Expansion {
    /// Expands an aggregation.
    pub(super) fn aggregation(&mut self, of: &Aggregation, schema: &Schema) -> Result<NodeId, PlanError> {
        // A join above a source cannot read the source's row numbers, but a column of them.
        let of_source = matches!(self.plan.node(of.input).kind, NodeKind::Source(_));
        let is_numbered = |one: &Aggregate| one.op.numbers_rows() || of_source && one.op.has_second_pass();
        let numbered = of.aggregates.iter().any(is_numbered).then(|| self.numbered_aggregation(of));
        let (numbered, number) = numbered.transpose()?.unzip();
        let of = numbered.as_ref().unwrap_or(of);
        let keys = of.keys.len() as u32;
        let (mut folds, mut parts) = (Vec::new(), Vec::new());
        for aggregate in &of.aggregates {
            parts.push(self.part(of, aggregate, number, &mut folds)?);
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
        let seconds: Vec<SecondPass> = parts
            .iter()
            .filter_map(|part| if let Part::Second(second) = part { Some(*second) } else { None })
            .collect();
        let second = self.second_pass(of, group, number, &seconds)?;
        let Joined { node, families, seconds } = self.join_families(group, keys, &parts, second)?;
        let mut columns = self.columns(node, 0..keys);
        let (mut families, mut seconds) = (families.into_iter(), seconds.into_iter());
        for part in &parts {
            columns.push(match part {
                Part::Fold(at) => self.plan.column(node, keys + at),
                Part::Mean { sum, count } => {
                    let (sum, count) = (self.plan.column(node, keys + sum), self.plan.column(node, keys + count));
                    self.mean(sum, count)?
                }
                Part::Family(_) => families.next().expect("there is a value for each family"),
                Part::Second(second) => {
                    let values = seconds.next().expect("there are values for each aggregate of the second pass");
                    let count = second.count().map(|count| self.plan.column(node, keys + count));
                    self.second_result(*second, &values, count)?
                }
            });
        }
        Ok(self.push_as(NodeKind::Project { input: node, columns }, schema))
    }

    /// Determines the source of an aggregate's value; appends its folds to `folds`.
    fn part(
        &mut self,
        of: &Aggregation,
        aggregate: &Aggregate,
        number: Option<ValueId>,
        folds: &mut Vec<Fold>,
    ) -> Result<Part, PlanError> {
        let op = aggregate.op;
        let Some(value) = self.filtered(aggregate)? else {
            let AggregateOp::Fold(op) = op else {
                return Err(PlanError::invalid(format!("`{}` needs a value", op.name())));
            };
            return Ok(Part::Fold(add(folds, Fold { op, input: FoldInput::Rows, mode: aggregate.mode })));
        };
        match op {
            AggregateOp::Fold(op) => Ok(Part::Fold(add(folds, Fold { mode: aggregate.mode, ..Fold::of(op, value) }))),
            AggregateOp::Mean => {
                let (sum, count) = self.sum_and_count(value, aggregate.mode, folds)?;
                Ok(Part::Mean { sum, count })
            }
            AggregateOp::CountDistinct => Ok(Part::Family(self.count_distinct(of, value))),
            AggregateOp::Median | AggregateOp::Quantile(_) => {
                let fraction = aggregate.op.fraction().map_or(0.0, |fraction| fraction.value());
                Ok(Part::Family(self.quantile(of, value, fraction)?))
            }
            AggregateOp::First | AggregateOp::Last | AggregateOp::ArgMin | AggregateOp::ArgMax => {
                self.first_pass_of_rows(op, value, number, folds).map(Part::Second)
            }
            AggregateOp::Variance(_) | AggregateOp::StandardDeviation(_) => {
                self.first_pass_of_moments(op, value, None, folds).map(Part::Second)
            }
            AggregateOp::Covariance(_) | AggregateOp::Correlation => {
                self.first_pass_of_moments(op, value, aggregate.second, folds).map(Part::Second)
            }
        }
    }

    /// The columns of a value's sum, exact or in double precision, and of its count.
    pub(super) fn sum_and_count(
        &mut self,
        value: ValueId,
        mode: FoldMode,
        folds: &mut Vec<Fold>,
    ) -> Result<(u32, u32), PlanError> {
        let dtype = self.ty(value).dtype;
        let op = if dtype.is_integer() { FoldOp::Total } else { FoldOp::Sum };
        let summed = if dtype == DType::F32 { self.as_double(value)? } else { value };
        let sum = add(folds, Fold { mode, ..Fold::of(op, summed) });
        Ok((sum, add(folds, Fold::of(FoldOp::Count, value))))
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

    /// Joins the values of all families and of the second pass to the groups.
    fn join_families(
        &mut self,
        group: NodeId,
        keys: u32,
        parts: &[Part],
        second: Option<SecondNode>,
    ) -> Result<Joined, PlanError> {
        let families =
            parts.iter().filter_map(|part| if let Part::Family(family) = part { Some(*family) } else { None });
        let (second, places) = second.map(|second| (second.node, second.columns)).unzip();
        let places = places.unwrap_or_default();
        if keys == 0 {
            let families = families.map(|family| self.plan.scalar(family, 0)).collect();
            let mut scalars = |node: NodeId, of: &[u32]| of.iter().map(|&at| self.plan.scalar(node, at)).collect();
            let seconds = second.map(|node| places.iter().map(|of| scalars(node, of)).collect());
            return Ok(Joined { node: group, families, seconds: seconds.unwrap_or_default() });
        }
        let (mut node, mut firsts) = (group, Vec::new());
        for family in families.chain(second) {
            firsts.push(self.width(node) + keys);
            let sides = self.same_keys([node, family], keys)?;
            node = self.equi_join(EquiJoinKind::Inner, [node, family], sides);
        }
        let first = second.and_then(|_| firsts.pop()).unwrap_or(0);
        let seconds = places.iter().map(|of| self.columns(node, of.iter().map(|at| first + at))).collect();
        Ok(Joined { node, families: self.columns(node, firsts), seconds })
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
