//! Starts a launch: checks it, binds its memory, encodes its ranges and queues the reads of its outcome.

use super::bindings::{Binder, HostOutput, check_output, outputs, value_bits};
use super::buffers::{VECTOR_BYTES, create};
use super::command_batch::Context;
use super::encode::{Encoding, STATUS_WORDS, check_whole, ranges, rows_max};
use super::leaf_tree::{CoveringNode, LeafTree};
use super::outcome::{WgpuLaunch, finish_reduce, write_columns};
use super::program::WgpuProgram;
use super::running::RunningLaunch;
use super::scratch::{BufferPart, RESULTS_USAGE};
use super::submission::Submission;
use super::{LaunchState, WgpuDevice};
use crate::call_limit;
use crate::launch::{Form, Launch, Outcome};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::data::TableData;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink, StreamingSink};
use pointsman_ir::render::wgsl::{Binding, COUNT_BITS, FINISHED_WORDS, WgslSource};
use pointsman_ir::types::Type;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

impl WgpuDevice {
    /// Checks and starts the launch of a kernel.
    pub(super) fn start_kernel(&self, program: Arc<WgpuProgram>, launch: &Launch<'_, '_>) -> DeviceResult<LaunchState> {
        let kernel = &program.kernel;
        launch.check(kernel)?;
        if u32::try_from(launch.rows).is_err() {
            return Err(DeviceError::unsupported("launches of 2^32 rows and more"));
        }
        let host_outputs = self.host_outputs(kernel, launch)?;
        if launch.rows == 0 {
            return self.launch_no_rows(kernel, launch, &host_outputs).map(|outcome| LaunchState::Done(Ok(outcome)));
        }
        let mut pipelines = program.pipelines(&self.gpu, launch.form, self.target)?;
        if pipelines.source.is_single_pass() && !self.fits_one_pass(kernel, launch) {
            pipelines = program.multi_pass(&self.gpu, self.target)?;
        }
        let tree = tree(kernel, launch);
        let nodes = tree.map(|tree| self.nodes(tree, kernel, launch.rows, &pipelines.source)).transpose()?;
        let align = self.info.capabilities.range_align;
        let (gpu, buffers, scratch, source) = (&self.gpu, &self.buffers, &self.scratch, &pipelines.source);
        let mut bindings = Binder { gpu, buffers, scratch, align, kernel, source, launch }.bind(nodes)?;
        check_whole(&bindings, self.limits)?;
        let bits = bindings.bound.iter().filter_map(|bound| bound.row_bits);
        let by_time = program.dispatch_tuner.rows_max(self.limits.operations / program.row_cost);
        let most = rows_max(self.limits, bits, by_time, pipelines.source.group_rows)
            .min(self.options.dispatch_rows_max.unwrap_or(u64::MAX));
        let ranges = ranges(launch.rows as u64, most);
        let status_bytes = 4 * u64::from(STATUS_WORDS) * ranges.len() as u64;
        let is_split = ranges.len() > 1;
        let is_submitted_later = call_limit::is_set() && !pipelines.is_warm.load(Ordering::Relaxed);
        let has_own_memory = is_split || is_submitted_later;
        let status = if !has_own_memory {
            scratch.status(gpu, status_bytes)?
        } else {
            for bound in bindings.bound.iter_mut().filter(|bound| bound.binding == Binding::Nodes) {
                bound.buffer = create(gpu, bound.bytes, RESULTS_USAGE)?;
            }
            create(gpu, status_bytes, RESULTS_USAGE)?
        };
        let (limits, first_row, rows) = (self.limits, launch.first_row, launch.rows as u64);
        let (finished, by_host) = by_device(kernel, launch, host_outputs)?;
        // Timestamps are shared scratch memory too; the first piece of a launch writes and reads them at once.
        let timed = is_split || program.dispatch_tuner.should_time(rows) && !has_own_memory;
        let encoding = Encoding {
            timed,
            has_own_memory,
            limits,
            pipelines,
            bindings,
            ranges,
            first_row,
            rows,
            tree,
            status,
            finished,
        };
        let mut running = Box::new(read_back(Context { gpu, scratch }, &program, launch, encoding, by_host)?);
        if is_submitted_later {
            return Ok(LaunchState::Encoded(RunningLaunch::Kernel(running)));
        }
        running.submission.submit_first(Context { gpu, scratch })?;
        Ok(LaunchState::Running(RunningLaunch::Kernel(running)))
    }

    /// Whether one pass can place the rows: they can be counted, and every output fits one binding.
    fn fits_one_pass(&self, kernel: &Kernel, launch: &Launch<'_, '_>) -> bool {
        let bytes = |(ty, room): (Type, usize)| (room as u64 * value_bits(ty.dtype.repr())).div_ceil(8);
        let largest = outputs(kernel, launch.form, launch.rows).into_iter().map(bytes).max().unwrap_or(0);
        launch.rows < 1 << COUNT_BITS && largest.next_multiple_of(VECTOR_BYTES) <= self.limits.binding_bytes
    }

    /// The outputs that the host writes.
    fn host_outputs(&self, kernel: &Kernel, launch: &Launch<'_, '_>) -> DeviceResult<Vec<HostOutput>> {
        let by_host = match (&kernel.sink, launch.form) {
            (Sink::Reduce { .. }, _) => 0,
            (Sink::Scan { .. }, Form::Partial) => kernel.partial().rows.len(),
            _ => return Ok(Vec::new()),
        };
        let types = outputs(kernel, launch.form, launch.rows);
        let sides = launch.outputs.iter().zip(types).skip(by_host);
        sides.map(|(output, (ty, room))| check_output(output, ty, room, &self.buffers)).collect()
    }

