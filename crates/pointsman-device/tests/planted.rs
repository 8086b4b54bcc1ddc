//! The suite finds every planted bug, and finds nothing in a device without one.

use pointsman_device::conformance::differential::{compare, profile};
use pointsman_device::conformance::planted::{Bug, Planted};
use pointsman_device::cpu::{CpuDevice, CpuOptions};

/// A bug must show within this many random kernels: a fifth of what the suite runs.
const KERNELS: u64 = 2_000;

#[test]
fn every_planted_bug_is_found() {
    let sound = CpuDevice::new(CpuOptions::default());
    compare(&sound, &profile(&sound), 0..KERNELS, |_| {}).unwrap_or_else(|difference| panic!("{difference}"));
    let mut missed = Vec::new();
    for &bug in Bug::ALL {
        let device = Planted { device: CpuDevice::new(CpuOptions::default()), bug };
        if compare(&device, &profile(&device), 0..KERNELS, |_| {}).is_ok() {
            missed.push(bug);
        }
    }
    assert!(Bug::ALL.len() >= 20, "{} bugs are planted", Bug::ALL.len());
    assert!(missed.is_empty(), "not found: {missed:?}");
}
