//! [`Sampler`]: times runs on one device, in nanoseconds, in short slices. While the session answers queries, pauses
//! separate the slices; no slice starts after the session has ended.

use super::benchmark::BYTES_MIN;
use super::thread::ThreadControl;
use crate::error::{Error, Result};
use crate::resilience::clock::Clock;
use crate::select::estimator::Curve;
use pointsman_device::{Device, DeviceKind};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a slice should take at most.
pub(super) const SLICE_TIME_MAX: Duration = Duration::from_millis(2);
/// While queries run, a pause of this many times its length follows a slice: calibration takes 3 % of the time.
const PAUSE_FACTOR: u32 = 33;
/// The longest pause: it follows slices that cannot be cut, a compilation for example.
const PAUSE_TIME_MAX: Duration = Duration::from_secs(2);
/// How often a pause checks whether the session has ended or a caller waits for the calibration.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Samples of each measurement. The shortest counts, because other work makes a run longer, never shorter.
const SAMPLES: usize = 5;
/// The shortest sample, and the most runs that it repeats to be that long.
const SAMPLE_TIME: Duration = Duration::from_micros(200);
const RUNS_MAX: f64 = 4096.0;
/// If work is a smaller part of a run's time than this, the run mostly shows its fixed start-up cost and is left out.
const WORK_PART_MIN: f64 = 0.2;
/// A working set takes at most a device's free memory divided by this, or `BYTES_UNREPORTED` if that is unknown.
const FREE_MEMORY_DIVISOR: u64 = 8;
const BYTES_UNREPORTED: u64 = 128 << 20;

/// The session around a calibration.
#[derive(Clone, Copy)]
pub(super) struct CalibrationContext<'s> {
    pub(super) clock: &'s dyn Clock,
    /// Tells whether the session has ended, and whether a caller waits for the calibration.
    pub(super) control: &'s ThreadControl,
    /// Counts the queries that have ended; `None` while one runs.
    pub(super) ended_queries: &'s dyn Fn() -> Option<u64>,
}

/// A device whose runs are timed.
pub(super) struct Sampler<'s> {
    pub(super) context: CalibrationContext<'s>,
    pub(super) device: &'s Arc<dyn Device>,
    /// The largest working set, a power of two.
    pub(super) bytes_max: usize,
    sample_time: Duration,
    /// The queries that had ended before the last slice.
    ended_before: Cell<Option<u64>>,
    /// When the next slice may begin although queries run.
    resume_at: Cell<Duration>,
}

