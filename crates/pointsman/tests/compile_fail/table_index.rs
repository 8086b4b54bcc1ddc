//! Reading a captured table with brackets.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let table = lookup(&[1.0f32, 2.0]);
    let _query = session.from(0u32..2).map(|i| table[i]);
}
