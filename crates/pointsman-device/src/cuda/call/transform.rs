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
struct Plan {
    raw: c_int,
    functions: &'static Functions,
    batch: u64,
    work_bytes: u64,
    memory: Arc<Memory>,
    uses: StreamUses,
}

impl Drop for Plan {
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
    plans: Mutex<VecDeque<Plan>>,
}

impl FftPlans {
    /// Plans of a shape; nothing is made before a launch knows how many transforms there are.
    pub(super) fn new(kind: PlanKind, lengths: [u64; 2], is_f64: bool) -> FftPlans {
        FftPlans { kind, lengths, is_f64, plans: Mutex::default() }
    }

    /// Queues `batch` transforms, from one address to another.
    pub(super) fn run(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        batch: u64,
        from: u64,
        to: u64,
    ) -> DeviceResult<()> {
        // A plan has one stream and one work area until its transform is queued, so this thread takes it out; two threads
        // may make two plans of one size.
        let found = {
            let mut plans = self.plans.lock();
            let place = plans.iter().position(|plan| plan.batch == batch);
            place.and_then(|place| plans.remove(place))
        };
        let plan = match found {
            Some(plan) => plan,
            None => self.make_or_reclaim(shared, batch)?,
        };
        let work = (plan.work_bytes > 0).then(|| shared.memory.scratch(plan.work_bytes)).transpose()?;
        let mark_used = || {
            work.iter().for_each(|work| work.used_by(stream));
            plan.uses.add(stream);
        };
        mark_used();
        let queued = self.queue(shared, stream, &plan, work.as_ref(), from, to);
        mark_used();
        let mut plans = self.plans.lock();
        plans.push_back(plan);
        let evicted = if plans.len() > PLANS_KEPT { plans.pop_front() } else { None };
        drop(plans);
        drop(evicted);
        queued
    }

    /// Makes a plan. If there is no memory for its tables, frees what the pool keeps and tries once more.
    fn make_or_reclaim(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<Plan> {
        match self.make(shared, batch) {
            Err(error) if error.kind == DeviceErrorKind::OutOfMemory => {
                shared.memory.reclaim();
                self.make(shared, batch)
            }
            made => made,
        }
    }

    fn make(&self, shared: &CallShared<'_>, batch: u64) -> DeviceResult<Plan> {
        let functions = libraries::fft().map_err(|reason| DeviceError::unsupported(reason.to_string()))?;
        let check = |status, doing| libraries::check(shared.context, Library::Fft, status, doing);
        let _driver = shared.context.wait_for_kernels()?;
        let mut raw = 0;
        // SAFETY: `raw` is valid for writes, and the context is current.
        check(unsafe { (functions.create)(&mut raw) }, "creating a plan")?;
        let memory = shared.memory.clone();
        let mut plan = Plan { raw, functions, batch, work_bytes: 0, memory, uses: StreamUses::default() };
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
        plan: &Plan,
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
        // Even, so that every batch starts where a complex number may.
        let batch_max = (BATCH_NUMBERS_MAX / numbers / 2 * 2).max(1);
        let mut slices = Slices::new(shared, stream);
        for first in (0..chunks).step_by(usize::try_from(batch_max).unwrap_or(usize::MAX)) {
            let batch = batch_max.min(chunks - first);
            let [from, to] = [(from, self.floats(0, [self.fft.given, 0])), (to, self.floats(1, [0, self.fft.kept]))]
                .map(|(base, floats)| base + first * floats * shared.float_bytes);
            self.run_batch(shared, stream, lines, batch, from, to)?;
            slices.queued(5.0 * (batch * numbers) as f64 * (numbers.max(2) as f64).log2())?;
        }
        Ok(())
    }

    /// The floats of a chunk with this many numbers in a line: of the input (side 0) or the result (side 1).
    fn floats(&self, side: usize, numbers: [u64; 2]) -> u64 {
        self.fft.outer * numbers[side] * self.fft.numbers()[side].rows()
    }

    fn run_batch(
        &self,
        shared: &CallShared<'_>,
        stream: &Arc<Stream>,
        lines: &LineCopies,
        batch: u64,
        from: u64,
        to: u64,
    ) -> DeviceResult<()> {
        let fft = &self.fft;
        let ([whole_in, whole_out], [rows_in, rows_out]) = (fft.whole(), fft.numbers().map(|numbers| numbers.rows()));
        let scale = match fft.transform {
            Transform::Forward | Transform::RealForward => 1.0,
            Transform::Inverse | Transform::RealInverse => 1.0 / (fft.outer * fft.length) as f64,
        };
        let is_padded = fft.given < whole_in || fft.transform == Transform::RealInverse;
        let is_cut = fft.kept < whole_out;
        let scratch = |is_needed: bool, floats: u64| {
            let block = is_needed.then(|| shared.memory.scratch(batch * floats * shared.float_bytes)).transpose()?;
            block.iter().for_each(|block| block.used_by(stream));
            Ok::<_, DeviceError>(block)
        };
        let padded = scratch(is_padded, self.floats(0, [whole_in, 0]))?;
        let uncut = scratch(is_cut, self.floats(1, [0, whole_out]))?;
        let line_count = batch * fft.outer;
        let input = padded.as_ref().map_or(from, Block::address);
        let output = uncut.as_ref().map_or(to, Block::address);
        if fft.transform == Transform::RealInverse {
            let half = HalfSpectra { from, given: fft.given, to: input, outer: fft.outer, length: fft.length, scale };
            lines.prepare_half_spectra(shared, stream, half, batch)?;
        } else if is_padded {
            let (from_line, to_line) = (fft.given * rows_in, whole_in * rows_in);
            let copy = CopyLines { from, from_line, to: input, to_line, copied: from_line, scale: 1.0 };
            lines.copy(shared, stream, copy, line_count)?;
        }
        self.plans.run(shared, stream, batch, input, output)?;
        let scales_after = fft.transform == Transform::Inverse;
        if is_cut || scales_after {
            let (from_line, to_line) = (whole_out * rows_out, fft.kept * rows_out);
            let scale = if scales_after { scale } else { 1.0 };
            let copy = CopyLines { from: output, from_line, to, to_line, copied: to_line, scale };
            lines.copy(shared, stream, copy, line_count)?;
        }
        padded.iter().chain(&uncut).for_each(|block| block.used_by(stream));
        Ok(())
    }
}
