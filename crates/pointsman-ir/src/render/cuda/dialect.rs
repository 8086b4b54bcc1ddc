//! How CUDA writes types, literals and operations: names of the functions in `scalar.cu`, with the constants they need.

use super::words::Words;
use crate::body::{ListId, TableId, ValueId};
use crate::kernel::Work;
use crate::op::CoreOp;
use crate::render::NotRendered;
use crate::render::c_style::{Call, Dialect, Operand, Position, Read};
use crate::types::{DType, MICROS_PER_DAY, Repr, Scalar, Type};

/// CUDA C++, for one kernel.
pub(super) struct Cuda<'a> {
    pub(super) words: &'a Words,
    pub(super) columns: &'a [Type],
    pub(super) params: &'a [Type],
    pub(super) work: &'a Work,
}

/// The units of work of a thread between two reads of the stop flag: a millisecond or less, mostly.
pub(super) const ASKING_INTERVAL_UNITS: u64 = 1 << 17;

/// The name of a type.
pub(super) const fn type_name(repr: Repr) -> &'static str {
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

/// A value's expression; floats by their bits.
pub(super) fn literal(value: Scalar) -> String {
    match value {
        Scalar::Bool(v) => v.to_string(),
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::U8(_) | Scalar::U16(_) | Scalar::U32(_) => {
            format!("({})0x{:x}u", type_name(value.repr()), value.bits())
        }
        Scalar::I64(_) | Scalar::U64(_) => format!("({})0x{:x}ull", type_name(value.repr()), value.bits()),
        Scalar::F32(_) => format!("f32_of(0x{:x}u)", value.bits()),
        Scalar::F64(_) => format!("f64_of(0x{:x}ull)", value.bits()),
        Scalar::I128(v) => wide(v),
    }
}

/// A 128-bit integer.
pub(super) fn wide(value: i128) -> String {
    format!("i128_of(0x{:x}ull, 0x{:x}ull)", (value as u128 >> 64) as u64, value as u64)
}

/// The units that a question accounts for, as a literal: at most the interval after which the flag is read.
pub(super) fn units_of_question(units: u64) -> String {
    format!("{}u", units.clamp(1, ASKING_INTERVAL_UNITS))
}

fn double(value: f64) -> String {
    literal(Scalar::F64(value))
}

impl Dialect for Cuda<'_> {
    fn declare(&self, name: &str, repr: Repr, value: &str) -> String {
        format!("{} {name} = {value};", type_name(repr))
    }

    fn literal(&self, value: Scalar) -> String {
        literal(value)
    }

    fn choose(&self, condition: &str, yes: &str, no: &str) -> String {
        format!("({condition} ? {yes} : {no})")
    }

    fn repeat(&self, index: &str, bound: u32) -> (String, String) {
        (format!("for (u32 {index} = 0u; {index} < {bound}u; {index}++) {{"), "}".to_string())
    }

    fn leave_if_stopped(&self, of: ValueId) -> Option<String> {
        let units = self.work.polling_loops.get(&of)?;
        Some(format!("if (should_stop(a, t, {})) {{ break; }}", units_of_question(*units)))
    }

    fn column(&self, column: usize) -> Read {
        let ty = self.columns[column];
        let value = match ty.dtype.repr() == Repr::Bool {
            true => format!("((in.c{column} >> i) & 1u) != 0u"),
            false => format!("in.c{column}[i]"),
        };
        Read { value, valid: ty.nullable.then(|| format!("((in.n{column} >> i) & 1u) != 0u")) }
    }

    fn param(&self, param: usize) -> Read {
        let ty = self.params[param];
        let at = self.words.param(param);
        let low = format!("a.w[{at}]");
        let repr = ty.dtype.repr();
        let value = match repr {
            Repr::Bool => format!("{low} != 0ull"),
            Repr::F32 => format!("f32_of((u32){low})"),
            Repr::F64 => format!("f64_of({low})"),
            Repr::I128 => format!("i128_of(a.w[{}], {low})", at + 1),
            Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 | Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => {
                format!("({}){low}", type_name(repr))
            }
        };
        Read { value, valid: ty.nullable.then(|| format!("a.w[{}] != 0ull", at + 2)) }
    }

    fn row_index(&self) -> String {
        "row".to_string()
    }

    fn call(&self, call: &Call<'_>) -> Result<String, NotRendered> {
        Ok(operation(call))
    }

    fn lookup(&self, list: ListId, element: DType, at: &Position<'_>) -> String {
        let word = self.words.list(list.index());
        positioned(element, (word, word + 1), at)
    }

    fn gather(&self, table: TableId, column: u32, ty: Type, at: &Position<'_>) -> Read {
        let (rows, values) = self.words.table(table.index(), column as usize);
        // Opaque values may be left out: then they are their rows' numbers.
        let value = match ty.dtype == DType::Opaque {
            true => {
                let number = format!("number_element({}, a.w[{rows}], {})", index(at), at.flag);
                format!("(a.w[{values}] != 0ull ? {} : {number})", positioned(ty.dtype, (values, rows), at))
            }
            false => positioned(ty.dtype, (values, rows), at),
        };
        let inside = format!("(u64){} < a.w[{rows}]", at.name);
        let valid = ty.nullable.then(|| {
            let bits = values + 1;
            format!("({inside} && (a.w[{bits}] == 0ull || bit_at((const u8*)a.w[{bits}], {})))", index(at))
        });
        Read { value, valid }
    }
}

