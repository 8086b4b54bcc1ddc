//! The settings and reports that plans share with every query: explain, placement, progress, promises, receipts.

use super::limits::{in_pieces, join_group_sort, tables};
use super::{batch, cpu, pairs, plan_of, rows_of};
use pointsman::plan::{DType, NodeKind, Op, Scalar, TableSource};
use pointsman::report::{Cached, ProgramSource};
use pointsman::{ErrorKind, Progress, SessionOptions};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

#[test]
fn explain_shows_stages_with_their_tables() {
    let session = cpu(SessionOptions::new());
    let sources = tables();
    let explain = session.plan(join_group_sort(), &sources, &[]).explain();
    let wiring = explain.step("fuse").unwrap();
    for text in ["source 0", "source 1", "tables [", "by the keys of stage 0", "→ build", "→ group", "→ sort"] {
        assert!(wiring.contains(text), "`{text}` is not in:\n{wiring}");
    }
    assert!(explain.step("choice").is_some_and(|text| text.contains("cpu")), "{explain}");
    assert!(explain.step("error").is_none(), "{explain}");
}

#[test]
fn a_device_without_the_sinks_is_no_candidate() {
    let session = cpu(SessionOptions::new());
    let sources = tables();
    let error = session.plan(join_group_sort(), &sources, &[]).require("cuda:0").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let answer = session.plan(join_group_sort(), &sources, &[]).prefer("cuda:0").run().unwrap();
    assert_eq!(answer.receipt().device(), "cpu");
}

#[test]
fn receipts_name_the_device_of_each_stage_and_count_launches() {
    let session = cpu(in_pieces());
    let sources = tables();
    let answer = session.plan(join_group_sort(), &sources, &[]).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!(receipt.stages(), ["build", "compact", "group", "sort"], "{receipt:#}");
    assert!(receipt.stage_devices().eq(["cpu"; 4]));
    assert_eq!((receipt.rows_in(), receipt.rows_out()), (9040, answer.num_rows()));
    assert!(receipt.batches() > 4 && receipt.merges() > 0, "{receipt:#}");
    assert!(receipt.to_json().contains("\"stage_devices\":[\"cpu\",\"cpu\",\"cpu\",\"cpu\"]"), "{}", receipt.to_json());
    // The keys repeat, so the kernel for them was compiled during the run; the next run has it.
    let sources_of = |receipt: &pointsman::Receipt| receipt.program_sources().collect::<Vec<_>>();
    assert!(sources_of(receipt).iter().all(|source| matches!(source, ProgramSource::Compiled(_))), "{receipt:#}");
    let again = session.plan(join_group_sort(), &sources, &[]).run().unwrap();
    assert_eq!(again.receipt().plan_cache(), Cached::Hit);
    assert!(sources_of(again.receipt()).iter().all(|source| *source == ProgramSource::Memory), "{:#}", again.receipt());
}

#[test]
fn progress_counts_consumed_rows_and_ends_at_one() {
    for options in [SessionOptions::new(), in_pieces()] {
        let session = cpu(options.threads(2));
        let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let all = seen.clone();
        let query = session.plan(join_group_sort(), tables(), &[]);
        drop(query.on_progress(move |progress| all.lock().unwrap().push(*progress)).run().unwrap());
        let seen = seen.lock().unwrap();
        assert!(seen.windows(2).all(|two| two[0].fraction() <= two[1].fraction()), "{seen:?}");
        assert!(seen.iter().all(|progress| progress.rows_done <= progress.rows && progress.stages == 4), "{seen:?}");
        assert_eq!(seen.last().unwrap().fraction(), 1.0);
    }
}

#[test]
fn a_promise_gives_the_same_rows() {
    let session = cpu(SessionOptions::new());
    let expected = rows_of(session.plan(join_group_sort(), tables(), &[]).run().unwrap().into_value());
    let sources: Vec<TableSource<'static>> = tables().into_iter().map(TableSource::from).collect();
    let mut promise = std::pin::pin!(session.plan(join_group_sort(), sources, &[]).run_async());
    let answer = loop {
        match promise.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(answer) => break answer.unwrap(),
            Poll::Pending => std::thread::yield_now(),
        }
    };
    assert_eq!(rows_of(answer.into_value()), expected);
}

/// The row of a fault is that of its source; where several tables are read, the message says which.
#[test]
fn faults_name_their_row() {
    let session = cpu(SessionOptions::new().threads(2));
    let mut rows = pairs(5000, 10, 1);
    rows.iter_mut().for_each(|row| row[0] = Some(1));
    rows[4321][0] = Some(0);
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k", "v"]]);
    let union = plan.push(NodeKind::Union { inputs: vec![nodes[1], nodes[0]] }, &[]);
    let (k, one) = (plan.column(union, 0), plan.param(DType::I64.required()));
    let inverse = plan.body.call(Op::Div, &[one, k]).unwrap();
    plan.push(NodeKind::Project { input: union, columns: vec![inverse] }, &["inverse"]);
    let (good, bad) = (batch(&["k", "v"], &rows[..100]), batch(&["k", "v"], &rows));
    let error = session.plan(plan, [&bad, &good], &[Some(Scalar::I64(1))]).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Arithmetic, "{error}");
    assert!(error.message().contains("row 4421"), "{error}");
}
