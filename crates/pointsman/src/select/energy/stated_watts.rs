//! The watts of devices that the options or the environment (`POINTSMAN_WATTS`) state, and whether a session can compare
//! devices by energy at all.

use crate::devices::registry::{DeviceRegistry, is_device_name};
use crate::error::{Error, Result};
use crate::select::estimator::Goal;
use crate::select::policy::SelectionRules;
use pointsman_device::environment::{self, of_process};
use std::collections::BTreeMap;

/// Watts by device.
pub(in crate::select) type StatedWatts = BTreeMap<String, f64>;

/// What to do if the power draw of a device is unknown.
pub(super) const REMEDY: &str = "state the watts that it draws at work beyond those that it draws idle: \
     `SessionOptions::watts(\"cpu\", 150.0)`, or POINTSMAN_WATTS=cpu=150,cuda:0=400";

/// Resolves the stated power of devices: the environment's (`POINTSMAN_WATTS`), then the session's options. `owned` are
/// the names of devices that the user brings.
pub(crate) fn resolve_watts(stated: &StatedWatts, owned: &[String], goal: Goal) -> Result<StatedWatts> {
    let (stated, others) = merge(stated, owned, environment::WATTS.text(of_process)?)?;
    if let Some(line) = warning(goal, &others) {
        tracing::warn!(target: "pointsman", "{line}");
    }
    Ok(stated)
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

impl SelectionRules {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::select::Policy;
    use crate::session::options::SessionOptions;

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
        SessionOptions::new().policy(Policy::LeastEnergy).powercap("/nowhere/powercap")
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
