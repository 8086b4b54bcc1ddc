//! The store on its own, and programs of a session whose store fails.
#![allow(clippy::unwrap_used)]

mod background;

use super::single_flight::REFUSAL_TIME;
use super::store::{Key, ProgramStore, Stored};
use super::*;
use crate::private_dir::scratch::Scratch;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions, SimSpeed};
use pointsman_device::{DeviceErrorKind, ProgramImage};
use pointsman_ir::kernel::parse;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

fn key(number: usize) -> Key {
    Key::from_text(format!("key {number}"))
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

/// The timeout for background threads, on a virtual clock that does not advance.
const DROP_TIMEOUT: Duration = Duration::from_secs(10);
/// The time after which a compiler counts as hung.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(600);

/// Waits for all background threads; the clock does not advance, so the timeout never expires.
fn join(programs: &ProgramsOwner) {
    assert_eq!(programs.threads.join(&*programs.clock, DROP_TIMEOUT, 0), 0);
}

/// The program of a kernel on a device, however long its compilation takes.
fn get(
    programs: &Arc<Programs>,
    kernel: &Kernel,
    device: &Arc<dyn Device>,
) -> DeviceResult<(Arc<Program>, ProgramSource)> {
    Ok(programs.get(kernel, device, CompileMode::Wait, None)?.unwrap())
}

fn programs(directory: &Path) -> ProgramsOwner {
    programs_with_clock(directory, Arc::new(SimClock::new()))
}

/// A scratch directory, a simulated device, and programs that are stored in the directory.
fn opened(options: SimOptions) -> (Scratch, Arc<SimDevice>, Arc<dyn Device>, ProgramsOwner) {
    let (scratch, (sim, device)) = (Scratch::new(), simulated(options));
    let programs = programs(&scratch.0);
    (scratch, sim, device, programs)
}

/// Leads the compilation of a kernel that no other caller has asked for.
fn lead(programs: &Programs, kernel: &Kernel, device: &Arc<dyn Device>) -> CompileGuard {
    match programs.join_or_lead(kernel, device) {
        CompileRole::Lead(guard) => guard,
        CompileRole::Loaded(_) | CompileRole::Failed(_) | CompileRole::Join(_) => panic!("this is the first caller"),
    }
}

/// Calls `get` on another thread, and `then` once it waits for a compilation; returns the kind of its error.
fn error_of_waiter(programs: &ProgramsOwner, device: &Arc<dyn Device>, then: impl FnOnce()) -> DeviceErrorKind {
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| get(programs, &kernel(1), device).map(|_| ()));
        while programs.report().waited == 0 {
            std::thread::yield_now();
        }
        then();
        waiter.join().unwrap().unwrap_err().kind
    })
}

fn programs_with_clock(directory: &Path, clock: Arc<dyn Clock>) -> ProgramsOwner {
    let options = StoreOptions { directory: Some(directory.to_path_buf()), ..StoreOptions::default() };
    let limits = CompileLimits { compile_timeout: COMPILE_TIMEOUT, drop_timeout: DROP_TIMEOUT };
    Programs::open(options, clock, limits)
}

