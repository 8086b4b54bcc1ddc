//! Joins, aggregations and scalars of plans: their text, their columns, and what is refused.

use pointsman_ir::body::{ParamId, ValueId};
use pointsman_ir::expand;
use pointsman_ir::kernel::{Fold, FoldMode, FoldOp};
use pointsman_ir::op::Op;
use pointsman_ir::passes::{self, NAMES, PassOptions};
use pointsman_ir::plan::{
    Aggregate, AggregateOp, Aggregation, Estimator, Fraction, Join, JoinKey, JoinKind, NodeId, NodeKind, Plan,
    PlanColumn, ROW_NUMBER, RowOrder, SourceId,
};
use pointsman_ir::types::{DType, Schema, Type};
use pointsman_ir::verify;

/// A source `x: i64, y: i64?, f: f64, s: opaque`.
fn source(plan: &mut Plan, letter: &str) -> NodeId {
    let number = plan.nodes.len() as u32;
    let fields = [
        ("x", DType::I64.required()),
        ("y", DType::I64.nullable()),
        ("f", DType::F64.required()),
        ("s", DType::Opaque.required()),
    ];
    plan.source(SourceId(number), Schema::new(fields.map(|(name, ty)| (format!("{letter}{name}"), ty))))
}

struct Sides {
    plan: Plan,
    left: NodeId,
    right: NodeId,
}

impl Sides {
    fn new() -> Sides {
        let mut plan = Plan::default();
        let (left, right) = (source(&mut plan, "l"), source(&mut plan, "r"));
        Sides { plan, left, right }
    }

    fn key(&mut self, left: u32, right: u32) -> JoinKey {
        JoinKey::new(self.plan.column(self.left, left), self.plan.column(self.right, right))
    }

    fn residual(&mut self, left: u32, right: u32) -> ValueId {
        let sides = [self.plan.column(self.left, left), self.plan.column(self.right, right)];
        self.plan.body.call(Op::Lt, &sides).unwrap()
    }

    fn join(&mut self, kind: JoinKind, keys: Vec<JoinKey>, residual: Option<ValueId>) -> NodeId {
        self.plan.push(Join { left: self.left, right: self.right, keys, residual, kind }, &[])
    }
}

fn check_text(plan: &Plan, expected: &str) {
    let wanted: Vec<&str> = expected.lines().map(str::trim).collect();
    let text = plan.to_string();
    assert_eq!(text.lines().map(str::trim).collect::<Vec<_>>(), wanted);
}

fn check_refused(plan: &Plan, expected: &str) {
    assert_eq!(verify::plan(plan).unwrap_err().message, expected);
}

#[test]
fn joins_and_aggregations_as_text() {
    let mut sides = Sides::new();
    let null_safe = JoinKey { null_safe: true, ..sides.key(1, 1) };
    let (key, residual) = (sides.key(0, 0), sides.residual(2, 2));
    let join = sides.join(JoinKind::Full, vec![key, null_safe], Some(residual));
    let mut plan = sides.plan;
    let (x, y, f) = (plan.column(join, 0), plan.column(join, 1), plan.column(join, 2));
    let filter = plan.body.call(Op::Gt, &[x, y]).unwrap();
    let aggregates = vec![
        Aggregate::COUNT_ROWS,
        Aggregate { mode: FoldMode::Fast, ..Aggregate::of(AggregateOp::Mean, f) }.filtered(filter),
        Aggregate::of(AggregateOp::Quantile(Fraction::new(0.25)), f),
        Aggregate::of_pairs(AggregateOp::Covariance(Estimator::Population), f, x).filtered(filter),
        Aggregate::of(AggregateOp::ArgMax, y),
    ];
    let order = RowOrder::Any;
    let names = ["x", "n", "m", "q", "c", "r"];
    let group = plan.push(Aggregation { input: join, keys: vec![x], aggregates, order }, &names);
    plan.push(NodeKind::Limit { input: group, skip: 2, fetch: None }, &[]);
    verify::plan(&plan).unwrap();
    check_text(
        &plan,
        "n4 limit skip 2
        n3 aggregate by lx as x in any order: count() as n, mean(lf) fast where (lx > ly) as m, quantile(lf, 0.25) as q, covariance_population(lf, lx) where (lx > ly) as c, argmax(ly) as r
        n2 join full on lx = rx, ly is not distinct from ry where (lf < rf)
        n0 source 0 (lx: i64, ly: i64?, lf: f64, ls: opaque)
        n1 source 1 (rx: i64, ry: i64?, rf: f64, rs: opaque)",
    );
}

