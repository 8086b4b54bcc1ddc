//! Queries for which no batch is small enough.

use super::{LEAF_ROWS, assert_no_leftovers, cpu, floats, simulated};
use pointsman::{Answer, Column, ErrorKind, Result, Session, SessionOptions, lookup};

const MEMORY: u64 = 256 << 10;

#[test]
fn captured_table_larger_than_device_memory_runs_on_the_cpu() {
    let values = floats(100_000);
    let (table, rows) = (lookup(&values), 50 * LEAF_ROWS as u32);
    let ask = |s: &Session| -> Result<Answer<Column<f32>>> { s.from(0..rows).map(|i| table.at(i % 100_000)).run() };
    let (device, session) = simulated(MEMORY, SessionOptions::new());
    let error = session.from(0..rows).map(|i| table.at(i % 100_000)).require("sim").run().unwrap_err();
    let (needs, limit) = (400_000 + 4 * LEAF_ROWS, MEMORY - MEMORY / 16);
    let text =
        format!("out of memory: `store` over 4096 rows needs {needs} bytes of `sim`, the limit is {limit} bytes");
    assert_eq!((error.kind(), error.message()), (ErrorKind::OutOfMemory, &text[..]));
    assert_eq!((device.launches(), device.peak_bytes()), (0, 0), "the device was tried although the table cannot fit");
    let answer = ask(&session).unwrap();
    assert_eq!((answer.receipt().device(), answer.receipt().attempts()[0].message.as_str()), ("cpu", &text[..]));
    assert!(answer.iter().eq(ask(&cpu()).unwrap().iter()));
    drop(answer);
    assert_no_leftovers(&device, &session, "a captured table");
}

#[test]
fn limit_below_one_leaf_is_out_of_memory() {
    let options = SessionOptions::new().device_memory_bytes(1000);
    let (device, session) = simulated(1 << 30, options);
    let x = floats(3 * LEAF_ROWS);
    let error = session.from(&x).filter(|x| x.gt(0.0)).require("sim").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains("`compact` over 4096 rows needs 32768 bytes of `sim`, the limit is 1000 bytes"));
    assert_eq!(session.from(&x[..100]).filter(|x| x.gt(0.0)).run().unwrap().receipt().device(), "sim");
    assert_no_leftovers(&device, &session, "a limit below one leaf");
}
