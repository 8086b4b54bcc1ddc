//! Renders a conversion between two types as a call of a WGSL function generated for the pair. A value that does not
//! fit sets the flag and yields zero or, if the conversion saturates, the nearest value that fits.

use super::library::Library;
use super::ops::flagged;
use super::types::{integer, is_signed, needs_64_bit, range, storage_type};
use crate::op::CoreOp;
use crate::render::NotRendered;
use crate::render::c_style::Call;
use crate::types::{DType, MICROS_PER_DAY, Repr};

/// The text of `cast` and `cast_saturating`.
pub(super) fn cast(call: &Call<'_>, library: &Library) -> Result<String, NotRendered> {
    let (from, to, arg) = (call.args[0].dtype, call.result, call.args[0].name);
    if from.repr() == Repr::I128 || to.repr() == Repr::I128 {
        return Err(NotRendered::new("decimals of more than 18 digits"));
    }
    if from == to {
        return Ok(arg.to_string());
    }
    if to.is_float() {
        return Ok(to_float(from, to, arg));
    }
    let saturates = call.op == CoreOp::CastSaturating;
    let word = |dtype: DType| dtype.to_string().replace(['(', ',', ')'], "_");
    let kind = if saturates { "nearest" } else { "cast" };
    let function = format!("{kind}_{}_{}", word(from), word(to));
    library.define(&function, || function_text(&function, from, to, saturates));
    Ok(flagged(call, &function, &[arg]))
}

/// The bits of a float as an integer, or back. A NaN becomes the canonical one first.
pub(super) fn reinterpret(from: Repr, to: Repr, arg: &str) -> String {
    let bits = match from {
        Repr::F32 => format!("canonical_f32({arg})"),
        Repr::F64 => format!("canonical_f64({arg})"),
        Repr::Bool | Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => arg.to_string(),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => arg.to_string(),
    };
    same_bits(from, to, &bits)
}

/// Reinterprets the bits as a type of the same width.
fn same_bits(from: Repr, to: Repr, text: &str) -> String {
    if storage_type(from) == storage_type(to) {
        text.to_string()
    } else {
        format!("bitcast<{}>({text})", storage_type(to))
    }
}

fn to_float(from: DType, to: DType, arg: &str) -> String {
    let repr = from.repr();
    if let DType::Decimal { scale, .. } = from {
        let double = format!("div_f64(bitcast<u64>(f64({arg})), {}lu)", (10f64.powi(scale.into())).to_bits());
        return if to == DType::F32 { format!("narrow_f64({double})") } else { double };
    }
    match (repr, to == DType::F32) {
        (Repr::Bool, true) => format!("select(0u, {}u, {arg})", 1f32.to_bits()),
        (Repr::Bool, false) => format!("select(0lu, {}lu, {arg})", 1f64.to_bits()),
        (Repr::F64, true) => format!("narrow_f64({arg})"),
        (Repr::F32, _) => format!("widen_f32({arg})"),
        (_, true) => format!("bitcast<u32>(f32({arg}))"),
        (_, false) => format!("bitcast<u64>(f64({arg}))"),
    }
}

/// An integer in a wider or equally wide type, or in a narrower one that holds it.
pub(super) fn convert(from: Repr, to: Repr, text: &str) -> String {
    match (storage_type(from), storage_type(to)) {
        (a, b) if a == b => text.to_string(),
        ("bool", _) => format!("select({}, {}, {text})", integer(to, 0), integer(to, 1)),
        ("i32", "u32") | ("i64", "u64") => format!("bitcast<{}>({text})", storage_type(to)),
        ("u32", "i32") | ("u64", "i64") => format!("bitcast<{}>({text})", storage_type(to)),
        ("i32", "i64") => format!("wide_i32({text})"),
        ("i32", "u64") => format!("bitcast<u64>(wide_i32({text}))"),
        ("u32", "i64") => format!("bitcast<i64>(u64({text}))"),
        ("i64", "u32") => format!("u32(bitcast<u64>({text}))"),
        ("u64", "i32") => format!("bitcast<i32>(u32({text}))"),
        (_, b) => format!("{b}({text})"),
    }
}

/// What a conversion does to a value that was brought into `work`: it is cut to bounds in that type.
struct Bounded {
    /// Statements that define `x`.
    head: String,
    /// How `x` is held.
    work: Repr,
    /// The bounds of `x`, where they can be passed.
    low: Option<i128>,
    high: Option<i128>,
    /// The result for an `x` within the bounds.
    result: String,
    /// The replacement of a value outside.
    nearest: (i128, i128),
}

fn function_text(function: &str, from: DType, to: DType, saturates: bool) -> String {
    let (of, into) = (storage_type(from.repr()), storage_type(to.repr()));
    let zero = integer(to.repr(), 0);
    let b = if from.is_float() { return float_text(function, from, to, saturates) } else { bounded(from, to) };
    let mut text = format!("fn {function}(v: {of}, f: ptr<function, bool>) -> {into} {{\n{}", b.head);
    let bounds = [(b.low, "<", b.nearest.0), (b.high, ">", b.nearest.1)];
    for (bound, sign, nearest) in bounds {
        let Some(bound) = bound else { continue };
        let otherwise = if saturates { integer(to.repr(), nearest) } else { zero.clone() };
        let flag = if saturates { "" } else { "*f = true; " };
        text += &format!("  if (x {sign} {}) {{ {flag}return {otherwise}; }}\n", integer(b.work, bound));
    }
    text + &format!("  return {};\n}}\n", b.result)
}

