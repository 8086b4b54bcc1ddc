//! Devices of known speed are measured correctly; failures and cancellation leave nothing behind on a device.

use super::pacing::{QueryActivity, Urgency};
use super::spot_check::{agrees_with_profile, measure_points, spot_ratio};
use super::*;
use crate::error::ErrorKind;
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::{Clock, SystemClock};
use crate::select::estimator::{CLASSES, Curve};
use crate::session::options::SessionOptions;
use pointsman_device::DeviceErrorKind;
use pointsman_device::cpu::CpuDevice;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use std::sync::atomic::{AtomicUsize, Ordering};

const BUDGET: Duration = Duration::from_secs(1);

/// So fast that folding takes no time beside reading.
const SPEED: SimSpeed = SimSpeed {
    compile: Duration::from_millis(3),
    launch: Duration::from_micros(2),
    copy: Duration::from_micros(4),
    link_bytes_per_second: 8e9,
    memory_bytes_per_second: 20e9,
    ops_per_second: 1e12,
};

/// A simulated device with these failures to come.
fn sim(faults: Vec<SimFault>) -> Arc<SimDevice> {
    Arc::new(SimDevice::new(SimOptions { speed: SPEED, faults, ..SimOptions::default() }))
}

/// Measures a device without pauses and without a session.
fn calibrate(
    device: &Arc<dyn Device>,
    budget: Duration,
    clock: &dyn Clock,
    stop: &CancellationToken,
) -> Result<Profile> {
    let no_session = |_: &Arc<dyn Device>| Err(Error::internal("no session"));
    measure_device(device, budget, &Pacer::immediate(clock, stop, None), no_session).profile
}

fn calibrated(device: &Arc<SimDevice>) -> Result<Profile> {
    let clock = device.clock().clone();
    calibrate(&(device.clone() as Arc<dyn Device>), BUDGET, &clock, &CancellationToken::new())
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
    assert!(profile.spread >= SPREAD_MEASURED && profile.spread <= 2.0 * SPREAD_MEASURED, "{}", profile.spread);
}

#[test]
fn a_simulated_device_is_found_to_be_as_fast_as_it_is() {
    let device = sim(Vec::new());
    let profile = calibrated(&device).expect("nothing fails");
    assert_sound(&profile);
    assert!(near(profile.launch, 2000.0), "{}", profile.launch);
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
    for sink in &profile.sinks {
        assert!(sink.launch < 200.0, "{sink:?}");
        assert!(sink.times.points().all(|(_, times)| (times - 1.0).abs() < 0.2), "{sink:?}");
    }
    assert!(profile.sinks[2..].iter().all(|sink| !sink.times.is_empty()), "{:?}", profile.sinks);
    assert_eq!((profile.spread, profile.memory), (SPREAD_MEASURED, Some(1 << 30)));
    assert_eq!((device.memory().used, device.zombies()), (0, 0));
    assert!(device.clock().now() < BUDGET, "{:?}", device.clock().now());
}

