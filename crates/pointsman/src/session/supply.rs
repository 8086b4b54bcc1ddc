//! Programs for the stages of a query: waited for, or only if they are at hand.

use super::Session;
use crate::error::{Error, ErrorKind, Result};
use crate::runtime::executor::{Program, Step};
use crate::runtime::programs::{Attempt, ProgramSource};
use crate::runtime::station::Station;
use pointsman_ir::fuse::Stage;
use std::sync::Arc;

/// All stages with their programs, and where each came from.
pub(super) type Steps = (Vec<Step>, Vec<ProgramSource>);

impl Session {
    /// Programs for all stages; waits for those that have to be compiled.
    pub(super) fn programs(&self, stages: &[Stage], station: &Station) -> Result<Steps> {
        let get = |(number, stage): (usize, &Stage)| {
            let got = self.0.programs.get(&stage.kernel, &station.device);
            let (program, source) = got.map_err(|error| Error::from(error).in_stage(number))?;
            Ok((step(stage, program), source))
        };
        stages.iter().enumerate().map(get).collect()
    }

    /// Programs for all stages if they are loaded or stored. If not, all that are missing are being compiled, and the
    /// error says so.
    pub(super) fn programs_at_hand(&self, stages: &[Stage], station: &Station) -> Result<Steps> {
        let (mut steps, mut sources) = (Vec::with_capacity(stages.len()), Vec::with_capacity(stages.len()));
        for (number, stage) in stages.iter().enumerate() {
            let attempt = self.0.programs.attempt(&stage.kernel, &station.device);
            match attempt.map_err(|error| Error::from(error).in_stage(number))? {
                Attempt::Ready(program, source) => {
                    steps.push(step(stage, program));
                    sources.push(source);
                }
                Attempt::Compiling => {}
            }
        }
        if steps.len() < stages.len() {
            let text = "it still compiles the query, in the background: ask again, or wait for it with `require`";
            return Err(Error::new(ErrorKind::Busy, text));
        }
        Ok((steps, sources))
    }
}

fn step(stage: &Stage, program: Arc<Program>) -> Step {
    Step { output: stage.kernel.output(), stage: stage.clone(), program }
}
