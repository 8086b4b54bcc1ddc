//! Resident columns: queries upload them once, they are evicted when memory is needed, and they are freed with their
//! owners.

use super::{LEAF_ROWS, PLENTY, assert_no_leftovers, cpu, floats, integers, keeping, simulated};
use arrow_array::Int64Array;
use pointsman::report::DeviceMemory;
use pointsman::{Column, Device, ErrorKind, F32, I64, Session, SessionOptions, lookup};
use pointsman_device::sim::SimFault;
use std::time::Duration;

const ROWS: usize = 3 * LEAF_ROWS + 9;
/// The bytes of such a column.
const BYTES: u64 = 4 * ROWS as u64;

fn column() -> Column<f32> {
    Column::from(floats(ROWS))
}

/// Sums a column on the device, checks the result, and returns the bytes that were copied in.
fn sum(session: &Session, column: &Column<f32>) -> u64 {
    let answer = session.from(column).folds(|x| x.sum()).run().unwrap();
    let expected: f32 = cpu().from(column).sum().unwrap();
    assert_eq!((answer.receipt().device(), answer.to_bits()), ("sim", expected.to_bits()), "{:#}", answer.receipt());
    answer.receipt().bytes_moved_in()
}

fn report(session: &Session) -> DeviceMemory {
    session.memory().device("sim").unwrap().clone()
}

fn limited(bytes: u64) -> SessionOptions {
    SessionOptions::new().device_memory_bytes(bytes).resident_bytes(bytes)
}

#[test]
fn second_query_uploads_nothing() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let x = column();
    assert_eq!([sum(&session, &x), sum(&session, &x), sum(&session, &x.clone())], [BYTES, 0, 0]);
    let twice = session.from((&x, &x)).map(|(a, b)| a + b).filter(|x| x.gt(0.0)).run().unwrap();
    assert_eq!(twice.receipt().bytes_moved_in(), 0, "another kernel, and the column twice");
    let prepared = session.prepare(|x: F32| x * 2.0).unwrap();
    assert_eq!(prepared.run(&x).unwrap().receipt().bytes_moved_in(), 0);
    let owned = session.from(x.clone()).map(|x| x + 1.0).run().unwrap();
    assert_eq!(owned.receipt().bytes_moved_in(), 0, "a clone by value");
    drop((twice, owned));
    let memory_now = report(&session);
    assert_eq!(
        (memory_now.resident_columns, memory_now.resident_bytes, memory_now.reserved_bytes),
        (1, BYTES, 0),
        "{memory_now}"
    );
    drop(x);
    assert_eq!(report(&session).resident_columns, 0);
    assert_no_leftovers(&device, &session, "the column is gone");
}

#[test]
fn columns_of_every_type_and_captured_tables_become_resident() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let (x, n) = (column(), integers(ROWS));
    let nulls = Column::from_options(n.iter().map(|&n| (n % 3 != 0).then_some(n)));
    let flags = Column::from(n.iter().map(|n| *n > 0).collect::<Vec<bool>>());
    let table = lookup(&floats(100));
    let ask = |session: &Session| {
        let rows = session.from((&x, &nulls, &flags)).filter(|(_, n, f)| f & n.ne(7));
        let answer = rows.map(|(x, n, _)| x + table.at(n.abs().cast_saturating::<u32>() % 100)).run().unwrap();
        (answer.to_vec(), answer.receipt().bytes_moved_in())
    };
    let (expected, _) = ask(&cpu());
    let bitmap = ROWS.div_ceil(8) as u64;
    assert_eq!(ask(&session), (expected.clone(), BYTES + 2 * BYTES + bitmap + bitmap + 400));
    assert_eq!(ask(&session), (expected, 0));
    assert_eq!(report(&session).resident_columns, 4);
    drop((x, nulls, flags, table));
    assert_no_leftovers(&device, &session, "all columns are gone");
}

