//! Owned streams and events of the driver: destroyed on drop, and kept alive by their users.

use super::context::{Context, wait_until};
use super::driver_calls::{DriverHandle, DriverScope};
use super::memory::Block;
use crate::sync::{Mutex, MutexGuard};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, Priority};
use cudarc::driver::sys;
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The number of streams that a resource records before idle ones are dropped.
const USES_KEPT: usize = 4;

/// Whether an event records the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    /// Records the time.
    Timed,
    /// Only keeps order, which costs less.
    Untimed,
}

/// A point in a stream.
pub(super) struct CudaEvent {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: the driver's events may be used from any thread.
unsafe impl Send for CudaEvent {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    /// Creates an event that was never recorded: it counts as reached.
    pub(super) fn new(context: &Arc<Context>, timing: Timing) -> DeviceResult<CudaEvent> {
        let flags = match timing {
            Timing::Timed => sys::CUevent_flags::CU_EVENT_DEFAULT,
            Timing::Untimed => sys::CUevent_flags::CU_EVENT_DISABLE_TIMING,
        };
        let _driver = context.queue()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes, and the context is current.
        context.check(unsafe { sys::cuEventCreate(&mut raw, flags as u32) }, "making an event")?;
        Ok(CudaEvent { context: context.clone(), raw })
    }

    /// Records the event at the current end of a stream.
    pub(super) fn record(&self, stream: &Stream) -> DeviceResult<()> {
        let _driver = self.context.queue()?;
        // SAFETY: both handles are owned and alive, and of this context.
        self.context.check(unsafe { sys::cuEventRecord(self.raw, stream.raw) }, "recording an event")
    }

    /// Whether the work before it is done.
    pub(super) fn is_reached(&self) -> DeviceResult<bool> {
        self.context.enter()?;
        // SAFETY: the handle is owned and alive.
        self.context.check_done(unsafe { sys::cuEventQuery(self.raw) }, "the work before an event")
    }

    /// Waits for the work before it.
    pub(super) fn wait(&self, timeout: Duration) -> DeviceResult<()> {
        wait_until(timeout, || self.is_reached())
    }

    /// The time from another event to this one; both were reached and record the time.
    pub(super) fn since(&self, from: &CudaEvent) -> DeviceResult<Duration> {
        self.context.enter()?;
        let mut milliseconds = 0f32;
        // SAFETY: both handles are owned and alive, and `milliseconds` is valid for writes.
        let code = unsafe { sys::cuEventElapsedTime_v2(&mut milliseconds, from.raw, self.raw) };
        self.context.check(code, "taking the time between events")?;
        Ok(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())
    }
}

impl Drop for CudaEvent {
    fn drop(&mut self) {
        self.context.release(DriverHandle::Event(self.raw));
    }
}

/// A queue of work that runs in order.
pub(super) struct Stream {
    context: Arc<Context>,
    raw: sys::CUstream,
    /// The number of work items queued: the mark is valid while this stays the same.
    work_count: AtomicU64,
    mark: Mutex<Option<(u64, Arc<CudaEvent>)>>,
    /// Scratch memory that consecutive launches reuse. Its lock is held while the parts of a launch are queued.
    scratch: Mutex<Option<Block>>,
}

// SAFETY: the driver's streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for Stream {}

impl Stream {
    /// Opens a stream whose work does not wait for the work of other streams.
    pub(super) fn open(context: &Arc<Context>, priority: Priority) -> DeviceResult<Stream> {
        let _driver = context.queue()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are valid for writes, and the context is current.
        let code = unsafe { sys::cuCtxGetStreamPriorityRange(&mut least, &mut greatest) };
        context.check(code, "asking for priorities")?;
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes, and the context is current.
        let code = unsafe { sys::cuStreamCreateWithPriority(&mut raw, flags, level(priority, least, greatest)) };
        context.check(code, "opening a stream")?;
        let (work_count, mark, scratch) = (AtomicU64::new(0), Mutex::default(), Mutex::default());
        Ok(Stream { context: context.clone(), raw, work_count, mark, scratch })
    }

    /// The handle, valid while the stream is alive.
    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw
    }

