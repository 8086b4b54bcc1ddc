//! The outcome of a launch: reads status words and nodes back, finds faults, finishes folds by the interpreter's own
//! rules, and writes their columns to the outputs.

use super::bindings::HostOutput;
use super::command_batch::Context;
use super::dispatch_tuner::TimeSource;
use super::encode::STATUS_WORDS;
use super::gpu::Gpu;
use super::launch_timestamps::{TIME_WORDS, elapsed};
use super::leaf_tree::CoveringNode;
use super::program::WgpuProgram;
use super::submission::Submission;
use super::upload::write_small;
use crate::convert::to_buffers;
use crate::launch::{FaultLocation, Form, Outcome};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Partial};
use pointsman_ir::kernel::{Fold, Kernel, LEAF_ROWS, Sink, StreamingSink};
use pointsman_ir::render::wgsl::NodeWords;
use pointsman_ir::types::Scalar;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The status words store this value minus the number of a fold that does not fit.
const NO_FOLD: u32 = 0xffff;

/// A launch in flight.
pub(super) struct WgpuLaunch {
    pub(super) program: Arc<WgpuProgram>,
    pub(super) node: Option<NodeWords>,
    pub(super) form: Form,
    pub(super) rows: usize,
    pub(super) first_row: u64,
    /// Reads back the status words, the nodes of `covering`, and the nodes of the first leaves.
    pub(super) submission: Submission,
    /// The nodes that make up the result.
    pub(super) covering: Vec<CoveringNode>,
    /// The number of leaves whose nodes are part of the result.
    pub(super) leaves: usize,
    /// The clock of a timed launch of one range; device timestamps come after everything else that is read.
    pub(super) clock: Option<TimeSource>,
    pub(super) submitted: Instant,
    /// The number of status words that are read.
    pub(super) status_words: usize,
    /// Outputs that the host writes.
    pub(super) outputs: Vec<HostOutput>,
}

impl WgpuLaunch {
    /// Whether the host must write the outputs.
    pub(super) fn needs_host(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Waits for the launch and finishes its result.
    pub(super) fn finish(&mut self, context: Context<'_>, timeout: Duration) -> DeviceResult<Outcome> {
        let outcome = self.finish_result(context, timeout)?;
        let consumed = if outcome.fault.is_none() { self.rows } else { 0 };
        Ok(Outcome { consumed, ..outcome })
    }

    fn finish_result(&mut self, context: Context<'_>, timeout: Duration) -> DeviceResult<Outcome> {
        let (start, gpu) = (Instant::now(), context.gpu);
        self.submission.submit_all(context, &self.program, timeout)?;
        let unread = || DeviceError::new(DeviceErrorKind::Internal, "a launch whose outcome is not read back");
        let reading = self.submission.reading().ok_or_else(unread)?;
        let words = reading.finish_words(gpu, timeout.saturating_sub(start.elapsed()))?;
        self.submission.record_first_piece(gpu, &self.program)?;
        let words = self.note_time(gpu, &words);
        let (status, nodes) = words.split_at(self.status_words);
        if let Some(fault) = self.fault(status) {
            return Ok(Outcome { fault: Some(fault), ..Outcome::default() });
        }
        match self.program.kernel.sink.streaming() {
            Some(StreamingSink::Store { .. }) => Ok(Outcome { rows: self.rows, ..Outcome::default() }),
            Some(StreamingSink::Reduce { .. }) if self.form == Form::Whole => {
                Ok(Outcome { rows: 1, ..Outcome::default() })
            }
            Some(StreamingSink::Reduce { folds }) => self.reduce(gpu, nodes, folds),
            Some(StreamingSink::Compact { .. } | StreamingSink::Scan { .. }) => self.finish_moved(gpu, nodes),
            None => Err(DeviceError::new(DeviceErrorKind::Internal, "a launch of a sink without code")),
        }
    }

    /// Records the time of the launch; returns the other words.
    fn note_time<'a>(&self, gpu: &Gpu, words: &'a [u32]) -> &'a [u32] {
        let Some(clock) = self.clock else { return words };
        let (words, took) = match clock {
            TimeSource::Host => (words, self.submitted.elapsed()),
            TimeSource::Device => {
                let (words, times) = words.split_at(words.len() - TIME_WORDS);
                (words, elapsed(gpu, times))
            }
        };
        self.program.dispatch_tuner.record(self.rows as u64, took, clock);
        words
    }

    /// The smallest faulting row, or the first fold that does not fit.
    fn fault(&self, status: &[u32]) -> Option<FaultLocation> {
        let words = status.chunks_exact(STATUS_WORDS as usize);
        let row = words.clone().zip(self.submission.ranges()).find(|(words, _)| words[0] != 0);
        if let Some((words, range)) = row {
            return Some(FaultLocation::Row(self.first_row + range.start + u64::from(!words[0])));
        }
        let fold = words.map(|words| words[1]).max().filter(|&fold| fold != 0)?;
        Some(FaultLocation::Fold((NO_FOLD - fold) as usize))
    }

    fn node(&self) -> DeviceResult<&NodeWords> {
        let missing = || DeviceError::new(DeviceErrorKind::Internal, "a launch without a tree");
        self.node.as_ref().ok_or_else(missing)
    }

    fn finish_moved(&self, gpu: &Gpu, words: &[u32]) -> DeviceResult<Outcome> {
        let node = self.node()?;
        let (root, leaves) = words.split_at(node.len());
        let rows = node.count(root) as usize;
        if self.leaves == 0 {
            return Ok(Outcome { rows, ..Outcome::default() });
        }
        let first_leaf = self.first_row / LEAF_ROWS as u64;
        let mut table = TableData::empty(&self.program.kernel.partial().nodes);
        for (leaf, words) in (first_leaf..).zip(leaves.chunks_exact(node.len()).take(self.leaves)) {
            let mut row = vec![Some(Scalar::U8(0)), Some(Scalar::U64(leaf)), Some(Scalar::Bool(node.starts(words)))];
            row.extend(node.accumulators(words));
            table.push(&row);
        }
        self.write_outputs(gpu, &table)?;
        Ok(Outcome { rows, nodes: table.rows, ..Outcome::default() })
    }

    fn reduce(&self, gpu: &Gpu, words: &[u32], folds: &[Fold]) -> DeviceResult<Outcome> {
        let node = self.node()?;
        let mut table = TableData::empty(&self.program.kernel.partial().nodes);
        for (covering, words) in self.covering.iter().zip(words.chunks_exact(node.len().max(1))) {
            let mut row = vec![Some(Scalar::U8(covering.level as u8)), Some(Scalar::U64(covering.index))];
            row.extend(node.accumulators(words));
            table.push(&row);
        }
        finish_reduce(&self.program.kernel, folds, self.form, table, |table| self.write_outputs(gpu, table))
    }

    /// Writes the columns of a table to the outputs.
    fn write_outputs(&self, gpu: &Gpu, table: &TableData) -> DeviceResult<()> {
        write_columns(gpu, &self.outputs, table)
    }
}

