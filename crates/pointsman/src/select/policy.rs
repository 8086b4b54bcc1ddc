//! [`Policy`]: how a session chooses devices for queries that name none, and the watts of devices that the user states;
//! from the options, or from the environment.

use super::estimator::Goal;
use crate::devices::registry::{DeviceRegistry, is_device_name};
use crate::error::{Error, Result};
use pointsman_device::environment::{self, of_process};
use std::collections::BTreeMap;

/// The part of a device's memory that choices leave free, unless told.
const MEMORY_RESERVE: f64 = 0.3;
/// What to do if the power draw of a device is unknown.
pub(super) const REMEDY: &str = "state the watts that it draws at work beyond those that it draws idle: \
     `SessionOptions::watts(\"cpu\", 150.0)`, or POINTSMAN_WATTS=cpu=150,cuda:0=400";

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
    /// mostly for root only), or stated ([`SessionOptions::watts`](crate::SessionOptions::watts)). The session does not open if the
    /// power of the CPU is unknown; other devices of unknown power are not selected, and `explain` says why.
    LeastEnergy,
    /// The fastest device by the profiles that are stored or usual for its kind, without learning or measuring: the same query
    /// of the same size always runs on the same device, as long as that device can run it.
    Deterministic,
}

/// Watts by device.
type StatedWatts = BTreeMap<String, f64>;

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
    /// The power of devices that the options or the environment state.
    pub(crate) watts: StatedWatts,
}

impl SelectionRules {
    /// The rules that follow from the options and the environment. `stated`: the watts of the options; `owned`: the names
    /// of devices that the user brings.
    pub(crate) fn new(
        policy: Option<Policy>,
        among: Option<Vec<String>>,
        stated: &StatedWatts,
        owned: &[String],
    ) -> Result<SelectionRules> {
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
        let (watts, others) = merge(stated, owned, environment::WATTS.text(of_process)?)?;
        if let Some(line) = warning(goal, &others) {
            tracing::warn!(target: "pointsman", "{line}");
        }
        Ok(SelectionRules { among, learns, memory_reserve, goal, watts })
    }

