//! Queries that name no device: who answers, what the receipt says of it, and what a session learns.
#![allow(clippy::unwrap_used)]

use pointsman::select::{Class, Curve, Link, Profile, Selector};
use pointsman::{Column, DeviceKind, Exactness, FailureClass, Options, Policy, Session, SessionBuilder};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

const LARGE: usize = 100_000;

/// A session that chooses between the CPU and a simulated device.
fn choosing(
    options: SimOptions,
    change: impl FnOnce(SessionBuilder) -> SessionBuilder,
) -> (Arc<SimDevice>, Session, Selector) {
    let device = Arc::new(SimDevice::new(options));
    let clock = Arc::new(device.clock().clone());
    let builder = Session::builder().threads(1).device(device.clone()).clock(clock).choose_among(["sim"]);
    let session = change(builder).open().unwrap();
    let selector = session.selector().unwrap();
    assert_eq!(selector.names(), ["cpu", "sim"]);
    (device, session, selector)
}

/// A device that takes a millisecond to start, and next to nothing for rows: links and memory of a terabyte a second.
fn slow_to_start() -> Profile {
    let fast = || Curve::flat(1e12);
    let link = || Link { pageable: fast(), locked: fast() };
    let (read, write, copy_in, copy_out) = (fast(), fast(), link(), link());
    let guess = Profile::guess(DeviceKind::Sim, 1);
    Profile { launch: 1e6, read, write, copy_in, copy_out, operations: [0.0; 5], spread: 0.1, ..guess }
}

/// The CPU as it would be if a row took it a microsecond.
fn slow_at_rows() -> Profile {
    Profile { operations: [1e3; 5], spread: 0.1, ..Profile::guess(DeviceKind::Cpu, 1) }
}

fn numbers(rows: usize) -> Vec<i64> {
    (0..rows as i64).map(|i| i * 7919 % 2001 - 1000).collect()
}

/// Asks until the device that compiles behind the callers' backs has answered.
fn until_compiled(session: &Session, numbers: &[i64]) {
    for _ in 0..10_000 {
        let answer = session.from(numbers).map(|n| n * 3).run().unwrap();
        if answer.receipt().device() == "sim" {
            return;
        }
        std::thread::yield_now();
    }
    panic!("the simulated device never answered");
}

#[test]
fn small_queries_stay_and_large_ones_go() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let (small, large) = (numbers(100), numbers(LARGE));
    until_compiled(&session, &large);
    for _ in 0..3 {
        let few = session.from(&small).map(|n| n * 3).run().unwrap();
        assert_eq!(few.receipt().device(), "cpu");
        let many = session.from(&large).map(|n| n * 3).run().unwrap();
        let receipt = many.receipt();
        assert_eq!(receipt.device(), "sim");
        assert!(many.iter().flatten().eq(large.iter().map(|n| n * 3)));
        let line = receipt.to_string();
        assert!(line.contains(" on sim · cpu would take ~0."), "{line}");
        assert_eq!(receipt.ranking().unwrap().predictions[0].device, "sim");
        assert!(format!("{receipt:#}").contains("ranked   cpu: "), "{receipt:#}");
    }
    assert_eq!(selector.ledger().calls, 0, "nothing is learned");
}

#[test]
fn the_cpu_answers_while_a_device_compiles() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let first = session.from(&numbers(LARGE)).map(|n| n * 5).run().unwrap();
    assert_eq!(first.receipt().device(), "cpu", "a first query does not wait");
    let why = &first.receipt().attempts()[0].message;
    assert!(why.contains("still compiles the query"), "{why}");
}

