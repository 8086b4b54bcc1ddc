//! Runs a relational launch. Rows pass segment by segment through the probes (`advance`) to the sink.

use super::advance::SEGMENT_ROWS;
use super::append::AppendSink;
use super::columns::Batch;
use super::context::RunContext;
use super::group::{GroupSink, Room};
use super::index::{KeyIndex, KeyIndexes};
use super::part::PartTables;
use super::partition::{PartitionSink, Placing};
use super::program::{RelationalProgram, RelationalSink};
use super::progress::LaunchProgress;
use super::row_set::HostColumn;
use super::sort::SortSink;
use crate::cpu::CpuShared;
use crate::cpu::input::LaunchInputs;
use crate::cpu::launch::outputs as output_writers;
use crate::cpu::memory::StagedRanges;
use crate::cpu::observed::ObservedLaunch;
use crate::cpu::output::ColumnWriters;
use crate::launch::{
    ColumnInput, ColumnOutput, FaultLocation, Form, Launch, Outcome, TableInput, capacity, may_stop_early, output_room,
    room_min,
};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::body::{Inst, KeyUniqueness, ProbeKind};
use pointsman_ir::kernel::LEAF_ROWS;
use std::sync::Arc;

/// A launch in progress.
pub(super) struct RelationalRun<'a> {
    pub(super) context: RunContext<'a>,
    pub(super) program: &'a RelationalProgram,
    pub(super) form: Form,
    pub(super) first_row: u64,
    pub(super) first_match: u64,
    pub(super) source: &'a [HostColumn<'a>],
    pub(super) params: &'a [Option<pointsman_ir::types::Scalar>],
    lists: &'a [ColumnInput<'a>],
    pub(super) tables: PartTables<'a>,
    pub(super) indexes: &'a [Option<Arc<KeyIndex>>],
    staged: &'a StagedRanges,
}

