//! How far each elementary function is from the truth, over dense samples and edge values, and that no more is claimed

//! than measured: the table in `docs/semantics.md` is what comes out here.

mod double;
mod edges;
mod reference;
mod samples;
mod single;
mod table;
mod wide;

use pointsman_ir::body::{Body, ColumnId};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::{self, Inputs};
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar, Type};

/// A kernel that stores a function of its columns.
fn kernel(op: Op, ty: Type) -> Kernel {
    let mut body = Body::new();
    let args: Vec<_> = (0..op.arity() as u32).map(|c| body.column(ColumnId(c), ty)).collect();
    let v = body.call(op, &args).unwrap();
    let sink = Sink::Store { columns: vec![v] };
    Kernel { columns: vec![ty; op.arity()], params: vec![], lists: vec![], tables: vec![], body, mask: None, sink }
}

/// A function of columns, by the interpreter.
fn evaluate(op: Op, dtype: DType, args: &[Vec<Scalar>]) -> Vec<Scalar> {
    let ty = dtype.required();
    let column = |values: &Vec<Scalar>| ColumnData::from_scalars(ty, values.iter().map(|&v| Some(v)));
    let columns: Vec<ColumnData> = args.iter().map(column).collect();
    let rows = args[0].len();
    let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row: 0, rows };
    let table = interpret::run(&kernel(op, ty), &inputs).unwrap();
    table.columns[0].iter().map(|value| value.unwrap()).collect()
}

/// A function of singles.
fn singles(op: Op, args: &[Vec<f32>]) -> Vec<f32> {
    let args: Vec<Vec<Scalar>> = args.iter().map(|xs| xs.iter().map(|&x| Scalar::F32(x)).collect()).collect();
    let number = |value: Scalar| if let Scalar::F32(y) = value { y } else { panic!("{value} is no f32") };
    evaluate(op, DType::F32, &args).into_iter().map(number).collect()
}

/// A function of doubles.
fn doubles(op: Op, args: &[Vec<f64>]) -> Vec<f64> {
    let args: Vec<Vec<Scalar>> = args.iter().map(|xs| xs.iter().map(|&x| Scalar::F64(x)).collect()).collect();
    let number = |value: Scalar| if let Scalar::F64(y) = value { y } else { panic!("{value} is no f64") };
    evaluate(op, DType::F64, &args).into_iter().map(number).collect()
}

/// Every elementary function.
fn functions() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(|op| op.is_elementary())
}

/// The most ULPs that a function may be off.
fn contract(op: Op) -> f64 {
    let wide = matches!(op, Op::Pow | Op::Tan | Op::Sinh | Op::Cosh | Op::Atan2 | Op::Erf | Op::Hypot);
    if wide { 4.0 } else { 2.0 }
}
