//! Joins of every kind, with nulls, several keys, conditions and steps on both sides.

use super::{SIZES, canonical, check, column, floats, keys, options, session};
use pointsman::types::JoinOn;
use pointsman::{ErrorKind, Expr, Query, U64, null_safe};
use std::collections::HashMap;

/// A key and the number of its row.
type Side = (Expr<i64>, U64);
/// The numbers of a pair's rows.
type Pair = (Option<u64>, Option<u64>);

/// Pairs in the order that joins give them.
struct Pairs {
    /// The matches of each left row.
    matches: Vec<Vec<u64>>,
    right_rows: usize,
}

impl Pairs {
    fn of<K: std::hash::Hash + Eq>(
        left: &[Option<K>],
        right: &[Option<K>],
        null_safe: bool,
        accepts: impl Fn(u64, u64) -> bool,
    ) -> Pairs {
        let mut rows: HashMap<&Option<K>, Vec<u64>> = HashMap::new();
        let counts = |key: &Option<K>| key.is_some() || null_safe;
        (0..).zip(right).filter(|(_, key)| counts(key)).for_each(|(row, key)| rows.entry(key).or_default().push(row));
        let of = |(row, key): (u64, &Option<K>)| {
            let found = rows.get(key).filter(|_| counts(key)).map_or(&[][..], Vec::as_slice);
            found.iter().copied().filter(|&other| accepts(row, other)).collect()
        };
        Pairs { matches: (0..).zip(left).map(of).collect(), right_rows: right.len() }
    }

    fn inner(&self) -> Vec<Pair> {
        let of = |(row, matches): (u64, &Vec<u64>)| {
            matches.iter().map(move |&other| (Some(row), Some(other))).collect::<Vec<_>>()
        };
        (0..).zip(&self.matches).flat_map(of).collect()
    }

    fn left(&self) -> Vec<Pair> {
        let of = |(row, matches): (u64, &Vec<u64>)| match matches.is_empty() {
            true => vec![(Some(row), None)],
            false => matches.iter().map(|&other| (Some(row), Some(other))).collect(),
        };
        (0..).zip(&self.matches).flat_map(of).collect()
    }

    fn turned(&self) -> Pairs {
        let mut matches = vec![Vec::new(); self.right_rows];
        for (row, found) in (0..).zip(&self.matches) {
            found.iter().for_each(|&other| matches[other as usize].push(row));
        }
        Pairs { matches, right_rows: self.matches.len() }
    }

    fn right(&self) -> Vec<Pair> {
        self.turned().left().into_iter().map(|(right, left)| (left, right)).collect()
    }

    fn full(&self) -> Vec<Pair> {
        let alone = self.turned().left().into_iter().filter(|(_, left)| left.is_none());
        self.left().into_iter().chain(alone.map(|(right, _)| (None, right))).collect()
    }

    fn matched(&self, has_match: bool) -> Vec<u64> {
        let rows = (0..).zip(&self.matches).filter(|(_, matches)| matches.is_empty() != has_match);
        rows.map(|(row, _)| row).collect()
    }
}

fn numbers<'a>(query: Query<'a, (Side, Side)>) -> Vec<Pair> {
    let ((_, left), (_, right)) = query.collect().unwrap();
    options(&left).into_iter().zip(options(&right)).collect()
}

fn rows(query: Query<'_, Side>) -> Vec<u64> {
    query.map(|(_, row)| row).to_vec().unwrap()
}

/// Checks every kind of join.
fn check_kinds<'a>(what: &str, pairs: &Pairs, join: impl Fn() -> JoinOn<'a, Side, Side>) {
    check(&format!("inner {what}"), &numbers(join().inner()), &pairs.inner());
    check(&format!("left {what}"), &numbers(join().left()), &pairs.left());
    check(&format!("right {what}"), &numbers(join().right()), &pairs.right());
    check(&format!("full {what}"), &numbers(join().full()), &pairs.full());
    check(&format!("semi {what}"), &rows(join().semi()), &pairs.matched(true));
    check(&format!("anti {what}"), &rows(join().anti()), &pairs.matched(false));
}

