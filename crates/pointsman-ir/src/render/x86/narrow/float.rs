//! The least and the greatest of floats, and one NaN for all.

use super::table::Own;
use super::{Done, Narrow, NotEmitted, reads, two, unknown, written};
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Reg, Step};
use iced_x86::Code;

/// Rewrites `vrange` and `vfixupimm`.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae, |to, step| to.ranged(step, 32)),
    (Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae, |to, step| to.ranged(step, 64)),
    (Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae, |to, step| to.fixed(step, 32)),
    (Code::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae, |to, step| to.fixed(step, 64)),
];

/// The forms of `vrange` that are known: the least, the greatest, with the sign they have.
const LEAST: u8 = 4;
const GREATEST: u8 = 5;
/// The form of `vfixupimm` that is known: NaNs become what the first operand has, all else stays.
const NAN_RESPONSES: u32 = 0x1111_1100;
/// The predicates of `vcmpps`.
const EQUAL: u8 = 0;
const UNORDERED: u8 = 3;

impl Narrow<'_> {
    /// All ones where a comparison of floats holds.
    fn compared_with(&mut self, bits: u32, a: Reg, b: Reg, predicate: u8) -> Reg {
        let wide = bits == 64;
        let code = if wide { Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8 } else { Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8 };
        self.op2_imm(code, a, b, predicate)
    }

    /// The first operand where the second is a NaN, else the least or greatest. `vminps` takes its second operand where
    /// one is a NaN and where both are zeros: there the signs of the two are joined. (`vrange` returns a signalling
    /// NaN, which no step looks at.)
    fn ranged(&mut self, step: &Step, bits: u32) -> Done {
        use Code as C;
        let (greatest, wide) = (step.inst.immediate8() == GREATEST, bits == 64);
        if !greatest && step.inst.immediate8() != LEAST {
            return Err(unknown(step));
        }
        let code = match (greatest, wide) {
            (false, false) => C::VEX_Vminps_ymm_ymm_ymmm256,
            (false, true) => C::VEX_Vminpd_ymm_ymm_ymmm256,
            (true, false) => C::VEX_Vmaxps_ymm_ymm_ymmm256,
            (true, true) => C::VEX_Vmaxpd_ymm_ymm_ymmm256,
        };
        let [a, b] = two(step)?.map(|reg| self.pair(reg));
        let halves = [0, 1].map(|half| {
            let nan = self.compared_with(bits, b[half], b[half], UNORDERED);
            let (a, b) = (a[half], self.blend(nan, a[half], b[half]));
            let best = self.op2(code, a, b);
            let same = self.compared_with(bits, a, b, EQUAL);
            if greatest {
                let missing = self.op2(C::VEX_Vpandn_ymm_ymm_ymmm256, a, same);
                return self.op2(C::VEX_Vpandn_ymm_ymm_ymmm256, missing, best);
            }
            let more = self.op2(C::VEX_Vpand_ymm_ymm_ymmm256, a, same);
            self.op2(C::VEX_Vpor_ymm_ymm_ymmm256, more, best)
        });
        self.finish(step, halves, bits)
    }

    fn fixed(&mut self, step: &Step, bits: u32) -> Done {
        let (dst, reads) = (written(step)?, reads(step));
        let [value, responses] = reads[..] else { return Err(unknown(step)) };
        let home = self.old.regs[responses.index()].home.filter(|home| home.base == SCRATCH);
        let known = home.map(|home| self.shared.constants[home.offset as usize / 8] as u32);
        if known != Some(NAN_RESPONSES) || step.inst.immediate8() != 0 {
            return Err(NotEmitted::new("another form of `vfixupimm` has no AVX2 form yet"));
        }
        let (instead, value) = (self.pair(dst), self.pair(value));
        let halves = [0, 1].map(|half| {
            let nan = self.compared_with(bits, value[half], value[half], UNORDERED);
            self.blend(nan, instead[half], value[half])
        });
        self.finish(step, halves, bits)
    }
}
