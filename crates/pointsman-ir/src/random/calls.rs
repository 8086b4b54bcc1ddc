//! Random operations. One that can fault is guarded in one of several ways, so that most kernels give a result: its
//! operands are moved into a safe range, or it stands on a branch that is taken (or in rows that are selected) only
//! where they are. A few are left as they are.

use super::classes::DTypeClass;
use super::expr::Exprs;
use super::profile::{CastPair, Triple};
use super::ranges::{self, Range};
use crate::body::{Inst, ValueId};
use crate::op::Op;
use crate::types::{DType, Scalar, Type};

/// How an operation is guarded against faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    /// Its operands are moved into the safe range.
    Clamp,
    /// It is needed only where its operands are in the safe range.
    Branch,
    /// Rows where its operands are outside the safe range are not selected.
    Mask,
    /// Nothing.
    Nothing,
}

impl Exprs<'_> {
    /// Appends a random operation on values that can be seen.
    pub(super) fn random_call(&mut self) -> Option<ValueId> {
        let first = match self.seen(|_| true) {
            Some(v) if self.rng.chance(90) => v,
            Some(_) | None => {
                let ty = Type { dtype: self.any_dtype(), nullable: self.rng.chance(45) };
                self.leaf(ty)?
            }
        };
        let ty = self.ty(first);
        let class = DTypeClass::of(ty.dtype);
        let triples = &self.profile.wanted().triples;
        let ops: Vec<Op> =
            triples.iter().filter(|&&(_, c, n)| (c, n) == (class, ty.nullable)).map(|&(op, _, _)| op).collect();
        let mut op = self.rng.pick(&ops);
        if gives_bool(op) && ops.len() > 12 && self.rng.chance(60) {
            op = self.rng.pick(&ops);
        }
        // A third of what floats can do is elementary, and each is worth tens of others.
        for _ in 0..3 {
            op = if op.is_elementary() { self.rng.pick(&ops) } else { op };
        }
        self.apply(op, first, None)
    }

    /// Appends a given operation on an operand of a given kind.
    pub(super) fn asked_call(&mut self, (op, class, nullable): Triple) -> Option<ValueId> {
        let first = self.asked_operand(class, nullable)?;
        (0..4).find_map(|_| self.apply(op, first, None))
    }

    /// Appends a given conversion.
    pub(super) fn asked_cast(&mut self, (op, from, to): CastPair, nullable: bool) -> Option<ValueId> {
        let first = self.asked_operand(from, nullable)?;
        let from = self.ty(first).dtype;
        let targets: Vec<DType> = to.samples().iter().copied().filter(|&to| op.converts(from, to)).collect();
        let target = if targets.is_empty() { from } else { self.rng.pick(&targets) };
        self.apply(op, first, Some(target))
    }

    fn asked_operand(&mut self, class: DTypeClass, nullable: bool) -> Option<ValueId> {
        let known = self.seen(|ty| DTypeClass::of(ty.dtype) == class && ty.nullable == nullable);
        match known {
            Some(v) if self.rng.chance(60) => Some(v),
            Some(_) | None => {
                let dtype = self.rng.pick(class.samples());
                self.operand(dtype, Some(nullable)).or(known)
            }
        }
    }

    /// Appends `op` with `first` as its first operand (of `select`: its second), the others random, guarded.
    fn apply(&mut self, op: Op, first: ValueId, target: Option<DType>) -> Option<ValueId> {
        let dtype = self.ty(first).dtype;
        let target = if op.is_cast() { Some(target.unwrap_or_else(|| self.cast_target(op, dtype))) } else { None };
        let mut args = vec![first];
        if op == Op::Select {
            args.insert(0, self.condition());
        }
        while args.len() < op.arity() {
            let same = op.operand_type(dtype, args.len());
            let other = if dtype.is_decimal() && op == Op::Mul { self.factor(dtype) } else { same };
            args.push(self.operand(other, None)?);
        }
        let v = self.guarded(op, &args, target)?;
        Some(self.show(v))
    }

    /// A decimal type whose product with this one exists.
    fn factor(&mut self, same: DType) -> DType {
        let fits = |other: DType| Op::Mul.result_type(&[same.required(), other.required()], None).is_ok();
        let samples = [DTypeClass::Decimal64, DTypeClass::Decimal128].into_iter().flat_map(|class| class.samples());
        let mut types: Vec<DType> = samples.copied().chain([same]).filter(|&other| fits(other)).collect();
        types.retain(|&other| self.allows(other));
        if types.is_empty() { same } else { self.rng.pick(&types) }
    }

    fn cast_target(&mut self, op: Op, from: DType) -> DType {
        let classes = self.profile.classes().iter().flat_map(|class| class.samples());
        let targets: Vec<DType> = classes.copied().filter(|&to| op.converts(from, to)).collect();
        if targets.is_empty() { from } else { self.rng.pick(&targets) }
    }

    /// Appends an operation, guarded if it can fault.
    pub(super) fn guarded(&mut self, op: Op, args: &[ValueId], target: Option<DType>) -> Option<ValueId> {
        let types = self.body.types_of(args);
        let result = op.result_type(&types, target).ok().filter(|result| self.allows(result.dtype))?;
        if !op.can_fault(&types, result) {
            return self.call(op, args, target);
        }
        let ranges = ranges::safe(op, &types, result.dtype);
        match self.choose_guard() {
            Guard::Nothing => self.call(op, args, target),
            Guard::Clamp => {
                let odd = matches!(op, Op::Rem) || op == Op::Div && !types[0].dtype.is_signed_integer();
                let args =
                    if odd && self.rng.chance(50) { self.odd_divisor(args)? } else { self.clamped(args, &ranges)? };
                self.call(op, &args, target)
            }
            Guard::Mask => {
                let inside = self.inside(args, &ranges)?;
                self.mask_needs.extend(inside);
                self.call(op, args, target)
            }
            Guard::Branch => {
                let Some(inside) = self.inside(args, &ranges)? else { return self.call(op, args, target) };
                let raw = self.call(op, args, target)?;
                self.branch(inside, raw)
            }
        }
    }

    fn choose_guard(&mut self) -> Guard {
        if self.unguarded > 0 && self.rng.chance(40) {
            self.unguarded -= 1;
            return Guard::Nothing;
        }
        match self.rng.below(10) {
            0 if self.loop_depth == 0 && self.mask_guards => Guard::Mask,
            1..4 => Guard::Branch,
            _ => Guard::Clamp,
        }
    }

    /// The value where the condition holds, something else where it does not.
    fn branch(&mut self, inside: ValueId, raw: ValueId) -> Option<ValueId> {
        let dtype = self.ty(raw).dtype;
        if self.rng.chance(20) && dtype.is_ordered() {
            let other = self.operand(dtype, None)?;
            let compared = self.call(Op::Le, &[raw, other], None)?;
            return self.call(Op::And, &[inside, compared], None);
        }
        let fallback = self.operand(dtype, None)?;
        self.call(Op::Select, &[inside, raw, fallback], None)
    }

    /// `divisor | 1`: never zero.
    fn odd_divisor(&mut self, args: &[ValueId]) -> Option<Vec<ValueId>> {
        let dtype = self.ty(args[1]).dtype;
        let one = self.baked(Scalar::from_integer(dtype.repr(), 1)?, dtype);
        Some(vec![args[0], self.call(Op::BitOr, &[args[1], one], None)?])
    }

    fn baked(&mut self, value: Scalar, dtype: DType) -> ValueId {
        self.add(Inst::Const(Some(value)), dtype.required())
    }

    /// The operands, each moved into its range.
    pub(super) fn clamped(&mut self, args: &[ValueId], ranges: &[Range]) -> Option<Vec<ValueId>> {
        let mut moved = Vec::new();
        for (&arg, range) in args.iter().zip(ranges) {
            let dtype = self.ty(arg).dtype;
            moved.push(match *range {
                None => arg,
                Some((low, high)) => {
                    let (low, high) = (self.baked(low, dtype), self.baked(high, dtype));
                    self.call(Op::Clamp, &[arg, low, high], None)?
                }
            });
        }
        Some(moved)
    }

    /// Whether every operand is in its range; the inner `None` where any value is.
    fn inside(&mut self, args: &[ValueId], ranges: &[Range]) -> Option<Option<ValueId>> {
        let mut all: Option<ValueId> = None;
        for (&arg, range) in args.iter().zip(ranges) {
            let Some((low, high)) = *range else { continue };
            let dtype = self.ty(arg).dtype;
            for (op, bound) in [(Op::Ge, low), (Op::Le, high)] {
                let bound = self.baked(bound, dtype);
                let holds = self.call(op, &[arg, bound], None)?;
                all = Some(match all {
                    None => holds,
                    Some(before) => self.call(Op::And, &[before, holds], None)?,
                });
            }
        }
        Some(all)
    }
}

/// Whether the result is a truth value whatever the operands.
fn gives_bool(op: Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::IsNull | Op::IsNan)
        || matches!(op, Op::IeeeEq | Op::IeeeLt | Op::IeeeLe)
}
