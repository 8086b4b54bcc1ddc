//! A source that is not borrowed or known.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let _query = session.from(&["a", "b"]);
    let _ = (x, y);
}
