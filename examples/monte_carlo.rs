//! The price of an Asian option by simulation. The random numbers depend on the seed, the path and the step alone, so the
//! result is the same on every device and for any number of threads.
//!
//! `cargo run --release --example monte_carlo`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random::RandomStream;

/// An option on the mean price over its time.
#[derive(Clone, Copy)]
pub(crate) struct AsianOption {
    pub(crate) spot: f64,
    pub(crate) strike: f64,
    pub(crate) rate: f64,
    pub(crate) volatility: f64,
    pub(crate) years: f64,
}

/// The price of the option, and its standard error, from this many paths of `steps` steps.
pub(crate) fn price(
    session: &Session,
    option: AsianOption,
    paths: u32,
    steps: u32,
    seed: u64,
) -> pointsman::Result<(f64, f64)> {
    let AsianOption { spot, strike, rate, volatility, years } = option;
    let interval = years / f64::from(steps);
    let drift = (rate - volatility * volatility / 2.0) * interval;
    let diffusion = volatility * interval.sqrt();
    let noise = RandomStream::new(seed);
    let payoffs = session.from(0..paths).map(|path| {
        // The state of a path: the logarithm of its price, and the sum of its prices.
        let (_, sum) = repeat(steps, (0.0, 0.0), |step, (log_price, sum): (F64, F64)| {
            let log_price = log_price + drift + noise.normal::<f64>([path, step]) * diffusion;
            (log_price, sum + log_price.exp())
        });
        let mean = sum * (spot / f64::from(steps));
        (mean - strike).greatest(0.0) * (-rate * years).exp()
    });
    let (mean, squares) = payoffs.named("asian option").reduce(|x| (x.mean(), (x * x).mean()))?;
    let (mean, squares) = (mean.unwrap_or(0.0), squares.unwrap_or(0.0));
    Ok((mean, ((squares - mean * mean) / f64::from(paths)).sqrt()))
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let option = AsianOption { spot: 100.0, strike: 100.0, rate: 0.03, volatility: 0.2, years: 1.0 };
    for paths in [1_000, 10_000, 100_000] {
        let (price, error) = price(&session, option, paths, 64, 42)?;
        println!("{paths:>7} paths: {price:.3} ± {error:.3}");
    }
    Ok(())
}
