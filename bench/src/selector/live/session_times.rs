//! The time of each device in a session that has just chosen for itself, measured by calls that require the devices in turn.

use super::automatic_calls::AutomaticCalls;
use super::case::{Case, DeviceTimes, if_able, is_outclassed, median};
use super::random_query::{RandomQuery, Run};
use pointsman::{Result, Session};
use std::time::{Duration, Instant};

/// The first runs of a device, which are not measured: programs are compiled, memory is allocated.
const UNMEASURED_RUNS: usize = 2;
/// The measured runs of a device: the fewest, and the most while there is time.
const RUNS: [usize; 2] = [3, 7];
const TIME_MAX: Duration = Duration::from_millis(400);

/// The devices that are compared in the session of these calls: all that may be the best, and all that the session chose.
pub(super) fn compared_devices(case: &Case, calls: Option<&AutomaticCalls>, devices: &[String]) -> Vec<String> {
    let is_compared = |device: &&String| case.has_candidate(device) || calls.is_some_and(|calls| calls.ran_on(device));
    devices.iter().filter(is_compared).cloned().collect()
}

/// The median time of each device that runs the query, with owned columns on the device.
pub(super) fn session_times(session: &Session, query: &RandomQuery, devices: &[String]) -> Result<DeviceTimes> {
    let mut able: Vec<(String, Run<'_>)> = Vec::new();
    for device in devices {
        let prepare = || {
            query.keep_if_owned(session, device)?;
            query.prepare(session, Some(device))
        };
        able.extend(if_able(prepare())?.map(|run| (device.clone(), run)));
    }
    let runs = able.iter().map(|(_, run)| || Ok(if_able(run())?.map(|call| call.time)));
    let times = in_turn(runs.collect())?;
    let measured = able.into_iter().zip(times).filter(|(_, times)| !times.is_empty());
    Ok(measured.map(|((device, _), times)| (device, median(times))).collect())
}

/// Runs all devices in rounds, each round beginning with another device. A device that is outclassed runs less often, one that
/// gives no time (`None`) not again. Returns the measured times of each.
fn in_turn(mut runs: Vec<impl FnMut() -> Result<Option<f64>>>) -> Result<Vec<Vec<f64>>> {
    let (start, count) = (Instant::now(), runs.len());
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); count];
    let mut is_out = vec![false; count];
    for round in 0..UNMEASURED_RUNS + RUNS[1] {
        if round >= UNMEASURED_RUNS + RUNS[0] && start.elapsed() > TIME_MAX {
            break;
        }
        for device in (0..count).map(|turn| (round + turn) % count) {
            if is_out[device] {
                continue;
            }
            match runs[device]()? {
                Some(time) if round >= UNMEASURED_RUNS => times[device].push(time),
                Some(_) => {}
                None => (is_out[device], times[device]) = (true, Vec::new()),
            }
            let least = times.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            is_out[device] |= is_outclassed(&times[device], least);
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// The order in which devices with these times run, and their measured times.
    fn check(own: &[Option<f64>]) -> (Vec<usize>, Vec<Vec<f64>>) {
        let order = RefCell::new(Vec::new());
        let run = |(device, time): (usize, &Option<f64>)| {
            let (order, time) = (&order, *time);
            move || {
                order.borrow_mut().push(device);
                Ok(time)
            }
        };
        let times = in_turn(own.iter().enumerate().map(run).collect()).expect("nothing fails");
        (order.into_inner(), times)
    }

    #[test]
    fn each_round_begins_with_another_device() {
        let (order, times) = check(&[Some(3.0), Some(2.0)]);
        assert_eq!(order[..6], [0, 1, 1, 0, 0, 1]);
        assert_eq!(times, [vec![3.0; RUNS[1]], vec![2.0; RUNS[1]]]);
    }

    #[test]
    fn a_hopeless_device_is_measured_once_and_one_that_refuses_never() {
        let (_, times) = check(&[Some(1e6), Some(1e8), None]);
        assert_eq!(times, [vec![1e6; RUNS[1]], vec![1e8], vec![]]);
    }
}
