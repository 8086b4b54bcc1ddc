//! The outputs of a stage's launches, in order, become its output. Rows are appended; partial states of sorts and groups are
//! merged by [`Kernel::merge`](pointsman_ir::kernel::Kernel::merge)'s program on the device, over the states as they lie;
//! the few nodes of a fold are joined on the host; partitions are appended partition by partition.

use crate::data::memory::InlineVec;
use crate::data::output::{Output, column_bytes};
use crate::error::{Error, Result};
use crate::exec::is_out_of_memory;
use crate::exec::launch::{StageInputs, StageLaunch};
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::relational::launches::{StageRun, out_of_memory};
use crate::exec::relational::{Meters, RelationalRun, host_output};
use crate::exec::single_batch::SingleBatch;
use crate::instrument::phase::Phase;
use crate::programs::program::CompiledStage;
use pointsman_device::Form;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::kernel::{Kernel, MergeRule};
use pointsman_ir::types::{DType, Scalar, Type};

/// States that shrink when they are merged are merged before the end, once they have this many rows and twice as many as
/// the last merge left.
const EARLY_MERGE_ROWS: usize = 1 << 18;

/// The outputs of a stage's launches so far.
pub(super) enum Collector<'c, 'd> {
    /// Rows that follow each other, or nodes.
    Rows(Box<Merger<'c>>),
    /// Partial states of a sort or a group.
    States(Box<StateMerger<'c, 'd>>),
    /// Partitions.
    Partitions { stage: &'c CompiledStage, run: &'c RelationalRun<'d>, batches: Vec<HostBatch> },
}

impl<'c, 'd> Collector<'c, 'd> {
    /// A collector for a stage that reads `rows` rows.
    pub(super) fn new(stage: &'c StageRun<'_, '_, 'd>, rows: usize) -> Result<Collector<'c, 'd>> {
        let (run, compiled) = (stage.run, stage.stage);
        let merge = match compiled.kernel.sink.merge_rule() {
            MergeRule::Append | MergeRule::Carry { .. } => None,
            MergeRule::ByPartition => return Ok(Collector::Partitions { stage: compiled, run, batches: Vec::new() }),
            MergeRule::MergeStates => compiled.kernel.merge(),
        };
        let Some(kernel) = merge else {
            let merger = Merger::new(compiled, rows, run.context.pool, None);
            return merger.map(|merger| Collector::Rows(Box::new(merger))).map_err(|error| {
                match is_out_of_memory(&error) {
                    true => {
                        let bytes =
                            compiled.output.iter().fold(0usize, |sum, &ty| sum.saturating_add(column_bytes(ty, rows)));
                        out_of_memory(&format!("`{}` over {rows} rows", compiled.kernel.sink.name()), bytes, &error)
                    }
                    false => error,
                }
            });
        };
        let types = compiled.kernel.partial().rows;
        let sink = compiled.kernel.sink.name();
        let shrinks = compiled.kernel.sink.partials_shrink();
        let number = stage.number;
        Ok(Collector::States(Box::new(StateMerger {
            run,
            number,
            sink,
            kernel,
            types,
            shrinks,
            merge: None,
            states: Vec::new(),
            merged: 0,
        })))
    }

    /// Takes the output of the next launch.
    pub(super) fn take(&mut self, batch: HostBatch, meters: &mut Meters<'_>) -> Result<()> {
        match self {
            Collector::Rows(merger) => merger.absorb(&batch),
            Collector::States(states) => states.take(batch, meters),
            Collector::Partitions { batches, .. } => {
                batches.push(batch);
                Ok(())
            }
        }
    }

    /// The output of the stage.
    pub(super) fn finish(self, meters: &mut Meters<'_>) -> Result<Output> {
        match self {
            Collector::Rows(merger) => merger.finish(),
            Collector::States(states) => states.finish(meters),
            Collector::Partitions { stage, run, batches } => partitions(stage, run, &batches),
        }
    }
}

/// Merges partial states on the device.
pub(super) struct StateMerger<'c, 'd> {
    run: &'c RelationalRun<'d>,
    number: usize,
    /// The sink whose states they are.
    sink: &'static str,
    /// The kernel that merges them.
    kernel: Kernel,
    /// The types of the states' columns.
    types: Vec<Type>,
    /// Whether a merged state may have fewer rows than its parts.
    shrinks: bool,
    /// The program, once it was needed.
    merge: Option<CompiledStage>,
    /// The states, in the order of their rows.
    states: Vec<HostBatch>,
    /// The rows of the first state, if that was merged.
    merged: usize,
}

impl StateMerger<'_, '_> {
    fn rows(&self) -> usize {
        self.states.iter().map(|state| state.outcome.rows).sum()
    }

    fn take(&mut self, state: HostBatch, meters: &mut Meters<'_>) -> Result<()> {
        self.states.push(state);
        let rows = self.rows();
        if !self.shrinks || self.states.len() < 2 || rows < EARLY_MERGE_ROWS.max(2 * self.merged) {
            return Ok(());
        }
        match self.launch(Form::Partial, meters) {
            Ok(merged) => {
                self.merged = merged.outcome.rows;
                self.states = vec![merged];
                Ok(())
            }
            // The states wait for the end, or until there are twice as many.
            Err(error) if is_out_of_memory(&error) => {
                self.merged = rows;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn finish(mut self, meters: &mut Meters<'_>) -> Result<Output> {
        let rows = self.rows();
        let room = capacity(&self.kernel, Form::Whole, rows).0;
        let types = self.kernel.output();
        let merged = self.launch(Form::Whole, meters).map_err(|error| match is_out_of_memory(&error) {
            true => {
                let bytes = types.iter().fold(0usize, |sum, &ty| sum.saturating_add(column_bytes(ty, room)));
                out_of_memory(&format!("merging {rows} rows of `{}`", self.sink), bytes, &error)
            }
            false => error,
        })?;
        let pool = self.run.context.pool;
        self.states.clear();
        host_output::of_batch(merged, &types, room, pool)
    }

    /// The chunks of a column, one for each state with rows.
    fn chunks(&self, column: usize, ty: Type) -> InlineVec<HostChunk<'_>> {
        let states = self.states.iter().filter(|state| state.outcome.rows > 0);
        states.map(|state| host_output::chunk(ty, &state.columns[column], state.outcome.rows)).collect()
    }

    /// Launches the merge of all states.
    fn launch(&mut self, form: Form, meters: &mut Meters<'_>) -> Result<HostBatch> {
        self.run.context.check_limits()?;
        if self.merge.is_none() {
            let columns = (0..self.types.len() as u32).collect();
            let part = StagePart { input: StageInput::Stage(self.number), columns, skip: 0, fetch: None };
            let kernel = self.kernel.clone();
            let (params, lists, tables, pair_limits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            let stage = Stage { kernel, parts: vec![part], params, lists, tables, pair_limits };
            self.merge = Some(self.run.load(self.number, stage, meters)?);
        }
        let Some(merge) = &self.merge else { return Err(Error::internal("a merge without a program")) };
        let rows = self.rows();
        let columns = self.types.iter().enumerate().map(|(number, &ty)| self.chunks(number, ty)).collect();
        let room = capacity(&merge.kernel, form, rows).0;
        let interpreted = &Vec::new;
        let inputs =
            StageInputs { params: &[], tables: &[], first_match: 0, room, held_bytes: 0, reports: false, interpreted };
        let context = self.run.context;
        let launch = StageLaunch { stage: merge, context, form, rows: 0..rows, relational: Some(&inputs) };
        let batch = SingleBatch { launch, columns }.run(meters.timer, meters.counters)?;
        meters.counters.merges += 1;
        meters.timer.lap(Phase::CopyOut);
        if batch.outcome.consumed < rows {
            return Err(Error::internal("a merge with room for all rows left some"));
        }
        Ok(batch)
    }
}

/// The partitions of all batches, one after the other.
fn partitions(stage: &CompiledStage, run: &RelationalRun<'_>, batches: &[HostBatch]) -> Result<Output> {
    let schema = stage.kernel.partial();
    let rows = batches.iter().map(|batch| batch.outcome.rows).sum();
    let mut output = Output::default();
    output.allocate(&stage.output, rows, None, run.context.pool)?;
    let ends: Vec<Vec<usize>> = batches.iter().map(|batch| ends(batch, schema.rows.len())).collect();
    let (count, mut filled) = (ends.first().map_or(0, Vec::len), 0);
    let mut starts = vec![0; batches.len()];
    for partition in 0..count {
        for ((batch, ends), start) in batches.iter().zip(&ends).zip(&mut starts) {
            let rows = *start..ends.get(partition).copied().unwrap_or(*start);
            *start = rows.end;
            for ((column, &ty), bytes) in output.columns.iter_mut().zip(&schema.rows).zip(&batch.columns) {
                host_output::append(column, filled, &host_output::chunk(ty, bytes, batch.outcome.rows), rows.clone());
            }
            filled += rows.len();
        }
    }
    output.set_rows(filled);
    Ok(output)
}

/// Where each partition of a batch ends.
fn ends(batch: &HostBatch, row_columns: usize) -> Vec<usize> {
    let Some(column) = batch.columns.get(row_columns) else { return Vec::new() };
    let ty = DType::U64.required();
    let chunk = host_output::chunk(ty, column, batch.outcome.nodes);
    debug_assert_eq!(chunk.bools, BoolLayout::Bits);
    let end = |row| match crate::data::output::cell(&[chunk], row, ty) {
        Some(Scalar::U64(end)) => usize::try_from(end).unwrap_or(usize::MAX),
        Some(_) | None => 0,
    };
    (0..batch.outcome.nodes).map(end).collect()
}
