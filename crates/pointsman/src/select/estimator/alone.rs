//! The selector without sessions: [`choose_device`] says which device an operation should run on, and
//! [`Selector::execute_with_fallback`] runs functions that people bring, one for each device.

use super::features::{ARMS_MAX, Size, Workload};
use super::{Arm, ArmSet, Observation, Profile, Ranking, Selector, SelectorOptions};
use crate::devices::registry::discovered_devices;
use crate::error::{Error, Result};
use pointsman_device::DeviceKind;
use pointsman_device::clock::FastInstant;
use std::fmt;
use twox_hash::XxHash3_128;

/// The operations that [`choose_device`] knows.
pub const OPERATIONS: [&str; 7] = ["map", "element_wise", "sum", "reduce", "filter", "scan", "cumulative"];

/// The types that it knows, with their bytes.
const TYPES: [(&str, f64); 8] = [
    ("bool", 0.125),
    ("i32", 4.0),
    ("u32", 4.0),
    ("f32", 4.0),
    ("i64", 8.0),
    ("u64", 8.0),
    ("f64", 8.0),
    ("timestamp", 8.0),
];

/// Which device an operation should run on.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The device's name.
    pub device: String,
    /// What each should take, and why they are in this order.
    pub ranking: Ranking,
}

/// Which device an operation over an array of this shape and type should run on, its input being in the host's memory.
/// Known are [`OPERATIONS`]; others are an error ([`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported)). Chosen is
/// among the devices that this process has found by now, by what such devices are usually like: it looks for none and
/// measures none, so it never waits. [`Session::selector`](crate::Session::selector) knows what was measured.
///
/// ```
/// use pointsman::selector::choose_device;
///
/// # fn main() -> pointsman::Result<()> {
/// let choice = choose_device("sum", &[100, 100], "f32")?;
/// assert_eq!(choice.device, "cpu", "nothing else would be as quick");
/// let error = choose_device("matmul", &[64, 64], "f32").unwrap_err();
/// assert_eq!(error.kind(), pointsman::ErrorKind::Unsupported);
/// # Ok(())
/// # }
/// ```
pub fn choose_device(operation: &str, shape: &[u64], dtype: &str) -> Result<Choice> {
    let workload = workload(operation, dtype)?;
    let rows = shape.iter().try_fold(1u64, |rows, &length| rows.checked_mul(length));
    let rows =
        rows.ok_or_else(|| Error::invalid(format!("an array of the shape {shape:?} has more than 2^64 values")))?;
    let selector = at_hand()?;
    let known = selector.know(&workload, ArmSet::ALL);
    let ranking = selector.explain(&known, Size::host(rows), ArmSet::NONE);
    let device = ranking.predictions.first().map_or_else(|| "cpu".to_string(), |first| first.device.clone());
    Ok(Choice { device, ranking })
}

/// What an operation asks of a device for each value.
fn workload(operation: &str, dtype: &str) -> Result<Workload> {
    let Some((_, bytes)) = TYPES.iter().find(|(name, _)| *name == dtype) else {
        let names = TYPES.map(|(name, _)| name).join(", ");
        return Err(Error::unsupported(format!("there is no type `{dtype}`; known are {names}")));
    };
    let (written, adds, primary) = match operation {
        "map" | "element_wise" => (*bytes, 1.0, "store"),
        "sum" | "reduce" => (0.0, 1.0, "reduce"),
        "filter" => (*bytes, 2.0, "compact"),
        "scan" | "cumulative" => (*bytes, 2.0, "scan"),
        other => {
            let names = OPERATIONS.join(", ");
            return Err(Error::unsupported(format!("the engine has no operation `{other}`; known are {names}")));
        }
    };
    Ok(Workload {
        key: XxHash3_128::oneshot(format!("alone {primary} {dtype}").as_bytes()),
        name: format!("{operation} {dtype}"),
        read_per_row: *bytes,
        written_per_row: written,
        operations: [adds, 0.0, 0.0, 0.0, 0.0],
        input_per_row: *bytes,
        output_per_row: written,
        launches: 1,
        primary,
        value_bytes: bytes.ceil() as u32,
        ..Workload::default()
    })
}

/// A selector over the devices that this process has found by now, which learns nothing: nobody tells it what runs took.
fn at_hand() -> Result<Selector> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = Arm::new("cpu", Profile::guess(DeviceKind::Cpu, threads));
    let arm = |info: &pointsman_device::DeviceInfo| Arm::new(&info.name, Profile::guess(info.kind, info.units));
    let others: Vec<Arm> = discovered_devices().iter().map(|device| arm(device.info())).collect();
    let arms = std::iter::once(cpu).chain(others).take(ARMS_MAX).collect();
    Selector::new(
        arms,
        SelectorOptions { learns: false, explores: false, learns_behind: false, ..SelectorOptions::default() },
    )
}

/// Why nothing could run: what each device that was tried said, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhausted<E> {
    /// What was to run.
    pub name: String,
    /// The devices that were tried, and what they said.
    pub attempts: Vec<(String, E)>,
}

impl<E: fmt::Display> fmt::Display for Exhausted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.attempts.is_empty() {
            return write!(f, "`{}` has no function for any device of the selector", self.name);
        }
        let told: Vec<String> = self.attempts.iter().map(|(device, error)| format!("{device}: {error}")).collect();
        write!(f, "`{}` failed on every device: {}", self.name, told.join("; "))
    }
}

impl<E: fmt::Display + fmt::Debug> std::error::Error for Exhausted<E> {}

