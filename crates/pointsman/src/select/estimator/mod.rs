//! Which device finishes a call first: predicted by a model of the devices, corrected by every run.
//!
//! [`Selector::rank`] gives the devices for a call, the first choice first; [`Selector::observe`] records the time of a
//! run.
//!
//! | file | does |
//! | --- | --- |
//! | `features` | what a query asks of a device, and the size and input placement of a call |
//! | `table_steps` | what a query's rows do out of order: probes, gathers, sorts, groups |
//! | `profile`, `model` | how fast a device is, and the time of a call that follows |
//! | `table_rates` | how fast a device does what is out of order |
//! | `call_class` | classes of library calls, and guesses of their rates |
//! | `timings`, `estimate` | the last measured runs, and the model corrected by them |
//! | `decide` | which device comes first, and when another is tried |
//! | `decision_table` | the published decisions that callers read |
//! | `move_accounts` | when owned columns move to a device |
//! | `kernel_stats`, `learn` | what is known of a query, and how runs and failures change it |
//! | `learned`, `store/` | what is kept for the next process |
//! | `price` | time or energy |
//! | `functions` | the selector for functions of your own |
//! | `ranking`, `summary`, `picture` | reports |

mod call_class;
mod decide;
mod decision_table;
mod estimate;
mod features;
mod functions;
mod kernel_stats;
mod learn;
mod learned;
mod model;
mod move_accounts;
mod picture;
mod price;
mod profile;
mod ranking;
mod store;
mod summary;
mod table_rates;
mod table_steps;
#[cfg(test)]
mod tests;
mod timings;

pub use call_class::{CALL_CLASSES, CallClass};
pub use decision_table::{ArmSet, Rank, RankReason};
pub use features::{ARMS_MAX, CLASSES, Class, Octave, Residency, Size, Workload};
pub use functions::{OPERATIONS, choose_device};
pub use kernel_stats::KernelStats;
pub use learned::{Learned, LearnedCell, LearnedKernel};
pub use model::Parts;
pub(crate) use model::nanoseconds;
pub use move_accounts::MoveAccount;
pub(crate) use move_accounts::column_set;
pub use price::Goal;
pub(crate) use price::joules;
pub use profile::{Curve, Link, Profile, SPREAD_MEASURED};
pub use ranking::{Prediction, Ranking};
pub use store::{Store, fingerprint_of, hardware_of};
pub use summary::{KernelSummary, Ledger, Summary};
pub(crate) use table_rates::RATED_KEY_BYTES;
pub use table_rates::TableRates;
pub use table_steps::{StageExpectation, TableRows, TableStep};

use crate::error::{Error, Result};
use crate::sync::Mutex;
use estimate::DeviceEstimate;
use learn::LearningQueue;
use move_accounts::MoveAccounts;
use price::Prices;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};

/// The maximum number of kernels that a selector remembers, unless callers hold more.
pub const KERNELS_MAX: usize = 4096;

/// A device to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// The speed of the device.
    pub profile: Profile,
}

impl Arm {
    /// A device with this name and profile.
    pub fn new(name: &str, profile: Profile) -> Arm {
        Arm { name: name.to_string(), profile }
    }
}

/// How a selector decides.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectorOptions {
    /// Whether runs change later choices; true.
    pub learns: bool,
    /// Whether devices that are not the first choice are tried now and then; true.
    pub explores: bool,
    /// Whether a background thread learns, so that callers do not wait; true. Otherwise call [`Selector::learn_now`].
    pub learns_in_background: bool,
    /// The quantity by which devices are compared; time. For energy, set each device's power ([`Selector::set_watts`]).
    pub goal: Goal,
}

impl Default for SelectorOptions {
    fn default() -> SelectorOptions {
        SelectorOptions { learns: true, explores: true, learns_in_background: true, goal: Goal::Time }
    }
}

