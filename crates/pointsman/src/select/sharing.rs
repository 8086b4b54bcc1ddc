//! Decides whether several devices share the rows of a query, or one of them runs it alone because that is faster.
//!
//! Only measured runs decide ([`SizeTimes`]), not a model. There is an *arm* for all devices together and one for each
//! device alone. Each has one or two early trials: the first device alone, then all together, then each other device
//! alone if its part of a shared run suggests that it could be fastest. After that, the fastest arm runs, and the
//! others have further trials at growing intervals.

use super::candidates::{PlacementCursor, QueryCandidates, SelectionInput};
use super::estimator::{Size, nanoseconds};
use super::placement::{Placement, names};
use super::service::SelectorService;
use crate::error::FailureClass;
use crate::instrument::skip_reason::SkipReason;
use crate::sync::Mutex;
use crate::telemetry::receipt::Share;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of queries whose run times are remembered.
pub(super) const SHARED_QUERIES_MAX: usize = 1024;
/// The arms of a query: all devices together, then each device alone, in the order of the request.
const TOGETHER: usize = 0;
const FIRST_ALONE: usize = 1;
/// The number of last runs of an arm that count. Their median ignores two outliers.
const RUNS_KEPT: usize = 5;
/// A shared run must be faster than the best device alone by this factor, because it occupies all devices, and a
/// smaller gain may be noise.
const SHARING_GAIN_MIN: f64 = 1.05;
/// A device has its first trial alone if, judged by its part of a shared run, it should take at most this many times as
/// long as the best arm. The factor is large because other devices may have slowed it down in the shared run.
const FIRST_TRIAL: f64 = 6.0;
/// An arm has a second trial if the first took at most this many times as long as the best arm, because first runs are
/// cold.
const SECOND_TRIAL: f64 = 1.5;
/// A later trial follows after this many calls for each call's time that it should lose. The number doubles with each
/// trial, `RETRY_DOUBLINGS` times at most, so trials lose about a 32nd of the time at first and a 256th later.
const RETRY_CALLS: u64 = 32;
const RETRY_DOUBLINGS: u32 = 3;

/// The devices of a query that may share its rows, and the times of its runs.
pub(super) struct SharedQuery {
    /// The number of requested devices that may share the rows; the first ones of the request.
    pub(super) devices: usize,
    /// The times, by half-octave of rows and by whether a device may keep some of the columns.
    times: Mutex<BTreeMap<(u8, bool), SizeTimes>>,
}

/// The arm that runs a call, and why.
#[derive(Clone, Copy)]
pub(super) struct SharingChoice {
    arm: usize,
    /// If one device runs alone: why the others take no part.
    why: SkipReason,
    /// Whether the run is learned from; false if the caller's options decided.
    is_learned: bool,
}

impl SharingChoice {
    /// All devices share the call, regardless of measured times.
    pub(super) const FORCED: SharingChoice =
        SharingChoice { arm: TOGETHER, why: SkipReason::NoGain, is_learned: false };

    /// The number of the device that runs alone; `None` if all devices share the rows.
    pub(super) fn alone(self) -> Option<usize> {
        self.arm.checked_sub(FIRST_ALONE)
    }
}

/// The times of calls of about the same size.
struct SizeTimes {
    calls: u64,
    arms: Vec<ArmTimes>,
}

/// The times of one arm, in nanoseconds.
#[derive(Clone, Default)]
struct ArmTimes {
    /// The last runs, the latest first; infinite if they failed.
    recent: VecDeque<f64>,
    /// The time that a device should take alone, judged by its part of the last shared run.
    by_part: Option<f64>,
    /// The number of trials given to callers. A caller that was cancelled or timed out reports no time.
    trials: u32,
    /// The number of the last call that chose the arm.
    last_call: u64,
}

impl ArmTimes {
    /// The median of the last runs; the shorter one of two, because first runs are cold.
    fn measured(&self) -> Option<f64> {
        let mut sorted: Vec<f64> = self.recent.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len().saturating_sub(1) / 2).copied()
    }

    /// The measured time or, if there is none, the time judged by the device's part of a shared run.
    fn expected(&self) -> Option<f64> {
        self.measured().or(self.by_part)
    }
}

impl SizeTimes {
    /// Times without any run, for this many devices.
    fn new(devices: usize) -> SizeTimes {
        SizeTimes { calls: 0, arms: vec![ArmTimes::default(); FIRST_ALONE + devices] }
    }

