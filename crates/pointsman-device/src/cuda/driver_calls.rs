//! [`DriverCalls`]: the lock for calls into a card's driver, and the handles to be destroyed later.
//!
//! Some calls wait for all running kernels: loading a program, freeing pinned memory, unlocking pages. While they wait,
//! other threads cannot queue work: the driver keeps them waiting, whatever their limit. So calls of both kinds hold
//! one lock of ours, which is waited for within the limit of the thread. (Measured with driver 580: launches, copies,
//! and making, recording and destroying events and streams wait; queries of events and streams and the memory pool do
//! not. Unloading a program waits too, but does not make other threads wait.)
//!
//! Nothing that is dropped waits: events and streams that cannot be destroyed now are destroyed with the next call, and
//! programs and pinned memory when a program is loaded, which waits for running kernels in any case.

use crate::DeviceResult;
use crate::driver_lock::{DriverGuard, DriverLock};
use crate::sync::Mutex;
use cudarc::driver::sys;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most handles that wait until a program is loaded.
const WAITING_MAX: usize = 64;

/// A handle of the driver that nothing uses any more.
pub(super) enum DriverHandle {
    /// An event.
    Event(sys::CUevent),
    /// A stream. The driver lets its work finish.
    Stream(sys::CUstream),
    /// Loaded code that no work uses.
    Module(sys::CUmodule),
    /// Pinned memory that the driver allocated.
    Pinned(NonNull<u8>),
    /// A plan of cuFFT, whose tables no work uses.
    #[cfg(feature = "calls")]
    FftPlan {
        /// cuFFT's number of the plan.
        raw: i32,
        /// cuFFT's function that destroys it.
        destroy: unsafe extern "C" fn(i32) -> u32,
    },
}

// SAFETY: handles of the driver mean the same in every thread.
unsafe impl Send for DriverHandle {}

impl DriverHandle {
    /// Whether the driver waits for running kernels before it takes the handle back.
    fn waits_for_kernels(&self) -> bool {
        match self {
            DriverHandle::Event(_) | DriverHandle::Stream(_) => false,
            DriverHandle::Module(_) | DriverHandle::Pinned(_) => true,
            #[cfg(feature = "calls")]
            DriverHandle::FftPlan { .. } => true,
        }
    }

    /// Gives the handle back to the driver. The context is current.
    fn give_back(self) {
        let _ = match self {
            // SAFETY: the event was made by the driver, and nothing uses it any more.
            DriverHandle::Event(event) => unsafe { sys::cuEventDestroy_v2(event) },
            // SAFETY: as above.
            DriverHandle::Stream(stream) => unsafe { sys::cuStreamDestroy_v2(stream) },
            // SAFETY: the module was loaded, nothing refers to it any more, and no work uses it.
            DriverHandle::Module(module) => unsafe { sys::cuModuleUnload(module) },
            // SAFETY: the driver allocated this memory, and nothing on the host refers to it any more.
            DriverHandle::Pinned(start) => unsafe { sys::cuMemFreeHost(start.as_ptr().cast()) },
            #[cfg(feature = "calls")]
            DriverHandle::FftPlan { raw, destroy } => {
                // SAFETY: the plan was made by this library, nothing refers to it any more, and no work uses it.
                let _ = unsafe { destroy(raw) };
                return;
            }
        };
    }
}

/// The calls into the driver of one card. All devices of a process that are the same card share them, as they share its
/// context.
#[derive(Default)]
pub(super) struct DriverCalls {
    lock: DriverLock,
    /// The thread that holds the lock, by [`this_thread`]; 0 if none does.
    holder: AtomicUsize,
    /// Handles to be given back.
    dropped: Mutex<Vec<DriverHandle>>,
}

/// The right to call the driver, until it is dropped. A thread may hold several.
pub(super) struct DriverScope<'a> {
    calls: &'a DriverCalls,
    /// `None` if the thread held the lock before.
    guard: Option<DriverGuard<'a>>,
}

