//! `bench/selector`: the selector and six baselines on simulated machines, random work on live sessions, and the grid that
//! the selector was tuned on, as a regression test.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the tables go to standard output")]

use pointsman_bench::selector::arguments::Arguments;
use pointsman_bench::selector::grid::{self, Grid};
use pointsman_bench::selector::live::{self, LiveBenchmark, Part, Plan};
use pointsman_bench::selector::ours::{self, Ours};
use pointsman_bench::selector::picture;
use pointsman_bench::selector::policies::{BASELINES, Maker};
use pointsman_bench::selector::record;
use pointsman_bench::selector::report::{Table, simulate};
use pointsman_bench::selector::scenarios::Scenario;
use std::error::Error;
use std::io::{IsTerminal, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Uses of an owned column.
const USES: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(std::env::args().skip(1))?;
    if let Some(case) = arguments.first_calls {
        print!("{}", live::time_first_calls(&plan(&arguments)?, case)?);
        return Ok(());
    }
    let (mut tables, mut is_met) = (Vec::new(), true);
    if arguments.simulates {
        is_met &= run_simulation(&arguments, &mut tables);
    }
    if arguments.is_live {
        is_met &= run_live(&arguments)?;
    }
    if arguments.measures_grid {
        is_met &= run_grid(&arguments, &mut tables)?;
    }
    println!("{}", if is_met { "All bars are met by the medians." } else { "Not all bars are met." });
    if let Some(file) = &arguments.json {
        let tables: Vec<String> = tables.iter().map(Table::json).collect();
        std::fs::write(file, format!("[\n{}\n]\n", tables.join(",\n")))?;
    }
    Ok(())
}

/// Simulates machines; whether all bars are met.
fn run_simulation(arguments: &Arguments, tables: &mut Vec<Table>) -> bool {
    let mut policies: Vec<(&str, Maker)> = BASELINES.to_vec();
    policies.push((ours::NAME, Ours::boxed));
    println!("## Simulation: {} machines, medians (the worst); the oracle is at 100 % and 1×\n", arguments.seeds);
    let mut is_met = true;
    for scenario in Scenario::ALL {
        let table = simulate(scenario, arguments.seeds, &policies, progress);
        progress("");
        is_met &= print_table(&table, scenario.is_judged());
        tables.push(table);
    }
    is_met
}

/// Measures the grid, or reads it; whether all bars are met.
fn run_grid(arguments: &Arguments, tables: &mut Vec<Table>) -> Result<bool, Box<dyn Error>> {
    println!("## The grid that the selector was tuned on: a regression test\n");
    let session = grid::session()?;
    let measured = match &arguments.replay {
        Some(file) => Grid::recorded(&session, &std::fs::read_to_string(file)?)?,
        None => Grid::measure(&session, arguments.devices.as_deref(), &grid::sizes(arguments.grid_rows), progress)?,
    };
    progress("");
    if let Some(file) = &arguments.record {
        std::fs::write(file, record::write(&measured))?;
    }
    let (table, mut last) = measured.evaluate();
    let is_met = print_table(&table, true);
    println!("{}", measured.calibration());
    println!("{}", measured.worst(&mut last));
    tables.push(table);
    if let Some(file) = &arguments.svg {
        std::fs::write(file, picture::svg(&measured, &last))?;
    }
    Ok(is_met)
}

/// The plan of the live benchmark, with a fresh seed if none was given.
fn plan(arguments: &Arguments) -> Result<Plan, Box<dyn Error>> {
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(Plan {
        seed: arguments.seed.unwrap_or(clock.as_nanos() as u64),
        // Only memory pressure draws queries of its own.
        cases: if arguments.parts == [Part::Pressure] { 0 } else { arguments.cases },
        rows_max: arguments.live_rows,
        work: arguments.work,
        devices: arguments.devices.clone(),
        has_variants: arguments.has_variants,
        calibration: arguments.calibration,
    })
}

