//! One launch of a stage over selected rows: binds its columns, captured lists, parameters and outputs, submits it,
//! waits for it, and counts the bytes that it read. All of `exec/` launches through [`StageLaunch`].
//!
//! A device that works in the host's memory reads borrowed columns in place and has finished with them when `launch`
//! returns. Bound-column lists are built in place: moving them would cost more than a small launch.

use crate::data::chunks::slice;
use crate::data::input::CapturedList;
use crate::data::memory::InlineVec;
use crate::devices::transfer::{DeviceColumn, TransferStream};
use crate::error::{Error, FailureClass, Result};
use crate::exec::context::RunContext;
use crate::exec::footprint::allocate_outputs;
use crate::instrument::counters::RunCounters;
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::instrument::progress::LaunchObserver;
use crate::programs::program::{CompiledStage, Program};
use crate::resilience::cancel::CancellationToken;
use crate::resilience::time_limit::TimeLimit;
use pointsman_device::convert::value_bytes;
use pointsman_device::host::{BoolLayout, HostChunk};
use pointsman_device::launch::capacity;
use pointsman_device::{
    ColumnInput, ColumnOutput, DeviceError, DeviceErrorKind, Form, Launch, LaunchStatus, Outcome, StreamId, TableInput,
};
use pointsman_ir::fuse::StageParam;
use pointsman_ir::interpret::BuiltTable;
use pointsman_ir::kernel::call::CallMismatch;
use pointsman_ir::kernel::{Kernel, Sink};
use pointsman_ir::types::{Repr, Scalar, Type};
use std::ops::Range;
use std::time::Duration;

/// How often a wait for a launch checks whether its query was cancelled.
const CANCELLATION_INTERVAL: Duration = Duration::from_millis(10);
/// How often a device that waits for a batch asks whether others should run it.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A stage over selected of its rows, to be launched.
#[derive(Clone)]
pub(super) struct StageLaunch<'a> {
    pub(super) stage: &'a CompiledStage,
    pub(super) context: &'a RunContext<'a>,
    pub(super) form: Form,
    pub(super) rows: Range<usize>,
    /// The inputs that only relational plans have.
    pub(super) relational: Option<&'a StageInputs<'a>>,
}

/// The inputs of a launch of a relational plan besides its rows.
pub(super) struct StageInputs<'a> {
    /// The scalars of the stage.
    pub(super) params: &'a [Option<Scalar>],
    pub(super) tables: &'a [TableInput<'a>],
    /// The matches of the first row that an earlier launch consumed.
    pub(super) first_match: u64,
    /// The rows that the outputs have room for.
    pub(super) room: usize,
    /// Bytes of the device's memory that tables and indexes take.
    pub(super) held_bytes: u64,
    /// Whether the launch reports its rows while it runs; the others report them when they are done.
    pub(super) reports: bool,
    /// How long the launch may take before other devices should run its rows, by what is known now; `None` if there are
    /// none.
    pub(super) timeout: Option<&'a dyn Fn() -> Duration>,
    /// The tables as the interpreter reads them, to explain a fault.
    pub(super) interpreted: &'a dyn Fn() -> Vec<BuiltTable>,
}

