//! Devices of known speed are measured correctly; failures and cancellation leave nothing behind on a device.

use super::thread::ThreadControl;
use super::*;
use crate::error::{Error, ErrorKind};
use crate::resilience::clock::{Clock, SystemClock};
use crate::select::estimator::{
    Arm, ArmSet, CALL_CLASSES, CLASSES, CallClass, Curve, Link, SPREAD_MEASURED, Selector, SelectorOptions, Size,
    TableRates, Workload,
};
use crate::session::options::SessionOptions;
use pointsman_device::cpu::CpuDevice;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use pointsman_device::{DeviceErrorKind, DeviceKind};
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Fft, Matmul};
use pointsman_ir::op::OpClass;
use pointsman_ir::plan::SourceId;
use pointsman_ir::types::DType;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// So fast that folding takes no time beside reading, and a launch not much beside the shortest measured work.
const SPEED: SimSpeed = SimSpeed {
    compile: Duration::from_millis(3),
    launch: Duration::from_nanos(50),
    copy: Duration::from_micros(4),
    link_bytes_per_second: 8e9,
    memory_bytes_per_second: 20e9,
    ops_per_second: 1e12,
};

/// A simulated device with these failures to come.
fn sim(faults: Vec<SimFault>) -> Arc<SimDevice> {
    Arc::new(SimDevice::new(SimOptions { speed: SPEED, faults, ..SimOptions::default() }))
}

