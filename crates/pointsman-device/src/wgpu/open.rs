//! Opens an adapter as a device, with its limits.

use super::buffers;
use super::encode::Limits;
use super::events::Events;
use super::gpu::Gpu;
use super::running::CompiledPrograms;
use super::scratch::Scratch;
use super::{Adapter, WgpuDevice};
use crate::driver_lock::DriverLock;
use crate::energy::nvml::CardEnergy;
use crate::sync::Mutex;
use crate::{Capabilities, DeviceInfo, DeviceResult, Exactness};
use pointsman_ir::render::wgsl::{ArgumentMemory, Fma, Target, TileOrder};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Assumed simple operations per millisecond of a GPU, and of a software adapter, before the first measurement:
/// conservative.
pub(super) const GPU_OPERATIONS: f64 = 5e7;
const SOFTWARE_OPERATIONS: f64 = 3e5;
/// The number of loop iterations of an invocation after which a software adapter silently stops, with room for its own.
const SOFTWARE_ITERATIONS: u64 = 60_000;
/// NVIDIA's PCI vendor id.
const NVIDIA: u32 = 0x10de;

/// The configuration of a device.
#[derive(Clone, Debug, Default)]
pub struct WgpuOptions {
    /// The maximum size of a binding in bytes, if smaller than the adapter's: for tests of splits.
    pub binding_bytes_max: Option<u64>,
    /// The maximum number of workgroups per dimension, if smaller than the adapter's: for tests of grids.
    pub groups_max: Option<u32>,
    /// The maximum workgroup memory in bytes, if smaller than the adapter's: for tests of tiles.
    pub workgroup_bytes_max: Option<u32>,
    /// Whether compactions take one pass over memory; by default this depends on the adapter.
    pub single_pass: Option<bool>,
    /// Whether workgroups process rows from the last one on where they can: for tests of orders.
    pub backward: bool,
    /// Whether images include the driver's pipeline cache; by default this depends on the adapter.
    pub keeps_code: Option<bool>,
    /// The maximum number of rows of a dispatch, or of a library call's operations, if smaller than its time allows: for
    /// tests of splits.
    pub dispatch_rows_max: Option<u64>,
}

impl WgpuDevice {
    /// Opens an adapter.
    pub fn open(adapter: &Adapter, options: WgpuOptions) -> DeviceResult<WgpuDevice> {
        let gpu = Gpu::open(adapter)?;
        let (limits, features) = (gpu.device.limits(), gpu.device.features());
        let target = Target {
            f64: features.contains(wgpu::Features::SHADER_F64),
            i64: features.contains(wgpu::Features::SHADER_INT64),
            fma: if adapter.is_software { Fma::Emulated } else { Fma::Fused },
            storage_buffers: limits.max_storage_buffers_per_shader_stage.min(limits.max_bindings_per_bind_group - 1),
            arguments: if adapter.is_software { ArgumentMemory::Storage } else { ArgumentMemory::Uniform },
            single_pass: options.single_pass.unwrap_or(!adapter.is_software),
            order: if options.backward { TileOrder::Backward } else { TileOrder::Forward },
            workgroup_bytes: limits
                .max_compute_workgroup_storage_size
                .min(options.workgroup_bytes_max.unwrap_or(u32::MAX)),
            iterations: adapter.is_software.then_some(SOFTWARE_ITERATIONS),
        };
        let operations = if adapter.is_software { SOFTWARE_OPERATIONS } else { GPU_OPERATIONS };
        let binding_bytes = options.binding_bytes_max.unwrap_or(u64::MAX).min(limits.max_storage_buffer_binding_size);
        let allowed = Limits {
            binding_bytes,
            groups: limits.max_compute_workgroups_per_dimension.min(options.groups_max.unwrap_or(u32::MAX)),
            operations,
        };
        // The driver of a software adapter caches nothing that takes long to make.
        let keeps_code = options.keeps_code.unwrap_or(!adapter.is_software);
        let align = u64::from(limits.min_storage_buffer_offset_alignment).max(buffers::VECTOR_BYTES);
        let info = info(adapter, target, gpu.is_unified(), limits.max_buffer_size, align);
        let (events, scratch) = (Events::new(&gpu)?, Scratch::new(&gpu)?);
        Ok(WgpuDevice {
            info,
            gpu: Arc::new(gpu),
            target,
            limits: allowed,
            options,
            keeps_code,
            ids: AtomicU64::new(1),
            buffers: Arc::default(),
            scratch: Arc::new(scratch),
            events,
            programs: Mutex::default(),
            compiled: CompiledPrograms::default(),
            streams: Mutex::default(),
            copies: Mutex::default(),
            launches: Mutex::default(),
            zombies: Mutex::default(),
            order: DriverLock::default(),
            submitters: Arc::default(),
            energy: CardEnergy::at(bus(adapter)),
        })
    }
}

/// The PCI bus id of an adapter's card, if NVML knows it.
fn bus(adapter: &Adapter) -> Result<String, String> {
    place(adapter.inner.get_info())
}

fn place(info: wgpu::AdapterInfo) -> Result<String, String> {
    if info.vendor != NVIDIA || info.device_pci_bus_id.is_empty() {
        return Err("its driver reports neither energy nor power".to_string());
    }
    // DirectX 12 reports the bus id of the first card of the same model.
    if info.backend == wgpu::Backend::Dx12 {
        return Err("DirectX 12 does not distinguish cards of the same model".to_string());
    }
    Ok(info.device_pci_bus_id)
}

fn info(
    adapter: &Adapter,
    target: Target,
    unified_memory: bool,
    buffer_bytes_max: u64,
    range_align: u64,
) -> DeviceInfo {
    let mut refuses = vec![
        "decimals of more than 18 digits",
        "folds over frames of preceding rows",
        "a probe",
        "more buffers at once than can be bound",
        "launches of 2^32 rows",
    ];
    refuses.extend((!target.f64).then_some("f64"));
    refuses.extend((!target.i64).then_some("64-bit integers"));
    refuses.extend(target.iterations.map(|_| "loops of many iterations"));
    let mut sinks = vec!["store", "compact", "reduce", "scan", "build"];
    sinks.extend(cfg!(feature = "calls").then_some("call"));
    #[cfg(feature = "calls")]
    refuses.push(crate::call_kernels::NotPlanned::PREFIX);
    DeviceInfo {
        name: adapter.name.clone(),
        kind: adapter.kind,
        model: adapter.model.clone(),
        units: 1,
        is_emulated: adapter.is_software,
        capabilities: Capabilities {
            exactness: Exactness::Bounded,
            f64: target.f64,
            host_memory: false,
            unified_memory,
            sinks,
            refuses,
            buffer_bytes_max,
            range_align,
            // An image is the kernel's text: the driver generates its code on loading.
            images_worth_storing: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wgpu::{AdapterInfo, Backend, DeviceType};

    #[test]
    fn bus_ids_are_reported_only_if_they_name_the_card() {
        let known = |vendor: u32, bus: &str, backend: Backend| {
            let info = AdapterInfo {
                vendor,
                device_pci_bus_id: bus.to_string(),
                ..AdapterInfo::new(DeviceType::DiscreteGpu, backend)
            };
            place(info).is_ok_and(|place| place == bus)
        };
        assert!(known(NVIDIA, "0000:3b:00.0", Backend::Vulkan));
        assert!(!known(NVIDIA, "0000:3b:00.0", Backend::Dx12), "it may be that of another card");
        assert!(!known(NVIDIA, "", Backend::Vulkan) && !known(0x1002, "0000:3b:00.0", Backend::Vulkan));
    }
}
