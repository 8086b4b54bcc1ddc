//! Times, bytes, lists of names and panics as text for people.

use std::any::Any;
use std::time::Duration;

/// Formats a time: `0.42 s`, `12.3 ms`, `4.1 µs`, `350 ns`.
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_nanos() {
        0..1_000 => format!("{} ns", time.as_nanos()),
        1_000..1_000_000 => format!("{:.1} µs", seconds * 1e6),
        1_000_000..100_000_000 => format!("{:.1} ms", seconds * 1e3),
        100_000_000.. => format!("{seconds:.2} s"),
    }
}

/// Formats bytes with decimal units: `310 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let scaled = |unit: u64| bytes as f64 / unit as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.0} kB", scaled(1_000)),
        1_000_000..1_000_000_000 => format!("{:.0} MB", scaled(1_000_000)),
        1_000_000_000.. => format!("{:.1} GB", scaled(1_000_000_000)),
    }
}

/// Formats a list of names: `a`, `b` and `c`.
pub(crate) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "none at all".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

/// Returns the message of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_times_and_bytes() {
        let cases = [(0, "0 ns"), (999, "999 ns"), (4_130, "4.1 µs"), (12_345_678, "12.3 ms"), (420_000_000, "0.42 s")];
        for (nanoseconds, expected) in cases {
            assert_eq!(time(Duration::from_nanos(nanoseconds)), expected);
        }
        assert_eq!(time(Duration::from_secs(71)), "71.00 s");
        for (count, expected) in [(12, "12 B"), (1_500, "2 kB"), (310_000_000, "310 MB"), (40_000_000_000, "40.0 GB")] {
            assert_eq!(bytes(count), expected);
        }
    }
}
