//! [`Summary`]: the use of each device and the cost of a selector's choices, for people. [`Ledger`]: that cost: the
//! time of all learned calls, against the best device of each as far as it is known.

use super::decide::BucketChoice;
use super::decision_table::RankReason;
use super::features::{ARMS_MAX, BUCKETS, Size};
use super::model::nanoseconds;
use super::{KernelStats, Observation, Selector};
use std::fmt;
use std::sync::Arc;

/// The number of kernels that a summary names.
const KERNELS_NAMED: usize = 10;

/// The use of each device and the cost of a selector's choices. `Display` is a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The name of each device, and whether its profile was measured rather than guessed.
    pub devices: Vec<(String, bool)>,
    /// Sums over all calls that were learned from.
    pub ledger: Ledger,
    /// The kernels with the highest total time, the highest first.
    pub kernels: Vec<KernelSummary>,
}

/// The use of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSummary {
    /// Its name.
    pub kernel: String,
    /// Its calls.
    pub calls: u64,
    /// Their total time, in nanoseconds.
    pub time: f64,
    /// The row counts from which on another device should come first, with all input in the host's memory.
    pub crossovers: Vec<(u64, String)>,
}

/// Sums over all calls that were learned from, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Calls.
    pub calls: u64,
    /// Their time.
    pub time: f64,
    /// Their time on the best device of each, as far as it is known.
    pub best: f64,
    /// The highest time of a call relative to its best device. Trials, moves and contended calls do not count.
    pub worst_ratio: f64,
    /// Trials of devices.
    pub trials: u64,
    /// The time of trials beyond the best device.
    pub trial_cost: f64,
    /// Calls that moved columns to a device.
    pub moves: u64,
    /// Failed calls.
    pub failures: u64,
    /// Times that cannot be: not a number, negative, zero, or longer than eleven days.
    pub rejected: u64,
    /// Calls and time of each device.
    pub arms: [(u64, f64); ARMS_MAX],
}

impl Ledger {
    /// Counts a call that took `time`, where the best device should take `best`.
    pub(super) fn count(&mut self, call: &Observation, time: f64, best: f64) {
        self.calls += 1;
        self.time += time;
        self.best += best.min(time);
        let (calls, total) = &mut self.arms[call.arm];
        (*calls, *total) = (*calls + 1, *total + time);
        match call.reason {
            RankReason::Trial => {
                self.trials += 1;
                self.trial_cost += (time - best).max(0.0);
            }
            RankReason::Move => self.moves += 1,
            RankReason::Best if call.is_contended => {}
            RankReason::Best => self.worst_ratio = self.worst_ratio.max(time / best.max(1.0)),
        }
    }

    /// The time lost by choices, in nanoseconds.
    pub fn lost(&self) -> f64 {
        self.time - self.best
    }
}

impl Selector {
    /// The use of each device and the cost of choices so far.
    pub fn performance_summary(&self) -> Summary {
        let is_measured = |arm: usize| self.profile(arm).is_some_and(|profile| profile.measured);
        let devices = self.names().iter().enumerate().map(|(arm, name)| (name.clone(), is_measured(arm)));
        let used = |kernel: Arc<KernelStats>| {
            let add = |(calls, time): (u64, f64), one: &BucketChoice| (calls + one.calls, time + one.time);
            let (calls, time) = kernel.state.lock().choices.values().fold((0, 0.0), add);
            (kernel, calls, time)
        };
        let mut kernels: Vec<_> = self.0.all_kernels().into_iter().map(used).collect();
        kernels.retain(|(_, calls, _)| *calls > 0);
        kernels.sort_by(|a, b| b.2.total_cmp(&a.2));
        kernels.truncate(KERNELS_NAMED);
        let summary = |(kernel, calls, time): (Arc<KernelStats>, u64, f64)| {
            let crossovers = self.crossovers(&kernel);
            KernelSummary { kernel: kernel.workload().name.clone(), calls, time, crossovers }
        };
        let kernels = kernels.into_iter().map(summary).collect();
        Summary { devices: devices.collect(), kernels, ledger: self.ledger() }
    }

