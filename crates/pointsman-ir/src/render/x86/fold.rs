//! Accumulators of `Reduce` in registers: started or loaded from a leaf's lanes, changed by 16 rows, stored again or
//! folded into one.

use super::NotEmitted;
use super::arithmetic::{best_code, range_choice, range_code};
use super::cast::widened;
use super::compare::{ORDERED, compare};
use super::emitter::{Emitter, Kind, Lane};
use super::frame::STEP_ROWS;
use super::logic::{canonical_nan, nan_bits, unordered};
use super::lower::{Data, Lower, Value, load_code, wide_integers};
use super::sink::store_code;
use super::step::{Memory, Reg, Step};
use crate::body::{Inst, ValueId};
use crate::guard::Guarded;
use crate::kernel::{Fold, FoldOp, LEAF_LANES};
use crate::op::Op;
use crate::types::Repr;
use iced_x86::{Code, Register};
use std::ops::Range;

/// The lanes a fold's accumulators have in memory, each with its offset after the first.
fn places(guarded: &Guarded, fold: &Fold) -> Result<Vec<(Lane, u32)>, NotEmitted> {
    let Some(v) = fold.value().filter(|_| fold.op != FoldOp::Count) else { return Ok(Vec::new()) };
    let lane = fold_lane(guarded, v)?;
    if !fold.op.is_sum() || lane.kind == Kind::Float {
        return Ok(vec![(lane, 0)]);
    }
    let wide = Lane { bits: 64, ..lane };
    Ok(if lane.wide() { vec![(wide, 0), (wide, 8 * LEAF_LANES as u32)] } else { vec![(wide, 0)] })
}

/// The number of vectors of a group of a fold's accumulators.
pub(super) fn vectors(guarded: &Guarded, fold: &Fold) -> Result<usize, NotEmitted> {
    Ok(places(guarded, fold)?.iter().map(|(lane, _)| lane.parts()).sum())
}

/// Whether a fold takes its values in a fixed order: float sums do.
pub(super) fn has_order(guarded: &Guarded, fold: &Fold) -> bool {
    fold.op.is_sum() && fold.value().is_some_and(|v| guarded.kernel.body.ty(v).dtype.is_float())
}

/// The lanes of a folded value; truth values are folded as bytes of 0 and 1.
fn fold_lane(guarded: &Guarded, v: ValueId) -> Result<Lane, NotEmitted> {
    let repr = guarded.kernel.body.ty(v).dtype.repr();
    if repr == Repr::Bool {
        return Ok(Lane { kind: Kind::Unsigned, bits: 8 });
    }
    Lane::of(repr).ok_or_else(wide_integers)
}

/// The position of a vector of a group of lanes.
fn place(base: Register, index: Register, (lane, offset): (Lane, u32), group: usize, part: usize) -> Memory {
    let bytes = lane.bits / 8;
    let offset = offset + group as u32 * STEP_ROWS as u32 * bytes + 64 * part as u32;
    Memory { offset, ..Memory::indexed(base, index, bytes) }
}

/// The bits of what a fold starts from.
fn identity(lane: Lane, op: FoldOp) -> i128 {
    match (op, lane.kind) {
        (FoldOp::Count, _) | (FoldOp::Sum | FoldOp::Total, Kind::Signed | Kind::Unsigned) => 0,
        // −0, the only number that changes no sum.
        (FoldOp::Sum | FoldOp::Total, Kind::Float) => lane.range().0,
        (FoldOp::Min, Kind::Float) => nan_bits(lane),
        (FoldOp::Max, Kind::Float) if lane.wide() => f64::NEG_INFINITY.to_bits().into(),
        (FoldOp::Max, Kind::Float) => f32::NEG_INFINITY.to_bits().into(),
        (FoldOp::Min, Kind::Signed | Kind::Unsigned) => lane.range().1,
        (FoldOp::Max, Kind::Signed | Kind::Unsigned) => lane.range().0,
    }
}

/// Accumulators of a group that took nothing in.
pub(super) fn start(e: &mut Emitter<'_>, guarded: &Guarded, fold: &Fold) -> Result<Vec<Reg>, NotEmitted> {
    let mut regs = Vec::new();
    for (lane, _) in places(guarded, fold)? {
        regs.extend((0..lane.parts()).map(|_| e.int_here(lane, identity(lane, fold.op))));
    }
    Ok(regs)
}

/// Stores accumulators that took nothing in, for these groups.
pub(super) fn clear(
    e: &mut Emitter<'_>,
    guarded: &Guarded,
    (number, fold): (usize, &Fold),
    groups: Range<usize>,
) -> Result<(), NotEmitted> {
    if groups.is_empty() {
        return Ok(());
    }
    for at in places(guarded, fold)? {
        let nothing = e.int_here(at.0, identity(at.0, fold.op));
        let base = e.pointer(e.shared.layout.fold_lanes(number));
        for (group, part) in groups.clone().flat_map(|group| (0..at.0.parts()).map(move |part| (group, part))) {
            e.push(Step::new(store_code(at.0)).mem(place(base, Register::None, at, group, part)).read(nothing));
        }
    }
    Ok(())
}

