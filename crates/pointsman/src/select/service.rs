//! [`SelectorService`]: the devices to choose from, and the selector over them.
//!
//! Device discovery never blocks a query that names no device. It starts in the background with the first query that
//! should take the CPU at least 1 ms, or once shorter queries add up to 20 ms; until it finishes, the CPU answers.
//! After that, the selector ranks devices by guessed profiles until the calibration thread has read what earlier
//! sessions learned and has measured the rest. The calibration thread also stores the learned state, once a minute and
//! when the session ends.

use super::calibration::{CalibrationThread, ThreadControl, ThreadEnd, ThreadState, TimeSmallQueries};
use super::estimator::{ARMS_MAX, Arm, ArmSet, Goal, Profile, Selector, SelectorOptions};
use super::policy::SelectionRules;
use super::sharing::{SHARED_QUERIES_MAX, SharedQuery};
use crate::cache::Cache;
use crate::devices::handle::DeviceHandle;
use crate::devices::registry::DeviceRegistry;
use crate::programs::{Programs, StoreOptions};
use crate::resilience::clock::Clock;
use crate::telemetry::device_counters::DeviceCounterSet;
use pointsman_device::Exactness;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Device discovery starts with the first query that should take the CPU at least this long, in nanoseconds.
const DISCOVERY_TIME_MIN: f64 = 1e6;
/// It also starts once queries that should take the CPU at least `DISCOVERY_COUNTED_MIN` each add up to this time. For
/// shorter queries, no other device would be faster.
const DISCOVERY_TIME_TOTAL: u64 = 20_000_000;
const DISCOVERY_COUNTED_MIN: f64 = 20_000.0;

/// The settings of a selector service.
pub(crate) struct ServiceOptions {
    pub(crate) rules: SelectionRules,
    /// The device for queries that name none.
    pub(crate) preferred: Option<String>,
    /// The exactness for queries that do not set one.
    pub(crate) exactness: Exactness,
    /// A query is not shared if the first of its devices would run it alone in less time than this.
    pub(crate) share_time_min: Duration,
    /// Where learned state is stored.
    pub(crate) store: StoreOptions,
    /// How long dropping the service waits for its thread.
    pub(crate) drop_timeout: Duration,
    /// Whether devices are measured in the background.
    pub(crate) background_calibration: bool,
    /// Times the small queries of a device for its calibration.
    pub(crate) time_small_queries: TimeSmallQueries,
}

/// Chooses placements for queries, and learns from their runs.
pub(crate) struct SelectorService {
    pub(super) options: Arc<ServiceOptions>,
    pub(super) registry: Arc<DeviceRegistry>,
    pub(super) programs: Weak<Programs>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) control: Arc<ThreadControl>,
    /// The times of queries that devices may share, by the joined names of the devices and the key of the query.
    pub(super) sharing: Cache<(String, u128), SharedQuery>,
    discovery: Arc<Discovery>,
    /// The predicted CPU time of all longer queries so far, in nanoseconds.
    cpu_time: AtomicU64,
    /// Counts the queries of each device.
    counters: Arc<DeviceCounterSet>,
}

/// The result of device discovery, shared with the thread that does it.
#[derive(Default)]
struct Discovery {
    /// `None` inside if the CPU is the only device.
    devices: OnceLock<Option<SelectableDevices>>,
    has_started: AtomicBool,
}

/// The devices to choose from. The selector numbers them in this order; the first is the CPU.
pub(super) struct SelectableDevices {
    pub(super) selector: Selector,
    pub(super) handles: Vec<Arc<DeviceHandle>>,
    /// The devices whose power must be measured, because devices are compared by energy and their watts were not
    /// stated.
    pub(super) metered: ArmSet,
}

impl SelectorService {
    pub(crate) fn new(
        options: ServiceOptions,
        registry: Arc<DeviceRegistry>,
        programs: Weak<Programs>,
        clock: Arc<dyn Clock>,
        counters: Arc<DeviceCounterSet>,
    ) -> SelectorService {
        SelectorService {
            options: Arc::new(options),
            registry,
            programs,
            clock,
            control: Arc::default(),
            sharing: Cache::new(SHARED_QUERIES_MAX),
            discovery: Arc::default(),
            cpu_time: AtomicU64::new(0),
            counters,
        }
    }

    /// The quantity by which devices are compared.
    pub(crate) fn goal(&self) -> Goal {
        self.options.rules.goal
    }

    /// The selector over the devices of this session, if there are several to choose from and they are known.
    pub(crate) fn selector(&self) -> Option<Selector> {
        self.use_known_devices();
        self.devices().map(|devices| devices.selector.clone())
    }

    /// The devices to choose from; `None` before discovery has finished, or if there is only the CPU.
    #[inline]
    pub(super) fn devices(&self) -> Option<&SelectableDevices> {
        self.discovery.devices()
    }

    /// Whether device discovery has finished.
    #[inline]
    pub(super) fn is_discovered(&self) -> bool {
        self.discovery.devices.get().is_some()
    }

