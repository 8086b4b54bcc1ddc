//! Measures devices ([`measure_devices`]): a [`Profile`] of each, as queries see it: what a session adds around a launch and
//! a copy counts.
//!
//! Everything that is measured is compiled first, for all devices at once: GPU compilers take most of the time and keep the
//! processor busy, so nothing is measured meanwhile. Then the devices are measured one after the other.

use super::estimator::{Profile, Ready, SinkKind};
use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use pointsman_device::{Device, DeviceKind};
use std::sync::Arc;
use std::thread::{Builder, Scope, ScopedJoinHandle};
use std::time::Duration;

/// How long measuring all devices should take.
const TOTAL_TIME: Duration = Duration::from_secs(3);
/// The most time for one device, and the least, even if others took more than their part.
const DEVICE_TIME_MAX: Duration = Duration::from_secs(1);
const DEVICE_TIME_MIN: Duration = Duration::from_millis(400);

/// Times small queries on a device, to see what a session adds around a launch and a copy. The session implements it.
pub(crate) trait SmallQueries: Send {
    /// The median times of queries over a few rows.
    fn measure(&self) -> Result<SmallQueryTimes>;
}

/// Compiles the small queries for a device.
pub(crate) type OpenSmallQueries = fn(&Arc<dyn Device>) -> Result<Box<dyn SmallQueries>>;

/// Nanoseconds of a small query over columns in the host's memory and in the device's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallQueryTime {
    pub(crate) host: f64,
    pub(crate) resident: f64,
}

/// The times of a small query that stores a column, and of one that folds it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SmallQueryTimes {
    pub(crate) store: SmallQueryTime,
    pub(crate) fold: SmallQueryTime,
}

/// The result of measuring a device.
pub(super) struct MeasuredDevice {
    /// The position of the device in the list that was given.
    pub(super) number: usize,
    pub(super) profile: Result<Profile>,
    /// How long compiling for it took, while others compiled too.
    pub(super) compiling: Duration,
    pub(super) measuring: Duration,
}

/// A device with everything compiled that it is measured with.
struct PreparedDevice {
    kernels: Ready,
    /// `None` if there are none for such a device.
    small_queries: Option<Box<dyn SmallQueries>>,
    is_host: bool,
}

/// Measures devices, and reports each as soon as it is known. Ends soon after `stop` is cancelled.
pub(super) fn measure_devices(
    devices: &[&Arc<dyn Device>],
    clock: &dyn Clock,
    stop: &CancellationToken,
    open_small_queries: OpenSmallQueries,
    mut report: impl FnMut(MeasuredDevice),
) {
    let start = clock.now();
    let prepared = prepare_devices(devices, clock, stop, open_small_queries);
    let count = prepared.len();
    for (number, (device, compiling)) in prepared.into_iter().enumerate() {
        let begin = clock.now();
        let left = TOTAL_TIME.saturating_sub(begin.saturating_sub(start)) / (count - number) as u32;
        let budget = left.clamp(DEVICE_TIME_MIN, DEVICE_TIME_MAX);
        let profile = device.and_then(|device| device.measure(budget, clock, stop));
        let measuring = clock.now().saturating_sub(begin);
        report(MeasuredDevice { number, profile, compiling, measuring });
        if stop.is_cancelled() {
            return;
        }
    }
}

/// Compiles for all devices at once; how long each took.
fn prepare_devices(
    devices: &[&Arc<dyn Device>],
    clock: &dyn Clock,
    stop: &CancellationToken,
    open_small_queries: OpenSmallQueries,
) -> Vec<(Result<PreparedDevice>, Duration)> {
    let prepare = |device: &Arc<dyn Device>| {
        let start = clock.now();
        let prepared = PreparedDevice::new(device, clock, stop, open_small_queries);
        (prepared, clock.now().saturating_sub(start))
    };
    std::thread::scope(|scope| {
        let tasks: Vec<_> = devices.iter().map(|device| ScopedTask::start(scope, || prepare(device))).collect();
        let panicked = || (Err(Error::internal("compiling what a device is measured with panicked")), Duration::ZERO);
        tasks.into_iter().map(|task| task.join().unwrap_or_else(panicked)).collect()
    })
}

/// Work on a thread, or done already where no thread could be started.
enum ScopedTask<'s, T> {
    Thread(ScopedJoinHandle<'s, T>),
    Done(T),
}

impl<'s, T: Send + 's> ScopedTask<'s, T> {
    fn start(scope: &'s Scope<'s, '_>, work: impl Fn() -> T + Copy + Send + 's) -> ScopedTask<'s, T> {
        let thread = Builder::new().name("pointsman-calibration".to_string()).spawn_scoped(scope, work);
        thread.map_or_else(|_| ScopedTask::Done(work()), ScopedTask::Thread)
    }

    /// The result; `None` if the work panicked.
    fn join(self) -> Option<T> {
        match self {
            ScopedTask::Thread(thread) => thread.join().ok(),
            ScopedTask::Done(done) => Some(done),
        }
    }
}