/// Folds all groups of accumulators into the first lane, by the halving tree, and stores it: lane `j` takes in lane
/// `j + h` for `h` = half the lanes, a quarter, … 1. With fewer groups the order is free.
pub(super) fn total(
    e: &mut Emitter<'_>,
    guarded: &Guarded,
    (number, fold): (usize, &Fold),
    groups: &[Vec<Reg>],
) -> Result<(), NotEmitted> {
    let Some(v) = fold.value() else { return Ok(()) };
    let has_no_sign = has_no_sign(guarded, v);
    let places = places(guarded, fold)?;
    let (mut totals, mut first) = (Vec::with_capacity(places.len()), 0);
    for &(lane, _) in &places {
        let vectors = groups.iter().flat_map(|group| &group[first..first + lane.parts()]).copied().collect();
        first += lane.parts();
        totals.push(halved(e, vectors, lane, |e, lanes| join(e, fold.op, lane, has_no_sign, lanes)));
    }
    if let [_, _] = places[..] {
        add_upper(e, &totals, Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64);
    }
    for (&at, &total) in places.iter().zip(&totals) {
        let base = e.pointer(e.shared.layout.fold_lanes(number));
        e.push(Step::new(store_code(at.0)).mem(place(base, Register::None, at, 0, 0)).read(total));
    }
    Ok(())
}

/// Folds vectors, and then the lanes of the last one, by halves.
fn halved(
    e: &mut Emitter<'_>,
    mut vectors: Vec<Reg>,
    lane: Lane,
    join: impl Fn(&mut Emitter<'_>, (Reg, Reg)) -> Reg,
) -> Reg {
    while vectors.len() > 1 {
        let right = vectors.split_off(vectors.len() / 2);
        for (left, right) in vectors.iter_mut().zip(right) {
            *left = join(e, (*left, right));
        }
    }
    let align =
        lane.pick(Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, Code::EVEX_Valignq_zmm_k1z_zmm_zmmm512b64_imm8);
    let (mut total, mut half) = (vectors[0], STEP_ROWS as u8 / lane.parts() as u8 / 2);
    while half > 0 {
        let right = e.op2_imm(align, total, total, half);
        total = join(e, (total, right));
        half /= 2;
    }
    total
}

/// `f(left, right)` of accumulators: a NaN among them is the one that leaves a kernel, or has no sign. They stay as
/// they are: what was spilled is not stored again.
fn join(e: &mut Emitter<'_>, op: FoldOp, lane: Lane, has_no_sign: bool, (left, right): (Reg, Reg)) -> Reg {
    let greatest = op == FoldOp::Max;
    if op.is_sum() {
        return e.op2(add_code(lane), left, right);
    }
    if lane.kind != Kind::Float || has_no_sign {
        let kind = if lane.kind == Kind::Float { Kind::Signed } else { lane.kind };
        return e.op2(best_code(Lane { kind, ..lane }, greatest), left, right);
    }
    // The smaller one of a number and a NaN is the number, as it shall be.
    let best = e.op2_imm(range_code(lane), left, right, range_choice(greatest));
    if greatest {
        let (nan, canonical) = (unordered(e, lane, left, right, None), e.int_here(lane, nan_bits(lane)));
        e.push(Step::new(move_code(lane)).change(best).read(canonical).masked(nan));
    }
    best
}

/// The sum of accumulators.
fn add_code(lane: Lane) -> Code {
    match lane.kind {
        Kind::Float => {
            lane.pick(Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er, Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er)
        }
        Kind::Signed | Kind::Unsigned => Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
    }
}

/// Whether floats have a clear sign bit.
fn has_no_sign(guarded: &Guarded, v: ValueId) -> bool {
    matches!(guarded.kernel.body.inst(v), Inst::Call { op: Op::Abs, .. })
}

/// Loads the accumulators of a fold (by number), of the group that starts at lane `index + 16 · group`.
pub(super) fn load(
    e: &mut Emitter<'_>,
    guarded: &Guarded,
    (number, fold): (usize, &Fold),
    index: Register,
    group: usize,
) -> Result<Vec<Reg>, NotEmitted> {
    let places = places(guarded, fold)?;
    let mut regs = Vec::new();
    for &at in &places {
        let base = e.pointer(e.shared.layout.fold_lanes(number));
        for part in 0..at.0.parts() {
            let dst = e.vector();
            e.push(Step::new(load_code(at.0)).def(dst).mem(place(base, index, at, group, part)));
            regs.push(dst);
        }
    }
    if let [_, _] = places[..] {
        add_upper(e, &regs, Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64);
    }
    Ok(regs)
}

/// Stores what [`load`] loaded.
pub(super) fn store(
    e: &mut Emitter<'_>,
    guarded: &Guarded,
    (number, fold): (usize, &Fold),
    regs: &[Reg],
    index: Register,
    group: usize,
) -> Result<(), NotEmitted> {
    let places = places(guarded, fold)?;
    if let [_, _] = places[..] {
        add_upper(e, regs, Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64);
    }
    let mut regs = regs.iter();
    for &at in &places {
        let base = e.pointer(e.shared.layout.fold_lanes(number));
        for (part, &value) in regs.by_ref().take(at.0.parts()).enumerate() {
            e.push(Step::new(store_code(at.0)).mem(place(base, index, at, group, part)).read(value));
        }
    }
    Ok(())
}

/// Sums of 64-bit integers are the sum of the upper halves, exact, and that of whole values, cut to 64 bits. In memory
/// the second is that of the lower halves, and exact: what 2³² times the first leaves of it.
fn add_upper(e: &mut Emitter<'_>, regs: &[Reg], code: Code) {
    let (upper, whole) = regs.split_at(regs.len() / 2);
    for (&upper, &whole) in upper.iter().zip(whole) {
        let shifted = e.op1_imm(Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8, upper, 32);
        change(e, code, whole, shifted, None);
    }
}

/// `acc = f(acc, value)` in the lanes of a mask.
fn change(e: &mut Emitter<'_>, code: Code, acc: Reg, value: Reg, present: Option<Reg>) {
    let step = Step::new(code).change(acc).read(acc).read(value);
    e.push(match present {
        Some(present) => step.masked(present),
        None => step,
    });
}

/// Folds a value into accumulators, in the rows that are present.
pub(super) fn fold_in(
    to: &mut Lower<'_, '_>,
    op: FoldOp,
    (v, value): (ValueId, &Value),
    present: Option<Reg>,
    lanes: &[Reg],
) -> Result<(), NotEmitted> {
    let lane = fold_lane(to.guarded, v)?;
    let e = &mut to.e;
    let parts = match &value.data {
        Data::Lanes(parts) => parts.clone(),
        &Data::Truth(truth) => {
            let one = e.int(lane, 1);
            vec![e.keep(lane, 0, truth, one)]
        }
    };
    let known = Known { is_number: value.is_number, has_no_sign: has_no_sign(to.guarded, v) };
    match op {
        FoldOp::Count => {}
        FoldOp::Sum | FoldOp::Total => add_in(e, lane, &parts, present, lanes),
        FoldOp::Min | FoldOp::Max => {
            for (part, (&value, &acc)) in parts.iter().zip(lanes).enumerate() {
                let present = present.map(|present| e.mask_of(present, part));
                best_in(e, lane, op == FoldOp::Max, (acc, value), present, known);
            }
        }
    }
    Ok(())
}

fn add_in(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], present: Option<Reg>, lanes: &[Reg]) {
    let add = |e: &mut Emitter<'_>, code: Code, part: usize, acc: Reg, value: Reg| {
        let present = present.map(|present| e.mask_of(present, part));
        change(e, code, acc, value, present);
    };
    if lane.kind == Kind::Float {
        let code = add_code(lane);
        parts.iter().zip(lanes).enumerate().for_each(|(part, (&value, &acc))| add(e, code, part, acc, value));
        return;
    }
    let code = Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
    if !lane.wide() {
        let wide = widened(e, lane, parts[0]);
        wide.iter().zip(lanes).enumerate().for_each(|(part, (&value, &acc))| add(e, code, part, acc, value));
        return;
    }
    let shift = if lane.kind == Kind::Signed {
        Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8
    } else {
        Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8
    };
    for (part, &value) in parts.iter().enumerate() {
        let upper = e.op1_imm(shift, value, 32);
        add(e, code, part, lanes[part], upper);
        add(e, code, part, lanes[parts.len() + part], value);
    }
}

