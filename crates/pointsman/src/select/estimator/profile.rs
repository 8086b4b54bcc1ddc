//! [`Profile`]: how fast a device is, as curves over size. Measured by `calibration/`, or guessed from what the device is.

use super::features::{CLASSES, SINKS};
use pointsman_device::DeviceKind;

/// How many points a curve has at most.
pub const CURVE_POINTS_MAX: usize = 32;

/// Nanoseconds a byte over a size in bytes: points by rising size, straight lines between their logarithms, constant
/// beyond the ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The logarithm to base 2 of a size, and that of the nanoseconds a byte there.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// A curve through these points: sizes in bytes, with the nanoseconds that a byte takes there. Points that are no
    /// positive finite numbers are left out, and of more than [`CURVE_POINTS_MAX`] the last.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
        let is_sound =
            |&(bytes, each): &(f64, f64)| bytes >= 1.0 && bytes.is_finite() && each > 0.0 && each.is_finite();
        let sound = points.into_iter().filter(is_sound).take(CURVE_POINTS_MAX);
        let mut points: Vec<(f64, f64)> = sound.map(|(bytes, each)| (bytes.log2(), each.log2())).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        Curve { points }
    }

    /// The same speed at every size, in bytes a second.
    pub fn flat(bytes_per_second: f64) -> Curve {
        Curve::new([(1.0, 1e9 / bytes_per_second)])
    }

    /// Nanoseconds a byte at a size; 0 of a curve without points.
    pub fn each(&self, bytes: f64) -> f64 {
        let Some((&first, &last)) = self.points.first().zip(self.points.last()) else { return 0.0 };
        let at = bytes.max(1.0).log2();
        if at <= first.0 || at >= last.0 {
            return if at <= first.0 { first.1 } else { last.1 }.exp2();
        }
        let right = self.points.partition_point(|point| point.0 <= at);
        let (a, b) = (self.points[right - 1], self.points[right]);
        (a.1 + (b.1 - a.1) * (at - a.0) / (b.0 - a.0)).exp2()
    }

    /// Its points: sizes in bytes, and the nanoseconds a byte takes there.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        self.points.iter().map(|(bytes, each)| (bytes.exp2(), each.exp2()))
    }

    /// The least nanoseconds per byte at any size from a quarter of this one on; 0 for a curve without points.
    pub(crate) fn least_from(&self, bytes: f64) -> f64 {
        let from = bytes.max(1.0).log2() - 2.0;
        let larger = self.points.iter().filter(|point| point.0 >= from).map(|point| point.1).reduce(f64::min);
        larger.or(self.points.last().map(|point| point.1)).map_or(0.0, f64::exp2)
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}

/// Copies between the host and a device, in one direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// From or to memory that the system may move.
    pub pageable: Curve,
    /// From or to memory that stays where it is.
    pub locked: Curve,
}

/// What a kernel takes on a device by its sink.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SinkCost {
    /// Nanoseconds that its launch takes more than one that stores.
    pub launch: f64,
    /// How many times as long its memory takes as reading and writing the same bytes, over the bytes that it touches;
    /// without points: once.
    pub times: Curve,
}

/// How fast a device is.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Nanoseconds of a launch without rows, until its result is there.
    pub launch: f64,
    /// What sinks take beyond that and beyond their bytes, by [`SinkKind`](super::SinkKind).
    pub sinks: [SinkCost; SINKS],
    /// Reading, over the bytes that a kernel touches in all.
    pub read: Curve,
    /// Writing, over the same.
    pub write: Curve,
    /// Nanoseconds of an operation by class, all units of the device at work ([`CLASSES`]).
    pub operations: [f64; CLASSES],
    /// How many times as long arithmetic takes that is too little for all units to help, over the nanoseconds that it would
    /// take with all of them; without points: once.
    pub ramp: Curve,
    /// Copies to the device; without points where it works in the host's memory.
    pub copy_in: Link,
    /// Copies from it.
    pub copy_out: Link,
    /// Nanoseconds that a copy takes before its first byte.
    pub copy_start: f64,
    /// Nanoseconds to compile a kernel.
    pub compile: f64,
    /// The bytes that a query may take of its memory; `None` where that is the host's, or nobody knows.
    pub memory: Option<u64>,
    /// How far a prediction from this may be off: the standard deviation of its natural logarithm.
    pub spread: f64,
    /// Whether it was measured, on this machine.
    pub measured: bool,
}

