//! Methods on expressions that are several operations of the plan. In: expressions and scalars. Out: an expression; no
//! device and no interpreter knows these methods. `cargo xtask docs` lists them with their first sentences.

use crate::data::element::{Element, Float, Integer, Number};
use crate::error::{CallSite, Error};
use crate::query::build::{self, Handle};
use crate::query::control::{lookup, repeat_at};
use crate::query::expr::{Expr, IntoExpr, Param};
use pointsman_ir::interpret::compare;
use pointsman_ir::op::Op;
use std::panic::Location;

/// Up to this many different values, [`Expr::is_in`] compares with each; a look-up of more costs fewer operations.
const IS_IN_COMPARISONS_MAX: usize = 64;
/// The greatest number of different values that [`Expr::is_in`] takes: positions are `u32`.
const IS_IN_VALUES_MAX: usize = 1 << 31;

/// A constant, for the call site of a method.
fn constant<T: Element>(value: T, at: CallSite) -> Handle {
    build::append(at, |builder| builder.constant(Some(value.scalar()), T::DTYPE, at))
}

/// The value to a fixed power of at least one; `None` for zero.
fn by_squaring(value: Handle, exponent: u32, at: CallSite) -> Option<Handle> {
    let product = |a: Handle, b: Handle| build::call(Op::Mul, &[a, b], at);
    let (mut left, mut square, mut power) = (exponent, value, None);
    while left > 0 {
        if left % 2 == 1 {
            power = Some(power.map_or(square, |power| product(power, square)));
        }
        left /= 2;
        if left > 0 {
            square = product(square, square);
        }
    }
    power
}

/// Keeps others from implementing [`Exponent`].
mod sealed {
    use crate::error::CallSite;
    use crate::query::expr::Expr;

    pub trait Raise<T> {
        /// The base to the power of this exponent.
        fn raise(self, base: Expr<T>, at: CallSite) -> Expr<T>;
    }
}

/// An exponent of [`Expr::pow`]: for integers a `u32`, which is part of the query, or an expression or parameter of
/// `u32`; for floats what can stand for an expression of their type. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the exponent of a `{T}` value",
    note = "the exponent of an integer is a `u32`, that of a float is a float of its type"
)]
pub trait Exponent<T>: sealed::Raise<T> {}

impl<T, E: sealed::Raise<T>> Exponent<T> for E {}

impl<T: Integer> sealed::Raise<T> for u32 {
    fn raise(self, base: Expr<T>, at: CallSite) -> Expr<T> {
        let zeroth = || build::call(Op::Pow, &[base.handle, constant(0u32, at)], at);
        Expr::new(by_squaring(base.handle, self, at).unwrap_or_else(zeroth))
    }
}

macro_rules! exponents {
    ($($exponent:ty),*) => {$(
        impl<T: Integer> sealed::Raise<T> for $exponent {
            fn raise(self, base: Expr<T>, at: CallSite) -> Expr<T> {
                let exponent: Expr<u32> = self.into_expr();
                Expr::<T>::call(Op::Pow, &[base.handle, exponent.handle], at)
            }
        }
    )*};
}

exponents!(Expr<u32>, &Expr<u32>, Param<u32>, &Param<u32>);

macro_rules! float_exponents {
    ($($exponent:ty),*) => {$(
        impl<T: Float> sealed::Raise<T> for $exponent {
            fn raise(self, base: Expr<T>, at: CallSite) -> Expr<T> {
                let exponent: Expr<T> = self.into_expr();
                Expr::<T>::call(Op::Pow, &[base.handle, exponent.handle], at)
            }
        }
    )*};
}

float_exponents!(T, Expr<T>, &Expr<T>, Param<T>, &Param<T>);

impl<T: Number> Expr<T> {
    /// The value to the power of another. An integer's exponent is a `u32`, and the power wraps like `*`: a number is
    /// part of the query (`x.pow(2)` is `x * x`), an expression takes a step for each bit of the exponent. A float's is
    /// a float, as in [`powf`](Expr::powf).
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[3i64, -2]).map(|x| x.pow(5)).to_vec()?, [243, -32]);
    /// assert_eq!(s.from((&[3u8, 2], &[4u32, 9])).map(|(x, n)| x.pow(n)).to_vec()?, [81, 0]);
    /// assert_eq!(s.from(&[2.25f64]).map(|x| x.pow(0.5)).to_vec()?, [1.5]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn pow(self, exponent: impl Exponent<T>) -> Expr<T> {
        exponent.raise(self, Location::caller())
    }
}

