//! [`AsyncPool`]: threads that run queries for callers that do not block. Tasks run first come, first served; a task is
//! refused with an error when too many wait.
//!
//! A thread starts when a task finds no idle one, up to a limit, and stays until the session is dropped. Each task
//! holds its session, so no task is left when the pool is dropped. Dropping the pool joins no thread: one of them may
//! be the thread that drops it.

use crate::error::{Error, ErrorKind, Result};
use crate::sync::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;

/// A task of the pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// The threads of a session. They end when this is dropped.
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
    /// Threads that wait for a task, including those that have just been started.
    idle: usize,
    is_closed: bool,
}

/// A handle of a task that waits or runs.
pub(crate) struct TaskHandle {
    desk: Arc<PoolState>,
    number: u64,
}

impl AsyncPool {
    /// A pool of at most `threads` threads, and at most `queue` tasks that wait for one.
    pub(crate) fn new(threads: usize, queue: usize) -> AsyncPool {
        let (threads_max, state) = (threads.max(1), Mutex::default());
        AsyncPool(Arc::new(PoolState { threads_max, queue_max: queue, state, called: Condvar::new() }))
    }

    /// Queues a task; an error if too many wait already.
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
            // If no thread could be started, the running ones take the task later, unless too many wait.
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

    /// The loop of a thread: runs tasks until the pool is closed.
    fn serve(&self) {
        let mut state = self.lock();
        state.idle -= 1;
        loop {
            if let Some((_, task)) = state.queue.pop_front() {
                drop(state);
                // The promise reports a panic of the query; what panics here is a waker of the caller.
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
    /// Removes the task from the queue if it is still there, and drops everything that it holds.
    pub(crate) fn withdraw(&self) {
        let task = {
            let mut state = self.desk.lock();
            let place = state.queue.iter().position(|(number, _)| *number == self.number);
            place.and_then(|place| state.queue.remove(place))
        };
        // After the lock is released: the task may hold the last reference to the session.
        drop(task);
    }
}
