//! Timing: in go things to be run, from the quickest to the one that takes longest, out comes how long each takes.
//!
//! A first run is never counted. Samples of all things are taken in turns, so that a noise of the machine does not meet one
//! of them alone. What disagrees is measured again, and counted if it goes on doing so.

use crate::error::{Error, ErrorKind, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use std::cell::Cell;
use std::time::Duration;

/// How many samples are taken of everything, beside the one that tells how long it takes.
const ROUNDS: usize = 4;
/// How many more of what disagrees.
const REPEATS_MAX: usize = 12;
/// Samples agree if their middle is not longer than the shortest by more than this part.
const AGREE_WITHIN: f64 = 0.25;
/// The most runs of a sample.
const RUNS_MAX: f64 = 4096.0;
/// The most runs that are not counted, whatever the clock says.
const WARM_UP_RUNS_MAX: usize = 10_000;

/// What a thing takes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timed {
    /// The shortest sample: that of a machine which did nothing else.
    pub(super) least: f64,
    /// The one in the middle.
    pub(super) median: f64,
}

/// A thing to be timed.
pub(super) trait Weighed {
    /// How long it takes, compared with others of its series; roughly.
    fn weight(&self) -> f64;
}

/// Times things, until its time is over or it is told to stop.
pub(super) struct Meter<'a> {
    clock: &'a dyn Clock,
    stop: &'a CancellationToken,
    budget: Duration,
    end: Duration,
    /// Shorter things are run so often that a sample takes so long.
    sample: Duration,
    things: Cell<u32>,
    noisy: Cell<u32>,
}

/// The samples of one thing.
struct Samples {
    /// Runs of a sample.
    runs: u32,
    taken: Vec<f64>,
}

impl Samples {
    fn new(took: f64, sample: Duration) -> Samples {
        // A clock that stands still does not tell how many there should be.
        let runs = if took > 0.0 { (sample.as_nanos() as f64 / took).clamp(1.0, RUNS_MAX) as u32 } else { 1 };
        // One run alone of many tells of the clock rather than of itself.
        Samples { runs, taken: if runs == 1 { vec![took] } else { Vec::new() } }
    }

    fn timed(&self) -> Timed {
        let mut sorted = self.taken.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        Timed { least: at(0), median: at(sorted.len() / 2) }
    }

    fn agree(&self) -> bool {
        let Timed { least, median } = self.timed();
        median <= least * (1.0 + AGREE_WITHIN)
    }
}

