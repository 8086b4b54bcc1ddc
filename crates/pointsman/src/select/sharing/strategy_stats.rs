//! [`QueryStats`]: the measured times of a query on each set of devices, and which set runs it next.
//!
//! The strategy with the least time wins. Another one is tried early if it may be as fast, and later after 32 runs, then 64,
//! 128 and so on, as long as that costs little.

use crate::instrument::skip_reason::SkipReason;
use crate::sync::Mutex;
use crate::telemetry::receipt::Share;
use std::collections::BTreeMap;

/// The time of a strategy is the median of this many last runs.
const RUNS_KEPT: usize = 5;
/// How often a strategy is tried early.
const EARLY_TRIALS: u32 = 2;
/// A strategy is tried early if it should take at most this many times as long as the best: by a prediction, by a rate among
/// devices that may have slowed it down, and after one run, which may have been a slow one.
const EARLY_FACTOR: f64 = 2.0;
const EARLY_FACTOR_HINT: f64 = 8.0;
const EARLY_FACTOR_MEASURED: f64 = 1.25;
/// A strategy is tried again after this many runs without it, then after twice as many, if the trial costs at most this
/// fraction of the runs since the last one.
const RETRY_RUNS: u64 = 32;
const RETRY_COST: f64 = 0.02;
/// A device that failed alone is not tried alone in this many runs.
const EXCLUDED_RUNS: u64 = 64;

/// The times of one query of about the same size, by the names of the devices that ran it.
#[derive(Default)]
pub(super) struct QueryStats(Mutex<StrategyState>);

#[derive(Default)]
struct StrategyState {
    /// How often a strategy was chosen.
    runs: u64,
    strategies: BTreeMap<String, StrategyStats>,
}

/// The last runs of a strategy, in seconds per row, and when it is tried again.
#[derive(Clone, Debug, Default)]
pub(super) struct StrategyStats {
    /// The newest first.
    last: Vec<f64>,
    /// Whether they are so old that the next run replaces all of them.
    is_old: bool,
    /// The time of a device alone at the rate that it had in a shared run after its last run alone.
    rate_hint: Option<f64>,
    early_trials: u32,
    /// The number of the last run.
    last_run: u64,
    /// How often the wait for the next trial was doubled.
    retries: u32,
    excluded_until: u64,
}

/// A strategy that may run a query.
pub(super) struct StrategyCandidate {
    /// The names of the devices, joined by `+`.
    pub(super) devices: String,
    /// Whether the devices may be used now.
    pub(super) is_open: bool,
    /// The time that the selector predicts.
    pub(super) predicted: Option<f64>,
    /// The time: measured, predicted, or by the device's rate in a shared run.
    pub(super) seconds: Option<f64>,
}

/// The strategy of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// The position among the candidates.
    pub(super) strategy: usize,
    /// Why other devices take no part, if there are any.
    pub(super) why: SkipReason,
}

impl StrategyStats {
    fn median(&self) -> Option<f64> {
        let mut sorted = self.last.clone();
        sorted.sort_by(f64::total_cmp);
        // Of an even number the lower one: disturbances make runs longer.
        sorted.get(sorted.len().saturating_sub(1) / 2).copied()
    }

    fn record(&mut self, seconds_per_row: f64) {
        if std::mem::take(&mut self.is_old) {
            self.last.clear();
        }
        self.last.insert(0, seconds_per_row.max(f64::MIN_POSITIVE));
        self.last.truncate(RUNS_KEPT);
        self.rate_hint = None;
    }

    /// Whether it may be as fast as the best strategy, although it should take `factor` times as long.
    fn is_early_trial(&self, factor: f64, is_predicted: bool) -> bool {
        let most = match self.last.is_empty() {
            true if is_predicted => EARLY_FACTOR,
            true => EARLY_FACTOR_HINT,
            false => EARLY_FACTOR_MEASURED,
        };
        self.early_trials < EARLY_TRIALS && self.last.len() < 2 && factor <= most
    }

    /// Whether it was not tried for so long that its time may have changed.
    fn is_due(&self, runs: u64, factor: f64) -> bool {
        let since = runs - self.last_run;
        since >= RETRY_RUNS << self.retries.min(32) && factor - 1.0 <= RETRY_COST * since as f64
    }
}

impl QueryStats {
    /// The measured seconds of a strategy for `rows` rows.
    pub(super) fn measured(&self, devices: &str, rows: usize) -> Option<f64> {
        Some(self.0.lock().strategies.get(devices)?.median()? * rows as f64)
    }

    /// The seconds of a strategy for `rows` rows: measured, predicted, or by its rate in a shared run.
    pub(super) fn seconds(&self, devices: &str, predicted: Option<f64>, rows: usize) -> Option<f64> {
        let hint = || Some(self.0.lock().strategies.get(devices)?.rate_hint? * rows as f64);
        self.measured(devices, rows).or(predicted).or_else(hint)
    }

