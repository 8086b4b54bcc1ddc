//! Renders operations on non-null operands as WGSL expressions. An operation that needs more than an expression calls a
//! function of the library, or one generated here for the representation.

use super::casts;
use super::library::Library;
use super::types::{integer, is_signed, name, range, storage_type, truncate_to_width, width};
use crate::op::CoreOp;
use crate::render::NotRendered;
use crate::render::c_style::Call;
use crate::types::{DType, Repr};

/// The text of an operation.
pub(super) fn call(call: &Call<'_>, library: &Library) -> Result<String, NotRendered> {
    let args: Vec<&str> = call.args.iter().map(|arg| arg.name).collect();
    let dtype = call.args[0].dtype;
    let repr = dtype.repr();
    let of = |function: &str| format!("{function}_{}({})", name(repr), args.join(", "));
    let text = match call.op {
        CoreOp::Add | CoreOp::Sub | CoreOp::Mul if dtype.is_decimal() => decimal(call, &args, library),
        CoreOp::Add | CoreOp::Sub | CoreOp::Mul if dtype.is_float() => of(call.op.name()),
        CoreOp::Add => truncate_to_width(repr, &format!("{} + {}", args[0], args[1])),
        CoreOp::Sub => truncate_to_width(repr, &format!("{} - {}", args[0], args[1])),
        CoreOp::Mul => truncate_to_width(repr, &format!("{} * {}", args[0], args[1])),
        CoreOp::Div | CoreOp::Rem if dtype.is_float() => of(call.op.name()),
        CoreOp::Div | CoreOp::Rem | CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul => {
            checked(call, &args, library)
        }
        CoreOp::Neg | CoreOp::Abs if dtype.is_float() => of(call.op.name()),
        CoreOp::Neg => truncate_to_width(repr, &format!("{} - {}", integer(repr, 0), args[0])),
        CoreOp::Abs if !is_signed(repr) => args[0].to_string(),
        CoreOp::Abs => {
            let zero = integer(repr, 0);
            truncate_to_width(repr, &format!("select({0}, {zero} - {0}, {0} < {zero})", args[0]))
        }
        CoreOp::Sign if dtype.is_float() => of("sign"),
        CoreOp::Sign => sign(dtype, args[0]),
        CoreOp::Sqrt | CoreOp::Fma | CoreOp::Floor | CoreOp::Ceil | CoreOp::Round | CoreOp::Trunc => of(call.op.name()),
        CoreOp::Least | CoreOp::Greatest => choice(call.op, repr, args[0], args[1]),
        CoreOp::Clamp => choice(CoreOp::Least, repr, &choice(CoreOp::Greatest, repr, args[0], args[1]), args[2]),
        CoreOp::Eq | CoreOp::Ne | CoreOp::Lt | CoreOp::Le | CoreOp::Gt | CoreOp::Ge => {
            comparison(call.op, repr, args[0], args[1])
        }
        CoreOp::Not => format!("!{}", args[0]),
        CoreOp::BitAnd => format!("({} & {})", args[0], args[1]),
        CoreOp::BitOr => format!("({} | {})", args[0], args[1]),
        CoreOp::BitXor => format!("({} ^ {})", args[0], args[1]),
        CoreOp::BitNot => truncate_to_width(repr, &format!("~{}", args[0])),
        CoreOp::Shl => truncate_to_width(repr, &format!("{} << {}", args[0], shift_amount(repr, args[1]))),
        CoreOp::Shr => format!("({} >> {})", args[0], shift_amount(repr, args[1])),
        CoreOp::IsNan => of("is_nan"),
        CoreOp::Cast | CoreOp::CastSaturating => return casts::cast(call, library),
        CoreOp::Reinterpret => casts::reinterpret(repr, call.result.repr(), args[0]),
        // Logic on nulls is written by the walk over the body.
        CoreOp::And | CoreOp::Or | CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull => return Err(not_here(call.op)),
    };
    Ok(text)
}

fn not_here(op: CoreOp) -> NotRendered {
    NotRendered::new(format!("`{}` as one operation", op.name()))
}

/// The amount of a shift, below the width.
fn shift_amount(repr: Repr, amount: &str) -> String {
    let mask = width(repr) - 1;
    match repr {
        Repr::I64 | Repr::U64 => format!("u32({amount} & {})", integer(repr, mask as i128)),
        Repr::I8 | Repr::I16 | Repr::I32 => format!("(bitcast<u32>({amount}) & {mask}u)"),
        Repr::U8 | Repr::U16 | Repr::U32 => format!("({amount} & {mask}u)"),
        Repr::Bool | Repr::F32 | Repr::F64 | Repr::I128 => "0u".to_string(),
    }
}

fn sign(dtype: DType, arg: &str) -> String {
    let repr = dtype.repr();
    let one = if let DType::Decimal { precision, scale } = dtype {
        10i128.pow(scale.into()).min(10i128.pow(precision.into()) - 1)
    } else {
        1
    };
    let (zero, one_text) = (integer(repr, 0), integer(repr, one));
    let positive = format!("select({zero}, {one_text}, {arg} > {zero})");
    if is_signed(repr) { format!("select({positive}, {}, {arg} < {zero})", integer(repr, -one)) } else { positive }
}

/// A key whose unsigned order is the order of sorts; other values are their own keys.
pub(super) fn total_key(repr: Repr, arg: &str) -> String {
    match repr {
        Repr::F32 => format!("total_f32({arg})"),
        Repr::F64 => format!("total_f64({arg})"),
        Repr::Bool => format!("u32({arg})"),
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => arg.to_string(),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => arg.to_string(),
    }
}

