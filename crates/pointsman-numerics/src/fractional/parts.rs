//! [`Threads`]: long sequences of numbers, filled in parts of one size on several threads.
//!
//! In: numbers to fill, and a function of a part. Out: the same bits for any number of threads, since the parts depend on
//! the length only. Nothing here keeps a thread.

use pointsman::Session;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};

/// The numbers of a part, of which a thread makes about ten thousand in the time in which it starts.
pub(super) const PART: usize = 1 << 15;

/// The most threads that fill parts: more only wait for memory.
const THREADS_MAX: usize = 8;

/// How many threads may fill parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threads(usize);

impl Threads {
    /// All threads that the process may use.
    pub(super) fn all() -> Threads {
        Threads(std::thread::available_parallelism().map_or(1, NonZero::get))
    }

    /// Those that a session may use.
    pub(super) fn of(session: &Session) -> Threads {
        session.options().threads.map_or_else(Threads::all, Threads)
    }

    /// Fills the parts of numbers by `fill`, which gets the place of the first number of a part, and the part.
    pub(super) fn fill(self, numbers: &mut [f64], fill: impl Fn(usize, &mut [f64]) + Sync) {
        // No thread for less than two parts.
        let threads = self.0.min(THREADS_MAX).min(numbers.len() / PART);
        let parts = Mutex::new(numbers.chunks_mut(PART).enumerate());
        let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || {
            while let Some((part, numbers)) = next() {
                fill(part * PART, numbers);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // Without this thread, the others fill its parts.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights by name.
    fn all_weights(threads: Threads, order: f64, count: usize) -> [(&'static str, Vec<f64>); 7] {
        [
            ("grunwald_letnikov", threads.grunwald_letnikov(order, count)),
            ("l1", threads.l1(order, count)),
            ("l12", threads.l12(order, count)),
            ("l2_sigma", threads.l2_sigma(order, count)),
            ("centred", threads.centred(order, count)),
            ("trapezoid", threads.trapezoid(order, count)),
            ("trapezoid_end", threads.trapezoid_end(order, count)),
        ]
    }

    #[test]
    fn weights_are_the_same_bits_for_any_number_of_threads() {
        for count in [0, 1, 7, PART - 1, PART, PART + 1, 2 * PART - 1, 2 * PART, 2 * PART + 65, 10 * PART + 63] {
            let one = all_weights(Threads(1), 0.5, count);
            for threads in [2, 3, 8, 100] {
                for ((name, expected), (_, weights)) in one.iter().zip(all_weights(Threads(threads), 0.5, count)) {
                    assert_eq!(weights.len(), count);
                    let wrong = (0..count).find(|&k| weights[k].to_bits() != expected[k].to_bits());
                    assert_eq!(wrong, None, "{name}, {count} numbers on {threads} threads");
                }
            }
        }
    }

    #[test]
    fn parts_are_those_of_the_whole() {
        // Each part begins anew; the first weights of a longer sequence are those of a shorter one.
        for order in [-31.5, -2.0, -0.5, 0.5, 1.0, 1.9, 3.0, 30.5, 31.9] {
            let weights = Threads(2).grunwald_letnikov(order, 5 * PART);
            for part in 1..5 {
                let at = part * PART;
                let expected = weights[at - 1] * (1.0 - (order + 1.0) / at as f64);
                let error = (weights[at] - expected).abs();
                assert!(error <= 1e-12 * expected.abs(), "order {order}: {} for {expected} at {at}", weights[at]);
            }
        }
    }
}
