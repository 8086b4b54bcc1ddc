//! What telling costs: a prepared sum of ten values when nobody listens, and when someone does.
#![allow(missing_docs, clippy::unwrap_used, reason = "criterion's macros write public items")]

use criterion::{Criterion, criterion_group, criterion_main};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use pointsman::{F32, Param, Session, SessionBuilder};
use pointsman_bench::prices;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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

fn telling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("telling");
    let x = prices(10);
    let mut time = |what: &str, builder: SessionBuilder| {
        let sum = builder.open().unwrap().prepare(|x: F32, k: Param<f32>| (x * k).sum()).unwrap();
        group.bench_function(what, |b| b.iter(|| *sum.run(black_box(&x), 2.0).unwrap()));
    };
    time("nobody listens", Session::builder());
    time("100 receipts are kept", Session::builder().keep_receipts(100));
    let meter = Meter(Arc::new(Total(AtomicU64::new(0))));
    metrics::with_local_recorder(&meter, || time("a recorder", Session::builder()));
    assert!(meter.0.0.load(Ordering::Relaxed) > 0, "the recorder was told");
    tracing::subscriber::with_default(Listener(AtomicU64::new(0)), || time("a subscriber", Session::builder()));
    group.finish();
}

criterion_group!(benches, telling);
criterion_main!(benches);
