//! Results stay in the memory of the device that wrote them, for the queries that read them next; the host has its own
//! copy, so nothing is lost with a device.

use super::{LEAF_ROWS, PLENTY, assert_no_leftovers, cpu, floats, integers, keeping, simulated};
use pointsman::report::DeviceMemory;
use pointsman::{Column, Device, F32, I64, Session, SessionOptions};
use pointsman_device::sim::SimFault;
use std::time::Duration;

const ROWS: usize = 3 * LEAF_ROWS + 9;
/// The bytes of a column of `f32`.
const BYTES: u64 = 4 * ROWS as u64;

/// Adds one to numbers that are not on the device, which copies them there and leaves the result.
fn increased(session: &Session) -> Column<f32> {
    let x = floats(ROWS);
    let answer = session.from(&x).map(|x| x + 1.0).run().unwrap();
    assert_eq!((answer.receipt().device(), answer.receipt().bytes_moved_in()), ("sim", BYTES));
    answer.into_value()
}

fn report(session: &Session) -> DeviceMemory {
    session.memory().device("sim").unwrap().clone()
}

/// Sums a column on the device, checks the result, and returns the bytes that were copied in.
fn sum(session: &Session, column: &Column<f32>) -> u64 {
    let answer = session.from(column).folds(|x| x.sum()).run().unwrap();
    let expected: f32 = cpu().from(&column[..]).sum().unwrap();
    assert_eq!((answer.receipt().device(), answer.to_bits()), ("sim", expected.to_bits()), "{:#}", answer.receipt());
    answer.receipt().bytes_moved_in()
}

#[test]
fn next_query_reads_a_result_where_it_was_made() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let result = increased(&session);
    assert_eq!((report(&session).resident_columns, report(&session).resident_bytes), (1, BYTES));
    let clone = result.clone();
    assert_eq!([sum(&session, &result), sum(&session, &clone)], [0, 0]);
    assert_eq!(sum(&session, &result.slice(7..ROWS - 5).unwrap()), 0, "a part of it");
    let twice = session.from(clone).map(|x| x * 2.0).run().unwrap();
    assert_eq!(twice.receipt().bytes_moved_in(), 0, "by value");
    let table = pointsman::Lookup::of(&twice).unwrap();
    let found = session.from(0..ROWS as u32).map(|row| table.at(row)).run().unwrap();
    assert_eq!(found.receipt().bytes_moved_in(), 0, "as a table");
    assert!(found.iter().copied().eq(floats(ROWS).iter().map(|x| (x + 1.0) * 2.0)));
    drop((result, twice, table, found));
    assert_no_leftovers(&device, &session, "the results are gone");
}

#[test]
fn results_of_every_type_and_sink_stay() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let n = integers(40 * LEAF_ROWS + 5);
    let nulls = Column::from_options(n.iter().map(|&n| (n % 3 != 0).then_some(n)));
    let ask = |session: &Session| {
        let kept =
            session.from(&nulls).filter(|n: I64| n.gt(-900)).map(|n| (n, n.gt(5), n.cast::<f32>())).run().unwrap();
        let (n, flags, x) = kept.into_value();
        let sums =
            session.from((&n, &flags, &x)).scan(|(n, f, x)| (n.running_sum(), f.kept(), x.kept())).run().unwrap();
        let moved = sums.receipt().bytes_moved_in();
        let (n, flags, x) = sums.into_value();
        let all = session.from((&n, &flags, &x)).filter(|(_, f, _)| f).map(|(n, _, x)| (n, x)).run().unwrap();
        ((moved, all.receipt().bytes_moved_in()), format!("{:?}", *all))
    };
    let ((moved, found), (_, expected)) = (ask(&session), ask(&cpu()));
    assert_eq!((moved, found == expected), ((0, 0), true));
    drop(nulls);
    assert_no_leftovers(&device, &session, "all results are gone");
}

#[cfg(feature = "calls")]
#[test]
fn results_of_calls_stay() {
    use pointsman::lookup;
    use pointsman::plan::{Fft, Matmul};
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let x: Vec<f64> = (0..64 * 128).map(|i| f64::from(i % 97) - 48.0).collect();
    let spectra = session.from(&x).call(Fft::forward(64), None).run().unwrap();
    let products = session.from(&*spectra).call(Matmul::real(64, 128, 3), &lookup(&x[..384])).run().unwrap();
    assert_eq!((products.receipt().device(), products.receipt().bytes_moved_in()), ("sim", 8 * 384));
    drop((spectra, products));
    assert_no_leftovers(&device, &session, "the results are gone");
}

