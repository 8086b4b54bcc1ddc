//! Compares the breaker with the reference implementation step by step on virtual time, and tests some rules directly.

use super::below;
use super::reference::{CASES, Reference, Seen};
use crate::resilience::breaker::{Breaker, OPEN_MIN, PROBE_TIME, Permit, Verdict, WINDOW};
use crate::resilience::retry::RandomDraws;
use pointsman_device::sim::SimClock;
use std::time::Duration;

const STEPS: u32 = 50_000;

/// Takes the same random steps on both and compares; returns how often each case occurred.
fn compare(seed: u64) -> Seen {
    let (breaker, clock, mut reference) = (Breaker::new(), SimClock::new(), Reference::new());
    let (random, mut in_progress) = (RandomDraws::new(seed), Vec::new());
    for step in 0..STEPS {
        let is_bad_time = step / 400 % 2 == 1;
        match below(&random, 10) {
            0..4 => {
                let (ours, theirs) = (breaker.try_acquire(&clock), reference.try_acquire(clock.now()));
                let result = ours.as_ref().map(|permit| permit.deadline).map_err(|until| *until);
                assert_eq!(result, theirs.map(|(_, end)| end), "seed {seed}, step {step}, at {:?}", clock.now());
                if let (Ok(permit), Ok((number, _))) = (ours, theirs) {
                    in_progress.push((permit, number));
                }
            }
            4..8 if !in_progress.is_empty() => {
                let (permit, number) = in_progress.swap_remove(below(&random, in_progress.len() as u64) as usize);
                let end = match below(&random, 20) {
                    0 | 1 => Verdict::Cancelled,
                    2 if is_bad_time => Verdict::Trip,
                    3..16 if is_bad_time => Verdict::Failure,
                    3..5 => Verdict::Failure,
                    _ => Verdict::Success,
                };
                finish(permit, end);
                reference.end(number, end, clock.now());
            }
            _ => clock.advance(Duration::from_millis([0, 1, 10, 100, 1000, 5000, 10_000][below(&random, 7) as usize])),
        }
    }
    for (permit, number) in in_progress {
        drop(permit);
        reference.end(number, Verdict::Cancelled, clock.now());
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

/// Ends a call. A cancelled one is dropped without a verdict, as in a session.
fn finish(permit: Permit<'_>, end: Verdict) {
    if end == Verdict::Cancelled { drop(permit) } else { permit.end(end) }
}

/// Makes `times` calls that end with `end`.
fn call(breaker: &Breaker, clock: &SimClock, times: u32, end: Verdict) {
    (0..times).for_each(|_| finish(breaker.try_acquire(clock).unwrap(), end));
}

#[test]
fn opens_when_half_of_at_least_five_calls_failed() {
    let clock = SimClock::new();
    for (successes, failures, opens) in
        [(0, 4, false), (0, 5, true), (3, 2, false), (3, 3, true), (100, 9, false), (100, 10, true)]
    {
        let breaker = Breaker::new();
        call(&breaker, &clock, successes, Verdict::Success);
        call(&breaker, &clock, failures, Verdict::Failure);
        assert_eq!(breaker.try_acquire(&clock).is_err(), opens, "{failures} failures after {successes} successes");
    }
}

#[test]
fn cancelled_calls_do_not_count() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, 4, Verdict::Failure);
    call(&breaker, &clock, 100, Verdict::Cancelled);
    assert!(breaker.try_acquire(&clock).is_ok());
}

#[test]
fn late_results_are_ignored() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    let early: Vec<Permit<'_>> = (0..30).map(|_| breaker.try_acquire(&clock).unwrap()).collect();
    call(&breaker, &clock, 1, Verdict::Trip);
    clock.advance(OPEN_MIN / 2);
    early.into_iter().for_each(|permit| permit.end(Verdict::Failure));
    assert_eq!(breaker.try_acquire(&clock).map(drop), Err(OPEN_MIN), "not extended");
    clock.advance(OPEN_MIN / 2);
    let probe = breaker.try_acquire(&clock).unwrap();
    assert_eq!(probe.deadline, Some(OPEN_MIN + PROBE_TIME));
    assert!(breaker.try_acquire(&clock).is_err(), "one probe at a time");
    clock.advance(PROBE_TIME);
    probe.end(Verdict::Success);
    let result = breaker.try_acquire(&clock).map(drop);
    assert_eq!(result, Err(OPEN_MIN + PROBE_TIME + 2 * OPEN_MIN), "a probe past its deadline has failed then");
}

#[test]
fn full_window_of_successes_takes_no_lock() {
    let (breaker, clock) = (Breaker::new(), SimClock::new());
    call(&breaker, &clock, WINDOW, Verdict::Success);
    let _held = breaker.hold_lock();
    call(&breaker, &clock, 10, Verdict::Success);
    call(&breaker, &clock, 10, Verdict::Cancelled);
}
