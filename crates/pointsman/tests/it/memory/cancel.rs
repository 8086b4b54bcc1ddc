//! Queries that are cancelled or time out between any two batches leave nothing behind.

use super::{LEAF_ROWS, assert_no_leftovers, floats, simulated};
use pointsman::{CancellationToken, Clock, ErrorKind, F32, Query, Result, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const MEMORY: u64 = 300 << 10;

/// A query that takes several batches; returns their number.
type Ask = fn(Query<'_, F32>) -> Result<usize>;

const QUERIES: [(&str, Ask); 4] = [
    ("store", |q| q.map(|x| x + 1.0).run().map(|answer| answer.receipt().batches())),
    ("compact", |q| q.filter(|x| x.gt(0.0)).run().map(|answer| answer.receipt().batches())),
    ("reduce", |q| q.folds(|x| x.sum()).run().map(|answer| answer.receipt().batches())),
    ("scan", |q| q.scan(|x| x.running_sum()).filter(|x| x.gt(0.0)).run().map(|answer| answer.receipt().batches())),
];

#[test]
fn cancelling_in_any_batch_leaves_nothing() {
    let x = floats(40 * LEAF_ROWS + 1);
    for (what, ask) in QUERIES {
        let (device, session) = simulated(MEMORY, SessionOptions::new());
        let batches = ask(session.from(&x)).unwrap();
        assert!(batches >= 3, "{what}: {batches} batches");
        for last in 0..batches {
            let token = CancellationToken::new();
            let stop = token.clone();
            device.on_launch(move |launch| {
                if launch == last as u64 {
                    stop.cancel()
                }
            });
            let result = ask(session.from(&x).cancelled_by(&token));
            let what = format!("{what}, cancelled in batch {last} of {batches}");
            assert!(token.is_cancelled(), "{what}: it was never cancelled");
            assert_eq!(device.launches(), last as u64 + 1, "{what}: launches");
            match result {
                // After the last batch there is nothing left to cancel.
                Ok(ran) => assert_eq!((last + 1, ran), (batches, batches), "{what}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled, "{what}: {error}"),
            }
            assert_no_leftovers(&device, &session, &what);
        }
    }
}

/// A clock that advances by a millisecond whenever it is read, so that a deadline can pass between any two steps.
#[derive(Debug, Default)]
struct TickingClock(AtomicU64);

impl Clock for TickingClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }

    fn nap(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn deadline_at_any_step_leaves_nothing() {
    // Enough launches that some deadline falls between two of them, whatever other threads read the clock.
    let x = floats(32 * LEAF_ROWS + 1);
    for (what, ask) in QUERIES {
        // The clock leaps while the thread of a late compilation still runs, which does not mean that it hangs.
        let options = SessionOptions::new().device_memory_bytes(MEMORY / 2).compile_timeout(Duration::MAX);
        let device = Arc::new(SimDevice::new(SimOptions::default()));
        let clock = Arc::new(TickingClock::default());
        let session = options.threads(2).add_device(device.clone()).clock(clock.clone());
        let session = session.prefer("sim").open().unwrap();
        let (mut late, mut between) = (0, 0);
        for time in 1.. {
            device.on_launch(|_| {});
            let result = ask(session.from(&x).deadline(Duration::from_millis(time)).require("sim"));
            device.clock().advance(Duration::from_secs(1));
            // After an hour the device's breaker is closed again.
            clock.sleep(Duration::from_secs(3600));
            assert_no_leftovers(&device, &session, &format!("{what} within {time} ms"));
            let Err(error) = result else { break };
            assert_eq!(error.kind(), ErrorKind::Timeout, "{what} within {time} ms: {error}");
            late += 1;
            between += u32::from(error.message().contains("between two launches") && device.launches() > 0);
        }
        assert!(late > 5 && between > 0, "{what}: {late} were late, {between} between batches");
    }
}
