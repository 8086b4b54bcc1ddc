//! [`Scout`]: the thread behind a guide. It reads what was learned before, measures devices that nobody knows yet, and stores
//! what is learned: once a minute, and when the session ends.

use super::guide::Contest;
use super::survey::survey;
use crate::runtime::programs::StoreOptions;
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::station::Station;
use crate::select::{Machine, Profile, Store, fingerprint_of, is_still_true};
use pointsman_device::{Device, DeviceKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often what was learned is stored.
const STORE_EVERY: Duration = Duration::from_secs(60);

/// Where the thread waits between its works, and is told that the session ends.
#[derive(Default)]
pub(super) struct Shed {
    is_over: Mutex<bool>,
    changed: Condvar,
    token: CancellationToken,
    /// Held by whoever measures devices.
    measuring: Mutex<()>,
}

impl Shed {
    /// The session ends.
    pub(super) fn close(&self) {
        *self.lock() = true;
        self.token.cancel();
        self.changed.notify_all();
    }

    /// Until it is dropped nobody else of this session measures devices: two at once would each find them slow.
    pub(super) fn measure_alone(&self) -> MutexGuard<'_, ()> {
        self.measuring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits; whether the session ends.
    fn rest(&self) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), STORE_EVERY, |is_over| !*is_over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread works with.
pub(super) struct Scout<'s> {
    pub(super) contest: &'s Contest,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) stored: StoreOptions,
    pub(super) learns: bool,
    pub(super) shed: &'s Shed,
}

/// While devices are measured, and no longer, also if that panics.
struct Measuring<'f>(&'f AtomicBool);

impl Measuring<'_> {
    fn of(flag: &AtomicBool) -> Measuring<'_> {
        flag.store(true, Ordering::Relaxed);
        Measuring(flag)
    }
}

impl Drop for Measuring<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

impl Scout<'_> {
    /// All of it, until the session ends.
    pub(super) fn work(&self) {
        // Simulated devices have a time of their own.
        if self.contest.stations[1..].iter().all(|station| station.device.info().kind == DeviceKind::Sim) {
            return;
        }
        let mut store = self.store();
        let restored = store.as_mut().is_some_and(|store| store.restore(&self.contest.selector));
        {
            let _until = Measuring::of(&self.contest.is_measured);
            if self.learns {
                self.measure(restored);
            }
            self.measure_watts();
        }
        if !self.learns {
            return;
        }
        loop {
            let is_over = self.shed.rest();
            self.contest.selector.learn_now();
            self.contest.learn_watts(&*self.clock);
            let kept = store.as_mut().map(|store| store.keep(&self.contest.selector));
            if let Some(Err(error)) = kept {
                tracing::warn!(target: "pointsman", "{}", error.message());
            }
            if is_over {
                return;
            }
        }
    }

    /// What was learned on this machine, unless nothing is to be stored.
    fn store(&self) -> Option<Store> {
        let directory = self.stored.directory(|name| std::env::var_os(name)).ok()?;
        let cpu = self.contest.stations.first()?;
        let store = Store::open(directory, Machine::here(cpu.device.info()));
        let mut store = store.inspect_err(|error| tracing::warn!(target: "pointsman", "{}", error.message())).ok()?;
        for station in &self.contest.stations {
            store.know_device(station.name(), &fingerprint_of(&*station.device));
        }
        Some(store)
    }

    /// Measures what devices draw, where that counts.
    fn measure_watts(&self) {
        let _alone = self.shed.measure_alone();
        self.contest.measure_all_watts(&*self.clock, &self.shed.token);
    }

    /// Measures every device that was not, or is not what was stored of it.
    fn measure(&self, restored: bool) {
        let _alone = self.shed.measure_alone();
        let unknown: Vec<usize> = (0..self.contest.stations.len()).filter(|&arm| !self.knows(arm, restored)).collect();
        let stations = &self.contest.stations;
        let devices: Vec<&Arc<dyn Device>> = unknown.iter().map(|&arm| &stations[arm].device).collect();
        survey(&devices, &*self.clock, &self.shed.token, |one| {
            let arm = unknown[one.number];
            match one.profile {
                Ok(found) if found.measured => {
                    let own = self.contest.selector.profile(arm).and_then(|own| own.memory);
                    self.contest.selector.set_profile(arm, Profile { memory: own.or(found.memory), ..found });
                }
                Ok(_) => {}
                Err(error) => told(&stations[arm], &error),
            }
        });
    }

    /// Whether what is known of a device is true.
    fn knows(&self, arm: usize, restored: bool) -> bool {
        let Some(own) = self.contest.selector.profile(arm) else { return true };
        let station = &self.contest.stations[arm];
        // Where compiling takes seconds, checking what was stored costs more than a wrong start: runs show it.
        let compiles_long = station.device.info().capabilities.images_worth_storing;
        let is_true = || is_still_true(&station.device, &own, &*self.clock, &self.shed.token);
        own.measured && restored && (compiles_long || is_true())
    }
}

fn told(station: &Station, error: &crate::Error) {
    let name = station.name();
    tracing::warn!(target: "pointsman", device = name, "could not be measured, and is guessed at: {}", error.message());
}
