//! [`QueryProfile`]: how long a query takes, run after run, and how much it moves and computes meanwhile.

use super::json::{JsonObject, array};
use super::line::time;
use std::fmt;
use std::time::Duration;

/// How long a query takes: what `Session::profile` measured. `Display` for people, [`QueryProfile::to_json`] for machines.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct QueryProfile {
    /// The device that ran it.
    pub device: String,
    /// How many runs were measured.
    pub iterations: usize,
    /// Rows of the source.
    pub rows: usize,
    /// The mean of their times.
    pub mean: Duration,
    /// The shortest.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// Their standard deviation.
    pub deviation: Duration,
    /// Half of them took at most so long.
    pub p50: Duration,
    /// Nine of ten took at most so long.
    pub p90: Duration,
    /// 99 of 100 took at most so long.
    pub p99: Duration,
    /// Bytes that kernels read and wrote, a second of the mean; 0 where no time passed.
    pub bytes_per_second: f64,
    /// Operations on values, estimated from the kernels that read the source, a second of the mean; 0 where no time
    /// passed.
    pub operations_per_second: f64,
    /// The sizes of batches that were measured: the first is that of the runs above. Empty for devices that take no
    /// batches.
    pub batches: Vec<BatchTime>,
}

/// What runs in batches of one size took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchTime {
    /// The most rows of a batch.
    pub rows: usize,
    /// The mean time of a run.
    pub mean: Duration,
}

/// What was counted in each run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counted {
    pub(crate) device: String,
    pub(crate) rows: usize,
    pub(crate) bytes: u64,
    pub(crate) operations: f64,
}

impl QueryProfile {
    /// The profile of these times, of which there is at least one.
    pub(crate) fn new(mut times: Vec<Duration>, counted: Counted, batches: Vec<BatchTime>) -> QueryProfile {
        times.sort_unstable();
        let mean = mean(&times);
        let rank = |percent: usize| times[(times.len() * percent).div_ceil(100).max(1) - 1];
        let square = |time: &Duration| (time.as_secs_f64() - mean.as_secs_f64()).powi(2);
        let variance = times.iter().map(square).sum::<f64>() / times.len() as f64;
        let a_second = |amount: f64| if mean.is_zero() { 0.0 } else { amount / mean.as_secs_f64() };
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
            bytes_per_second: a_second(counted.bytes as f64),
            operations_per_second: a_second(counted.operations),
            batches,
        }
    }

    /// The size of batches with the shortest mean, among those that were measured.
    pub fn best_batch_rows(&self) -> Option<usize> {
        self.batches.iter().min_by_key(|batch| batch.mean).map(|batch| batch.rows)
    }

    /// The profile as one JSON object, with a member for each field: times in nanoseconds (`mean_ns`), batches as
    /// `{"rows": …, "mean_ns": …}`; and `best_batch_rows`, null where no batches were measured.
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        json.text("device", &self.device).raw("iterations", self.iterations).raw("rows", self.rows);
        for (name, time) in self.times() {
            json.raw(&format!("{name}_ns"), time.as_nanos());
        }
        json.raw("bytes_per_second", self.bytes_per_second).raw("operations_per_second", self.operations_per_second);
        let batch = |one: &BatchTime| JsonObject::new().raw("rows", one.rows).raw("mean_ns", one.mean.as_nanos()).end();
        json.raw("batches", array(self.batches.iter().map(batch)));
        let best = self.best_batch_rows().map_or_else(|| "null".to_string(), |rows| rows.to_string());
        json.raw("best_batch_rows", best).end()
    }

    fn times(&self) -> [(&'static str, Duration); 7] {
        let QueryProfile { mean, min, max, deviation, p50, p90, p99, .. } = *self;
        [("mean", mean), ("min", min), ("max", max), ("deviation", deviation), ("p50", p50), ("p90", p90), ("p99", p99)]
    }
}

/// The mean of some times; of none, no time.
pub(crate) fn mean(times: &[Duration]) -> Duration {
    let nanoseconds: u128 = times.iter().map(Duration::as_nanos).sum();
    Duration::from_nanos((nanoseconds / times.len().max(1) as u128) as u64)
}

impl fmt::Display for QueryProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} runs over {} rows on {}", self.iterations, self.rows, self.device)?;
        f.write_str("times   ")?;
        self.times().iter().try_for_each(|(name, one)| write!(f, " {name} {}", time(*one)))?;
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
    fn figures_are_those_of_the_times() {
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
    fn one_run_and_no_time_are_no_trouble() {
        let batches = [7, 3, 5].map(|ms| BatchTime { rows: ms as usize, mean: Duration::from_millis(ms) }).to_vec();
        let profile = QueryProfile::new(vec![Duration::ZERO], Counted { bytes: 8, ..Counted::default() }, batches);
        assert_eq!((profile.p50, profile.p99, profile.bytes_per_second), (Duration::ZERO, Duration::ZERO, 0.0));
        assert_eq!(profile.best_batch_rows(), Some(3));
    }
}
