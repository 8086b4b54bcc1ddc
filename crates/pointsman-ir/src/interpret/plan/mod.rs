//! The meaning of plans: in go a plan and its inputs, out comes what its result may be.
//!
//! This is the oracle of everything that makes kernels of plans. It shares nothing with that: every node, the composite ones
//! included, is evaluated by its definition, row by row: joins as nested loops, groups and sorts of plain rows. Only the
//! scalar operations and the accumulators of folds are those of the kernel interpreter.
//!
//! **Faults are lazy.** A value that cannot be computed is a value until something needs it: a fold, a key, a predicate,
//! the result. A plan may also fault where an operation other than a projection or filter, or a node that several others
//! read, has such a value in its rows, since its rows may be written out: [`Reference::may_fault`].
//!
//! **Float sums** have exact bits where the places of their rows are those that every plan keeps: a source's, or those of
//! the rows that a node writes. Elsewhere (behind joins, or behind filters that a pass may move) they are known within a
//! bound, and what is computed from them is not known at all.

mod calls;
mod cell;
mod compare;
mod expressions;
mod folds;
mod joins;
mod quantile;
mod rows;
mod statistics;

pub use compare::Comparison;

use super::fault::{Fault, PlanFault};
use crate::body::{ParamId, ValueId};
use crate::data::{ColumnData, TableData};
use crate::plan::{Composite, NodeId, NodeKind, Plan, PlanColumn, PlanError, ROW_NUMBER};
use crate::rewrite::edit::consumers;
use crate::rewrite::node::reachable;
use crate::types::{Scalar, Type};
use crate::verify;
use cell::Cell;
use expressions::Expressions;

/// What a plan runs over.
#[derive(Clone, Copy, Debug)]
pub struct PlanInputs<'a> {
    /// The rows of each source.
    pub sources: &'a [TableData],
    /// The scalars that are handed in, in order.
    pub params: &'a [Option<Scalar>],
    /// The captured tables.
    pub lists: &'a [ColumnData],
}

/// What the result of a plan may be.
#[derive(Debug)]
pub struct Reference {
    /// The types of its columns.
    types: Vec<Type>,
    outcome: Result<Vec<Row>, Stop>,
    may_fault: bool,
}

/// Why there is no result to compare with.
#[derive(Clone, Debug)]
enum Stop {
    /// The plan faults, unless it does without the value.
    Fault(PlanFault),
    /// Which rows there are depends on the bits of a sum that is known within a bound alone.
    Undetermined,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault.into())
    }
}

/// A row of a table.
type Row = Vec<Cell>;

/// Where rows are, for float sums.
#[derive(Clone, Debug)]
enum Places {
    /// At these places, whatever the plan.
    At(Vec<u64>),
    /// One after the other, but a filter above may be moved below.
    Movable,
    /// It depends on the plan.
    Open,
}

/// The rows of a node.
#[derive(Clone, Debug)]
struct Table {
    rows: Vec<Row>,
    places: Places,
}

impl Table {
    /// Rows one after the other.
    fn dense(rows: Vec<Row>) -> Table {
        let places = Places::At((0..rows.len() as u64).collect());
        Table { rows, places }
    }

    /// The places of the rows, if every plan keeps them.
    fn fixed_places(&self) -> Option<Vec<u64>> {
        match &self.places {
            Places::At(places) => Some(places.clone()),
            Places::Movable => Some((0..self.rows.len() as u64).collect()),
            Places::Open => None,
        }
    }

    fn has_faults(&self) -> bool {
        self.rows.iter().flatten().any(Cell::is_fault)
    }
}

/// What the result of a plan may be. An invalid plan, or one with an operation without a meaning yet, is refused.
pub fn run(plan: &Plan, inputs: &PlanInputs<'_>) -> Result<Reference, PlanError> {
    verify::plan(plan)?;
    let window = |node: &NodeId| matches!(plan.node(*node).kind, NodeKind::Window { .. });
    let nodes = reachable(plan);
    if nodes.iter().any(window) {
        return Err(PlanError::unsupported("window cannot be run yet: use a scan with segments"));
    }
    let mut given = inputs.params.iter();
    let params = (0..plan.params.len()).map(|param| {
        let computed = plan.scalars.contains_key(&ParamId(param as u32));
        let value = if computed { None } else { given.next().copied().flatten() };
        Cell::Value(value.map(Scalar::canonical))
    });
    let params = params.collect();
    let tables = vec![None; plan.nodes.len()];
    let mut run = PlanRun { plan, inputs, params, tables, consumers: consumers(plan), may_fault: false };
    let outcome = nodes.into_iter().try_for_each(|node| run.node(node)).and_then(|()| {
        let rows = run.table(plan.root()).rows.clone();
        match rows.iter().flatten().find(|cell| cell.is_fault()) {
            Some(Cell::Fault { fault, .. }) => Err(Stop::Fault((**fault).clone().into())),
            Some(_) | None => Ok(rows),
        }
    });
    let types = plan.node(plan.root()).schema.types();
    Ok(Reference { types, outcome, may_fault: run.may_fault })
}

