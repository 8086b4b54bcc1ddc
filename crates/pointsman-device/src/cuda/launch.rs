//! Launches: queue a program with its words on a stream, and later read the outcome.
//!
//! A launch whose outcome is known before it runs (a `Store` that cannot fault, or no rows) is done when it is queued:
//! work queued later on the stream sees its outputs. Any other launch has a status block on the card, which is copied
//! to pinned memory after the kernel; [`finish`] waits for that copy.

use super::arguments::{Arguments, Span};
#[cfg(feature = "calls")]
use super::call::BlasHandle;
use super::context::Context;
use super::copies::CopyEngine;
use super::memory::{Block, Memory};
use super::nodes;
use super::pinned::{CHUNK_TIMEOUT, Chunk, PinnedPool};
use super::program::CudaProgram;
use super::scratch::{STATUS_BYTES, ScratchLayout, has_status};
use super::stop_flags::StopFlags;
use super::stream::Stream;
use crate::launch::{FaultLocation, Form, Launch, Outcome};
use crate::sync::Mutex;
use crate::{BufferId, DeviceError, DeviceErrorKind, DeviceResult};
use cudarc::driver::sys;
use pointsman_ir::data::ColumnData;
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::render::cuda::{Kind, Words};
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// Kernels write bitmaps in words of this many bytes.
const BITMAP_WORD_BYTES: u64 = 4;

/// The state that all launches of a card share.
pub(super) struct CudaShared {
    pub(super) context: Arc<Context>,
    pub(super) memory: Arc<Memory>,
    pub(super) copies: CopyEngine,
    /// Pinned memory for status blocks.
    pub(super) statuses: PinnedPool,
    /// For copies that need not wait for a caller's stream.
    pub(super) side_stream: Arc<Stream>,
    pub(super) stop_flags: StopFlags,
    /// The handle of cuBLAS, once a product needs it.
    #[cfg(feature = "calls")]
    pub(super) blas: Mutex<Option<BlasHandle>>,
    #[cfg(feature = "calls")]
    pub(super) multiprocessors: u32,
}

#[cfg(feature = "calls")]
impl Drop for CudaShared {
    fn drop(&mut self) {
        // cuBLAS waits for running kernels.
        if let Some(handle) = self.blas.lock().take()
            && let Ok(_driver) = self.context.wait_for_kernels()
        {
            handle.destroy();
        }
    }
}

/// A launch in flight.
pub(super) struct CudaLaunch {
    status: Chunk,
    stream: Arc<Stream>,
    program: Arc<CudaProgram>,
    form: Form,
    first_row: u64,
    rows: usize,
    leaves: Option<LeafRecords>,
    /// The number of the launch, if its program can stop.
    stop_number: Option<u64>,
    /// The outcome of the work that was queued behind it, unless a row faulted.
    followed_by: Option<Outcome>,
}

/// The leaves of a partial `Reduce`, which become nodes when the kernel is done.
struct LeafRecords {
    scratch: Block,
    records: Span,
    outputs: SmallVec<[(Span, Option<Span>); 4]>,
    /// Keeps the outputs alive, even if their owner frees them.
    held: HeldBlocks,
}

type HeldBlocks = SmallVec<[Arc<Block>; 8]>;

/// The state of a queued launch.
pub(super) enum Queued {
    /// The outcome is known already.
    Known(Outcome),
    /// The status block will hold the outcome.
    Running(Box<CudaLaunch>),
}

#[cfg(feature = "calls")]
impl Queued {
    /// The same launch, with work behind it that has this outcome unless a row of the launch faults.
    pub(super) fn followed_by(self, outcome: Outcome) -> Queued {
        match self {
            Queued::Known(_) => Queued::Known(outcome),
            Queued::Running(running) => {
                Queued::Running(Box::new(CudaLaunch { followed_by: Some(outcome), ..*running }))
            }
        }
    }
}

