//! The measurements of a [`Benchmark`]: launches and memory bandwidth by sink, copies between the host and the device,
//! and operations by class. Each fills its part of a profile, and leaves the guesses where the device has no kernel.

use super::benchmark::{Benchmark, LoadedKernel, ScratchColumns, TIMEOUT, TINY_BYTES, fill_host};
use super::kernels::VALUE_BYTES;
use super::sampler::{SLICE_TIME_MAX, unit_times};
use crate::error::{Error, Result};
use crate::select::estimator::{CLASSES, Curve, Profile, SinkKind};
use pointsman_device::{HostBuffer, PageLocked};
use pointsman_ir::op::OpClass;
use std::cell::Cell;

/// The smallest working set or copy, and how many times as large each is as the one before it.
const BYTES_FIRST: usize = 16 << 10;
const SIZE_STEP: usize = 4;
/// Writing a byte takes at least this many times as long as reading one: less is noise.
const WRITE_TIMES_MIN: f64 = 0.4;
/// The largest copy between the host and a device: with CUDA, copies of more than 32 MiB have several times the bandwidth of
/// copies of 16 MiB.
const COPY_BYTES_MAX: usize = 64 << 20;
/// Pageable host memory that copies pass through, in copies of the largest size: more than most caches hold. Page-locked
/// memory is one copy divided by `LOCKED_DIVISOR`: its copies run at the speed of the link, and locking memory is slow.
const PAGEABLE_COPIES: usize = 2;
const LOCKED_DIVISOR: usize = 4;
/// The rows of the first run of an operation kernel; each further run has twice as many.
const ROWS_FIRST: usize = 64;
/// The part of an operation kernel's time that its own class takes, at least.
const OWN_PART_MIN: f64 = 0.1;

/// The sizes of working sets and copies.
fn sizes(bytes_max: usize) -> impl Iterator<Item = usize> {
    let sizes = std::iter::successors(Some(BYTES_FIRST), |bytes| bytes.checked_mul(SIZE_STEP));
    sizes.take_while(move |bytes| *bytes <= bytes_max)
}

