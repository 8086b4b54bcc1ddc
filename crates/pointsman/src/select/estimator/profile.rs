//! [`Profile`]: how fast a device is, as curves over size. Measured by `calibration/`, or guessed from what the device
//! is.

use super::call_class::{CALL_CLASSES, CallClass};
use super::features::CLASSES;
use super::table_rates::TableRates;
use pointsman_device::DeviceKind;

/// Nanoseconds per byte, row or operation, by their number: points by rising size, straight lines between their
/// logarithms, constant beyond the ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The binary logarithms of a size and of the nanoseconds per byte at that size.
    points: Vec<(f64, f64)>,
}

impl Curve {
    /// A curve through these points: sizes in bytes, and the nanoseconds per byte. Points that are not positive finite
    /// numbers are ignored.
    pub fn new(points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
        let is_sound =
            |&(bytes, each): &(f64, f64)| bytes >= 1.0 && bytes.is_finite() && each > 0.0 && each.is_finite();
        let sound = points.into_iter().filter(is_sound);
        let mut points: Vec<(f64, f64)> = sound.map(|(bytes, each)| (bytes.log2(), each.log2())).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|a, b| a.0 == b.0);
        Curve { points }
    }

    /// A curve with the same speed, in bytes per second, at every size.
    pub fn flat(bytes_per_second: f64) -> Curve {
        Curve::new([(1.0, 1e9 / bytes_per_second)])
    }

    /// Nanoseconds per byte at a size; 0 for a curve without points.
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
    /// The speed from or to pageable memory.
    pub pageable: Curve,
    /// The speed from or to page-locked memory.
    pub locked: Curve,
}

/// The speed of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Nanoseconds of a launch without rows, until its result is available.
    pub launch: f64,
    /// The speed of reads, by the bytes that a kernel reads and writes.
    pub read: Curve,
    /// The speed of writes, by the bytes that a kernel reads and writes.
    pub write: Curve,
    /// Nanoseconds per operation of each class ([`CLASSES`]), if all units of the device work.
    pub operations: [f64; CLASSES],
    /// The slowdown of arithmetic that is too little to occupy all units, by the nanoseconds that it would take with
    /// all of them; no slowdown without points.
    pub ramp: Curve,
    /// Nanoseconds per operation of each class of library calls ([`CallClass`]), by the operations of a call.
    pub calls: [Curve; CALL_CLASSES],
    /// The rates of sorting, grouping, building, partitioning, searching and gathering.
    pub tables: TableRates,
    /// The speed of copies to the device; without points if it works in host memory.
    pub copy_in: Link,
    /// The speed of copies from the device.
    pub copy_out: Link,
    /// Nanoseconds that a copy takes before its first byte.
    pub copy_start: f64,
    /// Nanoseconds to compile a kernel.
    pub compile: f64,
    /// The bytes of the device's memory that a query may take; `None` if the memory is the host's or its size is
    /// unknown.
    pub memory: Option<u64>,
    /// The uncertainty of a prediction from this profile: the standard deviation of its natural logarithm.
    pub spread: f64,
    /// Whether the profile was measured on this machine, rather than guessed.
    pub measured: bool,
}

/// The spread of predictions from a measured profile, and from a guess.
pub const SPREAD_MEASURED: f64 = 0.35;
pub(super) const SPREAD_GUESSED: f64 = 0.8;
/// Work that takes one unit of a processor less than this many nanoseconds runs on one unit; for twice as much, all
/// units help.
const ALONE: f64 = 1.5e4;
/// A library call takes at least a further launch's time until it has enough operations for this part of a card.
const CALL_PARTS: f64 = 64.0;
/// The fixed time of a step on tables, as a multiple of a launch: it has programs and memory of its own.
const STEP_START_TIMES: f64 = 10.0;

impl Profile {
    /// The profile as one word for files. [`Profile::from_text`] reads it; `memory` and `measured` are left out.
    pub fn to_text(&self) -> String {
        let mut own = self.clone();
        let (numbers, curves) = own.fields();
        let numbers = numbers.into_iter().map(|number| format!("{number:?}"));
        let curves = curves.into_iter().map(|curve| {
            let points = curve.points().map(|(size, each)| format!("{size:?}:{each:?}"));
            points.collect::<Vec<_>>().join(",")
        });
        numbers.chain(curves).collect::<Vec<_>>().join(";")
    }

