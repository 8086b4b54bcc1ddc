//! Discovers the GPU adapters of this machine, or the reason why there are none. A process creates one wgpu instance,
//! because creating it loads drivers, which is slow.

use super::gpu::wait_for;
use crate::DeviceKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use wgpu::{Backend, Backends, DeviceType};

/// The result of the discovery, which runs once per process.
#[derive(Debug)]
pub struct Discovery {
    /// The adapters.
    pub adapters: Vec<Adapter>,
    /// Why there are no adapters, if so.
    pub why_none: Option<String>,
}

/// A GPU adapter.
#[derive(Clone, Debug)]
pub struct Adapter {
    /// The name of the device: `vulkan:0`, `metal:0`, `dx12:0`.
    pub name: String,
    /// The driver interface.
    pub kind: DeviceKind,
    /// The hardware and its driver; the model of a software adapter starts with `software`.
    pub model: String,
    /// Whether the adapter is software that runs on the processor.
    pub is_software: bool,
    /// Whether the memory of the adapter is host memory.
    pub is_unified: bool,
    pub(super) inner: wgpu::Adapter,
}

/// Discovers the adapters of this machine. Never panics: a driver that panics counts as missing.
pub fn discover() -> &'static Discovery {
    static FOUND: OnceLock<Discovery> = OnceLock::new();
    FOUND.get_or_init(|| {
        catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| Discovery {
            adapters: Vec::new(),
            why_none: Some("looking for GPU adapters panicked in a driver".to_string()),
        })
    })
}

const BACKENDS: Backends = Backends::VULKAN.union(Backends::METAL).union(Backends::DX12);

#[cfg(any(not(unix), target_vendor = "apple"))]
fn instance() -> Option<wgpu::Instance> {
    let without_display = wgpu::InstanceDescriptor::new_without_display_handle();
    let flags = wgpu::InstanceFlags::empty();
    Some(wgpu::Instance::new(wgpu::InstanceDescriptor { backends: BACKENDS, flags, ..without_display }))
}

/// Creates a Vulkan instance without window extensions. With them, Mesa's device selection layer connects to the
/// display, and on a machine without one, libwayland prints an error to the standard error of the process.
#[cfg(all(unix, not(target_vendor = "apple")))]
fn instance() -> Option<wgpu::Instance> {
    use wgpu::hal::{self, api, vulkan};
    let descriptor = hal::InstanceDescriptor {
        name: "pointsman",
        flags: wgpu::InstanceFlags::empty(),
        memory_budget_thresholds: Default::default(),
        backend_options: Default::default(),
        telemetry: None,
        display: None,
    };
    let without_windows = |arguments: vulkan::CreateInstanceCallbackArgs<'_, '_, '_>| {
        arguments
            .extensions
            .retain(|name| !WINDOW_EXTENSIONS.iter().any(|extension| extension.to_bytes() == name.to_bytes()));
    };
    // SAFETY: the callback only changes the list of extensions. hal requires that it removes no extension that a later
    // call relies on; only hal's functions that create surfaces use these, they check the list, and this crate never
    // calls them. The list is then that of a driver without window support, since hal itself omits extensions that a
    // driver lacks.
    let instance = unsafe { vulkan::Instance::init_with_callback(&descriptor, Some(Box::new(without_windows))) };
    // SAFETY: hal has just created the instance, and nothing else uses it.
    instance.ok().map(|instance| unsafe { wgpu::Instance::from_hal::<api::Vulkan>(instance) })
}

/// The Vulkan extensions for windows.
#[cfg(all(unix, not(target_vendor = "apple")))]
const WINDOW_EXTENSIONS: [&std::ffi::CStr; 3] =
    [c"VK_KHR_wayland_surface", c"VK_KHR_xcb_surface", c"VK_KHR_xlib_surface"];

fn find() -> Discovery {
    let mut adapters: Vec<Adapter> = Vec::new();
    let found = instance().map(|instance| wait_for(instance.enumerate_adapters(BACKENDS))).unwrap_or_default();
    for inner in found {
        if let Some((kind, prefix)) = kind_of(inner.get_info().backend) {
            let number = adapters.iter().filter(|adapter| adapter.kind == kind).count();
            adapters.push(adapter(inner, kind, format!("{prefix}:{number}")));
        }
    }
    let why_none = adapters.is_empty().then(|| "no Vulkan, Metal or DirectX 12 driver with an adapter".to_string());
    Discovery { adapters, why_none }
}

fn adapter(inner: wgpu::Adapter, kind: DeviceKind, name: String) -> Adapter {
    let info = inner.get_info();
    let is_software = info.device_type == DeviceType::Cpu;
    let software = if is_software { "software, " } else { "" };
    let model = format!("{software}{} ({} {})", info.name, info.driver, info.driver_info);
    let is_unified = matches!(info.device_type, DeviceType::Cpu | DeviceType::IntegratedGpu);
    Adapter { name, kind, model, is_software, is_unified, inner }
}

fn kind_of(backend: Backend) -> Option<(DeviceKind, &'static str)> {
    match backend {
        Backend::Vulkan => Some((DeviceKind::Vulkan, "vulkan")),
        Backend::Metal => Some((DeviceKind::Metal, "metal")),
        Backend::Dx12 => Some((DeviceKind::Dx12, "dx12")),
        Backend::Noop | Backend::Gl | Backend::BrowserWebGpu => None,
    }
}
