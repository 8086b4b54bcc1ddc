//! What launches use one after the other: memory for trees, status words and arguments, staging that is read, and groups
//! of bindings. There is one queue, which runs in order, so a launch may use the memory of the one before it.

use super::buffers::{VECTOR_BYTES, create};
use super::gpu::{Gpu, lock};
use super::launch_timestamps::LaunchTimestamps;
use super::upload::UploadStaging;
use crate::DeviceResult;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use wgpu::BufferUsages;

/// Larger memory is made for a launch and goes with it.
pub(super) const KEPT_BYTES: u64 = 16 << 20;
/// Kept memory has at least so many bytes.
const LEAST_BYTES: u64 = 4096;
/// Staging that is kept: of launches' outcomes, and of copies, each with how many there are and their bytes. Making staging
/// of a megabyte takes the driver as long as copying ten.
const SMALL: StagingClass = StagingClass { count: 64, bytes: 4096 };
const LARGE: StagingClass = StagingClass { count: 8, bytes: STAGING_BYTES_MAX };
/// The most bytes of staging.
pub(super) const STAGING_BYTES_MAX: u64 = 8 << 20;
/// Groups of bindings that are kept.
const GROUPS: usize = 32;

/// A part of a buffer: where it starts, and its bytes.
pub(super) type Part = (wgpu::Buffer, u64, u64);

/// How much staging of a size is kept.
struct StagingClass {
    count: usize,
    bytes: u64,
}

/// Staging that is free, the small and the large.
#[derive(Clone, Default)]
pub(super) struct StagingPool([Arc<Mutex<Vec<wgpu::Buffer>>>; 2]);

impl StagingPool {
    /// Staging of at least so many bytes.
    pub(super) fn take(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
        let Some((place, kept)) = [SMALL, LARGE].into_iter().enumerate().find(|(_, kept)| bytes <= kept.bytes) else {
            return create(gpu, bytes, usage);
        };
        let free = lock(&self.0[place]).pop();
        free.map_or_else(|| create(gpu, kept.bytes, usage), Ok)
    }

    /// Takes staging back that nobody reads any more.
    pub(super) fn give(&self, staging: wgpu::Buffer) {
        for (place, kept) in [SMALL, LARGE].into_iter().enumerate() {
            let mut free = lock(&self.0[place]);
            if staging.size() == kept.bytes && free.len() < kept.count {
                staging.unmap();
                free.push(staging);
                return;
            }
        }
    }
}

/// Memory of arguments, and what is in it.
#[derive(Default)]
struct ArgumentBuffer {
    buffer: Option<wgpu::Buffer>,
    contents: Vec<u8>,
}

struct CachedBindGroup {
    layout: wgpu::BindGroupLayout,
    parts: Vec<Part>,
    group: wgpu::BindGroup,
}

/// What launches use one after the other.
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
        // Groups would hold on to what is replaced.
        lock(&self.groups).clear();
        let made = create(gpu, bytes.max(LEAST_BYTES).next_power_of_two(), usage)?;
        *place = Some(made.clone());
        Ok(made)
    }

    /// Memory of a tree.
    pub(super) fn nodes(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.kept(gpu, &mut lock(&self.nodes), bytes, usage)
    }

    /// Memory of status words.
    pub(super) fn status(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.kept(gpu, &mut lock(&self.status), bytes, usage)
    }

    /// What is bound where there is nothing.
    pub(super) fn nothing(&self, gpu: &Gpu) -> DeviceResult<wgpu::Buffer> {
        self.kept(gpu, &mut lock(&self.nothing), VECTOR_BYTES, BufferUsages::STORAGE)
    }

    /// Memory of arguments.
    pub(super) fn arguments(&self, gpu: &Gpu, bytes: u64) -> DeviceResult<wgpu::Buffer> {
        let usage = BufferUsages::UNIFORM | BufferUsages::STORAGE | BufferUsages::COPY_DST;
        let mut held = lock(&self.arguments);
        let buffer = self.kept(gpu, &mut held.buffer, bytes, usage)?;
        if held.buffer.as_ref().is_some_and(|kept| kept.size() as usize != held.contents.len()) {
            held.contents = vec![0; buffer.size() as usize];
        }
        Ok(buffer)
    }

    /// Queues arguments into their memory, unless they are there.
    pub(super) fn put_arguments(&self, gpu: &Gpu, buffer: &wgpu::Buffer, at: u64, bytes: &[u8]) {
        let mut held = lock(&self.arguments);
        if held.buffer.as_ref() == Some(buffer) {
            let there = &mut held.contents[at as usize..at as usize + bytes.len()];
            if there == bytes {
                return;
            }
            there.copy_from_slice(bytes);
        }
        gpu.queue.write_buffer(buffer, at, bytes);
    }

    /// The group of these bindings, made if it is not kept. Groups with memory of a single launch are not to be kept.
    pub(super) fn group(
        &self,
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        parts: Vec<Part>,
        keep: bool,
    ) -> DeviceResult<wgpu::BindGroup> {
        let known = |one: &&CachedBindGroup| one.layout == *layout && one.parts == parts;
        if let Some(found) = lock(&self.groups).iter().find(known) {
            return Ok(found.group.clone());
        }
        let group = gpu.scoped("a bind group", || make(gpu, layout, &parts))?;
        if !keep {
            return Ok(group);
        }
        let mut groups = lock(&self.groups);
        if groups.len() == GROUPS {
            groups.pop_front();
        }
        groups.push_back(CachedBindGroup { layout: layout.clone(), parts, group: group.clone() });
        Ok(group)
    }

    /// Forgets the groups that hold on to a buffer.
    pub(super) fn forget(&self, buffer: &wgpu::Buffer) {
        lock(&self.groups).retain(|one| one.parts.iter().all(|(part, ..)| part != buffer));
    }
}

fn make(gpu: &Gpu, layout: &wgpu::BindGroupLayout, parts: &[Part]) -> wgpu::BindGroup {
    let mut entries = Vec::with_capacity(parts.len());
    for (binding, (buffer, offset, size)) in (0..).zip(parts) {
        let buffer = wgpu::BufferBinding { buffer, offset: *offset, size: wgpu::BufferSize::new(*size) };
        entries.push(wgpu::BindGroupEntry { binding, resource: wgpu::BindingResource::Buffer(buffer) });
    }
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
