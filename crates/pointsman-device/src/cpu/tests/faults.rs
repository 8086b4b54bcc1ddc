//! Faults: the smallest source row is reported, and rows that do not need the value do not fault.

use super::{devices, over, run};
use crate::launch::FaultLocation;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::{DType, Scalar};

const FIRST_ROW: u64 = 8192;
const ROWS: usize = 150_000;

/// Divides by a column that is zero in these rows, in the rows below a limit, and checks where it faults.
fn check(zeros: &[usize], sink: &str, limit: u64, expected: Option<u64>) {
    let text = format!(
        "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1: i32 = const 100\n  v2: i32 = div v1 v0\n  v3: u64 = row_index\n  \
         v4: u64 = const {limit}\n  v5: bool = lt v3 v4\nmask v5\nsink {sink}\n"
    );
    let kernel = parse(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let values = (0..ROWS).map(|row| Some(Scalar::I32(i32::from(!zeros.contains(&row)))));
    let columns = vec![ColumnData::from_scalars(DType::I32.required(), values)];
    let inputs = over(columns, FIRST_ROW);
    for device in devices() {
        let fault = run(&device, &kernel, &inputs).outcome.fault;
        assert_eq!(fault, expected.map(FaultLocation::Row), "zeros in {zeros:?}, {sink}");
    }
}

#[test]
fn the_smallest_faulting_row_is_reported() {
    let all = u64::MAX >> 1;
    for sink in ["store v2", "compact v2", "reduce sum(v2)", "scan columns() running(sum(v2))"] {
        check(&[], sink, all, None);
        check(&[0], sink, all, Some(FIRST_ROW));
        check(&[149_999, 70_000, 70_001], sink, all, Some(FIRST_ROW + 70_000));
        check(&[4096, 4095], sink, all, Some(FIRST_ROW + 4095));
        check(&[100_000], sink, FIRST_ROW + 100_000, None);
        check(&[100_000], sink, FIRST_ROW + 100_001, Some(FIRST_ROW + 100_000));
    }
}

#[test]
fn a_sum_out_of_range_reports_its_fold() {
    let text = "kernel\ncolumns c0: u8\n  v0: u8 = column c0\nsink reduce count(v0), sum(v0)\n";
    let columns = vec![ColumnData::from_scalars(DType::U8.required(), [Some(Scalar::U8(200)); 2])];
    let inputs = over(columns, 0);
    for device in devices() {
        let fault = run(&device, &parse(text).unwrap(), &inputs).outcome.fault;
        assert_eq!(fault, Some(FaultLocation::Fold(1)));
    }
}

#[test]
fn the_first_of_several_sums_out_of_range_is_reported() {
    for (folds, expected) in [("sum(v0) preceding 4, sum(v0)", 0), ("count(v0), sum(v0), sum(v0) preceding 4", 1)] {
        let text = format!("kernel\ncolumns c0: i64\n  v0: i64 = column c0\nsink scan columns() running({folds})\n");
        for rows in [2, 4100, 8192] {
            let columns =
                vec![ColumnData::from_scalars(DType::I64.required(), vec![Some(Scalar::I64(i64::MIN)); rows])];
            let inputs = over(columns, 0);
            for device in devices() {
                let fault = run(&device, &parse(&text).unwrap(), &inputs).outcome.fault;
                assert_eq!(fault, Some(FaultLocation::Fold(expected)), "{folds} over {rows} rows");
            }
        }
    }
}
