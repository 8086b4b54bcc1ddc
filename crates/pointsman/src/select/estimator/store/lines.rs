//! The text format of a store's file: writes learned state as lines, and parses them. Invalid lines, and lines about
//! other devices, are skipped; nothing here panics.
//!
//! ```text
//! timing DEVICE KERNEL PLACEMENT BUCKET WORKING_SET OUTPUT = ROWS NANOSECONDS SPREAD RUNS
//! profile DEVICE = NUMBER;NUMBER;…;SIZE:EACH,SIZE:EACH,…;…
//! uses KERNEL = USES
//! ```
//! The text before ` = ` is the line's key: a new line replaces an old one with the same key. DEVICE is a hash that
//! also covers the build, so `timing` and `profile` lines of other builds are skipped; all builds share `uses` lines.

use crate::select::estimator::Arm;
use crate::select::estimator::features::{Class, Octave, Size};
use crate::select::estimator::learned::{Learned, LearnedCell, LearnedKernel};
use crate::select::estimator::profile::Profile;
use pointsman_device::DeviceKind;
use std::collections::BTreeMap;

/// The input placements, by their numbers in a file.
const PLACEMENTS: [Class; 4] = [Class::Resident, Class::Partial, Class::Pageable, Class::Locked];

/// The devices of this process: identities by name.
pub(super) type DeviceIds = BTreeMap<String, String>;

/// Lines: values by key.
pub(super) type Lines = BTreeMap<String, String>;

/// Writes what was learned about these devices. Guessed profiles are left out.
pub(super) fn write(learned: &Learned, ids: &DeviceIds) -> Lines {
    let mut lines = Lines::new();
    for Arm { name, profile, .. } in learned.arms.iter().filter(|arm| arm.profile.measured) {
        ids.get(name).iter().for_each(|id| _ = lines.insert(format!("profile {id}"), profile.to_text()));
    }
    for (key, LearnedKernel { uses, cells }) in &learned.kernels {
        lines.insert(format!("uses {key:032x}"), uses.to_string());
        for LearnedCell { arm, class, working_set, output, rows, nanoseconds, spread, runs } in cells {
            let Some(id) = learned.arms.get(*arm).and_then(|arm| ids.get(&arm.name)) else { continue };
            let bucket = Size::host(*rows).bucket();
            let value = format!("{rows} {nanoseconds:?} {spread:?} {runs}");
            let place = format!("{} {bucket} {} {}", *class as u8, working_set.0, output.0);
            lines.insert(format!("timing {id} {key:032x} {place}"), value);
        }
    }
    lines
}

/// Reads what lines say about these devices. `None`: nothing.
pub(super) fn read(lines: &str, ids: &DeviceIds) -> Option<Learned> {
    let unmeasured = |name: &String| Arm::new(name, Profile::guess(DeviceKind::Cpu, 1));
    let mut learned = Learned { arms: ids.keys().map(unmeasured).collect(), kernels: BTreeMap::new() };
    lines.lines().for_each(|line| _ = read_line(line, ids, &mut learned));
    // The uses of kernels that ran on other devices only.
    learned.kernels.retain(|_, kernel| !kernel.cells.is_empty());
    let is_empty = learned.kernels.is_empty() && learned.arms.iter().all(|arm| !arm.profile.measured);
    (!is_empty).then_some(learned)
}

/// Adds what a line says; `None` if it is skipped.
fn read_line(line: &str, ids: &DeviceIds, learned: &mut Learned) -> Option<()> {
    let arm = |device: &str| ids.values().position(|id| id == device);
    let words: Vec<&str> = line.split(' ').collect();
    let kernel = |key: &str| u128::from_str_radix(key, 16).ok();
    match words[..] {
        ["timing", device, key, class, _, working_set, output, "=", rows, nanoseconds, spread, runs] => {
            let octave = |text: &str| Some(Octave(text.parse().ok().filter(|octave| *octave <= Octave::MAX.0)?));
            let cell = LearnedCell {
                arm: arm(device)?,
                class: *PLACEMENTS.get(class.parse::<usize>().ok()?)?,
                working_set: octave(working_set)?,
                output: octave(output)?,
                rows: rows.parse().ok()?,
                nanoseconds: nanoseconds.parse().ok()?,
                spread: spread.parse().ok()?,
                runs: runs.parse().ok()?,
            };
            learned.kernels.entry(kernel(key)?).or_default().cells.push(cell);
        }
        ["profile", device, "=", text] => learned.arms[arm(device)?].profile = Profile::from_text(text)?,
        ["uses", key, "=", uses] => learned.kernels.entry(kernel(key)?).or_default().uses = uses.parse().ok()?,
        _ => return None,
    }
    Some(())
}
