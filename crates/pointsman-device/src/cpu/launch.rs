//! Runs one launch on the CPU: reads borrowed columns, writes results and returns an outcome.
//!
//! The rows are split into morsels of whole leaves. Few rows run on the caller's thread, more on the device's threads;
//! the result is the same. Every borrow ends before [`execute`] returns.

use super::block::BLOCK_ROWS;
use super::frame::{BlockEnd, BlockFrame};
use super::input::{Inputs, LaunchInputs, LookupTable};
use super::memory::StagedRanges;
use super::nodes::Nodes;
use super::observed::ObservedLaunch;
use super::ordered_commit::OrderedCommit;
use super::output::{ColumnWriter, ColumnWriters};
use super::program::Program;
use super::sink::{SinkColumn, SinkProgram};
use super::thread_tuner::LaunchTimer;
use super::{CpuShared, compact, reduce, scan, store};
use crate::host::BoolLayout;
use crate::launch::{ColumnOutput, FaultLocation, Form, Launch, Outcome, capacity};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{Scalar, Type};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// A launch while it runs.
pub(super) struct Execution<'a> {
    pub(super) program: &'a Program,
    pub(super) inputs: Inputs<'a>,
    params: &'a [Option<Scalar>],
    pub(super) rows: usize,
    /// Rows per morsel.
    pub(super) morsel_rows: usize,
    /// The smallest row known to fault; `u64::MAX` if none is.
    fault: AtomicU64,
    /// Whether the results are too large for the caches.
    pub(super) streams: bool,
    /// The observer of the launch.
    pub(super) observed: Option<&'a ObservedLaunch<'a>>,
    /// The maximum number of threads.
    threads: usize,
    timer: LaunchTimer,
}

impl Execution<'_> {
    /// Computes a block; false if it faults, if an earlier row is known to fault, or if the launch is stopped.
    pub(super) fn block(&self, frame: &mut BlockFrame, start: usize, n: usize) -> bool {
        if self.faults_before(start) {
            return false;
        }
        match frame.block.run(self, start, n) {
            BlockEnd::Done => true,
            BlockEnd::Fault(row) => {
                self.fault_in(start + row);
                false
            }
            BlockEnd::Stopped => false,
        }
    }

    /// Whether a row before this one is known to fault.
    pub(super) fn faults_before(&self, start: usize) -> bool {
        self.fault.load(Ordering::Relaxed) < start as u64
    }

    /// Records that a row faults.
    pub(super) fn fault_in(&self, row: usize) {
        self.fault.fetch_min(row as u64, Ordering::Relaxed);
    }

    /// Whether the launch should continue: asked before each morsel, and inside those that take long.
    pub(super) fn should_continue(&self) -> bool {
        self.observed.is_none_or(ObservedLaunch::should_continue)
    }

    /// Reports that `rows` more rows are done.
    pub(super) fn rows_done(&self, rows: usize) {
        // A morsel that was stopped is not done.
        if let Some(observed) = self.observed.filter(|observed| !observed.is_stopped()) {
            observed.rows_done(rows);
        }
    }

    /// Whether there is no result to finish: a row faulted, or the launch was stopped.
    pub(super) fn is_void(&self) -> bool {
        self.faulted().is_some() || self.observed.is_some_and(ObservedLaunch::is_stopped)
    }

    /// The number of the leaf whose first row is `start`.
    pub(super) fn leaf(&self, start: usize) -> u64 {
        (self.inputs.first_row + start as u64) / LEAF_ROWS as u64
    }

    /// The rows of a morsel.
    fn morsel(&self, number: usize) -> Range<usize> {
        let start = number * self.morsel_rows;
        start..self.rows.min(start.saturating_add(self.morsel_rows))
    }

    /// The source row that faulted.
    pub(super) fn faulted(&self) -> Option<FaultLocation> {
        let row = self.fault.load(Ordering::Relaxed);
        (row != u64::MAX).then(|| FaultLocation::Row(self.inputs.first_row + row))
    }
}

/// The blocks of a range, each as its first row and its number of rows.
pub(super) fn blocks(rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let end = rows.end;
    rows.step_by(BLOCK_ROWS).map(move |start| (start, BLOCK_ROWS.min(end - start)))
}

static NO_RANGES: StagedRanges = StagedRanges::NONE;

