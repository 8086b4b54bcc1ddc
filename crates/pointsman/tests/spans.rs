//! Queries and stages are spans. Alone in its process: a subscriber of one thread misses spans that another thread, which
//! has none, opens for the first time.
#![allow(clippy::unwrap_used)]

use pointsman::SessionOptions;
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::{Arc, Mutex};

/// Remembers spans and events as text.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<Vec<String>>>);

/// Writes fields behind a text.
struct Fields<'t>(&'t mut String);

impl tracing::field::Visit for Fields<'_> {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Listener {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl tracing::Subscriber for Listener {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "pointsman"
    }

    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        let mut line = span.metadata().name().to_string();
        span.record(&mut Fields(&mut line));
        let mut lines = self.0.lock().unwrap();
        lines.push(line);
        tracing::span::Id::from_u64(lines.len() as u64)
    }

    fn record(&self, span: &tracing::span::Id, values: &tracing::span::Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()[span.into_u64() as usize - 1]));
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = event.metadata().level().to_string();
        event.record(&mut Fields(&mut line));
        self.0.lock().unwrap().push(line);
    }

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn queries_and_stages_are_spans() {
    let faults = vec![SimFault::Lost { launch: 2 }];
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    let s = SessionOptions::new().threads(2).add_device(device.clone()).prefer("sim").open().unwrap();
    let listener = Listener::default();
    let query = || s.from(&[1i64, 2]).scan(|x| x.running_sum()).filter(|x| x.gt(1)).folds(|x| x.max()).run().unwrap();
    tracing::subscriber::with_default(listener.clone(), || (query(), query()));
    let lines = listener.lines();
    assert!(lines[0].starts_with("query device=\"sim\" rows_in=2 rows_out=1 receipt="), "{lines:?}");
    assert!(lines[0].contains(" on sim · moved "), "{lines:?}");
    assert!(lines[0].contains(" location=crates/pointsman/tests/spans.rs:"), "{lines:?}");
    assert_eq!(lines[1..3], ["stage device=\"sim\" sink=\"scan\"", "stage device=\"sim\" sink=\"reduce\""]);
    assert!(lines[3].starts_with("query device=\"cpu\""), "{lines:?}");
    assert_eq!(device.fired(), [SimFault::Lost { launch: 2 }]);
    let told = "WARN message=the simulated device is gone device=\"sim\" kind=DeviceLost".to_string();
    assert!(lines.contains(&told), "{lines:?}");
    assert!(lines.contains(&"stage device=\"cpu\" sink=\"reduce\"".to_string()), "{lines:?}");
    let error = tracing::subscriber::with_default(listener.clone(), || s.from(&[0i64]).map(|x| 1 / x).run());
    assert!(error.is_err());
    assert!(listener.lines().iter().any(|line| line.starts_with("query error=\"")), "{:?}", listener.lines());
    let named = || s.from(&[1i64]).map(|x| 1 / x).named("ratio").run().map(drop);
    assert!(tracing::subscriber::with_default(listener.clone(), named).is_ok());
    assert!(listener.lines().iter().any(|line| line.contains(" name=\"ratio\"")), "{:?}", listener.lines());
    query();
    assert_eq!(listener.lines().iter().filter(|line| line.starts_with("query")).count(), 4, "nobody listens any more");
}
