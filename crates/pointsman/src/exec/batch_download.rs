//! Downloads the output columns of a batch: all at once, while the caller's thread does something else.

use crate::data::memory::{Pool, Pooled};
use crate::devices::transfer::DeviceColumn;
use crate::error::Result;
use crate::exec::batch_source::WhileCopying;
use crate::exec::merge::scans::ColumnBytes;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::{Device, Download, StreamId};
use pointsman_ir::types::Repr;

/// Where the columns of a batch are downloaded from, and the memory for them.
#[derive(Clone, Copy)]
pub(super) struct BatchDownload<'d> {
    pub(super) device: &'d dyn Device,
    /// The stream that the launch was on.
    pub(super) stream: StreamId,
    pub(super) time: TimeLimit<'d>,
    pub(super) pool: &'d Pool,
}

/// Where a column's bytes go: into the session's memory, so that its limit holds for batches too.
pub(super) struct HostDestination<'m> {
    /// The place in the result that the values go to directly.
    direct: Option<&'m mut [u8]>,
    values: Pooled,
    bitmap: Pooled,
    /// How many bytes of `values` and `bitmap` are downloaded.
    bytes: [usize; 2],
}

impl<'m> HostDestination<'m> {
    /// Memory for a column whose values go directly to their place in the result. Truth values do not: they take a byte
    /// each there.
    pub(super) fn for_result(
        column: &DeviceColumn<'_>,
        direct: &'m mut [u8],
        pool: &Pool,
    ) -> Result<HostDestination<'m>> {
        if column.ty.dtype.repr() == Repr::Bool {
            return HostDestination::new(column, pool);
        }
        Ok(HostDestination { direct: Some(direct), ..HostDestination::with_room([0, column.bitmap_bytes()], pool)? })
    }

    /// No memory, for a column that is not needed.
    pub(super) fn unused(pool: &Pool) -> Result<HostDestination<'m>> {
        HostDestination::with_room([0, 0], pool)
    }

    /// Memory for a column.
    pub(super) fn new(column: &DeviceColumn<'_>, pool: &Pool) -> Result<HostDestination<'m>> {
        HostDestination::with_room([column.value_bytes(), column.bitmap_bytes()], pool)
    }

    fn with_room(bytes: [usize; 2], pool: &Pool) -> Result<HostDestination<'m>> {
        Ok(HostDestination { direct: None, values: pool.take(bytes[0])?, bitmap: pool.take(bytes[1])?, bytes })
    }

    /// The values, unless they went directly to the result, and the bitmap, perhaps with spare room.
    pub(super) fn into_bytes(self) -> ColumnBytes {
        (self.values, self.bitmap)
    }
}

impl BatchDownload<'_> {
    /// Copies columns to their destinations; how many bytes were copied.
    pub(super) fn run(
        &self,
        columns: &[DeviceColumn<'_>],
        destinations: &mut [HostDestination<'_>],
        while_copying: Option<WhileCopying<'_>>,
    ) -> Result<u64> {
        let parts = columns.iter().zip(destinations).flat_map(|(column, destination)| {
            let [values, bitmap] = destination.bytes;
            let values = destination.direct.as_deref_mut().unwrap_or(&mut destination.values[..values]);
            column.downloads(0, values, Some(&mut destination.bitmap[..bitmap]))
        });
        let mut parts: Vec<Download<'_>> = parts.collect();
        let bytes = parts.iter().map(|part| part.destination.len() as u64).sum();
        match while_copying {
            Some(f) => self.device.download_while(self.stream, &mut parts, self.time.left(), f)?,
            None => self.device.download_all(self.stream, &mut parts, self.time.left())?,
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::devices::transfer::TransferStream;
    use crate::error::ErrorKind;
    use pointsman_device::sim::{SimDevice, SimOptions};
    use pointsman_device::{HostPool, Priority};
    use pointsman_ir::types::{DType, Type};
    use std::sync::Arc;
    use std::time::Duration;

    #[test]
    fn column_larger_than_the_address_space_is_out_of_memory() {
        let device = SimDevice::new(SimOptions::default());
        let time = TimeLimit { clock: device.clock(), timeout: Duration::MAX, until: None };
        let transfer = TransferStream::new(&device, device.open_stream(Priority::Normal).unwrap(), time);
        for (dtype, bytes) in [(DType::I64, 8u64 << 58), (DType::Bool, 1 << 55)] {
            let mut column = transfer.allocate(Type { dtype, nullable: true }, 8).unwrap();
            column.rows = 1 << 58;
            let mut direct = [0; 8];
            let pool = Pool::new(Arc::new(HostPool::new(usize::MAX)));
            let kept = [
                HostDestination::new(&column, &pool).map(drop),
                HostDestination::for_result(&column, &mut direct, &pool).map(drop),
            ];
            for error in kept.map(|destination| destination.unwrap_err()) {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            }
            let message = HostDestination::new(&column, &pool).map(drop).unwrap_err().to_string();
            assert!(message.contains(&format!("{bytes} bytes")), "{message}");
        }
    }
}
