//! `Session::profile`: runs a query repeatedly, and measures the times.

use super::Session;
use crate::error::Result;
use crate::query::values::{Folds, Values};
use crate::query::{Query, Reduction};
use crate::telemetry::profile::{BatchTime, Counted, QueryProfile, mean};
use crate::telemetry::receipt::{Answer, Receipt};
use pointsman_ir::kernel::LEAF_ROWS;
use std::time::Duration;

/// The number of batch sizes that are measured, including the whole; each is half of the previous one.
const BATCH_SIZES: usize = 5;

/// An argument of [`Session::profile`]: a [`Query`], a [`Reduction`], or a closure that runs something, such as
/// `|| prepared.run(&x, 2.0)`. The trait is sealed.
pub trait Repeatable {
    /// Runs it once, in batches of at most `batch_rows` rows if it supports that, and returns the receipt.
    #[doc(hidden)]
    fn once(&self, batch_rows: Option<usize>) -> Result<Receipt>;

    /// Whether `batch_rows` has an effect.
    #[doc(hidden)]
    fn takes_batch_rows(&self) -> bool {
        true
    }
}

impl<R: Values> Repeatable for Query<'_, R> {
    fn once(&self, batch_rows: Option<usize>) -> Result<Receipt> {
        self.bound.once(batch_rows)
    }
}

impl<F: Folds> Repeatable for Reduction<'_, F> {
    fn once(&self, batch_rows: Option<usize>) -> Result<Receipt> {
        self.bound.once(batch_rows)
    }
}

impl<T, F: Fn() -> Result<Answer<T>>> Repeatable for F {
    fn once(&self, _: Option<usize>) -> Result<Receipt> {
        self().map(|answer| answer.into_parts().1)
    }

    fn takes_batch_rows(&self) -> bool {
        false
    }
}

impl Session {
    /// Runs a query once to compile it, and then `iterations` times (at least once) to measure it with the session's
    /// clock. On a device with memory of its own it also measures batches of half, a quarter, … of the rows, as often
    /// each.
    #[doc(alias = "benchmark")]
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// let s = pointsman::Session::open()?;
    /// let x = vec![1.0f32; 100_000];
    /// let profile = s.profile(&s.from(&x).map(|x| x * 2.0), 20)?;
    /// assert!(profile.min <= profile.p50 && profile.p50 <= profile.max);
    /// println!("{profile}");
    /// let sum = s.prepare(|x: pointsman::F32| x.sum())?;
    /// println!("{}", s.profile(&|| sum.run(&x), 100)?.p99.as_nanos());
    /// # Ok(())
    /// # }
    /// ```
    pub fn profile(&self, query: &impl Repeatable, iterations: usize) -> Result<QueryProfile> {
        let warm = query.once(None)?;
        let (times, receipt) = self.times(query, iterations, None)?;
        let counted = Counted {
            device: receipt.device().to_string(),
            rows: receipt.rows_in(),
            bytes: receipt.bytes_read() + receipt.bytes_written(),
            operations: receipt.info.operations_per_row * receipt.rows_in() as f64,
        };
        let has_own_memory = self.0.selector.handle(receipt.device()).is_ok_and(|handle| !handle.host_memory);
        let batches = if has_own_memory && query.takes_batch_rows() {
            self.batch_times(query, iterations, &warm, mean(&times))?
        } else {
            Vec::new()
        };
        Ok(QueryProfile::new(times, counted, batches))
    }

    /// The times of the runs, and the receipt of the last.
    fn times(
        &self,
        query: &impl Repeatable,
        iterations: usize,
        batch_rows: Option<usize>,
    ) -> Result<(Vec<Duration>, Receipt)> {
        let mut times = Vec::new();
        loop {
            let start = self.0.clock.now();
            let receipt = query.once(batch_rows)?;
            times.push(self.0.clock.now().saturating_sub(start));
            if times.len() >= iterations {
                return Ok((times, receipt));
            }
        }
    }

    /// The times of runs in smaller and smaller batches, after those of the size that the device chose.
    fn batch_times(
        &self,
        query: &impl Repeatable,
        iterations: usize,
        chosen: &Receipt,
        chosen_mean: Duration,
    ) -> Result<Vec<BatchTime>> {
        let each = chosen.rows_in().div_ceil((chosen.batches() / chosen.stages().len().max(1)).max(1));
        let mut batches = vec![BatchTime { rows: each, mean: chosen_mean }];
        let mut rows = each;
        while batches.len() < BATCH_SIZES && rows > LEAF_ROWS {
            rows = (rows / 2).next_multiple_of(LEAF_ROWS);
            let (times, _) = self.times(query, iterations, Some(rows))?;
            batches.push(BatchTime { rows, mean: mean(&times) });
        }
        Ok(batches)
    }
}
