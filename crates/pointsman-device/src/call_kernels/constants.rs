//! [`Constants`]: the complex numbers that the kernels of a call read: roots of unity, and the factors of transforms of
//! arbitrary length. In: lengths. Out: where each table starts in one buffer, and its bytes when they are needed. Numbers
//! are computed in doubles and rounded once.

use super::{CallTarget, NotPlanned};
use crate::root_of_unity::root_of_unity;
use num_complex::Complex;
use pointsman_ir::types::DType;
use rustfft::FftPlanner;

/// The most bytes of constants of a program.
const CONSTANTS_BYTES_MAX: u64 = 256 << 20;
/// Roots of unity of more powers than this come from two shorter tables.
const ROOTS_MAX: u64 = 4096;

/// The sign of the exponents of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// e^(−2πi·jk/n): forward.
    Minus,
    /// e^(2πi·jk/n): inverse.
    Plus,
}

/// A table of constants.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Table {
    /// The first `count` powers of the root of unity of order `order` and power `step`.
    Roots { order: u64, step: u64, count: u64, sign: Sign },
    /// e^(∓πi·j²/n).
    Chirp { length: u64, sign: Sign },
    /// The transform of the chirp's conjugate, of a padded length, times `scale` / `padded`.
    Spectrum { length: u64, padded: u64, sign: Sign, scale: f64 },
}

/// Where the roots of unity of an order are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootTables {
    /// In one table.
    One(u64),
    /// Root k is the product of entry k mod 2^bits of the first table and entry k / 2^bits of the second.
    Two { fine: u64, coarse: u64, bits: u32 },
}

/// The constants of a call's kernels.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    /// The tables, one after the other, with their places.
    tables: Vec<(Table, u64)>,
    count: u64,
}

impl Constants {
    /// The place of a table.
    fn place(&mut self, table: Table) -> u64 {
        if let Some((_, place)) = self.tables.iter().find(|(known, _)| *known == table) {
            return *place;
        }
        let place = self.count;
        self.tables.push((table, place));
        self.count += table.count();
        place
    }

    /// The roots of unity of an order: powers 0 to order − 1.
    pub(super) fn roots(&mut self, order: u64, sign: Sign) -> RootTables {
        if order <= ROOTS_MAX {
            return RootTables::One(self.place(Table::Roots { order, step: 1, count: order, sign }));
        }
        let bits = order.ilog2().div_ceil(2);
        let fine = self.place(Table::Roots { order, step: 1, count: 1 << bits, sign });
        let coarse = self.place(Table::Roots { order, step: 1 << bits, count: (order >> bits) + 1, sign });
        RootTables::Two { fine, coarse, bits }
    }

    /// The factors of a transform of any length by a convolution of `padded` numbers: e^(∓πi·j²/n), and the transform of
    /// its conjugate, times `scale` / `padded`.
    pub(super) fn chirp(&mut self, length: u64, padded: u64, sign: Sign, scale: f64) -> [u64; 2] {
        let chirp = self.place(Table::Chirp { length, sign });
        [chirp, self.place(Table::Spectrum { length, padded, sign, scale })]
    }

    /// The size of the constants; an error if it is above the limits.
    pub(super) fn size(&self, number_bytes: u64, target: &CallTarget) -> Result<u64, NotPlanned> {
        let bytes = self.count * 2 * number_bytes;
        let most = target.window_bytes.min(CONSTANTS_BYTES_MAX);
        if bytes <= most {
            return Ok(bytes);
        }
        Err(NotPlanned::new(format!("transforms need {bytes} bytes of constants, a program may have {most}")))
    }

    /// The numbers as bytes of a type.
    pub(super) fn bytes(&self, dtype: DType) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (table, _) in &self.tables {
            let parts = table.numbers().into_iter().flat_map(|number| [number.re, number.im]);
            match dtype == DType::F32 {
                true => bytes.extend(parts.flat_map(|part| (part as f32).to_le_bytes())),
                false => bytes.extend(parts.flat_map(f64::to_le_bytes)),
            }
        }
        bytes
    }
}

impl Table {
    /// How many numbers it has.
    fn count(self) -> u64 {
        match self {
            Table::Roots { count, .. } => count,
            Table::Chirp { length, .. } => length,
            Table::Spectrum { padded, .. } => padded,
        }
    }

    fn numbers(self) -> Vec<Complex<f64>> {
        match self {
            Table::Roots { order, step, count, sign } => {
                (0..count).map(|k| root(k * step % order, order, sign)).collect()
            }
            Table::Chirp { length, sign } => {
                let square = |j: u64| (u128::from(j) * u128::from(j) % u128::from(2 * length)) as u64;
                (0..length).map(|j| root(square(j), 2 * length, sign)).collect()
            }
            Table::Spectrum { length, padded, sign, scale } => {
                let mut numbers = vec![Complex::default(); padded as usize];
                let chirp = Table::Chirp { length, sign }.numbers();
                for (j, value) in chirp.into_iter().enumerate() {
                    numbers[j] = value.conj();
                    numbers[(padded as usize - j) % padded as usize] = value.conj();
                }
                FftPlanner::new().plan_fft_forward(padded as usize).process(&mut numbers);
                let factor = scale / padded as f64;
                numbers.iter_mut().for_each(|number| *number *= factor);
                numbers
            }
        }
    }
}

/// e^(∓2πi·k/n) for k < n.
fn root(k: u64, n: u64, sign: Sign) -> Complex<f64> {
    let root = root_of_unity(k, n);
    match sign {
        Sign::Minus => root.conj(),
        Sign::Plus => root,
    }
}
