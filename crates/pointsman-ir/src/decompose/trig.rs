//! `sin`, `cos`, `tan` over the whole range. The nearest multiple of π/2 is taken away, by three words of it;
//! polynomials give the sine and the cosine of the rest. Large angles go another way: see [`turn`].

use super::build::{PerFloat, Poly, X, two_to};
use super::exp::WHOLE;
use std::f64::consts;

/// π/2 in three words.
const PI_2_WORDS: [PerFloat<f64>; 3] = [
    PerFloat(consts::FRAC_PI_2, consts::FRAC_PI_2),
    PerFloat(-4.371139e-8, 6.123233995736766e-17),
    PerFloat(-1.7151245e-15, -1.4973849048591698e-33),
];
/// From here on an angle is large.
const LARGE: PerFloat<f64> = PerFloat(two_to(16), two_to(27));
/// The bits of 2/π after the point, 32 a word, with a word of zeros before.
const TWO_OVER_PI: [u32; 38] = [
    0x0000_0000,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
];

/// `(sin(r) - r) / r³` in `r²`, for `|r| ≤ π/4`.
/// Relative error 2^-27.9 (single), 2^-57.7 (double).
const SIN: Poly = Poly {
    single: &[-0.16666654, 0.008332113, -0.00019508747],
    double: &[
        -0.16666666666666627,
        0.00833333333332094,
        -0.0001984126982861854,
        2.7557313275955535e-6,
        -2.5050692468472884e-8,
        1.5892961474022629e-10,
    ],
};

/// `(cos(r) - 1 + r²/2) / r⁴` in `r²`, for `|r| ≤ π/4`.
/// Relative error 2^-32.9 (single), 2^-63.7 (double).
const COS: Poly = Poly {
    single: &[0.041666646, -0.0013887252, 2.4425732e-5],
    double: &[
        0.04166666666666658,
        -0.0013888888888871375,
        2.4801587287783057e-5,
        -2.755731386554179e-7,
        2.0875657568509e-9,
        -1.1356266309198046e-11,
    ],
};

/// An angle as a number of quarters of a turn (its low bits count) and a rest of at most an eighth.
struct Turned<'b> {
    quarters: X<'b>,
    rest: X<'b>,
}

