//! Groups, and the folds of all rows that groups have too.

use super::{SIZES, canonical, check, column, floats, keys, numbers, options, session};
use pointsman::{Column, count};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The rows of a group: the numbers and the floats that are not null.
#[derive(Default)]
struct Group {
    rows: u64,
    numbers: Vec<i64>,
    floats: Vec<f64>,
}

impl Group {
    fn of(rows: impl Iterator<Item = (Option<i64>, Option<f64>)>) -> Group {
        let mut group = Group::default();
        rows.for_each(|row| group.add(row));
        group
    }

    fn add(&mut self, (number, float): (Option<i64>, Option<f64>)) {
        self.rows += 1;
        self.numbers.extend(number);
        self.floats.extend(float);
    }

    fn sum(&self) -> i64 {
        self.numbers.iter().sum()
    }

    fn mean(&self) -> Option<f64> {
        (!self.floats.is_empty()).then(|| (self.floats.iter().sum::<f64>() + 0.0) / self.floats.len() as f64)
    }

    /// NaN is above all numbers, and −0 is below +0.
    fn max(&self) -> Option<f64> {
        let plain = |x: &f64| if x.is_nan() { f64::NAN } else { *x };
        self.floats.iter().map(plain).max_by(f64::total_cmp)
    }

    fn min(&self) -> Option<f64> {
        let plain = |x: &f64| if x.is_nan() { f64::NAN } else { *x };
        self.floats.iter().map(plain).min_by(f64::total_cmp)
    }

    fn distinct(&self) -> u64 {
        self.floats.iter().map(|x| canonical(*x)).collect::<HashSet<_>>().len() as u64
    }

    /// Between two values, interpolated.
    fn quantile(&self, fraction: f64) -> Option<f64> {
        let mut sorted = self.numbers.clone();
        sorted.sort_unstable();
        let place = fraction * (sorted.len().checked_sub(1)?) as f64;
        let (low, high) = (sorted[place.floor() as usize] as f64, sorted[place.ceil() as usize] as f64);
        Some(low + (high - low) * place.fract())
    }
}

fn bits(value: Option<f64>) -> Option<u64> {
    value.map(|value| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() })
}

fn rounded(value: Option<f64>) -> Option<i64> {
    value.map(|value| (value * 1e6).round() as i64)
}

/// Groups of plain Rust in the order of their first rows.
fn groups(keys: &[Option<i64>], numbers: &[Option<i64>], floats: &[Option<f64>]) -> Vec<(Option<i64>, Group)> {
    let mut places = HashMap::new();
    let mut groups: Vec<(Option<i64>, Group)> = Vec::new();
    for (row, key) in keys.iter().enumerate() {
        let place = *places.entry(*key).or_insert_with(|| {
            groups.push((*key, Group::default()));
            groups.len() - 1
        });
        groups[place].1.add((numbers[row], floats[row]));
    }
    groups
}

#[test]
fn every_fold_of_groups() {
    let s = session();
    for size in SIZES {
        let (k, n, x) = (keys(size, size as u64 / 9), numbers(size), floats(size));
        let expected = groups(&k, &n, &x);
        let (k, n, x) = (column(&k), column(&n), column(&x));
        let grouped = s.from((&k, &n, &x)).group_by(|(k, _, _)| k).in_first_row_order();
        let plain = grouped.agg(|(_, n, x)| (count(), n.count(), n.sum(), x.min(), x.max(), x.mean()));
        let (key, (rows, values, sum, min, max, mean)) = plain.collect().unwrap();
        let what = |fold: &str| format!("{fold} of the groups of {size} rows");
        let all = |of: fn(&Group) -> u64| expected.iter().map(|(_, group)| of(group)).collect::<Vec<_>>();
        let of = |of: fn(&Group) -> Option<f64>| expected.iter().map(|(_, group)| bits(of(group))).collect::<Vec<_>>();
        let found = |column: &Column<f64>| column.options().map(bits).collect::<Vec<_>>();
        check(&what("keys"), &options(&key), &expected.iter().map(|(key, _)| *key).collect::<Vec<_>>());
        check(&what("count"), &rows, &all(|group| group.rows));
        check(&what("count of values"), &values, &all(|group| group.numbers.len() as u64));
        check(&what("sum"), &sum, &expected.iter().map(|(_, group)| group.sum()).collect::<Vec<_>>());
        check(&what("min"), &found(&min), &of(Group::min));
        check(&what("max"), &found(&max), &of(Group::max));
        check(&what("mean"), &found(&mean), &of(Group::mean));
    }
}

