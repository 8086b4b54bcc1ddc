//! Whether several devices share a query, or one of them runs it alone because that is faster: decided by what whole runs
//! took ([`SharingStrategies`]).

mod ways;

use super::candidates::{PlacementCursor, QueryCandidates, SelectionInput};
use super::placement::Placement;
use super::service::SelectorService;
use crate::exec::sharing::pacing::{Memory, Paces};
use crate::instrument::skip_reason::SkipReason;
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::{Estimate, Kernel};
use std::sync::Arc;
use std::time::Duration;
use ways::{Member, Party, Pick, Topic, Way, Ways};

/// The rate of a device about which nothing is known, in bytes and operations a second. A query that takes it less than
/// this many seconds is not shared.
const GUESSED_RATE: f64 = 1e10;
const GUESSED_TIME_MIN: f64 = 10e-6;
/// A shorter run on a single device, in nanoseconds, is not recorded.
const RECORDED_TIME_MIN: u64 = 5_000_000;

/// What is known about queries that devices may share: the speed of each device, and the time of whole runs.
#[derive(Default)]
pub(super) struct SharingStrategies {
    paces: Paces,
    ways: Ways,
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
    is_shared: bool,
    /// The devices that could have shared the run, if one of them runs alone.
    spared: Option<Spared<'p>>,
    /// The strategies to choose from and the one picked; `None` where nothing can be learned.
    strategy: Option<(Arc<Party>, Pick)>,
}

/// Devices that could share a run which one of them does alone.
#[derive(Clone, Copy)]
pub(crate) struct Spared<'p> {
    /// The placement of all of them.
    pub(crate) placement: &'p Placement,
    pub(crate) why: SkipReason,
}

/// What a shared or single run took.
pub(crate) struct StrategyTiming<'t> {
    /// The time of the shared run, or of one device that ran a shared query alone.
    pub(crate) shared_time: Duration,
    /// The time of a run on one device, in nanoseconds.
    pub(crate) nanoseconds: u64,
    /// Whether other queries or failed devices disturbed the run, so that its time says little.
    pub(crate) was_disturbed: bool,
    /// The predicted seconds of each device alone, as far as the shared run showed them.
    pub(crate) alone_seconds: &'t [Option<f64>],
}

impl<'p> PlannedRun<'p> {
    fn new(placement: &'p Placement, choice: SharingChoice<'p>) -> PlannedRun<'p> {
        PlannedRun { placement, sharing: Some(Box::new(choice)) }
    }

    /// Whether several devices run the query.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.is_shared)
    }

    /// The devices that could have shared the run, if one of them runs alone.
    #[inline]
    pub(crate) fn spared(&self) -> Option<Spared<'p>> {
        self.sharing.as_ref().and_then(|sharing| sharing.spared)
    }

    #[inline]
    fn strategy(&self) -> Option<&(Arc<Party>, Pick)> {
        self.sharing.as_ref().and_then(|sharing| sharing.strategy.as_ref())
    }

    /// Whether a device other than the first runs a shared query alone.
    pub(super) fn is_trial_of_another(&self) -> bool {
        matches!(self.strategy(), Some((_, Pick { way: Way::Alone(number), .. })) if *number > 0)
    }

    /// Records that a device failed to run a shared query alone.
    pub(super) fn record_failure(&self) {
        if let Some((party, Pick { way: Way::Alone(number), .. })) = self.strategy() {
            party.failed(*number);
        }
    }
}

