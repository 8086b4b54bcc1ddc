//! Finds the cards of this machine. No driver function is called before the driver is known to exist, and nothing
//! panics.

use super::{CudaDevice, REFUSES, SINKS, errors, memory};
use crate::{Capabilities, DeviceInfo, DeviceKind, Exactness};
use cudarc::driver::sys;
use std::ffi::CStr;
use std::panic::catch_unwind;
use std::sync::OnceLock;

/// The oldest supported driver, in the driver's numbering: 1,000 × major + 10 × minor.
const DRIVER_MIN: i32 = 12_080;
/// The oldest supported compute capability.
const CAPABILITY_MIN: (u32, u32) = (7, 5);

/// The cards of this machine, or why there are none.
pub struct CudaDiscovery {
    /// One device per card: `cuda:0`, `cuda:1`, …
    pub devices: Vec<CudaDevice>,
    /// Why there is no device, or not one for every card, as one line of text.
    pub missing: Option<String>,
}

/// The properties of a card that are known before its context exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CudaCard {
    /// The card's number in the driver's order.
    pub(super) ordinal: i32,
    /// The driver's handle.
    pub(super) handle: sys::CUdevice,
    /// The card's name.
    pub(super) name: String,
    /// The compute capability.
    pub(super) capability: (u32, u32),
    /// The number of multiprocessors.
    pub(super) multiprocessors: u32,
    /// The size of its memory in bytes.
    pub(super) memory_bytes: u64,
    /// The driver's version, in the driver's numbering.
    pub(super) driver: i32,
}

impl CudaCard {
    /// The compiler's name for the architecture.
    pub(super) fn architecture(&self) -> String {
        format!("sm_{}{}", self.capability.0, self.capability.1)
    }

    /// A description for people.
    pub(super) fn model(&self) -> String {
        let (major, minor) = self.capability;
        let (driver, revision) = (self.driver / 1000, self.driver % 1000 / 10);
        format!("{}, compute capability {major}.{minor}, CUDA {driver}.{revision} driver", self.name)
    }
}

/// Opens the cards of this machine as devices.
pub fn devices() -> CudaDiscovery {
    let cards = match driver() {
        Ok(driver) => cards(driver),
        Err(reason) => return CudaDiscovery { devices: Vec::new(), missing: Some(reason) },
    };
    let (mut devices, mut missing) = (Vec::new(), Vec::new());
    for card in cards {
        match card.and_then(|card| CudaDevice::open(card).map_err(|error| error.to_string())) {
            Ok(device) => devices.push(device),
            Err(reason) => missing.push(reason),
        }
    }
    if devices.is_empty() && missing.is_empty() {
        missing.push("the CUDA driver finds no card".to_string());
    }
    CudaDiscovery { devices, missing: (!missing.is_empty()).then(|| missing.join("; ")) }
}

/// The version of the initialized driver, or why there is none.
fn driver() -> Result<i32, String> {
    static DRIVER: OnceLock<Result<i32, String>> = OnceLock::new();
    DRIVER.get_or_init(|| catch_unwind(initialize).unwrap_or_else(|_| Err(too_old()))).clone()
}

/// The driver's build, if the system reports it: several builds share one version.
pub(super) fn driver_build() -> Option<&'static str> {
    static BUILD: OnceLock<Option<String>> = OnceLock::new();
    let read = || build_in(&std::fs::read_to_string("/proc/driver/nvidia/version").ok()?);
    BUILD.get_or_init(read).as_deref()
}

/// The line that names the driver's build.
fn build_in(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("NVRM version:")).map(|build| build.trim().to_string())
}

fn too_old() -> String {
    let (major, minor) = (DRIVER_MIN / 1000, DRIVER_MIN % 1000 / 10);
    format!("the CUDA driver is too old: {major}.{minor} is needed")
}

fn initialize() -> Result<i32, String> {
    // SAFETY: opening the library runs NVIDIA's start-up code, which has no preconditions.
    if !unsafe { sys::is_culib_present() } {
        return Err("there is no CUDA driver on this machine".to_string());
    }
    // SAFETY: the library is loaded, and this call comes first.
    check(unsafe { sys::cuInit(0) }, "starting the driver")?;
    let mut version = 0;
    // SAFETY: `version` is valid for writes.
    check(unsafe { sys::cuDriverGetVersion(&mut version) }, "asking for the driver's version")?;
    if version < DRIVER_MIN { Err(too_old()) } else { Ok(version) }
}

fn check(code: sys::CUresult, doing: &str) -> Result<(), String> {
    if code == sys::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    Err(errors::error(code as u32, doing).message)
}

