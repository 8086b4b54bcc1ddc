//! Tests with child processes: a killed process leaves no files, and a session's limit bounds the memory of its
//! process.
// The parent reads what its child prints.
#![allow(clippy::print_stdout)]

use super::{LEAF_ROWS, Scratch, integers, open_bytes};
use pointsman::{Clock, Session};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The environment variable that passes the directory to a test in a child process.
const CHILD: &str = "POINTSMAN_TEST_SPILL";

fn start(test: &str, directory: &std::path::Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([&format!("spill::processes::{test}"), "--exact", "--nocapture"]).env(CHILD, directory);
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Returns the rest of the line in which a child prints `head`.
fn line(child: &mut Child, head: &str) -> String {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(|line| line.unwrap());
    let found = lines.filter_map(|line| line.split_once(head).map(|(_, rest)| rest.trim().to_string())).next();
    found.unwrap_or_else(|| panic!("the child ended without printing `{head}`"))
}

/// A clock that prints the bytes on disk once there are any, and then blocks forever.
#[derive(Debug)]
struct BlockingClock(PathBuf);

impl Clock for BlockingClock {
    fn now(&self) -> Duration {
        let bytes = open_bytes("self", &self.0).unwrap_or(0);
        if bytes > 0 {
            println!("spilled: {bytes}");
            let _ = std::io::stdin().read(&mut [0]);
        }
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) {}

    fn nap(&self, _: Duration) -> Duration {
        Duration::ZERO
    }
}

fn ask(session: &Session, rows: usize) -> Option<i64> {
    let n = integers(rows);
    session.from(&n).deadline(Duration::from_secs(1)).scan(|n| n.running_sum()).scan(|n| n.running_max()).max().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn killed_process_leaves_no_files() {
    const ROWS: usize = 30 * LEAF_ROWS;
    if let Some(directory) = std::env::var_os(CHILD).map(PathBuf::from) {
        let scratch = Scratch(directory.clone());
        let session = scratch.options().memory_bytes(600 << 10);
        ask(&session.clock(Arc::new(BlockingClock(directory))).open().unwrap(), ROWS);
        unreachable!("it is killed before");
    }
    let scratch = Scratch::new();
    let mut child = start("killed_process_leaves_no_files", &scratch.0);
    let printed: u64 = line(&mut child, "spilled: ").parse().unwrap();
    let seen = open_bytes(&child.id().to_string(), &scratch.0).unwrap();
    assert!(printed > 0 && seen == printed, "{printed} bytes printed, {seen} bytes seen");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(scratch.is_empty(), "files of a process that was killed");
    // A process that is killed between creating and unlinking a file leaves this.
    std::fs::write(scratch.0.join("1-0123456789abcdef.spill"), "left").unwrap();
    let session = scratch.session(600 << 10);
    assert!(scratch.is_empty(), "files after the next start");
    assert!(ask(&session, ROWS).is_some());
    super::assert_no_leftovers(&session, &scratch, "after the next start");
}

/// Returns the peak memory of this process, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// The session's limit.
#[cfg(target_os = "linux")]
const MEMORY: usize = 4 << 20;
/// Memory that a process may take beside it: machine code, threads, the states of a scan's batch.
#[cfg(target_os = "linux")]
const OVERHEAD: usize = 4 << 20;

#[cfg(target_os = "linux")]
#[test]
fn limit_bounds_the_memory_of_the_process() {
    const ROWS: u64 = 1 << 20;
    if let Some(directory) = std::env::var_os(CHILD).map(PathBuf::from) {
        let scratch = Scratch(directory);
        let session = scratch.session(MEMORY);
        // A range takes no memory; the result of each scan would take 16 MiB.
        let ask = |rows: u64| {
            let numbers = session.from(0..rows).scan(|i| (i.running_sum(), i.kept()));
            numbers
                .scan(|(sum, i)| (sum.running_max(), i.running_sum()))
                .folds(|(a, b)| (a.max(), b.max()))
                .run()
                .unwrap()
        };
        ask(10);
        let base = peak();
        let answer = ask(ROWS);
        let sum = ROWS * (ROWS - 1) / 2;
        assert_eq!(*answer, (Some(sum), Some(sum)));
        let (took, spilled) = (peak() - base, answer.receipt().bytes_spilled());
        println!("took: {took} {spilled}");
        std::mem::forget(scratch);
        return;
    }
    let scratch = Scratch::new();
    let mut child = start("limit_bounds_the_memory_of_the_process", &scratch.0);
    let output = line(&mut child, "took: ");
    let (took, spilled) = output.split_once(' ').unwrap();
    let (took, spilled): (usize, u64) = (took.parse().unwrap(), spilled.parse().unwrap());
    assert!(child.wait().unwrap().success());
    assert!(spilled > 30 << 20, "{spilled} bytes spilled");
    assert!(took <= MEMORY + OVERHEAD, "{took} bytes, more than {MEMORY} and {OVERHEAD}");
    assert!(scratch.is_empty());
}

/// Eight queries at once: the memory of their batches counts against the session's limit.
#[cfg(target_os = "linux")]
#[test]
fn limit_bounds_the_memory_of_concurrent_queries() {
    const ROWS: u64 = 1 << 21;
    const LIMIT: usize = 64 << 20;
    if let Some(directory) = std::env::var_os(CHILD).map(PathBuf::from) {
        let scratch = Scratch(directory);
        let session = scratch.session(LIMIT);
        let ask = |rows: u64| {
            let numbers = session.from(0..rows).scan(|i| (i.running_sum(), i.kept()));
            numbers.scan(|(sum, i)| (sum.running_max(), i.running_sum())).folds(|(a, b)| (a.max(), b.max())).run()
        };
        ask(10).unwrap();
        let (base, spilled) = (peak(), std::sync::atomic::AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let answer = ask(ROWS).unwrap();
                    spilled.fetch_add(answer.receipt().bytes_spilled(), std::sync::atomic::Ordering::Relaxed);
                });
            }
        });
        println!("took: {} {}", peak() - base, spilled.into_inner());
        std::mem::forget(scratch);
        return;
    }
    // The allocator's per-thread caches come on top, and vary by chance: the smallest of three runs counts.
    let run = || {
        let scratch = Scratch::new();
        let mut child = start("limit_bounds_the_memory_of_concurrent_queries", &scratch.0);
        let output = line(&mut child, "took: ");
        let (took, spilled) = output.split_once(' ').unwrap();
        let (took, spilled): (usize, u64) = (took.parse().unwrap(), spilled.parse().unwrap());
        assert!(child.wait().unwrap().success());
        assert!(spilled > 30 << 20, "{spilled} bytes spilled");
        assert!(scratch.is_empty());
        took
    };
    let took = (0..3).map(|_| run()).min().unwrap();
    // The threads of eight queries take some memory too. If batches did not count against the limit, it would be 1.8
    // times as much.
    assert!(took <= LIMIT + LIMIT / 2, "{took} bytes, more than {LIMIT} and half of that");
}
