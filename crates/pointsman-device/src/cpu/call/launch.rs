//! Launches of library calls.
//!
//! The expressions that a call reads run first, as a program that stores its value in memory of the device's pool; a call of
//! a plain column reads the column in place. The library then runs on the device's threads.

use super::{CallProgram, CallThreads, Float, FloatType, NoMemory};
use crate::cpu::CpuShared;
use crate::cpu::compile;
use crate::cpu::input::LaunchInputs;
use crate::cpu::isa::Level;
use crate::cpu::launch as streaming;
use crate::cpu::memory::StagedRanges;
use crate::cpu::observed::ObservedLaunch;
use crate::cpu::program::Program;
use crate::cpu::relational::{HostColumn, PartObserver, PoolBuffer, Reserved};
use crate::host::BoolLayout;
use crate::host_pool::HostPool;
use crate::launch::{BufferRange, ColumnInput, ColumnOutput, Form, Launch, Outcome};
use crate::{DeviceError, DeviceErrorKind, DeviceResult, ProgressObserver};
use pointsman_ir::body::{Inst, ListId};
use pointsman_ir::kernel::{Call, Kernel, Sink};
use pointsman_ir::types::DType;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A copy asks after this many bytes whether to continue.
const COPIED_BYTES: usize = 1 << 20;

/// A loaded kernel with the sink `Call`.
pub(in crate::cpu) struct LoadedCall {
    kernel: Arc<Kernel>,
    call: Call,
    table: Option<ListId>,
    dtype: DType,
    input: CallInput,
    library: CallProgram,
    /// Counts the library's tables.
    _tables: Reserved,
    /// How it runs, for people.
    pub(in crate::cpu) description: String,
}

/// The rows of a call.
enum CallInput {
    /// A column of the kernel, as it is.
    Column(usize),
    /// What this program stores.
    Stored(Box<Program>),
}

impl LoadedCall {
    /// Loads a verified kernel.
    pub(in crate::cpu) fn new(
        kernel: Arc<Kernel>,
        level: Level,
        jit: bool,
        pool: &Arc<HostPool>,
    ) -> DeviceResult<LoadedCall> {
        let Sink::Call { call, value, table } = kernel.sink else {
            return Err(compile::internal("a call without its sink".to_string()));
        };
        let dtype = kernel.body.ty(value).dtype;
        let input = if let Inst::Column(column) = kernel.body.inst(value) {
            CallInput::Column(column.index())
        } else {
            let stored = Kernel { sink: Sink::Store { columns: vec![value] }, ..Kernel::clone(&kernel) };
            CallInput::Stored(Box::new(compile::compile(Arc::new(stored), level, jit)?))
        };
        let float = if dtype == DType::F32 { FloatType::F32 } else { FloatType::F64 };
        let library = CallProgram::new(call, float).map_err(|NoMemory| no_memory(&call))?;
        let description = match &input {
            CallInput::Column(_) => format!("{} by {}", call.name(), library.name()),
            CallInput::Stored(program) => {
                format!("{} by {} after {}", call.name(), library.name(), program.description)
            }
        };
        let _tables = Reserved::new(pool, usize::try_from(library.table_bytes()).unwrap_or(usize::MAX))?;
        Ok(LoadedCall { kernel, call, table, dtype, input, library, _tables, description })
    }
}

fn no_memory(call: &Call) -> DeviceError {
    DeviceError::new(DeviceErrorKind::OutOfMemory, format!("the system has no memory for {call}"))
}

fn stopped() -> DeviceError {
    DeviceError::new(DeviceErrorKind::Stopped, "the observer stopped the launch")
}

