//! A histogram of random numbers, drawn with text.
//!
//! `cargo run --release --example histogram`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// How many values lie in each of `bins` parts of the interval from `low` to `high`, and how many outside of it.
pub(crate) fn histogram(
    session: &Session,
    x: &Column<f32>,
    [low, high]: [f64; 2],
    bins: usize,
) -> pointsman::Result<(Vec<u64>, u64)> {
    let histogram = session.from(x).histogram(low..high, bins)?;
    Ok((histogram.counts().to_vec(), histogram.below() + histogram.above()))
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let x = session.from(random::normal::<f32>(1, 1_000_000)).collect()?;
    let (counts, outside) = histogram(&session, &x, [-3.5, 3.5], 28)?;
    let most = counts.iter().max().copied().unwrap_or(1).max(1);
    for (bin, count) in counts.iter().enumerate() {
        let low = bin as f64 / 4.0 - 3.5;
        println!("{low:>6.2} {} {count}", "█".repeat((count * 60 / most) as usize));
    }
    println!("{outside} outside");
    Ok(())
}
