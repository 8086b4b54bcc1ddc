//! [`Pacer`]: runs calibration in short slices, and spaces them out while the session answers queries.

use crate::devices::handle::DeviceHandle;
use crate::error::{Error, ErrorKind, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::telemetry::device_counters::DeviceCounters;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a slice should take at most.
pub(super) const SLICE_MAX: Duration = Duration::from_millis(2);
/// While queries run, a pause of this many times its length follows a slice: calibration takes 3 % of the time.
const PAUSE_FACTOR: u32 = 33;
/// The session is idle if no query runs and none has ended for this long.
const IDLE_AFTER: Duration = Duration::from_millis(20);
/// How often a pause checks whether the session is idle or has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Who waits for a calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Nobody: it makes way for queries.
    Background,
    /// A caller of `Session::wait_until_calibrated`: it makes way only for queries that run now.
    Awaited,
    /// A caller of `Session::calibrate`: it never pauses.
    Immediate,
}

/// The queries of a session at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct QueryActivity {
    pub(super) in_flight: bool,
    /// The number of queries that have ended.
    pub(super) ended: u64,
}

impl QueryActivity {
    /// Reads the gates and counters that queries update anyway.
    pub(super) fn of(devices: &[(Arc<DeviceHandle>, Arc<DeviceCounters>)]) -> QueryActivity {
        QueryActivity {
            in_flight: devices.iter().any(|(handle, _)| handle.gate.is_occupied()),
            ended: devices.iter().fold(0, |sum, (_, counters)| sum.wrapping_add(counters.runs())),
        }
    }
}

/// The part of a [`Pacer`] that the session provides.
pub(super) struct PacerInput<'p> {
    pub(super) clock: &'p dyn Clock,
    pub(super) stop: &'p CancellationToken,
    pub(super) activity: &'p dyn Fn() -> QueryActivity,
    pub(super) urgency: &'p dyn Fn() -> Urgency,
    /// Set while a slice runs: the selector does not learn from queries that end meanwhile.
    pub(super) is_measuring: Option<&'p AtomicBool>,
}

/// Runs slices. Before each slice it waits until the session is idle or the pause after the slice before is over.
pub(super) struct Pacer<'p> {
    input: PacerInput<'p>,
    /// The queries that had ended when activity was last seen, and that moment.
    last_active: Cell<(u64, Duration)>,
    /// When the next slice may begin although queries run.
    resume_at: Cell<Duration>,
}

/// What a slice returned, and whether a query ran at the same time.
pub(super) struct SliceResult<T> {
    pub(super) value: T,
    pub(super) is_disturbed: bool,
}

impl<'p> Pacer<'p> {
    pub(super) fn new(input: PacerInput<'p>) -> Pacer<'p> {
        let now = input.clock.now();
        let ended = (input.activity)().ended;
        Pacer { input, last_active: Cell::new((ended, now)), resume_at: Cell::new(now) }
    }

    /// A pacer without pauses.
    pub(super) fn immediate(
        clock: &'p dyn Clock,
        stop: &'p CancellationToken,
        is_measuring: Option<&'p AtomicBool>,
    ) -> Pacer<'p> {
        let (activity, urgency) = (&QueryActivity::default, &|| Urgency::Immediate);
        Pacer::new(PacerInput { clock, stop, activity, urgency, is_measuring })
    }

