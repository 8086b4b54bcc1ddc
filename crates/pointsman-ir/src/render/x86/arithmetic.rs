//! Emits arithmetic and bit operations on values of one type: the lanes of the result and, if the operation can fault,
//! the rows that do.

use super::NotEmitted;
use super::compare::{compare, less};
use super::decimal;
use super::divide;
use super::emitter::{Emitter, Kind, Lane};
use super::logic::{canonical_nan, nans, unordered};
use super::lower::{Data, Value, wide_integers};
use super::scalar;
use super::step::{Reg, Step};
use crate::op::CoreOp;
use crate::types::DType;
use iced_x86::Code;

/// Lanes, and the rows that fault.
pub(super) type Lowered = Result<(Data, Option<Reg>), NotEmitted>;

/// The value of an operation whose result has lanes.
pub(super) fn lower(e: &mut Emitter<'_>, op: CoreOp, args: &[Value], from: DType, to: DType) -> Lowered {
    let (Some(lane), Some(result)) = (Lane::of(from.repr()), Lane::of(to.repr())) else {
        return decimal::arithmetic(e, op, args, to);
    };
    if lane.wide() != result.wide() {
        return Err(wide_integers());
    }
    if lane.kind != Kind::Float && matches!(op, CoreOp::Div | CoreOp::Rem) {
        return divide::lower(e, op, args, lane);
    }
    if lane.kind == Kind::Float && op == CoreOp::Rem {
        let rest = scalar::float_remainder(e, lane, args[0].parts(), args[1].parts());
        return Ok((Data::Lanes(rest), None));
    }
    if op == CoreOp::CheckedMul && lane.bits >= 32 {
        return divide::checked_product(e, args, lane);
    }
    let (mut parts, mut flags) = (Vec::with_capacity(2), Vec::new());
    for part in 0..lane.parts() {
        let operands: Vec<Reg> = args.iter().map(|arg| arg.parts()[part]).collect();
        let (value, flag) = match lane.kind {
            Kind::Float => (float(e, op, lane, &operands)?, None),
            Kind::Signed | Kind::Unsigned => integer(e, op, lane, &operands, to)?,
        };
        parts.push(value);
        flags.extend(flag);
    }
    let flag = if flags.is_empty() { None } else { Some(e.whole_mask(&flags)) };
    Ok((Data::Lanes(parts), flag))
}

fn missing(op: CoreOp, lane: Lane) -> NotEmitted {
    NotEmitted::new(format!("`{}` of {}-bit {:?} lanes is not emitted yet", op.name(), lane.bits, lane.kind))
}

fn float(e: &mut Emitter<'_>, op: CoreOp, lane: Lane, args: &[Reg]) -> Result<Reg, NotEmitted> {
    use Code as C;
    let a = args[0];
    let two = |narrow, wide, e: &mut Emitter<'_>| e.op2(lane.pick(narrow, wide), a, args[1]);
    let rounded = |mode: u8, e: &mut Emitter<'_>| {
        let code =
            lane.pick(C::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, C::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae);
        e.op1_imm(code, a, mode | 8)
    };
    Ok(match op {
        CoreOp::Add => two(C::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er, e),
        CoreOp::Sub => two(C::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er, e),
        CoreOp::Mul => two(C::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, e),
        CoreOp::Div => two(C::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, e),
        CoreOp::Sqrt => {
            e.op1(lane.pick(C::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, C::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er), a)
        }
        CoreOp::Floor => rounded(1, e),
        CoreOp::Ceil => rounded(2, e),
        CoreOp::Trunc => rounded(3, e),
        CoreOp::Round => round(e, lane, a),
        CoreOp::Neg => {
            let sign = sign_bit(e, lane);
            e.op2(C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, a, sign)
        }
        CoreOp::Abs => {
            let sign = sign_bit(e, lane);
            e.op2(C::EVEX_Vpandnq_zmm_k1z_zmm_zmmm512b64, sign, a)
        }
        CoreOp::Sign => float_sign(e, lane, a),
        CoreOp::Fma => {
            let dst = e.copy(a);
            let code =
                lane.pick(C::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er);
            e.push(Step::new(code).change(dst).read(args[1]).read(args[2]));
            dst
        }
        CoreOp::Least => best(e, lane, false, a, args[1]),
        CoreOp::Greatest => best(e, lane, true, a, args[1]),
        CoreOp::Clamp => {
            let raised = best(e, lane, true, a, args[1]);
            best(e, lane, false, raised, args[2])
        }
        CoreOp::Rem | CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul => {
            return Err(missing(op, lane));
        }
        CoreOp::Cast | CoreOp::CastSaturating | CoreOp::Reinterpret => {
            return Err(missing(op, lane));
        }
        CoreOp::Eq
        | CoreOp::Ne
        | CoreOp::Lt
        | CoreOp::Le
        | CoreOp::Gt
        | CoreOp::Ge
        | CoreOp::And
        | CoreOp::Or
        | CoreOp::Not => {
            return Err(missing(op, lane));
        }
        CoreOp::BitAnd | CoreOp::BitOr | CoreOp::BitXor | CoreOp::BitNot | CoreOp::Shl | CoreOp::Shr => {
            return Err(missing(op, lane));
        }
        CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull | CoreOp::IsNan => return Err(missing(op, lane)),
    })
}

