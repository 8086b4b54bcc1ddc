//! Operations that vectors lack, emitted row by row: 64-bit and 128-bit division, checked 64-bit products, and the
//! remainder of floats.
//!
//! The operands are stored in the scratch memory, a small loop processes the 16 rows, and the results are loaded.

use super::emitter::{BLOCK, BYTE, Emitter, Kind, Lane, ROW, SCRATCH};
use super::step::{Memory, Reg, Step};
use iced_x86::{Code, Register};

/// Bytes of an operand's area: 16 values of 8.
pub(super) const AREA: u32 = 128;
/// Rows of a step.
const ROWS: i8 = 16;
/// The number of the row in the loop; free between two pointers.
const AT: Register = Register::R14;

/// Quotients and remainders, the divisor never 0, and never −1 where the dividend is the least integer.
pub(super) fn divided(e: &mut Emitter<'_>, lane: Lane, a: &[Reg], b: &[Reg], remainder: bool) -> Vec<Reg> {
    by_row(e, lane, [a, b], |e, [a, b]| {
        e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).mem(a));
        if lane.kind == Kind::Signed {
            e.push(Step::new(Code::Cqo));
            e.push(Step::new(Code::Idiv_rm64).mem(b));
        } else {
            e.push(Step::new(Code::Xor_r32_rm32).gpr(Register::EDX).gpr(Register::EDX));
            e.push(Step::new(Code::Div_rm64).mem(b));
        }
        let result = if remainder { Register::RDX } else { Register::RAX };
        e.push(Step::new(Code::Mov_rm64_r64).mem(a).gpr(result));
    })[0]
        .clone()
}

/// Unsigned quotients of 128 bits by one word, as low and high words: the rest of the high word goes before the low
/// one.
pub(super) fn divided_wide(e: &mut Emitter<'_>, low: &[Reg], high: &[Reg], divisor: u64) -> [Vec<Reg>; 2] {
    let divisor = Memory::at(SCRATCH, e.shared.constant(&[divisor]));
    by_row(e, Lane { kind: Kind::Unsigned, bits: 64 }, [low, high], |e, words| {
        e.push(Step::new(Code::Xor_r32_rm32).gpr(Register::EDX).gpr(Register::EDX));
        for word in [words[1], words[0]] {
            e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).mem(word));
            e.push(Step::new(Code::Div_rm64).mem(divisor));
            e.push(Step::new(Code::Mov_rm64_r64).mem(word).gpr(Register::RAX));
        }
    })
}

/// Products, and the rows in which they do not fit.
pub(super) fn multiplied(e: &mut Emitter<'_>, lane: Lane, a: &[Reg], b: &[Reg]) -> (Vec<Reg>, Reg) {
    let code = if lane.kind == Kind::Signed { Code::Imul_rm64 } else { Code::Mul_rm64 };
    let [products, beyond] = by_row(e, lane, [a, b], |e, [a, b]| {
        e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).mem(a));
        e.push(Step::new(code).mem(b));
        e.push(Step::new(Code::Mov_rm64_r64).mem(a).gpr(Register::RAX));
        e.push(Step::new(Code::Setb_rm8).gpr(Register::AL));
        e.push(Step::new(Code::Movzx_r32_rm8).gpr(Register::EAX).gpr(Register::AL));
        e.push(Step::new(Code::Mov_rm64_r64).mem(b).gpr(Register::RAX));
    });
    let mut flags = Vec::with_capacity(2);
    for part in beyond {
        let flag = e.mask();
        e.push(Step::new(Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64).def_mask(flag).read(part).read(part));
        flags.push(flag);
    }
    (products, e.whole_mask(&flags))
}

