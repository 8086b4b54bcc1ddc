//! [`Expr`]: a value of every row. Its methods build the plan; nothing is computed until the query runs.

use crate::data::element::{CastTo, Element, Float, Number};
use crate::error::{CallSite, Error};
use crate::query::build::{self, Handle};
use crate::query::folds::{Count, FoldPart, Mean, MinMax, Quantile, Running, Sum};
use crate::query::sort::SortExpr;
use pointsman_ir::kernel::{FoldOp, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{AggregateOp, Fraction};
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// A value of type `T` (or null) in every row. It is a small `Copy` handle: operators and methods append to the plan of
/// the query whose closure is running, and nothing is computed until the query runs.
///
/// There is deliberately no `==`, `<` or `if` on expressions, since their values are unknown while the plan is built.
/// Write `x.eq(y)`, `x.lt(y)`, `&`, `|`, `!` and [`select`](crate::select).
///
/// ```
/// # use pointsman::{F64, Session};
/// # fn main() -> pointsman::Result<()> {
/// # let s = Session::open()?;
/// fn norm(x: F64, y: F64) -> F64 {
///     (x * x + y * y).sqrt()
/// }
/// assert_eq!(s.from((&[3.0], &[4.0])).map(|(x, y)| norm(x, y)).run()?[..], [5.0]);
/// # Ok(())
/// # }
/// ```
#[must_use = "an expression does nothing unless the closure returns it"]
pub struct Expr<T> {
    pub(crate) handle: Handle,
    marker: PhantomData<fn() -> T>,
}

/// An expression of `f32` values.
pub type F32 = Expr<f32>;
/// An expression of `f64` values.
pub type F64 = Expr<f64>;
/// An expression of `i8` values.
pub type I8 = Expr<i8>;
/// An expression of `i16` values.
pub type I16 = Expr<i16>;
/// An expression of `i32` values.
pub type I32 = Expr<i32>;
/// An expression of `i64` values.
pub type I64 = Expr<i64>;
/// An expression of `u8` values.
pub type U8 = Expr<u8>;
/// An expression of `u16` values.
pub type U16 = Expr<u16>;
/// An expression of `u32` values.
pub type U32 = Expr<u32>;
/// An expression of `u64` values.
pub type U64 = Expr<u64>;
/// An expression of truth values.
pub type Bool = Expr<bool>;

/// Handles are `Copy` for every `T`; a derived implementation would ask it of `T`.
macro_rules! copies {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
    )*};
}

pub(super) use copies;

copies!(Expr Param);

impl<T: Element> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr<{}>", T::DTYPE)
    }
}

/// A scalar that the caller passes with every run of a prepared query. See [`Prepared`](crate::Prepared).
#[must_use = "a parameter does nothing unless an expression uses it"]
pub struct Param<T>(pub(crate) Expr<T>);

/// A value that can stand for an expression of type `T`: an expression, a scalar of type `T`, or a parameter. Programs
/// may implement it for types of their own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used as an expression of `{T}` values",
    label = "not a `{T}` value or expression",
    note = "Pointsman never converts silently: write `.cast::<{T}>()` on an expression, or `as {T}` on a number",
    note = "a literal has the type of the column: `2.0` for `f32` and `f64`, `2` for integers"
)]
pub trait IntoExpr<T> {
    /// Converts into an expression.
    fn into_expr(self) -> Expr<T>;
}

impl<T: Element> IntoExpr<T> for T {
    /// Makes the scalar a run-time parameter: another value of it never compiles the query again.
    #[track_caller]
    fn into_expr(self) -> Expr<T> {
        let at = Location::caller();
        Expr::new(build::append(at, |builder| builder.param(self.scalar(), T::DTYPE, at)))
    }
}

impl<T> IntoExpr<T> for Expr<T> {
    fn into_expr(self) -> Expr<T> {
        self
    }
}

impl<T> IntoExpr<T> for &Expr<T> {
    fn into_expr(self) -> Expr<T> {
        *self
    }
}

impl<T> IntoExpr<T> for Param<T> {
    fn into_expr(self) -> Expr<T> {
        self.0
    }
}

impl<T> IntoExpr<T> for &Param<T> {
    fn into_expr(self) -> Expr<T> {
        self.0
    }
}

impl<T> Expr<T> {
    pub(crate) fn new(handle: Handle) -> Expr<T> {
        Expr { handle, marker: PhantomData }
    }