fn sign_bit(e: &mut Emitter<'_>, lane: Lane) -> Reg {
    e.int(lane, 1i128 << (lane.bits - 1))
}

/// The value's sign on the magnitude of `one`.
fn with_sign_of(e: &mut Emitter<'_>, lane: Lane, one: f64, a: Reg) -> Reg {
    let sign = sign_bit(e, lane);
    let one = e.float(lane, one);
    let sign = e.op2(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, a, sign);
    e.op2(Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, one, sign)
}

/// Half away from zero: the whole part of the value plus the greatest number below a half, of its sign.
pub(super) fn round(e: &mut Emitter<'_>, lane: Lane, a: Reg) -> Reg {
    use Code as C;
    let below_half = if lane.wide() { 0.5f64.next_down() } else { 0.5f32.next_down().into() };
    let half = with_sign_of(e, lane, below_half, a);
    let sum =
        e.op2(lane.pick(C::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, C::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er), a, half);
    let code =
        lane.pick(C::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, C::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae);
    e.op1_imm(code, sum, 3 | 8)
}

/// ±1 by sign; a zero or a NaN as it is.
fn float_sign(e: &mut Emitter<'_>, lane: Lane, a: Reg) -> Reg {
    const NOT_EQUAL_AND_ORDERED: u8 = 0x0c;
    let zero = e.int(lane, 0);
    let moved = compare(e, lane, a, zero, NOT_EQUAL_AND_ORDERED, None);
    let one = with_sign_of(e, lane, 1.0, a);
    e.blend(lane, 0, moved, one, a)
}

/// The smaller or the greater in the total order: −0 below +0, NaN on top.
pub(super) fn best(e: &mut Emitter<'_>, lane: Lane, greatest: bool, a: Reg, b: Reg) -> Reg {
    if lane.kind != Kind::Float {
        return e.op2(best_code(lane, greatest), a, b);
    }
    let chosen = e.op2_imm(range_code(lane), a, b, range_choice(greatest));
    if greatest {
        let nan = unordered(e, lane, a, b, None);
        let canonical = canonical_nan(e, lane);
        return e.blend(lane, 0, nan, canonical, chosen);
    }
    let (a_nan, b_nan) = (nans(e, lane, a), nans(e, lane, b));
    let chosen = e.blend(lane, 0, a_nan, b, chosen);
    e.blend(lane, 0, b_nan, a, chosen)
}

/// Chooses one of two floats, −0 below +0. Of a number and a quiet NaN it takes the number.
pub(super) fn range_code(lane: Lane) -> Code {
    lane.pick(Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae)
}

/// The byte for [`range_code`]: the smaller or the greater, with its own sign.
pub(super) fn range_choice(greatest: bool) -> u8 {
    4 | u8::from(greatest)
}

