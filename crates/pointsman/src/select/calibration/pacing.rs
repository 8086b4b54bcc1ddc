//! [`Pacer`]: runs calibration in short slices, and spaces them out while the session answers queries.

use crate::devices::handle::DeviceHandle;
use crate::error::{Error, Result};
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

/// Runs slices. Before each slice it waits until the session is idle or the pause after the slice before is over.
pub(super) struct Pacer<'p> {
    pub(super) clock: &'p dyn Clock,
    stop: &'p CancellationToken,
    activity: &'p dyn Fn() -> QueryActivity,
    urgency: &'p dyn Fn() -> Urgency,
    /// Set while a slice runs: the selector does not learn from queries that end meanwhile.
    is_measuring: Option<&'p AtomicBool>,
    /// The queries that had ended when activity was last seen, and that moment.
    last_active: Cell<(u64, Duration)>,
    /// When the next slice may begin although queries run.
    resume_at: Cell<Duration>,
    /// Whether a query ran during the last slice.
    pub(super) is_disturbed: Cell<bool>,
}

impl<'p> Pacer<'p> {
    pub(super) fn new(
        clock: &'p dyn Clock,
        stop: &'p CancellationToken,
        activity: &'p dyn Fn() -> QueryActivity,
        urgency: &'p dyn Fn() -> Urgency,
        is_measuring: Option<&'p AtomicBool>,
    ) -> Pacer<'p> {
        let now = clock.now();
        let (last_active, resume_at) = (Cell::new((activity().ended, now)), Cell::new(now));
        let is_disturbed = Cell::new(false);
        Pacer { clock, stop, activity, urgency, is_measuring, last_active, resume_at, is_disturbed }
    }

    /// A pacer without pauses.
    pub(super) fn immediate(
        clock: &'p dyn Clock,
        stop: &'p CancellationToken,
        is_measuring: Option<&'p AtomicBool>,
    ) -> Pacer<'p> {
        Pacer::new(clock, stop, &QueryActivity::default, &|| Urgency::Immediate, is_measuring)
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// Whether slices follow each other without pauses, whatever queries run.
    pub(super) fn is_immediate(&self) -> bool {
        (self.urgency)() == Urgency::Immediate
    }

    /// An error if the calibration was cancelled.
    pub(super) fn check(&self) -> Result<()> {
        if self.stop.is_cancelled() { Err(Error::cancelled()) } else { Ok(()) }
    }

    /// Waits for its turn, then runs `work`, which should take at most [`SLICE_MAX`].
    pub(super) fn slice<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.wait_for_turn()?;
        let (before, start) = ((self.activity)(), self.now());
        self.set_measuring(true);
        let value = work();
        self.set_measuring(false);
        let (after, end) = ((self.activity)(), self.now());
        self.resume_at.set(end.saturating_add(end.saturating_sub(start) * PAUSE_FACTOR));
        self.is_disturbed.set(before.in_flight || after != before);
        value
    }

    fn set_measuring(&self, is_measuring: bool) {
        self.is_measuring.inspect(|flag| flag.store(is_measuring, Ordering::Relaxed));
    }

    fn wait_for_turn(&self) -> Result<()> {
        loop {
            self.check()?;
            let (now, resume_at) = (self.now(), self.resume_at.get());
            if self.is_idle(now) || now >= resume_at {
                return Ok(());
            }
            self.clock.sleep((resume_at - now).min(POLL_INTERVAL));
        }
    }

    fn is_idle(&self, now: Duration) -> bool {
        let activity = (self.activity)();
        if activity.in_flight || activity.ended != self.last_active.get().0 {
            self.last_active.set((activity.ended, now));
        }
        match (self.urgency)() {
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
    use crate::error::ErrorKind;
    use pointsman_device::sim::SimClock;

    /// Runs slices of this length, and returns how long they took with their pauses.
    fn run_slices(clock: &SimClock, pacer: &Pacer<'_>, count: usize, time: Duration) -> Duration {
        let start = clock.now();
        for _ in 0..count {
            let advance = || {
                clock.advance(time);
                Ok(())
            };
            pacer.slice(advance).expect("nothing fails");
        }
        clock.now() - start
    }

    /// The part of the time that 100 slices of 1 to 4 ms take.
    fn load(urgency: Urgency, activity: &dyn Fn() -> QueryActivity) -> f64 {
        let (clock, stop, urgency) = (SimClock::new(), CancellationToken::new(), || urgency);
        let pacer = Pacer::new(&clock, &stop, activity, &urgency, None);
        let mut busy = Duration::ZERO;
        for number in 0..100 {
            let time = Duration::from_millis(1 + number % 4);
            run_slices(&clock, &pacer, 1, time);
            busy += time;
        }
        busy.as_secs_f64() / clock.now().as_secs_f64()
    }

    #[test]
    fn slices_take_3_percent_of_the_time_while_queries_run_unless_a_caller_waits() {
        let ended = Cell::new(0);
        let in_flight = || QueryActivity { in_flight: true, ended: 0 };
        // Each ends before it is seen, but their count grows.
        let short = || QueryActivity { in_flight: false, ended: ended.replace(ended.get() + 1) };
        let cases: [(Urgency, &dyn Fn() -> QueryActivity, _); 5] = [
            (Urgency::Background, &in_flight, 0.025..=0.03),
            (Urgency::Background, &short, 0.025..=0.03),
            (Urgency::Awaited, &in_flight, 0.025..=0.03),
            (Urgency::Awaited, &short, 1.0..=1.0),
            (Urgency::Immediate, &in_flight, 1.0..=1.0),
        ];
        for (urgency, activity, expected) in cases {
            let load = load(urgency, activity);
            assert!(expected.contains(&load), "{urgency:?}: {load}, not {expected:?}");
        }
    }

    #[test]
    fn slices_follow_each_other_while_the_session_is_idle() {
        let (clock, stop, ended) = (SimClock::new(), CancellationToken::new(), Cell::new(7));
        let activity = || QueryActivity { in_flight: false, ended: ended.get() };
        let pacer = Pacer::new(&clock, &stop, &activity, &|| Urgency::Background, None);
        let slices = |count: usize| run_slices(&clock, &pacer, count, SLICE_MAX);
        // A query ended when the pacer was made; the session is idle some time after that.
        slices(1);
        assert_eq!(slices(10), 10 * SLICE_MAX + 2 * POLL_INTERVAL);
        assert_eq!(slices(10), 10 * SLICE_MAX);
        ended.set(8);
        assert_eq!(slices(10), 10 * SLICE_MAX + IDLE_AFTER);
    }

    #[test]
    fn cancelled_pause_ends_with_its_poll() {
        let (clock, stop, flag) = (SimClock::new(), CancellationToken::new(), AtomicBool::default());
        let cancel_at = Duration::from_millis(105);
        let activity = || {
            if clock.now() >= cancel_at {
                stop.cancel();
            }
            QueryActivity { in_flight: true, ended: 0 }
        };
        let pacer = Pacer::new(&clock, &stop, &activity, &|| Urgency::Background, Some(&flag));
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
        let (clock, stop) = (SimClock::new(), CancellationToken::new());
        let cases = [
            ((false, 3), (false, 3), false),
            ((false, 3), (false, 4), true),
            ((false, 3), (true, 3), true),
            ((true, 3), (true, 3), true),
            ((true, 3), (false, 4), true),
        ];
        for (before, after, expected) in cases {
            let state = Cell::new(before);
            let activity = || QueryActivity { in_flight: state.get().0, ended: state.get().1 };
            let pacer = Pacer::new(&clock, &stop, &activity, &|| Urgency::Immediate, None);
            let change = || {
                state.set(after);
                Ok(())
            };
            pacer.slice(change).expect("nothing fails");
            assert_eq!(pacer.is_disturbed.get(), expected, "{before:?} {after:?}");
        }
    }
}
