//! Cancelled or late between any two batches: the query ends there, and nothing is left.

use crate::{LEAF_ROWS, Scratch, integers, nothing_is_left, open_bytes};
use pointsman::{CancellationToken, Clock, ErrorKind, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that moves on by a millisecond whenever it is looked at, and then calls someone: sessions look at it between
/// batches.
struct Looked<F>(AtomicU64, F);

impl<F> std::fmt::Debug for Looked<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Looked({:?})", self.0)
    }
}

impl<F: Fn(u64) + Send + Sync> Clock for Looked<F> {
    fn now(&self) -> Duration {
        let look = self.0.fetch_add(1, Ordering::Relaxed);
        (self.1)(look);
        Duration::from_millis(look)
    }

    fn sleep(&self, _: Duration) {}

    fn nap(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}

const MEMORY: usize = 300 << 10;

fn session(scratch: &Scratch, look: impl Fn(u64) + Send + Sync + 'static) -> Session {
    let clock = Arc::new(Looked(AtomicU64::new(0), look));
    let session = scratch.options().threads(2).memory_bytes(MEMORY).clock(clock);
    session.open().unwrap()
}

#[test]
fn cancelled_at_every_batch() {
    let (scratch, n) = (Scratch::new(), integers(10 * LEAF_ROWS + 1));
    let (mut cancelled, mut while_spilled) = (0, 0);
    for last in 0.. {
        let token = CancellationToken::new();
        let (stop, directory) = (token.clone(), scratch.0.clone());
        let spilled = Arc::new(AtomicU64::new(0));
        let told = spilled.clone();
        let session = session(&scratch, move |look| {
            if look == last {
                told.store(open_bytes("self", &directory).unwrap_or(0), Ordering::Relaxed);
                stop.cancel();
            }
        });
        let query = session.from(&n).cancelled_by(&token).deadline(Duration::from_secs(3600));
        let result = query.scan(|n| n.running_sum()).scan(|n| n.running_max()).max();
        nothing_is_left(&session, &scratch, &format!("cancelled at look {last}"));
        while_spilled += u64::from(spilled.load(Ordering::Relaxed) > 0);
        match result {
            Ok(_) if !token.is_cancelled() => break,
            // Nothing is left to be stopped behind the last batch.
            Ok(_) => {}
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
                cancelled += 1;
            }
        }
    }
    assert!(cancelled >= 10, "{cancelled} times");
    assert!(while_spilled >= 5 || open_bytes("self", &scratch.0).is_none(), "{while_spilled} times");
}

#[test]
fn late_at_every_batch() {
    let (scratch, n) = (Scratch::new(), integers(10 * LEAF_ROWS + 1));
    let session = session(&scratch, |_| {});
    let ask =
        |time: Duration| session.from(&n).deadline(time).scan(|n| n.running_sum()).scan(|n| n.running_max()).max();
    // Compiled first, which takes no part of the time of the others.
    ask(Duration::from_secs(3600)).unwrap();
    let mut late = 0;
    for time in 1.. {
        let result = ask(Duration::from_millis(time));
        nothing_is_left(&session, &scratch, &format!("{time} ms"));
        match result {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Timeout, "{error}"),
        }
        late += 1;
    }
    assert!(late >= 10, "{late} times");
}
