//! How fast a device is, measured: in goes a device, out comes a [`Profile`], in bounded time. What there was no time for,
//! and what the device cannot run, is guessed. Nothing is left behind on the device.
//!
//! All times are from the call to the knowledge that the work is done, by the clock that is handed in.

mod kernels;
mod link;
mod memory;
mod meter;
mod rates;
mod rig;
mod sinks;
mod watts;

#[cfg(test)]
mod tests;

pub(crate) use watts::{Bench, watts};

use super::features::SinkKind;
use super::profile::{Profile, SPREAD_MEASURED};
use crate::error::{Error, ErrorKind, Result};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::clock::Clock;
use kernels::{CLASSES_MEASURED, Work};
use memory::Columns;
use meter::Meter;
use pointsman_device::{Device, DeviceKind};
use rates::Classed;
use rig::{Program, Rig};
use sinks::Sampled;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

/// The least memory that a working set is measured in.
const BYTES_LEAST: u64 = 64 << 10;
/// The part of a device's free memory that a measured column takes.
const MEMORY_PART: u64 = 8;
/// The largest column where the driver does not tell how much memory is free: on a card a launch takes long enough to be seen
/// beside less, and there is less room than this on few; where there is, half of it is tried. And on software.
const BYTES_UNTOLD: u64 = 1 << 30;
const BYTES_UNTOLD_EMULATED: u64 = 256 << 20;

/// The most kernels that are compiled at once: all of them. Where there are fewer processors it is as many.
const COMPILES_MAX: usize = 8;

/// How large and how long measurements of a device are.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// The working sets that are measured, in bytes: powers of two.
    bytes_min: usize,
    bytes_max: usize,
    /// The largest copy between the host and the device.
    copy_bytes_max: usize,
    /// The most rows of a kernel that only computes, and how long it runs if they suffice for that.
    rows_max: usize,
    work: Duration,
    /// The least part of what a run takes that must not be its launch, to say anything about its operations.
    work_part_min: f64,
    /// How long the device is kept busy before anything counts, so that it runs at its full clock, and over how many bytes.
    warm_up: Duration,
    warm_up_bytes: usize,
    /// The shortest sample.
    sample: Duration,
    /// How many kernels are compiled at once.
    compiles_at_once: usize,
}

impl Limits {
    fn of(device: &dyn Device) -> Limits {
        let own = match device.info().kind {
            DeviceKind::Cpu => Limits {
                bytes_min: 16 << 10,
                bytes_max: 256 << 20,
                copy_bytes_max: 0,
                rows_max: 1 << 24,
                // So long that other threads are worth calling, also while they are slow to come.
                work: Duration::from_micros(1500),
                work_part_min: 0.2,
                warm_up: Duration::from_millis(10),
                warm_up_bytes: 1 << 20,
                sample: Duration::from_micros(50),
                compiles_at_once: 1,
            },
            DeviceKind::Cuda | DeviceKind::Vulkan | DeviceKind::Metal | DeviceKind::Dx12 => Limits {
                bytes_min: 64 << 10,
                bytes_max: 1 << 30,
                copy_bytes_max: 128 << 20,
                rows_max: 1 << 30,
                work: Duration::from_micros(300),
                work_part_min: 0.2,
                warm_up: Duration::from_millis(60),
                warm_up_bytes: 64 << 20,
                sample: Duration::from_micros(200),
                compiles_at_once: std::thread::available_parallelism().map_or(1, NonZero::get).min(COMPILES_MAX),
            },
            // It has one speed at every size, and takes the processor long.
            DeviceKind::Sim => Limits {
                bytes_min: 64 << 10,
                bytes_max: 256 << 10,
                copy_bytes_max: 1 << 20,
                rows_max: 1 << 12,
                work: Duration::from_micros(100),
                work_part_min: 0.0,
                warm_up: Duration::ZERO,
                warm_up_bytes: 0,
                sample: Duration::ZERO,
                compiles_at_once: 1,
            },
        };
        let untold = if device.info().is_emulated { BYTES_UNTOLD_EMULATED } else { BYTES_UNTOLD };
        let room = device.memory().free.map_or(untold, |free| free / MEMORY_PART);
        let room = room.min(device.info().capabilities.buffer_bytes_max).max(BYTES_LEAST);
        let fits = |bytes: usize| bytes.min(1 << room.ilog2());
        Limits { bytes_max: fits(own.bytes_max), copy_bytes_max: fits(own.copy_bytes_max), ..own }
    }
}

/// A device with all that measuring it takes.
pub(crate) struct Ready {
    rig: Rig,
    limits: Limits,
    /// `None` on a device that cannot be measured.
    kit: Option<Kit>,
    /// How long compiling one kernel took.
    compile: Duration,
}

