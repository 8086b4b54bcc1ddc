//! The thread that learns, and the queue before it. A caller takes a lock for a few nanoseconds, and wakes the thread at most
//! once in [`PAUSE`].

use super::{Inner, Observation};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The most calls that wait to be learned from.
pub(crate) const QUEUE_MAX: usize = 4096;
/// How long the thread lets calls gather before it learns from the next.
const PAUSE: Duration = Duration::from_millis(10);

/// Calls that wait to be learned from.
#[derive(Default)]
pub(crate) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    calls: Vec<Observation>,
    /// Whether the thread waits for the first of them.
    is_idle: bool,
    is_over: bool,
}

impl Queue {
    /// Puts a call into the queue if there is room; whether nobody has looked at it yet.
    pub(crate) fn push(&self, observation: Observation) -> bool {
        let mut waiting = self.lock();
        let is_first = waiting.calls.is_empty();
        if waiting.calls.len() < QUEUE_MAX {
            waiting.calls.push(observation);
        }
        let wakes = std::mem::take(&mut waiting.is_idle);
        drop(waiting);
        if wakes {
            self.changed.notify_one();
        }
        is_first
    }

    /// All of them.
    pub(crate) fn take(&self) -> Vec<Observation> {
        std::mem::take(&mut self.lock().calls)
    }

    /// Waits for calls; `None` when there will be none.
    fn wait(&self) -> Option<Vec<Observation>> {
        let mut waiting = self.lock();
        waiting.is_idle = waiting.calls.is_empty();
        let is_empty = |waiting: &mut Waiting| waiting.calls.is_empty() && !waiting.is_over;
        waiting = self.changed.wait_while(waiting, is_empty);
        waiting.is_idle = false;
        let is_open = |waiting: &mut Waiting| !waiting.is_over;
        let mut waiting = self.changed.wait_timeout_while(waiting, PAUSE, is_open);
        (!waiting.is_over).then(|| std::mem::take(&mut waiting.calls))
    }

    fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock()
    }
}

/// The thread, started when it is first needed.
#[derive(Default)]
pub(crate) struct Learner(OnceLock<()>);

impl Learner {
    /// Starts it, unless it runs. Where no thread can be had nothing is learned.
    pub(crate) fn start(&self, inner: &Arc<Inner>) {
        self.0.get_or_init(|| {
            let (queue, inner) = (inner.queue.clone(), Arc::downgrade(inner));
            let learn = move || {
                while let Some(calls) = queue.wait() {
                    let Some(inner) = inner.upgrade() else { return };
                    inner.learn(calls);
                }
            };
            drop(std::thread::Builder::new().name("pointsman-learner".to_string()).spawn(learn));
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue.close();
    }
}
