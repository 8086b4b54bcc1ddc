//! Derives the time zone of each result column from the plan and the zones of the source columns. Zones are metadata:
//! no operation reads them, and they change no value.
//!
//! A value has the zone of the timestamps that it comes from. Scalars have none and take that of the others; timestamps
//! of different zones, of a zone and none, and casts from other types give a value without a zone.

use crate::data::arrow::TimeZone;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::plan::{Composite, Join, NodeId, NodeKind, Plan};
use pointsman_ir::types::DType;

/// The zone of a value.
#[derive(Clone, Debug, PartialEq)]
enum Zone {
    /// It takes the zone of the values that it is combined with.
    Any,
    /// It has this zone, or none.
    Known(Option<TimeZone>),
}

impl Zone {
    fn join(self, other: Zone) -> Zone {
        match (self, other) {
            (Zone::Any, other) | (other, Zone::Any) => other,
            (one, other) if one == other => one,
            (Zone::Known(_), Zone::Known(_)) => Zone::Known(None),
        }
    }
}

/// The zone of each column of a plan's result; empty if the sources have no zones. `sources` has
/// an entry for each column of each source; missing ones have no zone.
pub(crate) fn of_results(plan: &Plan, sources: &[&[Option<TimeZone>]]) -> Vec<Option<TimeZone>> {
    if sources.iter().all(|source| source.iter().all(Option::is_none)) {
        return Vec::new();
    }
    let mut zones = Zones { plan, sources, nodes: Vec::new(), values: vec![None; plan.body.len()] };
    for node in &plan.nodes {
        let columns = zones.of_node(&node.kind, node.schema.fields.len());
        zones.nodes.push(columns);
    }
    let root = zones.nodes.swap_remove(plan.root().index());
    root.into_iter().map(|zone| if let Zone::Known(zone) = zone { zone } else { None }).collect()
}

struct Zones<'a> {
    plan: &'a Plan,
    sources: &'a [&'a [Option<TimeZone>]],
    /// The zones of each node's columns.
    nodes: Vec<Vec<Zone>>,
    /// The zones of the requested values.
    values: Vec<Option<Zone>>,
}

impl Zones<'_> {
    fn of_node(&mut self, kind: &NodeKind, columns: usize) -> Vec<Zone> {
        match kind {
            NodeKind::Source(source) => {
                let source = self.sources.get(source.0 as usize).copied().unwrap_or(&[]);
                let zone = |column: usize| Zone::Known(source.get(column).cloned().flatten());
                (0..columns).map(zone).collect()
            }
            NodeKind::Project { columns, .. } => self.of_values(columns.iter().copied().map(Some)),
            NodeKind::Filter { input, .. }
            | NodeKind::Sort { input, .. }
            | NodeKind::TopK { input, .. }
            | NodeKind::Limit { input, .. }
            | NodeKind::Distinct { input } => self.of_input(*input),
            NodeKind::Reduce { folds, .. } => self.of_values(folds.iter().map(|fold| fold.value())),
            NodeKind::Group { keys, folds, .. } => {
                let folds = folds.iter().map(|fold| fold.value());
                self.of_values(keys.iter().copied().map(Some).chain(folds))
            }
            NodeKind::Composite(Composite::Aggregate(aggregation)) => {
                let folds = aggregation.aggregates.iter().map(|fold| fold.value);
                self.of_values(aggregation.keys.iter().copied().map(Some).chain(folds))
            }
            // A semi-join has no columns of the right input, and a mark has no zone.
            NodeKind::EquiJoin { left, right, .. } | NodeKind::Composite(Composite::Join(Join { left, right, .. })) => {
                let mut zones = [self.of_input(*left), self.of_input(*right)].concat();
                zones.resize(columns, Zone::Any);
                zones
            }
            // A call has floats only.
            NodeKind::Call { .. } => vec![Zone::Any; columns],
            NodeKind::Union { inputs } => {
                let all = inputs.iter().map(|&input| self.of_input(input));
                let pairs = |one: Vec<Zone>, other: Vec<Zone>| {
                    one.into_iter().zip(other).map(|(one, other)| one.join(other)).collect()
                };
                all.reduce(pairs).unwrap_or_default()
            }
            NodeKind::Window { input, running, .. } => {
                let mut zones = self.of_input(*input);
                zones.extend(self.of_values(running.iter().map(|one| one.fold.value())));
                zones
            }
            NodeKind::Scan { columns, running, .. } => {
                let folds = running.iter().map(|one| one.fold.value());
                self.of_values(columns.iter().copied().map(Some).chain(folds))
            }
        }
    }

    fn of_input(&self, input: NodeId) -> Vec<Zone> {
        self.nodes.get(input.index()).cloned().unwrap_or_default()
    }

    /// The zones of columns or folds, by their values. A fold that counts rows has no value.
    fn of_values(&mut self, values: impl Iterator<Item = Option<ValueId>>) -> Vec<Zone> {
        values.map(|value| value.map_or(Zone::Any, |value| self.of_value(value))).collect()
    }

    /// The zone of a value. Recursion is bounded by the plan's depth limit.
    fn of_value(&mut self, value: ValueId) -> Zone {
        if let Some(zone) = &self.values[value.index()] {
            return zone.clone();
        }
        let zone =
            if self.plan.body.ty(value).dtype == DType::Timestamp { self.of_timestamp(value) } else { Zone::Any };
        self.values[value.index()] = Some(zone.clone());
        zone
    }

    fn of_timestamp(&mut self, value: ValueId) -> Zone {
        let plan = self.plan;
        match plan.body.inst(value) {
            Inst::Column(column) => {
                let column = plan.columns[column.index()];
                let zones = self.nodes.get(column.node.index());
                zones.and_then(|zones| zones.get(column.index as usize)).cloned().unwrap_or(Zone::Any)
            }
            Inst::Param(_) | Inst::Const(_) => Zone::Any,
            Inst::Call { op, args } if op.is_cast() => {
                let is_timestamp = |arg: &ValueId| plan.body.ty(*arg).dtype == DType::Timestamp;
                if args.iter().all(is_timestamp) { self.joined(args) } else { Zone::Known(None) }
            }
            Inst::Call { args, .. } => self.joined(args),
            Inst::LoopCarried { of, slot } => self.slot(*of, *slot, false),
            Inst::LoopResult { of, slot } => self.slot(*of, *slot, true),
            Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Probe { .. } => Zone::Known(None),
            Inst::RowIndex | Inst::Loop { .. } | Inst::LoopIndex(_) => Zone::Any,
        }
    }

    fn joined(&mut self, values: &[ValueId]) -> Zone {
        values.iter().fold(Zone::Any, |zone, &value| zone.join(self.of_value(value)))
    }

    /// The zone of a loop slot: that of its initial value; after the loop, joined with that of its next value.
    fn slot(&mut self, of: ValueId, slot: u32, is_result: bool) -> Zone {
        let Inst::Loop { init, next, .. } = self.plan.body.inst(of) else { return Zone::Any };
        let (first, later) = (init.get(slot as usize), next.get(slot as usize).filter(|_| is_result));
        let values: Vec<ValueId> = first.into_iter().chain(later).copied().collect();
        self.joined(&values)
    }
}
