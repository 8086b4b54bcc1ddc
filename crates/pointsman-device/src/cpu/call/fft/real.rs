//! Real transforms of even length n, made of complex transforms of length n/2: real numbers 2·j and 2·j + 1 are the parts of
//! complex number j.
//!
//! With Z the transform of those: X_k = E_k + e^(−2πi·k/n)·O_k, where E_k = (Z_k + conj Z_(n/2−k))/2 is the transform of the
//! even numbers and O_k = (Z_k − conj Z_(n/2−k))/2i that of the odd ones.

use super::super::Float;
use super::super::memory::SharedSlice;
use super::super::threads::{CallThreads, PerThread, Stopped};
use super::super::vectors::vectorized;
use super::long::rounded;
use super::roots::Roots;
use num_complex::Complex;

/// The results that a task makes.
const TASK_RESULTS: usize = 1 << 14;
/// The results that share a root; the others are products of it. A loop of this length becomes a few instructions.
const BLOCK: usize = 16;

/// Makes the first numbers of the spectrum of n real numbers from the complex transform of their n/2 pairs.
pub(super) fn separate<T: Float>(
    threads: &CallThreads<'_>,
    pairs: &[Complex<T>],
    roots: &Roots,
    spectrum: &mut [Complex<T>],
) -> Result<(), Stopped> {
    let count = spectrum.len();
    let spectrum = SharedSlice::new(spectrum);
    threads.for_ranges(count, TASK_RESULTS, 0, &PerThread::none(threads), |(), range| {
        // SAFETY: ranges do not overlap.
        let results = unsafe { spectrum.part(range.start, range.len()) };
        separate_range(pairs, roots, range.start, results);
    })
}

vectorized! {
    /// Makes the numbers of a spectrum from number `first` on.
    fn separate_range<T>(pairs: &[Complex<T>], roots: &Roots, first: usize, results: &mut [Complex<T>]) {
        let root = |k: usize| rounded::<T>(roots.get(k));
        let fine: [Complex<T>; BLOCK] = std::array::from_fn(root);
        for (block, results) in results.chunks_mut(BLOCK).enumerate() {
            let start = first + block * BLOCK;
            let inner = if start > 0 { pairs.get(start..start + BLOCK) } else { None };
            if let (Some(numbers), Ok(results)) = (inner, <&mut [_; BLOCK]>::try_from(&mut *results)) {
                let mirrors = &pairs[pairs.len() - start + 1 - BLOCK..][..BLOCK];
                let coarse = root(start);
                for k in 0..BLOCK {
                    results[k] = separated(numbers[k], mirrors[BLOCK - 1 - k], fine[k] * coarse);
                }
            } else {
                for (k, result) in (start..).zip(results) {
                    let mirror = pairs[(pairs.len() - k) % pairs.len()];
                    *result = separated(pairs[k % pairs.len()], mirror, root(k));
                }
            }
        }
    }
}

/// Number k of a spectrum, from numbers k and n/2 − k of the transform of pairs, and root k.
#[inline(always)]
fn separated<T: Float>(number: Complex<T>, mirror: Complex<T>, root: Complex<T>) -> Complex<T> {
    let (mirror, half) = (mirror.conj(), T::rounded(0.5));
    let even = (number + mirror) * half;
    let odd = (number - mirror) * half;
    // Division by i.
    even + Complex::new(odd.im, -odd.re) * root
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

/// Twice number k of the complex spectrum of the pairs of `length` real numbers.
#[inline(always)]
pub(super) fn joined<T: Float>(spectrum: &[Complex<T>], length: usize, k: usize, roots: &Roots) -> Complex<T> {
    let number = given(spectrum, length, k);
    let mirror = given(spectrum, length, length / 2 - k).conj();
    let odd = (number - mirror) * rounded::<T>(roots.get(k));
    // Twice the even part, plus i times twice the odd one.
    number + mirror + Complex::new(-odd.im, odd.re)
}
