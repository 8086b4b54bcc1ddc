//! Requests of a web server, from Arrow record batches: the slowest and the failing routes.
//!
//! `cargo run --release --example log_analytics`
#![allow(clippy::print_stdout, dead_code, reason = "a test uses parts of it")]

use pointsman::arrow::array::{ArrayRef, Float64Array, RecordBatch, UInt16Array, UInt32Array};
use pointsman::prelude::*;
use std::sync::Arc;

/// What happened on each route: its number, the requests, those that failed, the median and the 99th percentile of the
/// times in milliseconds (without requests that were not timed), and the bytes.
pub(crate) fn summary(session: &Session, log: &[RecordBatch]) -> pointsman::Result<RecordBatch> {
    let routes = session.from(log).group_by(|row| row.col::<u32>("route")).agg(|row| {
        let (status, time) = (row.col::<u16>("status"), row.col::<f64>("milliseconds"));
        let bytes = row.col::<u32>("bytes").cast::<u64>();
        (count(), count().filter(status.ge(500)), time.median(), time.quantile(0.99), bytes.sum())
    });
    let routes = routes
        .map(|(route, (requests, failed, median, slowest, bytes))| (route, requests, failed, median, slowest, bytes));
    let sorted = routes.sort_by(|(route, _, failed, ..)| (failed.desc(), route.asc()));
    sorted.named("routes").to_batch(&["route", "requests", "failed", "median", "slowest", "bytes"])
}

/// A log of this many requests, in batches.
pub(crate) fn sample(requests: u32, batch: u32) -> Result<Vec<RecordBatch>, pointsman::arrow::schema::ArrowError> {
    let hash = |i: u32| i.wrapping_mul(2_654_435_761) >> 8;
    let batches = (0..requests).step_by(batch as usize).map(|first| {
        let rows = first..requests.min(first + batch);
        let route: UInt32Array = rows.clone().map(|i| hash(i) % 7).collect();
        let status: UInt16Array =
            rows.clone().map(|i| if hash(i) % 7 == 3 && hash(i) % 5 == 0 { 503 } else { 200 }).collect();
        let time: Float64Array =
            rows.clone().map(|i| (i % 11 != 0).then(|| f64::from(hash(i) % 1000) / 10.0 + 1.0)).collect();
        let bytes: UInt32Array = rows.map(|i| hash(i) % 50_000).collect();
        let columns: [(&str, ArrayRef); 4] = [
            ("route", Arc::new(route)),
            ("status", Arc::new(status)),
            ("milliseconds", Arc::new(time)),
            ("bytes", Arc::new(bytes)),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, values)| (name, values, name == "milliseconds")))
    });
    batches.collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let session = Session::open()?;
    let log = sample(1_000_000, 65_536)?;
    let routes = summary(&session, &log)?;
    let (number, failed) = session
        .from(&routes)
        .map(|row| (row.col::<u32>("route"), row.col::<u64>("failed")))
        .filter(|(_, failed)| failed.gt(0))
        .to_vec()?;
    println!("{} routes; failing: {:?}", routes.num_rows(), number.iter().zip(&failed).collect::<Vec<_>>());
    Ok(())
}
