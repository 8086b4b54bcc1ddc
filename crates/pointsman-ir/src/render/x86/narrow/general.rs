//! Temporary general registers for a sequence of instructions: a free register, or one that is saved and restored
//! around the sequence.

use super::{Done, Narrow};
use crate::render::x86::NotEmitted;
use crate::render::x86::emitter::SCRATCH;
use crate::render::x86::step::{Memory, Position, Step};
use iced_x86::{Code, OpKind, Register};

/// A general register, by its names for each width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gpr {
    pub(super) full: Register,
    pub(super) dword: Register,
    pub(super) word: Register,
    pub(super) byte: Register,
}

/// The general registers that steps use for temporary values.
const TEMPORARIES: [Gpr; 2] = [
    Gpr { full: Register::RAX, dword: Register::EAX, word: Register::AX, byte: Register::AL },
    Gpr { full: Register::RBX, dword: Register::EBX, word: Register::BX, byte: Register::BL },
];

/// Instructions that overwrite their first operand without reading it.
const OVERWRITING: [Code; 12] = [
    Code::Mov_r32_rm32,
    Code::Mov_r64_rm64,
    Code::Mov_r32_imm32,
    Code::Movzx_r32_rm8,
    Code::Movzx_r32_rm16,
    Code::Movsx_r32_rm8,
    Code::Movsx_r32_rm16,
    Code::Lea_r64_m,
    Code::VEX_Kmovw_r32_kr,
    Code::VEX_Kmovb_r32_kr,
    Code::Popcnt_r32_rm32,
    Code::VEX_Pext_r32_r32_rm32,
];

/// Instructions with implicit register operands.
const IMPLICIT_OPERANDS: [Code; 5] = [Code::Cqo, Code::Idiv_rm64, Code::Div_rm64, Code::Imul_rm64, Code::Mul_rm64];

impl Gpr {
    fn is(self, register: Register) -> bool {
        [self.full, self.dword, self.word, self.byte].contains(&register)
            || self.full == Register::RAX && register == Register::AH
    }

    fn is_in_address(self, memory: Option<Memory>) -> bool {
        memory.is_some_and(|memory| self.is(memory.base) || self.is(memory.index))
    }

    /// The number of operands of a step that name this register.
    fn count_operands(self, step: &Step) -> usize {
        let names = |operand: &u32| {
            let filled = step.virtual_operands.iter().any(|one| one.position == Position::Operand(*operand));
            !filled && step.inst.op_kind(*operand) == OpKind::Register && self.is(step.inst.op_register(*operand))
        };
        (0..step.operands()).filter(names).count() + usize::from(self.is_in_address(step.memory()))
    }
}

impl Narrow<'_> {
    /// Whether the value of a register is overwritten before it is read. False if a jump or an implicit operand comes
    /// first.
    fn is_free(&self, gpr: Gpr) -> bool {
        for step in &self.old.steps[self.at + 1..] {
            let code = step.inst.code();
            let jumps = step.operands() == 0 && step.inst.op_kind(0) == OpKind::NearBranch64;
            if jumps || IMPLICIT_OPERANDS.contains(&code) {
                return false;
            }
            let named = gpr.count_operands(step);
            if named > 0 {
                return named == 1 && OVERWRITING.contains(&code) && gpr.is(step.inst.op_register(0));
            }
        }
        true
    }

    /// Passes a general register to `emit`, whose value is unchanged after the emitted steps. `memory` does not use the
    /// register.
    pub(super) fn with_register(&mut self, memory: Option<Memory>, emit: impl FnOnce(&mut Self, Gpr)) -> Done {
        let possible = TEMPORARIES.into_iter().filter(|gpr| !gpr.is_in_address(memory));
        let free = possible.clone().find(|&gpr| self.is_free(gpr));
        let none = || NotEmitted::new("a sequence finds no general register");
        let gpr = free.or_else(|| possible.clone().next()).ok_or_else(none)?;
        let saved = Memory::at(SCRATCH, self.shared.state((u32::MAX, 1), 8));
        if free.is_none() {
            self.push(Step::new(Code::Mov_rm64_r64).mem(saved).gpr(gpr.full));
        }
        emit(self, gpr);
        if free.is_none() {
            self.push(Step::new(Code::Mov_r64_rm64).gpr(gpr.full).mem(saved));
        }
        Ok(())
    }
}
