//! The commands of one launch: dispatches and reads are collected and submitted together, with their arguments in one
//! buffer.

use super::download::PendingRead;
use super::gpu::Gpu;
use super::scratch::{BufferPart, Scratch};
use crate::DeviceResult;

/// The alignment of bound arguments in bytes.
const ARGUMENTS_ALIGN: u64 = 256;

/// Commands that are not submitted yet.
pub(super) struct CommandBatch<'a> {
    gpu: &'a Gpu,
    scratch: &'a Scratch,
    encoder: wgpu::CommandEncoder,
    arguments: wgpu::Buffer,
    /// The size of a dispatch's arguments in bytes.
    slot: u64,
    /// Arguments that are not in the buffer yet.
    staged: Vec<u8>,
    written: u64,
}

impl<'a> CommandBatch<'a> {
    /// Creates a batch with room for `dispatches` dispatches of `words` argument words each.
    pub(super) fn new(
        gpu: &'a Gpu,
        scratch: &'a Scratch,
        words: usize,
        dispatches: usize,
    ) -> DeviceResult<CommandBatch<'a>> {
        let slot = (4 * words as u64).next_multiple_of(ARGUMENTS_ALIGN);
        let arguments = scratch.arguments(gpu, slot * dispatches as u64)?;
        Ok(CommandBatch { gpu, scratch, encoder: gpu.encoder(), arguments, slot, staged: Vec::new(), written: 0 })
    }

    /// Stores a dispatch's arguments; returns where they are bound.
    pub(super) fn arguments(&mut self, words: &[u32]) -> BufferPart {
        let at = self.written + self.staged.len() as u64;
        self.staged.extend_from_slice(bytemuck::cast_slice(words));
        self.staged.resize((at + self.slot - self.written) as usize, 0);
        BufferPart { buffer: self.arguments.clone(), offset: at, bytes: 4 * words.len() as u64 }
    }

    /// The command encoder.
    pub(super) fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        &mut self.encoder
    }

    /// Submits the collected commands.
    pub(super) fn submit(&mut self) -> DeviceResult<wgpu::SubmissionIndex> {
        let encoder = std::mem::replace(&mut self.encoder, self.gpu.encoder());
        let (arguments, at, staged) = (&self.arguments, self.written, &self.staged);
        let submission = self.gpu.scoped("a launch", || {
            if !staged.is_empty() {
                self.scratch.put_arguments(self.gpu, arguments, at, staged);
            }
            self.gpu.queue.submit([encoder.finish()])
        })?;
        self.written += self.staged.len() as u64;
        self.staged.clear();
        Ok(submission)
    }

    /// Submits the collected commands, followed by reads of parts of buffers, one after the other.
    pub(super) fn submit_reading(mut self, parts: &[BufferPart]) -> DeviceResult<PendingRead> {
        let bytes = parts.iter().map(|part| part.bytes).sum();
        if bytes == 0 {
            let submission = self.submit()?;
            return Ok(PendingRead::mapped(None, 0, submission, &self.scratch.staging_pool));
        }
        let staging = self.scratch.staging_pool.take(self.gpu, bytes)?;
        let mut at = 0;
        for BufferPart { buffer, offset, bytes } in parts {
            self.encoder.copy_buffer_to_buffer(buffer, *offset, &staging, at, *bytes);
            at += bytes;
        }
        let submission = self.submit()?;
        Ok(PendingRead::mapped(Some(staging), bytes, submission, &self.scratch.staging_pool))
    }
}
