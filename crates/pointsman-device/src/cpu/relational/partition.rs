//! Splits the rows of batches into partitions, each in source order, and yields the end of each partition.

use super::batches::Batches;
use super::columns::{Batch, PoolColumn};
use super::context::RunContext;
use super::index::front;
use super::keys::{KeyLayout, partition, sortable};
use super::pool_memory::PoolVec;
use super::program::{PartitionKeys, RelationalProgram};
use super::row_set::HostColumn;
use crate::DeviceResult;
use crate::cpu::memory::StagedRanges;
use crate::cpu::output::ColumnWriter;
use crate::launch::ColumnInput;
use crate::sync::Mutex;
use bytemuck::Pod;
use pointsman_ir::types::Scalar;
use std::ops::Range;

/// The number of rows that are worth a thread.
const CHUNK_ROWS: usize = 1 << 16;
/// The most lists of rows that all threads together fill.
const LISTS_MAX: usize = 1 << 16;

/// Rows by partition, each partition in order.
pub(super) struct PartitionedRows<T> {
    /// The rows.
    pub(super) rows: PoolVec<T>,
    /// The end of each partition.
    pub(super) ends: Vec<usize>,
}

impl<T> PartitionedRows<T> {
    /// The places of a partition's rows.
    pub(super) fn range(&self, partition: usize) -> Range<usize> {
        partition.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[partition]
    }
}

/// Splits the rows `0..rows`: `partition` gives the partition of a row, `name` stands for the row in the result.
pub(super) fn by_partition<T: Pod + Send>(
    context: RunContext<'_>,
    rows: usize,
    partitions: usize,
    partition: impl Fn(usize) -> usize + Sync,
    name: impl Fn(usize) -> T + Sync,
) -> DeviceResult<PartitionedRows<T>> {
    // Each chunk of rows counts its rows, and then fills its own part of every partition.
    let chunks = (rows / CHUNK_ROWS).min(context.shared.threads * 2).min(LISTS_MAX / partitions).max(1);
    let chunk_rows = rows.div_ceil(chunks);
    let range = |chunk: usize| (chunk * chunk_rows).min(rows)..((chunk + 1) * chunk_rows).min(rows);
    let counts: Vec<Mutex<Vec<usize>>> = (0..chunks).map(|_| Mutex::default()).collect();
    context.tasks(chunks, |chunk| {
        let mut counted = vec![0; partitions];
        for row in range(chunk) {
            context.poll_at(row)?;
            counted[partition(row)] += 1;
        }
        *counts[chunk].lock() = counted;
        Ok(())
    })?;
    let counts: Vec<Vec<usize>> = counts.into_iter().map(Mutex::into_inner).collect();
    let mut result =
        PartitionedRows { rows: PoolVec::new(context.pool(), rows)?, ends: Vec::with_capacity(partitions) };
    let mut rest = &mut result.rows[..];
    let mut lists: Vec<Vec<&mut [T]>> = (0..chunks).map(|_| Vec::with_capacity(partitions)).collect();
    for partition in 0..partitions {
        for (lists, counts) in lists.iter_mut().zip(&counts) {
            lists.push(front(&mut rest, counts[partition]));
        }
        result.ends.push(rows - rest.len());
    }
    let lists: Vec<_> = lists.into_iter().map(Mutex::new).collect();
    context.tasks(chunks, |chunk| {
        let mut lists = lists[chunk].lock();
        for row in range(chunk) {
            context.poll_at(row)?;
            if let Some(to) = lists[partition(row)].split_off_first_mut() {
                *to = name(row);
            }
        }
        Ok(())
    })?;
    drop(lists);
    Ok(result)
}

/// The bounds of a partition by range, as bits that sort as they do; none for one by hash.
struct Bounds(Vec<u128>);

