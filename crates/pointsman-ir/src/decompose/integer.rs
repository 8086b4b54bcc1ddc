//! Operations on integers: counts of bits, rotations, saturating arithmetic, differences, midpoints, powers. Each is one
//! formula for all widths, signed and unsigned, in the operands' own type: no device needs a wider one.

use super::build::X;
use crate::types::DType;

/// Every `2 * run` bits, the low `run` bits set: 0x55…, 0x33…, 0x0f….
fn stripes(run: u32) -> i64 {
    (u64::MAX / ((1 << run) + 1)) as i64
}

/// The type's greatest value: for signed integers all bits but the sign.
fn most(x: X<'_>) -> X<'_> {
    let bits = if x.is_signed() { x.width() - 1 } else { x.width() };
    x.of((u64::MAX >> (64 - bits)) as i64)
}

/// The lowest bits set, as many as half of the width.
fn low_half(x: X<'_>) -> i64 {
    (1 << (x.width() / 2)) - 1
}

/// All bits set where a signed value is negative, else none.
fn sign_mask(x: X<'_>) -> X<'_> {
    x.shr(i64::from(x.width()) - 1)
}

/// The number of ones: sums of 2, 4, 8, … bits side by side in one word. No sum reaches the sign bit, so the shifts of a
/// signed value, which copy its sign, are masked or shift zeros in.
pub(super) fn count_ones(x: X<'_>) -> X<'_> {
    let pairs = x - x.shr(1).bit_and(stripes(1));
    let fours = pairs.bit_and(stripes(2)) + pairs.shr(2).bit_and(stripes(2));
    let mut sums = (fours + fours.shr(4)).bit_and(stripes(4));
    let mut bits = 8;
    while bits < x.width() {
        sums = sums + sums.shr(i64::from(bits));
        bits *= 2;
    }
    sums.bit_and(0x7f).saturated(DType::U32)
}

/// The number of zeros above the highest one: the ones that are left when everything below it is set.
pub(super) fn leading_zeros(x: X<'_>) -> X<'_> {
    let (mut filled, mut bits) = (x, 1);
    while bits < x.width() {
        // A negative value has no leading zeros, and its shifts, which copy the sign, set every bit.
        filled = filled.bit_or(filled.shr(i64::from(bits)));
        bits *= 2;
    }
    count_ones(filled.bit_not())
}

/// The number of zeros below the lowest one.
pub(super) fn trailing_zeros(x: X<'_>) -> X<'_> {
    count_ones(x.bit_not().bit_and(x - 1))
}

/// The bits moved up by an amount modulo the width; those that leave at the top come in at the bottom.
pub(super) fn rotate_left<'b>(x: X<'b>, amount: X<'b>) -> X<'b> {
    let up = amount.bit_and(i64::from(x.width()) - 1).saturated(x.dtype());
    // An amount of zero shifts by zero both times, not by the width: the shift takes its amount modulo the width.
    let down = x.shr(x.of(0) - up);
    // The shift of a signed value copies its sign into the bits that the other part fills.
    let entering = if x.is_signed() { down.bit_and(x.of(1).shl(up) - 1) } else { down };
    x.shl(up).bit_or(entering)
}

/// The bits moved down, likewise.
pub(super) fn rotate_right<'b>(x: X<'b>, amount: X<'b>) -> X<'b> {
    rotate_left(x, amount.of(0) - amount)
}

/// The limit of a signed type that has the sign of this value.
fn limit(x: X<'_>) -> X<'_> {
    sign_mask(x).bit_xor(most(x))
}

/// The sum, or the nearest value of the type.
pub(super) fn saturating_add<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    let sum = a + b;
    if !a.is_signed() {
        return sum.lt(a).choose(most(a), sum);
    }
    // A sum overflows where its sign is that of neither operand.
    a.bit_xor(sum).bit_and(b.bit_xor(sum)).lt(0).choose(limit(a), sum)
}

/// The difference, or the nearest value of the type.
pub(super) fn saturating_sub<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    if !a.is_signed() {
        return a.greatest(b) - b;
    }
    let difference = a - b;
    a.bit_xor(b).bit_and(a.bit_xor(difference)).lt(0).choose(limit(a), difference)
}

/// The product, or the nearest value of the type.
pub(super) fn saturating_mul<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    let product = a * b;
    if !a.is_signed() {
        return exceeds(a, b, product).choose(most(a), product);
    }
    let (size_a, size_b) = (a.abs(), b.abs());
    let size = size_a * size_b;
    let sign = a.bit_xor(b);
    // The magnitude fits if its highest bit is clear; or if it is the only one, which is the least value's.
    let least = size.eq(most(a).bit_not()).and(sign.lt(0));
    let fits = size.ge(0).or(least).and(exceeds(size_a, size_b, size).not());
    fits.choose(product, limit(sign))
}

/// Whether a product of magnitudes has more bits than the type: by halves of the factors. Magnitudes of a signed type are
/// read as unsigned.
fn exceeds<'b>(a: X<'b>, b: X<'b>, product: X<'b>) -> X<'b> {
    let (half, low) = (i64::from(a.width() / 2), low_half(a));
    let halves = |x: X<'b>| (x.shr(half).bit_and(low), x.bit_and(low));
    let ((a_high, a_low), (b_high, b_low)) = (halves(a), halves(b));
    // Unless both upper halves count, one of these products is zero.
    let middle = a_high * b_low + a_low * b_high;
    let carries = below(product, a_low * b_low);
    (a_high * b_high).ne(0).or(middle.shr(half).bit_and(low).ne(0)).or(carries)
}

/// Whether the first is below the second, both read as unsigned.
fn below<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    if !a.is_signed() {
        return a.lt(b);
    }
    let highest = most(a).bit_not();
    a.bit_xor(highest).lt(b.bit_xor(highest))
}

/// The magnitude of the difference, in the unsigned type of the width.
pub(super) fn abs_diff<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    let difference = a.greatest(b) - a.least(b);
    if !a.is_signed() {
        return difference;
    }
    // A difference of the width's full range has the highest bit set, which the conversion would take for a sign.
    let highest = i64::from(a.width()) - 1;
    let to = a.dtype().unsigned();
    let upper = difference.shr(highest).bit_and(1).saturated(to).shl(highest);
    difference.bit_and(most(a)).saturated(to).bit_or(upper)
}

/// Half of the sum, toward zero: the bits that both have, and half of those that one has.
pub(super) fn midpoint<'b>(a: X<'b>, b: X<'b>) -> X<'b> {
    let differing = a.bit_xor(b);
    let floor = a.bit_and(b) + differing.shr(1);
    if !a.is_signed() {
        return floor;
    }
    floor + sign_mask(floor).bit_and(differing).bit_and(1)
}

/// The power by squaring, wrapped: one iteration for each bit of the exponent up to its highest one.
pub(super) fn pow<'b>(x: X<'b>, exponent: X<'b>) -> X<'b> {
    let [power, ..] = exponent.repeat_while(
        32,
        [x.of(1), x, exponent],
        |[_, _, left]| left.ne(0),
        |[power, square, left]| {
            let taken = left.bit_and(1).ne(0).choose(power * square, power);
            [taken, square * square, left.shr(1)]
        },
    );
    power
}
