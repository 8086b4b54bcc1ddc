//! What devices and the runtime need to know of a sink: how its results merge, how many rows it gives, what it may share.
//!
//! A device that streams rows matches on [`StreamingSink`], which has the sinks that need no key. Everything else asks
//! one of the methods here, so that a new sink answers every question in this file.

use super::{Fold, Frame, Running, Sink};
use crate::body::ValueId;
use crate::kernel::LEAF_ROWS;

/// A sink that takes rows in source order and needs no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamingSink<'a> {
    /// [`Sink::Store`].
    Store {
        /// The columns.
        columns: &'a [ValueId],
    },
    /// [`Sink::Compact`].
    Compact {
        /// The columns.
        columns: &'a [ValueId],
    },
    /// [`Sink::Reduce`].
    Reduce {
        /// The folds.
        folds: &'a [Fold],
    },
    /// [`Sink::Scan`].
    Scan {
        /// Columns written as they are.
        columns: &'a [ValueId],
        /// The running folds.
        running: &'a [Running],
        /// Where a new segment starts.
        segment: Option<ValueId>,
    },
}

/// How the results of consecutive ranges of rows become the result of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeRule {
    /// The finished rows follow each other.
    Append,
    /// Partial states merge; the result is finished at the end.
    MergeStates,
    /// The rows of each partition follow each other.
    ByPartition,
    /// Partial rows follow each other and take in a carry from the rows before them.
    Carry {
        /// How many rows before its own a range needs besides the carry.
        preceding: usize,
    },
}