/// Queues a launch; `find` looks up the device's buffers.
pub(super) fn queue(
    shared: &CudaShared,
    stream: &Arc<Stream>,
    program: &Arc<CudaProgram>,
    launch: &Launch<'_, '_>,
    find: impl Fn(BufferId) -> DeviceResult<Arc<Block>>,
) -> DeviceResult<Queued> {
    let mut held = HeldBlocks::new();
    let arguments = Arguments::new(program, launch, |buffer| {
        let block = find(buffer)?;
        let span = Span { address: block.address(), bytes: block.bytes() };
        held.push(block);
        Ok(span)
    })?;
    let is_reduce = matches!(program.needs.kind, Kind::Reduce { .. });
    let is_partial = launch.form == Form::Partial;
    if launch.rows == 0 && (is_partial || !is_reduce) {
        return Ok(Queued::Known(Outcome::default()));
    }
    let rows = launch.rows as u64;
    let layout = ScratchLayout::of(&program.needs, program.resident_blocks, launch.first_row, rows, is_partial);
    let mark_used = || {
        held.iter().for_each(|block| block.used_by(stream));
        program.used_by(stream);
    };
    mark_used();
    let stop_number = program.needs.can_stop.then(|| shared.stop_flags.next_number());
    let call = KernelCall { shared, stream, program, layout, arguments, stop_number };
    if !has_status(&program.needs) {
        let queued = call.run_with_scratch_of_stream(None);
        mark_used();
        let (rows, consumed) = (launch.rows, launch.rows);
        return queued.map(|()| Queued::Known(Outcome { rows, consumed, ..Outcome::default() }));
    }
    let mut status = shared.statuses.take()?;
    let queued = match is_reduce && is_partial {
        true => call.run_for_leaf_records(&mut status, held.clone()).map(Some),
        false => call.run_with_scratch_of_stream(Some(&mut status)).map(|()| None),
    };
    mark_used();
    let running = running(shared, stream, program, launch, status, queued)?;
    Ok(Queued::Running(Box::new(CudaLaunch { stop_number, ..running })))
}

/// A launch whose parts were queued. If queueing failed, the memory of the status block is given back.
fn running(
    shared: &CudaShared,
    stream: &Arc<Stream>,
    program: &Arc<CudaProgram>,
    launch: &Launch<'_, '_>,
    status: Chunk,
    queued: DeviceResult<Option<LeafRecords>>,
) -> DeviceResult<CudaLaunch> {
    let leaves = match queued {
        Ok(leaves) => leaves,
        Err(error) => {
            shared.statuses.give(status);
            return Err(error);
        }
    };
    let (stream, program) = (stream.clone(), program.clone());
    let (form, first_row, rows) = (launch.form, launch.first_row, launch.rows);
    Ok(CudaLaunch { status, stream, program, form, first_row, rows, leaves, stop_number: None, followed_by: None })
}

/// A checked launch.
struct KernelCall<'a> {
    shared: &'a CudaShared,
    stream: &'a Arc<Stream>,
    program: &'a CudaProgram,
    layout: ScratchLayout,
    arguments: Arguments,
    stop_number: Option<u64>,
}

impl KernelCall<'_> {
    /// Queues the launch with the stream's scratch memory, which consecutive launches reuse.
    fn run_with_scratch_of_stream(mut self, status: Option<&mut Chunk>) -> DeviceResult<()> {
        let mut scratch = self.stream.scratch();
        if scratch.as_ref().map_or(0, Block::bytes) < self.layout.bytes {
            let larger = self.shared.memory.scratch(self.layout.bytes.next_power_of_two())?;
            if let Some(old) = scratch.replace(larger) {
                old.used_by(self.stream);
            }
        }
        let address = scratch.as_ref().map_or(0, Block::address);
        self.run(address, status)
    }

    /// Queues the launch with scratch memory of its own, which is read when the kernel is done.
    fn run_for_leaf_records(mut self, status: &mut Chunk, held: HeldBlocks) -> DeviceResult<LeafRecords> {
        let scratch = self.shared.memory.scratch(self.layout.bytes)?;
        scratch.used_by(self.stream);
        self.run(scratch.address(), Some(status))?;
        let records = Span {
            address: scratch.address() + self.layout.records(),
            bytes: self.layout.leaves * leaf_bytes(&self.program.needs.kind),
        };
        Ok(LeafRecords { scratch, records, outputs: self.arguments.outputs, held })
    }

    /// Queues all parts of the launch: zeroing, the kernel, the copy of the status.
    fn run(&mut self, scratch: u64, status: Option<&mut Chunk>) -> DeviceResult<()> {
        let _driver = self.shared.context.queue()?;
        let queued = self.queue_parts(scratch);
        self.stream.note_work();
        queued?;
        status.map_or(Ok(()), |status| status.fetch(STATUS_BYTES, scratch, self.stream))
    }

    fn queue_parts(&mut self, scratch: u64) -> DeviceResult<()> {
        self.zero(Span { address: scratch, bytes: self.layout.zeroed })?;
        for bits in &self.arguments.bits {
            self.zero(Span { bytes: bits.bytes.next_multiple_of(BITMAP_WORD_BYTES), ..*bits })?;
        }
        let layout = self.layout;
        let words = &mut self.arguments.words;
        words[Words::STATUS] = scratch;
        words[Words::SCRATCH] = scratch + layout.counter();
        words[Words::TILES] = layout.tiles;
        words[Words::BLOCK_SCRATCH] = scratch + layout.blocks();
        if let Some(number) = self.stop_number {
            words[Words::STOP] = self.shared.stop_flags.address(number);
            words[Words::LAUNCH] = number;
        }
        let needs = &self.program.needs;
        let (function, stream) = (self.program.function(), self.stream.raw());
        let mut parameters = [words.as_mut_ptr().cast::<std::ffi::c_void>()];
        let (parameters, none) = (parameters.as_mut_ptr(), std::ptr::null_mut());
        let (grid, threads, shared_bytes) = (layout.grid, needs.threads, needs.shared_bytes);
        // SAFETY: the function takes these words, as many as its kernel says; every address among them lies in a buffer
        // with room for the rows, which `Arguments` checked, and buffers outlive the work that was queued on them.
        let code =
            unsafe { sys::cuLaunchKernel(function, grid, 1, 1, threads, 1, 1, shared_bytes, stream, parameters, none) };
        self.shared.context.check(code, "launching")
    }

    fn zero(&self, span: Span) -> DeviceResult<()> {
        if span.bytes == 0 {
            return Ok(());
        }
        // SAFETY: the bytes lie in a block, or in the slack after it.
        let code = unsafe { sys::cuMemsetD8Async(span.address, 0, span.bytes as usize, self.stream.raw()) };
        self.shared.context.check(code, "zeroing memory")
    }
}

