//! Arguments: numbers of every exponent and sign, and those where a function is hard. The same every time.

use pointsman_ir::op::Op;
use std::f64::consts;

/// A source of numbers that only look random.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }
}

/// Where a function changes its ways: thresholds of overflow and underflow, ends of polynomials, roots.
pub(crate) fn critical(op: Op) -> &'static [f64] {
    match op {
        Op::Exp => {
            &[88.722_83, -87.0, -87.336_54, -103.97, 709.782_712_893_384, -707.0, -708.396, -745.133, 0.346_573_6]
        }
        Op::Exp2 => &[128.0, -126.0, -125.0, -149.0, -150.0, 1024.0, -1022.0, -1021.0, -1074.0, 0.5, -0.5],
        Op::Expm1 => &[88.722_83, -17.3, 709.782_712_893_384, -37.4, 0.346_573_6, -0.346_573_6, -1.039_72, 2.98e-8],
        Op::Ln | Op::Log2 | Op::Log10 => {
            &[1.0, consts::FRAC_1_SQRT_2, consts::SQRT_2, 1.175_494_4e-38, 10.0, 1000.0, 2.0, 0.5]
        }
        Op::Log1p => &[-1.0, 1.0, 0.414_213_56, -0.292_893_2, 2.98e-8, 1e-4, -0.5],
        Op::Sin | Op::Cos | Op::Tan => {
            &[65_536.0, 134_217_728.0, consts::FRAC_PI_4, consts::FRAC_PI_2, consts::PI, 2.356_194_5]
        }
        Op::Asin | Op::Acos => &[0.5, -0.5, 1.0, -1.0, 0.0, consts::FRAC_1_SQRT_2],
        Op::Atan | Op::Atan2 => &[1.0, -1.0, 0.0],
        Op::Sinh | Op::Cosh => &[1.0, -1.0, 89.415_985, -89.415_985, 710.475_860_073_943_9, 88.722_83],
        Op::Tanh => &[0.55, -0.55, 9.01, 10.0, 19.06, 20.0],
        Op::Erf => &[1.0, -1.0, 3.92, 4.0, 5.9, 6.0],
        _ => &[1.0, -1.0, 1.175_494_4e-38, 2.225_073_858_507_201_4e-308],
    }
}

/// The range where most of a function's life is.
pub(crate) fn usual(op: Op) -> (f64, f64) {
    match op {
        Op::Exp | Op::Sinh | Op::Cosh => (-105.0, 90.0),
        Op::Exp2 => (-151.0, 129.0),
        Op::Expm1 => (-20.0, 20.0),
        Op::Ln | Op::Log2 | Op::Log10 => (0.5, 2.0),
        Op::Log1p => (-1.0, 2.0),
        Op::Asin | Op::Acos => (-1.0, 1.0),
        Op::Tanh | Op::Erf => (-7.0, 7.0),
        _ => (-10.0, 10.0),
    }
}

/// How many ULPs a single is off the truth. Beyond the largest single, infinity is 2^128.
pub(crate) fn single_ulps(got: f32, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let limit = 2f64.powi(128);
    let (got, want) = (f64::from(got).clamp(-limit, limit), want.clamp(-limit, limit));
    let exponent = ((want.abs().to_bits() >> 52) as i32 - 1023).clamp(-126, 127);
    (got - want).abs() / 2f64.powi(exponent - 23)
}

/// The arguments at which the search of `bench` (`elementary_errors`) found the largest error, by their bits.
pub(crate) fn worst(op: Op, width: &str) -> impl Iterator<Item = [u64; 2]> {
    let bits = |word: &str| u64::from_str_radix(word, 16).expect("bits are hexadecimal");
    include_str!("worst.txt").lines().filter_map(move |line| {
        let words: Vec<&str> = line.split(' ').collect();
        (words[0] == op.name() && words[1] == width).then(|| [bits(words[2]), bits(words[3])])
    })
}
