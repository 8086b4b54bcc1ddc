//! [`RecentFailures`]: the devices that failed to run a kernel lately, and are left alone for some calls.

use super::decision_table::ArmSet;
use super::features::ARMS_MAX;
use super::kernel_stats::KernelStats;

/// A device that has failed n times in a row is left alone for 2^n calls, with n up to this.
const FAILURES_MAX: u32 = 10;

/// The failures of a kernel's devices.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentFailures {
    calls: u64,
    devices: [FailureStreak; ARMS_MAX],
}

#[derive(Clone, Copy, Debug, Default)]
struct FailureStreak {
    in_a_row: u32,
    /// The call from which on the device is asked again.
    paused_until: u64,
}

impl KernelStats {
    /// Counts a call. Returns the devices that it should leave alone, because they failed lately.
    pub(crate) fn paused_devices(&self) -> ArmSet {
        let failures = &mut self.state().failures;
        failures.calls += 1;
        let is_paused = |arm: &usize| failures.devices[*arm].paused_until > failures.calls;
        ArmSet::ALL.arms().filter(is_paused).fold(ArmSet::NONE, ArmSet::with)
    }

    /// Records whether a device ran the kernel, or failed.
    pub(crate) fn record_outcome(&self, arm: usize, succeeded: bool) {
        let RecentFailures { calls, devices } = &mut self.state().failures;
        let in_a_row = if succeeded { 0 } else { (devices[arm].in_a_row + 1).min(FAILURES_MAX) };
        let paused_until = if succeeded { 0 } else { *calls + 1 + (1 << in_a_row) };
        devices[arm] = FailureStreak { in_a_row, paused_until };
    }
}
