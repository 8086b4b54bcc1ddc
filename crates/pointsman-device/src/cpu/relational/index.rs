//! Indexes over the keys of built tables: hash tables from key to row numbers, in order.
//!
//! The rows are split by the highest bits of their hash, and each partition is built by one thread. Equal keys share an
//! entry, and the numbers of an entry's rows lie next to each other, in row order: finding all matches of a row, or
//! going on after the first million of them, is one search.

use super::columns::PoolColumn;
use super::context::RunContext;
use super::keys::{EncodedKeys, KeyLayout, partition, slot};
use super::partition::{PartitionedRows, by_partition};
use super::pool_memory::PoolVec;
use crate::launch::IndexKeys;
use crate::sync::{Mutex, RwLock};
use crate::{DeviceError, DeviceResult, IndexId};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::types::DType;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No entry.
pub(super) const NONE: u32 = u32::MAX;
/// The number of rows per partition that is worth a task.
const PARTITION_ROWS: usize = 1 << 14;
/// The most bits of a partition's number.
const PARTITION_BITS_MAX: u32 = 8;

/// The indexes of a device by handle.
pub(in crate::cpu) type KeyIndexes = RwLock<BTreeMap<IndexId, Arc<KeyIndex>>>;

/// An index over the keys of a table. The entries of a partition begin at the number of rows before it.
pub(in crate::cpu) struct KeyIndex {
    types: Vec<DType>,
    stride: usize,
    /// The keys of each entry.
    words: PoolVec<u64>,
    /// The numbers that matches yield, by entry.
    numbers: PoolVec<u64>,
    /// The end of each entry's row numbers, which is the start of the next entry's. `None` if every entry has one
    /// number.
    ends: Option<PoolVec<u32>>,
    /// The slots of all partitions, one after the other: entries.
    slots: PoolVec<u32>,
    partition_bits: u32,
    partitions: Vec<PartitionSlots>,
    distinct: usize,
}

/// The slots of a partition.
#[derive(Clone, Copy)]
struct PartitionSlots {
    first: usize,
    bits: u32,
}

/// The rows that match a row: their numbers lie from `start` on.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Matches {
    /// The place of the first number.
    pub(super) start: u32,
    /// The number of matches.
    pub(super) count: u32,
}

// SAFETY: two numbers that may be zero.
unsafe impl bytemuck::Zeroable for Matches {}
// SAFETY: two numbers of the same size in the order of `repr(C)`, so there is no padding, and any bytes are valid.
unsafe impl bytemuck::Pod for Matches {}

/// A partition in progress, with its part of the index.
struct PartitionBuilder<'a> {
    rows: &'a [u32],
    first: usize,
    words: &'a mut [u64],
    numbers: &'a mut [u64],
    ends: &'a mut [u32],
    slots: &'a mut [u32],
    bits: u32,
    /// The entry of each row, counted from the partition's first.
    entries: &'a mut [u32],
}

/// Refuses more rows than an index numbers.
pub(super) fn check_rows(rows: usize) -> DeviceResult<()> {
    match rows < NONE as usize {
        true => Ok(()),
        false => Err(DeviceError::unsupported(format!("an index over {rows} rows: it holds at most 2^32 - 2"))),
    }
}

