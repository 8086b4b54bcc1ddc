//! Elementary functions become arithmetic: in goes a kernel, out comes one that means the same by definition and calls
//! no elementary function. Every device runs what comes out here, so all exact devices give the same bits.
//!
//! A function is written once, for both float types, in `+ - * fma / sqrt`, comparisons, selections, integer and bit
//! operations. Nothing here faults, and nothing is looked up. Inside a function no value is null: a null operand is
//! replaced before and the null is put back behind. What few rows need (the reduction of a large angle) stands in a
//! loop of at most one iteration, which a device skips where no row needs it.

mod build;
mod exp;
mod hyperbolic;
mod inverse_trig;
mod log;
mod power;
mod special;
mod trig;

use crate::body::{Body, Inst, ValueId};
use crate::interpret::{self, Inputs};
use crate::kernel::{Kernel, Sink};
use crate::op::Op;
use crate::rewrite::{Renamed, Rewrite, Writer, copy};
use crate::types::{Scalar, Type};
use build::{Builder, X};

/// The same kernel without elementary functions.
pub fn decompose(kernel: &Kernel) -> Kernel {
    if !is_needed(kernel) {
        return kernel.clone();
    }
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    let everything: Vec<ValueId> = kernel.body.iter().map(|(v, ..)| v).collect();
    copy(&kernel.body, &everything, &mut out, &mut names, &mut Decompose);
    Kernel {
        mask: kernel.mask.map(|v| names.get(v)),
        sink: kernel.sink.map_operands(|v| names.get(v)),
        body: out.finish(),
        ..kernel.clone()
    }
}

/// Whether the kernel calls an elementary function.
pub fn is_needed(kernel: &Kernel) -> bool {
    kernel.body.iter().any(|(_, inst, _)| matches!(inst, Inst::Call { op, .. } if op.is_elementary()))
}

struct Decompose;

impl Rewrite for Decompose {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        if let Inst::Call { op, args } = &inst
            && op.is_elementary()
        {
            return call(out, *op, args, ty);
        }
        out.append(inst, ty)
    }
}

/// Writes a function of these operands.
fn call(out: &mut Writer, op: Op, args: &[ValueId], ty: Type) -> ValueId {
    let to = Builder::new(std::mem::take(out));
    let operands: Vec<X<'_>> = args.iter().map(|&v| to.value(v)).collect();
    let given: Vec<X<'_>> = operands.iter().map(|x| x.or_one()).collect();
    let value = function(op, &given);
    let nulls = operands.iter().filter(|x| x.is_nullable()).map(|x| x.is_null());
    let result = match nulls.reduce(|a, b| a.or(b)) {
        None => value,
        Some(null) => null.choose(to.constant(None, ty), value),
    };
    let v = result.id();
    *out = to.finish();
    v
}

fn function<'b>(op: Op, args: &[X<'b>]) -> X<'b> {
    let x = args[0];
    match op {
        Op::Exp => exp::exp(x),
        Op::Exp2 => exp::exp2(x),
        Op::Expm1 => exp::expm1(x),
        Op::Ln => log::ln(x),
        Op::Log2 => log::log2(x),
        Op::Log10 => log::log10(x),
        Op::Log1p => log::log1p(x),
        Op::Pow => power::pow(x, args[1]),
        Op::Sin => trig::sin(x),
        Op::Cos => trig::cos(x),
        Op::Tan => trig::tan(x),
        Op::Asin => inverse_trig::asin(x),
        Op::Acos => inverse_trig::acos(x),
        Op::Atan => inverse_trig::atan(x),
        Op::Atan2 => inverse_trig::atan2(x, args[1]),
        Op::Sinh => hyperbolic::sinh(x),
        Op::Cosh => hyperbolic::cosh(x),
        Op::Tanh => hyperbolic::tanh(x),
        Op::Erf => special::erf(x),
        Op::Cbrt => special::cbrt(x),
        Op::Hypot => special::hypot(x, args[1]),
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Rem | Op::CheckedAdd | Op::CheckedSub | Op::CheckedMul => other(op),
        Op::Neg | Op::Abs | Op::Sign | Op::Sqrt | Op::Fma | Op::Floor | Op::Ceil | Op::Round | Op::Trunc => other(op),
        Op::Least | Op::Greatest | Op::Clamp | Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => other(op),
        Op::And | Op::Or | Op::Not | Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot | Op::Shl | Op::Shr => other(op),
        Op::Select | Op::Coalesce | Op::IsNull | Op::IsNan => other(op),
        Op::Cast | Op::CastSaturating | Op::Reinterpret => other(op),
    }
}

fn other(op: Op) -> ! {
    unreachable!("`{}` is no elementary function", op.name())
}

/// The value of an elementary function: what its arithmetic gives.
pub(crate) fn value(op: Op, args: &[Option<Scalar>], arg_types: &[Type], result: Type) -> Option<Scalar> {
    let mut body = Body::new();
    let operands: Vec<ValueId> =
        args.iter().zip(arg_types).map(|(&value, &ty)| body.push(Inst::Const(value), ty)).collect();
    let v = body.push(Inst::Call { op, args: operands }, result);
    let sink = Sink::Store { columns: vec![v] };
    let kernel = Kernel { columns: vec![], params: vec![], lists: vec![], tables: vec![], body, mask: None, sink };
    let inputs = Inputs { columns: &[], params: &[], lists: &[], tables: &[], first_row: 0, rows: 1 };
    let table = interpret::run(&kernel, &inputs).expect("elementary functions never fault");
    table.columns[0].get(0)
}
