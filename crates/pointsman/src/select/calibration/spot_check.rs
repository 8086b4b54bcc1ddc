//! Whether a stored profile is still true: a few points of it, measured again.

use super::kernels::CalibrationKernel;
use super::pacing::Pacer;
use super::sampler::Sampler;
use super::{Limits, measure_kernels};
use crate::select::estimator::{Curve, Profile};
use pointsman_device::Device;
use std::sync::Arc;
use std::time::Duration;

/// The most that a point may be off, as a ratio of the longer to the shorter time.
const RATIO_MAX: f64 = 1.25;
/// How often a profile is compared until it agrees: other work makes a device look slower.
const TRIES: usize = 2;
/// How long a try may take, pauses included.
const TRY_TIME_MAX: Duration = Duration::from_secs(30);
/// The largest working set on the host and on other devices, and how many times as large it is as the smallest.
const HOST_BYTES: usize = 64 << 20;
const DEVICE_BYTES: usize = 256 << 20;
const SIZE_RANGE: usize = 16;

/// What was measured again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpotQuantity {
    /// A launch without rows, in nanoseconds.
    Launch,
    /// The time to read memory, in nanoseconds per byte.
    Read,
    /// The time to write memory, in nanoseconds per byte.
    Write,
    /// The time of a copy to the device, in nanoseconds per byte.
    CopyIn,
    /// The time of a copy from the device, in nanoseconds per byte.
    CopyOut,
}

/// One point that was measured again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotPoint {
    /// The measured quantity.
    pub quantity: SpotQuantity,
    /// The size in bytes; ignored for launches.
    pub bytes: f64,
    /// The measured value.
    pub measured: f64,
}

/// Whether a stored profile agrees with new measurements: each point within a quarter. Ignores points that are not positive
/// numbers, and points that the profile does not cover.
pub fn spot_check(stored: &Profile, points: &[SpotPoint]) -> bool {
    spot_ratio(stored, points).is_none_or(|ratio| ratio <= RATIO_MAX)
}

/// Whether a device agrees with its stored profile in one of a few tries, or cannot be measured.
pub(super) fn agrees_with_profile(device: &Arc<dyn Device>, stored: &Profile, pacer: &Pacer<'_>) -> bool {
    (0..TRIES).any(|_| measure_points(device, pacer).is_none_or(|points| spot_check(stored, &points)))
}

/// Measures reading, writing, and copying in; `None` if the device cannot be measured. A launch is not compared: the
/// stored one includes what a session adds.
pub(super) fn measure_points(device: &Arc<dyn Device>, pacer: &Pacer<'_>) -> Option<Vec<SpotPoint>> {
    let limits = Limits::of(&**device);
    let is_host = device.info().capabilities.host_memory;
    let bytes_max = limits.bytes_max.min(if is_host { HOST_BYTES } else { DEVICE_BYTES });
    let limits = Limits { bytes_min: bytes_max / SIZE_RANGE, bytes_max, ..limits };
    let sampler = Sampler::new(pacer, TRY_TIME_MAX, limits);
    let (found, _) = measure_kernels(device, &sampler, CalibrationKernel::all().take(2));
    let Profile { read, write, copy_in, .. } = found.ok().filter(|found| found.measured)?;
    let quantities = [SpotQuantity::Read, SpotQuantity::Write, SpotQuantity::CopyIn];
    let largest = |(quantity, curve): (SpotQuantity, &Curve)| {
        curve.points().last().map(|(bytes, measured)| SpotPoint { quantity, bytes, measured })
    };
    Some(quantities.into_iter().zip([&read, &write, &copy_in.pageable]).filter_map(largest).collect())
}

/// The ratio of the longer to the shorter time of the point that is off most; `None` if no point can be compared.
pub(super) fn spot_ratio(stored: &Profile, points: &[SpotPoint]) -> Option<f64> {
    let ratios = points.iter().filter_map(|point| {
        let expected = match point.quantity {
            SpotQuantity::Launch => stored.launch,
            SpotQuantity::Read => stored.read.each(point.bytes),
            SpotQuantity::Write => stored.write.each(point.bytes),
            SpotQuantity::CopyIn => stored.copy_in.pageable.each(point.bytes),
            SpotQuantity::CopyOut => stored.copy_out.pageable.each(point.bytes),
        };
        let ratio = point.measured / expected;
        let is_comparable = expected > 0.0 && point.measured > 0.0 && ratio.is_finite();
        is_comparable.then_some(ratio.max(1.0 / ratio))
    });
    ratios.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_device::DeviceKind;

    #[test]
    fn a_quarter_is_allowed_in_both_directions() {
        let profile = Profile { launch: 1000.0, ..Profile::guess(DeviceKind::Cpu, 1) };
        let launch = |measured: f64| SpotPoint { quantity: SpotQuantity::Launch, bytes: 0.0, measured };
        let read = |times: f64| {
            let bytes = 1e6;
            SpotPoint { quantity: SpotQuantity::Read, bytes, measured: times * profile.read.each(bytes) }
        };
        let unknown = SpotPoint { quantity: SpotQuantity::CopyIn, bytes: 1e6, measured: 1.0 };
        let cases: [(&[SpotPoint], bool); 7] = [
            (&[], true),
            (&[launch(1200.0), read(0.85), unknown], true),
            (&[launch(1300.0)], false),
            (&[launch(1000.0), read(0.7)], false),
            (&[read(1.3)], false),
            (&[launch(f64::NAN), launch(-1.0), launch(0.0)], true),
            (&[launch(f64::INFINITY)], true),
        ];
        for (points, expected) in cases {
            assert_eq!(spot_check(&profile, points), expected, "{points:?}");
        }
    }
}
