//! The compiled programs of a session. A lookup takes a kernel and a device, and returns a loaded program and its
//! [`ProgramSource`]. A broken program store never fails a query, and no program is compiled twice at the same time.
//!
//! | file | role in a lookup |
//! | --- | --- |
//! | `single_flight` | joins a running compilation of the same program, or elects the caller to compile it |
//! | `entry`, `store` | reads the image from the on-disk store (only for devices whose `Capabilities::images_worth_storing` is set) |
//! | `background` | compiles on another thread while the caller waits within its limit, or continues without the program |
//! | `write_queue` | passes new images to a thread that writes them to the store |
//! | `background_threads` | counts both kinds of thread; a dropped session waits for them up to a timeout |
//! | `store_options`, `report` | the settings of the store; counters for receipts and for the session |
//! | `program`, `variants` | the loaded program of a stage, and the variants that only a run can choose |

mod background;
mod background_threads;
mod entry;
pub(crate) mod program;
mod report;
mod single_flight;
mod store;
mod store_options;
mod variants;
mod write_queue;

#[cfg(test)]
mod tests;

pub(crate) use background_threads::ProgramsOwner;
pub use report::{ProgramCacheReport, ProgramSource};
pub(crate) use store_options::{STORED_BYTES_MAX, StoreOptions};

use crate::cache::Cache;
use crate::programs::program::Program;
use crate::resilience::clock::Clock;
use crate::resilience::gate::WaitLimit;
use crate::sync::Mutex;
use background_threads::BackgroundThreads;
use pointsman_device::clock::FastInstant;
use pointsman_device::{Device, DeviceErrorKind, DeviceResult, ProgramImage};
use pointsman_ir::kernel::Kernel;
use single_flight::{Compilation, CompileGuard, CompileRole, SingleFlight};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Key, ProgramStore, Stored};
use write_queue::WriteQueue;

/// The maximum number of programs that a session keeps loaded, apart from those that plans and prepared queries hold.
const PROGRAMS_MAX: usize = 1024;

/// A kernel and the name of its device.
type ProgramKey = (Kernel, String);

/// The programs of a session.
pub(crate) struct Programs {
    loaded: Cache<ProgramKey, Program>,
    single_flight: Arc<SingleFlight>,
    options: StoreOptions,
    /// Opened when a device that stores images first compiles.
    store: OnceLock<Result<ProgramStore, String>>,
    /// The counters of [`Programs::report`], without those of the store.
    counters: Mutex<ProgramCacheReport>,
    /// The session's clock.
    clock: Arc<dyn Clock>,
    limits: CompileLimits,
    /// The number of threads that compile.
    helpers: AtomicUsize,
    write_queue: WriteQueue,
    threads: BackgroundThreads,
}

/// How long compilations may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompileLimits {
    /// How long a driver may take to compile a kernel before its device counts as hung.
    pub(crate) compile_timeout: Duration,
    /// How long dropping the programs waits for threads that compile.
    pub(crate) drop_timeout: Duration,
}

/// Whether a caller waits for programs to be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompileMode {
    /// The caller waits.
    Wait,
    /// The caller may continue without the program while it is compiled in the background.
    MayReturn,
}

/// A program that was loaded just now, and its image, if it was compiled.
type ProducedProgram = (Arc<Program>, Option<ProgramImage>);

fn key_of(kernel: &Kernel, device: &dyn Device) -> ProgramKey {
    (kernel.clone(), device.info().name.clone())
}

impl Programs {
    /// Creates an empty set of programs.
    pub(crate) fn open(options: StoreOptions, clock: Arc<dyn Clock>, limits: CompileLimits) -> ProgramsOwner {
        ProgramsOwner(Arc::new(Programs {
            loaded: Cache::new(PROGRAMS_MAX),
            single_flight: Arc::default(),
            options,
            store: OnceLock::new(),
            counters: Mutex::default(),
            clock,
            limits,
            helpers: AtomicUsize::new(0),
            write_queue: WriteQueue::default(),
            threads: BackgroundThreads::default(),
        }))
    }

    /// Returns the program of a kernel on a device, and where it came from. `None` if it is still being compiled when
    /// `limit` is reached, or if all helper threads are busy; another thread continues to compile it for later callers.
    /// A caller that waits without a limit always gets the program.
    pub(crate) fn get(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        mode: CompileMode,
        limit: Option<&WaitLimit<'_>>,
    ) -> DeviceResult<Option<(Arc<Program>, ProgramSource)>> {
        let start = FastInstant::now();
        self.check_driver(&**device)?;
        match (self.join_or_lead(kernel, device), mode) {
            (CompileRole::Loaded(program), _) => Ok(Some((program, ProgramSource::Memory))),
            (CompileRole::Failed(error), _) => Err(error),
            (CompileRole::Join(_), CompileMode::MayReturn) => Ok(None),
            (CompileRole::Join(compilation), CompileMode::Wait) => {
                self.counters.lock().waited += 1;
                let waited = self.wait_for_driver(&compilation, device, limit)?;
                Ok(waited.map(|program| (program, ProgramSource::Waited(since(start)))))
            }
            (CompileRole::Lead(guard), _) => self.compile(guard, device, mode, limit, start),
        }
    }

