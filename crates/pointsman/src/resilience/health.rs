//! [`Health`]: what a session knows about a device that may fail: its breakers, whether it is gone, and the tries
//! that its calls have paid for. What its compiler refuses is found out in `runtime/programs/`; who chooses devices is
//! told here.

use super::breaker::{Breaker, OpenBreaker, Permit};
use super::clock::Clock;
use super::retry::{FailureClass, RetryBudget};
use crate::cache::Cache;
use crate::error::{Error, ErrorKind};
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// The most kernels a device remembers failures of; the one not used for longest is forgotten.
const KERNELS_MAX: usize = 1024;

/// What is known about a device.
pub(crate) struct Health {
    breaker: Breaker,
    kernels: Cache<Kernel, KernelHealth>,
    /// Why the device is not used any more: it is gone, or it was wrong.
    closed: OnceLock<(FailureClass, String)>,
    pub(crate) budget: RetryBudget,
}

/// What is known about a kernel on a device.
pub(crate) struct KernelHealth {
    breaker: Breaker,
    /// What the device's compiler said to it last, and until when that counts.
    refused: Mutex<Option<(Duration, String)>>,
}

impl KernelHealth {
    /// Calls this with what the compiler said, as long as that counts.
    fn refused<T>(&self, clock: &dyn Clock, f: impl FnOnce(&str) -> T) -> Option<T> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, said) = refused.as_ref().filter(|(until, _)| clock.now() < *until)?;
        Some(f(said))
    }
}

/// What is known about the kernels of a query, each of them once: whoever asks a breaker twice meets its own probe.
#[derive(Default)]
pub(crate) struct Kernels {
    health: Vec<Arc<KernelHealth>>,
    /// Which of them each stage runs.
    of_stage: Vec<usize>,
}

/// The leave to run a query on a device: the device's, and that of each of its kernels.
pub(crate) struct BreakerPermits<'h> {
    device: Permit<'h>,
    kernels: Vec<Permit<'h>>,
    of_stage: &'h [usize],
}

impl Kernels {
    /// The device's compiler refused a stage's kernel, and is not asked again until then.
    pub(crate) fn refuse(&self, stage: usize, until: Duration, said: &str) {
        let kernel = self.of_stage.get(stage).and_then(|&number| self.health.get(number));
        if let Some(kernel) = kernel {
            *kernel.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some((until, said.to_string()));
        }
    }

    /// Whether it refused one of them not long ago.
    pub(crate) fn is_refused(&self, clock: &dyn Clock) -> bool {
        self.health.iter().any(|kernel| kernel.refused(clock, |_| ()).is_some())
    }

    /// What it said to the first that it refused.
    pub(crate) fn refused(&self, clock: &dyn Clock) -> Option<String> {
        self.health.iter().find_map(|kernel| kernel.refused(clock, str::to_string))
    }
}

impl Health {
    pub(crate) fn new() -> Health {
        Health {
            breaker: Breaker::new(),
            kernels: Cache::new(KERNELS_MAX),
            closed: OnceLock::new(),
            budget: RetryBudget::new(),
        }
    }

    /// What is known about the kernels of a query's stages.
    pub(crate) fn kernels<'k>(&self, stages: impl IntoIterator<Item = &'k Kernel>) -> Kernels {
        let mut kernels = Kernels::default();
        for kernel in stages {
            let health = self.kernel(kernel);
            let known = kernels.health.iter().position(|one| Arc::ptr_eq(one, &health));
            kernels.of_stage.push(known.unwrap_or(kernels.health.len()));
            if known.is_none() {
                kernels.health.push(health);
            }
        }
        kernels
    }

    fn kernel(&self, kernel: &Kernel) -> Arc<KernelHealth> {
        self.kernels.get(kernel).unwrap_or_else(|| {
            let fresh = KernelHealth { breaker: Breaker::new(), refused: Mutex::default() };
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

    /// Whether callers are kept away now: it is closed, or its breakers are open.
    pub(crate) fn is_shut(&self, kernels: &Kernels, clock: &dyn Clock) -> bool {
        let look = |kernel: &Arc<KernelHealth>| kernel.breaker.look(clock).is_err();
        self.closed.get().is_some() || self.breaker.look(clock).is_err() || kernels.health.iter().any(look)
    }

    /// The leave to run these kernels, or for how long the breakers keep callers away.
    pub(crate) fn admit<'h>(
        &'h self,
        name: &str,
        kernels: &'h Kernels,
        clock: &'h dyn Clock,
    ) -> Result<BreakerPermits<'h>, Error> {
        let device = self.breaker.admit(clock).map_err(|shut| left_alone(&format!("`{name}`"), shut, clock))?;
        let admit = |kernel: &'h Arc<KernelHealth>| {
            kernel.breaker.admit(clock).map_err(|shut| left_alone(&kernel_on(name), shut, clock))
        };
        let permits = kernels.health.iter().map(admit).collect::<Result<_, _>>()?;
        Ok(BreakerPermits { device, kernels: permits, of_stage: &kernels.of_stage })
    }

    /// The error of [`Health::admit`], if it would be one now. Nothing is counted, and nobody becomes a probe.
    pub(crate) fn look(&self, name: &str, kernels: &Kernels, clock: &dyn Clock) -> Result<(), Error> {
        self.breaker.look(clock).map_err(|shut| left_alone(&format!("`{name}`"), shut, clock))?;
        let look = |kernel: &Arc<KernelHealth>| kernel.breaker.look(clock);
        kernels.health.iter().try_for_each(look).map_err(|shut| left_alone(&kernel_on(name), shut, clock))
    }

    /// The device failed before anything ran on it.
    pub(crate) fn failed(&self, clock: &dyn Clock) {
        if let Ok(permit) = self.breaker.admit(clock) {
            permit.fail();
        }
    }
}

fn kernel_on(name: &str) -> String {
    format!("a kernel of this query on `{name}`")
}

fn left_alone(what: &str, shut: OpenBreaker, clock: &dyn Clock) -> Error {
    let wait = shut.until.saturating_sub(clock.now());
    Error::new(
        ErrorKind::Unavailable,
        format!("{what} failed too often and is left alone for {wait:.1?}: try again then"),
    )
}

impl BreakerPermits<'_> {
    /// The moment by which the query must be done, if it is a probe.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        std::iter::once(&self.device).chain(&self.kernels).filter_map(Permit::deadline).min()
    }

    /// The query ran.
    pub(crate) fn succeed(self) {
        self.device.succeed();
        self.kernels.into_iter().for_each(Permit::succeed);
    }

    /// It failed in this stage: those before it ran, those behind it were not called. Outside of all stages nothing is
    /// known about any.
    pub(crate) fn fail(self, stage: Option<usize>) {
        let BreakerPermits { device, kernels, of_stage } = self;
        device.fail();
        let Some((&failed, ran)) = stage.and_then(|stage| of_stage.get(..=stage)?.split_last()) else { return };
        for (number, permit) in kernels.into_iter().enumerate() {
            if number == failed {
                permit.fail();
            } else if ran.contains(&number) {
                permit.succeed();
            }
        }
    }

    /// It hung: nobody should use the device for a while.
    pub(crate) fn trip(self, stage: Option<usize>) {
        let BreakerPermits { device, kernels, of_stage } = self;
        device.trip();
        let failed = stage.and_then(|stage| of_stage.get(stage));
        if let Some(permit) = failed.and_then(|&failed| kernels.into_iter().nth(failed)) {
            permit.fail();
        }
    }
}