fn move_code(lane: Lane) -> Code {
    lane.pick(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512)
}

/// The properties of a float type.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// They are no NaNs.
    is_number: bool,
    /// Their sign bit is clear: their bits compare as integers do, NaNs on top.
    has_no_sign: bool,
}

/// The smaller or the greater in the total order: −0 below +0, NaN on top. An accumulator is never a signalling NaN.
fn best_in(
    e: &mut Emitter<'_>,
    lane: Lane,
    greatest: bool,
    (acc, value): (Reg, Reg),
    present: Option<Reg>,
    known: Known,
) {
    if lane.kind != Kind::Float {
        return change(e, best_code(lane, greatest), acc, value, present);
    }
    if known.has_no_sign {
        // The identity of a maximum is negative; that of a minimum is a NaN without a sign.
        return change(e, best_code(Lane { kind: Kind::Signed, ..lane }, greatest), acc, value, present);
    }
    let mut under = present;
    let mut nan = None;
    if !known.is_number && greatest {
        nan = Some(unordered(e, lane, acc, value, present));
    } else if !known.is_number {
        under = Some(compare(e, lane, value, value, ORDERED, present));
    }
    let step = Step::new(range_code(lane)).change(acc).read(acc).read(value).imm(range_choice(greatest));
    e.push(match under {
        Some(under) => step.masked(under),
        None => step,
    });
    if let Some(nan) = nan {
        let canonical = canonical_nan(e, lane);
        e.push(Step::new(move_code(lane)).change(acc).read(canonical).masked(nan));
    }
}
