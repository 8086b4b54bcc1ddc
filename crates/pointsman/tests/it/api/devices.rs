//! Devices with memory of their own, here the simulated one: the same results as the CPU, all memory given back, and what
//! `prefer` and `require` do.

use super::{floats, integers, session};
use arrow_array::{Array, BooleanArray, Date32Array, Float32Array, Int64Array, RecordBatch};
use pointsman::{
    Answer, Column, ErrorKind, Exactness, F32, Param, Phase, Result, Session, SessionOptions, filtered, lookup,
};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimDevice, SimFault, SimOptions};
use std::sync::Arc;

const ROWS: [usize; 6] = [0, 1, 7, 64, 1000, 9001];

fn simulated(options: SimOptions) -> (Arc<SimDevice>, Session) {
    let device = Arc::new(SimDevice::new(options));
    let session = SessionOptions::new().threads(2).add_device(device.clone()).clock(Arc::new(device.clock().clone()));
    (device, session.prefer("sim").open().unwrap())
}

/// The bytes it still holds once all work is done, but for columns that stay.
fn used(device: &SimDevice, session: &Session) -> u64 {
    device.clock().advance(std::time::Duration::from_secs(3600));
    let told = session.memory().device("sim").unwrap().clone();
    told.info.used - told.resident_bytes
}

/// Asks the CPU and the simulated device; both say the same, and the memory comes back.
fn check<T: std::fmt::Debug>(what: &str, ask: impl Fn(&Session) -> Result<Answer<T>>) {
    let (device, remote) = simulated(SimOptions::default());
    let (here, there) = (ask(&session()).unwrap(), ask(&remote).unwrap());
    assert_eq!((here.receipt().device(), there.receipt().device()), ("cpu", "sim"), "{what}: {}", there.receipt());
    assert_eq!(format!("{here:?}"), format!("{there:?}"), "{what}");
    assert_eq!(here.receipt().rows_out(), there.receipt().rows_out(), "{what}");
    assert_eq!(here.receipt().bytes_moved_in() + here.receipt().bytes_moved_out(), 0, "{what}");
    drop(there);
    assert_eq!((used(&device, &remote), remote.memory().host.outstanding_bytes), (0, 0), "{what}");
}

#[test]
fn every_sink_gives_the_same_result() {
    for rows in ROWS {
        let (x, n) = (floats(rows), integers(rows));
        check("map", |s| s.from(&x).map(|x| x * 2.0 + 1.0).run());
        check("two columns", |s| s.from((&x, &n)).map(|(x, n)| (n * 3, x.gt(0.0), x)).run());
        check("filter", |s| s.from((&x, &n)).filter(|(x, _)| x.gt(0.0)).run());
        check("folds", |s| s.from((&x, &n)).folds(|(x, n)| (x.sum(), x.max(), n.mean(), n.min(), n.count())).run());
        check("scan", |s| s.from((&x, &n)).scan(|(x, n)| (x.running_sum(), n.running_sum())).run());
        check("range", |s| s.from(5u32..5 + rows as u32).filter(|i| (i % 3).eq(0)).run());
    }
}

#[test]
fn bits_nulls_and_slices_arrive() {
    for rows in ROWS {
        let n = integers(rows + 13);
        let nulls: Int64Array = n.iter().map(|&n| (n % 3 != 0).then_some(n)).collect();
        let flags: BooleanArray = n.iter().map(|&n| (n % 5 != 0).then_some(n % 2 == 0)).collect();
        let (nulls, flags) = (nulls.slice(13, rows), flags.slice(13, rows));
        let bytes: Vec<bool> = n.iter().skip(13).map(|n| *n > 0).collect();
        check("nulls", |s| s.from(&nulls).map(|n| n + 1).run());
        check("flags", |s| s.from((&flags, &bytes)).map(|(a, b)| (a & b, a, !b)).run());
        check("kept flags", |s| s.from((&flags, &nulls)).filter(|(a, n)| a & n.gt(-500)).run());
        check("folds", |s| s.from(&nulls).folds(|n| (n.sum(), n.count(), n.max())).run());
        let short: Vec<i16> = n.iter().skip(13).map(|&n| n as i16).collect();
        check("short values", |s| s.from(&short).map(|n| n + 1).run());
    }
}

