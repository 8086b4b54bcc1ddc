//! A plan behind another plan: the text of both side by side, and random plans that give what they give alone.

use pointsman_ir::body::{Body, ListId};
use pointsman_ir::fuse::fuse;
use pointsman_ir::kernel::{Fold, FoldOp};
use pointsman_ir::op::Op;
use pointsman_ir::plan::{
    AppendedPlan, Join, JoinKey, JoinKind, NodeId, NodeKind, Plan, PlanColumn, ROW_NUMBER, SourceId, print,
};
use pointsman_ir::random::plans::{PlanCase, plan_case, profile};
use pointsman_ir::random::run_stages;
use pointsman_ir::types::{DType, Schema};
use pointsman_ir::verify;

/// A filter whose condition has a scalar, a list and a loop; then a computed scalar.
fn filtered() -> Plan {
    let mut plan = Plan::default();
    let source = plan.source(SourceId(0), Schema::new([("x", DType::U32.required())]));
    let dead = plan.column(source, ROW_NUMBER);
    plan.body.call(Op::IsNull, &[dead]).unwrap();
    let (x, first) = (plan.column(source, 0), plan.param(DType::U32.required()));
    plan.lists.push(DType::U32);
    let listed = plan.body.lookup(ListId(0), DType::U32, x);
    let of = plan.body.open_loop(3, &[first]);
    let carried = plan.body.loop_carried(of, 0);
    let next = plan.body.call(Op::Add, &[carried, x]).unwrap();
    plan.body.close_loop(of, None, &[next]).unwrap();
    let last = Body::loop_result(&mut plan.body, of, 0);
    let predicate = plan.body.call(Op::Lt, &[listed, last]).unwrap();
    let filter = plan.push(NodeKind::Filter { input: source, predicate }, &[]);
    let x = plan.column(filter, 0);
    let sum = plan.push(NodeKind::Reduce { input: filter, folds: vec![Fold::of(FoldOp::Sum, x)] }, &["sum"]);
    let (x, sum) = (plan.column(filter, 0), plan.scalar(sum, 0));
    let share = plan.body.call(Op::Div, &[x, sum]).unwrap();
    plan.push(NodeKind::Project { input: filter, columns: vec![x, share] }, &["x", "share"]);
    plan
}

#[test]
fn both_plans_keep_their_expressions() {
    let mut plan = filtered();
    let left = plan.root();
    let appended = plan.append(&filtered()).unwrap();
    let first = AppendedPlan { first_node: 4, first_source: 1, first_param: 2, first_list: 1 };
    assert_eq!(appended, first);
    let right = plan.root();
    assert_eq!(right, appended.node(left));
    assert_eq!(plan.given_params().len(), 2);
    let computed: Vec<PlanColumn> = plan.scalars.values().copied().collect();
    let of = |node| PlanColumn { node: NodeId(node), index: 0 };
    assert_eq!(computed, [of(2), of(6)]);
    let key = JoinKey::new(plan.column(left, 0), plan.column(right, 0));
    let join = Join { left, right, keys: vec![key], residual: None, kind: JoinKind::Inner };
    plan.push(NodeKind::from(join), &[]);
    verify::plan(&plan).unwrap();
    assert_eq!(
        plan.to_string(),
        "n8 join inner on n3.x = n7.x
  n3 project x, (x / scalar(n2[0])) as share
    n1 filter (l0[x] < v5.result.0)
        let v5 = loop 3 from (p0) next ((v5.carried.0 + x))
      n0 source 0 (x: u32)
    n2 reduce sum(x) as sum
      n1 again
  n7 project x, (x / scalar(n6[0])) as share
    n5 filter (l1[x] < v17.result.0)
        let v17 = loop 3 from (p2) next ((v17.carried.0 + x))
      n4 source 1 (x: u32)
    n6 reduce sum(x) as sum
      n5 again
",
    );
}

#[test]
fn a_plan_gives_the_same_behind_another() {
    let profile = profile();
    let mut results = 0;
    for seed in 0..2_000 {
        let (first, second) = (plan_case(seed, &profile), plan_case(seed + 1_000_000, &profile));
        let mut both = first.clone();
        both.plan.append(&second.plan).unwrap();
        verify::plan(&both.plan).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", print::print(&both.plan)));
        both.sources.extend(second.sources.iter().cloned());
        both.params.extend(&second.params);
        both.lists.extend(second.lists.iter().cloned());
        let run = |case: &PlanCase| run_stages(case, &fuse(&case.plan).unwrap());
        let (alone, behind) = (run(&second), run(&both));
        results += usize::from(alone.is_ok());
        assert_eq!(alone.ok(), behind.ok(), "seed {seed}\n{}", print::print(&both.plan));
    }
    assert!(results > 1_500, "{results} plans give a result");
}
