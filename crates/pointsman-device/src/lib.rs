//! Devices that run kernels, behind one object-safe trait: [`Device`].
//!
//! Callers refer to everything that a device holds (buffers, programs, streams, events) by handle, and a compiled
//! program is an image of bytes that can be stored or sent. So a device may be a card, run in another process, or share
//! the host's memory. This is the only library crate with `unsafe` code, drivers and executable memory.
//!
//! **Borrowed memory.** A [`Launch`] may name host memory directly ([`ColumnInput::Host`], [`ColumnOutput::Host`]) on
//! devices with [`Capabilities::host_memory`]; such a device has finished with that memory before `launch` returns. All
//! other data goes through buffers that the device owns and staging memory ([`HostBuffer`]) that the runtime owns.

#![warn(clippy::wildcard_enum_match_arm)]

#[cfg(all(feature = "calls", any(feature = "cuda", feature = "wgpu")))]
// Without the portable GPU, only the tests of the texts use some of it.
#[cfg_attr(not(feature = "wgpu"), allow(dead_code))]
mod call_kernels;
pub mod call_limit;
pub mod clock;
pub mod convert;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
#[doc(hidden)]
pub mod directory;
mod download;
#[cfg(any(feature = "cuda", feature = "wgpu"))]
mod driver_lock;
pub mod energy;
pub mod environment;
pub mod error;
#[doc(hidden)]
pub mod exit;
#[doc(hidden)]
pub mod fork;
pub mod host;
pub mod host_pool;
pub mod launch;
pub mod page_locked;
pub mod program_image;
#[cfg(feature = "calls")]
mod root_of_unity;
pub mod sim;
mod streaming_copy;
#[doc(hidden)]
pub mod sync;
// Only CUDA copies with several threads at once.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
mod thread_pool;
#[cfg(feature = "wgpu")]
pub mod wgpu;

#[cfg(feature = "testing")]
pub mod conformance;
#[cfg(feature = "testing")]
pub mod counting_allocator;

pub use download::Download;
pub use energy::EnergyReading;
pub use error::{DeviceError, DeviceErrorKind, DeviceResult};
pub use host::{Bits, BoolLayout, HostBuffer, HostChunk, SharedBuffer};
pub use host_pool::{HostPool, PoolCounters};
pub use launch::{
    BufferRange, ColumnInput, ColumnOutput, Form, IndexInfo, IndexKeys, Launch, LaunchStatus, Outcome,
    ProgressObserver, TableInput,
};
pub use page_locked::PageLocked;
pub use program_image::ProgramImage;

use pointsman_ir::kernel::Kernel;
use std::time::Duration;

macro_rules! handles {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u64);
    )*};
}

handles! {
    /// Memory of a device.
    BufferId;
    /// A program loaded into a device.
    ProgramId;
    /// A queue of work that runs in order.
    StreamId;
    /// A point in a stream.
    EventId;
    /// A launch in flight.
    LaunchId;
    /// A copy to the host in flight.
    CopyId;
    /// An index over the keys of a built table.
    IndexId;
}

/// The hardware or driver interface of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceKind {
    /// The processor that this program runs on.
    Cpu,
    /// An NVIDIA card through CUDA.
    Cuda,
    /// A card through Vulkan.
    Vulkan,
    /// A card through Metal.
    Metal,
    /// A card through DirectX 12.
    Dx12,
    /// The simulated device of the tests.
    Sim,
}

/// The part of the numeric contract that a device keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exactness {
    /// The device computes the same bits as the interpreter.
    Exact,
    /// The device is exact except for float arithmetic, which stays within stated bounds.
    Bounded,
}

/// Identifies this build of the library in the key of stored program images: its version and a hash of its sources.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("POINTSMAN_SOURCES"));

/// The features and limits of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The part of the numeric contract that the device keeps.
    pub exactness: Exactness,
    /// Whether the device computes in double precision.
    pub f64: bool,
    /// Whether the device reads and writes host memory in place, and has finished when `launch` returns.
    pub host_memory: bool,
    /// Whether device memory is host memory, so that copies are never needed.
    pub unified_memory: bool,
    /// The names of the sinks that the device runs (`Sink::name`).
    pub sinks: Vec<&'static str>,
    /// The kernels that the device refuses although it runs their sink, as prefixes of its error messages.
    pub refuses: Vec<&'static str>,
    /// The largest buffer, in bytes.
    pub buffer_bytes_max: u64,
    /// The alignment, in bytes, of the buffer ranges of a launch.
    pub range_align: u64,
    /// Whether loading a stored program image is much faster than compiling its kernel again.
    pub images_worth_storing: bool,
}

/// The identity of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The name of the device in a session: `cpu`, `cuda:0`.
    pub name: String,
    /// The kind of hardware or driver.
    pub kind: DeviceKind,
    /// A human-readable description of the hardware and its instruction set or driver.
    pub model: String,
    /// The number of parallel units: threads of a CPU, multiprocessors of a GPU.
    pub units: usize,
    /// Whether the device is software that runs on the processor without being the CPU device. It is never faster than
    /// the CPU device.
    pub is_emulated: bool,
    /// The features and limits of the device.
    pub capabilities: Capabilities,
}

