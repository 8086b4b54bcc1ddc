//! The store alone, and what happens to programs when it fails, with writers that do.
#![allow(clippy::unwrap_used)]

mod background;

use super::key::Key;
use super::single_flight::REFUSED_FOR;
use super::store::{Store, Stored};
use super::*;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use pointsman_device::{DeviceErrorKind, ProgramImage};
use pointsman_ir::kernel::parse;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-programs-{}-{number}", std::process::id())))
    }

    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(number: usize) -> Key {
    Key::of_text(format!("key {number}"))
}

fn image(bytes: usize) -> ProgramImage {
    ProgramImage::new("format", &vec![7; bytes])
}

fn kernel(number: usize) -> Kernel {
    let text =
        format!("kernel\ncolumns c0: i64\n  v0: i64 = column c0\n  v1: i64 = const {number}\nsink store v0, v1\n");
    parse::parse(&text).unwrap()
}

fn simulated(options: SimOptions) -> (Arc<SimDevice>, Arc<dyn Device>) {
    let device = Arc::new(SimDevice::new(SimOptions { images_worth_storing: true, ..options }));
    (device.clone(), device)
}

/// How long threads are waited for, in time that stands still.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits for all threads: time stands still, so for as long as it takes.
fn join(programs: &ProgramsOwner) {
    assert_eq!(programs.crew.join(&*programs.clock, PATIENCE), 0);
}

fn programs(directory: &Path) -> ProgramsOwner {
    clocked(directory, &SimClock::new())
}

fn clocked(directory: &Path, clock: &SimClock) -> ProgramsOwner {
    let options = StoreOptions { directory: Some(directory.to_path_buf()), ..StoreOptions::default() };
    Programs::open(options, Arc::new(clock.clone()), PATIENCE)
}

