//! [`Merger`]: in go the results of a stage's batches, in order, out comes what the whole stage would have given, in the
//! host's memory and to the bit.
//!
//! Rows are appended. Folds come as nodes of the leaf tree, which the interpreter joins. A scan comes as rows and nodes:
//! each batch is finished at once, with what its leaves take over from all before (`scans.rs`). One with frames the
//! interpreter finishes, with the nodes of all leaves so far and as many earlier rows as its frames reach back.

mod output_growth;
pub(in crate::exec) mod scans;

pub(crate) use output_growth::gives_as_many_as_there_is_room_for;

use crate::data::bitmap::append_bits;
use crate::data::memory::{InlineVec, Pool};
use crate::data::output::{Output, ResultColumn};
use crate::devices::transfer::{DeviceColumn, spread_bits};
use crate::error::{Error, Result as OrError};
use crate::exec::batch_source::{Beside, DeviceBatch};
use crate::exec::in_place::{CompiledStage, allocate, sum_out_of_range};
use crate::exec::merge::scans::{ColumnBytes, Scans};
use crate::exec::on_device::batch_download::HostDestination;
use output_growth::OutputGrowth;
use pointsman_device::convert::{Layout, OwnedChunk, from_buffers};
use pointsman_device::host::{Bits, BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{Form, Outcome};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::{Kernel, MergeRule};
use pointsman_ir::types::{Repr, Type};

/// The columns of a scan's row before the kept ones: leaf, before the first start, segment start.
const SCAN_HEAD: usize = 3;

/// What each batch must give so that they become one by this rule.
fn form_for(rule: MergeRule) -> Form {
    match rule {
        MergeRule::Append => Form::Whole,
        MergeRule::MergeStates | MergeRule::Carry { .. } => Form::Partial,
    }
}

/// What each batch of a kernel's rows must give.
pub(crate) fn batch_form(kernel: &Kernel) -> Form {
    form_for(kernel.sink.merge_rule())
}

/// What the batches so far gave.
pub(crate) struct Merger<'m> {
    step: &'m CompiledStage,
    rule: MergeRule,
    /// Room for the result, filled from the front.
    output: Output,
    /// How that room grows, where it must.
    growth: Option<OutputGrowth<'m>>,
    /// The caller's memory for the only column's values.
    into: Option<&'m mut [u8]>,
    filled: usize,
    state: Option<Partial>,
    /// What finishes a scan's rows, unless the interpreter must.
    scans: Option<Scans>,
    /// Whether a sum does not fit. A later batch may have a faulty row, which counts for more.
    is_out_of_range: bool,
}

