//! The suite finds every planted bug, and finds nothing in a device without one.

use pointsman_device::Device;
use pointsman_device::conformance::checks::{
    launches_that_do_not_fit, merged_partials, random_kernels, resumed_launches,
};
use pointsman_device::conformance::differential::{
    compare, compare_case, compare_case_on_all, compare_slices, profile,
};
use pointsman_device::conformance::edges::edges;
use pointsman_device::conformance::planted::{Bug, Planted};
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_ir::random::case;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of random kernels within which a bug must show: a fifth of the suite.
const KERNELS: u64 = 2_000;

/// The number of random kernels that are tried before the checks: most bugs show in the first few.
const FIRST_KERNELS: u64 = 20;

/// The suite's finding about a device. A kernel that differs is not minimised, which takes as long as many comparisons.
fn finds(device: &dyn Device) -> Option<String> {
    let profile = profile(device);
    let differs = |seed| compare_case(device, &case(seed, &profile)).err();
    let panics = |check: fn(&dyn Device)| catch_unwind(AssertUnwindSafe(|| check(device))).is_err();
    (0..FIRST_KERNELS)
        .find_map(differs)
        .or_else(|| panics(launches_that_do_not_fit).then(|| "an invalid launch is accepted".to_string()))
        .or_else(|| panics(edges).then(|| "an edge differs".to_string()))
        .or_else(|| (FIRST_KERNELS..KERNELS).find_map(differs))
        .or_else(|| {
            let resumes = catch_unwind(AssertUnwindSafe(|| resumed_launches(&[device])));
            resumes.is_err().then(|| "a launch that goes on differs".to_string())
        })
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

#[test]
fn a_difference_is_shown_by_a_small_kernel() {
    let device = Planted::new(CpuDevice::new(CpuOptions::default()), Bug::SubtractionReversed);
    let difference = compare(&device, &profile(&device), 0..KERNELS, |_| {}).expect_err("the bug is found");
    let calls = difference.shown.lines().filter(|line| line.starts_with("  v") && line.contains(" sub ")).count();
    assert_eq!(calls, 1, "{difference}");
    assert!(difference.shown.lines().count() < 20, "{difference}");
}

#[test]
fn a_bug_in_any_variant_is_found() {
    let right = CpuDevice::new(CpuOptions::default());
    let wrong = Planted::new(CpuDevice::new(CpuOptions::default()), Bug::SubtractionReversed);
    let devices: [&dyn Device; 3] = [&right, &wrong, &right];
    for check in [random_kernels, merged_partials] {
        let panic = catch_unwind(AssertUnwindSafe(|| check(&devices))).expect_err("the bug is found");
        let message = panic.downcast_ref::<String>().expect("a message");
        assert!(message.contains(": device 1 ("), "{message}");
    }
    let profile = profile(&right);
    for compare in [|devices: &[_], case: &_| compare_case_on_all(devices, case).map(drop), compare_slices] {
        let found = (0..KERNELS).find_map(|seed| compare(&devices, &case(seed, &profile)).err());
        let message = found.expect("the bug is found");
        assert!(message.starts_with("device 1 ("), "{message}");
    }
}
