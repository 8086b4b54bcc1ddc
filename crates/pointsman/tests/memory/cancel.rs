//! Cancelled between any two batches, or out of time there: nothing is left.

use crate::{LEAF_ROWS, floats, nothing_is_left, simulated};
use pointsman::{CancellationToken, Device, ErrorKind, F32, Options, Query, Result};
use std::time::Duration;

const MEMORY: u64 = 300 << 10;

/// Queries over columns that take several batches.
type Ask = fn(Query<'_, F32>) -> Result<usize>;

const QUERIES: [(&str, Ask); 4] = [
    ("store", |q| q.map(|x| x + 1.0).run().map(|answer| answer.receipt().batches())),
    ("compact", |q| q.filter(|x| x.gt(0.0)).run().map(|answer| answer.receipt().batches())),
    ("reduce", |q| q.folds(|x| x.sum()).run().map(|answer| answer.receipt().batches())),
    ("scan", |q| q.scan(|x| x.running_sum()).filter(|x| x.gt(0.0)).run().map(|answer| answer.receipt().batches())),
];

#[test]
fn at_every_batch() {
    let x = floats(40 * LEAF_ROWS + 1);
    for (what, ask) in QUERIES {
        let (device, session) = simulated(MEMORY, Options::default());
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
            assert!(token.is_cancelled(), "{what}: it never was");
            assert_eq!(device.launches(), last as u64 + 1, "{what}: launches");
            match result {
                // Nothing is left to be stopped behind the last batch.
                Ok(ran) => assert_eq!((last + 1, ran), (batches, batches), "{what}"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled, "{what}: {error}"),
            }
            nothing_is_left(&device, &session, &what);
        }
    }
}

#[test]
fn out_of_time_anywhere() {
    let x = floats(40 * LEAF_ROWS + 1);
    for (what, ask) in QUERIES {
        let (device, session) = simulated(MEMORY, Options::default());
        ask(session.from(&x)).unwrap();
        let start = device.clock().now();
        ask(session.from(&x)).unwrap();
        let took = device.clock().now() - start;
        let mut late = 0;
        for part in 1..=20 {
            let (_, session) = (&device, &session);
            let result = ask(session.from(&x).deadline(took * part / 20).require("sim"));
            if let Err(error) = result {
                assert_eq!(error.kind(), ErrorKind::Timeout, "{what}, {part}/20 of the time: {error}");
                late += 1;
            }
            device.clock().advance(Duration::from_secs(3600));
            assert_eq!((device.memory().used, session.memory().outstanding_bytes), (0, 0), "{what}, {part}/20");
        }
        assert!(late >= 10, "{what}: {late} of 20 were late");
    }
}
