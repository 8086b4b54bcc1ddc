//! Histograms, and groups by keys of one or two bytes, which have slots in place of a hash table, against plain Rust.

use super::statistics::{SIZES, integers, large, specials};
use super::{check, column, options, session};
use pointsman::Element;
use std::collections::BTreeMap;

/// The bin of a value by its definition.
fn bin(x: f64, (low, high): (f64, f64), bins: usize) -> usize {
    let scale = bins as f64 / (high - low);
    (((x - low) * scale) as usize).min(bins - 1)
}

#[test]
fn histograms_count_every_value_once() {
    let s = session();
    for size in SIZES.into_iter().chain([300_001, 1_000_000]) {
        for bins in [1, 7, 256, 1000, 65_533] {
            let x: Vec<Option<f64>> = specials(size)
                .iter()
                .zip(large(size))
                .map(|(a, b)| if b.is_none() { *a } else { b.map(|b| b - 1e9) })
                .collect();
            let range = (-3.0, 1500.0);
            let mut counts = vec![0; bins];
            let (mut below, mut above, mut nans, mut nulls) = (0, 0, 0, 0);
            for x in &x {
                match *x {
                    None => nulls += 1,
                    Some(x) if x.is_nan() => nans += 1,
                    Some(x) if x < range.0 => below += 1,
                    Some(x) if x > range.1 => above += 1,
                    Some(x) => counts[bin(x, range, bins)] += 1,
                }
            }
            let found = s.from(&column(&x)).histogram(range.0..range.1, bins).unwrap();
            let what = format!("{bins} bins of {size} rows");
            check(&what, found.counts(), &counts);
            let others = (found.below(), found.above(), found.nans(), found.nulls());
            assert_eq!(others, (below, above, nans, nulls), "{what}");
        }
    }
}

#[test]
fn histograms_of_other_numbers() {
    let s = session();
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(s.from(&bytes).histogram(0.0..256.0, 256).unwrap().counts(), [1; 256]);
    let singles: Vec<f32> = (0..100_000).map(|x| x as f32 / 100_000.0).collect();
    let histogram = s.from(&singles).histogram(0.0..1.0, 10).unwrap();
    assert_eq!(histogram.counts().iter().sum::<u64>(), 100_000);
    assert!(histogram.counts().iter().all(|&count| (9_999..=10_001).contains(&count)), "{histogram:?}");
    assert_eq!(histogram.edges().len(), 11);
}

/// Keys of one or two bytes have slots in place of a hash table; every fold must find its group there.
#[test]
fn groups_by_short_keys() {
    let s = session();
    for size in SIZES.into_iter().chain([300_001]) {
        let (k, n) = (integers(size), integers(size));
        let short: Vec<Option<i8>> = k.iter().map(|k| k.map(|k| (k % 7) as i8)).collect();
        let wide: Vec<Option<u16>> = k.iter().map(|k| k.map(|k| (k % 7 + 65_528) as u16)).collect();
        let truth: Vec<Option<bool>> = k.iter().map(|k| k.map(|k| k > 1)).collect();
        let n: Vec<Option<i64>> = n.iter().rev().map(|n| n.map(|n| n.clamp(-1000, 1000))).collect();
        short_groups(&s, &short, &n);
        short_groups(&s, &wide, &n);
        short_groups(&s, &truth, &n);
    }
}

fn short_groups<K: Element + Ord>(s: &pointsman::Session, keys: &[Option<K>], n: &[Option<i64>]) {
    let mut order: Vec<Option<K>> = Vec::new();
    let mut groups: BTreeMap<Option<K>, (u64, i64, Option<i64>)> = BTreeMap::new();
    for (key, n) in keys.iter().zip(n) {
        if !groups.contains_key(key) {
            order.push(*key);
        }
        let group = groups.entry(*key).or_default();
        group.0 += 1;
        group.1 += n.unwrap_or(0);
        group.2 = group.2.max(*n);
    }
    let what = format!("groups of {} rows", keys.len());
    let (k, n) = (column(keys), column(n));
    let grouped = s.from((&k, &n)).group_by(|(k, _)| k).in_first_row_order();
    let (key, (rows, sum, max)) = grouped.agg(|(_, n)| (pointsman::count(), n.sum(), n.max())).collect().unwrap();
    check(&what, &options(&key), &order);
    let found = options(&rows).into_iter().zip(options(&sum)).zip(options(&max));
    let found: Vec<_> = found.map(|((rows, sum), max)| (rows.unwrap(), sum.unwrap(), max)).collect();
    check(&what, &found, &order.iter().map(|key| groups[key]).collect::<Vec<_>>());
    let (key, rows) = s.from(&k).group_by(|k| k).agg(|_| pointsman::count()).collect().unwrap();
    let found: BTreeMap<_, _> = options(&key).into_iter().zip(options(&rows)).collect();
    let expected: BTreeMap<_, _> = groups.iter().map(|(key, group)| (*key, Some(group.0))).collect();
    assert_eq!(found, expected, "{what}");
    let mut distinct = options(&s.from(&k).distinct().collect().unwrap());
    distinct.sort();
    assert_eq!(distinct, groups.keys().copied().collect::<Vec<_>>(), "{what}");
}

#[test]
#[allow(clippy::reversed_empty_ranges, reason = "they are the mistakes")]
fn wrong_bins_are_errors() {
    let (s, x) = (session(), [1.0f64]);
    let message = |range: std::ops::Range<f64>, bins: usize| s.from(&x).histogram(range, bins).unwrap_err().to_string();
    assert!(message(0.0..1.0, 0).contains("no 0 bins: give a number from 1 to 65533"));
    assert!(message(0.0..1.0, 65_534).contains("from 1 to 65533"));
    for range in [1.0..1.0, 2.0..1.0, 0.0..f64::NAN, f64::NEG_INFINITY..0.0, f64::MIN..f64::MAX] {
        assert!(message(range, 4).contains("give a finite range, low..high"));
    }
    // A value that faults in the computation of keys is reported with its row, the first of them.
    let x: Vec<i32> = (0..100_000).collect();
    let inverse = s.from(&x).map(|x| x % 7 / (x - 50_000) / (x - 70_000)).histogram(0.0..9.0, 3);
    assert_eq!(inverse.unwrap_err().row(), Some(50_000));
}
