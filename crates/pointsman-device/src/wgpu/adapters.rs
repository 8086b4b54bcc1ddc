//! Finds the GPU adapters of this machine, or a line that says why there are none. There is one instance per process,
//! since creating it loads drivers, which takes long.

use super::gpu::wait_for;
use crate::DeviceKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use wgpu::{Backend, Backends, DeviceType};

/// The result of the search, made once per process.
#[derive(Debug)]
pub struct Discovery {
    /// The adapters.
    pub adapters: Vec<Adapter>,
    /// Why there are none, if so.
    pub why_none: Option<String>,
}

/// An adapter.
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
    /// Whether its memory is host memory.
    pub is_unified: bool,
    pub(super) inner: wgpu::Adapter,
}

/// The adapters of this machine. Never panics: a driver that panics counts as none.
pub fn discover() -> &'static Discovery {
    static FOUND: OnceLock<Discovery> = OnceLock::new();
    FOUND.get_or_init(|| {
        catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| Discovery {
            adapters: Vec::new(),
            why_none: Some("looking for GPU adapters panicked in a driver".to_string()),
        })
    })
}

fn find() -> Discovery {
    let backends = Backends::VULKAN | Backends::METAL | Backends::DX12;
    let without_display = wgpu::InstanceDescriptor::new_without_display_handle();
    let described = wgpu::InstanceDescriptor { backends, flags: wgpu::InstanceFlags::empty(), ..without_display };
    let instance = wgpu::Instance::new(described);
    let mut adapters: Vec<Adapter> = Vec::new();
    for inner in wait_for(instance.enumerate_adapters(backends)) {
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
