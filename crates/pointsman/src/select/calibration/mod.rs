//! Measures the speed of devices, as a [`Profile`]. Anything that a device refuses to run remains a guess. All memory
//! of the device is freed.
//!
//! Measuring yields to queries: it runs in slices of about 2 ms, with pauses between them unless the session is idle.
//! Times are from the call until the result is available.
//!
//! | file | does |
//! | --- | --- |
//! | `thread` | measures devices in the background, and publishes their profiles together |
//! | `report` | `Session::calibrate`: measures while the caller waits |
//! | `sampler` | slices, pauses and samples |
//! | `benchmark`, `kernels` | a device under measurement: its memory and programs |
//! | `measurements` | launches, bandwidth, copies and operations |
//! | `tables`, `table_run` | sorts, groups, builds, searches, gathers and partitions |
//! | `calls` | matrix products, transforms and convolutions |
//! | `power` | the watts that devices draw at work |

mod benchmark;
mod calls;
mod kernels;
mod measurements;
mod power;
mod report;
mod sampler;
mod table_run;
mod tables;
#[cfg(test)]
mod tests;
mod thread;
#[cfg(test)]
mod validation;

pub use report::{CalibratedDevice, CalibrationReport};
pub(super) use thread::{CalibrationThread, ThreadControl, ThreadEnd, ThreadState};

use super::estimator::Profile;
use crate::error::{ErrorKind, Result};
use benchmark::{BYTES_MIN, with_benchmark};
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
    let measure = |sampler: &Sampler<'_>| {
        with_benchmark(sampler, usize::MAX, |mut benchmark| {
            let mut profile = benchmark.measure()?;
            benchmark.measure_calls(&mut profile).map(|()| profile)
        })
    };
    let mut measured = measure(&sampler);
    // Queries or other processes may have taken the memory that was free.
    while sampler.bytes_max > BYTES_MIN && measured.as_ref().is_err_and(|error| error.kind() == ErrorKind::OutOfMemory)
    {
        sampler.bytes_max /= 2;
        measured = measure(&sampler);
    }
    let profile = measured.and_then(|mut profile| {
        // If a query fails, the launch stays as it was measured without a session.
        if let Ok(times) = time_small_queries(device, &|run| sampler.measure(run)) {
            add_session_overhead(&mut profile, &times, device.info().capabilities.host_memory);
        }
        sampler.check().map(|()| profile)
    });
    if let Some(error) = profile.as_ref().err().filter(|error| error.kind() != ErrorKind::Cancelled) {
        let (device, why) = (&device.info().name, error.message());
        tracing::warn!(target: "pointsman", device, "could not be measured; its speed is guessed: {why}");
    }
    let took = sampler.now().saturating_sub(start);
    CalibratedDevice { device: device.info().name.clone(), profile, took, watts: None }
}

/// Whether a device agrees with its stored profile in one of a few tries, or cannot be measured.
fn agrees_with_profile(device: &Arc<dyn Device>, stored: &Profile, context: CalibrationContext<'_>) -> bool {
    let measure = || {
        let mut sampler = Sampler::new(context, device);
        sampler.bytes_max = sampler.bytes_max.min(SPOT_CHECK_BYTES);
        // The kernels of operations are left out.
        with_benchmark(&sampler, 2, |mut benchmark| benchmark.measure())
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
    let SmallQueryTimes { fold, fold_host } = times;
    if is_host {
        profile.launch = *fold;
        return;
    }
    profile.copy_start = (fold_host - fold).max(profile.copy_start);
    // The result is copied, too; a part of the time is the launch in any case.
    profile.launch = (fold - profile.copy_start).max(fold / 4.0);
}