/// Calls `run` with the context of a calibration without queries.
fn with_context<T>(clock: &dyn Clock, control: &ThreadControl, run: impl FnOnce(CalibrationContext<'_>) -> T) -> T {
    run(CalibrationContext { clock, control, ended_queries: &|| Some(0) })
}

/// Measures a device without pauses and without a session.
pub(super) fn calibrate(device: &Arc<dyn Device>, clock: &dyn Clock, control: &ThreadControl) -> Result<Profile> {
    let no_session = |_: &Arc<dyn Device>, _: &MeasureRun<'_>| Err(Error::internal("no session"));
    control.awaited(|| with_context(clock, control, |context| measure_device(device, context, no_session).profile))
}

fn calibrated(device: &Arc<SimDevice>) -> Result<Profile> {
    let clock = device.clock().clone();
    calibrate(&(device.clone() as Arc<dyn Device>), &clock, &ThreadControl::default())
}

fn guess() -> Profile {
    Profile::guess(DeviceKind::Sim, 1)
}

/// Whether two numbers are the same but for a few hundredths.
fn near(found: f64, known: f64) -> bool {
    (found / known - 1.0).abs() < 0.03
}

fn assert_flat(name: &str, curve: &Curve, bytes_per_second: f64) {
    assert!(!curve.is_empty(), "{name}");
    for (bytes, each) in curve.points() {
        assert!(near(each, 1e9 / bytes_per_second), "{name} at {bytes}: {each}");
    }
}

/// Whether every number of a profile is one that can be computed with.
fn assert_sound(profile: &Profile) {
    let is_sound = |number: f64| number.is_finite() && number > 0.0;
    assert!(profile.measured && is_sound(profile.launch) && is_sound(profile.compile), "{profile:?}");
    assert!(profile.operations.iter().all(|&each| is_sound(each)), "{:?}", profile.operations);
    for curve in [&profile.read, &profile.write] {
        assert!(!curve.is_empty() && curve.points().all(|(_, each)| is_sound(each)), "{curve:?}");
    }
    assert_eq!(profile.spread, SPREAD_MEASURED);
    for curve in &profile.calls {
        let totals: Vec<f64> = curve.points().map(|(operations, each)| operations * each).collect();
        assert!(curve.points().all(|(_, each)| is_sound(each)) && !totals.is_empty(), "{curve:?}");
        assert!(totals.is_sorted_by(|a, b| *a <= *b * (1.0 + 1e-9)), "more operations take less time: {curve:?}");
    }
    let TableRates {
        start,
        alone,
        key_byte,
        sort,
        sort_tied,
        group,
        new_group,
        build,
        index,
        partition,
        probe,
        gather,
    } = &profile.tables;
    assert!(is_sound(*start) && *alone >= 1.0 && (0.0..1e3).contains(key_byte), "{:?}", profile.tables);
    for curve in [sort, sort_tied, group, new_group, build, index, partition, probe, gather] {
        assert!(!curve.is_empty() && curve.points().all(|(_, each)| is_sound(each)), "{:?}", profile.tables);
    }
    assert!(profile.tables != guess().tables);
}

#[test]
fn a_simulated_device_is_found_to_be_as_fast_as_it_is() {
    let device = sim(Vec::new());
    let profile = calibrated(&device).expect("nothing fails");
    assert_sound(&profile);
    assert!(near(profile.launch, 50.0), "{}", profile.launch);
    assert!(near(profile.copy_start, 4000.0), "{}", profile.copy_start);
    assert!(near(profile.compile, 3e6), "{}", profile.compile);
    assert_flat("read", &profile.read, SPEED.memory_bytes_per_second);
    assert_flat("write", &profile.write, SPEED.memory_bytes_per_second);
    for (name, link) in [("in", &profile.copy_in), ("out", &profile.copy_out)] {
        assert_flat(name, &link.pageable, SPEED.link_bytes_per_second);
        assert_flat(name, &link.locked, SPEED.link_bytes_per_second);
    }
    // Small kernels have a share of other things.
    for each in profile.operations {
        assert!((each * SPEED.ops_per_second / 1e9 - 1.0).abs() < 0.1, "{:?}", profile.operations);
    }
    assert_eq!((device.memory().used, device.zombies()), (0, 0));
}

/// The workload of a call alone.
pub(super) fn call_workload(call: impl Into<Call>, dtype: DType) -> (Workload, Size) {
    let call = call.into();
    let stage = Stage {
        kernel: kernels::call_kernel(&call, dtype),
        parts: vec![StagePart { input: StageInput::Source(SourceId(0)), columns: vec![0], skip: 0, fetch: None }],
        params: Vec::new(),
        lists: Vec::new(),
        tables: Vec::new(),
        pair_limits: Vec::new(),
    };
    (Workload::of(&[stage]), Size::resident(call.rows_in()))
}

/// A simulated device whose calls take these operations a second, and hardly anything else.
fn calculator(name: &str, launch: Duration, ops_per_second: f64) -> Arm {
    let speed = SimSpeed { launch, memory_bytes_per_second: 1e15, ops_per_second, ..SPEED };
    let device = Arc::new(SimDevice::new(SimOptions { name: name.to_string(), speed, ..SimOptions::default() }));
    Arm::new(name, calibrated(&device).expect("nothing fails"))
}

fn over(arms: Vec<Arm>) -> Selector {
    Selector::new(arms, SelectorOptions::default()).expect("a selector")
}

/// The predicted nanoseconds that a call runs on the first device of a selector, and the name of the best device.
fn predicted(selector: &Selector, (workload, size): (Workload, Size)) -> (f64, String) {
    let kernel = selector.register(&workload, ArmSet::ALL);
    let mut predictions = selector.explain(&kernel, size, ArmSet::NONE).predictions;
    let best = predictions[0].device.clone();
    predictions.sort_by_key(|one| selector.names().iter().position(|name| *name == one.device));
    (predictions[0].parts.run, best)
}

#[test]
fn calls_far_larger_than_the_measured_ones_are_predicted() {
    let selector = over(vec![calculator("sim", SPEED.launch, 1e12)]);
    for (call, dtype) in [
        (Call::from(Matmul::real(4096, 4096, 4096)), DType::F32),
        (Matmul::real(4096, 4096, 4096).into(), DType::F64),
        (Matmul::complex(1000, 2000, 3000).into(), DType::F32),
        (Fft::forward(1 << 24).into(), DType::F32),
        (Fft::real_forward(1 << 24).into(), DType::F32),
    ] {
        let (found, expected) = (predicted(&selector, call_workload(call, dtype)).0, call.operations() / 1e3);
        assert!((0.8..1.25).contains(&(found / expected)), "{call} takes {expected} ns, not {found}");
    }
}

#[test]
fn small_calls_run_on_the_device_that_starts_at_once_and_large_ones_on_the_fast_one() {
    let near = calculator("near", Duration::from_nanos(500), 1e9);
    let far = calculator("far", Duration::from_micros(100), 1e12);
    let selector = over(vec![near, far]);
    let best = |size: u64, dtype| predicted(&selector, call_workload(Matmul::real(size, size, size), dtype)).1;
    for dtype in [DType::F32, DType::F64] {
        // A product of edge 32 takes the near device 66 µs, one of edge 45 as long as a launch on the far one.
        assert_eq!(
            [1, 8, 32, 64, 128, 1000].map(|size| best(size, dtype)),
            ["near", "near", "near", "far", "far", "far"]
        );
    }
}

#[test]
fn device_without_calls_keeps_their_guesses() {
    let sinks = SimOptions::default().sinks.into_iter().filter(|sink| *sink != "call").collect();
    let device = Arc::new(SimDevice::new(SimOptions { speed: SPEED, sinks, ..SimOptions::default() }));
    assert_eq!(calibrated(&device).expect("nothing fails").calls, guess().calls);
    assert!(calibrated(&sim(Vec::new())).expect("nothing fails").calls != guess().calls);
}

#[test]
fn failing_device_reports_its_error_and_keeps_no_memory() {
    let failures = [
        (SimFault::Lost { launch: 7 }, ErrorKind::DeviceLost),
        (SimFault::Lost { launch: 70 }, ErrorKind::DeviceLost),
        (SimFault::Transient { launch: 30 }, ErrorKind::Unavailable),
        (SimFault::Hang { launch: 30 }, ErrorKind::Timeout),
        (SimFault::CompileFails { compilation: 3, kind: DeviceErrorKind::Transient }, ErrorKind::Unavailable),
    ];
    for (fault, kind) in failures {
        let device = sim(vec![fault]);
        let error = calibrated(&device).expect_err("it was told to fail");
        assert_eq!((error.kind(), &device.fired()[..]), (kind, &[fault][..]), "{error}");
        let memory = device.memory();
        // What hangs may still be written to.
        assert_eq!(memory.used, memory.zombie, "{fault:?}");
        assert_eq!(memory.zombie > 0, matches!(fault, SimFault::Hang { .. }), "{fault:?}");
    }
}

#[test]
fn refused_measurements_stay_guesses() {
    // Compilations are of reading and copying, then one for each class.
    let fault = SimFault::CompileFails { compilation: 4, kind: DeviceErrorKind::Compile };
    let device = sim(vec![fault]);
    let profile = calibrated(&device).expect("a refusal is no failure");
    assert_eq!(device.fired(), [fault]);
    assert_sound(&profile);
    for class in 0..CLASSES {
        let is_refused = class == OpClass::Divide as usize;
        assert_eq!(profile.operations[class] == guess().operations[class], is_refused, "{:?}", profile.operations);
    }
    let device = sim(vec![SimFault::CompileFails { compilation: 1, kind: DeviceErrorKind::Compile }]);
    let error = calibrated(&device).expect_err("nothing is measured without a copy");
    assert_eq!((error.device_kind(), device.memory().used), (Some(DeviceErrorKind::Compile), 0));
}

/// Virtual time that tells others to stop when it has been asked for so often.
struct StopAfter {
    clock: SimClock,
    asked: AtomicUsize,
    stop_at: usize,
    control: Arc<ThreadControl>,
}

impl std::fmt::Debug for StopAfter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stops at {}", self.stop_at)
    }
}

