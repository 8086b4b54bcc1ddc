//! [`ChoiceReport`]: what a session's choices lost against the best device of each case.

use super::case::{Case, DeviceTimes, best, median};
use super::random_query::TimedCall;
use pointsman::Receipt;
use pointsman::selector::Prediction;
use std::fmt;

/// A case is bad if its time is this many times the best device's, and this many nanoseconds more.
const BAD_RATIO: f64 = 1.2;
const BAD_NS: f64 = 2e4;
/// The number of bad cases that are printed.
const PRINTED: usize = 6;

/// The bars of the sum, the geometric mean, the share of bad cases and the worst of those.
const BARS: [f64; 4] = [0.97, 1.04, 0.02, 1.5];

/// The calls of one case.
pub(super) struct CaseResult {
    description: String,
    best: (String, f64),
    /// The time of each device.
    times: DeviceTimes,
    /// The median time of the calls.
    time: f64,
    /// The device of the last call.
    device: String,
    /// Why the selector chose that device, if the case is bad.
    explanation: String,
}

impl CaseResult {
    /// The result of a case whose devices take these times; `None` without calls, or without a device to compare with.
    pub(super) fn new(case: &Case, times: DeviceTimes, calls: &[TimedCall]) -> Option<CaseResult> {
        let last = &calls.last()?.receipt;
        let (name, time) = best(&times);
        let best = (name.to_string(), Some(time).filter(|time| time.is_finite())?);
        let mut result = CaseResult {
            description: case.query.shape.to_string(),
            best,
            times,
            time: median(calls.iter().map(|call| call.time)),
            device: last.device().to_string(),
            explanation: String::new(),
        };
        if result.is_bad() {
            result.explanation = explanation(last);
        }
        Some(result)
    }

    fn ratio(&self) -> f64 {
        self.time / self.best.1
    }

    fn is_bad(&self) -> bool {
        self.ratio() > BAD_RATIO && self.time - self.best.1 > BAD_NS
    }
}

/// Why the selector chose the device of a call: its reason, and its prediction for each device.
fn explanation(receipt: &Receipt) -> String {
    let prediction = |one: &Prediction| {
        let (spread, plural) = (one.spread.exp(), if one.runs == 1 { "" } else { "s" });
        let closed = if one.is_closed { ", closed" } else { "" };
        let trust = format!("{spread:.1}× either way, {} run{plural}{closed}", one.runs);
        format!("{} {} ({trust})", one.device, time(one.time()))
    };
    match receipt.ranking() {
        None => format!("{}; no predictions", receipt.why()),
        Some(ranking) => {
            let predictions: Vec<String> = ranking.predictions.iter().map(prediction).collect();
            format!("{} ({}); predicted {}", receipt.why(), ranking.why(), predictions.join(", "))
        }
    }
}

/// The figures of one way to use sessions.
pub struct ChoiceReport {
    name: &'static str,
    results: Vec<CaseResult>,
}

impl ChoiceReport {
    pub(super) fn new(name: &'static str, results: Vec<CaseResult>) -> ChoiceReport {
        ChoiceReport { name, results }
    }

    /// Σ best / Σ automatic, the geometric mean of automatic / best, the share of bad cases, and the worst of them.
    fn figures(&self) -> [f64; 4] {
        let sum = |time: fn(&CaseResult) -> f64| self.results.iter().map(time).sum::<f64>();
        let logs = self.results.iter().map(|case| case.ratio().ln()).sum::<f64>();
        let bad: Vec<f64> = self.results.iter().filter(|case| case.is_bad()).map(CaseResult::ratio).collect();
        let count = self.results.len().max(1) as f64;
        [
            sum(|case| case.best.1) / sum(|case| case.time),
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

/// Nanoseconds for people.
pub(super) fn time(nanoseconds: f64) -> String {
    format!("{:.3?}", std::time::Duration::from_nanos(nanoseconds as u64))
}

/// Whether a bar is met, for people.
pub(super) fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "not met" }
}

impl fmt::Display for ChoiceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [sum, mean, bad, worst] = self.figures();
        writeln!(
            f,
            "### {}: {} cases\n\nΣ best / Σ automatic {:.1} %, geometric mean {mean:.3}×, {:.1} % of the cases beyond \
             {BAD_RATIO}× and 20 µs, the worst {worst:.2}×: {}\n",
            self.name,
            self.results.len(),
            100.0 * sum,
            100.0 * bad,
            met(self.is_met()),
        )?;
        let mut worst: Vec<&CaseResult> = self.results.iter().filter(|case| case.is_bad()).collect();
        worst.sort_by(|one, other| other.ratio().total_cmp(&one.ratio()));
        for case in worst.into_iter().take(PRINTED) {
            let measured: Vec<String> = case.times.iter().map(|(name, own)| format!("{name} {}", time(*own))).collect();
            writeln!(f, "- {:.2}×, {} on {}: {}", case.ratio(), time(case.time), case.device, case.description)?;
            writeln!(f, "  measured {}", measured.join(", "))?;
            writeln!(f, "  {}", case.explanation)?;
        }
        Ok(())
    }
}
