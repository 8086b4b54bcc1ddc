//! Queries that are cancelled or time out between any two batches end there and leave nothing behind.

use super::{LEAF_ROWS, Scratch, assert_no_leftovers, integers, open_bytes};
use pointsman::{CancellationToken, Clock, ErrorKind, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A clock that advances by a millisecond whenever it is read, and then calls a function. Sessions read the clock
/// between batches.
struct ReadHookClock<F>(AtomicU64, F);

impl<F> std::fmt::Debug for ReadHookClock<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ReadHookClock({:?})", self.0)
    }
}

impl<F: Fn(u64) + Send + Sync> Clock for ReadHookClock<F> {
    fn now(&self) -> Duration {
        let read = self.0.fetch_add(1, Ordering::Relaxed);
        (self.1)(read);
        Duration::from_millis(read)
    }

    fn sleep(&self, _: Duration) {}

    fn nap(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}

const MEMORY: usize = 300 << 10;

fn session(scratch: &Scratch, look: impl Fn(u64) + Send + Sync + 'static) -> Session {
    let clock = Arc::new(ReadHookClock(AtomicU64::new(0), look));
    let session = scratch.options().threads(2).memory_bytes(MEMORY).clock(clock);
    session.open().unwrap()
}

#[test]
fn cancelling_between_any_batches_leaves_nothing() {
    let (scratch, n) = (Scratch::new(), integers(10 * LEAF_ROWS + 1));
    let (mut cancelled, mut while_spilled) = (0, 0);
    for last in 0.. {
        let token = CancellationToken::new();
        let (stop, directory) = (token.clone(), scratch.0.clone());
        let spilled = Arc::new(AtomicU64::new(0));
        let bytes = spilled.clone();
        let session = session(&scratch, move |read| {
            if read == last {
                bytes.store(open_bytes("self", &directory).unwrap_or(0), Ordering::Relaxed);
                stop.cancel();
            }
        });
        let query = session.from(&n).cancelled_by(&token).deadline(Duration::from_secs(3600));
        let result = query.scan(|n| n.running_sum()).scan(|n| n.running_max()).max();
        assert_no_leftovers(&session, &scratch, &format!("cancelled at read {last}"));
        while_spilled += u64::from(spilled.load(Ordering::Relaxed) > 0);
        match result {
            Ok(_) if !token.is_cancelled() => break,
            // After the last batch there is nothing left to cancel.
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
fn deadline_between_any_batches_leaves_nothing() {
    let (scratch, n) = (Scratch::new(), integers(10 * LEAF_ROWS + 1));
    let session = session(&scratch, |_| {});
    let ask =
        |time: Duration| session.from(&n).deadline(time).scan(|n| n.running_sum()).scan(|n| n.running_max()).max();
    // Compile first, so that the compilation does not count against the deadlines below.
    ask(Duration::from_secs(3600)).unwrap();
    let mut late = 0;
    for time in 1.. {
        let result = ask(Duration::from_millis(time));
        assert_no_leftovers(&session, &scratch, &format!("{time} ms"));
        match result {
            Ok(_) => break,
            Err(error) => assert_eq!(error.kind(), ErrorKind::Timeout, "{error}"),
        }
        late += 1;
    }
    assert!(late >= 10, "{late} times");
}
