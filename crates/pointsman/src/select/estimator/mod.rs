//! Which device finishes a call first: predicted from what was measured, corrected by every run.
//!
//! Two verbs: [`Selector::rank`] gives the devices for a call, the first choice first, and [`Selector::observe`] tells what a
//! call took. Between them lie a model with calibrated curves (`profile`, `model`), what runs taught beyond it (`learn`), the
//! published choices that callers read (`table`), the decision itself (`decide`), and what it cost (`ledger`).
//!
//! ```
//! use pointsman::selector::{Arm, ArmSet, Observation, Profile, Selector, SelectorOptions, Size, Workload};
//! use pointsman::DeviceKind;
//!
//! # fn main() -> pointsman::Result<()> {
//! let arms = vec![
//!     Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8)),
//!     Arm::new("cuda:0", Profile::guess(DeviceKind::Cuda, 132)),
//! ];
//! let selector = Selector::new(arms, SelectorOptions::default())?;
//! let sum = Workload { key: 1, read_per_row: 8.0, input_per_row: 8.0, ..Workload::default() };
//! let sum = selector.know(&sum, ArmSet::ALL);
//! assert_eq!(selector.rank(&sum, Size::resident(100_000_000), ArmSet::NONE).first(), 1, "it is there already");
//! let rank = selector.rank(&sum, Size::host(1000), ArmSet::NONE);
//! assert_eq!(rank.first(), 0, "too small for a card");
//! selector.observe(Observation::of(&sum, Size::host(1000), rank, 2_000));
//! # Ok(())
//! # }
//! ```

mod alone;
mod cell;
mod cells;
mod decide;
mod drift;
mod features;
mod fit;
mod known;
mod learn;
mod learned;
mod learner;
mod ledger;
mod model;
mod outline;
mod outlook;
mod picture;
#[cfg(test)]
mod poison;
mod price;
mod profile;
mod ranking;
mod store;
mod study;
mod summary;
mod table;
#[cfg(test)]
mod tests;

pub use alone::{Choice, Exhausted, OPERATIONS, choose_device};
pub use cell::Cell;
pub(crate) use features::class_number;
pub use features::{ARMS_MAX, CLASSES, Class, Residency, SINKS, SinkKind, Size, Workload};
pub use known::Known;
pub use learned::{Learned, LearnedArm, LearnedCell, LearnedChoice, LearnedKernel};
pub use ledger::Ledger;
pub use model::Parts;
pub use price::Goal;
pub use profile::{CURVE_POINTS_MAX, Curve, Link, Profile, SPREAD_MEASURED, SinkCost};
pub use ranking::{Prediction, Ranking};
pub use store::{Machine, SpotPoint, SpotQuantity, Store, fingerprint_of, spot_check};
pub(crate) use store::{SPOT_RATIO_MAX, spot_ratio};
pub use summary::{Crossover, DeviceSummary, KernelSummary, Summary};
pub use table::{ArmSet, Rank};

use crate::error::{Error, Result};
use crate::sync::{Mutex, MutexGuard, RwLock};
use decide::Cause;
use known::{Lie, Mind};
use learn::ArmLessons;
use learner::{Learner, Queue};
pub(crate) use model::nanoseconds;
use price::Prices;
pub(crate) use price::joules;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;
use table::{Table, Word};

/// The most kernels that a selector remembers.
pub const KERNELS_MAX: usize = 4096;
/// Shorter and longer times are none: a nanosecond, and eleven days.
const TOOK_MIN: f64 = 1.0;
const TOOK_MAX: f64 = 1e15;

/// A device that calls can go to.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// How fast it is.
    pub profile: Profile,
}

impl Arm {
    /// A device of this name.
    pub fn new(name: &str, profile: Profile) -> Arm {
        Arm { name: name.to_string(), profile }
    }
}

/// How a selector decides.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectorOptions {
    /// Whether runs change what is known; true. Without it the same call always gets the same ranking.
    pub learns: bool,
    /// Whether a second choice is sometimes tried to learn about it, within a hundredth of all time; true.
    pub explores: bool,
    /// Whether a thread of the selector learns, so that callers do not wait for it; true. Without it
    /// [`Selector::learn_now`] has to be called.
    pub learns_behind: bool,
    /// What devices are compared by; time. For energy, [`Selector::set_watts`] tells what they draw.
    pub goal: Goal,
}

impl Default for SelectorOptions {
    fn default() -> SelectorOptions {
        SelectorOptions { learns: true, explores: true, learns_behind: true, goal: Goal::Time }
    }
}

