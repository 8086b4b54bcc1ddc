//! The state of the device that tests can observe: memory, open handles, round trips, and each launch as it starts.

use super::SimDevice;
use super::work::Work;
use crate::sync::Mutex;

/// Called with the number of a launch.
type OnLaunch = Box<dyn FnMut(u64) + Send>;

/// Called before each launch with its number.
#[derive(Default)]
pub(super) struct LaunchHook(Mutex<(u64, Option<OnLaunch>)>);

impl LaunchHook {
    /// Counts a launch and calls the hook.
    pub(super) fn call(&self) {
        let mut hook = self.0.lock();
        let (number, callback) = &mut *hook;
        if let Some(callback) = callback {
            callback(*number);
        }
        *number += 1;
    }
}

/// Counts how often the host waited for work that it queued since its last wait.
#[derive(Debug, Default)]
pub(super) struct RoundTrips {
    has_new: bool,
    count: u64,
}

impl RoundTrips {
    /// Records that work was queued.
    pub(super) fn queue(&mut self) {
        self.has_new = true;
    }

    /// Records that the host waits.
    pub(super) fn wait(&mut self) {
        self.count += u64::from(std::mem::take(&mut self.has_new));
    }
}

impl SimDevice {
    /// The number of round trips: waits for work that was queued since the previous wait.
    pub fn round_trips(&self) -> u64 {
        self.lock().trips.count
    }

    /// Calls `hook` before each launch from now on, with the launch's number, counted from 0. It must not call the
    /// device.
    pub fn on_launch(&self, hook: impl FnMut(u64) + Send + 'static) {
        *self.hook.0.lock() = (0, Some(Box::new(hook)));
    }

    /// The number of launches since the last [`SimDevice::on_launch`].
    pub fn launches(&self) -> u64 {
        self.hook.0.lock().0
    }

    /// The maximum number of bytes in use at once.
    pub fn peak_bytes(&self) -> u64 {
        self.lock().peak
    }

    /// How often a buffer, an index or a launch found too little memory.
    pub fn refusals(&self) -> u64 {
        self.lock().refusals
    }

    /// The number of buffers.
    pub fn buffers(&self) -> usize {
        self.lock().memory.len()
    }

    /// The number of copies to the host that were neither finished nor abandoned.
    pub fn copies(&self) -> usize {
        let state = self.lock();
        let is_asked = |number: &u64| state.ends.contains_key(number);
        let queued =
            state.queue.iter().filter(|((_, number), work)| matches!(work, Work::CopyOut { .. }) && is_asked(number));
        state.copies.len() + queued.count()
    }

    /// The number of open streams.
    pub fn streams(&self) -> usize {
        self.lock().streams.len()
    }
}
