//! The passes over expressions: each rewrite, and each that must not happen. Expressions are written as kernels that

//! store; what a pass makes of them is compared after fusion, so that names and dead values do not show.

use pointsman_ir::fuse::{fuse, print_stages};
use pointsman_ir::kernel::Sink;
use pointsman_ir::kernel::parse::parse;
use pointsman_ir::op::Op;
use pointsman_ir::passes::{self, NAMES, Observer, PassOptions};
use pointsman_ir::plan::{NodeId, NodeKind, Plan, PlanColumn, PlanErrorKind, SourceId};
use pointsman_ir::types::{DType, Scalar, Schema};

/// The plan of a kernel that stores: a source and a projection.
fn plan_of(text: &str) -> Plan {
    let kernel = parse(&format!("kernel\n{text}")).unwrap();
    let Sink::Store { columns } = kernel.sink else { panic!("tests store") };
    let mut plan = Plan { body: kernel.body, params: kernel.params, lists: kernel.lists, ..Plan::default() };
    let fields = kernel.columns.iter().enumerate().map(|(i, &ty)| (format!("c{i}"), ty));
    let source = plan.source(SourceId(0), Schema::new(fields));
    plan.columns = (0..kernel.columns.len() as u32).map(|index| PlanColumn { node: source, index }).collect();
    plan.push(NodeKind::Project { input: source, columns }, &[]);
    plan
}

fn only(pass: &str) -> PassOptions {
    PassOptions { disabled: NAMES.iter().filter(|name| **name != pass).map(|name| name.to_string()).collect() }
}

/// Columns by their letters: `x y` are i64, `m n` i64?, `f g` f64, `h` f64?, `b c` bool, `d` bool?, `i` i32, `s` f32.
const COLUMNS: &str = "columns c0: i64, c1: i64, c2: i64?, c3: i64?, c4: f64, c5: f64, c6: f64?, c7: bool, c8: bool, c9: bool?, c10: i32, c11: f32
v0: i64 = column c0
v1: i64 = column c1
v2: i64? = column c2
v3: i64? = column c3
v4: f64 = column c4
v5: f64 = column c5
v6: f64? = column c6
v7: bool = column c7
v8: bool = column c8
v9: bool? = column c9
v10: i32 = column c10
v11: f32 = column c11
";

/// A pass turns the last value of `before` into that of `after`. Lines are numbered from 12.
fn check(pass: &str, before: &[&str], after: &[&str]) {
    let text = |lines: &[&str]| {
        let numbered: String = lines
            .iter()
            .enumerate()
            .map(|(i, line)| {
                let (ty, inst) = line.split_once(" = ").unwrap();
                format!("v{}: {ty} = {inst}\n", i + 12)
            })
            .collect();
        format!("{COLUMNS}{numbered}sink store v{}", lines.len() + 11)
    };
    let made = passes::run(plan_of(&text(before)), &only(pass), &mut ()).unwrap();
    let found = print_stages(&fuse(&made).unwrap());
    let wanted = print_stages(&fuse(&plan_of(&text(after))).unwrap());
    assert_eq!(found, wanted, "{pass}: {before:?}");
}

fn kept(pass: &str, lines: &[&str]) {
    check(pass, lines, lines);
}

#[test]
fn constants_fold() {
    let pass = "fold-constants";
    check(pass, &["i64 = const 2", "i64 = const 40", "i64 = add v12 v13"], &["i64 = const 42"]);
    check(pass, &["i64 = const 9223372036854775807", "i64 = add v12 v12"], &["i64 = const -2"]);
    check(
        pass,
        &["i32 = const 7", "i64 = cast v12", "i64 = neg v13", "i64 = mul v0 v14"],
        &["i64 = const -7", "i64 = mul v0 v12"],
    );
    // −0 + −0 is −0, and every NaN is the one NaN.
    check(pass, &["f64 = const 0x8000000000000000", "f64 = add v12 v12"], &["f64 = const 0x8000000000000000"]);
    check(pass, &["f64 = const 0x0", "f64 = div v12 v12"], &["f64 = const 0x7ff8000000000000"]);
    // A null makes a strict operation null, whatever the other side.
    check(pass, &["i64? = const null", "i64? = add v0 v12"], &["i64? = const null"]);
    check(pass, &["i64? = const null", "i64? = div v0 v12"], &["i64? = const null"]);
    check(pass, &["i64? = const null", "bool = is_null v12"], &["bool = const true"]);
    check(pass, &["bool? = const null", "bool = const false", "bool? = and v12 v13"], &["bool? = const false"]);
}

