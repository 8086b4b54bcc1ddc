//! Whether several devices share a query, or one of them runs it alone because that is faster.
//!
//! Every set of devices that a request names has a [`Selector`] of its own. Its first arm is all devices together, the
//! others are each device alone; so shared runs are predicted, tried and learned from like runs on one device.

use super::candidates::{QueryCandidates, SelectionInput};
use super::estimator::{
    Arm, ArmSet, KernelStats, Observation, Profile, RankReason, Residency, Selector, SelectorOptions, Size, Workload,
};
use super::placement::Placement;
use super::service::SelectorService;
use crate::devices::handle::DeviceHandle;
use crate::instrument::skip_reason::SkipReason;
use crate::telemetry::receipt::Share;
use pointsman_ir::fuse::Stage;
use std::sync::Arc;
use std::time::Duration;

/// The most sets of devices whose runs are remembered.
pub(super) const SETS_MAX: usize = 64;
/// The arm of all devices together; the arms of single devices follow in the order of the placement.
const TOGETHER: usize = 0;
const FIRST_ALONE: usize = 1;
/// Rows are split by a predicted rate only if it is about this certain: the standard deviation of its logarithm.
const RATE_SPREAD_MAX: f64 = 0.5;

/// A query that the devices of a placement may share, and what is known of its runs.
pub(super) struct SharedQuery {
    selector: Arc<Selector>,
    kernel: Arc<KernelStats>,
}

/// A placement, and how its devices run the query: all of them share it, or one runs it alone.
pub(crate) struct PlannedRun<'p> {
    /// The placement, or one of its devices alone.
    pub(crate) placement: &'p Placement,
    /// How devices share the run; `None` if there is only one. Boxed, since most runs have one device and every run moves
    /// this struct.
    sharing: Option<Box<SharingChoice<'p>>>,
}

/// How the devices of a placement share a run.
struct SharingChoice<'p> {
    /// The placement of all devices.
    all: &'p Placement,
    size: Size,
    arm: usize,
    /// Why other devices take no part, if one runs alone.
    why: SkipReason,
    /// Learns from the run; `None` if the caller decided how the devices share it.
    learner: Option<&'p SharedQuery>,
}

impl PlannedRun<'_> {
    /// Whether several devices run the query.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.arm == TOGETHER)
    }

    /// Whether several devices can share the query: all of them run it, or one alone.
    #[inline]
    pub(crate) fn may_be_shared(&self) -> bool {
        self.sharing.is_some()
    }

    /// The part of each device, for the receipt of a run that one of them did alone.
    pub(crate) fn single_device_shares(&self, rows: usize, batches: usize) -> Option<Arc<[Share]>> {
        let SharingChoice { all, arm, why, .. } = self.sharing.as_deref()?;
        let share = |(number, one): (usize, &Placement)| {
            let device = one.device().to_string();
            match number == *arm {
                true => Share { device, rows, batches, left_out: None },
                false => Share { device, rows: 0, batches: 0, left_out: Some(*why) },
            }
        };
        Some((FIRST_ALONE..).zip(all.all()).map(share).collect())
    }

    /// Whether a device other than the first runs a shared query alone.
    pub(super) fn is_trial_of_another(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.arm > FIRST_ALONE)
    }

    /// The predicted rows per second of each device alone; `None` where that is not certain enough.
    pub(crate) fn predicted_rates(&self) -> Vec<Option<f64>> {
        let Some(SharingChoice { all, size, .. }) = self.sharing.as_deref() else { return Vec::new() };
        let rate = |(arm, _)| {
            let query = all.shared_query.as_ref()?;
            let own = query.selector.estimate(&query.kernel, *size, arm)?;
            Some(size.rows as f64 / own.time * 1e9).filter(|rate| own.spread <= RATE_SPREAD_MAX && *rate > 0.0)
        };
        (FIRST_ALONE..).zip(all.all()).map(rate).collect()
    }

    /// Records the time of a run, for later choices between sharing and running alone; `None` if it failed.
    pub(crate) fn observe_sharing(&self, time: Option<Duration>, is_contended: bool) {
        let Some(choice) = self.sharing.as_deref() else { return };
        let Some(SharedQuery { selector, kernel }) = choice.learner else { return };
        kernel.record_outcome(choice.arm, time.is_some());
        selector.observe(Observation {
            kernel: kernel.clone(),
            size: choice.size,
            arm: choice.arm,
            // The CPU takes no time on a virtual clock.
            nanoseconds: time.map(|time| time.as_nanos().max(1) as f64),
            stands_for: 1,
            output: None,
            reason: if choice.why == SkipReason::Trial { RankReason::Trial } else { RankReason::Best },
            is_contended,
        });
        selector.learn_now();
    }
}

