//! [`DeviceEstimate`]: what a call should take on a device. The model of the call's exact size, corrected by measured runs.
//!
//! Where this kernel ran at this size and input placement, the median of those runs decides, and nothing that was measured
//! elsewhere overrides it. Where it did not, runs at other sizes and placements correct the model as far as both times
//! consist of the same parts (launch, transfer, run), and the result stays between the device's physical lower bound and
//! [`CEILING`] times the model.

use super::Shared;
use super::features::{Class, Residency, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::model::Parts;
use super::timings::Timings;
use std::collections::BTreeMap;

/// The most that an unmeasured prediction exceeds the model.
const CEILING: f64 = 4.0;
/// The weight of the model itself among the corrections of other cells.
const MODEL_WEIGHT: f64 = 0.2;
/// A correction's weight halves with this many half-octaves between the sizes.
const DISTANCE_HALVING: f64 = 6.0;

/// Identifies the timings of a kernel on a device: where the input lies, and the size bucket.
pub(crate) type CellKey = (Class, u8);

/// All timings of a kernel on a device.
pub(crate) type Cells = BTreeMap<CellKey, Timings>;

/// What a call should take on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DeviceEstimate {
    pub(crate) device: usize,
    /// The time, part by part, corrected by what was measured.
    pub(crate) parts: Parts,
    /// Its total, in nanoseconds.
    pub(crate) time: f64,
    /// The time relative to the model.
    pub(crate) factor: f64,
    /// How far it may be off: the standard deviation of its logarithm.
    pub(crate) spread: f64,
    /// The runs at this size and placement that it stands on.
    pub(crate) runs: u32,
    /// Whether other work ran beside all of these runs.
    pub(crate) is_contended: bool,
    /// The time without these runs, and its spread.
    pub(crate) unmeasured: f64,
    pub(crate) unmeasured_spread: f64,
    /// The least time that the device could take.
    pub(crate) lower_bound: f64,
}

/// What runs of all kernels on a device say about its guessed profile: how many times as long its launches, transfers and
/// runs take, as the median of the last times that consist of one part for the most part.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuessBias([Timings; 3]);

/// A time consists of one part for the most part if this share of it is that part.
const DOMINANT_SHARE: f64 = 0.7;
/// The most that a bias changes a prediction, as a factor.
const BIAS_MAX: f64 = 4.0;

impl GuessBias {
    /// Records a run that took e^`ratio` times the model.
    pub(crate) fn record(&mut self, model: &Parts, ratio: f64) {
        let dominant = shares(model).into_iter().position(|share| share >= DOMINANT_SHARE);
        dominant.iter().for_each(|&part| self.0[part].record(ratio, 0, false));
    }

    /// The correction of a modelled time.
    fn correction(&self, model: &Parts) -> f64 {
        let corrections = shares(model).into_iter().zip(&self.0).map(|(share, bias)| share * bias.center());
        corrections.sum::<f64>().clamp(-BIAS_MAX.ln(), BIAS_MAX.ln())
    }
}

impl KernelState {
    /// What a call should take on each device that can run it.
    pub(super) fn estimates(&self, kernel: &KernelStats, shared: &Shared, size: Size) -> Vec<DeviceEstimate> {
        let able = (0..shared.profiles.len()).filter(|device| kernel.devices.has(*device));
        able.map(|device| self.estimate(kernel, shared, device, size)).collect()
    }

    /// What a call should take on a device.
    pub(super) fn estimate(&self, kernel: &KernelStats, shared: &Shared, device: usize, size: Size) -> DeviceEstimate {
        let (workload, cells, profile) = (&kernel.workload, &self.cells[device], &shared.profiles[device].profile);
        // As the last run at sizes like this one showed it.
        let output_per_row = self.output_per_row(workload, size.bucket());
        let predict = |size: Size| shared.profiles.predict(device, workload, size, output_per_row);
        let model = predict(size);
        let bound = shared.profiles.lower_bound(device, workload, size, output_per_row);
        let key = (size.class(device), size.bucket());
        let own = cells.get(&key).filter(|timings| !timings.is_empty());
        let bias = if profile.measured { 0.0 } else { shared.biases[device].correction(&model) };
        let (correction, weight) = borrowed(cells, key, &model, bias, predict);
        let unmeasured_spread = profile.spread / (1.0 + weight);
        let least = (bound / model.total()).min(1.0);
        let unmeasured = correction.exp().clamp(least, CEILING);
        let (factor, spread, runs) = match own {
            Some(timings) => (timings.center().exp(), timings.spread(), timings.runs()),
            None => (unmeasured, unmeasured_spread, 0),
        };
        let parts = model.times(factor);
        DeviceEstimate {
            device,
            parts,
            time: parts.total(),
            factor,
            spread,
            runs,
            is_contended: own.is_some_and(|timings| timings.is_contended),
            unmeasured: unmeasured * model.total(),
            unmeasured_spread,
            // What was measured is possible.
            lower_bound: bound.min(parts.total()),
        }
    }
}

