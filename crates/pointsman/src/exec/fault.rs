//! The errors of launches that faulted: the interpreter evaluates the faulty row again to describe the fault.

use crate::data::memory::InlineVec;
use crate::data::output::cell;
use crate::error::{Error, ErrorKind};
use crate::exec::launch::{StageLaunch, bind_params};
use crate::programs::program::CompiledStage;
use pointsman_device::host::HostChunk;
use pointsman_device::launch::FaultLocation;
use pointsman_ir::data::ColumnData;
use pointsman_ir::fuse::{Stage, StageInput};
use pointsman_ir::interpret;
use pointsman_ir::kernel::{Kernel, StreamingSink};
use pointsman_ir::types::{DType, Scalar, Type};

impl StageLaunch<'_> {
    /// The error of a launch that faulted. Row 0 of the columns is the first row of the launch.
    #[cold]
    pub(super) fn explain<'c>(
        &self,
        faulted: FaultLocation,
        columns: impl Iterator<Item = &'c [HostChunk<'c>]>,
    ) -> Error {
        let row = match faulted {
            FaultLocation::Row(row) => row,
            FaultLocation::Fold(fold) => return sum_out_of_range(self.stage, Some(fold)),
        };
        let kernel = &self.stage.kernel;
        let one_row = |(chunks, &ty): (&[HostChunk<'_>], &Type)| {
            ColumnData::from_scalars(ty, [cell(chunks, row as usize - self.rows.start, ty)])
        };
        let columns: Vec<ColumnData> = columns.zip(&kernel.columns).map(one_row).collect();
        let whole = |(chunk, dtype): (HostChunk<'_>, &DType)| {
            let ty = dtype.required();
            ColumnData::from_scalars(ty, (0..chunk.rows).map(|row| cell(&[chunk], row, ty)))
        };
        let lists: Vec<ColumnData> = self.list_chunks().zip(&kernel.lists).map(whole).collect();
        let mut selected: InlineVec<Option<Scalar>> = InlineVec::new();
        let (params, tables) = match self.relational {
            None => (bind_params(self.stage, self.context.params, &mut selected), Vec::new()),
            Some(inputs) => (inputs.params, (inputs.interpreted)()),
        };
        let inputs =
            interpret::Inputs { columns: &columns, params, lists: &lists, tables: &tables, first_row: row, rows: 1 };
        let error = match interpret::run(kernel, &inputs) {
            Err(fault) => Error::from(fault),
            Ok(_) => Error::new(ErrorKind::Arithmetic, "an operation failed"),
        };
        error.in_row(row)
    }
}

/// The row of an error is that of the stage that raised it. If the stages before it keep all rows in their place, it is
/// also the row of the source; otherwise the message says whose row it is.
#[cold]
pub(super) fn in_source_row(error: Error, stages: &[CompiledStage]) -> Error {
    let before = |number: usize| match stages.get(number)?.input() {
        StageInput::Stage(earlier) => Some(earlier),
        StageInput::Source(_) => None,
    };
    let Some((row, input)) = error.row().zip(error.stage().and_then(before)) else { return error };
    let mut earlier = std::iter::successors(Some(input), |&number| before(number));
    let keeps_all = earlier.all(|number| stages.get(number).is_some_and(|stage| keeps_rows(&stage.kernel)));
    if keeps_all { error } else { error.behind_stage(row, input) }
}

/// Whether row `n` of the kernel's result comes from row `n` of its input.
pub(super) fn keeps_rows(kernel: &Kernel) -> bool {
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