#[test]
fn faulting_and_unknown_values_do_not_fold() {
    let pass = "fold-constants";
    kept(pass, &["i64 = const 1", "i64 = const 0", "i64 = div v12 v13"]);
    kept(pass, &["i64 = const -9223372036854775808", "i64 = const -1", "i64 = div v12 v13"]);
    kept(pass, &["i64 = const 300", "i8 = cast v12"]);
    kept(pass, &["i64 = const 9223372036854775807", "i64 = checked_add v12 v12"]);
    kept(pass, &["bool? = const null", "bool? = and v7 v12"]);
    kept(pass, &["i64? = const null", "i64 = coalesce v12 v0"]);
}

#[test]
fn elementary_functions_are_constant_folded() {
    check("fold-constants", &["f64 = const 0x0", "f64 = exp v12"], &["f64 = const 0x3ff0000000000000"]);
    check("fold-constants", &["f32 = const 0xbf800000", "f32 = ln v12"], &["f32 = const 0x7fc00000"]);
}

#[test]
fn neutral_operands_are_removed() {
    let pass = "simplify";
    for (constant, op) in
        [("0", "add"), ("0", "sub"), ("1", "mul"), ("1", "div"), ("0", "checked_add"), ("1", "checked_mul")]
    {
        let constant = format!("i64 = const {constant}");
        check(pass, &[&constant, &format!("i64 = {op} v0 v12"), "i64 = neg v13"], &["i64 = neg v0"]);
        check(pass, &[&constant, &format!("i64? = {op} v2 v12"), "i64? = neg v13"], &["i64? = neg v2"]);
    }
    check(pass, &["i64 = const 0", "i64 = add v12 v0", "i64 = neg v13"], &["i64 = neg v0"]);
    kept(pass, &["i64 = const 0", "i64 = sub v12 v0"]);
    kept(pass, &["i64 = const 1", "i64 = div v12 v0"]);
    check(pass, &["f64 = const 0x3ff0000000000000", "f64? = mul v12 v6", "f64? = neg v13"], &["f64? = neg v6"]);
}

#[test]
fn positive_and_negative_zero_are_distinguished() {
    let pass = "simplify";
    let (plus, minus) = ("f64 = const 0x0", "f64 = const 0x8000000000000000");
    check(pass, &[minus, "f64 = add v4 v12", "f64 = neg v13"], &["f64 = neg v4"]);
    check(pass, &[minus, "f64 = add v12 v4", "f64 = neg v13"], &["f64 = neg v4"]);
    check(pass, &[plus, "f64 = sub v4 v12", "f64 = neg v13"], &["f64 = neg v4"]);
    kept(pass, &[plus, "f64 = add v4 v12"]);
    kept(pass, &[minus, "f64 = sub v4 v12"]);
    kept(pass, &[plus, "f64 = mul v4 v12"]);
    kept(pass, &["f64 = sub v4 v4"]);
    kept(pass, &["f64 = div v4 v4"]);
    // (x + y) - y is x for no float.
    kept(pass, &["f64 = add v4 v5", "f64 = sub v12 v5"]);
}

#[test]
fn zero_products_and_differences_of_integers() {
    let pass = "simplify";
    check(pass, &["i64 = const 0", "i64 = mul v0 v12"], &["i64 = const 0"]);
    check(pass, &["i64 = sub v0 v0"], &["i64 = const 0"]);
    check(pass, &["i64 = bit_xor v0 v0"], &["i64 = const 0"]);
    // A null stays null.
    kept(pass, &["i64 = const 0", "i64? = mul v2 v12"]);
    kept(pass, &["i64? = sub v2 v2"]);
    // An error may go with a value nobody needs.
    check(pass, &["i64 = const 0", "i64 = div v0 v1", "i64 = mul v13 v12"], &["i64 = const 0"]);
}

#[test]
fn inverse_operations_cancel() {
    let pass = "simplify";
    check(pass, &["i64 = neg v0", "i64 = neg v12", "i64 = abs v13"], &["i64 = abs v0"]);
    check(pass, &["f64 = neg v4", "f64 = neg v12", "f64 = abs v13"], &["f64 = abs v4"]);
    check(pass, &["bool? = not v9", "bool? = not v12", "bool = is_null v13"], &["bool = is_null v9"]);
    check(pass, &["bool = lt v4 v5", "bool = not v12"], &["bool = ge v4 v5"]);
    check(pass, &["bool? = eq v2 v3", "bool? = not v12"], &["bool? = ne v2 v3"]);
    kept(pass, &["i64 = neg v0", "i64 = abs v12"]);
}