/// What a call took.
#[derive(Clone)]
pub struct Observation {
    /// What was called.
    pub known: Arc<Known>,
    /// How large the call was, before it ran.
    pub size: Size,
    /// The device that ran it.
    pub arm: usize,
    /// Nanoseconds, without compiling; `None` if it failed.
    pub took: Option<f64>,
    /// How many calls it stands for among those that were told: 1, or [`Rank::weight`] of it.
    pub weight: f64,
    /// Bytes of the result; `None` if nobody counted them.
    pub output: Option<u64>,
    /// Whether it ran there to learn about it.
    pub explored: bool,
    /// Whether others ran there at the same time.
    pub contended: bool,
}

impl Observation {
    /// A call that the first choice of a ranking ran, alone, in so many nanoseconds.
    pub fn of(known: &Arc<Known>, size: Size, rank: Rank, nanoseconds: u64) -> Observation {
        Observation {
            known: known.clone(),
            size,
            arm: rank.first(),
            took: Some(nanoseconds as f64),
            weight: rank.weight(nanoseconds),
            output: None,
            explored: rank.explores(),
            contended: false,
        }
    }
}

/// Chooses among devices, and learns. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Selector(Arc<Inner>);

struct Inner {
    names: Vec<String>,
    options: SelectorOptions,
    /// Bits of [`Residency`] that say nothing: of devices that work in the host's memory, or are not there.
    ignored: u32,
    /// Devices of which every call is worth learning from for now, as a set: something unusual happened there.
    watched: AtomicU8,
    known: Mutex<BTreeMap<(u128, u8), Arc<Known>>>,
    /// What was learned before of kernels that were not asked for since, by their keys.
    remembered: Mutex<learned::Remembered>,
    shared: Mutex<Shared>,
    /// Nanoseconds of the selector's time, moved by whoever has a clock.
    now: AtomicU64,
    queue: Arc<Queue>,
    learner: Learner,
}

/// What all kernels have in common. Locked after a kernel's mind, never before.
struct Shared {
    /// As devices are now.
    profiles: Vec<Profile>,
    /// As they were told to be.
    told: Vec<Profile>,
    arms: Vec<ArmLessons>,
    ledger: Ledger,
    prices: Prices,
    /// Changes with every profile, and with all that is taken over.
    version: u64,
}

impl Selector {
    /// A selector among these devices, at most [`ARMS_MAX`]. The first is the last resort: it is never closed.
    pub fn new(arms: Vec<Arm>, options: SelectorOptions) -> Result<Selector> {
        if arms.is_empty() || arms.len() > ARMS_MAX {
            let text = format!("a selector chooses among 1 to {ARMS_MAX} devices, not {}", arms.len());
            return Err(Error::invalid(text));
        }
        let (names, profiles): (Vec<String>, Vec<Profile>) =
            arms.into_iter().map(|arm| (arm.name, arm.profile)).unzip();
        let is_remote = |arm: usize| profiles.get(arm).is_some_and(|profile| !profile.copy_in.pageable.is_empty());
        let ignored = (0..ARMS_MAX).filter(|&arm| !is_remote(arm)).map(|arm| 15 << (4 * arm)).sum();
        let lessons = profiles.iter().map(|profile| ArmLessons::new(profile.spread)).collect();
        let prices = Prices::new(options.goal);
        Ok(Selector(Arc::new(Inner {
            names,
            options,
            ignored,
            watched: AtomicU8::new(0),
            known: Mutex::default(),
            remembered: Mutex::default(),
            shared: Mutex::new(Shared {
                told: profiles.clone(),
                profiles,
                arms: lessons,
                ledger: Ledger::default(),
                prices,
                version: 0,
            }),
            now: AtomicU64::new(0),
            queue: Arc::default(),
            learner: Learner::default(),
        })))
    }

    /// The names of its devices.
    pub fn names(&self) -> &[String] {
        &self.0.names
    }

    /// A kernel that these devices can run, the first device always; the same each time it is asked for.
    pub fn know(&self, workload: &Workload, takes: ArmSet) -> Arc<Known> {
        let takes = ArmSet(takes.0 & (u8::MAX >> (ARMS_MAX - self.0.names.len()))).with(0);
        let mut known = self.0.known.lock();
        if let Some(own) = known.get(&(workload.key, takes.0)) {
            return own.clone();
        }
        if known.len() >= KERNELS_MAX {
            // One that nobody holds any more, or else any: who holds it goes on with it.
            let idle = known.iter().find(|(_, own)| Arc::strong_count(own) == 1).map(|(key, _)| *key);
            let oldest = idle.or_else(|| known.keys().next().copied());
            oldest.map(|key| known.remove(&key));
        }
        let lessons = self.0.recall(workload.key);
        let mind = Mutex::new(Mind::new(lessons));
        let new = Known { workload: workload.clone(), takes, host: Table::new(), others: RwLock::default(), mind };
        known.entry((workload.key, takes.0)).or_insert(Arc::new(new)).clone()
    }

