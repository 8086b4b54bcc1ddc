//! Plans as DataFusion plans. In goes a case, out comes the relation of its last node, with what was noticed on the way.

use crate::arrow_data;
use crate::case::Case;
use crate::engine::Engine;
use crate::expression::{Expressions, FaultMode, NamedColumn, ParamValue, Precision};
use crate::join::{JoinSpec, Kind};
use crate::notes::Notes;
use crate::operation::canonical_key;
use crate::relation::{Names, Relation, RowOrder, project};
use crate::skip::Skip;
use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::{MemTable, provider_as_source};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{LogicalPlanBuilder, cast, col, lit};
use pointsman_ir::body::{ColumnId, ValueId};
use pointsman_ir::kernel::{NullOrder, SortKey, SortOrder};
use pointsman_ir::plan::{
    Composite, EquiJoinKind, Join, JoinKey, JoinKind, NodeId, NodeKind, PlanColumn, ROW_NUMBER, RowOrder as Groups,
    SourceId,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A plan in DataFusion.
#[derive(Debug)]
pub(crate) struct Translation {
    /// The relation of each node; the last is the result.
    pub(crate) relations: Vec<Relation>,
    /// What was noticed.
    pub(crate) notes: Notes,
}

/// Translates all nodes. Scalars that the plan computes are computed on the way.
pub(crate) fn translate(case: &Case, engine: &Engine, faults: FaultMode) -> Result<Translation, Skip> {
    let mut params = vec![ParamValue::default(); case.plan.params.len()];
    for (param, &value) in case.plan.given_params().iter().zip(&case.params) {
        params[param.index()].value = value;
    }
    let (names, relations, notes) = (Names::default(), Vec::new(), Notes::default());
    let mut translator = Translator { case, faults, params, names, relations, notes };
    for node in 0..case.plan.nodes.len() as u32 {
        let relation = translator.node(NodeId(node))?;
        translator.relations.push(relation);
        translator.scalars(NodeId(node), engine)?;
    }
    Ok(Translation { relations: translator.relations, notes: translator.notes })
}

/// Translates node by node.
pub(crate) struct Translator<'a> {
    pub(crate) case: &'a Case,
    pub(crate) faults: FaultMode,
    params: Vec<ParamValue>,
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
            NodeKind::Reduce { input, folds } => self.folds(node, *input, &[], folds, Groups::FirstRow),
            NodeKind::Scan { input, columns, running, segment } => self.scan(node, *input, columns, running, *segment),
            NodeKind::Sort { input, keys } => self.sort(*input, keys),
            NodeKind::TopK { input, keys, count } => {
                let sorted = self.sort(*input, keys)?;
                self.limit(sorted, 0, Some(*count))
            }
            NodeKind::Group { input, keys, folds, order } => self.folds(node, *input, keys, folds, *order),
            NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max: _ } => {
                let kind = match kind {
                    EquiJoinKind::Inner => Kind::Inner,
                    EquiJoinKind::Left => Kind::Left,
                    EquiJoinKind::Semi => Kind::Semi,
                    EquiJoinKind::Anti => Kind::Anti,
                    EquiJoinKind::Exists => Kind::Exists,
                };
                let keys = left_keys.iter().zip(right_keys).map(|(&left, &right)| JoinKey::new(left, right)).collect();
                self.join(&JoinSpec { left: *left, right: *right, keys, residual: None, kind })
            }
            NodeKind::Composite(Composite::Join(join)) => {
                let Join { left, right, keys, residual, kind } = join.clone();
                let kind = match kind {
                    JoinKind::Inner => Kind::Inner,
                    JoinKind::Left => Kind::Left,
                    JoinKind::Right => Kind::Right,
                    JoinKind::Full => Kind::Full,
                    JoinKind::Semi => Kind::Semi,
                    JoinKind::Anti => Kind::Anti,
                    JoinKind::Mark => Kind::Mark,
                    JoinKind::Cross { .. } => Kind::Cross,
                };
                *self.notes.nodes.entry(format!("  join: {}", join.kind.name())).or_default() += 1;
                self.join(&JoinSpec { left, right, keys, residual, kind })
            }
            NodeKind::Composite(Composite::Aggregate(aggregation)) => self.aggregation(node, aggregation),
            NodeKind::Window { .. } => Err(Skip::Node("window")),
            NodeKind::Call { .. } => Err(Skip::Node("call")),
            NodeKind::Union { inputs } => self.union(inputs),
            NodeKind::Limit { input, skip, fetch } => {
                let relation = self.input(*input);
                self.limit(relation, *skip, *fetch)
            }
            NodeKind::Distinct { input } => self.distinct(*input),
        }
    }

    /// Runs the node for every scalar that is a value of its only row.
    fn scalars(&mut self, node: NodeId, engine: &Engine) -> Result<(), Skip> {
        for (param, column) in self.case.plan.scalars.iter().filter(|(_, column)| column.node == node) {
            let relation = &self.relations[node.index()];
            let types = self.case.plan.node(node).schema.types();
            let answer = engine.run(relation, &types).map_err(Skip::Run)?;
            if answer.rows.rows > 1 {
                let error = datafusion::error::DataFusionError::Execution("several rows for a scalar".to_string());
                return Err(Skip::Run(error));
            }
            let index = column.index as usize;
            let value = answer.rows.columns[index].iter().next().flatten();
            let rounded = relation.columns[index].precision != Precision::Exact;
            self.params[param.index()] = ParamValue { value, rounded };
            *self.notes.nodes.entry("scalar".to_string()).or_default() += 1;
        }
        Ok(())
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
        let mut expressions = Expressions::new(self.case, self.faults, &scope, &self.params);
        let made = make(&mut expressions, &mut self.names);
        self.notes.take(expressions);
        made
    }

    fn source(&mut self, source: SourceId) -> Result<Relation, Skip> {
        let table = &self.case.sources[source.0 as usize];
        let prefix = self.names.fresh("s");
        let prefix = format!("{prefix}_");
        let order = format!("{prefix}row");
        let mut fields: Vec<Field> =
            arrow_data::schema(&table.types(), &prefix).fields().iter().map(|f| (**f).clone()).collect();
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
                if let Precision::Sum { magnitude, .. } = &precision {
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
        if fetch == Some(0) {
            // DataFusion's sort panics if it is to keep no row.
            return Ok(Relation { plan: builder.filter(lit(false))?.build()?, ..relation });
        }
        if let Some(order) = &relation.order {
            builder = builder.sort(vec![col(order.name.as_str()).sort(true, true)])?;
        }
        let rows = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let plan = builder.limit(rows(skip), fetch.map(rows))?.build()?;
        Ok(Relation { plan, ..relation })
    }

    fn distinct(&mut self, input: NodeId) -> Result<Relation, Skip> {
        let relation = self.input(input);
        let types = self.case.plan.node(input).schema.types();
        self.notes.rounded_decides |= relation.columns.iter().any(|column| column.precision != Precision::Exact);
        let (mut groups, mut columns) = (Vec::new(), Vec::new());
        for (column, ty) in relation.columns.iter().zip(types) {
            let name = self.names.fresh("k");
            let key = canonical_key(col(column.name.as_str()), ty.dtype);
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
}
