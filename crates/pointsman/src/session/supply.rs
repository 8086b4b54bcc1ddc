//! Programs for the stages of a query: waited for, or only if they are at hand.

use super::Session;
use super::attempt::{Attempt, Ran};
use crate::devices::handle::DeviceHandle;
use crate::error::{Error, ErrorKind, Result};
use crate::programs::program::{CompiledStage, Program};
use crate::programs::{BackgroundProgram, ProgramSource};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::gate::WaitLimit;
use pointsman_ir::fuse::Stage;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// All stages with their programs, and where each came from.
pub(super) type Steps = (Vec<CompiledStage>, Vec<ProgramSource>);

impl Session {
    /// The programs of a choice that was not tried before. A device that compiles behind the caller's back is waited for
    /// where the others would take far longer, once: if it is not done in time, they are asked from then on.
    pub(super) fn ready_or_waited_for<'t>(&self, one: &Attempt<'t>) -> Result<Ran<'t>> {
        let (choice, bounds) = (one.choice, self.bounds(one));
        let got = self.ready(choice, one.stages, one.is_last, Some(&bounds));
        if one.is_last || choice.is_late.load(Ordering::Relaxed) || !got.as_ref().is_err_and(is_busy) {
            return got;
        }
        let Some(wait) = one.bid.and_then(|bid| bid.entry.worth_waiting(bid.size, choice)) else { return got };
        let latest = bounds.clock.now().saturating_add(wait);
        let bounds = WaitLimit { until: Some(bounds.until.map_or(latest, |until| until.min(latest))), ..bounds };
        let waited = self.ready(choice, one.stages, true, Some(&bounds));
        choice.is_late.store(waited.as_ref().is_err_and(is_busy), Ordering::Relaxed);
        waited
    }

    /// Programs for all stages; waits for those that have to be compiled. A compilation of one's own is finished, but
    /// none is begun or waited for beyond the bounds.
    pub(super) fn programs(
        &self,
        stages: &[Stage],
        station: &DeviceHandle,
        bounds: Option<&WaitLimit<'_>>,
    ) -> Result<Steps> {
        let (programs, device) = (&self.0.programs, &station.device);
        let get = |stage: &Stage| {
            let got = match bounds {
                None => Some(programs.get(&stage.kernel, device)?),
                Some(bounds) if are_reached(bounds) => None,
                Some(_) => programs.get_within(&stage.kernel, device, bounds)?,
            };
            let (program, source) = got.ok_or_else(|| {
                Error::new(ErrorKind::Busy, "it still compiled the query when the time for that was over")
            })?;
            Ok((step(stage, program), source))
        };
        stages.iter().map(get).collect()
    }

    /// Programs for all stages if they are loaded or stored. If not, all that are missing are being compiled, and the
    /// error says so.
    pub(super) fn programs_at_hand(&self, stages: &[Stage], station: &DeviceHandle) -> Result<Steps> {
        let (mut steps, mut sources) = (Vec::with_capacity(stages.len()), Vec::with_capacity(stages.len()));
        for stage in stages {
            match self.0.programs.attempt(&stage.kernel, &station.device)? {
                BackgroundProgram::Ready(program, source) => {
                    steps.push(step(stage, program));
                    sources.push(source);
                }
                BackgroundProgram::Compiling => {}
            }
        }
        if steps.len() < stages.len() {
            let text = "it still compiles the query, in the background: ask again, or wait for it with `require`";
            return Err(Error::new(ErrorKind::Busy, text));
        }
        Ok((steps, sources))
    }
}

/// Whether there is nothing left to wait for.
fn are_reached(bounds: &WaitLimit<'_>) -> bool {
    bounds.token.is_some_and(CancellationToken::is_cancelled)
        || bounds.until.is_some_and(|until| bounds.clock.now() >= until)
}

fn is_busy(error: &Error) -> bool {
    error.kind() == ErrorKind::Busy
}

fn step(stage: &Stage, program: Arc<Program>) -> CompiledStage {
    CompiledStage { output: stage.kernel.output(), stage: stage.clone(), program }
}