    pub(super) fn clock(&self) -> &'p dyn Clock {
        self.input.clock
    }

    pub(super) fn now(&self) -> Duration {
        self.input.clock.now()
    }

    /// Whether slices follow each other without pauses, whatever queries run.
    pub(super) fn is_immediate(&self) -> bool {
        (self.input.urgency)() == Urgency::Immediate
    }

    /// An error if the calibration was cancelled.
    pub(super) fn check(&self) -> Result<()> {
        match self.input.stop.is_cancelled() {
            true => Err(Error::new(ErrorKind::Cancelled, "the calibration was cancelled")),
            false => Ok(()),
        }
    }

    /// Waits for its turn, then runs `work`, which should take at most [`SLICE_MAX`].
    pub(super) fn slice<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<SliceResult<T>> {
        self.wait_for_turn()?;
        let (before, start) = ((self.input.activity)(), self.now());
        self.set_measuring(true);
        let value = work();
        self.set_measuring(false);
        let (after, end) = ((self.input.activity)(), self.now());
        self.resume_at.set(end.saturating_add(end.saturating_sub(start) * PAUSE_FACTOR));
        Ok(SliceResult { value: value?, is_disturbed: before.in_flight || after != before })
    }

    fn set_measuring(&self, is_measuring: bool) {
        self.input.is_measuring.inspect(|flag| flag.store(is_measuring, Ordering::Relaxed));
    }

    fn wait_for_turn(&self) -> Result<()> {
        loop {
            self.check()?;
            let (now, resume_at) = (self.now(), self.resume_at.get());
            if self.is_idle(now) || now >= resume_at {
                return Ok(());
            }
            self.input.clock.sleep((resume_at - now).min(POLL_INTERVAL));
        }
    }

    fn is_idle(&self, now: Duration) -> bool {
        let activity = (self.input.activity)();
        if activity.in_flight || activity.ended != self.last_active.get().0 {
            self.last_active.set((activity.ended, now));
        }
        match (self.input.urgency)() {
            Urgency::Background => now.saturating_sub(self.last_active.get().1) >= IDLE_AFTER,
            Urgency::Awaited => !activity.in_flight,
            Urgency::Immediate => true,
        }
    }
}

