//! Measures every device as a calibration does, and the same bandwidths as the other benchmarks do, in one run: the table of
//! the calibration, then for each device both figures and their ratio, the best of several rounds (as many as the argument
//! says).
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the answers go to standard output")]

use pointsman::selector::{Curve, Profile};
use pointsman::{Column, Device, Session, SessionOptions};
use pointsman_bench::resident::Bench;
use pointsman_device::{BufferRange, Priority};
use pointsman_ir::types::DType;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often everything is measured.
const ROUNDS: usize = 5;
/// Bytes of a column on the processor.
const BYTES: usize = 256 << 20;
/// The most bytes that a run on another device touches: what its launch takes is nothing beside so many.
const CARD_BYTES_MAX: usize = 1 << 30;
/// They are compared with runs that touch one part of so many.
const PART: usize = 4;
/// Columns of other devices repeat so many bytes.
const REPEATED_BYTES: usize = 16 << 20;
/// Bytes of copies between the host and other devices.
const LINK_BYTES: usize = 256 << 20;
/// Bytes of a copy back to the host behind a copy to a device, which ends after that.
const REPLY_BYTES: usize = 16;
const PATIENCE: Duration = Duration::from_secs(60);

/// A result, or why there is none.
type Answered<T> = Result<T, String>;

fn main() -> Answered<()> {
    let session = Session::open().map_err(text)?;
    // Queries of the first would have its devices measured behind them, beside what is measured here.
    let host = SessionOptions::new().devices(["cpu"]).open().map_err(text)?;
    let x = host.from(&pointsman_bench::prices(BYTES / 4)).map(|x| x).run().map_err(text)?.into_value();
    let mut numbers = Vec::new();
    let mut best: Vec<Row> = Vec::new();
    let rounds = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    for round in 0..rounds {
        let report = session.calibrate().map_err(text)?;
        println!("{report}");
        for one in &report.devices {
            let Ok(profile) = &one.profile else { continue };
            let rows = match one.device.as_str() {
                "cpu" => cpu(&host, &x, profile)?,
                card_name => card(&session, card_name, profile, &mut numbers)?,
            };
            for row in rows {
                match best.iter_mut().find(|own| own.device == row.device && own.name == row.name) {
                    Some(own) => own.take_better(&row),
                    None => best.push(row),
                }
            }
        }
        println!("round {} of {rounds}", round + 1);
    }
    println!("{:<10} {:<12} {:>14} {:>14} {:>8}", "device", "", "calibration", "benchmark", "ratio");
    for Row { device, name, profile, bench } in &best {
        let ratio = profile / bench;
        println!("{device:<10} {name:<12} {profile:>9.1} GB/s {bench:>9.1} GB/s {ratio:>8.3}");
    }
    Ok(())
}

/// One bandwidth by both ways, in bytes a nanosecond.
struct Row {
    device: String,
    name: &'static str,
    profile: f64,
    bench: f64,
}

