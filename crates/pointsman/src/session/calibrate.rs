//! `Session::calibrate`: how fast the session's devices are, measured while the caller waits, for people to read.

use super::Session;
use super::guide::Contest;
use super::scout::{CPU_BUDGET, DEVICE_BUDGET, OTHERS_BUDGET, measured};
use crate::error::{Error, Result};
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::station::Station;
use crate::select::{CLASSES, Curve, Link, Profile};
use crate::telemetry::line::time;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A device that was measured.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// Its name.
    pub device: String,
    /// How fast it is, or why nobody knows.
    pub profile: Result<Profile>,
    /// How long measuring that took.
    pub took: Duration,
    /// What it draws at work, in watts beyond those that it draws idle, or why nobody knows. Measured where devices are
    /// chosen by energy ([`Policy::LeastEnergy`](crate::Policy::LeastEnergy)) and it was not stated.
    pub watts: Option<Result<f64>>,
}

/// How fast the devices of a session are. `Display` is a table.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// The devices, the CPU first.
    pub devices: Vec<Calibrated>,
}

impl Session {
    /// Measures every device of this session, one after the other, in about three seconds, and chooses by that from
    /// now on. Where devices are chosen by energy, what each draws takes two seconds more. What else runs on them meanwhile makes them look slower. An error if none could be measured.
    ///
    /// ```no_run
    /// # fn main() -> pointsman::Result<()> {
    /// println!("{}", pointsman::Session::open()?.calibrate()?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn calibrate(&self) -> Result<CalibrationReport> {
        self.devices();
        let stations: Vec<&Arc<Station>> = self.0.devices.stations().collect();
        let others = OTHERS_BUDGET / stations.len().saturating_sub(1).max(1) as u32;
        let measure = |station: &&Arc<Station>| {
            let budget = if station.host_memory { CPU_BUDGET } else { others.min(DEVICE_BUDGET) };
            let start = self.0.clock.now();
            let profile = measured(&station.device, budget, &*self.0.clock, &CancellationToken::new());
            let took = self.0.clock.now().saturating_sub(start);
            Calibrated { device: station.name().to_string(), profile, took, watts: None }
        };
        let mut devices: Vec<Calibrated> = stations.iter().map(measure).collect();
        if let Some(contest) = self.0.guide.contest() {
            contest.take_over(&devices);
            for one in &mut devices {
                let arm = contest.selector.names().iter().position(|name| *name == one.device);
                let measure = |arm| contest.measure_watts(arm, &*self.0.clock, &CancellationToken::new());
                one.watts = arm.and_then(measure);
            }
        }
        let is_measured = |one: &Calibrated| one.profile.is_ok();
        match devices.iter().find_map(|one| one.profile.as_ref().err()) {
            Some(error) if !devices.iter().any(is_measured) => Err(error.clone()),
            Some(_) | None => Ok(CalibrationReport { devices }),
        }
    }
}

impl Contest {
    /// Chooses by what was measured from now on.
    fn take_over(&self, devices: &[Calibrated]) {
        for (arm, name) in self.selector.names().iter().enumerate() {
            let found = devices.iter().find(|one| one.device == *name).and_then(|one| one.profile.as_ref().ok());
            let own = self.selector.profile(arm).and_then(|own| own.memory);
            if let Some(found) = found.filter(|found| found.measured) {
                self.selector.set_profile(arm, Profile { memory: own.or(found.memory), ..found.clone() });
            }
        }
    }
}

/// The heads of the table's columns.
const HEADS: [&str; 8] = ["device", "launch", "read", "write", "in", "in, locked", "out", "out, locked"];
/// The names of the classes of operations.
const CLASS_NAMES: [&str; CLASSES] = ["simple", "multiply", "divide", "convert", "elementary"];

/// Bytes a nanosecond at the largest size, for people.
fn speed(curve: &Curve) -> String {
    curve.points().last().map_or_else(|| "-".to_string(), |(_, each)| format!("{:.1} GB/s", 1.0 / each))
}

fn speeds(link: &Link) -> [String; 2] {
    [speed(&link.pageable), speed(&link.locked)]
}

fn row(device: &str, profile: &Profile, took: Duration) -> Vec<String> {
    let launch = time(Duration::from_nanos(profile.launch as u64));
    let mut row = vec![device.to_string(), launch, speed(&profile.read), speed(&profile.write)];
    row.extend(speeds(&profile.copy_in));
    row.extend(speeds(&profile.copy_out));
    row.extend(profile.operations.map(|each| format!("{:.1} Gop/s", 1.0 / each)));
    row.push(time(took));
    row
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = HEADS.iter().chain(&CLASS_NAMES).chain(&["took"]).map(|head| head.to_string()).collect();
        let mut rows: Vec<Vec<String>> = vec![heads];
        let measured = |one: &Calibrated| one.profile.as_ref().ok().map(|profile| row(&one.device, profile, one.took));
        rows.extend(self.devices.iter().filter_map(measured));
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
                Some(Err(error)) => writeln!(f, "{} draws nobody knows what: {}", one.device, error.message())?,
                None => {}
            }
        }
        Ok(())
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
        let of = |device: &str, profile: Result<Profile>| Calibrated {
            device: device.to_string(),
            profile,
            took: Duration::from_millis(500),
            watts: None,
        };
        let devices = vec![
            of("cpu", Ok(measured(DeviceKind::Cpu, 2))),
            of("cuda:0", Ok(measured(DeviceKind::Cuda, 132))),
            of("vulkan:0", Ok(Profile::guess(DeviceKind::Vulkan, 1))),
            of("vulkan:1", Err(Error::new(ErrorKind::DeviceLost, "it is gone"))),
        ];
        let text = CalibrationReport { devices }.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let cells = |line: &str| -> Vec<String> {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_string).collect()
        };
        assert_eq!(cells(lines[0])[..4], ["device", "launch", "read", "write"], "{text}");
        assert_eq!(cells(lines[1])[..5], ["cpu", "300 ns", "24.0 GB/s", "24.0 GB/s", "-"], "{text}");
        let (link, bandwidth) = (["8.0 GB/s", "20.0 GB/s"], "2640.0 GB/s");
        let [pageable, locked] = link;
        let expected = ["cuda:0", "8.0 µs", bandwidth, bandwidth, pageable, locked, pageable, locked, "7920.0 Gop/s"];
        assert_eq!(cells(lines[2])[..9], expected, "{text}");
        assert_eq!(cells(lines[2])[13..], ["0.50 s"], "{text}");
        assert_eq!(lines[4..], ["vulkan:0 could not be measured: this is a guess", "vulkan:1: it is gone"], "{text}");
    }

    #[test]
    fn a_session_is_calibrated_while_the_caller_waits() {
        let session = Session::builder().devices(["cpu"]).open().expect("a session");
        let report = session.calibrate().expect("the processor is there");
        let [cpu] = &report.devices[..] else { panic!("{report}") };
        assert_eq!(cpu.device, "cpu");
        assert!(cpu.profile.as_ref().is_ok_and(|profile| profile.measured), "{report}");
        assert!(cpu.took > Duration::ZERO && report.to_string().lines().count() == 2, "{report}");
    }
}
