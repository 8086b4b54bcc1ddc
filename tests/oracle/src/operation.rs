//! Operations that DataFusion has an equal for. In go an operation and its operands as expressions; out comes an expression
//! of the same meaning, or nothing.
//!
//! Floats: DataFusion's comparisons go by IEEE-754's total order, where NaNs differ by their bits and signs. Operands are
//! made canonical first, which leaves the order of `docs/semantics.md`.

use crate::arrow_data::{data_type, literal};
use crate::expression::FaultMode;
use crate::skip::Skip;
use datafusion::functions::math::expr_fn as math;
use datafusion::logical_expr::{Expr, Operator, binary_expr, cast, is_null, lit, not, try_cast, when};
use pointsman_ir::op::Op;
use pointsman_ir::random::values::integer_range;
use pointsman_ir::types::{DECIMAL_DIGITS_MAX, DType, Scalar, Type};

/// A literal of this type.
pub(crate) fn constant(value: Option<Scalar>, dtype: DType) -> Result<Expr, Skip> {
    Ok(Expr::Literal(literal(value, dtype)?, None))
}

fn integer(value: i128, dtype: DType) -> Result<Expr, Skip> {
    constant(Scalar::from_integer(dtype.repr(), value), dtype)
}

/// A float literal of this type.
pub(crate) fn float(value: f64, dtype: DType) -> Expr {
    if dtype == DType::F32 { lit(value as f32) } else { lit(value) }
}

/// One NaN.
pub(crate) fn one_nan(value: Expr, dtype: DType) -> Expr {
    if dtype.is_float() { math::nanvl(value, float(f64::NAN, dtype)) } else { value }
}

/// One NaN, and +0 for −0.
pub(crate) fn canonical_key(value: Expr, dtype: DType) -> Expr {
    if dtype.is_float() { one_nan(value + float(0.0, dtype), dtype) } else { value }
}

/// A conversion that DataFusion has: null or an error where the value does not fit.
pub(crate) fn converted(value: Expr, to: DType, faults: FaultMode) -> Expr {
    match faults {
        FaultMode::Raise => cast(value, data_type(to)),
        FaultMode::Null => try_cast(value, data_type(to)),
    }
}

