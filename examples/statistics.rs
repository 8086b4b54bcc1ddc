//! Descriptive statistics of two columns in one pass over the data each: moments, quantiles, correlation and a line of
//! best fit.
//!
//! `cargo run --release --example statistics`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// A summary of a column.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) values: u64,
    pub(crate) mean: f64,
    pub(crate) deviation: f64,
    pub(crate) quartiles: [f64; 3],
}

/// The summary of a column; `None` if it has fewer than two values.
pub(crate) fn summary(session: &Session, x: &Column<f64>) -> pointsman::Result<Option<Summary>> {
    let (values, mean, quartiles) =
        session.from(x).reduce(|x| (x.count(), x.mean(), [0.25, 0.5, 0.75].map(|part| x.quantile(part))))?;
    let ([Some(low), Some(middle), Some(high)], Some(mean)) = (quartiles, mean) else { return Ok(None) };
    // The deviations from the mean are summed, not the squares: nothing cancels.
    let squares = session.from(x).map(|x| (x - mean) * (x - mean)).sum()?;
    let deviation = (squares / (values as f64 - 1.0)).sqrt();
    Ok((values > 1).then_some(Summary { values, mean, deviation, quartiles: [low, middle, high] }))
}

/// The slope and the constant of the line that fits best (least squares).
pub(crate) fn line(session: &Session, x: &Column<f64>, y: &Column<f64>) -> pointsman::Result<Option<(f64, f64)>> {
    let (Some(mean_x), Some(mean_y)) = session.from((x, y)).reduce(|(x, y)| (x.mean(), y.mean()))? else {
        return Ok(None);
    };
    let centred = session.from((x, y)).map(|(x, y)| (x - mean_x, y - mean_y));
    let (products, squares) = centred.reduce(|(x, y)| ((x * y).sum(), (x * x).sum()))?;
    Ok((squares > 0.0).then(|| (products / squares, mean_y - products / squares * mean_x)))
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let rows = 1_000_000;
    // Values near 10^9, where the difference of mean squares would be wrong.
    let x = session.from(random::normal::<f64>(1, rows)).map(|x| x * 500.0 + 1e9).collect()?;
    let noise = random::normal::<f64>(2, rows);
    let y = session.from((&x, noise)).map(|(x, noise)| x * 0.25 + 7.0 + noise).collect()?;
    println!("{:?}", summary(&session, &x)?);
    println!("{:?}", summary(&session, &y)?);
    println!("line of best fit: {:?}", line(&session, &x, &y)?);
    Ok(())
}