/// Builds an index over columns in host memory, which have the types that `keys` names.
pub(super) fn build(
    context: RunContext<'_>,
    keys: &IndexKeys<'_>,
    columns: Vec<PoolColumn>,
    numbers: Option<&PoolColumn>,
) -> DeviceResult<KeyIndex> {
    let (rows, pool) = (keys.rows, context.pool());
    let types: Vec<_> = keys.types.iter().map(|ty| ty.required()).collect();
    let layout = KeyLayout::new(&types);
    let stride = layout.stride;
    let encoded = EncodedKeys::of(context, &layout, &columns, rows)?;
    drop(columns);
    let partition_bits = (rows / PARTITION_ROWS).max(1).ilog2().min(PARTITION_BITS_MAX);
    let place = |row: usize| partition(encoded.hashes[row], partition_bits);
    let order: PartitionedRows<u32> = by_partition(context, rows, 1 << partition_bits, place, |row| row as u32)?;
    let mut slots = 0;
    let partition = |number: usize| {
        let bits = (order.range(number).len() * 2).next_power_of_two().ilog2();
        slots += 1 << bits;
        PartitionSlots { first: slots - (1 << bits), bits }
    };
    let partitions: Vec<PartitionSlots> = (0..1 << partition_bits).map(partition).collect();
    let mut index = KeyIndex {
        types: keys.types.to_vec(),
        stride,
        words: PoolVec::new(pool, rows * stride)?,
        numbers: PoolVec::new(pool, rows)?,
        ends: None,
        slots: PoolVec::new(pool, slots)?,
        partition_bits,
        partitions,
        distinct: 0,
    };
    let (mut ends, mut entries) = (PoolVec::new(pool, rows)?, PoolVec::new(pool, rows)?);
    let distinct = AtomicUsize::new(0);
    let parts = parts(&mut index, &order, &mut ends, &mut entries);
    context.tasks(parts.len(), |task| {
        let mut part = parts[task].lock();
        let entries = part.enter(context, &encoded, stride)?;
        distinct.fetch_add(entries, Ordering::Relaxed);
        part.place(context, entries, numbers)
    })?;
    drop(parts);
    index.distinct = distinct.into_inner();
    index.ends = (index.distinct < rows).then_some(ends);
    Ok(index)
}

/// The parts of an index that each partition fills.
fn parts<'a>(
    index: &'a mut KeyIndex,
    order: &'a PartitionedRows<u32>,
    ends: &'a mut [u32],
    entries: &'a mut [u32],
) -> Vec<Mutex<PartitionBuilder<'a>>> {
    let stride = index.stride;
    let (mut words, mut numbers, mut slots) = (&mut index.words[..], &mut index.numbers[..], &mut index.slots[..]);
    let (mut ends, mut entries) = (ends, entries);
    let part = |(number, partition): (usize, &PartitionSlots)| {
        let range = order.range(number);
        let rows = &order.rows[range.clone()];
        Mutex::new(PartitionBuilder {
            rows,
            first: range.start,
            words: front(&mut words, rows.len() * stride),
            numbers: front(&mut numbers, rows.len()),
            ends: front(&mut ends, rows.len()),
            slots: front(&mut slots, 1 << partition.bits),
            bits: partition.bits,
            entries: front(&mut entries, rows.len()),
        })
    };
    index.partitions.iter().enumerate().map(part).collect()
}

/// Splits off the first elements.
pub(super) fn front<'a, T>(rest: &mut &'a mut [T], len: usize) -> &'a mut [T] {
    let (front, behind) = std::mem::take(rest).split_at_mut(len);
    *rest = behind;
    front
}

impl PartitionBuilder<'_> {
    /// Gives each row the entry of its keys, and counts the rows of each entry; how many entries there are.
    fn enter(&mut self, context: RunContext<'_>, encoded: &EncodedKeys, stride: usize) -> DeviceResult<usize> {
        let mask = self.slots.len() - 1;
        self.slots.fill(NONE);
        let mut entries = 0;
        for (at, &row) in self.rows.iter().enumerate() {
            context.poll_at(at)?;
            let keys = encoded.row(row as usize, stride);
            let mut place = slot(encoded.hashes[row as usize], self.bits);
            let entry = loop {
                let head = self.slots[place];
                if head == NONE {
                    self.slots[place] = (self.first + entries) as u32;
                    self.words[entries * stride..(entries + 1) * stride].copy_from_slice(keys);
                    self.ends[entries] = 0;
                    entries += 1;
                    break entries - 1;
                }
                let entry = head as usize - self.first;
                if self.words[entry * stride..(entry + 1) * stride] == *keys {
                    break entry;
                }
                place = (place + 1) & mask;
            };
            self.ends[entry] += 1;
            self.entries[at] = entry as u32;
        }
        Ok(entries)
    }

    /// Brings the numbers of each entry's rows together.
    fn place(&mut self, context: RunContext<'_>, entries: usize, numbers: Option<&PoolColumn>) -> DeviceResult<()> {
        let mut start = self.first as u32;
        for (entry, end) in self.ends[..entries].iter_mut().enumerate() {
            context.poll_at(entry)?;
            start += *end;
            *end = start - *end;
        }
        // Entries that are not used keep the rule that the next one begins where one ends.
        self.ends[entries..].fill(start);
        for (at, (&row, &entry)) in self.rows.iter().zip(&*self.entries).enumerate() {
            context.poll_at(at)?;
            let end = &mut self.ends[entry as usize];
            let number = numbers.map_or(row.into(), |numbers| numbers.word(row as usize));
            self.numbers[*end as usize - self.first] = number;
            *end += 1;
        }
        Ok(())
    }
}

