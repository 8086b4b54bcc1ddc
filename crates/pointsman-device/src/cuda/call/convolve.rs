//! Convolutions by transforms of cuFFT: the channels and the weights are placed into planes of a length that transforms
//! are fast for, multiplied as spectra, and the results are taken from the planes.

use super::CallShared;
use super::lines::{LineCopies, MultiplySpectra, PlacePlanes, TakePlanes};
use super::slices::{self, Slices};
use super::transform::{FftPlans, PlanKind, WorkArea};
use crate::call_kernels::NotPlanned;
use crate::cuda::memory::Block;
use crate::cuda::stream::Stream;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::kernel::call::{Convolve, Direction};
use std::sync::Arc;

/// The most floats of the planes that are transformed at once: more chunks are convolved one group after another.
const PLANE_FLOATS_MAX: u64 = 1 << 28;

/// The most numbers of all planes of a chunk, or of all weights: their spectra would take half a TiB.
const NUMBERS_MAX: u64 = 1 << 36;

/// Whether the planes of a convolution are of a size that a card may have memory for.
pub(super) fn supports(convolve: &Convolve) -> DeviceResult<()> {
    let plane = (0..2).try_fold(1u64, |plane, side| {
        let [before, after] = convolve.padding[side];
        plane.checked_mul(convolve.input[side].checked_add(before)?.checked_add(after)?)
    });
    let pairs = convolve.channels_in.checked_mul(convolve.channels_out);
    match plane.zip(pairs).and_then(|(plane, pairs)| plane.checked_mul(pairs)) {
        Some(numbers) if numbers <= NUMBERS_MAX => Ok(()),
        Some(_) | None => Err(DeviceError::unsupported(format!(
            "{}: transforms of more than 2^36 numbers ({convolve})",
            NotPlanned::PREFIX
        ))),
    }
}

/// A convolution by transforms that is ready to run.
pub(super) struct ConvolveProgram {
    convolve: Convolve,
    /// Height and width of the transformed planes.
    whole: [u64; 2],
    forward: FftPlans,
    inverse: FftPlans,
}

/// The smallest product of 2, 3, 5 and 7 that is not less: transforms of such lengths are fast.
fn fast_length(length: u64) -> u64 {
    let is_fast = |length: &u64| {
        let mut rest = *length;
        for factor in [2, 3, 5, 7] {
            while rest.is_multiple_of(factor) {
                rest /= factor;
            }
        }
        rest == 1
    };
    (length.max(1)..).find(is_fast).unwrap_or(length)
}

impl ConvolveProgram {
    pub(super) fn new(convolve: &Convolve, is_f64: bool) -> ConvolveProgram {
        // A circular correlation of this length is the plain one wherever the weights lie within the padded channel.
        let whole = std::array::from_fn(|side| {
            let [before, after] = convolve.padding[side];
            fast_length(convolve.input[side] + before + after)
        });
        let [forward, inverse] =
            [PlanKind::RealForward, PlanKind::RealInverse].map(|kind| FftPlans::new(kind, whole, is_f64));
        ConvolveProgram { convolve: *convolve, whole, forward, inverse }
    }

    /// Queues the convolutions of all chunks.
    pub(super) fn run(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        lines: &LineCopies,
        chunks: u64,
        [from, weights, to]: [u64; 3],
    ) -> DeviceResult<()> {
        let Convolve { channels_in, channels_out, input, .. } = self.convolve;
        let mut slices = Slices::new(shared, stream);
        let (of_chunk, group) = (self.operations(), self.group(slices.operations(), chunks));
        let scratch = PlaneMemory::new(self, shared, stream, group)?;
        let mut area = WorkArea::new(shared, stream);
        // The largest plans first, so that all of them work in one area.
        for (plans, batch) in self.batches(group) {
            area.grow(plans.prepare(shared, batch)?)?;
        }
        self.transform_weights(&mut area, lines, &scratch, weights, &mut slices)?;
        let [rows_in, rows_out] =
            [channels_in * input[0] * input[1], channels_out * self.convolve.output().iter().product::<u64>()];
        for first in (0..chunks).step_by(group as usize) {
            let group = group.min(chunks - first);
            let [from, to] =
                [(from, rows_in), (to, rows_out)].map(|(base, rows)| base + first * rows * shared.float_bytes);
            self.run_group(&mut area, lines, &scratch, group, [from, to])?;
            slices.queued(group as f64 * of_chunk)?;
        }
        scratch.used_by(stream);
        Ok(())
    }

    /// Additions and multiplications of a chunk.
    fn operations(&self) -> f64 {
        let Convolve { channels_in, channels_out, .. } = self.convolve;
        let products = 8.0 * channels_in as f64 * channels_out as f64 * self.spectrum() as f64;
        (channels_in + channels_out) as f64 * self.transform_operations() + products
    }

    /// The chunks that are convolved at once, where a slice has at most this many operations.
    fn group(&self, operations_max: f64, chunks: u64) -> u64 {
        let planes = self.convolve.channels_in.max(self.convolve.channels_out);
        let by_memory = PLANE_FLOATS_MAX / (planes * self.plane());
        by_memory.min((operations_max / self.operations()) as u64).clamp(1, chunks)
    }

    /// The plans of a launch with their largest numbers of transforms.
    fn batches(&self, group: u64) -> [(&FftPlans, u64); 3] {
        let Convolve { channels_in, channels_out, .. } = self.convolve;
        let weights = (channels_in * channels_out).min(group * channels_in.max(channels_out));
        [(&self.forward, weights), (&self.forward, group * channels_in), (&self.inverse, group * channels_out)]
    }