    pub(crate) fn call<U>(op: Op, args: &[Handle], at: CallSite) -> Expr<U> {
        Expr::new(build::call(op, args, at))
    }
}

/// Declares methods that are one operation each. An operand has the type of the expression unless another is named.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $name:ident($($arg:ident $(: $type:ty)?),*) -> $out:ty = $op:ident;)*) => {$(
        $(#[doc = $doc])+
        #[track_caller]
        #[allow(clippy::should_implement_trait)]
        pub fn $name(self $(, $arg: impl IntoExpr<methods!(@type $($type)?)>)*) -> $out {
            Expr::<T>::call(Op::$op, &[self.handle $(, $arg.into_expr().handle)*], Location::caller())
        }
    )*};
    (@type) => { T };
    (@type $type:ty) => { $type };
}

pub(super) use methods;

/// Declares comparisons. They take the expression by reference, because the methods of `PartialEq` and `PartialOrd`,
/// which exist only for their error messages, would otherwise come first for a reference to an expression.
macro_rules! comparisons {
    ($($(#[doc = $doc:literal])+ $name:ident = $op:ident;)*) => {$(
        $(#[doc = $doc])+
        #[track_caller]
        #[allow(clippy::should_implement_trait)]
        pub fn $name(&self, other: impl IntoExpr<T>) -> Expr<bool> {
            Expr::<T>::call(Op::$op, &[self.handle, other.into_expr().handle], Location::caller())
        }
    )*};
}

impl<T: Element> Expr<T> {
    comparisons! {
        /// Whether the values are equal. A NaN equals itself, −0 equals +0.
        eq = Eq;
        /// Whether the values differ.
        ne = Ne;
        /// Whether this is below the other. NaN is above every number.
        lt = Lt;
        /// Whether this is below the other or equal.
        le = Le;
        /// Whether this is above the other.
        gt = Gt;
        /// Whether this is above the other or equal.
        ge = Ge;
    }

    methods! {
        /// The smaller of two values in each row; [`min`](Expr::min) is the fold. NaN only if both are NaN.
        least(other) -> Expr<T> = Least;
        /// The greater of two values in each row; [`max`](Expr::max) is the fold. NaN if either is NaN.
        greatest(other) -> Expr<T> = Greatest;
        /// The value, limited to the range from `low` to `high`.
        clamp(low, high) -> Expr<T> = Clamp;
        /// This value, or `other` in rows where this is null.
        coalesce(other) -> Expr<T> = Coalesce;
        /// Whether the value is null.
        is_null() -> Expr<bool> = IsNull;
    }

    /// The value as a `U`. A value that does not fit is an error of its row; floats truncate toward zero into integers.
    #[track_caller]
    pub fn cast<U: CastTo>(self) -> Expr<U> {
        let at = Location::caller();
        Expr::new(build::append(at, |builder| builder.cast(Op::Cast, self.handle, U::DTYPE, at)))
    }

    /// The value as a `U`. A value that does not fit becomes the nearest that does; NaN becomes zero.
    #[track_caller]
    pub fn cast_saturating<U: CastTo>(self) -> Expr<U> {
        let at = Location::caller();
        Expr::new(build::append(at, |builder| builder.cast(Op::CastSaturating, self.handle, U::DTYPE, at)))
    }

    /// The smallest value of the column, as a fold; [`least`](Expr::least) is the smaller of two values in each row.
    #[rustfmt::skip] // The compiler shows the line of the signature to a program that passes an argument.
    pub fn min(self) -> MinMax<T> { // a fold of the column; the smaller of two values is `a.least(b)`
        MinMax(FoldPart::new(AggregateOp::Fold(FoldOp::Min), Some(self.handle)), PhantomData)
    }

    /// The greatest value of the column, as a fold; [`greatest`](Expr::greatest) is the greater of two values in each
    /// row.
    #[rustfmt::skip] // The compiler shows the line of the signature to a program that passes an argument.
    pub fn max(self) -> MinMax<T> { // a fold of the column; the greater of two values is `a.greatest(b)`
        MinMax(FoldPart::new(AggregateOp::Fold(FoldOp::Max), Some(self.handle)), PhantomData)
    }

    /// The number of values that are not null, as a fold. [`count`](crate::count) counts rows.
    pub fn count(self) -> Count {
        Count(FoldPart::new(AggregateOp::Fold(FoldOp::Count), Some(self.handle)))
    }

    /// The number of different values, as a fold; nulls do not count.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[7i64, 8, 7]).reduce(|x| x.count_distinct())?, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn count_distinct(self) -> Count {
        Count(FoldPart::new(AggregateOp::CountDistinct, Some(self.handle)))
    }

    /// A key of [`sort_by`](crate::Query::sort_by): smallest values first, nulls last.
    pub fn asc(self) -> SortExpr {
        SortExpr::new(self.handle, SortOrder::Ascending)
    }

    /// A key of [`sort_by`](crate::Query::sort_by): greatest values first, nulls last.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[2i64, 9, 4]).sort_by(|x| x.desc()).to_vec()?, [9, 4, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn desc(self) -> SortExpr {
        SortExpr::new(self.handle, SortOrder::Descending)
    }

    /// The smallest value up to each row, as a running fold.
    pub fn running_min(self) -> Running<T> {
        Running(Some(FoldOp::Min), self.handle, PhantomData)
    }

    /// The greatest value up to each row, as a running fold.
    pub fn running_max(self) -> Running<T> {
        Running(Some(FoldOp::Max), self.handle, PhantomData)
    }

    /// The number of values up to each row that are not null, as a running fold.
    pub fn running_count(self) -> Running<u64> {
        Running(Some(FoldOp::Count), self.handle, PhantomData)
    }

    /// The value itself, as a column next to running folds in a [`scan`](crate::Query::scan).
    pub fn kept(self) -> Running<T> {
        Running(None, self.handle, PhantomData)
    }
}

