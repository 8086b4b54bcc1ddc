//! What no kernel shows: registers that loops carry, general registers that are in use, shifts by whole lanes.
#![allow(clippy::unwrap_used)]
#![allow(clippy::wildcard_enum_match_arm, reason = "instructions are too many to list")]

use super::narrow;
use crate::kernel::parse::parse;
use crate::render::x86::Target;
use crate::render::x86::emitter::{Emitter, SCRATCH, Shared};
use crate::render::x86::layout::Layout;
use crate::render::x86::step::{Access, Body, Memory, Position, Reg, Step};
use iced_x86::{Code, Register};
use std::collections::BTreeMap;

/// The steps that these become.
fn narrowed(make: impl FnOnce(&mut Emitter<'_>)) -> Result<Body, String> {
    let kernel = parse("kernel\ncolumns c0: f32\n  v0: f32 = column c0\nsink store v0\n").unwrap();
    let mut shared = Shared::new(Target::Avx2, Layout::of(&kernel), Vec::new(), Vec::new());
    let mut e = Emitter::new(&mut shared);
    make(&mut e);
    let body = Body { steps: e.steps, regs: e.regs, regions: e.regions, cost: 0 };
    narrow(&body, &mut shared, false).map_err(|error| error.message)
}

fn place(offset: u32) -> Memory {
    Memory::at(SCRATCH, offset)
}

#[test]
fn a_register_that_a_loop_carries_stays_the_same() {
    let add = Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er;
    let body = narrowed(|e| {
        let (sum, again) = (e.vector(), e.shared.label());
        e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(sum).mem(place(0)));
        e.push(Step::label(again));
        e.push(Step::new(add).change(sum).read(sum).mem(place(64)));
        e.push(Step::jump(Code::Jne_rel32_64, again));
        e.regions.push((1, 4));
        e.push(Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(place(0)).read(sum));
    });
    let body = body.unwrap();
    let touched = |code: Code, access: Access| -> Vec<Reg> {
        let of_code = body.steps.iter().filter(|step| step.inst.code() == code);
        of_code.flat_map(|step| &step.virtual_operands).filter(|one| one.access == access).map(|one| one.reg).collect()
    };
    let add = Code::VEX_Vaddpd_ymm_ymm_ymmm256;
    let stored = touched(Code::VEX_Vmovdqu_ymmm256_ymm, Access::Use);
    assert_eq!(stored.len(), 2);
    assert_eq!(touched(add, Access::Def), stored, "the sum is written to where it is read behind the loop");
    assert_eq!(touched(add, Access::Use), stored, "and to where it is read in the next round");
    assert_eq!(touched(Code::VEX_Vmovdqu_ymm_ymmm256, Access::Def), stored, "and is first loaded there");
    let inside = &body.steps[body.regions[0].0..body.regions[0].1];
    assert_eq!(inside.len(), 4, "a label, two sums, a jump: {inside:?}");
}

#[test]
fn a_general_register_that_is_in_use_is_saved() {
    for (used, saves) in [(Register::EAX, 0), (Register::None, 0)].into_iter().chain([(Register::EBX, 2)]) {
        let body = narrowed(|e| {
            let mask = e.fixed_mask(0xffff);
            e.push(Step::new(Code::VEX_Kmovw_m16_kr).mem(place(0)).read_mask(mask));
            // One register is read, or both are.
            if used != Register::None {
                e.push(Step::new(Code::Mov_rm32_r32).mem(place(8)).gpr(Register::EAX));
            }
            if used == Register::EBX {
                e.push(Step::new(Code::Mov_rm32_r32).mem(place(16)).gpr(Register::EBX));
            }
        });
        let body = body.unwrap();
        let moves = |code: Code| body.steps.iter().filter(|step| step.inst.code() == code).count();
        assert_eq!(moves(Code::Mov_rm64_r64) + moves(Code::Mov_r64_rm64), saves, "{used:?}");
        let bits = body.steps.iter().find(|step| step.inst.code() == Code::Mov_rm16_r16).unwrap();
        assert_eq!(bits.inst.op_register(1) == Register::BX, used == Register::EAX, "{used:?}");
    }
}

#[test]
fn an_unknown_instruction_is_named() {
    let body = narrowed(|e| {
        let a = e.words([0; 8]);
        let dst = e.vector();
        e.push(Step::new(Code::EVEX_Vplzcntq_zmm_k1z_zmmm512b64).def(dst).read(a));
    });
    assert_eq!(body.err().unwrap(), "`EVEX_Vplzcntq_zmm_k1z_zmmm512b64` has no AVX2 form yet");
}

/// Runs steps over bytes that are their own numbers: what they store from offset 0 on.
fn run(body: &Body) -> Vec<u8> {
    let mut values: BTreeMap<Reg, Vec<u8>> = BTreeMap::new();
    let mut stored = vec![0; 64];
    for step in &body.steps {
        let reg = |operand: u32| {
            step.virtual_operands.iter().find(|one| one.position == Position::Operand(operand)).unwrap().reg
        };
        let quarters = |a: &[u8], b: &[u8]| -> Vec<u8> { [&a[16..], &b[..16]].concat() };
        let offset = step.memory().map_or(0, |memory| memory.offset) as usize;
        match step.inst.code() {
            Code::VEX_Vmovdqu_ymm_ymmm256 => {
                values.insert(reg(0), (offset..offset + 32).map(|byte| byte as u8).collect());
            }
            Code::VEX_Vmovdqu_ymmm256_ymm => stored[offset..offset + 32].copy_from_slice(&values[&reg(1)]),
            Code::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8 => {
                assert_eq!(step.inst.immediate8(), 0x21);
                values.insert(reg(0), quarters(&values[&reg(1)], &values[&reg(2)]));
            }
            Code::VEX_Vpalignr_ymm_ymm_ymmm256_imm8 => {
                let (high, low) = (&values[&reg(1)], &values[&reg(2)]);
                let moved = usize::from(step.inst.immediate8());
                let part = |at: usize| [&low[at..at + 16], &high[at..at + 16]].concat()[moved..moved + 16].to_vec();
                values.insert(reg(0), [part(0), part(16)].concat());
            }
            code => panic!("{code:?}"),
        }
    }
    stored
}

#[test]
fn lanes_are_shifted() {
    let codes = [
        (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, 4, 16),
        (Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8, 8, 8),
    ];
    for (code, bytes, lanes) in codes {
        for moved in 0..lanes {
            let body = narrowed(|e| {
                let [low, high, dst] = [(); 3].map(|()| e.vector());
                e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(low).mem(place(0)));
                e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(high).mem(place(64)));
                e.push(Step::new(code).def(dst).read(high).read(low).imm(moved));
                e.push(Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(place(0)).read(dst));
            });
            let first = bytes * moved;
            assert_eq!(run(&body.unwrap()), (first..first + 64).collect::<Vec<u8>>(), "{code:?} by {moved}");
        }
    }
}
