//! No caller is forgotten in line and no place is lost, whoever leaves when.

use crate::cancel::CancellationToken;
use crate::check;
use crate::clock::SystemClock;
use crate::gate::{Gate, WaitError, WaitLimit};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many a gate lets in, and how many wait.
#[derive(Clone, Copy)]
struct Limits {
    concurrency: usize,
    queue: usize,
}

/// Enters, waiting until the token is cancelled.
fn pass(gate: &Gate, token: &CancellationToken, inside: &AtomicUsize, limits: Limits) -> Result<(), WaitError> {
    let (clock, until) = (&SystemClock::start(), None);
    let place = gate.try_enter().map_or_else(|| gate.enter(&WaitLimit { clock, until, token: Some(token) }), Ok)?;
    assert!(inside.fetch_add(1, Ordering::SeqCst) < limits.concurrency, "too many at once");
    assert!(gate.in_line() <= limits.queue, "too many in line");
    thread::yield_now();
    inside.fetch_sub(1, Ordering::SeqCst);
    drop(place);
    Ok(())
}

/// Lets threads pass a gate, some of which are cancelled meanwhile; the gate is empty and open afterwards. A caller that
/// is forgotten in line would never end, which the scheduler reports.
fn cross(limits: Limits, threads: usize, cancelled: usize) -> Vec<Result<(), WaitError>> {
    let Limits { concurrency, queue } = limits;
    let (gate, inside) = (Arc::new(Gate::new(concurrency, queue)), Arc::new(AtomicUsize::new(0)));
    let tokens: Vec<CancellationToken> = (0..threads).map(|_| CancellationToken::new()).collect();
    let callers = tokens.iter().cloned().map(|token| {
        let (gate, inside) = (gate.clone(), inside.clone());
        thread::spawn(move || pass(&gate, &token, &inside, limits))
    });
    let callers: Vec<_> = callers.collect();
    tokens[..cancelled].iter().for_each(CancellationToken::cancel);
    assert_eq!(tokens.iter().filter(|token| token.is_cancelled()).count(), cancelled);
    let results = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
    assert_eq!(gate.in_line(), 0);
    let places: Vec<_> = (0..concurrency).map_while(|_| gate.try_enter()).collect();
    assert_eq!(places.len(), concurrency, "a place was lost");
    assert!(gate.try_enter().is_none(), "a place was given twice");
    assert_eq!(gate.runs_ahead(), 1.0 / concurrency as f64);
    results
}

#[test]
fn everyone_gets_in() {
    check(|| assert!(cross(Limits { concurrency: 1, queue: 4 }, 4, 0).iter().all(Result::is_ok)));
    check(|| assert!(cross(Limits { concurrency: 2, queue: 4 }, 5, 0).iter().all(Result::is_ok)));
}

#[test]
fn cancelled_callers_take_no_place_along() {
    check(|| {
        for (number, result) in cross(Limits { concurrency: 1, queue: 4 }, 4, 2).into_iter().enumerate() {
            assert!(result.is_ok() || (number < 2 && result == Err(WaitError::Cancelled)), "{number}: {result:?}");
        }
    });
    check(|| assert!(cross(Limits { concurrency: 2, queue: 4 }, 5, 3)[3..].iter().all(Result::is_ok)));
}

#[test]
fn the_line_has_its_limit() {
    check(|| {
        let full = |result: &&Result<(), WaitError>| **result == Err(WaitError::Full { queue: 1 });
        assert!(cross(Limits { concurrency: 1, queue: 1 }, 4, 0).iter().filter(full).count() <= 2);
    });
}

/// Callers who want to be alone among others: all get in, and who is alone is.
#[test]
fn those_who_are_alone_are_alone() {
    check(|| {
        let (gate, inside) = (Arc::new(Gate::new(2, 5)), Arc::new(AtomicUsize::new(0)));
        let callers = (0..4).map(|number| {
            let (gate, inside) = (gate.clone(), inside.clone());
            thread::spawn(move || {
                let clock = &SystemClock::start();
                let bounds = WaitLimit { clock, until: None, token: None };
                let is_alone = number % 2 == 0;
                let place = if is_alone { gate.enter_alone(&bounds) } else { gate.enter(&bounds) }.unwrap();
                let others = inside.fetch_add(1, Ordering::SeqCst);
                assert!(others < if is_alone { 1 } else { 2 } && !(is_alone && gate.try_enter().is_some()));
                thread::yield_now();
                assert!(!is_alone || inside.load(Ordering::SeqCst) == 1);
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(place);
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        let last = gate.try_enter().unwrap();
        assert!(gate.in_line() == 0 && !last.is_shared());
    });
}