/// A read by position from the array at word `values`, of as many elements as word `rows` says.
fn positioned(dtype: DType, (values, rows): (usize, usize), at: &Position<'_>) -> String {
    let place = format!("{}, a.w[{rows}], {}", index(at), at.flag);
    if dtype.repr() == Repr::Bool {
        return format!("bit_element((const u8*)a.w[{values}], {place})");
    }
    format!("element((const {}*)a.w[{values}], {place})", type_name(dtype.repr()))
}

/// A position in 64 bits.
fn index(at: &Position<'_>) -> String {
    if at.dtype == DType::U64 { at.name.to_string() } else { format!("(u64){}", at.name) }
}

/// The expression of an operation on operands that are not null.
fn operation(call: &Call<'_>) -> String {
    let result = type_name(call.result.repr());
    let from = type_name(call.args[0].dtype.repr());
    let names: Vec<&str> = call.args.iter().map(|arg| arg.name).collect();
    let args = names.join(", ");
    let plain = |name: &str| format!("{name}<{from}>({args})");
    let float = |name: &str| format!("{name}({args})");
    let flag = call.flag.unwrap_or("bad");
    match call.op {
        CoreOp::Add => arithmetic("add", call),
        CoreOp::Sub => arithmetic("sub", call),
        CoreOp::Mul => arithmetic("mul", call),
        CoreOp::Div if call.result.is_float() => float("div"),
        CoreOp::Rem if call.result.is_float() => float("rem"),
        CoreOp::Div => format!("div_checked<{from}>({args}, {flag})"),
        CoreOp::Rem => format!("rem_checked<{from}>({args}, {flag})"),
        CoreOp::CheckedAdd => format!("add_checked<{from}>({args}, {flag})"),
        CoreOp::CheckedSub => format!("sub_checked<{from}>({args}, {flag})"),
        CoreOp::CheckedMul => format!("mul_checked<{from}>({args}, {flag})"),
        CoreOp::Neg => plain("neg"),
        CoreOp::Abs => plain("abs_of"),
        CoreOp::Sign => sign(call),
        CoreOp::Sqrt => float("sqrt_rn"),
        CoreOp::Fma => float("fma_rn"),
        CoreOp::Floor => float("floor_of"),
        CoreOp::Ceil => float("ceil_of"),
        CoreOp::Round => float("round_of"),
        CoreOp::Trunc => float("trunc_of"),
        CoreOp::Least => plain("least"),
        CoreOp::Greatest => plain("greatest"),
        CoreOp::Clamp => format!("least<{from}>(greatest<{from}>({}, {}), {})", names[0], names[1], names[2]),
        CoreOp::Eq => equal(call.args[0], call.args[1]),
        CoreOp::Ne => format!("!{}", equal(call.args[0], call.args[1])),
        CoreOp::Lt => less(call.args[0], call.args[1]),
        CoreOp::Le => format!("!{}", less(call.args[1], call.args[0])),
        CoreOp::Gt => less(call.args[1], call.args[0]),
        CoreOp::Ge => format!("!{}", less(call.args[0], call.args[1])),
        CoreOp::Not => format!("!{args}"),
        CoreOp::BitAnd => format!("({result})({} & {})", names[0], names[1]),
        CoreOp::BitOr => format!("({result})({} | {})", names[0], names[1]),
        CoreOp::BitXor => format!("({result})({} ^ {})", names[0], names[1]),
        CoreOp::BitNot => format!("({result})(~{args})"),
        CoreOp::Shl => plain("shl"),
        CoreOp::Shr => plain("shr"),
        CoreOp::IsNan => float("is_nan"),
        CoreOp::Cast | CoreOp::CastSaturating => cast(call),
        CoreOp::Reinterpret => reinterpret(call.args[0], call.result),
        CoreOp::And | CoreOp::Or | CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull => {
            unreachable!("logic on nulls is written elsewhere")
        }
    }
}

