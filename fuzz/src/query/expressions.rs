//! The nodes of a step as expressions of the public interface.

use super::loop_of;
use crate::program::{Binary, Function, Loop, NodeId, Operation, Overflow, Step, Table, Unary};
use crate::typed::{Known, Shape, Typed, with_any, with_number, with_type};
use crate::value::{Type, Value};
use pointsman::{Expr, IntoExpr, Lookup, iterate, lit, lookup, null, repeat, select};
use std::cell::RefCell;

/// The captured tables of a query.
#[derive(Default)]
pub(super) struct Tables(Vec<Box<dyn Fn(Typed) -> Typed>>);

impl Tables {
    pub(super) fn new(tables: &[Table]) -> Tables {
        Tables(tables.iter().map(|table| with_type!(table.ty, T => captured::<T>(&table.values))).collect())
    }
}

/// A table, as a function from positions to values.
fn captured<T: Known>(values: &[Value]) -> Box<dyn Fn(Typed) -> Typed>
where
    Typed: From<Expr<T>>,
{
    let values: Vec<T> = values.iter().map(|&value| T::of(value)).collect();
    let table: Lookup<T> = lookup(&values);
    Box::new(move |index| match index {
        Typed::U64(index) => table.at(index).into(),
        index => table.at(u32::expr(index)).into(),
    })
}

/// Builds the expressions of a step.
pub(super) struct Builder<'s> {
    step: &'s Step,
    tables: &'s Tables,
    /// The row that the step gets.
    columns: Vec<Typed>,
    values: Vec<Option<Typed>>,
}

