//! [`Policy`]: how a session chooses devices for queries that name none; from the options, or from the environment.

use super::energy::StatedWatts;
use super::estimator::Goal;
use crate::error::Result;
use pointsman_device::environment::{self, of_process};

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
    /// The device that is expected to finish first. The session learns from its runs.
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
        // Read even if the session has a policy of its own: a value that is not allowed is always reported.
        let from_environment = environment::POLICY.text(of_process)?.map(|name| named(&name)).transpose()?;
        let policy = policy.or(from_environment).unwrap_or_default();
        let memory_reserve = environment::MEMORY_RESERVE.text(of_process)?.map(|text| part(&text)).transpose()?;
        let memory_reserve = memory_reserve.unwrap_or(MEMORY_RESERVE);
        let is_off = environment::LEARNING.switch(of_process)? == Some(false);
        let (learns, goal) = match policy {
            Policy::Fastest => (!is_off, Goal::Time),
            Policy::LeastEnergy => (!is_off, Goal::Energy),
            Policy::Deterministic => (false, Goal::Time),
        };
        Ok(SelectionRules { among, learns, memory_reserve, goal, watts: StatedWatts::new() })
    }
}

fn named(name: &str) -> Result<Policy> {
    match name.to_ascii_lowercase().as_str() {
        "fastest" => Ok(Policy::Fastest),
        "least-energy" => Ok(Policy::LeastEnergy),
        "deterministic" => Ok(Policy::Deterministic),
        _ => Err(environment::POLICY.error(name).into()),
    }
}

fn part(text: &str) -> Result<f64> {
    let part = text.parse::<f64>().ok().filter(|part| (0.0..=0.95).contains(part));
    Ok(part.ok_or_else(|| environment::MEMORY_RESERVE.error(text))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_watts_are_parsed() {
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
