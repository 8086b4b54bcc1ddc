//! Transforms of one dimension: of short lines on one thread, of long lines on all threads.

use super::super::Float;
use super::super::memory::{NoMemory, ScratchMemory, SharedSlice, read_padded};
use super::super::threads::{CallThreads, Ended, PerThread};
use super::long::{BLOCK_MAX, Long, LongScratch, SHORT_MAX};
use super::real::{self, RealRoots};
use num_complex::Complex;
use pointsman_ir::kernel::call::{Fft, Transform};
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// Lines of at most this many bytes are copied and transformed in place: the copy stays in a near cache, and the library takes
/// less time in place.
const COPIED_BYTES_MAX: usize = 1 << 18;

/// The numbers that a task copies.
const COPIED_NUMBERS: usize = 1 << 14;

/// A transform of lines of one length.
pub(super) enum LineTransform<T: Float> {
    Short(ShortLine<T>),
    Long(LongLine<T>),
}

impl<T: Float> LineTransform<T> {
    /// Results are multiplied by `scale`.
    pub(super) fn new(fft: &Fft, scale: f64) -> Result<LineTransform<T>, NoMemory> {
        let (transform, length) = (fft.transform, fft.length as usize);
        // A real transform of even length is one of half as many complex numbers.
        let numbers = match transform {
            Transform::RealForward | Transform::RealInverse if length.is_multiple_of(2) => length / 2,
            Transform::Forward | Transform::Inverse | Transform::RealForward | Transform::RealInverse => length,
        };
        Ok(if numbers <= SHORT_MAX {
            LineTransform::Short(ShortLine::new(transform, length, scale))
        } else {
            LineTransform::Long(LongLine::new(transform, length, fft.kept as usize, scale)?)
        })
    }
}

/// The direction of the complex transform that a transform is made of.
pub(super) fn direction(transform: Transform) -> FftDirection {
    match transform {
        Transform::Forward | Transform::RealForward => FftDirection::Forward,
        Transform::Inverse | Transform::RealInverse => FftDirection::Inverse,
    }
}

/// A transform that one thread computes.
pub(super) struct ShortLine<T: Float> {
    plan: ShortPlan<T>,
    length: usize,
    scale: T,
}

enum ShortPlan<T: Float> {
    Complex(Arc<dyn rustfft::Fft<T>>),
    RealForward(Arc<dyn RealToComplex<T>>),
    RealInverse(Arc<dyn ComplexToReal<T>>),
}

/// ScratchMemory memory of a thread: the numbers of a line, its results, and what the library needs.
pub(super) struct ShortScratch<'a, T> {
    numbers: &'a mut [Complex<T>],
    results: &'a mut [Complex<T>],
    library: &'a mut [Complex<T>],
}

impl<T: Float> ShortLine<T> {
    fn new(transform: Transform, length: usize, scale: f64) -> ShortLine<T> {
        let plan = match transform {
            Transform::Forward | Transform::Inverse => {
                ShortPlan::Complex(FftPlanner::new().plan_fft(length, direction(transform)))
            }
            Transform::RealForward => ShortPlan::RealForward(RealFftPlanner::new().plan_fft_forward(length)),
            Transform::RealInverse => ShortPlan::RealInverse(RealFftPlanner::new().plan_fft_inverse(length)),
        };
        ShortLine { plan, length, scale: T::rounded(scale) }
    }

    fn library_scratch(&self) -> usize {
        match &self.plan {
            ShortPlan::Complex(plan) => plan.get_inplace_scratch_len().max(plan.get_immutable_scratch_len()),
            ShortPlan::RealForward(plan) => plan.get_scratch_len(),
            ShortPlan::RealInverse(plan) => plan.get_scratch_len(),
        }
    }

