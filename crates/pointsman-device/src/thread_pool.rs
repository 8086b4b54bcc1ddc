//! A pool of worker threads. A job is a closure; [`ThreadPool::run`] returns when every thread that took part has
//! finished.
//!
//! The caller works too, and idle workers join, so a job never waits after another. Each thread calls the closure
//! once, and the closure finds its own share of the work. Nothing here allocates once the threads have started.

use crate::clock::FastInstant;
use crate::fork::Process;
use crate::sync::{Condvar, Mutex};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// The maximum number of jobs that workers see at a time. A job beyond that runs on its caller's thread alone.
const JOBS_MAX: usize = 16;

/// The maximum number of workers that a thread wakes. Woken workers wake others, because waking many would keep one
/// caller busy for long.
const WAKES_PER_THREAD: usize = 2;
/// How often the wake-up time is measured; the minimum counts.
const WAKE_SAMPLES: usize = 8;
/// The upper bound of one wake-up measurement, in nanoseconds.
const WAKE_NANOSECONDS_MAX: u64 = 200_000;

/// A job, as borrowed from its caller.
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn() + Sync + 'static));

// SAFETY: the closure is `Sync`, and `ThreadPool::run` keeps it alive until no thread works on it.
unsafe impl Send for Job {}

/// A job that workers may join.
struct OpenJob {
    job: Job,
    /// The number of further workers that may join.
    wanted: usize,
    /// The number of workers that are running the job.
    running: usize,
    panicked: bool,
}

struct JobSlots {
    jobs: [Option<OpenJob>; JOBS_MAX],
    stop: bool,
}

struct JobQueue {
    slots: Mutex<JobSlots>,
    job_posted: Condvar,
    worker_done: Condvar,
}

impl JobQueue {
    /// The loop of a worker thread.
    fn worker_loop(&self) {
        let mut slots = self.slots.lock();
        while !slots.stop {
            let open =
                slots.jobs.iter().position(|open_job| open_job.as_ref().is_some_and(|open_job| open_job.wanted > 0));
            let Some((slot, open_job)) = open.and_then(|slot| Some((slot, slots.jobs[slot].as_mut()?))) else {
                slots = self.job_posted.wait(slots);
                continue;
            };
            (open_job.wanted, open_job.running) = (open_job.wanted - 1, open_job.running + 1);
            let job = open_job.job;
            let wanted: usize = slots.jobs.iter().flatten().map(|open_job| open_job.wanted).sum();
            drop(slots);
            self.wake(wanted.min(WAKES_PER_THREAD));
            // SAFETY: `running` counts this thread, and `ThreadPool::run` returns only when it is 0 and no worker can
            // join.
            let job = unsafe { &*job.0 };
            let panicked = catch_unwind(AssertUnwindSafe(job)).is_err();
            slots = self.slots.lock();
            let Some(open_job) = &mut slots.jobs[slot] else { continue };
            open_job.running -= 1;
            open_job.panicked |= panicked;
            // The caller waits for the last worker.
            if open_job.running == 0 {
                self.worker_done.notify_all();
            }
        }
    }

    /// Wakes up to `workers` sleeping workers.
    fn wake(&self, workers: usize) {
        for _ in 0..workers {
            self.job_posted.notify_one();
        }
    }

    /// Lets no more workers join, waits for those that did, and returns whether one of them panicked.
    fn close(&self, slot: usize) -> bool {
        let mut slots = self.slots.lock();
        loop {
            let Some(open_job) = &mut slots.jobs[slot] else { return false };
            open_job.wanted = 0;
            if open_job.running == 0 {
                return slots.jobs[slot].take().is_some_and(|open_job| open_job.panicked);
            }
            slots = self.worker_done.wait(slots);
        }
    }
}

/// Closes a job even if its caller's share panics.
struct JobGuard<'a>(&'a JobQueue, usize);