impl<'a> Meter<'a> {
    /// Times things for so long, in samples that are no shorter than this.
    pub(super) fn new(
        clock: &'a dyn Clock,
        stop: &'a CancellationToken,
        budget: Duration,
        sample: Duration,
    ) -> Meter<'a> {
        Meter {
            clock,
            stop,
            budget,
            end: clock.now().saturating_add(budget),
            sample,
            things: Cell::new(0),
            noisy: Cell::new(0),
        }
    }

    /// Whether this moment has come.
    pub(super) fn is_past(&self, until: Duration) -> bool {
        self.clock.now() >= until
    }

    /// The part of what was timed whose samples went on disagreeing, 0 to 1.
    pub(super) fn noise(&self) -> f64 {
        f64::from(self.noisy.get()) / f64::from(self.things.get().max(1))
    }

    /// An error if it was told to stop.
    pub(super) fn check(&self) -> Result<()> {
        if self.stop.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the calibration was told to stop"));
        }
        Ok(())
    }

    /// Nanoseconds of so many runs, each.
    pub(super) fn time(&self, runs: u32, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
        self.check()?;
        let start = self.clock.now();
        for _ in 0..runs {
            run()?;
        }
        let took = self.clock.now().saturating_sub(start);
        Ok(took.as_nanos() as f64 / f64::from(runs.max(1)))
    }

    /// Runs something again and again for so long, and counts nothing.
    pub(super) fn warm_up(&self, share: Duration, mut run: impl FnMut() -> Result<()>) -> Result<()> {
        let until = self.clock.now().saturating_add(share).min(self.end);
        for _ in 0..WARM_UP_RUNS_MAX {
            if self.clock.now() >= until {
                break;
            }
            self.check()?;
            run()?;
        }
        Ok(())
    }

    /// The moment at which this part of all its time from now is over, no later than its end; but a smaller part is granted
    /// even beyond that, if others took more than theirs.
    pub(super) fn until(&self, part: f64, least: f64) -> Duration {
        let after = |part: f64| self.clock.now().saturating_add(self.budget.mul_f64(part));
        after(part).min(self.end).max(after(least))
    }

    /// How long each of these takes, from the first on, up to this moment: those behind it that the time, or the memory,
    /// does not suffice for are left out. One is always timed. Things say what they weigh, so that it is known from those
    /// before them how long they may take.
    pub(super) fn series<T: Weighed>(
        &self,
        until: Duration,
        things: &[T],
        mut run: impl FnMut(&T) -> Result<()>,
    ) -> Result<Vec<Timed>> {
        let mut all: Vec<Samples> = Vec::new();
        let (mut round, mut pace, mut first_pace) = (0.0, 0.0, 0.0);
        for thing in things {
            let (next, first) = (pace * thing.weight(), first_pace * thing.weight());
            let needed = (round + next) * ROUNDS as f64 + next + first;
            if !all.is_empty() && needed > until.saturating_sub(self.clock.now()).as_nanos() as f64 {
                break;
            }
            let first = match self.time(1, || run(thing)) {
                Ok(first) => first,
                Err(error) if error.kind() == ErrorKind::OutOfMemory => break,
                Err(error) => return Err(error),
            };
            let took = self.time(1, || run(thing))?;
            (pace, first_pace) = (took / thing.weight(), first / thing.weight());
            round += took.max(self.sample.as_nanos() as f64);
            all.push(Samples::new(took, self.sample));
        }
        self.rounds(until, things, &mut all, &mut run)?;
        self.things.update(|things| things + all.len() as u32);
        self.noisy.update(|noisy| noisy + all.iter().filter(|samples| !samples.agree()).count() as u32);
        Ok(all.iter().map(Samples::timed).collect())
    }

    /// Takes samples in turns.
    fn rounds<T>(
        &self,
        until: Duration,
        things: &[T],
        all: &mut [Samples],
        run: &mut impl FnMut(&T) -> Result<()>,
    ) -> Result<()> {
        for round in 0..ROUNDS + REPEATS_MAX {
            for (thing, samples) in things.iter().zip(&mut *all) {
                let is_late = self.clock.now() > until && !samples.taken.is_empty();
                if is_late || round >= ROUNDS && samples.agree() {
                    continue;
                }
                if samples.runs > 1 {
                    // What ran before it took its place in the caches.
                    self.time(1, || run(thing))?;
                }
                samples.taken.push(self.time(samples.runs, || run(thing))?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::sim::SimClock;

    impl Weighed for u64 {
        fn weight(&self) -> f64 {
            *self as f64
        }
    }

    /// A meter of this much virtual time whose samples are single runs.
    fn with_meter<T>(budget: Duration, test: impl FnOnce(&Meter<'_>, &SimClock) -> T) -> T {
        let (clock, stop) = (SimClock::new(), CancellationToken::new());
        test(&Meter::new(&clock, &stop, budget, Duration::ZERO), &clock)
    }

    #[test]
    fn a_first_run_is_never_counted() {
        with_meter(Duration::from_secs(1), |meter, clock| {
            let mut runs = 0;
            let timed = meter.series(meter.until(1.0, 0.0), &[1u64], |_| {
                runs += 1;
                clock.advance(Duration::from_micros(if runs == 1 { 1 } else { 100 }));
                Ok(())
            });
            assert_eq!(timed.expect("nothing fails"), [Timed { least: 100_000.0, median: 100_000.0 }]);
            assert_eq!((runs, meter.noise()), (2 + ROUNDS, 0.0));
        });
    }

    #[test]
    fn what_disagrees_is_run_again_and_counted_if_it_goes_on() {
        for (noisy_runs, noise) in [(4, 0.0), (usize::MAX, 1.0)] {
            with_meter(Duration::from_secs(1), |meter, clock| {
                let mut runs = 0;
                let timed = meter.series(meter.until(1.0, 0.0), &[1u64], |_| {
                    runs += 1;
                    let is_slow = runs < noisy_runs && !runs.is_multiple_of(3);
                    clock.advance(Duration::from_micros(if is_slow { 300 } else { 100 }));
                    Ok(())
                });
                assert_eq!(timed.expect("nothing fails")[0].least, 100_000.0);
                assert_eq!(meter.noise(), noise);
                assert!(runs <= 2 + ROUNDS + REPEATS_MAX && (noise == 0.0 || runs > 2 + ROUNDS), "{runs}");
            });
        }
    }

    #[test]
    fn what_the_time_does_not_suffice_for_is_left_out() {
        with_meter(Duration::from_millis(100), |meter, clock| {
            let mut longest = 0;
            let timed = meter.series(meter.until(1.0, 0.0), &[1u64, 4, 16, 64, 256], |&milliseconds| {
                longest = longest.max(milliseconds);
                clock.advance(Duration::from_millis(milliseconds));
                Ok(())
            });
            assert_eq!((timed.expect("nothing fails").len(), longest), (2, 4));
            assert!(clock.now() <= Duration::from_millis(100), "{:?}", clock.now());
        });
    }
}