    pub(super) fn scratch<'a>(&self, scratch: &mut ScratchMemory<'a>) -> Result<ShortScratch<'a, T>, NoMemory> {
        Ok(ShortScratch {
            numbers: scratch.take(self.numbers())?,
            results: scratch.take(self.numbers())?,
            library: scratch.take(self.library_scratch())?,
        })
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        let numbers = [self.numbers(), self.numbers(), self.library_scratch()];
        numbers.map(ScratchMemory::bytes::<Complex<T>>).iter().sum()
    }

    /// The most complex numbers of a line or of its results.
    fn numbers(&self) -> usize {
        match &self.plan {
            ShortPlan::Complex(_) => self.length,
            ShortPlan::RealForward(_) | ShortPlan::RealInverse(_) => self.length / 2 + 1,
        }
    }

    /// Transforms one line. Numbers that the input lacks are zero; results that the output has no room for are dropped.
    pub(super) fn run(&self, scratch: &mut ShortScratch<'_, T>, input: &[T], output: &mut [T]) {
        let ShortScratch { numbers, results, library } = scratch;
        let whole = match &self.plan {
            ShortPlan::Complex(_) => 2 * self.length,
            ShortPlan::RealForward(_) => 2 * (self.length / 2 + 1),
            ShortPlan::RealInverse(_) => self.length,
        };
        if output.len() == whole {
            self.transform(numbers, library, input, output);
        } else {
            let results = &mut bytemuck::cast_slice_mut(results)[..whole];
            self.transform(numbers, library, input, results);
            output.copy_from_slice(&results[..output.len()]);
        }
    }

    /// Transforms one line to all of its results.
    fn transform(&self, numbers: &mut [Complex<T>], library: &mut [Complex<T>], input: &[T], results: &mut [T]) {
        match &self.plan {
            ShortPlan::Complex(plan) if input.len() == results.len() && size_of_val(input) > COPIED_BYTES_MAX => {
                let (numbers, results) = (bytemuck::cast_slice(input), bytemuck::cast_slice_mut(results));
                plan.process_immutable_with_scratch(numbers, results, library);
            }
            ShortPlan::Complex(plan) => {
                read_padded(input, 0, results);
                plan.process_with_scratch(bytemuck::cast_slice_mut(results), library);
            }
            ShortPlan::RealForward(plan) => {
                let reals = &mut bytemuck::cast_slice_mut(numbers)[..self.length];
                read_padded(input, 0, reals);
                let results = bytemuck::cast_slice_mut(results);
                plan.process_with_scratch(reals, results, library).expect("the slices have the lengths of the plan");
            }
            ShortPlan::RealInverse(plan) => {
                let half = &mut numbers[..self.length / 2 + 1];
                read_padded(input, 0, bytemuck::cast_slice_mut(half));
                half[0].im = T::zero();
                if self.length.is_multiple_of(2) {
                    half[self.length / 2].im = T::zero();
                }
                plan.process_with_scratch(half, results, library).expect("the slices have the lengths of the plan");
            }
        }
        if self.scale != T::one() {
            results.iter_mut().for_each(|result| *result = *result * self.scale);
        }
    }
}

/// A transform that all threads compute together.
pub(super) struct LongLine<T: Float> {
    transform: Transform,
    length: usize,
    complex: Long<T>,
    /// The roots of unity of real transforms of even length; their complex transforms have half the length.
    halves: Option<RealRoots<T>>,
    /// How many results of a line are kept.
    kept: usize,
}

/// ScratchMemory memory of a long line.
pub(super) struct LongLineScratch<'a, T> {
    complex: LongScratch<'a, T>,
    /// The results of [`Transform::RealForward`], unless the output has room for all of them.
    spectrum: &'a mut [Complex<T>],
}

impl<T: Float> LongLine<T> {
    fn new(transform: Transform, length: usize, kept: usize, scale: f64) -> Result<LongLine<T>, NoMemory> {
        let is_halved = match transform {
            Transform::Forward | Transform::Inverse => false,
            Transform::RealForward | Transform::RealInverse => length.is_multiple_of(2),
        };
        let direction = direction(transform);
        let complex_length = if is_halved { length / 2 } else { length };
        Ok(LongLine {
            transform,
            length,
            complex: Long::new(complex_length, direction, scale, &mut FftPlanner::new())?,
            halves: if is_halved { Some(RealRoots::new(length, direction)?) } else { None },
            kept,
        })
    }

    pub(super) fn table_bytes(&self) -> u64 {
        self.complex.table_bytes() + self.halves.as_ref().map_or(0, RealRoots::bytes)
    }

    /// The numbers of a whole spectrum, if the output has no room for it.
    fn spectrum(&self) -> usize {
        let whole = self.length / 2 + 1;
        if self.halves.is_some() && self.transform == Transform::RealForward && self.kept < whole { whole } else { 0 }
    }

