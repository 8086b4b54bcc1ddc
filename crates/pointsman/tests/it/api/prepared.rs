//! Prepared queries: every kind of result, nulls, parameters, the caller's memory, many threads.

use super::{floats, session};
use arrow_array::Int32Array;
use pointsman::report::Cached;
use pointsman::{Column, ErrorKind, F32, I32, Param, Phase, count, filtered, lookup};
use std::cell::Cell;

#[test]
fn every_kind_of_result() {
    let (s, x) = (session(), [3, 1, 2]);
    let rows = s.prepare(|x: I32, k: Param<i32>| (x * k, x.gt(k))).unwrap();
    let (scaled, above) = rows.run(&x, 2).unwrap().into_value();
    assert_eq!((&scaled[..], &above[..]), (&[6, 2, 4][..], &[true, false, false][..]));
    let folds = s.prepare(|x: I32| (x.sum(), x.max(), count())).unwrap();
    assert_eq!(*folds.run(&x).unwrap(), (6, Some(3), 3));
    let running = s.prepare(|x: I32, start: Param<i32>| (x + start).running_sum()).unwrap();
    assert_eq!(running.run(&x, 10).unwrap()[..], [13, 24, 36]);
    assert_eq!(running.run(&x, 0).unwrap()[..], [3, 4, 6]);
}

#[test]
fn filters() {
    let (s, x) = (session(), [3, 1, 2]);
    let folds = s.prepare(|x: I32, low: Param<i32>| filtered(x.gt(low), (x.sum(), count()))).unwrap();
    assert_eq!(*folds.run(&x, 1).unwrap(), (5, 2));
    let rows = s.prepare(|x: I32, low: Param<i32>| filtered(x.gt(low), x * 10)).unwrap();
    assert_eq!(rows.run(&x, 1).unwrap()[..], [30, 20]);
    let running = s.prepare(|x: I32, low: Param<i32>| filtered(x.gt(low), x.running_sum())).unwrap();
    assert_eq!(running.run(&x, 1).unwrap()[..], [3, 5]);
    assert_eq!(folds.explain().step("fuse").unwrap().matches("reduce").count(), 1);
}

#[test]
fn columns_of_every_kind_with_and_without_nulls() {
    let s = session();
    let q = s.prepare(|a: I32, b: I32| a + b).unwrap();
    let (plain, nullable) = (vec![1, 2, 3], Int32Array::from(vec![Some(10), None, Some(30)]));
    let column = Column::from(vec![5, 6, 7]);
    assert_eq!(q.run(&plain, &column).unwrap()[..], [6, 8, 10]);
    let sum = q.run(&plain, &nullable).unwrap();
    assert_eq!(sum.options().collect::<Vec<_>>(), [Some(11), None, Some(33)]);
    assert_eq!(q.run(nullable.slice(2, 1), &[1]).unwrap()[..], [31]);
    assert_eq!(q.run(&[0i32; 0], &[0i32; 0]).unwrap().len(), 0);
}

#[test]
fn the_first_null_compiles_and_the_receipt_says_so() {
    let s = session();
    let q = s.prepare(|a: I32| a * 3 + 1).unwrap();
    let nulls = Int32Array::from(vec![Some(10), None]);
    assert_eq!(q.run(&[1]).unwrap().receipt().plan_cache(), Cached::Hit);
    let first = q.run(&nulls).unwrap();
    assert_eq!((first.receipt().plan_cache(), first.receipt().program_cache()), (Cached::Miss, Cached::Miss));
    assert!(!first.receipt().time(Phase::Compile).is_zero());
    let second = q.run(&nulls).unwrap();
    assert_eq!((second.receipt().plan_cache(), second.receipt().program_cache()), (Cached::Hit, Cached::Hit));
    assert!(second.receipt().time(Phase::Compile).is_zero());
}

#[test]
fn a_mistake_in_the_variant_for_nulls_is_a_mistake() {
    let leaked: Cell<Option<I32>> = Cell::new(None);
    let q = session().prepare(|x: I32| leaked.replace(Some(x)).unwrap_or(x) + 1);
    let error = q.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
    assert!(error.message().contains("a column of query "), "{error}");
}

#[test]
fn run_into_writes_to_the_callers_slice() {
    let s = session();
    let q = s.prepare(|x: F32, k: Param<f32>| x * k).unwrap();
    let (x, mut out) = (floats(5000), vec![0.0; 5000]);
    let answer = q.run_into(&x, 2.0, &mut out).unwrap();
    assert_eq!(*answer, 5000);
    assert!(x.iter().zip(&out).all(|(x, y)| x * 2.0 == *y));
    assert!(q.run_into(&x, 2.0, &mut out[..10]).unwrap_err().message().contains("room for 10"));
}

#[test]
fn captured_scalars_and_tables_stay() {
    let (s, offset) = (session(), 100);
    let table = lookup(&[7, 8, 9]);
    let q = s.prepare(|i: pointsman::U32, k: Param<i32>| table.at(i) * k + offset).unwrap();
    drop(table);
    assert_eq!(q.run(&[0u32, 2], 2).unwrap()[..], [114, 118]);
}

#[test]
fn shared_between_threads() {
    let s = session();
    let q = s.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    let x = floats(20_000);
    let expected: Vec<u32> = (0..8).map(|k| q.run(&x, k as f32).unwrap().to_bits()).collect();
    std::thread::scope(|scope| {
        for k in 0..8 {
            let (q, x, expected) = (&q, &x, &expected);
            scope.spawn(move || {
                for _ in 0..20 {
                    let answer = q.run(x, k as f32).unwrap();
                    assert_eq!(answer.to_bits(), expected[k]);
                    assert_eq!(answer.receipt().plan_cache(), Cached::Hit);
                }
            });
        }
    });
}
