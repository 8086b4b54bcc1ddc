//! The queries that the documentation shows.

use super::{floats, session};
use pointsman::{Expr, F32, Param, U32, count, iterate, lit, lookup, repeat, select};

#[test]
fn filter_map_sum_with_captured_scalars() {
    let (s, k) = (session(), 1.5f32);
    let p = [5.0f32, 12.0, 20.0];
    assert_eq!(s.from(&p).filter(|p| p.gt(10.0)).map(|p| 2.0 * p * k).sum().unwrap(), 96.0);
    let sum = s.from(&p).filter(|p| p.gt(10.0)).map(|p| 2.0 * p.ln() * k).sum().unwrap();
    assert!((sum - 3.0 * (12f32.ln() + 20f32.ln())).abs() < 1e-5, "{sum}");
}

#[test]
fn several_folds_in_one_pass() {
    let x = [3i32, -1, 7, 2];
    let (low, high, mean, n) = session().from(&x).reduce(|x| (x.min(), x.max(), x.mean(), count())).unwrap();
    assert_eq!((low, high, mean, n), (Some(-1), Some(7), Some(2.75), 4));
    let nothing: [i32; 0] = [];
    let folds = session().from(&nothing).reduce(|x| (x.min(), x.max(), x.mean(), x.sum(), x.count())).unwrap();
    assert_eq!(folds, (None, None, None, 0, 0));
}

#[test]
fn mandelbrot() {
    let (w, h) = (48u64, 32u64);
    let steps = session()
        .from(0..w * h)
        .map(|i| {
            let re = (i % w).cast::<f32>() * (3.0 / w as f32) - 2.0;
            let im = (i / w).cast::<f32>() * (2.0 / h as f32) - 1.0;
            iterate(
                200,
                (0f32, 0f32, 0u32),
                |(a, b, _)| (a * a + b * b).le(4.0),
                |(a, b, n)| (a * a - b * b + re, 2.0 * a * b + im, n + 1),
            )
            .2
        })
        .run()
        .unwrap();
    let plain = |i: u64| {
        let (re, im) = ((i % w) as f32 * (3.0 / w as f32) - 2.0, (i / w) as f32 * (2.0 / h as f32) - 1.0);
        let (mut a, mut b, mut n) = (0f32, 0f32, 0u32);
        while n < 200 && a * a + b * b <= 4.0 {
            (a, b, n) = (a * a - b * b + re, 2.0 * a * b + im, n + 1);
        }
        n
    };
    assert_eq!(steps.to_vec(), (0..w * h).map(plain).collect::<Vec<_>>());
}

#[test]
fn filtered_prefix_sum() {
    let x = [1i64, -5, 2, 3, -1, 4];
    let sums = session().from(&x).filter(|x| x.gt(0)).scan(|x| x.running_sum()).run().unwrap();
    assert_eq!(sums[..], [1, 3, 6, 10]);
}

#[test]
fn scan_keeps_columns_in_any_order() {
    let x = [3u32, 1, 2];
    let s = session();
    let (kept, sum) = s.from(&x).scan(|x| (x.kept(), x.running_sum())).collect().unwrap();
    assert_eq!((&kept[..], &sum[..]), (&[3, 1, 2][..], &[3, 4, 6][..]));
    let (low, kept, n) = s.from(&x).scan(|x| (x.running_min(), x.kept(), x.running_count())).collect().unwrap();
    assert_eq!((&low[..], &kept[..], &n[..]), (&[3, 1, 1][..], &[3, 1, 2][..], &[1, 2, 3][..]));
    let both = s.from(&x).scan(|x| (x.kept(), x.running_max())).filter(|(x, _)| x.lt(3)).map(|(x, m)| x + m);
    assert_eq!(both.to_vec().unwrap(), [4, 5]);
}

#[test]
fn k_means_assignment() {
    let (x, y, z) = (floats(500), floats(501)[1..].to_vec(), floats(502)[2..].to_vec());
    let centres: Vec<f32> = floats(3 * 16);
    let table = lookup(&centres);
    let best = session()
        .from([&x[..], &y, &z])
        .map(|p| {
            let start = (lit(f32::INFINITY), lit(0u32));
            repeat(16, start, |k, (least, best)| {
                let squared = |j: u32| -> F32 {
                    let distance = p[j as usize] - table.at(k * 3 + j);
                    distance * distance
                };
                let distance: F32 = (0..3).map(squared).sum();
                (distance.least(least), select(distance.lt(least), k, best))
            })
            .1
        })
        .run()
        .unwrap();
    let plain = |i: usize| {
        let (mut least, mut best) = (f32::INFINITY, 0u32);
        for k in 0..16 {
            let part = |j: usize, v: f32| (v - centres[k * 3 + j]) * (v - centres[k * 3 + j]);
            let distance = part(0, x[i]) + part(1, y[i]) + part(2, z[i]);
            if distance < least {
                (least, best) = (distance, k as u32);
            }
        }
        best
    };
    assert_eq!(best.to_vec(), (0..500).map(plain).collect::<Vec<_>>());
}

