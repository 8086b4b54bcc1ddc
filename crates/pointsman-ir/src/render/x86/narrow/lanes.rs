//! Lanes that change places: halves, blends, shifts by whole lanes, and rows moved together.

use super::table::Own;
use super::{Done, HALF, Narrow, one, two, unknown, written};
use crate::render::x86::NotEmitted;
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Fill, Memory, Reg, Step};
use crate::render::x86::wide;
use iced_x86::{Code, Register};

/// Rewrites moves between lanes.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8, |to, step| to.half(step)),
    (Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8, |to, step| to.half_replaced(step)),
    (Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, |to, step| to.blended(step, 32)),
    (Code::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64, |to, step| to.blended(step, 64)),
    (Code::EVEX_Vblendmps_zmm_k1z_zmm_zmmm512b32, |to, step| to.blended(step, 32)),
    (Code::EVEX_Vblendmpd_zmm_k1z_zmm_zmmm512b64, |to, step| to.blended(step, 64)),
    (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, |to, step| to.aligned(step, 32)),
    (Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8, |to, step| to.aligned(step, 64)),
    (Code::EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64, |to, step| to.ordered(step)),
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
        self.define(written(step)?, halves);
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

    /// The words of two vectors in one of the orders that values of 128 bits need.
    fn ordered(&mut self, step: &Step) -> Done {
        let [order, second] = two(step)?;
        let dst = written(step)?;
        let home = self.old.regs[order.index()].home.filter(|home| home.base == SCRATCH && home.fill == Fill::Whole);
        let start = home.ok_or_else(|| unknown(step))?.offset as usize / 8;
        let order: Vec<u64> = self.shared.constants[start..start + 8].to_vec();
        let (a, b) = (self.pair(dst), self.pair(second));
        let (low, high) = (Code::VEX_Vpunpcklqdq_ymm_ymm_ymmm256, Code::VEX_Vpunpckhqdq_ymm_ymm_ymmm256);
        let swap = |to: &mut Self, a| to.op1_imm(Code::VEX_Vpermq_ymm_ymmm256_imm8, a, 0b11_01_10_00);
        let halves = if order == wide::EVEN || order == wide::ODD {
            // Unpacking works by quarters: the middle words change places after it, or before it.
            let code = if order == wide::EVEN { low } else { high };
            [a, b].map(|[first, second]| {
                let mixed = self.op2(code, first, second);
                swap(self, mixed)
            })
        } else if order == wide::INTERLEAVE_LOWER || order == wide::INTERLEAVE_UPPER {
            let half = usize::from(order == wide::INTERLEAVE_UPPER);
            let (a, b) = (swap(self, a[half]), swap(self, b[half]));
            [low, high].map(|code| self.op2(code, a, b))
        } else {
            return Err(unknown(step));
        };
        self.finish(step, halves, 64)
    }

    /// The rows of the mask side by side, zeros after them: each half through a table of orders, then the second one
    /// laid down behind what the first one has.
    fn compressed(&mut self, step: &Step, bits: u32) -> Done {
        let mask = step.opmask().filter(|_| step.inst.zeroing_masking() && step.memory().is_none());
        let mask = mask.ok_or_else(|| unknown(step))?;
        let (dst, value, rows) = (written(step)?, self.pair(one(step)?), self.rows(mask, bits));
        let mut parts = [0, 1].map(|half| self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, value[half], rows[half]));
        let table = self.shared.constant(&if bits == 64 { orders(4, 2) } else { orders(8, 1) });
        self.with_register(None, |to, gpr| {
            for half in 0..2 {
                to.push(Step::new(rows_code(bits)).gpr(gpr.dword).read_half(rows[half]));
                let order = to.fresh();
                let entry = Memory { index: gpr.full, scale: 8, ..Memory::at(SCRATCH, table) };
                to.push(Step::new(Code::VEX_Vpmovzxbd_ymm_xmmm64).def_half(order).mem(entry));
                parts[half] = to.op2(Code::VEX_Vpermd_ymm_ymm_ymmm256, order, parts[half]);
            }
        })?;
        let packed = Packed { parts, first_rows: self.kept(rows[0]), bits };
        if self.is_only_stored(dst) {
            self.packed.insert(dst, packed);
            return Ok(());
        }
        let place = Memory::at(SCRATCH, self.shared.state((u32::MAX, 2), 2 * HALF));
        let zero = self.zero();
        self.store(place.plus(HALF), zero);
        self.store_packed_rows(place, packed)?;
        let halves = [place, place.plus(HALF)].map(|place| self.load(place));
        self.define(dst, halves);
        Ok(())
    }

    /// Whether all that becomes of a register is that one step writes it to memory, whole.
    fn is_only_stored(&self, reg: Reg) -> bool {
        let names = |step: &&Step| step.virtual_operands.iter().any(|operand| operand.reg == reg);
        let mut users = self.old.steps[self.at + 1..].iter().filter(names);
        let stores = [Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm];
        let stored = |step: &Step| stores.contains(&step.inst.code()) && step.opmask().is_none();
        !self.own[reg.index()] && users.next().is_some_and(stored) && users.next().is_none()
    }

    /// Writes both parts, the second after the rows that the first has; what lies after both is not written.
    pub(super) fn store_packed_rows(&mut self, memory: Memory, packed: Packed) -> Done {
        let Packed { parts, first_rows, bits } = packed;
        if memory.index != Register::None && memory.scale != bits / 8 {
            return Err(NotEmitted::new("rows are written side by side at another distance than their own"));
        }
        self.store(memory, parts[0]);
        self.with_register(Some(memory), |to, gpr| {
            to.push(Step::new(rows_code(bits)).gpr(gpr.dword).read_half(first_rows));
            to.push(Step::new(Code::Popcnt_r32_rm32).gpr(gpr.dword).gpr(gpr.dword));
            if memory.index != Register::None {
                to.push(Step::new(Code::Add_r64_rm64).gpr(gpr.full).gpr(memory.index));
            }
            to.store(Memory { index: gpr.full, scale: bits / 8, ..memory }, parts[1]);
        })
    }
}

/// Rows side by side in each half by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    parts: [Reg; 2],
    /// The rows that the first half was taken from.
    first_rows: Reg,
    bits: u32,
}

/// The instruction that tells the rows of a vector.
fn rows_code(bits: u32) -> Code {
    if bits == 64 { Code::VEX_Vmovmskpd_r32_ymm } else { Code::VEX_Vmovmskps_r32_ymm }
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
