//! Many callers at once: all answered, the limits kept, and whoever gives up leaves the line.

use crate::turnstile::Turnstile;
use crate::{SECOND, ask, classes, is_right};
use pointsman::{CancellationToken, ErrorKind, FailureClass, Options, Session};
use pointsman_device::sim::SimClock;
use std::sync::Arc;

const THREADS: i64 = 64;

#[test]
fn sixty_four_threads_on_one_session() {
    let options = Options { cpu_concurrency: 3, ..Options::default() };
    let session = Session::builder().threads(2).options(options).open().unwrap();
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let session = &session;
            scope.spawn(move || {
                (0..20).for_each(|round| is_right(&ask(session, number + round).unwrap(), number + round))
            });
        }
    });
    assert_eq!(session.memory().outstanding_bytes, 0);
}

/// A device that serves one at a time and holds it, with room for so many behind it.
fn crowded(queue: usize) -> (Arc<Turnstile>, SimClock, Session) {
    let (device, clock) = (Turnstile::held(), SimClock::new());
    let options = Options { device_concurrency: 1, queue, ..Options::default() };
    let builder = Session::builder().threads(1).device(device.clone()).clock(Arc::new(clock.clone()));
    (device, clock, builder.options(options).open().unwrap())
}

#[test]
fn a_full_line_is_an_error_that_says_the_limit() {
    let (device, _, session) = crowded(0);
    let on_sim = || session.from(&[1i64]).map(|n| n + 1).require("sim").run();
    std::thread::scope(|scope| {
        let first = scope.spawn(on_sim);
        device.until_arrived(1);
        let error = on_sim().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let says = ["0 queries wait for `sim` already", "raise `Options::queue`"];
        assert!(says.iter().all(|part| error.message().contains(part)), "{error}");
        let elsewhere = session.from(&[1i64]).map(|n| n + 1).prefer("sim").run().unwrap();
        assert_eq!((elsewhere.receipt().device(), classes(elsewhere.receipt())), ("cpu", vec![FailureClass::Refused]));
        device.release();
        assert_eq!(first.join().unwrap().unwrap()[..], [2]);
    });
}

#[test]
fn callers_leave_the_line_when_they_are_cancelled_or_late() {
    let (device, clock, session) = crowded(10);
    let token = CancellationToken::new();
    let query = || session.from(&[1i64]).map(|n| n + 1);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| query().require("sim").run());
        device.until_arrived(1);
        let late = scope.spawn(|| query().require("sim").deadline(5 * SECOND).run());
        let stopped = scope.spawn(|| query().require("sim").cancelled_by(&token).run());
        while !late.is_finished() {
            // However late a thread starts to wait, its time comes.
            clock.advance(SECOND);
            std::thread::yield_now();
        }
        assert_eq!(late.join().unwrap().unwrap_err().kind(), ErrorKind::Timeout);
        token.cancel();
        assert_eq!(stopped.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
        device.release();
        assert_eq!(first.join().unwrap().unwrap()[..], [2]);
    });
    assert_eq!(query().require("sim").run().unwrap()[..], [2], "the place is free again");
}
