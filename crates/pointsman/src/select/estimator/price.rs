//! What devices are compared by: time, or energy where the power of the devices is known.

use super::Selector;
use super::estimate::DeviceEstimate;
use super::features::ARMS_MAX;

/// The quantity that a choice minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// Time.
    #[default]
    Time,
    /// Energy: the predicted time on a device, times the power that it draws at work beyond idle. Devices of unknown
    /// power are never chosen; if the power of the first device is unknown, that device is always chosen.
    Energy,
}

/// The quantity by which devices are compared, and the power of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prices {
    pub(super) goal: Goal,
    pub(super) watts: [Option<f64>; ARMS_MAX],
    /// Why the power of a device could not be measured.
    pub(super) why_unknown: [Option<String>; ARMS_MAX],
}

impl Prices {
    /// The cost of a nanosecond on a device; infinite if it cannot be compared.
    fn factor(&self, arm: usize) -> f64 {
        match self.goal {
            Goal::Time => 1.0,
            Goal::Energy => self.watts[0].and(self.watts[arm]).unwrap_or(f64::INFINITY),
        }
    }

    /// Whether a device can be compared with others.
    pub(crate) fn compares(&self, arm: usize) -> bool {
        self.factor(arm).is_finite()
    }

    /// Why a device cannot be compared by energy; `None` if it can, or time counts.
    pub(super) fn why_unknown(&self, arm: usize) -> Option<String> {
        let is_unknown = self.goal == Goal::Energy && self.watts[arm].is_none();
        is_unknown.then(|| self.why_unknown[arm].clone().unwrap_or_else(|| "it is not measured yet".to_string()))
    }

    /// The cost of a call on a device.
    pub(crate) fn cost(&self, estimate: &DeviceEstimate) -> f64 {
        estimate.time * self.factor(estimate.device)
    }

    /// The estimate with the lowest cost.
    pub(super) fn best<'a>(&self, estimates: &'a [DeviceEstimate]) -> Option<&'a DeviceEstimate> {
        estimates.iter().min_by(|a, b| self.cost(a).total_cmp(&self.cost(b)))
    }
}

impl Selector {
    /// Whether runs change later choices.
    pub(crate) fn learns(&self) -> bool {
        self.0.options.learns
    }

    /// The quantity by which devices are compared.
    pub fn goal(&self) -> Goal {
        self.0.options.goal
    }

    /// Sets the power of a device at work beyond idle, in watts. Values that are not positive numbers are ignored.
    pub fn set_watts(&self, arm: usize, watts: f64) {
        if arm >= self.0.names.len() || !(watts > 0.0 && watts.is_finite()) {
            return;
        }
        self.0.shared.lock().prices.watts[arm] = Some(watts);
        if self.goal() == Goal::Energy {
            self.0.update_kernels(|_, _, _| {});
        }
    }

    /// Says why the power of a device could not be measured, for rankings. Returns whether the reason is a new one.
    pub(crate) fn set_watts_unknown(&self, arm: usize, why: &str) -> bool {
        let old = self.0.shared.lock().prices.why_unknown[arm].replace(why.to_string());
        old.as_deref() != Some(why)
    }

    /// The power of a device at work beyond idle, in watts; `None` if it was never set.
    pub fn watts(&self, arm: usize) -> Option<f64> {
        self.0.shared.lock().prices.watts.get(arm).copied().flatten()
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
