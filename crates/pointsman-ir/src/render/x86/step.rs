//! Instructions before register allocation. A virtual operand names a virtual register and whether the instruction
//! reads or writes it.
//!
//! A [`Reg`] is a virtual register: a 64-byte vector or a mask of 16 rows. General registers are physical.

use iced_x86::{Code, Instruction, OpKind, Register};

/// The kind of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A vector of 64 bytes.
    Vector,
    /// A mask with one bit per row.
    Mask,
}

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Reg(pub(super) u32);

impl Reg {
    /// The index of the register.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a register is loaded from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fill {
    /// Byte by byte.
    Whole,
    /// With copies of 8 bytes.
    Broadcast8,
    /// With copies of 2 bytes.
    Broadcast2,
}

/// Memory that holds a register's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// The base register of the address.
    pub(super) base: Register,
    /// The offset from the base, in bytes.
    pub(super) offset: u32,
    /// How the register is loaded.
    pub(super) fill: Fill,
}

/// The kind and memory of a virtual register. A register that has a home from the start is constant and read from
/// there.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegInfo {
    pub(super) class: Class,
    pub(super) home: Option<Home>,
}

/// How an instruction accesses a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Reads it.
    Use,
    /// Writes it.
    Def,
    /// Reads and writes it.
    Change,
}

/// The part of a vector register that an operand uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Zmm,
    Ymm,
    Xmm,
    Mask,
}

/// Which operand of the instruction a register fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Operand(u32),
    Opmask,
}

/// An operand of an instruction that has no physical register yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct VirtualOperand {
    pub(super) position: Position,
    pub(super) reg: Reg,
    pub(super) size: Size,
    pub(super) access: Access,
}

/// An address in memory: `base + index · scale + offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    pub(super) base: Register,
    pub(super) index: Register,
    pub(super) scale: u32,
    pub(super) offset: u32,
}

impl Memory {
    /// An address at a fixed offset.
    pub(super) fn at(base: Register, offset: u32) -> Memory {
        Memory { base, index: Register::None, scale: 1, offset }
    }

    /// An address at an index.
    pub(super) fn indexed(base: Register, index: Register, scale: u32) -> Memory {
        Memory { base, index, scale, offset: 0 }
    }

    /// The address `bytes` bytes later.
    pub(super) fn plus(self, bytes: u32) -> Memory {
        Memory { offset: self.offset + bytes, ..self }
    }
}

/// The steps of a body before register allocation.
pub(super) struct Body {
    pub(super) steps: Vec<Step>,
    pub(super) regs: Vec<RegInfo>,
    /// The ranges of steps that repeat (loops), inner ones first.
    pub(super) regions: Vec<(usize, usize)>,
    /// The cost of one run, including the iterations of the loops that do not count down.
    pub(super) cost: u64,
}

/// An instruction whose virtual operands have no physical registers yet.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) inst: Instruction,
    pub(super) virtual_operands: Vec<VirtualOperand>,
    operands: u32,
}

impl Step {
    /// An instruction without operands yet; they are added in order.
    pub(super) fn new(code: Code) -> Step {
        let mut inst = Instruction::default();
        inst.set_code(code);
        Step { inst, virtual_operands: Vec::new(), operands: 0 }
    }

    /// A label, the target of jumps.
    pub(super) fn label(label: u64) -> Step {
        let mut step = Step::new(Code::Nopd);
        step.inst.set_ip(label);
        step
    }

    pub(super) fn jump(code: Code, label: u64) -> Step {
        let mut step = Step::new(code);
        step.inst.set_op_kind(0, OpKind::NearBranch64);
        step.inst.set_near_branch64(label);
        step
    }

    /// The number of operands so far.
    pub(super) fn operands(&self) -> u32 {
        self.operands
    }

    /// The memory operand.
    pub(super) fn memory(&self) -> Option<Memory> {
        let has = (0..self.operands).any(|operand| self.inst.op_kind(operand) == OpKind::Memory);
        has.then(|| Memory {
            base: self.inst.memory_base(),
            index: self.inst.memory_index(),
            scale: self.inst.memory_index_scale(),
            offset: self.inst.memory_displacement32(),
        })
    }

