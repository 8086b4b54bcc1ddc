//! [`SumCache`]: prepared sums by the size of the axis, the step and the type, so that equal calls prepare nothing.
//!
//! It holds at most [`ENTRIES_MAX`] sums and [`CACHE_BYTES_MAX`] bytes, and drops the sums that were not used for the
//! longest time.

use super::lag_sum::Prepared;
use crate::error::Result;
use crate::number::Real;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The most memory of prepared weights that an operator keeps: the transforms of those of a few million points.
const CACHE_BYTES_MAX: usize = 128 << 20;

/// The most prepared sums that an operator keeps, since a look-up compares all of them.
const ENTRIES_MAX: usize = 64;

/// The sizes of the axes, and the steps that the weights depend on: zeros, if they depend on none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SumKey {
    pub(super) sizes: [usize; 2],
    pub(super) steps: [f64; 2],
}

/// A prepared sum of one type.
struct Entry {
    key: SumKey,
    sum: Arc<dyn Any + Send + Sync>,
    bytes: usize,
}

/// Prepared sums.
pub(super) struct SumCache {
    /// The last used at the end.
    entries: Mutex<Vec<Entry>>,
    bytes_max: usize,
}

impl Default for SumCache {
    fn default() -> SumCache {
        SumCache { entries: Mutex::default(), bytes_max: CACHE_BYTES_MAX }
    }
}

impl SumCache {
    /// The sum for these sizes and steps, which `prepare` makes if it is not there.
    pub(super) fn get<R: Real>(
        &self,
        key: SumKey,
        prepare: impl FnOnce() -> Result<Prepared<R>>,
    ) -> Result<Arc<Prepared<R>>> {
        let found = {
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            let is_it = |entry: &Entry| entry.key == key && entry.sum.is::<Prepared<R>>();
            entries.iter().position(is_it).map(|place| {
                let entry = entries.remove(place);
                let sum = entry.sum.clone();
                entries.push(entry);
                sum
            })
        };
        if let Some(sum) = found.and_then(|sum| sum.downcast().ok()) {
            return Ok(sum);
        }
        // Nobody waits for the weights of somebody else; the same ones may be made twice.
        let sum = Arc::new(prepare()?);
        let bytes = sum.bytes();
        if bytes > self.bytes_max {
            return Ok(sum);
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { key, sum: sum.clone(), bytes });
        let mut total: usize = entries.iter().map(|entry| entry.bytes).sum();
        let mut count = entries.len();
        entries.retain(|entry| {
            let is_kept = total <= self.bytes_max && count <= ENTRIES_MAX;
            if !is_kept {
                total -= entry.bytes;
                count -= 1;
            }
            is_kept
        });
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fractional::parts::Threads;
    use crate::fractional::sums;
    use std::cell::Cell;

    #[test]
    fn the_sums_that_were_not_used_for_the_longest_time_are_dropped() -> Result<()> {
        let session = pointsman::SessionOptions::new().threads(1).open()?;
        let prepared = Cell::new(0);
        let cache = SumCache { bytes_max: 2500, ..SumCache::default() };
        // A hundred weights of eight bytes each, or of four.
        let get = |size: usize| {
            let key = SumKey { sizes: [1, size], steps: [0.0; 2] };
            cache.get::<f64>(key, || {
                prepared.set(prepared.get() + 1);
                Prepared::new(&session, sums::grunwald_letnikov(Threads::all(), 0.5, 100), size)
            })
        };
        for (size, expected) in [(100, 1), (101, 2), (102, 3), (100, 3), (103, 4), (100, 4), (102, 4), (101, 5)] {
            get(size)?;
            assert_eq!(prepared.get(), expected, "after size {size}");
        }
        let key = SumKey { sizes: [1, 100], steps: [0.0; 2] };
        let single = || Prepared::<f32>::new(&session, sums::grunwald_letnikov(Threads::all(), 0.5, 100), 100);
        assert!(cache.get(key, single)?.bytes() == 400);
        assert!(cache.entries.lock().is_ok_and(|entries| entries.len() == 3));
        for step in 0..200 {
            let key = SumKey { sizes: [1, 1], steps: [f64::from(step), 0.0] };
            cache.get(key, || Prepared::<f32>::new(&session, sums::grunwald_letnikov(Threads::all(), 0.5, 1), 1))?;
        }
        assert!(cache.entries.lock().is_ok_and(|entries| entries.len() == ENTRIES_MAX));
        // A sum that is larger than the cache replaces nothing.
        let key = SumKey { sizes: [1, 1000], ..key };
        cache.get(key, || Prepared::<f64>::new(&session, sums::grunwald_letnikov(Threads::all(), 0.5, 1000), 1000))?;
        assert!(cache.entries.lock().is_ok_and(|entries| entries.len() == ENTRIES_MAX));
        Ok(())
    }
}
