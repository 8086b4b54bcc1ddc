//! [`Policy`]: how a session chooses devices for queries that name none, and the watts of devices that the user states;
//! from the options, or from the environment.

use super::estimator::{ArmSet, Goal, Selector};
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
    /// The device that is expected to use the least energy: the predicted time, times the power that the device draws
    /// under load, above idle. The power is measured if the driver or the system reports it (NVIDIA cards; on Linux the
    /// processor, mostly for root only), or stated ([`SessionOptions::watts`](crate::SessionOptions::watts)). The
    /// session does not open if the power of the CPU is unknown; other devices of unknown power are not selected, and
    /// `explain` says why.
    LeastEnergy,
    /// The fastest device according to stored or guessed profiles, without learning or measuring: the same query of the
    /// same size always runs on the same device, as long as that device can run it.
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
    /// The rules that follow from the options and the environment. `stated`: the watts of the options; `owned`: the
    /// names of devices that the user brings.
    pub(crate) fn new(
        policy: Option<Policy>,
        among: Option<Vec<String>>,
        stated: &StatedWatts,
        owned: &[String],
    ) -> Result<SelectionRules> {
        // The environment is read even if the options decide: a value that is not allowed is always reported.
        let from_environment = environment::POLICY.text(of_process)?.map(|name| policy_named(&name)).transpose()?;
        let policy = policy.or(from_environment).unwrap_or_default();
        let reserve = environment::MEMORY_RESERVE.text(of_process)?.map(|text| memory_part(&text)).transpose()?;
        let is_off = environment::LEARNING.switch(of_process)? == Some(false);
        let watts = environment::WATTS.text(of_process)?.map(|text| watts_of(&text)).transpose()?.unwrap_or_default();
        Ok(SelectionRules {
            among,
            learns: !is_off && policy != Policy::Deterministic,
            memory_reserve: reserve.unwrap_or(MEMORY_RESERVE),
            goal: if policy == Policy::LeastEnergy { Goal::Energy } else { Goal::Time },
            watts: with_stated(watts, stated, owned)?,
        })
    }

    /// Gives a selector the stated watts. Returns the devices whose power has to be measured.
    pub(super) fn set_stated_watts(&self, selector: &Selector) -> ArmSet {
        let mut metered = ArmSet::NONE;
        for (arm, name) in selector.names().iter().enumerate() {
            match self.watts.get(name) {
                Some(watts) => selector.set_watts(arm, *watts),
                None if self.goal == Goal::Energy => metered = metered.with(arm),
                None => {}
            }
        }
        metered
    }

    /// An error if devices should be compared by energy, and it cannot be known what the CPU draws: nothing could ever
    /// be compared.
    pub(crate) fn check_energy(&self, registry: &DeviceRegistry) -> Result<()> {
        let cpu = registry.cpu.name();
        if self.goal == Goal::Time || self.watts.contains_key(cpu) || registry.is_cpu_only() {
            return Ok(());
        }
        registry.cpu.device.energy().map(drop).map_err(|error| {
            let why = format!("as it is unknown what `{cpu}` draws: {error}; {REMEDY}");
            Error::unsupported(format!("the least energy cannot be chosen, {why}"))
        })
    }
}

fn policy_named(name: &str) -> Result<Policy> {
    match name.to_ascii_lowercase().as_str() {
        "fastest" => Ok(Policy::Fastest),
        "least-energy" => Ok(Policy::LeastEnergy),
        "deterministic" => Ok(Policy::Deterministic),
        _ => Err(environment::POLICY.error(name).into()),
    }
}

fn memory_part(text: &str) -> Result<f64> {
    let part = text.parse::<f64>().ok().filter(|part| (0.0..=0.95).contains(part));
    Ok(part.ok_or_else(|| environment::MEMORY_RESERVE.error(text))?)
}

/// Parses a text like `cpu=150,cuda:0=400`. Every session of the process reads the same text, so it may name devices
/// that a session does not have.
fn watts_of(text: &str) -> Result<StatedWatts> {
    let mut stated = StatedWatts::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (device, watts) = part.split_once('=').unwrap_or_default();
        let (device, watts) = (device.trim(), watts.trim().parse().ok().filter(are_watts));
        let is_name = !device.is_empty() && !device.contains(|letter: char| letter == '+' || letter.is_whitespace());
        let is_new = watts.is_some_and(|watts| is_name && stated.insert(device.to_string(), watts).is_none());
        if !is_new {
            return Err(environment::WATTS.error_in(text, part, "is not one device with watts above 0").into());
        }
    }
    Ok(stated)
}

/// The watts of the environment, overridden by those of the options.
fn with_stated(mut watts: StatedWatts, stated: &StatedWatts, owned: &[String]) -> Result<StatedWatts> {
    for (device, own) in stated {
        // Which cards there are is found out later.
        if !is_device_name(device) && !owned.contains(device) {
            let why = "devices are named like `cpu`, `cuda:0`";
            return Err(Error::invalid(format!("there is no device `{device}` to state the watts of: {why}")));
        }
        if !are_watts(own) {
            return Err(Error::invalid(format!("`{device}` cannot draw {own} watts: it is a number above 0")));
        }
        watts.insert(device.clone(), *own);
    }
    Ok(watts)
}

fn are_watts(watts: &f64) -> bool {
    *watts > 0.0 && watts.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::session::options::SessionOptions;

    #[test]
    fn environment_policy_and_reserve_are_parsed() {
        assert_eq!(policy_named("fastest").ok(), Some(Policy::Fastest));
        assert_eq!(policy_named("least-energy").ok(), Some(Policy::LeastEnergy));
        assert_eq!(policy_named("deterministic").ok(), Some(Policy::Deterministic));
        assert!(policy_named("quickest").is_err_and(|error| error.message().contains("deterministic")));
        for (text, expected) in
            [("0.5", Some(0.5)), ("0", Some(0.0)), ("1", None), ("-1", None), ("NaN", None), ("x", None)]
        {
            assert_eq!(memory_part(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn environment_watts_are_parsed() {
        let stated = |text: &str| watts_of(text).map(|stated| stated.into_iter().collect::<Vec<_>>());
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
    fn environment_may_name_devices_of_other_sessions_and_options_may_not() {
        let environment = || watts_of("cpu=150,cuda:7=400,tpu=5").expect("it is no error");
        let state = |device: &str, owned: &[String]| {
            with_stated(environment(), &StatedWatts::from([(device.to_string(), 7.0)]), owned)
        };
        assert_eq!(state("cpu", &[]).map(|watts| watts["cpu"]).ok(), Some(7.0), "options come before the environment");
        assert!(state("sim", &["sim".to_string()]).is_ok());
        assert!(state("tpu", &[]).is_err_and(|error| error.message().contains("no device `tpu`")));
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
