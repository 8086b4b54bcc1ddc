//! Compares a device's answer with the CPU's and describes the first difference. Exact devices must agree in every bit;
//! floats that a bounded device computed must agree within a tolerance.
//!
//! Float sums in any order, and the results of library calls, are compared within the tolerance on every device.
//!
//! The tolerance is coarse on purpose: it must not reject a correct device. A float of a bounded device may differ by
//! at most [`TOLERANCE`] times the largest magnitude in its column and in the source's float columns; infinities and
//! NaN are not compared. If a query rounds floats and its rows, integers or booleans depend on one (a comparison, a
//! cast, a rounding, a loop), the last bit may change the result, so it is not compared on a bounded device.

use crate::data::input::SourceTable;
use crate::data::output::{Output, ResultColumn, cell};
use pointsman_device::Exactness;
use pointsman_device::host::HostChunk;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::fuse::{Stage, StageInput, StagePart};
use pointsman_ir::kernel::{FoldMode, Kernel, Sink, float_arithmetic};
use pointsman_ir::types::{Scalar, Type};

/// The tolerance for floats of a bounded device, relative to the largest magnitude.
const TOLERANCE: f64 = 1.0 / 1024.0;

/// How closely two answers must agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// Every bit must be equal.
    Bits,
    /// Floats must agree within the tolerance, everything else in every bit.
    Near,
}

impl Agreement {
    /// How closely a device of this exactness must agree with the CPU for these stages; `None` if rounding may change
    /// the result by any amount.
    pub(crate) fn of(stages: &[Stage], exactness: Exactness) -> Option<Agreement> {
        let rounds = stages.iter().any(|stage| float_arithmetic(&stage.kernel).is_some());
        match exactness {
            Exactness::Exact if has_calls(stages) && decides(stages) => None,
            Exactness::Exact if stages.iter().any(|stage| rounds_freely(&stage.kernel)) => Some(Agreement::Near),
            Exactness::Exact => Some(Agreement::Bits),
            Exactness::Bounded if !rounds => Some(Agreement::Bits),
            Exactness::Bounded if decides(stages) => None,
            Exactness::Bounded => Some(Agreement::Near),
        }
    }
}

/// Whether a kernel sums floats in any order.
fn rounds_freely(kernel: &Kernel) -> bool {
    let has_fast_sums = kernel.sink.folds().iter().any(|fold| fold.mode == FoldMode::Fast);
    has_fast_sums || matches!(kernel.sink, Sink::Call { .. })
}

/// Whether other stages may read the result of a library call.
fn has_calls(stages: &[Stage]) -> bool {
    stages.iter().any(|stage| matches!(stage.kernel.sink, Sink::Call { .. }))
}

/// Whether the last bit of a float can change the result of a stage by more than rounding.
fn decides(stages: &[Stage]) -> bool {
    stages.iter().any(|stage| decides_by_floats(&stage.kernel))
}

/// Whether the last bit of a float can change the result by more than rounding. Loops always count.
fn decides_by_floats(kernel: &Kernel) -> bool {
    let is_float = |value: &ValueId| kernel.body.ty(*value).dtype.is_float();
    let decides = kernel.body.iter().any(|(_, inst, ty)| match inst {
        Inst::Call { op, args } => args.iter().any(is_float) && (!ty.dtype.is_float() || op.jumps()),
        Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => false,
        Inst::Lookup { .. } | Inst::Gather { .. } => false,
        Inst::Probe { keys, .. } => keys.iter().any(is_float),
        // A loop can amplify a small difference.
        Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => true,
    });
    decides || kernel.sink.compares_values()
}

/// A device's answer: its columns and, if the query wrote the only column's values into the caller's memory, that
/// memory.
pub(crate) struct DeviceAnswer<'a> {
    pub(crate) output: &'a Output,
    pub(crate) caller_values: Option<&'a [u8]>,
}

