//! The special functions against the reference files that `judge.py` writes, and against identities.
//!
//! The environment variables `MITTAG_LEFFLER_REFERENCE`, `DERIVATIVE_REFERENCE` and `GAMMA_REFERENCE` name files with
//! fresh cases, which then replace the committed ones.

use super::*;
use num_complex::Complex64;
use std::collections::BTreeMap;
use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, PI};

/// |error| of the Mittag-Leffler function, relative to the scale in the file.
const MITTAG_LEFFLER_BAR: f64 = 1e-13;

/// The text of a reference file; the environment variable names another one with fresh cases.
fn reference(variable: &str, committed: &str) -> String {
    match std::env::var(variable) {
        Ok(path) => std::fs::read_to_string(path).expect("the reference file is readable"),
        Err(_) => committed.to_owned(),
    }
}

/// The rows after the comment and the header: a name, then numbers.
fn rows(text: &str) -> impl Iterator<Item = (&str, Vec<f64>)> {
    text.lines().skip(2).map(|line| {
        let (name, numbers) = line.split_once(',').expect("a name and numbers");
        (name, numbers.split(',').map(|cell| cell.parse().expect("a number")).collect())
    })
}

/// The largest error per name, and the row where it occurs.
#[derive(Default)]
struct Worst(BTreeMap<String, (f64, String, usize)>);

impl Worst {
    fn add(&mut self, name: &str, ratio: f64, case: String) {
        let worst = self.0.entry(name.to_owned()).or_insert((-1.0, String::new(), 0));
        worst.2 += 1;
        // NaN counts as the worst.
        if ratio.is_nan() || ratio > worst.0 {
            (worst.0, worst.1) = (if ratio.is_nan() { f64::INFINITY } else { ratio }, case);
        }
    }

    /// Prints the worst cases and asserts the bar.
    fn check(&self) {
        for (name, (ratio, case, count)) in &self.0 {
            eprintln!("{name:>16} {count:>5} cases, worst ratio to the bar {ratio:.4} at {case}");
        }
        assert!(self.0.values().all(|worst| worst.0 <= 1.0));
        assert!(self.0.values().map(|worst| worst.2).sum::<usize>() > 100, "too few rows");
    }
}

/// Compares complex and real values with the rows of a reference file.
fn check_mittag_leffler(
    text: &str,
    bar: impl Fn(f64) -> f64,
    complex: impl Fn(f64, f64, Complex64) -> Result<Complex64, DomainError>,
    real: impl Fn(f64, f64, f64) -> Result<f64, DomainError>,
) {
    let mut worst = Worst::default();
    for (sector, row) in rows(text) {
        let [a, b, re, im, expected_re, expected_im, scale] = row[..] else { panic!("{row:?}") };
        let (z, expected) = (Complex64::new(re, im), Complex64::new(expected_re, expected_im));
        let mut add = |value: Complex64| {
            let ratio = match (value.is_finite(), expected.is_finite()) {
                (true, true) => (value - expected).norm() / (bar(a) * scale),
                (false, false) if !value.is_nan() => 0.0,
                // One side overflows: its rounded argument decides.
                _ if value.norm() > 1e290 && expected.norm() > 1e290 => 0.0,
                _ => f64::NAN,
            };
            worst.add(sector, ratio, format!("{a:?} {b:?} {z:?}: {value:e} for {expected:e}"));
        };
        add(complex(a, b, z).expect("in the domain"));
        if im == 0.0 {
            add(real(a, b, re).expect("in the domain").into());
        }
    }
    worst.check();
}

#[test]
fn mittag_leffler_meets_the_bar_on_the_reference() {
    let text = reference("MITTAG_LEFFLER_REFERENCE", include_str!("../../tests/special/reference.csv"));
    check_mittag_leffler(&text, |_| MITTAG_LEFFLER_BAR, mittag_leffler_complex, mittag_leffler);
}

#[test]
fn derivative_meets_the_bar_on_the_reference() {
    let text = reference("DERIVATIVE_REFERENCE", include_str!("../../tests/special/reference_derivative.csv"));
    check_mittag_leffler(&text, |_| MITTAG_LEFFLER_BAR, mittag_leffler_derivative_complex, mittag_leffler_derivative);
}

