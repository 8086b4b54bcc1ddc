//! Places that run kernels, behind one object-safe trait: [`Device`].
//!
//! Everything a device holds is named by a handle, never by a pointer: buffers, programs, streams, events. A program is
//! an image of bytes that can be stored or sent. So a device may live on another card, in another process, or in memory
//! that it shares with the host. This is the only crate with `unsafe` code, drivers and executable memory.
//!
//! **Borrowed memory.** A [`Launch`] may name host memory directly ([`ColumnInput::Host`], [`ColumnOutput::Host`]) on
//! devices with [`Capabilities::host_memory`]; such a device has finished with it before `launch` returns. Everything
//! else goes through buffers the device owns and staging ([`HostBuffer`]) the runtime owns.

#![warn(clippy::wildcard_enum_match_arm)]

pub mod clock;
pub mod convert;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
mod download;
pub mod energy;
pub mod error;
pub mod host;
pub mod host_pool;
pub mod launch;
pub mod page_locked;
pub mod program_image;
pub mod sim;
mod streaming_copy;
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
    BufferRange, ColumnInput, ColumnOutput, Form, Launch, LaunchStatus, Outcome, ProgressObserver, TableInput,
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
    /// A launch under way.
    LaunchId;
    /// A copy to the host under way.
    CopyId;
}

/// What kind of hardware or driver is behind a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceKind {
    /// The processor this program runs on.
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

/// Which part of the numeric contract a device keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exactness {
    /// The same bits as the interpreter.
    Exact,
    /// Exact for everything but float arithmetic, which stays within stated bounds.
    Bounded,
}

/// This build of the library, as part of the key of stored program images: its version, and a number over its sources.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("POINTSMAN_SOURCES"));

/// What a device can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Which part of the numeric contract it keeps.
    pub exactness: Exactness,
    /// Whether it computes in double precision.
    pub f64: bool,
    /// Whether it reads and writes the host's memory in place, and has finished when `launch` returns.
    pub host_memory: bool,
    /// Whether its own memory is the host's, so that copies are never needed.
    pub unified_memory: bool,
    /// The names of the sinks it runs (`Sink::name`).
    pub sinks: Vec<&'static str>,
    /// What it refuses although it has the sink: the openings of its messages. Empty: nothing.
    pub refuses: Vec<&'static str>,
    /// The largest buffer, in bytes.
    pub buffer_bytes_max: u64,
    /// Ranges of its buffers that a launch names start at multiples of this many bytes.
    pub range_align: u64,
    /// Whether a stored program image is read back much quicker than its kernel is compiled again.
    pub images_worth_storing: bool,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name among the session's devices: `cpu`, `cuda:0`.
    pub name: String,
    /// What is behind it.
    pub kind: DeviceKind,
    /// The hardware and its instruction set or driver, for people.
    pub model: String,
    /// How many units run at once: threads of a CPU, multiprocessors of a card.
    pub units: usize,
    /// Whether it is software that runs on the processor, although it is not the CPU: never the faster of the two.
    pub is_emulated: bool,
    /// What it can do.
    pub capabilities: Capabilities,
}

/// How a device's memory stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryInfo {
    /// All there is, in bytes; `None` where the driver does not tell.
    pub total: Option<u64>,
    /// What could be allocated now, in bytes; `None` where the driver does not tell.
    pub free: Option<u64>,
    /// What this device's buffers take, in bytes.
    pub used: u64,
    /// The most that `used` ever was.
    pub peak: u64,
    /// The part of `used` that was given back while work under way may still touch it, as that of a launch that hangs: no
    /// leak, but not to be had before the device is closed. 0 where the driver keeps that to itself.
    pub zombie: u64,
    /// What was given back and is kept for buffers to come, in bytes: no part of `used`, and nobody else's either until
    /// [`Device::trim`].
    pub kept: u64,
}

/// How urgent the work of a stream is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    /// When nothing else waits.
    Background,
    /// As usual.
    #[default]
    Normal,
    /// Before everything else.
    Urgent,
}

