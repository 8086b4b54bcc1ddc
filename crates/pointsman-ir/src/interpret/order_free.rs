//! Float sums without an order: in go floats in any order and any grouping, out come the same bits, within an error far
//! below that of pairwise summation.
//!
//! A finite value is written with digits in base 2^[`BIN_BITS`], the digit of **bin** `b` counting units of 2^(40·b). From
//! the highest bin down, each digit is what is left of the value divided by its unit, rounded to the nearest whole number,
//! halves away from zero. So digits are at most 2^39 in magnitude, may be negative, and depend on the value alone. `top` is
//! the highest bin with a digit other than zero of any value so far. The sums of the digits of bins `top`, `top − 1` and
//! `top − 2` are kept, each in 128 bits; no carry ever leaves a bin. Digits below this window are dropped. The window only
//! moves up, so every value has added its digits for all bins of the final window: the order of values does not matter.
//! What is dropped of a value is at most 2^-80 of the greatest magnitude.
//!
//! This is the indexed summation of Demmel, Ahrens and Nguyen, in integers. A processor can add a value with three float
//! additions a bin: see `docs/decisions/0034-sum-unordered-floats-in-three-bins-of-40-bits.md`.
//!
//! Reserved values of `top`, with all sums zero: [`EMPTY`] (no value but zeros), [`POSITIVE_INFINITY`],
//! [`NEGATIVE_INFINITY`] and [`NAN`] (a NaN came, or both infinities). Finishing rounds the kept sum once, to nearest even.

use crate::kernel::sink::ORDER_FREE_BINS;
use crate::types::{NAN_F32, NAN_F64, Scalar};

/// Bits of a bin.
const BIN_BITS: i32 = 40;
/// Bits of the bins below the top one.
const LOW_BITS: i32 = BIN_BITS * (ORDER_FREE_BINS as i32 - 1);
/// `top` of a sum of nothing but zeros.
const EMPTY: i32 = i32::MIN;
/// `top` of a sum with +∞ in it.
const POSITIVE_INFINITY: i32 = i32::MAX - 2;
/// `top` of a sum with −∞ in it.
const NEGATIVE_INFINITY: i32 = i32::MAX - 1;
/// `top` of a sum that is a NaN.
const NAN: i32 = i32::MAX;

/// The two float formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

/// An order-free sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OrderFree {
    format: Format,
    top: i32,
    bins: [i128; ORDER_FREE_BINS],
}

impl OrderFree {
    /// The sum of nothing.
    pub(super) const fn new(format: Format) -> OrderFree {
        OrderFree { format, top: EMPTY, bins: [0; ORDER_FREE_BINS] }
    }

    /// The sum that these columns hold.
    pub(super) fn read(format: Format, top: i32, bins: impl IntoIterator<Item = i128>) -> OrderFree {
        let mut sum = OrderFree { top, ..OrderFree::new(format) };
        for (slot, bin) in sum.bins.iter_mut().zip(bins) {
            *slot = bin;
        }
        sum
    }

    /// The column of the top bin's number.
    pub(super) const fn top(&self) -> i32 {
        self.top
    }

    /// The columns of the bins, the top one first.
    pub(super) const fn bins(&self) -> &[i128] {
        &self.bins
    }

    /// Adds a value (an `f32` widened, which is exact).
    pub(super) fn add(&mut self, value: f64) {
        if !value.is_finite() {
            let top = match () {
                () if value.is_nan() => NAN,
                () if value > 0.0 => POSITIVE_INFINITY,
                () => NEGATIVE_INFINITY,
            };
            return self.combine(&OrderFree { top, ..OrderFree::new(self.format) });
        }
        if value == 0.0 || self.is_special() {
            return;
        }
        let (magnitude, exponent) = decompose(value.abs());
        let highest_bit = exponent + 63 - magnitude.leading_zeros() as i32;
        self.raise((highest_bit + 1).div_euclid(BIN_BITS));
        let mut rest = if value < 0.0 { -i128::from(magnitude) } else { i128::from(magnitude) };
        for (place, bin) in self.bins.iter_mut().enumerate() {
            let unit = BIN_BITS * (self.top - place as i32) - exponent;
            let (digit, left) = divide(rest, unit);
            *bin += digit;
            rest = left;
        }
    }

    /// Adds another sum.
    pub(super) fn combine(&mut self, other: &OrderFree) {
        if self.is_special() || other.is_special() {
            let top = match (self.is_special(), other.is_special()) {
                (true, true) if self.top != other.top => NAN,
                (true, _) => self.top,
                (false, _) => other.top,
            };
            *self = OrderFree { top, ..OrderFree::new(self.format) };
            return;
        }
        if other.top == EMPTY {
            return;
        }
        let mut other = *other;
        self.raise(other.top);
        other.raise(self.top);
        for (sum, bin) in self.bins.iter_mut().zip(other.bins) {
            *sum += bin;
        }
    }