#[test]
fn gamma_family_meets_its_bars_on_the_reference() {
    let text = reference("GAMMA_REFERENCE", include_str!("../../tests/special/reference_gamma.csv"));
    let mut worst = Worst::default();
    for (name, row) in rows(&text) {
        let [x, y, expected, scale] = row[..] else { panic!("{row:?}") };
        let (value, bar) = match name {
            "gamma" => (gamma(x), 1e-15),
            "reciprocal_gamma" => (reciprocal_gamma(x), 1e-15),
            "ln_gamma" => (ln_gamma(x).0, 1e-15),
            "digamma" => (digamma(x), 1e-15),
            "beta" => (beta(x, y), 4e-15),
            "ln_beta" => (ln_beta(x, y).0, 2e-15),
            _ => panic!("{name}"),
        };
        // Half a unit of the smallest subnormal is always allowed.
        let ratio = (value - expected).abs() / (bar * scale).max(5e-324);
        worst.add(
            name,
            if value == expected { 0.0 } else { ratio },
            format!("{x:?} {y:?}: {value:e} for {expected:e}"),
        );
    }
    worst.check();
}

/// Asserts |value − expected| ≤ tolerance·(1 + |expected|).
fn check(value: impl Into<Complex64>, expected: impl Into<Complex64>, tolerance: f64, case: &str) {
    let (value, expected) = (value.into(), expected.into());
    let error = (value - expected).norm() / (1.0 + expected.norm());
    assert!(error <= tolerance, "{case}: {value} for {expected}, error {error:e}");
}

fn real(a: f64, b: f64, z: f64) -> f64 {
    mittag_leffler(a, b, z).expect("in the domain")
}

fn complex(a: f64, b: f64, z: Complex64) -> Complex64 {
    mittag_leffler_complex(a, b, z).expect("in the domain")
}

/// Arguments of all sizes and directions.
fn points() -> impl Iterator<Item = Complex64> {
    [0.01, 0.3, 0.9, 1.0, 1.7, 4.0, 9.0]
        .into_iter()
        .flat_map(|r| [0.0, 0.4, 1.1, FRAC_PI_2, 2.0, 3.0, PI, -0.8, -2.5].map(|angle| Complex64::from_polar(r, angle)))
}

#[test]
fn closed_forms_hold() {
    for i in 0..=60 {
        let x = f64::from(i) * 0.25;
        let case = format!("x = {x}");
        check(real(1.0, 1.0, -x), (-x).exp(), 1e-15, &case);
        check(real(2.0, 1.0, -x * x), x.cos(), 1e-14, &case);
        check(x * real(2.0, 2.0, -x * x), x.sin(), 1e-13, &case);
        check(real(2.0, 1.0, x * x) / x.cosh(), 1.0, 1e-13, &case);
        check(x * real(1.0, 2.0, x) / x.exp_m1().max(1e-300), if i == 0 { 0.0 } else { 1.0 }, 1e-13, &case);
        check(real(4.0, 1.0, x.powi(4)) / (0.5 * (x.cos() + x.cosh())), 1.0, 1e-13, &case);
    }
}

#[test]
fn order_one_half_is_the_scaled_complementary_error_function() {
    for (x, expected) in [
        (0.5, 0.6156903441929259),
        (1.0, 0.427583576155807),
        (2.0, 0.25539567631050575),
        (5.0, 0.11070463773306863),
        (25.0, 0.02254957243264136),
        (1000.0, 0.0005641893014533876),
    ] {
        check(real(0.5, 1.0, -x), expected, 1e-14, &format!("x = {x}"));
    }
}

#[test]
fn value_at_zero_is_the_reciprocal_gamma_function() {
    for (a, b) in [(0.05, 1.0), (0.5, 0.5), (1.0, -2.0), (2.0, 4.5), (5.0, -2.5), (1e-9, 3.0), (700.0, 3.0)] {
        assert_eq!(real(a, b, 0.0), reciprocal_gamma(b), "{a} {b}");
        assert_eq!(complex(a, b, Complex64::ZERO), reciprocal_gamma(b).into(), "{a} {b}");
    }
}

