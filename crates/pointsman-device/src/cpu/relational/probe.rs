//! Searches an index for the rows that a step yields.

use super::columns::{Batch, PoolColumn};
use super::context::RunContext;
use super::index::{KeyIndex, NONE, encode};
use super::program::StepProgram;
use super::row_set::StepColumns;
use crate::DeviceResult;
use pointsman_ir::body::ProbeKind;
use pointsman_ir::types::DType;

/// The number of rows between two questions whether the launch should continue.
const POLL_ROWS: usize = 1 << 16;

/// The first entry for each row of a batch (position, then keys), or [`NONE`].
pub(super) fn search(
    context: RunContext<'_>,
    step: &StepProgram,
    index: &KeyIndex,
    batch: &Batch,
) -> DeviceResult<Vec<u32>> {
    let (layout, columns) = (&step.keys, &batch.columns[1..]);
    let (words, hashes) = encode(context, layout, columns, batch.rows)?;
    let keys = index.types().len();
    // The words of an index hold no null bits, which come behind the keys.
    let key_words = layout.key_words();
    let mut found = vec![NONE; batch.rows];
    context.fill(batch.rows, 1, &mut found, |range, found| {
        for (row, found) in range.zip(found) {
            let is_null = (0..keys).any(|key| layout.ty(key).nullable && !columns[key].is_valid(row));
            if !is_null {
                *found = index.first(&words[row * layout.stride..][..key_words], hashes[row]);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// What a step that multiplies no rows leaves behind: `rows` rows, of which those of the batch were searched.
pub(super) fn in_place(
    context: RunContext<'_>,
    step: &StepProgram,
    index: &KeyIndex,
    batch: &Batch,
    position: impl Fn(usize) -> usize,
    rows: usize,
) -> DeviceResult<StepColumns> {
    let found = search(context, step, index, batch)?;
    let (mut numbers, mut selected) = (vec![0u64; rows], vec![0u64; rows]);
    let mut matched = vec![false; rows];
    for (row, &entry) in found.iter().enumerate() {
        if row.is_multiple_of(POLL_ROWS) {
            context.poll()?;
        }
        let at = position(row);
        if entry != NONE {
            numbers[at] = index.number(entry);
            matched[at] = true;
        }
        selected[at] = (entry != NONE || step.kind.keeps_unmatched()).into();
    }
    if step.kind == ProbeKind::Exists {
        let answers: Vec<u64> = matched.iter().map(|&matched| matched.into()).collect();
        let found = PoolColumn::of_words(context, DType::Bool.required(), &answers, |_| true)?;
        return Ok(StepColumns { selected: None, found: Some(found) });
    }
    Ok(StepColumns {
        selected: Some(PoolColumn::of_words(context, DType::Bool.required(), &selected, |_| true)?),
        found: Some(PoolColumn::of_words(context, step.kind.output(), &numbers, |row| matched[row])?),
    })
}
