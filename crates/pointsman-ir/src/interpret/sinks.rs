//! What each sink keeps of its rows: in go a kernel and its inputs, out comes the partial result.

use super::fault::Fault;
use super::fold::{Accumulator, Folding, positional, read_all};
use super::reduce::{self, fold_input, write_nodes};
use super::row::Rows;
use super::scalar::integer;
use super::scan::ScanSink;
use super::{Inputs, Partial, hash, order};
use crate::body::{Body, ValueId};
use crate::data::{ColumnData, TableData};
use crate::kernel::{Fold, Kernel, NullOrder, PartitionBy, Sink, SortKey, SortOrder};
use crate::types::{Scalar, Type};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A row of a table.
pub(super) type Row = Vec<Option<Scalar>>;

/// The partial result of a kernel.
pub(super) fn partial(kernel: &Kernel, inputs: &Inputs<'_>) -> Result<Partial, Fault> {
    let schema = kernel.partial();
    let (mut rows, mut nodes) = (TableData::empty(&schema.rows), TableData::empty(&schema.nodes));
    match &kernel.sink {
        Sink::Store { columns } => store(kernel, inputs, columns, &mut rows)?,
        Sink::Compact { columns } => each_selected(kernel, inputs, |row| {
            let mut out = Row::with_capacity(columns.len());
            row.outputs(columns, &mut out)?;
            rows.push(&out);
            Ok(())
        })?,
        Sink::Reduce { folds } => {
            let folds = positional(folds.iter().copied(), &kernel.body);
            nodes = write_nodes(&reduce::partial(kernel, inputs, &folds)?, &schema.nodes, false);
        }
        Sink::Scan { columns, running, segment } => {
            (rows, nodes) = ScanSink::new(&kernel.body, columns, running, *segment).partial(kernel, inputs)?;
        }
        Sink::Sort { keys, columns, limit } => {
            rows = table(&schema.rows, sort(kernel, inputs, keys, columns, *limit)?);
        }
        Sink::Group { keys, folds } => rows = group(kernel, inputs, keys, folds)?.write(&schema.rows),
        Sink::Build { keys, columns } => each_selected(kernel, inputs, |row| {
            let mut out = vec![Some(Scalar::U64(row.source_row()))];
            row.keys(keys, &mut out)?;
            if out.iter().all(Option::is_some) {
                row.outputs(columns, &mut out)?;
                rows.push(&out);
            }
            Ok(())
        })?,
        Sink::Partition { by, parts, columns } => {
            rows = table(&schema.rows, partition(kernel, inputs, by, *parts, columns)?);
        }
    }
    Ok(Partial { rows, nodes })
}

/// A table of these rows.
pub(super) fn table(schema: &[Type], rows: impl IntoIterator<Item = Row>) -> TableData {
    let mut table = TableData::empty(schema);
    for row in rows {
        table.push(&row);
    }
    table
}

/// Sorts rows, whose first columns are the keys, and cuts them; equal ones stay in order.
pub(super) fn sort_rows(rows: &mut Vec<Row>, keys: &[SortKey], limit: Option<u64>) {
    rows.sort_by(|a, b| {
        let by_key = keys.iter().zip(a.iter().zip(b)).map(|(key, (&a, &b))| key_order(key, a, b));
        by_key.fold(Ordering::Equal, Ordering::then)
    });
    rows.truncate(limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX));
}

/// Sorts rows by partition, their first column; those of one stay in order.
pub(super) fn sort_partitions(rows: &mut [Row]) {
    rows.sort_by_key(|row| row[0].map(integer));
}

/// Groups by key, in order of appearance.
#[derive(Default)]
pub(super) struct Groups {
    numbers: HashMap<Row, usize>,
    groups: Vec<Group>,
}

/// One group.
pub(super) struct Group {
    row: u64,
    /// Its keys.
    pub(super) keys: Row,
    /// An accumulator a fold.
    pub(super) accumulators: Vec<Accumulator>,
}

impl Groups {
    /// The folds of a `Group` sink.
    pub(super) fn folds(folds: &[Fold], body: &Body) -> Vec<Folding> {
        folds.iter().map(|&fold| Folding::order_free(fold, body)).collect()
    }

    /// Takes in the groups of a partial result.
    pub(super) fn read(&mut self, rows: &TableData, key_count: usize, folds: &[Folding]) {
        for i in 0..rows.rows {
            let row = rows.row(i);
            let (keys, accumulators) = row[1..].split_at(key_count);
            let accumulators = read_all(folds, accumulators);
            let group = self.group(row[0].map_or(0, integer) as u64, keys, folds);
            for (one, other) in group.accumulators.iter_mut().zip(&accumulators) {
                one.combine(other);
            }
        }
    }

