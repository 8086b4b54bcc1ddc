//! Whether several devices share a query, or one of them runs it alone because that is faster.
//!
//! Both are placements with a predicted time: that of one device comes from its last runs or from the selector, and devices
//! that share should take `1 / Σ(1/t)` together. Measured times of whole runs replace predictions
//! ([`StrategyStats`](strategy_stats::StrategyStats)), since devices of one machine may slow each other down.

mod strategy_stats;

use super::candidates::{PlacementCursor, QueryCandidates, SelectionInput};
use super::placement::Placement;
use super::service::SelectorService;
use crate::cache::Cache;
use crate::instrument::skip_reason::SkipReason;
use crate::telemetry::receipt::{PredictionSource, Share};
use pointsman_ir::fuse::Stage;
use pointsman_ir::kernel::{Estimate, Kernel};
use std::sync::Arc;
use std::time::Duration;
use strategy_stats::{Decision, QueryStats, StrategyCandidate};

/// The most queries whose strategies are remembered, each with a size.
const QUERIES_MAX: usize = 1024;
/// A query about which nothing is known is not shared if it takes less than `GUESSED_TIME_MIN` seconds at `GUESSED_RATE`
/// bytes and operations per second.
const GUESSED_RATE: f64 = 1e10;
const GUESSED_TIME_MIN: f64 = 10e-6;
/// A shorter run on a single device, in nanoseconds, is not recorded.
const RECORDED_TIME_MIN: u64 = 5_000_000;
/// Sharing is predicted to take this many seconds longer than its parts, and to pay off only if it gains this much.
const SHARING_OVERHEAD: f64 = 200e-6;
const SHARING_GAIN_MIN: f64 = 1.1;

/// The measured times of queries that devices may share.
pub(super) struct SharingStrategies(Cache<StrategyKey, QueryStats>);

/// A query of about the same size and cost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StrategyKey {
    kernels: Vec<Kernel>,
    /// The binary logarithm of the rows.
    octave: u32,
    /// Whether a device may keep some of the columns, and need not copy them again.
    may_keep_columns: bool,
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
    decision: Decision,
    /// All devices together, then each one alone.
    strategies: Vec<StrategyCandidate>,
    /// Where the time of the run is recorded; `None` if it says nothing about the strategy.
    stats: Option<Arc<QueryStats>>,
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
    /// Each device's part of a shared run.
    pub(crate) shares: &'t [Share],
}

impl Default for SharingStrategies {
    fn default() -> SharingStrategies {
        SharingStrategies(Cache::new(QUERIES_MAX))
    }
}

impl SharingStrategies {
    fn stats(&self, stages: &[Stage], rows: usize, may_keep_columns: bool) -> Arc<QueryStats> {
        let kernels = stages.iter().map(|stage| stage.kernel.clone()).collect();
        let key = StrategyKey { kernels, octave: rows.max(1).ilog2(), may_keep_columns };
        self.0.get(&key).unwrap_or_else(|| self.0.put(key, Arc::default()))
    }
}

impl<'p> PlannedRun<'p> {
    /// Whether several devices run the query.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.decision.strategy == 0)
    }

    /// Whether several devices can share the query: all of them run it, or one alone.
    #[inline]
    pub(crate) fn may_be_shared(&self) -> bool {
        self.sharing.is_some()
    }

    /// The devices that could have shared the run, if one of them runs alone.
    #[inline]
    pub(crate) fn spared(&self) -> Option<Spared<'p>> {
        let sharing = self.sharing.as_ref().filter(|sharing| sharing.decision.strategy > 0)?;
        Some(Spared { placement: sharing.all, why: sharing.decision.why })
    }

    /// The predicted rows per second of a device alone, by its position in the placement.
    pub(crate) fn predicted_rate(&self, device: usize, rows: usize) -> Option<f64> {
        let seconds = self.sharing.as_ref()?.strategies.get(1 + device)?.seconds?;
        Some(rows as f64 / seconds).filter(|rate| rate.is_finite() && *rate > 0.0)
    }

    /// Whether a device other than the first runs a shared query alone.
    pub(super) fn is_trial_of_another(&self) -> bool {
        self.sharing.as_ref().is_some_and(|sharing| sharing.decision.strategy > 1)
    }

    /// Records that a device failed to run a shared query alone.
    pub(super) fn record_failure(&self) {
        let sharing = self.sharing.as_ref().filter(|sharing| sharing.decision.strategy > 0);
        if let Some((stats, devices)) = sharing.and_then(|sharing| sharing.recorded()) {
            stats.record_failure(devices);
        }
    }
}

