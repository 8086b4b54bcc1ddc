//! Exceptional cases as C99 has them, in both types, by bits: signed zeros, infinities, NaN, the ends of ranges. And nulls.

use super::{doubles, functions, kernel, singles};
use pointsman_ir::body::Inst;
use pointsman_ir::data::ColumnData;
use pointsman_ir::decompose::decompose;
use pointsman_ir::interpret::{self, Inputs};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar};
use pointsman_ir::verify;

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const PI: f64 = std::f64::consts::PI;

/// Checks a function of one argument: pairs of argument and value.
fn check(op: Op, cases: &[(f64, f64)]) {
    for &(x, want) in cases {
        same(op, &[x], want);
    }
}

/// Checks a function of two arguments.
fn check_two(op: Op, cases: &[(f64, f64, f64)]) {
    for &(x, y, want) in cases {
        same(op, &[x, y], want);
    }
}

fn same(op: Op, args: &[f64], want: f64) {
    let equal = |a: f64, b: f64| a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits();
    let double = doubles(op, &args.iter().map(|&x| vec![x]).collect::<Vec<_>>())[0];
    assert!(equal(double, want), "{}{args:?} = {double:e}, not {want:e}", op.name());
    let single = singles(op, &args.iter().map(|&x| vec![x as f32]).collect::<Vec<_>>())[0];
    assert!(equal(single.into(), f64::from(want as f32)), "{}{args:?} = {single:e} in f32, not {want:e}", op.name());
}

#[test]
fn exponentials() {
    check(Op::Exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e6, INF), (-1e6, 0.0)]);
    check(Op::Exp2, &[(0.0, 1.0), (10.0, 1024.0), (-3.0, 0.125), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e6, INF)]);
    check(Op::Expm1, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN), (1e6, INF), (-1e6, -1.0)]);
}

#[test]
fn logarithms() {
    let common = [(0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF), (-1.0, NAN), (-INF, NAN), (NAN, NAN)];
    for op in [Op::Ln, Op::Log2, Op::Log10] {
        check(op, &common);
    }
    check(Op::Log2, &[(8.0, 3.0), (0.25, -2.0)]);
    check(Op::Log1p, &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-2.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)]);
}

#[test]
fn trigonometry() {
    for op in [Op::Sin, Op::Tan] {
        check(op, &[(0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]);
    }
    check(Op::Cos, &[(0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN), (NAN, NAN)]);
    check(Op::Asin, &[(0.0, 0.0), (-0.0, -0.0), (1.0, PI / 2.0), (-1.0, -PI / 2.0), (2.0, NAN), (NAN, NAN)]);
    check(Op::Acos, &[(1.0, 0.0), (-1.0, PI), (0.0, PI / 2.0), (-1.5, NAN), (INF, NAN), (NAN, NAN)]);
    check(Op::Atan, &[(0.0, 0.0), (-0.0, -0.0), (INF, PI / 2.0), (-INF, -PI / 2.0), (NAN, NAN)]);
}

#[test]
fn angles_of_points() {
    check_two(Op::Atan2, &[(0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, PI), (-0.0, -0.0, -PI)]);
    check_two(Op::Atan2, &[(0.0, -1.0, PI), (-0.0, -1.0, -PI), (0.0, 1.0, 0.0), (-0.0, 1.0, -0.0)]);
    check_two(Op::Atan2, &[(1.0, 0.0, PI / 2.0), (-1.0, -0.0, -PI / 2.0), (1.0, -INF, PI), (-1.0, INF, -0.0)]);
    check_two(Op::Atan2, &[(INF, 1.0, PI / 2.0), (-INF, 1.0, -PI / 2.0)]);
    check_two(Op::Atan2, &[(NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, NAN, NAN)]);
    for (y, x, eighths) in [(INF, INF, 1.0), (-INF, INF, -1.0), (INF, -INF, 3.0), (-INF, -INF, -3.0), (1.0, 1.0, 1.0)] {
        let got = doubles(Op::Atan2, &[vec![y], vec![x]])[0];
        assert!((got - eighths * PI / 4.0).abs() < 1e-15, "atan2({y}, {x}) = {got}");
    }
}

#[test]
fn hyperbolics() {
    check(Op::Sinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (1e6, INF)]);
    check(Op::Cosh, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (-1e6, INF)]);
    check(Op::Tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (1e6, 1.0), (-1e6, -1.0)]);
}

