//! The fault catalogue's relational rows, on the simulated device: each fault fires, and the answer is the same, or an error
//! that says what failed; nothing is left behind.

use super::limits::{in_pieces, join_group_sort, tables};
use super::{Row, batch, nothing_is_left, pairs, plan_of, rows_of, simulated};
use pointsman::plan::{Fold, NodeKind, RowOrder};
use pointsman::{ErrorKind, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimDevice, SimFault};

fn ask(session: &Session) -> pointsman::Result<Vec<Row>> {
    Ok(rows_of(session.plan(join_group_sort(), tables(), &[]).run()?.into_value()))
}

/// Runs the plan with each fault of a sequence until one does not fire. The answer must be right, by whichever device.
fn sweep(what: &str, fault: impl Fn(u64) -> SimFault) {
    let expected = ask(&simulated(SessionOptions::new()).1).unwrap();
    let mut fired = 0;
    for number in 0.. {
        let (device, session) = simulated(in_pieces().retry_backoff(std::time::Duration::ZERO));
        device.plan_faults(vec![fault(number)]);
        let result = ask(&session);
        let has_fired = !device.fired().is_empty();
        match result {
            Ok(rows) => assert_eq!(rows, expected, "{what} {number}"),
            Err(error) => panic!("{what} {number}: {error}"),
        }
        nothing_left_of(&device, &session, &format!("{what} {number}"));
        if !has_fired {
            break;
        }
        fired += 1;
    }
    assert!(fired >= 2, "{what}: only {fired} fired");
}

/// Work that a lost device had queued ends when it comes back.
fn nothing_left_of(device: &SimDevice, session: &Session, what: &str) {
    if device.fired().iter().any(|fault| matches!(fault, SimFault::Lost { .. } | SimFault::IndexFails { .. })) {
        device.plan_faults(Vec::new());
        device.clock().advance(std::time::Duration::from_secs(1));
    }
    nothing_is_left(device, session, what);
}

#[test]
fn no_memory_at_any_allocation() {
    sweep("allocation", |allocation| SimFault::OutOfMemory { allocation });
}

#[test]
fn lost_at_any_launch() {
    sweep("lost at launch", |launch| SimFault::Lost { launch });
}

#[test]
fn transient_at_any_launch() {
    sweep("transient at launch", |launch| SimFault::Transient { launch });
}

#[test]
fn indexes_that_cannot_be_built() {
    let expected = ask(&simulated(SessionOptions::new()).1).unwrap();
    for kind in [DeviceErrorKind::OutOfMemory, DeviceErrorKind::Lost, DeviceErrorKind::Transient] {
        let (device, session) = simulated(in_pieces().retry_backoff(std::time::Duration::ZERO));
        device.plan_faults(vec![SimFault::IndexFails { index: 0, kind }]);
        assert_eq!(ask(&session).unwrap(), expected, "{kind:?}");
        assert_eq!(device.fired().len(), 1, "{kind:?}");
        nothing_left_of(&device, &session, &format!("{kind:?}"));
        // Where no other device may answer, the error says what there was no memory for.
        let (device, session) = simulated(in_pieces());
        device.plan_faults(vec![SimFault::IndexFails { index: 0, kind: DeviceErrorKind::OutOfMemory }]);
        let tables = tables();
        let query = session.plan(join_group_sort(), &tables, &[]).require("sim");
        let error = query.run().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
        assert!(error.message().contains("the index of `build` over 40 rows"), "{error}");
        nothing_left_of(&device, &session, "no memory for an index");
    }
}

/// All keys have the same highest bits of their hash, or are equal: slower, but the same groups.
#[test]
fn adversarial_keys_are_grouped() {
    for keys in [1i64, 3] {
        let rows: Vec<Row> = pairs(9000, keys, 4);
        let (mut plan, nodes) = plan_of(&[&["k", "v"]]);
        let k = plan.column(nodes[0], 0);
        let (folds, order) = (vec![Fold::COUNT_ROWS], RowOrder::Any);
        plan.push(NodeKind::Group { input: nodes[0], keys: vec![k], folds, order }, &["k", "rows"]);
        let (_, session) = simulated(in_pieces());
        let answer = session.plan(plan, [&batch(&["k", "v"], &rows)], &[]).run().unwrap();
        let counted: i64 = rows_of(answer.into_value()).iter().filter_map(|row| row[1]).sum();
        assert_eq!(counted, 9000);
    }
}
