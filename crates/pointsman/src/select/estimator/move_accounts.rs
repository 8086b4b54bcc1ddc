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

/// A device, and the [`column_set`] of the columns that it lacks.
type AccountKey = (usize, u64);

/// A number that identifies a set of columns, whatever their order.
pub(crate) fn column_set(columns: impl IntoIterator<Item = u64>) -> u64 {
    // An odd multiplier keeps ids apart, and the sum does not depend on the order.
    let hash = |column: u64| column.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    columns.into_iter().map(hash).fold(0, |sum, hash| sum.wrapping_add(hash ^ hash >> 29))
}

/// The accounts of all devices: the columns of each, and the time lost so far, in nanoseconds.
#[derive(Default)]
pub(crate) struct MoveAccounts(BTreeMap<AccountKey, (Vec<u64>, f64)>);

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
    /// Adds the loss of a call to the account of a device and columns; returns whether the columns should move with this call.
    pub(crate) fn add(&mut self, device: usize, columns: Vec<u64>, gain: MoveGain) -> bool {
        let key = (device, column_set(columns.iter().copied()));
        if self.0.len() >= ACCOUNTS_MAX && !self.0.contains_key(&key) {
            let mean = self.0.values().map(|(_, balance)| balance).sum::<f64>() / ACCOUNTS_MAX as f64;
            self.0.retain(|_, (_, balance)| *balance > mean);
        }
        let (_, balance) = self.0.entry(key).or_insert((columns, 0.0));
        *balance += gain.gain;
        *balance >= gain.price
    }

    /// Closes the accounts of a device whose columns are all among these: they were copied.
    pub(crate) fn close(&mut self, device: usize, columns: &[u64]) {
        self.0.retain(|(own, _), (missing, _)| *own != device || missing.iter().any(|one| !columns.contains(one)));
    }

    /// How an account stands.
    pub(crate) fn get(&self, key: AccountKey, gain: MoveGain) -> MoveAccount {
        let balance = self.0.get(&key).map_or(0.0, |(_, balance)| *balance);
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
            let moves = !is_there && host > device && accounts.add(1, vec![7], MoveGain { gain: host - device, price });
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
        assert_eq!([(); 3].map(|()| accounts.add(0, vec![1], gain)), [false, false, true]);
        let left = |accounts: &MoveAccounts, columns: &[u64]| {
            accounts.get((0, column_set(columns.iter().copied())), gain).calls_left
        };
        accounts.add(0, vec![1, 3], gain);
        accounts.close(0, &[2, 1]);
        assert_eq!((left(&accounts, &[1]), left(&accounts, &[1, 3])), (3, 2), "column 3 is not there yet");
        (0..10 * ACCOUNTS_MAX as u64).for_each(|set| assert!(!accounts.add(1, vec![set], gain)));
        assert!(accounts.0.len() <= ACCOUNTS_MAX);
    }
}