/// `10^digits`.
fn power_of_ten(digits: u8) -> i128 {
    10i128.pow(digits.into())
}

fn arithmetic(name: &str, call: &Call<'_>) -> String {
    let (a, b) = (call.args[0].name, call.args[1].name);
    let result = type_name(call.result.repr());
    if let DType::Decimal { precision, .. } = call.result {
        let limit = wide(power_of_ten(precision));
        return format!("decimal_{name}<{result}>((i128){a}, (i128){b}, {limit}, {})", call.flag.unwrap_or("bad"));
    }
    format!("{name}<{result}>({a}, {b})")
}

/// Whether an operand is a float constant that is not a NaN.
fn is_known_number(operand: Operand<'_>) -> bool {
    let is_nan =
        |value: Scalar| matches!(value, Scalar::F32(v) if v.is_nan()) || matches!(value, Scalar::F64(v) if v.is_nan());
    operand.dtype.is_float() && operand.known.is_some_and(|value| !is_nan(value))
}

/// An integer in 128 bits. Narrow ones become words that the compiler does not look into, as `scalar.cu` says.
fn widened(operand: Operand<'_>) -> String {
    let a = operand.name;
    match operand.dtype.repr() {
        Repr::I8 | Repr::I16 => format!("(i128)word_of<i32>({a})"),
        Repr::U8 | Repr::U16 => format!("(i128)word_of<u32>({a})"),
        Repr::Bool | Repr::I32 | Repr::I64 | Repr::U32 | Repr::U64 | Repr::F32 | Repr::F64 | Repr::I128 => {
            format!("(i128){a}")
        }
    }
}

/// Equality; with a number that is known one instruction does.
fn equal(a: Operand<'_>, b: Operand<'_>) -> String {
    if is_known_number(a) || is_known_number(b) {
        return format!("({} == {})", a.name, b.name);
    }
    format!("eq<{}>({}, {})", type_name(a.dtype.repr()), a.name, b.name)
}

/// Whether one is below the other; with a number that is known one instruction does.
fn less(a: Operand<'_>, b: Operand<'_>) -> String {
    if is_known_number(b) {
        return format!("({} < {})", a.name, b.name);
    }
    if is_known_number(a) {
        return format!("!({} >= {})", a.name, b.name);
    }
    format!("lt<{}>({}, {})", type_name(a.dtype.repr()), a.name, b.name)
}

fn sign(call: &Call<'_>) -> String {
    let (a, repr) = (call.args[0].name, call.result.repr());
    if call.result.is_float() {
        return format!("sign_of({a})");
    }
    let one = if let DType::Decimal { precision, scale } = call.result {
        power_of_ten(scale).min(power_of_ten(precision) - 1)
    } else {
        1
    };
    format!("sign_of<{0}>({a}, ({0}){1})", type_name(repr), wide(one))
}

fn reinterpret(arg: Operand<'_>, to: DType) -> String {
    if to == DType::F32 {
        return format!("f32_of((u32){})", arg.name);
    }
    if to == DType::F64 {
        return format!("f64_of((u64){})", arg.name);
    }
    format!("({})bits_of({})", type_name(to.repr()), arg.name)
}

/// A conversion, faulting or saturating.
fn cast(call: &Call<'_>) -> String {
    let (arg, to) = (call.args[0], call.result);
    let (a, from, result) = (arg.name, arg.dtype, type_name(to.repr()));
    if from == to {
        return a.to_string();
    }
    match to {
        DType::F32 | DType::F64 => to_float(arg, to),
        DType::Decimal { precision, scale } => to_decimal(call, precision, scale),
        DType::Date32 if from == DType::Timestamp => {
            let days = format!("(i128)floor_div({a}, {MICROS_PER_DAY}ll)");
            bounded(call, &days)
        }
        DType::Timestamp if from == DType::Date32 => bounded(call, &format!("(i128){a} * {MICROS_PER_DAY}ll")),
        DType::Date32 | DType::Timestamp => format!("({result}){a}"),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            to_integer(call)
        }
        DType::Bool | DType::Dict(_) | DType::Opaque => unreachable!("nothing else is cast to {to}"),
    }
}

