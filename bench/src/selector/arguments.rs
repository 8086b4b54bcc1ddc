//! The command line of `bench/selector`: words go in, [`Arguments`] come out. `bench/selector --help` explains them.

use super::live::{Calibration, DrawnWork, Part};
use std::error::Error;

/// The number of machines that every scenario runs on.
const SEEDS: u64 = 20;
/// The number of random cases of a seed.
const CASES: usize = 60;
/// The most rows of the grid and of live sessions, without and with `--large`.
const GRID_ROWS: [f64; 2] = [1e7, 1e8];
const LIVE_ROWS: [f64; 2] = [2e7, 2e8];

/// What the command line asks for.
pub struct Arguments {
    /// The file for the figures of the simulation and the grid.
    pub json: Option<String>,
    /// The file for the picture of the grid or of the reuse curves.
    pub svg: Option<String>,
    /// The file for the table of all live cases.
    pub cases_file: Option<String>,
    /// The file for every time that was measured on the grid.
    pub record: Option<String>,
    /// A file of such times, to evaluate instead of measuring.
    pub replay: Option<String>,
    /// The only devices to use.
    pub devices: Option<Vec<String>>,
    /// The number of simulated machines.
    pub seeds: u64,
    /// The most rows of the grid.
    pub grid_rows: f64,
    /// The most rows of a live case.
    pub live_rows: f64,
    /// What live cases are.
    pub work: DrawnWork,
    /// Whether machines are simulated.
    pub simulates: bool,
    /// Whether live sessions are measured.
    pub is_live: bool,
    /// Whether the grid is measured.
    pub measures_grid: bool,
    /// The parts of the live benchmark to run.
    pub parts: Vec<Part>,
    /// The seed of the live cases; a fresh one if there is none.
    pub seed: Option<u64>,
    /// The number of live cases.
    pub cases: usize,
    /// Whether the processor's variants are devices of their own.
    pub has_variants: bool,
    /// The case whose first calls this process times, if the benchmark started it for that.
    pub first_calls: Option<usize>,
    /// When sessions calibrate.
    pub calibration: Calibration,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            json: None,
            svg: None,
            cases_file: None,
            record: None,
            replay: None,
            devices: None,
            seeds: SEEDS,
            grid_rows: GRID_ROWS[0],
            live_rows: LIVE_ROWS[0],
            work: DrawnWork::Queries,
            simulates: true,
            is_live: true,
            measures_grid: false,
            parts: Part::ALL.to_vec(),
            seed: None,
            cases: CASES,
            has_variants: false,
            first_calls: None,
            calibration: Calibration::On,
        }
    }
}

impl Arguments {
    /// Parses the words after the program's name.
    pub fn parse(words: impl Iterator<Item = String>) -> Result<Arguments, Box<dyn Error>> {
        let (mut parsed, mut words) = (Arguments::default(), words);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--json" => parsed.json = Some(value()?),
                "--svg" => parsed.svg = Some(value()?),
                "--cases-file" => parsed.cases_file = Some(value()?),
                "--record" => parsed.record = Some(value()?),
                "--replay" => parsed.replay = Some(value()?),
                "--arms" => parsed.devices = Some(value()?.split(',').map(str::to_string).collect()),
                "--seeds" => parsed.seeds = value()?.parse::<u64>()?.max(1),
                "--large" => (parsed.grid_rows, parsed.live_rows) = (GRID_ROWS[1], LIVE_ROWS[1]),
                "--simulation" => parsed.is_live = false,
                "--real" => parsed.simulates = false,
                "--grid" => (parsed.simulates, parsed.is_live, parsed.measures_grid) = (false, false, true),
                "--only" => parsed.parts = value()?.split(',').map(Part::named).collect::<Result<_, _>>()?,
                "--seed" => parsed.seed = Some(value()?.parse()?),
                // The second name is the older one.
                "--cases" | "--cells" => parsed.cases = value()?.parse::<usize>()?.max(1),
                "--calls" => parsed.work = DrawnWork::Calls,
                "--variants" => parsed.has_variants = true,
                "--calibration" => parsed.calibration = Calibration::named(&value()?)?,
                // The benchmark passes the next two to processes of its own.
                "--first-calls" => parsed.first_calls = Some(value()?.parse()?),
                "--rows" => parsed.live_rows = value()?.parse()?,
                _ => return Err(format!("{word}: see bench/selector --help").into()),
            }
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Arguments, Box<dyn Error>> {
        Arguments::parse(words.split_whitespace().map(str::to_string))
    }

    #[test]
    fn parts_are_named_in_a_list() {
        let parsed = parse("--real --only long,pressure").expect("all words are known");
        assert_eq!((parsed.parts, parsed.simulates), (vec![Part::Long, Part::Pressure], false));
        assert!(parse("--only lang").is_err_and(|error| error.to_string().contains("long, callers")));
    }

    #[test]
    fn unknown_words_and_missing_values_are_errors() {
        assert!(parse("--reel").is_err() && parse("--seed").is_err() && parse("--seed x").is_err());
    }
}
