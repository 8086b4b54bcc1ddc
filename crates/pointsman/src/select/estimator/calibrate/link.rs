//! How fast bytes go between the host and a device: each way, from memory that the system may move and from memory that
//! stays where it is.

use super::Limits;
use super::memory::{each, seed};
use super::meter::{Meter, Weighed};
use super::rig::{Buffer, PATIENCE, Rig};
use crate::error::Result;
use crate::select::estimator::profile::{Curve, Link, Profile};
use pointsman_device::{Device, DeviceResult, HostBuffer, PageLocked};
use std::sync::Arc;
use std::time::Duration;

/// The copies that are measured, in bytes, are each so many times the one before.
const STEP: usize = 4;
/// The smallest of them.
const FIRST_BYTES: usize = 32 << 10;
/// A copy of next to nothing: what it takes is what a copy takes before its first byte.
const TINY_BYTES: usize = 16;

/// What was found.
pub(super) struct Found {
    pub(super) copy_in: Link,
    pub(super) copy_out: Link,
    /// Nanoseconds that a copy takes before its first byte.
    pub(super) start: f64,
}

impl Found {
    /// Puts into a profile what was measured.
    pub(super) fn tell(self, profile: &mut Profile) {
        for (own, found) in [(&mut profile.copy_in, self.copy_in), (&mut profile.copy_out, self.copy_out)] {
            if !found.pageable.is_empty() {
                *own = found;
            }
        }
        if self.start.is_finite() {
            profile.copy_start = self.start;
        }
    }
}

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    In,
    Out,
}

impl Weighed for (Way, usize) {
    fn weight(&self) -> f64 {
        self.1 as f64
    }
}

/// Memory of the host.
enum Lying {
    Pageable(HostBuffer),
    Locked(PageLocked),
}

impl Lying {
    fn bytes(&mut self) -> &mut [u8] {
        match self {
            Lying::Pageable(memory) => memory,
            Lying::Locked(memory) => memory,
        }
    }
}

/// Measures copies in both directions. A device that gains nothing from locked memory has no curves for it.
pub(super) fn measure(rig: &Rig, meter: &Meter<'_>, limits: &Limits) -> Result<Found> {
    // Each lie of the memory gets as much of the time.
    let until = || meter.until(0.3, 0.2);
    let buffer = Buffer::new(&rig.device, limits.copy_bytes_max)?;
    let memory = Lying::Pageable(HostBuffer::try_zeroed(limits.copy_bytes_max)?);
    let mut copies = Copies { rig, buffer, memory };
    copies.fill();
    let (start, reply) = copies.starts(meter, until())?;
    let [copy_in, copy_out] = copies.curves(meter, until(), limits.copy_bytes_max, (start, reply))?;
    let mut found = Found {
        copy_in: Link { pageable: copy_in, locked: Curve::default() },
        copy_out: Link { pageable: copy_out, locked: Curve::default() },
        start,
    };
    // Where locking changes nothing, as behind most interfaces, there is nothing more to find out.
    let locked = lock(&rig.device, limits.copy_bytes_max).ok().filter(|memory| rig.device.copies_directly(memory));
    if let Some(memory) = locked {
        copies.memory = Lying::Locked(memory);
        copies.fill();
        let curves = copies.curves(meter, until(), limits.copy_bytes_max, (start, reply))?;
        [found.copy_in.locked, found.copy_out.locked] = curves;
    }
    Ok(found)
}

fn lock(device: &Arc<dyn Device>, bytes: usize) -> DeviceResult<PageLocked> {
    PageLocked::new(device.clone(), bytes)
}

struct Copies<'r> {
    rig: &'r Rig,
    buffer: Buffer,
    memory: Lying,
}

impl Copies<'_> {
    /// Writes numbers to all of the host's memory: what was never written may be one page of zeros, many times.
    fn fill(&mut self) {
        let seed = seed();
        self.memory.bytes().chunks_mut(seed.len()).for_each(|part| part.copy_from_slice(&seed[..part.len()]));
    }

    /// Copies so many bytes, until they are there.
    fn copy(&mut self, (way, bytes): (Way, usize)) -> Result<()> {
        let Rig { device, stream, .. } = self.rig;
        let (memory, range) = (&mut self.memory.bytes()[..bytes], self.buffer.range(0, bytes));
        if way == Way::Out {
            return Ok(device.download(*stream, range, memory, PATIENCE)?);
        }
        device.upload(*stream, memory, range)?;
        // A copy in may be under way when the call returns; one behind it back to the host ends after it.
        Ok(device.download(*stream, self.buffer.range(0, TINY_BYTES), &mut [0; TINY_BYTES], PATIENCE)?)
    }

    /// Nanoseconds before the first byte of a copy, in the middle of both ways, and of the reply that ends a copy in.
    fn starts(&mut self, meter: &Meter<'_>, until: Duration) -> Result<(f64, f64)> {
        let timed = meter.series(until, &[(Way::Out, TINY_BYTES), (Way::In, TINY_BYTES)], |copy| self.copy(*copy))?;
        let at = |place: usize| timed.get(place).map_or(f64::NAN, |timed| timed.median);
        let reply = at(0);
        let there = (at(1) - reply).max(0.0);
        Ok(((reply + there) / 2.0, reply))
    }

    /// Curves for copies in and copies out.
    fn curves(
        &mut self,
        meter: &Meter<'_>,
        until: Duration,
        bytes_max: usize,
        (start, reply): (f64, f64),
    ) -> Result<[Curve; 2]> {
        // The first large copies make the driver's staging: they say nothing about how long others take.
        for way in [Way::In, Way::Out] {
            self.copy((way, bytes_max))?;
        }
        let next = |bytes: &usize| bytes.checked_mul(STEP);
        let sizes = std::iter::successors(Some(FIRST_BYTES.min(bytes_max)), next).take_while(|&size| size <= bytes_max);
        let points: Vec<(Way, usize)> = sizes.flat_map(|size| [(Way::In, size), (Way::Out, size)]).collect();
        let timed = meter.series(until, &points, |copy| self.copy(*copy))?;
        Ok([Way::In, Way::Out].map(|way| {
            let own = points.iter().zip(&timed).filter(|((own, _), _)| *own == way);
            let reply = if way == Way::In { reply } else { 0.0 };
            // A reply that was slow when it was timed alone must not leave nothing of a copy.
            let left = |least: f64| (least - reply).max(least / 2.0);
            let took: Vec<(f64, f64)> = own.map(|((_, bytes), timed)| (*bytes as f64, left(timed.least))).collect();
            Curve::new(each(&took, start))
        }))
    }
}
