//! The passes over nodes, push-filters and prune-columns: plans in, plans as text out.

use pointsman_ir::body::ValueId;
use pointsman_ir::kernel::{Fold, FoldOp, Frame, NullOrder, Running, SortKey, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::passes::{self, NAMES, PassOptions};
use pointsman_ir::plan::{EquiJoinKind, NodeId, NodeKind, Plan, ROW_NUMBER, RowOrder, SourceId};
use pointsman_ir::types::{DType, Schema};

/// A source `x: i64, y: i64?, f: f64`, with a letter before each name.
fn source(plan: &mut Plan, letter: &str) -> NodeId {
    let number = plan.nodes.len() as u32;
    let fields = [("x", DType::I64.required()), ("y", DType::I64.nullable()), ("f", DType::F64.required())];
    plan.source(SourceId(number), Schema::new(fields.map(|(name, ty)| (format!("{letter}{name}"), ty))))
}

fn table() -> (Plan, NodeId) {
    let mut plan = Plan::default();
    let source = source(&mut plan, "");
    (plan, source)
}

/// `column op column` of a node.
fn pair(plan: &mut Plan, op: Op, node: NodeId, left: u32, right: u32) -> ValueId {
    let (left, right) = (plan.column(node, left), plan.column(node, right));
    plan.body.call(op, &[left, right]).unwrap()
}

/// A predicate that faults where the column is zero.
fn faulting(plan: &mut Plan, node: NodeId, column: u32) -> ValueId {
    let quotient = pair(plan, Op::Div, node, column, column);
    let column = plan.column(node, column);
    plan.body.call(Op::Eq, &[quotient, column]).unwrap()
}

fn filter(plan: &mut Plan, input: NodeId, predicate: ValueId) -> NodeId {
    plan.push(NodeKind::Filter { input, predicate }, &[])
}

fn sort(plan: &mut Plan, input: NodeId, value: ValueId) -> NodeId {
    let key = SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last };
    plan.push(NodeKind::Sort { input, keys: vec![key] }, &[])
}

fn sum(value: ValueId) -> Fold {
    Fold::of(FoldOp::Sum, value)
}

fn run(pass: &str, plan: &Plan) -> Plan {
    let disabled = NAMES.iter().filter(|name| **name != pass).map(|name| name.to_string()).collect();
    passes::run(plan.clone(), &PassOptions { disabled }, &mut ()).unwrap()
}

fn check(pass: &str, plan: &Plan, expected: &str) {
    let wanted: String = expected.lines().map(|line| format!("{}\n", line.trim())).collect();
    let found: String = run(pass, plan).to_string().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, wanted, "{plan}");
}

fn kept(pass: &str, plan: &Plan) {
    assert_eq!(run(pass, plan).to_string(), plan.to_string());
}

const PUSH: &str = "push-filters";
const PRUNE: &str = "prune-columns";

#[test]
fn a_filter_sinks_below_projections_and_sorts() {
    let (mut plan, source) = table();
    let x = plan.column(source, 0);
    let sorted = sort(&mut plan, source, x);
    let double = pair(&mut plan, Op::Add, sorted, 0, 0);
    let project = plan.push(NodeKind::Project { input: sorted, columns: vec![double] }, &["double"]);
    let predicate = faulting(&mut plan, project, 0);
    filter(&mut plan, project, predicate);
    check(
        PUSH,
        &plan,
        "n3 project (x + x) as double
        n2 sort by x asc nulls_last
        n1 filter (((x + x) / (x + x)) = (x + x))
        n0 source 0 (x: i64, y: i64?, f: f64)",
    );
    // There is nothing to gain below this projection.
    let (mut plan, source) = table();
    let double = pair(&mut plan, Op::Add, source, 0, 0);
    let project = plan.push(NodeKind::Project { input: source, columns: vec![double] }, &["double"]);
    let predicate = pair(&mut plan, Op::Gt, project, 0, 0);
    filter(&mut plan, project, predicate);
    kept(PUSH, &plan);
}

