//! Operations on integers of every type, against Rust's own: at the limits, at every size of a block, with nulls.

use super::session;
use super::std_methods::{check, check_one, check_sizes};
use pointsman::{Column, ErrorKind, Expr, lit, null};

/// The limits of an integer type, their neighbours, small numbers, powers of two and stripes of bits.
macro_rules! edges {
    ($type:ident) => {{
        let bits = $type::BITS;
        let powers = (0..bits).map(|bit| (1 as $type) << bit);
        let stripes = [0x55u64, 0xaa, 0x0f, 0xf0, 0x3c].map(|byte| (byte * 0x0101_0101_0101_0101) as $type);
        let limits = [$type::MIN, $type::MIN + 1, $type::MIN / 2, $type::MAX, $type::MAX - 1, $type::MAX / 2];
        let small = [0, 1, 2, 3, 5, 7, 10, 15, 100].map(|n: i64| n as $type);
        let negative = [1, 2, 3, 7, 100].map(|n: i64| n.wrapping_neg() as $type);
        powers.chain(stripes).chain(limits).chain(small).chain(negative).collect::<Vec<$type>>()
    }};
}

/// All pairs of values.
fn pairs<T: Copy, U: Copy>(left: &[T], right: &[U]) -> Vec<(T, U)> {
    left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b))).collect()
}

macro_rules! of_every_type {
    ($($type:ident)*) => {$(
        mod $type {
            use super::*;

            fn values() -> Vec<$type> {
                edges!($type)
            }

            fn every_pair() -> Vec<($type, $type)> {
                pairs(&values(), &values())
            }

            #[test]
            fn counts_of_bits() {
                check_one(&values(), |a| a.count_ones(), |a| a.count_ones());
                check_one(&values(), |a| a.leading_zeros(), |a| a.leading_zeros());
                check_one(&values(), |a| a.trailing_zeros(), |a| a.trailing_zeros());
            }

            #[test]
            fn rotations_by_any_amount() {
                let amounts: Vec<u32> = (0..=2 * $type::BITS).chain([1000, u32::MAX, u32::MAX - 6]).collect();
                let pairs = pairs(&values(), &amounts);
                check(&pairs, |a, n| a.rotate_left(n), |a, n| a.rotate_left(n));
                check(&pairs, |a, n| a.rotate_right(n), |a, n| a.rotate_right(n));
            }

            #[test]
            fn saturating_arithmetic() {
                check(&every_pair(), |a, b| a.saturating_add(b), |a, b| a.saturating_add(b));
                check(&every_pair(), |a, b| a.saturating_sub(b), |a, b| a.saturating_sub(b));
                check(&every_pair(), |a, b| a.saturating_mul(b), |a, b| a.saturating_mul(b));
            }

            #[test]
            fn differences_midpoints_and_signs() {
                check(&every_pair(), |a, b| a.abs_diff(b), |a, b| a.abs_diff(b));
                check(&every_pair(), |a, b| a.midpoint(b), |a, b| a.midpoint(b));
                check_one(&values(), |a| a.signum(), |a| a.clamp((0 as $type).wrapping_sub(1).min(0), 1));
            }

            #[test]
            fn powers_wrap() {
                let exponents: Vec<u32> = (0..20).chain([31, 32, 63, 64, 1000, u32::MAX, 1 << 31]).collect();
                check(&pairs(&values(), &exponents), |a, n| a.pow(n), |a, n| a.wrapping_pow(n));
                for exponent in [0, 1, 2, 3, 4, 7, 31, 64, u32::MAX] {
                    check_one(&values(), |a| a.pow(exponent), |a| a.wrapping_pow(exponent));
                }
                check_one(&values(), |a| a.pow(lit(5)), |a| a.wrapping_pow(5));
            }

            #[test]
            fn quotients_wrap() {
                let mut pairs = every_pair();
                pairs.retain(|&(_, divisor)| divisor != 0);
                check(&pairs, |a, b| a.wrapping_div(b), |a, b| a.wrapping_div(b));
                let by_zero = session().from(&[7 as $type, 0]).map(|x| lit(1).wrapping_div(x)).run().map(drop).unwrap_err();
                assert_eq!((by_zero.kind(), by_zero.row()), (ErrorKind::Arithmetic, Some(1)), "{by_zero}");
            }
        }
    )*};
}

