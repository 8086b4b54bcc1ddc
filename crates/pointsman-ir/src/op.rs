//! Every elementwise operation, declared once: name, operands, typing rule, whether it can fault, cost class, meaning.
//!
//! Adding one here leads the compiler to every place that must know it: the interpreter (`interpret/scalar.rs`), the CPU
//! (`pointsman-device/src/cpu`) and the random tests. What an operation means is said in [`Op::doc`]; what it computes
//! is said by the interpreter.

use crate::types::{DECIMAL_DIGITS_MAX, DType, Type};
use std::fmt;

/// What an operation costs, for the estimate: the classes whose rates a device is calibrated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpClass {
    /// Additions, comparisons, logic, selections: one cheap instruction.
    Simple,
    /// Multiplications and fused multiply-adds.
    Multiply,
    /// Divisions, remainders and square roots.
    Divide,
    /// Conversions between types.
    Convert,
    /// Elementary functions: tens of instructions.
    Elementary,
}

/// When an operand's value is needed. An error in an operand that is not needed is never raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Whenever the result is.
    Always,
    /// Only in rows where operand 0 is true.
    IfTrue,
    /// Only in rows where operand 0 is not true (false or null).
    IfNotTrue,
    /// Only in rows where operand 0 is not false (true or null).
    IfNotFalse,
    /// Only in rows where operand 0 is null.
    IfNull,
}

macro_rules! operations {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $arity:literal;)*) => {
        /// An elementwise operation. The documentation of each variant is its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[doc = $doc])+ $variant,)* }

        impl Op {
            /// Every operation, in the order of declaration.
            pub const ALL: &'static [Op] = &[$(Op::$variant,)*];

            /// The name that `print` writes and `parse` reads.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }

            /// How many operands it takes.
            pub const fn arity(self) -> usize {
                match self { $(Op::$variant => $arity,)* }
            }

            /// What it means, in a sentence or two.
            pub const fn doc(self) -> &'static str {
                match self { $(Op::$variant => concat!($($doc, "\n",)+),)* }
            }
        }
    };
}

