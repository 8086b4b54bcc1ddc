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
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Convolve, Fft, Matmul, Method};
use std::sync::Arc;

/// The operations that [`choose_device`] knows.
pub const OPERATIONS: [&str; 12] = [
    "map",
    "element_wise",
    "sum",
    "reduce",
    "filter",
    "scan",
    "cumulative",
    "matmul",
    "fft",
    "conv",
    "convolve",
    "derivative",
];

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
/// Library operations take `f32` and `f64`, and these sizes; further sizes before them count a batch:
///
/// | operation | sizes |
/// | --- | --- |
/// | `matmul` | rows, inner size and columns of a matrix product; of two sizes, the right matrix is square |
/// | `fft` | the length of a transform of complex numbers |
/// | `conv`, `convolve` | numbers and weights of a convolution, by sum or by transforms |
/// | `derivative` | points of a Grünwald–Letnikov derivative: three real transforms of twice the length |
///
/// ```
/// use pointsman::selector::choose_device;
///
/// # fn main() -> pointsman::Result<()> {
/// let ranking = choose_device("sum", &[100, 100], "f32")?;
/// assert_eq!(ranking.predictions[0].device, "cpu", "too small for a card");
/// let ranking = choose_device("matmul", &[64, 64, 64], "f32")?;
/// assert_eq!(ranking.predictions[0].device, "cpu", "so is this product");
/// let error = choose_device("inverse", &[64, 64], "f32").unwrap_err();
/// assert_eq!(error.kind(), pointsman::ErrorKind::Unsupported);
/// # Ok(())
/// # }
/// ```
pub fn choose_device(operation: &str, shape: &[u64], dtype: &str) -> Result<Ranking> {
    let (workload, rows) = workload(operation, shape, dtype)?;
    let selector = discovered_selector()?;
    let kernel = selector.register(&workload, ArmSet::ALL);
    Ok(selector.explain(&kernel, Size::host(rows), ArmSet::NONE))
}

/// The work of an operation per value, and the number of values.
fn workload(operation: &str, shape: &[u64], dtype: &str) -> Result<(Workload, u64)> {
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
        "matmul" | "fft" | "conv" | "convolve" | "derivative" => {
            if !["f32", "f64"].contains(&dtype) {
                return unknown(&format!("type of `{operation}`"), dtype, &["f32", "f64"]);
            }
            let (calls, batch) = library_calls(operation, shape)?;
            let rows = batch.checked_mul(calls[0].rows_in()).ok_or_else(|| too_many(shape))?;
            return Ok((Workload::of_calls(&calls, bytes), rows));
        }
        other => return unknown("operation", other, &OPERATIONS),
    };
    let workload = Workload {
        read_per_row: bytes,
        written_per_row: written,
        operations: [simple_operations, 0.0, 0.0, 0.0, 0.0],
        input_per_row: bytes,
        output_per_row: written,
        launches: 1,
        ..Workload::default()
    };
    Ok((workload, product(shape)?))
}

fn product(shape: &[u64]) -> Result<u64> {
    let product = shape.iter().try_fold(1u64, |rows, &length| rows.checked_mul(length));
    product.ok_or_else(|| too_many(shape))
}

fn too_many(shape: &[u64]) -> Error {
    Error::invalid(format!("an array of the shape {shape:?} has more than 2^64 values"))
}