impl<'s> Builder<'s> {
    pub(super) fn new(step: &'s Step, tables: &'s Tables, columns: Vec<Typed>) -> Builder<'s> {
        Builder { step, tables, columns, values: vec![None; step.nodes.len()] }
    }

    /// The expressions of the step's outputs.
    pub(super) fn build(mut self) -> Vec<Typed> {
        self.build_range(0, self.step.nodes.len());
        self.step.outputs().into_iter().map(|node| self.value(node)).collect()
    }

    fn value(&self, node: NodeId) -> Typed {
        self.values[node].expect("operands come before their users")
    }

    fn build_range(&mut self, first: NodeId, end: NodeId) {
        let (step, mut at) = (self.step, first);
        while at < end {
            let node = &step.nodes[at];
            let next = match &node.operation {
                Operation::Loop(of) => {
                    let results = loop_of(self, at, of);
                    self.read_results(at, of.end, &results);
                    of.end
                }
                operation => {
                    // The results of a loop are known already.
                    if self.values[at].is_none() {
                        self.values[at] = Some(self.expression(operation, node.ty));
                    }
                    at + 1
                }
            };
            at = next;
        }
    }

    /// Notes the last state of a loop for the nodes behind it that read it.
    fn read_results(&mut self, of: NodeId, end: NodeId, results: &[Typed]) {
        for (at, node) in self.step.nodes.iter().enumerate().skip(end) {
            match node.operation {
                Operation::LoopResult(from, slot) if from == of => self.values[at] = Some(results[slot]),
                _ => {}
            }
        }
    }

    /// A loop whose state has the shape `S`. Returns the last state.
    pub(super) fn typed_loop<S: Shape>(&mut self, at: NodeId, of: &Loop) -> Vec<Typed> {
        let init = S::make(&mut of.init.iter().map(|&node| self.value(node)).collect::<Vec<_>>().into_iter());
        let builder = RefCell::new(self);
        let enter = |state: S, index: Option<Expr<u32>>| builder.borrow_mut().region(at, of, state, index);
        let next = || {
            let values = of.next.iter().map(|&node| builder.borrow().value(node)).collect::<Vec<_>>();
            S::make(&mut values.into_iter())
        };
        let last = match of.condition {
            None => repeat(of.bound, init, |index, state| {
                enter(state, Some(index));
                next()
            }),
            Some(condition) => {
                let go_on = |state| {
                    enter(state, None);
                    bool::expr(builder.borrow().value(condition))
                };
                iterate(of.bound, init, go_on, |_| next())
            }
        };
        let mut results = Vec::new();
        last.list(&[], &mut results);
        results
    }

    /// Builds the nodes inside a loop.
    fn region<S: Shape>(&mut self, at: NodeId, of: &Loop, state: S, index: Option<Expr<u32>>) {
        let mut slots = Vec::new();
        state.list(&[], &mut slots);
        for inner in at + 1..of.end {
            match self.step.nodes[inner].operation {
                Operation::LoopState(from, slot) if from == at => self.values[inner] = Some(slots[slot]),
                Operation::LoopIndex(from) if from == at => self.values[inner] = index.map(Typed::U32),
                _ => {}
            }
        }
        self.build_range(at + 1, of.end);
    }

    fn expression(&self, operation: &Operation, ty: Type) -> Typed {
        let value = |&node: &NodeId| self.value(node);
        match operation {
            Operation::Column(column) => self.columns[*column],
            Operation::Literal(constant) => with_type!(ty, T => lit(T::of(*constant)).into()),
            Operation::Parameter(scalar) => with_type!(ty, T => IntoExpr::<T>::into_expr(T::of(*scalar)).into()),
            Operation::Null => with_type!(ty, T => null::<T>().into()),
            Operation::Unary(op, x) => unary(*op, value(x)),
            Operation::Binary(op, x, y) => binary(*op, value(x), value(y)),
            Operation::Select(condition, x, y) => {
                let (condition, x, y) = (bool::expr(value(condition)), value(x), value(y));
                with_type!(ty, T => select(condition, T::expr(x), T::expr(y)).into())
            }
            Operation::Clamp(x, low, high) => {
                let (x, low, high) = (value(x), value(low), value(high));
                with_type!(ty, T => T::expr(x).clamp(T::expr(low), T::expr(high)).into())
            }
            Operation::Fma(x, y, z) => match (value(x), value(y), value(z)) {
                (Typed::F32(x), Typed::F32(y), Typed::F32(z)) => x.fma(y, z).into(),
                (x, y, z) => f64::expr(x).mul_add(f64::expr(y), f64::expr(z)).into(),
            },
            Operation::Cast(overflow, x) => cast(*overflow, value(x), ty),
            Operation::Method(method, operands, values) => {
                let operands: Vec<Typed> = operands.iter().map(value).collect();
                method.expression(&operands, values)
            }
            Operation::Lookup { table, index } => self.tables.0[*table](value(index)),
            Operation::Elementary(function, x, y) => match (value(x), value(y)) {
                (Typed::F32(x), Typed::F32(y)) => elementary(*function, x, y).into(),
                (x, y) => elementary(*function, f64::expr(x), f64::expr(y)).into(),
            },
            Operation::Loop(_) | Operation::LoopIndex(_) | Operation::LoopState(..) | Operation::LoopResult(..) => {
                unreachable!("the loop made its own values")
            }
        }
    }
}

/// An expression for one operand of some types, or for two of the same.
macro_rules! over {
    ([$($name:ident)*] $x:expr, $a:ident => $body:expr) => {
        match $x {
            $(Typed::$name($a) => ($body).into(),)*
            #[allow(unreachable_patterns)]
            other => unreachable!("an operation on {other:?}"),
        }
    };
    ([$($name:ident)*] $x:expr, $y:expr, $a:ident $b:ident => $body:expr) => {
        match ($x, $y) {
            $((Typed::$name($a), Typed::$name($b)) => ($body).into(),)*
            other => unreachable!("an operation on {other:?}"),
        }
    };
}

macro_rules! numbers {
    ($($more:tt)*) => { over!([I8 I16 I32 I64 U8 U16 U32 U64 F32 F64] $($more)*) };
}

macro_rules! integers {
    ($($more:tt)*) => { over!([I8 I16 I32 I64 U8 U16 U32 U64] $($more)*) };
}

macro_rules! floats {
    ($($more:tt)*) => { over!([F32 F64] $($more)*) };
}

macro_rules! any {
    ($($more:tt)*) => { over!([Bool I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 Date Timestamp] $($more)*) };
}

