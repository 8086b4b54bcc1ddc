//! The greater of two expressions.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let x = [1.0f32, 2.0];
    let _query = session.from((&x, &x)).map(|(a, b)| a.max(b));
}
