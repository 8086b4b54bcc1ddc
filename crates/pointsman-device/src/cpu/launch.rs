//! One run of a program: in go borrowed columns, out come written results and an outcome.
//!
//! The rows are cut into morsels of whole leaves. A few rows run on the caller's thread, more on the device's threads;
//! the result is the same. Every borrow ends before [`execute`] returns.

use super::block::BLOCK_ROWS;
use super::frame::Frame;
use super::input::{Given, Inputs};
use super::nodes::Nodes;
use super::output::{Out, Parts};
use super::program::Program;
use super::sink::{Column, SinkProgram};
use super::turns::Turns;
use super::watched::Watched;
use super::{Shared, compact, lock, reduce, scan, store};
use crate::host::BoolLayout;
use crate::launch::{ColumnOutput, Faulted, Form, Launch, Outcome, capacity};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::kernel::LEAF_ROWS;
use pointsman_ir::types::{Scalar, Type};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) program: &'a Program,
    pub(super) inputs: Inputs<'a>,
    params: &'a [Option<Scalar>],
    pub(super) rows: usize,
    /// Rows of a morsel.
    pub(super) morsel_rows: usize,
    /// The smallest row known to fault; `u64::MAX`: none.
    fault: AtomicU64,
    /// Whether the results are too large for the caches.
    pub(super) streams: bool,
    /// Who looks on.
    watched: Option<&'a Watched<'a>>,
    /// How many threads should take part, however many morsels there are.
    threads: usize,
}

impl Run<'_> {
    /// Computes a block; false if it faults, or if an earlier row is known to.
    pub(super) fn block(&self, frame: &mut Frame, start: usize, n: usize) -> bool {
        if self.faults_before(start) {
            return false;
        }
        match frame.block.run(self.program, &self.inputs, start, n) {
            None => true,
            Some(row) => {
                self.fault_in(start + row);
                false
            }
        }
    }

    /// Whether a row before this one is known to fault.
    pub(super) fn faults_before(&self, start: usize) -> bool {
        self.fault.load(Ordering::Relaxed) < start as u64
    }

    /// Takes down that a row faults.
    pub(super) fn fault_in(&self, row: usize) {
        self.fault.fetch_min(row as u64, Ordering::Relaxed);
    }

    /// Whether another morsel should be begun.
    pub(super) fn goes_on(&self) -> bool {
        self.watched.is_none_or(Watched::goes_on)
    }

    /// So many more rows are done.
    pub(super) fn did(&self, rows: usize) {
        if let Some(watched) = self.watched {
            watched.did(rows);
        }
    }

    /// Whether there is nothing to finish: a row faulted, or the launch was ended early.
    pub(super) fn is_void(&self) -> bool {
        self.faulted().is_some() || self.watched.is_some_and(Watched::is_stopped)
    }

    /// The number of the leaf that a row is the first of.
    pub(super) fn leaf(&self, start: usize) -> u64 {
        (self.inputs.first_row + start as u64) / LEAF_ROWS as u64
    }

    /// The rows of a morsel.
    fn morsel(&self, number: usize) -> Range<usize> {
        let start = number * self.morsel_rows;
        start..self.rows.min(start.saturating_add(self.morsel_rows))
    }

    /// The source row that faulted.
    pub(super) fn faulted(&self) -> Option<Faulted> {
        let row = self.fault.load(Ordering::Relaxed);
        (row != u64::MAX).then(|| Faulted::Row(self.inputs.first_row + row))
    }
}

/// The blocks of a range, each as its first row and its number of rows.
pub(super) fn blocks(rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let end = rows.end;
    rows.step_by(BLOCK_ROWS).map(move |start| (start, BLOCK_ROWS.min(end - start)))
}

