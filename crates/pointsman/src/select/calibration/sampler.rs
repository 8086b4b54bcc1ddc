//! [`Sampler`]: times a run in slices. The first run never counts, samples during which a query ran are repeated, and
//! what there is no time left for stays unmeasured.

use super::pacing::{Pacer, SLICE_MAX};
use crate::error::{ErrorKind, Result};
use std::cell::Cell;
use std::time::Duration;

/// Samples of each measurement.
const SAMPLES: usize = 5;
/// Disturbed samples of a measurement that are discarded; further ones count.
const DISCARDED_MAX: usize = 5;
/// Samples agree if the median is longer than the minimum by at most this part.
const AGREE_WITHIN: f64 = 0.25;
/// A run whose work is a smaller part of its time says little about its bytes: the rest is the start.
const WORK_PART_MIN: f64 = 0.2;
/// The most runs of a sample.
const RUNS_MAX: f64 = 4096.0;
/// The most uncounted runs, whatever the clock says.
const WARM_UP_RUNS_MAX: usize = 10_000;

/// The nanoseconds that a run takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SampledTime {
    pub(super) least: f64,
    pub(super) median: f64,
}

/// Takes samples until a deadline.
pub(super) struct Sampler<'s> {
    pub(super) pacer: &'s Pacer<'s>,
    start: Duration,
    budget: Duration,
    /// Shorter runs are repeated until a sample takes this long.
    sample: Duration,
    measurements: Cell<u32>,
    noisy: Cell<u32>,
}

impl<'s> Sampler<'s> {
    pub(super) fn new(pacer: &'s Pacer<'s>, budget: Duration, sample: Duration) -> Sampler<'s> {
        Sampler { pacer, start: pacer.now(), budget, sample, measurements: Cell::new(0), noisy: Cell::new(0) }
    }

    /// Whether this part of the time budget is used up.
    pub(super) fn has_used(&self, part: f64) -> bool {
        self.pacer.now().saturating_sub(self.start) >= self.budget.mul_f64(part)
    }

    /// The part of the measurements whose samples disagree, 0 to 1.
    pub(super) fn noise(&self) -> f64 {
        f64::from(self.noisy.get()) / f64::from(self.measurements.get().max(1))
    }

    /// The time of a run; `None` if no time is left for it, or no memory.
    pub(super) fn measure(&self, mut run: impl FnMut() -> Result<()>) -> Result<Option<SampledTime>> {
        if self.has_used(1.0) {
            return Ok(None);
        }
        match self.pacer.slice(&mut run) {
            Err(error) if error.kind() == ErrorKind::OutOfMemory => return Ok(None),
            first => first?,
        };
        let once = self.pacer.slice(|| self.time(1, &mut run))?;
        // A clock that stands still does not show how many runs a sample needs.
        let runs = if once.value > 0.0 { self.sample.as_nanos() as f64 / once.value } else { 1.0 };
        let runs = runs.clamp(1.0, RUNS_MAX) as u32;
        let (mut samples, mut discarded) = (Vec::with_capacity(SAMPLES), 0);
        while samples.len() < SAMPLES {
            let sample = self.pacer.slice(|| {
                if runs > 1 {
                    // Other work may have displaced the run's memory from the caches.
                    run()?;
                }
                self.time(runs, &mut run)
            })?;
            if sample.is_disturbed && discarded < DISCARDED_MAX {
                discarded += 1;
            } else {
                samples.push(sample.value);
            }
        }
        Ok(Some(self.summary(samples)))
    }

    /// The shorter of two runs after a first one, for measurements that only look for a size.
    pub(super) fn shortest(&self, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
        let mut times = [0.0; 3];
        for time in &mut times {
            *time = self.pacer.slice(|| self.time(1, &mut run))?.value;
        }
        Ok(times[1].min(times[2]))
    }

    /// Repeats a run for this long without counting it, so that the device reaches its full clock rate.
    pub(super) fn warm_up(&self, time: Duration, mut run: impl FnMut() -> Result<()>) -> Result<()> {
        let mut left = time.as_nanos() as f64;
        for _ in 0..WARM_UP_RUNS_MAX {
            if left <= 0.0 || self.has_used(1.0) {
                break;
            }
            left -= self.pacer.slice(|| self.time(1, &mut run))?.value;
        }
        Ok(())
    }

    /// The largest power of two of bytes that fits into a slice, if a byte takes this many nanoseconds.
    pub(super) fn bytes_per_slice(nanoseconds_per_byte: f64) -> usize {
        let bytes = SLICE_MAX.as_nanos() as f64 / nanoseconds_per_byte.max(f64::MIN_POSITIVE);
        1 << (bytes.clamp(1.0, f64::from(1 << 30)) as usize).ilog2()
    }

    /// Nanoseconds of each of so many runs.
    fn time(&self, runs: u32, run: &mut impl FnMut() -> Result<()>) -> Result<f64> {
        let start = self.pacer.now();
        for _ in 0..runs {
            run()?;
        }
        Ok(self.pacer.now().saturating_sub(start).as_nanos() as f64 / f64::from(runs))
    }

    fn summary(&self, mut samples: Vec<f64>) -> SampledTime {
        samples.sort_by(f64::total_cmp);
        let time = SampledTime { least: samples[0], median: samples[samples.len() / 2] };
        self.measurements.update(|count| count + 1);
        if time.median > time.least * (1.0 + AGREE_WITHIN) {
            self.noisy.update(|count| count + 1);
        }
        time
    }
}