/// Asks the CPU and every card of this machine, in queries without float arithmetic.
fn check_here<T: std::fmt::Debug>(what: &str, ask: impl Fn(&Session) -> Result<Answer<T>>) {
    let here = ask(&session()).unwrap();
    for name in session().discover().names().filter(|name| *name != "cpu") {
        let there = ask(&SessionOptions::new().threads(2).prefer(name).open().unwrap()).unwrap();
        assert_eq!(there.receipt().device(), name, "{what}: {}", there.receipt());
        assert_eq!(format!("{here:?}"), format!("{there:?}"), "{what} on {name}");
    }
}

#[test]
fn cards_of_this_machine_give_the_same_result() {
    for rows in [0, 1, 1000, 9001] {
        let (x, n) = (floats(rows), integers(rows + 13));
        let nulls: Int64Array = n.iter().map(|&n| (n % 3 != 0).then_some(n)).collect();
        let flags: BooleanArray = n.iter().map(|&n| (n % 5 != 0).then_some(n % 2 == 0)).collect();
        let (n, nulls, flags) = (&n[13..], nulls.slice(13, rows), flags.slice(13, rows));
        let short: Vec<i16> = n.iter().map(|&n| n as i16).collect();
        check_here("map", |s| s.from((n, &short)).map(|(n, m)| (n * 3, m + 1, n.gt(0))).run());
        check_here("nulls", |s| s.from((&nulls, &flags)).map(|(n, f)| (n + 1, !f)).run());
        check_here("filter", |s| s.from((&x, &flags)).filter(|(x, f)| x.gt(0.0) & f).run());
        check_here("folds", |s| s.from(&nulls).folds(|n| (n.sum(), n.count(), n.max())).run());
        check_here("scan", |s| s.from(&nulls).scan(|n| n.running_sum()).filter(|n| n.gt(0)).run());
    }
}

