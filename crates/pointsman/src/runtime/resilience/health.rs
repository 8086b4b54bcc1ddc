//! [`Health`]: what a session knows about a device that may fail: its breakers, what its compiler refused, whether it is
//! gone, and the tries that its calls have paid for.

use super::breaker::{Breaker, Permit, Shut};
use super::clock::Clock;
use super::retry::Budget;
use crate::error::{Error, ErrorKind};
use crate::runtime::cache::Cache;
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The most kernels a device remembers failures of; the one not used for longest is forgotten.
const KERNELS_MAX: usize = 1024;
/// How long a kernel that the device's compiler refused is not compiled again.
const REFUSED_FOR: Duration = Duration::from_secs(60);

/// What is known about a device.
pub(crate) struct Health {
    breaker: Breaker,
    kernels: Cache<Kernel, KernelHealth>,
    /// Why the device is gone.
    lost: OnceLock<String>,
    pub(crate) budget: Budget,
}

/// What is known about a kernel on a device.
pub(crate) struct KernelHealth {
    breaker: Breaker,
    refusal: Mutex<Option<Refusal>>,
}

#[derive(Clone)]
struct Refusal {
    until: Duration,
    error: Error,
}

/// The leave to run a query on a device: the device's, and that of each of its kernels.
pub(crate) struct Leave<'h> {
    device: Permit<'h>,
    kernels: Vec<Permit<'h>>,
}

impl Health {
    pub(crate) fn new() -> Health {
        Health {
            breaker: Breaker::new(),
            kernels: Cache::new(KERNELS_MAX),
            lost: OnceLock::new(),
            budget: Budget::new(),
        }
    }

    /// What is known about a kernel.
    pub(crate) fn kernel(&self, kernel: &Kernel) -> Arc<KernelHealth> {
        self.kernels.get(kernel).unwrap_or_else(|| {
            let fresh = KernelHealth { breaker: Breaker::new(), refusal: Mutex::new(None) };
            self.kernels.put(kernel.clone(), Arc::new(fresh))
        })
    }

    /// The device is gone for good.
    pub(crate) fn close(&self, why: &str) {
        // Who came first said why.
        let _ = self.lost.set(why.to_string());
    }

    /// An error once the device is gone.
    pub(crate) fn alive(&self, name: &str) -> Result<(), Error> {
        self.lost.get().map_or(Ok(()), |why| {
            let what = format!("`{name}` is gone for this process ({why}): start the process anew to use it again");
            Err(Error::new(ErrorKind::DeviceLost, what))
        })
    }

    /// The leave to run these kernels, or since when and for how long the breakers keep callers away.
    pub(crate) fn admit<'h>(
        &'h self,
        name: &str,
        kernels: &'h [Arc<KernelHealth>],
        clock: &'h dyn Clock,
    ) -> Result<Leave<'h>, Error> {
        let shut = |what: &str, shut: Shut| {
            let wait = shut.until.saturating_sub(clock.now());
            let what = format!("{what} failed too often and is left alone for {wait:.1?}: try again then");
            Error::new(ErrorKind::Unavailable, what)
        };
        let device = self.breaker.admit(clock).map_err(|is| shut(&format!("`{name}`"), is))?;
        let admit = |kernel: &'h Arc<KernelHealth>| {
            kernel.breaker.admit(clock).map_err(|is| shut(&format!("a kernel of this query on `{name}`"), is))
        };
        Ok(Leave { device, kernels: kernels.iter().map(admit).collect::<Result<_, _>>()? })
    }
}

impl KernelHealth {
    /// The error with which the device's compiler refused this kernel, for as long as it is not asked again.
    pub(crate) fn refusal(&self, now: Duration) -> Option<Error> {
        let refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner);
        refusal.as_ref().filter(|refusal| now < refusal.until).map(|refusal| refusal.error.clone())
    }

    /// The device's compiler refused this kernel.
    pub(crate) fn refuse(&self, now: Duration, error: &Error) {
        let refusal = Refusal { until: now.saturating_add(REFUSED_FOR), error: error.clone() };
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(refusal);
    }
}

impl Leave<'_> {
    /// The moment by which the query must be done, if it is a probe.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        std::iter::once(&self.device).chain(&self.kernels).filter_map(Permit::deadline).min()
    }

    /// The query ran.
    pub(crate) fn succeed(self) {
        self.device.succeed();
        self.kernels.into_iter().for_each(Permit::succeed);
    }

    /// It failed in this stage, or outside of all: those before it ran, those behind it were not called.
    pub(crate) fn fail(self, stage: Option<usize>) {
        self.device.fail();
        for (number, permit) in self.kernels.into_iter().enumerate() {
            match stage.map(|stage| number.cmp(&stage)) {
                Some(std::cmp::Ordering::Less) | None => permit.succeed(),
                Some(std::cmp::Ordering::Equal) => permit.fail(),
                Some(std::cmp::Ordering::Greater) => drop(permit),
            }
        }
    }

    /// It hung: nobody should use the device for a while.
    pub(crate) fn trip(self, stage: Option<usize>) {
        let Leave { device, kernels } = self;
        device.trip();
        if let Some(permit) = stage.and_then(|stage| kernels.into_iter().nth(stage)) {
            permit.fail();
        }
    }
}
