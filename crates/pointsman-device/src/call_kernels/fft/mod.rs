//! Fourier transforms. In: an [`Fft`], or lines of numbers of another plan. Out: passes over global memory (Stockham's
//! algorithm with large radices, each of which is a short transform in shared memory). Lengths with large prime factors
//! become a circular convolution of a longer length (Bluestein).

mod butterfly;
mod lengths;
mod pass;

pub(super) use lengths::padded;
pub(super) use pass::{LineSource, LineTarget, NumberOrder, Picks};

use super::batches::PlannedWindow;
use super::builder::{Builder, StepWork};
use super::constants::Sign;
use super::language::{Elements, EntryPoint, SharedArray};
use super::{CallMemory, CallPlan, CallTarget, NotPlanned, WORDS};
use pass::Pass;
use pointsman_ir::kernel::call::{Fft, Numbers, Transform};
use pointsman_ir::types::DType;

/// The most bytes of shared memory of a workgroup: more would leave too few workgroups on a multiprocessor.
const SHARED_BYTES_MAX: u64 = 32 << 10;
/// The numbers of a workgroup, if a pass is not longer: 8 for each invocation.
const GROUP_NUMBERS: u64 = 2048;
/// Bytes that neighbouring invocations read together, at least, in transforms of several passes.
const COALESCED_BYTES: u64 = 32;

/// Transforms of lines: of each block of numbers, `stride` lines whose numbers are `stride` apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    pub(super) length: u64,
    pub(super) sign: Sign,
    pub(super) stride: u64,
    /// The blocks of a chunk.
    pub(super) blocks: u64,
    pub(super) load: LineSource,
    pub(super) from: PlannedWindow,
    pub(super) store: LineTarget,
    pub(super) to: PlannedWindow,
}

impl LineSource {
    /// Complex numbers as they are.
    pub(super) fn plain(block: u64, given: u64) -> LineSource {
        LineSource { elements: Elements::Complex, block, given, order: NumberOrder::Plain, factors: None, blocks: None }
    }
}

impl LineTarget {
    /// The first complex numbers of each line.
    pub(super) fn plain(block: u64, kept: u64) -> LineTarget {
        LineTarget { elements: Elements::Complex, block, kept, picks: None, scale: 1f64.to_bits(), factors: None }
    }

    /// Times a factor.
    pub(super) fn scaled(self, scale: f64) -> LineTarget {
        LineTarget { scale: scale.to_bits(), ..self }
    }
}

fn elements(numbers: Numbers) -> Elements {
    match numbers {
        Numbers::Real => Elements::Real,
        Numbers::Complex => Elements::Complex,
    }
}

/// Plans a transform.
pub(super) fn plan(fft: &Fft, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
    let mut builder = Builder::new(dtype, target);
    let sign = match fft.transform {
        Transform::Forward | Transform::RealForward => Sign::Minus,
        Transform::Inverse | Transform::RealInverse => Sign::Plus,
    };
    let scale = if sign == Sign::Minus { 1.0 } else { 1.0 / (fft.outer as f64 * fft.length as f64) };
    let [from, to] = fft.numbers().map(elements);
    let bytes = |elements: Elements, numbers: u64| numbers * fft.outer * u64::from(elements.reals());
    let input = PlannedWindow::each(CallMemory::Input, bytes(from, fft.given) * builder.number_bytes());
    let output = PlannedWindow::each(CallMemory::Output, bytes(to, fft.kept) * builder.number_bytes());
    builder.check(&[input, output])?;
    let order =
        if fft.transform == Transform::RealInverse { NumberOrder::Half(fft.length) } else { NumberOrder::Plain };
    let load = LineSource { elements: from, order, ..LineSource::plain(fft.given, fft.given) };
    let store = LineTarget { elements: to, ..LineTarget::plain(fft.kept, fft.kept) }.scaled(scale);
    let across = Lines { length: fft.length, sign, stride: 1, blocks: fft.outer, load, from: input, store, to: output };
    let down = |width: u64, from: PlannedWindow, to: PlannedWindow| {
        let block = fft.outer * width;
        let (load, store) = (LineSource::plain(block, fft.outer), LineTarget::plain(block, fft.outer));
        Lines { length: fft.outer, sign, stride: width, blocks: 1, load, from, store, to }
    };
    if fft.outer == 1 {
        lines(&mut builder, &across)?;
    } else if fft.transform == Transform::RealInverse {
        let between = builder.scratch(fft.outer * fft.given)?;
        lines(&mut builder, &down(fft.given, input, between))?;
        lines(&mut builder, &Lines { from: between, ..across })?;
    } else {
        let between = builder.scratch(fft.outer * fft.kept)?;
        let unscaled = LineTarget::plain(fft.kept, fft.kept);
        lines(&mut builder, &Lines { to: between, store: unscaled, ..across })?;
        let last = down(fft.kept, between, output);
        lines(&mut builder, &Lines { store: last.store.scaled(scale), ..last })?;
    }
    builder.finish()
}

