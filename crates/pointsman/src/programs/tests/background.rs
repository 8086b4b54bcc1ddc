//! What threads behind callers' backs do, fail at, and leave to the next one who asks.

use super::super::write_queue::WAITING_MAX;
use super::*;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Mutex, PoisonError};

/// Whether a program is at hand, or the kind of the error.
fn attempt(programs: &ProgramsOwner, device: &Arc<dyn Device>) -> Result<bool, DeviceErrorKind> {
    let attempt = programs.attempt(&kernel(1), device);
    attempt.map(|attempt| matches!(attempt, BackgroundProgram::Ready(..))).map_err(|error| error.kind)
}

/// A first compilation that goes wrong so is told once as this kind of error.
fn check_told_once(fault: SimFault, kind: DeviceErrorKind) {
    let scratch = Scratch::new();
    let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let programs = programs(&scratch.0);
    assert_eq!(attempt(&programs, &device), Ok(false));
    join(&programs);
    assert_eq!((sim.fired(), attempt(&programs, &device)), (vec![fault], Err(kind)));
    assert_eq!(attempt(&programs, &device), Ok(false), "it is compiled again");
    join(&programs);
    assert_eq!((attempt(&programs, &device), sim.compilations()), (Ok(true), 2));
}

#[test]
fn errors_behind_callers_backs_are_told_once() {
    use DeviceErrorKind::{Internal, InvalidArgument, OutOfMemory, Timeout, Transient};
    for kind in [OutOfMemory, Transient, Timeout, InvalidArgument] {
        check_told_once(SimFault::CompileFails { compilation: 0, kind }, kind);
        check_told_once(SimFault::LoadFails { load: 0, kind }, kind);
    }
    check_told_once(SimFault::CompilePanics { compilation: 0 }, Internal);
}

#[test]
fn a_device_lost_behind_callers_backs_is_told() {
    let scratch = Scratch::new();
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Lost };
    let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let programs = programs(&scratch.0);
    assert_eq!(attempt(&programs, &device), Ok(false));
    join(&programs);
    assert_eq!((sim.fired(), attempt(&programs, &device)), (vec![fault], Err(DeviceErrorKind::Lost)));
}

#[test]
fn an_error_that_someone_waited_for_is_not_told_again() {
    let scratch = Scratch::new();
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Transient };
    let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let programs = programs(&scratch.0);
    sim.block_compilations();
    assert_eq!(attempt(&programs, &device), Ok(false));
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| programs.get(&kernel(1), &device).map(|_| ()));
        while programs.report().waited == 0 {
            std::thread::yield_now();
        }
        sim.unblock_compilations();
        assert_eq!(waiter.join().unwrap().unwrap_err().kind, DeviceErrorKind::Transient);
    });
    assert_eq!((attempt(&programs, &device), sim.fired()), (Ok(false), vec![fault]));
}

/// Time that stands still, and notices who waits for it.
#[derive(Debug, Default)]
struct Noticing {
    naps: AtomicUsize,
}

impl Clock for Noticing {
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
fn threads_end_before_the_session_does() {
    let scratch = Scratch::new();
    let (sim, device) = simulated(SimOptions::default());
    let clock = Arc::new(Noticing::default());
    let options = StoreOptions { directory: Some(scratch.0.clone()), ..StoreOptions::default() };
    let programs = Programs::open(options, clock.clone(), PATIENCE);
    sim.block_compilations();
    assert_eq!(attempt(&programs, &device), Ok(false));
    sim.wait_for_blocked_compilations(1);
    let shared = programs.programs.clone();
    let closing = std::thread::spawn(move || drop(programs));
    while clock.naps.load(Ordering::Acquire) == 0 {
        assert!(!closing.is_finished(), "nobody waits for the thread");
        std::thread::yield_now();
    }
    assert_eq!(shared.crew.len(), 1);
    sim.unblock_compilations();
    closing.join().unwrap();
    assert_eq!(Arc::strong_count(&shared), 1, "no thread has them");
    assert_eq!((sim.loads(), scratch.names().len()), (1, 1), "it was loaded and stored");
}

/// Held while the disk is slow.
static DISK: Mutex<()> = Mutex::new(());
static IS_WRITING: AtomicBool = AtomicBool::new(false);

#[test]
fn callers_do_not_wait_for_the_disk_and_what_it_cannot_take_is_counted() {
    let scratch = Scratch::new();
    let (_, device) = simulated(SimOptions::default());
    let programs = programs(&scratch.0);
    let mut store = Store::open(scratch.0.clone(), 1 << 20).unwrap();
    store.create = |path| {
        IS_WRITING.store(true, Ordering::Release);
        drop(DISK.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(Box::new(fs::File::create_new(path)?))
    };
    assert!(programs.store.set(Ok(store)).is_ok());
    let slow = DISK.lock().unwrap();
    programs.get(&kernel(0), &device).unwrap();
    while !IS_WRITING.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    for number in 1..WAITING_MAX + 3 {
        assert_eq!(programs.get(&kernel(number), &device).unwrap().1.name(), "compiled");
    }
    let report = programs.report();
    assert_eq!((report.lost, report.last_loss.as_deref()), (2, Some("64 programs wait for the disk already")));
    drop(slow);
    join(&programs);
    assert_eq!((scratch.names().len(), programs.report().lost), (1 + WAITING_MAX, 2));
}