/// The spread of predictions from a measured profile, and from a guess.
pub const SPREAD_MEASURED: f64 = 0.35;
pub(super) const SPREAD_GUESSED: f64 = 0.8;
/// One unit of a processor does what would take it this many nanoseconds; for twice that all help.
const ALONE: f64 = 1.5e4;

impl Profile {
    /// All of its numbers, each with a name, in an order that stays: for those who write them down.
    pub fn numbers(&mut self) -> Vec<(String, &mut f64)> {
        let Profile { launch, copy_start, compile, spread, operations, sinks, .. } = self;
        let own = [("launch", launch), ("copy-start", copy_start), ("compile", compile), ("spread", spread)];
        let own = own.into_iter().map(|(name, number)| (name.to_string(), number));
        let operations = operations.iter_mut().enumerate().map(|(class, each)| (format!("operation-{class}"), each));
        let sinks = sinks.iter_mut().enumerate().map(|(sink, cost)| (format!("sink-launch-{sink}"), &mut cost.launch));
        own.chain(operations).chain(sinks).collect()
    }

    /// All of its curves, in the same way.
    pub fn curves(&mut self) -> Vec<(String, &mut Curve)> {
        let Profile { read, write, ramp, copy_in, copy_out, sinks, .. } = self;
        let own = [
            ("read", read),
            ("write", write),
            ("ramp", ramp),
            ("in", &mut copy_in.pageable),
            ("in-locked", &mut copy_in.locked),
            ("out", &mut copy_out.pageable),
            ("out-locked", &mut copy_out.locked),
        ];
        let own = own.into_iter().map(|(name, curve)| (name.to_string(), curve));
        let sinks = sinks.iter_mut().enumerate().map(|(sink, cost)| (format!("sink-{sink}"), &mut cost.times));
        own.chain(sinks).collect()
    }

    /// What a device of a kind with so many units may be like, until it is measured.
    pub fn guess(kind: DeviceKind, units: usize) -> Profile {
        let units = units.max(1) as f64;
        let is_host = kind == DeviceKind::Cpu;
        // Most cards have 16 lanes of PCIe 4 or 5, and CUDA copies pageable memory through threads that keep up with them.
        let [pageable, locked] = if kind == DeviceKind::Cuda { [20e9, 30e9] } else { [8e9, 20e9] };
        let link = || Link { pageable: Curve::flat(pageable), locked: Curve::flat(locked) };
        // A core reads some ten gigabytes a second, and cards have about twice as many for each multiprocessor.
        let bandwidth = if is_host { 12e9 * units.min(16.0) } else { 20e9 * units };
        let rate = if is_host { 8e9 * units } else { 60e9 * units };
        let ramp = [(ALONE / units, units), (2.0 * ALONE / units, 1.0)];
        let (launch, compile) = match kind {
            DeviceKind::Cpu => (300.0, 1e6),
            DeviceKind::Cuda => (8e3, 2.5e8),
            DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 | DeviceKind::Sim => (6e4, 2e7),
        };
        Profile {
            launch,
            sinks: Default::default(),
            read: Curve::flat(bandwidth),
            write: Curve::flat(bandwidth),
            operations: [1.0, 1.0, 8.0, 1.5, 25.0].map(|times| times * 1e9 / rate),
            ramp: Curve::new(ramp.into_iter().filter(|_| is_host && units > 1.0)),
            copy_in: if is_host { Link::default() } else { link() },
            copy_out: if is_host { Link::default() } else { link() },
            copy_start: if is_host { 0.0 } else { 1e4 },
            compile,
            memory: None,
            spread: SPREAD_GUESSED,
            measured: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_through_their_points_and_never_beyond_them() {
        let curve = Curve::new([(1024.0, 2.0), (4096.0, 8.0), (64.0, 1.0)]);
        for (bytes, expected) in [(0.0, 1.0), (64.0, 1.0), (1024.0, 2.0), (2048.0, 4.0), (4096.0, 8.0), (1e15, 8.0)] {
            assert!((curve.each(bytes) - expected).abs() < 1e-9, "{bytes}: {}", curve.each(bytes));
        }
    }

    #[test]
    fn nonsense_is_no_point() {
        let curve =
            Curve::new([(f64::NAN, 1.0), (8.0, f64::NAN), (8.0, -1.0), (8.0, 0.0), (-4.0, 1.0), (8.0, f64::INFINITY)]);
        assert!(curve.is_empty());
        assert_eq!(curve.each(100.0), 0.0);
    }
}
