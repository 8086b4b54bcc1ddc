//! Runs one stage of a plan of tables on one device: reads the tables of the plan so far, and returns the rows of the
//! stage. The session chooses a device for each stage when the rows that it reads exist (`session/stages.rs`), so
//! outputs of stages stay in the host's memory, where every device can read them. Nothing spills.
//!
//! | file | does |
//! | --- | --- |
//! | `plan_tables` | the tables of a running plan: sources, outputs of stages, and the indexes over them |
//! | `rows` | the rows that a stage reads: parts of tables, in place; its scalars; limits of pairs |
//! | `index` | an index over a built table, on the device that probes it |
//! | `bound_tables` | the tables that a stage gathers from and probes, as its launches name them |
//! | `stage_run` | a stage on a device, with everything that it reads |
//! | `launches` | its launches: whole, in batches, or resumed where the output was full |
//! | `collect` | the outputs of several launches become one: appended, or merged by the kernel that merges them |
//! | `host_output` | the output of one launch as the rows of its stage |
//! | `forecast` | what the stage takes of a device's memory |
//! | `locate` | whose row a fault is in |
//! | `stage_size` | the rows that a stage reads, and those that it is expected to return |
//! | `sample` | distinct keys and rows of joins, estimated from a sample of rows |
//!
//! A probing stage is compiled for unique keys beforehand. If the keys of a table turn out to repeat, the kernel that
//! may multiply rows is loaded before the stage runs.

mod bound_tables;
pub(super) mod collect;
mod forecast;
mod host_output;
mod index;
pub(super) mod launches;
mod locate;
mod plan_tables;
pub(super) mod rows;
mod sample;
pub(super) mod stage_run;
mod stage_size;

pub(crate) use forecast::forecast;
pub(crate) use plan_tables::{PlanTables, StageCall};
pub(crate) use stage_size::StageTableRows;

use crate::error::Result;
use crate::exec::RunResult;
use crate::exec::context::RunContext;
use crate::exec::relational::stage_run::{Meters, StageRun};
use crate::instrument::counters::RunCounters;
use crate::instrument::spans;
use crate::programs::ProgramSource;
use crate::programs::program::CompiledStage;
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::{Stage, StageInput, StageParam};
use pointsman_ir::plan::SourceId;
use std::sync::Arc;

/// Whether a plan is run stage by stage, here: one of its stages has a sink that sorts, groups or builds, reads other
/// tables or several parts, or takes a scalar from another stage.
pub(crate) fn is_relational(stages: &[Stage]) -> bool {
    let is_plain = |stage: &Stage| {
        let reads_one_table = match stage.whole_input() {
            Some(StageInput::Source(source)) => source == SourceId(0),
            Some(StageInput::Stage(_)) => true,
            None => false,
        };
        let is_given = |param: &StageParam| matches!(param, StageParam::Given(_));
        reads_one_table
            && stage.kernel.sink.needs_no_key()
            && stage.tables.is_empty()
            && stage.params.iter().all(is_given)
    };
    !stages.iter().all(is_plain)
}

/// The same stages with the kernels for unique keys, which most joins need.
pub(crate) fn expect_unique_keys(stages: Vec<Stage>) -> Vec<Stage> {
    let unique = |stage: Stage| match stage.tables.is_empty() {
        true => stage,
        false => Stage { kernel: stage.for_keys(|_| KeyUniqueness::Unique), ..stage },
    };
    stages.into_iter().map(unique).collect()
}

/// Runs a stage, the only one of its programs, on one device and writes its rows to the result. Programs that are
/// loaded on the way join `sources`.
#[inline(never)]
pub(crate) fn run(
    call: &StageCall<'_>,
    compiled: &CompiledStage,
    context: &RunContext<'_>,
    result: RunResult<'_>,
    sources: &mut Option<Arc<[ProgramSource]>>,
) -> Result<()> {
    run_stage(call, compiled, context, result, sources).map_err(|error| error.in_stage(0))
}

fn run_stage(
    call: &StageCall<'_>,
    compiled: &CompiledStage,
    context: &RunContext<'_>,
    result: RunResult<'_>,
    sources: &mut Option<Arc<[ProgramSource]>>,
) -> Result<()> {
    let RunResult { output, timer, counters, .. } = result;
    *counters = RunCounters { rows_in: call.size.rows, ..RunCounters::default() };
    let mut meters = Meters { timer, counters, loads: Vec::new() };
    call.begin(context);
    let _span = spans::stage(compiled.device(), &compiled.kernel);
    let mut stage = StageRun::prepare(call, compiled, context, &mut meters)?;
    stage.upload(&mut meters)?;
    *output = stage.output(&mut meters)?;
    compiled.history.record(call.size.rows, output.rows);
    meters.counters.rows_out = output.rows;
    meters.counters.pressure = context.reservation.map(|one| one.pressure()).unwrap_or_default();
    meters.record_loads(sources);
    call.end(context, meters.counters);
    Ok(())
}