fn batch(first: usize, rows: usize) -> RecordBatch {
    let n = integers(first + rows + 1);
    let price = Float32Array::from(floats(first + rows)[first..].to_vec());
    let amount: Int64Array = n[first..first + rows].iter().map(|&n| (n % 4 != 0).then_some(n)).collect();
    let day = Date32Array::from((first..first + rows).map(|i| i as i32).collect::<Vec<_>>());
    let flag = BooleanArray::from(n[first + 1..].iter().map(|n| *n > 0).collect::<Vec<_>>());
    let columns: [(&str, Arc<dyn Array>); 4] =
        [("price", Arc::new(price)), ("amount", Arc::new(amount)), ("day", Arc::new(day)), ("flag", Arc::new(flag))];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn chunks_become_one_column() {
    let batches = [batch(0, 1001), batch(50, 3), batch(9, 4096), batch(1, 0), batch(3, 77)];
    check("whole rows", |s| s.from(&batches[..]).filter(|row| row.col::<bool>("flag")).run());
    check("values", |s| {
        let query = s.from(&batches[..]).map(|row| (row.col::<i64>("amount") * 2, !row.col::<bool>("flag")));
        query.filter(|(n, _)| n.gt(0)).run()
    });
    check("a sliced batch", |s| s.from(&batches[0].slice(3, 901)).filter(|row| row.col::<f32>("price").gt(0.0)).run());
}

#[test]
fn captured_tables_and_several_stages() {
    let (table, x, n) = (lookup(&floats(100)), floats(5000), integers(5000));
    check("lookup", |s| s.from(&n).map(|n| table.at(n.abs().cast::<u32>() % 100)).run());
    check("two stages", |s| s.from((&x, &n)).scan(|(x, n)| (x.kept(), n.running_sum())).filter(|(_, n)| n.gt(0)).run());
    check("three stages", |s| {
        s.from(&n).scan(|n| n.running_sum()).scan(|n| n.running_max()).folds(|n| (n.sum(), n.count())).run()
    });
    let (_, remote) = simulated(SimOptions::default());
    let answer = remote.from(&n).scan(|n| n.running_sum()).folds(|n| n.max()).run().unwrap();
    let receipt = answer.receipt();
    assert_eq!(
        (receipt.bytes_moved_in(), receipt.bytes_moved_out()),
        (40_000, 8 + 1),
        "stages share the device's memory"
    );
    assert!(!receipt.time(Phase::CopyIn).is_zero() && !receipt.time(Phase::CopyOut).is_zero(), "{receipt}");
    assert!(format!("{receipt:#}").contains("moved    40000 in, 9 out"), "{receipt}");
}

/// The first 4 KiB come with the count; of more rows than those, only the rows that were written.
#[test]
fn only_the_rows_written_come_back() {
    for (kept, bytes) in [(0, 4096), (5, 4096), (1024, 4096), (1025, 4096 + 4100), (9000, 4096 + 36_000)] {
        let (device, remote) = simulated(SimOptions::default());
        let answer = remote.from(0u32..10_000).filter(|i| i.lt(kept)).run().unwrap();
        assert_eq!((answer.len(), answer.receipt().bytes_moved_out()), (kept as usize, bytes));
        assert!(answer[..].iter().copied().eq(0..kept), "{kept}");
        assert_eq!(device.round_trips(), if kept <= 1024 { 1 } else { 2 }, "{kept}");
    }
}

/// Columns of all widths, with nulls and without, in one round trip each; larger results in two.
#[test]
fn a_result_comes_in_one_round_trip() {
    let nulls = |rows: usize| -> Int64Array { (0..rows as i64).map(|n| (n % 3 != 0).then_some(n)).collect() };
    let trips = |rows: usize, ask: &dyn Fn(&Session)| {
        let (device, session) = simulated(SimOptions::default());
        ask(&session);
        assert_eq!((device.copies(), device.launches()), (0, 1), "{rows}");
        device.round_trips()
    };
    let (x, n) = (floats(1000), nulls(1000));
    let folds = |s: &Session| {
        let folded = s.from((&x, &n)).folds(|(x, n)| (x.sum(), x.max(), n.mean(), n.min(), n.count())).run();
        assert_eq!(folded.unwrap().receipt().device(), "sim");
    };
    assert_eq!(trips(1000, &folds), 1);
    for (rows, expected) in [(0, 1), (1, 1), (1000, 1), (9001, 2)] {
        let (x, n) = (floats(rows), nulls(rows));
        let map = |s: &Session| {
            let mapped = s.from((&x, &n)).map(|(x, n)| (n + 1, x.gt(0.0), x * 2.0, n.gt(7))).run().unwrap();
            assert_eq!((mapped.receipt().device(), mapped.receipt().rows_out()), ("sim", rows));
            let bitmap = rows.div_ceil(8) as u64;
            assert_eq!(mapped.receipt().bytes_moved_out(), 12 * rows as u64 + 4 * bitmap, "values, bits, two bitmaps");
        };
        assert_eq!(trips(rows, &map), expected, "{rows} rows");
    }
}

/// A copy that fails when it is waited for: nothing of it is handed out, and the answer comes of another run.
#[test]
fn a_result_that_does_not_come_is_computed_again() {
    let (x, n) = (floats(3000), integers(3000));
    for kind in [DeviceErrorKind::Transient, DeviceErrorKind::Lost] {
        let fault = SimFault::CopyOutFails { copy: 0, kind };
        let (device, remote) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
        let ask = |s: &Session| s.from((&x, &n)).map(|(x, n)| (n * 3, x.gt(0.0), x)).run().unwrap();
        let (there, here) = (ask(&remote), ask(&session()));
        assert_eq!(device.fired(), [fault]);
        assert_eq!(there.receipt().attempts().len(), 1, "{kind:?}");
        assert_eq!(format!("{there:?}"), format!("{here:?}"), "{kind:?}");
        drop(there);
        assert_eq!((device.copies(), remote.memory().host.outstanding_bytes), (0, 0), "{kind:?}");
    }
}

#[test]
fn run_into_writes_to_the_callers_slice() {
    let (device, remote) = simulated(SimOptions::default());
    let x = floats(3000);
    let mut out = vec![7.0; 3001];
    assert_eq!(remote.from(&x).map(|x| x + 1.0).into_slice(&mut out).unwrap(), 3000);
    assert!(out.iter().zip(&x).all(|(out, x)| *out == x + 1.0) && out[3000] == 7.0);
    let mut flags = vec![true; 3000];
    assert_eq!(remote.from(&x).map(|x| x.gt(0.0)).into_slice(&mut flags).unwrap(), 3000);
    assert!(flags.iter().zip(&x).all(|(flag, x)| *flag == (*x > 0.0)));
    let query = remote.prepare(|x: F32, low: Param<f32>| filtered(x.gt(low), x)).unwrap();
    let kept = query.run_into(&x, 50.0, &mut out).unwrap();
    assert_eq!((*kept, kept.receipt().device()), (x.iter().filter(|x| **x > 50.0).count(), "sim"));
    assert_eq!(used(&device, &remote), 0);
}

#[test]
fn a_fault_names_its_row() {
    let n = integers(3000);
    let row = n.iter().position(|n| *n == 500).unwrap();
    for s in [session(), simulated(SimOptions::default()).1] {
        let error = s.from(&n).map(|n| 100 / (n - 500)).run().unwrap_err();
        assert_eq!((error.kind(), error.row()), (ErrorKind::Arithmetic, Some(row as u64)), "{error}");
        let error = s.from(&n).scan(|n| n.kept()).map(|n| 100 / (n - 500)).run().unwrap_err();
        assert_eq!(error.row(), Some(row as u64), "{error}");
        let kept = n.iter().filter(|n| **n > 0).position(|n| *n == 500).unwrap();
        let error = s.from(&n).filter(|n| n.gt(0)).scan(|n| n.kept()).map(|n| 100 / (n - 500)).run().unwrap_err();
        assert!(error.message().contains(&format!("row {kept} of what stage 0 gave")), "{error}");
        let error = s.from(&[i64::MAX, 1]).sum().unwrap_err();
        assert!(error.message().contains("a sum does not fit"), "{error}");
    }
}

#[test]
fn memory_comes_back_after_every_failure() {
    let nulls = Column::from_options(integers(2000).into_iter().map(|n| (n % 3 != 0).then_some(n)));
    let table = lookup(&floats(100));
    let ask = |s: &Session| {
        let query = s.from(&nulls).scan(|n| n.running_sum()).filter(|n| n.gt(0));
        query.map(|n| table.at(n.abs().cast_saturating::<u32>() % 100)).require("sim").run()
    };
    let allocations = (0..20).map(|allocation| SimFault::OutOfMemory { allocation });
    let launches = (0..3)
        .flat_map(|launch| [SimFault::Transient { launch }, SimFault::Lost { launch }, SimFault::Hang { launch }]);
    let mut failures = 0;
    for fault in allocations.chain(launches) {
        let (device, remote) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
        let result = ask(&remote).map(drop);
        let is_tried_again = matches!(fault, SimFault::Transient { .. });
        assert_eq!(result.is_err(), !device.fired().is_empty() && !is_tried_again, "{fault:?}: {result:?}");
        failures += device.fired().len();
        let kept_by_work = matches!(fault, SimFault::Hang { .. });
        let left = used(&device, &remote);
        assert!(left == 0 || (kept_by_work && result.is_err()), "{fault:?} left {left} bytes");
        assert_eq!(remote.memory().host.outstanding_bytes, 0, "{fault:?}");
    }
    assert!(failures >= 10, "{failures} failures");
}

#[test]
fn cpu_answers_if_the_preferred_device_fails() {
    let n = integers(2000);
    for fault in [
        SimFault::OutOfMemory { allocation: 1 },
        SimFault::Lost { launch: 0 },
        SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile },
    ] {
        let (_, remote) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
        let answer = remote.from(&n).filter(|n| n.gt(0)).run().unwrap();
        assert_eq!(answer.receipt().device(), "cpu", "{fault:?}");
        assert!(answer.receipt().why().starts_with("`sim` is preferred, but "), "{}", answer.receipt());
        assert!(answer.iter().copied().eq(n.iter().copied().filter(|n| *n > 0)));
        let mut out = vec![0; 2000];
        let query = remote.prepare(|n: pointsman::I64| n + 1).unwrap();
        assert_eq!(*query.run_into(&n, &mut out).unwrap(), 2000);
        assert!(out.iter().zip(&n).all(|(out, n)| *out == n + 1));
    }
}

