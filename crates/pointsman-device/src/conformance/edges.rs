//! Edge cases that random values seldom hit.

use super::differential::compare_case;
use crate::Device;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::random::{Case, OwnedInputs};
use pointsman_ir::types::{DType, Scalar};

/// Compares all edge cases.
pub fn edges(device: &dyn Device) {
    least_integers(device);
    running_folds(device);
    running_sums_at_their_limits(device);
    for ty in [DType::F32, DType::F64] {
        // The product has one bit more than the type: rounding it before the addition would lose that bit.
        let bits = if ty == DType::F32 { 12 } else { 27 };
        let (near, square) = (1.0 + 0.5f64.powi(bits), 1.0 + 0.5f64.powi(bits - 1));
        let float = |value: f64| if ty == DType::F32 { Scalar::F32(value as f32) } else { Scalar::F64(value) };
        let column = |value| ColumnData::from_scalars(ty.required(), [Some(float(value))]);
        let text = "kernel
columns c0: F, c1: F, c2: F
  v0: F = column c0
  v1: F = column c1
  v2: F = column c2
  v3: F = fma v0 v1 v2
sink store v3
";
        compare_edge(
            device,
            &text.replace('F', &ty.to_string()),
            vec![column(near), column(near), column(-square)],
            vec![],
        );
    }
    for ty in [DType::Bool, DType::U8, DType::I16, DType::F32, DType::I64, DType::Decimal { precision: 38, scale: 0 }] {
        let text = "kernel
columns c0: u32
lists l0: T
  v0: u32 = column c0
  v1: T = lookup l0 v0
sink store v1
";
        let index = ColumnData::from_scalars(DType::U32.required(), [Some(Scalar::U32(0)); 3]);
        compare_edge(
            device,
            &text.replace('T', &ty.to_string()),
            vec![index],
            vec![ColumnData::empty(ty.required(), 0)],
        );
    }
}

/// The smallest integer is its own negation and its own absolute value, also for the operations that follow.
fn least_integers(device: &dyn Device) {
    for (ty, bits) in [(DType::I8, 8), (DType::I16, 16), (DType::I32, 32), (DType::I64, 64)] {
        let text = "kernel
columns c0: T
  v0: T = column c0
  v1: T = neg v0
  v2: T = abs v0
  v3: bool = eq v1 v0
  v4: bool = eq v2 v0
  v5: T = const -100
  v6: T = const 100
  v7: T = clamp v1 v5 v6
  v8: T = clamp v2 v5 v6
  v9: f64 = cast v1
  v10: T = sub v2 v6
sink store v1, v2, v3, v4, v7, v8, v9, v10
";
        let least = -1i128 << (bits - 1);
        let values = [least, least + 1, -1, 0, 1, !least].map(|value| Scalar::from_integer(ty.repr(), value));
        let column = ColumnData::from_scalars(ty.required(), values);
        compare_edge(device, &text.replace('T', &ty.to_string()), vec![column], vec![]);
    }
}

/// Running folds that are wider than their rows, and several float sums with other folds between them.
fn running_folds(device: &dyn Device) {
    let wide = "kernel
columns c0: i8
  v0: i8 = column c0
  v1: decimal(20,0) = cast v0
sink scan columns() running(sum(v1), max(v1))
";
    let several = "kernel
columns c0: i8
  v0: i8 = column c0
  v1: f32 = cast v0
  v2: f64 = cast v0
sink scan columns(v0) running(sum(v1), count(), sum(v2), min(v0), sum(v1))
";
    let masked = several.replace("sink", "  v3: i8 = const 3\n  v4: bool = lt v3 v0\nmask v4\nsink");
    let value = |row: i64| Some(Scalar::I8((row * 37 % 251 - 125) as i8));
    let column = || ColumnData::from_scalars(DType::I8.required(), (0..10_000).map(value));
    for text in [wide, several, &masked] {
        compare_edge(device, text, vec![column()], vec![]);
    }
}

/// Running sums that just fit, and some that overflow in one row only, at any position and whatever follows.
fn running_sums_at_their_limits(device: &dyn Device) {
    for (ty, least, most) in [
        (DType::I32, i128::from(i32::MIN), i128::from(i32::MAX)),
        (DType::U32, 0, i128::from(u32::MAX)),
        (DType::I64, i128::from(i64::MIN), i128::from(i64::MAX)),
        (DType::U64, 0, i128::from(u64::MAX)),
    ] {
        let text = "kernel
columns c0: T, c1: bool
  v0: T = column c0
  v1: bool = column c1
sink scan columns() running(sum(v0))";
        let value = |value: i128| Scalar::from_integer(ty.repr(), value);
        for (at, over) in [(0, 0), (15, 1), (16, 1), (4_095, 1), (4_096, 0), (4_097, 1), (9_000, 1)] {
            // Up to the limit in one row, over it in the next, and far away from it after that.
            let mut values = vec![value(0); 10_000];
            values[at] = value(most);
            values[at + 1] = value(over);
            values[at + 2] = value(if least < 0 { least } else { 0 });
            let starts = (0..values.len()).map(|row| Some(Scalar::Bool(row == at + 1)));
            let columns = vec![
                ColumnData::from_scalars(ty.required(), values),
                ColumnData::from_scalars(DType::Bool.required(), starts),
            ];
            for end in ["\n", " segment v1\n"] {
                compare_edge(device, &(text.replace('T', &ty.to_string()) + end), columns.clone(), vec![]);
            }
        }
    }
}

fn compare_edge(device: &dyn Device, text: &str, columns: Vec<ColumnData>, lists: Vec<ColumnData>) {
    let kernel = parse(text).expect("the text of a kernel");
    let rows = columns.first().map_or(0, ColumnData::len);
    let inputs = OwnedInputs { columns, params: Vec::new(), lists, tables: Vec::new(), first_row: 0, rows };
    for seed in 0..4 {
        let case = Case { seed, kernel: kernel.clone(), inputs: inputs.clone() };
        compare_case(device, &case).unwrap_or_else(|what| panic!("{}: {what}\n{text}", device.info().name));
    }
}
