//! The elementary functions in numbers of two doubles: plain series and Newton's steps, nothing shared with what is

//! tested. The golden values see to it that this is right.

use super::wide::{LN_2, LN_10, PI, Scaled, Wide, parts, shifted, wide};
use pointsman_ir::op::Op;

/// The value of a function of finite arguments in its domain.
pub(crate) fn reference(op: Op, x: f64, y: f64) -> Scaled {
    let plain = |number: Wide| number.scaled(0);
    match op {
        Op::Exp => exp(wide(x)),
        Op::Exp2 => exp2(x),
        Op::Expm1 => expm1(x),
        Op::Ln => plain(ln(x)),
        Op::Log2 => plain(ln(x) / LN_2),
        Op::Log10 => plain(ln(x) / LN_10),
        Op::Log1p => plain(log1p(x)),
        Op::Pow => pow(x, y),
        Op::Sin => plain(sin(x)),
        Op::Cos => plain(turned(x, 1)),
        Op::Tan => plain(sin(x) / turned(x, 1)),
        Op::Asin => plain(asin(x)),
        Op::Acos => plain(acos(x)),
        Op::Atan => atan2(x, 1.0),
        Op::Atan2 => atan2(x, y),
        Op::Sinh => hyperbolic(x, -1.0),
        Op::Cosh => hyperbolic(x, 1.0),
        Op::Tanh => plain(tanh(x)),
        Op::Erf => plain(erf(x)),
        Op::Cbrt => cbrt(x),
        Op::Hypot => hypot(x, y),
        _ => panic!("{op:?} is no elementary function"),
    }
}

/// `exp(r) - 1` for a small `r`: a series for a part of it, doubled.
fn expm1_rest(r: Wide) -> Wide {
    let part = r.times_power(-8);
    let mut e = part.series(|k| part / wide(f64::from(k) + 1.0));
    for _ in 0..8 {
        e = e + e + e * e;
    }
    e
}

fn exp(x: Wide) -> Scaled {
    if x.high.abs() > 2000.0 {
        return if x.high < 0.0 { wide(1.0).scaled(-3000) } else { wide(1.0).scaled(3000) };
    }
    let n = (x.high / LN_2.high).round();
    let rest = expm1_rest(x - LN_2 * wide(n));
    (wide(1.0) + rest).scaled(n as i32)
}

fn exp2(x: f64) -> Scaled {
    let n = x.clamp(-3000.0, 3000.0).round();
    let rest = if x.abs() > 3000.0 { wide(0.0) } else { expm1_rest(wide(x - n) * LN_2) };
    (wide(1.0) + rest).scaled(n as i32)
}

fn expm1(x: f64) -> Scaled {
    if x.abs() < 0.3 {
        return if x.abs() < 1e-40 { wide(x).scaled(0) } else { expm1_rest(wide(x)).scaled(0) };
    }
    let power = exp(wide(x));
    if power.exponent > 200 {
        return power;
    }
    (power.number.times_power(power.exponent.max(-300)) - wide(1.0)).scaled(0)
}

/// `ln(m)`: `2 atanh((m - 1) / (m + 1))`.
fn ln_near_one(f: Wide) -> Wide {
    let s = f / (f + wide(2.0));
    let square = s * s;
    let (mut sum, mut power) = (wide(0.0), s + s);
    for k in 0..60 {
        sum = sum + power / wide(f64::from(2 * k + 1));
        power = power * square;
    }
    sum
}

fn ln(x: f64) -> Wide {
    let (m, e) = parts(x);
    let (m, e) = if m < 0.75 { (m * 2.0, e - 1) } else { (m, e) };
    LN_2 * wide(f64::from(e)) + ln_near_one(wide(m) - wide(1.0))
}

