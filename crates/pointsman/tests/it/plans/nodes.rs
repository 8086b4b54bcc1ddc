//! Every relational node against plain Rust.

use super::{Row, batch, cpu, pairs, plan_of, run, simulated};
use pointsman::plan::{
    EquiJoinKind, Fold, FoldOp, NodeKind, NullOrder, Op, Plan, RowOrder, SortKey, SortOrder, ValueId,
};
use pointsman::{Session, SessionOptions};
use std::collections::HashMap;

/// Runs a plan on the simulated device and on the CPU, as it comes, in batches of one leaf and with little room.
fn check(what: &str, plan: &Plan, sources: &[&[Row]], names: &[&[&str]], expected: &[Row]) {
    let batches: Vec<_> = sources.iter().zip(names).map(|(rows, names)| batch(names, rows)).collect();
    let run_on = |session: &Session, how: &str| {
        let (rows, receipt) = run(session, plan, &batches);
        assert_eq!(rows.len(), expected.len(), "{what} {how}: rows\n{receipt:#}");
        let differs = rows.iter().zip(expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{what} {how}: {:?}", differs.map(|row| (&rows[row], &expected[row])));
        receipt
    };
    let all: usize = sources.iter().map(|rows| rows.len()).sum();
    let options = || SessionOptions::new().threads(2);
    if all < 20_000 {
        for (how, options) in
            [("whole", options()), ("batches", options().batch_rows(1)), ("little room", options().output_rows(100))]
        {
            let (device, session) = simulated(options);
            let receipt = run_on(&session, how);
            assert_eq!(receipt.device(), "sim", "{what}");
            super::nothing_is_left(&device, &session, what);
        }
        let (devices, session) = super::sharing([vec![], vec![]], options().output_rows(100));
        run_on(&session, "shared");
        devices.iter().for_each(|device| super::nothing_is_left(device, &session, what));
    }
    for (how, options) in
        [("whole", options()), ("batches", options().batch_rows(4096)), ("little room", options().output_rows(5000))]
    {
        run_on(&cpu(options), how);
    }
}

fn key(value: ValueId, order: SortOrder) -> SortKey {
    SortKey { value, order, nulls: NullOrder::Last }
}

#[test]
fn groups_come_in_the_order_of_their_first_rows() {
    for size in super::SIZES {
        let rows = pairs(size, (size as i64 / 3).max(1), 5);
        let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
        let (k, v) = (plan.column(nodes[0], 0), plan.column(nodes[0], 1));
        let folds = vec![Fold::COUNT_ROWS, Fold::of(FoldOp::Sum, v), Fold::of(FoldOp::Min, v)];
        let order = RowOrder::FirstRow;
        plan.push(NodeKind::Group { input: nodes[0], keys: vec![k], folds, order }, &["k", "rows", "sum", "least"]);
        let mut places: HashMap<Option<i64>, usize> = HashMap::new();
        let mut expected: Vec<Row> = Vec::new();
        for row in &rows {
            let place = *places.entry(row[0]).or_insert_with(|| {
                expected.push(vec![row[0], Some(0), Some(0), None]);
                expected.len() - 1
            });
            let group = &mut expected[place];
            group[1] = group[1].map(|count| count + 1);
            group[2] = group[2].map(|sum| sum + row[1].unwrap_or(0));
            group[3] = match (group[3], row[1]) {
                (Some(least), Some(value)) => Some(least.min(value)),
                (least, value) => least.or(value),
            };
        }
        check(&format!("group of {size}"), &plan, &[&rows], &[&["k", "v"]], &expected);
    }
}

/// The same rows for any number of threads, batch size and room.
#[test]
fn results_do_not_depend_on_threads_batches_or_rooms() {
    let left = pairs(40_000, 300, 11);
    let right: Vec<Row> = (0..300).map(|key| vec![Some(key % 200), Some(key)]).collect();
    let sources = [batch(&["k", "v"], &left), batch(&["k2", "w"], &right)];
    let plan = super::limits::join_group_sort();
    let expected = run(&cpu(SessionOptions::new().threads(1)), &plan, &sources).0;
    assert_eq!(expected.len(), 300);
    for threads in 1..=7 {
        for (batch_rows, output_rows) in [(1 << 20, 1 << 20), (4096, 1 << 20), (1 << 20, 5000), (8192, 4096)] {
            let options = SessionOptions::new().threads(threads).batch_rows(batch_rows).output_rows(output_rows);
            let (rows, receipt) = run(&cpu(options), &plan, &sources);
            assert_eq!(rows, expected, "{threads} threads, {batch_rows} rows, room of {output_rows}");
            assert!(output_rows > 5000 || receipt.resumes() > 0, "{receipt:#}");
            assert!(batch_rows > 8192 || receipt.merges() > 0, "{receipt:#}");
        }
    }
}

#[test]
fn sorts_are_stable() {
    for size in super::SIZES {
        let rows = pairs(size, 50, 6);
        let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
        let k = plan.column(nodes[0], 0);
        plan.push(NodeKind::Sort { input: nodes[0], keys: vec![key(k, SortOrder::Ascending)] }, &[]);
        let mut expected = rows.clone();
        expected.sort_by_key(|row| (row[0].is_none(), row[0]));
        check(&format!("sort of {size}"), &plan, &[&rows], &[&["k", "v"]], &expected);
        let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
        let k = plan.column(nodes[0], 0);
        plan.push(NodeKind::TopK { input: nodes[0], keys: vec![key(k, SortOrder::Descending)], count: 10 }, &[]);
        let mut expected = rows.clone();
        expected.sort_by_key(|row| (row[0].is_none(), std::cmp::Reverse(row[0])));
        expected.truncate(10);
        check(&format!("top 10 of {size}"), &plan, &[&rows], &[&["k", "v"]], &expected);
    }
}

/// The pairs of a join of the first columns, in order of the left rows, then of the right.
fn joined(left: &[Row], right: &[Row], keeps_unmatched: bool) -> Vec<Row> {
    let mut by_key: HashMap<i64, Vec<&Row>> = HashMap::new();
    right.iter().filter_map(|row| Some((row[0]?, row))).for_each(|(key, row)| by_key.entry(key).or_default().push(row));
    let mut pairs = Vec::new();
    for row in left {
        let matches = row[0].and_then(|key| by_key.get(&key));
        let found = matches.into_iter().flatten().map(|other| [&row[..], &other[..]].concat());
        let before = pairs.len();
        pairs.extend(found);
        if keeps_unmatched && pairs.len() == before {
            pairs.push([&row[..], &[None, None]].concat());
        }
    }
    pairs
}

fn join_plan(kind: EquiJoinKind) -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k2", "w"]]);
    let (left_keys, right_keys) = (vec![plan.column(nodes[0], 0)], vec![plan.column(nodes[1], 0)]);
    let (left, right, pairs_max) = (nodes[0], nodes[1], None);
    plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max }, &[]);
    plan
}