impl SelectorService {
    /// How the devices of a placement run a query. `all_devices`: one of them failed to run it alone.
    #[inline]
    pub(super) fn plan_run<'p>(
        &self,
        placement: &'p Placement,
        call: &SelectionInput<'_>,
        all_devices: bool,
    ) -> PlannedRun<'p> {
        if placement.partners.is_empty() {
            return PlannedRun { placement, sharing: None };
        }
        self.plan_shared_run(placement, call, all_devices)
    }

    #[cold]
    fn plan_shared_run<'p>(&self, all: &'p Placement, call: &SelectionInput<'_>, all_devices: bool) -> PlannedRun<'p> {
        // A caller that shares even the shortest queries shares every query.
        let is_forced = all_devices || self.options.share_time_min.is_zero() || call.batch_rows.is_some();
        let (size, learner) = (size_of(call), all.shared_query.as_ref().filter(|_| !is_forced));
        let (arm, why) = match learner {
            Some(query) => self.choose(all, query, size),
            None => (TOGETHER, SkipReason::NoGain),
        };
        let placement = arm.checked_sub(FIRST_ALONE).map_or(all, |device| &all.single_device[device]);
        PlannedRun { placement, sharing: Some(Box::new(SharingChoice { all, size, arm, why, learner })) }
    }

    /// The arm that runs a call, and why other devices take no part if that is one device.
    fn choose(&self, all: &Placement, query: &SharedQuery, size: Size) -> (usize, SkipReason) {
        let closed = self.closed_arms(all, query.kernel.paused_devices());
        let first = query.selector.predicted(&query.kernel, size, FIRST_ALONE);
        if first.total() < self.options.share_time_min.as_nanos() as f64 && !closed.has(FIRST_ALONE) {
            return (FIRST_ALONE, SkipReason::TooShort);
        }
        let rank = query.selector.rank(&query.kernel, size, closed);
        let is_trial = rank.reason() == RankReason::Trial;
        (rank.first(), if is_trial { SkipReason::Trial } else { SkipReason::NoGain })
    }

    /// The devices that cannot run a query alone now, beside those that failed lately.
    fn closed_arms(&self, all: &Placement, failed: ArmSet) -> ArmSet {
        let alone = (FIRST_ALONE..).zip(&all.single_device);
        alone.filter(|(_, one)| one.is_excluded(&*self.clock)).map(|(arm, _)| arm).fold(failed, ArmSet::with)
    }

    /// Prepares a query that the devices of a placement may share; `None` if a selector cannot choose among so many.
    pub(super) fn shared_query(&self, placement: &Placement, stages: &[Stage]) -> Option<SharedQuery> {
        let names = placement.names();
        let selector = match self.sharing.get(&names) {
            Some(selector) => selector,
            None => self.sharing.put(names, Arc::new(self.sharing_selector(placement)?)),
        };
        let known = |(arm, one): (usize, &Placement)| Some((arm, self.known_profile(&one.handle)?));
        selector.set_profiles((FIRST_ALONE..).zip(placement.all()).filter_map(known).collect::<Vec<_>>());
        let kernel = selector.register(&Workload::of(stages), ArmSet::ALL);
        Some(SharedQuery { selector, kernel })
    }

    /// A selector among all devices of a placement together and each of them alone, by guessed profiles.
    fn sharing_selector(&self, placement: &Placement) -> Option<Selector> {
        let alone = |one: &Placement| {
            let guess = self.options.rules.arm(&one.handle);
            Arm::new(&format!("{} alone", guess.name), guess.profile)
        };
        let devices: Vec<Arm> = placement.all().map(alone).collect();
        let members = (FIRST_ALONE..=devices.len()).fold(ArmSet::NONE, ArmSet::with);
        let arms = std::iter::once(Arm::together("all devices", members)).chain(devices).collect();
        let learns = self.options.rules.learns;
        // A shared query takes milliseconds, so its caller can learn.
        let options = SelectorOptions { learns, explores: learns, learns_behind: false, ..SelectorOptions::default() };
        Selector::new(arms, options).ok()
    }

    /// The profile of a device in the session's selector.
    fn known_profile(&self, handle: &Arc<DeviceHandle>) -> Option<Profile> {
        let devices = self.devices()?;
        devices.selector.profile(devices.handles.iter().position(|own| Arc::ptr_eq(own, handle))?)
    }

    /// Predicts the time of a call on all devices together and on each alone; `None` if no devices may share it.
    pub(crate) fn explain_sharing(&self, candidates: &QueryCandidates, call: &SelectionInput<'_>) -> Option<String> {
        let all = candidates.requested.first()?;
        let (query, closed) = (all.shared_query.as_ref()?, self.closed_arms(all, ArmSet::NONE));
        let ranking = query.selector.explain(&query.kernel, size_of(call), closed);
        Some(format!("{} rows\n{ranking}", call.rows))
    }
}

/// The size of a call. A call over columns that a device may keep counts as partly resident, so that its times do not mix
/// with those of borrowed columns.
fn size_of(call: &SelectionInput<'_>) -> Size {
    let may_keep = call.inputs.iter().any(|input| input.identity().is_some());
    let residency = if may_keep { Residency(0x8888_8888) } else { Residency::HOST };
    Size { residency, ..Size::host(call.rows as u64) }
}
