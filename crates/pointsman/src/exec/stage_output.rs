//! [`StageOutput`]: the output rows of a stage, and their location: in host memory, in device memory, in both, on disk,
//! or dropped.

use crate::data::chunks::slice;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::{Output, ResultColumn};
use crate::devices::download::EarlyDownload;
use crate::devices::residency::ResidencyManager;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{Error, Result};
use crate::exec::context::RunContext;
use crate::exec::spill::{BlockLayout, SpillWriter, SpilledBlock, SpilledTable};
use crate::instrument::counters::RunCounters;
use pointsman_device::host::HostChunk;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Type};
use std::ops::Range;

/// A block of a spilled table takes at most this part of the memory that is left.
const BLOCK_PART: usize = 16;
/// Smaller columns of results are uploaded again as fast as they are found, in bytes.
const OFFERED_BYTES_MIN: u64 = 4 << 10;
/// A column of a result that stays on a device takes at most so many times the memory of its rows: a filter's output
/// has room for all rows that it read.
const OFFERED_MEMORY_MAX: u64 = 2;

/// The rows that a stage gave.
pub(super) struct StageOutput<'d> {
    pub(super) rows: usize,
    host: HostRows<'d>,
    /// The columns in the device's memory, by number.
    device: Vec<Option<DeviceColumn>>,
    /// A download of the first rows that was queued after the launch.
    early: Option<EarlyDownload<'d>>,
}

/// Where the host has the rows.
enum HostRows<'d> {
    None,
    Memory(Box<Output>),
    /// In memory that the devices sharing a query read together.
    Borrowed(&'d Output),
    Disk(Box<SpilledTable>),
}

impl<'d> StageOutput<'d> {
    fn on_host(rows: usize, host: HostRows<'d>) -> StageOutput<'d> {
        StageOutput { rows, host, device: Vec::new(), early: None }
    }

    /// Rows in the host's memory.
    pub(super) fn in_memory(output: Box<Output>) -> StageOutput<'d> {
        StageOutput::on_host(output.rows, HostRows::Memory(output))
    }

    /// Rows in host memory that belongs to another owner.
    pub(super) fn borrowed(output: &'d Output) -> StageOutput<'d> {
        StageOutput::on_host(output.rows, HostRows::Borrowed(output))
    }

    /// Rows in the device's memory, and a download of the first of them, if one is queued.
    pub(super) fn on_device(
        columns: Vec<DeviceColumn>,
        rows: usize,
        early: Option<EarlyDownload<'d>>,
    ) -> StageOutput<'d> {
        StageOutput { rows, host: HostRows::None, device: columns.into_iter().map(Some).collect(), early }
    }