#[test]
fn joins_against_unique_and_repeated_keys() {
    for size in super::SIZES {
        let left = pairs(size, 1000, 7);
        let unique: Vec<Row> = (0..500).map(|key| vec![Some(key * 2), Some(key)]).collect();
        let repeated: Vec<Row> = (0..500).map(|key| vec![Some(key % 200 * 5), Some(key)]).collect();
        for (right, of) in [(&unique, "unique"), (&repeated, "repeated")] {
            for (kind, keeps) in [(EquiJoinKind::Inner, false), (EquiJoinKind::Left, true)] {
                let expected = joined(&left, right, keeps);
                let what = format!("{kind:?} join of {size} with {of} keys");
                check(&what, &join_plan(kind), &[&left, right], &[&["k", "v"], &["k2", "w"]], &expected);
            }
        }
    }
}

#[test]
fn unions_follow_each_other_and_limits_cut_them() {
    for size in super::SIZES {
        let (a, b) = (pairs(size, 10, 8), pairs(size / 2 + 3, 10, 9));
        let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k", "v"]]);
        let union = plan.push(NodeKind::Union { inputs: nodes.clone() }, &[]);
        let (skip, fetch) = (size as u64 / 2, Some(size as u64));
        let limit = plan.push(NodeKind::Limit { input: union, skip, fetch }, &[]);
        let v = plan.column(limit, 1);
        let doubled = plan.body.call(Op::Add, &[v, v]).unwrap();
        plan.push(NodeKind::Project { input: limit, columns: vec![v, doubled] }, &["v", "twice"]);
        let all = a.iter().chain(&b).skip(size / 2).take(size);
        let expected: Vec<Row> = all.map(|row| vec![row[1], row[1].map(|v| v + v)]).collect();
        check(&format!("union of {size}"), &plan, &[&a, &b], &[&["k", "v"], &["k", "v"]], &expected);
    }
}

#[test]
fn scalar_of_another_node() {
    for size in super::SIZES {
        let rows = pairs(size, 10, 10);
        let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
        let v = plan.column(nodes[0], 1);
        let most = plan.push(NodeKind::Reduce { input: nodes[0], folds: vec![Fold::of(FoldOp::Max, v)] }, &["most"]);
        let most = plan.scalar(most, 0);
        let v = plan.column(nodes[0], 1);
        let is_most = plan.body.call(Op::Eq, &[v, most]).unwrap();
        plan.push(NodeKind::Filter { input: nodes[0], predicate: is_most }, &[]);
        let most = rows.iter().filter_map(|row| row[1]).max();
        let expected: Vec<Row> = rows.iter().filter(|row| row[1].is_some() && row[1] == most).cloned().collect();
        check(&format!("rows with the greatest of {size}"), &plan, &[&rows], &[&["k", "v"]], &expected);
    }
}

/// The first run of a join has no earlier one to learn its rows from: a sample of the keys tells how many there are.
#[test]
fn a_sample_tells_the_rows_of_a_join() {
    let left: Vec<Row> = (0..100_000).map(|row| vec![Some(row * 7919 % 1000), Some(row)]).collect();
    let right: Vec<Row> = (0..2000).map(|row| vec![Some(row % 1000), Some(row)]).collect();
    let sources = [batch(&["k", "v"], &left), batch(&["k2", "w"], &right)];
    let (rows, receipt) = run(&cpu(SessionOptions::new()), &join_plan(EquiJoinKind::Inner), &sources);
    assert_eq!(rows.len(), 200_000);
    assert!(receipt.resumes() <= 1, "{receipt:#}");
}
