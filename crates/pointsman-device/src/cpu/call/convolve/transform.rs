//! Convolutions by Fourier transforms: blocks of the input that overlap by the length of the weights ("overlap-save").
//!
//! The padded rows of a channel, one after the other, form one signal. The rows of the weights, at the same distance from each
//! other, form one filter. The correlation of both contains every result. Two kinds of its numbers are dropped: those at the
//! ends of rows, where the filter reaches into the next row, and those between the places that a stride larger than 1 selects.
//! Since the weights are real, a complex transform convolves two blocks of a chunk at once, one as its real part and one as
//! its imaginary part.

use super::super::Float;
use super::super::fft::long::{Long, LongScratch, SHORT_MAX};
use super::super::memory::{NoMemory, ScratchMemory, SharedSlice};
use super::super::threads::{CallThreads, Ended, PerThread};
use super::super::vectors::vectorized;
use super::Sizes;
use num_complex::Complex;
use pointsman_ir::kernel::call::{Convolve, ConvolveBlocks};
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// Signals of at least this length fit no memory.
const SIGNAL_MAX: u64 = 1 << 44;

/// A prepared convolution by transforms.
pub(in super::super) struct TransformPlan<T: Float> {
    sizes: Sizes,
    signal: Signal,
    transform: BlockTransform<T>,
}

/// The sizes of signals and blocks: those of [`ConvolveBlocks`].
#[derive(Clone, Copy)]
struct Signal {
    filter: usize,
    places: usize,
    length: usize,
    pairs: usize,
    step: usize,
}

impl Signal {
    fn new(call: &Convolve) -> Result<Signal, NoMemory> {
        let blocks = call.blocks();
        if blocks.length >= SIGNAL_MAX {
            return Err(NoMemory);
        }
        let ConvolveBlocks { filter, places, length, pairs } = blocks;
        let [filter, places, length, pairs, step] =
            [filter, places, length, pairs, blocks.step()].map(|size| size as usize);
        Ok(Signal { filter, places, length, pairs, step })
    }

    /// The first places of a pair's blocks.
    fn starts(&self, pair: usize) -> [usize; 2] {
        [2 * pair * self.step, (2 * pair + 1) * self.step]
    }
}

/// The transforms of a block, forward and back.
enum BlockTransform<T: Float> {
    /// A thread transforms a pair of blocks.
    Short([Arc<dyn rustfft::Fft<T>>; 2]),
    /// All threads transform a pair of blocks together.
    Long(Box<[Long<T>; 2]>),
}

impl<T: Float> TransformPlan<T> {
    pub(super) fn new(call: &Convolve, sizes: Sizes) -> Result<TransformPlan<T>, NoMemory> {
        let signal = Signal::new(call)?;
        let mut planner = FftPlanner::new();
        let length = signal.length;
        let transform = if length <= SHORT_MAX {
            BlockTransform::Short([planner.plan_fft_forward(length), planner.plan_fft_inverse(length)])
        } else {
            BlockTransform::Long(Box::new([
                Long::new(length, FftDirection::Forward, 1.0, &mut planner)?,
                Long::new(length, FftDirection::Inverse, 1.0, &mut planner)?,
            ]))
        };
        Ok(TransformPlan { sizes, signal, transform })
    }

    pub(super) fn table_bytes(&self) -> u64 {
        match &self.transform {
            BlockTransform::Short(_) => 0,
            BlockTransform::Long(transforms) => transforms.iter().map(Long::table_bytes).sum(),
        }
    }

    /// The numbers of the spectra of all weights.
    fn filters(&self) -> usize {
        self.sizes.channels_out.saturating_mul(self.sizes.channels_in).saturating_mul(self.signal.length)
    }

    /// The numbers of the spectra of all channels of a pair of blocks.
    fn spectra(&self) -> usize {
        self.sizes.channels_in.saturating_mul(self.signal.length)
    }

    pub(super) fn scratch_bytes(&self, threads: usize) -> u64 {
        let threads = threads.max(1);
        let spectra = match &self.transform {
            BlockTransform::Short(transforms) => {
                let numbers = [self.spectra(), self.signal.length, library_scratch(transforms)];
                let thread = numbers
                    .map(ScratchMemory::bytes::<Complex<T>>)
                    .iter()
                    .fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
                thread.saturating_mul(threads as u64)
            }
            BlockTransform::Long(transforms) => {
                let scratch = LongScratch::<T>::bytes(threads, &[&transforms[0], &transforms[1]]);
                scratch.saturating_add(ScratchMemory::bytes::<Complex<T>>(self.spectra()))
            }
        };
        spectra.saturating_add(ScratchMemory::bytes::<Complex<T>>(self.filters()))
    }

