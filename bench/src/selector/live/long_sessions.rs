//! One session in which all cases alternate in random order, with one caller and with several.

use super::automatic_calls::{AutomaticCalls, DeviceHistory};
use super::case::{Case, DeviceTimes, best, median};
use super::choice_report::{CaseResult, ChoiceReport};
use super::random_query::TimedCall;
use super::schedule::{Callers, Schedule, ScheduleRun, device_times, keep_columns, warm};
use super::session_times::compared_devices;
use super::throughput::Throughput;
use super::{Calibration, LiveBenchmark};
use crate::selector::random::Random;
use pointsman::{Result, Session};
use std::time::Duration;

/// The number of callers of a shared session.
const CALLERS: usize = 3;

/// How often a schedule calls its cases, and for how long.
struct Repetition {
    /// Calls of a case, and of a slow case; on all devices in turn, calls on each device.
    calls: [usize; 2],
    time_limit: Duration,
}

/// The schedules of a long session and of its reference.
struct LongPlan {
    name: &'static str,
    callers: usize,
    /// The session chooses.
    automatic: Repetition,
    /// The same session afterwards: all devices in turn.
    in_session: Repetition,
    /// Another session before and another one after: all devices in turn.
    reference: Repetition,
}

const ONE_CALLER: LongPlan = LongPlan {
    name: "one long session, warm",
    callers: 1,
    automatic: Repetition { calls: [60, 25], time_limit: Duration::from_secs(20) },
    in_session: Repetition { calls: [12, 9], time_limit: Duration::from_secs(10) },
    reference: Repetition { calls: [24, 18], time_limit: Duration::from_secs(10) },
};

const SEVERAL_CALLERS: LongPlan = LongPlan {
    name: "one long session with 3 callers, warm",
    callers: CALLERS,
    automatic: Repetition { calls: [45, 20], time_limit: Duration::from_secs(12) },
    in_session: Repetition { calls: [12, 9], time_limit: Duration::from_secs(8) },
    reference: Repetition { calls: [11, 9], time_limit: Duration::from_secs(10) },
};

impl LiveBenchmark {
    /// One session in which all cases alternate in random order.
    pub fn long(&self, progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        self.alternate(&ONE_CALLER, progress)
    }

    /// One session in which several callers call all cases in random order.
    pub fn callers(&self, progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        self.alternate(&SEVERAL_CALLERS, progress)
    }

    /// Compares a session that chooses with schedules in which the calls of each case go to all devices in turn: caches,
    /// threads, clocks and other callers are as they are between other queries on all devices.
    fn alternate(&self, plan: &LongPlan, mut progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        // The reference runs before and after, because the speed of a machine drifts.
        progress(&format!("{}: the reference", plan.name));
        let before = self.reference(plan)?;
        progress(&format!("{}: a session that requires the best devices", plan.name));
        let informed = self.informed_schedule(plan, &before)?;
        progress(plan.name);
        let session = self.options(None).open()?;
        if self.plan.calibration == Calibration::Before {
            session.discover();
            session.wait_until_calibrated();
        }
        let schedule = self.schedule(&plan.automatic, 1);
        let callers = Callers { count: plan.callers, devices: None, time_limit: plan.automatic.time_limit };
        let automatic = schedule.run(&session, &self.cases, callers)?;
        let judged: Vec<Option<AutomaticCalls>> = automatic.calls.iter().map(|calls| summarize(calls)).collect();
        progress(&format!("{}: all devices in turn", plan.name));
        let compared = |(case, calls): (&Case, &Option<_>)| compared_devices(case, calls.as_ref(), &self.devices);
        let devices: Vec<Vec<String>> = self.cases.iter().zip(&judged).map(compared).collect();
        let in_session = self.in_turn(&session, &plan.in_session, plan.callers, self.devices.len(), &devices)?;
        drop(session);
        progress(&format!("{}: the reference again", plan.name));
        let after = self.reference(plan)?;
        let mut results = Vec::new();
        for (number, (case, calls)) in self.cases.iter().zip(judged).enumerate() {
            let times = |runs: &[&ScheduleRun]| self.device_medians(number, runs);
            let (reference, in_session) = (times(&[&before, &after]), times(&[&in_session]));
            // If the time was over before each device had its turns, the best one may be missing.
            let in_session = if in_session.len() < devices[number].len() { DeviceTimes::new() } else { in_session };
            let result = |calls| CaseResult::new((number, case), calls, reference, in_session);
            results.extend(calls.map(result).map(|result| result.with_informed(informed[number])));
        }
        let report = ChoiceReport::new(plan.name, results);
        if plan.callers == 1 {
            return Ok(report);
        }
        progress(&format!("{}: each device alone", plan.name));
        let (options, run) = (self.options(None), (&schedule, &automatic));
        let throughput = Throughput::measure(&options, &self.devices, &self.cases, plan.callers, run)?;
        Ok(report.with_throughput(throughput))
    }

