//! A hash table that maps rows of keys to group numbers and holds the groups' accumulators.

use super::accumulators::{Accumulators, FoldPlan};
use super::dense_keys::DenseKeys;
use super::keys::{KeyLayout, slot};
use super::pool_memory::{Reserved, reserve_to};
use crate::DeviceResult;
use crate::host_pool::HostPool;
use std::sync::Arc;

/// A free slot.
const FREE: u32 = u32::MAX;
/// The number of groups for which a new table has room.
const GROUPS_MIN: usize = 32;
/// The maximum number of groups of a table.
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
    has_least: bool,
    /// Slots for each value of a short key, beside or in place of the hash table.
    pub(super) dense: Option<DenseKeys>,
    memory: Reserved,
}

impl GroupTable {
    /// A table without groups.
    pub(super) fn new(
        pool: &Arc<HostPool>,
        layout: &KeyLayout,
        folds: &[FoldPlan],
        has_least: bool,
    ) -> DeviceResult<GroupTable> {
        let accumulators = folds.iter().map(FoldPlan::accumulators).collect();
        // Keys, hash, order value, and up to four slots a group.
        let row_bytes = layout.stride * 8 + 16 + 16 + folds.iter().map(FoldPlan::bytes).sum::<usize>();
        let memory = Reserved::new(pool, GROUPS_MIN * 2 * row_bytes)?;
        let mut table = GroupTable {
            stride: layout.stride,
            keys: Vec::new(),
            hashes: Vec::new(),
            least: Vec::new(),
            accumulators,
            slots: vec![FREE; GROUPS_MIN * 2],
            slot_bits: (GROUPS_MIN * 2).ilog2(),
            row_bytes,
            has_least,
            dense: None,
            memory,
        };
        table.reserve(GROUPS_MIN)?;
        Ok(table)
    }

    /// Adds slots for each value of a short key.
    pub(super) fn add_dense_keys(&mut self, slots: usize, only_counts: bool) -> DeviceResult<()> {
        self.memory.add(DenseKeys::bytes(slots, only_counts))?;
        self.dense = Some(DenseKeys::new(slots, only_counts));
        Ok(())
    }

    /// The number of groups.
    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// The keys of a group.
    pub(super) fn keys(&self, group: usize) -> &[u64] {
        &self.keys[group * self.stride..(group + 1) * self.stride]
    }

    /// The group with these keys; a new one, with `least`, if there is none. `None` if it would be the `room`-th and
    /// one more.
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

    /// Whether there is a group with these keys.
    #[inline]
    pub(super) fn contains(&self, keys: &[u64], hash: u64) -> bool {
        let mask = self.slots.len() - 1;
        let mut at = slot(hash, self.slot_bits);
        loop {
            match self.slots[at] {
                FREE => return false,
                group if self.hashes[group as usize] == hash && self.keys(group as usize) == keys => return true,
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Doubles the slots, and makes room for half as many groups.
    #[cold]
    fn double(&mut self) -> DeviceResult<()> {
        let slots = self.slots.len() * 2;
        // Counts room for the slots' number of groups, twice what the table holds: columns are copied as they grow.
        self.memory.add(slots / 2 * self.row_bytes)?;
        self.reserve(slots / 2)?;
        reserve_to(&mut self.slots, slots)?;
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

    /// Makes room for a number of groups, so that adding them allocates nothing.
    fn reserve(&mut self, groups: usize) -> DeviceResult<()> {
        reserve_to(&mut self.keys, (groups + 1) * self.stride)?;
        reserve_to(&mut self.hashes, groups + 1)?;
        if self.has_least {
            reserve_to(&mut self.least, groups + 1)?;
        }
        self.accumulators.iter_mut().try_for_each(|column| column.reserve(groups + 1))
    }

    /// Adds accumulators of nothing for all groups that have none.
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
}
