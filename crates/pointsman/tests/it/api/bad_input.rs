//! Everything a user can get wrong has a kind, names the thing and the remedy, and never panics.

use super::session;
use pointsman::{ErrorKind, F32, Result, SessionOptions, U32, iterate, lookup, repeat, select};
use std::fmt::Debug;

/// The error's kind and every part of its text.
fn check<T: Debug>(result: Result<T>, kind: ErrorKind, parts: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    for part in parts {
        assert!(error.to_string().contains(part), "`{part}` is not in `{error}`");
    }
}

#[test]
fn columns_of_different_length() {
    let (a, b) = (vec![1.0f32; 3], vec![1.0f32; 5]);
    let result = session().from((&a, &b)).map(|(a, b)| a + b).run();
    check(result, ErrorKind::InvalidQuery, &["column 0 of the source has 3 rows", "column 1 has 5", "bad_input.rs:"]);
    let q = session().prepare(|a: F32, b: F32| a + b).unwrap();
    check(q.run(&a, &b), ErrorKind::InvalidQuery, &["column 0 has 3 rows, but column 1 has 5"]);
}

#[test]
fn a_column_of_another_query() {
    let (s, x) = (session(), [1.0f32, 2.0]);
    let mut leaked = None;
    let here = line!() + 1;
    let first = s.from(&x).map(|x| *leaked.insert(x));
    let result = s.from(&x).map(|x| x + leaked.unwrap()).run();
    let place = format!("bad_input.rs:{here}");
    check(result, ErrorKind::InvalidQuery, &["a column of query ", "cannot be used in query ", &place, "as a tuple"]);
    assert_eq!(first.run().unwrap()[..], [1.0, 2.0], "the other query is well");
}

#[test]
fn an_expression_outside_any_query() {
    let (s, x) = (session(), [1.0f32, 2.0]);
    let mut leaked = None;
    s.from(&x).map(|x| *leaked.insert(x)).run().unwrap();
    let outside = leaked.unwrap() * 2.0;
    check(s.from(&x).map(|_| outside).run(), ErrorKind::InvalidQuery, &["outside any query", "inside a closure"]);
    check(s.from(&x).filter(|_| outside.gt(1.0)).run(), ErrorKind::InvalidQuery, &["outside any query"]);
}

#[test]
fn an_expression_of_an_earlier_step() {
    let (s, x) = (session(), [1.0f32, 2.0]);
    let mut leaked = None;
    let query = s.from(&x).filter(|x| (*leaked.insert(x)).gt(0.0)).map(|x| x * 2.0);
    let result = query.map(|x| x + leaked.unwrap()).run();
    check(result, ErrorKind::InvalidQuery, &["an earlier step"]);
}

#[test]
fn values_that_leave_a_loop() {
    let mut leaked: Option<U32> = None;
    let result = session()
        .from(0u32..3)
        .map(|n| {
            let sum: U32 = repeat(3, n, |i, sum| {
                leaked = Some(i);
                sum + i
            });
            sum + leaked.unwrap()
        })
        .run();
    check(result, ErrorKind::InvalidQuery, &["made inside a loop", "carry it in the loop's state"]);
}

#[test]
fn loops_without_a_bound() {
    for (bound, what) in
        [(0, "a loop without a bound"), (u32::MAX, "a loop of up to 4294967295 iterations is too long")]
    {
        let forever = session().from(0u32..3).map(|n| iterate(bound, n, |n| n.lt(10), |n| n + 1)).run();
        check(forever, ErrorKind::InvalidQuery, &[what, "1 to 16777216"]);
    }
}

#[test]
fn plans_over_the_limits() {
    let many = session().from(0u32..3).map(|n| (0..20_000).fold(n, |sum, _| sum + n)).run();
    check(many, ErrorKind::InvalidQuery, &["more than 10000 steps and expressions", "repeat"]);
    let mut steps = session().from(0u32..3);
    for _ in 0..300 {
        steps = steps.map(|n| n + 1);
    }
    check(steps.run(), ErrorKind::InvalidQuery, &["more than 200 steps"]);
    fn nested(depth: u32, value: U32) -> U32 {
        if depth == 0 { value + 1 } else { repeat(1, value, |_, value| nested(depth - 1, value)) }
    }
    check(session().from(0u32..3).map(|n| nested(201, n)).run(), ErrorKind::InvalidQuery, &["more than 200 loops"]);
}

#[test]
fn plans_at_the_limits() {
    let s = session();
    let long = s.from(0u32..3).map(|n| (0..9_000).fold(n, |sum, _| sum + n)).to_vec();
    assert_eq!(long.unwrap(), [0, 9_001, 18_002]);
    let mut steps = s.from(0u32..3);
    for _ in 0..150 {
        steps = steps.map(|n| n + 1);
    }
    assert_eq!(steps.to_vec().unwrap(), [150, 151, 152]);
}