operations! {
    /// The sum. Integers wrap; decimals fault when the result has too many digits.
    Add "add" 2;
    /// The difference. Integers wrap; decimals fault when the result has too many digits.
    Sub "sub" 2;
    /// The product. Integers wrap; decimals fault when the result has too many digits.
    Mul "mul" 2;
    /// The quotient. Integers truncate toward zero and fault on a zero divisor and on `MIN / -1`; floats follow IEEE-754.
    Div "div" 2;
    /// The remainder, with the sign of the dividend. Integers fault on a zero divisor, `MIN % -1` is 0; floats are exact (C's `fmod`).
    Rem "rem" 2;
    /// The sum of integers; faults where it does not fit.
    CheckedAdd "checked_add" 2;
    /// The difference of integers; faults where it does not fit.
    CheckedSub "checked_sub" 2;
    /// The product of integers; faults where it does not fit.
    CheckedMul "checked_mul" 2;
    /// The negative. `-MIN` wraps to `MIN`.
    Neg "neg" 1;
    /// The magnitude. `abs(MIN)` wraps to `MIN`; for floats the sign bit is cleared.
    Abs "abs" 1;
    /// −1, 0 or 1 by sign. For floats: NaN for NaN, and a zero is returned as it is.
    Sign "sign" 1;
    /// The square root, correctly rounded; NaN below zero.
    Sqrt "sqrt" 1;
    /// `a * b + c` rounded once.
    Fma "fma" 3;
    /// The largest whole number not above the value.
    Floor "floor" 1;
    /// The smallest whole number not below the value.
    Ceil "ceil" 1;
    /// The nearest whole number, halves away from zero.
    Round "round" 1;
    /// The whole part, toward zero.
    Trunc "trunc" 1;
    /// The smaller of two; a NaN only if both are; −0 is below +0.
    Least "least" 2;
    /// The greater of two; a NaN if either is; +0 is above −0.
    Greatest "greatest" 2;
    /// `least(greatest(x, low), high)`.
    Clamp "clamp" 3;
    /// Equality. A NaN equals itself, −0 equals +0.
    Eq "eq" 2;
    /// The negation of `eq`.
    Ne "ne" 2;
    /// Below. NaN is above everything but itself, −0 equals +0.
    Lt "lt" 2;
    /// Below or equal.
    Le "le" 2;
    /// Above.
    Gt "gt" 2;
    /// Above or equal.
    Ge "ge" 2;
    /// Three-valued and: false if either is false, else null if either is null. The right side is needed only where the left is not false.
    And "and" 2;
    /// Three-valued or: true if either is true, else null if either is null. The right side is needed only where the left is not true.
    Or "or" 2;
    /// Three-valued not: null stays null.
    Not "not" 1;
    /// Bitwise and.
    BitAnd "bit_and" 2;
    /// Bitwise or.
    BitOr "bit_or" 2;
    /// Bitwise exclusive or.
    BitXor "bit_xor" 2;
    /// Bitwise complement.
    BitNot "bit_not" 1;
    /// Shift left by the low bits of the right side (modulo the width).
    Shl "shl" 2;
    /// Shift right by the low bits of the right side (modulo the width); signed integers keep their sign.
    Shr "shr" 2;
    /// The second operand where the first is true, else (false or null) the third. Only the chosen one is needed.
    Select "select" 3;
    /// The first operand unless it is null, else the second, which is needed only there.
    Coalesce "coalesce" 2;
    /// Whether the operand is null; never null itself.
    IsNull "is_null" 1;
    /// Whether the operand is a NaN; null for null.
    IsNan "is_nan" 1;
    /// Conversion; faults where the value does not fit the target. Floats truncate toward zero into integers; into narrower floats and from integers they round to nearest even; decimals round half away from zero.
    Cast "cast" 1;
    /// Conversion where a value that does not fit becomes the nearest that does, and NaN becomes zero.
    CastSaturating "cast_saturating" 1;
    /// The bits of a float as an integer of its width, or back. A NaN has the bits of the one canonical NaN.
    Reinterpret "reinterpret" 1;
    /// e to the power of the value.
    Exp "exp" 1;
    /// 2 to the power of the value.
    Exp2 "exp2" 1;
    /// `exp(x) - 1`, accurate near zero.
    Expm1 "expm1" 1;
    /// The natural logarithm.
    Ln "ln" 1;
    /// The logarithm to base 2.
    Log2 "log2" 1;
    /// The logarithm to base 10.
    Log10 "log10" 1;
    /// `ln(1 + x)`, accurate near zero.
    Log1p "log1p" 1;
    /// The first operand to the power of the second.
    Pow "pow" 2;
    /// The sine.
    Sin "sin" 1;
    /// The cosine.
    Cos "cos" 1;
    /// The tangent.
    Tan "tan" 1;
    /// The arc sine.
    Asin "asin" 1;
    /// The arc cosine.
    Acos "acos" 1;
    /// The arc tangent.
    Atan "atan" 1;
    /// The angle of the point (second, first).
    Atan2 "atan2" 2;
    /// The hyperbolic sine.
    Sinh "sinh" 1;
    /// The hyperbolic cosine.
    Cosh "cosh" 1;
    /// The hyperbolic tangent.
    Tanh "tanh" 1;
    /// The error function.
    Erf "erf" 1;
    /// The cube root.
    Cbrt "cbrt" 1;
    /// The length of the vector (first, second), without overflow on the way.
    Hypot "hypot" 2;
}

/// Operands that an operation does not take, with both types named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// What is wrong and what to write instead.
    pub message: String,
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TypeError {}

impl Op {
    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Whether it is an elementary function: one that `decompose` turns into arithmetic.
    pub const fn is_elementary(self) -> bool {
        matches!(self.class(), OpClass::Elementary)
    }

    /// Whether the result type must be given: the conversions.
    pub const fn is_cast(self) -> bool {
        matches!(self, Op::Cast | Op::CastSaturating | Op::Reinterpret)
    }

    /// Whether it is a conversion that leads from one type to the other.
    pub fn converts(self, from: DType, to: DType) -> bool {
        if self == Op::Reinterpret { reinterpret_exists(from, to) } else { self.is_cast() && cast_exists(from, to) }
    }

