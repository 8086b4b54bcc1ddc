//! Measures how fast devices are: in goes a device, out comes a [`Profile`]. Anything that the device refuses stays a
//! guess. Nothing is left behind on the device.
//!
//! Measuring makes way for queries: it is cut into slices of about 2 ms, with pauses between them while the session is
//! not idle. All times run from the call until the result is known to be there.
//!
//! | file | does |
//! | --- | --- |
//! | `thread` | measures devices in the background, and publishes their profiles together |
//! | `report` | `Session::calibrate`: measures while the caller waits |
//! | `sampler` | slices, pauses and samples |
//! | `benchmark`, `kernels` | a device under measurement: its memory and programs |
//! | `measurements` | launches, bandwidth, copies and operations |
//! | `power` | the watts that devices draw at work |

mod benchmark;
mod kernels;
mod measurements;
mod power;
mod report;
mod sampler;
#[cfg(test)]
mod tests;
mod thread;

pub(super) use power::PowerMeters;
pub use report::{CalibratedDevice, CalibrationReport};
pub(super) use thread::{CalibrationThread, ThreadControl, ThreadEnd, ThreadState};

use super::estimator::{Profile, SPREAD_MEASURED, SinkKind};
use crate::error::{Error, ErrorKind, Result};
use benchmark::{BYTES_MIN, Benchmark, LoadedKernel, load_kernels};
use pointsman_device::Device;
use sampler::{CalibrationContext, Sampler};
use std::sync::Arc;

/// How often a stored profile is compared with its device until they agree: other work makes a device look slower.
const SPOT_CHECKS: usize = 2;
/// The largest working set of such a comparison, and the most that a time may be off: the ratio of the longer to the
/// shorter.
const SPOT_CHECK_BYTES: usize = 64 << 20;
const SPOT_RATIO_MAX: f64 = 1.25;

/// The nanoseconds of small queries on a device, which include what a session adds around a launch and a copy.
pub(crate) struct SmallQueryTimes {
    /// Stores a resident column.
    pub(crate) store: f64,
    /// Folds a resident column.
    pub(crate) fold: f64,
    /// Folds a host column.
    pub(crate) fold_host: f64,
}

/// Measures the nanoseconds of a run.
pub(crate) type MeasureRun<'m> = dyn Fn(&mut dyn FnMut() -> Result<()>) -> Result<f64> + 'm;

/// Times the small queries. The session implements this, because only a session runs queries.
pub(crate) type TimeSmallQueries = fn(&Arc<dyn Device>, &MeasureRun<'_>) -> Result<SmallQueryTimes>;

/// Measures the speed of a device, with what a session adds to it.
fn measure_device(
    device: &Arc<dyn Device>,
    context: CalibrationContext<'_>,
    time_small_queries: TimeSmallQueries,
) -> CalibratedDevice {
    let mut sampler = Sampler::new(context, device);
    let start = sampler.now();
    let kernels = load_kernels(&sampler, usize::MAX);
    let compiling = kernels.iter().flatten().map(|kernel| kernel.compile).sum();
    let profile = kernels.and_then(|kernels| measure_profile(&mut sampler, &kernels)).and_then(|mut profile| {
        // If a query fails, the launches stay as they were measured without a session.
        if let Ok(times) = time_small_queries(device, &|run| sampler.measure(run)) {
            add_session_overhead(&mut profile, &times, device.info().capabilities.host_memory);
        }
        sampler.check().map(|()| profile)
    });
    if let Some(error) = profile.as_ref().err().filter(|error| error.kind() != ErrorKind::Cancelled) {
        let (device, why) = (&device.info().name, error.message());
        tracing::warn!(target: "pointsman", device, "could not be measured; its speed is guessed: {why}");
    }
    let took = sampler.now().saturating_sub(start).saturating_sub(compiling);
    CalibratedDevice { device: device.info().name.clone(), profile, compiling, took, watts: None }
}

/// Measures a device with these kernels, sum and copy first. What they do not show is guessed. If there is too little memory,
/// working sets are halved.
fn measure_profile(sampler: &mut Sampler<'_>, kernels: &[LoadedKernel]) -> Result<Profile> {
    let (device, kept_bytes) = (sampler.device, sampler.device.memory().kept);
    let measure = |sampler: &Sampler<'_>| {
        let mut benchmark = Benchmark::open(sampler, kernels)?;
        let mut profile = Profile::guess(device.info().kind, device.info().units);
        let reduce_launch = benchmark.measure_memory(&mut profile)?;
        benchmark.measure_link(&mut profile)?;
        benchmark.measure_operations(&mut profile, reduce_launch)?;
        profile.compile = kernels.first().map_or(0, |kernel| kernel.compile.as_nanos()).max(1) as f64;
        Ok(Profile { spread: SPREAD_MEASURED, measured: true, ..profile })
    };
    let mut measured = measure(sampler);
    while sampler.bytes_max > BYTES_MIN
        && measured.as_ref().is_err_and(|error: &Error| error.kind() == ErrorKind::OutOfMemory)
    {
        sampler.bytes_max /= 2;
        measured = measure(sampler);
    }
    // Memory that the device kept before stays; no more is kept.
    device.trim(kept_bytes);
    measured
}

/// Whether a device agrees with its stored profile in one of a few tries, or cannot be measured.
fn agrees_with_profile(device: &Arc<dyn Device>, stored: &Profile, context: CalibrationContext<'_>) -> bool {
    let measure = || {
        let mut sampler = Sampler::new(context, device);
        sampler.bytes_max = sampler.bytes_max.min(SPOT_CHECK_BYTES);
        let kernels = load_kernels(&sampler, 2)?;
        measure_profile(&mut sampler, &kernels)
    };
    (0..SPOT_CHECKS).any(|_| measure().ok().is_none_or(|found| are_alike(stored, &found)))
}

/// Whether reading, writing and copying in take about as long in both profiles, at the largest size of the new one. A
/// launch is not compared: the stored one includes what a session adds.
fn are_alike(stored: &Profile, found: &Profile) -> bool {
    let copies = (&stored.copy_in.pageable, &found.copy_in.pageable);
    [(&stored.read, &found.read), (&stored.write, &found.write), copies].into_iter().all(|(stored, found)| {
        let Some((bytes, each)) = found.points().last() else { return true };
        let ratio = each / stored.each(bytes);
        stored.is_empty() || ratio.max(1.0 / ratio) <= SPOT_RATIO_MAX
    })
}

/// Replaces launch and copy-start times by those that queries see.
fn add_session_overhead(profile: &mut Profile, times: &SmallQueryTimes, is_host: bool) {
    let SmallQueryTimes { store, fold, fold_host } = times;
    profile.sinks[SinkKind::Reduce as usize].launch = (fold - store).max(0.0);
    if is_host {
        profile.launch = *store;
        return;
    }
    profile.copy_start = (fold_host - fold).max(profile.copy_start);
    // The result of the store is copied, too; a part of its time is the launch in any case.
    profile.launch = (store - profile.copy_start).max(store / 4.0);
}