/// Whether an event has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// The work before it is done.
    Reached,
    /// It is not.
    Pending,
}

/// One place that runs kernels. Every method may be called from any thread.
pub trait Device: Send + Sync {
    /// What it is.
    fn info(&self) -> &DeviceInfo;

    /// How its memory stands now.
    fn memory(&self) -> MemoryInfo;

    /// What it drew so far, or draws now; the error says why nobody knows. May take milliseconds.
    fn energy(&self) -> DeviceResult<EnergyReading> {
        Err(DeviceError::unsupported("its driver does not tell what it draws"))
    }

    /// Lets go of memory that is kept for buffers to come, until it is at most so many bytes, or about that. Does nothing
    /// where nothing is kept.
    fn trim(&self, kept_max: u64) {
        let _ = kept_max;
    }

    /// Whether it can run this (verified) kernel; the error says what it lacks.
    fn supports(&self, kernel: &Kernel) -> DeviceResult<()>;

    /// What an image depends on beside the kernel, the model and this build: target, flags, compiler and driver, with
    /// their versions. Images of another fingerprint are not loaded. Where an image is the kernel's text, the model says
    /// all of it.
    fn fingerprint(&self) -> String {
        self.info().model.clone()
    }

    /// Compiles a verified kernel. Costs time, touches no device memory.
    fn compile(&self, kernel: &Kernel) -> DeviceResult<ProgramImage>;

    /// Loads a program. A damaged or foreign image is an error, never a crash.
    fn load(&self, image: &ProgramImage) -> DeviceResult<ProgramId>;

    /// What a loaded program is, for people: how it runs, and what keeps it from running better. Empty if it is not
    /// loaded.
    fn describe(&self, program: ProgramId) -> String;

    /// How a loaded program would run over so many rows, for people, where there are several ways. Empty if not.
    fn describe_launch(&self, program: ProgramId, rows: usize) -> String {
        let _ = (program, rows);
        String::new()
    }

    /// Forgets a program; launches under way finish.
    fn unload(&self, program: ProgramId);

    /// How much memory [`Device::allocate`] takes for so many bytes, as [`MemoryInfo::used`] counts it: some round up.
    fn allocation_bytes(&self, bytes: u64) -> u64 {
        bytes
    }

    /// Takes memory. Its content is undefined.
    fn allocate(&self, bytes: usize) -> DeviceResult<BufferId>;

    /// Gives memory back once the work already queued no longer needs it.
    fn free(&self, buffer: BufferId);

    /// Opens a stream.
    fn open_stream(&self, priority: Priority) -> DeviceResult<StreamId>;

    /// Closes a stream; its work finishes.
    fn close_stream(&self, stream: StreamId);

    /// Queues a copy from staging into a buffer. The staging is kept until the copy is done.
    fn copy_in(&self, stream: StreamId, from: std::sync::Arc<HostBuffer>, to: BufferRange) -> DeviceResult<()>;

    /// Queues a copy from a buffer into staging, which comes back from [`Device::finish_copy`].
    fn copy_out(&self, stream: StreamId, from: BufferRange, into: HostBuffer) -> DeviceResult<CopyId> {
        self.copy_out_all(stream, &[from], into)
    }

    /// Queues one copy of several ranges, of any buffers, into staging: each lies there behind the one before it. Nothing
    /// is queued where one of them cannot be.
    fn copy_out_all(&self, stream: StreamId, from: &[BufferRange], into: HostBuffer) -> DeviceResult<CopyId>;

    /// Waits for a copy and hands its staging back. After a timeout the copy is still there: it can be waited for again,
    /// and must be forgotten by whoever does not.
    fn finish_copy(&self, copy: CopyId, timeout: Duration) -> DeviceResult<HostBuffer>;

    /// Forgets a copy that nobody will wait for, if there is such a copy. Its staging goes when the device is done with it.
    fn forget_copy(&self, copy: CopyId);

