//! What came of a launch: status words and nodes are read back, faults found, folds finished by the interpreter's own
//! rules, and their columns written into the outputs.

use super::bound::HostOutput;
use super::gpu::Gpu;
use super::launch::{Range, STATUS_WORDS};
use super::pace::Clock;
use super::program::Program;
use super::reading::Reading;
use super::times::{TIME_WORDS, between};
use super::tree::Covering;
use super::writing::write_few;
use crate::convert::to_buffers;
use crate::launch::{Faulted, Form, Outcome};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::data::TableData;
use pointsman_ir::interpret::{self, Partial};
use pointsman_ir::kernel::{Fold, Kernel, LEAF_ROWS, Sink, StreamingSink};
use pointsman_ir::render::wgsl::NodeWords;
use pointsman_ir::types::Scalar;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the status words say instead of the number of a fold that does not fit.
const NO_FOLD: u32 = 0xffff;

/// A launch under way.
pub(super) struct Running {
    pub(super) program: Arc<Program>,
    pub(super) node: Option<NodeWords>,
    pub(super) form: Form,
    pub(super) rows: usize,
    pub(super) first_row: u64,
    pub(super) ranges: Vec<Range>,
    /// The status words, the nodes of `covering`, and those of the first leaves.
    pub(super) reading: Reading,
    /// Nodes that make up the result.
    pub(super) covering: Vec<Covering>,
    /// Leaves whose nodes are part of the result.
    pub(super) leaves: usize,
    /// Whose time the launch is timed by, if it is; the device's lies behind everything else that is read.
    pub(super) clock: Option<Clock>,
    pub(super) submitted: Instant,
    /// Status words that are read.
    pub(super) status_words: usize,
    /// Outputs that the host writes.
    pub(super) outputs: Vec<HostOutput>,
}

impl Running {
    /// Whether the outputs are there only once the host has written them.
    pub(super) fn needs_host(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Whether the host must still write to one of these buffers.
    pub(super) fn writes_to(&self, buffers: &[wgpu::Buffer]) -> bool {
        let validity = self.outputs.iter().flat_map(|output| &output.validity);
        self.outputs.iter().map(|output| &output.values).chain(validity).any(|(own, _)| buffers.contains(own))
    }

    /// Whether the device still works at it; one that is lost does not.
    pub(super) fn is_under_way(&self, gpu: &Gpu) -> bool {
        self.reading.is_under_way(gpu)
    }

    /// Waits, and does what is left to do.
    pub(super) fn finish(&self, gpu: &Gpu, patience: Duration) -> DeviceResult<Outcome> {
        let words = self.reading.finish_words(gpu, patience)?;
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
            Some(StreamingSink::Compact { .. } | StreamingSink::Scan { .. }) => self.moved(gpu, nodes),
            None => Err(DeviceError::new(DeviceErrorKind::Internal, "a launch of a sink without code")),
        }
    }

    /// Tells the program how long the launch took; what else was read.
    fn note_time<'a>(&self, gpu: &Gpu, words: &'a [u32]) -> &'a [u32] {
        let Some(clock) = self.clock else { return words };
        let (words, took) = match clock {
            Clock::Host => (words, self.submitted.elapsed()),
            Clock::Device => {
                let (words, times) = words.split_at(words.len() - TIME_WORDS);
                (words, between(gpu, times))
            }
        };
        self.program.pace.saw(self.rows as u64, took, clock);
        words
    }

    /// The smallest faulting row, or the first fold that does not fit.
    fn fault(&self, status: &[u32]) -> Option<Faulted> {
        let words = status.chunks_exact(STATUS_WORDS as usize);
        let row = words.clone().zip(&self.ranges).find(|(words, _)| words[0] != 0);
        if let Some((words, range)) = row {
            return Some(Faulted::Row(self.first_row + range.start + u64::from(!words[0])));
        }
        let fold = words.map(|words| words[1]).max().filter(|&fold| fold != 0)?;
        Some(Faulted::Fold((NO_FOLD - fold) as usize))
    }

    fn node(&self) -> DeviceResult<&NodeWords> {
        let missing = || DeviceError::new(DeviceErrorKind::Internal, "a launch without a tree");
        self.node.as_ref().ok_or_else(missing)
    }

    fn moved(&self, gpu: &Gpu, words: &[u32]) -> DeviceResult<Outcome> {
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
        self.put(gpu, &table)?;
        Ok(Outcome { rows, nodes: table.rows, fault: None })
    }

    fn reduce(&self, gpu: &Gpu, words: &[u32], folds: &[Fold]) -> DeviceResult<Outcome> {
        let node = self.node()?;
        let mut table = TableData::empty(&self.program.kernel.partial().nodes);
        for (covering, words) in self.covering.iter().zip(words.chunks_exact(node.len().max(1))) {
            let mut row = vec![Some(Scalar::U8(covering.level as u8)), Some(Scalar::U64(covering.index))];
            row.extend(node.accumulators(words));
            table.push(&row);
        }
        reduced(&self.program.kernel, folds, self.form, table, |table| self.put(gpu, table))
    }

    /// Writes a table's columns into the outputs.
    fn put(&self, gpu: &Gpu, table: &TableData) -> DeviceResult<()> {
        put(gpu, &self.outputs, table)
    }
}

/// Writes a table's columns into outputs.
pub(super) fn put(gpu: &Gpu, outputs: &[HostOutput], table: &TableData) -> DeviceResult<()> {
    for (output, column) in outputs.iter().zip(&table.columns) {
        let (values, validity) = to_buffers(column);
        write_few(gpu, &output.values.0, output.values.1, &values)?;
        if let (Some((buffer, offset)), Some(bits)) = (&output.validity, validity) {
            write_few(gpu, buffer, *offset, &bits)?;
        }
    }
    Ok(())
}

/// Finishes a `reduce` from its nodes.
pub(super) fn reduced(
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
            Ok(Outcome { fault: Some(Faulted::Fold(fold)), ..Outcome::default() })
        }
    }
}

/// The first fold whose finished value does not fit, found by finishing each alone.
fn faulty_fold(kernel: &Kernel, folds: &[Fold], nodes: &TableData) -> usize {
    let faults = |(number, fold): (usize, &Fold)| {
        let alone = Kernel { sink: Sink::Reduce { folds: vec![*fold] }, ..kernel.clone() };
        let columns = [0, 1, 2 + number].map(|column| nodes.columns[column].clone()).to_vec();
        let nodes = TableData { columns, rows: nodes.rows };
        interpret::finish(&alone, Partial { rows: TableData::default(), nodes }).is_err()
    };
    folds.iter().enumerate().position(faults).unwrap_or(0)
}
