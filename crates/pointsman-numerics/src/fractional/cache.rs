//! [`SumCache`]: prepared sums by the size of the axis, the step and the type, so that equal calls prepare nothing.
//!
//! It holds at most [`CACHE_BYTES_MAX`] and drops the sums that were not used for the longest time.

use super::lag_sum::Prepared;
use crate::error::Result;
use crate::number::Real;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// The most memory of prepared weights that an operator keeps: the transforms of those of a few million points.
const CACHE_BYTES_MAX: usize = 128 << 20;

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

/// Prepared sums, the last used at the end.
#[derive(Default)]
pub(super) struct SumCache(Mutex<Vec<Entry>>);

impl SumCache {
    /// The sum for these sizes and steps, which `prepare` makes if it is not there.
    pub(super) fn get<R: Real>(
        &self,
        key: SumKey,
        prepare: impl FnOnce() -> Result<Prepared<R>>,
    ) -> Result<Arc<Prepared<R>>> {
        let found = {
            let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.push(Entry { key, sum: sum.clone(), bytes });
        let mut total: usize = entries.iter().map(|entry| entry.bytes).sum();
        entries.retain(|entry| {
            let is_kept = total <= CACHE_BYTES_MAX;
            if !is_kept {
                total -= entry.bytes;
            }
            is_kept
        });
        Ok(sum)
    }
}
