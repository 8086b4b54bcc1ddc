//! Methods of expressions that need all of their operands: for each the types that it takes and gives, the expression of
//! the public interface, and the value that docs/semantics.md prescribes. The value is Rust's own where Rust has the
//! method.

use crate::typed::{Known, Typed};
use crate::value::{Type, Value};
use pointsman::Expr;
use pointsman::types::{Float, Integer};

macro_rules! methods {
    ($($name:ident)*) => {
        /// A method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Method { $($name),* }

        /// All methods.
        pub(crate) const METHODS: &[Method] = &[$(Method::$name),*];
    };
}

methods! {
    CountOnes LeadingZeros TrailingZeros RotateLeft RotateRight SaturatingAdd SaturatingSub SaturatingMul AbsDiff
    WrappingDiv Pow Midpoint Signum Recip Fract IsFinite IsInfinite ToDegrees ToRadians Cube IeeeEq IeeeNe IeeeLt IeeeLe
    IeeeGt IeeeGe Xor IsIn
}

/// What a method is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Truths,
    Integers,
    Floats,
    Numbers,
    Anything,
}

/// What a method gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Same,
    Unsigned,
    Count,
    Truth,
}

impl Method {
    /// What it is of, what the second operand is (`Same` or `Count`), if there is one, and what it gives.
    fn kind(self) -> (Of, Option<Gives>, Gives) {
        match self {
            Method::CountOnes | Method::LeadingZeros | Method::TrailingZeros => (Of::Integers, None, Gives::Count),
            Method::RotateLeft | Method::RotateRight | Method::Pow => (Of::Integers, Some(Gives::Count), Gives::Same),
            Method::SaturatingAdd | Method::SaturatingSub | Method::SaturatingMul | Method::WrappingDiv => {
                (Of::Integers, Some(Gives::Same), Gives::Same)
            }
            Method::AbsDiff => (Of::Integers, Some(Gives::Same), Gives::Unsigned),
            Method::Midpoint => (Of::Numbers, Some(Gives::Same), Gives::Same),
            Method::Signum => (Of::Numbers, None, Gives::Same),
            Method::Recip | Method::Fract | Method::ToDegrees | Method::ToRadians | Method::Cube => {
                (Of::Floats, None, Gives::Same)
            }
            Method::IsFinite | Method::IsInfinite => (Of::Floats, None, Gives::Truth),
            Method::IeeeEq | Method::IeeeNe | Method::IeeeLt | Method::IeeeLe | Method::IeeeGt | Method::IeeeGe => {
                (Of::Floats, Some(Gives::Same), Gives::Truth)
            }
            Method::Xor => (Of::Truths, Some(Gives::Same), Gives::Truth),
            Method::IsIn => (Of::Anything, None, Gives::Truth),
        }
    }

    /// Whether it is a method of this type.
    pub(crate) fn takes(self, ty: Type) -> bool {
        match self.kind().0 {
            Of::Truths => ty == Type::Bool,
            Of::Integers => ty.is_integer(),
            Of::Floats => ty.is_float(),
            Of::Numbers => ty.is_number(),
            Of::Anything => true,
        }
    }

    /// The type of the second operand, if there is one.
    pub(crate) fn second(self, ty: Type) -> Option<Type> {
        self.kind().1.map(|gives| gives.of(ty))
    }

    /// The type of the result.
    pub(crate) fn result(self, ty: Type) -> Type {
        self.kind().2.of(ty)
    }

    /// Whether it rounds values of this type.
    pub(crate) fn rounds(self, ty: Type) -> bool {
        ty.is_float() && self.kind().2 == Gives::Same && self != Method::Signum
    }
}

impl Gives {
    fn of(self, ty: Type) -> Type {
        match (self, ty) {
            (Gives::Same, ty) => ty,
            (Gives::Unsigned, Type::I8 | Type::U8) => Type::U8,
            (Gives::Unsigned, Type::I16 | Type::U16) => Type::U16,
            (Gives::Unsigned, Type::I32 | Type::U32) => Type::U32,
            (Gives::Unsigned, _) => Type::U64,
            (Gives::Count, _) => Type::U32,
            (Gives::Truth, _) => Type::Bool,
        }
    }
}

