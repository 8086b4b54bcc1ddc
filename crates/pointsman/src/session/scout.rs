//! [`Scout`]: the thread behind a guide. It reads what was learned before, measures devices that nobody knows yet, and stores
//! what is learned: once a minute, and when the session ends.

use super::Session;
use super::guide::Contest;
use super::policy::Policy;
use crate::data::column::Column;
use crate::error::Result;
use crate::query::expr::F32;
use crate::runtime::programs::StoreOptions;
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::resilience::clock::Clock;
use crate::runtime::station::Station;
use crate::select::{Machine, Profile, SinkKind, Store, calibrate, fingerprint_of, is_still_true};
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
        self.contest.is_measured.store(true, Ordering::Relaxed);
        if self.learns {
            self.measure(restored);
        }
        self.contest.measure_all_watts(&*self.clock, &self.shed.token);
        self.contest.is_measured.store(false, Ordering::Relaxed);
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
    let Ok(small) = small_runs(device) else { return Ok(profile) };
    Ok(as_queries_see(profile, small, device.info().capabilities.host_memory))
}

/// A profile with the launches and starts of copies that queries have.
fn as_queries_see(mut profile: Profile, small: SmallRuns, is_host: bool) -> Profile {
    let (store, fold) = (small.store, small.fold);
    let more = (fold.there - store.there).max(0.0);
    let measured = profile.sinks[SinkKind::Reduce as usize].launch;
    for (sink, cost) in profile.sinks.iter_mut().enumerate() {
        // Others take as much more than folding as they did without a session.
        cost.launch = if sink == SinkKind::Store as usize { 0.0 } else { (more + cost.launch - measured).max(0.0) };
    }
    if is_host {
        return Profile { launch: store.host, ..profile };
    }
    let copy_start = (fold.host - fold.there).max(profile.copy_start);
    Profile { launch: (store.there - copy_start).max(store.there / 4.0), copy_start, ..profile }
}

/// Nanoseconds of queries over a few rows, from the host's memory and from the device's own: the middle of some.
#[derive(Clone, Copy, Debug)]
struct SmallRun {
    host: f64,
    there: f64,
}

/// Of one that stores, and of one that folds.
#[derive(Clone, Copy, Debug)]
struct SmallRuns {
    store: SmallRun,
    fold: SmallRun,
}

fn small_runs(device: &Arc<dyn Device>) -> Result<SmallRuns> {
    let name = device.info().name.as_str();
    let session = Session::builder().devices(["cpu"]).device(device.clone()).policy(Policy::Deterministic).open()?;
    let (store, fold) = (session.prepare(|x: F32| x)?.require(name), session.prepare(|x: F32| x.sum())?.require(name));
    let column = Column::from(vec![1f32; SMALL_ROWS]);
    let rows = column.to_vec();
    session.keep(&column, name)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..SMALL_RUNS {
        let receipts = [
            store.run(&rows[..])?.receipt().total(),
            store.run(&column)?.receipt().total(),
            fold.run(&rows[..])?.receipt().total(),
            fold.run(&column)?.receipt().total(),
        ];
        times.iter_mut().zip(receipts).for_each(|(times, took)| times.push(took.as_nanos() as f64));
    }
    let [a, b, c, d] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    Ok(SmallRuns { store: SmallRun { host: a, there: b }, fold: SmallRun { host: c, there: d } })
}

fn told(station: &Station, error: &crate::Error) {
    let name = station.name();
    tracing::warn!(target: "pointsman", device = name, "could not be measured, and is guessed at: {}", error.message());
}
