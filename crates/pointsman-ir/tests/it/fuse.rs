//! Fusion: plans in, stages as text out.

use pointsman_ir::body::{ListId, ParamId, ValueId};
use pointsman_ir::fuse::{StageParam, fuse, print_stages};
use pointsman_ir::kernel::{Fold, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{EquiJoinKind, NodeId, NodeKind, Plan, PlanErrorKind, ROW_NUMBER, RowOrder, SourceId};
use pointsman_ir::types::{DType, Scalar, Schema};

/// A source `x: i64, y: i64?, f: f64, b: bool?`.
fn source(plan: &mut Plan, number: u32) -> NodeId {
    let fields = [
        ("x", DType::I64.required()),
        ("y", DType::I64.nullable()),
        ("f", DType::F64.required()),
        ("b", DType::Bool.nullable()),
    ];
    plan.source(SourceId(number), Schema::new(fields))
}

fn table() -> (Plan, NodeId) {
    let mut plan = Plan::default();
    let source = source(&mut plan, 0);
    (plan, source)
}

fn call(plan: &mut Plan, op: Op, args: &[ValueId]) -> ValueId {
    plan.body.call(op, args).unwrap()
}

fn sum(value: ValueId) -> Fold {
    Fold::of(FoldOp::Sum, value)
}

fn ascending(value: ValueId) -> SortKey {
    SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last }
}

fn check(plan: &Plan, expected: &str) {
    let stages = fuse(plan).unwrap_or_else(|error| panic!("{error}\n{plan}"));
    let wanted: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    let found: String = print_stages(&stages).lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, wanted);
}

/// from → filter → map → sum.
fn filter_map_sum() -> Plan {
    let (mut plan, source) = table();
    let (f, p) = (plan.column(source, 2), plan.param(DType::F64.required()));
    let predicate = call(&mut plan, Op::Gt, &[f, p]);
    let filter = plan.push(NodeKind::Filter { input: source, predicate }, &[]);
    let (f, x) = (plan.column(filter, 2), plan.column(filter, 0));
    let q = plan.param(DType::F64.required());
    let (product, unused) = (call(&mut plan, Op::Mul, &[f, q]), call(&mut plan, Op::Neg, &[x]));
    let project = plan.push(NodeKind::Project { input: filter, columns: vec![unused, product] }, &[]);
    let value = plan.column(project, 1);
    plan.push(NodeKind::Reduce { input: project, folds: vec![sum(value), Fold::COUNT_ROWS] }, &[]);
    plan
}

#[test]
fn filter_map_and_sum_are_one_kernel() {
    check(
        &filter_map_sum(),
        "# stage 0: source 0, columns [2], params [p0, p1]
        kernel
        columns c0: f64
        params p0: f64, p1: f64
        v0: f64 = column c0
        v1: f64 = param p0
        v2: bool = gt v0 v1
        v3: f64 = param p1
        v4: f64 = mul v0 v3
        mask v2
        sink reduce sum(v4), count()",
    );
}

#[test]
fn equal_queries_give_equal_kernels() {
    // Other columns of a wider source, other parameters: the same program.
    let mut plan = Plan::default();
    let fields = ["a", "b", "c"].map(|name| (name, DType::F64.required()));
    let source = plan.source(SourceId(3), Schema::new(fields));
    let (_, p, q) =
        (plan.param(DType::I8.required()), plan.param(DType::F64.required()), plan.param(DType::F64.required()));
    let c = plan.column(source, 2);
    let predicate = call(&mut plan, Op::Gt, &[c, p]);
    let filter = plan.push(NodeKind::Filter { input: source, predicate }, &[]);
    let c = plan.column(filter, 2);
    let product = call(&mut plan, Op::Mul, &[c, q]);
    plan.push(NodeKind::Reduce { input: filter, folds: vec![sum(product), Fold::COUNT_ROWS] }, &[]);
    let (first, second) = (fuse(&filter_map_sum()).unwrap(), fuse(&plan).unwrap());
    assert_eq!(first[0].kernel, second[0].kernel);
    assert_eq!(second[0].params, [1, 2].map(|param| StageParam::Given(ParamId(param))));
}

