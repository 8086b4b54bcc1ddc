//! [`Schedule`]: cases in random order, called by one or several threads that share a session.

use super::case::{Case, WARM_CALLS};
use super::random_query::TimedCall;
use crate::selector::random::Random;
use pointsman::{Result, Session};
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The first calls of a case, which are not compared.
const WARM_UP_CALLS: usize = 3;

/// The order in which cases are called. It consists of rounds in which each case stands at most once.
pub(super) struct Schedule(Vec<usize>);

/// Who runs a schedule.
#[derive(Clone, Copy)]
pub(super) struct Callers<'c> {
    /// The number of threads, each with a clone of the session.
    pub(super) count: usize,
    /// The device that all calls require; `None`: the session chooses.
    pub(super) device: Option<&'c str>,
    /// The callers stop after this time, even if the schedule goes on.
    pub(super) time_limit: Duration,
}

impl Callers<'_> {
    /// Whether they call a case. Alone, a caller leaves out cases that take its device far too long; beside others, such
    /// calls belong to the crowd.
    fn call(&self, case: &Case) -> bool {
        match self.device {
            None => true,
            Some(device) if self.count == 1 => case.has_candidate(device),
            Some(device) => case.runs_on(device),
        }
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

impl Schedule {
    /// Draws a schedule in which each case stands as often as told, evenly spread over the rounds.
    pub(super) fn draw(random: &mut Random, calls: &[usize]) -> Schedule {
        let rounds = calls.iter().copied().max().unwrap_or_default();
        let mut order = Vec::new();
        for round in 0..rounds {
            let is_due = |&case: &usize| (round + 1) * calls[case] / rounds > round * calls[case] / rounds;
            let mut due: Vec<usize> = (0..calls.len()).filter(is_due).collect();
            random.shuffle(&mut due);
            order.extend(due);
        }
        Schedule(order)
    }

    /// Runs the schedule. Each caller takes the next call when it has finished one, so all callers are busy until the end.
    /// Returns the calls of each case in order; none of a case that is not called.
    pub(super) fn run(&self, session: &Session, cases: &[Case], callers: Callers<'_>) -> Result<Vec<Vec<TimedCall>>> {
        for case in cases.iter().filter(|case| callers.call(case)) {
            if let Some(device) = callers.device {
                case.query.keep_if_owned(session, device)?;
            }
        }
        let sync = CallerSync { next: AtomicUsize::new(0), start: Barrier::new(callers.count) };
        let caller = || self.run_caller(session.clone(), cases, callers, &sync);
        let by_caller = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..callers.count).map(|_| scope.spawn(caller)).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<_>>>()
        })?;
        let mut all: Vec<ScheduledCall> = by_caller.into_iter().flatten().collect();
        all.sort_by_key(|call| call.position);
        let mut by_case: Vec<Vec<TimedCall>> = cases.iter().map(|_| Vec::new()).collect();
        all.into_iter().for_each(|scheduled| by_case[scheduled.case].push(scheduled.call));
        Ok(by_case)
    }

    /// Calls until the schedule or the time is over.
    fn run_caller(
        &self,
        session: Session,
        cases: &[Case],
        callers: Callers<'_>,
        sync: &CallerSync,
    ) -> Result<Vec<ScheduledCall>> {
        let runs = cases.iter().map(|case| match callers.call(case) {
            true => case.query.prepare(&session, callers.device).map(Some),
            false => Ok(None),
        });
        let runs: Result<Vec<_>> = runs.collect();
        // Every caller has to arrive here, even with an error.
        sync.start.wait();
        let (runs, start, mut calls) = (runs?, Instant::now(), Vec::new());
        while start.elapsed() < callers.time_limit {
            let position = sync.next.fetch_add(1, Ordering::Relaxed);
            let Some(&case) = self.0.get(position) else { break };
            if let Some(run) = &runs[case] {
                calls.push(ScheduledCall { position, case, call: run()? });
            }
        }
        Ok(calls)
    }
}

/// The last calls of a case, without the first ones.
pub(super) fn warm(calls: &[TimedCall]) -> &[TimedCall] {
    let later = calls.get(WARM_UP_CALLS..).unwrap_or_default();
    &later[later.len().saturating_sub(WARM_CALLS)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_stand_as_often_as_told_and_evenly() {
        let Schedule(order) = Schedule::draw(&mut Random::new(1), &[6, 2, 0]);
        let count = |case: usize, part: &[usize]| part.iter().filter(|&&other| other == case).count();
        assert_eq!([0, 1, 2].map(|case| count(case, &order)), [6, 2, 0]);
        assert_eq!(count(1, &order[..4]), 1, "one of the two calls is in the first half");
    }
}