#[test]
fn prepared_with_a_parameter() {
    let s = session();
    let q = s.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    let xs = vec![1.0, 2.0, 3.0];
    assert_eq!(*q.run(&xs, 2.0).unwrap(), 12.0);
}

#[test]
fn tuples_arrays_and_nested_rows() {
    let (a, b) = ([1i32, 2], [10i32, 20]);
    let s = session();
    let ([sum, difference], (product, flag)) =
        s.from((&a, &b)).map(|(a, b)| ([a + b, a - b], (a * b, a.gt(1)))).collect().unwrap();
    assert_eq!((&sum[..], &difference[..]), (&[11, 22][..], &[-9, -18][..]));
    assert_eq!((&product[..], &flag[..]), (&[10, 40][..], &[false, true][..]));
    let total = s.from((&a, 5u32..7)).map(|(a, i)| a.cast::<i64>() * i.cast::<i64>()).sum().unwrap();
    assert_eq!(total, 5 + 12);
}

#[test]
fn owned_sources_and_columns() {
    let s = session();
    let squares = s.from(vec![1u8, 2, 3]).map(|x| x * x).collect().unwrap();
    assert_eq!(s.from(&squares).map(|x| x + 1).to_vec().unwrap(), [2, 5, 10]);
    assert_eq!(s.from(squares).map(|x| x.cast::<u64>()).sum().unwrap(), 14);
}

#[test]
fn ranges_of_every_type() {
    let s = session();
    assert_eq!(s.from(3u32..6).to_vec().unwrap(), [3, 4, 5]);
    assert_eq!(s.from(-2..2).to_vec().unwrap(), [-2, -1, 0, 1]);
    assert_eq!(s.from(i64::MAX - 2..i64::MAX).to_vec().unwrap(), [i64::MAX - 2, i64::MAX - 1]);
    assert_eq!(s.from(u64::MAX - 1..u64::MAX).to_vec().unwrap(), [u64::MAX - 1]);
    assert_eq!(s.from(0usize..3).to_vec().unwrap(), [0u64, 1, 2]);
    assert_eq!(s.from(i32::MAX - 1..i32::MAX).to_vec().unwrap(), [i32::MAX - 1]);
    #[allow(clippy::reversed_empty_ranges)]
    let backwards = 5u32..2;
    assert_eq!(s.from(backwards).count().unwrap(), 0);
}

#[test]
fn a_query_inside_a_closure_of_another() {
    let (s, x) = (session(), [1.0f32, 2.0, 3.0]);
    let centred = s.from(&x).map(|v| v - s.from(&x).sum().unwrap() / 3.0);
    assert_eq!(centred.to_vec().unwrap(), [-1.0, 0.0, 1.0]);
}

#[test]
fn run_into_writes_to_the_callers_slice() {
    let (s, x) = (session(), [1i32, 2, 3, 4]);
    let mut out = [0; 6];
    assert_eq!(s.from(&x).map(|x| x * 10).into_slice(&mut out).unwrap(), 4);
    assert_eq!(out, [10, 20, 30, 40, 0, 0]);
    let mut small = [0; 2];
    assert_eq!(s.from(&x).filter(|x| x.gt(2)).into_slice(&mut small).unwrap(), 2);
    assert_eq!(small, [3, 4]);
    let mut flags = [true; 4];
    assert_eq!(s.from(&x).map(|x| x.eq(2)).into_slice(&mut flags).unwrap(), 4);
    assert_eq!(flags, [false, true, false, false]);
}

#[test]
fn loops_with_outer_values_and_nested_loops() {
    let s = session();
    let power = |x: Expr<u64>, n: u32| repeat(n, 1u64, |_, product| product * x);
    assert_eq!(s.from(1u64..5).map(|x| power(x, 3)).to_vec().unwrap(), [1, 8, 27, 64]);
    assert_eq!(s.from(1u64..3).map(|x| power(x, 0)).to_vec().unwrap(), [1, 1]);
    let triangle = s.from(0u32..4).map(|n| {
        repeat(4, 0u32, |i, sum| {
            let inner: U32 = repeat(3, 0u32, |j, count| count + select(j.lt(i), 1, 0));
            sum + select(i.le(n), inner, 0)
        })
    });
    assert_eq!(triangle.to_vec().unwrap(), [0, 1, 3, 6]);
}