    /// The partial result's rows.
    pub(super) fn write(mut self, schema: &[Type]) -> TableData {
        self.groups.sort_by_key(|group| group.row);
        let rows = self.groups.into_iter().map(|group| {
            let mut row = vec![Some(Scalar::U64(group.row))];
            row.extend(group.keys);
            group.accumulators.iter().for_each(|accumulator| accumulator.write(&mut row));
            row
        });
        table(schema, rows)
    }

    /// The groups in order of their smallest rows.
    pub(super) fn in_order(mut self) -> Vec<Group> {
        self.groups.sort_by_key(|group| group.row);
        self.groups
    }

    /// The group with these keys (in canonical form), which has this row.
    fn group(&mut self, row: u64, keys: &[Option<Scalar>], folds: &[Folding]) -> &mut Group {
        let number = match self.numbers.get(keys) {
            Some(&number) => number,
            None => {
                let accumulators = folds.iter().map(|fold| fold.nothing).collect();
                self.groups.push(Group { row, keys: keys.to_vec(), accumulators });
                self.numbers.insert(keys.to_vec(), self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        let group = &mut self.groups[number];
        group.row = group.row.min(row);
        group
    }
}

fn each_selected<'a>(
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    mut take: impl FnMut(&mut Rows<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut rows = Rows::new(kernel, inputs);
    for row in 0..inputs.rows {
        rows.start(row);
        while rows.next_selected()? {
            take(&mut rows)?;
        }
    }
    Ok(())
}

fn store(kernel: &Kernel, inputs: &Inputs<'_>, columns: &[ValueId], table: &mut TableData) -> Result<(), Fault> {
    let mut rows = Rows::new(kernel, inputs);
    let mut out = Row::with_capacity(columns.len());
    for row in 0..inputs.rows {
        rows.start(row);
        out.clear();
        if rows.next_selected()? {
            rows.outputs(columns, &mut out)?;
        } else {
            out.resize(columns.len(), None);
        }
        table.push(&out);
    }
    Ok(())
}

fn sort(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    keys: &[SortKey],
    columns: &[ValueId],
    limit: Option<u64>,
) -> Result<Vec<Row>, Fault> {
    let values: Vec<ValueId> = keys.iter().map(|key| key.value).chain(columns.iter().copied()).collect();
    let mut rows = Vec::new();
    each_selected(kernel, inputs, |row| {
        let mut out = Row::with_capacity(values.len());
        row.outputs(&values, &mut out)?;
        rows.push(out);
        Ok(())
    })?;
    sort_rows(&mut rows, keys, limit);
    Ok(rows)
}

fn key_order(key: &SortKey, a: Option<Scalar>, b: Option<Scalar>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => match key.order {
            SortOrder::Ascending => order::total(a, b),
            SortOrder::Descending => order::total(b, a),
        },
        (a, b) => match key.nulls {
            NullOrder::First => a.is_some().cmp(&b.is_some()),
            NullOrder::Last => a.is_none().cmp(&b.is_none()),
        },
    }
}

fn group(kernel: &Kernel, inputs: &Inputs<'_>, keys: &[ValueId], folds: &[Fold]) -> Result<Groups, Fault> {
    let folds = Groups::folds(folds, &kernel.body);
    let mut groups = Groups::default();
    let mut key = Row::new();
    each_selected(kernel, inputs, |row| {
        key.clear();
        row.keys(keys, &mut key)?;
        let group = groups.group(row.source_row(), &key, &folds);
        for (accumulator, fold) in group.accumulators.iter_mut().zip(&folds) {
            accumulator.add(fold_input(row, &fold.fold)?);
        }
        Ok(())
    })?;
    Ok(groups)
}

fn partition(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    by: &PartitionBy,
    parts: u32,
    columns: &[ValueId],
) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    let mut key = Row::new();
    each_selected(kernel, inputs, |row| {
        let part = match by {
            PartitionBy::Hash(keys) => {
                key.clear();
                row.keys(keys, &mut key)?;
                hash::partition(&key, parts)
            }
            PartitionBy::Range { key, bounds } => {
                let key = row.value(*key)?;
                key.map_or(0, |key| bounds_at_or_below(&inputs.lists[bounds.index()], key, parts))
            }
        };
        let mut out = vec![Some(Scalar::U32(part))];
        row.outputs(columns, &mut out)?;
        rows.push(out);
        Ok(())
    })?;
    sort_partitions(&mut rows);
    Ok(rows)
}

/// How many bounds are at or below the key, in the order of sorts; at most the last partition's number.
fn bounds_at_or_below(bounds: &ColumnData, key: Scalar, parts: u32) -> u32 {
    let below = bounds.iter().flatten().filter(|&bound| order::total(bound, key).is_le()).count();
    u32::try_from(below).unwrap_or(u32::MAX).min(parts.saturating_sub(1))
}