#[test]
fn rows_without_a_sink_are_stored_or_compacted() {
    let (mut plan, source) = table();
    let number = plan.column(source, ROW_NUMBER);
    let x = plan.column(source, 0);
    plan.push(NodeKind::Project { input: source, columns: vec![number, x, number] }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [0]
        kernel
        columns c0: i64
        v0: u64 = row_index
        v1: i64 = column c0
        sink store v0, v1, v0",
    );
    let (mut plan, source) = table();
    let (b, y) = (plan.column(source, 3), plan.column(source, 1));
    let filter = plan.push(NodeKind::Filter { input: source, predicate: b }, &[]);
    let x = plan.column(filter, 0);
    let above = call(&mut plan, Op::Ge, &[x, x]);
    let _ = y;
    let second = plan.push(NodeKind::Filter { input: filter, predicate: above }, &[]);
    let x = plan.column(second, 0);
    plan.push(NodeKind::Project { input: second, columns: vec![x] }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [3, 0]
        kernel
        columns c0: bool?, c1: i64
        v0: bool? = column c0
        v1: i64 = column c1
        v2: bool = ge v1 v1
        v3: bool? = and v0 v2
        mask v3
        sink compact v1",
    );
    let (plan, _) = table();
    check(
        &plan,
        "# stage 0: source 0, columns [0, 1, 2, 3]
        kernel
        columns c0: i64, c1: i64?, c2: f64, c3: bool?
        v0: i64 = column c0
        v1: i64? = column c1
        v2: f64 = column c2
        v3: bool? = column c3
        sink store v0, v1, v2, v3",
    );
}

/// Projects whether `checked_mul(y, y)` is null, through `wrap`.
fn null_test(wrap: impl Fn(&mut Plan, ValueId, ValueId) -> ValueId) -> Plan {
    let (mut plan, source) = table();
    let y = plan.column(source, 1);
    let product = call(&mut plan, Op::CheckedMul, &[y, y]);
    let project = plan.push(NodeKind::Project { input: source, columns: vec![product, y] }, &[]);
    let (product, y) = (plan.column(project, 0), plan.column(project, 1));
    let tested = wrap(&mut plan, product, y);
    let test = call(&mut plan, Op::IsNull, &[tested]);
    plan.push(NodeKind::Project { input: project, columns: vec![test] }, &[]);
    plan
}

#[test]
fn a_null_test_needs_validity_and_not_the_value() {
    check(
        &null_test(|_, product, _| product),
        "# stage 0: source 0, columns [1]
        kernel
        columns c0: i64?
        v0: i64? = column c0
        v1: bool = is_null v0
        v2: bool = or v1 v1
        sink store v2",
    );
    check(
        &null_test(|plan, product, y| call(plan, Op::Coalesce, &[product, y])),
        "# stage 0: source 0, columns [1]
        kernel
        columns c0: i64?
        v0: i64? = column c0
        v1: bool = is_null v0
        v2: bool = or v1 v1
        v3: bool = and v2 v1
        sink store v3",
    );
}

#[test]
fn null_test_of_logic_needs_the_operand_that_is_not_null() {
    check(
        &null_test(|plan, product, y| {
            let positive = call(plan, Op::Gt, &[product, y]);
            call(plan, Op::And, &[positive, positive])
        }),
        "# stage 0: source 0, columns [1]
        kernel
        columns c0: i64?
        v0: i64? = column c0
        v1: i64? = checked_mul v0 v0
        v2: bool? = gt v1 v0
        v3: bool = is_null v0
        v4: bool = or v3 v3
        v5: bool = or v4 v3
        v6: bool? = select v5 v2 v2
        v7: bool = const false
        v8: bool = coalesce v6 v7
        v9: bool = or v5 v5
        v10: bool = and v5 v5
        v11: bool = not v10
        v12: bool = and v9 v11
        v13: bool = select v12 v8 v10
        sink store v13",
    );
}

