//! Splits rows into partitions: in goes a batch, out come its rows by partition, each partition in source order, and where
//! each partition ends.

use super::columns::Batch;
use super::context::RunContext;
use super::index::encode;
use super::keys::{partition, sortable};
use super::program::{PartitionKeys, RelationalProgram};
use super::row_set::HostColumn;
use super::sort::write_rows;
use crate::DeviceResult;
use crate::cpu::memory::StagedRanges;
use crate::cpu::output::ColumnWriter;
use crate::launch::ColumnInput;
use pointsman_ir::types::Scalar;

/// The number of rows between two questions whether the launch should continue.
const POLL_ROWS: usize = 1 << 16;

/// The bounds of a partition by range, as bits that sort as they do; none for one by hash.
pub(super) struct Bounds(Vec<u128>);

impl Bounds {
    /// The bounds that a launch gives.
    pub(super) fn read(
        by: &PartitionKeys,
        program: &RelationalProgram,
        lists: &[ColumnInput<'_>],
        context: RunContext<'_>,
        staged: &StagedRanges,
    ) -> DeviceResult<Bounds> {
        let PartitionKeys::Range { list } = by else { return Ok(Bounds(Vec::new())) };
        let ty = program.kernel.lists[*list].required();
        let rows = match &lists[*list] {
            ColumnInput::Host(chunks) => chunks.iter().map(|chunk| chunk.rows).fold(0, usize::saturating_add),
            ColumnInput::Device { rows, .. } => *rows,
        };
        let rows_of: Vec<usize> = (0..rows).collect();
        let column = HostColumn::new(&lists[*list], ty, rows, staged)?.gather(context, &rows_of, 0)?;
        let mut bounds = Vec::with_capacity(rows);
        column.each_value(0..rows, |_, low, high| bounds.push(sortable(ty.dtype.repr(), low, high)));
        bounds.sort_unstable();
        Ok(Bounds(bounds))
    }
}

/// Writes the first `columns` columns of a batch by partition, and, for a partial result, the ends; how many rows and
/// nodes there are.
pub(super) fn write(
    context: RunContext<'_>,
    batch: &Batch,
    by: &PartitionKeys,
    bounds: &Bounds,
    placing: Placing,
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<(usize, usize)> {
    let Placing { bits, columns, with_ends } = placing;
    let keys = &batch.columns[columns..];
    let mut parts = vec![0u32; batch.rows];
    match by {
        PartitionKeys::Hash(layout) => {
            let (_, hashes) = encode(context, layout, keys, batch.rows)?;
            context.fill(batch.rows, 1, &mut parts, |range, parts| {
                let place = |(part, &hash): (&mut u32, &u64)| *part = partition(hash, bits.into()) as u32;
                parts.iter_mut().zip(&hashes[range]).for_each(place);
                Ok(())
            })?;
        }
        PartitionKeys::Range { .. } => {
            let (key, last) = (&keys[0], (1u32 << bits) - 1);
            let repr = key.ty.dtype.repr();
            context.fill(batch.rows, 1, &mut parts, |range, parts| {
                let start = range.start;
                key.each_value(range, |row, low, high| {
                    let value = sortable(repr, low, high);
                    let below = bounds.0.partition_point(|&bound| bound <= value);
                    let valid = key.is_valid(row);
                    parts[row - start] = if valid { u32::try_from(below).unwrap_or(last).min(last) } else { 0 };
                });
                Ok(())
            })?;
        }
    }
    let mut ends = vec![0usize; 1 << bits];
    for parts in parts.chunks(POLL_ROWS) {
        context.poll()?;
        parts.iter().for_each(|&part| ends[part as usize] += 1);
    }
    let mut start = 0;
    for end in &mut ends {
        start += *end;
        *end = start - *end;
    }
    let mut order = vec![0usize; batch.rows];
    for (row, &part) in parts.iter().enumerate() {
        if row.is_multiple_of(POLL_ROWS) {
            context.poll()?;
        }
        let place = &mut ends[part as usize];
        order[*place] = row;
        *place += 1;
    }
    let (row_outs, node_outs) = outs.split_at_mut(columns);
    write_rows(context, batch, &order, row_outs)?;
    if !with_ends {
        return Ok((batch.rows, 0));
    }
    for out in node_outs {
        ends.iter().for_each(|&end| out.push(Some(Scalar::U64(end as u64))));
    }
    Ok((batch.rows, ends.len()))
}

/// What a partition writes.
#[derive(Clone, Copy)]
pub(super) struct Placing {
    /// There are 2^bits partitions.
    pub(super) bits: u8,
    /// The number of columns that are written.
    pub(super) columns: usize,
    /// Whether the partitions' ends are written.
    pub(super) with_ends: bool,
}
