//! Queries that several devices share: the same bits, all of them busy to the end, and every row done once whoever
//! fails. On simulated devices that go by one clock.
#![allow(clippy::unwrap_used)]

mod conflicts;
mod failing;
mod hang_while_sharing;
mod shares;
mod sinks;
mod strategies;
mod verification;

use pointsman::{Device, Receipt, Session, SessionOptions};
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

/// A leaf: what batches are multiples of.
const LEAF_ROWS: usize = 4096;

/// A device on which a leaf of eight bytes a row runs for so long; its copies take half of that.
fn device(name: &str, clock: &SimClock, leaf: Duration, faults: Vec<SimFault>) -> Arc<SimDevice> {
    let rate = (8 * LEAF_ROWS) as f64 / leaf.as_secs_f64();
    let (launch, copy) = (Duration::from_micros(5), Duration::from_micros(10));
    let (link_bytes_per_second, memory_bytes_per_second) = (2.0 * rate, rate);
    let (compile, ops_per_second) = (Duration::ZERO, f64::INFINITY);
    let speed = SimSpeed { compile, launch, copy, link_bytes_per_second, memory_bytes_per_second, ops_per_second };
    let options = SimOptions { name: name.to_string(), clock: clock.clone(), speed, faults, ..SimOptions::default() };
    Arc::new(SimDevice::new(options))
}

/// Two devices, one three times as fast as the other, and a session with both, in which they share every query.
fn pair(faults: [Vec<SimFault>; 2], options: SessionOptions) -> ([Arc<SimDevice>; 2], Session) {
    let clock = SimClock::new();
    let [first, second] = faults;
    let fast = device("fast", &clock, Duration::from_millis(1), first);
    let slow = device("slow", &clock, Duration::from_millis(3), second);
    let session = options.threads(2).share_time_min(Duration::ZERO).clock(Arc::new(clock));
    let session = session.add_device(fast.clone()).add_device(slow.clone());
    ([fast, slow], session.open().unwrap())
}

fn cpu() -> Session {
    SessionOptions::new().threads(2).open().unwrap()
}

fn column(leaves: usize) -> Vec<f64> {
    (0..leaves * LEAF_ROWS - 77).map(|i| (i * 7919 % 20_011) as f64 / 7.0 - 1000.0).collect()
}

/// What each device did, and that all of it is the whole.
fn rows_of(receipt: &Receipt, rows: usize) -> Vec<(String, usize)> {
    let shares = receipt.shares().iter().map(|share| (share.device.clone(), share.rows)).collect::<Vec<_>>();
    assert_eq!(shares.iter().map(|(_, rows)| rows).sum::<usize>(), rows, "{receipt:#}");
    shares
}

/// Checks that neither a device nor the host holds anything of a query.
fn nothing_is_left(devices: &[Arc<SimDevice>], session: &Session, what: &str) {
    for device in devices {
        let (name, memory) = (&device.info().name, device.memory());
        assert_eq!((memory.used, device.buffers()), (0, 0), "{what}: bytes and buffers of {name}");
    }
    assert_eq!(session.memory().host.outstanding_bytes, 0, "{what}: bytes of results");
}
