//! Joins as DataFusion joins. Keys are canonical columns of both sides; a null-safe key is two keys (whether it is null, and
//! a value), so that strict and null-safe keys go together. Rows come by the left row, then by the right one.

use crate::expression::{NamedColumn, Precision};
use crate::operation::constant;
use crate::relation::{Relation, project};
use crate::skip::Skip;
use crate::translate::Translator;
use datafusion::common::{Column, NullEquality, ScalarValue};
use datafusion::logical_expr::{
    Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Operator, binary_expr, col, is_null, lit, when,
};
use pointsman_ir::body::ValueId;
use pointsman_ir::plan::{JoinKey, NodeId};

/// Which rows a join gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Inner,
    Left,
    Right,
    Full,
    Semi,
    Anti,
    /// Left rows with whether there is a match.
    Exists,
    /// Left rows with a three-valued match.
    Mark,
    Cross,
}

/// A join.
#[derive(Clone, Debug)]
pub(crate) struct JoinSpec {
    pub(crate) left: NodeId,
    pub(crate) right: NodeId,
    pub(crate) keys: Vec<JoinKey>,
    /// What must be true of a pair.
    pub(crate) residual: Option<ValueId>,
    pub(crate) kind: Kind,
}

/// Both sides with names of their own, and the residual over them.
struct Sides {
    left: Relation,
    right: Relation,
    residual: Option<Expr>,
}

