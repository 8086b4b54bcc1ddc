//! [`Summary`]: the use of each device and the cost of a selector's choices, for people and for machines. [`Ledger`]: that
//! cost: the time of all learned calls, against the best device of each as far as it is known.

use super::decision_table::RankReason;
use super::features::{ARMS_MAX, BUCKETS, Size};
use super::model::nanoseconds;
use super::{KernelStats, Observation, Selector};
use crate::json::{JsonObject, array};
use std::fmt;

/// The number of kernels that a summary names.
const KERNELS_NAMED: usize = 10;

/// The use of each device and the cost of a selector's choices. `Display` is a table; [`Summary::to_json`] is for machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The devices, in their order.
    pub devices: Vec<DeviceSummary>,
    /// Sums over all calls that were learned from.
    pub ledger: Ledger,
    /// The kernels with the highest total time, the highest first.
    pub kernels: Vec<KernelSummary>,
}

/// The use of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSummary {
    /// Its name.
    pub device: String,
    /// Calls that were learned from.
    pub calls: u64,
    /// Their time, in nanoseconds.
    pub time: f64,
    /// Their part of the time of all such calls, 0 to 1.
    pub share: f64,
    /// Whether its profile was measured rather than guessed.
    pub is_measured: bool,
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
    pub crossovers: Vec<Crossover>,
}

/// The row count from which on a device should come first.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    /// The row count.
    pub rows: u64,
    /// The device.
    pub device: String,
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
    /// Calls beside other work: queries on the same device, compilers, calibration.
    pub contended: u64,
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
        self.contended += u64::from(call.is_contended);
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

    /// Σ best / Σ time; 1 if no call was learned from.
    pub fn share_of_best(&self) -> f64 {
        if self.time > 0.0 { self.best / self.time } else { 1.0 }
    }
}

impl Selector {
    /// The use of each device and the cost of choices so far.
    pub fn performance_summary(&self) -> Summary {
        let ledger = self.ledger();
        let device = |(arm, name): (usize, &String)| {
            let (calls, time) = ledger.arms[arm];
            let share = if ledger.time > 0.0 { time / ledger.time } else { 0.0 };
            let is_measured = self.profile(arm).is_some_and(|profile| profile.measured);
            DeviceSummary { device: name.clone(), calls, time, share, is_measured }
        };
        let devices = self.names().iter().enumerate().map(device).collect();
        let all = self.0.all_kernels();
        let mut used: Vec<(u64, f64, &KernelStats)> = Vec::new();
        for kernel in &all {
            let choices = &kernel.state.lock().choices;
            let calls = choices.values().map(|choice| choice.calls).sum();
            used.push((calls, choices.values().map(|choice| choice.time).sum(), kernel));
        }
        used.retain(|(calls, ..)| *calls > 0);
        used.sort_by(|(_, a, _), (_, b, _)| b.total_cmp(a));
        let kernels = used.into_iter().take(KERNELS_NAMED).map(|(calls, time, kernel)| {
            let (name, crossovers) = (kernel.workload().name.clone(), self.crossovers(kernel));
            KernelSummary { kernel: name, calls, time, crossovers }
        });
        Summary { devices, kernels: kernels.collect(), ledger }
    }

    /// The row counts from which on another device should come first, with all input in the host's memory.
    pub fn crossovers(&self, kernel: &KernelStats) -> Vec<Crossover> {
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let mut found: Vec<Crossover> = Vec::new();
        for bucket in 0..BUCKETS {
            let rows = (bucket as f64 / 2.0).exp2().ceil() as u64;
            let estimates = state.estimates(kernel, &shared, Size::host(rows));
            let first = shared.prices.best(&estimates).map_or(0, |best| best.device);
            let device = &self.0.names[first];
            if found.last().is_none_or(|last| last.device != *device) {
                found.push(Crossover { rows, device: device.clone() });
            }
        }
        found
    }
}

