//! Masks: their algebra, their way from and to bits, and their rows in lanes of 64 bits.

use super::general::Gpr;
use super::table::Own;
use super::{Done, Narrow, general, one, two, unknown, written};
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Reg, Step};
use iced_x86::{Code, Register};

/// Rewrites mask instructions.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::VEX_Kandw_kr_kr_kr, |to, step| to.logic(step, Code::VEX_Vpand_ymm_ymm_ymmm256)),
    (Code::VEX_Korw_kr_kr_kr, |to, step| to.logic(step, Code::VEX_Vpor_ymm_ymm_ymmm256)),
    (Code::VEX_Kxorw_kr_kr_kr, |to, step| to.logic(step, Code::VEX_Vpxor_ymm_ymm_ymmm256)),
    (Code::VEX_Kandnw_kr_kr_kr, |to, step| to.logic(step, Code::VEX_Vpandn_ymm_ymm_ymmm256)),
    (Code::VEX_Kxnorw_kr_kr_kr, |to, step| to.same_truth(step)),
    (Code::VEX_Knotw_kr_kr, |to, step| to.inverse(step)),
    (Code::VEX_Kshiftrw_kr_kr_imm8, |to, step| to.upper_rows(step)),
    (Code::VEX_Kunpckbw_kr_kr_kr, |to, step| to.joined_rows(step)),
    (Code::VEX_Kmovw_kr_km16, |to, step| to.mask_from_memory(step)),
    (Code::VEX_Kmovw_kr_r32, |to, step| to.mask_from_general(step)),
    (Code::VEX_Kmovw_m16_kr, |to, step| to.mask_to_memory(step)),
    (Code::VEX_Kmovw_r32_kr, |to, step| {
        let (general, mask) = (general(step)?, one(step)?);
        to.bits_to_general(mask, general);
        Ok(())
    }),
    (Code::VEX_Kmovb_r32_kr, |to, step| to.byte_to_general(step)),
    (Code::VEX_Kortestw_kr_kr, |to, step| to.any_row(step)),
];

