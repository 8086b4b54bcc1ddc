//! Queries that name no device where the least energy is chosen: who answers, what the receipt says, and what is known.
#![allow(clippy::unwrap_used)]

use pointsman::selector::{Curve, Goal, Link, Profile, Selector};
use pointsman::{DeviceKind, Policy, Session, SessionOptions};
use pointsman_device::sim::{SimClock, SimDevice, SimOptions, SimSpeed, SimWatts};
use std::sync::Arc;
use std::time::Duration;

const ROWS: usize = 100_000;

/// A simulated device whose launches take `launch`, and which draws 20 W idle and `work` watts more at work.
fn device(clock: &SimClock, name: &str, launch: Duration, work: Option<f64>) -> Arc<SimDevice> {
    let speed = SimSpeed { launch, copy: Duration::ZERO, ..SimSpeed::default() };
    let watts = work.map(|work| SimWatts { idle: 20.0, work });
    Arc::new(SimDevice::new(SimOptions {
        name: name.to_string(),
        clock: clock.clone(),
        speed,
        watts,
        ..SimOptions::default()
    }))
}

/// A device that takes `launch` nanoseconds to start, and almost nothing for rows.
fn takes(launch: f64) -> Profile {
    let fast = || Curve::flat(1e12);
    let link = || Link { pageable: fast(), locked: fast() };
    let (read, write, copy_in, copy_out) = (fast(), fast(), link(), link());
    let guess = Profile::guess(DeviceKind::Sim, 1);
    Profile { launch, read, write, copy_in, copy_out, operations: [0.0; 5], copy_start: 0.0, spread: 0.05, ..guess }
}

/// A session among the CPU, which takes a microsecond a row and was said to draw 100 W, one device that takes a millisecond
/// and one that takes four.
fn session(
    quick: Option<f64>,
    slow: Option<f64>,
    change: impl FnOnce(SessionOptions) -> SessionOptions,
) -> (Session, Selector, SimClock) {
    let clock = SimClock::new();
    let quick = device(&clock, "quick", Duration::from_millis(1), quick);
    let slow = device(&clock, "slow", Duration::from_millis(4), slow);
    let builder = SessionOptions::new()
        .devices(["cpu"])
        .threads(1)
        .add_device(quick)
        .add_device(slow)
        .clock(Arc::new(clock.clone()));
    let builder = builder.choose_among(["quick", "slow"]).policy(Policy::LeastEnergy).watts("cpu", 100.0);
    let session = change(builder).open().unwrap();
    let selector = session.selector().unwrap();
    assert_eq!((selector.goal(), selector.watts(0)), (Goal::Energy, Some(100.0)));
    for (arm, profile) in
        [Profile { operations: [1e3; 5], spread: 0.05, ..Profile::guess(DeviceKind::Cpu, 1) }, takes(1e6), takes(4e6)]
            .into_iter()
            .enumerate()
    {
        selector.set_profile(arm, profile);
    }
    (session, selector, clock)
}

fn numbers() -> Vec<i64> {
    (0..ROWS as i64).collect()
}

/// Has both devices compile the query, which they would do behind the callers' backs.
fn compile(session: &Session, numbers: &[i64]) {
    for name in ["quick", "slow"] {
        session.from(numbers).map(|n| n * 3).require(name).run().unwrap();
    }
}

fn ranking(session: &Session, numbers: &[i64]) -> String {
    session.from(numbers).map(|n| n * 3).explain().step("ranking").unwrap().to_string()
}

#[test]
fn slower_device_is_chosen_if_it_needs_less_energy() {
    let stated = |builder: SessionOptions| builder.watts("quick", 500.0).watts("slow", 50.0);
    let (session, _, _) = session(None, None, stated);
    let numbers = numbers();
    compile(&session, &numbers);
    let answer = session.from(&numbers).map(|n| n * 3).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!(receipt.device(), "slow");
    assert!(answer.iter().copied().eq(numbers.iter().map(|n| n * 3)));
    assert_eq!(receipt.why(), "chosen: it should take the least energy, as far as that is known");
    assert!(receipt.joules().is_some_and(|joules| joules > 0.0) && receipt.lost().is_none(), "{receipt:#}");
    let line = receipt.to_string();
    assert!(line.contains("J · quick would take ~1.0 ms and 501.6 mJ"), "{line}");
    let all = format!("{receipt:#}");
    assert!(all.contains("energy   ") && all.contains("ranked   slow: 200."), "{all}");
    let json = receipt.to_json();
    assert!(json.contains("\"joules\":") && !json.contains("\"joules\":null"), "{json}");
    let told = ranking(&session, &numbers);
    assert!(told.starts_with("100000 rows\nslow: 200.") && told.contains(" mJ in 4.0 ms ("), "{told}");
    assert!(told.contains("quick: 501.6 mJ in 1.0 ms (") && told.contains("cpu: 10.0 J in 0.10 s ("), "{told}");
    assert!(told.ends_with(" mJ predicted, 501.6 mJ on quick"), "{told}");
}

