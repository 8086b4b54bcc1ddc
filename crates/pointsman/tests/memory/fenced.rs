//! Captured tables are on the device before any batch reads them, also where only a part of them found memory at first.

use crate::{LEAF_ROWS, cpu, floats, integers, nothing_is_left};
use pointsman::{Answer, Column, Result, Session, SessionOptions, lookup};
use pointsman_device::sim::{SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::Arc;

#[test]
fn batches_wait_for_tables_that_came_over_in_parts() {
    let (n, large, small) = (integers(40 * LEAF_ROWS), lookup(&floats(1 << 20)), lookup(&floats(100)));
    let ask = |session: &Session| -> Result<Answer<Column<f32>>> {
        let rows = session.from(&n).map(|n| {
            let place = n.abs().cast_saturating::<u32>();
            large.at(place) + small.at(place % 100)
        });
        rows.run()
    };
    // The large table takes 40 ms to come over, and a batch much less. The second table finds no memory, nor does what
    // waits for the first.
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
    assert!(answer.iter().eq(ask(&cpu()).unwrap().iter()), "a batch read a table that was not there");
    drop(answer);
    nothing_is_left(&device, &session, "tables in parts");
}
