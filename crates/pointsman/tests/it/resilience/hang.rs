//! A device that hangs: deadlines hold, other devices answer, and the device's breaker opens.

use super::{SECOND, ask, assert_right, classes, simulated};
use pointsman::{Device, ErrorKind, FailureClass, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

const HANG: SimFault = SimFault::Hang { launch: 0 };

fn timeout(seconds: u32) -> SessionOptions {
    SessionOptions::new().launch_timeout(seconds * SECOND)
}

#[test]
fn cpu_answers_and_the_breaker_of_the_hung_device_opens() {
    let (device, session) = simulated(vec![HANG], timeout(2));
    let answer = session.from(&[1i64, 2]).map(|n| n * 2).deadline(30 * SECOND).run().unwrap();
    assert_eq!((&answer[..], answer.receipt().device()), (&[2, 4][..], "cpu"));
    assert_eq!((device.fired(), classes(answer.receipt())), (vec![HANG], vec![FailureClass::Timeout]));
    assert!(answer.receipt().attempts()[0].time >= 2 * SECOND && device.clock().now() < 3 * SECOND);
    let memory = device.memory();
    assert!(memory.used > 0, "memory that the hung launch may still use stays allocated");
    assert_eq!(memory.zombie, memory.used, "it is not a leak");
    assert_eq!(device.zombies(), 1, "no caller waits for it any more");
    let (text, json) = (session.snapshot().to_string(), session.snapshot().to_json());
    assert!(text.contains(&format!("{} of them held by hung work", memory.zombie)), "{text}");
    assert!(json.contains(&format!("\"memory_zombie\":{}", memory.zombie)), "{json}");
    let before = device.clock().now();
    let next = ask(&session, 1).unwrap();
    assert_right(&next, 1);
    assert_eq!((next.receipt().device(), classes(next.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert_eq!(device.clock().now(), before, "no query waits for a device with an open breaker");
    device.clock().advance(5 * SECOND);
    let probe = ask(&session, 2).unwrap();
    assert_right(&probe, 2);
    assert_eq!(probe.receipt().device(), "sim", "the probe has a stream of its own: {}", probe.receipt());
    drop(probe);
    assert_eq!(ask(&session, 3).unwrap().receipt().device(), "sim");
    let now = device.memory();
    assert_eq!((now.used, now.zombie), (memory.used, memory.zombie), "queries that end leave no zombies");
    device.recover();
    assert_eq!((device.zombies(), device.memory().used), (0, 0), "once the launch ends, its memory is freed");
}

#[test]
fn hung_probe_ends_at_its_own_deadline() {
    let (device, session) = simulated(vec![HANG, SimFault::Hang { launch: 1 }], SessionOptions::new());
    let ask_of_sim = |seconds| session.from(&[1i64]).map(|n| n * 2).deadline(seconds * SECOND).require("sim").run();
    assert!(ask_of_sim(1000).is_err() && device.clock().now() >= 600 * SECOND, "the default timeout");
    device.clock().advance(5 * SECOND);
    let before = device.clock().now();
    assert_eq!(ask_of_sim(1000).unwrap_err().kind(), ErrorKind::Timeout);
    let took = device.clock().now() - before;
    assert!((10 * SECOND..11 * SECOND).contains(&took), "{took:?}");
    assert_eq!(ask_of_sim(1000).unwrap_err().kind(), ErrorKind::Unavailable, "open for 10 s now");
    assert_eq!(device.fired().len(), 2);
    device.clock().advance(10 * SECOND);
    assert_eq!(ask_of_sim(1000).unwrap()[..], [2]);
}

#[test]
fn short_deadline_does_not_open_the_breaker() {
    let (device, session) = simulated(vec![HANG], SessionOptions::new());
    let answer = session.from(&[1i64]).map(|n| n * 2).deadline(4 * SECOND).run().unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (vec![HANG], "cpu"));
    assert_eq!(device.clock().now().as_secs(), 2, "half of the time was left for the CPU");
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
}

#[test]
fn many_short_deadlines_do_not_open_the_breaker() {
    let hangs: Vec<SimFault> = (1..=12).map(|launch| SimFault::Hang { launch }).collect();
    let (device, session) = simulated(hangs.clone(), SessionOptions::new());
    assert_eq!(ask(&session, 0).unwrap().receipt().device(), "sim");
    for plus in 1..=12 {
        let answer = session.from(&[1i64]).map(|n| n + plus).filter(|n| n.gt(0)).deadline(SECOND / 1000).run().unwrap();
        assert_eq!((answer.receipt().device(), classes(answer.receipt())), ("cpu", vec![FailureClass::Timeout]));
    }
    assert_eq!(device.fired(), hangs);
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
}

#[test]
fn probe_with_a_short_deadline_leaves_the_probe_to_the_next_query() {
    let (device, session) = simulated(vec![HANG, SimFault::Hang { launch: 1 }], timeout(2));
    let double = || session.from(&[1i64]).map(|n| n * 2);
    assert_eq!(classes(double().run().unwrap().receipt()), [FailureClass::Timeout]);
    device.clock().advance(5 * SECOND);
    assert_eq!(classes(double().deadline(SECOND).run().unwrap().receipt()), [FailureClass::Timeout]);
    assert_eq!((device.fired().len(), double().run().unwrap().receipt().device()), (2, "sim"));
}

#[test]
fn partially_downloaded_result_is_not_duplicated() {
    // The time is over during the download of the columns.
    let speed = SimSpeed { copy: SECOND, ..SimSpeed::default() };
    let device = Arc::new(SimDevice::new(SimOptions { speed, ..SimOptions::default() }));
    let builder = SessionOptions::new().threads(1).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let session = builder.prefer("sim").open().unwrap();
    let answer = session.from(&[1i64, 2]).map(|n| (n * 2, n * 3)).deadline(3 * SECOND).run().unwrap();
    assert_eq!(classes(answer.receipt()), [FailureClass::Timeout]);
    let took = device.clock().now();
    assert!((3 * SECOND / 2..2 * SECOND).contains(&took), "in and out would have taken 2 s: {took:?}");
    assert_eq!(device.copies(), 0, "the late copy is abandoned");
    assert_eq!((&answer.0[..], &answer.1[..], answer.receipt().device()), (&[2, 4][..], &[3, 6][..], "cpu"));
    drop(answer);
    assert_eq!(session.memory().host.outstanding_bytes, 0);
}

#[test]
fn required_device_times_out_at_the_deadline() {
    let (device, session) = simulated(vec![HANG], SessionOptions::new());
    let error = session.from(&[1i64]).map(|n| n * 2).deadline(4 * SECOND).require("sim").run().unwrap_err();
    assert_eq!((error.kind(), error.attempts().len(), device.fired()), (ErrorKind::Timeout, 1, vec![HANG]));
    assert_eq!(device.clock().now().as_secs(), 4);
    let error = session.from(&[1i64]).map(|n| n * 2).deadline(Duration::ZERO).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.message().contains("not done within its 0"), "{error}");
}

#[test]
fn other_device_is_not_affected() {
    let hung = Arc::new(SimDevice::new(SimOptions { faults: vec![HANG], ..SimOptions::default() }));
    let clock = hung.clock().clone();
    let name = "other".to_string();
    let other = Arc::new(SimDevice::new(SimOptions { name, clock: clock.clone(), ..SimOptions::default() }));
    let builder = timeout(1).threads(1).add_device(hung.clone()).add_device(other).clock(Arc::new(clock));
    let session = builder.open().unwrap();
    let on = |name: &str| session.from(&[1i64]).map(|n| n * 2).require(name).run();
    assert_eq!(on("sim").unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(on("other").unwrap().receipt().device(), "other");
    assert_eq!(on("sim").unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(on("other").unwrap()[..], [2]);
    assert_eq!(hung.fired(), [HANG]);
}