/// The memory usage of a device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    /// The total memory; `None` where the driver does not report it.
    pub total: Option<u64>,
    /// The memory that could be allocated now; `None` where the driver does not report it.
    pub free: Option<u64>,
    /// The memory that this device's buffers take.
    pub used: u64,
    /// The maximum of `used` so far.
    pub peak: u64,
    /// The part of `used` that was freed but that work in flight may still access, for example the buffers of a hung
    /// launch. It is not a leak, but it becomes available only when that work ends or the device is closed. 0 if the
    /// driver does not report it.
    pub zombie: u64,
    /// Freed memory that the device keeps for reuse. It is not part of `used`, and is not available to other processes
    /// until [`Device::trim`].
    pub kept: u64,
}

/// The priority of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    /// Runs when nothing else waits.
    Background,
    /// The default.
    #[default]
    Normal,
    /// Runs before everything else.
    Urgent,
}

/// Whether an event has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// The work before it is done.
    Reached,
    /// The work before it is not done yet.
    Pending,
}

/// A device that runs kernels. Every method may be called from any thread.
pub trait Device: Send + Sync {
    /// The identity of the device.
    fn info(&self) -> &DeviceInfo;

    /// The current memory usage.
    fn memory(&self) -> MemoryInfo;

    /// The energy that the device has used so far, or the power that it draws now. The error says why neither is known.
    /// May take milliseconds.
    fn energy(&self) -> DeviceResult<EnergyReading> {
        Err(DeviceError::unsupported("its driver reports neither energy nor power"))
    }

    /// Releases memory that the device keeps for reuse, until about `kept_max` bytes remain. Does nothing on devices
    /// that keep none.
    fn trim(&self, kept_max: u64) {
        let _ = kept_max;
    }

    /// Checks that the device can run a verified kernel; the error says which feature is missing.
    fn supports(&self, kernel: &Kernel) -> DeviceResult<()>;

    /// Everything that an image depends on besides the kernel and this build: target, flags, compiler and driver, with
    /// their versions. An image with another fingerprint is not loaded. By default this is the model, which is enough
    /// if an image is the kernel's text.
    fn fingerprint(&self) -> String {
        self.info().model.clone()
    }

    /// Compiles a verified kernel. May take seconds; uses no device memory.
    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage>;

    /// Whether launches of a library call may cut a chunk between the rows of its left matrix (`Call::cut_rows`);
    /// otherwise they have whole chunks.
    fn cuts_chunks(&self) -> bool {
        false
    }

    /// Loads a program. A damaged or foreign image is an error, never a crash.
    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId>;

    /// Describes a loaded program for people: how it runs, and what prevents it from running faster. Of a library call
    /// it names the library that computes it ("matmul by cuBLAS 13.0"), or says why the device's own kernels do; so a
    /// device chooses the library when it loads the program. Receipts and `explain` show the text. Empty if the program
    /// is not loaded.
    fn describe(&self, program: ProgramId) -> String;

    /// Describes for people how a loaded program would run over `rows` rows. Empty where there is only one way.
    fn describe_launch(&self, program: ProgramId, rows: usize) -> String {
        let _ = (program, rows);
        String::new()
    }

    /// Unloads a program; launches in flight finish.
    fn unload(&self, program: ProgramId);

    /// The memory that [`Device::allocate`] takes for `bytes` bytes, as [`MemoryInfo::used`] counts it. Some devices
    /// round up.
    fn allocation_bytes(&self, bytes: u64) -> u64 {
        bytes
    }

    /// The most memory that a launch of a loaded library call over `rows` rows takes besides its columns, captured tables
    /// and outputs, as [`Device::allocation_bytes`] rounds it: stored rows, workspaces of libraries, padded and
    /// transformed numbers. The launch frees it when it is done. Allocates nothing. 0 for other programs, whose scratch
    /// memory is small.
    fn scratch_bytes(&self, program: ProgramId, rows: usize) -> u64 {
        let _ = (program, rows);
        0
    }

    /// Allocates a buffer with undefined content.
    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId>;

    /// Frees a buffer once the work that is already queued no longer needs it.
    fn free(&self, buffer: BufferId);

    /// Opens a stream.
    fn open_stream(&self, priority: Priority) -> DeviceResult<StreamId>;

    /// Closes a stream; its queued work finishes.
    fn close_stream(&self, stream: StreamId);

