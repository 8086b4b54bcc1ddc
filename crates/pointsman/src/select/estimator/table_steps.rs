//! [`TableStep`]: the work of a kernel that accesses rows out of order: its probes and gathers, and its sink if that
//! sorts, groups, builds or partitions, each with its bytes. `table_rates.rs` has the cost of a step.

use super::features::{Octave, Size, Workload};
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::kernel::{Kernel, PartitionBy, Sink};
use pointsman_ir::types::{DType, Type};
use std::collections::BTreeMap;
use std::fmt;

/// One thing that every row of a stage does out of order. Bytes are those of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TableStep {
    /// Searches the index of a table.
    Probe {
        /// The number of the table in the kernel.
        table: u32,
        /// The keys.
        key_bytes: f64,
    },
    /// Reads columns of a table by row number.
    Gather {
        /// The number of the table in the kernel.
        table: u32,
        /// The number of columns.
        columns: u32,
        /// The columns.
        row_bytes: f64,
    },
    /// Writes the rows that probes have found, in order.
    Select {
        /// The number of columns.
        columns: u32,
        /// The columns.
        row_bytes: f64,
    },
    /// Sorts the rows by keys, and writes columns in that order.
    Sort {
        /// The number of keys.
        keys: u32,
        /// The keys.
        key_bytes: f64,
        /// The number of columns.
        columns: u32,
        /// The columns.
        row_bytes: f64,
        /// The maximum number of rows that are kept.
        limit: Option<u64>,
    },
    /// Finds the group of each row and updates its state.
    Group {
        /// The keys.
        key_bytes: f64,
        /// The number of folds.
        folds: u32,
        /// The accumulators.
        state_bytes: f64,
    },
    /// Writes rows with their keys, which the device then indexes.
    Build {
        /// The keys.
        key_bytes: f64,
        /// Keys and columns.
        row_bytes: f64,
    },
    /// Writes rows by partition.
    Partition {
        /// The keys.
        key_bytes: f64,
        /// The columns.
        row_bytes: f64,
    },
}

/// An entry of an index takes about this many bytes besides its keys: hash slots, the number of the row, the next
/// entry.
const INDEX_ROW_BYTES: f64 = 24.0;
/// A group takes about this many bytes besides keys and accumulators: its hash and its slots.
const GROUP_ROW_BYTES: f64 = 24.0;

/// The rows of a table that a stage reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRows {
    /// The rows of its index.
    pub indexed: u64,
    /// The rows that columns are gathered from.
    pub gathered: u64,
}

/// What is known of the tables and the result of a stage before it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageExpectation<'t> {
    /// Its tables, in the order of the kernel.
    pub tables: &'t [TableRows],
    /// The rows of its result; `None` if unknown.
    pub output: Option<u64>,
}

impl TableStep {
    /// The steps of a kernel: probes and gathers in the order of their tables, then the sink.
    pub(crate) fn of(kernel: &Kernel) -> Vec<TableStep> {
        let mut tables: BTreeMap<u32, (Vec<TableStep>, Vec<Type>)> = BTreeMap::new();
        for (_, inst, _) in kernel.body.iter() {
            match inst {
                Inst::Probe { table, .. } => {
                    let keys = kernel.tables[table.index()].keys.iter().map(|key| key.required());
                    let probe = TableStep::Probe { table: table.0, key_bytes: row_bytes(keys) };
                    tables.entry(table.0).or_default().0.push(probe);
                }
                Inst::Gather { table, column, .. } => {
                    let column = kernel.tables[table.index()].columns[*column as usize];
                    tables.entry(table.0).or_default().1.push(column);
                }
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Call { .. } => {}
                Inst::Lookup { .. } | Inst::Loop { .. } | Inst::LoopIndex(_) => {}
                Inst::LoopCarried { .. } | Inst::LoopResult { .. } => {}
            }
        }
        let mut steps = Vec::new();
        for (table, (probes, gathered)) in tables {
            steps.extend(probes);
            let (columns, row_bytes) = (gathered.len() as u32, row_bytes(gathered));
            steps.extend((columns > 0).then_some(TableStep::Gather { table, columns, row_bytes }));
        }
        steps.extend(sink_step(kernel));
        steps
    }

    /// The bytes that the rows of this step are placed in or read from.
    fn working_set(&self, expected: &StageExpectation<'_>) -> f64 {
        let rows_of = |table: u32| expected.tables.get(table as usize).copied().unwrap_or_default();
        match *self {
            TableStep::Probe { table, key_bytes } => rows_of(table).indexed as f64 * index_row_bytes(key_bytes),
            TableStep::Gather { table, row_bytes, .. } => rows_of(table).gathered as f64 * row_bytes,
            TableStep::Group { .. } => expected.output.unwrap_or(0) as f64 * self.entry_bytes(),
            TableStep::Select { .. } | TableStep::Sort { .. } => 0.0,
            TableStep::Build { .. } | TableStep::Partition { .. } => 0.0,
        }
    }

