//! Overlapping batches: while one runs, the next is copied in and the previous one is copied out.

use super::{LEAF_ROWS, assert_no_leftovers, cpu};
use pointsman::{
    Answer, CancellationToken, Column, Device, ErrorKind, F64, FailureClass, Result, Session, SessionOptions,
};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

/// The time of each step of a batch: the copy in, the run, and the copy out.
const STEP: Duration = Duration::from_millis(10);
const BATCHES: usize = 20;
/// The rows of a batch, and the bytes of its column.
const BATCH_ROWS: usize = 4 * LEAF_ROWS;
const BATCH_BYTES: usize = 8 * BATCH_ROWS;

/// A device on which each step of a batch takes as long, with memory for as many batches as there may be at once, each
/// with a column in and `out_bytes` bytes out.
fn even_with(out_bytes: usize, faults: Vec<SimFault>, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let (launch, never) = (STEP, f64::INFINITY);
    let link_bytes_per_second = BATCH_BYTES as f64 / STEP.as_secs_f64();
    let speed = SimSpeed { launch, copy: Duration::ZERO, link_bytes_per_second, ..SimSpeed::default() };
    let speed = SimSpeed { compile: Duration::ZERO, memory_bytes_per_second: never, ops_per_second: never, ..speed };
    let at_once = options.batches_in_flight as u64;
    let device = Arc::new(SimDevice::new(SimOptions { speed, faults, ..SimOptions::default() }));
    let options = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let options = options.device_memory_bytes(at_once * (BATCH_BYTES + out_bytes) as u64);
    (device, options.prefer("sim").open().unwrap())
}

/// The same with a column out.
fn even(faults: Vec<SimFault>, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    even_with(BATCH_BYTES, faults, options)
}

fn at_once(batches_at_once: usize) -> SessionOptions {
    SessionOptions::new().batches_in_flight(batches_at_once)
}

fn column() -> Vec<f64> {
    (0..BATCHES * BATCH_ROWS).map(|i| (i * 7919 % 20_011) as f64 / 7.0 - 1000.0).collect()
}

fn stored(s: &Session, x: &[f64]) -> Result<Answer<Column<f64>>> {
    s.from(x).map(|x: F64| x * 3.0).run()
}

/// Returns the virtual milliseconds that twenty batches of a store took.
fn store_takes(batches_at_once: usize) -> u128 {
    let (device, session) = even(Vec::new(), at_once(batches_at_once));
    let x = column();
    let start = device.clock().now();
    let answer = stored(&session, &x).unwrap();
    let took = device.clock().now() - start;
    assert_eq!((answer.receipt().device(), answer.receipt().batches()), ("sim", BATCHES), "{:#}", answer.receipt());
    assert!(answer.iter().eq(stored(&cpu(), &x).unwrap().iter()), "other bits than the CPU's");
    let bytes = (BATCHES * BATCH_BYTES) as u64;
    assert_eq!((answer.receipt().bytes_moved_in(), answer.receipt().bytes_moved_out()), (bytes, bytes));
    drop(answer);
    assert_no_leftovers(&device, &session, "overlapped");
    assert!(device.peak_bytes() <= (batches_at_once * 2 * BATCH_BYTES) as u64);
    took.as_millis()
}

#[test]
fn copies_overlap_runs() {
    let took = store_takes(3);
    assert!((220..=230).contains(&took), "{BATCHES} batches of 10 ms in, 10 ms run and 10 ms out took {took} ms");
    let took = store_takes(2);
    assert!(took < 450, "two at once took {took} ms");
    let took = store_takes(1);
    assert!(took >= 600, "one after the other takes 30 ms a batch, and took {took} ms");
}

/// The result is small, so only copies in and runs overlap.
#[test]
fn copies_in_overlap_runs() {
    let x = column();
    for (batches_at_once, least, most) in [(3, 210, 230), (2, 210, 230), (1, 400, 430)] {
        let (device, session) = even_with(1024, Vec::new(), at_once(batches_at_once));
        let start = device.clock().now();
        let answer = session.from(&x).folds(|x| x.max()).run().unwrap();
        let took = (device.clock().now() - start).as_millis();
        assert_eq!((answer.receipt().device(), answer.receipt().batches()), ("sim", BATCHES), "{:#}", answer.receipt());
        assert_eq!(answer.into_value(), x.iter().copied().reduce(f64::max));
        assert!((least..=most).contains(&took), "{batches_at_once} at once took {took} ms");
        assert_no_leftovers(&device, &session, "overlapped");
    }
}

