//! Prices of a million options by the formula of Black and Scholes: one fused kernel, two results.
//!
//! `cargo run --release --example black_scholes`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::random;

/// The market that all options share.
#[derive(Clone, Copy)]
pub(crate) struct Market {
    pub(crate) rate: f64,
    pub(crate) volatility: f64,
}

/// The distribution function of the normal distribution, within 7.5e-8 (Abramowitz and Stegun 26.2.17).
fn normal(x: F64) -> F64 {
    let t = 1.0 / (x.abs() * 0.2316419 + 1.0);
    let powers = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
    let sum = powers.iter().rev().fold(lit(0.0), |sum, &factor| (sum + factor) * t);
    let tail = (x * x * -0.5).exp() * 0.3989422804014327 * sum;
    select(x.lt(0.0), tail, 1.0 - tail)
}

/// The prices of a call and a put.
fn prices(spot: F64, strike: F64, years: F64, market: Market) -> (F64, F64) {
    // Each scalar is one parameter, although it is used several times: another value compiles nothing again.
    let (rate, volatility) = (val(market.rate), val(market.volatility));
    let spread = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + volatility * volatility * 0.5) * years) / spread;
    let d2 = d1 - spread;
    let discounted = strike * (-(rate * years)).exp();
    let call = spot * normal(d1) - discounted * normal(d2);
    (call, call - spot + discounted)
}

/// The prices of calls and puts with these spot prices, strike prices and years.
pub(crate) fn price(
    session: &Session,
    options: [&[f64]; 3],
    market: Market,
) -> pointsman::Result<(Vec<f64>, Vec<f64>)> {
    let [spot, strike, years] = options;
    let rows = session.from((spot, strike, years));
    rows.map(|(spot, strike, years)| prices(spot, strike, years, market)).named("options").to_vec()
}

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let count = 1_000_000;
    let between = |seed: u64, low: f64, high: f64| {
        session.from(random::uniform::<f64>(seed, count)).map(move |x| x * (high - low) + low).to_vec()
    };
    let (spot, strike, years) = (between(1, 5.0, 30.0)?, between(2, 1.0, 100.0)?, between(3, 0.25, 10.0)?);
    let market = Market { rate: 0.02, volatility: 0.3 };
    let rows = session.from((&spot, &strike, &years));
    let answer = rows.map(|(spot, strike, years)| prices(spot, strike, years, market)).named("options").run()?;
    let (call, put) = &*answer;
    println!("first option: spot {:.2}, strike {:.2}, {:.2} years", spot[0], strike[0], years[0]);
    println!("call {:.4}, put {:.4}", call[0], put[0]);
    println!("{}", answer.receipt());
    Ok(())
}
