//! Queries on devices that fail, hang or are busy: the caller's result, the receipt, and that each injected failure
//! happened. All on virtual time.
#![allow(clippy::unwrap_used)]

mod blocking_device;
mod breakers;
#[cfg(feature = "calls")]
mod calls;
mod compile;
mod crowd;
mod hang;
mod lost;
mod observable_clock;
#[cfg(feature = "wgpu")]
mod portable_gpu;
mod residue;
mod storm;
mod transient;
mod verification;

use pointsman::{Answer, Column, FailureClass, Receipt, Result, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// A session that prefers a simulated device with these failures to come, and goes by its clock.
fn simulated(faults: Vec<SimFault>, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.prefer("sim").open().unwrap())
}

fn numbers() -> Vec<i64> {
    (0..5000).map(|i| i * 7919 % 2001 - 1000).collect()
}

/// Adds `plus` to all numbers and keeps the positive ones. Every `plus` runs the same kernel.
fn ask(session: &Session, plus: i64) -> Result<Answer<Column<i64>>> {
    session.from(&numbers()).map(|n| n + plus).filter(|n| n.gt(0)).run()
}

/// Checks that every row is in the answer once, in order.
fn assert_right(answer: &Answer<Column<i64>>, plus: i64) {
    let expected = numbers().into_iter().map(|n| n + plus).filter(|n| *n > 0);
    assert!(answer.iter().copied().eq(expected), "rows were lost, doubled or changed: {}", answer.receipt());
}

/// Returns the classes of the failed attempts.
fn classes(receipt: &Receipt) -> Vec<FailureClass> {
    receipt.attempts().iter().map(|attempt| attempt.class).collect()
}
