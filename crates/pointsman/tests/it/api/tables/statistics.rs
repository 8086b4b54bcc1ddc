//! Folds that find values and rows, and statistics, against plain Rust: of all rows, of groups, filtered and running.

use super::{check, column, keys, options, session};
use pointsman::{Column, Element};
use std::collections::BTreeMap;

/// Numbers of rows: around every block of vectors and leaves.
pub(super) const SIZES: [usize; 14] = [0, 1, 2, 7, 63, 64, 65, 255, 256, 257, 4095, 4096, 4097, 65_537];

/// Floats with nulls, NaN, infinities and both zeros, many of them equal.
pub(super) fn specials(rows: usize) -> Vec<Option<f64>> {
    let value = |bits: u64| match (bits >> 9) % 23 {
        0 | 1 => None,
        2 if rows.is_multiple_of(2) => Some(f64::NAN),
        3 => Some(f64::INFINITY),
        4 => Some(f64::NEG_INFINITY),
        5 => Some(0.0),
        6 => Some(-0.0),
        _ => Some(((bits >> 30) % 9) as f64 - 4.0),
    };
    super::super::noise(rows).into_iter().map(value).collect()
}

/// Integers with nulls and both ends of the type.
pub(super) fn integers(rows: usize) -> Vec<Option<i64>> {
    let value = |bits: u64| match (bits >> 11) % 17 {
        0 => None,
        1 => Some(i64::MIN),
        2 => Some(i64::MAX),
        _ => Some((bits >> 40) as i64 % 5),
    };
    super::super::noise(rows).into_iter().map(value).collect()
}

/// Values near a billion, in eighths.
pub(super) fn large(rows: usize) -> Vec<Option<f64>> {
    let value = |bits: u64| (!bits.is_multiple_of(13)).then_some(1e9 + ((bits >> 20) % 16_384) as f64 / 8.0);
    super::super::noise(rows).into_iter().map(value).collect()
}

fn value<T: Element>(column: &Column<T>, row: usize) -> Option<T> {
    column.is_valid(row).then(|| column[row])
}

