//! The kernels that devices are measured with: a sum and a copy of a column; one kernel for each class of operations,
//! which reads and writes no memory; and one for each kind of work on tables, whose values are hashes of row numbers.
//! They are small, because compiling for a GPU takes long.

use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Call, Estimate, Kernel};
use pointsman_ir::op::OpClass;
use pointsman_ir::types::{DType, Scalar};

/// The bytes of a value of the measured columns.
pub(super) const VALUE_BYTES: usize = 4;

/// The kernels of operation classes: the steps of a row, and how often they repeat. `?` is the value before a step;
/// `v0` and `v1` are the parameters. Values stay finite however often the steps repeat. Multiplication takes as long as
/// addition wherever vectors are computed, so one kernel does both.
const CLASS_KERNELS: [(OpClass, &str, usize); 4] = [
    (OpClass::Simple, "f32 = add ? v0; f32 = mul ? v0", 16),
    (OpClass::Convert, "i32 = reinterpret ?; f32 = cast ?", 16),
    (OpClass::Divide, "f32 = div ? v1; f32 = div ? v0", 2),
    // Between -1 and 1, then between 1/e and e, then positive and small.
    (OpClass::Elementary, "f32 = sin ?; f32 = exp ?; f32 = log1p ?", 2),
];

/// The parameters of the operation kernels. They are no constants, so that compilers cannot replace the division.
/// The last one makes row numbers so small that elementary functions need no range reduction.
pub(super) const PARAMS: [Option<Scalar>; 3] =
    [Some(Scalar::F32(0.75)), Some(Scalar::F32(1.000_001)), Some(Scalar::F32(1e-7))];

/// What rows do out of order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableWork {
    /// Reads a column by row number.
    Gather,
    /// Searches an index.
    Probe,
    /// Sorts by a key.
    Sort,
    /// Sorts by four keys, the first of which decides.
    SortWide,
    /// Sorts by two keys, the first of which is masked.
    SortTied,
    /// Counts the rows of groups.
    Group,
    /// Writes rows for an index.
    Build,
    /// Writes rows by partition.
    Partition,
}

/// The kernels of work on tables: the tables, and what follows the values that each of them has: `v0` is the number of
/// the row, `v6` its hash, and `v9` the hash masked by the parameter.
const TABLE_KERNELS: [(TableWork, &str, &str); 8] = [
    (TableWork::Gather, "tables t0: keys() columns(f32)\n", "  v10: f32 = gather t0.0 v9\nsink reduce sum(v10)"),
    (
        TableWork::Probe,
        "tables t0: keys(u64) columns()\n",
        "  v10: u64 = probe unique_inner t0(v9)\nsink reduce sum(v10)",
    ),
    (TableWork::Sort, "", "sink sort keys(v6 asc nulls_first) columns(v0)"),
    (
        TableWork::SortWide,
        "",
        "sink sort keys(v6 asc nulls_first, v9 asc nulls_first, v5 asc nulls_first, v4 asc nulls_first) columns(v0)",
    ),
    (TableWork::SortTied, "", "sink sort keys(v9 asc nulls_first, v6 asc nulls_first) columns(v0)"),
    (TableWork::Group, "", "sink group keys(v9) folds(sum(v0)) order hash"),
    (TableWork::Build, "", "sink build keys(v0) columns(v6)"),
    (TableWork::Partition, "", "sink partition hash(v6) bits 6 columns(v0, v6)"),
];

/// Multiplying and shifting twice spreads the numbers of consecutive rows over all of 32 bits.
const HASHED: &str = "  v0: u64 = row_index
  v1: u64 = const 11400714819323198485
  v2: u64 = const 29
  v3: u64 = const 32
  v4: u64 = mul v0 v1
  v5: u64 = shr v4 v2
  v6: u64 = mul v5 v1
  v7: u64 = shr v6 v3
  v8: u64 = param p0
  v9: u64 = bit_and v7 v8