/// Describes the first difference between a device's answer and the CPU's output; `None` if they agree. `scale` is the
/// largest magnitude of the source's floats.
pub(crate) fn difference(answer: &DeviceAnswer<'_>, ours: &Output, agreement: Agreement, scale: f64) -> Option<String> {
    let (theirs, count) = (answer.output, ours.columns.len());
    if (theirs.rows, theirs.columns.len()) != (ours.rows, count) {
        let columns = theirs.columns.len();
        return Some(format!("{} rows and {columns} columns, but {} and {count} on the CPU", theirs.rows, ours.rows));
    }
    let mut pairs = theirs.columns.iter().zip(&ours.columns).enumerate();
    pairs.find_map(|(number, (theirs, ours))| {
        let bytes = theirs.rows * theirs.ty.dtype.repr().bytes();
        let theirs = answer.caller_values.map_or_else(|| theirs.chunk(), |values| theirs.chunk_with(&values[..bytes]));
        let row = first_difference(&theirs, ours, agreement, scale)?;
        let text = |value: Option<Scalar>| value.map_or_else(|| "null".to_string(), |value| value.to_string());
        let values = [cell(&[theirs], row, ours.ty), cell(&[ours.chunk()], row, ours.ty)].map(text);
        Some(format!("column {number}, row {row}: {}, but {} on the CPU", values[0], values[1]))
    })
}

/// The first row in which two columns differ. Null slots are compared too, except in floats under `Near`. The last row
/// if the bitmaps differ but no row's validity does.
fn first_difference(theirs: &HostChunk<'_>, ours: &ResultColumn, agreement: Agreement, scale: f64) -> Option<usize> {
    let (our_chunk, rows) = (ours.chunk(), ours.rows);
    let bitmaps = [theirs, &our_chunk].map(|chunk| chunk.validity.map(|bits| bits.bytes));
    if bitmaps[0] != bitmaps[1] {
        let is_valid = |chunk: &HostChunk<'_>, row: usize| chunk.validity.is_none_or(|bits| bits.get(row));
        return (0..rows).find(|&row| is_valid(theirs, row) != is_valid(&our_chunk, row)).or(rows.checked_sub(1));
    }
    if theirs.values == our_chunk.values {
        return None;
    }
    if agreement == Agreement::Near && ours.ty.dtype.is_float() {
        let bound = TOLERANCE * scale.max(magnitude(&our_chunk, ours.ty));
        let is_off = |row: &usize| {
            let [a, b] = [theirs, &our_chunk].map(|chunk| float(cell(&[*chunk], *row, ours.ty)));
            a.is_finite() && b.is_finite() && (a - b).abs() > bound
        };
        return (0..rows).find(is_off);
    }
    let size = ours.ty.dtype.repr().bytes();
    let (a, b) = (theirs.values.chunks_exact(size), our_chunk.values.chunks_exact(size));
    a.zip(b).position(|(a, b)| a != b)
}

/// The largest magnitude of the float columns of these tables.
pub(crate) fn largest_magnitude<'c>(columns: impl Iterator<Item = (HostChunk<'c>, Type)>) -> f64 {
    columns.filter(|(_, ty)| ty.dtype.is_float()).map(|(chunk, ty)| magnitude(&chunk, ty)).fold(0.0, f64::max)
}

/// Returns the largest magnitude of the source's float columns that the stages read.
pub(crate) fn source_magnitude(stages: &[Stage], sources: &[SourceTable<'_>]) -> f64 {
    let of_part = |stage: &Stage, part: &StagePart| {
        let StageInput::Source(source) = part.input else { return 0.0 };
        let Some(source) = sources.get(source.0 as usize) else { return 0.0 };
        let largest = |(&index, &ty): (&u32, &Type)| {
            let pieces = source.columns[index as usize].pieces();
            pieces.iter().map(|piece| magnitude(piece, ty)).fold(0.0, f64::max)
        };
        let columns = part.columns.iter().zip(&stage.kernel.columns).filter(|(_, ty)| ty.dtype.is_float());
        columns.map(largest).fold(0.0, f64::max)
    };
    stages.iter().flat_map(|stage| stage.parts.iter().map(move |part| of_part(stage, part))).fold(0.0, f64::max)
}

/// The largest finite magnitude in a piece of a float column; 0 if there is none.
fn magnitude(piece: &HostChunk<'_>, ty: Type) -> f64 {
    let values = (0..piece.rows).map(|row| float(cell(std::slice::from_ref(piece), row, ty)).abs());
    values.filter(|value| value.is_finite()).fold(0.0, f64::max)
}

/// Returns a float as f64; NaN for nulls and other types, which are not compared as floats.
fn float(value: Option<Scalar>) -> f64 {
    match value {
        Some(Scalar::F32(value)) => value.into(),
        Some(Scalar::F64(value)) => value,
        Some(_) | None => f64::NAN,
    }
}
