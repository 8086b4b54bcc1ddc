//! Runs a relational launch: segment by segment through the probes, to the sink.

use super::append::AppendSink;
use super::columns::{Batch, PoolColumn};
use super::context::{PartObserver, RunContext};
use super::expand::Expansion;
use super::group::GroupSink;
use super::index::{KeyIndex, KeyIndexes};
use super::partition::{self, Placing};
use super::probe;
use super::program::{PartProgram, RelationalProgram, RelationalSink};
use super::row_set::{HostColumn, Places, RowSet, StepColumns};
use super::sort::SortSink;
use crate::cpu::CpuShared;
use crate::cpu::input::LaunchInputs;
use crate::cpu::launch::{execute as execute_part, outputs as output_writers};
use crate::cpu::memory::StagedRanges;
use crate::cpu::observed::ObservedLaunch;
use crate::cpu::output::ColumnWriters;
use crate::launch::{
    ColumnInput, ColumnOutput, FaultLocation, Form, Launch, Outcome, TableInput, capacity, may_stop_early, output_room,
    room_min,
};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgressObserver};
use pointsman_ir::body::{Inst, KeyUniqueness, ProbeKind};
use pointsman_ir::split::SplitColumn;
use pointsman_ir::types::Type;
use std::ops::Range;
use std::sync::Arc;

/// The number of source rows of a segment: enough for all threads, and little memory.
const SEGMENT_ROWS: usize = 1 << 18;

/// How far a launch got with a row set.
pub(super) enum LaunchProgress {
    /// To its end.
    Continue,
    /// The outputs are full: the first row of the launch that is not consumed, and the number of its consumed matches.
    Full(Stop),
    /// A row of the launch faulted.
    Fault(usize),
}

/// Where a launch stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The row.
    pub(super) row: usize,
    /// The number of its matches that were consumed.
    pub(super) matches: u64,
}

/// What a part yielded, or the row of its row set that faulted.
enum PartResult {
    Rows(Batch),
    Fault(usize),
}

