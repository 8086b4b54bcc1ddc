//! Library calls as our own kernels, for GPUs without a library: matrix products, Fourier transforms and convolutions as
//! WGSL or as CUDA C, and the steps that run them.
//!
//! In: a [`Call`], the type of its numbers and a [`CallTarget`]. Out: a [`CallPlan`]: one text with several entry points,
//! constants (roots of unity) that a program uploads once, the sizes of scratch memory, and a list of [`CallStep`]s for any
//! number of chunks. A step is a range of independent workgroups, so a device divides it into dispatches as short as it
//! likes. This module talks to no device and knows no buffers.
//!
//! Every entry point sees the arguments and at most three buffers: `left` and `right`, which it reads, and `output`. The
//! runner sets the first [`RUNNER_WORDS`] argument words of a dispatch, the step has the others:
//!
//! | word | holds |
//! |---|---|
//! | 0 | the number of the dispatch's first workgroup |
//! | 1 | the workgroups of its first dimension |
//! | 2 | its workgroups; a grid may have more, which do nothing |
//! | 3, 4, 5 | where `left`, `right` and `output` start in the bound memory, in real numbers |
//!
//! In CUDA C an entry point is `(Arguments, const T*, const T*, T*)`, where `Arguments` is a struct of [`WORDS`] words of
//! 32 bits and `T` the type of the numbers. In WGSL the arguments are binding 0, and the buffers bindings 1 to 3.

mod batches;
mod builder;
mod constants;
mod convolve;
mod fft;
mod language;
mod matmul;

#[cfg(test)]
mod tests;

use batches::StepBatches;
use constants::Constants;
pub(crate) use language::Language;
use language::Source;
use pointsman_ir::kernel::Call;
use pointsman_ir::types::DType;

/// The argument words of an entry point.
pub(crate) const WORDS: usize = 16;
/// The argument words that the runner sets.
pub(crate) const RUNNER_WORDS: usize = 6;
/// The invocations of a workgroup.
pub(crate) const LANES: u32 = 256;
/// The most numbers that one dispatch may see in a buffer: kernels count them in 32 bits.
const WINDOW_NUMBERS_MAX: u64 = 1 << 31;

/// What the kernels of a call are made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CallTarget {
    /// In which language.
    pub(crate) language: Language,
    /// Bytes of memory that a workgroup may share.
    pub(crate) workgroup_bytes: u32,
    /// The most bytes of a buffer that one dispatch may see.
    pub(crate) window_bytes: u64,
    /// The most bytes of scratch memory, unless one chunk takes more.
    pub(crate) scratch_bytes: u64,
    /// About the most operations of a workgroup in one dispatch, which cannot be stopped.
    pub(crate) group_operations: f64,
    /// The most iterations of an invocation's loops in one dispatch.
    pub(crate) iterations: u32,
}

/// Why a target cannot run a call: some size is above a limit. The text begins with [`NotPlanned::PREFIX`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotPlanned(pub(crate) String);

impl NotPlanned {
    /// The beginning of the texts, for the list of kernels that a device refuses.
    pub(crate) const PREFIX: &str = "calls beyond the limits of its kernels";

    fn new(what: String) -> NotPlanned {
        NotPlanned(format!("{}: {what}", NotPlanned::PREFIX))
    }
}

/// Memory that a step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CallMemory {
    /// The rows of the call.
    Input,
    /// The captured table.
    Table,
    /// The result.
    Output,
    /// [`CallPlan::constants`].
    Constants,
    /// Scratch memory of this number.
    Scratch(usize),
    /// None: the entry point does not use this buffer. Bind anything.
    Unused,
}

/// The part of a memory that a step uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The memory.
    pub(crate) memory: CallMemory,
    /// The first byte: a multiple of the size of a number, and of a complex number where it holds such ones.
    pub(crate) start: u64,
    /// The length in bytes; 0 if the buffer is unused.
    pub(crate) bytes: u64,
}

/// Workgroups that may run in any order. Each step needs the results of those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CallStep {
    /// The entry point, as a number of [`CallPlan::entries`].
    pub(crate) entry: usize,
    /// The buffers `left` and `right`, which are read.
    pub(crate) read: [Window; 2],
    /// The buffer `output`. Some entry points also read it; it is never one of `read`.
    pub(crate) written: Window,
    /// How many workgroups there are; at least 1 and below 2^31.
    pub(crate) groups: u32,
    /// About how many additions and multiplications a workgroup does.
    pub(crate) group_operations: f64,
    /// The argument words after those of the runner.
    pub(crate) words: [u32; WORDS - RUNNER_WORDS],
}

/// The kernels of a call and the steps that run them.
#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    source: Source,
    dtype: DType,
    constants: Constants,
    batches: StepBatches,
}

impl CallPlan {
    /// Plans a call that has no [`Call::mistake`], of floats.
    pub(crate) fn new(call: &Call, dtype: DType, target: &CallTarget) -> Result<CallPlan, NotPlanned> {
        match call {
            Call::Matmul(product) => matmul::plan(product, dtype, target),
            Call::Fft(fft) => fft::plan(fft, dtype, target),
            Call::Convolve(sum) => convolve::plan(sum, dtype, target),
        }
    }

    /// The text of all entry points.
    pub(crate) fn text(&self) -> &str {
        &self.source.text
    }

    /// The names of the entry points.
    pub(crate) fn entries(&self) -> &[String] {
        &self.source.entries
    }

    /// Computes the bytes that every launch reads as [`CallMemory::Constants`]; there may be none. Takes up to a second,
    /// for the longest transforms.
    pub(crate) fn constants(&self) -> Vec<u8> {
        self.constants.bytes(self.dtype)
    }

    /// The sizes of the scratch memories of a launch over this many chunks, in bytes.
    pub(crate) fn scratch_bytes(&self, chunks: u64) -> Vec<u64> {
        self.batches.scratch_bytes(chunks)
    }

    /// The number of steps of a launch over this many chunks; 0 for no chunks.
    pub(crate) fn step_count(&self, chunks: u64) -> u64 {
        self.batches.step_count(chunks)
    }

    /// A step of a launch over this many chunks; `number` is below [`CallPlan::step_count`].
    pub(crate) fn step(&self, chunks: u64, number: u64) -> CallStep {
        self.batches.step(chunks, number)
    }
}