impl SelectorService {
    /// How the devices of a placement run a query. `all_devices`: one of them failed to run it alone.
    #[inline]
    pub(super) fn plan_run<'p>(
        &self,
        placement: &'p Placement,
        stages: &[Stage],
        call: &SelectionInput<'_>,
        all_devices: bool,
    ) -> PlannedRun<'p> {
        if placement.partners.is_empty() {
            return PlannedRun { placement, sharing: None };
        }
        self.plan_shared_run(placement, stages, call, all_devices)
    }

    #[cold]
    fn plan_shared_run<'p>(
        &self,
        placement: &'p Placement,
        stages: &[Stage],
        call: &SelectionInput<'_>,
        all_devices: bool,
    ) -> PlannedRun<'p> {
        let together = |strategy| PlannedRun::new(placement, SharingChoice { is_shared: true, spared: None, strategy });
        if self.is_too_short(placement, stages, call.rows) {
            let spared = Some(Spared { placement, why: SkipReason::TooShort });
            return PlannedRun::new(placement, SharingChoice { is_shared: false, spared, strategy: None });
        }
        let memories = || stages.iter().map(|stage| self.pace_of(&stage.kernel, placement, call.rows));
        // A stage of which one device did everything says nothing about who helps: that is measured anew.
        let measure_all = || memories().filter(|memory| memory.is_of_one()).for_each(|memory| memory.forget());
        if all_devices {
            measure_all();
            return together(None);
        }
        // A caller that shares even the shortest queries shares every query.
        if self.options.share_time_min.is_zero() || call.batch_rows.is_some() {
            return together(None);
        }
        let member = |one: &Placement| {
            let health = one.handle.health.as_ref();
            let is_shut = health.is_some_and(|health| health.is_excluded(&one.kernels, &*self.clock));
            Member { is_open: !is_shut, reach: one.handle.memory_access() }
        };
        let party = self.party(placement, stages, call);
        let pick = party.pick(&placement.single_device.iter().map(member).collect::<Vec<_>>());
        let strategy = Some((party, pick));
        match pick.way {
            Way::Together => {
                if pick.is_trial {
                    measure_all();
                }
                together(strategy)
            }
            Way::Alone(number) => {
                let memories: Vec<Arc<Memory>> = memories().collect();
                let others = placement.single_device.iter().enumerate().filter(|(other, _)| *other != number);
                let may_others = others.into_iter().any(|(_, other)| may_help(&memories, other.device()));
                let why = if pick.is_trial && may_others { SkipReason::Trial } else { SkipReason::NoGain };
                let spared = Some(Spared { placement, why });
                let choice = SharingChoice { is_shared: false, spared, strategy };
                PlannedRun::new(&placement.single_device[number], choice)
            }
        }
    }

    /// Whether a query takes the first device, or by a guess any device, less time than sharing costs.
    fn is_too_short(&self, placement: &Placement, stages: &[Stage], rows: usize) -> bool {
        let least = self.options.share_time_min.as_secs_f64();
        match stages {
            [stage] if least > 0.0 => {
                let known = self.pace_of(&stage.kernel, placement, rows).pace(placement.device());
                let seconds = known.map(|pace| rows as f64 / pace.alone);
                seconds.map_or_else(|| guessed_time(stage, rows) < GUESSED_TIME_MIN, |seconds| seconds < least)
            }
            _ => false,
        }
    }

    /// What is known about the speed of each device of a placement at a kernel.
    pub(crate) fn pace_of(&self, kernel: &Kernel, placement: &Placement, rows: usize) -> Arc<Memory> {
        self.sharing.paces.of(kernel, &placement.names(), rows)
    }

    fn party(&self, placement: &Placement, stages: &[Stage], call: &SelectionInput<'_>) -> Arc<Party> {
        let names: Vec<&str> = placement.single_device.iter().map(Placement::device).collect();
        self.sharing.ways.party(topic(stages, call.rows, call.may_keep_columns()), &names)
    }

    /// Records the time of a run, for later choices between sharing and running alone.
    #[inline]
    pub(crate) fn observe_strategy(
        &self,
        run: &PlannedRun<'_>,
        ranking: &PlacementCursor<'_>,
        timing: StrategyTiming<'_>,
    ) {
        let is_recorded = run.strategy().is_some() || timing.nanoseconds >= RECORDED_TIME_MIN && !run.is_shared();
        // A query that names no device is never shared.
        if is_recorded && !ranking.candidates.is_automatic {
            self.record_strategy(run, ranking, &timing);
        }
    }

    #[cold]
    fn record_strategy(&self, run: &PlannedRun<'_>, ranking: &PlacementCursor<'_>, timing: &StrategyTiming<'_>) {
        let (stages, call) = (ranking.stages, &ranking.call);
        if timing.was_disturbed || call.batch_rows.is_some() {
            return;
        }
        if let Some((party, pick)) = run.strategy() {
            return party.note(*pick, (timing.shared_time.as_secs_f64(), call.rows), timing.alone_seconds);
        }
        let topic = topic(stages, call.rows, call.may_keep_columns());
        let alone = self.sharing.ways.alone(&topic, run.placement.device());
        alone.note(Duration::from_nanos(timing.nanoseconds).as_secs_f64(), call.rows);
    }

    /// Describes what is known about sharing a query, for this number of rows; `None` if no devices may share it.
    pub(crate) fn explain_sharing(
        &self,
        candidates: &QueryCandidates,
        stages: &[Stage],
        rows: usize,
    ) -> Option<String> {
        let placement = candidates.requested.first().filter(|first| !first.partners.is_empty())?;
        let names: Vec<&str> = placement.single_device.iter().map(Placement::device).collect();
        let time = |row: Option<f64>| match row.map(|row| Duration::try_from_secs_f64(row * rows as f64)) {
            Some(Ok(time)) => format!("{time:.1?}"),
            Some(Err(_)) | None => "not measured".to_string(),
        };
        let known = |may_keep| self.sharing.ways.party(topic(stages, rows, may_keep), &names).known();
        let (together, alone) = match known(false) {
            (None, _) => known(true),
            known => known,
        };
        let alone = names.iter().zip(alone).map(|(name, row)| format!("{name} alone: {}", time(row)));
        let lines = std::iter::once(format!("together: {}", time(together))).chain(alone);
        Some(format!("{rows} rows\n{}", lines.collect::<Vec<_>>().join("\n")))
    }
}

impl SelectionInput<'_> {
    /// Whether a device may keep some of the columns.
    fn may_keep_columns(&self) -> bool {
        self.inputs.iter().any(|input| input.identity().is_some())
    }
}

/// Whether a device makes others faster, as far as is known.
pub(crate) fn may_help(memories: &[Arc<Memory>], device: &str) -> bool {
    memories.iter().any(|memory| memory.pace(device).is_none_or(|pace| pace.helps))
}

fn topic(stages: &[Stage], rows: usize, may_keep: bool) -> Topic {
    Topic::new(stages.iter().map(|stage| stage.kernel.clone()).collect(), rows, may_keep)
}

/// A guess of how long a stage takes, in seconds.
fn guessed_time(stage: &Stage, rows: usize) -> f64 {
    let estimate = Estimate::of(&stage.kernel);
    let bytes = estimate.read_bytes_per_row + estimate.write_bytes_per_row;
    (bytes + estimate.ops_per_row.values().sum::<f64>()) * rows as f64 / GUESSED_RATE
}
