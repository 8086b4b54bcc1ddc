//! The resources that consecutive launches reuse: memory for trees, status words and arguments, staging memory, and
//! bind groups. There is one queue, which runs in order, so a launch may reuse the memory of the previous one. Launches
//! that are submitted in pieces have memory of their own.

use super::buffers::{VECTOR_BYTES, create};
use super::gpu::Gpu;
use super::launch_timestamps::LaunchTimestamps;
use super::upload::UploadStaging;
use crate::DeviceResult;
use crate::sync::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use wgpu::BufferUsages;

/// Larger memory belongs to one launch.
pub(super) const KEPT_BYTES: u64 = 16 << 20;
/// The minimum size of kept memory in bytes.
const LEAST_BYTES: u64 = 4096;
/// The kept staging buffers: for the outcomes of launches, and for copies. Creating a staging buffer of a megabyte
/// takes the driver as long as copying ten.
const SMALL: StagingClass = StagingClass { count: 64, bytes: 4096 };
const LARGE: StagingClass = StagingClass { count: 8, bytes: STAGING_BYTES_MAX };
/// The maximum size of a staging buffer.
pub(super) const STAGING_BYTES_MAX: u64 = 8 << 20;
/// The usage of argument memory, and of the memory of trees and status words.
pub(super) const ARGUMENTS_USAGE: BufferUsages =
    BufferUsages::UNIFORM.union(BufferUsages::STORAGE).union(BufferUsages::COPY_DST);
pub(super) const RESULTS_USAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_SRC).union(BufferUsages::COPY_DST);
/// The number of kept bind groups.
const GROUPS: usize = 32;

/// A part of a buffer.
#[derive(Clone, PartialEq)]
pub(super) struct BufferPart {
    pub(super) buffer: wgpu::Buffer,
    /// The first byte.
    pub(super) offset: u64,
    /// The length in bytes.
    pub(super) bytes: u64,
}

/// The number and the size of kept staging buffers of one class.
struct StagingClass {
    count: usize,
    bytes: u64,
}

/// Free staging buffers, small and large.
#[derive(Clone, Default)]
pub(super) struct StagingPool([Arc<Mutex<Vec<wgpu::Buffer>>>; 2]);

impl StagingPool {
    /// Takes a staging buffer of at least `bytes` bytes.
    pub(super) fn take(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let Some((place, kept)) = [SMALL, LARGE].into_iter().enumerate().find(|(_, kept)| bytes <= kept.bytes) else {
            return create(gpu, bytes, usage);
        };
        let free = self.0[place].lock().pop();
        free.map_or_else(|| create(gpu, kept.bytes, usage), Ok)
    }

    /// Gives back a staging buffer that is no longer read.
    pub(super) fn give(&self, staging: wgpu::Buffer) {
        for (place, kept) in [SMALL, LARGE].into_iter().enumerate() {
            let mut free = self.0[place].lock();
            if staging.size() == kept.bytes && free.len() < kept.count {
                staging.unmap();
                free.push(staging);
                return;
            }
        }
    }
}

/// The argument buffer and its content.
#[derive(Default)]
struct ArgumentBuffer {
    buffer: Option<wgpu::Buffer>,
    contents: Vec<u8>,
}

struct CachedBindGroup {
    layout: wgpu::BindGroupLayout,
    parts: Vec<BufferPart>,
    group: wgpu::BindGroup,
}

/// The resources that consecutive launches reuse.
pub(super) struct Scratch {
    nodes: Mutex<Option<wgpu::Buffer>>,
    status: Mutex<Option<wgpu::Buffer>>,
    nothing: Mutex<Option<wgpu::Buffer>>,
    arguments: Mutex<ArgumentBuffer>,
    groups: Mutex<VecDeque<CachedBindGroup>>,
    pub(super) staging_pool: StagingPool,
    pub(super) upload_staging: UploadStaging,
    pub(super) times: LaunchTimestamps,
}

impl Scratch {
    /// Nothing is kept yet.
    pub(super) fn new(gpu: &Gpu) -> DeviceResult<Scratch> {
        Ok(Scratch {
            nodes: Mutex::default(),
            status: Mutex::default(),
            nothing: Mutex::default(),
            arguments: Mutex::default(),
            groups: Mutex::default(),
            staging_pool: StagingPool::default(),
            upload_staging: UploadStaging::default(),
            times: LaunchTimestamps::new(gpu)?,
        })
    }

