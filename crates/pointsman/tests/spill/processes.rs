//! What other processes see: one that is killed leaves nothing, and one under a limit takes no more memory.
// The parent reads what its child prints.
#![allow(clippy::print_stdout)]

use crate::{LEAF_ROWS, Scratch, integers, open_bytes};
use pointsman::{Clock, Session};
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Names the directory to a test that runs as a process of its own.
const CHILD: &str = "POINTSMAN_TEST_SPILL";

fn start(test: &str, directory: &std::path::Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([&format!("processes::{test}"), "--exact", "--nocapture"]).env(CHILD, directory);
    child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// The rest of the line in which a child tells this.
fn line(child: &mut Child, head: &str) -> String {
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(|line| line.unwrap());
    let found = lines.filter_map(|line| line.split_once(head).map(|(_, rest)| rest.trim().to_string())).next();
    found.unwrap_or_else(|| panic!("the child ended without telling `{head}`"))
}

/// A clock that tells when something is on the disk, and then waits for ever.
#[derive(Debug)]
struct Stops(PathBuf);

impl Clock for Stops {
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
fn a_killed_process_leaves_nothing() {
    const ROWS: usize = 30 * LEAF_ROWS;
    if let Some(directory) = std::env::var_os(CHILD).map(PathBuf::from) {
        let scratch = Scratch(directory.clone());
        let session = scratch.options().memory_bytes(600 << 10);
        ask(&session.clock(Arc::new(Stops(directory))).open().unwrap(), ROWS);
        unreachable!("it is killed before");
    }
    let scratch = Scratch::new();
    let mut child = start("a_killed_process_leaves_nothing", &scratch.0);
    let told: u64 = line(&mut child, "spilled: ").parse().unwrap();
    let seen = open_bytes(&child.id().to_string(), &scratch.0).unwrap();
    assert!(told > 0 && seen == told, "{told} bytes told, {seen} bytes seen");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(scratch.is_empty(), "files of a process that was killed");
    // What a process leaves that is killed between making a file and removing its name.
    std::fs::write(scratch.0.join("1-0123456789abcdef.spill"), "left").unwrap();
    let session = scratch.session(600 << 10);
    assert!(scratch.is_empty(), "files after the next start");
    assert!(ask(&session, ROWS).is_some());
    crate::nothing_is_left(&session, &scratch, "after the next start");
}

/// The most memory that this process ever had, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() << 10
}

/// The session's limit, and what a process may take beside it: machine code, threads, the states of a scan's batch.
#[cfg(target_os = "linux")]
const MEMORY: usize = 4 << 20;
#[cfg(target_os = "linux")]
const BESIDE: usize = 4 << 20;

#[cfg(target_os = "linux")]
#[test]
fn the_limit_is_the_systems_too() {
    const ROWS: u64 = 1 << 20;
    if let Some(directory) = std::env::var_os(CHILD).map(PathBuf::from) {
        let scratch = Scratch(directory);
        let session = scratch.session(MEMORY);
        // Numbers take no memory; what the scans give would take 16 MiB each.
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
    let mut child = start("the_limit_is_the_systems_too", &scratch.0);
    let told = line(&mut child, "took: ");
    let (took, spilled) = told.split_once(' ').unwrap();
    let (took, spilled): (usize, u64) = (took.parse().unwrap(), spilled.parse().unwrap());
    assert!(child.wait().unwrap().success());
    assert!(spilled > 30 << 20, "{spilled} bytes spilled");
    assert!(took <= MEMORY + BESIDE, "{took} bytes, more than {MEMORY} and {BESIDE}");
    assert!(scratch.is_empty());
}

/// The same for many queries at once: what their batches take is the session's memory too.
#[cfg(target_os = "linux")]
#[test]
fn the_limit_is_that_of_many_queries_too() {
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
    // What the system's allocator keeps for its threads comes on top, by chance more or less: the least of three counts.
    let run = || {
        let scratch = Scratch::new();
        let mut child = start("the_limit_is_that_of_many_queries_too", &scratch.0);
        let told = line(&mut child, "took: ");
        let (took, spilled) = told.split_once(' ').unwrap();
        let (took, spilled): (usize, u64) = (took.parse().unwrap(), spilled.parse().unwrap());
        assert!(child.wait().unwrap().success());
        assert!(spilled > 30 << 20, "{spilled} bytes spilled");
        assert!(scratch.is_empty());
        took
    };
    let took = (0..3).map(|_| run()).min().unwrap();
    // Threads of eight queries take some too; with what batches take beside the limit it would be 1.8 times as much.
    assert!(took <= LIMIT + LIMIT / 2, "{took} bytes, more than {LIMIT} and half of that");
}
