//! The devices of a session: found when they are first needed, each with a stream; and a report of all that are there and
//! why others are not.
//!
//! Looking for a card's driver takes up to half a second, so nothing is looked for until a query names a device or
//! someone asks for the list, and each kind is looked for once in a process.

use crate::data::memory::Pool;
use crate::devices::handle::{DeviceHandle, DeviceLimits};
use crate::error::{Error, Result};
use crate::select::ARMS_MAX;
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::wgpu::{WgpuDevice, WgpuOptions};
use pointsman_device::{Device, DeviceInfo, DeviceKind, MemoryInfo};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What looking for devices of some kinds gave.
struct FoundDevices {
    devices: Vec<Arc<dyn Device>>,
    /// Why there is none, or not all that one would expect, in a sentence.
    missing: Option<String>,
}

/// A way to find devices.
struct Finder {
    /// The kinds it can find on this system.
    kinds: &'static [DeviceKind],
    /// Looks for them; the same devices every time.
    find: fn() -> &'static FoundDevices,
    /// Whether this machine may have a card of these kinds, as far as that is told without loading a driver.
    may_find: fn() -> bool,
}

/// Every way to find devices beside the CPU, in the order of the report.
const FINDERS: [Finder; 2] = [
    Finder { kinds: &[DeviceKind::Cuda], find: cuda, may_find: || true },
    Finder { kinds: PORTABLE_KINDS, find: portable, may_find: has_card },
];

const PORTABLE_KINDS: &[DeviceKind] = if cfg!(target_vendor = "apple") {
    &[DeviceKind::Metal]
} else if cfg!(windows) {
    &[DeviceKind::Dx12, DeviceKind::Vulkan]
} else {
    &[DeviceKind::Vulkan]
};

/// What was found, once that was looked for.
static CUDA: OnceLock<FoundDevices> = OnceLock::new();
static PORTABLE: OnceLock<FoundDevices> = OnceLock::new();

/// The devices beside the CPU that this process has found by now, but those that are software on it. Looks for none.
pub(crate) fn found_by_now() -> Vec<Arc<dyn Device>> {
    let devices = [&CUDA, &PORTABLE].into_iter().filter_map(OnceLock::get).flat_map(|found| &found.devices);
    devices.filter(|device| !device.info().is_emulated).cloned().collect()
}

fn cuda() -> &'static FoundDevices {
    CUDA.get_or_init(|| {
        let found = pointsman_device::cuda::devices();
        let devices = found.devices.into_iter().map(|device| Arc::new(device) as Arc<dyn Device>);
        FoundDevices { devices: devices.collect(), missing: found.missing }
    })
}

/// Whether the system shows a card. Without one the drivers that would be loaded are software: a hundred megabytes for a
/// device that nobody chooses.
fn has_card() -> bool {
    let shown = ["/dev/nvidiactl", "/dev/dxg"].iter().any(|path| std::path::Path::new(path).exists());
    let renders = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("renderD");
    let listed = || std::fs::read_dir("/dev/dri").is_ok_and(|entries| entries.flatten().any(renders));
    !cfg!(target_os = "linux") || shown || listed()
}

fn portable() -> &'static FoundDevices {
    PORTABLE.get_or_init(|| {
        let found = pointsman_device::wgpu::discover();
        let (mut devices, mut missing) = (Vec::new(), found.why_none.clone().into_iter().collect::<Vec<_>>());
        for adapter in &found.adapters {
            match WgpuDevice::open(adapter, WgpuOptions::default()) {
                Ok(device) => devices.push(Arc::new(device) as Arc<dyn Device>),
                Err(error) => missing.push(format!("{}: {error}", adapter.name)),
            }
        }
        FoundDevices { devices, missing: (!missing.is_empty()).then(|| missing.join("; ")) }
    })
}

/// The name of a kind: what stands before the colon of its devices' names.
pub(crate) const fn kind_name(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Cpu => "cpu",
        DeviceKind::Cuda => "cuda",
        DeviceKind::Vulkan => "vulkan",
        DeviceKind::Metal => "metal",
        DeviceKind::Dx12 => "dx12",
        DeviceKind::Sim => "sim",
    }
}

/// Whether a name has the form of a device's: `cpu`, `cuda:0`.
pub(crate) fn is_device_name(name: &str) -> bool {
    match name.split_once(':') {
        None => name == "cpu",
        Some((kind, number)) => is_kind(kind) && number.parse::<u32>().is_ok(),
    }
}

fn is_kind(name: &str) -> bool {
    [DeviceKind::Cuda, DeviceKind::Vulkan, DeviceKind::Metal, DeviceKind::Dx12]
        .into_iter()
        .map(kind_name)
        .any(|k| k == name)
}