impl Drop for JobGuard<'_> {
    fn drop(&mut self) {
        let panicked = self.0.close(self.1);
        if panicked && !std::thread::panicking() {
            panic!("a worker thread panicked");
        }
    }
}

/// A pool of worker threads.
pub(crate) struct ThreadPool {
    queue: Arc<JobQueue>,
    workers: Vec<JoinHandle<()>>,
    wake_nanoseconds: OnceLock<u64>,
    /// The process that has the workers.
    process: Process,
}

impl ThreadPool {
    /// Starts `workers` threads, or as many as the system allows, with names that begin with `name`.
    pub(crate) fn new(workers: usize, name: &str) -> ThreadPool {
        let slots = JobSlots { jobs: [const { None }; JOBS_MAX], stop: false };
        let queue =
            Arc::new(JobQueue { slots: Mutex::new(slots), job_posted: Condvar::new(), worker_done: Condvar::new() });
        let start = |number: usize| {
            let queue = queue.clone();
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || queue.worker_loop()).ok()
        };
        let workers = (0..workers).map_while(start).collect();
        ThreadPool { queue, workers, wake_nanoseconds: OnceLock::new(), process: Process::current() }
    }

    /// The time from waking a worker until it runs, in nanoseconds; measured once.
    pub(crate) fn wake_nanoseconds(&self) -> u64 {
        *self.wake_nanoseconds.get_or_init(|| {
            let caller = std::thread::current().id();
            let wake_once = |_| {
                let (start, latest) = (FastInstant::now(), AtomicU64::new(u64::MAX));
                let job = || {
                    if std::thread::current().id() != caller {
                        latest.store(FastInstant::now().since(start), Ordering::Relaxed);
                        return;
                    }
                    while latest.load(Ordering::Relaxed) == u64::MAX
                        && FastInstant::now().since(start) < WAKE_NANOSECONDS_MAX
                    {
                        std::hint::spin_loop();
                    }
                };
                self.run(1, &job);
                latest.into_inner().min(WAKE_NANOSECONDS_MAX)
            };
            (0..WAKE_SAMPLES).map(wake_once).min().unwrap_or(WAKE_NANOSECONDS_MAX)
        })
    }

    /// Calls the job on this thread and on up to `workers` workers; returns when all of them are done.
    pub(crate) fn run(&self, workers: usize, job: &(dyn Fn() + Sync)) {
        match self.open_job(workers.min(self.workers.len()), job) {
            Some(open) => {
                job();
                drop(open);
            }
            None => job(),
        }
    }

    /// Calls a fallible job on this thread and on up to `workers` workers; returns the first error.
    pub(crate) fn try_run<E: Send>(&self, workers: usize, job: impl Fn() -> Result<(), E> + Sync) -> Result<(), E> {
        let failed = Mutex::new(None);
        self.run(workers, &|| {
            if let Err(error) = job() {
                failed.lock().get_or_insert(error);
            }
        });
        failed.into_inner().map_or(Ok(()), Err)
    }

    fn open_job(&self, wanted: usize, job: &(dyn Fn() + Sync)) -> Option<JobGuard<'_>> {
        // In a forked child there are no workers, and one of them may have held the lock.
        if wanted == 0 || !self.process.is_same() {
            return None;
        }
        // SAFETY: only the lifetime changes. `JobGuard` is dropped before `run` returns, so within the borrow, and from
        // then on no worker has the job or can get it.
        let job = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(job) };
        let mut slots = self.queue.slots.lock();
        let slot = slots.jobs.iter().position(Option::is_none)?;
        slots.jobs[slot] = Some(OpenJob { job: Job(job), wanted, running: 0, panicked: false });
        drop(slots);
        self.queue.wake(wanted.min(WAKES_PER_THREAD));
        Some(JobGuard(&self.queue, slot))
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        // In a forked child there are no workers: joining them would panic or wait forever.
        if !self.process.is_current() {
            self.workers.drain(..).for_each(std::mem::forget);
            return;
        }
        self.queue.slots.lock().stop = true;
        self.queue.job_posted.notify_all();
        for worker in self.workers.drain(..) {
            // Workers catch the panics of jobs.
            let _ = worker.join();
        }
    }
}