/// A key that orders floats as folds do: NaN above all, −0 below +0.
fn order(x: f64) -> i64 {
    let bits = if x.is_nan() { f64::NAN.to_bits() as i64 } else { x.to_bits() as i64 };
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// What the folds of rows are, by a key that orders the values.
#[derive(Clone, Debug, Default, PartialEq)]
struct Found {
    first: Option<i64>,
    last: Option<i64>,
    argmin: Option<u64>,
    argmax: Option<u64>,
}

fn find(rows: impl Iterator<Item = (usize, Option<i64>)>) -> Found {
    let rows: Vec<(usize, i64)> = rows.filter_map(|(row, key)| Some((row, key?))).collect();
    Found {
        first: rows.first().map(|(_, key)| *key),
        last: rows.last().map(|(_, key)| *key),
        argmin: rows.iter().min_by_key(|(row, key)| (*key, *row)).map(|(row, _)| *row as u64),
        argmax: rows.iter().max_by_key(|(row, key)| (*key, std::cmp::Reverse(*row))).map(|(row, _)| *row as u64),
    }
}

#[test]
fn values_and_rows_of_all_rows() {
    let s = session();
    for size in SIZES {
        let (x, n) = (specials(size), integers(size));
        let (floats, ints) = (column(&x), column(&n));
        let query = || s.from((&floats, &ints));
        let of_floats = query().reduce(|(x, _)| (x.first(), x.last(), x.argmin(), x.argmax())).unwrap();
        let (first, last, argmin, argmax) = of_floats;
        let found = Found { first: first.map(order), last: last.map(order), argmin, argmax };
        assert_eq!(found, find(x.iter().map(|x| x.map(order)).enumerate()), "floats of {size} rows");
        let kept = |n: &Option<i64>| n.is_some_and(|n| n != 1);
        let of_kept = query().filter(|(_, n)| n.ne(1)).map(|(_, n)| n);
        let (first, last, argmin, argmax) = of_kept.reduce(|n| (n.first(), n.last(), n.argmin(), n.argmax())).unwrap();
        let expected = find(n.iter().copied().enumerate().filter(|(_, n)| kept(n)));
        assert_eq!(Found { first, last, argmin, argmax }, expected, "filtered integers of {size} rows");
        let filtered = query().reduce(|(x, n)| (x.first().filter(n.gt(2)), x.argmax().filter(n.gt(2)))).unwrap();
        let rows = x.iter().zip(&n).enumerate();
        let rows = rows.filter(|(_, (_, n))| n.is_some_and(|n| n > 2)).map(|(row, (x, _))| (row, x.map(order)));
        let expected = find(rows);
        assert_eq!((filtered.0.map(order), filtered.1), (expected.first, expected.argmax), "filtered of {size} rows");
    }
}

#[test]
fn rows_are_numbered_in_what_they_come_from() {
    let s = session();
    let x = [5i64, 3, 9, 3];
    let sorted = s.from(&x).sort_by(|x| x.desc());
    assert_eq!(sorted.filter(|x| x.lt(9)).reduce(|x| (x.argmin(), x.argmax())).unwrap(), (Some(2), Some(1)));
    let (key, row) = s.from(&x).group_by(|x| x).in_first_row_order().agg(|x| x.argmax()).collect().unwrap();
    assert_eq!((&key[..], &row[..]), (&[5, 3, 9][..], &[0, 1, 2][..]));
    assert_eq!(s.from(&x).filter(|x| x.lt(9)).limit(2).reduce(|x| x.last()).unwrap(), Some(3));
}

#[test]
fn truth_of_all_rows_and_up_to_each() {
    let s = session();
    for size in SIZES {
        for threshold in [-1, 0, 3, 5] {
            let n: Vec<Option<i64>> = integers(size).into_iter().map(|n| n.map(|n| n.clamp(0, 4))).collect();
            let source = column(&n);
            let truths = n.iter().flatten().map(|&n| n > threshold);
            let any = truths.clone().reduce(|a, b| a || b);
            let all = truths.reduce(|a, b| a && b);
            let found = s.from(&source).reduce(|n| (n.gt(threshold).any(), n.gt(threshold).all())).unwrap();
            assert_eq!(found, (any, all), "{size} rows above {threshold}");
            let running = s.from(&source).scan(|n| (n.gt(threshold).running_any(), n.gt(threshold).running_all()));
            let (found_any, found_all) = running.collect().unwrap();
            let (mut any, mut all) = (None, None);
            for (row, n) in n.iter().enumerate() {
                if let Some(truth) = n.map(|n| n > threshold) {
                    any = Some(any.unwrap_or(false) || truth);
                    all = Some(all.unwrap_or(true) && truth);
                }
                assert_eq!((value(&found_any, row), value(&found_all, row)), (any, all), "row {row} of {size}");
            }
        }
    }
}

#[test]
fn values_and_rows_of_groups() {
    let s = session();
    for size in SIZES {
        let (k, x) = (keys(size, size as u64 / 9), specials(size));
        let mut rows: BTreeMap<Option<i64>, Vec<(usize, Option<i64>)>> = BTreeMap::new();
        for (row, key) in k.iter().enumerate() {
            rows.entry(*key).or_default().push((row, x[row].map(order)));
        }
        let expected: BTreeMap<Option<i64>, Found> =
            rows.into_iter().map(|(key, rows)| (key, find(rows.into_iter()))).collect();
        let (k, x) = (column(&k), column(&x));
        let folds = s.from((&k, &x)).group_by(|(k, _)| k).agg(|(_, x)| (x.first(), x.last(), x.argmin(), x.argmax()));
        let (key, (first, last, argmin, argmax)) = folds.collect().unwrap();
        let found: BTreeMap<Option<i64>, Found> = (0..key.len())
            .map(|at| {
                let (first, last) = (value(&first, at).map(order), value(&last, at).map(order));
                (value(&key, at), Found { first, last, argmin: value(&argmin, at), argmax: value(&argmax, at) })
            })
            .collect();
        assert_eq!(found, expected, "groups of {size} rows");
    }
}

/// Sums of pairs of whole numbers, exact.
#[derive(Clone, Copy, Default)]
struct Exact {
    n: i128,
    x: i128,
    y: i128,
    xx: i128,
    yy: i128,
    xy: i128,
}

impl Exact {
    /// Of pairs where neither is null, each less an offset.
    fn of(pairs: impl Iterator<Item = (Option<i128>, Option<i128>)>) -> Exact {
        let mut sums = Exact::default();
        for (x, y) in pairs.filter_map(|(x, y)| Some((x?, y?))) {
            sums.n += 1;
            sums.x += x;
            sums.y += y;
            sums.xx += x * x;
            sums.yy += y * y;
            sums.xy += x * y;
        }
        sums
    }

    /// Σ (x − mean)², rounded once.
    fn squares(&self) -> f64 {
        (self.n * self.xx - self.x * self.x) as f64 / self.n as f64
    }

    fn products(&self) -> f64 {
        (self.n * self.xy - self.x * self.y) as f64 / self.n as f64
    }

    fn correlation(&self) -> f64 {
        let other = (self.n * self.yy - self.y * self.y) as f64 / self.n as f64;
        self.products() / (self.squares() * other).sqrt()
    }

    /// The statistic where there are so many values.
    fn of_least(&self, least: i128, statistic: f64) -> Option<f64> {
        (self.n >= least).then_some(statistic)
    }
}

/// Whether both are there and differ relatively by no more than the bound for so few rows, with some room for means.
#[track_caller]
fn near(what: &str, found: Option<f64>, expected: Option<f64>) {
    let bound = 200.0 * f64::EPSILON;
    let close = match (found, expected) {
        (None, None) => true,
        (Some(found), Some(expected)) => {
            (found - expected).abs() <= bound * expected.abs() || found.is_nan() && expected.is_nan()
        }
        (_, _) => false,
    };
    assert!(close, "{what}: {found:?}, not {expected:?}");
}

/// An eighth is one.
fn eighths(values: &[Option<f64>]) -> Vec<Option<i128>> {
    values.iter().map(|x| x.map(|x| ((x - 1e9) * 8.0) as i128)).collect()
}

#[test]
fn statistics_of_large_values() {
    let s = session();
    for size in SIZES {
        let x = large(size);
        let y: Vec<Option<f64>> = x.iter().rev().copied().collect();
        let whole = [eighths(&x), eighths(&y)];
        let one = Exact::of(whole[0].iter().map(|x| (*x, *x)));
        let two = Exact::of(whole[0].iter().copied().zip(whole[1].iter().copied()));
        let (x, y) = (column(&x), column(&y));
        let (variance, population, stddev, of_population) =
            s.from(&x).reduce(|x| (x.variance(), x.variance_population(), x.stddev(), x.stddev_population())).unwrap();
        let what = |name: &str| format!("{name} of {size} rows");
        let n = one.n as f64;
        near(&what("variance"), variance, one.of_least(2, one.squares() / (n - 1.0) / 64.0));
        near(&what("population"), population, one.of_least(1, one.squares() / n / 64.0));
        near(&what("stddev"), stddev, one.of_least(2, (one.squares() / (n - 1.0) / 64.0).sqrt()));
        near(&what("stddev of population"), of_population, one.of_least(1, (one.squares() / n / 64.0).sqrt()));
        let pairs = s.from((&x, &y));
        let (covariance, population, correlation) =
            pairs.reduce(|(x, y)| (x.covariance(y), x.covariance_population(y), x.correlation(y))).unwrap();
        let n = two.n as f64;
        // The products cancel, so the bound is that of their magnitudes.
        let scale = (two.squares() / n / 64.0).max(1.0);
        let shifted = |value: Option<f64>| value.map(|value| value / scale + 8.0);
        near(&what("covariance"), shifted(covariance), shifted(two.of_least(2, two.products() / (n - 1.0) / 64.0)));
        near(
            &what("covariance of population"),
            shifted(population),
            shifted(two.of_least(1, two.products() / n / 64.0)),
        );
        let sure = correlation.map(|r| if r.is_nan() { r } else { r + 8.0 });
        near(&what("correlation"), sure, two.of_least(2, two.correlation() + 8.0));
    }
}

#[test]
fn statistics_of_groups() {
    let s = session();
    for size in SIZES {
        // Groups lie far apart.
        let k = keys(size, size as u64 / 9);
        let offset = |key: &Option<i64>| key.unwrap_or(-7) * (1 << 40);
        let n: Vec<Option<i64>> =
            integers(size).iter().zip(&k).map(|(n, k)| n.map(|n| offset(k) + n.clamp(-9, 9))).collect();
        let mut groups: BTreeMap<Option<i64>, Vec<Option<i128>>> = BTreeMap::new();
        for (key, n) in k.iter().zip(&n) {
            groups.entry(*key).or_default().push(n.map(|n| (n - offset(key)).into()));
        }
        let (k, n) = (column(&k), column(&n));
        let folds = s.from((&k, &n)).group_by(|(k, _)| k);
        let folds = folds.agg(|(_, n)| (n.variance(), n.stddev_population(), n.correlation(n), n.count()));
        let (key, (variance, stddev, correlation, count)) = folds.collect().unwrap();
        assert_eq!(key.len(), groups.len());
        for at in 0..key.len() {
            let exact = Exact::of(groups[&value(&key, at)].iter().map(|n| (*n, *n)));
            let what = |name: &str| format!("{name} of group {:?} of {size} rows", value(&key, at));
            let of = exact.n as f64;
            near(&what("variance"), value(&variance, at), exact.of_least(2, exact.squares() / (of - 1.0)));
            near(&what("stddev"), value(&stddev, at), exact.of_least(1, (exact.squares() / of).sqrt()));
            near(&what("correlation"), value(&correlation, at), exact.of_least(2, exact.squares() / exact.squares()));
            assert_eq!(value(&count, at), Some(exact.n as u64));
        }
    }
}

/// Doubles do not hold these integers, but their distances from the mean.
#[test]
fn statistics_of_the_largest_integers() {
    let s = session();
    let signed = [i64::MAX - 2, i64::MAX - 1, i64::MAX];
    let unsigned = [u64::MAX - 2, u64::MAX - 1, u64::MAX];
    assert_eq!(s.from(&signed).reduce(|x| x.variance()).unwrap(), Some(1.0));
    assert_eq!(s.from(&unsigned).reduce(|x| x.variance()).unwrap(), Some(1.0));
    let ends = [i64::MIN, i64::MAX];
    assert_eq!(s.from(&ends).reduce(|x| x.stddev_population()).unwrap(), Some(2f64.powi(63)));
}

#[test]
fn statistics_of_no_numbers() {
    let s = session();
    let of = |values: &[f64]| s.from(values).reduce(|x| (x.variance(), x.correlation(x))).unwrap();
    let nan =
        |(variance, correlation): (Option<f64>, Option<f64>)| (variance.map(f64::is_nan), correlation.map(f64::is_nan));
    assert_eq!(of(&[]), (None, None));
    assert_eq!(of(&[7.0]), (None, None));
    assert_eq!(nan(of(&[1.0, f64::NAN])), (Some(true), Some(true)));
    assert_eq!(nan(of(&[1.0, f64::INFINITY])), (Some(true), Some(true)));
    // There is no direction in equal values.
    assert_eq!(nan(of(&[3.0, 3.0])), (Some(false), Some(true)));
    assert_eq!(of(&[3.0, 3.0]).0, Some(0.0));
}

/// A column of many rows gives the same bits whoever computes which part.
#[test]
fn statistics_are_reproducible() {
    let x = large(1_000_003);
    let x = column(&x);
    let bits = |threads: usize| {
        let s = pointsman::SessionOptions::new().threads(threads).open().unwrap();
        let (variance, correlation) = s.from(&x).reduce(|x| (x.variance(), x.correlation(x * 2.0 + 1.0))).unwrap();
        (variance.map(f64::to_bits), correlation.map(f64::to_bits))
    };
    let one = bits(1);
    assert_eq!((bits(2), bits(5)), (one, one));
}

/// Columns of results are as long as their keys.
#[test]
fn rows_without_values_have_no_results() {
    let s = session();
    let (k, x) = ([1i64, 1, 2], column::<f64>(&[None, None, Some(4.0)]));
    let folds = s.from((&k, &x)).group_by(|k| k.0).in_first_row_order();
    let (_, (first, argmin, variance)) =
        folds.agg(|(_, x)| (x.first(), x.argmin(), x.variance_population())).collect().unwrap();
    fn all<T: Element>(column: &Column<T>) -> Vec<Option<T>> {
        options(column)
    }
    check("first", &all(&first), &[None, Some(4.0)]);
    check("argmin", &all(&argmin), &[None, Some(2)]);
    check("variance", &all(&variance), &[None, Some(0.0)]);
}

/// Devices that reduce give what the CPU gives: the same bits, except for float arithmetic on bounded devices.
#[test]
fn statistics_on_other_devices() {
    use pointsman::{ErrorKind, Exactness};
    let device = std::sync::Arc::new(pointsman_device::sim::SimDevice::new(Default::default()));
    let s = pointsman::SessionOptions::new().threads(2).add_device(device).open().unwrap();
    for size in SIZES {
        let (x, y) = (column(&specials(size)), column(&large(size)));
        let find = |device: &str| {
            let found = s
                .from((&x, &y))
                .require(device)
                .folds(|(x, y)| (x.first(), x.last(), x.argmin(), x.argmax(), y.gt(1e9).any(), y.gt(1e9).all()));
            let of_values = found.run().map(|found| found.into_value());
            of_values.map(|(first, last, argmin, argmax, any, all)| {
                (first.map(f64::to_bits), last.map(f64::to_bits), argmin, argmax, any, all)
            })
        };
        let statistics = |device: &str| {
            let query = s.from((&x, &y)).require(device).exactness(Exactness::Bounded);
            query.folds(|(x, y)| (y.variance(), y.stddev_population(), y.correlation(y), x.variance())).run()
        };
        let (rows, values) = (find("cpu").unwrap(), statistics("cpu").unwrap().into_value());
        assert_eq!(find("sim").unwrap(), rows, "{size} rows on the simulated device");
        let bits = |(a, b, c, d): (Option<f64>, Option<f64>, Option<f64>, Option<f64>)| {
            [a, b, c, d].map(|value| value.map(f64::to_bits))
        };
        assert_eq!(bits(statistics("sim").unwrap().into_value()), bits(values), "{size} rows");
        if !cfg!(feature = "wgpu") {
            continue;
        }
        match find("vulkan:0") {
            Ok(found) => assert_eq!(found, rows, "{size} rows on the portable GPU"),
            Err(error) if matches!(error.kind(), ErrorKind::Unavailable | ErrorKind::Unsupported) => {
                eprintln!("skipped: {error}");
                return;
            }
            Err(error) => panic!("{error}"),
        }
        match statistics("vulkan:0") {
            Ok(found) => {
                let found = found.into_value();
                near("variance", found.0, values.0);
                near("stddev", found.1, values.1);
                near("correlation", found.2, values.2);
            }
            // It has no doubles.
            Err(error) => assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}"),
        }
    }
}
