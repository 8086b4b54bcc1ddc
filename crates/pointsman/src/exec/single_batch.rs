//! Runs a single batch over rows in host memory: in place, or with its inputs uploaded and its outputs downloaded, so
//! that nothing stays on the device.

use crate::data::memory::{InlineVec, Pool};
use crate::devices::download::{BatchDownload, ColumnBytes, HostDestination};
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{FailureClass, Result};
use crate::exec::footprint::{Footprint, Limit, no_room};
use crate::exec::launch::StageLaunch;
use crate::exec::merge::HostBatch;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::progress::LaunchObserver;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::{ColumnInput, ColumnOutput, Outcome};
use pointsman_ir::types::Type;

/// A batch whose columns start with the first of its rows.
pub(super) struct SingleBatch<'b> {
    pub(super) launch: StageLaunch<'b>,
    pub(super) columns: Vec<InlineVec<HostChunk<'b>>>,
}

impl SingleBatch<'_> {
    /// Runs the batch.
    pub(super) fn run(&self, timer: &mut PhaseTimer, counters: &mut RunCounters) -> Result<HostBatch> {
        match self.launch.stage.device().info().capabilities.host_memory {
            true => self.run_in_place(timer, counters),
            false => self.run_on_device(timer, counters),
        }
    }

    fn run_in_place(&self, timer: &mut PhaseTimer, counters: &mut RunCounters) -> Result<HostBatch> {
        let context = self.launch.context;
        let read = self.launch.rows.len();
        let types: InlineVec<(Type, usize)> = self.launch.output_types().collect();
        let memory = types.iter().map(|&(ty, room)| allocate(ty, room, context.pool));
        let mut columns = memory.collect::<Result<Vec<ColumnBytes>>>()?;
        let mut outputs: InlineVec<ColumnOutput<'_>> = InlineVec::new();
        for ((values, bitmap), &(ty, room)) in columns.iter_mut().zip(&types) {
            let values = &mut values[..value_bytes(ty, BoolLayout::Bits, room)];
            let validity = ty.nullable.then(|| &mut bitmap[..room.div_ceil(8)]);
            outputs.push(ColumnOutput::Host { values, bools: BoolLayout::Bits, validity });
        }
        // A batch reports its rows when it is done.
        let reports = self.launch.relational.is_some_and(|inputs| inputs.reports);
        let reporter = context.reporter.filter(|_| reports);
        let observer = context.observer().map(|observer| LaunchObserver { reporter, ..observer });
        let inputs: InlineVec<ColumnInput<'_>> = self.columns.iter().map(|chunks| ColumnInput::Host(chunks)).collect();
        let outcome = self.launch.run_in_place(&inputs, &mut outputs, observer.as_ref(), timer, counters)?;
        counters.bytes_written += self.launch.bytes_written(&outputs, outcome);
        drop(outputs);
        Ok(HostBatch { columns, outcome, read })
    }

    fn run_on_device(&self, timer: &mut PhaseTimer, counters: &mut RunCounters) -> Result<HostBatch> {
        let StageLaunch { stage, context, .. } = self.launch;
        let read = self.launch.rows.len();
        let need = Footprint::of_chunks(&self.launch, &self.columns);
        let held = self.launch.relational.map_or(0, |inputs| inputs.held_bytes);
        let limit = Limit::of(context, stage.device(), held);
        if !limit.holds(&need) {
            return Err(no_room(stage, read, need, &limit.to_string()));
        }
        let mut transfer = TransferStream::new(&stage.program.device, context.lease.stream, context.time);
        let ran = self.upload_and_run(&mut transfer, timer, counters);
        if ran.as_ref().is_err_and(|error| FailureClass::of(error) != FailureClass::Timeout) {
            // Queued work may still use the freed memory. A hung device keeps it until the work ends.
            transfer.drain();
        }
        counters.bytes_moved_in += transfer.bytes_in;
        let (columns, outcome) = ran?;
        let destinations = columns.iter().map(|column| HostDestination::new(column, context.pool));
        let (stream, time, pool) = (transfer.stream, context.time, context.pool);
        let download = BatchDownload { device: stage.device(), stream, time, pool };
        let (columns, bytes) = download.run(&columns, destinations.collect::<Result<_>>()?, None)?;
        counters.bytes_moved_out += bytes;
        Ok(HostBatch { columns, outcome, read })
    }

    fn upload_and_run(
        &self,
        transfer: &mut TransferStream<'_>,
        timer: &mut PhaseTimer,
        counters: &mut RunCounters,
    ) -> Result<(Vec<DeviceColumn>, Outcome)> {
        let StageLaunch { stage, context, .. } = self.launch;
        let columns = self.columns.iter().zip(&stage.kernel.columns);
        let columns = columns.map(|(chunks, ty)| transfer.upload(chunks, ty.dtype));
        let columns: Vec<DeviceColumn> = columns.collect::<Result<_>>()?;
        let lists = self.launch.list_chunks().zip(&stage.kernel.lists);
        let lists = lists.map(|(chunk, dtype)| transfer.upload(&[chunk], *dtype));
        let lists: Vec<DeviceColumn> = lists.collect::<Result<_>>()?;
        timer.lap(Phase::CopyIn);
        let inputs: InlineVec<&DeviceColumn> = columns.iter().collect();
        let list_inputs: InlineVec<&DeviceColumn> = lists.iter().collect();
        let launch = self.launch.clone().submit_on_device(transfer, &inputs, &list_inputs, timer)?;
        let bytes_read = launch.bytes_read;
        let (output, outcome) = match self.launch.relational.and_then(|inputs| inputs.timeout) {
            Some(timeout) => launch.wait_while(context.time, timeout)?,
            None => launch.wait(context.time)?,
        };
        timer.lap(Phase::Run);
        if let Some(faulted) = outcome.fault {
            return Err(self.launch.explain(faulted, self.columns.iter().map(|chunks| &chunks[..])));
        }
        counters.bytes_read += bytes_read;
        counters.bytes_written += output.iter().map(DeviceColumn::bytes).sum::<u64>();
        Ok((output, outcome))
    }
}

/// The session's memory for `rows` rows of a type.
fn allocate(ty: Type, rows: usize, pool: &Pool) -> Result<ColumnBytes> {
    let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
    Ok((pool.take(value_bytes(ty, BoolLayout::Bits, rows))?, pool.take(bitmap)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::error::ErrorKind;
    use pointsman_device::HostPool;
    use pointsman_ir::types::DType;
    use std::sync::Arc;

    #[test]
    fn batch_outputs_count_against_the_sessions_memory_limit() {
        let pool = Pool::new(Arc::new(HostPool::new(1 << 20)));
        for nullable in [false, true] {
            let error = allocate(Type { dtype: DType::I64, nullable }, 1 << 58, &pool).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            assert!(error.to_string().contains(&format!("{} bytes", 8u64 << 58)), "{error}");
        }
        let memory = allocate(Type { dtype: DType::I64, nullable: true }, 1 << 15, &pool).unwrap();
        assert!(memory.1.len() >= 1 << 12 && pool.counters().outstanding_bytes >= 65 << 12, "{:?}", pool.counters());
        assert!(allocate(Type { dtype: DType::I64, nullable: false }, 1 << 17, &pool).is_err(), "beyond the limit");
        drop(memory);
        assert_eq!(pool.counters().outstanding_bytes, 0);
    }
}
