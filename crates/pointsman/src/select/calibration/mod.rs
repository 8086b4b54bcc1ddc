//! Measures how fast devices are: in goes a device, out comes a [`Profile`]. Anything that the device refuses or that
//! there is no time for stays a guess. Nothing is left behind on the device.
//!
//! Measuring makes way for queries: it is cut into slices of about 2 ms, with pauses between them while the session is
//! not idle (`pacing`). All times run from the call until the result is known to be there.
//!
//! | file | does |
//! | --- | --- |
//! | `thread` | measures devices in the background, and publishes their profiles together |
//! | `report` | `Session::calibrate`: measures while the caller waits |
//! | `pacing`, `sampler` | slices and pauses; samples and their median |
//! | `benchmark`, `kernels` | a device under measurement: its memory and programs |
//! | `memory`, `operations`, `link` | measure launches and bandwidth, operation rates, and copies |
//! | `spot_check` | compares a stored profile with a few new measurements |

mod benchmark;
mod kernels;
mod link;
mod memory;
mod operations;
mod pacing;
mod report;
mod sampler;
mod spot_check;
#[cfg(test)]
mod tests;
mod thread;

pub use report::{CalibratedDevice, CalibrationReport};
pub use spot_check::{SpotPoint, SpotQuantity, spot_check};
pub(super) use thread::{CalibrationThread, ThreadControl, ThreadEnd};

use super::estimator::{Profile, SPREAD_MEASURED, SinkKind};
use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use benchmark::{Benchmark, LoadedKernel, load_kernels};
use kernels::{CalibrationKernel, VALUE_BYTES};
use pacing::Pacer;
use pointsman_device::{Device, DeviceKind};
use sampler::Sampler;
use std::sync::Arc;
use std::time::Duration;

/// How long measuring a device may take, pauses included. What is not measured by then is guessed.
const DEVICE_TIME_MAX: Duration = Duration::from_secs(120);
/// The part of a device's free memory that a measured column takes, and the smallest column.
const MEMORY_PART: u64 = 8;
const BYTES_MIN: usize = 64 << 10;
/// The largest column if the driver does not report its free memory: on a card, and on software.
const BYTES_UNREPORTED: u64 = 1 << 30;
const BYTES_UNREPORTED_EMULATED: u64 = 256 << 20;
/// How often each small query runs.
const SMALL_QUERY_RUNS: usize = 31;
/// The bytes that are read while power is measured: more than the caches hold.
const READ_LOAD_BYTES: usize = 256 << 20;

/// One run of each small query, which returns its time: store over a host column, store over a resident column, and a
/// fold over both. The session implements them, because they measure what it adds around a launch and a copy.
pub(crate) type SmallQueries = [Box<dyn Fn() -> Result<Duration>>; 4];

/// Prepares the small queries for a device. The first run of each compiles it.
pub(crate) type OpenSmallQueries = fn(&Arc<dyn Device>) -> Result<SmallQueries>;

/// The size and length of measurements.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The smallest and the largest working set, powers of two.
    bytes_min: usize,
    bytes_max: usize,
    /// The most rows of a kernel that only computes, and how long it runs if they suffice for that.
    rows_max: usize,
    work: Duration,
    /// The least part of such a run that must not be its launch.
    work_part_min: f64,
    /// How long the device is kept busy first, so that it runs at its full clock rate.
    warm_up: Duration,
    /// The shortest sample: shorter runs are repeated within it.
    sample: Duration,
}

impl Limits {
    const CARD: Limits = Limits {
        bytes_min: 64 << 10,
        bytes_max: 1 << 30,
        rows_max: 1 << 30,
        work: Duration::from_micros(300),
        work_part_min: 0.2,
        warm_up: Duration::from_millis(60),
        sample: Duration::from_micros(200),
    };

    const CPU: Limits = Limits {
        bytes_min: 16 << 10,
        bytes_max: 256 << 20,
        rows_max: 1 << 24,
        // Long enough for all threads to take part, also if they are slow to wake.
        work: Duration::from_micros(1500),
        warm_up: Duration::from_millis(10),
        sample: Duration::from_micros(50),
        ..Limits::CARD
    };

    /// The speed of a simulated device is the same at every size, and simulating it takes the processor long.
    const SIM: Limits = Limits {
        bytes_max: 256 << 10,
        rows_max: 1 << 12,
        work: Duration::from_micros(100),
        work_part_min: 0.0,
        warm_up: Duration::ZERO,
        sample: Duration::ZERO,
        ..Limits::CARD
    };

    fn of(device: &dyn Device) -> Limits {
        let limits = match device.info().kind {
            DeviceKind::Cpu => Limits::CPU,
            DeviceKind::Cuda | DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 => Limits::CARD,
            DeviceKind::Sim => Limits::SIM,
        };
        let unreported = if device.info().is_emulated { BYTES_UNREPORTED_EMULATED } else { BYTES_UNREPORTED };
        let room = device.memory().free.map_or(unreported, |free| free / MEMORY_PART);
        let room: usize = 1 << room.min(device.info().capabilities.buffer_bytes_max).max(BYTES_MIN as u64).ilog2();
        Limits { bytes_max: limits.bytes_max.min(room), ..limits }
    }
}

