//! The selector without sessions: [`choose_device`] names the device for an operation, and
//! [`Selector::execute_with_fallback`] runs one of several functions that the user supplies, one for each device.
//! Neither ever waits for discovery or calibration.

use super::decision_table::{ArmSet, RankReason};
use super::features::{ARMS_MAX, Size, Workload};
use super::{Arm, KernelStats, Observation, Profile, Ranking, Selector, SelectorOptions};
use crate::devices::registry::discovered_devices;
use crate::error::{Error, Result};
use pointsman_device::DeviceKind;
use pointsman_device::clock::FastInstant;
use std::sync::Arc;

/// The operations that [`choose_device`] knows.
pub const OPERATIONS: [&str; 7] = ["map", "element_wise", "sum", "reduce", "filter", "scan", "cumulative"];

/// The types that [`choose_device`] knows, by the bytes of a value.
const TYPES: [(f64, &[&str]); 5] = [
    (0.125, &["bool"]),
    (1.0, &["i8", "u8"]),
    (2.0, &["i16", "u16"]),
    (4.0, &["i32", "u32", "f32", "date", "date32"]),
    (8.0, &["i64", "u64", "f64", "timestamp"]),
];

/// The devices for an operation over an array of this shape and type in host memory, the best one first. Operations
/// other than [`OPERATIONS`] are an error ([`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)). It chooses among
/// the devices that this process has found by now, by profiles that are usual for such devices, and never waits: it
/// discovers and measures nothing. [`Session::selector`](crate::Session::selector) knows measured profiles.
///
/// ```
/// use pointsman::selector::choose_device;
///
/// # fn main() -> pointsman::Result<()> {
/// let ranking = choose_device("sum", &[100, 100], "f32")?;
/// assert_eq!(ranking.predictions[0].device, "cpu", "too small for a card");
/// let error = choose_device("matmul", &[64, 64], "f32").unwrap_err();
/// assert_eq!(error.kind(), pointsman::ErrorKind::Unsupported);
/// # Ok(())
/// # }
/// ```
pub fn choose_device(operation: &str, shape: &[u64], dtype: &str) -> Result<Ranking> {
    let workload = workload(operation, dtype)?;
    let rows = shape.iter().try_fold(1u64, |rows, &length| rows.checked_mul(length));
    let too_many = || Error::invalid(format!("an array of the shape {shape:?} has more than 2^64 values"));
    let selector = discovered_selector()?;
    let kernel = selector.register(&workload, ArmSet::ALL);
    Ok(selector.explain(&kernel, Size::host(rows.ok_or_else(too_many)?), ArmSet::NONE))
}

/// The work of an operation per value.
fn workload(operation: &str, dtype: &str) -> Result<Workload> {
    let unknown = |what: &str, name: &str, names: &[&str]| {
        Err(Error::unsupported(format!("there is no {what} `{name}`; the {what}s are {}", names.join(", "))))
    };
    let Some(&(bytes, _)) = TYPES.iter().find(|(_, names)| names.contains(&dtype)) else {
        return unknown("type", dtype, &TYPES.map(|(_, names)| names).concat());
    };
    let (written, simple_operations) = match operation {
        "map" | "element_wise" => (bytes, 1.0),
        "sum" | "reduce" => (0.0, 1.0),
        "filter" | "scan" | "cumulative" => (bytes, 2.0),
        other => return unknown("operation", other, &OPERATIONS),
    };
    Ok(Workload {
        read_per_row: bytes,
        written_per_row: written,
        operations: [simple_operations, 0.0, 0.0, 0.0, 0.0],
        input_per_row: bytes,
        output_per_row: written,
        launches: 1,
        ..Workload::default()
    })
}

/// A selector over the devices that this process has found by now. It does not learn.
fn discovered_selector() -> Result<Selector> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut arms = vec![Arm::new("cpu", Profile::guess(DeviceKind::Cpu, threads))];
    for device in discovered_devices() {
        let info = device.info();
        // Two sessions may have found the same device.
        if arms.iter().all(|known| known.name != info.name) && arms.len() < ARMS_MAX {
            arms.push(Arm::new(&info.name, Profile::guess(info.kind, info.units)));
        }
    }
    Selector::new(arms, SelectorOptions { learns: false, ..SelectorOptions::default() })
}