/// A panic in a slice must not leave the flag set.
impl Drop for Pacer<'_> {
    fn drop(&mut self) {
        self.set_measuring(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::sim::SimClock;

    /// Runs a test with a pacer on a virtual clock.
    fn with_pacer<T>(
        clock: &SimClock,
        urgency: Urgency,
        activity: impl Fn() -> QueryActivity,
        test: impl FnOnce(&Pacer<'_>) -> T,
    ) -> T {
        let (stop, urgency) = (CancellationToken::new(), || urgency);
        let input = PacerInput { clock, stop: &stop, activity: &activity, urgency: &urgency, is_measuring: None };
        test(&Pacer::new(input))
    }

    /// Runs slices of this length.
    fn run_slices(clock: &SimClock, pacer: &Pacer<'_>, count: usize, time: Duration) {
        for _ in 0..count {
            let advance = || {
                clock.advance(time);
                Ok(())
            };
            pacer.slice(advance).expect("nothing fails");
        }
    }

    /// The part of the time that 100 slices of 1 to 4 ms take.
    fn load(clock: &SimClock, pacer: &Pacer<'_>) -> f64 {
        let mut busy = Duration::ZERO;
        for number in 0..100 {
            let time = Duration::from_millis(1 + number % 4);
            run_slices(clock, pacer, 1, time);
            busy += time;
        }
        // The pause after the last slice counts.
        busy.as_secs_f64() / clock.now().max(pacer.resume_at.get()).as_secs_f64()
    }

    #[test]
    fn slices_take_3_percent_of_the_time_while_queries_run() {
        let ended = Cell::new(0);
        let in_flight = || QueryActivity { in_flight: true, ended: 0 };
        // Each ends before it is seen, but their count grows.
        let short = || QueryActivity { in_flight: false, ended: ended.replace(ended.get() + 1) };
        for urgency in [Urgency::Background, Urgency::Awaited] {
            let clock = SimClock::new();
            let load = with_pacer(&clock, urgency, in_flight, |pacer| load(&clock, pacer));
            assert!((0.025..=0.03).contains(&load), "{urgency:?}: {load}");
        }
        let clock = SimClock::new();
        let load = with_pacer(&clock, Urgency::Background, short, |pacer| load(&clock, pacer));
        assert!((0.025..=0.03).contains(&load), "{load}");
    }

    #[test]
    fn slices_follow_each_other_while_the_session_is_idle() {
        let (clock, ended) = (SimClock::new(), Cell::new(7));
        let activity = || QueryActivity { in_flight: false, ended: ended.get() };
        with_pacer(&clock, Urgency::Background, activity, |pacer| {
            let slices = |count: usize| {
                let start = clock.now();
                run_slices(&clock, pacer, count, SLICE_MAX);
                clock.now() - start
            };
            // A query ended when the pacer was made; the session is idle some time after that.
            slices(1);
            assert_eq!(slices(10), 10 * SLICE_MAX + 2 * POLL_INTERVAL);
            assert_eq!(slices(10), 10 * SLICE_MAX);
            ended.set(8);
            assert_eq!(slices(10), 10 * SLICE_MAX + IDLE_AFTER);
        });
    }

    #[test]
    fn callers_that_wait_end_the_pauses() {
        let ended = Cell::new(0);
        let short = || QueryActivity { in_flight: false, ended: ended.replace(ended.get() + 1) };
        let in_flight = || QueryActivity { in_flight: true, ended: 0 };
        let clock = SimClock::new();
        assert_eq!(
            with_pacer(&clock, Urgency::Awaited, short, |pacer| {
                run_slices(&clock, pacer, 10, SLICE_MAX);
                clock.now()
            }),
            10 * SLICE_MAX
        );
        let clock = SimClock::new();
        assert_eq!(
            with_pacer(&clock, Urgency::Immediate, in_flight, |pacer| {
                run_slices(&clock, pacer, 10, SLICE_MAX);
                clock.now()
            }),
            10 * SLICE_MAX
        );
    }

    #[test]
    fn cancelled_pause_ends_with_its_poll() {
        let (clock, stop) = (SimClock::new(), CancellationToken::new());
        let cancel_at = Duration::from_millis(105);
        let activity = || {
            if clock.now() >= cancel_at {
                stop.cancel();
            }
            QueryActivity { in_flight: true, ended: 0 }
        };
        let (urgency, flag) = (|| Urgency::Background, AtomicBool::default());
        let input = PacerInput {
            clock: &clock,
            stop: &stop,
            activity: &activity,
            urgency: &urgency,
            is_measuring: Some(&flag),
        };
        let pacer = Pacer::new(input);
        let slice = || {
            pacer.slice(|| {
                assert!(flag.load(Ordering::Relaxed), "the selector does not learn meanwhile");
                clock.advance(Duration::from_millis(50));
                Ok(())
            })
        };
        assert!(slice().is_ok() && !flag.load(Ordering::Relaxed));
        assert_eq!(slice().err().map(|error| error.kind()), Some(ErrorKind::Cancelled));
        assert!(clock.now() <= cancel_at + 2 * POLL_INTERVAL, "{:?}", clock.now());
    }

    #[test]
    fn slice_is_disturbed_by_queries_that_run_or_end_meanwhile() {
        let (clock, state) = (SimClock::new(), Cell::new(QueryActivity::default()));
        let check = |before: QueryActivity, after: QueryActivity, expected: bool| {
            state.set(before);
            with_pacer(
                &clock,
                Urgency::Immediate,
                || state.get(),
                |pacer| {
                    let change = || {
                        state.set(after);
                        Ok(())
                    };
                    let slice = pacer.slice(change).expect("nothing fails");
                    assert_eq!(slice.is_disturbed, expected, "{before:?} {after:?}");
                },
            );
        };
        let at = |in_flight, ended| QueryActivity { in_flight, ended };
        check(at(false, 3), at(false, 3), false);
        check(at(false, 3), at(false, 4), true);
        check(at(false, 3), at(true, 3), true);
        check(at(true, 3), at(true, 3), true);
        check(at(true, 3), at(false, 4), true);
    }
}
