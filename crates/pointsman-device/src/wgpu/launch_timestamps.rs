//! Device timestamps at a launch's first and last command, if the device has them. There is one queue, which runs in
//! order, so all launches share two queries: each is resolved before the next launch writes it.

use super::dispatch_tuner::TimeSource;
use super::gpu::Gpu;
use super::scratch::BufferPart;
use crate::DeviceResult;
use std::time::Duration;
use wgpu::{BufferUsages, Features};

/// The number of words of two timestamps.
pub(super) const TIME_WORDS: usize = 4;
const TIME_BYTES: u64 = 4 * TIME_WORDS as u64;

/// The features that timestamps need.
pub(super) const FEATURES: Features = Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// Two queries and the buffer that they are resolved to.
pub(super) struct LaunchTimestamps(Option<(wgpu::QuerySet, wgpu::Buffer)>);

impl LaunchTimestamps {
    /// Creates the queries, if the device has timestamps.
    pub(super) fn new(gpu: &Gpu) -> DeviceResult<LaunchTimestamps> {
        if !gpu.device.features().contains(FEATURES) {
            return Ok(LaunchTimestamps(None));
        }
        let made = gpu.scoped("queries of a launch's time", || {
            let (ty, count) = (wgpu::QueryType::Timestamp, 2);
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor { label: None, ty, count });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: TIME_BYTES,
                usage: BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (queries, resolved)
        })?;
        Ok(LaunchTimestamps(Some(made)))
    }

    /// The clock that times launches.
    pub(super) fn clock(&self) -> TimeSource {
        if self.0.is_some() { TimeSource::Device } else { TimeSource::Host }
    }

    /// Writes a timestamp before the commands that are encoded from now on.
    pub(super) fn start(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some((queries, _)) = &self.0 {
            encoder.write_timestamp(queries, 0);
        }
    }

    /// Writes a timestamp after the encoded commands.
    pub(super) fn end(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some((queries, resolved)) = &self.0 {
            encoder.write_timestamp(queries, 1);
            encoder.resolve_query_set(queries, 0..2, resolved, 0);
        }
    }

    /// The part of the buffer that holds the two timestamps.
    pub(super) fn resolved(&self) -> Option<BufferPart> {
        self.0.as_ref().map(|(_, resolved)| BufferPart { buffer: resolved.clone(), offset: 0, bytes: TIME_BYTES })
    }
}

/// The time between two timestamps.
pub(super) fn elapsed(gpu: &Gpu, words: &[u32]) -> Duration {
    let time = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let ticks = time(words[2], words[3]).saturating_sub(time(words[0], words[1]));
    Duration::from_nanos((ticks as f64 * f64::from(gpu.queue.get_timestamp_period())) as u64)
}
