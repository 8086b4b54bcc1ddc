//! Conversions between integers and floats that AVX2 lacks; each rounds once.
//!
//! The bits of a number below 2^52 are the fraction of 2^52 plus it, and likewise for its multiples by 2^32 and 2^84:
//! so halves of integers become floats, and floats integers, by adding such a power and taking it away again.

use super::table::Own;
use super::{Done, Narrow, one};
use crate::render::x86::step::{Reg, Step};
use iced_x86::Code;

/// Rewrites conversions.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, |to, step| to.each1(step, 32, Narrow::float_of_u32)),
    (Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, |to, step| to.each1(step, 32, Narrow::u32_of_float)),
    (Code::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, |to, step| to.each1(step, 64, Narrow::double_of_i64)),
    (Code::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er, |to, step| to.each1(step, 64, Narrow::double_of_u64)),
    (Code::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae, |to, step| to.each1(step, 64, Narrow::integer_of_double)),
    (Code::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae, |to, step| to.each1(step, 64, Narrow::integer_of_double)),
    (Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er, |to, step| to.each_grown(step, Narrow::double_of_u32)),
    (Code::EVEX_Vcvttps2qq_zmm_k1z_ymmm256b32_sae, |to, step| to.each_grown(step, Narrow::integer_of_float)),
    (Code::EVEX_Vcvttps2uqq_zmm_k1z_ymmm256b32_sae, |to, step| to.each_grown(step, Narrow::integer_of_float)),
    (Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, |to, step| to.each_shrunk(step, Narrow::float_of_double)),
    (Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, |to, step| to.each_shrunk(step, Narrow::i32_of_double)),
    (Code::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er, |to, step| to.each_shrunk(step, Narrow::float_of_i64)),
    (Code::EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er, |to, step| to.each_shrunk(step, Narrow::float_of_u64)),
    (Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae, |to, step| to.u32_of_doubles(step)),
    (Code::EVEX_Vpmovqd_ymmm256_k1z_zmm, |to, step| to.lower_halves(step)),
];

/// Toward zero, toward minus infinity; no exception is raised.
const TRUNCATE: u8 = 3 | 8;
const FLOOR: u8 = 1 | 8;
/// 2^52 and 2^84, as bits: a fraction's last bit counts 1 and 2^32.
const ONES: u64 = 0x4330_0000_0000_0000;
const UPPER: u64 = 0x4530_0000_0000_0000;
/// The bits that a double of a 64-bit integer has no room for.
const LOST: u64 = 0x7ff;

/// A power of two.
fn power(exponent: u64) -> f64 {
    f64::from_bits((1023 + exponent) << 52)
}

