//! Where the time of a query goes: explain, receipt, profile, advice, and a trace for the trace viewers of browsers.
//!
//! `cargo run --release --example profiling` writes `target/trace.json`.
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::prelude::*;
use pointsman::report::AdviceKind;

/// The kinds of advice for a query that uses a scalar three times, and the trace of its runs.
pub(crate) fn examine(session: &Session, prices: &Column<f64>) -> pointsman::Result<(Vec<AdviceKind>, String)> {
    let middle = 12.5;
    let query = || session.from(prices).map(|p| (p - middle) * (p - middle) / (p + middle)).named("spread");
    let answer = query().run()?;
    println!("{:#}\n", answer.receipt());
    let explained = query().explain().to_string();
    println!("{} lines explain the query, among them its kernels\n", explained.lines().count());
    println!("{}\n", session.profile(&query(), 100)?);
    let advice = session.advise(&query());
    for one in &advice {
        println!("advice: {one}");
    }
    Ok((advice.into_iter().map(|one| one.kind).collect(), session.chrome_trace()))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = SessionOptions::new().keep_receipts(1000).open()?;
    let prices = Column::from((0..1_000_000).map(|i| f64::from(i % 1000) / 10.0).collect::<Vec<_>>());
    let (_, trace) = examine(&session, &prices)?;
    std::fs::create_dir_all("target")?;
    std::fs::write("target/trace.json", trace)?;
    println!("target/trace.json shows the runs in a trace viewer");
    Ok(())
}
