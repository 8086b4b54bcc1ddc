//! Real transforms of even length n, made of complex transforms of length n/2: real numbers 2·j and 2·j + 1 are the parts of
//! complex number j.
//!
//! With Z the transform of those: X_k = E_k + e^(−2πi·k/n)·O_k, where E_k = (Z_k + conj Z_(n/2−k))/2 is the transform of the
//! even numbers and O_k = (Z_k − conj Z_(n/2−k))/2i that of the odd ones.

use super::super::Float;
use super::super::memory::{NoMemory, SharedSlice};
use super::super::threads::{CallThreads, PerThread, Stopped};
use super::super::vectors::vectorized;
use super::long::{block, rounded};
use super::roots::Roots;
use num_complex::Complex;
use rustfft::FftDirection;

/// The pairs of results that a task makes.
const TASK_PAIRS: usize = 1 << 13;
/// The numbers that share a root; the roots of the others are products of it. A loop of this length becomes a few
/// instructions.
const BLOCK: usize = 16;

/// The roots of unity of a real transform.
pub(super) struct RealRoots<T> {
    all: Roots,
    /// The first ones.
    fine: [Complex<T>; BLOCK],
}

impl<T: Float> RealRoots<T> {
    /// Those of `length` real numbers.
    pub(super) fn new(length: usize, direction: FftDirection) -> Result<RealRoots<T>, NoMemory> {
        let all = Roots::new(length, direction)?;
        let fine = std::array::from_fn(|k| rounded(all.get(k.min(length))));
        Ok(RealRoots { all, fine })
    }

    fn get(&self, k: usize) -> Complex<T> {
        rounded(self.all.get(k))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.all.bytes()
    }
}

/// Makes the spectrum of n real numbers from the complex transform of their n/2 pairs, in place: the transform is in all
/// places of `spectrum` but the last.
pub(super) fn separate<T: Float>(
    threads: &CallThreads<'_>,
    roots: &RealRoots<T>,
    spectrum: &mut [Complex<T>],
) -> Result<(), Stopped> {
    let half = spectrum.len() - 1;
    let sums = spectrum[0];
    spectrum[0] = Complex::new(sums.re + sums.im, T::zero());
    spectrum[half] = Complex::new(sums.re - sums.im, T::zero());
    if half.is_multiple_of(2) {
        spectrum[half / 2] = separated(spectrum[half / 2], spectrum[half / 2], roots.get(half / 2))[0];
    }
    let spectrum = SharedSlice::new(spectrum);
    threads.for_ranges((half - 1) / 2, TASK_PAIRS, 0, &PerThread::none(threads), |(), range| {
        // SAFETY: ranges do not overlap, and are below the middle.
        let numbers = unsafe { spectrum.part(range.start + 1, range.len()) };
        // SAFETY: neither do their mirror images, which are above it.
        let mirrors = unsafe { spectrum.part(half - range.end, range.len()) };
        separate_range(roots, range.start + 1, numbers, mirrors);
    })
}

vectorized! {
    /// Separates the numbers of a transform from number `first` on, and their mirror images in the opposite order.
    fn separate_range<T>(
        roots: &RealRoots<T>,
        first: usize,
        numbers: &mut [Complex<T>],
        mirrors: &mut [Complex<T>],
    ) {
        for (block, (numbers, mirrors)) in numbers.chunks_mut(BLOCK).zip(mirrors.rchunks_mut(BLOCK)).enumerate() {
            let coarse = roots.get(first + block * BLOCK);
            // A loop of a constant length becomes a few instructions.
            if numbers.len() == BLOCK {
                separate_block(&roots.fine, coarse, BLOCK, numbers, mirrors);
            } else {
                separate_block(&roots.fine, coarse, numbers.len(), numbers, mirrors);
            }
        }
    }
}

#[inline(always)]
fn separate_block<T: Float>(
    fine: &[Complex<T>; BLOCK],
    coarse: Complex<T>,
    count: usize,
    numbers: &mut [Complex<T>],
    mirrors: &mut [Complex<T>],
) {
    let (numbers, mirrors) = (&mut numbers[..count], &mut mirrors[..count]);
    for k in 0..count {
        let mirror = &mut mirrors[count - 1 - k];
        [numbers[k], *mirror] = separated(numbers[k], *mirror, fine[k] * coarse);
    }
}

