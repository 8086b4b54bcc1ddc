//! Long complex transforms of one dimension, on all threads: n = a·b numbers as a matrix of a rows and b columns.
//!
//! The first pass transforms the columns, a block of neighbouring columns at a time, multiplies by roots of unity and stores
//! the block to scratch memory; the second pass transforms the rows of the result. The scratch memory is stored in blocks of
//! the width that the second pass reads, so that pass reads it in order. (Bailey, "FFTs in external or hierarchical memory".)
//! Lengths without two factors of similar size go through [`Chirp`].

use super::super::Float;
use super::super::memory::{NoMemory, ScratchMemory, SharedSlice};
use super::super::threads::{CallThreads, Ended, PerThread, Stopped};
use super::super::vectors::vectorized;
use super::chirp::Chirp;
use super::roots::Roots;
use num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::sync::Arc;

/// The most numbers that one thread transforms by itself.
pub(in super::super) const SHORT_MAX: usize = 1 << 16;
/// Factors of a length may differ by this much.
const FACTOR_RATIO_MAX: usize = 16;

/// The most numbers of a block.
pub(super) const BLOCK_MAX: usize = 16;

/// How many neighbouring columns a thread transforms at a time: two lines of the cache.
pub(super) const fn block<T>() -> usize {
    128 / size_of::<Complex<T>>()
}

/// The distance of lines in memory. It has a line of the cache more than the numbers: at distances of a power of two, the
/// numbers of a column would displace each other from the cache.
pub(super) const fn pitch<T>(length: usize) -> usize {
    length + block::<T>() / 2
}

/// A long transform.
pub(in super::super) enum Long<T: Float> {
    Factored(Factored<T>),
    Chirp(Box<Chirp<T>>),
}

impl<T: Float> Long<T> {
    /// Results are multiplied by `scale`.
    pub(in super::super) fn new(
        length: usize,
        direction: FftDirection,
        scale: f64,
        planner: &mut FftPlanner<T>,
    ) -> Result<Long<T>, NoMemory> {
        Ok(match factors(length) {
            Some(factors) => Long::Factored(Factored::new(factors, direction, scale, planner)?),
            None => Long::Chirp(Box::new(Chirp::new(length, direction, scale, planner)?)),
        })
    }

    /// The numbers of scratch memory that a run takes, beside those of threads.
    pub(in super::super) fn scratch(&self) -> usize {
        match self {
            Long::Factored(factored) => factored.length(),
            Long::Chirp(chirp) => chirp.scratch(),
        }
    }

    /// The numbers of scratch memory of a thread.
    pub(in super::super) fn thread_scratch(&self) -> usize {
        match self {
            Long::Factored(factored) => factored.thread_scratch(),
            Long::Chirp(chirp) => chirp.inner().thread_scratch(),
        }
    }

    pub(in super::super) fn table_bytes(&self) -> u64 {
        match self {
            Long::Factored(factored) => factored.table_bytes(),
            Long::Chirp(chirp) => chirp.table_bytes(),
        }
    }

    /// Transforms the numbers that `load` gives: it fills a slice with the numbers from a place on. `store` takes the results
    /// from a place on, each once. All loads come before the first store.
    pub(in super::super) fn run(
        &self,
        threads: &CallThreads<'_>,
        scratch: &mut LongScratch<'_, T>,
        load: impl Fn(usize, &mut [Complex<T>]) + Sync,
        store: impl Fn(usize, &[Complex<T>]) + Sync,
    ) -> Result<(), Ended> {
        let LongScratch { shared, threads: states } = scratch;
        match self {
            Long::Factored(factored) => Ok(factored.run(threads, states, shared, load, store)?),
            Long::Chirp(chirp) => chirp.run(threads, states, shared, load, store),
        }
    }
}

/// ScratchMemory memory of long transforms.
pub(in super::super) struct LongScratch<'a, T> {
    shared: &'a mut [Complex<T>],
    threads: PerThread<&'a mut [Complex<T>]>,
}