    /// The row counts from which on another device should come first, with all input in the host's memory.
    fn crossovers(&self, kernel: &KernelStats) -> Vec<(u64, String)> {
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let mut found: Vec<(u64, String)> = Vec::new();
        for rows in (0..BUCKETS).map(|bucket| (bucket as f64 / 2.0).exp2().ceil() as u64) {
            let estimates = state.estimates(kernel, &shared, Size::host(rows));
            let device = &self.0.names[shared.prices.best(&estimates).map_or(0, |best| best.device)];
            if found.last().is_none_or(|(_, last)| last != device) {
                found.push((rows, device.clone()));
            }
        }
        found
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ledger { calls, time, best, worst_ratio, trials, trial_cost, moves, failures, rejected, arms } =
            &self.ledger;
        let percent = |part: f64, of_none: f64| if *time > 0.0 { 100.0 * part / time } else { of_none };
        let wide = self.devices.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("device".len());
        writeln!(f, "{:wide$} {:>9} {:>10} {:>6}  profile", "device", "calls", "time", "share")?;
        for ((device, is_measured), (calls, time)) in self.devices.iter().zip(arms) {
            let (share, profile) = (percent(*time, 0.0), if *is_measured { "measured" } else { "guessed" });
            writeln!(f, "{device:wide$} {calls:>9} {:>10} {share:>5.1}%  {profile}", nanoseconds(*time))?;
        }
        let (best, lost) = (percent(*best, 100.0), self.ledger.lost() / 1e6);
        writeln!(f, "choices  {best:.2}% of the best known, {lost:.3} ms lost, at worst {worst_ratio:.2}x")?;
        let part = percent(*trial_cost, 0.0);
        writeln!(f, "learning {trials} trials for {part:.2}% of all time, {moves} moves of columns")?;
        write!(f, "calls    {calls} learned from, {failures} failed, {rejected} rejected times")?;
        for KernelSummary { kernel, calls, time, crossovers } in &self.kernels {
            let from: Vec<String> =
                crossovers.iter().map(|(rows, device)| format!("{device} from {rows} rows")).collect();
            write!(f, "\nkernel   {kernel}: {calls} calls, about {}; {}", nanoseconds(*time), from.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Arm, ArmSet, Observation, Profile, SelectorOptions, Workload};
    use super::*;
    use pointsman_device::DeviceKind;

    /// A selector among two devices, of which the card pays from some rows on, after some calls.
    pub(in crate::select) fn used() -> (Selector, std::sync::Arc<KernelStats>) {
        let arms = vec![
            Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 1)),
            Arm::new("card <&\"0\">", Profile { measured: true, ..Profile::guess(DeviceKind::Cuda, 132) }),
        ];
        let options = SelectorOptions { learns_in_background: false, ..SelectorOptions::default() };
        let selector = Selector::new(arms, options).unwrap();
        let name = "sum \"x\"".to_string();
        let sum = Workload { key: 3, name, operations: [99.0; 5], read_per_row: 8.0, ..Workload::default() };
        let kernel = selector.register(&sum, ArmSet::ALL);
        for call in 0..60 {
            let size = Size::host(100 << (call % 20));
            let rank = selector.rank(&kernel, size, ArmSet::NONE);
            selector.observe(Observation::of(&kernel, size, rank, [400, 60_000][rank.first()] + size.rows * 2));
            selector.learn_now();
        }
        (selector, kernel)
    }

    #[test]
    fn summary_lists_devices_kernels_and_crossovers() {
        let (selector, _) = used();
        let summary = selector.performance_summary();
        assert_eq!(summary.devices, [("cpu".to_string(), false), ("card <&\"0\">".to_string(), true)]);
        let arms = &summary.ledger.arms[..2];
        assert_eq!((summary.ledger.calls, arms.iter().map(|(calls, _)| calls).sum()), (60, 60));
        let time: f64 = arms.iter().map(|(_, time)| time).sum();
        assert!((time / summary.ledger.time - 1.0).abs() < 1e-9 && arms.iter().all(|arm| arm.0 > 0), "{summary}");
        let kernel = &summary.kernels[0];
        assert_eq!((kernel.kernel.as_str(), kernel.calls), ("sum \"x\"", 60));
        assert!(kernel.time > 0.5 * time && kernel.time < 2.0 * time, "{summary}");
        assert_eq!(kernel.crossovers[0], (1, "cpu".to_string()));
        let text = summary.to_string();
        for part in ["measured", "guessed", "60 learned from", "of the best known", "cpu from 1 rows"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn unused_selector_has_a_summary() {
        let cpu = vec![Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 1))];
        let summary = Selector::new(cpu, SelectorOptions::default()).unwrap().performance_summary();
        assert!(summary.kernels.is_empty() && summary.to_string().contains("100.00% of the best known"), "{summary}");
    }
}
