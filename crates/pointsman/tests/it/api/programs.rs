//! Stored programs: what a later session loads, what it never loads, and who waits for whom.

use super::integers;
use pointsman::report::ProgramSource;
use pointsman::{Answer, ErrorKind, FailureClass, I64, Session, SessionOptions};
use pointsman_device::DeviceErrorKind;
use pointsman_device::sim::{SimClock, SimDevice, SimFault, SimOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What never takes so long has gone wrong.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A directory that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Scratch(std::env::temp_dir().join(format!("pointsman-stored-{}-{number}", std::process::id())))
    }

    /// The only entry.
    fn entry(&self) -> PathBuf {
        let entries: Vec<PathBuf> = fs::read_dir(&self.0).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        entries[0].clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sim(options: SimOptions) -> Arc<SimDevice> {
    Arc::new(SimDevice::new(SimOptions { images_worth_storing: true, ..options }))
}

fn builder(device: &Arc<SimDevice>, directory: &Path) -> SessionOptions {
    SessionOptions::new().threads(1).add_device(device.clone()).program_directory(directory)
}

/// A new session on a new device with stored programs.
fn fresh(directory: &Path) -> (Arc<SimDevice>, Session) {
    let device = sim(SimOptions::default());
    let session = builder(&device, directory).open().unwrap();
    (device, session)
}

const X: [i64; 4] = [1, -2, 3, 40];

fn ask(session: &Session) -> pointsman::Result<Answer<i64>> {
    session.from(&X).filter(|x| x.gt(0)).folds(|x| (x * 3).sum()).require("sim").run()
}

/// Where the only stage's program came from.
fn source<T>(answer: &Answer<T>) -> &'static str {
    let sources: Vec<ProgramSource> = answer.receipt().program_sources().collect();
    assert_eq!(sources.len(), 1);
    sources[0].name()
}

/// Asks a new session; says where the program came from and how often it was compiled. The answer is always right.
fn asked(directory: &Path) -> (&'static str, u64) {
    let (device, session) = fresh(directory);
    let answer = ask(&session).unwrap();
    assert_eq!((*answer, answer.receipt().device()), (132, "sim"));
    (source(&answer), device.compilations())
}

#[test]
fn a_stored_program_is_loaded_by_the_next_session() {
    let scratch = Scratch::new();
    assert_eq!(asked(&scratch.0), ("compiled", 1));
    assert_eq!(asked(&scratch.0), ("disk", 0));
    let (device, session) = fresh(&scratch.0);
    assert_eq!((source(&ask(&session).unwrap()), source(&ask(&session).unwrap())), ("disk", "memory"));
    let other = session.from(&X[..2]).filter(|x| x.gt(0)).folds(|x| (x * 5).sum()).require("sim").run().unwrap();
    assert_eq!((*other, device.compilations()), (5, 0), "scalars are parameters");
    let report = session.program_cache();
    assert_eq!((report.directory.as_deref(), report.off, report.from_disk), (Some(&*scratch.0), None, 1));
}

#[test]
fn preparing_a_query_loads_its_stored_program() {
    let scratch = Scratch::new();
    let prepare = || {
        let options = builder(&sim(SimOptions::default()), &scratch.0).choose_among(["sim"]);
        let session = options.background_calibration(false).open().unwrap();
        session.wait_until_calibrated();
        let prepared = session.prepare(|n: I64| n * 3).unwrap();
        (session, prepared)
    };
    let (session, prepared) = prepare();
    assert_eq!(session.program_cache().from_disk, 0, "no earlier session has compiled it");
    drop(prepared.require("sim").run(&[1i64, 2][..]).unwrap());
    drop(session);
    assert_eq!(prepare().0.program_cache().from_disk, 1);
}

