//! Null tests need validity, not values: `is_null(checked_mul(x, y))` asks whether `x` or `y` is null, and a product that
//! overflows is no fault there.
//!
//! Without this, whether a row faults would depend on other rows: where no row is null, the test is a constant and the
//! product is never computed; with one null anywhere, the product would be needed in every row.
//!
//! | operand | when it is null |
//! | --- | --- |
//! | an operation that is null as soon as one operand is | if an operand is null |
//! | `coalesce(a, b)` | if both are null |
//! | `select(c, a, b)` | null if both `a` and `b` are null; not null if neither is; otherwise decided by the value of `c` |
//! | `and(a, b)`, `or(a, b)` | null if both operands are; not null if neither is; otherwise decided by the value of the other |
//! | a look-up in a captured table | if its position is null |
//! | the state of a loop | not null if nothing that the loop reads is; otherwise decided by the value |
//! | a value of another table | decided by the value |
//!
//! Only the rows where the value decides need it. Only operands that can fault are rewritten.

use crate::body::{Body, Inst, ValueId};
use crate::kernel::Kernel;
use crate::op::Op;
use crate::rewrite::{Renamed, Rewrite, Writer, copy, may_fault, needed};
use crate::types::{DType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Rewrites the null tests of a kernel.
pub(super) fn rewrite(kernel: Kernel) -> Kernel {
    let tests = |inst: &Inst| matches!(inst, Inst::Call { op: Op::IsNull, .. });
    let can_fault = |v: ValueId| may_fault(&kernel.body, v);
    if !kernel.body.iter().any(|(_, inst, _)| tests(inst)) || !kernel.body.iter().any(|(v, ..)| can_fault(v)) {
        return kernel;
    }
    // Probes drop rows even if nothing uses what they found.
    let probes = kernel.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Probe { .. })).map(|(v, ..)| v);
    let roots: Vec<ValueId> = kernel.roots().into_iter().chain(probes).collect();
    // Copy twice: the second copy drops operands that only null tests used.
    let once = rewrite_with(&kernel, &roots, &mut NullTests);
    let probes = once.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Probe { .. })).map(|(v, ..)| v);
    let roots: Vec<ValueId> = once.roots().into_iter().chain(probes).collect();
    rewrite_with(&once, &roots, &mut crate::rewrite::Keep)
}

fn rewrite_with(kernel: &Kernel, roots: &[ValueId], rule: &mut dyn Rewrite) -> Kernel {
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    copy(&kernel.body, roots, &mut out, &mut names, rule);
    Kernel {
        mask: kernel.mask.map(|v| names.get(v)),
        sink: kernel.sink.map_operands(|v| names.get(v)),
        body: out.finish(),
        ..kernel.clone()
    }
}

struct NullTests;

impl Rewrite for NullTests {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        if let Inst::Call { op: Op::IsNull, args } = &inst
            && needed(out.body(), args, &Renamed::new()).into_iter().any(|v| may_fault(out.body(), v))
        {
            return is_null(out, args[0]);
        }
        out.push(inst, ty)
    }
}

/// Writes whether a value is null. Visits the values in definition order instead of recursing.
fn is_null(out: &mut Writer, of: ValueId) -> ValueId {
    let mut nulls: BTreeMap<ValueId, ValueId> = BTreeMap::new();
    for v in tested(out, of) {
        let test = write_test(out, v, &nulls);
        nulls.insert(v, test);
    }
    nulls[&of]
}

/// The value and all values whose null tests its own test is made of, in order.
fn tested(out: &Writer, of: ValueId) -> BTreeSet<ValueId> {
    let mut tested = BTreeSet::new();
    let mut left = vec![of];
    while let Some(v) = left.pop() {
        if tested.insert(v) && out.body().ty(v).nullable {
            left.extend(tested_operands(out, v));
        }
    }
    tested
}

/// The operands that a value's null test looks at.
fn tested_operands(out: &Writer, v: ValueId) -> Vec<ValueId> {
    match out.body().inst(v) {
        Inst::Call { op: Op::Select, args } => args[1..].to_vec(),
        Inst::Call { args, .. } => args.clone(),
        Inst::Lookup { index, .. } => vec![*index],
        Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => Vec::new(),
        Inst::LoopResult { of, .. } => LoopReads::of(out.body(), *of).outside,
        Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => Vec::new(),
        Inst::LoopIndex(_) | Inst::LoopCarried { .. } => Vec::new(),
    }
}