/// The time of a run.
#[derive(Clone)]
pub struct Observation {
    /// The kernel that ran.
    pub kernel: Arc<KernelStats>,
    /// The size of the call, before it ran.
    pub size: Size,
    /// The device that ran it.
    pub arm: usize,
    /// Nanoseconds, without compiling; `None` if the run failed.
    pub nanoseconds: Option<f64>,
    /// The number of calls that the run stands for: [`Rank::stands_for`], or 1 if every run is observed. 0 for a run
    /// that is observed only because it is [unusual](Rank::is_unusual): it counts if the last one was unusual too.
    pub stands_for: u32,
    /// Bytes of the result; `None` if they are unknown.
    pub output: Option<u64>,
    /// Why the device ran it.
    pub reason: RankReason,
    /// Whether other work ran at the same time: queries on the device, or compilers.
    pub is_contended: bool,
    /// Whether it is the first run of its programs, which pays for what drivers and caches set up lazily. Only the
    /// first device, whose driver sets up nothing, is learned from; another one counts with its predicted time, unless
    /// it took much longer.
    pub is_first: bool,
}

impl Observation {
    /// A run on the first choice of a rank that took this many nanoseconds, without other queries beside it.
    pub fn of(kernel: &Arc<KernelStats>, size: Size, rank: Rank, nanoseconds: u64) -> Observation {
        Observation {
            kernel: kernel.clone(),
            size,
            arm: rank.first(),
            nanoseconds: Some(nanoseconds as f64),
            stands_for: rank.stands_for(),
            output: None,
            reason: rank.reason(),
            is_contended: false,
            is_first: false,
        }
    }
}

/// Chooses among devices, and learns from their runs. Clones share everything.
#[derive(Clone)]
pub struct Selector(Arc<Inner>);

struct Inner {
    names: Vec<String>,
    options: SelectorOptions,
    /// The bits of [`Residency`] that mean nothing: of devices that work in the host's memory, or do not exist.
    ignored: u32,
    kernels: Mutex<BTreeMap<(u128, u8), Arc<KernelStats>>>,
    /// The stored timings of kernels, by their keys. Locked last.
    stored: Mutex<BTreeMap<u128, LearnedKernel>>,
    /// Locked after a kernel's state, never before.
    shared: Mutex<Shared>,
    accounts: Mutex<MoveAccounts>,
    /// Whether compilers or calibration take processor time now: trials would measure them too.
    is_disturbed: AtomicBool,
    queue: Arc<LearningQueue>,
    /// Held while a batch of runs is learned from. Locked before everything else.
    learning: Mutex<()>,
    learning_started: Once,
}

/// The state that all kernels share.
struct Shared {
    arms: Vec<Arm>,
    ledger: Ledger,
    prices: Prices,
}