/// The points of a curve: the nanoseconds that a byte takes, by size.
#[derive(Default)]
pub(super) struct ByteTimes {
    points: Vec<(f64, f64)>,
    last: Option<(f64, f64)>,
}

impl ByteTimes {
    /// Adds a run over `bytes` of a working set of `size` that took `least` nanoseconds, `start` of them before its
    /// first byte.
    pub(super) fn add(&mut self, size: usize, bytes: usize, least: f64, start: f64) {
        let (size, bytes, work) = (size as f64, bytes as f64, least - start);
        if work >= least * WORK_PART_MIN {
            self.points.push((size, work / bytes));
        }
        self.last = Some((size, work.max(least * WORK_PART_MIN) / bytes));
    }

    /// The points whose work can be told from their start; if there is none, the one of the largest size.
    pub(super) fn into_points(mut self) -> Vec<(f64, f64)> {
        self.points.extend(self.last.filter(|_| self.points.is_empty()));
        self.points
    }
}

#[cfg(test)]
mod tests {
    use super::super::pacing::{PacerInput, QueryActivity, Urgency};
    use super::*;
    use crate::resilience::cancel::CancellationToken;
    use pointsman_device::sim::SimClock;

    /// Measures runs of these lengths in microseconds; the last one repeats. Queries run during the first `disturbed`
    /// runs. Returns the time, the number of runs, and the noise.
    fn check(micros: &[u64], disturbed: usize, expected: (f64, f64), runs_expected: usize, noise: f64) {
        let (clock, stop, runs) = (SimClock::new(), CancellationToken::new(), Cell::new(0));
        let activity = || QueryActivity { in_flight: runs.get() < disturbed, ended: 0 };
        let urgency = || Urgency::Immediate;
        let input =
            PacerInput { clock: &clock, stop: &stop, activity: &activity, urgency: &urgency, is_measuring: None };
        let pacer = Pacer::new(input);
        let sampler = Sampler::new(&pacer, Duration::from_secs(1), Duration::ZERO);
        let time = sampler.measure(|| {
            clock.advance(Duration::from_micros(micros[runs.get().min(micros.len() - 1)]));
            runs.set(runs.get() + 1);
            Ok(())
        });
        let time = time.expect("nothing fails").expect("there is time");
        assert_eq!((time.least, time.median), expected, "{micros:?}");
        assert_eq!((runs.get(), sampler.noise()), (runs_expected, noise), "{micros:?}");
    }

    #[test]
    fn first_run_never_counts() {
        check(&[1, 100], 0, (1e5, 1e5), 2 + SAMPLES, 0.0);
    }

    #[test]
    fn samples_that_disagree_are_noise() {
        check(&[100, 100, 100, 300, 300, 300, 100], 0, (1e5, 3e5), 2 + SAMPLES, 1.0);
    }

    #[test]
    fn disturbed_samples_are_repeated_a_few_times() {
        check(&[900, 900, 900, 900, 100], 4, (1e5, 1e5), 2 + 2 + SAMPLES, 0.0);
        check(&[300], usize::MAX, (3e5, 3e5), 2 + DISCARDED_MAX + SAMPLES, 0.0);
    }

    #[test]
    fn short_runs_are_repeated_within_a_sample_and_the_deadline_holds() {
        let (clock, stop) = (SimClock::new(), CancellationToken::new());
        let pacer = Pacer::immediate(&clock, &stop, None);
        let sampler = Sampler::new(&pacer, Duration::from_millis(1), Duration::from_micros(40));
        let runs = Cell::new(0);
        let run = || {
            runs.set(runs.get() + 1);
            clock.advance(Duration::from_micros(10));
            Ok(())
        };
        assert!(sampler.measure(run).is_ok_and(|time| time.is_some_and(|time| time.least == 1e4)));
        assert_eq!(runs.get(), 2 + SAMPLES * 5);
        clock.advance(Duration::from_millis(1));
        assert_eq!(sampler.measure(run).ok(), Some(None));
        assert_eq!(runs.get(), 2 + SAMPLES * 5);
    }
}