#[test]
fn faster_device_is_chosen_if_it_needs_less_energy() {
    let stated = |builder: SessionOptions| builder.watts("quick", 100.0).watts("slow", 50.0);
    let (session, _, _) = session(None, None, stated);
    let numbers = numbers();
    compile(&session, &numbers);
    // A fourth of the time at twice the watts is half of the energy.
    assert_eq!(session.from(&numbers).map(|n| n * 3).run().unwrap().receipt().device(), "quick");
}

#[test]
fn power_draw_of_devices_is_measured() {
    let (session, selector, clock) = session(Some(500.0), Some(50.0), |builder| builder);
    let numbers = numbers();
    compile(&session, &numbers);
    assert_eq!(selector.watts(1), None);
    let unknown = ranking(&session, &numbers);
    assert!(unknown.starts_with("100000 rows\ncpu: 10.0 J in 0.10 s ("), "{unknown}");
    let reason = "quick: not compared, as its power is unknown (it is not measured yet); 1.0 ms (";
    assert!(unknown.contains(reason), "{unknown}");
    assert!(unknown.ends_with("energy cannot be compared: the power of the other devices is unknown"), "{unknown}");
    // Another query: the CPU's run teaches how long this one takes there.
    let before = session.from(&numbers).map(|n| n + 3).run().unwrap();
    assert_eq!(before.receipt().device(), "cpu", "nothing can be compared yet");
    let start = clock.now();
    let report = session.calibrate().unwrap();
    assert!(clock.now() > start + Duration::from_secs(2), "each was idle for a second");
    assert_eq!(report.took, clock.now() - start, "that counts, too");
    let near = |arm: usize, watts: f64| selector.watts(arm).is_some_and(|found| (found / watts - 1.0).abs() < 1e-6);
    assert!(near(1, 500.0) && near(2, 50.0), "{:?} {:?}", selector.watts(1), selector.watts(2));
    assert!(report.devices[0].watts.is_none(), "it was stated");
    let text = report.to_string();
    assert!(text.contains("quick draws 500.0 W at work") && text.contains("slow draws 50.0 W at work"), "{text}");
    let after = session.from(&numbers).map(|n| n * 3).run().unwrap();
    assert_eq!(after.receipt().device(), "slow", "{}", ranking(&session, &numbers));
}

#[test]
fn a_device_that_does_not_tell_takes_no_part_and_says_why() {
    let (session, selector, _) = session(None, Some(50.0), |builder| builder);
    let numbers = numbers();
    compile(&session, &numbers);
    let before = ranking(&session, &numbers);
    let unasked = "quick: not compared, as its power is unknown (it is not measured yet); ";
    assert!(before.contains(unasked), "a ranking asks no driver: {before}");
    let report = session.calibrate().unwrap().to_string();
    assert!(
        report.contains("quick draws an unknown power: ") && report.contains("was not told what it draws"),
        "{report}"
    );
    assert_eq!(selector.watts(1), None);
    let told = ranking(&session, &numbers);
    assert!(told.starts_with("100000 rows\nslow: "), "{told}");
    let reason = "quick: not compared, as its power is unknown (it was not told what it draws); ";
    assert!(told.contains(reason) && told.ends_with(" J on cpu"), "{told}");
    for _ in 0..10 {
        assert_eq!(session.from(&numbers).map(|n| n * 3).run().unwrap().receipt().device(), "slow");
        selector.learn_now();
    }
}

#[test]
fn energy_is_learned_from_runs_and_changes_the_choice() {
    // It takes 40 ms, whatever its profile says.
    let clock = SimClock::new();
    let slow = device(&clock, "slow", Duration::from_millis(40), None);
    let quick = device(&clock, "quick", Duration::from_millis(1), None);
    let builder =
        SessionOptions::new().devices(["cpu"]).threads(1).add_device(quick).add_device(slow).clock(Arc::new(clock));
    let builder = builder.choose_among(["quick", "slow"]).policy(Policy::LeastEnergy);
    let session = builder.watts("cpu", 100.0).watts("quick", 500.0).watts("slow", 50.0).open().unwrap();
    let selector = session.selector().unwrap();
    let cpu = Profile { operations: [1e5; 5], spread: 0.05, ..Profile::guess(DeviceKind::Cpu, 1) };
    [cpu, takes(1e6), takes(4e6)].into_iter().enumerate().for_each(|(arm, profile)| selector.set_profile(arm, profile));
    let numbers = numbers();
    compile(&session, &numbers);
    let device = || session.from(&numbers).map(|n| n * 3).run().unwrap().receipt().device().to_string();
    assert_eq!(device(), "slow", "0.2 J instead of 0.5 J, as far as is known");
    let answered: Vec<String> = (0..20)
        .map(|_| {
            selector.learn_now();
            device()
        })
        .collect();
    assert_eq!(answered.last().map(String::as_str), Some("quick"), "2 J instead of 0.5 J: {answered:?}");
    let ledger = selector.ledger();
    assert!(ledger.calls >= 10 && ledger.arms[2].1 > 3e7, "times stay times: {ledger:?}");
}
