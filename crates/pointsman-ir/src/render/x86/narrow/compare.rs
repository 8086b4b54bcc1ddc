//! Comparisons: lanes become all ones where they hold. Unsigned integers are compared as signed ones once the highest
//! bit of both is flipped.

use super::table::Own;
use super::{Done, Narrow, one, two, unknown};
use crate::render::x86::step::{Reg, Step};
use iced_x86::Code;

/// Rewrites comparisons.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, |to, step| to.compared_floats(step, 32)),
    (Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae, |to, step| to.compared_floats(step, 64)),
    (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, |to, step| to.compared(step, 32, false)),
    (Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8, |to, step| to.compared(step, 64, false)),
    (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, |to, step| to.compared(step, 32, true)),
    (Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8, |to, step| to.compared(step, 64, true)),
    (Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, |to, step| to.tested(step, 32)),
    (Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64, |to, step| to.tested(step, 64)),
    (Code::EVEX_Vpmovd2m_kr_zmm, |to, step| to.negative(step, 32)),
    (Code::EVEX_Vpmovq2m_kr_zmm, |to, step| to.negative(step, 64)),
];

/// The predicates of `vpcmpd`.
const EQUAL: u8 = 0;
const LESS: u8 = 1;
const LESS_OR_EQUAL: u8 = 2;
const NOT_EQUAL: u8 = 4;
const NOT_LESS: u8 = 5;
const GREATER: u8 = 6;

impl Narrow<'_> {
    fn set_truth(&mut self, step: &Step, halves: [Reg; 2], bits: u32) -> Done {
        if bits == 64 { self.set_wide_rows(step, halves) } else { self.set_rows(step, halves) }
    }

    fn compared_floats(&mut self, step: &Step, bits: u32) -> Done {
        let code =
            if bits == 64 { Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8 } else { Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8 };
        let [a, b] = two(step)?.map(|reg| self.pair(reg));
        let halves = [0, 1].map(|half| self.op2_imm(code, a[half], b[half], step.inst.immediate8()));
        self.set_truth(step, halves, bits)
    }

    fn compared(&mut self, step: &Step, bits: u32, unsigned: bool) -> Done {
        let predicate = step.inst.immediate8();
        let [mut a, mut b] = two(step)?.map(|reg| self.pair(reg));
        let negated = match predicate {
            EQUAL | LESS | GREATER => false,
            NOT_EQUAL | NOT_LESS | LESS_OR_EQUAL => true,
            _ => return Err(unknown(step)),
        };
        let halves = if matches!(predicate, EQUAL | NOT_EQUAL) {
            [0, 1].map(|half| self.equal(bits, a[half], b[half]))
        } else {
            if unsigned {
                [a, b] = [a, b].map(|operand| self.flipped(bits, operand));
            }
            if matches!(predicate, LESS | NOT_LESS) {
                (a, b) = (b, a);
            }
            [0, 1].map(|half| self.above(bits, a[half], b[half]))
        };
        let halves = if negated { halves.map(|half| self.not(half)) } else { halves };
        self.set_truth(step, halves, bits)
    }

    /// The highest bit of each lane flipped, in both halves; once where they are one register.
    fn flipped(&mut self, bits: u32, [low, high]: [Reg; 2]) -> [Reg; 2] {
        let sign = self.sign_bit(bits);
        let first = self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, low, sign);
        [first, if low == high { first } else { self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, high, sign) }]
    }

    /// All ones where lanes are the same.
    pub(super) fn equal(&mut self, bits: u32, a: Reg, b: Reg) -> Reg {
        let wide = bits == 64;
        self.op2(if wide { Code::VEX_Vpcmpeqq_ymm_ymm_ymmm256 } else { Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256 }, a, b)
    }

    /// All ones where signed lanes of `a` are greater.
    pub(super) fn above(&mut self, bits: u32, a: Reg, b: Reg) -> Reg {
        let wide = bits == 64;
        self.op2(if wide { Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256 } else { Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256 }, a, b)
    }

    /// All bits flipped.
    pub(super) fn not(&mut self, a: Reg) -> Reg {
        let ones = self.ones();
        self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, ones)
    }

    fn tested(&mut self, step: &Step, bits: u32) -> Done {
        let [a, b] = two(step)?.map(|reg| self.pair(reg));
        let zero = self.zero();
        let halves = [0, 1].map(|half| {
            let both = self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, a[half], b[half]);
            let none = self.equal(bits, both, zero);
            self.not(none)
        });
        self.set_truth(step, halves, bits)
    }

    fn negative(&mut self, step: &Step, bits: u32) -> Done {
        let (a, zero) = (self.pair(one(step)?), self.zero());
        let halves = a.map(|half| self.above(bits, zero, half));
        self.set_truth(step, halves, bits)
    }
}
