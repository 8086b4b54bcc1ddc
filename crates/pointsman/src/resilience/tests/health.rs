//! How the result of a query counts for the breakers of its kernels.

use crate::resilience::breaker::{CALLS_MIN, OPEN_MIN};
use crate::resilience::health::{Health, Kernels};
use pointsman_device::sim::SimClock;
use pointsman_ir::kernel::{Kernel, parse};

fn kernel(number: i64) -> Kernel {
    let text =
        format!("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = const {number}\nsink store v0, v1\n");
    parse::parse(&text).unwrap()
}

/// Fails a query with these kernels on a device that has not failed before.
fn fail(kernels: &Kernels, stage: Option<usize>, clock: &SimClock) {
    Health::new().acquire_permits("sim", kernels, clock).unwrap().fail(stage);
}

fn is_open(kernels: &Kernels, clock: &SimClock) -> bool {
    Health::new().check_breakers("sim", kernels, clock).is_err()
}

#[test]
fn failure_outside_of_all_stages_counts_for_no_kernel() {
    let (clock, health) = (SimClock::new(), Health::new());
    let kernels = health.kernels([&kernel(1), &kernel(2)]);
    (1..CALLS_MIN).for_each(|_| fail(&kernels, Some(0), &clock));
    (0..2 * CALLS_MIN).for_each(|_| fail(&kernels, None, &clock));
    assert!(!is_open(&kernels, &clock));
    fail(&kernels, Some(0), &clock);
    assert!(is_open(&kernels, &clock), "every counted call failed");
}

#[test]
fn stages_before_a_failed_stage_count_as_successes() {
    let (clock, health) = (SimClock::new(), Health::new());
    let [first, second, third] = [1, 2, 3].map(|number| health.kernels([&kernel(number)]));
    let all = health.kernels([&kernel(1), &kernel(2), &kernel(3)]);
    (1..CALLS_MIN).for_each(|_| fail(&all, Some(1), &clock));
    for kernels in [&first, &third] {
        (1..CALLS_MIN).for_each(|_| fail(kernels, Some(0), &clock));
    }
    let open = || [&first, &second, &third].map(|kernel| is_open(kernel, &clock));
    assert_eq!(open(), [true, false, false], "4 of 8 calls failed, 4 of 4, and 4 of 4");
    [&second, &third].into_iter().for_each(|kernels| fail(kernels, Some(0), &clock));
    assert_eq!(open(), [true; 3]);
}

#[test]
fn kernel_of_two_stages_needs_one_permit() {
    let (clock, health) = (SimClock::new(), Health::new());
    let twice = health.kernels([&kernel(1), &kernel(2), &kernel(1)]);
    (0..CALLS_MIN).for_each(|_| fail(&twice, Some(2), &clock));
    assert!(is_open(&twice, &clock), "a failure in the kernel's second stage counts");
    clock.advance(OPEN_MIN);
    let (device, clock_again) = (Health::new(), clock.clone());
    let probe = device.acquire_permits("sim", &twice, &clock_again).unwrap();
    assert!(is_open(&twice, &clock), "one probe at a time");
    probe.succeed();
    assert!(!is_open(&twice, &clock));
}