impl KeyIndex {
    /// The types of its keys.
    pub(in crate::cpu) fn types(&self) -> &[DType] {
        &self.types
    }

    /// Whether two rows have the same keys.
    pub(in crate::cpu) fn unique(&self) -> KeyUniqueness {
        if self.ends.is_some() { KeyUniqueness::Repeated } else { KeyUniqueness::Unique }
    }

    /// The number of distinct keys.
    pub(in crate::cpu) fn distinct(&self) -> usize {
        self.distinct
    }

    /// The memory that it takes.
    pub(in crate::cpu) fn bytes(&self) -> usize {
        let ends = self.ends.as_ref().map_or(0, PoolVec::bytes);
        self.words.bytes() + self.numbers.bytes() + self.slots.bytes() + ends
    }

    /// Writes the entry of each row of keys, or [`NONE`]. A row's keys are the first of its `stride` words.
    pub(super) fn find(&self, words: &[u64], stride: usize, hashes: &[u64], found: &mut [u32]) {
        // The first pass only reads slots, so that the processor waits for many of them at once.
        for (found, &hash) in found.iter_mut().zip(hashes) {
            let partition = self.partitions[partition(hash, self.partition_bits)];
            *found = self.slots[partition.first + slot(hash, partition.bits)];
        }
        for (row, found) in found.iter_mut().enumerate() {
            let keys = &words[row * stride..][..self.stride];
            if *found != NONE && !self.has(*found, keys) {
                *found = self.search_on(keys, hashes[row]);
            }
        }
    }

    /// The entry of keys that are not in the first slot of their hash, or [`NONE`].
    fn search_on(&self, keys: &[u64], hash: u64) -> u32 {
        let PartitionSlots { first, bits } = self.partitions[partition(hash, self.partition_bits)];
        let slots = &self.slots[first..first + (1 << bits)];
        let mut at = slot(hash, bits);
        loop {
            at = (at + 1) & (slots.len() - 1);
            if slots[at] == NONE || self.has(slots[at], keys) {
                return slots[at];
            }
        }
    }

    #[inline(always)]
    fn has(&self, entry: u32, keys: &[u64]) -> bool {
        match keys {
            [key] => self.words[entry as usize] == *key,
            keys => self.words[entry as usize * keys.len()..][..keys.len()] == *keys,
        }
    }

    /// The matches of an entry, or of [`NONE`].
    #[inline]
    pub(super) fn matches(&self, entry: u32) -> Matches {
        match &self.ends {
            _ if entry == NONE => Matches { start: 0, count: 0 },
            None => Matches { start: entry, count: 1 },
            Some(ends) => {
                let start = entry.checked_sub(1).map_or(0, |before| ends[before as usize]);
                Matches { start, count: ends[entry as usize] - start }
            }
        }
    }

    /// The number of an entry's first row.
    #[inline]
    pub(super) fn first_number(&self, entry: u32) -> u64 {
        self.numbers[self.matches(entry).start as usize]
    }

    /// The numbers that matches yield.
    pub(super) fn numbers(&self) -> &[u64] {
        &self.numbers
    }
}
