//! Fourier transforms by cuFFT: plans for batches of one shape, and the lines that are padded, scaled or cut around them.

use super::CallShared;
use super::libraries::{self, Fft as Functions, Library};
use super::lines::{CopyLines, HalfSpectra, LineCopies};
use super::slices::Slices;
use crate::cuda::driver_calls::DriverHandle;
use crate::cuda::memory::{Block, Memory, Resource};
use crate::cuda::stream::{Stream, StreamUses};
use crate::sync::Mutex;
use crate::{DeviceError, DeviceErrorKind, DeviceResult};
use pointsman_ir::kernel::call::{Fft, Transform};
use std::collections::VecDeque;
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::Arc;

/// The plans that a shape keeps, for different numbers of chunks. A plan holds tables on the card.
const PLANS_KEPT: usize = 4;
/// The work area that a plan may need however few its numbers are.
const WORK_BYTES_MIN: u64 = 1 << 20;
/// The most numbers of a batch: more chunks are transformed in several batches.
const BATCH_NUMBERS_MAX: u64 = 1 << 28;

const FORWARD: c_int = -1;
const INVERSE: c_int = 1;

/// Which numbers a plan takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlanKind {
    /// Complex to complex numbers, in the given direction.
    Complex(c_int),
    /// Real numbers to half spectra.
    RealForward,
    /// Half spectra to real numbers; overwrites its input.
    RealInverse,
}

/// cuFFT's number for the types of a plan.
fn plan_type(kind: PlanKind, is_f64: bool) -> c_int {
    match (kind, is_f64) {
        (PlanKind::Complex(_), false) => 0x29,
        (PlanKind::RealForward, false) => 0x2a,
        (PlanKind::RealInverse, false) => 0x2c,
        (PlanKind::Complex(_), true) => 0x69,
        (PlanKind::RealForward, true) => 0x6a,
        (PlanKind::RealInverse, true) => 0x6c,
    }
}

/// A plan of cuFFT for a number of transforms.
struct FftPlan {
    raw: c_int,
    functions: &'static Functions,
    batch: u64,
    work_bytes: u64,
    memory: Arc<Memory>,
    uses: StreamUses,
}

impl Drop for FftPlan {
    fn drop(&mut self) {
        let destroy = DriverHandle::FftPlan { raw: self.raw, destroy: self.functions.destroy };
        self.memory.retire(Resource::Handle(destroy), &mut self.uses);
    }
}

/// The plans of transforms of one shape.
pub(super) struct FftPlans {
    kind: PlanKind,
    /// The length of the outer dimension (1 for transforms of one dimension) and of the last one.
    lengths: [u64; 2],
    is_f64: bool,
    /// Most recently used last.
    plans: Mutex<VecDeque<FftPlan>>,
}

impl FftPlans {
    /// Plans of a shape; nothing is made before a launch knows how many transforms there are.
    pub(super) fn new(kind: PlanKind, lengths: [u64; 2], is_f64: bool) -> FftPlans {
        FftPlans { kind, lengths, is_f64, plans: Mutex::default() }
    }

    /// The size of the work area of `batch` transforms: the plan's, or if there is no plan yet, at most this.
    pub(super) fn work_bytes_max(&self, batch: u64) -> u64 {
        let known = self.plans.lock().iter().find(|plan| plan.batch == batch).map(|plan| plan.work_bytes);
        known.unwrap_or_else(|| work_bytes_max(self.lengths, batch, if self.is_f64 { 16 } else { 8 }))
    }