/// Runs a launch.
pub(in crate::cpu) fn execute(
    shared: &CpuShared,
    indexes: &KeyIndexes,
    program: &RelationalProgram,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Outcome> {
    launch.check(&program.kernel)?;
    let indexes = find_indexes(indexes, program, launch)?;
    let given = LaunchInputs::of(launch);
    let staged = shared.buffers.inputs(given)?;
    let columns = launch.columns.iter().zip(&program.kernel.columns).enumerate().map(|(number, (column, ty))| {
        HostColumn::new(column, *ty, launch.rows, &staged)
            .map_err(|error| DeviceError { message: format!("column {number}: {}", error.message), ..error })
    });
    let columns = columns.collect::<DeviceResult<Vec<_>>>()?;
    let context = RunContext { shared, observed };
    let tables = PartTables::of(context, program, given, &staged)?;
    let run = RelationalRun {
        context,
        program,
        form: launch.form,
        first_row: launch.first_row,
        first_match: launch.first_match,
        source: &columns,
        params: launch.params,
        lists: launch.lists,
        tables,
        indexes: &indexes,
        staged: &staged,
    };
    if let RelationalSink::Streaming = program.sink {
        return run.until_no_fault(launch.rows, |rows| run.stream(rows, launch.outputs));
    }
    let (row_types, node_types) = match launch.form {
        Form::Whole => (&program.output[..], &[][..]),
        Form::Partial => (&program.partial.rows[..], &program.partial.nodes[..]),
    };
    let (rows_min, node_room) = room_min(&program.kernel, launch.form, launch.rows);
    let mut room = output_room(&launch.outputs[..row_types.len()], row_types);
    if !may_stop_early(&program.kernel) || room < rows_min {
        room = capacity(&program.kernel, launch.form, launch.rows).0;
    }
    let has_buffers = launch.outputs.iter().any(|output| matches!(output, ColumnOutput::Device { .. }));
    let mut staged_outputs = if has_buffers { Some(shared.buffers.outputs(launch.outputs)?) } else { None };
    let rows = launch.rows;
    let outcome = run.until_no_fault(rows, |rows| {
        let mut outs = ColumnWriters::new();
        output_writers(launch.outputs, staged_outputs.as_mut(), row_types, node_types, room, node_room, &mut outs)?;
        run.collect(rows, room, &mut outs)
    })?;
    if let Some(staged) = &staged_outputs {
        shared.buffers.commit(staged)?;
    }
    run.context.rows_done(outcome.consumed);
    Ok(outcome)
}

/// The index of each table; an error if one does not fit the kernel.
fn find_indexes(
    indexes: &KeyIndexes,
    program: &RelationalProgram,
    launch: &Launch<'_, '_>,
) -> DeviceResult<Vec<Option<Arc<KeyIndex>>>> {
    let known = indexes.read();
    let find = |(number, table): (usize, &TableInput<'_>)| {
        let Some(id) = table.index else { return Ok(None) };
        let index = known.get(&id).ok_or_else(|| DeviceError::invalid(format!("there is no index {}", id.0)))?;
        if index.types() != program.kernel.tables[number].keys {
            return Err(DeviceError::invalid(format!("index {} has other keys than table {number}", id.0)));
        }
        Ok(Some(index.clone()))
    };
    let found = launch.tables.iter().enumerate().map(find).collect::<DeviceResult<Vec<_>>>()?;
    for (_, inst, _) in program.kernel.body.iter() {
        let Inst::Probe { table, kind: ProbeKind::UniqueInner | ProbeKind::UniqueLeft, .. } = inst else { continue };
        if found[table.index()].as_ref().is_some_and(|index| index.unique() == KeyUniqueness::Repeated) {
            return Err(DeviceError::invalid(format!("the kernel probes {table} as unique, but keys repeat")));
        }
    }
    Ok(found)
}

impl<'a> RelationalRun<'a> {
    /// Runs the launch; after a fault again over the rows before it, until none of them faults. A part of the kernel
    /// may fault in a later row than another one would have.
    fn until_no_fault(
        &self,
        rows: usize,
        mut attempt: impl FnMut(usize) -> DeviceResult<Outcome>,
    ) -> DeviceResult<Outcome> {
        let mut outcome = attempt(rows)?;
        let mut found = outcome.fault;
        while let Some(FaultLocation::Row(row)) = outcome.fault {
            found = outcome.fault;
            let before = (row - self.first_row) as usize;
            if before == 0 || self.program.steps.is_empty() {
                break;
            }
            outcome = attempt(before)?;
            // The output is full before the faulty row: a later launch meets that one.
            if outcome.fault.is_none() && outcome.consumed < before {
                return Ok(outcome);
            }
        }
        match found {
            None => Ok(outcome),
            Some(fault) => Ok(Outcome { fault: Some(fault), ..Outcome::default() }),
        }
    }

    /// A launch that collects rows for its sink.
    fn collect(&self, rows: usize, room: usize, outs: &mut ColumnWriters<'_>) -> DeviceResult<Outcome> {
        let context = self.context;
        match &self.program.sink {
            RelationalSink::Streaming => Err(crate::cpu::compile::internal("a streaming sink collects no rows")),
            RelationalSink::Append => {
                let mut sink = AppendSink::new(room, self.first_match);
                // A launch with little room stops soon: it searches no more rows than may fit.
                let segment_rows = room.clamp(LEAF_ROWS, SEGMENT_ROWS).next_multiple_of(LEAF_ROWS);
                let progress = self.segments(rows, segment_rows, &mut |rows| sink.take(self, rows, outs))?;
                Ok(self.outcome(progress, rows, sink.rows(), 0))
            }
            RelationalSink::Reduce { folds } => {
                let mut sink = GroupSink::new(self, None, folds, None, Room { groups: usize::MAX, rows })?;
                match self.segments(rows, SEGMENT_ROWS, &mut |rows| sink.take(self, rows))? {
                    LaunchProgress::Continue | LaunchProgress::Full(_) => {
                        sink.reduce(self.first_row, rows, self.form, outs)
                    }
                    LaunchProgress::Fault(row) => Ok(self.fault_in(row)),
                }
            }
            RelationalSink::Group { keys, folds, least } => {
                let mut sink = GroupSink::new(self, Some(keys), folds, *least, Room { groups: room, rows })?;
                let progress = if sink.is_dense() && self.program.steps.is_empty() {
                    sink.take_all(self, rows)?.map_or(LaunchProgress::Continue, LaunchProgress::Fault)
                } else {
                    self.segments(rows, SEGMENT_ROWS, &mut |rows| sink.take(self, rows))?
                };
                if let LaunchProgress::Fault(row) = progress {
                    return Ok(self.fault_in(row));
                }
                match sink.write(self.form, outs)? {
                    Ok(groups) => Ok(self.outcome(progress, rows, groups, 0)),
                    Err(fold) => Ok(Outcome { fault: Some(FaultLocation::Fold(fold)), ..Outcome::default() }),
                }
            }
            RelationalSink::Sort { keys, limit } => {
                let mut sink = SortSink::new(context, keys, *limit);
                let progress = self.batches(rows, |batch| sink.take(batch))?;
                if let LaunchProgress::Fault(row) = progress {
                    return Ok(self.fault_in(row));
                }
                let written = sink.write(outs)?;
                Ok(self.outcome(progress, rows, written, 0))
            }
            RelationalSink::Partition { by, bits, columns } => {
                let placing = Placing { bits: *bits, columns: *columns, with_ends: self.form == Form::Partial };
                let mut sink = PartitionSink::new(context, self.program, by, self.lists, self.staged, placing)?;
                let progress = self.batches(rows, |batch| sink.take(batch))?;
                if let LaunchProgress::Fault(row) = progress {
                    return Ok(self.fault_in(row));
                }
                let (written, ends) = sink.write(outs)?;
                Ok(self.outcome(progress, rows, written, ends))
            }
        }
    }

    /// Hands over what the last program yields, a segment at a time.
    fn batches(&self, rows: usize, mut take: impl FnMut(Batch) -> DeviceResult<()>) -> DeviceResult<LaunchProgress> {
        self.segments(rows, SEGMENT_ROWS, &mut |rows| {
            self.rows_of(rows, |batch| take(batch).map(|()| LaunchProgress::Continue))
        })
    }

    pub(super) fn fault_in(&self, row: usize) -> Outcome {
        Outcome { fault: Some(FaultLocation::Row(self.first_row + row as u64)), ..Outcome::default() }
    }

    fn outcome(&self, progress: LaunchProgress, launched: usize, rows: usize, nodes: usize) -> Outcome {
        match progress {
            LaunchProgress::Fault(row) => self.fault_in(row),
            LaunchProgress::Continue => Outcome { rows, nodes, consumed: launched, ..Outcome::default() },
            LaunchProgress::Full(stop) => {
                Outcome { rows, nodes, consumed: stop.row, next_match: stop.matches, ..Outcome::default() }
            }
        }
    }
}