    /// The devices for a call, the first choice first; those that are closed come last. Never empty.
    #[inline]
    pub fn rank(&self, known: &Known, size: Size, closed: ArmSet) -> Rank {
        let lie = lie_of(self.0.ignored, size);
        let is_host = lie == (Residency::HOST, false);
        let found = if is_host {
            known.host.rank(size.bucket())
        } else {
            known.with_table(lie, |table| table.rank(size.bucket()))
        };
        let watched = ArmSet(self.0.watched.load(Ordering::Relaxed));
        match found.map(|rank| rank.watched(watched)) {
            Some(rank) if closed.0 >> rank.first() & 1 == 0 => rank,
            Some(rank) => rank.without(ArmSet(closed.0 & !1)),
            None => self.rank_first(known, lie, size).without(ArmSet(closed.0 & !1)),
        }
    }

    /// The same without exploring: what is expected to be fastest comes first.
    pub fn settled(&self, known: &Known, size: Size, closed: ArmSet) -> Rank {
        let lie = lie_of(self.0.ignored, size);
        let found = known.with_table(lie, |table| table.word(size.bucket()));
        let rank = found.map_or_else(|| self.rank_first(known, lie, size), Word::rank);
        rank.without(ArmSet(closed.0 & !1))
    }

    /// Tells what a call took. Learned from behind the caller's back; of more than 4,096 calls
    /// that wait for that the last are dropped.
    pub fn observe(&self, observation: Observation) {
        if self.0.options.learns && self.0.queue.push(observation) && self.0.options.learns_behind {
            self.0.learner.start(&self.0);
        }
    }

    /// Learns from everything that was observed so far, on this thread.
    pub fn learn_now(&self) {
        self.0.learn(self.0.queue.take());
    }

    /// Moves the selector's time on: what was not measured for long is less certain.
    pub fn advance_to(&self, now: Duration) {
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.0.now.fetch_max(now, Ordering::Relaxed);
    }

    /// What a device turned out to be like. What was learned of it before is forgotten.
    pub fn set_profile(&self, arm: usize, profile: Profile) {
        if arm >= self.0.names.len() {
            return;
        }
        let mut shared = self.0.shared();
        shared.version += 1;
        shared.arms[arm] = ArmLessons::new(profile.spread);
        shared.told[arm] = profile.clone();
        shared.profiles[arm] = profile;
        drop(shared);
        self.0.remembered.lock().forget(arm);
        for known in self.0.all_known() {
            known.mind().forget_arm(arm);
            self.0.publish_all(&known, Cause::Drift);
        }
    }

    /// The profile of a device.
    pub fn profile(&self, arm: usize) -> Option<Profile> {
        self.0.shared().profiles.get(arm).cloned()
    }

    /// What choices cost so far.
    pub fn ledger(&self) -> Ledger {
        self.0.shared().ledger.clone()
    }

    /// Forgets what runs taught; profiles stay.
    pub fn reset(&self) {
        self.0.queue.take();
        *self.0.remembered.lock() = learned::Remembered::default();
        let mut shared = self.0.shared();
        let spreads: Vec<f64> = shared.profiles.iter().map(|profile| profile.spread).collect();
        shared.arms = spreads.into_iter().map(ArmLessons::new).collect();
        shared.ledger = Ledger::default();
        shared.version += 1;
        drop(shared);
        for known in self.0.all_known() {
            known.mind().forget();
            self.0.publish_all(&known, Cause::Drift);
        }
    }
}

impl Inner {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock()
    }

    fn all_known(&self) -> Vec<Arc<Known>> {
        self.known.lock().values().cloned().collect()
    }

    /// Seconds of the selector's time.
    fn seconds(&self) -> f64 {
        self.now.load(Ordering::Relaxed) as f64 / 1e9
    }
}

/// How the input of a call lies, as tables are told apart: there, partly there, or not.
#[inline]
fn lie_of(ignored: u32, size: Size) -> Lie {
    let bits = size.residency.0 | ignored;
    if bits == u32::MAX {
        return (Residency::HOST, size.locked);
    }
    let level = |arm: usize| match bits >> (4 * arm) & 15 {
        0 => 0,
        15 => 15,
        _ => 8,
    };
    (Residency((0..ARMS_MAX).map(|arm| level(arm) << (4 * arm)).sum()), size.locked)
}
