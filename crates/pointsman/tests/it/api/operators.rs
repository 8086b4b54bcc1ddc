//! Every operator and method, on edge values, against plain Rust.

use super::session;
use pointsman::{Date, Expr, Timestamp, lit, null, repeat, select};

/// One expression over pairs of values, row by row.
fn check<T, U>(pairs: &[(T, T)], f: impl FnOnce(Expr<T>, Expr<T>) -> Expr<U>, plain: impl Fn(T, T) -> U)
where
    T: pointsman::Element,
    U: pointsman::Element,
{
    let (a, b): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let out = session().from((&a, &b)).map(|(a, b)| f(a, b)).collect().unwrap();
    assert_eq!(out.nulls(), 0);
    let expected: Vec<U> = pairs.iter().map(|&(a, b)| plain(a, b)).collect();
    assert_eq!(out.to_vec(), expected);
}

const INTEGERS: [(i32, i32); 7] =
    [(7, 2), (-7, 2), (7, -2), (i32::MAX, 1), (i32::MIN, 3), (0, 5), (123_456_789, 987_654_321)];
const FLOATS: [(f64, f64); 6] =
    [(1.5, -2.25), (0.0, 3.0), (-7.75, 0.5), (1e300, 1e300), (f64::INFINITY, 1.0), (2.5, 2.5)];

#[test]
fn integer_arithmetic_wraps() {
    check(&INTEGERS, |a, b| a + b, i32::wrapping_add);
    check(&INTEGERS, |a, b| a - b, i32::wrapping_sub);
    check(&INTEGERS, |a, b| a * b, i32::wrapping_mul);
    check(&INTEGERS, |a, b| a / b, |a, b| a / b);
    check(&INTEGERS, |a, b| a % b, |a, b| a % b);
    check(&INTEGERS, |a, _| -a, |a, _| a.wrapping_neg());
    check(&INTEGERS, |a, _| a.abs(), |a, _| a.wrapping_abs());
    check(&INTEGERS, |a, _| a.sign(), |a, _| a.signum());
}

#[test]
fn bits_and_shifts() {
    check(&INTEGERS, |a, b| a & b, |a, b| a & b);
    check(&INTEGERS, |a, b| a | b, |a, b| a | b);
    check(&INTEGERS, |a, b| a ^ b, |a, b| a ^ b);
    check(&INTEGERS, |a, _| !a, |a, _| !a);
    check(&INTEGERS, |a, b| a << b, |a, b| a.wrapping_shl(b as u32));
    check(&INTEGERS, |a, b| a >> b, |a, b| a.wrapping_shr(b as u32));
    check(&INTEGERS, |a, _| 5 & a | 3 ^ (1 << a), |a, _| 5 & a | 3 ^ 1i32.wrapping_shl(a as u32));
}

#[test]
fn float_arithmetic() {
    check(&FLOATS, |a, b| a + b, |a, b| a + b);
    check(&FLOATS, |a, b| a - b, |a, b| a - b);
    check(&FLOATS, |a, b| a * b, |a, b| a * b);
    check(&FLOATS, |a, b| a / b, |a, b| a / b);
    check(&FLOATS[..5], |a, b| (a % b).coalesce(0.0).least(1e9), |a, b| if a.is_infinite() { 1e9 } else { a % b });
    check(&FLOATS, |a, b| a.mul_add(b, 1.0), |a, b| a.mul_add(b, 1.0));
    check(&FLOATS, |a, b| a.fma(a, b), |a, b| a.mul_add(a, b));
    check(&FLOATS, |a, _| a.abs().sqrt(), |a, _| a.abs().sqrt());
    check(&FLOATS, |a, _| a.floor() + a.ceil(), |a, _| a.floor() + a.ceil());
    check(&FLOATS, |a, _| a.round() - a.trunc().least(1e9), |a, _| a.round() - a.trunc().min(1e9));
    check(&FLOATS, |a, _| (a - a).is_nan(), |a, _| (a - a).is_nan());
}

#[test]
#[allow(clippy::op_ref)]
fn scalars_on_both_sides() {
    check(&FLOATS[..4], |a, b| 2.0 * a + (1.0 - b) / 4.0 - &a, |a, b| 2.0 * a + (1.0 - b) / 4.0 - a);
    check(&INTEGERS, |a, b| 100 / (a | 1) % 7 + &b, |a, b| (100 / (a | 1) % 7).wrapping_add(b));
    check(&INTEGERS, |a, b| true & a.lt(b) | false, |a, b| a < b);
}