impl Translator<'_> {
    pub(crate) fn join(&mut self, spec: &JoinSpec) -> Result<Relation, Skip> {
        let left = self.input(spec.left).renamed(&mut self.names, Vec::new())?;
        let right = self.input(spec.right).renamed(&mut self.names, Vec::new())?;
        let residual = match spec.residual {
            Some(residual) => Some(self.over(&[(spec.left, &left), (spec.right, &right)], |expressions, _| {
                expressions.decides(residual);
                expressions.value(residual)
            })?),
            None => None,
        };
        let sides = Sides { left, right, residual };
        match spec.kind {
            Kind::Inner => self.equi_join(spec, sides, JoinType::Inner),
            Kind::Left => self.equi_join(spec, sides, JoinType::Left),
            Kind::Right => self.equi_join(spec, sides, JoinType::Right),
            Kind::Full => self.equi_join(spec, sides, JoinType::Full),
            Kind::Semi => self.equi_join(spec, sides, JoinType::LeftSemi),
            Kind::Anti => self.equi_join(spec, sides, JoinType::LeftAnti),
            Kind::Exists => self.exists(spec, sides),
            Kind::Mark => self.mark(spec, sides),
            Kind::Cross => self.cross(sides),
        }
    }

    fn equi_join(&mut self, spec: &JoinSpec, sides: Sides, join: JoinType) -> Result<Relation, Skip> {
        let Sides { left, right, residual } = sides;
        let (left, left_keys) = self.with_keys(spec, spec.left, left, |key| key.left)?;
        let (right, right_keys) = self.with_keys(spec, spec.right, right, |key| key.right)?;
        let columns = |names: Vec<String>| names.into_iter().map(Column::from_name).collect::<Vec<_>>();
        let keys = (columns(left_keys), columns(right_keys));
        let builder = LogicalPlanBuilder::from(left.plan.clone());
        let nulls = NullEquality::NullEqualsNothing;
        let plan = builder.join_detailed(right.plan.clone(), join, keys, residual, nulls)?.build()?;
        self.joined(plan, left, right, join)
    }

    /// The side with its keys as further columns, and their names.
    fn with_keys(
        &mut self,
        spec: &JoinSpec,
        node: NodeId,
        side: Relation,
        key_of: impl Fn(&JoinKey) -> ValueId,
    ) -> Result<(Relation, Vec<String>), Skip> {
        let body = &self.case.plan.body;
        let (mut exprs, mut key_names) = (Vec::new(), Vec::new());
        self.over(&[(node, &side)], |expressions, names| {
            for key in &spec.keys {
                let value = key_of(key);
                let dtype = body.ty(value).dtype;
                let expr = expressions.key(value)?;
                let mut add = |expr: Expr| {
                    let name = names.fresh("j");
                    exprs.push(expr.alias(&name));
                    key_names.push(name);
                };
                if key.null_safe {
                    let zero = constant(Some(dtype.repr().zero()), dtype)?;
                    add(is_null(expr.clone()));
                    add(when(is_null(expr.clone()), zero).otherwise(expr)?);
                } else {
                    add(expr);
                }
            }
            Ok(())
        })?;
        let all = side.names().iter().map(|name| col(name.as_str())).chain(exprs).collect();
        Ok((Relation { plan: project(side.plan, all)?, ..side }, key_names))
    }

    /// The joined rows' columns and order.
    fn joined(&mut self, plan: LogicalPlan, left: Relation, right: Relation, join: JoinType) -> Result<Relation, Skip> {
        let keeps_left_alone = matches!(join, JoinType::LeftSemi | JoinType::LeftAnti);
        if keeps_left_alone {
            return Relation { plan, ..left }.only_named();
        }
        // The rows of the second side have an order only within one row of the first.
        let sides = if join == JoinType::Right { [&right, &left] } else { [&left, &right] };
        let strict = sides.iter().all(|side| side.is_ordered());
        let known = if sides[0].is_ordered() { 2 } else { 1 };
        let orders = sides[..known].iter().filter_map(|side| side.order.as_ref());
        let keys: Vec<String> = orders.map(|order| order.name.clone()).collect();
        let columns: Vec<NamedColumn> = left.columns.into_iter().chain(right.columns).collect();
        // Rows of the other side alone come last.
        let keys = keys.iter().map(|name| col(name.as_str()).sort(true, false)).collect();
        Relation { plan, columns, order: None }.ordered_by(&mut self.names, keys, strict)
    }

    fn cross(&mut self, sides: Sides) -> Result<Relation, Skip> {
        let Sides { left, right, residual } = sides;
        let mut builder = LogicalPlanBuilder::from(left.plan.clone()).cross_join(right.plan.clone())?;
        if let Some(residual) = residual {
            builder = builder.filter(residual)?;
        }
        let plan = builder.build()?;
        self.joined(plan, left, right, JoinType::Inner)
    }

    /// The left rows with whether there is a match: a semi and an anti join.
    fn exists(&mut self, spec: &JoinSpec, sides: Sides) -> Result<Relation, Skip> {
        let (left, order) = (sides.left.columns.clone(), sides.left.order.clone());
        let name = self.names.fresh("m");
        let copy = |sides: &Sides| Sides { left: sides.left.clone(), right: sides.right.clone(), residual: None };
        let with = self.equi_join(spec, copy(&sides), JoinType::LeftSemi)?;
        let without = self.equi_join(spec, sides, JoinType::LeftAnti)?;
        let marked = |relation: Relation, mark: bool| {
            let exprs: Vec<Expr> = relation.names().iter().map(|name| col(name.as_str())).collect();
            project(relation.plan, exprs.into_iter().chain([lit(mark).alias(&name)]).collect())
        };
        let plan = LogicalPlanBuilder::from(marked(with, true)?).union(marked(without, false)?)?.build()?;
        let columns = left.into_iter().chain([NamedColumn { name, precision: Precision::Exact }]).collect();
        Ok(Relation { plan, columns, order })
    }

    /// True where a pair matches, null where a pair may match, else false: three anti and semi joins over all pairs.
    fn mark(&mut self, spec: &JoinSpec, sides: Sides) -> Result<Relation, Skip> {
        let Sides { left, right, residual } = sides;
        let mut matches = residual;
        for key in &spec.keys {
            let side = |translator: &mut Self, node: NodeId, side: &Relation, value: ValueId| {
                translator.over(&[(node, side)], |expressions, _| expressions.key(value))
            };
            let (l, r) = (side(self, spec.left, &left, key.left)?, side(self, spec.right, &right, key.right)?);
            let equality = if key.null_safe { Operator::IsNotDistinctFrom } else { Operator::Eq };
            let equal = binary_expr(l, equality, r);
            matches = Some(matches.map_or(equal.clone(), |others| equal.and(others)));
        }
        let matches = matches.unwrap_or(lit(true));
        let name = self.names.fresh("m");
        let part = |from: &LogicalPlan, join: JoinType, filter: Expr| -> Result<LogicalPlan, Skip> {
            Ok(LogicalPlanBuilder::from(from.clone()).join_on(right.plan.clone(), join, vec![filter])?.build()?)
        };
        let marked = |plan: LogicalPlan, mark: Option<bool>| {
            let exprs = left.names().iter().map(|name| col(name.as_str())).collect::<Vec<_>>();
            project(plan, exprs.into_iter().chain([lit(ScalarValue::Boolean(mark)).alias(&name)]).collect())
        };
        let unmatched = part(&left.plan, JoinType::LeftAnti, matches.clone())?;
        let open = is_null(matches.clone());
        let parts = [
            marked(part(&left.plan, JoinType::LeftSemi, matches)?, Some(true))?,
            marked(part(&unmatched, JoinType::LeftSemi, open.clone())?, None)?,
            marked(part(&unmatched, JoinType::LeftAnti, open)?, Some(false))?,
        ];
        let [matched, open, apart] = parts;
        let plan = LogicalPlanBuilder::from(matched).union(open)?.union(apart)?.build()?;
        let mut columns = left.columns.clone();
        columns.push(NamedColumn { name, precision: Precision::Exact });
        Ok(Relation { plan, columns, order: left.order })
    }
}
