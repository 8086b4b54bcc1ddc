//! Devices that fail in the middle of a solution: the next device continues with the same values.

use super::difference;
use pointsman::SessionOptions;
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use pointsman_numerics::ode::{Problem, Solution, Solver};
use std::sync::Arc;
use std::time::Duration;

const STEPS: usize = 2100;

/// Solves a problem on a simulated device with these failures to come. Says how many happened.
fn solve(faults: Vec<SimFault>) -> (Solution, usize) {
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let options = SessionOptions::new().threads(2).retry_backoff(Duration::ZERO).add_device(device.clone());
    let session = options.clock(Arc::new(device.clock().clone())).prefer("sim").open().unwrap();
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
}
