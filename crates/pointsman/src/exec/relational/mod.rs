//! Runs the stages of a plan with relational nodes on one device: in go the stages, the plan's sources and scalars, out come
//! the rows of the last stage. Outputs of stages stay in the host's memory; nothing spills, and no device shares a stage.
//!
//! | file | does |
//! | --- | --- |
//! | `rows` | the rows that a stage reads: parts of sources and of earlier outputs, in place; its scalars; limits of pairs |
//! | `tables` | indexes over built tables, from build to last probe; columns to gather from |
//! | `launches` | the launches of a stage: whole, in batches, or resumed where the output was full |
//! | `collect` | the outputs of several launches become one: appended, or merged by the kernel that merges them |
//! | `host_output` | the output of one launch as the rows of its stage |
//! | `forecast` | what the stages take of a device's memory |
//! | `locate` | whose row a fault is in |
//! | `sample` | distinct keys and rows of joins, estimated from a sample of rows |
//!
//! A probing stage is compiled for unique keys beforehand. If the keys of a table turn out to repeat, the kernel that may
//! multiply rows is loaded before the stage runs.

mod collect;
mod forecast;
mod host_output;
mod launches;
mod locate;
mod rows;
#[cfg_attr(not(test), expect(dead_code, reason = "nothing asks for samples yet"))]
mod sample;
mod tables;

pub(crate) use forecast::forecast;

use crate::data::output::Output;
use crate::error::{Error, ErrorKind, Result};
use crate::exec::RunResult;
use crate::exec::context::RunContext;
use crate::exec::relational::launches::StageRun;
use crate::exec::relational::rows::{StageRows, bind_row_params, check_pairs};
use crate::exec::relational::tables::{BoundTables, BuiltIndex};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::spans;
use crate::programs::program::CompiledStage;
use crate::programs::{CompileMode, ProgramSource};
use crate::resilience::gate::WaitLimit;
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::{Stage, StageIndex, StageInput, StageParam};
use pointsman_ir::plan::SourceId;
use std::sync::Arc;

/// Whether stages run here: one of them has a sink that sorts, groups or builds, reads other tables or several parts, or
/// takes a scalar from another stage.
pub(crate) fn is_relational(stages: &[Stage]) -> bool {
    let is_plain = |stage: &Stage| {
        let reads_one_table = match stage.whole_input() {
            Some(StageInput::Source(source)) => source == SourceId(0),
            Some(StageInput::Stage(_)) => true,
            None => false,
        };
        let is_given = |param: &StageParam| matches!(param, StageParam::Given(_));
        reads_one_table
            && stage.kernel.sink.streaming().is_some()
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

/// Runs all stages on one device and writes the columns of the last one to the result. Programs that are loaded on the way
/// join `sources`.
pub(crate) fn run(
    stages: &[CompiledStage],
    context: &RunContext<'_>,
    result: RunResult<'_>,
    sources: &mut Option<Arc<[ProgramSource]>>,
) -> Result<()> {
    let RunResult { caller_values, output, timer, counters } = result;
    let rows_in = context.sources.iter().map(|source| source.rows).sum();
    *counters = RunCounters { rows_in, ..RunCounters::default() };
    let mut run = RelationalRun { stages, context, outputs: Vec::new(), indexes: Vec::new() };
    let mut meters = Meters { timer, counters, loads: Vec::new() };
    for number in 0..stages.len() {
        run.stage(number, &mut meters)
            .map_err(|error| locate::in_source_row(error.in_stage(number), stages, context))?;
        let counters = &*meters.counters;
        context.report(|reporter| reporter.end_stage(counters.batches, counters.bytes_moved()));
    }
    let last = run.outputs.pop().flatten().ok_or_else(|| Error::internal("a query without a result"))?;
    *output = match caller_values {
        Some(values) => host_output::written_to(values, last)?,
        None => last,
    };
    meters.counters.rows_out = output.rows;
    meters.counters.pressure = context.reservation.map(|one| one.pressure()).unwrap_or_default();
    meters.record_loads(stages.len(), sources);
    Ok(())
}

/// The measurements of a run.
struct Meters<'m> {
    timer: &'m mut PhaseTimer,
    counters: &'m mut RunCounters,
    /// Programs that were loaded during the run, each with its stage.
    loads: Vec<(usize, ProgramSource)>,
}

impl Meters<'_> {
    /// Adds the programs that were loaded to those that were loaded before the run: a stage shows the one that took longest.
    fn record_loads(&self, stages: usize, sources: &mut Option<Arc<[ProgramSource]>>) {
        if self.loads.is_empty() {
            return;
        }
        let mut all = sources.as_deref().map_or_else(|| vec![ProgramSource::Memory; stages], <[ProgramSource]>::to_vec);
        for &(stage, source) in &self.loads {
            if let Some(slot) = all.get_mut(stage).filter(|slot| slot.took() < source.took()) {
                *slot = source;
            }
        }
        *sources = Some(all.into());
    }
}

