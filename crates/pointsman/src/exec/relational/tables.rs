//! The tables of a stage: columns to gather from, and indexes over built tables. In go the outputs of `Build` stages; out
//! come handles that launches name. An index lives from its build to the last stage that probes it, and is freed whatever
//! way a run ends.

use crate::data::memory::InlineVec;
use crate::data::output::cell;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{Error, ErrorKind, FailureClass, Result};
use crate::exec::context::RunContext;
use crate::exec::relational::{Meters, RelationalRun};
use crate::instrument::phase::Phase;
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::{ColumnInput, Device, DeviceErrorKind, IndexId, IndexInfo, IndexKeys, ProgressObserver};
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{Stage, StageIndex, StageInput, StageTable};
use pointsman_ir::interpret::BuiltTable;
use pointsman_ir::kernel::Sink;
use pointsman_ir::types::{DType, Scalar, Type};
use std::sync::Arc;

/// An index of a device, freed when this is dropped.
pub(super) struct BuiltIndex {
    /// What it is an index of.
    pub(super) key: StageIndex,
    pub(super) info: IndexInfo,
    device: Arc<dyn Device>,
}

impl Drop for BuiltIndex {
    fn drop(&mut self) {
        self.device.free_index(self.info.id);
    }
}

impl RelationalRun<'_> {
    /// Builds the indexes over a stage's output that later stages probe.
    pub(super) fn build_indexes(&mut self, number: usize, meters: &mut Meters<'_>) -> Result<()> {
        let probed = self.stages[number + 1..].iter().flat_map(|stage| &stage.tables).filter_map(|table| table.index);
        for key in probed.filter(|key| key.stage == number) {
            if self.indexes.iter().all(|built| built.key != key) {
                self.context.check_limits()?;
                let built = self.build_index(key, meters)?;
                self.indexes.push(built);
            }
        }
        Ok(())
    }

    fn build_index(&self, key: StageIndex, meters: &mut Meters<'_>) -> Result<BuiltIndex> {
        let stage = &self.stages[key.stage];
        let types = key_types(stage)?;
        let rows = self.output(key.stage)?.rows;
        let columns = (0..types.len() as u32).chain(key.numbers);
        let chunks: Vec<_> =
            columns.map(|column| self.column(StageInput::Stage(key.stage), column)).collect::<Result<_>>()?;
        let (device, stream) = (&stage.program.device, self.context.lease.stream);
        let mut transfer = TransferStream::new(device, stream, self.context.time);
        let mut uploaded: Vec<DeviceColumn> = Vec::new();
        if !device.info().capabilities.host_memory {
            let dtypes = types.iter().copied().chain([DType::U64]);
            for (chunks, dtype) in chunks.iter().zip(dtypes) {
                // What is queued may still use the memory that is freed.
                let column = transfer.upload(chunks, dtype).inspect_err(|_| transfer.drain());
                uploaded.push(column.map_err(|error| no_room(stage, rows, error))?);
            }
            meters.timer.lap(Phase::CopyIn);
        }
        let mut inputs: Vec<ColumnInput<'_>> = match uploaded.is_empty() {
            true => chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect(),
            false => uploaded.iter().map(|column| column.input(false)).collect(),
        };
        let numbers = key.numbers.and_then(|_| inputs.pop());
        let keys = IndexKeys { keys: &inputs, types: &types, numbers, rows };
        let observer = self.context.observer();
        let built =
            device.build_index(stream, &keys, observer.as_ref().map(|observer| observer as &dyn ProgressObserver));
        meters.timer.lap(Phase::Run);
        meters.counters.bytes_moved_in += transfer.bytes_in;
        if built.is_err() {
            transfer.drain();
        }
        if let (Err(error), Some(observer)) = (&built, &observer)
            && error.kind == DeviceErrorKind::Stopped
        {
            // Prefer this error: it says whether a deadline or a cancellation stopped the build.
            observer.check_limits()?;
        }
        let info = built.map_err(|error| no_room(stage, rows, error.into()))?;
        Ok(BuiltIndex { key, info, device: device.clone() })
    }
}

/// The types of the keys of a `Build` stage.
fn key_types(stage: &Stage) -> Result<Vec<DType>> {
    match &stage.kernel.sink {
        Sink::Build { keys, .. } => Ok(keys.iter().map(|&key| stage.kernel.body.ty(key).dtype).collect()),
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => Err(no_build()),
        Sink::Sort { .. } | Sink::Group { .. } | Sink::Partition { .. } => Err(no_build()),
    }
}