impl<'s> Sampler<'s> {
    pub(super) fn new(context: CalibrationContext<'s>, device: &'s Arc<dyn Device>) -> Sampler<'s> {
        let (bytes_max, sample_time) = match device.info().kind {
            DeviceKind::Cpu => (256 << 20, SAMPLE_TIME),
            DeviceKind::Cuda | DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 => (1 << 30, SAMPLE_TIME),
            // The speed of a simulated device is the same at every size, and simulating it takes the processor long.
            DeviceKind::Sim => (BYTES_MIN, Duration::ZERO),
        };
        let free = device.memory().free.map_or(BYTES_UNREPORTED, |free| free / FREE_MEMORY_DIVISOR);
        let buffer_bytes = free.min(device.info().capabilities.buffer_bytes_max).max(BYTES_MIN as u64);
        let (bytes_max, now) = (bytes_max.min(1 << buffer_bytes.ilog2()), context.clock.now());
        Sampler { context, device, bytes_max, sample_time, ended_before: Cell::new(None), resume_at: Cell::new(now) }
    }

    pub(super) fn now(&self) -> Duration {
        self.context.clock.now()
    }

    /// An error if the session has ended.
    pub(super) fn check(&self) -> Result<()> {
        if self.context.control.is_stopped() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Runs `work`, which should take at most [`SLICE_TIME_MAX`]. If queries ran since the last slice began, it first
    /// waits until the pause after that slice is over or a caller waits for the calibration.
    pub(super) fn slice<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.wait_for_turn()?;
        self.ended_before.set((self.context.ended_queries)());
        let start = self.now();
        let running = RunningSlice::start(&self.context.control.is_slice_running);
        let value = work();
        drop(running);
        let end = self.now();
        let pause = (end.saturating_sub(start) * PAUSE_FACTOR).min(PAUSE_TIME_MAX);
        self.resume_at.set(end.saturating_add(pause));
        value
    }

    fn wait_for_turn(&self) -> Result<()> {
        loop {
            self.check()?;
            let (now, resume_at, ended) = (self.now(), self.resume_at.get(), (self.context.ended_queries)());
            let is_idle = ended.is_some() && ended == self.ended_before.get();
            if is_idle || self.context.control.is_awaited() || now >= resume_at {
                return Ok(());
            }
            self.context.clock.sleep((resume_at - now).min(POLL_INTERVAL));
        }
    }

    /// The nanoseconds of a run. The first run does not count, and short runs are repeated within a sample.
    pub(super) fn measure(&self, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
        self.slice(&mut run)?;
        let once = self.slice(|| self.time(1, &mut run))?;
        // A clock that stands still does not show how many runs a sample needs.
        let runs = if once > 0.0 { self.sample_time.as_nanos() as f64 / once } else { 1.0 };
        let runs = runs.clamp(1.0, RUNS_MAX) as u32;
        let mut least = f64::INFINITY;
        for _ in 0..SAMPLES {
            let sample = self.slice(|| {
                if runs > 1 {
                    // Other work may have displaced the run's memory from the caches.
                    run()?;
                }
                self.time(runs, &mut run)
            })?;
            least = least.min(sample);
        }
        Ok(least)
    }

    /// The nanoseconds of a run over a part of a whole. Each run continues where the one before it ended, so that all
    /// of it passes through the caches.
    pub(super) fn measure_parts(
        &self,
        whole: usize,
        part: usize,
        mut run: impl FnMut(Range<usize>) -> Result<()>,
    ) -> Result<f64> {
        let mut start = 0;
        self.measure(|| {
            let at = start..start + part;
            start = at.end % whole;
            run(at)
        })
    }

    /// The mean nanoseconds of a run, over this many runs.
    fn time(&self, runs: u32, run: &mut impl FnMut() -> Result<()>) -> Result<f64> {
        let start = self.now();
        for _ in 0..runs {
            run()?;
        }
        Ok(self.now().saturating_sub(start).as_nanos() as f64 / f64::from(runs))
    }
}

/// A slice that runs now; it ends when this is dropped, also after a panic.
struct RunningSlice<'c>(&'c AtomicBool);

impl RunningSlice<'_> {
    fn start(is_running: &AtomicBool) -> RunningSlice<'_> {
        is_running.store(true, Ordering::Relaxed);
        RunningSlice(is_running)
    }
}

