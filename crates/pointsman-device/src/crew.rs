//! Threads that help: in goes a job, and when the call returns every thread that took part is done with it.
//!
//! The caller works too and helpers join if they are free, so a job never waits behind another. A job is a closure that
//! each thread calls once; it finds its own share of the work. Nothing here allocates once the threads have started.

use crate::clock::Moment;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// The most jobs that helpers know of at a time; one more runs on its caller's thread alone.
const JOBS_MAX: usize = 16;

/// How many helpers a thread wakes at most. Those wake others: a caller of many would be busy with that for long.
const CALLS_EACH: usize = 2;
/// How often a call is measured; the shortest counts.
const CALLS: usize = 8;
/// The longest that a call is waited for, in nanoseconds.
const CALL_PATIENCE: u64 = 200_000;

/// A job, as its caller borrowed it.
#[derive(Clone, Copy)]
struct Job(*const (dyn Fn() + Sync + 'static));

// SAFETY: the closure is `Sync`, and `Crew::run` keeps it alive until no thread works on it.
unsafe impl Send for Job {}

/// A job that helpers may join.
struct Post {
    job: Job,
    /// How many more helpers may join.
    wanted: usize,
    /// How many work on it.
    running: usize,
    panicked: bool,
}

struct Posts {
    jobs: [Option<Post>; JOBS_MAX],
    stop: bool,
}

struct Board {
    posts: Mutex<Posts>,
    posted: Condvar,
    left: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Posts> {
        self.posts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a helper does all its life.
    fn help(&self) {
        let mut posts = self.lock();
        while !posts.stop {
            let open = posts.jobs.iter().position(|post| post.as_ref().is_some_and(|post| post.wanted > 0));
            let Some((slot, post)) = open.and_then(|slot| Some((slot, posts.jobs[slot].as_mut()?))) else {
                posts = self.posted.wait(posts).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            (post.wanted, post.running) = (post.wanted - 1, post.running + 1);
            let job = post.job;
            let wanted: usize = posts.jobs.iter().flatten().map(|post| post.wanted).sum();
            drop(posts);
            self.call(wanted.min(CALLS_EACH));
            // SAFETY: `running` counts this thread, and `Crew::run` returns only when it is 0 and nobody can join.
            let job = unsafe { &*job.0 };
            let panicked = catch_unwind(AssertUnwindSafe(job)).is_err();
            posts = self.lock();
            let Some(post) = &mut posts.jobs[slot] else { continue };
            post.running -= 1;
            post.panicked |= panicked;
            // The caller waits for the last.
            if post.running == 0 {
                self.left.notify_all();
            }
        }
    }

    /// Wakes so many helpers, if they sleep.
    fn call(&self, helpers: usize) {
        for _ in 0..helpers {
            self.posted.notify_one();
        }
    }

    /// Lets nobody join any more and waits for those who did; whether one of them panicked.
    fn close(&self, slot: usize) -> bool {
        let mut posts = self.lock();
        loop {
            let Some(post) = &mut posts.jobs[slot] else { return false };
            post.wanted = 0;
            if post.running == 0 {
                return posts.jobs[slot].take().is_some_and(|post| post.panicked);
            }
            posts = self.left.wait(posts).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Closes a job even if its caller's share of it panics.
struct Open<'a>(&'a Board, usize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let panicked = self.0.close(self.1);
        if panicked && !std::thread::panicking() {
            panic!("a thread that helps panicked");
        }
    }
}

/// Threads that help with jobs.
pub(crate) struct Crew {
    board: Arc<Board>,
    helpers: Vec<JoinHandle<()>>,
    call_nanoseconds: OnceLock<u64>,
}

impl Crew {
    /// Starts this many helpers, or as many as the system gives; their names begin with this.
    pub(crate) fn new(helpers: usize, name: &str) -> Crew {
        let posts = Posts { jobs: [const { None }; JOBS_MAX], stop: false };
        let board = Arc::new(Board { posts: Mutex::new(posts), posted: Condvar::new(), left: Condvar::new() });
        let start = |number: usize| {
            let board = board.clone();
            std::thread::Builder::new().name(format!("{name}-{number}")).spawn(move || board.help()).ok()
        };
        let helpers = (0..helpers).map_while(start).collect();
        Crew { board, helpers, call_nanoseconds: OnceLock::new() }
    }

    /// How long it takes until a helper that was called is there; measured once.
    pub(crate) fn call_nanoseconds(&self) -> u64 {
        *self.call_nanoseconds.get_or_init(|| {
            let caller = std::thread::current().id();
            let call = |_| {
                let (start, latest) = (Moment::now(), AtomicU64::new(u64::MAX));
                let job = || {
                    if std::thread::current().id() != caller {
                        latest.store(Moment::now().since(start), Ordering::Relaxed);
                        return;
                    }
                    while latest.load(Ordering::Relaxed) == u64::MAX && Moment::now().since(start) < CALL_PATIENCE {
                        std::hint::spin_loop();
                    }
                };
                self.run(1, &job);
                latest.into_inner().min(CALL_PATIENCE)
            };
            (0..CALLS).map(call).min().unwrap_or(CALL_PATIENCE)
        })
    }

    /// Calls the job on this thread and on up to so many helpers; returns when all of them are done.
    pub(crate) fn run(&self, helpers: usize, job: &(dyn Fn() + Sync)) {
        match self.post(helpers.min(self.helpers.len()), job) {
            Some(open) => {
                job();
                drop(open);
            }
            None => job(),
        }
    }

    /// The same with a job that may fail; the first failure.
    pub(crate) fn try_run<E: Send>(&self, helpers: usize, job: impl Fn() -> Result<(), E> + Sync) -> Result<(), E> {
        let failed = Mutex::new(None);
        self.run(helpers, &|| {
            if let Err(error) = job() {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn post(&self, wanted: usize, job: &(dyn Fn() + Sync)) -> Option<Open<'_>> {
        if wanted == 0 {
            return None;
        }
        // SAFETY: only the lifetime changes. `Open` is dropped before `run` returns, so while the borrow lasts, and from
        // then on no helper has the job or can get it.
        let job = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(job) };
        let mut posts = self.board.lock();
        let slot = posts.jobs.iter().position(Option::is_none)?;
        posts.jobs[slot] = Some(Post { job: Job(job), wanted, running: 0, panicked: false });
        drop(posts);
        self.board.call(wanted.min(CALLS_EACH));
        Some(Open(&self.board, slot))
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.board.lock().stop = true;
        self.board.posted.notify_all();
        for helper in self.helpers.drain(..) {
            // Helpers catch what jobs throw.
            let _ = helper.join();
        }
    }
}

/// Copies on another thread while this one does something else.
pub(crate) fn beside(copy: impl FnOnce() -> DeviceResult<()> + Send, mut beside: impl FnMut()) -> DeviceResult<()> {
    std::thread::scope(|scope| {
        let failed = |what: &str| DeviceError::new(DeviceErrorKind::Transient, what);
        let thread = std::thread::Builder::new().spawn_scoped(scope, copy);
        let thread = thread.map_err(|error| failed(&format!("no thread to copy with: {error}")))?;
        beside();
        thread.join().unwrap_or_else(|_| Err(failed("a thread that copies ended early")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Every thread counts down the shares that are left.
    fn shares_done(crew: &Crew, helpers: usize, shares: usize) -> usize {
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        crew.run(helpers, &|| {
            while next.fetch_add(1, Ordering::Relaxed) < shares {
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        done.into_inner()
    }

    #[test]
    fn every_share_is_done_once() {
        let crew = Crew::new(3, "test");
        for helpers in [0, 1, 2, 3, 9] {
            for shares in [0, 1, 7, 1000] {
                assert_eq!(shares_done(&crew, helpers, shares), shares, "{helpers} helpers");
            }
        }
    }

    #[test]
    fn a_failure_of_any_thread_is_told() {
        let crew = Crew::new(3, "test");
        let shares = AtomicUsize::new(0);
        let done = AtomicUsize::new(0);
        let job = || {
            while shares.fetch_add(1, Ordering::Relaxed) < 100 {
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<(), &str>(())
        };
        assert_eq!((crew.try_run(3, job), done.into_inner()), (Ok(()), 100));
        let turns = AtomicUsize::new(0);
        let failing = || if turns.fetch_add(1, Ordering::Relaxed) == 0 { Err("gone") } else { Ok(()) };
        assert_eq!(crew.try_run(3, failing), Err("gone"));
    }

    #[test]
    fn many_callers_share_a_crew() {
        let crew = Crew::new(2, "test");
        std::thread::scope(|scope| {
            for _ in 0..2 * JOBS_MAX {
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(shares_done(&crew, 2, 100), 100)));
            }
        });
    }

    #[test]
    fn a_panic_reaches_the_caller_and_the_crew_lives_on() {
        let crew = Crew::new(2, "test");
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
        assert!(catch_unwind(AssertUnwindSafe(|| crew.run(1, &job))).is_err());
        let own = catch_unwind(AssertUnwindSafe(|| crew.run(2, &|| panic!("planted"))));
        assert!(own.is_err());
        assert_eq!(shares_done(&crew, 2, 100), 100);
    }

    #[test]
    fn two_things_are_done_at_once() {
        let (ours, theirs) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
        // Each waits for the other.
        let copy = move || {
            theirs.0.send(()).ok();
            ours.1.recv().map_err(|error| DeviceError::new(DeviceErrorKind::Internal, error.to_string()))
        };
        let mut beside_it = 0;
        let done = beside(copy, || {
            beside_it += usize::from(theirs.1.recv().is_ok());
            ours.0.send(()).ok();
        });
        assert_eq!((done, beside_it), (Ok(()), 1));
    }
}
