//! `fold-constants`: an operation on baked values becomes its value, and a strict one with a baked null becomes null.
//!
//! Operations that would fault are left unchanged: the error belongs to the rows that need it, if there are any.

use crate::body::{Body, Inst, ValueId};
use crate::interpret::scalar;
use crate::op::Op;
use crate::plan::Plan;
use crate::rewrite::edit::{rewrite_values, tidy};
use crate::rewrite::{Renamed, Rewrite, Writer};
use crate::types::{Scalar, Type};

pub(super) fn run(plan: &Plan) -> Plan {
    tidy(&rewrite_values(plan, &mut FoldConstants))
}

struct FoldConstants;

impl Rewrite for FoldConstants {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let folded = if let Inst::Call { op, args } = &inst { fold(out.body(), *op, args, ty) } else { None };
        out.append(folded.map_or(inst, Inst::Const), ty)
    }
}

/// The value of an operation, if it is known; the inner `None` is null.
fn fold(body: &Body, op: Op, args: &[ValueId], ty: Type) -> Option<Option<Scalar>> {
    let constants: Vec<Option<Option<Scalar>>> = args.iter().map(|&arg| constant(body, arg)).collect();
    if op.is_strict() && constants.contains(&Some(None)) {
        return Some(None);
    }
    let values: Vec<Option<Scalar>> = constants.into_iter().collect::<Option<_>>()?;
    let value = scalar::call(op, &values, &body.types_of(args), ty).ok()?;
    // One NaN for all, so that the kernel does not depend on the machine that folds.
    (value.is_some() || ty.nullable).then(|| value.map(Scalar::canonical))
}

/// The value of a baked one; the inner `None` is null.
pub(super) fn constant(body: &Body, v: ValueId) -> Option<Option<Scalar>> {
    if let Inst::Const(value) = body.inst(v) { Some(*value) } else { None }
}
