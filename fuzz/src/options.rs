//! The command line: in go the arguments, out come options, or a text that says what is wrong.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub(crate) const HELP: &str = "\
Random queries through the public interface of Pointsman, compared with a scalar reference.

usage: pointsman-fuzz [OPTIONS]
  --seconds N      run for N seconds (default: 60)
  --seed SEED      the seed of the run (default: from the clock)
  --case SEED      run one case, and print its program, its plan, its inputs and both answers
  --rows N         with --case: only the first N rows
  --nodes N        with --case: at most N operations in a step
  --devices A,B    only these devices (default: the CPU and every device found)
  --help           print this text

The exit code is 0 if no answer was wrong or late and nothing panicked. A third of the time, a second process runs
every kernel on the CPU as a block program (POINTSMAN_JIT=off); if that variable is set, there is no second process.";

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) seconds: Duration,
    pub(crate) seed: u64,
    pub(crate) case: Option<u64>,
    pub(crate) limits: Limits,
    pub(crate) devices: Option<Vec<String>>,
    /// Prints counters for the process that started this one, instead of tables for people.
    pub(crate) is_child: bool,
}

/// Limits that make a case smaller.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) rows: Option<usize>,
    pub(crate) nodes: Option<usize>,
}

/// The options, or `None` if help is asked for.
pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options {
        seconds: Duration::from_secs(60),
        seed: fresh_seed(),
        case: None,
        limits: Limits::default(),
        devices: None,
        is_child: false,
    };
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--help" | "-h" => return Ok(None),
            "--child" => options.is_child = true,
            "--seconds" => options.seconds = Duration::from_secs(number(&name, &value()?)?),
            "--seed" => options.seed = number(&name, &value()?)?,
            "--case" => options.case = Some(number(&name, &value()?)?),
            "--rows" => options.limits.rows = Some(number(&name, &value()?)? as usize),
            "--nodes" => options.limits.nodes = Some((number(&name, &value()?)? as usize).max(1)),
            "--devices" => options.devices = Some(value()?.split(',').map(|name| name.trim().to_string()).collect()),
            other => return Err(format!("there is no option {other}; --help lists them")),
        }
    }
    Ok(Some(options))
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{name} takes a number, not {text}"))
}

fn fresh_seed() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64)
}