impl Benchmark<'_> {
    /// Measures launches, read and write bandwidth, and the other sinks. Returns the nanoseconds of a launch that reduces.
    pub(super) fn measure_memory(&mut self, profile: &mut Profile) -> Result<f64> {
        let [sum, copy, others @ ..] = self.kernels else { return Err(Error::internal("sum or copy is not loaded")) };
        let (reduce_launch, read) = self.byte_times(sum, sizes(self.sampler.bytes_max))?;
        let (launch, copied) = self.byte_times(copy, sizes(self.sampler.bytes_max))?;
        let write = Curve::new(copied.points().map(|(bytes, each)| {
            // A copy reads one half of its bytes and writes the other.
            let reading = read.each(bytes);
            (bytes, (2.0 * each - reading).max(reading * WRITE_TIMES_MIN))
        }));
        if write.is_empty() {
            return Err(Error::internal("the clock stands still while it works"));
        }
        (profile.launch, profile.read, profile.write) = (launch, read, write);
        profile.sinks[SinkKind::Reduce as usize].launch = (reduce_launch - launch).max(0.0);
        for kernel in others.iter().filter(|kernel| kernel.source.class.is_none()) {
            let (sink_launch, times) = self.byte_times(kernel, sizes(self.sampler.bytes_max).step_by(2))?;
            let times = times.points().map(|(bytes, each)| {
                let copy = (profile.read.each(bytes) + profile.write.each(bytes)) / 2.0;
                (bytes, each / copy)
            });
            let (times, cost) = (Curve::new(times), &mut profile.sinks[kernel.source.sink as usize]);
            (cost.launch, cost.times) = ((sink_launch - launch).max(0.0), times);
        }
        Ok(reduce_launch)
    }

    /// The nanoseconds of a launch over one row, and those that a byte takes beyond it, by the bytes of the working set. No run
    /// takes much longer than a slice.
    fn byte_times(&mut self, kernel: &LoadedKernel, sizes: impl Iterator<Item = usize>) -> Result<(f64, Curve)> {
        let (sampler, columns) = (self.sampler, if kernel.source.sink == SinkKind::Reduce { 1 } else { 2 });
        let launch = sampler.measure(|| self.run(kernel, 0..VALUE_BYTES))?;
        let mut part_max = usize::MAX;
        let times = unit_times(sizes, launch, |bytes| {
            let (whole, part) = (bytes / columns, part_max.min(bytes / columns));
            let nanoseconds = sampler.measure_parts(whole, part, |part| self.run(kernel, part))?;
            if nanoseconds * SIZE_STEP as f64 > SLICE_TIME_MAX.as_nanos() as f64 {
                part_max = part;
            }
            // A launch that was slow when it was measured alone must not make the work negative.
            Ok(launch + (nanoseconds - launch).max(0.0) * (whole / part) as f64)
        })?;
        Ok((launch, times))
    }

    /// Measures copies in both directions, from pageable and from page-locked memory, unless the device works in host
    /// memory. One that gains nothing from page-locked memory gets no curves for it.
    pub(super) fn measure_link(&self, profile: &mut Profile) -> Result<()> {
        let ScratchColumns::Device { input: buffer, .. } = &self.columns else { return Ok(()) };
        let (device, stream, bytes_max) =
            (self.sampler.device, self.stream, COPY_BYTES_MAX.min(self.sampler.bytes_max));
        let copy_out = |memory: &mut [u8]| -> Result<()> {
            Ok(device.download(stream, buffer.range(0..memory.len()), memory, TIMEOUT)?)
        };
        let copy_in = |memory: &mut [u8]| {
            device.upload(stream, memory, buffer.range(0..memory.len()))?;
            // The call may return before a copy in ends; a copy out behind it ends later.
            copy_out(&mut [0; TINY_BYTES])
        };
        let mut pageable = HostBuffer::try_zeroed(PAGEABLE_COPIES * bytes_max)?;
        fill_host(self.sampler, &mut pageable)?;
        let tiny = &mut pageable[..TINY_BYTES];
        let [start_in, start_out] = [self.sampler.measure(|| copy_in(tiny))?, self.sampler.measure(|| copy_out(tiny))?];
        let curves = |memory: &mut [u8]| -> Result<[Curve; 2]> {
            let (sampler, whole) = (self.sampler, memory.len());
            let curve_in = unit_times(sizes(whole.min(bytes_max)), start_in, |bytes| {
                sampler.measure_parts(whole, bytes, |part| copy_in(&mut memory[part]))
            })?;
            let curve_out = unit_times(sizes(whole.min(bytes_max)), start_out, |bytes| {
                sampler.measure_parts(whole, bytes, |part| copy_out(&mut memory[part]))
            })?;
            Ok([curve_in, curve_out])
        };
        [profile.copy_in.pageable, profile.copy_out.pageable] = curves(&mut pageable)?;
        // A measured copy in is followed by a copy out.
        profile.copy_start = start_in.max(start_out) / 2.0;
        profile.memory = device.memory().total;
        let locked = PageLocked::new(device.clone(), bytes_max / LOCKED_DIVISOR).ok();
        let locked = locked.filter(|memory| device.copies_directly(memory));
        let locked = locked.map_or_else(|| Ok(Default::default()), |mut memory| curves(&mut memory));
        [profile.copy_in.locked, profile.copy_out.locked] = locked?;
        Ok(())
    }

    /// Measures every class that has a kernel, over more and more rows up to a run of about a slice. `launch`: the nanoseconds
    /// of a launch that reduces.
    pub(super) fn measure_operations(&mut self, profile: &mut Profile, launch: f64) -> Result<()> {
        let (sampler, mut measured, mut longest_row) = (self.sampler, [0.0; CLASSES], 0.0);
        for kernel in self.kernels {
            let Some(class) = kernel.source.class else { continue };
            let (rows_max, last) = (sampler.bytes_max / VALUE_BYTES, Cell::new(0.0));
            let is_short = |rows: &usize| *rows <= rows_max && last.get() <= SLICE_TIME_MAX.as_nanos() as f64 / 2.0;
            let rows = std::iter::successors(Some(ROWS_FIRST), |rows| rows.checked_mul(2)).take_while(is_short);
            let times = unit_times(rows, launch, |rows| {
                last.set(sampler.measure(|| self.run(kernel, 0..rows * VALUE_BYTES))?);
                Ok(last.get())
            })?;
            let Some((_, row)) = times.points().last() else { continue };
            // The operations of classes that were measured before take their time; the others count as the kernel's own.
            let operations = kernel.source.operations().into_iter().zip(measured);
            let others: f64 = operations.clone().map(|(count, each)| count * each).sum();
            let own: f64 = operations.filter(|(_, each)| *each == 0.0).map(|(count, _)| count).sum();
            let each = (row - others).max(row * OWN_PART_MIN) / own;
            (measured[class as usize], profile.operations[class as usize]) = (each, each);
            // The kernel that takes longest per row is least affected by anything else.
            if row > longest_row {
                longest_row = row;
                profile.ramp = Curve::new(times.points().map(|(rows, each)| (rows * row, (each / row).max(1.0))));
            }
        }
        profile.operations[OpClass::Multiply as usize] = profile.operations[OpClass::Simple as usize];
        Ok(())
    }
}