impl Drop for DriverScope<'_> {
    fn drop(&mut self) {
        if self.guard.is_some() {
            self.calls.holder.store(0, Ordering::Relaxed);
        }
    }
}

/// The calls of each card that this process has opened.
static CARDS: Mutex<Vec<(sys::CUdevice, Arc<DriverCalls>)>> = Mutex::new(Vec::new());

impl DriverCalls {
    /// The calls of a card.
    pub(super) fn of(card: sys::CUdevice) -> Arc<DriverCalls> {
        let mut cards = CARDS.lock();
        if let Some((_, calls)) = cards.iter().find(|(one, _)| *one == card) {
            return calls.clone();
        }
        let calls = Arc::<DriverCalls>::default();
        cards.push((card, calls.clone()));
        calls
    }

    /// Waits until this thread may call the driver; an error if its limit is over first. The context is current.
    pub(super) fn acquire(&self) -> DeviceResult<DriverScope<'_>> {
        if self.holder.load(Ordering::Relaxed) == this_thread() {
            return Ok(DriverScope { calls: self, guard: None });
        }
        Ok(self.hold(self.lock.acquire()?))
    }

    /// The right to call the driver, if no other thread has it. The context is current.
    pub(super) fn try_acquire(&self) -> Option<DriverScope<'_>> {
        if self.holder.load(Ordering::Relaxed) == this_thread() {
            return Some(DriverScope { calls: self, guard: None });
        }
        self.lock.try_acquire().map(|guard| self.hold(guard))
    }

    fn hold<'a>(&'a self, guard: DriverGuard<'a>) -> DriverScope<'a> {
        self.holder.store(this_thread(), Ordering::Relaxed);
        let scope = DriverScope { calls: self, guard: Some(guard) };
        self.give_back(|handle| !handle.waits_for_kernels());
        scope
    }

    /// Gives a handle back to the driver, now or later. The context is current.
    pub(super) fn release(&self, handle: DriverHandle) {
        let mut dropped = self.dropped.lock();
        dropped.push(handle);
        let waiting = dropped.iter().filter(|handle| handle.waits_for_kernels()).count();
        drop(dropped);
        // Taking the lock gives back what does not wait.
        if let Some(scope) = self.try_acquire()
            && waiting > WAITING_MAX
        {
            self.release_all(&scope);
        }
    }

    /// Gives back everything. To be called where waiting for running kernels is allowed, with the context current.
    pub(super) fn release_all(&self, _: &DriverScope<'_>) {
        self.give_back(|_| true);
    }

    fn give_back(&self, is_taken: impl Fn(&DriverHandle) -> bool) {
        let taken: Vec<DriverHandle> = self.dropped.lock().extract_if(.., |handle| is_taken(handle)).collect();
        taken.into_iter().for_each(DriverHandle::give_back);
    }
}

/// A number of this thread that no other living thread has.
fn this_thread() -> usize {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceErrorKind;
    use crate::call_limit::{self, CallLimit};
    use std::time::{Duration, Instant};

    #[test]
    fn a_thread_may_call_again_while_others_give_up() {
        let calls = DriverCalls::default();
        let outer = calls.acquire().expect("it is free");
        let inner = calls.acquire().expect("this thread holds it");
        drop(inner);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                assert!(calls.try_acquire().is_none(), "another thread holds it");
                let until = Some(Instant::now() + Duration::from_millis(20));
                let _limit = call_limit::set(CallLimit { until, is_cancelled: None });
                calls.acquire().map(drop).expect_err("another thread holds it")
            });
            assert_eq!(other.join().expect("no panic").kind, DeviceErrorKind::Expired);
        });
        drop(outer);
        std::thread::scope(|scope| {
            scope.spawn(|| calls.acquire().map(drop)).join().expect("no panic").expect("it was released");
        });
    }
}
