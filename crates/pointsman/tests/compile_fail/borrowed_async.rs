//! A query that is awaited owns what it reads.
use pointsman::Session;

fn main() {
    let session = Session::open().unwrap();
    let x = vec![1.0f32, 2.0];
    let promise = session.from(&x).map(|x| x + 1.0).run_async();
    drop(promise);
}
