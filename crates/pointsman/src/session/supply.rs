//! Programs for the stages of a query, and how long a choice that was made for want of them holds.

use super::Session;
use crate::error::{Error, Result};
use crate::runtime::devices::Station;
use crate::runtime::executor::{Program, Step};
use crate::runtime::programs::{Attempt, Flight, ProgramSource};
use pointsman_device::DeviceError;
use pointsman_ir::fuse::Stage;
use std::sync::Arc;
use std::time::Duration;

/// All stages with their programs, and where each came from.
pub(super) type Steps = (Vec<Step>, Vec<ProgramSource>);

/// What there is of a query's programs without waiting.
pub(super) enum AtHand {
    /// All of them.
    Steps(Steps),
    /// Some are being compiled.
    Compiling(Vec<Arc<Flight>>),
}

/// How long the choice of a device holds.
pub(crate) enum Standing {
    /// For good.
    Final,
    /// While the device that was asked for compiles.
    Compiling(Vec<Arc<Flight>>),
    /// Until the device that was asked for may be tried again, by the session's clock.
    Until(Duration),
}

impl Standing {
    /// Whether it holds for good.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self, Standing::Final)
    }

    /// Whether it still holds.
    pub(super) fn holds(&self, session: &Session) -> bool {
        match self {
            Standing::Final => true,
            Standing::Compiling(flights) => flights.iter().any(|flight| !flight.has_landed()),
            Standing::Until(end) => session.0.clock.now() < *end,
        }
    }
}

impl Session {
    /// Programs for all stages; waits for those that have to be compiled.
    pub(super) fn programs(&self, stages: &[Stage], station: &Station) -> Result<Steps> {
        let (mut steps, mut sources) = (Vec::with_capacity(stages.len()), Vec::with_capacity(stages.len()));
        for stage in stages {
            let got = self.0.programs.get(&stage.kernel, &station.device, self.0.clock.now());
            let (program, source) = got.map_err(|error| self.not_compiled(station, error))?;
            steps.push(step(stage, program));
            sources.push(source);
        }
        Ok((steps, sources))
    }

    /// Programs for all stages if they are loaded or stored. If not, all that are missing are being compiled.
    pub(super) fn programs_at_hand(&self, stages: &[Stage], station: &Station) -> Result<AtHand> {
        let (mut steps, mut sources, mut compiling) = (Vec::new(), Vec::new(), Vec::new());
        for stage in stages {
            let attempt = self.0.programs.attempt(&stage.kernel, &station.device, self.0.clock.now());
            match attempt.map_err(|error| self.not_compiled(station, error))? {
                Attempt::Ready(program, source) => {
                    steps.push(step(stage, program));
                    sources.push(source);
                }
                Attempt::Compiling(flight) => compiling.push(flight),
            }
        }
        Ok(if compiling.is_empty() { AtHand::Steps((steps, sources)) } else { AtHand::Compiling(compiling) })
    }

    /// Tells that a device has no program for a query.
    fn not_compiled(&self, station: &Station, error: DeviceError) -> Error {
        let error = Error::from(error);
        self.0.telemetry.failed(station.name(), &error);
        error
    }

    /// How long a choice holds that was made because this device did not take the stages.
    pub(super) fn standing_without(&self, stages: &[Stage], device: &str) -> Standing {
        let (Ok(station), now) = (self.station(device), self.0.clock.now()) else { return Standing::Final };
        let refused = |stage: &Stage| self.0.programs.refused_until(&stage.kernel, &*station.device, now);
        stages.iter().filter_map(refused).max().map_or(Standing::Final, Standing::Until)
    }
}

fn step(stage: &Stage, program: Arc<Program>) -> Step {
    Step { output: stage.kernel.output(), stage: stage.clone(), program }
}
