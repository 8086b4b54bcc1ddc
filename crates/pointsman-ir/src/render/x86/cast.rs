//! Emits conversions between two types: the lanes of the result and, for casts that can fault, the rows whose value
//! does not fit.
//!
//! Integers are compared with the target's range (or clamped to it) before they change width; floats are compared with
//! the bounds as floats.

use super::NotEmitted;
use super::arithmetic::{Lowered, best, outside, plain, round};
use super::compare::{compare, less};
use super::decimal;
use super::emitter::{Emitter, Kind, Lane};
use super::logic::nans;
use super::lower::{Data, Value, wide_integers};
use super::scalar;
use super::step::{Reg, Step};
use crate::op::CoreOp;
use crate::types::{DType, MICROS_PER_DAY, NAN_F32, NAN_F64, Repr};
use iced_x86::Code;

/// The rows below a bound, or above it, as `vcmpps` says it.
const LESS: u8 = 0x11;
const LESS_OR_EQUAL: u8 = 0x12;
const F64: Lane = Lane { kind: Kind::Float, bits: 64 };
pub(super) const I64: Lane = Lane { kind: Kind::Signed, bits: 64 };

/// A conversion.
pub(super) fn lower(e: &mut Emitter<'_>, op: CoreOp, arg: &Value, from: DType, to: DType) -> Lowered {
    if from == to {
        return Ok((arg.data.clone(), None));
    }
    let saturating = op == CoreOp::CastSaturating;
    if from.repr() == Repr::I128 || to.repr() == Repr::I128 {
        return decimal::cast(e, arg, from, to, saturating);
    }
    let result = Lane::of(to.repr()).ok_or_else(wide_integers)?;
    if let Some(truth) = arg.mask() {
        return truth_to(e, truth, result, to);
    }
    let lane = Lane::of(from.repr()).ok_or_else(wide_integers)?;
    let parts = arg.parts();
    if op == CoreOp::Reinterpret {
        return Ok((Data::Lanes(bits(e, lane, parts, result)), None));
    }
    if let DType::Decimal { precision, scale } = to {
        return to_decimal(e, parts, from, lane, (precision, scale), saturating);
    }
    if let DType::Decimal { scale, .. } = from
        && (scale > 0 || result.kind == Kind::Float)
    {
        return from_decimal(e, parts, scale, result, saturating);
    }
    match (from, to) {
        (DType::Date32, DType::Timestamp) => date_to_timestamp(e, parts[0], lane, saturating),
        (DType::Timestamp, DType::Date32) => {
            let days = whole_days(e, parts);
            let (low, high) = result.range();
            let (days, flag) = bounded(e, I64, &days, low, high, saturating);
            Ok((Data::Lanes(integer_to_integer(e, I64, &days, result)), flag))
        }
        _ if lane.kind == Kind::Float && result.kind == Kind::Float => Ok((Data::Lanes(resized(e, lane, parts)), None)),
        _ if lane.kind == Kind::Float => {
            let (low, high) = result.range();
            float_to_integer(e, lane, parts, result, (low, high), saturating)
        }
        _ if result.kind == Kind::Float => Ok((Data::Lanes(integer_to_float(e, lane, parts, result)), None)),
        _ => {
            let (low, high) = result.range();
            let (parts, flag) = bounded(e, lane, parts, low, high, saturating);
            Ok((Data::Lanes(integer_to_integer(e, lane, &parts, result)), flag))
        }
    }
}

/// Reinterprets the bits as another type; a NaN becomes the canonical one.
fn bits(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], result: Lane) -> Vec<Reg> {
    if lane.kind != Kind::Float {
        return parts.to_vec();
    }
    let canonical = e.int(result, if lane.wide() { NAN_F64.into() } else { NAN_F32.into() });
    let mut one = |part: &Reg| {
        let nan = nans(e, lane, *part);
        e.blend(result, 0, nan, canonical, *part)
    };
    parts.iter().map(&mut one).collect()
}

fn truth_to(e: &mut Emitter<'_>, truth: Reg, result: Lane, to: DType) -> Lowered {
    let one = if let DType::Decimal { precision, scale } = to {
        if scale >= precision {
            return Err(NotEmitted::new("a truth value as a decimal without whole digits is not emitted yet"));
        }
        e.int(result, 10i128.pow(scale.into()))
    } else if result.kind == Kind::Float {
        e.float(result, 1.0)
    } else {
        e.int(result, 1)
    };
    let parts = (0..result.parts()).map(|part| e.keep(result, part, truth, one)).collect();
    Ok((Data::Lanes(parts), None))
}

/// The two halves of a vector of 32-bit lanes, each in the lower half of a register.
pub(super) fn halves(e: &mut Emitter<'_>, a: Reg) -> [Reg; 2] {
    let upper = e.vector();
    e.push(Step::new(Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8).def_half(upper).read(a).imm(1));
    [a, upper]
}

