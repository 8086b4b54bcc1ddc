//! Many queries of one session share a device's memory: the limit holds for all of them together, and they wait in
//! order.

use super::{Data, LEAF_ROWS, PLENTY, cpu, keeping, queries};
use pointsman::{Column, FailureClass, Receipt, Session, SessionOptions};
use pointsman_device::sim::SimFault;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const THREADS: usize = 64;
const ROUNDS: usize = 3;
const LIMIT: u64 = 700 << 10;

/// From a part of a leaf to more leaves than fit into the limit.
const LEAVES: [usize; 4] = [0, 2, 6, 24];

/// Counts over all queries.
#[derive(Default)]
struct Count {
    waited: AtomicUsize,
    split: AtomicUsize,
    on_cpu: AtomicUsize,
    without_upload: AtomicUsize,
}

#[test]
fn memory_limit_holds_for_sixty_four_threads() {
    let options = SessionOptions::new().device_memory_bytes(LIMIT).device_concurrency(6).queue_limit(40);
    let (device, session) = keeping(PLENTY, options);
    let data: Vec<Data> = LEAVES.iter().map(|leaves| Data::new(leaves * LEAF_ROWS + 100)).collect();
    let columns: Vec<Column<f32>> = data.iter().map(|data| Column::from(data.x.clone())).collect();
    let here = cpu();
    let expected: Vec<Vec<String>> =
        data.iter().map(|data| queries(data).iter().map(|(_, ask)| ask(&here).unwrap().0).collect()).collect();
    let sums: Vec<u32> = columns.iter().map(|column| here.from(column).sum().unwrap().to_bits()).collect();
    let count = Count::default();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (session, data, columns, expected, sums, count) = (&session, &data, &columns, &expected, &sums, &count);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let size = (thread + round) % data.len();
                    let asks = queries(&data[size]);
                    let number = (7 * thread + round) % asks.len();
                    let (got, receipt) = (asks[number].1)(session).unwrap();
                    assert!(
                        got == expected[size][number],
                        "{} over {} leaves: {receipt:#}",
                        asks[number].0,
                        LEAVES[size]
                    );
                    count.add(&receipt);
                    let answer = session.from(&columns[size]).folds(|x| x.sum()).run().unwrap();
                    assert_eq!(answer.to_bits(), sums[size], "{:#}", answer.receipt());
                    count.add(answer.receipt());
                    let is_resident = answer.receipt().device() == "sim" && answer.receipt().bytes_moved_in() == 0;
                    count.without_upload.fetch_add(usize::from(is_resident), Ordering::Relaxed);
                }
            });
        }
    });
    let memory = session.memory().device("sim").unwrap().clone();
    let [waited, split, on_cpu, without_upload] =
        [count.waited, count.split, count.on_cpu, count.without_upload].map(AtomicUsize::into_inner);
    assert!(device.peak_bytes() <= LIMIT, "{} bytes at most: {memory}", device.peak_bytes());
    assert_eq!(
        (memory.overtaken_max, memory.waiting_queries, memory.running_queries, memory.reserved_bytes),
        (0, 0, 0, 0),
        "{memory}"
    );
    assert!(waited > 0 && memory.waits >= waited as u64, "{waited} of {} waits were reported", memory.waits);
    assert!(split > 0 && without_upload > 0 && on_cpu < THREADS * ROUNDS, "{split}, {without_upload}, {on_cpu}");
    drop((columns, data));
    assert_eq!((device.buffers(), session.memory().host.outstanding_bytes), (0, 0), "nothing is left");
}

impl Count {
    fn add(&self, receipt: &Receipt) {
        let add = |count: &AtomicUsize, is: bool| count.fetch_add(usize::from(is), Ordering::Relaxed);
        add(&self.waited, receipt.waited_for_memory());
        add(&self.split, receipt.device() == "sim" && receipt.batches() > receipt.stages().len());
        // Only a full queue moves a query to another device.
        assert!(receipt.attempts().iter().all(|attempt| attempt.class == FailureClass::Refused), "{receipt:#}");
        add(&self.on_cpu, receipt.device() == "cpu");
    }
}

/// Two queries that fit alone but not together: the second waits although the device itself has room for both.
#[test]
fn memory_limit_covers_all_queries_together() {
    let rows = 8 * LEAF_ROWS;
    let limit = 3 * 4 * rows as u64;
    let options = SessionOptions::new().device_memory_bytes(limit).resident_bytes(0);
    let (device, session) = keeping(PLENTY, options);
    let x = super::floats(rows);
    let ask = |session: &Session| {
        let answer = session.from(&x).map(|x| x * 2.0).run().unwrap();
        assert!(answer.iter().copied().zip(&x).all(|(got, x)| got == x * 2.0));
        (answer.receipt().batches(), answer.receipt().waited_for_memory())
    };
    let waited = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| (0..20).filter(|_| ask(&session).1).count())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert!(waited > 0 && ask(&session) == (1, false), "{waited} waited");
    assert!(device.peak_bytes() <= limit, "{} bytes", device.peak_bytes());
    drop(x);
    assert_eq!(session.memory().device("sim").unwrap().waits, waited as u64);
    assert_eq!(device.buffers(), 0);
}

/// Memory that hung work holds is not available, so it counts against the limit.
#[test]
fn memory_of_hung_work_counts_against_the_limit() {
    let limit = 600 << 10;
    let options = SessionOptions::new().device_memory_bytes(limit).launch_timeout(Duration::from_secs(1));
    let (device, session) = keeping(PLENTY, options);
    let x = super::floats(8 * LEAF_ROWS);
    let fault = SimFault::Hang { launch: 0 };
    device.plan_faults(vec![fault]);
    assert_eq!(session.from(&x).map(|x| x + 1.0).run().unwrap().receipt().device(), "cpu");
    assert_eq!(device.fired(), [fault]);
    let zombie = session.memory().device("sim").unwrap().info.zombie;
    assert_eq!(zombie, 2 * 4 * 8 * LEAF_ROWS as u64);
    // By then the breaker admits a probe.
    device.clock().advance(Duration::from_secs(3600));
    let y = super::floats(16 * LEAF_ROWS);
    let answer = session.from(&y).map(|y| y + 1.0).run().unwrap();
    assert!(answer.receipt().device() == "sim" && answer.receipt().batches() > 1, "{:#}", answer.receipt());
    assert!(device.peak_bytes() <= limit, "{} bytes", device.peak_bytes());
    device.recover();
    let answer = session.from(&y).map(|y| y + 1.0).run().unwrap();
    assert_eq!(answer.receipt().batches(), 1, "the memory was released: {:#}", answer.receipt());
    drop(answer);
    assert_eq!((device.buffers(), session.memory().device("sim").unwrap().info.zombie), (0, 0));
}
