//! How WGSL writes types and literals. 8- and 16-bit integers are held in 32 bits, floats as their bits: only
//! arithmetic sees a float, so what is carried, chosen or compared keeps its bits whatever the driver thinks of NaNs
//! and subnormals.

use crate::types::{Repr, Scalar};

/// The type of a variable that holds a value.
pub(super) const fn storage_type(repr: Repr) -> &'static str {
    match repr {
        Repr::Bool => "bool",
        Repr::I8 | Repr::I16 | Repr::I32 => "i32",
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::F32 => "u32",
        Repr::I64 => "i64",
        Repr::U64 | Repr::F64 => "u64",
        Repr::I128 => "vec4<u32>",
    }
}

/// The name of a representation, as part of a function's name.
pub(super) const fn name(repr: Repr) -> &'static str {
    match repr {
        Repr::Bool => "bool",
        Repr::I8 => "i8",
        Repr::I16 => "i16",
        Repr::I32 => "i32",
        Repr::I64 => "i64",
        Repr::U8 => "u8",
        Repr::U16 => "u16",
        Repr::U32 => "u32",
        Repr::U64 => "u64",
        Repr::F32 => "f32",
        Repr::F64 => "f64",
        Repr::I128 => "i128",
    }
}

/// The least and the greatest value of an integer's representation; of others 0 and 1.
pub(super) const fn range(repr: Repr) -> (i128, i128) {
    match repr {
        Repr::Bool | Repr::F32 | Repr::F64 => (0, 1),
        Repr::I8 => (i8::MIN as i128, i8::MAX as i128),
        Repr::I16 => (i16::MIN as i128, i16::MAX as i128),
        Repr::I32 => (i32::MIN as i128, i32::MAX as i128),
        Repr::I64 => (i64::MIN as i128, i64::MAX as i128),
        Repr::U8 => (0, u8::MAX as i128),
        Repr::U16 => (0, u16::MAX as i128),
        Repr::U32 => (0, u32::MAX as i128),
        Repr::U64 => (0, u64::MAX as i128),
        Repr::I128 => (i128::MIN, i128::MAX),
    }
}

/// An integer as a literal of the type that holds this representation.
pub(super) fn integer(repr: Repr, value: i128) -> String {
    let signed = |suffix: &str, least: i128| match value {
        // There is no literal for the least integer.
        _ if value == least => format!("(-{}{suffix} - 1{suffix})", -(least + 1)),
        ..0 => format!("(-{}{suffix})", -value),
        _ => format!("{value}{suffix}"),
    };
    match repr {
        Repr::Bool => (value != 0).to_string(),
        Repr::I8 | Repr::I16 | Repr::I32 => signed("i", i32::MIN.into()),
        Repr::I64 => signed("li", i64::MIN.into()),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::F32 => format!("{value}u"),
        Repr::U64 | Repr::F64 => format!("{value}lu"),
        Repr::I128 => {
            let word = |at: u32| format!("{}u", (value >> (32 * at)) as u32);
            format!("vec4<u32>({}, {}, {}, {})", word(0), word(1), word(2), word(3))
        }
    }
}

/// A value as a literal.
pub(super) fn literal(value: Scalar) -> String {
    let repr = value.repr();
    integer(repr, value.as_integer().unwrap_or(value.bits() as i128))
}

/// Truncates a value that was computed in 32 bits to the representation's width.
pub(super) fn truncate_to_width(repr: Repr, text: &str) -> String {
    match repr {
        Repr::I8 => format!("((({text}) << 24u) >> 24u)"),
        Repr::I16 => format!("((({text}) << 16u) >> 16u)"),
        Repr::U8 => format!("(({text}) & 255u)"),
        Repr::U16 => format!("(({text}) & 65535u)"),
        Repr::Bool | Repr::I32 | Repr::I64 | Repr::U32 | Repr::U64 | Repr::F32 | Repr::F64 | Repr::I128 => {
            format!("({text})")
        }
    }
}

/// Whether the representation needs 64-bit integers.
pub(super) const fn needs_64_bit(repr: Repr) -> bool {
    matches!(repr, Repr::I64 | Repr::U64 | Repr::F64)
}

/// Whether values are integers with a sign.
pub(super) const fn is_signed(repr: Repr) -> bool {
    matches!(repr, Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::I128)
}

/// The bits of a value's width.
pub(super) const fn width(repr: Repr) -> usize {
    8 * repr.bytes()
}
