//! A histogram: each row becomes the number of its bin, and equal numbers are counted.
//!
//! `cargo run --release --example histogram`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// How many values lie in each of `bins` parts of the interval from `low` to `high`; others are not counted.
pub(crate) fn histogram(
    session: &Session,
    x: &Column<f32>,
    low: f32,
    high: f32,
    bins: u32,
) -> pointsman::Result<Vec<u64>> {
    let inside = session.from(x).filter(|x| x.ge(low) & x.lt(high));
    let numbers = inside.map(|x| ((x - low) * (bins as f32 / (high - low))).cast_saturating::<u32>().least(bins - 1));
    let (numbers, counts) = numbers.group_by(|bin| bin).agg(|_| count()).named("histogram").to_vec()?;
    let mut all = vec![0; bins as usize];
    numbers.iter().zip(&counts).for_each(|(bin, count)| all[*bin as usize] = *count);
    Ok(all)
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let x = session.from(random::normal::<f32>(1, 1_000_000)).collect()?;
    let counts = histogram(&session, &x, -3.5, 3.5, 28)?;
    let most = counts.iter().max().copied().unwrap_or(1).max(1);
    for (bin, count) in counts.iter().enumerate() {
        let low = bin as f32 / 4.0 - 3.5;
        println!("{low:>6.2} {} {count}", "█".repeat((count * 60 / most) as usize));
    }
    Ok(())
}
