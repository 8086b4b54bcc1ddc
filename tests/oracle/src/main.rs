//! Random table plans, run by the interpreter and by DataFusion. Prints each disagreement without a rule, then counts;
//! exits with 1 if there was one.

mod aggregate;
mod arrow_data;
mod borrowed;
mod case;
mod check;
mod compare;
mod engine;
mod expression;
mod folds;
mod join;
mod notes;
mod operation;
mod panics;
mod relation;
mod report;
mod rules;
mod scan;
mod session;
mod shrink;
mod skip;
#[cfg(test)]
mod tests;
mod translate;

use check::Outcome;
use engine::Engine;
use report::Summary;
use session::CpuSession;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const HELP: &str = "\
Compares random table plans with DataFusion.

Usage: oracle [--plans N] [--seed S] [--session]

  --plans N   how many plans (default 1000); plan k has the seed S + k
  --seed S    the first seed (default: a fresh one, which is printed); `--plans 1 --seed S` repeats a plan
  --session   also run each plan through `Session::plan` on the CPU
  --help      this text

Exits with 1 if the engines disagree and no rule covers it. For each such plan it prints the seed, and a smaller plan that
fails in the same way with its rows and both results. The summary counts operators, expressions (those that DataFusion has
no equal for are interpreted inside it) and known disagreements.
";

/// How often the progress line is printed where it cannot be overwritten.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);
/// After this many failures the run stops.
const FAILURES_MAX: usize = 10;

struct Options {
    plans: usize,
    seed: u64,
    session: bool,
}

fn options() -> Result<Option<Options>, String> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let mut options =
        Options { plans: 1000, seed: now.map_or(0, |now| now.as_secs() % 1_000_000 * 1_000_000), session: false };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut number = || {
            let value = args.next().ok_or_else(|| format!("{arg} needs a number"))?;
            value.parse::<u64>().map_err(|_| format!("{arg} needs a number, not `{value}`"))
        };
        match arg.as_str() {
            "--plans" => options.plans = usize::try_from(number()?).map_err(|error| error.to_string())?,
            "--seed" => options.seed = number()?,
            "--session" => options.session = true,
            "--help" | "-h" => return Ok(None),
            _ => return Err(format!("unknown option `{arg}`; see --help")),
        }
    }
    Ok(Some(options))
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("an engine does not start: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the plans; how many failed.
fn run(options: &Options) -> Result<usize, Box<dyn std::error::Error>> {
    println!("seed {}", options.seed);
    panics::install();
    let engines = check::Engines {
        datafusion: Engine::new()?,
        session: options.session.then(CpuSession::open).transpose().map_err(|error| error.to_string())?,
    };
    let profiles = case::Profiles::everything();
    let mut summary = Summary::default();
    let (start, mut shown) = (Instant::now(), Instant::now());
    for seed in options.seed..options.seed.saturating_add(options.plans as u64) {
        let case = profiles.case(seed);
        let (outcome, notes) = check::check(&case, &engines);
        summary.add(&case, &outcome, &notes);
        if let Outcome::Failed(failure) = &outcome {
            let fails = |case: &case::Case| match check::check(case, &engines).0 {
                Outcome::Failed(other) => other.kind() == failure.kind(),
                Outcome::Agree | Outcome::BothFail | Outcome::Known(_) | Outcome::Skipped(_) => false,
            };
            let small = shrink::shrink(case, &fails);
            if let Outcome::Failed(failure) = check::check(&small, &engines).0 {
                println!("\n{}", report::failure_text(&small, &failure));
            }
        }
        progress(&summary, options, &mut shown);
        if summary.failed >= FAILURES_MAX {
            println!("\nstopped after {FAILURES_MAX} failures");
            break;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("\n{}", summary.progress(options.plans));
    println!("{:.0} plans a second", summary.plans as f64 / seconds);
    print!("{}", summary.text());
    Ok(summary.failed)
}

/// The progress line: overwritten on a terminal, else printed now and then.
fn progress(summary: &Summary, options: &Options, shown: &mut Instant) {
    let terminal = std::io::stdout().is_terminal();
    let every = if terminal { Duration::from_millis(100) } else { PROGRESS_EVERY };
    if shown.elapsed() < every {
        return;
    }
    *shown = Instant::now();
    let (before, after) = if terminal { ("\r\x1b[K", "") } else { ("", "\n") };
    print!("{before}{}{after}", summary.progress(options.plans));
    // A progress line that cannot be shown is no reason to stop.
    let _ = std::io::stdout().flush();
}
