//! The words that sequences are made of: constants, operations on 32-byte vectors, quarters, blends.

use super::Narrow;
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Fill, Home, Memory, Reg, Step};
use iced_x86::Code;

impl Narrow<'_> {
    /// Eight bytes in every pair of lanes.
    pub(super) fn word(&mut self, bits: u64) -> Reg {
        let offset = self.shared.constant(&[bits]);
        let reg = self.at_home(Home { base: SCRATCH, offset, fill: Fill::Broadcast8 });
        if bits == 0 || bits == u64::MAX {
            self.uniform.insert(reg);
        }
        reg
    }

    /// Four bytes in every lane.
    pub(super) fn dword(&mut self, bits: u32) -> Reg {
        self.word(u64::from(bits) << 32 | u64::from(bits))
    }

    /// A whole vector.
    pub(super) fn words(&mut self, words: [u64; 4]) -> Reg {
        let offset = self.shared.constant(&words);
        self.at_home(Home { base: SCRATCH, offset, fill: Fill::Whole })
    }

    /// Zeros; no row.
    pub(super) fn zero(&mut self) -> Reg {
        self.word(0)
    }

    /// Ones; all rows.
    pub(super) fn ones(&mut self) -> Reg {
        self.word(u64::MAX)
    }

    /// The bit that is the sign of lanes of 32 or 64 bits.
    pub(super) fn sign_bit(&mut self, bits: u32) -> Reg {
        if bits == 64 { self.word(1 << 63) } else { self.dword(1 << 31) }
    }

    /// `f` of one vector.
    pub(super) fn op1(&mut self, code: Code, a: Reg) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_half(dst).read_half(a));
        dst
    }

    /// `f` of one vector and a byte.
    pub(super) fn op1_imm(&mut self, code: Code, a: Reg, imm: u8) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_half(dst).read_half(a).imm(imm));
        dst
    }

    /// `f` of two vectors.
    pub(super) fn op2(&mut self, code: Code, a: Reg, b: Reg) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_half(dst).read_half(a).read_half(b));
        dst
    }

    /// `f` of two vectors and a byte.
    pub(super) fn op2_imm(&mut self, code: Code, a: Reg, b: Reg, imm: u8) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_half(dst).read_half(a).read_half(b).imm(imm));
        dst
    }

    /// A vector from a quarter.
    pub(super) fn grow(&mut self, code: Code, quarter: Reg) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_half(dst).read_quarter(quarter));
        dst
    }

    /// A quarter from a vector.
    pub(super) fn shrink(&mut self, code: Code, a: Reg) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(code).def_quarter(dst).read_half(a));
        dst
    }

    /// A vector from memory.
    pub(super) fn load(&mut self, memory: Memory) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(Code::VEX_Vmovdqu_ymm_ymmm256).def_half(dst).mem(memory));
        dst
    }

    /// A vector to memory.
    pub(super) fn store(&mut self, memory: Memory, a: Reg) {
        self.push(Step::new(Code::VEX_Vmovdqu_ymmm256_ymm).mem(memory).read_half(a));
    }

    /// A copy.
    pub(super) fn copy(&mut self, a: Reg) -> Reg {
        self.op1(Code::VEX_Vmovdqa_ymm_ymmm256, a)
    }

    /// The vector itself where it never changes, else a copy.
    pub(super) fn kept(&mut self, a: Reg) -> Reg {
        if self.changing.contains(&a) { self.copy(a) } else { a }
    }

    /// `yes` where the rows hold, else `no`.
    pub(super) fn blend(&mut self, rows: Reg, yes: Reg, no: Reg) -> Reg {
        let dst = self.fresh();
        let code = Code::VEX_Vpblendvb_ymm_ymm_ymmm256_ymm;
        self.push(Step::new(code).def_half(dst).read_half(no).read_half(yes).read_half(rows));
        dst
    }

    /// The upper quarter of a vector, in a register's lower one.
    pub(super) fn upper_quarter(&mut self, a: Reg) -> Reg {
        let dst = self.fresh();
        self.push(Step::new(Code::VEX_Vextracti128_xmmm128_ymm_imm8).def_quarter(dst).read_half(a).imm(1));
        dst
    }

    /// Both quarters of a vector, each in a register's lower one.
    pub(super) fn quarters(&mut self, a: Reg) -> [Reg; 2] {
        [a, self.upper_quarter(a)]
    }

    /// Two quarters as a vector.
    pub(super) fn stacked(&mut self, [low, high]: [Reg; 2]) -> Reg {
        let dst = self.fresh();
        let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        self.push(Step::new(code).def_half(dst).read_half(low).read_quarter(high).imm(1));
        dst
    }

    /// The lower 32 bits of eight lanes of 64.
    pub(super) fn lower_dwords(&mut self, [low, high]: [Reg; 2]) -> Reg {
        let mixed = self.op2_imm(Code::VEX_Vshufps_ymm_ymm_ymmm256_imm8, low, high, 0b10_00_10_00);
        self.op1_imm(Code::VEX_Vpermq_ymm_ymmm256_imm8, mixed, 0b11_01_10_00)
    }
}
