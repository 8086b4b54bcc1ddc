//! [`WgpuCall`]: a library call as pipelines.

use super::memory::DeviceMemory;
use crate::call_kernels::{CallPlan, CallTarget, Language, NotPlanned};
use crate::wgpu::buffers::VECTOR_BYTES;
use crate::wgpu::code_cache::CodeCache;
use crate::wgpu::dispatch_tuner::DispatchTuner;
use crate::wgpu::encode::Limits;
use crate::wgpu::gpu::Gpu;
use crate::wgpu::program::{WgpuProgram, as_compile_error, check_body, create_pipeline, module, storage_layout};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::body::{Inst, ListId};
use pointsman_ir::kernel::{Call, Kernel, Sink};
use pointsman_ir::render::wgsl::Target;
use pointsman_ir::types::DType;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The most scratch memory of a launch, unless one chunk takes more.
const SCRATCH_BYTES_MAX: u64 = 256 << 20;
/// Milliseconds that a workgroup may take, alone on the device.
const GROUP_MS: f64 = 10.0;
/// The iterations of an invocation, where the driver has no limit: a fraction of a second.
const ITERATIONS_MAX: u64 = 1 << 20;
/// The largest alignment of bindings, which windows may begin before their first byte.
const ALIGN_MAX: u64 = 256;

/// A loaded library call.
pub(in crate::wgpu) struct WgpuCall {
    pub(in crate::wgpu) kernel: Kernel,
    pub(in crate::wgpu) call: Call,
    pub(super) table: Option<ListId>,
    pub(super) dtype: DType,
    pub(super) rows: CallRows,
    pub(super) plan: CallPlan,
    pub(super) layout: wgpu::BindGroupLayout,
    /// The pipelines of the plan's entry points.
    pub(super) pipelines: Vec<wgpu::ComputePipeline>,
    /// Whether a launch was submitted: a driver may compile the rest inside the first submission.
    pub(super) is_warm: AtomicBool,
    /// The measured speed, in operations instead of rows.
    pub(in crate::wgpu) dispatch_tuner: DispatchTuner,
    /// The driver's pipeline cache.
    pub(in crate::wgpu) code_cache: CodeCache,
    /// The plan's constants, once the program is loaded.
    pub(super) constants: OnceLock<DeviceMemory>,
}

/// The rows of a call.
pub(super) enum CallRows {
    /// A column of the kernel, as it is.
    Column(usize),
    /// What this program stores.
    Stored(Arc<WgpuProgram>),
}

/// The parts of a kernel with the sink `Call`.
struct CallParts {
    call: Call,
    table: Option<ListId>,
    dtype: DType,
    /// The column that is read, or the kernel that stores the rows.
    rows: Result<usize, Kernel>,
}

fn parts(kernel: &Kernel) -> DeviceResult<CallParts> {
    let Sink::Call { call, value, table } = kernel.sink else {
        return Err(DeviceError::new(DeviceErrorKind::Internal, "a call without its sink"));
    };
    let rows = if let Inst::Column(column) = kernel.body.inst(value) {
        Ok(column.index())
    } else {
        Err(Kernel { sink: Sink::Store { columns: vec![value] }, ..kernel.clone() })
    };
    Ok(CallParts { call, table, dtype: kernel.body.ty(value).dtype, rows })
}

fn plan(parts: &CallParts, target: Target, limits: Limits) -> DeviceResult<CallPlan> {
    if parts.dtype == DType::F64 && !target.f64 {
        return Err(DeviceError::unsupported(format!("f64 ({})", parts.call)));
    }
    let target = CallTarget {
        language: Language::Wgsl(target.arguments),
        workgroup_bytes: target.workgroup_bytes,
        window_bytes: limits.binding_bytes.saturating_sub(ALIGN_MAX),
        scratch_bytes: SCRATCH_BYTES_MAX,
        group_operations: GROUP_MS * limits.operations,
        iterations: target.iterations.unwrap_or(ITERATIONS_MAX) as u32,
    };
    let refused = |NotPlanned(why): NotPlanned| DeviceError::unsupported(format!("{why} ({})", parts.call));
    CallPlan::new(&parts.call, parts.dtype, &target).map_err(refused)
}

/// Whether the device can run a call and the expressions below it.
pub(in crate::wgpu) fn check(kernel: &Kernel, target: Target, limits: Limits, name: &str) -> DeviceResult<()> {
    let parts = parts(kernel)?;
    if let Err(stored) = &parts.rows {
        check_body(stored, target, name)?;
    }
    plan(&parts, target, limits).map(drop)
}

impl WgpuCall {
    /// Plans and compiles a call that the device supports.
    pub(in crate::wgpu) fn new(
        gpu: &Gpu,
        kernel: Kernel,
        target: Target,
        limits: Limits,
        code_cache: CodeCache,
    ) -> DeviceResult<WgpuCall> {
        let parts = parts(&kernel)?;
        let plan = plan(&parts, target, limits)?;
        let rows = match parts.rows {
            Ok(column) => CallRows::Column(column),
            Err(stored) => CallRows::Stored(Arc::new(WgpuProgram::new(gpu, stored, target, code_cache.clone())?)),
        };
        gpu.log_command(format!("compile {}", plan.entries().join(", ")));
        let compiled = gpu.scoped("the kernels of a call", || {
            let module = module(gpu, plan.text());
            let layout = storage_layout(gpu, target.arguments, &[true, true, false]);
            let cache = code_cache.cache();
            let pipeline = |entry: &String| create_pipeline(gpu, &layout, &module, entry, cache);
            let pipelines = plan.entries().iter().map(pipeline).collect();
            (layout, pipelines)
        });
        let (layout, pipelines) = compiled.map_err(as_compile_error)?;
        Ok(WgpuCall {
            call: parts.call,
            table: parts.table,
            dtype: parts.dtype,
            kernel,
            rows,
            plan,
            layout,
            pipelines,
            is_warm: AtomicBool::new(false),
            dispatch_tuner: DispatchTuner::default(),
            code_cache,
            constants: OnceLock::new(),
        })
    }

    /// The memory that a launch over `rows` rows takes: of the stored rows, and of the plan's steps.
    pub(in crate::wgpu) fn scratch_bytes(&self, rows: usize) -> u64 {
        let stored = match self.rows {
            CallRows::Column(_) => None,
            CallRows::Stored(_) => Some((rows as u64).saturating_mul(self.dtype.repr().bytes() as u64)),
        };
        let chunks = (rows as u64).div_ceil(self.call.rows_in());
        let sizes = stored.into_iter().chain(self.plan.scratch_bytes(chunks));
        let taken = |bytes: u64| bytes.max(1).checked_next_multiple_of(VECTOR_BYTES).unwrap_or(u64::MAX);
        sizes.map(taken).fold(0, u64::saturating_add)
    }
}
