//! The modelled time of a call on a device, from the device's profile: launch, copies and run. Measured runs correct it
//! (`estimate.rs`).

use super::features::{Class, Size, Workload};
use super::profile::{Curve, Link, Profile};
use std::fmt;

/// The assumed number of batches of a query that does not fit into a device's memory; their copies and runs overlap.
const BATCHES_MIN: f64 = 4.0;
/// Borrowed columns and results of this many bytes in all run in overlapping batches although they fit: from pageable
/// memory, and from page-locked memory.
const OVERLAPPED_BYTES: f64 = 2e9;
const OVERLAPPED_BYTES_LOCKED: f64 = 256e6;
/// A device may be this many times as fast as its guessed profile.
const GUESS_FACTOR: f64 = 8.0;
/// The longest time that is told apart from longer ones, in nanoseconds: thirty years.
const TIME_MAX: f64 = 1e18;

/// A predicted time, in nanoseconds, part by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// Launching kernels and waiting for their end.
    pub launch: f64,
    /// Copies to the device and back.
    pub transfer: f64,
    /// Reading, writing and computing.
    pub run: f64,
}

impl Parts {
    /// The sum of the parts.
    pub fn total(&self) -> f64 {
        self.launch + self.transfer + self.run
    }

    /// Multiplies every part.
    pub(crate) fn times(self, factor: f64) -> Parts {
        let Parts { launch, transfer, run } = self;
        Parts { launch: launch * factor, transfer: transfer * factor, run: run * factor }
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("launch", self.launch), ("transfer", self.transfer), ("run", self.run)];
        let parts = parts.iter().filter(|(_, part)| *part >= 0.5);
        let text = parts.map(|(name, part)| format!("{name} {}", nanoseconds(*part))).collect::<Vec<_>>().join(" + ");
        f.write_str(if text.is_empty() { "nothing" } else { &text })
    }
}

/// Nanoseconds for people.
pub(crate) fn nanoseconds(time: f64) -> String {
    crate::text::time(std::time::Duration::from_nanos(time.clamp(0.0, 1e18).round() as u64))
}

/// The modelled time of a call on a device. `output_per_row`: bytes of the result per row of the source.
pub(crate) fn predict(profile: &Profile, workload: &Workload, size: Size, arm: usize, output_per_row: f64) -> Parts {
    let parts = unbounded_parts(profile, workload, size, arm, output_per_row);
    match parts.total() {
        total if (1.0..TIME_MAX).contains(&total) => parts,
        total if total >= TIME_MAX && total.is_finite() => parts.times(TIME_MAX / total),
        // A time of zero or infinity could not be corrected.
        _ => Parts { launch: 1.0, ..Parts::default() },
    }
}

fn unbounded_parts(profile: &Profile, workload: &Workload, size: Size, arm: usize, output_per_row: f64) -> Parts {
    let rows = size.rows as f64;
    let (read, written) = (rows * workload.read_per_row, rows * workload.written_per_row);
    let touched = read + written + workload.fixed_bytes;
    let memory = (read + workload.fixed_bytes) * profile.read.each(touched) + written * profile.write.each(touched);
    let computed: f64 = workload.operations.iter().zip(&profile.operations).map(|(count, each)| count * each).sum();
    let computed = rows * computed;
    let ramp = if profile.ramp.is_empty() { 1.0 } else { profile.ramp.each(computed) };
    let called = |(each, curve): (&f64, &Curve)| rows * each * curve.each(rows * each);
    let called: f64 = workload.calls.iter().zip(&profile.calls).map(called).sum();
    // Rows wait in memory between what is in order and what is not.
    let run = memory.max(computed * ramp + called) + profile.tables.time(&workload.table_steps, size);
    let launch = profile.launch * f64::from(workload.launches.max(1));
    if profile.copy_in.pageable.is_empty() {
        return Parts { launch, run, ..Parts::default() };
    }
    let input = rows * workload.input_per_row + workload.input_fixed;
    let output = rows * output_per_row;
    let fits = profile.memory.is_none_or(|bytes| input + rows * workload.written_per_row <= bytes as f64);
    let missing = if fits { size.residency.missing(arm) } else { 1.0 };
    let copy = |link: &Link, bytes: f64| bytes * curve(link, size, arm).each(bytes);
    let (copied_in, copied_out) = (copy(&profile.copy_in, input * missing), copy(&profile.copy_out, output));
    let starts = f64::from(u8::from(missing > 0.0)) + f64::from(workload.outputs.max(1));
    let transfer = profile.copy_start * starts + copied_in + copied_out;
    let worth_cutting = if size.locked { OVERLAPPED_BYTES_LOCKED } else { OVERLAPPED_BYTES };
    let overlaps = !size.owned && missing == 1.0 && input + output >= worth_cutting;
    if fits && !overlaps {
        return Parts { launch, transfer, run };
    }
    // Copies in, runs and copies out overlap: the longest of them counts, and a batch of the others.
    let longest = copied_in.max(copied_out).max(run);
    let others = copied_in + copied_out + run - longest;
    let whole = longest + others / BATCHES_MIN;
    let share = run / (copied_in + copied_out + run).max(f64::MIN_POSITIVE);
    Parts { launch: launch * BATCHES_MIN, transfer: whole * (1.0 - share), run: whole * share }
}

