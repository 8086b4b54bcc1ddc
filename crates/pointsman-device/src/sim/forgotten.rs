//! Launches that nobody asks about any more: kept while they are under way, gone when they end.

use super::{NEVER, SimDevice, State};
use crate::{DeviceResult, LaunchId, Outcome};

impl SimDevice {
    /// Ends what hangs, as a driver does that recovers: it is done now.
    pub fn recover(&self) {
        let (mut state, now) = (self.lock(), self.clock.now());
        let hung: Vec<_> = state.queue.extract_if((NEVER, 0).., |_, _| true).collect();
        for ((_, number), work) in hung {
            state.ends.insert(number, now);
            state.queue.insert((now, number), work);
        }
        for end in state.streams.values_mut().filter(|end| **end == NEVER) {
            *end = now;
        }
        state.settle(now);
    }
}

impl State {
    /// Keeps what came of a launch for whoever asks.
    pub(super) fn landed(&mut self, launch: LaunchId, outcome: DeviceResult<Outcome>) {
        if self.forgotten.remove(&launch) {
            self.ends.remove(&launch.0);
        } else {
            self.launches.insert(launch, outcome);
        }
    }

    /// Nobody will ask about a launch.
    pub(super) fn forget(&mut self, launch: LaunchId) {
        if self.launches.remove(&launch).is_some() {
            self.ends.remove(&launch.0);
        } else if self.queue.keys().any(|(_, number)| *number == launch.0) {
            self.forgotten.insert(launch);
        }
    }
}
