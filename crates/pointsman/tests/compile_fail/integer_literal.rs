//! An integer literal beside floats.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let x = [1.0f32, 2.0];
    let _query = session.from(&x).map(|a| a * 2);
}