    /// Waits until this thread may queue work, like [`Context::queue`].
    pub(super) fn queue(&self) -> DeviceResult<DriverScope<'_>> {
        self.context.queue()
    }

    /// Counts queued work. To be called before the resources of the work are released.
    pub(super) fn note_work(&self) {
        self.work_count.fetch_add(1, Ordering::SeqCst);
    }

    /// The scratch memory, for one launch at a time.
    pub(super) fn scratch(&self) -> MutexGuard<'_, Option<Block>> {
        self.scratch.lock()
    }

    /// Makes work that is queued from now on wait for an event.
    pub(super) fn wait_for(&self, event: &CudaEvent) -> DeviceResult<()> {
        self.context.enter()?;
        // SAFETY: both handles are owned and alive.
        self.context.check(unsafe { sys::cuStreamWaitEvent(self.raw, event.raw, 0) }, "waiting for an event")?;
        self.note_work();
        Ok(())
    }

    /// Whether all of its work is done.
    pub(super) fn is_idle(&self) -> DeviceResult<bool> {
        self.context.enter()?;
        // SAFETY: the handle is owned and alive.
        self.context.check_done(unsafe { sys::cuStreamQuery(self.raw) }, "the work of a stream")
    }

    /// An event after all work queued so far; `None` if that work is done.
    pub(super) fn mark(&self) -> DeviceResult<Option<Arc<CudaEvent>>> {
        if self.is_idle()? {
            return Ok(None);
        }
        let mut mark = self.mark.lock();
        let work_count = self.work_count.load(Ordering::SeqCst);
        if let Some((at, event)) = &*mark
            && *at == work_count
        {
            return Ok(Some(event.clone()));
        }
        let event = Arc::new(CudaEvent::new(&self.context, Timing::Untimed)?);
        event.record(self)?;
        *mark = Some((work_count, event.clone()));
        Ok(Some(event))
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Some(scratch) = self.scratch.lock().take() else {
            return self.context.release(DriverHandle::Stream(self.raw));
        };
        // Work may still write to the scratch memory, which is freed like any other memory that a stream uses.
        let (context, mark, work_count) = (self.context.clone(), Mutex::default(), AtomicU64::new(0));
        let rest = Arc::new(Stream { context, raw: self.raw, work_count, mark, scratch: Mutex::default() });
        scratch.used_by(&rest);
    }
}

/// The streams whose work uses a resource.
#[derive(Default)]
pub(super) struct StreamUses(Mutex<SmallVec<[Arc<Stream>; 2]>>);

impl StreamUses {
    /// Records that a stream's work uses the resource. Idle streams may be dropped, and a stream whose work is about to
    /// be queued is idle: so this must be called again after queueing.
    pub(super) fn add(&self, stream: &Arc<Stream>) {
        let mut streams = self.0.lock();
        if streams.iter().any(|one| Arc::ptr_eq(one, stream)) {
            return;
        }
        if streams.len() >= USES_KEPT {
            streams.retain(|one| !one.is_idle().unwrap_or(false));
        }
        streams.push(stream.clone());
    }

    /// The ends of all of that work; an error if the driver cannot say.
    pub(super) fn ends(&mut self) -> DeviceResult<WorkEnds> {
        let streams = std::mem::take(self.0.get_mut());
        let Some(first) = streams.first() else { return Ok(WorkEnds::default()) };
        // Freeing a resource does not wait.
        let Some(_driver) = first.context.try_queue() else {
            return Ok(WorkEnds { streams: streams.to_vec(), ..WorkEnds::default() });
        };
        let events = streams.iter().filter_map(|stream| stream.mark().transpose()).collect::<DeviceResult<_>>()?;
        Ok(WorkEnds { events, ..WorkEnds::default() })
    }
}

/// What the work that uses a resource ends with.
#[derive(Clone, Default)]
pub(super) struct WorkEnds {
    /// Events after the work.
    events: Vec<Arc<CudaEvent>>,
    /// Streams in which no event could be recorded: the work is over when they are idle.
    streams: Vec<Arc<Stream>>,
}

impl WorkEnds {
    /// Whether there was no work.
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty() && self.streams.is_empty()
    }

    /// Whether the work is over. If the driver cannot say, only a lost card is sure to be done.
    pub(super) fn is_over(&self) -> bool {
        let unknown = |error: DeviceError| error.kind == DeviceErrorKind::Lost;
        self.events.iter().all(|event| event.is_reached().unwrap_or_else(unknown))
            && self.streams.iter().all(|stream| stream.is_idle().unwrap_or_else(unknown))
    }
}

/// The driver's number for a priority: its numbers decrease from the least to the most urgent.
fn level(priority: Priority, least: i32, greatest: i32) -> i32 {
    match priority {
        Priority::Background => least,
        Priority::Normal => least - (least - greatest) / 2,
        Priority::Urgent => greatest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_map_to_driver_numbers() {
        let levels = |least, greatest| {
            [Priority::Background, Priority::Normal, Priority::Urgent].map(|one| level(one, least, greatest))
        };
        assert_eq!(levels(0, -5), [0, -2, -5]);
        assert_eq!(levels(0, 0), [0, 0, 0]);
    }
}
