//! `Session::calibrate`: measures the session's devices while the caller waits, and reports the result for people.

use super::measure_device;
use super::sampler::CalibrationContext;
use crate::error::Result;
use crate::select::estimator::Profile;
use crate::select::service::SelectorService;
use crate::text::time;
use pointsman_ir::op::OpClass;
use std::fmt;
use std::time::Duration;

/// A device that was measured.
#[derive(Clone, Debug)]
pub struct CalibratedDevice {
    /// Its name.
    pub device: String,
    /// The speed of the device, or why it is unknown.
    pub profile: Result<Profile>,
    /// How long measuring it took, compiling included.
    pub took: Duration,
    /// The power at work beyond the idle power, in watts, or why it is unknown. Measured where devices are chosen by
    /// energy ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)) and it was not stated.
    pub watts: Option<Result<f64>>,
}

/// The speed of a session's devices. `Display` has a line for each device.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// The devices, the CPU first.
    pub devices: Vec<CalibratedDevice>,
    /// The duration of the whole calibration, including power measurements.
    pub took: Duration,
}

impl SelectorService {
    /// Measures every device of the session, one after the other, and chooses by the result from now on.
    pub(crate) fn calibrate(&self) -> Result<CalibrationReport> {
        let _alone = self.control.awaited(|| self.control.measuring.lock());
        let start = self.clock.now();
        // No query makes it pause.
        let context = CalibrationContext { clock: &*self.clock, control: &self.control, ended_queries: &|| Some(0) };
        let measure = |device| measure_device(device, context, self.options.time_small_queries);
        let mut devices: Vec<_> = self.registry.handles().map(|handle| measure(&handle.device)).collect();
        if let Some(selectable) = self.devices() {
            selectable.publish(&devices);
            for one in &mut devices {
                one.watts = selectable.arm(&one.device).and_then(|arm| selectable.measure_watts(arm, context));
            }
        }
        let took = self.clock.now().saturating_sub(start);
        // An error if no device could be measured.
        match devices.first().filter(|_| devices.iter().all(|one| one.profile.is_err())) {
            Some(CalibratedDevice { profile: Err(error), .. }) => Err(error.clone()),
            Some(_) | None => Ok(CalibrationReport { devices, took }),
        }
    }
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for CalibratedDevice { device, profile, watts, took, .. } in &self.devices {
            match profile {
                Ok(Profile { launch, read, write, copy_in, copy_out, operations, .. }) => {
                    write!(f, "{device}: launch {}", time(Duration::from_nanos(*launch as u64)))?;
                    let copies = [("copy in", &copy_in.pageable), ("copy out", &copy_out.pageable)];
                    for (name, curve) in [("read", read), ("write", write)].into_iter().chain(copies) {
                        // The speed at the largest size; the CPU has no copies.
                        if let Some((_, nanoseconds)) = curve.points().last() {
                            write!(f, ", {name} {:.1} GB/s", 1.0 / nanoseconds)?;
                        }
                    }
                    let compute = 1.0 / operations[OpClass::Simple as usize];
                    writeln!(f, ", compute {compute:.1} Gop/s; measured in {}", time(*took))?;
                }
                Err(error) => writeln!(f, "{device} could not be measured: {}", error.message())?,
            }
            match watts {
                Some(Ok(watts)) => writeln!(f, "{device} draws {watts:.1} W at work beyond those idle")?,
                Some(Err(error)) => writeln!(f, "{device} draws an unknown power: {}", error.message())?,
                None => {}
            }
        }
        writeln!(f, "measured in {}", time(self.took))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use pointsman_device::DeviceKind;

    #[test]
    fn report_has_a_line_for_each_device() {
        let of = |device: &str, profile: Result<Profile>, watts: Option<Result<f64>>| CalibratedDevice {
            device: device.to_string(),
            profile,
            took: Duration::from_millis(500),
            watts,
        };
        let unknown = Err(Error::unsupported("it does not tell"));
        let devices = vec![
            of("cpu", Ok(Profile::guess(DeviceKind::Cpu, 2)), Some(unknown)),
            of("cuda:0", Ok(Profile::guess(DeviceKind::Cuda, 132)), Some(Ok(300.0))),
            of("vulkan:0", Err(Error::new(ErrorKind::DeviceLost, "it is gone")), None),
        ];
        let text = CalibrationReport { devices, took: Duration::from_millis(1900) }.to_string();
        let expected = [
            "cpu: launch 300 ns, read 24.0 GB/s, write 24.0 GB/s, compute 16.0 Gop/s; measured in 0.50 s",
            "cpu draws an unknown power: it does not tell",
            "cuda:0: launch 8.0 µs, read 2640.0 GB/s, write 2640.0 GB/s, copy in 20.0 GB/s, copy out 20.0 GB/s, \
             compute 7920.0 Gop/s; measured in 0.50 s",
            "cuda:0 draws 300.0 W at work beyond those idle",
            "vulkan:0 could not be measured: it is gone",
            "measured in 1.90 s",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