    /// The mask of a masked instruction.
    pub(super) fn opmask(&self) -> Option<Reg> {
        self.virtual_operands.iter().find(|one| one.position == Position::Opmask).map(|one| one.reg)
    }

    fn next(&mut self) -> u32 {
        self.operands += 1;
        self.operands - 1
    }

    /// A virtual register as the next operand.
    pub(super) fn operand(mut self, reg: Reg, size: Size, access: Access) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Register);
        self.virtual_operands.push(VirtualOperand { position: Position::Operand(operand), reg, size, access });
        self
    }

    /// A vector that is written.
    pub(super) fn def(self, reg: Reg) -> Step {
        self.operand(reg, Size::Zmm, Access::Def)
    }

    /// The lower half of a vector that is written.
    pub(super) fn def_half(self, reg: Reg) -> Step {
        self.operand(reg, Size::Ymm, Access::Def)
    }

    /// A vector that is read and written.
    pub(super) fn change(self, reg: Reg) -> Step {
        self.operand(reg, Size::Zmm, Access::Change)
    }

    /// A vector that is read.
    pub(super) fn read(self, reg: Reg) -> Step {
        self.operand(reg, Size::Zmm, Access::Use)
    }

    /// The lower half of a vector that is read.
    pub(super) fn read_half(self, reg: Reg) -> Step {
        self.operand(reg, Size::Ymm, Access::Use)
    }

    /// The lowest quarter of a vector that is written.
    pub(super) fn def_quarter(self, reg: Reg) -> Step {
        self.operand(reg, Size::Xmm, Access::Def)
    }

    /// The lowest quarter of a vector that is read.
    pub(super) fn read_quarter(self, reg: Reg) -> Step {
        self.operand(reg, Size::Xmm, Access::Use)
    }

    /// A mask that is written.
    pub(super) fn def_mask(self, reg: Reg) -> Step {
        self.operand(reg, Size::Mask, Access::Def)
    }

    /// A mask that is read as an operand.
    pub(super) fn read_mask(self, reg: Reg) -> Step {
        self.operand(reg, Size::Mask, Access::Use)
    }

    /// Writes (or compares) only the lanes of this mask; the others stay (or become 0).
    pub(super) fn masked(mut self, mask: Reg) -> Step {
        self.virtual_operands.push(VirtualOperand {
            position: Position::Opmask,
            reg: mask,
            size: Size::Mask,
            access: Access::Use,
        });
        self
    }

    /// Writes only the lanes of this mask; the others become zero.
    pub(super) fn masked_zeroing(mut self, mask: Reg) -> Step {
        self.inst.set_zeroing_masking(true);
        self.masked(mask)
    }

    pub(super) fn gpr(mut self, register: Register) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Register);
        self.inst.set_op_register(operand, register);
        self
    }

    pub(super) fn imm(mut self, value: u8) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Immediate8);
        self.inst.set_immediate8(value);
        self
    }

    /// A byte, sign-extended to 64 bits.
    pub(super) fn imm8_sx64(mut self, value: i8) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Immediate8to64);
        self.inst.set_immediate8to64(value.into());
        self
    }

    /// A byte, sign-extended to 32 bits.
    pub(super) fn imm8_sx32(mut self, value: i8) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Immediate8to32);
        self.inst.set_immediate8to32(value.into());
        self
    }

    /// A 32-bit number, sign-extended to 64 bits.
    pub(super) fn imm32_sx64(mut self, value: i32) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Immediate32to64);
        self.inst.set_immediate32to64(value.into());
        self
    }

    pub(super) fn imm32(mut self, value: u32) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Immediate32);
        self.inst.set_immediate32(value);
        self
    }

    pub(super) fn mem(mut self, memory: Memory) -> Step {
        let operand = self.next();
        self.inst.set_op_kind(operand, OpKind::Memory);
        self.inst.set_memory_base(memory.base);
        self.inst.set_memory_index(memory.index);
        self.inst.set_memory_index_scale(memory.scale);
        self.inst.set_memory_displacement64(memory.offset.into());
        self.inst.set_memory_displ_size((memory.offset != 0).into());
        self
    }
}
