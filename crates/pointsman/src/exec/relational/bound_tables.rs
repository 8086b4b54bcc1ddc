//! [`BoundTables`]: the tables that a stage gathers from and probes, as arguments of its launches: columns in host
//! memory, and indexes of the device. Columns are copied once to a device with memory of its own.

use crate::data::memory::InlineVec;
use crate::data::output::cell;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::Result;
use crate::exec::context::RunContext;
use crate::exec::relational::index::{BuiltIndex, key_types};
use crate::exec::relational::plan_tables::{PlanTables, StageCall};
use crate::exec::relational::stage_run::Meters;
use crate::instrument::phase::Phase;
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::{ColumnInput, IndexId};
use pointsman_ir::body::KeyUniqueness;
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{StageIndex, StageInput};
use pointsman_ir::interpret::BuiltTable;
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::Arc;

/// A table of a stage, bound for its launches.
struct BoundTable<'t> {
    types: &'t [Type],
    chunks: Vec<InlineVec<HostChunk<'t>>>,
    /// The columns on a device with memory of its own.
    uploaded: Vec<DeviceColumn>,
    index: Option<Arc<BuiltIndex>>,
    rows: usize,
}

impl BoundTable<'_> {
    /// The columns as launches name them.
    fn columns(&self, is_uploaded: bool) -> Vec<ColumnInput<'_>> {
        match is_uploaded {
            true => self.uploaded.iter().zip(self.types).map(|(column, ty)| column.input(ty.nullable)).collect(),
            false => self.chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect(),
        }
    }
}

/// The tables of a stage, bound for its launches.
pub(super) struct BoundTables<'t> {
    tables: Vec<BoundTable<'t>>,
    is_uploaded: bool,
    /// Bytes of the device's own memory that tables and indexes take.
    pub(super) held_bytes: u64,
}

impl<'t> BoundTables<'t> {
    /// The tables of a stage on a device, with the indexes that it probes.
    pub(super) fn bind(
        call: &'t StageCall<'_>,
        compiled: &CompiledStage,
        context: &RunContext<'_>,
        meters: &mut Meters<'_>,
    ) -> Result<BoundTables<'t>> {
        let (run, stage) = (call.tables, call.stage());
        let mut tables = Vec::with_capacity(stage.tables.len());
        for (table, side) in stage.tables.iter().zip(&stage.kernel.tables) {
            let chunks = table.columns.iter().map(|&column| run.column(table.rows, column)).collect::<Result<_>>()?;
            let index = table.index.map(|key| run.index(key, &compiled.program.device, context, meters)).transpose()?;
            let rows = run.table_rows(table.rows)?;
            tables.push(BoundTable { types: &side.columns, chunks, uploaded: Vec::new(), index, rows });
        }
        Ok(BoundTables { tables, is_uploaded: false, held_bytes: 0 })
    }

    /// Copies the columns to a device with memory of its own.
    pub(super) fn upload(
        &mut self,
        compiled: &CompiledStage,
        context: &RunContext<'_>,
        meters: &mut Meters<'_>,
    ) -> Result<()> {
        if compiled.device().info().capabilities.host_memory {
            return Ok(());
        }
        self.is_uploaded = true;
        let mut transfer = TransferStream::new(&compiled.program.device, context.lease.stream, context.time);
        for table in &mut self.tables {
            self.held_bytes += table.index.as_ref().map_or(0, |index| index.info.bytes);
            for (chunks, ty) in table.chunks.iter().zip(table.types) {
                let column = transfer.upload(chunks, ty.dtype).inspect_err(|_| transfer.drain())?;
                self.held_bytes += column.held_bytes();
                table.uploaded.push(column);
            }
        }
        meters.counters.bytes_moved_in += transfer.bytes_in;
        meters.timer.lap(Phase::CopyIn);
        Ok(())
    }

    /// Whether the keys of each table are unique. Those of a table without an index may repeat.
    pub(super) fn uniqueness(&self) -> Vec<KeyUniqueness> {
        let of =
            |table: &BoundTable<'_>| table.index.as_ref().map_or(KeyUniqueness::Repeated, |index| index.info.unique);
        self.tables.iter().map(of).collect()
    }

    /// The columns of each table, as launches name them.
    pub(super) fn columns(&self) -> Vec<Vec<ColumnInput<'_>>> {
        self.tables.iter().map(|table| table.columns(self.is_uploaded)).collect()
    }

    /// The index and the number of rows of each table.
    pub(super) fn handles(&self) -> impl Iterator<Item = (Option<IndexId>, usize)> {
        self.tables.iter().map(|table| (table.index.as_ref().map(|index| index.info.id), table.rows))
    }

    /// The tables as the interpreter reads them.
    #[cold]
    pub(super) fn interpreted(&self, run: &PlanTables<'_>) -> Vec<BuiltTable> {
        let table = |bound: &BoundTable<'_>| {
            let columns: Vec<ColumnData> =
                bound.chunks.iter().zip(bound.types).map(|(chunks, &ty)| column_data(chunks, ty)).collect();
            let indexed = bound.index.as_ref().and_then(|index| index_data(run, index.key).ok());
            match indexed {
                Some((keys, numbers)) => BuiltTable::indexed(&keys, numbers, columns),
                None => BuiltTable::plain(columns),
            }
        };
        self.tables.iter().map(table).collect()
    }
}

/// The keys of an index, and the numbers that it has for its rows.
fn index_data(run: &PlanTables<'_>, key: StageIndex) -> Result<(Vec<ColumnData>, Vec<u64>)> {
    let column = |(column, ty): (u32, Type)| Ok(column_data(&run.column(StageInput::Stage(key.stage), column)?, ty));
    let types = key_types(run.stages[key.stage])?;
    let keys = (0..).zip(types.into_iter().map(DType::required)).map(column).collect::<Result<_>>()?;
    let rows = run.output(key.stage)?.rows as u64;
    let numbers = match key.numbers {
        None => (0..rows).collect(),
        Some(number) => column((number, DType::U64.required()))?
            .iter()
            .map(|value| match value {
                Some(Scalar::U64(value)) => value,
                Some(_) | None => 0,
            })
            .collect(),
    };
    Ok((keys, numbers))
}

fn column_data(chunks: &[HostChunk<'_>], ty: Type) -> ColumnData {
    let values = chunks.iter().flat_map(|chunk| (0..chunk.rows).map(|row| cell(std::slice::from_ref(chunk), row, ty)));
    ColumnData::from_scalars(ty, values)
}
