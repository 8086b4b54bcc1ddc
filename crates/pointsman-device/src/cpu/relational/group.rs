//! Groups rows, or folds all of them, without an order: in go batches of keys and values, out come groups in their order.
//!
//! Each thread has a table of its own while there is room for all of their groups together. The tables are merged by
//! partitions of the hash, each by one thread. When the groups could exceed the room of the outputs, the tables become
//! one, and one thread goes on row by row until a group does not fit.

use super::accumulators::{Accumulators, FoldPlan};
use super::append::MatchCounter;
use super::columns::Batch;
use super::context::RunContext;
use super::group_table::GroupTable;
use super::index::encode;
use super::keys::KeyLayout;
use super::row_set::RowSet;
use super::run::{LaunchProgress, RelationalRun};
use crate::cpu::compile::internal;
use crate::cpu::output::ColumnWriter;
use crate::launch::{FaultLocation, Form, Outcome};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::Scalar;
use std::cmp::Ordering;
use std::ops::Range;

/// The number of groups per partition that is worth a task.
const PARTITION_GROUPS: usize = 1 << 12;
/// The most bits of a partition's number.
const PARTITION_BITS_MAX: u32 = 8;

/// The groups found so far.
pub(super) struct GroupSink<'p> {
    context: RunContext<'p>,
    keys: KeyLayout,
    folds: &'p [FoldPlan],
    /// The column of the order value.
    least: Option<usize>,
    room: usize,
    tables: Vec<GroupTable>,
    counter: MatchCounter,
}

/// The words and hashes of a batch's keys.
struct EncodedKeys {
    words: Vec<u64>,
    hashes: Vec<u64>,
}

