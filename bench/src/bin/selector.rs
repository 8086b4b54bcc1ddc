//! `bench/selector`: the selector and six baselines on simulated machines, and the selector on the devices at hand.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the tables go to standard output")]

use pointsman_bench::selector::ours::{self, Ours};
use pointsman_bench::selector::policies::{BASELINES, Maker};
use pointsman_bench::selector::report::{Table, simulate};
use pointsman_bench::selector::scenarios::Scenario;
use std::error::Error;
use std::io::{IsTerminal, Write};

/// Machines that every scenario runs on.
const SEEDS: u64 = 20;

struct Wishes {
    json: Option<String>,
    seeds: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let wishes = wishes()?;
    let mut policies: Vec<(&str, Maker)> = BASELINES.to_vec();
    policies.push((ours::NAME, Ours::boxed));
    let (mut tables, mut all) = (Vec::new(), true);
    println!("## Simulation: {} machines, medians (the worst)\n", wishes.seeds);
    for scenario in Scenario::ALL {
        let table = simulate(scenario, wishes.seeds, &policies, progress);
        progress("");
        let (bars, is_met) = table.bars(ours::NAME);
        all &= is_met;
        println!("{}{bars}", table.markdown());
        tables.push(table);
    }
    println!("{}", if all { "All bars are met by the medians." } else { "Not all bars are met." });
    if let Some(file) = &wishes.json {
        let tables: Vec<String> = tables.iter().map(Table::json).collect();
        std::fs::write(file, format!("[\n{}\n]\n", tables.join(",\n")))?;
    }
    Ok(())
}

fn wishes() -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes { json: None, seeds: SEEDS };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--json" => wishes.json = Some(value),
            "--seeds" => wishes.seeds = value.parse::<u64>()?.max(1),
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
