//! Guards: kernels as text in, the values added and the checks out.

use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::guard::{Check, guard};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::op::Op;
use pointsman_ir::types::DType;
use pointsman_ir::verify;

/// Guards a kernel; `expected` is its text from instruction `from` on, and its checks.
fn check(text: &str, expected: &str) {
    let kernel = parse(&format!("kernel\n{text}")).unwrap();
    verify::kernel(&kernel).unwrap();
    let guarded = guard(&kernel);
    verify::kernel(&guarded.kernel).unwrap();
    let old = kernel.print();
    let added = guarded.kernel.print();
    // Lines that were there in the same words are left out.
    let mut found: String = added
        .lines()
        .filter(|line| !old.lines().any(|old| old == *line))
        .map(|line| format!("{}\n", line.trim()))
        .collect();
    let mut show = |place: String, checks: &[Check]| {
        for Check { of, guard } in checks {
            let guard = guard.map_or(String::new(), |v| format!(" if {v}"));
            found.push_str(&format!("{place}check {of}{guard}\n"));
        }
    };
    guarded.probe_checks.iter().for_each(|(v, checks)| show(format!("before {v}: "), checks));
    guarded.loop_checks.iter().for_each(|(v, checks)| show(format!("in {v}: "), checks));
    show(String::new(), &guarded.checks);
    let wanted: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, wanted, "\n{}", added);
}

#[test]
fn values_that_cannot_fault_need_no_guard() {
    check(
        "columns c0: i64, c1: f64?, c2: i8
        v0: i64 = column c0
        v1: i64 = add v0 v0
        v2: i64 = const 7
        v3: i64 = div v1 v2
        v4: f64? = column c1
        v5: f64? = div v4 v4
        v6: i8 = column c2
        v7: i64 = cast v6
        v8: i64 = const -1
        v9: i64 = rem v0 v8
        sink store v3, v5, v7, v9",
        "",
    );
}

#[test]
fn always_needed_values_are_checked_unconditionally() {
    check(
        "columns c0: i64, c1: i64?
        v0: i64 = column c0
        v1: i64? = column c1
        v2: i64? = div v0 v1
        v3: i64 = const 0
        v4: i64 = div v0 v3
        v5: i64 = const -1
        v6: i64 = div v0 v5
        v7: i64 = rem v3 v0
        sink reduce sum(v2), max(v4), min(v6), count(v7)",
        "check v2
        check v4
        check v6
        check v7",
    );
}

#[test]
fn outputs_are_needed_in_selected_rows_and_the_mask_in_all() {
    // The guard is the mask itself where it has no nulls.
    check(
        "columns c0: i64
        v0: i64 = column c0
        v1: i64 = const 0
        v2: bool = ne v0 v1
        v3: i64 = const 10
        v4: i64 = div v3 v0
        mask v2
        sink reduce sum(v4)",
        "check v4 if v2",
    );
    check(
        "columns c0: i64?
        v0: i64? = column c0
        v1: i64 = const 10
        v2: i64? = div v1 v0
        v3: bool? = gt v2 v1
        v4: i64? = rem v1 v0
        mask v3
        sink compact v4",
        "v5: bool = const false
        v6: bool = coalesce v3 v5
        check v2
        check v4 if v6",
    );
}

#[test]
fn a_select_needs_the_chosen_side() {
    check(
        "columns c0: i64, c1: bool?
        v0: i64 = column c0
        v1: bool? = column c1
        v2: i64 = div v0 v0
        v3: i64 = rem v0 v0
        v4: i64 = select v1 v2 v3
        sink store v4",
        "v5: bool = const false
        v6: bool = coalesce v1 v5
        v7: bool = not v6
        check v2 if v6
        check v3 if v7",
    );
    // Both sides need it: no guard.
    check(
        "columns c0: i64, c1: bool
        v0: i64 = column c0
        v1: bool = column c1
        v2: i64 = div v0 v0
        v3: i64 = add v2 v0
        v4: i64 = select v1 v2 v3
        sink store v4",
        "check v2",
    );
    // The condition is always needed, even where it depends on what it guards.
    check(
        "columns c0: i64
        v0: i64 = column c0
        v1: i64 = const 100
        v2: i64 = div v1 v0
        v3: bool = gt v2 v1
        v4: i64 = rem v1 v0
        v5: i64 = select v3 v4 v2
        sink store v5",
        "check v2
        check v4 if v3",
    );
}

