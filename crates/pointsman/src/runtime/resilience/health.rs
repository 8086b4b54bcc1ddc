//! [`Health`]: what a session knows about a device that may fail: its breakers, whether it is gone, and the tries
//! that its calls have paid for. What its compiler refused: `runtime/programs/`.

use super::breaker::{Breaker, Permit, Shut};
use super::clock::Clock;
use super::retry::{Budget, FailureClass};
use crate::error::{Error, ErrorKind};
use crate::runtime::cache::Cache;
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The most kernels a device remembers failures of; the one not used for longest is forgotten.
const KERNELS_MAX: usize = 1024;

/// What is known about a device.
pub(crate) struct Health {
    breaker: Breaker,
    kernels: Cache<Kernel, KernelHealth>,
    /// Why the device is not used any more: it is gone, or it was wrong.
    closed: OnceLock<(FailureClass, String)>,
    pub(crate) budget: Budget,
}

/// What is known about a kernel on a device.
pub(crate) struct KernelHealth {
    breaker: Breaker,
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
            closed: OnceLock::new(),
            budget: Budget::new(),
        }
    }

    /// What is known about a kernel.
    pub(crate) fn kernel(&self, kernel: &Kernel) -> Arc<KernelHealth> {
        self.kernels.get(kernel).unwrap_or_else(|| {
            let fresh = KernelHealth { breaker: Breaker::new() };
            self.kernels.put(kernel.clone(), Arc::new(fresh))
        })
    }

    /// The device is not used any more, after a failure of this class.
    pub(crate) fn close(&self, class: FailureClass, why: &str) {
        // Who came first said why.
        let _ = self.closed.set((class, why.to_string()));
    }

    /// An error once the device is closed.
    pub(crate) fn alive(&self, name: &str) -> Result<(), Error> {
        self.closed.get().map_or(Ok(()), |(class, why)| {
            if *class == FailureClass::Mismatch {
                let what = format!("`{name}` is not used any more in this session, because it was wrong ({why})");
                return Err(Error::new(ErrorKind::Unavailable, what));
            }
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
