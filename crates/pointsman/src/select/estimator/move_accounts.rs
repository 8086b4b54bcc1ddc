//! [`MoveAccounts`]: whether owned columns should move to a device, decided as in ski rental.
//!
//! Each account belongs to a device and a set of columns that it lacks. A call that the device would have run faster,
//! had it had the columns, adds the difference. The call that would make the balance reach the price of the copy runs
//! on the device and so makes the copy. The columns then stay there until they are evicted, and the account starts
//! again at zero. For one set of columns, one device and enough memory, all calls together take at most twice the time
//! of the best strategy that knows the future, plus one call.
//!
//! A query that read its last set of columns often is assumed to read the next one often too ([`ReuseHistory`], stored
//! for the next process). If the last set was read so often that its copy would have paid [`REPAID_TIMES`] times, the
//! next one moves with its first call; if that turns out to be wrong, one copy is lost.

use super::estimate::DeviceEstimate;
use super::features::{ARMS_MAX, Size};
use super::kernel_stats::{KernelState, KernelStats};
use super::{Arm, Shared};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The maximum number of accounts. Beyond, those with less than the mean balance are closed.
const ACCOUNTS_MAX: usize = 1024;

/// Columns move at once if the uses of the last ones would have paid for a copy this many times.
const REPAID_TIMES: f64 = 2.0;

/// Moving columns must save at least this part of a call's time: smaller gains are within the noise.
const GAIN_MIN: f64 = 0.05;
/// The part of the greatest possible gain that counts where a device never ran with the columns: such a device is tried
/// once the calls could have saved twice the price of the trial.
const POSSIBLE_GAIN_SHARE: f64 = 0.5;
/// It does not count for calls shorter than this, in nanoseconds: a device with memory of its own takes longer to
/// start.
const POSSIBLE_TIME_MIN: f64 = 20_000.0;

/// A device, and the [`column_set`] of the columns that it lacks.
type AccountKey = (usize, u64);

/// A number that identifies a set of columns, whatever their order.
pub(crate) fn column_set(columns: impl IntoIterator<Item = u64>) -> u64 {
    // An odd multiplier keeps ids apart, and the sum does not depend on the order.
    let hash = |column: u64| column.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    columns.into_iter().map(hash).fold(0, |sum, hash| sum.wrapping_add(hash ^ hash >> 29))
}

/// The gain of moving a call's owned columns to a device, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MoveGain {
    /// Per call; 0 if the device would not be faster.
    pub(crate) gain: f64,
    /// The cost of the copy.
    pub(crate) price: f64,
}

impl KernelState {
    /// The gain of moving a call's columns to each device. `best` is the best device without a move.
    pub(super) fn gains(
        &self,
        kernel: &KernelStats,
        shared: &Shared,
        size: Size,
        best: &DeviceEstimate,
    ) -> [MoveGain; ARMS_MAX] {
        let mut gains = [MoveGain::default(); ARMS_MAX];
        for (device, Arm { profile, .. }) in shared.arms.iter().enumerate() {
            let lacks = size.residency.missing(device) > 0.0 && !profile.copy_in.pageable.is_empty();
            if !lacks || !kernel.devices.has(device) || !shared.prices.compares(device) {
                continue;
            }
            let moved = self.estimate(kernel, shared, device, size.moved_to(device));
            let transfer = |size| self.model(kernel, &shared.arms, device, size).transfer;
            let price = transfer(size) - transfer(size.moved_to(device));
            // The best device's time, if it cost as much per nanosecond as this one.
            let best_time = shared.prices.cost(best) * moved.time / shared.prices.cost(&moved);
            // A guess is taken to be too low by half its spread: with all of it, copies that pay come too late.
            let half_spread = if moved.runs == 0 { (moved.spread / 2.0).exp() } else { 1.0 };
            let mut gain = MoveGain { gain: best_time - moved.time * half_spread, price };
            if moved.runs == 0 && best.time >= POSSIBLE_TIME_MIN {
                // If the guess is too high, no run would ever show that, so what the device could gain at most counts
                // in part.
                let loss = (moved.time / half_spread - best_time).max(0.0);
                let possible = POSSIBLE_GAIN_SHARE * (best_time - moved.lower_bound);
                if gain.gain * (price + loss) <= possible * price {
                    gain = MoveGain { gain: possible, price: price + loss };
                }
            }
            if gain.gain > GAIN_MIN * best.time && price > 0.0 && gain.gain.is_finite() {
                gains[device] = gain;
            }
        }
        gains
    }
}