impl<'a> StageLaunch<'a> {
    /// Runs over columns in the host's memory on a device that reads them in place. Row 0 of the columns is the first
    /// row of the launch.
    #[inline(always)]
    pub(super) fn run_in_place(
        &self,
        columns: &[ColumnInput<'_>],
        outputs: &mut [ColumnOutput<'_>],
        observer: Option<&LaunchObserver<'_>>,
        timer: &mut PhaseTimer,
        counters: &mut RunCounters,
    ) -> Result<Outcome> {
        let mut list_chunks: InlineVec<HostChunk<'_>> = InlineVec::new();
        let mut lists: InlineVec<ColumnInput<'_>> = InlineVec::new();
        if !self.stage.lists.is_empty() {
            list_chunks.extend(self.list_chunks());
            lists.extend(list_chunks.iter().map(|chunk| ColumnInput::Host(std::slice::from_ref(chunk))));
        }
        timer.lap(Phase::Bind);
        let status = self.submit(self.context.lease.stream, columns, &lists, outputs, observer)?;
        let outcome = match status {
            LaunchStatus::Done(outcome) => outcome,
            LaunchStatus::Running(_) => {
                LaunchGuard { program: &self.stage.program, status }.wait(self.context.time, self.context.token)?
            }
        };
        timer.lap(Phase::Run);
        if let Some(faulted) = outcome.fault {
            return Err(self.explain(faulted, columns.iter().map(host_chunks)));
        }
        for (column, ty) in columns.iter().zip(&self.stage.kernel.columns) {
            counters.bytes_read += bytes_of(host_chunks(column), *ty);
        }
        if self.counts_lists() {
            for (chunk, dtype) in list_chunks.iter().zip(&self.stage.kernel.lists) {
                counters.bytes_read += bytes_of(std::slice::from_ref(chunk), dtype.required());
            }
        }
        Ok(outcome)
    }

    /// Allocates the outputs in the device's memory, and queues the launch over columns that are in it.
    pub(super) fn submit_on_device(
        self,
        transfer: &TransferStream<'_>,
        columns: &[&DeviceColumn],
        lists: &[&DeviceColumn],
        timer: &mut PhaseTimer,
    ) -> Result<InFlightLaunch<'a>> {
        let output = allocate_outputs(transfer, &self)?;
        let counted_lists = lists.iter().filter(|_| self.counts_lists());
        let bytes_read = columns.iter().chain(counted_lists).map(|column| column.bytes()).sum();
        let nullable = self.stage.kernel.columns.iter().map(|ty| ty.nullable);
        let inputs: InlineVec<ColumnInput<'_>> =
            columns.iter().zip(nullable).map(|(column, nullable)| column.input(nullable)).collect();
        let lists: InlineVec<ColumnInput<'_>> = lists.iter().map(|list| list.input(false)).collect();
        let mut outputs: InlineVec<ColumnOutput<'_>> = output.iter().map(DeviceColumn::output).collect();
        timer.lap(Phase::Bind);
        let status = self.submit(transfer.stream, &inputs, &lists, &mut outputs, None)?;
        let guard = LaunchGuard { program: &self.stage.program, status };
        Ok(InFlightLaunch { guard, columns: Vec::new(), output, stream: transfer.stream, bytes_read, launch: self })
    }

    /// Queues the launch. This is the only call site of `Device::launch` and `Device::launch_observed` on a
    /// query's path.
    #[inline(always)]
    fn submit(
        &self,
        stream: StreamId,
        columns: &[ColumnInput<'_>],
        lists: &[ColumnInput<'_>],
        outputs: &mut [ColumnOutput<'_>],
        observer: Option<&LaunchObserver<'_>>,
    ) -> Result<LaunchStatus> {
        if self.relational.is_some() {
            // Such a stage runs whole; others are checked before they are cut.
            check_call(self.stage, self.context.lists, self.rows.len())?;
        }
        let mut selected: InlineVec<Option<Scalar>> = InlineVec::new();
        let (params, tables, first_match) = match self.relational {
            None => (bind_params(self.stage, self.context.params, &mut selected), &[][..], 0),
            Some(inputs) => (inputs.params, inputs.tables, inputs.first_match),
        };
        let (first_row, rows, form) = (self.rows.start as u64, self.rows.len(), self.form);
        let mut launch = Launch { first_row, rows, first_match, form, columns, params, lists, tables, outputs };
        let program = &*self.stage.program;
        let Some(observer) = observer else {
            return Ok(program.device.launch(stream, program.id, &mut launch)?);
        };
        let launched = program.device.launch_observed(stream, program.id, &mut launch, observer);
        if launched.as_ref().is_err_and(|error| error.kind == DeviceErrorKind::Stopped) {
            // Prefer this error: it says whether a deadline or a cancellation stopped the launch.
            observer.check_limits()?;
        }
        Ok(launched?)
    }

    /// The types of the columns that the launch writes, each with its room in rows.
    pub(super) fn output_types(&self) -> impl Iterator<Item = (Type, usize)> {
        let (rows, nodes) = capacity(&self.stage.kernel, self.form, self.rows.len());
        let rows = self.relational.map_or(rows, |inputs| inputs.room);
        output_types_with(self.stage, self.form, rows, nodes)
    }

    /// The captured lists that the launch reads: whole, but of a table with a part for each chunk of a call only the
    /// parts of its chunks.
    pub(super) fn list_chunks(&self) -> impl Iterator<Item = HostChunk<'a>> {
        let (stage, lists) = (self.stage, self.context.lists);
        let part = table_part(&stage.kernel, self.rows.clone());
        stage.lists.iter().zip(&stage.kernel.lists).enumerate().map(move |(number, (id, dtype))| {
            let whole = lists[id.index()].values.chunk();
            let part = part.iter().find(|(table, _)| *table == number);
            // A table has values, so a part of it is one chunk.
            part.and_then(|(_, rows)| slice(&[whole], *dtype, rows.clone()).first().copied()).unwrap_or(whole)
        })
    }

    /// Whether this launch counts the bytes of the captured lists. Every batch reads them; only the first counts them.
    fn counts_lists(&self) -> bool {
        self.rows.start == 0
    }

    /// The bytes that the launch wrote into these outputs.
    pub(super) fn bytes_written(&self, outputs: &[ColumnOutput<'_>], outcome: Outcome) -> u64 {
        let types = output_types(self.stage, self.form, 0).map(|(ty, _)| ty);
        let bytes = types.zip(self.rows_written(outcome)).zip(outputs).map(|((ty, rows), output)| {
            let bools = match output {
                ColumnOutput::Host { bools, .. } => *bools,
                ColumnOutput::Device { .. } => BoolLayout::Bits,
            };
            let bitmap = if ty.nullable { rows.div_ceil(8) } else { 0 };
            (value_bytes(ty, bools, rows) + bitmap) as u64
        });
        bytes.sum()
    }

    /// How many values the launch wrote to each output: one per row to the first ones, one per node to the others.
    fn rows_written(&self, outcome: Outcome) -> impl Iterator<Item = usize> {
        let row_columns = match self.form {
            Form::Whole => self.stage.output.len(),
            Form::Partial => self.stage.kernel.partial().rows.len(),
        };
        std::iter::repeat_n(outcome.rows, row_columns).chain(std::iter::repeat(outcome.nodes))
    }
}

/// Checks that the rows of a stage are whole chunks of a call, if it has one, and that its captured table has what they
/// need.
#[inline]
pub(super) fn check_call(stage: &CompiledStage, lists: &[CapturedList], rows: usize) -> Result<()> {
    let Sink::Call { call, table, .. } = &stage.kernel.sink else { return Ok(()) };
    let table = table.and_then(|table| stage.lists.get(table.index()));
    let table_rows = table.map_or(0, |id| lists[id.index()].values.chunk().rows);
    let mismatch = |mismatch: CallMismatch| Error::invalid(mismatch.to_string());
    call.check_rows(rows as u64, table_rows as u64).map_err(mismatch)
}

/// A launch of a stage may take some of the rows, cut at multiples of this many.
pub(super) fn cut_rows(stage: &CompiledStage) -> usize {
    match &stage.kernel.sink {
        Sink::Call { call, .. } if !stage.device().cuts_chunks() => {
            usize::try_from(call.rows_in()).unwrap_or(usize::MAX)
        }
        sink => sink.cut_rows(),
    }
}

/// The captured list of which each chunk of a call has a part of its own, by its number in the kernel, and the part of
/// the chunks in these rows; `None` if there is no such list.
pub(super) fn table_part(kernel: &Kernel, rows: Range<usize>) -> Option<(usize, Range<usize>)> {
    let Sink::Call { call, table: Some(table), .. } = &kernel.sink else { return None };
    let part = call.table_part(rows.start as u64..rows.end as u64)?;
    Some((table.index(), part.start as usize..part.end as usize))
}

/// The parameters of a stage: all of the query's, if the stage takes them in order, as most do; else copies in
/// `selected`.
#[inline]
pub(super) fn bind_params<'a>(
    stage: &CompiledStage,
    all: &'a [Option<Scalar>],
    selected: &'a mut InlineVec<Option<Scalar>>,
) -> &'a [Option<Scalar>] {
    if stage.takes_params_in_order && stage.params.len() == all.len() {
        return all;
    }
    selected.extend(stage.params.iter().map(|param| match param {
        StageParam::Given(id) => all[id.index()],
        // The run binds it before the launch: see `StageInputs`.
        StageParam::Row { .. } => None,
    }));
    selected
}

/// The types of the columns that a launch over `rows` rows writes, each with its capacity in rows.
pub(super) fn output_types(stage: &CompiledStage, form: Form, rows: usize) -> impl Iterator<Item = (Type, usize)> {
    let (rows, nodes) = capacity(&stage.kernel, form, rows);
    output_types_with(stage, form, rows, nodes)
}

/// The types of the columns that a launch writes, each with its room: `rows` rows and `nodes` nodes.
fn output_types_with(
    stage: &CompiledStage,
    form: Form,
    rows: usize,
    nodes: usize,
) -> impl Iterator<Item = (Type, usize)> {
    let (row_types, node_types) = match form {
        Form::Whole => (stage.output.clone(), Vec::new()),
        Form::Partial => {
            let schema = stage.kernel.partial();
            (schema.rows, schema.nodes)
        }
    };
    row_types.into_iter().map(move |ty| (ty, rows)).chain(node_types.into_iter().map(move |ty| (ty, nodes)))
}

/// The chunks of a column in the host's memory.
#[inline]
fn host_chunks<'a>(column: &ColumnInput<'a>) -> &'a [HostChunk<'a>] {
    match *column {
        ColumnInput::Host(chunks) => chunks,
        ColumnInput::Device { .. } => &[],
    }
}

