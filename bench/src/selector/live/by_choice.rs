//! [`ByChoice`]: what the choices of a case lost, apart from everything that no choice can change.
//!
//! Each warm call is valued by the median time of its device, measured in the same session right after the automatic calls.
//! The devices have owned columns then. So a call that ran elsewhere because the best device lacked the column is valued as
//! a loss, although no strategy can avoid it without knowing the future. [`ColumnWait`] marks these cases.

use super::automatic_calls::AutomaticCalls;
use super::case::{DeviceTimes, best, time_on};
use super::loss::Loss;

/// A case waits for its column as long as its calls have lost less than this many times the price of the copy. Copies of one
/// column vary that much from session to session.
const PRICE_TOLERANCE: f64 = 1.5;

/// Whether warm calls ran before the best device had the owned column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnWait {
    /// None did, or the best device needs no copy.
    None,
    /// Some did, and all of the session's calls before the copy lost less than its price: they wait for the account.
    Waiting,
    /// Some did, and the calls lost more than the price: the copy is overdue, which is the selector's fault.
    Overdue,
}

/// The value of a case's choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ByChoice {
    /// The mean over the warm calls of the median time of the device that ran each, and the least median.
    pub(super) loss: Loss,
    pub(super) wait: ColumnWait,
}

impl ByChoice {
    /// Values the calls with the median time of each device in the session. `copy_prices` has the devices that need a copy of
    /// the column. `None` if no device was measured.
    pub(super) fn new(calls: &AutomaticCalls, times: &DeviceTimes, copy_prices: &DeviceTimes) -> Option<ByChoice> {
        let (best_device, best_time) = best(times);
        if !best_time.is_finite() || calls.warm.is_empty() {
            return None;
        }
        // A call on a device that could not be measured afterwards is valued by its own time.
        let value = |(device, own): &(String, f64)| time_on(times, device).unwrap_or(*own);
        let time = calls.warm.iter().map(value).sum::<f64>() / calls.warm.len() as f64;
        let wait = column_wait(calls, times, time_on(copy_prices, best_device));
        Some(ByChoice { loss: Loss { time, best: best_time }, wait })
    }
}

/// Whether the case waited for its column, given the price of its copy to the best device.
fn column_wait(calls: &AutomaticCalls, times: &DeviceTimes, price: Option<f64>) -> ColumnWait {
    let (best_device, best_time) = best(times);
    let Some(price) = price else { return ColumnWait::None };
    let before = calls.history.before(best_device);
    let count: usize = before.iter().map(|(_, calls)| calls).sum();
    if count <= calls.history.calls() - calls.warm.len() {
        return ColumnWait::None;
    }
    let loss = |device: &String| time_on(times, device).map_or(0.0, |time| time - best_time);
    let lost: f64 = before.iter().map(|(device, calls)| *calls as f64 * loss(device)).sum();
    // The last of these calls was right if the calls before it had lost less than the price.
    let lost_before_last = lost * (count - 1) as f64 / count as f64;
    if lost_before_last <= PRICE_TOLERANCE * price { ColumnWait::Waiting } else { ColumnWait::Overdue }
}

#[cfg(test)]
mod tests {
    use super::super::automatic_calls::DeviceHistory;
    use super::*;

    /// Calls on these devices, each of 7 ns; the last `warm` ones are warm.
    fn calls(devices: &[&str], warm: usize) -> AutomaticCalls {
        let last = &devices[devices.len() - warm..];
        AutomaticCalls {
            history: devices.iter().copied().collect::<DeviceHistory>(),
            warm: last.iter().map(|device| (device.to_string(), 7.0)).collect(),
            explanation: String::new(),
        }
    }

    fn times(times: &[(&str, f64)]) -> DeviceTimes {
        times.iter().map(|(device, time)| (device.to_string(), *time)).collect()
    }

    /// Checks the time, the best time and the wait of some calls.
    fn check(calls: &AutomaticCalls, own: &[(&str, f64)], prices: &[(&str, f64)], expected: (f64, f64, ColumnWait)) {
        let value = ByChoice::new(calls, &times(own), &times(prices)).expect("a device was measured");
        assert_eq!((value.loss.time, value.loss.best, value.wait), expected);
    }

    #[test]
    fn calls_are_valued_by_the_median_of_their_device() {
        let own = [("cpu", 30.0), ("cuda:0", 10.0)];
        check(&calls(&["cuda:0"; 4], 4), &own, &[], (10.0, 10.0, ColumnWait::None));
        check(&calls(&["cpu", "cuda:0", "cuda:0", "cuda:0"], 4), &own, &[], (15.0, 10.0, ColumnWait::None));
        check(&calls(&["cpu", "cuda:0"], 1), &own, &[], (10.0, 10.0, ColumnWait::None));
    }

    #[test]
    fn a_tie_loses_nothing() {
        check(&calls(&["cpu", "cuda:0"], 2), &[("cpu", 10.0), ("cuda:0", 10.0)], &[], (10.0, 10.0, ColumnWait::None));
    }

    #[test]
    fn a_device_without_a_median_counts_with_the_times_of_its_calls() {
        check(&calls(&["cpu", "vulkan:0"], 2), &[("cpu", 3.0)], &[], (5.0, 3.0, ColumnWait::None));
        assert_eq!(ByChoice::new(&calls(&["cpu"], 1), &times(&[]), &times(&[])), None);
    }

    #[test]
    fn a_case_waits_until_its_calls_have_lost_the_price_of_the_copy() {
        let (own, prices) = ([("cpu", 30.0), ("cuda:0", 10.0)], [("cuda:0", 100.0)]);
        let of = |count: usize| calls(&vec!["cpu"; count], 2);
        check(&of(6), &own, &prices, (30.0, 10.0, ColumnWait::Waiting));
        check(&of(12), &own, &prices, (30.0, 10.0, ColumnWait::Overdue));
        check(&of(12), &own, &[], (30.0, 10.0, ColumnWait::None));
    }

    #[test]
    fn a_case_does_not_wait_once_the_column_was_copied() {
        let (own, prices) = ([("cpu", 30.0), ("cuda:0", 10.0)], [("cuda:0", 100.0)]);
        check(&calls(&["cpu", "cuda:0", "cuda:0"], 2), &own, &prices, (10.0, 10.0, ColumnWait::None));
        check(&calls(&["cuda:0", "cpu", "cpu"], 2), &own, &prices, (30.0, 10.0, ColumnWait::None));
        check(&calls(&["cpu", "cpu", "cuda:0"], 2), &own, &prices, (20.0, 10.0, ColumnWait::Waiting));
    }

    #[test]
    fn a_case_whose_best_device_is_the_host_waits_for_nothing() {
        let (own, prices) = ([("cpu", 10.0), ("cuda:0", 30.0)], [("cuda:0", 100.0)]);
        check(&calls(&["cuda:0", "cuda:0"], 2), &own, &prices, (30.0, 10.0, ColumnWait::None));
    }
}
