//! [`CallLaunch`]: a library call in flight. In: a launch. Out: its outcome.
//!
//! The steps of the plan become dispatches of at most about 25 ms, and dispatches become pieces that are submitted a few
//! ahead of the device, first by `launch` and then by the thread that waits. A forgotten launch runs only the pieces that
//! were submitted. All memory of a launch lives until it is dropped.

use super::memory::DeviceMemory;
use super::program::{CallRows, WgpuCall};
use crate::call_kernels::{CallMemory, CallStep, RUNNER_WORDS, WORDS, Window};
use crate::call_limit;
use crate::launch::{BufferRange, ColumnInput, ColumnOutput, Form, Launch, Outcome};
use crate::wgpu::buffers::VECTOR_BYTES;
use crate::wgpu::command_batch::{CommandBatch, Context};
use crate::wgpu::dispatch_tuner::TimeSource;
use crate::wgpu::encode::Limits;
use crate::wgpu::outcome::WgpuLaunch;
use crate::wgpu::pieces::PiecesInFlight;
use crate::wgpu::running::{LoadedProgram, RunningLaunch};
use crate::wgpu::scratch::BufferPart;
use crate::wgpu::submission::LAUNCH_TIME;
use crate::wgpu::{LaunchState, WgpuDevice, upload};
use crate::{BufferId, DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Dispatches of a call are at most this part of the longest that the device allows.
const DISPATCH_PART: f64 = 4.0;
/// The most dispatches of a piece.
const PIECE_DISPATCHES_MAX: usize = 32;
/// Pieces of fewer operations than this part of the most measure the overhead of a piece.
const TIMED_PART: f64 = 0.5;

/// A library call whose commands are being submitted, or that runs.
pub(in crate::wgpu) struct CallLaunch {
    program: Arc<WgpuCall>,
    limits: Limits,
    /// The most operations of a dispatch, if that is less than its time allows.
    operations_max: f64,
    align: u64,
    /// The launch of the expressions below the call.
    body: Option<Box<WgpuLaunch>>,
    memory: LaunchMemory,
    chunks: u64,
    rows: usize,
    /// The next step, and its next workgroup.
    next: (u64, u32),
    pieces: PiecesInFlight,
    /// The operations of the pieces in flight, oldest first.
    piece_operations: VecDeque<f64>,
    is_forgotten: Arc<AtomicBool>,
    /// Why a piece could not be submitted. Its commands are lost, so the launch cannot continue.
    failure: Option<DeviceError>,
}

/// The memory of a launch.
struct LaunchMemory {
    input: BufferPart,
    table: Option<BufferPart>,
    output: BufferPart,
    scratch: Vec<DeviceMemory>,
    /// Bound where an entry point uses no buffer.
    unused: wgpu::Buffer,
    /// Copies that the first piece makes: a buffer cannot be read and written at once.
    copied: Vec<(BufferPart, BufferPart)>,
    /// What belongs to the launch alone: stored rows and copies.
    _own: Vec<DeviceMemory>,
}

/// Some workgroups of a step.
struct Dispatch {
    entry: usize,
    group: wgpu::BindGroup,
    grid: [u32; 2],
}

impl WgpuDevice {
    /// Checks and starts the launch of a library call.
    pub(in crate::wgpu) fn start_call(
        &self,
        program: Arc<WgpuCall>,
        launch: &Launch<'_, '_>,
    ) -> DeviceResult<LaunchState> {
        launch.check(&program.kernel)?;
        let rows = program.kernel.sink.output_rows_max(launch.rows);
        let number_bytes = program.dtype.repr().bytes() as u64;
        let ColumnOutput::Device { values, .. } = &launch.outputs[0] else { return Err(no_host_memory()) };
        let output = self.part(*values, rows as u64 * number_bytes, "output 0")?;
        if launch.rows == 0 {
            return Ok(LaunchState::Done(Ok(Outcome::default())));
        }
        let table = program.table.map(|table| self.column(&launch.lists[table.index()], number_bytes, "the table"));
        let table = table.transpose()?;
        let mut own = Vec::new();
        let (input, body) = match &program.rows {
            CallRows::Column(column) => {
                let column = &launch.columns[*column];
                if column.rows() < launch.rows {
                    let text = format!("a column of {} rows, the launch has {}", column.rows(), launch.rows);
                    return Err(DeviceError::invalid(text));
                }
                (self.column(column, number_bytes, "a column")?, None)
            }
            CallRows::Stored(stored) => {
                let memory = self.memory_of_launch(launch.rows as u64 * number_bytes)?;
                let body = self.start_body(LoadedProgram::Kernel(Arc::clone(stored)), launch, memory.range())?;
                let part = memory.part();
                own.push(memory);
                (part, Some(body))
            }
        };
        let chunks = launch.rows as u64 / program.call.rows_in();
        if !(launch.rows as u64).is_multiple_of(program.call.rows_in()) {
            return Err(DeviceError::invalid("a part of a chunk: the portable GPU computes whole ones"));
        }
        let bytes = program.plan.scratch_bytes(chunks);
        let scratch = bytes.into_iter().map(|bytes| self.memory_of_launch(bytes)).collect::<DeviceResult<_>>()?;
        let unused = self.scratch.nothing(&self.gpu)?;
        let mut memory = LaunchMemory { input, table, output, scratch, unused, copied: Vec::new(), _own: own };
        self.copy_what_is_also_written(&mut memory)?;
        let is_forgotten = body.as_ref().map_or_else(Arc::default, |(body, _)| body.submission.is_forgotten());
        let is_body_submitted = body.as_ref().is_none_or(|(_, is_submitted)| *is_submitted);
        let is_warm = program.is_warm.load(Ordering::Relaxed) && is_body_submitted;
        let mut started = CallLaunch {
            program,
            limits: self.limits,
            operations_max: self.options.dispatch_rows_max.map_or(f64::INFINITY, |most| most as f64),
            align: self.info.capabilities.range_align,
            body: body.map(|(body, _)| body),
            memory,
            chunks,
            rows: launch.rows,
            next: (0, 0),
            pieces: PiecesInFlight::new(),
            piece_operations: VecDeque::new(),
            is_forgotten,
            failure: None,
        };
        if call_limit::is_set() && !is_warm {
            return Ok(LaunchState::Encoded(RunningLaunch::Call(Box::new(started))));
        }
        started.submit_first(self.context())?;
        Ok(LaunchState::Running(RunningLaunch::Call(Box::new(started))))
    }

    /// Starts the expressions below a call; whether their first commands were submitted.
    fn start_body(
        &self,
        program: LoadedProgram,
        launch: &Launch<'_, '_>,
        to: BufferRange,
    ) -> DeviceResult<(Box<WgpuLaunch>, bool)> {
        let mut outputs = [ColumnOutput::Device { values: to, validity: None }];
        let body = Launch {
            first_row: launch.first_row,
            rows: launch.rows,
            first_match: 0,
            form: Form::Whole,
            columns: launch.columns,
            params: launch.params,
            lists: launch.lists,
            tables: launch.tables,
            outputs: &mut outputs,
        };
        match self.start(program, &body)? {
            LaunchState::Encoded(RunningLaunch::Kernel(body)) => Ok((body, false)),
            LaunchState::Running(RunningLaunch::Kernel(body)) => Ok((body, true)),
            LaunchState::Done(Err(error)) => Err(error),
            LaunchState::Encoded(_) | LaunchState::Running(_) | LaunchState::Submitting | LaunchState::Done(Ok(_)) => {
                Err(DeviceError::new(DeviceErrorKind::Internal, "the rows of a call were not started"))
            }
        }
    }

    /// Uploads the constants of a program that is being loaded.
    pub(in crate::wgpu) fn load_constants(&self, program: &WgpuCall) -> DeviceResult<()> {
        if program.constants.get().is_some() {
            return Ok(());
        }
        let bytes = program.plan.constants();
        let memory = self.memory_of_launch(bytes.len() as u64)?;
        let _order = self.order.acquire()?;
        upload::write(&self.gpu, &self.scratch.upload_staging, &memory.buffer, 0, &bytes)?;
        // Another thread may have loaded the same program meanwhile: the constants are the same.
        let _ = program.constants.set(memory);
        Ok(())
    }

    fn memory_of_launch(&self, bytes: u64) -> DeviceResult<DeviceMemory> {
        DeviceMemory::new(&self.gpu, &self.buffers, &self.scratch, BufferId(self.id()), bytes)
    }

    fn column(&self, column: &ColumnInput<'_>, number_bytes: u64, what: &str) -> DeviceResult<BufferPart> {
        let ColumnInput::Device { values, rows, .. } = column else { return Err(no_host_memory()) };
        self.part(*values, *rows as u64 * number_bytes, what)
    }

    fn part(&self, range: BufferRange, bytes: u64, what: &str) -> DeviceResult<BufferPart> {
        let align = self.info.capabilities.range_align;
        if range.bytes < bytes {
            return Err(DeviceError::invalid(format!("{} bytes for {what}, which takes {bytes}", range.bytes)));
        }
        if !range.offset.is_multiple_of(align) {
            let text = format!("{what} starts at byte {}, which is no multiple of {align}", range.offset);
            return Err(DeviceError::invalid(text));
        }
        Ok(BufferPart { buffer: self.buffers.get(range)?, offset: range.offset, bytes })
    }

    /// A buffer cannot be bound for reading and for writing at once: what is read is copied.
    fn copy_what_is_also_written(&self, memory: &mut LaunchMemory) -> DeviceResult<()> {
        let LaunchMemory { input, table, output, copied, _own: own, .. } = memory;
        for part in [Some(input), table.as_mut()].into_iter().flatten() {
            if part.buffer != output.buffer {
                continue;
            }
            let copy = self.memory_of_launch(part.bytes)?;
            let from = std::mem::replace(part, copy.part());
            copied.push((from, copy.part()));
            own.push(copy);
        }
        Ok(())
    }
}

fn no_host_memory() -> DeviceError {
    DeviceError::invalid("this device reads and writes its own buffers only")
}

impl CallLaunch {
    /// Submits the launch, or its first pieces.
    pub(in crate::wgpu) fn submit_first(&mut self, context: Context<'_>) -> DeviceResult<()> {
        let start = Instant::now();
        if let Some(body) = &mut self.body {
            body.submission.submit_first(context)?;
        }
        while self.can_submit() && (self.pieces.is_empty() || start.elapsed() <= LAUNCH_TIME) {
            self.submit_next(context)?;
        }
        self.program.is_warm.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Waits for the launch and finishes its result.
    pub(in crate::wgpu) fn finish(&mut self, context: Context<'_>, timeout: Duration) -> DeviceResult<Outcome> {
        let start = Instant::now();
        let left = || timeout.saturating_sub(start.elapsed());
        if let Some(body) = &mut self.body {
            body.submission.submit_all(context, &body.program, left())?;
        }
        while !self.is_submitted() {
            while self.pieces.must_wait() {
                self.wait_for_oldest(context, left())?;
            }
            self.submit_next(context)?;
            if !self.is_submitted() && start.elapsed() >= timeout {
                return Err(context.gpu.timed_out());
            }
        }
        while !self.pieces.is_empty() {
            self.wait_for_oldest(context, left())?;
        }
        if let Some(body) = &mut self.body {
            let outcome = body.finish(context, left())?;
            if outcome.fault.is_some() {
                return Ok(outcome);
            }
        }
        let rows = self.program.kernel.sink.output_rows_max(self.rows);
        Ok(Outcome { rows, consumed: self.rows, ..Outcome::default() })
    }

    /// The flag that stops further submissions.
    pub(in crate::wgpu) fn is_forgotten(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_forgotten)
    }

    /// Whether all pieces were submitted.
    pub(in crate::wgpu) fn is_submitted(&self) -> bool {
        self.next.0 == self.program.plan.step_count(self.chunks)
    }

    /// Whether the device still runs a piece that was submitted.
    pub(in crate::wgpu) fn is_under_way(&self, gpu: &crate::wgpu::gpu::Gpu) -> bool {
        let is_body_under_way = || self.body.as_ref().is_some_and(|body| body.submission.is_under_way(gpu));
        match self.pieces.last() {
            Some(last) => gpu.is_running(&last),
            None => is_body_under_way(),
        }
    }

    /// Whether the next piece need not wait for the device.
    fn can_submit(&self) -> bool {
        let is_body_submitted = self.body.as_ref().is_none_or(|body| body.submission.reading().is_some());
        is_body_submitted && !self.is_submitted() && self.pieces.has_room()
    }

    fn wait_for_oldest(&mut self, context: Context<'_>, timeout: Duration) -> DeviceResult<()> {
        let took = self.pieces.wait_for_oldest(context.gpu, timeout)?;
        let operations = self.piece_operations.pop_front().unwrap_or(0.0);
        if operations >= TIMED_PART * self.operations_max() {
            self.program.dispatch_tuner.record(operations as u64, took, TimeSource::Host);
        }
        Ok(())
    }

    /// The most operations of a dispatch.
    fn operations_max(&self) -> f64 {
        let by_time = self.program.dispatch_tuner.rows_max(self.limits.operations) as f64 / DISPATCH_PART;
        by_time.min(self.operations_max)
    }

    /// Submits the next piece, after other threads' calls that queue work.
    fn submit_next(&mut self, context: Context<'_>) -> DeviceResult<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        // Before anything is encoded, so that an error here leaves the launch unchanged.
        let held = context.gpu.lock_queue()?;
        // Another query may already own the memory of a forgotten launch; see `Submission::submit_next`.
        if self.is_forgotten.load(Ordering::Relaxed) {
            return Err(DeviceError::new(DeviceErrorKind::Timeout, "the launch was forgotten"));
        }
        let submitted = Instant::now();
        let piece = self.encode(context).and_then(|(mut batch, operations)| {
            self.piece_operations.push_back(operations);
            batch.submit(context, &held)
        });
        let submission = piece.inspect_err(|error| self.failure = Some(error.clone()))?;
        self.pieces.push(submission, submitted);
        Ok(())
    }

    /// Encodes the next dispatches, of up to the operations that one may have together.
    fn encode(&mut self, context: Context<'_>) -> DeviceResult<(CommandBatch, f64)> {
        let mut batch = CommandBatch::new(context, WORDS, PIECE_DISPATCHES_MAX, false)?;
        for (from, to) in std::mem::take(&mut self.memory.copied) {
            let bytes = from.bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
            batch.encoder().copy_buffer_to_buffer(&from.buffer, from.offset, &to.buffer, to.offset, bytes);
        }
        let operations_max = self.operations_max();
        let groups_max = u64::from(self.limits.groups).saturating_mul(self.limits.groups.into());
        let (mut dispatches, mut operations) = (Vec::new(), 0.0);
        while !self.is_submitted() && dispatches.len() < PIECE_DISPATCHES_MAX {
            let (number, first) = self.next;
            let step = self.program.plan.step(self.chunks, number);
            let fitting = ((operations_max - operations) / step.group_operations) as u64;
            if fitting == 0 && operations > 0.0 {
                break;
            }
            let count = u64::from(step.groups - first).min(groups_max).min(fitting.max(1)) as u32;
            dispatches.push(self.dispatch(context, &mut batch, &step, first, count)?);
            operations += step.group_operations * f64::from(count);
            self.next = if first + count == step.groups { (number + 1, 0) } else { (number, first + count) };
        }
        let mut pass = batch.encoder().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for Dispatch { entry, group, grid: [width, height] } in &dispatches {
            pass.set_pipeline(&self.program.pipelines[*entry]);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(*width, *height, 1);
        }
        drop(pass);
        Ok((batch, operations))
    }

    /// Binds the memory of some workgroups of a step.
    fn dispatch(
        &self,
        context: Context<'_>,
        batch: &mut CommandBatch,
        step: &CallStep,
        first: u32,
        count: u32,
    ) -> DeviceResult<Dispatch> {
        let width = count.min(self.limits.groups);
        let grid = [width, count.div_ceil(width)];
        let mut words = [0; WORDS];
        words[RUNNER_WORDS..].copy_from_slice(&step.words);
        words[..3].copy_from_slice(&[first, width, count]);
        let number_bytes = self.program.dtype.repr().bytes() as u64;
        let mut parts = Vec::with_capacity(4);
        for (word, window) in (3..).zip(step.read.iter().chain([&step.written])) {
            let (part, skipped) = self.part(window)?;
            words[word] = (skipped / number_bytes) as u32;
            parts.push(part);
        }
        let name = &self.program.plan.entries()[step.entry];
        context.gpu.log_command(format!("{name} of groups {first} to {}", u64::from(first) + u64::from(count)));
        parts.insert(0, batch.arguments(&words));
        let keep = self.memory.scratch.is_empty() && self.memory._own.is_empty();
        let group = context.scratch.group(context.gpu, &self.program.layout, parts, keep)?;
        Ok(Dispatch { entry: step.entry, group, grid })
    }

    /// The part of a buffer that a window is bound as, and how many bytes come before the window.
    fn part(&self, window: &Window) -> DeviceResult<(BufferPart, u64)> {
        let missing = || DeviceError::new(DeviceErrorKind::Internal, format!("a call without {:?}", window.memory));
        let memory = match window.memory {
            CallMemory::Input => self.memory.input.clone(),
            CallMemory::Table => self.memory.table.clone().ok_or_else(missing)?,
            CallMemory::Output => self.memory.output.clone(),
            CallMemory::Constants => self.program.constants.get().ok_or_else(missing)?.part(),
            CallMemory::Scratch(number) => self.memory.scratch.get(number).ok_or_else(missing)?.part(),
            CallMemory::Unused => BufferPart { buffer: self.memory.unused.clone(), offset: 0, bytes: VECTOR_BYTES },
        };
        let start = memory.offset + window.start;
        let offset = start / self.align * self.align;
        let bytes = (start - offset + window.bytes).max(1).next_multiple_of(VECTOR_BYTES);
        let bytes = bytes.min(memory.buffer.size() - offset);
        Ok((BufferPart { buffer: memory.buffer, offset, bytes }, start - offset))
    }
}
