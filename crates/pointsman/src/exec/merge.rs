//! [`Merger`]: merges the outputs of a stage's batches, in order, into the output of the whole stage, in the host's
//! memory and bit for bit.
//!
//! Rows are appended. The partial result of a fold is nodes of the leaf tree, which the interpreter joins. That of a
//! scan is rows and nodes: the rows of each batch are finished as soon as it arrives, with the carry of all earlier
//! leaves (`scans.rs`). No device runs a scan with frames.

mod output_growth;
mod scans;

pub(super) use output_growth::row_count;

use crate::data::bitmap::append_bits;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::{Output, ResultColumn};
use crate::devices::download::{ColumnBytes, HostDestination, RowCount, WhileCopying};
use crate::devices::transfer::{DeviceColumn, spread_bits};
use crate::error::{Error, Result as OrError};
use crate::exec::batch_source::{BatchSink, DeviceBatch};
use crate::exec::fault::sum_out_of_range;
use crate::exec::merge::scans::ScanMerger;
use crate::programs::program::CompiledStage;
use output_growth::OutputGrowth;
use pointsman_device::convert::{Layout, OwnedChunk, from_buffers};
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{Form, Outcome};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Partial};
use pointsman_ir::kernel::{Kernel, MergeRule};
use pointsman_ir::types::{Repr, Type};

/// The columns of a scan's row before the kept ones: leaf, before the first start, segment start.
const SCAN_HEAD: usize = 3;

/// The form of each batch's output.
pub(super) fn batch_form(kernel: &Kernel) -> Form {
    match kernel.sink.merge_rule() {
        MergeRule::Append => Form::Whole,
        MergeRule::MergeStates | MergeRule::Carry { .. } | MergeRule::ByPartition => Form::Partial,
    }
}

/// The merged outputs of the batches so far.
pub(super) struct Merger<'m> {
    stage: &'m CompiledStage,
    method: MergeRule,
    /// Memory for the result, filled from the front.
    output: Output,
    /// How that memory grows, where the result's size is not known beforehand.
    growth: Option<OutputGrowth<'m>>,
    /// The caller's memory for the only column's values.
    caller_values: Option<&'m mut [u8]>,
    filled: usize,
    /// The nodes of folds so far.
    state: Option<Partial>,
    /// Finishes a scan's rows.
    scans: Option<ScanMerger>,
    /// Whether a sum does not fit. A faulty row of a later batch takes precedence.
    is_out_of_range: bool,
}

