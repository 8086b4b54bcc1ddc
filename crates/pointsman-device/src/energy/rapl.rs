//! [`Rapl`]: energy usage of the processor, from the zone files of Linux's powercap.
//!
//! The packages (`intel-rapl:0`, also on AMD) and the memory beside them (`dram`) are counted, like a card's board
//! counts its own. Parts of a package would count twice, and so would the whole machine (`psys`). On most machines only
//! root may read the counters, and virtual machines have none.

use super::EnergyReading;
use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The powercap directory of Linux.
pub const POWERCAP: &str = "/sys/class/powercap";
/// The prefix of zone names. Others (`intel-rapl-mmio`) show the same packages again.
const ZONES: &str = "intel-rapl:";

/// The processor's energy counters.
#[derive(Debug)]
pub struct Rapl {
    root: PathBuf,
    /// Opened when all zones can be read.
    zones: OnceLock<Vec<Zone>>,
}

/// One energy counter.
#[derive(Debug)]
struct Zone {
    path: PathBuf,
    /// The value after which the counter restarts at 0, in microjoules.
    range: u64,
    /// The last reading, and the microjoules counted since the zone was opened.
    counted: Mutex<(u64, u64)>,
}

impl Rapl {
    /// Opens the counters in a directory: [`POWERCAP`] on a real machine. Reading reports missing counters and looks
    /// for them again.
    pub fn open(root: &Path) -> Rapl {
        let rapl = Rapl { root: root.to_path_buf(), zones: OnceLock::new() };
        // Counting starts now, if possible.
        let _ = rapl.zones();
        rapl
    }

    fn zones(&self) -> Result<&[Zone], String> {
        match self.zones.get() {
            Some(zones) => Ok(zones),
            None => zones(&self.root).map(|found| &**self.zones.get_or_init(|| found)),
        }
    }

    /// The energy used by all packages and their memory since they were opened. Counters restart after about ten
    /// minutes of full load: reading less often misses some of it.
    pub fn read(&self) -> DeviceResult<EnergyReading> {
        let zones = self.zones().map_err(DeviceError::unsupported)?;
        let counted = zones.iter().map(Zone::read).sum::<Result<u64, String>>();
        counted.map(|microjoules| EnergyReading::Counted(microjoules as f64 / 1e6)).map_err(DeviceError::unsupported)
    }
}

impl Zone {
    fn open(path: &Path) -> Result<Zone, String> {
        let (path, range) = (path.join("energy_uj"), number(&path.join("max_energy_range_uj"))?);
        let counted = Mutex::new((number(&path)?, 0));
        Ok(Zone { path, range, counted })
    }

    /// Microjoules since the zone was opened.
    fn read(&self) -> Result<u64, String> {
        let mut counted = self.counted.lock();
        // Read under the lock: an older reading after a newer one would look like a restart of the counter.
        let now = number(&self.path)?;
        let (last, total) = *counted;
        let more = now.checked_sub(last).unwrap_or_else(|| self.range.saturating_sub(last).saturating_add(now));
        *counted = (now, total.saturating_add(more));
        Ok(counted.1)
    }
}

/// All zones that count, or why there are none.
fn zones(root: &Path) -> Result<Vec<Zone>, String> {
    let none = || format!("the system has no energy counters of the processor ({}): ", root.display());
    let Ok(entries) = std::fs::read_dir(root) else {
        return Err(none() + "this is not Linux, or a virtual machine or container without access to them");
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| is_counted(path)).collect();
    paths.sort();
    if !paths.iter().any(|path| is_package(path)) {
        return Err(none() + "none of them is a package, as on virtual machines");
    }
    paths.iter().map(|path| Zone::open(path)).collect()
}

/// The part of a zone's name after the common prefix: `0`, or `0:1` for a part of it.
fn place(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_prefix(ZONES)
}

fn is_package(path: &Path) -> bool {
    place(path).is_some_and(|place| !place.contains(':')) && zone_name(path).starts_with("package")
}

fn is_counted(path: &Path) -> bool {
    is_package(path) || place(path).is_some_and(|place| place.contains(':')) && zone_name(path) == "dram"
}

/// The name that a zone reports.
fn zone_name(path: &Path) -> String {
    std::fs::read_to_string(path.join("name")).unwrap_or_default().trim().to_string()
}

/// The number in a file.
fn number(path: &Path) -> Result<u64, String> {
    let text = std::fs::read_to_string(path).map_err(|error| refused(path, &error))?;
    text.trim().parse().map_err(|_| format!("{} has no number: `{}`", path.display(), text.trim()))
}