/// The correction that the bias of a guessed profile and other cells of the kernel suggest, and the weight of these cells.
fn borrowed(cells: &Cells, key: CellKey, model: &Parts, bias: f64, predict: impl Fn(Size) -> Parts) -> (f64, f64) {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (&(class, bucket), timings) in cells.iter().filter(|(own, timings)| **own != key && !timings.is_empty()) {
        let overlap = overlap(model, &predict(sample_size(class, timings.rows)));
        let distance = (f64::from(bucket) - f64::from(key.1)).abs();
        let weight = overlap * overlap * (-distance / DISTANCE_HALVING).exp2();
        sum += weight * overlap * timings.center();
        weights += weight;
    }
    ((sum + MODEL_WEIGHT * bias) / (weights + MODEL_WEIGHT), weights)
}

/// A call of the rows and placement that some timings belong to.
pub(crate) fn sample_size(class: Class, rows: u64) -> Size {
    match class {
        Class::Resident => Size::resident(rows),
        Class::Partial => Size { residency: Residency(0x8888_8888), ..Size::host(rows) },
        Class::Pageable => Size::host(rows),
        Class::Locked => Size { locked: true, ..Size::host(rows) },
    }
}

/// The shares of launch, transfer and run in a time.
fn shares(parts: &Parts) -> [f64; 3] {
    [parts.launch, parts.transfer, parts.run].map(|part| part / parts.total().max(f64::MIN_POSITIVE))
}

/// How far two times consist of the same parts: 1 for equal shares of launch, transfer and run, 0 for none in common.
fn overlap(one: &Parts, other: &Parts) -> f64 {
    shares(one).into_iter().zip(shares(other)).map(|(a, b)| a.min(b)).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{Arm, ArmSet, Profile, Selector, SelectorOptions, Workload};
    use super::*;
    use pointsman_device::DeviceKind;

    /// The estimate of a call on a device that runs this workload, as a multiple of the model.
    fn multiple(profile: &Profile, bias: &GuessBias, cells: &Cells, size: Size) -> f64 {
        let workload = Workload { read_per_row: 8.0, input_per_row: 8.0, launches: 1, ..Workload::default() };
        let arms = vec![Arm::new("cpu", profile.clone()), Arm::new("card", profile.clone())];
        let selector = Selector::new(arms, SelectorOptions::default()).unwrap();
        let kernel = selector.register(&workload, ArmSet::ALL);
        let (mut state, mut shared) = (kernel.state.lock(), selector.0.shared.lock());
        (state.cells[1], shared.biases[1]) = (cells.clone(), bias.clone());
        state.estimate(&kernel, &shared, 1, size).time / state.model(&kernel, &shared.profiles, 1, size).total()
    }

    /// Checks the estimate of a call after runs that took this many times the model.
    fn check(measured: &[(Size, f64)], size: Size, range: std::ops::Range<f64>) {
        let profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cuda, 132) };
        let mut cells = Cells::new();
        for (size, times) in measured {
            let timings = cells.entry((size.class(1), size.bucket())).or_default();
            timings.record(times.ln(), size.rows, false);
        }
        let times = multiple(&profile, &GuessBias::default(), &cells, size);
        assert!(range.contains(&times), "{measured:?} → {size:?}: {times} not in {range:?}");
    }

    #[test]
    fn own_measurements_win_over_everything_else() {
        let at = Size::resident(1 << 20);
        let others: Vec<(Size, f64)> = (10..30).map(|octave| (Size::resident(1 << octave), 50.0)).collect();
        let others = others.into_iter().filter(|(size, _)| size.bucket() != at.bucket());
        let all: Vec<(Size, f64)> = others.chain([(at, 0.9)]).collect();
        check(&all, at, 0.8999..0.9001);
    }

    #[test]
    fn near_sizes_correct_more_than_distant_ones() {
        let large = 1 << 28;
        check(&[(Size::resident(large), 2.0)], Size::resident(large * 2), 1.6..2.0);
        check(&[(Size::resident(large), 2.0)], Size::resident(large << 8), 1.1..1.6);
    }

    #[test]
    fn other_parts_say_little() {
        // A launch that takes long says nothing about the run of many rows, and a copy little about what is resident.
        check(&[(Size::resident(100), 3.0)], Size::resident(1 << 30), 0.9..1.1);
        check(&[(Size::host(1 << 28), 3.0)], Size::resident(1 << 28), 0.9..1.2);
    }

    #[test]
    fn runs_of_other_kernels_correct_a_guessed_profile() {
        let (profile, mut bias) = (Profile::guess(DeviceKind::Cuda, 132), GuessBias::default());
        let times = |bias: &GuessBias, profile: &Profile, size: Size| multiple(profile, bias, &Cells::new(), size);
        let copies = Parts { launch: 1.0, transfer: 98.0, run: 1.0 };
        (0..5).for_each(|_| bias.record(&copies, 0.4f64.ln()));
        bias.record(&Parts { launch: 1.0, transfer: 1.0, run: 1.0 }, 5.0);
        assert!((times(&bias, &profile, Size::host(1 << 28)) - 0.4).abs() < 0.03, "copies are faster than guessed");
        assert!(times(&bias, &profile, Size::resident(1 << 30)) > 0.95, "that says nothing about runs");
        let measured = Profile { measured: true, ..profile };
        assert_eq!(times(&bias, &measured, Size::host(1 << 28)), 1.0, "a measured profile is not corrected");
    }

    #[test]
    fn guesses_stay_between_the_bound_and_the_ceiling() {
        let size = Size::resident(1 << 28);
        check(&[(Size::resident(1 << 27), 1e6)], size, 1.0..CEILING + 1e-9);
        check(&[(Size::resident(1 << 27), 1e-6)], size, 0.5..1.0);
    }
}
