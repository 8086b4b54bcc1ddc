//! Long calls in slices: work is queued a few slices ahead of the card, and no further once the caller's limit is over.
//!
//! A library's kernel cannot be interrupted, so a call that would run for seconds is queued in slices of some
//! milliseconds. A call of a few slices is queued without waiting.

use super::CallShared;
use crate::call_limit;
use crate::cuda::context::wait_until;
use crate::cuda::stream::{CudaEvent, Stream, Timing};
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use std::collections::VecDeque;
use std::time::Duration;

/// Additions and multiplications of a slice, for each multiprocessor: about 10 ms on an H200 in f32 and f64, whose 132
/// multiprocessors compute 50·10¹² a second.
const OPERATIONS_PER_MULTIPROCESSOR: f64 = 4e9;
/// The number of slices that are queued ahead.
const AHEAD_MAX: usize = 3;
/// How long a slice may take before the card counts as hung.
const SLICE_TIMEOUT: Duration = Duration::from_secs(600);

/// The operations that a slice should have at most, on a card of this many multiprocessors.
pub(super) fn operations_max(multiprocessors: u32) -> f64 {
    OPERATIONS_PER_MULTIPROCESSOR * f64::from(multiprocessors)
}

/// The slices of a call that were queued.
pub(super) struct Slices<'a> {
    shared: &'a CallShared<'a>,
    stream: &'a Stream,
    /// Operations since the last event.
    operations: f64,
    /// Events behind earlier slices, oldest first.
    ends: VecDeque<CudaEvent>,
}

impl<'a> Slices<'a> {
    pub(super) fn new(shared: &'a CallShared<'a>, stream: &'a Stream) -> Slices<'a> {
        Slices { shared, stream, operations: 0.0, ends: VecDeque::new() }
    }

    /// The operations that a slice should have at most.
    pub(super) fn operations(&self) -> f64 {
        operations_max(self.shared.multiprocessors)
    }

    /// Counts queued work. If enough slices are queued, waits until the card has finished the first of them; an error if
    /// the limit of this thread is over first.
    pub(super) fn queued(&mut self, operations: f64) -> DeviceResult<()> {
        self.operations += operations;
        if self.operations < self.operations() / 2.0 {
            return Ok(());
        }
        self.operations = 0.0;
        let end = CudaEvent::new(self.shared.context, Timing::Untimed)?;
        end.record(self.stream)?;
        self.ends.push_back(end);
        if self.ends.len() <= AHEAD_MAX {
            return Ok(());
        }
        let Some(first) = self.ends.pop_front() else { return Ok(()) };
        wait_until(SLICE_TIMEOUT, || {
            if call_limit::is_over() {
                return Err(DeviceError::new(DeviceErrorKind::Expired, "the limit passed between slices of a call"));
            }
            first.is_reached()
        })
    }
}
