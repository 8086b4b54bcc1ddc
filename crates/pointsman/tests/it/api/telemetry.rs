//! What a session tells: receipts as a line, as JSON and as a trace; metrics, health, snapshots. Spans: `tests/spans.rs`.

use super::{WHY_CPU, integers, session};
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder, SharedString, Unit,
};
use pointsman::{ErrorKind, I64, Phase, Receipt, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error} in {json}"))
}

fn simulated(faults: Vec<SimFault>) -> Session {
    let device = Arc::new(SimDevice::new(SimOptions { faults, ..SimOptions::default() }));
    SessionOptions::new().threads(2).add_device(device).prefer("sim").keep_receipts(3).open().unwrap()
}

fn ask(session: &Session, k: i64) -> Receipt {
    let answer = session.from(&[1i64, 2, 3]).map(|x| x * k).run().unwrap();
    assert_eq!(answer[2], 3 * k);
    answer.receipt().clone()
}

#[test]
fn a_receipt_is_one_line() {
    let s = session();
    let line = |receipt: &Receipt| receipt.to_string();
    let first = line(&ask(&s, 2));
    assert!(first.contains(" on cpu · kernel compiled in ") && !first.contains('\n'), "{first}");
    let second = line(&ask(&s, 3));
    let (time, rest) = second.split_once(" on ").unwrap();
    assert_eq!(rest, "cpu · kernel cached");
    assert!(["ns", "µs", "ms", "s"].contains(&time.split_once(' ').unwrap().1), "{second}");
    let remote = simulated(Vec::new());
    ask(&remote, 2);
    assert!(line(&ask(&remote, 3)).ends_with(" on sim · moved 48 B · kernel cached"), "{}", ask(&remote, 3));
    let stages = s.from(&[1i64]).scan(|x| x.running_sum()).filter(|x| x.gt(0)).folds(|x| x.max()).run().unwrap();
    assert!(line(stages.receipt()).contains(" · kernels compiled in "));
    let all = format!("{:#}", stages.receipt());
    assert!(all.starts_with(&format!("device   cpu ({WHY_CPU})\nstage    scan: ")), "{all}");
}

#[test]
fn a_receipt_is_json() {
    let device = Arc::new(SimDevice::new(SimOptions { name: "a \"b\"\n".to_string(), ..SimOptions::default() }));
    let s = SessionOptions::new().add_device(device).prefer("a \"b\"\n").open().unwrap();
    let receipt = ask(&s, 2);
    let json = parsed(&receipt.to_json());
    assert_eq!((&json["device"], &json["why"]), (&"a \"b\"\n".into(), &"preferred".into()));
    assert_eq!((&json["stages"][0], json["programs"].as_array().unwrap().len()), (&"store".into(), 1));
    assert_eq!((&json["rows_in"], &json["rows_out"]), (&3.into(), &3.into()));
    let bytes = ["bytes_read", "bytes_written", "bytes_moved_in", "bytes_moved_out"].map(|name| json[name].as_u64());
    assert_eq!(bytes, [Some(24); 4]);
    assert_eq!((&json["plan_cache"], &json["program_cache"]), (&"miss".into(), &"miss".into()));
    assert_eq!(json["program_sources"][0]["from"], "compiled");
    assert!(json["program_sources"][0]["ns"].as_u64().unwrap() > 0);
    let times = Phase::ALL.map(|phase| json[format!("{}_ns", phase.name())].as_u64().unwrap());
    assert_eq!(times.iter().sum::<u64>(), json["total_ns"].as_u64().unwrap());
    assert_eq!(u128::from(json["total_ns"].as_u64().unwrap()), receipt.total().as_nanos());
}

/// The start and the end of an event, in nanoseconds, and its lane.
fn span(event: &Value) -> (f64, f64, u64) {
    let number = |name: &str| event[name].as_f64().unwrap() * 1e3;
    (number("ts"), number("ts") + number("dur"), event["tid"].as_u64().unwrap())
}

#[test]
fn a_receipt_is_a_trace() {
    let receipt = ask(&session(), 2);
    let trace = parsed(&receipt.to_chrome_trace());
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!((&events[0]["name"], &events[0]["ph"]), (&"query on cpu".into(), &"X".into()));
    assert_eq!(events[0]["args"]["rows_in"], 3);
    let (start, end, lane) = span(&events[0]);
    assert!(start == 0.0 && (end - receipt.total().as_nanos() as f64).abs() < 1.0, "{trace}");
    let mut at = start;
    for phase in &events[1..] {
        let (from, to, own) = span(phase);
        assert!((from - at).abs() < 1.0 && to <= end + 1.0 && own == lane, "{trace}");
        at = to;
    }
    assert!((at - end).abs() < 1.0, "the phases fill the query: {trace}");
}

