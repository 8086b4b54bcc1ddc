//! Operations on decimals of more than 18 digits: integers of 128 bits, each in two vectors of 64-bit words.
//!
//! Everything is exact: what leaves the digits of its type (or 128 bits) is flagged.

mod cast;

pub(super) use cast::lower as cast;

use super::NotEmitted;
use super::arithmetic::{Lowered, plain};
use super::cast::I64;
use super::compare::{self, BELOW, EQUAL};
use super::emitter::{Emitter, Kind, Lane};
use super::lower::{Data, Value};
use super::step::{Reg, Step};
use crate::op::CoreOp;
use crate::types::DType;
use iced_x86::Code;

const U64: Lane = Lane { kind: Kind::Unsigned, bits: 64 };

/// Eight rows: their low and high words.
#[derive(Clone, Copy, Debug)]
struct Wide {
    low: Reg,
    high: Reg,
}

/// The two times eight rows of a value; one of 64 bits is extended by its sign.
fn halves(e: &mut Emitter<'_>, parts: &[Reg]) -> [Wide; 2] {
    [0, 1].map(|half| {
        let low = parts[half];
        let high = parts.get(half + 2).copied();
        Wide { low, high: high.unwrap_or_else(|| e.op1_imm(Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8, low, 63)) }
    })
}

/// A value of 16 rows.
fn whole([first, second]: [Wide; 2]) -> Data {
    Data::Lanes(vec![first.low, second.low, first.high, second.high])
}

/// A number in every row.
pub(super) fn constant(e: &mut Emitter<'_>, value: i128) -> Data {
    let value = number(e, value);
    whole([value; 2])
}

fn number(e: &mut Emitter<'_>, value: i128) -> Wide {
    Wide { low: e.word(value as u64), high: e.word((value >> 64) as u64) }
}

fn largest(precision: u8) -> i128 {
    10i128.pow(precision.into()) - 1
}

fn missing(what: &str) -> NotEmitted {
    NotEmitted::new(format!("{what} decimals of more than 18 digits is not emitted yet"))
}

/// The sum, cut to 128 bits: the low words carry where their sum is below one of them.
fn add(e: &mut Emitter<'_>, a: Wide, b: Wide) -> Wide {
    let low = plain(e, CoreOp::Add, U64, a.low, b.low);
    let carry = compare::less(e, U64, low, a.low);
    let high = plain(e, CoreOp::Add, U64, a.high, b.high);
    carried(e, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, high, carry);
    Wide { low, high }
}

/// The difference, cut to 128 bits.
fn subtract(e: &mut Emitter<'_>, a: Wide, b: Wide) -> Wide {
    let low = plain(e, CoreOp::Sub, U64, a.low, b.low);
    let carry = compare::less(e, U64, a.low, b.low);
    let high = plain(e, CoreOp::Sub, U64, a.high, b.high);
    carried(e, Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64, high, carry);
    Wide { low, high }
}

/// Adds 1 to (or takes it from) the rows of a mask.
fn carried(e: &mut Emitter<'_>, code: Code, high: Reg, rows: Reg) {
    let one = e.word(1);
    e.push(Step::new(code).change(high).read(high).read(one).masked(rows));
}

/// The 128 bits of products of unsigned words, by halves of words: none of the sums leaves 64 bits.
fn product(e: &mut Emitter<'_>, a: Reg, b: Reg) -> Wide {
    use Code as C;
    let multiply = |e: &mut Emitter<'_>, a, b| e.op2(C::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64, a, b);
    let upper = |e: &mut Emitter<'_>, a| e.op1_imm(C::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, a, 32);
    let lower_bits = e.word(u32::MAX.into());
    let lower = |e: &mut Emitter<'_>, a| e.op2(C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, a, lower_bits);
    let (a_upper, b_upper) = (upper(e, a), upper(e, b));
    let [low, high] = [(a, b), (a_upper, b_upper)].map(|(a, b)| multiply(e, a, b));
    let [first, second] = [(a_upper, b), (a, b_upper)].map(|(a, b)| multiply(e, a, b));
    let carry = upper(e, low);
    let first = plain(e, CoreOp::Add, U64, first, carry);
    let carry = lower(e, first);
    let second = plain(e, CoreOp::Add, U64, second, carry);
    let (first, up) = (upper(e, first), upper(e, second));
    let high = plain(e, CoreOp::Add, U64, high, first);
    let high = plain(e, CoreOp::Add, U64, high, up);
    let (low, middle) = (lower(e, low), e.op1_imm(C::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, second, 32));
    Wide { low: e.op2(C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, low, middle), high }
}

