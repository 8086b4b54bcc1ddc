//! How far a query is, and queries that are ended within a launch.

use crate::{ROWS, floats, simulated};
use pointsman::{CancellationToken, Column, ErrorKind, F32, Progress, Query, Result, SessionOptions};
use pointsman_device::sim::{SimClock, SimFault};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Takes down all that is told.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<Progress>>>);

impl Notes {
    fn taker(&self) -> impl Fn(&Progress) + Send + Sync + 'static {
        let notes = self.0.clone();
        move |progress| notes.lock().unwrap().push(*progress)
    }

    fn all(&self) -> Vec<Progress> {
        self.0.lock().unwrap().clone()
    }
}

/// A query of every sink; how many rows it gave.
type Ask = fn(Query<'_, F32>) -> Result<usize>;

const QUERIES: [(&str, usize, Ask); 5] = [
    ("store", 1, |q| q.map(|x| x + 1.0).run().map(|answer| answer.len())),
    ("compact", 1, |q| q.filter(|x| x.gt(0.0)).run().map(|answer| answer.len())),
    ("reduce", 1, |q| q.folds(|x| x.sum()).run().map(|answer| *answer as usize)),
    ("scan", 1, |q| q.scan(|x| x.running_sum()).run().map(|answer| answer.len())),
    ("stages", 2, |q| q.scan(|x| x.running_sum()).filter(|x| x.gt(0.0)).run().map(|answer| answer.len())),
];

fn never_back(told: &[Progress], what: &str) {
    let fractions: Vec<f64> = told.iter().map(Progress::fraction).collect();
    assert!(fractions.is_sorted(), "{what}: {fractions:?}");
    assert_eq!((fractions[0], fractions[fractions.len() - 1]), (0.0, 1.0), "{what}");
}

#[test]
fn the_cpu_tells_how_far_it_is() {
    let x = floats(ROWS);
    for threads in [1, 3] {
        let session = SessionOptions::new().threads(threads).open().unwrap();
        for (what, stages, ask) in QUERIES {
            let notes = Notes::default();
            let plain = ask(session.from(&x)).unwrap();
            assert_eq!(ask(session.from(&x).on_progress(notes.taker())).unwrap(), plain, "{what}");
            let told = notes.all();
            never_back(&told, what);
            assert!(told.iter().all(|one| one.stages == stages && one.bytes_moved == 0), "{what}: {told:?}");
            assert_eq!(told[told.len() - 1].batches, stages, "{what}");
            assert!(told.len() > 4 && told.len() <= stages * 102, "{what}: told {} times", told.len());
        }
    }
}

#[test]
fn few_rows_and_none_begin_and_end() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    for rows in [0, 10] {
        let notes = Notes::default();
        let sum = session.prepare(|x: F32| x.sum()).unwrap().on_progress(notes.taker());
        sum.run(floats(rows)).unwrap();
        let told = notes.all();
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1].fraction(), 1.0);
        assert_eq!((told[1].rows_done, told[1].batches), (rows, 1));
    }
}

#[test]
fn a_device_tells_every_batch() {
    let x = floats(40 * 4096 + 1);
    let (_device, session) = simulated(300 << 10, Duration::ZERO, SessionOptions::new());
    for (what, stages, ask) in QUERIES {
        let notes = Notes::default();
        ask(session.from(&x).require("sim").on_progress(notes.taker())).unwrap();
        let batches = session.receipts().pop().unwrap().batches();
        let told = notes.all();
        never_back(&told, what);
        assert!(batches > 2, "{what}: {batches} batches");
        // The begin of each stage, and each batch; a stage's last batch is also its end.
        assert_eq!(told.len(), stages + batches, "{what}: {told:?}");
        assert!(told[told.len() - 1].bytes_moved > 0, "{what}");
    }
}

