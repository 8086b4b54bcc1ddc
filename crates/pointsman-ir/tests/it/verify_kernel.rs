//! Every invariant of kernels, with a kernel that breaks it.

use pointsman_ir::body::{Body, Inst, ValueId};
use pointsman_ir::decompose::{decompose, is_needed};
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::plan::PLAN_DEPTH_MAX;
use pointsman_ir::types::{DType, Scalar};
use pointsman_ir::verify;

/// Columns `c0: f32, c1: i64?, c2: bool, c3: opaque, c4: dict(0), c5: u64, c6: decimal(4,2)` are `v0` to `v6`.
const HEAD: &str = "kernel
columns c0: f32, c1: i64?, c2: bool, c3: opaque, c4: dict(0), c5: u64, c6: decimal(4,2)
params p0: f32
lists l0: f32
tables t0: keys(i64) columns(f64?, u32), t1: keys() columns(i64)
v0: f32 = column c0
v1: i64? = column c1
v2: bool = column c2
v3: opaque = column c3
v4: dict(0) = column c4
v5: u64 = column c5
v6: decimal(4,2) = column c6
";

/// A kernel whose text follows [`HEAD`] is refused with this message; an empty one: it is accepted.
fn check(text: &str, expected: &str) {
    let text = format!("{HEAD}{text}{}", if text.contains("sink") { "" } else { "\nsink store v0" });
    check_kernel(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")), expected);
}

fn check_kernel(kernel: &Kernel, expected: &str) {
    let message = verify::kernel(kernel).err().map_or_else(String::new, |error| error.to_string());
    assert_eq!(message, expected, "{kernel}");
}

#[test]
fn ids_exist() {
    check("", "");
    check("v7: f32 = column c7", "v7: `column`: c7 does not exist: there are 7");
    check("v7: f32 = param p1", "v7: `param`: p1 does not exist: there are 1");
    check("v7: f32 = lookup l1 v5", "v7: `lookup`: l1 does not exist: there are 1");
    check("v7: f32 = gather t2.0 v5", "v7: `gather`: t2 does not exist: there are 2");
    check("v7: f32 = gather t0.2 v5", "v7: `gather`: column 2 of t0 does not exist: there are 2");
    check("v7: u64 = probe inner t2(v1)", "v7: `probe`: t2 does not exist: there are 2");
    check("v7: f32 = neg v9", "v7: `neg` uses v9, but the last value is v7: use one that exists");
    check("sink store v7", "the sink `store` uses v7, but the last value is v6: use one that exists");
    check("mask v9\nsink store", "the kernel uses v9, but the last value is v6: use one that exists");
    check("sink partition range(v0, l1) bits 1 columns()", "the sink `partition`: l1 does not exist: there are 1");
}

#[test]
fn operands_come_first_and_are_visible() {
    check("v7: f32 = neg v8\nv8: f32 = neg v0", "v7: `neg` uses v8 before it is computed: move v8 before its use");
    check("v7: f32 = neg v7", "v7: `neg` uses v7 before it is computed: move v7 before its use");
    let looped = "v7 = loop 4 (f32 = v0) {\nv8: f32 = carried v7.0\nv9: f32 = neg v8\nnext v9\n}\n";
    let outside = "which lies in the loop v7, from outside: carry it in the loop's state and use a `result` of v7";
    check(looped, "");
    check(&format!("{looped}v10: f32 = neg v9"), &format!("v10: `neg` uses v9, {outside}"));
    check(&format!("{looped}sink store v9"), &format!("the sink `store` uses v9, {outside}"));
    check(&format!("{looped}v10: f32 = result v7.0\nsink store v10"), "");
    check(
        &format!("{looped}v10: bool = not v7"),
        "v10: `not` uses v7, which is a loop and has no value: use a `result` of v7",
    );
    check(
        "v7 = loop 4 (f32 = v0) {\nnext v8\n}\nv8: f32 = neg v0",
        "v7: `loop` uses v8 before it is computed: move v8 before its use",
    );
    check("v7 = loop 4 (f32 = v8) {\nv8: f32 = neg v0\nnext v0\n}", &format!("v7: `loop` uses v8, {outside}"));
    check("v7 = loop 4 (bool = v2) {\nnext v7\n}", "v7: `loop` uses v7 before it is computed: move v7 before its use");
    check(
        "v7 = loop 4 (f32 = v0) {\nv8 = loop 4 () {\nv9: f32 = neg v0\nnext\n}\nnext v9\n}",
        "v7: `loop` uses v9, which lies in the loop v8, from outside: carry it in the loop's state and use a `result` of v8",
    );
    check(
        "v7 = loop 4 (bool = v2) {\nv8 = loop 4 () {\nnext\n}\nnext v8\n}",
        "v7: `loop` uses v8, which is a loop and has no value: use a `result` of v8",
    );
}

#[test]
fn loops_are_bounded_and_their_values_are_read_in_scope() {
    check("v7 = loop 0 () {\nnext\n}", "v7: a loop without a bound: give it one of 1 to 16777216 iterations");
    check("v7 = loop 16777217 () {\nnext\n}", "v7: a loop of up to 16777217 iterations: at most 16777216 are allowed");
    check("v7: u32 = index v2", "v7: `index` must lie in the region of a loop, but v2 is none that v7 lies in");
    check(
        "v7 = loop 4 () {\nnext\n}\nv8: u32 = index v7",
        "v8: `index` must lie in the region of a loop, but v7 is none that v8 lies in",
    );
    check(
        "v7 = loop 4 (f32 = v0) {\nv8: f32 = result v7.0\nnext v8\n}",
        "v8: `result` must lie behind a loop's region, but v7 is no loop that ends before v8",
    );
    check(
        "v7: f32 = result v0.0",
        "v7: `result` must lie behind a loop's region, but v0 is no loop that ends before v7",
    );
    check(
        "v7 = loop 4 (f32 = v0) {\nv8: f32 = carried v7.1\nnext v8\n}",
        "v8: `carried`: slot 1 of v7 does not exist: there are 1",
    );
    check("v7 = loop 4 () {\nnext\n}\nv8: f32 = result v7.0", "v8: `result`: slot 0 of v7 does not exist: there are 0");
    check(
        "v7 = loop 4 (f32 = v0) {\nnext v0, v0\n}",
        "v7: `loop` has 1 slots, 1 first values and 2 next values: give one of each for every slot",
    );
    check(
        "v7 = loop 4 (f32 = v1) {\nnext v0\n}",
        "v7: `loop`: the first value v1 of slot 0 must be f32, not i64: cast it",
    );
    check(
        "v7 = loop 4 (f32 = v0) {\nnext v1\n}",
        "v7: `loop`: the next value v1 of slot 0 must be f32, not i64: cast it",
    );
    check(
        "v7 = loop 4 (i64 = v1) {\nnext v1\n}",
        "v7: `loop` has the slot 0 typed i64, but its values are i64?: type it so",
    );
    check(
        "v7 = loop 4 (f32? = v0) {\nnext v0\n}",
        "v7: `loop` has the slot 0 typed f32?, but its values are f32: type it so",
    );
    check("v7 = loop 4 () {\nwhile v0\nnext\n}", "v7: `loop`: the condition v0 must be bool, not f32: cast it");
    let nested = |depth: usize| {
        let open: String = (0..depth).map(|i| format!("v{} = loop 2 () {{\n", i + 7)).collect();
        open + &"next\n}\n".repeat(depth)
    };
    check(&nested(PLAN_DEPTH_MAX), "");
    check(&nested(PLAN_DEPTH_MAX + 1), "v207: loops are nested more than 200 deep: compute the inner ones first");
}

#[test]
fn regions_are_nested() {
    let check_ends = |ends: &[u32], expected: &str| {
        let mut body = Body::new();
        for &end in ends {
            let open = Inst::Loop { bound: 1, slots: vec![], init: vec![], end, while_: None, next: vec![] };
            body.push(open, DType::Bool.required());
        }
        check_kernel(&kernel_of(body), expected);
    };
    check_ends(&[3, 3, 3], "");
    check_ends(&[0], "v0: the region of a `loop` must end behind v0 and at 1 at the latest, not at 0: close it there");
    check_ends(&[2], "v0: the region of a `loop` must end behind v0 and at 1 at the latest, not at 2: close it there");
    check_ends(
        &[2, 3, 3],
        "v1: the region of a `loop` must end behind v1 and at 2 at the latest, not at 3: close it there",
    );
}

fn kernel_of(body: Body) -> Kernel {
    let sink = Sink::Store { columns: vec![] };
    Kernel { columns: vec![], params: vec![], lists: vec![], tables: vec![], body, mask: None, sink }
}

#[test]
fn types_follow_the_rules() {
    check("v7: f64 = column c0", "v7: `column` gives f32, but v7 is typed f64: type it f32");
    check("v7: f32? = param p0", "v7: `param` gives f32, but v7 is typed f32?: type it f32");
    check("v7: u32 = row_index", "v7: `row_index` gives u64, but v7 is typed u32: type it u64");
    check("v7: i64 = neg v1", "v7: `neg` gives i64?, but v7 is typed i64: type it i64?");
    check(
        "v7: f32 = add v0 v1",
        "v7: `add`: both sides must have one type, but they are f32 and i64: cast one of them",
    );
    check("v7: f32 = add v0", "v7: `add`: takes 2 operands, not 1");
    check("v7: f32 = add", "v7: `add`: takes 2 operands, not 0");
    check("v7: bool = cast v0", "v7: `cast`: there is no conversion from f32 to bool");
    check("v7: i8 = cast v0", "");
    check("v7: f64 = lookup l0 v5", "v7: `lookup` gives f32, but v7 is typed f64: type it f32");
    check("v7: f32 = lookup l0 v1", "v7: `lookup` goes by an index of type u32 or u64, not i64: cast it");
    check("v7: f64 = gather t0.0 v5", "v7: `gather` gives f64?, but v7 is typed f64: type it f64?");
    check("v7: f64? = gather t0.0 v1", "v7: `gather`: a row number must be u64, not i64: cast it");
    check("v7: bool = probe inner t0(v1)\nsink compact", "v7: `probe` gives u64, but v7 is typed bool: type it u64");
    check("v7 = loop 4 () {\nv8: u64 = index v7\nnext\n}", "v8: `index` gives u32, but v8 is typed u64: type it u32");
    let mut body = Body::new();
    let open = Inst::Loop { bound: 1, slots: vec![], init: vec![], end: 1, while_: None, next: vec![] };
    body.push(open, DType::U8.required());
    check_kernel(&kernel_of(body), "v0: `loop` gives bool, but v0 is typed u8: type it bool");
}

#[test]
fn constants_are_held_as_their_type_says() {
    check("v7: i8 = const null", "v7: `const` gives i8?, but v7 is typed i8: type it i8?");
    check("v7: i8? = const 1", "");
    check("v7: decimal(4,2) = const -9999", "");
    check(
        "v7: decimal(4,2) = const 10000",
        "v7: `const`: 10000 has more than the 4 digits of decimal(4,2): use a wider decimal",
    );
    check(
        "v7: decimal(38,0) = const -100000000000000000000000000000000000000",
        "v7: `const`: -100000000000000000000000000000000000000 has more than the 38 digits of decimal(38,0): use a wider decimal",
    );
    let mut body = Body::new();
    body.constant(Scalar::I64(1), DType::I32);
    check_kernel(&kernel_of(body), "v0: `const` holds a value of I64, but a i32 is held in I32: convert the value");
}

#[test]
fn decimals_have_digits_within_limits() {
    let limits = "a decimal has 1 to 38 digits, no more of them behind the point";
    let no_type = |what: &str, ty: &str| format!("{what}: there is no type {ty}: {limits}");
    check("v7: decimal(39,0) = const 1", &no_type("v7 (`const`)", "decimal(39,0)"));
    check("v7: decimal(0,0)? = cast v0", &no_type("v7 (`cast`)", "decimal(0,0)"));
    check("v7 = loop 1 (decimal(2,3) = v6) {\nnext v6\n}", &no_type("v7: `loop` slot 0", "decimal(2,3)"));
    let check_head = |head: &str, expected: &str| {
        check_kernel(&parse(&format!("kernel\n{head}\nsink store")).unwrap(), expected);
    };
    check_head("columns c0: decimal(2,3)", &no_type("c0", "decimal(2,3)"));
    check_head("params p0: decimal(255,3)", &no_type("p0", "decimal(255,3)"));
    check_head("lists l0: decimal(39,3)", &no_type("l0", "decimal(39,3)"));
    check_head("tables t0: keys(decimal(2,3)) columns()", &no_type("t0", "decimal(2,3)"));
    check_head("tables t0: keys() columns(decimal(2,3))", &no_type("t0", "decimal(2,3)"));
    check_head(
        "tables t0: keys(opaque) columns()",
        "t0: the key 0 is opaque and cannot be compared: use another column",
    );
}

#[test]
fn probes_bring_the_keys_of_their_table() {
    let sink = "\nsink compact";
    check(&format!("v7: u64 = probe inner t0(v1) when v2{sink}"), "");
    let one_each = "a probe needs one value for each key of a built table";
    check(
        &format!("v7: u64 = probe inner t0(){sink}"),
        &format!("v7: `probe` brings 0 keys, but t0 has 1: {one_each}"),
    );
    check(
        &format!("v7: u64 = probe inner t1(){sink}"),
        &format!("v7: `probe` brings 0 keys, but t1 has 0: {one_each}"),
    );
    check(&format!("v7: u64 = probe inner t0(v0){sink}"), "v7: `probe`: the key v0 must be i64, not f32: cast it");
    check(
        &format!("v7: u64 = probe inner t0(v1) when v0{sink}"),
        "v7: `probe`: the condition v0 must be bool, not f32: cast it",
    );
    check(
        "v7 = loop 4 () {\nv8: bool = probe exists t0(v1)\nnext\n}",
        "v8: `probe` lies in the loop v7: probe at the top level, before the loop",
    );
}

#[test]
fn sinks_reject_unsupported_operands() {
    check("mask v0\nsink compact v0", "the kernel: the mask v0 must be bool, not f32: compare it with something");
    check("sink reduce sum()", "the sink `reduce`: `sum` needs a value: only `count` can do without");
    check("sink reduce sum(v2)", "the sink `reduce`: `sum` takes numbers, but v2 is bool: cast it");
    check("sink reduce count(v3), count(), min(v2)", "");
    check(
        "sink reduce max(v4)",
        "the sink `reduce`: `max` takes values with an order, but v4 is dict(0): fold another column",
    );
    check(
        "sink group keys(v4) folds(min(v3)) order hash",
        "the sink `group`: `min` takes values with an order, but v3 is opaque: fold another column",
    );
    check("sink scan columns(v0) running(sum(v2))", "the sink `scan`: `sum` takes numbers, but v2 is bool: cast it");
    check(
        "sink scan columns() running() segment v1",
        "the sink `scan`: the segment start v1 must be bool, not i64: compare it with something",
    );
    check(
        "sink sort keys(v4 asc nulls_last) columns()",
        "the sink `sort`: the key v4 is dict(0), which has no order: order by another column",
    );
    let opaque = "the key v3 is opaque and cannot be compared: use another column";
    check("sink group keys(v3) folds() order hash", &format!("the sink `group`: {opaque}"));
    check("sink build keys(v3) columns()", &format!("the sink `build`: {opaque}"));
    check("sink partition hash(v3) bits 1 columns()", &format!("the sink `partition`: {opaque}"));
    check("sink partition hash(v0) bits 17 columns()", "the sink `partition` has 2^17 partitions: make at most 2^16");
    check(
        "sink group keys(v0) folds() order least v1",
        "the sink `group`: the order value v1 must be u64 without nulls, not i64?: take the row number",
    );
    check("sink reduce sum(v0) fast", "");
    check("sink reduce max(v0) fast", "the sink `reduce`: `max` cannot be fast: only sums of floats can");
    check("sink reduce sum(v1) fast", "the sink `reduce`: `sum` of i64 cannot be fast: only sums of floats can");
    check(
        "sink reduce count(state c0)",
        "the sink `reduce`: `count` takes an accumulator (c0): only kernels that merge groups do",
    );
    check(
        "sink group keys(v0) folds(sum(state c0 of f32)) order hash",
        "the sink `group`: the columns from c0 on do not hold accumulators of `sum`",
    );
    check(
        "sink partition range(v1, l0) bits 1 columns()",
        "the sink `partition`: the key v1 is i64, but its bounds l0 are f32: cast the key",
    );
    check(
        "sink partition range(v4, l0) bits 1 columns()",
        "the sink `partition`: the key v4 is dict(0), which has no order: order by another column",
    );
}

#[test]
fn sinks_that_go_by_source_rows_refuse_probes_that_multiply_them() {
    let remedy = "multiplies them: use `compact`, or probe by `exists`";
    check(
        "v7: u64? = probe left t0(v1)\nsink store v0",
        &format!("the sink `store` goes by source rows, but the probe v7 {remedy}"),
    );
    check(
        "v7: u64 = probe inner t0(v1)\nv8: bool = probe exists t0(v1)\nsink scan columns(v0) running()",
        &format!("the sink `scan` goes by source rows, but the probe v7 {remedy}"),
    );
    for sink in
        ["sort keys(v0 asc nulls_last) columns()", "build keys(v0) columns()", "partition hash(v0) bits 1 columns()"]
    {
        let name = sink.split(' ').next().unwrap();
        check(
            &format!("v7: u64 = probe inner t0(v1)\nsink {sink}"),
            &format!("the sink `{name}` goes by source rows, but the probe v7 {remedy}"),
        );
        check(&format!("v7: u64 = probe unique_inner t0(v1)\nsink {sink}"), "");
    }
    check("v7: bool = probe exists t0(v1)\nsink store v7", "");
    check("v7: u64? = probe unique_left t0(v1)\nsink store v7", "");
}

#[test]
fn elementary_functions_have_code() {
    let kernel = parse(include_str!("../kernels/in/elementary.kernel")).unwrap();
    let decomposed = decompose(&kernel);
    verify::kernel(&decomposed).unwrap();
    assert!(!is_needed(&decomposed));
    assert_eq!(decompose(&decomposed), decomposed);
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut body = Body::new();
    let mut v = body.constant(Scalar::I64(1), DType::I64);
    for _ in 0..100_000 {
        v = body.call(pointsman_ir::op::Op::Neg, &[v]).unwrap();
    }
    let kernel = Kernel { sink: Sink::Store { columns: vec![ValueId(v.0)] }, ..kernel_of(body) };
    verify::kernel(&kernel).unwrap();
    assert_eq!(parse(&kernel.print()).unwrap(), kernel);
}