";

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KernelWork {
    /// Sums a column.
    Sum,
    /// Copies a column.
    Copy,
    /// Computes, mostly with operations of a class, and sums the results.
    Compute(OpClass),
    /// Reads or writes rows out of order.
    Table(TableWork),
    /// Calls a library.
    Call,
}

/// The kernels that a device is measured with: sum and copy, then the classes of operations, simple ones first, then
/// work on tables.
pub(super) fn calibration_kernels() -> impl Iterator<Item = (KernelWork, Kernel)> {
    let memory = [(KernelWork::Sum, "reduce sum(v0)"), (KernelWork::Copy, "store v0")];
    let memory =
        memory.map(|(work, sink)| (work, format!("kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink {sink}\n")));
    let classes =
        CLASS_KERNELS.map(|(class, steps, repeats)| (KernelWork::Compute(class), operation_text(steps, repeats)));
    let table = |(work, tables, rest)| (KernelWork::Table(work), table_text(tables, rest));
    let texts = memory.into_iter().chain(classes).chain(TABLE_KERNELS.map(table));
    texts.map(|(work, text)| (work, parse(&text).expect("the text of a calibration kernel is valid")))
}

/// The operations of a row that belong to a class, and the others. Multiplications count as simple.
pub(super) fn operations(kernel: &Kernel, class: OpClass) -> (f64, f64) {
    let counts = Estimate::of(kernel).ops_per_row;
    let is_own = |of: OpClass| of == class || (of == OpClass::Multiply && class == OpClass::Simple);
    let own = counts.iter().filter(|(of, _)| is_own(**of)).map(|(_, count)| count).sum();
    (own, counts.values().sum::<f64>() - own)
}

/// The kernel of a library call over a column of numbers.
pub(super) fn call_kernel(call: &Call, dtype: DType) -> Kernel {
    let (list, table) = if call.has_table() { (format!("lists l0: {dtype}\n"), " l0") } else { Default::default() };
    let text = format!("kernel\ncolumns c0: {dtype}\n{list}  v0: {dtype} = column c0\nsink call {call} of v0{table}\n");
    parse(&text).expect("the text of a calibration kernel is valid")
}

/// A kernel over the hashes of row numbers.
fn table_text(tables: &str, rest: &str) -> String {
    format!("kernel\nparams p0: u64\n{tables}{HASHED}{rest}\n")
}

/// A kernel that repeats steps, from the row number on, and sums the results.
fn operation_text(steps: &str, repeats: usize) -> String {
    let start = ["f32 = param p0", "f32 = param p1", "f32 = param p2", "u64 = row_index", "f32 = cast v3"];
    let steps = std::iter::repeat_n(steps.split("; "), repeats).flatten();
    let values = start.into_iter().chain(["f32 = mul ? v2"]).chain(steps);
    let mut text = "kernel\nparams p0: f32, p1: f32, p2: f32\n".to_string();
    let mut last = 0;
    for (number, value) in values.enumerate() {
        text += &format!("  v{number}: {}\n", value.replace('?', &format!("v{last}")));
        last = number;
    }
    text + &format!("sink reduce sum(v{last})\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_ir::verify;

    #[test]
    fn every_kernel_is_valid_and_dominated_by_the_measured_operation() {
        for (work, kernel) in calibration_kernels() {
            verify::kernel(&kernel).unwrap_or_else(|error| panic!("{error}\n{}", kernel.print()));
            let KernelWork::Compute(class) = work else { continue };
            let estimate = Estimate::of(&kernel);
            assert_eq!((estimate.read_bytes_per_row, estimate.write_bytes_per_row), (0.0, 0.0));
            let (own, others) = operations(&kernel, class);
            // A division takes many times as long as the operations beside it.
            let part = if class == OpClass::Divide { 0.25 } else { 0.35 };
            assert!(own >= part * (own + others), "{class:?}: {own} and {others}");
        }
    }
}