    /// What it costs.
    pub const fn class(self) -> OpClass {
        match self {
            Op::Add | Op::Sub | Op::CheckedAdd | Op::CheckedSub => OpClass::Simple,
            Op::Neg | Op::Abs | Op::Sign | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => OpClass::Simple,
            Op::Least | Op::Greatest | Op::Clamp => OpClass::Simple,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => OpClass::Simple,
            Op::And | Op::Or | Op::Not | Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot => OpClass::Simple,
            Op::Shl | Op::Shr | Op::Select | Op::Coalesce | Op::IsNull | Op::IsNan | Op::Reinterpret => OpClass::Simple,
            Op::Mul | Op::CheckedMul | Op::Fma => OpClass::Multiply,
            Op::Div | Op::Rem | Op::Sqrt => OpClass::Divide,
            Op::Cast | Op::CastSaturating => OpClass::Convert,
            Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => OpClass::Elementary,
            Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => OpClass::Elementary,
            Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => OpClass::Elementary,
        }
    }

    /// When operand `position` is needed.
    pub const fn need(self, position: usize) -> Need {
        match (self, position) {
            (Op::And, 1) => Need::IfNotFalse,
            (Op::Or, 1) => Need::IfNotTrue,
            (Op::Select, 1) => Need::IfTrue,
            (Op::Select, 2) => Need::IfNotTrue,
            (Op::Coalesce, 1) => Need::IfNull,
            _ => Need::Always,
        }
    }

    /// Whether it can fault on operands of these types giving this result.
    pub fn can_fault(self, args: &[Type], result: Type) -> bool {
        let from = args[0].dtype;
        match self {
            Op::Div | Op::Rem => from.is_integer(),
            Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul => true,
            Op::Add | Op::Sub | Op::Mul => from.is_decimal(),
            Op::Cast => cast_can_fault(from, result.dtype),
            Op::Neg | Op::Abs | Op::Sign | Op::Sqrt | Op::Fma | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => false,
            Op::Least | Op::Greatest | Op::Clamp => false,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => false,
            Op::And | Op::Or | Op::Not | Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot => false,
            Op::Shl | Op::Shr | Op::Select | Op::Coalesce | Op::IsNull | Op::IsNan => false,
            Op::CastSaturating | Op::Reinterpret => false,
            Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => false,
            Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => false,
            Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => false,
        }
    }

    /// The type of the result. `target` is the type a cast goes to; other operations take `None`.
    pub fn result_type(self, args: &[Type], target: Option<DType>) -> Result<Type, TypeError> {
        if args.len() != self.arity() {
            return Err(self.error(format!("takes {} operands, not {}", self.arity(), args.len())));
        }
        if target.is_some() != self.is_cast() {
            return Err(self.error("a target type belongs to a cast, and only to a cast".to_string()));
        }
        let any_null = args.iter().any(|arg| arg.nullable);
        let first = args[0].dtype;
        let (dtype, nullable) = match self {
            Op::Add | Op::Sub => (self.sum_type(args)?, any_null),
            Op::Mul => (self.product_type(args)?, any_null),
            Op::Div | Op::Rem => (self.same(args, |t| t.is_integer() || t.is_float(), "integers or floats")?, any_null),
            Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul => {
                (self.same(args, DType::is_integer, "integers")?, any_null)
            }
            Op::Neg => {
                let signed = |t: DType| t.is_signed_integer() || t.is_float() || t.is_decimal();
                (self.same(args, signed, "signed numbers (cast an unsigned integer first)")?, any_null)
            }
            Op::Abs | Op::Sign => (self.same(args, DType::is_number, "numbers")?, any_null),
            Op::Sqrt | Op::Fma | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::Least | Op::Greatest | Op::Clamp => {
                (self.same(args, DType::is_ordered, "values with an order")?, any_null)
            }
            Op::Eq | Op::Ne => {
                self.same(args, |t| t != DType::Opaque, "values that can be compared")?;
                (DType::Bool, any_null)
            }
            Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                self.same(args, DType::is_ordered, "values with an order")?;
                (DType::Bool, any_null)
            }
            Op::And | Op::Or | Op::Not => (self.same(args, |t| t == DType::Bool, "truth values")?, any_null),
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot | Op::Shl | Op::Shr => {
                (self.same(args, DType::is_integer, "integers")?, any_null)
            }
            Op::Select => {
                if first != DType::Bool {
                    return Err(self.error(format!("chooses by a bool, not by a {first}")));
                }
                (self.same(&args[1..], |_| true, "values")?, args[1].nullable || args[2].nullable)
            }
            Op::Coalesce => (self.same(args, |_| true, "values")?, args[1].nullable && args[0].nullable),
            Op::IsNull => (DType::Bool, false),
            Op::IsNan => {
                self.same(args, DType::is_float, "floats")?;
                (DType::Bool, any_null)
            }
            Op::Cast | Op::CastSaturating | Op::Reinterpret => {
                let to = target.unwrap_or(first);
                if !self.converts(first, to) {
                    return Err(self.error(format!("there is no conversion from {first} to {to}")));
                }
                (to, any_null)
            }
            Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
        };
        Ok(Type { dtype, nullable })
    }

    fn error(self, what: String) -> TypeError {
        TypeError { message: format!("`{}`: {what}", self.name()) }
    }

    fn same(self, args: &[Type], takes: impl Fn(DType) -> bool, wanted: &str) -> Result<DType, TypeError> {
        let first = args[0].dtype;
        for arg in args {
            if !takes(arg.dtype) {
                return Err(self.error(format!("takes {wanted}, not {}", arg.dtype)));
            }
            if arg.dtype != first {
                return Err(self.error(format!(
                    "both sides must have one type, but they are {first} and {}: cast one of them",
                    arg.dtype
                )));
            }
        }
        Ok(first)
    }

    fn sum_type(self, args: &[Type]) -> Result<DType, TypeError> {
        let dtype = self.same(args, DType::is_number, "numbers")?;
        if let DType::Decimal { precision, scale } = dtype {
            return Ok(DType::Decimal { precision: (precision + 1).min(DECIMAL_DIGITS_MAX), scale });
        }
        Ok(dtype)
    }

    fn product_type(self, args: &[Type]) -> Result<DType, TypeError> {
        if let (DType::Decimal { precision: p, scale: s }, DType::Decimal { precision: q, scale: t }) =
            (args[0].dtype, args[1].dtype)
        {
            let precision = (p + q).min(DECIMAL_DIGITS_MAX);
            return DType::decimal(precision, s + t).ok_or_else(|| {
                self.error(format!("the product would have {} digits behind the point; at most {precision} fit", s + t))
            });
        }
        self.same(args, DType::is_number, "numbers")
    }
}

