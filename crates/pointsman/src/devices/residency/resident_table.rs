//! [`ResidentTable`]: the resident columns of a device, and their eviction order.
//!
//! A use of a resident copy saves the time of an upload. The value of a copy is that time, summed over its uses and
//! divided by its bytes; a use counts half after [`HALF_LIFE`] further uses of the table. The least valuable copy is
//! evicted first.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The number of uses of the table after which a use counts half.
const HALF_LIFE: f64 = 32.0;

/// The resident columns by their ids.
pub(super) struct ResidentTable<C> {
    entries: BTreeMap<u64, ResidentEntry<C>>,
    /// The sums over all entries of a kind.
    cached: HeldBytes,
    pinned: HeldBytes,
    /// Copies that were removed while queries read them, with their bytes, which count until the last query ends.
    removed_in_use: Vec<(Weak<C>, u64)>,
    /// The number of uses of all columns so far.
    uses: u64,
}

/// A column that becomes resident.
pub(super) struct NewColumn<C> {
    pub(super) copy: Arc<C>,
    pub(super) bytes: u64,
    /// The seconds that a use saves.
    pub(super) seconds_saved: f64,
    /// What it counts as used so far.
    pub(super) uses: f64,
    pub(super) retention: Retention,
}

struct ResidentEntry<C> {
    /// Its `uses` have decayed, as of the last one.
    column: NewColumn<C>,
    last_use: u64,
}

/// Why a column is resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retention {
    /// A query used it, and it may be used again.
    Cached,
    /// The user asked to keep it.
    Pinned,
}

/// A number of columns and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeldBytes {
    pub(super) columns: usize,
    pub(super) bytes: u64,
}

impl<C> Default for ResidentTable<C> {
    fn default() -> ResidentTable<C> {
        let (cached, pinned) = (HeldBytes::default(), HeldBytes::default());
        ResidentTable { entries: BTreeMap::new(), cached, pinned, removed_in_use: Vec::new(), uses: 0 }
    }
}

/// The weight of a use after this many later ones.
fn decay(uses: u64) -> f64 {
    (-(uses as f64) / HALF_LIFE).exp2()
}

impl<C> ResidentEntry<C> {
    /// The value of the copy now, in seconds per byte.
    fn value(&self, now: u64) -> f64 {
        self.column.value() * decay(now - self.last_use)
    }

    /// Whether no query reads it now; only then does evicting it free memory.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.column.copy) == 1
    }
}

impl<C> NewColumn<C> {
    /// The value of the copy at its last use, in seconds per byte.
    fn value(&self) -> f64 {
        self.seconds_saved * self.uses / self.bytes.max(1) as f64
    }
}

impl HeldBytes {
    fn add(&mut self, bytes: u64) {
        *self = HeldBytes { columns: self.columns + 1, bytes: self.bytes + bytes };
    }

    fn subtract(&mut self, bytes: u64) {
        *self = HeldBytes { columns: self.columns - 1, bytes: self.bytes - bytes };
    }
}

impl<C> ResidentTable<C> {
    /// Returns the copy of a column without counting a use.
    pub(super) fn get(&self, number: u64) -> Option<&Arc<C>> {
        self.entries.get(&number).map(|entry| &entry.column.copy)
    }

    /// Returns the copy of a column and counts a use.
    pub(super) fn get_for_use(&mut self, number: u64) -> Option<Arc<C>> {
        self.uses += 1;
        let entry = self.entries.get_mut(&number)?;
        entry.column.uses = entry.column.uses * decay(self.uses - entry.last_use) + 1.0;
        entry.last_use = self.uses;
        Some(entry.column.copy.clone())
    }

    /// Inserts a column that is not in the table.
    pub(super) fn insert(&mut self, number: u64, column: NewColumn<C>) {
        self.uses += 1;
        self.held(column.retention).add(column.bytes);
        self.entries.insert(number, ResidentEntry { column, last_use: self.uses });
    }