/// The expressions.
impl Method {
    pub(crate) fn expression(self, operands: &[Typed], values: &[Value]) -> Typed {
        macro_rules! by_type {
            ($function:ident($more:expr): $($name:ident)*) => {
                match operands[0] {
                    $(Typed::$name(x) => self.$function(x, $more),)*
                    #[allow(unreachable_patterns)]
                    other => unreachable!("{self:?} of {other:?}"),
                }
            };
        }
        match (self, operands[0]) {
            (Method::IsIn, _) => {
                by_type!(membership(values): Bool I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 Date Timestamp)
            }
            (_, Typed::Bool(x)) => (x ^ bool::expr(operands[1])).into(),
            (_, Typed::F32(_) | Typed::F64(_)) => by_type!(float(operands.get(1)): F32 F64),
            _ => by_type!(integer(operands.get(1)): I8 I16 I32 I64 U8 U16 U32 U64),
        }
    }

    fn membership<T: Known>(self, x: Expr<T>, values: &[Value]) -> Typed {
        let values: Vec<T> = values.iter().map(|&value| T::of(value)).collect();
        x.is_in(&values).into()
    }

    fn float<T: Known + Float>(self, x: Expr<T>, second: Option<&Typed>) -> Typed
    where
        Typed: From<Expr<T>>,
    {
        let y = second.map_or(x, |&second| T::expr(second));
        match self {
            Method::Midpoint => x.midpoint(y).into(),
            Method::Signum => x.signum().into(),
            Method::Recip => x.recip().into(),
            Method::Fract => x.fract().into(),
            Method::ToDegrees => x.to_degrees().into(),
            Method::ToRadians => x.to_radians().into(),
            Method::Cube => x.powi(3).into(),
            Method::IsFinite => x.is_finite().into(),
            Method::IsInfinite => x.is_infinite().into(),
            Method::IeeeEq => x.ieee_eq(y).into(),
            Method::IeeeNe => x.ieee_ne(y).into(),
            Method::IeeeLt => x.ieee_lt(y).into(),
            Method::IeeeLe => x.ieee_le(y).into(),
            Method::IeeeGt => x.ieee_gt(y).into(),
            Method::IeeeGe => x.ieee_ge(y).into(),
            other => unreachable!("{other:?} of floats"),
        }
    }

    fn integer<T: Known + Integer>(self, x: Expr<T>, second: Option<&Typed>) -> Typed
    where
        Typed: From<Expr<T>> + From<Expr<T::Unsigned>>,
    {
        let same = || second.map_or(x, |&second| T::expr(second));
        let count = || u32::expr(*second.unwrap_or(&Typed::Bool(x.is_null())));
        match self {
            Method::CountOnes => x.count_ones().into(),
            Method::LeadingZeros => x.leading_zeros().into(),
            Method::TrailingZeros => x.trailing_zeros().into(),
            Method::RotateLeft => x.rotate_left(count()).into(),
            Method::RotateRight => x.rotate_right(count()).into(),
            Method::Pow => x.pow(count()).into(),
            Method::SaturatingAdd => x.saturating_add(same()).into(),
            Method::SaturatingSub => x.saturating_sub(same()).into(),
            Method::SaturatingMul => x.saturating_mul(same()).into(),
            Method::AbsDiff => x.abs_diff(same()).into(),
            Method::WrappingDiv => x.wrapping_div(same()).into(),
            Method::Midpoint => x.midpoint(same()).into(),
            Method::Signum => x.signum().into(),
            other => unreachable!("{other:?} of integers"),
        }
    }
}