/// Writes the columns of a table to outputs.
pub(super) fn write_columns(gpu: &Gpu, outputs: &[HostOutput], table: &TableData) -> DeviceResult<()> {
    for (output, column) in outputs.iter().zip(&table.columns) {
        let (values, validity) = to_buffers(column);
        write_small(gpu, &output.values.0, output.values.1, &values)?;
        if let (Some((buffer, offset)), Some(bits)) = (&output.validity, validity) {
            write_small(gpu, buffer, *offset, &bits)?;
        }
    }
    Ok(())
}

/// Finishes a `reduce` from its nodes.
pub(super) fn finish_reduce(
    kernel: &Kernel,
    folds: &[Fold],
    form: Form,
    nodes: TableData,
    put: impl FnOnce(&TableData) -> DeviceResult<()>,
) -> DeviceResult<Outcome> {
    if form == Form::Partial {
        put(&nodes)?;
        return Ok(Outcome { nodes: nodes.rows, ..Outcome::default() });
    }
    let partial = Partial { rows: TableData::default(), nodes };
    match interpret::finish(kernel, partial.clone()) {
        Ok(table) => {
            put(&table)?;
            Ok(Outcome { rows: table.rows, ..Outcome::default() })
        }
        Err(_) => {
            let fold = faulty_fold(kernel, folds, &partial.nodes);
            Ok(Outcome { fault: Some(FaultLocation::Fold(fold)), ..Outcome::default() })
        }
    }
}

/// The first fold whose final value does not fit, found by finishing each one alone.
fn faulty_fold(kernel: &Kernel, folds: &[Fold], nodes: &TableData) -> usize {
    let faults = |(number, fold): (usize, &Fold)| {
        let alone = Kernel { sink: Sink::Reduce { folds: vec![*fold] }, ..kernel.clone() };
        let columns = [0, 1, 2 + number].map(|column| nodes.columns[column].clone()).to_vec();
        let nodes = TableData { columns, rows: nodes.rows };
        interpret::finish(&alone, Partial { rows: TableData::default(), nodes }).is_err()
    };
    folds.iter().enumerate().position(faults).unwrap_or(0)
}