/// Adds the steps of transforms of lines.
pub(super) fn lines(builder: &mut Builder<'_>, lines: &Lines) -> Result<(), NotPlanned> {
    if lengths::is_smooth(lines.length) { passes(builder, lines) } else { chirped(builder, lines) }
}

/// Transforms of any length, as circular convolutions with a chirp.
fn chirped(builder: &mut Builder<'_>, lines: &Lines) -> Result<(), NotPlanned> {
    let Lines { length, sign, stride, blocks, load, store, .. } = *lines;
    let long = lengths::padded(2 * length - 1);
    let scale = f64::from_bits(store.scale);
    let block = long * stride;
    let between = builder.scratch(long.saturating_mul(stride).saturating_mul(blocks))?;
    let [chirp, spectrum] = builder.constants.chirp(length, long, sign, scale);
    let there = Lines {
        length: long,
        sign: Sign::Minus,
        load: LineSource { factors: Some((chirp, length)), ..load },
        store: LineTarget { factors: Some(spectrum), ..LineTarget::plain(block, long) },
        to: between,
        ..*lines
    };
    passes(builder, &there)?;
    let store = LineTarget { factors: Some(chirp), ..store }.scaled(1.0);
    let back =
        Lines { length: long, sign: Sign::Plus, load: LineSource::plain(block, long), from: between, store, ..*lines };
    passes(builder, &back)
}

/// Transforms of a length that divides into passes.
fn passes(builder: &mut Builder<'_>, lines: &Lines) -> Result<(), NotPlanned> {
    let Lines { length: total, sign, stride, blocks, .. } = *lines;
    let numbers_max = SHARED_BYTES_MAX.min(builder.target.workgroup_bytes.into()) / builder.pair_bytes();
    let together = (COALESCED_BYTES / builder.pair_bytes()).max(1);
    // Lines next to each other, or in several passes, are read together.
    let pass_max = if stride > 1 { numbers_max / together } else { numbers_max };
    let lengths = match total <= pass_max {
        true => vec![total],
        false => lengths::passes(total, numbers_max / together),
    };
    let block = total * stride;
    let between = |builder: &mut Builder<'_>| builder.scratch(block.saturating_mul(blocks));
    let scratch = match lengths.len() {
        1 => Vec::new(),
        2 => vec![between(builder)?],
        _ => vec![between(builder)?, between(builder)?],
    };
    let mut before = 1;
    for (number, &length) in lengths.iter().enumerate() {
        let (is_first, is_last) = (number == 0, number + 1 == lengths.len());
        let (load, from) = match is_first {
            true => (lines.load, lines.from),
            false => (LineSource::plain(block, total), scratch[(number - 1) % scratch.len()]),
        };
        let (store, to) = match is_last {
            true => (lines.store, lines.to),
            false => (LineTarget::plain(block, total), scratch[number % scratch.len()]),
        };
        let roots = builder.constants.roots(length, sign);
        let turns = builder.constants.roots(before * length, sign);
        let group_items = ((GROUP_NUMBERS.min(numbers_max) / length).max(1) + 1).next_power_of_two() / 2;
        let (language, items) = (builder.target.language, total / length * stride * blocks);
        let pass =
            Pass { total, length, before, stride, sign, load, store, roots, turns, group_items, items, language };
        add(builder, &pass, from, to);
        before *= length;
    }
    Ok(())
}

/// Adds the entry point and the step of a pass.
fn add(builder: &mut Builder<'_>, pass: &Pass, from: PlannedWindow, to: PlannedWindow) {
    let number = builder.next_entry();
    let shared = format!("shared_{number}");
    let body = pass.body(&shared);
    let constants = if body.contains("right_C") { Some(PlannedWindow::shared(CallMemory::Constants, 0)) } else { None };
    let count = (pass.length * pass.group_items) as u32;
    let is_shared = body.contains(&shared);
    let entry = EntryPoint {
        name: format!("transform_{number}"),
        buffers: [Some(pass.load.elements), constants.map(|_| Elements::Complex), Some(pass.store.elements)],
        shared: is_shared
            .then_some(SharedArray { name: shared, elements: Elements::Complex, count })
            .into_iter()
            .collect(),
        body,
    };
    let numbers = (pass.length * pass.group_items) as f64;
    let work = StepWork {
        read: [from, constants.unwrap_or(PlannedWindow::unused())],
        written: to,
        items: pass.items,
        group_items: pass.group_items,
        // A number is read and written, and each factor of two costs about 5 operations.
        group_operations: numbers * (16.0 + 5.0 * (pass.length as f64).log2()),
    };
    builder.add(entry, &work, [([0; WORDS], 1.0)]);
}