#[test]
fn selections() {
    let pass = "simplify";
    check(pass, &["bool = const true", "i64 = select v12 v0 v1", "i64 = neg v13"], &["i64 = neg v0"]);
    check(pass, &["bool = const false", "i64 = select v12 v0 v1", "i64 = neg v13"], &["i64 = neg v1"]);
    check(pass, &["bool? = const null", "i64 = select v12 v0 v1", "i64 = neg v13"], &["i64 = neg v1"]);
    check(pass, &["i64 = select v9 v0 v0", "i64 = neg v12"], &["i64 = neg v0"]);
    check(
        pass,
        &["bool = const true", "bool = const false", "bool = select v7 v12 v13", "bool = or v14 v8"],
        &["bool = or v7 v8"],
    );
    // A null condition takes the third operand, so it is not the condition itself.
    kept(pass, &["bool = const true", "bool = const false", "bool = select v9 v12 v13"]);
    kept(pass, &["bool? = const true", "bool = const false", "bool? = select v9 v12 v13"]);
    // The chosen side has another type.
    kept(pass, &["bool = const true", "i64? = select v12 v0 v2"]);
    kept(pass, &["i64 = select v7 v0 v1"]);
}

#[test]
fn null_checks_of_required_values_fold() {
    let pass = "simplify";
    check(pass, &["i64 = coalesce v0 v1", "i64 = neg v12"], &["i64 = neg v0"]);
    check(pass, &["bool = is_null v0"], &["bool = const false"]);
    check(pass, &["i64? = const null", "i64? = coalesce v12 v2", "i64? = neg v13"], &["i64? = neg v2"]);
    kept(pass, &["i64 = coalesce v2 v0"]);
    kept(pass, &["bool = is_null v2"]);
}

#[test]
fn logic_with_constants() {
    let pass = "simplify";
    let (yes, no) = ("bool = const true", "bool = const false");
    check(pass, &[yes, "bool? = and v9 v12", "bool = is_null v13"], &["bool = is_null v9"]);
    check(pass, &[yes, "bool? = and v12 v9", "bool = is_null v13"], &["bool = is_null v9"]);
    check(pass, &[no, "bool? = or v9 v12", "bool = is_null v13"], &["bool = is_null v9"]);
    check(pass, &[no, "bool = and v7 v12"], &["bool = const false"]);
    check(pass, &[yes, "bool? = or v9 v12"], &["bool? = const true"]);
    check(pass, &["bool? = and v9 v9", "bool = is_null v12"], &["bool = is_null v9"]);
    kept(pass, &["bool? = const null", "bool? = and v9 v12"]);
}

#[test]
fn comparisons_with_itself() {
    let pass = "simplify";
    // NaN equals itself here.
    check(pass, &["bool = eq v4 v4"], &["bool = const true"]);
    check(pass, &["bool = lt v4 v4"], &["bool = const false"]);
    kept(pass, &["bool? = eq v6 v6"]);
    kept(pass, &["bool = eq v4 v5"]);
}

#[test]
fn casts() {
    let pass = "simplify";
    check(pass, &["i64 = cast v0", "i64 = neg v12"], &["i64 = neg v0"]);
    check(pass, &["i64 = cast v10", "i8 = cast v12"], &["i8 = cast v10"]);
    check(pass, &["i64 = cast v10", "i32 = cast v12", "i32 = neg v13"], &["i32 = neg v10"]);
    check(pass, &["i64 = cast v10", "f32 = cast v12"], &["f32 = cast v10"]);
    check(pass, &["f64 = cast v11", "f32 = cast v12", "f32 = neg v13"], &["f32 = neg v11"]);
    check(pass, &["f64 = cast v11", "i8 = cast_saturating v12"], &["i8 = cast_saturating v11"]);
    check(pass, &["i32 = cast v7", "i64 = cast v12"], &["i64 = cast v7"]);
    // These lose something on the way.
    kept(pass, &["i32 = cast v0", "i64 = cast v12"]);
    kept(pass, &["f32 = cast v4", "f64 = cast v12"]);
    kept(pass, &["u32 = cast v10", "i64 = cast v12"]);
    kept(pass, &["f64 = cast v10", "i32 = cast v12"]);
}

#[test]
fn decimals_keep_their_digits() {
    let text = |inst: &str| {
        format!(
            "columns c0: decimal(38,0)\nv0: decimal(38,0) = column c0\nv1: decimal(1,0) = const 1\n{inst}\nsink store v2"
        )
    };
    let plan = plan_of(&text("v2: decimal(38,0) = mul v0 v1"));
    let made = passes::run(plan.clone(), &PassOptions::default(), &mut ()).unwrap();
    assert_eq!(fuse(&made).unwrap(), fuse(&plan).unwrap());
}