#[test]
fn row_numbers_stay_at_their_source() {
    let (mut plan, source) = table();
    let number = plan.column(source, ROW_NUMBER);
    let sorted = sort(&mut plan, source, number);
    let predicate = pair(&mut plan, Op::Gt, sorted, 0, 0);
    filter(&mut plan, sorted, predicate);
    kept(PUSH, &plan);
    let count = plan.root();
    plan.push(NodeKind::Reduce { input: count, folds: vec![Fold::COUNT_ROWS] }, &["n"]);
    kept(PRUNE, &plan);
}

#[test]
fn filters_on_keys_sink_below_groups_and_distinct() {
    let group = |on: u32, op: Op| {
        let (mut plan, source) = table();
        let (x, y, f) = (plan.column(source, 0), plan.column(source, 1), plan.column(source, 2));
        let key = plan.body.call(Op::Add, &[x, y]).unwrap();
        let folds = vec![Fold::COUNT_ROWS];
        let group = plan.push(
            NodeKind::Group { input: source, keys: vec![key, f], folds, order: RowOrder::FirstRow },
            &["k", "f", "n"],
        );
        let predicate = pair(&mut plan, op, group, on, on);
        filter(&mut plan, group, predicate);
        plan
    };
    check(
        PUSH,
        &group(0, Op::Gt),
        "n2 group by (x + y) as k, f: count() as n
        n1 filter ((x + y) > (x + y))
        n0 source 0 (x: i64, y: i64?, f: f64)",
    );
    // −0 and +0 are one key, but a predicate can tell them apart; a count is known only afterwards.
    kept(PUSH, &group(1, Op::Gt));
    kept(PUSH, &group(2, Op::Gt));

    let distinct = |on: u32| {
        let (mut plan, source) = table();
        let distinct = plan.push(NodeKind::Distinct { input: source }, &[]);
        let predicate = pair(&mut plan, Op::Gt, distinct, on, on);
        filter(&mut plan, distinct, predicate);
        plan
    };
    check(PUSH, &distinct(1), "n2 distinct\nn1 filter (y > y)\nn0 source 0 (x: i64, y: i64?, f: f64)");
    kept(PUSH, &distinct(2));
}

#[test]
fn filters_are_not_pushed_below_row_counts() {
    let stops = |kind: &dyn Fn(&mut Plan, NodeId) -> NodeKind| {
        let (mut plan, source) = table();
        let kind = kind(&mut plan, source);
        let node = plan.push(kind, &[]);
        let predicate = pair(&mut plan, Op::Gt, node, 0, 0);
        filter(&mut plan, node, predicate);
        kept(PUSH, &plan);
    };
    stops(&|_, input| NodeKind::Limit { input, skip: 1, fetch: Some(2) });
    stops(&|plan, input| {
        let value = plan.column(input, 0);
        let key = SortKey { value, order: SortOrder::Descending, nulls: NullOrder::First };
        NodeKind::TopK { input, keys: vec![key], count: 3 }
    });
    stops(&|plan, input| {
        let x = plan.column(input, 0);
        let running = vec![Running { fold: sum(x), frame: Frame::Unbounded }];
        NodeKind::Scan { input, columns: vec![x], running, segment: None }
    });
    stops(&|plan, input| NodeKind::Reduce { input, folds: vec![sum(plan.column(input, 0))] });
}

/// l joined with r by x.
fn joined(kind: EquiJoinKind) -> (Plan, NodeId) {
    let mut plan = Plan::default();
    let (left, right) = (source(&mut plan, "l"), source(&mut plan, "r"));
    let (left_keys, right_keys) = (vec![plan.column(left, 0)], vec![plan.column(right, 0)]);
    let join = plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max: None }, &[]);
    (plan, join)
}

#[test]
fn filters_go_to_the_sides_of_a_join() {
    let (mut plan, join) = joined(EquiJoinKind::Inner);
    let (left, right) = (pair(&mut plan, Op::Gt, join, 0, 1), pair(&mut plan, Op::Lt, join, 3, 4));
    let both = pair(&mut plan, Op::Ne, join, 1, 4);
    let predicate = plan.body.call(Op::And, &[both, left]).unwrap();
    let predicate = plan.body.call(Op::And, &[predicate, right]).unwrap();
    filter(&mut plan, join, predicate);
    check(
        PUSH,
        &plan,
        "n5 filter (ly <> ry)
        n4 equi-join inner on lx = rx
        n2 filter (lx > ly)
        n0 source 0 (lx: i64, ly: i64?, lf: f64)
        n3 filter (rx < ry)
        n1 source 1 (rx: i64, ry: i64?, rf: f64)",
    );
}

