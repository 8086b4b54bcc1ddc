//! [`ResidentColumn`]: a column that stays in device memory, readable by queries on any stream.

use crate::devices::transfer::DeviceColumn;
use crate::error::Result;
use crate::sync::Mutex;
use pointsman_device::{EventId, EventStatus, StreamId};

/// A column in device memory that outlives the run that uploaded it.
pub(crate) struct ResidentColumn {
    pub(crate) column: DeviceColumn,
    /// An event after the upload, until the upload is known to have ended; other streams wait for it.
    uploaded: Mutex<Option<EventId>>,
}

impl ResidentColumn {
    pub(crate) fn new(column: DeviceColumn) -> ResidentColumn {
        ResidentColumn { column, uploaded: Mutex::new(None) }
    }

    /// Records that the upload ends with the work queued on this stream so far.
    pub(crate) fn record_upload(&self, stream: StreamId) -> Result<()> {
        let event = self.column.device().record(stream)?;
        if let Some(before) = self.uploaded.lock().replace(event) {
            self.column.device().forget_event(before);
        }
        Ok(())
    }

    /// Makes work that is queued on this stream from now on wait for the upload.
    pub(crate) fn wait_on(&self, stream: StreamId) -> Result<()> {
        let mut uploaded = self.uploaded.lock();
        let Some(event) = *uploaded else { return Ok(()) };
        match self.column.device().event_status(event)? {
            EventStatus::Pending => self.column.device().wait_for(stream, event)?,
            EventStatus::Reached => {
                *uploaded = None;
                self.column.device().forget_event(event);
            }
        }
        Ok(())
    }
}

impl Drop for ResidentColumn {
    fn drop(&mut self) {
        if let Some(event) = self.uploaded.lock().take() {
            self.column.device().forget_event(event);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Column;
    use crate::data::memory::Pool;
    use crate::devices::transfer::TransferStream;
    use crate::resilience::time_limit::TimeLimit;
    use pointsman_device::sim::{SimDevice, SimOptions};
    use pointsman_device::{Device, HostPool, Priority};
    use pointsman_ir::types::DType;
    use std::sync::Arc;
    use std::time::Duration;

    /// Reads a column on another stream, with or without waiting for its upload.
    fn read(waits: bool) -> Vec<u8> {
        let sim = Arc::new(SimDevice::new(SimOptions::default()));
        let device: Arc<dyn Device> = sim.clone();
        let [first, second] = [(); 2].map(|()| device.open_stream(Priority::Normal).unwrap());
        let time = TimeLimit { clock: sim.clock(), timeout: Duration::from_secs(1), until: None };
        let mut port = TransferStream::new(&device, first, time);
        let (many, few) = (Column::from(vec![1u8; 1 << 20]), Column::from(vec![7u8; 8]));
        let before = port.upload(&[many.chunk()], DType::U8).unwrap();
        let column = port.upload(&[few.chunk()], DType::U8).unwrap();
        let kept = ResidentColumn::new(column);
        kept.record_upload(first).unwrap();
        if waits {
            kept.wait_on(second).unwrap();
        }
        let mut got = vec![0; 8];
        let pool = Pool::new(Arc::new(HostPool::new(1 << 20)));
        let all = kept.column.slice(0..kept.column.rows);
        TransferStream::new(&device, second, time).download(&[all], &pool, Some(&mut got)).unwrap();
        kept.wait_on(second).unwrap();
        assert_eq!(kept.uploaded.lock().is_none(), waits, "an upload that has ended is not waited for again");
        drop((kept, before));
        device.memory();
        sim.clock().advance(Duration::from_secs(1));
        assert_eq!((device.memory().used, sim.buffers()), (0, 0));
        got
    }

    #[test]
    fn reader_waits_for_a_pending_upload() {
        assert_eq!(read(true), [7; 8]);
        assert_ne!(read(false), [7; 8], "the upload ended too early for this test");
    }
}
