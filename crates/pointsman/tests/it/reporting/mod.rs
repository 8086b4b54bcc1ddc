//! What a session reports during and after a query, and queries that end early: progress, awaited queries, trends,
//! profiles.
#![allow(clippy::unwrap_used)]

pub(crate) mod executor;
mod profiles;
mod progress;
mod promises;
mod trends;

use pointsman::{Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

/// Enough rows for many morsels.
const ROWS: usize = 2_000_000;

fn floats(rows: usize) -> Vec<f32> {
    (0..rows).map(|row| (row * 7919 % 2001) as f32 - 1000.0).collect()
}

/// A simulated device with `memory_bytes` of memory, and a session that uses its clock and does not require it.
fn simulated(memory_bytes: u64, launch: Duration, options: SessionOptions) -> (Arc<SimDevice>, Session) {
    let speed = SimSpeed { launch, ..SimSpeed::default() };
    let device = Arc::new(SimDevice::new(SimOptions { memory_bytes, speed, ..SimOptions::default() }));
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.keep_receipts(100).open().unwrap())
}
