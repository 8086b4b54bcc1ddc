//! [`CudaModule`]: loaded machine code and its functions. In: code from an undamaged image. It is unloaded when the work
//! that uses it is done.

use super::context::Context;
use super::driver_calls::{DriverHandle, DriverScope};
use super::memory::{Memory, Resource};
use super::stream::{Stream, StreamUses};
use crate::{DeviceResult, HostBuffer};
use cudarc::driver::sys;
use std::ffi::CStr;
use std::sync::Arc;

/// Loaded code.
pub(super) struct CudaModule {
    memory: Arc<Memory>,
    raw: sys::CUmodule,
    uses: StreamUses,
}

// SAFETY: the driver's modules may be used from any thread.
unsafe impl Send for CudaModule {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for CudaModule {}

/// A function of a module, valid while the module is alive.
#[derive(Clone, Copy)]
pub(super) struct CudaFunction(sys::CUfunction);

// SAFETY: the driver's functions may be used from any thread.
unsafe impl Send for CudaFunction {}
// SAFETY: as above; the driver locks.
unsafe impl Sync for CudaFunction {}

impl CudaModule {
    /// Loads code whose checksum was compared. The scope is that of [`Context::wait_for_kernels`]: a driver may wait for
    /// running kernels.
    pub(super) fn load(
        context: &Context,
        _scope: &DriverScope<'_>,
        memory: &Arc<Memory>,
        code: &[u8],
    ) -> DeviceResult<CudaModule> {
        // The driver reads aligned words.
        let mut aligned = HostBuffer::try_zeroed(code.len())?;
        aligned.copy_from_slice(code);
        let mut raw = std::ptr::null_mut();
        // SAFETY: `raw` is valid for writes; the checksum shows that the code is complete, and the code contains its own
        // size.
        context.check(unsafe { sys::cuModuleLoadData(&mut raw, aligned.as_ptr().cast()) }, "loading code")?;
        Ok(CudaModule { memory: memory.clone(), raw, uses: StreamUses::default() })
    }

    /// An entry point.
    pub(super) fn function(&self, context: &Context, name: &CStr) -> DeviceResult<CudaFunction> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name is null-terminated, and `function` is valid for writes.
        let code = unsafe { sys::cuModuleGetFunction(&mut function, self.raw, name.as_ptr()) };
        context.check(code, "finding an entry point")?;
        Ok(CudaFunction(function))
    }

    /// Records that a stream's work uses the code; to be called before the work is queued and again after that.
    pub(super) fn used_by(&self, stream: &Arc<Stream>) {
        self.uses.add(stream);
    }
}

impl CudaFunction {
    /// The handle.
    pub(super) fn raw(self) -> sys::CUfunction {
        self.0
    }
}

impl Drop for CudaModule {
    fn drop(&mut self) {
        self.memory.retire(Resource::Handle(DriverHandle::Module(self.raw)), &mut self.uses);
    }
}
