//! Progress reports, and queries that end within a launch.

use super::{ROWS, floats, simulated};
use pointsman::{CancellationToken, Column, ErrorKind, F32, Progress, Query, Result, SessionOptions};
use pointsman_device::sim::{SimClock, SimFault};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Records all progress reports.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Progress>>>);

impl Recorder {
    fn callback(&self) -> impl Fn(&Progress) + Send + Sync + 'static {
        let reports = self.0.clone();
        move |progress| reports.lock().unwrap().push(*progress)
    }

    fn all(&self) -> Vec<Progress> {
        self.0.lock().unwrap().clone()
    }
}

/// Runs a query; returns a number that depends on its result.
type Ask = fn(Query<'_, F32>) -> Result<usize>;

const QUERIES: [(&str, usize, Ask); 5] = [
    ("store", 1, |q| q.map(|x| x + 1.0).run().map(|answer| answer.len())),
    ("compact", 1, |q| q.filter(|x| x.gt(0.0)).run().map(|answer| answer.len())),
    ("reduce", 1, |q| q.folds(|x| x.sum()).run().map(|answer| *answer as usize)),
    ("scan", 1, |q| q.scan(|x| x.running_sum()).run().map(|answer| answer.len())),
    ("stages", 2, |q| q.scan(|x| x.running_sum()).filter(|x| x.gt(0.0)).run().map(|answer| answer.len())),
];

fn assert_monotonic(reports: &[Progress], what: &str) {
    let fractions: Vec<f64> = reports.iter().map(Progress::fraction).collect();
    assert!(fractions.is_sorted(), "{what}: {fractions:?}");
    assert_eq!((fractions[0], fractions[fractions.len() - 1]), (0.0, 1.0), "{what}");
}

#[test]
fn cpu_reports_progress_within_a_launch() {
    let x = floats(ROWS);
    for threads in [1, 3] {
        let session = SessionOptions::new().threads(threads).open().unwrap();
        for (what, stages, ask) in QUERIES {
            let recorder = Recorder::default();
            let plain = ask(session.from(&x)).unwrap();
            assert_eq!(ask(session.from(&x).on_progress(recorder.callback())).unwrap(), plain, "{what}");
            let reports = recorder.all();
            assert_monotonic(&reports, what);
            assert!(
                reports.iter().all(|report| report.stages == stages && report.bytes_moved == 0),
                "{what}: {reports:?}"
            );
            assert_eq!(reports[reports.len() - 1].batches, stages, "{what}");
            assert!(reports.len() > 4 && reports.len() <= stages * 102, "{what}: {} reports", reports.len());
        }
    }
}

#[test]
fn small_and_empty_queries_report_begin_and_end() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    for rows in [0, 10] {
        let recorder = Recorder::default();
        let sum = session.prepare(|x: F32| x.sum()).unwrap().on_progress(recorder.callback());
        sum.run(floats(rows)).unwrap();
        let reports = recorder.all();
        assert_eq!(reports.len(), 2, "{reports:?}");
        assert_eq!(reports[1].fraction(), 1.0);
        assert_eq!((reports[1].rows_done, reports[1].batches), (rows, 1));
    }
}

#[test]
fn device_reports_every_batch() {
    let x = floats(40 * 4096 + 1);
    let (_device, session) = simulated(300 << 10, Duration::ZERO, SessionOptions::new());
    for (what, stages, ask) in QUERIES {
        let recorder = Recorder::default();
        ask(session.from(&x).require("sim").on_progress(recorder.callback())).unwrap();
        let batches = session.receipts().pop().unwrap().batches();
        let reports = recorder.all();
        assert_monotonic(&reports, what);
        assert!(batches > 2, "{what}: {batches} batches");
        // One report for the begin of each stage and one for each batch; a stage's last batch is also its end.
        assert_eq!(reports.len(), stages + batches, "{what}: {reports:?}");
        assert!(reports[reports.len() - 1].bytes_moved > 0, "{what}");
    }
}

