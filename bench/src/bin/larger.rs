//! Batches larger than a device's memory: `larger [--device cuda:0] [--gigabytes 40] [--limit-gib 8] [--sharing]`.
//!
//! Prints the speed of the link (copies alone, each way and both ways at once), then a map of that many bytes from host
//! memory to host memory under the limit, page-locked and not, a sum, queries of 8 GiB under 1 GiB, and two that the
//! device and the processor share, with the times of twelve runs in a row; every result is checked against the
//! processor's. With `--sharing` only those two, over at most 8 GiB.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the table goes to standard output")]

use pointsman::{Exactness, Session, SessionOptions};
use pointsman_device::{BufferRange, Device, PageLocked, Priority};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const GIB: u64 = 1 << 30;
/// Bytes of the copies that tell the link's speed.
const LINK_BYTES: usize = 1 << 30;
/// Rows of the queries that devices share, and how often each runs in a row.
const SHARED_ROWS: usize = 2 << 30;
const SHARED_RUNS: usize = 12;
const PATIENCE: Duration = Duration::from_secs(60);

type Done<T> = Result<T, Box<dyn Error>>;

struct Arguments {
    device: String,
    rows: usize,
    limit: u64,
    /// Whether only queries that devices share are measured.
    only_sharing: bool,
}

fn main() -> Done<()> {
    let arguments = arguments()?;
    let session = under(&arguments, arguments.limit)?;
    if arguments.only_sharing {
        let mut x = vec![0.0f32; arguments.rows.min(SHARED_ROWS)];
        fill(&mut x);
        return shared(&session, &arguments, &x);
    }
    let link = link(&session.device(&arguments.device)?)?;
    println!("link, GB/s: in {:.1}, out {:.1}, both at once {:.1} + {:.1}", link[0], link[1], link[2], link[2]);
    println!("{} rows of f32 under {} GiB of {}:", arguments.rows, arguments.limit / GIB, arguments.device);
    {
        let mut x = session.page_locked::<f32>(&arguments.device, arguments.rows)?;
        let mut y = session.page_locked::<f32>(&arguments.device, arguments.rows)?;
        fill(&mut x);
        map(&session, &arguments, "page-locked", &x, &mut y, link[2])?;
        sum(&session, &arguments, "page-locked", &x, link[0])?;
    }
    let (mut x, mut y) = (vec![0.0f32; arguments.rows], vec![0.0f32; arguments.rows]);
    fill(&mut x);
    fill(&mut y);
    map(&session, &arguments, "pageable", &x, &mut y, link[2])?;
    sum(&session, &arguments, "pageable", &x, link[0])?;
    drop(y);
    x.truncate(SHARED_ROWS);
    under_one(&arguments, &x)?;
    shared(&session, &arguments, &x)
}

fn arguments() -> Done<Arguments> {
    let mut arguments =
        Arguments { device: "cuda:0".to_string(), rows: 10_000_000_000, limit: 8 * GIB, only_sharing: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--sharing" {
            arguments.only_sharing = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--device" => arguments.device = value,
            "--gigabytes" => arguments.rows = value.parse::<usize>()? * 250_000_000,
            "--limit-gib" => arguments.limit = value.parse::<u64>()? * GIB,
            _ => return Err(format!("{word}: there is --device, --gigabytes, --limit-gib and --sharing").into()),
        }
    }
    Ok(arguments)
}

fn under(arguments: &Arguments, limit: u64) -> Done<Session> {
    let options = SessionOptions::new().device_memory_bytes(limit);
    let session = options.exactness(Exactness::Bounded).keep_receipts(1).open()?;
    session.device(&arguments.device)?;
    Ok(session)
}