/// How many operations the plan has.
fn calls(plan: &Plan) -> usize {
    use pointsman_ir::body::Inst;
    plan.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Call { .. })).count()
}

#[test]
fn equal_values_are_computed_once() {
    let text = "columns c0: i64
        v0: i64 = column c0
        v1: i64 = add v0 v0
        v2: i64 = column c0
        v3: i64 = add v2 v2
        v4: i64 = mul v1 v3
        v5: i64 = mul v3 v1
        v6: i64 = div v0 v2
        sink store v4, v5";
    let plan = plan_of(text);
    let made = passes::run(plan, &only("common-subexpressions"), &mut ()).unwrap();
    assert_eq!(calls(&made), 2, "{made}");
}

#[test]
fn a_loop_takes_nothing_from_outside_that_can_fault() {
    let text = |inside: &str| {
        format!(
            "columns c0: i64, c1: bool
            v0: i64 = column c0
            v1: bool = column c1
            v2: i64 = {inside} v0 v0
            v3: i64 = select v1 v2 v0
            v4 = loop 3 (i64 = v0) {{
              v5: i64 = carried v4.0
              v6: i64 = {inside} v0 v0
              v7: i64 = select v1 v6 v5
              next v7
            }}
            v8: i64 = result v4.0
            sink store v3, v8"
        )
    };
    let calls_with =
        |inside: &str| calls(&passes::run(plan_of(&text(inside)), &only("common-subexpressions"), &mut ()).unwrap());
    assert_eq!((calls_with("mul"), calls_with("div")), (3, 4));
    let fused = |inside: &str| fuse(&plan_of(&text(inside))).unwrap()[0].kernel.body.len();
    assert_eq!(fused("mul") + 1, fused("div"));
}

#[test]
fn passes_are_switched_off_by_name_and_observed() {
    struct Log(Vec<String>);
    impl Observer for Log {
        fn before(&mut self, pass: &'static str) {
            self.0.push(format!("before {pass}"));
        }
        fn after(&mut self, pass: &'static str, plan: &Plan) {
            self.0.push(format!("after {pass}: {}", calls(plan)));
        }
    }
    let text = "columns c0: i64\nv0: i64 = column c0\nv1: i64 = const 0\nv2: i64 = add v0 v1\nsink store v2";
    let mut log = Log(Vec::new());
    let options =
        PassOptions { disabled: ["common-subexpressions", "prune-columns", "push-filters"].map(str::to_string).into() };
    passes::run(plan_of(text), &options, &mut log).unwrap();
    assert_eq!(log.0, ["before fold-constants", "after fold-constants: 1", "before simplify", "after simplify: 0"]);

    let options = PassOptions { disabled: ["inline".to_string()].into() };
    let error = passes::run(plan_of(text), &options, &mut ()).unwrap_err();
    assert_eq!(error.kind, PlanErrorKind::Invalid);
    assert_eq!(
        error.message,
        "there is no pass `inline` to leave out: the passes are fold-constants, common-subexpressions, simplify, push-filters, prune-columns"
    );
    let all = PassOptions { disabled: NAMES.iter().map(|name| name.to_string()).collect() };
    assert_eq!(passes::run(plan_of(text), &all, &mut ()).unwrap(), plan_of(text));
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let mut plan = Plan::default();
    let source = plan.source(SourceId(0), Schema::new([("x", DType::I64.required())]));
    let one = plan.body.constant(Scalar::I64(1), DType::I64);
    let x = plan.column(source, 0);
    let mut last = x;
    for i in 0..9_000 {
        let op = if i % 3 == 0 { Op::CheckedAdd } else { Op::Mul };
        last = plan.body.call(op, &[last, one]).unwrap();
    }
    plan.push(NodeKind::Project { input: source, columns: vec![last] }, &[]);
    let top = NodeId(1);
    let again = plan.column(top, 0);
    let predicate = plan.body.call(Op::Gt, &[again, one]).unwrap();
    plan.push(NodeKind::Filter { input: top, predicate }, &[]);
    let made = passes::run(plan.clone(), &PassOptions::default(), &mut ()).unwrap();
    assert_eq!(calls(&made), 3_000 + 1);
    assert_eq!(fuse(&made).unwrap().len(), 1);
    assert_eq!(fuse(&plan).unwrap()[0].kernel.body.len(), 9_003);
}
