//! [`PlanTables`]: the tables of a running plan: its sources, and the output of each finished stage. Every stage reads
//! its inputs here, whichever device runs it. Outputs and indexes that no later stage reads are dropped at once; the
//! others when the run ends, in any way.

use crate::data::input::SourceTable;
use crate::data::memory::InlineVec;
use crate::data::output::Output;
use crate::error::{Error, Result};
use crate::exec::context::QueryContext;
use crate::exec::relational::index::BuiltIndex;
use crate::exec::relational::locate;
use crate::exec::relational::stage_size::StageSize;
use crate::instrument::counters::RunCounters;
use crate::instrument::progress::Reporter;
use crate::sync::Mutex;
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::{Scalar, Type};
use std::sync::Arc;

/// The tables of a running plan.
pub(crate) struct PlanTables<'q> {
    pub(super) stages: Vec<&'q Stage>,
    pub(super) sources: &'q [SourceTable<'q>],
    /// The scalars that the caller gave.
    pub(super) params: &'q [Option<Scalar>],
    /// The outputs of the stages so far; `None` once no later stage reads them.
    outputs: Vec<Option<Output>>,
    /// The indexes of all devices that later stages probe.
    pub(super) indexes: Mutex<Vec<Arc<BuiltIndex>>>,
}

/// A stage of a running plan, to run on the device that is chosen for it.
pub(crate) struct StageCall<'q> {
    pub(crate) tables: &'q PlanTables<'q>,
    pub(crate) number: usize,
    pub(crate) size: StageSize,
    /// The maximum number of rows of a batch.
    pub(crate) batch_rows: Option<usize>,
    /// The rows of output that a launch gets room for, where their number is not known.
    pub(crate) output_rows: Option<usize>,
    pub(crate) reporter: Option<&'q Reporter<'q>>,
    /// The batches of the stages before, and the bytes that they moved.
    pub(crate) batches_before: usize,
    pub(crate) bytes_moved_before: u64,
}

impl<'q> StageCall<'q> {
    /// The stage.
    pub(super) fn stage(&self) -> &'q Stage {
        self.tables.stages[self.number]
    }

    /// Reports that the stage begins.
    pub(crate) fn begin(&self, context: &QueryContext<'_>) {
        if let Some(reporter) = context.reporter {
            reporter.set_totals(self.batches_before, self.bytes_moved_before);
            reporter.begin_stage(self.number, self.size.rows);
        }
    }

    /// Reports that the stage has ended.
    pub(crate) fn end(&self, context: &QueryContext<'_>, counters: &RunCounters) {
        let batches = self.batches_before + counters.batches();
        let bytes_moved = self.bytes_moved_before + counters.bytes_moved();
        context.reporter.iter().for_each(|reporter| reporter.end_stage(batches, bytes_moved));
    }
}

impl<'q> PlanTables<'q> {
    /// The tables before the first stage.
    pub(crate) fn new(
        stages: Vec<&'q Stage>,
        sources: &'q [SourceTable<'q>],
        params: &'q [Option<Scalar>],
    ) -> PlanTables<'q> {
        PlanTables { stages, sources, params, outputs: Vec::new(), indexes: Mutex::default() }
    }

    /// The chunks of every float column that a stage reads or gathers and that exists now. A column that several stages
    /// read occurs several times.
    pub(crate) fn float_columns(&self) -> impl Iterator<Item = (HostChunk<'_>, Type)> {
        let of_stages = self.stages.iter().flat_map(|stage| {
            let columns = stage.parts.iter().flat_map(|part| {
                part.columns.iter().zip(&stage.kernel.columns).map(move |column| (part.input, column))
            });
            let read = columns.filter(|(_, (_, ty))| ty.dtype.is_float());
            read.flat_map(|(input, (&column, &ty))| {
                let chunks = self.column(input, column).unwrap_or_default();
                chunks.into_iter().map(move |chunk| (chunk, ty)).collect::<Vec<_>>()
            })
        });
        let gathered = self.stages.iter().flat_map(|stage| stage.tables.iter().zip(&stage.kernel.tables));
        let of_tables = gathered.flat_map(|(table, side)| {
            let columns = table.columns.iter().zip(&side.columns).filter(|(_, ty)| ty.dtype.is_float());
            columns.flat_map(|(&column, &ty)| {
                let chunks = self.column(table.rows, column).unwrap_or_default();
                chunks.into_iter().map(move |chunk| (chunk, ty)).collect::<Vec<_>>()
            })
        });
        of_stages.chain(of_tables)
    }

    /// The next stage.
    pub(super) fn next_stage(&self) -> Result<&'q Stage> {
        self.stages.get(self.outputs.len()).copied().ok_or_else(|| Error::internal("a plan without a next stage"))
    }

    /// Takes the output of the next stage, and drops what no later stage reads.
    pub(crate) fn end_stage(&mut self, output: Output) {
        self.outputs.push(Some(output));
        let ended = self.outputs.len();
        let later = &self.stages[ended..];
        for (number, output) in self.outputs.iter_mut().enumerate() {
            let is_result = later.is_empty() && number + 1 == ended;
            if !is_result && !later.iter().any(|stage| stage.reads(number)) {
                *output = None;
            }
        }
        // A stage reserves memory of its device only while it runs, so everything that it built there is freed with the
        // reservation.
        let is_probed = |built: &Arc<BuiltIndex>| {
            built.is_in_host_memory()
                && later.iter().any(|stage| stage.tables.iter().any(|table| table.index == Some(built.key)))
        };
        self.indexes.get_mut().retain(is_probed);
    }

    /// The rows of the last stage.
    pub(crate) fn into_result(mut self) -> Result<Output> {
        self.outputs.pop().flatten().ok_or_else(|| Error::internal("a query without a result"))
    }

    /// The error of the next stage, with the row of a source if that is known.
    #[cold]
    pub(crate) fn locate(&self, error: Error) -> Error {
        locate::in_source_row(error.in_stage(self.outputs.len()), self)
    }

    /// The number of rows of a table.
    pub(super) fn table_rows(&self, table: StageInput) -> Result<usize> {
        match table {
            StageInput::Source(source) => {
                let source = self.sources.get(source.0 as usize);
                Ok(source.ok_or_else(|| Error::internal("a stage reads a source that was not given"))?.rows)
            }
            StageInput::Stage(stage) => Ok(self.output(stage)?.rows),
        }
    }

    /// The chunks of a table's column.
    pub(super) fn column(&self, table: StageInput, column: u32) -> Result<InlineVec<HostChunk<'_>>> {
        let index = column as usize;
        let pieces = match table {
            StageInput::Source(source) => {
                let source = self.sources.get(source.0 as usize);
                source.and_then(|source| source.columns.get(index)).map(|input| input.pieces())
            }
            StageInput::Stage(stage) => {
                self.output(stage)?.columns.get(index).map(|column| std::iter::once(column.chunk()).collect())
            }
        };
        pieces.ok_or_else(|| Error::internal("a stage reads a column that its table does not have"))
    }

    /// The output of an earlier stage.
    pub(super) fn output(&self, stage: usize) -> Result<&Output> {
        let output = self.outputs.get(stage).and_then(Option::as_ref);
        output.ok_or_else(|| Error::internal("a stage reads the output of one that has not run"))
    }
}
