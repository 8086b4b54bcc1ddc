//! Random kernels with inputs, and random plans, for differential tests. Pure and seeded: the same seed and profile
//! always give the same case. Every kernel verifies; most return a result, and about one in ten faults.
//!
//! [`case`] generates a kernel and its inputs; [`Profile`] sets the frequency of their parts; [`Coverage`] counts these
//! parts; [`minimise()`] reduces a failing case.

mod calls;
pub mod classes;
pub mod coverage;
mod describe;
mod expr;
pub mod minimise;
pub mod plans;
pub mod profile;
mod ranges;
pub mod rng;
mod run;
mod shape;
mod sinks;
pub mod tables;
pub mod values;

pub use classes::DTypeClass;
pub use coverage::{Coverage, Least};
pub use minimise::minimise;
pub use profile::{FastSums, Profile, SideTables, SinkKind, all_casts, all_folds, all_triples};
pub use rng::Rng;
pub use run::run_stages;

use crate::data::{ColumnData, TableData};
use crate::kernel::{Kernel, LEAF_ROWS};
use crate::types::Scalar;
use expr::Exprs;

/// From this many rows on, bodies are kept short.
const ROWS_MANY: usize = 10_000;
/// The maximum number of operations a body over many rows is grown to.
const CALLS_MANY_ROWS: usize = 12;

/// A kernel and what it runs over.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed of this case.
    pub seed: u64,
    /// The kernel.
    pub kernel: Kernel,
    /// The inputs of the kernel.
    pub inputs: OwnedInputs,
}

/// The inputs of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedInputs {
    /// The input columns.
    pub columns: Vec<ColumnData>,
    /// The run-time scalars.
    pub params: Vec<Option<Scalar>>,
    /// The captured tables.
    pub lists: Vec<ColumnData>,
    /// The rows of the other tables: as a `Build` sink writes them where the table has keys, else its columns alone.
    pub tables: Vec<TableData>,
    /// The number of the first row in its source; a multiple of [`LEAF_ROWS`].
    pub first_row: u64,
    /// The number of rows.
    pub rows: usize,
}

/// The case with this seed.
pub fn case(seed: u64, profile: &Profile) -> Case {
    let rows = profile.rows_of(seed);
    let mut exprs = Exprs::new(Rng::new(seed), profile, rows);
    let quota = profile.quota(seed);
    let kind = exprs.rng.pick(&profile.sinks);
    let calls_max = if rows > ROWS_MANY { CALLS_MANY_ROWS.min(profile.calls_max) } else { profile.calls_max };
    let calls = 4 + exprs.rng.below(calls_max.saturating_sub(3));
    if exprs.rng.chance(profile.unguarded_percent) {
        exprs.unguarded = 1 + exprs.rng.below(3);
    }
    exprs.may_multiply = matches!(kind, SinkKind::Compact | SinkKind::Reduce | SinkKind::Group);
    exprs.grow(&quota, calls);
    let mask = exprs.mask();
    let sink = exprs.sink(kind, &quota);
    finish(seed, exprs, mask, sink, first_row(seed, kind))
}

/// Mostly 0. Folds in source order are trees over all rows from the first, so they start there.
fn first_row(seed: u64, kind: SinkKind) -> u64 {
    let tree = matches!(kind, SinkKind::Reduce | SinkKind::Scan);
    if !tree && seed.is_multiple_of(5) { (seed / 5 % 9) * LEAF_ROWS as u64 } else { 0 }
}

/// The kernel, and random inputs for it.
fn finish(
    seed: u64,
    exprs: Exprs<'_>,
    mask: Option<crate::body::ValueId>,
    sink: crate::kernel::Sink,
    first_row: u64,
) -> Case {
    let Exprs { mut rng, body, columns, params, lists, tables, rows, .. } = exprs;
    let (side_tables, tables) = tables.into_iter().unzip();
    let inputs = OwnedInputs {
        columns: columns.iter().map(|&ty| values::column(&mut rng, ty, rows)).collect(),
        params: params.iter().map(|&ty| values::maybe(&mut rng, ty)).collect(),
        tables,
        first_row,
        rows,
        lists,
    };
    let lists = inputs.lists.iter().map(|list| list.dtype).collect();
    Case { seed, kernel: Kernel { columns, params, lists, tables: side_tables, body, mask, sink }, inputs }
}
