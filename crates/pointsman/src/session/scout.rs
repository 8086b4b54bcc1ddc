//! [`Scout`]: the thread behind a guide. It reads what was learned before, measures devices that nobody knows yet, and stores
//! what is learned: once a minute, and when the session ends.

use super::Session;
use super::guide::Contest;
use super::policy::Policy;
use crate::data::column::Column;
use crate::error::Result;
use crate::query::expr::I64;
use crate::runtime::programs::StoreOptions;
use crate::runtime::receipt::{Phase, Receipt};
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::station::Station;
use crate::select::{Machine, Profile, Store, calibrate, fingerprint_of, is_still_true};
use pointsman_device::{Device, DeviceKind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long measuring the CPU takes at most, and all other devices together; three seconds in all.
pub(super) const CPU_BUDGET: Duration = Duration::from_secs(1);
pub(super) const OTHERS_BUDGET: Duration = Duration::from_secs(2);
/// How long any other device takes at most.
pub(super) const DEVICE_BUDGET: Duration = Duration::from_millis(1500);
/// The rows of queries that show what a session does around a launch, and how many there are.
const SMALL_ROWS: usize = 64;
const SMALL_RUNS: usize = 31;
/// How often what was learned is stored.
const STORE_EVERY: Duration = Duration::from_secs(60);

/// Where the thread waits between its works, and is told that the session ends.
#[derive(Default)]
pub(super) struct Shed {
    is_over: Mutex<bool>,
    changed: Condvar,
    token: CancellationToken,
}

impl Shed {
    /// The session ends.
    pub(super) fn close(&self) {
        *self.lock() = true;
        self.token.cancel();
        self.changed.notify_all();
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

impl Scout<'_> {
    /// All of it, until the session ends.
    pub(super) fn work(&self) {
        // Simulated devices have a time of their own.
        if self.contest.stations[1..].iter().all(|station| station.device.info().kind == DeviceKind::Sim) {
            return;
        }
        let mut store = self.store();
        let restored = store.as_mut().is_some_and(|store| store.restore(&self.contest.selector));
        if !self.learns {
            return;
        }
        self.contest.is_measured.store(true, Ordering::Relaxed);
        self.measure(restored);
        self.contest.is_measured.store(false, Ordering::Relaxed);
        loop {
            let is_over = self.shed.rest();
            self.contest.selector.learn_now();
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

    /// Measures every device that was not, or is not what was stored of it.
    fn measure(&self, restored: bool) {
        let others = OTHERS_BUDGET / (self.contest.stations.len() as u32 - 1).max(1);
        for (arm, station) in self.contest.stations.iter().enumerate() {
            let Some(own) = self.contest.selector.profile(arm) else { continue };
            let budget = if station.host_memory { CPU_BUDGET } else { others.min(DEVICE_BUDGET) };
            // Where compiling takes seconds, checking what was stored costs more than a wrong start: runs show it.
            let compiles_long = station.device.info().capabilities.images_pay;
            let is_true = || is_still_true(&station.device, &own, &*self.clock, &self.shed.token);
            if own.measured && restored && (compiles_long || is_true()) {
                continue;
            }
            match measured(&station.device, budget, &*self.clock, &self.shed.token) {
                Ok(found) if found.measured => {
                    let memory = own.memory.or(found.memory);
                    self.contest.selector.set_profile(arm, Profile { memory, ..found });
                }
                Ok(_) => {}
                Err(error) => told(station, &error),
            }
            if self.shed.token.is_cancelled() {
                return;
            }
        }
    }
}

/// How fast a device is, as queries see it: what a session does around a launch and a copy counts.
pub(super) fn measured(
    device: &Arc<dyn Device>,
    budget: Duration,
    clock: &dyn Clock,
    stop: &CancellationToken,
) -> Result<Profile> {
    let profile = calibrate(device, budget, clock, stop)?;
    // A simulated device has a time of its own, and this takes the system's.
    if !profile.measured || device.info().kind == DeviceKind::Sim || stop.is_cancelled() {
        return Ok(profile);
    }
    let Ok((host, there)) = small_runs(device) else { return Ok(profile) };
    if device.info().capabilities.host_memory {
        return Ok(Profile { launch: profile.launch.max(host), ..profile });
    }
    let copy_start = (host - there).max(profile.copy_start);
    Ok(Profile { launch: (there - copy_start).max(profile.launch), copy_start, ..profile })
}

/// Nanoseconds of a query over a few rows on a device, from the host's memory and from its own: the middle of some.
fn small_runs(device: &Arc<dyn Device>) -> Result<(f64, f64)> {
    let name = device.info().name.as_str();
    let session = Session::builder().devices(["cpu"]).device(device.clone()).policy(Policy::Deterministic).open()?;
    let sum = session.prepare(|x: I64| x.sum())?.require(name);
    let column = Column::from(vec![1i64; SMALL_ROWS]);
    let rows = column.to_vec();
    session.keep(&column, name)?;
    let took = |receipt: &Receipt| {
        let all = [Phase::Run, Phase::CopyIn, Phase::CopyOut].map(|phase| receipt.time(phase).as_nanos() as f64);
        all.iter().sum::<f64>()
    };
    let (mut host, mut there) = (Vec::new(), Vec::new());
    for _ in 0..SMALL_RUNS {
        host.push(took(sum.run(&rows[..])?.receipt()));
        there.push(took(sum.run(&column)?.receipt()));
    }
    let middle = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    Ok((middle(&mut host), middle(&mut there)))
}

fn told(station: &Station, error: &crate::Error) {
    let name = station.name();
    tracing::warn!(target: "pointsman", device = name, "could not be measured, and is guessed at: {}", error.message());
}
