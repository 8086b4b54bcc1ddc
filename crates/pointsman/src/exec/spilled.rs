//! Runs the stages that the host's memory does not hold at once: in batches of whole leaves, as many as fit, with what a
//! stage gives to the next on the disk. Same bits as `executor.rs`, which comes here when memory is refused.
//!
//! Nothing is begun that cannot end: room for rows that are sure to come is taken first; where it depends on the data how
//! many there are (a filter), they are written to the disk, counted so, and read back into as much memory as they need.

mod stage;
mod stored_output;

use crate::data::output::Output;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::in_place::{CompiledStage, RunContext};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::PhaseTimer;
use crate::telemetry;
use pointsman_ir::fuse::StageInput;
use stage::SpilledStage;
use stored_output::StoredOutput;

/// Runs the steps from number `done.len()` on, behind those that gave `done`; puts the last one's columns into `last`.
/// `into` is the caller's memory for the only column's values. `refused` is the error that says which memory there was
/// not.
#[cold]
pub(crate) fn execute(
    steps: &[CompiledStage],
    (job, done, refused): (&RunContext<'_>, Vec<Output>, &Error),
    mut into: Option<&mut [u8]>,
    watch: &mut PhaseTimer,
    (last, counts): (&mut Output, &mut RunCounters),
) -> Result<()> {
    *last = Output::default();
    counts.batches = done.len();
    let mut given = Vec::with_capacity(steps.len());
    for (number, output) in done.into_iter().enumerate() {
        let is_read = steps[number + 1..].iter().any(|step| step.stage.input == StageInput::Stage(number));
        given.push(if is_read { spilled(&steps[number], output, (job, refused), counts)? } else { StoredOutput::Gone });
    }
    for number in given.len()..steps.len() {
        let (step, is_last) = (&steps[number], number + 1 == steps.len());
        let _span = telemetry::stage_span(step);
        let own = if is_last { into.as_deref_mut() } else { None };
        let mut run = SpilledStage { number, step, job, refused, counts, watch };
        let one = run.stage(&mut given, is_last, own).map_err(|error| error.in_stage(number))?;
        given.push(one);
        for (earlier, one) in given.iter_mut().enumerate().take(number) {
            if !steps[number + 1..].iter().any(|step| step.stage.input == StageInput::Stage(earlier)) {
                *one = StoredOutput::Gone;
            }
        }
    }
    let end = steps.last().zip(given.pop()).ok_or_else(|| Error::internal("a query without a stage"))?;
    *last = end.1.into_output(&end.0.output, job.pool)?;
    counts.rows_out = last.rows;
    Ok(())
}

/// What an earlier stage gave, moved to the disk: its memory is needed.
fn spilled(
    step: &CompiledStage,
    output: Output,
    (job, refused): (&RunContext<'_>, &Error),
    counts: &mut RunCounters,
) -> Result<StoredOutput> {
    let writer = stored_output::writer(&step.output, job).map_err(|error| behind(refused, error))?;
    stored_output::spilled(writer, &output, counts)
}

/// An error that there is no room on the disk either, behind the one that says which memory there was not.
fn behind(refused: &Error, error: Error) -> Error {
    match error.kind() {
        ErrorKind::OutOfMemory => {
            let message = format!("{}; {}", refused.message(), error.message());
            error.with_message(message)
        }
        ErrorKind::InvalidQuery
        | ErrorKind::Unsupported
        | ErrorKind::Arithmetic
        | ErrorKind::Busy
        | ErrorKind::Unavailable
        | ErrorKind::DeviceLost
        | ErrorKind::Mismatch
        | ErrorKind::Timeout
        | ErrorKind::Cancelled
        | ErrorKind::Io
        | ErrorKind::Internal => error,
    }
}
