//! Order-free float sums, by way of a group: any order gives the same bits, close to the exact sum.

use super::{Random, kernel};
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::{self, Inputs, Partial};
use pointsman_ir::kernel::{Fold, FoldMode, FoldOp, GroupOrder, Kernel, Sink};
use pointsman_ir::types::{DType, NAN_F64, Repr, Scalar};

fn sum_kernel(dtype: DType) -> Kernel {
    kernel(&[dtype.required()], |_, inputs| {
        let folds = vec![Fold::of(FoldOp::Sum, inputs[0])];
        (None, Sink::Group { keys: vec![], folds, order: GroupOrder::Hash })
    })
}

fn partial(kernel: &Kernel, values: &[f64], first_row: u64) -> Partial {
    let ty = kernel.columns[0];
    let scalar = |&v: &f64| if ty.dtype.repr() == Repr::F32 { Scalar::F32(v as f32) } else { Scalar::F64(v) };
    let columns = [ColumnData::from_scalars(ty, values.iter().map(scalar).map(Some))];
    let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row, rows: values.len() };
    interpret::partial(kernel, &inputs).unwrap()
}

fn sum(dtype: DType, values: &[f64]) -> Scalar {
    let kernel = sum_kernel(dtype);
    let result = interpret::finish(&kernel, partial(&kernel, values, 0)).unwrap();
    result.row(0)[0].unwrap()
}

#[test]
fn order_free_sums_are_exact_if_possible() {
    let check = |values: &[f64], expected: f64| {
        assert_eq!(sum(DType::F64, values), Scalar::F64(expected).canonical(), "{values:?}");
    };
    check(&[0.0], 0.0);
    check(&[-0.0, -0.0], 0.0);
    check(&[1.5, -1.5], 0.0);
    check(&[0.1, 0.2, 0.3], 0.6);
    check(&[1e16, 1.0, -1e16], 1.0);
    check(&[1.0, 2f64.powi(-53)], 1.0);
    check(&[1.0, 2f64.powi(-53), 2f64.powi(-60)], 1.0 + f64::EPSILON);
    check(&[1.0, 2f64.powi(-53), 2f64.powi(-80)], 1.0 + f64::EPSILON);
    // Half a unit of the lowest bin rounds away from zero; less is dropped.
    check(&[1.0, 2f64.powi(-53), 2f64.powi(-81)], 1.0 + f64::EPSILON);
    check(&[1.0, 2f64.powi(-53), 2f64.powi(-82)], 1.0);
    check(&[1.0, 2f64.powi(-53), -(2f64.powi(-81))], 1.0);
    check(&[2f64.powi(39), -(2f64.powi(39)), 2f64.powi(-41)], 2f64.powi(-40));
    check(&[1.0, 2f64.powi(-52), 2f64.powi(-53)], 1.0 + 2.0 * f64::EPSILON);
    check(&[-1.0, -(2f64.powi(-53)), -(2f64.powi(-60))], -1.0 - f64::EPSILON);
    check(&[5e-324, 5e-324, 5e-324], 1.5e-323);
    check(&[-5e-324], -5e-324);
    check(&[2.2250738585072014e-308, -5e-324], 2.225073858507201e-308);
    check(&[f64::MAX, -f64::MAX], 0.0);
    check(&[f64::MAX, f64::MAX], f64::INFINITY);
    check(&[f64::MAX, f64::MAX, -f64::MAX], f64::MAX);
    check(&[-f64::MAX, -f64::MAX], f64::NEG_INFINITY);
    check(&[1.0, f64::INFINITY, 2.0], f64::INFINITY);
    check(&[f64::NEG_INFINITY, f64::NEG_INFINITY], f64::NEG_INFINITY);
    check(&[f64::INFINITY, f64::NEG_INFINITY], f64::from_bits(NAN_F64));
    check(&[f64::NAN, 1.0], f64::NAN);
    check(&[f64::INFINITY, f64::NAN], f64::NAN);
    check(&[1e300, 1e-300, -1e300], 0.0);
}

#[test]
fn singles_round_once_to_single() {
    let check =
        |values: &[f64], expected: f32| assert_eq!(sum(DType::F32, values), Scalar::F32(expected), "{values:?}");
    check(&[16_777_216.0, 1.0], 16_777_216.0);
    check(&[16_777_216.0, 1.0, 1.0], 16_777_218.0);
    check(&[16_777_216.0, 1.0, 2f64.powi(-20)], 16_777_218.0);
    check(&[f64::from(f32::MAX), f64::from(f32::MAX), -f64::from(f32::MAX)], f32::MAX);
    check(&[f64::from(f32::MAX), f64::from(f32::MAX)], f32::INFINITY);
    check(&[f64::from(1e-45f32), f64::from(1e-45f32)], 3e-45);
}

#[test]
fn any_order_and_any_grouping_give_the_same_bits() {
    let mut random = Random(7);
    for (dtype, range) in [(DType::F64, 900), (DType::F64, 40), (DType::F32, 100), (DType::F32, 5)] {
        let mut values: Vec<f64> = (0..3000).map(|_| random.float(range)).collect();
        let expected = sum(dtype, &values);
        let kernel = sum_kernel(dtype);
        for _ in 0..20 {
            for i in (1..values.len()).rev() {
                values.swap(i, random.below(i as u64 + 1) as usize);
            }
            let cut = random.below(values.len() as u64) as usize;
            let (first, second) = values.split_at(cut);
            let merged = interpret::merge(&kernel, partial(&kernel, first, 0), partial(&kernel, second, cut as u64));
            assert_eq!(interpret::finish(&kernel, merged).unwrap().row(0)[0], Some(expected), "{dtype} {range}");
        }
    }
}

#[test]
fn close_to_exact() {
    let mut random = Random(11);
    for _ in 0..50 {
        // Whole numbers of 2^-40 below 2^50 in magnitude: exact in 128 bits.
        let whole: Vec<i64> = (0..1000).map(|_| random.next() as i64 >> random.below(50)).map(|v| v >> 11).collect();
        let values: Vec<f64> = whole.iter().map(|&v| v as f64 * 2f64.powi(-40)).collect();
        let exact = whole.iter().map(|&v| i128::from(v)).sum::<i128>() as f64 * 2f64.powi(-40);
        assert_eq!(sum(DType::F64, &values), Scalar::F64(exact + 0.0));
    }
}

/// A fast sum adds doubles in the order of the rows; a sum of singles rounds once.
#[test]
fn fast_sums_add_in_any_order() {
    let fast = |dtype: DType, values: &[f64]| {
        let mut kernel = sum_kernel(dtype);
        if let Sink::Group { folds, .. } = &mut kernel.sink {
            folds[0].mode = FoldMode::Fast;
        }
        let (first, second) = values.split_at(values.len() / 2);
        let merged = interpret::merge(&kernel, partial(&kernel, first, 0), partial(&kernel, second, 0));
        interpret::finish(&kernel, merged).unwrap().row(0)[0]
    };
    assert_eq!(fast(DType::F64, &[1e16, 2.0, -1e16, 2.0]), Some(Scalar::F64(4.0)));
    assert_eq!(fast(DType::F32, &[16_777_216.0, 1.0, 1.0, 0.0]), Some(Scalar::F32(16_777_218.0)));
    assert_eq!(fast(DType::F64, &[f64::INFINITY, 1.0]), Some(Scalar::F64(f64::INFINITY)));
    assert_eq!(fast(DType::F64, &[-0.0, -0.0]), Some(Scalar::F64(0.0)));
}