/// The smaller or the greater of two, the first where they are equal.
pub(super) fn choice(op: CoreOp, repr: Repr, a: &str, b: &str) -> String {
    let sign = if op == CoreOp::Least { "<" } else { ">" };
    format!("select({a}, {b}, {} {sign} {})", total_key(repr, b), total_key(repr, a))
}

fn comparison(op: CoreOp, repr: Repr, a: &str, b: &str) -> String {
    // Keys of both sides would cost twice as much, and comparing is what filters do.
    let floats =
        [(CoreOp::Gt, "above", ""), (CoreOp::Le, "above", "!"), (CoreOp::Lt, "below", ""), (CoreOp::Ge, "below", "!")];
    let float = floats.iter().find(|(of, ..)| *of == op).filter(|_| matches!(repr, Repr::F32 | Repr::F64));
    if let Some((_, function, not)) = float {
        return format!("({not}{function}_{}({a}, {b}))", name(repr));
    }
    let signs = [(CoreOp::Eq, "=="), (CoreOp::Ne, "!="), (CoreOp::Lt, "<"), (CoreOp::Le, "<="), (CoreOp::Gt, ">")];
    let sign = signs.iter().find(|(of, _)| *of == op).map_or(">=", |(_, sign)| sign);
    let key = |arg: &str| match repr {
        Repr::F32 => format!("order_f32({arg})"),
        Repr::F64 => format!("order_f64({arg})"),
        Repr::Bool => format!("u32({arg})"),
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => arg.to_string(),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 | Repr::I128 => arg.to_string(),
    };
    format!("({} {sign} {})", key(a), key(b))
}

/// A sum, difference or product of decimals: it faults where it has too many digits.
fn decimal(call: &Call<'_>, args: &[&str], library: &Library) -> String {
    let DType::Decimal { precision, .. } = call.result else { return args[0].to_string() };
    let signs = [(CoreOp::Add, "+"), (CoreOp::Sub, "-")];
    let sign = signs.iter().find(|(of, _)| *of == call.op).map_or("*", |(_, sign)| sign);
    let limit = integer(Repr::I64, 10i128.pow(precision.into()));
    let function = format!("decimal_{}_{precision}", call.op.name());
    library.define(&function, || {
        format!(
            "fn {function}(a: i64, b: i64, f: ptr<function, bool>) -> i64 {{
  let r = a {sign} b;
  if (r >= {limit} || r <= -{limit}) {{ *f = true; return 0li; }}
  return r;
}}\n"
        )
    });
    flagged(call, &function, args)
}

/// A call of a function that sets a flag.
pub(super) fn flagged(call: &Call<'_>, function: &str, args: &[&str]) -> String {
    // Where nothing faults the function leaves the flag alone, and any will do.
    format!("{function}({}, &{})", args.join(", "), call.flag.unwrap_or("bad"))
}

/// An integer operation that can fault: it sets the flag and yields zero.
fn checked(call: &Call<'_>, args: &[&str], library: &Library) -> String {
    let repr = call.args[0].dtype.repr();
    let function = format!("{}_{}", call.op.name(), name(repr));
    library.define(&function, || checked_function(call.op, repr, &function));
    flagged(call, &function, args)
}

fn checked_function(op: CoreOp, repr: Repr, function: &str) -> String {
    let (ty, zero, (low, high)) = (storage_type(repr), integer(repr, 0), range(repr));
    let narrow = width(repr) < 32;
    let beyond = format!("r < {} || r > {}", integer(repr, low), integer(repr, high));
    let minus_one = integer(repr, -1);
    let least = integer(repr, low);
    let (result, bad) = match (op, is_signed(repr)) {
        (CoreOp::Div, true) => ("a / b", format!("b == {zero} || (a == {least} && b == {minus_one})")),
        (CoreOp::Div, false) => ("a / b", format!("b == {zero}")),
        (CoreOp::Rem, _) => ("a % b", format!("b == {zero}")),
        (CoreOp::CheckedAdd, true) if narrow => ("a + b", beyond),
        (CoreOp::CheckedAdd, true) => ("a + b", format!("((a ^ r) & (b ^ r)) < {zero}")),
        (CoreOp::CheckedAdd, false) if narrow => ("a + b", format!("r > {}", integer(repr, high))),
        (CoreOp::CheckedAdd, false) => ("a + b", "r < a".to_string()),
        (CoreOp::CheckedSub, true) if narrow => ("a - b", beyond),
        (CoreOp::CheckedSub, true) => ("a - b", format!("((a ^ b) & (a ^ r)) < {zero}")),
        (CoreOp::CheckedSub, false) => ("a - b", "b > a".to_string()),
        (_, true) if narrow => ("a * b", beyond),
        (_, false) if narrow => ("a * b", format!("r > {}", integer(repr, high))),
        (_, true) => {
            let wraps = format!("(a == {minus_one} && b == {least}) || (b == {minus_one} && a == {least})");
            ("a * b", format!("{wraps} || (a != {zero} && a != {minus_one} && r / a != b)"))
        }
        (_, false) => ("a * b", format!("a != {zero} && r / max(a, {}) != b", integer(repr, 1))),
    };
    let head = format!("fn {function}(a: {ty}, b: {ty}, f: ptr<function, bool>) -> {ty} {{\n");
    if matches!(op, CoreOp::Div | CoreOp::Rem) {
        // The remainder of the least integer by -1 is zero, and dividing it overflows.
        let one = if op == CoreOp::Rem && is_signed(repr) {
            format!("  if (b == {minus_one}) {{ return {zero}; }}\n")
        } else {
            String::new()
        };
        return format!("{head}  if ({bad}) {{ *f = true; return {zero}; }}\n{one}  return {result};\n}}\n");
    }
    format!("{head}  let r = {result};\n  if ({bad}) {{ *f = true; return {zero}; }}\n  return r;\n}}\n")
}