/// Why a file cannot be read.
fn refused(path: &Path, error: &std::io::Error) -> String {
    let why = match error.kind() == ErrorKind::PermissionDenied {
        true => "only root may read the energy counters of the processor".to_string(),
        false => error.to_string(),
    };
    format!("{} cannot be read: {why}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceErrorKind;

    /// A directory with zones, removed on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("pointsman-rapl-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).expect("a temporary folder");
            Folder(path)
        }

        fn zone(&self, zone: &str, name: &str, range: u64, energy: u64) {
            let path = self.0.join(zone);
            std::fs::create_dir_all(&path).expect("a zone");
            for (file, text) in [("name", name.to_string()), ("max_energy_range_uj", range.to_string())] {
                std::fs::write(path.join(file), text + "\n").expect("a file of a zone");
            }
            self.count(zone, energy);
        }

        fn count(&self, zone: &str, energy: u64) {
            std::fs::write(self.0.join(zone).join("energy_uj"), format!("{energy}\n")).expect("a counter");
        }

        fn open(&self) -> Rapl {
            Rapl::open(&self.0)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn why(rapl: &Rapl) -> String {
        let error = rapl.read().expect_err("nothing to read");
        assert_eq!(error.kind, DeviceErrorKind::Unsupported);
        error.message
    }

    #[test]
    fn packages_and_their_memory_are_counted_and_nothing_twice() {
        let folder = Folder::new("zones");
        folder.zone("intel-rapl:0", "package-0", 1 << 40, 5_000_000);
        folder.zone("intel-rapl:1", "package-1", 1 << 40, 7_000_000);
        folder.zone("intel-rapl:0:0", "core", 1 << 40, 0);
        folder.zone("intel-rapl:0:1", "dram", 1 << 40, 1_000_000);
        folder.zone("intel-rapl:2", "psys", 1 << 40, 0);
        folder.zone("intel-rapl-mmio:0", "package-0", 1 << 40, 0);
        folder.zone("dtpm", "package-9", 1 << 40, 0);
        let rapl = folder.open();
        assert_eq!(rapl.read(), Ok(EnergyReading::Counted(0.0)), "it begins with what is there");
        folder.count("intel-rapl:0", 6_500_000);
        folder.count("intel-rapl:1", 7_250_000);
        folder.count("intel-rapl:0:1", 1_125_000);
        for other in ["intel-rapl:0:0", "intel-rapl:2", "intel-rapl-mmio:0", "dtpm"] {
            folder.count(other, 1_000_000_000);
        }
        assert_eq!(rapl.read(), Ok(EnergyReading::Counted(1.875)));
    }

    #[test]
    fn counters_wrap_around_at_their_range() {
        let folder = Folder::new("wrap");
        folder.zone("intel-rapl:0", "package-0", 10_000_000, 9_000_000);
        let rapl = folder.open();
        let counted = |energy: u64| {
            folder.count("intel-rapl:0", energy);
            rapl.read()
        };
        assert_eq!(counted(9_500_000), Ok(EnergyReading::Counted(0.5)));
        assert_eq!(counted(250_000), Ok(EnergyReading::Counted(1.25)), "500,000 up to the end, 250,000 from there");
        assert_eq!(counted(250_000), Ok(EnergyReading::Counted(1.25)));
        assert_eq!(counted(100_000), Ok(EnergyReading::Counted(11.1)), "nearly once around");
    }

    #[test]
    fn unreadable_counters_have_a_reason() {
        let missing = Rapl::open(Path::new("/nowhere/powercap"));
        assert!(why(&missing).contains("/nowhere/powercap") && why(&missing).contains("virtual machine"));
        let folder = Folder::new("odd");
        assert!(why(&folder.open()).contains("none of them is a package"));
        folder.zone("intel-rapl:0", "package-0", 1 << 40, 0);
        let rapl = folder.open();
        assert!(rapl.read().is_ok());
        std::fs::write(folder.0.join("intel-rapl:0/energy_uj"), "much").expect("a counter");
        assert!(why(&rapl).contains("has no number: `much`"), "{}", why(&rapl));
        std::fs::remove_file(folder.0.join("intel-rapl:0/energy_uj")).expect("it was there");
        assert!(why(&rapl).contains("energy_uj cannot be read"), "{}", why(&rapl));
        assert!(why(&folder.open()).contains("energy_uj cannot be read"));
    }

    #[test]
    fn missing_counters_are_searched_for_again() {
        let folder = Folder::new("mended");
        let rapl = folder.open();
        assert!(why(&rapl).contains("none of them is a package"));
        folder.zone("intel-rapl:0", "package-0", 1 << 40, 5_000_000);
        assert_eq!(rapl.read(), Ok(EnergyReading::Counted(0.0)), "it begins with what is there");
        folder.count("intel-rapl:0", 6_000_000);
        assert_eq!(rapl.read(), Ok(EnergyReading::Counted(1.0)));
    }

    #[test]
    fn permission_errors_mention_root() {
        let denied = std::io::Error::from(ErrorKind::PermissionDenied);
        let message = refused(Path::new("/sys/class/powercap/intel-rapl:0/energy_uj"), &denied);
        assert!(message.ends_with("energy_uj cannot be read: only root may read the energy counters of the processor"));
    }
}
