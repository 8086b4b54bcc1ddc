//! Faults are raised where a value is needed, and nowhere else; the smallest row wins.

use super::{column, kernel, run};
use pointsman_ir::body::{Body, ListId, ValueId};
use pointsman_ir::interpret::{self, FaultKind, Inputs};
use pointsman_ir::kernel::{Fold, FoldOp, Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar};

/// Runs `build` over `x` and `y` (nullable `i32`) and `on` (nullable bool); the answer is the output or the fault.
fn check(rows: &str, build: fn(&mut Body, &[ValueId]) -> (Option<ValueId>, ValueId), expected: &str) {
    let types = [DType::I32.nullable(), DType::I32.nullable(), DType::Bool.nullable()];
    let kernel = kernel(&types, |body, inputs| {
        let (mask, out) = build(body, inputs);
        (mask, Sink::Compact { columns: vec![out] })
    });
    let texts: Vec<Vec<&str>> = rows.split(';').map(|row| row.split_whitespace().collect()).collect();
    let columns: Vec<_> =
        (0..3).map(|i| column(types[i], &texts.iter().map(|row| row[i]).collect::<Vec<_>>().join(" "))).collect();
    let got = match run(&kernel, &columns) {
        Ok(table) => {
            let show = |value: Option<Scalar>| value.map_or("null".to_string(), |value| value.to_string());
            table.columns[0].iter().map(show).collect::<Vec<_>>().join(" ")
        }
        Err(fault) => fault.to_string(),
    };
    assert_eq!(got, expected, "{rows}");
}

fn quotient(body: &mut Body, inputs: &[ValueId]) -> ValueId {
    body.call(Op::Div, &inputs[..2]).unwrap()
}

#[test]
fn the_smallest_row_is_named() {
    check("8 2 true; 10 0 true; 1 0 true", |b, i| (None, quotient(b, i)), "10 / 0: division by zero (in row 1)");
}

#[test]
fn null_operands_do_not_fault() {
    check("null 0 true; 1 null true", |b, i| (None, quotient(b, i)), "null null");
}

#[test]
fn masked_rows_do_not_fault() {
    check("1 0 false; 1 0 null; 6 2 true", |b, i| (Some(i[2]), quotient(b, i)), "3");
}

#[test]
fn an_untaken_branch_does_not_fault() {
    let chosen = |b: &mut Body, i: &[ValueId]| {
        let q = quotient(b, i);
        (None, b.call(Op::Select, &[i[2], q, i[0]]).unwrap())
    };
    check("1 0 false; 2 0 null; 6 2 true", chosen, "1 2 3");
    check("1 0 false; 2 0 true", chosen, "2 / 0: division by zero (in row 1)");
    let other = |b: &mut Body, i: &[ValueId]| {
        let q = quotient(b, i);
        (None, b.call(Op::Select, &[i[2], i[0], q]).unwrap())
    };
    check("1 0 true; 6 2 null", other, "1 3");
    check("1 0 null", other, "1 / 0: division by zero (in row 0)");
}

#[test]
fn coalesce_and_logic_skip_operands_that_do_not_matter() {
    let coalesce = |b: &mut Body, i: &[ValueId]| {
        let q = quotient(b, i);
        (None, b.call(Op::Coalesce, &[i[0], q]).unwrap())
    };
    check("1 0 true; null 0 true", coalesce, "1 null");
    let and = |b: &mut Body, i: &[ValueId]| {
        let q = quotient(b, i);
        let equal = b.call(Op::Eq, &[q, i[0]]).unwrap();
        (None, b.call(Op::And, &[i[2], equal]).unwrap())
    };
    check("1 0 false; 2 1 true", and, "false true");
    check("1 0 null", and, "1 / 0: division by zero (in row 0)");
    let or = |b: &mut Body, i: &[ValueId]| {
        let q = quotient(b, i);
        let equal = b.call(Op::Eq, &[q, i[0]]).unwrap();
        (None, b.call(Op::Or, &[i[2], equal]).unwrap())
    };
    check("1 0 true; 2 2 false", or, "true false");
    check("1 0 false", or, "1 / 0: division by zero (in row 0)");
}

#[test]
fn an_unused_value_does_not_fault() {
    let unused = |b: &mut Body, i: &[ValueId]| {
        quotient(b, i);
        (None, i[0])
    };
    check("1 0 true", unused, "1");
}

#[test]
fn messages_name_the_operation() {
    let cast = |b: &mut Body, i: &[ValueId]| (None, b.cast(Op::Cast, i[0], DType::U8).unwrap());
    check("-1 0 true", cast, "cast(-1 to u8): the value is out of range (in row 0)");
    let checked = |b: &mut Body, i: &[ValueId]| (None, b.call(Op::CheckedMul, &i[..2]).unwrap());
    check("2147483647 2 true", checked, "2147483647 * 2: overflow (in row 0)");
}

#[test]
fn lookups_are_checked_and_rows_count_from_the_source() {
    let mut body = Body::new();
    let row = body.row_index();
    let found = body.lookup(ListId(0), DType::I8, row);
    let sink = Sink::Store { columns: vec![found, row] };
    let kernel =
        Kernel { columns: vec![], params: vec![], lists: vec![DType::I8], tables: vec![], body, mask: None, sink };
    let lists = [column(DType::I8.required(), "5 6 7")];
    let at = |first_row, rows| {
        let inputs = Inputs { columns: &[], params: &[], lists: &lists, tables: &[], first_row, rows };
        interpret::run(&kernel, &inputs)
    };
    assert_eq!(at(1, 2).unwrap().columns[0], column(DType::I8.required(), "6 7"));
    let fault = at(1, 4).unwrap_err();
    assert_eq!((fault.kind, fault.row), (FaultKind::IndexOutOfBounds, Some(3)));
    assert_eq!(fault.message, "position 3 of 3: index out of bounds");
}

#[test]
fn a_chain_of_ten_thousand_operations_needs_no_deep_stack() {
    let kernel = kernel(&[DType::I64.required()], |body, inputs| {
        let last = (0..10_000).fold(inputs[0], |v, _| body.call(Op::Add, &[v, inputs[0]]).unwrap());
        (None, Sink::Reduce { folds: vec![Fold::of(FoldOp::Sum, last)] })
    });
    let result = run(&kernel, &[column(DType::I64.required(), "1 2")]).unwrap();
    assert_eq!(result.row(0), [Some(Scalar::I64(30_003))]);
}
