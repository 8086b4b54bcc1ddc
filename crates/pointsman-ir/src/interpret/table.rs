//! A table that a `Build` sink made: in go keys, out come the numbers of the rows that have them, in order.

use super::order;
use crate::body::KeyUniqueness;
use crate::data::{ColumnData, TableData};
use crate::kernel::SideTable;
use crate::types::Scalar;
use std::collections::HashMap;
use std::sync::Arc;

/// Another table of a kernel: for `Gather` its columns, for `Probe` its keys too.
#[derive(Clone, Debug, Default)]
pub struct BuiltTable {
    columns: Vec<ColumnData>,
    rows: usize,
    index: Arc<HashMap<Box<[Scalar]>, Vec<u64>>>,
}

impl BuiltTable {
    /// A table from the rows that `Build` wrote: the keys, then the columns.
    pub fn new(side: &SideTable, rows: TableData) -> BuiltTable {
        let count = rows.rows;
        let mut keys = rows.columns;
        let columns = keys.split_off(side.keys.len().min(keys.len()));
        BuiltTable { columns, rows: count, index: Arc::new(index(&keys, 0..count as u64)) }
    }

    /// A table that is gathered from, with an index over keys of some of its rows, which have these numbers.
    pub fn indexed(
        keys: &[ColumnData],
        numbers: impl IntoIterator<Item = u64>,
        columns: Vec<ColumnData>,
    ) -> BuiltTable {
        BuiltTable { index: Arc::new(index(keys, numbers)), ..BuiltTable::plain(columns) }
    }

    /// The same index over keys, of a table with other columns.
    pub fn with_columns(&self, columns: Vec<ColumnData>) -> BuiltTable {
        BuiltTable { index: self.index.clone(), ..BuiltTable::plain(columns) }
    }

    /// A table that is only gathered from.
    pub fn plain(columns: Vec<ColumnData>) -> BuiltTable {
        let rows = columns.first().map_or(0, ColumnData::len);
        BuiltTable { columns, rows, index: Arc::default() }
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether two of its rows have the same keys.
    pub fn key_uniqueness(&self) -> KeyUniqueness {
        match self.index.values().any(|rows| rows.len() > 1) {
            true => KeyUniqueness::Repeated,
            false => KeyUniqueness::Unique,
        }
    }

    /// The number of distinct keys.
    pub fn distinct_keys(&self) -> usize {
        self.index.len()
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

/// The numbers of the rows with each key; rows with a null key are left out.
fn index(keys: &[ColumnData], numbers: impl IntoIterator<Item = u64>) -> HashMap<Box<[Scalar]>, Vec<u64>> {
    let mut index: HashMap<Box<[Scalar]>, Vec<u64>> = HashMap::new();
    for (row, number) in numbers.into_iter().enumerate() {
        let key: Option<Box<[Scalar]>> = keys.iter().map(|column| column.get(row).map(order::key)).collect();
        if let Some(key) = key {
            index.entry(key).or_default().push(number);
        }
    }
    index
}