    /// The floats of the planes, of the spectra of the inputs, the results (0 if they take the place of the inputs) and
    /// the weights.
    fn scratch_floats(&self, group: u64) -> [u64; 4] {
        let Convolve { channels_in, channels_out, .. } = self.convolve;
        let has_results = channels_in != 1 || channels_out != 1;
        let planes = (group * channels_in.max(channels_out)).saturating_mul(self.plane());
        let spectra =
            [group * channels_in, if has_results { group * channels_out } else { 0 }, channels_in * channels_out];
        let [inputs, results, weights] = spectra.map(|count| count.saturating_mul(self.spectrum() * 2));
        [planes, inputs, results, weights]
    }

    /// The memory that a launch over this many chunks takes at most, by block.
    pub(super) fn scratch_bytes(&self, multiprocessors: u32, chunks: u64, float_bytes: u64) -> Vec<u64> {
        let group = self.group(slices::operations_max(multiprocessors), chunks);
        let work = self.batches(group).into_iter().map(|(plans, batch)| plans.work_bytes_max(batch)).max();
        let floats = self.scratch_floats(group).map(|floats| floats.saturating_mul(float_bytes));
        floats.into_iter().chain(work).collect()
    }

    /// The numbers of a plane.
    fn plane(&self) -> u64 {
        self.whole[0] * self.whole[1]
    }

    /// Additions and multiplications of the real transform of a plane.
    fn transform_operations(&self) -> f64 {
        2.5 * self.plane() as f64 * (self.plane().max(2) as f64).log2()
    }

    /// The complex numbers of a plane's spectrum.
    fn spectrum(&self) -> u64 {
        self.whole[0] * (self.whole[1] / 2 + 1)
    }

    fn transform_weights(
        &self,
        area: &mut WorkArea<'_>,
        lines: &LineCopies,
        scratch: &PlaneMemory,
        weights: u64,
        slices: &mut Slices<'_>,
    ) -> DeviceResult<()> {
        let (shared, stream) = (area.shared, area.stream);
        let Convolve { direction, weights: size, channels_in, channels_out, .. } = self.convolve;
        let (planes, is_turned) = (channels_in * channels_out, direction == Direction::Convolution);
        let place = |from, to| PlacePlanes { from, size, before: [0, 0], is_turned, to, whole: self.whole };
        // As many pairs of channels at a time as the planes have room for.
        let at_once = scratch.planes.min(planes);
        for first in (0..planes).step_by(at_once as usize) {
            let count = at_once.min(planes - first);
            let from = weights + first * size[0] * size[1] * shared.float_bytes;
            lines.place(shared, stream, place(from, scratch.real.address()), count)?;
            let to = scratch.weights.address() + first * self.spectrum() * 2 * shared.float_bytes;
            self.forward.run(area, count, scratch.real.address(), to)?;
            slices.queued(count as f64 * self.transform_operations())?;
        }
        Ok(())
    }

    fn run_group(
        &self,
        area: &mut WorkArea<'_>,
        lines: &LineCopies,
        scratch: &PlaneMemory,
        chunks: u64,
        [from, to]: [u64; 2],
    ) -> DeviceResult<()> {
        let (shared, stream) = (area.shared, area.stream);
        let Convolve { channels_in, channels_out, input, padding, stride, .. } = self.convolve;
        let before = padding.map(|[before, _]| before);
        let (real, whole) = (scratch.real.address(), self.whole);
        let place = PlacePlanes { from, size: input, before, is_turned: false, to: real, whole };
        lines.place(shared, stream, place, chunks * channels_in)?;
        let inputs = scratch.inputs.address();
        self.forward.run(area, chunks * channels_in, real, inputs)?;
        let results = scratch.results.as_ref().map_or(inputs, Block::address);
        let product = MultiplySpectra {
            inputs,
            weights: scratch.weights.address(),
            results,
            channels: [channels_in, channels_out],
            numbers: self.spectrum(),
            scale: 1.0 / self.plane() as f64,
        };
        lines.multiply(shared, stream, product, chunks)?;
        self.inverse.run(area, chunks * channels_out, results, real)?;
        let take = TakePlanes { from: real, whole, step: stride, to, size: self.convolve.output() };
        lines.take(shared, stream, take, chunks * channels_out)
    }
}

/// The memory of a launch.
struct PlaneMemory {
    /// Planes of numbers: of the inputs, then of the results.
    real: Block,
    /// How many of them there is room for.
    planes: u64,
    /// The spectra of the inputs.
    inputs: Block,
    /// The spectra of the results; `None` if they overwrite the spectra of the inputs.
    results: Option<Block>,
    /// The spectra of the weights.
    weights: Block,
}

impl PlaneMemory {
    fn new(
        program: &ConvolveProgram,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        group: u64,
    ) -> DeviceResult<PlaneMemory> {
        let Convolve { channels_in, channels_out, .. } = program.convolve;
        let block = |floats: u64| shared.memory.scratch(floats.saturating_mul(shared.float_bytes));
        let [planes, inputs, results, weights] = program.scratch_floats(group);
        let scratch = PlaneMemory {
            real: block(planes)?,
            planes: group * channels_in.max(channels_out),
            inputs: block(inputs)?,
            results: (results > 0).then(|| block(results)).transpose()?,
            weights: block(weights)?,
        };
        scratch.used_by(stream);
        Ok(scratch)
    }

    fn used_by(&self, stream: &Arc<Stream>) {
        let blocks = [&self.real, &self.inputs, &self.weights];
        blocks.into_iter().chain(&self.results).for_each(|block| block.used_by(stream));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_products_of_small_primes() {
        for (length, fast) in [(0, 1), (1, 1), (11, 12), (97, 98), (1000, 1000), (2_097_151, 1 << 21), (65_537, 65_610)]
        {
            assert_eq!(fast_length(length), fast, "{length}");
        }
    }
}
