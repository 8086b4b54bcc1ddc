//! Checks a plan: its size, its columns, its expressions, and every node against its inputs.

use super::body::{self, Checked, Scope, digits};
use super::{VerifyError, composite, fail, kernel, keys};
use crate::body::{Inst, ValueId};
use crate::kernel::Running;
use crate::plan::{Composite, EquiJoinKind, NodeId, NodeKind, Plan, PlanColumn, SourceId};
use crate::plan::{PLAN_DEPTH_MAX, PLAN_NODES_MAX, ROW_NUMBER};
use crate::rewrite::node::scalars_of;
use crate::types::{DType, Schema, Type};
use std::collections::BTreeMap;

pub(super) fn check(plan: &Plan) -> Result<(), VerifyError> {
    size(plan)?;
    inputs(plan)?;
    scalars(plan)?;
    sources(plan)?;
    for (i, &ty) in plan.params.iter().enumerate() {
        digits(ty.dtype, || format!("p{i}"))?;
    }
    for (i, &dtype) in plan.lists.iter().enumerate() {
        digits(dtype, || format!("l{i}"))?;
    }
    let columns = columns(plan)?;
    let scope = Scope { columns: &columns, params: &plan.params, lists: &plan.lists, tables: None };
    let checked = body::check(&plan.body, &scope)?;
    let mut reach = Reach { plan, seen: vec![0; plan.body.len()], turn: 0 };
    for (i, node) in plan.nodes.iter().enumerate() {
        let id = NodeId(i as u32);
        let user = format!("{id} (`{}`)", node.kind.name());
        kind(plan, &checked, &user, &node.kind)?;
        reach.check(&user, &node.kind)?;
        scalars_come_first(plan, &user, id)?;
        schema(plan, &user, id)?;
    }
    Ok(())
}

fn size(plan: &Plan) -> Result<(), VerifyError> {
    if plan.nodes.is_empty() {
        return fail("the plan has no nodes: start it with a source".to_string());
    }
    let count = plan.nodes.len() + plan.body.len();
    if count > PLAN_NODES_MAX {
        return fail(format!(
            "the plan has {count} nodes and expressions, more than the {PLAN_NODES_MAX} allowed: split the query"
        ));
    }
    Ok(())
}

/// Source nodes of one number are one table, so they have one schema.
fn sources(plan: &Plan) -> Result<(), VerifyError> {
    let mut schemas: BTreeMap<SourceId, (usize, &Schema)> = BTreeMap::new();
    for (i, node) in plan.nodes.iter().enumerate() {
        let NodeKind::Source(source) = node.kind else { continue };
        let (first, schema) = *schemas.entry(source).or_insert((i, &node.schema));
        if *schema != node.schema {
            return fail(format!(
                "n{i} (`source`) has other columns than n{first}, but both are source {}: give every source its own number",
                source.0
            ));
        }
    }
    Ok(())
}

/// Nodes come after their inputs, and the plan is not too deep.
fn inputs(plan: &Plan) -> Result<(), VerifyError> {
    let mut depths: Vec<usize> = Vec::with_capacity(plan.nodes.len());
    for (i, node) in plan.nodes.iter().enumerate() {
        let mut depth = 1;
        for input in node.kind.inputs() {
            let Some(below) = depths.get(input.index()) else {
                return fail(format!(
                    "n{i} (`{}`) reads {input}, which does not come before it: add inputs first",
                    node.kind.name()
                ));
            };
            depth = depth.max(below + 1);
        }
        if depth > PLAN_DEPTH_MAX {
            return fail(format!(
                "n{i} (`{}`) stands on {} nodes, one on top of the other; at most {PLAN_DEPTH_MAX} in all are allowed: split the query",
                node.kind.name(),
                depth - 1
            ));
        }
        depths.push(depth);
    }
    Ok(())
}

/// The types of the plan's columns.
fn columns(plan: &Plan) -> Result<Vec<Type>, VerifyError> {
    let type_of = |(i, column): (usize, &PlanColumn)| {
        let node = column.node;
        let Some(of) = plan.nodes.get(node.index()) else {
            return fail(format!(
                "c{i} is a column of {node}, but there are {} nodes: name one of them",
                plan.nodes.len()
            ));
        };
        if column.index == ROW_NUMBER {
            if matches!(of.kind, NodeKind::Source(_)) {
                return Ok(DType::U64.required());
            }
            let name = of.kind.name();
            return fail(format!("c{i} is the row number of {node}, a `{name}`: only sources number their rows"));
        }
        let width = of.schema.fields.len();
        let field = of.schema.fields.get(column.index as usize);
        field.map_or_else(
            || fail(format!("c{i} is column {} of {node}, which has {width} columns: name one of them", column.index)),
            |field| Ok(field.ty),
        )
    };
    plan.columns.iter().enumerate().map(type_of).collect()
}