    /// The bytes of an entry of the table that the step reads or fills.
    pub(super) fn entry_bytes(&self) -> f64 {
        match *self {
            TableStep::Probe { key_bytes, .. } => index_row_bytes(key_bytes),
            TableStep::Group { key_bytes, state_bytes, .. } => key_bytes + state_bytes + GROUP_ROW_BYTES,
            TableStep::Gather { row_bytes, .. } | TableStep::Select { row_bytes, .. } => row_bytes,
            TableStep::Sort { row_bytes, .. } => row_bytes,
            TableStep::Build { row_bytes, .. } | TableStep::Partition { row_bytes, .. } => row_bytes,
        }
    }
}

impl Workload {
    /// The size of a call of a stage about which something is known. Sizes of stages that do nothing out of order stay.
    pub fn expecting(&self, size: Size, expected: &StageExpectation<'_>) -> Size {
        let (gives_rows, forms_groups) = match self.table_steps.last() {
            Some(TableStep::Group { .. }) => (true, true),
            Some(TableStep::Select { .. } | TableStep::Build { .. } | TableStep::Partition { .. }) => (true, false),
            Some(TableStep::Sort { limit, .. }) => (limit.is_none(), false),
            Some(TableStep::Probe { .. } | TableStep::Gather { .. }) => (false, false),
            None => return size,
        };
        let output = expected.output.filter(|_| gives_rows).map_or(Octave::UNKNOWN, Octave::of);
        let bytes = self.table_steps.iter().map(|step| step.working_set(expected)).sum::<f64>();
        // Probed tables alone would say that there are no groups.
        let is_known = bytes > 0.0 && (!forms_groups || output != Octave::UNKNOWN);
        Size { working_set: if is_known { Octave::of(bytes as u64) } else { Octave::UNKNOWN }, output, ..size }
    }
}

/// The step of a sink that places rows, or writes those that probes found.
fn sink_step(kernel: &Kernel) -> Option<TableStep> {
    let bytes = |values: &[ValueId]| row_bytes(kernel.body.types_of(values));
    match &kernel.sink {
        Sink::Sort { keys, columns, limit } => {
            let keys: Vec<ValueId> = keys.iter().map(|key| key.value).collect();
            let (key_bytes, row_bytes) = (bytes(&keys), bytes(columns));
            let keys = keys.len() as u32;
            Some(TableStep::Sort { keys, key_bytes, columns: columns.len() as u32, row_bytes, limit: *limit })
        }
        Sink::Group { keys, folds, .. } => {
            let state = folds.iter().flat_map(|fold| fold.order_free_accumulator(&kernel.body));
            let (folds, state_bytes) = (folds.len() as u32, row_bytes(state));
            Some(TableStep::Group { key_bytes: bytes(keys), folds, state_bytes })
        }
        Sink::Build { keys, columns } => {
            Some(TableStep::Build { key_bytes: bytes(keys), row_bytes: bytes(keys) + bytes(columns) })
        }
        Sink::Partition { by, columns, .. } => {
            let key_bytes = match by {
                PartitionBy::Hash(keys) => bytes(keys),
                PartitionBy::Range { key, .. } => bytes(&[*key]),
            };
            Some(TableStep::Partition { key_bytes, row_bytes: bytes(columns) })
        }
        Sink::Compact { columns } if kernel.body.drops_rows() => {
            Some(TableStep::Select { columns: columns.len() as u32, row_bytes: bytes(columns) })
        }
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } | Sink::Call { .. } => None,
    }
}

/// The bytes of an entry of an index.
pub(super) fn index_row_bytes(key_bytes: f64) -> f64 {
    key_bytes + INDEX_ROW_BYTES
}

/// The bytes of a row of these types, where a truth value and the validity of a nullable value take a bit.
pub(super) fn row_bytes(types: impl IntoIterator<Item = Type>) -> f64 {
    let bytes = |ty: Type| {
        let value = if ty.dtype == DType::Bool { 0.125 } else { ty.dtype.repr().bytes() as f64 };
        value + if ty.nullable { 0.125 } else { 0.0 }
    };
    types.into_iter().map(bytes).sum()
}

