//! [`DeviceRegistry`]: the devices of a session. It turns the session's device options into [`DeviceHandle`]s and a
//! [`DeviceReport`] that also says why other devices are missing.
//!
//! Loading a GPU driver takes up to half a second, so discovery waits until a query names a device, the user calls
//! `Session::discover`, or the selector starts it in the background. Each kind of device is discovered once per
//! process.

use crate::data::memory::Pool;
use crate::devices::handle::{DeviceHandle, DeviceLimits};
use crate::error::{Error, Result};
use crate::resilience::health::Health;
use pointsman_device::cpu::{CpuDevice, CpuOptions};
use pointsman_device::{Device, DeviceInfo, DeviceKind, MemoryInfo};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The result of discovering devices of some kinds.
struct FoundDevices {
    devices: Vec<Arc<dyn Device>>,
    /// Why all devices or some of them are missing, in a sentence.
    missing: Option<String>,
}

/// Discovers devices of some kinds.
struct Finder {
    /// The kinds of device that the finder can find on this system.
    kinds: &'static [DeviceKind],
    /// Returns the devices: the same devices on every call.
    find: fn() -> &'static FoundDevices,
    /// Whether this machine may have a GPU of these kinds. Checks without loading a driver.
    may_find: fn() -> bool,
    /// Whether the crate was built with the feature that these kinds need.
    is_built: bool,
}

/// All finders, in the order of the report. The CPU needs none.
const FINDERS: [Finder; 2] = [
    Finder { kinds: &[DeviceKind::Cuda], find: cuda, may_find: || true, is_built: cfg!(feature = "cuda") },
    Finder { kinds: PORTABLE_KINDS, find: portable, may_find: may_have_gpu, is_built: cfg!(feature = "wgpu") },
];

const PORTABLE_KINDS: &[DeviceKind] = if cfg!(target_vendor = "apple") {
    &[DeviceKind::Metal]
} else if cfg!(windows) {
    &[DeviceKind::Dx12, DeviceKind::Vulkan]
} else {
    &[DeviceKind::Vulkan]
};

/// The results of discovery in this process.
static CUDA: OnceLock<FoundDevices> = OnceLock::new();
static PORTABLE: OnceLock<FoundDevices> = OnceLock::new();

/// Returns the GPUs that this process has discovered so far, without those emulated on the CPU. Discovers none.
pub(crate) fn discovered_devices() -> Vec<Arc<dyn Device>> {
    let devices = [&CUDA, &PORTABLE].into_iter().filter_map(OnceLock::get).flat_map(|found| &found.devices);
    devices.filter(|device| !device.info().is_emulated).cloned().collect()
}

fn cuda() -> &'static FoundDevices {
    CUDA.get_or_init(find_cuda)
}

fn portable() -> &'static FoundDevices {
    PORTABLE.get_or_init(find_portable)
}

#[cfg(feature = "cuda")]
fn find_cuda() -> FoundDevices {
    let found = pointsman_device::cuda::devices();
    let devices = found.devices.into_iter().map(|device| Arc::new(device) as Arc<dyn Device>);
    FoundDevices { devices: devices.collect(), missing: found.missing }
}

#[cfg(feature = "wgpu")]
fn find_portable() -> FoundDevices {
    use pointsman_device::wgpu::{WgpuDevice, WgpuOptions, discover};
    let found = discover();
    let (mut devices, mut missing) = (Vec::new(), found.why_none.clone().into_iter().collect::<Vec<_>>());
    for adapter in &found.adapters {
        match WgpuDevice::open(adapter, WgpuOptions::default()) {
            Ok(device) => devices.push(Arc::new(device) as Arc<dyn Device>),
            Err(error) => missing.push(format!("{}: {error}", adapter.name)),
        }
    }
    FoundDevices { devices, missing: (!missing.is_empty()).then(|| missing.join("; ")) }
}

#[cfg(not(feature = "cuda"))]
fn find_cuda() -> FoundDevices {
    FoundDevices { devices: Vec::new(), missing: Some("built without the feature `cuda`".to_string()) }
}

#[cfg(not(feature = "wgpu"))]
fn find_portable() -> FoundDevices {
    FoundDevices { devices: Vec::new(), missing: Some("built without the feature `wgpu`".to_string()) }
}

