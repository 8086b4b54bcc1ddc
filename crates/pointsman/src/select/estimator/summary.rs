//! [`Summary`]: how a selector's devices did and what its choices cost, for people and for machines.

use super::features::{BUCKETS, Size};
use super::ledger::Ledger;
use super::model::nanoseconds;
use super::outlook::{Basis, Judged};
use super::{Known, Selector};
use crate::json::{JsonObject, array};
use std::fmt;

/// How many kernels a summary names.
const KERNELS_NAMED: usize = 10;

/// How a selector's devices did and what its choices cost. `Display` is a table, [`Summary::to_json`] for machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The devices, in their order.
    pub devices: Vec<DeviceSummary>,
    /// Sums over all calls that were learned from.
    pub ledger: Ledger,
    /// The kernels that took longest in all, the longest first.
    pub kernels: Vec<KernelSummary>,
}

/// How a device did.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceSummary {
    /// Its name.
    pub device: String,
    /// Calls that were learned from.
    pub calls: u64,
    /// What they took, in nanoseconds.
    pub time: f64,
    /// Their part of all such calls' time, 0 to 1.
    pub share: f64,
    /// Whether its profile was measured, and not guessed.
    pub is_measured: bool,
}

/// How a kernel did.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSummary {
    /// Its name.
    pub kernel: String,
    /// Calls that were learned from.
    pub calls: u64,
    /// About what they took in all, in nanoseconds: as is known of their sizes now.
    pub time: f64,
    /// From how many rows on which device should come first, by time or by energy as they are compared, with all input in
    /// the host's memory.
    pub crossovers: Vec<Crossover>,
}

/// From so many rows on this device should be the fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    /// The rows.
    pub rows: u64,
    /// The device.
    pub device: String,
}

impl Selector {
    /// How the devices did and what choices cost so far.
    pub fn performance_summary(&self) -> Summary {
        let ledger = self.ledger();
        let device = |(number, name): (usize, &String)| {
            let (calls, time) = ledger.arms[number];
            let share = if ledger.time > 0.0 { time / ledger.time } else { 0.0 };
            let is_measured = self.profile(number).is_some_and(|profile| profile.measured);
            DeviceSummary { device: name.clone(), calls, time, share, is_measured }
        };
        let devices = self.names().iter().enumerate().map(device).collect();
        let all = self.0.all_known();
        let mut costs: Vec<(f64, f64, &Known)> = all.iter().map(|known| self.cost(known)).collect();
        costs.retain(|(calls, ..)| *calls > 0.0);
        costs.sort_by(|a, b| b.1.total_cmp(&a.1));
        let kernel = |&(calls, time, known): &(f64, f64, &Known)| KernelSummary {
            kernel: known.workload().name.clone(),
            calls: calls as u64,
            time,
            crossovers: self.crossovers(known),
        };
        let kernels = costs.iter().take(KERNELS_NAMED).map(kernel).collect();
        Summary { devices, ledger, kernels }
    }

    /// The calls of a kernel, and about what they took.
    fn cost<'k>(&self, known: &'k Known) -> (f64, f64, &'k Known) {
        let places: Vec<_> = known.mind().places.iter().map(|(at, place)| (at, place.calls)).collect();
        let mut sums = (0.0, 0.0);
        for ((lie, bucket), calls) in places {
            let rows = known.with_table(lie, |table| table.rows(bucket));
            let size = Size { rows, residency: lie.0, locked: lie.1 };
            let (mut mind, shared) = (known.mind(), self.0.shared());
            let judged = self.0.judge(known, &mut mind, &shared, size);
            let time = shared.prices.best(judged.iter().map(|(one, _)| one));
            sums = (sums.0 + calls, sums.1 + calls * time);
        }
        (sums.0, sums.1, known)
    }

    /// From how many rows on which device should come first, with all input in the host's memory.
    pub fn crossovers(&self, known: &Known) -> Vec<Crossover> {
        let (mut mind, shared) = (known.mind(), self.0.shared());
        let mut found: Vec<Crossover> = Vec::new();
        for bucket in 0..BUCKETS {
            let rows = (bucket as f64 / 2.0).exp2().ceil() as u64;
            let judged = self.0.judge(known, &mut mind, &shared, Size::host(rows));
            let cost = |(one, _): &(Judged, Basis)| shared.prices.cost(one);
            let first = judged.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).map_or(0, |(one, _)| one.arm);
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
        let Ledger { calls, time, best, worst_ratio, explorations, exploring, contended, failures, .. } = &self.ledger;
        json.raw("calls", calls).raw("time_ns", time).raw("best_ns", best).raw("lost_ns", self.ledger.lost());
        json.raw("share_of_best", self.ledger.share_of_best()).raw("worst_ratio", worst_ratio);
        json.raw("explorations", explorations).raw("exploring_ns", exploring).raw("contended", contended);
        json.raw("failures", failures).raw("rejected", self.ledger.rejected).raw("drifts", self.ledger.drifts);
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
        let part = if ledger.time > 0.0 { 100.0 * ledger.exploring / ledger.time } else { 0.0 };
        let Ledger { explorations, contended, failures, rejected, drifts, .. } = ledger;
        writeln!(f, "learning {explorations} explorations for {part:.2}% of all time, {drifts} drifts")?;
        write!(
            f,
            "calls    {} learned from, {contended} contended, {failures} failed, {rejected} no times",
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
    pub(in crate::select) fn used() -> (Selector, std::sync::Arc<Known>) {
        let arms = vec![
            Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 1)),
            Arm::new("card <&\"0\">", Profile { measured: true, ..Profile::guess(DeviceKind::Cuda, 132) }),
        ];
        let options = SelectorOptions { learns_behind: false, ..SelectorOptions::default() };
        let selector = Selector::new(arms, options).unwrap();
        let name = "sum \"x\"".to_string();
        let sum = Workload { key: 3, name, operations: [99.0; 5], read_per_row: 8.0, ..Workload::default() };
        let known = selector.know(&sum, ArmSet::ALL);
        for call in 0..60 {
            let size = Size::host(100 << (call % 20));
            let rank = selector.rank(&known, size, ArmSet::NONE);
            selector.observe(Observation::of(&known, size, rank, [400, 60_000][rank.first()] + size.rows * 2));
            selector.learn_now();
        }
        (selector, known)
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
