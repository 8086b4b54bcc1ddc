//! [`Number`] and [`Real`]: the types whose arrays this crate computes with.

use crate::expr::{ComplexExpr, NumberExpr};
use crate::matmul::Promote;
use num_complex::Complex;
use pointsman::Expr;
use pointsman::types::{CastTo, Float, IntoValues, Signed};
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl<R: super::Real> Sealed for num_complex::Complex<R> {}
}

/// A type that an [`Array`](crate::Array) holds: `f32`, `f64`, `Complex<f32>` or `Complex<f64>`. The trait is sealed.
///
/// ```
/// use num_complex::Complex;
/// use pointsman_numerics::{Array, Number, Result};
///
/// fn mean_of_squares<T: Number>(array: &Array<T>) -> Result<T> {
///     (array * array)?.mean()
/// }
///
/// # fn main() -> Result<()> {
/// let session = pointsman::Session::open()?;
/// assert_eq!(mean_of_squares(&Array::from_slice(&session, &[1.0, 3.0], &[2])?)?, 5.0);
/// let i = Complex::new(0.0f32, 1.0);
/// assert_eq!(mean_of_squares(&Array::from_slice(&session, &[i], &[1])?)?, -(i / i));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "an array cannot hold `{Self}`",
    note = "arrays hold f32, f64, Complex<f32> and Complex<f64>"
)]
pub trait Number: sealed::Sealed + bytemuck::Pod + Copy + Default + PartialEq + Debug + Send + Sync + 'static {
    /// The type of its parts: the type itself, if it is real.
    type Real: Real;
    /// The value that closures of [`map`](crate::Array::map) and [`zip`](crate::Array::zip) see.
    type Expr: NumberExpr<Number = Self>;
    /// Rows of a column that a number takes: 1, or 2 if it is complex.
    #[doc(hidden)]
    const PARTS: usize;

    /// The number with this real part.
    fn from_real(real: Self::Real) -> Self;

    /// The number as a run-time parameter of a query.
    #[doc(hidden)]
    fn into_number_expr(self) -> Self::Expr;

    /// The number with these parts; a real number has no second one.
    #[doc(hidden)]
    fn from_parts(parts: [Self::Real; 2]) -> Self;
}

/// `f32` or `f64`. The trait is sealed.
pub trait Real:
    Number<Real = Self, Expr = Expr<Self>>
    + Promote<Self, Output = Self>
    + Float
    + Signed
    + CastTo
    + IntoValues<Row = Expr<Self>>
    + Into<f64>
{
    /// The nearest number.
    fn from_f64(value: f64) -> Self;
}

macro_rules! real {
    ($($real:ident)*) => {$(
        impl Number for $real {
            type Real = $real;
            type Expr = Expr<$real>;
            const PARTS: usize = 1;

            fn from_real(real: $real) -> $real {
                real
            }

            #[track_caller]
            fn into_number_expr(self) -> Expr<$real> {
                pointsman::IntoExpr::into_expr(self)
            }

            fn from_parts([real, _]: [$real; 2]) -> $real {
                real
            }
        }

        impl Real for $real {
            fn from_f64(value: f64) -> $real {
                value as $real
            }
        }
    )*};
}

real!(f32 f64);

impl<R: Real> Number for Complex<R> {
    type Real = R;
    type Expr = ComplexExpr<R>;
    const PARTS: usize = 2;

    fn from_real(real: R) -> Complex<R> {
        Complex { re: real, im: R::default() }
    }

    #[track_caller]
    fn into_number_expr(self) -> ComplexExpr<R> {
        ComplexExpr::new(self.re, self.im)
    }

    fn from_parts([re, im]: [R; 2]) -> Complex<R> {
        Complex { re, im }
    }
}
