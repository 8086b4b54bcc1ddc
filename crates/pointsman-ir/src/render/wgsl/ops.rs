//! Operations as WGSL expressions: in goes a call on operands that are not null, out comes its text. What needs more than
//! an expression is a function of the library, or one made here for the representation.

use super::casts;
use super::library::Library;
use super::words::{cut, held, integer, is_signed, name, range, width};
use crate::op::Op;
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
        Op::Add | Op::Sub | Op::Mul if dtype.is_decimal() => decimal(call, &args, library),
        Op::Add | Op::Sub | Op::Mul if dtype.is_float() => of(call.op.name()),
        Op::Add => cut(repr, &format!("{} + {}", args[0], args[1])),
        Op::Sub => cut(repr, &format!("{} - {}", args[0], args[1])),
        Op::Mul => cut(repr, &format!("{} * {}", args[0], args[1])),
        Op::Div | Op::Rem if dtype.is_float() => of(call.op.name()),
        Op::Div | Op::Rem | Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul => checked(call, &args, library),
        Op::Neg | Op::Abs if dtype.is_float() => of(call.op.name()),
        Op::Neg => cut(repr, &format!("{} - {}", integer(repr, 0), args[0])),
        Op::Abs if !is_signed(repr) => args[0].to_string(),
        Op::Abs => {
            let zero = integer(repr, 0);
            cut(repr, &format!("select({0}, {zero} - {0}, {0} < {zero})", args[0]))
        }
        Op::Sign if dtype.is_float() => of("sign"),
        Op::Sign => sign(dtype, args[0]),
        Op::Sqrt | Op::Fma | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => of(call.op.name()),
        Op::Least | Op::Greatest => choice(call.op, repr, args[0], args[1]),
        Op::Clamp => choice(Op::Least, repr, &choice(Op::Greatest, repr, args[0], args[1]), args[2]),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => comparison(call.op, repr, args[0], args[1]),
        Op::Not => format!("!{}", args[0]),
        Op::BitAnd => format!("({} & {})", args[0], args[1]),
        Op::BitOr => format!("({} | {})", args[0], args[1]),
        Op::BitXor => format!("({} ^ {})", args[0], args[1]),
        Op::BitNot => cut(repr, &format!("~{}", args[0])),
        Op::Shl => cut(repr, &format!("{} << {}", args[0], shift_amount(repr, args[1]))),
        Op::Shr => format!("({} >> {})", args[0], shift_amount(repr, args[1])),
        Op::IsNan => of("is_nan"),
        Op::Cast | Op::CastSaturating => return casts::cast(call, library),
        Op::Reinterpret => casts::reinterpret(repr, call.result.repr(), args[0]),
        // Logic on nulls is written by the walk over the body, elementary functions are arithmetic by now.
        Op::And | Op::Or | Op::Select | Op::Coalesce | Op::IsNull => return Err(not_here(call.op)),
        Op::Exp | Op::Exp2 | Op::Expm1 | Op::Ln | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => {
            return Err(not_here(call.op));
        }
        Op::Sin | Op::Cos | Op::Tan | Op::Asin | Op::Acos | Op::Atan | Op::Atan2 => return Err(not_here(call.op)),
        Op::Sinh | Op::Cosh | Op::Tanh | Op::Erf | Op::Cbrt | Op::Hypot => return Err(not_here(call.op)),
    };
    Ok(text)
}

fn not_here(op: Op) -> NotRendered {
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
pub(super) fn choice(op: Op, repr: Repr, a: &str, b: &str) -> String {
    let sign = if op == Op::Least { "<" } else { ">" };
    format!("select({a}, {b}, {} {sign} {})", total_key(repr, b), total_key(repr, a))
}

fn comparison(op: Op, repr: Repr, a: &str, b: &str) -> String {
    // Keys of both sides would cost twice as much, and comparing is what filters do.
    let floats = [(Op::Gt, "above", ""), (Op::Le, "above", "!"), (Op::Lt, "below", ""), (Op::Ge, "below", "!")];
    let float = floats.iter().find(|(of, ..)| *of == op).filter(|_| matches!(repr, Repr::F32 | Repr::F64));
    if let Some((_, function, not)) = float {
        return format!("({not}{function}_{}({a}, {b}))", name(repr));
    }
    let signs = [(Op::Eq, "=="), (Op::Ne, "!="), (Op::Lt, "<"), (Op::Le, "<="), (Op::Gt, ">")];
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
    let signs = [(Op::Add, "+"), (Op::Sub, "-")];
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

fn checked_function(op: Op, repr: Repr, function: &str) -> String {
    let (ty, zero, (low, high)) = (held(repr), integer(repr, 0), range(repr));
    let narrow = width(repr) < 32;
    let beyond = format!("r < {} || r > {}", integer(repr, low), integer(repr, high));
    let minus_one = integer(repr, -1);
    let least = integer(repr, low);
    let (result, bad) = match (op, is_signed(repr)) {
        (Op::Div, true) => ("a / b", format!("b == {zero} || (a == {least} && b == {minus_one})")),
        (Op::Div, false) => ("a / b", format!("b == {zero}")),
        (Op::Rem, _) => ("a % b", format!("b == {zero}")),
        (Op::CheckedAdd, true) if narrow => ("a + b", beyond),
        (Op::CheckedAdd, true) => ("a + b", format!("((a ^ r) & (b ^ r)) < {zero}")),
        (Op::CheckedAdd, false) if narrow => ("a + b", format!("r > {}", integer(repr, high))),
        (Op::CheckedAdd, false) => ("a + b", "r < a".to_string()),
        (Op::CheckedSub, true) if narrow => ("a - b", beyond),
        (Op::CheckedSub, true) => ("a - b", format!("((a ^ b) & (a ^ r)) < {zero}")),
        (Op::CheckedSub, false) => ("a - b", "b > a".to_string()),
        (_, true) if narrow => ("a * b", beyond),
        (_, false) if narrow => ("a * b", format!("r > {}", integer(repr, high))),
        (_, true) => {
            let wraps = format!("(a == {minus_one} && b == {least}) || (b == {minus_one} && a == {least})");
            ("a * b", format!("{wraps} || (a != {zero} && a != {minus_one} && r / a != b)"))
        }
        (_, false) => ("a * b", format!("a != {zero} && r / max(a, {}) != b", integer(repr, 1))),
    };
    let head = format!("fn {function}(a: {ty}, b: {ty}, f: ptr<function, bool>) -> {ty} {{\n");
    if matches!(op, Op::Div | Op::Rem) {
        // The remainder of the least integer by -1 is zero, and dividing it overflows.
        let one = if op == Op::Rem && is_signed(repr) {
            format!("  if (b == {minus_one}) {{ return {zero}; }}\n")
        } else {
            String::new()
        };
        return format!("{head}  if ({bad}) {{ *f = true; return {zero}; }}\n{one}  return {result};\n}}\n");
    }
    format!("{head}  let r = {result};\n  if ({bad}) {{ *f = true; return {zero}; }}\n  return r;\n}}\n")
}
