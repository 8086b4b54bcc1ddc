//! Launches whose last program writes the result: in go source rows, out come the outputs of its sink. `Store` and
//! `Compact` run segment by segment, so that what the probes found takes memory for a segment only; folds, whose trees
//! span all rows, run in one piece behind searches by segment.

use super::advance::SEGMENT_ROWS;
use super::columns::append;
use super::part::PartResult;
use super::row_set::RowSet;
use super::run::RelationalRun;
use crate::DeviceResult;
use crate::cpu::output::ColumnWriter;
use crate::host::BoolLayout;
use crate::launch::{ColumnOutput, Outcome, output_room};
use pointsman_ir::kernel::Sink;
use pointsman_ir::types::{DType, Type};
use std::ops::Range;

impl RelationalRun<'_> {
    /// Runs the launch over its first rows.
    pub(super) fn stream(&self, rows: usize, outputs: &mut [ColumnOutput<'_>]) -> DeviceResult<Outcome> {
        let types = &self.program.output[..];
        let by_row = match self.program.last.program.kernel.sink {
            Sink::Store { .. } | Sink::Compact { .. } => true,
            Sink::Reduce { .. } | Sink::Scan { .. } | Sink::Sort { .. } => false,
            Sink::Group { .. } | Sink::Build { .. } | Sink::Partition { .. } | Sink::Call { .. } => false,
        };
        let is_host = outputs.iter().all(|output| matches!(output, ColumnOutput::Host { .. }));
        // Outputs that are too small are refused by the launch in one piece.
        let has_room = outputs.len() == types.len() && output_room(outputs, types) >= rows;
        if !(by_row && is_host && has_room) || rows <= SEGMENT_ROWS {
            return match self.searched(0..rows)? {
                Ok(set) => self.launch_last(&set, 0..rows, outputs),
                Err(fault) => Ok(self.fault_in(fault)),
            };
        }
        let mut written = 0;
        for start in (0..rows).step_by(SEGMENT_ROWS) {
            let set = match self.searched(start..rows.min(start + SEGMENT_ROWS))? {
                Ok(set) => set,
                Err(fault) => return Ok(self.fault_in(fault)),
            };
            let outcome = self.write_segment(&set, outputs, written)?;
            if outcome.fault.is_some() {
                return Ok(outcome);
            }
            written += outcome.rows;
        }
        Ok(Outcome { rows: written, consumed: rows, ..Outcome::default() })
    }

    /// Source rows behind all searches, or the row that faulted.
    fn searched(&self, rows: Range<usize>) -> DeviceResult<Result<RowSet<'_, '_>, usize>> {
        let mut set = self.segment(rows);
        for number in 0..self.program.steps.len() {
            if let Some(fault) = self.search_in_place(&mut set, number)? {
                return Ok(Err(fault));
            }
        }
        Ok(Ok(set))
    }

    /// Writes the rows of a segment behind the `written` ones.
    fn write_segment(
        &self,
        set: &RowSet<'_, '_>,
        outputs: &mut [ColumnOutput<'_>],
        written: usize,
    ) -> DeviceResult<Outcome> {
        let types = &self.program.output[..];
        if written.is_multiple_of(8) || !outputs.iter().zip(types).any(|(output, ty)| has_bits(output, *ty)) {
            let rest = outputs.iter_mut().zip(types).map(|(output, ty)| behind(output, *ty, written));
            return self.launch_last(set, 0..set.len(), &mut rest.collect::<Vec<_>>());
        }
        // Bits that start within a byte are appended.
        let batch = match self.part(self.program.steps.len(), set, 0..set.len())? {
            PartResult::Rows(batch) => batch,
            PartResult::Fault(at) => return Ok(self.fault_in(set.row(at))),
        };
        for ((output, column), ty) in outputs.iter_mut().zip(&batch.columns).zip(types) {
            let ColumnOutput::Host { values, bools, validity } = output else { continue };
            let mut out = ColumnWriter::new(values, *bools, validity.as_deref_mut(), *ty, written + batch.rows)?;
            out.advance(written);
            append(&mut out, column, batch.rows);
        }
        self.context.rows_done(set.len());
        Ok(Outcome { rows: batch.rows, ..Outcome::default() })
    }
}

/// Whether several rows of an output share a byte.
fn has_bits(output: &ColumnOutput<'_>, ty: Type) -> bool {
    let is_bits = match output {
        ColumnOutput::Host { bools, .. } => *bools == BoolLayout::Bits,
        ColumnOutput::Device { .. } => true,
    };
    ty.nullable || ty.dtype == DType::Bool && is_bits
}

/// The memory of an output behind its first rows.
fn behind<'o>(output: &'o mut ColumnOutput<'_>, ty: Type, rows: usize) -> ColumnOutput<'o> {
    match output {
        ColumnOutput::Host { values, bools, validity } => {
            let is_bits = ty.dtype == DType::Bool && *bools == BoolLayout::Bits;
            let start = if is_bits { rows / 8 } else { rows * ty.dtype.repr().bytes() };
            // Another type's bitmap has any length.
            let validity = validity.as_deref_mut().filter(|_| ty.nullable);
            let validity = validity.map(|bits| &mut bits[rows / 8..]);
            ColumnOutput::Host { values: &mut values[start..], bools: *bools, validity }
        }
        ColumnOutput::Device { values, validity } => ColumnOutput::Device { values: *values, validity: *validity },
    }
}
