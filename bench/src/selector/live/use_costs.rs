//! [`UseCosts`]: the time of a use of an owned column on the host, of a use on a device that has it, and of the copy.

use super::case::{median, settled_time};
use super::random_query::{RandomQuery, Run};
use pointsman::{Result, Session};
use std::time::{Duration, Instant};

/// The device whose memory is the host's.
pub(super) const HOST: &str = "cpu";
/// The time of a use is the mean of the settled runs in this time, of at least `RUNS_MIN`. The mean, because it is
/// compared with sums.
const MEAN_TIME: Duration = Duration::from_millis(100);
const RUNS_MIN: usize = 7;
/// The number of copies that are timed, where the device is faster and where it is slower than the host.
const COPIES: [usize; 2] = [5, 1];

/// Nanoseconds of a use.
pub(super) struct UseCosts {
    /// A use on the host.
    pub(super) host: f64,
    /// The first use of a session on the host, beyond any other: the query is compiled.
    pub(super) first: f64,
    /// A use on the device that has the column.
    pub(super) device: f64,
    /// The copy of the column to the device.
    pub(super) copy: f64,
}

impl UseCosts {
    /// Measures a column in a session that has not run the query before.
    pub(super) fn measure(session: &Session, query: &RandomQuery, device: &str) -> Result<UseCosts> {
        let run = query.prepare(session, Some(HOST))?;
        let first = run()?.time;
        settled_time(&run, f64::INFINITY)?;
        let host = mean_time(&run)?;
        query.keep(session, device)?;
        let run = query.prepare(session, Some(device))?;
        settled_time(&run, host)?;
        let own = mean_time(&run)?;
        let mut copies = Vec::new();
        for _ in 0..COPIES[usize::from(own > host)] {
            copies.push(copy_time(session, query, device, (&run, own))?);
        }
        query.release(session, device)?;
        Ok(UseCosts { host, first: (first - host).max(0.0), device: own, copy: median(copies).max(0.0) })
    }
}

/// The mean time of a query that has settled.
fn mean_time(run: &Run<'_>) -> Result<f64> {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < RUNS_MIN || start.elapsed() < MEAN_TIME {
        times.push(run()?.time);
    }
    Ok(times.iter().sum::<f64>() / times.len() as f64)
}

/// The time of a copy of an owned column to a device that runs the query in a known time. The column is there afterwards.
pub(super) fn copy_time(
    session: &Session,
    query: &RandomQuery,
    device: &str,
    (run, run_time): (&Run<'_>, f64),
) -> Result<f64> {
    query.release(session, device)?;
    let start = Instant::now();
    query.keep(session, device)?;
    // The copy may go on after `keep` returns; a run waits for its end.
    run()?;
    Ok(start.elapsed().as_nanos() as f64 - run_time)
}