impl Bounds {
    /// The bounds that a launch gives.
    fn read(
        by: &PartitionKeys,
        program: &RelationalProgram,
        lists: &[ColumnInput<'_>],
        context: RunContext<'_>,
        staged: &StagedRanges,
    ) -> DeviceResult<Bounds> {
        let PartitionKeys::Range { list } = by else { return Ok(Bounds(Vec::new())) };
        let ty = program.kernel.lists[*list].required();
        let rows = match &lists[*list] {
            ColumnInput::Host(chunks) => chunks.iter().map(|chunk| chunk.rows).fold(0, usize::saturating_add),
            ColumnInput::Device { rows, .. } => *rows,
        };
        let column = HostColumn::new(&lists[*list], ty, rows, staged)?.copied(context, rows)?;
        let mut bounds = Vec::with_capacity(rows);
        column.each_value(0..rows, |_, low, high| bounds.push(sortable(ty.dtype.repr(), low, high)));
        bounds.sort_unstable();
        Ok(Bounds(bounds))
    }
}

/// The outputs of a partition.
#[derive(Clone, Copy)]
pub(super) struct Placing {
    /// There are 2^bits partitions.
    pub(super) bits: u8,
    /// The number of columns that are written. The keys come after them.
    pub(super) columns: usize,
    /// Whether the partitions' ends are written.
    pub(super) with_ends: bool,
}

/// The rows so far, with their partitions.
pub(super) struct PartitionSink<'p> {
    context: RunContext<'p>,
    by: &'p PartitionKeys,
    bounds: Bounds,
    placing: Placing,
    batches: Batches,
    /// The partition of each row.
    partitions: Vec<PoolVec<u32>>,
}

impl<'p> PartitionSink<'p> {
    /// No rows yet.
    pub(super) fn new(
        context: RunContext<'p>,
        program: &'p RelationalProgram,
        by: &'p PartitionKeys,
        lists: &[ColumnInput<'_>],
        staged: &StagedRanges,
        placing: Placing,
    ) -> DeviceResult<PartitionSink<'p>> {
        let bounds = Bounds::read(by, program, lists, context, staged)?;
        Ok(PartitionSink { context, by, bounds, placing, batches: Batches::default(), partitions: Vec::new() })
    }

    /// Takes in the rows of a batch, which come after all others.
    pub(super) fn take(&mut self, mut batch: Batch) -> DeviceResult<()> {
        let mut partitions = PoolVec::new(self.context.pool(), batch.rows)?;
        let keys = &batch.columns[self.placing.columns..];
        self.context.fill(batch.rows, 1, &mut partitions, |range, partitions| {
            match self.by {
                PartitionKeys::Hash(layout) => self.by_hash(layout, keys, range, partitions),
                PartitionKeys::Range { .. } => self.by_range(&keys[0], range, partitions),
            }
            Ok(())
        })?;
        batch.columns.truncate(self.placing.columns);
        self.partitions.push(partitions);
        self.batches.push(batch)
    }

    fn by_hash(&self, layout: &KeyLayout, keys: &[PoolColumn], rows: Range<usize>, partitions: &mut [u32]) {
        let (mut words, mut hashes) = (vec![0; rows.len() * layout.stride], vec![0; rows.len()]);
        layout.encode(keys, rows, &mut words, &mut hashes);
        for (to, hash) in partitions.iter_mut().zip(hashes) {
            *to = partition(hash, self.placing.bits.into()) as u32;
        }
    }

    fn by_range(&self, key: &PoolColumn, rows: Range<usize>, partitions: &mut [u32]) {
        let (repr, start, last) = (key.ty.dtype.repr(), rows.start, (1u32 << self.placing.bits) - 1);
        key.each_value(rows, |row, low, high| {
            let value = sortable(repr, low, high);
            let below = self.bounds.0.partition_point(|&bound| bound <= value);
            let valid = key.is_valid(row);
            partitions[row - start] = if valid { u32::try_from(below).unwrap_or(last).min(last) } else { 0 };
        });
    }

    /// Writes the rows by partition, and, for a partial result, the ends; how many rows and nodes there are.
    pub(super) fn write(self, outs: &mut [ColumnWriter<'_>]) -> DeviceResult<(usize, usize)> {
        let (batches, rows) = (&self.batches, self.batches.rows());
        let partition = |row: usize| {
            let place = batches.place(row);
            self.partitions[place.batch()][place.row()] as usize
        };
        let order = by_partition(self.context, rows, 1 << self.placing.bits, partition, |row| batches.place(row))?;
        let (row_outs, node_outs) = outs.split_at_mut(self.placing.columns);
        batches.write(self.context, &order.rows, row_outs)?;
        if !self.placing.with_ends {
            return Ok((rows, 0));
        }
        for out in node_outs {
            order.ends.iter().for_each(|&end| out.push(Some(Scalar::U64(end as u64))));
        }
        Ok((rows, order.ends.len()))
    }
}