/// The accounts of all devices: the columns of each, and the time lost so far, in nanoseconds.
#[derive(Default)]
pub(crate) struct MoveAccounts(BTreeMap<AccountKey, (Vec<u64>, f64)>);

/// How often a query read the same owned columns in a row.
#[derive(Debug, Default)]
pub(crate) struct ReuseHistory {
    /// The [`column_set`] of the last call, and its calls so far.
    columns: AtomicU64,
    uses: AtomicU64,
    /// The calls of the set before, in this process or an earlier one.
    uses_before: AtomicU64,
}

impl ReuseHistory {
    /// Counts a call over these columns. Callers that count at the same time may lose a call, which changes little.
    pub(crate) fn count(&self, columns: u64) {
        match self.columns.swap(columns, Ordering::Relaxed) == columns {
            true => _ = self.uses.fetch_add(1, Ordering::Relaxed),
            false => {
                let uses = self.uses.swap(1, Ordering::Relaxed);
                if uses > 0 {
                    self.uses_before.store(uses, Ordering::Relaxed);
                }
            }
        }
    }

    /// The calls that a new set of columns is expected to have.
    pub(crate) fn expected_uses(&self) -> u64 {
        self.uses_before.load(Ordering::Relaxed)
    }

    /// The calls of the last set, or of the one before if that had more, for the next process.
    pub(crate) fn last_uses(&self) -> u64 {
        self.uses.load(Ordering::Relaxed).max(self.expected_uses())
    }

