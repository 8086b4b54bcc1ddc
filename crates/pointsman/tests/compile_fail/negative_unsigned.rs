//! The negative of an unsigned number.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let _query = session.from(0u32..3).map(|n| -n);
}