/// The smaller or the greater of integers.
pub(super) fn best_code(lane: Lane, greatest: bool) -> Code {
    use Code as C;
    match (lane.kind == Kind::Unsigned, greatest) {
        (false, false) => lane.pick(C::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64),
        (false, true) => lane.pick(C::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64),
        (true, false) => lane.pick(C::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64),
        (true, true) => lane.pick(C::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64),
    }
}

/// Sum, difference or product of lanes, cut to the lane's width.
pub(super) fn plain(e: &mut Emitter<'_>, op: CoreOp, lane: Lane, a: Reg, b: Reg) -> Reg {
    use Code as C;
    let code = if matches!(op, CoreOp::Sub | CoreOp::CheckedSub) {
        lane.pick(C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64)
    } else if matches!(op, CoreOp::Mul | CoreOp::CheckedMul) {
        lane.pick(C::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64)
    } else {
        lane.pick(C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64)
    };
    e.op2(code, a, b)
}

/// Cuts 32-bit lanes to the bits of the representation and extends them again.
fn narrow(e: &mut Emitter<'_>, lane: Lane, a: Reg) -> Reg {
    if lane.bits >= 32 {
        return a;
    }
    if lane.kind == Kind::Unsigned {
        let mask = e.int(lane, (1 << lane.bits) - 1);
        return e.op2(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, a, mask);
    }
    let shift = (32 - lane.bits) as u8;
    let up = e.op1_imm(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, a, shift);
    e.op1_imm(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8, up, shift)
}

/// The rows in which lanes of integers lie outside a range that the lanes can hold.
pub(super) fn outside(e: &mut Emitter<'_>, lane: Lane, a: Reg, low: i128, high: i128) -> Option<Reg> {
    // A lane of 32 bits holds more than a narrow representation.
    let (lowest, highest) = Lane { bits: lane.bits.max(32), ..lane }.range();
    let mut flag = None;
    if low > lowest {
        let low = e.int(lane, low);
        flag = Some(less(e, lane, a, low));
    }
    if high < highest {
        let high = e.int(lane, high);
        let above = less(e, lane, high, a);
        flag = Some(flag.map_or(above, |below| e.or(below, above)));
    }
    flag
}

fn integer(
    e: &mut Emitter<'_>,
    op: CoreOp,
    lane: Lane,
    args: &[Reg],
    to: DType,
) -> Result<(Reg, Option<Reg>), NotEmitted> {
    use Code as C;
    let a = args[0];
    let value = match op {
        CoreOp::Add | CoreOp::Sub | CoreOp::Mul => {
            let value = plain(e, op, lane, a, args[1]);
            if let DType::Decimal { precision, .. } = to {
                let limit = 10i128.pow(precision.into()) - 1;
                return Ok((value, outside(e, lane, value, -limit, limit)));
            }
            narrow(e, lane, value)
        }
        CoreOp::CheckedAdd | CoreOp::CheckedSub | CoreOp::CheckedMul => return Ok(checked(e, op, lane, a, args[1])),
        CoreOp::Neg => {
            let zero = e.int(lane, 0);
            let value = plain(e, CoreOp::Sub, lane, zero, a);
            narrow(e, lane, value)
        }
        CoreOp::Abs if lane.kind == Kind::Unsigned => a,
        CoreOp::Abs => {
            let value = e.op1(lane.pick(C::EVEX_Vpabsd_zmm_k1z_zmmm512b32, C::EVEX_Vpabsq_zmm_k1z_zmmm512b64), a);
            narrow(e, lane, value)
        }
        CoreOp::Sign => sign(e, lane, a, to),
        CoreOp::Least => best(e, lane, false, a, args[1]),
        CoreOp::Greatest => best(e, lane, true, a, args[1]),
        CoreOp::Clamp => {
            let raised = best(e, lane, true, a, args[1]);
            best(e, lane, false, raised, args[2])
        }
        CoreOp::BitAnd => e.op2(C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, a, args[1]),
        CoreOp::BitOr => e.op2(C::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64, a, args[1]),
        CoreOp::BitXor => e.op2(C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, a, args[1]),
        CoreOp::BitNot => {
            let ones = e.int(lane, -1);
            let value = e.op2(C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, a, ones);
            narrow(e, lane, value)
        }
        CoreOp::Shl | CoreOp::Shr => shift(e, op, lane, a, args[1]),
        CoreOp::Div
        | CoreOp::Rem
        | CoreOp::Sqrt
        | CoreOp::Fma
        | CoreOp::Floor
        | CoreOp::Ceil
        | CoreOp::Round
        | CoreOp::Trunc => {
            return Err(missing(op, lane));
        }
        CoreOp::Eq
        | CoreOp::Ne
        | CoreOp::Lt
        | CoreOp::Le
        | CoreOp::Gt
        | CoreOp::Ge
        | CoreOp::And
        | CoreOp::Or
        | CoreOp::Not => {
            return Err(missing(op, lane));
        }
        CoreOp::Select | CoreOp::Coalesce | CoreOp::IsNull | CoreOp::IsNan => return Err(missing(op, lane)),
        CoreOp::Cast | CoreOp::CastSaturating | CoreOp::Reinterpret => {
            return Err(missing(op, lane));
        }
    };
    Ok((value, None))
}

