//! Float sums without an order, by float additions. For values in any order, they give the same bins as the
//! interpreter's accumulator.
//!
//! `pointsman_ir::interpret` (`order_free.rs`) defines the same sums with integers. Values are scaled by a power of
//! two, so that the unit of the top bin becomes 1. A sum holds 1.5·2^52 units of its bin plus the digits that were
//! added: a float addition then rounds to whole units, and the rest of the value goes to the next bin. Digits have up
//! to 2^39 units, so after [`PENDING_MAX`] values the sums are reset to the middle of their range, and the difference
//! is carried as an integer.

use pointsman_ir::types::Scalar;

/// The number of bins.
const BINS: usize = 3;
/// Bits of a bin.
const BIN_BITS: i32 = 40;
/// The number of values that may be added before carries must be taken: 2^10 digits use at most a quarter of the range
/// of a sum.
const PENDING_MAX: u32 = 1 << 10;
/// A carry counts 2^50 units.
const CARRY_BITS: i32 = 50;
/// The lowest bin that has a scale of its own: the scale of a lower one would overflow. The three bins from here down
/// hold every bit of smaller values.
const SCALED_BIN_MIN: i32 = -25;
/// The highest bin of finite values.
const BIN_MAX: i32 = 25;
/// The top bin's number in sums of nothing but zeros, with infinities, and with NaNs, as the interpreter writes them.
const EMPTY: i32 = i32::MIN;
const POSITIVE_INFINITY: i32 = i32::MAX - 2;
const NEGATIVE_INFINITY: i32 = i32::MAX - 1;
const NAN: i32 = i32::MAX;

/// 2^`exponent`, of a normal float.
const fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The value that each bin holds for an empty sum, in units of the top bin.
const MIDDLES: [f64; BINS] = [1.5 * power(52), 1.5 * power(52 - BIN_BITS), 1.5 * power(52 - 2 * BIN_BITS)];

/// A float sum whose bits do not depend on the order of the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderFreeSum {
    sums: [f64; BINS],
    carries: [i64; BINS],
    top: i32,
    /// The number of values since carries were taken.
    pending: u32,
}

impl OrderFreeSum {
    /// The empty sum.
    pub(super) const NOTHING: OrderFreeSum = OrderFreeSum { sums: MIDDLES, carries: [0; BINS], top: EMPTY, pending: 0 };

    /// The number of columns that hold it: the top bin's number, and the bins.
    #[cfg(test)]
    pub(super) const COLUMNS: usize = 1 + BINS;

    /// Adds a value (an `f32` widened, which is exact).
    #[inline(always)]
    pub(super) fn add(&mut self, value: f64) {
        let exponent = (value.to_bits() >> 52 & 0x7ff) as i32;
        // The bin of the highest digit: digits are rounded, so it may be above that of the highest bit. For subnormal
        // values it is an upper bound. Infinities and NaNs have the number of the highest bin.
        let bin = (exponent + 58) / BIN_BITS - 27;
        if (bin > self.top || bin == BIN_MAX) && !self.rise_to(value) {
            return;
        }
        let mut rest = value * power(-BIN_BITS * self.top.clamp(SCALED_BIN_MIN, BIN_MAX));
        for sum in &mut self.sums {
            // With its lowest bit set, a number is never halfway between two units, and so rounds away from zero as
            // halves do. That bit is far below half a unit, so it changes nothing else.
            let next = *sum + f64::from_bits(rest.to_bits() | 1);
            rest += *sum - next;
            *sum = next;
        }
        self.pending += 1;
        if self.pending == PENDING_MAX {
            self.carry();
        }
    }

    /// Moves the window up for a value that may lie above it; whether there is a digit to add.
    #[cold]
    fn rise_to(&mut self, value: f64) -> bool {
        if !value.is_finite() {
            let top = match () {
                () if value.is_nan() => NAN,
                () if value > 0.0 => POSITIVE_INFINITY,
                () => NEGATIVE_INFINITY,
            };
            self.become_special(top);
            return false;
        }
        if value == 0.0 || self.is_special() {
            return false;
        }
        let bits = value.abs().to_bits();
        let highest_bit = if bits >> 52 > 0 { (bits >> 52) as i32 - 1023 } else { bits.ilog2() as i32 - 1074 };
        self.raise((highest_bit + 1).div_euclid(BIN_BITS));
        true
    }

