//! Measures launch times and memory bandwidth: each sink over one row, and over working sets of growing size.

use super::benchmark::{Benchmark, LoadedKernel};
use super::kernels::VALUE_BYTES;
use super::sampler::{SampledTime, Sampler, byte_times};
use crate::error::Result;
use crate::select::estimator::{Curve, Profile, SinkKind};

/// Each working set is this many times as large as the one before it.
const SIZE_STEP: usize = 4;
/// The bytes that are read to bring a device to its full clock rate.
const WARM_UP_BYTES: usize = 16 << 20;
/// Writing a byte takes this many times as long as reading one, at least and at most: the rest is noise.
const WRITE_TIMES: (f64, f64) = (0.4, 3.0);
/// A sink takes this many times as long as a copy of the same bytes, at least and at most: the rest is noise.
const SINK_TIMES: (f64, f64) = (0.5, 256.0);

impl Benchmark<'_> {
    /// Measures launches, read and write bandwidth, and the other sinks. Returns `false` if nothing was measured: the
    /// time was over, or the clock stood still.
    pub(super) fn measure_memory(&mut self, profile: &mut Profile) -> Result<bool> {
        let ([sum, copy, others @ ..], bytes) = (self.kernels, self.bytes.min(WARM_UP_BYTES)) else { return Ok(false) };
        self.sampler.warm_up(|| self.run(sum, 0, bytes / VALUE_BYTES))?;
        let launches = (self.launch(copy)?, self.launch(sum)?);
        let (Some(launch), Some(reduce_launch)) = launches else { return Ok(false) };
        if launch <= 0.0 {
            return Ok(false);
        }
        let step = |bytes: &usize| bytes.checked_mul(SIZE_STEP);
        let sizes = std::iter::successors(Some(self.sampler.limits.bytes_min), step);
        let sizes: Vec<usize> = sizes.take_while(|bytes| *bytes <= self.bytes).collect();
        let read = Curve::new(self.nanoseconds_per_byte(sum, &sizes, reduce_launch)?);
        let copied = self.nanoseconds_per_byte(copy, &sizes, launch)?;
        if read.is_empty() {
            return Ok(false);
        }
        let write = Curve::new(copied.into_iter().map(|(bytes, each)| {
            // A copy reads one half of its bytes and writes the other.
            let reading = read.each(bytes);
            (bytes, (2.0 * each - reading).clamp(reading * WRITE_TIMES.0, reading * WRITE_TIMES.1))
        }));
        (profile.launch, profile.write) = (launch, if write.is_empty() { read.clone() } else { write });
        profile.read = read;
        profile.sinks[SinkKind::Reduce as usize].launch = (reduce_launch - launch).max(0.0);
        self.reduce_launch = reduce_launch;
        for kernel in others.iter().filter(|kernel| kernel.source.class.is_none()) {
            self.measure_sink(kernel, &sizes, profile)?;
        }
        Ok(true)
    }

    /// Measures how much longer a sink takes than a copy, over every other size.
    fn measure_sink(&mut self, kernel: &LoadedKernel, sizes: &[usize], profile: &mut Profile) -> Result<()> {
        let Some(launch) = self.launch(kernel)? else { return Ok(()) };
        let sizes: Vec<usize> = sizes.iter().copied().step_by(2).collect();
        let times = self.nanoseconds_per_byte(kernel, &sizes, launch)?.into_iter().map(|(bytes, each)| {
            let copy = (profile.read.each(bytes) + profile.write.each(bytes)) / 2.0;
            (bytes, (each / copy).clamp(SINK_TIMES.0, SINK_TIMES.1))
        });
        let (times, cost) = (Curve::new(times), &mut profile.sinks[kernel.source.sink as usize]);
        (cost.launch, cost.times) = ((launch - profile.launch).max(0.0), times);
        Ok(())
    }

    /// The time of a launch over one row.
    fn launch(&mut self, kernel: &LoadedKernel) -> Result<Option<f64>> {
        Ok(self.time(kernel, VALUE_BYTES, VALUE_BYTES)?.map(|time| time.median))
    }

    /// The nanoseconds that a byte takes beyond the launch, by the bytes of the working set.
    fn nanoseconds_per_byte(&mut self, kernel: &LoadedKernel, sizes: &[usize], launch: f64) -> Result<Vec<(f64, f64)>> {
        let columns = if kernel.source.sink == SinkKind::Reduce { 1 } else { 2 };
        let mut window_max = usize::MAX;
        byte_times(sizes.iter().copied(), launch, |bytes| {
            let range = bytes / columns;
            let window = range.min(window_max);
            let Some(SampledTime { least, .. }) = self.time(kernel, range, window)? else { return Ok(None) };
            window_max = Sampler::bytes_per_slice((least - launch) / window as f64).max(window);
            Ok(Some((window * columns, least)))
        })
    }

    /// The time of a kernel over `window` bytes of a column. Each run continues where the one before it ended, within
    /// the first `range` bytes: so all of them pass through the caches although no run takes longer than a slice.
    fn time(&mut self, kernel: &LoadedKernel, range: usize, window: usize) -> Result<Option<SampledTime>> {
        let mut start = 0;
        self.sampler.measure(|| {
            let from = start;
            start = (start + window) % range;
            self.run(kernel, from, window / VALUE_BYTES)
        })
    }
}
