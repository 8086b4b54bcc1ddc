//! [`Case`]: a random query, and the time that each device takes for it when it is required: the reference.

use super::random_query::{RandomQuery, Run};
use super::use_costs::copy_time;
use pointsman::{ErrorKind, Result, Session};
use std::time::{Duration, Instant};

/// The calls of a case that are judged: its last ones.
pub(super) const WARM_CALLS: usize = 15;
/// A case is slow if its best device takes this many nanoseconds; it is called less often than others.
pub(super) const SLOW_NS: f64 = 5e7;
/// A device's time is the median of the runs in this time, of at least `DEVICE_RUNS[0]` and at most `DEVICE_RUNS[1]`.
const DEVICE_TIME: Duration = Duration::from_millis(25);
const DEVICE_RUNS: [usize; 2] = [9, 25];
/// Fewer runs suffice for a device that takes this many times as long as another, and at least `OUTCLASSED_NS`.
const OUTCLASSED: [(f64, usize); 2] = [(HOPELESS_RATIO, 1), (2.0, 3)];
const OUTCLASSED_NS: f64 = 5e6;
/// A device that takes this many times as long as the best one is no candidate.
const HOPELESS_RATIO: f64 = 10.0;
/// Warm-up: the device runs until `SETTLED_RUNS` runs in a row take at least `SETTLED_PART` of the shortest time so far, or
/// until `DEVICE_SETTLING` has passed.
const SETTLED_RUNS: usize = 5;
const SETTLED_PART: f64 = 0.97;
const DEVICE_SETTLING: Duration = Duration::from_millis(150);

/// A device that was never the best is not measured any more after this time.
const EFFORT_MAX: Duration = Duration::from_secs(15);

/// The effort that the measurement of a device has taken so far.
pub(super) struct DeviceEffort {
    pub(super) device: String,
    spent: Duration,
    was_best: bool,
}

impl DeviceEffort {
    pub(super) fn none(device: String) -> DeviceEffort {
        DeviceEffort { device, spent: Duration::ZERO, was_best: false }
    }

    fn is_worthwhile(&self) -> bool {
        self.was_best || self.spent < EFFORT_MAX
    }
}

/// Nanoseconds of each device that runs a query.
pub(super) type DeviceTimes = Vec<(String, f64)>;

/// A random query, and the time of each device.
pub(super) struct Case {
    pub(super) query: RandomQuery,
    pub(super) times: DeviceTimes,
    /// The time of a copy of the owned column to each device that needs one; empty if the column is a slice.
    pub(super) copy_prices: DeviceTimes,
}

impl Case {
    /// Measures every device that is worth the effort. An owned column is on the device already.
    pub(super) fn measure(session: &Session, query: RandomQuery, efforts: &mut [DeviceEffort]) -> Result<Case> {
        let (mut times, mut copy_prices) = (DeviceTimes::new(), DeviceTimes::new());
        for effort in efforts.iter_mut().filter(|effort| effort.is_worthwhile()) {
            let (start, best_other) = (Instant::now(), best(&times).1);
            if let Some(costs) = if_able(DeviceCosts::measure(session, &query, &effort.device, best_other))? {
                times.push((effort.device.clone(), costs.time));
                copy_prices.extend(costs.copy.map(|price| (effort.device.clone(), price)));
            }
            effort.spent += start.elapsed();
        }
        let (best, _) = best(&times);
        efforts.iter_mut().filter(|effort| effort.device == best).for_each(|effort| effort.was_best = true);
        Ok(Case { query, times, copy_prices })
    }

    /// The fastest device and its time.
    pub(super) fn best(&self) -> (&str, f64) {
        best(&self.times)
    }

    /// Whether even the best device takes long.
    pub(super) fn is_slow(&self) -> bool {
        self.best().1 > SLOW_NS
    }

    /// Whether a device runs the query.
    pub(super) fn runs_on(&self, device: &str) -> bool {
        time_on(&self.times, device).is_some()
    }

    /// Whether a device runs the query in a time that may be the best one.
    pub(super) fn has_candidate(&self, device: &str) -> bool {
        time_on(&self.times, device).is_some_and(|time| time < HOPELESS_RATIO * self.best().1)
    }
}

/// The fastest device and its time.
pub(super) fn best(times: &DeviceTimes) -> (&str, f64) {
    let best = times.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    best.map_or(("none", f64::INFINITY), |(name, time)| (name, *time))
}

/// The time of a device, if it is among these.
pub(super) fn time_on(times: &DeviceTimes, device: &str) -> Option<f64> {
    times.iter().find(|(name, _)| name == device).map(|(_, time)| *time)
}

/// The median of some times; infinite if there are none.
pub(super) fn median(times: impl IntoIterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.into_iter().collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::INFINITY)
}

/// `None` if the device refuses the query or has no memory for it.
pub(super) fn if_able<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::OutOfMemory) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a device with these times needs no further runs, because another device is much faster.
pub(super) fn is_outclassed(times: &[f64], best_other: f64) -> bool {
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let is_behind = |&(ratio, runs): &(f64, usize)| times.len() >= runs && least > ratio * best_other;
    least > OUTCLASSED_NS && OUTCLASSED.iter().any(is_behind)
}

/// What a query costs on a device, in nanoseconds.
struct DeviceCosts {
    /// A run, with an owned column on the device.
    time: f64,
    /// The copy of the column, if it is owned and the device needs one.
    copy: Option<f64>,
}

impl DeviceCosts {
    fn measure(session: &Session, query: &RandomQuery, device: &str, best_other: f64) -> Result<DeviceCosts> {
        let is_kept = query.keep_if_owned(session, device)?;
        let costs = query.prepare(session, Some(device)).and_then(|run| {
            let time = settled_time(&run, best_other)?;
            let copy = if is_kept { Some(copy_time(session, query, device, (&run, time))?.max(0.0)) } else { None };
            Ok(DeviceCosts { time, copy })
        });
        if is_kept {
            query.release(session, device)?;
        }
        costs
    }
}

/// The median time of a query once its runs have settled. Few runs suffice if another device is much faster.
pub(super) fn settled_time(run: &Run<'_>, best_other: f64) -> Result<f64> {
    let (start, mut least, mut settled) = (Instant::now(), f64::INFINITY, 0);
    while settled < SETTLED_RUNS && start.elapsed() < DEVICE_SETTLING {
        let time = run()?.time;
        settled = if time < SETTLED_PART * least { 0 } else { settled + 1 };
        least = least.min(time);
    }
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < DEVICE_RUNS[0] || times.len() < DEVICE_RUNS[1] && start.elapsed() < DEVICE_TIME {
        times.push(run()?.time);
        if is_outclassed(&times, best_other) {
            break;
        }
    }
    Ok(median(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_nothing_is_infinite() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([]), f64::INFINITY);
    }
}