#[test]
fn recurrence_and_duplication_hold() {
    for a in [0.2, 0.5, 0.95, 1.0, 1.3, 2.0, 3.1] {
        for b in [-1.5, 0.0, 0.7, 1.0, 2.0, 3.5] {
            for z in points() {
                let case = format!("a = {a}, b = {b}, z = {z}");
                let value = complex(a, b, z);
                if !value.is_finite() {
                    continue;
                }
                // Values near e^(|z|^(1/a)) magnify the rounding of z.
                let tolerance = 2e-13 * (1.0 + z.norm().powf(1.0 / a) * (1.0 + z.norm().ln().abs()) / a / a);
                check(value, reciprocal_gamma(b) + z * complex(a, b + a, z), tolerance, &case);
                let root = z.sqrt();
                check(value, 0.5 * (complex(0.5 * a, b, root) + complex(0.5 * a, b, -root)), 4.0 * tolerance, &case);
            }
        }
    }
}

#[test]
fn derivative_matches_closed_forms() {
    for z in points() {
        let case = format!("z = {z}");
        let derivative = |a, b| mittag_leffler_derivative_complex(a, b, z).expect("in the domain");
        check(derivative(1.0, 1.0), z.exp(), 2e-13, &case);
        check(derivative(2.0, 1.0), z.sqrt().sinh() / z.sqrt() / 2.0, 1e-13, &case);
        let order_half = complex(0.5, 1.0, z);
        if order_half.is_finite() && order_half.norm() < 1e30 {
            check(derivative(0.5, 1.0), 2.0 * z * order_half + FRAC_2_SQRT_PI, 1e-11, &case);
        }
    }
}

#[test]
fn large_arguments_keep_their_relative_accuracy() {
    for (a, b, z, expected, tolerance) in [
        (0.5, 1.0, -1e3, 0.0005641893014533876, 1e-14),
        (0.7, 0.7, -1e5, 2.339946872443947e-11, 1e-14),
        (0.3, 2.0, -1e8, 1.1005473942530608e-8, 1e-14),
        (1.5, 1.0, -1e4, -2.820947547489963e-5, 1e-14),
        (1.0, 2.5, -1e7, 1.1283791106765514e-7, 1e-14),
        (0.9, 0.9, -1e8, 9.460233368673843e-18, 1e-14),
        (2.0, 1.0, -1e6, 0.5623790762907029, 1e-12),
        (3.0, 1.0, -1e8, 4.0718721614790766e100, 1e-11),
        (2.5, -1.5, 1e6, 4.9192809710417494e114, 1e-11),
        (5.0, 1.0, 1e8, 3.895872483018003e16, 1e-13),
    ] {
        check(real(a, b, z) / expected, 1.0, tolerance, &format!("{a} {b} {z}"));
    }
    let z = Complex64::new(-3e4, 4e4);
    check(
        1e5 * complex(0.5, 1.0, z),
        1e5 * Complex64::new(6.770275004685401e-6, 9.027033335969722e-6),
        1e-14,
        "complex",
    );
}

#[test]
fn poles_on_the_imaginary_axis_keep_their_modulus() {
    // s = z² = 2i·x² exactly: |E| = |eˢ|/a = 2, though one ulp of arg z changes Re s by far more than 709.
    for x in [1e2, 1e5, 1e10, 1e30, 1e100] {
        for z in [Complex64::new(x, x), Complex64::new(x, -x)] {
            check(complex(0.5, 1.0, z).norm(), 2.0, 1e-2, &format!("z = {z}"));
        }
    }
}

#[test]
fn arguments_outside_the_domain_are_errors() {
    for (a, b, z, argument) in [
        (0.0, 1.0, 1.0, "a must be finite and positive, but is 0"),
        (-0.5, 1.0, 1.0, "a must be finite and positive, but is -0.5"),
        (f64::NAN, 1.0, 1.0, "a must be finite and positive, but is NaN"),
        (f64::INFINITY, 1.0, 1.0, "a must be finite and positive, but is inf"),
        (1.0, f64::NAN, 1.0, "b must be finite, but is NaN"),
        (1.0, f64::NEG_INFINITY, 1.0, "b must be finite, but is -inf"),
        (1.0, 1.0, f64::NAN, "z must be a number, but is NaN"),
        (2.0, 1.0, f64::NEG_INFINITY, "z must be finite, or a less than 2, but is -inf"),
    ] {
        let message = format!("Mittag-Leffler function: {argument}");
        assert_eq!(mittag_leffler(a, b, z).expect_err("outside the domain").to_string(), message);
        assert_eq!(mittag_leffler_derivative(a, b, z).expect_err("outside the domain").to_string(), message);
        assert!(mittag_leffler_complex(a, b, z.into()).is_err());
    }
    assert_eq!(mittag_leffler(0.5, 1.0, f64::INFINITY), Ok(f64::INFINITY));
    assert_eq!(mittag_leffler(0.5, 1.0, f64::NEG_INFINITY), Ok(0.0));
    assert_eq!(mittag_leffler(0.05, 1.0, 1e3), Ok(f64::INFINITY));
}

