//! [`CalibrationThread`]: the thread of a selector service. It reads what earlier sessions learned, measures devices that are
//! not known yet, and stores what is learned: once a minute, and when the session ends.

use super::calibration::{OpenSmallQueries, measure_devices};
use super::estimator::{Machine, Profile, Store, fingerprint_of, is_still_true};
use super::service::SelectableDevices;
use crate::devices::handle::DeviceHandle;
use crate::programs::StoreOptions;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use crate::sync::{Condvar, Mutex, MutexGuard};
use pointsman_device::{Device, DeviceKind};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often learned state is stored.
const STORE_EVERY: Duration = Duration::from_secs(60);

/// Stops the thread when the session ends, and serialises measurements.
#[derive(Default)]
pub(super) struct ThreadControl {
    is_stopped: Mutex<bool>,
    changed: Condvar,
    token: CancellationToken,
    /// Held while devices are measured.
    measuring: Mutex<()>,
    /// What the thread does, for the message of a session that does not wait for it any longer.
    activity: Mutex<Activity>,
}

/// What the thread does now.
#[derive(Clone, Copy, Default)]
pub(super) enum Activity {
    #[default]
    Discovering,
    Restoring,
    Measuring,
    Storing,
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Activity::Discovering => "looking for devices",
            Activity::Restoring => "reading what earlier sessions learned",
            Activity::Measuring => "measuring devices",
            Activity::Storing => "storing what was learned",
        })
    }
}

impl ThreadControl {
    /// Ends the thread and every measurement.
    pub(super) fn stop(&self) {
        *self.lock() = true;
        self.token.cancel();
        self.changed.notify_all();
    }

    /// Holds off other measurements of this session until the guard is dropped: two at once would each see slow devices.
    pub(super) fn measure_alone(&self) -> MutexGuard<'_, ()> {
        self.measuring.lock()
    }

    /// Waits until learned state should be stored; whether the session ends.
    fn wait(&self) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), STORE_EVERY, |is_stopped| !*is_stopped);
        *waited
    }

    /// What the thread does now.
    pub(super) fn activity(&self) -> Activity {
        *self.activity.lock()
    }

    fn begin(&self, activity: Activity) {
        *self.activity.lock() = activity;
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_stopped.lock()
    }
}

/// The work of the thread.
pub(super) struct CalibrationThread<'s> {
    pub(super) devices: &'s SelectableDevices,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) store: StoreOptions,
    pub(super) learns: bool,
    pub(super) control: &'s ThreadControl,
    pub(super) open_small_queries: OpenSmallQueries,
}

/// Sets a flag while devices are measured, and clears it even if that panics.
struct MeasuringFlag<'f>(&'f AtomicBool);

impl MeasuringFlag<'_> {
    fn set(flag: &AtomicBool) -> MeasuringFlag<'_> {
        flag.store(true, Ordering::Relaxed);
        MeasuringFlag(flag)
    }
}

impl Drop for MeasuringFlag<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl CalibrationThread<'_> {
    /// Restores, measures, and stores what is learned until the session ends.
    pub(super) fn run(&self) {
        // Simulated devices have a clock of their own.
        if self.devices.handles[1..].iter().all(|handle| handle.device.info().kind == DeviceKind::Sim) {
            return;
        }
        self.control.begin(Activity::Restoring);
        let mut store = self.open_store();
        let restored = store.as_mut().is_some_and(|store| store.restore(&self.devices.selector));
        self.control.begin(Activity::Measuring);
        {
            let _until = MeasuringFlag::set(&self.devices.is_measuring);
            if self.learns {
                self.measure(restored);
            }
            self.measure_watts();
        }
        if !self.learns {
            return;
        }
        loop {
            self.control.begin(Activity::Storing);
            let is_stopped = self.control.wait();
            self.devices.selector.learn_now();
            self.devices.learn_watts(&*self.clock);
            let kept = store.as_mut().map(|store| store.keep(&self.devices.selector));
            if let Some(Err(error)) = kept {
                tracing::warn!(target: "pointsman", "{}", error.message());
            }
            if is_stopped {
                return;
            }
        }
    }

    /// The store of this machine, unless storing is off.
    fn open_store(&self) -> Option<Store> {
        let directory = self.store.directory(|name| std::env::var_os(name)).ok()?;
        let cpu = self.devices.handles.first()?;
        let store =
            Store::open(directory, Machine::here(cpu.device.info())).map(|store| store.with_clock(self.clock.clone()));
        let mut store = store.inspect_err(|error| tracing::warn!(target: "pointsman", "{}", error.message())).ok()?;
        for handle in &self.devices.handles {
            store.add_device(handle.name(), &fingerprint_of(&*handle.device));
        }
        Some(store)
    }

    /// Measures the power of the devices, if they are compared by energy.
    fn measure_watts(&self) {
        let _alone = self.control.measure_alone();
        self.devices.measure_all_watts(&*self.clock, &self.control.token);
    }

    /// Measures every device that is not known, or is not as it was stored.
    fn measure(&self, restored: bool) {
        let _alone = self.control.measure_alone();
        let unknown: Vec<usize> = (0..self.devices.handles.len()).filter(|&arm| !self.knows(arm, restored)).collect();
        let handles = &self.devices.handles;
        let devices: Vec<&Arc<dyn Device>> = unknown.iter().map(|&arm| &handles[arm].device).collect();
        measure_devices(&devices, &*self.clock, &self.control.token, self.open_small_queries, |one| {
            let arm = unknown[one.number];
            match one.profile {
                Ok(found) if found.measured => {
                    let own = self.devices.selector.profile(arm).and_then(|own| own.memory);
                    self.devices.selector.set_profile(arm, Profile { memory: own.or(found.memory), ..found });
                }
                Ok(_) => {}
                Err(error) => warn_unmeasured(&handles[arm], &error),
            }
        });
    }

    /// Whether the stored profile of a device still holds.
    fn knows(&self, arm: usize, restored: bool) -> bool {
        let Some(own) = self.devices.selector.profile(arm) else { return true };
        let handle = &self.devices.handles[arm];
        // Where compiling takes seconds, checking the stored profile costs more than starting with a wrong one: runs correct it.
        let compiles_long = handle.device.info().capabilities.images_worth_storing;
        let is_true = || {
            let is_true = is_still_true(&handle.device, &own, &*self.clock, &self.control.token);
            if !is_true {
                self.devices.selector.doubt(arm);
            }
            is_true
        };
        own.measured && restored && (compiles_long || is_true())
    }
}

fn warn_unmeasured(handle: &DeviceHandle, error: &crate::Error) {
    let (name, why) = (handle.name(), error.message());
    tracing::warn!(target: "pointsman", device = name, "could not be measured; its speed is guessed: {why}");
}
