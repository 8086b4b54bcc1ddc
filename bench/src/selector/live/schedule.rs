//! [`Schedule`]: cases in random order, called by one or several threads that share a session.

use super::case::{Case, WARM_CALLS};
use super::random_query::{Run, TimedCall};
use crate::selector::random::Random;
use pointsman::{Result, Session};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The first calls of a case, which are not compared.
const WARM_UP_CALLS: usize = 3;

/// The order in which cases are called. It consists of rounds in which each case stands at most once.
pub(super) struct Schedule(Vec<Turn>);

/// A call of a case: the number of the case, and how often the case was called before.
#[derive(Clone, Copy)]
struct Turn {
    case: usize,
    earlier_calls: usize,
}

/// The callers of a schedule.
#[derive(Clone, Copy)]
pub(super) struct Callers<'c> {
    /// The number of threads, each with a clone of the session.
    pub(super) count: usize,
    /// For each case the devices that its calls require in turn; `None`: the session chooses.
    pub(super) devices: Option<&'c [Vec<String>]>,
    /// The callers stop after this time, even if the schedule goes on.
    pub(super) time_limit: Duration,
}

impl Callers<'_> {
    /// The queries of each case: one for each device that it is called on, or the one for which the session chooses.
    fn prepare<'q>(&self, session: &Session, cases: &'q [Case]) -> Result<Vec<Vec<Run<'q>>>> {
        let prepare = |(number, case): (usize, &'q Case)| match self.devices {
            None => Ok(vec![case.query.prepare(session, None)?]),
            Some(devices) => devices[number].iter().map(|device| case.query.prepare(session, Some(device))).collect(),
        };
        cases.iter().enumerate().map(prepare).collect()
    }
}

/// What the callers of a schedule share.
struct CallerSync {
    /// The position of the next call.
    next: AtomicUsize,
    /// Holds the callers until all have prepared their queries.
    start: Barrier,
}

/// A call with its position in the schedule and the number of its case.
struct ScheduledCall {
    position: usize,
    case: usize,
    call: TimedCall,
}

/// The calls of one caller, and the time of all of them together.
struct CallerRun {
    calls: Vec<ScheduledCall>,
    time: Duration,
}

/// The calls of a schedule.
pub(super) struct ScheduleRun {
    /// The calls of each case in order; none of a case that was not called.
    pub(super) calls: Vec<Vec<TimedCall>>,
    /// The time from the start to the end of the last call.
    pub(super) time: Duration,
}

impl ScheduleRun {
    /// The number of calls.
    pub(super) fn count(&self) -> usize {
        self.calls.iter().map(Vec::len).sum()
    }
}

impl Schedule {
    /// Draws a schedule in which each case stands as often as told, evenly spread over the rounds.
    pub(super) fn draw(random: &mut Random, calls: &[usize]) -> Schedule {
        let rounds = calls.iter().copied().max().unwrap_or_default();
        let mut order = Vec::new();
        for round in 0..rounds {
            let is_due = |&case: &usize| (round + 1) * calls[case] / rounds > round * calls[case] / rounds;
            let mut due: Vec<usize> = (0..calls.len()).filter(is_due).collect();
            random.shuffle(&mut due);
            let turn = |case: usize| Turn { case, earlier_calls: round * calls[case] / rounds };
            order.extend(due.into_iter().map(turn));
        }
        Schedule(order)
    }

    /// The number of calls.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The first calls of this schedule.
    pub(super) fn first(&self, calls: usize) -> Schedule {
        Schedule(self.0.iter().take(calls).copied().collect())
    }

    /// Runs the schedule. Each caller takes the next call when it has finished one, so all callers are busy until the end.
    pub(super) fn run(&self, session: &Session, cases: &[Case], callers: Callers<'_>) -> Result<ScheduleRun> {
        let sync = CallerSync { next: AtomicUsize::new(0), start: Barrier::new(callers.count) };
        let caller = || self.run_caller(session.clone(), cases, callers, &sync);
        let by_caller = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..callers.count).map(|_| scope.spawn(caller)).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<_>>>()
        })?;
        let time = by_caller.iter().map(|caller| caller.time).max().unwrap_or_default();
        let mut all: Vec<ScheduledCall> = by_caller.into_iter().flat_map(|caller| caller.calls).collect();
        all.sort_by_key(|call| call.position);
        let mut calls: Vec<Vec<TimedCall>> = cases.iter().map(|_| Vec::new()).collect();
        all.into_iter().for_each(|scheduled| calls[scheduled.case].push(scheduled.call));
        Ok(ScheduleRun { calls, time })
    }

    /// Calls until the schedule or the time is over.
    fn run_caller(
        &self,
        session: Session,
        cases: &[Case],
        callers: Callers<'_>,
        sync: &CallerSync,
    ) -> Result<CallerRun> {
        let runs = callers.prepare(&session, cases);
        // Every caller has to arrive here, even with an error.
        sync.start.wait();
        let (runs, start, mut calls) = (runs?, Instant::now(), Vec::new());
        while start.elapsed() < callers.time_limit {
            let position = sync.next.fetch_add(1, Ordering::Relaxed);
            let Some(&Turn { case, earlier_calls }) = self.0.get(position) else { break };
            let own = &runs[case];
            if !own.is_empty() {
                calls.push(ScheduledCall { position, case, call: own[earlier_calls % own.len()]()? });
            }
        }
        Ok(CallerRun { calls, time: start.elapsed() })
    }
}

/// Pins the owned columns of all cases on the devices on which they are called.
pub(super) fn keep_columns(session: &Session, cases: &[Case], devices: &[Vec<String>]) -> Result<()> {
    for (case, devices) in cases.iter().zip(devices) {
        for device in devices {
            case.query.keep_if_owned(session, device)?;
        }
    }
    Ok(())
}

/// The last calls of a case, without the first ones.
pub(super) fn warm(calls: &[TimedCall]) -> &[TimedCall] {
    let later = calls.get(WARM_UP_CALLS..).unwrap_or_default();
    &later[later.len().saturating_sub(WARM_CALLS)..]
}

/// The times of the calls on a device, without the first ones. Of few calls the first half is left out.
pub(super) fn device_times(calls: &[TimedCall], device: &str) -> Vec<f64> {
    let on_device = calls.iter().filter(|call| call.receipt.device() == device);
    let mut times: Vec<f64> = on_device.map(|call| call.time).collect();
    times.drain(..WARM_UP_CALLS.min(times.len().div_ceil(2)));
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_stand_as_often_as_told_and_evenly() {
        let Schedule(order) = Schedule::draw(&mut Random::new(1), &[6, 2, 0]);
        let count = |case: usize, part: &[Turn]| part.iter().filter(|turn| turn.case == case).count();
        assert_eq!([0, 1, 2].map(|case| count(case, &order)), [6, 2, 0]);
        assert_eq!(count(1, &order[..4]), 1, "one of the two calls is in the first half");
    }

    #[test]
    fn the_first_calls_are_a_schedule_too() {
        let schedule = Schedule::draw(&mut Random::new(1), &[6, 2]);
        let cases = |schedule: &Schedule| schedule.0.iter().map(|turn| turn.case).collect::<Vec<_>>();
        assert_eq!(cases(&schedule.first(3)), cases(&schedule)[..3]);
        assert_eq!((schedule.first(3).len(), schedule.first(9).len()), (3, 8));
    }
}