impl Selector {
    /// Runs one of several functions that do the same: that of the device which should be done first, and if it fails that
    /// of the next, never the same again. What each took is learned from, by the name and the size. `choices` names the
    /// devices that there are functions for; `features` says what a row takes, as far as that is known.
    ///
    /// ```
    /// use pointsman::selector::{Arm, Profile, Selector, SelectorOptions, Size, Workload};
    /// use pointsman::DeviceKind;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cpu = Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 8));
    /// let card = Arm::new("card", Profile::guess(DeviceKind::Cuda, 132));
    /// let selector = Selector::new(vec![cpu, card], SelectorOptions::default())?;
    /// let features = Workload { read_per_row: 8.0, ..Workload::default() };
    /// let sum = selector.execute_with_fallback("sum", (&features, Size::resident(1 << 30)), &["cpu", "card"], |device| {
    ///     if device == "card" { Err("the card is gone") } else { Ok(42) }
    /// })?;
    /// assert_eq!(sum, 42);
    /// # Ok(())
    /// # }
    /// ```
    pub fn execute_with_fallback<T, E>(
        &self,
        name: &str,
        (features, size): (&Workload, Size),
        choices: &[&str],
        mut run: impl FnMut(&str) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, Exhausted<E>> {
        let arms = self.names().iter().enumerate().filter(|(_, own)| choices.contains(&own.as_str()));
        let takes = arms.fold(ArmSet::NONE, |takes, (arm, _)| takes.with(arm));
        let key = XxHash3_128::oneshot(format!("own {name}").as_bytes());
        let known = self.know(&Workload { key, name: name.to_string(), ..features.clone() }, takes);
        let rank = self.rank(&known, size, ArmSet::NONE);
        let mut attempts = Vec::new();
        for arm in rank.arms().filter(|&arm| takes.has(arm)) {
            let start = FastInstant::now();
            let result = run(&self.names()[arm]);
            let took = result.is_ok().then(|| FastInstant::now().since(start).max(1) as f64);
            let explored = rank.explores() && arm == rank.first();
            let known = known.clone();
            self.observe(Observation { known, size, arm, took, weight: 1.0, output: None, explored, contended: false });
            match result {
                Ok(value) => return Ok(value),
                Err(error) => attempts.push((self.names()[arm].clone(), error)),
            }
        }
        Err(Exhausted { name: name.to_string(), attempts })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn known_operations_have_a_choice_and_others_say_what_is_known() {
        for operation in OPERATIONS {
            for (dtype, _) in TYPES {
                let choice = choose_device(operation, &[1000], dtype).unwrap();
                assert_eq!(choice.device, choice.ranking.predictions[0].device);
            }
        }
        for operation in ["matmul", "fft", "Sum", ""] {
            let error = choose_device(operation, &[1000], "f32").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
            assert!(error.message().contains("element_wise") && error.message().contains("cumulative"), "{error}");
        }
        assert!(choose_device("sum", &[1], "f16").unwrap_err().message().contains("f64"));
        assert_eq!(choose_device("sum", &[u64::MAX, 2], "f32").unwrap_err().kind(), ErrorKind::InvalidQuery);
        assert_eq!(choose_device("sum", &[], "f32").unwrap().ranking.rows, 1);
    }

    fn two() -> Selector {
        let arms = vec![
            Arm::new("cpu", Profile::guess(DeviceKind::Cpu, 2)),
            Arm::new("card", Profile::guess(DeviceKind::Cuda, 132)),
        ];
        Selector::new(arms, SelectorOptions { learns_behind: false, ..SelectorOptions::default() }).unwrap()
    }

    #[test]
    fn what_fails_is_followed_by_the_next_and_never_tried_again() {
        let (selector, features) = (two(), Workload { read_per_row: 8.0, ..Workload::default() });
        let mut tried = Vec::new();
        let large = (&features, Size::resident(1 << 30));
        let answer = selector.execute_with_fallback("work", large, &["cpu", "card"], |device| {
            tried.push(device.to_string());
            if device == "card" { Err("gone") } else { Ok(7) }
        });
        assert_eq!((answer, tried), (Ok(7), vec!["card".to_string(), "cpu".to_string()]));
        selector.learn_now();
        assert_eq!((selector.ledger().calls, selector.ledger().failures), (1, 1));
        let mut tried = 0;
        let error = two().execute_with_fallback("work", large, &["cpu", "card", "tpu"], |device| {
            tried += 1;
            Err::<(), String>(format!("{device} is tired"))
        });
        let error = error.unwrap_err();
        assert_eq!(tried, 2);
        assert_eq!(error.to_string(), "`work` failed on every device: card: card is tired; cpu: cpu is tired");
        let none = selector.execute_with_fallback("work", large, &["tpu"], |_| Ok::<(), String>(()));
        assert_eq!(none.unwrap_err().to_string(), "`work` has no function for any device of the selector");
    }

    #[test]
    fn functions_are_learned_by_name() {
        let (selector, features) = (two(), Workload::default());
        let run = |name: &str| {
            let mut ran = String::new();
            let size = (&features, Size::host(10));
            let answer = selector.execute_with_fallback(name, size, &["card"], |device| {
                ran = device.to_string();
                Ok::<_, String>(())
            });
            assert_eq!(answer, Ok(()));
            ran
        };
        assert_eq!(run("only the card has one"), "card");
        selector.learn_now();
        assert_eq!(selector.learned().kernels.len(), 1);
        run("another");
        selector.learn_now();
        assert_eq!(selector.learned().kernels.len(), 2);
    }
}
