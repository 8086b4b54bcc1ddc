//! No caller is forgotten in line and no place is lost, whoever leaves when.

use crate::cancel::CancellationToken;
use crate::check;
use crate::clock::SystemClock;
use crate::gate::{Bounds, Gate, TurnedAway};
use shuttle::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Enters, waiting until the token is cancelled.
fn pass(gate: &Gate, token: &CancellationToken, inside: &AtomicUsize, limit: usize) -> Result<(), TurnedAway> {
    let (clock, until) = (&SystemClock::start(), None);
    let place = gate.try_enter().map_or_else(|| gate.enter(&Bounds { clock, until, token: Some(token) }), Ok)?;
    assert!(inside.fetch_add(1, Ordering::SeqCst) < limit, "too many at once");
    thread::yield_now();
    inside.fetch_sub(1, Ordering::SeqCst);
    drop(place);
    Ok(())
}

/// Lets threads pass a gate, some of which are cancelled meanwhile; the gate is empty and open afterwards. A caller that
/// is forgotten in line would never end, which the scheduler reports.
fn cross(concurrency: usize, queue: usize, threads: usize, cancelled: usize) -> Vec<Result<(), TurnedAway>> {
    let (gate, inside) = (Arc::new(Gate::new(concurrency, queue)), Arc::new(AtomicUsize::new(0)));
    let tokens: Vec<CancellationToken> = (0..threads).map(|_| CancellationToken::new()).collect();
    let callers = tokens.iter().cloned().map(|token| {
        let (gate, inside) = (gate.clone(), inside.clone());
        thread::spawn(move || pass(&gate, &token, &inside, concurrency))
    });
    let callers: Vec<_> = callers.collect();
    tokens[..cancelled].iter().for_each(CancellationToken::cancel);
    assert_eq!(tokens.iter().filter(|token| token.is_cancelled()).count(), cancelled);
    let results = callers.into_iter().map(|caller| caller.join().unwrap()).collect();
    assert_eq!(gate.in_line(), 0);
    let places: Vec<_> = (0..concurrency).map_while(|_| gate.try_enter()).collect();
    assert_eq!(places.len(), concurrency, "a place was lost");
    assert!(gate.try_enter().is_none(), "a place was given twice");
    results
}

#[test]
fn everyone_gets_in() {
    check(|| assert!(cross(1, 4, 4, 0).iter().all(Result::is_ok)));
    check(|| assert!(cross(2, 4, 5, 0).iter().all(Result::is_ok)));
}

#[test]
fn cancelled_callers_take_no_place_along() {
    check(|| {
        for (number, result) in cross(1, 4, 4, 2).into_iter().enumerate() {
            assert!(result.is_ok() || (number < 2 && result == Err(TurnedAway::Cancelled)), "{number}: {result:?}");
        }
    });
    check(|| assert!(cross(2, 4, 5, 3)[3..].iter().all(Result::is_ok)));
}

#[test]
fn the_line_has_its_limit() {
    check(|| {
        let full = |result: &&Result<(), TurnedAway>| **result == Err(TurnedAway::Full { queue: 1 });
        assert!(cross(1, 1, 4, 0).iter().filter(full).count() <= 2);
    });
}
