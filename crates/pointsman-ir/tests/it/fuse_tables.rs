//! Fusion of tables: parts, scalars, gathers from whole tables, limits of pairs, and what is written out before. Plans in,
//! stages as text out.

use pointsman_ir::body::ValueId;
use pointsman_ir::expand;
use pointsman_ir::fuse::{StageInput, fuse, print_stages};
use pointsman_ir::kernel::{Fold, FoldOp, GroupOrder, NullOrder, Sink, SortKey, SortOrder};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{Join, JoinKey, JoinKind, NodeId, NodeKind, Plan, RowOrder, SourceId};
use pointsman_ir::types::{DType, Schema};

/// A source `x: i64, y: i64?`.
fn source(plan: &mut Plan, number: u32) -> NodeId {
    plan.source(SourceId(number), Schema::new([("x", DType::I64.required()), ("y", DType::I64.nullable())]))
}

fn filter(plan: &mut Plan, input: NodeId) -> NodeId {
    let (x, y) = (plan.column(input, 0), plan.column(input, 1));
    let predicate = plan.body.call(Op::Gt, &[x, y]).unwrap();
    plan.push(NodeKind::Filter { input, predicate }, &[])
}

fn join(plan: &mut Plan, left: NodeId, right: NodeId, kind: JoinKind) -> NodeId {
    let keys = vec![JoinKey::new(plan.column(left, 0), plan.column(right, 0))];
    plan.push(NodeKind::from(Join { left, right, keys, residual: None, kind }), &[])
}

fn sum(plan: &mut Plan, input: NodeId, column: u32) -> NodeId {
    let folds = vec![Fold::of(FoldOp::Sum, plan.column(input, column))];
    plan.push(NodeKind::Reduce { input, folds }, &[])
}

fn ascending(value: ValueId) -> SortKey {
    SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::Last }
}

/// The lines that say where each stage's rows come from, and its sink.
fn check(plan: &Plan, expected: &str) {
    let stages = fuse(&expand::run(plan).unwrap()).unwrap_or_else(|error| panic!("{error}\n{plan}"));
    let text = print_stages(&stages);
    let shown = text.lines().filter(|line| line.starts_with("# stage") || line.starts_with("sink "));
    let wanted: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(shown.collect::<Vec<_>>(), wanted, "{plan}\n{text}");
}

#[test]
fn unions_and_limits_are_parts() {
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let limit = plan.push(NodeKind::Limit { input: b, skip: 3, fetch: Some(10) }, &[]);
    let limit = plan.push(NodeKind::Limit { input: limit, skip: 2, fetch: Some(20) }, &[]);
    let swapped = vec![plan.column(a, 0), plan.column(a, 1)];
    let chosen = plan.push(NodeKind::Project { input: a, columns: swapped }, &[]);
    let union = plan.push(NodeKind::Union { inputs: vec![a, limit, chosen] }, &[]);
    sum(&mut plan, union, 1);
    check(
        &plan,
        "# stage 0: source 0, columns [1]; source 1 rows 5..13, columns [1]; source 0, columns [1]
        sink reduce sum(v0)",
    );
    // A limit cannot be said of several parts, nor a part of filtered rows.
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let b = filter(&mut plan, b);
    let union = plan.push(NodeKind::Union { inputs: vec![a, b] }, &[]);
    let limit = plan.push(NodeKind::Limit { input: union, skip: 1, fetch: None }, &[]);
    sum(&mut plan, limit, 1);
    check(
        &plan,
        "# stage 0: source 1, columns [0, 1]
        sink compact v0, v1
        # stage 1: source 0, columns [0, 1]; stage 0, columns [0, 1]
        sink store v0, v1
        # stage 2: stage 1 without 1 rows, columns [1]
        sink reduce sum(v0)",
    );
}

#[test]
fn nested_unions_do_not_multiply_parts() {
    let mut plan = Plan::default();
    let mut node = source(&mut plan, 0);
    for _ in 0..60 {
        node = plan.push(NodeKind::Union { inputs: vec![node, node] }, &[]);
    }
    let stages = fuse(&plan).unwrap();
    assert!(stages.len() < 20 && stages.iter().all(|stage| stage.parts.len() <= 256), "{} stages", stages.len());
}