impl Drop for RunningSlice<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The nanoseconds that a byte or row takes beyond the `start` of a run, by size. `measure` gives the nanoseconds of a
/// run of a size.
pub(super) fn unit_times(
    sizes: impl Iterator<Item = usize>,
    start: f64,
    mut measure: impl FnMut(usize) -> Result<f64>,
) -> Result<Curve> {
    let (mut points, mut last) = (Vec::new(), None);
    for size in sizes {
        let nanoseconds = measure(size)?;
        let (work, work_min) = (nanoseconds - start, nanoseconds * WORK_PART_MIN);
        let point = (size as f64, work.max(work_min) / size as f64);
        points.extend((work >= work_min).then_some(point));
        last = Some(point);
    }
    // If no work can be told from its start, the largest size counts.
    points.extend(last.filter(|_| points.is_empty()));
    Ok(Curve::new(points))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use pointsman_device::sim::{SimClock, SimDevice, SimOptions};

    fn device() -> Arc<dyn Device> {
        Arc::new(SimDevice::new(SimOptions::default()))
    }

    /// A slice of this length.
    fn slice(clock: &SimClock, sampler: &Sampler<'_>, time: Duration) -> Result<()> {
        sampler.slice(|| {
            assert!(
                sampler.context.control.is_slice_running.load(Ordering::Relaxed),
                "queries that run meanwhile count as disturbed"
            );
            clock.advance(time);
            Ok(())
        })
    }

    /// The part of the time that 100 slices of 1 to 4 ms take.
    fn load(control: &ThreadControl, ended_queries: &dyn Fn() -> Option<u64>) -> f64 {
        let (clock, device) = (SimClock::new(), device());
        let sampler = Sampler::new(CalibrationContext { clock: &clock, control, ended_queries }, &device);
        let mut busy = Duration::ZERO;
        for number in 0..100 {
            let time = Duration::from_millis(1 + number % 4);
            slice(&clock, &sampler, time).expect("nothing fails");
            busy += time;
        }
        assert!(!control.is_slice_running.load(Ordering::Relaxed));
        busy.as_secs_f64() / clock.now().as_secs_f64()
    }

    #[test]
    fn slices_take_3_percent_of_the_time_while_queries_run_unless_a_caller_waits() {
        let (control, ended) = (ThreadControl::default(), Cell::new(0));
        // Each query ends before it is seen, but their count grows.
        let short = || Some(ended.replace(ended.get() + 1));
        let activities: [&dyn Fn() -> Option<u64>; 2] = [&|| None, &short];
        for ended_queries in activities {
            let load_without_caller = load(&control, ended_queries);
            assert!((0.025..=0.03).contains(&load_without_caller), "{load_without_caller}");
            assert_eq!(control.awaited(|| load(&control, ended_queries)), 1.0);
        }
    }

    #[test]
    fn slices_follow_each_other_while_the_session_is_idle() {
        let (clock, control, device) = (SimClock::new(), ThreadControl::default(), device());
        let ended = Cell::new(7);
        let (control, ended_queries) = (&control, &|| Some(ended.get()));
        let sampler = Sampler::new(CalibrationContext { clock: &clock, control, ended_queries }, &device);
        let slices = |count: u32| {
            let start = clock.now();
            (0..count).for_each(|_| slice(&clock, &sampler, SLICE_TIME_MAX).expect("nothing fails"));
            clock.now() - start
        };
        assert_eq!(slices(10), 10 * SLICE_TIME_MAX);
        ended.set(8);
        assert_eq!(slices(10), (10 + PAUSE_FACTOR) * SLICE_TIME_MAX, "one pause");
    }

    #[test]
    fn cancelled_pause_ends_with_its_poll() {
        let (clock, control, device) = (SimClock::new(), ThreadControl::default(), device());
        let cancel_at = Duration::from_millis(105);
        let ended_queries = || {
            if clock.now() >= cancel_at {
                control.stop(Duration::ZERO);
            }
            None
        };
        let context = CalibrationContext { clock: &clock, control: &control, ended_queries: &ended_queries };
        let sampler = Sampler::new(context, &device);
        assert!(slice(&clock, &sampler, Duration::from_millis(50)).is_ok());
        let error = slice(&clock, &sampler, Duration::ZERO).expect_err("it was cancelled");
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(clock.now() <= cancel_at + 2 * POLL_INTERVAL, "{:?}", clock.now());
    }

    /// Measures runs of these lengths in microseconds; the last one repeats. Returns the nanoseconds and the number of
    /// runs.
    fn measured(sample_time: Duration, micros: &[u64]) -> (f64, usize) {
        let (clock, control, device) = (SimClock::new(), ThreadControl::default(), device());
        let (control, runs) = (&control, Cell::new(0));
        let context = CalibrationContext { clock: &clock, control, ended_queries: &|| Some(0) };
        let mut sampler = Sampler::new(context, &device);
        sampler.sample_time = sample_time;
        let time = sampler.measure(|| {
            clock.advance(Duration::from_micros(micros[runs.get().min(micros.len() - 1)]));
            runs.set(runs.get() + 1);
            Ok(())
        });
        (time.expect("nothing fails"), runs.get())
    }

    #[test]
    fn shortest_sample_counts_but_never_the_first_run_and_short_runs_are_repeated() {
        assert_eq!(measured(Duration::ZERO, &[1, 100]), (1e5, 2 + SAMPLES));
        assert_eq!(measured(Duration::ZERO, &[1, 900, 900, 900, 100, 900]), (1e5, 2 + SAMPLES));
        assert_eq!(measured(Duration::from_micros(40), &[10]), (1e4, 2 + SAMPLES * 5));
    }

    #[test]
    fn units_take_the_time_beyond_the_start_and_runs_that_are_mostly_start_are_left_out() {
        let curve = unit_times([10, 100, 1000].into_iter(), 500.0, |size| Ok(500.0 + 2.0 * size as f64));
        let points: Vec<_> = curve.expect("nothing fails").points().map(|(size, each)| (size.round(), each)).collect();
        assert!(
            matches!(points[..], [(100.0, first), (1000.0, last)] if (first - 2.0).abs() + (last - 2.0).abs() < 1e-9),
            "{points:?}"
        );
        let curve = unit_times([10, 20].into_iter(), 500.0, |_| Ok(500.0)).expect("nothing fails");
        assert!(curve.points().map(|(size, _)| size.round()).eq([20.0]), "the largest size: {curve:?}");
    }
}