#[test]
fn borrowed_and_temporary_columns_do_not_become_resident() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let values = floats(ROWS);
    for _ in 0..2 {
        let borrowed = session.from(&values).folds(|x| x.sum()).run().unwrap();
        let given = session.from(column()).folds(|x| x.sum()).run().unwrap();
        let array = Int64Array::from(integers(ROWS));
        let arrow = session.from(&array).folds(|n| n.sum()).run().unwrap();
        let moved = [borrowed.receipt(), given.receipt(), arrow.receipt()].map(|receipt| receipt.bytes_moved_in());
        assert_eq!(moved, [BYTES, BYTES, 2 * BYTES]);
        assert_no_leftovers(&device, &session, "borrowed columns");
    }
}

#[test]
fn least_valuable_column_is_evicted_for_a_new_one() {
    let (device, session) = keeping(PLENTY, SessionOptions::new().resident_bytes(2 * BYTES));
    let [a, b, c] = [column(), column(), column()];
    assert_eq!([sum(&session, &a), sum(&session, &a), sum(&session, &b)], [BYTES, 0, BYTES]);
    assert_eq!(sum(&session, &c), BYTES);
    let memory_now = report(&session);
    assert_eq!(
        (memory_now.resident_columns, memory_now.columns_evicted, memory_now.pins_evicted),
        (2, 1, 0),
        "{memory_now}"
    );
    assert_eq!(
        [sum(&session, &a), sum(&session, &c)],
        [0, 0],
        "the column that was used once, longest ago, was evicted"
    );
    assert_eq!(sum(&session, &b), BYTES);
    assert_eq!([sum(&session, &a), sum(&session, &b)], [0, BYTES], "a less valuable column evicts none");
    assert!(device.peak_bytes() <= 4 * BYTES);
}

#[test]
fn pinned_columns_stay_until_released() {
    let (device, session) = keeping(PLENTY, SessionOptions::new().resident_bytes(0));
    let [a, b] = [column(), column()];
    session.keep(&a, "sim").unwrap();
    session.keep(&a, "sim").unwrap();
    assert_eq!((device.memory().used, report(&session).pinned_columns), (BYTES, 1));
    assert_eq!([sum(&session, &a), sum(&session, &b), sum(&session, &b)], [0, BYTES, BYTES]);
    session.release(&a, "sim").unwrap();
    session.release(&b, "sim").unwrap();
    assert_no_leftovers(&device, &session, "released");
    assert_eq!(sum(&session, &a), BYTES);
    let a = a.to(&session, "sim").unwrap();
    assert_eq!(sum(&session, &a), 0);
    session.keep(&a, "cpu").unwrap();
    session.release(&a, "cpu").unwrap();
    assert_eq!(session.keep(&a, "nowhere").unwrap_err().kind(), ErrorKind::InvalidQuery);
    drop(session);
    assert_eq!((device.memory().used, device.buffers()), (0, 0), "the session is gone, the column is not");
}

/// One failed allocation in a query over other columns evicts the resident column, and the stage is not split.
#[test]
fn cached_columns_are_evicted_before_a_stage_is_split() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let (x, rows) = (column(), floats(5 * LEAF_ROWS));
    let expected = cpu().from(&rows).map(|x| x + 1.0).run().unwrap().to_vec();
    let mut fired = 0;
    for allocation in 0.. {
        assert_eq!([sum(&session, &x), sum(&session, &x)], [BYTES, 0]);
        let before = report(&session).columns_evicted;
        device.plan_faults(vec![SimFault::OutOfMemory { allocation }]);
        let answer = session.from(&rows).map(|x| x + 1.0).run().unwrap();
        let (receipt, memory_now) = (answer.receipt(), report(&session));
        assert!(answer.to_vec() == expected && receipt.device() == "sim", "{receipt:#}");
        assert_eq!((receipt.batches(), receipt.pins_evicted()), (1, 0), "{receipt:#}");
        if device.fired().is_empty() {
            assert_eq!((receipt.columns_evicted(), memory_now.columns_evicted), (0, before));
            break;
        }
        fired += 1;
        assert_eq!(
            (receipt.columns_evicted(), memory_now.columns_evicted, memory_now.resident_columns),
            (1, before + 1, 1),
            "the column is evicted, and the answer stays"
        );
        assert!(format!("{receipt:#}").contains("\nmemory   1 resident columns evicted\n"), "{receipt:#}");
        assert!(receipt.to_json().contains("\"columns_evicted\":1,\"pins_evicted\":0"), "{}", receipt.to_json());
    }
    assert_eq!(fired, 2, "an input and an output");
}