#[test]
fn receipt_shows_program_sources() {
    let scratch = Scratch::new();
    let (_, session) = fresh(&scratch.0);
    let first = ask(&session).unwrap();
    let text = format!("{:#}", first.receipt());
    assert!(text.contains("(compiled in "), "{text}");
    assert!(first.receipt().program_sources().all(|source| !source.took().is_zero()));
    let json = first.receipt().to_json();
    assert!(json.contains("\"program_sources\":[{\"from\":\"compiled\",\"ns\":"), "{json}");
    assert!(ask(&session).unwrap().receipt().to_json().contains("[{\"from\":\"memory\",\"ns\":0}]"));
}

#[test]
fn another_driver_or_kernel_has_programs_of_its_own() {
    let scratch = Scratch::new();
    asked(&scratch.0);
    let device = sim(SimOptions { driver: "2".to_string(), ..SimOptions::default() });
    let session = builder(&device, &scratch.0).open().unwrap();
    assert_eq!(source(&ask(&session).unwrap()), "compiled");
    let other = session.from(&X).map(|x| x + 1).require("sim").run().unwrap();
    assert_eq!(source(&other), "compiled");
    drop(session);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 3);
}

/// Stores `bytes` as the entry, and checks that they are not loaded, and that a good entry takes their place.
fn check_refused(scratch: &Scratch, entry: &Path, bytes: &[u8], what: &str) {
    fs::write(entry, bytes).unwrap();
    assert_eq!(asked(&scratch.0), ("compiled", 1), "{what}");
}

#[test]
fn an_entry_with_any_byte_flipped_is_compiled_again_and_never_loaded() {
    let scratch = Scratch::new();
    asked(&scratch.0);
    let entry = scratch.entry();
    let good = fs::read(&entry).unwrap();
    assert!(good.len() > 300, "{} bytes", good.len());
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        check_refused(&scratch, &entry, &bytes, &format!("byte {at}"));
        assert_eq!(fs::read(scratch.entry()).unwrap(), good, "the good entry is back");
    }
    assert_eq!(asked(&scratch.0), ("disk", 0));
}

#[test]
fn an_entry_of_any_other_length_is_compiled_again_and_never_loaded() {
    let scratch = Scratch::new();
    asked(&scratch.0);
    let entry = scratch.entry();
    let good = fs::read(&entry).unwrap();
    for length in 0..good.len() {
        check_refused(&scratch, &entry, &good[..length], &format!("{length} bytes"));
    }
    check_refused(&scratch, &entry, &[&good[..], &good[..]].concat(), "twice as long");
    check_refused(&scratch, &entry, &vec![0; good.len()], "zeros");
    assert_eq!(asked(&scratch.0), ("disk", 0));
}

#[test]
fn store_entries_that_are_not_files_are_not_loaded() {
    let scratch = Scratch::new();
    asked(&scratch.0);
    let entry = scratch.entry();
    let good = scratch.0.join("elsewhere");
    fs::rename(&entry, &good).unwrap();
    fs::create_dir(&entry).unwrap();
    let (device, session) = fresh(&scratch.0);
    assert_eq!((*ask(&session).unwrap(), device.compilations()), (132, 1));
    let start = Instant::now();
    while session.program_cache().lost == 0 && start.elapsed() < TIMEOUT {
        std::thread::yield_now();
    }
    let report = session.program_cache();
    assert_eq!((report.refused, report.damaged, report.lost), (1, 0, 1), "a folder is not removed");
    fs::remove_dir(&entry).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&good, &entry).unwrap();
        assert_eq!(asked(&scratch.0), ("compiled", 1), "a link");
        assert!(fs::symlink_metadata(&entry).unwrap().is_file(), "which an entry replaces");
    }
}