/// Waits for a launch; after a timeout the launch is returned in the error.
pub(super) fn finish(
    shared: &CudaShared,
    mut running: Box<CudaLaunch>,
    timeout: Duration,
) -> Result<DeviceResult<Outcome>, (Box<CudaLaunch>, DeviceError)> {
    match running.status.wait(timeout) {
        Ok(()) => {}
        Err(error) if error.kind == DeviceErrorKind::Timeout => return Err((running, error)),
        Err(error) => {
            shared.statuses.discard(running.status);
            return Ok(Err(error));
        }
    }
    let (words, _) = running.status.bytes()[..STATUS_BYTES].as_chunks::<8>();
    let status = std::array::from_fn(|word| u64::from_le_bytes(words[word]));
    let CudaLaunch { status: chunk, stream, program, form, first_row, rows, leaves, followed_by, .. } = *running;
    shared.statuses.give(chunk);
    if status[Words::STOPPED] == 1 {
        return Ok(Err(DeviceError::new(DeviceErrorKind::Stopped, "the launch was told to stop")));
    }
    let outcome = outcome(program.needs.kind, fold_count(&program), form, rows, status);
    let outcome = followed_by.filter(|_| outcome.fault.is_none()).unwrap_or(outcome);
    let Some(leaves) = leaves.filter(|_| outcome.fault.is_none()) else { return Ok(Ok(outcome)) };
    let nodes = leaves.join(shared, &stream, &program, first_row);
    Ok(nodes.map(|nodes| Outcome { nodes, ..outcome }))
}

/// The abandoned launches that still run.
#[derive(Default)]
pub(super) struct Zombies(Mutex<Vec<CudaLaunch>>);

impl Zombies {
    /// Adds an abandoned launch, and tells all of them to stop.
    pub(super) fn add(&self, shared: &CudaShared, running: CudaLaunch) {
        let mut zombies = self.0.lock();
        zombies.push(running);
        sweep(shared, &mut zombies);
    }

    /// Frees those that are done, and tells the others again to stop; returns how many there are.
    pub(super) fn sweep(&self, shared: &CudaShared) -> usize {
        let mut zombies = self.0.lock();
        sweep(shared, &mut zombies);
        zombies.len()
    }
}

/// Tells an abandoned launch to stop, if its program can.
fn stop(shared: &CudaShared, running: &CudaLaunch) {
    if let Some(number) = running.stop_number {
        shared.stop_flags.set(number);
    }
}

/// Frees the abandoned launches that are done: their status blocks are reused. Tells the others again to stop, since
/// another launch may have overwritten their flag.
fn sweep(shared: &CudaShared, zombies: &mut Vec<CudaLaunch>) {
    for index in (0..zombies.len()).rev() {
        let is_under_way = |error: &DeviceError| error.kind == DeviceErrorKind::Timeout;
        let waited = zombies[index].status.wait(Duration::ZERO);
        if waited.as_ref().is_err_and(is_under_way) {
            stop(shared, &zombies[index]);
            continue;
        }
        let running = zombies.swap_remove(index);
        match waited {
            Ok(()) => shared.statuses.give(running.status),
            Err(_) => shared.statuses.discard(running.status),
        }
    }
}

/// The number of folds that a program finishes.
fn fold_count(program: &CudaProgram) -> usize {
    program.kernel.sink.folds().len()
}

fn leaf_bytes(kind: &Kind) -> u64 {
    match kind {
        Kind::Reduce { leaf_bytes, .. } => *leaf_bytes,
        Kind::Store | Kind::Stream { .. } => 0,
    }
}

