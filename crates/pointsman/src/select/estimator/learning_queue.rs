//! The thread that learns, and the queue of observations before it. A caller holds a lock for a few nanoseconds, and wakes
//! the thread at most once in [`PAUSE`].

use super::{Inner, Observation};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, OnceLock};
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
        let mut state = self.lock();
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
        std::mem::take(&mut self.lock().observations)
    }

    /// Waits for observations; `None` after the queue was closed.
    fn wait(&self) -> Option<Vec<Observation>> {
        let mut state = self.lock();
        state.is_idle = state.observations.is_empty();
        let is_empty = |state: &mut LearningQueueState| state.observations.is_empty() && !state.is_closed;
        state = self.changed.wait_while(state, is_empty);
        state.is_idle = false;
        let is_open = |state: &mut LearningQueueState| !state.is_closed;
        let mut state = self.changed.wait_timeout_while(state, PAUSE, is_open);
        (!state.is_closed).then(|| std::mem::take(&mut state.observations))
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, LearningQueueState> {
        self.state.lock()
    }
}

/// The thread that learns, started with the first observation. If no thread can be started, nothing is learned.
#[derive(Default)]
pub(super) struct LearningThread(OnceLock<()>);

impl LearningThread {
    pub(super) fn start(&self, inner: &Arc<Inner>) {
        self.0.get_or_init(|| {
            let (queue, inner) = (inner.queue.clone(), Arc::downgrade(inner));
            let learn = move || {
                while let Some(observations) = queue.wait() {
                    let Some(inner) = inner.upgrade() else { return };
                    inner.learn(observations);
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