#[test]
fn comparisons_and_logic() {
    check(&INTEGERS, |a, b| a.lt(b) & !a.eq(0) | b.ge(3), |a, b| a < b && a != 0 || b >= 3);
    check(&INTEGERS, |a, b| a.le(b) & a.ne(b), |a, b| a < b);
    check(&FLOATS, |a, b| a.gt(b), |a, b| a > b);
    check(&INTEGERS, |a, b| a.least(b), |a, b| a.min(b));
    check(&INTEGERS, |a, b| a.greatest(b), |a, b| a.max(b));
    check(&INTEGERS, |a, _| a.clamp(-5, 5), |a, _| a.clamp(-5, 5));
    let nan = [f32::NAN, 1.0];
    let s = session();
    assert_eq!(s.from(&nan).map(|x| x.eq(f32::NAN)).to_vec().unwrap(), [true, false]);
    assert_eq!(s.from(&nan).map(|x| x.gt(f32::INFINITY)).to_vec().unwrap(), [true, false]);
}

#[test]
fn choices() {
    check(&INTEGERS, |a, b| select(a.gt(b), a, b), |a, b| a.max(b));
    check(&INTEGERS, |a, _| select(a.gt(0), 1, lit(-1)), |a, _| if a > 0 { 1 } else { -1 });
    let (low, high) =
        session().from((&[1, 5], &[4, 2])).map(|(a, b)| select(a.lt(b), (a, b), (b, a))).collect().unwrap();
    assert_eq!((&low[..], &high[..]), (&[1, 2][..], &[4, 5][..]));
}

#[test]
fn casts() {
    check(&INTEGERS, |a, _| a.cast::<f64>(), |a, _| f64::from(a));
    check(&INTEGERS, |a, _| a.cast::<i64>() * 4, |a, _| i64::from(a) * 4);
    check(&INTEGERS, |a, _| a.cast_saturating::<u8>(), |a, _| a.clamp(0, 255) as u8);
    check(&FLOATS, |a, _| a.cast_saturating::<i32>(), |a, _| a as i32);
    check(&FLOATS, |a, _| a.cast::<f32>(), |a, _| a as f32);
    check(&INTEGERS, |a, b| a.gt(b).cast::<u32>(), |a, b| u32::from(a > b));
    let days = [Date(0), Date(-1), Date(19_000)];
    let s = session();
    let micros = s.from(&days).map(|d| d.cast::<Timestamp>()).to_vec().unwrap();
    assert_eq!(micros, [0, -86_400_000_000, 19_000 * 86_400_000_000].map(Timestamp));
    assert_eq!(s.from(&days).map(|d| d.gt(Date(10))).to_vec().unwrap(), [false, false, true]);
    assert_eq!(s.from(&days).max().unwrap(), Some(Date(19_000)));
}

#[test]
fn nulls_follow_three_valued_logic() {
    let s = session();
    let x = pointsman::Column::from_options([Some(1), None, Some(3)]);
    let plus = s.from(&x).map(|x| x + 1).collect().unwrap();
    assert_eq!(plus.options().collect::<Vec<_>>(), [Some(2), None, Some(4)]);
    assert_eq!(plus[..], [2, 0, 4], "null slots are zero");
    assert_eq!(s.from(&x).map(|x| x.coalesce(9)).to_vec().unwrap(), [1, 9, 3]);
    assert_eq!(s.from(&x).map(|x| x.is_null()).to_vec().unwrap(), [false, true, false]);
    assert_eq!(s.from(&x).filter(|x| !x.gt(1)).to_vec().unwrap(), [1], "a null condition is not true");
    let three: Vec<_> = s.from(&x).map(|x| x.gt(1) | lit(true)).collect().unwrap().options().collect();
    assert_eq!(three, [Some(true); 3]);
    let folds = s.from(&x).reduce(|x| (x.sum(), x.count(), pointsman::count(), x.mean())).unwrap();
    assert_eq!(folds, (4, 2, 3, Some(2.0)));
    let all = s.from(&[1, 2]).map(|_| null::<f64>()).reduce(|x| (x.sum(), x.max(), x.mean())).unwrap();
    assert_eq!(all, (0.0, None, None));
    let chosen = s.from(&x).map(|x| select(x.gt(1), x, null())).collect().unwrap();
    assert_eq!(chosen.nulls(), 2);
}

#[test]
fn checked_arithmetic_that_fits() {
    check(&INTEGERS[..3], |a, b| a.checked_add(b).checked_mul(3).checked_sub(1), |a, b| (a + b) * 3 - 1);
}

