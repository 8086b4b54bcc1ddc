//! Combines the outputs of a stage's launches, in order. Rows are appended; partial states of sorts and groups are
//! merged on the device by the program of [`Kernel::merge`](pointsman_ir::kernel::Kernel::merge), which reads the
//! states in place; the few nodes of a fold are joined on the host; partitions are appended one by one.

use crate::data::memory::InlineVec;
use crate::data::output::{Output, column_bytes};
use crate::error::{Error, Result};
use crate::exec::is_out_of_memory;
use crate::exec::launch::{StageInputs, StageLaunch};
use crate::exec::merge::{HostBatch, Merger};
use crate::exec::relational::host_output;
use crate::exec::relational::launches::out_of_memory;
use crate::exec::relational::stage_run::{Meters, StageRun};
use crate::exec::single_batch::SingleBatch;
use crate::instrument::phase::Phase;
use pointsman_device::Form;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_ir::kernel::MergeRule;
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::Arc;

/// States that shrink when they are merged are merged before the end, once they have this many rows and twice as many
/// as the last merge left.
const EARLY_MERGE_ROWS: usize = 1 << 18;

/// The outputs of a stage's launches so far.
pub(in crate::exec) enum Collector<'c> {
    /// Rows that follow each other, or nodes.
    Rows(Box<Merger<'c>>),
    /// Partial states of a sort or a group.
    States(PartialStates),
    /// Partitions.
    Partitions(Vec<Arc<HostBatch>>),
}

impl<'c> Collector<'c> {
    /// A collector for the launches of a stage.
    pub(in crate::exec) fn new(run: &'c StageRun<'_>) -> Result<Collector<'c>> {
        let (stage, rows) = (run.stage(), run.rows.count);
        match stage.kernel.sink.merge_rule() {
            MergeRule::ByPartition => return Ok(Collector::Partitions(Vec::new())),
            MergeRule::MergeStates if stage.kernel.merge().is_some() => {
                let types = stage.kernel.partial().rows;
                return Ok(Collector::States(PartialStates { types, states: Vec::new(), merged: 0 }));
            }
            MergeRule::Append | MergeRule::Carry { .. } | MergeRule::MergeStates => {}
        }
        let merger = Merger::new(stage, rows, run.context.pool, None);
        merger.map(|merger| Collector::Rows(Box::new(merger))).map_err(|error| match is_out_of_memory(&error) {
            true => {
                let bytes = stage.output.iter().fold(0usize, |sum, &ty| sum.saturating_add(column_bytes(ty, rows)));
                out_of_memory(&format!("`{}` over {rows} rows", stage.kernel.sink.name()), bytes, &error)
            }
            false => error,
        })
    }

    /// Takes the output of the next launch.
    pub(in crate::exec) fn take(&mut self, batch: Arc<HostBatch>) -> Result<()> {
        match self {
            Collector::Rows(merger) => return merger.absorb(&batch),
            Collector::States(states) => states.states.push(batch),
            Collector::Partitions(batches) => batches.push(batch),
        }
        Ok(())
    }

    /// Merges states that shrink when they are merged, once there are enough of them.
    pub(super) fn merge_early(&mut self, run: &StageRun<'_>, meters: &mut Meters<'_>) -> Result<()> {
        match self {
            Collector::States(states) => states.merge_early(run, meters),
            Collector::Rows(_) | Collector::Partitions(_) => Ok(()),
        }
    }

    /// The output of the stage.
    pub(in crate::exec) fn finish(self, run: &StageRun<'_>, meters: &mut Meters<'_>) -> Result<Output> {
        match self {
            Collector::Rows(merger) => merger.finish(),
            Collector::States(states) => states.finish(run, meters),
            Collector::Partitions(batches) => partitions(run, &batches),
        }
    }
}

/// Partial states, which the device merges.
pub(in crate::exec) struct PartialStates {
    /// The types of the states' columns.
    types: Vec<Type>,
    /// The states, in the order of their rows.
    states: Vec<Arc<HostBatch>>,
    /// The rows of the first state, if that was merged.
    merged: usize,
}

impl PartialStates {
    fn rows(&self) -> usize {
        self.states.iter().map(|state| state.outcome.rows).sum()
    }

    fn merge_early(&mut self, run: &StageRun<'_>, meters: &mut Meters<'_>) -> Result<()> {
        let (rows, shrinks) = (self.rows(), run.stage().kernel.sink.partials_shrink());
        if !shrinks || self.states.len() < 2 || rows < EARLY_MERGE_ROWS.max(2 * self.merged) {
            return Ok(());
        }
        match self.launch(run, Form::Partial, meters) {
            Ok((merged, _)) => {
                self.merged = merged.outcome.rows;
                self.states = vec![Arc::new(merged)];
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

    fn finish(mut self, run: &StageRun<'_>, meters: &mut Meters<'_>) -> Result<Output> {
        let rows = self.rows();
        let (merged, room) = self.launch(run, Form::Whole, meters).map_err(|error| match is_out_of_memory(&error) {
            true => {
                let types = &run.stage().output;
                let bytes = types.iter().fold(0usize, |sum, &ty| sum.saturating_add(column_bytes(ty, rows)));
                out_of_memory(&format!("merging {rows} rows of `{}`", run.stage().kernel.sink.name()), bytes, &error)
            }
            false => error,
        })?;
        self.states.clear();
        host_output::of_batch(merged, &run.stage().output, room, run.context.pool)
    }

    /// The chunks of a column, one for each state with rows.
    fn chunks(&self, column: usize, ty: Type) -> InlineVec<HostChunk<'_>> {
        let states = self.states.iter().filter(|state| state.outcome.rows > 0);
        states.map(|state| host_output::chunk(ty, &state.columns[column], state.outcome.rows)).collect()
    }

    /// Launches the merge of all states. Returns its output and the rows that had room.
    fn launch(&self, run: &StageRun<'_>, form: Form, meters: &mut Meters<'_>) -> Result<(HostBatch, usize)> {
        let context = run.context;
        context.check_limits()?;
        let merge = run.merge(meters)?;
        let Some(merge) = merge.as_deref() else { return Err(Error::internal("a merge without a program")) };
        let rows = self.rows();
        let columns = self.types.iter().enumerate().map(|(number, &ty)| self.chunks(number, ty)).collect();
        let room = capacity(&merge.kernel, form, rows).0;
        let interpreted = &Vec::new;
        let (params, tables, first_match, held_bytes) = (&[][..], &[][..], 0, 0);
        let (reports, timeout) = (false, None);
        let inputs = StageInputs { params, tables, first_match, room, held_bytes, reports, timeout, interpreted };
        let launch = StageLaunch { stage: merge, context, form, rows: 0..rows, relational: Some(&inputs) };
        let batch = SingleBatch { launch, columns }.run(meters.timer, meters.counters)?;
        meters.counters.merges += 1;
        meters.timer.lap(Phase::CopyOut);
        if batch.outcome.consumed < rows {
            return Err(Error::internal("a merge with room for all rows left some"));
        }
        Ok((batch, room))
    }
}

/// The partitions of all batches, one after the other.
fn partitions(run: &StageRun<'_>, batches: &[Arc<HostBatch>]) -> Result<Output> {
    let stage = run.stage();
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
