//! The fuzzer: random queries through the public interface, on every device and in every kind of session, compared with a
//! scalar reference that shares no code with the crates. In go a seed and a time, out comes a table of what was run, and a
//! command line for every failure that runs it again.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)] // The tables and failures are for people at a terminal.

mod case;
mod compare;
mod generate;
mod long;
mod machine;
mod method;
mod options;
mod panics;
mod program;
mod query;
mod random;
mod reference;
mod report;
mod sources;
mod typed;
mod value;
mod witness;

#[cfg(test)]
mod tests;

use case::{Case, Failure};
use indicatif::{ProgressBar, ProgressStyle};
use machine::Machine;
use options::{Limits, Options};
use random::Random;
use report::Report;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The percentage of cases that are long loops.
const LONG_PERCENT: usize = 4;
/// Failures after which a run ends: more would say the same.
const FAILURES_MAX: u64 = 20;

fn main() -> ExitCode {
    let options = match options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    panics::install();
    match run(&options) {
        Ok(report) if report.failures() == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:?}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one case, or cases until the time is over.
fn run(options: &Options) -> pointsman::Result<Report> {
    if let Some(seed) = options.case {
        let machine = Machine::open(options.devices.as_deref())?;
        let mut report = Report::default();
        let failures = run_case(seed, options.limits, &machine, &mut report);
        if !is_long(seed) {
            let described = panics::caught(|| Case::new(seed, options.limits).describe(&machine));
            println!("{}", described.unwrap_or_else(|text| text));
        }
        failures.iter().for_each(|failure| println!("{}: {}", failure.kind, failure.text));
        println!("{report}");
        return Ok(report);
    }
    if options.is_child {
        let report = run_for(options, options.seconds)?;
        println!("{}", report.lines());
        return Ok(report);
    }
    println!("seed {}", options.seed);
    let is_divided = std::env::var_os("POINTSMAN_JIT").is_none();
    let of_child = if is_divided { options.seconds / 3 } else { Duration::ZERO };
    let mut report = run_for(options, options.seconds - of_child)?;
    if is_divided {
        report.merge(&run_block_programs(options, of_child));
    }
    println!("\n{report}");
    Ok(report)
}

/// Runs cases for a while.
fn run_for(options: &Options, time: Duration) -> pointsman::Result<Report> {
    let machine = Machine::open(options.devices.as_deref())?;
    let bar = if options.is_child { ProgressBar::hidden() } else { progress_bar(time) };
    let (started, mut report, mut seeds) = (Instant::now(), Report::default(), Random::new(options.seed));
    while started.elapsed() < time && report.failures() < FAILURES_MAX {
        let seed = seeds.next();
        let failures = run_case(seed, options.limits, &machine, &mut report);
        if !failures.is_empty() {
            bar.suspend(|| tell(seed, &failures, &machine));
        }
        bar.set_position(started.elapsed().as_millis() as u64);
        bar.set_message(format!("{} cases, {} failures", report.total("cases"), report.failures()));
    }
    bar.finish_and_clear();
    Ok(report)
}

fn progress_bar(time: Duration) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}");
    ProgressBar::new(time.as_millis() as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Runs the case of a seed. A panic anywhere in the process is a failure of the case.
fn run_case(seed: u64, limits: Limits, machine: &Machine, report: &mut Report) -> Vec<Failure> {
    let mut counted = Report::default();
    let outcome = panics::caught(|| match is_long(seed) {
        true => long::check(seed, machine, &mut counted),
        false => Case::new(seed, limits).check(machine, None, &mut counted),
    });
    report.merge(&counted);
    let mut failures = outcome.unwrap_or_default();
    failures.extend(panics::take().into_iter().map(|text| Failure { kind: "panics", text }));
    failures.iter().for_each(|failure| report.add("total", "", failure.kind, 1));
    failures
}

fn is_long(seed: u64) -> bool {
    Random::stream(seed, 9).percent(LONG_PERCENT)
}

/// Prints failures, with the command that runs the smallest case found that fails as well.
fn tell(seed: u64, failures: &[Failure], machine: &Machine) {
    failures.iter().for_each(|failure| println!("{}: {}", failure.kind, failure.text));
    let limits = if is_long(seed) { Limits::default() } else { shrink(seed, machine) };
    let rows = limits.rows.map_or(String::new(), |rows| format!(" --rows {rows}"));
    let nodes = limits.nodes.map_or(String::new(), |nodes| format!(" --nodes {nodes}"));
    let jit = std::env::var("POINTSMAN_JIT").map_or(String::new(), |jit| format!("POINTSMAN_JIT={jit} "));
    println!("  {jit}cargo run --release -p pointsman-fuzz -- --case {seed}{rows}{nodes}");
}

/// Limits under which the case still fails: first the fewest operations, then the fewest rows.
fn shrink(seed: u64, machine: &Machine) -> Limits {
    let mut best = Limits::default();
    let fails = |limits: Limits| !run_case(seed, limits, machine, &mut Report::default()).is_empty();
    for nodes in [1, 2, 3, 4, 6, 8] {
        if fails(Limits { nodes: Some(nodes), ..best }) {
            best.nodes = Some(nodes);
            break;
        }
    }
    for rows in [1, 2, 3, 5, 8, 20, 65, 200, 1000, 4097, 10_000] {
        if fails(Limits { rows: Some(rows), ..best }) {
            best.rows = Some(rows);
            break;
        }
    }
    best
}

/// Runs cases in a process whose CPU runs block programs; only a new process reads the variable again.
fn run_block_programs(options: &Options, time: Duration) -> Report {
    let mut report = Report::default();
    let mut failed = |text: &str| {
        println!("{text}");
        report.add("total", "", "wrong", 1);
    };
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            failed(&format!("the second process did not start: {error}"));
            return report;
        }
    };
    let mut command = Command::new(program);
    command.env("POINTSMAN_JIT", "off").arg("--child").stdout(Stdio::piped());
    command.args(["--seconds", &time.as_secs().max(1).to_string()]);
    command.args(["--seed", &(options.seed ^ 1).to_string()]);
    if let Some(devices) = &options.devices {
        command.args(["--devices", &devices.join(",")]);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            failed(&format!("the second process did not start: {error}"));
            return report;
        }
    };
    let output = child.stdout.take().map(BufReader::new);
    for line in output.into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
        if !report.read_line(&line) && !line.is_empty() {
            println!("{line}");
        }
    }
    let is_success = child.wait().is_ok_and(|status| status.success());
    if !is_success && report.failures() == 0 {
        println!("the second process failed");
        report.add("total", "", "wrong", 1);
    }
    report
}
