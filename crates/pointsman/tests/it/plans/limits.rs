//! Cancellation, deadlines and memory limits hold between and inside the launches of a plan, and leave nothing behind. Results
//! that are handed over in batches do not count against the session's memory.

use super::{Row, batch, cpu, nothing_is_left, pairs, plan_of, rows_of, simulated};
use arrow_array::RecordBatch;
use pointsman::plan::{EquiJoinKind, Fold, FoldOp, NodeKind, NullOrder, Plan, RowOrder, SortKey, SortOrder};
use pointsman::{CancellationToken, Clock, ErrorKind, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Rows of a few leaves, and a table with a key that repeats.
pub(super) fn tables() -> Vec<RecordBatch> {
    let small: Vec<Row> = (0..40).map(|key| vec![Some(key % 30), Some(key)]).collect();
    vec![batch(&["k", "v"], &pairs(9000, 60, 1)), batch(&["k2", "w"], &small)]
}

/// Joins both tables, groups the pairs by both values, and sorts the groups.
pub(super) fn join_group_sort() -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k2", "w"]]);
    let (left_keys, right_keys) = (vec![plan.column(nodes[0], 0)], vec![plan.column(nodes[1], 0)]);
    let (left, right, kind, pairs_max) = (nodes[0], nodes[1], EquiJoinKind::Inner, None);
    let join = plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max }, &[]);
    let [v, w] = [1, 3].map(|index| plan.column(join, index));
    let folds = vec![Fold::COUNT_ROWS, Fold::of(FoldOp::Max, v)];
    let group = NodeKind::Group { input: join, keys: vec![w], folds, order: RowOrder::FirstRow };
    let group = plan.push(group, &["w", "rows", "most"]);
    let value = plan.column(group, 1);
    let keys = vec![SortKey { value, order: SortOrder::Descending, nulls: NullOrder::First }];
    plan.push(NodeKind::Sort { input: group, keys }, &[]);
    plan
}

/// Small batches and little room, so that there are many launches and merges.
pub(super) fn in_pieces() -> SessionOptions {
    SessionOptions::new().batch_rows(4096).output_rows(4096)
}

#[test]
fn cancelling_at_any_launch_leaves_nothing() {
    let (plan, sources) = (join_group_sort(), tables());
    let (device, session) = simulated(in_pieces());
    let answer = session.plan(plan.clone(), &sources, &[]).run().unwrap();
    let (batches, merges) = (answer.receipt().batches(), answer.receipt().merges());
    let launches = device.launches();
    assert!(batches > 4 && merges > 0, "{:#}", answer.receipt());
    drop(answer);
    let mut in_a_merge = 0;
    for last in 0..launches {
        let token = CancellationToken::new();
        let stop = token.clone();
        device.on_launch(move |launch| {
            if launch == last {
                stop.cancel()
            }
        });
        let result = session.plan(plan.clone(), &sources, &[]).cancelled_by(&token).run();
        assert!(token.is_cancelled(), "launch {last} never ran");
        match result {
            Ok(answer) => {
                assert_eq!(last + 1, launches, "a cancelled plan answered");
                drop(answer);
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Cancelled, "launch {last}: {error}");
                in_a_merge += 1;
            }
        }
        nothing_is_left(&device, &session, &format!("cancelled at launch {last}"));
    }
    assert!(in_a_merge as u64 + 1 >= launches);
}

/// A clock that advances by a millisecond whenever it is read.
#[derive(Debug, Default)]
struct SteppingClock(AtomicU64);

impl Clock for SteppingClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn sleep(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }

    fn nap(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}

#[test]
fn a_deadline_at_any_step_leaves_nothing() {
    let (plan, sources) = (join_group_sort(), tables());
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let clock = Arc::new(SteppingClock::default());
    let options = in_pieces().threads(2).compile_timeout(Duration::MAX);
    let session = options.add_device(device.clone()).clock(clock.clone()).prefer("sim").open().unwrap();
    let mut late = 0;
    for time in (1..).step_by(3) {
        let query = session.plan(plan.clone(), &sources, &[]).require("sim");
        let result = query.deadline(Duration::from_millis(time)).run();
        device.clock().advance(Duration::from_secs(1));
        clock.sleep(Duration::from_secs(3600));
        let kind = result.as_ref().err().map(pointsman::Error::kind);
        drop(result);
        nothing_is_left(&device, &session, &format!("within {time} ms"));
        let Some(kind) = kind else { break };
        assert_eq!(kind, ErrorKind::Timeout, "within {time} ms");
        late += 1;
    }
    assert!(late > 10, "{late} were late");
}

#[test]
fn what_memory_does_not_allow_is_an_error_that_says_so() {
    let rows = pairs(100_000, 1000, 2);
    let source = [batch(&["k", "v"], &rows)];
    let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
    let value = plan.column(nodes[0], 0);
    let keys = vec![SortKey { value, order: SortOrder::Ascending, nulls: NullOrder::First }];
    plan.push(NodeKind::Sort { input: nodes[0], keys }, &[]);
    let mut fitted = false;
    for bytes in [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20] {
        let session = cpu(SessionOptions::new().threads(2).memory_bytes(bytes));
        match session.plan(plan.clone(), &source, &[]).run() {
            Ok(answer) => {
                assert_eq!(answer.num_rows(), rows.len());
                fitted = true;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
                let text = error.message();
                assert!(!fitted && text.contains("`sort`") && text.contains("bytes"), "{text}");
                assert!(text.contains(&format!("{bytes}")), "the limit is not in: {text}");
            }
        }
        assert_eq!(session.memory().host.outstanding_bytes, 0, "{bytes} bytes");
    }
    assert!(fitted);
}

#[test]
fn batches_that_were_handed_over_do_not_count() {
    let rows = pairs(150_000, 1000, 3);
    let session = cpu(SessionOptions::new().threads(2));
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k", "v"]]);
    plan.push(NodeKind::Union { inputs: nodes }, &[]);
    let source = batch(&["k", "v"], &rows);
    let answer = session.plan(plan.clone(), [&source, &source], &[]).run().unwrap();
    let mut batches = answer.into_value().batches();
    assert_eq!(batches.len(), 5);
    let held = session.memory().host.outstanding_bytes;
    let all: Vec<RecordBatch> = batches.by_ref().map(Result::unwrap).collect();
    assert_eq!(session.memory().host.outstanding_bytes, held, "a batch takes memory of the session");
    drop(batches);
    assert_eq!(session.memory().host.outstanding_bytes, 0, "batches count against the session's memory");
    assert!(all.iter().all(|batch| batch.num_rows() <= 1 << 16));
    let again = session.plan(plan, [&source, &source], &[]).run().unwrap().into_value();
    assert!(rows_of(again).iter().eq(rows.iter().chain(&rows)));
    let streamed = arrow_rows(&all);
    assert!(streamed.iter().eq(rows.iter().chain(&rows)), "batches have other rows than the whole");
}

fn arrow_rows(batches: &[RecordBatch]) -> Vec<Row> {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    let value = |column: &arrow_array::ArrayRef, row| {
        let column = column.as_primitive::<arrow_array::types::Int64Type>();
        column.is_valid(row).then(|| column.value(row))
    };
    let of_batch = |batch: &RecordBatch| -> Vec<Row> {
        (0..batch.num_rows()).map(|row| batch.columns().iter().map(|column| value(column, row)).collect()).collect()
    };
    batches.iter().flat_map(of_batch).collect()
}
