//! Scans, as window functions over the column that says where rows stand.

use crate::expression::{NamedColumn, Precision};
use crate::folds::{self, NamedAggregate};
use crate::relation::{Relation, project};
use crate::skip::Skip;
use crate::translate::Translator;
use datafusion::common::ScalarValue;
use datafusion::functions_aggregate::expr_fn::sum;
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionDefinition};
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits, col, is_not_null, lit,
    when,
};
use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::{Frame, Running};
use pointsman_ir::plan::NodeId;

impl Translator<'_> {
    pub(crate) fn scan(
        &mut self,
        node: NodeId,
        input: NodeId,
        columns: &[ValueId],
        running: &[Running],
        segment: Option<ValueId>,
    ) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let order = relation.order.clone().ok_or(Skip::OpenOrder)?;
        self.notes.open_order |= !order.strict;
        let by_order = || vec![col(order.name.as_str()).sort(true, true)];
        let faults = self.faults;
        let outputs = self.case.plan.node(node).schema.types();
        let (mut kept, mut windows, mut results, mut named) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let segment_name = self.names.fresh("w");
        let segments = self.over(&[(input, &relation)], |expressions, names| {
            let mut starts = None;
            if let Some(segment) = segment {
                expressions.decides(segment);
                let start = when(expressions.value(segment)?, lit(1i64)).otherwise(lit(0i64))?;
                starts = Some(windowed(sum(start), Vec::new(), by_order(), Frame::Unbounded)?.alias(&segment_name));
            }
            for &column in columns {
                let name = names.fresh("p");
                kept.push(expressions.value(column)?.alias(&name));
                let precision = expressions.precision(column);
                results.extend(magnitude_column(&precision));
                results.push(col(name.as_str()));
                named.push(NamedColumn { name, precision });
            }
            let partition = || segment.iter().map(|_| col(segment_name.as_str())).collect::<Vec<_>>();
            for (running, output) in running.iter().zip(outputs[columns.len()..].iter().copied()) {
                let name = names.fresh("f");
                let Running { fold, frame } = *running;
                let over = |made: Expr| windowed(made, partition(), by_order(), frame);
                let fold = NamedAggregate::of_fold(&fold, output);
                let mut made = folds::translate(&fold, &name, expressions, faults, &over)?;
                // A sliding sum takes away what leaves the frame, so it is as good as all rows so far, not as the frame.
                let slides = matches!(frame, Frame::Preceding(_)) && matches!(made.precision, Precision::Sum { .. });
                if slides {
                    made.precision = Precision::Rounded;
                    made.results.truncate(1);
                }
                windows.extend(made.aggregates);
                results.extend(made.results);
                named.push(NamedColumn { name, precision: made.precision });
            }
            Ok(starts)
        })?;
        let mut builder = LogicalPlanBuilder::from(relation.plan.clone());
        if let Some(segments) = segments {
            builder = builder.window(vec![segments])?;
        }
        if !windows.is_empty() {
            builder = builder.window(windows)?;
        }
        let plan = builder.build()?;
        let all = plan.schema().fields().iter().map(|field| col(field.name().as_str())).chain(kept).collect();
        results.push(col(order.name.as_str()));
        let mut seen = std::collections::BTreeSet::new();
        results.retain(|expr| seen.insert(expr.schema_name().to_string()));
        let names: Vec<String> = results.iter().map(|result| result.schema_name().to_string()).collect();
        let plan = project(project(plan, all)?, results)?;
        let plan = project(plan, names.iter().map(|name| without_order(name)).collect::<Result<Vec<_>, Skip>>()?)?;
        Ok(Relation { plan, columns: named, order: Some(order) })
    }
}

/// The column, about whose order DataFusion's planner concludes nothing: it takes the minimum over a sliding frame for a
/// falling one, and leaves out a sort.
fn without_order(name: &str) -> Result<Expr, Skip> {
    Ok(when(is_not_null(col(name)), col(name)).end()?.alias(name))
}

fn magnitude_column(precision: &Precision) -> Option<Expr> {
    match precision {
        Precision::Sum { magnitude, .. } => Some(col(magnitude.as_str())),
        Precision::Exact | Precision::Rounded => None,
    }
}

/// An aggregate over the rows up to each.
fn windowed(aggregate: Expr, partition: Vec<Expr>, order: Vec<Sort>, frame: Frame) -> Result<Expr, Skip> {
    let Expr::AggregateFunction(aggregate) = aggregate else {
        return Err(Skip::internal("a running fold that is no aggregate"));
    };
    let start = match frame {
        Frame::Unbounded => ScalarValue::UInt64(None),
        Frame::Preceding(rows) => ScalarValue::UInt64(Some(rows.into())),
    };
    let bounds = (WindowFrameBound::Preceding(start), WindowFrameBound::CurrentRow);
    let function = WindowFunctionDefinition::AggregateUDF(aggregate.func);
    let window = Expr::from(WindowFunction::new(function, aggregate.params.args));
    let frame = WindowFrame::new_bounds(WindowFrameUnits::Rows, bounds.0, bounds.1);
    let mut builder = window.order_by(order).window_frame(frame);
    if !partition.is_empty() {
        builder = builder.partition_by(partition);
    }
    Ok(builder.build()?)
}
