//! What becomes of 16 rows: written where they lie, written side by side, or folded into the lanes of a leaf.
//!
//! What leaves has one NaN, zeros in null slots, and zeros in a bitmap behind the last row.

use super::NotEmitted;
use super::arithmetic::best;
use super::cast::widened;
use super::emitter::{BLOCK, BYTE, CURSOR, Emitter, Kind, Lane, ROW, ROWS};
use super::fill;
use super::lower::{Data, Lower, Value};
use super::step::{Memory, Reg, Step};
use crate::body::ValueId;
use crate::kernel::{Fold, FoldOp, LEAF_LANES, Sink};
use crate::types::{DType, NAN_F32, NAN_F64, Repr};
use iced_x86::{Code, Register};

/// How `Store` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Write {
    /// Through the caches.
    Cached,
    /// Past them.
    Streaming,
}

/// Steps for the sink; `mask` says which rows are selected.
pub(super) fn lower(to: &mut Lower<'_, '_>, mask: Option<Reg>, write: Write) -> Result<(), NotEmitted> {
    let kernel = &to.guarded.kernel;
    match &kernel.sink {
        Sink::Store { columns } => store(to, columns, mask, write),
        Sink::Compact { columns } => compact(to, columns, mask),
        Sink::Reduce { folds } => reduce(to, folds, mask),
        Sink::Scan { columns, running, segment } => fill::scan(to, (columns, running, *segment), mask),
        sink @ (Sink::Sort { .. } | Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. }) => {
            Err(NotEmitted::new(format!("the sink `{}` is not emitted yet", sink.name())))
        }
    }
}

pub(super) fn dtype(to: &Lower<'_, '_>, v: ValueId) -> DType {
    to.guarded.kernel.body.ty(v).dtype
}

/// A value's vectors as they leave: one NaN, zeros where it is null.
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

/// What `vfixupimm` does with each class of numbers, four bits each: what it is given for both kinds of NaN, itself for
/// all others.
const NAN_RESPONSES: i128 = 0x1111_1100;

/// The value with one NaN for all.
fn one_nan(e: &mut Emitter<'_>, lane: Lane, value: Reg) -> Reg {
    let canonical = e.int(lane, if lane.wide() { NAN_F64.into() } else { NAN_F32.into() });
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
        let lane = Lane::of(dtype(to, v).repr());
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
fn store_code(lane: Lane) -> Code {
    match lane.bits {
        8 => Code::EVEX_Vpmovdb_xmmm128_k1z_zmm,
        16 => Code::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        32 => Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        _ => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
    }
}

pub(super) fn store_lanes(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], word: usize, write: Write) {
    for (part, &value) in parts.iter().enumerate() {
        let tail = e.tail.map(|tail| e.mask_of(tail, part));
        let base = e.pointer(word);
        let memory = Memory { offset: 64 * part as u32, ..Memory::indexed(base, ROW, lane.bits / 8) };
        let streams = write == Write::Streaming && lane.bits >= 32;
        let code = if streams { Code::EVEX_Vmovntdq_m512_zmm } else { store_code(lane) };
        let step = Step::new(code).mem(memory).read(value);
        e.push(match tail {
            Some(tail) => step.under(tail),
            None => step,
        });
    }
}

/// Writes 16 bits; in a tail of up to 8 rows only one byte, and zeros behind the last row.
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
        let lane = Lane::of(dtype(to, v).repr());
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

/// Writes the selected rows from the cursor on. A full step writes whole vectors: what it writes too much lies in rows
/// of the output that are not reached yet, and never behind the rows read so far.
fn compact_lanes(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], rows: Reg, word: usize) {
    let code = lane.pick(Code::EVEX_Vpcompressd_zmmm512_k1z_zmm, Code::EVEX_Vpcompressq_zmmm512_k1z_zmm);
    for (part, &value) in parts.iter().enumerate() {
        let of_part = e.mask_of(rows, part);
        let packed = e.vector();
        e.push(Step::new(code).def(packed).read(value).under_zero(of_part));
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
            Some(written) => step.under(written),
            None => step,
        });
    }
}

/// As many rows from the first on as the mask has.
fn first_rows(e: &mut Emitter<'_>, mask: Reg, lane: Lane) -> Reg {
    let code = if lane.wide() { Code::VEX_Kmovb_r32_kr } else { Code::VEX_Kmovw_r32_kr };
    e.push(Step::new(code).gpr(Register::EAX).read_mask(mask));
    e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    e.push(Step::new(Code::Mov_r32_imm32).gpr(Register::EBX).imm_full(u32::MAX));
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
    e.push(Step::new(Code::And_rm32_imm8).gpr(ebx).imm_32(7));
    e.push(Step::new(Code::VEX_Shlx_r32_rm32_r32).gpr(eax).gpr(eax).gpr(ebx));
    e.push(Step::new(Code::Mov_r64_rm64).gpr(rbx).gpr(CURSOR));
    e.push(Step::new(Code::Shr_rm64_imm8).gpr(rbx).imm(3));
    e.push(Step::new(Code::Or_rm32_r32).mem(Memory::indexed(base, rbx, 1)).gpr(eax));
}