fn shift(e: &mut Emitter<'_>, op: CoreOp, lane: Lane, a: Reg, amount: Reg) -> Reg {
    use Code as C;
    let width = e.int(lane, i128::from(lane.bits) - 1);
    let amount = e.op2(C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, amount, width);
    let code = match (op == CoreOp::Shl, lane.kind == Kind::Unsigned) {
        (true, _) => lane.pick(C::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64),
        (false, true) => lane.pick(C::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64),
        (false, false) => lane.pick(C::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32, C::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64),
    };
    let value = e.op2(code, a, amount);
    narrow(e, lane, value)
}

/// −1, 0 or 1; for decimals times the unscaled one, or the greatest value if one has too many digits.
fn sign(e: &mut Emitter<'_>, lane: Lane, a: Reg, to: DType) -> Reg {
    let one = e.int(lane, 1);
    let lowered = best(e, lane, false, a, one);
    if lane.kind == Kind::Unsigned {
        return lowered;
    }
    let minus_one = e.int(lane, -1);
    let value = best(e, lane, true, lowered, minus_one);
    if let DType::Decimal { precision, scale } = to {
        let one = 10i128.pow(scale.into()).min(10i128.pow(precision.into()) - 1);
        let one = e.int(lane, one);
        return plain(e, CoreOp::Mul, lane, value, one);
    }
    value
}

/// Checked arithmetic in lanes that hold the exact result, or whose overflow shows in the signs.
fn checked(e: &mut Emitter<'_>, op: CoreOp, lane: Lane, a: Reg, b: Reg) -> (Reg, Option<Reg>) {
    let value = plain(e, op, lane, a, b);
    if lane.bits < 32 {
        // A difference of unsigned integers is negative where it does not fit.
        let kind = if op == CoreOp::CheckedMul { lane.kind } else { Kind::Signed };
        let (low, high) = lane.range();
        return (value, outside(e, Lane { kind, ..lane }, value, low, high));
    }
    if lane.kind == Kind::Unsigned {
        let flag = if op == CoreOp::CheckedSub { less(e, lane, a, b) } else { less(e, lane, value, a) };
        return (value, Some(flag));
    }
    // A sum overflows if its sign is that of neither operand, a difference if it differs where the operands do.
    let other = if op == CoreOp::CheckedSub { a } else { value };
    let first = e.op2(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, a, value);
    let second = e.op2(Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64, b, other);
    let both = e.op2(Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64, first, second);
    let flag = e.mask();
    let code = lane.pick(Code::EVEX_Vpmovd2m_kr_zmm, Code::EVEX_Vpmovq2m_kr_zmm);
    e.push(Step::new(code).def_mask(flag).read(both));
    (value, Some(flag))
}
