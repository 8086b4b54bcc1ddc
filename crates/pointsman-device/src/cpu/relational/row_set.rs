//! The rows that a part of a kernel runs over, and its columns: source rows in their places, or pairs that a probe
//! made.

use super::columns::PoolColumn;
use super::context::RunContext;
use super::pool_memory::PoolVec;
use crate::cpu::block::bytes;
use crate::cpu::input::{copy_values, is_row_numbers};
use crate::cpu::memory::StagedRanges;
use crate::host::{Bits, BoolLayout, HostChunk};
use crate::launch::ColumnInput;
use crate::{DeviceError, DeviceResult};
use pointsman_ir::split::SplitColumn;
use pointsman_ir::types::{DType, Type};
use std::ops::Range;

/// A column of a launch in host memory, in chunks.
pub(in crate::cpu) struct HostColumn<'a> {
    ty: Type,
    chunks: Vec<HostChunk<'a>>,
    /// The first row of each chunk.
    starts: Vec<usize>,
}

impl<'a> HostColumn<'a> {
    /// The column of a launch: `rows` rows, in host memory or in a range that was staged.
    pub(in crate::cpu) fn new(
        input: &ColumnInput<'a>,
        ty: Type,
        rows: usize,
        staged: &'a StagedRanges,
    ) -> DeviceResult<HostColumn<'a>> {
        let chunks = match input {
            ColumnInput::Host(chunks) => chunks.to_vec(),
            ColumnInput::Device { .. } => crate::cpu::input::device_chunk(input, ty, staged)?.into_iter().collect(),
        };
        crate::cpu::input::check(&chunks, ty, rows)?;
        let mut start = 0;
        let next = |chunk: &HostChunk<'_>| {
            start += chunk.rows;
            start - chunk.rows
        };
        let starts = chunks.iter().map(next).collect();
        Ok(HostColumn { ty, chunks, starts })
    }

    /// Some of the rows.
    pub(in crate::cpu) fn slice(&self, rows: Range<usize>) -> Vec<HostChunk<'a>> {
        let mut slices = Vec::new();
        for (chunk, &start) in self.chunks.iter().zip(&self.starts) {
            let (from, to) = (rows.start.max(start), rows.end.min(start + chunk.rows));
            if from < to {
                slices.push(slice(chunk, self.ty.dtype, from - start..to - start));
            }
        }
        slices
    }

    /// The chunk that holds a row, and the row's number in it.
    fn find(&self, row: usize) -> (&HostChunk<'a>, usize) {
        let chunk = match self.chunks.len() {
            1 => 0,
            _ => self.starts.partition_point(|&start| start <= row).saturating_sub(1),
        };
        // Empty chunks share their start with the next one, which `partition_point` finds.
        (&self.chunks[chunk], row - self.starts[chunk])
    }

    /// The rows with these numbers; `first_row` is the source row number of row 0.
    pub(super) fn gather(&self, context: RunContext<'_>, rows: &[usize], first_row: u64) -> DeviceResult<PoolColumn> {
        let mut column = PoolColumn::new(context.pool(), self.ty, rows.len())?;
        let width = self.ty.dtype.repr().bytes();
        context.fill_column(&mut column, rows.len(), |range, part| {
            let rows = &rows[range];
            for (&row, value) in rows.iter().zip(part.values.chunks_exact_mut(width)) {
                self.copy(row, first_row, value);
            }
            part.set_validity(|at| self.is_valid(rows[at]));
            Ok(())
        })?;
        Ok(column)
    }

    /// All rows of a column without nulls.
    pub(super) fn copied(&self, context: RunContext<'_>, rows: usize) -> DeviceResult<PoolColumn> {
        let ty = self.ty.dtype.required();
        let mut column = PoolColumn::new(context.pool(), ty, rows)?;
        let width = ty.dtype.repr().bytes();
        context.fill_column(&mut column, rows, |range, part| {
            let (mut row, mut values) = (range.start, &mut *part.values);
            for chunk in self.slice(range) {
                let (to, rest) = values.split_at_mut(chunk.rows * width);
                if is_row_numbers(&chunk, ty.dtype) {
                    bytes::number(to, chunk.rows, row as u64);
                } else {
                    copy_values(&chunk, ty.dtype, 0, to);
                }
                (row, values) = (row + chunk.rows, rest);
            }
            Ok(())
        })?;
        Ok(column)
    }

    /// Copies a value; a null slot is zero.
    #[inline]
    fn copy(&self, row: usize, first_row: u64, value: &mut [u8]) {
        let (chunk, at) = self.find(row);
        if !is_valid(chunk, at) {
            value.fill(0);
        } else if is_row_numbers(chunk, self.ty.dtype) {
            value.copy_from_slice(&(first_row + row as u64).to_le_bytes());
        } else if self.ty.dtype != DType::Bool {
            value.copy_from_slice(&chunk.values[at * value.len()..(at + 1) * value.len()]);
        } else if chunk.bools == BoolLayout::Bits {
            value[0] = Bits { bytes: chunk.values, offset: chunk.bit_offset }.get(at).into();
        } else {
            value[0] = (chunk.values[at] != 0).into();
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        let (chunk, at) = self.find(row);
        is_valid(chunk, at)
    }
}