/// Bytes of a column's values and bitmap.
#[inline]
fn bytes_of(chunks: &[HostChunk<'_>], ty: Type) -> u64 {
    let bytes = |chunk: &HostChunk<'_>| {
        let is_bits = ty.dtype.repr() == Repr::Bool && chunk.bools == BoolLayout::Bits;
        let values = if is_bits { chunk.rows.div_ceil(8) } else { chunk.rows * ty.dtype.repr().bytes() };
        values + if chunk.validity.is_some() { chunk.rows.div_ceil(8) } else { 0 }
    };
    chunks.iter().map(|chunk| bytes(chunk) as u64).sum()
}

/// A launch in progress over a device's memory, with the columns that it reads and writes.
pub(super) struct InFlightLaunch<'d> {
    /// The first field, so that it drops first: the device forgets the launch before its memory is freed.
    guard: LaunchGuard<'d>,
    /// The columns that only this launch reads.
    pub(super) columns: Vec<DeviceColumn>,
    /// The columns that the launch writes, at their full capacity.
    pub(super) output: Vec<DeviceColumn>,
    pub(super) stream: StreamId,
    pub(super) bytes_read: u64,
    pub(super) launch: StageLaunch<'d>,
}

impl InFlightLaunch<'_> {
    /// Waits at most `timeout`. After a timeout, the caller may wait again.
    pub(super) fn poll(&mut self, timeout: Duration) -> Result<Outcome> {
        self.guard.poll(timeout)
    }

    /// Waits for a launch whose rows other devices could run: the timeout is asked for again and again, since it
    /// depends on what they measured meanwhile.
    pub(super) fn wait_while(
        mut self,
        time: TimeLimit<'_>,
        timeout: &dyn Fn() -> Duration,
    ) -> Result<(Vec<DeviceColumn>, Outcome)> {
        let start = time.clock.now();
        let interval = self.launch.context.token.map_or(POLL_INTERVAL, |_| CANCELLATION_INTERVAL);
        loop {
            let taken = time.clock.now().saturating_sub(start);
            let left = timeout().min(time.timeout).saturating_sub(taken).min(time.left());
            match self.poll(left.min(interval)) {
                Ok(_) => return self.wait(time),
                Err(error) if left <= interval || FailureClass::of(&error) != FailureClass::Timeout => {
                    return Err(error);
                }
                Err(_) if self.launch.context.token.is_some_and(CancellationToken::is_cancelled) => {
                    return Err(Error::cancelled());
                }
                Err(_) => {}
            }
        }
    }

    /// Waits for the launch, and returns the columns that it wrote. The outcome says whether it faulted.
    pub(super) fn wait(self, time: TimeLimit<'_>) -> Result<(Vec<DeviceColumn>, Outcome)> {
        let InFlightLaunch { guard, mut output, launch, .. } = self;
        let outcome = guard.wait(time, launch.context.token)?;
        for (column, rows) in output.iter_mut().zip(launch.rows_written(outcome)) {
            column.rows = rows;
        }
        Ok((output, outcome))
    }
}

