//! The suite finds every planted bug, and finds nothing in a device without one.

use pointsman_device::Device;
use pointsman_device::conformance::checks::launches_that_do_not_fit;
use pointsman_device::conformance::differential::{compare, profile};
use pointsman_device::conformance::edges::edges;
use pointsman_device::conformance::planted::{Bug, Planted};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of random kernels within which a bug must show: a fifth of the suite.
const KERNELS: u64 = 2_000;

/// The suite's finding about a device.
fn finds(device: &dyn Device) -> Option<String> {
    for check in [edges, launches_that_do_not_fit] {
        if catch_unwind(AssertUnwindSafe(|| check(device))).is_err() {
            return Some("a check panics".to_string());
        }
    }
    compare(device, &profile(device), 0..KERNELS, |_| {}).err().map(|difference| difference.to_string())
}

#[test]
fn every_planted_bug_is_found() {
    let device = |bug| Planted::new(CpuDevice::new(CpuOptions::default()), bug);
    assert_eq!(finds(&CpuDevice::new(CpuOptions::default())), None);
    assert_eq!(finds(&device(Bug::Nothing)), None, "the planting itself shows");
    let missed: Vec<Bug> = Bug::ALL.iter().copied().filter(|&bug| finds(&device(bug)).is_none()).collect();
    assert!(Bug::ALL.len() >= 20, "{} bugs are planted", Bug::ALL.len());
    assert!(missed.is_empty(), "not found: {missed:?}");
}