/// A launch under way.
pub(super) struct RelationalRun<'a> {
    pub(super) context: RunContext<'a>,
    pub(super) program: &'a RelationalProgram,
    form: Form,
    first_row: u64,
    pub(super) first_match: u64,
    source: &'a [HostColumn<'a>],
    params: &'a [Option<pointsman_ir::types::Scalar>],
    lists: &'a [ColumnInput<'a>],
    tables: &'a [TableInput<'a>],
    indexes: &'a [Option<Arc<KeyIndex>>],
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
    let tables: Vec<TableInput<'_>> = launch
        .tables
        .iter()
        .map(|table| TableInput { index: None, columns: table.columns, rows: table.rows })
        .collect();
    let run = RelationalRun {
        context: RunContext { shared, observed },
        program,
        form: launch.form,
        first_row: launch.first_row,
        first_match: launch.first_match,
        source: &columns,
        params: launch.params,
        lists: launch.lists,
        tables: &tables,
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
    /// Runs the launch; after a fault again over the rows before it, until none of them faults. A part of the kernel may
    /// fault in a later row than another one would have.
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

    /// A launch whose last program writes the result.
    fn stream(&self, rows: usize, outputs: &mut [ColumnOutput<'_>]) -> DeviceResult<Outcome> {
        let mut set = self.segment(0..rows);
        for number in 0..self.program.steps.len() {
            if let Some(fault) = self.search_in_place(&mut set, number)? {
                return Ok(self.fault_in(fault));
            }
        }
        let last = &self.program.last;
        let chunks = self.chunks(&last.columns, &set, 0..rows)?;
        let columns: Vec<ColumnInput<'_>> = chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
        let mut launch = Launch {
            first_row: self.first_row,
            rows,
            first_match: 0,
            form: self.form,
            columns: &columns,
            params: self.params,
            lists: self.lists,
            tables: self.tables,
            outputs,
        };
        execute_part(self.context.shared, &last.program, &mut launch, self.context.observed)
    }

    /// A launch that collects rows for its sink.
    fn collect(&self, rows: usize, room: usize, outs: &mut ColumnWriters<'_>) -> DeviceResult<Outcome> {
        match &self.program.sink {
            RelationalSink::Streaming => Err(crate::cpu::compile::internal("a streaming sink collects no rows")),
            RelationalSink::Append => {
                let mut sink = AppendSink::new(room, self.first_match);
                let flow = self.segments(rows, |set, range, run| sink.take(run, set, range, outs))?;
                Ok(self.outcome(flow, rows, sink.rows(), 0))
            }
            RelationalSink::Reduce { folds } => {
                let mut sink = GroupSink::new(self, None, folds, None, usize::MAX)?;
                let flow = self.segments(rows, |set, range, run| sink.take(run, set, range))?;
                match flow {
                    LaunchProgress::Continue | LaunchProgress::Full(_) => {
                        sink.reduce(self.first_row, rows, self.form, outs)
                    }
                    LaunchProgress::Fault(row) => Ok(self.fault_in(row)),
                }
            }
            RelationalSink::Group { keys, folds, least } => {
                let mut sink = GroupSink::new(self, Some(keys), folds, *least, room)?;
                let flow = self.segments(rows, |set, range, run| sink.take(run, set, range))?;
                if let LaunchProgress::Fault(row) = flow {
                    return Ok(self.fault_in(row));
                }
                match sink.write(self.form, outs)? {
                    Ok(groups) => Ok(self.outcome(flow, rows, groups, 0)),
                    Err(fold) => Ok(Outcome { fault: Some(FaultLocation::Fold(fold)), ..Outcome::default() }),
                }
            }
            RelationalSink::Sort { keys, limit } => {
                let mut sink = SortSink::new(self.context, keys, *limit);
                let whole = limit.is_none().then_some(rows);
                let flow = self.sized_segments(
                    rows,
                    whole.unwrap_or_else(|| sink.segment_rows(SEGMENT_ROWS)),
                    |set, range, run| {
                        run.rows_of(set, range, |batch| sink.take(batch).map(|()| LaunchProgress::Continue))
                    },
                )?;
                if let LaunchProgress::Fault(row) = flow {
                    return Ok(self.fault_in(row));
                }
                let written = sink.write(outs)?;
                Ok(self.outcome(flow, rows, written, 0))
            }
            RelationalSink::Partition { by, bits, columns } => {
                let bounds = partition::Bounds::read(by, self.program, self.lists, self.context, self.staged)?;
                let placing = Placing { bits: *bits, columns: *columns, with_ends: self.form == Form::Partial };
                let mut result = (0, 0);
                // Ends are written for no rows too.
                let flow = self.one_segment(rows, |set, range, run| {
                    run.rows_of(set, range, |batch| {
                        result = partition::write(run.context, &batch, by, &bounds, placing, outs)?;
                        Ok(LaunchProgress::Continue)
                    })
                })?;
                Ok(self.outcome(flow, rows, result.0, result.1))
            }
        }
    }

    /// Runs the last program over rows of a set, and hands over what it yields.
    pub(super) fn rows_of(
        &self,
        set: &RowSet<'_, '_>,
        range: Range<usize>,
        mut take: impl FnMut(Batch) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        match self.part(&self.program.last, set, range)? {
            PartResult::Rows(batch) => take(batch),
            PartResult::Fault(at) => Ok(LaunchProgress::Fault(set.row(at))),
        }
    }

    fn fault_in(&self, row: usize) -> Outcome {
        Outcome { fault: Some(FaultLocation::Row(self.first_row + row as u64)), ..Outcome::default() }
    }

    fn outcome(&self, flow: LaunchProgress, launched: usize, rows: usize, nodes: usize) -> Outcome {
        match flow {
            LaunchProgress::Fault(row) => self.fault_in(row),
            LaunchProgress::Continue => Outcome { rows, nodes, consumed: launched, ..Outcome::default() },
            LaunchProgress::Full(stop) => {
                Outcome { rows, nodes, consumed: stop.row, next_match: stop.matches, ..Outcome::default() }
            }
        }
    }

    fn segment(&self, rows: Range<usize>) -> RowSet<'a, 'a> {
        let mut steps: Vec<StepColumns> = Vec::new();
        steps.resize_with(self.program.steps.len(), StepColumns::default);
        RowSet { source: self.source, first_row: self.first_row, places: Places::Range(rows), steps }
    }

    fn segments(
        &self,
        rows: usize,
        take: impl FnMut(&RowSet<'_, '_>, Range<usize>, &RelationalRun<'a>) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        self.sized_segments(rows, SEGMENT_ROWS, take)
    }

    /// Brings all rows through the probes to `take`, once even if there are none.
    fn one_segment(
        &self,
        rows: usize,
        mut take: impl FnMut(&RowSet<'_, '_>, Range<usize>, &RelationalRun<'a>) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        self.advance(self.segment(0..rows), 0, &mut |set, run| take(set, 0..set.len(), run))
    }

    /// Brings the rows of each segment through the probes to `take`.
    fn sized_segments(
        &self,
        rows: usize,
        segment_rows: usize,
        mut take: impl FnMut(&RowSet<'_, '_>, Range<usize>, &RelationalRun<'a>) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        let mut skip = MatchSkip { left: self.first_match };
        let mut start = 0;
        while start < rows {
            let end = rows.min(start.saturating_add(segment_rows.max(1)));
            let flow = self.advance(self.segment(start..end), 0, &mut |set, run| {
                let first = skip.first_row_of(set, run.selected_of(set));
                if first == set.len() { Ok(LaunchProgress::Continue) } else { take(set, first..set.len(), run) }
            })?;
            match flow {
                LaunchProgress::Continue => start = end,
                LaunchProgress::Full(_) | LaunchProgress::Fault(_) => return Ok(flow),
            }
        }
        Ok(LaunchProgress::Continue)
    }

    /// Brings a row set through the steps from one on.
    fn advance(
        &self,
        mut set: RowSet<'_, '_>,
        from: usize,
        take: &mut dyn FnMut(&RowSet<'_, '_>, &RelationalRun<'a>) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        for number in from..self.program.steps.len() {
            let step = &self.program.steps[number];
            if !step.kind.multiplies() {
                if let Some(fault) = self.search_in_place(&mut set, number)? {
                    return Ok(LaunchProgress::Fault(fault));
                }
                continue;
            }
            let rows = set.len();
            let batch = match self.part(&step.part, &set, 0..rows)? {
                PartResult::Rows(batch) => batch,
                PartResult::Fault(at) => return Ok(LaunchProgress::Fault(set.row(at))),
            };
            let index = self.index(number)?;
            let found = probe::search(self.context, step, index, &batch)?;
            let mut expansion = Expansion::new(step, index, &batch, &found, set.part_first_row());
            while let Some(pairs) = expansion.next(self.context, self.program, &set, number)? {
                match self.advance(pairs, number + 1, take)? {
                    LaunchProgress::Continue => {}
                    flow @ (LaunchProgress::Full(_) | LaunchProgress::Fault(_)) => return Ok(flow),
                }
            }
            return Ok(LaunchProgress::Continue);
        }
        take(&set, self)
    }

    /// Searches for a step that multiplies no rows; the row of the launch that faulted, if one did.
    fn search_in_place(&self, set: &mut RowSet<'_, '_>, number: usize) -> DeviceResult<Option<usize>> {
        let (step, rows) = (&self.program.steps[number], set.len());
        let batch = match self.part(&step.part, set, 0..rows)? {
            PartResult::Rows(batch) => batch,
            PartResult::Fault(at) => return Ok(Some(set.row(at))),
        };
        let first = set.part_first_row();
        let position = |row: usize| (batch.columns[0].word(row) - first) as usize;
        set.steps[number] = probe::in_place(self.context, step, self.index(number)?, &batch, position, rows)?;
        Ok(None)
    }

    fn index(&self, step: usize) -> DeviceResult<&'a KeyIndex> {
        let table = self.program.steps[step].table;
        self.indexes[table].as_deref().ok_or_else(|| DeviceError::invalid(format!("table {table} has no index")))
    }

    /// Which rows of a set the last program may select; `None` if all.
    fn selected_of<'s>(&self, set: &'s RowSet<'_, '_>) -> Option<&'s PoolColumn> {
        let selected = self.program.last.columns.iter().find_map(|column| match column {
            SplitColumn::Selected(step) => Some(*step),
            SplitColumn::Source(_) | SplitColumn::RowNumber | SplitColumn::Match(_) => None,
        })?;
        set.steps[selected].selected.as_ref()
    }

    /// The number of rows of a range that the last program may select.
    pub(super) fn selected_count(&self, set: &RowSet<'_, '_>, rows: Range<usize>) -> u64 {
        match self.selected_of(set) {
            Some(selected) => rows.map(|at| selected.word(at)).sum(),
            None => rows.len() as u64,
        }
    }

    fn chunks<'s>(
        &self,
        columns: &[SplitColumn],
        set: &'s RowSet<'_, '_>,
        rows: Range<usize>,
    ) -> DeviceResult<Vec<Vec<crate::HostChunk<'s>>>> {
        columns.iter().map(|column| set.chunks(*column, rows.clone())).collect()
    }

    /// Runs a part, which is a `Compact`, over rows of a set.
    fn part(&self, part: &PartProgram, set: &RowSet<'_, '_>, rows: Range<usize>) -> DeviceResult<PartResult> {
        let chunks = self.chunks(&part.columns, set, rows.clone())?;
        let columns: Vec<ColumnInput<'_>> = chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
        let types: &[Type] = &part.program.output;
        let column = |ty: &Type| PoolColumn::new(self.context.pool(), *ty, rows.len());
        let mut results = types.iter().map(column).collect::<DeviceResult<Vec<PoolColumn>>>()?;
        let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(PoolColumn::output).collect();
        let first_row = set.part_first_row() + rows.start as u64;
        let mut launch = Launch {
            first_row,
            rows: rows.len(),
            first_match: 0,
            form: Form::Whole,
            columns: &columns,
            params: self.params,
            lists: self.lists,
            tables: self.tables,
            outputs: &mut outputs,
        };
        let quiet = self.context.observed.map(PartObserver);
        let quiet = quiet.as_ref().map(|observer| ObservedLaunch::new(observer as &dyn ProgressObserver));
        let outcome = execute_part(self.context.shared, &part.program, &mut launch, quiet.as_ref())?;
        drop(outputs);
        match outcome.fault {
            None => Ok(PartResult::Rows(Batch { columns: results, rows: outcome.rows })),
            Some(FaultLocation::Row(row)) => Ok(PartResult::Fault((row - set.part_first_row()) as usize)),
            Some(FaultLocation::Fold(_)) => {
                Err(DeviceError::new(DeviceErrorKind::Internal, "a part without folds faulted in one"))
            }
        }
    }
}

/// Skips the matches of row 0 that an earlier launch consumed.
struct MatchSkip {
    left: u64,
}

impl MatchSkip {
    /// The first row of a set that was not consumed.
    fn first_row_of(&mut self, set: &RowSet<'_, '_>, selected: Option<&PoolColumn>) -> usize {
        let mut at = 0;
        while self.left > 0 && at < set.len() {
            if set.row(at) > 0 {
                self.left = 0;
                break;
            }
            self.left -= u64::from(selected.is_none_or(|selected| selected.word(at) == 1));
            at += 1;
        }
        at
    }
}
