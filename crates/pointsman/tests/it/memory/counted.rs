//! A receipt counts every byte that was read and written for the answer once, whichever device did it.

use super::{LEAF_ROWS, integers};
use pointsman::{Session, SessionOptions};
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

/// Opens a session with two simulated devices and the CPU.
fn session(faults: Vec<SimFault>) -> ([Arc<SimDevice>; 2], Session) {
    let clock = SimClock::new();
    let device = |name: &str, faults| {
        let options = SimOptions { name: name.to_string(), clock: clock.clone(), faults, ..SimOptions::default() };
        Arc::new(SimDevice::new(options))
    };
    let devices = [device("one", faults), device("two", Vec::new())];
    let [one, two] = devices.clone();
    let session = SessionOptions::new().retry_limit(0).threads(2).share_time_min(Duration::ZERO);
    (devices, session.add_device(one).add_device(two).clock(Arc::new(clock)).open().unwrap())
}

#[test]
fn shared_queries_count_each_byte_once() {
    let n = integers(100 * LEAF_ROWS + 5);
    let bytes = (8 * n.len()) as u64;
    for (place, faults) in [
        ("one+cpu", vec![]),
        ("cpu+two", vec![]),
        ("one+two+cpu", vec![]),
        ("one+two", vec![SimFault::Transient { launch: 2 }]),
        ("one+two", vec![SimFault::Hang { launch: 1 }]),
    ] {
        let what = format!("{place} with {faults:?}");
        let (devices, session) = session(faults.clone());
        let answer = session.from(&n).map(|n| n + 1).prefer(place).run().unwrap();
        let receipt = answer.receipt();
        assert_eq!((devices[0].fired(), receipt.device()), (faults, place), "{what}: {receipt:#}");
        assert_eq!((receipt.bytes_read(), receipt.bytes_written()), (bytes, bytes), "{what}: stored");
        let answer = session.from(&n).filter(|n| n.gt(0)).prefer("two+cpu").run().unwrap();
        let (receipt, kept) = (answer.receipt(), (8 * answer.len()) as u64);
        assert_eq!((receipt.bytes_read(), receipt.bytes_written()), (bytes, kept), "{what}: kept");
    }
}