/// The lower halves of two registers as one.
pub(super) fn join(e: &mut Emitter<'_>, [low, high]: [Reg; 2]) -> Reg {
    let dst = e.vector();
    let code = Code::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
    e.push(Step::new(code).def(dst).read(low).read_half(high).imm(1));
    dst
}

/// Each half of a vector through an instruction that doubles the lanes' width.
fn doubled(e: &mut Emitter<'_>, code: Code, a: Reg) -> [Reg; 2] {
    halves(e, a).map(|half| {
        let dst = e.vector();
        e.push(Step::new(code).def(dst).read_half(half));
        dst
    })
}

/// Two vectors of 64-bit lanes through an instruction that halves the lanes' width.
fn halved(e: &mut Emitter<'_>, code: Code, parts: [Reg; 2]) -> Reg {
    let halves = parts.map(|part| {
        let dst = e.vector();
        e.push(Step::new(code).def_half(dst).read(part));
        dst
    });
    join(e, halves)
}

/// 32-bit integers in lanes of 64.
pub(super) fn widened(e: &mut Emitter<'_>, lane: Lane, a: Reg) -> [Reg; 2] {
    let signed = lane.kind == Kind::Signed;
    doubled(e, if signed { Code::EVEX_Vpmovsxdq_zmm_k1z_ymmm256 } else { Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256 }, a)
}

/// The low 32 bits of 64-bit lanes.
pub(super) fn narrowed(e: &mut Emitter<'_>, parts: [Reg; 2]) -> Reg {
    // Memory or half a register is written: the destination comes first either way.
    halved(e, Code::EVEX_Vpmovqd_ymmm256_k1z_zmm, parts)
}

fn pair(parts: &[Reg]) -> [Reg; 2] {
    [parts[0], parts[parts.len() - 1]]
}

pub(super) fn integer_to_integer(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], result: Lane) -> Vec<Reg> {
    match (lane.wide(), result.wide()) {
        (false, true) => widened(e, lane, parts[0]).to_vec(),
        (true, false) => vec![narrowed(e, pair(parts))],
        (true, true) | (false, false) => parts.to_vec(),
    }
}

fn resized(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg]) -> Vec<Reg> {
    if lane.wide() {
        return vec![halved(e, Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er, pair(parts))];
    }
    doubled(e, Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae, parts[0]).to_vec()
}

fn integer_to_float(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], result: Lane) -> Vec<Reg> {
    use Code as C;
    let unsigned = lane.kind == Kind::Unsigned;
    let pick = |signed_code, unsigned_code| if unsigned { unsigned_code } else { signed_code };
    match (lane.wide(), result.wide()) {
        (false, false) => {
            let code = pick(C::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, C::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er);
            vec![e.op1(code, parts[0])]
        }
        (false, true) => {
            let code = pick(C::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er, C::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er);
            doubled(e, code, parts[0]).to_vec()
        }
        (true, false) => {
            let code = pick(C::EVEX_Vcvtqq2ps_ymm_k1z_zmmm512b64_er, C::EVEX_Vcvtuqq2ps_ymm_k1z_zmmm512b64_er);
            vec![halved(e, code, pair(parts))]
        }
        (true, true) => {
            let code = pick(C::EVEX_Vcvtqq2pd_zmm_k1z_zmmm512b64_er, C::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er);
            parts.iter().map(|&part| e.op1(code, part)).collect()
        }
    }
}

/// Integers in a range: clamped to it, or with the rows that lie outside.
fn bounded(
    e: &mut Emitter<'_>,
    lane: Lane,
    parts: &[Reg],
    low: i128,
    high: i128,
    saturating: bool,
) -> (Vec<Reg>, Option<Reg>) {
    let (lowest, highest) = lane.range();
    let (low, high) = (low.max(lowest), high.min(highest));
    if !saturating {
        let flags: Vec<Reg> = parts.iter().filter_map(|&part| outside(e, lane, part, low, high)).collect();
        let flag = if flags.is_empty() { None } else { Some(e.whole_mask(&flags)) };
        return (parts.to_vec(), flag);
    }
    let clamp = |&part: &Reg| {
        let mut part = part;
        if low > lowest {
            let low = e.int(lane, low);
            part = best(e, lane, true, part, low);
        }
        if high < highest {
            let high = e.int(lane, high);
            part = best(e, lane, false, part, high);
        }
        part
    };
    (parts.iter().map(clamp).collect(), None)
}