    /// The arm for the next call. A query that the first device runs in less than `time_min` nanoseconds is not shared.
    fn choose(&self, time_min: f64, is_closed: impl Fn(usize) -> bool) -> SharingChoice {
        let choice = |arm, why| SharingChoice { arm, why, is_learned: true };
        let is_open = |arm: &usize| !arm.checked_sub(FIRST_ALONE).is_some_and(&is_closed);
        let first = self.arms[FIRST_ALONE].measured();
        if is_open(&FIRST_ALONE) && first.is_none_or(|time| time < time_min) {
            return choice(FIRST_ALONE, if first.is_some() { SkipReason::TooShort } else { SkipReason::Trial });
        }
        let cost = |arm: usize| {
            let factor = if arm == TOGETHER { SHARING_GAIN_MIN } else { 1.0 };
            factor * self.arms[arm].measured().unwrap_or(f64::INFINITY)
        };
        let open = || (0..self.arms.len()).filter(is_open);
        let best = open().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(TOGETHER);
        // The first device alone comes before all devices together.
        let trials = [FIRST_ALONE, TOGETHER].into_iter().chain(FIRST_ALONE + 1..self.arms.len());
        match trials.filter(is_open).find(|arm| self.is_trial_due(*arm, self.arms[best].measured())) {
            Some(arm) => choice(arm, SkipReason::Trial),
            None => choice(best, SkipReason::NoGain),
        }
    }

    /// Whether an arm should have a trial, if the best one takes `best` nanoseconds. Each trial is given to one caller;
    /// if that caller never reports its time, the next trial comes as late as after a trial that lost.
    fn is_trial_due(&self, arm: usize, best: Option<f64>) -> bool {
        let (own, best) = (&self.arms[arm], best.unwrap_or(f64::INFINITY));
        let time = own.expected().filter(|time| time.is_finite());
        let is_within = |factor: f64| time.is_some_and(|time| time <= factor * best);
        let distance = RETRY_CALLS << own.trials.saturating_sub(2).min(RETRY_DOUBLINGS);
        let loss = time.map_or(1.0, |time| (time / best - 1.0).max(1.0));
        let is_later = (self.calls - own.last_call) as f64 >= distance as f64 * loss;
        match (own.trials, own.recent.len()) {
            // A device without a part in a shared run is not tried.
            (0, 0) => arm == TOGETHER || is_within(FIRST_TRIAL) || time.is_some() && is_later,
            (1, 1) if is_within(SECOND_TRIAL) => true,
            _ => is_later,
        }
    }

    /// Counts a call that runs as chosen.
    fn start(&mut self, choice: SharingChoice) {
        self.calls += 1;
        let own = &mut self.arms[choice.arm];
        own.last_call = self.calls;
        if choice.why == SkipReason::Trial {
            own.trials += 1;
            // Of the earlier runs, only the last one still counts, because the arm may have become faster.
            own.recent.truncate(1);
        }
    }

    /// Records the time of a run and, if it was shared, of each device's part.
    fn record(&mut self, arm: usize, time: f64, shares: &[Share]) {
        let own = &mut self.arms[arm];
        own.recent.push_front(time);
        own.recent.truncate(RUNS_KEPT);
        if arm == TOGETHER {
            let rows = shares.iter().map(|share| share.rows).sum::<usize>() as f64;
            for (device, share) in self.arms[FIRST_ALONE..].iter_mut().zip(shares) {
                device.by_part = (share.rows > 0).then(|| time * rows / share.rows as f64);
            }
        }
    }
}

impl QueryCandidates {
    /// Calls `act` with the times of calls of this size; `None` if no devices may share the query.
    fn with_times<T>(&self, call: &SelectionInput<'_>, act: impl FnOnce(&mut SizeTimes) -> T) -> Option<T> {
        let SharedQuery { devices, times } = self.sharing.as_deref()?;
        // Runs over columns that a device may keep take different times than runs over borrowed ones.
        let may_keep = call.inputs.iter().any(|input| input.identity().is_some());
        let key = (Size::host(call.rows as u64).bucket(), may_keep);
        Some(act(times.lock().entry(key).or_insert_with(|| SizeTimes::new(*devices))))
    }
}

impl SelectorService {
    /// The times of a query that these devices may share; `None` if there is only one device.
    pub(super) fn shared_query(&self, devices: &[Placement], key: u128) -> Option<Arc<SharedQuery>> {
        let (key, devices) = ((names(devices), key), devices.len());
        let new = || Arc::new(SharedQuery { devices, times: Mutex::default() });
        (devices > 1).then(|| self.sharing.get(&key).unwrap_or_else(|| self.sharing.put(key, new())))
    }

    /// Chooses the arm of a call and counts it; `None` if no devices may share the query.
    #[cold]
    pub(super) fn choose_sharing(&self, query: &QueryCandidates, call: &SelectionInput<'_>) -> Option<SharingChoice> {
        let choice = self.next_sharing(query, call)?;
        if choice.is_learned {
            query.with_times(call, |times| times.start(choice));
        }
        Some(choice)
    }

