//! A device that rounds allocations up: all of the allocated memory counts.

use super::{LEAF_ROWS, assert_no_leftovers, cpu};
use pointsman::{Column, Options, Session};
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;
use std::time::Duration;

const STEP: u64 = 256 << 10;

#[test]
fn rounded_up_allocations_count_against_the_limit() {
    let limit = 5 * STEP;
    let sim = Arc::new(SimDevice::new(SimOptions { allocation_step: STEP, ..SimOptions::default() }));
    let options = Options { device_memory_limit: Some(limit), resident_bytes: Some(2 * STEP), ..Options::default() };
    let session = Session::builder().threads(2).device(sim.clone()).clock(Arc::new(sim.clock().clone()));
    let session = session.options(options).prefer("sim").open().unwrap();
    // Each column needs 320 KiB and gets 512 KiB: the requested bytes are below the limit, the allocated ones above.
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
