//! [`Merger`]: in go the results of a stage's batches, in order, out comes what the whole stage would have given, in the
//! host's memory and to the bit.
//!
//! Rows are appended. Folds come as nodes of the leaf tree, which the interpreter joins. A scan comes as rows and nodes:
//! each batch is finished at once, with what its leaves take over from all before (`scans.rs`). One with frames the
//! interpreter finishes, with the nodes of all leaves so far and as many earlier rows as its frames reach back.

use super::landing::{Berth, Quay};
use super::scans::{Bytes, Scans};
use crate::error::{Error, Result as OrError};
use crate::runtime::executor::{Step, allocate, sum_out_of_range};
use crate::runtime::memory::Pool;
use crate::runtime::results::Output;
use crate::runtime::transfer::{Resident, spread_bits};
use pointsman_device::convert::{Layout, OwnedChunk};
use pointsman_device::host::BoolLayout;
use pointsman_device::launch::capacity;
use pointsman_device::{Form, Outcome};
use pointsman_ir::data::{ColumnData, TableData};
use pointsman_ir::interpret::{self, Fault, Partial};
use pointsman_ir::kernel::{Frame, Kernel, Sink};
use pointsman_ir::types::Repr;

/// The columns of a scan's row before the kept ones: leaf, before the first start, segment start.
const SCAN_HEAD: usize = 3;

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

