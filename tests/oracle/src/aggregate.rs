//! Groups, and folds over all rows, as DataFusion aggregations.

use crate::expression::{NamedColumn, Precision};
use crate::folds::{self, NamedAggregate};
use crate::relation::{Relation, RowOrder, beside_nothing, project};
use crate::skip::Skip;
use crate::translate::Translator;
use datafusion::arrow::datatypes::DataType;
use datafusion::functions_aggregate::expr_fn::{count, min};
use datafusion::logical_expr::{LogicalPlanBuilder, cast, col, lit};
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::Fold;
use pointsman_ir::plan::{Aggregation, NodeId, RowOrder as Groups};

impl Translator<'_> {
    pub(crate) fn folds(
        &mut self,
        node: NodeId,
        input: NodeId,
        keys: &[ValueId],
        folds: &[Fold],
        order: Groups,
    ) -> Result<Relation, Skip> {
        let outputs = self.case.plan.node(node).schema.types();
        let outputs = outputs[keys.len()..].iter();
        let folds: Vec<_> = folds.iter().zip(outputs).map(|(fold, &ty)| NamedAggregate::of_fold(fold, ty)).collect();
        self.aggregate(input, keys, &folds, order)
    }

    pub(crate) fn aggregation(&mut self, node: NodeId, aggregation: &Aggregation) -> Result<Relation, Skip> {
        let Aggregation { input, keys, aggregates, order } = aggregation;
        let outputs = self.case.plan.node(node).schema.types();
        let outputs = outputs[keys.len()..].iter();
        for aggregate in aggregates {
            let filter = if aggregate.filter.is_some() { " with a filter" } else { "" };
            let name = format!("  aggregate: {}{filter}", aggregate.op.name());
            *self.notes.nodes.entry(name).or_default() += 1;
        }
        let named: Vec<_> =
            aggregates.iter().zip(outputs).map(|(one, &ty)| NamedAggregate::of_aggregate(one, ty)).collect();
        self.aggregate(*input, keys, &named, *order)
    }

    /// Groups, or one row if there are no keys.
    fn aggregate(
        &mut self,
        input: NodeId,
        keys: &[ValueId],
        folds: &[NamedAggregate],
        order: Groups,
    ) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let faults = self.faults;
        let (mut groups, mut aggregates) = (Vec::new(), Vec::new());
        let (mut columns, mut results) = (Vec::new(), Vec::new());
        self.over(&[(input, &relation)], |expressions, names| {
            for &key in keys {
                let name = names.fresh("k");
                groups.push(expressions.key(key)?.alias(&name));
                results.push(col(name.as_str()));
                columns.push(NamedColumn { name, precision: Precision::Exact });
            }
            for fold in folds {
                let name = names.fresh("f");
                let made = folds::translate(fold, &name, expressions, faults, &Ok)?;
                aggregates.extend(made.aggregates);
                results.extend(made.results);
                columns.push(NamedColumn { name, precision: made.precision });
            }
            Ok(())
        })?;
        let place = match (&relation.order, order) {
            // A count that is the same for each plan; a literal would lead DataFusion's planner to false conclusions.
            _ if keys.is_empty() => Some((count(lit(1i64)), true)),
            (Some(order), Groups::FirstRow) => Some((min(col(order.name.as_str())), order.strict)),
            (Some(_) | None, Groups::FirstRow | Groups::Any) => None,
        };
        let order = place.map(|(place, strict)| {
            let name = self.names.fresh("o");
            results.push(cast(col(name.as_str()), DataType::UInt64).alias(&name));
            (place, RowOrder { name, strict })
        });
        aggregates.extend(order.iter().map(|(place, order)| place.clone().alias(&order.name)));
        if aggregates.is_empty() {
            aggregates.push(min(lit(0i64)).alias(self.names.fresh("f")));
        }
        let plan = LogicalPlanBuilder::from(relation.plan).aggregate(groups, aggregates)?.build()?;
        let plan = project(plan, results)?;
        let plan = if keys.is_empty() { beside_nothing(plan)? } else { plan };
        Ok(Relation { plan, columns, order: order.map(|(_, order)| order) })
    }
}
