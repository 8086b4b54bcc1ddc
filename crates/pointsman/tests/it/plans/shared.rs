//! Stages of plans of tables that two simulated devices share: the same rows, each device with indexes of its own, and nothing
//! lost when one of them fails or has no memory.

use super::limits::{join_group_sort, tables};
use super::{Row, batch, cpu, nothing_is_left, pairs, plan_of, rows_of, run, sharing};
use arrow_array::RecordBatch;
use pointsman::plan::{EquiJoinKind, NodeKind, Plan};
use pointsman::{ErrorKind, Progress, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Rows of several leaves, and a table whose keys repeat.
fn several_leaves() -> [RecordBatch; 2] {
    let right: Vec<Row> = (0..300).map(|key| vec![Some(key % 200), Some(key)]).collect();
    [batch(&["k", "v"], &pairs(12 * 4096 + 77, 300, 11)), batch(&["k2", "w"], &right)]
}

fn join() -> Plan {
    let (mut plan, nodes) = plan_of(&[&["k", "v"], &["k2", "w"]]);
    let (left_keys, right_keys) = (vec![plan.column(nodes[0], 0)], vec![plan.column(nodes[1], 0)]);
    let (left, right, kind, pairs_max) = (nodes[0], nodes[1], EquiJoinKind::Inner, None);
    plan.push(NodeKind::EquiJoin { left, right, left_keys, right_keys, kind, pairs_max }, &[]);
    plan
}

#[test]
fn both_devices_run_rows_of_a_plan() {
    let sources = several_leaves();
    let expected = run(&cpu(SessionOptions::new()), &join_group_sort(), &sources).0;
    for options in [SessionOptions::new(), SessionOptions::new().output_rows(4096)] {
        let (devices, session) = sharing([vec![], vec![]], options);
        let (rows, receipt) = run(&session, &join_group_sort(), &sources);
        assert_eq!(rows, expected);
        assert!(receipt.stage_devices().eq(["fast+slow"; 4]), "{receipt:#}");
        let shares = receipt.shares();
        assert!(shares.len() == 2 && shares.iter().all(|share| share.batches > 1 && share.rows > 4096), "{receipt:#}");
        devices.iter().for_each(|device| nothing_is_left(device, &session, "a shared plan"));
    }
}

/// Each fault fires on one of the devices; the rows are right, by whichever device.
#[test]
fn faults_of_one_device_change_nothing() {
    let expected = run(&cpu(SessionOptions::new()), &join_group_sort(), &tables()).0;
    let options = || SessionOptions::new().output_rows(4096).retry_backoff(std::time::Duration::ZERO);
    let kinds: [fn(u64) -> SimFault; 3] = [
        |launch| SimFault::Lost { launch },
        |launch| SimFault::Transient { launch },
        |allocation| SimFault::OutOfMemory { allocation },
    ];
    for (fault, step) in kinds.into_iter().zip([1, 1, 5]) {
        let mut fired = 0;
        for number in (0..).step_by(step) {
            let (devices, session) = sharing([vec![fault(number)], vec![]], options());
            let answer = session.plan(join_group_sort(), tables(), &[]).run();
            let has_fired = !devices[0].fired().is_empty();
            assert_eq!(rows_of(answer.unwrap().into_value()), expected, "{:?}", fault(number));
            if !has_fired {
                break;
            }
            fired += 1;
        }
        assert!(fired >= 2, "{:?}: only {fired} fired", fault(0));
    }
}

#[test]
fn a_limit_of_memory_is_an_error_or_the_same_rows() {
    let left = pairs(40_000, 300, 11);
    let right: Vec<Row> = (0..300).map(|key| vec![Some(key % 200), Some(key)]).collect();
    let sources = [batch(&["k", "v"], &left), batch(&["k2", "w"], &right)];
    let expected = run(&cpu(SessionOptions::new()), &join_group_sort(), &sources).0;
    let (mut refused, mut answered) = (0, 0);
    for bytes in [64 << 10, 512 << 10, 2 << 20, 64 << 20] {
        let (_, session) = sharing([vec![], vec![]], SessionOptions::new().memory_bytes(bytes));
        match session.plan(join_group_sort(), &sources, &[]).run() {
            Ok(answer) => {
                assert_eq!(rows_of(answer.into_value()), expected, "{bytes} bytes");
                answered += 1;
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{bytes} bytes: {error}");
                refused += 1;
            }
        }
        assert_eq!(session.memory().host.outstanding_bytes, 0, "{bytes} bytes");
    }
    assert!(refused > 0 && answered > 0, "{refused} refused, {answered} answered");
}

/// Batches that wait for the merge take the room of their rows, not that of the whole stage.
#[test]
fn waiting_batches_hold_no_spare_room() {
    // Enough rows that the number of pairs is estimated from a sample.
    let right: Vec<Row> = (0..600).map(|key| vec![Some(key % 300), Some(key)]).collect();
    let sources = [batch(&["k", "v"], &pairs(20 * 4096, 300, 11)), batch(&["k2", "w"], &right)];
    let peak = |devices: &str| {
        let device = Arc::new(SimDevice::new(SimOptions::default()));
        let options = SessionOptions::new().threads(1).share_time_min(Duration::ZERO).add_device(device);
        let session = options.prefer(devices).open().unwrap();
        let answer = session.plan(join(), &sources, &[]).run().unwrap();
        (session.memory().host.peak_bytes, answer.receipt().clone())
    };
    let ((alone, _), (shared, receipt)) = (peak("cpu"), peak("cpu+sim"));
    assert!(receipt.batches() > 8, "{receipt:#}");
    assert!(shared < 3 * alone, "{shared} bytes shared, {alone} alone");
}

/// If the device that merges is lost, another one merges, and no other device is blamed.
#[test]
fn another_device_merges() {
    let sources = several_leaves();
    let expected = run(&cpu(SessionOptions::new()), &join_group_sort(), &sources).0;
    let mut in_a_merge = 0;
    for launch in 0.. {
        let (devices, session) = sharing([vec![SimFault::Lost { launch }], vec![]], SessionOptions::new());
        let answer = session.plan(join_group_sort(), &sources, &[]).run().unwrap();
        if devices[0].fired().is_empty() {
            break;
        }
        let receipt = answer.receipt().clone();
        assert!(receipt.attempts().iter().all(|attempt| attempt.device == "fast"), "{receipt:#}");
        in_a_merge += usize::from(receipt.merges() > 0 && receipt.stage_devices().eq(["fast+slow"; 4]));
        assert_eq!(rows_of(answer.into_value()), expected, "launch {launch}");
        session.plan(join_group_sort(), &sources, &[]).require("slow").run().unwrap();
    }
    assert!(in_a_merge > 0);
}

/// A device that hangs is left once the other one could have done its batch many times over, long before its launch times out.
#[test]
fn a_hung_device_does_not_hold_the_stage() {
    let sources = several_leaves();
    let expected = run(&cpu(SessionOptions::new()), &join_group_sort(), &sources).0;
    // The first launch builds the small table, of which the other device has no rows to show how fast it is.
    for launch in 1..5 {
        let options = SessionOptions::new().launch_timeout(Duration::from_secs(600));
        let (devices, session) = sharing([vec![SimFault::Hang { launch }], vec![]], options);
        let answer = session.plan(join_group_sort(), &sources, &[]).run().unwrap();
        assert_eq!(devices[0].fired().len(), 1, "launch {launch}");
        let took = devices[0].clock().now();
        assert!(took < Duration::from_secs(60), "launch {launch}: {took:?}\n{:#}", answer.receipt());
        assert_eq!(rows_of(answer.into_value()), expected, "launch {launch}");
    }
}

/// Rows of a batch that another device runs again are not reported twice.
#[test]
fn progress_does_not_pass_the_end() {
    let sources = several_leaves();
    let mut fired = 0;
    for launch in 0..14 {
        let options = SessionOptions::new().output_rows(4096).retry_backoff(Duration::ZERO);
        let (devices, session) = sharing([vec![SimFault::Transient { launch }], vec![]], options);
        let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
        let all = seen.clone();
        let query = session.plan(join_group_sort(), &sources, &[]);
        drop(query.on_progress(move |progress| all.lock().unwrap().push(*progress)).run().unwrap());
        fired += devices[0].fired().len();
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|progress| progress.rows_done <= progress.rows), "launch {launch}: {seen:?}");
        let goes_back = seen.windows(2).find(|two| two[1].fraction() < two[0].fraction());
        assert!(goes_back.is_none(), "launch {launch}: {goes_back:?}");
        assert_eq!(seen.last().unwrap().fraction(), 1.0);
    }
    assert!(fired > 8, "{fired} fired");
}