#[test]
fn a_session_keeps_the_last_receipts_and_writes_them_as_one_trace() {
    let s = simulated(Vec::new());
    (1..=5).for_each(|k| drop(ask(&s, k)));
    assert_eq!(s.receipts().len(), 3);
    assert_eq!(session().receipts().len(), 0, "none unless told");
    let file = std::env::temp_dir().join(format!("pointsman-trace-{}.json", std::process::id()));
    s.write_chrome_trace(&file).unwrap();
    let trace = parsed(&std::fs::read_to_string(&file).unwrap());
    std::fs::remove_file(&file).unwrap();
    let queries = |trace: &Value| -> Vec<(f64, f64, u64)> {
        let events = trace["traceEvents"].as_array().unwrap().iter();
        events.filter(|event| event["name"].as_str().unwrap().starts_with("query")).map(span).collect()
    };
    let one_after_another = queries(&trace);
    assert_eq!(one_after_another.len(), 3);
    assert!(one_after_another.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[1].2 == 0), "{one_after_another:?}");
    let error = s.write_chrome_trace(file.join("below")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
}

/// Two queries that wait for one compilation run at the same time, so they stand in two lanes.
#[test]
fn queries_at_the_same_time_stand_in_lanes_of_their_own() {
    let device = Arc::new(SimDevice::new(SimOptions::default()));
    let s = SessionOptions::new().threads(1).add_device(device.clone()).prefer("sim").keep_receipts(9).open().unwrap();
    device.block_compilations();
    std::thread::scope(|scope| {
        let threads = [2, 3].map(|k| {
            scope.spawn({
                let s = &s;
                move || ask(s, k)
            })
        });
        device.wait_for_blocked_compilations(1);
        while s.program_cache().waited == 0 {
            std::thread::yield_now();
        }
        device.unblock_compilations();
        threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
    });
    let trace = parsed(&s.chrome_trace());
    let events = trace["traceEvents"].as_array().unwrap().iter();
    let mut lanes: Vec<u64> = events.map(|event| span(event).2).collect();
    lanes.dedup();
    assert_eq!(lanes, [0, 1], "{trace}");
}

#[test]
fn device_failures_are_counted_and_reported() {
    let s = simulated(vec![SimFault::Lost { launch: 1 }]);
    assert_eq!(ask(&s, 2).device(), "sim");
    let instead = ask(&s, 3);
    assert_eq!(instead.device(), "cpu");
    assert!(instead.to_string().ends_with(" · instead of sim: the simulated device is gone"), "{instead}");
    let attempts = &parsed(&instead.to_json())["attempts"];
    assert_eq!((&attempts[0]["device"], &attempts[0]["class"]), (&"sim".into(), &"lost".into()));
    assert!(attempts[0]["ns"].is_u64() && attempts[1].is_null(), "{attempts}");
    assert!(format!("{instead:#}").contains("\ntried    sim (lost, "), "{instead:#}");
    let health = s.health();
    let told: Vec<_> = health.iter().map(|one| (one.device.as_str(), one.answers, one.failures)).collect();
    assert_eq!(told, [("cpu", 1, 0), ("sim", 1, 1)]);
    assert_eq!(health[1].last_error.as_deref(), Some("the simulated device is gone"));
    s.from(&[0i64]).map(|x| 1 / x).require("cpu").run().unwrap_err();
    assert_eq!(s.health()[0].failures, 0, "a division by zero is not the device's");
}

#[test]
fn queries_that_fail_are_counted_and_remembered() {
    let s = simulated(vec![SimFault::Lost { launch: 0 }]);
    assert_eq!((s.health().failed_queries, s.failed_queries().len()), (vec![], 0));
    let divide = s.from(&[1i64, 0]).map(|x| 1 / x).require("cpu").run().unwrap_err();
    let lost = s.from(&[1i64]).map(|x| x + 1).require("sim").run().unwrap_err();
    let mistake = s.from((&[1i64, 2], &[1i64])).map(|(a, b)| a + b).run().unwrap_err();
    let short = s.from(&[1i64, 2]).map(|x| x + 2).require("cpu").into_slice(&mut [0]).unwrap_err();
    let prepared = s.prepare(|x: I64| 1 / x).unwrap().require("cpu");
    let again = prepared.run(&[0]).unwrap_err();
    let errors = [divide, lost, mistake, short, again];
    let failed = s.failed_queries();
    let told = |error: &pointsman::Error| (error.kind(), error.to_string());
    assert_eq!(
        failed.iter().map(|one| told(one.error())).collect::<Vec<_>>(),
        errors.iter().map(told).collect::<Vec<_>>()
    );
    let kinds = [ErrorKind::Arithmetic, ErrorKind::DeviceLost, ErrorKind::InvalidQuery, ErrorKind::Timeout];
    assert_eq!(kinds.map(|kind| s.health().failed(kind)), [2, 1, 2, 0]);
    assert_eq!((failed[0].error().row(), failed[1].error().attempts()[0].device.as_str()), (Some(1), "sim"));
    assert!(failed[0].total() >= failed[0].time(Phase::Run) && failed[0].time(Phase::Run).as_nanos() > 0);
    let json = parsed(&s.snapshot().to_json());
    assert_eq!(
        (&json["failed_query_counts"]["device_lost"], &json["failed_queries"][1]["attempts"][0]["class"]),
        (&1.into(), &"lost".into())
    );
    assert!(json["failed_queries"][0]["run_ns"].as_u64() > Some(0), "{json}");
    assert!(s.snapshot().to_string().contains("failed   2 queries: arithmetic"), "{}", s.snapshot());
    assert_eq!(s.receipts().len(), 1, "of the query whose result did not fit: a device answered it");
}

