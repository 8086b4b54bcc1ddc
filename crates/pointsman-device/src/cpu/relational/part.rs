//! Runs a part of a kernel over the rows of a set: yields the part's columns, or the row that faulted. The tables that
//! parts read are prepared once per launch.

use super::columns::{Batch, PoolColumn};
use super::context::{PartObserver, RunContext};
use super::pool_memory::Reserved;
use super::program::{PartProgram, RelationalProgram};
use super::progress::{LaunchProgress, TakenRows};
use super::row_set::RowSet;
use super::run::RelationalRun;
use crate::cpu::input::{LaunchInputs, LookupTable, lookup_tables};
use crate::cpu::launch::{PartThreads, Prepared, execute_prepared};
use crate::cpu::memory::StagedRanges;
use crate::cpu::observed::ObservedLaunch;
use crate::launch::{ColumnInput, ColumnOutput, FaultLocation, Form, Launch, Outcome};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgressObserver};
use pointsman_ir::types::Type;
use std::ops::Range;

/// The result of a part, or the row of its row set that faulted.
pub(super) enum PartResult {
    Rows(Batch),
    Fault(usize),
}

/// The tables that the parts of a launch look up.
pub(super) struct PartTables<'a> {
    /// Those of each step's part, then those of the last program.
    parts: Vec<Vec<LookupTable<'a>>>,
    _memory: Reserved,
}

impl<'a> PartTables<'a> {
    /// The tables of a launch.
    pub(super) fn of(
        context: RunContext<'_>,
        program: &RelationalProgram,
        given: LaunchInputs<'a>,
        staged: &'a StagedRanges,
    ) -> DeviceResult<PartTables<'a>> {
        let parts = program.steps.iter().map(|step| &step.part).chain([&program.last]);
        let parts = parts.map(|part| lookup_tables(&part.program, given, staged)).collect::<DeviceResult<Vec<_>>>()?;
        let bytes = parts.iter().flatten().map(LookupTable::copied_bytes).sum();
        Ok(PartTables { parts, _memory: Reserved::new(context.pool(), bytes)? })
    }
}

impl RelationalRun<'_> {
    /// Runs a step's part, or the last program if it is a `Compact`, over rows of a set.
    pub(super) fn part(&self, step: usize, set: &RowSet<'_, '_>, rows: Range<usize>) -> DeviceResult<PartResult> {
        self.compacted(step, set, rows, PartThreads::Any)
    }

    /// Runs the last program, a `Compact`, over rows of a set on this thread alone.
    pub(super) fn last_part_alone(&self, set: &RowSet<'_, '_>) -> DeviceResult<PartResult> {
        self.compacted(self.program.steps.len(), set, 0..set.len(), PartThreads::One)
    }

    /// Runs the last program over rows, and hands over what it yields.
    pub(super) fn rows_of(
        &self,
        rows: &TakenRows<'_, '_, '_>,
        take: impl FnOnce(Batch) -> DeviceResult<LaunchProgress>,
    ) -> DeviceResult<LaunchProgress> {
        let last = self.program.steps.len();
        match self.compacted(last, rows.set, rows.range.clone(), PartThreads::Any)? {
            PartResult::Rows(batch) => take(batch),
            PartResult::Fault(at) => Ok(LaunchProgress::Fault(rows.set.row(at))),
        }
    }

    /// The program of a step's part, or the last program after all steps.
    fn part_program(&self, number: usize) -> &PartProgram {
        self.program.steps.get(number).map_or(&self.program.last, |step| &step.part)
    }

    /// Runs a part, which is a `Compact`, over rows of a set.
    fn compacted(
        &self,
        number: usize,
        set: &RowSet<'_, '_>,
        rows: Range<usize>,
        threads: PartThreads,
    ) -> DeviceResult<PartResult> {
        let types: &[Type] = &self.part_program(number).program.output;
        let column = |ty: &Type| PoolColumn::new(self.context.pool(), *ty, rows.len());
        let mut results = types.iter().map(column).collect::<DeviceResult<Vec<PoolColumn>>>()?;
        let mut outputs: Vec<ColumnOutput<'_>> = results.iter_mut().map(PoolColumn::output).collect();
        let quiet = self.context.observed.map(PartObserver);
        let quiet = quiet.as_ref().map(|observer| ObservedLaunch::new(observer as &dyn ProgressObserver));
        let outcome = self.launch_part((number, threads), set, rows, Form::Whole, &mut outputs, quiet.as_ref())?;
        drop(outputs);
        match outcome.fault {
            None => Ok(PartResult::Rows(Batch { columns: results, rows: outcome.rows })),
            Some(FaultLocation::Row(row)) => Ok(PartResult::Fault((row - set.part_first_row()) as usize)),
            Some(FaultLocation::Fold(_)) => {
                Err(DeviceError::new(DeviceErrorKind::Internal, "a part without folds faulted in one"))
            }
        }
    }

    /// Runs the last program, which has the launch's sink, over rows of a set.
    pub(super) fn launch_last(
        &self,
        set: &RowSet<'_, '_>,
        rows: Range<usize>,
        outputs: &mut [ColumnOutput<'_>],
    ) -> DeviceResult<Outcome> {
        let last = self.program.steps.len();
        self.launch_part((last, PartThreads::Any), set, rows, self.form, outputs, self.context.observed)
    }

    fn launch_part(
        &self,
        (number, threads): (usize, PartThreads),
        set: &RowSet<'_, '_>,
        rows: Range<usize>,
        form: Form,
        outputs: &mut [ColumnOutput<'_>],
        observed: Option<&ObservedLaunch<'_>>,
    ) -> DeviceResult<Outcome> {
        let part = self.part_program(number);
        let chunks = part.columns.iter().map(|column| set.chunks(*column, rows.clone()));
        let chunks = chunks.collect::<DeviceResult<Vec<_>>>()?;
        let columns: Vec<ColumnInput<'_>> = chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
        let mut launch = Launch {
            first_row: set.part_first_row() + rows.start as u64,
            rows: rows.len(),
            first_match: 0,
            form,
            columns: &columns,
            params: self.params,
            lists: &[],
            tables: &[],
            outputs,
        };
        let prepared = Prepared { tables: &self.tables.parts[number], threads };
        execute_prepared(self.context.shared, &part.program, &mut launch, observed, prepared)
    }
}
