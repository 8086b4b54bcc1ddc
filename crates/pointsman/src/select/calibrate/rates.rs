//! How long an operation takes by class, all units of a device at work: from kernels that compute and touch no memory.

use super::Limits;
use super::kernels::{CLASSES_IN_ORDER, Work};
use super::meter::{Meter, Weighed};
use super::rig::{Program, Rig};
use crate::error::Result;
use crate::select::features::CLASSES;
use pointsman_device::DeviceResult;
use std::time::Duration;

/// Rows are doubled twice until a run takes so many launches, …
const LAUNCHES_MIN: f64 = 16.0;
/// … and so many nanoseconds.
const WORK_MIN: f64 = 300_000.0;
/// From so many on there are enough, however long a launch takes.
const WORK_MAX: f64 = 5_000_000.0;
/// The part of all time that is for this at least.
const PART_LEAST: f64 = 0.1;
const ROWS_FIRST: usize = 1 << 12;
/// How often the kernels are solved for their classes, each less what the others' classes take of it.
const SWEEPS: usize = 8;
/// What the operations of a kernel's own class take of it, at least.
const OWN_PART_MIN: f64 = 0.1;

/// One kernel: the number of its class, its operations, and what a row of it takes in nanoseconds.
struct Row {
    class: usize,
    operations: [f64; CLASSES],
    took: f64,
}

/// One run of a kernel.
struct Run<'p> {
    class: usize,
    program: &'p Program,
    rows: usize,
}

impl Weighed for Run<'_> {
    /// All have as many rows as take about the same time.
    fn weight(&self) -> f64 {
        1.0
    }
}

/// Nanoseconds of an operation by class; `None` for classes that were not measured.
pub(super) fn measure(rig: &Rig, meter: &Meter<'_>, limits: &Limits, launch: f64) -> Result<[Option<f64>; CLASSES]> {
    let works = CLASSES_IN_ORDER.map(Work::class);
    // Others may have taken more than their part.
    let until = meter.after(PART_LEAST).max(meter.until(1.0));
    let loaded = load(rig, meter, limits, &works, until)?;
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (class, program) in loaded.iter().enumerate() {
        if let Some(program) = program.as_ref().filter(|_| !meter.is_past(until)) {
            runs.push(Run { class, program, rows: rows(rig, meter, limits, launch, program)? });
        }
    }
    let timed = meter.series(until, &runs, |run| rig.fold(run.program, run.rows, &[]))?;
    let rows = runs.iter().zip(&timed).map(|(run, timed)| Row {
        class: run.class,
        operations: works[run.class].operations(),
        took: (timed.least - launch) / run.rows as f64,
    });
    Ok(solve(&rows.collect::<Vec<_>>()))
}

/// Programs for all kernels that there is time to compile. Where compiling takes long several are compiled at once.
fn load(
    rig: &Rig,
    meter: &Meter<'_>,
    limits: &Limits,
    works: &[Work; CLASSES],
    until: Duration,
) -> Result<Vec<Option<Program>>> {
    let mut loaded = Vec::new();
    for part in works.chunks(limits.compiles_at_once) {
        meter.check()?;
        if meter.is_past(until) {
            break;
        }
        let programs: DeviceResult<Vec<Option<Program>>> = std::thread::scope(|scope| {
            let others: Vec<_> = part[1..].iter().map(|work| scope.spawn(|| rig.load(work))).collect();
            let own = rig.load(&part[0]);
            let joined = others.into_iter().map(|other| other.join().unwrap_or(Ok(None)));
            std::iter::once(own).chain(joined).collect()
        });
        loaded.extend(programs?);
    }
    Ok(loaded)
}

/// How many rows of a kernel take long enough to be timed.
fn rows(rig: &Rig, meter: &Meter<'_>, limits: &Limits, launch: f64, program: &Program) -> Result<usize> {
    let mut rows = ROWS_FIRST.min(limits.rows_max);
    loop {
        rig.fold(program, rows, &[])?;
        let took = meter.time(1, || rig.fold(program, rows, &[]))?;
        let is_enough = took > (launch * LAUNCHES_MIN).max(WORK_MIN);
        // A clock that stands still tells nothing, however many there are.
        if is_enough || took == 0.0 || rows >= limits.rows_max || took > WORK_MAX {
            return Ok(rows);
        }
        rows = (4 * rows).min(limits.rows_max);
    }
}

/// What an operation of each class takes, so that every kernel takes what it took.
fn solve(kernels: &[Row]) -> [Option<f64>; CLASSES] {
    let mut each = [0.0; CLASSES];
    for _ in 0..SWEEPS {
        for Row { class, operations, took } in kernels {
            let all: f64 = operations.iter().zip(&each).map(|(times, each)| times * each).sum();
            let others = all - operations[*class] * each[*class];
            each[*class] = (took - others).max(took * OWN_PART_MIN) / operations[*class];
        }
    }
    let is_sound = |each: &f64| each.is_finite() && *each > 0.0;
    let of = |class: usize| kernels.iter().any(|row| row.class == class).then_some(each[class]).filter(is_sound);
    std::array::from_fn(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_several_classes_are_told_apart() {
        let rates = [0.5, 0.75, 4.0, 1.0, 20.0];
        let took = |operations: [f64; CLASSES]| -> f64 {
            operations.iter().zip(&rates).map(|(times, each)| times * each).sum()
        };
        let rows = CLASSES_IN_ORDER.map(Work::class).map(|work| work.operations());
        let rows: Vec<Row> = rows
            .into_iter()
            .enumerate()
            .filter(|(class, _)| *class != 3)
            .map(|(class, operations)| Row { class, operations, took: took(operations) - operations[3] * rates[3] })
            .collect();
        let solved = solve(&rows);
        for (class, rate) in rates.iter().enumerate() {
            match solved[class] {
                None => assert_eq!(class, 3),
                Some(each) => assert!((each / rate - 1.0).abs() < 1e-3, "{class}: {each} for {rate}"),
            }
        }
    }
}
