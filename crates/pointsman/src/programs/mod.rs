//! The programs of a session: in go a kernel and a device, out comes a loaded program and where it came from.
//!
//! A program is looked for among the loaded ones, then among the stored images (`store.rs`), and else compiled, once for
//! all who ask at the same time (`flight.rs`). Images are stored for devices that say that it pays
//! (`Capabilities::images_pay`), by a thread of their own (`outbox.rs`); a store that cannot be used costs its entries,
//! never a query. Threads end before the session does, or are left to
//! themselves after a while (`crew.rs`).

mod background;
mod background_threads;
mod entry;
mod key;
pub(crate) mod program;
mod report;
mod single_flight;
mod store;
mod store_options;
mod write_queue;

#[cfg(test)]
mod tests;

pub(crate) use background::BackgroundProgram;
pub(crate) use background_threads::ProgramsOwner;
pub use report::{ProgramCacheReport, ProgramSource};
pub(crate) use store_options::StoreOptions;

use crate::cache::Cache;
use crate::programs::program::Program;
use crate::resilience::clock::Clock;
use crate::resilience::gate::WaitLimit;
use background_threads::BackgroundThreads;
use key::Key;
use pointsman_device::clock::Moment;
use pointsman_device::{Device, DeviceErrorKind, DeviceResult, ProgramImage};
use pointsman_ir::kernel::Kernel;
use report::ProgramCounters;
use single_flight::{CompileGuard, CompileRole, SingleFlight};
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Store, Stored};
use write_queue::WriteQueue;

/// The most programs a session keeps loaded, beside those that plans and prepared queries hold.
const PROGRAMS_MAX: usize = 1024;

/// A kernel, and the name of the device it is for.
type ProgramKey = (Kernel, String);

/// The programs of a session.
pub(crate) struct Programs {
    loaded: Cache<ProgramKey, Program>,
    flights: Arc<SingleFlight>,
    options: StoreOptions,
    /// Opened when the first device that stores images compiles.
    store: OnceLock<Result<Store, String>>,
    counts: ProgramCounters,
    /// The session's time.
    clock: Arc<dyn Clock>,
    /// Compilations behind callers' backs, under way.
    background: AtomicUsize,
    outbox: WriteQueue,
    crew: BackgroundThreads,
}

fn key_of(kernel: &Kernel, device: &dyn Device) -> ProgramKey {
    (kernel.clone(), device.info().name.clone())
}

impl Programs {
    /// None yet, in the hold of a session that has this clock, and this patience when it goes.
    pub(crate) fn open(options: StoreOptions, clock: Arc<dyn Clock>, patience: Duration) -> ProgramsOwner {
        let programs = Arc::new(Programs {
            loaded: Cache::new(PROGRAMS_MAX),
            flights: Arc::default(),
            options,
            store: OnceLock::new(),
            counts: ProgramCounters::default(),
            clock,
            background: AtomicUsize::new(0),
            outbox: WriteQueue::default(),
            crew: BackgroundThreads::default(),
        });
        ProgramsOwner { programs, patience }
    }

    /// The program of a kernel on a device; waits for it.
    pub(crate) fn get(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) -> DeviceResult<(Arc<Program>, ProgramSource)> {
        let got = self.get_within(kernel, device, None)?;
        Ok(got.expect("who waits without bounds waits until it is there"))
    }

    /// The same, but another caller's compilation is not waited for beyond these bounds: then there is `None`.
    pub(crate) fn get_within(
        self: &Arc<Self>,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        bounds: Option<&WaitLimit<'_>>,
    ) -> DeviceResult<Option<(Arc<Program>, ProgramSource)>> {
        let start = Moment::now();
        let lead = match self.board(kernel, device) {
            CompileRole::Loaded(program) => return Ok(Some((program, ProgramSource::Memory))),
            CompileRole::Refused(error) => return Err(error),
            CompileRole::Join(flight) => {
                self.counts.waited.add();
                let waited = flight.wait(bounds).transpose();
                let waited = waited.inspect_err(|_| self.flights.told(&key_of(kernel, &**device)))?;
                return Ok(waited.map(|program| (program, ProgramSource::Waited(since(start)))));
            }
            CompileRole::CompileGuard(lead) => lead,
        };
        Ok(Some(match self.stored(lead, kernel, device)? {
            (lead, Some(program)) => (self.land(lead, program), ProgramSource::Disk(since(start))),
            (lead, None) => (self.compile(lead, kernel, device)?, ProgramSource::Compiled(since(start))),
        }))
    }