/// Every card, or why it cannot be used.
fn cards(driver: i32) -> Vec<Result<CudaCard, String>> {
    let mut count = 0;
    // SAFETY: the driver is initialized, and `count` is valid for writes.
    match check(unsafe { sys::cuDeviceGetCount(&mut count) }, "counting cards") {
        Ok(()) => (0..count).map(|ordinal| card(ordinal, driver)).collect(),
        Err(reason) => vec![Err(reason)],
    }
}

fn card(ordinal: i32, driver: i32) -> Result<CudaCard, String> {
    use sys::CUdevice_attribute as Attribute;
    let mut handle = 0;
    // SAFETY: the driver is initialized, and `handle` is valid for writes.
    check(unsafe { sys::cuDeviceGet(&mut handle, ordinal) }, "finding a card")?;
    let attribute = |which: Attribute| -> Result<u32, String> {
        let mut value = 0;
        // SAFETY: the handle is a card's, and `value` is valid for writes.
        check(unsafe { sys::cuDeviceGetAttribute(&mut value, which, handle) }, "asking a card")?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let capability = (
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    let has_pools = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 1;
    let name = name(handle)?;
    if capability < CAPABILITY_MIN || !has_pools {
        return Err(format!("{name} is too old: compute capability {}.{}", capability.0, capability.1));
    }
    let mut memory_bytes = 0;
    // SAFETY: the handle is a card's, and `memory_bytes` is valid for writes.
    check(unsafe { sys::cuDeviceTotalMem_v2(&mut memory_bytes, handle) }, "asking for a card's memory")?;
    let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1);
    Ok(CudaCard { ordinal, handle, name, capability, multiprocessors, memory_bytes: memory_bytes as u64, driver })
}

fn name(handle: sys::CUdevice) -> Result<String, String> {
    let mut bytes = [0u8; 256];
    // SAFETY: the handle is a card's, and `bytes` is valid for one more byte than is passed, so the last stays zero.
    let code = unsafe { sys::cuDeviceGetName(bytes.as_mut_ptr().cast(), bytes.len() as i32 - 1, handle) };
    check(code, "asking for a card's name")?;
    let name = CStr::from_bytes_until_nul(&bytes).unwrap_or(c"a card");
    Ok(name.to_string_lossy().into_owned())
}

/// The PCI bus id of a card: `0000:01:00.0`.
pub(super) fn bus(card: &CudaCard) -> Result<String, String> {
    let mut bytes = [0u8; 64];
    // SAFETY: the handle is a card's, and `bytes` is valid for one more byte than is passed, so the last stays zero.
    let code = unsafe { sys::cuDeviceGetPCIBusId(bytes.as_mut_ptr().cast(), bytes.len() as i32 - 1, card.handle) };
    check(code, "asking for a card's place on the bus")?;
    let place = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    Ok(place.to_string_lossy().into_owned())
}

/// The openings of the messages of kernels that a card refuses.
fn refuses() -> Vec<&'static str> {
    #[cfg_attr(not(feature = "calls"), allow(unused_mut))]
    let mut refuses = REFUSES.to_vec();
    #[cfg(feature = "calls")]
    refuses.push(crate::call_kernels::NotPlanned::PREFIX);
    refuses
}

/// The device description of a card.
pub(super) fn info(card: &CudaCard) -> DeviceInfo {
    DeviceInfo {
        name: format!("cuda:{}", card.ordinal),
        kind: DeviceKind::Cuda,
        model: card.model(),
        units: card.multiprocessors as usize,
        is_emulated: false,
        capabilities: Capabilities {
            exactness: Exactness::Exact,
            f64: true,
            host_memory: false,
            unified_memory: false,
            sinks: SINKS.to_vec(),
            refuses: refuses(),
            buffer_bytes_max: card.memory_bytes,
            range_align: memory::BLOCK_ALIGN,
            images_worth_storing: true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_is_described() {
        let card = CudaCard {
            ordinal: 0,
            handle: 0,
            name: "NVIDIA H200".to_string(),
            capability: (9, 0),
            multiprocessors: 132,
            memory_bytes: 0,
            driver: 13_000,
        };
        assert_eq!(card.architecture(), "sm_90");
        assert_eq!(card.model(), "NVIDIA H200, compute capability 9.0, CUDA 13.0 driver");
    }

    #[test]
    fn the_drivers_build_is_read_without_the_compilers_line() {
        let text = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27\nGCC version: gcc 12\n";
        let build = "NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27";
        assert_eq!(build_in(text).as_deref(), Some(build));
        assert_eq!(build_in("something else"), None);
    }

    /// With or without a driver: devices, or one line that says why there are none.
    #[test]
    fn looking_for_cards_never_panics() {
        let found = devices();
        let told = found.missing.as_deref().is_some_and(|line| !line.is_empty() && !line.contains('\n'));
        assert!(told || !found.devices.is_empty());
    }
}