impl SharingChoice<'_> {
    /// Where the run is recorded, and the devices that run the query.
    fn recorded(&self) -> Option<(&QueryStats, &str)> {
        Some((self.stats.as_deref()?, &self.strategies[self.decision.strategy].devices))
    }
}

impl SelectorService {
    /// How the devices of a placement run a query. `all_devices`: one of them failed to run it alone.
    #[inline]
    pub(super) fn plan_run<'p>(
        &self,
        placement: &'p Placement,
        cursor: &PlacementCursor<'_>,
        all_devices: bool,
    ) -> PlannedRun<'p> {
        if placement.partners.is_empty() {
            return PlannedRun { placement, sharing: None };
        }
        self.plan_shared_run(placement, cursor, all_devices)
    }

    #[cold]
    fn plan_shared_run<'p>(
        &self,
        all: &'p Placement,
        cursor: &PlacementCursor<'_>,
        all_devices: bool,
    ) -> PlannedRun<'p> {
        let (stages, call) = (cursor.stages, &cursor.call);
        let stats = self.sharing.stats(stages, call.rows, call.may_keep_columns());
        let strategies = self.strategies(all, cursor, &stats);
        // A caller that shares even the shortest queries shares every query.
        let is_forced = all_devices || self.options.share_time_min.is_zero() || call.batch_rows.is_some();
        let is_short = !is_forced && self.is_too_short(strategies[1].seconds, stages, call.rows);
        let decision = match is_forced {
            true => Decision { strategy: 0, why: SkipReason::NoGain },
            false if is_short => Decision { strategy: 1, why: SkipReason::TooShort },
            false => stats.choose(&strategies, call.rows),
        };
        let placement = decision.strategy.checked_sub(1).map_or(all, |device| &all.single_device[device]);
        let stats = Some(stats).filter(|_| !is_forced && !is_short);
        PlannedRun { placement, sharing: Some(Box::new(SharingChoice { all, decision, strategies, stats })) }
    }

    /// The strategies of a placement: all devices together, then each one alone.
    fn strategies(&self, all: &Placement, cursor: &PlacementCursor<'_>, stats: &QueryStats) -> Vec<StrategyCandidate> {
        let rows = cursor.call.rows;
        let candidate = |devices: String, is_open: bool, predicted: Option<f64>| {
            let seconds = stats.seconds(&devices, predicted, rows);
            StrategyCandidate { devices, is_open, predicted, seconds }
        };
        let devices: Vec<&str> = all.single_device.iter().map(Placement::device).collect();
        let predicted = self.predicted_seconds(&devices, cursor);
        let known =
            devices.iter().zip(&predicted).map(|(device, predicted)| stats.measured(device, rows).or(*predicted));
        let rate: Option<f64> = known.map(|seconds| seconds.map(f64::recip)).sum();
        let shared = rate.map(|rate| (rate.recip() + SHARING_OVERHEAD) * SHARING_GAIN_MIN);
        let alone = all.single_device.iter().zip(predicted).map(|(one, predicted)| {
            let health = one.handle.health.as_ref();
            let is_open = health.is_none_or(|health| !health.is_excluded(&one.kernels, &*self.clock));
            candidate(one.device().to_string(), is_open, predicted)
        });
        std::iter::once(candidate(all.names(), true, shared)).chain(alone).collect()
    }

    /// The selector's prediction for each of these devices, in seconds; `None` before device discovery, and for devices
    /// that the selector does not know.
    fn predicted_seconds(&self, devices: &[&str], cursor: &PlacementCursor<'_>) -> Vec<Option<f64>> {
        let known = self.automatic(cursor.candidates, cursor.stages, cursor.call.rows);
        let predictions = known.map_or(Vec::new(), |known| known.predict(known.size_of(&cursor.call), 0).predictions);
        let seconds = |device: &&str| {
            let prediction = predictions.iter().find(|prediction| prediction.device == *device)?;
            Some(prediction.time() / 1e9).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
        };
        devices.iter().map(seconds).collect()
    }

    /// Whether a query takes the first device, or by a guess any device, less time than sharing costs.
    fn is_too_short(&self, first_seconds: Option<f64>, stages: &[Stage], rows: usize) -> bool {
        match first_seconds {
            Some(seconds) => seconds < self.options.share_time_min.as_secs_f64(),
            None => stages.iter().map(|stage| guessed_time(stage, rows)).sum::<f64>() < GUESSED_TIME_MIN,
        }
    }

    /// Records the time of a run, for later choices between sharing and running alone.
    #[inline]
    pub(crate) fn observe_strategy(
        &self,
        run: &PlannedRun<'_>,
        ranking: &PlacementCursor<'_>,
        timing: StrategyTiming<'_>,
    ) {
        let is_recorded = run.sharing.is_some() || timing.nanoseconds >= RECORDED_TIME_MIN;
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
        let sharing = run.sharing.as_ref();
        let usual = self.sharing.stats(stages, call.rows, call.may_keep_columns());
        let (stats, devices) = match sharing.and_then(|sharing| sharing.recorded()) {
            Some(recorded) => recorded,
            None if run.is_shared() => return,
            None => (&*usual, run.placement.device()),
        };
        let time = if sharing.is_some() { timing.shared_time } else { Duration::from_nanos(timing.nanoseconds) };
        let is_short = |share: &Share| share.left_out == Some(SkipReason::TooShort);
        match timing.shares {
            // The first device ran all of a query that several could have shared.
            [first, others @ ..] if run.is_shared() && others.iter().all(is_short) => {
                stats.record(&first.device, time.as_secs_f64(), call.rows);
            }
            shares => {
                stats.record(devices, time.as_secs_f64(), call.rows);
                if run.is_shared() {
                    stats.record_shares(shares, time.as_secs_f64(), call.rows);
                }
            }
        }
    }

    /// Describes what is known about sharing a query, for this number of rows; `None` if no devices may share it.
    pub(crate) fn explain_sharing(
        &self,
        candidates: &QueryCandidates,
        stages: &[Stage],
        rows: usize,
    ) -> Option<String> {
        let placement = candidates.requested.first().filter(|first| !first.partners.is_empty())?;
        let stats = [false, true].map(|may_keep_columns| self.sharing.stats(stages, rows, may_keep_columns));
        let time = |devices: &str| match stats.iter().find_map(|stats| stats.measured(devices, rows)) {
            Some(seconds) => format!("{:.1?}", Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
            None => "not measured".to_string(),
        };
        let alone =
            placement.single_device.iter().map(|one| format!("{0} alone: {1}", one.device(), time(one.device())));
        let lines = std::iter::once(format!("together: {}", time(&placement.names()))).chain(alone);
        Some(format!("{rows} rows\n{}", lines.collect::<Vec<_>>().join("\n")))
    }
}

impl SelectionInput<'_> {
    /// Whether a device may keep some of the columns.
    fn may_keep_columns(&self) -> bool {
        self.inputs.iter().any(|input| input.identity().is_some())
    }
}

/// A guess of how long a stage takes, in seconds.
fn guessed_time(stage: &Stage, rows: usize) -> f64 {
    let estimate = Estimate::of(&stage.kernel);
    let bytes = estimate.read_bytes_per_row + estimate.write_bytes_per_row;
    (bytes + estimate.ops_per_row.values().sum::<f64>()) * rows as f64 / GUESSED_RATE
}
