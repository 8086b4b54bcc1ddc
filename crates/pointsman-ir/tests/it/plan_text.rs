//! Plans as text, and every invariant of plans with a plan that breaks it.

use pointsman_ir::body::{ColumnId, Inst, ListId, TableId, ValueId};
use pointsman_ir::kernel::{Fold, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{
    EquiJoinKind, NodeId, NodeKind, PLAN_DEPTH_MAX, PLAN_NODES_MAX, Plan, PlanErrorKind, ROW_NUMBER, RowOrder, SourceId,
};
use pointsman_ir::types::{DType, Scalar, Schema};
use pointsman_ir::verify;

/// A plan with one source: `x: f32, y: i64?, s: opaque, d: dict(0)`.
fn table() -> (Plan, NodeId) {
    let mut plan = Plan::default();
    let source = add_source(&mut plan, 0);
    (plan, source)
}

fn add_source(plan: &mut Plan, number: u32) -> NodeId {
    let fields = [
        ("x", DType::F32.required()),
        ("y", DType::I64.nullable()),
        ("s", DType::Opaque.required()),
        ("d", DType::Dict(0).required()),
    ];
    plan.source(SourceId(number), Schema::new(fields))
}

fn fold(op: FoldOp, value: ValueId) -> Fold {
    Fold::of(op, value)
}

fn ascending(value: ValueId) -> SortKey {
    SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last }
}

fn check_text(plan: &Plan, expected: &str) {
    verify::plan(plan).unwrap();
    assert_eq!(plan.to_string(), expected);
}

fn check_refused(plan: &Plan, expected: &str) {
    let error = verify::plan(plan).unwrap_err();
    assert_eq!((error.kind, error.message.as_str()), (PlanErrorKind::Invalid, expected));
}