impl Narrow<'_> {
    /// Both quarters of half an operand through a sequence that doubles their lanes.
    fn each_grown(&mut self, step: &Step, f: fn(&mut Self, Reg) -> Reg) -> Done {
        let from = self.pair(one(step)?)[0];
        let halves = self.quarters(from).map(|quarter| f(self, quarter));
        self.finish(step, halves, 64)
    }

    /// Both halves of an operand through a sequence that halves their lanes.
    fn each_shrunk(&mut self, step: &Step, f: fn(&mut Self, Reg) -> Reg) -> Done {
        let from = self.pair(one(step)?);
        let quarters = from.map(|half| f(self, half));
        let low = self.stacked(quarters);
        self.define_half(step, low)
    }

    fn double(&mut self, value: f64) -> Reg {
        self.word(value.to_bits())
    }

    /// The upper 16 bits count 2^16 in the fraction of 2^39, the lower ones 1 in that of 2^23.
    fn float_of_u32(&mut self, a: Reg) -> Reg {
        let (upper, lower) = (self.dword(0x5300_0000), self.dword(0x4b00_0000));
        let high = self.op1_imm(Code::VEX_Vpsrld_ymm_ymm_imm8, a, 16);
        let high = self.op2(Code::VEX_Vpor_ymm_ymm_ymmm256, high, upper);
        let low = self.op2_imm(Code::VEX_Vpblendw_ymm_ymm_ymmm256_imm8, a, lower, 0b1010_1010);
        // 2^39 + 2^23
        let both = self.dword(0x5300_0080);
        let high = self.op2(Code::VEX_Vsubps_ymm_ymm_ymmm256, high, both);
        self.op2(Code::VEX_Vaddps_ymm_ymm_ymmm256, high, low)
    }

    /// 2^31 is taken away where it fits, and its bit set.
    fn u32_of_float(&mut self, a: Reg) -> Reg {
        const NOT_BELOW: u8 = 0x1d;
        let limit = self.dword((power(31) as f32).to_bits());
        let large = self.op2_imm(Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8, a, limit, NOT_BELOW);
        let taken = self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, large, limit);
        let rest = self.op2(Code::VEX_Vsubps_ymm_ymm_ymmm256, a, taken);
        let rest = self.op1(Code::VEX_Vcvttps2dq_ymm_ymmm256, rest);
        let bit = self.op1_imm(Code::VEX_Vpslld_ymm_ymm_imm8, large, 31);
        self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, rest, bit)
    }

    /// The halves of integers as doubles, without rounding, and their sum; `taken` is what the fractions stand on.
    fn double_of_halves(&mut self, a: Reg, upper: u64, taken: f64) -> Reg {
        let (upper, lower, taken) = (self.word(upper), self.word(ONES), self.double(taken));
        let high = self.op1_imm(Code::VEX_Vpsrlq_ymm_ymm_imm8, a, 32);
        let high = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, high, upper);
        let high = self.op2(Code::VEX_Vsubpd_ymm_ymm_ymmm256, high, taken);
        let low = self.op2_imm(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, a, lower, 0b1010_1010);
        self.op2(Code::VEX_Vaddpd_ymm_ymm_ymmm256, high, low)
    }

    fn double_of_u64(&mut self, a: Reg) -> Reg {
        self.double_of_halves(a, UPPER, power(84) + power(52))
    }

    /// The sign bit is flipped: that adds 2^63, which is taken away again.
    fn double_of_i64(&mut self, a: Reg) -> Reg {
        self.double_of_halves(a, UPPER | 1 << 31, power(84) + power(63) + power(52))
    }

    fn double_of_u32(&mut self, quarter: Reg) -> Reg {
        let ones = self.word(ONES);
        let wide = self.grow(Code::VEX_Vpmovzxdq_ymm_xmmm128, quarter);
        let wide = self.op2(Code::VEX_Vpor_ymm_ymm_ymmm256, wide, ones);
        self.op2(Code::VEX_Vsubpd_ymm_ymm_ymmm256, wide, ones)
    }

    /// The whole part in two halves of 32 bits, the upper one rounded down; right for signed and for unsigned integers.
    fn integer_of_double(&mut self, a: Reg) -> Reg {
        let whole = self.op1_imm(Code::VEX_Vroundpd_ymm_ymmm256_imm8, a, TRUNCATE);
        let (down, up) = (self.double(1.0 / power(32)), self.double(power(32)));
        let high = self.op2(Code::VEX_Vmulpd_ymm_ymm_ymmm256, whole, down);
        let high = self.op1_imm(Code::VEX_Vroundpd_ymm_ymmm256_imm8, high, FLOOR);
        let taken = self.op2(Code::VEX_Vmulpd_ymm_ymm_ymmm256, high, up);
        let low = self.op2(Code::VEX_Vsubpd_ymm_ymm_ymmm256, whole, taken);
        // A negative number below half of 2^52 leaves the upper bits of the fraction alone.
        let (ones, more) = (self.double(power(52)), self.double(power(52) + power(51)));
        let high = self.op2(Code::VEX_Vaddpd_ymm_ymm_ymmm256, high, more);
        let low = self.op2(Code::VEX_Vaddpd_ymm_ymm_ymmm256, low, ones);
        let high = self.op1_imm(Code::VEX_Vpsllq_ymm_ymm_imm8, high, 32);
        self.op2_imm(Code::VEX_Vpblendd_ymm_ymm_ymmm256_imm8, high, low, 0b0101_0101)
    }

    fn integer_of_float(&mut self, quarter: Reg) -> Reg {
        let double = self.grow(Code::VEX_Vcvtps2pd_ymm_xmmm128, quarter);
        self.integer_of_double(double)
    }

    fn float_of_double(&mut self, a: Reg) -> Reg {
        self.shrink(Code::VEX_Vcvtpd2ps_xmm_ymmm256, a)
    }

    fn i32_of_double(&mut self, a: Reg) -> Reg {
        self.shrink(Code::VEX_Vcvttpd2dq_xmm_ymmm256, a)
    }

    /// An integer that a double may not hold: what is lost below its last bit sets that bit, so that rounding the
    /// double to a float sees on which side of the middle it lies. `small`: where it fits as it is.
    fn sticky(&mut self, a: Reg, small: Reg) -> Reg {
        let lost = self.word(LOST);
        let low = self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, a, lost);
        let carry = self.op2(Code::VEX_Vpaddq_ymm_ymm_ymmm256, low, lost);
        let all = self.op2(Code::VEX_Vpor_ymm_ymm_ymmm256, a, carry);
        let cut = self.op2(Code::VEX_Vpandn_ymm_ymm_ymmm256, lost, all);
        self.blend(small, a, cut)
    }

    fn float_of_i64(&mut self, a: Reg) -> Reg {
        let (limit, zero) = (self.word(1 << 53), self.zero());
        let moved = self.op2(Code::VEX_Vpaddq_ymm_ymm_ymmm256, a, limit);
        let beyond = self.op1_imm(Code::VEX_Vpsrlq_ymm_ymm_imm8, moved, 54);
        let small = self.equal(64, beyond, zero);
        let exact = self.sticky(a, small);
        let double = self.double_of_i64(exact);
        self.float_of_double(double)
    }

    fn float_of_u64(&mut self, a: Reg) -> Reg {
        let zero = self.zero();
        let beyond = self.op1_imm(Code::VEX_Vpsrlq_ymm_ymm_imm8, a, 53);
        let small = self.equal(64, beyond, zero);
        let exact = self.sticky(a, small);
        let double = self.double_of_u64(exact);
        self.float_of_double(double)
    }

    fn u32_of_doubles(&mut self, step: &Step) -> Done {
        let from = self.pair(one(step)?);
        let ones = self.double(power(52));
        let wide = from.map(|half| {
            let whole = self.op1_imm(Code::VEX_Vroundpd_ymm_ymmm256_imm8, half, TRUNCATE);
            self.op2(Code::VEX_Vaddpd_ymm_ymm_ymmm256, whole, ones)
        });
        let low = self.lower_dwords(wide);
        self.define_half(step, low)
    }

    fn lower_halves(&mut self, step: &Step) -> Done {
        let from = self.pair(one(step)?);
        let low = self.lower_dwords(from);
        self.define_half(step, low)
    }
}