/// The product, cut to 128 bits.
fn multiply(e: &mut Emitter<'_>, a: Wide, b: Wide) -> Wide {
    let Wide { low, mut high } = product(e, a.low, b.low);
    for (a, b) in [(a.high, b.low), (a.low, b.high)] {
        let cross = plain(e, CoreOp::Mul, U64, a, b);
        high = plain(e, CoreOp::Add, U64, high, cross);
    }
    Wide { low, high }
}

/// The rows in which a vector's lanes are negative.
fn negative(e: &mut Emitter<'_>, a: Reg) -> Reg {
    let rows = e.mask();
    e.push(Step::new(Code::EVEX_Vpmovq2m_kr_zmm).def_mask(rows).read(a));
    rows
}

/// The rows in which a vector's lanes are not 0.
fn filled(e: &mut Emitter<'_>, a: Reg) -> Reg {
    let rows = e.mask();
    e.push(Step::new(Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64).def_mask(rows).read(a).read(a));
    rows
}

fn xor(e: &mut Emitter<'_>, a: Reg, b: Reg) -> Reg {
    e.op2(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, a, b)
}

/// `a < b`, read as signed or unsigned: by the high words, and where those are the same by the low ones.
fn less(e: &mut Emitter<'_>, kind: Kind, a: Wide, b: Wide) -> Reg {
    let lane = Lane { kind, bits: 64 };
    let below = compare::less(e, lane, a.high, b.high);
    let same = compare::compare(e, lane, a.high, b.high, EQUAL, None);
    let low = compare::compare(e, U64, a.low, b.low, BELOW, Some(same));
    e.or(below, low)
}

fn equal(e: &mut Emitter<'_>, a: Wide, b: Wide) -> Reg {
    let same = compare::compare(e, I64, a.high, b.high, EQUAL, None);
    compare::compare(e, I64, a.low, b.low, EQUAL, Some(same))
}

/// `yes` in the rows (of these eight) of a mask, else `no`.
fn blend(e: &mut Emitter<'_>, rows: Reg, yes: Wide, no: Wide) -> Wide {
    Wide { low: e.blend(I64, 0, rows, yes.low, no.low), high: e.blend(I64, 0, rows, yes.high, no.high) }
}

/// The rows outside of a range: after subtracting its start, by one unsigned comparison.
fn outside(e: &mut Emitter<'_>, a: Wide, low: i128, high: i128) -> Reg {
    let (low, most) = (number(e, low), number(e, high.wrapping_sub(low)));
    let moved = subtract(e, a, low);
    less(e, Kind::Unsigned, most, moved)
}

/// The nearest value in a range.
fn clamped(e: &mut Emitter<'_>, a: Wide, low: Wide, high: Wide) -> Wide {
    let raised = best(e, true, a, low);
    best(e, false, raised, high)
}

fn best(e: &mut Emitter<'_>, greatest: bool, a: Wide, b: Wide) -> Wide {
    let below = less(e, Kind::Signed, a, b);
    if greatest { blend(e, below, b, a) } else { blend(e, below, a, b) }
}

fn negated(e: &mut Emitter<'_>, a: Wide) -> Wide {
    let zero = number(e, 0);
    subtract(e, zero, a)
}

fn magnitude(e: &mut Emitter<'_>, a: Wide) -> Wide {
    let (flipped, rows) = (negated(e, a), negative(e, a.high));
    blend(e, rows, flipped, a)
}

/// A comparison's mask.
pub(super) fn compare(e: &mut Emitter<'_>, op: CoreOp, args: &[Value]) -> Result<Reg, NotEmitted> {
    let [a, b] = [0, 1].map(|arg: usize| args.get(arg).map(|arg| halves(e, arg.parts())));
    let (Some(a), Some(b)) = (a, b) else { return Err(missing(&format!("`{}` of", op.name()))) };
    let both = [0, 1].map(|half| (a[half], b[half]));
    let mut by_halves = |f: fn(&mut Emitter<'_>, (Wide, Wide)) -> Reg| {
        let masks = both.map(|pair| f(e, pair));
        e.whole_mask(&masks)
    };
    let mask = if matches!(op, CoreOp::Eq | CoreOp::Ne) {
        by_halves(|e, (a, b)| equal(e, a, b))
    } else if matches!(op, CoreOp::Lt | CoreOp::Ge) {
        by_halves(|e, (a, b)| less(e, Kind::Signed, a, b))
    } else if matches!(op, CoreOp::Gt | CoreOp::Le) {
        by_halves(|e, (a, b)| less(e, Kind::Signed, b, a))
    } else {
        return Err(missing(&format!("`{}` of", op.name())));
    };
    let is_negated = matches!(op, CoreOp::Ne | CoreOp::Le | CoreOp::Ge);
    Ok(if is_negated { e.not(mask) } else { mask })
}