    /// Makes the plan of `batch` transforms, if there is none yet, and returns the size of its work area.
    pub(super) fn prepare(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<u64> {
        let plan = self.take(shared, batch)?;
        let work_bytes = plan.work_bytes;
        self.keep(plan);
        Ok(work_bytes)
    }

    /// Queues `batch` transforms, from one address to another.
    pub(super) fn run(&self, area: &mut WorkArea<'_>, batch: u64, from: u64, to: u64) -> DeviceResult<()> {
        let (shared, stream) = (area.shared, area.stream);
        let plan = self.take(shared, batch)?;
        area.grow(plan.work_bytes)?;
        let mark_used = || {
            area.used();
            plan.uses.add(stream);
        };
        mark_used();
        let queued = self.queue(shared, stream, &plan, area.block.as_ref(), from, to);
        mark_used();
        self.keep(plan);
        queued
    }

    /// A plan has one stream and one work area until its transform is queued, so this thread takes it out; two threads may
    /// make two plans of one size.
    fn take(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<FftPlan> {
        let found = {
            let mut plans = self.plans.lock();
            let place = plans.iter().position(|plan| plan.batch == batch);
            place.and_then(|place| plans.remove(place))
        };
        found.map_or_else(|| self.make_or_reclaim(shared, batch), Ok)
    }

    fn keep(&self, plan: FftPlan) {
        let mut plans = self.plans.lock();
        plans.push_back(plan);
        let evicted = if plans.len() > PLANS_KEPT { plans.pop_front() } else { None };
        drop(plans);
        drop(evicted);
    }

    /// Makes a plan. If there is no memory for its tables, frees what the pool keeps and tries once more.
    fn make_or_reclaim(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<FftPlan> {
        match self.make(shared, batch) {
            Err(error) if error.kind == DeviceErrorKind::OutOfMemory => {
                shared.memory.reclaim();
                self.make(shared, batch)
            }
            made => made,
        }
    }

    fn make(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<FftPlan> {
        let functions = libraries::fft().map_err(|reason| DeviceError::unsupported(reason.to_string()))?;
        let check = |status, doing| libraries::check(shared.context, Library::Fft, status, doing);
        let _driver = shared.context.wait_for_kernels()?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for writes, and the context is current.
        check(unsafe { (functions.create)(&mut raw) }, "creating a plan")?;
        let memory = shared.memory.clone();
        let mut plan = FftPlan { raw, functions, batch, work_bytes: 0, memory, uses: StreamUses::default() };
        // SAFETY: the handle is alive.
        check(unsafe { (functions.set_auto_allocation)(raw, 0) }, "creating a plan")?;
        let [outer, length] = self.lengths.map(|length| length as c_longlong);
        let mut lengths = if outer == 1 { vec![length] } else { vec![outer, length] };
        let [none_in, none_out] = [std::ptr::null_mut(); 2];
        let (rank, ty, mut work_bytes) = (lengths.len() as c_int, plan_type(self.kind, self.is_f64), 0);
        let sizes = lengths.as_mut_ptr();
        // SAFETY: the handle is alive, `sizes` holds `rank` numbers, null means that numbers follow each other, and
        // `work_bytes` is valid for writes.
        let status = unsafe {
            (functions.make_plan)(
                raw,
                rank,
                sizes,
                none_in,
                1,
                0,
                none_out,
                1,
                0,
                ty,
                batch as c_longlong,
                &mut work_bytes,
            )
        };
        check(status, "making a plan")?;
        plan.work_bytes = work_bytes as u64;
        Ok(plan)
    }

    fn queue(
        &self,
        shared: &CallShared<'_>,
        stream: &Stream,
        plan: &FftPlan,
        work: Option<&Block>,
        from: u64,
        to: u64,
    ) -> DeviceResult<()> {
        let check = |status, doing| libraries::check(shared.context, Library::Fft, status, doing);
        let _driver = shared.context.queue()?;
        let (functions, raw) = (plan.functions, plan.raw);
        // SAFETY: plan and stream are alive, and of the current context.
        check(unsafe { (functions.set_stream)(raw, stream.raw().cast()) }, "setting its stream")?;
        if let Some(work) = work {
            // SAFETY: the work area is as large as the plan asked for, and outlives the work queued on the stream.
            check(unsafe { (functions.set_work_area)(raw, work.address() as *mut c_void) }, "setting its memory")?;
        }
        let (from, to) = (from as *mut c_void, to as *mut c_void);
        let status = match (self.kind, self.is_f64) {
            // SAFETY: both addresses have room for the numbers of the batch, of the plan's types.
            (PlanKind::Complex(direction), false) => unsafe { (functions.c2c)(raw, from, to, direction) },
            // SAFETY: as above.
            (PlanKind::Complex(direction), true) => unsafe { (functions.z2z)(raw, from, to, direction) },
            // SAFETY: as above.
            (PlanKind::RealForward, false) => unsafe { (functions.r2c)(raw, from, to) },
            // SAFETY: as above.
            (PlanKind::RealForward, true) => unsafe { (functions.d2z)(raw, from, to) },
            // SAFETY: as above.
            (PlanKind::RealInverse, false) => unsafe { (functions.c2r)(raw, from, to) },
            // SAFETY: as above.
            (PlanKind::RealInverse, true) => unsafe { (functions.z2d)(raw, from, to) },
        };
        stream.note_work();
        check(status, "transforming")
    }
}

/// The memory in which the transforms of a launch work, one after the other.
pub(super) struct WorkArea<'a> {
    pub(super) shared: &'a CallShared<'a>,
    pub(super) stream: &'a Arc<Stream>,
    block: Option<Block>,
}

impl<'a> WorkArea<'a> {
    /// An area without memory.
    pub(super) fn new(shared: &'a CallShared<'a>, stream: &'a Arc<Stream>) -> WorkArea<'a> {
        WorkArea { shared, stream, block: None }
    }

    /// Gives the area at least this many bytes. A smaller block is freed once the stream has passed its work.
    pub(super) fn grow(&mut self, bytes: u64) -> DeviceResult<()> {
        if self.block.as_ref().map_or(0, Block::bytes) < bytes {
            self.block = Some(self.shared.memory.scratch(bytes)?);
        }
        Ok(())
    }

    fn used(&self) {
        self.block.iter().for_each(|block| block.used_by(self.stream));
    }
}

/// An upper bound of the bytes that a plan of `batch` transforms works in. NVIDIA's manual says eight times the complex
/// numbers for the worst case, which are lengths with a large prime factor: they become transforms of a multiple of
/// their length. The others work in a copy of the numbers.
fn work_bytes_max(lengths: [u64; 2], batch: u64, number_bytes: u64) -> u64 {
    let copies = if lengths.into_iter().all(has_small_factors) { 2 } else { 8 };
    let numbers = lengths.into_iter().fold(batch, u64::saturating_mul);
    numbers.saturating_mul(copies * number_bytes).max(WORK_BYTES_MIN)
}

/// Whether a length has no prime factor above 127, for which cuFFT has kernels.
fn has_small_factors(mut length: u64) -> bool {
    for factor in 2..=127 {
        while length > 0 && length.is_multiple_of(factor) {
            length /= factor;
        }
    }
    length <= 1
}

/// The version of cuFFT, for people; an error if it cannot be used.
pub(super) fn prepare() -> DeviceResult<String> {
    let functions = libraries::fft().map_err(|reason| DeviceError::unsupported(reason.to_string()))?;
    let mut version = 0;
    // SAFETY: `version` is valid for writes.
    let status = unsafe { (functions.version)(&mut version) };
    Ok(if status == 0 { format!("cuFFT {}.{}", version / 1000, version % 1000 / 100) } else { "cuFFT".to_string() })
}

/// A Fourier transform that is ready to run.
pub(super) struct TransformProgram {
    fft: Fft,
    plans: FftPlans,
}

impl TransformProgram {
    pub(super) fn new(fft: &Fft, is_f64: bool) -> TransformProgram {
        let kind = match fft.transform {
            Transform::Forward => PlanKind::Complex(FORWARD),
            Transform::Inverse => PlanKind::Complex(INVERSE),
            Transform::RealForward => PlanKind::RealForward,
            Transform::RealInverse => PlanKind::RealInverse,
        };
        TransformProgram { fft: *fft, plans: FftPlans::new(kind, [fft.outer, fft.length], is_f64) }
    }

    /// Queues the transforms of all chunks.
    pub(super) fn run(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        lines: &LineCopies,
        chunks: u64,
        from: u64,
        to: u64,
    ) -> DeviceResult<()> {
        let numbers = self.fft.outer * self.fft.length;
        let batch_max = self.batch_max();
        let mut slices = Slices::new(shared, stream);
        let mut area = WorkArea::new(shared, stream);
        // All batches use this memory, one after the other.
        let block = |bytes: u64| (bytes > 0).then(|| shared.memory.scratch(bytes)).transpose();
        let [padded, uncut] = self.copy_bytes(batch_max.min(chunks), shared.float_bytes);
        let copies = [block(padded)?, block(uncut)?];
        for first in (0..chunks).step_by(usize::try_from(batch_max).unwrap_or(usize::MAX)) {
            let batch = batch_max.min(chunks - first);
            let [from, to] = [(from, self.floats(0, [self.fft.given, 0])), (to, self.floats(1, [0, self.fft.kept]))]
                .map(|(base, floats)| base + first * floats * shared.float_bytes);
            self.run_batch(&mut area, lines, &copies, batch, [from, to])?;
            slices.queued(5.0 * (batch * numbers) as f64 * (numbers.max(2) as f64).log2())?;
        }
        Ok(())
    }

    /// The most chunks of a batch: even, so that every batch starts where a complex number may.
    fn batch_max(&self) -> u64 {
        (BATCH_NUMBERS_MAX / (self.fft.outer * self.fft.length) / 2 * 2).max(1)
    }

    /// The bytes of the padded input and of the uncut result of a batch; 0 for those that it does not need.
    fn copy_bytes(&self, batch: u64, float_bytes: u64) -> [u64; 2] {
        let (fft, [whole_in, whole_out]) = (&self.fft, self.fft.whole());
        let is_padded = fft.given < whole_in || fft.transform == Transform::RealInverse;
        let padded = if is_padded { self.floats(0, [whole_in, 0]) } else { 0 };
        let uncut = if fft.kept < whole_out { self.floats(1, [0, whole_out]) } else { 0 };
        [padded, uncut].map(|floats| batch.saturating_mul(floats).saturating_mul(float_bytes))
    }

    /// The memory that a launch over this many chunks takes at most, by block.
    pub(super) fn scratch_bytes(&self, chunks: u64, float_bytes: u64) -> Vec<u64> {
        let batch = self.batch_max().min(chunks);
        let [padded, uncut] = self.copy_bytes(batch, float_bytes);
        vec![padded, uncut, self.plans.work_bytes_max(batch)]
    }

    /// The floats of a chunk with this many numbers in a line: of the input (side 0) or the result (side 1).
    fn floats(&self, side: usize, numbers: [u64; 2]) -> u64 {
        self.fft.outer * numbers[side] * self.fft.numbers()[side].rows()
    }

    fn run_batch(
        &self,
        area: &mut WorkArea<'_>,
        lines: &LineCopies,
        [padded, uncut]: &[Option<Block>; 2],
        batch: u64,
        [from, to]: [u64; 2],
    ) -> DeviceResult<()> {
        let (fft, shared, stream) = (&self.fft, area.shared, area.stream);
        let ([whole_in, whole_out], [rows_in, rows_out]) = (fft.whole(), fft.numbers().map(|numbers| numbers.rows()));
        let scale = match fft.transform {
            Transform::Forward | Transform::RealForward => 1.0,
            Transform::Inverse | Transform::RealInverse => 1.0 / (fft.outer * fft.length) as f64,
        };
        let mark_used = || padded.iter().chain(uncut).for_each(|block| block.used_by(stream));
        mark_used();
        let line_count = batch * fft.outer;
        let input = padded.as_ref().map_or(from, Block::address);
        let output = uncut.as_ref().map_or(to, Block::address);
        if fft.transform == Transform::RealInverse {
            let half = HalfSpectra { from, given: fft.given, to: input, outer: fft.outer, length: fft.length, scale };
            lines.prepare_half_spectra(shared, stream, half, batch)?;
        } else if padded.is_some() {
            let (from_line, to_line) = (fft.given * rows_in, whole_in * rows_in);
            let copy = CopyLines { from, from_line, to: input, to_line, copied: from_line, scale: 1.0 };
            lines.copy(shared, stream, copy, line_count)?;
        }
        self.plans.run(area, batch, input, output)?;
        let scales_after = fft.transform == Transform::Inverse;
        if uncut.is_some() || scales_after {
            let (from_line, to_line) = (whole_out * rows_out, fft.kept * rows_out);
            let scale = if scales_after { scale } else { 1.0 };
            let copy = CopyLines { from: output, from_line, to, to_line, copied: to_line, scale };
            lines.copy(shared, stream, copy, line_count)?;
        }
        mark_used();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_areas_of_unknown_plans_are_bounded() {
        for (length, is_small) in [(1, true), (2, true), (127, true), (131, false), (127 * 128, true), (65_537, false)]
        {
            assert_eq!(has_small_factors(length), is_small, "{length}");
        }
        assert_eq!(work_bytes_max([1, 8], 1, 8), WORK_BYTES_MIN);
        assert_eq!(work_bytes_max([1, 1 << 20], 3, 8), (3 << 20) * 16);
        assert_eq!(work_bytes_max([131, 1 << 20], 3, 16), (3 << 20) * 131 * 128);
        assert_eq!(work_bytes_max([1 << 40, 1 << 40], 3, 16), u64::MAX);
    }
}
