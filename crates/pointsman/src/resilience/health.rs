//! [`Health`]: the failure state of one device in one session: its breakers, whether it is closed, its retry budget,
//! and the kernels that its compiler refused. Refusals are detected in `programs/` and recorded here for device
//! selection.

use super::breaker::{Breaker, Permit, Verdict};
use super::clock::Clock;
use super::retry::RetryBudget;
use crate::cache::Cache;
use crate::error::{Error, ErrorKind, FailureClass};
use crate::sync::Mutex;
use pointsman_ir::kernel::Kernel;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The maximum number of kernels whose failures are remembered per device; the least recently used one is forgotten.
const KERNELS_MAX: usize = 1024;

/// The failure state of a device.
pub(crate) struct Health {
    breaker: Breaker,
    kernels: Cache<Kernel, KernelHealth>,
    /// Set when the device is used no more in this session: it was lost, or it gave a wrong answer.
    closed: OnceLock<Error>,
    pub(crate) budget: RetryBudget,
}

/// The failure state of a kernel on a device.
pub(crate) struct KernelHealth {
    breaker: Breaker,
    refusal: Mutex<Option<KernelRefusal>>,
}

/// The last refusal of a kernel by the device's compiler.
struct KernelRefusal {
    until: Duration,
    message: Arc<str>,
}

/// The failure states of a query's kernels on one device. Each kernel is in it once, even if several stages run it: a
/// query that asked a half-open breaker twice would be rejected because of its own probe.
#[derive(Default)]
pub(crate) struct Kernels {
    health: Vec<Arc<KernelHealth>>,
    /// The index into `health` of each stage's kernel.
    of_stage: Vec<usize>,
}

/// The permits to run a query on a device: one of the device, then one of each kernel.
pub(crate) struct BreakerPermits<'h> {
    permits: Vec<Permit<'h>>,
    of_stage: &'h [usize],
}

impl Kernels {
    /// Records that the compiler refused the kernel of a stage; it is not compiled again before `until`.
    pub(crate) fn record_refusal(&self, stage: usize, until: Duration, message: &str) {
        let kernel = self.of_stage.get(stage).and_then(|&number| self.health.get(number));
        if let Some(kernel) = kernel {
            *kernel.refusal.lock() = Some(KernelRefusal { until, message: message.into() });
        }
    }

    /// The compiler's message for the first kernel whose refusal is in force.
    pub(crate) fn refusal(&self, clock: &dyn Clock) -> Option<Arc<str>> {
        self.health.iter().find_map(|kernel| {
            let refusal = kernel.refusal.lock();
            refusal.as_ref().filter(|refusal| clock.now() < refusal.until).map(|refusal| refusal.message.clone())
        })
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

    /// Returns the failure states of the kernels of a query's stages.
    pub(crate) fn kernels<'k>(&self, stages: impl IntoIterator<Item = &'k Kernel>) -> Kernels {
        let mut kernels = Kernels::default();
        for kernel in stages {
            let health = self.kernels.get(kernel).unwrap_or_else(|| {
                let fresh = KernelHealth { breaker: Breaker::new(), refusal: Mutex::default() };
                self.kernels.put(kernel.clone(), Arc::new(fresh))
            });
            let known = kernels.health.iter().position(|known| Arc::ptr_eq(known, &health));
            kernels.of_stage.push(known.unwrap_or(kernels.health.len()));
            if known.is_none() {
                kernels.health.push(health);
            }
        }
        kernels
    }

    /// Takes the device of this name out of use for the rest of the session, after a failure of this class.
    pub(crate) fn close(&self, name: &str, class: FailureClass, message: &str) {
        let error = match class == FailureClass::Mismatch {
            true => Error::new(
                ErrorKind::Unavailable,
                format!("`{name}` is not used any more in this session, because it was wrong ({message})"),
            ),
            false => Error::new(
                ErrorKind::DeviceLost,
                format!("`{name}` is gone for this process ({message}): start the process anew to use it again"),
            ),
        };
        // The first reason stays.
        let _ = self.closed.set(error);
    }

