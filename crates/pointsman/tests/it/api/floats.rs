//! Operations on floats, against Rust's own: signs, zeros, infinities, NaN, subnormals and the limits, with nulls.

use super::session;
use super::std_methods::{check, check_one};
use pointsman::{Expr, lit};

macro_rules! of_both_types {
    ($($type:ident)*) => {$(
        mod $type {
            use super::*;

            /// Zeros, subnormals, ones, halves, whole and broken numbers, limits, infinities, NaN; both signs.
            fn values() -> Vec<$type> {
                let tiny = [$type::from_bits(1), $type::from_bits(2), $type::from_bits(3), $type::MIN_POSITIVE.next_down()];
                let least = [$type::MIN_POSITIVE, 2.0 * $type::MIN_POSITIVE, $type::EPSILON];
                let usual = [0.0, 0.5, 1.0, 1.5, 2.0, 3.25, 10.0, 90.0, 180.0, 1e7, 12_345.678, 1.0 / 3.0];
                let great = [$type::MAX, $type::MAX / 2.0, ($type::MAX / 2.0).next_up(), $type::MAX.sqrt(), 1e30];
                let ends = [$type::INFINITY, $type::NAN];
                let all = [&tiny[..], &least, &usual, &great, &ends].concat();
                all.iter().flat_map(|&x| [x, -x]).collect()
            }

            fn every_pair() -> Vec<($type, $type)> {
                values().iter().flat_map(|&a| values().into_iter().map(move |b| (a, b))).collect()
            }

            #[test]
            fn signs_and_classes() {
                check_one(&values(), |a| a.signum(), |a| a.signum());
                check_one(&values(), |a| a.is_nan(), |a| a.is_nan());
                check_one(&values(), |a| a.is_finite(), |a| a.is_finite());
                check_one(&values(), |a| a.is_infinite(), |a| a.is_infinite());
            }

            #[test]
            fn parts_inverses_and_angles() {
                check_one(&values(), |a| a.fract(), |a| a.fract());
                check_one(&values(), |a| a.recip(), |a| a.recip());
                check_one(&values(), |a| a.to_degrees(), |a| a.to_degrees());
                check_one(&values(), |a| a.to_radians(), |a| a.to_radians());
            }

            #[test]
            fn midpoints_are_rounded_once() {
                check(&every_pair(), |a, b| a.midpoint(b), |a, b| a.midpoint(b));
            }

            #[test]
            fn fused_products_are_rounded_once() {
                check(&every_pair(), |a, b| a.mul_add(b, b), |a, b| a.mul_add(b, b));
                check(&every_pair(), |a, b| a.mul_add(a, b), |a, b| a.mul_add(a, b));
            }

            #[test]
            fn comparisons_of_ieee_754() {
                check(&every_pair(), |a, b| a.ieee_eq(b), |a, b| a == b);
                check(&every_pair(), |a, b| a.ieee_ne(b), |a, b| a != b);
                check(&every_pair(), |a, b| a.ieee_lt(b), |a, b| a < b);
                check(&every_pair(), |a, b| a.ieee_le(b), |a, b| a <= b);
                check(&every_pair(), |a, b| a.ieee_gt(b), |a, b| a > b);
                check(&every_pair(), |a, b| a.ieee_ge(b), |a, b| a >= b);
            }

            /// Squarings and products in the order that `powi` promises.
            fn power(x: $type, exponent: i32) -> $type {
                let (mut left, mut square, mut power) = (exponent.unsigned_abs(), x, 1.0);
                while left > 0 {
                    if left & 1 == 1 {
                        power *= square;
                    }
                    square *= square;
                    left >>= 1;
                }
                if exponent < 0 { 1.0 / power } else { power }
            }

            #[test]
            fn whole_powers() {
                for exponent in [0, 1, 2, 3, 4, 5, 7, 8, 10, 31, 64, 1000, -1, -2, -3, -15, i32::MAX, i32::MIN] {
                    check_one(&values(), |a| a.powi(exponent), |a| power(a, exponent));
                }
                for exponent in -4..=4 {
                    let near = |a: $type| {
                        let (found, std) = (power(a, exponent), a.powi(exponent));
                        found == std || found.is_nan() && std.is_nan() || (found - std).abs() <= std.abs() * 4.0 * $type::EPSILON
                    };
                    assert!(values().into_iter().all(near), "{exponent}");
                }
            }

            /// `powf` is `pow`, whose errors the elementary functions' tests measure.
            #[test]
            fn powers_have_two_names() {
                let powers = session().from(&values()[..]).map(|x| [x.powf(1.7), x.pow(1.7)]).collect().unwrap();
                let [a, b] = powers.map(|column| column.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
                assert_eq!(a, b);
                let near = session().from(&[2.25, 9.0]).map(|x: Expr<$type>| x.powf(lit(0.5))).to_vec().unwrap();
                assert_eq!(near, [1.5, 3.0]);
            }
        }
    )*};
}

of_both_types!(f32 f64);

/// What the README's first page says: comparisons order all values, those of IEEE-754 are beside them.
#[test]
fn nan_is_equal_to_itself_and_above_all_numbers() {
    let x = [f64::NAN, 20.0, 5.0];
    let s = session();
    assert_eq!(s.from(&x).map(|x| x.gt(10.0)).to_vec().unwrap(), [true, true, false]);
    assert_eq!(s.from(&x).map(|x| x.ieee_gt(10.0)).to_vec().unwrap(), [false, true, false]);
    assert_eq!(s.from(&x).map(|x| x.eq(x)).to_vec().unwrap(), [true, true, true]);
    assert_eq!(s.from(&x).map(|x| x.ieee_eq(x)).to_vec().unwrap(), [false, true, true]);
}
