//! Sorts, limits, distinct rows and unions.

use super::{SIZES, canonical, check, column, floats, keys, noise, options, session};
use pointsman::{Column, Expr};
use std::collections::HashSet;

/// The numbers of rows in order of the key descending with nulls first, then the value ascending with nulls last.
fn sorted(keys: &[Option<i64>], values: &[Option<f64>]) -> Vec<u64> {
    let mut rows: Vec<u64> = (0..keys.len() as u64).collect();
    rows.sort_by(|&a, &b| {
        let (a, b) = (a as usize, b as usize);
        let by_key = match (keys[a], keys[b]) {
            (None, None) => std::cmp::Ordering::Equal,
            (None, Some(_)) => std::cmp::Ordering::Less,
            (Some(_), None) => std::cmp::Ordering::Greater,
            (Some(a), Some(b)) => b.cmp(&a),
        };
        by_key.then_with(|| match (values[a], values[b]) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            (a, b) => a.is_none().cmp(&b.is_none()),
        })
    });
    rows
}

#[test]
fn sorts_are_stable_and_place_nulls() {
    let s = session();
    for size in SIZES {
        let (k, x) = (keys(size, 50), floats(size));
        let expected = sorted(&k, &x);
        let (k, x) = (column(&k), column(&x));
        let query = || {
            let rows = s.from((&k, &x, 0..size as u64));
            rows.sort_by(|(k, x, _)| (k.desc().nulls_first(), x)).map(|(_, _, row)| row)
        };
        check(&format!("sort of {size}"), &query().to_vec().unwrap(), &expected);
        let first =
            s.from((&k, &x, 0..size as u64)).sort_by(|(k, x, _)| (k.desc().nulls_first(), x.asc().nulls_last()));
        let first = first.limit(100).map(|(_, _, row)| row).to_vec().unwrap();
        check(&format!("top of {size}"), &first, &expected[..size.min(100)]);
        let page = query().offset(3).limit(5).to_vec().unwrap();
        check(&format!("page of {size}"), &page, expected.get(3..).map_or(&[][..], |rows| &rows[..rows.len().min(5)]));
    }
}

#[test]
fn limits_and_offsets() {
    let s = session();
    for size in SIZES {
        let x = noise(size);
        let kept: Vec<u64> = x.iter().copied().filter(|x| !x.is_multiple_of(3)).collect();
        for (skip, fetch) in [(0, 0), (0, 1), (2, 3), (5000, 70_000), (size as u64, 1), (0, u64::MAX)] {
            let found = s.from(&x).filter(|x| (x % 3).ne(0)).offset(skip).limit(fetch).to_vec().unwrap();
            let expected: Vec<u64> = kept.iter().copied().skip(skip as usize).take(fetch as usize).collect();
            check(&format!("{fetch} of {size} behind {skip}"), &found, &expected);
            let sum = s.from(&x).limit(fetch).map(|x| x % 1000).sum().unwrap();
            assert_eq!(sum, x.iter().take(fetch as usize).map(|x| x % 1000).sum::<u64>(), "{fetch} of {size}");
        }
        assert_eq!(s.from(&x).sort_by(|x| x).limit(0).to_vec().unwrap(), [] as [u64; 0]);
    }
}

#[test]
fn distinct_keeps_the_first_of_equal_rows() {
    let s = session();
    for size in SIZES {
        let (k, x) = (keys(size, 5), floats(size));
        let mut seen = HashSet::new();
        let rows = k.iter().copied().zip(x.iter().map(|x| x.map(canonical)));
        let expected: Vec<_> = rows.filter(|row| seen.insert(*row)).collect();
        let (k, x) = s.from((&column(&k), &column(&x))).distinct().collect().unwrap();
        let found: Vec<_> = options(&k).into_iter().zip(options(&x).iter().map(|x| x.map(canonical))).collect();
        check(&format!("distinct of {size}"), &found, &expected);
    }
}

#[test]
fn unions_come_one_after_the_other() {
    let s = session();
    for size in SIZES {
        let (k, other) = (keys(size, 1000), [1i64, 2, 3]);
        let both = |rows: &Column<i64>| {
            let small = |x: Expr<i64>| x.lt(500);
            let united = s.from(rows).filter(small).union(s.from(&other).map(|x| -x)).union(s.from(rows).limit(2));
            options(&united.collect().unwrap())
        };
        let small = k.iter().copied().filter(|k| k.is_some_and(|k| k < 500));
        let expected: Vec<_> = small.chain([-1, -2, -3].map(Some)).chain(k.iter().copied().take(2)).collect();
        check(&format!("union of {size}"), &both(&column(&k)), &expected);
    }
}
