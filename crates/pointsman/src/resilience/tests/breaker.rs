//! The breaker against the reference, step by step on virtual time, and a few of its rules one by one.

use super::Noise;
use super::reference::{End, Reference, Seen};
use crate::resilience::breaker::{Breaker, OPEN_MIN, PROBE_TIME, Permit, WINDOW};
use pointsman_device::sim::SimClock;
use std::time::Duration;

const STEPS: u32 = 50_000;

fn finish(permit: Permit<'_>, end: End) {
    match end {
        End::Success => permit.succeed(),
        End::Failure => permit.fail(),
        End::Disaster => permit.trip(),
        End::Cancel => drop(permit),
    }
}

/// Random steps of both; what happened on the way.
fn compare(seed: u64) -> Seen {
    let (breaker, clock, mut reference) = (Breaker::new(), SimClock::new(), Reference::new());
    let (mut noise, mut under_way) = (Noise(seed), Vec::new());
    for step in 0..STEPS {
        let is_bad_time = step / 400 % 2 == 1;
        match noise.below(10) {
            0..4 => {
                let (ours, theirs) = (breaker.admit(&clock), reference.admit(clock.now()));
                let told = ours.as_ref().map(Permit::deadline).map_err(|shut| shut.until);
                assert_eq!(told, theirs.map(|(_, end)| end), "seed {seed}, step {step}, at {:?}", clock.now());
                if let (Ok(permit), Ok((number, _))) = (ours, theirs) {
                    under_way.push((permit, number));
                }
            }
            4..8 if !under_way.is_empty() => {
                let (permit, number) = under_way.swap_remove(noise.below(under_way.len() as u64) as usize);
                let end = match noise.below(20) {
                    0 | 1 => End::Cancel,
                    2 if is_bad_time => End::Disaster,
                    3..16 if is_bad_time => End::Failure,
                    3..5 => End::Failure,
                    _ => End::Success,
                };
                finish(permit, end);
                reference.end(number, end, clock.now());
            }
            _ => clock.advance(Duration::from_millis([0, 1, 10, 100, 1000, 5000, 10_000][noise.below(7) as usize])),
        }
    }
    for (permit, number) in under_way {
        drop(permit);
        reference.end(number, End::Cancel, clock.now());
    }
    reference.seen
}

#[test]
fn it_does_what_the_reference_does() {
    let mut total = Seen::default();
    for seed in 1..=8u64 {
        let seen = compare(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        total.opened += seen.opened;
        total.opened_for_a_minute += seen.opened_for_a_minute;
        total.probes += seen.probes;
        total.probes_out_of_time += seen.probes_out_of_time;
        total.probes_cancelled += seen.probes_cancelled;
        total.closed += seen.closed;
        total.late += seen.late;
        total.refused += seen.refused;
    }
    let Seen { opened, opened_for_a_minute, probes, probes_out_of_time, probes_cancelled, closed, late, refused } =
        total;
    let counts = [opened, opened_for_a_minute, probes, probes_out_of_time, probes_cancelled, closed, late, refused];
    assert!(counts.iter().all(|count| *count >= 100), "every case was met often: {total:?}");
}

/// So many calls that end so.
fn call(breaker: &Breaker, clock: &SimClock, times: u32, end: End) {
    (0..times).for_each(|_| finish(breaker.admit(clock).unwrap_or_else(|shut| panic!("{shut:?}")), end));
}

#[test]
fn half_of_at_least_five_calls_open_it() {
    let clock = SimClock::new();
    for (successes, failures, opens) in
        [(0, 4, false), (0, 5, true), (3, 2, false), (3, 3, true), (100, 9, false), (100, 10, true)]
    {
        let breaker = Breaker::new();
        call(&breaker, &clock, successes, End::Success);
        call(&breaker, &clock, failures, End::Failure);
        assert_eq!(breaker.admit(&clock).is_err(), opens, "{failures} failures after {successes} successes");
    }
}

#[test]
fn cancelled_calls_count_for_nothing() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, 4, End::Failure);
    call(&breaker, &clock, 100, End::Cancel);
    assert!(breaker.admit(&clock).is_ok());
}

#[test]
fn a_late_result_changes_nothing() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    let early: Vec<Permit<'_>> =
        (0..30).map(|_| breaker.admit(&clock).unwrap_or_else(|shut| panic!("{shut:?}"))).collect();
    call(&breaker, &clock, 1, End::Disaster);
    clock.advance(OPEN_MIN / 2);
    early.into_iter().for_each(Permit::fail);
    assert_eq!(breaker.admit(&clock).map(drop).map_err(|shut| shut.until), Err(OPEN_MIN), "not extended");
    clock.advance(OPEN_MIN / 2);
    let probe = breaker.admit(&clock).unwrap_or_else(|shut| panic!("{shut:?}"));
    assert_eq!(probe.deadline(), Some(OPEN_MIN + PROBE_TIME));
    assert!(breaker.admit(&clock).is_err(), "one probe at a time");
    clock.advance(PROBE_TIME);
    probe.succeed();
    let shut = breaker.admit(&clock).map(drop).map_err(|shut| shut.until);
    assert_eq!(shut, Err(OPEN_MIN + PROBE_TIME + 2 * OPEN_MIN), "a probe past its deadline has failed then");
}

#[test]
fn after_a_full_window_of_successes_nothing_is_locked() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, WINDOW, End::Success);
    let _held = breaker.hold_lock();
    call(&breaker, &clock, 10, End::Success);
    call(&breaker, &clock, 10, End::Cancel);
}