    /// Copies bytes into a buffer, behind what the stream has queued, and has finished with `from` when it returns. The
    /// range starts at a multiple of 4 bytes. A device with staging of its own copies through that.
    fn upload(&self, stream: StreamId, from: &[u8], to: BufferRange) -> DeviceResult<()> {
        let mut staging = HostBuffer::try_zeroed(from.len())?;
        staging.copy_from_slice(from);
        self.copy_in(stream, std::sync::Arc::new(staging), to)
    }

    /// Copies bytes out of a buffer, behind what the stream has queued; they are there when it returns. The range starts
    /// at a multiple of 4 bytes, and is as long as `into`.
    fn download(&self, stream: StreamId, from: BufferRange, into: &mut [u8], timeout: Duration) -> DeviceResult<()> {
        self.download_all(stream, &mut [Download { from, into }], timeout)
    }

    /// The same for several ranges, which are queued together and waited for once. After an error, bytes of some may be
    /// there and of others not.
    fn download_all(&self, stream: StreamId, parts: &mut [Download<'_>], timeout: Duration) -> DeviceResult<()> {
        download::download_through_staging(self, stream, parts, timeout)
    }

    /// Copies bytes out of buffers, behind what the stream has queued, and calls `beside`, once and on this thread, while
    /// they are under way; they are there when it returns. Where no copy could be queued, `beside` is not called.
    fn download_while(
        &self,
        stream: StreamId,
        parts: &mut [Download<'_>],
        timeout: Duration,
        while_copying: &mut dyn FnMut(),
    ) -> DeviceResult<()> {
        download::download_each(self, stream, parts, timeout, while_copying)
    }

    /// Keeps host memory where it is, so that large copies from it and to it need no staging, until it is unlocked. Where
    /// nothing is gained by that, nothing is done.
    ///
    /// # Safety
    /// The memory must be unlocked before it is given back.
    unsafe fn lock_pages(&self, memory: &[u8]) -> DeviceResult<()> {
        let _ = memory;
        Ok(())
    }

    /// Ends [`Device::lock_pages`] for the same memory.
    ///
    /// # Safety
    /// No copy of this memory is under way.
    unsafe fn unlock_pages(&self, memory: &[u8]) {
        let _ = memory;
    }

    /// Whether a copy of this memory needs no staging: it is locked, and large enough to be worth it.
    fn copies_directly(&self, memory: &[u8]) -> bool {
        let _ = memory;
        false
    }

    /// Marks this point of a stream.
    fn record(&self, stream: StreamId) -> DeviceResult<EventId>;

    /// Makes what is queued on a stream from now on wait for an event, of this device.
    fn wait_for(&self, stream: StreamId, event: EventId) -> DeviceResult<()>;

    /// Whether an event has been reached, without waiting.
    fn event_status(&self, event: EventId) -> DeviceResult<EventStatus>;

    /// Device time between two reached events.
    fn elapsed(&self, from: EventId, to: EventId) -> DeviceResult<Duration>;

    /// Forgets an event.
    fn forget_event(&self, event: EventId);

    /// Queues a program over some rows. Host memory in `launch` is finished with when this returns.
    fn launch(&self, stream: StreamId, program: ProgramId, launch: &mut Launch<'_, '_>) -> DeviceResult<LaunchStatus>;

    /// The same while someone looks on. A device that works in the host's memory asks between two pieces of the rows
    /// whether it should go on, and ends with `Stopped` if not; others tell and ask nothing.
    fn launch_observed(
        &self,
        stream: StreamId,
        program: ProgramId,
        launch: &mut Launch<'_, '_>,
        _onlooker: &dyn ProgressObserver,
    ) -> DeviceResult<LaunchStatus> {
        self.launch(stream, program, launch)
    }

    /// Waits for a launch that was not done at once. After a timeout the launch is still there: it can be waited for
    /// again, and must be forgotten by whoever does not.
    fn finish(&self, launch: LaunchId, timeout: Duration) -> DeviceResult<Outcome>;

    /// Forgets a launch that nobody will wait for. What it holds goes at once if it is done, else when it is found done
    /// while the device is used.
    fn forget_launch(&self, launch: LaunchId);

    /// How many launches were forgotten and are not done.
    fn zombies(&self) -> usize;
}
