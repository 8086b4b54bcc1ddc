//! Captured tables are on the device before any batch reads them, even if only some of them found memory at first.

use super::{LEAF_ROWS, assert_no_leftovers, cpu, floats, integers};
use pointsman::{Answer, Column, Result, Session, SessionOptions, lookup};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;

#[test]
fn batches_wait_for_tables_uploaded_in_parts() {
    let (n, large, small) = (integers(40 * LEAF_ROWS), lookup(&floats(1 << 20)), lookup(&floats(100)));
    let ask = |session: &Session| -> Result<Answer<Column<f32>>> {
        let rows = session.from(&n).map(|n| {
            let place = n.abs().cast_saturating::<u32>();
            large.at(place) + small.at(place % 100)
        });
        rows.run()
    };
    // The upload of the large table takes 40 ms, and a batch much less. The second table finds no memory, nor does the
    // buffer with which the first is waited for.
    let faults = vec![SimFault::OutOfMemory { allocation: 1 }, SimFault::OutOfMemory { allocation: 2 }];
    let speed = SimSpeed { link_bytes_per_second: 1e8, ..SimSpeed::default() };
    let sim = SimOptions { speed, faults: faults.clone(), copies_in_at_once: true, ..SimOptions::default() };
    let device = Arc::new(SimDevice::new(sim));
    let options = SessionOptions::new().device_memory_bytes(5 << 20).resident_bytes(0);
    let session = options.threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    let session = session.prefer("sim").open().unwrap();
    let answer = ask(&session).unwrap();
    assert_eq!((device.fired(), answer.receipt().device()), (faults, "sim"), "{:#}", answer.receipt());
    assert!(answer.receipt().batches() > 1 && answer.receipt().attempts().is_empty(), "{:#}", answer.receipt());
    assert!(answer.iter().eq(ask(&cpu()).unwrap().iter()), "a batch read a table before its upload ended");
    drop(answer);
    assert_no_leftovers(&device, &session, "tables in parts");
}
