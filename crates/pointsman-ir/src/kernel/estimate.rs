//! What a kernel costs a row, from its text alone. In: a kernel. Out: bytes read and written, bytes that do not depend
//! on the rows, and operations by class. An upper bound: every row is taken to be selected, every branch to be needed,
//! every loop to run to its bound, and every probe to look at one slot and find one match.
//!
//! Only what the mask, the sink and the probes depend on counts. A truth value in a column takes a bit, and so does the
//! validity of a nullable column. Lengths that a kernel does not know are assumed: a captured table has
//! [`LIST_ROWS_ASSUMED`] rows. What the sinks write:
//!
//! | sink | a row | fixed |
//! | --- | --- | --- |
//! | `Store`, `Compact`, `Build`, `Partition` | its result's columns | – |
//! | `Reduce` | – | a node |
//! | `Scan` | its result's columns, and its share of a node a leaf | – |
//! | `Sort` | keys and columns; with a limit nothing | with a limit: that many rows |
//! | `Call` | its share of the chunk's result; [`Call::operations`](super::Call::operations) count apart | – |
//! | `Group` | the accumulators of the row's group | – |

use super::{Kernel, LEAF_ROWS, Sink};
use crate::body::{Inst, ValueId};
use crate::op::OpClass;
use crate::types::{DType, Type};
use std::collections::BTreeMap;
use std::fmt;

/// How many rows a captured table is taken to have.
pub const LIST_ROWS_ASSUMED: f64 = 256.0;

/// Bytes and operations of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Bytes read for each source row: columns, gathers and probes.
    pub read_bytes_per_row: f64,
    /// Bytes written for each source row.
    pub write_bytes_per_row: f64,
    /// Bytes read or written whatever the number of rows: captured tables and partial state.
    pub fixed_bytes: f64,
    /// Operations for each source row by class; classes that do not occur are left out. A fold is a simple operation.
    pub ops_per_row: BTreeMap<OpClass, f64>,
    /// Operations of a library call for each source row.
    pub call_ops_per_row: f64,
}

impl Estimate {
    /// The estimate for a verified kernel.
    pub fn of(kernel: &Kernel) -> Estimate {
        let mut estimate = Estimate::default();
        let live = live(kernel);
        let times = times(kernel);
        let (mut columns, mut lists) = (vec![false; kernel.columns.len()], vec![false; kernel.lists.len()]);
        for (v, inst, _) in kernel.body.iter().filter(|(v, ..)| live[v.index()]) {
            match inst {
                Inst::Column(column) => columns[column.index()] = true,
                Inst::Lookup { list, .. } => lists[list.index()] = true,
                Inst::Gather { table, column, .. } => {
                    let of = kernel.tables[table.index()].columns[*column as usize];
                    estimate.read_bytes_per_row += times[v.index()] * column_bytes(of);
                }
                Inst::Probe { table, .. } => {
                    let keys = kernel.tables[table.index()].keys.iter().map(|key| column_bytes(key.required()));
                    estimate.read_bytes_per_row += keys.sum::<f64>() + column_bytes(DType::U64.required());
                }
                Inst::Call { op, .. } => estimate.count(op.class(), times[v.index()]),
                Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Loop { .. } => {}
                Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => {}
            }
        }
        estimate.read_bytes_per_row += used(&kernel.columns, &columns).map(|&ty| column_bytes(ty)).sum::<f64>();
        if let Sink::Partition { by: super::PartitionBy::Range { bounds, .. }, .. } = &kernel.sink {
            lists[bounds.index()] = true;
        }
        if let Sink::Call { table: Some(table), .. } = &kernel.sink {
            lists[table.index()] = true;
        }
        let elements = used(&kernel.lists, &lists).map(|dtype| dtype.repr().bytes() as f64);
        estimate.fixed_bytes += LIST_ROWS_ASSUMED * elements.sum::<f64>();
        estimate.sink(kernel);
        estimate
    }

    fn count(&mut self, class: OpClass, times: f64) {
        *self.ops_per_row.entry(class).or_default() += times;
    }

