//! Each stage of a plan is placed separately: on a device that supports its sink, and where it is expected to finish
//! first.

use super::limits::{join_group_sort, tables};
use super::{batch, cpu, plan_of, rows_of};
use pointsman::plan::{EquiJoinKind, Fold, FoldOp, NodeKind, Op, Plan, RowOrder};
use pointsman::selector::{Curve, Link, Profile};
use pointsman::{DeviceKind, ErrorKind, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;

/// A simulated device that runs these sinks.
fn device(sinks: &[&'static str], faults: Vec<SimFault>) -> Arc<SimDevice> {
    Arc::new(SimDevice::new(SimOptions { sinks: sinks.to_vec(), faults, ..SimOptions::default() }))
}

fn options(device: &Arc<SimDevice>) -> SessionOptions {
    SessionOptions::new().threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()))
}

#[test]
fn stages_that_a_device_does_not_run_go_to_the_cpu() {
    let sources = tables();
    let expected =
        rows_of(cpu(SessionOptions::new()).plan(join_group_sort(), &sources, &[]).run().unwrap().into_value());
    for (sinks, on) in [
        (&["store", "compact", "reduce", "scan", "build"][..], ["sim", "sim", "cpu", "cpu"]),
        (&["compact", "sort"], ["cpu", "sim", "cpu", "sim"]),
        (&["group"], ["cpu", "cpu", "sim", "cpu"]),
        (&[], ["cpu"; 4]),
    ] {
        let device = device(sinks, Vec::new());
        let session = options(&device).open().unwrap();
        let answer = session.plan(join_group_sort(), &sources, &[]).prefer("sim").run().unwrap();
        let receipt = answer.receipt();
        assert_eq!(receipt.stages(), ["build", "compact", "group", "sort"], "{receipt:#}");
        assert!(receipt.stage_devices().eq(on), "{receipt:#}");
        let mut names = on.to_vec();
        names.dedup();
        assert!(names.iter().all(|name| receipt.device().contains(name)), "{receipt}");
        let text = format!("{receipt:#}");
        let is_named = |device: &&str| receipt.device() == *device || text.contains(&format!("on {device}: "));
        assert!(on.iter().all(is_named), "{text}");
        assert_eq!(rows_of(answer.into_value()), expected, "{sinks:?}");
        super::nothing_is_left(&device, &session, "a plan on two devices");
        // A required device must run all of it.
        let error = session.plan(join_group_sort(), &sources, &[]).require("sim").run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}

/// A device that is lost at one stage answered the stages before: only that one and those after it run elsewhere.
#[test]
fn a_failure_repeats_one_stage() {
    let sources = tables();
    let expected =
        rows_of(cpu(SessionOptions::new()).plan(join_group_sort(), &sources, &[]).run().unwrap().into_value());
    let device = device(&["compact", "build", "group", "sort"], vec![SimFault::Lost { launch: 2 }]);
    let session = options(&device).open().unwrap();
    let answer = session.plan(join_group_sort(), &sources, &[]).prefer("sim").run().unwrap();
    let receipt = answer.receipt();
    assert_eq!(device.fired().len(), 1);
    assert!(receipt.stage_devices().eq(["sim", "sim", "cpu", "cpu"]), "{receipt:#}");
    assert!(!receipt.attempts().is_empty() && receipt.why().contains("preferred, but"), "{receipt:#}");
    assert_eq!(rows_of(answer.into_value()), expected);
}

/// The groups of the few rows that a filter keeps.
fn filter_then_group() -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
    let (k, v) = (plan.column(nodes[0], 0), plan.column(nodes[0], 1));
    let is_equal = plan.body.call(Op::Eq, &[k, v]).unwrap();
    let filter = plan.push(NodeKind::Filter { input: nodes[0], predicate: is_equal }, &[]);
    let limit = plan.push(NodeKind::Limit { input: filter, skip: 0, fetch: Some(1000) }, &[]);
    let (k, v) = (plan.column(limit, 0), plan.column(limit, 1));
    let folds = vec![Fold::of(FoldOp::Sum, v)];
    plan.push(NodeKind::Group { input: limit, keys: vec![k], folds, order: RowOrder::Any }, &["k", "sum"]);
    plan
}

/// Where no device is named, the selector chooses one for each stage by the rows that it reads: many of the source, few of
/// what a filter kept.
#[test]
fn each_stage_runs_where_it_should_finish_first() {
    let device = device(&["store", "compact", "reduce", "scan", "sort", "group", "build"], Vec::new());
    let session = options(&device).threads(1).choose_among(["sim"]).policy(pointsman::Policy::Deterministic);
    let session = session.open().unwrap();
    let selector = session.selector().unwrap();
    assert_eq!(selector.names(), ["cpu", "sim"]);
    let fast = || Curve::flat(1e12);
    let link = || Link { pageable: fast(), locked: fast() };
    let (read, write, copy_in, copy_out) = (fast(), fast(), link(), link());
    let guess = Profile::guess(DeviceKind::Sim, 1);
    let starts_slowly = Profile { launch: 1e6, read, write, copy_in, copy_out, operations: [0.0; 5], ..guess };
    selector.set_profile(1, starts_slowly);
    selector.set_profile(0, Profile { operations: [1e3; 5], ..Profile::guess(DeviceKind::Cpu, 1) });
    let rows: Vec<super::Row> = (0..100_000).map(|row| vec![Some(row % 7), Some(row % 1000)]).collect();
    let sources = [batch(&["k", "v"], &rows)];
    let expected =
        rows_of(cpu(SessionOptions::new()).plan(filter_then_group(), &sources, &[]).run().unwrap().into_value());
    // The device compiles before it may be chosen.
    session.plan(filter_then_group(), &sources, &[]).require("sim").run().unwrap();
    let answer = session.plan(filter_then_group(), &sources, &[]).run().unwrap();
    let receipt = answer.receipt();
    assert!(receipt.stage_devices().eq(["sim", "cpu"]), "{receipt:#}");
    assert!(receipt.why().contains("finish first"), "{receipt:#}");
    assert_eq!(rows_of(answer.into_value()), expected);
}

/// A stage takes longer when the table that it probes has grown: the device has not turned slow.
#[test]
fn a_table_that_grows_is_no_slow_device() {
    let session = cpu(SessionOptions::new().threads(1));
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k2", "w"]]);
    let (left_keys, right_keys) = (vec![plan.column(nodes[0], 0)], vec![plan.column(nodes[1], 0)]);
    let (left, right, kind, pairs_max) = (nodes[0], nodes[1], EquiJoinKind::Inner, None);
    plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max }, &[]);
    for (count, runs) in [(2_000i64, 30), (200_000, 15)] {
        let right: Vec<super::Row> = (0..count).map(|key| vec![Some(key), Some(key)]).collect();
        let sources = [batch(&["k", "v"], &super::pairs(2000, 300, 11)), batch(&["k2", "w"], &right)];
        for _ in 0..runs {
            let (_, receipt) = super::run(&session, &plan, &sources);
            assert_eq!(receipt.slowdown(), None, "{count} rows: {receipt:#}");
        }
    }
}