    fn launch_no_rows(
        &self,
        kernel: &Kernel,
        launch: &Launch<'_, '_>,
        outputs: &[HostOutput],
    ) -> DeviceResult<Outcome> {
        let Sink::Reduce { folds } = &kernel.sink else { return Ok(Outcome::default()) };
        let nodes = TableData::empty(&kernel.partial().nodes);
        finish_reduce(kernel, folds, launch.form, nodes, |table| write_columns(&self.gpu, outputs, table))
    }

    /// Memory for the levels of a tree, and for the carry into each leaf.
    fn nodes(
        &self,
        tree: LeafTree,
        kernel: &Kernel,
        rows: usize,
        source: &WgslSource,
    ) -> DeviceResult<(wgpu::Buffer, u64)> {
        let carries = if source.entries.contains(&"carry") { u64::from(tree.leaves) } else { 0 };
        let words = source.node.as_ref().map_or(0, |node| node.len() as u64);
        let tiles = rows.div_ceil(source.group_rows as usize) as u64;
        let nodes = if source.is_single_pass() { tiles } else { tree.nodes() + carries };
        let folds = if let Sink::Reduce { folds } = &kernel.sink { folds.len() as u64 } else { 0 };
        let bytes = (4 * (words * nodes + u64::from(FINISHED_WORDS) * folds)).next_multiple_of(VECTOR_BYTES);
        Ok((self.scratch.nodes(&self.gpu, bytes)?, bytes))
    }
}

/// The outputs of a whole fold's final values, with their sizes; otherwise the outputs that the host writes.
#[expect(clippy::type_complexity, reason = "two lists of which one is empty")]
fn by_device(
    kernel: &Kernel,
    launch: &Launch<'_, '_>,
    outputs: Vec<HostOutput>,
) -> DeviceResult<(Option<Vec<(HostOutput, u64)>>, Vec<HostOutput>)> {
    if launch.form == Form::Partial || !kernel.sink.gives_one_row() {
        return Ok((None, outputs));
    }
    let places = outputs.iter().flat_map(|one| [Some(&one.values), one.validity.as_ref()]).flatten();
    if let Some((_, offset)) = places.into_iter().find(|(_, offset)| !offset.is_multiple_of(4)) {
        return Err(DeviceError::invalid(format!("an output at byte {offset}, which is no multiple of 4")));
    }
    let bytes = kernel.output().into_iter().map(|ty| value_bits(ty.dtype.repr()).div_ceil(8));
    Ok((Some(outputs.into_iter().zip(bytes).collect()), Vec::new()))
}

/// Encodes a launch with the reads of its outcome: the status words, then nodes.
fn read_back(
    context: Context<'_>,
    program: &Arc<WgpuProgram>,
    launch: &Launch<'_, '_>,
    encoding: Encoding,
    outputs: Vec<HostOutput>,
) -> DeviceResult<WgpuLaunch> {
    let node = encoding.pipelines.source.node.clone();
    let node_bytes = node.as_ref().map_or(0, |node| 4 * node.len() as u64);
    let first_leaf = launch.first_row / LEAF_ROWS as u64;
    let status_bytes = if encoding.pipelines.source.uses_status { encoding.status_bytes() } else { 0 };
    let mut parts = vec![BufferPart { buffer: encoding.status.clone(), offset: 0, bytes: status_bytes }];
    parts.retain(|part| part.bytes > 0);
    let nodes_part = |offset: u64, bytes: u64| -> DeviceResult<BufferPart> {
        Ok(BufferPart { buffer: encoding.nodes()?.clone(), offset, bytes })
    };
    let (mut covering, mut leaves) = (Vec::new(), 0);
    if let Some(tree) = encoding.tree.filter(|_| node_bytes > 0 && encoding.finished.is_none()) {
        let source = &encoding.pipelines.source;
        let last = (launch.rows as u64 - 1) / u64::from(source.group_rows);
        let root = CoveringNode { level: 0, index: 0, at: if source.is_single_pass() { last } else { tree.root() } };
        // Nodes outside the rows hold the identity, so the root is the whole result.
        covering = if source.moves() { vec![root] } else { tree.covering(first_leaf) };
        for one in &covering {
            parts.push(nodes_part(one.at * node_bytes, node_bytes)?);
        }
        if source.moves() && !outputs.is_empty() {
            leaves = tree.leaves as usize;
            parts.push(nodes_part(0, node_bytes * u64::from(tree.leaves))?);
        }
    }
    let times = &context.scratch.times;
    let is_timed = encoding.timed && !encoding.is_split();
    let clock = if is_timed { Some(times.clock()) } else { None };
    parts.extend(times.resolved().filter(|_| is_timed));
    Ok(WgpuLaunch {
        clock,
        submitted: Instant::now(),
        program: Arc::clone(program),
        node,
        form: launch.form,
        rows: launch.rows,
        first_row: launch.first_row,
        submission: Submission::new(context, encoding, parts)?,
        status_words: status_bytes as usize / 4,
        covering,
        leaves,
        outputs,
    })
}

/// The leaf tree of a launch. Rows that are only counted may start inside a leaf: then the launch's own leaves are
/// joined.
fn tree(kernel: &Kernel, launch: &Launch<'_, '_>) -> Option<LeafTree> {
    let leaves = launch.rows.div_ceil(LEAF_ROWS) as u32;
    match kernel.sink.streaming()? {
        StreamingSink::Store { .. } => None,
        StreamingSink::Compact { .. } => Some(LeafTree::new(0, leaves)),
        StreamingSink::Reduce { .. } | StreamingSink::Scan { .. } => {
            Some(LeafTree::new(launch.first_row / LEAF_ROWS as u64, leaves))
        }
    }
}
