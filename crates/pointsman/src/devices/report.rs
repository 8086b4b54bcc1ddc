//! Prints a [`DeviceReport`]: a table of the devices, then a line for each missing one.

use crate::devices::registry::{DeviceEntry, DeviceReport};
use pointsman_device::Exactness;
use std::fmt;

const HEADER: [&str; 6] = ["device", "model", "memory", "floats", "f64", "runs"];

impl fmt::Display for DeviceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<[String; 6]> =
            std::iter::once(HEADER.map(String::from)).chain(self.devices().iter().map(cells)).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        for row in &rows {
            let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        let width = widths[0];
        for missing in self.missing() {
            writeln!(f, "{:<width$}  not here: {}", missing.name, missing.why)?;
        }
        for kind in self.undiscovered() {
            writeln!(f, "{kind:<width$}  not looked for yet: `Session::discover` looks for it")?;
        }
        Ok(())
    }
}

fn cells(device: &DeviceEntry) -> [String; 6] {
    let (info, memory) = (&device.info, device.memory);
    let floats = match info.capabilities.exactness {
        Exactness::Exact => "exact",
        Exactness::Bounded => "bounded",
    };
    let f64 = if info.capabilities.f64 { "yes" } else { "no" };
    [
        info.name.clone(),
        info.model.clone(),
        match (memory.free, memory.total) {
            (Some(free), Some(total)) => format!("{} of {} free", bytes(free), bytes(total)),
            (None, _) | (_, None) => format!("{} used, size not told", bytes(memory.used)),
        },
        floats.to_string(),
        f64.to_string(),
        info.capabilities.sinks.join(" "),
    ]
}

/// Formats bytes in GiB.
fn bytes(bytes: u64) -> String {
    const GIB: f64 = (1u64 << 30) as f64;
    format!("{:.1} GiB", bytes as f64 / GIB)
}