/// Computed scalars are columns of nodes, of the scalars' types.
fn scalars(plan: &Plan) -> Result<(), VerifyError> {
    for (param, column) in &plan.scalars {
        let PlanColumn { node, index } = *column;
        let Some(&ty) = plan.params.get(param.index()) else {
            return fail(format!(
                "{param} is taken from {node}, but there are {} scalars: declare it",
                plan.params.len()
            ));
        };
        let field = plan.nodes.get(node.index()).and_then(|node| node.schema.fields.get(index as usize));
        let Some(field) = field else {
            return fail(format!("{param} is column {index} of {node}, which does not exist: name one that does"));
        };
        if ty.dtype != field.ty.dtype {
            return fail(format!("{param} is {ty}, but column {index} of {node} is {}: declare it so", field.ty));
        }
        if !ty.nullable && (field.ty.nullable || !plan.gives_one_row(node)) {
            return fail(format!("{param} is {ty}, but {node} may have no row or a null: declare it nullable"));
        }
    }
    Ok(())
}

/// The scalars that a node uses are computed before it.
fn scalars_come_first(plan: &Plan, user: &str, id: NodeId) -> Result<(), VerifyError> {
    for param in scalars_of(plan, &plan.node(id).kind.operands()) {
        let node = plan.scalars[&param].node;
        if node >= id {
            return fail(format!(
                "{user} uses {param}, a scalar of {node}, which does not come before it: add {node} first"
            ));
        }
    }
    Ok(())
}

/// The inputs of a node.
fn kind(plan: &Plan, checked: &Checked<'_>, user: &str, kind: &NodeKind) -> Result<(), VerifyError> {
    let folds = |running: &[Running]| running.iter().try_for_each(|one| checked.fold(user, &one.fold));
    match kind {
        NodeKind::Source(_) | NodeKind::Limit { .. } => Ok(()),
        NodeKind::Project { columns, .. } => checked.carried(user, columns),
        NodeKind::Filter { predicate, .. } => checked.condition(user, "the predicate", *predicate),
        NodeKind::Reduce { folds, .. } => folds.iter().try_for_each(|fold| checked.fold(user, fold)),
        NodeKind::Scan { columns, running, segment, .. } => {
            checked.carried(user, columns)?;
            folds(running)?;
            segment.map_or(Ok(()), |v| checked.condition(user, "the segment start", v))
        }
        NodeKind::Sort { keys, .. } | NodeKind::TopK { keys, .. } => {
            keys.iter().try_for_each(|key| checked.ordered(user, key.value).map(|_| ()))
        }
        NodeKind::Group { keys, folds, .. } => {
            checked.equated(user, keys)?;
            folds.iter().try_for_each(|fold| checked.fold(user, fold))
        }
        NodeKind::EquiJoin { left_keys, right_keys, kind, pairs_max, .. } => {
            if pairs_max.is_some() && *kind != EquiJoinKind::Inner {
                return fail(format!(
                    "{user}: only an inner join has a limit of pairs, not `{}`: remove it",
                    kind.name()
                ));
            }
            equi_join(checked, user, left_keys, right_keys)
        }
        NodeKind::Call { value, call, table, .. } => {
            kernel::call(checked, user, call, *value, table.map(|table| (table, plan.lists.get(table.index()))))
        }
        NodeKind::Composite(Composite::Join(join)) => composite::join(plan, checked, user, join),
        NodeKind::Composite(Composite::Aggregate(aggregation)) => composite::aggregation(checked, user, aggregation),
        NodeKind::Window { partition, order, running, .. } => {
            checked.equated(user, partition)?;
            order.iter().try_for_each(|key| checked.ordered(user, key.value).map(|_| ()))?;
            folds(running)
        }
        NodeKind::Union { inputs } => union(plan, user, inputs),
        NodeKind::Distinct { input } => {
            let fields = &plan.node(*input).schema.fields;
            fields.iter().try_for_each(|field| keys::equatable(user, &field.name, field.ty.dtype).map(|_| ()))
        }
    }
}

