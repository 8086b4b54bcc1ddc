//! Elementary functions on the device, over blocks that mix usual arguments with those that need the long way round.

use super::session;
use pointsman::{Column, Expr};

/// Compares a function of doubles with the library's, to a relative error of 10⁻¹⁵.
fn check(xs: &[f64], f: impl FnOnce(Expr<f64>) -> Expr<f64>, plain: fn(f64) -> f64) {
    let got = session().from(xs).map(f).to_vec().unwrap();
    for (&x, got) in xs.iter().zip(got) {
        let want = plain(x);
        let close = (got - want).abs() <= want.abs() * 1e-15;
        assert!(close || got == want || got.is_nan() && want.is_nan(), "{x:e}: {got:e}, not {want:e}");
    }
}

/// Numbers of many sizes; every hundredth is huge, infinite or no number.
fn mixed() -> Vec<f64> {
    let odd = [1e22, -1e300, f64::INFINITY, f64::NAN, 5e-324, -0.0, 1e8];
    let number = |k: usize| (k as f64 - 5_000.0) * 0.013;
    (0..10_000).map(|k| if k % 100 == 57 { odd[k / 100 % odd.len()] } else { number(k) }).collect()
}

#[test]
fn functions_of_one_number() {
    let xs = mixed();
    check(&xs, Expr::exp, f64::exp);
    check(&xs, Expr::exp2, f64::exp2);
    check(&xs, Expr::ln, f64::ln);
    check(&xs, Expr::log10, f64::log10);
    check(&xs, Expr::sin, f64::sin);
    check(&xs, Expr::cos, f64::cos);
    check(&xs, Expr::tan, f64::tan);
    check(&xs, Expr::atan, f64::atan);
    check(&xs, Expr::tanh, f64::tanh);
    check(&xs, Expr::cbrt, f64::cbrt);
    check(&xs, |x| x.pow(3.0), |x| x.powf(3.0));
    check(&xs, |x| x.atan2(-2.0), |x| x.atan2(-2.0));
    check(&xs, |x| x.hypot(2.0), |x| x.hypot(2.0));
}

#[test]
fn nulls_stay_and_constants_fold() {
    let s = session();
    let xs = Column::from_options([Some(0.0f32), None, Some(1.0), None]);
    let out = s.from(&xs).map(|x| x.exp()).collect().unwrap();
    assert_eq!(out.nulls(), 2);
    let fold = s.from(&[0.0f64; 3]).map(|x| x + pointsman::lit(0.5f64).sin()).to_vec().unwrap();
    let same = s.from(&[0.5f64; 3]).map(|x| x.sin()).to_vec().unwrap();
    assert_eq!(fold, same);
}
