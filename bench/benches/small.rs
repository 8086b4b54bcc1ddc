//! The cost of a call: prepared queries over few rows, end to end, with the receipt. `cargo bench -p pointsman-bench`.
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros write public items")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use pointsman::{F32, Param, Phase, Session, filtered};
use pointsman_bench::prices;
use std::hint::black_box;

fn prepared(criterion: &mut Criterion) {
    let session = Session::open().unwrap();
    let sum = session.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    let map = session.prepare(|x: F32, k: Param<f32>| x * k + 1.0).unwrap();
    let filter = session.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x)).unwrap();
    let scan = session.prepare(|x: F32, k: Param<f32>| (x * k).running_sum()).unwrap();
    let mut group = criterion.benchmark_group("prepared");
    for rows in [10, 1000] {
        let x = prices(rows);
        let mut out = vec![0.0; rows];
        group.bench_function(BenchmarkId::new("sum", rows), |b| b.iter(|| *sum.run(black_box(&x), 2.0).unwrap()));
        group.bench_function(BenchmarkId::new("map", rows), |b| b.iter(|| map.run(black_box(&x), 2.0).unwrap()));
        group.bench_function(BenchmarkId::new("map into a slice", rows), |b| {
            b.iter(|| *map.run_into(black_box(&x), 2.0, &mut out).unwrap());
        });
        group.bench_function(BenchmarkId::new("filter", rows), |b| b.iter(|| filter.run(black_box(&x), 50.0).unwrap()));
        group.bench_function(BenchmarkId::new("running sum", rows), |b| {
            b.iter(|| scan.run(black_box(&x), 2.0).unwrap());
        });
    }
    group.finish();
}

fn built_anew(criterion: &mut Criterion) {
    let session = Session::open().unwrap();
    let x = prices(1000);
    criterion.bench_function("from, filter, map, sum: planned anew, compiled once", |b| {
        b.iter(|| session.from(black_box(&x)).filter(|x| x.gt(10.0)).map(|x| x * 2.0).sum().unwrap());
    });
}

/// A query of 50 operations that no other number gives.
fn fifty(x: F32, number: u64) -> F32 {
    let steps = (0..50u32).map(|step| number >> (step % 32) & 1 == 1);
    steps.enumerate().fold(x, |y, (step, add)| if add { y + x } else { y * (1.0 + step as f32) })
}

/// The time from a plan to a loaded program, by the receipt; the second use of it must take none.
fn compiled(criterion: &mut Criterion) {
    let session = Session::open().unwrap();
    let x = prices(16);
    let mut number = 0;
    criterion.bench_function("compile a query of 50 operations", |b| {
        b.iter_custom(|times| {
            let mut total = std::time::Duration::ZERO;
            for _ in 0..times {
                number += 1;
                let first = session.from(&x).map(|x| fifty(x, number)).run().unwrap();
                let making = [Phase::Plan, Phase::Passes, Phase::Fuse, Phase::Compile];
                total += making.into_iter().map(|phase| first.receipt().time(phase)).sum::<std::time::Duration>();
                let second = session.from(&x).map(|x| fifty(x, number)).run().unwrap();
                assert!(second.receipt().time(Phase::Compile).is_zero(), "the second use compiles nothing");
            }
            total
        });
    });
}

criterion_group!(benches, prepared, built_anew, compiled);
criterion_main!(benches);
