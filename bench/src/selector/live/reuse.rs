//! [`ReuseCurve`]: the total time of the first n uses of an owned column, against the optimum that knows n.

use super::case::Case;
use super::random_query::Placement;
use super::text::{met, time};
use super::use_costs::{HOST, UseCosts};
use pointsman::{Result, SessionOptions};
use std::fmt;
use std::time::{Duration, Instant};

/// The most time that the uses of one column take.
const TIME_MAX: Duration = Duration::from_secs(5);
/// Cases that take longer on their best device cannot reach the end of the curve in time, in nanoseconds.
const DEVICE_NS_MAX: f64 = 4e6;
/// The uses at the end whose mean is the long run.
const LAST_USES: usize = 200;
/// Totals of fewer uses are not compared with the host's: single calls vary too much.
const USES_MIN: usize = 5;

/// The bar of every total, less one query, over the optimum.
const TOTAL_BAR: f64 = 2.0;
/// The bar of the mean use in the long run over the best one.
const LONG_RUN_BAR: f64 = 1.05;
/// The bar of every total before the copy over the same number of uses on the host.
const BEFORE_COPY_BAR: f64 = 1.1;

/// The totals of one owned column.
pub struct ReuseCurve {
    pub(super) description: String,
    device: String,
    costs: UseCosts,
    /// Nanoseconds of the first n uses, for each n from 1.
    pub(super) totals: Vec<f64>,
    /// The number of uses before the first one that did not run on the host.
    pub(super) uses_before_copy: usize,
}

impl ReuseCurve {
    /// Whether a case has an owned column that some device with memory of its own uses faster than the host.
    pub(super) fn is_worthwhile(case: &Case) -> bool {
        let (device, time) = case.best();
        let is_owned = case.query.shape.placement == Placement::Owned;
        is_owned && !device.starts_with(HOST) && time < DEVICE_NS_MAX && case.runs_on(HOST)
    }

    /// Uses the column of a case in a fresh session that knows its devices.
    pub(super) fn measure(options: &SessionOptions, case: &Case, uses: usize) -> Result<ReuseCurve> {
        let (device, _) = case.best();
        let costs = UseCosts::measure(&options.clone().open()?, &case.query, device)?;
        let session = options.clone().open()?;
        session.calibrate()?;
        // Compiled before: the time of a compiler has nothing to do with the decision to copy.
        case.query.prepare(&session, Some(device))?()?;
        case.query.release(&session, device)?;
        let run = case.query.prepare(&session, None)?;
        let (start, mut total, mut totals, mut copied_at) = (Instant::now(), 0.0, Vec::with_capacity(uses), None);
        while totals.len() < uses && start.elapsed() < TIME_MAX {
            let call = run()?;
            if !call.receipt.device().starts_with(HOST) {
                copied_at = copied_at.or(Some(totals.len()));
            }
            total += call.time;
            totals.push(total);
        }
        let uses_before_copy = copied_at.unwrap_or(totals.len());
        let (description, device) = (case.query.shape.to_string(), device.to_string());
        Ok(ReuseCurve { description, device, costs, totals, uses_before_copy })
    }

    /// The total of n uses on the host.
    pub(super) fn on_host(&self, uses: usize) -> f64 {
        self.costs.first + uses as f64 * self.costs.host
    }

    /// The least total of n uses: all on the host, or all on the device after the copy.
    pub(super) fn optimum(&self, uses: usize) -> f64 {
        let on_device = self.costs.first + self.costs.copy + uses as f64 * self.costs.device;
        self.on_host(uses).min(on_device)
    }

    /// The largest ratio of a total, less one query, to the optimum.
    fn worst_total(&self) -> f64 {
        let ratio = |(number, total): (usize, &f64)| (total - self.costs.host) / self.optimum(number + 1);
        self.totals.iter().enumerate().map(ratio).fold(0.0, f64::max)
    }

