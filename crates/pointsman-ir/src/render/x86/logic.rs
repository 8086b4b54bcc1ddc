//! Emits the operations that treat nulls specially: three-valued logic, selections and null tests. Returns `None` for
//! the operations that are null whenever an operand is.

use super::NotEmitted;
use super::compare::{UNORDERED, compare};
use super::emitter::{Emitter, Lane};
use super::lower::{Data, Value};
use super::step::Reg;
use crate::op::CoreOp;
use crate::types::{NAN_F32, NAN_F64, Type};

/// The value of an operation that handles nulls itself.
pub(super) fn lower(
    e: &mut Emitter<'_>,
    op: CoreOp,
    args: &[Value],
    types: &[Type],
) -> Result<Option<Value>, NotEmitted> {
    let truth = |position: usize| {
        args[position].mask().ok_or_else(|| NotEmitted::new(format!("`{}` of what is no truth value", op.name())))
    };
    if op == CoreOp::And || op == CoreOp::Or {
        let (a, b) = (truth(0)?, truth(1)?);
        return Ok(Some(either(e, op == CoreOp::Or, (a, args[0].valid), (b, args[1].valid))));
    }
    if op == CoreOp::Not {
        return Ok(Some(Value::truth(e.not(truth(0)?), args[0].valid)));
    }
    if op == CoreOp::IsNull {
        let null = match args[0].valid {
            Some(valid) => e.not(valid),
            None => e.fixed_mask(0),
        };
        return Ok(Some(Value::truth(null, None)));
    }
    if op == CoreOp::Select {
        let condition = e.both(Some(truth(0)?), args[0].valid).unwrap_or(truth(0)?);
        let data = choose(e, condition, &args[1], &args[2], types[1])?;
        let valid = match (args[1].valid, args[2].valid) {
            (None, None) => None,
            (Some(yes), Some(no)) => Some(choose_mask(e, condition, yes, no)),
            // (condition and valid) or not condition; and the other way round.
            (Some(yes), None) => {
                let no = e.not(condition);
                Some(e.or(yes, no))
            }
            (None, Some(no)) => Some(e.or(condition, no)),
        };
        return Ok(Some(Value { data, valid, flag: None, is_number: false }));
    }
    if op == CoreOp::Coalesce {
        let Some(first) = args[0].valid else { return Ok(Some(Value { flag: None, ..args[0].clone() })) };
        let data = choose(e, first, &args[0], &args[1], types[0])?;
        let valid = args[1].valid.map(|second| e.or(first, second));
        return Ok(Some(Value { data, valid, flag: None, is_number: false }));
    }
    Ok(None)
}

type Masked = (Reg, Option<Reg>);

/// Three-valued and, and or: the decisive value wins, then null.
fn either(e: &mut Emitter<'_>, or: bool, (a, a_valid): Masked, (b, b_valid): Masked) -> Value {
    if a_valid.is_none() && b_valid.is_none() {
        return Value::truth(if or { e.or(a, b) } else { e.and(a, b) }, None);
    }
    let all = e.fixed_mask(0xffff);
    let (a_valid, b_valid) = (a_valid.unwrap_or(all), b_valid.unwrap_or(all));
    let mut valid = e.and(a_valid, b_valid);
    for (value, known) in [(a, a_valid), (b, b_valid)] {
        let decided = if or { e.and(known, value) } else { e.without(known, value) };
        valid = e.or(valid, decided);
    }
    if !or {
        return Value::truth(e.and(a, b), Some(valid));
    }
    let (a, b) = (e.and(a, a_valid), e.and(b, b_valid));
    Value::truth(e.or(a, b), Some(valid))
}

fn choose_mask(e: &mut Emitter<'_>, condition: Reg, yes: Reg, no: Reg) -> Reg {
    let (yes, no) = (e.and(condition, yes), e.without(no, condition));
    e.or(yes, no)
}

fn choose(e: &mut Emitter<'_>, condition: Reg, yes: &Value, no: &Value, ty: Type) -> Result<Data, NotEmitted> {
    if let (Some(yes), Some(no)) = (yes.mask(), no.mask()) {
        return Ok(Data::Truth(choose_mask(e, condition, yes, no)));
    }
    let lane = Lane::moved(ty.dtype.repr()).ok_or_else(super::lower::wide_integers)?;
    let mut parts = Vec::with_capacity(lane.parts());
    for part in 0..lane.parts() {
        parts.push(e.blend(lane, part, condition, yes.parts()[part], no.parts()[part]));
    }
    Ok(Data::Lanes(parts))
}

/// Whether lanes differ from themselves: NaNs.
pub(super) fn nans(e: &mut Emitter<'_>, lane: Lane, part: Reg) -> Reg {
    unordered(e, lane, part, part, None)
}

/// Whether one of two is a NaN, in the lanes of a mask.
pub(super) fn unordered(e: &mut Emitter<'_>, lane: Lane, a: Reg, b: Reg, under: Option<Reg>) -> Reg {
    compare(e, lane, a, b, UNORDERED, under)
}

/// The NaN that leaves a kernel.
pub(super) fn canonical_nan(e: &mut Emitter<'_>, lane: Lane) -> Reg {
    e.int(lane, nan_bits(lane))
}

/// The bits of the NaN that leaves a kernel.
pub(super) fn nan_bits(lane: Lane) -> i128 {
    if lane.wide() { NAN_F64.into() } else { NAN_F32.into() }
}
