//! [`NumberExpr`] and [`ComplexExpr`]: numbers of an array inside a query. Real numbers are expressions of Pointsman.

use crate::number::{Number, Real};
use num_complex::Complex;
use pointsman::types::{Index, Integer, IntoValues, Logic, Values};
use pointsman::{Bool, Expr, IntoExpr, Lookup, lit, select};
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

mod sealed {
    pub trait Sealed {}
    impl<R: super::Real> Sealed for super::Expr<R> {}
    impl<R: super::Real> Sealed for super::ComplexExpr<R> {}
}

/// The type of the parts of an expression's number.
pub(crate) type RealOf<E> = <<E as NumberExpr>::Number as Number>::Real;

/// A number of an array inside a query: [`Expr`] of a real number, or [`ComplexExpr`]. The trait is sealed.
pub trait NumberExpr:
    sealed::Sealed
    + Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of the number.
    type Number: Number<Expr = Self>;
    /// The number as the state of a loop.
    #[doc(hidden)]
    type State: Values + IntoValues<Row = Self::State>;

    /// The number whose parts start at this row of a column.
    #[doc(hidden)]
    fn read<I: Index + Integer + From<u32>>(column: &Lookup<RealOf<Self>>, row: Expr<I>) -> Self;

    /// The number that has a part in this row of a column: the value in the row, and the other part beside it.
    #[doc(hidden)]
    fn around<I: Index + Integer + Logic + From<u32>>(
        column: &Lookup<RealOf<Self>>,
        row: Expr<I>,
        value: Expr<RealOf<Self>>,
    ) -> Self;

    /// The real part, or the imaginary part where the condition is true.
    #[doc(hidden)]
    fn part(self, is_imaginary: impl FnOnce() -> Bool) -> Expr<RealOf<Self>>;

    /// The real and the imaginary part.
    #[doc(hidden)]
    fn to_complex(self) -> ComplexExpr<RealOf<Self>>;

    /// The number as the state of a loop.
    #[doc(hidden)]
    fn into_state(self) -> Self::State;

    /// The number that a loop's state holds.
    #[doc(hidden)]
    fn from_state(state: Self::State) -> Self;
}

impl<R: Real> NumberExpr for Expr<R> {
    type Number = R;
    type State = Expr<R>;

    #[track_caller]
    fn read<I: Index + Integer + From<u32>>(column: &Lookup<R>, row: Expr<I>) -> Expr<R> {
        column.at(row)
    }

    fn around<I: Index + Integer + Logic + From<u32>>(_: &Lookup<R>, _: Expr<I>, value: Expr<R>) -> Expr<R> {
        value
    }

    fn part(self, _: impl FnOnce() -> Bool) -> Expr<R> {
        self
    }

    #[track_caller]
    fn to_complex(self) -> ComplexExpr<R> {
        ComplexExpr::new(self, R::default())
    }

    fn into_state(self) -> Expr<R> {
        self
    }

    fn from_state(state: Expr<R>) -> Expr<R> {
        state
    }
}

/// A complex number of an array inside a query: its parts are expressions. Operators take complex and real expressions
/// and numbers on the right.
///
/// ```
/// use num_complex::Complex;
/// use pointsman_numerics::{Array, Result};
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// let z = Array::from_vec(&session, vec![Complex::new(3.0, 4.0), Complex::new(0.0, 2.0)], &[2])?;
/// let turned = z.map(|z| z * Complex::new(0.0, 1.0) / 2.0)?;
/// assert_eq!(turned.to_vec()?, [Complex::new(-2.0, 1.5), Complex::new(-1.0, 0.0)]);
/// // A closure that returns a real expression makes a real array.
/// assert_eq!(z.map(|z| z.abs())?.to_vec()?, [5.0, 2.0]);
/// # Ok(())
/// # }
/// ```
#[must_use = "an expression does nothing unless the closure returns it"]
pub struct ComplexExpr<R: Real> {
    /// The real part.
    pub re: Expr<R>,
    /// The imaginary part.
    pub im: Expr<R>,
}

impl<R: Real> Clone for ComplexExpr<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Real> Copy for ComplexExpr<R> {}

impl<R: Real> fmt::Debug for ComplexExpr<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComplexExpr").field("re", &self.re).field("im", &self.im).finish()
    }
}

impl<R: Real> ComplexExpr<R> {
    /// The number with these parts: expressions or numbers.
    #[track_caller]
    pub fn new(re: impl IntoExpr<R>, im: impl IntoExpr<R>) -> ComplexExpr<R> {
        ComplexExpr { re: re.into_expr(), im: im.into_expr() }
    }

    /// The parts as a pair, which [`select`] and loops take; [`ComplexExpr::from`] is the way back.
    pub fn parts(self) -> (Expr<R>, Expr<R>) {
        (self.re, self.im)
    }

    /// The number with the imaginary part negated.
    #[track_caller]
    pub fn conj(self) -> ComplexExpr<R> {
        ComplexExpr { re: self.re, im: -self.im }
    }

    /// The magnitude, without overflow on the way.
    #[track_caller]
    pub fn abs(self) -> Expr<R> {
        self.re.hypot(self.im)
    }

    /// The square of the magnitude.
    #[track_caller]
    pub fn norm_sqr(self) -> Expr<R> {
        self.re * self.re + self.im * self.im
    }