/// Other programs took the device's memory, so the stage is split although its column is resident; the column is
/// evicted.
#[test]
fn split_query_evicts_its_own_column() {
    let memory = 4 * BYTES;
    let (device, session) = keeping(memory, SessionOptions::new().resident_bytes(memory));
    let x = column();
    assert_eq!([sum(&session, &x), sum(&session, &x)], [BYTES, 0]);
    let others = device.allocate((memory - BYTES - (20 << 10)) as usize).unwrap();
    let answer = session.from(&x).map(|x| x + 1.0).run().unwrap();
    let receipt = answer.receipt();
    assert!(answer.iter().copied().zip(&x[..]).all(|(got, x)| got == x + 1.0));
    assert_eq!((receipt.device(), receipt.columns_evicted()), ("sim", 1), "{receipt:#}");
    assert!(receipt.batches() > 1, "{receipt:#}");
    drop(answer);
    device.free(others);
    assert_no_leftovers(&device, &session, "cut");
}

/// The session's limit, not the device, is reached: the eviction happens before the run.
#[test]
fn cached_columns_are_evicted_before_a_query_runs_in_batches() {
    let limit = 5 * BYTES + 64;
    let (device, session) = keeping(PLENTY, limited(limit));
    let (x, rows) = (column(), floats(2 * ROWS));
    assert_eq!([sum(&session, &x), sum(&session, &x)], [BYTES, 0]);
    let answer = session.from(&rows).map(|x| x + 1.0).run().unwrap();
    assert_eq!((answer.receipt().batches(), answer.receipt().columns_evicted()), (1, 0), "there was room for all");
    drop(answer);
    let more = floats(5 * ROWS / 2);
    let answer = session.from(&more[..ROWS * 9 / 4]).map(|x| x + 1.0).run().unwrap();
    assert_eq!((answer.receipt().batches(), answer.receipt().columns_evicted()), (1, 1), "{:#}", answer.receipt());
    assert_eq!(sum(&session, &x), BYTES);
    assert!(device.peak_bytes() <= limit, "{} bytes", device.peak_bytes());
}

#[test]
fn pinned_columns_are_evicted_only_if_a_query_cannot_run() {
    let (device, session) = keeping(PLENTY, limited(3 * BYTES));
    let (a, b, rows) = (column(), column(), floats(3 * ROWS));
    session.keep(&a, "sim").unwrap();
    let answer = session.from(&rows).map(|x| x + 1.0).run().unwrap();
    let receipt = answer.receipt();
    assert!(receipt.batches() > 1 && receipt.pins_evicted() == 0, "{receipt:#}");
    assert_eq!(sum(&session, &a), 0, "the query ran in batches instead");
    session.keep(&b, "sim").unwrap();
    let left = report(&session).limit_bytes.unwrap() - report(&session).resident_bytes;
    let error = session.keep(&Column::from(floats(2 * ROWS)), "sim").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains(&format!("fit into the {left} bytes that are left of `sim`")), "{error}");
    assert_eq!(report(&session).pinned_columns, 2, "no pinned column is evicted for another");
    // One leaf of four columns and their results needs more than the memory that is left.
    let wide = [&rows[..ROWS]; 4];
    let answer = session.from(wide).map(|x| x).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!((receipt.device(), receipt.pins_evicted()), ("sim", 2), "{receipt:#}");
    let text = "\nmemory   2 resident columns evicted, 2 of them pinned\n";
    assert!(format!("{receipt:#}").contains(text), "{receipt:#}");
    assert_eq!((report(&session).pins_evicted, report(&session).resident_columns), (2, 0));
    assert!(device.peak_bytes() <= 3 * BYTES, "{} bytes", device.peak_bytes());
}

