//! A histogram of many values beside their sum and variance, with the time of each, checked against plain Rust.
//!
//! `cargo run --release -p pointsman-bench --bin folds [ROWS] [BINS]`
#![allow(clippy::print_stdout)]

use pointsman::{Column, Result, SessionOptions};
use std::time::Instant;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("ROWS and BINS are numbers"));
    let rows: usize = arguments.next().unwrap_or(1_000_000);
    let bins: usize = arguments.next().unwrap_or(256);
    let s = SessionOptions::new().open()?;
    let x: Column<f32> =
        s.from(0u64..rows as u64).map(|i| (i * 2_654_435_761 % 1_000_003).cast::<f32>() / 1_000_003.0).collect()?;
    let mut expected = vec![0u64; bins];
    for x in &x[..] {
        expected[((f64::from(*x) * bins as f64) as usize).min(bins - 1)] += 1;
    }
    let (mut sum, mut histogram, mut variance) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..7 {
        let start = Instant::now();
        s.from(&x).require("cpu").sum()?;
        sum = sum.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let found = s.from(&x).require("cpu").histogram(0.0..1.0, bins)?;
        histogram = histogram.min(start.elapsed().as_secs_f64());
        assert_eq!(found.counts(), expected);
        let start = Instant::now();
        s.from(&x).require("cpu").reduce(|x| x.variance())?;
        variance = variance.min(start.elapsed().as_secs_f64());
    }
    let line = |name: &str, seconds: f64| {
        let speed = 4e-9 * rows as f64 / seconds;
        println!(
            "{name:<12}{:9.2} ms{speed:8.2} GB/s{:7.0} % of the sum's speed",
            seconds * 1e3,
            100.0 * sum / seconds
        );
    };
    line("sum", sum);
    line("histogram", histogram);
    line("variance", variance);
    Ok(())
}