#[test]
fn what_was_not_used_for_longest_goes_when_there_is_no_room() {
    let scratch = Scratch::new();
    let store = Store::open(scratch.0.clone(), 3500).unwrap();
    let age = |number: usize, seconds: u64| {
        let file = fs::File::options().write(true).open(scratch.0.join(&key(number).name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    for number in 0..3 {
        store.write(&key(number), &image(1000)).unwrap();
        age(number, number as u64);
    }
    fs::write(scratch.0.join("notes.txt"), vec![0; 9000]).unwrap();
    assert!(matches!(store.read(&key(0)), Stored::Here(_)), "this is a use of it");
    store.write(&key(3), &image(1000)).unwrap();
    let here: Vec<bool> = (0..4).map(|number| matches!(store.read(&key(number)), Stored::Here(_))).collect();
    assert_eq!(here, [true, false, true, true]);
    assert!(scratch.names().contains(&"notes.txt".to_string()), "what is not ours stays");
    let error = store.write(&key(4), &image(4000)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    assert_eq!(scratch.names().len(), 4);
}

#[test]
fn entries_are_their_owners_alone() {
    let scratch = Scratch::new();
    let store = Store::open(scratch.0.join("a/b"), 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(store.directory()), 0o700);
        assert_eq!(mode(&store.directory().join(&key(1).name)), 0o600);
    }
    assert_eq!(store.read(&key(1)), Stored::Here(image(10)));
}

#[test]
fn an_entry_of_another_key_in_the_same_file_is_not_loaded_and_gives_way() {
    let scratch = Scratch::new();
    let store = Store::open(scratch.0.clone(), 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    let clash = Key { text: "key 2".to_string(), name: key(1).name };
    assert_eq!(store.read(&clash), Stored::Absent);
    store.write(&clash, &image(20)).unwrap();
    assert_eq!(store.read(&clash), Stored::Here(image(20)));
}

#[test]
fn a_disk_that_cannot_be_read_costs_no_entry() {
    let scratch = Scratch::new();
    let mut store = Store::open(scratch.0.clone(), 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    let contents = std::mem::replace(&mut store.contents, |_| Err(io::ErrorKind::HostUnreachable.into()));
    assert_eq!(store.read(&key(1)), Stored::Absent);
    store.contents = contents;
    assert_eq!(store.read(&key(1)), Stored::Here(image(10)));
}

#[test]
fn what_a_device_cannot_load_now_is_neither_removed_nor_compiled() {
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    programs(&scratch.0).get(&kernel(1), &device).unwrap();
    for kind in
        [DeviceErrorKind::OutOfMemory, DeviceErrorKind::Transient, DeviceErrorKind::Timeout, DeviceErrorKind::Lost]
    {
        let fault = SimFault::LoadFails { load: 0, kind };
        for ask in [
            |p: &ProgramsOwner, d: &_| p.get(&kernel(1), d).err(),
            |p: &ProgramsOwner, d: &_| p.attempt(&kernel(1), d).err(),
        ] {
            let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
            let programs = programs(&scratch.0);
            let error = ask(&programs, &device).unwrap();
            assert_eq!((error.kind, sim.fired(), sim.compilations()), (kind, vec![fault], 0));
            sim.plan_faults(Vec::new());
            assert_eq!(programs.get(&kernel(1), &device).unwrap().1.name(), "disk");
            assert_eq!((programs.report().damaged, programs.report().compiled), (0, 0));
        }
    }
}

#[test]
fn what_a_device_refuses_to_load_is_removed_and_compiled() {
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    programs(&scratch.0).get(&kernel(1), &device).unwrap();
    let fault = SimFault::LoadFails { load: 0, kind: DeviceErrorKind::Compile };
    let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let programs = programs(&scratch.0);
    assert_eq!(programs.get(&kernel(1), &device).unwrap().1.name(), "compiled");
    assert_eq!((programs.report().damaged, sim.fired()), (1, vec![fault]));
}

/// Sessions of other containers may have this process's number.
#[test]
fn files_of_others_that_are_being_written_stay() {
    let scratch = Scratch::new();
    fs::create_dir(&scratch.0).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&scratch.0, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let other = format!("{}.program-tmp", std::process::id());
    fs::write(scratch.0.join(&other), "another's").unwrap();
    let mut store = Store::open(scratch.0.clone(), 10_000).unwrap();
    assert_eq!(scratch.names(), [other], "not even the probe takes its name");
    store.create = |path| {
        fs::write(path, "another's")?;
        Err(io::ErrorKind::AlreadyExists.into())
    };
    for files in [2, 3] {
        assert_eq!(store.write(&key(1), &image(10)).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(scratch.names().len(), files, "each try has a name of its own");
    }
}

/// Writes so many bytes, a few at a time, then says that the disk is full.
struct Full(fs::File, usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = bytes.len().min(self.1).min(100);
        self.1 -= part;
        if part == 0 { Err(io::ErrorKind::StorageFull.into()) } else { self.0.write(&bytes[..part]) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[test]
fn a_full_disk_costs_the_entry_and_nothing_else() {
    let scratch = Scratch::new();
    let (sim, device) = simulated(SimOptions::default());
    let programs = programs(&scratch.0);
    let mut store = Store::open(scratch.0.clone(), 1 << 20).unwrap();
    store.create = |path| Ok(Box::new(Full(fs::File::create_new(path)?, 150)));
    assert!(programs.store.set(Ok(store)).is_ok());
    let (_, source) = programs.get(&kernel(1), &device).unwrap();
    assert_eq!(source.name(), "compiled");
    join(&programs);
    let report = programs.report();
    assert_eq!((report.lost, report.compiled, sim.compilations()), (1, 1, 1), "{report:?}");
    assert_eq!(report.last_loss.as_deref(), Some(&*io::Error::from(io::ErrorKind::StorageFull).to_string()));
    assert_eq!(scratch.names(), Vec::<String>::new(), "what was begun is gone");
    assert_eq!(programs.get(&kernel(1), &device).unwrap().1, ProgramSource::Memory);
}

#[test]
fn a_directory_that_vanished_costs_the_entry_and_nothing_else() {
    let scratch = Scratch::new();
    let (_, device) = simulated(SimOptions::default());
    let programs = programs(&scratch.0);
    programs.get(&kernel(1), &device).unwrap();
    join(&programs);
    fs::remove_dir_all(&scratch.0).unwrap();
    programs.get(&kernel(2), &device).unwrap();
    join(&programs);
    let report = programs.report();
    assert_eq!((report.compiled, report.lost), (2, 1), "{report:?}");
}

/// The minute begins when the compiler is done, however long it took.
#[test]
fn a_refused_program_is_tried_again_after_a_minute() {
    let (scratch, clock) = (Scratch::new(), SimClock::new());
    let faults = vec![SimFault::Compile { compilation: 0 }, SimFault::Compile { compilation: 1 }];
    let speed = SimSpeed { compile: Duration::from_secs(40), ..SimSpeed::default() };
    let options = SimOptions { faults: faults.clone(), speed, clock: clock.clone(), ..SimOptions::default() };
    let (sim, device) = simulated(options);
    let programs = clocked(&scratch.0, &clock);
    let wait = REFUSED_FOR - Duration::from_nanos(1);
    for wait in [Duration::ZERO, Duration::ZERO, wait] {
        clock.advance(wait);
        let error = programs.get(&kernel(1), &device).err().unwrap();
        assert_eq!(error.kind, DeviceErrorKind::Compile);
    }
    assert_eq!((sim.compilations(), sim.fired()), (1, faults[..1].to_vec()));
    clock.advance(Duration::from_nanos(1));
    assert!(programs.get(&kernel(1), &device).is_err());
    assert_eq!((sim.compilations(), sim.fired()), (2, faults));
    clock.advance(REFUSED_FOR);
    let (_, source) = programs.get(&kernel(1), &device).unwrap();
    assert_eq!((source.name(), sim.compilations()), ("compiled", 3));
}

#[test]
fn errors_that_pass_are_not_remembered() {
    let scratch = Scratch::new();
    let (sim, device) = simulated(SimOptions { f64: false, ..SimOptions::default() });
    let programs = programs(&scratch.0);
    sim.plan_faults(vec![SimFault::Lost { launch: 0 }]);
    let lead = match programs.board(&kernel(1), &device) {
        CompileRole::CompileGuard(lead) => lead,
        CompileRole::Loaded(_) | CompileRole::Refused(_) | CompileRole::Join(_) => panic!("nobody asked before"),
    };
    lead.refuse(pointsman_device::DeviceError::new(DeviceErrorKind::OutOfMemory, "later"), Duration::ZERO);
    assert!(programs.get(&kernel(1), &device).is_ok());
}

#[test]
fn a_compilation_that_is_given_up_lets_nobody_wait() {
    let scratch = Scratch::new();
    let (_, device) = simulated(SimOptions::default());
    let programs = programs(&scratch.0);
    let CompileRole::CompileGuard(lead) = programs.board(&kernel(1), &device) else { panic!("nobody asked before") };
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| programs.get(&kernel(1), &device).map(|_| ()));
        while programs.report().waited == 0 {
            std::thread::yield_now();
        }
        drop(lead);
        assert_eq!(waiter.join().unwrap().unwrap_err().kind, DeviceErrorKind::Internal);
    });
    assert!(programs.get(&kernel(1), &device).is_ok(), "and the next one compiles");
}
