//! Lanes that change places: halves, blends, shifts by whole lanes, and rows moved together.

use super::general::Gpr;
use super::table::Own;
use super::{Done, HALF, Narrow, one, two, unknown};
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Memory, Reg, Step};
use iced_x86::Code;

/// What becomes of moves between lanes.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, |to, step| to.half(step)),
    (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, |to, step| to.half_replaced(step)),
    (Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, |to, step| to.blended(step, 32)),
    (Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, |to, step| to.blended(step, 64)),
    (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, |to, step| to.aligned(step, 32)),
    (Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8, |to, step| to.aligned(step, 64)),
    (Code::EVEX_Vpcompressd_zmmm512_k1z_zmm, |to, step| to.compressed(step, 32)),
    (Code::EVEX_Vpcompressq_zmmm512_k1z_zmm, |to, step| to.compressed(step, 64)),
];

impl Narrow<'_> {
    fn half(&mut self, step: &Step) -> Done {
        if step.memory().is_some() {
            return Err(unknown(step));
        }
        let half = self.pair(one(step)?)[usize::from(step.inst.immediate8() & 1)];
        let low = self.kept(half);
        self.define_half(step, low)
    }

    fn half_replaced(&mut self, step: &Step) -> Done {
        let [of, with] = two(step)?.map(|reg| self.pair(reg));
        let upper = step.inst.immediate8() & 1 == 1;
        let halves = if upper { [of[0], with[0]] } else { [with[0], of[1]] };
        let halves = halves.map(|half| self.kept(half));
        self.finish(step, halves, 64)
    }

    fn blended(&mut self, step: &Step, bits: u32) -> Done {
        let [no, yes] = two(step)?.map(|reg| self.pair(reg));
        let mask = step.opmask().ok_or_else(|| unknown(step))?;
        let rows = self.rows(mask, bits);
        let halves = [0, 1].map(|half| self.blend(rows[half], yes[half], no[half]));
        self.define(super::written(step)?, halves);
        Ok(())
    }

    /// Both operands side by side, the second below, moved down by some lanes.
    fn aligned(&mut self, step: &Step, bits: u32) -> Done {
        let [high, low] = two(step)?.map(|reg| self.pair(reg));
        let (lanes, bytes) = (512 / bits as usize, bits as usize / 8);
        let moved = usize::from(step.inst.immediate8()) % lanes * bytes;
        let all = [low[0], low[1], high[0], high[1]];
        let (first, rest) = (moved / HALF as usize, (moved % HALF as usize) as u8);
        let halves = [0, 1].map(|half| self.between(all[first + half], all.get(first + half + 1).copied(), rest));
        self.finish(step, halves, bits)
    }

    /// The vector that starts some bytes into the first one and goes on in the next.
    fn between(&mut self, low: Reg, high: Option<Reg>, bytes: u8) -> Reg {
        let Some(high) = high.filter(|_| bytes > 0) else { return self.kept(low) };
        let middle = self.op2_imm(Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, low, high, 0x21);
        let align = Code::VEX_Vpalignr_ymm_ymm_ymmm256_imm8;
        match bytes {
            16 => middle,
            0..16 => self.op2_imm(align, middle, low, bytes),
            17.. => self.op2_imm(align, high, middle, bytes - 16),
        }
    }

    /// The rows of the mask side by side, zeros behind them: each half through a table of orders, then the second one
    /// laid down behind what the first one has.
    fn compressed(&mut self, step: &Step, bits: u32) -> Done {
        let mask = step.opmask().filter(|_| step.inst.zeroing_masking() && step.memory().is_none());
        let mask = mask.ok_or_else(|| unknown(step))?;
        let (value, rows) = (self.pair(one(step)?), self.rows(mask, bits));
        let table = self.shared.constant(&if bits == 64 { orders(4, 2) } else { orders(8, 1) });
        let place = Memory::at(SCRATCH, self.shared.state((u32::MAX, 2), 2 * HALF));
        let found = if bits == 64 { Code::VEX_Vmovmskpd_r32_ymm } else { Code::VEX_Vmovmskps_r32_ymm };
        let zero = self.zero();
        self.borrow(None, |to, Gpr { full, dword, .. }| {
            let [second, first] = [1, 0].map(|half| {
                let kept = to.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, value[half], rows[half]);
                to.push(Step::new(found).gpr(dword).read_half(rows[half]));
                let order = to.fresh();
                let entry = Memory { index: full, scale: 8, ..Memory::at(SCRATCH, table) };
                to.push(Step::new(Code::VEX_Vpmovzxbd_ymm_xmmm64).def_half(order).mem(entry));
                to.op2(Code::VEX_Vpermd_ymm_ymm_ymmm256, order, kept)
            });
            to.store(place, first);
            to.store(place.plus(HALF), zero);
            to.push(Step::new(Code::Popcnt_r32_rm32).gpr(dword).gpr(dword));
            to.store(Memory { index: full, scale: bits / 8, ..place }, second);
        })?;
        let halves = [place, place.plus(HALF)].map(|place| self.load(place));
        self.define(super::written(step)?, halves);
        Ok(())
    }
}

/// For each choice of rows: those first, then the others; as places of 32-bit lanes, `width` a row.
fn orders(rows: u64, width: u64) -> Vec<u64> {
    let order = |chosen: u64| {
        let is_in = |row: &u64| chosen >> row & 1 == 1;
        let places = (0..rows).filter(is_in).chain((0..rows).filter(|row| !is_in(row)));
        let lanes = places.flat_map(|row| (0..width).map(move |lane| row * width + lane));
        (0..).zip(lanes).fold(0, |word, (at, lane)| word | lane << (8 * at))
    };
    (0..1 << rows).map(order).collect()
}
