//! The thread that learns, and the queue of observations before it. A caller holds a lock for a few nanoseconds, and wakes
//! the thread at most once in [`PAUSE`].

use super::{Inner, Observation};
use crate::sync::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;

/// The most observations that wait. Further ones are dropped.
const QUEUE_MAX: usize = 4096;
/// The thread lets observations gather for this long, so that it wakes at most 500 times a second.
const PAUSE: Duration = Duration::from_millis(2);

/// Observations that wait to be learned from.
#[derive(Default)]
pub(super) struct LearningQueue {
    state: Mutex<LearningQueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct LearningQueueState {
    observations: Vec<Observation>,
    /// Whether the thread waits for the first observation.
    is_idle: bool,
    is_closed: bool,
}

impl LearningQueue {
    /// Adds an observation if there is room; returns whether the queue was empty.
    pub(super) fn push(&self, observation: Observation) -> bool {
        let mut state = self.state.lock();
        let is_first = state.observations.is_empty();
        if state.observations.len() < QUEUE_MAX {
            state.observations.push(observation);
        }
        let wakes = std::mem::take(&mut state.is_idle);
        drop(state);
        if wakes {
            self.changed.notify_one();
        }
        is_first
    }

    /// Takes all observations.
    pub(super) fn take(&self) -> Vec<Observation> {
        std::mem::take(&mut self.state.lock().observations)
    }

    /// Waits until there are observations, and lets more of them gather; false after the queue was closed.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        state.is_idle = state.observations.is_empty();
        let is_empty = |state: &mut LearningQueueState| state.observations.is_empty() && !state.is_closed;
        state = self.changed.wait_while(state, is_empty);
        state.is_idle = false;
        !self.changed.wait_timeout_while(state, PAUSE, |state| !state.is_closed).is_closed
    }

    fn close(&self) {
        self.state.lock().is_closed = true;
        self.changed.notify_all();
    }
}

impl Inner {
    /// Starts the thread that learns, once. If no thread can be started, nothing is learned.
    pub(super) fn start_learning(self: &Arc<Inner>) {
        self.learning_started.call_once(|| {
            let (queue, inner) = (self.queue.clone(), Arc::downgrade(self));
            let learn = move || {
                while queue.wait() {
                    let Some(inner) = inner.upgrade() else { return };
                    inner.learn_queued();
                }
            };
            drop(std::thread::Builder::new().name("pointsman-learning".to_string()).spawn(learn));
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue.close();
    }
}