    /// Returns an error if the device is closed.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        self.closed.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The breaker of the device, then those of the kernels.
    fn breakers<'h>(&'h self, kernels: &'h Kernels) -> impl Iterator<Item = &'h Breaker> {
        std::iter::once(&self.breaker).chain(kernels.health.iter().map(|kernel| &kernel.breaker))
    }

    /// Whether the device is excluded now: it is closed, or one of the breakers is open.
    pub(crate) fn is_excluded(&self, kernels: &Kernels, clock: &dyn Clock) -> bool {
        self.closed.get().is_some() || self.breakers(kernels).any(|breaker| breaker.check(clock).is_err())
    }

    /// Returns the permits to run these kernels; the error says how long a breaker stays open.
    pub(crate) fn acquire_permits<'h>(
        &'h self,
        name: &str,
        kernels: &'h Kernels,
        clock: &'h dyn Clock,
    ) -> Result<BreakerPermits<'h>, Error> {
        let acquire = |breaker: &'h Breaker| {
            breaker.try_acquire(clock).map_err(|until| self.open_error(name, breaker, until, clock))
        };
        let permits = self.breakers(kernels).map(acquire).collect::<Result<_, _>>()?;
        Ok(BreakerPermits { permits, of_stage: &kernels.of_stage })
    }

    /// Returns the error that [`Health::acquire_permits`] would return now. Counts nothing and starts no probe.
    pub(crate) fn check_breakers(&self, name: &str, kernels: &Kernels, clock: &dyn Clock) -> Result<(), Error> {
        self.breakers(kernels)
            .try_for_each(|breaker| breaker.check(clock).map_err(|until| self.open_error(name, breaker, until, clock)))
    }

    fn open_error(&self, name: &str, breaker: &Breaker, until: Duration, clock: &dyn Clock) -> Error {
        let kernel = if std::ptr::eq(breaker, &self.breaker) { "" } else { "a kernel of this query on " };
        let wait = until.saturating_sub(clock.now());
        let text = format!("{kernel}`{name}` failed too often and is left alone for {wait:.1?}: try again then");
        Error::new(ErrorKind::Unavailable, text)
    }

    /// Records a failure of the device before any kernel ran on it.
    pub(crate) fn record_failure(&self, clock: &dyn Clock) {
        if let Ok(permit) = self.breaker.try_acquire(clock) {
            permit.end(Verdict::Failure);
        }
    }
}

impl BreakerPermits<'_> {
    /// The deadline of the query, if it is a probe.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.permits.iter().filter_map(|permit| permit.deadline).min()
    }

    /// Records that the query succeeded.
    pub(crate) fn succeed(self) {
        self.end(Verdict::Success, |_| Verdict::Success);
    }

    /// Records that the query failed in this stage: earlier stages succeeded, later ones did not run. A failure outside
    /// of all stages counts for no kernel.
    pub(crate) fn fail(self, stage: Option<usize>) {
        let ran = stage.and_then(|stage| self.of_stage.get(..=stage)).and_then(<[usize]>::split_last);
        self.end(Verdict::Failure, |kernel| match ran {
            Some((failed, _)) if kernel == *failed => Verdict::Failure,
            Some((_, before)) if before.contains(&kernel) => Verdict::Success,
            Some(_) | None => Verdict::Cancelled,
        });
    }

    /// Records that the query hung: the device's breaker opens at once.
    pub(crate) fn trip(self, stage: Option<usize>) {
        let failed = stage.and_then(|stage| self.of_stage.get(stage).copied());
        self.end(Verdict::Trip, |kernel| if Some(kernel) == failed { Verdict::Failure } else { Verdict::Cancelled });
    }

    /// Records the results of the device and of each kernel, by its index.
    fn end(self, device: Verdict, kernel: impl Fn(usize) -> Verdict) {
        let verdicts = std::iter::once(device).chain((0..).map(kernel));
        self.permits.into_iter().zip(verdicts).for_each(|(permit, verdict)| permit.end(verdict));
    }
}
