//! Measures how well sessions choose devices, on random work.
//!
//! Kernels, sizes, types and placements are drawn from a printed seed that differs in every run, so no parameter can be
//! tuned to them. Each device's own time, measured with `require`, gives the best time that a choice could reach. Then
//! sessions choose for themselves. [`Part`] lists the ways in which they are used.

mod case;
mod choice_report;
mod first_calls;
mod pressure;
mod random_query;
mod reuse;
mod reuse_picture;
mod schedule;
mod use_costs;

pub use choice_report::ChoiceReport;
pub use first_calls::{Calibration, FirstCallsReport, time_first_calls};
pub use pressure::PressureReport;
pub use reuse::ReuseCurve;
pub use reuse_picture::svg;

use super::grid;
use super::random::Random;
use case::{Case, DeviceEffort, DeviceTimes, WARM_CALLS, median};
use choice_report::CaseResult;
use pointsman::{Exactness, Result, SessionOptions};
use random_query::{QueryShape, ROWS_MIN, Run};
use schedule::{Callers, Schedule, device_times, warm};
use std::path::Path;
use std::time::{Duration, Instant};

/// A fresh session works this long on its case before its calls are compared: devices are found and measured meanwhile.
const SETTLING: Duration = Duration::from_millis(1500);
/// The fewest calls before that, of a case and of a slow case.
const CALLS_MIN: [usize; 2] = [20, 8];
/// The first calls with a stored profile, which are not compared.
const STORED_CALLS: usize = 2;
/// The most time of all fresh sessions, of all sessions with a stored profile, and of all columns that are used again and
/// again. What has not begun by then is left out, so that a seed takes about five minutes at most.
const FRESH_TIME_MAX: Duration = Duration::from_secs(90);
const STORED_TIME_MAX: Duration = Duration::from_secs(35);
const REUSE_TIME_MAX: Duration = Duration::from_secs(25);
/// The number of callers of a shared session.
const CALLERS: usize = 3;
/// The most columns that are used again and again.
const REUSED_COLUMNS: usize = 6;

/// A way to use sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One session in which all cases alternate.
    Long,
    /// One session in which several callers alternate all cases.
    Callers,
    /// A fresh session for each case, with the profile that an earlier session stored.
    Stored,
    /// A fresh session for each case, with nothing stored.
    Fresh,
    /// The first calls of a process, while calibration runs.
    First,
    /// Owned columns that are used again and again.
    Reuse,
    /// Owned columns that do not all fit into the memory of a device.
    Pressure,
}

impl Part {
    /// All parts, in the order in which they run.
    pub const ALL: [Part; 7] =
        [Part::Long, Part::Callers, Part::Stored, Part::Fresh, Part::First, Part::Reuse, Part::Pressure];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Long => "long",
            Part::Callers => "callers",
            Part::Stored => "stored",
            Part::Fresh => "fresh",
            Part::First => "first",
            Part::Reuse => "reuse",
            Part::Pressure => "pressure",
        }
    }

    /// The part of this name.
    pub fn named(name: &str) -> std::result::Result<Part, String> {
        let known = Part::ALL.map(Part::name).join(", ");
        let part = Part::ALL.into_iter().find(|part| part.name() == name);
        part.ok_or_else(|| format!("there is no part `{name}`; the parts are {known}"))
    }
}

/// What is measured.
#[derive(Clone)]
pub struct Plan {
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// The number of cases.
    pub cases: usize,
    /// The most rows of a case.
    pub rows_max: f64,
    /// The only devices to use.
    pub devices: Option<Vec<String>>,
    /// Whether the processor's variants are devices of their own.
    pub has_variants: bool,
}

impl Plan {
    /// The queries of the cases, without data.
    fn shapes(&self) -> impl Iterator<Item = QueryShape> {
        let (mut random, rows) = (Random::new(self.seed), [ROWS_MIN, self.rows_max]);
        (0..self.cases).map(move |_| QueryShape::draw(&mut random, rows))
    }

    fn options(&self, directory: Option<&Path>) -> SessionOptions {
        let options = if self.has_variants { grid::options() } else { SessionOptions::new() };
        let options = options.exactness(Exactness::Bounded);
        match directory {
            Some(directory) => options.program_directory(directory),
            None => options.program_bytes(0),
        }
    }
}

