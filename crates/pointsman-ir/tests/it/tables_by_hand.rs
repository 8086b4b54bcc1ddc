//! Table operations on a few rows, with the rows that they must give, written by hand: the meaning of plans and the stages
//! that run must both give them. Rows are lines, values are separated by spaces, `-` is null.

use pointsman_ir::data::TableData;
use pointsman_ir::expand;
use pointsman_ir::fuse::fuse;
use pointsman_ir::interpret::PlanFault;
use pointsman_ir::interpret::plan::{self as meaning, Comparison, PlanInputs};
use pointsman_ir::op::Op;
use pointsman_ir::passes::{self, PassOptions};
use pointsman_ir::plan::{
    Aggregate, AggregateOp, Aggregation, Estimator, Fraction, Join, JoinKey, JoinKind, NodeId, NodeKind, Plan,
    RowOrder, SourceId,
};
use pointsman_ir::random::plans::PlanCase;
use pointsman_ir::random::run_stages;
use pointsman_ir::types::{DType, Scalar, Schema, Type};

const LEFT: &str = "1 10\n2 20\n- 30\n1 40";
const RIGHT: &str = "1 15\n1 25\n3 35\n- 45";

/// Nullable `i64` columns of these rows.
fn rows(text: &str, types: &[Type]) -> TableData {
    let mut table = TableData::empty(types);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let value = |(word, ty): (&str, &Type)| match (word, ty.dtype) {
            ("-", _) => None,
            (word, DType::Bool) => Some(Scalar::Bool(word.parse().unwrap())),
            (word, DType::F64) => Some(Scalar::F64(word.parse().unwrap())),
            (word, DType::U64) => Some(Scalar::U64(word.parse().unwrap())),
            (word, _) => Some(Scalar::I64(word.parse().unwrap())),
        };
        table.push(&line.split_whitespace().zip(types).map(value).collect::<Vec<_>>());
    }
    table
}

/// A source of two nullable `i64` columns.
fn source(plan: &mut Plan, names: [&str; 2]) -> NodeId {
    let number = plan.nodes.len() as u32;
    plan.source(SourceId(number), Schema::new(names.map(|name| (name, DType::I64.nullable()))))
}

fn case(plan: Plan, sources: &[&str]) -> PlanCase {
    let sources = sources.iter().map(|text| rows(text, &[DType::I64.nullable(); 2])).collect();
    PlanCase { seed: 0, plan, sources, params: vec![], lists: vec![] }
}

/// What the stages of a case give, with every pass.
fn run(case: &PlanCase) -> Result<TableData, PlanFault> {
    let plan = passes::run(expand::run(&case.plan).unwrap(), &PassOptions::default(), &mut ()).unwrap();
    run_stages(case, &fuse(&plan).unwrap())
}

fn meaning_of(case: &PlanCase) -> meaning::Reference {
    let PlanCase { plan, sources, params, lists, .. } = case;
    meaning::run(plan, &PlanInputs { sources, params, lists }).unwrap()
}

fn check(plan: Plan, sources: &[&str], expected: &str) {
    let wanted = rows(expected, &plan.node(plan.root()).schema.types());
    let case = case(plan, sources);
    assert_eq!(run(&case).as_ref(), Ok(&wanted), "{}", case.plan);
    assert_eq!(meaning_of(&case).compare(&Ok(wanted)), Ok(Comparison::Equal), "{}", case.plan);
}

/// A join of `k v` and `q w` on `k = q`, where `v < w` if there is a residual.
struct Joined {
    kind: JoinKind,
    null_safe: bool,
    residual: bool,
}

impl Joined {
    const fn plain(kind: JoinKind) -> Joined {
        Joined { kind, null_safe: false, residual: false }
    }

    const fn null_safe(kind: JoinKind) -> Joined {
        Joined { kind, null_safe: true, residual: false }
    }

    const fn residual(kind: JoinKind) -> Joined {
        Joined { kind, null_safe: false, residual: true }
    }

    fn plan(&self) -> Plan {
        let mut plan = Plan::default();
        let (left, right) = (source(&mut plan, ["k", "v"]), source(&mut plan, ["q", "w"]));
        let keys = match self.kind {
            JoinKind::Cross { .. } => vec![],
            _ => vec![JoinKey { left: plan.column(left, 0), right: plan.column(right, 0), null_safe: self.null_safe }],
        };
        let sides = [plan.column(left, 1), plan.column(right, 1)];
        let residual = self.residual.then(|| plan.body.call(Op::Lt, &sides).unwrap());
        plan.push(Join { left, right, keys, residual, kind: self.kind }, &[]);
        plan
    }
}