    /// Forgets all calls.
    pub(crate) fn forget(&self) {
        for count in [&self.columns, &self.uses, &self.uses_before] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// Takes over what an earlier process counted, unless this one has counted already.
    pub(crate) fn restore(&self, uses: u64) {
        let _ = self.uses_before.compare_exchange(0, uses, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The state of an account, for explanations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAccount {
    /// The price of the copy, in nanoseconds.
    pub price: f64,
    /// The time lost so far by calls that ran elsewhere, in nanoseconds.
    pub balance: f64,
    /// The number of further calls like this one until the columns move, including the call that moves them.
    pub calls_left: u64,
    /// The time that a call would save if the columns were there, in nanoseconds.
    pub gain: f64,
}

impl MoveAccounts {
    /// Adds the loss of a call to the account of a device and columns; returns whether the columns should move with
    /// this call. `expected_uses`: the calls that these columns should have, 0 if nothing suggests a number.
    pub(crate) fn add(&mut self, device: usize, columns: Vec<u64>, gain: MoveGain, expected_uses: u64) -> bool {
        let key = (device, column_set(columns.iter().copied()));
        if self.0.len() >= ACCOUNTS_MAX && !self.0.contains_key(&key) {
            let mean = self.0.values().map(|(_, balance)| balance).sum::<f64>() / ACCOUNTS_MAX as f64;
            self.0.retain(|_, (_, balance)| *balance > mean);
        }
        let (_, balance) = self.0.entry(key).or_insert((columns, 0.0));
        *balance += gain.gain;
        *balance >= gain.price || repays_at_once(gain, expected_uses)
    }

    /// Closes the accounts of a device whose columns are all among these: they were copied.
    pub(crate) fn close(&mut self, device: usize, columns: &[u64]) {
        self.0.retain(|(own, _), (missing, _)| *own != device || missing.iter().any(|one| !columns.contains(one)));
    }

    /// The state of an account.
    pub(crate) fn get(&self, key: AccountKey, gain: MoveGain, expected_uses: u64) -> MoveAccount {
        let balance = self.0.get(&key).map_or(0.0, |(_, balance)| *balance);
        let calls_left = match repays_at_once(gain, expected_uses) {
            true => 1,
            false => ((gain.price - balance) / gain.gain).ceil().max(1.0) as u64,
        };
        MoveAccount { price: gain.price, balance, calls_left, gain: gain.gain }
    }
}

fn repays_at_once(gain: MoveGain, expected_uses: u64) -> bool {
    expected_uses as f64 * gain.gain >= REPAID_TIMES * gain.price
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The total time of `uses` calls, where a call takes `host` without the copy and `device` with it.
    fn total(host: f64, device: f64, price: f64, uses: usize) -> f64 {
        let (mut accounts, mut is_there, mut sum) = (MoveAccounts::default(), false, 0.0);
        for _ in 0..uses {
            let moves =
                !is_there && host > device && accounts.add(1, vec![7], MoveGain { gain: host - device, price }, 0);
            sum += if moves {
                price + device
            } else if is_there {
                device
            } else {
                host
            };
            is_there |= moves;
        }
        sum
    }

    #[test]
    fn total_is_at_most_twice_the_optimum_plus_one_call() {
        for host in [1.0, 2.0, 10.0, 100.0, 1e6] {
            for part in [0.0, 0.01, 0.3, 0.5, 0.9, 0.999] {
                for price in [0.0, 0.1, 1.0, 7.0, 100.0, 1e7] {
                    let (device, price) = (host * part, host * price);
                    for uses in (1..200).chain([1000, 10_000]) {
                        let best = (uses as f64 * host).min(price + uses as f64 * device);
                        let own = total(host, device, price, uses);
                        assert!(own <= 2.0 * best + host, "{host} {device} {price} × {uses}: {own} of {best}");
                    }
                }
            }
        }
    }

    #[test]
    fn closed_accounts_start_again_and_their_number_is_limited() {
        let (mut accounts, gain) = (MoveAccounts::default(), MoveGain { gain: 1.0, price: 3.0 });
        assert_eq!([(); 3].map(|()| accounts.add(0, vec![1], gain, 0)), [false, false, true]);
        let left = |accounts: &MoveAccounts, columns: &[u64]| {
            accounts.get((0, column_set(columns.iter().copied())), gain, 0).calls_left
        };
        accounts.add(0, vec![1, 3], gain, 0);
        accounts.close(0, &[2, 1]);
        assert_eq!((left(&accounts, &[1]), left(&accounts, &[1, 3])), (3, 2), "column 3 is not there yet");
        (0..10 * ACCOUNTS_MAX as u64).for_each(|set| assert!(!accounts.add(1, vec![set], gain, 0)));
        assert!(accounts.0.len() <= ACCOUNTS_MAX);
    }

    #[test]
    fn columns_move_at_once_if_the_last_ones_repaid_a_copy_twice() {
        let gain = MoveGain { gain: 1.0, price: 3.0 };
        for (uses, expected) in [(0, false), (5, false), (6, true), (1000, true)] {
            let mut accounts = MoveAccounts::default();
            assert_eq!(accounts.get((0, 5), gain, uses).calls_left == 1, expected, "{uses} uses");
            assert_eq!(accounts.add(0, vec![1], gain, uses), expected, "{uses} uses");
        }
    }

    #[test]
    fn expected_uses_are_those_of_the_last_columns() {
        let history = ReuseHistory::default();
        let count = |columns: u64, times: usize| {
            (0..times).for_each(|_| history.count(columns));
            (history.expected_uses(), history.last_uses())
        };
        assert_eq!(count(7, 40), (0, 40), "nothing is known of the first columns");
        assert_eq!(count(8, 1), (40, 40));
        assert_eq!(count(9, 1), (1, 1), "one set that was read once is enough to expect no more");
        assert_eq!([7, 8, 7, 8].map(|columns| count(columns, 1)), [(1, 1); 4], "sets that alternate");
        history.restore(50);
        assert_eq!(history.expected_uses(), 1, "own counts are newer");
        let restored = ReuseHistory::default();
        restored.restore(50);
        assert_eq!((restored.expected_uses(), restored.last_uses()), (50, 50));
        restored.count(7);
        assert_eq!(restored.expected_uses(), 50);
        restored.forget();
        assert_eq!((restored.expected_uses(), restored.last_uses()), (0, 0));
    }
}
