//! Background compilations and writes: their errors, their end, and a slow disk.

use super::super::background::HELPERS_MAX;
use super::super::write_queue::PENDING_MAX;
use super::*;
use crate::resilience::gate::WaitLimit;
use crate::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Whether a program is ready, or the kind of the error.
fn is_ready(programs: &ProgramsOwner, device: &Arc<dyn Device>) -> Result<bool, DeviceErrorKind> {
    let program = programs.get(&kernel(1), device, CompileMode::MayReturn, None);
    program.map(|program| program.is_some()).map_err(|error| error.kind)
}

/// Checks that the failure of a first compilation is reported once, as this kind of error.
fn check_reported_once(fault: SimFault, kind: DeviceErrorKind) {
    let (_scratch, sim, device, programs) = opened(SimOptions { faults: vec![fault], ..SimOptions::default() });
    assert_eq!(is_ready(&programs, &device), Ok(false));
    join(&programs);
    assert_eq!((sim.fired(), is_ready(&programs, &device)), (vec![fault], Err(kind)));
    assert_eq!(is_ready(&programs, &device), Ok(false), "the kernel is compiled again");
    join(&programs);
    assert_eq!((is_ready(&programs, &device), sim.compilations()), (Ok(true), 2));
}

#[test]
fn background_errors_are_reported_once() {
    use DeviceErrorKind::{Internal, InvalidArgument, OutOfMemory, Timeout, Transient};
    for kind in [OutOfMemory, Transient, Timeout, InvalidArgument] {
        check_reported_once(SimFault::CompileFails { compilation: 0, kind }, kind);
        check_reported_once(SimFault::LoadFails { load: 0, kind }, kind);
    }
    check_reported_once(SimFault::CompilePanics { compilation: 0 }, Internal);
}

#[test]
fn background_device_loss_is_reported() {
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Lost };
    let (_scratch, sim, device, programs) = opened(SimOptions { faults: vec![fault], ..SimOptions::default() });
    assert_eq!(is_ready(&programs, &device), Ok(false));
    join(&programs);
    assert_eq!((sim.fired(), is_ready(&programs, &device)), (vec![fault], Err(DeviceErrorKind::Lost)));
}

#[test]
fn error_that_a_waiter_received_is_not_reported_again() {
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Transient };
    let (_scratch, sim, device, programs) = opened(SimOptions { faults: vec![fault], ..SimOptions::default() });
    sim.block_compilations();
    assert_eq!(is_ready(&programs, &device), Ok(false));
    let kind = error_of_waiter(&programs, &device, || sim.unblock_compilations());
    assert_eq!(kind, DeviceErrorKind::Transient);
    assert_eq!((is_ready(&programs, &device), sim.fired()), (Ok(false), vec![fault]));
}

#[test]
fn compilation_that_finds_no_helper_thread_must_be_started_again() {
    let (_scratch, sim, device, programs) = opened(SimOptions::default());
    sim.block_compilations();
    let number = (0..100).take_while(|number| programs.start(&kernel(*number), &device)).count();
    assert!(number < 100, "helper threads are limited");
    assert!((0..number).all(|number| programs.start(&kernel(number), &device)), "those are being compiled");
    sim.unblock_compilations();
    join(&programs);
    assert!(programs.start(&kernel(number), &device));
    join(&programs);
    assert_eq!(sim.compilations() as usize, number + 1);
}

#[test]
fn caller_with_a_deadline_goes_elsewhere_while_all_helper_threads_are_busy() {
    let (_scratch, sim, device, programs) = opened(SimOptions::default());
    let limit = WaitLimit { clock: &*programs.clock.clone(), until: Some(Duration::MAX), token: None };
    programs.helpers.store(HELPERS_MAX, Ordering::Release);
    assert!(programs.get(&kernel(1), &device, CompileMode::Wait, Some(&limit)).unwrap().is_none());
    assert_eq!(sim.compilations(), 0);
    programs.helpers.store(0, Ordering::Release);
    assert!(
        programs.get(&kernel(1), &device, CompileMode::Wait, Some(&limit)).unwrap().is_some(),
        "no error was left behind"
    );
}

#[test]
fn compilation_that_found_no_thread_is_a_transient_error_for_those_that_joined_it() {
    let (_scratch, _, device, programs) = opened(SimOptions::default());
    let guard = lead(&programs, &kernel(1), &device);
    let CompileRole::Join(joined) = programs.join_or_lead(&kernel(1), &device) else { panic!("this is the second") };
    guard.give_up();
    assert_eq!(joined.wait(None).unwrap().err().map(|error| error.kind), Some(DeviceErrorKind::Transient));
}

/// A clock that does not advance and counts the threads that wait for it.
#[derive(Debug, Default)]
struct WaitCountingClock {
    naps: AtomicUsize,
}

impl Clock for WaitCountingClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) {}

    fn nap(&self, _: Duration) -> Duration {
        self.naps.fetch_add(1, Ordering::AcqRel);
        Duration::from_millis(1)
    }
}

#[test]
fn dropped_session_waits_for_background_threads() {
    let scratch = Scratch::new();
    let (sim, device) = simulated(SimOptions::default());
    let clock = Arc::new(WaitCountingClock::default());
    let programs = programs_with_clock(&scratch.0, clock.clone());
    sim.block_compilations();
    assert_eq!(is_ready(&programs, &device), Ok(false));
    sim.wait_for_blocked_compilations(1);
    let shared = programs.0.clone();
    let closing = std::thread::spawn(move || drop(programs));
    while clock.naps.load(Ordering::Acquire) == 0 {
        assert!(!closing.is_finished(), "the drop did not wait for the thread");
        std::thread::yield_now();
    }
    assert_eq!(shared.threads.join(&*clock, Duration::ZERO, 0), 1);
    sim.unblock_compilations();
    closing.join().unwrap();
    assert_eq!(Arc::strong_count(&shared), 1, "no thread holds the programs");
    assert_eq!((sim.loads(), scratch.names().len()), (1, 1), "the program was loaded and stored");
}

/// Writes block while this lock is held.
static DISK: Mutex<()> = Mutex::new(());
static IS_WRITING: AtomicBool = AtomicBool::new(false);

#[test]
fn callers_do_not_wait_for_the_disk_and_losses_are_counted() {
    let (scratch, _, device, programs) = opened(SimOptions::default());
    let mut store = ProgramStore::open(&scratch.0, 1 << 20).unwrap();
    store.create = |directory, name| {
        IS_WRITING.store(true, Ordering::Release);
        drop(DISK.lock());
        Ok(Box::new(directory.create_file(name)?))
    };
    assert!(programs.store.set(Ok(store)).is_ok());
    let slow = DISK.lock();
    get(&programs, &kernel(0), &device).unwrap();
    while !IS_WRITING.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    for number in 1..PENDING_MAX + 3 {
        assert_eq!(get(&programs, &kernel(number), &device).unwrap().1.name(), "compiled");
    }
    let report = programs.report();
    assert_eq!((report.lost, report.last_loss.as_deref()), (2, Some("64 programs wait for the disk already")));
    drop(slow);
    join(&programs);
    assert_eq!((scratch.names().len(), programs.report().lost), (1 + PENDING_MAX, 2));
}
