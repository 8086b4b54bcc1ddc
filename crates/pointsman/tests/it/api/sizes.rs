//! The same queries at every size where blocks, leaves and threads begin and end.

use super::{floats, integers, session};
use pointsman::Session;

const SIZES: [usize; 12] = [0, 1, 7, 63, 64, 65, 4095, 4096, 4097, 65_536, 65_537, 1_000_000];

/// Runs a check at every size.
fn at_every_size(check: impl Fn(&Session, &[i64])) {
    let s = session();
    let all = integers(1_000_000);
    for rows in SIZES {
        check(&s, &all[..rows]);
    }
}

#[test]
fn map() {
    at_every_size(|s, x| {
        let out = s.from(x).map(|x| x * 3 - 1).run().unwrap();
        assert!(out.iter().copied().eq(x.iter().map(|x| x * 3 - 1)), "{} rows", x.len());
    });
}

#[test]
fn filter() {
    at_every_size(|s, x| {
        let (kept, doubled) = s.from(x).filter(|x| x.gt(100)).map(|x| (x, x + x)).collect().unwrap();
        let expected: Vec<i64> = x.iter().copied().filter(|&x| x > 100).collect();
        assert_eq!(kept.to_vec(), expected);
        assert!(doubled.iter().copied().eq(expected.iter().map(|x| x + x)));
        assert_eq!(s.from(x).filter(|x| x.gt(100)).count().unwrap(), expected.len() as u64);
    });
}

#[test]
fn folds() {
    at_every_size(|s, x| {
        let folds = s.from(x).reduce(|x| (x.sum(), x.min(), x.max(), x.count(), x.mean())).unwrap();
        let sum: i64 = x.iter().sum();
        let mean = (!x.is_empty()).then(|| sum as f64 / x.len() as f64);
        assert_eq!(folds, (sum, x.iter().min().copied(), x.iter().max().copied(), x.len() as u64, mean));
    });
}

#[test]
fn scans() {
    at_every_size(|s, x| {
        let (sums, highs) = s.from(x).scan(|x| (x.running_sum(), x.running_max())).collect().unwrap();
        let running = x.iter().scan((0, i64::MIN), |(sum, high), &x| {
            (*sum, *high) = (*sum + x, x.max(*high));
            Some((*sum, *high))
        });
        let (expected_sums, expected_highs): (Vec<i64>, Vec<i64>) = running.unzip();
        assert_eq!(sums.to_vec(), expected_sums);
        assert_eq!((highs.to_vec(), highs.nulls()), (expected_highs, 0));
    });
}

#[test]
fn stages_feed_each_other() {
    at_every_size(|s, x| {
        let out = s.from(x).filter(|x| x.gt(0)).scan(|x| x.running_sum()).filter(|x| (x % 2).eq(0)).map(|x| x / 2);
        let mut sum = 0;
        let running = x.iter().filter(|&&x| x > 0).map(|&x| {
            sum += x;
            sum
        });
        let expected: Vec<i64> = running.filter(|x| x % 2 == 0).map(|x| x / 2).collect();
        assert_eq!(out.to_vec().unwrap(), expected);
    });
}

#[test]
fn truth_values_and_ranges() {
    at_every_size(|s, x| {
        let flags = s.from((x, 0..x.len())).map(|(x, i)| x.gt(0) & (i % 3).eq(0)).run().unwrap();
        let expected: Vec<bool> = x.iter().enumerate().map(|(i, &x)| x > 0 && i % 3 == 0).collect();
        assert_eq!(flags.to_vec(), expected);
        assert_eq!(s.from(&expected).filter(|b| b).count().unwrap() as usize, expected.iter().filter(|&&b| b).count());
    });
}

#[test]
fn float_sums_are_close_and_the_same_every_time() {
    let s = session();
    for rows in SIZES {
        let x = floats(rows);
        let sum = s.from(&x).map(|x| x.cast::<f64>()).sum().unwrap();
        let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
        assert!((sum - exact).abs() <= 1e-9 * (1.0 + exact.abs()), "{rows} rows: {sum} and {exact}");
        let again = s.from(&x).map(|x| x.cast::<f64>()).sum().unwrap();
        assert_eq!(sum.to_bits(), again.to_bits());
        let running = s.from(&x).scan(|x| x.running_sum()).run().unwrap();
        assert_eq!(running.len(), rows);
    }
}
