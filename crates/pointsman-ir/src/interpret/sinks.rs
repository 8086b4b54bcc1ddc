//! What each sink keeps of its rows: in go a kernel and its inputs, out comes the partial result.

use super::call::{double, rounded, unit};
use super::fault::Fault;
use super::fold::{Accumulator, Folding, positional, read_all};
use super::reduce::{self, fold_input, write_nodes};
use super::row::Rows;
use super::scalar::integer;
use super::scan::ScanSink;
use super::{CoveredRows, Inputs, Partial, Room, call, order};
use crate::body::{Body, ValueId};
use crate::data::{ColumnData, TableData};
use crate::hash;
use crate::kernel::sink::sorted_values;
use crate::kernel::{
    Call, Fold, FoldInput, GroupOrder, Kernel, NullOrder, PartialSchema, PartitionBy, Sink, SortKey, SortOrder,
};
use crate::types::{Scalar, Type};
use std::cmp::Ordering;
use std::collections::HashMap;

/// A row of a table.
pub(super) type Row = Vec<Option<Scalar>>;

/// The partial result of a kernel.
pub(super) fn partial(kernel: &Kernel, inputs: &Inputs<'_>, room: Room) -> Result<(Partial, CoveredRows), Fault> {
    let mut covered = CoveredRows { rows: inputs.rows, matches: 0 };
    let schema = kernel.partial();
    let (mut rows, mut nodes) = (TableData::empty(&schema.rows), TableData::empty(&schema.nodes));
    match &kernel.sink {
        Sink::Store { columns } => store(kernel, inputs, columns, &mut rows)?,
        Sink::Compact { columns } => {
            covered = each_match(kernel, inputs, room.first_match, |row| {
                if rows.rows == room.rows {
                    return Ok(Taken::NoRoom);
                }
                let mut out = Row::with_capacity(columns.len());
                row.outputs(columns, &mut out)?;
                rows.push(&out);
                Ok(Taken::Yes)
            })?;
        }
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
        Sink::Group { keys, folds, order } => {
            let (groups, reached) = group(kernel, inputs, room, &GroupParts { keys, folds, order: *order })?;
            (rows, covered) = (groups.write(&schema.rows), reached);
        }
        Sink::Build { keys, columns } => each_selected(kernel, inputs, |row| {
            let mut out = Row::new();
            row.keys(keys, &mut out)?;
            if out.iter().all(Option::is_some) {
                row.outputs(columns, &mut out)?;
                rows.push(&out);
            }
            Ok(())
        })?,
        Sink::Call { call, value, table } => {
            let table = table.map(|table| &inputs.lists[table.index()]);
            rows = called(kernel, inputs, call, *value, table, &schema.rows)?;
        }
        Sink::Partition { by, bits, columns } => {
            return Ok((partitions(partition(kernel, inputs, by, *bits, columns)?, &schema), covered));
        }
    }
    Ok((Partial { rows, nodes }, covered))
}

/// A table of these rows.
pub(super) fn table(schema: &[Type], rows: impl IntoIterator<Item = Row>) -> TableData {
    let mut table = TableData::empty(schema);
    for row in rows {
        table.push(&row);
    }
    table
}

/// Each key of a sort with its column in a sorted run.
pub(super) fn key_places(keys: &[SortKey], columns: &[ValueId]) -> Vec<(SortKey, usize)> {
    let values = sorted_values(keys, columns);
    let place = |key: &SortKey| values.iter().position(|v| *v == key.value).unwrap_or_default();
    keys.iter().map(|key| (*key, place(key))).collect()
}

/// Sorts rows by keys and cuts them; equal ones stay in order.
pub(super) fn sort_rows(rows: &mut Vec<Row>, keys: &[(SortKey, usize)], limit: Option<u64>) {
    rows.sort_by(|a, b| {
        let by_key = keys.iter().map(|(key, place)| key_order(key, a[*place], b[*place]));
        by_key.fold(Ordering::Equal, Ordering::then)
    });
    rows.truncate(limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX));
}

/// The rows of partitions, one partition after the other, and where each ends.
pub(super) fn partitions(parts: Vec<Vec<Row>>, schema: &PartialSchema) -> Partial {
    let mut end = 0;
    let ends = parts.iter().map(|part| {
        end += part.len() as u64;
        vec![Some(Scalar::U64(end))]
    });
    let nodes = table(&schema.nodes, ends.collect::<Vec<_>>());
    Partial { rows: table(&schema.rows, parts.into_iter().flatten()), nodes }
}