/// Numbers k and n/2 − k of a spectrum, from those of the transform of pairs, and root k.
#[inline(always)]
fn separated<T: Float>(number: Complex<T>, mirror: Complex<T>, root: Complex<T>) -> [Complex<T>; 2] {
    let (mirror, half) = (mirror.conj(), T::rounded(0.5));
    let even = (number + mirror) * half;
    let odd = (number - mirror) * half;
    // Division by i.
    let turned = Complex::new(odd.im, -odd.re) * root;
    [even + turned, (even - turned).conj()]
}

/// Number k of the half spectrum of `length` real numbers; those beyond the given ones are zero.
fn given<T: Float>(spectrum: &[Complex<T>], length: usize, k: usize) -> Complex<T> {
    let mut number = spectrum.get(k).copied().unwrap_or(Complex::new(T::zero(), T::zero()));
    if k == 0 || 2 * k == length {
        number.im = T::zero();
    }
    number
}

/// Number k of the whole spectrum of `length` real numbers.
pub(super) fn mirrored<T: Float>(spectrum: &[Complex<T>], length: usize, k: usize) -> Complex<T> {
    if 2 * k <= length { given(spectrum, length, k) } else { given(spectrum, length, length - k).conj() }
}

/// Fills a slice, of at most [`BLOCK_MAX`](super::long::BLOCK_MAX) numbers, with twice the numbers from `first` on of the
/// complex spectrum of the pairs of `length` real numbers.
#[inline(always)]
pub(super) fn join<T: Float>(
    spectrum: &[Complex<T>],
    length: usize,
    roots: &RealRoots<T>,
    first: usize,
    pairs: &mut [Complex<T>],
) {
    let half = length / 2;
    if first > 0 && spectrum.len() > half && first + pairs.len() <= half {
        let numbers = &spectrum[first..first + pairs.len()];
        let mirrors = &spectrum[half - first + 1 - pairs.len()..=half - first];
        join_range(numbers, mirrors, &roots.fine, roots.get(first), pairs);
    } else {
        for (k, pair) in (first..).zip(pairs) {
            *pair = joined(given(spectrum, length, k), given(spectrum, length, half - k), roots.get(k));
        }
    }
}

vectorized! {
    /// Joins numbers and their mirror images, which are in the opposite order. Their roots are `coarse` times the `fine` ones.
    fn join_range<T>(
        numbers: &[Complex<T>],
        mirrors: &[Complex<T>],
        fine: &[Complex<T>; BLOCK],
        coarse: Complex<T>,
        pairs: &mut [Complex<T>],
    ) {
        // A loop of a constant length becomes a few instructions.
        if pairs.len() == block::<T>() {
            join_block(numbers, mirrors, fine, coarse, block::<T>(), pairs);
        } else {
            join_block(numbers, mirrors, fine, coarse, pairs.len(), pairs);
        }
    }
}

#[inline(always)]
fn join_block<T: Float>(
    numbers: &[Complex<T>],
    mirrors: &[Complex<T>],
    fine: &[Complex<T>; BLOCK],
    coarse: Complex<T>,
    count: usize,
    pairs: &mut [Complex<T>],
) {
    let (numbers, mirrors, pairs) = (&numbers[..count], &mirrors[..count], &mut pairs[..count]);
    for k in 0..count {
        pairs[k] = joined(numbers[k], mirrors[count - 1 - k], fine[k] * coarse);
    }
}

/// Twice number k of the complex spectrum of pairs, from numbers k and n/2 − k of a spectrum, and root k.
#[inline(always)]
fn joined<T: Float>(number: Complex<T>, mirror: Complex<T>, root: Complex<T>) -> Complex<T> {
    let mirror = mirror.conj();
    let odd = (number - mirror) * root;
    // Twice the even part, plus i times twice the odd one.
    number + mirror + Complex::new(-odd.im, odd.re)
}
