//! Learning from runs: in go observations; out come timings, the ledger's sums, and new decisions.

use super::decide::{MoveGain, RunOutcome};
use super::decision_table::PackedDecision;
use super::estimate::DeviceEstimate;
use super::features::{ARMS_MAX, InputPlacement, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::{Inner, Observation, RankReason, Shared};
use std::sync::atomic::Ordering;

/// Times outside of these bounds, in nanoseconds, are rejected: a nanosecond, and eleven days.
const TIME_MIN: f64 = 1.0;
const TIME_MAX: f64 = 1e15;
/// Moving columns must gain this part of a call's time, or nothing is gained that noise could not take.
const MOVE_GAIN_MIN: f64 = 0.05;

/// Trials wait for the end of a disturbance for at most this many calls.
const DISTURBED_CALLS_MAX: u64 = 64;

impl Inner {
    /// Learns from runs, and publishes the decisions that follow.
    pub(super) fn learn(&self, observations: Vec<Observation>) {
        observations.iter().for_each(|observation| self.learn_from(observation));
    }

    fn learn_from(&self, observation: &Observation) {
        let Observation { kernel, arm, output, .. } = observation;
        let size = &self.normalized(observation.size);
        let (mut state, mut shared) = (kernel.state(), self.shared());
        let (state, shared) = (&mut *state, &mut *shared);
        let Some(time) = self.accepted_time(observation, shared) else { return };
        if let Some(bytes) = output {
            state.record_output(*size, *bytes);
        }
        let estimates = state.estimates(kernel, shared, *size);
        let best = shared.prices.best(&estimates).map_or(time, |best| best.time);
        let model = state.context(kernel, shared.model(*arm), *arm, *size).model(*size);
        let ratio = (time / model.total()).ln();
        if !shared.profiles[*arm].measured && !observation.is_contended {
            shared.biases[*arm].record(&model, ratio);
        }
        self.count(observation, time, best, shared);
        let placement = size.placement(self.ignored);
        let choice = state.choices.entry((placement, size.bucket())).or_default();
        let is_trial = observation.reason == RankReason::Trial;
        let stands_for = observation.stands_for;
        let (device, nanoseconds, is_contended) = (*arm, time, observation.is_contended);
        let is_cold = choice.count(RunOutcome { device, nanoseconds, best, is_trial, is_contended, stands_for });
        choice.rows = size.rows;
        // A single unusual run may be an outlier; usual runs between two of them are mostly not observed.
        if std::mem::replace(&mut choice.was_unusual, stands_for == 0) != (stands_for == 0) && stands_for == 0 {
            return;
        }
        let timings = state.cells[*arm].entry((size.class(*arm), size.bucket())).or_default();
        match is_cold {
            true => timings.record_cold(ratio, size.rows, observation.is_contended),
            false => timings.record(ratio, size.rows, observation.is_contended),
        }
        self.publish(kernel, state, shared, placement, size.bucket());
    }

    /// The time of a run, if it can be learned from.
    fn accepted_time(&self, observation: &Observation, shared: &mut Shared) -> Option<f64> {
        let is_able = observation.kernel.devices.has(observation.arm) && observation.arm < self.names.len();
        match observation.nanoseconds {
            None => {
                shared.ledger.failures += 1;
                None
            }
            Some(time) if is_able && (TIME_MIN..TIME_MAX).contains(&time) => Some(time),
            Some(_) => {
                shared.ledger.rejected += 1;
                None
            }
        }
    }

    fn count(&self, observation: &Observation, time: f64, best: f64, shared: &mut Shared) {
        let ledger = &mut shared.ledger;
        ledger.count(observation.arm, time, best);
        ledger.contended += u64::from(observation.is_contended);
        match observation.reason {
            RankReason::Trial => {
                ledger.trials += 1;
                ledger.trial_cost += (time - best).max(0.0);
            }
            RankReason::Move => ledger.moves += 1,
            RankReason::Best if observation.is_contended => {}
            RankReason::Best => ledger.worst_ratio = ledger.worst_ratio.max(time / best.max(1.0)),
        }
    }

    /// Decides for a placement and size bucket, and publishes the decision.
    pub(super) fn publish(
        &self,
        kernel: &KernelStats,
        state: &mut KernelState,
        shared: &Shared,
        placement: InputPlacement,
        bucket: u8,
    ) -> PackedDecision {
        let rows = state.choices.get(&(placement, bucket)).map_or(0, |choice| choice.rows);
        let size = placement.size(rows);
        let estimates = state.estimates(kernel, shared, size);
        let gains = match shared.prices.best(&estimates) {
            Some(best) if size.owned && self.options.learns => self.gains(kernel, state, shared, size, best),
            Some(_) | None => Default::default(),
        };
        let choice = state.choices.entry((placement, bucket)).or_default();
        choice.gains = gains;
        let waits = self.is_disturbed.load(Ordering::Relaxed) && choice.calls < DISTURBED_CALLS_MAX;
        let explores = self.options.learns && self.options.explores && !choice.is_new() && !waits;
        let waiting = kernel.read_table(placement, |table| table.get(bucket)).and_then(PackedDecision::trial);
        let decision = choice.decide(&estimates, size, &shared.prices, explores, waiting);
        kernel.write_table(placement, |table| table.publish(bucket, decision));
        decision
    }

    /// What moving a call's columns to each device would gain.
    fn gains(
        &self,
        kernel: &KernelStats,
        state: &KernelState,
        shared: &Shared,
        size: Size,
        best: &DeviceEstimate,
    ) -> [MoveGain; ARMS_MAX] {
        let mut gains = [MoveGain::default(); ARMS_MAX];
        for (device, profile) in shared.profiles.iter().enumerate() {
            let lacks = size.residency.missing(device) > 0.0 && !profile.copy_in.pageable.is_empty();
            if !lacks || !kernel.devices.has(device) || !shared.prices.compares(device) {
                continue;
            }
            let context = state.context(kernel, shared.model(device), device, size);
            let moved = context.estimate(size.moved_to(device));
            // A guess is taken to be too low by its spread.
            let caution = if moved.runs == 0 { moved.spread.exp() } else { 1.0 };
            let factor = shared.prices.cost(&moved) / moved.time;
            let gain = (shared.prices.cost(best) - caution * shared.prices.cost(&moved)) / factor;
            let price = context.model(size).transfer - context.model(size.moved_to(device)).transfer;
            if gain > MOVE_GAIN_MIN * best.time && price > 0.0 && gain.is_finite() {
                gains[device] = MoveGain { gain, price };
            }
        }
        gains
    }

    /// Decides for every placement and size of a kernel again.
    pub(super) fn publish_all(&self, kernel: &KernelStats) {
        let (mut state, shared) = (kernel.state(), self.shared());
        let keys: Vec<(InputPlacement, u8)> = state.choices.keys().copied().collect();
        for (placement, bucket) in keys {
            self.publish(kernel, &mut state, &shared, placement, bucket);
        }
    }

    /// Decides again for all kernels.
    pub(super) fn publish_everything(&self) {
        self.all_kernels().iter().for_each(|kernel| self.publish_all(kernel));
    }
}