/// How often a long session calls its cases, and for how long.
struct Repetition {
    /// Calls of a case, and of a slow case.
    calls: [usize; 2],
    time_limit: Duration,
}

/// The long session itself, and the session that runs its schedule on all devices in turn.
struct LongPlan {
    name: &'static str,
    callers: usize,
    automatic: Repetition,
    devices: Repetition,
}

const ONE_CALLER: LongPlan = LongPlan {
    name: "one long session, warm",
    callers: 1,
    automatic: Repetition { calls: [60, 25], time_limit: Duration::from_secs(20) },
    devices: Repetition { calls: [24, 18], time_limit: Duration::from_secs(20) },
};

const SEVERAL_CALLERS: LongPlan = LongPlan {
    name: "one long session with 3 callers, warm",
    callers: CALLERS,
    automatic: Repetition { calls: [45, 20], time_limit: Duration::from_secs(15) },
    devices: Repetition { calls: [11, 9], time_limit: Duration::from_secs(20) },
};

/// All cases of a seed, with the time of each device.
pub struct LiveBenchmark {
    plan: Plan,
    devices: Vec<String>,
    cases: Vec<Case>,
}

impl LiveBenchmark {
    /// Draws the cases and measures the devices on each.
    pub fn measure(plan: Plan, mut progress: impl FnMut(&str)) -> Result<LiveBenchmark> {
        let session = plan.options(None).open()?;
        let found = session.devices().devices().iter().map(|device| device.info.name.clone()).collect::<Vec<_>>();
        let is_wanted = |name: &String| plan.devices.as_ref().is_none_or(|only| only.contains(name));
        let devices: Vec<String> = found.into_iter().filter(is_wanted).collect();
        let mut efforts: Vec<DeviceEffort> = devices.iter().cloned().map(DeviceEffort::none).collect();
        let mut cases = Vec::with_capacity(plan.cases);
        for (number, shape) in plan.shapes().enumerate() {
            progress(&format!("devices: {number} of {} cases", plan.cases));
            cases.push(Case::measure(&session, shape.with_data(), &mut efforts)?);
        }
        Ok(LiveBenchmark { plan, devices, cases })
    }

    /// The devices that were measured.
    pub fn devices(&self) -> &[String] {
        &self.devices
    }

    /// A session of its own for each case, with nothing stored.
    pub fn fresh(&self, mut progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        let (begin, mut results) = (Instant::now(), Vec::new());
        for (number, case) in self.cases.iter().enumerate().take_while(|_| begin.elapsed() < FRESH_TIME_MAX) {
            progress(&format!("fresh sessions: {number} of {}", self.cases.len()));
            let session = self.options(None).open()?;
            let run = case.query.prepare(&session, None)?;
            let (start, mut calls) = (Instant::now(), 0);
            while calls < calls_min(case) || !is_settled(start) {
                run()?;
                calls += 1;
            }
            results.extend(compare(case, &run)?);
        }
        Ok(ChoiceReport::new("fresh sessions, warm", results))
    }

    /// A session of its own for each case, after one session that has run all of them and has stored what it learned.
    pub fn stored(&self, mut progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        let directory = std::env::temp_dir().join(format!("pointsman-selector-{}", std::process::id()));
        let (begin, first) = (Instant::now(), self.options(Some(&directory)).open()?);
        first.wait_until_calibrated();
        // Twice: while a case runs for the first time, compilers run beside it, and such times are not stored.
        for _ in 0..2 {
            for (number, case) in self.cases.iter().enumerate() {
                progress(&format!("a session that stores its profile: {number} of {}", self.cases.len()));
                let run = case.query.prepare(&first, None)?;
                (0..calls_min(case)).try_for_each(|_| run().map(drop))?;
            }
        }
        drop(first);
        let mut results = Vec::new();
        for (number, case) in self.cases.iter().enumerate().take_while(|_| begin.elapsed() < STORED_TIME_MAX) {
            progress(&format!("stored profile: {number} of {}", self.cases.len()));
            let session = self.options(Some(&directory)).open()?;
            // Devices are looked for in the background; the profile is of no use before they are found.
            session.wait_until_calibrated();
            let run = case.query.prepare(&session, None)?;
            (0..STORED_CALLS).try_for_each(|_| run().map(drop))?;
            results.extend(compare(case, &run)?);
        }
        // A directory that stays behind in the system's temporary directory does no harm.
        let _ = std::fs::remove_dir_all(&directory);
        Ok(ChoiceReport::new("stored profile, from the third call", results))
    }

