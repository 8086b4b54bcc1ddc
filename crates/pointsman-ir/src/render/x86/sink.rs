//! Emits the sink for a step of 16 rows: `Store` writes each row at its own position, `Compact` packs the selected
//! rows. (`fill` emits the operands of scans, `reduce` emits folds.)
//!
//! Every written NaN is canonical; null slots and the bits after the last row are zero.

use super::NotEmitted;
use super::emitter::{BYTE, CURSOR, Emitter, Kind, Lane, ROW, ROWS};
use super::fill;
use super::logic::canonical_nan;
use super::lower::{Data, Lower};
use super::step::{Memory, Reg, Step};
use super::wide;
use crate::body::ValueId;
use crate::kernel::StreamingSink;
use crate::types::DType;
use iced_x86::{Code, Register};

/// How `Store` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// Through the caches.
    Cached,
    /// Past them.
    Streaming,
}

/// Emits the sink for the rows that `mask` selects.
pub(super) fn lower(to: &mut Lower<'_, '_>, mask: Option<Reg>, write: Write) -> Result<(), NotEmitted> {
    let kernel = &to.guarded.kernel;
    match kernel.sink.streaming() {
        Some(StreamingSink::Store { columns }) => store(to, columns, mask, write),
        Some(StreamingSink::Compact { columns }) => compact(to, columns, mask),
        Some(StreamingSink::Scan { columns, running, segment }) => fill::scan(to, (columns, running, segment), mask),
        Some(StreamingSink::Reduce { .. }) | None => {
            Err(NotEmitted::new(format!("the sink `{}` is not emitted yet", kernel.sink.name())))
        }
    }
}

pub(super) fn dtype(to: &Lower<'_, '_>, v: ValueId) -> DType {
    to.guarded.kernel.body.ty(v).dtype
}

/// A value's vectors as they are written: the canonical NaN for every NaN, zeros where it is null.
pub(super) fn leaving(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], valid: Option<Reg>, number: bool) -> Vec<Reg> {
    let mut out = Vec::with_capacity(parts.len());
    for (part, &value) in parts.iter().enumerate() {
        let mut value = value;
        if lane.kind == Kind::Float && !number {
            value = one_nan(e, lane, value);
        }
        if let Some(valid) = valid {
            value = e.keep(lane, part, valid, value);
        }
        out.push(value);
    }
    out
}

/// The response table of `vfixupimm`, four bits for each class of numbers: both NaN classes keep the destination (the
/// canonical NaN); every other class takes the source value.
const NAN_RESPONSES: i128 = 0x1111_1100;

/// The value with the canonical NaN for every NaN.
fn one_nan(e: &mut Emitter<'_>, lane: Lane, value: Reg) -> Reg {
    let canonical = canonical_nan(e, lane);
    let responses = e.int(lane, NAN_RESPONSES);
    let fixed = e.copy(canonical);
    let code = lane.pick(
        Code::EVEX_Vfixupimmps_zmm_k1z_zmm_zmmm512b32_imm8_sae,
        Code::EVEX_Vfixupimmpd_zmm_k1z_zmm_zmmm512b64_imm8_sae,
    );
    e.push(Step::new(code).change(fixed).read(value).read(responses).imm(0));
    fixed
}

fn store(to: &mut Lower<'_, '_>, columns: &[ValueId], mask: Option<Reg>, write: Write) -> Result<(), NotEmitted> {
    for (number, &v) in columns.iter().enumerate() {
        let value = to.get(v)?;
        let nullable = to.guarded.kernel.body.ty(v).nullable || mask.is_some();
        let lane = Lane::moved(dtype(to, v).repr());
        let e = &mut to.e;
        let layout = e.shared.layout;
        let valid = e.both(value.valid, mask);
        match (&value.data, lane) {
            (Data::Lanes(parts), Some(lane)) => {
                let parts = leaving(e, lane, parts, valid, value.is_number);
                store_lanes(e, lane, &parts, layout.output_values(number), write);
            }
            (&Data::Truth(truth), _) => {
                let truth = valid.map_or(truth, |valid| e.and(truth, valid));
                store_bits(e, truth, layout.output_values(number));
            }
            (Data::Lanes(_), None) => return Err(super::lower::wide_integers()),
        }
        if nullable {
            let valid = valid.unwrap_or_else(|| e.fixed_mask(0xffff));
            store_bits(e, valid, layout.output_validity(number));
        }
    }
    Ok(())
}