    /// The rows of a column, if they are in host memory.
    pub(super) fn chunk(&self, column: u32) -> Option<HostChunk<'_>> {
        Some(self.output()?.columns[column as usize].chunk())
    }

    fn output(&self) -> Option<&Output> {
        match &self.host {
            HostRows::Memory(output) => Some(output),
            HostRows::Borrowed(output) => Some(output),
            HostRows::None | HostRows::Disk(_) => None,
        }
    }

    /// A column, if it is in the device's memory.
    pub(super) fn device_column(&self, column: u32) -> Option<&DeviceColumn> {
        self.device.get(column as usize)?.as_ref()
    }

    /// Some rows of all columns, which are in the device's memory.
    fn device_columns(&self, rows: Range<usize>) -> Vec<DeviceColumn> {
        self.device.iter().flatten().map(|column| column.slice(rows.clone())).collect()
    }

    /// Bytes of the device's memory that the rows take.
    pub(super) fn device_bytes(&self) -> u64 {
        self.device.iter().flatten().map(DeviceColumn::held_bytes).sum()
    }

    /// Copies a column from the host's memory to the device's; the host keeps its own.
    pub(super) fn upload(&mut self, column: u32, dtype: DType, transfer: &mut TransferStream<'_>) -> Result<()> {
        let uploaded = match self.chunk(column) {
            Some(chunk) => transfer.upload(&[chunk], dtype)?,
            None => return Err(Error::internal("a column to upload is not in memory")),
        };
        let column = column as usize;
        if self.device.len() <= column {
            self.device.resize_with(column + 1, || None);
        }
        self.device[column] = Some(uploaded);
        Ok(())
    }

    /// Copies the rows to the host's memory, unless they are there; the device keeps its own. `caller_values` is the
    /// caller's memory for the values of the only column.
    pub(super) fn download(
        &mut self,
        transfer: &mut TransferStream<'_>,
        pool: &Pool,
        caller_values: Option<&mut [u8]>,
    ) -> Result<()> {
        if !matches!(self.host, HostRows::None) {
            return Ok(());
        }
        let columns = self.device_columns(0..self.rows);
        let columns = match self.early.take().filter(|early| self.rows <= early.rows) {
            Some(early) => early.finish(transfer, &columns, pool, caller_values)?,
            None => transfer.download(&columns, pool, caller_values)?,
        };
        self.host = HostRows::Memory(Box::new(Output { columns: columns.into(), rows: self.rows }));
        Ok(())
    }

    /// Leaves the columns of a downloaded result in the device's memory for the queries that read it next. The host keeps
    /// its own rows, so a lost device loses nothing.
    pub(super) fn offer_columns(&mut self, residency: &ResidencyManager) {
        let HostRows::Memory(output) = &mut self.host else { return };
        for (result, column) in output.columns.iter_mut().zip(self.device.drain(..)) {
            let worth_keeping = column.filter(|column| {
                let bytes = column.bytes();
                bytes >= OFFERED_BYTES_MIN && column.held_bytes() <= bytes * OFFERED_MEMORY_MAX
            });
            result.identity = worth_keeping.and_then(|column| residency.offer_result(column));
        }
    }

    /// Frees the device's memory.
    pub(super) fn free_device_memory(&mut self) {
        self.device.clear();
    }

    /// Drops the rows: no later stage reads them.
    pub(super) fn drop_rows(&mut self) {
        *self = StageOutput::on_host(0, HostRows::None);
    }

    /// Moves the rows to the disk, those in the device's memory a block at a time.
    pub(super) fn spill(
        &mut self,
        mut writer: SpillWriter,
        transfer: Option<&mut TransferStream<'_>>,
        context: &RunContext<'_>,
        counters: &mut RunCounters,
    ) -> Result<()> {
        match (self.output(), transfer) {
            (Some(output), _) => append(&mut writer, output)?,
            (None, Some(transfer)) => {
                for first in (0..self.rows).step_by(writer.layout.block_rows) {
                    context.check_limits()?;
                    let rows = first..self.rows.min(first + writer.layout.block_rows);
                    let columns = transfer.download(&self.device_columns(rows.clone()), context.pool, None)?;
                    append(&mut writer, &Output { columns: columns.into(), rows: rows.len() })?;
                }
            }
            (None, None) => return Err(Error::internal("a stage's rows are nowhere")),
        }
        *self = spilled(writer, counters)?;
        Ok(())
    }

    /// Batches of the rows are multiples of this many.
    pub(super) fn unit(&self) -> usize {
        match &self.host {
            HostRows::Disk(table) => table.layout.block_rows,
            HostRows::None | HostRows::Memory(_) | HostRows::Borrowed(_) => LEAF_ROWS,
        }
    }

    /// The memory that [loading](StageOutput::load) `rows` rows takes.
    pub(super) fn load_bytes(&self, rows: usize) -> usize {
        match &self.host {
            // Rows that are no whole blocks may begin and end within one.
            HostRows::Disk(table) => {
                let blocks =
                    rows.div_ceil(table.layout.block_rows) + usize::from(!rows.is_multiple_of(table.layout.block_rows));
                blocks.saturating_mul(table.layout.bytes())
            }
            HostRows::None | HostRows::Memory(_) | HostRows::Borrowed(_) => 0,
        }
    }

    /// Brings some rows into memory, those on the disk with the rest of their blocks.
    pub(super) fn load(&mut self, rows: Range<usize>, pool: &Pool) -> Result<LoadedRows<'_>> {
        match &mut self.host {
            HostRows::Memory(output) => Ok(LoadedRows::Part(output, rows)),
            HostRows::Borrowed(output) => Ok(LoadedRows::Part(output, rows)),
            HostRows::Disk(table) => {
                let unit = table.layout.block_rows;
                let blocks = (rows.start / unit..rows.end.div_ceil(unit)).map(|number| table.read(number, pool));
                let first = rows.start % unit;
                Ok(LoadedRows::Blocks(blocks.collect::<Result<_>>()?, first..first + rows.len()))
            }
            HostRows::None => Err(Error::internal("a stage's rows are nowhere")),
        }
    }

    /// All rows in the host's memory: those on the disk in exactly as much as they need.
    pub(super) fn into_output(self, types: &[Type], pool: &Pool) -> Result<Output> {
        let mut table = match self.host {
            HostRows::Memory(output) => return Ok(*output),
            HostRows::Disk(table) => table,
            HostRows::None | HostRows::Borrowed(_) => return Err(Error::internal("a result's rows are nowhere")),
        };
        let mut output = Output::default();
        output.allocate(types, table.rows, None, pool)?;
        for number in 0..table.blocks() {
            let block = table.read(number, pool)?;
            let columns = output.columns.iter_mut().enumerate();
            columns.for_each(|(column, target)| target.put(output.rows, block.chunk(column)));
            output.rows += block.rows;
        }
        Ok(output)
    }
}

/// A table of columns of these types on the disk, with blocks that leave memory for the rest of the query.
pub(super) fn spill_writer(types: &[Type], context: &RunContext<'_>) -> Result<SpillWriter> {
    SpillWriter::new(context.spill, BlockLayout::new(types, context.pool.left() / BLOCK_PART), context.pool)
}

/// Appends rows to a table on the disk.
pub(super) fn append(writer: &mut SpillWriter, output: &Output) -> Result<()> {
    let chunks: InlineVec<HostChunk<'_>> = output.columns.iter().map(ResultColumn::chunk).collect();
    writer.append(&chunks, output.rows)
}

/// The rows that were written to the disk.
pub(super) fn spilled<'d>(writer: SpillWriter, counters: &mut RunCounters) -> Result<StageOutput<'d>> {
    let table = writer.finish()?;
    counters.bytes_spilled += table.bytes();
    Ok(StageOutput::on_host(table.rows, HostRows::Disk(Box::new(table))))
}

/// Some rows of a stage's output, in memory.
pub(super) enum LoadedRows<'g> {
    Part(&'g Output, Range<usize>),
    /// Rows of consecutive blocks, counted from the first row of the first one.
    Blocks(Vec<SpilledBlock>, Range<usize>),
}

impl LoadedRows<'_> {
    /// The chunks of a column.
    pub(super) fn chunks(&self, column: u32, dtype: DType) -> InlineVec<HostChunk<'_>> {
        let column = column as usize;
        match self {
            LoadedRows::Part(output, rows) => slice(&[output.columns[column].chunk()], dtype, rows.clone()),
            LoadedRows::Blocks(blocks, rows) => {
                let chunks: InlineVec<HostChunk<'_>> = blocks.iter().map(|block| block.chunk(column)).collect();
                slice(&chunks, dtype, rows.clone())
            }
        }
    }
}