/// Groups by key.
pub(super) struct Groups {
    order: GroupOrder,
    numbers: HashMap<Row, usize>,
    groups: Vec<Group>,
}

/// One group.
pub(super) struct Group {
    /// The smallest order value; 0 if the keys give the order.
    least: u64,
    /// Its keys.
    pub(super) keys: Row,
    /// An accumulator a fold.
    pub(super) accumulators: Vec<Accumulator>,
}

impl Groups {
    /// No groups yet.
    pub(super) fn new(order: GroupOrder) -> Groups {
        Groups { order, numbers: HashMap::new(), groups: Vec::new() }
    }

    /// The folds of a `Group` sink.
    pub(super) fn folds(folds: &[Fold], body: &Body) -> Vec<Folding> {
        folds.iter().map(|&fold| Folding::order_free(fold, body)).collect()
    }

    /// Takes in the groups of a partial result.
    pub(super) fn read(&mut self, rows: &TableData, key_count: usize, folds: &[Folding]) {
        for i in 0..rows.rows {
            let row = rows.row(i);
            let (keys, rest) = row.split_at(key_count);
            let (states, least) = rest.split_at(folds.iter().map(|fold| fold.width).sum());
            let accumulators = read_all(folds, states);
            let group = self.group(least.first().copied().flatten().map_or(0, integer) as u64, keys, folds);
            for (one, other) in group.accumulators.iter_mut().zip(&accumulators) {
                one.combine(other);
            }
        }
    }

    /// The partial result's rows.
    pub(super) fn write(self, schema: &[Type]) -> TableData {
        let has_order = self.order != GroupOrder::Hash;
        let rows = self.in_order().into_iter().map(|group| {
            let mut row = group.keys;
            group.accumulators.iter().for_each(|accumulator| accumulator.write(&mut row));
            row.extend(has_order.then_some(Some(Scalar::U64(group.least))));
            row
        });
        table(schema, rows)
    }

    /// The groups in their order.
    pub(super) fn in_order(mut self) -> Vec<Group> {
        match self.order {
            GroupOrder::Least(_) => {
                self.groups.sort_by_cached_key(|group| (group.least, HashOrder(group.keys.clone())))
            }
            GroupOrder::Hash => self.groups.sort_by_cached_key(|group| HashOrder(group.keys.clone())),
        }
        self.groups
    }

    /// The group with these keys (in canonical form), which has a row with this order value.
    fn group(&mut self, order: u64, keys: &[Option<Scalar>], folds: &[Folding]) -> &mut Group {
        let number = match self.numbers.get(keys) {
            Some(&number) => number,
            None => {
                let accumulators = folds.iter().map(|fold| fold.nothing).collect();
                self.groups.push(Group { least: order, keys: keys.to_vec(), accumulators });
                self.numbers.insert(keys.to_vec(), self.groups.len() - 1);
                self.groups.len() - 1
            }
        };
        let group = &mut self.groups[number];
        group.least = group.least.min(order);
        group
    }
}

/// Keys by their hash, then one by one: null first, then in the order of sorts; codes and opaque values by their bits.
#[derive(PartialEq, Eq)]
pub(super) struct HashOrder(pub(super) Row);

