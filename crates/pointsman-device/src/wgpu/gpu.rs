//! An open adapter: its device and queue, whether it is lost, and the last commands for error messages.
//!
//! The error handlers are installed before the first call, since an error without a handler panics. Errors of creation
//! calls are caught in scopes of the calling thread. After a loss the interface reports no errors, so losses are stored
//! here.

use super::adapters::Adapter;
use super::launch_timestamps;
use crate::call_limit::{self, LIMIT_INTERVAL};
use crate::driver_lock::{DriverGuard, DriverLock};
use crate::sync::Mutex;
use crate::thread_pool::ThreadPool;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use wgpu::{ErrorFilter, Features};

/// The number of commands stored for error messages.
const HISTORY_COMMANDS: usize = 64;
/// The number of commands that a message shows.
const SHOWN_COMMANDS: usize = 8;
/// The maximum number of threads that copy staging memory.
const THREADS_MAX: usize = 4;

/// Waits for a future of the wgpu interface; on native platforms they are ready at once.
pub(super) fn wait_for<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        std::thread::yield_now();
    }
}

#[derive(Default)]
struct DeviceFailures {
    lost: Option<String>,
    uncaptured: Option<String>,
}

/// An open adapter.
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// Held by every call that queues work.
    queue_lock: DriverLock,
    /// Whether the driver may run earlier commands inside a call that queues work.
    blocks_in_submission: bool,
    failures: Arc<Mutex<DeviceFailures>>,
    history: Mutex<VecDeque<String>>,
    /// The number of copies through staging so far.
    staged: AtomicU64,
    /// Threads that copy staging memory, started with the first copy that is worth it.
    thread_pool: OnceLock<ThreadPool>,
}