/// Whether the system shows a GPU. Without a GPU, the drivers would load a software emulation: a hundred megabytes for
/// a device that the selector never chooses.
fn may_have_gpu() -> bool {
    let shown = ["/dev/nvidiactl", "/dev/dxg"].iter().any(|path| std::path::Path::new(path).exists());
    let renders = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().starts_with("renderD");
    let listed = || std::fs::read_dir("/dev/dri").is_ok_and(|entries| entries.flatten().any(renders));
    !cfg!(target_os = "linux") || shown || listed()
}

/// Returns the name of a kind, which is the part of its devices' names before the colon.
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

/// The kind of a device's name: the part before the colon.
fn kind_of(name: &str) -> &str {
    name.split_once(':').map_or(name, |(kind, _)| kind)
}

/// The number of the finder for a device's name.
fn finder_of(name: &str) -> Option<usize> {
    FINDERS.iter().position(|finder| finder.kinds.iter().any(|&kind| kind_name(kind) == kind_of(name)))
}

/// Whether a name has the form of a device name: `cpu`, `cuda:0`.
pub(crate) fn is_device_name(name: &str) -> bool {
    match name.split_once(':') {
        None => name == "cpu",
        Some((kind, number)) => is_kind(kind) && number.parse::<u32>().is_ok_and(|parsed| parsed.to_string() == number),
    }
}

/// Whether a name is that of a kind of device that can be discovered.
pub(crate) fn is_kind(name: &str) -> bool {
    let kinds = [DeviceKind::Cuda, DeviceKind::Vulkan, DeviceKind::Metal, DeviceKind::Dx12];
    kinds.into_iter().any(|kind| kind_name(kind) == name)
}

/// The devices that a session may use. The CPU is always available.
#[derive(Clone)]
pub(crate) struct DeviceOptions {
    /// The allowed names (`cuda:0`) or kinds (`cuda`); `None` allows all.
    pub(crate) only: Option<Vec<String>>,
    /// The excluded names or kinds.
    pub(crate) without: Vec<String>,
    /// Devices that the user created.
    pub(crate) user_devices: Vec<Arc<dyn Device>>,
    /// The concurrency and memory limits of each device.
    pub(crate) limits: DeviceLimits,
}

impl fmt::Debug for DeviceOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user_devices: Vec<&str> = self.user_devices.iter().map(|device| device.info().name.as_str()).collect();
        f.debug_struct("DeviceOptions").field("only", &self.only).field("user_devices", &user_devices).finish()
    }
}

impl DeviceOptions {
    /// Returns an error if a name in `only` is neither a device nor a kind.
    fn check(&self) -> Result<()> {
        let is_user_device = |name: &str| self.user_devices.iter().any(|device| device.info().name == name);
        let mut names = self.only.iter().flatten();
        match names.find(|name| !is_device_name(name) && !is_kind(name) && !is_user_device(name)) {
            None => Ok(()),
            Some(name) => Err(Error::invalid(format!(
                "there is no device `{name}` to restrict a session to: write names like `cpu`, `cuda:0`, or kinds like `vulkan`"
            ))),
        }
    }

    fn allows(&self, name: &str) -> bool {
        let kind = kind_of(name);
        let has = |list: &[String]| list.iter().any(|entry| entry == name || entry == kind);
        !has(&self.without) && self.only.as_deref().is_none_or(has)
    }

    /// Whether any device of this kind may be used.
    fn allows_kind(&self, kind: &str) -> bool {
        let of_kind = |entry: &String| kind_of(entry) == kind;
        !self.without.iter().any(|entry| entry == kind)
            && self.only.as_ref().is_none_or(|only| only.iter().any(of_kind))
    }
}

/// The devices of a session.
pub(crate) struct DeviceRegistry {
    pub(crate) cpu: Arc<DeviceHandle>,
    user_devices: Vec<Arc<DeviceHandle>>,
    options: DeviceOptions,
    found: [OnceLock<FinderResult>; FINDERS.len()],
}

/// The devices of one finder: those that this session may use, and those that are missing or excluded.
struct FinderResult {
    handles: Vec<Arc<DeviceHandle>>,
    missing: Vec<MissingDevice>,
}

