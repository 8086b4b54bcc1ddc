//! A compiler that refuses a kernel: the CPU answers, and the compiler is not asked again for a minute.

use crate::{SECOND, ask, classes, is_right, simulated};
use pointsman::{ErrorKind, FailureClass, I64, Options};
use pointsman_device::sim::SimFault;

/// The first two compilations are refused; each that fired is one that was asked for.
fn faults() -> Vec<SimFault> {
    (0..2).map(|compilation| SimFault::Compile { compilation }).collect()
}

#[test]
fn a_refused_kernel_is_not_compiled_again_for_a_minute() {
    let (device, session) = simulated(faults(), Options::default());
    for plus in 0..10 {
        let answer = ask(&session, plus).unwrap();
        is_right(&answer, plus);
        assert_eq!((answer.receipt().device(), classes(answer.receipt())), ("cpu", vec![FailureClass::Compile]));
        assert!(answer.receipt().why().contains("compilation 0 was told to fail"), "{}", answer.receipt());
    }
    assert_eq!(device.fired().len(), 1, "ten queries asked the compiler once");
    let other = session.from(&[1.5f32]).map(|x| x * 2.0).require("sim").run();
    assert_eq!(other.unwrap_err().attempts()[0].class, FailureClass::Compile, "the second refusal, of another kernel");
    device.clock().advance(60 * SECOND);
    assert_eq!(ask(&session, 1).unwrap().receipt().device(), "sim");
    assert_eq!(device.fired(), faults());
}

#[test]
fn prepared_queries_go_back_to_the_device() {
    let (device, session) = simulated(faults(), Options::default());
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
fn a_required_device_is_an_error_with_the_compilers_words() {
    let (device, session) = simulated(faults(), Options::default());
    let error = session.from(&[1i64]).map(|n| n + 1).require("sim").run().unwrap_err();
    assert_eq!((error.kind(), device.fired().len()), (ErrorKind::Internal, 1));
    assert!(error.message().contains("compilation 0") && error.message().contains("please report it"), "{error}");
}