/// Which devices a session may use, beside the CPU, which is always there.
#[derive(Clone)]
pub(crate) struct DeviceOptions {
    /// Names (`cuda:0`) or kinds (`cuda`); `None`: all.
    pub(crate) only: Option<Vec<String>>,
    /// Names or kinds that are left out.
    pub(crate) without: Vec<String>,
    /// Devices that the user brings.
    pub(crate) own: Vec<Arc<dyn Device>>,
    /// How much each takes.
    pub(crate) limits: DeviceLimits,
}

impl fmt::Debug for DeviceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own: Vec<&str> = self.own.iter().map(|device| device.info().name.as_str()).collect();
        f.debug_struct("DeviceOptions").field("only", &self.only).field("own", &own).finish()
    }
}

impl DeviceOptions {
    /// Checks the names.
    fn check(&self) -> Result<()> {
        let own = |name: &str| self.own.iter().any(|device| device.info().name == name);
        let mut names = self.only.iter().flatten();
        match names.find(|name| !is_device_name(name) && !is_kind(name) && !own(name)) {
            None => Ok(()),
            Some(name) => Err(Error::invalid(format!(
                "there is no device `{name}` to restrict a session to: write names like `cpu`, `cuda:0`, or kinds like `vulkan`"
            ))),
        }
    }

    fn allows(&self, name: &str) -> bool {
        let kind = name.split_once(':').map_or(name, |(kind, _)| kind);
        let has = |list: &[String]| list.iter().any(|one| one == name || one == kind);
        !has(&self.without) && self.only.as_deref().is_none_or(has)
    }

    /// Whether any device of this kind may be used.
    fn allows_kind(&self, kind: &str) -> bool {
        let of_kind = |one: &String| one.split_once(':').map_or(one.as_str(), |(kind, _)| kind) == kind;
        !self.without.iter().any(|one| one == kind) && self.only.as_ref().is_none_or(|only| only.iter().any(of_kind))
    }
}

/// The devices of a session.
pub(crate) struct DeviceRegistry {
    pub(crate) cpu: Arc<DeviceHandle>,
    own: Vec<Arc<DeviceHandle>>,
    options: DeviceOptions,
    groups: [OnceLock<Group>; FINDERS.len()],
}

/// What one finder gave.
struct Group {
    stations: Vec<Arc<DeviceHandle>>,
    missing: Vec<MissingDevice>,
}

impl DeviceRegistry {
    /// The CPU and the user's own devices; others are found later. The pool is the CPU's.
    pub(crate) fn open(cpu: CpuOptions, options: DeviceOptions) -> Result<(DeviceRegistry, Pool)> {
        options.check()?;
        let cpu = CpuDevice::new(cpu);
        let pool = Pool::new(cpu.pool().clone());
        let limits = &options.limits;
        let own = options.own.iter().map(|device| DeviceHandle::open(device.clone(), limits)).collect::<Result<_>>()?;
        let cpu = DeviceHandle::open_cpu(Arc::new(cpu), limits)?;
        Ok((DeviceRegistry { cpu, own, options, groups: Default::default() }, pool))
    }

    /// The device of this name, or a sentence that says why it is not here. Looks for that kind of device alone.
    pub(crate) fn find(&self, name: &str) -> std::result::Result<&Arc<DeviceHandle>, String> {
        let here = std::iter::once(&self.cpu).chain(&self.own).find(|station| station.name() == name);
        if let Some(station) = here {
            return Ok(station);
        }
        let kind = name.split_once(':').map_or(name, |(kind, _)| kind);
        let of_kind = |finder: &Finder| finder.kinds.iter().any(|&one| kind_name(one) == kind);
        let Some(number) = FINDERS.iter().position(of_kind) else {
            return Err(format!("this system has no {kind}"));
        };
        let group = self.group(number);
        if let Some(station) = group.stations.iter().find(|station| station.name() == name) {
            return Ok(station);
        }
        let missing = group.missing.iter().find(|missing| missing.name == name || missing.name == kind);
        Err(missing.map_or_else(
            || {
                let names: Vec<&str> = group.stations.iter().map(|station| station.name()).collect();
                format!("the {kind} devices are {}", names.join(", "))
            },
            |missing| missing.why.clone(),
        ))
    }

    /// The devices of a finder; looks for them the first time.
    fn group(&self, number: usize) -> &Group {
        self.groups[number].get_or_init(|| self.look(&FINDERS[number]))
    }