    fn is_special(&self) -> bool {
        self.top >= POSITIVE_INFINITY
    }

    /// Takes in an infinity or a NaN.
    fn become_special(&mut self, top: i32) {
        let top = if self.is_special() && self.top != top { NAN } else { top };
        *self = OrderFreeSum { top, ..OrderFreeSum::NOTHING };
    }

    /// Moves the window up to a bin, if that is above it.
    fn raise(&mut self, bin: i32) {
        if bin <= self.top {
            return;
        }
        let (scaled, scaled_before) = (bin.max(SCALED_BIN_MIN), self.top.max(SCALED_BIN_MIN));
        let by = if self.top == EMPTY { BINS } else { ((scaled - scaled_before) as usize).min(BINS) };
        for place in (0..BINS).rev() {
            let from = place.checked_sub(by);
            // The same number of units, of which a bin further down has smaller ones.
            let moved = |from: usize| MIDDLES[place] + (self.sums[from] - MIDDLES[from]) * power(-BIN_BITS * by as i32);
            self.sums[place] = from.map_or(MIDDLES[place], moved);
            self.carries[place] = from.map_or(0, |from| self.carries[from]);
        }
        self.top = bin;
    }

    /// Brings the sums back to their middles.
    #[cold]
    fn carry(&mut self) {
        for (place, (sum, carry)) in self.sums.iter_mut().zip(&mut self.carries).enumerate() {
            let unit = power(CARRY_BITS - BIN_BITS * place as i32);
            let whole = ((*sum - MIDDLES[place]) / unit).round_ties_even();
            *sum -= whole * unit;
            *carry += whole as i64;
        }
        self.pending = 0;
    }

    /// Adds another sum.
    pub(super) fn combine(&mut self, other: &OrderFreeSum) {
        if other.is_special() {
            return self.become_special(other.top);
        }
        if self.is_special() || other.top == EMPTY {
            return;
        }
        let mut other = *other;
        self.raise(other.top);
        other.raise(self.top);
        self.carry();
        other.carry();
        for (place, sum) in self.sums.iter_mut().enumerate() {
            *sum += other.sums[place] - MIDDLES[place];
            self.carries[place] += other.carries[place];
        }
        self.carry();
    }

    /// The sum that these columns hold: the top bin's number, and the bins.
    pub(super) fn read(mut columns: impl Iterator<Item = i128>) -> OrderFreeSum {
        let top = columns.next().map_or(EMPTY, |top| top as i32);
        let mut sum = OrderFreeSum { top, ..OrderFreeSum::NOTHING };
        if top == EMPTY || sum.is_special() {
            return sum;
        }
        let first = (top.max(SCALED_BIN_MIN) - top) as usize;
        for (place, bin) in (first..BINS).zip(columns) {
            // A carry, and what is left, from -2^49 to 2^49 units.
            let carry = (bin + (1 << (CARRY_BITS - 1))) >> CARRY_BITS;
            sum.carries[place] = carry as i64;
            sum.sums[place] += (bin - (carry << CARRY_BITS)) as f64 * power(-BIN_BITS * place as i32);
        }
        sum
    }

    /// The columns that hold it.
    pub(super) fn columns(&self) -> [Scalar; 1 + BINS] {
        let mut columns = [Scalar::I32(self.top), Scalar::I128(0), Scalar::I128(0), Scalar::I128(0)];
        if self.top == EMPTY || self.is_special() {
            return columns;
        }
        // Values below the lowest scale have no digits in the bins above their own.
        let first = (self.top.max(SCALED_BIN_MIN) - self.top) as usize;
        for (column, place) in columns[1..].iter_mut().zip(first..BINS) {
            let units = (self.sums[place] - MIDDLES[place]) * power(BIN_BITS * place as i32);
            *column = Scalar::I128((i128::from(self.carries[place]) << CARRY_BITS) + units as i128);
        }
        columns
    }
}