impl Sink {
    /// The sink as one that streams; `None` for sinks that sort, group, hash or build.
    pub fn streaming(&self) -> Option<StreamingSink<'_>> {
        match self {
            Sink::Store { columns } => Some(StreamingSink::Store { columns }),
            Sink::Compact { columns } => Some(StreamingSink::Compact { columns }),
            Sink::Reduce { folds } => Some(StreamingSink::Reduce { folds }),
            Sink::Scan { columns, running, segment } => {
                Some(StreamingSink::Scan { columns, running, segment: *segment })
            }
            Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } => None,
            Sink::Partition { .. } | Sink::Call { .. } => None,
        }
    }

    /// Whether it takes rows in source order and looks none up by a key: it streams, or calls a library.
    pub fn needs_no_key(&self) -> bool {
        self.streaming().is_some() || matches!(self, Sink::Call { .. })
    }

    /// Its folds, in the order of their output columns.
    pub fn folds(&self) -> Vec<Fold> {
        match self {
            Sink::Reduce { folds } | Sink::Group { folds, .. } => folds.clone(),
            Sink::Scan { running, .. } => running.iter().map(|one| one.fold).collect(),
            Sink::Store { .. } | Sink::Compact { .. } => Vec::new(),
            Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => Vec::new(),
        }
    }

    /// The number of output columns before the columns of the folds; 0 if there are no folds.
    pub fn columns_before_folds(&self) -> usize {
        match self {
            Sink::Scan { columns, .. } => columns.len(),
            Sink::Group { keys, .. } => keys.len(),
            Sink::Reduce { .. } | Sink::Store { .. } | Sink::Compact { .. } => 0,
            Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => 0,
        }
    }

    /// The sink with only the fold of this number; `None` if it has no such fold.
    pub fn with_only_fold(&self, number: usize) -> Option<Sink> {
        let one = |folds: &[Fold]| folds.get(number).map(|fold| vec![*fold]);
        match self {
            Sink::Reduce { folds } => one(folds).map(|folds| Sink::Reduce { folds }),
            Sink::Group { keys, folds, order } => {
                one(folds).map(|folds| Sink::Group { keys: keys.clone(), folds, order: *order })
            }
            Sink::Scan { columns, running, segment } => running.get(number).map(|one| Sink::Scan {
                columns: columns.clone(),
                running: vec![*one],
                segment: *segment,
            }),
            Sink::Store { .. } | Sink::Compact { .. } => None,
            Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => None,
        }
    }

    /// How results of consecutive ranges of rows become one.
    pub fn merge_rule(&self) -> MergeRule {
        match self {
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Build { .. } | Sink::Call { .. } => MergeRule::Append,
            Sink::Reduce { .. } | Sink::Sort { .. } | Sink::Group { .. } => MergeRule::MergeStates,
            Sink::Partition { .. } => MergeRule::ByPartition,
            Sink::Scan { running, .. } => {
                let reach = running.iter().map(|one| match one.frame {
                    Frame::Unbounded => 0,
                    Frame::Preceding(rows) => rows as usize,
                });
                MergeRule::Carry { preceding: reach.max().unwrap_or(0) }
            }
        }
    }

    /// The most rows of the finished result over `rows` rows.
    pub fn output_rows_max(&self, rows: usize) -> usize {
        match self {
            Sink::Reduce { .. } => 1,
            Sink::Sort { limit: Some(limit), .. } => rows.min(usize::try_from(*limit).unwrap_or(usize::MAX)),
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } | Sink::Sort { limit: None, .. } => rows,
            Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => rows,
            Sink::Call { call, .. } => {
                let call = call.over(rows as u64);
                let rows = (rows as u64 / call.rows_in()).saturating_mul(call.rows_out());
                usize::try_from(rows).unwrap_or(usize::MAX)
            }
        }
    }

    /// The most rows and nodes of the partial state over `rows` rows.
    pub fn partial_rows_max(&self, rows: usize) -> (usize, usize) {
        let leaves = rows.div_ceil(LEAF_ROWS);
        match self {
            // A range of leaves is covered by at most two nodes a level.
            Sink::Reduce { .. } => (0, 2 * (usize::BITS - leaves.leading_zeros()) as usize + 1),
            Sink::Scan { .. } => (rows, leaves),
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Sort { .. } => (self.output_rows_max(rows), 0),
            Sink::Group { .. } | Sink::Build { .. } | Sink::Call { .. } => (self.output_rows_max(rows), 0),
            Sink::Partition { bits, .. } => (self.output_rows_max(rows), 1 << bits),
        }
    }

    /// Whether the number of rows of the result is known before the run: [`Sink::output_rows_max`], whatever the values.
    /// `masked`: whether the kernel has a row mask.
    pub fn row_count_is_known(&self, masked: bool) -> bool {
        match self {
            Sink::Store { .. } | Sink::Reduce { .. } | Sink::Call { .. } => true,
            Sink::Scan { .. } => !masked,
            Sink::Compact { .. } | Sink::Sort { .. } | Sink::Group { .. } => false,
            Sink::Build { .. } | Sink::Partition { .. } => false,
        }
    }

    /// Whether a batch of rows gives no more than its part of the result, and its place in the result is known before the
    /// run. Then batches may be large, and cutting a launch so that copies overlap it costs nothing.
    pub fn batches_are_cheap(&self) -> bool {
        match self {
            Sink::Store { .. } | Sink::Reduce { .. } => true,
            Sink::Compact { .. } | Sink::Scan { .. } | Sink::Sort { .. } | Sink::Group { .. } => false,
            Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
        }
    }

    /// Whether the finished result is one row, whose columns may share a buffer.
    pub fn gives_one_row(&self) -> bool {
        match self {
            Sink::Reduce { .. } => true,
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } | Sink::Sort { .. } => false,
            Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
        }
    }

    /// Whether the partial state of many rows may have fewer rows than the states of their parts together.
    pub fn partials_shrink(&self) -> bool {
        match self {
            Sink::Reduce { .. } | Sink::Group { .. } | Sink::Sort { limit: Some(_), .. } => true,
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Scan { .. } | Sink::Sort { limit: None, .. } => false,
            Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
        }
    }

    /// A launch may take some of the rows, cut at multiples of this many: between leaves, or where a call allows it.
    pub fn cut_rows(&self) -> usize {
        match self {
            Sink::Call { call, .. } => usize::try_from(call.cut_rows()).unwrap_or(usize::MAX),
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => LEAF_ROWS,
            Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => LEAF_ROWS,
        }
    }

    /// Whether a launch may be cut between leaves.
    pub fn is_cut_by_leaf(&self) -> bool {
        match self {
            Sink::Call { .. } => false,
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => true,
            Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => true,
        }
    }

    /// Whether a launch must start at the first row of a leaf, because folds join by leaf.
    pub fn folds_by_leaf(&self) -> bool {
        match self {
            Sink::Reduce { .. } | Sink::Scan { .. } => true,
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Sort { .. } => false,
            Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
        }
    }

    /// Whether it compares or hashes values, so that the last bit of a float may change which rows come out, or their order.
    pub fn compares_values(&self) -> bool {
        match self {
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => false,
            Sink::Call { .. } => false,
            Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::kernel::parse::parse;

    fn kernel(sink: &str) -> Kernel {
        let text = format!("{COLUMNS}sink {sink}\n");
        parse(&text).expect("a kernel")
    }

    const COLUMNS: &str = "kernel\ncolumns c0: i64, c1: i64, c2: f32\nlists l0: f32\n  v0: i64 = column c0\n  v1: i64 = column c1\n  \
        v2: f32 = column c2\n";

    const SINKS: [&str; 11] = [
        "store v0",
        "compact v0",
        "reduce sum(v0), count()",
        "scan columns(v0) running(sum(v1))",
        "scan columns() running(sum(v1) preceding 3, max(v0) preceding 7)",
        "sort keys(v0 asc nulls_first) columns(v1)",
        "sort keys(v0 asc nulls_first) columns(v1) limit 5",
        "group keys(v0) folds(sum(v1)) order hash",
        "build keys(v0) columns(v1)",
        "partition hash(v0) bits 2 columns(v1)",
        "call matmul real 3 1000 2 left rows right rows shared of v2 l0",
    ];

    fn check<T: PartialEq + std::fmt::Debug>(ask: impl Fn(&Sink) -> T, expected: [T; 11]) {
        for (text, expected) in SINKS.into_iter().zip(expected) {
            assert_eq!(ask(&kernel(text).sink), expected, "{text}");
        }
    }

    #[test]
    fn four_sinks_stream() {
        check(
            |sink| sink.streaming().is_some(),
            [true, true, true, true, true, false, false, false, false, false, false],
        );
        check(Sink::needs_no_key, [true, true, true, true, true, false, false, false, false, false, true]);
        check(Sink::compares_values, [false, false, false, false, false, true, true, true, true, true, false]);
    }

    #[test]
    fn results_of_ranges_become_one() {
        use MergeRule::{Append, Carry, MergeStates as Merge};
        let (whole, framed) = (Carry { preceding: 0 }, Carry { preceding: 7 });
        let partition = MergeRule::ByPartition;
        check(Sink::merge_rule, [Append, Append, Merge, whole, framed, Merge, Merge, Merge, Append, partition, Append]);
    }

    #[test]
    fn row_count_is_known_if_it_does_not_depend_on_values() {
        check(|sink| sink.output_rows_max(9000), [9000, 9000, 1, 9000, 9000, 9000, 5, 9000, 9000, 9000, 18]);
        let (rows, scan) = ((9000, 0), (9000, 3));
        check(
            |sink| sink.partial_rows_max(9000),
            [rows, rows, (0, 5), scan, scan, rows, (5, 0), rows, rows, (9000, 4), (18, 0)],
        );
        check(
            |sink| sink.row_count_is_known(false),
            [true, false, true, true, true, false, false, false, false, false, true],
        );
        check(
            |sink| sink.row_count_is_known(true),
            [true, false, true, false, false, false, false, false, false, false, true],
        );
        check(Sink::batches_are_cheap, [true, false, true, false, false, false, false, false, false, false, false]);
        check(Sink::partials_shrink, [false, false, true, false, false, false, true, true, false, false, false]);
        check(Sink::gives_one_row, [false, false, true, false, false, false, false, false, false, false, false]);
        check(Sink::folds_by_leaf, [false, false, true, true, true, false, false, false, false, false, false]);
    }

    #[test]
    fn calls_are_not_cut_by_leaf() {
        check(Sink::is_cut_by_leaf, [true, true, true, true, true, true, true, true, true, true, false]);
        let leaf = LEAF_ROWS;
        check(Sink::cut_rows, [leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, leaf, 1000]);
    }

    #[test]
    fn folds_come_behind_the_columns() {
        check(|sink| sink.folds().len(), [0, 0, 2, 1, 2, 0, 0, 1, 0, 0, 0]);
        check(Sink::columns_before_folds, [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
        for text in SINKS {
            let kernel = kernel(text);
            let folds = kernel.sink.folds();
            assert_eq!(kernel.sink.with_only_fold(folds.len()), None, "{text}");
            for (number, fold) in folds.into_iter().enumerate() {
                let alone = kernel.sink.with_only_fold(number).expect("there is such a fold");
                assert_eq!((alone.folds(), alone.name()), (vec![fold], kernel.sink.name()), "{text}");
                let behind = kernel.sink.columns_before_folds() + number;
                assert_eq!(kernel.output()[behind], fold.output(&kernel.body), "{text}");
            }
        }
    }
}