fn no_build() -> Error {
    Error::internal("an index over a stage that builds no table")
}

/// The error of an index for which there was no memory; other errors stay as they are.
fn no_room(stage: &CompiledStage, rows: usize, error: Error) -> Error {
    if FailureClass::of(&error) != FailureClass::OutOfMemory {
        return error;
    }
    let name = &stage.device().info().name;
    let cause = error.message().trim_start_matches("out of memory: ");
    let message = format!("out of memory: the index of `build` over {rows} rows on `{name}` ({cause})");
    match error.device_kind() {
        // The device's own kind of failure decides what follows.
        Some(_) => error.with_message(message),
        None => Error::new(ErrorKind::OutOfMemory, message),
    }
}

/// A table of a stage, bound for its launches.
struct BoundTable<'t> {
    table: &'t StageTable,
    types: &'t [Type],
    chunks: Vec<InlineVec<HostChunk<'t>>>,
    /// The columns on a device with memory of its own.
    uploaded: Vec<DeviceColumn>,
    index: Option<IndexId>,
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
    /// The tables of a stage whose inputs exist.
    pub(super) fn of(run: &'t RelationalRun<'_>, stage: &'t Stage) -> Result<BoundTables<'t>> {
        let bind = |(table, side): (&'t StageTable, &'t pointsman_ir::kernel::SideTable)| {
            let chunks = table.columns.iter().map(|&column| run.column(table.rows, column)).collect::<Result<_>>()?;
            let index = table.index.map(|key| {
                let built = run.indexes.iter().find(|built| built.key == key).map(|built| built.info.id);
                built.ok_or_else(|| Error::internal("a stage probes an index that was not built"))
            });
            let (rows, index) = (run.table_rows(table.rows)?, index.transpose()?);
            Ok(BoundTable { table, types: &side.columns, chunks, uploaded: Vec::new(), index, rows })
        };
        let tables = stage.tables.iter().zip(&stage.kernel.tables).map(bind).collect::<Result<_>>()?;
        let held_bytes = run.indexes.iter().map(|built| built.info.bytes).sum();
        Ok(BoundTables { tables, is_uploaded: false, held_bytes })
    }

    /// Copies the columns to a device with memory of its own.
    pub(super) fn upload(
        &mut self,
        stage: &CompiledStage,
        context: &RunContext<'_>,
        meters: &mut Meters<'_>,
    ) -> Result<()> {
        if stage.device().info().capabilities.host_memory {
            self.held_bytes = 0;
            return Ok(());
        }
        self.is_uploaded = true;
        let mut transfer = TransferStream::new(&stage.program.device, context.lease.stream, context.time);
        for table in &mut self.tables {
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

    /// The columns of each table, as launches name them.
    pub(super) fn columns(&self) -> Vec<Vec<ColumnInput<'_>>> {
        self.tables.iter().map(|table| table.columns(self.is_uploaded)).collect()
    }

    /// The index and the number of rows of each table.
    pub(super) fn handles(&self) -> impl Iterator<Item = (Option<IndexId>, usize)> {
        self.tables.iter().map(|table| (table.index, table.rows))
    }

    /// The tables as the interpreter reads them.
    #[cold]
    pub(super) fn interpreted(&self, run: &RelationalRun<'_>) -> Vec<BuiltTable> {
        let table = |bound: &BoundTable<'_>| {
            let columns: Vec<ColumnData> =
                bound.chunks.iter().zip(bound.types).map(|(chunks, &ty)| column_data(chunks, ty)).collect();
            let indexed = bound.table.index.and_then(|key| index_data(run, key).ok());
            match indexed {
                Some((keys, numbers)) => BuiltTable::indexed(&keys, numbers, columns),
                None => BuiltTable::plain(columns),
            }
        };
        self.tables.iter().map(table).collect()
    }
}

/// The keys of an index, and the numbers that it has for its rows.
fn index_data(run: &RelationalRun<'_>, key: StageIndex) -> Result<(Vec<ColumnData>, Vec<u64>)> {
    let column = |(column, ty): (u32, Type)| Ok(column_data(&run.column(StageInput::Stage(key.stage), column)?, ty));
    let types = key_types(&run.stages[key.stage])?;
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