impl<T: Number> Expr<T> {
    methods! {
        /// The magnitude. The magnitude of the smallest integer wraps to itself.
        abs() -> Expr<T> = Abs;
        /// −1, 0 or 1 by sign; a zero or a NaN as it is. [`signum`](Expr::signum) is Rust's.
        sign() -> Expr<T> = Sign;
        /// Half of the sum, which does not overflow: of integers toward zero, of floats rounded once.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from(&[i32::MAX, -6]).map(|x| x.midpoint(i32::MAX)).to_vec()?, [i32::MAX, 1_073_741_820]);
        /// # Ok(())
        /// # }
        /// ```
        midpoint(other) -> Expr<T> = Midpoint;
    }

    /// The sign as Rust's `signum` has it: of integers −1, 0 or 1; of floats 1 or −1, also of zeros, and NaN for NaN.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[-7i32, 0]).map(|x| x.signum()).to_vec()?, [-1, 0]);
    /// assert_eq!(s.from(&[-7.0f32, -0.0, 0.0]).map(|x| x.signum()).to_vec()?, [-1.0, -1.0, 1.0]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn signum(self) -> Expr<T> {
        let op = if T::DTYPE.is_float() { Op::Signum } else { Op::Sign };
        Expr::<T>::call(op, &[self.handle], Location::caller())
    }

    /// The sum of the column, as a fold; zero if there are no values. An integer sum that does not fit the type is an
    /// error.
    pub fn sum(self) -> Sum<T> {
        Sum(FoldPart::new(AggregateOp::Fold(FoldOp::Sum), Some(self.handle)), PhantomData)
    }

    /// The mean of the column in double precision, as a fold.
    pub fn mean(self) -> Mean {
        Mean(FoldPart::new(AggregateOp::Mean, Some(self.handle)))
    }

    /// The median of the column in double precision, as a fold: the value in the middle of the sorted values, or the
    /// mean of the two in the middle.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(&[9i64, 1, 4, 2]).reduce(|x| x.median())?, Some(3.0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn median(self) -> Quantile {
        Quantile(FoldPart::new(AggregateOp::Median, Some(self.handle)))
    }

    /// The value at this fraction of the way through the sorted values, in double precision, as a fold; between two
    /// values, it is interpolated. The fraction is part of the query, and lies between 0 and 1.
    ///
    /// ```
    /// # fn main() -> pointsman::Result<()> {
    /// # let s = pointsman::Session::open()?;
    /// assert_eq!(s.from(0u32..11).reduce(|x| x.quantile(0.9))?, Some(9.0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn quantile(self, fraction: f64) -> Quantile {
        let at = Location::caller();
        if !(0.0..=1.0).contains(&fraction) {
            let what = format!("there is no quantile at {fraction}: give a fraction between 0 and 1");
            build::with_open(|builder| builder.fail(Error::invalid(what), at));
        }
        Quantile(FoldPart::new(AggregateOp::Quantile(Fraction::new(fraction)), Some(self.handle)))
    }

    /// The sum up to each row, as a running fold.
    pub fn running_sum(self) -> Running<T> {
        Running(Some(FoldOp::Sum), self.handle, PhantomData)
    }
}