    /// One session in which all cases alternate in random order.
    pub fn long(&self, progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        self.alternate(&ONE_CALLER, progress)
    }

    /// One session in which several callers call all cases in random order.
    pub fn callers(&self, progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        self.alternate(&SEVERAL_CALLERS, progress)
    }

    /// Compares a session that chooses with a session in which the calls of each case go to all devices in turn: caches,
    /// threads, clocks and other callers are as they are between other queries on all devices.
    fn alternate(&self, plan: &LongPlan, mut progress: impl FnMut(&str)) -> Result<ChoiceReport> {
        // Before and after, because the speed of a machine drifts.
        let in_turn = || {
            let time_limit = plan.devices.time_limit / 2;
            let callers = Callers { count: plan.callers, devices: &self.devices, time_limit };
            let schedule = self.schedule(&plan.devices, self.devices.len());
            schedule.run(&self.options(None).open()?, &self.cases, callers)
        };
        progress(&format!("{}: all devices in turn", plan.name));
        let before = in_turn()?;
        progress(plan.name);
        let callers = Callers { count: plan.callers, devices: &[], time_limit: plan.automatic.time_limit };
        let calls = self.schedule(&plan.automatic, 1).run(&self.options(None).open()?, &self.cases, callers)?;
        progress(&format!("{}: all devices in turn again", plan.name));
        let after = in_turn()?;
        let times_of = |(before, after): (&Vec<_>, &Vec<_>)| {
            let time = |device: &String| {
                let times: Vec<f64> = device_times(before, device).chain(device_times(after, device)).collect();
                (!times.is_empty()).then(|| (device.clone(), median(times)))
            };
            self.devices.iter().filter_map(time).collect::<DeviceTimes>()
        };
        let times: Vec<DeviceTimes> = before.iter().zip(&after).map(times_of).collect();
        let results = self.cases.iter().zip(times).zip(&calls);
        let results = results.filter_map(|((case, times), calls)| CaseResult::new(case, times, warm(calls)));
        Ok(ChoiceReport::new(plan.name, results.collect()))
    }

    fn schedule(&self, repetition: &Repetition, times: usize) -> Schedule {
        let calls = |case: &Case| times * repetition.calls[usize::from(case.is_slow())];
        let calls: Vec<usize> = self.cases.iter().map(calls).collect();
        Schedule::draw(&mut Random::new(self.plan.seed ^ 1), &calls)
    }

    /// Uses owned columns again and again, one column after the other.
    pub fn reuse(&self, uses: usize, mut progress: impl FnMut(&str)) -> Result<Vec<ReuseCurve>> {
        let (begin, mut curves) = (Instant::now(), Vec::new());
        let worthwhile = self.cases.iter().filter(|case| ReuseCurve::is_worthwhile(case)).take(REUSED_COLUMNS);
        for case in worthwhile.take_while(|_| begin.elapsed() < REUSE_TIME_MAX) {
            progress(&format!("reuse: column {}", curves.len() + 1));
            curves.push(ReuseCurve::measure(&self.options(None), case, uses)?);
        }
        Ok(curves)
    }

    /// Uses owned columns that do not all fit into the memory of a device; `None` if no device has memory of its own.
    pub fn pressure(&self, progress: impl FnMut(&str)) -> Result<Option<PressureReport>> {
        PressureReport::measure(&self.options(None), &self.devices, self.plan.seed, progress)
    }

    fn options(&self, directory: Option<&Path>) -> SessionOptions {
        self.plan.options(directory).choose_among(self.devices.iter().cloned())
    }
}

fn calls_min(case: &Case) -> usize {
    CALLS_MIN[usize::from(case.is_slow())]
}

/// Whether a fresh session has worked for long enough. Its calibration may go on: it makes way for the calls.
fn is_settled(start: Instant) -> bool {
    start.elapsed() >= SETTLING
}

/// Runs a case and compares these calls with the times of the devices.
fn compare(case: &Case, run: &Run<'_>) -> Result<Option<CaseResult>> {
    let calls = (0..WARM_CALLS).map(|_| run()).collect::<Result<Vec<_>>>()?;
    Ok(CaseResult::new(case, case.times.clone(), &calls))
}
