//! Measures copies between host memory and a device: in both directions, from pageable and from page-locked memory.

use super::Benchmark;
use super::harness::{Harness, ScratchBuffer, TIMEOUT};
use super::sampler::{ByteTimes, Sampler};
use crate::error::Result;
use crate::select::estimator::{Curve, Profile};
use pointsman_device::{HostBuffer, PageLocked};

/// The smallest measured copy, and how many times as large each is as the one before it.
const BYTES_FIRST: usize = 32 << 10;
const SIZE_STEP: usize = 8;
/// Host memory that copies pass through, in copies of the largest size: more than the caches hold. Page-locked memory
/// has one: its copies are as fast as the link, and locking takes long.
const PAGEABLE_COPIES: usize = 8;
/// A copy of this size takes only the time before its first byte.
const TINY_BYTES: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

/// Copies between a device and memory of the host.
struct LinkBenchmark<'b> {
    harness: &'b Harness,
    sampler: &'b Sampler<'b>,
    buffer: ScratchBuffer,
    bytes_max: usize,
}

/// Nanoseconds before the first byte of a copy, and of the reply that ends a copy in.
#[derive(Clone, Copy)]
struct CopyStart {
    start: f64,
    reply: f64,
}

impl Benchmark<'_> {
    /// Measures copies, unless the device works in host memory. One that gains nothing from page-locked memory gets no
    /// curves for it.
    pub(super) fn measure_link(&self, profile: &mut Profile) -> Result<()> {
        let (device, bytes_max) = (&self.harness.device, self.limits.copy_bytes_max);
        if device.info().capabilities.host_memory {
            return Ok(());
        }
        profile.memory = device.memory().total;
        let buffer = ScratchBuffer::new(device, bytes_max)?;
        let link = LinkBenchmark { harness: &self.harness, sampler: self.sampler, buffer, bytes_max };
        let mut pageable = HostBuffer::try_zeroed(PAGEABLE_COPIES * bytes_max)?;
        let Some(start) = link.start(&mut pageable[..TINY_BYTES])? else { return Ok(()) };
        let [copy_in, copy_out] = link.curves(start, &mut pageable)?;
        if copy_in.is_empty() || copy_out.is_empty() {
            return Ok(());
        }
        profile.copy_start = start.start;
        (profile.copy_in.pageable, profile.copy_out.pageable) = (copy_in, copy_out);
        let locked = PageLocked::new(device.clone(), bytes_max).ok();
        let locked = locked.filter(|memory| device.copies_directly(memory));
        let curves = locked.map_or_else(|| Ok(Default::default()), |mut memory| link.curves(start, &mut memory));
        [profile.copy_in.locked, profile.copy_out.locked] = curves?;
        Ok(())
    }
}

impl LinkBenchmark<'_> {
    /// The time of copies of next to nothing, in the middle of both directions.
    fn start(&self, memory: &mut [u8]) -> Result<Option<CopyStart>> {
        let out = self.sampler.measure(|| self.copy(Direction::Out, memory))?;
        let both = self.sampler.measure(|| self.copy(Direction::In, memory))?;
        Ok(out.zip(both).map(|(out, both)| {
            let reply = out.median;
            CopyStart { start: (reply + (both.median - reply).max(0.0)) / 2.0, reply }
        }))
    }

    /// Copies between this memory and the device, and returns when the bytes are there.
    fn copy(&self, direction: Direction, memory: &mut [u8]) -> Result<()> {
        let Harness { device, stream, .. } = self.harness;
        let range = self.buffer.range(0..memory.len());
        if direction == Direction::Out {
            return Ok(device.download(*stream, range, memory, TIMEOUT)?);
        }
        device.upload(*stream, memory, range)?;
        // The call may return before a copy in ends; a copy out behind it ends later.
        Ok(device.download(*stream, self.buffer.range(0..TINY_BYTES), &mut [0; TINY_BYTES], TIMEOUT)?)
    }

    /// Nanoseconds a byte by size: in, and out.
    fn curves(&self, CopyStart { start, reply }: CopyStart, memory: &mut [u8]) -> Result<[Curve; 2]> {
        // Memory that was never written may be one page of zeros, many times.
        let numbers = &self.harness.numbers;
        for part in memory.chunks_mut(numbers.len()) {
            self.sampler.pacer.slice(|| {
                part.copy_from_slice(&numbers[..part.len()]);
                Ok(())
            })?;
        }
        let mut curves = [Curve::default(), Curve::default()];
        for (curve, direction) in curves.iter_mut().zip([Direction::In, Direction::Out]) {
            // The first large copy makes the driver allocate its staging.
            self.sampler.pacer.slice(|| self.copy(direction, &mut memory[..self.bytes_max]))?;
            let (mut times, mut bytes) = (ByteTimes::default(), BYTES_FIRST.min(self.bytes_max));
            while bytes <= self.bytes_max {
                let mut next = 0;
                let time = self.sampler.measure(|| {
                    let at = next..next + bytes;
                    next = at.end % memory.len();
                    self.copy(direction, &mut memory[at])
                })?;
                let Some(least) = time.map(|time| time.least) else { break };
                // A reply that was slow when it was measured alone must leave a part for the copy.
                let reply = if direction == Direction::In { reply.min(least / 2.0) } else { 0.0 };
                times.add(bytes, bytes, least - reply, start);
                bytes *= SIZE_STEP;
            }
            *curve = Curve::new(times.into_points());
        }
        Ok(curves)
    }
}