/// The exact remainder of floats, with the sign of the dividend: repeated until it is whole.
pub(super) fn float_remainder(e: &mut Emitter<'_>, lane: Lane, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
    let (load, store) = (lane.pick(Code::Fld_m32fp, Code::Fld_m64fp), lane.pick(Code::Fstp_m32fp, Code::Fstp_m64fp));
    by_row(e, lane, [a, b], |e, [a, b]| {
        let again = e.shared.label();
        e.push(Step::new(load).mem(b));
        e.push(Step::new(load).mem(a));
        e.push(Step::label(again));
        e.push(Step::new(Code::Fprem));
        e.push(Step::new(Code::Fnstsw_AX).gpr(Register::AX));
        e.push(Step::new(Code::Test_rm8_imm8).gpr(Register::AH).imm(4));
        e.push(Step::jump(Code::Jne_rel32_64, again));
        e.push(Step::new(store).mem(a));
        e.push(Step::new(Code::Fstp_sti).gpr(Register::ST0));
    })[0]
        .clone()
}

/// Runs steps for each of the 16 rows; they change the operands' places, which are read again after them.
fn by_row(
    e: &mut Emitter<'_>,
    lane: Lane,
    operands: [&[Reg]; 2],
    f: impl FnOnce(&mut Emitter<'_>, [Memory; 2]),
) -> [Vec<Reg>; 2] {
    let start = e.shared.staging();
    lay_down(e, start, 0, operands[0]);
    lay_down(e, start, 1, operands[1]);
    each_row(e, |e| f(e, [0, 1].map(|area| row_of(start, area, lane.bits / 8))));
    // Division and multiplication took the register.
    e.push(Step::new(Code::Mov_r64_rm64).gpr(BYTE).gpr(ROW));
    e.push(Step::new(Code::Shr_rm64_imm8).gpr(BYTE).imm(3));
    [0, 1].map(|area| pick_up(e, start, area, lane))
}

/// The table of a look-up.
pub(super) struct Looked {
    /// The elements, or the truth of each as a lane that is not 0.
    pub(super) values: Vec<Reg>,
    /// The rows whose element is not null, if it may be.
    pub(super) valid: Option<Reg>,
}

/// Elements at these positions, which all lie in the table. `words`: the block's words of its values and validity.
pub(super) fn looked_up(e: &mut Emitter<'_>, lane: Lane, index: &[Reg], words: (usize, Option<usize>)) -> Looked {
    let start = e.shared.staging();
    lay_down(e, start, 0, index);
    let load = match (lane.bits, lane.kind) {
        (8, Kind::Signed) => Code::Movsx_r32_rm8,
        (8, _) => Code::Movzx_r32_rm8,
        (16, Kind::Signed) => Code::Movsx_r32_rm16,
        (16, _) => Code::Movzx_r32_rm16,
        (32, _) => Code::Mov_r32_rm32,
        (_, _) => Code::Mov_r64_rm64,
    };
    e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RBX).mem(Memory::at(BLOCK, 8 * words.0 as u32)));
    each_row(e, |e| {
        e.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).mem(row_of(start, 0, 8)));
        let element = Memory::indexed(Register::RBX, Register::RAX, lane.bits / 8);
        let loaded = if lane.wide() { Register::RAX } else { Register::EAX };
        e.push(Step::new(load).gpr(loaded).mem(element));
        let store = lane.pick(Code::Mov_rm32_r32, Code::Mov_rm64_r64);
        e.push(Step::new(store).mem(row_of(start, 1, lane.bits.max(32) / 8)).gpr(loaded));
    });
    let values = pick_up(e, start, 1, lane);
    let valid = words.1.map(|word| looked_up_validity(e, start, word));
    Looked { values, valid }
}

/// As [`looked_up`], for elements of two words: the low ones, then the high ones.
pub(super) fn looked_up_wide(e: &mut Emitter<'_>, lane: Lane, index: &[Reg], words: (usize, Option<usize>)) -> Looked {
    let (word, one, add) = (Lane { bits: 64, ..lane }, e.word(1), Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64);
    let low: Vec<Reg> = index.iter().map(|&position| e.op2(add, position, position)).collect();
    let high: Vec<Reg> = low.iter().map(|&position| e.op2(add, position, one)).collect();
    let mut values = Vec::with_capacity(4);
    for positions in [low, high] {
        values.extend(looked_up(e, word, &positions, (words.0, None)).values);
    }
    let valid = words.1.map(|word| {
        let start = e.shared.staging();
        lay_down(e, start, 0, index);
        looked_up_validity(e, start, word)
    });
    Looked { values, valid }
}