impl<'m> Merger<'m> {
    /// A merger for a stage over `rows` rows. It has memory for the result if its size is known, or if the caller has
    /// it; else the memory grows with the batches.
    pub(super) fn new(
        stage: &'m CompiledStage,
        rows: usize,
        pool: &'m Pool,
        caller_values: Option<&'m mut [u8]>,
    ) -> OrError<Merger<'m>> {
        let kernel = &stage.kernel;
        if caller_values.is_some() || row_count(kernel) == RowCount::Exact {
            return Merger::with_room(stage, rows, pool, caller_values);
        }
        let most = if kernel.body.multiplies_rows() { usize::MAX } else { capacity(kernel, Form::Whole, rows).0 };
        let growth = Some(OutputGrowth { pool, all: rows, read: 0, most, room: 0 });
        Ok(Merger { growth, ..Merger::with_room(stage, 0, pool, None)? })
    }

    /// A merger with memory for the most that `rows` rows give.
    pub(super) fn with_room(
        stage: &'m CompiledStage,
        rows: usize,
        pool: &Pool,
        caller_values: Option<&'m mut [u8]>,
    ) -> OrError<Merger<'m>> {
        let (method, mut output) = (stage.kernel.sink.merge_rule(), Output::default());
        let room = capacity(&stage.kernel, Form::Whole, rows).0;
        output.allocate(&stage.output, room, caller_values.as_deref(), pool)?;
        let scans = match method {
            MergeRule::Append | MergeRule::MergeStates => None,
            MergeRule::ByPartition => return Err(Error::internal("partitions that are merged as rows")),
            MergeRule::Carry { .. } => {
                let scans = ScanMerger::new(&stage.kernel);
                Some(scans.ok_or_else(|| Error::unsupported("folds over frames cannot run in batches"))?)
            }
        };
        Ok(Merger {
            stage,
            method,
            output,
            growth: None,
            caller_values,
            filled: 0,
            state: None,
            scans,
            is_out_of_range: false,
        })
    }

    /// Whether this column of the batches' outputs is not needed.
    fn is_unused(&self, number: usize) -> bool {
        let unused = |scans: &ScanMerger| number == 2 || number == 1 && !scans.has_segments;
        self.scans.as_ref().is_some_and(unused)
    }

    /// Where the columns of a batch with `rows` rows go: parts of the result directly to their place.
    fn destinations(
        &mut self,
        columns: &[DeviceColumn],
        rows: usize,
        pool: &Pool,
    ) -> OrError<Vec<HostDestination<'_>>> {
        let in_result = match (self.method, &self.scans) {
            (MergeRule::Append, _) => 0..columns.len(),
            (MergeRule::MergeStates | MergeRule::Carry { .. }, Some(scans)) => SCAN_HEAD..SCAN_HEAD + scans.kept,
            (MergeRule::MergeStates | MergeRule::Carry { .. }, None) => 0..0,
            (MergeRule::ByPartition, _) => 0..0,
        };
        let unused: Vec<bool> = (0..columns.len()).map(|number| self.is_unused(number)).collect();
        // The result need not have room for rows that do not become its own.
        let mut slots = if in_result.is_empty() { Vec::new() } else { self.slots(rows)? }.into_iter();
        let destination = |(number, column): (usize, &DeviceColumn)| match in_result
            .contains(&number)
            .then(|| slots.next())
            .flatten()
        {
            Some(slot) => HostDestination::for_result(column, slot, pool),
            None if unused[number] => Ok(HostDestination::default()),
            None => HostDestination::new(column, pool),
        };
        columns.iter().enumerate().map(destination).collect()
    }

    /// Whether a batch's rows become rows of the result as they come.
    fn appends(&self) -> bool {
        self.method == MergeRule::Append || self.scans.is_some()
    }

    /// Makes room for more rows, the output of `read` input rows.
    fn make_room(&mut self, rows: usize, read: usize) -> OrError<()> {
        let Some(growth) = &mut self.growth else { return Ok(()) };
        growth.make_room(&mut self.output, self.filled, rows, read)
    }

    /// Takes the output of the next batch.
    pub(super) fn absorb(&mut self, batch: &HostBatch) -> OrError<()> {
        if let Some(growth) = &mut self.growth {
            growth.read += batch.read;
        }
        if self.appends() {
            self.make_room(batch.outcome.rows, 0)?;
        }
        if self.method == MergeRule::Append {
            return self.append(&batch.columns, batch.outcome.rows);
        }
        if let Some(mut scans) = self.scans.take() {
            let appended = self.append_scanned(&mut scans, batch);
            self.scans = Some(scans);
            return appended;
        }
        let kernel = &self.stage.kernel;
        let rows = table(&kernel.partial().rows, &batch.columns, batch.outcome.rows);
        let partial = Partial { rows, nodes: batch.nodes(kernel) };
        self.state = Some(match self.state.take() {
            Some(before) => interpret::merge(kernel, before, partial),
            None => partial,
        });
        Ok(())
    }

    /// Appends columns.
    fn append(&mut self, columns: &[ColumnBytes], rows: usize) -> OrError<()> {
        for (index, (values, bitmap)) in columns.iter().enumerate() {
            let is_truth = self.output.columns.get(index).is_some_and(|one| one.ty.dtype.repr() == Repr::Bool);
            if is_truth {
                spread_bits(values, self.slot(index, rows)?);
            } else if !values.is_empty() {
                let slot = self.slot(index, rows)?;
                slot.copy_from_slice(&values[..slot.len()]);
            }
            self.put_bits(index, bitmap, rows);
        }
        self.filled += rows;
        Ok(())
    }

    /// Finishes a scan's rows and appends them.
    fn append_scanned(&mut self, scans: &mut ScanMerger, batch: &HostBatch) -> OrError<()> {
        let (kernel, rows) = (&self.stage.kernel, batch.outcome.rows);
        let (first_fold, first_node) = (SCAN_HEAD + scans.kept, kernel.partial().rows.len());
        let columns = &batch.columns;
        let (head, folds) = ((&columns[0].0[..], &columns[1].0[..]), &columns[first_fold..first_node]);
        let mut targets = self.slots(rows)?.split_off(scans.kept);
        let Ok(bitmaps) = scans.finish(rows, head, folds, &batch.nodes(kernel), &mut targets) else {
            self.is_out_of_range = true;
            return Ok(());
        };
        for (number, bitmap) in bitmaps.iter().enumerate() {
            self.put_bits(scans.kept + number, bitmap, rows);
        }
        self.append(&columns[SCAN_HEAD..first_fold], rows)
    }

    fn append_table(&mut self, table: &TableData) -> OrError<()> {
        self.make_room(table.rows, 0)?;
        for (index, column) in table.columns.iter().enumerate() {
            let layout = Layout { bools: BoolLayout::Bytes, ..Layout::default() };
            let owned = OwnedChunk::new(column, 0..table.rows, layout);
            self.slot(index, table.rows)?.copy_from_slice(owned.chunk().values);
            if let Some(bits) = owned.chunk().validity {
                self.put_bits(index, bits.bytes, table.rows);
            }
        }
        self.filled += table.rows;
        Ok(())
    }

    /// Where the next rows' values of each column go.
    fn slots(&mut self, rows: usize) -> OrError<Vec<&mut [u8]>> {
        let (filled, mut caller_values) = (self.filled, self.caller_values.as_deref_mut());
        let mut slots = Vec::with_capacity(self.output.columns.len());
        for column in &mut self.output.columns {
            let size = column.ty.dtype.repr().bytes();
            let target = caller_values.take().unwrap_or(&mut column.values[..]);
            let slot = target.get_mut(filled * size..(filled + rows) * size);
            slots.push(slot.ok_or_else(|| Error::internal("no room for a batch's values"))?);
        }
        Ok(slots)
    }

    /// Where the next rows' values of a column go.
    fn slot(&mut self, index: usize, rows: usize) -> OrError<&mut [u8]> {
        let slot = self.slots(rows)?.into_iter().nth(index);
        slot.ok_or_else(|| Error::internal("a batch with more columns than its stage"))
    }

    fn put_bits(&mut self, index: usize, bits: &[u8], rows: usize) {
        if let Some(valid) = self.output.columns.get_mut(index).and_then(|column| column.valid.as_mut()) {
            append_bits(valid, self.filled, Bits { bytes: bits, offset: 0 }, rows);
        }
    }

    /// Hands over the rows so far; the next ones take their place.
    pub(super) fn drain<T>(&mut self, f: impl FnOnce(&[HostChunk<'_>], usize) -> T) -> T {
        let rows = std::mem::take(&mut self.filled);
        self.output.set_rows(rows);
        let chunks: InlineVec<HostChunk<'_>> = self.output.columns.iter().map(ResultColumn::chunk).collect();
        f(&chunks, rows)
    }

    /// The stage's output, or the part that was not [drained](Merger::drain).
    pub(super) fn finish(mut self) -> OrError<Output> {
        if let Some(state) = self.state.take() {
            match interpret::finish(&self.stage.kernel, state) {
                Ok(table) => self.append_table(&table)?,
                Err(_) => self.is_out_of_range = true,
            }
        }
        if self.is_out_of_range {
            let is_only = self.stage.kernel.sink.folds().len() == 1;
            return Err(sum_out_of_range(self.stage, is_only.then_some(0)));
        }
        if let Some(growth) = &mut self.growth {
            growth.fit(&mut self.output, self.filled);
        }
        self.output.set_rows(self.filled);
        Ok(self.output)
    }
}

impl BatchSink for Merger<'_> {
    fn take(&mut self, batch: DeviceBatch<'_, '_>, while_copying: WhileCopying<'_>) -> OrError<u64> {
        let DeviceBatch { rows, columns, outcome, download } = batch;
        let read = rows.len();
        if self.appends() {
            self.make_room(outcome.rows, read)?;
        }
        let destinations = self.destinations(columns, outcome.rows, download.pool)?;
        let (columns, bytes) = download.run(columns, destinations, Some(while_copying))?;
        self.absorb(&HostBatch { columns, outcome, read })?;
        Ok(bytes)
    }
}

/// The output of a batch, in the host's memory.
pub(super) struct HostBatch {
    /// Its columns in a device's layout, perhaps with spare room. Values that went directly to the result are left out.
    pub(super) columns: Vec<ColumnBytes>,
    pub(super) outcome: Outcome,
    /// The number of rows that the batch read.
    pub(super) read: usize,
}

impl HostBatch {
    /// The nodes of a partial state.
    fn nodes(&self, kernel: &Kernel) -> TableData {
        let schema = kernel.partial();
        table(&schema.nodes, &self.columns[schema.rows.len()..], self.outcome.nodes)
    }
}

fn table(types: &[Type], columns: &[ColumnBytes], rows: usize) -> TableData {
    let data = |(ty, (values, bitmap)): (&Type, &ColumnBytes)| {
        from_buffers(*ty, BoolLayout::Bits, values, ty.nullable.then_some(&bitmap[..]), rows)
    };
    TableData { columns: types.iter().zip(columns).map(data).collect(), rows }
}
