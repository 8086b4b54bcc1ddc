//! How scalars of one representation compare: the order of sorts, min and max; the order of `eq` and `lt`; key equality.
//!
//! Floats: all NaNs are one value above everything. Sorts, min and max put −0 below +0; comparisons hold them equal.
//! Keys (of groups, joins and partitions) are made canonical first: one NaN, and +0 for −0; then equal keys have equal bits.

use crate::types::Scalar;
use std::cmp::Ordering;

/// The order of sorts, `least`, `greatest`, min and max: total, −0 below +0, NaN on top.
pub(crate) fn total(a: Scalar, b: Scalar) -> Ordering {
    match (a, b) {
        (Scalar::F32(a), Scalar::F32(b)) => total_f64(a.into(), b.into()),
        (Scalar::F64(a), Scalar::F64(b)) => total_f64(a, b),
        (a, b) => a.as_integer().cmp(&b.as_integer()),
    }
}

/// The smaller of two.
pub(super) fn least(a: Scalar, b: Scalar) -> Scalar {
    if total(b, a).is_lt() { b } else { a }
}

/// The greater of two.
pub(super) fn greatest(a: Scalar, b: Scalar) -> Scalar {
    if total(b, a).is_gt() { b } else { a }
}

/// The order of `eq`, `lt` and their kin: all NaNs are one value on top, and −0 equals +0.
pub fn compare(a: Scalar, b: Scalar) -> Ordering {
    total(positive_zero(a), positive_zero(b))
}

/// The canonical form of a key.
pub(crate) fn key(value: Scalar) -> Scalar {
    positive_zero(value).canonical()
}

/// Adding +0 turns −0 into +0 and leaves every other value alone.
fn positive_zero(value: Scalar) -> Scalar {
    if let Scalar::F32(v) = value {
        return Scalar::F32(v + 0.0);
    }
    if let Scalar::F64(v) = value { Scalar::F64(v + 0.0) } else { value }
}

fn total_f64(a: f64, b: f64) -> Ordering {
    match (a.is_nan(), b.is_nan()) {
        (false, false) => a.total_cmp(&b),
        (a, b) => a.cmp(&b),
    }
}
