//! The portable GPU against the interpreter, on every adapter that this machine has; without one the tests say so.

use pointsman_device::conformance::differential::{compare, profile};
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};

/// The first adapter, or a printed line why the test is skipped.
fn device(options: WgpuOptions) -> Option<WgpuDevice> {
    let found = discover();
    match found.adapters.first() {
        Some(adapter) => Some(WgpuDevice::open(adapter, options).expect("an adapter that was found opens")),
        None => {
            eprintln!("skipped: {}", found.why_none.as_deref().unwrap_or("no adapter"));
            None
        }
    }
}

#[test]
fn random_kernels() {
    let Some(device) = device(WgpuOptions::default()) else { return };
    let from: u64 = std::env::var("FROM").ok().and_then(|v| v.parse().ok()).unwrap_or(0);
    let count: u64 = std::env::var("COUNT").ok().and_then(|v| v.parse().ok()).unwrap_or(100);
    let sinks = std::env::var("SINK").ok();
    let mut profile = profile(&device);
    if let Some(s) = sinks {
        profile.sinks.retain(|k| format!("{k:?}").to_lowercase() == s);
    }
    let start = std::time::Instant::now();
    let met = compare(&device, &profile, from..from + count, |case| { if std::env::var("SEEDS").is_ok() { eprintln!("{:?} seed {} len {}", start.elapsed(), case.seed, case.kernel.body.len()) } });
    eprintln!("{met:?}");
    if let Err(d) = met { panic!("{d}") }
}