#[test]
fn arithmetic_errors_name_their_row() {
    let s = session();
    let mut divisors = vec![1i32; 10_000];
    (divisors[7_000], divisors[9_000]) = (0, 0);
    let error = s.from(&divisors).map(|d| 100 / d).run().unwrap_err();
    assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(7_000)), "{error}");
    check(
        s.from(&divisors).map(|d| 100 / d).run(),
        ErrorKind::Arithmetic,
        &["100", "row 7000", "select", "bad_input.rs:"],
    );
    check(s.from(&divisors).map(|d| 100 / d).sum(), ErrorKind::Arithmetic, &["row 7000"]);
    check(
        s.from(&[1, 2, -3]).map(|x| x.cast::<u8>()).run(),
        ErrorKind::Arithmetic,
        &["-3", "row 2:", "cast_saturating"],
    );
    check(s.from(&[1e20f64]).map(|x| x.cast::<i64>()).run(), ErrorKind::Arithmetic, &["row 0"]);
    check(s.from(&[i32::MAX]).map(|x| x.checked_add(1)).run(), ErrorKind::Arithmetic, &["2147483647", "row 0"]);
    let quotient = s.from(&[i64::MIN]).map(|x| x / -1).run().unwrap_err();
    assert!(!quotient.message().contains("wrapping operator"), "there is none: {quotient}");
    check(s.from(&[i32::MIN]).map(|x| x / -1).run(), ErrorKind::Arithmetic, &["row 0", "wider type", "`filter`"]);
    let sums = s.from(&[3, -3, 5]).scan(|x| x.running_sum()).map(|x| 100 / x).run();
    assert_eq!(sums.as_ref().unwrap_err().row(), Some(1), "a scan keeps rows in their place");
    check(sums, ErrorKind::Arithmetic, &["row 1: 100 / 0"]);
    check(s.from(0u32..10).map(|i| 100 / (i - 7)).run(), ErrorKind::Arithmetic, &["row 7: 100 / 0: division by zero"]);
    let behind = s.from(&[1, -1, 5]).filter(|x| x.lt(5)).scan(|x| x.running_sum()).map(|x| 100 / x).run();
    assert_eq!(behind.as_ref().unwrap_err().row(), None, "only rows of the source have numbers");
    check(behind, ErrorKind::Arithmetic, &["row 1 of what stage 0 gave: 100 / 0"]);
    let table = lookup(&[1u8, 2]);
    check(s.from(&[0u32, 1, 2]).map(|i| table.at(i)).run(), ErrorKind::Arithmetic, &["row 2"]);
    check(s.from(&[200u8, 100]).sum(), ErrorKind::Arithmetic, &["wider type"]);
    check(s.from(&[200u8, 100]).scan(|x| x.running_sum()).run(), ErrorKind::Arithmetic, &["wider type"]);
}

#[test]
fn errors_in_unused_values_are_not_raised() {
    let (s, d) = (session(), [2i32, 0, 5]);
    assert_eq!(s.from(&d).map(|d| select(d.eq(0), 0, 100 / d)).to_vec().unwrap(), [50, 0, 20]);
    assert_eq!(s.from(&d).filter(|d| d.ne(0)).map(|d| 100 / d).to_vec().unwrap(), [50, 20]);
    assert_eq!(s.from(&d).filter(|d| d.ne(0) & (100 / d).gt(30)).to_vec().unwrap(), [2]);
    assert_eq!(s.from(&d).map(|d| (d, 100 / d)).map(|(d, _)| d).sum().unwrap(), 7);
}

#[test]
fn unknown_devices_and_passes() {
    let (s, x) = (session(), [1i32]);
    let missing = ["no device `cuda:99` here", "`Session::devices` lists"];
    check(s.from(&x).require("cuda:99").run(), ErrorKind::Unsupported, &missing);
    check(s.from(&x).require("gpu").run(), ErrorKind::InvalidQuery, &["no device `gpu`"]);
    check(s.from(&x).prefer("gpu").run(), ErrorKind::InvalidQuery, &["no device `gpu`"]);
    assert_eq!(s.from(&x).require("cpu").run().unwrap().receipt().why(), "required");
    let answer = s.from(&x).prefer("cuda:99").run().unwrap();
    assert!(answer.receipt().why().contains("`cuda:99` is preferred, but there is no device"), "{}", answer.receipt());
    assert_eq!(answer.receipt().device(), "cpu");
    let unknown = SessionOptions::new().disable_pass("magic").open();
    check(unknown.map(|_| ()), ErrorKind::InvalidQuery, &["no pass `magic`", "the passes are"]);
}

