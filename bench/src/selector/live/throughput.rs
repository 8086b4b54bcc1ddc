//! [`Throughput`]: the time of a whole schedule with several callers, against the same schedule on each device alone.

use super::case::{Case, if_able, time_on};
use super::schedule::{Callers, Schedule, ScheduleRun};
use super::text::time;
use pointsman::{Result, SessionOptions};
use std::fmt;
use std::time::Duration;

/// A device that would take this many times as long as the best device of each case is left out.
const RATIO_MAX: f64 = 5.0;
/// A device alone is stopped after this many times the time of the automatic calls, but not before `TIME_MIN`. A device that is
/// stopped took longer than the session that chooses.
const STOP_RATIO: f64 = 1.5;
const TIME_MIN: Duration = Duration::from_secs(10);

/// How long a device alone takes for the schedule.
enum DeviceTotal {
    Took(Duration),
    /// It was stopped.
    MoreThan(Duration),
    /// It was left out: it would take about this many times as long as the best device of each case.
    LeftOut(f64),
    /// It does not run all cases, or was not measured on all of them.
    NotAble,
}

/// The totals of the schedule.
pub(super) struct Throughput {
    automatic: Duration,
    calls: usize,
    devices: Vec<(String, DeviceTotal)>,
}

impl Throughput {
    /// Runs the calls that the automatic run made once more, on each device alone. Each device begins as the automatic run did:
    /// in a fresh session, with nothing compiled and all columns on the host.
    pub(super) fn measure(
        options: &SessionOptions,
        devices: &[String],
        cases: &[Case],
        callers: usize,
        (schedule, automatic): (&Schedule, &ScheduleRun),
    ) -> Result<Throughput> {
        let calls: Vec<usize> = automatic.calls.iter().map(Vec::len).collect();
        let schedule = schedule.first(calls.iter().sum());
        let stop = automatic.time.mul_f64(STOP_RATIO).max(TIME_MIN);
        let total = |device: &String| -> Result<DeviceTotal> {
            let Some(ratio) = expected_ratio(cases, &calls, device) else { return Ok(DeviceTotal::NotAble) };
            if ratio > RATIO_MAX {
                return Ok(DeviceTotal::LeftOut(ratio));
            }
            let required = vec![vec![device.clone()]; cases.len()];
            let callers = Callers { count: callers, devices: Some(&required), time_limit: stop };
            Ok(match if_able(schedule.run(&options.clone().open()?, cases, callers))? {
                Some(run) if run.count() == schedule.len() => DeviceTotal::Took(run.time),
                Some(run) => DeviceTotal::MoreThan(run.time),
                None => DeviceTotal::NotAble,
            })
        };
        let devices = devices.iter().map(|device| Ok((device.clone(), total(device)?))).collect::<Result<_>>()?;
        Ok(Throughput { automatic: automatic.time, calls: schedule.len(), devices })
    }

    /// The time of the automatic calls over that of the best single device; `None` if no device came to the end.
    fn ratio(&self) -> Option<f64> {
        let took = self.devices.iter().filter_map(|(_, total)| match total {
            DeviceTotal::Took(time) => Some(*time),
            DeviceTotal::MoreThan(_) | DeviceTotal::LeftOut(_) | DeviceTotal::NotAble => None,
        });
        took.min().map(|best| self.automatic.as_secs_f64() / best.as_secs_f64())
    }
}

/// The time of so many calls of each case on a device over that on the best device of each case, as measured alone; `None` if
/// the device was not measured on all cases.
fn expected_ratio(cases: &[Case], calls: &[usize], device: &str) -> Option<f64> {
    let (mut own, mut best) = (0.0, 0.0);
    for (case, &calls) in cases.iter().zip(calls) {
        own += calls as f64 * time_on(&case.times, device)?;
        best += calls as f64 * case.best().1;
    }
    Some(own / best)
}

impl fmt::Display for DeviceTotal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |own: &Duration| time(own.as_nanos() as f64);
        match self {
            DeviceTotal::Took(own) => write!(f, "{}", text(own)),
            DeviceTotal::MoreThan(own) => write!(f, "more than {}", text(own)),
            DeviceTotal::LeftOut(ratio) => write!(f, "left out (about {ratio:.0}× the best device of each case)"),
            DeviceTotal::NotAble => write!(f, "left out (not measured on all cases)"),
        }
    }
}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = time(self.automatic.as_nanos() as f64);
        let devices: Vec<String> = self.devices.iter().map(|(device, total)| format!("{device} {total}")).collect();
        write!(f, "the schedule of {} calls took {total}; on one device alone: {}; ", self.calls, devices.join(", "))?;
        match self.ratio() {
            Some(ratio) => write!(f, "{ratio:.2}× the best of these"),
            None => write!(f, "no device alone came to the end"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throughput(devices: Vec<(String, DeviceTotal)>) -> Throughput {
        Throughput { automatic: Duration::from_secs(6), calls: 9, devices }
    }

    #[test]
    fn the_session_is_compared_with_the_best_device_that_came_to_the_end() {
        let took = |seconds| DeviceTotal::Took(Duration::from_secs(seconds));
        let stopped = DeviceTotal::MoreThan(Duration::from_secs(9));
        let devices = [("cpu", took(12)), ("cuda:0", took(8)), ("vulkan:0", stopped), ("dzn", DeviceTotal::NotAble)];
        let all = throughput(devices.map(|(device, total)| (device.to_string(), total)).into());
        assert_eq!(all.ratio(), Some(0.75));
        assert_eq!(throughput(vec![("cpu".to_string(), DeviceTotal::LeftOut(7.0))]).ratio(), None);
    }
}