impl Clock for StopAfter {
    fn now(&self) -> Duration {
        if self.asked.fetch_add(1, Ordering::Relaxed) == self.stop_at {
            self.control.stop(Duration::ZERO);
        }
        self.clock.now()
    }

    fn sleep(&self, time: Duration) {
        self.clock.advance(time);
    }

    fn nap(&self, until: Duration) -> Duration {
        Clock::nap(&self.clock, until)
    }
}

#[test]
fn stopped_calibration_ends() {
    for stop_at in [0, 5, 20, 60, 120] {
        let (device, control) = (sim(Vec::new()), Arc::new(ThreadControl::default()));
        let clock = StopAfter { clock: device.clock().clone(), asked: AtomicUsize::new(0), stop_at, control };
        let arc: Arc<dyn Device> = device.clone();
        let error = calibrate(&arc, &clock, &clock.control).expect_err("it was told to stop");
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        let more = clock.asked.load(Ordering::Relaxed) - stop_at;
        assert!(more <= 8, "{more} times after {stop_at}");
        // Copies under way hold memory until they are done.
        device.clock().advance(Duration::from_secs(1));
        assert_eq!(device.memory().used, 0);
    }
}

#[test]
fn constant_clock_gives_no_measurement() {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::default());
    let error = calibrate(&device, &SimClock::new(), &ThreadControl::default()).expect_err("no time passes");
    assert!(error.message().contains("the clock stands still"), "{error}");
}

