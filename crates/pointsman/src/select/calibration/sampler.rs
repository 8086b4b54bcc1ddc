//! [`Sampler`]: times a run in slices. The first run never counts, samples during which a query ran are repeated, and
//! what there is no time left for stays unmeasured.

use super::Limits;
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
pub(super) const WORK_PART_MIN: f64 = 0.2;
/// The most runs of a sample.
const RUNS_MAX: f64 = 4096.0;

/// The nanoseconds that a run takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SampledTime {
    pub(super) least: f64,
    pub(super) median: f64,
}

/// Takes samples until a deadline.
pub(super) struct Sampler<'s> {
    pub(super) pacer: &'s Pacer<'s>,
    pub(super) limits: Limits,
    start: Duration,
    budget: Duration,
    measurements: Cell<u32>,
    noisy: Cell<u32>,
}

impl<'s> Sampler<'s> {
    pub(super) fn new(pacer: &'s Pacer<'s>, budget: Duration, limits: Limits) -> Sampler<'s> {
        Sampler { pacer, limits, start: pacer.now(), budget, measurements: Cell::new(0), noisy: Cell::new(0) }
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
        let runs = if once > 0.0 { self.limits.sample.as_nanos() as f64 / once } else { 1.0 };
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
            if self.pacer.is_disturbed.get() && discarded < DISCARDED_MAX {
                discarded += 1;
            } else {
                samples.push(sample);
            }
        }
        samples.sort_by(f64::total_cmp);
        let (least, median) = (samples[0], samples[SAMPLES / 2]);
        self.measurements.update(|count| count + 1);
        if median > least * (1.0 + AGREE_WITHIN) {
            self.noisy.update(|count| count + 1);
        }
        Ok(Some(SampledTime { least, median }))
    }

    /// Repeats a run for a while without counting it, so that the device reaches its full clock rate.
    pub(super) fn warm_up(&self, mut run: impl FnMut() -> Result<()>) -> Result<()> {
        let mut left = self.limits.warm_up.as_nanos() as f64;
        while left > 0.0 && !self.has_used(1.0) {
            let took = self.pacer.slice(|| self.time(1, &mut run))?;
            // A clock that stands still does not show when it is time to stop.
            left -= if took > 0.0 { took } else { left };
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
}

/// The points of a curve: the nanoseconds that a byte takes beyond the `start` of a run, by size. `time` gives the bytes
/// that a run over a working set of this size touches, and the least nanoseconds that it takes; `None` ends the curve.
pub(super) fn byte_times(
    sizes: impl Iterator<Item = usize>,
    start: f64,
    mut time: impl FnMut(usize) -> Result<Option<(usize, f64)>>,
) -> Result<Vec<(f64, f64)>> {
    let (mut points, mut last) = (Vec::new(), None);
    for size in sizes {
        let Some((bytes, least)) = time(size)? else { break };
        let (work, work_min) = (least - start, least * WORK_PART_MIN);
        let point = (size as f64, work.max(work_min) / bytes as f64);
        points.extend((work >= work_min).then_some(point));
        last = Some(point);
    }
    // If no work can be told from its start, the largest size counts.
    points.extend(last.filter(|_| points.is_empty()));
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::super::pacing::{QueryActivity, Urgency};
    use super::*;
    use crate::resilience::cancel::CancellationToken;
    use pointsman_device::sim::SimClock;

    /// Measures runs of these lengths in microseconds; the last one repeats. Queries run during the first `disturbed`
    /// runs. `expected`: the least and the median time, the number of runs, and the noise.
    fn check(micros: &[u64], disturbed: usize, expected: (f64, f64, usize, f64)) {
        let (clock, stop, runs) = (SimClock::new(), CancellationToken::new(), Cell::new(0));
        let activity = || QueryActivity { in_flight: runs.get() < disturbed, ended: 0 };
        let pacer = Pacer::new(&clock, &stop, &activity, &|| Urgency::Immediate, None);
        let sampler = Sampler::new(&pacer, Duration::from_secs(1), Limits::SIM);
        let time = sampler.measure(|| {
            clock.advance(Duration::from_micros(micros[runs.get().min(micros.len() - 1)]));
            runs.set(runs.get() + 1);
            Ok(())
        });
        let time = time.expect("nothing fails").expect("there is time");
        assert_eq!((time.least, time.median, runs.get(), sampler.noise()), expected, "{micros:?}");
    }

    #[test]
    fn first_run_never_counts_and_disturbed_samples_are_repeated_a_few_times() {
        check(&[1, 100], 0, (1e5, 1e5, 2 + SAMPLES, 0.0));
        check(&[900, 900, 900, 900, 100], 4, (1e5, 1e5, 2 + 2 + SAMPLES, 0.0));
        check(&[300], usize::MAX, (3e5, 3e5, 2 + DISCARDED_MAX + SAMPLES, 0.0));
    }

    #[test]
    fn samples_that_disagree_are_noise() {
        check(&[100, 100, 100, 300, 300, 300, 100], 0, (1e5, 3e5, 2 + SAMPLES, 1.0));
    }

    #[test]
    fn short_runs_are_repeated_within_a_sample_and_the_deadline_holds() {
        let (clock, stop) = (SimClock::new(), CancellationToken::new());
        let pacer = Pacer::immediate(&clock, &stop, None);
        let limits = Limits { sample: Duration::from_micros(40), ..Limits::SIM };
        let sampler = Sampler::new(&pacer, Duration::from_millis(1), limits);
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
