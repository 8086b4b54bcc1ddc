//! [`ResidentTable`]: which columns are on a device, what each copy saves, and which goes first.
//!
//! A copy that is used saves the time it would take to bring the column over. Its worth is that time for each use, the
//! older the use the less (half after [`HALF_LIFE`] uses of the table), by the bytes it takes. The least worth goes first.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// After so many uses of any columns, a use counts for half.
const HALF_LIFE: f64 = 32.0;

/// Columns by the numbers of their tags.
pub(super) struct ResidentTable<C> {
    entries: BTreeMap<u64, ResidentEntry<C>>,
    /// Copies that were taken out while queries read them, with their bytes: those are taken until the last query is done.
    leaving: Vec<(Weak<C>, u64)>,
    /// Uses of all columns so far.
    uses: u64,
}

struct ResidentEntry<C> {
    copy: Arc<C>,
    bytes: u64,
    /// What a use saves, in seconds.
    saves: f64,
    /// Uses, each as much as it counted at the last one.
    weight: f64,
    last_use: u64,
    is_pinned: bool,
}

/// Retention columns may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retention {
    /// Those that were kept on the way.
    Cached,
    /// Those that somebody asked to keep.
    Pinned,
}

/// How many columns there are, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct HeldBytes {
    pub(super) columns: usize,
    pub(super) bytes: u64,
}

impl<C> Default for ResidentTable<C> {
    fn default() -> ResidentTable<C> {
        ResidentTable { entries: BTreeMap::new(), leaving: Vec::new(), uses: 0 }
    }
}

/// How much of a use is left after so many others.
fn fades(uses: u64) -> f64 {
    (-(uses as f64) / HALF_LIFE).exp2()
}

impl<C> ResidentEntry<C> {
    /// Seconds saved by each byte, as things are now.
    fn worth(&self, now: u64) -> f64 {
        self.saves * self.weight * fades(now - self.last_use) / self.bytes.max(1) as f64
    }

    fn is(&self, which: Retention) -> bool {
        self.is_pinned == (which == Retention::Pinned)
    }

    /// Whether no query reads it now: only then does its going free memory.
    fn is_idle(&self) -> bool {
        Arc::strong_count(&self.copy) == 1
    }
}

impl<C> ResidentTable<C> {
    /// A column's copy, for a look.
    pub(super) fn peek(&self, number: u64) -> Option<&Arc<C>> {
        self.entries.get(&number).map(|entry| &entry.copy)
    }

    /// A column's copy, for a use.
    pub(super) fn take(&mut self, number: u64) -> Option<Arc<C>> {
        self.uses += 1;
        let entry = self.entries.get_mut(&number)?;
        entry.weight = entry.weight * fades(self.uses - entry.last_use) + 1.0;
        entry.last_use = self.uses;
        Some(entry.copy.clone())
    }

    /// Adds a column that was used once, and that is not there.
    pub(super) fn insert(&mut self, number: u64, copy: Arc<C>, bytes: u64, saves: f64, which: Retention) {
        self.uses += 1;
        let is_pinned = which == Retention::Pinned;
        let entry = ResidentEntry { copy, bytes, saves, weight: 1.0, last_use: self.uses, is_pinned };
        self.entries.insert(number, entry);
    }

    /// Keeps a column for good; whether it is there.
    pub(super) fn pin(&mut self, number: u64) -> bool {
        let entry = self.entries.get_mut(&number);
        entry.map(|entry| entry.is_pinned = true).is_some()
    }

    /// Takes a column out. Its bytes count until nobody reads it.
    pub(super) fn remove(&mut self, number: u64) -> Option<Arc<C>> {
        let entry = self.entries.remove(&number)?;
        self.leaving.retain(|(copy, _)| copy.strong_count() > 0);
        if !entry.is_idle() {
            self.leaving.push((Arc::downgrade(&entry.copy), entry.bytes));
        }
        Some(entry.copy)
    }

    /// Takes all columns out.
    pub(super) fn clear(&mut self) -> Vec<Arc<C>> {
        std::mem::take(&mut self.entries).into_values().map(|entry| entry.copy).collect()
    }

    /// What is there.
    pub(super) fn held(&self, which: Retention) -> HeldBytes {
        self.count(|_, entry| entry.is(which))
    }

    /// Bytes of all columns, those included that were taken out and that queries still read.
    pub(super) fn bytes(&self) -> u64 {
        let leaving = self.leaving.iter().filter(|(copy, _)| copy.strong_count() > 0);
        self.count(|_, _| true).bytes + leaving.map(|(_, bytes)| bytes).sum::<u64>()
    }

    /// Bytes that could be freed, but for those of these columns.
    pub(super) fn idle_bytes(&self, which: Retention, but: &[u64]) -> u64 {
        self.count(|number, entry| entry.is(which) && entry.is_idle() && !but.contains(&number)).bytes
    }

