//! How long an operation takes by class, all units of a device at work: from kernels that compute and touch no memory. And how
//! much longer it takes where there is too little for all units: the same kernel with fewer and fewer rows.

use super::Limits;
use super::kernels::Work;
use super::meter::{Meter, Timed, Weighed};
use super::rig::{Program, Rig};
use crate::error::Result;
use crate::select::estimator::features::{CLASSES, class_number};
use crate::select::estimator::profile::Curve;
use pointsman_ir::op::OpClass;
use std::time::Duration;

/// There are more and more rows until a run takes so many launches, and as long as the device's limits say.
const LAUNCHES_MIN: f64 = 16.0;
/// The least part of that which a run must take whenever it is timed.
const WANTED_PART_MIN: f64 = 0.25;
/// How many times as many rows the next try has at most.
const GROWTH_MAX: f64 = 16.0;
const ROWS_FIRST: usize = 1 << 12;
/// How often the kernels are solved for their classes, each less what the others' classes take of it.
const SWEEPS: usize = 8;
/// What the operations of a kernel's own class take of it, at least.
const OWN_PART_MIN: f64 = 0.1;

/// Each measurement of few rows has so many times as many as the one before it, and the first at least so many.
const RAMP_STEP: usize = 4;
const RAMP_ROWS_MIN: usize = 64;
/// The least part of what a run takes that must not be its launch.
const WORK_PART_MIN: f64 = 0.2;
/// How often rows are run before it is said whether they are enough.
const TRIES: usize = 3;

/// One kernel: the number of its class, its operations, and what a row of it takes in nanoseconds.
struct Row {
    class: usize,
    operations: [f64; CLASSES],
    took: f64,
}

/// A class of operations, with a kernel of them and its program.
pub(super) struct Classed {
    pub(super) class: OpClass,
    pub(super) work: Work,
    pub(super) program: Program,
}

/// One run of a kernel.
struct Run<'p> {
    classed: &'p Classed,
    rows: usize,
}

impl Weighed for Run<'_> {
    /// All have as many rows as take about the same time.
    fn weight(&self) -> f64 {
        1.0
    }
}

/// Nanoseconds of an operation by class, up to this moment; `None` for classes that were not measured. And how many times as long it takes where it would take all units so many nanoseconds.
pub(super) fn measure(
    rig: &Rig,
    meter: &Meter<'_>,
    limits: &Limits,
    classes: &[Classed],
    launch: f64,
    until: Duration,
) -> Result<([Option<f64>; CLASSES], Curve)> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for classed in classes {
        if !meter.is_past(until) {
            runs.push(Run { classed, rows: rows(rig, meter, limits, launch, &classed.program)? });
        }
    }
    let timed = meter.series(until, &runs, |run| rig.fold(&run.classed.program, run.rows, &[]))?;
    // What is nearly all launch says nothing about its operations.
    let is_work = |timed: &Timed| timed.least - launch > timed.least * limits.work_part_min;
    // Rows that seemed enough while something else kept the device busy, and are not, say nothing either.
    let least = wanted(launch, limits) * WANTED_PART_MIN;
    let is_enough = |run: &Run<'_>, timed: &Timed| timed.least >= least || run.rows >= limits.rows_max;
    let each = |(run, timed): (&'_ Run<'_>, &Timed)| {
        (is_work(timed) && is_enough(run, timed)).then(|| (timed.least - launch) / run.rows as f64)
    };
    let rows = runs.iter().zip(&timed).filter_map(|(run, timed)| {
        let (class, operations) = (class_number(run.classed.class), run.classed.work.operations());
        each((run, timed)).map(|took| Row { class, operations, took })
    });
    let mut solved = solve(&rows.collect::<Vec<_>>());
    solved[class_number(OpClass::Multiply)] = solved[class_number(OpClass::Simple)];
    // That of the operations that take longest is least disturbed by anything else.
    let heaviest = runs.iter().zip(&timed).filter_map(|(run, timed)| Some((run, each((run, timed))?)));
    let Some((run, each)) = heaviest.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Ok((solved, Curve::default()));
    };
    Ok((solved, ramp(rig, meter, run, (each, launch), until)?))
}

