//! [`FirstCallsReport`]: what background calibration costs the first calls of a process.
//!
//! The benchmark starts itself as processes that time their first calls of one case, in turn with calibration and without.

use super::case::{Case, median};
use super::random_query::TimedCall;
use super::text::{met, time};
use super::{Calibration, DrawnWork, LiveBenchmark, Plan};
use std::error::Error;
use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// The calls that a process times.
const CALLS: usize = 5;
/// The shortest and the longest case, in nanoseconds on its best device.
const CASE_NS: [f64; 2] = [1e6, 5e7];
/// The most cases, and the pairs of processes of all of them: the fewest, and the most while there is time.
const CASES_MAX: usize = 4;
const PAIRS: [usize; 2] = [10, 40];
const TIME_MAX: Duration = Duration::from_secs(20);
/// The bar of the median of all pairs: time with calibration over time without.
const BAR: f64 = 1.15;

/// Times the first calls of a case in this process and prints the nanoseconds and the device of each.
pub fn time_first_calls(plan: &Plan, case: usize) -> Result<String, Box<dyn Error>> {
    let query = plan.shapes().nth(case).ok_or("there is no such case")?.with_data();
    let session = plan.options(None).choose_among(plan.devices.clone().unwrap_or_default()).open()?;
    // Waits for the devices and starts their calibration.
    session.discover();
    let run = query.prepare(&session, None)?;
    let calls = (0..CALLS).map(|_| run()).collect::<pointsman::Result<Vec<TimedCall>>>()?;
    Ok(calls.iter().map(|call| format!("{} {}\n", call.time, call.receipt.device())).collect())
}

/// The first calls of one process.
struct FirstCalls {
    total: f64,
    devices: Vec<String>,
}

impl FirstCalls {
    /// Reads what [`time_first_calls`] printed.
    fn parse(text: &str) -> Result<FirstCalls, Box<dyn Error>> {
        let mut calls = FirstCalls { total: 0.0, devices: Vec::new() };
        for line in text.lines() {
            let (time, device) = line.split_once(' ').ok_or_else(|| format!("not a call: {line}"))?;
            calls.total += time.parse::<f64>()?;
            calls.devices.push(device.to_string());
        }
        Ok(calls)
    }
}

/// One process with calibration, and one without.
struct Pair {
    on: FirstCalls,
    off: FirstCalls,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.on.total / self.off.total
    }
}

/// The first calls of many processes.
pub struct FirstCallsReport {
    /// The description of each case, and its pairs of processes.
    cases: Vec<(String, Vec<Pair>)>,
}

impl LiveBenchmark {
    /// Times the first calls of processes of their own.
    pub fn first_calls(&self, mut progress: impl FnMut(&str)) -> Result<FirstCallsReport, Box<dyn Error>> {
        let chosen = choose_cases(&self.cases);
        let describe = |&case: &usize| (self.cases[case].query.shape.to_string(), Vec::new());
        let mut cases: Vec<(String, Vec<Pair>)> = chosen.iter().map(describe).collect();
        let begin = Instant::now();
        for (number, &case) in chosen.iter().cycle().take(PAIRS[1]).enumerate() {
            if number >= PAIRS[0] && begin.elapsed() > TIME_MAX {
                break;
            }
            progress(&format!("first calls: pair {}", number + 1));
            // Whatever changes with time must not favour one of the two.
            let pair = match number / chosen.len() % 2 {
                0 => {
                    let on = self.start_process(case, Calibration::On)?;
                    Pair { on, off: self.start_process(case, Calibration::Off)? }
                }
                _ => {
                    let off = self.start_process(case, Calibration::Off)?;
                    Pair { on: self.start_process(case, Calibration::On)?, off }
                }
            };
            cases[number % chosen.len()].1.push(pair);
        }
        Ok(FirstCallsReport { cases })
    }

    fn start_process(&self, case: usize, calibration: Calibration) -> Result<FirstCalls, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?);
        let Plan { seed, cases, rows_max, work, devices: _, has_variants, calibration: _ } = &self.plan;
        process.args(["--first-calls", &case.to_string(), "--seed", &seed.to_string()]);
        process.args(["--cases", &cases.to_string(), "--rows", &rows_max.to_string()]);
        process.args(["--arms", &self.devices.join(",")]);
        if *work == DrawnWork::Calls {
            process.arg("--calls");
        }
        if *has_variants {
            process.arg("--variants");
        }
        process.args(["--calibration", calibration.name()]);
        let output = process.output()?;
        if !output.status.success() {
            return Err(format!("a process for first calls failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        FirstCalls::parse(&String::from_utf8(output.stdout)?)
    }
}

/// Cases of different lengths, the shortest first.
fn choose_cases(cases: &[Case]) -> Vec<usize> {
    let time = |&case: &usize| cases[case].best().1;
    let is_usable = |case: &usize| (CASE_NS[0]..=CASE_NS[1]).contains(&time(case));
    let mut usable: Vec<usize> = (0..cases.len()).filter(is_usable).collect();
    usable.sort_by(|one, other| time(one).total_cmp(&time(other)));
    let count = usable.len().min(CASES_MAX);
    (0..count).map(|number| usable[(2 * number + 1) * usable.len() / (2 * count)]).collect()
}

impl FirstCallsReport {
    /// The median ratio of all pairs; `None` if no case was long enough.
    fn median(&self) -> Option<f64> {
        let ratios = self.cases.iter().flat_map(|(_, pairs)| pairs.iter().map(Pair::ratio));
        Some(median(ratios)).filter(|ratio| ratio.is_finite())
    }

    /// Whether the bar is met.
    pub fn is_met(&self) -> bool {
        self.median().is_none_or(|ratio| ratio <= BAR)
    }
}

impl fmt::Display for FirstCallsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "### The first {CALLS} calls of a process, with calibration and without\n")?;
        let Some(ratio) = self.median() else { return writeln!(f, "No case takes 1 to 50 ms: not measured.") };
        let pairs = self.cases.iter().map(|(_, pairs)| pairs.len()).sum::<usize>();
        writeln!(f, "Median ratio of {pairs} pairs {ratio:.2}× (bar {BAR}×): {}\n", met(ratio <= BAR))?;
        for (description, pairs) in &self.cases {
            let total = |calls: fn(&Pair) -> &FirstCalls| time(median(pairs.iter().map(|pair| calls(pair).total)));
            let mut devices: Vec<&str> =
                pairs.iter().flat_map(|pair| pair.on.devices.iter().map(String::as_str)).collect();
            devices.sort_unstable();
            devices.dedup();
            writeln!(
                f,
                "- {:.2}×, {} with and {} without, on {}: {description}",
                median(pairs.iter().map(Pair::ratio)),
                total(|pair| &pair.on),
                total(|pair| &pair.off),
                devices.join(", "),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_calls_are_read_back() {
        let calls = FirstCalls::parse("1000 cpu\n500.5 cuda:0\n").expect("two calls");
        assert_eq!((calls.total, calls.devices), (1500.5, vec!["cpu".to_string(), "cuda:0".to_string()]));
        assert!(FirstCalls::parse("1000").is_err());
    }
}