#[test]
fn unusable_program_directory_is_reported_and_fails_no_query() {
    let scratch = Scratch::new();
    fs::create_dir(&scratch.0).unwrap();
    let file = scratch.0.join("file");
    fs::write(&file, "").unwrap();
    for directory in [&file, &file.join("below"), Path::new("/proc/pointsman")] {
        let (_, session) = fresh(directory);
        let answer = ask(&session).unwrap();
        assert_eq!((*answer, source(&answer)), (132, "compiled"));
        let off = session.program_cache().off.unwrap();
        assert!(off.starts_with(&*directory.to_string_lossy()), "{off}");
    }
    let device = sim(SimOptions::default());
    let session = builder(&device, &scratch.0).program_bytes(0).open().unwrap();
    assert_eq!(*ask(&session).unwrap(), 132);
    assert_eq!(session.program_cache().off.as_deref(), Some("`program_bytes` is 0"));
}

#[test]
#[cfg(unix)]
fn directory_writable_by_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    asked(&scratch.0);
    for mode in [0o720, 0o702, 0o777] {
        fs::set_permissions(&scratch.0, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(asked(&scratch.0), ("compiled", 1), "{mode:o}");
        let off = fresh(&scratch.0).1.program_cache().off.unwrap();
        assert!(off.contains("may be written by others"), "{off}");
    }
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(asked(&scratch.0), ("disk", 0), "being read by others does no harm");
}

#[test]
fn the_cpu_stores_nothing() {
    let scratch = Scratch::new();
    let session = SessionOptions::new().threads(1).program_directory(&scratch.0).open().unwrap();
    assert_eq!(session.from(&X).sum().unwrap(), 42);
    assert!(!scratch.0.exists(), "not even the directory");
}

#[test]
fn many_sessions_write_one_entry_at_once() {
    let scratch = Scratch::new();
    std::thread::scope(|scope| {
        let ask_often = || (0..20).all(|_| asked(&scratch.0).1 <= 1);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask_often)).collect();
        threads.into_iter().for_each(|thread| assert!(thread.join().unwrap()));
    });
    scratch.entry();
    assert_eq!(asked(&scratch.0), ("disk", 0));
}

/// Each process empties the directory now and then, so all of them keep writing.
#[test]
fn many_processes_write_one_entry_at_once() {
    if let Some(directory) = std::env::var_os("POINTSMAN_TEST_STORE").map(PathBuf::from) {
        for round in 0..40 {
            let (_, compilations) = asked(&directory);
            assert!(compilations <= 1);
            if round % 4 == 0 {
                let entries = fs::read_dir(&directory).unwrap().map(|file| file.unwrap().path());
                let whole = |path: &PathBuf| path.extension().is_some_and(|one| one == "program");
                entries.filter(whole).for_each(|entry| drop(fs::remove_file(entry)));
            }
        }
        return;
    }
    let scratch = Scratch::new();
    let test = ["api::programs::many_processes_write_one_entry_at_once", "--exact"];
    let start = || {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(test).env("POINTSMAN_TEST_STORE", &scratch.0).stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    asked(&scratch.0);
    scratch.entry();
    assert_eq!(asked(&scratch.0), ("disk", 0));
}

/// As many threads ask at once as run at once; all of them wait for one compilation before it goes on.
fn ask_together(session: &Session, device: &SimDevice) -> Vec<pointsman::Result<Answer<i64>>> {
    const CALLERS: u64 = 4;
    device.block_compilations();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| ask(session))).collect();
        device.wait_for_blocked_compilations(1);
        await_waiting(session, CALLERS - 1);
        device.unblock_compilations();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn callers_at_the_same_time_compile_once() {
    let scratch = Scratch::new();
    let (device, session) = fresh(&scratch.0);
    let answers = ask_together(&session, &device);
    let answers: Vec<Answer<i64>> = answers.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|answer| **answer == 132));
    let mut sources: Vec<&str> = answers.iter().map(source).collect();
    sources.sort_unstable();
    assert_eq!(sources, ["compiled", "waited", "waited", "waited"]);
    assert_eq!((device.compilations(), session.program_cache().waited), (1, 3));
}

