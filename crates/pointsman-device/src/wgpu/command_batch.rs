//! Collects encoded commands and their arguments until they are submitted together.

use super::buffers::create;
use super::download::PendingRead;
use super::gpu::Gpu;
use super::scratch::{ARGUMENTS_USAGE, BufferPart, Scratch};
use crate::DeviceResult;
use crate::driver_lock::DriverGuard;

/// The alignment of each dispatch's arguments in bytes: the largest offset alignment that WebGPU allows.
const ARGUMENTS_ALIGN: u64 = 256;

/// The parts of the device that encoding and submitting need.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) scratch: &'a Scratch,
}

/// Commands that are not submitted yet.
pub(super) struct CommandBatch {
    encoder: wgpu::CommandEncoder,
    arguments: wgpu::Buffer,
    /// Bytes between the arguments of consecutive dispatches.
    slot_bytes: u64,
    /// Arguments that the next submission writes to the buffer.
    staged: Vec<u8>,
    /// Bytes of arguments written by earlier submissions.
    written: u64,
}

impl CommandBatch {
    /// Creates a batch with room for `dispatches` dispatches of `words` argument words each.
    pub(super) fn new(
        context: Context<'_>,
        words: usize,
        dispatches: usize,
        has_own_memory: bool,
    ) -> DeviceResult<CommandBatch> {
        let slot_bytes = (4 * words as u64).next_multiple_of(ARGUMENTS_ALIGN);
        let bytes = slot_bytes * dispatches as u64;
        let arguments = match has_own_memory {
            true => create(context.gpu, bytes, ARGUMENTS_USAGE)?,
            false => context.scratch.arguments(context.gpu, bytes)?,
        };
        Ok(CommandBatch { encoder: context.gpu.encoder(), arguments, slot_bytes, staged: Vec::new(), written: 0 })
    }

    /// Appends a dispatch's arguments, and returns the part of the buffer to bind.
    pub(super) fn arguments(&mut self, words: &[u32]) -> BufferPart {
        debug_assert!(4 * words.len() as u64 <= self.slot_bytes, "more arguments than the batch was made for");
        let at = self.written + self.staged.len() as u64;
        self.staged.extend_from_slice(bytemuck::cast_slice(words));
        self.staged.resize((at + self.slot_bytes - self.written) as usize, 0);
        BufferPart { buffer: self.arguments.clone(), offset: at, bytes: 4 * words.len() as u64 }
    }

    /// The command encoder.
    pub(super) fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        &mut self.encoder
    }

    /// Submits the collected commands. The caller holds the queue's lock.
    pub(super) fn submit(
        &mut self,
        context: Context<'_>,
        _held: &DriverGuard<'_>,
    ) -> DeviceResult<wgpu::SubmissionIndex> {
        let Context { gpu, scratch } = context;
        let encoder = std::mem::replace(&mut self.encoder, gpu.encoder());
        let (arguments, at, staged) = (&self.arguments, self.written, &self.staged);
        let submission = gpu.scoped("a launch", || {
            if !staged.is_empty() {
                scratch.put_arguments(gpu, arguments, at, staged);
            }
            gpu.queue.submit([encoder.finish()])
        });
        // The buffer may not hold what was to be written; the next launch must not rely on it.
        let submission = submission.inspect_err(|_| scratch.forget_arguments())?;
        self.written += self.staged.len() as u64;
        self.staged.clear();
        Ok(submission)
    }

    /// Submits the collected commands, and copies of these parts of buffers, back to back, into memory that the host
    /// reads.
    pub(super) fn submit_reading(
        &mut self,
        context: Context<'_>,
        held: &DriverGuard<'_>,
        parts: &[BufferPart],
    ) -> DeviceResult<PendingRead> {
        let pool = &context.scratch.staging_pool;
        let bytes = parts.iter().map(|part| part.bytes).sum();
        if bytes == 0 {
            let submission = self.submit(context, held)?;
            return Ok(PendingRead::mapped(None, 0, submission, pool));
        }
        let staging = pool.take(context.gpu, bytes)?;
        let mut at = 0;
        for BufferPart { buffer, offset, bytes } in parts {
            self.encoder.copy_buffer_to_buffer(buffer, *offset, &staging, at, *bytes);
            at += bytes;
        }
        let submission = self.submit(context, held)?;
        Ok(PendingRead::mapped(Some(staging), bytes, submission, pool))
    }
}