impl PreparedDevice {
    fn new(
        device: &Arc<dyn Device>,
        clock: &dyn Clock,
        stop: &CancellationToken,
        open_small_queries: OpenSmallQueries,
    ) -> Result<PreparedDevice> {
        let info = device.info();
        // A simulated device has a clock of its own, and small queries go by the system's.
        let is_real = info.kind != DeviceKind::Sim;
        let (kernels, small_queries) = std::thread::scope(|scope| {
            let small_queries = is_real.then(|| ScopedTask::start(scope, || open_small_queries(device)));
            let kernels = Ready::new(device, clock, stop);
            // Without small queries the profile has the bare launches.
            (kernels, small_queries.and_then(|task| task.join()?.ok()))
        });
        Ok(PreparedDevice { kernels: kernels?, small_queries, is_host: info.capabilities.host_memory })
    }

    fn measure(self, budget: Duration, clock: &dyn Clock, stop: &CancellationToken) -> Result<Profile> {
        let profile = self.kernels.measure(budget, clock, stop)?;
        if !profile.measured || stop.is_cancelled() {
            return Ok(profile);
        }
        let times = self.small_queries.and_then(|queries| queries.measure().ok());
        Ok(match times {
            Some(times) => with_session_overhead(profile, times, self.is_host),
            None => profile,
        })
    }
}

/// A profile with the launch and copy-start times that queries see.
fn with_session_overhead(mut profile: Profile, times: SmallQueryTimes, is_host: bool) -> Profile {
    let (store, fold) = (times.store, times.fold);
    let more = (fold.resident - store.resident).max(0.0);
    let measured = profile.sinks[SinkKind::Reduce as usize].launch;
    for (sink, cost) in profile.sinks.iter_mut().enumerate() {
        // Other sinks take as much more than folding as they did without a session.
        cost.launch = if sink == SinkKind::Store as usize { 0.0 } else { (more + cost.launch - measured).max(0.0) };
    }
    if is_host {
        return Profile { launch: store.host, ..profile };
    }
    let copy_start = (fold.host - fold.resident).max(profile.copy_start);
    Profile { launch: (store.resident - copy_start).max(store.resident / 4.0), copy_start, ..profile }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches of sinks as measured without a session: storing 10, folding 15, the others more.
    fn profile() -> Profile {
        let mut profile = Profile { copy_start: 7.0, launch: 10.0, ..Profile::guess(DeviceKind::Cuda, 1) };
        for (cost, launch) in profile.sinks.iter_mut().zip([0.0, 5.0, 8.0, 1.0, 9.0]) {
            cost.launch = launch;
        }
        profile
    }

    fn small([store_host, store_resident, fold_host, fold_resident]: [f64; 4]) -> SmallQueryTimes {
        let run = |host, resident| SmallQueryTime { host, resident };
        SmallQueryTimes { store: run(store_host, store_resident), fold: run(fold_host, fold_resident) }
    }

    /// Small queries, whether the device works in the host's memory, and the launch, start of a copy and sinks' launches.
    fn check(times: [f64; 4], is_host: bool, launch: f64, copy_start: f64, sinks: [f64; 5]) {
        let seen = with_session_overhead(profile(), small(times), is_host);
        assert_eq!((seen.launch, seen.copy_start), (launch, copy_start), "{times:?}");
        assert_eq!(seen.sinks.map(|cost| cost.launch), sinks, "{times:?}");
        assert_eq!((seen.read, seen.operations), (profile().read, profile().operations), "{times:?}");
    }

    #[test]
    fn calibration_launches_and_copies_like_queries() {
        // Reduction takes 12 more than storing, and the others as much more or less than folding as without a session. A copy in
        // takes 30, and what a query that stores takes on the device has one copy, of its result.
        check([90.0, 50.0, 92.0, 62.0], false, 20.0, 30.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
        // The host copies nothing: what its queries take is their launch, wherever the column lies.
        check([90.0, 50.0, 92.0, 62.0], true, 90.0, 7.0, [0.0, 12.0, 15.0, 8.0, 16.0]);
        // A copy takes no less than it did without a session; a fold that seems faster than storing takes nothing more, and
        // neither does what took less than it.
        check([90.0, 50.0, 45.0, 44.0], false, 43.0, 7.0, [0.0, 0.0, 3.0, 0.0, 4.0]);
        // A copy that seems to take nearly all leaves a part for the launch.
        check([90.0, 50.0, 200.0, 60.0], false, 12.5, 140.0, [0.0, 10.0, 13.0, 6.0, 14.0]);
    }
}