impl<'a, T: Float> LongScratch<'a, T> {
    /// Enough for any of the transforms.
    pub(in super::super) fn new(
        threads: &CallThreads<'_>,
        transforms: &[&Long<T>],
        scratch: &mut ScratchMemory<'a>,
    ) -> Result<LongScratch<'a, T>, NoMemory> {
        let [shared, thread] = Self::numbers(transforms);
        let states = PerThread::new(threads, usize::MAX, || scratch.take(thread))?;
        let shared = scratch.take(shared)?;
        threads.touch(shared);
        Ok(LongScratch { shared, threads: states })
    }

    pub(in super::super) fn bytes(threads: usize, transforms: &[&Long<T>]) -> u64 {
        let [shared, thread] = Self::numbers(transforms);
        let states = ScratchMemory::bytes::<Complex<T>>(thread).saturating_mul(threads.max(1) as u64);
        ScratchMemory::bytes::<Complex<T>>(shared).saturating_add(states)
    }

    fn numbers(transforms: &[&Long<T>]) -> [usize; 2] {
        let most = |numbers: fn(&Long<T>) -> usize| transforms.iter().map(|long| numbers(long)).max().unwrap_or(0);
        [most(Long::scratch), most(Long::thread_scratch)]
    }
}

/// Two factors of similar size, the smaller one first.
fn factors(length: usize) -> Option<[usize; 2]> {
    let small = (1..=length.isqrt()).rev().find(|small| length.is_multiple_of(*small))?;
    let large = length / small;
    (large <= SHORT_MAX.max(small.saturating_mul(FACTOR_RATIO_MAX))).then_some([small, large])
}

/// A transform of a length with two factors.
pub(in super::super) struct Factored<T: Float> {
    columns: usize,
    rows: usize,
    across: Arc<dyn rustfft::Fft<T>>,
    down: Arc<dyn rustfft::Fft<T>>,
    roots: Roots,
    scale: f64,
}

impl<T: Float> Factored<T> {
    pub(super) fn new(
        [rows, columns]: [usize; 2],
        direction: FftDirection,
        scale: f64,
        planner: &mut FftPlanner<T>,
    ) -> Result<Factored<T>, NoMemory> {
        Ok(Factored {
            columns,
            rows,
            across: planner.plan_fft(columns, direction),
            down: planner.plan_fft(rows, direction),
            roots: Roots::new(rows * columns, direction)?,
            scale,
        })
    }

    pub(super) fn length(&self) -> usize {
        self.rows * self.columns
    }

    pub(super) fn table_bytes(&self) -> u64 {
        self.roots.bytes()
    }

    pub(super) fn thread_scratch(&self) -> usize {
        block::<T>() * pitch::<T>(self.rows.max(self.columns))
            + self.across.get_inplace_scratch_len().max(self.down.get_inplace_scratch_len())
    }

    /// See [`Long::run`]. `scratch` has at least [`Factored::length`] numbers.
    pub(super) fn run(
        &self,
        threads: &CallThreads<'_>,
        states: &PerThread<&mut [Complex<T>]>,
        scratch: &mut [Complex<T>],
        load: impl Fn(usize, &mut [Complex<T>]) + Sync,
        store: impl Fn(usize, &[Complex<T>]) + Sync,
    ) -> Result<(), Stopped> {
        let (rows, columns) = (self.rows, self.columns);
        let shared = SharedSlice::new(scratch);
        threads.for_each(columns.div_ceil(block::<T>()), 0, states, |state, number| {
            let first = number * block::<T>();
            let width = block::<T>().min(columns - first);
            let (lines, fft_scratch) = state.split_at_mut(block::<T>() * pitch::<T>(rows.max(columns)));
            gather_columns(lines, rows, width, |row, values| load(row * columns + first, values));
            transform_lines(&*self.down, lines, rows, width, fft_scratch);
            self.store_block(&shared, lines, first, width);
        })?;
        let scratch = &scratch[..rows * columns];
        threads.for_each(rows.div_ceil(block::<T>()), 0, states, |state, number| {
            let first = number * block::<T>();
            let width = block::<T>().min(rows - first);
            let (lines, fft_scratch) = state.split_at_mut(block::<T>() * pitch::<T>(rows.max(columns)));
            let stored = &scratch[first * columns..(first + width) * columns];
            gather_columns(lines, columns, width, |row, values| {
                values.copy_from_slice(&stored[row * width..][..values.len()]);
            });
            transform_lines(&*self.across, lines, columns, width, fft_scratch);
            scatter_columns(lines, columns, width, |row, values| store(row * rows + first, values));
        })
    }

