//! Learns from runs: observations become timings, sums of the ledger, and new decisions.
//!
//! Observations wait in a queue until a background thread learns from them. A caller holds the queue's lock only to
//! append, and wakes the thread at most once per [`BATCH_DELAY`].

use super::decision_table::Rank;
use super::estimate::{CellKey, DeviceEstimate};
use super::features::Size;
use super::kernel_stats::{KernelState, KernelStats};
use super::timings::RunQuality;
use super::{Inner, Observation, Selector, Shared};
use crate::sync::{Condvar, Mutex};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The most queued observations. Newer ones are dropped.
const QUEUE_MAX: usize = 4096;
/// How long the thread collects observations before it learns from them, so that it wakes at most 500 times a second.
const BATCH_DELAY: Duration = Duration::from_millis(2);
/// Times outside of these bounds, in nanoseconds, are rejected: a nanosecond, and eleven days.
pub(super) const TIMES: Range<f64> = 1.0..1e15;
/// Until a cell has this many undisturbed runs, the first run after runs on other devices counts as undisturbed: trials
/// are all of this kind.
const COLD_RUNS: u32 = 3;
/// The most that a driver takes to set up a program lazily, in nanoseconds: a first run that takes longer than
/// predicted by more than this is a slow run.
const SETUP_TIME_MAX: f64 = 5e7;
/// Trials wait for the end of a disturbance for at most this many calls.
const DISTURBED_CALLS_MAX: u64 = 64;

/// Observations that the thread has not learned from yet.
#[derive(Default)]
pub(super) struct LearningQueue {
    state: Mutex<LearningQueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct LearningQueueState {
    observations: Vec<Observation>,
    /// Whether the thread sleeps, so that the next observation must wake it.
    is_idle: bool,
    is_closed: bool,
}

impl LearningQueue {
    /// Adds an observation if there is room; returns whether the queue was empty.
    pub(super) fn push(&self, observation: Observation) -> bool {
        let mut state = self.state.lock();
        let was_empty = state.observations.is_empty();
        if state.observations.len() < QUEUE_MAX {
            state.observations.push(observation);
        }
        let was_idle = std::mem::take(&mut state.is_idle);
        drop(state);
        if was_idle {
            self.changed.notify_one();
        }
        was_empty
    }

    /// Takes all observations.
    pub(super) fn take(&self) -> Vec<Observation> {
        std::mem::take(&mut self.state.lock().observations)
    }

    /// Waits for an observation, then [`BATCH_DELAY`] for more. False once the queue is closed.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        state.is_idle = state.observations.is_empty();
        let must_wait = |state: &mut LearningQueueState| state.observations.is_empty() && !state.is_closed;
        state = self.changed.wait_while(state, must_wait);
        state.is_idle = false;
        !self.changed.wait_timeout_while(state, BATCH_DELAY, |state| !state.is_closed).is_closed
    }
}

