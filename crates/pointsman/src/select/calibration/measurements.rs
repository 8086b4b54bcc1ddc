//! The measurements of a [`Benchmark`]: a launch and memory bandwidth, copies between the host and the device, and
//! operations by class. Each fills its part of a profile, and leaves the guesses where the device has no kernel.

use super::benchmark::{Benchmark, LoadedKernel, ScratchColumns, TIMEOUT, TINY_BYTES, filled};
use super::kernels::{KernelWork, VALUE_BYTES, operations};
use super::sampler::{SLICE_TIME_MAX, unit_times};
use crate::error::{Error, Result};
use crate::select::estimator::{Curve, Profile, SPREAD_MEASURED};
use pointsman_device::PageLocked;
use pointsman_ir::op::OpClass;
use std::cell::Cell;

/// The smallest working set or copy, and how many times as large each is as the one before it.
const BYTES_FIRST: usize = 16 << 10;
const SIZE_STEP: usize = 4;
/// Writing a byte takes at least this many times as long as reading one: less is noise.
const WRITE_TIMES_MIN: f64 = 0.4;
/// The largest copy between the host and a device: with CUDA, copies of more than 32 MiB have several times the
/// bandwidth of copies of 16 MiB.
const COPY_BYTES_MAX: usize = 64 << 20;
/// Pageable host memory that copies pass through, in copies of the largest size: more than most caches hold.
/// Page-locked memory is one copy divided by `LOCKED_DIVISOR`: its copies run at the speed of the link, and locking
/// memory is slow.
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
    /// The profile of the device.
    pub(super) fn measure(&mut self) -> Result<Profile> {
        let info = self.sampler.device.info();
        let mut profile = Profile::guess(info.kind, info.units);
        self.measure_memory(&mut profile)?;
        self.measure_link(&mut profile)?;
        self.measure_operations(&mut profile)?;
        self.measure_tables(&mut profile)?;
        profile.compile = self.kernels.first().map_or(0, |kernel| kernel.compile.as_nanos()).max(1) as f64;
        Ok(Profile { spread: SPREAD_MEASURED, measured: true, ..profile })
    }

    /// Measures a launch, and read and write bandwidth.
    fn measure_memory(&mut self, profile: &mut Profile) -> Result<()> {
        let [sum, copy, ..] = self.kernels else { return Err(Error::internal("sum or copy is not loaded")) };
        let (launch, read) = self.byte_times(sum, 1)?;
        let (_, copied) = self.byte_times(copy, 2)?;
        let write = Curve::new(copied.points().map(|(bytes, each)| {
            // A copy reads one half of its bytes and writes the other.
            let reading = read.each(bytes);
            (bytes, (2.0 * each - reading).max(reading * WRITE_TIMES_MIN))
        }));
        if write.is_empty() {
            return Err(Error::internal("the clock stands still while it works"));
        }
        (profile.launch, profile.read, profile.write) = (launch, read, write);
        Ok(())
    }

    /// The nanoseconds of a launch over one row, and those that a byte takes beyond it, by the bytes of the working
    /// set, which `columns` columns share. No run takes much longer than a slice.
    fn byte_times(&mut self, kernel: &LoadedKernel, columns: usize) -> Result<(f64, Curve)> {
        let sampler = self.sampler;
        let launch = sampler.measure(|| self.run(kernel, 0..VALUE_BYTES))?;
        let mut part_max = usize::MAX;
        let times = unit_times(sizes(sampler.bytes_max), launch, |bytes| {
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
    fn measure_link(&self, profile: &mut Profile) -> Result<()> {
        let ScratchColumns::Device { input: buffer, .. } = &self.columns else { return Ok(()) };
        let (sampler, device, stream) = (self.sampler, self.sampler.device, self.stream);
        let copy_out = |memory: &mut [u8]| -> Result<()> {
            Ok(device.download(stream, buffer.range(0..memory.len()), memory, TIMEOUT)?)
        };
        let copy_in = |memory: &mut [u8]| {
            device.upload(stream, memory, buffer.range(0..memory.len()))?;
            // The call may return before a copy in ends; a copy out after it ends later.
            copy_out(&mut [0; TINY_BYTES])
        };
        let bytes_max = COPY_BYTES_MAX.min(sampler.bytes_max);
        let curve = |memory: &mut [u8], copy: &dyn Fn(&mut [u8]) -> Result<()>| -> Result<(f64, Curve)> {
            let (start, whole) = (sampler.measure(|| copy(&mut memory[..TINY_BYTES]))?, memory.len());
            let times = unit_times(sizes(whole.min(bytes_max)), start, |bytes| {
                sampler.measure_parts(whole, bytes, |part| copy(&mut memory[part]))
            })?;
            Ok((start, times))
        };
        let mut pageable = filled(sampler, PAGEABLE_COPIES * bytes_max)?;
        let (start_in, start_out);
        (start_in, profile.copy_in.pageable) = curve(&mut pageable, &copy_in)?;
        (start_out, profile.copy_out.pageable) = curve(&mut pageable, &copy_out)?;
        // A measured copy in is followed by a copy out.
        profile.copy_start = start_in.max(start_out) / 2.0;
        (profile.copy_in.locked, profile.copy_out.locked) = Default::default();
        let locked = PageLocked::new(device.clone(), bytes_max / LOCKED_DIVISOR).ok();
        if let Some(mut memory) = locked.filter(|memory| device.copies_directly(memory)) {
            profile.copy_in.locked = curve(&mut memory, &copy_in)?.1;
            profile.copy_out.locked = curve(&mut memory, &copy_out)?.1;
        }
        Ok(())
    }

    /// Measures every class that has a kernel, over more and more rows up to a run of about a slice.
    fn measure_operations(&mut self, profile: &mut Profile) -> Result<()> {
        let (sampler, rows_max) = (self.sampler, self.sampler.bytes_max / VALUE_BYTES);
        let (mut simple, mut longest_row): (Option<f64>, f64) = (None, 0.0);
        for kernel in self.kernels {
            let KernelWork::Compute(class) = kernel.work else { continue };
            let last = Cell::new(0.0);
            let is_short = |rows: &usize| *rows <= rows_max && last.get() <= SLICE_TIME_MAX.as_nanos() as f64 / 2.0;
            let rows = std::iter::successors(Some(ROWS_FIRST), |rows| rows.checked_mul(2)).take_while(is_short);
            let times = unit_times(rows, profile.launch, |rows| {
                last.set(sampler.measure(|| self.run(kernel, 0..rows * VALUE_BYTES))?);
                Ok(last.get())
            })?;
            let Some((_, row)) = times.points().last() else { continue };
            let (own, others) = operations(&kernel.kernel, class);
            // Other operations are mostly simple; as long as those are unknown, they count as the kernel's own.
            profile.operations[class as usize] = match simple {
                Some(simple) => (row - others * simple).max(row * OWN_PART_MIN) / own,
                None => row / (own + others),
            };
            // The kernel that takes longest per row is least affected by anything else.
            if row > longest_row {
                longest_row = row;
                profile.ramp = Curve::new(times.points().map(|(rows, each)| (rows * row, (each / row).max(1.0))));
            }
            simple = simple.or((class == OpClass::Simple).then_some(profile.operations[class as usize]));
        }
        profile.operations[OpClass::Multiply as usize] = profile.operations[OpClass::Simple as usize];
        Ok(())
    }
}