impl<T: Float> Expr<T> {
    methods! {
        /// The square root; NaN below zero.
        sqrt() -> Expr<T> = Sqrt;
        /// `self * factor + summand`, rounded once.
        mul_add(factor, summand) -> Expr<T> = Fma;
        /// `self * factor + summand`, rounded once.
        fma(factor, summand) -> Expr<T> = Fma;
        /// The largest whole number not above the value.
        floor() -> Expr<T> = Floor;
        /// The smallest whole number not below the value.
        ceil() -> Expr<T> = Ceil;
        /// The nearest whole number, halves away from zero.
        round() -> Expr<T> = Round;
        /// The whole part, toward zero.
        trunc() -> Expr<T> = Trunc;
        /// Whether the value is a NaN.
        is_nan() -> Expr<bool> = IsNan;
        /// e to the power of the value.
        exp() -> Expr<T> = Exp;
        /// 2 to the power of the value.
        exp2() -> Expr<T> = Exp2;
        /// `exp(x) - 1`, accurate near zero.
        exp_m1() -> Expr<T> = Expm1;
        /// The natural logarithm.
        ln() -> Expr<T> = Ln;
        /// The logarithm to base 2.
        log2() -> Expr<T> = Log2;
        /// The logarithm to base 10.
        log10() -> Expr<T> = Log10;
        /// `ln(1 + x)`, accurate near zero.
        ln_1p() -> Expr<T> = Log1p;
        /// The value to the power of another; [`powi`](Expr::powi) is faster for a fixed whole exponent.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// assert_eq!(s.from((&[2.0f32, 9.0], &[3.0f32, 0.5])).map(|(x, y)| x.powf(y)).to_vec()?, [8.0, 3.0]);
        /// # Ok(())
        /// # }
        /// ```
        powf(exponent) -> Expr<T> = Pow;
        /// Whether the values are equal as IEEE-754 has it: a NaN equals nothing. [`eq`](Expr::eq) holds a NaN equal to
        /// itself.
        ///
        /// ```
        /// # fn main() -> pointsman::Result<()> {
        /// # let s = pointsman::Session::open()?;
        /// let x = [f64::NAN, 1.0];
        /// assert_eq!(s.from(&x).map(|x| x.ieee_eq(x)).to_vec()?, [false, true]);
        /// assert_eq!(s.from(&x).map(|x| x.eq(x)).to_vec()?, [true, true]);
        /// # Ok(())
        /// # }
        /// ```
        ieee_eq(other) -> Expr<bool> = IeeeEq;
        /// Whether this is below the other as IEEE-754 has it: false if either is a NaN.
        ieee_lt(other) -> Expr<bool> = IeeeLt;
        /// Whether this is below the other or equal as IEEE-754 has it: false if either is a NaN.
        ieee_le(other) -> Expr<bool> = IeeeLe;
        /// The sine.
        sin() -> Expr<T> = Sin;
        /// The cosine.
        cos() -> Expr<T> = Cos;
        /// The tangent.
        tan() -> Expr<T> = Tan;
        /// The arc sine.
        asin() -> Expr<T> = Asin;
        /// The arc cosine.
        acos() -> Expr<T> = Acos;
        /// The arc tangent.
        atan() -> Expr<T> = Atan;
        /// The angle of the point (`x`, self).
        atan2(x) -> Expr<T> = Atan2;
        /// The hyperbolic sine.
        sinh() -> Expr<T> = Sinh;
        /// The hyperbolic cosine.
        cosh() -> Expr<T> = Cosh;
        /// The hyperbolic tangent.
        tanh() -> Expr<T> = Tanh;
        /// The error function.
        erf() -> Expr<T> = Erf;
        /// The cube root.
        cbrt() -> Expr<T> = Cbrt;
        /// The length of the vector (self, other), without overflow on the way.
        hypot(other) -> Expr<T> = Hypot;
    }
}