#[test]
fn null_test_of_select_needs_the_condition_and_no_branch() {
    check(
        &null_test(|plan, product, y| {
            let condition = call(plan, Op::Gt, &[y, y]);
            call(plan, Op::Select, &[condition, product, y])
        }),
        "# stage 0: source 0, columns [1]
        kernel
        columns c0: i64?
        v0: i64? = column c0
        v1: bool? = gt v0 v0
        v2: bool = is_null v0
        v3: bool = or v2 v2
        v4: bool = select v1 v3 v2
        v5: bool = or v3 v2
        v6: bool = and v3 v2
        v7: bool = not v6
        v8: bool = and v5 v7
        v9: bool = select v8 v4 v6
        sink store v9",
    );
}

#[test]
fn faulting_predicate_sees_only_rows_that_passed_earlier_filters() {
    let (mut plan, source) = table();
    let b = plan.column(source, 3);
    let filter = plan.push(NodeKind::Filter { input: source, predicate: b }, &[]);
    let x = plan.column(filter, 0);
    let quotient = call(&mut plan, Op::Div, &[x, x]);
    let above = call(&mut plan, Op::Eq, &[quotient, x]);
    let filter = plan.push(NodeKind::Filter { input: filter, predicate: above }, &[]);
    plan.push(NodeKind::Reduce { input: filter, folds: vec![Fold::COUNT_ROWS] }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [3, 0]
        kernel
        columns c0: bool?, c1: i64
        v0: bool? = column c0
        v1: i64 = column c1
        v2: i64 = div v1 v1
        v3: bool = eq v2 v1
        v4: bool = const false
        v5: bool = coalesce v0 v4
        v6: bool = and v5 v3
        mask v6
        sink reduce count()",
    );
}

#[test]
fn nothing_is_read_that_is_not_used() {
    let (mut plan, source) = table();
    plan.push(NodeKind::Reduce { input: source, folds: vec![Fold::COUNT_ROWS] }, &[]);
    check(&plan, "# stage 0: source 0, columns []\nkernel\nsink reduce count()");
}

#[test]
fn scan_and_its_consumer_are_two_stages() {
    let (mut plan, source) = table();
    let (f, b) = (plan.column(source, 2), plan.column(source, 3));
    let running = vec![Running { fold: sum(f), frame: Frame::Unbounded }];
    let scan = plan.push(NodeKind::Scan { input: source, columns: vec![f], running, segment: Some(b) }, &[]);
    let (f, total) = (plan.column(scan, 0), plan.column(scan, 1));
    let share = call(&mut plan, Op::Div, &[f, total]);
    plan.push(NodeKind::Project { input: scan, columns: vec![share] }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [2, 3]
        kernel
        columns c0: f64, c1: bool?
        v0: f64 = column c0
        v1: bool? = column c1
        sink scan columns(v0) running(sum(v0)) segment v1

        # stage 1: stage 0, columns [0, 1]
        kernel
        columns c0: f64, c1: f64
        v0: f64 = column c0
        v1: f64 = column c1
        v2: f64 = div v0 v1
        sink store v2",
    );
}

#[test]
fn group_distinct_sort_and_top_k() {
    let (mut plan, source) = table();
    let (x, f) = (plan.column(source, 0), plan.column(source, 2));
    let two = plan.body.constant(Scalar::I64(2), DType::I64);
    let key = call(&mut plan, Op::Rem, &[x, two]);
    let group = plan.push(
        NodeKind::Group { input: source, keys: vec![key], folds: vec![sum(f)], order: RowOrder::FirstRow },
        &["k", "s"],
    );
    let s = plan.column(group, 1);
    let sort = plan.push(NodeKind::Sort { input: group, keys: vec![ascending(s)] }, &[]);
    let k = plan.column(sort, 0);
    let key = call(&mut plan, Op::Neg, &[k]);
    let top = plan.push(NodeKind::TopK { input: sort, keys: vec![ascending(key)], count: 5 }, &[]);
    plan.push(NodeKind::Distinct { input: top }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [0, 2]
        kernel
        columns c0: i64, c1: f64
        v0: i64 = column c0
        v1: f64 = column c1
        v2: i64 = const 2
        v3: i64 = rem v0 v2
        v4: u64 = row_index
        sink group keys(v3) folds(sum(v1)) order least v4

        # stage 1: stage 0, columns [1, 0]
        kernel
        columns c0: f64, c1: i64
        v0: f64 = column c0
        v1: i64 = column c1
        sink sort keys(v0 asc nulls_last) columns(v1, v0)

        # stage 2: stage 1, columns [0, 1]
        kernel
        columns c0: i64, c1: f64
        v0: i64 = column c0
        v1: i64 = neg v0
        v2: f64 = column c1
        sink sort keys(v1 asc nulls_last) columns(v0, v2) limit 5

        # stage 3: stage 2, columns [0, 1]
        kernel
        columns c0: i64, c1: f64
        v0: i64 = column c0
        v1: f64 = column c1
        v2: u64 = row_index
        sink group keys(v0, v1) folds() order least v2",
    );
}