struct PlanRun<'a> {
    plan: &'a Plan,
    inputs: &'a PlanInputs<'a>,
    params: Vec<Cell>,
    tables: Vec<Option<Table>>,
    /// How many nodes read each node.
    consumers: Vec<usize>,
    may_fault: bool,
}

impl PlanRun<'_> {
    /// Computes a node, its inputs being computed.
    fn node(&mut self, id: NodeId) -> Result<(), Stop> {
        let kind = &self.plan.node(id).kind;
        if !matches!(kind, NodeKind::Project { .. } | NodeKind::Filter { .. }) {
            self.may_fault |= kind.inputs().into_iter().any(|input| self.table(input).has_faults());
        }
        let mut table = self.rows_of(kind)?;
        if self.consumers[id.index()] > 1 {
            self.may_fault |= table.has_faults();
            // The rows may be written out, or read where they are.
            if let Places::At(places) = &table.places
                && !places.iter().copied().eq(0..places.len() as u64)
            {
                table.places = Places::Open;
            }
        }
        self.tables[id.index()] = Some(table);
        self.scalars(id)
    }

    fn rows_of(&self, kind: &NodeKind) -> Result<Table, Stop> {
        match kind {
            NodeKind::Source(source) => Ok(source_rows(&self.inputs.sources[source.0 as usize])),
            NodeKind::Project { input, columns } => {
                let rows = self.evaluate(*input, columns);
                Ok(Table { rows, places: self.table(*input).places.clone() })
            }
            NodeKind::Filter { input, predicate } => {
                rows::filter(self.table(*input), &self.evaluate(*input, &[*predicate]))
            }
            NodeKind::Reduce { input, folds } => folds::reduce(self, *input, folds),
            NodeKind::Scan { input, columns, running, segment } => {
                folds::scan(self, *input, columns, running, *segment)
            }
            NodeKind::Sort { input, keys } => rows::sort(self, *input, keys, None),
            NodeKind::TopK { input, keys, count } => rows::sort(self, *input, keys, Some(*count)),
            NodeKind::Group { input, keys, folds, order } => folds::group(self, *input, keys, folds, *order),
            NodeKind::EquiJoin { .. } => joins::equi_join(self, kind),
            NodeKind::Union { inputs } => {
                Ok(Table::dense(inputs.iter().flat_map(|&input| self.table(input).rows.clone()).collect()))
            }
            NodeKind::Limit { input, skip, fetch } => Ok(rows::limit(self.table(*input), *skip, *fetch)),
            NodeKind::Call { input, value, call, table } => calls::call(self, *input, *value, call, *table),
            NodeKind::Distinct { input } => rows::distinct(self.table(*input)),
            NodeKind::Composite(Composite::Join(join)) => joins::join(self, join),
            NodeKind::Composite(Composite::Aggregate(aggregation)) => folds::aggregate(self, aggregation),
            NodeKind::Window { .. } => unreachable!("refused before the run"),
        }
    }

    fn table(&self, node: NodeId) -> &Table {
        self.tables[node.index()].as_ref().expect("inputs are computed first")
    }

    /// Sets the scalars that are taken from a node.
    fn scalars(&mut self, id: NodeId) -> Result<(), Stop> {
        for (param, column) in self.plan.scalars.iter().filter(|(_, column)| column.node == id) {
            let table = self.table(id);
            if table.rows.len() > 1 {
                return Err(Stop::Fault(PlanFault::ScalarRows { rows: table.rows.len() }));
            }
            let cell = table.rows.first().map_or(Cell::NULL, |row| row[column.index as usize].clone());
            self.may_fault |= cell.is_fault();
            self.params[param.index()] = cell;
        }
        Ok(())
    }

    fn expressions(&self, values: &[ValueId]) -> Expressions<'_> {
        Expressions::new(self.plan, self.inputs.lists, &self.params, values.to_vec())
    }

    /// Values in every row of a node.
    fn evaluate(&self, input: NodeId, values: &[ValueId]) -> Vec<Row> {
        let expressions = self.expressions(values);
        let rows = self.table(input).rows.iter().enumerate();
        let evaluated = rows.map(|(number, row)| {
            let column = |column: PlanColumn| match column.index {
                ROW_NUMBER => Cell::of(Scalar::U64(number as u64)),
                index => row[index as usize].clone(),
            };
            expressions.evaluate(number as u64, &column)
        });
        evaluated.collect()
    }
}

fn source_rows(table: &TableData) -> Table {
    let row = |row: usize| {
        let cell = |value: Option<Scalar>| Cell::Value(value.map(Scalar::canonical));
        table.row(row).into_iter().map(cell).collect()
    };
    Table::dense((0..table.rows).map(row).collect())
}
