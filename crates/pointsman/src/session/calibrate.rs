//! `Session::calibrate`: how fast the session's devices are, measured while the caller waits, for people to read.

use super::Session;
use crate::error::{Error, Result};
use crate::runtime::resilience::cancel::CancellationToken;
use crate::runtime::station::Station;
use crate::select::{CLASSES, Curve, Link, Profile, calibrate};
use crate::telemetry::line::time;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long measuring the CPU takes at most, and all other devices together.
const CPU_BUDGET: Duration = Duration::from_secs(1);
const OTHERS_BUDGET: Duration = Duration::from_secs(2);
/// How long any other device takes at most.
const DEVICE_BUDGET: Duration = Duration::from_millis(1500);

/// A device that was measured.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// Its name.
    pub device: String,
    /// How fast it is, or why nobody knows.
    pub profile: Result<Profile>,
    /// How long measuring it took.
    pub took: Duration,
}

/// How fast the devices of a session are. `Display` is a table.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// The devices, the CPU first.
    pub devices: Vec<Calibrated>,
}

impl Session {
    /// Measures every device of this session, one after the other, in about three seconds, and changes nothing. What else
    /// runs on them meanwhile makes them look slower. An error if none could be measured.
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
            let profile = calibrate(&station.device, budget, &*self.0.clock, &CancellationToken::new());
            let took = self.0.clock.now().saturating_sub(start);
            Calibrated { device: station.name().to_string(), profile, took }
        };
        let devices: Vec<Calibrated> = stations.iter().map(measure).collect();
        let is_measured = |one: &Calibrated| one.profile.is_ok();
        match devices.iter().find_map(|one| one.profile.as_ref().err()) {
            Some(error) if !devices.iter().any(is_measured) => Err(error.clone()),
            Some(_) | None => Ok(CalibrationReport { devices }),
        }
    }
}

/// The heads of the table's columns.
const HEADS: [&str; 9] = ["device", "launch", "read", "write", "in", "in, locked", "out", "out, locked", "took"];
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
    row.push(time(took));
    row.extend(profile.operations.map(|each| format!("{:.1} Gop/s", 1.0 / each)));
    row
}

impl fmt::Display for CalibrationReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = HEADS.iter().chain(&CLASS_NAMES).map(|head| head.to_string()).collect();
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
        }
        Ok(())
    }
}
