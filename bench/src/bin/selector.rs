//! `bench/selector`: the selector and six baselines on simulated machines, random work on live sessions, and the grid that
//! the selector was tuned on, as a regression test.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the tables go to standard output")]

use pointsman_bench::selector::grid::{self, Grid};
use pointsman_bench::selector::live::{Judge, Plan};
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
/// The most rows of the grid and of live sessions, unless more are asked for.
const ROWS: f64 = 1e7;
const ROWS_LARGE: f64 = 1e8;
const LIVE_ROWS: f64 = 2e7;
const LIVE_ROWS_LARGE: f64 = 2e8;
/// Cells of a live seed.
const CELLS: usize = 60;
/// Uses of an owned column.
const USES: usize = 1000;

struct Wishes {
    json: Option<String>,
    svg: Option<String>,
    record: Option<String>,
    replay: Option<String>,
    arms: Option<Vec<String>>,
    seeds: u64,
    rows: f64,
    simulates: bool,
    is_live: bool,
    measures_grid: bool,
    seed: Option<u64>,
    cells: usize,
    has_variants: bool,
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
    if wishes.is_live {
        all &= judge(&wishes)?;
    }
    if wishes.measures_grid {
        println!("## The grid that the selector was tuned on: a regression test\n");
        let session = grid::session()?;
        let measured = match &wishes.replay {
            Some(file) => Grid::recorded(&session, &std::fs::read_to_string(file)?)?,
            None => Grid::measure(&session, wishes.arms.as_deref(), &grid::sizes(wishes.rows), progress)?,
        };
        progress("");
        if let Some(file) = &wishes.record {
            std::fs::write(file, record::write(&measured))?;
        }
        let (table, mut last) = measured.judge();
        all &= tell(&table, true);
        println!("{}", measured.calibration());
        println!("{}", measured.worst(&mut last));
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

/// Judges live sessions on random work; whether all bars are met.
fn judge(wishes: &Wishes) -> Result<bool, Box<dyn Error>> {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let seed = wishes.seed.unwrap_or(clock.as_nanos() as u64);
    let rows_max = if wishes.rows > ROWS { LIVE_ROWS_LARGE } else { LIVE_ROWS };
    println!("## Live sessions on random work, seed {seed}, {} cells, 1,000 to {rows_max:.0} rows\n", wishes.cells);
    let (devices, has_variants) = (wishes.arms.clone(), wishes.has_variants);
    let judge = Judge::measure(Plan { seed, cells: wishes.cells, rows_max, devices, has_variants }, progress)?;
    println!("Devices: {}\n", judge.names().join(", "));
    let directory = std::env::temp_dir().join(format!("pointsman-judge-{}", std::process::id()));
    let mut all = true;
    for verdict in [judge.long(progress)?, judge.stored(&directory, progress)?, judge.fresh(progress)?] {
        progress("");
        println!("{verdict}");
        all &= verdict.is_met();
    }
    let _ = std::fs::remove_dir_all(&directory);
    let curves = judge.reuse(USES, progress)?;
    progress("");
    println!("### Owned columns, used {USES} times\n");
    curves.iter().for_each(|curve| println!("{curve}"));
    Ok(all)
}

/// Prints a table with its bars, if it has any; whether they are met.
fn tell(table: &Table, is_judged: bool) -> bool {
    let (bars, is_met) = if is_judged { table.bars(ours::NAME) } else { ("- no bars\n".to_string(), true) };
    println!("{}{bars}", table.markdown());
    is_met
}

fn wishes() -> Result<Wishes, Box<dyn Error>> {
    let mut wishes = Wishes {
        json: None,
        svg: None,
        record: None,
        replay: None,
        arms: None,
        seeds: SEEDS,
        rows: ROWS,
        simulates: true,
        is_live: true,
        measures_grid: false,
        seed: None,
        cells: CELLS,
        has_variants: false,
    };
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
            "--simulation" => wishes.is_live = false,
            "--real" => wishes.simulates = false,
            "--grid" => (wishes.simulates, wishes.is_live, wishes.measures_grid) = (false, false, true),
            "--seed" => wishes.seed = Some(value()?.parse()?),
            "--cells" => wishes.cells = value()?.parse::<usize>()?.max(1),
            "--variants" => wishes.has_variants = true,
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