/// Which rows of floats lie below a range of integers, and which above (NaN in neither), by part.
fn misfits(e: &mut Emitter<'_>, lane: Lane, part: Reg, (low, high): (i128, i128)) -> [Reg; 2] {
    // A value that truncates to `low` is above `low - 1`; if the type cannot represent both, the value is not below
    // `low`.
    let exact = |value: i128| if lane.wide() { value as f64 as i128 == value } else { value as f32 as i128 == value };
    let below = if exact(low - 1) {
        let bound = e.float(lane, (low - 1) as f64);
        compare(e, lane, part, bound, LESS_OR_EQUAL, None)
    } else {
        let bound = e.float(lane, low as f64);
        compare(e, lane, part, bound, LESS, None)
    };
    let bound = e.float(lane, (high + 1) as f64);
    let above = compare(e, lane, bound, part, LESS_OR_EQUAL, None);
    [below, above]
}

fn float_to_integer(
    e: &mut Emitter<'_>,
    lane: Lane,
    parts: &[Reg],
    result: Lane,
    range: (i128, i128),
    saturating: bool,
) -> Lowered {
    let (mut below, mut above, mut nan) = (Vec::new(), Vec::new(), Vec::new());
    for &part in parts {
        let [low, high] = misfits(e, lane, part, range);
        below.push(low);
        above.push(high);
        nan.push(nans(e, lane, part));
    }
    let (below, above, nan) = (e.whole_mask(&below), e.whole_mask(&above), e.whole_mask(&nan));
    let mut values = truncated(e, lane, parts, result);
    if !saturating {
        let outside = e.or(below, above);
        return Ok((Data::Lanes(values), Some(e.or(outside, nan))));
    }
    let (low, high, zero) = (e.int(result, range.0), e.int(result, range.1), e.int(result, 0));
    for (part, value) in values.iter_mut().enumerate() {
        *value = e.blend(result, part, below, low, *value);
        *value = e.blend(result, part, above, high, *value);
        *value = e.blend(result, part, nan, zero, *value);
    }
    Ok((Data::Lanes(values), None))
}

/// Floats as integers, toward zero; what does not fit is anything.
fn truncated(e: &mut Emitter<'_>, lane: Lane, parts: &[Reg], result: Lane) -> Vec<Reg> {
    use Code as C;
    let unsigned = result.kind == Kind::Unsigned;
    let pick = |signed_code, unsigned_code| if unsigned { unsigned_code } else { signed_code };
    match (lane.wide(), result.wide()) {
        (false, false) => {
            let code = pick(C::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, C::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae);
            vec![e.op1(code, parts[0])]
        }
        (false, true) => {
            let code = pick(C::EVEX_Vcvttps2qq_zmm_k1z_ymmm256b32_sae, C::EVEX_Vcvttps2uqq_zmm_k1z_ymmm256b32_sae);
            doubled(e, code, parts[0]).to_vec()
        }
        (true, false) => {
            let code = pick(C::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae, C::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae);
            vec![halved(e, code, pair(parts))]
        }
        (true, true) => {
            let code = pick(C::EVEX_Vcvttpd2qq_zmm_k1z_zmmm512b64_sae, C::EVEX_Vcvttpd2uqq_zmm_k1z_zmmm512b64_sae);
            parts.iter().map(|&part| e.op1(code, part)).collect()
        }
    }
}

/// A number as a decimal of up to 18 digits.
fn to_decimal(
    e: &mut Emitter<'_>,
    parts: &[Reg],
    from: DType,
    lane: Lane,
    (precision, scale): (u8, u8),
    saturating: bool,
) -> Lowered {
    let limit = 10i128.pow(precision.into()) - 1;
    if lane.kind == Kind::Float {
        let doubles = if lane.wide() { parts.to_vec() } else { resized(e, lane, parts) };
        let factor = e.float(F64, 10i128.pow(scale.into()) as f64);
        let mut scaled = Vec::with_capacity(2);
        for part in doubles {
            let product = e.op2(Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er, part, factor);
            scaled.push(round(e, F64, product));
        }
        return float_to_integer(e, F64, &scaled, I64, (-limit, limit), saturating);
    }
    let old = if let DType::Decimal { scale, .. } = from { scale } else { 0 };
    if old > scale {
        let rounded = rounded_quotient(e, parts, 10i128.pow((old - scale).into()));
        let (parts, flag) = bounded(e, I64, &rounded, -limit, limit, saturating);
        return Ok((Data::Lanes(parts), flag));
    }
    let factor = 10i128.pow((scale - old).into());
    let most = limit / factor;
    if saturating && factor > 1 {
        return scaled_saturating(e, parts, lane, factor, limit);
    }
    let (parts, flag) = bounded(e, lane, parts, -most, most, saturating);
    let wide = integer_to_integer(e, lane, &parts, I64);
    let factor = e.int(I64, factor);
    let scaled = wide.into_iter().map(|part| plain(e, CoreOp::Mul, I64, part, factor)).collect();
    Ok((Data::Lanes(scaled), flag))
}

