//! [`DeviceEstimate`]: what a call should take on a device. The model of the call's exact size, corrected by measured
//! runs.
//!
//! Where this kernel ran at this size and input placement, the median of those runs decides, and nothing that was
//! measured elsewhere overrides it. Where it did not, runs at other sizes and placements correct the model to the
//! extent that both times consist of the same parts (launch, transfer, run), and the result stays between the device's
//! physical lower bound and [`CEILING`] times the model.

use super::Shared;
use super::features::{Class, Octave, Residency, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::model::{Parts, lower_bound, predict};
use super::timings::Timings;
use std::collections::BTreeMap;

/// The maximum factor by which an unmeasured prediction exceeds the model.
const CEILING: f64 = 4.0;
/// The weight of the model itself among the corrections of other cells.
const MODEL_WEIGHT: f64 = 0.2;
/// A correction's weight halves with this many half-octaves between the sizes.
const DISTANCE_HALVING: f64 = 6.0;

/// Identifies the timings of a kernel on a device. Times are compared only between calls with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CellKey {
    pub(crate) class: Class,
    /// The half-octave of the rows.
    pub(crate) bucket: u8,
    pub(crate) working_set: Octave,
    pub(crate) output: Octave,
}

impl CellKey {
    /// The cell of a call on a device.
    pub(crate) fn of(size: Size, device: usize) -> CellKey {
        let Size { working_set, output, .. } = size;
        CellKey { class: size.class(device), bucket: size.bucket(), working_set, output }
    }

    /// A call of this cell, with these rows.
    pub(crate) fn sample(self, rows: u64) -> Size {
        let size = match self.class {
            Class::Resident => Size::resident(rows),
            Class::Partial => Size { residency: Residency(0x8888_8888), ..Size::host(rows) },
            Class::Pageable => Size::host(rows),
            Class::Locked => Size { locked: true, ..Size::host(rows) },
        };
        Size { working_set: self.working_set, output: self.output, ..size }
    }

    /// The distance of two cells, in half-octaves.
    fn distance(self, other: CellKey) -> f64 {
        let octaves = |one: Octave, other: Octave| 2.0 * f64::from(one.0.abs_diff(other.0));
        f64::from(self.bucket.abs_diff(other.bucket))
            + octaves(self.working_set, other.working_set)
            + octaves(self.output, other.output)
    }
}

/// All timings of a kernel on a device.
pub(crate) type Cells = BTreeMap<CellKey, Timings>;

/// What a call should take on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DeviceEstimate {
    pub(crate) device: usize,
    /// The time, part by part, corrected by measured runs.
    pub(crate) parts: Parts,
    /// Its total, in nanoseconds.
    pub(crate) time: f64,
    /// The uncertainty of the time: the standard deviation of its logarithm.
    pub(crate) spread: f64,
    /// The number of runs at this size and placement that the estimate is based on.
    pub(crate) runs: u32,
    /// Whether one of them was undisturbed.
    pub(crate) has_clean_runs: bool,
    /// The least time that the device could take.
    pub(crate) lower_bound: f64,
    /// The time that the next run should take. It differs from the estimate after a single run that was implausibly
    /// slow: it was probably cold or disturbed, and should not keep the device from being tried again.
    pub(crate) next: f64,
}

impl KernelState {
    /// What a call should take on each device that can run it.
    pub(super) fn estimates(&self, kernel: &KernelStats, shared: &Shared, size: Size) -> Vec<DeviceEstimate> {
        let able = (0..shared.arms.len()).filter(|device| kernel.devices.has(*device));
        able.map(|device| self.estimate(kernel, shared, device, size)).collect()
    }