#[test]
fn a_predicate_that_can_fault_meets_no_more_rows_than_before() {
    let with = |kind: EquiJoinKind, column: u32, total: bool| {
        let (mut plan, join) = joined(kind);
        let predicate =
            if total { pair(&mut plan, Op::Gt, join, column, column) } else { faulting(&mut plan, join, column) };
        filter(&mut plan, join, predicate);
        let root = run(PUSH, &plan);
        matches!(root.node(root.root()).kind, NodeKind::EquiJoin { .. })
    };
    for (kind, column, total, sinks) in [
        (EquiJoinKind::Inner, 0, true, true),
        (EquiJoinKind::Inner, 0, false, false),
        (EquiJoinKind::Inner, 4, true, true),
        (EquiJoinKind::Inner, 4, false, false),
        // Every left row is in the result, so it makes no difference whether the predicate can fault.
        (EquiJoinKind::Left, 0, true, true),
        (EquiJoinKind::Left, 0, false, true),
        (EquiJoinKind::Left, 4, true, false),
        (EquiJoinKind::Semi, 0, true, true),
        (EquiJoinKind::Semi, 0, false, false),
        (EquiJoinKind::Anti, 1, true, true),
        (EquiJoinKind::Anti, 1, false, false),
    ] {
        assert_eq!(with(kind, column, total), sinks, "{kind:?} column {column}, total: {total}");
    }
}

#[test]
fn a_projected_column_that_can_fault_counts() {
    let mut plan = Plan::default();
    let (left, right) = (source(&mut plan, "l"), source(&mut plan, "r"));
    let quotient = pair(&mut plan, Op::Div, left, 0, 0);
    let key = plan.column(left, 0);
    let left = plan.push(NodeKind::Project { input: left, columns: vec![key, quotient] }, &["k", "q"]);
    let (left_keys, right_keys) = (vec![plan.column(left, 0)], vec![plan.column(right, 0)]);
    let kind = EquiJoinKind::Inner;
    let join = plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max: None }, &[]);
    let mut other = plan.clone();
    let predicate = pair(&mut plan, Op::Gt, join, 1, 0);
    filter(&mut plan, join, predicate);
    kept(PUSH, &plan);
    let predicate = pair(&mut other, Op::Gt, join, 0, 0);
    filter(&mut other, join, predicate);
    assert_ne!(run(PUSH, &other), other);
}

#[test]
fn unused_columns_are_pruned() {
    let (mut plan, source) = table();
    let (x, y, f) = (plan.column(source, 0), plan.column(source, 1), plan.column(source, 2));
    let quotient = plan.body.call(Op::Div, &[x, y]).unwrap();
    let columns = vec![quotient, y, f, x];
    let project = plan.push(NodeKind::Project { input: source, columns }, &["q", "y", "f", "x"]);
    let (y, f, x) = (plan.column(project, 1), plan.column(project, 2), plan.column(project, 3));
    let folds = vec![sum(x), sum(f), Fold::COUNT_ROWS];
    let group = plan.push(
        NodeKind::Group { input: project, keys: vec![y], folds, order: RowOrder::FirstRow },
        &["y", "sx", "sf", "n"],
    );
    let n = plan.column(group, 3);
    plan.push(NodeKind::Project { input: group, columns: vec![n] }, &["n"]);
    check(
        PRUNE,
        &plan,
        "n3 project n
        n2 group by y: count() as n
        n1 project y
        n0 source 0 (x: i64, y: i64?, f: f64)",
    );
    // The result keeps everything.
    let (mut plan, source) = table();
    let (x, f) = (plan.column(source, 0), plan.column(source, 2));
    plan.push(NodeKind::Reduce { input: source, folds: vec![sum(x), sum(f)] }, &[]);
    kept(PRUNE, &plan);
}

