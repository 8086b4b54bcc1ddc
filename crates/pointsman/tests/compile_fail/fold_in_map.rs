//! A fold where a row is wanted, and a row where a fold is.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let _query = session.from(&x).map(|x| x.sum());
    let _other = session.from(&x).reduce(|x| x * 2.0);
}