fn log1p(x: f64) -> Wide {
    if x.abs() < 1e-40 {
        return wide(x);
    }
    if x.abs() < 0.4 {
        return ln_near_one(wide(x));
    }
    let u = wide(x) + wide(1.0);
    let (_, e) = parts(u.high * 1.4);
    LN_2 * wide(f64::from(e - 1)) + ln_near_one(u.times_power(1 - e) - wide(1.0))
}

fn pow(x: f64, y: f64) -> Scaled {
    let Scaled { number, exponent } = exp(ln(x.abs()) * wide(y));
    let odd = y.abs() < 2f64.powi(53) && (y * 0.5).fract() != 0.0;
    (if x < 0.0 && odd { -number } else { number }).scaled(exponent)
}

/// sin of `|r| ≤ π/4`.
fn sin_rest(r: Wide) -> Wide {
    let square = r * r;
    r.series(|k| -square / wide(f64::from(2 * k * (2 * k + 1))))
}

fn cos_rest(r: Wide) -> Wide {
    let square = r * r;
    wide(1.0).series(|k| -square / wide(f64::from((2 * k - 1) * (2 * k))))
}

/// The bits of 2/π behind the point.
const TWO_OVER_PI: &str = "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea\
    09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f\
    ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046\
    fc7b6babf0cfbc209af4361da9e391615ee61b08";

/// A magnitude in quarters of a turn: the nearest whole number modulo 4, and the rest as an angle. The number, a whole one
/// times 2^e, is multiplied with all the bits of 2/π.
fn quarters(x: f64) -> (i32, Wide) {
    let (m, e) = parts(x);
    let (m, e) = ((m * 2f64.powi(53)) as u128, e - 53);
    let digits = TWO_OVER_PI.len() / 8;
    let word = |k: usize| u128::from(u32::from_str_radix(&TWO_OVER_PI[8 * k..8 * k + 8], 16).unwrap());
    let (mut product, mut carry) = (Vec::new(), 0u128);
    for k in (0..digits).rev() {
        let sum = m * word(k) + carry;
        product.push(sum as u32);
        carry = sum >> 32;
    }
    product.extend([carry as u32, (carry >> 32) as u32]);
    let limb = |k: usize| u64::from(product.get(k).copied().unwrap_or(0));
    let bits = |at: usize| ((limb(at / 32) | limb(at / 32 + 1) << 32) >> (at % 32)) as u32;
    let point = (32 * digits as i32 - e) as usize;
    let up = bits(point - 1) & 1 == 1;
    let mut rest = wide(0.0);
    for k in (1..=7).rev() {
        let piece = bits(point - 32 * k);
        rest = rest + wide(f64::from(if up { !piece } else { piece })).times_power(-32 * k as i32);
    }
    let angle = (if up { -rest } else { rest }) * PI * wide(0.5);
    (((bits(point) & 3) + u32::from(up)) as i32, angle)
}

/// `sin(x + quarters · π/2)`.
fn turned(x: f64, by: i32) -> Wide {
    let (turn, rest) = if x.abs() < 0.7 { (0, wide(x.abs())) } else { quarters(x.abs()) };
    let (turn, rest) = if x < 0.0 { (-turn, -rest) } else { (turn, rest) };
    match (turn + by).rem_euclid(4) {
        0 => sin_rest(rest),
        1 => cos_rest(rest),
        2 => -sin_rest(rest),
        _ => -cos_rest(rest),
    }
}

fn sin(x: f64) -> Wide {
    if x.abs() < 1e-40 { wide(x) } else { turned(x, 0) }
}

/// The arc sine of a number up to about ½, by Newton's step.
fn asin_near(x: Wide) -> Wide {
    if x.high.abs() < 1e-40 {
        return x;
    }
    let guess = wide(x.high.asin());
    guess + (x - sin_rest(guess)) / cos_rest(guess)
}

/// Half of the complement of the arc sine of a magnitude.
fn half_complement(a: f64) -> Wide {
    asin_near(((wide(1.0) - wide(a)) * wide(0.5)).sqrt())
}

