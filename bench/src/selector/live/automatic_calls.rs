//! [`AutomaticCalls`]: the calls of a case for which a session chose the device.

use super::case::median;
use super::random_query::TimedCall;
use super::text::time;
use pointsman::Receipt;
use pointsman::selector::Prediction;
use std::fmt;

/// The device of every call of a case in a session, in order: a device, and how many calls in a row ran there.
#[derive(Debug, Default)]
pub(super) struct DeviceHistory(Vec<(String, usize)>);

impl DeviceHistory {
    /// Adds the device of the next call.
    pub(super) fn add(&mut self, device: &str) {
        match self.0.last_mut() {
            Some((last, calls)) if last == device => *calls += 1,
            Some(_) | None => self.0.push((device.to_string(), 1)),
        }
    }

    /// The number of calls.
    pub(super) fn calls(&self) -> usize {
        self.0.iter().map(|(_, calls)| calls).sum()
    }

    /// The calls before the first one on a device; all calls if there is none.
    pub(super) fn before(&self, device: &str) -> &[(String, usize)] {
        let first = self.0.iter().position(|(own, _)| own == device);
        &self.0[..first.unwrap_or(self.0.len())]
    }
}

/// `cpu 12, cuda:0 1, cpu 4`.
impl fmt::Display for DeviceHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.iter().map(|(device, calls)| format!("{device} {calls}"));
        f.write_str(&runs.collect::<Vec<_>>().join(", "))
    }
}

impl<'d> FromIterator<&'d str> for DeviceHistory {
    fn from_iter<I: IntoIterator<Item = &'d str>>(devices: I) -> DeviceHistory {
        let mut history = DeviceHistory::default();
        devices.into_iter().for_each(|device| history.add(device));
        history
    }
}

/// The calls of a case in a session. The last ones, which are warm, are judged.
pub(super) struct AutomaticCalls {
    /// All calls, the warm ones included.
    pub(super) history: DeviceHistory,
    /// The device and the nanoseconds of each warm call.
    pub(super) warm: Vec<(String, f64)>,
    /// Why the selector chose the device of the last call.
    pub(super) explanation: String,
}

impl AutomaticCalls {
    /// Summarizes the calls; `None` if none is warm. Must be called before the devices run as required ones: the explanation
    /// is of what the selector knows now.
    pub(super) fn new(history: DeviceHistory, warm: &[TimedCall]) -> Option<AutomaticCalls> {
        let explanation = explanation(&warm.last()?.receipt);
        let warm = warm.iter().map(|call| (call.receipt.device().to_string(), call.time)).collect();
        Some(AutomaticCalls { history, warm, explanation })
    }

    /// The median time of the warm calls.
    pub(super) fn time(&self) -> f64 {
        median(self.warm.iter().map(|(_, time)| *time))
    }

    /// Whether a warm call ran on a device.
    pub(super) fn ran_on(&self, device: &str) -> bool {
        self.warm.iter().any(|(own, _)| own == device)
    }

    /// The devices of the warm calls with the number of calls of each: `cpu 12, cuda:0 3`.
    pub(super) fn devices(&self) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for (device, _) in &self.warm {
            match counts.iter_mut().find(|(own, _)| own == device) {
                Some((_, count)) => *count += 1,
                None => counts.push((device, 1)),
            }
        }
        counts.iter().map(|(device, count)| format!("{device} {count}")).collect::<Vec<_>>().join(", ")
    }
}

/// Why the selector chose the device of a call: its reason, and its prediction for each device.
fn explanation(receipt: &Receipt) -> String {
    let prediction = |one: &Prediction| {
        let (spread, plural) = (one.spread.exp(), if one.runs == 1 { "" } else { "s" });
        let closed = if one.is_closed { ", closed" } else { "" };
        let account = match &one.account {
            Some(account) => format!(", {} more uses pay for moving the column", account.calls_left),
            None => String::new(),
        };
        let trust = format!("{spread:.1}× either way, {} run{plural}{closed}{account}", one.runs);
        format!("{} {} ({trust})", one.device, time(one.time()))
    };
    match receipt.ranking() {
        None => format!("{}; no predictions", receipt.why()),
        Some(ranking) => {
            let predictions: Vec<String> = ranking.predictions.iter().map(prediction).collect();
            format!("{} ({}); predicted {}", receipt.why(), ranking.why(), predictions.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_counts_calls_in_a_row() {
        let history = DeviceHistory::from_iter(["cpu", "cpu", "cuda:0", "cpu"]);
        assert_eq!(history.calls(), 4);
        assert_eq!(history.to_string(), "cpu 2, cuda:0 1, cpu 1");
        assert_eq!(history.before("cuda:0"), [("cpu".to_string(), 2)]);
        assert_eq!((history.before("cpu").len(), history.before("vulkan:0").len()), (0, 3));
    }

    #[test]
    fn devices_are_listed_with_their_calls() {
        let warm = [("cpu", 3.0), ("cuda:0", 1.0), ("cpu", 2.0)].map(|(device, time)| (device.to_string(), time));
        let calls =
            AutomaticCalls { history: DeviceHistory::default(), warm: warm.to_vec(), explanation: String::new() };
        assert_eq!((calls.devices().as_str(), calls.time()), ("cpu 2, cuda:0 1", 2.0));
        assert!(calls.ran_on("cuda:0") && !calls.ran_on("vulkan:0"));
    }
}