#[test]
fn lost_device_has_no_resident_columns() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let (a, b) = (column(), column());
    session.keep(&a, "sim").unwrap();
    sum(&session, &b);
    assert_eq!(report(&session).resident_columns, 2);
    let fault = SimFault::Lost { launch: 0 };
    device.plan_faults(vec![fault]);
    let answer = session.from(&a).map(|x| x + 1.0).run().unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (vec![fault], "cpu"));
    assert_eq!((report(&session).resident_columns, report(&session).resident_bytes), (0, 0));
    assert_eq!(session.keep(&b, "sim").unwrap_err().kind(), ErrorKind::DeviceLost);
    drop(answer);
    device.clock().advance(Duration::from_secs(1));
    assert_no_leftovers(&device, &session, "a lost device");
}

/// Failures at any moment leave only resident columns behind.
#[test]
fn no_failure_leaks_memory() {
    for launch in 0..2 {
        for fault in [SimFault::Transient { launch }, SimFault::Lost { launch }, SimFault::Hang { launch }] {
            let options = SessionOptions::new().launch_timeout(Duration::from_secs(1)).retry_limit(0);
            let (device, session) = keeping(PLENTY, options);
            let (x, n) = (column(), Column::from(integers(ROWS)));
            device.plan_faults(vec![fault]);
            let ask = |s: &Session| {
                let sums = s.from((&x, &n)).scan(|(x, n): (F32, I64)| (x.running_sum(), n.running_sum()));
                sums.filter(|(_, n)| n.gt(0)).run().unwrap().into_value().0.to_vec()
            };
            assert!(ask(&session) == ask(&cpu()));
            assert_eq!(device.fired(), [fault]);
            // Running copies end, and the memory that was released meanwhile is free.
            device.clock().advance(Duration::from_secs(1));
            let memory_now = report(&session);
            let zombies = memory_now.info.zombie;
            assert_eq!(
                (memory_now.reserved_bytes, memory_now.info.used - zombies),
                (0, memory_now.resident_bytes),
                "{fault:?}: {memory_now}"
            );
            assert_eq!(zombies > 0, matches!(fault, SimFault::Hang { .. }), "{fault:?}: {memory_now}");
            drop((x, n));
            device.recover();
            assert_no_leftovers(&device, &session, &format!("{fault:?}"));
        }
    }
}

#[test]
fn report_shows_all_counters() {
    let (device, session) = keeping(PLENTY, limited(1 << 20));
    let (a, b) = (column(), column());
    session.keep(&a, "sim").unwrap();
    sum(&session, &b);
    let memory = session.memory();
    let memory_now = memory.device("sim").unwrap();
    assert_eq!((memory_now.info, memory_now.limit_bytes), (device.memory(), Some(1 << 20)));
    assert_eq!(
        (memory_now.resident_columns, memory_now.resident_bytes, memory_now.pinned_bytes),
        (2, 2 * BYTES, BYTES)
    );
    let text = memory.to_string();
    assert!(text.starts_with("host: 0 B in use, "), "{text}");
    let parts = [
        "\nsim: 98 kB in use, ",
        " free; 0 B of 1 MB reserved by 0 queries; 2 columns resident, 98 kB, 1 of them pinned",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    let json: serde_json::Value = serde_json::from_str(&memory.to_json()).unwrap();
    assert_eq!(json["devices"][0]["device"], "sim");
    assert_eq!(json["devices"][0]["peak"].as_u64(), Some(device.peak_bytes()));
    assert_eq!(json["devices"][0]["resident_bytes"].as_u64(), Some(2 * BYTES));
    assert_eq!(json["host"]["outstanding_bytes"].as_u64(), Some(0));
    assert!((0.0..=1.0).contains(&memory.unused_fraction()) && json["host"]["unused_fraction"].is_number());
    let snapshot = session.snapshot();
    assert!(snapshot.to_string().contains("\nmemory   sim: "), "{snapshot}");
    assert!(
        simulated(PLENTY, SessionOptions::new()).1.memory().devices.len() == 1 && cpu().memory().devices.is_empty()
    );
}

#[test]
fn profiling_batches_of_resident_columns_leaves_nothing() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let x = column();
    assert_eq!(sum(&session, &x), BYTES);
    session.profile(&session.from(&x).folds(|x| x.sum()).require("sim"), 5).unwrap();
    drop(x);
    assert_no_leftovers(&device, &session, "the column is gone");
}

