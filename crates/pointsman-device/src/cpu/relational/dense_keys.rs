//! Groups by one key of 8 or 16 bits: a slot for each value the key can have, in place of a hash table. In: batches of
//! rows. Out: the group of each row; or, where nothing but rows is counted, counts that become groups at the end.

use super::columns::{Batch, PoolColumn};
use super::keys::KeyLayout;
use std::ops::Range;

/// A slot without a group.
const FREE: u32 = u32::MAX;
/// Rows in a row that count in different places: equal keys that follow each other do not wait for each other.
const LANES: usize = 4;

/// The slots of a thread's table.
pub(super) struct DenseKeys {
    /// The number of slots; the last one is null's if the key can be null.
    slots: usize,
    /// The group of each slot; empty if rows are counted.
    groups: Vec<u32>,
    /// Counts by lane and slot; empty unless rows are counted.
    counts: Vec<u64>,
}

impl DenseKeys {
    /// Slots without groups. `only_counts`: all folds count rows, and groups have no order of their own.
    pub(super) fn new(slots: usize, only_counts: bool) -> DenseKeys {
        let (groups, counts) = if only_counts { (0, LANES * slots) } else { (slots, 0) };
        DenseKeys { slots, groups: vec![FREE; groups], counts: vec![0; counts] }
    }

    /// Bytes of the slots, before they are made.
    pub(super) fn bytes(slots: usize, only_counts: bool) -> usize {
        if only_counts { LANES * slots * size_of::<u64>() } else { slots * size_of::<u32>() }
    }

    /// Counts rows of a batch; `false` if this is not what these slots do.
    pub(super) fn count(&mut self, batch: &Batch, range: Range<usize>) -> bool {
        if self.counts.is_empty() {
            return false;
        }
        let (slots, counts) = (self.slots, &mut self.counts[..]);
        each_slot(&batch.columns[1], slots, range, |row, slot| counts[row % LANES * slots + slot] += 1);
        true
    }

    /// Appends the group of each row of a batch; `find` makes the group of a slot that has none.
    pub(super) fn groups<E>(
        &mut self,
        batch: &Batch,
        range: Range<usize>,
        found: &mut Vec<u32>,
        mut find: impl FnMut(usize) -> Result<u32, E>,
    ) -> Result<(), E> {
        let (groups, mut outcome) = (&mut self.groups[..], Ok(()));
        each_slot(&batch.columns[1], self.slots, range, |_, slot| {
            if groups[slot] == FREE && outcome.is_ok() {
                match find(slot) {
                    Ok(group) => groups[slot] = group,
                    Err(error) => outcome = Err(error),
                }
            }
            found.push(groups[slot]);
        });
        outcome
    }

    /// The slots with rows, and how many; the counts start afresh.
    pub(super) fn take_counts(&mut self) -> Vec<(usize, u64)> {
        let slots = if self.counts.is_empty() { 0 } else { self.slots };
        let count = |slot: usize| (0..LANES).map(|lane| self.counts[lane * slots + slot]).sum::<u64>();
        let counted = (0..slots).map(|slot| (slot, count(slot))).filter(|(_, count)| *count > 0).collect();
        self.counts.fill(0);
        counted
    }
}

/// Calls `f` with the number of each row and its slot.
#[inline(always)]
fn each_slot(column: &PoolColumn, slots: usize, range: Range<usize>, mut f: impl FnMut(usize, usize)) {
    if column.is_nullable() {
        column.each_value(range, |row, low, _| f(row, if column.is_valid(row) { low as usize } else { slots - 1 }));
    } else {
        column.each_value(range, |row, low, _| f(row, low as usize));
    }
}

impl KeyLayout {
    /// The number of slots for one key of 8 or 16 bits; `None` for other keys.
    pub(super) fn dense_slots(&self) -> Option<usize> {
        let [ty] = self.types() else { return None };
        let values = match ty.dtype.repr().bytes() {
            1 => 1 << 8,
            2 => 1 << 16,
            _ => return None,
        };
        Some(values + usize::from(ty.nullable))
    }
}