impl Selector {
    /// A selector among these devices, at most [`ARMS_MAX`]. The first one is the last resort and never closed.
    pub fn new(arms: Vec<Arm>, options: SelectorOptions) -> Result<Selector> {
        if arms.is_empty() || arms.len() > ARMS_MAX {
            let text = format!("a selector chooses among 1 to {ARMS_MAX} devices, not {}", arms.len());
            return Err(Error::invalid(text));
        }
        let names: Vec<String> = arms.iter().map(|arm| arm.name.clone()).collect();
        if let Some(name) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name)) {
            return Err(Error::invalid(format!("two devices of a selector are named `{name}`: names must differ")));
        }
        let copies = |arm: usize| arms.get(arm).is_some_and(|own| !own.profile.copy_in.pageable.is_empty());
        let ignored = (0..ARMS_MAX).filter(|&arm| !copies(arm)).map(|arm| 15 << (4 * arm)).sum();
        let prices = Prices { goal: options.goal, ..Prices::default() };
        Ok(Selector(Arc::new(Inner {
            names,
            options,
            ignored,
            kernels: Mutex::default(),
            stored: Mutex::default(),
            shared: Mutex::new(Shared { arms, ledger: Ledger::default(), prices }),
            accounts: Mutex::default(),
            is_disturbed: AtomicBool::new(false),
            queue: Arc::default(),
            learning: Mutex::default(),
            learning_started: Once::new(),
        })))
    }

    /// The names of the devices.
    pub fn names(&self) -> &[String] {
        &self.0.names
    }

    /// Registers a kernel for the devices that can run it. An empty set means the first device. Registering the same
    /// kernel again returns the same statistics.
    pub fn register(&self, workload: &Workload, devices: ArmSet) -> Arc<KernelStats> {
        let existing = ArmSet(devices.0 & (u8::MAX >> (ARMS_MAX - self.0.names.len())));
        let devices = if existing == ArmSet::NONE { existing.with(0) } else { existing };
        let mut kernels = self.0.kernels.lock();
        if let Some(kernel) = kernels.get(&(workload.key, devices.0)) {
            return kernel.clone();
        }
        // One that a caller holds stays, so that it follows new profiles and is stored.
        let surplus = (kernels.len() + 1).saturating_sub(KERNELS_MAX);
        let idle = kernels.iter().filter(|(_, kernel)| surplus > 0 && Arc::strong_count(kernel) == 1);
        let evicted: Vec<(u128, u8)> = idle.map(|(key, _)| *key).take(surplus).collect();
        evicted.iter().for_each(|key| _ = kernels.remove(key));
        let kernel = Arc::new(KernelStats::new(workload.clone(), devices));
        self.0.restore(&kernel, &mut kernel.state.lock(), &self.0.shared.lock());
        kernels.insert((workload.key, devices.0), kernel.clone());
        kernel
    }

    /// The devices for a call, the first choice first; closed ones come last if one of them would be first. Never
    /// empty.
    #[inline]
    pub fn rank(&self, kernel: &KernelStats, size: Size, closed: ArmSet) -> Rank {
        let placement = size.placement(self.0.ignored);
        let found = kernel.read_table(placement, |table| table.rank(size.bucket(), closed));
        match found {
            Some(rank) if closed.0 >> rank.first() & 1 == 0 => rank,
            Some(rank) => rank.without(ArmSet(closed.0 & !1)),
            None => self.first_rank(kernel, placement, size).without(ArmSet(closed.0 & !1)),
        }
    }

    /// The rank without trials: the device with the best prediction comes first.
    pub fn settled(&self, kernel: &KernelStats, size: Size, closed: ArmSet) -> Rank {
        let placement = size.placement(self.0.ignored);
        let found = kernel.read_table(placement, |table| table.get(size.bucket()));
        found.unwrap_or_else(|| self.first_rank(kernel, placement, size)).without(ArmSet(closed.0 & !1))
    }

    /// Decides for the first call of its size and placement.
    #[cold]
    fn first_rank(&self, kernel: &KernelStats, placement: Size, size: Size) -> Rank {
        let (mut state, shared) = (kernel.state.lock(), self.0.shared.lock());
        self.0.publish(kernel, &mut state, &shared, Size { rows: size.rows, ..placement })
    }

    /// Charges a call to the accounts of the devices that lack some of its owned columns. If a balance pays for the
    /// copy, that device comes first, and the call moves the columns. `missing`: the columns that a device lacks;
    /// `None` if it cannot keep them.
    #[cold]
    pub(crate) fn rank_with_moves(
        &self,
        kernel: &KernelStats,
        size: Size,
        rank: Rank,
        missing: impl Fn(usize) -> Option<Vec<u64>>,
    ) -> Rank {
        let key = (size.placement(self.0.ignored), size.bucket());
        let Some(gains) = kernel.state.lock().choices.get(&key).map(|choice| choice.gains) else { return rank };
        let mut accounts = self.0.accounts.lock();
        for (device, gain) in gains.into_iter().enumerate().filter(|(_, gain)| gain.gain > 0.0) {
            let expected_uses = kernel.reuse.expected_uses();
            if missing(device).is_some_and(|columns| accounts.add(device, columns, gain, expected_uses)) {
                return rank.led_by(device, RankReason::Move);
            }
        }
        rank
    }

    /// Closes the accounts of a device whose columns are all among these, which it has now.
    pub(crate) fn close_accounts(&self, device: usize, columns: &[u64]) {
        self.0.accounts.lock().close(device, columns);
    }

    /// Records the time of a run, in the background. If more than 4,096 observations wait, the newest are dropped.
    pub fn observe(&self, observation: Observation) {
        if self.0.options.learns && self.0.queue.push(observation) && self.0.options.learns_in_background {
            self.start_learning();
        }
    }

    /// Learns from a run on this thread, so that the next call knows its time. It takes some ten microseconds.
    pub(crate) fn observe_at_once(&self, observation: &Observation) {
        if self.0.options.learns {
            self.0.learn_from(observation);
        }
    }

    /// Says whether compilers or calibration take processor time now. Trials wait until they end.
    pub(crate) fn set_disturbed(&self, is_disturbed: bool) {
        self.0.is_disturbed.store(is_disturbed, Ordering::Relaxed);
    }

    /// Learns from all observations so far, on this thread.
    pub fn learn_now(&self) {
        // Taken before the runs leave the queue: a reset forgets them in the queue or after they were learned.
        let _learning = self.0.learning.lock();
        self.0.queue.take().iter().for_each(|observation| self.0.learn_from(observation));
    }

    /// Sets the profile of a device. Measured times stay.
    pub fn set_profile(&self, arm: usize, profile: Profile) {
        self.set_profiles([(arm, profile)]);
    }

    /// Sets the profiles of several devices at once, so that no decision compares an old profile with a new one. A
    /// profile without a size of memory keeps the device's.
    pub fn set_profiles(&self, profiles: impl IntoIterator<Item = (usize, Profile)>) {
        let new: Vec<(usize, Profile)> = profiles.into_iter().filter(|(arm, _)| *arm < self.0.names.len()).collect();
        let kernels = self.0.kernels.lock();
        // All states are held until the profiles are set: a run that is learned from in between would be off.
        let mut states: Vec<_> = kernels.values().map(|kernel| (kernel, kernel.state.lock())).collect();
        let mut shared = self.0.shared.lock();
        let mut arms = shared.arms.clone();
        for (arm, profile) in new {
            arms[arm].profile = Profile { memory: profile.memory.or(arms[arm].profile.memory), ..profile };
        }
        states.iter_mut().for_each(|(kernel, state)| state.rebase(kernel, &shared.arms, &arms));
        shared.arms = arms;
        drop((shared, states));
        drop(kernels);
        self.0.update_kernels(|_, _, _| {});
    }

    /// The profile of a device.
    pub fn profile(&self, arm: usize) -> Option<Profile> {
        self.0.shared.lock().arms.get(arm).map(|own| own.profile.clone())
    }

    /// The cost of choices so far.
    pub fn ledger(&self) -> Ledger {
        self.0.shared.lock().ledger.clone()
    }

    /// Forgets all runs; profiles stay.
    pub fn reset(&self) {
        let _learning = self.0.learning.lock();
        self.0.queue.take();
        self.0.stored.lock().clear();
        *self.0.accounts.lock() = MoveAccounts::default();
        self.0.shared.lock().ledger = Ledger::default();
        self.0.update_kernels(|kernel, state, _| {
            state.forget();
            kernel.reuse.forget();
        });
    }

    /// The predicted time of a call on a device; endless if the device cannot run it.
    pub(crate) fn predicted(&self, kernel: &KernelStats, size: Size, arm: usize) -> Parts {
        self.estimate(kernel, size, arm).map_or(Parts { run: f64::MAX, ..Parts::default() }, |own| own.parts)
    }

    /// What a call should take on a device; `None` if the device cannot run the kernel.
    pub(crate) fn estimate(&self, kernel: &KernelStats, size: Size, arm: usize) -> Option<DeviceEstimate> {
        let size = self.0.normalized(size);
        let (state, shared) = (kernel.state.lock(), self.0.shared.lock());
        let is_able = arm < shared.arms.len() && kernel.devices.has(arm);
        is_able.then(|| state.estimate(kernel, &shared, arm, size))
    }
}

impl Inner {
    /// A size in which the bits of devices that work in the host's memory say that they lack the input, as decisions
    /// have it.
    fn normalized(&self, size: Size) -> Size {
        Size { residency: Residency(size.residency.0 | self.ignored), ..size }
    }

    fn all_kernels(&self) -> Vec<Arc<KernelStats>> {
        self.kernels.lock().values().cloned().collect()
    }
}