impl Ord for HashOrder {
    fn cmp(&self, other: &HashOrder) -> Ordering {
        let by_key = self.0.iter().zip(&other.0).map(|(a, b)| match (a, b) {
            (Some(a), Some(b)) => order::total(*a, *b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        hash::keys(&self.0).cmp(&hash::keys(&other.0)).then(by_key.fold(Ordering::Equal, Ordering::then))
    }
}

impl PartialOrd for HashOrder {
    fn partial_cmp(&self, other: &HashOrder) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Whether a sink took a row.
enum Taken {
    Yes,
    /// There is no room for it: the walk ends.
    NoRoom,
}

fn each_selected<'a>(
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    mut take: impl FnMut(&mut Rows<'a>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    each_match(kernel, inputs, 0, |row| take(row).map(|()| Taken::Yes)).map(drop)
}

/// Hands selected rows over, from a match of the first row on, until one is not taken.
fn each_match<'a>(
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    first_match: u64,
    mut take: impl FnMut(&mut Rows<'a>) -> Result<Taken, Fault>,
) -> Result<CoveredRows, Fault> {
    let mut rows = Rows::new(kernel, inputs);
    for row in 0..inputs.rows {
        rows.start(row);
        rows.skip_matches(if row == 0 { first_match } else { 0 })?;
        while rows.next_selected()? {
            if let Taken::NoRoom = take(&mut rows)? {
                return Ok(CoveredRows { rows: row, matches: rows.matches_before() });
            }
        }
    }
    Ok(CoveredRows { rows: inputs.rows, matches: 0 })
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

/// What a library call makes of its chunks, rounded to its type.
fn called(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    call: &Call,
    value: ValueId,
    table: Option<&ColumnData>,
    schema: &[Type],
) -> Result<TableData, Fault> {
    let mut rows = Vec::with_capacity(inputs.rows);
    each_selected(kernel, inputs, |row| {
        rows.push(row.value(value)?.map_or(f64::NAN, double));
        Ok(())
    })?;
    let table: Vec<f64> =
        table.map_or_else(Vec::new, |table| table.iter().map(|x| x.map_or(f64::NAN, double)).collect());
    let dtype = schema[0].dtype;
    let results = call::compute(call, &rows, &table, unit(dtype));
    Ok(self::table(schema, results.into_iter().map(|result| vec![Some(rounded(dtype, result.value))])))
}

fn sort(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    keys: &[SortKey],
    columns: &[ValueId],
    limit: Option<u64>,
) -> Result<Vec<Row>, Fault> {
    let values = sorted_values(keys, columns);
    let mut rows = Vec::new();
    each_selected(kernel, inputs, |row| {
        let mut out = Row::with_capacity(values.len());
        row.outputs(&values, &mut out)?;
        rows.push(out);
        Ok(())
    })?;
    sort_rows(&mut rows, &key_places(keys, columns), limit);
    Ok(rows)
}

/// How two values of a sort key compare.
pub(super) fn key_order(key: &SortKey, a: Option<Scalar>, b: Option<Scalar>) -> Ordering {
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

/// What a `Group` sink takes.
struct GroupParts<'a> {
    keys: &'a [ValueId],
    folds: &'a [Fold],
    order: GroupOrder,
}

fn group(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    room: Room,
    parts: &GroupParts<'_>,
) -> Result<(Groups, CoveredRows), Fault> {
    let folds = Groups::folds(parts.folds, &kernel.body);
    let mut groups = Groups::new(parts.order);
    let mut key = Row::new();
    let covered = each_match(kernel, inputs, room.first_match, |row| {
        key.clear();
        row.keys(parts.keys, &mut key)?;
        if groups.groups.len() == room.rows && !groups.numbers.contains_key(&key) {
            return Ok(Taken::NoRoom);
        }
        let least = match parts.order {
            GroupOrder::Least(value) => row.value(value)?.map_or(0, integer) as u64,
            GroupOrder::Hash => 0,
        };
        let group = groups.group(least, &key, &folds);
        for (accumulator, fold) in group.accumulators.iter_mut().zip(&folds) {
            match fold.fold.input {
                FoldInput::Rows | FoldInput::Value(_) => accumulator.add(fold_input(row, &fold.fold)?),
                FoldInput::State { first, .. } => accumulator.combine(&fold.read(&row.columns(first, fold.width))),
            }
        }
        Ok(Taken::Yes)
    })?;
    Ok((groups, covered))
}

fn partition(
    kernel: &Kernel,
    inputs: &Inputs<'_>,
    by: &PartitionBy,
    bits: u8,
    columns: &[ValueId],
) -> Result<Vec<Vec<Row>>, Fault> {
    let mut parts = vec![Vec::new(); 1 << bits];
    let mut key = Row::new();
    each_selected(kernel, inputs, |row| {
        let part = match by {
            PartitionBy::Hash(keys) => {
                key.clear();
                row.keys(keys, &mut key)?;
                hash::partition(&key, bits)
            }
            PartitionBy::Range { key, bounds } => {
                let key = row.value(*key)?;
                key.map_or(0, |key| bounds_at_or_below(&inputs.lists[bounds.index()], key, 1 << bits))
            }
        };
        let mut out = Row::new();
        row.outputs(columns, &mut out)?;
        parts[part as usize].push(out);
        Ok(())
    })?;
    Ok(parts)
}

/// How many bounds are at or below the key, in the order of sorts; at most the last partition's number.
fn bounds_at_or_below(bounds: &ColumnData, key: Scalar, parts: u32) -> u32 {
    let below = bounds.iter().flatten().filter(|&bound| order::total(bound, key).is_le()).count();
    u32::try_from(below).unwrap_or(u32::MAX).min(parts.saturating_sub(1))
}
