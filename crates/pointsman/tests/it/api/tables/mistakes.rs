//! Mistakes in table steps: errors of the run that name the step's line and what to do.

use super::session;
use pointsman::{ErrorKind, Expr, Query, Result, count};
use std::cell::Cell;
use std::fmt::Debug;

#[track_caller]
fn check<T: Debug>(result: Result<T>, parts: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
    assert!(error.location().is_some_and(|at| at.file().ends_with("mistakes.rs")), "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "`{part}` is not in `{error}`");
    }
}

#[test]
fn steps_without_keys() {
    let (s, x) = (session(), [1i64, 2]);
    let none: [Expr<i64>; 0] = [];
    let query = || s.from(&x);
    let line = |here: u32| format!("mistakes.rs:{here}");
    check(query().sort_by(|_| none).run(), &["no key to sort by", &line(line!())]);
    check(query().group_by(|_| none).agg(|x| x.sum()).run(), &["no key to group by", "reduce", &line(line!())]);
    check(query().join(query(), |_| none, |_| none).run(), &["no key to join by", "cross_join", &line(line!())]);
}

#[test]
fn expressions_of_the_other_query() {
    let (s, x) = (session(), [1i64, 2]);
    let mut leaked: Option<Expr<i64>> = None;
    let other = s.from(&x).map(|x| *leaked.insert(x));
    let here = format!("mistakes.rs:{}", line!() - 1);
    check(
        s.from(&x).join(other, |x| x + leaked.unwrap(), |y| y).run(),
        &["a column of query ", &here, "join the queries"],
    );
    let left = Cell::new(None);
    let leak = |x: Expr<i64>| {
        left.set(Some(x));
        x
    };
    let joined = s.from(&x).join(s.from(&x), leak, |y| y + left.get().unwrap());
    check(joined.run(), &["an expression of an earlier step"]);
    let joined = s.from(&x).join(s.from(&x), |x| x, leak).map(|_| left.get().unwrap());
    check(joined.run(), &["an expression of an earlier step"]);
    let grouped = s.from(&x).group_by(leak).agg(|_| left.get().unwrap().sum());
    check(grouped.run(), &["an expression of an earlier step"]);
}

#[test]
fn mistakes_of_the_other_query_are_reported() {
    let (s, x, y) = (session(), [1i64, 2], [1i64]);
    let here = format!("mistakes.rs:{}", line!() + 1);
    let wrong = || s.from((&x, &y)).map(|(x, _)| x);
    check(s.from(&x).union(wrong()).run(), &["column 0 of the source has 2 rows", &here]);
    check(s.from(&x).semi_join(wrong(), |x| x, |y| y).run(), &["column 0 of the source has 2 rows", &here]);
    check(wrong().cross_join(s.from(&x), 10).filter(|(x, y)| x.lt(y)).run(), &["column 0 of the source", &here]);
}

#[test]
fn queries_of_different_sessions() {
    let (first, second, x) = (session(), session(), [1i64, 2]);
    check(first.from(&x).join(second.from(&x), |x| x, |y| y).run(), &["different sessions", "clones"]);
    check(first.from(&x).union(second.from(&x)).run(), &["different sessions"]);
    assert_eq!(first.from(&x).join(first.clone().from(&x), |x| x, |y| y).count().unwrap(), 2);
}

#[test]
fn fractions_outside_the_values() {
    let (s, x) = (session(), [1i64, 2]);
    for fraction in [-0.1, 1.1, f64::NAN] {
        check(s.from(&x).reduce(|x| x.quantile(fraction)), &["no quantile at", "between 0 and 1"]);
    }
    assert_eq!(s.from(&x).reduce(|x| (x.quantile(0.0), x.quantile(1.0))).unwrap(), (Some(1.0), Some(2.0)));
}

#[test]
fn too_many_steps() {
    let (s, x) = (session(), [1i64, 2]);
    let long = |query: Query<'static, Expr<i64>>, steps| (0..steps).fold(query, |query, _| query.offset(0));
    check(long(s.from(vec![1i64, 2]), 250).run(), &["more than 200 steps"]);
    // Steps of both sides of a join are not on top of each other.
    let joined = long(s.from(vec![1i64, 2]), 150).join(long(s.from(x.to_vec()), 150), |x| x, |y| y);
    assert_eq!(joined.count().unwrap(), 2);
    let wide = (0..120).fold(s.from(&x), |query, _| query.union(s.from(&x)));
    assert_eq!(wide.group_by(|x| x).agg(|_| count()).count().unwrap(), 2);
}
