//! A device that turns slow is reported within ten runs, and so is its recovery; noise and outliers are not.

use super::{floats, simulated};
use pointsman::{Answer, Session, SessionOptions};
use pointsman_device::sim::SimDevice;
use std::time::Duration;

const LAUNCH: Duration = Duration::from_millis(1);

/// Runs queries whose launches take `longer(run)` longer than usual; returns the answers.
fn run(
    device: &SimDevice,
    session: &Session,
    runs: usize,
    mut longer: impl FnMut(usize) -> Duration,
) -> Vec<Answer<f32>> {
    let x = floats(5000);
    let run_one = |run| {
        let (clock, more) = (device.clock().clone(), longer(run));
        device.on_launch(move |_| clock.advance(more));
        session.from(&x).folds(|x| x.sum()).require("sim").run().unwrap()
    };
    (0..runs).map(run_one).collect()
}

fn is_slow(session: &Session) -> bool {
    session.health().iter().any(|device| !device.slow.is_empty())
}

#[test]
fn slowdown_and_recovery_are_reported_within_ten_runs() {
    let (device, session) = simulated(1 << 20, LAUNCH, SessionOptions::new());
    assert!(run(&device, &session, 30, |_| Duration::ZERO).iter().all(|answer| answer.receipt().slowdown().is_none()));
    let slow = run(&device, &session, 10, |_| 9 * LAUNCH);
    let first = slow.iter().position(|answer| answer.receipt().slowdown().is_some()).expect("the slowdown is reported");
    assert!(first < 10 && is_slow(&session), "reported in run {first}");
    let receipt = slow[9].receipt();
    assert!(receipt.slowdown().is_some_and(|factor| (9.0..11.0).contains(&factor)), "{receipt}");
    assert!(receipt.to_string().contains("times as long as usual"), "{receipt}");
    assert!(receipt.to_json().contains("\"slowdown\":"), "{}", receipt.to_json());
    let health = session.health();
    let sim_health = health.iter().find(|one| one.device == "sim").unwrap();
    assert_eq!((sim_health.slow[0].stages.as_str(), sim_health.slow[0].rows), ("reduce", 5000));
    assert!(session.snapshot().to_string().contains("slow     sim: reduce over 5000 rows"), "{}", session.snapshot());
    assert!(session.snapshot().to_json().contains("\"usual_ns\""));
    // The report stays while the device is slow, and the usual time does not change.
    assert!(run(&device, &session, 100, |_| 9 * LAUNCH).iter().all(|answer| answer.receipt().slowdown().is_some()));
    let fast = run(&device, &session, 10, |_| Duration::ZERO);
    assert!(fast[9].receipt().slowdown().is_none() && !is_slow(&session), "the device recovered");
    assert!(!session.snapshot().to_string().contains("slow     sim"));
}

#[test]
fn noise_and_outliers_are_not_reported() {
    let (device, session) = simulated(1 << 20, LAUNCH, SessionOptions::new());
    let mut state = 1u64;
    let noisy = move |run: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // From 0.7 to 1.3 of the usual time, and every ninth run takes a hundred times as long.
        let noise = LAUNCH.mul_f64(0.86 * (state >> 33) as f64 / (1u64 << 31) as f64);
        if run % 9 == 4 { 100 * LAUNCH } else { noise }
    };
    let answers = run(&device, &session, 500, noisy);
    assert!(answers.iter().all(|answer| answer.receipt().slowdown().is_none()));
    assert!(!is_slow(&session));
}

#[test]
fn runs_of_different_sizes_are_not_compared() {
    let (device, session) = simulated(1 << 20, LAUNCH, SessionOptions::new());
    let ask = |rows: usize| session.from(&floats(rows)).folds(|x| x.sum()).require("sim").run().unwrap();
    // A launch takes a millisecond for any number of rows, so the times per row differ by a factor of 100.
    for _ in 0..5 {
        assert!((0..30).all(|_| ask(50_000).receipt().slowdown().is_none()));
        assert!((0..30).all(|_| ask(500).receipt().slowdown().is_none()));
    }
    assert!(device.launches() >= 300 && !is_slow(&session));
}