/// Measures a device of this machine, and checks that nothing is left behind on it, nor kept for later.
fn check_real(device: Arc<dyn Device>) -> Profile {
    let before = device.memory();
    let clock = SystemClock::start();
    let profile = calibrate(&device, &clock, &ThreadControl::default()).expect("nothing fails");
    assert_sound(&profile);
    let is_host = device.info().capabilities.host_memory;
    for curve in [&profile.copy_in.pageable, &profile.copy_out.pageable] {
        assert_eq!(curve.is_empty(), is_host);
    }
    let memory = device.memory();
    assert_eq!((memory.used, memory.kept, device.zombies()), (before.used, before.kept, 0));
    profile
}

#[test]
fn the_processor_is_measured() {
    let device = Arc::new(CpuDevice::default());
    let (kind, units) = (device.info().kind, device.info().units);
    let profile = check_real(device);
    if !cfg!(feature = "calls") {
        return;
    }
    let guess = Profile::guess(kind, units);
    for class in 0..CALL_CLASSES {
        assert_ne!(profile.calls[class], guess.calls[class], "class {class} was not measured");
    }
    // A large product takes about as long for each operation as the largest one that was measured.
    let (workload, size) = call_workload(Matmul::real(4096, 4096, 4096), DType::F32);
    let (_, each) = profile.calls[CallClass::MatmulF32 as usize].points().last().expect("a point");
    let expected = 2.0 * 4096f64.powi(3) * each;
    let found = predicted(&over(vec![Arm::new("cpu", profile)]), (workload, size)).0;
    assert!((0.5..2.0).contains(&(found / expected)), "{found} ns instead of {expected}");
}

#[cfg(feature = "wgpu")]
#[test]
fn an_adapter_is_measured() {
    use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
    let found = discover();
    let Some(adapter) = found.adapters.first() else {
        eprintln!("skipped: {}", found.why_none.as_deref().unwrap_or("no adapter"));
        return;
    };
    let device = WgpuDevice::open(adapter, WgpuOptions::default()).expect("an adapter that was found opens");
    drop(check_real(Arc::new(device)));
}