    /// The arm that a call would get now; changes nothing.
    fn next_sharing(&self, query: &QueryCandidates, call: &SelectionInput<'_>) -> Option<SharingChoice> {
        let time_min = self.options.share_time_min;
        let forced = |arm| query.sharing.as_ref().map(|_| SharingChoice { arm, ..SharingChoice::FORCED });
        if time_min.is_zero() || call.batch_rows.is_some() {
            // A caller that shares even the shortest queries, or sets the batch size, shares every query.
            return forced(TOGETHER);
        }
        if !self.options.rules.learns {
            // Without measured runs, it is unknown whether sharing is faster.
            return forced(FIRST_ALONE);
        }
        let is_closed = |device: usize| query.requested[device].is_excluded(&*self.clock);
        query.with_times(call, |times| times.choose(time_min.as_nanos() as f64, is_closed))
    }

    /// The measured times of a call on all devices together and on each alone; `None` if no devices may share it.
    pub(crate) fn explain_sharing(&self, query: &QueryCandidates, call: &SelectionInput<'_>) -> Option<String> {
        let alone = query.sharing_from(0).iter().map(|one| format!("{} alone", one.device()));
        let arms: Vec<String> = std::iter::once("all devices".to_string()).chain(alone).collect();
        let next = self.next_sharing(query, call)?;
        let line = |(name, arm): (&String, &ArmTimes)| match (arm.measured(), arm.by_part, arm.recent.len()) {
            (Some(f64::INFINITY), ..) => format!("{name}: failed"),
            (Some(time), _, 1) => format!("{name}: {} (1 run)", nanoseconds(time)),
            (Some(time), _, runs) => format!("{name}: {} (median of {runs} runs)", nanoseconds(time)),
            (None, Some(time), _) => format!("{name}: {} by its part of a shared run", nanoseconds(time)),
            (None, None, _) => format!("{name}: never measured at this size"),
        };
        let lines = query.with_times(call, |times| arms.iter().zip(&times.arms).map(line).collect::<Vec<_>>())?;
        Some(format!("{} rows\n{}\nthe next call: {}", call.rows, lines.join("\n"), arms[next.arm]))
    }
}