    /// Queues a copy from staging memory into a buffer. The device keeps the staging memory until the copy is done.
    fn copy_in(&self, stream: StreamId, from: std::sync::Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()>;

    /// Queues a copy from a buffer into staging memory, which [`Device::finish_copy`] returns.
    fn copy_out(&self, stream: StreamId, from: BufferRange, destination: HostBuffer) -> DeviceResult<CopyId> {
        self.copy_out_all(stream, &[from], destination)
    }

    /// Queues one copy of several ranges, of any buffers, into staging memory, one range after the other. If one range
    /// is invalid, nothing is queued.
    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], destination: HostBuffer) -> DeviceResult<CopyId>;

    /// Waits for a copy and returns its staging memory. After a timeout the copy still exists: the caller must wait for
    /// it again or forget it.
    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer>;

    /// Abandons a copy; does nothing if there is no such copy. Its staging memory is freed when the device is done with
    /// it.
    fn forget_copy(&self, copy: CopyId);

    /// Copies bytes into a buffer, ordered after the work queued on the stream, and has finished with `from` on return.
    /// The range starts at a multiple of 4 bytes. A device with staging memory of its own copies through that.
    fn upload(&self, stream: StreamId, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        let mut staging = HostBuffer::try_zeroed(from.len())?;
        staging.copy_from_slice(from);
        self.copy_in(stream, std::sync::Arc::new(staging), to)
    }

    /// Copies bytes out of a buffer, ordered after the work queued on the stream, and waits for them. The range starts
    /// at a multiple of 4 bytes and is as long as `destination`.
    fn download(
        &self,
        stream: StreamId,
        from: BufferRange,
        destination: &mut [u8],
        timeout: Duration,
    ) -> DeviceResult<()> {
        self.download_all(stream, &mut [Download { from, destination }], timeout)
    }

    /// Copies several ranges to the host, ordered after the work queued on the stream. The copies are queued together
    /// and waited for once. After an error, some parts may have arrived and others not.
    fn download_all(&self, stream: StreamId, parts: &mut [Download<'_>], timeout: Duration) -> DeviceResult<()> {
        download::download_through_staging(self, stream, parts, timeout)
    }

    /// Copies ranges to the host, ordered after the work queued on the stream, and calls `while_copying` once, on this
    /// thread, while the copies are in flight. All bytes have arrived on return. If no copy could be queued,
    /// `while_copying` is not called.
    fn download_while(
        &self,
        stream: StreamId,
        parts: &mut [Download<'_>],
        timeout: Duration,
        while_copying: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        download::download_each(self, stream, parts, timeout, while_copying)
    }

    /// Locks the pages of host memory until [`Device::unlock_pages`], so that large copies from and to it need no
    /// staging. Does nothing on devices that gain nothing by it.
    ///
    /// # Safety
    /// The memory must be unlocked before it is freed.
    unsafe fn lock_pages(&self, memory: &[u8]) -> DeviceResult<()> {
        let _ = memory;
        Ok(())
    }

    /// Ends [`Device::lock_pages`] for the same memory.
    ///
    /// # Safety
    /// No copy of this memory is in flight.
    unsafe fn unlock_pages(&self, memory: &[u8]) {
        let _ = memory;
    }

    /// Whether copies of this memory need no staging: it is page-locked, and large enough for a direct copy to be
    /// faster.
    fn copies_directly(&self, memory: &[u8]) -> bool {
        let _ = memory;
        false
    }

    /// Records an event at the current end of a stream.
    fn record(&self, stream: StreamId) -> DeviceResult<EventId>;

    /// Makes work that is queued on a stream from now on wait for an event of this device.
    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()>;

    /// Whether an event has been reached; does not wait.
    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus>;

    /// Device time between two reached events.
    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration>;

    /// Forgets an event.
    fn forget_event(&self, event: EventId);

    /// Builds an index over the keys of a built table, ordered after the work queued on the stream, and waits for it.
    /// The index holds copies of what it needs; launches that probe it find the rows of a key in the order of `keys`.
    /// Its memory counts in [`MemoryInfo::used`] until [`Device::free_index`]. A device that works in host memory asks
    /// the observer, if there is one, and ends with [`DeviceErrorKind::Stopped`] if it says so; other devices ignore
    /// it.
    fn build_index(
        &self,
        stream: StreamId,
        keys: &IndexKeys<'_>,
        observer: Option<&dyn ProgressObserver>,
    ) -> DeviceResult<IndexInfo> {
        let _ = (stream, keys, observer);
        Err(DeviceError::unsupported("it has no indexes to probe"))
    }

    /// Frees an index once the launches that are already queued no longer need it. Does nothing if there is none.
    fn free_index(&self, index: IndexId) {
        let _ = index;
    }

    /// Queues a program over a range of rows. The device has finished with the host memory in `launch` on return.
    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus>;

    /// Queues a program over a range of rows and reports its progress. A device that works in host memory calls the
    /// observer between two morsels and inside long ones, and ends with [`DeviceErrorKind::Stopped`] if the observer
    /// says so; other devices ignore the observer.
    fn launch_observed(
        &self,
        stream: StreamId,
        program: ProgramId,
        launch: &mut Launch<'_, '_>,
        _observer: &dyn ProgressObserver,
    ) -> DeviceResult<LaunchStatus> {
        self.launch(stream, program, launch)
    }

    /// Waits for a launch that [`Device::launch`] left running. After a timeout the launch still exists: the caller
    /// must wait for it again or forget it.
    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome>;

    /// Abandons a launch. Its resources are freed at once if it is done, otherwise when a later call finds it done.
    fn forget_launch(&self, launch: LaunchId);

    /// The number of abandoned launches that are still running.
    fn zombies(&self) -> usize;
}