    /// Starts device discovery in the background if a query should take the CPU long enough. Ends it at once if the
    /// rules name the devices and all of them are known.
    #[cold]
    pub(super) fn discover_if_worthwhile(&self, cpu_nanoseconds: f64) {
        // Devices that the user named and that are known cost nothing, however short the queries are.
        if self.options.rules.among.is_some() && self.use_known_devices() {
            self.start_thread();
            return;
        }
        if cpu_nanoseconds < DISCOVERY_COUNTED_MIN {
            return;
        }
        let counted = cpu_nanoseconds.min(1e12) as u64;
        let total = counted.saturating_add(self.cpu_time.fetch_add(counted, Ordering::Relaxed));
        if cpu_nanoseconds >= DISCOVERY_TIME_MIN || total >= DISCOVERY_TIME_TOTAL {
            self.start_thread();
        }
    }

    /// Discovers devices on this thread. Calibration then measures them in the background.
    pub(crate) fn discover_now(&self) {
        self.discovery.run(&self.registry, &self.options.rules);
        self.start_thread();
    }

    /// Ends device discovery if no driver has to be loaded for it. Returns whether it has ended.
    pub(super) fn use_known_devices(&self) -> bool {
        let is_known = self.is_discovered() || self.registry.knows_candidates(self.options.rules.among.as_deref());
        if is_known {
            self.discovery.run(&self.registry, &self.options.rules);
        }
        is_known
    }

    /// Whether the thread that discovers and calibrates was started.
    pub(super) fn has_thread(&self) -> bool {
        self.discovery.has_started.load(Ordering::Relaxed)
    }

    /// Whether devices are being measured in the background now.
    pub(crate) fn is_calibrating(&self) -> bool {
        self.control.is_measuring()
    }

    /// Discovers devices, and blocks until background measuring has ended.
    pub(crate) fn wait_until_calibrated(&self) {
        self.discover_now();
        self.control.wait_until_measured();
    }

    /// Starts the thread that finishes discovery and calibrates, unless it was started before.
    fn start_thread(&self) {
        if self.discovery.has_started.swap(true, Ordering::Relaxed) {
            return;
        }
        let (discovery, registry, options) = (self.discovery.clone(), self.registry.clone(), self.options.clone());
        let (clock, control, counters) = (self.clock.clone(), self.control.clone(), self.counters.clone());
        let end = ThreadEnd(control.clone());
        let work = move || {
            let _end = end;
            discovery.run(&registry, &options.rules);
            if let Some(devices) = discovery.devices() {
                let queries = registry.handles().map(|handle| (handle.clone(), counters.of(handle.name()))).collect();
                CalibrationThread { devices, queries, clock, options, control: &control }.run();
            }
        };
        // If the thread cannot be started, devices stay undiscovered or unmeasured.
        let _ = std::thread::Builder::new().name("pointsman-calibration".to_string()).spawn(work);
    }
}

impl Discovery {
    fn devices(&self) -> Option<&SelectableDevices> {
        self.devices.get()?.as_ref()
    }

    /// Discovers the devices to choose from, once.
    fn run(&self, registry: &DeviceRegistry, rules: &SelectionRules) {
        self.devices.get_or_init(|| {
            registry.discover_candidates(rules.among.as_deref());
            let handles = registry.candidates(rules.among.as_deref(), ARMS_MAX);
            let arms: Vec<Arm> = handles.iter().map(|handle| rules.arm(handle)).collect();
            let (learns, goal) = (rules.learns, rules.goal);
            let options = SelectorOptions { learns, explores: learns, goal, ..SelectorOptions::default() };
            let selector = (arms.len() > 1).then(|| Selector::new(arms, options))?.ok()?;
            let metered = rules.set_stated_watts(&selector);
            Some(SelectableDevices { selector, handles, metered })
        });
    }
}

impl SelectionRules {
    /// A device as the selector knows it before it is measured.
    pub(super) fn arm(&self, handle: &DeviceHandle) -> Arm {
        let info = handle.device.info();
        let capacity = handle.residency.as_ref().and_then(|residency| residency.capacity);
        let memory = capacity.map(|bytes| (bytes as f64 * (1.0 - self.memory_reserve)) as u64);
        let guess = Profile::guess(info.kind, info.units);
        let guess = match handle.host_memory {
            // A device that reads the host's memory needs no copies, whatever its kind.
            true => Profile { copy_in: Default::default(), copy_out: Default::default(), copy_start: 0.0, ..guess },
            false => guess,
        };
        Arm::new(handle.name(), Profile { memory, ..guess })
    }
}

impl Drop for SelectorService {
    fn drop(&mut self) {
        // The process must not end while a driver starts up, so this waits. A driver that hangs is abandoned.
        let has_thread = self.has_thread();
        let timeout = if has_thread { self.options.drop_timeout } else { Duration::ZERO };
        let state = self.control.stop(timeout);
        if has_thread && state != ThreadState::Ended {
            tracing::warn!(target: "pointsman", "a session ended before its calibration thread ({state:?}), which goes on without it");
        }
    }
}
