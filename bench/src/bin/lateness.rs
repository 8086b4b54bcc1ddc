//! How late queries return after their deadline or cancellation, and how soon their device is free: bodies that run for
//! minutes, with every sink, on each device. Writes the table of `docs/reliability.md`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the table goes to standard output")]

use pointsman::{
    CancellationToken, ErrorKind, Exactness, Expr, Promise, Query, Result, Session, SessionOptions, repeat,
};
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

const HELP: &str = "lateness [DEVICE …]: how late queries return after a deadline or a cancellation.
Without devices, all that are found. POINTSMAN_JIT=off measures the CPU's block programs.
  --rounds N   runs of each body, sink and end (default 5)";

/// When runs are ended, after their call.
const ENDS_AFTER: Duration = Duration::from_millis(150);

/// A body that would run for minutes.
struct Work {
    name: &'static str,
    rows: u32,
    body: fn(Expr<u32>) -> Expr<u32>,
}

const WORKS: [Work; 6] = [
    Work { name: "500 iterations, 200 million rows", rows: 200_000_000, body: |x| steps(500, x) },
    Work { name: "5,000 iterations, 200 million rows", rows: 200_000_000, body: |x| steps(5_000, x) },
    Work { name: "50,000 iterations, 200 million rows", rows: 200_000_000, body: |x| steps(50_000, x) },
    Work { name: "20,000 × 20,000 iterations, 1 row", rows: 1, body: nested },
    Work { name: "20,000 × 20,000 iterations, 100,000 rows", rows: 100_000, body: nested },
    Work { name: "200 nested sines, 200 million rows", rows: 200_000_000, body: sines },
];

fn steps(iterations: u32, x: Expr<u32>) -> Expr<u32> {
    repeat(iterations, x, |i, y| y * 1_664_525 + i)
}

fn nested(x: Expr<u32>) -> Expr<u32> {
    repeat(20_000, x, |_, y| steps(20_000, y))
}

fn sines(x: Expr<u32>) -> Expr<u32> {
    (0..200).fold(x.cast::<f32>(), |x, _| x.sin()).cast_saturating()
}

#[derive(Clone, Copy, Debug)]
enum Sink {
    Map,
    Filter,
    Fold,
    Scan,
}

const SINKS: [Sink; 4] = [Sink::Map, Sink::Filter, Sink::Fold, Sink::Scan];

/// How a run is ended.
#[derive(Clone, Copy, Debug)]
enum End {
    Deadline,
    Cancellation,
}

/// Where and for how long a query runs.
struct Setting<'a> {
    session: &'a Session,
    device: &'a str,
    end: Option<End>,
    token: CancellationToken,
}

macro_rules! set {
    ($setting:expr, $query:expr) => {{
        let query = $query.require($setting.device).exactness(Exactness::Bounded).cancelled_by(&$setting.token);
        if let Some(End::Deadline) = $setting.end { query.deadline(ENDS_AFTER) } else { query }
    }};
}

impl Setting<'_> {
    fn query(&self, work: &Work) -> Query<'static, Expr<u32>> {
        self.session.from(0..work.rows).map(work.body)
    }

    fn run(&self, work: &Work, sink: Sink) -> Result<()> {
        let query = self.query(work);
        match sink {
            Sink::Map => set!(self, query).run().map(drop),
            Sink::Filter => set!(self, query.filter(|x| x.gt(7))).run().map(drop),
            Sink::Fold => set!(self, query.folds(|x| x.max())).run().map(drop),
            Sink::Scan => set!(self, query.scan(|x| x.running_max())).run().map(drop),
        }
    }

    /// A query that takes all threads of the CPU, or a launch on another device, for a moment.
    fn probe(&self) -> Result<Duration> {
        let start = Instant::now();
        self.session.from(0u32..4_000_000).folds(|x| x.max()).require(self.device).run()?;
        Ok(start.elapsed())
    }
}

/// The runs of one body on one device.
#[derive(Default)]
struct Times {
    late: Vec<Duration>,
    busy: Vec<Duration>,
    refused: Option<String>,
}

