//! What a choice lost: the figures of one way to use sessions.

use super::work::Run;
use super::{Cell, best};
use pointsman::Receipt;
use pointsman::Result;
use std::fmt;

/// A cell is bad if its time is this many times the best device's, and this many nanoseconds more.
const BAD_RATIO: f64 = 1.2;
const BAD_NS: f64 = 2e4;
/// How many of the worst cells are shown.
const SHOWN: usize = 6;

/// The bars of the sum, the geometric mean, the share of bad cells and the worst of those.
const BARS: [f64; 4] = [0.97, 1.04, 0.02, 1.5];

/// The median of some times.
pub(super) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// The calls of one cell.
pub(super) struct CellResult {
    description: String,
    best: (String, f64),
    /// The time of each device.
    times: Vec<(String, f64)>,
    time: f64,
    /// The device of the last call, and why.
    device: String,
    why: String,
}

impl CellResult {
    /// Runs a cell and judges these calls.
    pub(super) fn last(cell: &Cell, calls: usize, run: &Run<'_>) -> Result<CellResult> {
        let calls = (0..calls).map(|_| run()).collect::<Result<Vec<_>>>()?;
        Ok(CellResult::new(cell, cell.times.clone(), &calls))
    }

    /// The result of a cell whose devices take these times.
    pub(super) fn new(cell: &Cell, times: Vec<(String, f64)>, calls: &[(f64, Receipt)]) -> CellResult {
        let (best, best_time) = best(&times);
        let last = calls.last().map(|(_, receipt)| (receipt.device().to_string(), receipt.why().to_string()));
        let (device, why) = last.unwrap_or_default();
        CellResult {
            description: cell.work.to_string(),
            best: (best.to_string(), best_time),
            time: median(&mut calls.iter().map(|(time, _)| *time).collect::<Vec<_>>()),
            device,
            why,
            times,
        }
    }

    fn ratio(&self) -> f64 {
        self.time / self.best.1
    }

    fn is_bad(&self) -> bool {
        self.ratio() > BAD_RATIO && self.time - self.best.1 > BAD_NS
    }
}

/// The figures of one way to use sessions.
pub struct Verdict {
    name: &'static str,
    results: Vec<CellResult>,
}

impl Verdict {
    pub(super) fn new(name: &'static str, results: Vec<CellResult>) -> Verdict {
        Verdict { name, results }
    }

    /// Σ best / Σ automatic, the geometric mean of automatic / best, the share of bad cells, and the worst of them.
    fn figures(&self) -> [f64; 4] {
        let sum = |time: fn(&CellResult) -> f64| self.results.iter().map(time).sum::<f64>();
        let logs = self.results.iter().map(|cell| cell.ratio().ln()).sum::<f64>();
        let bad: Vec<f64> = self.results.iter().filter(|cell| cell.is_bad()).map(CellResult::ratio).collect();
        let count = self.results.len().max(1) as f64;
        [
            sum(|cell| cell.best.1) / sum(|cell| cell.time),
            (logs / count).exp(),
            bad.len() as f64 / count,
            bad.iter().copied().fold(1.0, f64::max),
        ]
    }

    /// Whether all bars are met.
    pub fn is_met(&self) -> bool {
        let [sum, mean, bad, worst] = self.figures();
        sum >= BARS[0] && mean <= BARS[1] && bad <= BARS[2] && worst <= BARS[3]
    }
}

fn time(nanoseconds: f64) -> String {
    format!("{:.3?}", std::time::Duration::from_nanos(nanoseconds as u64))
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sum, mean, bad, worst] = self.figures();
        writeln!(
            f,
            "### {}: {} cells\n\nΣ best / Σ automatic {:.1} %, geometric mean {mean:.3}×, {:.1} % of the cells beyond \
             {BAD_RATIO}× and 20 µs, the worst {worst:.2}×: {}\n",
            self.name,
            self.results.len(),
            100.0 * sum,
            100.0 * bad,
            if self.is_met() { "met" } else { "not met" },
        )?;
        let mut worst: Vec<&CellResult> = self.results.iter().filter(|cell| cell.is_bad()).collect();
        worst.sort_by(|one, other| other.ratio().total_cmp(&one.ratio()));
        for cell in worst.into_iter().take(SHOWN) {
            let others: Vec<String> = cell.times.iter().map(|(name, own)| format!("{name} {}", time(*own))).collect();
            writeln!(f, "- {:.2}×, {} on {}: {}", cell.ratio(), time(cell.time), cell.device, cell.description)?;
            writeln!(f, "  {}; {}", others.join(", "), cell.why)?;
        }
        Ok(())
    }
}