/// Gigabytes a second: in, out, and each way with both at once.
fn link(device: &Arc<dyn Device>) -> Done<[f64; 3]> {
    let (x, mut y) = (PageLocked::new(device.clone(), LINK_BYTES)?, PageLocked::new(device.clone(), LINK_BYTES)?);
    let streams = [device.open_stream(Priority::Normal)?, device.open_stream(Priority::Normal)?];
    let ranges = [device.allocate(LINK_BYTES)?, device.allocate(LINK_BYTES)?].map(|buffer| BufferRange {
        buffer,
        offset: 0,
        bytes: LINK_BYTES as u64,
    });
    let send = || device.upload(streams[0], &x, ranges[0]);
    let mut best = [f64::MAX; 3];
    for _ in 0..4 {
        let start = Instant::now();
        send()?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        device.download(streams[1], ranges[1], &mut y, PATIENCE)?;
        best[1] = best[1].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        std::thread::scope(|scope| {
            let out = scope.spawn(|| device.download(streams[1], ranges[1], &mut y, PATIENCE));
            send().and(out.join().expect("a copy does not panic"))
        })?;
        best[2] = best[2].min(start.elapsed().as_secs_f64());
    }
    ranges.iter().for_each(|range| device.free(range.buffer));
    streams.iter().for_each(|stream| device.close_stream(*stream));
    Ok(best.map(|seconds| LINK_BYTES as f64 / 1e9 / seconds))
}

/// Some work on all parts of a slice, on all threads; it is told where a part starts.
fn everywhere(x: &mut [f32], work: impl Fn(usize, &mut [f32]) + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let part = x.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (number, x) in x.chunks_mut(part).enumerate() {
            let work = &work;
            scope.spawn(move || work(number * part, x));
        }
    });
}

/// Whole numbers that differ from row to row.
fn fill(x: &mut [f32]) {
    everywhere(x, |first, x| x.iter_mut().zip(first..).for_each(|(x, row)| *x = (row % 8_191) as f32));
}

fn map(session: &Session, arguments: &Arguments, what: &str, x: &[f32], y: &mut [f32], link: f64) -> Done<()> {
    let query = session.prepare(|x: pointsman::F32| x * 2.0 + 1.0)?.require(&arguments.device);
    // Compiles, and takes the pinned chunks.
    query.run_into(&x[..1 << 20], &mut y[..1 << 20])?;
    let start = Instant::now();
    let answer = query.run_into(x, y)?;
    let speed = x.len() as f64 * 4.0 / 1e9 / start.elapsed().as_secs_f64();
    println!(
        "map, {what}: {speed:.1} GB/s each way, {:.0} % of the link both ways; {}",
        100.0 * speed / link,
        answer.receipt()
    );
    let wrong = AtomicUsize::new(0);
    everywhere(y, |first, y| {
        let count = y.iter().zip(&x[first..]).filter(|(y, x)| **y != **x * 2.0 + 1.0).count();
        wrong.fetch_add(count, Ordering::Relaxed);
    });
    match wrong.into_inner() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} values of the map are wrong").into()),
    }
}

fn sum(session: &Session, arguments: &Arguments, what: &str, x: &[f32], link: f64) -> Done<()> {
    // Compiles.
    session.from(&x[..1 << 27]).require(&arguments.device).sum()?;
    let start = Instant::now();
    let total = session.from(x).require(&arguments.device).sum()?;
    let speed = x.len() as f64 * 4.0 / 1e9 / start.elapsed().as_secs_f64();
    let receipts = session.receipts();
    let receipt = receipts.last().ok_or("no receipt")?;
    println!("sum, {what}: {speed:.1} GB/s, {:.0} % of the link in; {receipt}", 100.0 * speed / link);
    same("the sum", total, session.from(x).require("cpu").sum()?)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, ours: T, cpu: T) -> Done<()> {
    if ours == cpu { Ok(()) } else { Err(format!("{what} is {ours:?}, on the processor {cpu:?}").into()) }
}

