//! Roots of unity for transforms of any length, from two short tables.

use super::super::memory::{NoMemory, table_bytes, zeros};
use crate::root_of_unity::root_of_unity;
use num_complex::Complex;
use rustfft::FftDirection;

/// The n-th roots of unity: e^(∓2πi·k/n) is a product of an entry of each table.
pub(super) struct Roots {
    fine: Vec<Complex<f64>>,
    coarse: Vec<Complex<f64>>,
    fine_bits: u32,
}

impl Roots {
    pub(super) fn new(count: usize, direction: FftDirection) -> Result<Roots, NoMemory> {
        let fine_bits = count.ilog2().div_ceil(2);
        let mut fine = zeros(1 << fine_bits)?;
        let mut coarse = zeros((count >> fine_bits) + 1)?;
        for (place, value) in fine.iter_mut().enumerate() {
            *value = root(place % count, count, direction);
        }
        for (place, value) in coarse.iter_mut().enumerate() {
            *value = root((place << fine_bits) % count, count, direction);
        }
        Ok(Roots { fine, coarse, fine_bits })
    }

    /// Root `power`, which is at most the number of roots.
    #[inline(always)]
    pub(super) fn get(&self, power: usize) -> Complex<f64> {
        self.coarse[power >> self.fine_bits] * self.fine[power & (self.fine.len() - 1)]
    }

    pub(super) fn bytes(&self) -> u64 {
        table_bytes::<Complex<f64>>(self.fine.len() + self.coarse.len())
    }
}

/// e^(−2πi·k/n) for a forward transform, its conjugate for an inverse one; k < n.
pub(super) fn root(k: usize, n: usize, direction: FftDirection) -> Complex<f64> {
    let root = root_of_unity(k as u64, n as u64);
    match direction {
        FftDirection::Forward => root.conj(),
        FftDirection::Inverse => root,
    }
}
