//! Batches become one, by the sinks' own rule: in go the results of a stage's batches, in order, out comes what the whole
//! stage would have given, to the bit, for every device.
//!
//! Rows are appended. Folds come as nodes of the leaf tree, which the interpreter joins. A scan comes as rows and nodes:
//! each batch is finished at once, with the nodes of all leaves so far and as many earlier rows as its frames reach back.

use crate::error::{Error, Result as OrError};
use crate::runtime::bits::append_bits;
use crate::runtime::executor::{allocate, sum_out_of_range};
use crate::runtime::memory::Pool;
use crate::runtime::results::Output;
use pointsman_device::Form;
use pointsman_device::convert::{Layout, OwnedChunk};
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_ir::data::TableData;
use pointsman_ir::fuse::Stage;
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::{Frame, Kernel, Sink};
use pointsman_ir::types::Type;

/// How batches become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Finished rows, one batch behind the other.
    Append,
    /// Partial states, merged; the last is finished.
    Merge,
    /// Partial states, each finished with this many rows before it.
    Carry { preceding: usize },
}

impl Way {
    fn of(kernel: &Kernel) -> Way {
        match &kernel.sink {
            Sink::Store { .. } | Sink::Compact { .. } | Sink::Build { .. } => Way::Append,
            Sink::Reduce { .. } | Sink::Sort { .. } | Sink::Group { .. } | Sink::Partition { .. } => Way::Merge,
            Sink::Scan { running, .. } => {
                let reach = running.iter().map(|one| match one.frame {
                    Frame::Unbounded => 0,
                    Frame::Preceding(rows) => rows as usize,
                });
                Way::Carry { preceding: reach.max().unwrap_or(0) }
            }
        }
    }
}

/// The partial states of a stage's batches, as far as they came.
pub(crate) struct States<'m> {
    stage: &'m Stage,
    way: Way,
    state: Option<Partial>,
    /// A sum that does not fit. A later batch may have a faulty row, which counts for more.
    fault: Option<Fault>,
}

impl<'m> States<'m> {
    /// None yet.
    pub(crate) fn new(stage: &'m Stage) -> States<'m> {
        States { stage, way: Way::of(&stage.kernel), state: None, fault: None }
    }

    /// What each batch must give: finished rows are appended, partial states are taken in here.
    pub(crate) fn form(&self) -> Form {
        match self.way {
            Way::Append => Form::Whole,
            Way::Merge | Way::Carry { .. } => Form::Partial,
        }
    }

    /// Takes in the next batch's state; the rows that are finished now.
    pub(crate) fn take(&mut self, partial: Partial) -> Option<TableData> {
        let (kernel, before) = (&self.stage.kernel, self.state.take());
        match self.way {
            Way::Append | Way::Merge => {
                self.state = Some(merged(kernel, before, partial));
                None
            }
            Way::Carry { preceding } => {
                let (state, finished) = carry(kernel, before, partial, preceding);
                self.state = Some(state);
                finished.map_err(|fault| self.fault = Some(fault)).ok().filter(|_| self.fault.is_none())
            }
        }
    }

    /// The rows that are finished behind the last batch.
    pub(crate) fn finish(&mut self) -> OrError<Option<TableData>> {
        let mut rest = None;
        if let (Way::Merge, Some(state)) = (self.way, self.state.take()) {
            match interpret::finish(&self.stage.kernel, state) {
                Ok(table) => rest = Some(table),
                Err(fault) => self.fault = Some(fault),
            }
        }
        match self.fault {
            Some(_) => Err(sum_out_of_range(self.stage, only_fold(&self.stage.kernel))),
            None => Ok(rest),
        }
    }
}

/// Rows in the host's memory, one behind the other.
pub(crate) struct Gathered<'m> {
    /// Room for all of them, filled from the front.
    output: Output,
    /// The caller's memory for the only column's values.
    into: Option<&'m mut [u8]>,
    filled: usize,
}

