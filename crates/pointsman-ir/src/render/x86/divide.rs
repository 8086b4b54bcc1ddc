//! Emits integer division, and products that need wider lanes: the lanes of the result and the rows that fault.
//!
//! Integers of up to 32 bits are divided as doubles: the quotient of two such numbers, rounded to 53 bits, never
//! reaches the next whole number, so its whole part is right.

use super::arithmetic::{Lowered, outside, plain};
use super::cast::{halves, join, narrowed, widened};
use super::compare::compare;
use super::emitter::{Emitter, Kind, Lane};
use super::lower::{Data, Value};
use super::scalar;
use super::step::{Reg, Step};
use crate::op::CoreOp;
use iced_x86::Code;

const EQUAL: u8 = 0;

/// Quotient or remainder.
pub(super) fn lower(e: &mut Emitter<'_>, op: CoreOp, args: &[Value], lane: Lane) -> Lowered {
    if lane.wide() {
        return Ok(divided(e, op, args[0].parts(), args[1].parts(), lane));
    }
    let (a, b) = (args[0].parts()[0], args[1].parts()[0]);
    let zero = e.int(lane, 0);
    let mut flag = compare(e, lane, b, zero, EQUAL, None);
    if op == CoreOp::Div && lane.kind == Kind::Signed {
        let (lowest, minus_one) = (e.int(lane, lane.range().0), e.int(lane, -1));
        let first = compare(e, lane, a, lowest, EQUAL, None);
        let both = compare(e, lane, b, minus_one, EQUAL, Some(first));
        flag = e.or(flag, both);
    }
    let quotient = quotient(e, lane, a, b);
    let value = if op == CoreOp::Div {
        quotient
    } else {
        let product = plain(e, CoreOp::Mul, lane, quotient, b);
        plain(e, CoreOp::Sub, lane, a, product)
    };
    Ok((Data::Lanes(vec![value]), Some(flag)))
}

/// Quotient or remainder of 64-bit integers, by rows; where it would fault the divisor is 1.
fn divided(e: &mut Emitter<'_>, op: CoreOp, a: &[Reg], b: &[Reg], lane: Lane) -> (Data, Option<Reg>) {
    let (zero, one, minus_one) = (e.int(lane, 0), e.int(lane, 1), e.int(lane, -1));
    let lowest = e.int(lane, lane.range().0);
    let (mut zeros, mut divisors) = (Vec::with_capacity(2), Vec::with_capacity(2));
    for (&a, &b) in a.iter().zip(b) {
        let none = compare(e, lane, b, zero, EQUAL, None);
        let mut replaced = none;
        let mut faults = none;
        if lane.kind == Kind::Signed {
            let first = compare(e, lane, a, lowest, EQUAL, None);
            let both = compare(e, lane, b, minus_one, EQUAL, Some(first));
            replaced = e.or(none, both);
            faults = if op == CoreOp::Div { replaced } else { none };
        }
        zeros.push(faults);
        divisors.push(e.blend(lane, 0, replaced, one, b));
    }
    let flag = e.whole_mask(&zeros);
    let value = scalar::divided(e, lane, a, &divisors, op == CoreOp::Rem);
    (Data::Lanes(value), Some(flag))
}

fn quotient(e: &mut Emitter<'_>, lane: Lane, a: Reg, b: Reg) -> Reg {
    let signed = lane.kind == Kind::Signed;
    let (from, to) = if signed {
        (Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae)
    } else {
        (Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er, Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae)
    };
    let (a, b) = (halves(e, a), halves(e, b));
    let mut parts = [a[0]; 2];
    for part in 0..2 {
        let doubles = [a[part], b[part]].map(|half| {
            let dst = e.vector();
            e.push(Step::new(from).def(dst).read_half(half));
            dst
        });
        let ratio = e.op2(Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, doubles[0], doubles[1]);
        let whole = e.vector();
        e.push(Step::new(to).def_half(whole).read(ratio));
        parts[part] = whole;
    }
    join(e, parts)
}

/// The product of 32-bit integers, computed in 64.
pub(super) fn checked_product(e: &mut Emitter<'_>, args: &[Value], lane: Lane) -> Lowered {
    if lane.wide() {
        let (products, flag) = scalar::multiplied(e, lane, args[0].parts(), args[1].parts());
        return Ok((Data::Lanes(products), Some(flag)));
    }
    let (a, b) = (widened(e, lane, args[0].parts()[0]), widened(e, lane, args[1].parts()[0]));
    let wide = Lane { bits: 64, ..lane };
    let (low, high) = lane.range();
    let (mut products, mut flags) = ([a[0]; 2], Vec::with_capacity(2));
    for part in 0..2 {
        products[part] = plain(e, CoreOp::Mul, wide, a[part], b[part]);
        flags.extend(outside(e, wide, products[part], low, high));
    }
    let value = narrowed(e, products);
    Ok((Data::Lanes(vec![value]), Some(e.whole_mask(&flags))))
}
