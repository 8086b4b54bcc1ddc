//! The meaning of kernels: in go a kernel and its inputs, out come its result, its partial results, or a fault.
//!
//! This is the oracle. Every device must give the bits that come out here, so it is written for being right and plain,
//! one row at a time. Nothing here guesses: a kernel that `verify` refuses is never interpreted, and no kernel that it
//! accepts makes this code panic.
//!
//! A row's way: the probes that multiply or drop rows go first, in order of instructions; then the row mask is asked; a
//! selected row hands the values that the sink takes to the sink, each computed only where it is needed.
//! Partial results of consecutive rows merge, in any grouping but in source order, into the same bits.

pub mod call;
mod casts;
mod fault;
mod fold;
mod group_fold;
mod merge;
pub(crate) mod order;
mod order_free;
pub mod plan;
mod reduce;
mod row;
mod scan;
mod shape;
mod sinks;
mod table;

pub mod scalar;

pub use fault::{Fault, FaultKind, PlanFault};
pub use group_fold::{GroupAccumulator, GroupFold};
pub use order::compare;
pub use scan::ScanCarries;
pub use table::BuiltTable;

use crate::data::{ColumnData, TableData};
use crate::decompose;
use crate::kernel::Kernel;
use crate::types::Scalar;

/// What a kernel runs over. The lengths and types must be those the kernel names.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// The input columns, `rows` rows each.
    pub columns: &'a [ColumnData],
    /// The run-time scalars; `None` is null.
    pub params: &'a [Option<Scalar>],
    /// The captured tables.
    pub lists: &'a [ColumnData],
    /// The other tables.
    pub tables: &'a [BuiltTable],
    /// The number of row 0 in its source: a multiple of a leaf's rows for `Reduce` and `Scan`.
    pub first_row: u64,
    /// How many rows there are.
    pub rows: usize,
}

/// A partial result: tables of the schema that [`Kernel::partial`] names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partial {
    /// The rows.
    pub rows: TableData,
    /// The nodes of the leaf tree, in order of position.
    pub nodes: TableData,
}

/// The kernel's result over all of its rows.
pub fn run(kernel: &Kernel, inputs: &Inputs<'_>) -> Result<TableData, Fault> {
    finish(kernel, partial(kernel, inputs)?)
}

/// The kernel's partial result over some of its rows. A fault is that of the smallest row that has one.
pub fn partial(kernel: &Kernel, inputs: &Inputs<'_>) -> Result<Partial, Fault> {
    partial_within(kernel, inputs, Room { first_match: 0, rows: usize::MAX }).map(|(partial, _)| partial)
}

/// How much of its inputs a partial result covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveredRows {
    /// The rows that it covers wholly.
    pub rows: usize,
    /// How many matches of the next row it covers too.
    pub matches: u64,
}

/// Where a partial result starts, and where it may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many matches of row 0 are left out.
    pub first_match: u64,
    /// The most rows of the partial result. Only a `Compact` and a `Group` stop when there are more.
    pub rows: usize,
}

/// The partial result from a match of the first row on, up to the match for which there is no room.
pub fn partial_within(kernel: &Kernel, inputs: &Inputs<'_>, room: Room) -> Result<(Partial, CoveredRows), Fault> {
    if decompose::is_needed(kernel) {
        return sinks::partial(&decompose::decompose(kernel), inputs, room);
    }
    sinks::partial(kernel, inputs, room)
}

/// The partial result over the rows of both; the second's rows come after the first's.
pub fn merge(kernel: &Kernel, first: Partial, second: Partial) -> Partial {
    merge::merge(kernel, first, second)
}

/// The result that a partial result over all rows stands for. Only a sum that its type cannot hold faults here.
pub fn finish(kernel: &Kernel, partial: Partial) -> Result<TableData, Fault> {
    merge::finish(kernel, partial)
}
