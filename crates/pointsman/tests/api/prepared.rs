//! Prepared queries: every kind of result, nulls, parameters, the caller's memory, many threads.

use crate::{floats, session};
use arrow_array::Int32Array;
use pointsman::{Cached, Column, F32, I32, Param, count, filtered, lookup};

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
    assert_eq!(sum.iter().collect::<Vec<_>>(), [Some(11), None, Some(33)]);
    assert_eq!(q.run(&nullable.slice(2, 1), &[1]).unwrap()[..], [31]);
    assert_eq!(q.run(&[0i32; 0], &[0i32; 0]).unwrap().len(), 0);
}

#[test]
fn into_the_callers_memory() {
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
