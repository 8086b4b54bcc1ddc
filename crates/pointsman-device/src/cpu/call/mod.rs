//! Library calls on the CPU: matrix products, Fourier transforms and convolutions of whole chunks of rows.
//!
//! In: a [`Call`], which [`CallProgram::new`] prepares once (plans, roots of unity), then rows and a captured table. Out: the
//! results of all chunks. Matrix products use `gemm`, short transforms `rustfft` and `realfft`; long transforms are split
//! into short ones that run on all threads. This module starts no threads: it forks on those of its caller and asks before
//! every few milliseconds of work whether to continue.
//!
//! Results depend on the instruction set of the processor, but not on the number of threads: how work is divided follows
//! from the sizes alone. Chunks never share a transform, so a number that is not finite affects its own chunk only.

mod convolve;
mod fft;
mod float;
mod launch;
mod matmul;
mod memory;
mod threads;
mod vectors;

#[cfg(test)]
mod tests;

use float::{Float, FloatType};
pub(super) use launch::{LoadedCall, execute};
use memory::NoMemory;
use threads::CallThreads;

use convolve::ConvolvePlan;
use fft::FftPlan;
use matmul::MatmulPlan;
use memory::ScratchMemory;
use pointsman_ir::kernel::Call;
use pointsman_ir::kernel::call::{Method, Transform};

/// A call that is ready to run.
pub(crate) struct CallProgram {
    call: Call,
    plan: TypedPlan,
}

/// The plan of a call over one of the types of floats.
enum TypedPlan {
    F32(Plan<f32>),
    F64(Plan<f64>),
}

/// The plan of a call.
enum Plan<T: Float> {
    Matmul(MatmulPlan),
    Fft(Box<FftPlan<T>>),
    Convolve(Box<ConvolvePlan<T>>),
}

impl CallProgram {
    /// Prepares a call that has no [`Call::mistake`].
    pub(crate) fn new(call: Call, float: FloatType) -> Result<CallProgram, NoMemory> {
        let plan = match float {
            FloatType::F32 => TypedPlan::F32(Plan::new(&call)?),
            FloatType::F64 => TypedPlan::F64(Plan::new(&call)?),
        };
        Ok(CallProgram { call, plan })
    }

    /// What computes the call, for people.
    pub(crate) fn name(&self) -> &'static str {
        match self.call {
            Call::Matmul(_) => "gemm",
            Call::Fft(fft) => match fft.transform {
                Transform::Forward | Transform::Inverse => "rustfft",
                Transform::RealForward | Transform::RealInverse => "realfft and rustfft",
            },
            Call::Convolve(sum) => match sum.method {
                Method::Sum => "our own loops",
                Method::Transform => "rustfft",
            },
        }
    }

    /// The bytes of scratch memory that a run over this many chunks takes.
    pub(crate) fn scratch_bytes(&self, chunks: u64, threads: usize) -> u64 {
        match &self.plan {
            TypedPlan::F32(plan) => plan.scratch_bytes(chunks, threads),
            TypedPlan::F64(plan) => plan.scratch_bytes(chunks, threads),
        }
    }

    /// The most bytes that libraries allocate by themselves during a run.
    pub(crate) fn library_bytes(&self, threads: usize) -> u64 {
        match self.call {
            Call::Matmul(_) => MatmulPlan::library_bytes(threads),
            Call::Fft(_) | Call::Convolve(_) => 0,
        }
    }

    /// The memory of the tables that the plan keeps, in bytes. Excludes the plans of `rustfft` for short transforms, which
    /// take a few MiB at most.
    pub(crate) fn table_bytes(&self) -> u64 {
        match &self.plan {
            TypedPlan::F32(plan) => plan.table_bytes(),
            TypedPlan::F64(plan) => plan.table_bytes(),
        }
    }

    /// Computes the results of all chunks of `input`. The sizes fulfil [`Call::check_launch`], and `T` is the type that the
    /// program was made for. If the threads are told to stop, the output is left unfinished. `scratch`: at least
    /// [`CallProgram::scratch_bytes`] bytes with any contents; with fewer, the run fails.
    pub(crate) fn run<T: Float>(
        &self,
        input: &[T],
        table: &[T],
        output: &mut [T],
        scratch: &mut [u8],
        threads: &CallThreads<'_>,
    ) -> Result<(), NoMemory> {
        if input.is_empty() {
            return Ok(());
        }
        debug_assert!(self.call.check_launch(input.len() as u64, table.len() as u64).is_ok());
        let mut scratch = ScratchMemory::new(scratch);
        let plan = T::plan(self).expect("a program runs over the type it was made for");
        match plan {
            Plan::Matmul(plan) => plan.run(input, table, output, threads),
            Plan::Fft(plan) => plan.run(input, output, &mut scratch, threads)?,
            Plan::Convolve(plan) => plan.run(input, table, output, &mut scratch, threads)?,
        }
        Ok(())
    }
}

impl<T: Float> Plan<T> {
    fn new(call: &Call) -> Result<Plan<T>, NoMemory> {
        Ok(match call {
            Call::Matmul(product) => Plan::Matmul(MatmulPlan::new(product)),
            Call::Fft(fft) => Plan::Fft(Box::new(FftPlan::new(fft)?)),
            Call::Convolve(sum) => Plan::Convolve(Box::new(ConvolvePlan::new(sum)?)),
        })
    }

    fn scratch_bytes(&self, chunks: u64, threads: usize) -> u64 {
        match self {
            Plan::Matmul(_) => 0,
            Plan::Fft(plan) => plan.scratch_bytes(chunks, threads),
            Plan::Convolve(plan) => plan.scratch_bytes(threads),
        }
    }

    fn table_bytes(&self) -> u64 {
        match self {
            Plan::Matmul(_) => 0,
            Plan::Fft(plan) => plan.table_bytes(),
            Plan::Convolve(plan) => plan.table_bytes(),
        }
    }
}