    pub(super) fn run(
        &self,
        input: &[T],
        weights: &[T],
        output: &mut [T],
        scratch: &mut ScratchMemory<'_>,
        threads: &CallThreads<'_>,
    ) -> Result<(), NoMemory> {
        let filters = scratch.take(self.filters())?;
        let ended = match &self.transform {
            BlockTransform::Short(transforms) => {
                let output = SharedSlice::new(output);
                self.run_short(transforms, [input, weights], filters, &output, scratch, threads)
            }
            BlockTransform::Long(transforms) => {
                let spectra = scratch.take(self.spectra())?;
                let mut scratch = LongScratch::new(threads, &[&transforms[0], &transforms[1]], scratch)?;
                threads.touch(filters);
                threads.touch(spectra);
                threads.touch(output);
                let output = SharedSlice::new(output);
                self.run_long(transforms, &mut scratch, [input, weights], [filters, spectra], &output, threads)
            }
        };
        match ended {
            Err(Ended::NoMemory) => Err(NoMemory),
            // The caller asks for itself whether the call was stopped.
            Ok(()) | Err(Ended::Stopped) => Ok(()),
        }
    }

    fn run_short(
        &self,
        transforms: &[Arc<dyn rustfft::Fft<T>>; 2],
        [input, weights]: [&[T]; 2],
        filters: &mut [Complex<T>],
        output: &SharedSlice<'_, T>,
        scratch: &mut ScratchMemory<'_>,
        threads: &CallThreads<'_>,
    ) -> Result<(), Ended> {
        let length = self.signal.length;
        let channels = self.sizes.channels_in;
        let [forward, inverse] = transforms;
        let chunks = input.len() / self.sizes.chunk();
        let tasks = (channels * self.sizes.channels_out).max(chunks * self.signal.pairs);
        let states = PerThread::new(threads, tasks, || {
            Ok::<_, NoMemory>((
                scratch.take(self.spectra())?,
                scratch.take(length)?,
                scratch.take(library_scratch(transforms))?,
            ))
        })?;
        let shared = SharedSlice::new(filters);
        let count = channels * self.sizes.channels_out;
        threads.for_each(count, 0, &states, |(_, _, library), number| {
            // SAFETY: each filter belongs to one task.
            let filter = unsafe { shared.part(number * length, length) };
            self.load_filter(weights, number, 0, filter);
            forward.process_with_scratch(filter, library);
        })?;
        let filters = &*filters;
        threads.for_each(chunks * self.signal.pairs, input.len(), &states, |(spectra, results, library), number| {
            let (chunk, pair) = (number / self.signal.pairs, number % self.signal.pairs);
            for (channel, spectrum) in spectra.chunks_exact_mut(length).enumerate() {
                self.load_blocks(self.channel(input, chunk, channel), pair, 0, spectrum);
                forward.process_with_scratch(spectrum, library);
            }
            for channel_out in 0..self.sizes.channels_out {
                if channel_out > 0 && !(threads.should_continue)() {
                    return;
                }
                self.load_products(filters, spectra, channel_out, 0, results);
                inverse.process_with_scratch(results, library);
                self.store_blocks(output, [chunk, channel_out], pair, 0, results);
            }
        })?;
        Ok(())
    }

