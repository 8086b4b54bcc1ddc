//! Selects the loop, with its constants, that converts a block of values from one type to another, for a given
//! treatment of values out of range.

use super::decimal::{Unscaled, power_of_ten};
use super::{Args, Imm, StepFn, by_float, by_integer, bytes, faulting_unary, step, unary};
use crate::cpu::isa::Level;
use pointsman_ir::types::{DType, MICROS_PER_DAY, NAN_F32, NAN_F64, Repr};

/// The treatment of a value that does not fit the target type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cpu) enum Misfit {
    /// It faults; the loop raises a flag.
    Faults,
    /// It becomes the nearest that fits; there are no flags.
    Saturates,
}

/// A loop with its constants.
pub(in crate::cpu) type Conversion = (StepFn, Imm);

/// The loop of a conversion that `cast_exists`. A conversion that cannot fault leaves the flags alone under
/// [`Misfit::Saturates`]; the caller asks for that whenever there is no flag to write.
pub(in crate::cpu) fn cast(level: Level, from: DType, to: DType, misfit: Misfit) -> Option<Conversion> {
    let plain = |f: StepFn| (f, Imm::default());
    if from == to {
        return Some(plain(bytes::copy(to.repr().bytes())));
    }
    match (from, to) {
        (DType::Date32, DType::Timestamp) => Some(plain(from_days(misfit))),
        (DType::Timestamp, DType::Date32) => Some(plain(to_days(misfit))),
        (DType::Decimal { .. }, _) | (_, DType::Decimal { .. }) => decimal(from, to, misfit),
        _ if to.is_float() => to_float(level, from.repr(), to.repr()).map(plain),
        _ if from.is_float() => float_to_integer(level, from.repr(), to.repr(), misfit).map(plain),
        _ => integer_to_integer(level, from.repr(), to.repr(), misfit).map(plain),
    }
}

/// The first instant of a day; far ones do not fit 64 bits.
fn from_days(misfit: Misfit) -> StepFn {
    match misfit {
        Misfit::Faults => |x| {
            faulting_unary::<i32, i64>(x, |a| {
                i64::from(a).checked_mul(MICROS_PER_DAY).map_or((0, true), |value| (value, false))
            });
        },
        Misfit::Saturates => |x| unary::<i32, i64>(x, |a| i64::from(a).saturating_mul(MICROS_PER_DAY)),
    }
}

/// The day of a timestamp; it always fits 64 bits, but not always 32.
fn to_days(misfit: Misfit) -> StepFn {
    match misfit {
        Misfit::Faults => |x| {
            faulting_unary::<i64, i32>(x, |a| match i32::try_from(a.div_euclid(MICROS_PER_DAY)) {
                Ok(days) => (days, false),
                Err(_) => (0, true),
            });
        },
        Misfit::Saturates => |x| {
            unary::<i64, i32>(x, |a| {
                a.div_euclid(MICROS_PER_DAY).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
            });
        },
    }
}

