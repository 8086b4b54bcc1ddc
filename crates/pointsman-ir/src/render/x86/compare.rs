//! Emits comparisons of values of one type, as a mask. NaN is greater than every other value and equals itself; −0
//! equals +0.

use super::NotEmitted;
use super::decimal;
use super::emitter::{Emitter, Kind, Lane};
use super::logic::nans;
use super::lower::Value;
use super::step::{Reg, Step};
use crate::op::CoreOp;
use crate::types::DType;
use iced_x86::Code;

/// The predicates of `vcmpps`.
pub(super) const UNORDERED: u8 = 0x03;
pub(super) const ORDERED: u8 = 0x07;
pub(super) const EQUAL: u8 = 0x00;
/// Not greater or equal: below, or one is a NaN.
const NOT_ABOVE_OR_EQUAL: u8 = 0x19;
/// The predicates of `vpcmpd`; equal and below mean the same there.
pub(super) const BELOW: u8 = 0x01;

/// The mask of a comparison, or of `is_nan`.
pub(super) fn lower(e: &mut Emitter<'_>, op: CoreOp, args: &[Value], dtype: DType) -> Result<Reg, NotEmitted> {
    if dtype == DType::Bool {
        return truths(e, op, args);
    }
    let Some(lane) = Lane::of(dtype.repr()) else { return decimal::compare(e, op, args) };
    let mut masks = Vec::with_capacity(lane.parts());
    for part in 0..lane.parts() {
        let mask = if op == CoreOp::IsNan {
            nans(e, lane, args[0].parts()[part])
        } else {
            let operands = [0, 1].map(|i| (args[i].parts()[part], args[i].is_number));
            one(e, op, lane, operands[0], operands[1])?
        };
        masks.push(mask);
    }
    let mask = e.whole_mask(&masks);
    let negated = matches!(op, CoreOp::Ne | CoreOp::Le | CoreOp::Ge);
    Ok(if negated { e.not(mask) } else { mask })
}

/// The comparison, or its negation for `ne`, `le` and `ge`.
fn one(e: &mut Emitter<'_>, op: CoreOp, lane: Lane, a: (Reg, bool), b: (Reg, bool)) -> Result<Reg, NotEmitted> {
    if matches!(op, CoreOp::Eq | CoreOp::Ne) {
        Ok(equal(e, lane, a, b))
    } else if matches!(op, CoreOp::Lt | CoreOp::Ge) {
        Ok(below(e, lane, a, b))
    } else if matches!(op, CoreOp::Gt | CoreOp::Le) {
        Ok(below(e, lane, b, a))
    } else {
        Err(NotEmitted::new(format!("`{}` is not emitted yet", op.name())))
    }
}

fn equal(e: &mut Emitter<'_>, lane: Lane, (a, a_number): (Reg, bool), (b, b_number): (Reg, bool)) -> Reg {
    let same = compare(e, lane, a, b, EQUAL, None);
    if lane.kind != Kind::Float || a_number || b_number {
        return same;
    }
    let first = nans(e, lane, a);
    let both = compare(e, lane, b, b, UNORDERED, Some(first));
    e.or(same, both)
}

/// `a < b`, or `b` is a NaN and `a` is none.
fn below(e: &mut Emitter<'_>, lane: Lane, (a, a_number): (Reg, bool), (b, b_number): (Reg, bool)) -> Reg {
    if lane.kind != Kind::Float || b_number {
        return compare(e, lane, a, b, BELOW, None);
    }
    let first = (!a_number).then(|| compare(e, lane, a, a, ORDERED, None));
    compare(e, lane, a, b, NOT_ABOVE_OR_EQUAL, first)
}

/// Compares two vectors, in the rows of a mask.
pub(super) fn compare(e: &mut Emitter<'_>, lane: Lane, a: Reg, b: Reg, predicate: u8, under: Option<Reg>) -> Reg {
    let code = match lane.kind {
        Kind::Float => {
            lane.pick(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae)
        }
        Kind::Signed => {
            lane.pick(Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8)
        }
        Kind::Unsigned => {
            lane.pick(Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8)
        }
    };
    let dst = e.mask();
    let step = Step::new(code).def_mask(dst).read(a).read(b).imm(predicate);
    e.push(match under {
        Some(mask) => step.masked(mask),
        None => step,
    });
    dst
}

/// `a < b` by lanes of integers, or of floats that are no NaNs.
pub(super) fn less(e: &mut Emitter<'_>, lane: Lane, a: Reg, b: Reg) -> Reg {
    compare(e, lane, a, b, BELOW, None)
}

/// Comparisons of truth values: false is below true.
fn truths(e: &mut Emitter<'_>, op: CoreOp, args: &[Value]) -> Result<Reg, NotEmitted> {
    let (Some(a), Some(b)) = (args[0].mask(), args.get(1).and_then(Value::mask)) else {
        return Err(NotEmitted::new(format!("`{}` of truth values is not emitted yet", op.name())));
    };
    let high = args.get(2).and_then(Value::mask);
    Ok(match (op, high) {
        (CoreOp::Eq, _) => e.mask2(Code::VEX_Kxnorw_kr_kr_kr, a, b),
        (CoreOp::Ne, _) => e.mask2(Code::VEX_Kxorw_kr_kr_kr, a, b),
        (CoreOp::Lt, _) => e.without(b, a),
        (CoreOp::Gt, _) => e.without(a, b),
        (CoreOp::Le, _) => {
            let above = e.without(a, b);
            e.not(above)
        }
        (CoreOp::Ge, _) => {
            let below = e.without(b, a);
            e.not(below)
        }
        (CoreOp::Least, _) => e.and(a, b),
        (CoreOp::Greatest, _) => e.or(a, b),
        (CoreOp::Clamp, Some(high)) => {
            let raised = e.or(a, b);
            e.and(raised, high)
        }
        (op, _) => return Err(NotEmitted::new(format!("`{}` of truth values is not emitted yet", op.name()))),
    })
}
