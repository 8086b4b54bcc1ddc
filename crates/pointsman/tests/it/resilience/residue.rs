//! Poisoned memory: no output contains a byte that was not written, neither in null slots nor in the padding of a
//! bitmap.

use arrow_array::{Array, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, UInt8Array};
use pointsman::{Column, Columns, Session, SessionOptions};
use pointsman_device::convert::POISON;
use pointsman_device::sim::{SimDevice, SimOptions};
use std::sync::Arc;

/// Two leaves and a part of a third; the last byte of a bitmap is partial too.
const ROWS: usize = 2 * 4096 + 77;

/// Returns the value of a row, so small that no sum contains a byte of poison. Every third value is null.
fn value(row: usize) -> Option<i64> {
    (row % 3 != 1).then_some(i64::from(row.is_multiple_of(211)))
}

/// Returns columns of several types, all with nulls.
fn batch() -> RecordBatch {
    let all = || (0..ROWS).map(value);
    let columns: [(&str, Arc<dyn Array>); 5] = [
        ("i64", Arc::new(all().collect::<Int64Array>())),
        ("i32", Arc::new(all().map(|n| n.map(|n| n as i32)).collect::<Int32Array>())),
        ("u8", Arc::new(all().map(|n| n.map(|n| n as u8)).collect::<UInt8Array>())),
        ("f64", Arc::new(all().map(|n| n.map(|n| n as f64)).collect::<Float64Array>())),
        ("bool", Arc::new(all().map(|n| n.map(|n| n == 1)).collect::<BooleanArray>())),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

/// Returns all bytes of an array: values, null slots, and bitmaps with their padding. Checks that null slots and
/// padding are zero, as the contract says.
fn bytes(array: &dyn Array) -> Vec<u8> {
    let data = array.to_data();
    let values = data.buffers()[0].as_slice();
    let bitmap = data.nulls().map_or(&[][..], |nulls| nulls.buffer().as_slice());
    let tail = bitmap.last().map_or(0, |last| last >> (array.len() % 8));
    assert!(array.len().is_multiple_of(8) || tail == 0, "bits behind the last row: {tail:b}");
    let width = values.len() / array.len().max(1);
    let slot = |row: usize| &values[row * width..][..width];
    assert!((0..array.len()).filter(|&row| array.is_null(row)).all(|row| slot(row).iter().all(|&byte| byte == 0)));
    [values, bitmap].concat()
}

fn store(session: &Session, batch: &RecordBatch) -> Vec<u8> {
    let map = |row: Columns| {
        let (a, b) = (row.col::<i64>("i64") + 1, row.col::<i32>("i32"));
        (a, b, row.col::<f64>("f64") * 2.0, row.col::<bool>("bool"))
    };
    let answer = session.from(batch).map(map).run().unwrap();
    let (a, b, c, d) = &*answer;
    let d: Vec<u8> = d.options().map(|d| d.map_or(2, u8::from)).chain(d.to_vec().into_iter().map(u8::from)).collect();
    [bytes(&a.to_arrow()), bytes(&b.to_arrow()), bytes(&c.to_arrow()), d].concat()
}

fn compact(session: &Session, batch: &RecordBatch) -> Vec<u8> {
    let answer = session.from(batch).filter(|row| !row.col::<i64>("i64").is_null()).run().unwrap();
    let rest = session.from(batch).filter(|row| row.col::<i64>("i64").is_null()).run().unwrap();
    answer.columns().iter().chain(rest.columns()).flat_map(|column| bytes(column)).collect()
}

fn reduce(session: &Session, batch: &RecordBatch) -> Vec<u8> {
    let sums = session.from(batch).folds(|row| (row.col::<i64>("i64").sum(), row.col::<f64>("f64").max())).run();
    let none = session.from(batch).filter(|row| row.col::<i64>("i64").gt(1)).folds(|row| row.col::<f64>("f64").min());
    format!("{:?} {:?}", *sums.unwrap(), *none.run().unwrap()).into_bytes()
}

fn scan(session: &Session, batch: &RecordBatch) -> Vec<u8> {
    let ints: Column<i64> =
        session.from(batch).scan(|row| row.col::<i64>("i64").running_sum()).run().unwrap().into_value();
    let floats = session.from(batch).scan(|row| row.col::<f64>("f64").running_max()).run().unwrap().into_value();
    [bytes(&ints.to_arrow()), bytes(&floats.to_arrow())].concat()
}

#[test]
fn no_output_contains_an_unwritten_byte() {
    type Ask = fn(&Session, &RecordBatch) -> Vec<u8>;
    let asks: [(&str, Ask); 4] = [("store", store), ("compact", compact), ("reduce", reduce), ("scan", scan)];
    let (batch, clean) = (batch(), SessionOptions::new().threads(1).open().unwrap());
    for device in ["cpu", "sim"] {
        let sim = Arc::new(SimDevice::new(SimOptions::default()));
        let builder = SessionOptions::new().threads(2).add_device(sim).prefer(device);
        let session = builder.poison_memory(true).open().unwrap();
        for (sink, ask) in asks {
            let expected = ask(&clean, &batch);
            assert!(!expected.contains(&POISON), "the numbers of {sink} look like poison");
            for round in 0..3 {
                assert!(ask(&session, &batch) == expected, "{sink} on {device}, round {round}");
            }
        }
        let memory = session.memory().host;
        assert!(memory.allocated > 0 && memory.reused > 0, "fresh and used memory were both handed out: {memory:?}");
    }
}