    /// The measured profile that was written by [`Profile::to_text`]; `None` if the text makes no sense.
    pub fn from_text(text: &str) -> Option<Profile> {
        let mut profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cpu, 1) };
        let (mut words, (numbers, curves)) = (text.split(';'), profile.fields());
        for number in numbers {
            *number = words.next()?.parse().ok().filter(|number| (0.0..1e15).contains(number))?;
        }
        for curve in curves {
            let points = words.next()?.split(',').filter_map(|point| point.split_once(':'));
            *curve = Curve::new(points.filter_map(|(size, each)| Some((size.parse().ok()?, each.parse().ok()?))));
        }
        Some(profile)
    }

    /// The numbers and curves that are written to files, in an order that stays.
    fn fields(&mut self) -> (Vec<&mut f64>, Vec<&mut Curve>) {
        let Profile {
            launch,
            copy_start,
            compile,
            spread,
            operations,
            read,
            write,
            ramp,
            tables,
            calls,
            copy_in,
            copy_out,
            ..
        } = self;
        let (table_numbers, table_curves) = tables.fields();
        let numbers = [launch, copy_start, compile, spread].into_iter().chain(operations).chain(table_numbers);
        let links = [&mut copy_in.pageable, &mut copy_in.locked, &mut copy_out.pageable, &mut copy_out.locked];
        let curves = [read, write, ramp].into_iter().chain(links).chain(table_curves).chain(calls);
        (numbers.collect(), curves.collect())
    }

    /// A guessed profile for a kind of device and its number of units, until it is measured.
    pub fn guess(kind: DeviceKind, units: usize) -> Profile {
        let units = units.max(1) as f64;
        let is_host = kind == DeviceKind::Cpu;
        // Most cards have 16 lanes of PCIe 4 or 5, and CUDA copies pageable memory through threads that keep up with
        // them.
        let [pageable, locked] = if kind == DeviceKind::Cuda { [20e9, 30e9] } else { [8e9, 20e9] };
        let link = || Link { pageable: Curve::flat(pageable), locked: Curve::flat(locked) };
        // A core reads some ten gigabytes a second, and cards have about twice as many for each multiprocessor.
        let bandwidth = if is_host { 12e9 * units.min(16.0) } else { 20e9 * units };
        let rate = if is_host { 8e9 * units } else { 60e9 * units };
        // A table's rows are shared by as many units as the bandwidth counts.
        let sharing = if is_host { units.min(16.0) } else { units };
        let ramp = [(ALONE / units, units), (2.0 * ALONE / units, 1.0)];
        let (launch, compile) = match kind {
            DeviceKind::Cpu => (300.0, 1e6),
            DeviceKind::Cuda => (8e3, 2.5e8),
            DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 | DeviceKind::Sim => (6e4, 2e7),
        };
        let small_call = if is_host { (ALONE, units) } else { (launch, CALL_PARTS) };
        Profile {
            launch,
            read: Curve::flat(bandwidth),
            write: Curve::flat(bandwidth),
            operations: [1.0, 1.0, 8.0, 1.5, 25.0].map(|times| times * 1e9 / rate),
            ramp: Curve::new(ramp.into_iter().filter(|_| is_host && units > 1.0)),
            calls: CallClass::guess(kind, units, small_call.0, small_call.1),
            tables: TableRates::guess(bandwidth, STEP_START_TIMES * launch, sharing),
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

    #[test]
    fn profiles_of_other_formats_are_not_read() {
        let profile = Profile { measured: true, ..Profile::guess(DeviceKind::Cuda, 132) };
        let text = profile.to_text();
        let read = Profile::from_text(&text).map(|read| Profile { memory: None, ..read });
        let are_near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        let read = read.expect("its own format");
        for (read, known) in read.calls.iter().zip(&profile.calls) {
            let pairs = read.points().zip(known.points());
            assert!(read.points().len() == 2 && { pairs }.all(|(a, b)| are_near(a.0, b.0) && are_near(a.1, b.1)));
        }
        // Without the curves of library calls, which come last.
        let words: Vec<&str> = text.split(';').collect();
        let older = words[..words.len() - CALL_CLASSES].join(";");
        assert_eq!(Profile::from_text(&older), None);
    }
}