/// An operation that gives decimals.
pub(super) fn arithmetic(e: &mut Emitter<'_>, op: CoreOp, args: &[Value], to: DType) -> Lowered {
    let DType::Decimal { precision, scale } = to else { return Err(missing(&format!("`{}` of", op.name()))) };
    let limit = largest(precision);
    let is_narrow = args.iter().all(|arg| arg.parts().len() == 2);
    let args: Vec<[Wide; 2]> = args.iter().map(|arg| halves(e, arg.parts())).collect();
    let (mut results, mut flags) = (Vec::with_capacity(2), Vec::with_capacity(2));
    for half in 0..2 {
        let a = args[0][half];
        let b = args.get(1).map_or(a, |b| b[half]);
        let value = if matches!(op, CoreOp::Add | CoreOp::Sub | CoreOp::Mul) {
            let (value, flag) = checked(e, op, (a, b), is_narrow, limit);
            flags.push(flag);
            value
        } else if matches!(op, CoreOp::Least | CoreOp::Greatest) {
            best(e, op == CoreOp::Greatest, a, b)
        } else if op == CoreOp::Clamp {
            clamped(e, a, b, args[2][half])
        } else if op == CoreOp::Neg {
            negated(e, a)
        } else if op == CoreOp::Abs {
            magnitude(e, a)
        } else if op == CoreOp::Sign {
            sign(e, a, 10i128.pow(scale.into()).min(limit))
        } else {
            return Err(missing(&format!("`{}` of", op.name())));
        };
        results.push(value);
    }
    let flag = if flags.is_empty() { None } else { Some(e.whole_mask(&flags)) };
    Ok((whole([results[0], results[1]]), flag))
}

/// Minus `one`, 0 or `one`.
fn sign(e: &mut Emitter<'_>, a: Wide, one: i128) -> Wide {
    let (one, minus, zero) = (number(e, one), number(e, -one), number(e, 0));
    let any = e.op2(Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, a.low, a.high);
    let (any, below) = (filled(e, any), negative(e, a.high));
    let signed = blend(e, below, minus, one);
    blend(e, any, signed, zero)
}

/// Sum, difference or product, and the rows in which it lies beyond the limit; narrow operands have 64 bits.
fn checked(e: &mut Emitter<'_>, op: CoreOp, (a, b): (Wide, Wide), is_narrow: bool, limit: i128) -> (Wide, Reg) {
    if op == CoreOp::Mul && !is_narrow {
        return checked_product(e, a, b, limit);
    }
    let compute = if op == CoreOp::Mul {
        multiply
    } else if op == CoreOp::Sub {
        subtract
    } else {
        add
    };
    let value = compute(e, a, b);
    let mut flag = outside(e, value, -limit, limit);
    if !is_narrow {
        // A sum overflows if its sign is that of neither operand, a difference if it differs where the operands do.
        let other = if op == CoreOp::Sub { a.high } else { value.high };
        let (first, second) = (xor(e, a.high, value.high), xor(e, b.high, other));
        let both = e.op2(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, first, second);
        let overflows = negative(e, both);
        flag = e.or(flag, overflows);
    }
    (value, flag)
}

/// The product of magnitudes, with the sign put back. It leaves 128 bits if both have high words, if the product of
/// one's high and the other's low word has one, or if the sum of high words carries.
fn checked_product(e: &mut Emitter<'_>, a: Wide, b: Wide, limit: i128) -> (Wide, Reg) {
    let (x, y) = (magnitude(e, a), magnitude(e, b));
    let (x_large, y_large) = (filled(e, x.high), filled(e, y.high));
    let both = e.and(x_large, y_large);
    let high = e.blend(I64, 0, x_large, x.high, y.high);
    let low = e.blend(I64, 0, x_large, y.low, x.low);
    let cross = product(e, high, low);
    let beyond = filled(e, cross.high);
    let mut value = product(e, x.low, y.low);
    value.high = plain(e, CoreOp::Add, U64, value.high, cross.low);
    let carry = compare::less(e, U64, value.high, cross.low);
    let most = number(e, limit);
    let above = less(e, Kind::Unsigned, most, value);
    let flag = [beyond, carry, above].into_iter().fold(both, |flag, rows| e.or(flag, rows));
    let signs = xor(e, a.high, b.high);
    let (flipped, rows) = (negated(e, value), negative(e, signs));
    (blend(e, rows, flipped, value), flag)
}
