//! Joining conditions with &&.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let _query = session.from((&x, &y)).filter(|(x, y)| x.gt(1.0) && y.lt(2));
}