impl<'m> Gathered<'m> {
    /// None yet, with room for so many.
    pub(crate) fn new(types: &[Type], room: usize, pool: &Pool, into: Option<&'m mut [u8]>) -> OrError<Gathered<'m>> {
        let mut output = Output::default();
        allocate(types, room, into.is_some(), pool, &mut output)?;
        Ok(Gathered { output, into, filled: 0 })
    }

    /// Appends rows of all columns. Truth values take a byte each.
    pub(crate) fn append(&mut self, columns: &[HostChunk<'_>], rows: usize) -> OrError<()> {
        for (index, column) in columns.iter().enumerate() {
            let slot = self.slot(index, rows)?;
            let values = column.values.get(..slot.len());
            slot.copy_from_slice(values.ok_or_else(|| Error::internal("a batch without its values"))?);
            if let Some(bits) = column.validity {
                self.put_bits(index, bits, rows);
            }
        }
        self.advance(rows);
        Ok(())
    }

    /// Appends a table's rows.
    pub(crate) fn append_table(&mut self, table: &TableData) -> OrError<()> {
        let owned = owned_chunks(table);
        let chunks: Vec<HostChunk<'_>> = owned.iter().map(OwnedChunk::chunk).collect();
        self.append(&chunks, table.rows)
    }

    /// Where the next rows' values of a column go.
    pub(crate) fn slot(&mut self, index: usize, rows: usize) -> OrError<&mut [u8]> {
        let no_room = || Error::internal("no room for a batch's values");
        let column = self.output.columns.get_mut(index).ok_or_else(no_room)?;
        let size = column.ty.dtype.repr().bytes();
        let target = match &mut self.into {
            Some(given) => &mut **given,
            None => &mut column.values[..],
        };
        target.get_mut(self.filled * size..(self.filled + rows) * size).ok_or_else(no_room)
    }

    /// Writes the next rows' bitmap of a column, where it has one.
    pub(crate) fn put_bits(&mut self, index: usize, bits: Bits<'_>, rows: usize) {
        if let Some(valid) = self.output.columns.get_mut(index).and_then(|column| column.valid.as_mut()) {
            append_bits(valid, self.filled, bits, rows);
        }
    }

    /// So many rows were written.
    pub(crate) fn advance(&mut self, rows: usize) {
        self.filled += rows;
    }

    /// All rows.
    pub(crate) fn finish(mut self) -> Output {
        self.output.rows = self.filled;
        self.output.columns.iter_mut().for_each(|column| column.rows = self.filled);
        self.output
    }
}

/// A table's columns as pieces, truth values a byte each.
pub(crate) fn owned_chunks(table: &TableData) -> Vec<OwnedChunk> {
    let layout = Layout { bools: BoolLayout::Bytes, ..Layout::default() };
    table.columns.iter().map(|column| OwnedChunk::new(column, 0..table.rows, layout)).collect()
}

fn merged(kernel: &Kernel, before: Option<Partial>, partial: Partial) -> Partial {
    match before {
        Some(before) => interpret::merge(kernel, before, partial),
        None => partial,
    }
}

/// Finishes a scan's batch behind what the batches before it left: what the next ones need, and the finished rows.
fn carry(
    kernel: &Kernel,
    before: Option<Partial>,
    batch: Partial,
    preceding: usize,
) -> (Partial, Result<TableData, Fault>) {
    let own = batch.rows.rows;
    let all = merged(kernel, before, batch);
    let rows = all.rows.rows;
    let left = Partial { rows: all.rows.slice(rows - preceding.min(rows)..rows), nodes: all.nodes.clone() };
    let finished = interpret::finish(kernel, all);
    (left, finished.map(|table| table.slice(rows - own..rows)))
}

/// The number of the fold whose sum does not fit, where there is only one.
fn only_fold(kernel: &Kernel) -> Option<usize> {
    let folds = match &kernel.sink {
        Sink::Reduce { folds } | Sink::Group { folds, .. } => folds.len(),
        Sink::Scan { running, .. } => running.len(),
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } => {
            0
        }
    };
    (folds == 1).then_some(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use pointsman_ir::data::ColumnData;
    use pointsman_ir::interpret::Inputs;
    use pointsman_ir::kernel::LEAF_ROWS;
    use pointsman_ir::kernel::parse::parse;
    use pointsman_ir::types::Scalar;

    #[test]
    fn frames_and_segments_reach_over_batches() {
        let text = "kernel\ncolumns c0: f64?, c1: bool\n  v0: f64? = column c0\n  v1: bool = column c1\nsink scan \
                    columns(v0) running(sum(v0), count(), max(v0) preceding 3, sum(v0) preceding 40) segment v1\n";
        let kernel = parse(text).unwrap();
        let rows = 4 * LEAF_ROWS + 100;
        let value = |row: usize| (!row.is_multiple_of(11)).then_some(Scalar::F64((row * 7919 % 1013) as f64 / 3.0));
        let start = |row: usize| Some(Scalar::Bool(row % 5003 == 4095));
        let column = |from: usize, to: usize| {
            let values = ColumnData::from_scalars(kernel.columns[0], (from..to).map(value));
            vec![values, ColumnData::from_scalars(kernel.columns[1], (from..to).map(start))]
        };
        let run = |from: usize, to: usize| {
            let (columns, first_row, rows) = (column(from, to), from as u64, to - from);
            let inputs = Inputs { columns: &columns, params: &[], lists: &[], tables: &[], first_row, rows };
            interpret::partial(&kernel, &inputs).unwrap()
        };
        let whole = interpret::finish(&kernel, run(0, rows)).unwrap();
        let Way::Carry { preceding } = Way::of(&kernel) else { panic!("not a scan") };
        for leaves in 1..5 {
            let (mut state, mut at) = (None, 0);
            for from in (0..rows).step_by(leaves * LEAF_ROWS) {
                let batch = run(from, rows.min(from + leaves * LEAF_ROWS));
                let (left, finished) = carry(&kernel, state.take(), batch, preceding);
                let finished = finished.unwrap();
                assert!(finished == whole.slice(at..at + finished.rows), "batches of {leaves} leaves, row {at} and on");
                (state, at) = (Some(left), at + finished.rows);
            }
            assert_eq!(at, whole.rows);
        }
    }
}