impl Row {
    /// What is busy with other things looks slower.
    fn take_better(&mut self, other: &Row) {
        self.profile = self.profile.max(other.profile);
        self.bench = self.bench.max(other.bench);
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Bytes a nanosecond in the shortest of a few runs.
fn speed(bytes: usize, mut run: impl FnMut() -> Answered<()>) -> Answered<f64> {
    run()?;
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    Ok(bytes as f64 / least)
}

/// What a copy should run at: bytes that are read and written.
fn copying(profile: &Profile, touched: usize) -> f64 {
    2.0 / (profile.read.each(touched as f64) + profile.write.each(touched as f64))
}

fn at(curve: &Curve, bytes: usize) -> f64 {
    1.0 / curve.each(bytes as f64)
}

/// The processor: sums and copies of the library, in its own memory and into the caller's (which may have small pages), and the
/// plain loops that are their limit.
fn cpu(session: &Session, x: &Column<f32>, profile: &Profile) -> Answered<Vec<Row>> {
    let mut out = vec![0.0f32; BYTES / 8];
    let half = &x[..BYTES / 8];
    let query = session.prepare(|x: pointsman::Expr<f32>| x).map_err(text)?.prefer("cpu");
    let sum = speed(BYTES, || session.from(x).prefer("cpu").sum().map(drop).map_err(text))?;
    let copy = speed(BYTES, || query.run(half).map(drop).map_err(text))?;
    let copy_into = speed(BYTES, || query.run_into(half, &mut out).map(drop).map_err(text))?;
    let plain_read = speed(BYTES, || {
        std::hint::black_box(pointsman_bench::read(x, |x| x.to_bits().into()));
        Ok(())
    })?;
    let plain_copy = speed(BYTES, || {
        pointsman_bench::copy(half, &mut out);
        Ok(())
    })?;
    let row = |name, profile, bench| Row { device: "cpu".to_string(), name, profile, bench };
    Ok(vec![
        row("read", at(&profile.read, BYTES), sum),
        row("copy", copying(profile, BYTES), copy),
        row("copy into", copying(profile, BYTES), copy_into),
        row("plain read", at(&profile.read, BYTES), plain_read),
        row("plain copy", copying(profile, BYTES), plain_copy),
    ])
}

/// Any other device: sums and copies of columns that are there, and copies there and back. Columns are as large as those of the
/// calibration's largest runs, and made of the numbers, of which there will be enough.
fn card(session: &Session, name: &str, profile: &Profile, numbers: &mut Vec<u8>) -> Answered<Vec<Row>> {
    let device = session.device(name).map_err(text)?;
    let bytes = largest(&profile.read).min(CARD_BYTES_MAX);
    let copied = largest(&profile.write).min(CARD_BYTES_MAX);
    grow(numbers, bytes.max(copied / 2).max(LINK_BYTES));
    let mut bench = Bench::open(device.clone())?;
    let sum = slope(&mut bench, "sum", &numbers[..bytes])? * bytes as f64;
    let copy = slope(&mut bench, "copy", &numbers[..copied / 2])? * copied as f64;
    let row = |what, profile, bench| Row { device: name.to_string(), name: what, profile, bench };
    let mut rows = vec![row("read", at(&profile.read, bytes), sum), row("copy", copying(profile, copied), copy)];
    let [into, from] = link(&device, &mut numbers[..LINK_BYTES])?;
    rows.push(row("in", at(&profile.copy_in.pageable, LINK_BYTES), into));
    rows.push(row("out", at(&profile.copy_out.pageable, LINK_BYTES), from));
    if !profile.copy_in.locked.is_empty() && !profile.copy_out.locked.is_empty() {
        let mut locked = pointsman_device::PageLocked::new(device.clone(), LINK_BYTES).map_err(text)?;
        let [into, from] = link(&device, &mut locked)?;
        rows.push(row("in, locked", at(&profile.copy_in.locked, LINK_BYTES), into));
        rows.push(row("out, locked", at(&profile.copy_out.locked, LINK_BYTES), from));
    }
    Ok(rows)
}

/// How many runs over a column of these numbers a nanosecond has room for, without what a run takes before its first byte:
/// from the column and from a part of it, the shortest of many runs of each.
fn slope(bench: &mut Bench, work: &str, numbers: &[u8]) -> Answered<f64> {
    let part = &numbers[..numbers.len() / PART];
    let [whole, part] = [("whole", numbers), ("part", part)].map(|(name, numbers)| -> Answered<f64> {
        bench.put(name, DType::F32, numbers)?;
        let took = bench.events(work, &[&format!("{name}:f32")], 4 * ROUNDS)?;
        Ok(took.into_iter().fold(f64::INFINITY, f64::min) * 1e6)
    });
    bench.clear();
    let rest = (PART - 1) as f64 / PART as f64;
    Ok(rest / (whole? - part?))
}

/// Makes sure that there are so many bytes of numbers.
fn grow(numbers: &mut Vec<u8>, bytes: usize) {
    if numbers.len() < bytes {
        let repeated: Vec<u8> =
            pointsman_bench::prices(REPEATED_BYTES / 4).iter().flat_map(|x| x.to_le_bytes()).collect();
        *numbers = repeated.repeat(bytes.div_ceil(REPEATED_BYTES));
    }
}

/// The size of a curve's last point.
fn largest(curve: &Curve) -> usize {
    curve.points().last().map_or(1 << 20, |(bytes, _)| bytes.round() as usize)
}

/// Copies of so many bytes there and back.
fn link(device: &Arc<dyn Device>, memory: &mut [u8]) -> Answered<[f64; 2]> {
    let bytes = memory.len();
    let stream = device.open_stream(Priority::Normal).map_err(text)?;
    let buffer = device.allocate(bytes).map_err(text)?;
    let range = BufferRange { buffer, offset: 0, bytes: bytes as u64 };
    let into = speed(bytes, || {
        device.upload(stream, memory, range).map_err(text)?;
        // A copy to a device may be under way when the call returns.
        let reply = BufferRange { bytes: REPLY_BYTES as u64, ..range };
        device.download(stream, reply, &mut [0; REPLY_BYTES], PATIENCE).map_err(text)
    });
    let from = speed(bytes, || device.download(stream, range, memory, PATIENCE).map_err(text));
    device.free(buffer);
    device.close_stream(stream);
    Ok([into?, from?])
}