/// The instruction that writes a vector, narrow integers cut to their width.
pub(super) fn store_code(lane: Lane) -> Code {
    match lane.bits {
        8 => Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
        16 => Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        32 => Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        _ => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    }
}

pub(super) fn store_lanes(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], word: usize, write: Write) {
    if lane.paired() {
        return wide::store(e, parts, word, write);
    }
    for (part, &value) in parts.iter().enumerate() {
        let tail = e.tail.map(|tail| e.mask_of(tail, part));
        let base = e.pointer(word);
        let memory = Memory { offset: 64 * part as u32, ..Memory::indexed(base, ROW, lane.bits / 8) };
        let streams = write == Write::Streaming && lane.bits >= 32;
        let code = if streams { Code::EVEX_Vmovntdq_m512_zmm } else { store_code(lane) };
        let step = Step::new(code).mem(memory).read(value);
        e.push(match tail {
            Some(tail) => step.masked(tail),
            None => step,
        });
    }
}

/// Writes 16 bits; in a tail of up to 8 rows only one byte. The bits after the last row are zero.
pub(super) fn store_bits(e: &mut Emitter<'_>, bits: Reg, word: usize) {
    let Some(tail) = e.tail else {
        let base = e.pointer(word);
        e.push(Step::new(Code::VEX_Kmovw_m16_kr).mem(Memory::indexed(base, BYTE, 1)).read_mask(bits));
        return;
    };
    let bits = e.and(bits, tail);
    let base = e.pointer(word);
    let label = e.shared.label();
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(bits));
    e.push(Step::new(Code::Mov_rm8_r8).mem(Memory::indexed(base, BYTE, 1)).gpr(Register::AL));
    e.push(Step::new(Code::Lea_r64_m).gpr(Register::RBX).mem(Memory::at(ROW, 8)));
    e.push(Step::new(Code::Cmp_r64_rm64).gpr(Register::RBX).gpr(ROWS));
    e.push(Step::jump(Code::Jae_rel32_64, label));
    e.push(Step::new(Code::Shr_rm32_imm8).gpr(Register::EAX).imm(8));
    let second = Memory { offset: 1, ..Memory::indexed(base, BYTE, 1) };
    e.push(Step::new(Code::Mov_rm8_r8).mem(second).gpr(Register::AL));
    e.push(Step::label(label));
}

/// The selected rows of the step.
fn selected(e: &mut Emitter<'_>, mask: Option<Reg>) -> Reg {
    let tail = e.tail;
    let rows = e.both(mask, tail);
    rows.unwrap_or_else(|| e.fixed_mask(0xffff))
}

fn compact(to: &mut Lower<'_, '_>, columns: &[ValueId], mask: Option<Reg>) -> Result<(), NotEmitted> {
    let rows = selected(&mut to.e, mask);
    for (number, &v) in columns.iter().enumerate() {
        let value = to.get(v)?;
        let nullable = to.guarded.kernel.body.ty(v).nullable;
        let lane = Lane::moved(dtype(to, v).repr());
        let e = &mut to.e;
        let layout = e.shared.layout;
        match (&value.data, lane) {
            (Data::Lanes(parts), Some(lane)) => {
                let parts = leaving(e, lane, parts, value.valid, value.is_number);
                compact_lanes(e, lane, &parts, rows, layout.output_values(number));
            }
            (&Data::Truth(truth), _) => {
                let truth = value.valid.map_or(truth, |valid| e.and(truth, valid));
                compact_bits(e, truth, rows, layout.output_values(number));
            }
            (Data::Lanes(_), None) => return Err(super::lower::wide_integers()),
        }
        if nullable {
            let valid = value.valid.unwrap_or_else(|| e.fixed_mask(0xffff));
            compact_bits(e, valid, rows, layout.output_validity(number));
        }
    }
    let e = &mut to.e;
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(rows));
    e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    e.push(Step::new(Code::Add_r64_rm64).gpr(CURSOR).gpr(Register::RAX));
    Ok(())
}