    fn sink(&mut self, kernel: &Kernel) {
        let partial = kernel.partial();
        let (rows, nodes, output) =
            (table_bytes(&partial.rows), table_bytes(&partial.nodes), table_bytes(&kernel.output()));
        let folds = match &kernel.sink {
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Build { .. } | Sink::Partition { .. } => {
                self.write_bytes_per_row += output;
                0
            }
            Sink::Call { call, .. } => {
                self.write_bytes_per_row += output * call.rows_out() as f64 / call.rows_in() as f64;
                self.call_ops_per_row += call.operations() / call.rows_in() as f64;
                0
            }
            Sink::Reduce { folds } => {
                self.fixed_bytes += nodes;
                folds.len()
            }
            Sink::Scan { running, .. } => {
                self.write_bytes_per_row += output + nodes / LEAF_ROWS as f64;
                running.len()
            }
            Sink::Sort { limit: Some(limit), .. } => {
                self.fixed_bytes += *limit as f64 * rows;
                0
            }
            Sink::Sort { limit: None, .. } => {
                self.write_bytes_per_row += rows;
                0
            }
            Sink::Group { folds, .. } => {
                let accumulators = folds.iter().flat_map(|fold| fold.order_free_accumulator(&kernel.body));
                self.write_bytes_per_row += table_bytes(&accumulators.collect::<Vec<_>>());
                folds.len()
            }
        };
        if folds > 0 {
            self.count(OpClass::Simple, folds as f64);
        }
    }
}

/// Bytes of a value in a column.
fn column_bytes(ty: Type) -> f64 {
    let value = if ty.dtype == DType::Bool { 0.125 } else { ty.dtype.repr().bytes() as f64 };
    value + if ty.nullable { 0.125 } else { 0.0 }
}

fn table_bytes(types: &[Type]) -> f64 {
    types.iter().map(|&ty| column_bytes(ty)).sum()
}

fn used<'a, T>(all: &'a [T], used: &'a [bool]) -> impl Iterator<Item = &'a T> {
    all.iter().zip(used).filter_map(|(one, &used)| used.then_some(one))
}

/// Which values the mask, the sink and the probes that drop or multiply rows depend on.
fn live(kernel: &Kernel) -> Vec<bool> {
    let mut live = vec![false; kernel.body.len()];
    let drops = |inst: &Inst| match inst {
        Inst::Probe { kind, when, .. } => kind.finds_rows() || when.is_some(),
        Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } => false,
        Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Loop { .. } => false,
        Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => false,
    };
    let mut todo: Vec<ValueId> = kernel.roots();
    todo.extend(kernel.body.iter().filter(|(_, inst, _)| drops(inst)).map(|(v, ..)| v));
    while let Some(v) = todo.pop() {
        if !std::mem::replace(&mut live[v.index()], true) {
            todo.extend(kernel.body.inst(v).operands());
        }
    }
    live
}

/// How often a value is computed a row: the product of the bounds of the loops around it.
fn times(kernel: &Kernel) -> Vec<f64> {
    let mut times: Vec<f64> = Vec::with_capacity(kernel.body.len());
    for of in kernel.body.enclosing_loops() {
        times.push(of.map_or(1.0, |of| match kernel.body.inst(of) {
            Inst::Loop { bound, .. } => times[of.index()] * f64::from(*bound),
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } => 1.0,
            Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Probe { .. } => 1.0,
            Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => 1.0,
        }));
    }
    times
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (read, write, fixed) = (self.read_bytes_per_row, self.write_bytes_per_row, self.fixed_bytes);
        write!(f, "at most a row: {} B read, {} B written, ", short(read), short(write))?;
        let mut none = true;
        for (class, times) in &self.ops_per_row {
            let name = match class {
                OpClass::Simple => "simple",
                OpClass::Multiply => "multiply",
                OpClass::Divide => "divide",
                OpClass::Convert => "convert",
                OpClass::Elementary => "elementary",
            };
            write!(f, "{}{} {name}", if none { "" } else { " + " }, short(*times))?;
            none = false;
        }
        write!(f, "{} operations; {} B fixed", if none { "no" } else { "" }, short(fixed))?;
        let calls = self.call_ops_per_row;
        if calls > 0.0 { write!(f, "; {} operations of a library", short(calls)) } else { Ok(()) }
    }
}

/// A number with at most three digits behind the point.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
