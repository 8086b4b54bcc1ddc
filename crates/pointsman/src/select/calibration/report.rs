//! `Session::calibrate`: measures the session's devices while the caller waits, and reports the result for people.

use super::pacing::Pacer;
use super::{DEVICE_TIME_MAX, measure_device};
use crate::error::Result;
use crate::resilience::cancel::CancellationToken;
use crate::select::estimator::{Curve, Profile};
use crate::select::service::SelectorService;
use crate::text::time;
use std::fmt;
use std::time::Duration;

/// A device that was measured.
#[derive(Clone, Debug)]
pub struct CalibratedDevice {
    /// Its name.
    pub device: String,
    /// How fast it is, or why that is unknown.
    pub profile: Result<Profile>,
    /// How long compiling the kernels took that it was measured with.
    pub compiling: Duration,
    /// How long measuring it took.
    pub took: Duration,
    /// The power at work beyond the idle power, in watts, or why it is unknown. Measured where devices are chosen by
    /// energy ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)) and it was not stated.
    pub watts: Option<Result<f64>>,
}

/// How fast the devices of a session are. `Display` is a table.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// The devices, the CPU first.
    pub devices: Vec<CalibratedDevice>,
    /// How long all of it took, what devices draw included.
    pub took: Duration,
}

impl SelectorService {
    /// Measures every device of the session, one after the other, and chooses by the result from now on.
    pub(crate) fn calibrate(&self) -> Result<CalibrationReport> {
        let _alone = self.control.measure_now();
        let (start, stop) = (self.clock.now(), CancellationToken::new());
        let (clock, selectable) = (&*self.clock, self.devices());
        let pacer = Pacer::immediate(clock, &stop, selectable.map(|devices| &*devices.is_measuring));
        let open = self.options.open_small_queries;
        let measure = |device| measure_device(device, DEVICE_TIME_MAX, &pacer, open);
        let mut devices: Vec<_> = self.registry.handles().map(|handle| measure(&handle.device)).collect();
        if let Some(selectable) = selectable {
            let arm_of =
                |one: &CalibratedDevice| selectable.selector.names().iter().position(|name| *name == one.device);
            let measured = devices.iter().filter_map(|one| arm_of(one).zip(one.profile.clone().ok()));
            selectable.set_measured_profiles(measured);
            for one in &mut devices {
                one.watts = arm_of(one).and_then(|arm| selectable.measure_watts(arm, clock, &stop));
            }
        }
        let took = clock.now().saturating_sub(start);
        // An error if no device could be measured.
        match devices.first().filter(|_| devices.iter().all(|one| one.profile.is_err())) {
            Some(CalibratedDevice { profile: Err(error), .. }) => Err(error.clone()),
            Some(_) | None => Ok(CalibrationReport { devices, took }),
        }
    }
}

/// The heads of the table's columns: speeds, operations by class, and how long getting them took.
const HEADS: &str = "device|launch|read|write|in|in, locked|out|out, locked|simple|multiply|divide|convert|elementary|\
     compiling|took";

/// Bytes a nanosecond at the largest size, for people.
fn speed(curve: &Curve) -> String {
    curve.points().last().map_or_else(|| "-".to_string(), |(_, each)| format!("{:.1} GB/s", 1.0 / each))
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<Vec<String>> = vec![HEADS.split('|').map(String::from).collect()];
        for one in &self.devices {
            let Ok(Profile { launch, read, write, copy_in, copy_out, operations, .. }) = &one.profile else { continue };
            let curves = [read, write, &copy_in.pageable, &copy_in.locked, &copy_out.pageable, &copy_out.locked];
            let mut row = vec![one.device.clone(), time(Duration::from_nanos(*launch as u64))];
            row.extend(curves.map(speed));
            row.extend(operations.map(|each| format!("{:.1} Gop/s", 1.0 / each)));
            row.extend([time(one.compiling), time(one.took)]);
            rows.push(row);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        for row in &rows {
            write!(f, "{:<width$}", row[0], width = widths[0])?;
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                write!(f, "  {cell:>width$}")?;
            }
            writeln!(f)?;
        }
        for CalibratedDevice { device, profile, watts, .. } in &self.devices {
            match profile {
                Ok(profile) if !profile.measured => writeln!(f, "{device} could not be measured: this is a guess")?,
                Ok(_) => {}
                Err(error) => writeln!(f, "{device}: {}", error.message())?,
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
    fn a_report_is_a_table() {
        let measured = |kind, units| Profile { measured: true, ..Profile::guess(kind, units) };
        let of = |device: &str, profile: Result<Profile>| CalibratedDevice {
            device: device.to_string(),
            profile,
            compiling: Duration::from_millis(250),
            took: Duration::from_millis(500),
            watts: None,
        };
        let devices = vec![
            of("cpu", Ok(measured(DeviceKind::Cpu, 2))),
            of("cuda:0", Ok(measured(DeviceKind::Cuda, 132))),
            of("vulkan:0", Ok(Profile::guess(DeviceKind::Vulkan, 1))),
            of("vulkan:1", Err(Error::new(ErrorKind::DeviceLost, "it is gone"))),
        ];
        let text = CalibrationReport { devices, took: Duration::from_millis(1900) }.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let cells = |line: &str| -> Vec<String> {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_string).collect()
        };
        assert_eq!(cells(lines[0])[..4], ["device", "launch", "read", "write"], "{text}");
        assert_eq!(cells(lines[1])[..5], ["cpu", "300 ns", "24.0 GB/s", "24.0 GB/s", "-"], "{text}");
        let (link, bandwidth) = (["20.0 GB/s", "30.0 GB/s"], "2640.0 GB/s");
        let [pageable, locked] = link;
        let expected = ["cuda:0", "8.0 µs", bandwidth, bandwidth, pageable, locked, pageable, locked, "7920.0 Gop/s"];
        assert_eq!(cells(lines[2])[..9], expected, "{text}");
        assert_eq!(cells(lines[2])[13..], ["0.25 s", "0.50 s"], "{text}");
        let last = ["vulkan:0 could not be measured: this is a guess", "vulkan:1: it is gone", "measured in 1.90 s"];
        assert_eq!(lines[4..], last, "{text}");
    }
}
