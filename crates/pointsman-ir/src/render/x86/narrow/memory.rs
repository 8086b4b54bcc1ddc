//! Loads and stores of whole lanes, some under a mask: in a tail nothing is touched where a row is missing; elsewhere
//! all rows are in memory, so masked-out values may be read and written back.

use super::table::Own;
use super::{Done, HALF, Narrow, general, one, unknown, written};
use crate::render::x86::step::{Memory, Reg, Step};
use iced_x86::Code;

/// Rewrites moves.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, |to, step| to.moved(step, 32)),
    (Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, |to, step| to.moved(step, 64)),
    (Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, |to, step| to.moved(step, 32)),
    (Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512, |to, step| to.moved(step, 64)),
    (Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, |to, step| to.stored(step, 32)),
    (Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, |to, step| to.stored(step, 64)),
    (Code::EVEX_Vmovntdq_m512_zmm, |to, step| to.streamed(step)),
    (Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, |to, step| to.spread(step, Code::VEX_Vpbroadcastd_ymm_xmmm32, 32)),
    (Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, |to, step| to.spread(step, Code::VEX_Vpbroadcastq_ymm_xmmm64, 64)),
    (Code::EVEX_Vpbroadcastd_zmm_k1z_r32, |to, step| {
        to.spread_general(step, Code::VEX_Vmovd_xmm_rm32, Code::VEX_Vpbroadcastd_ymm_xmmm32, 32)
    }),
    (Code::EVEX_Vpbroadcastq_zmm_k1z_r64, |to, step| {
        to.spread_general(step, Code::VEX_Vmovq_xmm_rm64, Code::VEX_Vpbroadcastq_ymm_xmmm64, 64)
    }),
];

impl Narrow<'_> {
    /// A copy, or a load.
    fn moved(&mut self, step: &Step, bits: u32) -> Done {
        let Some(memory) = step.memory() else {
            let from = self.pair(one(step)?);
            let halves = from.map(|half| self.kept(half));
            return self.finish(step, halves, bits);
        };
        let places = [memory, memory.plus(HALF)];
        let Some(mask) = step.opmask().filter(|_| self.tail) else {
            let halves = places.map(|place| self.load(place));
            return self.finish(step, halves, bits);
        };
        let rows = self.rows(mask, bits);
        let code = if bits == 64 { Code::VEX_Vpmaskmovq_ymm_ymm_m256 } else { Code::VEX_Vpmaskmovd_ymm_ymm_m256 };
        let halves = [0, 1].map(|half| {
            let dst = self.fresh();
            self.push(Step::new(code).def_half(dst).read_half(rows[half]).mem(places[half]));
            dst
        });
        if step.inst.zeroing_masking() {
            self.define(written(step)?, halves);
            return Ok(());
        }
        self.finish(step, halves, bits)
    }

    fn stored(&mut self, step: &Step, bits: u32) -> Done {
        let memory = step.memory().ok_or_else(|| unknown(step))?;
        if let Some(packed) = self.packed.remove(&one(step)?) {
            return self.store_packed_rows(memory, packed);
        }
        let value = self.pair(one(step)?);
        let rows = step.opmask().map(|mask| self.rows(mask, bits));
        for (half, place) in [memory, memory.plus(HALF)].into_iter().enumerate() {
            match rows {
                Some(rows) => self.store_rows(bits, place, rows[half], value[half]),
                None => self.store(place, value[half]),
            }
        }
        Ok(())
    }

    fn store_rows(&mut self, bits: u32, place: Memory, rows: Reg, value: Reg) {
        if !self.tail {
            let old = self.load(place);
            let new = self.blend(rows, value, old);
            return self.store(place, new);
        }
        let code = if bits == 64 { Code::VEX_Vpmaskmovq_m256_ymm_ymm } else { Code::VEX_Vpmaskmovd_m256_ymm_ymm };
        self.push(Step::new(code).mem(place).read_half(rows).read_half(value));
    }

    fn streamed(&mut self, step: &Step) -> Done {
        let (value, memory) = (self.pair(one(step)?), step.memory().ok_or_else(|| unknown(step))?);
        for (half, place) in [memory, memory.plus(HALF)].into_iter().enumerate() {
            self.push(Step::new(Code::VEX_Vmovntdq_m256_ymm).mem(place).read_half(value[half]));
        }
        Ok(())
    }

    /// One element in all lanes, from memory or from the first lane.
    fn spread(&mut self, step: &Step, code: Code, bits: u32) -> Done {
        let dst = match step.memory() {
            Some(memory) => {
                let dst = self.fresh();
                self.push(Step::new(code).def_half(dst).mem(memory));
                dst
            }
            None => {
                let from = self.pair(one(step)?)[0];
                self.grow(code, from)
            }
        };
        self.finish(step, [dst; 2], bits)
    }

    fn spread_general(&mut self, step: &Step, taken: Code, code: Code, bits: u32) -> Done {
        let first = self.fresh();
        self.push(Step::new(taken).def_quarter(first).gpr(general(step)?));
        let dst = self.grow(code, first);
        self.finish(step, [dst; 2], bits)
    }
}
