//! What devices are compared by: time, or energy where it is known what they draw. Times themselves stay what they are.

use super::decide::Cause;
use super::features::ARMS_MAX;
use super::outlook::Judged;
use super::{Inner, Selector};
use std::borrow::Cow;

/// What a call should take least of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Time.
    #[default]
    Time,
    /// Energy: the predicted time on a device, times what it draws then beyond what it draws idle. Devices of which that
    /// is not known are not compared; if it is not known of the first, none is, and that one comes first.
    Energy,
}

/// Watts that differ from those that are known by less than this part are the same.
const NOTICED: f64 = 0.02;

/// What a nanosecond of each device counts for.
#[derive(Clone, Debug)]
pub(super) struct Prices {
    goal: Goal,
    watts: [Option<f64>; ARMS_MAX],
    /// Relative to the device that draws least; infinite for those that cannot be compared.
    factors: [f64; ARMS_MAX],
}

impl Prices {
    pub(super) fn new(goal: Goal) -> Prices {
        let mut prices = Prices { goal, watts: [None; ARMS_MAX], factors: [1.0; ARMS_MAX] };
        prices.renew();
        prices
    }

    /// What a device draws; whether that differs from what was known.
    fn set(&mut self, arm: usize, watts: f64) -> bool {
        let differs = self.watts[arm].is_none_or(|old| (watts / old - 1.0).abs() > NOTICED);
        if differs {
            self.watts[arm] = Some(watts);
            self.renew();
        }
        differs
    }

    fn renew(&mut self) {
        if self.goal == Goal::Time {
            return;
        }
        let least = self.watts.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let is_compared = self.watts[0].is_some();
        let factor = |watts: &Option<f64>| watts.filter(|_| is_compared).map_or(f64::INFINITY, |watts| watts / least);
        self.factors = std::array::from_fn(|arm| factor(&self.watts[arm]));
    }

    /// Whether a device can be compared with others.
    pub(super) fn compares(&self, arm: usize) -> bool {
        self.factors[arm].is_finite()
    }

    /// What a device should take of what counts.
    pub(super) fn cost(&self, one: &Judged) -> f64 {
        one.time * self.factors[one.arm]
    }

    /// Devices with what they should take of what counts in the place of time.
    pub(super) fn of<'j>(&self, judged: &'j [Judged]) -> Cow<'j, [Judged]> {
        match self.goal {
            Goal::Time => Cow::Borrowed(judged),
            Goal::Energy => judged.iter().map(|one| Judged { time: self.cost(one), ..*one }).collect(),
        }
    }

    /// The time of the device that takes least of what counts.
    pub(super) fn best<'a>(&self, judged: impl IntoIterator<Item = &'a Judged>) -> f64 {
        let best = judged.into_iter().min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)));
        best.map_or(f64::MAX, |one| one.time)
    }
}

impl Selector {
    /// What devices are compared by.
    pub fn goal(&self) -> Goal {
        self.0.options.goal
    }

    /// Tells what a device draws while it works, beyond what it draws idle, in watts. What is no number above zero says
    /// nothing.
    pub fn set_watts(&self, arm: usize, watts: f64) {
        if arm >= self.0.names.len() || !(watts > 0.0 && watts.is_finite()) {
            return;
        }
        let differs = self.0.shared().prices.set(arm, watts);
        if differs && self.goal() == Goal::Energy {
            self.0.all_known().iter().for_each(|known| self.0.publish_all(known, Cause::Taught));
        }
    }

    /// What a device draws while it works, beyond what it draws idle, in watts; `None` if nobody told.
    pub fn watts(&self, arm: usize) -> Option<f64> {
        self.0.shared().prices.watts.get(arm).copied().flatten()
    }
}

impl Inner {
    /// What a device draws, where devices are compared by that.
    pub(super) fn watts_compared(&self, prices: &Prices, arm: usize) -> Option<f64> {
        prices.watts[arm].filter(|_| self.options.goal == Goal::Energy)
    }
}