/// A run on one device.
struct RelationalRun<'d> {
    stages: &'d [CompiledStage],
    context: &'d RunContext<'d>,
    /// The outputs of the stages so far; `None` once no later stage reads them.
    outputs: Vec<Option<Output>>,
    /// The indexes that later stages probe.
    indexes: Vec<BuiltIndex>,
}

impl RelationalRun<'_> {
    /// Runs a stage, keeps its output, indexes it if later stages probe it, and drops what no later stage reads.
    fn stage(&mut self, number: usize, meters: &mut Meters<'_>) -> Result<()> {
        let (stages, context) = (self.stages, self.context);
        let compiled = &stages[number];
        context.check_limits()?;
        let output = {
            let for_keys = self.for_keys(number, meters)?;
            let rows = StageRows::of(self, &compiled.stage)?;
            context.report(|reporter| reporter.begin_stage(number, rows.count));
            check_pairs(self, &compiled.stage, rows.count)?;
            let params = bind_row_params(self, &compiled.stage)?;
            let stage = for_keys.as_ref().unwrap_or(compiled);
            let _span = spans::stage(stage.device(), &stage.kernel);
            let mut tables = BoundTables::of(self, &stage.stage)?;
            tables.upload(stage, context, meters)?;
            let run = StageRun { run: self, number, stage, rows: &rows, params: &params, tables: &tables };
            run.output(meters)?
        };
        compiled.history.record(self.rows_read(&compiled.stage), output.rows);
        self.outputs.push(Some(output));
        self.build_indexes(number, meters)?;
        self.release(number + 1);
        Ok(())
    }

    /// How many rows a stage reads.
    fn rows_read(&self, stage: &Stage) -> usize {
        StageRows::of(self, stage).map_or(0, |rows| rows.count)
    }

    /// The stage with the kernel for the keys of its tables; `None` if it is compiled for them.
    fn for_keys(&self, number: usize, meters: &mut Meters<'_>) -> Result<Option<CompiledStage>> {
        let compiled = &self.stages[number];
        if compiled.tables.is_empty() {
            return Ok(None);
        }
        let uniqueness = |index: Option<StageIndex>| {
            let built = index.and_then(|index| self.indexes.iter().find(|built| built.key == index));
            built.map_or(KeyUniqueness::Repeated, |built| built.info.unique)
        };
        let kernel = compiled.stage.for_keys(|table| {
            compiled.tables.get(table.index()).map_or(KeyUniqueness::Repeated, |table| uniqueness(table.index))
        });
        if kernel == compiled.kernel {
            return Ok(None);
        }
        self.load(number, Stage { kernel, ..compiled.stage.clone() }, meters).map(Some)
    }

    /// Loads the program of a kernel that only the run can choose.
    fn load(&self, number: usize, stage: Stage, meters: &mut Meters<'_>) -> Result<CompiledStage> {
        let (context, device) = (self.context, &self.stages[0].program.device);
        let limit = WaitLimit { clock: context.time.clock, until: context.time.until, token: context.token };
        let is_limited = limit.until.is_some() || limit.token.is_some();
        let get = |limit| context.programs.get(&stage.kernel, device, CompileMode::Wait, limit);
        let mut loaded = get(is_limited.then_some(&limit))?;
        meters.timer.lap(Phase::Compile);
        if loaded.is_none() {
            context.check_limits()?;
            // No thread was free to compile it while this one waits: this one does.
            loaded = get(None)?;
            meters.timer.lap(Phase::Compile);
        }
        let what = "it was still compiling the query when its time was over";
        let (program, source) = loaded.ok_or_else(|| Error::new(ErrorKind::Busy, what))?;
        meters.loads.push((number, source));
        Ok(CompiledStage::new(stage, program))
    }

    /// The output of an earlier stage.
    fn output(&self, stage: usize) -> Result<&Output> {
        let output = self.outputs.get(stage).and_then(Option::as_ref);
        output.ok_or_else(|| Error::internal("a stage reads the output of one that has not run"))
    }

    /// Drops outputs and indexes that no stage from this one on reads. The output of the last stage stays.
    fn release(&mut self, from: usize) {
        let later = self.stages.get(from..).unwrap_or(&[]);
        if later.is_empty() {
            let last = self.outputs.len().saturating_sub(1);
            self.outputs[..last].fill_with(|| None);
        } else {
            for (number, output) in self.outputs.iter_mut().enumerate() {
                if !later.iter().any(|stage| stage.reads(number)) {
                    *output = None;
                }
            }
        }
        let is_probed = |built: &BuiltIndex| {
            later.iter().any(|stage| stage.tables.iter().any(|table| table.index == Some(built.key)))
        };
        self.indexes.retain(is_probed);
    }
}