/// Integers times a factor; what goes beyond the limit becomes the limit.
fn scaled_saturating(e: &mut Emitter<'_>, parts: &[Reg], lane: Lane, factor: i128, limit: i128) -> Lowered {
    let most = limit / factor;
    let (low, high) = lane.range();
    let beyond = |e: &mut Emitter<'_>, low: i128, high: i128| {
        let flags: Vec<Reg> = parts.iter().filter_map(|&part| outside(e, lane, part, low, high)).collect();
        if flags.is_empty() { None } else { Some(e.whole_mask(&flags)) }
    };
    let below = if -most > low { beyond(e, -most, i128::MAX) } else { None };
    let above = if most < high { beyond(e, i128::MIN, most) } else { None };
    let wide = integer_to_integer(e, lane, parts, I64);
    let factor = e.int(I64, factor);
    let mut scaled: Vec<Reg> = wide.into_iter().map(|part| plain(e, CoreOp::Mul, I64, part, factor)).collect();
    for (rows, bound) in [(below, -limit), (above, limit)] {
        let Some(rows) = rows else { continue };
        let bound = e.int(I64, bound);
        for (part, value) in scaled.iter_mut().enumerate() {
            *value = e.blend(I64, part, rows, bound, *value);
        }
    }
    Ok((Data::Lanes(scaled), None))
}

/// Decimals divided by a power of ten, halves away from zero: half of it is added to the magnitude first.
pub(super) fn rounded_quotient(e: &mut Emitter<'_>, parts: &[Reg], factor: i128) -> Vec<Reg> {
    let (zero, up, down) = (e.int(I64, 0), e.int(I64, factor / 2), e.int(I64, -(factor / 2)));
    let mut moved = Vec::with_capacity(2);
    for &part in parts {
        let negative = less(e, I64, part, zero);
        let half = e.blend(I64, 0, negative, down, up);
        moved.push(plain(e, CoreOp::Add, I64, part, half));
    }
    let factor = e.int(I64, factor);
    scalar::divided(e, I64, &moved, &[factor; 2], false)
}

/// Timestamps as days, rounded down.
fn whole_days(e: &mut Emitter<'_>, parts: &[Reg]) -> Vec<Reg> {
    let (day, one) = (e.int(I64, MICROS_PER_DAY.into()), e.int(I64, 1));
    let quotients = scalar::divided(e, I64, parts, &[day; 2], false);
    let mut days = Vec::with_capacity(2);
    for (&quotient, &part) in quotients.iter().zip(parts) {
        let product = plain(e, CoreOp::Mul, I64, quotient, day);
        let before = less(e, I64, part, product);
        let earlier = plain(e, CoreOp::Sub, I64, quotient, one);
        days.push(e.blend(I64, 0, before, earlier, quotient));
    }
    days
}

/// A decimal of up to 18 digits as a number.
fn from_decimal(e: &mut Emitter<'_>, parts: &[Reg], scale: u8, result: Lane, saturating: bool) -> Lowered {
    if result.kind != Kind::Float {
        let factor = e.int(I64, 10i128.pow(scale.into()));
        let whole = scalar::divided(e, I64, parts, &[factor; 2], false);
        let (low, high) = result.range();
        let (whole, flag) = bounded(e, I64, &whole, low, high, saturating);
        return Ok((Data::Lanes(integer_to_integer(e, I64, &whole, result)), flag));
    }
    let factor = e.float(F64, 10i128.pow(scale.into()) as f64);
    let doubles = integer_to_float(e, I64, parts, F64);
    let quotients: Vec<Reg> =
        doubles.into_iter().map(|part| e.op2(Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er, part, factor)).collect();
    Ok((Data::Lanes(if result.wide() { quotients } else { resized(e, F64, &quotients) }), None))
}

fn date_to_timestamp(e: &mut Emitter<'_>, date: Reg, lane: Lane, saturating: bool) -> Lowered {
    let day = i128::from(MICROS_PER_DAY);
    let (first, last) = (i128::from(i64::MIN) / day, i128::from(i64::MAX) / day);
    let wide = widened(e, lane, date);
    let factor = e.int(I64, day);
    let mut values: Vec<Reg> = wide.into_iter().map(|part| plain(e, CoreOp::Mul, I64, part, factor)).collect();
    if !saturating {
        return Ok((Data::Lanes(values), outside(e, lane, date, first, last)));
    }
    let below = outside(e, lane, date, first, i128::MAX);
    let above = outside(e, lane, date, i128::MIN, last);
    for (rows, bound) in [(below, i64::MIN), (above, i64::MAX)] {
        let Some(rows) = rows else { continue };
        let bound = e.int(I64, bound.into());
        for (part, value) in values.iter_mut().enumerate() {
            *value = e.blend(I64, part, rows, bound, *value);
        }
    }
    Ok((Data::Lanes(values), None))
}