    /// The median time of each case in a session like the one that chooses, in which each call requires the best device of
    /// the reference and finds its columns there; infinite if it was not called.
    fn informed_schedule(&self, plan: &LongPlan, reference: &ScheduleRun) -> Result<Vec<f64>> {
        let best_device = |case: usize| match best(&self.device_medians(case, &[reference])) {
            (_, f64::INFINITY) => Vec::new(),
            (device, _) => vec![device.to_string()],
        };
        let devices: Vec<Vec<String>> = (0..self.cases.len()).map(best_device).collect();
        let run = self.in_turn(&self.options(None).open()?, &plan.automatic, plan.callers, 1, &devices)?;
        Ok(run.calls.iter().map(|calls| median(warm(calls).iter().map(|call| call.time))).collect())
    }

    /// Runs all cases on all devices in turn, in a session of their own.
    fn reference(&self, plan: &LongPlan) -> Result<ScheduleRun> {
        // Alone, a caller leaves out cases that take a device far too long; beside others, such calls belong to the crowd.
        let is_called = |case: &Case, device: &str| match plan.callers {
            1 => case.has_candidate(device),
            _ => case.runs_on(device),
        };
        let called = |case: &Case| self.devices.iter().filter(|device| is_called(case, device)).cloned().collect();
        let devices: Vec<Vec<String>> = self.cases.iter().map(called).collect();
        self.in_turn(&self.options(None).open()?, &plan.reference, plan.callers, self.devices.len(), &devices)
    }

    /// Runs each case on its devices in turn, with owned columns on them: `times` as often as the repetition says.
    fn in_turn(
        &self,
        session: &Session,
        repetition: &Repetition,
        callers: usize,
        times: usize,
        devices: &[Vec<String>],
    ) -> Result<ScheduleRun> {
        keep_columns(session, &self.cases, devices)?;
        let callers = Callers { count: callers, devices: Some(devices), time_limit: repetition.time_limit };
        self.schedule(repetition, times).run(session, &self.cases, callers)
    }

    /// A schedule that calls each case `times` as often as the repetition says.
    fn schedule(&self, repetition: &Repetition, times: usize) -> Schedule {
        let calls = |case: &Case| times * repetition.calls[usize::from(case.is_slow())];
        let calls: Vec<usize> = self.cases.iter().map(calls).collect();
        Schedule::draw(&mut Random::new(self.plan.seed ^ 1), &calls)
    }

    /// The median time of each device that ran a case.
    fn device_medians(&self, case: usize, runs: &[&ScheduleRun]) -> DeviceTimes {
        let time = |device: &String| {
            let times: Vec<f64> = runs.iter().flat_map(|run| device_times(&run.calls[case], device)).collect();
            (!times.is_empty()).then(|| (device.clone(), median(times)))
        };
        self.devices.iter().filter_map(time).collect()
    }
}

/// The automatic calls of a case; `None` if none is warm.
fn summarize(calls: &[TimedCall]) -> Option<AutomaticCalls> {
    let history = calls.iter().map(|call| call.receipt.device()).collect::<DeviceHistory>();
    AutomaticCalls::new(history, warm(calls))
}
