//! `Session::calibrate`: measures the session's devices while the caller waits, and reports the result for people.

use super::pacing::Pacer;
use super::{DEVICE_TIME_MAX, measure_device};
use crate::error::{Error, Result};
use crate::resilience::cancel::CancellationToken;
use crate::select::estimator::{CLASSES, Curve, Link, Profile};
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
            for (arm, one) in devices.iter().filter_map(|one| arm_of(one).zip(Some(one))) {
                selectable.set_measured_profiles(one.profile.iter().map(|profile| (arm, profile.clone())));
            }
            for one in &mut devices {
                one.watts = arm_of(one).and_then(|arm| selectable.measure_watts(arm, clock, &stop));
            }
        }
        let took = clock.now().saturating_sub(start);
        let is_measured = |one: &CalibratedDevice| one.profile.is_ok();
        match devices.iter().find_map(|one| one.profile.as_ref().err()) {
            Some(error) if !devices.iter().any(is_measured) => Err(error.clone()),
            Some(_) | None => Ok(CalibrationReport { devices, took }),
        }
    }
}

/// The heads of the table's columns.
const HEADS: [&str; 8] = ["device", "launch", "read", "write", "in", "in, locked", "out", "out, locked"];
/// The names of the classes of operations.
const CLASS_NAMES: [&str; CLASSES] = ["simple", "multiply", "divide", "convert", "elementary"];
/// What getting them took.
const TIMES: [&str; 2] = ["compiling", "took"];

/// Bytes a nanosecond at the largest size, for people.
fn speed(curve: &Curve) -> String {
    curve.points().last().map_or_else(|| "-".to_string(), |(_, each)| format!("{:.1} GB/s", 1.0 / each))
}

fn speeds(link: &Link) -> [String; 2] {
    [speed(&link.pageable), speed(&link.locked)]
}

fn row(device: &str, profile: &Profile, [compiling, took]: [Duration; 2]) -> Vec<String> {
    let launch = time(Duration::from_nanos(profile.launch as u64));
    let mut row = vec![device.to_string(), launch, speed(&profile.read), speed(&profile.write)];
    row.extend(speeds(&profile.copy_in));
    row.extend(speeds(&profile.copy_out));
    row.extend(profile.operations.map(|each| format!("{:.1} Gop/s", 1.0 / each)));
    row.extend([time(compiling), time(took)]);
    row
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = HEADS.iter().chain(&CLASS_NAMES).chain(&TIMES).map(|head| head.to_string()).collect();
        let mut rows: Vec<Vec<String>> = vec![heads];
        let row_of =
            |one: &CalibratedDevice| Some(row(&one.device, one.profile.as_ref().ok()?, [one.compiling, one.took]));
        rows.extend(self.devices.iter().filter_map(row_of));
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cell = |(number, (cell, &width)): (usize, (&String, &usize))| {
                if number == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            };
            writeln!(f, "{}", cells.map(cell).collect::<Vec<_>>().join("  ").trim_end())?;
        }
        for one in &self.devices {
            match &one.profile {
                Ok(profile) if !profile.measured => {
                    writeln!(f, "{} could not be measured: this is a guess", one.device)?
                }
                Ok(_) => {}
                Err(error) => writeln!(f, "{}: {}", one.device, Error::message(error))?,
            }
            match &one.watts {
                Some(Ok(watts)) => writeln!(f, "{} draws {watts:.1} W at work beyond those idle", one.device)?,
                Some(Err(error)) => writeln!(f, "{} draws an unknown power: {}", one.device, error.message())?,
                None => {}
            }
        }
        writeln!(f, "measured in {}", time(self.took))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
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
