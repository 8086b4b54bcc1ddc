//! The layout of a dispatch's arguments: the word number of each argument of a kernel. The words are a uniform
//! `array<vec4<u32>>`.
//!
//! | words | what |
//! | --- | --- |
//! | 0 | rows of this dispatch |
//! | 1, 2 | the source's number of its first row, low and high |
//! | 3 | workgroups a line of the grid |
//! | 4 | the launch's number of its first leaf |
//! | 5 | where its status words start |
//! | 6 | the output's number of the first row that is bound; of folds whether they are finished |
//! | 7 | rows that may be written from there on |
//! | 8 | the low bits of the source's number of the launch's first leaf |
//! | 9 | leaves of the launch |
//! | 10 | the level that `join` starts from |
//! | 11 | where the carries or finished values start, in nodes |
//! | 12 to 15 | zero: what no compiler knows to be zero keeps float operations apart |
//! | 16 … | a vector of four each: a parameter's low word, its high word, whether it is there |
//! | then | a word each: flags of columns, rows of lists, rows of tables, flags of the tables' columns |

use super::types::{integer, storage_type};
use crate::kernel::Kernel;
use crate::types::{Repr, Type};

/// Words before the parameters.
pub const ARGS_HEAD_WORDS: usize = 16;

/// The layout of a kernel's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    params: usize,
    columns: usize,
    lists: usize,
    tables: Vec<usize>,
}

impl Arguments {
    /// The layout for a kernel.
    pub fn of(kernel: &Kernel) -> Arguments {
        let tables = kernel.tables.iter().map(|table| table.columns.len()).collect();
        Arguments { params: kernel.params.len(), columns: kernel.columns.len(), lists: kernel.lists.len(), tables }
    }

    /// The number of words, in whole vectors.
    pub fn words(&self) -> usize {
        self.table_flags(self.tables.len(), 0).next_multiple_of(4)
    }

    /// The first word of a parameter: low, high, whether it is there.
    pub fn param(&self, param: usize) -> usize {
        ARGS_HEAD_WORDS + 4 * param
    }

    /// The flags of a column: 1 if it has a bitmap, 2 if its values are its rows' numbers.
    pub fn column_flags(&self, column: usize) -> usize {
        self.param(self.params) + column
    }

    /// The rows of a list.
    pub fn list_rows(&self, list: usize) -> usize {
        self.column_flags(self.columns) + list
    }

    /// The rows of a table.
    pub fn table_rows(&self, table: usize) -> usize {
        self.list_rows(self.lists) + table
    }

    /// The flags of a table's column, as those of a column.
    pub fn table_flags(&self, table: usize, column: usize) -> usize {
        self.table_rows(self.tables.len()) + self.tables[..table].iter().sum::<usize>() + column
    }
}

/// The expression for a word of the arguments.
pub(super) fn word(at: usize) -> String {
    format!("args[{}].{}", at / 4, ["x", "y", "z", "w"][at % 4])
}

/// The expression for a parameter of a type.
pub(super) fn param(first: usize, ty: Type) -> String {
    let low = word(first);
    match ty.dtype.repr() {
        Repr::Bool => format!("({low} != 0u)"),
        Repr::I8 | Repr::I16 | Repr::I32 => format!("bitcast<i32>({low})"),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::F32 => low,
        repr @ (Repr::I64 | Repr::U64 | Repr::F64) => {
            let long = format!("(u64({low}) | (u64({}) << 32u))", word(first + 1));
            if storage_type(repr) == "i64" { format!("bitcast<i64>{long}") } else { long }
        }
        Repr::I128 => integer(Repr::I128, 0),
    }
}
