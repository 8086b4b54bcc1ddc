//! [`BuiltIndex`]: an index over the output of a `Build` stage, as a handle of the device that probes it. A device
//! builds an index when its first stage probes it, so a stage that moves to another device finds or builds one there.
//! It is freed when the last stage that probes it has ended, or at the end of each stage if it takes a device's own
//! memory, however the run ends.

use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{Error, ErrorKind, FailureClass, Result};
use crate::exec::context::RunContext;
use crate::exec::relational::plan_tables::PlanTables;
use crate::exec::relational::stage_run::Meters;
use crate::instrument::phase::Phase;
use crate::instrument::progress::LaunchObserver;
use pointsman_device::{ColumnInput, Device, DeviceErrorKind, IndexInfo, IndexKeys, ProgressObserver};
use pointsman_ir::fuse::{Stage, StageIndex, StageInput};
use pointsman_ir::kernel::Sink;
use pointsman_ir::types::DType;
use std::sync::Arc;

/// An index of a device, freed when this is dropped.
pub(crate) struct BuiltIndex {
    /// The table and keys of the index.
    pub(super) key: StageIndex,
    pub(super) info: IndexInfo,
    device: Arc<dyn Device>,
}

impl BuiltIndex {
    /// Whether its device works in the host's memory.
    pub(super) fn is_in_host_memory(&self) -> bool {
        self.device.info().capabilities.host_memory
    }
}

impl Drop for BuiltIndex {
    fn drop(&mut self) {
        self.device.free_index(self.info.id);
    }
}

impl PlanTables<'_> {
    /// The index of a built table on a device; built now if the device has none.
    pub(super) fn index(
        &self,
        key: StageIndex,
        device: &Arc<dyn Device>,
        context: &RunContext<'_>,
        meters: &mut Meters<'_>,
    ) -> Result<Arc<BuiltIndex>> {
        let is_own = |built: &&Arc<BuiltIndex>| built.key == key && Arc::ptr_eq(&built.device, device);
        let found = self.indexes.lock().iter().find(is_own).cloned();
        if let Some(built) = found {
            return Ok(built);
        }
        context.check_limits()?;
        let built = Arc::new(self.build_index(key, device, context, meters)?);
        self.indexes.lock().push(built.clone());
        Ok(built)
    }

    fn build_index(
        &self,
        key: StageIndex,
        device: &Arc<dyn Device>,
        context: &RunContext<'_>,
        meters: &mut Meters<'_>,
    ) -> Result<BuiltIndex> {
        let types = key_types(self.stages[key.stage])?;
        let rows = self.output(key.stage)?.rows;
        let columns = (0..types.len() as u32).chain(key.numbers);
        let chunks: Vec<_> =
            columns.map(|column| self.column(StageInput::Stage(key.stage), column)).collect::<Result<_>>()?;
        let stream = context.lease.stream;
        let mut transfer = TransferStream::new(device, stream, context.time);
        let mut uploaded: Vec<DeviceColumn> = Vec::new();
        if !device.info().capabilities.host_memory {
            let dtypes = types.iter().copied().chain([DType::U64]);
            for (chunks, dtype) in chunks.iter().zip(dtypes) {
                // Queued work may still use the freed memory.
                let column = transfer.upload(chunks, dtype).inspect_err(|_| transfer.drain());
                uploaded.push(column.map_err(|error| no_room(&**device, rows, error))?);
            }
            meters.timer.lap(Phase::CopyIn);
        }
        let mut inputs: Vec<ColumnInput<'_>> = match uploaded.is_empty() {
            true => chunks.iter().map(|chunks| ColumnInput::Host(chunks)).collect(),
            false => uploaded.iter().map(|column| column.input(false)).collect(),
        };
        let numbers = key.numbers.and_then(|_| inputs.pop());
        let keys = IndexKeys { keys: &inputs, types: &types, numbers, rows };
        // The rows of the index are none that the stage reads.
        let observer = context.observer().map(|observer| LaunchObserver { reporter: None, ..observer });
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
        let info = built.map_err(|error| no_room(&**device, rows, error.into()))?;
        Ok(BuiltIndex { key, info, device: device.clone() })
    }
}

/// The types of the keys of a `Build` stage.
pub(super) fn key_types(stage: &Stage) -> Result<Vec<DType>> {
    match &stage.kernel.sink {
        Sink::Build { keys, .. } => Ok(keys.iter().map(|&key| stage.kernel.body.ty(key).dtype).collect()),
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Reduce { .. } | Sink::Scan { .. } => Err(no_build()),
        Sink::Sort { .. } | Sink::Group { .. } | Sink::Partition { .. } | Sink::Call { .. } => Err(no_build()),
    }
}

fn no_build() -> Error {
    Error::internal("an index over a stage that builds no table")
}

/// The error of an index for which there was no memory; other errors stay as they are.
fn no_room(device: &dyn Device, rows: usize, error: Error) -> Error {
    if FailureClass::of(&error) != FailureClass::OutOfMemory {
        return error;
    }
    let name = &device.info().name;
    let cause = error.message().trim_start_matches("out of memory: ");
    let message = format!("out of memory: the index of `build` over {rows} rows on `{name}` ({cause})");
    match error.device_kind() {
        // The device's own kind of failure decides what follows.
        Some(_) => error.with_message(message),
        None => Error::new(ErrorKind::OutOfMemory, message),
    }
}
