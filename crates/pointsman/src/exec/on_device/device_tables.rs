//! [`DeviceTables`]: what of a query lies in a device's memory, and what earlier stages gave, there or in the host's.

use crate::data::identity::ColumnIdentity;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::Output;
use crate::devices::download::EarlyDownload;
use crate::devices::residency::InputSlot;
use crate::devices::residency::resident_column::ResidentColumn;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{Error, Result};
use crate::exec::in_place::{CompiledStage, RunContext};
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::types::DType;
use std::sync::Arc;

/// What is on the device: the source's columns and captured tables that stages read, and what stages gave.
pub(in crate::exec) struct DeviceTables<'d> {
    columns: Vec<Option<UploadedColumn<'d>>>,
    lists: Vec<Option<UploadedColumn<'d>>>,
    done: Vec<StageOutput<'d>>,
}

/// A column or table of the query that is on the device.
enum UploadedColumn<'d> {
    /// For this run alone.
    Here(DeviceColumn<'d>),
    /// Brought over by this run, and may stay.
    New(Arc<ResidentColumn>),
    /// It was there before.
    There(Arc<ResidentColumn>),
}

impl<'d> UploadedColumn<'d> {
    fn column(&self) -> &DeviceColumn<'d> {
        match self {
            UploadedColumn::Here(column) => column,
            UploadedColumn::New(kept) | UploadedColumn::There(kept) => &kept.column,
        }
    }

    /// ColumnBytes of the device's memory that the run has for it.
    fn held_bytes(&self) -> u64 {
        match self {
            UploadedColumn::Here(_) | UploadedColumn::New(_) => self.column().held_bytes(),
            UploadedColumn::There(_) => 0,
        }
    }
}

/// What a stage gave. Each column is on the device, in the host's memory, or in both.
pub(in crate::exec) struct StageOutput<'d> {
    device: Vec<Option<DeviceColumn<'d>>>,
    host: Option<HostCopy<'d>>,
    /// What of it comes to the host already.
    early: Option<EarlyDownload<'d>>,
    rows: usize,
}

/// Columns in the host's memory.
enum HostCopy<'d> {
    Own(Box<Output>),
    /// Those of a stage that several devices did.
    Lent(&'d Output),
}

impl HostCopy<'_> {
    fn output(&self) -> &Output {
        match self {
            HostCopy::Own(output) => output,
            HostCopy::Lent(output) => output,
        }
    }
}

impl<'d> StageOutput<'d> {
    /// Columns that stay on the device, and may be on their way from there.
    pub(in crate::exec) fn on_device(
        columns: Vec<DeviceColumn<'d>>,
        rows: usize,
        early: Option<EarlyDownload<'d>>,
    ) -> StageOutput<'d> {
        StageOutput { device: columns.into_iter().map(Some).collect(), host: None, early, rows }
    }

    /// Columns in the host's memory.
    pub(in crate::exec) fn on_host(output: Output) -> StageOutput<'d> {
        let device = output.columns.iter().map(|_| None).collect();
        StageOutput { device, rows: output.rows, host: Some(HostCopy::Own(Box::new(output))), early: None }
    }

    /// Columns in the host's memory that others read too.
    pub(in crate::exec) fn lent(output: &'d Output) -> StageOutput<'d> {
        let device = output.columns.iter().map(|_| None).collect();
        StageOutput { device, rows: output.rows, host: Some(HostCopy::Lent(output)), early: None }
    }

    /// Copies the columns into the host's memory, unless they are there; the device keeps its own.
    fn fetch(&mut self, port: &mut TransferStream<'_>, pool: &Pool, into: Option<&mut [u8]>) -> Result<()> {
        if self.host.is_some() {
            return Ok(());
        }
        let columns = self.device.iter().flatten();
        let columns = match self.early.take().filter(|early| self.rows <= early.rows) {
            Some(early) => early.finish(port, columns, pool, into)?,
            None => port.fetch_all(&columns.collect::<InlineVec<_>>(), pool, into)?,
        };
        self.host = Some(HostCopy::Own(Box::new(Output { columns: columns.into_iter().collect(), rows: self.rows })));
        Ok(())
    }
}