/// A submitted launch. Dropping it before it is done makes the device forget it.
struct LaunchGuard<'p> {
    program: &'p Program,
    status: LaunchStatus,
}

impl LaunchGuard<'_> {
    /// Waits for the launch. If it is not done in time, or if the query is cancelled meanwhile, the device forgets it.
    fn wait(mut self, time: TimeLimit<'_>, token: Option<&CancellationToken>) -> Result<Outcome> {
        let Some(token) = token else { return self.poll(time.left()) };
        let start = time.clock.now();
        loop {
            let left = time.left().min(time.timeout.saturating_sub(time.clock.now().saturating_sub(start)));
            match self.poll(left.min(CANCELLATION_INTERVAL)) {
                Err(error) if left > CANCELLATION_INTERVAL && FailureClass::of(&error) == FailureClass::Timeout => {}
                finished => return finished,
            }
            if token.is_cancelled() {
                return Err(Error::cancelled());
            }
        }
    }

    fn poll(&mut self, timeout: Duration) -> Result<Outcome> {
        let id = match self.status {
            LaunchStatus::Done(outcome) => return Ok(outcome),
            LaunchStatus::Running(id) => id,
        };
        let outcome = self.program.device.finish(id, timeout);
        let is_pending =
            |error: &DeviceError| matches!(error.kind, DeviceErrorKind::Timeout | DeviceErrorKind::Expired);
        if !outcome.as_ref().is_err_and(is_pending) {
            self.status = LaunchStatus::Done(outcome.as_ref().copied().unwrap_or_default());
        }
        Ok(outcome?)
    }
}

impl Drop for LaunchGuard<'_> {
    fn drop(&mut self) {
        match self.status {
            LaunchStatus::Done(_) => {}
            LaunchStatus::Running(id) => self.program.device.forget_launch(id),
        }
    }
}
