//! What vectors lack, row by row: 64-bit division, checked 64-bit products, the remainder of floats.
//!
//! The operands are laid down in the scratch memory, a small loop goes over the 16 rows, and the results are picked up.

use super::emitter::{BYTE, Emitter, Kind, Lane, ROW, SCRATCH};
use super::step::{Memory, Reg, Step};
use iced_x86::{Code, Register};

/// Bytes of an operand's area: 16 values of 8.
const AREA: u32 = 128;
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
    let (load, store) = (
        lane.pick(Code::Fld_m32fp, Code::Fld_m64fp),
        lane.pick(Code::Fstp_m32fp, Code::Fstp_m64fp),
    );
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

/// Runs steps for each of the 16 rows; they change the operands' places, which are read again behind them.
fn by_row(
    e: &mut Emitter<'_>,
    lane: Lane,
    operands: [&[Reg]; 2],
    f: impl FnOnce(&mut Emitter<'_>, [Memory; 2]),
) -> [Vec<Reg>; 2] {
    let start = e.shared.staging(2 * AREA);
    let area = |number: u32, part: usize| Memory::at(SCRATCH, start + AREA * number + 64 * part as u32);
    for (number, parts) in (0..).zip(operands) {
        for (part, &value) in parts.iter().enumerate() {
            e.push(Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(area(number, part)).read(value));
        }
    }
    let again = e.shared.label();
    e.push(Step::new(Code::Xor_r32_rm32).gpr(Register::R14D).gpr(Register::R14D));
    e.push(Step::label(again));
    let row = |number| Memory { index: AT, scale: lane.bits / 8, ..area(number, 0) };
    f(e, [row(0), row(1)]);
    e.push(Step::new(Code::Add_rm64_imm8).gpr(AT).imm_wide(1));
    e.push(Step::new(Code::Cmp_rm64_imm8).gpr(AT).imm_wide(ROWS));
    e.push(Step::jump(Code::Jne_rel32_64, again));
    e.push(Step::new(Code::Mov_r64_rm64).gpr(BYTE).gpr(ROW));
    e.push(Step::new(Code::Shr_rm64_imm8).gpr(BYTE).imm(3));
    [0, 1].map(|number| {
        let mut parts = Vec::with_capacity(lane.parts());
        for part in 0..lane.parts() {
            let dst = e.vector();
            e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(dst).mem(area(number, part)));
            parts.push(dst);
        }
        parts
    })
}
