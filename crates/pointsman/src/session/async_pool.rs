//! [`AsyncPool`]: threads that run queries for callers who do not wait for them. In go tasks, first come, first served; out
//! comes an error when too many wait.
//!
//! Threads start when there is work and nobody free, up to a limit, and stay until the session goes. A task holds its
//! session, so when the office closes no task is left, and nobody waits for a thread that may be the one that closes it.

use crate::error::{Error, ErrorKind, Result};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;

/// What a thread runs.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// A session's hold on its threads: they end when it goes.
pub(crate) struct AsyncPool(Arc<PoolState>);

struct PoolState {
    threads_max: usize,
    queue_max: usize,
    state: Mutex<State>,
    called: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(u64, Task)>,
    /// The number of the next task.
    next: u64,
    threads: usize,
    /// Threads that wait for a task, and those that were just started.
    idle: usize,
    is_closed: bool,
}

/// A task that waits or runs.
pub(crate) struct TaskHandle {
    desk: Arc<PoolState>,
    number: u64,
}

impl AsyncPool {
    /// So many threads at most, and so many tasks that wait for one.
    pub(crate) fn new(threads: usize, queue: usize) -> AsyncPool {
        let (threads_max, state) = (threads.max(1), Mutex::default());
        AsyncPool(Arc::new(PoolState { threads_max, queue_max: queue, state, called: Condvar::new() }))
    }

    /// Has a task run, unless too many wait already.
    pub(crate) fn submit(&self, task: Task) -> Result<TaskHandle> {
        let desk = &self.0;
        let mut state = desk.lock();
        let has_hands = state.idle > state.queue.len() || state.threads < desk.threads_max;
        if !has_hands && state.queue.len() - state.idle.min(state.queue.len()) >= desk.queue_max {
            drop(state);
            return Err(full(desk.queue_max));
        }
        let number = state.next;
        state.next += 1;
        state.queue.push_back((number, task));
        if state.idle < state.queue.len() && state.threads < desk.threads_max {
            let serving = desk.clone();
            let started = Builder::new().name("pointsman-async".to_string()).spawn(move || serving.serve());
            (state.threads, state.idle) =
                (state.threads + usize::from(started.is_ok()), state.idle + usize::from(started.is_ok()));
            // Those that there are take it in turn, as long as not too many wait.
            let waiting = state.queue.len() - state.idle.min(state.queue.len());
            if let (Err(error), true) = (started, state.threads == 0 || waiting > desk.queue_max) {
                let task = state.queue.pop_back();
                drop(state);
                drop(task);
                return Err(Error::new(ErrorKind::Unavailable, format!("there is no thread for the query: {error}")));
            }
        }
        desk.called.notify_one();
        Ok(TaskHandle { desk: desk.clone(), number })
    }
}

fn full(limit: usize) -> Error {
    let text = format!(
        "{limit} queries wait for a thread already, the limit of the session: ask again later, await some of them first, \
         or raise `SessionOptions::async_queue_limit`"
    );
    Error::new(ErrorKind::Busy, text)
}

impl Drop for AsyncPool {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.called.notify_all();
    }
}

impl PoolState {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// What a thread does all its life.
    fn serve(&self) {
        let mut state = self.lock();
        state.idle -= 1;
        loop {
            if let Some((_, task)) = state.queue.pop_front() {
                drop(state);
                // What a query panics with is its answer; what is left is a waker of the caller's.
                let _ = catch_unwind(AssertUnwindSafe(task));
                state = self.lock();
            } else if state.is_closed {
                return;
            } else {
                state.idle += 1;
                state = self.called.wait(state);
                state.idle -= 1;
            }
        }
    }
}

impl TaskHandle {
    /// Takes the task out of the queue, if it is still there, and with it all that it holds.
    pub(crate) fn withdraw(&self) {
        let task = {
            let mut state = self.desk.lock();
            let place = state.queue.iter().position(|(number, _)| *number == self.number);
            place.and_then(|place| state.queue.remove(place))
        };
        // Behind the lock: it may be the last to hold the session.
        drop(task);
    }
}
