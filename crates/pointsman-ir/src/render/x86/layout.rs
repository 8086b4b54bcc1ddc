//! The argument block: which word holds what. All words are 8 bytes.

use crate::body::Inst;
use crate::kernel::{Kernel, Sink};

const FIXED: usize = 7;

/// A table that look-ups read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A captured table.
    List(usize),
    /// A column of another table.
    Column {
        /// The other table.
        table: usize,
        /// Its column.
        column: usize,
    },
}

impl Source {
    /// The table that an instruction reads.
    pub(super) fn of(inst: &Inst) -> Option<Source> {
        if let Inst::Lookup { list, .. } = inst {
            return Some(Source::List(list.index()));
        }
        let Inst::Gather { table, column, .. } = inst else { return None };
        Some(Source::Column { table: table.index(), column: *column as usize })
    }

    /// The tables that a kernel reads, each once.
    pub(super) fn all(kernel: &Kernel) -> Vec<Source> {
        let mut all = Vec::new();
        for source in kernel.body.iter().filter_map(|(_, inst, _)| Source::of(inst)) {
            if !all.contains(&source) {
                all.push(source);
            }
        }
        all
    }
}

/// The meaning of each word of the argument block, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    columns: usize,
    outputs: usize,
    params: usize,
    folds: usize,
    sources: usize,
}

impl Layout {
    /// In: how many rows the call computes: at most [`super::RUN_ROWS`], except for `Store`, which takes any number.
    pub const ROWS: usize = 0;
    /// In: the number of the first row in its source.
    pub const FIRST_ROW: usize = 1;
    /// In: the address of the scratch memory, which starts with the code's constants.
    pub const SCRATCH: usize = 2;
    /// Out: the first row of the call that faults; untouched if none does.
    pub const FAULT: usize = 3;
    /// Out: how many rows `Compact` wrote.
    pub const WRITTEN: usize = 4;
    /// In: not 0 if `Store` shall write past the caches; then every output's values lie at a multiple of 64.
    pub const STREAM: usize = 5;

    /// The code's own: the row that the last full step of the call starts with.
    pub(super) const LAST_STEP: usize = 6;

    pub(super) fn of(kernel: &Kernel) -> Layout {
        let (mut outputs, mut folds) = (0, 0);
        if let Sink::Store { columns } | Sink::Compact { columns } = &kernel.sink {
            outputs = columns.len();
        }
        if let Sink::Scan { columns, running, .. } = &kernel.sink {
            outputs = columns.len() + running.len() + 1;
        }
        if let Sink::Reduce { folds: all } = &kernel.sink {
            folds = all.len();
        }
        Layout {
            columns: kernel.columns.len(),
            outputs,
            params: kernel.params.len(),
            folds,
            sources: Source::all(kernel).len(),
        }
    }

    /// In: the address of a column's first value; of its first byte of bits for truth values.
    pub fn column_values(&self, column: usize) -> usize {
        FIXED + 2 * column
    }

    /// In: the address of the bitmap of a nullable column; its first bit is the first row's.
    pub fn column_validity(&self, column: usize) -> usize {
        FIXED + 2 * column + 1
    }

    /// In: the address of an output's first value. Truth values are written as bits; those of `Compact` into zeroed
    /// memory with [`super::BITMAP_SLACK`] bytes after it. `Scan` leaves its operands, a place a row: its columns; what
    /// its running folds take in (0 or −0.0 where an unframed sum skips a row); and last the bits of the selected rows.
    pub fn output_values(&self, output: usize) -> usize {
        FIXED + 2 * (self.columns + output)
    }

    /// In: the address of an output's bitmap; as for truth values. For a running fold that is no unframed sum, the rows
    /// it takes in; for the last output of `Scan`, the rows that start a segment.
    pub fn output_validity(&self, output: usize) -> usize {
        FIXED + 2 * (self.columns + output) + 1
    }

    /// The words of a parameter: its value in two, and whether it is not null.
    pub const PARAM_WORDS: usize = 3;

    /// In: a parameter's bits: those of up to 32 twice, integers extended by their sign; a truth value as 0 or
    /// `0xffff`.
    pub fn param(&self, param: usize) -> usize {
        FIXED + 2 * (self.columns + self.outputs) + Layout::PARAM_WORDS * param
    }

    /// In: the upper half of a parameter of 128 bits.
    pub fn param_high(&self, param: usize) -> usize {
        self.param(param) + 1
    }

    /// In: `0xffff` if a parameter is not null, else 0.
    pub fn param_validity(&self, param: usize) -> usize {
        self.param(param) + 2
    }

    /// In: the address of a fold's lanes: as many as `LEAF_LANES`, in the type itself; sums of integers in `i64`, of
    /// 64-bit integers as the sums of their upper and then of their lower halves. Out: the fold of all rows of the call
    /// is in the first lane (of each half); the others hold anything.
    pub fn fold_lanes(&self, fold: usize) -> usize {
        self.param(self.params) + 2 * fold
    }

    /// In: 0. Out: how many values a fold took in (except for sums).
    pub fn fold_seen(&self, fold: usize) -> usize {
        self.fold_lanes(fold) + 1
    }

    /// In: the address of the values of a table that look-ups read, a truth value as a byte; never of nothing, even if
    /// the table is empty.
    pub fn table_values(&self, source: usize) -> usize {
        self.fold_lanes(self.folds) + 3 * source
    }

    /// In: the address of a byte for each of its rows, 1 if it is not null; 0 if no row is.
    pub fn table_validity(&self, source: usize) -> usize {
        self.fold_lanes(self.folds) + 3 * source + 1
    }

    /// In: how many rows it has.
    pub fn table_rows(&self, source: usize) -> usize {
        self.fold_lanes(self.folds) + 3 * source + 2
    }

    /// In and out: what may still be computed before the code asks whether to go on, in units of [`Code::step_cost`];
    /// as an `i64`. Loops count it down.
    ///
    /// [`Code::step_cost`]: super::Code::step_cost
    pub fn countdown(&self) -> usize {
        self.fold_lanes(self.folds) + 3 * self.sources
    }

    /// In: the address of an `extern "sysv64" fn(u64) -> u32` that returns whether to continue: not 0 if so. Its
    /// argument is the next word. The countdown then starts again from [`super::POLL_BUDGET`].
    pub fn should_continue(&self) -> usize {
        self.countdown() + 1
    }

    /// In: the argument of [`Layout::should_continue`].
    pub fn should_continue_argument(&self) -> usize {
        self.countdown() + 2
    }

    /// In: 0. Out: 1 if the code was stopped; then nothing that it wrote is valid.
    pub fn stopped(&self) -> usize {
        self.countdown() + 3
    }

    /// The number of words.
    pub fn words(&self) -> usize {
        self.stopped() + 1
    }
}