#[test]
fn a_query_that_another_device_answers_is_not_a_failed_one() {
    let s = simulated(vec![SimFault::Lost { launch: 0 }]);
    assert_eq!((ask(&s, 2).device(), s.health().failed_queries), ("cpu", vec![]));
}

#[test]
fn compilations_that_fail_are_counted_too() {
    let s = simulated(vec![SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile }]);
    assert_eq!(ask(&s, 2).device(), "cpu");
    assert_eq!(s.health()[1].failures, 1);
    assert_eq!(s.health()[1].last_error.as_deref().map(|error| error.contains("compilation 0")), Some(true));
}

#[test]
fn snapshot_shows_the_state_of_a_session() {
    let s = simulated(vec![SimFault::Lost { launch: 1 }]);
    (2..=3).for_each(|k| drop(ask(&s, k)));
    let (snapshot, held) = (s.snapshot(), s.from(&integers(1000)).require("cpu").run().unwrap());
    let json = parsed(&snapshot.to_json());
    let names: Vec<&str> =
        json["devices"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["cpu", "sim"], "nothing was looked for");
    assert_eq!((&json["health"][1]["failures"], &json["health"][0]["last_error"]), (&1.into(), &Value::Null));
    assert_eq!((&json["programs"]["compiled"], &json["programs"]["directory"]), (&2.into(), &Value::Null));
    assert_eq!(json["failures"][0], "sim: DeviceLost: the simulated device is gone");
    assert_eq!((&json["receipts"][0]["device"], &json["receipts"][1]["device"]), (&"sim".into(), &"cpu".into()));
    assert_eq!(json["memory"]["host"]["outstanding_bytes"], 0);
    assert!(s.snapshot().memory.host.outstanding_bytes >= 8000);
    drop(held);
    let text = snapshot.to_string();
    for line in ["device   sim: ", "health   sim: 1 answers, 1 failures, the last: ", "failure  sim: ", "receipt  "] {
        assert!(text.lines().any(|one| one.starts_with(line)), "{line} is not in {text}");
    }
    assert!(text.contains("programs 2 compiled, 0 from disk"), "{text}");
}

/// Sums of counters, and how many values histograms got, by name and labels.
#[derive(Clone, Default)]
struct Meter(Arc<Mutex<BTreeMap<String, u64>>>);

struct Cell(Meter, String);

impl Cell {
    fn add(&self, value: u64) {
        *self.0.0.lock().unwrap().entry(self.1.clone()).or_default() += value;
    }
}

impl CounterFn for Cell {
    fn increment(&self, value: u64) {
        self.add(value);
    }

    fn absolute(&self, _: u64) {}
}

impl HistogramFn for Cell {
    fn record(&self, seconds: f64) {
        assert!(seconds > 0.0 && seconds < 60.0);
        self.add(1);
    }
}

impl Meter {
    fn cell(&self, key: &Key) -> Arc<Cell> {
        let labels: Vec<String> = key.labels().map(|label| label.value().to_string()).collect();
        Arc::new(Cell(self.clone(), format!("{} {}", key.name(), labels.join(" "))))
    }
}

impl Recorder for Meter {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.cell(key))
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.cell(key))
    }
}

#[test]
fn a_recorder_gets_counters_and_histograms() {
    let meter = Meter::default();
    metrics::with_local_recorder(&meter, || {
        let s = simulated(vec![SimFault::Lost { launch: 2 }]);
        (2..=4).for_each(|k| drop(ask(&s, k)));
        (0..2).for_each(|_| drop(s.from(&[0i64]).map(|x| 1 / x).require("cpu").run().unwrap_err()));
    });
    let silent = Meter::default();
    metrics::with_local_recorder(&silent, || {
        let s = SessionOptions::new().threads(1).metrics(false).open().unwrap();
        ask(&s, 2);
    });
    assert!(silent.0.lock().unwrap().is_empty(), "a session may be silent");
    let counts = meter.0.lock().unwrap();
    let expected = [
        ("pointsman_queries_total sim", 2),
        ("pointsman_queries_total cpu", 1),
        ("pointsman_failures_total sim", 1),
        ("pointsman_failed_queries_total arithmetic", 2),
        ("pointsman_rows_total sim", 6),
        ("pointsman_bytes_moved_total sim in", 48),
        ("pointsman_bytes_moved_total sim out", 48),
        ("pointsman_query_seconds sim", 2),
        ("pointsman_phase_seconds sim run", 2),
        ("pointsman_phase_seconds sim compile", 1),
        ("pointsman_phase_seconds cpu run", 1),
    ];
    for (name, count) in expected {
        assert_eq!(counts.get(name), Some(&count), "{name} in {counts:?}");
    }
}