fn to_float(arg: Operand<'_>, to: DType) -> String {
    let (a, result) = (arg.name, type_name(to.repr()));
    if let DType::Decimal { scale, .. } = arg.dtype {
        let is_wide = arg.dtype.repr() == Repr::I128;
        let value = if is_wide { format!("double_of({a})") } else { format!("__ll2double_rn({a})") };
        let quotient = format!("__ddiv_rn({value}, {})", double(power_of_ten(scale) as f64));
        return if to == DType::F32 { format!("__double2float_rn({quotient})") } else { quotient };
    }
    if arg.dtype == DType::Bool {
        return format!("({a} ? ({result})1 : ({result})0)");
    }
    if arg.dtype == DType::F64 { format!("__double2float_rn({a})") } else { format!("({result}){a}") }
}

fn to_decimal(call: &Call<'_>, precision: u8, scale: u8) -> String {
    let (a, from) = (call.args[0].name, call.args[0].dtype);
    let old = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
    let (name, factor, operand) = if from.is_float() {
        ("scaled", double(power_of_ten(scale) as f64), format!("(f64){a}"))
    } else if old > scale {
        ("downscaled", wide(power_of_ten(old - scale)), widened(call.args[0]))
    } else {
        ("upscaled", wide(power_of_ten(scale - old)), widened(call.args[0]))
    };
    let (result, limit) = (type_name(call.result.repr()), wide(power_of_ten(precision)));
    match call.flag {
        Some(flag) => format!("{name}<{result}>({operand}, {factor}, {limit}, {flag})"),
        None => format!("{name}_near<{result}>({operand}, {factor}, {limit})"),
    }
}

fn to_integer(call: &Call<'_>) -> String {
    let (a, from) = (call.args[0].name, call.args[0].dtype);
    let result = type_name(call.result.repr());
    if from.is_float() {
        return float_to_integer(call);
    }
    if let DType::Decimal { scale, .. } = from {
        let is_wide = from.repr() == Repr::I128;
        let divisor = if is_wide { wide(power_of_ten(scale)) } else { format!("{}ll", power_of_ten(scale)) };
        return bounded(call, &format!("(i128)({a} / {divisor})"));
    }
    if from == DType::Bool {
        return format!("({a} ? ({result})1 : ({result})0)");
    }
    bounded(call, &widened(call.args[0]))
}

/// The least and the greatest value of a type of integers.
fn range(repr: Repr) -> (i128, i128) {
    let signed = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let bits = 8 * repr.bytes() as u32;
    match repr {
        Repr::I8 | Repr::I16 | Repr::I32 | Repr::I64 => signed(bits),
        Repr::I128 => (i128::MIN, i128::MAX),
        Repr::U8 | Repr::U16 | Repr::U32 | Repr::U64 => (0, (1i128 << bits) - 1),
        Repr::Bool | Repr::F32 | Repr::F64 => (0, 1),
    }
}

/// A 128-bit expression cut to the result's range.
fn bounded(call: &Call<'_>, value: &str) -> String {
    let result = type_name(call.result.repr());
    let (low, high) = range(call.result.repr());
    let bounds = format!("{}, {}", wide(low), wide(high));
    match call.flag {
        Some(flag) => format!("bounded<{result}>({value}, {bounds}, {flag})"),
        None if call.op == CoreOp::Cast => format!("({result})({value})"),
        None => format!("bounded_near<{result}>({value}, {bounds})"),
    }
}

fn float_to_integer(call: &Call<'_>) -> String {
    let (a, repr) = (call.args[0].name, call.result.repr());
    let result = type_name(repr);
    let (low, high) = range(repr);
    // One below the least 64-bit number is no double, but that number itself is.
    let (suffix, below) = if low == i128::from(i64::MIN) { ("_from", low as f64) } else { ("", low as f64 - 1.0) };
    let bounds = format!("{}, {}", double(below), double((high + 1) as f64));
    match call.flag {
        Some(flag) => format!("whole{suffix}<{result}>((f64){a}, {bounds}, {flag})"),
        None => {
            let ends = [low, high].map(|end| format!("({result}){}", wide(end))).join(", ");
            format!("whole{suffix}_near<{result}>((f64){a}, {bounds}, {ends})")
        }
    }
}