    /// Bytes that are worth less than a column of so many bytes, used once now, a use of which saves so much.
    pub(super) fn lesser_bytes(&self, bytes: u64, saves: f64) -> u64 {
        let worth = saves / bytes.max(1) as f64;
        self.count(|_, entry| entry.is(Retention::Cached) && entry.is_idle() && entry.worth(self.uses + 1) < worth)
            .bytes
    }

    fn count(&self, counts: impl Fn(u64, &ResidentEntry<C>) -> bool) -> HeldBytes {
        let some = self.entries.iter().filter(|(number, entry)| counts(**number, entry));
        some.fold(HeldBytes::default(), |held, (_, entry)| HeldBytes {
            columns: held.columns + 1,
            bytes: held.bytes + entry.bytes,
        })
    }

    /// Takes out the least worthy columns that nobody reads, but for these, until so many bytes are freed.
    pub(super) fn evict(&mut self, bytes: u64, which: Retention, but: &[u64]) -> Vec<Arc<C>> {
        let may_go =
            |(number, entry): &(&u64, &ResidentEntry<C>)| entry.is(which) && entry.is_idle() && !but.contains(number);
        let mut order: Vec<(f64, u64)> =
            self.entries.iter().filter(may_go).map(|(&number, entry)| (entry.worth(self.uses), number)).collect();
        order.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let (mut freed, mut gone) = (0, Vec::new());
        for (_, number) in order {
            if freed >= bytes {
                break;
            }
            if let Some(entry) = self.entries.remove(&number) {
                freed += entry.bytes;
                gone.push(entry.copy);
            }
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Columns of 100 bytes that save a second each, by these numbers.
    fn table(numbers: std::ops::Range<u64>) -> ResidentTable<u64> {
        let mut table = ResidentTable::default();
        numbers.for_each(|number| table.insert(number, Arc::new(number), 100, 1.0, Retention::Cached));
        table
    }

    /// The columns that go, in order.
    fn order(table: &mut ResidentTable<u64>) -> Vec<u64> {
        table.evict(u64::MAX, Retention::Cached, &[]).iter().map(|copy| **copy).collect()
    }

    #[test]
    fn the_least_used_goes_first_and_of_those_the_oldest() {
        let mut table = table(0..4);
        for number in [0, 0, 0, 3, 2, 2] {
            table.take(number).unwrap();
        }
        assert_eq!(order(&mut table), [1, 3, 2, 0]);
    }

    #[test]
    fn what_saves_more_by_the_byte_stays() {
        let mut table = ResidentTable::default();
        for (number, bytes, saves) in [(0, 100, 1.0), (1, 10, 1.0), (2, 1000, 5.0), (3, 1000, 50.0)] {
            table.insert(number, Arc::new(number), bytes, saves, Retention::Cached);
        }
        assert_eq!(order(&mut table), [2, 0, 3, 1]);
    }

    #[test]
    fn old_uses_count_for_less_and_less() {
        let mut table = table(0..2);
        (0..20).for_each(|_| drop(table.take(0)));
        (0..2).for_each(|_| drop(table.take(1)));
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(1)], "20 uses against 3");
        let mut table = self::table(0..2);
        (0..20).for_each(|_| drop(table.take(0)));
        (0..5 * HALF_LIFE as u64).for_each(|_| drop(table.take(9)));
        (0..2).for_each(|_| drop(table.take(1)));
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(0)], "20 uses long ago against 3");
    }

    #[test]
    fn what_is_read_or_pinned_or_excepted_stays() {
        let mut table = table(0..5);
        let read = table.take(0).unwrap();
        assert!(table.pin(1) && !table.pin(77));
        assert_eq!((table.idle_bytes(Retention::Cached, &[2]), table.bytes()), (200, 500));
        assert_eq!(table.evict(u64::MAX, Retention::Cached, &[2]), [Arc::new(3), Arc::new(4)]);
        drop(read);
        assert_eq!(table.evict(1, Retention::Cached, &[]), [Arc::new(2)], "as much as is needed, and no more");
        assert_eq!(order(&mut table), [0]);
        assert_eq!(table.held(Retention::Pinned), HeldBytes { columns: 1, bytes: 100 });
        assert_eq!(table.evict(1, Retention::Pinned, &[]), [Arc::new(1)]);
        assert_eq!(table.bytes(), 0);
    }

    #[test]
    fn what_queries_read_takes_memory_until_they_are_done() {
        let mut table = table(0..3);
        let [read, again] = [(); 2].map(|()| table.take(1).unwrap());
        drop((table.remove(0), table.remove(1)));
        assert_eq!((table.bytes(), table.idle_bytes(Retention::Cached, &[])), (200, 100));
        drop(read);
        assert_eq!(table.bytes(), 200);
        drop(again);
        assert_eq!(table.bytes(), 100);
    }

    /// Each is looked at once, not once for each that goes before it: that would be forty thousand million looks.
    #[test]
    fn many_columns_go_in_the_time_that_it_takes_to_order_them() {
        let (mut table, start) = (table(0..200_000), std::time::Instant::now());
        assert_eq!(order(&mut table).len(), 200_000);
        assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
    }
}