#[test]
fn columns_of_joins() {
    let types = |kind: JoinKind| {
        let mut sides = Sides::new();
        let keys = if matches!(kind, JoinKind::Cross { .. }) { vec![] } else { vec![sides.key(0, 0)] };
        let join = sides.join(kind, keys, None);
        let nullable = |ty: Type| if ty.nullable { '?' } else { '.' };
        sides.plan.node(join).schema.types().into_iter().map(nullable).collect::<String>()
    };
    for (kind, nullable) in [
        (JoinKind::Inner, ".?...?.."),
        (JoinKind::Cross { pairs_max: 9 }, ".?...?.."),
        (JoinKind::Left, ".?..????"),
        (JoinKind::Right, "????.?.."),
        (JoinKind::Full, "????????"),
        (JoinKind::Semi, ".?.."),
        (JoinKind::Anti, ".?.."),
        (JoinKind::Mark, ".?..?"),
    ] {
        assert_eq!(types(kind), nullable, "{kind:?}");
    }
}

#[test]
fn wrong_joins_are_refused() {
    let refused = |make: &dyn Fn(&mut Sides), expected: &str| {
        let mut sides = Sides::new();
        make(&mut sides);
        check_refused(&sides.plan, expected);
    };
    refused(
        &|sides| {
            let key = sides.key(0, 2);
            sides.join(JoinKind::Semi, vec![key], None);
        },
        "n2 (`join`): a left key is i64, but its right key is f64: cast one of them",
    );
    refused(
        &|sides| {
            let key = JoinKey { null_safe: true, ..sides.key(3, 3) };
            sides.join(JoinKind::Inner, vec![key], None);
        },
        "n2 (`join`): the key v0 is opaque and cannot be compared: use another column",
    );
    refused(
        &|sides| {
            sides.join(JoinKind::Left, vec![], None);
        },
        "n2 (`join`) has no keys: give it at least one, or use a cross join with a limit of pairs",
    );
    refused(
        &|sides| {
            let key = sides.key(0, 0);
            sides.join(JoinKind::Cross { pairs_max: 5 }, vec![key], None);
        },
        "n2 (`join`): a cross join has no keys, but this one has 1: use an inner join",
    );
    refused(
        &|sides| {
            let (key, residual) = (sides.key(0, 0), sides.plan.column(sides.left, 0));
            sides.join(JoinKind::Inner, vec![key], Some(residual));
        },
        "n2 (`join`): the residual v2 must be bool, not i64: compare it with something",
    );
    refused(
        &|sides| {
            sides.right = sides.left;
            let (key, residual) = (sides.key(0, 0), sides.residual(0, 1));
            sides.join(JoinKind::Inner, vec![key], Some(residual));
        },
        "n2 (`join`) joins n0 with itself, so its residual cannot tell the sides apart: project one side first",
    );
    refused(
        &|sides| {
            let key = sides.key(0, 0);
            let row = sides.plan.column(sides.left, ROW_NUMBER);
            let residual = sides.plan.body.call(Op::Lt, &[row, row]).unwrap();
            sides.join(JoinKind::Inner, vec![key], Some(residual));
        },
        "n2 (`join`): its residual uses a row number: project that to a column first",
    );
    refused(
        &|sides| {
            let key = sides.key(0, 0);
            sides.join(JoinKind::Inner, vec![JoinKey::new(key.right, key.left)], None);
        },
        "n2 (`join`) uses v1, a column of n1 (`source`), but its input is n0 (`source`): take the column from n0",
    );
}