#[test]
fn callers_at_the_same_time_share_an_error() {
    let scratch = Scratch::new();
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile };
    let device = sim(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let session = builder(&device, &scratch.0).open().unwrap();
    for answer in ask_together(&session, &device) {
        let error = answer.err().unwrap();
        assert!(error.message().contains("compilation 0 was told to fail"), "{error}");
    }
    assert_eq!((device.compilations(), device.fired()), (1, vec![fault]));
}

#[test]
fn a_preferred_device_that_refused_a_query_is_tried_again_after_a_minute() {
    let scratch = Scratch::new();
    let (fault, clock) = (SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile }, SimClock::new());
    let device = sim(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let session = builder(&device, &scratch.0).prefer("sim").clock(Arc::new(clock.clone())).open().unwrap();
    let prepared = session.prepare(|x: I64| (x * 3).sum()).unwrap();
    let query = || session.from(&X).folds(|x| (x * 3).sum()).run().unwrap();
    assert_eq!(device.fired(), [fault]);
    for seconds in [0, 59] {
        clock.advance(Duration::from_secs(seconds));
        for answer in [query(), prepared.run(&X).unwrap()] {
            assert_eq!((*answer, answer.receipt().device()), (126, "cpu"));
            assert!(answer.receipt().why().contains("compilation 0 was told to fail"), "{}", answer.receipt());
        }
    }
    assert_eq!(device.compilations(), 1);
    clock.advance(Duration::from_secs(1));
    for answer in [query(), prepared.run(&X).unwrap()] {
        assert_eq!((*answer, answer.receipt().device()), (126, "sim"), "{}", answer.receipt());
    }
    assert_eq!(device.compilations(), 2);
}

/// Asks until the device answers, which it does soon after its compilation is done.
fn until_on_sim<T>(ask: impl Fn() -> Answer<T>) -> Answer<T> {
    let start = Instant::now();
    while start.elapsed() < TIMEOUT {
        let answer = ask();
        if answer.receipt().device() == "sim" {
            return answer;
        }
        std::thread::yield_now();
    }
    panic!("the device never answers: {:#}", ask().receipt());
}

/// Waits until `count` callers wait for another's compilation.
fn await_waiting(session: &Session, count: u64) {
    let start = Instant::now();
    while session.program_cache().waited < count {
        assert!(start.elapsed() < TIMEOUT, "{:?}", session.program_cache());
        std::thread::yield_now();
    }
}

#[test]
fn the_cpu_answers_while_a_preferred_device_compiles() {
    let scratch = Scratch::new();
    let x = integers(5000);
    let expected: i64 = x.iter().map(|x| x * 3).sum();
    let device = sim(SimOptions::default());
    let session = builder(&device, &scratch.0).prefer("sim").compile_in_background(true).open().unwrap();
    device.block_compilations();
    let query = || session.from(&x).folds(|x| (x * 3).sum()).run().unwrap();
    let prepared = session.prepare(|x: I64| (x * 3).sum()).unwrap();
    for answer in [query(), query(), prepared.run(&x).unwrap(), prepared.run(&x).unwrap()] {
        assert_eq!((*answer, answer.receipt().device()), (expected, "cpu"));
        let why = answer.receipt().why();
        assert!(why.starts_with("`sim` is preferred, but it is still compiling the query in the background"), "{why}");
        assert_eq!(answer.receipt().attempts()[0].class, FailureClass::Refused);
    }
    device.wait_for_blocked_compilations(1);
    assert_eq!((device.compilations(), device.loads()), (1, 0), "it is compiled once, and still is");
    device.unblock_compilations();
    assert_eq!(*until_on_sim(query), expected);
    assert_eq!(*until_on_sim(|| prepared.run(&x).unwrap()), expected);
    assert_eq!(source(&query()), "memory");
    assert_eq!(device.compilations(), 1);
    drop((prepared, session));
    let session = builder(&device, &scratch.0).prefer("sim").compile_in_background(true).open().unwrap();
    let answer = session.from(&x).folds(|x| (x * 3).sum()).run().unwrap();
    assert_eq!((answer.receipt().device(), source(&answer)), ("sim", "disk"), "a stored program is at hand");
}

