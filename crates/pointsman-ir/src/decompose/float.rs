//! Short operations on floats: signs, midpoints, and the comparisons of IEEE-754.

use super::build::X;

/// 1 with the sign of the value, also of a zero; a NaN as it is. Only its bits are looked at, so every device has it
/// exactly.
pub(super) fn signum(x: X<'_>) -> X<'_> {
    x.is_nan().choose(x, x.of(1.0).signed_like(x))
}

/// Half of the sum, rounded once: only a sum of great numbers overflows, and those can be halved first without loss.
pub(super) fn midpoint<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    let sum = a + b;
    sum.abs().lt(f64::INFINITY).choose(sum * 0.5, a * 0.5 + b * 0.5)
}

/// Equality where a NaN equals nothing.
pub(super) fn ieee_eq<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    a.eq(b).and(a.is_nan().not())
}

/// Below, where a NaN is not; the order of all values has it on top.
pub(super) fn ieee_lt<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    a.lt(b).and(b.is_nan().not())
}

/// Below or equal, likewise.
pub(super) fn ieee_le<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    a.le(b).and(b.is_nan().not())
}
