//! A device that rounds allocations up: all of the allocated memory counts.

use super::{LEAF_ROWS, assert_no_leftovers, cpu};
use pointsman::{Column, Session, SessionOptions};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;
use std::time::Duration;

const STEP: u64 = 256 << 10;

#[test]
fn rounded_up_allocations_count_against_the_limit() {
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
    // Resident columns count with their allocated bytes too.
    let column = Column::from(x[..LEAF_ROWS].to_vec());
    session.keep(&column, "sim").unwrap();
    let memory = session.memory().device("sim").unwrap().clone();
    assert_eq!((memory.resident_bytes, memory.info.used), (STEP, STEP), "{memory}");
    // The memory is not free until the copy has ended.
    sim.clock().advance(Duration::from_secs(1));
    drop((column, answer));
    assert_no_leftovers(&sim, &session, "rounded");
}