/// Measures live sessions on random work; whether all bars are met.
fn run_live(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let (start, plan) = (Instant::now(), plan(arguments)?);
    let Plan { seed, cases, rows_max, .. } = &plan;
    println!("## Live sessions on random work, seed {seed}, {cases} cases, 1,000 to {rows_max:.0} rows\n");
    let benchmark = LiveBenchmark::measure(plan, progress)?;
    progress("");
    println!("Devices: {}\n", benchmark.devices().join(", "));
    let mut seconds = vec![format!("devices {:.0}", start.elapsed().as_secs_f64())];
    let (mut is_met, mut case_table) = (true, live::CASE_TABLE_HEADER.to_string());
    for part in Part::ALL.into_iter().filter(|part| arguments.parts.contains(part)) {
        let start = Instant::now();
        // A query that fails is a result too; the other parts still run.
        let failed =
            |error: Box<dyn Error>| PartReport::new(format!("### {}: failed\n\n{error}\n", part.name()), false);
        let report = run_part(&benchmark, part, arguments).unwrap_or_else(failed);
        progress("");
        println!("{}", report.text);
        is_met &= report.is_met;
        case_table += &report.case_table;
        if let Some(file) = &arguments.cases_file {
            std::fs::write(file, &case_table)?;
        }
        seconds.push(format!("{} {:.0}", part.name(), start.elapsed().as_secs_f64()));
    }
    println!("Seconds: {}; {:.0} in all\n", seconds.join(", "), start.elapsed().as_secs_f64());
    Ok(is_met)
}

/// The report of a part of the live benchmark.
struct PartReport {
    text: String,
    is_met: bool,
    /// A line for each case, where the part has any.
    case_table: String,
}

impl PartReport {
    fn new(text: String, is_met: bool) -> PartReport {
        PartReport { text, is_met, case_table: String::new() }
    }
}

/// Runs a part of the live benchmark.
fn run_part(benchmark: &LiveBenchmark, part: Part, arguments: &Arguments) -> Result<PartReport, Box<dyn Error>> {
    let choices = match part {
        Part::Long => benchmark.long(progress)?,
        Part::Callers => benchmark.callers(progress)?,
        Part::Stored => benchmark.stored(progress)?,
        Part::Fresh => benchmark.fresh(progress)?,
        Part::First => {
            let report = benchmark.first_calls(progress)?;
            return Ok(PartReport::new(report.to_string(), report.is_met()));
        }
        Part::Reuse => return run_reuse(benchmark, arguments),
        Part::Pressure => {
            let report = benchmark.pressure(progress)?;
            let text =
                report.map_or("No device has memory of its own: not measured.\n".to_string(), |one| one.to_string());
            return Ok(PartReport::new(format!("### Memory pressure\n\n{text}"), true));
        }
    };
    let case_table = choices.case_table(part);
    Ok(PartReport { text: choices.to_string(), is_met: choices.is_met(), case_table })
}

/// Uses owned columns again and again, and writes the picture.
fn run_reuse(benchmark: &LiveBenchmark, arguments: &Arguments) -> Result<PartReport, Box<dyn Error>> {
    let curves = benchmark.reuse(USES, progress)?;
    let title = format!("### Owned columns, used up to {USES} times\n\n");
    if curves.is_empty() {
        let text = format!("{title}No owned column is used faster on a device with memory of its own.\n");
        return Ok(PartReport::new(text, true));
    }
    if let Some(file) = &arguments.svg {
        std::fs::write(file, live::svg(&curves))?;
    }
    let lines: String = curves.iter().map(|curve| format!("{curve}\n")).collect();
    Ok(PartReport::new(title + &lines, curves.iter().all(live::ReuseCurve::is_met)))
}

/// Prints a table with its bars, if it has any; whether they are met.
fn print_table(table: &Table, is_judged: bool) -> bool {
    let (bars, is_met) = if is_judged { table.bars(ours::NAME) } else { ("- no bars\n".to_string(), true) };
    println!("{}{bars}", table.markdown());
    is_met
}

/// One line that is written over, if standard error is a terminal.
fn progress(what: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // Nothing is lost when the line cannot be written.
        let _ = write!(out, "\r\x1b[K{what}").and_then(|()| out.flush());
    }
}