#[test]
fn lost_device_loses_no_result() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let result = increased(&session);
    let fault = SimFault::Lost { launch: 0 };
    device.plan_faults(vec![fault]);
    let answer = session.from(&result).map(|x| x + 1.0).run().unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (vec![fault], "cpu"));
    assert!(answer.iter().copied().eq(floats(ROWS).iter().map(|x| x + 1.0 + 1.0)));
    assert_eq!(report(&session).resident_columns, 0);
    drop((result, answer));
    device.clock().advance(Duration::from_secs(1));
    assert_no_leftovers(&device, &session, "a lost device");
}

#[test]
fn results_that_waste_memory_or_become_no_columns_do_not_stay() {
    let (device, session) = keeping(PLENTY, SessionOptions::new());
    let x = floats(ROWS);
    let least = x.iter().copied().fold(f32::INFINITY, f32::min);
    let few = session.from(&x).filter(move |x: F32| x.lt(least + 40.0)).run().unwrap();
    assert!(few.len() < ROWS / 2 && few.len() >= 1024, "{} rows", few.len());
    assert_eq!(device.memory().used, 0, "a filter's output with much unused room");
    let most = session.from(&x).filter(move |x: F32| x.gt(least + 40.0)).run().unwrap();
    assert_eq!((most.len() > ROWS / 2, device.memory().used), (true, BYTES));
    drop(most);
    let small = session.from(&x[..1000]).map(|x| x + 1.0).run().unwrap();
    assert_eq!((small.len(), device.memory().used), (1000, 0), "a small column");
    let mut out = vec![0.0; ROWS];
    session.from(&x).map(|x| x + 1.0).into_slice(&mut out).unwrap();
    let batches = session.from(&x).map(|x| x + 1.0).run().unwrap().into_value().to_vec();
    assert_eq!((batches == out, device.memory().used), (true, 0), "a slice, and a vector");
    let (other, off) = simulated(PLENTY, SessionOptions::new());
    let result = off.from(&x).map(|x| x + 1.0).run().unwrap();
    assert_eq!((result.receipt().device(), other.memory().used), ("sim", 0), "`resident_bytes(0)`");
}

/// Results are cached after columns that were used as often, and the oldest unread ones go first.
#[test]
fn results_displace_no_column_that_was_used_lately() {
    let (_, session) = keeping(PLENTY, SessionOptions::new().resident_bytes(3 * BYTES));
    let [a, b] = [Column::from(floats(ROWS)), Column::from(floats(ROWS))];
    assert_eq!([sum(&session, &a), sum(&session, &b)], [BYTES, BYTES]);
    let results = [increased(&session), increased(&session)];
    assert_eq!((report(&session).resident_columns, report(&session).columns_evicted), (3, 1));
    assert_eq!([sum(&session, &a), sum(&session, &b), sum(&session, &results[1])], [0, 0, 0]);
    assert_eq!(sum(&session, &results[0]), BYTES, "the older one was evicted");
}

/// A query that needs the memory gets it.
#[test]
fn results_are_evicted_for_queries() {
    let limit = 4 * BYTES;
    let (device, session) = keeping(PLENTY, SessionOptions::new().device_memory_bytes(limit).resident_bytes(limit));
    let (result, other) = (increased(&session), increased(&session));
    let large = floats(3 * ROWS / 2);
    let answer = session.from(&large).map(|x| x + 1.0).run().unwrap();
    assert!(answer.receipt().columns_evicted() >= 1 && answer.receipt().batches() == 1, "{:#}", answer.receipt());
    assert!(device.peak_bytes() <= limit, "{} bytes", device.peak_bytes());
    drop(answer);
    let sums = [sum(&session, &result), sum(&session, &other)];
    assert!(sums.contains(&BYTES), "{sums:?}");
}

/// Failures at any launch leave only the results of the launches that succeeded.
#[test]
fn no_failure_leaks_a_result() {
    for launch in 0..3 {
        for fault in [SimFault::Transient { launch }, SimFault::Lost { launch }, SimFault::Hang { launch }] {
            let options = SessionOptions::new().launch_timeout(Duration::from_secs(1)).retry_limit(0);
            let (device, session) = keeping(PLENTY, options);
            let x = floats(ROWS);
            device.plan_faults(vec![fault]);
            let ask = |session: &Session| {
                let first = session.from(&x).scan(|x| x.running_sum()).map(|x| x * 0.5).run().unwrap().into_value();
                let second = session.from(&first).map(|x| x + 1.0).run().unwrap().into_value();
                (second.to_vec(), first)
            };
            let ((found, first), (expected, _)) = (ask(&session), ask(&cpu()));
            assert!(found == expected, "{fault:?}");
            assert_eq!(device.fired(), [fault]);
            device.clock().advance(Duration::from_secs(1));
            let now = report(&session);
            let used = now.info.used - now.info.zombie;
            assert_eq!((now.reserved_bytes, used), (0, now.resident_bytes), "{fault:?}: {now}");
            drop(first);
            device.recover();
            assert_no_leftovers(&device, &session, &format!("{fault:?}"));
        }
    }
}