#[test]
fn a_device_that_fails_tells_how_and_keeps_nothing() {
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
fn what_a_device_refuses_is_guessed() {
    // Compilations are of reading, copying, keeping and carrying (twice), then one for each class.
    let fault = SimFault::CompileFails { compilation: 6, kind: DeviceErrorKind::Compile };
    let device = sim(vec![fault]);
    let profile = calibrated(&device).expect("a refusal is no failure");
    assert_eq!(device.fired(), [fault]);
    assert_sound(&profile);
    // The guess is as far off as those of the other classes were.
    let apart: [f64; CLASSES] =
        std::array::from_fn(|class| (profile.operations[class] / guess().operations[class]).ln());
    let others = (apart.iter().sum::<f64>() - apart[2]) / (CLASSES - 1) as f64;
    assert!((apart[2] - others).abs() < 1e-9, "{apart:?}");
    let rate = 1e9 / SPEED.ops_per_second;
    assert!(!near(profile.operations[2], rate) && near(profile.operations[3], rate), "{:?}", profile.operations);
    let device = sim(vec![SimFault::CompileFails { compilation: 1, kind: DeviceErrorKind::Compile }]);
    let profile = calibrated(&device).expect("a refusal is no failure");
    assert!(!profile.measured && profile.read == guess().read && profile.spread == guess().spread);
}

#[test]
fn less_memory_makes_smaller_measurements() {
    // The first column does not fit, and at half of its size its output does not.
    let faults = vec![SimFault::OutOfMemory { allocation: 0 }, SimFault::OutOfMemory { allocation: 2 }];
    let device = sim(faults.clone());
    let profile = calibrated(&device).expect("there is less memory, but some");
    assert_eq!(device.fired(), faults);
    assert_sound(&profile);
    assert_eq!(profile.read.points().len(), 1);
    assert_eq!(device.memory().used, 0);
}

#[test]
fn device_that_takes_too_long_is_guessed() {
    let device = sim(Vec::new());
    let (clock, stop) = (device.clock().clone(), CancellationToken::new());
    let arc: Arc<dyn Device> = device.clone();
    let none = calibrate(&arc, Duration::ZERO, &clock, &stop).expect("nothing fails");
    assert_eq!(none, guess());
    // A kernel takes 3 ms to compile: there is time for some, and for none of the operations.
    let some = calibrate(&arc, Duration::from_millis(15), &clock, &stop).expect("nothing fails");
    assert!(some.measured && near(some.launch, 2000.0), "{some:?}");
    assert_eq!(some.operations, guess().operations);
    assert_eq!(device.memory().used, 0);
}

/// Virtual time that tells others to stop when it has been asked for so often.
#[derive(Debug)]
struct StopAfter {
    clock: SimClock,
    asked: AtomicUsize,
    stop_at: usize,
    token: CancellationToken,
}

impl Clock for StopAfter {
    fn now(&self) -> Duration {
        if self.asked.fetch_add(1, Ordering::Relaxed) == self.stop_at {
            self.token.cancel();
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
fn a_calibration_that_is_told_to_stop_ends() {
    for stop_at in [0, 5, 20, 60, 120] {
        let (device, token) = (sim(Vec::new()), CancellationToken::new());
        let clock = StopAfter { clock: device.clock().clone(), asked: AtomicUsize::new(0), stop_at, token };
        let arc: Arc<dyn Device> = device.clone();
        let error = calibrate(&arc, BUDGET, &clock, &clock.token).expect_err("it was told to stop");
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        let more = clock.asked.load(Ordering::Relaxed) - stop_at;
        assert!(more <= 8, "{more} times after {stop_at}");
        // Copies under way hold memory until they are done.
        device.clock().advance(Duration::from_secs(1));
        assert_eq!(device.memory().used, 0);
    }
}

#[test]
fn a_clock_that_stands_still_measures_nothing() {
    let device: Arc<dyn Device> = Arc::new(CpuDevice::default());
    let profile = calibrate(&device, BUDGET, &SimClock::new(), &CancellationToken::new()).expect("nothing fails");
    let kind = Profile::guess(DeviceKind::Cpu, device.info().units);
    assert!(!profile.measured && profile.launch == kind.launch && profile.read == kind.read);
}

/// Measures a device of this machine, and checks that nothing is left behind on it, nor kept for later.
fn check_real(device: Arc<dyn Device>) {
    let before = device.memory();
    let clock = SystemClock::start();
    let profile = calibrate(&device, DEVICE_TIME_MAX, &clock, &CancellationToken::new()).expect("nothing fails");
    assert_sound(&profile);
    let is_host = device.info().capabilities.host_memory;
    for curve in [&profile.copy_in.pageable, &profile.copy_out.pageable] {
        assert_eq!(curve.is_empty(), is_host);
    }
    assert!(!is_host || profile.memory.is_none());
    let memory = device.memory();
    assert_eq!((memory.used, memory.kept, device.zombies()), (before.used, before.kept, 0));
}

#[test]
fn the_processor_is_measured() {
    check_real(Arc::new(CpuDevice::default()));
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
    check_real(Arc::new(device));
}

#[test]
fn spot_check_finds_how_far_a_stored_profile_is_off() {
    let device = sim(Vec::new());
    let (clock, stop) = (device.clock().clone(), CancellationToken::new());
    let stored = calibrated(&device).expect("nothing fails");
    let device: Arc<dyn Device> = device;
    let measure = || measure_points(&device, &Pacer::immediate(&clock, &stop, None));
    let slower = Profile { read: Curve::flat(SPEED.memory_bytes_per_second / 2.0), ..stored.clone() };
    let agrees = |stored: &Profile| agrees_with_profile(&device, stored, &Pacer::immediate(&clock, &stop, None));
    for (stored, expected) in [(&stored, 1.0), (&slower, 2.0)] {
        let ratio = measure().and_then(|points| spot_ratio(stored, &points));
        assert!(ratio.is_some_and(|ratio| near(ratio, expected)), "{ratio:?}");
        assert_eq!(agrees(stored), expected == 1.0);
    }
    stop.cancel();
    assert_eq!(measure(), None);
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
    // Called before and after every slice.
    let activity = || {
        seen.set(seen.get().max(measured()));
        QueryActivity::default()
    };
    let stop = CancellationToken::new();
    thread.measure_speed(&Pacer::new(&clock, &stop, &activity, &|| Urgency::Immediate, None), false);
    assert_eq!((seen.get(), measured()), (0, 2));
}

/// Times of small queries, whether the device works in host memory, and the resulting launch, copy start and launches of
/// sinks. Without a session storing takes 10, reducing 15, and the other sinks more.
fn check_overhead(times: [f64; 4], is_host: bool, launch: f64, copy_start: f64, sinks: [f64; 5]) {
    let mut before = Profile { copy_start: 7.0, launch: 10.0, ..Profile::guess(DeviceKind::Cuda, 1) };
    for (cost, launch) in before.sinks.iter_mut().zip([0.0, 5.0, 8.0, 1.0, 9.0]) {
        cost.launch = launch;
    }
    let after = add_session_overhead(before.clone(), times, is_host);
    assert_eq!((after.launch, after.copy_start), (launch, copy_start), "{times:?}");
    assert_eq!(after.sinks.map(|cost| cost.launch), sinks, "{times:?}");
    assert_eq!((after.read, after.operations), (before.read, before.operations), "{times:?}");
}

#[test]
fn session_overhead_is_part_of_launches_and_copies() {
    // A reduction takes 12 more than storing, and the others as much more or less than it as without a session. A copy in
    // takes 30, and a query that stores on the device has one copy, of its result.
    check_overhead([90.0, 50.0, 92.0, 62.0], false, 20.0, 30.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
    // The host copies nothing: its queries take their launch, wherever the column is.
    check_overhead([90.0, 50.0, 92.0, 62.0], true, 90.0, 7.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
    // A copy takes no less than it did without a session; a fold that seems faster than storing takes nothing more, and
    // neither does a sink that took less than it.
    check_overhead([90.0, 50.0, 45.0, 44.0], false, 43.0, 7.0, [0.0, 0.0, 3.0, 0.0, 4.0]);
    // A copy that seems to take nearly all leaves a part for the launch.
    check_overhead([90.0, 50.0, 200.0, 60.0], false, 12.5, 140.0, [0.0, 10.0, 13.0, 6.0, 14.0]);
}