impl DeviceRegistry {
    /// Opens the CPU and the user's own devices; others are discovered later. Also returns the CPU's memory pool.
    pub(crate) fn open(cpu: CpuOptions, options: DeviceOptions) -> Result<(DeviceRegistry, Pool)> {
        options.check()?;
        let cpu = CpuDevice::new(cpu);
        let pool = Pool::new(cpu.pool().clone());
        let limits = &options.limits;
        let open = |device: &Arc<dyn Device>| DeviceHandle::open(device.clone(), Some(Health::new()), limits);
        let user_devices = options.user_devices.iter().map(open).collect::<Result<_>>()?;
        let cpu = DeviceHandle::open(Arc::new(cpu), None, limits)?;
        Ok((DeviceRegistry { cpu, user_devices, options, found: Default::default() }, pool))
    }

    /// Returns the device of this name, or a sentence that says why it is missing. Discovers only that kind of device.
    pub(crate) fn find(&self, name: &str) -> std::result::Result<&Arc<DeviceHandle>, String> {
        let opened = std::iter::once(&self.cpu).chain(&self.user_devices).find(|handle| handle.name() == name);
        if let Some(handle) = opened {
            return Ok(handle);
        }
        let kind = kind_of(name);
        let Some(number) = finder_of(name) else {
            return Err(format!("this system has no {kind}"));
        };
        let result = self.found_by(number);
        if let Some(handle) = result.handles.iter().find(|handle| handle.name() == name) {
            return Ok(handle);
        }
        if let Some(missing) = result.missing.iter().find(|missing| missing.name == name || missing.name == kind) {
            return Err(missing.why.clone());
        }
        let names: Vec<&str> = result.handles.iter().map(|handle| handle.name()).collect();
        Err(format!("the {kind} devices are {}", names.join(", ")))
    }

    /// Returns the devices of a finder; discovers them on the first call.
    fn found_by(&self, number: usize) -> &FinderResult {
        self.found[number].get_or_init(|| self.discover(&FINDERS[number]))
    }

