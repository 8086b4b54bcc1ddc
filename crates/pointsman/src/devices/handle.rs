//! [`DeviceHandle`]: a device as one session uses it, with its gate, streams, memory and health. [`StreamLease`]: the
//! streams of one run.

use crate::devices::residency::{MemoryLimits, ResidencyManager};
use crate::error::{Error, Result};
use crate::resilience::gate::Gate;
use crate::resilience::health::Health;
use crate::sync::Mutex;
use pointsman_device::{Device, Priority, StreamId};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// The predicted time of a run, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunCost {
    /// Copies between the host and the device.
    pub(crate) transfer: u64,
    /// Launching and computing.
    pub(crate) compute: u64,
}

/// The longer runs in progress on a device.
#[derive(Default)]
pub(crate) struct PendingRuns {
    count: AtomicU64,
    /// The sums of their predicted times.
    transfer: AtomicU64,
    compute: AtomicU64,
}

impl PendingRuns {
    pub(crate) fn add(&self, time: RunCost) {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.transfer.fetch_add(time.transfer, Ordering::Relaxed);
        self.compute.fetch_add(time.compute, Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, time: RunCost) {
        self.count.fetch_sub(1, Ordering::Relaxed);
        self.transfer.fetch_sub(time.transfer, Ordering::Relaxed);
        self.compute.fetch_sub(time.compute, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// How much longer a run takes because of these, in nanoseconds, if it takes `alone` without them. Runs that share
    /// a resource delay each other by at most the time that each uses it: the link of a device, and the CPU's threads.
    /// Other devices compute one run after the other; copies do not hold them up.
    fn delay(&self, alone: RunCost, shares_threads: bool) -> u64 {
        let [count, transfer, compute] =
            [&self.count, &self.transfer, &self.compute].map(|sum| sum.load(Ordering::Relaxed));
        let shared = |alone: u64, pending: u64| pending.min(alone.saturating_mul(count));
        let compute = if shares_threads { shared(alone.compute, compute) } else { compute };
        shared(alone.transfer, transfer).saturating_add(compute)
    }
}

/// A device of a session.
pub(crate) struct DeviceHandle {
    pub(crate) device: Arc<dyn Device>,
    /// Whether the device works in host memory.
    pub(crate) host_memory: bool,
    pub(crate) gate: Gate,
    /// The longer runs that are in progress.
    pub(crate) pending: Arc<PendingRuns>,
    /// The device's own memory; `None` if it works in host memory.
    pub(crate) residency: Option<Arc<ResidencyManager>>,
    /// `None` for the session's CPU: it is the last fallback, so it is never excluded.
    pub(crate) health: Option<Health>,
    /// The shared stream of a device that works in host memory, whose launches end before they return.
    host_stream: StreamId,
    /// The unused streams of a device with its own memory.
    idle_streams: Mutex<Vec<StreamId>>,
}

/// Exclusive use of one or more streams, returned to the device when the lease is dropped.
pub(crate) struct StreamLease<'s> {
    pub(crate) stream: StreamId,
    /// Further streams of the run.
    others: RefCell<Vec<StreamId>>,
    handle: &'s DeviceHandle,
    /// Whether work on the streams may never end; then they are closed instead of reused, since new work would wait.
    pub(crate) is_hung: bool,
    /// A device error that the query's own error hides.
    pub(crate) masked_error: RefCell<Option<Error>>,
}

impl DeviceHandle {
    /// Opens a device; `health` is `None` for the session's own CPU.
    pub(crate) fn open(
        device: Arc<dyn Device>,
        health: Option<Health>,
        limits: &DeviceLimits,
    ) -> Result<Arc<DeviceHandle>> {
        let concurrency = if health.is_some() { limits.device_concurrency } else { limits.cpu_concurrency };
        let host_stream = device.open_stream(Priority::Normal)?;
        let host_memory = device.info().capabilities.host_memory;
        let idle_streams = Mutex::new(if host_memory { Vec::new() } else { vec![host_stream] });
        let residency = (!host_memory).then(|| ResidencyManager::new(device.clone(), limits.memory));
        Ok(Arc::new(DeviceHandle {
            device,
            host_memory,
            gate: Gate::new(concurrency, limits.queue_limit),
            pending: Arc::default(),
            residency,
            health,
            host_stream,
            idle_streams,
        }))
    }

    /// How much longer a run takes because of the runs in progress, in nanoseconds, if it takes `alone` without them.
    pub(crate) fn delay(&self, alone: RunCost) -> u64 {
        self.pending.delay(alone, self.host_memory)
    }

    pub(crate) fn name(&self) -> &str {
        &self.device.info().name
    }

    /// Leases a stream for one run; opens one if none is idle.
    pub(crate) fn lease_stream(&self) -> Result<StreamLease<'_>> {
        let stream = if self.host_memory { self.host_stream } else { self.take_stream()? };
        Ok(StreamLease {
            stream,
            others: RefCell::default(),
            handle: self,
            is_hung: false,
            masked_error: RefCell::default(),
        })
    }

    fn take_stream(&self) -> Result<StreamId> {
        let idle = self.idle_streams.lock().pop();
        Ok(idle.map_or_else(|| self.device.open_stream(Priority::Normal), Ok)?)
    }
}

impl StreamLease<'_> {
    /// Returns `count` streams, the first of which is `stream`; leases more if necessary.
    pub(crate) fn streams(&self, count: usize) -> Result<Vec<StreamId>> {
        let mut others = self.others.borrow_mut();
        while others.len() + 1 < count {
            others.push(self.handle.take_stream()?);
        }
        Ok(std::iter::once(self.stream).chain(others.iter().copied()).take(count).collect())
    }
}

impl Drop for StreamLease<'_> {
    fn drop(&mut self) {
        if self.handle.host_memory {
            return;
        }
        let streams = self.others.get_mut().drain(..).chain([self.stream]);
        if self.is_hung {
            streams.for_each(|stream| self.handle.device.close_stream(stream));
        } else {
            self.handle.idle_streams.lock().extend(streams);
        }
    }
}

impl Drop for DeviceHandle {
    fn drop(&mut self) {
        if self.host_memory {
            self.device.close_stream(self.host_stream);
        }
        self.idle_streams.lock().drain(..).for_each(|stream| self.device.close_stream(stream));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_depends_on_the_resources_that_runs_share() {
        let pending = PendingRuns::default();
        let time = |transfer, compute| RunCost { transfer, compute };
        let delays = |alone| [pending.delay(alone, true), pending.delay(alone, false)];
        assert_eq!((delays(time(5, 5)), pending.is_empty()), ([0, 0], true));
        pending.add(time(1000, 30));
        pending.add(time(0, 70));
        assert_eq!(delays(time(0, 10)), [20, 100], "copies of others do not delay a run that copies nothing");
        assert_eq!(delays(time(10, 1000)), [120, 120], "a short copy shares the link with two others");
        pending.remove(time(1000, 30));
        assert_eq!((delays(time(10, 1000)), pending.is_empty()), ([70, 70], false));
    }
}
