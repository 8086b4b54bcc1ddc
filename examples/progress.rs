//! A query that takes a while, with a bar that shows how far it is.
//!
//! `cargo run --release --example progress`
#![allow(clippy::print_stdout)]

use indicatif::{ProgressBar, ProgressStyle};
use pointsman::prelude::*;

/// Points of the picture, on each side.
const SIDE: u32 = 1200;
/// Steps of the bar.
const STEPS: u64 = 1000;

/// How many steps a point takes to leave the Mandelbrot set, at most `steps_max`.
fn escape(point: U32, steps_max: u32) -> U32 {
    let scale = 3.0 / SIDE as f32;
    let real = (point % SIDE).cast::<f32>() * scale - 2.2;
    let imaginary = (point / SIDE).cast::<f32>() * scale - 1.5;
    let inside = |(a, b, _): (F32, F32, U32)| (a * a + b * b).le(4.0);
    let step = |(a, b, n): (F32, F32, U32)| (a * a - b * b + real, 2.0 * a * b + imaginary, n + 1);
    iterate(steps_max, (0f32, 0f32, 0u32), inside, step).2
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} % {elapsed_precise}");
    let bar = ProgressBar::new(STEPS).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let shown = bar.clone();
    let points = session.from(0..SIDE * SIDE).map(|point| escape(point, 2000));
    let points = points.on_progress(move |progress| {
        shown.set_position((progress.fraction() * STEPS as f64) as u64);
    });
    let answer = points.run()?;
    bar.finish();
    let inside = answer.options().filter(|steps| *steps == Some(2000)).count();
    println!("{inside} of {} points do not leave within 2000 steps", SIDE * SIDE);
    println!("{}", answer.receipt());
    Ok(())
}
