//! No memory at the n-th allocation, for every n and every sink.

use crate::{Data, LEAF_ROWS, PLENTY, cpu, nothing_is_left, queries, simulated};
use pointsman::{FailureClass, SessionOptions};
use pointsman_device::sim::SimFault;
use std::time::Duration;

/// More than any query here makes.
const ALLOCATIONS: u64 = 1000;

#[test]
fn once() {
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
            nothing_is_left(&device, &session, &what);
            if device.fired().is_empty() {
                assert!(allocation >= 2 && receipt.batches() == receipt.stages().len(), "{what}: {receipt:#}");
                break;
            }
            assert_eq!((device.fired(), receipt.device()), (vec![fault], "sim"), "{what}: {receipt}");
            assert!(receipt.batches() > receipt.stages().len(), "{what}: {receipt:#}");
        }
    }
}

/// While batches are under way: halved again, or told.
#[test]
fn once_in_batches() {
    let (data, here) = (Data::new(7 * LEAF_ROWS + 9), cpu());
    let mut split = 0;
    for (what, ask) in queries(&data) {
        let (expected, _) = ask(&here).unwrap();
        let options = SessionOptions::new().device_memory_bytes(400 << 10);
        let (device, session) = simulated(PLENTY, options);
        let unhurt = ask(&session).unwrap().1;
        split += usize::from(unhurt.batches() > unhurt.stages().len());
        let mut fired = 0;
        for allocation in 0.. {
            device.plan_faults(vec![SimFault::OutOfMemory { allocation }]);
            let (got, receipt) = ask(&session).unwrap();
            let what = format!("{what}, allocation {allocation}");
            assert!(got == expected, "{what}: other bits");
            nothing_is_left(&device, &session, &what);
            assert!(device.peak_bytes() <= 400 << 10, "{what}: {} bytes", device.peak_bytes());
            if device.fired().is_empty() {
                assert_eq!(receipt.batches(), unhurt.batches(), "{what}");
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
fn from_then_on() {
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
            // There was no memory to wait with: copies that were under way end now, and their buffers go.
            device.clock().advance(Duration::from_secs(1));
            nothing_is_left(&device, &session, &what);
            if device.fired().is_empty() {
                break;
            }
            // Every try is one that fails, and one to wait for copies: 4 leaves are tried as 4, 2 and 1.
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
