//! [`DeviceTables`]: the columns and captured lists of a query that are in a device's memory, and the stream that
//! uploads them.

use crate::devices::residency::resident_column::ResidentColumn;
use crate::devices::residency::{InputSlot, ResidentInput};
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::Result;
use crate::exec::context::RunContext;
use crate::exec::stage_output::StageOutput;
use crate::instrument::counters::RunCounters;
use crate::programs::program::CompiledStage;
use pointsman_device::Device;
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::DType;
use std::sync::Arc;

/// The query's columns and captured lists in a device's memory.
pub(super) struct DeviceTables<'d> {
    pub(super) transfer: TransferStream<'d>,
    columns: Vec<Option<UploadedColumn>>,
    lists: Vec<Option<UploadedColumn>>,
}

/// A column or list in the device's memory.
struct UploadedColumn {
    kept: Arc<ResidentColumn>,
    /// The rows of it that the query reads, if these are not all.
    part: Option<DeviceColumn>,
    /// Whether this run uploaded it; otherwise it is resident since an earlier run.
    is_new: bool,
}

impl UploadedColumn {
    /// The rows that the query reads.
    fn column(&self) -> &DeviceColumn {
        self.part.as_ref().unwrap_or(&self.kept.column)
    }
}

impl<'d> DeviceTables<'d> {
    /// The resident columns that the query reads.
    pub(super) fn new(device: &'d Arc<dyn Device>, context: &'d RunContext<'d>) -> Result<DeviceTables<'d>> {
        let none = |count: usize| (0..count).map(|_| None).collect();
        let transfer = TransferStream::new(device, context.lease.stream, context.time);
        let mut tables =
            DeviceTables { transfer, columns: none(context.source.columns.len()), lists: none(context.lists.len()) };
        for hit in context.reservation.iter().flat_map(|reservation| reservation.take_hits()) {
            let ResidentInput { slot, column: kept, first_row } = hit;
            kept.wait_on(context.lease.stream)?;
            let (slot, rows) = match slot {
                InputSlot::Column(index) => (&mut tables.columns[index], context.source.rows),
                InputSlot::List(index) => (&mut tables.lists[index], context.lists[index].values.chunk().rows),
            };
            let part = first_row.map(|first| kept.column.slice(first..first + rows));
            *slot = Some(UploadedColumn { kept, part, is_new: false });
        }
        Ok(tables)
    }

    /// Offers the columns that this run uploaded to later queries.
    pub(super) fn offer_columns(&self, context: &RunContext<'_>) -> Result<()> {
        let Some(residency) = context.caching_residency() else { return Ok(()) };
        let kept = context.source.columns.iter().map(|input| input.identity().filter(|_| input.may_stay()));
        let columns = self.columns.iter().zip(kept);
        let lists = self.lists.iter().zip(context.lists.iter().map(|list| list.values.identity()));
        for (uploaded, identity) in columns.chain(lists) {
            if let (Some(UploadedColumn { kept, is_new: true, .. }), Some(identity)) = (uploaded, identity) {
                kept.record_upload(self.transfer.stream)?;
                residency.offer(identity, kept.clone());
            }
        }
        Ok(())
    }

    /// Counts the bytes that were moved since the last call.
    pub(super) fn count_moved(&mut self, counters: &mut RunCounters) {
        counters.bytes_moved_in += std::mem::take(&mut self.transfer.bytes_in);
        counters.bytes_moved_out += std::mem::take(&mut self.transfer.bytes_out);
    }

    /// Bytes of the run's reservation that the columns and lists take.
    pub(super) fn held_bytes(&self) -> u64 {
        let new = self.columns.iter().chain(&self.lists).flatten().filter(|uploaded| uploaded.is_new);
        new.map(|uploaded| uploaded.kept.column.held_bytes()).sum()
    }

    /// A column that a stage reads, of the source or of an earlier stage's output, if it is on the device.
    pub(super) fn input<'a>(
        &'a self,
        stage: &CompiledStage,
        outputs: &'a [StageOutput<'d>],
        column: u32,
    ) -> Option<&'a DeviceColumn> {
        match stage.input() {
            StageInput::Source(_) => self.columns[column as usize].as_ref().map(UploadedColumn::column),
            StageInput::Stage(number) => outputs[number].device_column(column),
        }
    }

    /// A captured list, if it is on the device.
    pub(super) fn list(&self, list: usize) -> Option<&DeviceColumn> {
        self.lists[list].as_ref().map(UploadedColumn::column)
    }

    /// Uploads a column of the source.
    pub(super) fn upload_column(&mut self, column: u32, dtype: DType, context: &RunContext<'_>) -> Result<()> {
        let input = &context.source.columns[column as usize];
        let uploaded = upload(&mut self.transfer, &input.pieces(), dtype)?;
        self.columns[column as usize] = Some(uploaded);
        Ok(())
    }

    /// Uploads the captured lists that a stage reads and that are not there yet, `except` the one of this number.
    pub(super) fn upload_lists(
        &mut self,
        stage: &Stage,
        context: &RunContext<'_>,
        except: Option<usize>,
    ) -> Result<()> {
        for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
            let slot = &mut self.lists[id.index()];
            if slot.is_none() && Some(id.index()) != except {
                let values = &context.lists[id.index()].values;
                *slot = Some(upload(&mut self.transfer, &[values.chunk()], *dtype)?);
            }
        }
        Ok(())
    }

    /// Frees the memory of all columns and lists.
    pub(super) fn clear(&mut self) {
        self.columns.fill_with(|| None);
        self.lists.fill_with(|| None);
    }
}

/// Uploads a column or list.
fn upload(transfer: &mut TransferStream<'_>, chunks: &[HostChunk<'_>], dtype: DType) -> Result<UploadedColumn> {
    let column = transfer.upload(chunks, dtype)?;
    Ok(UploadedColumn { kept: Arc::new(ResidentColumn::new(column)), part: None, is_new: true })
}
