//! Emits conversions from and to decimals of more than 18 digits: the vectors of the result and, for casts that can
//! fault, the rows whose value does not fit.

use super::{
    Wide, add, blend, clamped, halves, largest, less, magnitude, missing, multiply, negated, negative, number, outside,
    whole,
};
use crate::render::x86::NotEmitted;
use crate::render::x86::arithmetic::Lowered;
use crate::render::x86::cast::{I64, integer_to_integer, rounded_quotient};
use crate::render::x86::emitter::{Emitter, Kind, Lane};
use crate::render::x86::lower::{Data, Value};
use crate::render::x86::scalar;
use crate::render::x86::step::Reg;
use crate::types::{DType, Repr};

/// A conversion from or to decimals of more than 18 digits.
pub(in crate::render::x86) fn lower(
    e: &mut Emitter<'_>,
    arg: &Value,
    from: DType,
    to: DType,
    saturating: bool,
) -> Lowered {
    if from.is_float() || to.is_float() {
        return Err(missing("a conversion between floats and"));
    }
    let DType::Decimal { precision, scale } = to else { return to_integer(e, arg, from, to, saturating) };
    let limit = largest(precision);
    let old = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
    if let Some(truth) = arg.mask() {
        if scale >= precision {
            return Err(NotEmitted::new("a truth value as a decimal without whole digits is not emitted yet"));
        }
        let one = number(e, 10i128.pow(scale.into()));
        let parts = [one.low, one.low, one.high, one.high].into_iter().enumerate();
        return Ok((Data::Lanes(parts.map(|(part, word)| e.keep(I64, part, truth, word)).collect()), None));
    }
    if old > scale {
        return rounded(e, arg, from, old - scale, to, saturating);
    }
    let factor = 10i128.pow((scale - old).into());
    let most = limit / factor;
    let values = widened(e, arg, from);
    let surely_fits = Lane::of(from.repr()).is_some_and(|lane| lane.range().0 >= -most && lane.range().1 <= most);
    let flag = if surely_fits || saturating { None } else { Some(outsiders(e, values, -most, most)) };
    let scaled = values.map(|value| {
        let (by, low, high) = (number(e, factor), number(e, -limit), number(e, limit));
        let scaled = if factor > 1 { multiply(e, value, by) } else { value };
        if surely_fits || !saturating {
            return scaled;
        }
        let (first, last) = (number(e, -most), number(e, most));
        let (below, above) = (less(e, Kind::Signed, value, first), less(e, Kind::Signed, last, value));
        let raised = blend(e, below, low, scaled);
        blend(e, above, high, raised)
    });
    Ok((in_repr(scaled, to.repr()), flag))
}

/// Values that fit a representation of 64 or 128 bits.
fn in_repr(values: [Wide; 2], repr: Repr) -> Data {
    if repr == Repr::I128 { whole(values) } else { Data::Lanes(values.map(|value| value.low).to_vec()) }
}

/// Integers or decimals in 128 bits.
fn widened(e: &mut Emitter<'_>, arg: &Value, from: DType) -> [Wide; 2] {
    let Some(lane) = Lane::of(from.repr()) else { return halves(e, arg.parts()) };
    let words = integer_to_integer(e, lane, arg.parts(), Lane { bits: 64, ..lane });
    if lane.kind == Kind::Unsigned {
        let zero = e.word(0);
        return [0, 1].map(|half| Wide { low: words[half], high: zero });
    }
    halves(e, &words)
}

/// The rows of 16 that lie outside of a range.
fn outsiders(e: &mut Emitter<'_>, values: [Wide; 2], low: i128, high: i128) -> Reg {
    let masks = values.map(|value| outside(e, value, low, high));
    e.whole_mask(&masks)
}

/// A decimal as an integer: the digits after the point are dropped.
fn to_integer(e: &mut Emitter<'_>, arg: &Value, from: DType, to: DType, saturating: bool) -> Lowered {
    let (DType::Decimal { scale, .. }, Some(lane)) = (from, Lane::of(to.repr())) else {
        return Err(missing(&format!("a conversion from {from} to {to} of")));
    };
    let values = halves(e, arg.parts());
    let values = if scale > 0 { divided(e, values, scale, Rest::Dropped) } else { values };
    let (values, flag) = bounded(e, values, lane.range(), saturating);
    let words = values.map(|value| value.low);
    Ok((Data::Lanes(integer_to_integer(e, I64, &words, lane)), flag))
}

/// A decimal with fewer digits after the point: halves are rounded away from zero.
fn rounded(e: &mut Emitter<'_>, arg: &Value, from: DType, digits: u8, to: DType, saturating: bool) -> Lowered {
    if from.repr() != Repr::I128 {
        // Every 64-bit value fits in 128 bits.
        let rounded = rounded_quotient(e, arg.parts(), 10i128.pow(digits.into()));
        return Ok((whole(halves(e, &rounded)), None));
    }
    let DType::Decimal { precision, .. } = to else { return Err(missing(&format!("a conversion to {to} of"))) };
    let limit = largest(precision);
    let values = halves(e, arg.parts());
    let values = divided(e, values, digits, Rest::Rounded);
    let (values, flag) = bounded(e, values, (-limit, limit), saturating);
    Ok((in_repr(values, to.repr()), flag))
}

/// Values in a range: clamped to it, or with the rows that lie outside.
fn bounded(
    e: &mut Emitter<'_>,
    values: [Wide; 2],
    (low, high): (i128, i128),
    saturating: bool,
) -> ([Wide; 2], Option<Reg>) {
    if !saturating {
        return (values, Some(outsiders(e, values, low, high)));
    }
    let (low, high) = (number(e, low), number(e, high));
    (values.map(|value| clamped(e, value, low, high)), None)
}

/// The treatment of the remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    Dropped,
    Rounded,
}

/// The maximum number of digits that a divisor of one word has.
const WORD_DIGITS: u8 = 19;

/// Quotients by a power of ten: of magnitudes (half the divisor added where they are rounded), word by word.
fn divided(e: &mut Emitter<'_>, values: [Wide; 2], digits: u8, rest: Rest) -> [Wide; 2] {
    let mut magnitudes = values.map(|value| magnitude(e, value));
    if rest == Rest::Rounded {
        let half = number(e, 10i128.pow(digits.into()) / 2);
        magnitudes = magnitudes.map(|value| add(e, value, half));
    }
    let mut left = digits;
    while left > 0 {
        let now = left.min(WORD_DIGITS);
        let [first, second] = magnitudes;
        let words = [[first.low, second.low], [first.high, second.high]];
        let [low, high] = scalar::divided_wide(e, &words[0], &words[1], 10u64.pow(now.into()));
        magnitudes = [0, 1].map(|half| Wide { low: low[half], high: high[half] });
        left -= now;
    }
    [0, 1].map(|half| {
        let (flipped, rows) = (negated(e, magnitudes[half]), negative(e, values[half].high));
        blend(e, rows, flipped, magnitudes[half])
    })
}
