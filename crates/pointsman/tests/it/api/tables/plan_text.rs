//! The typed API and the plan API write the same plan for the same query.

use super::session;
use pointsman::plan::{
    Aggregate, AggregateOp, Aggregation, DType, Field, FoldMode, FoldOp, Fraction, Join, JoinKey, JoinKind, NodeKind,
    NullOrder, Op, Plan, RowOrder, Schema, SortKey, SortOrder, SourceId, print,
};
use pointsman::{Query, count, null_safe, types::Values};

fn check<R: Values>(query: &Query<'_, R>, plan: &Plan) {
    assert_eq!(query.explain().step("plan"), Some(print(plan).as_str()));
}

/// A plan of sources with these columns, named as the typed API names them.
fn sources(types: &[&[DType]]) -> Plan {
    let mut plan = Plan::default();
    for (number, types) in (0..).zip(types) {
        let field = |(index, dtype): (usize, &DType)| Field { name: format!("_{index}"), ty: dtype.required() };
        plan.source(SourceId(number), Schema { fields: types.iter().enumerate().map(field).collect() });
    }
    plan
}

fn key(plan: &mut Plan, column: u32, order: SortOrder, nulls: NullOrder) -> SortKey {
    SortKey { value: plan.column(plan.root(), column), order, nulls }
}

#[test]
fn joins_groups_and_sorts() {
    let (s, store, price) = (session(), [7i64, 8], [1.5f64, 2.0]);
    let trades = s.from((&store, &price)).filter(|(_, price)| price.gt(1.0));
    let stores = s.from(&store).map(|id| (id, id % 3));
    let query = trades
        .join_on(stores, |(store, _)| null_safe(store), |(id, _)| null_safe(id))
        .filter(|(store, _), (_, city)| store.ne(city))
        .left()
        .group_by(|(_, (_, city))| city)
        .agg(|((_, price), _)| {
            (
                price.sum().fast(),
                price.mean().filter(price.lt(9.0)),
                count(),
                price.quantile(0.9),
                price.count_distinct(),
            )
        })
        .filter(|(_, (_, _, sales, _, _))| sales.gt(2))
        .sort_by(|(city, (revenue, ..))| (revenue.desc().nulls_first(), city))
        .limit(3);

    let mut plan = sources(&[&[DType::I64, DType::F64]]);
    let trades = plan.root();
    let (price, limit) = (plan.column(trades, 1), plan.param(DType::F64.required()));
    let predicate = plan.body.call(Op::Gt, &[price, limit]).unwrap();
    let left = plan.push(NodeKind::Filter { input: trades, predicate }, &[]);
    let field = Field { name: "_0".to_string(), ty: DType::I64.required() };
    let stores = plan.source(SourceId(1), Schema { fields: vec![field] });
    let (id, three) = (plan.column(stores, 0), plan.param(DType::I64.required()));
    let city = plan.body.call(Op::Rem, &[id, three]).unwrap();
    let right = plan.push(NodeKind::Project { input: stores, columns: vec![id, city] }, &[]);
    let keys = vec![JoinKey { left: plan.column(left, 0), right: plan.column(right, 0), null_safe: true }];
    let (store, city) = (plan.column(left, 0), plan.column(right, 1));
    let residual = Some(plan.body.call(Op::Ne, &[store, city]).unwrap());
    let input = plan.push(NodeKind::from(Join { left, right, keys, residual, kind: JoinKind::Left }), &[]);
    let (city, price) = (plan.column(input, 3), plan.column(input, 1));
    let nine = plan.param(DType::F64.required());
    let cheap = plan.body.call(Op::Lt, &[price, nine]).unwrap();
    let aggregates = vec![
        Aggregate { mode: FoldMode::Fast, ..Aggregate::of(AggregateOp::Fold(FoldOp::Sum), price) },
        Aggregate::of(AggregateOp::Mean, price).filtered(cheap),
        Aggregate::COUNT_ROWS,
        Aggregate::of(AggregateOp::Quantile(Fraction::new(0.9)), price),
        Aggregate::of(AggregateOp::CountDistinct, price),
    ];
    let input =
        plan.push(NodeKind::from(Aggregation { input, keys: vec![city], aggregates, order: RowOrder::Any }), &[]);
    let (sales, two) = (plan.column(input, 3), plan.param(DType::U64.required()));
    let predicate = plan.body.call(Op::Gt, &[sales, two]).unwrap();
    let input = plan.push(NodeKind::Filter { input, predicate }, &[]);
    let by_revenue = key(&mut plan, 1, SortOrder::Descending, NullOrder::First);
    let by_city = key(&mut plan, 0, SortOrder::Ascending, NullOrder::Last);
    plan.push(NodeKind::TopK { input, keys: vec![by_revenue, by_city], count: 3 }, &[]);
    check(&query, &plan);
}

#[test]
fn unions_limits_and_distinct_rows() {
    let (s, x) = (session(), [7i64, 8]);
    let query = s.from(&x).union(s.from(&x).cross_join(s.from(&x), 100).map(|(x, _)| x));
    let query = query.distinct().sort_by(|x| x).offset(1).limit(2);

    let mut plan = sources(&[&[DType::I64], &[DType::I64], &[DType::I64]]);
    let [first, left, right] = [0, 1, 2].map(pointsman::plan::NodeId);
    let kind = JoinKind::Cross { pairs_max: 100 };
    let input = plan.push(NodeKind::from(Join { left, right, keys: Vec::new(), residual: None, kind }), &[]);
    let x = plan.column(input, 0);
    let second = plan.push(NodeKind::Project { input, columns: vec![x] }, &[]);
    let input = plan.push(NodeKind::Union { inputs: vec![first, second] }, &[]);
    let input = plan.push(NodeKind::Distinct { input }, &[]);
    let by_x = key(&mut plan, 0, SortOrder::Ascending, NullOrder::Last);
    let input = plan.push(NodeKind::Sort { input, keys: vec![by_x] }, &[]);
    let input = plan.push(NodeKind::Limit { input, skip: 1, fetch: None }, &[]);
    plan.push(NodeKind::Limit { input, skip: 0, fetch: Some(2) }, &[]);
    check(&query, &plan);
}

#[test]
fn folds_of_all_rows_are_a_reduction_where_they_can_be() {
    let (s, x) = (session(), [7i64, 8]);
    let plain = s.from(&x).folds(|x| (x.sum(), x.mean(), count()));
    let text = "n1 reduce sum(_0) as _0, total(_0) as _1, count(_0) as _2, count() as _3\n  n0 source 0 (_0: i64)\n";
    assert_eq!(plain.explain().step("plan"), Some(text));
    let composed = s.from(&x).folds(|x| (x.mean(), x.median()));
    let text = "n1 aggregate total(_0) as _0, count(_0) as _1, median(_0) as _2\n  n0 source 0 (_0: i64)\n";
    assert_eq!(composed.explain().step("plan"), Some(text));
}