fn is_valid(chunk: &HostChunk<'_>, at: usize) -> bool {
    chunk.validity.is_none_or(|bits| bits.get(at))
}

/// Some rows of a chunk.
fn slice<'a>(chunk: &HostChunk<'a>, dtype: DType, rows: Range<usize>) -> HostChunk<'a> {
    let validity = chunk.validity.map(|bits| Bits { offset: bits.offset + rows.start, ..bits });
    let (values, bit_offset) = if is_row_numbers(chunk, dtype) {
        (chunk.values, chunk.bit_offset)
    } else if dtype == DType::Bool && chunk.bools == BoolLayout::Bits {
        (chunk.values, chunk.bit_offset + rows.start)
    } else {
        let width = dtype.repr().bytes();
        (&chunk.values[rows.start * width..rows.end * width], 0)
    };
    HostChunk { values, bools: chunk.bools, bit_offset, validity, rows: rows.len() }
}

/// The results of a step.
#[derive(Default)]
pub(super) struct StepColumns {
    /// The rows that the step selected.
    pub(super) selected: Option<PoolColumn>,
    /// The values that the step found.
    pub(super) found: Option<PoolColumn>,
}

/// The rows of a part.
pub(super) struct RowSet<'a, 'c> {
    /// The columns of the launch.
    pub(super) source: &'a [HostColumn<'c>],
    /// The source row number of the launch's row 0.
    pub(super) first_row: u64,
    /// The origin of the rows.
    pub(super) places: Places,
    /// The results of the steps so far.
    pub(super) steps: Vec<StepColumns>,
}

/// The origin of a set's rows.
pub(super) enum Places {
    /// Rows of the launch, one after the other.
    Range(Range<usize>),
    /// Rows of the launch that occur once for each match, with copies of the columns that parts read.
    Pairs {
        /// The launch's row of each pair.
        rows: PoolVec<usize>,
        /// The source columns that were gathered, by number.
        columns: Vec<Option<PoolColumn>>,
        /// The source row numbers, if a part reads them.
        numbers: Option<PoolColumn>,
    },
}

impl RowSet<'_, '_> {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        match &self.places {
            Places::Range(rows) => rows.len(),
            Places::Pairs { rows, .. } => rows.len(),
        }
    }

    /// The launch's row of a row of this set.
    pub(super) fn row(&self, at: usize) -> usize {
        match &self.places {
            Places::Range(rows) => rows.start + at,
            Places::Pairs { rows, .. } => rows[at],
        }
    }

    /// The row number at which a part over this set starts.
    pub(super) fn part_first_row(&self) -> u64 {
        match &self.places {
            Places::Range(rows) => self.first_row + rows.start as u64,
            Places::Pairs { .. } => 0,
        }
    }

    /// Some rows of a column.
    pub(super) fn chunks(&self, column: SplitColumn, rows: Range<usize>) -> DeviceResult<Vec<HostChunk<'_>>> {
        let missing = || DeviceError::new(crate::DeviceErrorKind::Internal, "a part reads a column that is not there");
        let column = match (column, &self.places) {
            (SplitColumn::Source(column), Places::Range(all)) => {
                return Ok(self.source[column.index()].slice(all.start + rows.start..all.start + rows.end));
            }
            (SplitColumn::Source(column), Places::Pairs { columns, .. }) => columns[column.index()].as_ref(),
            (SplitColumn::RowNumber, Places::Pairs { numbers, .. }) => numbers.as_ref(),
            (SplitColumn::RowNumber, Places::Range(_)) => None,
            (SplitColumn::Selected(step), _) => self.steps[step].selected.as_ref(),
            (SplitColumn::Match(step), _) => self.steps[step].found.as_ref(),
        };
        Ok(vec![column.ok_or_else(missing)?.chunk(rows)])
    }
}