impl Gpu {
    /// Opens an adapter with its own limits and the features that kernels use.
    pub(super) fn open(adapter: &Adapter) -> DeviceResult<Gpu> {
        let mut wanted =
            Features::SHADER_F64 | Features::SHADER_INT64 | Features::PIPELINE_CACHE | launch_timestamps::FEATURES;
        // Without shared memory, such buffers would be slow.
        wanted.set(Features::MAPPABLE_PRIMARY_BUFFERS, adapter.is_unified);
        let required_limits = adapter.inner.limits();
        let described = wgpu::DeviceDescriptor {
            label: Some("pointsman"),
            required_features: adapter.inner.features() & wanted,
            required_limits,
            memory_hints: wgpu::MemoryHints::Performance,
            ..wgpu::DeviceDescriptor::default()
        };
        let opened = wait_for(adapter.inner.request_device(&described));
        let refused = |error: wgpu::RequestDeviceError| {
            DeviceError::new(DeviceErrorKind::Lost, format!("{} does not open: {error}", adapter.name))
        };
        let (device, queue) = opened.map_err(refused)?;
        let failures = Arc::new(Mutex::new(DeviceFailures::default()));
        let kept = Arc::clone(&failures);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            kept.lock().uncaptured.get_or_insert_with(|| error.to_string());
        }));
        let kept = Arc::clone(&failures);
        device.set_device_lost_callback(move |_, message| {
            kept.lock().lost.get_or_insert(message);
        });
        Ok(Gpu {
            device,
            queue,
            queue_lock: DriverLock::default(),
            blocks_in_submission: adapter.is_software,
            failures,
            history: Mutex::default(),
            staged: AtomicU64::new(0),
            thread_pool: OnceLock::new(),
        })
    }

    /// Destroys the device: every later call reports a loss.
    pub(super) fn destroy(&self) {
        self.failures.lock().lost.get_or_insert_with(|| "it was destroyed".to_string());
        self.device.destroy();
    }

    /// An error if the device is lost, or if a call failed outside a scope.
    pub(super) fn alive(&self) -> DeviceResult<()> {
        let mut failures = self.failures.lock();
        if let Some(why) = &failures.lost {
            return Err(DeviceError::new(
                DeviceErrorKind::Lost,
                self.with_history(&format!("the device is lost: {why}")),
            ));
        }
        match failures.uncaptured.take() {
            Some(error) => Err(DeviceError::new(DeviceErrorKind::Internal, self.with_history(&error))),
            None => Ok(()),
        }
    }

    /// Whether buffers are host memory and can be mapped.
    pub(super) fn is_unified(&self) -> bool {
        self.device.features().contains(Features::MAPPABLE_PRIMARY_BUFFERS)
    }

    /// Runs `work` on up to `threads` threads, including this one.
    pub(super) fn on_threads(&self, threads: usize, work: &(dyn Fn() + Sync)) {
        match threads.min(THREADS_MAX) {
            0 | 1 => work(),
            threads => {
                self.thread_pool
                    .get_or_init(|| ThreadPool::new(THREADS_MAX - 1, "pointsman-copy"))
                    .run(threads - 1, work);
            }
        }
    }

    /// Counts a copy through staging.
    pub(super) fn count_staged(&self) {
        self.staged.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of copies through staging so far.
    pub(super) fn staged(&self) -> u64 {
        self.staged.load(Ordering::Relaxed)
    }

    /// Stores a command for error messages.
    pub(super) fn log_command(&self, command: String) {
        let mut history = self.history.lock();
        if history.len() == HISTORY_COMMANDS {
            history.pop_front();
        }
        history.push_back(command);
    }

    /// Appends the last commands to a message.
    pub(super) fn with_history(&self, message: &str) -> String {
        let history = self.history.lock();
        let shown: Vec<&str> = history.iter().rev().take(SHOWN_COMMANDS).map(String::as_str).collect();
        if shown.is_empty() { message.to_string() } else { format!("{message} (last commands: {})", shown.join("; ")) }
    }

    /// Runs a creation call in error scopes; returns its result or its error.
    pub(super) fn scoped<T>(&self, what: &str, make: impl FnOnce() -> T) -> DeviceResult<T> {
        self.alive()?;
        let filters = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation];
        let guards = filters.map(|filter| self.device.push_error_scope(filter));
        let made = make();
        let mut failed = None;
        for guard in guards.into_iter().rev() {
            failed = wait_for(guard.pop()).or(failed);
        }
        self.alive()?;
        match failed {
            None => Ok(made),
            Some(error) => Err(DeviceError::new(kind_of(&error), self.with_history(&format!("{what}: {error}")))),
        }
    }

    /// Waits for other threads' calls that queue work; an error if the limit of this thread is over first.
    pub(super) fn lock_queue(&self) -> DeviceResult<DriverGuard<'_>> {
        // A dispatch of a forgotten launch may still run. A caller with a limit waits for it here, where it can give
        // up.
        if self.blocks_in_submission && call_limit::is_set() {
            self.wait_for_all(Duration::MAX)?;
        }
        self.queue_lock.acquire()
    }

    /// Runs a call that queues work, like `scoped`, after those of other threads.
    pub(super) fn queue_work<T>(&self, what: &str, queue: impl FnOnce() -> T) -> DeviceResult<T> {
        let _held = self.lock_queue()?;
        self.scoped(what, queue)
    }

    /// Waits until a submission is done.
    pub(super) fn wait(&self, submission: &wgpu::SubmissionIndex, timeout: Duration) -> DeviceResult<()> {
        self.wait_until(Some(submission.clone()), timeout)
    }

    /// Whether a submission is not done yet.
    pub(super) fn is_running(&self, submission: &wgpu::SubmissionIndex) -> bool {
        let waited = self.wait(submission, Duration::ZERO);
        waited.is_err_and(|error| matches!(error.kind, DeviceErrorKind::Timeout | DeviceErrorKind::Expired))
    }

    /// Waits until everything submitted is done.
    pub(super) fn wait_for_all(&self, timeout: Duration) -> DeviceResult<()> {
        self.wait_until(None, timeout)
    }

    fn wait_until(&self, submission_index: Option<wgpu::SubmissionIndex>, timeout: Duration) -> DeviceResult<()> {
        self.alive()?;
        let (start, is_limited) = (Instant::now(), call_limit::is_set());
        let polled = loop {
            // The wait knows neither the limit of this thread nor that a submission of another one holds wgpu's locks.
            if is_limited {
                drop(self.queue_lock.acquire()?);
            }
            let left = timeout.saturating_sub(start.elapsed());
            let slice = if is_limited { left.min(LIMIT_INTERVAL) } else { left };
            let submission_index = submission_index.clone();
            match self.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(slice) }) {
                Err(wgpu::PollError::Timeout) if slice < left => {
                    if call_limit::is_over() {
                        return Err(self.expired());
                    }
                }
                polled => break polled,
            }
        };
        self.alive()?;
        match polled {
            Ok(_) => Ok(()),
            Err(wgpu::PollError::Timeout) => Err(self.timed_out()),
            Err(wgpu::PollError::WrongSubmissionIndex(..)) => {
                Err(DeviceError::new(DeviceErrorKind::Internal, self.with_history("a submission of another device")))
            }
        }
    }

    /// The error of work that was not done in time.
    pub(super) fn timed_out(&self) -> DeviceError {
        DeviceError::new(DeviceErrorKind::Timeout, self.with_history("the work was not done in time"))
    }

    /// The error of a thread whose limit is over.
    pub(super) fn expired(&self) -> DeviceError {
        DeviceError::new(DeviceErrorKind::Expired, self.with_history("the work was not done within the caller's limit"))
    }

    /// Processes finished work without waiting.
    pub(super) fn poll(&self) -> DeviceResult<()> {
        // A poll without waiting cannot time out.
        let _ = self.device.poll(wgpu::PollType::Poll);
        self.alive()
    }

    /// Submits commands.
    pub(super) fn submit(&self, encoder: wgpu::CommandEncoder) -> DeviceResult<wgpu::SubmissionIndex> {
        self.queue_work("a submission", || self.queue.submit([encoder.finish()]))
    }

    /// Creates a command encoder.
    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }
}

fn kind_of(error: &wgpu::Error) -> DeviceErrorKind {
    match error {
        wgpu::Error::OutOfMemory { .. } => DeviceErrorKind::OutOfMemory,
        wgpu::Error::Validation { .. } | wgpu::Error::Internal { .. } => DeviceErrorKind::Internal,
    }
}
