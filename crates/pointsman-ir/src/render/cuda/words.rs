//! The words of a kernel's argument: which of them holds what. All are 64 bits; addresses are the device's.

use crate::kernel::Kernel;

/// Which word holds what, for one kernel. Outputs come last: their number depends on the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    columns: usize,
    params: usize,
    lists: usize,
    tables: Vec<usize>,
    outputs: usize,
    count: usize,
}

impl Words {
    /// The number of rows.
    pub const ROWS: usize = 0;
    /// The number of row 0 in its source.
    pub const FIRST_ROW: usize = 1;
    /// The address of the status block: [`Words::STATUS_WORDS`] words, zero before the launch.
    pub const STATUS: usize = 2;
    /// The address of the scratch memory, zero before the launch.
    pub const SCRATCH: usize = 3;
    /// 0 for the whole form, 1 for the partial one.
    pub const FORM: usize = 4;
    /// The number of tiles.
    pub const TILES: usize = 5;
    /// The address of the blocks' own scratch memory, which may hold anything.
    pub const BLOCK_SCRATCH: usize = 6;
    /// The address of the stop flag of programs that [can stop](super::Needs::can_stop): they stop once it holds the
    /// word [`Words::LAUNCH`].
    pub const STOP: usize = 7;
    /// The number of the launch, which no other launch on the device has.
    pub const LAUNCH: usize = 8;
    /// The words that every kernel has; those of its columns follow.
    pub const FIXED: usize = 10;

    /// Words of the status block.
    pub const STATUS_WORDS: usize = 4;
    /// Status: the greatest complement of a faulting row's source number; 0: no row faulted.
    pub const FAULT: usize = 0;
    /// Status: how many rows were written (`Compact`, `Scan`).
    pub const WRITTEN: usize = 1;
    /// Status: the number of folds less the smallest number of one whose value does not fit its type; 0: all fit.
    pub const FOLD_FAULT: usize = 2;
    /// Status: 1 if the launch stopped before it had computed all rows. While it runs, also which block reads the flag.
    pub const STOPPED: usize = 3;

    /// The words of a kernel.
    pub fn of(kernel: &Kernel) -> Words {
        let columns = Words::FIXED;
        let params = columns + 2 * kernel.columns.len();
        let lists = params + 3 * kernel.params.len();
        let mut next = lists + 2 * kernel.lists.len();
        let mut tables = Vec::with_capacity(kernel.tables.len());
        for table in &kernel.tables {
            tables.push(next);
            next += 1 + 2 * table.columns.len();
        }
        let partial = kernel.partial();
        let outputs = kernel.output().len().max(partial.rows.len() + partial.nodes.len());
        Words { columns, params, lists, tables, outputs: next, count: next + 2 * outputs }
    }

    /// The number of words.
    pub fn count(&self) -> usize {
        self.count
    }

    /// A column: the address of its values (0 for opaque ones that are their rows' numbers), then of its bitmap (0
    /// where nothing is null).
    pub fn column(&self, column: usize) -> usize {
        self.columns + 2 * column
    }

    /// A scalar: its low and its high 64 bits, then 1 if it is not null.
    pub fn param(&self, param: usize) -> usize {
        self.params + 3 * param
    }

    /// A captured table: the address of its values, then how many.
    pub fn list(&self, list: usize) -> usize {
        self.lists + 2 * list
    }

    /// Another table: the word with its number of rows, and the first of a column's two words, which are as
    /// [`Words::column`] has them.
    pub fn table(&self, table: usize, column: usize) -> (usize, usize) {
        (self.tables[table], self.tables[table] + 1 + 2 * column)
    }

    /// An output: the address of its values, then of its bitmap (0 where its type is not nullable). In the partial form
    /// the rows' columns come first, then the nodes'.
    pub fn output(&self, output: usize) -> usize {
        self.outputs + 2 * output
    }
}