#[test]
fn sorts_carry_only_used_columns() {
    let (mut plan, source) = table();
    let y = plan.column(source, 1);
    let sorted = sort(&mut plan, source, y);
    let f = plan.column(sorted, 2);
    let running = vec![
        Running { fold: sum(f), frame: Frame::Unbounded },
        Running { fold: Fold::COUNT_ROWS, frame: Frame::Preceding(3) },
    ];
    let scan =
        plan.push(NodeKind::Scan { input: sorted, columns: vec![f], running, segment: None }, &["f", "total", "n"]);
    let total = plan.column(scan, 1);
    plan.push(NodeKind::Project { input: scan, columns: vec![total] }, &["total"]);
    check(
        PRUNE,
        &plan,
        "n4 project total
        n3 scan running sum(f) as total
        n2 sort by y asc nulls_last
        n1 project y, f
        n0 source 0 (x: i64, y: i64?, f: f64)",
    );
}

#[test]
fn joins_and_unions_keep_used_columns() {
    let mut plan = Plan::default();
    let (left, right) = (source(&mut plan, "l"), source(&mut plan, "r"));
    let columns = vec![plan.column(right, 2), plan.column(right, 1), plan.column(right, 0)];
    let right = plan.push(NodeKind::Project { input: right, columns }, &["rf", "ry", "rx"]);
    let (left_keys, right_keys) = (vec![plan.column(left, 0)], vec![plan.column(right, 2)]);
    let kind = EquiJoinKind::Left;
    let join = plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max: None }, &[]);
    let (ly, rx) = (plan.column(join, 1), plan.column(join, 5));
    plan.push(NodeKind::Project { input: join, columns: vec![rx, ly] }, &["rx", "ly"]);
    check(
        PRUNE,
        &plan,
        "n4 project rx, ly
        n3 equi-join left on lx = rx
        n0 source 0 (lx: i64, ly: i64?, lf: f64)
        n2 project rx
        n1 source 1 (rx: i64, ry: i64?, rf: f64)",
    );
    let mut plan = Plan::default();
    let (first, second) = (source(&mut plan, "a"), source(&mut plan, "b"));
    let columns = vec![plan.column(second, 0), plan.column(second, 1), plan.column(second, 2)];
    let second = plan.push(NodeKind::Project { input: second, columns }, &["bx", "by", "bf"]);
    let union = plan.push(NodeKind::Union { inputs: vec![first, second] }, &[]);
    let x = plan.column(union, 0);
    plan.push(NodeKind::Reduce { input: union, folds: vec![sum(x)] }, &["s"]);
    check(
        PRUNE,
        &plan,
        "n5 reduce sum(ax) as s
        n4 union
        n3 project ax
        n0 source 0 (ax: i64, ay: i64?, af: f64)
        n2 project bx
        n1 source 1 (bx: i64, by: i64?, bf: f64)",
    );
}

#[test]
fn a_node_with_two_users_is_left_alone() {
    let (mut plan, source) = table();
    let x = plan.column(source, 0);
    let sorted = sort(&mut plan, source, x);
    let predicate = pair(&mut plan, Op::Gt, sorted, 0, 0);
    let filtered = filter(&mut plan, sorted, predicate);
    let (left_keys, right_keys) = (vec![plan.column(filtered, 0)], vec![plan.column(sorted, 0)]);
    let kind = EquiJoinKind::Inner;
    plan.push(NodeKind::EquiJoin { left: filtered, right: sorted, left_keys, right_keys, kind, pairs_max: None }, &[]);
    kept(PUSH, &plan);
    kept(PRUNE, &plan);
}

#[test]
fn rewrites_beyond_a_limit_are_skipped() {
    // As high as a plan may be: the split and the projection below the sort would be over the limit.
    let (mut plan, join) = joined(EquiJoinKind::Inner);
    let both = pair(&mut plan, Op::Gt, join, 0, 4);
    let left = pair(&mut plan, Op::Gt, join, 0, 1);
    let predicate = plan.body.call(Op::And, &[left, both]).unwrap();
    let mut node = filter(&mut plan, join, predicate);
    for _ in 0..197 {
        let columns = (0..6).map(|index| plan.column(node, index)).collect();
        node = plan.push(NodeKind::Project { input: node, columns }, &[]);
    }
    let made = passes::run(plan.clone(), &PassOptions::default(), &mut ()).unwrap();
    assert_eq!(made.nodes.len(), plan.nodes.len());
}