#[test]
fn wrong_aggregates_are_refused() {
    let refused = |column: u32, make: &dyn Fn(ValueId) -> Aggregate, expected: &str| {
        let mut plan = Plan::default();
        let input = source(&mut plan, "");
        let aggregates = vec![make(plan.column(input, column))];
        plan.push(Aggregation { input, keys: vec![], aggregates, order: RowOrder::Any }, &[]);
        check_refused(&plan, expected);
    };
    refused(
        3,
        &|s| Aggregate::of(AggregateOp::Median, s),
        "n1 (`aggregate`): `median` takes numbers, but v0 is opaque: cast it",
    );
    refused(
        3,
        &|s| Aggregate::of(AggregateOp::CountDistinct, s),
        "n1 (`aggregate`): the key v0 is opaque and cannot be compared: use another column",
    );
    refused(
        0,
        &|x| Aggregate::of(AggregateOp::Quantile(Fraction::new(1.5)), x),
        "n1 (`aggregate`): `quantile` at 1.5: give a fraction between 0 and 1",
    );
    refused(
        0,
        &|x| Aggregate::of(AggregateOp::Quantile(Fraction::new(f64::NAN)), x),
        "n1 (`aggregate`): `quantile` at NaN: give a fraction between 0 and 1",
    );
    refused(
        0,
        &|x| Aggregate { mode: FoldMode::Fast, ..Aggregate::of(AggregateOp::Mean, x) },
        "n1 (`aggregate`): `mean` cannot be fast: only sums and means of floats can",
    );
    refused(
        0,
        &|x| Aggregate { value: None, ..Aggregate::of(AggregateOp::Mean, x) },
        "n1 (`aggregate`): `mean` needs a value: only `count` can do without",
    );
    refused(
        3,
        &|s| Aggregate::of(AggregateOp::ArgMin, s),
        "n1 (`aggregate`): `argmin` takes values with an order, but v0 is opaque: fold another column",
    );
    refused(
        3,
        &|s| Aggregate::of(AggregateOp::Variance(Estimator::Sample), s),
        "n1 (`aggregate`): `variance` takes numbers, but v0 is opaque: cast it",
    );
    refused(
        0,
        &|x| Aggregate::of(AggregateOp::Correlation, x),
        "n1 (`aggregate`): `correlation` takes two values: give it a second one",
    );
    refused(
        0,
        &|x| Aggregate::of_pairs(AggregateOp::First, x, x),
        "n1 (`aggregate`): `first` takes one value: remove the second",
    );
    refused(
        0,
        &|x| Aggregate { value: None, ..Aggregate::of(AggregateOp::Last, x) },
        "n1 (`aggregate`): `last` needs a value: only `count` can do without",
    );
    refused(
        0,
        &|x| Aggregate {
            mode: FoldMode::Fast,
            ..Aggregate::of_pairs(AggregateOp::Covariance(Estimator::Population), x, x)
        },
        "n1 (`aggregate`): `covariance_population` cannot be fast: only sums and means of floats can",
    );
    refused(
        0,
        &|x| Aggregate::COUNT_ROWS.filtered(x),
        "n1 (`aggregate`): the filter v0 must be bool, not i64: compare it with something",
    );
}

/// `x > the largest y`, over a source.
fn above_the_largest() -> Plan {
    let mut plan = Plan::default();
    let input = source(&mut plan, "");
    let folds = vec![Fold::of(FoldOp::Max, plan.column(input, 1))];
    let largest = plan.push(NodeKind::Reduce { input, folds }, &["largest"]);
    let (largest, x) = (plan.scalar(largest, 0), plan.column(input, 0));
    let predicate = plan.body.call(Op::Gt, &[x, largest]).unwrap();
    plan.push(NodeKind::Filter { input, predicate }, &[]);
    plan
}

#[test]
fn scalars_are_columns_of_earlier_nodes() {
    let plan = above_the_largest();
    verify::plan(&plan).unwrap();
    check_text(
        &plan,
        "n2 filter (x > scalar(n1[0]))
        n0 source 0 (x: i64, y: i64?, f: f64, s: opaque)
        n1 reduce max(y) as largest
        n0 again",
    );
    let refused = |column: PlanColumn, ty: Type, expected: &str| {
        let mut plan = above_the_largest();
        plan.params[0] = ty;
        plan.scalars.insert(ParamId(0), column);
        check_refused(&plan, expected);
    };
    let (node, i64) = (NodeId, DType::I64.nullable());
    refused(
        PlanColumn { node: node(2), index: 0 },
        i64,
        "n2 (`filter`) uses p0, a scalar of n2, which does not come before it: add n2 first",
    );
    refused(
        PlanColumn { node: node(1), index: 3 },
        i64,
        "p0 is column 3 of n1, which does not exist: name one that does",
    );
    refused(PlanColumn { node: node(0), index: 2 }, i64, "p0 is i64?, but column 2 of n0 is f64: declare it so");
    refused(
        PlanColumn { node: node(0), index: 0 },
        DType::I64.required(),
        "p0 is i64, but n0 may have no row or a null: declare it nullable",
    );
    let mut plan = above_the_largest();
    plan.scalars.insert(ParamId(4), PlanColumn { node: NodeId(1), index: 0 });
    check_refused(&plan, "p4 is taken from n1, but there are 1 scalars: declare it");
}