/// The values.
impl Method {
    /// The value for operands of which the first has this type. `is_planted`: a sum wraps where it should saturate.
    pub(crate) fn value(self, ty: Type, operands: &[Value], values: &[Value], is_planted: bool) -> Value {
        match (self, operands) {
            (Method::IsIn, &[x]) => Value::Bool(values.iter().any(|&value| is_equal(x, value))),
            (Method::Xor, &[x, y]) => Value::Bool(x.truth() != y.truth()),
            (Method::SaturatingAdd, &[x, y]) if is_planted => ty.wrap(x.int() + y.int()),
            (_, &[Value::Int(x)]) => self.integer_value(ty, x, 0),
            (_, &[Value::Int(x), Value::Int(y)]) => self.integer_value(ty, x, y),
            (_, &[Value::F32(x)]) => self.single_value(x, x),
            (_, &[Value::F32(x), Value::F32(y)]) => self.single_value(x, y),
            (_, &[Value::F64(x)]) => self.double_value(x, x),
            (_, &[Value::F64(x), Value::F64(y)]) => self.double_value(x, y),
            (method, operands) => unreachable!("{method:?} of {operands:?}"),
        }
    }

    fn integer_value(self, ty: Type, x: i128, y: i128) -> Value {
        let ((low, high), width) = (ty.range(), ty.bits());
        let bits = (x & ((1 << width) - 1)) as u128;
        let rotated = |left: u32| ty.wrap(((bits << left) | (bits >> (width - left))) as i128);
        let amount = (y & i128::from(width - 1)) as u32;
        match self {
            Method::CountOnes => Value::Int(bits.count_ones().into()),
            Method::LeadingZeros => Value::Int((bits.leading_zeros() - (128 - width)).into()),
            Method::TrailingZeros => Value::Int(bits.trailing_zeros().min(width).into()),
            Method::RotateLeft => rotated(amount),
            Method::RotateRight => rotated((width - amount) % width),
            Method::SaturatingAdd => Value::Int((x + y).clamp(low, high)),
            Method::SaturatingSub => Value::Int((x - y).clamp(low, high)),
            Method::SaturatingMul => Value::Int(x.saturating_mul(y).clamp(low, high)),
            Method::AbsDiff => Value::Int((x - y).abs()),
            Method::WrappingDiv => ty.wrap(x / y),
            Method::Midpoint => Value::Int((x + y) / 2),
            Method::Signum => Value::Int(x.signum()),
            // Products are cut to 64 bits, of which narrower types have the low ones.
            Method::Pow => ty.wrap((x as i64).wrapping_pow(y as u32).into()),
            other => unreachable!("{other:?} of integers"),
        }
    }

    fn single_value(self, x: f32, y: f32) -> Value {
        match self {
            Method::Midpoint => Value::F32(x.midpoint(y)),
            Method::Signum => Value::F32(x.signum()),
            Method::Recip => Value::F32(x.recip()),
            Method::Fract => Value::F32(x.fract()),
            Method::ToDegrees => Value::F32(x.to_degrees()),
            Method::ToRadians => Value::F32(x.to_radians()),
            Method::Cube => Value::F32(x * (x * x)),
            _ => self.double_value(x.into(), y.into()),
        }
    }

    fn double_value(self, x: f64, y: f64) -> Value {
        match self {
            Method::Midpoint => Value::F64(x.midpoint(y)),
            Method::Signum => Value::F64(x.signum()),
            Method::Recip => Value::F64(x.recip()),
            Method::Fract => Value::F64(x.fract()),
            Method::ToDegrees => Value::F64(x.to_degrees()),
            Method::ToRadians => Value::F64(x.to_radians()),
            Method::Cube => Value::F64(x * (x * x)),
            Method::IsFinite => Value::Bool(x.is_finite()),
            Method::IsInfinite => Value::Bool(x.is_infinite()),
            Method::IeeeEq => Value::Bool(x == y),
            Method::IeeeNe => Value::Bool(x != y),
            Method::IeeeLt => Value::Bool(x < y),
            Method::IeeeLe => Value::Bool(x <= y),
            Method::IeeeGt => Value::Bool(x > y),
            Method::IeeeGe => Value::Bool(x >= y),
            other => unreachable!("{other:?} of floats"),
        }
    }
}

/// Equality: a NaN equals itself, −0 equals +0.
fn is_equal(x: Value, y: Value) -> bool {
    match (x, y) {
        (Value::F32(x), Value::F32(y)) => x == y || x.is_nan() && y.is_nan(),
        (Value::F64(x), Value::F64(y)) => x == y || x.is_nan() && y.is_nan(),
        (Value::Bool(x), Value::Bool(y)) => x == y,
        (x, y) => x.int() == y.int(),
    }
}
