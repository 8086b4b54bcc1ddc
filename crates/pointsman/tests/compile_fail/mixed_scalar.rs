//! A scalar of another type.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let factor = 2.0f64;
    let _query = session.from(&x).map(|x| x * factor);
    let _other = session.from(&y).map(|y| y + 1.5);
}
