//! Stages of plans of tables that two simulated devices share: the same rows, each device with indexes of its own, and nothing
//! lost when one of them fails or has no memory.

use super::limits::{join_group_sort, tables};
use super::{Row, batch, cpu, nothing_is_left, pairs, rows_of, run, sharing};
use pointsman::{ErrorKind, SessionOptions};
use pointsman_device::sim::SimFault;

#[test]
fn both_devices_run_rows_of_a_plan() {
    let left = pairs(12 * 4096 + 77, 300, 11);
    let right: Vec<Row> = (0..300).map(|key| vec![Some(key % 200), Some(key)]).collect();
    let sources = [batch(&["k", "v"], &left), batch(&["k2", "w"], &right)];
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