/// left (filtered) joined with right (projected) by x, and a filter above.
fn joined(kind: EquiJoinKind) -> Plan {
    let mut plan = Plan::default();
    let left = source(&mut plan, 0);
    let b = plan.column(left, 3);
    let left = plan.push(NodeKind::Filter { input: left, predicate: b }, &[]);
    let right = source(&mut plan, 1);
    let (x, f) = (plan.column(right, 0), plan.column(right, 2));
    let double = call(&mut plan, Op::Add, &[f, f]);
    let right = plan.push(NodeKind::Project { input: right, columns: vec![f, x, double] }, &[]);
    let (left_keys, right_keys) = (vec![plan.column(left, 0)], vec![plan.column(right, 1)]);
    plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max: None }, &[]);
    plan
}

#[test]
fn a_join_is_a_build_stage_and_a_probe() {
    let mut plan = joined(EquiJoinKind::Inner);
    let join = plan.root();
    let (f, double) = (plan.column(join, 2), plan.column(join, 6));
    let predicate = call(&mut plan, Op::Lt, &[f, double]);
    let filter = plan.push(NodeKind::Filter { input: join, predicate }, &[]);
    let double = plan.column(filter, 6);
    plan.push(NodeKind::Reduce { input: filter, folds: vec![sum(double)] }, &[]);
    check(
        &plan,
        "# stage 0: source 1, columns [0, 2]
        kernel
        columns c0: i64, c1: f64
        v0: i64 = column c0
        v1: f64 = column c1
        v2: f64 = add v1 v1
        sink build keys(v0) columns(v2)

        # stage 1: source 0, columns [3, 0, 2], tables [stage 0 columns [1] by the keys of stage 0]
        kernel
        columns c0: bool?, c1: i64, c2: f64
        tables t0: keys(i64) columns(f64)
        v0: bool? = column c0
        v1: i64 = column c1
        v2: u64 = probe inner t0(v1) when v0
        v3: f64 = column c2
        v4: f64 = gather t0.0 v2
        v5: bool = lt v3 v4
        mask v5
        sink reduce sum(v4)",
    );
}

#[test]
fn left_semi_and_anti_joins() {
    let kernel = |kind| {
        let mut plan = joined(kind);
        let join = plan.root();
        let width = plan.node(join).schema.fields.len() as u32;
        let last = plan.column(join, width - 1);
        plan.push(NodeKind::Project { input: join, columns: vec![last] }, &[]);
        fuse(&plan).unwrap()[1]
            .kernel
            .print()
            .lines()
            .skip(3)
            .map(|line| format!("{}\n", line.trim()))
            .collect::<String>()
    };
    assert_eq!(
        kernel(EquiJoinKind::Left),
        "v0: bool? = column c0\nv1: i64 = column c1\nv2: u64? = probe left t0(v1) when v0\nv3: f64? = gather t0.0 v2\nsink compact v3\n"
    );
    assert_eq!(
        kernel(EquiJoinKind::Semi),
        "v0: bool? = column c0\nv1: i64 = column c1\nv2: bool = probe exists t0(v1) when v0\nv3: bool? = and v0 v2\nmask v3\nsink compact v0\n"
    );
    assert_eq!(
        kernel(EquiJoinKind::Anti),
        "v0: bool? = column c0\nv1: i64 = column c1\nv2: bool = probe exists t0(v1) when v0\nv3: bool = not v2\nv4: bool? = and v0 v3\nmask v4\nsink compact v0\n"
    );
}

