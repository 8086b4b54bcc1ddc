//! Runs one stage as one or more launches. No row is computed twice, unless a launch found no memory.
//!
//! A stage runs in one launch if its outputs have room for all possible results. If the number of result rows is
//! unknown (groups, joins with repeated keys), or the caller or the memory requires batches, several launches follow
//! each other: each starts at the first row that the previous one did not consume, and the output capacity doubles
//! whenever it was full. A launch that found no memory releases its memory and is tried again with a smaller output
//! capacity or fewer rows, down to one leaf.

use crate::data::output::{Output, column_bytes};
use crate::error::{Error, ErrorKind, Result};
use crate::exec::batches::halved;
use crate::exec::is_out_of_memory;
use crate::exec::launch::{StageInputs, StageLaunch};
use crate::exec::merge::HostBatch;
use crate::exec::relational::collect::Collector;
use crate::exec::relational::host_output;
use crate::exec::relational::stage_run::{Meters, StageRun};
use crate::exec::single_batch::SingleBatch;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::Phase;
use crate::programs::program::GROWTH_MAX;
use pointsman_device::launch::{capacity, may_stop_early};
use pointsman_device::{Form, TableInput};
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, MergeRule};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The output capacity of a first launch, in rows, if the number of result rows is unknown.
const ROOM_ROWS: usize = 1 << 16;
/// The capacity exceeds the expected rows by one part in this many.
const CAPACITY_MARGIN_DIVISOR: usize = 16;

/// One launch of a stage.
struct LaunchPlan {
    rows: Range<usize>,
    /// The number of matches of the first row that earlier launches consumed.
    first_match: u64,
    form: Form,
    /// The capacity of the output, in rows.
    room: usize,
    /// Whether the launch reports progress while it runs.
    reports: bool,
}