    /// Multiplies `width` transformed columns, from column `first` on, by roots of unity and stores them: the numbers of each
    /// block of rows follow each other.
    fn store_block(&self, scratch: &SharedSlice<'_, Complex<T>>, lines: &[Complex<T>], first: usize, width: usize) {
        let rows = self.rows;
        let mut fine = [[Complex::new(T::zero(), T::zero()); BLOCK_MAX]; BLOCK_MAX];
        for (line, fine) in fine[..width].iter_mut().enumerate() {
            for (row, fine) in fine[..block::<T>().min(rows)].iter_mut().enumerate() {
                *fine = rounded(self.roots.get((first + line) * row));
            }
        }
        for row in (0..rows).step_by(block::<T>()) {
            let height = block::<T>().min(rows - row);
            let mut coarse = [Complex::new(T::zero(), T::zero()); BLOCK_MAX];
            for (line, coarse) in coarse[..width].iter_mut().enumerate() {
                *coarse = rounded(self.roots.get((first + line) * row) * self.scale);
            }
            // SAFETY: these places are of these columns and this block of rows, which one thread computes.
            let turned = unsafe { scratch.part(row * self.columns + first * height, width * height) };
            turn(&lines[row..], pitch::<T>(rows), height, &fine[..width], &coarse, turned);
        }
    }
}

vectorized! {
    /// Multiplies `height` numbers of each line, at a distance of `pitch`, by the product of a root for the number and one for the
    /// line.
    fn turn<T>(
        lines: &[Complex<T>],
        pitch: usize,
        height: usize,
        fine: &[[Complex<T>; BLOCK_MAX]],
        coarse: &[Complex<T>],
        turned: &mut [Complex<T>],
    ) {
        let lines = lines.chunks(pitch).zip(fine).zip(coarse).zip(turned.chunks_exact_mut(height));
        for (((line, fine), &coarse), turned) in lines {
            let mut turn = |height: usize| {
                let (line, fine, turned) = (&line[..height], &fine[..height], &mut turned[..height]);
                for number in 0..height {
                    turned[number] = line[number] * (fine[number] * coarse);
                }
            };
            // A loop of a constant length becomes a few instructions.
            if height == block::<T>() { turn(block::<T>()) } else { turn(height) }
        }
    }
}

/// Transforms `width` lines, which are stored at the distance [`pitch`].
pub(super) fn transform_lines<T: Float>(
    plan: &dyn rustfft::Fft<T>,
    lines: &mut [Complex<T>],
    length: usize,
    width: usize,
    scratch: &mut [Complex<T>],
) {
    for line in lines.chunks_mut(pitch::<T>(length)).take(width) {
        plan.process_with_scratch(&mut line[..length], scratch);
    }
}

/// A complex number rounded to `T`.
#[inline(always)]
pub(super) fn rounded<T: Float>(value: Complex<f64>) -> Complex<T> {
    Complex::new(T::rounded(value.re), T::rounded(value.im))
}

/// Fills lines with columns: `load` gives the numbers of all `width` columns in a row. The lines are at the distance [`pitch`].
#[inline(always)]
pub(super) fn gather_columns<T: Float>(
    lines: &mut [Complex<T>],
    rows: usize,
    width: usize,
    load: impl Fn(usize, &mut [Complex<T>]),
) {
    // A constant width makes copies of a row a few instructions.
    if width == block::<T>() {
        gather(lines, rows, block::<T>(), load);
    } else {
        gather(lines, rows, width, load);
    }
}

#[inline(always)]
fn gather<T: Float>(lines: &mut [Complex<T>], rows: usize, width: usize, load: impl Fn(usize, &mut [Complex<T>])) {
    let pitch = pitch::<T>(rows);
    let lines = &mut lines[..width * pitch];
    let mut values = [Complex::new(T::zero(), T::zero()); BLOCK_MAX];
    for row in 0..rows {
        load(row, &mut values[..width]);
        for line in 0..width {
            lines[line * pitch + row] = values[line];
        }
    }
}

/// Gives the numbers of all `width` columns, row after row. The lines are at the distance [`pitch`].
#[inline(always)]
pub(super) fn scatter_columns<T: Float>(
    lines: &[Complex<T>],
    rows: usize,
    width: usize,
    store: impl Fn(usize, &[Complex<T>]),
) {
    if width == block::<T>() {
        scatter(lines, rows, block::<T>(), store);
    } else {
        scatter(lines, rows, width, store);
    }
}

#[inline(always)]
fn scatter<T: Float>(lines: &[Complex<T>], rows: usize, width: usize, store: impl Fn(usize, &[Complex<T>])) {
    let pitch = pitch::<T>(rows);
    let lines = &lines[..width * pitch];
    let mut values = [Complex::new(T::zero(), T::zero()); BLOCK_MAX];
    for row in 0..rows {
        for line in 0..width {
            values[line] = lines[line * pitch + row];
        }
        store(row, &values[..width]);
    }
}
