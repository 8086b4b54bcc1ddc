//! The programs of a session: in go a kernel and a device, out comes a loaded program and where it came from.
//!
//! A program is looked for among the loaded ones, then among the stored images (`store.rs`), and else compiled, once for
//! all who ask at the same time (`flight.rs`). Images are stored for devices that say that it pays
//! (`Capabilities::images_pay`); a store that cannot be used costs its entries, never a query.

mod background;
mod entry;
mod flight;
mod key;
mod place;
mod report;
mod store;

#[cfg(test)]
mod tests;

pub(crate) use background::Attempt;
pub(crate) use place::StoreOptions;
pub use report::{ProgramCacheReport, ProgramSource};

use crate::runtime::cache::Cache;
use crate::runtime::executor::Program;
use crate::runtime::resilience::gate::Bounds;
use flight::{Boarding, Flights, Lead};
use key::Key;
use pointsman_device::clock::Moment;
use pointsman_device::{Device, DeviceResult, ProgramImage};
use pointsman_ir::kernel::Kernel;
use report::Counts;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::{Store, Stored};

/// The most programs a session keeps loaded, beside those that plans and prepared queries hold.
const PROGRAMS_MAX: usize = 1024;

/// A kernel, and the name of the device it is for.
type ProgramKey = (Kernel, String);

/// The programs of a session.
pub(crate) struct Programs {
    loaded: Cache<ProgramKey, Program>,
    flights: Arc<Flights>,
    options: StoreOptions,
    /// Opened when the first device that stores images compiles.
    store: OnceLock<Result<Store, String>>,
    counts: Counts,
    /// Compilations behind callers' backs, under way.
    background: AtomicUsize,
}

fn key_of(kernel: &Kernel, device: &dyn Device) -> ProgramKey {
    (kernel.clone(), device.info().name.clone())
}

impl Programs {
    pub(crate) fn new(options: StoreOptions) -> Programs {
        Programs {
            loaded: Cache::new(PROGRAMS_MAX),
            flights: Arc::default(),
            options,
            store: OnceLock::new(),
            counts: Counts::default(),
            background: AtomicUsize::new(0),
        }
    }

    /// The program of a kernel on a device; waits for it. `now` is the session's time.
    pub(crate) fn get(
        &self,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        now: Duration,
    ) -> DeviceResult<(Arc<Program>, ProgramSource)> {
        let got = self.get_within(kernel, device, now, None)?;
        Ok(got.expect("who waits without bounds waits until it is there"))
    }

    /// The same, but another caller's compilation is not waited for beyond these bounds: then there is `None`.
    pub(crate) fn get_within(
        &self,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        now: Duration,
        bounds: Option<&Bounds<'_>>,
    ) -> DeviceResult<Option<(Arc<Program>, ProgramSource)>> {
        let start = Moment::now();
        match self.board(kernel, device, now) {
            Boarding::Loaded(program) => Ok(Some((program, ProgramSource::Memory))),
            Boarding::Refused(error) => Err(error),
            Boarding::Join(flight) => {
                self.counts.waited.add();
                let landed = flight.wait(bounds).transpose()?;
                Ok(landed.map(|program| (program, ProgramSource::Waited(since(start)))))
            }
            Boarding::Lead(lead) => match self.stored(kernel, device) {
                Some(program) => Ok(Some((self.land(lead, program), ProgramSource::Disk(since(start))))),
                None => Ok(Some((self.compile(lead, kernel, device, now)?, ProgramSource::Compiled(since(start))))),
            },
        }
    }

    fn board(&self, kernel: &Kernel, device: &Arc<dyn Device>, now: Duration) -> Boarding {
        let key = key_of(kernel, &**device);
        match self.loaded.get(&key) {
            Some(program) => Boarding::Loaded(program),
            None => self.flights.board(&key, now, || self.loaded.get(&key)),
        }
    }

    /// The program of a stored image.
    fn stored(&self, kernel: &Kernel, device: &Arc<dyn Device>) -> Option<Arc<Program>> {
        let store = self.store_for(&**device)?;
        let key = Key::new(kernel, &**device);
        let image = match store.read(&key) {
            Stored::Here(image) => image,
            Stored::Absent => return None,
            Stored::Damaged => {
                self.counts.damaged.add();
                return None;
            }
        };
        let program = load(device, &image);
        match &program {
            Ok(_) => self.counts.from_disk.add(),
            // Whatever the reason, compiling it again shows whether the image or the device is to blame.
            Err(_) => {
                self.counts.damaged.add();
                store.remove(&key);
            }
        }
        program.ok()
    }

    /// Compiles and loads a program, for all who wait for it.
    fn compile(
        &self,
        lead: Lead,
        kernel: &Kernel,
        device: &Arc<dyn Device>,
        now: Duration,
    ) -> DeviceResult<Arc<Program>> {
        self.counts.compiled.add();
        let made = device.compile(kernel).and_then(|image| Ok((load(device, &image)?, image)));
        let (program, image) = match made {
            Ok(made) => made,
            Err(error) => {
                lead.refuse(error.clone(), now);
                return Err(error);
            }
        };
        // It is stored behind the landing: nobody waits for the disk.
        let program = self.land(lead, program);
        if let Some(store) = self.store_for(&**device)
            && let Err(error) = store.write(&Key::new(kernel, &**device), &image)
        {
            self.counts.lost(error.to_string());
        }
        Ok(program)
    }

    /// Keeps a program, and hands it to all who wait for it.
    fn land(&self, lead: Lead, program: Arc<Program>) -> Arc<Program> {
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