/// Runs a launch.
pub(super) fn execute(
    shared: &CpuShared,
    program: &Program,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Outcome> {
    let outputs_wanted = match launch.form {
        Form::Whole => program.output.len(),
        Form::Partial => program.partial.rows.len() + program.partial.nodes.len(),
    };
    launch.check_against(&program.kernel, outputs_wanted)?;
    if launch.is_host_only() {
        return run_on(shared, program, launch, observed, &NO_RANGES, None, None);
    }
    execute_staged(shared, program, launch, observed)
}

/// The threads of a part of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartThreads {
    /// As many as are fastest.
    Any,
    /// The calling one, which is one of several that run parts.
    One,
}

/// What a launch prepared for its parts.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    /// The tables that they look up.
    pub(super) tables: &'a [LookupTable<'a>],
    pub(super) threads: PartThreads,
}

/// Runs a launch over columns in host memory whose tables were prepared before.
pub(super) fn execute_prepared(
    shared: &CpuShared,
    program: &Program,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
    prepared: Prepared<'_>,
) -> DeviceResult<Outcome> {
    let mut staged = shared.buffers.outputs(launch.outputs)?;
    let outcome = run_on(shared, program, launch, observed, &NO_RANGES, Some(&mut staged), Some(prepared))?;
    shared.buffers.commit(&staged)?;
    Ok(outcome)
}

/// Runs a launch with columns in device buffers, on copies of them.
#[cold]
fn execute_staged(
    shared: &CpuShared,
    program: &Program,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Outcome> {
    let staged = shared.buffers.inputs(LaunchInputs::of(launch))?;
    let mut staged_outputs = shared.buffers.outputs(launch.outputs)?;
    let outcome = run_on(shared, program, launch, observed, &staged, Some(&mut staged_outputs), None)?;
    shared.buffers.commit(&staged_outputs)?;
    Ok(outcome)
}

/// Runs a launch on host memory and on copies of device buffers.
fn run_on(
    shared: &CpuShared,
    program: &Program,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
    staged: &StagedRanges,
    staged_outputs: Option<&mut StagedRanges>,
    prepared: Option<Prepared<'_>>,
) -> DeviceResult<Outcome> {
    let given = LaunchInputs::of(launch);
    let (row_types, node_types) = match launch.form {
        Form::Whole => (&program.output[..], &[][..]),
        Form::Partial => (&program.partial.rows[..], &program.partial.nodes[..]),
    };
    let (row_room, node_room) = capacity(&program.kernel, launch.form, launch.rows);
    let mut outs = ColumnWriters::new();
    outputs(launch.outputs, staged_outputs, row_types, node_types, row_room, node_room, &mut outs)?;
    let streams = outs.iter().map(|out| out.bytes_of(row_room)).fold(0, usize::saturating_add) > shared.cache_bytes;
    let (rows, params, fault) = (launch.rows, launch.params, AtomicU64::new(u64::MAX));
    let alone = prepared.is_some_and(|prepared| prepared.threads == PartThreads::One);
    let (morsel_rows, threads) = match alone {
        true => (rows.next_multiple_of(LEAF_ROWS), 1),
        false => shared.plan_morsels(program, rows, observed.is_some()),
    };
    let inputs = Inputs::unchecked(given, prepared.map(|prepared| prepared.tables));
    let timer = LaunchTimer::start(rows);
    let mut run = Execution { program, inputs, params, rows, morsel_rows, fault, streams, observed, threads, timer };
    run.inputs.check(program, given, staged)?;
    if program.jit_code.is_some() && rows > 0 {
        shared.jit_launches.fetch_add(1, Ordering::Relaxed);
    }
    let mut outcome = run_sink(shared, &run, launch.form, &mut outs)?;
    if observed.is_some_and(ObservedLaunch::is_stopped) {
        return Err(DeviceError::new(DeviceErrorKind::Stopped, "the observer stopped the launch"));
    }
    outcome.fault = run.faulted().or(outcome.fault);
    if outcome.fault.is_some() {
        // How far other threads got before they saw the fault is not part of the outcome.
        (outcome.rows, outcome.nodes) = (0, 0);
    } else {
        outcome.consumed = rows;
        if !alone {
            program.thread_tuner.record(run.timer, rows, threads, &shared.fork_costs);
        }
    }
    Ok(outcome)
}

fn run_sink(
    shared: &CpuShared,
    run: &Execution<'_>,
    form: Form,
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<Outcome> {
    match &run.program.sink {
        SinkProgram::Store(columns) => Ok(run_store(shared, run, columns, outs)),
        SinkProgram::Compact(columns) => run_compact(shared, run, columns, outs),
        SinkProgram::Reduce(folds) => Ok(run_reduce(shared, run, folds, form, outs)),
        SinkProgram::Scan(scan) => scan::execute::execute(shared, run, scan, form, outs),
    }
}

/// Appends a writer for each output: row columns, then node columns. Inlined into the callers: a call would take a
/// noticeable part of a small launch.
#[inline(always)]
pub(super) fn outputs<'a>(
    outputs: &'a mut [ColumnOutput<'_>],
    staged: Option<&'a mut StagedRanges>,
    row_types: &[Type],
    node_types: &[Type],
    row_room: usize,
    node_room: usize,
    outs: &mut ColumnWriters<'a>,
) -> DeviceResult<()> {
    let mut staged = staged.into_iter().flat_map(StagedRanges::room);
    let rows = row_types.iter().map(|ty| (*ty, row_room));
    let types = rows.chain(node_types.iter().map(|ty| (*ty, node_room)));
    for (number, (output, (ty, room))) in outputs.iter_mut().zip(types).enumerate() {
        let out = match output {
            ColumnOutput::Host { values, bools, validity } => {
                ColumnWriter::new(values, *bools, validity.as_deref_mut(), ty, room)
            }
            ColumnOutput::Device { validity, .. } => {
                let values = staged.next().unwrap_or_default();
                let validity = if validity.is_some() { staged.next() } else { None };
                ColumnWriter::new(values, BoolLayout::Bits, validity, ty, room)
            }
        };
        let error =
            |error: DeviceError| DeviceError { message: format!("output {number}: {}", error.message), ..error };
        outs.push(out.map_err(error)?);
    }
    Ok(())
}