impl<T: Element> Expr<T> {
    /// Whether the value lies between two others or equals one: `x >= low & x <= high`.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1i64, 5, 9]).filter(|x| x.between(2, 5)).to_vec()?, [5]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn between(self, low: impl IntoExpr<T>, high: impl IntoExpr<T>) -> Expr<bool> {
        let at = Location::caller();
        let above = build::call(Op::Ge, &[self.handle, low.into_expr().handle], at);
        let below = build::call(Op::Le, &[self.handle, high.into_expr().handle], at);
        Expr::<T>::call(Op::And, &[above, below], at)
    }

    /// Whether the value equals one of these, as [`eq`](Expr::eq) has it; null for null. Up to 64 different
    /// values are compared one by one, as run-time parameters; more, up to 2³¹, are sorted into a captured table and
    /// searched by halves: a million in 20 steps. The values are part of the query.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[3u32, 4, 7]).filter(|x| x.is_in(&[7, 3])).to_vec()?, [3, 7]);
    /// let squares: Vec<u32> = (0..1000).map(|n| n * n).collect();
    /// assert_eq!(s.from(0u32..20).filter(|x| x.is_in(&squares)).to_vec()?, [0, 1, 4, 9, 16]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn is_in(self, values: &[T]) -> Expr<bool> {
        let at = Location::caller();
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(|a, b| compare(a.scalar(), b.scalar()));
        sorted.dedup_by(|a, b| compare(a.scalar(), b.scalar()).is_eq());
        let equal = |value: T| build::call(Op::Eq, &[self.handle, value.into_expr().handle], at);
        if sorted.len() <= IS_IN_COMPARISONS_MAX {
            let any = sorted.into_iter().map(equal).reduce(|a, b| build::call(Op::Or, &[a, b], at));
            // A value never differs from itself, and a null gives null.
            return Expr::new(any.unwrap_or_else(|| build::call(Op::Ne, &[self.handle, self.handle], at)));
        }
        if sorted.len() > IS_IN_VALUES_MAX {
            let what = format!("`is_in` takes {IS_IN_VALUES_MAX} different values, not {}", sorted.len());
            build::with_open(|builder| builder.fail(Error::invalid(what), at));
        }
        self.is_in_sorted(sorted, at)
    }

    /// Whether the value is in a sorted table, by halves: the number of smaller values is the place where it would be.
    fn is_in_sorted(self, mut sorted: Vec<T>, at: CallSite) -> Expr<bool> {
        // A power of two, filled up with the greatest value, so that every search takes the same steps.
        let steps = sorted.len().next_power_of_two().ilog2();
        if let Some(&last) = sorted.last() {
            sorted.resize(1 << steps, last);
        }
        let (table, half) = (lookup(&sorted), 1u32 << (steps - 1));
        let place = repeat_at(steps, Expr::<u32>::new(constant(0u32, at)), at, |iteration, place| {
            let width = build::call(Op::Shr, &[constant(half, at), iteration.handle], at);
            let next = build::call(Op::Add, &[place.handle, width], at);
            let last = build::call(Op::Sub, &[next, constant(1u32, at)], at);
            let is_below = build::call(Op::Lt, &[table.at_site(last, at), self.handle], at);
            Expr::<u32>::call(Op::Select, &[is_below, next, place.handle], at)
        });
        Expr::<T>::call(Op::Eq, &[self.handle, table.at_site(place.handle, at)], at)
    }
}

impl<T: Integer> Expr<T> {
    /// The quotient, where `MIN / -1` wraps to `MIN`; a zero divisor is an error of the row, as with `/`.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[i32::MIN, 7]).map(|x| x.wrapping_div(-1)).to_vec()?, [i32::MIN, -7]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn wrapping_div(self, divisor: impl IntoExpr<T>) -> Expr<T> {
        let (at, divisor) = (Location::caller(), divisor.into_expr().handle);
        let quotient = build::call(Op::Div, &[self.handle, divisor], at);
        let Some(minus_one) = T::MINUS_ONE else { return Expr::new(quotient) };
        let is_minus_one = build::call(Op::Eq, &[divisor, constant(minus_one, at)], at);
        let negative = build::call(Op::Neg, &[self.handle], at);
        // The quotient is needed only where it does not overflow. A null divisor takes it, and gives null.
        Expr::<T>::call(Op::Select, &[is_minus_one, negative, quotient], at)
    }
}