    pub(super) fn scratch<'a>(
        &self,
        threads: &CallThreads<'_>,
        scratch: &mut ScratchMemory<'a>,
    ) -> Result<LongLineScratch<'a, T>, NoMemory> {
        let complex = LongScratch::new(threads, &[&self.complex], scratch)?;
        let spectrum = scratch.take(self.spectrum())?;
        threads.touch(spectrum);
        Ok(LongLineScratch { complex, spectrum })
    }

    pub(super) fn scratch_bytes(&self, threads: usize) -> u64 {
        LongScratch::<T>::bytes(threads, &[&self.complex])
            .saturating_add(ScratchMemory::bytes::<Complex<T>>(self.spectrum()))
    }

    /// Transforms one line. Numbers that the input lacks are zero; results that the output has no room for are dropped.
    pub(super) fn run(
        &self,
        threads: &CallThreads<'_>,
        scratch: &mut LongLineScratch<'_, T>,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Ended> {
        let LongLineScratch { complex: scratch, spectrum: whole } = scratch;
        let input_pairs = |start: usize, values: &mut [Complex<T>]| {
            read_padded(input, 2 * start, bytemuck::cast_slice_mut(values));
        };
        let spectrum: &[Complex<T>] = match self.transform {
            Transform::RealInverse => bytemuck::cast_slice(input),
            Transform::Forward | Transform::Inverse | Transform::RealForward => &[],
        };
        match (self.transform, &self.halves) {
            (Transform::RealForward, Some(roots)) => {
                let output = bytemuck::cast_slice_mut(output);
                let is_whole = whole.is_empty();
                let spectrum = if is_whole { &mut *output } else { &mut **whole };
                let results = SharedSlice::new(spectrum);
                // SAFETY: each result is stored once.
                let store = |start: usize, values: &[Complex<T>]| unsafe { results.write(start, values) };
                self.complex.run(threads, scratch, input_pairs, store)?;
                real::separate(threads, roots, spectrum)?;
                if is_whole {
                    return Ok(());
                }
                let (whole, count, kept) = (&**whole, output.len(), SharedSlice::new(output));
                Ok(threads.for_ranges(count, COPIED_NUMBERS, 0, &PerThread::none(threads), |(), range| {
                    // SAFETY: ranges do not overlap.
                    unsafe { kept.write(range.start, &whole[range]) };
                })?)
            }
            (Transform::RealForward, None) => {
                let load = |start: usize, values: &mut [Complex<T>]| {
                    let mut reals = [T::zero(); BLOCK_MAX];
                    read_padded(input, start, &mut reals[..values.len()]);
                    values.iter_mut().zip(reals).for_each(|(value, re)| *value = Complex::new(re, T::zero()));
                };
                self.complex.run(threads, scratch, load, store_pairs(&SharedSlice::new(output)))
            }
            (Transform::RealInverse, Some(roots)) => {
                let load = |start: usize, values: &mut [Complex<T>]| {
                    real::join(spectrum, self.length, roots, start, values);
                };
                self.complex.run(threads, scratch, load, store_pairs(&SharedSlice::new(output)))
            }
            (Transform::RealInverse, None) => {
                let load = |start: usize, values: &mut [Complex<T>]| {
                    for (offset, value) in values.iter_mut().enumerate() {
                        *value = real::mirrored(spectrum, self.length, start + offset);
                    }
                };
                let results = SharedSlice::new(output);
                let store = |start: usize, values: &[Complex<T>]| {
                    let mut reals = [T::zero(); BLOCK_MAX];
                    reals.iter_mut().zip(values).for_each(|(re, value)| *re = value.re);
                    // SAFETY: each result is stored once.
                    unsafe { results.write(start, &reals[..values.len()]) };
                };
                self.complex.run(threads, scratch, load, store)
            }
            (Transform::Forward | Transform::Inverse, _) => {
                self.complex.run(threads, scratch, input_pairs, store_pairs(&SharedSlice::new(output)))
            }
        }
    }
}

/// Stores complex results as pairs of floats.
fn store_pairs<T: Float>(output: &SharedSlice<'_, T>) -> impl Fn(usize, &[Complex<T>]) + Sync {
    // SAFETY: each result is stored once.
    move |start, values| unsafe { output.write(2 * start, bytemuck::cast_slice(values)) }
}