    /// The largest ratio of a total to the host's before the copy; `None` if the copy came first.
    fn worst_before_copy(&self) -> Option<f64> {
        let first = USES_MIN.min(self.uses_before_copy);
        let ratio = |uses: usize| self.totals[uses - 1] / self.on_host(uses);
        (first.max(1)..=self.uses_before_copy).map(ratio).reduce(f64::max)
    }

    /// The total of all uses over the optimum.
    fn last_total(&self) -> f64 {
        self.totals.last().copied().unwrap_or_default() / self.optimum(self.totals.len())
    }

    /// The mean of the last uses over the best use there is.
    fn long_run(&self) -> f64 {
        let before = self.totals.len().saturating_sub(LAST_USES).max(1);
        let end = self.totals.len();
        let spent =
            self.totals.last().copied().unwrap_or_default() - self.totals.get(before - 1).copied().unwrap_or(0.0);
        spent / (end.saturating_sub(before).max(1) as f64) / self.costs.host.min(self.costs.device)
    }

    /// Whether all bars are met.
    pub fn is_met(&self) -> bool {
        let before_copy = self.worst_before_copy().is_none_or(|ratio| ratio <= BEFORE_COPY_BAR);
        self.worst_total() <= TOTAL_BAR && self.long_run() <= LONG_RUN_BAR && before_copy
    }
}

impl fmt::Display for ReuseCurve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UseCosts { host, first, device, copy } = &self.costs;
        let (uses, worst, long_run) = (self.totals.len(), self.worst_total(), self.long_run());
        writeln!(f, "- {}", self.description)?;
        writeln!(
            f,
            "  a use takes {} on the host (the first {} more) and {} on {}, the copy {}; {} uses before it, {uses} in all",
            time(*host),
            time(*first),
            time(*device),
            self.device,
            time(*copy),
            self.uses_before_copy,
        )?;
        write!(f, "  every total at most {worst:.2}× the optimum plus one query (bar {TOTAL_BAR}×): ")?;
        write!(f, "{}; the last {:.2}×; ", met(worst <= TOTAL_BAR), self.last_total())?;
        write!(f, "in the long run {long_run:.2}× (bar {LONG_RUN_BAR}×): {}; ", met(long_run <= LONG_RUN_BAR))?;
        match self.worst_before_copy() {
            None => write!(f, "copied before the first use"),
            Some(ratio) => {
                let is_met = met(ratio <= BEFORE_COPY_BAR);
                write!(f, "before the copy at most {ratio:.2}× the host alone (bar {BEFORE_COPY_BAR}×): {is_met}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(times: &[f64], uses_before_copy: usize) -> ReuseCurve {
        let mut total = 0.0;
        let add = |time: &f64| {
            total += time;
            total
        };
        ReuseCurve {
            description: String::new(),
            device: String::new(),
            costs: UseCosts { host: 10.0, first: 0.0, device: 1.0, copy: 45.0 },
            totals: times.iter().map(add).collect(),
            uses_before_copy,
        }
    }

    #[test]
    fn renting_for_the_price_of_the_copy_is_twice_the_optimum() {
        // Five uses on the host, then the copy, then the device.
        let times: Vec<f64> = (0..1000)
            .map(|use_| {
                if use_ < 5 {
                    10.0
                } else if use_ == 5 {
                    46.0
                } else {
                    1.0
                }
            })
            .collect();
        let curve = curve(&times, 5);
        assert!(curve.worst_total() <= TOTAL_BAR && curve.worst_total() > 1.6, "{}", curve.worst_total());
        assert_eq!((curve.long_run(), curve.worst_before_copy()), (1.0, Some(1.0)));
        assert!(curve.is_met());
    }

    #[test]
    fn staying_on_the_host_for_ever_misses_the_bars() {
        let curve = curve(&[10.0; 1000], 1000);
        assert_eq!((curve.long_run(), curve.worst_before_copy()), (10.0, Some(1.0)));
        assert!(curve.worst_total() > 9.0 && !curve.is_met());
    }
}
