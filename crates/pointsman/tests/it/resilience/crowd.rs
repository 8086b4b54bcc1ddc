//! Many callers at once: all are answered, the limits hold, and callers that give up leave the queue.

use super::blocking_device::HeldDevice;
use super::observable_clock::ObservableClock;
use super::{SECOND, ask, assert_right, classes};
use pointsman::{CancellationToken, ErrorKind, FailureClass, I64, Phase, Query, Session, SessionOptions};
use std::sync::Arc;
use std::time::Duration;

const THREADS: i64 = 64;

#[test]
fn sixty_four_threads_share_one_session() {
    let options = SessionOptions::new().cpu_concurrency(3);
    let session = options.threads(2).open().unwrap();
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let session = &session;
            scope.spawn(move || {
                (0..20).for_each(|round| assert_right(&ask(session, number + round).unwrap(), number + round))
            });
        }
    });
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

/// A device that runs one query at a time and holds it, with room for `queue` queries that wait.
fn crowded(queue: usize) -> (Arc<HeldDevice>, Arc<ObservableClock>, Session) {
    let (device, clock) = (HeldDevice::held(), Arc::new(ObservableClock::default()));
    let options = SessionOptions::new().device_concurrency(1).queue_limit(queue);
    let builder = options.threads(1).add_device(device.clone()).clock(clock.clone());
    (device, clock, builder.open().unwrap())
}

fn query(session: &Session) -> Query<'_, I64> {
    session.from(&[1i64]).map(|n| n + 1)
}

#[test]
fn full_queue_is_an_error_that_names_the_limit() {
    let (device, _, session) = crowded(0);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| query(&session).require("sim").run());
        device.wait_for_launches(1);
        let error = query(&session).require("sim").run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let says = ["0 queries wait for `sim` already", "raise `SessionOptions::queue_limit`"];
        assert!(says.iter().all(|part| error.message().contains(part)), "{error}");
        let elsewhere = query(&session).prefer("sim").run().unwrap();
        assert_eq!((elsewhere.receipt().device(), classes(elsewhere.receipt())), ("cpu", vec![FailureClass::Refused]));
        device.release();
        assert_eq!(first.join().unwrap().unwrap()[..], [2]);
    });
}

#[test]
fn callers_past_their_deadline_leave_the_queue() {
    let (device, clock, session) = crowded(10);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| query(&session).require("sim").run());
        device.wait_for_launches(1);
        let preferring = scope.spawn(|| query(&session).prefer("sim").deadline(8 * SECOND).run());
        clock.wait_for_waiter();
        clock.time.advance(4 * SECOND);
        let answer = preferring.join().unwrap().unwrap();
        assert_eq!((answer.receipt().device(), classes(answer.receipt())), ("cpu", vec![FailureClass::Refused]));
        assert!(answer.receipt().why().contains("busy for half of the time"), "{}", answer.receipt());
        assert!(!answer.receipt().time(Phase::Queue).is_zero(), "{}", answer.receipt());
        let requiring = scope.spawn(|| query(&session).require("sim").deadline(8 * SECOND).run());
        clock.wait_for_waiter();
        clock.time.advance(8 * SECOND);
        assert_eq!(requiring.join().unwrap().unwrap_err().kind(), ErrorKind::Timeout);
        device.release();
        assert_eq!(first.join().unwrap().unwrap()[..], [2]);
    });
    assert_eq!(query(&session).require("sim").run().unwrap()[..], [2], "the permit is free again");
}

#[test]
fn cancelled_callers_leave_the_queue() {
    let (device, clock, session) = crowded(10);
    let token = CancellationToken::new();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| query(&session).require("sim").run());
        device.wait_for_launches(1);
        let stopped = scope.spawn(|| query(&session).prefer("sim").deadline(SECOND).cancelled_by(&token).run());
        clock.wait_for_waiter();
        token.cancel();
        assert_eq!(stopped.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        device.release();
        assert_eq!(first.join().unwrap().unwrap()[..], [2]);
    });
    assert_eq!(query(&session).require("sim").run().unwrap()[..], [2], "the permit is free again");
}

#[test]
fn every_form_of_query_takes_deadlines_and_tokens() {
    let session = SessionOptions::new().threads(1).open().unwrap();
    let token = CancellationToken::new();
    let prepared = session.prepare(|n: I64| n + 1).unwrap().cancelled_by(&token).deadline(1000 * SECOND);
    assert_eq!(prepared.run(&[1]).unwrap()[..], [2]);
    token.cancel();
    let folds = session.from(&[1i64]).folds(|n| n.sum());
    assert_eq!(folds.cancelled_by(&token).run().unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(prepared.run(&[1]).unwrap_err().kind(), ErrorKind::Cancelled);
    let folds = session.from(&[1i64]).folds(|n| n.sum());
    assert_eq!(folds.deadline(Duration::ZERO).run().unwrap_err().kind(), ErrorKind::Timeout);
}
