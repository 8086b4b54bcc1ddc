//! Numbers of two doubles, some 104 bits, with an exponent of their own, so that nothing overflows on the way.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, where `low` is below the last digit of `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

/// `number · 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    pub(crate) number: Wide,
    pub(crate) exponent: i32,
}

pub(crate) const LN_2: Wide = Wide { high: std::f64::consts::LN_2, low: 2.3190468138462996e-17 };
pub(crate) const LN_10: Wide = Wide { high: std::f64::consts::LN_10, low: -2.1707562233822494e-16 };
pub(crate) const PI: Wide = Wide { high: std::f64::consts::PI, low: 1.2246467991473532e-16 };

pub(crate) fn wide(x: f64) -> Wide {
    Wide { high: x, low: 0.0 }
}

/// The exact sum of two doubles.
fn two_sum(a: f64, b: f64) -> Wide {
    let high = a + b;
    let part = high - a;
    Wide { high, low: (a - (high - part)) + (b - part) }
}

fn fast(a: f64, b: f64) -> Wide {
    let high = a + b;
    Wide { high, low: b - (high - a) }
}

/// 2 to the power of a whole number, in steps that stay in range.
pub(crate) fn shifted(x: f64, by: i32) -> f64 {
    let (mut x, mut left) = (x, by);
    while left != 0 {
        let step = left.clamp(-1000, 1000);
        x *= 2f64.powi(step);
        left -= step;
    }
    x
}

/// A finite number as `m · 2^e`, `½ ≤ |m| < 1`.
pub(crate) fn parts(x: f64) -> (f64, i32) {
    if x == 0.0 {
        return (x, 0);
    }
    let (y, more) = if x.abs() < f64::MIN_POSITIVE { (x * 2f64.powi(60), -60) } else { (x, 0) };
    let exponent = ((y.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    (shifted(y, -exponent), exponent + more)
}

impl Wide {
    pub(crate) fn sqrt(self) -> Wide {
        if self.high <= 0.0 {
            return wide(0.0);
        }
        let root = wide(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }

    pub(crate) fn abs(self) -> Wide {
        if self.high < 0.0 { -self } else { self }
    }

    pub(crate) fn times_power(self, by: i32) -> Wide {
        Wide { high: shifted(self.high, by), low: shifted(self.low, by) }
    }

    /// The same number with an exponent.
    pub(crate) fn scaled(self, exponent: i32) -> Scaled {
        Scaled { number: self, exponent }
    }

    /// `Σ term(k)`, each term the one before times a factor, until they no longer count.
    pub(crate) fn series(self, factor: impl Fn(u32) -> Wide) -> Wide {
        let (mut sum, mut term) = (self, self);
        for k in 1..400 {
            term = term * factor(k);
            sum = sum + term;
            if term.high.abs() < sum.high.abs() * 1e-34 {
                break;
            }
        }
        sum
    }
}

impl Add for Wide {
    type Output = Wide;
    fn add(self, other: Wide) -> Wide {
        let (s, t) = (two_sum(self.high, other.high), two_sum(self.low, other.low));
        let s = fast(s.high, s.low + t.high);
        fast(s.high, s.low + t.low)
    }
}

impl Neg for Wide {
    type Output = Wide;
    fn neg(self) -> Wide {
        Wide { high: -self.high, low: -self.low }
    }
}

impl Sub for Wide {
    type Output = Wide;
    fn sub(self, other: Wide) -> Wide {
        self + -other
    }
}

impl Mul for Wide {
    type Output = Wide;
    fn mul(self, other: Wide) -> Wide {
        let high = self.high * other.high;
        let rest = self.high.mul_add(other.high, -high);
        fast(high, rest + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Wide {
    type Output = Wide;
    fn div(self, other: Wide) -> Wide {
        let first = wide(self.high / other.high);
        let rest = self - other * first;
        let second = wide(rest.high / other.high);
        let rest = rest - other * second;
        first + second + wide(rest.high / other.high)
    }
}

impl Scaled {
    /// How many ULPs a double is off. Beyond the largest double, infinity is 2^1024.
    pub(crate) fn ulps(self, got: f64) -> f64 {
        let (number, exponent) = (self.number, self.exponent);
        if got.is_nan() || number.high.is_nan() {
            return if got.is_nan() && number.high.is_nan() { 0.0 } else { f64::INFINITY };
        }
        if number.high == 0.0 {
            return shifted(got.abs(), 1074);
        }
        let (_, top) = parts(number.high);
        let top = top + exponent;
        let last = (top.min(1024) - 53).max(-1074);
        let want =
            if top > 1024 { wide(2f64.powi(53).copysign(number.high)) } else { number.times_power(exponent - last) };
        let got = if got.is_infinite() { 2f64.powi(53).copysign(got) } else { shifted(got, -last) };
        ((got - want.high) - want.low).abs()
    }
}
