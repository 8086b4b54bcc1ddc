//! Indexes over the keys of built tables: in go key columns, out come hash tables that name the rows of a key in order.
//!
//! The rows are split by the highest bits of their hash, and each partition is built by one thread. A slot holds the
//! first entry with some keys, and entries with equal keys are chained in row order, so that equal keys cost no search:
//! rows are put in from the last to the first, each in front of its chain.

use super::columns::PoolColumn;
use super::context::RunContext;
use super::group_table::Reserved;
use super::keys::{KeyLayout, partition, slot};
use crate::launch::IndexKeys;
use crate::sync::{Mutex, RwLock};
use crate::{DeviceError, DeviceResult, IndexId};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::types::DType;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// No entry.
pub(super) const NONE: u32 = u32::MAX;
/// The number of rows per partition that is worth a task.
const PARTITION_ROWS: usize = 1 << 14;
/// The most bits of a partition's number.
const PARTITION_BITS_MAX: u32 = 8;

/// The indexes of a device by handle.
pub(in crate::cpu) type KeyIndexes = RwLock<BTreeMap<IndexId, Arc<KeyIndex>>>;

/// An index over the keys of a table.
pub(in crate::cpu) struct KeyIndex {
    types: Vec<DType>,
    stride: usize,
    /// Rows of keys, by entry.
    words: Vec<u64>,
    /// The row number that a match yields, by entry.
    numbers: Vec<u64>,
    /// The next entry with the same keys.
    next: Vec<u32>,
    partition_bits: u32,
    partitions: Vec<Partition>,
    unique: KeyUniqueness,
    memory: Reserved,
}

/// The slots of a partition: the first entry of each chain.
struct Partition {
    slots: Vec<u32>,
    bits: u32,
}

/// A partition under way, with its entries.
struct PartitionBuilder<'a> {
    rows: &'a [u32],
    first: usize,
    words: &'a mut [u64],
    numbers: &'a mut [u64],
    next: &'a mut [u32],
}

/// Refuses more rows than an index numbers.
pub(super) fn check_rows(rows: usize) -> DeviceResult<()> {
    match rows < NONE as usize {
        true => Ok(()),
        false => Err(DeviceError::unsupported(format!("an index over {rows} rows: it holds at most 2^32 - 2"))),
    }
}

/// Builds an index over columns in host memory, which have the types that `keys` names.
pub(in crate::cpu) fn build(
    context: RunContext<'_>,
    keys: &IndexKeys<'_>,
    columns: &[PoolColumn],
    numbers: Option<&PoolColumn>,
) -> DeviceResult<KeyIndex> {
    let rows = keys.rows;
    let types: Vec<_> = keys.types.iter().map(|ty| ty.required()).collect();
    let layout = KeyLayout::new(&types);
    let stride = layout.stride;
    let row_bytes = stride * 8 + 8 + 4 + 4 * 4;
    // Encoded rows, hashes and the order of rows live only while the index is built.
    let building_bytes = rows.saturating_mul(stride * 8 + 8 + 4);
    let mut memory = Reserved::new(context.pool(), rows.saturating_mul(row_bytes).saturating_add(building_bytes))?;
    let (encoded, hashes) = encode(context, &layout, columns, rows)?;
    let partition_bits = (rows / PARTITION_ROWS).max(1).ilog2().min(PARTITION_BITS_MAX);
    let (order, ends) = by_partition(&hashes, partition_bits);
    let mut index = KeyIndex {
        types: keys.types.to_vec(),
        stride,
        words: vec![0; rows * stride],
        numbers: vec![0; rows],
        next: vec![NONE; rows],
        partition_bits,
        partitions: Vec::new(),
        unique: KeyUniqueness::Unique,
        memory: Reserved::new(context.pool(), 0)?,
    };
    let repeated = AtomicBool::new(false);
    let parts = parts(&mut index, &order, &ends);
    let built: Vec<Mutex<Option<Partition>>> = ends.iter().map(|_| Mutex::new(None)).collect();
    context.tasks(ends.len(), |task| {
        let mut part = parts[task].lock();
        part.copy(&encoded, stride, numbers);
        let partition = part.chain(&hashes, stride, &repeated);
        *built[task].lock() = Some(partition);
        Ok(())
    })?;
    drop(parts);
    index.partitions = built.into_iter().filter_map(Mutex::into_inner).collect();
    if repeated.into_inner() {
        index.unique = KeyUniqueness::Repeated;
    }
    drop((encoded, hashes, order));
    memory.shrink(rows * row_bytes);
    index.memory = memory;
    Ok(index)
}