/// A batch of one leaf finds no memory: the pinned column is evicted, and the stage starts again.
#[test]
fn repeated_rows_are_not_reported_again() {
    let x = floats(40 * 4096);
    let options = SessionOptions::new().batches_in_flight(1).resident_bytes(0);
    let kept = Column::from(floats(4 * 4096));
    let (device, session) = simulated(120 << 10, Duration::ZERO, options);
    session.keep(&kept, "sim").unwrap();
    let recorder = Recorder::default();
    let starve = SimFault::OutOfMemory { allocation: 9 };
    device.plan_faults(vec![starve]);
    let query = session.from(&x).map(|x| x + 1.0).require("sim").on_progress(recorder.callback());
    let answer = query.run().unwrap();
    assert_eq!((device.fired(), answer.receipt().pins_evicted()), (vec![starve], 1), "{:#}", answer.receipt());
    let reports = recorder.all();
    assert_monotonic(&reports, "again");
    assert!(reports.iter().all(|report| report.rows_done <= report.rows), "{reports:?}");
    assert!(reports.iter().filter(|report| report.rows_done == x.len()).count() <= 2, "{reports:?}");
}

#[test]
fn devices_that_share_a_query_report_together() {
    let x = floats(40 * 4096 + 1);
    let options = SessionOptions::new().share_time_min(Duration::ZERO);
    let (_device, session) = simulated(1 << 30, Duration::ZERO, options);
    for (what, stages, ask) in QUERIES {
        let recorder = Recorder::default();
        ask(session.from(&x).prefer("sim+cpu").on_progress(recorder.callback())).unwrap();
        let receipt = session.receipts().pop().unwrap();
        assert_eq!(receipt.shares().len(), 2, "{what}: {receipt}");
        let reports = recorder.all();
        assert_monotonic(&reports, what);
        assert!(
            reports.iter().all(|report| report.stages == stages && report.rows_done <= report.rows),
            "{what}: {reports:?}"
        );
        assert_eq!(reports[reports.len() - 1].batches, receipt.batches(), "{what}");
    }
}

#[test]
fn verification_reports_no_progress() {
    let options = SessionOptions::new().verify_share(1.0);
    let (_device, session) = simulated(1 << 20, Duration::ZERO, options);
    let notes = Recorder::default();
    session.from(&floats(5000)).map(|x| x + 1.0).require("sim").on_progress(notes.callback()).run().unwrap();
    assert_eq!((session.verification().checked, notes.all().len()), (1, 2));
}

#[test]
fn panicking_callback_is_not_called_again() {
    let (x, calls) = (floats(ROWS), Arc::new(AtomicUsize::new(0)));
    let session = SessionOptions::new().threads(2).open().unwrap();
    let counted = calls.clone();
    let query = session.from(&x).map(|x| x + 1.0).on_progress(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        panic!("injected");
    });
    assert_eq!(query.run().unwrap().len(), ROWS);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn cancellation_ends_a_launch_early() {
    let x = floats(ROWS);
    for threads in [1, 3] {
        let session = SessionOptions::new().threads(threads).open().unwrap();
        for (what, _, ask) in QUERIES {
            let (token, recorder) = (CancellationToken::new(), Recorder::default());
            let (stop, note) = (token.clone(), recorder.callback());
            let query = session.from(&x).cancelled_by(&token).on_progress(move |progress| {
                note(progress);
                if progress.rows_done > 0 {
                    stop.cancel();
                }
            });
            let error = ask(query).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Cancelled, "{what}: {error}");
            let last = recorder.all().pop().unwrap();
            assert!(last.stage == 0 && last.rows_done < ROWS / 2, "{what}: it went on to {last:?}");
            assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}");
            assert!(ask(session.from(&x)).is_ok(), "{what}: the session still works");
        }
    }
}

#[test]
fn deadline_ends_a_launch_early() {
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
    assert!(session.health().iter().all(|device| device.failures == 0), "a deadline is not a failure of the CPU");
}