#[test]
fn a_build_of_a_whole_table_numbers_its_rows() {
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let joined = join(&mut plan, a, b, JoinKind::Inner);
    sum(&mut plan, joined, 3);
    check(
        &plan,
        "# stage 0: source 1, columns [0]
        sink build keys(v0) columns(v1)
        # stage 1: source 0, columns [0], tables [source 1 columns [1] by the keys of stage 0 numbered by column 1]
        sink reduce sum(v2)",
    );
    // Nothing is gathered, or the rows are filtered: the build's own output will do.
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let joined = join(&mut plan, a, b, JoinKind::Semi);
    sum(&mut plan, joined, 1);
    check(
        &plan,
        "# stage 0: source 1, columns [0]
        sink build keys(v0) columns()
        # stage 1: source 0, columns [0, 1], tables [stage 0 columns [] by the keys of stage 0]
        sink reduce sum(v2)",
    );
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let b = filter(&mut plan, b);
    let joined = join(&mut plan, a, b, JoinKind::Inner);
    sum(&mut plan, joined, 3);
    check(
        &plan,
        "# stage 0: source 1, columns [0, 1]
        sink build keys(v0) columns(v1)
        # stage 1: source 0, columns [0], tables [stage 0 columns [1] by the keys of stage 0]
        sink reduce sum(v2)",
    );
}

#[test]
fn multiplied_rows_are_written_before_sorts_builds_and_groups_by_first_row() {
    let stages = |above: &dyn Fn(&mut Plan, NodeId) -> NodeKind| {
        let mut plan = Plan::default();
        let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
        let joined = join(&mut plan, a, b, JoinKind::Left);
        let kind = above(&mut plan, joined);
        plan.push(kind, &[]);
        let stages = fuse(&expand::run(&plan).unwrap()).unwrap();
        stages.iter().map(|stage| stage.kernel.sink.name()).collect::<Vec<_>>().join(" ")
    };
    let keys = |plan: &mut Plan, node: NodeId| vec![ascending(plan.column(node, 0))];
    assert_eq!(stages(&|plan, input| NodeKind::Sort { input, keys: keys(plan, input) }), "build compact sort");
    let top = |plan: &mut Plan, input| NodeKind::TopK { input, keys: keys(plan, input), count: 3 };
    assert_eq!(stages(&top), "build compact sort");
    let group = |order: RowOrder| {
        move |plan: &mut Plan, input: NodeId| NodeKind::Group {
            input,
            keys: vec![plan.column(input, 0)],
            folds: vec![Fold::COUNT_ROWS],
            order,
        }
    };
    assert_eq!(stages(&group(RowOrder::FirstRow)), "build compact group");
    assert_eq!(stages(&group(RowOrder::Any)), "build group");
    assert_eq!(stages(&|_, input| NodeKind::Distinct { input }), "build compact group");
}

#[test]
fn first_row_order_is_kept_only_where_it_is_seen() {
    let orders = |above: &dyn Fn(&mut Plan, NodeId)| {
        let mut plan = Plan::default();
        let input = source(&mut plan, 0);
        let keys = vec![plan.column(input, 0)];
        let folds = vec![Fold::of(FoldOp::Max, plan.column(input, 1))];
        let group = plan.push(NodeKind::Group { input, keys, folds, order: RowOrder::FirstRow }, &[]);
        above(&mut plan, group);
        match fuse(&plan).unwrap()[0].kernel.sink {
            Sink::Group { order: GroupOrder::Hash, .. } => "any",
            Sink::Group { order: GroupOrder::Least(_), .. } => "first row",
            _ => "no group",
        }
    };
    assert_eq!(orders(&|_, _| {}), "first row");
    assert_eq!(
        orders(&|plan, input| {
            sum(plan, input, 0);
        }),
        "any"
    );
    assert_eq!(
        orders(&|plan, input| {
            let (keys, order) = (vec![plan.column(input, 1)], RowOrder::Any);
            plan.push(NodeKind::Group { input, keys, folds: vec![Fold::COUNT_ROWS], order }, &[]);
        }),
        "any"
    );
    assert_eq!(
        orders(&|plan, input| {
            let x = plan.column(input, 0);
            let double = plan.body.cast(Op::Cast, x, DType::F64).unwrap();
            plan.push(NodeKind::Reduce { input, folds: vec![Fold::of(FoldOp::Sum, double)] }, &[]);
        }),
        "first row"
    );
    assert_eq!(
        orders(&|plan, input| {
            let limit = plan.push(NodeKind::Limit { input, skip: 0, fetch: Some(1) }, &[]);
            sum(plan, limit, 0);
        }),
        "first row"
    );
}