/// Writes the selected rows from the cursor on. A full step writes whole vectors; the surplus lanes fall on output rows
/// that are written later, and never past the rows read so far.
fn compact_lanes(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], rows: Reg, word: usize) {
    if lane.paired() {
        return wide::compact(e, parts, rows, word);
    }
    let code = lane.pick(Code::EVEX_Vpcompressd_zmmm512_k1z_zmm, Code::EVEX_Vpcompressq_zmmm512_k1z_zmm);
    for (part, &value) in parts.iter().enumerate() {
        let of_part = e.mask_of(rows, part);
        let packed = e.vector();
        e.push(Step::new(code).def(packed).read(value).masked_zeroing(of_part));
        let written = e.tail.map(|_| first_rows(e, of_part, lane));
        let base = e.pointer(word);
        let cursor = if part == 0 {
            CURSOR
        } else {
            e.push(Step::new(Code::VEX_Kmovb_r32_kr).gpr(Register::EBX).read_mask(rows));
            e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EBX).gpr(Register::EBX));
            e.push(Step::new(Code::Add_r64_rm64).gpr(Register::RBX).gpr(CURSOR));
            Register::RBX
        };
        let step = Step::new(store_code(lane)).mem(Memory::indexed(base, cursor, lane.bits / 8)).read(packed);
        e.push(match written {
            Some(written) => step.masked(written),
            None => step,
        });
    }
}

/// A mask of the first n rows, where n is the number of rows in `mask`.
fn first_rows(e: &mut Emitter<'_>, mask: Reg, lane: Lane) -> Reg {
    let code = if lane.wide() { Code::VEX_Kmovb_r32_kr } else { Code::VEX_Kmovw_r32_kr };
    e.push(Step::new(code).gpr(Register::EAX).read_mask(mask));
    e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    e.push(Step::new(Code::Mov_r32_imm32).gpr(Register::EBX).imm32(u32::MAX));
    e.push(Step::new(Code::VEX_Bzhi_r32_rm32_r32).gpr(Register::EBX).gpr(Register::EBX).gpr(Register::EAX));
    let dst = e.mask();
    e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(dst).gpr(Register::EBX));
    dst
}

/// Adds the selected bits to a zeroed bitmap from bit `cursor` on.
fn compact_bits(e: &mut Emitter<'_>, bits: Reg, rows: Reg, word: usize) {
    let (eax, ebx, rbx) = (Register::EAX, Register::EBX, Register::RBX);
    let base = e.pointer(word);
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(eax).read_mask(bits));
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(ebx).read_mask(rows));
    e.push(Step::new(Code::VEX_Pext_r32_r32_rm32).gpr(eax).gpr(eax).gpr(ebx));
    e.push(Step::new(Code::Mov_r32_rm32).gpr(ebx).gpr(Register::R15D));
    e.push(Step::new(Code::And_rm32_imm8).gpr(ebx).imm8_sx32(7));
    e.push(Step::new(Code::VEX_Shlx_r32_rm32_r32).gpr(eax).gpr(eax).gpr(ebx));
    e.push(Step::new(Code::Mov_r64_rm64).gpr(rbx).gpr(CURSOR));
    e.push(Step::new(Code::Shr_rm64_imm8).gpr(rbx).imm(3));
    e.push(Step::new(Code::Or_rm32_r32).mem(Memory::indexed(base, rbx, 1)).gpr(eax));
}
