//! `bench/selector`: the selector and six baselines on simulated machines, and the selector on the devices at hand.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the tables go to standard output")]

use pointsman_bench::selector::grid::{self, Grid};
use pointsman_bench::selector::ours::{self, Ours};
use pointsman_bench::selector::picture;
use pointsman_bench::selector::policies::{BASELINES, Maker};
use pointsman_bench::selector::record;
use pointsman_bench::selector::report::{Table, simulate};
use pointsman_bench::selector::scenarios::Scenario;
use std::error::Error;
use std::io::{IsTerminal, Write};

/// Machines that every scenario runs on.
const SEEDS: u64 = 20;
/// The most rows of the real grid, unless more are asked for.
const ROWS: f64 = 1e7;
const ROWS_LARGE: f64 = 1e8;

struct Wishes {
    json: Option<String>,
    svg: Option<String>,
    record: Option<String>,
    replay: Option<String>,
    arms: Option<Vec<String>>,
    seeds: u64,
    rows: f64,
    simulates: bool,
    measures: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let wishes = wishes()?;
    let (mut tables, mut all) = (Vec::new(), true);
    if wishes.simulates {
        let mut policies: Vec<(&str, Maker)> = BASELINES.to_vec();
        policies.push((ours::NAME, Ours::boxed));
        println!("## Simulation: {} machines, medians (the worst); the oracle is at 100 % and 1×\n", wishes.seeds);
        for scenario in Scenario::ALL {
            let table = simulate(scenario, wishes.seeds, &policies, progress);
            progress("");
            all &= tell(&table, scenario.is_judged());
            tables.push(table);
        }
    }
    if wishes.measures {
        println!("## Real devices\n");
        let session = grid::session()?;
        let measured = match &wishes.replay {
            Some(file) => Grid::recorded(&session, &std::fs::read_to_string(file)?)?,
            None => Grid::measure(&session, wishes.arms.as_deref(), &grid::sizes(wishes.rows), progress)?,
        };
        progress("");
        if let Some(file) = &wishes.record {
            std::fs::write(file, record::write(&measured))?;
        }
        let (table, last) = measured.judge();
        all &= tell(&table, true);
        println!("{}", measured.calibration());
        tables.push(table);
        if let Some(file) = &wishes.svg {
            std::fs::write(file, picture::svg(&measured, &last))?;
        }
    }
    println!("{}", if all { "All bars are met by the medians." } else { "Not all bars are met." });
    if let Some(file) = &wishes.json {
        let tables: Vec<String> = tables.iter().map(Table::json).collect();
        std::fs::write(file, format!("[\n{}\n]\n", tables.join(",\n")))?;
    }
    Ok(())
}

/// Prints a table with its bars, if it has any; whether they are met.
fn tell(table: &Table, is_judged: bool) -> bool {
    let (bars, is_met) = if is_judged { table.bars(ours::NAME) } else { ("- no bars\n".to_string(), true) };
    println!("{}{bars}", table.markdown());
    is_met
}

fn wishes() -> Result<Wishes, Box<dyn Error>> {
    let (json, svg, record, replay, arms) = (None, None, None, None, None);
    let (seeds, rows, simulates, measures) = (SEEDS, ROWS, true, true);
    let mut wishes = Wishes { json, svg, record, replay, arms, seeds, rows, simulates, measures };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--json" => wishes.json = Some(value()?),
            "--svg" => wishes.svg = Some(value()?),
            "--record" => wishes.record = Some(value()?),
            "--replay" => wishes.replay = Some(value()?),
            "--arms" => wishes.arms = Some(value()?.split(',').map(str::to_string).collect()),
            "--seeds" => wishes.seeds = value()?.parse::<u64>()?.max(1),
            "--large" => wishes.rows = ROWS_LARGE,
            "--simulation" => wishes.measures = false,
            "--real" => wishes.simulates = false,
            _ => return Err(format!("{word}: see bench/selector --help").into()),
        }
    }
    Ok(wishes)
}

/// One line that is written over, where somebody looks at it.
fn progress(what: &str) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        // Nothing is lost when the line cannot be written.
        let _ = write!(out, "\r\x1b[K{what}").and_then(|()| out.flush());
    }
}