/// Which elements are not null; the positions lie in the first area. Without validity all are.
fn looked_up_validity(e: &mut Emitter<'_>, start: u32, word: usize) -> Reg {
    let (eax, rax, rbx) = (Register::EAX, Register::RAX, Register::RBX);
    let bits = Memory::at(SCRATCH, start + 2 * AREA);
    let (skip, all) = (e.shared.label(), e.fixed_mask(0xffff));
    e.push(Step::new(Code::VEX_Kmovw_m16_kr).mem(bits).read_mask(all));
    e.push(Step::new(Code::Mov_r64_rm64).gpr(rbx).mem(Memory::at(BLOCK, 8 * word as u32)));
    e.push(Step::new(Code::Test_rm64_r64).gpr(rbx).gpr(rbx));
    e.push(Step::jump(Code::Je_rel32_64, skip));
    e.push(Step::new(Code::Mov_rm32_imm32).mem(bits).imm32(0));
    each_row(e, |e| {
        // Every row's bit comes in above bit 15 and moves down by one: the first ends up in bit 0.
        e.push(Step::new(Code::Mov_r64_rm64).gpr(rax).mem(row_of(start, 0, 8)));
        e.push(Step::new(Code::Movzx_r32_rm8).gpr(eax).mem(Memory::indexed(rbx, rax, 1)));
        e.push(Step::new(Code::Shl_rm32_imm8).gpr(eax).imm(16));
        e.push(Step::new(Code::Or_rm32_r32).mem(bits).gpr(eax));
        e.push(Step::new(Code::Shr_rm32_imm8).mem(bits).imm(1));
    });
    e.push(Step::label(skip));
    let dst = e.mask();
    e.push(Step::new(Code::VEX_Kmovw_kr_km16).def_mask(dst).mem(bits));
    dst
}

/// The place of the current row in an area.
fn row_of(start: u32, area: u32, bytes: u32) -> Memory {
    Memory { index: AT, scale: bytes, ..Memory::at(SCRATCH, start + AREA * area) }
}

/// Lays a value's vectors down in an area.
fn lay_down(e: &mut Emitter<'_>, start: u32, area: u32, parts: &[Reg]) {
    for (part, &value) in parts.iter().enumerate() {
        let memory = Memory::at(SCRATCH, start + AREA * area + 64 * part as u32);
        e.push(Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(memory).read(value));
    }
}

/// Picks a value's vectors up from an area.
fn pick_up(e: &mut Emitter<'_>, start: u32, area: u32, lane: Lane) -> Vec<Reg> {
    let mut parts = Vec::with_capacity(lane.parts());
    for part in 0..lane.parts() {
        let memory = Memory::at(SCRATCH, start + AREA * area + 64 * part as u32);
        let dst = e.vector();
        e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(dst).mem(memory));
        parts.push(dst);
    }
    parts
}

/// Runs steps for each of the 16 rows; [`AT`] is the row.
fn each_row(e: &mut Emitter<'_>, f: impl FnOnce(&mut Emitter<'_>)) {
    let again = e.shared.label();
    e.push(Step::new(Code::Xor_r32_rm32).gpr(Register::R14D).gpr(Register::R14D));
    e.push(Step::label(again));
    f(e);
    e.push(Step::new(Code::Add_rm64_imm8).gpr(AT).imm8_sx64(1));
    e.push(Step::new(Code::Cmp_rm64_imm8).gpr(AT).imm8_sx64(ROWS));
    e.push(Step::jump(Code::Jne_rel32_64, again));
}