    /// The angle, from −π to π.
    #[track_caller]
    pub fn arg(self) -> Expr<R> {
        self.im.atan2(self.re)
    }

    /// e to the power of the number.
    #[track_caller]
    pub fn exp(self) -> ComplexExpr<R> {
        let scale = self.re.exp();
        ComplexExpr { re: scale * self.im.cos(), im: scale * self.im.sin() }
    }
}

impl<R: Real> From<(Expr<R>, Expr<R>)> for ComplexExpr<R> {
    fn from((re, im): (Expr<R>, Expr<R>)) -> ComplexExpr<R> {
        ComplexExpr { re, im }
    }
}

impl<R: Real> NumberExpr for ComplexExpr<R> {
    type Number = Complex<R>;
    type State = (Expr<R>, Expr<R>);

    #[track_caller]
    fn read<I: Index + Integer + From<u32>>(column: &Lookup<R>, row: Expr<I>) -> ComplexExpr<R> {
        ComplexExpr { re: column.at(row), im: column.at(row + I::from(1)) }
    }

    #[track_caller]
    fn around<I: Index + Integer + Logic + From<u32>>(
        column: &Lookup<R>,
        row: Expr<I>,
        value: Expr<R>,
    ) -> ComplexExpr<R> {
        let one = lit(I::from(1));
        let other = column.at(row ^ one);
        select((row & one).eq(one), (other, value), (value, other)).into()
    }

    #[track_caller]
    fn part(self, is_imaginary: impl FnOnce() -> Bool) -> Expr<R> {
        select(is_imaginary(), self.im, self.re)
    }

    fn to_complex(self) -> ComplexExpr<R> {
        self
    }

    fn into_state(self) -> (Expr<R>, Expr<R>) {
        self.parts()
    }

    fn from_state(state: (Expr<R>, Expr<R>)) -> ComplexExpr<R> {
        state.into()
    }
}

/// A value that can stand for a complex expression: a complex or real expression, or a complex or real number.
pub trait IntoComplexExpr<R: Real> {
    /// Converts into an expression. Numbers become run-time parameters.
    fn into_complex_expr(self) -> ComplexExpr<R>;
}

impl<R: Real> IntoComplexExpr<R> for ComplexExpr<R> {
    fn into_complex_expr(self) -> ComplexExpr<R> {
        self
    }
}

impl<R: Real> IntoComplexExpr<R> for Expr<R> {
    #[track_caller]
    fn into_complex_expr(self) -> ComplexExpr<R> {
        self.to_complex()
    }
}

impl<R: Real> IntoComplexExpr<R> for R {
    #[track_caller]
    fn into_complex_expr(self) -> ComplexExpr<R> {
        ComplexExpr::new(self, R::default())
    }
}

impl<R: Real> IntoComplexExpr<R> for Complex<R> {
    #[track_caller]
    fn into_complex_expr(self) -> ComplexExpr<R> {
        ComplexExpr::new(self.re, self.im)
    }
}

impl<R: Real> Neg for ComplexExpr<R> {
    type Output = ComplexExpr<R>;

    #[track_caller]
    fn neg(self) -> ComplexExpr<R> {
        ComplexExpr { re: -self.re, im: -self.im }
    }
}

impl<R: Real, X: IntoComplexExpr<R>> Add<X> for ComplexExpr<R> {
    type Output = ComplexExpr<R>;

    #[track_caller]
    fn add(self, right: X) -> ComplexExpr<R> {
        let right = right.into_complex_expr();
        ComplexExpr { re: self.re + right.re, im: self.im + right.im }
    }
}

impl<R: Real, X: IntoComplexExpr<R>> Sub<X> for ComplexExpr<R> {
    type Output = ComplexExpr<R>;

    #[track_caller]
    fn sub(self, right: X) -> ComplexExpr<R> {
        let right = right.into_complex_expr();
        ComplexExpr { re: self.re - right.re, im: self.im - right.im }
    }
}

impl<R: Real, X: IntoComplexExpr<R>> Mul<X> for ComplexExpr<R> {
    type Output = ComplexExpr<R>;

    #[track_caller]
    fn mul(self, right: X) -> ComplexExpr<R> {
        let right = right.into_complex_expr();
        ComplexExpr { re: self.re * right.re - self.im * right.im, im: self.re * right.im + self.im * right.re }
    }
}

impl<R: Real, X: IntoComplexExpr<R>> Div<X> for ComplexExpr<R> {
    type Output = ComplexExpr<R>;

    /// Smith's algorithm: the square of the divisor's magnitude, which could overflow, is never computed.
    #[track_caller]
    fn div(self, right: X) -> ComplexExpr<R> {
        let (ComplexExpr { re: a, im: b }, ComplexExpr { re: c, im: d }) = (self, right.into_complex_expr());
        let is_flat = c.abs().ge(d.abs());
        let (large, small) = select(is_flat, (c, d), (d, c));
        let ratio = small / large;
        let divisor = large + small * ratio;
        let (re, im) = select(is_flat, (a + b * ratio, b - a * ratio), (a * ratio + b, b * ratio - a));
        ComplexExpr { re: re / divisor, im: im / divisor }
    }
}
