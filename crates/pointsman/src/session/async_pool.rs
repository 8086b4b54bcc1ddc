//! [`AsyncPool`]: threads that run queries for callers that do not block. Tasks run first come, first served; a task is
//! refused with an error when too many wait.
//!
//! A thread starts when a task finds no idle one, up to a limit, and stays until the session is dropped. Each task
//! holds its session, so no task is left when the pool is dropped. Dropping the pool joins no thread: one of them may
//! be the thread that drops it.
//!
//! All threads may be busy with long queries when the deadline of a waiting task passes or its token is cancelled. One
//! additional thread takes only such tasks and ends them at once with the error.

use crate::error::{Error, ErrorKind, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::sync::{Condvar, Mutex};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// How often waiting tasks are checked for a limit that is over.
const LIMIT_POLL: Duration = Duration::from_millis(5);

/// A task of the pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// How long a task may wait for a thread.
pub(crate) struct TaskLimit {
    /// By the session's clock.
    pub(crate) deadline: Option<Duration>,
    /// The token that the caller gave to the query.
    pub(crate) token: Option<CancellationToken>,
}

impl TaskLimit {
    fn is_some(&self) -> bool {
        self.deadline.is_some() || self.token.is_some()
    }

    fn is_over(&self, now: Duration) -> bool {
        self.deadline.is_some_and(|deadline| now >= deadline)
            || self.token.as_ref().is_some_and(CancellationToken::is_cancelled)
    }
}

/// The threads of a session. They end when this is dropped.
pub(crate) struct AsyncPool(Arc<AsyncPoolShared>);

struct AsyncPoolShared {
    threads_max: usize,
    queue_max: usize,
    clock: Arc<dyn Clock>,
    queue: Mutex<TaskQueue>,
    task_added: Condvar,
    closed: Condvar,
}

/// A task that waits for a thread.
struct WaitingTask {
    number: u64,
    limit: TaskLimit,
    run: Task,
}

#[derive(Default)]
struct TaskQueue {
    tasks: VecDeque<WaitingTask>,
    /// The number of the next task.
    next: u64,
    threads: usize,
    /// Threads that wait for a task, including those that have just been started.
    idle: usize,
    /// Whether a thread watches the limits of waiting tasks.
    is_watched: bool,
    is_closed: bool,
}

/// A handle of a task that waits or runs.
pub(crate) struct TaskHandle {
    pool: Arc<AsyncPoolShared>,
    number: u64,
}

impl AsyncPool {
    /// A pool of at most `threads` threads, and at most `queue` tasks that wait for one.
    pub(crate) fn new(threads: usize, queue: usize, clock: Arc<dyn Clock>) -> AsyncPool {
        let (threads_max, queue_max, queue) = (threads.max(1), queue, Mutex::default());
        let (task_added, closed) = (Condvar::new(), Condvar::new());
        AsyncPool(Arc::new(AsyncPoolShared { threads_max, queue_max, clock, queue, task_added, closed }))
    }

    /// Queues a task; an error if too many wait already.
    pub(crate) fn submit(&self, run: Task, limit: TaskLimit) -> Result<TaskHandle> {
        let pool = &self.0;
        let mut queue = pool.queue.lock();
        let has_thread = queue.idle > queue.tasks.len() || queue.threads < pool.threads_max;
        if !has_thread && queue.waiting() >= pool.queue_max {
            drop(queue);
            return Err(full(pool.queue_max));
        }
        let number = queue.next;
        queue.next += 1;
        let is_limited = limit.is_some();
        queue.tasks.push_back(WaitingTask { number, limit, run });
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
        if is_limited && queue.waiting() > 0 && !queue.is_watched {
            let own = pool.clone();
            // Without the thread, the task waits for one of the others.
            let watches = Builder::new().name("pointsman-limits".to_string()).spawn(move || own.end_expired_tasks());
            queue.is_watched = watches.is_ok();
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
        self.0.closed.notify_all();
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
            if let Some(task) = queue.tasks.pop_front() {
                drop(queue);
                task.run();
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

    /// The loop of the thread that watches limits: runs tasks whose limit is over, until no waiting task has one.
    fn end_expired_tasks(&self) {
        let mut queue = self.queue.lock();
        loop {
            let now = self.clock.now();
            let expired = queue.tasks.iter().position(|task| task.limit.is_over(now));
            if let Some(task) = expired.and_then(|position| queue.tasks.remove(position)) {
                drop(queue);
                task.run();
                queue = self.queue.lock();
            } else if queue.is_closed || !queue.tasks.iter().any(|task| task.limit.is_some()) {
                queue.is_watched = false;
                return;
            } else {
                queue = self.closed.wait_timeout_while(queue, LIMIT_POLL, |queue| !queue.is_closed);
            }
        }
    }
}

impl WaitingTask {
    fn run(self) {
        // The promise reports a panic of the query; what panics here is a waker of the caller.
        let _ = catch_unwind(AssertUnwindSafe(self.run));
    }
}

impl TaskHandle {
    /// Removes the task from the queue if it is still there, and drops everything that it holds.
    pub(crate) fn withdraw(&self) {
        let task = {
            let mut queue = self.pool.queue.lock();
            let position = queue.tasks.iter().position(|task| task.number == self.number);
            position.and_then(|position| queue.tasks.remove(position))
        };
        // After the lock is released: the task may hold the last reference to the session.
        drop(task);
    }
}