#[test]
fn composed_folds_of_groups() {
    let s = session();
    for size in SIZES {
        let (k, n, x) = (keys(size, size as u64 / 20), numbers(size), floats(size));
        let mut expected = groups(&k, &n, &x);
        expected.sort_by_key(|(key, _)| (key.is_none(), *key));
        let (k, n, x) = (column(&k), column(&n), column(&x));
        let grouped = s.from((&k, &n, &x)).group_by(|(k, _, _)| k).agg(|(_, n, x)| {
            let filtered = (n.sum().filter(n.gt(0)), count().filter(n.gt(0)).filter(n.lt(100)));
            (x.count_distinct(), n.median(), n.quantile(0.9), filtered, n.cast::<f64>().sum().fast())
        });
        let (key, (distinct, median, most, (sum, rows), fast)) = grouped.sort_by(|(k, _)| k).collect().unwrap();
        let what = |fold: &str| format!("{fold} of the groups of {size} rows");
        let keys: Vec<_> = expected.iter().map(|(key, _)| *key).collect();
        check(&what("keys"), &options(&key), &keys);
        let of = |of: &dyn Fn(&Group) -> i64| expected.iter().map(|(_, group)| of(group)).collect::<Vec<_>>();
        let distinct: Vec<i64> = distinct.options().map(|x| x.unwrap() as i64).collect();
        check(&what("distinct"), &distinct, &of(&|group| group.distinct() as i64));
        let quantile =
            |fraction: f64| expected.iter().map(|(_, group)| rounded(group.quantile(fraction))).collect::<Vec<_>>();
        check(&what("median"), &median.options().map(rounded).collect::<Vec<_>>(), &quantile(0.5));
        check(&what("quantile"), &most.options().map(rounded).collect::<Vec<_>>(), &quantile(0.9));
        let above = |group: &Group| group.numbers.iter().filter(|&&n| n > 0).sum::<i64>();
        check(&what("filtered sum"), &sum, &of(&above));
        let between = |group: &Group| group.numbers.iter().filter(|&&n| n > 0 && n < 100).count() as i64;
        check(&what("filtered count"), &rows.options().map(|x| x.unwrap() as i64).collect::<Vec<_>>(), &of(&between));
        let fast: Vec<i64> = fast.options().map(|x| x.unwrap() as i64).collect();
        check(&what("fast sum"), &fast, &of(&|group| group.sum()));
    }
}

#[test]
fn composed_folds_of_all_rows() {
    let s = session();
    for size in SIZES {
        let (n, x) = (numbers(size), floats(size));
        let all = Group::of(n.iter().copied().zip(x.iter().copied()));
        let above = Group::of(n.iter().copied().filter(|n| n.is_some_and(|n| n > 0)).zip(x.iter().copied()));
        let source = (column(&n), column(&x));
        let query = s.from((&source.0, &source.1));
        let (sum, mean, least, distinct, median, most) = query
            .reduce(|(n, x)| {
                let filtered = (n.sum().filter(n.gt(0)), n.mean().filter(n.gt(0)), n.min().filter(n.gt(1000)));
                (filtered.0, filtered.1, filtered.2, x.count_distinct(), n.median(), n.quantile(0.9).filter(n.gt(0)))
            })
            .unwrap();
        assert_eq!((sum, least), (above.sum(), None), "{size}");
        let expected = (!above.numbers.is_empty()).then(|| above.sum() as f64 / above.numbers.len() as f64);
        assert_eq!(mean, expected, "{size}");
        assert_eq!((distinct, rounded(median)), (all.distinct(), rounded(all.quantile(0.5))), "{size}");
        assert_eq!(rounded(most), rounded(above.quantile(0.9)), "{size}");
        let (fast, mean) =
            s.from(&source.0).map(|n| n.cast::<f64>()).reduce(|x| (x.sum().fast(), x.mean().fast())).unwrap();
        assert_eq!((fast, mean.is_some()), (all.sum() as f64, !all.numbers.is_empty()), "{size}");
    }
}

#[test]
fn groups_by_several_keys_and_by_floats() {
    let s = session();
    for size in SIZES {
        let (k, x) = (keys(size, 3), floats(size));
        let pairs = k.iter().copied().zip(x.iter().map(|x| x.map(canonical)));
        let expected: BTreeSet<_> = pairs.collect();
        let ([k, _], x) = ([column(&k), column(&k)], column(&x));
        let grouped = s.from(([&k, &k], &x)).group_by(|([k, again], x)| ((k, again), x));
        let found = grouped.agg(|_| count()).collect().unwrap();
        let (((k, again), x), rows) = found;
        assert_eq!(k, again);
        assert_eq!(rows.options().map(|rows| rows.unwrap()).sum::<u64>(), size as u64);
        let found: BTreeSet<_> = options(&k).into_iter().zip(options(&x).iter().map(|x| x.map(canonical))).collect();
        assert_eq!((found == expected, rows.len()), (true, expected.len()), "groups of {size}");
    }
}
