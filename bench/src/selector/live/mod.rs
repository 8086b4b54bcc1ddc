//! Measures how well sessions choose devices, on random work.
//!
//! Kernels, sizes, types and placements are drawn from a printed seed that differs in every run, so no parameter can be
//! tuned to them. Sessions choose for themselves; [`Part`] lists the ways in which they are used. The last calls of each case
//! are judged twice:
//! - **As timed**: their time against that of the best device in a reference, in which calls `require` the devices. It shows
//!   everything that a user waits for, also what no choice can change: cold threads, fresh memory, clocks. So they are
//!   also compared with the calls of an *informed* session: of the same kind, but it requires the best device.
//! - **By choice** (`by_choice.rs`): the device of each call, valued by what each device takes in the same session right
//!   afterwards. It shows the choices alone.

mod automatic_calls;
mod by_choice;
mod case;
mod case_table;
mod choice_report;
mod first_calls;
mod long_sessions;
mod loss;
mod own_sessions;
mod pressure;
mod random_call;
mod random_query;
mod reuse;
mod reuse_picture;
mod schedule;
mod session_times;
mod text;
mod throughput;
mod use_costs;

pub use case_table::CASE_TABLE_HEADER;
pub use choice_report::ChoiceReport;
pub use first_calls::{FirstCallsReport, time_first_calls};
pub use pressure::PressureReport;
pub use reuse::ReuseCurve;
pub use reuse_picture::svg;

use super::grid;
use super::random::Random;
use case::{Case, DeviceEffort};
use pointsman::{Exactness, Result, SessionOptions};
pub use random_query::DrawnWork;
use random_query::{QueryShape, ROWS_MIN};
use std::path::Path;
use std::time::{Duration, Instant};

/// The most time of all columns that are used again and again. Columns that have not begun by then are left out.
const REUSE_TIME_MAX: Duration = Duration::from_secs(25);
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

/// When sessions that choose measure their devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calibration {
    /// In the background.
    On,
    /// Never.
    Off,
    /// Before the first call of a long session, otherwise in the background.
    Before,
}

impl Calibration {
    const ALL: [Calibration; 3] = [Calibration::On, Calibration::Off, Calibration::Before];

    /// The name on the command line.
    const fn name(self) -> &'static str {
        match self {
            Calibration::On => "on",
            Calibration::Off => "off",
            Calibration::Before => "before",
        }
    }

    /// The setting of this name.
    pub fn named(name: &str) -> std::result::Result<Calibration, String> {
        let setting = Calibration::ALL.into_iter().find(|setting| setting.name() == name);
        setting.ok_or_else(|| format!("calibration is `on`, `off` or `before`, not `{name}`"))
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
    /// What is drawn.
    pub work: DrawnWork,
    /// The only devices to use.
    pub devices: Option<Vec<String>>,
    /// Whether the processor's variants are devices of their own.
    pub has_variants: bool,
    /// When sessions measure their devices.
    pub calibration: Calibration,
}

impl Plan {
    /// The queries of the cases, without data.
    fn shapes(&self) -> impl Iterator<Item = QueryShape> {
        let (mut random, rows, work) = (Random::new(self.seed), [ROWS_MIN, self.rows_max], self.work);
        (0..self.cases).map(move |_| QueryShape::draw(&mut random, rows, work))
    }

    fn options(&self, directory: Option<&Path>) -> SessionOptions {
        let options = if self.has_variants { grid::options() } else { SessionOptions::new() };
        let options = options.exactness(Exactness::Bounded);
        let options = options.background_calibration(self.calibration != Calibration::Off);
        match directory {
            Some(directory) => options.program_directory(directory),
            None => options.program_bytes(0),
        }
    }
}

/// All cases of a seed, with the time of each device.
pub struct LiveBenchmark {
    plan: Plan,
    devices: Vec<String>,
    cases: Vec<Case>,
}

impl LiveBenchmark {
    /// Draws the cases and measures the devices on each.
    pub fn measure(plan: Plan, mut progress: impl FnMut(&str)) -> Result<LiveBenchmark> {
        // In a session of its own, because discovery starts a calibration.
        let found = plan
            .options(None)
            .open()?
            .discover()
            .devices()
            .iter()
            .map(|device| device.info.name.clone())
            .collect::<Vec<_>>();
        let is_wanted = |name: &String| plan.devices.as_ref().is_none_or(|only| only.contains(name));
        let devices: Vec<String> = found.into_iter().filter(is_wanted).collect();
        let session = plan.options(None).open()?;
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
