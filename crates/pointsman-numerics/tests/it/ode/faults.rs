//! Devices that fail in the middle of a solution: the next device continues with the same values.

use super::difference;
use pointsman::{FailureClass, Receipt, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use pointsman_numerics::Array;
use pointsman_numerics::ode::{Ensemble, Problem, Solution, Solver};
use std::sync::Arc;
use std::time::Duration;

const STEPS: usize = 2100;

/// A session that prefers a simulated device with these failures to come.
fn simulated(faults: Vec<SimFault>) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let options = SessionOptions::new().threads(2).retry_backoff(Duration::ZERO).add_device(device.clone());
    let session = options.clock(Arc::new(device.clock().clone())).prefer("sim").open().unwrap();
    (device, session)
}

/// Solves a problem on such a session. Says how many failures happened.
fn solve(faults: Vec<SimFault>) -> (Solution, usize) {
    let (device, session) = simulated(faults);
    let problem = Problem::new(&[0.6], &[1.0], |t, y, rate| rate[0] = t.sin() - y[0]);
    let solution = Solver::pece(1).uniform(&session, &problem, 0.0..10.0, STEPS).unwrap();
    (solution, device.fired().len())
}

#[test]
fn a_device_that_fails_at_any_launch_changes_nothing() {
    let (expected, _) = solve(Vec::new());
    assert_eq!(expected.receipt().unwrap().device(), "sim");
    for launch in 0..3 {
        for fault in
            [SimFault::Lost { launch }, SimFault::Transient { launch }, SimFault::OutOfMemory { allocation: launch }]
        {
            let text = format!("{fault:?}");
            let (solution, fired) = solve(vec![fault]);
            let worst = difference(solution.states(), expected.states());
            assert!(fired == 1 && worst < 1e-12, "{text}: {fired} fired, {worst:e}");
        }
    }
    let (solution, _) = solve(vec![SimFault::Lost { launch: 1 }]);
    assert_eq!(solution.receipt().unwrap().device(), "cpu");
    // Later queries are refused, as the device stays closed.
    let mut classes = solution.failures().iter().flat_map(Receipt::attempts).map(|attempt| attempt.class);
    assert_eq!(classes.next(), Some(FailureClass::Lost));
    assert!(expected.failures().is_empty());
}

/// Solves an ensemble on such a session. Says how many failures happened.
fn solve_ensemble(faults: Vec<SimFault>) -> (Vec<f64>, usize) {
    let (device, session) = simulated(faults);
    let initial = Array::from_vec(&session, vec![1.0, 2.0, 3.0], &[3, 1]).unwrap();
    let rates = Array::from_vec(&session, vec![0.5, 1.0, 2.0], &[3, 1]).unwrap();
    let solution = Ensemble::new([0.6]).solve(&initial, &rates, 0.0..2.0, 40, |t, [y], [k]| [t - k * y]).unwrap();
    (solution.component(0).unwrap().to_vec().unwrap(), device.fired().len())
}

#[test]
fn an_ensemble_continues_on_the_next_device() {
    let (expected, _) = solve_ensemble(Vec::new());
    for launch in [0, 1, 2, 5, 9, 14, 20] {
        for fault in [SimFault::Lost { launch }, SimFault::OutOfMemory { allocation: launch }] {
            let text = format!("{fault:?}");
            let (states, fired) = solve_ensemble(vec![fault]);
            let worst = difference(&states, &expected);
            assert!(fired == 1 && worst < 1e-13, "{text}: {fired} fired, {worst:e}");
        }
    }
}
