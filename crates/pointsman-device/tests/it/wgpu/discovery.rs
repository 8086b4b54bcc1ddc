//! Discovery leaves the standard error of the process alone.

use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
use std::process::Command;

const CHILD: &str = "POINTSMAN_TEST_DISCOVERY";

/// Without a display, libraries that look for one say so on the standard error.
#[test]
fn looks_for_no_display() {
    if std::env::var_os(CHILD).is_some() {
        for adapter in &discover().adapters {
            drop(WgpuDevice::open(adapter, WgpuOptions::default()));
        }
        return;
    }
    let mut child = Command::new(std::env::current_exe().expect("this test is a program"));
    child.args(["wgpu::discovery::looks_for_no_display", "--exact", "--nocapture"]).env(CHILD, "1");
    let output = child.env_remove("XDG_RUNTIME_DIR").env_remove("DISPLAY").output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("XDG_RUNTIME_DIR") && !said.contains("display"), "{said}");
}
