//! The operands of a sink that the device itself works out, left in blocks of a call's rows: values in their types and
//! bits. Nothing is selected here: every row has its place.
//!
//! For `Scan` the outputs of the block are its columns, then its running folds, then one for the rows' bits.

use super::NotEmitted;
use super::emitter::{Kind, Lane};
use super::lower::{Data, Lower, Value, wide_integers};
use super::sink::{Write, dtype, leaving, store_bits, store_lanes};
use super::step::Reg;
use crate::body::ValueId;
use crate::kernel::{FoldOp, Frame, Kernel, Running, Sink};

/// The parts of an output of a fill: values, bits, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) values: bool,
    pub(super) bits: bool,
}

/// The outputs of a fill; none for sinks that are emitted whole.
pub(super) fn outputs(kernel: &Kernel) -> Vec<Filled> {
    let Sink::Scan { columns, running, segment } = &kernel.sink else { return Vec::new() };
    let column = |v: &ValueId| Filled { values: true, bits: kernel.body.ty(*v).nullable };
    let fold = |one: &Running| Filled { values: takes_values(one), bits: !is_whole_sum(one) };
    let rows = Filled { values: kernel.mask.is_some(), bits: segment.is_some() };
    columns.iter().map(column).chain(running.iter().map(fold)).chain([rows]).collect()
}

/// Whether a fold takes 0 (or −0.0) for a row that it skips, so that it needs no bits.
fn is_whole_sum(one: &Running) -> bool {
    one.fold.op.is_sum() && one.frame == Frame::Unbounded
}

/// Whether a fold looks at values: an unframed count does not.
fn takes_values(one: &Running) -> bool {
    one.fold.value().is_some() && (one.fold.op, one.frame) != (FoldOp::Count, Frame::Unbounded)
}

/// Steps that fill the blocks of `Scan`.
pub(super) fn scan(
    to: &mut Lower<'_, '_>,
    (columns, running, segment): (&[ValueId], &[Running], Option<ValueId>),
    mask: Option<Reg>,
) -> Result<(), NotEmitted> {
    for (number, &v) in columns.iter().enumerate() {
        let value = to.get(v)?;
        values(to, v, &value, value.valid, number)?;
        if to.guarded.kernel.body.ty(v).nullable {
            bits(to, value.valid, to.e.shared.layout.output_validity(number));
        }
    }
    for (number, one) in running.iter().enumerate() {
        fold(to, one, mask, columns.len() + number)?;
    }
    let layout = to.e.shared.layout;
    if mask.is_some() {
        bits(to, mask, layout.output_values(columns.len() + running.len()));
    }
    if let Some(segment) = segment {
        let starts = to.is_true(segment)?;
        let starts = to.e.both(Some(starts), mask);
        bits(to, starts, layout.output_validity(columns.len() + running.len()));
    }
    Ok(())
}

fn fold(to: &mut Lower<'_, '_>, one: &Running, mask: Option<Reg>, number: usize) -> Result<(), NotEmitted> {
    let value = match one.fold.value() {
        Some(v) => Some((v, to.get(v)?)),
        None => None,
    };
    let valid = value.as_ref().and_then(|(_, value)| value.valid);
    let present = to.e.both(valid, mask);
    match &value {
        Some((v, value)) if is_whole_sum(one) => addends(to, *v, value, present, number)?,
        Some((v, value)) if takes_values(one) => values(to, *v, value, present, number)?,
        Some(_) | None => {}
    }
    if !is_whole_sum(one) {
        bits(to, present, to.e.shared.layout.output_validity(number));
    }
    Ok(())
}

/// Writes values: one NaN, zeros where there is nothing.
fn values(
    to: &mut Lower<'_, '_>,
    v: ValueId,
    value: &Value,
    present: Option<Reg>,
    number: usize,
) -> Result<(), NotEmitted> {
    let lane = Lane::moved(dtype(to, v).repr());
    let e = &mut to.e;
    let word = e.shared.layout.output_values(number);
    match (&value.data, lane) {
        (Data::Lanes(parts), Some(lane)) => {
            let parts = leaving(e, lane, parts, present, value.is_number);
            store_lanes(e, lane, &parts, word, Write::Cached);
        }
        (&Data::Truth(truth), _) => {
            let truth = present.map_or(truth, |present| e.and(truth, present));
            store_bits(e, truth, word);
        }
        (Data::Lanes(_), None) => return Err(wide_integers()),
    }
    Ok(())
}

/// Writes what a sum adds: nothing (−0.0 for floats, else 0) where a row is skipped.
fn addends(
    to: &mut Lower<'_, '_>,
    v: ValueId,
    value: &Value,
    present: Option<Reg>,
    number: usize,
) -> Result<(), NotEmitted> {
    let lane = Lane::moved(dtype(to, v).repr()).ok_or_else(wide_integers)?;
    let e = &mut to.e;
    let word = e.shared.layout.output_values(number);
    let mut parts = value.parts().to_vec();
    if let Some(present) = present {
        let nothing = if lane.kind == Kind::Float { e.float(lane, -0.0) } else { e.int(lane, 0) };
        for (part, value) in parts.iter_mut().enumerate() {
            *value = e.blend(lane, part, present, *value, nothing);
        }
    }
    store_lanes(e, lane, &parts, word, Write::Cached);
    Ok(())
}

/// Writes a bit a row; all ones where no mask says otherwise.
fn bits(to: &mut Lower<'_, '_>, mask: Option<Reg>, word: usize) {
    let mask = mask.unwrap_or_else(|| to.e.fixed_mask(0xffff));
    store_bits(&mut to.e, mask, word);
}
