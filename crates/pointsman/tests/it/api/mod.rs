//! The public API, end to end: every way to write a query, checked against plain Rust.
#![allow(clippy::unwrap_used)]

mod arrow;
mod bad_input;
#[cfg(feature = "calls")]
mod calls;
mod devices;
mod elementary;
mod environment;
mod examples;
mod floats;
mod integers;
mod operators;
mod prepared;
mod programs;
mod receipts;
mod results;
mod root_names;
mod sizes;
mod sources;
mod std_methods;
mod tables;
mod telemetry;
mod time_zones;

use pointsman::{Session, SessionOptions};

/// Why queries that name no device run on the CPU: other devices, if any were built, were not looked for.
const WHY_CPU: &str = if cfg!(any(feature = "cuda", feature = "wgpu")) {
    "the default: no other device was compared"
} else {
    "the only device that the session may use"
};

/// A session on two threads.
fn session() -> Session {
    SessionOptions::new().threads(2).open().unwrap()
}

/// Numbers that look random and are the same every time.
fn noise(rows: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..rows).map(|_| next()).collect()
}

/// Floats between −100 and 100.
fn floats(rows: usize) -> Vec<f32> {
    noise(rows).into_iter().map(|bits| (bits % 20_001) as f32 / 100.0 - 100.0).collect()
}

/// Integers between −1000 and 1000.
fn integers(rows: usize) -> Vec<i64> {
    noise(rows).into_iter().map(|bits| (bits % 2001) as i64 - 1000).collect()
}
