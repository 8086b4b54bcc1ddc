//! Integer lanes of 64 bits: what AVX2 has for lanes of 32 bits only.

use super::table::Own;
use super::{Done, Narrow, one, two};
use crate::render::x86::step::{Reg, Step};
use iced_x86::Code;

/// Rewrites operations on 64-bit integers.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, Narrow::product)),
    (Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, |to, a, b| to.best(false, a, b, b, a))),
    (Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, |to, a, b| to.best(false, a, b, a, b))),
    (Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, |to, a, b| to.best(true, a, b, b, a))),
    (Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, |to, a, b| to.best(true, a, b, a, b))),
    (Code::EVEX_Vpabsq_zmm_k1z_zmmm512b64, |to, step| to.magnitude(step)),
    (Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8, |to, step| to.shifted(step)),
    (Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64, |to, step| to.each2(step, 64, Narrow::shifted_by)),
];

impl Narrow<'_> {
    /// Both halves of two operands through a sequence.
    pub(super) fn each2(&mut self, step: &Step, bits: u32, f: fn(&mut Self, Reg, Reg) -> Reg) -> Done {
        let [a, b] = two(step)?.map(|reg| self.pair(reg));
        let halves = [f(self, a[0], b[0]), f(self, a[1], b[1])];
        self.finish(step, halves, bits)
    }

    /// Both halves of an operand through a sequence.
    pub(super) fn each1(&mut self, step: &Step, bits: u32, f: fn(&mut Self, Reg) -> Reg) -> Done {
        let a = self.pair(one(step)?);
        let halves = a.map(|half| f(self, half));
        self.finish(step, halves, bits)
    }

    /// The lower 64 bits of products: low · low, and the cross products in the upper half.
    fn product(&mut self, a: Reg, b: Reg) -> Reg {
        let swapped = self.op1_imm(Code::VEX_Vpshufd_ymm_ymmm256_imm8, b, 0b10_11_00_01);
        let cross = self.op2(Code::VEX_Vpmulld_ymm_ymm_ymmm256, a, swapped);
        let upper = self.op1_imm(Code::VEX_Vpsrlq_ymm_ymm_imm8, cross, 32);
        let sum = self.op2(Code::VEX_Vpaddd_ymm_ymm_ymmm256, cross, upper);
        let sum = self.op1_imm(Code::VEX_Vpsllq_ymm_ymm_imm8, sum, 32);
        let low = self.op2(Code::VEX_Vpmuludq_ymm_ymm_ymmm256, a, b);
        self.op2(Code::VEX_Vpaddq_ymm_ymm_ymmm256, low, sum)
    }

    /// `yes` where `a` is above `b`, else `no`.
    fn best(&mut self, unsigned: bool, a: Reg, b: Reg, yes: Reg, no: Reg) -> Reg {
        let (mut first, mut second) = (a, b);
        if unsigned {
            let sign = self.sign_bit(64);
            first = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, sign);
            second = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, b, sign);
        }
        let above = self.above(64, first, second);
        self.blend(above, yes, no)
    }

    /// All ones where a 64-bit lane is negative.
    fn sign(&mut self, a: Reg) -> Reg {
        let zero = self.zero();
        self.above(64, zero, a)
    }

    fn magnitude(&mut self, step: &Step) -> Done {
        self.each1(step, 64, |to, a| {
            let sign = to.sign(a);
            let flipped = to.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, sign);
            to.op2(Code::VEX_Vpsubq_ymm_ymm_ymmm256, flipped, sign)
        })
    }

    /// A negative number is flipped, filled with zeros from above, and flipped back: that fills it with ones.
    fn shifted(&mut self, step: &Step) -> Done {
        let (a, count) = (self.pair(one(step)?), step.inst.immediate8());
        let halves = a.map(|half| {
            let sign = self.sign(half);
            let flipped = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, half, sign);
            let moved = self.op1_imm(Code::VEX_Vpsrlq_ymm_ymm_imm8, flipped, count);
            self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, moved, sign)
        });
        self.finish(step, halves, 64)
    }

    fn shifted_by(&mut self, a: Reg, count: Reg) -> Reg {
        let sign = self.sign(a);
        let flipped = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, sign);
        let moved = self.op2(Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, flipped, count);
        self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, moved, sign)
    }
}