#[test]
fn a_device_that_is_gone_is_not_asked_again() {
    let fault = SimFault::Lost { launch: 0 };
    let options = SimOptions { faults: vec![fault], ..SimOptions::default() };
    let (device, session, selector) = choosing(options, |builder| builder.policy(Policy::Deterministic));
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let large = numbers(LARGE);
    let mut lost = 0;
    for _ in 0..10_000 {
        let answer = session.from(&large).map(|n| n * 3).run().unwrap();
        assert_eq!(answer.receipt().device(), "cpu");
        assert!(answer.iter().flatten().eq(large.iter().map(|n| n * 3)));
        lost += answer.receipt().attempts().iter().filter(|attempt| attempt.class == FailureClass::Lost).count();
        if lost > 0 && answer.receipt().attempts().is_empty() {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!((lost, device.fired()), (1, vec![fault]));
    let after = session.from(&large).map(|n| n * 3).run().unwrap();
    assert!(after.receipt().attempts().is_empty(), "{}", after.receipt());
}

#[test]
fn what_runs_take_counts_for_more_than_what_they_should() {
    // It takes ten seconds, whatever its profile says.
    let speed = SimSpeed { launch: Duration::from_secs(10), ..SimSpeed::default() };
    let (_, session, selector) = choosing(SimOptions { speed, ..SimOptions::default() }, |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let large = numbers(LARGE);
    until_compiled(&session, &large);
    let mut on_sim = 0;
    for _ in 0..20 {
        let answer = session.from(&large).map(|n| n * 3).run().unwrap();
        on_sim += usize::from(answer.receipt().device() == "sim");
        selector.learn_now();
    }
    assert!(on_sim <= 3, "{on_sim} of 20 calls went to a device that takes ten seconds");
    let ledger = selector.ledger();
    assert!(ledger.lost() > 9e9, "{ledger:?}");
}

#[test]
fn runs_on_devices_that_were_asked_for_teach_too() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    let large = numbers(LARGE);
    for _ in 0..3 {
        session.from(&large).map(|n| n * 3).require("sim").run().unwrap();
    }
    selector.learn_now();
    let ledger = selector.ledger();
    assert_eq!(ledger.arms[1].0, 2, "{ledger:?}: all but the first, which compiles");
}

#[test]
fn what_lies_on_a_device_draws_the_query_there() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder.policy(Policy::Deterministic));
    // Copies take longer than the CPU does for all of it.
    let slow = || Link { pageable: Curve::flat(1e6), locked: Curve::flat(1e6) };
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, Profile { copy_in: slow(), ..slow_to_start() });
    let column = Column::from(numbers(LARGE));
    let sum = || session.from(&column).map(|n| n * 3).sum();
    assert_eq!(sum().unwrap(), numbers(LARGE).iter().map(|n| n * 3).sum::<i64>());
    let device = |session: &Session| {
        let query = session.from(&column).map(|n| n * 3);
        query.folds(|n| n.sum()).run().unwrap().receipt().device().to_string()
    };
    assert_eq!(device(&session), "cpu");
    session.keep(&column, "sim").unwrap();
    let there = (0..10_000).any(|_| {
        std::thread::yield_now();
        device(&session) == "sim"
    });
    assert!(there, "it lies there");
}

#[test]
fn page_locked_input_is_priced_as_such() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    // From memory that the system may move, copies take longer than the CPU does for all of it.
    let links = || Link { pageable: Curve::flat(1e6), locked: Curve::flat(1e12) };
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, Profile { copy_in: links(), ..slow_to_start() });
    let pageable = numbers(LARGE);
    let mut locked = session.page_locked::<i64>("sim", LARGE).unwrap();
    locked.copy_from_slice(&pageable);
    let ranking = |values: &[i64]| session.from(values).map(|n| n * 3).explain().step("ranking").unwrap().to_string();
    let (moved, stays) = (ranking(&pageable), ranking(&locked));
    assert!(moved.starts_with("100000 rows\ncpu: "), "{moved}");
    assert!(stays.starts_with("100000 rows in page-locked memory\nsim: "), "{stays}");
    assert!(ranking(&locked[..LARGE - 1]).contains("page-locked"), "a part of it is locked too");
    assert!(!ranking(&locked[..1000]).contains("page-locked"), "few rows are not worth a copy of their own");
    until_compiled(&session, &locked);
    for _ in 0..3 {
        assert_eq!(session.from(&locked[..]).map(|n| n * 3).run().unwrap().receipt().device(), "sim");
    }
    selector.learn_now();
    let classes: Vec<Class> = selector.learned().kernels[0].cells.iter().map(|cell| cell.class).collect();
    assert!(classes.contains(&Class::Locked), "{classes:?}");
}

#[test]
fn exactness_comes_before_speed() {
    let options = SimOptions { exactness: Exactness::Bounded, ..SimOptions::default() };
    let (_, session, selector) = choosing(options, |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let x: Vec<f32> = (0..LARGE).map(|i| i as f32).collect();
    for _ in 0..5 {
        let answer = session.from(&x).map(|x| x * 0.1).run().unwrap();
        assert_eq!(answer.receipt().device(), "cpu");
        assert!(answer.receipt().ranking().is_none(), "there is nothing to choose from");
    }
}

#[test]
fn explain_tells_what_each_device_should_take() {
    let (_, session, selector) = choosing(SimOptions::default(), |builder| builder);
    selector.set_profile(0, slow_at_rows());
    selector.set_profile(1, slow_to_start());
    let explain = session.from(&numbers(LARGE)).map(|n| n * 3).explain();
    let features = "store: a row reads 8.0 B and writes 8.0 B, 1.0 operations (0.06 a byte) on values of 8 B";
    assert_eq!(explain.step("features").unwrap(), format!("{features}; 1 kernels, in order, without loops"));
    let ranking = explain.step("ranking").unwrap();
    assert!(ranking.starts_with("100000 rows\nsim: 1.0 ms ("), "{ranking}");
    assert!(ranking.contains("launch 1.0 ms + ") && ranking.contains("never measured at this size"), "{ranking}");
    let without = Session::builder().options(Options::default()).open().unwrap();
    assert_eq!(without.from(&[1i64]).map(|n| n * 3).prefer("cpu").explain().step("ranking"), None);
}