#[test]
fn a_required_device_is_waited_for() {
    let scratch = Scratch::new();
    let device = sim(SimOptions::default());
    let session = builder(&device, &scratch.0).compile_in_background(true).open().unwrap();
    let on_cpu = session.from(&X).filter(|x| x.gt(0)).folds(|x| (x * 3).sum());
    device.block_compilations();
    let answer = on_cpu.prefer("sim").run().unwrap();
    assert_eq!((*answer, answer.receipt().device()), (132, "cpu"));
    std::thread::scope(|scope| {
        let required = scope.spawn(|| ask(&session).unwrap());
        await_waiting(&session, 1);
        device.unblock_compilations();
        let answer = required.join().unwrap();
        assert_eq!((*answer, answer.receipt().device(), source(&answer)), (132, "sim", "waited"));
    });
    assert_eq!(device.compilations(), 1);
}

#[test]
fn background_refusal_is_reported_by_the_next_receipt() {
    let scratch = Scratch::new();
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Compile };
    let device = sim(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let session = builder(&device, &scratch.0).prefer("sim").compile_in_background(true).open().unwrap();
    let query = || session.from(&X).folds(|x| x.sum()).run().unwrap();
    let told = |why: &str| why.contains("compilation 0 was told to fail");
    let mut answer = query();
    while !told(answer.receipt().why()) {
        assert!(answer.receipt().why().contains("it is still compiling the query"), "{}", answer.receipt());
        std::thread::yield_now();
        answer = query();
    }
    assert_eq!((*answer, device.fired(), device.compilations()), (42, vec![fault], 1));
}

#[test]
fn device_lost_in_the_background_is_reported_once_and_closed() {
    let scratch = Scratch::new();
    let fault = SimFault::CompileFails { compilation: 0, kind: DeviceErrorKind::Lost };
    let device = sim(SimOptions { faults: vec![fault], ..SimOptions::default() });
    let session = builder(&device, &scratch.0).prefer("sim").compile_in_background(true).open().unwrap();
    let query = || session.from(&X).folds(|x| x.sum()).run().unwrap();
    let (mut answer, start) = (query(), Instant::now());
    while answer.receipt().attempts()[0].class == FailureClass::Refused && start.elapsed() < TIMEOUT {
        assert!(answer.receipt().why().contains("it is still compiling the query"), "{}", answer.receipt());
        std::thread::yield_now();
        answer = query();
    }
    let attempt = &answer.receipt().attempts()[0];
    assert_eq!((attempt.class, &*attempt.message), (FailureClass::Lost, "compilation 0 was told to fail"));
    assert_eq!((*answer, device.fired(), device.compilations()), (42, vec![fault], 1));
    let answer = query();
    assert_eq!(answer.receipt().attempts()[0].class, FailureClass::Refused);
    assert!(!answer.receipt().why().contains("still compiling"), "{}", answer.receipt());
    assert_eq!((*answer, device.compilations()), (42, 1), "it is not asked again");
}

#[test]
fn more_programs_than_places_in_the_background_are_all_compiled() {
    let scratch = Scratch::new();
    let device = sim(SimOptions::default());
    let session = builder(&device, &scratch.0).prefer("sim").compile_in_background(true).open().unwrap();
    for k in 0..40 {
        let answer = session.from(&X).map(|x| x + pointsman::lit(k)).run().unwrap();
        assert_eq!(answer[0], 1 + k);
    }
    for k in 0..40 {
        let answer = until_on_sim(|| session.from(&X).map(|x| x + pointsman::lit(k)).run().unwrap());
        assert_eq!(answer[3], 40 + k);
    }
    assert_eq!(device.compilations(), 40);
    let error = session.from(&X).map(|x| 1 / (x - 1)).run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Arithmetic);
}