    /// The sums of a kind.
    fn held(&mut self, which: Retention) -> &mut HeldBytes {
        match which {
            Retention::Cached => &mut self.cached,
            Retention::Pinned => &mut self.pinned,
        }
    }

    /// Pins a column; returns whether it is in the table.
    pub(super) fn pin(&mut self, number: u64) -> bool {
        let Some(column) = self.entries.get_mut(&number).map(|entry| &mut entry.column) else { return false };
        let (bytes, before) = (column.bytes, std::mem::replace(&mut column.retention, Retention::Pinned));
        self.held(before).subtract(bytes);
        self.pinned.add(bytes);
        true
    }

    /// Removes a column. Its bytes count until no query reads it.
    pub(super) fn remove(&mut self, number: u64) -> Option<Arc<C>> {
        let entry = self.take(number)?;
        self.removed_in_use.retain(|(copy, _)| copy.strong_count() > 0);
        if !entry.is_idle() {
            self.removed_in_use.push((Arc::downgrade(&entry.column.copy), entry.column.bytes));
        }
        Some(entry.column.copy)
    }

    /// Takes a column out of the table.
    fn take(&mut self, number: u64) -> Option<ResidentEntry<C>> {
        let entry = self.entries.remove(&number)?;
        self.held(entry.column.retention).subtract(entry.column.bytes);
        Some(entry)
    }

    /// Removes all columns.
    pub(super) fn clear(&mut self) -> Vec<Arc<C>> {
        (self.cached, self.pinned) = (HeldBytes::default(), HeldBytes::default());
        std::mem::take(&mut self.entries).into_values().map(|entry| entry.column.copy).collect()
    }

    /// The number and the bytes of the columns of a kind.
    pub(super) fn totals(&self, which: Retention) -> HeldBytes {
        match which {
            Retention::Cached => self.cached,
            Retention::Pinned => self.pinned,
        }
    }

    /// The bytes of all columns, including removed ones that queries still read.
    pub(super) fn bytes(&self) -> u64 {
        let in_use = self.removed_in_use.iter().filter(|(copy, _)| copy.strong_count() > 0);
        self.cached.bytes + self.pinned.bytes + in_use.map(|(_, bytes)| *bytes).sum::<u64>()
    }

    /// The bytes that evicting all idle columns except these would free.
    pub(super) fn evictable_bytes(&self, which: Retention, except: &[u64]) -> u64 {
        self.evictable(which, except).map(|(_, entry)| entry.column.bytes).sum()
    }

    /// The evictable bytes of cached columns that are less valuable than a new column.
    pub(super) fn bytes_worth_less(&self, new: &NewColumn<C>) -> u64 {
        let cached = self.evictable(Retention::Cached, &[]).map(|(_, entry)| entry);
        cached.filter(|entry| entry.value(self.uses + 1) < new.value()).map(|entry| entry.column.bytes).sum()
    }

    /// The idle columns except these.
    fn evictable(&self, which: Retention, except: &[u64]) -> impl Iterator<Item = (&u64, &ResidentEntry<C>)> {
        self.entries
            .iter()
            .filter(move |(id, entry)| entry.column.retention == which && entry.is_idle() && !except.contains(id))
    }

