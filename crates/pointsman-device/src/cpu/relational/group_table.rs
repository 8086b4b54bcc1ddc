//! A hash table of groups: in go rows of keys, out come group numbers, with the accumulators beside them.

use super::accumulators::{Accumulators, FoldPlan};
use super::keys::{KeyLayout, partition, slot};
use crate::DeviceResult;
use crate::host_pool::HostPool;
use std::sync::Arc;

/// A free slot.
const FREE: u32 = u32::MAX;
/// The most groups of a table.
const GROUPS_MAX: usize = u32::MAX as usize - 1;

/// The groups found so far, in the order in which they were found.
pub(super) struct GroupTable {
    stride: usize,
    keys: Vec<u64>,
    /// The hash of each group's keys.
    pub(super) hashes: Vec<u64>,
    /// The smallest order value of each group; empty if the groups have no order of their own.
    pub(super) least: Vec<u64>,
    /// A column of accumulators a fold.
    pub(super) accumulators: Vec<Accumulators>,
    /// Slots with the number of a group, searched from the place that the hash gives.
    slots: Vec<u32>,
    slot_bits: u32,
    row_bytes: usize,
    memory: Reserved,
}

/// Memory that counts in a pool and is allocated elsewhere.
pub(super) struct Reserved {
    pool: Arc<HostPool>,
    bytes: usize,
}

impl Reserved {
    /// Reserves some bytes.
    pub(super) fn new(pool: &Arc<HostPool>, bytes: usize) -> DeviceResult<Reserved> {
        pool.reserve(bytes)?;
        Ok(Reserved { pool: pool.clone(), bytes })
    }

    /// Reserves more.
    pub(super) fn add(&mut self, bytes: usize) -> DeviceResult<()> {
        self.pool.reserve(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Releases all but some bytes.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let excess = self.bytes.saturating_sub(bytes);
        self.pool.release(excess);
        self.bytes -= excess;
    }

    /// The number of bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.pool.release(self.bytes);
    }
}

impl GroupTable {
    /// A table without groups.
    pub(super) fn new(pool: &Arc<HostPool>, layout: &KeyLayout, folds: &[FoldPlan]) -> DeviceResult<GroupTable> {
        let accumulators = folds.iter().map(FoldPlan::accumulators).collect();
        // Keys, hash, order value, and up to four slots a group.
        let row_bytes = layout.stride * 8 + 16 + 16 + folds.iter().map(FoldPlan::bytes).sum::<usize>();
        Ok(GroupTable {
            stride: layout.stride,
            keys: Vec::new(),
            hashes: Vec::new(),
            least: Vec::new(),
            accumulators,
            slots: vec![FREE; 64],
            slot_bits: 6,
            row_bytes,
            memory: Reserved::new(pool, 64 * row_bytes)?,
        })
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The keys of a group.
    pub(super) fn keys(&self, group: usize) -> &[u64] {
        &self.keys[group * self.stride..(group + 1) * self.stride]
    }

    /// The group with these keys; a new one, with `least`, if there is none. `None` if it would be the `room`-th and one
    /// more.
    #[inline]
    pub(super) fn find(
        &mut self,
        keys: &[u64],
        hash: u64,
        least: Option<u64>,
        room: usize,
    ) -> DeviceResult<Option<u32>> {
        let mask = self.slots.len() - 1;
        let mut at = slot(hash, self.slot_bits);
        loop {
            let group = self.slots[at];
            if group == FREE {
                break;
            }
            if self.hashes[group as usize] == hash && self.keys(group as usize) == keys {
                if let Some(least) = least {
                    let known = &mut self.least[group as usize];
                    *known = least.min(*known);
                }
                return Ok(Some(group));
            }
            at = (at + 1) & mask;
        }
        if self.len() >= room.min(GROUPS_MAX) {
            return Ok(None);
        }
        self.slots[at] = self.len() as u32;
        self.keys.extend_from_slice(keys);
        self.hashes.push(hash);
        self.least.extend(least);
        if self.len() * 2 > self.slots.len() {
            self.double()?;
        }
        Ok(Some(self.len() as u32 - 1))
    }

    /// Doubles the slots.
    #[cold]
    fn double(&mut self) -> DeviceResult<()> {
        let slots = self.slots.len() * 2;
        self.memory.add(slots / 2 * self.row_bytes)?;
        self.slot_bits += 1;
        self.slots.clear();
        self.slots.resize(slots, FREE);
        for (group, &hash) in self.hashes.iter().enumerate() {
            let mut at = slot(hash, self.slot_bits);
            while self.slots[at] != FREE {
                at = (at + 1) & (slots - 1);
            }
            self.slots[at] = group as u32;
        }
        Ok(())
    }

    /// Makes room for the accumulators of all groups.
    pub(super) fn grow(&mut self, folds: &[FoldPlan]) {
        let groups = self.len();
        for (column, plan) in self.accumulators.iter_mut().zip(folds) {
            column.grow(plan, groups);
        }
    }

    /// Takes in groups of another table.
    pub(super) fn merge(
        &mut self,
        folds: &[FoldPlan],
        other: &GroupTable,
        groups: impl Iterator<Item = usize>,
    ) -> DeviceResult<()> {
        for from in groups {
            let least = other.least.get(from).copied();
            let Some(group) = self.find(other.keys(from), other.hashes[from], least, usize::MAX)? else {
                return Err(crate::DeviceError::unsupported("more than 2^32 groups"));
            };
            self.grow_to(folds, group as usize + 1);
            for ((own, plan), theirs) in self.accumulators.iter_mut().zip(folds).zip(&other.accumulators) {
                own.combine(plan, group as usize, theirs, from);
            }
        }
        Ok(())
    }

    fn grow_to(&mut self, folds: &[FoldPlan], groups: usize) {
        if groups == self.len() {
            self.grow(folds);
        }
    }

    /// The groups of each of 2^`bits` partitions, one partition after the other, and where each ends.
    pub(super) fn by_partition(&self, bits: u32) -> (Vec<u32>, Vec<usize>) {
        let mut ends = vec![0; 1 << bits];
        self.hashes.iter().for_each(|&hash| ends[partition(hash, bits)] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += *end;
            *end = start - *end;
        }
        let mut groups = vec![0; self.len()];
        for (group, &hash) in self.hashes.iter().enumerate() {
            let place = &mut ends[partition(hash, bits)];
            groups[*place] = group as u32;
            *place += 1;
        }
        (groups, ends)
    }
}