#[test]
fn one_line_per_node() {
    let (mut plan, source) = table();
    let (x, y, p) = (plan.column(source, 0), plan.column(source, 1), plan.param(DType::F32.required()));
    let above = plan.body.call(Op::Gt, &[x, p]).unwrap();
    let filter = plan.push(NodeKind::Filter { input: source, predicate: above }, &[]);
    let (x2, y2) = (plan.column(filter, 0), plan.column(filter, 1));
    let wide = plan.body.cast(Op::Cast, x2, DType::F64).unwrap();
    let half = plan.body.constant(Scalar::F64(0.5), DType::F64);
    let product = plan.body.call(Op::Mul, &[wide, half]).unwrap();
    let project = plan.push(NodeKind::Project { input: filter, columns: vec![y2, product] }, &["y", "half x"]);
    let (y3, h) = (plan.column(project, 0), plan.column(project, 1));
    let folds = vec![fold(FoldOp::Sum, h), Fold::COUNT_ROWS];
    let group = plan.push(
        NodeKind::Group { input: project, keys: vec![y3], folds, order: RowOrder::FirstRow },
        &["y", "total", "n"],
    );
    let key = ascending(plan.column(group, 1));
    let top = plan.push(NodeKind::TopK { input: group, keys: vec![key], count: 3 }, &[]);
    plan.push(NodeKind::Limit { input: top, skip: 1, fetch: Some(2) }, &[]);
    let _ = y;
    check_text(
        &plan,
        "n5 limit 2 skip 1
  n4 top-k 3 by total asc nulls_last
    n3 group by y: sum(\"half x\") as total, count() as n
      n2 project y, (cast(x as f64) * 0.5) as \"half x\"
        n1 filter (x > p0)
          n0 source 0 (x: f32, y: i64?, s: opaque, d: dict(0))
",
    );
}

#[test]
fn joins_unions_windows_and_scans() {
    let (mut plan, left) = table();
    let right = add_source(&mut plan, 1);
    let (l, r) = (plan.column(left, 1), plan.column(right, 1));
    let join = NodeKind::EquiJoin {
        left,
        right,
        left_keys: vec![l],
        right_keys: vec![r],
        kind: EquiJoinKind::Left,
        pairs_max: None,
    };
    let join = plan.push(join, &[]);
    let (x, x2) = (plan.column(join, 0), plan.column(join, 4));
    let running = vec![
        Running { fold: fold(FoldOp::Sum, x), frame: Frame::Preceding(3) },
        Running { fold: fold(FoldOp::Max, x2), frame: Frame::Unbounded },
    ];
    let window =
        NodeKind::Window { input: join, partition: vec![x], order: vec![ascending(x2)], running: running.clone() };
    let window = plan.push(window, &["a", "b"]);
    let union = plan.push(NodeKind::Union { inputs: vec![window, window] }, &[]);
    let (u, y) = (plan.column(union, 0), plan.column(union, 1));
    let start = plan.body.call(Op::IsNull, &[y]).unwrap();
    let _ = u;
    let sum = Running { fold: fold(FoldOp::Sum, y), frame: Frame::Unbounded };
    let scan = NodeKind::Scan { input: union, columns: vec![y], running: vec![sum], segment: Some(start) };
    let scan = plan.push(scan, &["y", "z"]);
    plan.push(NodeKind::Distinct { input: scan }, &[]);
    check_text(
        &plan,
        "n6 distinct
  n5 scan n4.y[1] as y, running sum(n4.y[1]) as z segment is_null(n4.y[1])
    n4 union
      n3 window partition (n2.x[0]) order (n2.x[4] asc nulls_last): running sum(n2.x[0]) preceding 3 as a, running max(n2.x[4]) as b
        n2 equi-join left on n0.y = n1.y
          n0 source 0 (x: f32, y: i64?, s: opaque, d: dict(0))
          n1 source 1 (x: f32, y: i64?, s: opaque, d: dict(0))
      n3 again
",
    );
}

#[test]
fn shared_deep_and_looping_values_are_named() {
    let (mut plan, source) = table();
    let x = plan.column(source, 0);
    plan.lists.push(DType::F32);
    let open = plan.body.open_loop(8, &[x]);
    let (index, state) = (plan.body.loop_index(open), plan.body.loop_carried(open, 0));
    let step = plan.body.lookup(ListId(0), DType::F32, index);
    let next = plan.body.call(Op::Add, &[state, step]).unwrap();
    let on = plan.body.call(Op::Lt, &[next, x]).unwrap();
    plan.body.close_loop(open, Some(on), &[next]).unwrap();
    let result = plan.body.loop_result(open, 0);
    let mut long = plan.body.call(Op::Fma, &[result, x, x]).unwrap();
    long = plan.body.call(Op::Mul, &[long, long]).unwrap();
    let mut deep = long;
    for _ in 0..8 {
        deep = plan.body.call(Op::Sqrt, &[deep]).unwrap();
    }
    let number = plan.column(source, ROW_NUMBER);
    plan.push(NodeKind::Project { input: source, columns: vec![long, deep, number] }, &["a", "b", "c"]);
    check_text(
        &plan,
        "n1 project v9 as a, sqrt(sqrt(v15)) as b, row_number as c
    let v1 = loop 8 from (x) while (v5 < x) next (v5)
    let v5 = (v1.carried.0 + l0[v1.index])
    let v9 = (fma(v1.result.0, x, x) * fma(v1.result.0, x, x))
    let v15 = sqrt(sqrt(sqrt(sqrt(sqrt(sqrt(v9))))))
  n0 source 0 (x: f32, y: i64?, s: opaque, d: dict(0))
",
    );
}

#[test]
fn long_chains_do_not_overflow_the_stack() {
    let (mut plan, source) = table();
    let mut v = plan.column(source, 0);
    while plan.body.len() + 2 < PLAN_NODES_MAX {
        v = plan.body.call(Op::Add, &[v, v]).unwrap();
    }
    plan.push(NodeKind::Project { input: source, columns: vec![v] }, &["x"]);
    verify::plan(&plan).unwrap();
    assert!(plan.to_string().len() < 200 * PLAN_NODES_MAX);
    plan.body.row_index();
    check_refused(&plan, "the plan has 10001 nodes and expressions, more than the 10000 allowed: split the query");
}

#[test]
fn nodes_come_behind_their_inputs_and_not_too_many_on_top() {
    check_refused(&Plan::default(), "the plan has no nodes: start it with a source");
    let (mut plan, source) = table();
    plan.push(NodeKind::Limit { input: source, skip: 0, fetch: Some(1) }, &[]);
    plan.nodes[1].kind = NodeKind::Limit { input: NodeId(1), skip: 0, fetch: Some(1) };
    check_refused(&plan, "n1 (`limit`) reads n1, which does not come before it: add inputs first");
    let (mut plan, mut top) = table();
    for _ in 1..PLAN_DEPTH_MAX {
        top = plan.push(NodeKind::Limit { input: top, skip: 0, fetch: Some(1) }, &[]);
    }
    verify::plan(&plan).unwrap();
    plan.push(NodeKind::Limit { input: top, skip: 0, fetch: Some(1) }, &[]);
    check_refused(
        &plan,
        "n200 (`limit`) stands on 200 nodes, one on top of the other; at most 200 in all are allowed: split the query",
    );
}

#[test]
fn columns_exist_and_belong_to_the_inputs() {
    let (mut plan, source) = table();
    let x = plan.column(source, 0);
    let limit = plan.push(NodeKind::Limit { input: source, skip: 0, fetch: Some(1) }, &[]);
    let twice = plan.body.call(Op::Add, &[x, x]).unwrap();
    plan.push(NodeKind::Project { input: limit, columns: vec![twice] }, &["x"]);
    check_refused(
        &plan,
        "n2 (`project`) uses v0, a column of n0 (`source`), but its input is n1 (`limit`): take the column from n1",
    );
    let mut other = plan.clone();
    other.columns[0].index = 4;
    check_refused(&other, "c0 is column 4 of n0, which has 4 columns: name one of them");
    other.columns[0].node = NodeId(9);
    check_refused(&other, "c0 is a column of n9, but there are 3 nodes: name one of them");
    other.columns[0] = pointsman_ir::plan::PlanColumn { node: limit, index: ROW_NUMBER };
    check_refused(&other, "c0 is the row number of n1, a `limit`: only sources number their rows");
}

#[test]
fn the_sides_of_a_join_keep_apart_and_agree() {
    let join = |left_keys: &[u32], right_keys: &[u32], swap: bool| {
        let (mut plan, left) = table();
        let right = add_source(&mut plan, 1);
        let left_keys = left_keys.iter().map(|&i| plan.column(left, i)).collect();
        let right_keys = right_keys.iter().map(|&i| plan.column(if swap { left } else { right }, i)).collect();
        plan.push(
            NodeKind::EquiJoin { left, right, left_keys, right_keys, kind: EquiJoinKind::Inner, pairs_max: None },
            &[],
        );
        plan
    };
    verify::plan(&join(&[0, 1], &[0, 1], false)).unwrap();
    check_refused(
        &join(&[0], &[1], false),
        "n2 (`equi-join`): a left key is f32, but its right key is i64: cast one of them",
    );
    let count = "give as many on both sides, at least one";
    check_refused(&join(&[0], &[], false), &format!("n2 (`equi-join`) has 1 left and 0 right keys: {count}"));
    check_refused(&join(&[], &[], false), &format!("n2 (`equi-join`) has 0 left and 0 right keys: {count}"));
    check_refused(
        &join(&[2], &[2], false),
        "n2 (`equi-join`): the key v0 is opaque and cannot be compared: use another column",
    );
    check_refused(
        &join(&[0], &[0], true),
        "n2 (`equi-join`) uses v1, a column of n0 (`source`), but its input is n1 (`source`): take the column from n1",
    );
}

/// A node over the table, whose columns are `v0` to `v3`, is refused with this message.
fn check_node(kind: impl Fn(NodeId, [ValueId; 4]) -> NodeKind, expected: &str) {
    let (mut plan, input) = table();
    let columns = [0, 1, 2, 3].map(|i| plan.column(input, i));
    plan.push(kind(input, columns), &[]);
    check_refused(&plan, expected);
}

#[test]
fn nodes_reject_unsupported_operands() {
    check_node(
        |input, [x, ..]| NodeKind::Filter { input, predicate: x },
        "n1 (`filter`): the predicate v0 must be bool, not f32: compare it with something",
    );
    check_node(
        |input, [_, _, s, _]| NodeKind::Reduce { input, folds: vec![fold(FoldOp::Sum, s)] },
        "n1 (`reduce`): `sum` takes numbers, but v2 is opaque: cast it",
    );
    check_node(
        |input, [x, ..]| NodeKind::Scan { input, columns: vec![], running: vec![], segment: Some(x) },
        "n1 (`scan`): the segment start v0 must be bool, not f32: compare it with something",
    );
    check_node(
        |input, [.., d]| NodeKind::Sort { input, keys: vec![ascending(d)] },
        "n1 (`sort`): the key v3 is dict(0), which has no order: order by another column",
    );
    check_node(
        |input, [_, _, s, _]| NodeKind::Group { input, keys: vec![s], folds: vec![], order: RowOrder::FirstRow },
        "n1 (`group`): the key v2 is opaque and cannot be compared: use another column",
    );
    check_node(
        |input, [.., s, d]| NodeKind::Window { input, partition: vec![d, s], order: vec![], running: vec![] },
        "n1 (`window`): the key v2 is opaque and cannot be compared: use another column",
    );
    check_node(
        |input, _| NodeKind::Distinct { input },
        "n1 (`distinct`): the key s is opaque and cannot be compared: use another column",
    );
    check_node(|_, _| NodeKind::Union { inputs: vec![] }, "n1 (`union`) has no inputs: give it at least one");
}

#[test]
fn unions_agree_and_schemas_follow() {
    let (mut plan, source) = table();
    let (x, y) = (plan.column(source, 0), plan.column(source, 1));
    let one = plan.push(NodeKind::Project { input: source, columns: vec![x] }, &["a"]);
    let other = plan.push(NodeKind::Project { input: source, columns: vec![y] }, &["a"]);
    let mut union = plan.clone();
    union.push(NodeKind::Union { inputs: vec![one, other] }, &[]);
    check_refused(&union, "n3 (`union`): column 0 is f32 in n1, but i64 in n2: cast one of them");
    let mut union = plan.clone();
    union.push(NodeKind::Union { inputs: vec![one, source] }, &[]);
    check_refused(&union, "n3 (`union`): n1 has 1 columns, but n0 has 4: project both to the same");
    plan.nodes[2].schema.fields[0].ty = DType::I64.required();
    check_refused(
        &plan,
        "n2 (`project`): column 0 is i64 in its schema, but i64? by its expressions: derive the schema again",
    );
    plan.nodes[2].schema.fields.clear();
    check_refused(&plan, "n2 (`project`) has 0 columns in its schema, but gives 1: derive the schema again");
}

#[test]
fn plans_leave_rows_and_tables_to_kernels() {
    let remedy = "belongs to kernels: in a plan use the row number column of a source, or a join";
    let (mut plan, _) = table();
    plan.body.row_index();
    check_refused(&plan, &format!("v0: `row_index` {remedy}"));
    let (mut plan, source) = table();
    let row = plan.column(source, ROW_NUMBER);
    plan.body.gather(TableId(0), 0, DType::U8.required(), row);
    check_refused(&plan, &format!("v1: `gather` {remedy}"));
    let (mut plan, source) = table();
    let row = plan.column(source, ROW_NUMBER);
    plan.body.probe(TableId(0), &[row], None, pointsman_ir::body::ProbeKind::Inner);
    check_refused(&plan, &format!("v1: `probe` {remedy}"));
}

#[test]
fn values_of_plans_are_checked_as_in_kernels() {
    let (mut plan, source) = table();
    let (x, y) = (plan.column(source, 0), plan.column(source, 1));
    let sum = Inst::Call { op: Op::Add, args: vec![x, y] };
    plan.body.push(sum, DType::F32.required());
    check_refused(&plan, "v2: `add`: both sides must have one type, but they are f32 and i64: cast one of them");
    let (mut plan, _) = table();
    plan.body.push(Inst::Column(ColumnId(0)), DType::F32.required());
    check_refused(&plan, "v0: `column`: c0 does not exist: there are 0");
    let (mut plan, source) = table();
    plan.push(NodeKind::Limit { input: source, skip: 0, fetch: Some(1) }, &[]);
    plan.nodes[1].kind = NodeKind::Filter { input: source, predicate: ValueId(7) };
    check_refused(&plan, "n1 (`filter`) uses v7, but the last value is v0: use one that exists");
    let (mut plan, _) = table();
    plan.nodes[0].schema.fields[0].ty = DType::Decimal { precision: 2, scale: 3 }.required();
    check_refused(
        &plan,
        "n0 (`source`): column `x`: there is no type decimal(2,3): a decimal has 1 to 38 digits, no more of them behind the point",
    );
    let (mut plan, _) = table();
    plan.lists.push(DType::Decimal { precision: 0, scale: 0 });
    check_refused(
        &plan,
        "l0: there is no type decimal(0,0): a decimal has 1 to 38 digits, no more of them behind the point",
    );
}
