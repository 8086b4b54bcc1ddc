//! Measures the time of an operation by class, with kernels that compute and touch no memory, and how much longer it
//! takes if there are too few rows for all units of a device.

use super::Benchmark;
use super::harness::LoadedKernel;
use crate::error::Result;
use crate::select::estimator::{CLASSES, Curve, Profile, class_number};
use pointsman_ir::op::OpClass;

/// A run has so many rows that it takes at least this many launches, and as long as the device's limits say.
const LAUNCHES_MIN: f64 = 16.0;
/// A measurement counts if it takes at least this part of that.
const TARGET_PART_MIN: f64 = 0.25;
/// The rows of the first try, and how many times as many the next try has at most.
const ROWS_FIRST: usize = 1 << 12;
const GROWTH_MAX: f64 = 16.0;
/// How often each kernel is solved for its class, less the time of its other classes.
const SWEEPS: usize = 8;
/// The part of a kernel's time that its own class takes, at least.
const OWN_PART_MIN: f64 = 0.1;
/// The row counts of the ramp start at `RAMP_ROWS_MIN` or more, and grow by this factor.
const RAMP_STEP: usize = 4;
const RAMP_ROWS_MIN: usize = 64;
/// A measurement of the ramp counts if at least this part of its time is work.
const RAMP_WORK_PART_MIN: f64 = 0.2;

/// The time of a row of a kernel, in nanoseconds, and its operations by class.
struct RowTime {
    /// The class that the kernel measures.
    class: usize,
    operations: [f64; CLASSES],
    nanoseconds: f64,
}

/// A kernel with the number of rows that it was measured with, and the nanoseconds of a row.
type MeasuredRows<'k> = (&'k LoadedKernel, usize, f64);

impl Benchmark<'_> {
    /// Measures every class that has a kernel. The guesses for the others are scaled as the measured ones turned out.
    pub(super) fn measure_operations(&mut self, profile: &mut Profile) -> Result<()> {
        let (mut times, mut longest) = (Vec::new(), None::<MeasuredRows<'_>>);
        for kernel in &self.kernels.others {
            let Some(class) = kernel.source.class.map(class_number) else { continue };
            let rows = self.rows(kernel)?;
            let Some(nanoseconds) = self.row_time(kernel, rows)? else { continue };
            times.push(RowTime { class, operations: kernel.source.operations(), nanoseconds });
            // The kernel with the longest rows is disturbed least by anything else.
            if longest.is_none_or(|longest| nanoseconds > longest.2) {
                longest = Some((kernel, rows, nanoseconds));
            }
        }
        let mut measured = solve(&times);
        measured[class_number(OpClass::Multiply)] = measured[class_number(OpClass::Simple)];
        scale_guesses(measured, &mut profile.operations);
        if let Some(longest) = longest {
            profile.ramp = self.ramp(longest)?;
        }
        Ok(())
    }

    /// How long a run should take, in nanoseconds.
    fn target(&self) -> f64 {
        (self.reduce_launch * LAUNCHES_MIN).max(self.limits.work.as_nanos() as f64)
    }

    fn row_time(&mut self, kernel: &LoadedKernel, rows: usize) -> Result<Option<f64>> {
        let time = self.sampler.measure(|| self.harness.run(kernel, 0, rows))?;
        Ok(time.and_then(|time| {
            let work = time.least - self.reduce_launch;
            // Rows may have seemed enough because something else kept the device busy.
            let is_enough = time.least >= self.target() * TARGET_PART_MIN || rows >= self.limits.rows_max;
            (is_enough && work > time.least * self.limits.work_part_min).then_some(work / rows as f64)
        }))
    }

    /// How many rows of a kernel take long enough to be timed.
    fn rows(&mut self, kernel: &LoadedKernel) -> Result<usize> {
        let mut rows = ROWS_FIRST.min(self.limits.rows_max);
        loop {
            let took = self.sampler.shortest(|| self.harness.run(kernel, 0, rows))?;
            // A clock that stands still shows nothing, however many rows there are.
            if took > self.target() || took == 0.0 || rows >= self.limits.rows_max {
                return Ok(rows);
            }
            let growth = (self.target() / took).clamp(2.0, GROWTH_MAX);
            rows = ((rows as f64 * growth) as usize).min(self.limits.rows_max);
        }
    }

    /// How many times as long fewer rows take than they would if all units helped.
    fn ramp(&mut self, (kernel, rows, nanoseconds): MeasuredRows<'_>) -> Result<Curve> {
        // All rows are what fewer are compared with, also if there is no time for any of these.
        let mut points = vec![(rows as f64 * nanoseconds, 1.0)];
        let fewer = std::iter::successors(Some(rows / RAMP_STEP), |rows| Some(rows / RAMP_STEP));
        for rows in fewer.take_while(|rows| *rows >= RAMP_ROWS_MIN) {
            let time = self.sampler.measure(|| self.harness.run(kernel, 0, rows))?;
            let Some(least) = time.map(|time| time.least) else { break };
            let (ideal, work) = (rows as f64 * nanoseconds, least - self.reduce_launch);
            if work >= least * RAMP_WORK_PART_MIN && ideal >= 1.0 {
                points.push((ideal, (work / ideal).max(1.0)));
            }
        }
        Ok(Curve::new(points))
    }
}

/// Replaces guesses by measurements. A class without one differs from its guess as the measured classes do on average.
fn scale_guesses(measured: [Option<f64>; CLASSES], guesses: &mut [f64; CLASSES]) {
    let ratios = measured.iter().zip(&*guesses).filter_map(|(time, guess)| time.map(|time| (time / guess).ln()));
    let (count, sum) = ratios.fold((0.0, 0.0), |(count, sum), ratio| (count + 1.0, sum + ratio));
    let factor = if count > 0.0 { f64::exp(sum / count) } else { 1.0 };
    for (guess, time) in guesses.iter_mut().zip(measured) {
        *guess = time.unwrap_or(*guess * factor);
    }
}

/// The time of an operation of each class, such that every kernel takes the time that was measured.
fn solve(rows: &[RowTime]) -> [Option<f64>; CLASSES] {
    let mut each = [0.0; CLASSES];
    for _ in 0..SWEEPS {
        for RowTime { class, operations, nanoseconds } in rows {
            let all: f64 = operations.iter().zip(&each).map(|(count, each)| count * each).sum();
            let others = all - operations[*class] * each[*class];
            each[*class] = (nanoseconds - others).max(nanoseconds * OWN_PART_MIN) / operations[*class];
        }
    }
    let is_measured = |class: usize| rows.iter().any(|row| row.class == class);
    std::array::from_fn(|class| Some(each[class]).filter(|each| is_measured(class) && each.is_finite() && *each > 0.0))
}

#[cfg(test)]
mod tests {
    use super::super::kernels::CalibrationKernel;
    use super::*;

    #[test]
    fn solve_separates_the_classes_of_mixed_kernels() {
        let rates = [0.5, 0.0, 4.0, 1.0, 20.0];
        let took = |operations: [f64; CLASSES]| -> f64 {
            operations.iter().zip(&rates).map(|(count, each)| count * each).sum()
        };
        let rows: Vec<RowTime> = CalibrationKernel::all()
            .filter_map(|kernel| Some((kernel.class?, kernel.operations())))
            .filter(|(class, _)| *class != OpClass::Convert)
            .map(|(class, operations)| RowTime {
                class: class_number(class),
                operations,
                nanoseconds: took(operations) - operations[3] * rates[3],
            })
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