    /// Whether the program of a kernel is loaded on a device.
    pub(crate) fn has(&self, kernel: &Kernel, device: &dyn Device) -> bool {
        self.loaded.get(&key_of(kernel, device)).is_some()
    }

    /// Whether an image of a kernel for a device is on disk: an earlier session considered running it there.
    pub(crate) fn is_stored(&self, kernel: &Kernel, device: &dyn Device) -> bool {
        self.store_for(device).is_some_and(|store| store.has(&Key::new(kernel, device)))
    }

    /// If the device's compiler refused a kernel, the time from which the kernel may be compiled again.
    pub(crate) fn refused_until(&self, kernel: &Kernel, device: &dyn Device) -> Option<Duration> {
        self.single_flight.refused_until(&key_of(kernel, device))
    }

    fn join_or_lead(&self, kernel: &Kernel, device: &Arc<dyn Device>) -> CompileRole {
        let key = key_of(kernel, &**device);
        match self.loaded.get(&key) {
            Some(program) => CompileRole::Loaded(program),
            None => self.single_flight.join_or_lead(&key, self.clock.now(), || self.loaded.get(&key)),
        }
    }

    /// Loads the stored image of a program, or compiles and loads it. Calls the driver, and may take as long as it
    /// likes.
    fn load_or_compile(&self, compilation: &Compilation, device: &Arc<dyn Device>) -> DeviceResult<ProducedProgram> {
        let (kernel, _) = &compilation.key;
        if let Some(program) = self.load_stored(kernel, device)? {
            return Ok((program, None));
        }
        compilation.begin_compiling();
        self.counters.lock().compiled += 1;
        let image = device.compile(kernel)?;
        Ok((Arc::new(Program::load(device, &image)?), Some(image)))
    }

    /// Hands a program, or the error, to every caller that waits for it, and queues a new image for the store.
    fn finish(
        self: &Arc<Self>,
        guard: CompileGuard,
        device: &Arc<dyn Device>,
        produced: DeviceResult<ProducedProgram>,
    ) -> DeviceResult<Arc<Program>> {
        let compilation = guard.compilation.clone();
        let (program, image) = match produced {
            Ok((program, image)) => (Ok(self.loaded.put(compilation.key.clone(), program)), image),
            Err(error) => (Err(error), None),
        };
        guard.publish(program.clone(), self.clock.now());
        if let Some(image) = image {
            self.queue_write(&compilation.key.0, device, image);
        }
        program
    }

    /// Loads the stored image if there is an intact one; an error if the device cannot load any program now.
    fn load_stored(&self, kernel: &Kernel, device: &Arc<dyn Device>) -> DeviceResult<Option<Arc<Program>>> {
        let Some(store) = self.store_for(&**device) else { return Ok(None) };
        let key = Key::new(kernel, &**device);
        let image = match store.read(&key) {
            Stored::Found(image) => image,
            Stored::Absent => return Ok(None),
            Stored::Damaged => {
                self.counters.lock().damaged += 1;
                return Ok(None);
            }
            Stored::Refused(why) => {
                self.record_refusal(why);
                return Ok(None);
            }
        };
        let error = match Program::load(device, &image) {
            Ok(program) => {
                self.counters.lock().from_disk += 1;
                return Ok(Some(Arc::new(program)));
            }
            Err(error) => error,
        };
        match error.kind {
            DeviceErrorKind::Compile => {
                self.counters.lock().damaged += 1;
                store.remove(&key);
                Ok(None)
            }
            // Compile the kernel again: that shows whether the image or the kernel is bad, and replaces a bad image.
            DeviceErrorKind::Unsupported | DeviceErrorKind::InvalidArgument | DeviceErrorKind::Internal => Ok(None),
            DeviceErrorKind::OutOfMemory
            | DeviceErrorKind::Transient
            | DeviceErrorKind::Lost
            | DeviceErrorKind::Timeout
            | DeviceErrorKind::Expired
            | DeviceErrorKind::Stopped => Err(error),
        }
    }

    /// Returns the store if images of this device are stored.
    fn store_for(&self, device: &dyn Device) -> Option<&ProgramStore> {
        if device.info().capabilities.images_worth_storing { self.store().as_ref().ok() } else { None }
    }

    fn store(&self) -> &Result<ProgramStore, String> {
        self.store.get_or_init(|| {
            let directory = self.options.directory(|name| std::env::var_os(name))?;
            let opened = ProgramStore::open(&directory, self.options.bytes_max);
            opened.inspect_err(|why| tracing::warn!(target: "pointsman", "programs are not stored: {why}"))
        })
    }
}

fn since(start: FastInstant) -> Duration {
    Duration::from_nanos(FastInstant::now().since(start))
}
