//! Renders a guarded, verified kernel as machine code for AVX-512 or AVX2: bytes and the memory layout that they
//! expect, or an error that says what is not supported yet. Never panics on a verified kernel. The code contains no
//! absolute addresses.
//!
//! The code is an `extern "sysv64" fn(*mut u64)`; its argument is a block of words ([`Layout`]). One call computes rows
//! that lie side by side (up to [`RUN_ROWS`], a `Store` any number), 16 a step: a value is one vector of 16 lanes of 32
//! bits (narrow integers are widened), two of 8 lanes of 64, or four (128 bits); a truth value or a validity is a mask
//! register. Files, in the order code is made: `step` instructions with virtual operands, `emitter` the words they are
//! built from, `arithmetic`, `compare`, `logic`, `cast` and `decimal` the operations, `wide` values of 128 bits in
//! memory, `sink`, `fill`, `reduce` and `fold` what becomes of the rows, `frame` the loop, `countdown` what lets a
//! caller stop it, `narrow` the steps again for AVX2, `allocate` registers, `place` bytes.

mod allocate;
mod arithmetic;
mod cast;
mod compare;
mod countdown;
mod decimal;
mod divide;
mod emitter;
mod fill;
mod fold;
mod frame;
mod layout;
mod logic;
mod loops;
mod lower;
mod narrow;
mod place;
mod reduce;
mod regions;
mod scalar;
mod sink;
mod step;
mod wide;

pub use countdown::POLL_BUDGET;
pub use layout::{Layout, Source};

use crate::guard::Guarded;
use std::fmt;

/// Rows of a step.
pub const STEP_ROWS: usize = frame::STEP_ROWS as usize;
/// The maximum number of rows of one call, except for `Store`: those of a leaf.
pub const RUN_ROWS: usize = crate::kernel::LEAF_ROWS;
/// Bytes after a bitmap that `Compact` may write: it writes four at a time.
pub const BITMAP_SLACK: usize = 4;

/// The instructions that code is made of. All give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// AVX-512 (F, BW, CD, DQ, VL), BMI1, BMI2, LZCNT, POPCNT.
    Avx512,
    /// AVX2, FMA, BMI1, BMI2, LZCNT, POPCNT.
    Avx2,
}

/// Machine code for one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// The instructions; they run at any address.
    pub bytes: Vec<u8>,
    /// The meaning of each word of the argument block.
    pub layout: Layout,
    /// The tables that look-ups read, in the order of their words.
    pub sources: Vec<Source>,
    /// The initial contents of the scratch memory. The code sets everything that it changes there before it reads it.
    pub constants: Vec<u64>,
    /// The size of a call's scratch memory, including the constants.
    pub scratch_bytes: usize,
    /// The cost of a step of [`STEP_ROWS`] rows, in units of about a vector instruction; without the loops that count
    /// down ([`Layout::countdown`]).
    pub step_cost: u64,
}

impl Code {
    /// The cost of a call of this many rows until it polls whether to continue, without the loops that count down.
    pub fn call_cost(&self, rows: usize) -> u64 {
        let polls_in_row_loop = countdown::polls_in_row_loop(self.step_cost);
        if polls_in_row_loop { 0 } else { self.step_cost.saturating_mul(rows.div_ceil(STEP_ROWS) as u64) }
    }
}

/// The reason why a kernel runs on the portable path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotEmitted {
    /// The unsupported part, in a sentence.
    pub message: String,
}

impl NotEmitted {
    fn new(message: impl Into<String>) -> NotEmitted {
        NotEmitted { message: message.into() }
    }
}

impl fmt::Display for NotEmitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NotEmitted {}

/// Makes machine code for a guarded, verified kernel.
pub fn render(guarded: &Guarded, target: Target) -> Result<Code, NotEmitted> {
    frame::render(guarded, target)
}