impl Times {
    fn measure(setting: &mut Setting<'_>, work: &Work, sink: Sink, end: End, times: &mut Times) -> Result<()> {
        // Compiled before, so that the limit meets the launch.
        (setting.end, setting.token) = (Some(End::Deadline), CancellationToken::new());
        let _warm = setting.run(work, sink);
        let usual = (0..5).map(|_| setting.probe()).collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or_default();
        (setting.end, setting.token) = (Some(end), CancellationToken::new());
        let canceller = match end {
            End::Deadline => None,
            End::Cancellation => {
                let token = setting.token.clone();
                Some(std::thread::spawn(move || {
                    std::thread::sleep(ENDS_AFTER);
                    token.cancel();
                    Instant::now()
                }))
            }
        };
        let start = Instant::now();
        let result = setting.run(work, sink);
        let returned = Instant::now();
        let ended = match canceller {
            Some(canceller) => canceller.join().unwrap_or(start),
            None => start + ENDS_AFTER,
        };
        match result {
            Err(error) if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Cancelled) => {
                times.late.push(returned.saturating_duration_since(ended));
                times.busy.push(setting.probe()?.saturating_sub(usual));
            }
            Err(error) if error.kind() == ErrorKind::Unsupported => times.refused = Some(error.to_string()),
            Err(error) => return Err(error),
            Ok(()) => times.refused = Some("answered in time".to_string()),
        }
        Ok(())
    }
}

/// Drops a promise whose query runs, and returns when the thread that ran it answers the next query.
fn dropped_promise(device: &str, work: &Work) -> Result<Duration> {
    let session = SessionOptions::new().async_threads(1).open()?;
    let short = || {
        let query = session.from(0u32..1_000).map(|x| x + 1);
        let _answer = wait(query.require(device).run_async())?;
        Result::Ok(())
    };
    short()?;
    // Compiled before, so that the drop meets the launch.
    let mut setting = Setting { session: &session, device, end: Some(End::Deadline), token: CancellationToken::new() };
    let _warm = set!(setting, setting.query(work)).run();
    setting.end = None;
    let promise = set!(setting, setting.query(work)).run_async();
    std::thread::sleep(ENDS_AFTER);
    let start = Instant::now();
    drop(promise);
    short()?;
    Ok(start.elapsed())
}

/// Waits for a promise on this thread.
fn wait<T>(promise: Promise<T>) -> Result<pointsman::Answer<T>> {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut promise = pin!(promise);
    loop {
        match promise.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// The time from a closure to its answer, of elementary functions nested so deeply, with nothing compiled before.
fn cold(device: &str, functions: u32) -> Result<Duration> {
    let session = SessionOptions::new().program_bytes(0).open()?;
    let x = vec![0.5f64; 1_000];
    let start = Instant::now();
    let query = session.from(&x).map(|x| {
        (0..functions).fold(x, |x, number| match number % 4 {
            0 => x.sin(),
            1 => x.exp(),
            2 => x.atan(),
            _ => x.cbrt(),
        })
    });
    query.require(device).run()?;
    Ok(start.elapsed())
}

fn ms(times: &[Duration]) -> [f64; 2] {
    let mut sorted: Vec<f64> = times.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    sorted.sort_by(f64::total_cmp);
    [sorted.get(sorted.len() / 2), sorted.last()].map(|time| time.copied().unwrap_or_default())
}

fn main() -> Result<()> {
    let (mut devices, mut rounds) = (Vec::new(), 5);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            "--rounds" => rounds = words.next().and_then(|word| word.parse().ok()).unwrap_or(rounds),
            _ => devices.push(word),
        }
    }
    let session = Session::open()?;
    if devices.is_empty() {
        // In a session of its own, because discovery starts a calibration.
        devices = Session::open()?.discover().devices().iter().map(|device| device.info.name.clone()).collect();
    }
    println!("| device | body | late: median, most (ms) | device busy: median, most (ms) | dropped promise (ms) |");
    println!("| --- | --- | --- | --- | --- |");
    for device in &devices {
        let mut setting = Setting { session: &session, device, end: None, token: CancellationToken::new() };
        for work in &WORKS {
            let mut times = Times::default();
            for _ in 0..rounds {
                for sink in SINKS {
                    for end in [End::Deadline, End::Cancellation] {
                        Times::measure(&mut setting, work, sink, end, &mut times).inspect_err(|error| {
                            println!("{}, {sink:?}, {end:?}: {error}\n{:?}", work.name, session.health())
                        })?;
                    }
                }
            }
            if let Some(reason) = &times.refused {
                println!("| {device} | {} | {} | – | – |", work.name, reason.replace('\n', " "));
                continue;
            }
            let [[late, latest], [busy, busiest]] = [ms(&times.late), ms(&times.busy)];
            let dropped = (0..rounds).map(|_| dropped_promise(device, work)).collect::<Result<Vec<_>>>()?;
            let [_, dropped] = ms(&dropped);
            println!("| {device} | {} | {late:.1}, {latest:.1} | {busy:.1}, {busiest:.1} | {dropped:.1} |", work.name);
        }
        if device == "cpu" {
            for functions in [400, 1_000] {
                println!("{device}: {functions} nested elementary functions, cold: {:.2?}", cold(device, functions)?);
            }
        }
    }
    Ok(())
}