    fn discover(&self, finder: &Finder) -> FinderResult {
        let (mut handles, mut missing) = (Vec::new(), Vec::new());
        let mut miss = |name: &str, why: String| missing.push(MissingDevice { name: name.to_string(), why });
        let (allowed, excluded): (Vec<&str>, Vec<&str>) =
            finder.kinds.iter().map(|&kind| kind_name(kind)).partition(|kind| self.options.allows_kind(kind));
        excluded.iter().for_each(|kind| miss(kind, "left out by the session's list of devices".to_string()));
        if allowed.is_empty() {
            return FinderResult { handles, missing };
        }
        let FoundDevices { devices, missing: why } = (finder.find)();
        for device in devices {
            let name = &device.info().name;
            if !self.options.allows(name) {
                miss(name, "left out by the session's list of devices".to_string());
                continue;
            }
            match DeviceHandle::open(device.clone(), Some(Health::new()), &self.options.limits) {
                Ok(handle) => handles.push(handle),
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
        FinderResult { handles, missing }
    }

    /// Returns the devices discovered so far, the reasons why other kinds are missing, and the kinds that are still
    /// undiscovered. Loads no driver.
    pub(crate) fn report(&self) -> DeviceReport {
        let (mut missing, mut undiscovered) = (Vec::new(), Vec::new());
        for number in 0..FINDERS.len() {
            match self.needs_driver(number) {
                true => undiscovered.extend(self.allowed_kinds(number)),
                false => missing.extend_from_slice(&self.found_by(number).missing),
            }
        }
        // Last, so that a device that is discovered meanwhile is not left out.
        DeviceReport { devices: self.entries(), missing, undiscovered }
    }

    /// Whether a finder would have to load a driver.
    fn needs_driver(&self, number: usize) -> bool {
        let is_found = self.found[number].get().is_some();
        !is_found && FINDERS[number].is_built && self.allowed_kinds(number).next().is_some()
    }

    fn allowed_kinds(&self, number: usize) -> impl Iterator<Item = &'static str> {
        FINDERS[number].kinds.iter().map(|&kind| kind_name(kind)).filter(|kind| self.options.allows_kind(kind))
    }

    /// Discovers every kind of device, also those that this machine can only emulate.
    pub(crate) fn discover_all(&self) {
        (0..FINDERS.len()).for_each(|number| _ = self.found_by(number));
    }

    /// Returns the devices that have been discovered so far, the CPU first.
    pub(crate) fn entries(&self) -> Vec<DeviceEntry> {
        let entry = |handle: &Arc<DeviceHandle>| DeviceEntry {
            info: handle.device.info().clone(),
            memory: handle.device.memory(),
        };
        self.handles().map(entry).collect()
    }

    /// Discovers the devices that `among` names or, if it is `None`, every kind of GPU that this machine may have.
    pub(crate) fn discover_candidates(&self, among: Option<&[String]>) {
        match among {
            Some(names) => names.iter().for_each(|name| _ = self.find(name)),
            None => (0..FINDERS.len())
                .filter(|&number| (FINDERS[number].may_find)())
                .for_each(|number| _ = self.found_by(number)),
        }
    }

    /// Whether [`DeviceRegistry::discover_candidates`] would load no driver.
    pub(crate) fn knows_candidates(&self, among: Option<&[String]>) -> bool {
        match among {
            Some(names) => names.iter().all(|name| {
                let is_here = self.handles().any(|handle| handle.name() == name);
                is_here || finder_of(name).is_none_or(|number| !self.needs_driver(number))
            }),
            None => (0..FINDERS.len()).all(|number| !self.needs_driver(number) || !(FINDERS[number].may_find)()),
        }
    }

    /// Returns the candidates for queries that name no device, at most `max`, the CPU first. The others are the devices
    /// discovered so far that `among` names or, if it is `None`, those that are not emulated on the CPU.
    pub(crate) fn candidates(&self, among: Option<&[String]>, max: usize) -> Vec<Arc<DeviceHandle>> {
        let others = self.handles().filter(|handle| !Arc::ptr_eq(handle, &self.cpu));
        let is_candidate = |handle: &&Arc<DeviceHandle>| match among {
            Some(names) => names.iter().any(|name| name == handle.name()),
            None => !handle.device.info().is_emulated,
        };
        std::iter::once(&self.cpu).chain(others.filter(is_candidate)).take(max).cloned().collect()
    }

    /// Whether the session's options and the crate's features allow only the CPU.
    pub(crate) fn is_cpu_only(&self) -> bool {
        let mut kinds = FINDERS.iter().filter(|finder| finder.is_built).flat_map(|finder| finder.kinds);
        self.user_devices.is_empty() && !kinds.any(|&kind| self.options.allows_kind(kind_name(kind)))
    }

    /// Returns the handles of all devices that have been discovered so far, the CPU first.
    pub(crate) fn handles(&self) -> impl Iterator<Item = &Arc<DeviceHandle>> {
        let found = self.found.iter().filter_map(OnceLock::get).flat_map(|result| &result.handles);
        std::iter::once(&self.cpu).chain(&self.user_devices).chain(found)
    }
}

/// A device of a session.
#[derive(Clone, Debug)]
pub struct DeviceEntry {
    /// The device's properties and capabilities.
    pub info: DeviceInfo,
    /// The state of the device's memory when the report was made.
    pub memory: MemoryInfo,
}

/// A device, or a kind of devices, that a session does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingDevice {
    /// The name (`cuda:1`) or the kind (`cuda`) of the device.
    pub name: String,
    /// Why the device is missing, in a sentence.
    pub why: String,
}

/// The devices of a session, and why others are missing. `Display` prints a table.
#[derive(Clone, Debug)]
pub struct DeviceReport {
    devices: Vec<DeviceEntry>,
    missing: Vec<MissingDevice>,
    undiscovered: Vec<&'static str>,
}

impl DeviceReport {
    /// The devices, the CPU first.
    pub fn devices(&self) -> &[DeviceEntry] {
        &self.devices
    }

    /// The missing devices or kinds, and why each is missing.
    pub fn missing(&self) -> &[MissingDevice] {
        &self.missing
    }

    /// The kinds of device that are still undiscovered, such as `cuda`. [`Session::discover`](crate::Session::discover)
    /// looks for them.
    pub fn undiscovered(&self) -> &[&'static str] {
        &self.undiscovered
    }

    /// The names of the devices, the CPU first.
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