/// What the batches so far gave.
pub(super) struct Merger<'m> {
    step: &'m Step,
    way: Way,
    /// Room for the whole result, filled from the front.
    output: Output,
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
    /// Nothing yet, with room for what so many rows give.
    pub(super) fn new(step: &'m Step, rows: usize, pool: &Pool, into: Option<&'m mut [u8]>) -> OrError<Merger<'m>> {
        let (way, mut output) = (Way::of(&step.stage.kernel), Output::default());
        let room = capacity(&step.stage.kernel, Form::Whole, rows).0;
        allocate(&step.output, room, into.is_some(), pool, &mut output)?;
        let scans = Scans::new(&step.stage.kernel);
        Ok(Merger { step, way, output, into, filled: 0, state: None, scans, is_out_of_range: false })
    }

    /// What each batch must give.
    pub(super) fn form(&self) -> Form {
        match self.way {
            Way::Append => Form::Whole,
            Way::Merge | Way::Carry { .. } => Form::Partial,
        }
    }

    /// Takes in what the next batch gave, and calls `beside` while that is on its way; how many bytes that were.
    pub(super) fn take(
        &mut self,
        (columns, outcome): (&[Resident<'_>], Outcome),
        quay: Quay<'_>,
        beside: &mut dyn FnMut(),
    ) -> OrError<u64> {
        if self.way == Way::Append {
            return self.append(columns, outcome.rows, quay, beside);
        }
        if let Some(mut scans) = self.scans.take() {
            let bytes = self.append_scanned(&mut scans, (columns, outcome.rows), quay, beside);
            self.scans = Some(scans);
            return bytes;
        }
        let kernel = &self.step.stage.kernel;
        let mut berths: Vec<Berth<'_>> = columns.iter().map(Berth::new).collect();
        let bytes = quay.land(columns, &mut berths, beside)?;
        let partial = partial_of(kernel, columns, &berths, outcome);
        let before = self.state.take();
        match self.way {
            Way::Append | Way::Merge => self.state = Some(merged(kernel, before, partial)),
            Way::Carry { preceding } => {
                let (state, finished) = carry(kernel, before, partial, preceding);
                self.state = Some(state);
                match finished {
                    Ok(table) if !self.is_out_of_range => self.append_table(&table)?,
                    Ok(_) => {}
                    Err(_) => self.is_out_of_range = true,
                }
            }
        }
        Ok(bytes)
    }

    /// Copies rows out of the device, behind those that are there.
    fn append(
        &mut self,
        columns: &[Resident<'_>],
        rows: usize,
        quay: Quay<'_>,
        beside: &mut dyn FnMut(),
    ) -> OrError<u64> {
        let berths = columns.iter().zip(self.slots(rows)?).map(|(column, slot)| Berth::for_result(column, slot));
        let mut berths: Vec<Berth<'_>> = berths.collect();
        let bytes = quay.land(columns, &mut berths, beside)?;
        let landed: Vec<Bytes> = berths.into_iter().map(Berth::into_bytes).collect();
        self.put(columns, &landed, rows)?;
        self.filled += rows;
        Ok(bytes)
    }

    /// Puts what did not come to its place directly, truth values and bitmaps, there.
    fn put(&mut self, columns: &[Resident<'_>], landed: &[Bytes], rows: usize) -> OrError<()> {
        for (index, (column, (bits, bitmap))) in columns.iter().zip(landed).enumerate() {
            if column.ty.dtype.repr() == Repr::Bool {
                spread_bits(bits, self.slot(index, rows)?);
            }
            self.put_bits(index, bitmap, rows);
        }
        Ok(())
    }

    /// Copies a scan's rows out of the device and finishes them, behind those that are there.
    fn append_scanned(
        &mut self,
        scans: &mut Scans,
        (columns, rows): (&[Resident<'_>], usize),
        quay: Quay<'_>,
        beside: &mut dyn FnMut(),
    ) -> OrError<u64> {
        let schema = self.step.stage.kernel.partial();
        let first_fold = SCAN_HEAD + scans.kept;
        let mut slots = self.slots(rows)?;
        let mut targets = slots.split_off(scans.kept);
        let mut slots = slots.into_iter();
        let berth = |(number, column): (usize, &Resident<'_>)| match number {
            0 => Berth::new(column),
            1 if scans.has_segments => Berth::new(column),
            1 | 2 => Berth::unused(),
            _ => slots.next().map_or_else(|| Berth::new(column), |slot| Berth::for_result(column, slot)),
        };
        let mut berths: Vec<Berth<'_>> = columns.iter().enumerate().map(berth).collect();
        let bytes = quay.land(columns, &mut berths, beside)?;
        let nodes = schema.rows.len()..columns.len();
        let nodes = nodes.map(|number| berths[number].data(&columns[number])).collect::<Vec<_>>();
        let nodes = TableData { rows: nodes.first().map_or(0, ColumnData::len), columns: nodes };
        let landed: Vec<Bytes> = berths.into_iter().map(Berth::into_bytes).collect();
        let (head, folds) = ((&landed[0].0[..], &landed[1].0[..]), &landed[first_fold..schema.rows.len()]);
        let Ok(bitmaps) = scans.finish(rows, head, folds, &nodes, &mut targets) else {
            self.is_out_of_range = true;
            return Ok(bytes);
        };
        self.put(&columns[SCAN_HEAD..first_fold], &landed[SCAN_HEAD..first_fold], rows)?;
        for (number, bitmap) in bitmaps.iter().enumerate() {
            self.put_bits(scans.kept + number, bitmap, rows);
        }
        self.filled += rows;
        Ok(bytes)
    }

    fn append_table(&mut self, table: &TableData) -> OrError<()> {
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
            append_bits(valid, self.filled, bits, rows);
        }
    }

    /// The whole stage's result.
    pub(super) fn finish(mut self) -> OrError<Output> {
        if let (Way::Merge, Some(state)) = (self.way, self.state.take()) {
            match interpret::finish(&self.step.stage.kernel, state) {
                Ok(table) => self.append_table(&table)?,
                Err(_) => self.is_out_of_range = true,
            }
        }
        if self.is_out_of_range {
            return Err(sum_out_of_range(&self.step.stage, only_fold(&self.step.stage.kernel)));
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
    let folds = match &kernel.sink {
        Sink::Reduce { folds } | Sink::Group { folds, .. } => folds.len(),
        Sink::Scan { running, .. } => running.len(),
        Sink::Store { .. } | Sink::Compact { .. } | Sink::Sort { .. } | Sink::Build { .. } | Sink::Partition { .. } => {
            0
        }
    };
    (folds == 1).then_some(0)
}

/// The partial state that a batch gave.
fn partial_of(kernel: &Kernel, columns: &[Resident<'_>], berths: &[Berth<'_>], outcome: Outcome) -> Partial {
    let mut columns = columns.iter().zip(berths).map(|(column, berth)| berth.data(column));
    let rows = columns.by_ref().take(kernel.partial().rows.len()).collect();
    let rows = TableData { columns: rows, rows: outcome.rows };
    Partial { rows, nodes: TableData { columns: columns.collect(), rows: outcome.nodes } }
}

/// Writes bits behind the first `at` ones; what lies behind the last, up to the end of its byte, is zero.
fn append_bits(target: &mut [u8], at: usize, bits: &[u8], count: usize) {
    let (shift, end) = (at % 8, (at + count).div_ceil(8));
    for (number, &byte) in bits.iter().take(count.div_ceil(8)).enumerate() {
        let (left, place) = (count - 8 * number, at / 8 + number);
        let byte = if left < 8 { byte & ((1 << left) - 1) } else { byte };
        if shift == 0 {
            target[place] = byte;
            continue;
        }
        target[place] |= byte << shift;
        if place + 1 < end {
            target[place + 1] = byte >> (8 - shift);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use pointsman_device::host::Bits;
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

    #[test]
    fn bits_go_behind_any_others() {
        let noise: Vec<u8> = (0..64u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for parts in [vec![0, 3], vec![1, 7, 8], vec![5, 0, 20, 1], vec![64, 9, 90], vec![13; 7]] {
            let (mut target, mut expected, mut at) = (vec![0xAB; 64], Vec::new(), 0);
            for count in parts.iter().copied() {
                append_bits(&mut target, at, &noise, count);
                expected.extend((0..count).map(|bit| Bits { bytes: &noise, offset: 0 }.get(bit)));
                at += count;
            }
            expected.resize(at.next_multiple_of(8), false);
            let got = (0..expected.len()).map(|bit| Bits { bytes: &target, offset: 0 }.get(bit));
            assert_eq!(got.collect::<Vec<_>>(), expected, "{parts:?}");
        }
    }
}