fn equi_join(checked: &Checked<'_>, user: &str, left: &[ValueId], right: &[ValueId]) -> Result<(), VerifyError> {
    if left.is_empty() || left.len() != right.len() {
        return fail(format!(
            "{user} has {} left and {} right keys: give as many on both sides, at least one",
            left.len(),
            right.len()
        ));
    }
    for (l, r) in checked.equated(user, left)?.into_iter().zip(checked.equated(user, right)?) {
        if l != r {
            return fail(format!("{user}: a left key is {l}, but its right key is {r}: cast one of them"));
        }
    }
    Ok(())
}

fn union(plan: &Plan, user: &str, inputs: &[NodeId]) -> Result<(), VerifyError> {
    let Some((&first, rest)) = inputs.split_first() else {
        return fail(format!("{user} has no inputs: give it at least one"));
    };
    let types = |node: NodeId| plan.node(node).schema.types().into_iter().map(|ty| ty.dtype).collect::<Vec<_>>();
    let wanted = types(first);
    for &other in rest {
        let found = types(other);
        if found.len() != wanted.len() {
            return fail(format!(
                "{user}: {first} has {} columns, but {other} has {}: project both to the same",
                wanted.len(),
                found.len()
            ));
        }
        if let Some(i) = (0..wanted.len()).find(|&i| wanted[i] != found[i]) {
            return fail(format!(
                "{user}: column {i} is {} in {first}, but {} in {other}: cast one of them",
                wanted[i], found[i]
            ));
        }
    }
    Ok(())
}

fn schema(plan: &Plan, user: &str, id: NodeId) -> Result<(), VerifyError> {
    let node = plan.node(id);
    if matches!(node.kind, NodeKind::Source(_)) {
        return node
            .schema
            .fields
            .iter()
            .try_for_each(|field| digits(field.ty.dtype, || format!("{user}: column `{}`", field.name)));
    }
    let (found, derived) = (node.schema.types(), plan.schema_of(&node.kind, &[]).types());
    if found.len() != derived.len() {
        return fail(format!(
            "{user} has {} columns in its schema, but gives {}: derive the schema again",
            found.len(),
            derived.len()
        ));
    }
    match (0..found.len()).find(|&i| found[i] != derived[i]) {
        None => Ok(()),
        Some(i) => fail(format!(
            "{user}: column {i} is {} in its schema, but {} by its expressions: derive the schema again",
            found[i], derived[i]
        )),
    }
}

/// Finds the columns that expressions reach.
struct Reach<'a> {
    plan: &'a Plan,
    /// The turn in which a value was last met.
    seen: Vec<u32>,
    turn: u32,
}

impl Reach<'_> {
    /// Checks that a node's expressions use its inputs' columns alone.
    fn check(&mut self, user: &str, kind: &NodeKind) -> Result<(), VerifyError> {
        if let NodeKind::EquiJoin { left, right, left_keys, right_keys, .. } = kind {
            self.columns_of(user, left_keys, &[*left])?;
            return self.columns_of(user, right_keys, &[*right]);
        }
        if let NodeKind::Composite(Composite::Join(join)) = kind {
            let (left, right): (Vec<_>, Vec<_>) = join.keys.iter().map(|key| (key.left, key.right)).unzip();
            self.columns_of(user, &left, &[join.left])?;
            self.columns_of(user, &right, &[join.right])?;
            return self.columns_of(user, join.residual.as_slice(), &[join.left, join.right]);
        }
        match kind.inputs().first() {
            Some(&input) => self.columns_of(user, &kind.operands(), &[input]),
            None => Ok(()),
        }
    }

    fn columns_of(&mut self, user: &str, roots: &[ValueId], inputs: &[NodeId]) -> Result<(), VerifyError> {
        self.turn += 1;
        let mut todo = roots.to_vec();
        while let Some(v) = todo.pop() {
            if std::mem::replace(&mut self.seen[v.index()], self.turn) == self.turn {
                continue;
            }
            let inst = self.plan.body.inst(v);
            if let Inst::Column(column) = inst {
                let from = self.plan.columns[column.index()].node;
                if !inputs.contains(&from) {
                    let name = |node: NodeId| self.plan.node(node).kind.name();
                    let input = inputs[inputs.len() - 1];
                    return fail(format!(
                        "{user} uses {v}, a column of {from} (`{}`), but its input is {input} (`{}`): take the column from {input}",
                        name(from),
                        name(input)
                    ));
                }
            }
            todo.extend(inst.operands());
        }
        Ok(())
    }
}