impl PlacementCursor<'_> {
    /// The expected rows per second of each sharing device alone; `None` if it was not measured.
    pub(crate) fn expected_rates(&self) -> Vec<Option<f64>> {
        let rate = |time: f64| Some(self.call.rows as f64 / time * 1e9).filter(|rate| *rate > 0.0);
        let rates = |times: &mut SizeTimes| {
            let devices = times.arms[FIRST_ALONE + self.position.get()..].iter();
            devices.map(|device| device.expected().and_then(rate)).collect()
        };
        self.candidates.with_times(&self.call, rates).unwrap_or_default()
    }

    /// Whether several devices may share the current run, even if one of them was chosen to run it alone.
    #[inline]
    pub(crate) fn may_be_shared(&self) -> bool {
        self.sharing.get().is_some()
    }

    /// The names of all devices that may share the current run, even if one of them was chosen to run it alone; `None`
    /// if there is only one.
    #[inline]
    pub(crate) fn sharing_names(&self) -> Option<String> {
        let sharing = self.candidates.sharing.as_ref()?;
        (self.position.get() + 1 < sharing.devices).then(|| names(self.candidates.sharing_from(self.position.get())))
    }

    /// The shares for the receipt of a run that one device did alone.
    pub(crate) fn single_device_shares(&self, rows: usize, batches: usize) -> Option<Arc<[Share]>> {
        let choice = self.sharing.get()?;
        let share = |(number, one): (usize, &Placement)| {
            let device = one.device().to_string();
            match choice.alone() == Some(number) {
                true => Share { device, rows, batches, left_out: None },
                false => Share { device, rows: 0, batches: 0, left_out: Some(choice.why) },
            }
        };
        Some(self.candidates.sharing_from(0).iter().enumerate().map(share).collect())
    }

    /// Records a run for later choices between sharing and running alone. `time`: `None` if it failed.
    #[cold]
    pub(crate) fn observe_sharing(&self, time: Option<Duration>, shares: &[Share]) {
        let Some(choice) = self.sharing.get().filter(|choice| choice.is_learned) else { return };
        // The CPU takes no time on a virtual clock.
        let time = time.map_or(f64::INFINITY, |time| time.as_nanos().max(1) as f64);
        self.candidates.with_times(&self.call, |times| times.record(choice.arm, time, shares));
    }

    /// Lets all devices share the query if one other than the first failed to run it alone; returns whether it does.
    pub(super) fn retry_shared(&self, failure: FailureClass) -> bool {
        // If a device was not tried, or did not have enough time, its failure does not predict the next call.
        if failure.is_device_failure() && failure != FailureClass::Timeout {
            self.observe_sharing(None, &[]);
        }
        let was_alone = self.sharing.get().and_then(SharingChoice::alone) > Some(0);
        self.sharing.set(was_alone.then_some(SharingChoice::FORCED));
        was_alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls a query once: the arm that ran.
    fn call(times: &mut SizeTimes, truth: [f64; 3]) -> usize {
        let rows = [truth[2], truth[1]].map(|time| time.min(1e6) as usize);
        let shares = rows.map(|rows| Share { device: String::new(), rows, batches: 1, left_out: None });
        let choice = times.choose(5e6, |_| false);
        times.start(choice);
        times.record(choice.arm, truth[choice.arm] * 1e6, &shares);
        choice.arm
    }

    /// Calls a query this often. `truth`: the milliseconds of all devices together and of each alone. The arms that
    /// ran, and the time of all calls in milliseconds.
    fn run(times: &mut SizeTimes, calls: usize, truth: [f64; 3]) -> (Vec<usize>, f64) {
        let arms: Vec<usize> = (0..calls).map(|_| call(times, truth)).collect();
        let total = arms.iter().map(|arm| truth[*arm]).sum();
        (arms, total)
    }

    #[test]
    fn only_runs_that_may_win_are_tried() {
        for (truth, expected) in [
            ([50.0, 100.0, 100.0], [1, 1, 0, 0, 2, 0, 0, 0]),
            // The second device is 20 times as slow: sharing gains less than it must, and the device never runs alone.
            ([95.3, 100.0, 2000.0], [1, 1, 0, 0, 1, 1, 1, 1]),
            // Both take the same bandwidth.
            ([100.0, 100.0, 100.0], [1, 1, 0, 0, 2, 2, 1, 1]),
            // Sharing is far slower, and the second device is the best.
            ([180.0, 206.0, 70.0], [1, 1, 0, 0, 2, 2, 2, 2]),
            ([400.0, 100.0, 100.0], [1, 1, 0, 1, 1, 1, 1, 1]),
            // A short query is never shared.
            ([1.0, 2.0, 2.0], [1; 8]),
        ] {
            assert_eq!(run(&mut SizeTimes::new(2), 8, truth).0, expected, "{truth:?}");
        }
    }

    #[test]
    fn trials_cost_little() {
        for truth in [[100.0, 130.0, 140.0], [140.0, 100.0, 120.0], [100.0, 200.0, 700.0], [104.0, 101.0, 100.0]] {
            let (arms, total) = run(&mut SizeTimes::new(2), 4000, truth);
            assert!(total <= 100.0 * 4000.0 * 1.02, "{truth:?}: {total}");
            assert!((0..3).all(|arm| arms[2000..].contains(&arm)), "{truth:?}: every arm is tried again");
        }
    }

    #[test]
    fn failed_and_closed_devices_are_passed_over() {
        let mut times = SizeTimes::new(2);
        assert_eq!(run(&mut times, 8, [180.0, 206.0, 70.0]).0[7], 2);
        assert_eq!(times.choose(5e6, |device| device == 1).arm, TOGETHER);
        let mut times = SizeTimes::new(2);
        assert_eq!(run(&mut times, 3, [f64::INFINITY, 100.0, 100.0]).0, [FIRST_ALONE, FIRST_ALONE, TOGETHER]);
        let (arms, _) = run(&mut times, 31, [50.0, 100.0, 100.0]);
        assert!(arms.iter().all(|arm| *arm == FIRST_ALONE), "a run that failed is not tried again soon");
        assert_eq!(run(&mut times, 20, [50.0, 100.0, 100.0]).0[19], TOGETHER);
    }

    #[test]
    fn all_devices_share_a_query_that_failed_everywhere() {
        let (arms, _) = run(&mut SizeTimes::new(2), 12, [f64::INFINITY; 3]);
        assert_eq!(arms, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn sharing_trial_is_given_to_one_caller() {
        let (mut times, truth) = (SizeTimes::new(2), [50.0, 100.0, 100.0]);
        assert_eq!(run(&mut times, 2, truth).0, [FIRST_ALONE; 2]);
        let trial = times.choose(5e6, |_| false);
        assert_eq!(trial.arm, TOGETHER);
        times.start(trial);
        let (arms, _) = run(&mut times, RETRY_CALLS as usize, truth);
        assert!(arms.iter().all(|arm| *arm == FIRST_ALONE), "{arms:?}");
        assert_eq!(call(&mut times, truth), TOGETHER, "the caller never reported its time");
    }
}