/// The rows of keys and their hashes.
pub(super) fn encode(
    context: RunContext<'_>,
    layout: &KeyLayout,
    columns: &[PoolColumn],
    rows: usize,
) -> DeviceResult<(Vec<u64>, Vec<u64>)> {
    let (mut words, mut hashes) = (vec![0; rows * layout.stride], vec![0; rows]);
    let ranges = context.ranges(rows);
    let step = context.task_rows();
    let words_of = words.chunks_mut((step * layout.stride).max(1)).map(Some).chain(std::iter::repeat_with(|| None));
    let parts: Vec<_> = hashes.chunks_mut(step).zip(words_of).map(Mutex::new).collect();
    context.tasks(ranges.len(), |task| {
        let mut part = parts[task].lock();
        let (hashes, words) = &mut *part;
        layout.encode(columns, ranges[task].clone(), words.as_deref_mut().unwrap_or(&mut []), hashes);
        Ok(())
    })?;
    drop(parts);
    Ok((words, hashes))
}

/// The rows by partition, in order, and where each partition ends.
fn by_partition(hashes: &[u64], bits: u32) -> (Vec<u32>, Vec<usize>) {
    let mut ends = vec![0; 1 << bits];
    hashes.iter().for_each(|&hash| ends[partition(hash, bits)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += *end;
        *end = start - *end;
    }
    let mut order = vec![0; hashes.len()];
    for (row, &hash) in hashes.iter().enumerate() {
        let place = &mut ends[partition(hash, bits)];
        order[*place] = row as u32;
        *place += 1;
    }
    (order, ends)
}

/// The parts of an index that each partition fills.
fn parts<'a>(index: &'a mut KeyIndex, order: &'a [u32], ends: &[usize]) -> Vec<Mutex<PartitionBuilder<'a>>> {
    let stride = index.stride;
    let (mut words, mut numbers, mut next) = (&mut index.words[..], &mut index.numbers[..], &mut index.next[..]);
    let mut first = 0;
    let part = |&end: &usize| {
        let rows = &order[first..end];
        let (own_words, rest) = std::mem::take(&mut words).split_at_mut(rows.len() * stride);
        words = rest;
        let (own_numbers, rest) = std::mem::take(&mut numbers).split_at_mut(rows.len());
        numbers = rest;
        let (own_next, rest) = std::mem::take(&mut next).split_at_mut(rows.len());
        next = rest;
        let part = PartitionBuilder { rows, first, words: own_words, numbers: own_numbers, next: own_next };
        first = end;
        Mutex::new(part)
    };
    ends.iter().map(part).collect()
}

impl PartitionBuilder<'_> {
    /// Copies the keys and numbers of the partition's rows.
    fn copy(&mut self, encoded: &[u64], stride: usize, numbers: Option<&PoolColumn>) {
        for (entry, &row) in self.rows.iter().enumerate() {
            let row = row as usize;
            self.words[entry * stride..(entry + 1) * stride]
                .copy_from_slice(&encoded[row * stride..(row + 1) * stride]);
            self.numbers[entry] = numbers.map_or(row as u64, |numbers| numbers.word(row));
        }
    }

    /// Chains the entries with equal keys.
    fn chain(&mut self, hashes: &[u64], stride: usize, repeated: &AtomicBool) -> Partition {
        let bits = (self.rows.len() * 2).next_power_of_two().ilog2();
        let mut slots = vec![NONE; 1 << bits];
        let mask = slots.len() - 1;
        for entry in (0..self.rows.len()).rev() {
            let keys = &self.words[entry * stride..(entry + 1) * stride];
            let mut at = slot(hashes[self.rows[entry] as usize], bits);
            loop {
                let head = slots[at];
                if head == NONE {
                    break;
                }
                let other = head as usize - self.first;
                if self.words[other * stride..(other + 1) * stride] == *keys {
                    self.next[entry] = head;
                    repeated.store(true, Ordering::Relaxed);
                    break;
                }
                at = (at + 1) & mask;
            }
            slots[at] = (self.first + entry) as u32;
        }
        Partition { slots, bits }
    }
}

impl KeyIndex {
    /// The types of its keys.
    pub(in crate::cpu) fn types(&self) -> &[DType] {
        &self.types
    }

    /// Whether two rows have the same keys.
    pub(in crate::cpu) fn unique(&self) -> KeyUniqueness {
        self.unique
    }

    /// The memory that it takes.
    pub(in crate::cpu) fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// The first entry with these keys, or [`NONE`].
    #[inline]
    pub(super) fn first(&self, keys: &[u64], hash: u64) -> u32 {
        let Some(partition) = self.partitions.get(partition(hash, self.partition_bits)) else { return NONE };
        let mask = partition.slots.len() - 1;
        let mut at = slot(hash, partition.bits);
        loop {
            let head = partition.slots[at];
            if head == NONE || self.words[head as usize * self.stride..][..self.stride] == *keys {
                return head;
            }
            at = (at + 1) & mask;
        }
    }

    /// The next entry with the same keys, or [`NONE`].
    #[inline]
    pub(super) fn next(&self, entry: u32) -> u32 {
        self.next[entry as usize]
    }

    /// The row number that an entry yields.
    #[inline]
    pub(super) fn number(&self, entry: u32) -> u64 {
        self.numbers[entry as usize]
    }
}