    /// Removes the least valuable idle columns except these, until `bytes` are freed.
    pub(super) fn evict(&mut self, bytes: u64, which: Retention, except: &[u64]) -> Vec<Arc<C>> {
        if bytes == 0 {
            return Vec::new();
        }
        let by_value = |(&number, entry): (&u64, &ResidentEntry<C>)| (entry.value(self.uses), number);
        let mut order: Vec<(f64, u64)> = self.evictable(which, except).map(by_value).collect();
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let (mut freed, mut evicted) = (0, Vec::new());
        for (_, number) in order {
            if freed >= bytes {
                break;
            }
            if let Some(ResidentEntry { column, .. }) = self.take(number) {
                freed += column.bytes;
                evicted.push(column.copy);
            }
        }
        evicted
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn column(number: u64, bytes: u64, seconds_saved: f64) -> NewColumn<u64> {
        NewColumn { copy: Arc::new(number), bytes, seconds_saved, uses: 1.0, retention: Retention::Cached }
    }

    /// A table of columns of 100 bytes, a use of which saves a second.
    fn table(numbers: std::ops::Range<u64>) -> ResidentTable<u64> {
        let mut table = ResidentTable::default();
        numbers.for_each(|number| table.insert(number, column(number, 100, 1.0)));
        table
    }

    /// Evicts all columns; returns their ids in order.
    fn eviction_order(table: &mut ResidentTable<u64>) -> Vec<u64> {
        table.evict(u64::MAX, Retention::Cached, &[]).iter().map(|copy| **copy).collect()
    }

    #[test]
    fn evicts_least_used_first_then_oldest() {
        let mut table = table(0..4);
        for number in [0, 0, 0, 3, 2, 2] {
            table.get_for_use(number).unwrap();
        }
        assert_eq!(eviction_order(&mut table), [1, 3, 2, 0]);
    }

    #[test]
    fn evicts_lowest_saving_per_byte_first() {
        let mut table = ResidentTable::default();
        for (number, bytes, seconds) in [(0, 100, 1.0), (1, 10, 1.0), (2, 1000, 5.0), (3, 1000, 50.0)] {
            table.insert(number, column(number, bytes, seconds));
        }
        assert_eq!(eviction_order(&mut table), [2, 0, 3, 1]);
    }

    #[test]
    fn old_uses_decay() {
        let mut table = table(0..2);
        (0..20).for_each(|_| drop(table.get_for_use(0)));
        (0..2).for_each(|_| drop(table.get_for_use(1)));
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(1)], "20 uses against 3");
        let mut table = self::table(0..2);
        (0..20).for_each(|_| drop(table.get_for_use(0)));
        (0..5 * HALF_LIFE as u64).for_each(|_| drop(table.get_for_use(9)));
        (0..2).for_each(|_| drop(table.get_for_use(1)));
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(0)], "20 uses long ago against 3");
    }

    #[test]
    fn columns_in_use_pinned_or_excepted_are_not_evicted() {
        let mut table = table(0..5);
        let read = table.get_for_use(0).unwrap();
        assert!(table.pin(1) && !table.pin(77));
        assert_eq!((table.evictable_bytes(Retention::Cached, &[2]), table.bytes()), (200, 500));
        assert_eq!(table.evict(u64::MAX, Retention::Cached, &[2]), [Arc::new(3), Arc::new(4)]);
        drop(read);
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(2)], "no more than needed");
        assert_eq!(eviction_order(&mut table), [0]);
        assert_eq!(table.totals(Retention::Pinned), HeldBytes { columns: 1, bytes: 100 });
        assert_eq!(table.evict(1, Retention::Pinned, &[]), [Arc::new(1)]);
        assert_eq!(table.bytes(), 0);
    }

    #[test]
    fn removed_column_counts_until_its_readers_end() {
        let mut table = table(0..3);
        let [read, again] = [(); 2].map(|()| table.get_for_use(1).unwrap());
        drop((table.remove(0), table.remove(1)));
        assert_eq!((table.bytes(), table.evictable_bytes(Retention::Cached, &[])), (200, 100));
        drop(read);
        assert_eq!(table.bytes(), 200);
        drop(again);
        assert_eq!(table.bytes(), 100);
    }

    /// Eviction sorts once; a linear search for each evicted column would take 40 thousand million steps.
    #[test]
    fn evicting_many_columns_is_not_quadratic() {
        let (mut table, start) = (table(0..200_000), std::time::Instant::now());
        assert_eq!(eviction_order(&mut table).len(), 200_000);
        assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
