//! What no batch is small enough for.

use crate::{LEAF_ROWS, cpu, floats, nothing_is_left, simulated};
use pointsman::{Answer, Column, ErrorKind, Result, Session, SessionOptions, lookup};

const MEMORY: u64 = 256 << 10;

#[test]
fn a_captured_table_larger_than_the_memory() {
    let values = floats(100_000);
    let (table, rows) = (lookup(&values), 50 * LEAF_ROWS as u32);
    let ask = |s: &Session| -> Result<Answer<Column<f32>>> { s.from(0..rows).map(|i| table.at(i % 100_000)).run() };
    let (device, session) = simulated(MEMORY, SessionOptions::new());
    let error = session.from(0..rows).map(|i| table.at(i % 100_000)).require("sim").run().unwrap_err();
    let (needs, limit) = (400_000 + 4 * LEAF_ROWS, MEMORY - MEMORY / 16);
    let text =
        format!("out of memory: `store` over 4096 rows needs {needs} bytes of `sim`, the limit is {limit} bytes");
    assert_eq!((error.kind(), error.message()), (ErrorKind::OutOfMemory, &text[..]));
    assert_eq!((device.launches(), device.peak_bytes()), (0, 0), "it was tried, although it cannot fit");
    let answer = ask(&session).unwrap();
    assert_eq!((answer.receipt().device(), answer.receipt().attempts()[0].message.as_str()), ("cpu", &text[..]));
    assert!(answer.iter().eq(ask(&cpu()).unwrap().iter()));
    drop(answer);
    nothing_is_left(&device, &session, "a captured table");
}

#[test]
fn a_limit_below_one_leaf() {
    let options = SessionOptions::new().device_memory_bytes(1000);
    let (device, session) = simulated(1 << 30, options);
    let x = floats(3 * LEAF_ROWS);
    let error = session.from(&x).filter(|x| x.gt(0.0)).require("sim").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    assert!(error.message().contains("`compact` over 4096 rows needs 32768 bytes of `sim`, the limit is 1000 bytes"));
    assert_eq!(session.from(&x[..100]).filter(|x| x.gt(0.0)).run().unwrap().receipt().device(), "sim");
    nothing_is_left(&device, &session, "a limit below one leaf");
}