fn asin(x: f64) -> Wide {
    if x.abs() <= 0.5 {
        return asin_near(wide(x));
    }
    let y = PI * wide(0.5) - half_complement(x.abs()) * wide(2.0);
    if x < 0.0 { -y } else { y }
}

fn acos(x: f64) -> Wide {
    if x.abs() <= 0.5 {
        return PI * wide(0.5) - asin_near(wide(x));
    }
    let far = half_complement(x.abs()) * wide(2.0);
    if x < 0.0 { PI - far } else { far }
}

/// One of Newton's steps from the library's angle, along the arc.
fn atan2(y: f64, x: f64) -> Scaled {
    let ((ym, ye), (xm, xe)) = (parts(y), parts(x));
    if ye - xe < -100 && x > 0.0 {
        return (wide(ym) / wide(xm)).scaled(ye - xe);
    }
    let top = ye.max(xe);
    let (y, x) = (shifted(ym, (ye - top).max(-900)), shifted(xm, (xe - top).max(-900)));
    let guess = y.atan2(x);
    let (s, c) = (turned(guess, 0), turned(guess, 1));
    let (y, x) = (wide(y), wide(x));
    (wide(guess) + (y * c - x * s) / (x * c + y * s)).scaled(0)
}

/// `(exp(x) ± exp(-x)) / 2`.
fn hyperbolic(x: f64, sign: f64) -> Scaled {
    if x.abs() < 0.3 {
        let square = wide(x) * wide(x);
        let odd = |k: u32| square / wide(f64::from(2 * k * (2 * k + 1)));
        let even = |k: u32| square / wide(f64::from((2 * k - 1) * (2 * k)));
        return (if sign < 0.0 { wide(x).series(odd) } else { wide(1.0).series(even) }).scaled(0);
    }
    let up = exp(wide(x.abs()));
    let down = wide(1.0) / up.number * wide(sign);
    let sum = up.number + down.times_power((-2 * up.exponent).max(-900));
    (if x < 0.0 && sign < 0.0 { -sum } else { sum }).scaled(up.exponent - 1)
}

fn tanh(x: f64) -> Wide {
    if x.abs() > 60.0 || x.abs() < 1e-40 {
        return wide(if x.abs() < 1.0 { x } else { x.signum() });
    }
    let Scaled { number, exponent } = expm1(2.0 * x);
    let e = number.times_power(exponent);
    e / (e + wide(2.0))
}

/// `2/√π exp(-x²) Σ 2^k x^(2k+1) / (1 · 3 · 5 … (2k+1))`: every term is positive.
fn erf(x: f64) -> Wide {
    if x.abs() > 12.0 {
        return wide(x.signum());
    }
    let square = wide(x) * wide(x);
    let factor = wide(2.0) / PI.sqrt();
    if x.abs() < 1e-40 {
        return Wide { high: x * factor.high, low: 0.0 } + wide(x * factor.low);
    }
    let sum = wide(x).series(|k| (square + square) / wide(f64::from(2 * k + 1)));
    let power = exp(-square);
    sum * factor * power.number.times_power(power.exponent)
}

fn cbrt(x: f64) -> Scaled {
    let (m, e) = parts(x);
    let third = e.div_euclid(3);
    let a = wide(m * 2f64.powi(e - 3 * third));
    let guess = wide(a.high.cbrt());
    (guess - (guess * guess * guess - a) / (guess * guess * wide(3.0))).scaled(third)
}

fn hypot(x: f64, y: f64) -> Scaled {
    let ((xm, xe), (ym, ye)) = (parts(x), parts(y));
    let top = xe.max(ye);
    let part = |m: f64, e: i32| wide(shifted(m, (e - top).max(-400)));
    let (x, y) = (part(xm, xe).abs(), part(ym, ye).abs());
    (x * x + y * y).sqrt().scaled(top)
}