/// How many times as long fewer rows take than they would if all units helped.
fn ramp(rig: &Rig, meter: &Meter<'_>, whole: &Run<'_>, (each, launch): (f64, f64), until: Duration) -> Result<Curve> {
    let fewer = std::iter::successors(Some(whole.rows), |rows| Some(rows / RAMP_STEP));
    let mut runs: Vec<Fewer> = fewer.take_while(|rows| *rows >= RAMP_ROWS_MIN).map(Fewer).collect();
    runs.reverse();
    let timed = meter.series(until, &runs, |run| rig.fold(&whole.classed.program, run.0, &[]))?;
    let times = runs.iter().zip(&timed).filter_map(|(run, timed)| {
        let (all, took) = (run.0 as f64 * each, timed.least - launch);
        (took >= timed.least * WORK_PART_MIN).then_some((all, (took / all).max(1.0)))
    });
    // All rows are what the others are compared with, also where there was no time for those between.
    let whole = whole.rows as f64 * each;
    let times = times.filter(|(all, _)| *all >= 1.0 && *all < whole).chain([(whole, 1.0)]);
    Ok(Curve::new(times))
}

/// So many rows.
struct Fewer(usize);

impl Weighed for Fewer {
    fn weight(&self) -> f64 {
        self.0 as f64
    }
}

/// Puts what was measured into a profile. What was not differs from its guess as what was does.
pub(super) fn tell(rates: [Option<f64>; CLASSES], guesses: &mut [f64; CLASSES]) {
    let measured = rates.iter().zip(&*guesses).filter_map(|(rate, guess)| rate.map(|rate| (rate / guess).ln()));
    let (count, sum) = measured.fold((0.0, 0.0), |(count, sum), apart| (count + 1.0, sum + apart));
    let factor = if count > 0.0 { f64::exp(sum / count) } else { 1.0 };
    for (guess, rate) in guesses.iter_mut().zip(rates) {
        *guess = rate.unwrap_or(*guess * factor);
    }
}

/// How long a run should take, in nanoseconds.
fn wanted(launch: f64, limits: &Limits) -> f64 {
    (launch * LAUNCHES_MIN).max(limits.work.as_nanos() as f64)
}

/// How many rows of a kernel take long enough to be timed.
fn rows(rig: &Rig, meter: &Meter<'_>, limits: &Limits, launch: f64, program: &Program) -> Result<usize> {
    let mut rows = ROWS_FIRST.min(limits.rows_max);
    let wanted = wanted(launch, limits);
    loop {
        rig.fold(program, rows, &[])?;
        // The first runs of a program may take longer than all others.
        let mut took = f64::INFINITY;
        for _ in 0..TRIES {
            took = took.min(meter.time(1, || rig.fold(program, rows, &[]))?);
        }
        let is_enough = took > wanted;
        // A clock that stands still tells nothing, however many there are.
        if is_enough || took == 0.0 || rows >= limits.rows_max {
            return Ok(rows);
        }
        let times = (wanted / took).clamp(2.0, GROWTH_MAX);
        rows = ((rows as f64 * times) as usize).min(limits.rows_max);
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
    use super::super::kernels::CLASSES_MEASURED;
    use super::*;

    #[test]
    fn kernels_of_several_classes_are_told_apart() {
        let rates = [0.5, 0.0, 4.0, 1.0, 20.0];
        let took = |operations: [f64; CLASSES]| -> f64 {
            operations.iter().zip(&rates).map(|(times, each)| times * each).sum()
        };
        let rows: Vec<Row> = CLASSES_MEASURED
            .into_iter()
            .filter(|class| *class != OpClass::Convert)
            .map(|class| (class_number(class), Work::class(class).operations()))
            .map(|(class, operations)| Row { class, operations, took: took(operations) - operations[3] * rates[3] })
            .collect();
        let solved = solve(&rows);
        for (class, rate) in rates.iter().enumerate() {
            match solved[class] {
                None => assert!(class == 1 || class == 3, "{class}"),
                Some(each) => assert!((each / rate - 1.0).abs() < 1e-3, "{class}: {each} for {rate}"),
            }
        }
    }
}