    /// What a call should take on a device.
    pub(super) fn estimate(&self, kernel: &KernelStats, shared: &Shared, device: usize, size: Size) -> DeviceEstimate {
        let (workload, cells, profile) = (&kernel.workload, &self.cells[device], &shared.arms[device].profile);
        // From the last run at a similar size.
        let output_per_row = self.output_per_row(workload, size);
        let model_of = |size: Size| predict(profile, workload, size, device, output_per_row);
        let model = model_of(size);
        let bound = lower_bound(profile, workload, size, device, output_per_row);
        let key = CellKey::of(size, device);
        let own = cells.get(&key).filter(|timings| !timings.is_empty());
        let (correction, weight) = borrowed(cells, key, &model, model_of);
        let guess_spread = profile.spread / (1.0 + weight);
        let guess = correction.exp().clamp((bound / model.total()).min(1.0), CEILING);
        let (factor, spread, runs) = match own {
            Some(timings) => (timings.center().exp(), timings.spread(), timings.runs()),
            None => (guess, guess_spread, 0),
        };
        let parts = model.times(factor);
        let next_factor = match own.is_some_and(|own| own.is_unconfirmed) {
            true => factor.min(guess * guess_spread.exp()),
            false => factor,
        };
        // A measured time cannot be below the bound.
        let lower_bound = bound.min(parts.total());
        DeviceEstimate {
            device,
            parts,
            time: parts.total(),
            spread,
            runs,
            has_clean_runs: own.is_some_and(Timings::has_clean_runs),
            lower_bound,
            next: next_factor * model.total(),
        }
    }
}

/// The correction that other cells of the kernel suggest, and their weight.
fn borrowed(cells: &Cells, key: CellKey, model: &Parts, predict: impl Fn(Size) -> Parts) -> (f64, f64) {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (other, timings) in cells.iter().filter(|(own, timings)| **own != key && !timings.is_empty()) {
        let overlap = overlap(model, &predict(other.sample(timings.rows)));
        let weight = overlap * overlap * (-key.distance(*other) / DISTANCE_HALVING).exp2();
        sum += weight * overlap * timings.center();
        weights += weight;
    }
    (sum / (weights + MODEL_WEIGHT), weights)
}

/// The overlap of the parts of two times: 1 for equal shares of launch, transfer and run, 0 for none in common.
fn overlap(one: &Parts, other: &Parts) -> f64 {
    let shares = |parts: &Parts| {
        [parts.launch, parts.transfer, parts.run].map(|part| part / parts.total().max(f64::MIN_POSITIVE))
    };
    shares(one).into_iter().zip(shares(other)).map(|(a, b)| a.min(b)).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::timings::RunQuality;
    use super::super::{Arm, ArmSet, Profile, Selector, SelectorOptions, Workload};
    use super::*;
    use pointsman_device::DeviceKind;

    /// The estimate of a call on a device that runs this workload, as a multiple of the model.
    fn multiple(profile: &Profile, cells: &Cells, size: Size) -> f64 {
        let workload = Workload { read_per_row: 8.0, input_per_row: 8.0, launches: 1, ..Workload::default() };
        let arms = vec![Arm::new("cpu", profile.clone()), Arm::new("card", profile.clone())];
        let selector = Selector::new(arms, SelectorOptions::default()).unwrap();
        let kernel = selector.register(&workload, ArmSet::ALL);
        let (mut state, shared) = (kernel.state.lock(), selector.0.shared.lock());
        state.cells[1] = cells.clone();
        state.estimate(&kernel, &shared, 1, size).time / state.model(&kernel, &shared.arms, 1, size).total()
    }

    /// Checks the estimate of a call after runs that took this many times the model.
    fn check(measured: &[(Size, f64)], size: Size, range: std::ops::Range<f64>) {
        let profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cuda, 132) };
        let mut cells = Cells::new();
        for (size, times) in measured {
            let timings = cells.entry(CellKey::of(*size, 1)).or_default();
            (0..2).for_each(|_| timings.record(times.ln(), size.rows, RunQuality::Undisturbed));
        }
        let times = multiple(&profile, &cells, size);
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
        // A slow launch does not predict the run of many rows, and a slow copy hardly predicts resident runs.
        check(&[(Size::resident(100), 3.0)], Size::resident(1 << 30), 0.9..1.1);
        check(&[(Size::host(1 << 28), 3.0)], Size::resident(1 << 28), 0.9..1.2);
    }

    #[test]
    fn guesses_stay_between_the_bound_and_the_ceiling() {
        let size = Size::resident(1 << 28);
        check(&[(Size::resident(1 << 27), 1e6)], size, 1.0..CEILING + 1e-9);
        check(&[(Size::resident(1 << 27), 1e-6)], size, 0.5..1.0);
    }
}