#[test]
fn joins_keep_these_rows_in_this_order() {
    let check = |joined: Joined, expected: &str| check(joined.plan(), &[LEFT, RIGHT], expected);
    check(Joined::plain(JoinKind::Inner), "1 10 1 15\n1 10 1 25\n1 40 1 15\n1 40 1 25");
    check(Joined::plain(JoinKind::Left), "1 10 1 15\n1 10 1 25\n2 20 - -\n- 30 - -\n1 40 1 15\n1 40 1 25");
    check(Joined::plain(JoinKind::Right), "1 10 1 15\n1 40 1 15\n1 10 1 25\n1 40 1 25\n- - 3 35\n- - - 45");
    check(
        Joined::plain(JoinKind::Full),
        "1 10 1 15\n1 10 1 25\n2 20 - -\n- 30 - -\n1 40 1 15\n1 40 1 25\n- - 3 35\n- - - 45",
    );
    check(Joined::plain(JoinKind::Semi), "1 10\n1 40");
    check(Joined::plain(JoinKind::Anti), "2 20\n- 30");
    check(Joined::null_safe(JoinKind::Anti), "2 20");
    check(Joined::null_safe(JoinKind::Inner), "1 10 1 15\n1 10 1 25\n- 30 - 45\n1 40 1 15\n1 40 1 25");
    let cross = JoinKind::Cross { pairs_max: 16 };
    check(
        Joined::residual(cross),
        "1 10 1 15\n1 10 1 25\n1 10 3 35\n1 10 - 45\n2 20 1 25\n2 20 3 35\n2 20 - 45\n- 30 3 35\n- 30 - 45\n1 40 - 45",
    );
}

#[test]
fn a_residual_decides_what_matches() {
    let check = |joined: Joined, expected: &str| check(joined.plan(), &[LEFT, RIGHT], expected);
    check(Joined::residual(JoinKind::Inner), "1 10 1 15\n1 10 1 25");
    check(Joined::residual(JoinKind::Left), "1 10 1 15\n1 10 1 25\n2 20 - -\n- 30 - -\n1 40 - -");
    check(Joined::residual(JoinKind::Right), "1 10 1 15\n1 10 1 25\n- - 3 35\n- - - 45");
    check(Joined::residual(JoinKind::Full), "1 10 1 15\n1 10 1 25\n2 20 - -\n- 30 - -\n1 40 - -\n- - 3 35\n- - - 45");
    check(Joined::residual(JoinKind::Semi), "1 10");
    check(Joined::residual(JoinKind::Anti), "2 20\n- 30\n1 40");
}

#[test]
fn marks_have_three_values() {
    let check = |joined: Joined, right: &str, expected: &str| check(joined.plan(), &[LEFT, right], expected);
    let mark = JoinKind::Mark;
    // A null on the right leaves every other key open.
    check(Joined::plain(mark), RIGHT, "1 10 true\n2 20 -\n- 30 -\n1 40 true");
    check(Joined::plain(mark), "1 15\n3 25", "1 10 true\n2 20 false\n- 30 -\n1 40 true");
    // Nothing is in an empty list, not even null.
    check(Joined::plain(mark), "", "1 10 false\n2 20 false\n- 30 false\n1 40 false");
    check(Joined::null_safe(mark), RIGHT, "1 10 true\n2 20 false\n- 30 true\n1 40 true");
    // The residual is false for most pairs, and null for the last.
    check(Joined::residual(mark), "1 15\n- 25\n2 -", "1 10 true\n2 20 -\n- 30 -\n1 40 false");
    check(Joined::residual(mark), "1 15\n3 25", "1 10 true\n2 20 false\n- 30 false\n1 40 false");
}

#[test]
fn limits_of_pairs_and_rows_are_errors() {
    let cross = case(Joined::plain(JoinKind::Cross { pairs_max: 15 }).plan(), &[LEFT, RIGHT]);
    let fault = PlanFault::PairLimit { pairs: 16, pairs_max: 15 };
    assert_eq!((run(&cross), meaning_of(&cross).fault()), (Err(fault.clone()), Some(&fault)));
    let mut plan = Plan::default();
    let left = source(&mut plan, ["k", "v"]);
    let (value, scalar) = (plan.column(left, 0), plan.scalar(left, 1));
    let sum = plan.body.call(Op::Add, &[value, scalar]).unwrap();
    plan.push(NodeKind::Project { input: left, columns: vec![sum] }, &[]);
    let rows = case(plan.clone(), &[LEFT]);
    let fault = PlanFault::ScalarRows { rows: 4 };
    assert_eq!((run(&rows), meaning_of(&rows).fault()), (Err(fault.clone()), Some(&fault)));
    check(plan.clone(), &["5 7"], "12");
    check(plan, &[""], "");
}

