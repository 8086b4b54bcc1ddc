//! Tables: joins, groups and sorts through the typed API, with the receipt of the query.
//!
//! `cargo run --release --example tables`
#![allow(clippy::print_stdout)]

use pointsman::prelude::*;

const TRADES: u64 = 1_000_000;
const STORES: i64 = 1_000;
const CITIES: i64 = 40;

fn main() -> pointsman::Result<()> {
    let session = Session::open()?;
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let store: Vec<i64> = (0..TRADES).map(|_| next(STORES as u64 + 50) as i64).collect();
    let price: Vec<f64> = (0..TRADES).map(|_| next(100_000) as f64 / 100.0).collect();

    // A table of stores: a range is a source, and both sides of a join may have steps.
    let stores = || session.from(0..STORES).map(|id| (id, (id * 7919) % CITIES));
    let trades = || session.from((&store, &price));

    println!("The five cities with the most revenue:");
    let revenue = trades()
        .filter(|(_, price)| price.gt(10.0))
        .join(stores(), |(store, _)| store, |(id, _)| id)
        .group_by(|(_, (_, city))| city)
        .agg(|((_, price), _)| (price.sum(), price.median(), count(), count().filter(price.gt(900.0))))
        .sort_by(|(city, (revenue, ..))| (revenue.desc(), city))
        .limit(5)
        .run()?;
    println!("{:>6} {:>14} {:>8} {:>8} {:>10}", "city", "revenue", "median", "sales", "above 900");
    let (city, (sum, median, sales, large)) = &*revenue;
    for row in 0..city.len() {
        let (sum, median) = (sum[row], median[row]);
        println!("{:>6} {sum:>14.2} {median:>8.2} {:>8} {:>10}", city[row], sales[row], large[row]);
    }
    println!("\n{:#}", revenue.receipt());

    let unknown = trades().anti_join(stores(), |(store, _)| store, |(id, _)| id).count()?;
    println!("\n{unknown} trades are of no known store.");
    let sold = trades().map(|(store, _)| store).distinct();
    let idle = stores().left_join(sold, |(id, _)| id, |store| store).filter(|(_, store)| store.is_null()).count()?;
    println!("{idle} of {STORES} stores sold nothing.");
    Ok(())
}
