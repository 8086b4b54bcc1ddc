//! Plans as DataFusion plans. In goes a case, out comes the relation of its last node, with what was noticed on the way.

use crate::arrow_data;
use crate::case::Case;
use crate::expression::{Expressions, FaultMode, NamedColumn, Precision};
use crate::folds::{self, NamedFold};
use crate::join::{self, JoinSpec};
use crate::notes::Notes;
use crate::relation::{Names, Relation, RowOrder, project};
use crate::skip::Skip;
use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::functions_aggregate::expr_fn::{min, sum};
use datafusion::logical_expr::expr::{Sort, WindowFunction, WindowFunctionDefinition};
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits, cast, col, lit, when,
};
use datafusion::common::ScalarValue;
use pointsman_ir::body::{ColumnId, ValueId};
use pointsman_ir::kernel::{Fold, Frame, NullOrder, Running, SortKey, SortOrder};
use pointsman_ir::plan::{JoinKind, NodeId, NodeKind, PlanColumn, ROW_NUMBER, SourceId};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The relation of the case's last node.
pub(crate) fn translate(case: &Case, faults: FaultMode) -> Result<(Relation, Notes), Skip> {
    let mut translator =
        Translator { case, faults, names: Names::default(), relations: Vec::new(), notes: Notes::default() };
    for node in 0..case.plan.nodes.len() as u32 {
        let relation = translator.node(NodeId(node))?;
        translator.relations.push(relation);
    }
    let relation = translator.relations.pop().ok_or_else(|| Skip::internal("no nodes"))?;
    Ok((relation, translator.notes))
}

/// Translates node by node.
pub(crate) struct Translator<'a> {
    pub(crate) case: &'a Case,
    pub(crate) faults: FaultMode,
    pub(crate) names: Names,
    pub(crate) relations: Vec<Relation>,
    pub(crate) notes: Notes,
}

