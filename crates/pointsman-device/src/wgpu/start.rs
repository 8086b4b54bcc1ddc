//! How a launch starts: it is checked, its memory bound, its ranges encoded, and what is to be read back queued.

use super::bound::{Binder, HostOutput, check_output, outputs, value_bits};
use super::buffers::VECTOR_BYTES;
use super::launch::{Encoding, STATUS_WORDS, check_whole, ranges, rows_max};
use super::outcome::{Running, put, reduced};
use super::program::Program;
use super::tree::{Covering, Tree};
use super::{State, WgpuDevice};
use crate::launch::{Form, Launch, Outcome};
use crate::{DeviceError, DeviceResult};
use pointsman_ir::data::TableData;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, Sink, StreamingSink};
use pointsman_ir::render::wgsl::{COUNT_BITS, FINISHED_WORDS, WgslSource};
use pointsman_ir::types::Type;
use std::sync::Arc;
use std::time::Instant;

impl WgpuDevice {
    /// Checks and starts a launch.
    pub(super) fn start(&self, program: Arc<Program>, launch: &Launch<'_, '_>) -> DeviceResult<State> {
        let kernel = &program.kernel;
        launch.check(kernel)?;
        if u32::try_from(launch.rows).is_err() {
            return Err(DeviceError::unsupported("launches of 2^32 rows and more"));
        }
        let host_outputs = self.host_outputs(kernel, launch)?;
        if launch.rows == 0 {
            return self.over_nothing(kernel, launch, &host_outputs).map(|outcome| State::Done(Ok(outcome)));
        }
        let mut pipelines = program.pipelines(&self.gpu, launch.form, self.target)?;
        if pipelines.source.is_single_pass() && !self.fits_one_pass(kernel, launch) {
            pipelines = program.wide(&self.gpu, self.target)?;
        }
        let tree = tree(kernel, launch);
        let nodes = tree.map(|tree| self.nodes(tree, kernel, launch.rows, &pipelines.source)).transpose()?;
        let align = self.info.capabilities.range_align;
        let (gpu, buffers, scratch, source) = (&self.gpu, &self.buffers, &self.scratch, &pipelines.source);
        let bindings = Binder { gpu, buffers, scratch, align, kernel, source, launch }.bind(nodes)?;
        check_whole(&bindings, self.limits)?;
        let bits = bindings.bound.iter().filter_map(|bound| bound.row_bits);
        let by_time = program.pace.rows_max(self.limits.operations / program.row_cost);
        let most = rows_max(self.limits, bits, by_time, pipelines.source.group_rows)
            .min(self.options.dispatch_rows_max.unwrap_or(u64::MAX));
        let ranges = ranges(launch.rows as u64, most);
        let status_bytes = 4 * u64::from(STATUS_WORDS) * ranges.len() as u64;
        let status = scratch.status(gpu, status_bytes)?;
        let (limits, first_row, rows) = (self.limits, launch.first_row, launch.rows as u64);
        let (finished, by_host) = by_device(kernel, launch, host_outputs)?;
        let timed = program.pace.asks(rows);
        let encoding = Encoding {
            timed,
            gpu,
            scratch,
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
        let running = read_back(&program, launch, &encoding, by_host)?;
        Ok(State::Running(Box::new(running)))
    }

    /// Whether one pass can place the rows: they can be counted, and every output is one binding.
    fn fits_one_pass(&self, kernel: &Kernel, launch: &Launch<'_, '_>) -> bool {
        let bytes = |(ty, room): (Type, usize)| (room as u64 * value_bits(ty.dtype.repr())).div_ceil(8);
        let largest = outputs(kernel, launch.form, launch.rows).into_iter().map(bytes).max().unwrap_or(0);
        launch.rows < 1 << COUNT_BITS && largest.next_multiple_of(VECTOR_BYTES) <= self.limits.binding_bytes
    }

    /// Outputs that the host writes.
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

    fn over_nothing(&self, kernel: &Kernel, launch: &Launch<'_, '_>, outputs: &[HostOutput]) -> DeviceResult<Outcome> {
        let Sink::Reduce { folds } = &kernel.sink else { return Ok(Outcome::default()) };
        let nodes = TableData::empty(&kernel.partial().nodes);
        reduced(kernel, folds, launch.form, nodes, |table| put(&self.gpu, outputs, table))
    }

    /// Memory for the levels of a tree, and for what lies before each leaf.
    fn nodes(
        &self,
        tree: Tree,
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

/// Where a whole fold's finished values go, with their bytes; else outputs that the host writes.
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

/// Encodes and submits a launch, and queues the reads that tell what came of it: the status words, then nodes.
fn read_back(
    program: &Arc<Program>,
    launch: &Launch<'_, '_>,
    encoding: &Encoding<'_>,
    outputs: Vec<HostOutput>,
) -> DeviceResult<Running> {
    let node = encoding.pipelines.source.node.clone();
    let node_bytes = node.as_ref().map_or(0, |node| 4 * node.len() as u64);
    let first_leaf = launch.first_row / LEAF_ROWS as u64;
    let status_bytes = if encoding.pipelines.source.uses_status { encoding.status_bytes() } else { 0 };
    let mut parts = vec![(&encoding.status, 0, status_bytes)];
    parts.retain(|&(.., bytes)| bytes > 0);
    let (mut covering, mut leaves) = (Vec::new(), 0);
    if let Some(tree) = encoding.tree.filter(|_| node_bytes > 0 && encoding.finished.is_none()) {
        let source = &encoding.pipelines.source;
        let last = (launch.rows as u64 - 1) / u64::from(source.group_rows);
        let root = Covering { level: 0, index: 0, at: if source.is_single_pass() { last } else { tree.root() } };
        // Nodes outside the rows count as nothing: the root is the whole result.
        covering = if source.moves() { vec![root] } else { tree.covering(first_leaf) };
        for one in &covering {
            parts.push((encoding.nodes()?, one.at * node_bytes, node_bytes));
        }
        if source.moves() && !outputs.is_empty() {
            leaves = tree.leaves as usize;
            parts.push((encoding.nodes()?, 0, node_bytes * u64::from(tree.leaves)));
        }
    }
    let clock = if encoding.timed { Some(encoding.scratch.times.clock()) } else { None };
    parts.extend(encoding.scratch.times.resolved().filter(|_| encoding.timed));
    Ok(Running {
        clock,
        submitted: Instant::now(),
        program: Arc::clone(program),
        node,
        form: launch.form,
        rows: launch.rows,
        first_row: launch.first_row,
        ranges: encoding.ranges.clone(),
        reading: encoding.encode()?.submit_reading(&parts)?,
        status_words: status_bytes as usize / 4,
        covering,
        leaves,
        outputs,
    })
}

/// The leaf tree of a launch. Rows that are only counted may start inside a leaf: the launch's own leaves join then.
fn tree(kernel: &Kernel, launch: &Launch<'_, '_>) -> Option<Tree> {
    let leaves = launch.rows.div_ceil(LEAF_ROWS) as u32;
    match kernel.sink.streaming()? {
        StreamingSink::Store { .. } => None,
        StreamingSink::Compact { .. } => Some(Tree::new(0, leaves)),
        StreamingSink::Reduce { .. } | StreamingSink::Scan { .. } => {
            Some(Tree::new(launch.first_row / LEAF_ROWS as u64, leaves))
        }
    }
}