/// The library calls of an operation, which follow each other, and how many chunks they have.
fn library_calls(operation: &str, shape: &[u64]) -> Result<(Vec<Call>, u64)> {
    let (calls, batch): (Vec<Call>, &[u64]) = match (operation, shape) {
        ("matmul", &[rows, inner]) => (vec![Matmul::real(rows, inner, inner).into()], &[]),
        ("matmul", &[ref batch @ .., rows, inner, columns]) => (vec![Matmul::real(rows, inner, columns).into()], batch),
        ("fft", &[ref batch @ .., length]) => (vec![Fft::forward(length).into()], batch),
        ("conv" | "convolve", &[ref batch @ .., length, weights]) => {
            let by = |method| Call::from(Convolve { method, ..Convolve::line(length, weights) });
            let [sum, transform] = [Method::Sum, Method::Transform].map(by);
            (vec![if transform.operations() < sum.operations() { transform } else { sum }], batch)
        }
        ("derivative", &[ref batch @ .., points]) => {
            let padded = points.saturating_mul(2);
            let forward = Call::from(Fft { given: points, ..Fft::real_forward(padded) });
            let back = Fft { kept: points, ..Fft::real_inverse(padded) }.into();
            (vec![forward, forward, back], batch)
        }
        _ => {
            let wanted = if matches!(operation, "matmul" | "conv" | "convolve") { "two sizes" } else { "a size" };
            return Err(Error::invalid(format!("`{operation}` takes at least {wanted}, not {shape:?}")));
        }
    };
    match calls.iter().find_map(Call::mistake) {
        Some(mistake) => Err(Error::invalid(mistake)),
        None => Ok((calls, product(batch)?)),
    }
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
        for (number, operation) in OPERATIONS.into_iter().enumerate() {
            for dtype in TYPES.iter().flat_map(|(_, names)| *names) {
                let ranking = choose_device(operation, &[8, 20, 10], dtype);
                // The library operations come last.
                if number >= 7 && !["f32", "f64"].contains(dtype) {
                    let error = ranking.unwrap_err();
                    assert!(
                        error.message().ends_with("are f32, f64") && error.message().contains(operation),
                        "{error}"
                    );
                    continue;
                }
                let values = match operation {
                    "matmul" | "conv" | "convolve" => 160,
                    "fft" => 3200,
                    _ => 1600,
                };
                let ranking = ranking.unwrap();
                assert_eq!((ranking.predictions[0].device.as_str(), ranking.rows), ("cpu", values), "{operation}");
            }
        }
        for operation in ["inverse", "MATMUL", "Sum", ""] {
            let error = choose_device(operation, &[1000], "f32").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(OPERATIONS.iter().all(|known| error.message().contains(known)), "{error}");
        }
        assert!(choose_device("sum", &[1], "f16").unwrap_err().message().contains("f64"));
        assert_eq!(choose_device("sum", &[u64::MAX, 2], "f32").unwrap_err().kind(), ErrorKind::InvalidQuery);
        assert_eq!(choose_device("sum", &[], "f32").unwrap().rows, 1);
    }

    /// The predicted nanoseconds of an operation on an H200 that has the data.
    fn on_card(operation: &str, shape: &[u64], dtype: &str) -> f64 {
        let (workload, rows) = workload(operation, shape, dtype).unwrap();
        let arms = vec![Arm::new("card", Profile::guess(DeviceKind::Cuda, 132))];
        let selector = Selector::new(arms, SelectorOptions::default()).unwrap();
        let kernel = selector.register(&workload, ArmSet::ALL);
        selector.explain(&kernel, Size::resident(rows), ArmSet::NONE).predictions[0].parts.run
    }

    #[test]
    fn library_operations_take_what_their_calls_take() {
        let matmul = on_card("matmul", &[4096, 4096], "f32");
        assert!((2e6..4e6).contains(&matmul), "{matmul}");
        assert_eq!(matmul, on_card("matmul", &[4096, 4096, 4096], "f32"));
        assert_eq!(matmul * 2.0, on_card("matmul", &[2, 4096, 4096, 4096], "f32"));
        // The history of 2^20 points took an H200 0.192 ms with PyTorch.
        let history = on_card("derivative", &[1 << 20], "f64");
        assert!((8e4..4e5).contains(&history), "{history}");
        let transforms = 1.5 * on_card("fft", &[1 << 21], "f64");
        assert!((history / transforms - 1.0).abs() < 0.01, "{history} and {transforms}");
        // Few weights take a sum; many take transforms of blocks, which are longer for more weights.
        let [few, more] = [16u64, 64].map(|weights| on_card("conv", &[1 << 24, weights], "f64"));
        let [many, most] = [1u64 << 14, 1 << 20].map(|weights| on_card("convolve", &[1 << 24, weights], "f64"));
        assert!(few < more && more < many && many < most && most < 2.0 * many, "{few} {more} {many} {most}");
    }

    #[test]
    fn sizes_that_an_operation_does_not_have_are_an_error() {
        for (operation, shape) in [
            ("matmul", &[][..]),
            ("matmul", &[5]),
            ("matmul", &[5, 0, 3]),
            ("matmul", &[1 << 30, 1 << 30, 1]),
            ("matmul", &[u64::MAX, 2, 8, 8, 8]),
            ("fft", &[]),
            ("fft", &[0]),
            ("fft", &[u64::MAX]),
            ("conv", &[5]),
            ("convolve", &[5, 6]),
            ("derivative", &[]),
            ("derivative", &[0]),
            ("derivative", &[u64::MAX]),
        ] {
            let error = choose_device(operation, shape, "f64").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidQuery, "{operation} {shape:?}: {error}");
        }
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