    fn look(&self, finder: &Finder) -> Group {
        let (mut stations, mut missing) = (Vec::new(), Vec::new());
        let mut miss = |name: &str, why: String| missing.push(MissingDevice { name: name.to_string(), why });
        let (allowed, barred): (Vec<&str>, Vec<&str>) =
            finder.kinds.iter().map(|&kind| kind_name(kind)).partition(|kind| self.options.allows_kind(kind));
        barred.iter().for_each(|kind| miss(kind, "left out by the session's list of devices".to_string()));
        if allowed.is_empty() {
            return Group { stations, missing };
        }
        let FoundDevices { devices, missing: why } = (finder.find)();
        for device in devices {
            let name = &device.info().name;
            if !self.options.allows(name) {
                miss(name, "left out by the session's list of devices".to_string());
                continue;
            }
            match DeviceHandle::open(device.clone(), &self.options.limits) {
                Ok(station) => stations.push(station),
                Err(error) => miss(name, error.message().to_string()),
            }
        }
        for kind in allowed {
            let is_here = devices.iter().any(|device| kind_name(device.info().kind) == kind);
            match why {
                Some(why) => miss(kind, why.clone()),
                None if !is_here => miss(kind, "there is no such device".to_string()),
                None => {}
            }
        }
        Group { stations, missing }
    }

    /// All devices, and why others are not there. Looks for every kind.
    pub(crate) fn report(&self) -> DeviceReport {
        let groups: Vec<&Group> = (0..FINDERS.len()).map(|number| self.group(number)).collect();
        DeviceReport { devices: self.known(), missing: groups.iter().flat_map(|group| group.missing.clone()).collect() }
    }

    /// The devices that are known by now, the CPU first.
    pub(crate) fn known(&self) -> Vec<DeviceEntry> {
        let entry = |station: &Arc<DeviceHandle>| DeviceEntry {
            info: station.device.info().clone(),
            memory: station.device.memory(),
        };
        self.stations().map(entry).collect()
    }

    /// Looks for every kind of device that this machine may have a card for, unless that was done before.
    pub(crate) fn look_for_cards(&self) {
        for (number, finder) in FINDERS.iter().enumerate() {
            if (finder.may_find)() {
                self.group(number);
            }
        }
    }

    /// The devices among which queries are given out that name none, the CPU first: of those that are known by now the
    /// ones that are no software on the processor, or those of these names.
    pub(crate) fn contenders(&self, among: Option<&[String]>) -> Vec<Arc<DeviceHandle>> {
        let others = self.stations().filter(|station| !Arc::ptr_eq(station, &self.cpu));
        let is_one = |station: &&Arc<DeviceHandle>| match among {
            Some(names) => names.iter().any(|name| name == station.name()),
            None => !station.device.info().is_emulated,
        };
        std::iter::once(&self.cpu).chain(others.filter(is_one)).take(ARMS_MAX).cloned().collect()
    }

    /// Whether there is the CPU alone, whatever the machine has.
    pub(crate) fn is_cpu_alone(&self) -> bool {
        let mut kinds = FINDERS.iter().flat_map(|finder| finder.kinds);
        self.own.is_empty() && !kinds.any(|&kind| self.options.allows_kind(kind_name(kind)))
    }

    /// Whether all devices of these names are there without looking for any.
    pub(crate) fn has_all(&self, names: &[String]) -> bool {
        names.iter().all(|name| std::iter::once(&self.cpu).chain(&self.own).any(|station| station.name() == name))
    }

    /// Those devices themselves.
    pub(crate) fn stations(&self) -> impl Iterator<Item = &Arc<DeviceHandle>> {
        let found = self.groups.iter().filter_map(OnceLock::get).flat_map(|group| &group.stations);
        std::iter::once(&self.cpu).chain(&self.own).chain(found)
    }
}

/// A device of a session.
#[derive(Clone, Debug)]
pub struct DeviceEntry {
    /// What it is and can do.
    pub info: DeviceInfo,
    /// How its memory stood when the report was made.
    pub memory: MemoryInfo,
}

/// A device, or a kind of devices, that a session does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDevice {
    /// Its name (`cuda:1`) or kind (`cuda`).
    pub name: String,
    /// Why it is not there, in a sentence.
    pub why: String,
}

/// The devices of a session, and for each kind that is not there the reason. `Display` prints a table.
#[derive(Clone, Debug)]
pub struct DeviceReport {
    devices: Vec<DeviceEntry>,
    missing: Vec<MissingDevice>,
}

impl DeviceReport {
    /// The devices, the CPU first.
    pub fn devices(&self) -> &[DeviceEntry] {
        &self.devices
    }

    /// What is not there, and why.
    pub fn missing(&self) -> &[MissingDevice] {
        &self.missing
    }

    /// The devices' names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.devices.iter().map(|device| device.info.name.as_str())
    }
}

impl<'a> IntoIterator for &'a DeviceReport {
    type Item = &'a DeviceEntry;
    type IntoIter = std::slice::Iter<'a, DeviceEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.devices.iter()
    }
}