    /// The strategy of the next run. The first candidate runs if its time is unknown.
    pub(super) fn choose(&self, candidates: &[StrategyCandidate], rows: usize) -> Decision {
        let state = &mut *self.0.lock();
        state.runs += 1;
        let runs = state.runs;
        let stats = |one: &StrategyCandidate| state.strategies.get(&one.devices).cloned().unwrap_or_default();
        let timed = candidates.iter().enumerate().filter(|(_, one)| one.is_open);
        let timed = timed.filter_map(|(number, one)| Some((number, one.seconds?, stats(one))));
        let timed: Vec<(usize, f64, StrategyStats)> = timed.filter(|(.., own)| own.excluded_until <= runs).collect();
        let best = timed.iter().min_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| candidates[0].seconds.is_some());
        let Some(&(best, least, _)) = best else {
            return state.decide(candidates, 0, SkipReason::NoGain);
        };
        // Nothing is tried before the best strategy was measured.
        let is_measured = |(number, _, own): &(usize, f64, StrategyStats)| *number == best && !own.last.is_empty();
        let others = || timed.iter().filter(|(number, ..)| *number != best && timed.iter().any(is_measured));
        let is_early = |(number, seconds, own): &&(usize, f64, StrategyStats)| {
            own.is_early_trial(seconds / least, candidates[*number].predicted.is_some())
        };
        if let Some((strategy, ..)) = others().filter(is_early).min_by(|a, b| a.1.total_cmp(&b.1)) {
            state.entry(&candidates[*strategy]).early_trials += 1;
            return state.decide(candidates, *strategy, SkipReason::Trial);
        }
        let fastest =
            |seconds: f64, own: &StrategyStats| own.rate_hint.map_or(seconds, |one| seconds.min(one * rows as f64));
        let due = others().filter(|(_, seconds, own)| own.is_due(runs, fastest(*seconds, own) / least));
        if let Some((strategy, ..)) = due.min_by_key(|(.., own)| own.last_run) {
            let own = state.entry(&candidates[*strategy]);
            (own.retries, own.is_old) = (own.retries + 1, true);
            return state.decide(candidates, *strategy, SkipReason::Trial);
        }
        state.entry(&candidates[best]).retries = 0;
        state.decide(candidates, best, SkipReason::NoGain)
    }

    /// Records a run.
    pub(super) fn record(&self, devices: &str, seconds: f64, rows: usize) {
        let mut state = self.0.lock();
        state.strategies.entry(devices.to_string()).or_default().record(seconds / rows.max(1) as f64);
    }

    /// Records the part of each device in a shared run: alone it should take at most as long as at that rate, since others
    /// may have slowed it down.
    pub(super) fn record_shares(&self, shares: &[Share], seconds: f64, rows: usize) {
        let all: usize = shares.iter().map(|share| share.rows).sum();
        let mut state = self.0.lock();
        for share in shares {
            let time = seconds * all as f64 / share.rows as f64 / rows.max(1) as f64;
            state.strategies.entry(share.device.clone()).or_default().rate_hint =
                Some(time).filter(|time| time.is_finite());
        }
    }

    /// Records that a device failed to run the query alone.
    pub(super) fn record_failure(&self, devices: &str) {
        let mut state = self.0.lock();
        let until = state.runs + EXCLUDED_RUNS;
        state.strategies.entry(devices.to_string()).or_default().excluded_until = until;
    }
}

impl StrategyState {
    fn entry(&mut self, candidate: &StrategyCandidate) -> &mut StrategyStats {
        self.strategies.entry(candidate.devices.clone()).or_default()
    }