#[cfg(all(test, feature = "testing"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::OrderFreeSum;
    use pointsman_ir::interpret::{GroupAccumulator, GroupFold};
    use pointsman_ir::kernel::parse::parse;
    use pointsman_ir::kernel::{Kernel, Sink};
    use pointsman_ir::random::Rng;
    use pointsman_ir::types::Scalar;

    fn fold(kernel: &Kernel) -> GroupFold {
        let Sink::Group { folds, .. } = &kernel.sink else { panic!("{} is no group", kernel.sink.name()) };
        GroupFold::new(folds[0], &kernel.body)
    }

    fn columns_of(sum: &GroupAccumulator) -> Vec<Option<Scalar>> {
        let mut columns = Vec::new();
        sum.write(&mut columns);
        columns
    }

    /// Adds values one by one, and in two halves that are combined, and goes through columns: always what the
    /// interpreter has.
    fn check(fold: &GroupFold, values: &[f64]) {
        let mut expected = fold.nothing();
        values.iter().for_each(|&value| expected.add(Some(Scalar::F64(value))));
        let expected = columns_of(&expected);
        let sum = |values: &[f64]| {
            let mut sum = OrderFreeSum::NOTHING;
            values.iter().for_each(|&value| sum.add(value));
            sum
        };
        let bits = |column: Scalar| column.as_integer().unwrap();
        let read = |sum: OrderFreeSum| OrderFreeSum::read(sum.columns().into_iter().map(bits));
        let (first, second) = values.split_at(values.len() / 3);
        let mut halves = sum(first);
        halves.combine(&sum(second));
        let mut stored = read(sum(second));
        stored.combine(&read(sum(first)));
        for (way, sum) in [("values", sum(values)), ("halves", halves), ("columns", stored)] {
            assert_eq!(sum.columns().len(), OrderFreeSum::COLUMNS);
            assert_eq!(sum.columns().map(Some).to_vec(), expected, "{way}: {values:?}");
        }
    }

    #[test]
    fn sums_have_the_bits_of_the_definition() {
        let text = "kernel\ncolumns c0: f64\n  v0: f64 = column c0\nsink group keys() folds(sum(v0)) order hash\n";
        let kernel = parse(text).unwrap();
        let fold = fold(&kernel);
        let (min, tiny) = (f64::MIN_POSITIVE, f64::from_bits(1));
        let specials = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.1,
            1e16,
            -1e16,
            f64::MAX,
            f64::MIN,
            min,
            -min,
            tiny,
            -tiny,
            3.0 * tiny,
            min - tiny,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            1e300,
            -1e300,
            1e-300,
            f64::EPSILON,
        ];
        // Every power of two, the numbers around it, and halves of units.
        let powers =
            (-1074..1024).map(|exponent| 2f64.powi(exponent.max(-1022)) * 2f64.powi(exponent.min(-1022) + 1022));
        let powers: Vec<f64> = powers.flat_map(|v| [v, -v, v.next_up(), v.next_down(), 1.5 * v]).collect();
        for &value in specials.iter().chain(&powers) {
            check(&fold, &[value]);
            for &other in &specials {
                check(&fold, &[value, other]);
                check(&fold, &[other, value, value]);
            }
        }
        let mut rng = Rng::new(9);
        for round in 0..3000 {
            let spread = 1 + rng.below(if round % 2 == 0 { 90 } else { 2000 });
            let center = rng.below(2046) as i32;
            let value = |rng: &mut Rng| {
                let exponent = (center + rng.below(spread) as i32 - spread as i32 / 2).clamp(0, 2046) as u64;
                let fraction = [rng.bits() >> 12, 0, 1, (1 << 52) - 1, 1 << 51][rng.below(5)];
                f64::from_bits((rng.bits() >> 63) << 63 | exponent << 52 | fraction)
            };
            let mut values: Vec<f64> = (0..rng.below(60)).map(|_| value(&mut rng)).collect();
            match round % 5 {
                // Cancellation.
                0 => values.extend_from_within(..),
                1 => values.push(specials[rng.below(specials.len())]),
                _ => {}
            }
            if round % 5 == 0 {
                let half = values.len() / 2;
                values[half..].iter_mut().for_each(|value| *value = -*value);
            }
            check(&fold, &values);
        }
        // Many values of one sign, so that carries are taken.
        for value in [f64::MAX, 1.0, 1.0 + f64::EPSILON, -0.1, 2f64.powi(39).next_down(), 2f64.powi(38), tiny, -min] {
            check(&fold, &vec![value; 10_000]);
        }
    }
}