    /// The sum, rounded once; never −0.
    pub(super) fn finish(&self) -> Scalar {
        let special = match self.top {
            POSITIVE_INFINITY => Some((f32::INFINITY, f64::INFINITY)),
            NEGATIVE_INFINITY => Some((f32::NEG_INFINITY, f64::NEG_INFINITY)),
            NAN => Some((f32::from_bits(NAN_F32), f64::from_bits(NAN_F64))),
            EMPTY => Some((0.0, 0.0)),
            _ => None,
        };
        match (self.format, special) {
            (Format::Single, Some((single, _))) => Scalar::F32(single),
            (Format::Double, Some((_, double))) => Scalar::F64(double),
            (Format::Single, None) => {
                let (negative, bits) = self.rounded(24, -149, f32::INFINITY.to_bits().into());
                Scalar::F32(f32::from_bits(bits as u32 | u32::from(negative) << 31))
            }
            (Format::Double, None) => {
                let (negative, bits) = self.rounded(53, -1074, f64::INFINITY.to_bits());
                Scalar::F64(f64::from_bits(bits | u64::from(negative) << 63))
            }
        }
    }

    const fn is_special(&self) -> bool {
        self.top >= POSITIVE_INFINITY
    }

    /// Moves the window up to a bin, if that is above it.
    fn raise(&mut self, bin: i32) {
        if self.top == EMPTY {
            self.top = bin;
        } else if bin > self.top {
            let by = ((bin - self.top) as usize).min(ORDER_FREE_BINS);
            self.bins.copy_within(0..ORDER_FREE_BINS - by, by);
            self.bins[..by].fill(0);
            self.top = bin;
        }
    }

    /// The sign and the bits (without sign) of the nearest float with `digits` bits of precision and units of at least
    /// `2^least`. An exact zero is not negative.
    fn rounded(&self, digits: i32, least: i32, infinity: u64) -> (bool, u64) {
        let (mut high, mut low) = carried(self.bins);
        let negative = high < 0;
        if negative {
            (high, low) = carried(self.bins.map(|bin| -bin));
        }
        // All but the highest 128 bits only tell whether there is more.
        let cut = (128 - high.leading_zeros() as i32 + LOW_BITS - 128).max(0);
        let more = low & ((1 << cut) - 1) != 0;
        let magnitude = (high as u128) << (LOW_BITS - cut) | low >> cut | u128::from(more);
        let exponent = BIN_BITS * (self.top - (ORDER_FREE_BINS as i32 - 1)) + cut;
        (negative, nearest(magnitude, exponent, digits, least, infinity))
    }
}

/// A number divided by 2^`unit`, rounded to the nearest whole number, halves away from zero; and what is left of it.
fn divide(number: i128, unit: i32) -> (i128, i128) {
    match unit {
        ..=0 => (number << -unit, 0),
        1..=120 => {
            let magnitude = (number.abs() + (1 << (unit - 1))) >> unit;
            let quotient = magnitude * number.signum();
            (quotient, number - (quotient << unit))
        }
        _ => (0, number),
    }
}

/// The bins with carries brought up: the top one, and the number that the others form, which is not negative.
fn carried(bins: [i128; ORDER_FREE_BINS]) -> (i128, u128) {
    let mut carry = 0i128;
    let mut low = 0u128;
    for (place, bin) in bins[1..].iter().rev().enumerate() {
        let sum = bin + carry;
        carry = sum >> BIN_BITS;
        low |= ((sum & ((1 << BIN_BITS) - 1)) as u128) << (BIN_BITS as usize * place);
    }
    (bins[0] + carry, low)
}

/// The bits of the float nearest to `magnitude · 2^exponent`, ties to even.
fn nearest(magnitude: u128, exponent: i32, digits: i32, least: i32, infinity: u64) -> u64 {
    if magnitude == 0 {
        return 0;
    }
    let leading = exponent + 127 - magnitude.leading_zeros() as i32;
    let unit = (leading - (digits - 1)).max(least);
    let shift = unit - exponent;
    let whole = match shift {
        ..=0 => magnitude << -shift,
        1..=127 => {
            let (whole, rest, half) = (magnitude >> shift, magnitude & ((1 << shift) - 1), 1u128 << (shift - 1));
            whole + u128::from(rest > half || rest == half && whole & 1 == 1)
        }
        _ => 0,
    } as u64;
    let hidden = 1u64 << (digits - 1);
    if whole < hidden {
        return whole;
    }
    // A carry out of the fraction moves into the exponent, as it should.
    let bits = (((unit - least + 1) as u64) << (digits - 1)) + (whole - hidden);
    bits.min(infinity)
}

/// A finite positive double as a whole number and a power of two.
fn decompose(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i32, bits & ((1 << 52) - 1));
    if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
}