/// Aggregates of `v`, by `k` or of all rows.
fn aggregated(by_key: bool) -> Plan {
    let mut plan = Plan::default();
    let input = source(&mut plan, ["k", "v"]);
    let (k, v) = (plan.column(input, 0), plan.column(input, 1));
    let small = plan.body.constant(Scalar::I64(30), DType::I64);
    let small = plan.body.call(Op::Lt, &[v, small]).unwrap();
    let aggregates = vec![
        Aggregate::of(AggregateOp::Mean, v),
        Aggregate::of(AggregateOp::CountDistinct, v),
        Aggregate::of(AggregateOp::Median, v),
        Aggregate::of(AggregateOp::Quantile(Fraction::new(0.25)), v),
        Aggregate::COUNT_ROWS.filtered(small),
        Aggregate::of(AggregateOp::Mean, v).filtered(small),
    ];
    let keys = if by_key { vec![k] } else { vec![] };
    plan.push(Aggregation { input, keys, aggregates, order: RowOrder::FirstRow }, &[]);
    plan
}

/// Aggregates of `v` that pass over the rows twice, by `k` or of all rows, above a filter.
fn twice_aggregated(by_key: bool) -> Plan {
    let mut plan = Plan::default();
    let source = source(&mut plan, ["k", "v"]);
    let (v, limit) = (plan.column(source, 1), plan.body.constant(Scalar::I64(100), DType::I64));
    let kept = plan.body.call(Op::Lt, &[v, limit]).unwrap();
    let input = plan.push(NodeKind::Filter { input: source, predicate: kept }, &[]);
    let (k, v) = (plan.column(input, 0), plan.column(input, 1));
    let small = plan.body.constant(Scalar::I64(30), DType::I64);
    let small = plan.body.call(Op::Lt, &[v, small]).unwrap();
    let aggregates = vec![
        Aggregate::of(AggregateOp::First, v),
        Aggregate::of(AggregateOp::Last, v).filtered(small),
        Aggregate::of(AggregateOp::ArgMin, v),
        Aggregate::of(AggregateOp::ArgMax, v),
        Aggregate::of(AggregateOp::Variance(Estimator::Sample), v),
        Aggregate::of(AggregateOp::StandardDeviation(Estimator::Population), v),
        Aggregate::of_pairs(AggregateOp::Covariance(Estimator::Population), k, v),
        Aggregate::of_pairs(AggregateOp::Correlation, v, v),
    ];
    let keys = if by_key { vec![k] } else { vec![] };
    plan.push(Aggregation { input, keys, aggregates, order: RowOrder::FirstRow }, &[]);
    plan
}

#[test]
fn aggregates_of_two_passes() {
    // Row 0 is filtered out, and keeps its number.
    let input = "2 200\n2 10\n- 40\n2 20\n1 50\n2 18\n- 44";
    check(
        twice_aggregated(true),
        &[input],
        "2 10 18 1 3 28 4.320493798938574 0 1
         - 40 - 2 6 8 2 - 1
         1 50 - 4 4 - 0 0 -",
    );
    check(twice_aggregated(false), &[input], "10 18 1 4 267.8666666666667 14.940623220676645 -6.375 1");
    check(twice_aggregated(true), &[""], "");
    check(twice_aggregated(false), &[""], "- - - - - - - -");
}

#[test]
fn aggregates_of_groups_and_of_all_rows() {
    let input = "2 10\n- 40\n2 20\n1 50\n2 20\n2 -\n- 42\n3 -";
    check(
        aggregated(true),
        &[input],
        "2 16.666666666666668 2 20 15 3 16.666666666666668
         - 41 2 41 40.5 0 -
         1 50 1 50 50 0 -
         3 - 0 - - 0 -",
    );
    check(aggregated(false), &[input], "30.333333333333332 5 30 20 3 16.666666666666668");
    check(aggregated(true), &[""], "");
    check(aggregated(false), &[""], "- 0 - - 0 -");
}
