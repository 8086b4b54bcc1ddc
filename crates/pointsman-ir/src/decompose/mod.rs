//! Replaces composite operations by core ones: rewrites a kernel as one with the same meaning, by definition, and no
//! composite operation. Every device runs the rewritten kernel, so all exact devices give the same bits.
//!
//! An elementary function is written once, for both float types, in `+ - * fma / sqrt`, comparisons, selections,
//! integer and bit operations; an operation on integers once for all their types. No formula faults or reads a table.
//! Inside a function no value is null: a null operand is replaced before it, and the null is restored after it. Work that
//! few rows need (the reduction of a large angle) is in a loop of at most one iteration, which a device skips if no row
//! needs it.

mod build;
mod exp;
mod float;
mod hyperbolic;
mod integer;
mod inverse_trig;
mod log;
mod power;
mod special;
mod trig;

use crate::body::{Body, Inst, ValueId};
use crate::interpret::{self, Inputs};
use crate::kernel::{Kernel, Sink};
use crate::op::{CompositeOp, Lowering, Op};
use crate::rewrite::{Renamed, Rewrite, Writer, copy, may_fault};
use crate::types::{Scalar, Type};
use build::{Builder, X};
use std::collections::BTreeSet;

/// Returns the kernel without composite operations.
pub fn decompose(kernel: &Kernel) -> Kernel {
    if !is_needed(kernel) {
        return kernel.clone();
    }
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    let everything: Vec<ValueId> = kernel.body.iter().map(|(v, ..)| v).collect();
    copy(&kernel.body, &everything, &mut out, &mut names, &mut Decompose::default());
    Kernel {
        mask: kernel.mask.map(|v| names.get(v)),
        sink: kernel.sink.map_operands(|v| names.get(v)),
        body: out.finish(),
        ..kernel.clone()
    }
}

/// Whether the kernel calls a composite operation.
pub fn is_needed(kernel: &Kernel) -> bool {
    kernel.body.iter().any(|(_, inst, _)| matches!(inst, Inst::Call { op, .. } if op.core().is_none()))
}

#[derive(Default)]
struct Decompose {
    /// The values of the new kernel that can fault or depend on such values. The insides of loops are not analysed.
    faulty: BTreeSet<ValueId>,
}

impl Rewrite for Decompose {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let is_faulty = inst.operands().iter().any(|operand| self.faulty.contains(operand));
        let is_loop = matches!(inst, Inst::Loop { .. });
        let v = if let Inst::Call { op, args } = &inst
            && let Lowering::Composite(op) = op.lowering()
        {
            call(out, op, args, ty, is_faulty)
        } else {
            out.append(inst, ty)
        };
        if is_faulty || is_loop || may_fault(out.body(), v) {
            self.faulty.insert(v);
        }
        v
    }
}

/// Writes the formula of a composite operation. `is_faulty`: whether an operand may be faulty.
fn call(out: &mut Writer, op: CompositeOp, args: &[ValueId], ty: Type, is_faulty: bool) -> ValueId {
    let to = Builder::new(std::mem::take(out));
    let operands: Vec<X<'_>> = args.iter().map(|&v| to.value(v)).collect();
    let given: Vec<X<'_>> = operands.iter().map(|x| x.or_one()).collect();
    let value = function(op, &given);
    let nulls = operands.iter().filter(|x| x.is_nullable()).map(|x| x.is_null());
    let result = match nulls.reduce(|a, b| a.or(b)) {
        None => value,
        // The operation needs all operands even if one is null. Comparing the value with itself makes it needed.
        Some(null) if is_faulty => value.eq(value).and(null).choose(to.constant(None, ty), value),
        Some(null) => null.choose(to.constant(None, ty), value),
    };
    let v = result.id();
    *out = to.finish();
    v
}

fn function<'b>(op: CompositeOp, args: &[X<'b>]) -> X<'b> {
    let x = args[0];
    match op {
        CompositeOp::Exp => exp::exp(x),
        CompositeOp::Exp2 => exp::exp2(x),
        CompositeOp::Expm1 => exp::expm1(x),
        CompositeOp::Ln => log::ln(x),
        CompositeOp::Log2 => log::log2(x),
        CompositeOp::Log10 => log::log10(x),
        CompositeOp::Log1p => log::log1p(x),
        CompositeOp::Pow if x.dtype().is_integer() => integer::pow(x, args[1]),
        CompositeOp::Pow => power::pow(x, args[1]),
        CompositeOp::Sin => trig::sin(x),
        CompositeOp::Cos => trig::cos(x),
        CompositeOp::Tan => trig::tan(x),
        CompositeOp::Asin => inverse_trig::asin(x),
        CompositeOp::Acos => inverse_trig::acos(x),
        CompositeOp::Atan => inverse_trig::atan(x),
        CompositeOp::Atan2 => inverse_trig::atan2(x, args[1]),
        CompositeOp::Sinh => hyperbolic::sinh(x),
        CompositeOp::Cosh => hyperbolic::cosh(x),
        CompositeOp::Tanh => hyperbolic::tanh(x),
        CompositeOp::Erf => special::erf(x),
        CompositeOp::Cbrt => special::cbrt(x),
        CompositeOp::Hypot => special::hypot(x, args[1]),
        CompositeOp::CountOnes => integer::count_ones(x),
        CompositeOp::LeadingZeros => integer::leading_zeros(x),
        CompositeOp::TrailingZeros => integer::trailing_zeros(x),
        CompositeOp::RotateLeft => integer::rotate_left(x, args[1]),
        CompositeOp::RotateRight => integer::rotate_right(x, args[1]),
        CompositeOp::SaturatingAdd => integer::saturating_add(x, args[1]),
        CompositeOp::SaturatingSub => integer::saturating_sub(x, args[1]),
        CompositeOp::SaturatingMul => integer::saturating_mul(x, args[1]),
        CompositeOp::AbsDiff => integer::abs_diff(x, args[1]),
        CompositeOp::Midpoint if x.dtype().is_integer() => integer::midpoint(x, args[1]),
        CompositeOp::Midpoint => float::midpoint(x, args[1]),
        CompositeOp::Signum => float::signum(x),
        CompositeOp::IeeeEq => float::ieee_eq(x, args[1]),
        CompositeOp::IeeeLt => float::ieee_lt(x, args[1]),
        CompositeOp::IeeeLe => float::ieee_le(x, args[1]),
    }
}

/// Evaluates a composite operation by its formula.
pub(crate) fn value(op: Op, args: &[Option<Scalar>], arg_types: &[Type], result: Type) -> Option<Scalar> {
    let mut body = Body::new();
    let operands: Vec<ValueId> =
        args.iter().zip(arg_types).map(|(&value, &ty)| body.push(Inst::Const(value), ty)).collect();
    let v = body.push(Inst::Call { op, args: operands }, result);
    let sink = Sink::Store { columns: vec![v] };
    let kernel = Kernel { columns: vec![], params: vec![], lists: vec![], tables: vec![], body, mask: None, sink };
    let inputs = Inputs { columns: &[], params: &[], lists: &[], tables: &[], first_row: 0, rows: 1 };
    let table = interpret::run(&kernel, &inputs).expect("composite operations never fault");
    table.columns[0].get(0)
}