#[test]
fn bounded_devices_take_float_arithmetic_only_when_asked() {
    let (_, s) = simulated(SimOptions { exactness: Exactness::Bounded, ..SimOptions::default() });
    let x = floats(100);
    let error = s.from(&x).map(|x| x * 2.0).require("sim").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("`mul` of f32: allow it with `exactness(Exactness::Bounded)`"), "{error}");
    let answer = s.from(&x).map(|x| x * 2.0).run().unwrap();
    assert_eq!(answer.receipt().device(), "cpu");
    assert!(answer.receipt().why().contains("within bounds"), "{}", answer.receipt());
    let answer = s.from(&x).map(|x| x * 2.0).exactness(Exactness::Bounded).run().unwrap();
    assert_eq!(answer.receipt().device(), "sim");
    assert_eq!(s.from(&x).filter(|x| x.gt(0.0)).run().unwrap().receipt().device(), "sim", "comparing is exact");
    assert_eq!(s.from(&x).folds(|x| x.sum()).run().unwrap().receipt().device(), "cpu", "sums are not");
    let query = s.prepare(|x: F32| x + 1.0).unwrap().require("sim");
    assert!(query.run(&x).unwrap_err().message().contains("within bounds"));
    assert_eq!(query.exactness(Exactness::Bounded).run(&x).unwrap().receipt().device(), "sim");
}

