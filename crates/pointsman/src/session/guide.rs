//! [`SelectorService`]: the devices among which queries are given out that name none, and the selector that knows them.
//!
//! Nobody waits for it. The first query that takes the CPU long enough has a thread look for devices; until that is done
//! the CPU answers. Then the selector goes by guesses, while the thread reads what was learned before and measures what
//! was not; and it stores what is learned now and then, and when the session ends.

use super::Session;
use super::metering::PowerMeters;
use super::policy::SelectionRules;
use super::scout::{CalibrationThread, ThreadControl};
use crate::devices::handle::DeviceHandle;
use crate::devices::registry::DeviceRegistry;
use crate::programs::StoreOptions;
use crate::resilience::clock::Clock;
use crate::select::{Arm, Goal, Profile, Selector, SelectorOptions};
use crate::telemetry::device_counters::DeviceCounterSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// A query that should take the CPU longer than this, in nanoseconds, is worth looking for other devices.
pub(super) const WORTH_LOOKING: f64 = 1e6;

/// Finds devices when they may be needed, and knows which is fastest.
pub(super) struct SelectorService {
    rules: SelectionRules,
    stored: StoreOptions,
    clock: Arc<dyn Clock>,
    field: Arc<Discovery>,
    shed: Arc<ThreadControl>,
    /// Ends with the thread that looks for devices.
    scout: Mutex<Option<Receiver<()>>>,
    drop_patience: Duration,
    /// Where it is counted how long devices worked.
    tallies: Arc<DeviceCounterSet>,
}

/// What the thread that looks for devices shares with the session.
#[derive(Default)]
pub(super) struct Discovery {
    /// `None` inside where there is nothing to choose from.
    contest: OnceLock<Option<Candidates>>,
    is_begun: AtomicBool,
}

/// Devices, and the selector that knows them by their numbers. The first is the CPU.
pub(super) struct Candidates {
    pub(super) selector: Selector,
    pub(super) stations: Vec<Arc<DeviceHandle>>,
    /// Whether devices are measured at the moment.
    pub(super) is_measured: Arc<AtomicBool>,
    pub(super) metering: Arc<PowerMeters>,
}

impl SelectorService {
    pub(super) fn new(
        rules: SelectionRules,
        stored: StoreOptions,
        clock: Arc<dyn Clock>,
        (tallies, drop_patience): (Arc<DeviceCounterSet>, Duration),
    ) -> SelectorService {
        let (field, shed, scout) = (Arc::default(), Arc::default(), Mutex::default());
        SelectorService { rules, stored, clock, field, shed, scout, drop_patience, tallies }
    }

    /// What devices are compared by.
    pub(super) fn goal(&self) -> Goal {
        self.rules.goal
    }

    /// The devices and their selector, once they are known and there are several.
    #[inline]
    pub(super) fn contest(&self) -> Option<&Candidates> {
        self.field.contest()
    }

    /// Where its thread waits, and who measures devices is told from others.
    pub(super) fn shed(&self) -> &ThreadControl {
        &self.shed
    }

    /// Whether it is known by now what there is to choose from.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.field.contest.get().is_some()
    }

    /// A query that takes the CPU so many nanoseconds: looks for devices if it is long enough, behind the caller's back.
    #[cold]
    pub(super) fn consider(&self, roster: &Arc<DeviceRegistry>, nanoseconds: f64) {
        if self.rules.among.as_ref().is_some_and(|names| roster.has_all(names)) {
            self.field.settle(roster, &self.rules, &self.tallies);
            self.send_scout(roster);
        } else if nanoseconds >= WORTH_LOOKING {
            self.send_scout(roster);
        }
    }

    /// Looks for devices now, and waits for that; how fast they are is found out behind the caller's back.
    pub(super) fn look_now(&self, roster: &Arc<DeviceRegistry>) {
        if !self.rules.among.as_ref().is_some_and(|names| roster.has_all(names)) {
            roster.discover_gpus();
        }
        self.field.settle(roster, &self.rules, &self.tallies);
        self.send_scout(roster);
    }

    /// Starts the thread that looks for devices, unless it was started before.
    fn send_scout(&self, roster: &Arc<DeviceRegistry>) {
        if self.field.is_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let (field, roster, rules) = (self.field.clone(), roster.clone(), self.rules.clone());
        let (clock, stored, shed) = (self.clock.clone(), self.stored.clone(), self.shed.clone());
        let tallies = self.tallies.clone();
        let (done, ends) = channel::<()>();
        let look = move || {
            if field.contest.get().is_none() {
                roster.discover_gpus();
                field.settle(&roster, &rules, &tallies);
            }
            if let Some(contest) = field.contest() {
                CalibrationThread { contest, clock, stored, learns: rules.learns, shed: &shed }.work();
            }
            drop(done);
        };
        if std::thread::Builder::new().name("pointsman-scout".to_string()).spawn(look).is_ok() {
            *self.scout.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
        }
    }
}

impl Discovery {
    fn contest(&self) -> Option<&Candidates> {
        self.contest.get()?.as_ref()
    }

    /// Takes what is there by now for all there is.
    fn settle(&self, roster: &DeviceRegistry, rules: &SelectionRules, tallies: &DeviceCounterSet) {
        self.contest.get_or_init(|| {
            let stations = roster.candidates(rules.among.as_deref());
            let arms: Vec<Arm> = stations.iter().map(|station| rules.arm(station)).collect();
            let (learns, goal) = (rules.learns, rules.goal);
            let options = SelectorOptions { learns, explores: learns, goal, ..SelectorOptions::default() };
            let selector = (arms.len() > 1).then(|| Selector::new(arms, options))?.ok()?;
            let metering = Arc::new(PowerMeters::new(rules, &stations, tallies));
            let contest = Candidates { selector, stations, is_measured: Arc::default(), metering };
            contest.take_stated(rules);
            Some(contest)
        });
    }
}

impl SelectionRules {
    /// A device as the selector knows it before it is measured.
    fn arm(&self, station: &DeviceHandle) -> Arm {
        let info = station.device.info();
        let capacity = station.residency.as_ref().and_then(|residency| residency.capacity());
        let memory = capacity.map(|bytes| (bytes as f64 * (1.0 - self.memory_reserve)) as u64);
        let guess = Profile::guess(info.kind, info.units);
        let guess = match station.host_memory {
            // Whatever its kind: it needs no copies.
            true => Profile { copy_in: Default::default(), copy_out: Default::default(), copy_start: 0.0, ..guess },
            false => guess,
        };
        Arm::new(station.name(), Profile { memory, ..guess })
    }
}

impl Drop for SelectorService {
    fn drop(&mut self) {
        self.shed.close();
        let scout = self.scout.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // A driver must not be left in the middle of its start when the process ends; but nobody waits for one that hangs.
        if let Some(Err(RecvTimeoutError::Timeout)) = scout.map(|ends| ends.recv_timeout(self.drop_patience)) {
            tracing::warn!(target: "pointsman", "a session ended while devices were still being looked for");
        }
    }
}

impl Session {
    /// The selector over the devices of this session, if it has several that queries are given out among. Looks for them
    /// unless that was done before.
    pub fn selector(&self) -> Option<Selector> {
        self.0.guide.look_now(&self.0.devices);
        self.0.guide.contest().map(|contest| contest.selector.clone())
    }
}
