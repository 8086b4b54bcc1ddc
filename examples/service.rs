//! A service on tokio: requests run concurrently, each with a deadline, and those that are too late or given up end.
//!
//! `cargo run --release --example service --features service`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use std::time::Duration;

/// What a request asks for: the value of a portfolio at a rate.
#[derive(Clone)]
pub(crate) struct Portfolios {
    value: Prepared<(F64, F64, Param<f64>), pointsman::types::Sum<f64>>,
    prices: Column<f64>,
    amounts: Column<f64>,
}

impl Portfolios {
    /// Compiles the query once; every request runs it. `deadline` counts from the call.
    pub(crate) fn new(
        session: &Session,
        prices: Vec<f64>,
        amounts: Vec<f64>,
        deadline: Duration,
    ) -> pointsman::Result<Portfolios> {
        let value = session.prepare(|price: F64, amount: F64, rate: Param<f64>| (price * amount * rate).sum())?;
        let value = value.deadline(deadline).named("portfolio");
        Ok(Portfolios { value, prices: prices.into(), amounts: amounts.into() })
    }

    /// Answers a request. Dropping the future cancels the query.
    pub(crate) async fn value(&self, rate: f64) -> pointsman::Result<f64> {
        let answer = self.value.run_async(self.prices.clone(), self.amounts.clone(), rate).await?;
        Ok(answer.into_value())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> pointsman::Result<()> {
    let session = SessionOptions::new().async_queue_limit(1000).open()?;
    let rows = 2_000_000;
    let prices = (0..rows).map(|i| f64::from(i % 100)).collect();
    let portfolios = Portfolios::new(&session, prices, vec![2.0; rows as usize], Duration::from_secs(1))?;
    let requests = (0..20).map(|i| {
        let portfolios = portfolios.clone();
        tokio::spawn(async move { portfolios.value(1.0 + f64::from(i) / 10.0).await })
    });
    for request in requests.collect::<Vec<_>>() {
        match request.await {
            Ok(Ok(value)) => println!("{value:.1}"),
            Ok(Err(error)) => println!("no answer: {error}"),
            Err(error) => println!("the task failed: {error}"),
        }
    }
    println!("{}", session.snapshot());
    Ok(())
}