impl Translator<'_> {
    fn node(&mut self, node: NodeId) -> Result<Relation, Skip> {
        let kind = &self.case.plan.node(node).kind;
        *self.notes.nodes.entry(kind.name().to_string()).or_default() += 1;
        match kind {
            NodeKind::Source(source) => self.source(*source),
            NodeKind::Project { input, columns } => self.project(*input, columns),
            NodeKind::Filter { input, predicate } => self.filter(*input, *predicate),
            NodeKind::Reduce { input, folds } => self.group(*input, &[], folds, node),
            NodeKind::Scan { input, columns, running, segment } => {
                self.scan(node, *input, columns, running, *segment)
            }
            NodeKind::Sort { input, keys } => self.sort(*input, keys),
            NodeKind::TopK { input, keys, count } => {
                let sorted = self.sort(*input, keys)?;
                self.limit(sorted, 0, Some(*count))
            }
            NodeKind::Group { input, keys, folds } => self.group(*input, keys, folds, node),
            NodeKind::Join { left, right, left_keys, right_keys, kind } => {
                let kind = match kind {
                    JoinKind::Inner => join::Kind::Inner,
                    JoinKind::Left => join::Kind::Left,
                    JoinKind::Semi => join::Kind::Semi,
                    JoinKind::Anti => join::Kind::Anti,
                };
                let keys = left_keys.iter().zip(right_keys);
                let keys = keys.map(|(&left, &right)| join::Key { left, right, null_safe: false }).collect();
                self.join(&JoinSpec { left: *left, right: *right, keys, residual: None, kind })
            }
            NodeKind::Window { .. } => Err(Skip::Node("window")),
            NodeKind::Union { inputs } => self.union(inputs),
            NodeKind::Limit { input, skip, fetch } => {
                let relation = self.input(*input);
                self.limit(relation, *skip, Some(*fetch))
            }
            NodeKind::Distinct { input } => self.distinct(*input),
        }
    }

    pub(crate) fn input(&self, node: NodeId) -> Relation {
        self.relations[node.index()].clone()
    }

    /// What the columns of expressions over these nodes are called.
    pub(crate) fn scope(&self, inputs: &[(NodeId, &Relation)]) -> BTreeMap<ColumnId, NamedColumn> {
        let mut scope = BTreeMap::new();
        for (id, PlanColumn { node, index }) in self.case.plan.columns.iter().enumerate() {
            for (_, relation) in inputs.iter().filter(|(input, _)| input == node) {
                let row_number = || {
                    let order = relation.order.as_ref()?;
                    Some(NamedColumn { name: order.name.clone(), precision: Precision::Exact })
                };
                let named = match *index {
                    ROW_NUMBER => row_number(),
                    index => relation.columns.get(index as usize).cloned(),
                };
                scope.extend(named.map(|named| (ColumnId(id as u32), named)));
            }
        }
        scope
    }

    /// Runs `make` with the expressions over these inputs, and keeps what they noticed.
    pub(crate) fn over<T>(
        &mut self,
        inputs: &[(NodeId, &Relation)],
        make: impl FnOnce(&mut Expressions<'_>, &mut Names) -> Result<T, Skip>,
    ) -> Result<T, Skip> {
        let scope = self.scope(inputs);
        let mut expressions = Expressions::new(self.case, self.faults, &scope);
        let made = make(&mut expressions, &mut self.names);
        self.notes.take(expressions);
        made
    }

    fn source(&mut self, source: SourceId) -> Result<Relation, Skip> {
        let table = &self.case.sources[source.0 as usize];
        let prefix = self.names.fresh("s");
        let prefix = format!("{prefix}_");
        let order = format!("{prefix}row");
        let mut fields: Vec<Field> = arrow_data::schema(&table.types(), &prefix).fields().iter().map(|f| (**f).clone()).collect();
        fields.push(Field::new(&order, DataType::UInt64, false));
        let schema = Arc::new(Schema::new(fields));
        let mut arrays: Vec<ArrayRef> = table.columns.iter().map(arrow_data::array).collect();
        arrays.push(Arc::new((0..table.rows as u64).collect::<UInt64Array>()));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(datafusion::error::DataFusionError::from)?;
        let provider = Arc::new(MemTable::try_new(schema, vec![vec![batch]])?);
        let name = self.names.fresh("t");
        let plan = LogicalPlanBuilder::scan(name, provider_as_source(provider), None)?.build()?;
        let column = |i: usize| NamedColumn { name: format!("{prefix}{i}"), precision: Precision::Exact };
        let columns = (0..table.columns.len()).map(column).collect();
        // Column names alone: qualified ones would be ambiguous behind a join.
        let relation = Relation { plan, columns, order: Some(RowOrder { name: order, strict: true }) };
        relation.renamed(&mut self.names, Vec::new())
    }

    fn project(&mut self, input: NodeId, columns: &[ValueId]) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let (named, mut exprs) = self.over(&[(input, &relation)], |expressions, names| {
            let (mut named, mut exprs) = (Vec::new(), Vec::new());
            for &column in columns {
                let name = names.fresh("p");
                exprs.push(expressions.value(column)?.alias(&name));
                let precision = expressions.precision(column);
                if let Precision::Sum { magnitude } = &precision {
                    exprs.push(col(magnitude.as_str()));
                }
                named.push(NamedColumn { name, precision });
            }
            Ok((named, exprs))
        })?;
        exprs.extend(relation.order.iter().map(|order| col(order.name.as_str())));
        let mut seen = std::collections::BTreeSet::new();
        exprs.retain(|expr| seen.insert(expr.schema_name().to_string()));
        Ok(Relation { plan: project(relation.plan, exprs)?, columns: named, order: relation.order })
    }

    fn filter(&mut self, input: NodeId, predicate: ValueId) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let predicate = self.over(&[(input, &relation)], |expressions, _| {
            expressions.decides(predicate);
            expressions.value(predicate)
        })?;
        let plan = LogicalPlanBuilder::from(relation.plan).filter(predicate)?.build()?;
        Ok(Relation { plan, ..relation })
    }

    fn sort(&mut self, input: NodeId, keys: &[SortKey]) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let mut sorts = self.over(&[(input, &relation)], |expressions, _| {
            let sort = |key: &SortKey| {
                expressions.decides(key.value);
                let value = expressions.ordered(key.value)?;
                Ok(Sort::new(value, key.order == SortOrder::Ascending, key.nulls == NullOrder::First))
            };
            keys.iter().map(sort).collect::<Result<Vec<_>, Skip>>()
        })?;
        let strict = relation.is_ordered();
        sorts.extend(relation.order.iter().map(|order| col(order.name.as_str()).sort(true, true)));
        relation.ordered_by(&mut self.names, sorts, strict)
    }

    pub(crate) fn limit(&mut self, relation: Relation, skip: u64, fetch: Option<u64>) -> Result<Relation, Skip> {
        self.notes.open_order |= !relation.is_ordered();
        let mut builder = LogicalPlanBuilder::from(relation.plan);
        if let Some(order) = &relation.order {
            builder = builder.sort(vec![col(order.name.as_str()).sort(true, true)])?;
        }
        let rows = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let plan = builder.limit(rows(skip), fetch.map(rows))?.build()?;
        Ok(Relation { plan, ..relation })
    }

    fn group(&mut self, input: NodeId, keys: &[ValueId], folds: &[Fold], node: NodeId) -> Result<Relation, Skip> {
        let outputs = self.case.plan.node(node).schema.types();
        let named = |(fold, output): (&Fold, _)| NamedFold { op: fold.op, value: fold.value(), filter: None, output };
        let folds: Vec<NamedFold> = folds.iter().zip(outputs[keys.len()..].iter().copied()).map(named).collect();
        self.aggregate(input, keys, &folds, true)
    }

    /// Groups, or one row if there are no keys. `ordered`: by their first rows.
    pub(crate) fn aggregate(
        &mut self,
        input: NodeId,
        keys: &[ValueId],
        folds: &[NamedFold],
        ordered: bool,
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
                results.push(made.result.alias(&name));
                if let Precision::Sum { magnitude } = &made.precision {
                    results.push(col(magnitude.as_str()));
                }
                columns.push(NamedColumn { name, precision: made.precision });
            }
            Ok(())
        })?;
        let order = match &relation.order {
            Some(order) if ordered && !keys.is_empty() => {
                let name = self.names.fresh("o");
                aggregates.push(min(col(order.name.as_str())).alias(&name));
                results.push(col(name.as_str()));
                Some(RowOrder { name, strict: order.strict })
            }
            Some(_) | None => None,
        };
        if aggregates.is_empty() {
            aggregates.push(min(lit(0i64)).alias(self.names.fresh("f")));
        }
        let plan = LogicalPlanBuilder::from(relation.plan).aggregate(groups, aggregates)?.build()?;
        Ok(Relation { plan: project(plan, results)?, columns, order })
    }

    fn distinct(&mut self, input: NodeId) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let types = self.case.plan.node(input).schema.types();
        self.notes.rounded_decides |= relation.columns.iter().any(|column| column.precision != Precision::Exact);
        let (mut groups, mut columns) = (Vec::new(), Vec::new());
        for (column, ty) in relation.columns.iter().zip(types) {
            let name = self.names.fresh("k");
            let key = crate::expression::canonical_key(col(column.name.as_str()), ty.dtype);
            groups.push(key.alias(&name));
            columns.push(NamedColumn { name, precision: Precision::Exact });
        }
        let name = self.names.fresh("o");
        let place = match &relation.order {
            Some(order) => min(col(order.name.as_str())),
            None => min(lit(0u64)),
        };
        let plan = LogicalPlanBuilder::from(relation.plan).aggregate(groups, vec![place.alias(&name)])?.build()?;
        let order = relation.order.map(|order| RowOrder { name, ..order });
        Relation { plan, columns, order }.only_named()
    }

    fn union(&mut self, inputs: &[NodeId]) -> Result<Relation, Skip> {
        let types = self.case.plan.node(inputs[0]).schema.types();
        let names: Vec<String> = types.iter().map(|_| self.names.fresh("u")).collect();
        let (part, place) = (self.names.fresh("u"), self.names.fresh("u"));
        let relations: Vec<Relation> = inputs.iter().map(|&input| self.input(input)).collect();
        let (mut strict, mut rounded) = (true, vec![false; types.len()]);
        let mut builder: Option<LogicalPlanBuilder> = None;
        for (i, relation) in relations.into_iter().enumerate() {
            strict &= relation.is_ordered();
            let mut exprs = Vec::new();
            for (k, column) in relation.columns.iter().enumerate() {
                rounded[k] |= column.precision != Precision::Exact;
                exprs.push(col(column.name.as_str()).alias(&names[k]));
            }
            let order = relation.order.map_or(lit(0u64), |order| col(order.name.as_str()));
            exprs.extend([lit(i as u64).alias(&part), cast(order, DataType::UInt64).alias(&place)]);
            let plan = project(relation.plan, exprs)?;
            builder = Some(match builder {
                Some(builder) => builder.union(plan)?,
                None => LogicalPlanBuilder::from(plan),
            });
        }
        let plan = builder.ok_or_else(|| Skip::internal("a union of nothing"))?.build()?;
        let columns = names.iter().zip(rounded).map(|(name, rounded)| NamedColumn {
            name: name.clone(),
            precision: if rounded { Precision::Rounded } else { Precision::Exact },
        });
        let relation = Relation { plan, columns: columns.collect(), order: None };
        let keys = [part, place].iter().map(|name| col(name.as_str()).sort(true, true)).collect();
        relation.ordered_by(&mut self.names, keys, strict)
    }

    fn scan(
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
                let fold = NamedFold { op: fold.op, value: fold.value(), filter: None, output };
                let mut made = folds::translate(&fold, &name, expressions, faults, &over)?;
                // A sliding sum takes away what leaves the frame, so it is as good as all rows so far, not as the frame.
                let slides = matches!(frame, Frame::Preceding(_)) && matches!(made.precision, Precision::Sum { .. });
                if slides {
                    made.precision = Precision::Rounded;
                }
                windows.extend(made.aggregates);
                results.push(made.result.alias(&name));
                results.extend(magnitude_column(&made.precision));
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
        let plan = project(project(plan, all)?, results)?;
        Ok(Relation { plan, columns: named, order: Some(order) })
    }
}

fn magnitude_column(precision: &Precision) -> Option<Expr> {
    match precision {
        Precision::Sum { magnitude } => Some(col(magnitude.as_str())),
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