#[test]
fn full_store_evicts_the_least_recently_used_entry() {
    let scratch = Scratch::new();
    let store = ProgramStore::open(&scratch.0, 3500).unwrap();
    let age = |number: usize, seconds: u64| {
        let file = fs::File::options().write(true).open(scratch.0.join(&key(number).name)).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    for number in 0..3 {
        store.write(&key(number), &image(1000)).unwrap();
        age(number, number as u64);
    }
    fs::write(scratch.0.join("notes.txt"), vec![0; 9000]).unwrap();
    assert!(matches!(store.read(&key(0)), Stored::Found(_)), "reading counts as a use");
    store.write(&key(3), &image(1000)).unwrap();
    let here: Vec<bool> = (0..4).map(|number| matches!(store.read(&key(number)), Stored::Found(_))).collect();
    assert_eq!(here, [true, false, true, true]);
    assert!(scratch.names().contains(&"notes.txt".to_string()), "foreign files stay");
    let error = store.write(&key(4), &image(4000)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    assert_eq!(scratch.names().len(), 4);
}

#[test]
fn entries_are_readable_by_their_owner_only() {
    let scratch = Scratch::new();
    let store = ProgramStore::open(&scratch.0.join("a/b"), 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(store.directory()), 0o700);
        assert_eq!(mode(&store.directory().join(&key(1).name)), 0o600);
    }
    assert_eq!(store.read(&key(1)), Stored::Found(image(10)));
}

#[test]
fn colliding_file_name_is_not_loaded_and_is_overwritten() {
    let scratch = Scratch::new();
    let store = ProgramStore::open(&scratch.0, 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    let clash = Key { text: "key 2".to_string(), name: key(1).name };
    assert_eq!(store.read(&clash), Stored::Absent);
    store.write(&clash, &image(20)).unwrap();
    assert_eq!(store.read(&clash), Stored::Found(image(20)));
}

#[test]
fn failed_read_does_not_remove_the_entry() {
    let scratch = Scratch::new();
    let mut store = ProgramStore::open(&scratch.0, 10_000).unwrap();
    store.write(&key(1), &image(10)).unwrap();
    let read_file = std::mem::replace(&mut store.read_file, |_| Err(io::ErrorKind::HostUnreachable.into()));
    assert_eq!(store.read(&key(1)), Stored::Absent);
    store.read_file = read_file;
    assert_eq!(store.read(&key(1)), Stored::Found(image(10)));
}

#[test]
fn image_that_cannot_be_loaded_now_is_neither_removed_nor_recompiled() {
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    get(&programs(&scratch.0), &kernel(1), &device).unwrap();
    for kind in
        [DeviceErrorKind::OutOfMemory, DeviceErrorKind::Transient, DeviceErrorKind::Timeout, DeviceErrorKind::Lost]
    {
        let fault = SimFault::LoadFails { load: 0, kind };
        for mode in [CompileMode::Wait, CompileMode::MayReturn] {
            let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
            let programs = programs(&scratch.0);
            let error = programs.get(&kernel(1), &device, mode, None).err().unwrap();
            assert_eq!((error.kind, sim.fired(), sim.compilations()), (kind, vec![fault], 0));
            sim.plan_faults(Vec::new());
            assert_eq!(get(&programs, &kernel(1), &device).unwrap().1.name(), "disk");
            assert_eq!((programs.report().damaged, programs.report().compiled), (0, 0));
        }
    }
}

#[test]
fn image_that_the_device_rejects_is_removed_and_recompiled() {
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    get(&programs(&scratch.0), &kernel(1), &device).unwrap();
    let fault = SimFault::LoadFails { load: 0, kind: DeviceErrorKind::Compile };
    let (sim, device) = simulated(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let programs = programs(&scratch.0);
    assert_eq!(get(&programs, &kernel(1), &device).unwrap().1.name(), "compiled");
    assert_eq!((programs.report().damaged, sim.fired()), (1, vec![fault]));
}

/// Processes in other containers may have the same process id.
#[test]
fn temporary_files_of_other_processes_stay() {
    let scratch = Scratch::new();
    fs::create_dir(&scratch.0).unwrap();
    #[cfg(unix)]
    fs::set_permissions(&scratch.0, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let other = format!("{}.program-tmp", std::process::id());
    fs::write(scratch.0.join(&other), "another's").unwrap();
    let mut store = ProgramStore::open(&scratch.0, 10_000).unwrap();
    assert_eq!(scratch.names(), [other], "opening the store leaves nothing");
    store.create = |directory, name| {
        fs::write(directory.path().join(name), "another's")?;
        Err(io::ErrorKind::AlreadyExists.into())
    };
    for files in [2, 3] {
        assert_eq!(store.write(&key(1), &image(10)).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(scratch.names().len(), files, "each attempt has its own name");
    }
}

/// Writes the given number of bytes, at most 100 at a time, then fails with `StorageFull`.
struct FullDisk(fs::File, usize);

impl Write for FullDisk {
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
fn full_disk_loses_only_the_entry() {
    let (scratch, sim, device, programs) = opened(SimOptions::default());
    let mut store = ProgramStore::open(&scratch.0, 1 << 20).unwrap();
    store.create = |directory, name| Ok(Box::new(FullDisk(directory.create_file(name)?, 150)));
    assert!(programs.store.set(Ok(store)).is_ok());
    let (_, source) = get(&programs, &kernel(1), &device).unwrap();
    assert_eq!(source.name(), "compiled");
    join(&programs);
    let report = programs.report();
    assert_eq!((report.lost, report.compiled, sim.compilations()), (1, 1, 1), "{report:?}");
    assert_eq!(report.last_loss.as_deref(), Some(&*io::Error::from(io::ErrorKind::StorageFull).to_string()));
    assert_eq!(scratch.names(), Vec::<String>::new(), "the partial file is removed");
    assert_eq!(get(&programs, &kernel(1), &device).unwrap().1, ProgramSource::Memory);
}

#[test]
fn vanished_directory_loses_only_the_entry() {
    let (scratch, _, device, programs) = opened(SimOptions::default());
    get(&programs, &kernel(1), &device).unwrap();
    join(&programs);
    fs::remove_dir_all(&scratch.0).unwrap();
    get(&programs, &kernel(2), &device).unwrap();
    join(&programs);
    let report = programs.report();
    assert_eq!((report.compiled, report.lost), (2, 1), "{report:?}");
}

/// The minute begins when the compiler returns, however long it took.
#[test]
fn refused_program_is_compiled_again_after_a_minute() {
    let (scratch, clock) = (Scratch::new(), SimClock::new());
    let faults = vec![
        SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile },
        SimFault::CompileFails { compilation: 1, kind: DeviceErrorKind::Compile },
    ];
    let speed = SimSpeed { compile: Duration::from_secs(40), ..SimSpeed::default() };
    let options = SimOptions { faults: faults.clone(), speed, clock: clock.clone(), ..SimOptions::default() };
    let (sim, device) = simulated(options);
    let programs = programs_with_clock(&scratch.0, Arc::new(clock.clone()));
    let wait = REFUSAL_TIME - Duration::from_nanos(1);
    for wait in [Duration::ZERO, Duration::ZERO, wait] {
        clock.advance(wait);
        let error = get(&programs, &kernel(1), &device).err().unwrap();
        assert_eq!(error.kind, DeviceErrorKind::Compile);
    }
    assert_eq!((sim.compilations(), sim.fired()), (1, faults[..1].to_vec()));
    clock.advance(Duration::from_nanos(1));
    assert!(get(&programs, &kernel(1), &device).is_err());
    assert_eq!((sim.compilations(), sim.fired()), (2, faults));
    clock.advance(REFUSAL_TIME);
    let (_, source) = get(&programs, &kernel(1), &device).unwrap();
    assert_eq!((source.name(), sim.compilations()), ("compiled", 3));
}

#[test]
fn transient_errors_are_not_remembered() {
    let (_scratch, sim, device, programs) = opened(SimOptions { f64: false, ..SimOptions::default() });
    sim.plan_faults(vec![SimFault::Lost { launch: 0 }]);
    lead(&programs, &kernel(1), &device)
        .publish(Err(pointsman_device::DeviceError::new(DeviceErrorKind::OutOfMemory, "later")), Duration::ZERO);
    assert!(get(&programs, &kernel(1), &device).is_ok());
}

#[test]
fn dropped_compilation_wakes_its_waiters_with_an_error() {
    let (_scratch, _, device, programs) = opened(SimOptions::default());
    let guard = lead(&programs, &kernel(1), &device);
    assert_eq!(error_of_waiter(&programs, &device, || drop(guard)), DeviceErrorKind::Internal);
    assert!(get(&programs, &kernel(1), &device).is_ok(), "the next caller compiles");
}

/// The checksum and the key of a planted entry are right; it is compiled anew all the same, and replaced.
#[cfg(unix)]
#[test]
fn entry_that_another_user_could_have_written_is_a_miss() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    let name = Key::new(&kernel(1), &*device).name;
    let path = scratch.0.join(&name);
    let plant: [&dyn Fn(); 2] = [&|| fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap(), &|| {
        fs::rename(&path, path.with_extension("elsewhere")).unwrap();
        symlink(path.with_extension("elsewhere"), &path).unwrap();
    }];
    get(&programs(&scratch.0), &kernel(1), &device).unwrap();
    for plant in plant {
        plant();
        let refusing = programs(&scratch.0);
        assert_eq!(get(&refusing, &kernel(1), &device).unwrap().1.name(), "compiled");
        join(&refusing);
        let report = refusing.report();
        assert_eq!((report.refused, report.damaged, report.from_disk), (1, 0, 0), "{report:?}");
        assert!(report.last_refusal.is_some_and(|why| why.contains(&name)));
        assert_eq!(get(&programs(&scratch.0), &kernel(1), &device).unwrap().1.name(), "disk", "it was replaced");
    }
}

/// A session holds the directory that it opened, whatever its path leads to later.
#[cfg(unix)]
#[test]
fn programs_are_not_loaded_from_a_retargeted_directory() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (scratch, (_, device)) = (Scratch::new(), simulated(SimOptions::default()));
    let (own, foreign, link) = (scratch.0.join("own"), scratch.0.join("foreign"), scratch.0.join("link"));
    fs::create_dir(&scratch.0).unwrap();
    (0..5).for_each(|number| drop(get(&programs(&foreign), &kernel(number), &device).unwrap()));
    fs::set_permissions(&foreign, fs::Permissions::from_mode(0o777)).unwrap();
    fs::create_dir(&own).unwrap();
    symlink(&own, &link).unwrap();
    let programs = programs(&link);
    assert_eq!(programs.report().off, None);
    fs::remove_file(&link).unwrap();
    symlink(&foreign, &link).unwrap();
    (0..5).for_each(|number| assert_eq!(get(&programs, &kernel(number), &device).unwrap().1.name(), "compiled"));
    join(&programs);
    assert_eq!((programs.report().from_disk, fs::read_dir(&own).unwrap().count()), (0, 5));
}
