//! CUDA drivers that are of no use: too old, without a card, broken. The CPU works, and one line says what is missing.
//!
//! Each driver is a small library made by the C compiler, which a process of its own finds before any other.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use pointsman::{ErrorKind, Session};
use std::process::Command;

/// Drivers, and what is told of each.
const DRIVERS: [(&str, &str, &str); 5] = [
    (
        "too old",
        "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 11040; return 0; }",
        "the CUDA driver is too old: 12.8 is needed",
    ),
    (
        "without a card",
        "int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 13000; return 0; }
         int cuDeviceGetCount(int *n) { *n = 0; return 0; }",
        "the CUDA driver finds no card",
    ),
    ("that says there is no card", "int cuInit(unsigned f) { return 100; }", "starting the driver"),
    ("that does not start", "int cuInit(unsigned f) { return 999; }", "starting the driver"),
    ("with none of the functions", "int nothing(void) { return 0; }", "the CUDA driver is too old: 12.8 is needed"),
];

#[test]
fn unusable_driver_is_reported_in_one_line() {
    for (number, (what, source, told)) in DRIVERS.into_iter().enumerate() {
        let folder = std::env::temp_dir().join(format!("pointsman-driver-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("driver.c"), source).unwrap();
        let library = folder.join("libcuda.so");
        let source = folder.join("driver.c");
        let made = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().unwrap();
        assert!(made.success(), "a driver {what}: no library");
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "drivers::a_session_with_that_driver", "--ignored", "--nocapture"])
            .env("LD_LIBRARY_PATH", &folder)
            .output();
        std::fs::remove_dir_all(&folder).unwrap();
        let child = child.unwrap();
        let text = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "a driver {what}: {text}{}", String::from_utf8_lossy(&child.stderr));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("cuda: ")).collect();
        assert!(matches!(lines[..], [line] if line.contains(told)), "a driver {what}: {text}");
        assert!(text.contains("the sum is 6"), "a driver {what}: {text}");
    }
}

/// What the process with the driver does.
#[test]
#[ignore = "run by the other test, with a driver of its own"]
fn a_session_with_that_driver() {
    let session = Session::open().unwrap();
    for missing in session.discover().missing().iter().filter(|missing| missing.name == "cuda") {
        println!("\ncuda: {}", missing.why);
    }
    assert_eq!(session.from(&[1.0f32]).require("cuda:0").sum().unwrap_err().kind(), ErrorKind::Unsupported);
    println!("the sum is {}", session.from(&[1.0f32, 2.0, 3.0]).prefer("cuda:0").sum().unwrap());
}