#[test]
fn scalars_are_rows_of_stages_and_the_others_are_numbered_among_themselves() {
    let mut plan = Plan::default();
    let a = source(&mut plan, 0);
    let first = plan.param(DType::I64.required());
    let largest = plan.push(NodeKind::Reduce { input: a, folds: vec![Fold::COUNT_ROWS] }, &[]);
    let count = plan.scalar(largest, 0);
    let second = plan.param(DType::I64.required());
    let (x, y) = (plan.column(a, 0), plan.column(a, 1));
    let count = plan.body.cast(Op::CastSaturating, count, DType::I64).unwrap();
    let mut columns = vec![x, y];
    for other in [count, second, first] {
        columns.push(plan.body.call(Op::Add, &[x, other]).unwrap());
    }
    plan.push(NodeKind::Project { input: a, columns }, &[]);
    check(
        &plan,
        "# stage 0: source 0, columns []
        sink reduce count()
        # stage 1: source 0, columns [0, 1], params [stage 0 column 0, p1, p0]
        sink store v0, v1, v4, v6, v8",
    );
}

#[test]
fn a_shared_join_runs_once_and_equal_tables_are_built_once() {
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let joined = join(&mut plan, a, b, JoinKind::Inner);
    let one = filter(&mut plan, joined);
    let other = join(&mut plan, joined, one, JoinKind::Semi);
    sum(&mut plan, other, 3);
    check(
        &plan,
        "# stage 0: source 1, columns [0]
        sink build keys(v0) columns(v1)
        # stage 1: source 0, columns [0, 1], tables [source 1 columns [0, 1] by the keys of stage 0 numbered by column 1]
        sink compact v0, v2, v3, v4
        # stage 2: stage 1, columns [0, 1]
        sink build keys(v0) columns()
        # stage 3: stage 1, columns [0, 3], tables [stage 2 columns [] by the keys of stage 2]
        sink reduce sum(v2)",
    );
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let (one, other) = (join(&mut plan, a, b, JoinKind::Semi), join(&mut plan, a, b, JoinKind::Anti));
    plan.push(NodeKind::Union { inputs: vec![one, other] }, &[]);
    let stages = fuse(&expand::run(&plan).unwrap()).unwrap();
    assert_eq!(stages.iter().filter(|stage| stage.kernel.sink.name() == "build").count(), 1);
}

#[test]
fn a_cross_join_limits_the_pairs_of_exact_rows() {
    let mut plan = Plan::default();
    let (a, b) = (source(&mut plan, 0), source(&mut plan, 1));
    let a = filter(&mut plan, a);
    let kind = JoinKind::Cross { pairs_max: 1000 };
    let cross = plan.push(NodeKind::from(Join { left: a, right: b, keys: vec![], residual: None, kind }), &[]);
    sum(&mut plan, cross, 3);
    check(
        &plan,
        "# stage 0: source 0, columns [0, 1]
        sink compact v0, v1
        # stage 1: source 1, columns []
        sink build keys(v0) columns(v1)
        # stage 2: stage 0, columns [], tables [source 1 columns [1] by the keys of stage 1 numbered by column 1], at most 1000 pairs with t0
        sink reduce sum(v2)",
    );
    let stages = fuse(&expand::run(&plan).unwrap()).unwrap();
    assert_eq!(stages[2].whole_input(), Some(StageInput::Stage(0)));
}
