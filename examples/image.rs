//! Edges of a picture: each pixel reads its eight neighbours from a look-up table.
//!
//! `cargo run --release --example image` writes `target/edges.pgm`, which picture viewers open.
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;

/// A picture in shades of grey, line by line.
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Column<u8>,
}

/// The strength of the edge at each pixel (Sobel's operator); pixels beyond the border are those on it.
pub(crate) fn edges(session: &Session, picture: &Picture) -> pointsman::Result<Column<u8>> {
    let (width, height) = (picture.width, picture.height);
    // The column itself is the table: nothing is copied.
    let pixels = Lookup::of(&picture.pixels)?;
    let strengths = session.from(0..width * height).map(|i| {
        let (x, y) = ((i % width).cast::<i32>(), (i / width).cast::<i32>());
        let pixel = |dx: i32, dy: i32| {
            let clamped = |value: I32, end: u32| value.greatest(0).least(end as i32 - 1);
            let place = clamped(y + dy, height) * width as i32 + clamped(x + dx, width);
            pixels.at(place.cast_saturating::<u32>()).cast::<i32>()
        };
        let sum = |a: I32, b: I32, c: I32| a + b * 2 + c;
        let across = sum(pixel(1, -1), pixel(1, 0), pixel(1, 1)) - sum(pixel(-1, -1), pixel(-1, 0), pixel(-1, 1));
        let down = sum(pixel(-1, 1), pixel(0, 1), pixel(1, 1)) - sum(pixel(-1, -1), pixel(0, -1), pixel(1, -1));
        (across * across + down * down).cast::<f32>().sqrt().least(255.0).cast_saturating::<u8>()
    });
    strengths.named("edges").collect()
}

/// A disc on a slope.
pub(crate) fn sample(session: &Session, width: u32, height: u32) -> pointsman::Result<Picture> {
    let pixels = session.from(0..width * height).map(|i| {
        let (x, y) = (i % width, i / width);
        let from_centre = |at: U32, size: u32| at.cast::<f32>() - size as f32 / 2.0;
        let (dx, dy) = (from_centre(x, width), from_centre(y, height));
        let is_inside = (dx * dx + dy * dy).lt((height * height) as f32 / 9.0);
        select(is_inside, 230u32, x * 120 / width).cast_saturating::<u8>()
    });
    Ok(Picture { width, height, pixels: pixels.collect()? })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::open()?;
    let picture = sample(&session, 1200, 800)?;
    let edges = edges(&session, &picture)?;
    let mut file = format!("P5 {} {} 255\n", picture.width, picture.height).into_bytes();
    file.extend(&edges);
    std::fs::create_dir_all("target")?;
    std::fs::write("target/edges.pgm", file)?;
    println!("target/edges.pgm shows the edges of a disc");
    Ok(())
}
