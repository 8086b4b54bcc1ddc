//! Measures copies between host memory and a device: in both directions, from pageable and from page-locked memory.

use super::benchmark::{Benchmark, ScratchColumns, TIMEOUT};
use super::sampler::byte_times;
use crate::devices::transfer::HeldBuffer;
use crate::error::Result;
use crate::select::estimator::{Curve, Profile};
use pointsman_device::{HostBuffer, PageLocked};

/// The smallest and the largest measured copy, and how many times as large each is as the one before it.
const BYTES_FIRST: usize = 32 << 10;
const BYTES_LAST: usize = 16 << 20;
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

impl Benchmark<'_> {
    /// Measures copies, unless the device works in host memory. One that gains nothing from page-locked memory gets no
    /// curves for it.
    pub(super) fn measure_link(&self, profile: &mut Profile) -> Result<()> {
        let ScratchColumns::Device { input: buffer, .. } = &self.columns else { return Ok(()) };
        profile.memory = self.device.memory().total;
        let bytes_max = BYTES_LAST.min(self.bytes);
        let mut pageable = HostBuffer::try_zeroed(PAGEABLE_COPIES * bytes_max)?;
        let mut tiny = |direction| self.sampler.measure(|| self.copy(direction, buffer, &mut pageable[..TINY_BYTES]));
        let Some((out, both)) = tiny(Direction::Out)?.zip(tiny(Direction::In)?) else { return Ok(()) };
        let (reply, start) = (out.median, out.median.max(both.median) / 2.0);
        let curves = |memory: &mut [u8]| self.copy_curves(buffer, start, reply, memory);
        let [copy_in, copy_out] = curves(&mut pageable)?;
        if copy_in.is_empty() || copy_out.is_empty() {
            return Ok(());
        }
        profile.copy_start = start;
        (profile.copy_in.pageable, profile.copy_out.pageable) = (copy_in, copy_out);
        let locked = PageLocked::new(self.device.clone(), bytes_max).ok();
        let locked = locked.filter(|memory| self.device.copies_directly(memory));
        let curves = locked.map_or_else(|| Ok(Default::default()), |mut memory| curves(&mut memory));
        [profile.copy_in.locked, profile.copy_out.locked] = curves?;
        Ok(())
    }

    /// Copies between this memory and the device, and returns when the bytes are there.
    fn copy(&self, direction: Direction, buffer: &HeldBuffer, memory: &mut [u8]) -> Result<()> {
        let (device, stream, range) = (self.device, self.stream, buffer.range(0..memory.len()));
        if direction == Direction::Out {
            return Ok(device.download(stream, range, memory, TIMEOUT)?);
        }
        device.upload(stream, memory, range)?;
        // The call may return before a copy in ends; a copy out behind it ends later.
        Ok(device.download(stream, buffer.range(0..TINY_BYTES), &mut [0; TINY_BYTES], TIMEOUT)?)
    }

    /// Nanoseconds a byte by size: in, and out. `start`: the nanoseconds before the first byte; `reply`: those of the copy
    /// that ends a copy in.
    fn copy_curves(&self, buffer: &HeldBuffer, start: f64, reply: f64, memory: &mut [u8]) -> Result<[Curve; 2]> {
        let bytes_max = BYTES_LAST.min(self.bytes);
        // Memory that was never written may be one page of zeros, many times.
        for part in memory.chunks_mut(self.numbers.len()) {
            self.sampler.pacer.slice(|| {
                part.copy_from_slice(&self.numbers[..part.len()]);
                Ok(())
            })?;
        }
        let mut curve = |direction: Direction| -> Result<Curve> {
            // The first large copy makes the driver allocate its staging.
            self.sampler.pacer.slice(|| self.copy(direction, buffer, &mut memory[..bytes_max]))?;
            let sizes = std::iter::successors(Some(BYTES_FIRST), |bytes| bytes.checked_mul(SIZE_STEP));
            let points = byte_times(sizes.take_while(|bytes| *bytes <= bytes_max), start, |bytes| {
                let mut next = 0;
                let time = self.sampler.measure(|| {
                    let at = next..next + bytes;
                    next = at.end % memory.len();
                    self.copy(direction, buffer, &mut memory[at])
                })?;
                // A reply that was slow when it was measured alone must leave a part for the copy.
                let reply = |least: f64| if direction == Direction::In { reply.min(least / 2.0) } else { 0.0 };
                Ok(time.map(|time| (bytes, time.least - reply(time.least))))
            })?;
            Ok(Curve::new(points))
        };
        Ok([curve(Direction::In)?, curve(Direction::Out)?])
    }
}