impl StageRun<'_> {
    /// Runs the stage.
    pub(super) fn output(&self, meters: &mut Meters<'_>) -> Result<Output> {
        let all = self.rows.count;
        let batch_rows = self.batch_rows();
        let room = capacity(&self.stage().kernel, Form::Whole, all).0;
        if all > batch_rows || (self.first_room(all) < room || self.may_exceed_input()) && all > 0 {
            return self.in_launches(batch_rows, meters);
        }
        let plan = LaunchPlan { rows: 0..all, first_match: 0, form: Form::Whole, room, reports: true };
        match self.launch(&plan, None, meters) {
            Ok(batch) => host_output::of_batch(batch, &self.stage().output, room, self.context.pool),
            Err(error) if is_out_of_memory(&error) && self.may_shrink() => {
                let half = halved(all, LEAF_ROWS);
                let half = half.ok_or_else(|| self.out_of_room(&plan, &error))?;
                self.context.report(|reporter| reporter.restart_stage());
                self.in_launches(half.min(batch_rows), meters)
            }
            Err(error) if is_out_of_memory(&error) => Err(self.out_of_room(&plan, &error)),
            Err(error) => Err(error),
        }
    }

    /// Runs the stage in launches of at most `batch_rows` rows, one after the other.
    fn in_launches(&self, batch_rows: usize, meters: &mut Meters<'_>) -> Result<Output> {
        let mut collector = Collector::new(self)?;
        self.run_rows(0..self.rows.count, batch_rows, None, meters, &mut |batch, meters| {
            let consumed = batch.read;
            collector.take(Arc::new(batch))?;
            collector.merge_early(self, meters)?;
            self.context.report(|reporter| reporter.end_batch(consumed, 0));
            Ok(())
        })?;
        collector.finish(self, meters)
    }

    /// Runs a range of rows in launches of at most `batch_rows` rows, one after the other, and passes each output to
    /// `take`.
    pub(in crate::exec) fn run_rows(
        &self,
        rows: Range<usize>,
        batch_rows: usize,
        timeout: Option<&dyn Fn() -> Duration>,
        meters: &mut Meters<'_>,
        take: &mut dyn FnMut(HostBatch, &mut Meters<'_>) -> Result<()>,
    ) -> Result<()> {
        let form = crate::exec::merge::batch_form(&self.stage().kernel);
        let (mut size, mut room) = (batch_rows, self.first_room(rows.len()));
        let (mut first, mut first_match) = (rows.start, 0u64);
        loop {
            self.context.check_limits()?;
            let end = rows.end.min(first.saturating_add(size));
            let plan = LaunchPlan {
                rows: first..end,
                first_match,
                form,
                room: self.room(form, room, end - first),
                reports: false,
            };
            let batch = match self.launch(&plan, timeout, meters) {
                Ok(batch) => batch,
                Err(error) if is_out_of_memory(&error) => {
                    self.shrink(&plan, &mut size, &mut room, &error)?;
                    continue;
                }
                Err(error) => return Err(error),
            };
            let (consumed, next_match) = (batch.outcome.consumed, batch.outcome.next_match);
            if end > first && consumed == 0 && next_match <= first_match {
                return Err(Error::internal("a launch consumed no row"));
            }
            take(HostBatch { read: consumed, ..batch }, meters)?;
            (first, first_match) = (first + consumed, next_match);
            if first < end {
                meters.counters.resumes += 1;
                room = self.grown_room(room);
            }
            if first == rows.end {
                return Ok(());
            }
        }
    }

    /// Launches some rows.
    fn launch(
        &self,
        plan: &LaunchPlan,
        timeout: Option<&dyn Fn() -> Duration>,
        meters: &mut Meters<'_>,
    ) -> Result<HostBatch> {
        let context = self.context;
        let columns = self.tables.columns();
        let tables = self.tables.handles().zip(&columns);
        let tables: Vec<TableInput<'_>> =
            tables.map(|((index, rows), columns)| TableInput { index, columns, rows }).collect();
        let inputs = StageInputs {
            params: &self.params,
            tables: &tables,
            first_match: plan.first_match,
            room: plan.room,
            held_bytes: self.tables.held_bytes,
            reports: plan.reports,
            timeout,
            interpreted: &|| self.tables.interpreted(self.call.tables),
        };
        let rows = plan.rows.clone();
        let launch = StageLaunch { stage: self.stage(), context, form: plan.form, rows, relational: Some(&inputs) };
        let batch = SingleBatch { launch, columns: self.rows.columns(plan.rows.clone()) };
        let before = *meters.counters;
        let ran = batch.run(meters.timer, meters.counters);
        match &ran {
            Ok(batch) => {
                meters.counters.batches += 1;
                // Only rows that were consumed count as read.
                let read = meters.counters.bytes_read - before.bytes_read;
                let part = read as u128 * batch.outcome.consumed as u128 / plan.rows.len().max(1) as u128;
                meters.counters.bytes_read = before.bytes_read + part as u64;
            }
            Err(_) => {
                let RunCounters { bytes_moved_in, bytes_moved_out, .. } = *meters.counters;
                *meters.counters = RunCounters { bytes_moved_in, bytes_moved_out, ..before };
            }
        }
        meters.timer.lap(Phase::CopyOut);
        ran
    }

    /// The maximum number of rows per launch.
    fn batch_rows(&self) -> usize {
        // No device merges folds over frames.
        if reads_other_rows(&self.stage().kernel) { usize::MAX } else { launch_rows(self.call.batch_rows) }
    }

    /// Shrinks the memory of a batch that waits until other devices have run theirs.
    pub(in crate::exec) fn trimmed(&self, batch: HostBatch) -> HostBatch {
        let stage = self.stage();
        match crate::exec::merge::batch_form(&stage.kernel) {
            Form::Whole => host_output::trimmed_batch(batch, &stage.output, self.context.pool),
            Form::Partial => host_output::trimmed_batch(batch, &stage.kernel.partial().rows, self.context.pool),
        }
    }

    /// Whether the result may have more rows than the stage reads.
    fn may_exceed_input(&self) -> bool {
        may_stop_early(&self.stage().kernel) && self.stage().kernel.body.multiplies_rows()
    }

    /// The output capacity of the first launch over `rows` rows, if the number of result rows is unknown: the caller's
    /// limit, or the larger of [`ROOM_ROWS`] and the number expected from the last run or, if there is none, from a
    /// sample.
    fn first_room(&self, rows: usize) -> usize {
        if !may_stop_early(&self.stage().kernel) {
            return usize::MAX;
        }
        let history = &self.compiled.history;
        let expected = history.expected(rows, self.may_exceed_input()).or_else(|| self.sampled(rows)).unwrap_or(0);
        let expected = expected.saturating_add(expected / CAPACITY_MARGIN_DIVISOR);
        // A guess that is too low costs one more launch, one that is too high costs memory.
        let expected = expected.min(rows.saturating_mul(GROWTH_MAX));
        self.call.output_rows.unwrap_or(ROOM_ROWS.max(expected))
    }

    /// The expected number of result rows for `rows` rows of the stage, if a sample estimates it.
    fn sampled(&self, rows: usize) -> Option<usize> {
        let (output, all) = (self.call.size.output?, self.call.size.rows);
        match self.may_exceed_input() {
            true => usize::try_from(output as u128 * rows as u128 / all.max(1) as u128).ok(),
            false => Some(output.min(rows)),
        }
    }

    /// The output capacity of a launch over `rows` rows, if `room` is wanted.
    fn room(&self, form: Form, room: usize, rows: usize) -> usize {
        let most = capacity(&self.stage().kernel, form, rows).0;
        if !may_stop_early(&self.stage().kernel) {
            most
        } else if self.may_exceed_input() {
            room
        } else {
            room.min(most)
        }
    }

    /// The output capacity after a launch that filled its own.
    fn grown_room(&self, room: usize) -> usize {
        if self.call.output_rows.is_some() { room } else { room.saturating_mul(2) }
    }

    /// Whether smaller launches may take less memory in total. Sorting all rows in parts takes no less.
    fn may_shrink(&self) -> bool {
        let sink = &self.stage().kernel.sink;
        sink.is_cut_by_leaf() && (sink.merge_rule() != MergeRule::MergeStates || sink.partials_shrink())
    }

    /// Makes the next launch smaller after one that found no memory; an error if it cannot be smaller.
    fn shrink(&self, plan: &LaunchPlan, size: &mut usize, room: &mut usize, error: &Error) -> Result<()> {
        let has_room = may_stop_early(&self.stage().kernel) && plan.room > LEAF_ROWS;
        match halved(plan.rows.len(), LEAF_ROWS).filter(|_| self.may_shrink()) {
            _ if has_room => *room = plan.room / 2,
            Some(half) => *size = half,
            None => return Err(self.out_of_room(plan, error)),
        }
        Ok(())
    }

    /// The error of a launch that cannot be smaller.
    fn out_of_room(&self, plan: &LaunchPlan, error: &Error) -> Error {
        let (sink, rows) = (self.stage().kernel.sink.name(), plan.rows.len());
        let bytes = self.stage().output.iter().fold(0usize, |sum, &ty| sum.saturating_add(column_bytes(ty, plan.room)));
        out_of_memory(&format!("`{sink}` over {rows} rows"), bytes, error)
    }
}

/// Whether rows read other rows of their table, so that the stage cannot run in batches.
pub(in crate::exec) fn reads_other_rows(kernel: &Kernel) -> bool {
    !kernel.sink.is_cut_by_leaf() || matches!(kernel.sink.merge_rule(), MergeRule::Carry { preceding } if preceding > 0)
}

/// The maximum number of rows per launch for a wanted batch size: whole leaves.
pub(in crate::exec) fn launch_rows(wanted: Option<usize>) -> usize {
    let leaves = |rows: usize| rows.max(1).checked_next_multiple_of(LEAF_ROWS).unwrap_or(usize::MAX);
    wanted.map_or(usize::MAX, leaves)
}

/// The error of work whose output found no memory.
pub(super) fn out_of_memory(what: &str, bytes: usize, error: &Error) -> Error {
    let cause = error.message().trim_start_matches("out of memory: ");
    let message = format!(
        "out of memory: {what} needs {bytes} bytes for its output, besides what it reads and its own tables ({cause}): \
         raise `SessionOptions::memory_bytes`, or read fewer rows or columns"
    );
    match error.device_kind() {
        Some(_) => error.clone().with_message(message),
        None => Error::new(ErrorKind::OutOfMemory, message),
    }
}
