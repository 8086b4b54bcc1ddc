//! A loaded kernel: its rendered text as pipelines, one per entry point; the partial form is compiled on first use.

use super::code_cache::CodeCache;
use super::dispatch_tuner::DispatchTuner;
use super::encode::Limits;
use super::gpu::Gpu;
use crate::launch::Form;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::decompose::decompose;
use pointsman_ir::guard::{Guarded, guard};
use pointsman_ir::kernel::{Estimate, Kernel, Work};
use pointsman_ir::op::OpClass;
use pointsman_ir::render::wgsl::{self, ArgumentMemory, Binding, Target, WgslSource};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// A loaded kernel.
pub(super) struct WgpuProgram {
    pub(super) kernel: Kernel,
    guarded: Guarded,
    /// The cost of a row in simple operations.
    pub(super) row_cost: f64,
    /// The measured speed of its launches.
    pub(super) dispatch_tuner: DispatchTuner,
    /// The driver's pipeline cache.
    pub(super) code_cache: CodeCache,
    whole: Arc<Pipelines>,
    partial: OnceLock<DeviceResult<Arc<Pipelines>>>,
    /// Compaction in several passes, for launches that do not fit a single pass.
    multi_pass: OnceLock<DeviceResult<Arc<Pipelines>>>,
}

/// The pipelines of one form.
pub(super) struct Pipelines {
    pub(super) source: WgslSource,
    pub(super) layout: wgpu::BindGroupLayout,
    /// Whether a launch was submitted: a driver may compile the rest inside the first submission.
    pub(super) is_warm: AtomicBool,
    by_entry: BTreeMap<&'static str, wgpu::ComputePipeline>,
}

/// The kernel as it is rendered: elementary functions decomposed, with guards.
pub(super) fn guarded(kernel: &Kernel) -> Guarded {
    guard(&decompose(kernel))
}

impl WgpuProgram {
    /// Renders and compiles a kernel that the device supports.
    pub(super) fn new(gpu: &Gpu, kernel: Kernel, target: Target, code_cache: CodeCache) -> DeviceResult<WgpuProgram> {
        let guarded = guarded(&kernel);
        let whole = Pipelines::new(gpu, &guarded, wgsl::Form::Whole, target, code_cache.cache())?;
        let row_cost = row_cost(&guarded.kernel);
        let dispatch_tuner = DispatchTuner::default();
        let (partial, multi_pass) = (OnceLock::new(), OnceLock::new());
        Ok(WgpuProgram { kernel, guarded, row_cost, dispatch_tuner, code_cache, whole, partial, multi_pass })
    }

    /// The pipelines of a launch that does not fit a single pass.
    pub(super) fn multi_pass(&self, gpu: &Gpu, target: Target) -> DeviceResult<Arc<Pipelines>> {
        let target = Target { single_pass: false, ..target };
        let (guarded, cache) = (&self.guarded, self.code_cache.cache());
        let made = self.multi_pass.get_or_init(|| Pipelines::new(gpu, guarded, wgsl::Form::Whole, target, cache));
        made.clone()
    }

    /// The pipelines of a form.
    pub(super) fn pipelines(&self, gpu: &Gpu, form: Form, target: Target) -> DeviceResult<Arc<Pipelines>> {
        let differs = matches!(self.kernel.sink, pointsman_ir::kernel::Sink::Scan { .. });
        if form == Form::Whole || !differs {
            return Ok(Arc::clone(&self.whole));
        }
        let (guarded, cache) = (&self.guarded, self.code_cache.cache());
        let made = self.partial.get_or_init(|| Pipelines::new(gpu, guarded, wgsl::Form::Partial, target, cache));
        made.clone()
    }
}

impl Pipelines {
    fn new(
        gpu: &Gpu,
        guarded: &Guarded,
        form: wgsl::Form,
        target: Target,
        cache: Option<&wgpu::PipelineCache>,
    ) -> DeviceResult<Arc<Pipelines>> {
        let refused = |error: pointsman_ir::render::NotRendered| DeviceError::unsupported(error.to_string());
        let source = wgsl::render(guarded, form, target).map_err(refused)?;
        gpu.log_command(format!("compile {}", source.entries.join(", ")));
        let compiled = gpu.scoped("a kernel", || {
            let module = module(gpu, &source.text);
            let layout = layout(gpu, &source.bindings, target.arguments);
            let pipeline = |entry: &'static str| (entry, create_pipeline(gpu, &layout, &module, entry, cache));
            let by_entry = source.entries.iter().copied().map(pipeline).collect();
            (layout, by_entry)
        });
        let (layout, by_entry) = compiled.map_err(as_compile_error)?;
        Ok(Arc::new(Pipelines { source, layout, is_warm: AtomicBool::new(false), by_entry }))
    }

    /// The pipeline of an entry point of the source.
    pub(super) fn entry(&self, entry: &str) -> &wgpu::ComputePipeline {
        self.by_entry.get(entry).expect("every entry point of the source was compiled")
    }
}

/// The error of a program that the driver does not take.
pub(super) fn as_compile_error(error: DeviceError) -> DeviceError {
    let kind = if error.kind == DeviceErrorKind::Internal { DeviceErrorKind::Compile } else { error.kind };
    DeviceError { kind, ..error }
}

/// Compiles an entry point.
pub(super) fn create_pipeline(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    module: &wgpu::ShaderModule,
    entry: &str,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        bind_group_layouts: &[Some(layout)],
        ..wgpu::PipelineLayoutDescriptor::default()
    });
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(&layout),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..wgpu::PipelineCompilationOptions::default()
        },
        cache,
    })
}