impl Selector {
    /// Starts the thread that learns, once. If it cannot be started, this selector never learns.
    pub(super) fn start_learning(&self) {
        self.0.learning_started.call_once(|| {
            let (queue, inner) = (self.0.queue.clone(), Arc::downgrade(&self.0));
            let learn = move || {
                while queue.wait() {
                    let Some(inner) = inner.upgrade() else { return };
                    Selector(inner).learn_now();
                }
            };
            if let Err(error) = std::thread::Builder::new().name("pointsman-learning".to_string()).spawn(learn) {
                tracing::warn!(target: "pointsman", "no thread to learn from runs: {error}");
            }
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.queue.state.lock().is_closed = true;
        self.queue.changed.notify_all();
    }
}

impl Inner {
    /// Learns from a run, and publishes the decision that follows.
    pub(super) fn learn_from(&self, observation: &Observation) {
        let Observation { kernel, arm, output, is_contended, .. } = observation;
        let (arm, size) = (*arm, self.normalized(observation.size));
        let (mut state, mut shared) = (kernel.state.lock(), self.shared.lock());
        let (state, shared) = (&mut *state, &mut *shared);
        let is_able = kernel.devices.has(arm) && arm < self.names.len();
        let time = match observation.nanoseconds {
            Some(time) if is_able && TIMES.contains(&time) => time,
            Some(_) => return shared.ledger.rejected += 1,
            None => return shared.ledger.failures += 1,
        };
        if let Some(bytes) = output.filter(|_| size.rows > 0) {
            state.outputs.insert((size.output, size.bucket()), bytes as f64 / size.rows as f64);
        }
        let estimates = state.estimates(kernel, shared, size);
        let best = shared.prices.best(&estimates).map_or(time, |best| best.time);
        let own = estimates.iter().find(|one| one.device == arm);
        let pays_for_setup =
            |own: &&DeviceEstimate| observation.is_first && arm != 0 && time <= own.next + SETUP_TIME_MAX;
        let setup_run = own.filter(pays_for_setup);
        let counted_time = setup_run.map_or(time, |own| time.min(own.next));
        let model = state.model(kernel, &shared.arms, arm, size);
        let ratio = (time / model.total()).ln();
        shared.ledger.count(observation, counted_time, best);
        let placement = size.placement(self.ignored);
        let choice = state.choices.entry((placement, size.bucket())).or_default();
        let is_cold = choice.count(observation, counted_time, best);
        choice.rows = size.rows;
        // A single unusual run may be an outlier; usual runs between two of them are mostly not observed.
        let is_unusual = observation.stands_for == 0;
        if !std::mem::replace(&mut choice.was_unusual, is_unusual) && is_unusual {
            return;
        }
        if setup_run.is_none() {
            let timings = state.cells[arm].entry(CellKey::of(size, arm)).or_default();
            let has_enough = timings.has_clean_runs() && timings.runs() >= COLD_RUNS;
            let is_disturbed = *is_contended || observation.is_first || is_cold && has_enough;
            let quality = if is_disturbed { RunQuality::Disturbed } else { RunQuality::Undisturbed };
            timings.record(ratio, size.rows, quality);
        }
        self.publish(kernel, state, shared, Size { rows: size.rows, ..placement });
    }

    /// Decides for calls of a size whose input lies at a [placement](Size::placement), and publishes the decision.
    pub(super) fn publish(&self, kernel: &KernelStats, state: &mut KernelState, shared: &Shared, size: Size) -> Rank {
        let (placement, bucket) = (Size { rows: 0, ..size }, size.bucket());
        let estimates = state.estimates(kernel, shared, size);
        let gains = match shared.prices.best(&estimates) {
            Some(best) if size.owned && self.options.learns => state.gains(kernel, shared, size, best),
            Some(_) | None => Default::default(),
        };
        let choice = state.choices.entry((placement, bucket)).or_default();
        (choice.rows, choice.gains) = (size.rows, gains);
        let waits = self.is_disturbed.load(Ordering::Relaxed) && choice.calls < DISTURBED_CALLS_MAX;
        let explores = self.options.learns && self.options.explores && choice.calls > 0 && !waits;
        let waiting = kernel.read_table(placement, |table| table.get(bucket)).and_then(Rank::trial);
        let decision = choice.decide(&estimates, size, &shared.prices, explores, waiting);
        kernel.write_table(placement, |table| table.publish(bucket, decision));
        decision
    }

    /// Changes what is known of every kernel, and decides again.
    pub(super) fn update_kernels(&self, change: impl Fn(&KernelStats, &mut KernelState, &Shared)) {
        for kernel in self.all_kernels() {
            let (mut state, shared) = (kernel.state.lock(), self.shared.lock());
            change(&kernel, &mut state, &shared);
            let sizes = state.choices.iter().map(|((placement, _), choice)| Size { rows: choice.rows, ..*placement });
            for size in sizes.collect::<Vec<_>>() {
                self.publish(&kernel, &mut state, &shared, size);
            }
        }
    }
}
