//! What a test can see of the device's work: how much memory it took, and each launch as it comes.

use super::SimDevice;
use super::work::Work;
use std::sync::{Mutex, PoisonError};

/// What is called with the number of a launch.
type OnLaunch = Box<dyn FnMut(u64) + Send>;

/// Called before each launch, with its number.
#[derive(Default)]
pub(super) struct LaunchHook(Mutex<(u64, Option<OnLaunch>)>);

impl LaunchHook {
    /// Counts a launch, and tells of it.
    pub(super) fn call(&self) {
        let mut hook = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, told) = &mut *hook;
        if let Some(told) = told {
            told(*number);
        }
        *number += 1;
    }
}

/// How often the host waited for work that it queued since it last waited.
#[derive(Debug, Default)]
pub(super) struct RoundTrips {
    has_new: bool,
    count: u64,
}

impl RoundTrips {
    /// Work was queued.
    pub(super) fn queue(&mut self) {
        self.has_new = true;
    }

    /// The host waits.
    pub(super) fn wait(&mut self) {
        self.count += u64::from(std::mem::take(&mut self.has_new));
    }
}

impl SimDevice {
    /// How many round trips there were: waits for work that was queued since the last wait.
    pub fn round_trips(&self) -> u64 {
        self.lock().trips.count
    }

    /// Calls this before each launch from now on, with the launch's number, counted from 0. It must not call the device.
    pub fn on_launch(&self, told: impl FnMut(u64) + Send + 'static) {
        *self.hook.0.lock().unwrap_or_else(PoisonError::into_inner) = (0, Some(Box::new(told)));
    }

    /// How many launches there were since the last [`SimDevice::on_launch`].
    pub fn launches(&self) -> u64 {
        self.hook.0.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// The most bytes that were ever in use at once.
    pub fn peak_bytes(&self) -> u64 {
        self.lock().peak
    }

    /// How many buffers there are.
    pub fn buffers(&self) -> usize {
        self.lock().memory.len()
    }

    /// How many copies to the host nobody has waited for or forgotten.
    pub fn copies(&self) -> usize {
        let state = self.lock();
        let is_asked = |number: &u64| state.ends.contains_key(number);
        let queued =
            state.queue.iter().filter(|((_, number), work)| matches!(work, Work::CopyOut { .. }) && is_asked(number));
        state.copies.len() + queued.count()
    }

    /// How many streams are open.
    pub fn streams(&self) -> usize {
        self.lock().streams.len()
    }
}
