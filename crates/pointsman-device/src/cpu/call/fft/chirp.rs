//! Long transforms of any length, such as primes, as a circular convolution whose length is a power of two (Bluestein).
//!
//! With c_j = e^(∓πi·j²/n): X_k = c_k · Σ_j (x_j · c_j) · conj(c_(k−j)).

use super::super::Float;
use super::super::memory::{NoMemory, SharedSlice, table_bytes, zeros};
use super::super::threads::{CallThreads, Ended, PerThread};
use super::long::{BLOCK_MAX, Factored, rounded};
use super::roots::root;
use num_complex::Complex;
use rustfft::{FftDirection, FftPlanner};
use std::sync::OnceLock;

/// The roots of unity that a task computes.
const TASK_ROOTS: usize = 1 << 14;

/// A transform of any length.
pub(in super::super) struct Chirp<T: Float> {
    length: usize,
    padded: usize,
    direction: FftDirection,
    scale: f64,
    forward: Factored<T>,
    /// Made by the first run, which may be stopped meanwhile.
    tables: OnceLock<ChirpTables<T>>,
}

struct ChirpTables<T> {
    /// c_j.
    chirp: Vec<Complex<T>>,
    /// The transform of conj(c_j), with the scale of the results.
    spectrum: Vec<Complex<T>>,
}

impl<T: Float> Chirp<T> {
    pub(super) fn new(
        length: usize,
        direction: FftDirection,
        scale: f64,
        planner: &mut FftPlanner<T>,
    ) -> Result<Chirp<T>, NoMemory> {
        let padded = (2 * length - 1).next_power_of_two();
        let rows = 1 << (padded.ilog2() / 2);
        let forward = Factored::new([rows, padded / rows], FftDirection::Forward, 1.0, planner)?;
        Ok(Chirp { length, padded, direction, scale, forward, tables: OnceLock::new() })
    }

    /// Makes the tables. `scratch` has at least [`Factored::length`] numbers.
    fn make_tables(
        &self,
        threads: &CallThreads<'_>,
        states: &PerThread<&mut [Complex<T>]>,
        scratch: &mut [Complex<T>],
    ) -> Result<ChirpTables<T>, Ended> {
        let Chirp { length, padded, direction, .. } = *self;
        let mut chirp = zeros(length)?;
        let shared = SharedSlice::new(&mut chirp);
        threads.for_ranges(length, TASK_ROOTS, 0, &PerThread::none(threads), |(), range| {
            // SAFETY: ranges do not overlap.
            let values = unsafe { shared.part(range.start, range.len()) };
            for (place, value) in range.zip(values) {
                let square = (place as u128 * place as u128 % (2 * length as u128)) as usize;
                *value = rounded(root(square, 2 * length, direction));
            }
        })?;
        let mut spectrum = zeros(padded)?;
        threads.touch(&mut spectrum);
        let load = |start: usize, values: &mut [Complex<T>]| {
            for (offset, value) in values.iter_mut().enumerate() {
                let place = (start + offset).min(padded - start - offset);
                *value = chirp.get(place).map_or(Complex::new(T::zero(), T::zero()), |chirp| chirp.conj());
            }
        };
        let factor = T::rounded(self.scale / padded as f64);
        let results = SharedSlice::new(&mut spectrum);
        let store = |start: usize, values: &[Complex<T>]| {
            for (offset, value) in values.iter().enumerate() {
                // SAFETY: each result is stored once.
                unsafe { results.write(start + offset, &[value * factor]) };
            }
        };
        self.forward.run(threads, states, scratch, load, store)?;
        Ok(ChirpTables { chirp, spectrum })
    }

    pub(super) fn inner(&self) -> &Factored<T> {
        &self.forward
    }

    pub(super) fn scratch(&self) -> usize {
        2 * self.padded
    }

    pub(super) fn table_bytes(&self) -> u64 {
        self.forward.table_bytes() + table_bytes::<Complex<T>>(self.length + self.padded)
    }

    /// See [`Long::run`](super::long::Long::run). `scratch` has at least [`Chirp::scratch`] numbers.
    pub(super) fn run(
        &self,
        threads: &CallThreads<'_>,
        states: &PerThread<&mut [Complex<T>]>,
        scratch: &mut [Complex<T>],
        load: impl Fn(usize, &mut [Complex<T>]) + Sync,
        store: impl Fn(usize, &[Complex<T>]) + Sync,
    ) -> Result<(), Ended> {
        let (product, scratch) = scratch.split_at_mut(self.padded);
        let tables = match self.tables.get() {
            Some(tables) => tables,
            // If two runs make them at the same time, the first ones stay.
            None => {
                let made = self.make_tables(threads, states, scratch)?;
                self.tables.get_or_init(|| made)
            }
        };
        let ChirpTables { chirp, spectrum } = tables;
        let length = self.length;
        let results = SharedSlice::new(product);
        let load_turned = |start: usize, values: &mut [Complex<T>]| {
            let count = values.len().min(length.saturating_sub(start));
            let (there, zeros) = values.split_at_mut(count);
            zeros.fill(Complex::new(T::zero(), T::zero()));
            if count > 0 {
                load(start, there);
                there.iter_mut().zip(&chirp[start..]).for_each(|(value, chirp)| *value = *value * chirp);
            }
        };
        // The conjugate of the forward transform of conjugates is the inverse transform.
        let store_product = |start: usize, values: &[Complex<T>]| {
            let mut products = [Complex::new(T::zero(), T::zero()); BLOCK_MAX];
            for ((product, value), spectrum) in products.iter_mut().zip(values).zip(&spectrum[start..]) {
                *product = (value * spectrum).conj();
            }
            // SAFETY: each result is stored once.
            unsafe { results.write(start, &products[..values.len()]) };
        };
        self.forward.run(threads, states, scratch, load_turned, store_product)?;
        let product = &*product;
        let load_product = |start: usize, values: &mut [Complex<T>]| {
            values.copy_from_slice(&product[start..][..values.len()]);
        };
        let store_turned = |start: usize, values: &[Complex<T>]| {
            let Some(chirp) = chirp.get(start..) else { return };
            let mut turned = [Complex::new(T::zero(), T::zero()); BLOCK_MAX];
            for ((turned, value), chirp) in turned.iter_mut().zip(values).zip(chirp) {
                *turned = value.conj() * chirp;
            }
            let count = values.len().min(chirp.len());
            if count > 0 {
                store(start, &turned[..count]);
            }
        };
        Ok(self.forward.run(threads, states, scratch, load_product, store_turned)?)
    }
}