/// Runs a launch.
pub(in crate::cpu) fn execute(
    shared: &CpuShared,
    program: &LoadedCall,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Outcome> {
    launch.check(&program.kernel)?;
    let staged = shared.buffers.inputs(LaunchInputs::of(launch))?;
    if program.dtype == DType::F32 {
        execute_floats::<f32>(shared, program, launch, observed, &staged)
    } else {
        execute_floats::<f64>(shared, program, launch, observed, &staged)
    }
}

fn execute_floats<T: Float>(
    shared: &CpuShared,
    program: &LoadedCall,
    launch: &mut Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
    staged: &StagedRanges,
) -> DeviceResult<Outcome> {
    let rows = launch.rows;
    let table = match program.table {
        Some(table) => {
            let list = &launch.lists[table.index()];
            floats::<T>(shared, program, list, list.rows(), staged, observed)?
        }
        None => Floats::Borrowed(&[]),
    };
    let input = match &program.input {
        CallInput::Column(column) => floats::<T>(shared, program, &launch.columns[*column], rows, staged, observed)?,
        CallInput::Stored(stored) => match store::<T>(shared, stored, launch, observed)? {
            Stored::Rows(floats) => floats,
            Stored::Fault(outcome) => return Ok(outcome),
        },
    };
    let count = program.kernel.sink.output_rows_max(rows);
    let threads = if rows == 0 { 1 } else { shared.threads };
    let chunks = rows as u64 / program.call.rows_in();
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut scratch = PoolBuffer::take(&shared.pool, bytes(program.library.scratch_bytes(chunks, threads)))?;
    let _library = Reserved::new(&shared.pool, bytes(program.library.library_bytes(threads)))?;
    let operands = (input.as_slice(), table.as_slice());
    let library = |output: &mut [T]| run(shared, program, operands, output, &mut scratch, observed);
    write(shared, &mut launch.outputs[0], count, library)?;
    Ok(Outcome { rows: count, consumed: rows, ..Outcome::default() })
}

/// Has `compute` fill an output: in place if it is aligned host memory, else by way of the pool.
fn write<T: Float>(
    shared: &CpuShared,
    output: &mut ColumnOutput<'_>,
    count: usize,
    compute: impl FnOnce(&mut [T]) -> DeviceResult<()>,
) -> DeviceResult<()> {
    let bytes = count.saturating_mul(size_of::<T>());
    let room = match output {
        ColumnOutput::Host { values, .. } => values.len(),
        ColumnOutput::Device { values, .. } => usize::try_from(values.bytes).unwrap_or(usize::MAX),
    };
    if room < bytes {
        return Err(DeviceError::invalid(format!("output 0 has {room} bytes, the call gives {bytes}")));
    }
    if let ColumnOutput::Host { values, .. } = output
        && let Ok(floats) = bytemuck::try_cast_slice_mut(&mut values[..bytes])
    {
        return compute(floats);
    }
    let mut pooled = PoolBuffer::take(&shared.pool, bytes)?;
    compute(bytemuck::cast_slice_mut(&mut pooled[..bytes]))?;
    match output {
        ColumnOutput::Host { values, .. } => values[..bytes].copy_from_slice(&pooled[..bytes]),
        ColumnOutput::Device { values, .. } => {
            shared.buffers.write(&pooled[..bytes], BufferRange { bytes: bytes as u64, ..*values })?;
        }
    }
    Ok(())
}

/// Runs the library over all chunks.
fn run<T: Float>(
    shared: &CpuShared,
    program: &LoadedCall,
    (input, table): (&[T], &[T]),
    output: &mut [T],
    scratch: &mut [u8],
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<()> {
    let fork = |tasks: usize, task: &(dyn Fn(usize) + Sync)| {
        let next = AtomicUsize::new(0);
        let job = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= tasks {
                    break;
                }
                task(number);
            }
        };
        match shared.thread_pool() {
            Some(threads) if tasks > 1 => threads.run(tasks.min(shared.threads) - 1, &job),
            Some(_) | None => job(),
        }
    };
    let should_continue = || observed.is_none_or(ObservedLaunch::should_continue);
    let rows_done = |rows: u64| {
        if let Some(observed) = observed.filter(|observed| !observed.is_stopped()) {
            observed.rows_done(rows as usize);
        }
    };
    let threads =
        CallThreads { threads: shared.threads, fork: &fork, should_continue: &should_continue, rows_done: &rows_done };
    program.library.run(input, table, output, scratch, &threads).map_err(|NoMemory| no_memory(&program.call))?;
    if observed.is_some_and(ObservedLaunch::is_stopped) { Err(stopped()) } else { Ok(()) }
}

/// What the expressions below a call gave.
enum Stored<'a, T> {
    Rows(Floats<'a, T>),
    Fault(Outcome),
}

/// Stores the value of a call's rows.
fn store<'a, T: Float>(
    shared: &CpuShared,
    program: &Program,
    launch: &Launch<'_, '_>,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Stored<'a, T>> {
    let mut floats = PoolBuffer::take(&shared.pool, launch.rows.saturating_mul(size_of::<T>()))?;
    // The rows count as done when the library has computed them.
    let quiet = observed.map(PartObserver);
    let quiet = quiet.as_ref().map(|observer| ObservedLaunch::new(observer as &dyn ProgressObserver));
    let output = ColumnOutput::Host { values: &mut floats, bools: BoolLayout::Bits, validity: None };
    let mut inner = Launch {
        first_row: launch.first_row,
        rows: launch.rows,
        first_match: 0,
        form: Form::Whole,
        columns: launch.columns,
        params: launch.params,
        lists: launch.lists,
        tables: launch.tables,
        outputs: &mut [output],
    };
    let outcome = streaming::execute(shared, program, &mut inner, quiet.as_ref())?;
    let count = launch.rows;
    Ok(if outcome.fault.is_some() { Stored::Fault(outcome) } else { Stored::Rows(Floats::Owned(floats, count)) })
}

/// Floats in the caller's memory, or in the pool's.
enum Floats<'a, T> {
    Borrowed(&'a [T]),
    Owned(PoolBuffer, usize),
}

impl<T: Float> Floats<'_, T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Floats::Borrowed(floats) => floats,
            Floats::Owned(bytes, count) => &bytemuck::cast_slice(&bytes[..count * size_of::<T>()])[..*count],
        }
    }
}

/// A column as one slice of this many rows: in place if it is one aligned chunk, else copied.
fn floats<'a, T: Float>(
    shared: &CpuShared,
    program: &LoadedCall,
    column: &ColumnInput<'a>,
    rows: usize,
    staged: &'a StagedRanges,
    observed: Option<&ObservedLaunch<'_>>,
) -> DeviceResult<Floats<'a, T>> {
    let column = HostColumn::new(column, program.dtype.required(), rows, staged)?;
    let chunks = column.slice(0..rows);
    if let [chunk] = &chunks[..]
        && let Ok(floats) = bytemuck::try_cast_slice(&chunk.values[..rows * size_of::<T>()])
    {
        return Ok(Floats::Borrowed(floats));
    }
    let mut bytes = PoolBuffer::take(&shared.pool, rows.saturating_mul(size_of::<T>()))?;
    let mut at = 0;
    for chunk in chunks {
        for part in chunk.values[..chunk.rows * size_of::<T>()].chunks(COPIED_BYTES) {
            if observed.is_some_and(|observed| !observed.should_continue()) {
                return Err(stopped());
            }
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
    }
    Ok(Floats::Owned(bytes, rows))
}