#[test]
fn a_scan_over_a_join_that_multiplies_rows_has_them_written_first() {
    for (kind, stages) in
        [(EquiJoinKind::Inner, 3), (EquiJoinKind::Left, 3), (EquiJoinKind::Semi, 2), (EquiJoinKind::Anti, 2)]
    {
        let mut plan = joined(kind);
        let join = plan.root();
        let x = plan.column(join, 0);
        let running = vec![Running { fold: sum(x), frame: Frame::Unbounded }];
        plan.push(NodeKind::Scan { input: join, columns: vec![x], running, segment: None }, &[]);
        assert_eq!(fuse(&plan).unwrap().len(), stages, "{kind:?}");
    }
}

#[test]
fn a_table_joined_with_itself() {
    let (mut plan, source) = table();
    let keys = vec![plan.column(source, 0)];
    let (left_keys, right_keys) = (keys.clone(), keys);
    let kind = EquiJoinKind::Inner;
    plan.push(NodeKind::EquiJoin { left: source, right: source, left_keys, right_keys, kind, pairs_max: None }, &[]);
    let stages = fuse(&plan).unwrap();
    assert_eq!((stages.len(), stages[1].kernel.output().len()), (2, 8));
}

#[test]
fn columns_and_lists_in_loops_come_from_outside() {
    let (mut plan, source) = table();
    plan.lists = vec![DType::I64, DType::F64];
    let x = plan.column(source, 0);
    let quotient = call(&mut plan, Op::Div, &[x, x]);
    let project = plan.push(NodeKind::Project { input: source, columns: vec![quotient] }, &[]);
    let start = plan.body.constant(Scalar::F64(0.0), DType::F64);
    let of = plan.body.open_loop(4, &[start]);
    let carried = plan.body.loop_carried(of, 0);
    let q = plan.column(project, 0);
    let index = plan.body.loop_index(of);
    let element = plan.body.lookup(ListId(1), DType::F64, index);
    let positive = call(&mut plan, Op::Gt, &[q, q]);
    let next = call(&mut plan, Op::Select, &[positive, element, carried]);
    plan.body.close_loop(of, None, &[next]).unwrap();
    let result = plan.body.loop_result(of, 0);
    plan.push(NodeKind::Project { input: project, columns: vec![result] }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns [0], lists [l1]
        kernel
        columns c0: i64
        lists l0: f64
        v0: i64 = column c0
        v1: i64 = div v0 v0
        v2: f64 = const 0x0000000000000000 # 0.0
        v3 = loop 4 (f64 = v2) {
        v4: f64 = carried v3.0
        v5: u32 = index v3
        v6: f64 = lookup l0 v5
        v7: bool = gt v1 v1
        v8: f64 = select v7 v6 v4
        next v8
        }
        v9: f64 = result v3.0
        sink store v9",
    );
}

#[test]
fn nodes_that_cannot_run_yet_are_refused() {
    let refused = |kind: &dyn Fn(NodeId) -> NodeKind, word: &str| {
        let (mut plan, source) = table();
        plan.push(kind(source), &[]);
        let error = fuse(&plan).unwrap_err();
        assert_eq!(error.kind, PlanErrorKind::Unsupported);
        assert!(error.message.starts_with(&format!("{word} cannot be run yet: ")), "{error}");
    };
    let window = |input| NodeKind::Window { input, partition: vec![], order: vec![], running: vec![] };
    refused(&window, "window");
    let error = fuse(&Plan::default()).unwrap_err();
    assert_eq!(error.kind, PlanErrorKind::Invalid);
}

#[test]
fn tall_plans_and_long_chains_do_not_overflow_the_stack() {
    let (mut plan, mut node) = table();
    for _ in 0..190 {
        let x = plan.column(node, 0);
        let mut last = x;
        for _ in 0..45 {
            last = call(&mut plan, Op::Add, &[last, x]);
        }
        node = plan.push(NodeKind::Project { input: node, columns: vec![last] }, &[]);
    }
    let stages = fuse(&plan).unwrap();
    assert_eq!((stages.len(), stages[0].kernel.body.len()), (1, 190 * 45 + 1));
}