#[test]
fn the_right_sides_of_and_or_coalesce() {
    check(
        "columns c0: i64, c1: bool?
        v0: i64 = column c0
        v1: bool? = column c1
        v2: i64 = div v0 v0
        v3: bool = eq v2 v0
        v4: bool? = and v1 v3
        sink store v4",
        "v5: bool = const true
        v6: bool = coalesce v1 v5
        check v2 if v6",
    );
    check(
        "columns c0: i64, c1: bool
        v0: i64 = column c0
        v1: bool = column c1
        v2: i64 = div v0 v0
        v3: bool = eq v2 v0
        v4: bool = or v1 v3
        sink store v4",
        "v5: bool = not v1
        check v2 if v5",
    );
    check(
        "columns c0: i64, c1: i64?
        v0: i64 = column c0
        v1: i64? = column c1
        v2: i64 = div v0 v0
        v3: i64 = coalesce v1 v2
        v4: i64 = coalesce v0 v2
        sink store v3, v4",
        "v5: bool = is_null v1
        check v2 if v5",
    );
}

#[test]
fn needs_add_up_over_uses_and_nest() {
    check(
        "columns c0: i64, c1: bool, c2: bool
        v0: i64 = column c0
        v1: bool = column c1
        v2: bool = column c2
        v3: i64 = div v0 v0
        v4: i64 = select v1 v3 v0
        v5: i64 = select v2 v3 v0
        sink store v4, v5",
        "v6: bool = or v2 v1
        check v3 if v6",
    );
    check(
        "columns c0: i64, c1: bool, c2: bool
        v0: i64 = column c0
        v1: bool = column c1
        v2: bool = column c2
        v3: i64 = div v0 v0
        v4: i64 = select v1 v3 v0
        v5: i64 = select v2 v4 v0
        sink store v5",
        "v6: bool = and v2 v1
        check v3 if v6",
    );
    // Needed in one of the two for sure: the narrower use adds nothing.
    check(
        "columns c0: i64, c1: bool, c2: bool
        v0: i64 = column c0
        v1: bool = column c1
        v2: bool = column c2
        v3: i64 = div v0 v0
        v4: i64 = select v1 v3 v0
        v5: i64 = select v2 v4 v3
        mask v2
        sink store v5",
        "v6: bool = and v2 v1
        check v3 if v6",
    );
}

#[test]
fn unused_values_are_not_checked() {
    check(
        "columns c0: i64
        v0: i64 = column c0
        v1: i64 = div v0 v0
        sink store v0",
        "",
    );
}

#[test]
fn loops_check_each_iteration_and_are_checked_themselves() {
    check(
        "columns c0: u32, c1: bool
        lists l0: f64
        v0: u32 = column c0
        v1: f64 = const 0x0
        v2 = loop 9 (f64 = v1) {
          v3: u32 = index v2
          v4: f64 = carried v2.0
          v5: u32 = add v3 v0
          v6: f64 = lookup l0 v5
          v7: f64 = add v4 v6
          next v7
        }
        v8: f64 = result v2.0
        v9: bool = column c1
        v10: f64 = select v9 v8 v1
        sink store v10",
        "in v2: check v6
        check v2 if v9",
    );
    // With a condition the next state is needed where it is true; the condition itself whenever it is asked. What the
    // region takes from outside is needed whenever the loop is, though inside it is needed now and then.
    check(
        "columns c0: i64, c1: i64
        v0: i64 = column c0
        v1: i64 = column c1
        v2: i64 = div v0 v1
        v3 = loop 9 (i64 = v0) {
          v4: i64 = carried v3.0
          v5: i64 = rem v4 v1
          v6: bool = gt v5 v1
          v7: i64 = div v4 v5
          v8: i64 = select v6 v7 v2
          while v6
          next v8
        }
        v9: i64 = result v3.0
        sink store v9",
        "in v3: check v5
        in v3: check v7 if v6
        check v2
        check v3",
    );
}