/// Runs a program; `watched` is who looks on.
pub(super) fn execute(
    shared: &Shared,
    program: &Program,
    launch: &mut Launch<'_, '_>,
    watched: Option<&Watched<'_>>,
) -> DeviceResult<Outcome> {
    let outputs_wanted = match launch.form {
        Form::Whole => program.output.len(),
        Form::Partial => program.partial.rows.len() + program.partial.nodes.len(),
    };
    launch.check_against(&program.kernel, outputs_wanted)?;
    let given = Given {
        first_row: launch.first_row,
        rows: launch.rows,
        columns: launch.columns,
        lists: launch.lists,
        tables: launch.tables,
    };
    let staged = shared.buffers.inputs(given)?;
    let inputs = Inputs::new(program, given, &staged)?;
    let mut staged_outputs = shared.buffers.outputs(launch.outputs)?;
    let types = match launch.form {
        Form::Whole => (&program.output[..], &[][..]),
        Form::Partial => (&program.partial.rows[..], &program.partial.nodes[..]),
    };
    let room = capacity(&program.kernel, launch.form, launch.rows);
    let mut outs = Parts::new();
    outputs(launch.outputs, &mut staged_outputs, types, room, &mut outs)?;
    let streams = outs.iter().map(|out| out.bytes_of(room.0)).fold(0, usize::saturating_add) > shared.cache_bytes;
    if program.emitted.is_some() && launch.rows > 0 {
        shared.emitted.fetch_add(1, Ordering::Relaxed);
    }
    let (rows, params, fault) = (launch.rows, launch.params, AtomicU64::new(u64::MAX));
    let (morsel_rows, threads) = shared.cut(program, rows, watched.is_some());
    let run = Run { program, inputs, params, rows, morsel_rows, fault, streams, watched, threads };
    let clocked = program.pace.start(launch.rows);
    let mut outcome = run_sink(shared, &run, launch.form, &mut outs)?;
    if watched.is_some_and(Watched::is_stopped) {
        return Err(DeviceError::new(DeviceErrorKind::Stopped, "the launch was told to stop"));
    }
    outcome.fault = run.faulted().or(outcome.fault);
    if outcome.fault.is_some() {
        // How far other threads came before they saw the fault is nobody's business.
        (outcome.rows, outcome.nodes) = (0, 0);
    } else {
        program.pace.note(clocked, run.rows, run.threads);
    }
    drop(outs);
    shared.buffers.commit(&staged_outputs)?;
    Ok(outcome)
}

fn run_sink(shared: &Shared, run: &Run<'_>, form: Form, outs: &mut [Out<'_>]) -> DeviceResult<Outcome> {
    match &run.program.sink {
        SinkProgram::Store(columns) => Ok(run_store(shared, run, columns, outs)),
        SinkProgram::Compact(columns) => run_compact(shared, run, columns, outs),
        SinkProgram::Reduce(folds) => Ok(run_reduce(shared, run, folds, form, outs)),
        SinkProgram::Scan(scan) => scan::run::run(shared, run, scan, form, outs),
    }
}

/// Appends the outputs of these types (rows', then nodes'), with room for so many rows and nodes.
fn outputs<'a>(
    outputs: &'a mut [ColumnOutput<'_>],
    staged: &'a mut super::memory::Staged,
    (rows, nodes): (&[Type], &[Type]),
    (row_room, node_room): (usize, usize),
    outs: &mut Parts<'a>,
) -> DeviceResult<()> {
    let mut staged = staged.room();
    let rows = rows.iter().map(|ty| (*ty, row_room));
    let types = rows.chain(nodes.iter().map(|ty| (*ty, node_room)));
    for (number, (output, (ty, room))) in outputs.iter_mut().zip(types).enumerate() {
        let out = match output {
            ColumnOutput::Host { values, bools, validity } => {
                Out::new(values, *bools, validity.as_deref_mut(), ty, room)
            }
            ColumnOutput::Device { validity, .. } => {
                let values = staged.next().unwrap_or_default();
                let validity = if validity.is_some() { staged.next() } else { None };
                Out::new(values, BoolLayout::Bits, validity, ty, room)
            }
        };
        let error =
            |error: DeviceError| DeviceError { message: format!("output {number}: {}", error.message), ..error };
        outs.push(out.map_err(error)?);
    }
    Ok(())
}

/// Calls `f` on every thread that shall take part, each with a frame of its own.
pub(super) fn on_threads(shared: &Shared, run: &Run<'_>, morsels: usize, f: impl Fn(&mut Frame) + Sync) {
    let job = || run.program.with_frame(run.params, &f);
    match shared.crew() {
        Some(crew) if morsels > 1 && run.threads > 1 => crew.run(morsels.min(run.threads) - 1, &job),
        Some(_) | None => job(),
    }
}

/// The output of a launch, cut into morsels from the front.
pub(super) struct Cut<'a> {
    pub(super) rest: Parts<'a>,
    pub(super) start: usize,
}