fn reduce(to: &mut Lower<'_, '_>, folds: &[Fold], mask: Option<Reg>) -> Result<(), NotEmitted> {
    // The step's first lane: the row modulo the lanes. A call starts with a leaf.
    to.e.push(Step::new(Code::Mov_r64_rm64).gpr(CURSOR).gpr(ROW));
    to.e.push(Step::new(Code::And_rm64_imm8).gpr(CURSOR).imm_wide((LEAF_LANES - 1) as i8));
    for (number, fold) in folds.iter().enumerate() {
        let value = match fold.value {
            Some(v) => Some((to.get(v)?, dtype(to, v))),
            None => None,
        };
        let e = &mut to.e;
        let valid = value.as_ref().and_then(|(value, _)| value.valid);
        let present = e.both(valid, mask);
        let tail = e.tail;
        let present = e.both(present, tail);
        if fold.op != FoldOp::Sum {
            let rows = present.unwrap_or_else(|| e.fixed_mask(0xffff));
            let seen = Memory::at(BLOCK, 8 * e.shared.layout.fold_seen(number) as u32);
            e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(rows));
            e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
            e.push(Step::new(Code::Add_rm64_r64).mem(seen).gpr(Register::RAX));
        }
        if let (Some((value, dtype)), true) = (value, fold.op != FoldOp::Count) {
            let word = e.shared.layout.fold_lanes(number);
            fold_in(e, fold.op, &value, dtype.repr(), present, word)?;
        }
    }
    Ok(())
}

fn fold_in(
    e: &mut Emitter<'_>,
    op: FoldOp,
    value: &Value,
    repr: Repr,
    present: Option<Reg>,
    word: usize,
) -> Result<(), NotEmitted> {
    // Truth values are folded as bytes of 0 and 1.
    let (lane, parts) = match (&value.data, Lane::of(repr)) {
        (Data::Lanes(parts), Some(lane)) => (lane, parts.clone()),
        (&Data::Truth(truth), _) => {
            let lane = Lane { kind: Kind::Unsigned, bits: 8 };
            let one = e.int(lane, 1);
            (lane, vec![e.keep(lane, 0, truth, one)])
        }
        (Data::Lanes(_), None) => return Err(super::lower::wide_integers()),
    };
    match (op, lane.kind) {
        (FoldOp::Sum, Kind::Float) => {
            let code =
                lane.pick(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er);
            fold_lanes(e, lane, &parts, present, word, 0, |e, sum, value| e.op2(code, sum, value));
        }
        (FoldOp::Sum, _) if lane.wide() => add_halves(e, lane, &parts, present, word),
        (FoldOp::Sum, _) => {
            let wide = widened(e, lane, parts[0]);
            fold_lanes(e, Lane { bits: 64, ..lane }, &wide, present, word, 0, add);
        }
        (FoldOp::Min, _) => fold_lanes(e, lane, &parts, present, word, 0, |e, a, b| best(e, lane, false, a, b)),
        (FoldOp::Max, _) => fold_lanes(e, lane, &parts, present, word, 0, |e, a, b| best(e, lane, true, a, b)),
        (FoldOp::Count, _) => {}
    }
    Ok(())
}

/// Adds the upper and the lower halves of 64-bit integers apart: neither sum overflows in a leaf.
fn add_halves(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], present: Option<Reg>, word: usize) {
    let upper = if lane.kind == Kind::Signed {
        Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8
    } else {
        Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8
    };
    let high: Vec<Reg> = parts.iter().map(|&part| e.op1_imm(upper, part, 32)).collect();
    fold_lanes(e, lane, &high, present, word, 0, add);
    let mask = e.int(lane, 0xffff_ffff);
    let and = Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
    let low: Vec<Reg> = parts.iter().map(|&part| e.op2(and, part, mask)).collect();
    fold_lanes(e, lane, &low, present, word, 8 * LEAF_LANES as u32, add);
}

fn add(e: &mut Emitter<'_>, a: Reg, b: Reg) -> Reg {
    e.op2(Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, a, b)
}

/// Folds the vectors of a value into the lanes of the step, in the rows that are present.
fn fold_lanes(
    e: &mut Emitter<'_>,
    lane: Lane,
    parts: &[Reg],
    present: Option<Reg>,
    word: usize,
    offset: u32,
    f: impl Fn(&mut Emitter<'_>, Reg, Reg) -> Reg,
) {
    let load = match (lane.bits, lane.kind) {
        (8, Kind::Signed) => Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128,
        (8, _) => Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128,
        (16, Kind::Signed) => Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256,
        (16, _) => Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256,
        (32, _) => Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        (_, _) => Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
    };
    for (part, &value) in parts.iter().enumerate() {
        let present = present.map(|present| e.mask_of(present, part));
        let base = e.pointer(word);
        let memory = Memory { offset: offset + 64 * part as u32, ..Memory::indexed(base, CURSOR, lane.bits / 8) };
        let old = e.vector();
        e.push(Step::new(load).def(old).mem(memory));
        let new = f(e, old, value);
        // The pointer may have been replaced meanwhile.
        let base = e.pointer(word);
        let step = Step::new(store_code(lane)).mem(Memory { base, ..memory }).read(new);
        e.push(match present {
            Some(present) => step.under(present),
            None => step,
        });
    }
}