/// Joules for people.
pub(crate) fn joules(joules: f64) -> String {
    match joules {
        big if big >= 1e3 => format!("{:.1} kJ", big / 1e3),
        one if one >= 1.0 => format!("{one:.1} J"),
        small if small >= 1e-3 => format!("{:.1} mJ", small * 1e3),
        tiny => format!("{:.1} µJ", tiny * 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::estimator::{Arm, ArmSet, Curve, Observation, Profile, SelectorOptions, Size, Workload};
    use pointsman_device::DeviceKind;

    /// A device that takes so many nanoseconds, whatever the rows.
    fn arm(name: &str, launch: f64) -> Arm {
        let fast = || Curve::flat(1e15);
        let guess = Profile::guess(DeviceKind::Cpu, 1);
        Arm::new(name, Profile { launch, read: fast(), write: fast(), operations: [0.0; 5], spread: 0.05, ..guess })
    }

    fn selector(goal: Goal) -> Selector {
        let options = SelectorOptions { goal, learns_behind: false, ..SelectorOptions::default() };
        Selector::new(vec![arm("cpu", 9e6), arm("quick", 1e6), arm("slow", 4e6)], options).expect("three devices")
    }

    fn order(selector: &Selector) -> Vec<usize> {
        let known = selector.know(&Workload { key: 1, ..Workload::default() }, ArmSet::ALL);
        selector.rank(&known, Size::host(1000), ArmSet::NONE).arms().collect()
    }

    #[test]
    fn watts_change_the_order_where_energy_counts() {
        let by_time = selector(Goal::Time);
        [1.0, 500.0, 50.0].into_iter().enumerate().for_each(|(arm, watts)| by_time.set_watts(arm, watts));
        assert_eq!(order(&by_time), [1, 2, 0]);
        let by_energy = selector(Goal::Energy);
        assert_eq!(order(&by_energy), [0, 1, 2], "nothing is known");
        by_energy.set_watts(1, 500.0);
        by_energy.set_watts(2, 50.0);
        assert_eq!(order(&by_energy)[0], 0, "it is not known what the first draws");
        by_energy.set_watts(0, 100.0);
        assert_eq!(order(&by_energy), [2, 1, 0], "0.2 J, 0.5 J and 0.9 J");
        for nothing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            by_energy.set_watts(2, nothing);
        }
        by_energy.set_watts(9, 1.0);
        by_energy.set_watts(2, 50.5);
        assert_eq!(by_energy.watts(2), Some(50.0), "a hundredth more is the same");
        by_energy.set_watts(2, 400.0);
        assert_eq!(order(&by_energy), [1, 0, 2], "0.5 J, 0.9 J and 1.6 J");
    }

    #[test]
    fn one_of_which_nothing_is_known_comes_last_and_is_never_explored() {
        let selector = selector(Goal::Energy);
        selector.set_watts(0, 100.0);
        selector.set_watts(2, 50.0);
        assert_eq!(order(&selector), [2, 0, 1]);
        let known = selector.know(&Workload { key: 1, ..Workload::default() }, ArmSet::ALL);
        for call in 0..5000 {
            selector.advance_to(std::time::Duration::from_secs(call));
            let rank = selector.rank(&known, Size::host(1000), ArmSet::NONE);
            assert_ne!(rank.first(), 1, "call {call}");
            let took = if rank.first() == 0 { 9_000_000 } else { 4_000_000 };
            selector.observe(Observation::of(&known, Size::host(1000), rank, took));
            selector.learn_now();
        }
        let ledger = selector.ledger();
        assert!(ledger.arms[2].0 > 4900 && ledger.explorations > 0, "{ledger:?}");
        assert!(ledger.worst_ratio < 1.01, "the quickest is not what they are measured by: {ledger:?}");
    }

    #[test]
    fn what_is_spent_on_exploring_is_time() {
        // One that draws next to nothing, and would take hours, makes the others' price high, not their times.
        let explorations = |least: f64| {
            let options = SelectorOptions { goal: Goal::Energy, learns_behind: false, ..SelectorOptions::default() };
            let arms = vec![arm("cpu", 1e6), arm("as quick", 1.2e6), arm("frugal", 1e16)];
            let selector = Selector::new(arms, options).expect("three devices");
            [100.0, 100.0, least].into_iter().enumerate().for_each(|(arm, watts)| selector.set_watts(arm, watts));
            let known = selector.know(&Workload { key: 1, ..Workload::default() }, ArmSet::ALL);
            for call in 0..5000 {
                selector.advance_to(std::time::Duration::from_secs(call));
                let rank = selector.rank(&known, Size::host(1000), ArmSet::NONE);
                let took = if rank.first() == 0 { 1_000_000 } else { 1_200_000 };
                selector.observe(Observation::of(&known, Size::host(1000), rank, took));
                selector.learn_now();
            }
            selector.ledger().explorations
        };
        let (alike, frugal) = (explorations(100.0), explorations(1e-4));
        assert!(alike > 0 && frugal == alike, "{alike} {frugal}");
    }

    #[test]
    fn what_is_expected_stays_a_time() {
        let selector = selector(Goal::Energy);
        [100.0, 500.0, 50.0].into_iter().enumerate().for_each(|(arm, watts)| selector.set_watts(arm, watts));
        let known = selector.know(&Workload { key: 1, ..Workload::default() }, ArmSet::ALL);
        let ranking = selector.explain(&known, Size::host(1000), ArmSet::NONE);
        let told: Vec<_> = ranking.predictions.iter().map(|one| (one.time().round(), one.joules())).collect();
        let near = |joules: Option<f64>, expected: f64| joules.is_some_and(|own| (own / expected - 1.0).abs() < 1e-3);
        assert!(told[0].0 == 4e6 && near(told[0].1, 0.2) && near(told[1].1, 0.5) && near(told[2].1, 0.9), "{told:?}");
        assert_eq!(ranking.why(), "200.0 mJ predicted, 500.0 mJ on quick");
        assert_eq!(ranking.cheapest_but("slow").map(|one| one.device.as_str()), Some("quick"));
        assert_eq!(ranking.cheapest_but("quick").map(|one| one.device.as_str()), Some("slow"));
    }

    #[test]
    fn calls_that_take_as_long_as_expected_are_usual_whatever_they_draw() {
        let selector = selector(Goal::Energy);
        [1.0, 8.0, 8.0].into_iter().enumerate().for_each(|(arm, watts)| selector.set_watts(arm, watts));
        let known = selector.know(&Workload { key: 1, ..Workload::default() }, ArmSet::ALL);
        let rank = || selector.settled(&known, Size::host(1000), ArmSet::NONE);
        for _ in 0..500 {
            assert_eq!(rank().first(), 1, "8 mJ instead of 9 mJ");
            selector.observe(Observation::of(&known, Size::host(1000), rank(), 1_000_000));
            selector.learn_now();
        }
        assert!(!rank().is_worth_learning(1_000_000, 1) && rank().is_worth_learning(8_000_000, 1));
    }

    #[test]
    fn joules_are_written_for_people() {
        let told = [12_345.0, 12.34, 0.5, 3e-6].map(joules);
        assert_eq!(told, ["12.3 kJ", "12.3 J", "500.0 mJ", "3.0 µJ"]);
    }
}