#[test]
fn casts_that_do_not_exist() {
    let result = session().from(&[true]).map(|b| b.cast::<pointsman::Date>()).run();
    check(result, ErrorKind::InvalidQuery, &["from bool to date32", "bad_input.rs:"]);
}

#[test]
fn memory_that_does_not_fit() {
    let (s, x) = (session(), pointsman::Column::from_options([Some(1), None]));
    let mut out = [0; 1];
    check(s.from(&[1, 2]).into_slice(&mut out), ErrorKind::InvalidQuery, &["has 2 values", "room for 1"]);
    let mut out = [0; 2];
    check(s.from(&x).into_slice(&mut out), ErrorKind::InvalidQuery, &["1 values", "null", "coalesce"]);
    check(s.from(&x).to_vec(), ErrorKind::InvalidQuery, &["coalesce"]);
}

#[test]
fn results_too_large_for_memory_are_errors() {
    let s = SessionOptions::new().memory_bytes(100_000).open().unwrap();
    assert_eq!(s.from(0u64..10_000).to_vec().unwrap().len(), 10_000);
    check(s.from(0u64..100_000).run(), ErrorKind::OutOfMemory, &["800000 bytes", "100000"]);
    check(s.from(0..1u64 << 40).run(), ErrorKind::OutOfMemory, &["out of memory"]);
    assert_eq!(s.from(0u64..100_000).count().unwrap(), 100_000);
}

#[test]
fn more_rows_or_threads_than_anyone_has() {
    let s = session();
    check(
        s.from(0..u64::MAX).count(),
        ErrorKind::InvalidQuery,
        &["18446744073709551615 rows", "at most 1099511627776"],
    );
    check(s.from(i64::MIN..0).sum(), ErrorKind::InvalidQuery, &["9223372036854775808 rows", "split it"]);
    let many = SessionOptions::new().threads(usize::MAX).open();
    check(many.map(|_| ()), ErrorKind::InvalidQuery, &["threads are too many", "1 to 1024"]);
}

#[test]
fn options_outside_their_range() {
    let open = |options: SessionOptions| options.open().map(|_| ());
    check(open(SessionOptions::new().threads(0)), ErrorKind::InvalidQuery, &["0 threads are too few", "1 to 1024"]);
    for batches in [0, 4] {
        let options = SessionOptions::new().batches_in_flight(batches);
        check(open(options), ErrorKind::InvalidQuery, &[&format!("{batches} batches"), "1 to 3"]);
    }
    check(open(SessionOptions::new().prefer("gpu")), ErrorKind::InvalidQuery, &["no device `gpu`", "`cuda:0`"]);
    check(open(SessionOptions::new().prefer("cpu+cuda:x")), ErrorKind::InvalidQuery, &["no device `cuda:x`"]);
    check(open(SessionOptions::new().choose_among(["cuda:0", "tpu"])), ErrorKind::InvalidQuery, &["no device `tpu`"]);
    assert!(open(SessionOptions::new().prefer("cuda:7 + cpu").choose_among(["vulkan:0"])).is_ok());
}

#[test]
fn a_panic_in_a_loop_that_the_closure_catches() {
    let query = session().from(&[1, 2]).map(|x| {
        let half = || repeat(3, x, |_, _| -> pointsman::I32 { panic!("on purpose") });
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(half));
        assert!(caught.is_err());
        x + 1
    });
    check(query.map(|x| x * 2).run(), ErrorKind::InvalidQuery, &["a closure of a loop panicked", "bad_input.rs:"]);
}

#[test]
fn prepared_queries_without_columns() {
    let q = session().prepare(|k: pointsman::Param<f32>| k + 1.0);
    check(q.map(|_| ()), ErrorKind::InvalidQuery, &["at least one column"]);
}

#[test]
fn a_panic_in_a_closure_leaves_nothing_open() {
    let (s, x) = (session(), [1.0f32]);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _query = s.from(&x).map(|_| -> F32 { panic!("on purpose") });
    }));
    assert!(caught.is_err());
    assert_eq!(s.from(&x).map(|x| x + 1.0).to_vec().unwrap(), [2.0]);
    let mut leaked = None;
    s.from(&x).map(|x| *leaked.insert(x)).run().unwrap();
    let outside = leaked.unwrap() + 1.0;
    check(s.from(&x).map(|_| outside).run(), ErrorKind::InvalidQuery, &["outside any query"]);
}

#[test]
fn the_first_mistake_is_reported() {
    let (s, b) = (session(), [true]);
    let query =
        s.from(&b).map(|b| b.cast::<pointsman::Date>()).filter(|d| d.gt(pointsman::Date(1))).map(|d| d.cast::<i32>());
    let explained = query.explain();
    assert!(explained.step("error").unwrap().contains("from bool to date32"));
    check(query.sum(), ErrorKind::InvalidQuery, &["from bool to date32"]);
}