    /// Whether the program of a kernel is loaded on a device.
    pub(crate) fn has(&self, kernel: &Kernel, device: &dyn Device) -> bool {
        self.loaded.get(&key_of(kernel, device)).is_some()
    }

    /// Until when a kernel is not compiled again for a device, if it was refused.
    pub(crate) fn refused_until(&self, kernel: &Kernel, device: &dyn Device) -> Option<Duration> {
        self.flights.refused_until(&key_of(kernel, device))
    }

    fn board(&self, kernel: &Kernel, device: &Arc<dyn Device>) -> CompileRole {
        let key = key_of(kernel, &**device);
        match self.loaded.get(&key) {
            Some(program) => CompileRole::Loaded(program),
            None => self.flights.board(&key, self.clock.now(), || self.loaded.get(&key)),
        }
    }

    /// The program of a stored image if there is a good one. An error of the device ends the flight.
    fn stored(
        &self,
        lead: CompileGuard,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) -> DeviceResult<(CompileGuard, Option<Arc<Program>>)> {
        match self.load_stored(kernel, device) {
            Ok(program) => Ok((lead, program)),
            Err(error) => {
                lead.refuse(error.clone(), self.clock.now());
                Err(error)
            }
        }
    }

    /// The program of a stored image; an error if the device could not take any now.
    fn load_stored(&self, kernel: &Kernel, device: &Arc<dyn Device>) -> DeviceResult<Option<Arc<Program>>> {
        let Some(store) = self.store_for(&**device) else { return Ok(None) };
        let key = Key::new(kernel, &**device);
        let image = match store.read(&key) {
            Stored::Here(image) => image,
            Stored::Absent => return Ok(None),
            Stored::Damaged => {
                self.counts.damaged.add();
                return Ok(None);
            }
        };
        let error = match load(device, &image) {
            Ok(program) => {
                self.counts.from_disk.add();
                return Ok(Some(program));
            }
            Err(error) => error,
        };
        match error.kind {
            DeviceErrorKind::Compile => {
                self.counts.damaged.add();
                store.remove(&key);
                Ok(None)
            }
            // Compiling it shows whether the image or the kernel is to blame, and a good image takes its place.
            DeviceErrorKind::Unsupported | DeviceErrorKind::InvalidArgument | DeviceErrorKind::Internal => Ok(None),
            DeviceErrorKind::OutOfMemory
            | DeviceErrorKind::Transient
            | DeviceErrorKind::Lost
            | DeviceErrorKind::Timeout
            | DeviceErrorKind::Stopped => Err(error),
        }
    }

    /// Compiles and loads a program, for all who wait for it.
    fn compile(
        self: &Arc<Self>,
        lead: CompileGuard,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
    ) -> DeviceResult<Arc<Program>> {
        self.counts.compiled.add();
        let made = device.compile(kernel).and_then(|image| Ok((load(device, &image)?, image)));
        let (program, image) = match made {
            Ok(made) => made,
            Err(error) => {
                lead.refuse(error.clone(), self.clock.now());
                return Err(error);
            }
        };
        let program = self.land(lead, program);
        self.store_later(kernel, device, image);
        Ok(program)
    }

    /// Keeps a program, and hands it to all who wait for it.
    fn land(&self, lead: CompileGuard, program: Arc<Program>) -> Arc<Program> {
        let program = self.loaded.put(ProgramKey::clone(&lead.key), program);
        lead.land(program.clone());
        program
    }

    /// Where images of a device are stored, if they are.
    fn store_for(&self, device: &dyn Device) -> Option<&Store> {
        if device.info().capabilities.images_pay { self.store().as_ref().ok() } else { None }
    }

    fn store(&self) -> &Result<Store, String> {
        self.store.get_or_init(|| {
            let directory = self.options.directory(|name| std::env::var_os(name))?;
            Store::open(directory, self.options.bytes_max)
        })
    }
}

fn load(device: &Arc<dyn Device>, image: &ProgramImage) -> DeviceResult<Arc<Program>> {
    Ok(Arc::new(Program { id: device.load(image)?, device: device.clone() }))
}

fn since(start: Moment) -> Duration {
    Duration::from_nanos(Moment::now().since(start))
}
