//! Measures the time of an operation by class, with kernels that compute and touch no memory, and how much longer it
//! takes if there are too few rows for all units of a device.

use super::benchmark::{Benchmark, LoadedKernel};
use super::sampler::{SampledTime, WORK_PART_MIN};
use crate::error::Result;
use crate::select::estimator::{CLASSES, Curve, Profile};
use pointsman_ir::op::OpClass;

/// The longest run takes at least this many launches, and as long as the device's limits say.
const LAUNCHES_MIN: f64 = 16.0;
/// The rows of the first run, and how many times as many the next one has at most.
const ROWS_FIRST: usize = 64;
const GROWTH_MAX: f64 = 4.0;
/// How often each kernel is solved for its class, less the time of its other classes.
const SWEEPS: usize = 8;
/// The part of a kernel's time that its own class takes, at least.
const OWN_PART_MIN: f64 = 0.1;

/// The time of a row of a kernel, in nanoseconds, and its operations by class.
struct RowTime {
    /// The class that the kernel measures.
    class: usize,
    operations: [f64; CLASSES],
    nanoseconds: f64,
}

/// The rows of a run, and the nanoseconds that it takes beyond a launch and in all.
#[derive(Clone, Copy, Default)]
struct RunTime {
    rows: f64,
    work: f64,
    least: f64,
}

impl Benchmark<'_> {
    /// Measures every class that has a kernel. The guesses for the others are scaled as the measured ones turned out.
    pub(super) fn measure_operations(&mut self, profile: &mut Profile) -> Result<()> {
        let (mut times, mut longest) = (Vec::new(), (0.0, Vec::new()));
        for kernel in self.kernels {
            let Some(class) = kernel.source.class.map(|class| class as usize) else { continue };
            let runs = self.time_more_rows(kernel)?;
            let RunTime { rows, work, least } = runs.last().copied().unwrap_or_default();
            if work <= least * self.sampler.limits.work_part_min {
                continue;
            }
            let nanoseconds = work / rows;
            times.push(RowTime { class, operations: kernel.source.operations(), nanoseconds });
            // The kernel with the longest rows is disturbed least by anything else.
            if nanoseconds > longest.0 {
                longest = (nanoseconds, runs);
            }
        }
        let mut measured = solve(&times);
        measured[OpClass::Multiply as usize] = measured[OpClass::Simple as usize];
        scale_guesses(measured, &mut profile.operations);
        if !times.is_empty() {
            profile.ramp = ramp(longest.0, &longest.1);
        }
        Ok(())
    }

    /// The times of a kernel over more and more rows, until they are enough to be timed well; none if no time is left for
    /// that.
    fn time_more_rows(&mut self, kernel: &LoadedKernel) -> Result<Vec<RunTime>> {
        let target = (self.reduce_launch * LAUNCHES_MIN).max(self.sampler.limits.work.as_nanos() as f64);
        let (mut runs, mut rows) = (Vec::new(), ROWS_FIRST);
        loop {
            let time = self.sampler.measure(|| self.run(kernel, 0, rows))?;
            let Some(SampledTime { least, .. }) = time else { return Ok(Vec::new()) };
            runs.push(RunTime { rows: rows as f64, work: least - self.reduce_launch, least });
            // A clock that stands still shows nothing, however many rows there are.
            if least > target || least == 0.0 || rows >= self.sampler.limits.rows_max {
                return Ok(runs);
            }
            let growth = (target / least).clamp(2.0, GROWTH_MAX);
            rows = ((rows as f64 * growth) as usize).min(self.sampler.limits.rows_max);
        }
    }
}

/// How many times as long fewer rows take than they would if all units helped, and a row took this many nanoseconds.
fn ramp(nanoseconds: f64, runs: &[RunTime]) -> Curve {
    let counted = runs.iter().filter(|run| run.work >= run.least * WORK_PART_MIN && run.rows * nanoseconds >= 1.0);
    Curve::new(counted.map(|run| (run.rows * nanoseconds, (run.work / (run.rows * nanoseconds)).max(1.0))))
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
                class: class as usize,
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
