//! Frames and segments over the ends of batches.
#![allow(clippy::unwrap_used)]
use super::*;
use pointsman_ir::data::ColumnData;
use pointsman_ir::interpret::Inputs;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::types::Scalar;

#[test]
fn frames_and_segments_reach_over_batches() {
    let text = "kernel\ncolumns c0: f64?, c1: bool\n  v0: f64? = column c0\n  v1: bool = column c1\nsink scan \
                columns(v0) running(sum(v0), count(), max(v0) preceding 3, sum(v0) preceding 40) segment v1\n";
    let kernel = parse(text).unwrap();
    let rows = 4 * LEAF_ROWS + 100;
    let value = |row: usize| (!row.is_multiple_of(11)).then_some(Scalar::F64((row * 7919 % 1013) as f64 / 3.0));
    let start = |row: usize| Some(Scalar::Bool(row % 5003 == 4095));
    let column = |from: usize, to: usize| {
        let values = ColumnData::from_scalars(kernel.columns[0], (from..to).map(value));
        vec![values, ColumnData::from_scalars(kernel.columns[1], (from..to).map(start))]
    };
    let run = |from: usize, to: usize| {
        let (columns, first_row, rows) = (column(from, to), from as u64, to - from);
        let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row, rows };
        interpret::partial(&kernel, &inputs).unwrap()
    };
    let whole = interpret::finish(&kernel, run(0, rows)).unwrap();
    let MergeRule::Carry { preceding } = kernel.sink.merge_rule() else { panic!("not a scan") };
    for leaves in 1..5 {
        let (mut state, mut at) = (None, 0);
        for from in (0..rows).step_by(leaves * LEAF_ROWS) {
            let batch = run(from, rows.min(from + leaves * LEAF_ROWS));
            let (left, finished) = carry(&kernel, state.take(), batch, preceding);
            let finished = finished.unwrap();
            assert!(finished == whole.slice(at..at + finished.rows), "batches of {leaves} leaves, row {at} and on");
            (state, at) = (Some(left), at + finished.rows);
        }
        assert_eq!(at, whole.rows);
    }
}