/// Integers and truth values as floats, and floats as floats: never faults.
fn to_float(level: Level, from: Repr, to: Repr) -> Option<StepFn> {
    by_float!(to, R => match from {
        Repr::Bool => Some(step!(level, |x: Args<'_>| unary::<u8, R>(x, R::from))),
        Repr::F32 => Some(step!(level, |x: Args<'_>| unary::<f32, R>(x, |a| a as R))),
        Repr::F64 => Some(step!(level, |x: Args<'_>| unary::<f64, R>(x, |a| a as R))),
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => {
            by_integer!(from, T => step!(level, |x: Args<'_>| unary::<T, R>(x, |a| a as R)))
        }
        Repr::I128 => None,
    })?
}

/// The bits of a float as an integer of its width, or back. Every NaN is read as the canonical one.
pub(in crate::cpu) fn reinterpret(level: Level, from: Repr, to: Repr) -> Option<StepFn> {
    if from == Repr::F32 {
        let f =
            step!(level, |x: Args<'_>| { unary::<f32, u32>(x, |a| if a.is_nan() { NAN_F32 } else { a.to_bits() }) });
        return Some(f);
    }
    if from == Repr::F64 {
        let f =
            step!(level, |x: Args<'_>| { unary::<f64, u64>(x, |a| if a.is_nan() { NAN_F64 } else { a.to_bits() }) });
        return Some(f);
    }
    Some(bytes::copy(to.bytes()))
}

/// Truncation toward zero. `as` saturates and turns NaN into zero, which is what the saturating cast means.
fn float_to_integer(level: Level, from: Repr, to: Repr, misfit: Misfit) -> Option<StepFn> {
    by_float!(from, F => match misfit {
        Misfit::Saturates => by_integer!(to, R => step!(level, |x: Args<'_>| unary::<F, R>(x, |a| a as R))),
        Misfit::Faults => by_integer!(to, R => step!(level, |x: Args<'_>| faulting_unary::<F, R>(x, |a| {
            // Both ends are powers of two (or zero), so they are exact in floats; `MAX` is not, but `MAX + 1` is.
            let (low, above) = (R::MIN as F, (R::MAX / 2 + 1) as F * 2.0);
            let whole = a.trunc();
            let fits = (whole >= low) & (whole < above);
            (if fits { a as R } else { 0 }, !fits)
        }))),
    })?
}

/// Integers and truth values as integers.
fn integer_to_integer(level: Level, from: Repr, to: Repr, misfit: Misfit) -> Option<StepFn> {
    if from == Repr::Bool {
        return by_integer!(to, R => step!(level, |x: Args<'_>| unary::<u8, R>(x, |a| a as R)));
    }
    if from == to {
        return Some(bytes::copy(to.bytes()));
    }
    macro_rules! fits {
        ($T:ty, $R:ty, $a:ident) => {{
            let cut = $a as $R;
            #[allow(unused_comparisons)]
            let same_sign = (cut < 0) == ($a < 0);
            ((cut as $T == $a) & same_sign, cut)
        }};
    }
    by_integer!(from, T => match misfit {
        Misfit::Faults => by_integer!(to, R => step!(level, |x: Args<'_>| faulting_unary::<T, R>(x, |a| {
            let (fits, cut) = fits!(T, R, a);
            (if fits { cut } else { 0 }, !fits)
        }))),
        Misfit::Saturates => by_integer!(to, R => step!(level, |x: Args<'_>| unary::<T, R>(x, |a| {
            let (fits, cut) = fits!(T, R, a);
            #[allow(unused_comparisons, clippy::absurd_extreme_comparisons)]
            let nearest = if a < 0 { R::MIN } else { R::MAX };
            if fits { cut } else { nearest }
        }))),
    })?
}

/// A value on its way to a decimal or from one: in 128 bits, or beyond them with its sign.
#[derive(Clone, Copy)]
enum Wide {
    Value(i128),
    Beyond { negative: bool },
    Nan,
}

/// Clamps a value to a range, and says whether it was inside.
#[inline(always)]
fn bounded<R: Whole>(value: Wide, low: i128, high: i128) -> (R, bool) {
    let (value, fits) = match value {
        Wide::Value(value) => (value.clamp(low, high), value >= low && value <= high),
        Wide::Beyond { negative } => (if negative { low } else { high }, false),
        Wide::Nan => (0, false),
    };
    (R::cut(value), fits)
}

/// Integers of any width.
trait Whole: bytemuck::Pod {
    fn wide(self) -> i128;
    fn cut(value: i128) -> Self;
    const LOW: i128;
    const HIGH: i128;
}

macro_rules! whole {
    ($($T:ty)*) => {$(
        impl Whole for $T {
            #[inline(always)]
            fn wide(self) -> i128 { self as i128 }
            #[inline(always)]
            fn cut(value: i128) -> $T { value as $T }
            const LOW: i128 = <$T>::MIN as i128;
            const HIGH: i128 = <$T>::MAX as i128;
        }
    )*};
}

whole!(i8 i16 i32 i64 u8 u16 u32 u64 i128);

/// Runs a conversion, with flags or without: a value that does not fit is replaced by zero where it faults.
#[inline(always)]
fn convert<A: bytemuck::Pod, R: Whole>(x: Args<'_>, misfit: Misfit, f: impl Fn(A) -> (R, bool)) {
    match misfit {
        Misfit::Faults => faulting_unary::<A, R>(x, |a| {
            let (value, fits) = f(a);
            (if fits { value } else { R::cut(0) }, !fits)
        }),
        Misfit::Saturates => unary::<A, R>(x, |a| f(a).0),
    }
}

/// Picks the loop for both ways of misfitting.
macro_rules! either {
    ($misfit:expr, $x:ident, $misfit_in:ident => $e:expr) => {
        match $misfit {
            Misfit::Faults => {
                let f: StepFn = |$x| {
                    const M: Misfit = Misfit::Faults;
                    let $misfit_in = M;
                    $e
                };
                f
            }
            Misfit::Saturates => {
                let f: StepFn = |$x| {
                    const M: Misfit = Misfit::Saturates;
                    let $misfit_in = M;
                    $e
                };
                f
            }
        }
    };
}

/// Conversions from and to decimals. `imm.factor` is the power of ten between the scales, `imm.limit` the largest
/// magnitude.
fn decimal(from: DType, to: DType, misfit: Misfit) -> Option<Conversion> {
    if let DType::Decimal { precision, scale } = to {
        let limit = power_of_ten(precision) - 1;
        if from.is_float() {
            let f = if to.repr() == Repr::I128 {
                float_to_decimal::<i128>(from.repr(), misfit)
            } else {
                float_to_decimal::<i64>(from.repr(), misfit)
            };
            return f.map(|f| (f, Imm { factor: power_of_ten(scale), limit }));
        }
        let old = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
        let factor = power_of_ten(old.abs_diff(scale));
        let wide = to.repr() == Repr::I128;
        let f = match (old > scale, wide) {
            (true, true) => scale_down::<i128>(from.repr(), misfit),
            (true, false) => scale_down::<i64>(from.repr(), misfit),
            (false, true) => scale_up::<i128>(from.repr(), misfit),
            (false, false) => scale_up::<i64>(from.repr(), misfit),
        };
        return f.map(|f| (f, Imm { factor, limit }));
    }
    let DType::Decimal { scale, .. } = from else { return None };
    let wide = from.repr() == Repr::I128;
    let f = match (to.is_float(), wide) {
        (true, true) => decimal_to_float::<i128>(to.repr()),
        (true, false) => decimal_to_float::<i64>(to.repr()),
        (false, true) => decimal_to_integer::<i128>(to.repr(), misfit),
        (false, false) => decimal_to_integer::<i64>(to.repr(), misfit),
    };
    f.map(|f| (f, Imm { factor: power_of_ten(scale), limit: 0 }))
}

#[allow(clippy::useless_conversion)] // One of the two types is `f64` already.
fn float_to_decimal<R: Whole>(from: Repr, misfit: Misfit) -> Option<StepFn> {
    by_float!(from, F => either!(misfit, x, m => {
        let (factor, limit) = (x.imm.factor as f64, x.imm.limit);
        convert::<F, R>(x, m, |a| {
            let value = (f64::from(a) * factor).round();
            bounded(if value.is_nan() { Wide::Nan } else { Wide::Value(value as i128) }, -limit, limit)
        });
    }))
}

fn scale_up<R: Whole>(from: Repr, misfit: Misfit) -> Option<StepFn> {
    macro_rules! up {
        ($T:ty) => {
            either!(misfit, x, m => {
                let (factor, limit) = (x.imm.factor, x.imm.limit);
                convert::<$T, R>(x, m, |a| {
                    let value = a.wide().checked_mul(factor);
                    let beyond = Wide::Beyond { negative: a.wide() < 0 };
                    bounded(value.map_or(beyond, Wide::Value), -limit, limit)
                });
            })
        };
    }
    match from {
        Repr::Bool => Some(up!(u8)),
        Repr::I128 => Some(up!(i128)),
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => {
            by_integer!(from, T => up!(T))
        }
        Repr::F32 | Repr::F64 => None,
    }
}

fn scale_down<R: Whole>(from: Repr, misfit: Misfit) -> Option<StepFn> {
    macro_rules! down {
        ($T:ty) => {
            either!(misfit, x, m => {
                let (factor, limit) = (x.imm.factor, x.imm.limit);
                convert::<$T, R>(x, m, |a| bounded(Wide::Value(divided_half_away(a.wide(), factor)), -limit, limit));
            })
        };
    }
    Some(if from == Repr::I128 { down!(i128) } else { down!(i64) })
}

/// The quotient, halves away from zero.
#[inline(always)]
fn divided_half_away(value: i128, divisor: i128) -> i128 {
    let (quotient, rest) = (value / divisor, value % divisor);
    if rest.unsigned_abs() * 2 >= divisor.unsigned_abs() { quotient + value.signum() } else { quotient }
}

fn decimal_to_float<T: Unscaled>(to: Repr) -> Option<StepFn> {
    by_float!(to, R => |x| {
        let factor = x.imm.factor as f64;
        unary::<T, R>(x, |a| (a.widen() as f64 / factor) as R);
    })
}

fn decimal_to_integer<T: Unscaled>(to: Repr, misfit: Misfit) -> Option<StepFn> {
    by_integer!(to, R => either!(misfit, x, m => {
        let factor = x.imm.factor;
        convert::<T, R>(x, m, |a| bounded(Wide::Value(a.widen() / factor), R::LOW, R::HIGH));
    }))
}
