//! The context of a card: made current before every driver call; it also remembers that the card is lost.
//!
//! It is the card's primary context, which other libraries of the process share, so it is retained and never released:
//! creating it again would cost half a second.

use super::driver_calls::{DriverCalls, DriverHandle, DriverScope};
use super::errors;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long a wait spins before it yields, then how long it yields before it sleeps.
const SPIN: Duration = Duration::from_micros(100);
const YIELD: Duration = Duration::from_millis(1);
/// The longest sleep between two polls.
const SLEEP_MAX: Duration = Duration::from_millis(2);

/// The primary context of a card.
pub(super) struct Context {
    raw: sys::CUcontext,
    lost: OnceLock<DeviceError>,
    calls: Arc<DriverCalls>,
}

// SAFETY: a context may be made current in any thread, and in several at once; the driver locks.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// Retains the primary context of a card. The driver must have been initialized.
    pub(super) fn retain(card: sys::CUdevice) -> DeviceResult<Context> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes; a number that names no card is refused.
        let code = unsafe { sys::cuDevicePrimaryCtxRetain(&mut raw, card) };
        let context = Context { raw, lost: OnceLock::new(), calls: DriverCalls::of(card) };
        context.check(code, "taking the context")?;
        Ok(context)
    }

    /// Makes the context current on this thread; an error once the card is lost.
    pub(super) fn enter(&self) -> DeviceResult<()> {
        if let Some(lost) = self.lost.get() {
            return Err(lost.clone());
        }
        // SAFETY: the context was retained, and is never released.
        self.check(unsafe { sys::cuCtxSetCurrent(self.raw) }, "entering the context")
    }

    /// Makes the context current on this thread and waits until the thread may queue work; an error if its limit is
    /// over first. To be held by every call that the driver may keep waiting (see [`DriverCalls`]).
    pub(super) fn queue(&self) -> DeviceResult<DriverScope<'_>> {
        self.enter()?;
        self.calls.acquire()
    }

    /// Like [`queue`](Context::queue); `None` if this thread would have to wait, or the card is lost.
    pub(super) fn try_queue(&self) -> Option<DriverScope<'_>> {
        if self.enter_to_release() { self.calls.try_acquire() } else { None }
    }

    /// Like [`queue`](Context::queue), for a call that waits for running kernels: everything that was released goes
    /// back to the driver first.
    pub(super) fn wait_for_kernels(&self) -> DeviceResult<DriverScope<'_>> {
        let scope = self.queue()?;
        self.calls.release_all(&scope);
        Ok(scope)
    }

    /// Gives a handle back to the driver, now or later, without waiting. Once the card is lost, nothing can be freed.
    pub(super) fn release(&self, handle: DriverHandle) {
        if self.enter_to_release() {
            self.calls.release(handle);
        }
    }

    /// Makes the context current on this thread to free a resource; false once the card is lost, when nothing can be
    /// freed.
    pub(super) fn enter_to_release(&self) -> bool {
        self.enter().is_ok()
    }

    /// Converts the result of a driver call. An error that ends the context is remembered.
    pub(super) fn check(&self, code: sys::CUresult, doing: &str) -> DeviceResult<()> {
        if code == sys::CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let error = errors::error(code as u32, doing);
        if error.kind != DeviceErrorKind::Lost {
            return Err(error);
        }
        Err(self.lost.get_or_init(|| error).clone())
    }

    /// Converts the result of a query whether work is done.
    pub(super) fn check_done(&self, code: sys::CUresult, doing: &str) -> DeviceResult<bool> {
        if code == sys::CUresult::CUDA_ERROR_NOT_READY {
            return Ok(false);
        }
        self.check(code, doing).map(|()| true)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _ = self.wait_for_kernels();
    }
}

/// Waits until `done` returns true: spins, yields, then sleeps for a thirtieth of the time waited so far. Polls at
/// least once, however short the timeout.
pub(super) fn wait_until(timeout: Duration, mut done: impl FnMut() -> DeviceResult<bool>) -> DeviceResult<()> {
    let start = Instant::now();
    while !done()? {
        let waited = start.elapsed();
        if waited >= timeout {
            return Err(DeviceError::new(DeviceErrorKind::Timeout, format!("timed out after {timeout:?}")));
        }
        if waited < SPIN {
            std::hint::spin_loop();
        } else if waited < YIELD {
            std::thread::yield_now();
        } else {
            std::thread::sleep((waited / 30).min(SLEEP_MAX).min(timeout - waited));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_until_returns_on_success_timeout_and_error() {
        let mut polls = 0;
        let mut third_time = || {
            polls += 1;
            Ok(polls == 3)
        };
        assert_eq!(wait_until(Duration::from_secs(60), &mut third_time), Ok(()));
        let never = wait_until(Duration::ZERO, || Ok(false));
        assert_eq!(never.map_err(|error| error.kind), Err(DeviceErrorKind::Timeout));
        assert_eq!(wait_until(Duration::ZERO, || Ok(true)), Ok(()));
        let lost = || Err(DeviceError::new(DeviceErrorKind::Lost, "gone"));
        assert_eq!(wait_until(Duration::from_secs(60), lost).map_err(|error| error.kind), Err(DeviceErrorKind::Lost));
    }
}