impl Narrow<'_> {
    /// The rows of a mask as they govern lanes of 32 or 64 bits.
    pub(super) fn rows(&mut self, mask: Reg, bits: u32) -> [Reg; 2] {
        if bits == 64 { self.wide_rows(mask) } else { self.pair(mask) }
    }

    /// Rows 0–7 of a mask in lanes of 64 bits.
    pub(super) fn wide_rows(&mut self, mask: Reg) -> [Reg; 2] {
        let low = self.pair(mask)[0];
        if let Some(wide) = self.known_wide(low) {
            return wide;
        }
        let wide = self.quarters(low).map(|quarter| self.grow(Code::VEX_Vpmovsxdq_ymm_xmmm128, quarter));
        self.wide.insert(low, wide);
        wide
    }

    fn known_wide(&self, low: Reg) -> Option<[Reg; 2]> {
        if self.uniform.contains(&low) { Some([low; 2]) } else { self.wide.get(&low).copied() }
    }

    /// Takes down a mask whose rows 0–7 are there in lanes of 64 bits, if they are.
    pub(super) fn define_mask(&mut self, dst: Reg, halves: [Reg; 2], wide: Option<[Reg; 2]>) {
        self.define(dst, halves);
        if let Some(wide) = wide {
            let low = self.pair(dst)[0];
            self.wide.insert(low, wide);
        }
    }

    /// Takes down a mask of 16 rows, each under the step's own mask.
    pub(super) fn set_rows(&mut self, step: &Step, mut halves: [Reg; 2]) -> Done {
        if let Some(under) = step.opmask() {
            let under = self.pair(under);
            halves = [0, 1].map(|half| self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, halves[half], under[half]));
        }
        self.define(written(step)?, halves);
        Ok(())
    }

    /// As [`Narrow::set_rows`], for 8 rows in lanes of 64 bits: the other 8 are not in the mask.
    pub(super) fn set_wide_rows(&mut self, step: &Step, mut wide: [Reg; 2]) -> Done {
        if let Some(under) = step.opmask() {
            let under = self.wide_rows(under);
            wide = [0, 1].map(|half| self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, wide[half], under[half]));
        }
        let halves = [self.lower_dwords(wide), self.zero()];
        self.define_mask(written(step)?, halves, Some(wide));
        Ok(())
    }

    fn logic(&mut self, step: &Step, code: Code) -> Done {
        let operands = two(step)?;
        let [a, b] = operands.map(|mask| self.pair(mask));
        let halves = [0, 1].map(|half| self.op2(code, a[half], b[half]));
        let wide = match (self.known_wide(a[0]), self.known_wide(b[0])) {
            (Some(a), Some(b)) => Some([0, 1].map(|half| self.op2(code, a[half], b[half]))),
            (_, None) | (None, _) => None,
        };
        self.define_mask(written(step)?, halves, wide);
        Ok(())
    }

    fn same_truth(&mut self, step: &Step) -> Done {
        let [a, b] = two(step)?.map(|mask| self.pair(mask));
        let code = Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256;
        let halves = [0, 1].map(|half| self.op2(code, a[half], b[half]));
        self.define(written(step)?, halves);
        Ok(())
    }

    fn inverse(&mut self, step: &Step) -> Done {
        let (a, ones) = (self.pair(one(step)?), self.ones());
        let mut not = |a| self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, ones);
        let halves = a.map(&mut not);
        let wide = self.known_wide(a[0]).map(|wide| wide.map(|a| self.op2(Code::VEX_Vpxor_ymm_ymm_ymmm256, a, ones)));
        self.define_mask(written(step)?, halves, wide);
        Ok(())
    }

    fn upper_rows(&mut self, step: &Step) -> Done {
        if step.inst.immediate8() != 8 {
            return Err(unknown(step));
        }
        let upper = self.pair(one(step)?)[1];
        let halves = [self.kept(upper), self.zero()];
        self.define(written(step)?, halves);
        Ok(())
    }

    fn joined_rows(&mut self, step: &Step) -> Done {
        let [high, low] = two(step)?.map(|mask| self.pair(mask)[0]);
        let halves = [low, high].map(|half| self.kept(half));
        self.define(written(step)?, halves);
        Ok(())
    }

    /// Rows from 16 bits that stand in every pair of bytes.
    fn rows_of_bits(&mut self, bits: Reg) -> [Reg; 2] {
        [0, 8].map(|first| {
            let bit = |row: u64| 1u64 << (first + row);
            let own = self.words([0, 2, 4, 6].map(|row| bit(row) | bit(row + 1) << 32));
            let found = self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, bits, own);
            self.op2(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, found, own)
        })
    }

    fn mask_from_memory(&mut self, step: &Step) -> Done {
        let memory = step.memory().ok_or_else(|| unknown(step))?;
        let bits = self.fresh();
        self.push(Step::new(Code::VEX_Vpbroadcastw_ymm_xmmm16).def_half(bits).mem(memory));
        let halves = self.rows_of_bits(bits);
        self.define(written(step)?, halves);
        Ok(())
    }

    fn mask_from_general(&mut self, step: &Step) -> Done {
        let low = self.fresh();
        self.push(Step::new(Code::VEX_Vmovd_xmm_rm32).def_quarter(low).gpr(general(step)?));
        let bits = self.grow(Code::VEX_Vpbroadcastw_ymm_xmmm16, low);
        let halves = self.rows_of_bits(bits);
        self.define(written(step)?, halves);
        Ok(())
    }

    /// A mask's 16 bits in a general register.
    pub(super) fn bits_to_general(&mut self, mask: Reg, general: Register) {
        let [low, high] = self.pair(mask);
        let words = self.op2(Code::VEX_Vpackssdw_ymm_ymm_ymmm256, low, high);
        let bytes = self.op2(Code::VEX_Vpacksswb_ymm_ymm_ymmm256, words, words);
        // Packing works by quarters: rows 0–3 and 8–11 lie in the lower one, the others in the upper one.
        let order = self.words([4 << 32, 1 | 5 << 32, 4 << 32, 1 | 5 << 32]);
        let bytes = self.op2(Code::VEX_Vpermd_ymm_ymm_ymmm256, order, bytes);
        self.push(Step::new(Code::VEX_Vpmovmskb_r32_xmm).gpr(general).read_quarter(bytes));
    }

    fn byte_to_general(&mut self, step: &Step) -> Done {
        let low = self.pair(one(step)?)[0];
        self.push(Step::new(Code::VEX_Vmovmskps_r32_ymm).gpr(general(step)?).read_half(low));
        Ok(())
    }

    fn mask_to_memory(&mut self, step: &Step) -> Done {
        let (memory, mask) = (step.memory().ok_or_else(|| unknown(step))?, one(step)?);
        self.with_register(Some(memory), |to, Gpr { dword, word, byte, .. }| {
            if memory.base == SCRATCH {
                // It is read again at once: two bytes written apart would have to wait for each other.
                to.bits_to_general(mask, dword);
                to.push(Step::new(Code::Mov_rm16_r16).mem(memory).gpr(word));
                return;
            }
            for (at, half) in (0..).zip(to.pair(mask)) {
                to.push(Step::new(Code::VEX_Vmovmskps_r32_ymm).gpr(dword).read_half(half));
                to.push(Step::new(Code::Mov_rm8_r8).mem(memory.plus(at)).gpr(byte));
            }
        })
    }

    /// Sets the zero flag if no row is in either mask.
    fn any_row(&mut self, step: &Step) -> Done {
        let [a, b] = two(step)?;
        let mut found = self.pair(a).to_vec();
        if a != b {
            found.extend(self.pair(b));
        }
        let mut all = found[0];
        for &half in &found[1..] {
            all = self.op2(Code::VEX_Vpor_ymm_ymm_ymmm256, all, half);
        }
        self.push(Step::new(Code::VEX_Vptest_ymm_ymmm256).read_half(all).read_half(all));
        Ok(())
    }
}
