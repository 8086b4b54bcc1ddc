//! [`TableRun`]: one run of a kernel over a table, in the memory of a [`Benchmark`]; and indexes over what was built
//! there.

use super::benchmark::{Benchmark, LoadedKernel, ScratchColumns};
use super::kernels::{KernelWork, TableWork, VALUE_BYTES};
use crate::error::{Error, Result};
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::{ColumnInput, ColumnOutput, Device, Form, IndexId, IndexKeys, Launch, TableInput};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{DType, Scalar};
use std::sync::Arc;

/// The bytes of a value of an output column.
pub(super) const WORD_BYTES: usize = 8;
/// The maximum number of columns that a run writes.
const OUTPUTS_MAX: usize = 2;

/// One run of a kernel over a table.
#[derive(Clone, Copy)]
pub(super) struct TableRun<'k> {
    pub(super) kernel: &'k LoadedKernel,
    pub(super) rows: usize,
    /// Masked hashes are below this power of two.
    pub(super) values: u64,
    /// The columns of words that it writes.
    pub(super) outputs: usize,
    pub(super) read: TableRead,
}

/// The table that a run reads.
#[derive(Clone, Copy)]
pub(super) enum TableRead {
    Nothing,
    /// The first bytes of the input column.
    Column {
        bytes: usize,
    },
    Index(IndexId),
}

/// An index, freed when this is dropped.
pub(super) struct HeldIndex<'d> {
    device: &'d Arc<dyn Device>,
    pub(super) id: IndexId,
}

impl Drop for HeldIndex<'_> {
    fn drop(&mut self) {
        self.device.free_index(self.id);
    }
}

impl<'b> Benchmark<'b> {
    /// The maximum number of rows that a run writes.
    pub(super) fn output_rows(&self) -> usize {
        // The output column is half as large as the largest working set.
        self.sampler.bytes_max / 2 / OUTPUTS_MAX / WORD_BYTES
    }

    /// Runs a kernel and returns when the device is done. Each run has rows of its own numbers, so that it reads other
    /// parts of a table than the one before, except that built rows are numbered from 0.
    pub(super) fn run_table(&mut self, run: &TableRun<'_>) -> Result<()> {
        let TableRun { kernel, rows, values, outputs, read } = *run;
        let first_row = self.next_row;
        self.next_row += rows.next_multiple_of(LEAF_ROWS) as u64;
        let first_row = if kernel.work == KernelWork::Table(TableWork::Build) { 0 } else { first_row };
        let gathered = match read {
            TableRead::Column { bytes } => bytes,
            TableRead::Nothing | TableRead::Index(_) => VALUE_BYTES,
        };
        let (bytes, table_rows, bools) = (rows * WORD_BYTES, gathered / VALUE_BYTES, BoolLayout::Bits);
        let (chunks, column);
        let mut written: Vec<ColumnOutput<'_>> = match &mut self.columns {
            ScratchColumns::Host { input, output } => {
                let values = &input[..gathered];
                chunks = [HostChunk { values, bools, bit_offset: 0, validity: None, rows: table_rows }];
                column = [ColumnInput::Host(&chunks)];
                let columns = output.chunks_mut(bytes).take(outputs);
                columns.map(|values| ColumnOutput::Host { values, bools, validity: None }).collect()
            }
            ScratchColumns::Device { input, output } => {
                column = [ColumnInput::Device { values: input.range(0..gathered), validity: None, rows: table_rows }];
                let column = |at: usize| output.range(at * bytes..(at + 1) * bytes);
                (0..outputs).map(|at| ColumnOutput::Device { values: column(at), validity: None }).collect()
            }
        };
        let table = match read {
            TableRead::Nothing => None,
            TableRead::Column { .. } => Some(TableInput { index: None, columns: &column, rows: table_rows }),
            TableRead::Index(id) => Some(TableInput { index: Some(id), columns: &[], rows: 0 }),
        };
        let mask = Some(Scalar::U64(values - 1));
        let mut launch = Launch {
            first_row,
            rows,
            first_match: 0,
            form: Form::Whole,
            columns: &[],
            params: &[mask],
            lists: &[],
            tables: table.as_slice(),
            outputs: &mut written,
        };
        let status = self.sampler.device.launch(self.stream, kernel.program.id, &mut launch)?;
        self.finish(status)
    }

    /// Indexes the keys that a build wrote last.
    pub(super) fn build_index(&mut self, rows: usize) -> Result<HeldIndex<'b>> {
        let (device, bytes) = (self.sampler.device, rows * WORD_BYTES);
        let (chunks, keys);
        match &self.columns {
            ScratchColumns::Host { output, .. } => {
                let (values, bools) = (&output[..bytes], BoolLayout::Bits);
                chunks = [HostChunk { values, bools, bit_offset: 0, validity: None, rows }];
                keys = [ColumnInput::Host(&chunks)];
            }
            ScratchColumns::Device { output, .. } => {
                keys = [ColumnInput::Device { values: output.range(0..bytes), validity: None, rows }];
            }
        }
        let keys = IndexKeys { keys: &keys, types: &[DType::U64], numbers: None, rows };
        let index = device.build_index(self.stream, &keys, None).map_err(Error::from)?;
        Ok(HeldIndex { device, id: index.id })
    }
}