/// What a loop reads that may be null.
#[derive(Default)]
struct LoopReads {
    /// Values from outside the loop.
    outside: Vec<ValueId>,
    /// Columns and scalars that are read inside the loop.
    inside: Vec<(Inst, Type)>,
    /// Whether its own instructions make nulls.
    makes_nulls: bool,
}

impl LoopReads {
    fn of(body: &Body, of: ValueId) -> LoopReads {
        let mut reads = LoopReads::default();
        let Inst::Loop { end, .. } = body.inst(of) else { return reads };
        for v in (of.0..*end).map(ValueId) {
            let (inst, ty) = (body.inst(v), body.ty(v));
            let operands = inst.operands();
            let nullable = |operand: &&ValueId| body.ty(**operand).nullable;
            reads.outside.extend(operands.iter().filter(|operand| **operand < of).filter(nullable));
            match inst {
                Inst::Column(_) | Inst::Param(_) if ty.nullable => reads.inside.push((inst.clone(), ty)),
                Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => {}
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => reads.makes_nulls |= ty.nullable,
                Inst::Call { .. } | Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Probe { .. } => {
                    reads.makes_nulls |= ty.nullable && !operands.iter().any(|operand| nullable(&operand));
                }
            }
        }
        reads
    }
}

/// Writes the null test of a value whose tested operands have theirs.
fn write_test(out: &mut Writer, v: ValueId, nulls: &BTreeMap<ValueId, ValueId>) -> ValueId {
    if !out.body().ty(v).nullable {
        return out.truth(false);
    }
    let inst = out.body().inst(v).clone();
    let tests: Vec<ValueId> = tested_operands(out, v).iter().map(|operand| nulls[operand]).collect();
    match inst {
        Inst::Call { op: Op::Select, args } => {
            // The condition tells which branch is taken; the value of that branch is not needed.
            let taken = call(out, Op::Select, &[args[0], tests[0], tests[1]]);
            where_one_is_null(out, &tests, taken)
        }
        Inst::Call { op: op @ (Op::And | Op::Or), args } => {
            // The operand that is not null decides; the null one may be made of values that fault.
            let other = Inst::Call { op: Op::Select, args: vec![tests[0], args[1], args[0]] };
            let other = out.push(other, DType::Bool.nullable());
            let never = out.truth(false);
            let other = call(out, Op::Coalesce, &[other, never]);
            let undecided = if op == Op::And { other } else { call(out, Op::Not, &[other]) };
            where_one_is_null(out, &tests, undecided)
        }
        Inst::Call { op: Op::Coalesce, .. } => call(out, Op::And, &tests),
        Inst::Call { .. } | Inst::Lookup { .. } => {
            let any = tests.iter().copied().reduce(|any, test| call(out, Op::Or, &[any, test]));
            any.unwrap_or_else(|| out.truth(false))
        }
        Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => test_value(out, v),
        Inst::LoopResult { of, .. } => {
            let LoopReads { inside, makes_nulls, .. } = LoopReads::of(out.body(), of);
            if makes_nulls {
                return test_value(out, v);
            }
            let mut tests = tests;
            for (inst, ty) in inside {
                let read = out.push(inst, ty);
                tests.push(test_value(out, read));
            }
            let any = tests.into_iter().reduce(|any, test| call(out, Op::Or, &[any, test]));
            let any = any.unwrap_or_else(|| out.truth(false));
            let (tested, never) = (test_value(out, v), out.truth(false));
            call(out, Op::Select, &[any, tested, never])
        }
        Inst::Gather { .. } | Inst::Probe { .. } | Inst::Loop { .. } => test_value(out, v),
        Inst::LoopIndex(_) | Inst::LoopCarried { .. } => test_value(out, v),
    }
}

/// The null test of two operands: `test` where exactly one of them is null, else whether both are.
fn where_one_is_null(out: &mut Writer, tests: &[ValueId], test: ValueId) -> ValueId {
    let (either, both) = (call(out, Op::Or, tests), call(out, Op::And, tests));
    let not_both = call(out, Op::Not, &[both]);
    let exactly_one = call(out, Op::And, &[either, not_both]);
    call(out, Op::Select, &[exactly_one, test, both])
}

/// The null test that computes the value.
fn test_value(out: &mut Writer, v: ValueId) -> ValueId {
    out.push(Inst::Call { op: Op::IsNull, args: vec![v] }, DType::Bool.required())
}

/// An operation on truth values that are never null.
fn call(out: &mut Writer, op: Op, args: &[ValueId]) -> ValueId {
    out.push(Inst::Call { op, args: args.to_vec() }, DType::Bool.required())
}