/// Calls `f` on every thread that takes part, each with a frame of its own.
pub(super) fn on_threads(shared: &CpuShared, run: &Execution<'_>, morsels: usize, f: impl Fn(&mut BlockFrame) + Sync) {
    let job = || run.program.with_frame(run.params, &f);
    let timed_job = || run.timer.count_busy(job);
    match shared.thread_pool() {
        Some(_) if run.threads <= 1 => job(),
        Some(thread_pool) if morsels > 1 => {
            run.timer.count_parallel(|| thread_pool.run(morsels.min(run.threads) - 1, &timed_job));
        }
        Some(_) | None => job(),
    }
}

/// Splits the outputs of a launch into morsels, from the front.
pub(super) struct OutputSplitter<'a> {
    pub(super) rest: ColumnWriters<'a>,
    pub(super) start: usize,
}

impl<'a> OutputSplitter<'a> {
    /// The next morsel: its rows, and its part of every output in `parts`.
    pub(super) fn next(&mut self, rows: usize, morsel: usize, parts: &mut ColumnWriters<'a>) -> Option<Range<usize>> {
        let range = self.start..rows.min(self.start.saturating_add(morsel));
        if range.is_empty() {
            return None;
        }
        let last = range.end == rows;
        parts.clear();
        parts.extend(self.rest.iter_mut().map(|out| if last { out.split_all() } else { out.split_front(morsel) }));
        self.start = range.end;
        Some(range)
    }
}

/// Takes the next morsel; holds the lock only for that.
pub(super) fn next_morsel<'a>(
    splitter: &Mutex<OutputSplitter<'a>>,
    rows: usize,
    morsel: usize,
    parts: &mut ColumnWriters<'a>,
) -> Option<Range<usize>> {
    splitter.lock().next(rows, morsel, parts)
}