/// Decodes a status block. The nodes of a partial `Reduce` are counted later.
fn outcome(kind: Kind, folds: usize, form: Form, rows: usize, status: [u64; Words::STATUS_WORDS]) -> Outcome {
    let fault = match (status[Words::FAULT], status[Words::FOLD_FAULT]) {
        (0, 0) => None,
        (0, left) => Some(FaultLocation::Fold(folds.saturating_sub(left as usize))),
        (row, _) => Some(FaultLocation::Row(!row)),
    };
    if fault.is_some() {
        return Outcome { fault, ..Outcome::default() };
    }
    let (written, consumed) = (status[Words::WRITTEN] as usize, rows);
    let (rows, nodes) = match (kind, form) {
        (Kind::Store, _) => (rows, 0),
        (Kind::Reduce { .. }, Form::Whole) => (1, 0),
        (Kind::Reduce { .. }, Form::Partial) => (0, 0),
        (Kind::Stream { leaves: true, .. }, Form::Partial) => (written, rows.div_ceil(LEAF_ROWS)),
        (Kind::Stream { .. }, _) => (written, 0),
    };
    Outcome { rows, nodes, consumed, ..Outcome::default() }
}

impl LeafRecords {
    /// Joins the leaves on the host and queues the copy of the nodes to the outputs; returns how many there are.
    fn join(
        self,
        shared: &CudaShared,
        stream: &Arc<Stream>,
        program: &CudaProgram,
        first_row: u64,
    ) -> DeviceResult<usize> {
        let mut records = vec![0; self.records.bytes as usize];
        // The kernel is done, so its scratch memory can be read on another stream.
        shared.copies.read(&shared.side_stream, self.records.address, &mut records, CHUNK_TIMEOUT)?;
        let (types, leaf_bytes) = (&program.partial.1, leaf_bytes(&program.needs.kind) as usize);
        let nodes = nodes::join(&program.kernel, types, first_row, &records, leaf_bytes);
        let written = self.write(shared, stream, &nodes.columns);
        // The stream was idle, so the blocks may have dropped it.
        self.held.iter().for_each(|block| block.used_by(stream));
        drop(self.scratch);
        written.map(|()| nodes.rows)
    }

    /// Queues the copy of the nodes to the outputs.
    fn write(&self, shared: &CudaShared, stream: &Stream, columns: &[ColumnData]) -> DeviceResult<()> {
        for ((values, validity), column) in self.outputs.iter().zip(columns) {
            let (bytes, bits) = nodes::column_bytes(column);
            if bytes.len() as u64 > values.bytes {
                return Err(DeviceError::new(DeviceErrorKind::Internal, "more nodes than there is room for"));
            }
            shared.copies.copy_in(stream, &bytes, values.address, 0)?;
            if let (Some(span), Some(bits)) = (validity, bits) {
                shared.copies.copy_in(stream, &bits, span.address, 0)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_blocks_decode_to_outcomes() {
        let (store, reduce) = (Kind::Store, Kind::Reduce { group_bytes: 0, leaf_bytes: 0 });
        let [compact, scan] = [false, true].map(|leaves| Kind::Stream { node_words: 1, leaves });
        let done = |rows, nodes, consumed| Outcome { rows, nodes, consumed, ..Outcome::default() };
        let faulted = |fault| Outcome { fault: Some(fault), ..Outcome::default() };
        assert_eq!(outcome(store, 0, Form::Whole, 9, [0; 4]), done(9, 0, 9));
        assert_eq!(outcome(compact, 0, Form::Whole, 9, [0, 4, 0, 0]), done(4, 0, 9));
        assert_eq!(outcome(compact, 0, Form::Partial, 9000, [0, 4, 0, 0]), done(4, 0, 9000));
        assert_eq!(outcome(scan, 1, Form::Whole, 9000, [0, 4, 0, 0]), done(4, 0, 9000));
        assert_eq!(outcome(scan, 1, Form::Partial, 9000, [0, 4, 0, 0]), done(4, 3, 9000));
        assert_eq!(outcome(reduce, 1, Form::Whole, 9, [0; 4]), done(1, 0, 9));
        assert_eq!(outcome(reduce, 1, Form::Partial, 9, [0; 4]), done(0, 0, 9));
        assert_eq!(outcome(reduce, 3, Form::Whole, 9, [0, 0, 1, 0]), faulted(FaultLocation::Fold(2)));
        assert_eq!(outcome(reduce, 3, Form::Whole, 9, [0, 0, 3, 0]), faulted(FaultLocation::Fold(0)));
        assert_eq!(outcome(store, 0, Form::Whole, 9, [!7, 0, 1, 0]), faulted(FaultLocation::Row(7)));
        assert_eq!(outcome(store, 0, Form::Whole, 9, [u64::MAX, 0, 0, 0]), faulted(FaultLocation::Row(0)));
    }
}