    fn run_long(
        &self,
        transforms: &[Long<T>; 2],
        scratch: &mut LongScratch<'_, T>,
        [input, weights]: [&[T]; 2],
        [filters, spectra]: [&mut [Complex<T>]; 2],
        output: &SharedSlice<'_, T>,
        threads: &CallThreads<'_>,
    ) -> Result<(), Ended> {
        let length = self.signal.length;
        let [forward, inverse] = transforms;
        for (number, filter) in filters.chunks_exact_mut(length).enumerate() {
            let load = |start: usize, values: &mut [Complex<T>]| self.load_filter(weights, number, start, values);
            forward.run(threads, scratch, load, store_spectrum(&SharedSlice::new(filter)))?;
        }
        for chunk in 0..input.len() / self.sizes.chunk() {
            for pair in 0..self.signal.pairs {
                for (channel, spectrum) in spectra.chunks_exact_mut(length).enumerate() {
                    let numbers = self.channel(input, chunk, channel);
                    let load = |start: usize, values: &mut [Complex<T>]| self.load_blocks(numbers, pair, start, values);
                    forward.run(threads, scratch, load, store_spectrum(&SharedSlice::new(spectrum)))?;
                }
                for channel_out in 0..self.sizes.channels_out {
                    let load = |start: usize, values: &mut [Complex<T>]| {
                        self.load_products(filters, spectra, channel_out, start, values);
                    };
                    let store = |start: usize, values: &[Complex<T>]| {
                        self.store_blocks(output, [chunk, channel_out], pair, start, values);
                    };
                    inverse.run(threads, scratch, load, store)?;
                }
            }
            (threads.rows_done)(self.sizes.chunk() as u64);
        }
        Ok(())
    }

    /// The row and column of a place of a signal, and how many places of its row are left. A single row has no end: this
    /// spares most convolutions of one dimension the divisions.
    #[inline(always)]
    fn position(&self, place: usize) -> ([usize; 2], usize) {
        match self.sizes.padded {
            [1, _] => ([0, place], usize::MAX),
            [_, width] => ([place / width, place % width], width - place % width),
        }
    }

