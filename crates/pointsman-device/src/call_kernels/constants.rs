//! [`Constants`]: the complex numbers that the kernels of a call read: roots of unity, and the factors of transforms of
//! arbitrary length. In: lengths. Out: one buffer, and where each table starts in it. Numbers are computed in doubles and
//! rounded once.

use super::{CallTarget, NotPlanned};
use num_complex::Complex;
use pointsman_ir::types::DType;
use rustfft::FftPlanner;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// The most bytes of constants of a program.
const CONSTANTS_BYTES_MAX: u64 = 256 << 20;
/// Roots of unity of more powers than this come from two shorter tables.
const ROOTS_MAX: u64 = 4096;

/// The sign of the exponents of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Sign {
    /// e^(−2πi·jk/n): forward.
    Minus,
    /// e^(2πi·jk/n): inverse.
    Plus,
}

impl Sign {
    /// The other one.
    pub(super) fn opposite(self) -> Sign {
        match self {
            Sign::Minus => Sign::Plus,
            Sign::Plus => Sign::Minus,
        }
    }
}

/// A table of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Table {
    /// The roots of unity of these powers: `step · k`, of order `order`.
    Roots { order: u64, step: u64, sign: Sign },
    /// e^(∓πi·j²/n).
    Chirp { length: u64, sign: Sign },
    /// The transform of the chirp's conjugate of this padded length, times a scale.
    Spectrum { length: u64, padded: u64, sign: Sign, scale: u64 },
}

/// Where the roots of unity of an order are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    /// In one table.
    One(usize),
    /// Root k is the product of entry k mod 2^bits of the first table and entry k / 2^bits of the second.
    Two { fine: usize, coarse: usize, bits: u32 },
}

/// The constants of a call's kernels.
#[derive(Debug, Default)]
pub(super) struct Constants {
    numbers: Vec<Complex<f64>>,
    known: BTreeMap<Table, usize>,
}

impl Constants {
    /// The place of a table of `count` numbers.
    fn place(&mut self, table: Table, count: u64, number: impl FnMut(u64) -> Complex<f64>) -> usize {
        if let Some(place) = self.known.get(&table) {
            return *place;
        }
        let place = self.numbers.len();
        self.numbers.extend((0..count).map(number));
        self.known.insert(table, place);
        place
    }

    fn table(&mut self, order: u64, step: u64, count: u64, sign: Sign) -> usize {
        // Above the limit all powers wrap around once at most.
        self.place(Table::Roots { order, step, sign }, count, |k| root(k * step % order, order, sign))
    }

    /// The roots of unity of an order: powers 0 to order − 1.
    pub(super) fn roots(&mut self, order: u64, sign: Sign) -> Roots {
        if order <= ROOTS_MAX {
            return Roots::One(self.table(order, 1, order, sign));
        }
        let bits = order.ilog2().div_ceil(2);
        let fine = self.table(order, 1, 1 << bits, sign);
        let coarse = self.table(order, 1 << bits, (order >> bits) + 1, sign);
        Roots::Two { fine, coarse, bits }
    }

    /// The factors of a transform of any length by a convolution of `padded` numbers: e^(∓πi·j²/n), and the transform of
    /// its conjugate, times `scale` / `padded`.
    pub(super) fn chirp(
        &mut self,
        length: u64,
        padded: u64,
        sign: Sign,
        scale: f64,
        number_bytes: u64,
        target: &CallTarget,
    ) -> Result<[usize; 2], NotPlanned> {
        let count = self.numbers.len() as u64 + length + padded;
        check(count.saturating_mul(2 * number_bytes), target)?;
        let value = |j: u64| {
            let square = (u128::from(j) * u128::from(j) % u128::from(2 * length)) as u64;
            root(square, 2 * length, sign)
        };
        let chirp = self.place(Table::Chirp { length, sign }, length, value);
        let table = Table::Spectrum { length, padded, sign, scale: scale.to_bits() };
        if let Some(place) = self.known.get(&table) {
            return Ok([chirp, *place]);
        }
        let mut spectrum = vec![Complex::default(); padded as usize];
        for j in 0..length as usize {
            let conjugate = self.numbers[chirp + j].conj();
            spectrum[j] = conjugate;
            spectrum[(padded as usize - j) % padded as usize] = conjugate;
        }
        FftPlanner::new().plan_fft_forward(padded as usize).process(&mut spectrum);
        let factor = scale / padded as f64;
        let place = self.place(table, padded, |k| spectrum[k as usize] * factor);
        Ok([chirp, place])
    }

    /// The numbers as bytes of a type.
    pub(super) fn bytes(&self, dtype: DType, target: &CallTarget) -> Result<Vec<u8>, NotPlanned> {
        let parts = self.numbers.iter().flat_map(|number| [number.re, number.im]);
        let bytes: Vec<u8> = match dtype == DType::F32 {
            true => parts.flat_map(|part| (part as f32).to_le_bytes()).collect(),
            false => parts.flat_map(f64::to_le_bytes).collect(),
        };
        check(bytes.len() as u64, target)?;
        Ok(bytes)
    }
}

fn check(bytes: u64, target: &CallTarget) -> Result<(), NotPlanned> {
    let most = target.window_bytes.min(CONSTANTS_BYTES_MAX);
    if bytes <= most {
        return Ok(());
    }
    Err(NotPlanned(format!("transforms that need {bytes} bytes of constants, where a program may have {most}")))
}

/// e^(∓2πi·k/n) for k < n, from an angle of at most an eighth of a turn.
fn root(k: u64, n: u64, sign: Sign) -> Complex<f64> {
    let quarter = ((u128::from(k) * 8 / u128::from(n)) as u64).div_ceil(2);
    let rest = i128::from(k) * 4 - i128::from(quarter) * i128::from(n);
    let (sin, cos) = (PI / 2.0 * (rest as f64 / n as f64)).sin_cos();
    let turned = match quarter % 4 {
        0 => Complex::new(cos, sin),
        1 => Complex::new(-sin, cos),
        2 => Complex::new(-cos, -sin),
        _ => Complex::new(sin, -cos),
    };
    match sign {
        Sign::Minus => turned.conj(),
        Sign::Plus => turned,
    }
}
