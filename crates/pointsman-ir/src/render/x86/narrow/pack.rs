//! Integers of 8 and 16 bits between memory and lanes of 32.
//!
//! In a tail, each existing row is read or written separately, because wider accesses may exceed the memory.

use super::table::Own;
use super::{Done, Narrow, one, unknown};
use crate::render::x86::step::{Access, Memory, Reg, Size, Step};
use iced_x86::Code;

/// Rewrites narrow loads and stores.
pub(super) const FORMS: &[(Code, Own)] = &[
    (Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128, |to, step| to.unpacked(step, Code::VEX_Vpmovsxbd_ymm_xmmm64, 1)),
    (Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128, |to, step| to.unpacked(step, Code::VEX_Vpmovzxbd_ymm_xmmm64, 1)),
    (Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256, |to, step| to.unpacked(step, Code::VEX_Vpmovsxwd_ymm_xmmm128, 2)),
    (Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, |to, step| to.unpacked(step, Code::VEX_Vpmovzxwd_ymm_xmmm128, 2)),
    (Code::EVEX_Vpmovdb_xmmm128_k1z_zmm, |to, step| to.packed(step, 1)),
    (Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, |to, step| to.packed(step, 2)),
];

const ROWS: u32 = 16;
/// Rows of half a vector.
const HALF_ROWS: u32 = 8;

impl Narrow<'_> {
    /// Lanes from memory, each element extended.
    fn unpacked(&mut self, step: &Step, code: Code, bytes: u32) -> Done {
        let memory = step.memory().ok_or_else(|| unknown(step))?;
        let halves = match step.opmask().filter(|_| self.tail) {
            Some(mask) => self.picked_up(code, bytes, memory, mask)?,
            None => [0, 1].map(|half| {
                let dst = self.fresh();
                self.push(Step::new(code).def_half(dst).mem(memory.plus(half * HALF_ROWS * bytes)));
                dst
            }),
        };
        self.finish(step, halves, 32)
    }

    /// Lanes from the rows of memory that a mask has.
    fn picked_up(&mut self, code: Code, bytes: u32, memory: Memory, mask: Reg) -> Result<[Reg; 2], super::NotEmitted> {
        let zero = self.zero();
        let quarters = [self.copy(zero), self.copy(zero)];
        let insert =
            if bytes == 1 { Code::VEX_Vpinsrb_xmm_xmm_r32m8_imm8 } else { Code::VEX_Vpinsrw_xmm_xmm_r32m16_imm8 };
        self.each_row(memory, mask, |to, row| {
            let into = quarters[(row * bytes / ROWS) as usize];
            let step = Step::new(insert).operand(into, Size::Xmm, Access::Change).read_quarter(into);
            to.push(step.mem(memory.plus(row * bytes)).imm((row % (ROWS / bytes)) as u8));
        })?;
        let second = if bytes == 1 {
            let dst = self.fresh();
            let code = Code::VEX_Vpsrldq_xmm_xmm_imm8;
            self.push(Step::new(code).def_quarter(dst).read_quarter(quarters[0]).imm(HALF_ROWS as u8));
            dst
        } else {
            quarters[1]
        };
        Ok([quarters[0], second].map(|quarter| self.grow(code, quarter)))
    }

    /// Runs a step for each row of a mask, and none for the others.
    fn each_row(&mut self, memory: Memory, mask: Reg, f: impl Fn(&mut Self, u32)) -> Done {
        self.with_register(Some(memory), |to, gpr| {
            to.bits_to_general(mask, gpr.dword);
            for row in 0..ROWS {
                let skip = to.shared.label();
                to.push(Step::new(Code::Test_rm32_imm32).gpr(gpr.dword).imm32(1 << row));
                to.push(Step::jump(Code::Je_rel32_64, skip));
                f(to, row);
                to.push(Step::label(skip));
            }
        })
    }

    /// The lower bits of lanes to memory.
    fn packed(&mut self, step: &Step, bytes: u32) -> Done {
        let (value, memory) = (self.pair(one(step)?), step.memory().ok_or_else(|| unknown(step))?);
        let bits = self.dword(if bytes == 1 { 0xff } else { 0xffff });
        let lanes = value.map(|half| self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, half, bits));
        let packed =
            self.pack(lanes, bytes, [Code::VEX_Vpackusdw_ymm_ymm_ymmm256, Code::VEX_Vpackuswb_ymm_ymm_ymmm256]);
        let Some(mask) = step.opmask() else {
            self.store_packed(memory, packed, bytes);
            return Ok(());
        };
        if self.tail {
            return self.laid_down(packed, bytes, memory, mask);
        }
        let rows = self.pair(mask);
        let rows = self.pack(rows, bytes, [Code::VEX_Vpackssdw_ymm_ymm_ymmm256, Code::VEX_Vpacksswb_ymm_ymm_ymmm256]);
        let old = self.fresh();
        if bytes == 1 {
            self.push(Step::new(Code::VEX_Vmovdqu_xmm_xmmm128).def_quarter(old).mem(memory));
        } else {
            self.push(Step::new(Code::VEX_Vmovdqu_ymm_ymmm256).def_half(old).mem(memory));
        }
        let new = self.blend(rows, packed, old);
        self.store_packed(memory, new, bytes);
        Ok(())
    }

    /// 16 lanes of 32 bits as 16 elements side by side; lanes are all ones, or fit.
    fn pack(&mut self, [low, high]: [Reg; 2], bytes: u32, [words, bytes_of]: [Code; 2]) -> Reg {
        let packed = self.op2(words, low, high);
        if bytes == 2 {
            return self.op1_imm(Code::VEX_Vpermq_ymm_ymmm256_imm8, packed, 0b11_01_10_00);
        }
        let packed = self.op2(bytes_of, packed, packed);
        let order = self.words([4 << 32, 1 | 5 << 32, 4 << 32, 1 | 5 << 32]);
        self.op2(Code::VEX_Vpermd_ymm_ymm_ymmm256, order, packed)
    }

    fn store_packed(&mut self, memory: Memory, packed: Reg, bytes: u32) {
        if bytes == 2 {
            return self.store(memory, packed);
        }
        self.push(Step::new(Code::VEX_Vmovdqu_xmmm128_xmm).mem(memory).read_quarter(packed));
    }

    /// The rows of a mask to memory.
    fn laid_down(&mut self, packed: Reg, bytes: u32, memory: Memory, mask: Reg) -> Done {
        let quarters = if bytes == 1 { [packed; 2] } else { self.quarters(packed) };
        let extract = if bytes == 1 { Code::VEX_Vpextrb_r32m8_xmm_imm8 } else { Code::VEX_Vpextrw_r32m16_xmm_imm8 };
        self.each_row(memory, mask, |to, row| {
            let from = quarters[(row * bytes / ROWS) as usize];
            let step = Step::new(extract).mem(memory.plus(row * bytes)).read_quarter(from);
            to.push(step.imm((row % (ROWS / bytes)) as u8));
        })
    }
}
