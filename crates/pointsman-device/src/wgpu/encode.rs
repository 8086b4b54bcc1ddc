//! Encodes a launch as a list of [`Step`]s; most are dispatches over a range of rows.
//!
//! A range of rows ends where a binding would grow too large or a dispatch take too long. If the outputs of a filter or
//! scan do not fit one binding, each range is written separately, after the host has read where its rows begin.

use super::bindings::{Bindings, BoundBuffer, HostOutput};
use super::buffers::VECTOR_BYTES;
use super::command_batch::{CommandBatch, Context};
use super::leaf_tree::LeafTree;
use super::program::Pipelines;
use super::scratch::{BufferPart, KEPT_BYTES};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::render::wgsl::{Binding, FINISHED_WORDS};
use std::collections::VecDeque;
use std::sync::Arc;

/// Status words per range.
pub(super) const STATUS_WORDS: u32 = 4;
/// The maximum number of `join` dispatches of a launch.
const JOINS_MAX: usize = 4;

/// The limits of a dispatch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The largest binding, in bytes.
    pub(super) binding_bytes: u64,
    /// Workgroups per dimension.
    pub(super) groups: u32,
    /// Assumed simple operations per millisecond.
    pub(super) operations: f64,
}

/// Consecutive rows of a launch that one dispatch processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) rows: u32,
}

/// A launch that is being encoded.
pub(super) struct Encoding {
    pub(super) limits: Limits,
    pub(super) pipelines: Arc<Pipelines>,
    pub(super) bindings: Bindings,
    pub(super) ranges: Vec<Range>,
    pub(super) first_row: u64,
    pub(super) rows: u64,
    /// The leaf tree, if the sink has one.
    pub(super) tree: Option<LeafTree>,
    pub(super) status: wgpu::Buffer,
    /// Whether the launch is timed.
    pub(super) timed: bool,
    /// Whether the launch shares no scratch memory with others, because others may be submitted before its last
    /// commands.
    pub(super) has_own_memory: bool,
    /// The outputs of a whole fold's final values, with their sizes in bytes; `None` for other results.
    pub(super) finished: Option<Vec<(HostOutput, u64)>>,
}

/// The maximum number of rows of a dispatch: whole leaves and whole workgroups.
pub(super) fn rows_max(limits: Limits, bits: impl Iterator<Item = u64>, by_time: u64, group_rows: u32) -> u64 {
    let leaf = (LEAF_ROWS as u64).max(group_rows.into());
    // One leaf more than the rows: a range of an output may start inside a leaf.
    let by_bits = |bits: u64| (limits.binding_bytes / VECTOR_BYTES * VECTOR_BYTES * 8 / bits).saturating_sub(leaf);
    let most = bits.map(by_bits).min().unwrap_or(u64::MAX).min(by_time).min(1 << 31);
    (most / leaf * leaf).max(leaf)
}

/// Splits a launch into ranges.
pub(super) fn ranges(rows: u64, most: u64) -> Vec<Range> {
    (0..rows.div_ceil(most)).map(|i| Range { start: i * most, rows: (rows - i * most).min(most) as u32 }).collect()
}

/// The rows of an output that a dispatch binds.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputWindow {
    start: u64,
    rows: u64,
}

/// The commands of a launch that are encoded together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A dispatch over the range of this number.
    Range { entry: &'static str, number: usize, window: OutputWindow },
    /// The dispatches that join the leaves of the tree, and the copies of a fold's final values.
    Join(LeafTree),
    /// The positions of all ranges' rows are read back, and every range is written there.
    WriteAtPositions(LeafTree),
}

impl Encoding {
    /// Whether the launch is submitted in pieces.
    pub(super) fn is_split(&self) -> bool {
        self.ranges.len() > 1
    }

    /// An empty batch with room for the arguments of all dispatches.
    pub(super) fn batch(&self, context: Context<'_>) -> DeviceResult<CommandBatch> {
        let dispatches = 2 * self.ranges.len() + JOINS_MAX + 1;
        CommandBatch::new(context, self.bindings.words.len(), dispatches, self.has_own_memory)
    }