fn run_store(
    shared: &CpuShared,
    run: &Execution<'_>,
    columns: &[SinkColumn],
    outs: &mut [ColumnWriter<'_>],
) -> Outcome {
    let morsel = run.morsel_rows;
    if morsel >= run.rows {
        run.program.with_frame(run.params, |frame| store::morsel(run, frame, columns, 0..run.rows, outs));
        return Outcome { rows: run.rows, ..Outcome::default() };
    }
    let splitter = Mutex::new(OutputSplitter { rest: outs.iter_mut().map(ColumnWriter::reborrow).collect(), start: 0 });
    on_threads(shared, run, run.rows.div_ceil(morsel), |frame| {
        let mut parts = ColumnWriters::new();
        while run.should_continue()
            && let Some(rows) = next_morsel(&splitter, run.rows, morsel, &mut parts)
        {
            let done = rows.len();
            store::morsel(run, frame, columns, rows, &mut parts);
            run.rows_done(done);
        }
    });
    Outcome { rows: run.rows, ..Outcome::default() }
}

fn run_compact(
    shared: &CpuShared,
    run: &Execution<'_>,
    columns: &[SinkColumn],
    outs: &mut [ColumnWriter<'_>],
) -> DeviceResult<Outcome> {
    let morsel = run.morsel_rows;
    let morsels = run.rows.div_ceil(morsel);
    if morsels <= 1 {
        let write = |frame: &mut BlockFrame| compact::morsel(run, frame, columns, 0..run.rows, outs);
        let rows = run.program.with_frame(run.params, write);
        return Ok(Outcome { rows, ..Outcome::default() });
    }
    let bools: SmallVec<[BoolLayout; 4]> = outs.iter().map(ColumnWriter::bools).collect();
    let commits = OrderedCommit::new(morsels, compact::CompactedOutput::new(outs));
    let stage = || compact::CompactedMorsel::new(&shared.pool, columns, &bools, morsel);
    // The first thread gets this memory; other threads help if there is memory for them too.
    let ready = Mutex::new(Some(stage()?));
    on_threads(shared, run, morsels, |frame| {
        let first = ready.lock().take();
        let Some(mut staged) = first.or_else(|| stage().ok()) else { return };
        while run.should_continue()
            && let Some(ticket) = commits.claim()
        {
            let rows = run.morsel(ticket.number());
            let done = rows.len();
            staged.morsel(run, frame, columns, rows, ticket);
            run.rows_done(done);
        }
    });
    Ok(Outcome { rows: commits.into_state().rows(), ..Outcome::default() })
}

fn run_reduce(
    shared: &CpuShared,
    run: &Execution<'_>,
    folds: &[reduce::FoldProgram],
    form: Form,
    outs: &mut [ColumnWriter<'_>],
) -> Outcome {
    let morsel = run.morsel_rows;
    let morsels = run.rows.div_ceil(morsel);
    if morsels <= 1 {
        // With one frame, its nodes are the nodes of the result.
        return run.program.with_frame(run.params, |frame| {
            frame.sink.nodes.clear();
            reduce::morsel(run, frame, folds, 0..run.rows);
            finish_reduce(run, folds, form, &mut frame.sink.nodes, outs)
        });
    }
    // Row numbers determine the tree, so no thread waits for another to hand over its nodes.
    let next = AtomicUsize::new(0);
    let merged = Mutex::new(run.program.merged.take(|| [Nodes::new(folds.len()), Nodes::new(folds.len())]));
    merged.lock()[0].clear();
    on_threads(shared, run, morsels, |frame| {
        frame.sink.nodes.clear();
        frame.sink.nodes.reserve(morsels);
        while run.should_continue() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= morsels {
                break;
            }
            reduce::morsel(run, frame, folds, run.morsel(number));
            run.rows_done(run.morsel(number).len());
        }
        let [all, spare] = &mut **merged.lock();
        all.merge(&frame.sink.nodes, spare);
    });
    let mut merged = merged.into_inner();
    let outcome = finish_reduce(run, folds, form, &mut merged[0], outs);
    run.program.merged.put(merged);
    outcome
}

/// Writes the nodes, or the row that they finish to.
fn finish_reduce(
    run: &Execution<'_>,
    folds: &[reduce::FoldProgram],
    form: Form,
    nodes: &mut Nodes,
    outs: &mut [ColumnWriter<'_>],
) -> Outcome {
    if run.is_void() {
        return Outcome::default();
    }
    if form == Form::Partial {
        for (head, accs) in nodes.iter() {
            let head = [Scalar::U8(head.level), Scalar::U64(head.index)].map(Some);
            let values = head.into_iter().chain(accs.iter().map(|acc| acc.kept()));
            outs.iter_mut().zip(values).for_each(|(out, value)| out.push(value));
        }
        return Outcome { rows: 0, nodes: nodes.len(), ..Outcome::default() };
    }
    let root = nodes.root();
    for (number, (fold, out)) in folds.iter().zip(outs).enumerate() {
        let acc = root.get(number).copied().unwrap_or_else(|| fold.identity());
        match acc.finish(run.program.output[number]) {
            Ok(value) => out.push(value),
            Err(_) => return Outcome { fault: Some(FaultLocation::Fold(number)), ..Outcome::default() },
        }
    }
    Outcome { rows: 1, ..Outcome::default() }
}
