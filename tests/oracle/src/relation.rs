//! A node's rows in DataFusion: a logical plan, the names of the node's columns in it, and how its rows are ordered.
//!
//! DataFusion's operators keep no order that a plan of ours may rely on. So every relation has a hidden column that says
//! where its rows stand; what depends on the order of rows (limits, stable sorts, scans) goes by that column. Rows with the
//! same number there may come in any order.

use crate::expression::{NamedColumn, Precision};
use crate::skip::Skip;
use datafusion::arrow::datatypes::Field;
use datafusion::common::ScalarValue;
use datafusion::functions_window::expr_fn::rank;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Expr, ExprFunctionExt, LogicalPlan, LogicalPlanBuilder, col};
use std::sync::Arc;

/// Where rows stand.
#[derive(Clone, Debug)]
pub(crate) struct RowOrder {
    /// The hidden column.
    pub(crate) name: String,
    /// Whether no two rows have the same number.
    pub(crate) strict: bool,
}

/// A node's rows.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    /// DataFusion's plan.
    pub(crate) plan: LogicalPlan,
    /// The node's columns.
    pub(crate) columns: Vec<NamedColumn>,
    /// Where rows stand; `None`: anywhere.
    pub(crate) order: Option<RowOrder>,
}

/// Makes names that no other column has.
#[derive(Debug, Default)]
pub(crate) struct Names(usize);

impl Names {
    /// A new name.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.0 += 1;
        format!("{prefix}{}", self.0)
    }
}

impl Relation {
    /// Whether it is known where each row stands.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order.as_ref().is_some_and(|order| order.strict)
    }

    /// Every column that later nodes may need: its own, magnitudes, and the order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for column in &self.columns {
            names.push(column.name.clone());
            if let Precision::Sum { magnitude, .. } = &column.precision {
                names.push(magnitude.clone());
            }
        }
        names.extend(self.order.iter().map(|order| order.name.clone()));
        names.sort();
        names.dedup();
        names
    }

    /// The same rows with new names, and `extra` columns: so that both sides of a join have names of their own.
    pub(crate) fn renamed(self, names: &mut Names, extra: Vec<Expr>) -> Result<Relation, Skip> {
        let old = self.names();
        let new: Vec<String> = old.iter().map(|_| names.fresh("r")).collect();
        let name = |from: &str| {
            let at = old.iter().position(|name| name == from);
            at.map(|at| new[at].clone()).ok_or_else(|| Skip::internal("a column without a name"))
        };
        let columns = self.columns.iter().map(|column| {
            let precision = match &column.precision {
                Precision::Sum { magnitude, share } => Precision::Sum { magnitude: name(magnitude)?, share: *share },
                same @ (Precision::Exact | Precision::Rounded) => same.clone(),
            };
            Ok(NamedColumn { name: name(&column.name)?, precision })
        });
        let columns = columns.collect::<Result<Vec<_>, Skip>>()?;
        let order = match &self.order {
            Some(order) => Some(RowOrder { name: name(&order.name)?, strict: order.strict }),
            None => None,
        };
        let exprs: Vec<Expr> =
            old.iter().zip(&new).map(|(old, new)| col(old.as_str()).alias(new)).chain(extra).collect();
        let plan = project(self.plan, exprs)?;
        Ok(Relation { plan, columns, order })
    }

    /// The same rows, standing where these keys say; the keys decide all of it if they are strict.
    pub(crate) fn ordered_by(self, names: &mut Names, keys: Vec<Sort>, strict: bool) -> Result<Relation, Skip> {
        let Relation { plan, columns, order: _ } = self;
        if keys.is_empty() {
            return Ok(Relation { plan, columns, order: None });
        }
        let name = names.fresh("o");
        // Sorting by expressions over columns that are equal confuses DataFusion's planner.
        let key_names: Vec<String> = keys.iter().map(|_| names.fresh("x")).collect();
        let all = plan.schema().fields().iter().map(|field| col(field.name().as_str())).collect::<Vec<_>>();
        let named = keys.iter().zip(&key_names).map(|(key, name)| key.expr.clone().alias(name));
        let plan = project(plan, all.into_iter().chain(named).collect())?;
        let keys =
            keys.iter().zip(&key_names).map(|(key, name)| col(name.as_str()).sort(key.asc, key.nulls_first)).collect();
        let place = rank().order_by(keys).build()?.alias(&name);
        let plan = LogicalPlanBuilder::from(plan).window(vec![place])?.build()?;
        Relation { plan, columns, order: Some(RowOrder { name, strict }) }.only_named()
    }

    /// Leaves out every column that no later node needs.
    pub(crate) fn only_named(self) -> Result<Relation, Skip> {
        let exprs = self.names().iter().map(|name| col(name.as_str())).collect();
        Ok(Relation { plan: project(self.plan, exprs)?, ..self })
    }
}

/// A projection; DataFusion has none without columns.
pub(crate) fn project(plan: LogicalPlan, exprs: Vec<Expr>) -> Result<LogicalPlan, Skip> {
    Ok(LogicalPlanBuilder::from(plan).project(exprs)?.build()?)
}

/// The union of the rows with none: DataFusion's planner takes the columns of a single row for constants, behind an outer
/// join too, where they are not, and leaves out sorts.
pub(crate) fn beside_nothing(plan: LogicalPlan) -> Result<LogicalPlan, Skip> {
    let null = |field: &Arc<Field>| -> Result<Expr, Skip> {
        Ok(Expr::Literal(ScalarValue::try_new_null(field.data_type())?, None).alias(field.name()))
    };
    let nulls = plan.schema().fields().iter().map(null).collect::<Result<Vec<_>, Skip>>()?;
    let nothing = project(LogicalPlanBuilder::empty(false).build()?, nulls)?;
    Ok(LogicalPlanBuilder::from(plan).union(nothing)?.build()?)
}
