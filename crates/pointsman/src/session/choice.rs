//! Where a query runs: on the CPU, unless a device is preferred or required. Which device would be fastest is not asked
//! yet.
//!
//! A device takes a query if it runs every stage, and to the bit or within bounds as the query allows. What a required
//! device does not take is an error; what a preferred one does not take runs on the CPU, and the receipt says why.

use super::supply::{AtHand, Standing};
use super::{Session, Wish};
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::devices::{Station, is_device_name};
use crate::runtime::executor::Step;
use crate::runtime::programs::ProgramSource;
use pointsman_device::{DeviceErrorKind, Exactness};
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::float_arithmetic;
use std::sync::Arc;

/// The device a query should run on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// The session's default.
    #[default]
    Any,
    /// There if it is possible.
    Prefer(String),
    /// There or nowhere.
    Require(String),
    /// On the CPU, since a preferred device failed: this is why.
    Instead(String),
}

/// Stages on a device, and why there.
pub(super) struct Placed {
    pub(super) station: Arc<Station>,
    pub(super) why: String,
    pub(super) steps: Vec<Step>,
    /// Where the program of each step came from.
    pub(super) sources: Vec<ProgramSource>,
    pub(super) standing: Standing,
}

impl Session {
    /// Chooses the device for all stages and compiles them for it.
    pub(super) fn place(&self, stages: &[Stage], wish: &Wish) -> Result<Placed> {
        let default = self.0.preferred.as_ref().map_or(Target::Any, |name| Target::Prefer(name.clone()));
        let place = if wish.place == Target::Any { &default } else { &wish.place };
        match place {
            Target::Any => self.on_cpu(stages, "the default: no device was asked for".to_string(), Standing::Final),
            Target::Instead(why) => self.on_cpu(stages, why.clone(), Standing::Final),
            Target::Require(name) => self.on(stages, name, wish.exactness, "required"),
            Target::Prefer(name) => match self.preferably_on(stages, name, wish.exactness) {
                Err(error) if error.kind() != ErrorKind::InvalidQuery => {
                    self.on_cpu(stages, instead(name, &error), self.standing_without(stages, name))
                }
                placed => placed,
            },
        }
    }

    /// A device by its name.
    pub(super) fn station(&self, name: &str) -> Result<&Arc<Station>> {
        self.0.devices.find(name).map_err(|reason| unknown(name, &reason))
    }

    fn on_cpu(&self, stages: &[Stage], why: String, standing: Standing) -> Result<Placed> {
        let station = self.0.devices.cpu.clone();
        for stage in stages {
            station.device.supports(&stage.kernel)?;
        }
        let (steps, sources) = self.programs(stages, &station)?;
        Ok(Placed { station, why, steps, sources, standing })
    }

    /// The stages on a device of this name, or why it does not take them.
    fn on(&self, stages: &[Stage], name: &str, exactness: Option<Exactness>, why: &str) -> Result<Placed> {
        let station = self.taker(stages, name, exactness)?;
        let (steps, sources) = self.programs(stages, &station)?;
        Ok(Placed { station, why: why.to_string(), steps, sources, standing: Standing::Final })
    }

    /// The same for a device that is only preferred: if the session says so, the CPU answers while it compiles.
    fn preferably_on(&self, stages: &[Stage], name: &str, exactness: Option<Exactness>) -> Result<Placed> {
        let why = "preferred";
        if !self.0.compile_in_background {
            return self.on(stages, name, exactness, why);
        }
        let station = self.taker(stages, name, exactness)?;
        match self.programs_at_hand(stages, &station)? {
            AtHand::Steps((steps, sources)) => {
                Ok(Placed { station, why: why.to_string(), steps, sources, standing: Standing::Final })
            }
            AtHand::Compiling(flights) => {
                let why = format!("`{name}` is preferred and compiles it in the background: the CPU answers meanwhile");
                self.on_cpu(stages, why, Standing::Compiling(flights))
            }
        }
    }

    /// The device of this name, which takes all stages.
    fn taker(&self, stages: &[Stage], name: &str, exactness: Option<Exactness>) -> Result<Arc<Station>> {
        let station = self.station(name)?.clone();
        for stage in stages {
            self.takes(&station, stage, exactness)?;
        }
        Ok(station)
    }

    /// Checks that a device takes a stage; the error says what it lacks and what to do.
    fn takes(&self, station: &Station, stage: &Stage, exactness: Option<Exactness>) -> Result<()> {
        let (name, sink) = (station.name(), stage.kernel.sink.name());
        station.device.supports(&stage.kernel).map_err(|error| match error.kind {
            DeviceErrorKind::Unsupported => Error::unsupported(format!(
                "`{name}` cannot run the query's {sink} stage: {error}; run it on the CPU, or write it without that"
            )),
            DeviceErrorKind::Compile
            | DeviceErrorKind::OutOfMemory
            | DeviceErrorKind::Transient
            | DeviceErrorKind::Lost
            | DeviceErrorKind::Timeout
            | DeviceErrorKind::InvalidArgument
            | DeviceErrorKind::Internal => Error::from(error),
        })?;
        let is_bounded = station.device.info().capabilities.exactness == Exactness::Bounded;
        if !is_bounded || exactness.unwrap_or(self.0.exactness) == Exactness::Bounded {
            return Ok(());
        }
        match float_arithmetic(&stage.kernel) {
            None => Ok(()),
            Some(what) => Err(Error::unsupported(format!(
                "`{name}` computes floats within bounds, not to the bit, and the query has {what}: \
                 allow it with `exactness(Exactness::Bounded)` on the query or the session"
            ))),
        }
    }
}

/// Why the CPU runs what a device was preferred for.
pub(crate) fn instead(name: &str, error: &Error) -> String {
    format!("`{name}` is preferred, but {}", error.message())
}

/// A device that is not here.
fn unknown(name: &str, reason: &str) -> Error {
    if is_device_name(name) {
        let text = format!("there is no device `{name}` here: {reason}; `Session::devices` lists those that are");
        return Error::unsupported(text);
    }
    let text = format!("there is no device `{name}`: devices are named like `cpu`, `cuda:0`, `vulkan:0`");
    Error::invalid(format!("{text}; `Session::devices` lists those of this machine"))
}
