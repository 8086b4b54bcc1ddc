//! The errors of launches that faulted: the interpreter evaluates the faulty row again and says what happened.

use crate::data::output::cell;
use crate::error::{Error, ErrorKind};
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::FaultLocation;
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::interpret;
use pointsman_ir::kernel::{Kernel, StreamingSink};
use pointsman_ir::types::{DType, Scalar, Type};

/// The error of a fault in a stage. The columns start at row `first` of the stage's input.
pub(super) fn explain(
    stage: &Stage,
    faulted: FaultLocation,
    first: usize,
    columns: &[&[HostChunk<'_>]],
    params: &[Option<Scalar>],
    lists: &[HostChunk<'_>],
) -> Error {
    let row = match faulted {
        FaultLocation::Row(row) => row,
        FaultLocation::Fold(fold) => return sum_out_of_range(stage, Some(fold)),
    };
    let kernel = &stage.kernel;
    let one_row = |(chunks, &ty): (&&[HostChunk<'_>], &Type)| {
        ColumnData::from_scalars(ty, [cell(chunks, row as usize - first, ty)])
    };
    let columns: Vec<ColumnData> = columns.iter().zip(&kernel.columns).map(one_row).collect();
    let whole = |(chunk, dtype): (&HostChunk<'_>, &DType)| {
        let ty = dtype.required();
        ColumnData::from_scalars(ty, (0..chunk.rows).map(|row| cell(std::slice::from_ref(chunk), row, ty)))
    };
    let lists: Vec<ColumnData> = lists.iter().zip(&kernel.lists).map(whole).collect();
    let inputs = interpret::Inputs { columns: &columns, params, lists: &lists, tables: &[], first_row: row, rows: 1 };
    let error = match interpret::run(kernel, &inputs) {
        Err(fault) => Error::from(fault),
        Ok(_) => Error::new(ErrorKind::Arithmetic, "an operation failed"),
    };
    error.in_row(row)
}

/// The row of an error is that of the stage that raised it. If the stages before it keep all rows in their place, it is also
/// the row of the source; otherwise the message says whose row it is.
#[cold]
pub(super) fn in_source_row(error: Error, stages: &[CompiledStage]) -> Error {
    let before = |number: usize| match stages.get(number)?.input {
        StageInput::Stage(earlier) => Some(earlier),
        StageInput::Source(_) => None,
    };
    let Some((row, input)) = error.row().zip(error.stage().and_then(before)) else { return error };
    let mut earlier = std::iter::successors(Some(input), |&number| before(number));
    let keeps_all = earlier.all(|number| stages.get(number).is_some_and(|stage| keeps_rows(&stage.kernel)));
    if keeps_all { error } else { error.behind_stage(row, input) }
}

/// Whether row `n` of the kernel's result comes from row `n` of its input.
fn keeps_rows(kernel: &Kernel) -> bool {
    match kernel.sink.streaming() {
        Some(StreamingSink::Store { .. } | StreamingSink::Scan { .. }) => kernel.mask.is_none(),
        Some(StreamingSink::Compact { .. } | StreamingSink::Reduce { .. }) | None => false,
    }
}

/// The error of a sum that does not fit its type; of this fold, where it is known.
pub(super) fn sum_out_of_range(stage: &Stage, fold: Option<usize>) -> Error {
    let columns = stage.kernel.sink.columns_before_folds();
    let types = stage.kernel.output();
    let ty = fold.and_then(|fold| types.get(columns + fold)).map_or(String::new(), |ty| format!(" {}", ty.dtype));
    let what = format!("a sum does not fit its type{ty}: cast the values to a wider type before the sum");
    Error::new(ErrorKind::Arithmetic, what)
}
