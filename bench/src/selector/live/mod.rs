//! Measures how well sessions choose devices, on random work.
//!
//! Kernels, sizes, types and placements are drawn from a printed seed that differs in every run, so no parameter can be
//! tuned to them. Each device's own time, measured with `require`, gives the best time that a choice could reach. Then
//! sessions choose for themselves: a fresh one for each cell, one with the profile that an earlier session stored, and one
//! long session in which all cells alternate.

mod reuse;
mod verdict;
mod work;

pub use reuse::Reuse;
pub use verdict::Verdict;

use super::dice::Dice;
use super::grid;
use pointsman::{ErrorKind, Exactness, Receipt, Result, Session, SessionOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use verdict::{CellResult, median};
use work::{Placement, Work};

/// Calls that are judged: the last ones of a cell.
const WARM_CALLS: usize = 15;
/// A fresh session works this long on its cell before it is judged: devices are found and measured meanwhile.
const SETTLING: Duration = Duration::from_millis(2500);
/// The fewest calls before that.
const CALLS_MIN: usize = 20;
/// Calls with a stored profile that are not judged.
const STORED_CALLS: usize = 2;
/// How often the long session runs each cell.
const LONG_ROUNDS: usize = 60;
/// How often each cell runs on a device in the order of the long session.
const DEVICE_ROUNDS: usize = 30;
/// A device's own time is the median of the runs in this time, of at least `DEVICE_RUNS[0]` and at most `DEVICE_RUNS[1]`.
const DEVICE_TIME: Duration = Duration::from_millis(40);
const DEVICE_RUNS: [usize; 2] = [WARM_CALLS, 41];
/// Warm-up: the device runs until `SETTLED_RUNS` runs in a row take at least `SETTLED_PART` of the shortest time so far, or
/// until `DEVICE_SETTLING` has passed.
const SETTLED_RUNS: usize = 5;
const SETTLED_PART: f64 = 0.97;
const DEVICE_SETTLING: Duration = Duration::from_millis(300);

/// What is judged.
pub struct Plan {
    /// The seed of everything that is drawn.
    pub seed: u64,
    /// How many cells are drawn.
    pub cells: usize,
    /// The most rows of a cell.
    pub rows_max: f64,
    /// Only these devices.
    pub devices: Option<Vec<String>>,
    /// Whether the processor's variants are devices of their own.
    pub has_variants: bool,
}

/// A cell: the work, and the time of each device.
struct Cell {
    work: Work,
    /// Nanoseconds on each device that takes it.
    times: Vec<(String, f64)>,
}

impl Cell {
    /// The fastest device.
    fn best(&self) -> (&str, f64) {
        best(&self.times)
    }
}

fn best(times: &[(String, f64)]) -> (&str, f64) {
    let best = times.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(("none", f64::INFINITY), |(name, time)| (name, *time))
}

/// The calls of each cell: nanoseconds and receipts.
type Calls = Vec<Vec<(f64, Receipt)>>;

/// All cells of a seed.
pub struct Judge {
    plan: Plan,
    names: Vec<String>,
    cells: Vec<Cell>,
}

impl Judge {
    /// Draws the cells and measures every device on each.
    pub fn measure(plan: Plan, mut progress: impl FnMut(&str)) -> Result<Judge> {
        let mut dice = Dice::new(plan.seed);
        let session = options(&plan, None).open()?;
        let found: Vec<String> = session.devices().devices().iter().map(|device| device.info.name.clone()).collect();
        let is_wanted = |name: &String| plan.devices.as_ref().is_none_or(|only| only.contains(name));
        let names: Vec<String> = found.into_iter().filter(is_wanted).collect();
        let mut cells = Vec::with_capacity(plan.cells);
        for number in 0..plan.cells {
            progress(&format!("devices: {number} of {} cells", plan.cells));
            let work = Work::draw(&mut dice, plan.rows_max);
            let mut times = Vec::new();
            for name in &names {
                match device_time(&session, &work, name) {
                    Ok(time) => times.push((name.clone(), time)),
                    // A device that refuses the work, or has no room for it, is no candidate.
                    Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::OutOfMemory) => {}
                    Err(error) => return Err(error),
                }
            }
            cells.push(Cell { work, times });
        }
        Ok(Judge { plan, names, cells })
    }

    /// The devices that were measured.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A session of its own for each cell, with nothing stored.
    pub fn fresh(&self, mut progress: impl FnMut(&str)) -> Result<Verdict> {
        let mut results = Vec::new();
        for (number, cell) in self.cells.iter().enumerate() {
            progress(&format!("fresh sessions: {number} of {}", self.cells.len()));
            let session = self.options(None).open()?;
            let run = cell.work.prepare(&session, None)?;
            let (start, mut calls) = (Instant::now(), 0);
            while calls < CALLS_MIN || start.elapsed() < SETTLING {
                run()?;
                calls += 1;
            }
            results.push(CellResult::last(cell, WARM_CALLS, &run)?);
        }
        Ok(Verdict::new("fresh sessions, warm", results))
    }

    /// A session of its own for each cell, after one session that has run all of them and has stored what it learned.
    pub fn stored(&self, directory: &Path, mut progress: impl FnMut(&str)) -> Result<Verdict> {
        let first = self.options(Some(directory)).open()?;
        for (number, cell) in self.cells.iter().enumerate() {
            progress(&format!("a session that stores its profile: {number} of {}", self.cells.len()));
            let run = cell.work.prepare(&first, None)?;
            for _ in 0..CALLS_MIN {
                run()?;
            }
        }
        drop(first);
        let mut results = Vec::new();
        for (number, cell) in self.cells.iter().enumerate() {
            progress(&format!("stored profile: {number} of {}", self.cells.len()));
            let session = self.options(Some(directory)).open()?;
            // Devices are looked for in the background; the profile is of no use before they are found.
            session.devices();
            let run = cell.work.prepare(&session, None)?;
            for _ in 0..STORED_CALLS {
                run()?;
            }
            results.push(CellResult::last(cell, WARM_CALLS, &run)?);
        }
        Ok(Verdict::new("stored profile, from the third call", results))
    }

    /// One session in which all cells alternate in random order, against sessions that run the same order on one device
    /// each: caches and threads are as they are between other queries.
    pub fn long(&self, mut progress: impl FnMut(&str)) -> Result<Verdict> {
        let mut times: Vec<Vec<(String, f64)>> = self.cells.iter().map(|_| Vec::new()).collect();
        for name in &self.names {
            let calls = self.alternate(Some(name), DEVICE_ROUNDS, |text| progress(&format!("on {name}: {text}")))?;
            for (times, calls) in times.iter_mut().zip(calls).filter(|(_, calls)| !calls.is_empty()) {
                let mut last: Vec<f64> = calls[DEVICE_ROUNDS - WARM_CALLS..].iter().map(|(time, _)| *time).collect();
                times.push((name.clone(), median(&mut last)));
            }
        }
        let calls = self.alternate(None, LONG_ROUNDS, |text| progress(&format!("one long session: {text}")))?;
        let result = |((cell, times), calls): ((&Cell, Vec<_>), Vec<_>)| {
            CellResult::new(cell, times, &calls[LONG_ROUNDS - WARM_CALLS..])
        };
        let results = self.cells.iter().zip(times).zip(calls).map(result).collect();
        Ok(Verdict::new("one long session, warm", results))
    }

    /// Runs all cells in random order, again and again; those that a device refuses have no calls.
    fn alternate(&self, device: Option<&str>, rounds: usize, mut progress: impl FnMut(&str)) -> Result<Calls> {
        let session = self.options(None).open()?;
        let mut runs = Vec::with_capacity(self.cells.len());
        for cell in &self.cells {
            let is_able = device.is_none_or(|device| cell.times.iter().any(|(name, _)| name == device));
            if let Some(device) = device.filter(|_| is_able) {
                cell.work.keep_if_owned(&session, device)?;
            }
            runs.push(if is_able { Some(cell.work.prepare(&session, device)?) } else { None });
        }
        let mut dice = Dice::new(self.plan.seed ^ 1);
        let mut calls: Calls = self.cells.iter().map(|_| Vec::new()).collect();
        for round in 0..rounds {
            progress(&format!("round {round} of {rounds}"));
            let mut order: Vec<usize> = (0..runs.len()).collect();
            for place in (1..order.len()).rev() {
                order.swap(place, dice.below(place + 1));
            }
            for cell in order {
                if let Some(run) = &runs[cell] {
                    calls[cell].push(run()?);
                }
            }
        }
        Ok(calls)
    }

    /// Uses of the owned columns, one after the other, against the optimum that knows their number.
    pub fn reuse(&self, uses: usize, mut progress: impl FnMut(&str)) -> Result<Vec<Reuse>> {
        let owned = self.cells.iter().filter(|cell| cell.work.placement == Placement::Owned);
        // Where the best device is the processor, there is nothing to invest.
        let worth_it: Vec<&Cell> = owned.filter(|cell| !cell.best().0.starts_with("cpu")).take(6).collect();
        let mut curves = Vec::new();
        for (number, cell) in worth_it.iter().enumerate() {
            progress(&format!("reuse: {number} of {}", worth_it.len()));
            curves.extend(Reuse::measure(&self.options(None), cell, uses)?);
        }
        Ok(curves)
    }

    fn options(&self, directory: Option<&Path>) -> SessionOptions {
        options(&self.plan, directory).choose_among(self.names.iter().cloned())
    }
}

fn options(plan: &Plan, directory: Option<&Path>) -> SessionOptions {
    let options = if plan.has_variants { grid::options() } else { SessionOptions::new() };
    let options = options.exactness(Exactness::Bounded);
    match directory {
        Some(directory) => options.program_directory(directory),
        None => options.program_bytes(0),
    }
}

/// The time of a device: with an owned column there already.
fn device_time(session: &Session, work: &Work, device: &str) -> Result<f64> {
    let is_kept = work.keep_if_owned(session, device)?;
    let measured = work.prepare(session, Some(device)).and_then(|run| {
        let (start, mut least, mut settled) = (Instant::now(), f64::INFINITY, 0);
        while settled < SETTLED_RUNS && start.elapsed() < DEVICE_SETTLING {
            let (time, _) = run()?;
            settled = if time < SETTLED_PART * least { 0 } else { settled + 1 };
            least = least.min(time);
        }
        let (start, mut times) = (Instant::now(), Vec::new());
        while times.len() < DEVICE_RUNS[0] || times.len() < DEVICE_RUNS[1] && start.elapsed() < DEVICE_TIME {
            times.push(run()?.0);
        }
        Ok(median(&mut times))
    });
    if is_kept {
        work.release(session, device)?;
    }
    measured
}
