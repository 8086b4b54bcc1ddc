//! What a session reports during and after a query, and queries that end early: progress, awaited queries, trends,
//! profiles.
#![allow(clippy::unwrap_used)]

mod executor;
mod profiles;
mod progress;
mod promises;
mod trends;

use pointsman::{Options, Session};
use pointsman_device::sim::{SimDevice, SimOptions, SimSpeed};
use std::sync::Arc;
use std::time::Duration;

/// Enough rows for many morsels.
const ROWS: usize = 2_000_000;

fn floats(rows: usize) -> Vec<f32> {
    (0..rows).map(|row| (row * 7919 % 2001) as f32 - 1000.0).collect()
}

/// Opens a session with a simulated device of this much memory, on the device's clock.
fn simulated(memory_bytes: u64, launch: Duration, options: Options) -> (Arc<SimDevice>, Session) {
    let speed = SimSpeed { launch, ..SimSpeed::default() };
    let device = Arc::new(SimDevice::new(SimOptions { memory_bytes, speed, ..SimOptions::default() }));
    let session = Session::builder().threads(2).device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.options(options).keep_receipts(100).open().unwrap())
}