impl<'m> Merger<'m> {
    /// Nothing yet of so many rows. There is room for what they give, if that is known, or if the caller has it; else it
    /// comes with what they give.
    pub(crate) fn new(
        step: &'m CompiledStage,
        rows: usize,
        pool: &'m Pool,
        into: Option<&'m mut [u8]>,
    ) -> OrError<Merger<'m>> {
        let kernel = &step.stage.kernel;
        if into.is_some() || gives_as_many_as_there_is_room_for(kernel) {
            return Merger::with_room(step, rows, pool, into);
        }
        let most = capacity(kernel, Form::Whole, rows).0;
        let growth = Some(OutputGrowth { pool, all: rows, read: 0, most, room: 0 });
        Ok(Merger { growth, ..Merger::with_room(step, 0, pool, None)? })
    }

    /// Nothing yet, with room for the most that so many rows give.
    pub(crate) fn with_room(
        step: &'m CompiledStage,
        rows: usize,
        pool: &Pool,
        into: Option<&'m mut [u8]>,
    ) -> OrError<Merger<'m>> {
        let (rule, mut output) = (step.stage.kernel.sink.merge_rule(), Output::default());
        let room = capacity(&step.stage.kernel, Form::Whole, rows).0;
        allocate(&step.output, room, into.is_some(), pool, &mut output)?;
        let scans = Scans::new(&step.stage.kernel);
        Ok(Merger { step, rule, output, growth: None, into, filled: 0, state: None, scans, is_out_of_range: false })
    }

    /// What each batch must give.
    pub(in crate::exec) fn form(&self) -> Form {
        form_for(self.rule)
    }

    /// Copies what the next batch gave to the host and takes it in, and calls `beside` while that is on its way; how many
    /// bytes that were.
    pub(in crate::exec) fn unload(&mut self, cargo: DeviceBatch<'_, '_>, beside: Beside<'_>) -> OrError<u64> {
        let DeviceBatch { rows, columns, outcome, quay } = cargo;
        let read = rows.len();
        if self.appends() {
            self.make_room(outcome.rows, read)?;
        }
        let mut berths = self.berths(columns, outcome.rows, quay.pool)?;
        let bytes = quay.land(columns, &mut berths, Some(beside))?;
        let columns = berths.into_iter().map(HostDestination::into_bytes).collect();
        self.absorb(&HostBatch { columns, outcome, read })?;
        Ok(bytes)
    }

    /// Whether nobody needs this column of what batches give.
    pub(in crate::exec) fn is_unused(&self, number: usize) -> bool {
        let unused = |scans: &Scans| number == 2 || number == 1 && !scans.has_segments;
        self.scans.as_ref().is_some_and(unused)
    }

    /// Where the columns of a batch with so many rows go: what becomes part of the result directly to its place.
    fn berths(&mut self, columns: &[DeviceColumn<'_>], rows: usize, pool: &Pool) -> OrError<Vec<HostDestination<'_>>> {
        let in_result = match (self.rule, &self.scans) {
            (MergeRule::Append, _) => 0..columns.len(),
            (MergeRule::MergeStates | MergeRule::Carry { .. }, Some(scans)) => SCAN_HEAD..SCAN_HEAD + scans.kept,
            (MergeRule::MergeStates | MergeRule::Carry { .. }, None) => 0..0,
        };
        let unused: Vec<bool> = (0..columns.len()).map(|number| self.is_unused(number)).collect();
        // Where rows do not become rows of the result, there need not be room for them.
        let mut slots = if in_result.is_empty() { Vec::new() } else { self.slots(rows)? }.into_iter();
        let berth = |(number, column): (usize, &DeviceColumn<'_>)| match in_result
            .contains(&number)
            .then(|| slots.next())
            .flatten()
        {
            Some(slot) => HostDestination::for_result(column, slot, pool),
            None if unused[number] => HostDestination::unused(pool),
            None => HostDestination::new(column, pool),
        };
        columns.iter().enumerate().map(berth).collect()
    }

    /// Whether a batch's rows become rows of the result as they come.
    fn appends(&self) -> bool {
        self.rule == MergeRule::Append || self.scans.is_some()
    }

    /// Makes room for so many more rows, which came of so many that were read.
    fn make_room(&mut self, rows: usize, read: usize) -> OrError<()> {
        let Some(growth) = &mut self.growth else { return Ok(()) };
        growth.make_room(&mut self.output, self.filled, rows, read)
    }

    /// Takes in what the next batch gave.
    pub(crate) fn absorb(&mut self, parcel: &HostBatch) -> OrError<()> {
        if let Some(growth) = &mut self.growth {
            growth.read += parcel.read;
        }
        if self.appends() {
            self.make_room(parcel.outcome.rows, 0)?;
        }
        if self.rule == MergeRule::Append {
            return self.append(&parcel.columns, parcel.outcome.rows);
        }
        if let Some(mut scans) = self.scans.take() {
            let appended = self.append_scanned(&mut scans, parcel);
            self.scans = Some(scans);
            return appended;
        }
        let kernel = &self.step.stage.kernel;
        let partial = Partial { rows: parcel.rows(kernel), nodes: parcel.nodes(kernel) };
        let before = self.state.take();
        match self.rule {
            MergeRule::Append | MergeRule::MergeStates => self.state = Some(merged(kernel, before, partial)),
            MergeRule::Carry { preceding } => {
                let (state, finished) = carry(kernel, before, partial, preceding);
                self.state = Some(state);
                match finished {
                    Ok(table) if !self.is_out_of_range => self.append_table(&table)?,
                    Ok(_) => {}
                    Err(_) => self.is_out_of_range = true,
                }
            }
        }
        Ok(())
    }

    /// Puts columns behind the rows that are there.
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

    /// Finishes a scan's rows and puts them behind those that are there.
    fn append_scanned(&mut self, scans: &mut Scans, parcel: &HostBatch) -> OrError<()> {
        let (kernel, rows) = (&self.step.stage.kernel, parcel.outcome.rows);
        let (first_fold, first_node) = (SCAN_HEAD + scans.kept, kernel.partial().rows.len());
        let landed = &parcel.columns;
        let (head, folds) = ((&landed[0].0[..], &landed[1].0[..]), &landed[first_fold..first_node]);
        let mut targets = self.slots(rows)?.split_off(scans.kept);
        let Ok(bitmaps) = scans.finish(rows, head, folds, &parcel.nodes(kernel), &mut targets) else {
            self.is_out_of_range = true;
            return Ok(());
        };
        for (number, bitmap) in bitmaps.iter().enumerate() {
            self.put_bits(scans.kept + number, bitmap, rows);
        }
        self.append(&landed[SCAN_HEAD..first_fold], rows)
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
        let (filled, mut into) = (self.filled, self.into.as_deref_mut());
        let mut slots = Vec::with_capacity(self.output.columns.len());
        for column in &mut self.output.columns {
            let size = column.ty.dtype.repr().bytes();
            let target = into.take().unwrap_or(&mut column.values[..]);
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

    /// The rows that are there, which are somebody else's from now on: the next ones take their place.
    pub(crate) fn drain<T>(&mut self, f: impl FnOnce(&[HostChunk<'_>], usize) -> T) -> T {
        let rows = std::mem::take(&mut self.filled);
        self.output.columns.iter_mut().for_each(|column| column.rows = rows);
        let chunks: InlineVec<HostChunk<'_>> = self.output.columns.iter().map(ResultColumn::chunk).collect();
        f(&chunks, rows)
    }

    /// The whole stage's result, or what is left of it.
    pub(crate) fn finish(mut self) -> OrError<Output> {
        if let (MergeRule::MergeStates, Some(state)) = (self.rule, self.state.take()) {
            match interpret::finish(&self.step.stage.kernel, state) {
                Ok(table) => self.append_table(&table)?,
                Err(_) => self.is_out_of_range = true,
            }
        }
        if self.is_out_of_range {
            return Err(sum_out_of_range(&self.step.stage, only_fold(&self.step.stage.kernel)));
        }
        if let Some(growth) = &mut self.growth {
            growth.fit(&mut self.output, self.filled);
        }
        self.output.rows = self.filled;
        self.output.columns.iter_mut().for_each(|column| column.rows = self.filled);
        Ok(self.output)
    }
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
    (kernel.sink.folds().len() == 1).then_some(0)
}

/// What a batch gave, in the host's memory.
pub(crate) struct HostBatch {
    /// Its columns as a device holds them, perhaps with room behind. Values that went to their place are left out.
    pub(crate) columns: Vec<ColumnBytes>,
    pub(crate) outcome: Outcome,
    /// How many rows it read.
    pub(crate) read: usize,
}

impl HostBatch {
    /// The rows of a partial state.
    fn rows(&self, kernel: &Kernel) -> TableData {
        table(&kernel.partial().rows, &self.columns, self.outcome.rows)
    }

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

#[cfg(test)]
mod tests;