impl Selector {
    /// Runs one of several functions that do the same: the one of the device that should finish first, and if it fails,
    /// the one of the next device. `kernel` is the work as it was [registered](Selector::register) for the devices that
    /// have a function; the selector learns its times. A function that fails comes last for a number of calls that
    /// doubles with each failure in a row. If every function fails, the error lists each device that was tried, in
    /// order.
    ///
    /// ```
    /// use pointsman::DeviceKind;
    /// use pointsman::selector::{Arm, ArmSet, Profile, Selector, SelectorOptions, Size, Workload};
    ///
    /// # fn main() -> pointsman::Result<()> {
    /// let cpu = Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8));
    /// let card = Arm::new("card", Profile::guess(DeviceKind::Cuda, 132));
    /// let selector = Selector::new(vec![cpu, card], SelectorOptions::default())?;
    /// let sum = Workload { key: 1, read_per_row: 8.0, ..Workload::default() };
    /// let sum = selector.register(&sum, ArmSet::ALL);
    /// let answer = selector.execute_with_fallback(&sum, Size::resident(1 << 30), |device| {
    ///     if device == "card" { Err("the card is gone") } else { Ok(42) }
    /// });
    /// assert_eq!(answer, Ok(42));
    /// # Ok(())
    /// # }
    /// ```
    pub fn execute_with_fallback<T, E>(
        &self,
        kernel: &Arc<KernelStats>,
        size: Size,
        mut run: impl FnMut(&str) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, Vec<(String, E)>> {
        let paused = kernel.paused_devices();
        let rank = self.rank(kernel, size, paused);
        let mut errors = Vec::new();
        // A kernel that another selector registered may name devices that this one does not have.
        for arm in rank.without(paused).arms().filter(|arm| *arm < self.names().len()) {
            let start = FastInstant::now();
            let result = run(&self.names()[arm]);
            let nanoseconds = result.is_ok().then(|| FastInstant::now().since(start).max(1) as f64);
            kernel.record_outcome(arm, result.is_ok());
            let reason = if arm == rank.first() { rank.reason() } else { RankReason::Best };
            let own = Observation::of(kernel, size, rank, 0);
            self.observe(Observation { arm, nanoseconds, stands_for: 1, reason, ..own });
            match result {
                Ok(value) => return Ok(value),
                Err(error) => errors.push((self.names()[arm].clone(), error)),
            }
        }
        Err(errors)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn known_operations_have_a_choice_and_others_an_error_that_lists_them() {
        for operation in OPERATIONS {
            for dtype in TYPES.iter().flat_map(|(_, names)| *names) {
                let ranking = choose_device(operation, &[1000], dtype).unwrap();
                assert_eq!((ranking.predictions[0].device.as_str(), ranking.rows), ("cpu", 1000));
            }
        }
        for operation in ["matmul", "fft", "Sum", ""] {
            let error = choose_device(operation, &[1000], "f32").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().contains("element_wise") && error.message().contains("cumulative"), "{error}");
        }
        assert!(choose_device("sum", &[1], "f16").unwrap_err().message().contains("f64"));
        assert_eq!(choose_device("sum", &[u64::MAX, 2], "f32").unwrap_err().kind(), ErrorKind::InvalidQuery);
        assert_eq!(choose_device("sum", &[], "f32").unwrap().rows, 1);
    }

    fn two() -> Selector {
        let arms = vec![
            Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 2)),
            Arm::new("card", Profile::guess(DeviceKind::Cuda, 132)),
        ];
        Selector::new(arms, SelectorOptions { learns_in_background: false, ..SelectorOptions::default() }).unwrap()
    }

    fn work(selector: &Selector) -> Arc<KernelStats> {
        selector.register(&Workload { read_per_row: 8.0, ..Workload::default() }, ArmSet::ALL)
    }

    const LARGE: Size = Size::resident(1 << 30);

    /// Runs a function of each device; the devices that were tried, in order.
    fn tried(selector: &Selector, size: Size, run: impl Fn(&str) -> std::result::Result<(), String>) -> Vec<String> {
        let mut tried = Vec::new();
        let answer = selector.execute_with_fallback(&work(selector), size, |device| {
            tried.push(device.to_string());
            run(device)
        });
        selector.learn_now();
        assert_eq!(answer, Ok(()));
        tried
    }

    #[test]
    fn failed_function_is_followed_by_the_next() {
        let selector = two();
        let gone = |device: &str| if device == "card" { Err("gone".to_string()) } else { Ok(()) };
        assert_eq!(tried(&selector, LARGE, gone), ["card", "cpu"]);
        assert_eq!((selector.ledger().calls, selector.ledger().failures), (1, 1));
        let selector = two();
        let answer = selector
            .execute_with_fallback(&work(&selector), LARGE, |device| Err::<(), String>(format!("{device} is tired")));
        let errors = ["card", "cpu"].map(|device| (device.to_string(), format!("{device} is tired")));
        assert_eq!(answer, Err(errors.to_vec()), "the function of every device failed");
    }

    #[test]
    fn dead_function_is_tried_first_less_and_less_often() {
        // The card should take some 25 µs.
        let (selector, size) = (two(), Size { rows: 1 << 20, ..LARGE });
        let run = |device: &str, is_dead: bool| {
            let start = std::time::Instant::now();
            while device == "cpu" && start.elapsed() < std::time::Duration::from_micros(200) {
                std::hint::spin_loop();
            }
            if device == "card" && is_dead { Err("gone".to_string()) } else { Ok(()) }
        };
        let dead = (0..500).map(|_| tried(&selector, size, |device| run(device, true)));
        let tries = dead.filter(|devices| devices.contains(&"card".to_string())).count();
        assert!((3..12).contains(&tries), "{tries} of 500 calls tried a dead function first");
        assert_eq!(selector.ledger().failures, tries as u64);
        let last = (0..1000).fold(Vec::new(), |_, _| tried(&selector, size, |device| run(device, false)));
        assert_eq!(last, ["card"], "it works again");
    }

    #[test]
    fn devices_have_different_names() {
        let arm = || Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 2));
        let twice = Selector::new(vec![arm(), arm()], SelectorOptions::default());
        assert!(twice.is_err_and(|error| error.message().contains("named `cpu`")));
    }

    #[test]
    fn functions_are_learned_by_key_and_run_where_they_exist() {
        let selector = two();
        let run = |key: u128| {
            let kernel = selector.register(&Workload { key, ..Workload::default() }, ArmSet::NONE.with(1));
            let ran = selector.execute_with_fallback(&kernel, Size::host(10), |device| Ok::<_, ()>(device.to_string()));
            selector.learn_now();
            (ran, selector.learned().kernels.len())
        };
        assert_eq!(run(1), (Ok("card".to_string()), 1));
        assert_eq!(run(2), (Ok("card".to_string()), 2));
    }
}
