//! `simplify`: algebra that keeps the numeric contract bit for bit.
//!
//! Floats are never reassociated; `x + 0.0` is not `x` (it is +0 for −0) but `x + −0.0` is; `x - x` is not 0 for floats
//! (NaN, infinity); `x * 0` is 0 for integers without nulls alone. What stands for a value has exactly its type, so
//! nothing else changes. A rule may drop an operand together with its errors, never need one more.

use super::fold_constants::constant;
use crate::body::{Body, Inst, ValueId};
use crate::op::{Op, cast_exists};
use crate::plan::Plan;
use crate::rewrite::edit::{rewrite_values, tidy};
use crate::rewrite::{Renamed, Rewrite, Writer};
use crate::types::{DType, Scalar, Type};

pub(super) fn run(plan: &Plan) -> Plan {
    tidy(&rewrite_values(plan, &mut Simplify))
}

struct Simplify;

impl Rewrite for Simplify {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let simpler = if let Inst::Call { op, args } = &inst { simpler(out.body(), *op, args, ty) } else { None };
        match simpler {
            Some(Simpler::Value(v)) if out.body().ty(v) == ty => v,
            Some(Simpler::Inst(inst)) => out.append(inst, ty),
            Some(Simpler::Value(_)) | None => out.append(inst, ty),
        }
    }
}

/// The replacement of an operation.
enum Simpler {
    /// A value that is there, if it has the operation's type.
    Value(ValueId),
    /// Another instruction of the operation's type.
    Inst(Inst),
}

impl Simpler {
    fn constant(value: Scalar) -> Simpler {
        Simpler::Inst(Inst::Const(Some(value)))
    }

    fn call(op: Op, args: &[ValueId]) -> Simpler {
        Simpler::Inst(Inst::Call { op, args: args.to_vec() })
    }
}

fn simpler(body: &Body, op: Op, args: &[ValueId], ty: Type) -> Option<Simpler> {
    let look = Look { body, ty };
    match (op, args) {
        (Op::Add | Op::CheckedAdd, &[a, b]) => look.sum(a, b),
        (Op::Sub | Op::CheckedSub, &[a, b]) => look.difference(a, b),
        (Op::Mul | Op::CheckedMul, &[a, b]) => look.product(a, b),
        (Op::Div, &[a, b]) => look.is_one(b).then_some(Simpler::Value(a)),
        (Op::Neg | Op::Not | Op::BitNot, &[a]) => look.twice(op, a).or_else(|| look.negated_comparison(op, a)),
        (Op::And, &[a, b]) => look.and_or(a, b, true),
        (Op::Or, &[a, b]) => look.and_or(a, b, false),
        (Op::Select, &[condition, a, b]) => look.select(condition, a, b),
        (Op::Coalesce, &[a, b]) => look.coalesce(a, b),
        (Op::IsNull, &[a]) => (!body.ty(a).nullable).then_some(Simpler::constant(Scalar::Bool(false))),
        (Op::Cast | Op::CastSaturating, &[a]) => look.cast(op, a),
        (Op::Eq | Op::Le | Op::Ge, &[a, b]) => look.compared_with_itself(a, b, true),
        (Op::Ne | Op::Lt | Op::Gt, &[a, b]) => look.compared_with_itself(a, b, false),
        (Op::Least | Op::Greatest | Op::BitAnd | Op::BitOr, &[a, b]) => (a == b).then_some(Simpler::Value(a)),
        (Op::BitXor, &[a, b]) => (a == b).then(|| look.zero()).flatten(),
        _ => None,
    }
}

/// An operation's surroundings.
struct Look<'a> {
    body: &'a Body,
    /// The type of the operation's result.
    ty: Type,
}