impl<'p> GroupSink<'p> {
    /// No groups yet. Without keys all rows are one group.
    pub(super) fn new(
        run: &RelationalRun<'p>,
        keys: Option<&KeyLayout>,
        folds: &'p [FoldPlan],
        least: Option<usize>,
        room: usize,
    ) -> DeviceResult<GroupSink<'p>> {
        let keys = keys.cloned().unwrap_or_else(|| KeyLayout::new(&[]));
        let counter = MatchCounter::new(run.first_match);
        Ok(GroupSink { context: run.context, keys, folds, least, room, tables: Vec::new(), counter })
    }

    /// Takes in the rows that the last program yields for a range of a row set.
    pub(super) fn take(
        &mut self,
        run: &RelationalRun<'_>,
        set: &RowSet<'_, '_>,
        range: Range<usize>,
    ) -> DeviceResult<LaunchProgress> {
        run.rows_of(set, range.clone(), |batch| {
            let columns = &batch.columns[1..1 + self.keys.len()];
            let (words, hashes) = encode(self.context, &self.keys, columns, batch.rows)?;
            let keys = EncodedKeys { words, hashes };
            if self.groups() + batch.rows > self.room {
                self.merge_into_one()?;
            }
            let fits = if self.groups() + batch.rows <= self.room {
                self.take_on_threads(&batch, &keys)?;
                batch.rows
            } else {
                self.take_while_room(&batch, &keys)?
            };
            if fits == batch.rows {
                self.counter.pass(run, set, range.clone());
                return Ok(LaunchProgress::Continue);
            }
            let at = (batch.columns[0].word(fits) - set.part_first_row()) as usize;
            Ok(LaunchProgress::Full(self.counter.stop_before(run, set, range.clone(), at)))
        })
    }

    /// The sum of the tables' groups.
    fn groups(&self) -> usize {
        self.tables.iter().map(GroupTable::len).sum()
    }

    fn new_table(&self) -> DeviceResult<GroupTable> {
        GroupTable::new(self.context.pool(), &self.keys, self.folds)
    }

    /// Takes in a batch for whose groups there is room.
    fn take_on_threads(&mut self, batch: &Batch, keys: &EncodedKeys) -> DeviceResult<()> {
        let ranges = self.context.ranges(batch.rows);
        let tables = Mutex::new(std::mem::take(&mut self.tables));
        let this = &*self;
        let done = this.context.tasks_with(
            ranges.len(),
            || tables.lock().pop(),
            |table, task| {
                let table = match table {
                    Some(table) => table,
                    None => table.insert(this.new_table()?),
                };
                this.take_range(table, batch, keys, ranges[task].clone(), usize::MAX).map(drop)
            },
            |table| tables.lock().extend(table),
        );
        self.tables = tables.into_inner();
        done
    }

    /// Takes in rows of a batch until a group does not fit; the number of rows.
    fn take_while_room(&mut self, batch: &Batch, keys: &EncodedKeys) -> DeviceResult<usize> {
        let mut table = match self.tables.pop() {
            Some(table) => table,
            None => self.new_table()?,
        };
        let mut taken = 0;
        for range in self.context.ranges(batch.rows) {
            self.context.poll()?;
            let rows = self.take_range(&mut table, batch, keys, range.clone(), self.room)?;
            taken = range.start + rows;
            if rows < range.len() {
                break;
            }
        }
        self.tables.push(table);
        Ok(taken)
    }

    /// Takes in rows of a range until there would be more groups than `room`; the number of rows.
    fn take_range(
        &self,
        table: &mut GroupTable,
        batch: &Batch,
        keys: &EncodedKeys,
        range: Range<usize>,
        room: usize,
    ) -> DeviceResult<usize> {
        let stride = self.keys.stride;
        let mut groups = Vec::with_capacity(range.len());
        for row in range.clone() {
            let least = self.least.map(|column| batch.columns[column].word(row));
            match table.find(&keys.words[row * stride..(row + 1) * stride], keys.hashes[row], least, room)? {
                Some(group) => groups.push(group),
                None if room == usize::MAX => return Err(DeviceError::unsupported("more than 2^32 groups")),
                None => break,
            }
        }
        let taken = range.start..range.start + groups.len();
        table.grow(self.folds);
        for (column, plan) in table.accumulators.iter_mut().zip(self.folds) {
            column.fold(plan, batch, taken.clone(), &groups);
        }
        Ok(groups.len())
    }

    /// Merges the tables into one table a partition of the hash.
    fn merged(&mut self, bits: u32) -> DeviceResult<Vec<GroupTable>> {
        let tables = std::mem::take(&mut self.tables);
        if tables.len() == 1 && bits == 0 {
            return Ok(tables);
        }
        let parts: Vec<_> = tables.iter().map(|table| table.by_partition(bits)).collect();
        let merged: Vec<Mutex<Option<GroupTable>>> = (0..1usize << bits).map(|_| Mutex::new(None)).collect();
        self.context.tasks(merged.len(), |part| {
            let mut result = self.new_table()?;
            for (table, (groups, ends)) in tables.iter().zip(&parts) {
                let start = part.checked_sub(1).map_or(0, |before| ends[before]);
                for groups in groups[start..ends[part]].chunks(self.context.task_rows()) {
                    self.context.poll()?;
                    result.merge(self.folds, table, groups.iter().map(|&group| group as usize))?;
                }
            }
            *merged[part].lock() = Some(result);
            Ok(())
        })?;
        Ok(merged.into_iter().filter_map(Mutex::into_inner).collect())
    }

    fn merge_into_one(&mut self) -> DeviceResult<()> {
        if self.tables.len() > 1 {
            self.tables = self.merged(0)?;
        }
        Ok(())
    }

    /// Writes the groups in their order; how many there are, or the first fold whose result does not fit its type.
    pub(super) fn write(mut self, form: Form, outs: &mut [ColumnWriter<'_>]) -> DeviceResult<Result<usize, usize>> {
        let bits = (self.groups() / PARTITION_GROUPS).max(1).ilog2().min(PARTITION_BITS_MAX);
        let tables = self.merged(bits)?;
        let order = self.order(&tables)?;
        let mut row: Vec<Option<Scalar>> = Vec::new();
        let mut unfit: Option<usize> = None;
        for (number, &(table, group)) in order.iter().enumerate() {
            if number.is_multiple_of(1024) {
                self.context.poll()?;
            }
            let (table, group) = (&tables[table as usize], group as usize);
            row.clear();
            row.extend((0..self.keys.len()).map(|key| self.keys.decode(table.keys(group), key)));
            for (fold, (column, plan)) in table.accumulators.iter().zip(self.folds).enumerate() {
                match form {
                    Form::Partial => column.write(plan, group, &mut row),
                    Form::Whole => match column.finish(plan, group) {
                        Some(value) => row.push(value),
                        None => {
                            unfit = Some(unfit.map_or(fold, |known| known.min(fold)));
                            break;
                        }
                    },
                }
            }
            if unfit.is_some() {
                continue;
            }
            row.extend(table.least.get(group).filter(|_| form == Form::Partial).map(|&least| Some(Scalar::U64(least))));
            outs.iter_mut().zip(&row).for_each(|(out, value)| out.push(*value));
        }
        Ok(unfit.map_or(Ok(order.len()), Err))
    }

    /// The groups of all tables in their order: by the least value if there is one, then by hash and keys.
    fn order(&self, tables: &[GroupTable]) -> DeviceResult<Vec<(u32, u32)>> {
        let compare = |a: (u32, u32), b: (u32, u32)| -> Ordering {
            let [(one, i), (other, j)] = [a, b].map(|(table, group)| (&tables[table as usize], group as usize));
            let by_least = one.least.get(i).cmp(&other.least.get(j));
            let by_hash = || one.hashes[i].cmp(&other.hashes[j]);
            by_least.then_with(by_hash).then_with(|| self.keys.compare(one.keys(i), other.keys(j)))
        };
        // Partitions are in the order of their hashes, so that each is sorted alone.
        let sorted: Vec<Mutex<Vec<(u32, u32)>>> = tables.iter().map(|_| Mutex::default()).collect();
        self.context.tasks(tables.len(), |table| {
            let mut groups: Vec<(u32, u32)> = (0..tables[table].len()).map(|i| (table as u32, i as u32)).collect();
            groups.sort_unstable_by(|a, b| compare(*a, *b));
            *sorted[table].lock() = groups;
            Ok(())
        })?;
        let mut order: Vec<(u32, u32)> = sorted.into_iter().flat_map(Mutex::into_inner).collect();
        if self.least.is_some() && tables.len() > 1 {
            // Sorted runs: a stable sort merges them.
            order.sort_by(|a, b| compare(*a, *b));
        }
        Ok(order)
    }

    /// Writes the result of folds over all rows: one row, or the nodes that cover the launch's leaves. As the folds have no
    /// order, the first node holds all rows.
    pub(super) fn reduce(
        mut self,
        first_row: u64,
        rows: usize,
        form: Form,
        outs: &mut [ColumnWriter<'_>],
    ) -> DeviceResult<Outcome> {
        self.merge_into_one()?;
        let nothing = || -> Vec<Accumulators> {
            let mut columns: Vec<Accumulators> = self.folds.iter().map(FoldPlan::accumulators).collect();
            columns.iter_mut().zip(self.folds).for_each(|(column, plan)| column.grow(plan, 1));
            columns
        };
        let mut table = self.tables.pop();
        let all = match table.as_mut().filter(|table| table.len() > 0) {
            Some(table) => std::mem::take(&mut table.accumulators),
            None => nothing(),
        };
        if form == Form::Whole {
            for (number, ((column, plan), out)) in all.iter().zip(self.folds).zip(&mut *outs).enumerate() {
                match column.finish(plan, 0) {
                    Some(value) => out.push(value),
                    None => return Ok(Outcome { fault: Some(FaultLocation::Fold(number)), ..Outcome::default() }),
                }
            }
            return Ok(Outcome { rows: 1, consumed: rows, ..Outcome::default() });
        }
        let heads = covering(first_row, rows);
        let nothing = nothing();
        for (number, (level, index)) in heads.iter().enumerate() {
            let mut row = vec![Some(Scalar::U8(*level)), Some(Scalar::U64(*index))];
            let columns = if number == 0 { &all } else { &nothing };
            columns.iter().zip(self.folds).for_each(|(column, plan)| column.write(plan, 0, &mut row));
            if row.len() != outs.len() {
                return Err(internal("a node has other columns than the partial state"));
            }
            outs.iter_mut().zip(&row).for_each(|(out, value)| out.push(*value));
        }
        Ok(Outcome { nodes: heads.len(), consumed: rows, ..Outcome::default() })
    }
}

/// The nodes that cover the leaves of these rows: level and index.
fn covering(first_row: u64, rows: usize) -> Vec<(u8, u64)> {
    let (mut leaf, leaf_rows) = (first_row / LEAF_ROWS as u64, LEAF_ROWS as u64);
    let end = if rows == 0 { leaf } else { (first_row + rows as u64 - 1) / leaf_rows + 1 };
    let mut nodes = Vec::new();
    while leaf < end {
        let aligned = if leaf == 0 { 63 } else { leaf.trailing_zeros() };
        let level = aligned.min((end - leaf).ilog2());
        nodes.push((level as u8, leaf >> level));
        leaf += 1 << level;
    }
    nodes
}