/// No memory for a batch of one leaf, after others: the column that was to be kept goes, and the stage begins anew.
#[test]
fn what_is_done_again_is_not_told_again() {
    let x = floats(40 * 4096);
    let options = SessionOptions::new().batches_in_flight(1).resident_bytes(0);
    let kept = Column::from(floats(4 * 4096));
    let (device, session) = simulated(120 << 10, Duration::ZERO, options);
    session.keep(&kept, "sim").unwrap();
    let notes = Notes::default();
    let starve = SimFault::OutOfMemory { allocation: 9 };
    device.plan_faults(vec![starve]);
    let query = session.from(&x).map(|x| x + 1.0).require("sim").on_progress(notes.taker());
    let answer = query.run().unwrap();
    assert_eq!((device.fired(), answer.receipt().pins_evicted()), (vec![starve], 1), "{:#}", answer.receipt());
    let told = notes.all();
    never_back(&told, "again");
    assert!(told.iter().all(|one| one.rows_done <= one.rows), "{told:?}");
    assert!(told.iter().filter(|one| one.rows_done == x.len()).count() <= 2, "{told:?}");
}

#[test]
fn devices_that_share_a_query_tell_as_one() {
    let x = floats(40 * 4096 + 1);
    let (_device, session) = simulated(1 << 30, Duration::ZERO, SessionOptions::new());
    for (what, stages, ask) in QUERIES {
        let notes = Notes::default();
        ask(session.from(&x).prefer("sim+cpu").on_progress(notes.taker())).unwrap();
        let receipt = session.receipts().pop().unwrap();
        assert_eq!(receipt.shares().len(), 2, "{what}: {receipt}");
        let told = notes.all();
        never_back(&told, what);
        assert!(told.iter().all(|one| one.stages == stages && one.rows_done <= one.rows), "{what}: {told:?}");
        assert_eq!(told[told.len() - 1].batches, receipt.batches(), "{what}");
    }
}

#[test]
fn what_is_checked_on_the_cpu_is_not_told_again() {
    let options = SessionOptions::new().verify_share(1.0);
    let (_device, session) = simulated(1 << 20, Duration::ZERO, options);
    let notes = Notes::default();
    session.from(&floats(5000)).map(|x| x + 1.0).require("sim").on_progress(notes.taker()).run().unwrap();
    assert_eq!((session.verification().checked, notes.all().len()), (1, 2));
}

#[test]
fn a_callback_that_panics_is_left_alone() {
    let (x, calls) = (floats(ROWS), Arc::new(AtomicUsize::new(0)));
    let session = SessionOptions::new().threads(2).open().unwrap();
    let counted = calls.clone();
    let query = session.from(&x).map(|x| x + 1.0).on_progress(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        panic!("planted");
    });
    assert_eq!(query.run().unwrap().len(), ROWS);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn cancelled_within_a_launch() {
    let x = floats(ROWS);
    for threads in [1, 3] {
        let session = SessionOptions::new().threads(threads).open().unwrap();
        for (what, _, ask) in QUERIES {
            let (token, notes) = (CancellationToken::new(), Notes::default());
            let (stop, note) = (token.clone(), notes.taker());
            let query = session.from(&x).cancelled_by(&token).on_progress(move |progress| {
                note(progress);
                if progress.rows_done > 0 {
                    stop.cancel();
                }
            });
            let error = ask(query).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{what}: {error}");
            let last = notes.all().pop().unwrap();
            assert!(last.stage == 0 && last.rows_done < ROWS / 2, "{what}: it went on to {last:?}");
            assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}");
            assert!(ask(session.from(&x)).is_ok(), "{what}: the session works on");
        }
    }
}

#[test]
fn out_of_time_within_a_launch() {
    let (x, clock) = (floats(ROWS), SimClock::new());
    let session = SessionOptions::new().threads(2).clock(Arc::new(clock.clone())).open().unwrap();
    for (what, _, ask) in QUERIES {
        let time = clock.clone();
        let query = session.from(&x).deadline(Duration::from_secs(5)).on_progress(move |progress| {
            if progress.rows_done > 0 {
                time.advance(Duration::from_secs(5));
            }
        });
        let error = ask(query).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{what}: {error}");
        assert!(error.message().contains("not done within its 5.0s"), "{what}: {error}");
        assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}");
    }
    assert!(session.health().iter().all(|device| device.failures == 0), "a deadline is no failure of the CPU");
}