of_every_type!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Every pair of bytes.
#[test]
fn every_pair_of_bytes() {
    let unsigned: Vec<(u8, u8)> = pairs(&(0..=255).collect::<Vec<u8>>(), &(0..=255).collect::<Vec<u8>>());
    let signed: Vec<(i8, i8)> = unsigned.iter().map(|&(a, b)| (a as i8, b as i8)).collect();
    macro_rules! all {
        ($($pairs:ident)*) => {$(
            check_sizes(&$pairs, &[$pairs.len()], |a, b| a.saturating_add(b), |a, b| a.saturating_add(b));
            check_sizes(&$pairs, &[$pairs.len()], |a, b| a.saturating_sub(b), |a, b| a.saturating_sub(b));
            check_sizes(&$pairs, &[$pairs.len()], |a, b| a.saturating_mul(b), |a, b| a.saturating_mul(b));
            check_sizes(&$pairs, &[$pairs.len()], |a, b| a.abs_diff(b), |a, b| a.abs_diff(b));
            check_sizes(&$pairs, &[$pairs.len()], |a, b| a.midpoint(b), |a, b| a.midpoint(b));
        )*};
    }
    all!(unsigned signed);
    let amounts: Vec<(i8, u32)> = signed.iter().map(|&(a, b)| (a, b as u8 as u32)).collect();
    check_sizes(&amounts, &[amounts.len()], |a, n| a.rotate_left(n), |a, n| a.rotate_left(n));
    check_sizes(&amounts, &[amounts.len()], |a, n| a.pow(n), |a, n| a.wrapping_pow(n));
}

/// Factors around the square root of the limits, whose products are barely too large.
#[test]
fn saturating_products_at_the_limit() {
    let near = |root: i64| (root - 3..=root + 3).flat_map(|a| [a, -a]).collect::<Vec<i64>>();
    let wide = [near(3_037_000_499), near(1 << 31), near(1 << 32), vec![i64::MIN, i64::MAX, -1, 1]].concat();
    check(&pairs(&wide, &wide), |a, b| a.saturating_mul(b), |a, b| a.saturating_mul(b));
    let wide: Vec<u64> = [near(4_294_967_295), near(3_037_000_499)].concat().iter().map(|a| a.unsigned_abs()).collect();
    check(&pairs(&wide, &wide), |a, b| a.saturating_mul(b), |a, b| a.saturating_mul(b));
    let narrow: Vec<i32> = [near(46_340), near(65_536)].concat().iter().map(|&a| a as i32).collect();
    check(&pairs(&narrow, &narrow), |a, b| a.saturating_mul(b), |a, b| a.saturating_mul(b));
}

#[test]
fn constants_fold_to_the_same_values() {
    let s = session();
    let folded = s.from(&[0i64]).map(|_| lit(-7i64).pow(lit(21)) + lit(40i64).count_ones().cast::<i64>());
    assert_eq!(folded.to_vec().unwrap(), [(-7i64).pow(21) + 2]);
    let none: Vec<Option<u32>> =
        s.from(&[1i64, 2]).map(|_| null::<i64>().count_ones()).collect().unwrap().options().collect();
    assert_eq!(none, [None, None]);
}

/// The operations need all of their operands, also beside a null.
#[test]
fn faults_of_operands_are_raised() {
    let s = session();
    let nulls = Column::from_options([None::<i64>; 3]);
    for (name, query) in [
        ("saturating_mul", s.from((&nulls, &[0i64; 3])).map(|(n, z)| n.saturating_mul(1 / z)).run().map(drop)),
        ("pow", s.from((&nulls, &[0i64; 3])).map(|(n, z)| n.pow((1 / z).cast_saturating::<u32>())).run().map(drop)),
        ("wrapping_div", s.from((&nulls, &[0i64; 3])).map(|(n, z)| (1 / z).wrapping_div(n)).run().map(drop)),
    ] {
        let error = query.expect_err(name);
        assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(0)), "{name}: {error}");
    }
}