    fn decide(&mut self, candidates: &[StrategyCandidate], strategy: usize, why: SkipReason) -> Decision {
        let runs = self.runs;
        self.entry(&candidates[strategy]).last_run = runs;
        Decision { strategy, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: usize = 1000;
    const NAMES: [&str; 3] = ["card+cpu", "card", "cpu"];

    /// Runs a query this often: its seconds together, on the card and on the CPU, which does this part of a shared run; the
    /// strategies that ran.
    fn run(stats: &QueryStats, runs: usize, took: [f64; 3], cpu_part: f64, predicted: [Option<f64>; 3]) -> Vec<usize> {
        let shares = [1.0 - cpu_part, cpu_part].map(|part| (part * ROWS as f64) as usize);
        let shares: Vec<Share> = NAMES[1..].iter().zip(shares).map(|(device, rows)| share(device, rows)).collect();
        let one = |_| {
            let Decision { strategy, .. } = stats.choose(&candidates(stats, predicted), ROWS);
            stats.record(NAMES[strategy], took[strategy], ROWS);
            if strategy == 0 {
                stats.record_shares(&shares, took[0], ROWS);
            }
            strategy
        };
        (0..runs).map(one).collect()
    }

    fn share(device: &str, rows: usize) -> Share {
        Share { device: device.to_string(), rows, batches: 1, left_out: None }
    }

    fn candidates(stats: &QueryStats, predicted: [Option<f64>; 3]) -> Vec<StrategyCandidate> {
        let candidate = |(name, predicted): (&str, Option<f64>)| {
            let seconds = stats.seconds(name, predicted, ROWS);
            StrategyCandidate { devices: name.to_string(), is_open: true, predicted, seconds }
        };
        NAMES.into_iter().zip(predicted).map(candidate).collect()
    }

    fn count(runs: &[usize], strategy: usize) -> usize {
        runs.iter().filter(|run| **run == strategy).count()
    }

    #[test]
    fn fastest_strategy_wins_after_few_trials() {
        // The CPU is best alone, whatever its part of the shared run was; sharing is best; the card is best.
        for (took, cpu_part, best) in [
            ([0.100, 0.206, 0.070], 0.5, 2),
            ([0.180, 0.206, 0.070], 0.4, 2),
            ([0.100, 0.200, 0.200], 0.5, 0),
            ([0.100, 0.133, 0.400], 0.25, 0),
            ([0.300, 0.100, 0.400], 0.5, 1),
        ] {
            let runs = run(&QueryStats::default(), 32, took, cpu_part, [None; 3]);
            assert_eq!(runs[0], 0, "without a prediction devices share");
            assert!(count(&runs, best) >= 26, "{took:?}: {runs:?}");
            assert!(runs[6..].iter().all(|run| *run == best), "{took:?}: {runs:?}");
        }
    }

    #[test]
    fn predictions_save_trials() {
        let predicted = [Some(0.070), Some(0.100), Some(1.000)];
        let runs = run(&QueryStats::default(), 32, [0.060, 0.100, 1.0], 0.1, predicted);
        assert_eq!((count(&runs, 0), count(&runs, 1), count(&runs, 2)), (31, 1, 0), "{runs:?}");
        let predicted = [Some(0.110), Some(0.100), Some(1.000)];
        let runs = run(&QueryStats::default(), 32, [0.200, 0.100, 1.0], 0.1, predicted);
        assert_eq!(runs[..3], [1, 0, 1], "sharing is tried once: {runs:?}");
        assert_eq!(count(&runs, 1), 31, "{runs:?}");
    }

    #[test]
    fn trials_cost_little() {
        for took in [[0.100, 0.110, 0.140], [0.140, 0.100, 0.110], [0.100, 0.200, 0.700], [0.100, 0.101, 0.100]] {
            let runs = run(&QueryStats::default(), 4000, took, 0.5, [None; 3]);
            let seconds: f64 = runs.iter().map(|run| took[*run]).sum();
            assert!(seconds <= 0.1 * 4000.0 * 1.015, "{took:?}: {seconds}");
            assert!(took[1] > 0.2 || count(&runs[100..], 1) > 0, "it is tried again");
        }
    }

    #[test]
    fn changed_speed_changes_the_strategy() {
        let stats = QueryStats::default();
        assert_eq!(run(&stats, 40, [0.100, 0.300, 0.070], 0.7, [None; 3])[39], 2);
        // Another process uses the CPU; then it does not any more.
        let runs = run(&stats, 100, [0.290, 0.300, 0.700], 0.1, [None; 3]);
        assert!(count(&runs[..40], 2) <= 8 && count(&runs[50..], 0) >= 45, "{runs:?}");
        let runs = run(&stats, 150, [0.100, 0.300, 0.070], 0.7, [None; 3]);
        assert!(count(&runs[100..], 2) >= 45, "{runs:?}");
    }

    #[test]
    fn disturbed_runs_do_not_change_the_strategy() {
        let stats = QueryStats::default();
        run(&stats, 20, [0.120, 0.300, 0.100], 0.5, [None; 3]);
        let mut others = 0;
        for number in 0..200 {
            let noise = if number % 7 == 0 { 3.0 } else { 1.0 };
            let took = [0.120, 0.300, 0.100].map(|time| time * noise);
            others += usize::from(run(&stats, 1, took, 0.5, [None; 3]) != [2]);
        }
        assert!(others <= 8, "{others} runs with another strategy");
    }

    #[test]
    fn failed_or_closed_devices_are_passed_over() {
        let stats = QueryStats::default();
        assert_eq!(run(&stats, 12, [0.150, 0.300, 0.070], 0.6, [None; 3])[11], 2);
        let mut closed = candidates(&stats, [None; 3]);
        closed[2].is_open = false;
        assert_ne!(stats.choose(&closed, ROWS).strategy, 2);
        stats.record_failure("cpu");
        let runs = run(&stats, 100, [0.150, 0.300, 0.070], 0.6, [None; 3]);
        assert_eq!(count(&runs[..EXCLUDED_RUNS as usize - 1], 2), 0, "{runs:?}");
        assert!(count(&runs, 2) > 20, "{runs:?}");
    }
}