fn turned(x: X<'_>) -> Turned<'_> {
    let sum = x.fma(consts::FRAC_2_PI, WHOLE);
    let q = sum - WHOLE;
    let rest = PI_2_WORDS.iter().fold(x, |rest, word| q.fma(PerFloat(-word.0, -word.1), rest));
    let [rest, quarters] = x.abs().gt(LARGE).rarely([rest, sum.bits()], || {
        let (high, low) = turn(x);
        let quarters = (high + (1 << 61)).shr(62);
        let rest = angle(x, high - quarters.shl(62), low);
        let quarters = if x.by(true, false) { quarters.to_short() } else { quarters };
        let negative = x.lt(0.0);
        [negative.choose(-rest, rest), negative.choose(-quarters, quarters)]
    });
    Turned { quarters, rest }
}

/// The sine and the cosine of a rest.
fn both(r: X<'_>) -> (X<'_>, X<'_>) {
    let z = r * r;
    ((r * z).fma(z.poly(&SIN), r), (z * z).fma(z.poly(&COS), z.fma(-0.5, 1.0)))
}

/// The sine and the cosine of a rest, with the rounding error of `1 - r²/2` added at the end, because a quotient has
/// the errors of both.
fn both_sharper(r: X<'_>) -> (X<'_>, X<'_>) {
    let z = r * r;
    let half = z * 0.5;
    let first = half.of(1.0) - half;
    let lost = (half.of(1.0) - first) - half;
    ((r * z).fma(z.poly(&SIN), r), first + (z * z).fma(z.poly(&COS), lost))
}

/// The sine of `quarters` quarters of a turn plus a rest.
fn sine_after<'b>(quarters: X<'b>, rest: X<'b>) -> X<'b> {
    let (sine, cosine) = both(rest);
    let y = quarters.bit_and(1).ne(0).choose(cosine, sine);
    let sign = quarters.shl(PerFloat(30, 62)).bit_and(PerFloat(i64::from(i32::MIN), i64::MIN));
    y.bits().bit_xor(sign).float()
}

/// The sine.
pub(super) fn sin(x: X<'_>) -> X<'_> {
    let Turned { quarters, rest } = turned(x);
    x.eq(0.0).choose(x, sine_after(quarters, rest))
}

/// The cosine: the sine a quarter further.
pub(super) fn cos(x: X<'_>) -> X<'_> {
    let Turned { quarters, rest } = turned(x);
    sine_after(quarters + 1, rest)
}

/// The tangent: the quotient of sine and cosine, or the negative of its inverse.
pub(super) fn tan(x: X<'_>) -> X<'_> {
    let Turned { quarters, rest } = turned(x);
    let (sine, cosine) = both_sharper(rest);
    let odd = quarters.bit_and(1).ne(0);
    let y = odd.choose(-cosine, sine) / odd.choose(sine, cosine);
    x.eq(0.0).choose(x, y)
}

/// `(high + low / 2^64) / 2^62` quarters of a turn as an angle; NaN where `x` is not finite.
fn angle<'b>(x: X<'b>, high: X<'b>, low: X<'b>) -> X<'b> {
    let scale = two_to(-62);
    let word = |n: usize| PerFloat(PI_2_WORDS[n].0 * scale, PI_2_WORDS[n].1 * scale);
    let (first, rest) = if x.by(true, false) {
        let first = high.to_single();
        (first, (high - first.to_long()).to_single())
    } else {
        let first = high.to_float();
        let upper = low.shr(32).bit_and(0xffff_ffff).to_float();
        let lower = low.bit_and(0xffff_ffff).to_float();
        let below = lower.fma(two_to(-32), upper) * two_to(-32);
        (first, (high - first.to_long()).to_float() + below)
    };
    first.fma(word(0), first.fma(word(1), rest * word(0))) + x * 0.0
}

/// The magnitude of an angle in quarters of a turn, modulo 4, times 2^62, in two words of 64 bits. The
/// number is `m · 2^e` with an integer `m`. Of the product of `m` and 2/π, only the bits below 4 matter, down to the
/// precision needed. So a window of the bits of 2/π, whose position depends on `e`, is multiplied modulo 2^64, 2^128 or
/// 2^192.
fn turn<'b>(x: X<'b>) -> (X<'b>, X<'b>) {
    let bits = x.abs().bits().to_long();
    let (fraction, bias) = x.by((23, 127 + 23), (52, 1023 + 52));
    let m = bits.bit_and((1 << fraction) - 1).bit_or(1 << fraction);
    // The window begins 2 bits above the point of the product; the table has 32 zeros before 2/π.
    let start = bits.shr(fraction) - (bias + 2 - 32);
    let (word, shift) = (start.shr(5), start.bit_and(31));
    if x.by(true, false) { product_single(m, word, shift) } else { product_double(m, word, shift) }
}

/// `N` words of 32 bits, from bit number `32 · word + shift` of the table on; `word` has `digits` digits. The
/// table is shifted by a power of two of words at a time.
fn window<'b, const N: usize>(word: X<'b>, shift: X<'b>, digits: u32) -> [X<'b>; N] {
    let reach = N + (1 << digits);
    let mut words: Vec<X<'b>> = TWO_OVER_PI[..reach].iter().map(|&bits| word.of(i64::from(bits))).collect();
    for step in (0..digits).rev().map(|digit| 1 << digit) {
        let moves = word.bit_and(step as i64).ne(0);
        words = (0..words.len() - step).map(|k| moves.choose(words[k + step], words[k])).collect();
    }
    let cut = |k: usize| words[k].shl(32).bit_or(words[k + 1]).shr(word.of(32) - shift).bit_and(0xffff_ffff);
    std::array::from_fn(cut)
}

/// `m` times a window of 96 bits, modulo 2^96; the upper 64 bits.
fn product_single<'b>(m: X<'b>, word: X<'b>, shift: X<'b>) -> (X<'b>, X<'b>) {
    let [a, b, c] = window::<3>(word, shift, 3);
    (m * a.shl(32).bit_or(b) + (m * c).shr(32), m.of(0))
}

/// `m` times a window of 192 bits, modulo 2^192; the upper 128 bits, less a few units.
fn product_double<'b>(m: X<'b>, word: X<'b>, shift: X<'b>) -> (X<'b>, X<'b>) {
    let w = window::<6>(word, shift, 5);
    let (low, high) = (m.bit_and(0xffff_ffff), m.shr(32));
    let half = |p: X<'b>| (p.shr(32).bit_and(0xffff_ffff), p.bit_and(0xffff_ffff));
    let lows: Vec<(X<'b>, X<'b>)> = w.iter().map(|&w| half(low * w)).collect();
    let highs: Vec<(X<'b>, X<'b>)> = w.iter().map(|&w| half(high * w)).collect();
    let mut carry = m.of(0);
    let mut column = |k: usize| {
        let mut sum = carry + lows[k].1;
        sum = if k < 5 { sum + lows[k + 1].0 + highs[k + 1].1 } else { sum };
        sum = if k < 4 { sum + highs[k + 2].0 } else { sum };
        carry = sum.shr(32);
        sum.bit_and(0xffff_ffff)
    };
    let columns: Vec<X<'b>> = (0..6).rev().map(&mut column).collect();
    (columns[5].shl(32).bit_or(columns[4]), columns[3].shl(32).bit_or(columns[2]))
}