fn unary(op: Unary, x: Typed) -> Typed {
    match op {
        Unary::Neg => over!([I8 I16 I32 I64 F32 F64] x, x => -x),
        Unary::Abs => with_number!(x, x => x.abs().into()),
        Unary::Sign => with_number!(x, x => x.sign().into()),
        Unary::Sqrt => floats!(x, x => x.sqrt()),
        Unary::Floor => floats!(x, x => x.floor()),
        Unary::Ceil => floats!(x, x => x.ceil()),
        Unary::Round => floats!(x, x => x.round()),
        Unary::Trunc => floats!(x, x => x.trunc()),
        Unary::Not => (!bool::expr(x)).into(),
        Unary::BitNot => integers!(x, x => !x),
        Unary::IsNull => with_any!(x, x => x.is_null().into()),
        Unary::IsNan => floats!(x, x => x.is_nan()),
    }
}

fn binary(op: Binary, x: Typed, y: Typed) -> Typed {
    match op {
        Binary::Add => numbers!(x, y, x y => x + y),
        Binary::Sub => numbers!(x, y, x y => x - y),
        Binary::Mul => numbers!(x, y, x y => x * y),
        Binary::Div => numbers!(x, y, x y => x / y),
        Binary::Rem => numbers!(x, y, x y => x % y),
        Binary::CheckedAdd => integers!(x, y, x y => x.checked_add(y)),
        Binary::CheckedSub => integers!(x, y, x y => x.checked_sub(y)),
        Binary::CheckedMul => integers!(x, y, x y => x.checked_mul(y)),
        Binary::BitAnd => integers!(x, y, x y => x & y),
        Binary::BitOr => integers!(x, y, x y => x | y),
        Binary::BitXor => integers!(x, y, x y => x ^ y),
        Binary::Shl => integers!(x, y, x y => x << y),
        Binary::Shr => integers!(x, y, x y => x >> y),
        Binary::Least => any!(x, y, x y => x.least(y)),
        Binary::Greatest => any!(x, y, x y => x.greatest(y)),
        Binary::Eq => any!(x, y, x y => x.eq(y)),
        Binary::Ne => any!(x, y, x y => x.ne(y)),
        Binary::Lt => any!(x, y, x y => x.lt(y)),
        Binary::Le => any!(x, y, x y => x.le(y)),
        Binary::Gt => any!(x, y, x y => x.gt(y)),
        Binary::Ge => any!(x, y, x y => x.ge(y)),
        Binary::And => (bool::expr(x) & bool::expr(y)).into(),
        Binary::Or => (bool::expr(x) | bool::expr(y)).into(),
        Binary::Coalesce => any!(x, y, x y => x.coalesce(y)),
    }
}

fn cast(overflow: Overflow, x: Typed, to: Type) -> Typed {
    macro_rules! to {
        ($($name:ident $rust:ty),*) => {
            match (to, overflow) {
                $(
                    (Type::$name, Overflow::Faults) => with_any!(x, x => x.cast::<$rust>().into()),
                    (Type::$name, Overflow::Saturates) => with_any!(x, x => x.cast_saturating::<$rust>().into()),
                )*
                (Type::Bool, _) => unreachable!("nothing is cast to bool"),
            }
        };
    }
    to!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64,
        Date pointsman::Date, Timestamp pointsman::Timestamp)
}

fn elementary<T: pointsman::types::Float>(function: Function, x: Expr<T>, y: Expr<T>) -> Expr<T> {
    match function {
        Function::Exp => x.exp(),
        Function::Exp2 => x.exp2(),
        Function::ExpM1 => x.exp_m1(),
        Function::Ln => x.ln(),
        Function::Log2 => x.log2(),
        Function::Log10 => x.log10(),
        Function::Ln1p => x.ln_1p(),
        Function::Pow => x.pow(y),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Asin => x.asin(),
        Function::Acos => x.acos(),
        Function::Atan => x.atan(),
        Function::Atan2 => x.atan2(y),
        Function::Sinh => x.sinh(),
        Function::Cosh => x.cosh(),
        Function::Tanh => x.tanh(),
        Function::Erf => x.erf(),
        Function::Cbrt => x.cbrt(),
        Function::Hypot => x.hypot(y),
    }
}