#[test]
fn sums_of_every_type_and_means() {
    let s = session();
    assert_eq!(s.from(&[200u8, 55]).sum().unwrap(), 255);
    assert_eq!(s.from(&[u64::MAX]).sum().unwrap(), u64::MAX);
    assert_eq!(s.from(&[u64::MAX, u64::MAX]).mean().unwrap(), Some(u64::MAX as f64));
    assert_eq!(s.from(&[i64::MIN, i64::MAX]).sum().unwrap(), -1);
    assert_eq!(s.from(&[0.1f32; 4]).mean().unwrap(), Some(f64::from(0.1f32)));
    assert_eq!(s.from(&[true, false, true]).filter(|b| b).count().unwrap(), 2);
    assert_eq!(s.from(&[true, false]).min().unwrap(), Some(false));
}

#[test]
fn whether_a_row_faults_does_not_depend_on_nulls_in_other_rows() {
    let s = session();
    let last = |last: Option<i64>| pointsman::Column::from_options([Some(i64::MAX), last]);
    for (x, nulls) in [(last(Some(1)), [false, false]), (last(None), [false, true])] {
        assert_eq!(s.from(&x).map(|x| x.checked_mul(143).is_null()).to_vec().unwrap(), nulls);
        let behind = s.from(&x).map(|x| x.checked_mul(143)).map(|y| y.is_null());
        assert_eq!(behind.to_vec().unwrap(), nulls);
        let chosen = s.from(&x).map(|x| select(x.checked_mul(143).gt(0), x, x + 1).is_null());
        assert_eq!(chosen.to_vec().unwrap(), nulls);
        let logic = s.from(&x).map(|x| (x.checked_mul(143).gt(0) & x.gt(1)).is_null());
        assert_eq!(logic.to_vec().unwrap(), nulls);
        let steps = s.from((&x, &[0i64, 1])).map(|(x, z)| repeat(2, x, |_, x| x + 10 / z).is_null());
        assert_eq!(steps.to_vec().unwrap(), nulls);
        let steps = s.from((&x, &[0i64, 1])).map(|(x, z)| repeat(2, z, |_, y| select(y.lt(x), 10 / z, x)).is_null());
        assert_eq!(steps.to_vec().unwrap(), nulls);
        s.from(&x).map(|x| x.checked_mul(143)).to_vec().unwrap_err();
    }
}

#[test]
fn null_test_needs_only_the_values_that_decide() {
    let s = session();
    let x = pointsman::Column::from_options([Some(i64::MAX), Some(1), None]);
    let nulls = pointsman::Column::from_options([None::<i64>; 3]);
    for chosen in [true, false] {
        // The condition decides which branch is null; the product of the other branch is not needed.
        let choice = s.from(&x).map(|x| select(chosen, null::<i64>(), x.checked_mul(143)).is_null());
        assert_eq!(choice.to_vec().unwrap(), [chosen, chosen, true]);
    }
    for wanted in [true, false] {
        // `and` is null unless the other operand is false, `or` unless it is true; the null operand is not needed.
        let unknown = |x: Expr<i64>, null: Expr<i64>| (x.checked_mul(143) + null).gt(0);
        let and = s.from((&x, &nulls)).map(|(x, null)| (unknown(x, null) & x.is_null().eq(wanted)).is_null());
        assert_eq!(and.to_vec().unwrap(), [!wanted, !wanted, wanted]);
        let or = s.from((&x, &nulls)).map(|(x, null)| (x.is_null().eq(wanted) | unknown(x, null)).is_null());
        assert_eq!(or.to_vec().unwrap(), [wanted, wanted, !wanted]);
    }
}

#[test]
fn elementary_functions_need_all_operands_also_beside_a_null() {
    let s = session();
    let (nulls, zeros) = (pointsman::Column::from_options([None::<f64>; 3]), [0i64; 3]);
    let faulty = |zero: Expr<i64>| (1 / zero).cast::<f64>();
    type Function = fn(Expr<f64>, Expr<f64>) -> Expr<f64>;
    let functions: [Function; 3] = [|x, y| x.hypot(y), |x, y| x.atan2(y), |x, y| x.pow(y)];
    for function in functions {
        let first = s.from((&nulls, &zeros)).map(|(null, zero)| function(null, faulty(zero)));
        let second = s.from((&nulls, &zeros)).map(|(null, zero)| function(faulty(zero), null));
        for query in [first, second] {
            let error = query.run().map(drop).unwrap_err();
            assert_eq!((error.kind(), error.row()), (pointsman::ErrorKind::Arithmetic, Some(0)), "{error}");
        }
        let validity = s.from((&nulls, &zeros)).map(|(null, zero)| function(null, faulty(zero)).is_null());
        assert_eq!(validity.to_vec().unwrap(), [true; 3]);
    }
}