    fn channel<'a>(&self, input: &'a [T], chunk: usize, channel: usize) -> &'a [T] {
        let start = chunk * self.sizes.chunk() + channel * self.sizes.input_channel();
        &input[start..start + self.sizes.input_channel()]
    }

    /// Numbers of the filter of a result channel and a channel (`number`), from `start` on, divided by the transforms' factor.
    /// The filter is reversed, as circular convolutions reverse it again.
    fn load_filter(&self, weights: &[T], number: usize, start: usize, values: &mut [Complex<T>]) {
        let scale = T::rounded(1.0 / self.signal.length as f64);
        let (channel_out, channel_in) = (number / self.sizes.channels_in, number % self.sizes.channels_in);
        for (offset, value) in values.iter_mut().enumerate() {
            let mut re = T::zero();
            if let Some(place) = (self.signal.filter - 1).checked_sub(start + offset) {
                let ([row, column], _) = self.position(place);
                if column < self.sizes.weights[1] {
                    re = weights[self.sizes.weight(channel_out, channel_in, [row, column])] * scale;
                }
            }
            *value = Complex::new(re, T::zero());
        }
    }

    /// The numbers of a signal of one row from `start` on, if all of them are of the input.
    #[inline(always)]
    fn inner_numbers<'a>(&self, channel: &'a [T], start: usize, count: usize) -> Option<&'a [T]> {
        let start = start.checked_sub(self.sizes.before[1]).filter(|_| self.sizes.padded[0] == 1)?;
        channel.get(start..start + count)
    }

    /// Numbers of a pair of blocks, from `start` on.
    #[inline(always)]
    fn load_blocks(&self, channel: &[T], pair: usize, start: usize, values: &mut [Complex<T>]) {
        let [re, im] = self.signal.starts(pair).map(|block| block + start);
        // The usual case by itself: where the length is a constant, no function is called.
        if let [Some(re), Some(im)] = [re, im].map(|start| self.inner_numbers(channel, start, values.len())) {
            for ((value, &re), &im) in values.iter_mut().zip(re).zip(im) {
                *value = Complex::new(re, im);
            }
            return;
        }
        // `values` is short in long transforms, and a whole block in short ones.
        let mut parts = [[T::zero(); 64]; 2];
        for (number, values) in values.chunks_mut(64).enumerate() {
            let [re_part, im_part] = &mut parts;
            self.read_signal(channel, re + 64 * number, &mut re_part[..values.len()]);
            self.read_signal(channel, im + 64 * number, &mut im_part[..values.len()]);
            for ((value, &re), &im) in values.iter_mut().zip(&*re_part).zip(&*im_part) {
                *value = Complex::new(re, im);
            }
        }
    }

    /// Numbers of the signal of a channel, from `start` on; zeros behind its end.
    fn read_signal(&self, channel: &[T], start: usize, into: &mut [T]) {
        let mut done = 0;
        while done < into.len() {
            let (position, left) = self.position(start + done);
            let count = left.min(into.len() - done);
            self.sizes.read_row(channel, position, &mut into[done..done + count]);
            done += count;
        }
    }

    /// Numbers of the spectrum of a result channel, from `start` on: the sum over channels of the products of the spectra of
    /// blocks and filters.
    fn load_products(
        &self,
        filters: &[Complex<T>],
        spectra: &[Complex<T>],
        channel_out: usize,
        start: usize,
        values: &mut [Complex<T>],
    ) {
        let length = self.signal.length;
        let count = values.len();
        for channel in 0..self.sizes.channels_in {
            let filter = (channel_out * self.sizes.channels_in + channel) * length + start;
            let filter = &filters[filter..filter + count];
            let spectrum = &spectra[channel * length + start..][..count];
            if channel == 0 {
                multiply(spectrum, filter, values);
            } else {
                multiply_add(spectrum, filter, values);
            }
        }
    }

    /// Stores the results of a pair of blocks from `start` on.
    #[inline(always)]
    fn store_blocks(
        &self,
        output: &SharedSlice<'_, T>,
        [chunk, channel_out]: [usize; 2],
        pair: usize,
        start: usize,
        values: &[Complex<T>],
    ) {
        // The first results of a block are circular.
        let circular = (self.signal.filter - 1).saturating_sub(start).min(values.len());
        let values = &values[circular..];
        let first = chunk * self.sizes.result() + channel_out * self.sizes.output_channel();
        let offset = start + circular - (self.signal.filter - 1).min(start + circular);
        let [re, im] = self.signal.starts(pair).map(|block| block + offset);
        self.store_places(output, first, re, values.len(), |number| values[number].re);
        self.store_places(output, first, im, values.len(), |number| values[number].im);
    }

    /// Stores `count` results of the places of a signal from `start` on, as far as they are kept. `first`: the place of the
    /// result channel in the output.
    #[inline(always)]
    fn store_places(
        &self,
        output: &SharedSlice<'_, T>,
        first: usize,
        start: usize,
        count: usize,
        value: impl Fn(usize) -> T,
    ) {
        // The usual case by itself: every place of the only row has a result.
        if self.sizes.padded[0] == 1 && self.sizes.stride[1] == 1 && start + count <= self.signal.places {
            // SAFETY: each place has one result, which one thread stores.
            let part = unsafe { output.part(first + start, count) };
            part.iter_mut().enumerate().for_each(|(number, result)| *result = value(number));
            return;
        }
        let width = self.sizes.padded[1];
        let [row_step, column_step] = self.sizes.stride;
        let end = (start + count).min(self.signal.places);
        let mut place = start;
        while place < end {
            let ([row, column], left) = self.position(place);
            let row_end = place + left.min(end - place);
            if row.is_multiple_of(row_step) && row / row_step < self.sizes.output[0] {
                let kept = column.div_ceil(column_step)
                    ..self.sizes.output[1].min((column + row_end - place).div_ceil(column_step));
                if !kept.is_empty() {
                    let part = first + row / row_step * self.sizes.output[1] + kept.start;
                    // SAFETY: each place has one result, which one thread stores.
                    let part = unsafe { output.part(part, kept.len()) };
                    for (result, column_out) in part.iter_mut().zip(kept) {
                        *result = value(row * width + column_out * column_step - start);
                    }
                }
            }
            place = row_end;
        }
    }
}

vectorized! {
    /// The products of complex numbers.
    fn multiply<T>(a: &[Complex<T>], b: &[Complex<T>], products: &mut [Complex<T>]) {
        for ((product, &a), &b) in products.iter_mut().zip(a).zip(b) {
            *product = a * b;
        }
    }
}

vectorized! {
    /// Adds the products of complex numbers to sums.
    fn multiply_add<T>(a: &[Complex<T>], b: &[Complex<T>], sums: &mut [Complex<T>]) {
        for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
            *sum = *sum + a * b;
        }
    }
}

/// Stores the numbers of a spectrum.
fn store_spectrum<T: Float>(spectrum: &SharedSlice<'_, Complex<T>>) -> impl Fn(usize, &[Complex<T>]) + Sync {
    // SAFETY: each number is stored once.
    move |start, values| unsafe { spectrum.write(start, values) }
}

fn library_scratch<T: Float>(transforms: &[Arc<dyn rustfft::Fft<T>>; 2]) -> usize {
    transforms.iter().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0)
}
