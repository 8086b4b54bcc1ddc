//! Compares a stored profile with a few new measurements of its device.

use super::kernels::CalibrationKernel;
use super::pacing::Pacer;
use super::sampler::Sampler;
use super::{Limits, measure_kernels};
use crate::select::estimator::{Curve, Profile, SPOT_RATIO_MAX, SpotPoint, SpotQuantity, spot_ratio};
use pointsman_device::Device;
use std::sync::Arc;
use std::time::Duration;

/// How long a try may take, pauses included.
const TRY_TIME_MAX: Duration = Duration::from_secs(30);
/// How often a profile is compared until it agrees: other work makes a device look slower.
const TRIES: usize = 2;
/// The largest working set on the host and on other devices, and how many times as large it is as the smallest.
const HOST_BYTES: usize = 64 << 20;
const DEVICE_BYTES: usize = 256 << 20;
const SIZE_RANGE: usize = 16;

/// How far a device is from its stored profile: the ratio of the longer to the shorter time of the measurement that
/// differs most, in the better of two tries. `None` if the device cannot be measured.
pub(super) fn spot_check_ratio(device: &Arc<dyn Device>, stored: &Profile, pacer: &Pacer<'_>) -> Option<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..TRIES {
        best = best.min(spot_ratio(stored, &measure_points(device, pacer)?)?);
        if best <= SPOT_RATIO_MAX {
            break;
        }
    }
    Some(best)
}

/// Measures reading, writing, and copying in. A launch is not compared: the stored one includes what a session adds.
fn measure_points(device: &Arc<dyn Device>, pacer: &Pacer<'_>) -> Option<Vec<SpotPoint>> {
    let limits = Limits::of(&**device);
    let is_host = device.info().capabilities.host_memory;
    let bytes_max = limits.bytes_max.min(if is_host { HOST_BYTES } else { DEVICE_BYTES });
    let limits = Limits { bytes_min: bytes_max / SIZE_RANGE, bytes_max, ..limits };
    let sampler = Sampler::new(pacer, TRY_TIME_MAX, limits.sample);
    let (found, _) = measure_kernels(device, &limits, &sampler, CalibrationKernel::all().take(2));
    let Profile { read, write, copy_in, .. } = found.ok().filter(|found| found.measured)?;
    let quantities = [SpotQuantity::Read, SpotQuantity::Write, SpotQuantity::CopyIn];
    let largest = |(quantity, curve): (SpotQuantity, &Curve)| {
        curve.points().last().map(|(bytes, measured)| SpotPoint { quantity, bytes, measured })
    };
    Some(quantities.into_iter().zip([&read, &write, &copy_in.pageable]).filter_map(largest).collect())
}