#[test]
fn parts_of_a_resident_column_are_read_there() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let x = column();
    assert_eq!(sum(&session, &x.slice(5..100).unwrap()), 4 * 95, "the whole column is nowhere");
    session.keep(&x, "sim").unwrap();
    for rows in [0..ROWS, 1..ROWS, LEAF_ROWS..2 * LEAF_ROWS + 3, 7..7, ROWS - 1..ROWS] {
        let part = x.slice(rows.clone()).unwrap();
        assert_eq!([sum(&session, &part), sum(&session, &part.slice(..).unwrap())], [0, 0], "{rows:?}");
        let owned = session.from(part.clone()).map(|x| x + 1.0).run().unwrap();
        assert!(owned.iter().copied().eq(x[rows.clone()].iter().map(|x| x + 1.0)), "{rows:?}");
        assert_eq!(owned.receipt().bytes_moved_in(), 0, "{rows:?}");
        // A part with the whole column, and with another part.
        let (least, both) = (x.slice(..part.len()).unwrap(), part.len() as u64);
        let sums = session.from((&part, &least)).map(|(a, b)| a + b).run().unwrap();
        assert!(sums.iter().copied().eq(part.iter().copied().zip(&x[..]).map(|(a, b)| a + b)), "{rows:?}");
        assert_eq!((sums.receipt().bytes_moved_in(), sums.len() as u64), (0, both));
    }
    // A captured table that is a part.
    let (table, rows) = (pointsman::Lookup::of(&x.slice(100..300).unwrap()).unwrap(), 0..200u32);
    let found = session.from(rows).map(|row| table.at(row)).run().unwrap();
    assert!(found.iter().copied().eq(x[100..300].iter().copied()));
    assert_eq!(found.receipt().bytes_moved_in(), 0);
    // The copy stays as long as a part of the column does.
    let part = x.slice(3..50).unwrap();
    drop((x, table));
    assert_eq!((report(&session).resident_columns, sum(&session, &part)), (1, 0));
    drop((part, found));
    assert_eq!(report(&session).resident_columns, 0);
    assert_no_leftovers(&device, &session, "the column is gone");
}

#[test]
fn parts_that_a_device_cannot_address_are_copied() {
    let (_, session) = keeping(PLENTY, SessionOptions::new());
    let nulls = Column::from_options((0..ROWS).map(|row| (!row.is_multiple_of(7)).then_some(row as i64)));
    session.keep(&nulls, "sim").unwrap();
    let part = nulls.slice(9..2000).unwrap();
    let answer = session.from(&part).map(|x| x + 1).run().unwrap();
    assert!(answer.options().eq(part.options().map(|x| x.map(|x| x + 1))) && answer.receipt().bytes_moved_in() > 0);
    let bytes = Column::from((0..ROWS).map(|row| row as u8).collect::<Vec<_>>());
    session.keep(&bytes, "sim").unwrap();
    let part = bytes.slice(9..2000).unwrap();
    let answer = session.from(&part).map(|x| x.cast::<i32>()).run().unwrap();
    assert!(answer.iter().copied().eq(part.iter().copied().map(i32::from)));
    assert!(answer.receipt().bytes_moved_in() >= 1991);
}

#[test]
fn parts_are_read_in_batches_too() {
    let (device, session) = keeping(100 << 10, SessionOptions::new());
    let x = Column::from(floats(20 * LEAF_ROWS));
    let part = x.slice(5..19 * LEAF_ROWS).unwrap();
    let answer = session.from(&part).map(|x| x * 2.0).run().unwrap();
    assert!(answer.receipt().batches() > 1 && answer.receipt().device() == "sim", "{}", answer.receipt());
    assert!(answer.iter().copied().eq(part.iter().copied().map(|x| x * 2.0)));
    drop((answer, part, x));
    assert_no_leftovers(&device, &session, "a part in batches");
}
