//! Reproducible float sums behind joins and groups have the same bits for any threads, batch size, output size,
//! grouping algorithm and device.

use super::{Row, batch, cpu, pairs, plan_of, sharing, simulated};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use pointsman::plan::{DType, EquiJoinKind, Fold, FoldOp, NodeId, NodeKind, Op, Plan, RowOrder, Scalar, ValueId};
use pointsman::{Session, SessionOptions};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A float that needs rounding, of a wide range of exponents: `v³ ÷ 7` of an integer column.
fn float(plan: &mut Plan, of: ValueId) -> ValueId {
    let seven = plan.param(DType::F64.required());
    let wide = plan.body.cast(Op::Cast, of, DType::F64).unwrap();
    let square = plan.body.call(Op::Mul, &[wide, wide]).unwrap();
    let cube = plan.body.call(Op::Mul, &[square, wide]).unwrap();
    plan.body.call(Op::Div, &[cube, seven]).unwrap()
}

/// Float folds of all rows of a node, or of its groups.
fn folds(plan: &mut Plan, input: NodeId, value: u32, keys: &[u32], order: RowOrder) {
    let value = plan.column(input, value);
    let x = float(plan, value);
    let folds = vec![Fold::of(FoldOp::Sum, x), Fold::of(FoldOp::Min, x), Fold::COUNT_ROWS];
    let keys: Vec<ValueId> = keys.iter().map(|&key| plan.column(input, key)).collect();
    let names: Vec<String> = (0..keys.len() + folds.len()).map(|number| format!("c{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let kind = match keys.is_empty() {
        true => NodeKind::Reduce { input, folds },
        false => NodeKind::Group { input, keys, folds, order },
    };
    plan.push(kind, &names);
}

/// A plan over rows and a table to join them with.
fn plan_with(join: bool, keys: &[u32], order: RowOrder) -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k2", "w"]]);
    let mut input = nodes[0];
    if join {
        let (left_keys, right_keys) = (vec![plan.column(nodes[0], 0)], vec![plan.column(nodes[1], 0)]);
        let (left, right, kind, pairs_max) = (nodes[0], nodes[1], EquiJoinKind::Inner, None);
        input = plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max }, &[]);
    }
    folds(&mut plan, input, 1, keys, order);
    plan
}

/// The bits of a result.
fn hash(batch: &RecordBatch) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (column, row) in batch.columns().iter().flat_map(|column| (0..batch.num_rows()).map(move |row| (column, row))) {
        let float = || column.as_primitive_opt::<Float64Type>().map(|column| column.value(row).to_bits());
        let unsigned = || column.as_primitive_opt::<UInt64Type>().map(|column| column.value(row));
        let signed = || column.as_primitive_opt::<Int64Type>().map(|column| column.value(row) as u64);
        column.is_valid(row).then(|| float().or_else(unsigned).or_else(signed).unwrap()).hash(&mut hasher);
    }
    hasher.finish()
}

#[test]
fn float_sums_have_the_same_bits_everywhere() {
    let left = pairs(20_000, 300, 21);
    let unique: Vec<Row> = (0..250).map(|key| vec![Some(key), Some(key)]).collect();
    let repeated: Vec<Row> = (0..500).map(|key| vec![Some(key % 200), Some(key)]).collect();
    let mut sessions: Vec<(String, Session)> = Vec::new();
    for threads in 1..=7 {
        for (batch_rows, output_rows) in [(1 << 20, 1 << 20), (4096, 5000), (8192, 4096)] {
            let options = SessionOptions::new().threads(threads).batch_rows(batch_rows).output_rows(output_rows);
            sessions.push((format!("{threads} threads, {batch_rows}, {output_rows}"), cpu(options)));
        }
    }
    sessions.push(("sim".to_string(), simulated(SessionOptions::new()).1));
    sessions
        .push(("sim in batches".to_string(), simulated(SessionOptions::new().batch_rows(4096).output_rows(4096)).1));
    sessions.push(("two devices".to_string(), sharing([vec![], vec![]], SessionOptions::new()).1));
    sessions.push((
        "two devices resumed".to_string(),
        sharing([vec![], vec![]], SessionOptions::new().output_rows(4096)).1,
    ));
    let (few, many) = (vec![0], vec![1, 0]);
    let orders = [RowOrder::FirstRow, RowOrder::Any];
    let mut compared = 0;
    for (join, right) in [(false, &unique), (true, &unique), (true, &repeated)] {
        for (keys, order) in [(&vec![], orders[0]), (&few, orders[0]), (&few, orders[1]), (&many, orders[1])] {
            let plan = plan_with(join, keys, order);
            let sources = [batch(&["k", "v"], &left), batch(&["k2", "w"], right)];
            let mut expected = None;
            for (how, session) in &sessions {
                let answer = session.plan(plan.clone(), &sources, &[Some(Scalar::F64(7.0))]).run().unwrap();
                let found = hash(&answer.into_value().into_batch().unwrap());
                let what = format!("join {join} with {} rows, keys {keys:?}, {order:?}: {how}", right.len());
                assert_eq!(*expected.get_or_insert(found), found, "{what}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 12 * sessions.len());
}