/// Queries of 8 GiB where the device may use one.
fn under_one(arguments: &Arguments, x: &[f32]) -> Done<()> {
    let session = under(arguments, GIB)?;
    let device = arguments.device.as_str();
    println!("{} rows of f32 under 1 GiB:", x.len());
    for on in [device, "cpu"] {
        let start = Instant::now();
        session.from(x).require(on).filter(|x| x.gt(4_000.0)).map(|x| x * 0.1).sum()?;
        println!("filter, map, sum on {on}: {:.2} s", start.elapsed().as_secs_f64());
    }
    let folded = |on: &str| session.from(x).require(on).filter(|x| x.gt(4_000.0)).map(|x| x * 0.1).sum();
    same("the filtered sum", folded(device)?.to_bits(), folded("cpu")?.to_bits())?;
    let kept = |on: &str| session.from(x).require(on).filter(|x| x.gt(8_000.0)).collect();
    let (ours, cpu) = (kept(device)?, kept("cpu")?);
    same("the number of kept rows", ours.len(), cpu.len())?;
    same("that the kept rows are the same", ours.to_vec() == cpu.to_vec(), true)?;
    let receipts = session.receipts();
    println!("all as on the processor; {}", receipts.last().ok_or("no receipt")?);
    Ok(())
}

/// The device, the processor, and both together over the same rows: the best of three, in seconds.
fn shared(session: &Session, arguments: &Arguments, x: &[f32]) -> Done<()> {
    let both = format!("{}+cpu", arguments.device);
    let wheres = [arguments.device.as_str(), "cpu", &both];
    println!("{} rows of f32 on {}, best of three, seconds:", x.len(), wheres.join(", "));
    let little = |session: &Session, on: &str| session.from(x).require(on).filter(|x| x.gt(4_000.0)).sum();
    let much =
        |session: &Session, on: &str| session.from(x).require(on).map(|x| (x * 0.001).exp().sin() + x.ln_1p()).sum();
    let places = (arguments, wheres);
    timed("filter, sum", session, places, little)?;
    timed("elementary functions, sum", session, places, much)?;
    let receipts = session.receipts();
    println!("{}", receipts.last().ok_or("no receipt")?);
    Ok(())
}

fn timed(
    what: &str,
    session: &Session,
    (arguments, wheres): (&Arguments, [&str; 3]),
    query: impl Fn(&Session, &str) -> pointsman::Result<f32>,
) -> Done<()> {
    let mut best = [f64::MAX; 3];
    let cpu = query(session, "cpu")?;
    for _ in 0..3 {
        for (on, best) in wheres.iter().zip(&mut best) {
            let start = Instant::now();
            let sum = query(session, on)?;
            *best = best.min(start.elapsed().as_secs_f64());
            same(what, sum.to_bits(), cpu.to_bits())?;
        }
    }
    println!("{what}: {:.3}, {:.3}, together {:.3}", best[0], best[1], best[2]);
    for on in wheres {
        // One that knows nothing yet.
        let session = under(arguments, arguments.limit)?;
        in_a_row(what, on, || query(&session, on), cpu)?;
    }
    Ok(())
}

/// The times of several runs in a row, by which a query that devices share finds its way, and the median of the last half.
fn in_a_row(what: &str, on: &str, query: impl Fn() -> pointsman::Result<f32>, cpu: f32) -> Done<()> {
    let mut times = Vec::with_capacity(SHARED_RUNS);
    for _ in 0..SHARED_RUNS {
        let start = Instant::now();
        let sum = query()?;
        times.push(start.elapsed().as_secs_f64());
        same(what, sum.to_bits(), cpu.to_bits())?;
    }
    let told: Vec<String> = times.iter().map(|time| format!("{time:.3}")).collect();
    let last = &mut times[SHARED_RUNS / 2..];
    last.sort_by(f64::total_cmp);
    let median = f64::midpoint(last[(last.len() - 1) / 2], last[last.len() / 2]);
    println!("  {what} on {on}: {}; median of the last half {median:.4}", told.join(" "));
    Ok(())
}
