//! A thousand rows through a prepared query take less than five microseconds, end to end, receipt included.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use pointsman::{F32, Param, Session, filtered};
use std::time::{Duration, Instant};

const ROWS: usize = 1000;
const CALLS: u32 = 1000;
const ATTEMPTS: usize = 50;
/// Unoptimised code is only kept from being absurd.
const LIMIT: Duration = if cfg!(debug_assertions) { Duration::from_micros(200) } else { Duration::from_micros(5) };

/// The time of one call in the quickest of several attempts: others share the machine.
fn check(what: &str, mut call: impl FnMut()) {
    let mut attempt = || {
        let start = Instant::now();
        (0..CALLS).for_each(|_| call());
        start.elapsed() / CALLS
    };
    let best = (0..ATTEMPTS).map(|_| attempt()).min().unwrap();
    println!("{what}: {best:?}");
    assert!(best < LIMIT, "{what}: {best:?} is more than {LIMIT:?}");
}

#[test]
fn a_thousand_rows_in_five_microseconds() {
    let session = Session::open().unwrap();
    let x: Vec<f32> = (0..ROWS).map(|i| i as f32).collect();
    let sum = session.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    check("sum", || assert!(*sum.run(&x, 2.0).unwrap() > 0.0));
    let map = session.prepare(|x: F32, k: Param<f32>| x * k + 1.0).unwrap();
    check("map", || assert_eq!(map.run(&x, 2.0).unwrap().len(), ROWS));
    let mut out = vec![0.0; ROWS];
    check("map into a slice", || assert_eq!(*map.run_into(&x, 2.0, &mut out).unwrap(), ROWS));
    let filter = session.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x)).unwrap();
    check("filter", || assert_eq!(filter.run(&x, 500.0).unwrap().len(), 499));
}
