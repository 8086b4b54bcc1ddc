//! A timestamp of another unit.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let times = pointsman::arrow::array::TimestampNanosecondArray::from(vec![1, 2]);
    let _query = session.from(&times);
}