/// The operation as an expression of DataFusion's own; `None` if it has no equal.
pub(crate) fn native(
    op: Op,
    args: Vec<Expr>,
    types: &[Type],
    result: Type,
    faults: FaultMode,
) -> Result<Option<Expr>, Skip> {
    let dtype = types[0].dtype;
    let arg = |i: usize| args[i].clone();
    let binary = |operator: Operator| Some(binary_expr(arg(0), operator, arg(1)));
    let compare = |operator: Operator| {
        let side = |i: usize| canonical_key(arg(i), dtype);
        Some(binary_expr(side(0), operator, side(1)))
    };
    // A product of decimals has a digit more there.
    let as_ours = |value: Expr| if dtype.is_decimal() { cast(value, data_type(result.dtype)) } else { value };
    Ok(match op {
        // Digits beyond the widest type are not looked at there.
        Op::Add | Op::Sub | Op::Mul if digits(result.dtype) >= DECIMAL_DIGITS_MAX - 1 => None,
        Op::Add => binary(Operator::Plus).map(as_ours),
        Op::Sub => binary(Operator::Minus).map(as_ours),
        Op::Mul => binary(Operator::Multiply).map(as_ours),
        Op::Div | Op::Rem if dtype.is_float() => {
            binary(if op == Op::Div { Operator::Divide } else { Operator::Modulo })
        }
        Op::Div => Some(binary_expr(arg(0), Operator::Divide, divisor(op, arg(0), arg(1), dtype, faults)?)),
        Op::Rem => {
            let rest = binary_expr(arg(0), Operator::Modulo, divisor(op, arg(0), arg(1), dtype, faults)?);
            match dtype.is_signed_integer() {
                // `MIN % -1` overflows there.
                true => {
                    let by_minus_one = arg(1).eq(integer(-1, dtype)?);
                    Some(when(by_minus_one, binary_expr(arg(0), Operator::Minus, arg(0))).otherwise(rest)?)
                }
                false => Some(rest),
            }
        }
        // A negation overflows there, a difference wraps.
        Op::Neg if dtype.is_integer() => Some(binary_expr(integer(0, dtype)?, Operator::Minus, arg(0))),
        Op::Neg => Some(Expr::Negative(Box::new(arg(0)))),
        Op::Abs if dtype.is_float() => Some(math::abs(arg(0))),
        Op::Abs if dtype.is_signed_integer() => {
            let negated = binary_expr(integer(0, dtype)?, Operator::Minus, arg(0));
            Some(when(arg(0).lt(integer(0, dtype)?), negated).otherwise(arg(0))?)
        }
        Op::Abs if dtype.is_decimal() => {
            Some(when(arg(0).lt(integer(0, dtype)?), Expr::Negative(Box::new(arg(0)))).otherwise(arg(0))?)
        }
        Op::Abs => Some(arg(0)),
        Op::Sqrt => {
            let negative = canonical_key(arg(0), dtype).lt(float(0.0, dtype));
            Some(when(negative, float(f64::NAN, dtype)).otherwise(math::sqrt(arg(0)))?)
        }
        Op::Floor => Some(math::floor(arg(0))),
        Op::Ceil => Some(math::ceil(arg(0))),
        Op::Round => Some(math::round(vec![arg(0)])),
        // There, what is truncated to zero loses its sign.
        Op::Trunc => None,
        // DataFusion's comparisons do not tell zeros apart.
        Op::Least | Op::Greatest | Op::Clamp if dtype.is_float() => None,
        Op::Least => Some(extreme(Operator::LtEq, arg(0), arg(1), dtype)?),
        Op::Greatest => Some(extreme(Operator::GtEq, arg(0), arg(1), dtype)?),
        Op::Clamp => {
            let raised = extreme(Operator::GtEq, arg(0), arg(1), dtype)?;
            Some(extreme(Operator::LtEq, raised, arg(2), dtype)?)
        }
        Op::Eq => compare(Operator::Eq),
        Op::Ne => compare(Operator::NotEq),
        Op::Lt => compare(Operator::Lt),
        Op::Le => compare(Operator::LtEq),
        Op::Gt => compare(Operator::Gt),
        Op::Ge => compare(Operator::GtEq),
        Op::And => binary(Operator::And),
        Op::Or => binary(Operator::Or),
        Op::Not => Some(not(arg(0))),
        Op::BitAnd => binary(Operator::BitwiseAnd),
        Op::BitOr => binary(Operator::BitwiseOr),
        Op::BitXor => binary(Operator::BitwiseXor),
        Op::BitNot => {
            let ones = Scalar::from_bits(dtype.repr(), u128::MAX);
            Some(binary_expr(arg(0), Operator::BitwiseXor, constant(Some(ones), dtype)?))
        }
        Op::Shl => binary(Operator::BitwiseShiftLeft),
        Op::Shr => binary(Operator::BitwiseShiftRight),
        Op::Select => Some(when(arg(0), arg(1)).otherwise(arg(2))?),
        Op::Coalesce => Some(when(is_null(arg(0)), arg(1)).otherwise(arg(0))?),
        Op::IsNull => Some(is_null(arg(0))),
        Op::IsNan => Some(math::isnan(arg(0))),
        Op::Cast if cast_is_shared(dtype, result.dtype) => Some(converted(arg(0), result.dtype, faults)),
        Op::Cast | Op::CastSaturating | Op::Reinterpret => None,
        Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul | Op::Sign | Op::Fma => None,
        Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => None,
        Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => None,
        Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => None,
        Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros | Op::RotateLeft | Op::RotateRight => None,
        Op::SaturatingAdd | Op::SaturatingSub | Op::SaturatingMul | Op::AbsDiff | Op::Midpoint | Op::Signum => None,
        Op::IeeeEq | Op::IeeeLt | Op::IeeeLe => None,
    })
}

/// The divisor; where faults are null, null in place of one that faults.
fn divisor(op: Op, dividend: Expr, divisor: Expr, dtype: DType, faults: FaultMode) -> Result<Expr, Skip> {
    if faults == FaultMode::Raise {
        return Ok(divisor);
    }
    let mut bad = divisor.clone().eq(integer(0, dtype)?);
    if op == Op::Div && dtype.is_signed_integer() {
        let least = integer_range(dtype).map_or(0, |(least, _)| least);
        bad = bad.or(divisor.clone().eq(integer(-1, dtype)?).and(dividend.eq(integer(least, dtype)?)));
    }
    Ok(when(bad, constant(None, dtype)?).otherwise(divisor)?)
}

/// The first operand where it stands in this relation to the second, else the second; null where either is null.
fn extreme(relation: Operator, first: Expr, second: Expr, dtype: DType) -> Result<Expr, Skip> {
    let chosen = binary_expr(first.clone(), relation, second.clone());
    let missing = is_null(first.clone()).or(is_null(second.clone()));
    let value = when(chosen, first).otherwise(second)?;
    Ok(when(missing, constant(None, dtype)?).otherwise(value)?)
}

/// How many digits a decimal has; 0 for other types.
fn digits(dtype: DType) -> u8 {
    if let DType::Decimal { precision, .. } = dtype { precision } else { 0 }
}

/// Whether DataFusion's conversion has the same meaning.
fn cast_is_shared(from: DType, to: DType) -> bool {
    let is_instant = |dtype: DType| matches!(dtype, DType::Date32 | DType::Timestamp);
    let to_decimal = to.is_decimal() && (from == DType::Bool || from.is_float());
    let between_instants = is_instant(from) && is_instant(to);
    from == to || !(to_decimal || between_instants)
}
