//! The input rows and scalars of a stage: the rows of one table, or of several concatenated ones, as chunks of host
//! memory. Nothing is copied.

use crate::data::chunks::slice;
use crate::data::memory::InlineVec;
use crate::data::output::cell;
use crate::error::{Error, Result};
use crate::exec::relational::plan_tables::{PlanTables, StageCall};
use pointsman_device::host::HostChunk;
use pointsman_ir::fuse::{PairLimit, Stage, StageInput, StageParam, StagePart};
use pointsman_ir::types::{DType, Scalar, Type};
use std::ops::Range;

/// The rows that a stage reads.
pub(super) struct StageRows<'a> {
    pub(super) count: usize,
    /// The chunks of each of the kernel's columns.
    columns: Vec<(DType, InlineVec<HostChunk<'a>>)>,
}

impl<'a> StageRows<'a> {
    /// The rows of a stage whose inputs exist.
    pub(super) fn of(call: &'a StageCall<'_>) -> Result<StageRows<'a>> {
        let (run, stage) = (call.tables, call.stage());
        let columns = stage.kernel.columns.iter().enumerate();
        let columns = columns.map(|(number, ty)| Ok((ty.dtype, part_chunks(run, stage, number)?)));
        Ok(StageRows { count: call.size.rows, columns: columns.collect::<Result<_>>()? })
    }

    /// The columns' chunks of some of the rows.
    pub(super) fn columns(&self, rows: Range<usize>) -> Vec<InlineVec<HostChunk<'_>>> {
        self.columns.iter().map(|(dtype, chunks)| slice(chunks, *dtype, rows.clone())).collect()
    }
}

/// How many rows a stage reads.
pub(super) fn stage_rows(run: &PlanTables<'_>, stage: &Stage) -> Result<usize> {
    stage.parts.iter().map(|part| Ok(part_rows(part, run.table_rows(part.input)?).len())).sum()
}

/// The chunks of one of the kernel's columns.
pub(super) fn part_chunks<'a>(
    run: &'a PlanTables<'_>,
    stage: &Stage,
    column: usize,
) -> Result<InlineVec<HostChunk<'a>>> {
    let dtype = stage.kernel.columns[column].dtype;
    let mut chunks = InlineVec::new();
    for part in &stage.parts {
        let range = part_rows(part, run.table_rows(part.input)?);
        chunks.extend(slice(&run.column(part.input, part.columns[column])?, dtype, range));
    }
    Ok(chunks)
}

/// The rows of a table that a part reads.
pub(super) fn part_rows(part: &StagePart, rows: usize) -> Range<usize> {
    let clamped = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let first = clamped(part.skip).min(rows);
    let end = part.fetch.map_or(rows, |fetch| first.saturating_add(clamped(fetch)).min(rows));
    first..end
}

/// The scalars of a stage: given ones, and the only rows of earlier stages.
pub(super) fn bind_row_params(call: &StageCall<'_>) -> Result<Vec<Option<Scalar>>> {
    let (run, stage) = (call.tables, call.stage());
    let bind = |(param, ty): (&StageParam, &Type)| match *param {
        StageParam::Given(id) => {
            let given = run.params.get(id.index());
            given.copied().ok_or_else(|| Error::internal("a stage reads a scalar that was not given"))
        }
        StageParam::Row { stage, column } => only_row(run, stage, column, *ty),
    };
    stage.params.iter().zip(&stage.kernel.params).map(bind).collect()
}

/// The value of a stage's only row; null if there is no row.
fn only_row(run: &PlanTables<'_>, stage: usize, column: u32, ty: Type) -> Result<Option<Scalar>> {
    match run.output(stage)?.rows {
        0 => Ok(None),
        1 => Ok(cell(&run.column(StageInput::Stage(stage), column)?, 0, ty)),
        rows => Err(Error::invalid(format!(
            "a table of {rows} rows is used as one value: give it at most one row, with a fold, a filter or a limit of 1"
        ))),
    }
}

/// An error if the caller's values or limits do not fit the stage.
pub(in crate::exec) fn check_call(call: &StageCall<'_>) -> Result<()> {
    check_pairs(call)?;
    bind_row_params(call).map(drop)
}

/// An error if a stage would make more pairs of rows than its joins allow.
pub(super) fn check_pairs(call: &StageCall<'_>) -> Result<()> {
    let (run, stage, rows) = (call.tables, call.stage(), call.size.rows);
    for &PairLimit { table, pairs_max } in &stage.pair_limits {
        let Some(side) = stage.tables.get(table) else { continue };
        let right = run.table_rows(side.index.map_or(side.rows, |index| StageInput::Stage(index.stage)))?;
        let pairs = rows as u128 * right as u128;
        if pairs > u128::from(pairs_max) {
            return Err(Error::invalid(format!(
                "a cross join of {rows} rows with {right} makes {pairs} pairs, more than the {pairs_max} that it allows: \
                 raise its limit, filter the inputs, or join them by keys"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointsman_ir::plan::SourceId;

    #[test]
    fn a_part_is_cut_to_its_table() {
        let part = |skip, fetch| StagePart { input: StageInput::Source(SourceId(0)), columns: Vec::new(), skip, fetch };
        for (skip, fetch, rows) in [
            (0, None, 0..10),
            (3, None, 3..10),
            (3, Some(4), 3..7),
            (3, Some(0), 3..3),
            (10, Some(1), 10..10),
            (11, None, 10..10),
            (9, Some(u64::MAX), 9..10),
            (u64::MAX, Some(u64::MAX), 10..10),
        ] {
            assert_eq!(part_rows(&part(skip, fetch), 10), rows, "{skip} {fetch:?}");
        }
    }
}
