//! Groups rows, or folds all of them, where the order of rows does not matter: takes batches of keys and values, and
//! yields the groups in the order that the sink states.
//!
//! Each thread has a table of its own. The tables are merged once, by partitions of the hash, each by one thread. When
//! the groups of all tables together could exceed the room of the outputs, a set of the keys gives the number of
//! different groups there are, and at which row the first one comes that does not fit.

use super::accumulators::{Accumulators, FoldPlan};
use super::columns::Batch;
use super::context::RunContext;
use super::dense_keys::DenseKeys;
use super::group_table::GroupTable;
use super::index::front;
use super::keys::{EncodedKeys, KeyLayout, partition};
use super::merge_sort;
use super::part::PartResult;
use super::partition::{PartitionedRows, by_partition};
use super::pool_memory::PoolVec;
use super::progress::{LaunchProgress, MatchCounter, TakenRows};
use super::run::RelationalRun;
use crate::cpu::compile::internal;
use crate::cpu::output::ColumnWriter;
use crate::launch::{FaultLocation, Form, Outcome};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::Scalar;
use std::cmp;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of groups per partition that is worth a task.
const PARTITION_GROUPS: usize = 1 << 12;
/// The most bits of a partition's number.
const PARTITION_BITS_MAX: u32 = 8;

/// The number of rows whose keys a thread computes before it groups them: few enough for its caches.
const DIRECT_ROWS: usize = 1 << 14;
/// As many slots are made for however few rows.
const DENSE_SLOTS_CHEAP: usize = (1 << 8) + 1;

/// What a launch brings to its groups.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The most groups.
    pub(super) groups: usize,
    /// The rows of the launch.
    pub(super) rows: usize,
}

/// The groups found so far.
pub(super) struct GroupSink<'p> {
    context: RunContext<'p>,
    keys: KeyLayout,
    folds: &'p [FoldPlan],
    /// The column of the order value.
    least: Option<usize>,
    room: usize,
    /// The slots of a short key, if all of its values have room.
    dense_slots: Option<usize>,
    /// A table for each thread.
    tables: Vec<GroupTable>,
    /// All keys, once the tables have so many groups that not all of them may fit.
    admitted: Option<GroupTable>,
    counter: MatchCounter,
}

/// The place of a group among several tables.
#[derive(Clone, Copy)]
#[repr(C)]
struct GroupPlace {
    /// What it is sorted by first: its least value, or its hash.
    first: u64,
    table: u32,
    group: u32,
}

// SAFETY: three numbers that may be zero.
unsafe impl bytemuck::Zeroable for GroupPlace {}
// SAFETY: in the order of `repr(C)`, the two halves fill the second word, so there is no padding; any bytes are valid.
unsafe impl bytemuck::Pod for GroupPlace {}

fn too_many() -> DeviceError {
    DeviceError::unsupported("more than 2^32 groups")
}

