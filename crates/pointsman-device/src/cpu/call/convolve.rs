//! Convolutions of all chunks: by their sum, or by Fourier transforms.

mod kernel;
mod sum;
mod transform;

use super::Float;
use super::memory::{NoMemory, ScratchMemory};
use super::threads::CallThreads;
use pointsman_ir::kernel::call::{Convolve, Direction, Method};
use sum::SumPlan;
use transform::TransformPlan;

/// A prepared convolution.
pub(super) enum ConvolvePlan<T: Float> {
    Sum(SumPlan),
    Transform(TransformPlan<T>),
}

impl<T: Float> ConvolvePlan<T> {
    pub(super) fn new(call: &Convolve) -> Result<ConvolvePlan<T>, NoMemory> {
        let sizes = Sizes::new(call);
        Ok(match call.method {
            Method::Sum => ConvolvePlan::Sum(SumPlan::new::<T>(sizes)),
            Method::Transform => ConvolvePlan::Transform(TransformPlan::new(call, sizes)?),
        })
    }

    pub(super) fn scratch_bytes(&self, threads: usize) -> u64 {
        match self {
            ConvolvePlan::Sum(plan) => plan.scratch_bytes::<T>(threads),
            ConvolvePlan::Transform(plan) => plan.scratch_bytes(threads),
        }
    }

    pub(super) fn table_bytes(&self) -> u64 {
        match self {
            ConvolvePlan::Sum(_) => 0,
            ConvolvePlan::Transform(plan) => plan.table_bytes(),
        }
    }

    pub(super) fn run(
        &self,
        input: &[T],
        weights: &[T],
        output: &mut [T],
        scratch: &mut ScratchMemory<'_>,
        threads: &CallThreads<'_>,
    ) -> Result<(), NoMemory> {
        match self {
            ConvolvePlan::Sum(plan) => plan.run(input, weights, output, scratch, threads),
            ConvolvePlan::Transform(plan) => plan.run(input, weights, output, scratch, threads),
        }
    }
}

/// The sizes of a convolution. Pairs are of rows and columns.
#[derive(Clone, Copy)]
struct Sizes {
    direction: Direction,
    channels_in: usize,
    channels_out: usize,
    input: [usize; 2],
    weights: [usize; 2],
    /// Zeros before the rows and the columns of the input.
    before: [usize; 2],
    /// The input with its zeros.
    padded: [usize; 2],
    stride: [usize; 2],
    output: [usize; 2],
}

impl Sizes {
    fn new(call: &Convolve) -> Sizes {
        let Convolve { direction, input, weights, padding, stride, .. } = *call;
        Sizes {
            direction,
            channels_in: call.channels_in as usize,
            channels_out: call.channels_out as usize,
            input: input.map(|size| size as usize),
            weights: weights.map(|size| size as usize),
            before: padding.map(|[before, _]| before as usize),
            padded: [0, 1].map(|side: usize| (input[side] + padding[side][0] + padding[side][1]) as usize),
            stride: stride.map(|size| size as usize),
            output: call.output().map(|size| size as usize),
        }
    }

    fn input_channel(&self) -> usize {
        self.input[0] * self.input[1]
    }

    fn chunk(&self) -> usize {
        self.channels_in * self.input_channel()
    }

    fn output_channel(&self) -> usize {
        self.output[0] * self.output[1]
    }

    fn result(&self) -> usize {
        self.channels_out * self.output_channel()
    }

    /// Whether there are zeros around the input.
    fn is_padded(&self) -> bool {
        self.padded != self.input
    }

    /// The place of the weight for the number at this row and column.
    fn weight(&self, channel_out: usize, channel_in: usize, [row, column]: [usize; 2]) -> usize {
        let area = self.weights[0] * self.weights[1];
        let place = row * self.weights[1] + column;
        let place = match self.direction {
            Direction::Correlation => place,
            Direction::Convolution => area - 1 - place,
        };
        (channel_out * self.channels_in + channel_in) * area + place
    }

    /// Fills a slice with the numbers of a channel from a row and column of the padded input on; zeros outside.
    fn read_row<T: Float>(&self, channel: &[T], [row, column]: [usize; 2], into: &mut [T]) {
        let width = self.input[1];
        let row = row.checked_sub(self.before[0]).filter(|&row| row < self.input[0]);
        let row = row.map_or(&[][..], |row| &channel[row * width..(row + 1) * width]);
        let zeros = self.before[1].saturating_sub(column).min(into.len());
        let there = row.get((column + zeros).saturating_sub(self.before[1])..).unwrap_or(&[]);
        let count = there.len().min(into.len() - zeros);
        into[..zeros].fill(T::zero());
        into[zeros..zeros + count].copy_from_slice(&there[..count]);
        into[zeros + count..].fill(T::zero());
    }
}
