//! Compares the breaker with the reference implementation step by step on virtual time, and tests some rules directly.

use super::below;
use super::reference::{CASES, End, Reference, Seen};
use crate::resilience::breaker::{Breaker, OPEN_MIN, PROBE_TIME, Permit, WINDOW};
use crate::resilience::retry::RandomDraws;
use pointsman_device::sim::SimClock;
use std::time::Duration;

const STEPS: u32 = 50_000;

fn finish(permit: Permit<'_>, end: End) {
    match end {
        End::Success => permit.succeed(),
        End::Failure => permit.fail(),
        End::Trip => permit.trip(),
        End::Cancel => drop(permit),
    }
}

/// Takes the same random steps on both and compares; returns how often each case occurred.
fn compare(seed: u64) -> Seen {
    let (breaker, clock, mut reference) = (Breaker::new(), SimClock::new(), Reference::new());
    let (random, mut in_progress) = (RandomDraws::new(seed), Vec::new());
    for step in 0..STEPS {
        let is_bad_time = step / 400 % 2 == 1;
        match below(&random, 10) {
            0..4 => {
                let (ours, theirs) = (breaker.try_acquire(&clock), reference.try_acquire(clock.now()));
                let result = ours.as_ref().map(Permit::deadline).map_err(|open| open.until);
                assert_eq!(result, theirs.map(|(_, end)| end), "seed {seed}, step {step}, at {:?}", clock.now());
                if let (Ok(permit), Ok((number, _))) = (ours, theirs) {
                    in_progress.push((permit, number));
                }
            }
            4..8 if !in_progress.is_empty() => {
                let (permit, number) = in_progress.swap_remove(below(&random, in_progress.len() as u64) as usize);
                let end = match below(&random, 20) {
                    0 | 1 => End::Cancel,
                    2 if is_bad_time => End::Trip,
                    3..16 if is_bad_time => End::Failure,
                    3..5 => End::Failure,
                    _ => End::Success,
                };
                finish(permit, end);
                reference.end(number, end, clock.now());
            }
            _ => clock.advance(Duration::from_millis([0, 1, 10, 100, 1000, 5000, 10_000][below(&random, 7) as usize])),
        }
    }
    for (permit, number) in in_progress {
        drop(permit);
        reference.end(number, End::Cancel, clock.now());
    }
    reference.seen
}

#[test]
fn breaker_agrees_with_the_reference() {
    let mut total = Seen::default();
    for seed in 1..=8u64 {
        for (case, count) in compare(seed) {
            *total.entry(case).or_default() += count;
        }
    }
    assert!(total.len() == CASES && total.values().all(|count| *count >= 100), "a case was too rare: {total:?}");
}

/// Makes `times` calls that end with `end`.
fn call(breaker: &Breaker, clock: &SimClock, times: u32, end: End) {
    (0..times).for_each(|_| finish(breaker.try_acquire(clock).unwrap_or_else(|open| panic!("{open:?}")), end));
}

#[test]
fn opens_when_half_of_at_least_five_calls_failed() {
    let clock = SimClock::new();
    for (successes, failures, opens) in
        [(0, 4, false), (0, 5, true), (3, 2, false), (3, 3, true), (100, 9, false), (100, 10, true)]
    {
        let breaker = Breaker::new();
        call(&breaker, &clock, successes, End::Success);
        call(&breaker, &clock, failures, End::Failure);
        assert_eq!(breaker.try_acquire(&clock).is_err(), opens, "{failures} failures after {successes} successes");
    }
}

#[test]
fn cancelled_calls_do_not_count() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, 4, End::Failure);
    call(&breaker, &clock, 100, End::Cancel);
    assert!(breaker.try_acquire(&clock).is_ok());
}

#[test]
fn late_results_are_ignored() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    let early: Vec<Permit<'_>> =
        (0..30).map(|_| breaker.try_acquire(&clock).unwrap_or_else(|open| panic!("{open:?}"))).collect();
    call(&breaker, &clock, 1, End::Trip);
    clock.advance(OPEN_MIN / 2);
    early.into_iter().for_each(Permit::fail);
    assert_eq!(breaker.try_acquire(&clock).map(drop).map_err(|open| open.until), Err(OPEN_MIN), "not extended");
    clock.advance(OPEN_MIN / 2);
    let probe = breaker.try_acquire(&clock).unwrap_or_else(|open| panic!("{open:?}"));
    assert_eq!(probe.deadline(), Some(OPEN_MIN + PROBE_TIME));
    assert!(breaker.try_acquire(&clock).is_err(), "one probe at a time");
    clock.advance(PROBE_TIME);
    probe.succeed();
    let result = breaker.try_acquire(&clock).map(drop).map_err(|open| open.until);
    assert_eq!(result, Err(OPEN_MIN + PROBE_TIME + 2 * OPEN_MIN), "a probe past its deadline has failed then");
}

#[test]
fn full_window_of_successes_takes_no_lock() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, WINDOW, End::Success);
    let _held = breaker.hold_lock();
    call(&breaker, &clock, 10, End::Success);
    call(&breaker, &clock, 10, End::Cancel);
}
