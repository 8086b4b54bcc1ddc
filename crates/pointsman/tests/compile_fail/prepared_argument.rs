//! Arguments of a prepared closure that are neither columns nor parameters.
use pointsman::prelude::*;

fn main() {
    let session = Session::open().unwrap();
    let _scaled = session.prepare(|x: f32, k: f32| x * k);
    let _column = session.prepare(|x: &[f32]| x[0]);
}
