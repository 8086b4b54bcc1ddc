//! Bounded loops: repeat, while, nested, captured values and what a loop needs.

use super::{column, kernel, run};
use pointsman_ir::body::{Body, ValueId};
use pointsman_ir::kernel::Sink;
use pointsman_ir::op::Op;
use pointsman_ir::types::{DType, Scalar};

/// Runs `build` over a column `x` of nullable `i64`.
fn check(rows: &str, build: fn(&mut Body, ValueId) -> ValueId, expected: &str) {
    let kernel = kernel(&[DType::I64.nullable()], |body, inputs| {
        let out = build(body, inputs[0]);
        (None, Sink::Store { columns: vec![out] })
    });
    let got = match run(&kernel, &[column(DType::I64.nullable(), rows)]) {
        Ok(table) => {
            let show = |value: Option<Scalar>| value.map_or("null".to_string(), |value| value.to_string());
            table.columns[0].iter().map(show).collect::<Vec<_>>().join(" ")
        }
        Err(fault) => fault.to_string(),
    };
    assert_eq!(got, expected, "{rows}");
}

fn number(body: &mut Body, value: i64) -> ValueId {
    body.constant(Scalar::I64(value), DType::I64)
}

#[test]
fn repeat_with_an_index_and_a_captured_value() {
    // x + (0 + 1 + 2 + 3) + 4x
    check(
        "1 10 null",
        |b, x| {
            let of = b.open_loop(4, &[x]);
            let index = b.loop_index(of);
            let index = b.cast(Op::Cast, index, DType::I64).unwrap();
            let state = b.loop_carried(of, 0);
            let sum = b.call(Op::Add, &[state, index]).unwrap();
            let sum = b.call(Op::Add, &[sum, x]).unwrap();
            b.close_loop(of, None, &[sum]).unwrap();
            b.loop_result(of, 0)
        },
        "11 56 null",
    );
}

#[test]
fn while_stops_and_the_bound_holds() {
    // Doubles while below 100, at most 5 times; null ends at once.
    check(
        "1 60 200 null",
        |b, x| {
            let hundred = number(b, 100);
            let of = b.open_loop(5, &[x]);
            let state = b.loop_carried(of, 0);
            let below = b.call(Op::Lt, &[state, hundred]).unwrap();
            let twice = b.call(Op::Add, &[state, state]).unwrap();
            b.close_loop(of, Some(below), &[twice]).unwrap();
            b.loop_result(of, 0)
        },
        "32 120 200 null",
    );
}

#[test]
fn states_swap_at_once() {
    // Fibonacci: (a, b) -> (b, a + b).
    check(
        "0",
        |b, _| {
            let (zero, one) = (number(b, 0), number(b, 1));
            let of = b.open_loop(10, &[zero, one]);
            let (first, second) = (b.loop_carried(of, 0), b.loop_carried(of, 1));
            let sum = b.call(Op::Add, &[first, second]).unwrap();
            b.close_loop(of, None, &[second, sum]).unwrap();
            b.loop_result(of, 0)
        },
        "55",
    );
}

#[test]
fn nested_loops_start_afresh() {
    // For i in 0..3: for j in 0..i+1 (by while): s += 10 i + j.
    check(
        "0 5",
        |b, x| {
            let outer = b.open_loop(3, &[x]);
            let i = b.loop_index(outer);
            let i = b.cast(Op::Cast, i, DType::I64).unwrap();
            let start = b.loop_carried(outer, 0);
            let inner = b.open_loop(8, &[start]);
            let j = b.loop_index(inner);
            let j = b.cast(Op::Cast, j, DType::I64).unwrap();
            let state = b.loop_carried(inner, 0);
            let goes_on = b.call(Op::Le, &[j, i]).unwrap();
            let ten = number(b, 10);
            let tens = b.call(Op::Mul, &[i, ten]).unwrap();
            let term = b.call(Op::Add, &[tens, j]).unwrap();
            let sum = b.call(Op::Add, &[state, term]).unwrap();
            b.close_loop(inner, Some(goes_on), &[sum]).unwrap();
            let result = b.loop_result(inner, 0);
            b.close_loop(outer, None, &[result]).unwrap();
            b.loop_result(outer, 0)
        },
        "84 89",
    );
}

#[test]
fn a_loop_uses_the_result_of_another() {
    check(
        "3",
        |b, x| {
            let mut last = x;
            for _ in 0..300 {
                let of = b.open_loop(2, &[last]);
                let state = b.loop_carried(of, 0);
                let next = b.call(Op::Add, &[state, last]).unwrap();
                let next = b.call(Op::Sub, &[next, x]).unwrap();
                b.close_loop(of, None, &[next]).unwrap();
                let result = b.loop_result(of, 0);
                let twice = b.call(Op::Add, &[last, last]).unwrap();
                last = b.call(Op::Sub, &[result, twice]).unwrap();
                let six = number(b, 6);
                last = b.call(Op::Add, &[last, six]).unwrap();
            }
            last
        },
        "3",
    );
}

/// A loop whose region has `1 / x` outside (`captured`) or inside on the branch that is never taken.
fn quotient_loop(b: &mut Body, x: ValueId, captured: bool) -> ValueId {
    let one = number(b, 1);
    let outside = b.call(Op::Div, &[one, x]).unwrap();
    let never = b.constant(Scalar::Bool(false), DType::Bool);
    let of = b.open_loop(3, &[one]);
    let state = b.loop_carried(of, 0);
    let quotient = if captured { outside } else { b.call(Op::Div, &[one, x]).unwrap() };
    let next = b.call(Op::Select, &[never, quotient, state]).unwrap();
    b.close_loop(of, None, &[next]).unwrap();
    b.loop_result(of, 0)
}

#[test]
fn needed_loop_needs_its_captures_but_stays_lazy_inside() {
    check("0", |b, x| quotient_loop(b, x, true), "1 / 0: division by zero (in row 0)");
    check("0", |b, x| quotient_loop(b, x, false), "1");
    check(
        "0",
        |b, x| {
            quotient_loop(b, x, true);
            x
        },
        "0",
    );
}

#[test]
fn a_fault_in_a_later_iteration_is_met() {
    check(
        "3 2",
        |b, x| {
            let one = number(b, 1);
            let of = b.open_loop(3, &[x]);
            let state = b.loop_carried(of, 0);
            let quotient = b.call(Op::Div, &[one, state]).unwrap();
            let less = b.call(Op::Sub, &[state, one]).unwrap();
            let zero = b.call(Op::Sub, &[quotient, quotient]).unwrap();
            let next = b.call(Op::Add, &[less, zero]).unwrap();
            b.close_loop(of, None, &[next]).unwrap();
            b.loop_result(of, 0)
        },
        "1 / 0: division by zero (in row 1)",
    );
}