    /// All steps, in order.
    pub(super) fn steps(&self) -> VecDeque<Step> {
        let nothing = OutputWindow { start: 0, rows: 0 };
        let all = OutputWindow { start: 0, rows: self.rows };
        let each_range = |entry: &'static str, window: &dyn Fn(&Range) -> OutputWindow| -> VecDeque<Step> {
            let range = |(number, range)| Step::Range { entry, number, window: window(range) };
            self.ranges.iter().enumerate().map(range).collect()
        };
        let Some(tree) = self.tree else {
            return each_range("store", &|range| OutputWindow { start: range.start, rows: range.rows.into() });
        };
        if self.pipelines.source.is_single_pass() {
            return each_range("compact", &|_| all);
        }
        let mut steps = each_range("leaves", &|_| nothing);
        steps.push_back(Step::Join(tree));
        if self.pipelines.source.entries.contains(&"write") {
            let largest = self.moved().map(|one| one.bytes).max().unwrap_or(0);
            match largest.next_multiple_of(VECTOR_BYTES) <= self.limits.binding_bytes {
                true => steps.extend(each_range("write", &|_| all)),
                false => steps.push_back(Step::WriteAtPositions(tree)),
            }
        }
        steps
    }

    /// The steps that write each range's rows at its position.
    pub(super) fn writes_at(&self, positions: &[u64]) -> VecDeque<Step> {
        let write = |((number, range), position): ((usize, &Range), &u64)| {
            let start = position / LEAF_ROWS as u64 * LEAF_ROWS as u64;
            let rows = (u64::from(range.rows) + LEAF_ROWS as u64).min(self.rows - start.min(self.rows));
            Step::Range { entry: "write", number, window: OutputWindow { start, rows } }
        };
        self.ranges.iter().enumerate().zip(positions).map(write).collect()
    }

    /// Copies the parts of written buffers that are also read, and zeroes memory that must be zero.
    pub(super) fn prepare(&self, batch: &mut CommandBatch) {
        let encoder = batch.encoder();
        for (from, offset, to, bytes) in &self.bindings.copied {
            encoder.copy_buffer_to_buffer(from, *offset, to, 0, *bytes);
        }
        if self.pipelines.source.uses_status {
            encoder.clear_buffer(&self.status, 0, Some(self.status_bytes()));
        }
        let cleared = self.bindings.bound.iter().find(|one| one.binding == Binding::Nodes);
        if let Some(nodes) = cleared.filter(|_| self.pipelines.source.is_single_pass()) {
            encoder.clear_buffer(&nodes.buffer, 0, Some(nodes.bytes));
        }
        for bound in self.bindings.bound.iter().filter(|one| self.pipelines.source.joined.contains(&one.binding)) {
            let bytes = bound.bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
            encoder.clear_buffer(&bound.buffer, bound.offset, Some(bytes));
        }
    }

    /// The size of the status words of all ranges in bytes.
    pub(super) fn status_bytes(&self) -> u64 {
        4 * u64::from(STATUS_WORDS) * self.ranges.len() as u64
    }

    /// Copies the final values of a whole fold from the end of the tree's memory.
    fn copy_finished(&self, batch: &mut CommandBatch, tree: LeafTree) -> DeviceResult<()> {
        let (nodes, first) = (self.nodes()?, 4 * tree.nodes() * self.node_words());
        for (k, (output, bytes)) in (0..).zip(self.finished.iter().flatten()) {
            let at = first + 4 * u64::from(FINISHED_WORDS) * k;
            let (buffer, offset) = &output.values;
            batch.encoder().copy_buffer_to_buffer(nodes, at, buffer, *offset, bytes.next_multiple_of(4));
            if let Some((buffer, offset)) = &output.validity {
                batch.encoder().copy_buffer_to_buffer(nodes, at + 16, buffer, *offset, 4);
            }
        }
        Ok(())
    }

    /// Encodes a dispatch over a range of rows.
    pub(super) fn range(
        &self,
        context: Context<'_>,
        batch: &mut CommandBatch,
        entry: &str,
        number: usize,
        window: OutputWindow,
    ) -> DeviceResult<()> {
        let range = &self.ranges[number];
        let words = self.words(number, range, window);
        let groups = u64::from(range.rows.div_ceil(self.pipelines.source.group_rows));
        self.dispatch(context, batch, entry, range, window, words, groups)
    }

    /// Encodes the dispatches that join the leaves of a tree.
    pub(super) fn join(&self, context: Context<'_>, batch: &mut CommandBatch, tree: LeafTree) -> DeviceResult<()> {
        let Some(first) = self.ranges.first() else { return Ok(()) };
        let nothing = OutputWindow { start: 0, rows: 0 };
        for level in tree.joins() {
            let mut words = self.words(0, first, nothing);
            words[10] = level;
            self.dispatch(context, batch, "join", first, nothing, words, tree.join_groups(level))?;
        }
        if self.pipelines.source.entries.contains(&"carry") {
            let words = self.words(0, first, nothing);
            let groups = u64::from(tree.leaves).div_ceil(u64::from(pointsman_ir::render::wgsl::LANES));
            self.dispatch(context, batch, "carry", first, nothing, words, groups)?;
        }
        self.copy_finished(batch, tree)
    }

    /// The nodes that hold the position of each range's rows: the carries of their first leaves.
    pub(super) fn position_parts(&self, tree: LeafTree) -> DeviceResult<Vec<BufferPart>> {
        let (nodes, bytes) = (self.nodes()?, 4 * self.node_words());
        let part = |range: &Range| BufferPart {
            buffer: nodes.clone(),
            offset: (tree.nodes() + range.start / LEAF_ROWS as u64) * bytes,
            bytes,
        };
        Ok(self.ranges.iter().map(part).collect())
    }

    /// The positions of the ranges' rows, from the words of `position_parts`.
    pub(super) fn positions(&self, words: &[u32]) -> Vec<u64> {
        let Some(node) = &self.pipelines.source.node else { return Vec::new() };
        words.chunks_exact(node.len().max(1)).map(|words| node.count(words).into()).collect()
    }

    /// The outputs whose rows move.
    fn moved(&self) -> impl Iterator<Item = &BoundBuffer> {
        let is_output = |one: &&BoundBuffer| matches!(one.binding, Binding::Output(_) | Binding::OutputValidity(_));
        self.bindings.bound.iter().filter(is_output)
    }

    fn node_words(&self) -> u64 {
        self.pipelines.source.node.as_ref().map_or(0, |node| node.len() as u64)
    }

    /// The memory of the tree.
    pub(super) fn nodes(&self) -> DeviceResult<&wgpu::Buffer> {
        let nodes = self.bindings.bound.iter().find(|one| one.binding == Binding::Nodes);
        nodes.map(|one| &one.buffer).ok_or_else(|| DeviceError::invalid("a launch without a tree"))
    }

    fn words(&self, number: usize, range: &Range, window: OutputWindow) -> Vec<u32> {
        let mut words = self.bindings.words.clone();
        let first = self.first_row + range.start;
        words[0] = range.rows;
        (words[1], words[2]) = (first as u32, (first >> 32) as u32);
        words[4] = (range.start / LEAF_ROWS as u64) as u32;
        words[5] = number as u32 * STATUS_WORDS;
        (words[6], words[7]) = (window.start as u32, window.rows as u32);
        if let Some(tree) = self.tree {
            (words[8], words[9], words[11]) = (tree.first, tree.leaves, tree.nodes() as u32);
            words[6] = if self.finished.is_some() { 1 } else { words[6] };
        }
        words
    }

    /// Encodes one dispatch of `groups` workgroups.
    #[expect(clippy::too_many_arguments, reason = "the parts of one dispatch")]
    fn dispatch(
        &self,
        context: Context<'_>,
        batch: &mut CommandBatch,
        entry: &str,
        range: &Range,
        window: OutputWindow,
        mut words: Vec<u32>,
        groups: u64,
    ) -> DeviceResult<()> {
        let width = groups.min(self.limits.groups.into()).max(1);
        let height = groups.div_ceil(width);
        if height > self.limits.groups.into() {
            return Err(DeviceError::unsupported(format!("{groups} workgroups in one dispatch")));
        }
        words[3] = width as u32;
        let command = format!("{entry} over {} rows from {}, {width} x {height} groups", range.rows, range.start);
        context.gpu.log_command(command);
        let arguments = batch.arguments(&words);
        let group = self.group(context, arguments, range, window, entry)?;
        let mut pass = batch.encoder().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(self.pipelines.entry(entry));
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(width as u32, height as u32, 1);
        Ok(())
    }

    fn group(
        &self,
        context: Context<'_>,
        arguments: BufferPart,
        range: &Range,
        window: OutputWindow,
        entry: &str,
    ) -> DeviceResult<wgpu::BindGroup> {
        let mut parts =
            vec![arguments, BufferPart { buffer: self.status.clone(), offset: 0, bytes: self.status_bytes() }];
        parts.extend(self.bindings.bound.iter().map(|bound| self.part(bound, range, window, entry)));
        let is_large = |one: &BoundBuffer| one.binding == Binding::Nodes && one.bytes > KEPT_BYTES;
        let of_launch = !self.bindings.copied.is_empty() || self.bindings.bound.iter().any(is_large);
        let keep = !of_launch && !self.has_own_memory;
        context.scratch.group(context.gpu, &self.pipelines.layout, parts, keep)
    }

    /// The part of a binding that a dispatch sees.
    fn part(&self, bound: &BoundBuffer, range: &Range, window: OutputWindow, entry: &str) -> BufferPart {
        let is_output = matches!(bound.binding, Binding::Output(_) | Binding::OutputValidity(_));
        let (start, rows) = match bound.row_bits {
            None => return BufferPart { buffer: bound.buffer.clone(), offset: bound.offset, bytes: self.whole(bound) },
            // Entry points that write nothing bind the start of an output.
            Some(_) if is_output && !matches!(entry, "store" | "write" | "compact") => (0, 1),
            Some(_) if is_output => (window.start, window.rows),
            Some(_) => (range.start, range.rows.into()),
        };
        let bits = bound.row_bits.unwrap_or(8);
        let offset = bound.offset + start * bits / 8;
        let bytes = (rows * bits).div_ceil(8).max(1).next_multiple_of(VECTOR_BYTES).min(bound.buffer.size() - offset);
        BufferPart { buffer: bound.buffer.clone(), offset, bytes }
    }

    fn whole(&self, bound: &BoundBuffer) -> u64 {
        bound.bytes.max(1).next_multiple_of(VECTOR_BYTES).min(bound.buffer.size() - bound.offset)
    }
}

/// Checks that bindings that do not depend on the rows fit the limit.
pub(super) fn check_whole(bindings: &Bindings, limits: Limits) -> DeviceResult<()> {
    for bound in bindings.bound.iter().filter(|one| one.row_bits.is_none()) {
        if bound.bytes.next_multiple_of(VECTOR_BYTES) > limits.binding_bytes {
            let message =
                format!("{:?} of {} bytes, where a binding has {}", bound.binding, bound.bytes, limits.binding_bytes);
            return Err(DeviceError::unsupported(message));
        }
    }
    Ok(())
}
