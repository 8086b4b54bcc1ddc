//! [`StageRun`]: a stage on a device, with everything that it reads: the rows, the scalars, the tables, and the program
//! for the keys of those tables. `launches` runs it.

use crate::error::{Error, ErrorKind, Result};
use crate::exec::context::RunContext;
use crate::exec::relational::bound_tables::BoundTables;
use crate::exec::relational::plan_tables::StageCall;
use crate::exec::relational::rows::{StageRows, bind_row_params, check_pairs};
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::programs::program::CompiledStage;
use crate::programs::{CompileMode, ProgramSource};
use crate::resilience::gate::WaitLimit;
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::fuse::Stage;
use pointsman_ir::types::Scalar;
use std::sync::Arc;

/// The measurements of a run.
pub(in crate::exec) struct Meters<'m> {
    pub(in crate::exec) timer: &'m mut PhaseTimer,
    pub(in crate::exec) counters: &'m mut RunCounters,
    /// Programs that were loaded during the run.
    pub(in crate::exec) loads: Vec<ProgramSource>,
}

impl Meters<'_> {
    /// Adds the programs loaded during the run to `sources`, which keeps the one that took longest.
    pub(super) fn record_loads(&self, sources: &mut Option<Arc<[ProgramSource]>>) {
        let before = sources.as_deref().into_iter().flatten().copied();
        let longest = before.chain(self.loads.iter().copied()).max_by_key(|source| source.took());
        if let (false, Some(longest)) = (self.loads.is_empty(), longest) {
            *sources = Some([longest].into());
        }
    }
}

/// A stage on a device, with everything that it reads.
pub(in crate::exec) struct StageRun<'a> {
    pub(super) call: &'a StageCall<'a>,
    pub(super) context: &'a RunContext<'a>,
    /// The stage as it was compiled beforehand.
    pub(super) compiled: &'a CompiledStage,
    /// The stage compiled for the repeated keys of its tables; `None` if `compiled` already fits.
    for_keys: Option<Arc<CompiledStage>>,
    pub(super) rows: StageRows<'a>,
    pub(super) params: Vec<Option<Scalar>>,
    pub(super) tables: BoundTables<'a>,
}

impl<'a> StageRun<'a> {
    /// Finds what the stage reads, builds the indexes that the device lacks, and loads the program for their keys.
    /// Launches need [`StageRun::upload`] besides.
    pub(in crate::exec) fn prepare(
        call: &'a StageCall<'a>,
        compiled: &'a CompiledStage,
        context: &'a RunContext<'a>,
        meters: &mut Meters<'_>,
    ) -> Result<StageRun<'a>> {
        check_pairs(call)?;
        let rows = StageRows::of(call)?;
        let params = bind_row_params(call)?;
        let tables = BoundTables::bind(call, compiled, context, meters)?;
        let for_keys = for_keys(compiled, &tables.uniqueness(), context, meters)?;
        Ok(StageRun { call, context, compiled, for_keys, rows, params, tables })
    }

    /// Copies the tables to a device with memory of its own.
    pub(in crate::exec) fn upload(&mut self, meters: &mut Meters<'_>) -> Result<()> {
        self.tables.upload(self.compiled, self.context, meters)
    }

    /// The stage with the kernel that runs.
    pub(super) fn stage(&self) -> &CompiledStage {
        self.for_keys.as_deref().unwrap_or(self.compiled)
    }

    /// The program that merges partial results of the stage, and its kernel; `None` if none is needed.
    pub(super) fn merge(&self, meters: &mut Meters<'_>) -> Result<Option<Arc<CompiledStage>>> {
        let stage = self.stage();
        let Some(merge) = stage.merge_stage(self.call.number) else { return Ok(None) };
        stage.variants.merge(|| load(&stage.program.device, merge, self.context, meters)).map(Some)
    }
}

/// The stage compiled for this combination of unique and repeated keys; `None` if `compiled` already fits.
fn for_keys(
    compiled: &CompiledStage,
    keys: &[KeyUniqueness],
    context: &RunContext<'_>,
    meters: &mut Meters<'_>,
) -> Result<Option<Arc<CompiledStage>>> {
    if keys.iter().all(|key| *key == KeyUniqueness::Unique) {
        return Ok(None);
    }
    compiled.variants.for_keys(keys, || {
        let of = |table: usize| keys.get(table).copied().unwrap_or(KeyUniqueness::Repeated);
        let kernel = compiled.stage.for_keys(|table| of(table.index()));
        if kernel == compiled.kernel {
            return Ok(None);
        }
        let stage = Stage { kernel, ..compiled.stage.clone() };
        load(&compiled.program.device, stage, context, meters).map(Some)
    })
}

/// Loads a kernel that is known only during the run.
fn load(
    device: &Arc<dyn pointsman_device::Device>,
    stage: Stage,
    context: &RunContext<'_>,
    meters: &mut Meters<'_>,
) -> Result<CompiledStage> {
    let limit = WaitLimit { clock: context.time.clock, until: context.time.until, token: context.token };
    let is_limited = limit.until.is_some() || limit.token.is_some();
    let get = |limit| context.programs.get(&stage.kernel, device, CompileMode::Wait, limit);
    let mut loaded = get(is_limited.then_some(&limit))?;
    meters.timer.lap(Phase::Compile);
    if loaded.is_none() {
        context.check_limits()?;
        // No background thread was free, so this thread compiles the program.
        loaded = get(None)?;
        meters.timer.lap(Phase::Compile);
    }
    let what = "it was still compiling the query when its time was over";
    let (program, source) = loaded.ok_or_else(|| Error::new(ErrorKind::Busy, what))?;
    meters.loads.push(source);
    Ok(CompiledStage::new(stage, program))
}