impl Summary {
    /// The summary as one JSON object: `devices`, sums (times in nanoseconds) and `kernels`.
    pub fn to_json(&self) -> String {
        let mut json = JsonObject::new();
        let device = |one: &DeviceSummary| {
            let mut json = JsonObject::new();
            json.text("device", &one.device).raw("calls", one.calls).raw("time_ns", one.time);
            json.raw("share", one.share).raw("is_measured", one.is_measured).end()
        };
        json.raw("devices", array(self.devices.iter().map(device)));
        let Ledger { calls, time, best, worst_ratio, trials, trial_cost, moves, contended, failures, .. } =
            &self.ledger;
        json.raw("calls", calls).raw("time_ns", time).raw("best_ns", best).raw("lost_ns", self.ledger.lost());
        json.raw("share_of_best", self.ledger.share_of_best()).raw("worst_ratio", worst_ratio);
        json.raw("trials", trials).raw("trial_cost_ns", trial_cost).raw("moves", moves).raw("contended", contended);
        json.raw("failures", failures).raw("rejected", self.ledger.rejected);
        let crossover = |one: &Crossover| JsonObject::new().raw("rows", one.rows).text("device", &one.device).end();
        let kernel = |one: &KernelSummary| {
            let mut json = JsonObject::new();
            json.text("kernel", &one.kernel).raw("calls", one.calls).raw("time_ns", one.time);
            json.raw("crossovers", array(one.crossovers.iter().map(crossover))).end()
        };
        json.raw("kernels", array(self.kernels.iter().map(kernel))).end()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.devices.iter().map(|one| one.device.chars().count()).max().unwrap_or(0).max("device".len());
        writeln!(f, "{:wide$} {:>9} {:>10} {:>6}  profile", "device", "calls", "time", "share")?;
        for DeviceSummary { device, calls, time, share, is_measured } in &self.devices {
            let (time, share) = (nanoseconds(*time), format!("{:.1}%", 100.0 * share));
            let profile = if *is_measured { "measured" } else { "guessed" };
            writeln!(f, "{device:wide$} {calls:>9} {time:>10} {share:>6}  {profile}")?;
        }
        let ledger = &self.ledger;
        let (best, lost) = (100.0 * ledger.share_of_best(), ledger.lost() / 1e6);
        writeln!(f, "choices  {best:.2}% of the best known, {lost:.3} ms lost, at worst {:.2}x", ledger.worst_ratio)?;
        let part = if ledger.time > 0.0 { 100.0 * ledger.trial_cost / ledger.time } else { 0.0 };
        let Ledger { trials, moves, contended, failures, rejected, .. } = ledger;
        writeln!(f, "learning {trials} trials for {part:.2}% of all time, {moves} moves of columns")?;
        write!(
            f,
            "calls    {} learned from, {contended} contended, {failures} failed, {rejected} rejected times",
            ledger.calls
        )?;
        for KernelSummary { kernel, calls, time, crossovers } in &self.kernels {
            let from: Vec<String> =
                crossovers.iter().map(|one| format!("{} from {} rows", one.device, one.rows)).collect();
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
        let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
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
    fn a_summary_is_told_to_people_and_machines() {
        let (selector, _) = used();
        let summary = selector.performance_summary();
        let json: serde_json::Value = serde_json::from_str(&summary.to_json()).unwrap();
        assert_eq!(json["calls"], 60);
        assert_eq!(json["devices"][1]["device"], "card <&\"0\">");
        let shares: f64 = summary.devices.iter().map(|one| one.share).sum();
        assert!((shares - 1.0).abs() < 1e-9 && summary.devices.iter().all(|one| one.calls > 0), "{summary}");
        assert_eq!(summary.devices.iter().map(|one| one.calls).sum::<u64>(), 60);
        let kernel = &summary.kernels[0];
        assert_eq!((kernel.kernel.as_str(), kernel.calls), ("sum \"x\"", 60));
        assert!(kernel.time > 0.5 * summary.ledger.time && kernel.time < 2.0 * summary.ledger.time, "{summary}");
        let devices: Vec<&str> = kernel.crossovers.iter().map(|one| one.device.as_str()).collect();
        assert_eq!((devices[0], kernel.crossovers[0].rows), ("cpu", 1));
        assert_eq!(json["kernels"][0]["crossovers"].as_array().unwrap().len(), devices.len());
        let text = summary.to_string();
        for part in ["measured", "guessed", "60 learned from", "of the best known", "cpu from 1 rows"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn a_selector_that_nobody_used_has_a_summary() {
        let cpu = vec![Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 1))];
        let summary = Selector::new(cpu, SelectorOptions::default()).unwrap().performance_summary();
        assert!(summary.kernels.is_empty() && summary.to_string().contains("100.00% of the best known"), "{summary}");
        assert!(serde_json::from_str::<serde_json::Value>(&summary.to_json()).is_ok());
    }
}
