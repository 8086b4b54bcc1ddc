//! A table that a `Build` sink made: in go keys, out come the numbers of the rows that have them, in order.

use super::order;
use crate::data::{ColumnData, TableData};
use crate::kernel::SideTable;
use crate::types::Scalar;
use std::collections::HashMap;

/// Another table of a kernel: for `Gather` its columns, for `Probe` its keys too.
#[derive(Clone, Debug, Default)]
pub struct BuiltTable {
    columns: Vec<ColumnData>,
    rows: usize,
    index: HashMap<Box<[Scalar]>, Vec<u64>>,
}

impl BuiltTable {
    /// A table from the rows that `Build` wrote: the source row, the keys, the columns.
    pub fn new(side: &SideTable, rows: TableData) -> BuiltTable {
        let count = rows.rows;
        let mut columns = rows.columns;
        let carried = columns.split_off((1 + side.keys.len()).min(columns.len()));
        let keys = columns.get(1..).unwrap_or_default();
        let mut index: HashMap<Box<[Scalar]>, Vec<u64>> = HashMap::new();
        for row in 0..count {
            let key: Option<Box<[Scalar]>> = keys.iter().map(|column| column.get(row).map(order::key)).collect();
            if let Some(key) = key {
                index.entry(key).or_default().push(row as u64);
            }
        }
        BuiltTable { columns: carried, rows: count, index }
    }

    /// A table that is only gathered from.
    pub fn plain(columns: Vec<ColumnData>) -> BuiltTable {
        let rows = columns.first().map_or(0, ColumnData::len);
        BuiltTable { columns, rows, index: HashMap::new() }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The value of a column in a row.
    pub(super) fn get(&self, column: u32, row: usize) -> Option<Scalar> {
        self.columns[column as usize].get(row)
    }

    /// The rows with these keys (in canonical form), in order.
    pub(super) fn matches(&self, keys: &[Scalar]) -> &[u64] {
        self.index.get(keys).map_or(&[], Vec::as_slice)
    }
}