#[test]
fn guards_in_regions_shift_later_values() {
    check(
        "columns c0: i64, c1: bool?
        v0: i64 = column c0
        v1: bool? = column c1
        v2 = loop 3 (i64 = v0) {
          v3: i64 = carried v2.0
          v4 = loop 5 (i64 = v3) {
            v5: i64 = carried v4.0
            v6: i64 = div v5 v3
            v7: i64 = select v1 v6 v5
            next v7
          }
          v8: i64 = result v4.0
          next v8
        }
        v9: i64 = result v2.0
        v10: i64 = div v9 v0
        sink store v10",
        "v8: bool = const false
        v9: bool = coalesce v1 v8
        v10: i64 = result v4.0
        next v10
        v11: i64 = result v2.0
        v12: i64 = div v11 v0
        sink store v12
        in v2: check v4
        in v4: check v6 if v9
        check v2
        check v12",
    );
}

#[test]
fn probes_need_their_keys_before_the_search() {
    // A row without a match never reaches the end, so its keys are checked before; what was found is a row of the table.
    check(
        "columns c0: i64, c1: bool?
        tables t0: keys(i64) columns(i64), t1: keys() columns(i64)
        v0: i64 = column c0
        v1: bool? = column c1
        v2: i64 = div v0 v0
        v3: i64 = rem v0 v0
        v4: u64 = probe inner t0(v2) when v1
        v5: i64 = gather t0.0 v4
        v6: i64 = gather t1.0 v4
        v7: i64 = add v3 v5
        sink compact v7, v6",
        "v4: bool = const false
        v5: bool = coalesce v1 v4
        v6: u64 = probe inner t0(v2) when v1
        v7: i64 = gather t0.0 v6
        v8: i64 = gather t1.0 v6
        v9: i64 = add v3 v7
        sink compact v9, v8
        before v6: check v2 if v5
        check v3
        check v8",
    );
    // The keys of `exists` are needed where its answer is.
    check(
        "columns c0: i64, c1: bool
        tables t0: keys(i64) columns()
        v0: i64 = column c0
        v1: bool = column c1
        v2: i64 = div v0 v0
        v3: bool = probe exists t0(v2)
        v4: bool = and v1 v3
        mask v4
        sink compact v0",
        "check v2 if v1",
    );
    check(
        "columns c0: i64
        tables t0: keys(i64) columns()
        v0: i64 = column c0
        v1: i64 = div v0 v0
        v2: bool = eq v0 v1
        v3: bool = probe exists t0(v0) when v2
        mask v3
        sink compact v0",
        "check v1",
    );
    // It searches where its `when` is true alone.
    check(
        "columns c0: i64, c1: bool
        tables t0: keys(i64) columns()
        v0: i64 = column c0
        v1: bool = column c1
        v2: i64 = div v0 v0
        v3: bool = probe exists t0(v2) when v1
        sink store v3",
        "check v2 if v1",
    );
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut kernel = Kernel {
        columns: vec![DType::I64.required(), DType::Bool.nullable()],
        params: Vec::new(),
        lists: Vec::new(),
        tables: Vec::new(),
        body: Default::default(),
        mask: None,
        sink: Sink::Store { columns: Vec::new() },
    };
    let body = &mut kernel.body;
    let x = body.column(pointsman_ir::body::ColumnId(0), DType::I64.required());
    let condition = body.column(pointsman_ir::body::ColumnId(1), DType::Bool.nullable());
    let mut last = x;
    for i in 0..3_000 {
        let quotient = body.call(Op::Div, &[last, x]).unwrap();
        let other = body.call(Op::IsNull, &[condition]).unwrap();
        let choice = if i % 2 == 0 { condition } else { other };
        last = body.call(Op::Select, &[choice, quotient, last]).unwrap();
    }
    kernel.sink = Sink::Store { columns: vec![last] };
    verify::kernel(&kernel).unwrap();
    let guarded = guard(&kernel);
    verify::kernel(&guarded.kernel).unwrap();
    assert_eq!(guarded.checks.len(), 3_000);
    assert!(guarded.checks.iter().all(|check| matches!(guarded.kernel.body.inst(check.of), Inst::Call { .. })));
    assert_eq!(guarded.checks[0].of, ValueId(2));
}
