//! [`DeviceHandle`]: a device as a session uses it, with the gate before it, its streams, and what is known of its health.

use crate::devices::residency::{MemoryLimits, Residency};
use crate::error::{Error, Result};
use crate::resilience::gate::Gate;
use crate::resilience::health::Health;
use pointsman_device::{Device, Priority, StreamId};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a device gets at the host's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryAccess {
    /// It reads them where they are.
    InPlace,
    /// They are copied to it.
    ByCopies,
}

/// How many queries and bytes the devices of a session take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits {
    /// Queries that run on the CPU at once.
    pub(crate) cpu_concurrency: usize,
    /// Queries that run on each other device at once.
    pub(crate) device_concurrency: usize,
    /// Queries that may wait for a device.
    pub(crate) queue_limit: usize,
    pub(crate) memory: MemoryLimits,
}

/// A device of a session.
pub(crate) struct DeviceHandle {
    pub(crate) device: Arc<dyn Device>,
    /// Whether it works in the host's memory.
    pub(crate) host_memory: bool,
    pub(crate) gate: Gate,
    /// Who may use its memory; `None` where that is the host's.
    pub(crate) residency: Option<Arc<Residency>>,
    /// `None` for the session's CPU: it is where queries go when others fail, so nothing keeps them away from it.
    pub(crate) health: Option<Health>,
    /// The stream of a device that works in the host's memory: a launch is over when it returns, so one is enough.
    home: StreamId,
    /// The streams that nobody uses now, of a device with memory of its own.
    idle: Mutex<Vec<StreamId>>,
}

/// Streams that nobody else uses, given back when this is dropped.
pub(crate) struct StreamLease<'s> {
    pub(crate) stream: StreamId,
    /// Those that were needed beside it.
    others: RefCell<Vec<StreamId>>,
    station: &'s DeviceHandle,
    /// What is queued on it may never end.
    hangs: bool,
    /// How the device failed while the query ended otherwise.
    trouble: RefCell<Option<Error>>,
}

impl DeviceHandle {
    /// The session's own CPU.
    pub(crate) fn open_cpu(device: Arc<dyn Device>, limits: &DeviceLimits) -> Result<Arc<DeviceHandle>> {
        DeviceHandle::new(device, Gate::new(limits.cpu_concurrency, limits.queue_limit), None, limits)
    }

    /// Any other device.
    pub(crate) fn open(device: Arc<dyn Device>, limits: &DeviceLimits) -> Result<Arc<DeviceHandle>> {
        DeviceHandle::new(device, Gate::new(limits.device_concurrency, limits.queue_limit), Some(Health::new()), limits)
    }

    fn new(
        device: Arc<dyn Device>,
        gate: Gate,
        health: Option<Health>,
        limits: &DeviceLimits,
    ) -> Result<Arc<DeviceHandle>> {
        let home = device.open_stream(Priority::Normal)?;
        let host_memory = device.info().capabilities.host_memory;
        let idle = Mutex::new(if host_memory { Vec::new() } else { vec![home] });
        let residency = (!host_memory).then(|| Residency::new(device.clone(), limits.memory));
        Ok(Arc::new(DeviceHandle { device, host_memory, gate, residency, health, home, idle }))
    }

    pub(crate) fn name(&self) -> &str {
        &self.device.info().name
    }

    /// How it gets at the host's columns.
    pub(crate) fn reach(&self) -> MemoryAccess {
        if self.host_memory { MemoryAccess::InPlace } else { MemoryAccess::ByCopies }
    }

    /// A stream for one run. There are as many as runs needed at once.
    pub(crate) fn stream(&self) -> Result<StreamLease<'_>> {
        let stream = if self.host_memory { self.home } else { self.idle_stream()? };
        Ok(StreamLease { stream, others: RefCell::default(), station: self, hangs: false, trouble: RefCell::default() })
    }

    fn idle_stream(&self) -> Result<StreamId> {
        let idle = self.idle().pop();
        Ok(idle.map_or_else(|| self.device.open_stream(Priority::Normal), Ok)?)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<StreamId>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StreamLease<'_> {
    /// So many streams, the first of them its own.
    pub(crate) fn streams(&self, count: usize) -> Result<Vec<StreamId>> {
        let mut others = self.others.borrow_mut();
        while others.len() + 1 < count {
            others.push(self.station.idle_stream()?);
        }
        Ok(std::iter::once(self.stream).chain(others.iter().copied()).take(count).collect())
    }

    /// The device failed while the query ended otherwise.
    pub(crate) fn note_trouble(&self, error: Error) {
        *self.trouble.borrow_mut() = Some(error);
    }

    /// How the device failed, if that is not what the query ended with.
    pub(crate) fn take_trouble(&mut self) -> Option<Error> {
        self.trouble.get_mut().take()
    }

    /// Nothing should be queued on these streams any more: it would wait for what hangs.
    pub(crate) fn abandon(&mut self) {
        self.hangs = true;
    }
}

impl Drop for StreamLease<'_> {
    fn drop(&mut self) {
        if self.station.host_memory {
            return;
        }
        let streams = self.others.get_mut().drain(..).chain([self.stream]);
        if self.hangs {
            streams.for_each(|stream| self.station.device.close_stream(stream));
        } else {
            self.station.idle().extend(streams);
        }
    }
}

impl Drop for DeviceHandle {
    fn drop(&mut self) {
        if self.host_memory {
            self.device.close_stream(self.home);
        }
        self.idle().drain(..).for_each(|stream| self.device.close_stream(stream));
    }
}