impl<'d> DeviceTables<'d> {
    /// What is there before anything runs: resident columns.
    pub(in crate::exec) fn new(job: &RunContext<'_>, port: &TransferStream<'_>) -> Result<DeviceTables<'d>> {
        let none = |count: usize| (0..count).map(|_| None).collect();
        let mut stock =
            DeviceTables { columns: none(job.inputs.len()), lists: none(job.lists.len()), done: Vec::new() };
        for (place, kept) in job.grant.iter().flat_map(|grant| grant.take_hits()) {
            kept.wait_on(port.stream)?;
            let slot = match place {
                InputSlot::Column(index) => &mut stock.columns[index],
                InputSlot::List(index) => &mut stock.lists[index],
            };
            *slot = Some(UploadedColumn::There(kept));
        }
        Ok(stock)
    }

    /// Lets columns that were brought over stay, for later queries.
    pub(in crate::exec) fn leave(&self, job: &RunContext<'_>, port: &TransferStream<'_>) -> Result<()> {
        let Some(grant) = job.grant else { return Ok(()) };
        let columns = self.columns.iter().zip(job.inputs.iter().map(|input| input.identity()));
        let lists = self.lists.iter().zip(job.lists.iter().map(|list| list.values.identity()));
        for (sent, identity) in columns.chain(lists) {
            if let (Some(UploadedColumn::New(kept)), Some(identity)) = (sent, identity) {
                kept.record_upload(port.stream)?;
                grant.residency.offer(identity, kept.clone());
            }
        }
        Ok(())
    }

    /// Keeps what the next stage gave.
    pub(in crate::exec) fn push(&mut self, given: StageOutput<'d>) {
        self.done.push(given);
    }

    /// What the last stage gave, in the host's memory: `into` is the caller's for the only column's values.
    pub(in crate::exec) fn into_last(
        mut self,
        port: &mut TransferStream<'_>,
        pool: &Pool,
        into: Option<&mut [u8]>,
    ) -> Result<Output> {
        let mut last = self.done.pop().ok_or_else(|| Error::internal("no stage gave anything"))?;
        last.fetch(port, pool, into)?;
        match last.host {
            Some(HostCopy::Own(output)) => Ok(*output),
            Some(HostCopy::Lent(_)) | None => Err(Error::internal("a stage's columns are nowhere")),
        }
    }

    /// ColumnBytes of the device's memory that are held.
    pub(in crate::exec) fn held_bytes(&self) -> u64 {
        let given = self.done.iter().flat_map(|given| &given.device).flatten().map(DeviceColumn::held_bytes);
        self.columns.iter().chain(&self.lists).flatten().map(UploadedColumn::held_bytes).chain(given).sum()
    }

    /// How many rows a stage reads.
    pub(in crate::exec) fn rows_of(&self, stage: &Stage, job: &RunContext<'_>) -> usize {
        match stage.input {
            StageInput::Source(_) => job.rows,
            StageInput::Stage(number) => self.done[number].rows,
        }
    }

    /// The columns that a stage reads, on the device.
    pub(in crate::exec) fn columns_of(&self, stage: &Stage) -> Vec<&DeviceColumn<'d>> {
        stage.columns.iter().filter_map(|&index| self.slot(stage, index)).collect()
    }

    /// The captured tables that a stage reads, on the device.
    pub(in crate::exec) fn lists_of(&self, stage: &Stage) -> Vec<&DeviceColumn<'d>> {
        stage.lists.iter().filter_map(|id| Some(self.lists[id.index()].as_ref()?.column())).collect()
    }

    fn slot(&self, stage: &Stage, index: u32) -> Option<&DeviceColumn<'d>> {
        match stage.input {
            StageInput::Source(_) => self.columns[index as usize].as_ref().map(UploadedColumn::column),
            StageInput::Stage(number) => self.done[number].device[index as usize].as_ref(),
        }
    }

    /// The pieces of a column that a stage reads, in the host's memory; none if it is only on the device.
    pub(in crate::exec) fn pieces<'a>(
        &'a self,
        stage: &Stage,
        index: u32,
        job: &'a RunContext<'_>,
    ) -> InlineVec<HostChunk<'a>> {
        match stage.input {
            StageInput::Source(_) => job.inputs[index as usize].pieces(),
            StageInput::Stage(number) => self.done[number].pieces(index),
        }
    }

    /// Whether a column that a stage reads must still be copied to the device.
    pub(in crate::exec) fn is_missing(&self, stage: &Stage, index: u32) -> bool {
        self.slot(stage, index).is_none()
    }

    /// Whether a captured table must still be copied to the device.
    pub(in crate::exec) fn is_list_missing(&self, index: usize) -> bool {
        self.lists[index].is_none()
    }

    /// Copies in the columns that a stage reads and that are not there yet.
    pub(in crate::exec) fn send_columns(
        &mut self,
        stage: &Stage,
        job: &RunContext<'_>,
        port: &mut TransferStream<'d>,
    ) -> Result<()> {
        for (&index, ty) in stage.columns.iter().zip(&stage.kernel.columns) {
            if !self.is_missing(stage, index) {
                continue;
            }
            match stage.input {
                StageInput::Source(_) => {
                    let input = &job.inputs[index as usize];
                    let sent = send(&input.pieces(), ty.dtype, input.identity(), job, port)?;
                    self.columns[index as usize] = Some(sent);
                }
                StageInput::Stage(number) => {
                    let sent = port.send(&self.done[number].pieces(index), ty.dtype)?;
                    self.done[number].device[index as usize] = Some(sent);
                }
            }
        }
        Ok(())
    }

    /// Copies in the captured tables that a stage reads and that are not there yet.
    pub(in crate::exec) fn send_lists(
        &mut self,
        stage: &Stage,
        job: &RunContext<'_>,
        port: &mut TransferStream<'d>,
    ) -> Result<()> {
        for (id, dtype) in stage.lists.iter().zip(&stage.kernel.lists) {
            let slot = &mut self.lists[id.index()];
            if slot.is_none() {
                let values = &job.lists[id.index()].values;
                *slot = Some(send(&[values.chunk()], *dtype, values.identity(), job, port)?);
            }
        }
        Ok(())
    }

    /// Copies what a stage reads into the host's memory, if it is only on the device.
    pub(in crate::exec) fn fetch_inputs(
        &mut self,
        stage: &Stage,
        port: &mut TransferStream<'_>,
        pool: &Pool,
    ) -> Result<()> {
        match stage.input {
            StageInput::Source(_) => Ok(()),
            StageInput::Stage(number) => self.done[number].fetch(port, pool, None),
        }
    }

    /// Frees the device's memory: what these steps still read of earlier stages moves to the host's.
    pub(in crate::exec) fn move_out(
        &mut self,
        steps: &[CompiledStage],
        port: &mut TransferStream<'_>,
        pool: &Pool,
    ) -> Result<()> {
        for (number, given) in self.done.iter_mut().enumerate() {
            if steps.iter().any(|step| step.stage.input == StageInput::Stage(number)) {
                given.fetch(port, pool, None)?;
            }
            given.device.fill_with(|| None);
        }
        self.columns.fill_with(|| None);
        self.lists.fill_with(|| None);
        Ok(())
    }
}

/// Copies a column or table in, to stay if it may.
fn send<'d>(
    pieces: &[HostChunk<'_>],
    dtype: DType,
    identity: Option<&ColumnIdentity>,
    job: &RunContext<'_>,
    port: &mut TransferStream<'d>,
) -> Result<UploadedColumn<'d>> {
    let Some(grant) = job.grant.filter(|grant| identity.is_some() && grant.residency.caches_columns()) else {
        return Ok(UploadedColumn::Here(port.send(pieces, dtype)?));
    };
    let (residency, start) = (grant.residency, job.time.clock.now());
    let column = port.send_to_stay(&residency.device, pieces, dtype)?;
    residency.record_copy(column.bytes(), job.time.clock.now().saturating_sub(start));
    Ok(UploadedColumn::New(Arc::new(ResidentColumn::new(column, &residency.device))))
}

impl StageOutput<'_> {
    fn pieces(&self, index: u32) -> InlineVec<HostChunk<'_>> {
        self.host.iter().map(|kept| kept.output().columns[index as usize].chunk()).collect()
    }
}
