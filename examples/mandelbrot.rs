//! The Mandelbrot set: a loop with its own number of iterations in each row.
//!
//! `cargo run --release --example mandelbrot` writes `target/mandelbrot.ppm`, which picture viewers open.
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;

/// A part of the plane: its lower left corner, its width and its height.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub(crate) left: f32,
    pub(crate) bottom: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

/// The number of steps after which each point of a grid leaves the circle of radius 2, at most `steps`, line by line.
pub(crate) fn escape_times(
    session: &Session,
    part: Part,
    [columns, lines]: [u32; 2],
    steps: u32,
) -> pointsman::Result<Vec<u32>> {
    let Part { left, bottom, width, height } = part;
    let points = session.from(0..columns * lines).map(|i| {
        let real = (i % columns).cast::<f32>() * (width / columns as f32) + left;
        let imaginary = (i / columns).cast::<f32>() * (height / lines as f32) + bottom;
        let is_inside = |(a, b, _): (F32, F32, U32)| (a * a + b * b).le(4.0);
        let next = |(a, b, n): (F32, F32, U32)| (a * a - b * b + real, 2.0 * a * b + imaginary, n + 1);
        iterate(steps, (0f32, 0f32, 0u32), is_inside, next).2
    });
    points.named("mandelbrot").to_vec()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::open()?;
    let (size, steps) = ([1200, 800], 500);
    let part = Part { left: -2.2, bottom: -1.0, width: 3.0, height: 2.0 };
    let times = escape_times(&session, part, size, steps)?;
    let mut file = format!("P6 {} {} 255\n", size[0], size[1]).into_bytes();
    let colour = |time: u32| if time == steps { [0; 3] } else { [9, 5, 3].map(|speed| (time * speed % 256) as u8) };
    file.extend(times.iter().flat_map(|&time| colour(time)));
    std::fs::create_dir_all("target")?;
    std::fs::write("target/mandelbrot.ppm", file)?;
    println!("target/mandelbrot.ppm shows {} points", times.len());
    Ok(())
}
