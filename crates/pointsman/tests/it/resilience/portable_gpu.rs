//! Deadlines and cancellation on the portable GPU, whose dispatches cannot be stopped. Without an adapter the tests
//! print that and pass.

use pointsman::{CancellationToken, ErrorKind, Exactness, Expr, Session, repeat};
use std::time::Duration;

/// The portable GPU's name, in a session that has looked for devices.
fn portable_gpu(session: &Session) -> Option<String> {
    let report = session.discover();
    let name = report.devices().iter().map(|device| device.info.name.clone()).find(|name| name.starts_with("vulkan"));
    if name.is_none() {
        eprintln!("skipped: no portable GPU");
    }
    name
}

fn steps(x: Expr<u32>) -> Expr<u32> {
    repeat(200u32, x, |i, y| y * 1_664_525 + i)
}

/// Queries end at any time, with uploads, launches and downloads in progress; the device is used again, and is not to blame for
/// cancelled ones.
#[test]
fn a_device_is_used_after_queries_that_ended_early() {
    let session = Session::open().unwrap();
    let Some(name) = portable_gpu(&session) else { return };
    let x: Vec<u32> = (0..3_000_000).collect();
    let query = || session.from(&x).map(steps).require(&name).exactness(Exactness::Bounded);
    let (mut cancelled, mut timeouts) = (0, 0);
    for time in (1..16).map(|number| Duration::from_millis(12 * number)) {
        let token = CancellationToken::new();
        let canceller = std::thread::spawn({
            let token = token.clone();
            move || {
                std::thread::sleep(time);
                token.cancel();
            }
        });
        for result in [query().cancelled_by(&token).run().map(drop), query().deadline(time).run().map(drop)] {
            match result.map_err(|error| error.kind()) {
                Ok(()) => {}
                Err(ErrorKind::Cancelled) => cancelled += 1,
                Err(ErrorKind::Timeout) => timeouts += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
        canceller.join().unwrap();
    }
    assert!(cancelled > 0 && timeouts > 0, "queries must end early for this test to mean something");
    let answer = session.from(0u32..10).map(|x| x + 1).require(&name).run().unwrap();
    assert_eq!(answer[..3], [1, 2, 3]);
    let health = session.health();
    let device = health.devices.iter().find(|device| device.device == name).unwrap();
    // A query whose time is over before the device is asked is no failure of the device either.
    assert!((1..=timeouts).contains(&device.failures), "{} failures, {timeouts} timeouts", device.failures);
}
