//! Comparing expressions with an operator.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let (x, y) = ([1.0f32, 2.0], [1i64, 2]);
    let _query = session.from((&x, &x)).filter(|(a, b)| a > b);
    let _other = session.from(&y).filter(|y| y == 1);
}