impl<'p> GroupSink<'p> {
    /// No groups yet. Without keys all rows are one group.
    pub(super) fn new(
        run: &RelationalRun<'p>,
        keys: Option<&KeyLayout>,
        folds: &'p [FoldPlan],
        least: Option<usize>,
        Room { groups: room, rows }: Room,
    ) -> DeviceResult<GroupSink<'p>> {
        let keys = keys.cloned().unwrap_or_else(|| KeyLayout::new(&[]));
        let counter = MatchCounter::new(run.first_match);
        let (context, tables) = (run.context, Vec::new());
        // So few rows that slots would take longer than hashes go by their hashes.
        let dense_slots = keys.dense_slots().filter(|&slots| slots <= room && slots <= rows.max(DENSE_SLOTS_CHEAP));
        Ok(GroupSink { context, keys, folds, least, room, dense_slots, tables, admitted: None, counter })
    }

    /// Takes in what the last program yields for some rows.
    pub(super) fn take(
        &mut self,
        run: &RelationalRun<'_>,
        rows: &TakenRows<'_, '_, '_>,
    ) -> DeviceResult<LaunchProgress> {
        run.rows_of(rows, |batch| {
            if self.dense_slots.is_some() {
                self.take_on_threads(&batch, None, batch.rows)?;
                self.counter.pass(rows);
                return Ok(LaunchProgress::Continue);
            }
            let columns = &batch.columns[1..1 + self.keys.len()];
            let keys = EncodedKeys::of(self.context, &self.keys, columns, batch.rows)?;
            let may_exceed = self.admitted.is_some() || self.groups() + batch.rows > self.room;
            let fits = if may_exceed { self.admit(&keys, batch.rows)? } else { batch.rows };
            self.take_on_threads(&batch, Some(&keys), fits)?;
            if fits == batch.rows {
                self.counter.pass(rows);
                return Ok(LaunchProgress::Continue);
            }
            let at = (batch.columns[0].word(fits) - rows.set.part_first_row()) as usize;
            Ok(LaunchProgress::Full(self.counter.stop_before(rows, at)))
        })
    }

    /// Takes in all rows of a launch without probes whose keys have slots: each thread groups the rows of its tasks as
    /// soon as it computed their keys. The first row that faults, if any.
    pub(super) fn take_all(&mut self, run: &RelationalRun<'_>, rows: usize) -> DeviceResult<Option<usize>> {
        let first_fault = AtomicUsize::new(usize::MAX);
        let tables = Mutex::new(std::mem::take(&mut self.tables));
        let this = &*self;
        let take = |table: &mut Option<GroupTable>, task: usize| {
            let start = task * DIRECT_ROWS;
            if start > first_fault.load(Ordering::Relaxed) {
                return Ok(());
            }
            let set = run.segment(start..rows.min(start + DIRECT_ROWS));
            let batch = match run.last_part_alone(&set)? {
                PartResult::Rows(batch) => batch,
                PartResult::Fault(at) => {
                    first_fault.fetch_min(set.row(at), Ordering::Relaxed);
                    return Ok(());
                }
            };
            let table = match table {
                Some(table) => table,
                None => table.insert(this.new_thread_table()?),
            };
            this.take_range(table, &batch, None, 0..batch.rows)
        };
        let tasks = rows.div_ceil(DIRECT_ROWS);
        let done = this.context.tasks_with(tasks, || tables.lock().pop(), take, |table| tables.lock().extend(table));
        self.tables = tables.into_inner();
        done.map(|()| Some(first_fault.into_inner()).filter(|&row| row < usize::MAX))
    }

    /// Whether keys have slots.
    pub(super) fn is_dense(&self) -> bool {
        self.dense_slots.is_some()
    }

    /// The sum of the tables' groups.
    fn groups(&self) -> usize {
        self.tables.iter().map(GroupTable::len).sum()
    }

    fn new_table(&self) -> DeviceResult<GroupTable> {
        GroupTable::new(self.context.pool(), &self.keys, self.folds, self.least.is_some())
    }

    /// The table of a thread, which takes rows in.
    fn new_thread_table(&self) -> DeviceResult<GroupTable> {
        let mut table = self.new_table()?;
        if let Some(slots) = self.dense_slots {
            let only_counts = self.least.is_none() && self.folds.iter().all(FoldPlan::counts_rows);
            table.add_dense_keys(slots, only_counts)?;
        }
        Ok(table)
    }

    /// Adds the keys of rows to the set of all keys, until one does not fit; the number of rows before it.
    fn admit(&mut self, keys: &EncodedKeys, rows: usize) -> DeviceResult<usize> {
        let (context, stride) = (self.context, self.keys.stride);
        let mut admitted = match self.admitted.take() {
            Some(admitted) => admitted,
            None => self.all_keys()?,
        };
        // Most rows belong to groups that are known, which all threads find out.
        let mut known = PoolVec::<u8>::new(context.pool(), rows)?;
        context.fill(rows, 1, &mut known, |range, known| {
            for (row, known) in range.zip(known) {
                *known = admitted.contains(keys.row(row, stride), keys.hashes[row]).into();
            }
            Ok(())
        })?;
        let mut fits = rows;
        for (row, _) in known.iter().enumerate().filter(|(_, known)| **known == 0) {
            context.poll_at(row)?;
            if admitted.find(keys.row(row, stride), keys.hashes[row], None, self.room)?.is_none() {
                fits = row;
                break;
            }
        }
        self.admitted = Some(admitted);
        Ok(fits)
    }

    /// The keys of all tables.
    fn all_keys(&self) -> DeviceResult<GroupTable> {
        let mut all = GroupTable::new(self.context.pool(), &self.keys, &[], false)?;
        for table in &self.tables {
            for group in 0..table.len() {
                self.context.poll_at(group)?;
                all.find(table.keys(group), table.hashes[group], None, usize::MAX)?.ok_or_else(too_many)?;
            }
        }
        Ok(all)
    }

    /// Takes in the first rows of a batch.
    fn take_on_threads(&mut self, batch: &Batch, keys: Option<&EncodedKeys>, rows: usize) -> DeviceResult<()> {
        let ranges = self.context.ranges(rows);
        let tables = Mutex::new(std::mem::take(&mut self.tables));
        let this = &*self;
        let done = this.context.tasks_with(
            ranges.len(),
            || tables.lock().pop(),
            |table, task| {
                let table = match table {
                    Some(table) => table,
                    None => table.insert(this.new_thread_table()?),
                };
                this.take_range(table, batch, keys, ranges[task].clone())
            },
            |table| tables.lock().extend(table),
        );
        self.tables = tables.into_inner();
        done
    }

    /// Takes in rows of a range.
    fn take_range(
        &self,
        table: &mut GroupTable,
        batch: &Batch,
        keys: Option<&EncodedKeys>,
        range: Range<usize>,
    ) -> DeviceResult<()> {
        let stride = self.keys.stride;
        let mut groups = Vec::with_capacity(range.len());
        let Some(keys) = keys else {
            return self.take_dense(table, batch, range, groups);
        };
        for row in range.clone() {
            let least = self.least.map(|column| batch.columns[column].word(row));
            let group = table.find(keys.row(row, stride), keys.hashes[row], least, usize::MAX)?;
            groups.push(group.ok_or_else(too_many)?);
        }
        table.grow(self.folds);
        for (column, plan) in table.accumulators.iter_mut().zip(self.folds) {
            column.fold(plan, batch, range.clone(), &groups);
        }
        Ok(())
    }

    /// Takes in rows of a range whose keys have slots.
    fn take_dense(
        &self,
        table: &mut GroupTable,
        batch: &Batch,
        range: Range<usize>,
        mut groups: Vec<u32>,
    ) -> DeviceResult<()> {
        let Some(mut dense) = table.dense.take() else { return Err(internal("a short key without slots")) };
        if !dense.count(batch, range.clone()) {
            dense.groups(batch, range.clone(), &mut groups, |slot| self.group_of_slot(table, slot))?;
            if let Some(column) = self.least {
                for (row, &group) in range.clone().zip(&groups) {
                    let least = &mut table.least[group as usize];
                    *least = batch.columns[column].word(row).min(*least);
                }
            }
            table.grow(self.folds);
            for (column, plan) in table.accumulators.iter_mut().zip(self.folds) {
                column.fold(plan, batch, range.clone(), &groups);
            }
        }
        table.dense = Some(dense);
        Ok(())
    }

    /// The group of a short key's slot; its order value, if it has one, is still to be made less.
    fn group_of_slot(&self, table: &mut GroupTable, slot: usize) -> DeviceResult<u32> {
        let null = self.keys.types()[0].nullable && self.dense_slots == Some(slot + 1);
        let (words, hash) = self.keys.words_of((!null).then_some(slot as u64));
        table.find(&words, hash, self.least.map(|_| u64::MAX), usize::MAX)?.ok_or_else(too_many)
    }

    /// Makes groups of counted rows.
    fn group_counts(&mut self) -> DeviceResult<()> {
        for mut table in std::mem::take(&mut self.tables) {
            let counted = table.dense.as_mut().map(DenseKeys::take_counts).unwrap_or_default();
            for (slot, rows) in counted {
                let group = self.group_of_slot(&mut table, slot)? as usize;
                table.grow(self.folds);
                table.accumulators.iter_mut().for_each(|column| column.add_rows(group, rows));
            }
            self.tables.push(table);
        }
        Ok(())
    }

    /// Merges the tables into one table a partition of the hash.
    fn merged(&mut self, bits: u32) -> DeviceResult<Vec<GroupTable>> {
        let tables = std::mem::take(&mut self.tables);
        if tables.len() == 1 && bits == 0 {
            return Ok(tables);
        }
        let by_partition = |table: &GroupTable| -> DeviceResult<PartitionedRows<u32>> {
            let place = |group: usize| partition(table.hashes[group], bits);
            by_partition(self.context, table.len(), 1 << bits, place, |group| group as u32)
        };
        let parts = tables.iter().map(by_partition).collect::<DeviceResult<Vec<_>>>()?;
        let merged: Vec<Mutex<Option<GroupTable>>> = (0..1usize << bits).map(|_| Mutex::new(None)).collect();
        self.context.tasks(merged.len(), |part| {
            let mut result = self.new_table()?;
            for (table, groups) in tables.iter().zip(&parts) {
                for groups in groups.rows[groups.range(part)].chunks(self.context.task_rows()) {
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
        self.group_counts()?;
        let bits = (self.groups() / PARTITION_GROUPS).max(1).ilog2().min(PARTITION_BITS_MAX);
        let tables = self.merged(bits)?;
        let order = self.order(&tables)?;
        let mut row: Vec<Option<Scalar>> = Vec::new();
        let mut unfit: Option<usize> = None;
        for (number, place) in order.iter().enumerate() {
            if number.is_multiple_of(1024) {
                self.context.poll()?;
            }
            let (table, group) = (&tables[place.table as usize], place.group as usize);
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
    fn order(&self, tables: &[GroupTable]) -> DeviceResult<PoolVec<GroupPlace>> {
        let groups = tables.iter().map(GroupTable::len).sum();
        let mut places = PoolVec::<GroupPlace>::new(self.context.pool(), groups)?;
        let mut rest = &mut places[..];
        let parts: Vec<_> = tables.iter().map(|table| Mutex::new(front(&mut rest, table.len()))).collect();
        self.context.tasks(tables.len(), |number| {
            let table = &tables[number];
            for (group, place) in parts[number].lock().iter_mut().enumerate() {
                self.context.poll_at(group)?;
                let first = table.least.get(group).unwrap_or(&table.hashes[group]);
                *place = GroupPlace { first: *first, table: number as u32, group: group as u32 };
            }
            Ok(())
        })?;
        drop(parts);
        let compare = |a: &GroupPlace, b: &GroupPlace| -> cmp::Ordering {
            let by_hash_and_keys = || {
                let [(one, i), (other, j)] = [a, b].map(|place| (&tables[place.table as usize], place.group as usize));
                let by_hash = one.hashes[i].cmp(&other.hashes[j]);
                by_hash.then_with(|| self.keys.compare(one.keys(i), other.keys(j)))
            };
            a.first.cmp(&b.first).then_with(by_hash_and_keys)
        };
        merge_sort::sorted(self.context, places, compare)
    }

    /// Writes the result of folds over all rows: one row, or the nodes that cover the launch's leaves. As the folds
    /// have no order, the first node holds all rows.
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