#[test]
fn powers() {
    check_two(Op::Pow, &[(NAN, 0.0, 1.0), (1.0, NAN, 1.0), (1.0, INF, 1.0), (-1.0, INF, 1.0), (-1.0, -INF, 1.0)]);
    check_two(Op::Pow, &[(0.0, -3.0, INF), (-0.0, -3.0, -INF), (-0.0, -2.0, INF), (-0.0, -2.5, INF), (0.0, -INF, INF)]);
    check_two(Op::Pow, &[(-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (0.0, 3.0, 0.0), (-0.0, 0.5, 0.0), (0.0, INF, 0.0)]);
    check_two(Op::Pow, &[(0.5, INF, 0.0), (0.5, -INF, INF), (-2.0, INF, INF), (2.0, -INF, 0.0), (NAN, 1.0, NAN)]);
    check_two(Op::Pow, &[(-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, 3.0, -INF), (-INF, 2.5, INF), (INF, -1.0, 0.0)]);
    check_two(Op::Pow, &[(INF, 0.5, INF), (-2.0, 0.5, NAN), (-8.0, 3.0, -512.0), (2.0, 10.0, 1024.0), (2.0, NAN, NAN)]);
    check_two(Op::Pow, &[(2.0, 1e30, INF), (2.0, -1e30, 0.0), (-2.0, 1e30, INF), (7.0, 0.0, 1.0), (-INF, -0.0, 1.0)]);
}

#[test]
fn others() {
    check(Op::Erf, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (30.0, 1.0)]);
    check(Op::Cbrt, &[(0.0, 0.0), (-0.0, -0.0), (27.0, 3.0), (-8.0, -2.0), (INF, INF), (-INF, -INF), (NAN, NAN)]);
    check_two(Op::Hypot, &[(3.0, -4.0, 5.0), (0.0, -0.0, 0.0), (INF, NAN, INF), (NAN, -INF, INF), (NAN, 1.0, NAN)]);
}

/// Where an argument is null the result is, whatever the other one is; other rows do not notice.
#[test]
fn nulls_stay() {
    for op in functions() {
        let ty = DType::F64.nullable();
        let values = [Some(0.5), None, Some(1e300), None];
        let others = [Some(0.25), Some(0.0), None, None];
        let column = |values: [Option<f64>; 4]| ColumnData::from_scalars(ty, values.map(|v| v.map(Scalar::F64)));
        let columns = &[column(values), column(others)][..op.arity()];
        let inputs = Inputs { columns, params: &[], lists: &[], tables: &[], first_row: 0, rows: 4 };
        let kernel = kernel(op, ty);
        verify::kernel(&decompose(&kernel)).unwrap();
        let got = interpret::run(&kernel, &inputs).unwrap();
        let plain = doubles(op, &[vec![0.5], vec![0.25]][..op.arity()])[0];
        let rows: Vec<Option<Scalar>> = got.columns[0].iter().collect();
        assert_eq!(rows[0], Some(Scalar::F64(plain)), "{}", op.name());
        let kept = if op.arity() == 1 { [true, false, true, false] } else { [true, false, false, false] };
        assert_eq!(rows.iter().map(Option::is_some).collect::<Vec<_>>(), kept, "{}", op.name());
    }
}

/// Each function is a handful of operations, and what few rows need stands apart.
#[test]
fn formulas_are_short() {
    let count = |op: Op, dtype: DType| {
        let body = decompose(&kernel(op, dtype.required())).body;
        let region = |v: usize| {
            body.iter()
                .any(|(of, inst, _)| matches!(inst, Inst::Loop { end, .. } if of.index() < v && v < *end as usize))
        };
        let call = |inst: &Inst| matches!(inst, Inst::Call { .. });
        body.iter().filter(|(v, inst, _)| call(inst) && !region(v.index())).count()
    };
    assert!(count(Op::Exp, DType::F32) <= 26);
    assert!(count(Op::Ln, DType::F32) <= 34);
    assert!(count(Op::Sin, DType::F32) <= 28);
}