fn bounded(from: DType, to: DType) -> Bounded {
    let (source, target) = (from.repr(), to.repr());
    let day = i128::from(MICROS_PER_DAY);
    let scale = |dtype: DType| if let DType::Decimal { scale, .. } = dtype { scale } else { 0 };
    match (from, to) {
        (DType::Date32, DType::Timestamp) => {
            let (low, high) = range(Repr::I64);
            let result = format!("x * {day}li");
            let head = "  let x = wide_i32(v);\n".to_string();
            Bounded {
                head,
                work: Repr::I64,
                low: Some(low / day),
                high: Some(high / day),
                result,
                nearest: (low, high),
            }
        }
        (DType::Timestamp, DType::Date32) => {
            let head = format!("  let x = v / {day}li - select(0li, 1li, v % {day}li < 0li);\n");
            Bounded { head, work: Repr::I64, low: None, high: None, result: "i32(x)".to_string(), nearest: (0, 0) }
        }
        (_, DType::Decimal { precision, scale: to_scale }) => {
            let limit = 10i128.pow(precision.into()) - 1;
            let nearest = (-limit, limit);
            if scale(from) > to_scale {
                let unit = 10i128.pow((scale(from) - to_scale).into());
                let head = format!("  let x = halves_away(v, {unit}li);\n");
                let (low, high) = (Some(-limit), Some(limit));
                return Bounded { head, work: Repr::I64, low, high, result: "x".to_string(), nearest };
            }
            let factor = 10i128.pow((to_scale - scale(from)).into());
            let (most, (low, high)) = (limit / factor, range(source));
            // An unsigned 64-bit value is compared as it is, all others fit 64 bits with a sign.
            let work = if source == Repr::U64 { Repr::U64 } else { Repr::I64 };
            let head = format!("  let x = {};\n", convert(source, work, "v"));
            let result = format!("{} * {factor}li", convert(work, Repr::I64, "x"));
            let (low, high) = ((low < -most).then_some(-most), (high > most).then_some(most));
            Bounded { head, work, low, high, result, nearest }
        }
        (DType::Decimal { scale, .. }, _) => {
            let head = format!("  let x = v / {}li;\n", 10i128.pow(scale.into()));
            within(Repr::I64, target, head)
        }
        _ => within(source, target, "  let x = v;\n".to_string()),
    }
}

/// A whole number `x` of one representation as one of another.
fn within(work: Repr, target: Repr, head: String) -> Bounded {
    let ((least, most), (low, high)) = (range(work), range(target));
    let result = convert(work, target, "x");
    let (low_bound, high_bound) = ((least < low).then_some(low), (most > high).then_some(high));
    Bounded { head, work, low: low_bound, high: high_bound, result, nearest: (low, high) }
}

/// From a float: its whole part (of a decimal: of the scaled value, rounded), compared by keys, taken from its bits.
fn float_text(function: &str, from: DType, to: DType, saturates: bool) -> String {
    let (source, target) = (from.repr(), to.repr());
    let (head, work, (low_sign, low), beyond, nearest) = if let DType::Decimal { precision, scale } = to {
        let limit = 10i128.pow(precision.into());
        let wide = if source == Repr::F32 { "widen_f32(v)" } else { "v" };
        let head = format!("  let x = round_f64(mul_f64({wide}, {}lu));\n", 10f64.powi(scale.into()).to_bits());
        (head, Repr::F64, ("<=", -limit), limit, (1 - limit, limit - 1))
    } else {
        let (low, high) = range(target);
        let head = format!("  let x = trunc_{}(v);\n", super::types::name(source));
        (head, source, ("<", low), high + 1, (low, high))
    };
    let single = work == Repr::F32;
    let bits = |value: i128| match single {
        true => format!("{}u", (value as f32).to_bits()),
        false => format!("{}lu", (value as f64).to_bits()),
    };
    let kind = super::types::name(work);
    let zero = integer(target, 0);
    let answer = |value: i128| if saturates { integer(target, value) } else { zero.clone() };
    let flag = if saturates { "" } else { "*f = true; " };
    let result = whole_of(target, kind);
    format!(
        "fn {function}(v: {of}, f: ptr<function, bool>) -> {into} {{
{head}  if (is_nan_{kind}(x)) {{ {flag}return {zero}; }}
  if (order_{kind}(x) {low_sign} order_{kind}({low_bits})) {{ {flag}return {below}; }}
  if (order_{kind}(x) >= order_{kind}({high_bits})) {{ {flag}return {above}; }}
  return {result};
}}\n",
        of = storage_type(source),
        into = storage_type(target),
        low_bits = bits(low),
        high_bits = bits(beyond),
        below = answer(nearest.0),
        above = answer(nearest.1),
    )
}

/// The integer that a float `x` without a fraction is.
fn whole_of(target: Repr, kind: &str) -> String {
    let magnitude = format!("{}_of_{kind}(x)", if needs_64_bit(target) { "long" } else { "word" });
    if !is_signed(target) {
        return magnitude;
    }
    let magnitude = format!("bitcast<{}>({magnitude})", storage_type(target));
    format!("select({magnitude}, {} - {magnitude}, is_negative_{kind}(x))", integer(target, 0))
}
