//! [`QueryProfile`]: statistics over repeated runs of a query: times, bandwidth, operations, batch sizes.

use crate::json::{JsonObject, array};
use crate::text::time;
use std::fmt;
use std::time::Duration;

/// The result of `Session::profile`: statistics over repeated runs of a query. `Display` prints it as text,
/// [`QueryProfile::to_json`] returns JSON.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryProfile {
    /// The device that ran the query.
    pub device: String,
    /// The number of measured runs.
    pub iterations: usize,
    /// Rows of the source.
    pub rows: usize,
    /// The mean time of a run.
    pub mean: Duration,
    /// The shortest time of a run.
    pub min: Duration,
    /// The longest time of a run.
    pub max: Duration,
    /// The standard deviation of the times.
    pub deviation: Duration,
    /// The median time.
    pub p50: Duration,
    /// The 90th percentile of the times.
    pub p90: Duration,
    /// The 99th percentile of the times.
    pub p99: Duration,
    /// Bytes that kernels read and wrote in a run, divided by the mean time; 0 if no time passed.
    pub bytes_per_second: f64,
    /// Operations on values in a run, estimated from the kernels that read the source, divided by the mean time; 0 if
    /// no time passed.
    pub operations_per_second: f64,
    /// The measured batch sizes; the first is that of the runs above. Empty for devices that do not run in batches.
    pub batches: Vec<BatchTime>,
}

/// The time of runs with one batch size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchTime {
    /// The largest number of rows in a batch.
    pub rows: usize,
    /// The mean time of a run.
    pub mean: Duration,
}

/// The counters of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) device: String,
    pub(crate) rows: usize,
    pub(crate) bytes: u64,
    pub(crate) operations: f64,
}

impl QueryProfile {
    /// Computes the statistics; `times` must not be empty.
    pub(crate) fn new(mut times: Vec<Duration>, counted: Counted, batches: Vec<BatchTime>) -> QueryProfile {
        times.sort_unstable();
        let mean = mean(&times);
        let rank = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
        let square = |time: &Duration| (time.as_secs_f64() - mean.as_secs_f64()).powi(2);
        let variance = times.iter().map(square).sum::<f64>() / times.len() as f64;
        let per_second = |amount: f64| if mean.is_zero() { 0.0 } else { amount / mean.as_secs_f64() };
        QueryProfile {
            device: counted.device,
            iterations: times.len(),
            rows: counted.rows,
            mean,
            min: times[0],
            max: times[times.len() - 1],
            deviation: Duration::from_secs_f64(variance.sqrt()),
            p50: rank(50),
            p90: rank(90),
            p99: rank(99),
            bytes_per_second: per_second(counted.bytes as f64),
            operations_per_second: per_second(counted.operations),
            batches,
        }
    }

    /// Returns the measured batch size with the shortest mean time.
    pub fn best_batch_rows(&self) -> Option<usize> {
        self.batches.iter().min_by_key(|batch| batch.mean).map(|batch| batch.rows)
    }

    /// Returns the profile as one JSON object with a member for each field (times in nanoseconds: `mean_ns`; batches as
    /// `{"rows": …, "mean_ns": …}`) and `best_batch_rows`, which is null if no batches were measured.
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.text("device", &self.device).raw("iterations", self.iterations).raw("rows", self.rows);
        for (name, time) in self.times() {
            json.raw(&format!("{name}_ns"), time.as_nanos());
        }
        json.raw("bytes_per_second", self.bytes_per_second).raw("operations_per_second", self.operations_per_second);
        let batch =
            |batch: &BatchTime| JsonObject::new().raw("rows", batch.rows).raw("mean_ns", batch.mean.as_nanos()).end();
        json.raw("batches", array(self.batches.iter().map(batch)));
        json.optional("best_batch_rows", self.best_batch_rows()).end()
    }

    fn times(&self) -> [(&'static str, Duration); 7] {
        let QueryProfile { mean, min, max, deviation, p50, p90, p99, .. } = *self;
        [("mean", mean), ("min", min), ("max", max), ("deviation", deviation), ("p50", p50), ("p90", p90), ("p99", p99)]
    }
}

/// Returns the mean of times; zero if there are none.
pub(crate) fn mean(times: &[Duration]) -> Duration {
    let nanoseconds: u128 = times.iter().map(Duration::as_nanos).sum();
    Duration::from_nanos((nanoseconds / times.len().max(1) as u128) as u64)
}

impl fmt::Display for QueryProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} runs over {} rows on {}", self.iterations, self.rows, self.device)?;
        f.write_str("times   ")?;
        self.times().iter().try_for_each(|(name, own)| write!(f, " {name} {}", time(*own)))?;
        write!(f, "\nspeed    {:.2} GB/s, ", self.bytes_per_second / 1e9)?;
        write!(f, "{:.2} G operations/s", self.operations_per_second / 1e9)?;
        for BatchTime { rows, mean } in &self.batches {
            write!(f, "\nbatches  of {rows} rows: mean {}", time(*mean))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn statistics_of_known_times() {
        let times = (1..=200).rev().map(Duration::from_millis).collect();
        let counted = Counted { device: "cpu".to_string(), rows: 10, bytes: 1_005_000, operations: 201.0 };
        let profile = QueryProfile::new(times, counted, Vec::new());
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        assert_eq!([profile.mean, profile.min, profile.max].map(ms), [100.5, 1.0, 200.0]);
        assert_eq!([profile.p50, profile.p90, profile.p99].map(ms), [100.0, 180.0, 198.0]);
        // The deviation of 1, 2, … n is √((n² − 1) / 12).
        assert!((ms(profile.deviation) - (39_999f64 / 12.0).sqrt()).abs() < 1e-6);
        assert!((profile.bytes_per_second - 1e7).abs() < 1.0 && (profile.operations_per_second - 2000.0).abs() < 1e-6);
        let json: serde_json::Value = serde_json::from_str(&profile.to_json()).unwrap();
        assert_eq!((&json["p90_ns"], &json["best_batch_rows"]), (&180_000_000.into(), &serde_json::Value::Null));
        assert!(
            profile.to_string().contains("p99 198.00 ms") || profile.to_string().contains("p99 0.20 s"),
            "{profile}"
        );
    }

    #[test]
    fn one_run_of_zero_time_is_valid() {
        let batches = [7, 3, 5].map(|ms| BatchTime { rows: ms as usize, mean: Duration::from_millis(ms) }).to_vec();
        let profile = QueryProfile::new(vec![Duration::ZERO], Counted { bytes: 8, ..Counted::default() }, batches);
        assert_eq!((profile.p50, profile.p99, profile.bytes_per_second), (Duration::ZERO, Duration::ZERO, 0.0));
        assert_eq!(profile.best_batch_rows(), Some(3));
    }
}
