//! Queries that were run before allocate nothing: neither from the system nor from the session's pool. A binary of its own,
//! since it counts every allocation of its process.
#![allow(clippy::unwrap_used)]

use pointsman::{F32, Param, Session, SessionOptions, filtered};
use pointsman_device::counting_allocator::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

/// How many rows: one block, some leaves, many morsels on all threads.
const ROWS: [usize; 4] = [10, 1_000, 100_000, 1_000_000];
const RUNS: usize = 50;
/// How often the runs are tried: a thread that helps for the first time makes its frame, and the system decides when
/// that is.
const TRIES: usize = 20;

/// Runs something until it asks neither the system nor the pool for memory, many times in a row.
fn check(session: &Session, what: &str, rows: usize, mut run: impl FnMut()) {
    let mut seen = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        // In this order: the report of the memory takes some.
        let taken = session.memory().host.allocated;
        let asked = ALLOCATOR.requests();
        (0..RUNS).for_each(|_| run());
        seen.push((ALLOCATOR.requests() - asked, session.memory().host.allocated - taken));
        if seen.last() == Some(&(0, 0)) {
            return;
        }
    }
    panic!("{what} over {rows} rows: allocations in {RUNS} runs, and the pool's, try after try: {seen:?}");
}

#[test]
fn queries_that_ran_before_allocate_nothing() {
    let session = SessionOptions::new().threads(3).open().unwrap();
    let map = session.prepare(|x: F32, k: Param<f32>| x * k + 1.0).unwrap();
    let filter = session.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x)).unwrap();
    let sum = session.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    let folds = session.prepare(|x: F32| (x.min(), x.max(), x.mean(), x.count())).unwrap();
    let running = session.prepare(|x: F32| x.running_sum()).unwrap();
    for rows in ROWS {
        let x: Vec<f32> = (0..rows).map(|row| (row % 977) as f32).collect();
        let mut out = vec![0.0; rows];
        check(&session, "map into a slice", rows, || drop(map.run_into(&x, 2.0, &mut out).unwrap()));
        check(&session, "map", rows, || drop(map.run(&x, 2.0).unwrap()));
        check(&session, "filter", rows, || drop(filter.run(&x, 400.0).unwrap()));
        check(&session, "sum", rows, || drop(sum.run(&x, 2.0).unwrap()));
        check(&session, "four folds", rows, || drop(folds.run(&x).unwrap()));
        check(&session, "running sum", rows, || drop(running.run(&x).unwrap()));
    }
    assert_eq!(session.memory().host.outstanding_bytes, 0, "every result went back");
}