impl<T: Float> Expr<T> {
    /// The value to a fixed whole power, by squaring: `x.powi(2)` is `x * x`, and a negative power is one divided by the
    /// positive one. The exponent is part of the query.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1.5f64, -2.0]).map(|x| x.powi(3)).to_vec()?, [3.375, -8.0]);
    /// assert_eq!(s.from(&[4.0f64]).map(|x| x.powi(-1)).to_vec()?, [0.25]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Expr<T> {
        let at = Location::caller();
        match by_squaring(self.handle, exponent.unsigned_abs(), at) {
            // 1 also for a NaN, and null for null.
            None => Expr::<T>::call(Op::Pow, &[self.handle, constant(T::ZERO, at)], at),
            Some(power) if exponent < 0 => Expr::<T>::call(Op::Div, &[constant(T::ONE, at), power], at),
            Some(power) => Expr::new(power),
        }
    }

    /// One divided by the value.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[4.0f32, 0.0]).map(|x| x.recip()).to_vec()?, [0.25, f32::INFINITY]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn recip(self) -> Expr<T> {
        let at = Location::caller();
        Expr::<T>::call(Op::Div, &[constant(T::ONE, at), self.handle], at)
    }

    /// The value less its whole part, with the sign of the value; NaN for infinities.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[3.25f64, -3.25]).map(|x| x.fract()).to_vec()?, [0.25, -0.25]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn fract(self) -> Expr<T> {
        let at = Location::caller();
        let whole = build::call(Op::Trunc, &[self.handle], at);
        Expr::<T>::call(Op::Sub, &[self.handle, whole], at)
    }

    /// Whether the value is neither infinite nor a NaN.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[1.0f32, f32::NAN, f32::INFINITY]).filter(|x| x.is_finite()).to_vec()?, [1.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn is_finite(self) -> Expr<bool> {
        // A NaN is above infinity.
        self.magnitude_against_infinity(Op::Lt, Location::caller())
    }

    /// Whether the value is infinity or its negative.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[0.0f64, -1.0]).map(|x| (1.0 / x).is_infinite()).to_vec()?, [true, false]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn is_infinite(self) -> Expr<bool> {
        self.magnitude_against_infinity(Op::Eq, Location::caller())
    }

    fn magnitude_against_infinity(self, op: Op, at: CallSite) -> Expr<bool> {
        let magnitude = build::call(Op::Abs, &[self.handle], at);
        Expr::<T>::call(op, &[magnitude, constant(T::INFINITY, at)], at)
    }

    /// An angle in radians, in degrees: the value times Rust's factor.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[std::f64::consts::PI]).map(|x| x.to_degrees()).to_vec()?, [180.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn to_degrees(self) -> Expr<T> {
        let at = Location::caller();
        Expr::<T>::call(Op::Mul, &[self.handle, constant(T::DEGREES, at)], at)
    }

    /// An angle in degrees, in radians: the value times Rust's factor.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[180.0]).map(|x| x.to_radians()).to_vec()?, [std::f64::consts::PI]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn to_radians(self) -> Expr<T> {
        let at = Location::caller();
        Expr::<T>::call(Op::Mul, &[self.handle, constant(T::RADIANS, at)], at)
    }

    /// Whether the values differ as IEEE-754 has it: a NaN differs from everything, itself included.
    #[track_caller]
    pub fn ieee_ne(self, other: impl IntoExpr<T>) -> Expr<bool> {
        let at = Location::caller();
        let equal = build::call(Op::IeeeEq, &[self.handle, other.into_expr().handle], at);
        Expr::<T>::call(Op::Not, &[equal], at)
    }

    /// Whether this is above the other as IEEE-754 has it: false if either is a NaN.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// let x = [f64::NAN, 20.0];
    /// assert_eq!(s.from(&x).filter(|x| x.ieee_gt(10.0)).to_vec()?, [20.0]);
    /// assert_eq!(s.from(&x).filter(|x| x.gt(10.0)).count()?, 2);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn ieee_gt(self, other: impl IntoExpr<T>) -> Expr<bool> {
        Expr::<T>::call(Op::IeeeLt, &[other.into_expr().handle, self.handle], Location::caller())
    }

    /// Whether this is above the other or equal as IEEE-754 has it: false if either is a NaN.
    #[track_caller]
    pub fn ieee_ge(self, other: impl IntoExpr<T>) -> Expr<bool> {
        Expr::<T>::call(Op::IeeeLe, &[other.into_expr().handle, self.handle], Location::caller())
    }
}
