//! A device that hands out more memory than it is asked for: all of that counts.

use crate::{LEAF_ROWS, cpu, nothing_is_left};
use pointsman::{Column, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;
use std::time::Duration;

const STEP: u64 = 256 << 10;

#[test]
fn what_a_device_rounds_up_counts() {
    let limit = 5 * STEP;
    let sim = Arc::new(SimDevice::new(SimOptions { allocation_step: STEP, ..SimOptions::default() }));
    let options = SessionOptions::new().device_memory_bytes(limit).resident_bytes(2 * STEP);
    let session = options.threads(2).add_device(sim.clone()).clock(Arc::new(sim.clock().clone()));
    let session = session.prefer("sim").open().unwrap();
    // Each takes 320 KiB, and the device hands out 512 KiB for it: asked for is less than the limit, handed out is more.
    let x: Vec<f64> = (0..10 * LEAF_ROWS).map(|i| i as f64).collect();
    let ask = |session: &Session| session.from((&x, &x)).map(|(a, b)| a + 2.0 * b).run().unwrap();
    let answer = ask(&session);
    assert_eq!((answer.receipt().device(), answer.to_vec()), ("sim", ask(&cpu()).to_vec()));
    assert!(sim.peak_bytes() > 0 && sim.peak_bytes() <= limit, "{} of {limit}", sim.peak_bytes());
    // Columns that stay are counted so too.
    let column = Column::from(x[..LEAF_ROWS].to_vec());
    session.keep(&column, "sim").unwrap();
    let told = session.memory().device("sim").unwrap().clone();
    assert_eq!((told.resident_bytes, told.info.used), (STEP, STEP), "{told}");
    // Until its copy is over, the memory is not free.
    sim.clock().advance(Duration::from_secs(1));
    drop((column, answer));
    nothing_is_left(&sim, &session, "rounded");
}