/// The least time that a device can take for a call: all bytes at the best speed that it reaches at such sizes or
/// larger ones.
pub(crate) fn lower_bound(profile: &Profile, workload: &Workload, size: Size, arm: usize, output_per_row: f64) -> f64 {
    let rows = size.rows as f64;
    // Later stages may get fewer rows, and a filter writes only what it keeps.
    let (read, written) = (rows * workload.input_per_row, rows * output_per_row.min(workload.written_per_row));
    let touched = read + written;
    let run = read * profile.read.least_from(touched) + written * profile.write.least_from(touched);
    let copy = |link: &Link, bytes: f64| bytes * curve(link, size, arm).least_from(bytes);
    let copied_in = copy(&profile.copy_in, rows * workload.input_per_row * size.residency.missing(arm));
    let copied_out = copy(&profile.copy_out, rows * output_per_row);
    let bound = run.max(copied_in).max(copied_out);
    // A guessed profile bounds nothing closely.
    if profile.measured { bound } else { bound / GUESS_FACTOR }
}

fn curve(link: &Link, size: Size, arm: usize) -> &Curve {
    if size.class(arm) == Class::Locked && !link.locked.is_empty() { &link.locked } else { &link.pageable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::DeviceKind;
    use pointsman_ir::kernel::Call;
    use pointsman_ir::kernel::call::{Fft, Matmul, RightOperand};

    fn map() -> Workload {
        Workload {
            read_per_row: 4.0,
            written_per_row: 4.0,
            input_per_row: 4.0,
            output_per_row: 4.0,
            operations: [2.0, 2.0, 0.0, 0.0, 0.0],
            launches: 1,
            ..Workload::default()
        }
    }

    #[test]
    fn resident_input_is_not_copied() {
        let profile = Profile::guess(DeviceKind::Cuda, 132);
        let host = predict(&profile, &map(), Size::host(1 << 26), 1, 4.0);
        let there = predict(&profile, &map(), Size::resident(1 << 26), 1, 4.0);
        assert_eq!((host.launch, host.run), (there.launch, there.run));
        let saved = host.transfer - there.transfer;
        assert!((saved - (profile.copy_start + (1u64 << 28) as f64 / 20.0)).abs() < 1.0, "{saved}");
        let locked = predict(&profile, &map(), Size { locked: true, ..Size::host(1 << 26) }, 1, 4.0);
        assert!(locked.transfer < host.transfer);
        let cpu = predict(&Profile::guess(DeviceKind::Cpu, 8), &map(), Size::host(1 << 26), 0, 4.0);
        assert_eq!(cpu.transfer, 0.0);
    }

    #[test]
    fn no_prediction_is_below_the_lower_bound() {
        for kind in [DeviceKind::Cpu, DeviceKind::Cuda] {
            let profile = Profile { measured: true, ..Profile::guess(kind, 16) };
            for rows in [0, 1, 1000, 1 << 20, 1 << 30] {
                for size in [Size::host(rows), Size::resident(rows), Size { locked: true, ..Size::host(rows) }] {
                    let time = predict(&profile, &map(), size, 1, 4.0).total();
                    let bound = lower_bound(&profile, &map(), size, 1, 4.0);
                    assert!(bound >= 0.0 && bound <= time, "{kind:?} {size:?}: {bound} above {time}");
                }
            }
        }
    }

    #[test]
    fn small_calls_run_on_one_unit() {
        let heavy = Workload { operations: [0.0, 0.0, 0.0, 0.0, 1.0], ..map() };
        let run = |units: usize, rows: u64| {
            predict(&Profile::guess(DeviceKind::Cpu, units), &heavy, Size::host(rows), 0, 4.0).run
        };
        assert_eq!(run(1, 1000), run(16, 1000));
        assert!((run(1, 1 << 24) / run(16, 1 << 24) - 16.0).abs() < 1e-6);
    }

    #[test]
    fn every_column_of_a_result_is_a_copy() {
        let profile = Profile::guess(DeviceKind::Cuda, 132);
        let time = |outputs| predict(&profile, &Workload { outputs, ..map() }, Size::resident(1 << 20), 1, 4.0);
        assert!((time(4).transfer - time(1).transfer - 3.0 * profile.copy_start).abs() < 1e-6);
    }

    #[test]
    fn input_larger_than_device_memory_is_always_copied() {
        let sum = Workload { written_per_row: 0.0, output_per_row: 0.0, ..map() };
        let profile = Profile { memory: Some(1 << 20), ..Profile::guess(DeviceKind::Cuda, 132) };
        let copying = (4u64 << 22) as f64 / 20.0;
        let large = predict(&profile, &sum, Size::resident(1 << 22), 1, 0.0);
        assert!(large.total() > copying, "{large}");
        let roomy = predict(&Profile { memory: None, ..profile }, &sum, Size::resident(1 << 22), 1, 0.0);
        assert!(roomy.total() < copying / 10.0, "{roomy}");
    }

    /// The guessed milliseconds of a call over resident rows.
    fn guessed(call: impl Into<Call>, value_bytes: f64, kind: DeviceKind, units: usize) -> f64 {
        let (call, mut workload) = (call.into(), Workload { launches: 1, ..Workload::default() });
        workload.add_call(&call, 1.0, value_bytes);
        let parts = predict(&Profile::guess(kind, units), &workload, Size::resident(call.rows_in()), 0, 0.0);
        (parts.launch + parts.run) / 1e6
    }

    #[test]
    fn guesses_of_library_calls_are_near_known_times() {
        let square = |size| Matmul::real(size, size, size);
        // An H200 with the vendor's libraries, and two cores of a Zen 5.
        for (guess, known) in [
            (guessed(square(1024), 4.0, DeviceKind::Cuda, 132), 0.077),
            (guessed(square(4096), 4.0, DeviceKind::Cuda, 132), 2.71),
            (guessed(square(8192), 4.0, DeviceKind::Cuda, 132), 21.7),
            (guessed(square(4096), 8.0, DeviceKind::Cuda, 132), 2.26),
            (guessed(Fft::forward(1 << 20), 4.0, DeviceKind::Cuda, 132), 0.026),
            (guessed(Fft::forward(1 << 24), 4.0, DeviceKind::Cuda, 132), 0.273),
            (guessed(Fft::forward(1 << 27), 4.0, DeviceKind::Cuda, 132), 2.0),
            (guessed(Fft::forward(1 << 24), 8.0, DeviceKind::Cuda, 132), 0.459),
            (guessed(Fft::forward(1 << 20), 4.0, DeviceKind::Cpu, 2), 3.9),
        ] {
            assert!((0.5..2.0).contains(&(guess / known)), "{guess} ms instead of {known}");
        }
        // Small calls take as long as two launches, whatever they compute.
        let [small, tiny] = [256, 200].map(|size| guessed(square(size), 4.0, DeviceKind::Cuda, 132));
        assert!((small / tiny - 1.0).abs() < 1e-9 && (0.015..0.02).contains(&small), "{small} and {tiny} ms");
    }

    #[test]
    fn right_matrices_are_copied_once_or_with_their_chunks() {
        let copied = |product: Matmul, chunks: u64| {
            let mut workload = map();
            (workload.input_per_row, workload.output_per_row) = (0.0, 0.0);
            workload.add_call(&product.into(), 1.0, 4.0);
            let rows = chunks * product.rows * product.inner;
            predict(&Profile::guess(DeviceKind::Cuda, 132), &workload, Size::host(rows), 1, 0.0).transfer
        };
        let shared = Matmul::real(1000, 1000, 1000);
        let own = Matmul { operand: RightOperand::PerChunk, ..shared };
        // Four million bytes at 20 GB/s, after the start of two copies.
        let ones = [copied(shared, 1), copied(shared, 8), copied(own, 1)];
        assert!(ones.iter().all(|time| (time - 2.2e5).abs() < 1.0), "{ones:?}");
        assert!((copied(own, 8) - 1.62e6).abs() < 1.0, "{}", copied(own, 8));
    }
}
