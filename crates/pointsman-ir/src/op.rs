//! Every elementwise operation, declared once: name, operands, cost class, meaning, typing rule and all other
//! properties.
//!
//! An operation is either core or composite. Core operations ([`CoreOp`]) have an implementation in the interpreter,
//! the CPU's block program and every renderer. Composite operations ([`CompositeOp`]) have one formula of core
//! operations in `decompose`; nothing that runs or renders a kernel ever meets one. Adding an operation here leads the
//! compiler to every place that must know it. [`Op::doc`] describes an operation; the interpreter defines its result.

use crate::types::{DECIMAL_DIGITS_MAX, DType, Type};
use std::fmt;

/// The cost class of an operation, for the estimate. Devices are calibrated for the rate of each class.
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
    (
        core { $($(#[doc = $core_doc:literal])+ $core:ident $core_name:literal $core_arity:literal $core_class:ident;)* }
        composite { $($(#[doc = $doc:literal])+ $composite:ident $name:literal $arity:literal $class:ident;)* }
    ) => {
        /// An elementwise operation. The documentation of each variant is its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[doc = $core_doc])+ $core,)* $($(#[doc = $doc])+ $composite,)* }

        /// An operation that the interpreter, the CPU and every renderer implement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CoreOp { $($(#[doc = $core_doc])+ $core,)* }

        /// An operation that `decompose` writes out as core operations.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum CompositeOp { $($(#[doc = $doc])+ $composite,)* }

        impl Op {
            /// Every operation, in the order of declaration.
            pub const ALL: &'static [Op] = &[$(Op::$core,)* $(Op::$composite,)*];

            /// The name that `print` writes and `parse` reads.
            pub const fn name(self) -> &'static str {
                match self { $(Op::$core => $core_name,)* $(Op::$composite => $name,)* }
            }

            /// The number of operands.
            pub const fn arity(self) -> usize {
                match self { $(Op::$core => $core_arity,)* $(Op::$composite => $arity,)* }
            }

            /// The cost class.
            pub const fn class(self) -> OpClass {
                match self { $(Op::$core => OpClass::$core_class,)* $(Op::$composite => OpClass::$class,)* }
            }

            /// The meaning, in a sentence or two.
            pub const fn doc(self) -> &'static str {
                match self {
                    $(Op::$core => concat!($($core_doc, "\n",)+),)*
                    $(Op::$composite => concat!($($doc, "\n",)+),)*
                }
            }

            /// Whether devices implement it or `decompose` writes it out.
            pub const fn lowering(self) -> Lowering {
                match self {
                    $(Op::$core => Lowering::Core(CoreOp::$core),)*
                    $(Op::$composite => Lowering::Composite(CompositeOp::$composite),)*
                }
            }
        }

        impl CoreOp {
            /// The name that `print` writes and `parse` reads.
            pub const fn name(self) -> &'static str {
                match self { $(CoreOp::$core => $core_name,)* }
            }
        }
    };
}

/// How an operation gets to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowering {
    /// As itself.
    Core(CoreOp),
    /// As the core operations that `decompose` writes for it.
    Composite(CompositeOp),
}

operations! {
    core {
        /// The sum. Integers wrap; decimals fault when the result has too many digits.
        Add "add" 2 Simple;
        /// The difference. Integers wrap; decimals fault when the result has too many digits.
        Sub "sub" 2 Simple;
        /// The product. Integers wrap; decimals fault when the result has too many digits.
        Mul "mul" 2 Multiply;
        /// The quotient. Integers truncate toward zero and fault on a zero divisor and on `MIN / -1`; floats follow
        /// IEEE-754.
        Div "div" 2 Divide;
        /// The remainder, with the sign of the dividend. Integers fault on a zero divisor, `MIN % -1` is 0; floats are
        /// exact (C's `fmod`).
        Rem "rem" 2 Divide;
        /// The sum of integers; faults where it does not fit.
        CheckedAdd "checked_add" 2 Simple;
        /// The difference of integers; faults where it does not fit.
        CheckedSub "checked_sub" 2 Simple;
        /// The product of integers; faults where it does not fit.
        CheckedMul "checked_mul" 2 Multiply;
        /// The negative. `-MIN` wraps to `MIN`.
        Neg "neg" 1 Simple;
        /// The magnitude. `abs(MIN)` wraps to `MIN`; for floats the sign bit is cleared.
        Abs "abs" 1 Simple;
        /// −1, 0 or 1 by sign. For floats: NaN for NaN, and a zero is returned as it is.
        Sign "sign" 1 Simple;
        /// The square root, correctly rounded; NaN below zero.
        Sqrt "sqrt" 1 Divide;
        /// `a * b + c` rounded once.
        Fma "fma" 3 Multiply;
        /// The largest whole number not above the value.
        Floor "floor" 1 Simple;
        /// The smallest whole number not below the value.
        Ceil "ceil" 1 Simple;
        /// The nearest whole number, halves away from zero.
        Round "round" 1 Simple;
        /// The whole part, toward zero.
        Trunc "trunc" 1 Simple;
        /// The smaller of two; a NaN only if both are; −0 is below +0.
        Least "least" 2 Simple;
        /// The greater of two; a NaN if either is; +0 is above −0.
        Greatest "greatest" 2 Simple;
        /// `least(greatest(x, low), high)`.
        Clamp "clamp" 3 Simple;
        /// Equality. A NaN equals itself, −0 equals +0.
        Eq "eq" 2 Simple;
        /// The negation of `eq`.
        Ne "ne" 2 Simple;
        /// Below. NaN is above everything but itself, −0 equals +0.
        Lt "lt" 2 Simple;
        /// Below or equal.
        Le "le" 2 Simple;
        /// Above.
        Gt "gt" 2 Simple;
        /// Above or equal.
        Ge "ge" 2 Simple;
        /// Three-valued and: false if either is false, else null if either is null. The right side is needed only where
        /// the left is not false.
        And "and" 2 Simple;
        /// Three-valued or: true if either is true, else null if either is null. The right side is needed only where
        /// the left is not true.
        Or "or" 2 Simple;
        /// Three-valued not: null stays null.
        Not "not" 1 Simple;
        /// Bitwise and.
        BitAnd "bit_and" 2 Simple;
        /// Bitwise or.
        BitOr "bit_or" 2 Simple;
        /// Bitwise exclusive or.
        BitXor "bit_xor" 2 Simple;
        /// Bitwise complement.
        BitNot "bit_not" 1 Simple;
        /// Shift left by the low bits of the right side (modulo the width).
        Shl "shl" 2 Simple;
        /// Shift right by the low bits of the right side (modulo the width); signed integers keep their sign.
        Shr "shr" 2 Simple;
        /// The second operand where the first is true, else (false or null) the third. Only the chosen one is needed.
        Select "select" 3 Simple;
        /// The first operand unless it is null, else the second, which is needed only there.
        Coalesce "coalesce" 2 Simple;
        /// Whether the operand is null; never null itself.
        IsNull "is_null" 1 Simple;
        /// Whether the operand is a NaN; null for null.
        IsNan "is_nan" 1 Simple;
        /// Conversion; faults where the value does not fit the target. Floats truncate toward zero into integers; into
        /// narrower floats and from integers they round to nearest even; decimals round half away from zero.
        Cast "cast" 1 Convert;
        /// Conversion where a value that does not fit becomes the nearest that does, and NaN becomes zero.
        CastSaturating "cast_saturating" 1 Convert;
        /// The bits of a float as an integer of its width, or back. A NaN has the bits of the one canonical NaN.
        Reinterpret "reinterpret" 1 Simple;
    }
    composite {
        /// e to the power of the value.
        Exp "exp" 1 Elementary;
        /// 2 to the power of the value.
        Exp2 "exp2" 1 Elementary;
        /// `exp(x) - 1`, accurate near zero.
        Expm1 "expm1" 1 Elementary;
        /// The natural logarithm.
        Ln "ln" 1 Elementary;
        /// The logarithm to base 2.
        Log2 "log2" 1 Elementary;
        /// The logarithm to base 10.
        Log10 "log10" 1 Elementary;
        /// `ln(1 + x)`, accurate near zero.
        Log1p "log1p" 1 Elementary;
        /// The first operand to the power of the second. The exponent of an integer is a `u32`, and the power wraps.
        Pow "pow" 2 Elementary;
        /// The sine.
        Sin "sin" 1 Elementary;
        /// The cosine.
        Cos "cos" 1 Elementary;
        /// The tangent.
        Tan "tan" 1 Elementary;
        /// The arc sine.
        Asin "asin" 1 Elementary;
        /// The arc cosine.
        Acos "acos" 1 Elementary;
        /// The arc tangent.
        Atan "atan" 1 Elementary;
        /// The angle of the point (second, first).
        Atan2 "atan2" 2 Elementary;
        /// The hyperbolic sine.
        Sinh "sinh" 1 Elementary;
        /// The hyperbolic cosine.
        Cosh "cosh" 1 Elementary;
        /// The hyperbolic tangent.
        Tanh "tanh" 1 Elementary;
        /// The error function.
        Erf "erf" 1 Elementary;
        /// The cube root.
        Cbrt "cbrt" 1 Elementary;
        /// The length of the vector (first, second), without overflow on the way.
        Hypot "hypot" 2 Elementary;
        /// The number of ones in the bits of an integer, as a `u32`.
        CountOnes "count_ones" 1 Multiply;
        /// The number of zeros above the highest one in the bits of an integer, as a `u32`; the width for zero.
        LeadingZeros "leading_zeros" 1 Multiply;
        /// The number of zeros below the lowest one in the bits of an integer, as a `u32`; the width for zero.
        TrailingZeros "trailing_zeros" 1 Multiply;
        /// The bits moved up by a `u32` modulo the width; bits that leave at the top come in at the bottom.
        RotateLeft "rotate_left" 2 Simple;
        /// The bits moved down by a `u32` modulo the width; bits that leave at the bottom come in at the top.
        RotateRight "rotate_right" 2 Simple;
        /// The sum of integers, or the nearest value of their type.
        SaturatingAdd "saturating_add" 2 Simple;
        /// The difference of integers, or the nearest value of their type.
        SaturatingSub "saturating_sub" 2 Simple;
        /// The product of integers, or the nearest value of their type.
        SaturatingMul "saturating_mul" 2 Multiply;
        /// The magnitude of the difference of integers, in the unsigned type of their width.
        AbsDiff "abs_diff" 2 Simple;
        /// Half of the sum, which does not overflow. Of integers toward zero; of floats rounded once.
        Midpoint "midpoint" 2 Multiply;
        /// 1 with the sign of a float, also of a zero; NaN for NaN.
        Signum "signum" 1 Simple;
        /// Equality as IEEE-754 has it: a NaN equals nothing.
        IeeeEq "ieee_eq" 2 Simple;
        /// Below as IEEE-754 has it: false if either is a NaN.
        IeeeLt "ieee_lt" 2 Simple;
        /// Below or equal as IEEE-754 has it: false if either is a NaN.
        IeeeLe "ieee_le" 2 Simple;
    }
}

/// Operands that an operation does not take, with both types named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeError {
    /// The mistake and its remedy.
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

    /// The core operation that it is; `None` if it is composite.
    pub const fn core(self) -> Option<CoreOp> {
        match self.lowering() {
            Lowering::Core(op) => Some(op),
            Lowering::Composite(_) => None,
        }
    }

    /// Whether it is an elementary function, by its cost.
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

    /// The type of the operand at `position` of an operation on values of a type: that type, but for conditions, and for
    /// amounts and exponents of integers.
    pub const fn operand_type(self, of: DType, position: usize) -> DType {
        match (self, position) {
            (Op::Select, 0) => DType::Bool,
            (Op::RotateLeft | Op::RotateRight, 1) => DType::U32,
            (Op::Pow, 1) if of.is_integer() => DType::U32,
            _ => of,
        }
    }

    /// Whether the result is null as soon as one operand is.
    pub const fn is_strict(self) -> bool {
        !matches!(self, Op::And | Op::Or | Op::Select | Op::Coalesce | Op::IsNull)
    }

    /// Whether an operation on floats may be rounded in more than one way. A composite one is rounded at every step,
    /// unless it only compares and moves bits.
    pub const fn rounds(self) -> bool {
        let Lowering::Core(op) = self.lowering() else {
            return !matches!(self, Op::Signum | Op::IeeeEq | Op::IeeeLt | Op::IeeeLe);
        };
        match op {
            CoreOp::Add | CoreOp::Sub | CoreOp::Mul | CoreOp::Div | CoreOp::Rem | CoreOp::Sqrt | CoreOp::Fma => true,
            CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul | CoreOp::Sign => true,
            CoreOp::Floor | CoreOp::Ceil | CoreOp::Round | CoreOp::Trunc => true,
            CoreOp::Cast | CoreOp::CastSaturating => true,
            CoreOp::Neg | CoreOp::Abs | CoreOp::Least | CoreOp::Greatest | CoreOp::Clamp => false,
            CoreOp::Eq | CoreOp::Ne | CoreOp::Lt | CoreOp::Le | CoreOp::Gt | CoreOp::Ge => false,
            CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull | CoreOp::IsNan | CoreOp::Reinterpret => false,
            CoreOp::And | CoreOp::Or | CoreOp::Not => false,
            CoreOp::BitAnd | CoreOp::BitOr | CoreOp::BitXor | CoreOp::BitNot | CoreOp::Shl | CoreOp::Shr => false,
        }
    }

    /// Whether a float result jumps: the last bit of an operand may change it by much.
    pub const fn jumps(self) -> bool {
        matches!(self, Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::Rem | Op::Sign | Op::Signum)
    }

    /// Whether it can fault on operands of these types giving this result. No composite operation faults.
    pub fn can_fault(self, args: &[Type], result: Type) -> bool {
        let Lowering::Core(op) = self.lowering() else { return false };
        let from = args[0].dtype;
        match op {
            CoreOp::Div | CoreOp::Rem => from.is_integer(),
            CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul => true,
            CoreOp::Add | CoreOp::Sub | CoreOp::Mul => from.is_decimal(),
            CoreOp::Cast => cast_can_fault(from, result.dtype),
            CoreOp::Neg | CoreOp::Abs | CoreOp::Sign | CoreOp::Sqrt | CoreOp::Fma => false,
            CoreOp::Floor | CoreOp::Ceil | CoreOp::Round | CoreOp::Trunc => false,
            CoreOp::Least | CoreOp::Greatest | CoreOp::Clamp => false,
            CoreOp::Eq | CoreOp::Ne | CoreOp::Lt | CoreOp::Le | CoreOp::Gt | CoreOp::Ge => false,
            CoreOp::And | CoreOp::Or | CoreOp::Not => false,
            CoreOp::BitAnd | CoreOp::BitOr | CoreOp::BitXor | CoreOp::BitNot | CoreOp::Shl | CoreOp::Shr => false,
            CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull | CoreOp::IsNan => false,
            CoreOp::CastSaturating | CoreOp::Reinterpret => false,
        }
    }

    /// The type of the result. `target` is the target type of a cast; other operations take `None`.
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
            Op::Pow if first.is_integer() => (self.with_u32(args)?, any_null),
            Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => {
                (self.same(args, DType::is_float, "floats (cast an integer first)")?, any_null)
            }
            Op::CountOnes | Op::LeadingZeros | Op::TrailingZeros => {
                self.same(args, DType::is_integer, "integers")?;
                (DType::U32, any_null)
            }
            Op::RotateLeft | Op::RotateRight => (self.with_u32(args)?, any_null),
            Op::SaturatingAdd | Op::SaturatingSub | Op::SaturatingMul => {
                (self.same(args, DType::is_integer, "integers")?, any_null)
            }
            Op::AbsDiff => (self.same(args, DType::is_integer, "integers")?.unsigned(), any_null),
            Op::Midpoint => (self.same(args, |t| t.is_integer() || t.is_float(), "integers or floats")?, any_null),
            Op::Signum => (self.same(args, DType::is_float, "floats (`sign` takes integers)")?, any_null),
            Op::IeeeEq | Op::IeeeLt | Op::IeeeLe => {
                self.same(args, DType::is_float, "floats")?;
                (DType::Bool, any_null)
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

    /// The type of an operation on an integer and an amount or exponent.
    fn with_u32(self, args: &[Type]) -> Result<DType, TypeError> {
        let dtype = self.same(&args[..1], DType::is_integer, "integers")?;
        if args[1].dtype != DType::U32 {
            let found = args[1].dtype;
            return Err(self.error(format!("the second operand of one on integers is a u32, not {found}: cast it")));
        }
        Ok(dtype)
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
