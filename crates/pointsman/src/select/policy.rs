//! [`Policy`]: how a session chooses devices for queries that name none; from the options, or from the environment.
//!
//! | variable | says |
//! | --- | --- |
//! | `POINTSMAN_DEVICE` | the device of queries that name none: nothing is chosen |
//! | `POINTSMAN_DEVICES` | the devices that may be used |
//! | `POINTSMAN_DISABLE` | devices or kinds that may not, separated by commas |
//! | `POINTSMAN_POLICY` | `fastest`, `least-energy` or `deterministic` |
//! | `POINTSMAN_WATTS` | what devices draw at work beyond idle, for `least-energy`: `cpu=150,cuda:0=400` |
//! | `POINTSMAN_MEMORY_RESERVE` | the part of a device's memory that choices leave free: `0.3` |
//! | `POINTSMAN_LEARNING` | `off`: runs do not change later choices |

use super::estimator::Goal;
use super::watts::StatedWatts;
use crate::error::{Error, Result};

/// The part of a device's memory that choices leave free, unless told.
const MEMORY_RESERVE: f64 = 0.3;

/// How a session selects devices for queries that name none.
///
/// ```
/// use pointsman::{Policy, SessionOptions};
///
/// # fn main() -> pointsman::Result<()> {
/// let s = SessionOptions::new().policy(Policy::Deterministic).open()?;
/// assert_eq!(s.from(0u32..10).sum()?, 45);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The device that is expected to finish first. The session learns from every run.
    #[default]
    Fastest,
    /// The device that is expected to use the least energy: the predicted time, times the power that the device draws at work
    /// beyond idle. The power is measured where the driver or the system reports it (NVIDIA cards; on Linux the processor,
    /// mostly for root only), learned from runs, or stated ([`SessionOptions::watts`](crate::SessionOptions::watts)). The session does not open if the
    /// power of the CPU is unknown; other devices of unknown power are not selected, and `explain` says why.
    LeastEnergy,
    /// The fastest device by the profiles that are stored or usual for its kind, without learning or measuring: the same query
    /// of the same size always runs on the same device, as long as that device can run it.
    Deterministic,
}

/// How a session chooses devices for queries that name none.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SelectionRules {
    /// The devices to choose from; `None`: all but software emulations on the processor.
    pub(super) among: Option<Vec<String>>,
    /// Whether runs change later choices.
    pub(super) learns: bool,
    /// The part of a device's memory that choices leave free.
    pub(super) memory_reserve: f64,
    /// The quantity by which devices are compared.
    pub(crate) goal: Goal,
    /// The power of devices that the user stated.
    pub(crate) watts: StatedWatts,
}

impl SelectionRules {
    /// The rules that follow from a policy and the environment.
    pub(crate) fn new(policy: Option<Policy>, among: Option<Vec<String>>) -> Result<SelectionRules> {
        let policy = match policy {
            Some(policy) => policy,
            None => environment_variable("POINTSMAN_POLICY").map_or(Ok(Policy::Fastest), |name| named(&name))?,
        };
        let memory_reserve =
            environment_variable("POINTSMAN_MEMORY_RESERVE").map_or(Ok(MEMORY_RESERVE), |text| part(&text))?;
        let is_off = environment_variable("POINTSMAN_LEARNING").is_some_and(|text| text == "off");
        let (learns, goal) = match policy {
            Policy::Fastest => (!is_off, Goal::Time),
            Policy::LeastEnergy => (!is_off, Goal::Energy),
            Policy::Deterministic => (false, Goal::Time),
        };
        Ok(SelectionRules { among, learns, memory_reserve, goal, watts: StatedWatts::new() })
    }
}

/// A variable of the environment, if it says something.
pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// The names in a variable, which are separated by commas.
pub(crate) fn environment_names(name: &str) -> Option<Vec<String>> {
    let text = std::env::var(name).ok()?;
    Some(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_string).collect())
}

fn named(name: &str) -> Result<Policy> {
    match name {
        "fastest" => Ok(Policy::Fastest),
        "least-energy" => Ok(Policy::LeastEnergy),
        "deterministic" => Ok(Policy::Deterministic),
        _ => Err(Error::invalid(format!(
            "there is no policy `{name}` (POINTSMAN_POLICY): it is `fastest`, `least-energy` or `deterministic`"
        ))),
    }
}

fn part(text: &str) -> Result<f64> {
    let part = text.parse::<f64>().ok().filter(|part| (0.0..=0.95).contains(part));
    part.ok_or_else(|| {
        Error::invalid(format!("a memory reserve of `{text}` (POINTSMAN_MEMORY_RESERVE): it is a part, 0 to 0.95"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_environment() {
        assert_eq!(named("fastest").ok(), Some(Policy::Fastest));
        assert_eq!(named("least-energy").ok(), Some(Policy::LeastEnergy));
        assert_eq!(named("deterministic").ok(), Some(Policy::Deterministic));
        assert!(named("quickest").is_err_and(|error| error.message().contains("deterministic")));
        for (text, expected) in
            [("0.5", Some(0.5)), ("0", Some(0.0)), ("1", None), ("-1", None), ("NaN", None), ("x", None)]
        {
            assert_eq!(part(text).ok(), expected, "{text}");
        }
    }
}