#[test]
fn every_kind_of_join() {
    let s = session();
    for size in SIZES {
        // About two rows a key on the right, and keys without a partner on both sides.
        let (left, right) = (keys(size, size as u64), keys(size / 2 + 1, size as u64 / 4));
        let (l, r) = (column(&left), column(&right));
        let sides = || (s.from((&l, 0..l.len() as u64)), s.from((&r, 0..r.len() as u64)));
        let join = || {
            let (left, right) = sides();
            left.join_on(right, |(key, _)| key, |(key, _)| key)
        };
        check_kinds(&format!("join of {size}"), &Pairs::of(&left, &right, false, |_, _| true), join);
        let accepts = |left: u64, right: u64| !(left + right).is_multiple_of(3);
        let filtered = || join().filter(|(_, left), (_, right)| ((left + right) % 3).ne(0));
        check_kinds(&format!("filtered join of {size}"), &Pairs::of(&left, &right, false, accepts), filtered);
        if size < 1_000_000 {
            let (left_keys, right_keys) = (limited(&left, 20), limited(&right, 20));
            let (l, r) = (column(&left_keys), column(&right_keys));
            let join = || {
                let (left, right) = (s.from((&l, 0..l.len() as u64)), s.from((&r, 0..r.len() as u64)));
                left.join_on(right, |(key, _)| null_safe(key), |(key, _)| null_safe(key))
            };
            let pairs = Pairs::of(&left_keys, &right_keys, true, |_, _| true);
            check_kinds(&format!("null-safe join of {size}"), &pairs, join);
        }
    }
}

/// The same keys with at most this many nulls: nulls that match nulls make many pairs.
fn limited(keys: &[Option<i64>], nulls_max: usize) -> Vec<Option<i64>> {
    let mut nulls = 0;
    let key = |(row, key): (i64, &Option<i64>)| {
        nulls += usize::from(key.is_none());
        key.or_else(|| (nulls > nulls_max).then_some(-row))
    };
    (1..).zip(keys).map(key).collect()
}

#[test]
fn short_names_of_joins() {
    let (s, left, right) = (session(), keys(100, 40), keys(60, 40));
    let (l, r) = (column(&left), column(&right));
    let left_side = || s.from((&l, 0..100u64));
    let right_side = || s.from((&r, 0..60u64));
    let (key, pairs) = (|(key, _): Side| key, Pairs::of(&left, &right, false, |_, _| true));
    check("join", &numbers(left_side().join(right_side(), key, key)), &pairs.inner());
    check("left_join", &numbers(left_side().left_join(right_side(), key, key)), &pairs.left());
    check("right_join", &numbers(left_side().right_join(right_side(), key, key)), &pairs.right());
    check("full_join", &numbers(left_side().full_join(right_side(), key, key)), &pairs.full());
    check("semi_join", &rows(left_side().semi_join(right_side(), key, key)), &pairs.matched(true));
    check("anti_join", &rows(left_side().anti_join(right_side(), key, key)), &pairs.matched(false));
    let twice = left_side().join_on(right_side(), key, key);
    let twice = twice.filter(|(_, l), _| (l % 2).eq(0)).filter(|_, (_, r)| (r % 3).eq(0)).left();
    let accepts = |left: u64, right: u64| left.is_multiple_of(2) && right.is_multiple_of(3);
    check("two conditions", &numbers(twice), &Pairs::of(&left, &right, false, accepts).left());
}

#[test]
fn keys_of_floats_and_of_several_columns() {
    let s = session();
    for size in [0, 1, 7, 4097] {
        let (k, x) = (keys(size, 8), floats(size));
        let key = |row: usize| Some((k[row]?, canonical(x[row]?)));
        let all: Vec<_> = (0..size).map(key).collect();
        let half: Vec<_> = all.iter().copied().step_by(2).collect();
        let every_other = |row: usize| row.is_multiple_of(2);
        let of = |keep: &dyn Fn(usize) -> bool| {
            let rows: Vec<usize> = (0..size).filter(|&row| keep(row)).collect();
            let keys: Vec<_> = rows.iter().map(|&row| k[row]).collect();
            (column(&keys), column(&rows.iter().map(|&row| x[row]).collect::<Vec<_>>()))
        };
        let (left, right) = (of(&|_| true), of(&every_other));
        let left = s.from((&left.0, &left.1, 0..size as u64));
        let right = s.from((&right.0, &right.1, 0..size.div_ceil(2) as u64));
        let joined = left.join(right, |(k, x, _)| (k, [x]), |(k, x, _)| (k, [x]));
        let (l, r) = joined.map(|((_, _, l), (_, _, r))| (l, r)).collect().unwrap();
        let found: Vec<_> = options(&l).into_iter().zip(options(&r)).collect();
        check(&format!("join of {size} by two keys"), &found, &Pairs::of(&all, &half, false, |_, _| true).inner());
    }
}

#[test]
fn every_pair_of_a_cross_join() {
    let s = session();
    for (left, right) in [(0, 5), (5, 0), (1, 1), (70, 90), (4097, 3)] {
        let query = |most| s.from(0u64..left).cross_join(s.from(0u64..right), most);
        let (l, r) = query(left * right).collect().unwrap();
        let expected: Vec<_> = (0..left).flat_map(|l| (0..right).map(move |r| (Some(l), Some(r)))).collect();
        let found: Vec<_> = options(&l).into_iter().zip(options(&r)).collect();
        check(&format!("{left} × {right}"), &found, &expected);
        if left * right > 0 {
            let error = query(left * right - 1).run().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
        }
    }
}
