//! [`ResidentColumn`]: a column that stays in a device's memory, to be read by queries on any stream.

use crate::devices::transfer::DeviceColumn;
use crate::error::Result;
use pointsman_device::{Device, EventId, EventStatus, StreamId};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A column in a device's memory that outlives the run which brought it there.
pub(crate) struct ResidentColumn {
    pub(crate) column: DeviceColumn<'static>,
    device: Arc<dyn Device>,
    /// Behind the copy, until it is known to be done: other streams wait for it.
    copied: Mutex<Option<EventId>>,
}

impl ResidentColumn {
    pub(crate) fn new(column: DeviceColumn<'static>, device: &Arc<dyn Device>) -> ResidentColumn {
        ResidentColumn { column, device: device.clone(), copied: Mutex::new(None) }
    }

    /// The copy is behind what this stream has queued by now.
    pub(crate) fn mark(&self, stream: StreamId) -> Result<()> {
        let event = self.device.record(stream)?;
        if let Some(before) = self.lock().replace(event) {
            self.device.forget_event(before);
        }
        Ok(())
    }

    /// Makes what is queued on a stream from now on wait for the copy.
    pub(crate) fn await_on(&self, stream: StreamId) -> Result<()> {
        let mut copied = self.lock();
        let Some(event) = *copied else { return Ok(()) };
        match self.device.event_status(event)? {
            EventStatus::Pending => self.device.wait_for(stream, event)?,
            EventStatus::Reached => {
                *copied = None;
                self.device.forget_event(event);
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Option<EventId>> {
        self.copied.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ResidentColumn {
    fn drop(&mut self) {
        if let Some(event) = self.lock().take() {
            self.device.forget_event(event);
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
    use pointsman_device::{HostPool, Priority};
    use pointsman_ir::types::DType;
    use std::time::Duration;

    /// What another stream reads of a column, with or without waiting for it.
    fn read(waits: bool) -> Vec<u8> {
        let sim = Arc::new(SimDevice::new(SimOptions::default()));
        let device: Arc<dyn Device> = sim.clone();
        let [first, second] = [(); 2].map(|()| device.open_stream(Priority::Normal).unwrap());
        let time = TimeLimit { clock: sim.clock(), timeout: Duration::from_secs(1), until: None };
        let mut port = TransferStream::new(&*device, first, time);
        let (many, few) = (Column::from(vec![1u8; 1 << 20]), Column::from(vec![7u8; 8]));
        let before = port.upload_to_stay(&device, &[many.chunk()], DType::U8).unwrap();
        let column = port.upload_to_stay(&device, &[few.chunk()], DType::U8).unwrap();
        let kept = ResidentColumn::new(column, &device);
        kept.mark(first).unwrap();
        if waits {
            kept.await_on(second).unwrap();
        }
        let mut got = vec![0; 8];
        let pool = Pool::new(Arc::new(HostPool::new(1 << 20)));
        TransferStream::new(&*device, second, time)
            .download(&[&kept.column], 0..kept.column.rows, &pool, Some(&mut got))
            .unwrap();
        kept.await_on(second).unwrap();
        assert_eq!(kept.lock().is_none(), waits, "a copy that is done is not waited for again");
        drop((kept, before));
        device.memory();
        sim.clock().advance(Duration::from_secs(1));
        assert_eq!((device.memory().used, sim.buffers()), (0, 0));
        got
    }

    #[test]
    fn a_column_that_is_still_being_copied_is_not_read_too_early() {
        assert_eq!(read(true), [7; 8]);
        assert_ne!(read(false), [7; 8], "the copy was done too soon for this test");
    }
}