fn optimised(plan: &Plan, pass: &str) -> Plan {
    let disabled = NAMES.iter().filter(|name| **name != pass).map(|name| name.to_string()).collect();
    passes::run(plan.clone(), &PassOptions { disabled }, &mut ()).unwrap()
}

#[test]
fn filters_stay_above_what_others_read_and_above_their_scalars() {
    // The sort has two readers: the filter, and the scalar.
    let mut plan = Plan::default();
    let input = source(&mut plan, "");
    let key = pointsman_ir::kernel::SortKey {
        value: plan.column(input, 0),
        order: pointsman_ir::kernel::SortOrder::Ascending,
        nulls: pointsman_ir::kernel::NullOrder::Last,
    };
    let sorted = plan.push(NodeKind::Sort { input, keys: vec![key] }, &[]);
    let folds = vec![Fold::of(FoldOp::Max, plan.column(sorted, 1))];
    let largest = plan.push(NodeKind::Reduce { input: sorted, folds }, &[]);
    let (largest, x) = (plan.scalar(largest, 0), plan.column(sorted, 0));
    let predicate = plan.body.call(Op::Gt, &[x, largest]).unwrap();
    plan.push(NodeKind::Filter { input: sorted, predicate }, &[]);
    assert_eq!(optimised(&plan, "push-filters"), plan);
    // The scalar comes behind the sort: a filter below the sort would come before it.
    let mut plan = Plan::default();
    let (input, other) = (source(&mut plan, ""), source(&mut plan, "o"));
    let key = pointsman_ir::kernel::SortKey { value: plan.column(input, 0), ..key };
    let sorted = plan.push(NodeKind::Sort { input, keys: vec![key] }, &[]);
    let folds = vec![Fold::of(FoldOp::Max, plan.column(other, 1))];
    let largest = plan.push(NodeKind::Reduce { input: other, folds }, &[]);
    let (largest, x) = (plan.scalar(largest, 0), plan.column(sorted, 0));
    let predicate = plan.body.call(Op::Gt, &[x, largest]).unwrap();
    plan.push(NodeKind::Filter { input: sorted, predicate }, &[]);
    assert_eq!(optimised(&plan, "push-filters"), plan);
}

#[test]
fn a_node_keeps_what_any_of_its_readers_uses() {
    let mut plan = Plan::default();
    let input = source(&mut plan, "");
    let columns = (0..4).map(|index| plan.column(input, index)).collect();
    let shared = plan.push(NodeKind::Project { input, columns }, &["x", "y", "f", "s"]);
    let folds = vec![Fold::of(FoldOp::Max, plan.column(shared, 1)), Fold::of(FoldOp::Max, plan.column(shared, 2))];
    let largest = plan.push(NodeKind::Reduce { input: shared, folds }, &["y", "f"]);
    let (largest, x) = (plan.scalar(largest, 0), plan.column(shared, 0));
    let sum = plan.body.call(Op::Add, &[x, largest]).unwrap();
    plan.push(NodeKind::Project { input: shared, columns: vec![sum] }, &["sum"]);
    check_text(
        &optimised(&plan, "prune-columns"),
        "n3 project (x + scalar(n2[0])) as sum
        n1 project x, y
        n0 source 0 (x: i64, y: i64?, f: f64, s: opaque)
        n2 reduce max(y) as y
        n1 again",
    );
}

#[test]
fn a_right_join_is_a_left_join_with_its_columns_put_back() {
    let mut sides = Sides::new();
    let key = sides.key(0, 0);
    sides.join(JoinKind::Right, vec![key], None);
    check_text(
        &expand::run(&sides.plan).unwrap(),
        "n3 project lx, ly, lf, ls, rx, ry, rf, rs
        n2 equi-join left on rx = lx
        n1 source 1 (rx: i64, ry: i64?, rf: f64, rs: opaque)
        n0 source 0 (lx: i64, ly: i64?, lf: f64, ls: opaque)",
    );
}

#[test]
fn a_null_safe_key_is_two_keys() {
    let mut sides = Sides::new();
    let key = JoinKey { null_safe: true, ..sides.key(1, 0) };
    sides.join(JoinKind::Semi, vec![key], None);
    check_text(
        &expand::run(&sides.plan).unwrap(),
        "n2 equi-join semi on is_null(ly) = is_null(rx), coalesce(ly, 0) = coalesce(rx, 0)
        n0 source 0 (lx: i64, ly: i64?, lf: f64, ls: opaque)
        n1 source 1 (rx: i64, ry: i64?, rf: f64, rs: opaque)",
    );
}