/// A large stage is split even if it fits; one whose columns are copied through staging buffers must be larger.
#[test]
fn large_stages_are_split_to_overlap_copies() {
    let rows = (260 << 20) / 8;
    let (never, one_way) = (f64::INFINITY, (260 << 20) as f64);
    let speed = SimSpeed { copy: Duration::ZERO, link_bytes_per_second: one_way, ..SimSpeed::default() };
    let speed = SimSpeed { compile: Duration::ZERO, memory_bytes_per_second: one_way, ops_per_second: never, ..speed };
    let device = Arc::new(SimDevice::new(SimOptions { speed, ..SimOptions::default() }));
    let session = SessionOptions::new().threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let session = session.prefer("sim").open().unwrap();
    let mut x = session.page_locked::<f64>("sim", rows).unwrap();
    x.iter_mut().enumerate().for_each(|(i, x)| *x = f64::from(i as u32 % 1000));
    // The copy in takes a second, and the run takes a second.
    let answer = session.from(&x[..]).folds(|x| x.max()).run().unwrap();
    let (took, batches) = (device.clock().now(), answer.receipt().batches());
    assert!(batches >= 16 && took < Duration::from_millis(1100), "{batches} batches took {took:?}");
    assert_eq!(answer.into_value(), Some(999.0));
    let staged = x.to_vec();
    let answer = session.from(&staged).folds(|x| x.max()).run().unwrap();
    assert_eq!((answer.receipt().batches(), answer.into_value()), (1, Some(999.0)));
    assert_no_leftovers(&device, &session, "a large stage");
}

#[test]
fn failed_launch_leaves_nothing() {
    let x = column();
    for launch in 0..BATCHES as u64 {
        let fault = SimFault::Transient { launch };
        let (device, session) = even(vec![fault], at_once(3).retry_limit(0));
        let error = session.from(&x).map(|x| x * 3.0).require("sim").run().unwrap_err();
        assert_eq!((device.fired(), error.attempts()[0].class), (vec![fault], FailureClass::Transient), "{error}");
        assert_no_leftovers(&device, &session, &format!("launch {launch} failed"));
    }
}

#[test]
fn hung_launch_holds_only_its_own_memory() {
    let (x, fault) = (column(), SimFault::Hang { launch: 7 });
    let (device, session) = even(vec![fault], at_once(3));
    let answer = stored(&session, &x).unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (vec![fault], "cpu"));
    assert!(answer.iter().eq(stored(&cpu(), &x).unwrap().iter()));
    let memory = device.memory();
    assert_eq!((device.zombies(), memory.used), (1, memory.zombie), "hung memory is not a leak");
    assert_eq!(memory.used, 2 * BATCH_BYTES as u64, "the other batches are freed");
    device.recover();
    assert_eq!((device.zombies(), device.memory().used), (0, 0));
}

#[test]
fn cancelled_query_ends_within_the_time_of_a_batch() {
    let x = column();
    for last in 0..BATCHES as u64 {
        let (device, session) = even(Vec::new(), at_once(3));
        let (token, clock) = (CancellationToken::new(), device.clock().clone());
        let (stop, at) = (token.clone(), Arc::new(std::sync::Mutex::new(Duration::ZERO)));
        let noted = at.clone();
        device.on_launch(move |launch| {
            if launch == last {
                *noted.lock().unwrap() = clock.now();
                stop.cancel();
            }
        });
        let result = session.from(&x).map(|x| x * 3.0).cancelled_by(&token).run().map(drop);
        let took = device.clock().now() - *at.lock().unwrap();
        // A little more than a batch, for the small copy that waits for the end.
        assert!(token.is_cancelled() && took <= 3 * STEP + STEP / 10, "batch {last}: {took:?}");
        assert_eq!(device.launches(), last + 1);
        match result {
            Ok(_) => assert_eq!(last + 1, BATCHES as u64),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Cancelled),
        }
        assert_no_leftovers(&device, &session, &format!("cancelled in batch {last}"));
    }
}
