//! The way of a batch's columns to the host: all of them at once, while the caller's thread does something else.

use crate::data::memory::{Pool, Pooled};
use crate::devices::transfer::DeviceColumn;
use crate::error::Result;
use crate::exec::in_place::TimeLimit;
use crate::exec::merge::scans::ColumnBytes;
use pointsman_device::{Device, Download, StreamId};
use pointsman_ir::types::Repr;

/// Where columns come from.
#[derive(Clone, Copy)]
pub(in crate::exec) struct BatchDownload<'d> {
    pub(in crate::exec) device: &'d dyn Device,
    /// The stream that the launch was on.
    pub(in crate::exec) stream: StreamId,
    pub(in crate::exec) time: TimeLimit<'d>,
    /// Where memory for them comes from.
    pub(in crate::exec) pool: &'d Pool,
}

/// Where a column's bytes go. Memory is the session's, so that its limit holds for batches too.
pub(in crate::exec) struct HostDestination<'m> {
    /// Where its values go directly, if they do.
    direct: Option<&'m mut [u8]>,
    values: Pooled,
    bitmap: Pooled,
    /// How many bytes of these come.
    bytes: [usize; 2],
}

impl<'m> HostDestination<'m> {
    /// Memory for a column, and its place in the result for its values: truth values, which take a byte each there, do not
    /// go to it directly.
    pub(in crate::exec) fn for_result(
        column: &DeviceColumn<'_>,
        direct: &'m mut [u8],
        pool: &Pool,
    ) -> Result<HostDestination<'m>> {
        if column.ty.dtype.repr() == Repr::Bool {
            return HostDestination::new(column, pool);
        }
        Ok(HostDestination { direct: Some(direct), ..HostDestination::with_room([0, column.bitmap_bytes()], pool)? })
    }

    /// No memory: for a column that nobody needs.
    pub(in crate::exec) fn unused(pool: &Pool) -> Result<HostDestination<'m>> {
        HostDestination::with_room([0, 0], pool)
    }

    /// Memory for a column.
    pub(in crate::exec) fn new(column: &DeviceColumn<'_>, pool: &Pool) -> Result<HostDestination<'m>> {
        HostDestination::with_room([column.value_bytes(), column.bitmap_bytes()], pool)
    }

    fn with_room(bytes: [usize; 2], pool: &Pool) -> Result<HostDestination<'m>> {
        Ok(HostDestination { direct: None, values: pool.take(bytes[0])?, bitmap: pool.take(bytes[1])?, bytes })
    }

    /// The bytes of its values, where they did not go elsewhere, and of its bitmap, with room behind.
    pub(in crate::exec) fn into_bytes(self) -> ColumnBytes {
        (self.values, self.bitmap)
    }
}

impl BatchDownload<'_> {
    /// Copies columns to their places, and calls `beside` meanwhile, if there is something to do; how many bytes that were.
    pub(in crate::exec) fn land(
        &self,
        columns: &[DeviceColumn<'_>],
        berths: &mut [HostDestination<'_>],
        beside: Option<&mut dyn FnMut()>,
    ) -> Result<u64> {
        let ways = columns.iter().zip(berths).flat_map(|(column, berth)| {
            let [values, bitmap] = berth.bytes;
            let values = berth.direct.as_deref_mut().unwrap_or(&mut berth.values[..values]);
            column.fetches(values, Some(&mut berth.bitmap[..bitmap]))
        });
        let mut parts: Vec<Download<'_>> = ways.collect();
        let bytes = parts.iter().map(|part| part.into.len() as u64).sum();
        match beside {
            Some(beside) => self.device.download_while(self.stream, &mut parts, self.time.left(), beside)?,
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

    /// More rows than there are addresses for.
    #[test]
    fn columns_that_the_host_has_no_memory_for_are_errors() {
        let device = SimDevice::new(SimOptions::default());
        let time = TimeLimit { clock: device.clock(), patience: Duration::MAX, until: None };
        let port = TransferStream::new(&device, device.open_stream(Priority::Normal).unwrap(), time);
        for (dtype, bytes) in [(DType::I64, 8u64 << 58), (DType::Bool, 1 << 55)] {
            let mut column = port.room_for(Type { dtype, nullable: true }, 8).unwrap();
            column.rows = 1 << 58;
            let mut direct = [0; 8];
            let pool = Pool::new(Arc::new(HostPool::new(usize::MAX)));
            let kept = [
                HostDestination::new(&column, &pool).map(drop),
                HostDestination::for_result(&column, &mut direct, &pool).map(drop),
            ];
            for error in kept.map(|berth| berth.unwrap_err()) {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory);
            }
            let told = HostDestination::new(&column, &pool).map(drop).unwrap_err().to_string();
            assert!(told.contains(&format!("{bytes} bytes")), "{told}");
        }
    }
}