impl Look<'_> {
    fn value(&self, v: ValueId) -> Option<Scalar> {
        constant(self.body, v).flatten()
    }

    fn is_bool(&self, v: ValueId, wanted: bool) -> bool {
        self.value(v) == Some(Scalar::Bool(wanted))
    }

    /// 1, as an integer or a float. A decimal's constant is unscaled, and its arithmetic changes the type.
    fn is_one(&self, v: ValueId) -> bool {
        match self.value(v) {
            Some(Scalar::F32(value)) => value == 1.0,
            Some(Scalar::F64(value)) => value == 1.0,
            Some(value) => self.ty.dtype.is_integer() && value.as_integer() == Some(1),
            None => false,
        }
    }

    fn is_integer_zero(&self, v: ValueId) -> bool {
        self.ty.dtype.is_integer() && self.value(v).and_then(Scalar::as_integer) == Some(0)
    }

    /// Exactly this float zero: +0 and −0 differ.
    fn is_float_zero(&self, v: ValueId, negative: bool) -> bool {
        match self.value(v) {
            Some(Scalar::F32(value)) => value == 0.0 && value.is_sign_negative() == negative,
            Some(Scalar::F64(value)) => value == 0.0 && value.is_sign_negative() == negative,
            Some(_) | None => false,
        }
    }

    /// Zero in place of an integer that is never null.
    fn zero(&self) -> Option<Simpler> {
        let fits = self.ty.dtype.is_integer() && !self.ty.nullable;
        fits.then(|| Simpler::constant(self.ty.dtype.repr().zero()))
    }

    fn sum(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        let neutral = |v| self.is_integer_zero(v) || self.is_float_zero(v, true);
        if neutral(b) {
            return Some(Simpler::Value(a));
        }
        neutral(a).then_some(Simpler::Value(b))
    }

    fn difference(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        if self.is_integer_zero(b) || self.is_float_zero(b, false) {
            return Some(Simpler::Value(a));
        }
        (a == b).then(|| self.zero()).flatten()
    }

    fn product(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        if self.is_one(b) {
            return Some(Simpler::Value(a));
        }
        if self.is_one(a) {
            return Some(Simpler::Value(b));
        }
        (self.is_integer_zero(a) || self.is_integer_zero(b)).then(|| self.zero()).flatten()
    }

    /// The operands of an operation, if the value is that operation.
    fn under(&self, op: Op, v: ValueId) -> Option<&[ValueId]> {
        if let Inst::Call { op: found, args } = self.body.inst(v)
            && *found == op
        {
            return Some(args);
        }
        None
    }

    /// An operation that undoes itself.
    fn twice(&self, op: Op, a: ValueId) -> Option<Simpler> {
        self.under(op, a).map(|args| Simpler::Value(args[0]))
    }

    /// The order is total (NaN included), so the negation of a comparison is the other comparison; nulls stay null.
    fn negated_comparison(&self, op: Op, a: ValueId) -> Option<Simpler> {
        const OPPOSITES: [(Op, Op); 6] = [
            (Op::Eq, Op::Ne),
            (Op::Ne, Op::Eq),
            (Op::Lt, Op::Ge),
            (Op::Ge, Op::Lt),
            (Op::Gt, Op::Le),
            (Op::Le, Op::Gt),
        ];
        let negated = |(from, to): (Op, Op)| self.under(from, a).map(|args| Simpler::call(to, args));
        if op == Op::Not { OPPOSITES.into_iter().find_map(negated) } else { None }
    }

    /// `and` (neutral: true) or `or` (neutral: false) with a constant or with itself.
    fn and_or(&self, a: ValueId, b: ValueId, neutral: bool) -> Option<Simpler> {
        if a == b || self.is_bool(b, neutral) {
            return Some(Simpler::Value(a));
        }
        if self.is_bool(a, neutral) {
            return Some(Simpler::Value(b));
        }
        (self.is_bool(a, !neutral) || self.is_bool(b, !neutral)).then_some(Simpler::constant(Scalar::Bool(!neutral)))
    }

    fn select(&self, condition: ValueId, a: ValueId, b: ValueId) -> Option<Simpler> {
        match constant(self.body, condition) {
            Some(Some(Scalar::Bool(true))) => return Some(Simpler::Value(a)),
            Some(_) => return Some(Simpler::Value(b)),
            None => {}
        }
        if a == b {
            return Some(Simpler::Value(a));
        }
        let itself = !self.body.ty(condition).nullable && self.is_bool(a, true) && self.is_bool(b, false);
        itself.then_some(Simpler::Value(condition))
    }

    fn coalesce(&self, a: ValueId, b: ValueId) -> Option<Simpler> {
        if constant(self.body, a) == Some(None) {
            return Some(Simpler::Value(b));
        }
        (a == b || !self.body.ty(a).nullable).then_some(Simpler::Value(a))
    }

    /// To the same type, or from a value that was widened without loss just before.
    fn cast(&self, op: Op, a: ValueId) -> Option<Simpler> {
        let to = self.ty.dtype;
        if self.body.ty(a).dtype == to {
            return Some(Simpler::Value(a));
        }
        let inner = self.under(Op::Cast, a).or_else(|| self.under(Op::CastSaturating, a))?[0];
        let from = self.body.ty(inner).dtype;
        if !widens(from, self.body.ty(a).dtype) {
            return None;
        }
        if from == to {
            return Some(Simpler::Value(inner));
        }
        cast_exists(from, to).then(|| Simpler::call(op, &[inner]))
    }

    fn compared_with_itself(&self, a: ValueId, b: ValueId, answer: bool) -> Option<Simpler> {
        (a == b && !self.ty.nullable).then_some(Simpler::constant(Scalar::Bool(answer)))
    }
}

/// Whether every value of one type is a value of the other, so that casting on gives the same from either. Not for
/// integers as floats: a decimal made of one takes another path.
fn widens(from: DType, to: DType) -> bool {
    let integers = (from.is_integer() || from == DType::Bool) && to.is_integer();
    let floats = from == DType::F32 && to == DType::F64;
    floats || integers && !Op::Cast.can_fault(&[from.required()], to.required())
}