#[test]
fn spot_check_finds_a_stored_profile_that_is_off() {
    let device = sim(Vec::new());
    let (clock, control) = (device.clock().clone(), ThreadControl::default());
    let stored = calibrated(&device).expect("nothing fails");
    let device: Arc<dyn Device> = device;
    let agrees = |stored: &Profile| {
        control.awaited(|| with_context(&clock, &control, |context| agrees_with_profile(&device, stored, context)))
    };
    assert!(agrees(&stored));
    for (times, expected) in [(0.7, false), (0.85, true), (1.2, true), (1.3, false)] {
        let curve = |bytes_per_second: f64| Curve::flat(bytes_per_second * times);
        let memory = || curve(SPEED.memory_bytes_per_second);
        let link = Link { pageable: curve(SPEED.link_bytes_per_second), ..Link::default() };
        assert_eq!(agrees(&Profile { read: memory(), ..stored.clone() }), expected, "read {times}");
        assert_eq!(agrees(&Profile { write: memory(), ..stored.clone() }), expected, "write {times}");
        assert_eq!(agrees(&Profile { copy_in: link, ..stored.clone() }), expected, "copy in {times}");
    }
    let without_link = Profile { copy_in: Link::default(), ..stored.clone() };
    assert!(agrees(&without_link), "what is not stored contradicts nothing");
    control.stop(Duration::ZERO);
    let slower = Profile { read: Curve::flat(SPEED.memory_bytes_per_second / 2.0), ..stored };
    assert!(agrees(&slower), "a device that cannot be measured contradicts nothing");
}

#[test]
fn profiles_of_all_devices_are_published_together() {
    let clock = SimClock::new();
    let device = |name: &str| {
        let (name, clock) = (name.to_string(), clock.clone());
        Arc::new(SimDevice::new(SimOptions { name, clock, speed: SPEED, ..SimOptions::default() }))
    };
    let options = SessionOptions::new().devices(["cpu"]).threads(1).clock(Arc::new(clock.clone()));
    let options = options.add_device(device("first")).add_device(device("second")).choose_among(["first", "second"]);
    let session = options.open().expect("a session");
    let selector = session.selector().expect("three devices");
    let devices = session.0.selector.devices().expect("three devices");
    let measured = || (1..3).filter(|&arm| selector.profile(arm).is_some_and(|profile| profile.measured)).count();
    let (control, seen) = (ThreadControl::default(), std::cell::Cell::new(0));
    let (queries, options) = (Vec::new(), session.0.selector.options.clone());
    let thread = CalibrationThread { devices, queries, clock: Arc::new(clock.clone()), options, control: &control };
    // Called before a slice.
    let ended_queries = || {
        seen.set(seen.get().max(measured()));
        Some(0)
    };
    thread.measure(CalibrationContext { clock: &clock, control: &control, ended_queries: &ended_queries }, false);
    assert_eq!((seen.get(), measured()), (0, 2));
}

/// The times of small queries, whether the device works in host memory, and the resulting launch and copy start. Without
/// a session a launch takes 10 and a copy start 7.
fn check_overhead(fold: f64, fold_host: f64, is_host: bool, launch: f64, copy_start: f64) {
    let mut profile = Profile { copy_start: 7.0, launch: 10.0, ..Profile::guess(DeviceKind::Cuda, 1) };
    let before = profile.clone();
    add_session_overhead(&mut profile, &SmallQueryTimes { fold, fold_host }, is_host);
    assert_eq!(profile, Profile { launch, copy_start, ..before });
}

#[test]
fn session_overhead_is_part_of_launches_and_copies() {
    // A copy in takes 30, and a query on the device has one copy, of its result.
    check_overhead(50.0, 80.0, false, 20.0, 30.0);
    // The host copies nothing: its queries take their launch.
    check_overhead(90.0, 120.0, true, 90.0, 7.0);
    // A copy takes no less than it did without a session.
    check_overhead(50.0, 51.0, false, 43.0, 7.0);
    // A copy that seems to take nearly all leaves a part for the launch.
    check_overhead(50.0, 190.0, false, 12.5, 140.0);
}