#[test]
fn extreme_arguments_never_panic_or_give_nan() {
    let sizes = [0.0, 5e-324, 1e-200, 1e-9, 0.3, 1.0, 1.0 + 1e-15, 3.0, 60.0, 1e5, 1e40, 1e300, f64::MAX];
    for a in &sizes[1..] {
        for b in sizes.into_iter().flat_map(|b| [b, -b, -b - 0.5]) {
            for re in sizes.into_iter().flat_map(|x| [x, -x]) {
                assert!(!real(*a, b, re).is_nan(), "{a} {b} {re}");
                assert!(!mittag_leffler_derivative(*a, b, re).expect("in the domain").is_nan(), "{a} {b} {re}");
                for im in [1e-200, -1.0, 1e5, f64::MAX] {
                    let z = Complex64::new(re, im);
                    assert!(!complex(*a, b, z).is_nan(), "{a} {b} {z}");
                }
            }
        }
    }
}

#[test]
fn gamma_family_at_special_arguments() {
    let inf = f64::INFINITY;
    for (n, factorial) in [(1.0, 1.0), (2.0, 1.0), (3.0, 2.0), (5.0, 24.0), (11.0, 3_628_800.0)] {
        assert_eq!(gamma(n), factorial);
    }
    assert_eq!((gamma(0.0), gamma(-0.0), gamma(inf), gamma(172.0)), (inf, -inf, inf, inf));
    for pole in [-1.0, -2.0, -170.0, -1e300, -inf] {
        assert!(gamma(pole).is_nan() && digamma(pole).is_nan());
        assert_eq!((reciprocal_gamma(pole), ln_gamma(pole)), (0.0, (inf, 1.0)));
    }
    assert_eq!((reciprocal_gamma(0.0), reciprocal_gamma(inf), reciprocal_gamma(1e300)), (0.0, 0.0, 0.0));
    assert_eq!((ln_gamma(1.0).0, ln_gamma(2.0).0, ln_gamma(inf).0, ln_gamma(0.0).0), (0.0, 0.0, inf, inf));
    assert_eq!((ln_gamma(-0.5).1, ln_gamma(-1.5).1, ln_gamma(0.5).1), (-1.0, 1.0, 1.0));
    assert_eq!((digamma(0.0), digamma(inf)), (-inf, inf));
    // The ends of the range: the largest finite value, the smallest normal one, subnormal ones, and zeros.
    assert!(gamma(171.62).is_finite() && gamma(1e-308).is_finite() && gamma(1e-309) == inf);
    assert!(gamma(-170.5) != 0.0 && gamma(-177.5) != 0.0 && gamma(-190.5) == 0.0);
    assert!(reciprocal_gamma(171.0) > 0.0 && reciprocal_gamma(177.0) > 0.0 && reciprocal_gamma(200.0) == 0.0);
    for value in [gamma(f64::NAN), reciprocal_gamma(f64::NAN), ln_gamma(f64::NAN).0, digamma(f64::NAN)] {
        assert!(value.is_nan());
    }
    assert!(beta(f64::NAN, 1.0).is_nan() && beta(1.0, f64::NAN).is_nan());
    check(beta(2.0, 3.0), 1.0 / 12.0, 1e-15, "B(2, 3)");
    check(beta(0.5, 0.5), PI, 1e-15, "B(1/2, 1/2)");
    assert_eq!((beta(1e300, 1e300), beta(-0.5, 0.5), beta(0.0, 1.0)), (0.0, 0.0, inf));
}
