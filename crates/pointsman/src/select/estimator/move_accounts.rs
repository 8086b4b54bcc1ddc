//! [`MoveAccounts`]: whether owned columns should move to a device, decided as in ski rental.
//!
//! Each account belongs to a device and a set of columns that it lacks. A call that the device would have run faster, had
//! it had the columns, adds the difference. The call that would make the balance reach the price of the copy runs on the
//! device and so makes the copy. The columns then stay there until they are evicted, and the account starts again at zero.
//! For one set of columns, one device and enough memory, all calls together take at most twice the time of the best
//! strategy that knows the future, plus one call.

use super::decide::MoveGain;
use std::collections::BTreeMap;

/// The most accounts. Beyond, those with less than the mean balance are closed.
const ACCOUNTS_MAX: usize = 1024;

/// A device, and the hash of the identities of the columns that it lacks.
pub(crate) type AccountKey = (usize, u64);

/// The accounts of all devices.
#[derive(Default)]
pub(crate) struct MoveAccounts {
    balances: BTreeMap<AccountKey, f64>,
}

/// How an account stands, for explanations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveAccount {
    /// The price of the copy, in nanoseconds.
    pub price: f64,
    /// The time lost so far by calls that ran elsewhere, in nanoseconds.
    pub balance: f64,
    /// The number of further calls like this one after which the columns move.
    pub calls_left: u64,
}

impl MoveAccounts {
    /// Adds the loss of a call to an account; returns whether the columns should move with this call.
    pub(crate) fn add(&mut self, key: AccountKey, gain: MoveGain) -> bool {
        let is_new = !self.balances.contains_key(&key);
        if is_new && self.balances.len() >= ACCOUNTS_MAX {
            let mean = self.balances.values().sum::<f64>() / ACCOUNTS_MAX as f64;
            self.balances.retain(|_, balance| *balance > mean);
        }
        let balance = self.balances.entry(key).or_default();
        *balance += gain.gain;
        *balance >= gain.price
    }

    /// Closes an account: its columns were copied.
    pub(crate) fn close(&mut self, key: AccountKey) {
        self.balances.remove(&key);
    }

    /// How an account stands.
    pub(crate) fn get(&self, key: AccountKey, gain: MoveGain) -> MoveAccount {
        let balance = self.balances.get(&key).copied().unwrap_or(0.0);
        let calls_left = ((gain.price - balance) / gain.gain).ceil().max(1.0) as u64;
        MoveAccount { price: gain.price, balance, calls_left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The total time of `uses` calls, where a call takes `host` without the copy and `device` with it.
    fn total(host: f64, device: f64, price: f64, uses: usize) -> f64 {
        let (mut accounts, mut is_there, mut sum) = (MoveAccounts::default(), false, 0.0);
        for _ in 0..uses {
            let moves = !is_there && host > device && accounts.add((1, 7), MoveGain { gain: host - device, price });
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
        assert_eq!([(); 3].map(|()| accounts.add((0, 1), gain)), [false, false, true]);
        accounts.close((0, 1));
        assert_eq!(accounts.get((0, 1), gain).calls_left, 3);
        (0..10 * ACCOUNTS_MAX as u64).for_each(|set| assert!(!accounts.add((1, set), gain)));
        assert!(accounts.balances.len() <= ACCOUNTS_MAX);
    }
}