/// Measures a device, in about so much time of the clock beside what compiling takes. Ends with `Cancelled` soon after it is
/// told to stop, and with the device's error if that fails.
pub(crate) fn calibrate(
    device: &Arc<dyn Device>,
    budget: Duration,
    clock: &dyn Clock,
    stop: &CancellationToken,
) -> Result<Profile> {
    Ready::new(device, clock, stop)?.measure(budget, clock, stop)
}

impl Ready {
    /// Compiles what the device is measured with. Nothing is measured meanwhile, so others may be made ready beside it.
    pub(crate) fn new(device: &Arc<dyn Device>, clock: &dyn Clock, stop: &CancellationToken) -> Result<Ready> {
        let limits = Limits::of(&**device);
        let rig = Rig::open(device)?;
        let (kit, compile) = Kit::load(&rig, &limits, clock, stop)?;
        Ok(Ready { rig, limits, kit, compile })
    }

    /// Measures it, in about so much time of the clock. Memory that the device kept for others is theirs, and no more is kept.
    pub(crate) fn measure(self, budget: Duration, clock: &dyn Clock, stop: &CancellationToken) -> Result<Profile> {
        let device = self.rig.device.clone();
        let kept = device.memory().kept;
        let profile = self.measured(budget, clock, stop);
        device.trim(kept);
        profile
    }

    fn measured(self, budget: Duration, clock: &dyn Clock, stop: &CancellationToken) -> Result<Profile> {
        let Ready { rig, limits, kit, compile } = self;
        let meter = Meter::new(clock, stop, budget, limits.sample);
        meter.check()?;
        let (device, info) = (&rig.device, rig.device.info());
        let mut profile = Profile::guess(info.kind, info.units);
        profile.compile = compile.as_nanos().max(1) as f64;
        let Some(Kit { mut programs, sampled, classes }) = kit else { return Ok(profile) };
        let columns = Columns::new(&rig, limits.bytes_max)?;
        let found = memory::measure(&rig, &meter, (&limits, &columns), &mut programs, meter.until(0.4, 0.2))?;
        if !found.is_sound() {
            return Ok(profile);
        }
        profile.sinks =
            sinks::measure(&rig, &meter, (&columns, &found), (&sampled, &mut programs), meter.until(0.15, 0.05))?;
        let fold_launch = found.fold_launch;
        (profile.launch, profile.read, profile.write) = (found.launch, found.read, found.write);
        drop(columns);
        if !rig.is_host() {
            profile.memory = device.memory().total;
            link::measure(&rig, &meter, &limits)?.tell(&mut profile);
        }
        let (rates, ramp) = rates::measure(&rig, &meter, &limits, &classes, fold_launch, meter.until(1.0, 0.2))?;
        rates::tell(rates, &mut profile.operations);
        if !ramp.is_empty() {
            profile.ramp = ramp;
        }
        profile.spread = SPREAD_MEASURED * (1.0 + meter.noise());
        profile.measured = true;
        Ok(profile)
    }
}

/// The programs that a device is measured with.
struct Kit {
    /// One that reads, one that copies, and those of other sinks.
    programs: Vec<Program>,
    sampled: Vec<Sampled>,
    /// Those of classes of operations.
    classes: Vec<Classed>,
}

impl Kit {
    /// Compiles all of them, several at once; `None` on a device that cannot be measured. And how long compiling one took.
    fn load(
        rig: &Rig,
        limits: &Limits,
        clock: &dyn Clock,
        stop: &CancellationToken,
    ) -> Result<(Option<Kit>, Duration)> {
        let start = clock.now();
        let reader = rig.load(&Work::read())?;
        let compile = clock.now().saturating_sub(start);
        if stop.is_cancelled() {
            return Err(Error::new(ErrorKind::Cancelled, "the calibration was told to stop"));
        }
        let sinks = [Work::copy(), Work::keep(), Work::carry(), Work::carry_max()];
        let count = sinks.len();
        let works: Vec<Work> = sinks.into_iter().chain(CLASSES_MEASURED.map(Work::class)).collect();
        let mut loaded = rig.load_all(&works, limits.compiles_at_once)?;
        let of_classes = loaded.split_off(count);
        let mut programs: Vec<Program> = reader.into_iter().collect();
        let mut sampled = Vec::new();
        let mut works = works.into_iter();
        for (work, program) in works.by_ref().take(count).zip(loaded) {
            if let Some((sink, program)) = work.sink().zip(program) {
                programs.push(program);
                sampled.push(Sampled { sink, work, program: programs.len() - 1 });
            }
        }
        // The first two are what everything else is compared with.
        let is_whole = sampled.first().is_some_and(|one: &Sampled| one.sink == SinkKind::Store && one.program == 1);
        sampled.retain(|one| one.sink != SinkKind::Store);
        let classes = CLASSES_MEASURED.into_iter().zip(works.zip(of_classes));
        let classed =
            |(class, (work, program)): (_, (Work, Option<Program>))| Some(Classed { class, work, program: program? });
        let kit = Kit { programs, sampled, classes: classes.filter_map(classed).collect() };
        Ok((is_whole.then_some(kit), compile))
    }
}