/// Measures a device in about `budget`, pauses included.
fn measure_device(
    device: &Arc<dyn Device>,
    budget: Duration,
    pacer: &Pacer<'_>,
    open_small_queries: OpenSmallQueries,
) -> CalibratedDevice {
    let (start, sampler) = (pacer.now(), Sampler::new(pacer, budget, Limits::of(&**device)));
    let (profile, compiling) = measure_kernels(device, &sampler, CalibrationKernel::all());
    let profile = profile.and_then(|profile| with_session_overhead(profile, device, &sampler, open_small_queries));
    let took = pacer.now().saturating_sub(start).saturating_sub(compiling);
    CalibratedDevice { device: device.info().name.clone(), profile, compiling, took, watts: None }
}

/// Measures a device with these kernels, sum and copy first. Also returns how long compiling them took. The profile is
/// a guess if the device refuses the first two, or if there is no time for the least that it needs.
fn measure_kernels(
    device: &Arc<dyn Device>,
    sampler: &Sampler<'_>,
    kernels: impl Iterator<Item = CalibrationKernel>,
) -> (Result<Profile>, Duration) {
    let (start, kept_bytes) = (sampler.pacer.now(), device.memory().kept);
    let kernels = load_kernels(device, sampler, kernels);
    let compiling = sampler.pacer.now().saturating_sub(start);
    let measure = |kernels: Vec<LoadedKernel>| {
        let mut profile = Profile::guess(device.info().kind, device.info().units);
        let Some(sum) = kernels.first() else { return Ok(profile) };
        let mut benchmark = Benchmark::open(device, &kernels, sampler)?;
        if !benchmark.measure_memory(&mut profile)? {
            return Ok(profile);
        }
        benchmark.measure_link(&mut profile)?;
        benchmark.measure_operations(&mut profile)?;
        profile.compile = sum.compile.as_nanos().max(1) as f64;
        profile.spread = SPREAD_MEASURED * (1.0 + sampler.noise());
        profile.measured = true;
        Ok(profile)
    };
    let profile = kernels.and_then(measure);
    // Memory that the device kept before stays; no more is kept.
    device.trim(kept_bytes);
    (profile, compiling)
}

/// Calls `measure` with a run that reads much memory of a device, for measurements of its power.
pub(super) fn with_read_load<T>(
    device: &Arc<dyn Device>,
    clock: &dyn Clock,
    stop: &CancellationToken,
    measure: impl FnOnce(&mut dyn FnMut() -> Result<()>) -> Result<T>,
) -> Result<T> {
    let (pacer, limits) = (Pacer::immediate(clock, stop, None), Limits::of(&**device));
    let limits = Limits { bytes_max: limits.bytes_max.min(READ_LOAD_BYTES), ..limits };
    let sampler = Sampler::new(&pacer, DEVICE_TIME_MAX, limits);
    let kernels = load_kernels(device, &sampler, CalibrationKernel::all().take(2))?;
    let no_kernel = || Error::unsupported("it runs no kernel to be measured with");
    let sum = kernels.first().ok_or_else(no_kernel)?;
    let mut benchmark = Benchmark::open(device, &kernels, &sampler)?;
    let rows = benchmark.bytes / VALUE_BYTES;
    measure(&mut || benchmark.run(sum, 0, rows))
}

/// Adds to a measured profile what a session adds around launches and copies, if its small queries can be measured.
fn with_session_overhead(
    profile: Profile,
    device: &Arc<dyn Device>,
    sampler: &Sampler<'_>,
    open_small_queries: OpenSmallQueries,
) -> Result<Profile> {
    // The time of a simulated device passes on its own clock, that of a query on the system's.
    if !profile.measured || device.info().kind == DeviceKind::Sim {
        return Ok(profile);
    }
    let measure = || -> Result<[f64; 4]> {
        let queries = sampler.pacer.slice(|| open_small_queries(device))?;
        let mut times = [0.0; 4];
        for (time, query) in times.iter_mut().zip(&queries) {
            let run = |_| match sampler.has_used(1.0) {
                true => Err(Error::internal("no time is left")),
                false => sampler.pacer.slice(query),
            };
            let mut runs = (0..SMALL_QUERY_RUNS).map(run).collect::<Result<Vec<Duration>>>()?;
            runs.sort();
            *time = runs[runs.len() / 2].as_nanos() as f64;
        }
        Ok(times)
    };
    let times = measure();
    sampler.pacer.check()?;
    Ok(match times {
        Ok(times) => add_session_overhead(profile, times, device.info().capabilities.host_memory),
        // A failed query leaves the launches as they were measured without a session.
        Err(_) => profile,
    })
}

/// A profile with the launch and copy-start times that queries see; `times` are those of [`SmallQueries`].
fn add_session_overhead(mut profile: Profile, times: [f64; 4], is_host: bool) -> Profile {
    let [store_host, store_resident, fold_host, fold_resident] = times;
    let fold_extra = (fold_resident - store_resident).max(0.0);
    let reduce_launch = profile.sinks[SinkKind::Reduce as usize].launch;
    for (sink, cost) in profile.sinks.iter_mut().enumerate() {
        // Other sinks take as much more than a reduction as they did without a session.
        let extra = (fold_extra + cost.launch - reduce_launch).max(0.0);
        cost.launch = if sink == SinkKind::Store as usize { 0.0 } else { extra };
    }
    if is_host {
        return Profile { launch: store_host, ..profile };
    }
    let copy_start = (fold_host - fold_resident).max(profile.copy_start);
    Profile { launch: (store_resident - copy_start).max(store_resident / 4.0), copy_start, ..profile }
}
