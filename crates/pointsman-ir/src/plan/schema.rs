//! Which columns an operation gives. In: a plan whose inputs are there, and an operation. Out: its schema. Never a panic:
//! what does not exist gives no columns, and `verify` refuses it.

use super::composite::{Composite, JoinKind};
use super::node::{EquiJoinKind, NodeKind};
use super::{NodeId, Plan};
use crate::kernel::{Fold, Running};
use crate::types::{DType, Field, Schema, Type};

impl Plan {
    /// The schema an operation gives; an empty one if it names a node or value that does not exist.
    pub fn schema_of(&self, kind: &NodeKind, names: &[&str]) -> Schema {
        let nodes_exist = kind.inputs().iter().all(|input| input.index() < self.nodes.len());
        if !nodes_exist || !kind.operands().iter().all(|&v| self.body.contains(v)) {
            return Schema::default();
        }
        let fold_types = |folds: &[Fold]| folds.iter().map(|fold| fold.output(&self.body)).collect::<Vec<_>>();
        let running_types =
            |running: &[Running]| running.iter().map(|running| running.fold.output(&self.body)).collect::<Vec<_>>();
        // `first`: the columns before these ones.
        let name_from = |first: usize, types: Vec<Type>| {
            let name = |i: usize| names.get(i).map_or_else(|| format!("_{}", first + i), |name| name.to_string());
            let fields = types.into_iter().enumerate().map(|(i, ty)| Field { name: name(i), ty });
            Schema { fields: fields.collect() }
        };
        let name_all = |types: Vec<Type>| name_from(0, types);
        let of = |node: &NodeId| self.node(*node).schema.clone();
        match kind {
            NodeKind::Source(_) => Schema::default(),
            NodeKind::Project { columns, .. } => name_all(self.body.types_of(columns)),
            NodeKind::Call { value, .. } => name_all(vec![self.body.ty(*value).dtype.required()]),
            NodeKind::Reduce { folds, .. } => name_all(fold_types(folds)),
            NodeKind::Scan { columns, running, .. } => {
                name_all(self.body.types_of(columns).into_iter().chain(running_types(running)).collect())
            }
            NodeKind::Group { keys, folds, .. } => {
                name_all(self.body.types_of(keys).into_iter().chain(fold_types(folds)).collect())
            }
            NodeKind::Filter { input, .. } | NodeKind::Sort { input, .. } | NodeKind::TopK { input, .. } => of(input),
            NodeKind::Limit { input, .. } | NodeKind::Distinct { input } => of(input),
            NodeKind::Union { inputs } => union_schema(inputs.iter().map(of)),
            NodeKind::EquiJoin { left, right, kind, .. } => {
                let flag = names.first().copied();
                match kind {
                    EquiJoinKind::Semi | EquiJoinKind::Anti => of(left),
                    EquiJoinKind::Inner => beside(of(left), of(right)),
                    EquiJoinKind::Left => beside(of(left), nullable(of(right))),
                    EquiJoinKind::Exists => with_flag(of(left), flag, DType::Bool.required()),
                }
            }
            NodeKind::Composite(Composite::Join(join)) => {
                let (left, right, flag) = (of(&join.left), of(&join.right), names.first().copied());
                match join.kind {
                    JoinKind::Semi | JoinKind::Anti => left,
                    JoinKind::Inner | JoinKind::Cross { .. } => beside(left, right),
                    JoinKind::Left => beside(left, nullable(right)),
                    JoinKind::Right => beside(nullable(left), right),
                    JoinKind::Full => beside(nullable(left), nullable(right)),
                    JoinKind::Mark => with_flag(left, flag, DType::Bool.nullable()),
                }
            }
            NodeKind::Composite(Composite::Aggregate(aggregation)) => {
                let aggregates = aggregation.aggregates.iter().map(|one| one.output(&self.body));
                name_all(self.body.types_of(&aggregation.keys).into_iter().chain(aggregates).collect())
            }
            NodeKind::Window { input, running, .. } => {
                let mut schema = of(input);
                let added = name_from(schema.fields.len(), running_types(running));
                schema.fields.extend(added.fields);
                schema
            }
        }
    }
}

/// The first input's names; a column is nullable if any input's is.
fn union_schema(mut inputs: impl Iterator<Item = Schema>) -> Schema {
    let mut schema = inputs.next().unwrap_or_default();
    for other in inputs {
        for (field, other) in schema.fields.iter_mut().zip(other.fields) {
            field.ty.nullable |= other.ty.nullable;
        }
    }
    schema
}

/// The columns of both.
fn beside(mut left: Schema, right: Schema) -> Schema {
    left.fields.extend(right.fields);
    left
}

/// The same columns, each nullable.
fn nullable(mut schema: Schema) -> Schema {
    schema.fields.iter_mut().for_each(|field| field.ty.nullable = true);
    schema
}

/// The columns and a truth value.
fn with_flag(mut schema: Schema, name: Option<&str>, ty: Type) -> Schema {
    let name = name.map_or_else(|| format!("_{}", schema.fields.len()), str::to_string);
    schema.fields.push(Field { name, ty });
    schema
}