/// Runs `copy` on another thread while this thread runs `while_copying`.
pub(crate) fn run_while_copying(
    copy: impl FnOnce() -> DeviceResult<()> + Send,
    mut while_copying: impl FnMut(),
) -> DeviceResult<()> {
    std::thread::scope(|scope| {
        let failed = |what: &str| DeviceError::new(DeviceErrorKind::Transient, what);
        let thread = std::thread::Builder::new().spawn_scoped(scope, copy);
        let thread = thread.map_err(|error| failed(&format!("no thread for the copy: {error}")))?;
        while_copying();
        thread.join().unwrap_or_else(|_| Err(failed("the copying thread panicked")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Every thread takes shares until none is left; returns how many were done.
    fn shares_done(thread_pool: &ThreadPool, workers: usize, shares: usize) -> usize {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread_pool.run(workers, &|| {
            while next.fetch_add(1, Ordering::Relaxed) < shares {
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        done.into_inner()
    }

    #[test]
    fn every_share_runs_once() {
        let thread_pool = ThreadPool::new(3, "test");
        for workers in [0, 1, 2, 3, 9] {
            for shares in [0, 1, 7, 1000] {
                assert_eq!(shares_done(&thread_pool, workers, shares), shares, "{workers} workers");
            }
        }
    }

    #[test]
    fn try_run_returns_the_error_of_any_thread() {
        let thread_pool = ThreadPool::new(3, "test");
        let shares = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let job = || {
            while shares.fetch_add(1, Ordering::Relaxed) < 100 {
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), &str>(())
        };
        assert_eq!((thread_pool.try_run(3, job), done.into_inner()), (Ok(()), 100));
        let turns = AtomicUsize::new(0);
        let failing = || if turns.fetch_add(1, Ordering::Relaxed) == 0 { Err("gone") } else { Ok(()) };
        assert_eq!(thread_pool.try_run(3, failing), Err("gone"));
    }

    #[test]
    fn many_callers_share_a_pool() {
        let thread_pool = ThreadPool::new(2, "test");
        std::thread::scope(|scope| {
            for _ in 0..2 * JOBS_MAX {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(shares_done(&thread_pool, 2, 100), 100)));
            }
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_pool_stays_usable() {
        let thread_pool = ThreadPool::new(2, "test");
        let caller = std::thread::current().id();
        let arrived = AtomicUsize::new(0);
        let job = || {
            arrived.fetch_add(1, Ordering::SeqCst);
            if std::thread::current().id() == caller {
                while arrived.load(Ordering::SeqCst) < 2 {
                    std::hint::spin_loop();
                }
            } else {
                panic!("planted");
            }
        };
        assert!(catch_unwind(AssertUnwindSafe(|| thread_pool.run(1, &job))).is_err());
        let own = catch_unwind(AssertUnwindSafe(|| thread_pool.run(2, &|| panic!("planted"))));
        assert!(own.is_err());
        assert_eq!(shares_done(&thread_pool, 2, 100), 100);
    }

    #[test]
    fn run_while_copying_runs_both_closures_concurrently() {
        let (ours, theirs) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
        // Each side waits for the other.
        let copy = move || {
            theirs.0.send(()).ok();
            ours.1.recv().map_err(|error| DeviceError::new(DeviceErrorKind::Internal, error.to_string()))
        };
        let mut beside_it = 0;
        let done = run_while_copying(copy, || {
            beside_it += usize::from(theirs.1.recv().is_ok());
            ours.0.send(()).ok();
        });
        assert_eq!((done, beside_it), (Ok(()), 1));
    }
}