/// Whether a conversion from one type to the other exists. Every type converts to itself.
pub fn cast_exists(from: DType, to: DType) -> bool {
    let number_or_bool = |t: DType| t.is_number() || t == DType::Bool;
    match to {
        _ if from == to => true,
        DType::Bool | DType::Dict(_) | DType::Opaque => false,
        DType::Date32 => matches!(from, DType::I32 | DType::Timestamp),
        DType::Timestamp => matches!(from, DType::I64 | DType::Date32),
        DType::I32 => number_or_bool(from) || from == DType::Date32,
        DType::I64 => number_or_bool(from) || from == DType::Timestamp || from == DType::Date32,
        DType::I8 | DType::I16 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => number_or_bool(from),
        DType::F32 | DType::F64 | DType::Decimal { .. } => number_or_bool(from),
    }
}

/// Whether the bits of one type can be read as the other: a float and an integer of its width.
const fn reinterpret_exists(from: DType, to: DType) -> bool {
    matches!(
        (from, to),
        (DType::F32, DType::U32 | DType::I32)
            | (DType::U32 | DType::I32, DType::F32)
            | (DType::F64, DType::U64 | DType::I64)
            | (DType::U64 | DType::I64, DType::F64)
    )
}

/// Whether the erroring conversion can meet a value that does not fit.
fn cast_can_fault(from: DType, to: DType) -> bool {
    if from == to || from == DType::Bool && !to.is_decimal() {
        return false;
    }
    match to {
        DType::F32 | DType::F64 => false,
        DType::Timestamp => from == DType::Date32,
        DType::Date32 => from == DType::Timestamp,
        DType::Decimal { .. } => true,
        DType::Bool | DType::Dict(_) | DType::Opaque => false,
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            !integer_contains(to, from)
        }
    }
}

/// Whether every value of `from` is a value of the integer type `to`.
fn integer_contains(to: DType, from: DType) -> bool {
    if matches!((from, to), (DType::Timestamp, DType::I64) | (DType::Date32, DType::I32 | DType::I64)) {
        return true;
    }
    if !from.is_integer() {
        return false;
    }
    let (wide, narrow) = (to.repr().bytes(), from.repr().bytes());
    match (to.is_signed_integer(), from.is_signed_integer()) {
        (true, true) | (false, false) => wide >= narrow,
        (true, false) => wide > narrow,
        (false, true) => false,
    }
}
