//! Gate: under every schedule no queued caller is forgotten and no permit is lost, whichever callers give up.

use crate::cancel::CancellationToken;
use crate::check;
use crate::clock::SystemClock;
use crate::gate::{Gate, WaitError, WaitLimit};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The limits of a gate.
#[derive(Clone, Copy)]
struct Limits {
    concurrency: usize,
    queue: usize,
}

/// Enters and leaves the gate, waiting until the token is cancelled.
fn enter_and_leave(
    gate: &Gate,
    token: &CancellationToken,
    inside: &AtomicUsize,
    limits: Limits,
) -> Result<(), WaitError> {
    let (clock, until) = (&SystemClock::start(), None);
    let permit = gate.try_enter().map_or_else(|| gate.enter(&WaitLimit { clock, until, token: Some(token) }), Ok)?;
    assert!(inside.fetch_add(1, Ordering::SeqCst) < limits.concurrency, "too many at once");
    assert!(gate.queued() <= limits.queue, "too many queued");
    thread::yield_now();
    inside.fetch_sub(1, Ordering::SeqCst);
    drop(permit);
    Ok(())
}

/// Lets threads enter and leave a gate while the first `cancelled` of them are cancelled, and checks that the gate is
/// empty afterwards. A forgotten caller would wait forever, which the scheduler reports as a deadlock.
fn run_callers(limits: Limits, threads: usize, cancelled: usize) -> Vec<Result<(), WaitError>> {
    let Limits { concurrency, queue } = limits;
    let (gate, inside) = (Arc::new(Gate::new(concurrency, queue)), Arc::new(AtomicUsize::new(0)));
    let tokens: Vec<CancellationToken> = (0..threads).map(|_| CancellationToken::new()).collect();
    let callers = tokens.iter().cloned().map(|token| {
        let (gate, inside) = (gate.clone(), inside.clone());
        thread::spawn(move || enter_and_leave(&gate, &token, &inside, limits))
    });
    let callers: Vec<_> = callers.collect();
    tokens[..cancelled].iter().for_each(CancellationToken::cancel);
    assert_eq!(tokens.iter().filter(|token| token.is_cancelled()).count(), cancelled);
    let results = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
    assert_eq!(gate.queued(), 0);
    assert!(!gate.is_occupied());
    let permits: Vec<_> = (0..concurrency).map_while(|_| gate.try_enter()).collect();
    assert_eq!(permits.len(), concurrency, "a permit was lost");
    assert!(gate.try_enter().is_none(), "a permit was given twice");
    results
}

#[test]
fn every_caller_enters() {
    check(|| assert!(run_callers(Limits { concurrency: 1, queue: 4 }, 4, 0).iter().all(Result::is_ok)));
    check(|| assert!(run_callers(Limits { concurrency: 2, queue: 4 }, 5, 0).iter().all(Result::is_ok)));
}

#[test]
fn cancelled_callers_lose_no_permit() {
    check(|| {
        for (number, result) in run_callers(Limits { concurrency: 1, queue: 4 }, 4, 2).into_iter().enumerate() {
            assert!(result.is_ok() || (number < 2 && result == Err(WaitError::Cancelled)), "{number}: {result:?}");
        }
    });
    check(|| assert!(run_callers(Limits { concurrency: 2, queue: 4 }, 5, 3)[3..].iter().all(Result::is_ok)));
}

#[test]
fn queue_limit_holds() {
    check(|| {
        let full = |result: &&Result<(), WaitError>| **result == Err(WaitError::Full { queue: 1 });
        assert!(run_callers(Limits { concurrency: 1, queue: 1 }, 4, 0).iter().filter(full).count() <= 2);
    });
}

#[test]
fn exclusive_entry_admits_no_second_caller() {
    check(|| {
        let (gate, inside) = (Arc::new(Gate::new(2, 5)), Arc::new(AtomicUsize::new(0)));
        let callers = (0..4).map(|number| {
            let (gate, inside) = (gate.clone(), inside.clone());
            thread::spawn(move || {
                let clock = &SystemClock::start();
                let bounds = WaitLimit { clock, until: None, token: None };
                let is_exclusive = number % 2 == 0;
                let permit = if is_exclusive { gate.enter_exclusive(&bounds) } else { gate.enter(&bounds) }.unwrap();
                let others = inside.fetch_add(1, Ordering::SeqCst);
                assert!(others < if is_exclusive { 1 } else { 2 } && !(is_exclusive && gate.try_enter().is_some()));
                thread::yield_now();
                assert!(!is_exclusive || inside.load(Ordering::SeqCst) == 1);
                inside.fetch_sub(1, Ordering::SeqCst);
                drop(permit);
            })
        });
        callers.collect::<Vec<_>>().into_iter().for_each(|caller| caller.join().unwrap());
        let last = gate.try_enter().unwrap();
        assert!(gate.queued() == 0 && !last.is_contended());
    });
}
