//! Columns that are used again and again: the total time of the first n uses, against the optimum that knows n.

use super::Cell;
use pointsman::{Result, SessionOptions};
use std::fmt;

/// The totals of one owned column.
pub struct Reuse {
    description: String,
    /// Nanoseconds of a use where the column is on the host, where it is on the best device, and of the copy.
    host: f64,
    device: f64,
    copy: f64,
    /// The total of the first n uses, for each n.
    totals: Vec<f64>,
}

impl Reuse {
    /// Uses a cell's column so many times in a fresh session that knows its devices.
    pub(super) fn measure(options: &SessionOptions, cell: &Cell, uses: usize) -> Result<Option<Reuse>> {
        let (best, device) = cell.best();
        let hosts = cell.times.iter().filter(|(name, _)| name.starts_with("cpu"));
        let Some(host) = hosts.map(|(_, time)| *time).min_by(f64::total_cmp) else { return Ok(None) };
        let session = options.clone().open()?;
        session.calibrate()?;
        let copy = cell.work.keep(&session, best)?;
        cell.work.release(&session, best)?;
        let run = cell.work.prepare(&session, None)?;
        let mut total = 0.0;
        let mut totals = Vec::with_capacity(uses);
        for _ in 0..uses {
            total += run()?.0;
            totals.push(total);
        }
        Ok(Some(Reuse { description: cell.work.to_string(), host, device, copy, totals }))
    }

    /// The least total of n uses: all on the host, or all on the device after a copy.
    fn optimum(&self, uses: f64) -> f64 {
        (uses * self.host).min(self.copy + uses * self.device)
    }

    /// The largest ratio of total to optimum plus one query, over all n, and the ratio at the end.
    fn ratios(&self) -> [f64; 2] {
        let ratio = |(number, total): (usize, &f64)| {
            let uses = (number + 1) as f64;
            (total - self.host) / self.optimum(uses)
        };
        let worst = self.totals.iter().enumerate().map(ratio).fold(0.0, f64::max);
        let last = self.totals.len() as f64;
        [worst, self.totals.last().copied().unwrap_or_default() / self.optimum(last)]
    }
}

impl fmt::Display for Reuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [worst, last] = self.ratios();
        let us = |time: f64| time / 1e3;
        let (host, device, copy) = (us(self.host), us(self.device), us(self.copy));
        write!(
            f,
            "- at most {worst:.2}× the optimum plus one query, {last:.2}× after {} uses (host {host:.0} µs, device \
             {device:.0} µs, copy {copy:.0} µs): {}",
            self.totals.len(),
            self.description
        )
    }
}