    /// An error if devices should be compared by energy, and it cannot be known what the CPU draws: nothing could ever
    /// be compared.
    pub(crate) fn check_energy(&self, registry: &DeviceRegistry) -> Result<()> {
        let cpu = registry.cpu.name();
        if self.goal == Goal::Time || self.watts.contains_key(cpu) || registry.is_cpu_only() {
            return Ok(());
        }
        let refused = |error| {
            let why = format!("as it is unknown what `{cpu}` draws: {error}; {REMEDY}");
            Error::unsupported(format!("the least energy cannot be chosen, {why}"))
        };
        registry.cpu.device.energy().map(drop).map_err(refused)
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

/// The stated power with this text of the environment, and what the text says of devices that the session cannot have:
/// every session of the process reads the same text.
fn merge(stated: &StatedWatts, owned: &[String], text: Option<String>) -> Result<(StatedWatts, StatedWatts)> {
    // Which cards there are is found out later.
    let may_have = |name: &str| is_device_name(name) || owned.iter().any(|own| own == name);
    let from_text = text.map_or(Ok(StatedWatts::new()), |text| parse(&text))?;
    let (mut all, others): (StatedWatts, StatedWatts) = from_text.into_iter().partition(|(name, _)| may_have(name));
    all.extend(stated.iter().map(|(device, watts)| (device.clone(), *watts)));
    for (device, watts) in &all {
        if !may_have(device) {
            let text = format!("there is no device `{device}` to state the watts of: devices are named like `cpu`");
            return Err(Error::invalid(format!("{text}, `cuda:0`")));
        }
        if !are_watts(*watts) {
            return Err(Error::invalid(format!("`{device}` cannot draw {watts} watts: it is a number above 0")));
        }
    }
    Ok((all, others))
}

/// The warning about devices that the environment names and the session does not have, if energy counts.
fn warning(goal: Goal, others: &StatedWatts) -> Option<String> {
    let names: Vec<String> = others.keys().map(|name| format!("`{name}`")).collect();
    let is_relevant = goal == Goal::Energy && !names.is_empty();
    is_relevant.then(|| format!("POINTSMAN_WATTS names what is no device of this session: {}", names.join(", ")))
}

/// Parses a text like `cpu=150,cuda:0=400`.
fn parse(text: &str) -> Result<StatedWatts> {
    let wrong = |part: &str, why: &str| Error::from(environment::WATTS.error_in(text, part, why));
    let mut stated = StatedWatts::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (device, watts) = part.split_once('=').ok_or_else(|| wrong(part, "has no watts"))?;
        let (device, watts) = (device.trim(), watts.trim().parse().ok().filter(|watts| are_watts(*watts)));
        if device.is_empty() || device.contains(|letter: char| letter == '+' || letter.is_whitespace()) {
            return Err(wrong(part, "names no device"));
        }
        let watts = watts.ok_or_else(|| wrong(part, "has no watts above 0"))?;
        if stated.insert(device.to_string(), watts).is_some() {
            return Err(wrong(part, "states the watts of a device again"));
        }
    }
    Ok(stated)
}

fn are_watts(watts: f64) -> bool {
    watts > 0.0 && watts.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::session::options::SessionOptions;

    #[test]
    fn environment_policy_and_reserve_are_parsed() {
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

    #[test]
    fn environment_watts_are_parsed() {
        let stated = |text: &str| parse(text).map(|stated| stated.into_iter().collect::<Vec<_>>());
        let both = vec![("cpu".to_string(), 150.0), ("cuda:0".to_string(), 400.5)];
        assert_eq!(stated("cpu=150,cuda:0=400.5").ok(), Some(both.clone()));
        assert_eq!(stated(" cuda:0 = 400.5 ,, cpu = 150 ").ok(), Some(both));
        for wrong in
            ["cpu", "cpu:150", "cpu=much", "cpu=1=2", "=;", "=5", "tpu=-1", "cpu=0", "cpu=NaN", "cpu=1,cpu=2", "a+b=3"]
        {
            assert!(stated(wrong).is_err_and(|error| error.message().contains("POINTSMAN_WATTS")), "{wrong}");
        }
    }

    /// A session on a machine whose processor does not tell what it draws.
    fn silent() -> SessionOptions {
        let mut options = SessionOptions::new().policy(Policy::LeastEnergy);
        options.powercap = Some("/nowhere/powercap");
        options
    }

    #[test]
    fn unknown_cpu_power_is_an_error_with_a_remedy() {
        let refused = silent().open().err().expect("its power draw is unknown");
        assert_eq!(refused.kind(), ErrorKind::Unsupported);
        for part in ["it is unknown what `cpu` draws", "/nowhere/powercap", "POINTSMAN_WATTS=", "SessionOptions::watts"]
        {
            assert!(refused.message().contains(part), "{refused}");
        }
        assert!(silent().watts("cpu", 150.0).open().is_ok());
        assert!(silent().policy(Policy::Fastest).open().is_ok());
        assert!(silent().devices(["cpu"]).open().is_ok(), "there is nothing to choose from");
    }

    #[test]
    fn watts_of_devices_of_other_sessions_are_ignored() {
        let text = || Some("cpu=150,cuda:7=400,sim=20,tpu=5".to_string());
        let of = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let names = |stated: &StatedWatts| stated.keys().cloned().collect::<Vec<_>>();
        let (stated, others) = merge(&StatedWatts::new(), &[], text()).expect("it is no error");
        assert_eq!((names(&stated), names(&others)), (of(&["cpu", "cuda:7"]), of(&["sim", "tpu"])));
        assert_eq!(warning(Goal::Time, &others), None);
        let line = "POINTSMAN_WATTS names what is no device of this session: `sim`, `tpu`";
        assert_eq!(warning(Goal::Energy, &others).as_deref(), Some(line));
        assert_eq!(warning(Goal::Energy, &StatedWatts::new()), None);
        let (stated, others) = merge(&StatedWatts::new(), &of(&["sim"]), text()).expect("it is no error");
        assert_eq!((names(&stated), names(&others)), (of(&["cpu", "cuda:7", "sim"]), of(&["tpu"])));
        let wrong = merge(&StatedWatts::from([("tpu".to_string(), 5.0)]), &[], text());
        assert!(wrong.is_err_and(|error| error.message().contains("no device `tpu`")), "the builder is of this one");
    }

    #[test]
    fn stated_watts_need_a_device_and_a_positive_number() {
        for (device, watts, part) in [
            ("gpu", 1.0, "no device `gpu`"),
            ("cpu", 0.0, "above 0"),
            ("cpu", f64::NAN, "above 0"),
            ("cpu", -1.0, "-1"),
        ] {
            let refused = silent().watts(device, watts).open().err().expect("that is wrong");
            assert_eq!(refused.kind(), ErrorKind::InvalidQuery);
            assert!(refused.message().contains(part), "{refused}");
        }
    }
}
