//! The device runs out of memory at the n-th allocation, for every n and every sink.

use super::{Data, LEAF_ROWS, PLENTY, assert_no_leftovers, cpu, queries, simulated};
use pointsman::{FailureClass, SessionOptions};
use pointsman_device::sim::SimFault;
use std::time::Duration;

/// More allocations than any query here makes.
const ALLOCATIONS: u64 = 1000;

#[test]
fn one_failed_allocation_is_recovered_in_batches() {
    let (data, here) = (Data::new(3 * LEAF_ROWS + 9), cpu());
    for (what, ask) in queries(&data) {
        let (expected, _) = ask(&here).unwrap();
        let (device, session) = simulated(PLENTY, SessionOptions::new());
        for allocation in 0.. {
            let fault = SimFault::OutOfMemory { allocation };
            device.plan_faults(vec![fault]);
            let (got, receipt) = ask(&session).unwrap();
            let what = format!("{what}, allocation {allocation}");
            assert!(got == expected, "{what}: other bits");
            assert_no_leftovers(&device, &session, &what);
            if device.fired().is_empty() {
                assert!(allocation >= 2 && receipt.batches() == receipt.stages().len(), "{what}: {receipt:#}");
                break;
            }
            assert_eq!((device.fired(), receipt.device()), (vec![fault], "sim"), "{what}: {receipt}");
            assert!(receipt.batches() > receipt.stages().len(), "{what}: {receipt:#}");
        }
    }
}

/// Batches that run out of memory are halved, or the query falls back.
#[test]
fn one_failed_allocation_while_batching_is_recovered() {
    let (data, here) = (Data::new(7 * LEAF_ROWS + 9), cpu());
    let mut split = 0;
    for (what, ask) in queries(&data) {
        let (expected, _) = ask(&here).unwrap();
        let options = SessionOptions::new().device_memory_bytes(400 << 10);
        let (device, session) = simulated(PLENTY, options);
        let undisturbed = ask(&session).unwrap().1;
        split += usize::from(undisturbed.batches() > undisturbed.stages().len());
        let mut fired = 0;
        for allocation in 0.. {
            device.plan_faults(vec![SimFault::OutOfMemory { allocation }]);
            let (got, receipt) = ask(&session).unwrap();
            let what = format!("{what}, allocation {allocation}");
            assert!(got == expected, "{what}: other bits");
            assert_no_leftovers(&device, &session, &what);
            assert!(device.peak_bytes() <= 400 << 10, "{what}: {} bytes", device.peak_bytes());
            if device.fired().is_empty() {
                assert_eq!(receipt.batches(), undisturbed.batches(), "{what}");
                break;
            }
            fired += 1;
            assert_eq!(receipt.device(), "sim", "{what}: {receipt}");
        }
        assert!(fired > 2, "{what}: {fired} failures");
    }
    assert!(split > queries(&data).len() / 2, "{split} queries ran in batches");
}

#[test]
fn failing_all_later_allocations_falls_back_to_the_cpu() {
    let (data, here) = (Data::new(3 * LEAF_ROWS + 9), cpu());
    for (what, ask) in queries(&data) {
        let (expected, _) = ask(&here).unwrap();
        let (device, session) = simulated(PLENTY, SessionOptions::new());
        for first in 0.. {
            let faults = (first..first + ALLOCATIONS).map(|allocation| SimFault::OutOfMemory { allocation });
            device.plan_faults(faults.collect());
            let (got, receipt) = ask(&session).unwrap();
            let what = format!("{what}, allocation {first} and all later ones");
            assert!(got == expected, "{what}: other bits");
            // Without memory the query could not wait for its copies: they end now, and their buffers are freed.
            device.clock().advance(Duration::from_secs(1));
            assert_no_leftovers(&device, &session, &what);
            if device.fired().is_empty() {
                break;
            }
            // Each attempt fails in one allocation, and in one to wait for copies: 4 leaves are tried as 4, 2 and 1.
            assert!(device.fired().len() <= 2 * 3, "{what}: {} failures", device.fired().len());
            assert_eq!((receipt.device(), receipt.attempts().len()), ("cpu", 1), "{what}: {receipt}");
            let attempt = &receipt.attempts()[0];
            assert_eq!(attempt.class, FailureClass::OutOfMemory, "{what}: {attempt}");
            let parts =
                ["out of memory: `", "` over ", " rows needs ", " bytes of `sim`, the limit is ", "told to fail"];
            assert!(parts.iter().all(|part| attempt.message.contains(part)), "{what}: {attempt}");
        }
    }
}