    fn kept(
        &self,
        gpu: &Gpu,
        place: &mut Option<wgpu::Buffer>,
        bytes: u64,
        usage: BufferUsages,
    ) -> DeviceResult<wgpu::Buffer> {
        if let Some(buffer) = place.as_ref().filter(|buffer| buffer.size() >= bytes) {
            return Ok(buffer.clone());
        }
        if bytes > KEPT_BYTES {
            return create(gpu, bytes, usage);
        }
        // Bind groups would keep the replaced buffer alive.
        self.groups.lock().clear();
        let made = create(gpu, bytes.max(LEAST_BYTES).next_power_of_two(), usage)?;
        *place = Some(made.clone());
        Ok(made)
    }

    /// The memory of a leaf tree.
    pub(super) fn nodes(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        self.kept(gpu, &mut self.nodes.lock(), bytes, RESULTS_USAGE)
    }

    /// The memory of status words.
    pub(super) fn status(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        self.kept(gpu, &mut self.status.lock(), bytes, RESULTS_USAGE)
    }

    /// The buffer that is bound in place of a missing one.
    pub(super) fn nothing(&self, gpu: &Gpu) -> DeviceResult<wgpu::Buffer> {
        self.kept(gpu, &mut self.nothing.lock(), VECTOR_BYTES, BufferUsages::STORAGE)
    }

    /// The memory of arguments.
    pub(super) fn arguments(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let mut held = self.arguments.lock();
        let buffer = self.kept(gpu, &mut held.buffer, bytes, ARGUMENTS_USAGE)?;
        if held.buffer.as_ref().is_some_and(|kept| kept.size() as usize != held.contents.len()) {
            held.contents = vec![0; buffer.size() as usize];
        }
        Ok(buffer)
    }

    /// Queues a write of arguments, unless the buffer already holds them.
    pub(super) fn put_arguments(&self, gpu: &Gpu, buffer: &wgpu::Buffer, at: u64, bytes: &[u8]) {
        let mut held = self.arguments.lock();
        if held.buffer.as_ref() == Some(buffer) {
            let there = &mut held.contents[at as usize..at as usize + bytes.len()];
            if there == bytes {
                return;
            }
            there.copy_from_slice(bytes);
        }
        gpu.queue.write_buffer(buffer, at, bytes);
    }

    /// Drops the memory of arguments: what it holds is unknown after a failed submission.
    pub(super) fn forget_arguments(&self) {
        *self.arguments.lock() = Default::default();
    }

    /// The bind group of these bindings, created if it is not kept. Groups with memory of a single launch must not be
    /// kept.
    pub(super) fn group(
        &self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        parts: Vec<BufferPart>,
        keep: bool,
    ) -> DeviceResult<wgpu::BindGroup> {
        let known = |one: &&CachedBindGroup| one.layout == *layout && one.parts == parts;
        if let Some(found) = self.groups.lock().iter().find(known) {
            return Ok(found.group.clone());
        }
        let group = gpu.scoped("a bind group", || make(gpu, layout, &parts))?;
        if !keep {
            return Ok(group);
        }
        let mut groups = self.groups.lock();
        if groups.len() == GROUPS {
            groups.pop_front();
        }
        groups.push_back(CachedBindGroup { layout: layout.clone(), parts, group: group.clone() });
        Ok(group)
    }

    /// Drops the bind groups that refer to a buffer.
    pub(super) fn forget(&self, buffer: &wgpu::Buffer) {
        self.groups.lock().retain(|one| one.parts.iter().all(|part| part.buffer != *buffer));
    }
}

fn make(gpu: &Gpu, layout: &wgpu::BindGroupLayout, parts: &[BufferPart]) -> wgpu::BindGroup {
    let mut entries = Vec::with_capacity(parts.len());
    for (binding, BufferPart { buffer, offset, bytes }) in (0..).zip(parts) {
        let buffer = wgpu::BufferBinding { buffer, offset: *offset, size: wgpu::BufferSize::new(*bytes) };
        entries.push(wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(buffer) });
    }
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