#[test]
fn assignment_operators_append_to_the_expression() {
    fn all(mut x: Expr<i64>, y: Expr<i64>) -> Expr<i64> {
        x += y;
        x -= 3;
        x *= 5;
        x /= y | 1;
        x %= 1000;
        x &= 0xff;
        x |= y;
        x ^= 21;
        x <<= 3;
        x >>= 1;
        x
    }
    fn plain(mut x: i64, y: i64) -> i64 {
        x = x.wrapping_add(y).wrapping_sub(3).wrapping_mul(5);
        x = x.wrapping_div(y | 1) % 1000;
        x &= 0xff;
        x |= y;
        x ^= 21;
        x <<= 3;
        x >> 1
    }
    let pairs = pairs(&[0, 7, -9, 123_456_789], &[1i64, 2, -5, 77]);
    check(&pairs, all, plain);
    let sums = session().from(&[2.0f32, 4.0]).map(|x| {
        let mut sum = lit(0.0);
        for k in 0..3 {
            sum += x * k as f32;
        }
        sum
    });
    assert_eq!(sums.to_vec().unwrap(), [6.0, 12.0]);
}

#[test]
fn truth_values_have_exclusive_or() {
    let truths = pairs(&[false, true], &[false, true]);
    check(&truths, |a, b| a ^ b, |a, b| a ^ b);
    check(&truths, |a, b| true ^ a ^ b, |a, b| !(a ^ b));
    let flip = |mut a: Expr<bool>, b: Expr<bool>| {
        a ^= b;
        a
    };
    check(&truths, flip, |a, b| a ^ b);
}

#[test]
fn membership_by_comparisons_and_by_search() {
    for count in [0usize, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 100_000] {
        // Every third number, twice, out of order.
        let values: Vec<i64> = (0..2 * count as i64).map(|k| (k * 7919) % count as i64 * 3 - 9).collect();
        let rows: Vec<i64> = (-12..3 * count as i64 + 3).chain([i64::MIN, i64::MAX]).collect();
        let is_in = |x: i64| x >= -9 && x < 3 * count as i64 - 9 && (x + 9) % 3 == 0;
        let found = session().from(&rows).map(|x| x.is_in(&values)).to_vec().unwrap();
        assert_eq!(found, rows.iter().map(|&x| is_in(x)).collect::<Vec<_>>(), "{count} values");
    }
}

/// Equality is that of `eq`: a NaN equals itself and zeros equal each other, in a short list and in a long one.
#[test]
fn membership_is_equality_and_null_for_null() {
    let rows = Column::from_options([Some(f64::NAN), Some(-0.0), Some(2.5), None, Some(-7.0), Some(f64::INFINITY)]);
    let long: Vec<f64> = (0..100).map(f64::from).chain([f64::NAN, f64::INFINITY, -7.0]).collect();
    for values in [&[0.0, f64::NAN, -7.0, f64::INFINITY][..], &long] {
        let found: Vec<Option<bool>> =
            session().from(&rows).map(|x| x.is_in(values)).collect().unwrap().options().collect();
        assert_eq!(found, [Some(true), Some(true), Some(false), None, Some(true), Some(true)]);
    }
    let none: Vec<Option<bool>> = session().from(&rows).map(|x| x.is_in(&[])).collect().unwrap().options().collect();
    assert_eq!(none, [Some(false), Some(false), Some(false), None, Some(false), Some(false)]);
    let truths = session().from(&[true, false]).map(|x| x.is_in(&[false, false])).to_vec().unwrap();
    assert_eq!(truths, [false, true]);
}

#[test]
fn between_includes_both_ends() {
    check_one(&[-3, 0, 4, 9, i32::MIN], |a| a.between(0, lit(4)), |a| (0..=4).contains(&a));
    let rows = Column::from_options([Some(1i64), None, Some(9)]);
    let found: Vec<Option<bool>> =
        session().from(&rows).map(|x| x.between(null(), 5)).collect().unwrap().options().collect();
    assert_eq!(found, [None, None, Some(false)], "a value above the upper end is outside, whatever the lower end is");
}
