//! A compiler that refuses a kernel: the CPU answers, and the kernel is not compiled again for a minute. Also:
//! compilations that other queries wait for, and time limits of compilation.

use super::blocking_device::HeldDevice;
use super::observable_clock::ObservableClock;
use super::{SECOND, ask, assert_right, classes, simulated};
use pointsman::{CancellationToken, ErrorKind, FailureClass, I64, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

/// The compiler refuses the first two compilations; the number of fired faults is the number of compilations.
fn faults() -> Vec<SimFault> {
    (0..2).map(|compilation| SimFault::CompileFails { compilation, kind: DeviceErrorKind::Compile }).collect()
}

#[test]
fn refused_kernel_is_not_compiled_again_for_a_minute() {
    let (device, session) = simulated(faults(), SessionOptions::new());
    for plus in 0..10 {
        let answer = ask(&session, plus).unwrap();
        assert_right(&answer, plus);
        assert_eq!((answer.receipt().device(), classes(answer.receipt())), ("cpu", vec![FailureClass::Compile]));
        assert!(answer.receipt().why().contains("compilation 0 was told to fail"), "{}", answer.receipt());
    }
    assert_eq!(device.fired().len(), 1, "ten queries compiled once");
    let other = session.from(&[1.5f32]).map(|x| x * 2.0).require("sim").run();
    assert_eq!(other.unwrap_err().attempts()[0].class, FailureClass::Compile, "the second refusal, of another kernel");
    device.clock().advance(60 * SECOND);
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
    assert_eq!(device.fired(), faults());
}

#[test]
fn prepared_query_returns_to_the_device_after_a_refusal() {
    let (device, session) = simulated(faults(), SessionOptions::new());
    let query = session.prepare(|n: I64| n + 1).unwrap();
    let explained = query.explain();
    assert!(explained.step("choice").unwrap().starts_with("cpu: `sim` is preferred, but compilation 0"), "{explained}");
    assert_eq!((query.run(&[1]).unwrap().receipt().device(), device.fired().len()), ("cpu", 1));
    device.clock().advance(60 * SECOND);
    assert_eq!((query.run(&[1]).unwrap().receipt().device(), device.fired().len()), ("cpu", 2));
    device.clock().advance(60 * SECOND);
    let answer = query.run(&[1]).unwrap();
    assert_eq!((answer.receipt().device(), &answer[..], device.fired().len()), ("sim", &[2][..], 2));
}

#[test]
fn refusal_by_a_required_device_is_an_error_with_the_compilers_message() {
    let (device, session) = simulated(faults(), SessionOptions::new());
    let error = session.from(&[1i64]).map(|n| n + 1).require("sim").run().unwrap_err();
    assert_eq!((error.kind(), device.fired().len()), (ErrorKind::Internal, 1));
    assert!(error.message().contains("compilation 0") && error.message().contains("please report it"), "{error}");
}

/// Opens a session with a device of concurrency 1 whose compiler is blocked.
fn held() -> (Arc<SimDevice>, Session) {
    let (device, session) = simulated(Vec::new(), SessionOptions::new().device_concurrency(1));
    device.block_compilations();
    (device, session)
}

#[test]
fn compiling_query_holds_no_permit_of_the_gate() {
    let (device, session) = simulated(Vec::new(), SessionOptions::new().device_concurrency(1).queue_limit(0));
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
    device.block_compilations();
    std::thread::scope(|scope| {
        let compiles = scope.spawn(|| session.from(&[1i64]).map(|n| n * 2).require("sim").run().unwrap().to_vec());
        device.wait_for_blocked_compilations(1);
        let other = ask(&session, 2);
        device.unblock_compilations();
        assert_eq!(compiles.join().unwrap(), [2]);
        assert_eq!(other.unwrap().receipt().device(), "sim", "the only permit was free");
    });
}

#[test]
fn compiling_query_is_not_the_probe() {
    let faults: Vec<SimFault> = (0..5).map(|launch| SimFault::Transient { launch }).collect();
    let (device, session) = simulated(faults.clone(), SessionOptions::new().retry_limit(0));
    (0..5).for_each(|plus| assert_eq!(classes(ask(&session, plus).unwrap().receipt()), [FailureClass::Transient]));
    assert_eq!(device.fired(), faults);
    device.clock().advance(5 * SECOND);
    device.block_compilations();
    std::thread::scope(|scope| {
        let compiles = scope.spawn(|| session.from(&[1i64]).map(|n| n * 2).require("sim").run().unwrap().to_vec());
        device.wait_for_blocked_compilations(1);
        let probe = ask(&session, 1);
        device.unblock_compilations();
        assert_eq!(compiles.join().unwrap(), [2]);
        assert_eq!(probe.unwrap().receipt().device(), "sim");
    });
}

#[test]
fn wait_for_another_compilation_can_be_cancelled_and_time_out() {
    let (device, session) = held();
    let (stop, clock) = (CancellationToken::new(), device.clock());
    let query = |plus: i64| session.from(&[1i64]).map(move |n| n + plus).filter(|n| n.gt(0));
    std::thread::scope(|scope| {
        let compiles = scope.spawn(|| ask(&session, 1).unwrap().receipt().device().to_string());
        device.wait_for_blocked_compilations(1);
        let stopped = scope.spawn(|| query(2).cancelled_by(&stop).run().unwrap_err().kind());
        while session.program_cache().waited < 1 {
            std::thread::yield_now();
        }
        stop.cancel();
        assert_eq!(stopped.join().unwrap(), ErrorKind::Cancelled);
        let requiring = scope.spawn(|| query(3).require("sim").deadline(SECOND).run().unwrap_err().kind());
        let preferring = scope.spawn(|| query(4).deadline(20 * SECOND).run().unwrap().receipt().clone());
        while session.program_cache().waited < 3 {
            std::thread::yield_now();
        }
        clock.advance(10 * SECOND);
        assert_eq!(requiring.join().unwrap(), ErrorKind::Timeout);
        let receipt = preferring.join().unwrap();
        assert_eq!((receipt.device(), classes(&receipt)), ("cpu", vec![FailureClass::Refused]));
        assert!(receipt.why().contains("`sim` compiled for half of the time"), "{receipt}");
        device.unblock_compilations();
        assert_eq!(compiles.join().unwrap(), "sim");
    });
}

#[test]
fn program_compiled_past_the_deadline_is_not_launched() {
    // A compilation takes 50 ms; the first launch would never end.
    let hang = SimFault::Hang { launch: 0 };
    let (device, session) = simulated(vec![hang], SessionOptions::new().launch_timeout(SECOND));
    let double = || session.from(&[1i64]).map(|n| n * 2).deadline(Duration::from_millis(40));
    let error = double().require("sim").run().unwrap_err();
    assert!(error.message().contains("not done within its 40"), "{error}");
    assert_eq!((error.kind(), device.compilations(), device.fired()), (ErrorKind::Timeout, 1, vec![]));
    let triple = session.from(&[1i64]).map(|n| n * 3 + 1).deadline(Duration::from_millis(90)).run().unwrap();
    assert_eq!((triple.receipt().device(), classes(triple.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert_eq!((device.compilations(), device.fired()), (2, vec![]));
    assert_eq!(classes(double().run().unwrap().receipt()), [FailureClass::Timeout], "the compiled program is launched");
    assert_eq!(device.fired(), [hang]);
}

#[test]
fn planning_counts_against_the_deadline() {
    let device = HeldDevice::slow_to_plan(SECOND);
    let builder = SessionOptions::new().threads(1).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let session = builder.open().unwrap();
    let double = || session.from(&[1i64]).map(|n| n * 2).require("sim");
    let error = double().deadline(SECOND).run().unwrap_err();
    assert!(error.message().contains("not done within its 1"), "{error}");
    assert_eq!((error.kind(), device.clock().now()), (ErrorKind::Timeout, SECOND), "nothing was compiled");
    assert_eq!(double().deadline(SECOND).run().unwrap()[..], [2], "now the plan is cached");
    let error = session.prepare(|n: I64| n * 3).unwrap().require("sim").deadline(SECOND).run(&[1]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
}

#[test]
fn dropped_session_abandons_a_compiler_that_never_returns() {
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let clock = Arc::new(ObservableClock::default());
    let options = SessionOptions::new().drop_timeout(3 * SECOND);
    let session = options.threads(1).add_device(device.clone()).clock(clock.clone());
    let session = session.prefer("sim").compile_in_background(true).open().unwrap();
    device.block_compilations();
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "cpu");
    device.wait_for_blocked_compilations(1);
    let dropping = std::thread::spawn(move || drop(session));
    clock.wait_for_waiter();
    clock.time.advance(2 * SECOND);
    clock.wait_for_waiter();
    assert!(!dropping.is_finished(), "there is a second left");
    clock.time.advance(SECOND);
    dropping.join().unwrap();
    assert_eq!(device.loads(), 0, "the compiler has not returned");
    device.unblock_compilations();
    while device.loads() == 0 {
        std::thread::yield_now();
    }
}

#[test]
fn deadline_holds_while_the_driver_compiles() {
    let (device, session) = held();
    let query = || session.from(&[1i64]).map(|n| n * 2).deadline(2 * SECOND);
    std::thread::scope(|scope| {
        let late = scope.spawn(|| query().run().unwrap().receipt().clone());
        device.wait_for_blocked_compilations(1);
        device.clock().advance(SECOND);
        let receipt = late.join().unwrap();
        assert_eq!((receipt.device(), classes(&receipt)), ("cpu", vec![FailureClass::Refused]));
        assert!(receipt.why().contains("`sim` compiled for half of the time"), "{receipt}");
    });
    let next = query().run().unwrap();
    assert_eq!((next.receipt().device(), device.compilations()), ("cpu", 1), "the next one does not wait at all");
    device.unblock_compilations();
    while query().run().unwrap().receipt().device() != "sim" {
        std::thread::yield_now();
    }
    assert_eq!(device.compilations(), 1, "what the late query began is of use");
}

#[test]
fn required_device_that_compiles_too_long_is_a_timeout_in_time() {
    let (device, session) = held();
    std::thread::scope(|scope| {
        let query = session.from(&[1i64]).map(|n| n * 2).require("sim").deadline(2 * SECOND);
        let late = scope.spawn(|| query.run().unwrap_err());
        device.wait_for_blocked_compilations(1);
        device.clock().advance(2 * SECOND);
        assert_eq!(late.join().unwrap().kind(), ErrorKind::Timeout);
    });
    device.unblock_compilations();
}

#[test]
fn driver_that_never_returns_closes_its_device_and_is_not_waited_for() {
    let (device, session) = simulated(Vec::new(), SessionOptions::new().compile_timeout(5 * SECOND));
    device.block_compilations();
    std::thread::scope(|scope| {
        let patient = scope.spawn(|| ask(&session, 1).unwrap().receipt().clone());
        device.wait_for_blocked_compilations(1);
        device.clock().advance(5 * SECOND);
        let receipt = patient.join().unwrap();
        assert_eq!((receipt.device(), classes(&receipt)), ("cpu", vec![FailureClass::Timeout]));
        assert!(receipt.why().contains("the driver did not return within 5.0s"), "{receipt}");
    });
    let other = session.from(&[1i64]).map(|n| n * 2).run().unwrap();
    assert_eq!((other.receipt().device(), classes(other.receipt())), ("cpu", vec![FailureClass::Refused]));
    assert!(other.receipt().why().contains("the driver did not return within 5.0s"), "{}", other.receipt());
    assert_eq!(device.compilations(), 1, "nothing else is asked of it");
    // The clock stands still, so a wait for the driver would not end.
    drop((other, session));
    device.unblock_compilations();
}