impl<'a> Cut<'a> {
    /// The next morsel: its rows, and its part of every output in `parts`.
    pub(super) fn next(&mut self, rows: usize, morsel: usize, parts: &mut Parts<'a>) -> Option<Range<usize>> {
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

/// The next morsel. The lock is held no longer than that.
pub(super) fn take<'a>(
    cut: &Mutex<Cut<'a>>,
    rows: usize,
    morsel: usize,
    parts: &mut Parts<'a>,
) -> Option<Range<usize>> {
    lock(cut).next(rows, morsel, parts)
}

fn run_store(shared: &Shared, run: &Run<'_>, columns: &[Column], outs: &mut [Out<'_>]) -> Outcome {
    let morsel = run.morsel_rows;
    if morsel >= run.rows {
        run.program.with_frame(run.params, |frame| store::morsel(run, frame, columns, 0..run.rows, outs));
        return Outcome { rows: run.rows, nodes: 0, fault: None };
    }
    let cut = Mutex::new(Cut { rest: outs.iter_mut().map(Out::reborrow).collect(), start: 0 });
    on_threads(shared, run, run.rows.div_ceil(morsel), |frame| {
        let mut parts = Parts::new();
        while run.goes_on()
            && let Some(rows) = take(&cut, run.rows, morsel, &mut parts)
        {
            let done = rows.len();
            store::morsel(run, frame, columns, rows, &mut parts);
            run.did(done);
        }
    });
    Outcome { rows: run.rows, nodes: 0, fault: None }
}

fn run_compact(shared: &Shared, run: &Run<'_>, columns: &[Column], outs: &mut [Out<'_>]) -> DeviceResult<Outcome> {
    let morsel = run.morsel_rows;
    let morsels = run.rows.div_ceil(morsel);
    if morsels <= 1 {
        let write = |frame: &mut Frame| compact::morsel(run, frame, columns, 0..run.rows, outs);
        let rows = run.program.with_frame(run.params, write);
        return Ok(Outcome { rows, nodes: 0, fault: None });
    }
    let bools: SmallVec<[BoolLayout; 4]> = outs.iter().map(Out::bools).collect();
    let turns = Turns::new(morsels, compact::Written::new(outs));
    let stage = || compact::Staged::new(&shared.pool, columns, &bools, morsel);
    // Whoever comes first has memory; others help if there is some for them too.
    let ready = Mutex::new(Some(stage()?));
    on_threads(shared, run, morsels, |frame| {
        let first = lock(&ready).take();
        let Some(mut staged) = first.or_else(|| stage().ok()) else { return };
        while run.goes_on()
            && let Some(share) = turns.claim()
        {
            let rows = run.morsel(share.number());
            let done = rows.len();
            staged.morsel(run, frame, columns, rows, share);
            run.did(done);
        }
    });
    Ok(Outcome { rows: turns.into_state().rows(), nodes: 0, fault: None })
}

fn run_reduce(
    shared: &Shared,
    run: &Run<'_>,
    folds: &[reduce::FoldProgram],
    form: Form,
    outs: &mut [Out<'_>],
) -> Outcome {
    let morsel = run.morsel_rows;
    let morsels = run.rows.div_ceil(morsel);
    if morsels <= 1 {
        // One frame: its nodes are the result's.
        return run.program.with_frame(run.params, |frame| {
            frame.sink.nodes.clear();
            reduce::morsel(run, frame, folds, 0..run.rows);
            finish_reduce(run, folds, form, &mut frame.sink.nodes, outs)
        });
    }
    // The tree is fixed by the rows' numbers: no thread waits for another to hand its nodes over.
    let next = AtomicUsize::new(0);
    let merged = Mutex::new(run.program.merged.take(|| [Nodes::new(folds.len()), Nodes::new(folds.len())]));
    lock(&merged)[0].clear();
    on_threads(shared, run, morsels, |frame| {
        frame.sink.nodes.clear();
        frame.sink.nodes.reserve(morsels);
        while run.goes_on() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= morsels {
                break;
            }
            reduce::morsel(run, frame, folds, run.morsel(number));
            run.did(run.morsel(number).len());
        }
        let [all, spare] = &mut **lock(&merged);
        all.merge(&frame.sink.nodes, spare);
    });
    let mut merged = merged.into_inner().unwrap_or_else(PoisonError::into_inner);
    let outcome = finish_reduce(run, folds, form, &mut merged[0], outs);
    run.program.merged.put(merged);
    outcome
}

/// Writes nodes, or the row they end in.
fn finish_reduce(
    run: &Run<'_>,
    folds: &[reduce::FoldProgram],
    form: Form,
    nodes: &mut Nodes,
    outs: &mut [Out<'_>],
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
        return Outcome { rows: 0, nodes: nodes.len(), fault: None };
    }
    let root = nodes.root();
    for (number, (fold, out)) in folds.iter().zip(outs).enumerate() {
        let acc = root.get(number).copied().unwrap_or_else(|| fold.nothing());
        match acc.finish(run.program.output[number]) {
            Ok(value) => out.push(value),
            Err(_) => return Outcome { rows: 0, nodes: 0, fault: Some(Faulted::Fold(number)) },
        }
    }
    Outcome { rows: 1, nodes: 0, fault: None }
}
