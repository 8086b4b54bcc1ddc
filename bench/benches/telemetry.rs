//! What telling costs: prepared sums of ten values and of a millisecond when nobody listens, and when someone does.
//! `cargo bench -p pointsman-bench --bench telemetry`
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros write public items")]
#![allow(clippy::print_stdout, reason = "it prints its table")]

use criterion::{Criterion, criterion_group, criterion_main};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use pointsman::{F32, Param, SessionOptions};
use pointsman_bench::prices;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};

/// Takes every span and forgets it.
struct Listener(AtomicU64);

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "pointsman"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Counts everything in one number.
struct Meter(Arc<Total>);

struct Total(AtomicU64);

impl CounterFn for Total {
    fn increment(&self, value: u64) {
        self.0.fetch_add(value, Ordering::Relaxed);
    }

    fn absolute(&self, _: u64) {}
}

impl HistogramFn for Total {
    fn record(&self, _: f64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Recorder for Meter {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.0.clone())
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.0.clone())
    }
}

/// The shortest time of a call, over `rounds` rounds of `calls` calls.
fn shortest(rounds: usize, calls: u32, mut call: impl FnMut()) -> Duration {
    let one = |_| {
        let start = Instant::now();
        (0..calls).for_each(|_| call());
        start.elapsed() / calls
    };
    (0..rounds).map(one).min().unwrap_or_default()
}

type Ask = Box<dyn FnMut()>;

/// A prepared sum over these rows, in a session of this kind.
fn sum_over(x: &Arc<Vec<f32>>, builder: SessionOptions) -> Ask {
    let (x, session) = (x.clone(), builder.threads(1).open().unwrap());
    let sum = session.prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
    Box::new(move || drop(black_box(sum.run(black_box(&*x), 2.0).unwrap())))
}

/// A query of about a millisecond, and one of ten values: what is told, against a session that tells nobody. Rounds take
/// turns, so that whatever else the machine does hits all alike; the shortest of each counts.
fn compared(rounds: usize, calls: u32, x: &Arc<Vec<f32>>, meter: &Meter) -> [(&'static str, Duration); 4] {
    let mut off = sum_over(x, SessionOptions::new().metrics(false));
    let mut kept = sum_over(x, SessionOptions::new().metrics(false).keep_receipts(100));
    let mut metered = metrics::with_local_recorder(meter, || sum_over(x, SessionOptions::new().metrics(true)));
    let mut heard = sum_over(x, SessionOptions::new().metrics(false));
    let mut best = [Duration::MAX; 4];
    for _ in 0..rounds {
        best[0] = best[0].min(shortest(1, calls, &mut off));
        best[1] = best[1].min(shortest(1, calls, &mut kept));
        best[2] = best[2].min(shortest(1, calls, &mut metered));
        let listener = Listener(AtomicU64::new(0));
        best[3] = best[3].min(tracing::subscriber::with_default(listener, || shortest(1, calls, &mut heard)));
    }
    let names = ["nobody listens", "100 receipts are kept", "a recorder", "a subscriber"];
    std::array::from_fn(|number| (names[number], best[number]))
}

/// What telling adds to a query of a millisecond, in percent, and to a small one, in nanoseconds.
fn shares(criterion: &mut Criterion) {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let (rounds, rows) = if is_test { (1, 1000) } else { (60, 12_000_000) };
    let meter = Meter(Arc::new(Total(AtomicU64::new(0))));
    let long = Arc::new(prices(rows));
    let [(_, off), told @ ..] = compared(rounds, 3, &long, &meter);
    println!("a sum of {rows} values that nobody listens to: {off:.1?}");
    for (what, time) in told {
        let more = time.as_secs_f64() / off.as_secs_f64() - 1.0;
        println!("  {what}: {time:.1?}, {:+.2} %", 100.0 * more);
    }
    let short = Arc::new(prices(10));
    let [(_, off), told @ ..] = compared(rounds, if is_test { 10 } else { 20_000 }, &short, &meter);
    println!("a sum of 10 values that nobody listens to: {off:.1?}");
    for (what, time) in told {
        println!("  {what}: {time:.1?}, {:+.0} ns", time.as_nanos() as f64 - off.as_nanos() as f64);
    }
    // What a session does for telling when nobody listens: two looks at the listeners, and a count.
    let answers = AtomicU64::new(0);
    criterion.bench_function("telling/off: what is left", |b| {
        b.iter(|| {
            let heard = LevelFilter::current() >= LevelFilter::DEBUG;
            answers.fetch_add(1, Ordering::Relaxed);
            black_box(heard | (LevelFilter::current() >= LevelFilter::DEBUG))
        });
    });
}

fn telling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("telling");
    let x = prices(10);
    let mut time = |what: &str, builder: SessionOptions| {
        let sum = builder.open().unwrap().prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
        group.bench_function(what, |b| b.iter(|| *sum.run(black_box(&x), 2.0).unwrap()));
    };
    time("nobody listens", SessionOptions::new());
    time("100 receipts are kept", SessionOptions::new().keep_receipts(100));
    let meter = Meter(Arc::new(Total(AtomicU64::new(0))));
    metrics::with_local_recorder(&meter, || time("a recorder", SessionOptions::new()));
    assert!(meter.0.0.load(Ordering::Relaxed) > 0, "the recorder was told");
    tracing::subscriber::with_default(Listener(AtomicU64::new(0)), || time("a subscriber", SessionOptions::new()));
    group.finish();
}

criterion_group!(benches, shares, telling);
criterion_main!(benches);