#[test]
fn kernels_with_doubles_run_on_devices_with_doubles() {
    let (_, s) = simulated(SimOptions { f64: false, ..SimOptions::default() });
    let x = [1.5f64, 2.5];
    let error = s.from(&x).map(|x| x * 2.0).require("sim").run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(
        error.message().contains("`sim` cannot run the query's store stage: it has no double precision"),
        "{error}"
    );
    let answer = s.from(&x).map(|x| x * 2.0).run().unwrap();
    assert_eq!((answer.receipt().device(), &answer[..]), ("cpu", &[3.0, 5.0][..]));
    assert!(answer.receipt().why().contains("no double precision"), "{}", answer.receipt());
}

#[test]
fn prepared_queries_move_between_devices() {
    let (_, s) = simulated(SimOptions::default());
    let query = s.prepare(|x: F32, k: Param<f32>| x * k).unwrap();
    assert_eq!(query.run(&[1.0, 2.0], 3.0).unwrap().receipt().device(), "sim");
    let query = query.require("cpu");
    let answer = query.run(&[1.0, 2.0], 3.0).unwrap();
    assert_eq!((answer.receipt().device(), answer.receipt().why()), ("cpu", "required"));
    assert!(query.explain().step("choice").unwrap().starts_with("cpu: required"));
    let error = query.require("gpu").run(&[1.0], 3.0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{error}");
}

#[test]
fn report_lists_devices_and_missing_kinds() {
    let (_, s) = simulated(SimOptions::default());
    let report = s.discover();
    assert_eq!(report.names().take(2).collect::<Vec<_>>(), ["cpu", "sim"]);
    let text = report.to_string();
    assert!(text.lines().next().is_some_and(|head| head.starts_with("device")), "{text}");
    assert!(text.contains("exact") && text.contains("store compact reduce scan"), "{text}");
    for missing in report.missing() {
        assert!(text.contains(&format!("not here: {}", missing.why)) && !missing.why.is_empty(), "{text}");
    }
    let s = SessionOptions::new().devices(["cpu"]).open().unwrap();
    let report = s.devices();
    assert_eq!(report.names().collect::<Vec<_>>(), ["cpu"]);
    assert!(report.missing().iter().any(|one| one.name == "cuda" && one.why.contains("left out")), "{report}");
    let error = s.from(&[1i32]).require("cuda:0").run().unwrap_err();
    assert!(error.message().contains("left out by the session's list of devices"), "{error}");
    let unknown = SessionOptions::new().devices(["cpu", "gpu"]).open().map(drop).unwrap_err();
    assert!(unknown.message().contains("no device `gpu`"), "{unknown}");
}

#[test]
fn reports_look_for_no_device() {
    let s = session();
    let expected: Vec<&str> = s.devices().undiscovered().to_vec();
    assert_eq!(expected.is_empty(), !cfg!(any(feature = "cuda", feature = "wgpu")), "{}", s.devices());
    assert!(s.selector().is_none());
    let explain = s.from(&[1.0f32]).map(|x| x + 1.0).explain();
    if !expected.is_empty() {
        let is_told = explain.step("ranking").is_some_and(|text| text.contains("Session::discover"));
        assert!(is_told || !cfg!(feature = "cuda"), "{explain}");
        assert!(s.devices().to_string().contains("not looked for yet"), "{}", s.devices());
    }
    assert_eq!(s.devices().undiscovered(), expected);
    assert!(s.discover().undiscovered().is_empty(), "{}", s.devices());
}

#[test]
fn devices_to_choose_among_do_not_depend_on_reports() {
    let names = |discovers: bool| {
        let options = SessionOptions::new().threads(2).background_calibration(false).choose_among(["vulkan:0"]);
        let s = options.open().unwrap();
        if discovers {
            s.discover();
        }
        s.wait_until_calibrated();
        s.selector().map(|selector| selector.names().to_vec())
    };
    let found = names(true);
    if found.is_none() {
        eprintln!("skipped: no portable GPU");
    }
    assert_eq!(names(false), found);
}

#[test]
fn a_kind_whose_feature_is_off_is_reported_as_missing() {
    let report = session().devices();
    for (feature, is_built) in [("cuda", cfg!(feature = "cuda")), ("wgpu", cfg!(feature = "wgpu"))] {
        let why = format!("built without the feature `{feature}`");
        assert_eq!(report.missing().iter().any(|one| one.why == why), !is_built, "{report}");
    }
}

#[test]
fn environment_restricts_and_prefers_devices() {
    if std::env::var_os("POINTSMAN_DEVICES").is_some() {
        let s = session();
        assert_eq!(s.devices().names().collect::<Vec<_>>(), ["cpu"]);
        let answer = s.from(&[1i32]).map(|x| x + 1).run().unwrap();
        assert!(answer.receipt().why().starts_with("`cuda:7` is preferred, but"), "{}", answer.receipt());
        return;
    }
    let test = ["api::devices::environment_restricts_and_prefers_devices", "--exact"];
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let child = child.args(test).env("POINTSMAN_DEVICES", "cpu, cuda:9").env("POINTSMAN_DEVICE", "cuda:7");
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