/// A module of generated text.
pub(super) fn module(gpu: &Gpu, text: &str) -> wgpu::ShaderModule {
    let source = wgpu::ShaderSource::Wgsl(text.into());
    let described = wgpu::ShaderModuleDescriptor { label: None, source };
    let mut checks = wgpu::ShaderRuntimeChecks::checked();
    // The generated text guards divisors, and its loops count to their bounds.
    (checks.force_loop_bounding, checks.int_div_checks) = (false, false);
    // SAFETY: the renderer writes no unbounded loop and no division whose divisor may be zero or that may overflow;
    // memory accesses are still checked.
    unsafe { gpu.device.create_shader_module_trusted(described, checks) }
}

fn layout(gpu: &Gpu, bindings: &[Binding], arguments: ArgumentMemory) -> wgpu::BindGroupLayout {
    // The status words come first.
    let read_only: Vec<bool> = [false].into_iter().chain(bindings.iter().map(|one| !one.is_written())).collect();
    storage_layout(gpu, arguments, &read_only)
}

/// The layout of the arguments and of storage buffers after them.
pub(super) fn storage_layout(gpu: &Gpu, arguments: ArgumentMemory, read_only: &[bool]) -> wgpu::BindGroupLayout {
    let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
        count: None,
    };
    let storage = |read_only: bool| wgpu::BufferBindingType::Storage { read_only };
    let arguments = match arguments {
        ArgumentMemory::Uniform => wgpu::BufferBindingType::Uniform,
        ArgumentMemory::Storage => storage(true),
    };
    let mut entries = vec![entry(0, arguments)];
    entries.extend((1..).zip(read_only).map(|(number, read_only)| entry(number, storage(*read_only))));
    let described = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    gpu.device.create_bind_group_layout(&described)
}

/// Whether a device of this name can run a kernel.
pub(super) fn check(kernel: &Kernel, target: Target, limits: Limits, name: &str) -> DeviceResult<()> {
    #[cfg(feature = "calls")]
    if matches!(kernel.sink, pointsman_ir::kernel::Sink::Call { .. }) {
        return super::call::check(kernel, target, limits, name);
    }
    let _ = limits;
    check_body(kernel, target, name)
}

/// Whether a device of this name can run a kernel that is generated from its body.
pub(super) fn check_body(kernel: &Kernel, target: Target, name: &str) -> DeviceResult<()> {
    let refused = |error: pointsman_ir::render::NotRendered| {
        DeviceError::unsupported(format!("{error}: {name} does not have that"))
    };
    let guarded = guarded(&wgsl::lowered(kernel).map_err(refused)?);
    for form in [wgsl::Form::Whole, wgsl::Form::Partial] {
        wgsl::render(&guarded, form, target).map_err(refused)?;
    }
    check_row_ends_soon(&guarded.kernel)
}

/// The maximum number of operations of a row: about 100 ms of one thread of a GPU.
const ROW_UNITS_MAX: u64 = 1 << 24;

/// Refuses a kernel whose rows may take too long: a dispatch cannot be stopped, and has at least one row.
fn check_row_ends_soon(kernel: &Kernel) -> DeviceResult<()> {
    let row = Work::of(kernel).row;
    if row <= ROW_UNITS_MAX {
        return Ok(());
    }
    let message = format!(
        "a row may take {row} operations if its loops run to their bounds, and a running dispatch cannot be stopped: \
         lower the bounds to at most {ROW_UNITS_MAX} operations, or run the query on another device"
    );
    Err(DeviceError::unsupported(message))
}

/// The maximum cost of a row in simple operations.
fn row_cost(kernel: &Kernel) -> f64 {
    let estimate = Estimate::of(kernel);
    let weight = |class: &OpClass| match class {
        OpClass::Simple | OpClass::Multiply => 1.0,
        OpClass::Convert => 4.0,
        OpClass::Divide => 16.0,
        OpClass::Elementary => 64.0,
    };
    let operations: f64 = estimate.ops_per_row.iter().map(|(class, count)| weight(class) * count).sum();
    1.0 + operations + (estimate.read_bytes_per_row + estimate.write_bytes_per_row) / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_ir::kernel::parse::parse;

    /// A kernel with two nested loops.
    fn nested(outer: u32, inner: u32) -> Kernel {
        let text = format!(
            "kernel\ncolumns c0: i32\n  v0: i32 = column c0\n  v1 = loop {outer} (i32 = v0) {{\n    \
             v2: i32 = carried v1.0\n    v3 = loop {inner} (i32 = v2) {{\n      v4: i32 = carried v3.0\n      \
             v5: i32 = mul v4 v0\n      next v5\n    }}\n    v6: i32 = result v3.0\n    next v6\n  }}\n  \
             v7: i32 = result v1.0\nsink store v7\n"
        );
        parse(&text).expect("the kernel is well-formed")
    }

    #[test]
    fn rows_that_may_take_too_long_are_refused_with_the_reason() {
        check_row_ends_soon(&nested(1000, 1000)).expect("a million iterations end soon");
        let error = check_row_ends_soon(&nested(20_000, 20_000)).expect_err("a row takes seconds");
        assert_eq!(error.kind, DeviceErrorKind::Unsupported, "{error}");
        assert!(error.message.contains("cannot be stopped: lower the bounds"), "{error}");
    }
}
