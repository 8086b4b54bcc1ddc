//! [`AsyncPool`]: threads that run queries for callers that do not block. Tasks run first come, first served; a task is
//! refused with an error when too many wait.
//!
//! A thread starts when a task finds no idle one, up to a limit, and stays until the session is dropped. Each task
//! holds its session, so no task is left when the pool is dropped. Dropping the pool joins no thread: one of them may
//! be the thread that drops it.

use crate::error::{Error, ErrorKind, Result};
use crate::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;

/// A task of the pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// The threads of a session. They end when this is dropped.
pub(crate) struct AsyncPool(Arc<AsyncPoolShared>);

struct AsyncPoolShared {
    threads_max: usize,
    queue_max: usize,
    queue: Mutex<TaskQueue>,
    task_added: Condvar,
}

#[derive(Default)]
struct TaskQueue {
    tasks: VecDeque<(u64, Task)>,
    /// The number of the next task.
    next: u64,
    threads: usize,
    /// Threads that wait for a task, including those that have just been started.
    idle: usize,
    is_closed: bool,
}

/// A handle of a task that waits or runs.
pub(crate) struct TaskHandle {
    pool: Arc<AsyncPoolShared>,
    number: u64,
}

impl AsyncPool {
    /// A pool of at most `threads` threads, and at most `queue` tasks that wait for one.
    pub(crate) fn new(threads: usize, queue: usize) -> AsyncPool {
        let (threads_max, queue_max, queue) = (threads.max(1), queue, Mutex::default());
        AsyncPool(Arc::new(AsyncPoolShared { threads_max, queue_max, queue, task_added: Condvar::new() }))
    }

    /// Queues a task; an error if too many wait already.
    pub(crate) fn submit(&self, task: Task) -> Result<TaskHandle> {
        let pool = &self.0;
        let mut queue = pool.queue.lock();
        let has_thread = queue.idle > queue.tasks.len() || queue.threads < pool.threads_max;
        if !has_thread && queue.waiting() >= pool.queue_max {
            drop(queue);
            return Err(full(pool.queue_max));
        }
        let number = queue.next;
        queue.next += 1;
        queue.tasks.push_back((number, task));
        if queue.idle < queue.tasks.len() && queue.threads < pool.threads_max {
            let own = pool.clone();
            let started = Builder::new().name("pointsman-async".to_string()).spawn(move || own.run_tasks());
            queue.threads += usize::from(started.is_ok());
            queue.idle += usize::from(started.is_ok());
            // If no thread could be started, the running ones take the task later, unless too many wait.
            if let (Err(error), true) = (started, queue.threads == 0 || queue.waiting() > pool.queue_max) {
                let task = queue.tasks.pop_back();
                drop(queue);
                drop(task);
                return Err(Error::new(ErrorKind::Unavailable, format!("there is no thread for the query: {error}")));
            }
        }
        pool.task_added.notify_one();
        Ok(TaskHandle { pool: pool.clone(), number })
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
        self.0.queue.lock().is_closed = true;
        self.0.task_added.notify_all();
    }
}

impl TaskQueue {
    /// The tasks for which no idle thread is left.
    fn waiting(&self) -> usize {
        self.tasks.len().saturating_sub(self.idle)
    }
}

impl AsyncPoolShared {
    /// The loop of a thread: runs tasks until the pool is closed.
    fn run_tasks(&self) {
        let mut queue = self.queue.lock();
        queue.idle -= 1;
        loop {
            if let Some((_, task)) = queue.tasks.pop_front() {
                drop(queue);
                // The promise reports a panic of the query; what panics here is a waker of the caller.
                let _ = catch_unwind(AssertUnwindSafe(task));
                queue = self.queue.lock();
            } else if queue.is_closed {
                return;
            } else {
                queue.idle += 1;
                queue = self.task_added.wait(queue);
                queue.idle -= 1;
            }
        }
    }
}

impl TaskHandle {
    /// Removes the task from the queue if it is still there, and drops everything that it holds.
    pub(crate) fn withdraw(&self) {
        let task = {
            let mut queue = self.pool.queue.lock();
            let position = queue.tasks.iter().position(|(number, _)| *number == self.number);
            position.and_then(|position| queue.tasks.remove(position))
        };
        // After the lock is released: the task may hold the last reference to the session.
        drop(task);
    }
}
