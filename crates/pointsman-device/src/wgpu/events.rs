//! Events on the one queue: whether each is reached, and the time between two, by the device's timestamps where it has
//! them, otherwise by the host's clock when the host saw them.

use super::download::StagedDownload;
use super::gpu::Gpu;
use super::launch_timestamps;
use super::scratch::{BufferPart, StagingPool};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult, EventId, EventStatus};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use wgpu::BufferUsages;

/// The number of events that have device timestamps at once; others use the host's clock.
const TIMED_EVENTS: u32 = 256;
const TIME_TIMEOUT: Duration = Duration::from_secs(10);

struct WgpuEvent {
    reached: Arc<OnceLock<Instant>>,
    /// The timestamp slot.
    slot: Option<u32>,
}

struct EventTimestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    free: BTreeSet<u32>,
}

/// The events of a device.
pub(super) struct Events {
    known: Mutex<BTreeMap<EventId, WgpuEvent>>,
    times: Option<Mutex<EventTimestamps>>,
}

impl Events {
    /// Creates the timestamp queries, if the device has them.
    pub(super) fn new(gpu: &Gpu) -> DeviceResult<Events> {
        let times = gpu.device.features().contains(launch_timestamps::FEATURES).then(|| {
            gpu.scoped("queries of time", || {
                let count = TIMED_EVENTS;
                let ty = wgpu::QueryType::Timestamp;
                let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty, count });
                let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: 8 * u64::from(count),
                    usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                });
                Mutex::new(EventTimestamps { queries, resolved, free: (0..count).collect() })
            })
        });
        Ok(Events { known: Mutex::default(), times: times.transpose()? })
    }

    /// Records an event after everything submitted.
    pub(super) fn record(&self, gpu: &Gpu, id: EventId) -> DeviceResult<()> {
        let mut encoder = gpu.encoder();
        let slot = self.times.as_ref().and_then(|times| times.lock().free.pop_first());
        if let (Some(slot), Some(times)) = (slot, &self.times) {
            encoder.write_timestamp(&times.lock().queries, slot);
        }
        gpu.submit(encoder)?;
        let reached: Arc<OnceLock<Instant>> = Arc::default();
        let reached_at = Arc::clone(&reached);
        gpu.queue.on_submitted_work_done(move || {
            reached_at.get_or_init(Instant::now);
        });
        self.known.lock().insert(id, WgpuEvent { reached, slot });
        Ok(())
    }

    fn with<T>(&self, id: EventId, read: impl FnOnce(&WgpuEvent) -> T) -> DeviceResult<T> {
        let known = self.known.lock();
        let event = known.get(&id).ok_or_else(|| DeviceError::invalid(format!("there is no event {}", id.0)))?;
        Ok(read(event))
    }

    /// Checks that the event exists.
    pub(super) fn check(&self, id: EventId) -> DeviceResult<()> {
        self.with(id, |_| ())
    }

    /// Whether the event is reached.
    pub(super) fn status(&self, gpu: &Gpu, id: EventId) -> DeviceResult<EventStatus> {
        gpu.poll()?;
        self.with(id, |event| if event.reached.get().is_some() { EventStatus::Reached } else { EventStatus::Pending })
    }

    /// The time between two reached events.
    pub(super) fn elapsed(&self, gpu: &Gpu, from: EventId, to: EventId) -> DeviceResult<Duration> {
        gpu.poll()?;
        let (start, first) = self.with(from, |event| (event.reached.get().copied(), event.slot))?;
        let (end, second) = self.with(to, |event| (event.reached.get().copied(), event.slot))?;
        let (Some(start), Some(end)) = (start, end) else {
            return Err(DeviceError::invalid("time between events that are not reached"));
        };
        match (first, second, &self.times) {
            (Some(first), Some(second), Some(times)) => device_time(gpu, &times.lock(), first, second),
            _ => Ok(end.saturating_duration_since(start)),
        }
    }

    /// Forgets an event.
    pub(super) fn forget(&self, id: EventId) {
        let event = self.known.lock().remove(&id);
        if let (Some(slot), Some(times)) = (event.and_then(|event| event.slot), &self.times) {
            times.lock().free.insert(slot);
        }
    }
}

fn device_time(gpu: &Gpu, times: &EventTimestamps, first: u32, second: u32) -> DeviceResult<Duration> {
    let mut encoder = gpu.encoder();
    for slot in [first, second] {
        // Timestamps are resolved to multiples of 256 bytes, so each of the two goes to the start of its half of the
        // buffer.
        let at = if slot == first { 0 } else { wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT };
        encoder.resolve_query_set(&times.queries, slot..slot + 1, &times.resolved, at);
    }
    gpu.submit(encoder)?;
    let time = |at: u64| -> DeviceResult<u64> {
        let mut ticks = [0; 8];
        let part = BufferPart { buffer: times.resolved.clone(), offset: at, bytes: 8 };
        StagedDownload::queued(gpu, &StagingPool::default(), vec![part])?.finish(
            gpu,
            TIME_TIMEOUT,
            &mut [&mut ticks],
        )?;
        Ok(u64::from_le_bytes(ticks))
    };
    let ticks = if first == second { 0 } else { time(wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT)?.saturating_sub(time(0)?) };
    Ok(Duration::from_nanos((ticks as f64 * f64::from(gpu.queue.get_timestamp_period())) as u64))
}