impl fmt::Display for TableStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            TableStep::Probe { table, key_bytes } => write!(f, "searches table {table} for {key_bytes:.1} B of keys"),
            TableStep::Gather { table, columns, row_bytes } => {
                write!(f, "gathers {row_bytes:.1} B in {columns} columns of table {table}")
            }
            TableStep::Select { columns, row_bytes } => {
                write!(f, "writes {row_bytes:.1} B in {columns} columns of the rows found")
            }
            TableStep::Sort { keys, key_bytes, columns, row_bytes, limit } => {
                write!(f, "sorts {row_bytes:.1} B in {columns} columns by {key_bytes:.1} B in {keys} keys")?;
                limit.map_or(Ok(()), |limit| write!(f, ", {limit} rows at most"))
            }
            TableStep::Group { key_bytes, folds, state_bytes } => {
                write!(f, "groups by {key_bytes:.1} B of keys with {state_bytes:.1} B of state for {folds} folds")
            }
            TableStep::Build { key_bytes, row_bytes } => {
                write!(f, "builds an index over {key_bytes:.1} B of keys from rows of {row_bytes:.1} B")
            }
            TableStep::Partition { key_bytes, row_bytes } => {
                write!(f, "partitions {row_bytes:.1} B by {key_bytes:.1} B of keys")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use pointsman_ir::kernel::parse::parse;

    const HEAD: &str = "kernel\ncolumns c0: i64, c1: i32?\n";
    const COLUMNS: &str = "  v0: i64 = column c0\n  v1: i32? = column c1\n";

    /// Checks the steps of a kernel, in words.
    fn check(text: &str, expected: &[&str]) {
        let steps: Vec<String> = TableStep::of(&parse(text).unwrap()).iter().map(TableStep::to_string).collect();
        assert_eq!(steps, expected, "{text}");
    }

    #[test]
    fn sinks_that_place_rows_are_steps() {
        let cases = [
            ("store v0", vec![]),
            ("compact v0, v1", vec![]),
            ("reduce sum(v0)", vec![]),
            (
                "sort keys(v1 asc nulls_first, v0 desc nulls_last) columns(v0)",
                vec!["sorts 8.0 B in 1 columns by 12.1 B in 2 keys"],
            ),
            (
                "sort keys(v0 asc nulls_first) columns(v0, v1) limit 7",
                vec!["sorts 12.1 B in 2 columns by 8.0 B in 1 keys, 7 rows at most"],
            ),
            (
                "group keys(v1) folds(sum(v0), count()) order hash",
                vec!["groups by 4.1 B of keys with 24.0 B of state for 2 folds"],
            ),
            ("build keys(v0) columns(v1)", vec!["builds an index over 8.0 B of keys from rows of 12.1 B"]),
            ("partition hash(v0) bits 2 columns(v1)", vec!["partitions 4.1 B by 8.0 B of keys"]),
        ];
        for (sink, expected) in cases {
            check(&format!("{HEAD}{COLUMNS}sink {sink}\n"), &expected);
        }
    }

    const JOIN: &str = "kernel
columns c0: i64
tables t0: keys(i64) columns(f64, u32), t1: keys(i64, u32) columns()
  v0: i64 = column c0
  v1: u64 = probe unique_inner t0(v0)
  v2: f64 = gather t0.0 v1
  v3: u32 = gather t0.1 v1
  v4: bool = probe exists t1(v0, v3)
mask v4
";

    #[test]
    fn probes_and_gathers_are_steps_before_the_sink() {
        let expected = [
            "searches table 0 for 8.0 B of keys",
            "gathers 12.0 B in 2 columns of table 0",
            "searches table 1 for 12.0 B of keys",
        ];
        check(&format!("{JOIN}sink reduce sum(v2)\n"), &expected);
        let select = "writes 8.0 B in 1 columns of the rows found";
        check(&format!("{JOIN}sink compact v2\n"), &[&expected[..], &[select]].concat());
        let group = "groups by 4.0 B of keys with 8.0 B of state for 1 folds";
        check(&format!("{JOIN}sink group keys(v3) folds(count()) order hash\n"), &[&expected[..], &[group]].concat());
    }

    /// Checks the working set and the result's rows of a call of this stage.
    fn check_expected(sink: &str, expected: StageExpectation<'_>, working_set: Octave, output: Octave) {
        let kernel = parse(&format!("{JOIN}sink {sink}\n")).unwrap();
        let workload = Workload { table_steps: TableStep::of(&kernel), ..Workload::default() };
        let size = workload.expecting(Size::host(1000), &expected);
        assert_eq!((size.working_set, size.output), (working_set, output), "{sink} {expected:?}");
    }

    #[test]
    fn working_set_is_that_of_all_tables_and_groups() {
        let tables = [TableRows { indexed: 10, gathered: 1000 }, TableRows { indexed: 100, gathered: 0 }];
        let (known, unknown) = (StageExpectation { tables: &tables, output: Some(64) }, Octave::UNKNOWN);
        let bytes = 10 * 32 + 1000 * 12 + 100 * 36;
        check_expected("compact v2", known, Octave::of(bytes), Octave::of(64));
        check_expected("compact v2", StageExpectation::default(), unknown, unknown);
        check_expected("reduce sum(v2)", known, Octave::of(bytes), unknown);
        check_expected("sort keys(v2 asc nulls_first) columns(v2) limit 5", known, Octave::of(bytes), unknown);
        let group = "group keys(v3) folds(count()) order hash";
        check_expected(group, StageExpectation { output: None, ..known }, unknown, unknown);
        let groups = StageExpectation { output: Some(1 << 20), ..known };
        check_expected(group, groups, Octave::of(bytes + (36 << 20)), Octave::of(1 << 20));
        let streaming = Workload::default();
        assert_eq!(streaming.expecting(Size::host(7), &known), Size::host(7), "nothing is out of order");
    }
}
