//! Plans, tables and scalars that make no sense are errors that name what is wrong.

use super::{batch, cpu, pairs, plan_of};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use pointsman::plan::{DType, Field, NodeId, NodeKind, Plan, Scalar, Schema, SourceId};
use pointsman::{Error, ErrorKind, SessionOptions};
use std::sync::Arc;

fn error(plan: Plan, sources: &[RecordBatch], params: &[Option<Scalar>]) -> Error {
    let session = cpu(SessionOptions::new());
    let query = session.plan(plan, sources, params);
    let explained = query.explain();
    let error = query.run().unwrap_err();
    assert!(explained.step("error").is_some_and(|text| text.contains(error.message())), "{explained}\n{error}");
    assert!(error.location().is_some_and(|at| at.file().ends_with("mistakes.rs")), "{error}");
    error
}

/// A plan that keeps its source's rows where `k` is the plan's parameter.
fn filtered() -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
    let (k, limit) = (plan.column(nodes[0], 0), plan.param(DType::I64.required()));
    let predicate = plan.body.call(pointsman::plan::Op::Lt, &[k, limit]).unwrap();
    plan.push(NodeKind::Filter { input: nodes[0], predicate }, &[]);
    plan
}

#[test]
fn mistakes_are_named() {
    let good = batch(&["k", "v"], &pairs(3, 2, 0));
    let five = [Some(Scalar::I64(5))];
    let floats: ArrayRef = Arc::new(Float64Array::from(vec![1.0]));
    let of_floats = RecordBatch::try_from_iter([("k", floats.clone()), ("v", floats)]).unwrap();
    let (one, two) = ([good.clone()], [good.clone(), good.clone()]);
    for (sources, params, named) in [
        (&[][..], &five[..], &["1 table", "0 were given"][..]),
        (&two[..], &five[..], &["1 table", "2 were given"]),
        (&[batch(&["k", "w"], &pairs(3, 2, 0))][..], &five[..], &["source 0", "`v`", "`k` and `w`"]),
        (&[batch(&["k", "v", "v"], &[vec![None, None, None]])][..], &five[..], &["source 0", "several", "`v`"]),
        (&[of_floats][..], &five[..], &["source 0", "`k`", "Float64", "i64"]),
        (&one[..], &[][..], &["1 scalar", "0 were given"]),
        (&one[..], &[None][..], &["p0", "null", "i64"]),
        (&one[..], &[Some(Scalar::F64(1.0))][..], &["p0", "F64", "i64"]),
    ] {
        let error = error(filtered(), sources, params);
        assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
        for text in named {
            assert!(error.message().contains(text), "`{text}` is not in: {error}");
        }
    }
}

#[test]
fn plans_that_make_no_sense_are_errors() {
    let good = [batch(&["k", "v"], &pairs(3, 2, 0))];
    let error_of = |plan: Plan| error(plan, &good, &[]);
    assert_eq!(error_of(Plan::default()).kind(), ErrorKind::InvalidQuery);
    let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
    let beyond = plan.column(nodes[0], 7);
    plan.push(NodeKind::Filter { input: nodes[0], predicate: beyond }, &[]);
    assert_eq!(error_of(plan).kind(), ErrorKind::InvalidQuery);
}

#[test]
fn nulls_where_the_plan_takes_none() {
    let (mut plan, _) = plan_of(&[&["k", "v"]]);
    plan.nodes[0].schema.fields[1].ty = DType::I64.required();
    let error = error(plan, &[batch(&["k", "v"], &[vec![None, None], vec![None, Some(1)]])], &[]);
    assert!(error.message().contains("`v` has 1 nulls"), "{error}");
}

/// A node that does not exist is an error of `explain` and of `run`.
#[test]
fn missing_nodes_are_errors() {
    let (mut plan, _) = plan_of(&[&["k", "v"]]);
    plan.push(NodeKind::Limit { input: NodeId(99), skip: 0, fetch: None }, &[]);
    let error = error(plan, &[batch(&["k", "v"], &pairs(3, 2, 0))], &[]);
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
}

/// Two source nodes of one number are one table.
#[test]
fn sources_of_one_number_have_one_schema() {
    let (mut plan, _) = plan_of(&[&["k", "v"]]);
    let field = Field { name: "v".to_string(), ty: DType::I64.nullable() };
    plan.source(SourceId(0), Schema { fields: vec![field] });
    let error = error(plan, &[batch(&["k", "v"], &pairs(3, 2, 0))], &[]);
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
    assert!(error.message().contains("n1 (`source`) has other columns than n0"), "{error}");
}

/// The greatest number of rows stands for no limit.
#[test]
fn batches_without_a_limit_are_whole() {
    let session = cpu(SessionOptions::new().batch_rows(usize::MAX));
    let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
    plan.push(NodeKind::Distinct { input: nodes[0] }, &[]);
    let rows = session.plan(plan, &[batch(&["k", "v"], &pairs(9000, 60, 1))], &[]).run().unwrap();
    assert_eq!(rows.receipt().batches(), 1);
}
