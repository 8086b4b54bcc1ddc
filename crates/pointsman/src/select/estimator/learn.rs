//! Learning from runs: in go observations; out come timings, the ledger's sums, and new decisions.

use super::decide::MoveGain;
use super::decision_table::Rank;
use super::estimate::DeviceEstimate;
use super::features::{ARMS_MAX, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::{Inner, Observation, Shared};
use std::sync::atomic::Ordering;

/// Times outside of these bounds, in nanoseconds, are rejected: a nanosecond, and eleven days.
const TIME_MIN: f64 = 1.0;
const TIME_MAX: f64 = 1e15;
/// Moving columns must gain this part of a call's time, or nothing is gained that noise could not take.
const MOVE_GAIN_MIN: f64 = 0.05;

/// Trials wait for the end of a disturbance for at most this many calls.
const DISTURBED_CALLS_MAX: u64 = 64;

impl Inner {
    /// Learns from the runs that wait in the queue, and publishes the decisions that follow.
    pub(super) fn learn_queued(&self) {
        // Taken before the runs leave the queue: a reset forgets them in the queue or after they were learned.
        let _learning = self.learning.lock();
        self.queue.take().iter().for_each(|observation| self.learn_from(observation));
    }

    fn learn_from(&self, observation: &Observation) {
        let Observation { kernel, arm, output, stands_for, is_contended, .. } = observation;
        let (arm, size) = (*arm, self.normalized(observation.size));
        let (mut state, mut shared) = (kernel.state(), self.shared());
        let (state, shared) = (&mut *state, &mut *shared);
        let Some(time) = self.accepted_time(observation, shared) else { return };
        if let Some(bytes) = output {
            state.record_output(size, *bytes);
        }
        let estimates = state.estimates(kernel, shared, size);
        let best = shared.prices.best(&estimates).map_or(time, |best| best.time);
        let model = state.model(kernel, &shared.profiles, arm, size);
        let ratio = (time / model.total()).ln();
        if !shared.profiles[arm].measured && !is_contended {
            shared.biases[arm].record(&model, ratio);
        }
        shared.ledger.count(observation, time, best);
        let placement = size.placement(self.ignored);
        let choice = state.choices.entry((placement, size.bucket())).or_default();
        let is_cold = choice.count(observation, time, best);
        choice.rows = size.rows;
        // A single unusual run may be an outlier; usual runs between two of them are mostly not observed.
        let is_unusual = *stands_for == 0;
        if !std::mem::replace(&mut choice.was_unusual, is_unusual) && is_unusual {
            return;
        }
        let timings = state.cells[arm].entry((size.class(arm), size.bucket())).or_default();
        match is_cold {
            true => timings.record_cold(ratio, size.rows, *is_contended),
            false => timings.record(ratio, size.rows, *is_contended),
        }
        self.publish(kernel, state, shared, placement, size.bucket());
    }

    /// The time of a run, if it can be learned from.
    fn accepted_time(&self, observation: &Observation, shared: &mut Shared) -> Option<f64> {
        let is_able = observation.kernel.devices.has(observation.arm) && observation.arm < self.names.len();
        let counter = match observation.nanoseconds {
            Some(time) if is_able && (TIME_MIN..TIME_MAX).contains(&time) => return Some(time),
            Some(_) => &mut shared.ledger.rejected,
            None => &mut shared.ledger.failures,
        };
        *counter += 1;
        None
    }

    /// Decides for a placement and size bucket, and publishes the decision.
    pub(super) fn publish(
        &self,
        kernel: &KernelStats,
        state: &mut KernelState,
        shared: &Shared,
        placement: Size,
        bucket: u8,
    ) -> Rank {
        let rows = state.choices.get(&(placement, bucket)).map_or(0, |choice| choice.rows);
        let size = Size { rows, ..placement };
        let estimates = state.estimates(kernel, shared, size);
        let gains = match shared.prices.best(&estimates) {
            Some(best) if size.owned && self.options.learns => self.gains(kernel, state, shared, size, best),
            Some(_) | None => Default::default(),
        };
        let choice = state.choices.entry((placement, bucket)).or_default();
        choice.gains = gains;
        let waits = self.is_disturbed.load(Ordering::Relaxed) && choice.calls < DISTURBED_CALLS_MAX;
        let explores = self.options.learns && self.options.explores && !choice.is_new() && !waits;
        let waiting = kernel.read_table(placement, |table| table.get(bucket)).and_then(Rank::trial);
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
            let moved = state.estimate(kernel, shared, device, size.moved_to(device));
            // A guess is taken to be too low by half its spread: with all of it, copies that pay come too late.
            let caution = if moved.runs == 0 { (moved.spread / 2.0).exp() } else { 1.0 };
            let factor = shared.prices.cost(&moved) / moved.time;
            let gain = (shared.prices.cost(best) - caution * shared.prices.cost(&moved)) / factor;
            let transfer = |size| state.model(kernel, &shared.profiles, device, size).transfer;
            let price = transfer(size) - transfer(size.moved_to(device));
            if gain > MOVE_GAIN_MIN * best.time && price > 0.0 && gain.is_finite() {
                gains[device] = MoveGain { gain, price };
            }
        }
        gains
    }

    /// Changes what is known of every kernel, and decides again.
    pub(super) fn update_kernels(&self, change: impl Fn(&KernelStats, &mut KernelState, &Shared)) {
        for kernel in self.all_kernels() {
            let (mut state, shared) = (kernel.state(), self.shared());
            change(&kernel, &mut state, &shared);
            let keys: Vec<(Size, u8)> = state.choices.keys().copied().collect();
            for (placement, bucket) in keys {
                self.publish(&kernel, &mut state, &shared, placement, bucket);
            }
        }
    }
}
