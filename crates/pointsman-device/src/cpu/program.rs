//! A loaded program: machine code, or the steps that compute one block of rows over numbered slots (the block program).
//! Made by `compile.rs`; steps are run by `frame.rs`, machine code by `emitted.rs`.

use super::block::{Imm, StepFn};
use super::frame::BlockFrame;
use super::jit::JitCode;
use super::nodes::Nodes;
use super::object_pool::ObjectPool;
use super::sink::SinkProgram;
use super::thread_tuner::ThreadTuner;
use pointsman_ir::kernel::{Kernel, LEAF_ROWS, PartialSchema};
use pointsman_ir::types::{Scalar, Type};
use std::sync::Arc;

/// Steps times rows that a block program should compute between two reports of progress: a few milliseconds.
const BLOCK_MORSEL_COST: usize = 1 << 22;

/// A slot of a frame: the values (or truth values) of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(pub(super) u32);

impl Slot {
    /// The slot as a position.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A value of the kernel in a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// Its values.
    pub(super) data: Slot,
    /// Which of them are not null; `None`: all.
    pub(super) valid: Option<Slot>,
    /// Its type.
    pub(super) ty: Type,
}

/// One step of a block.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// A loop over elements.
    Call(Call),
    /// A look-up into a captured table or another table's column.
    Lookup(Lookup),
    /// A bounded loop.
    Loop(Box<LoopStep>),
}

/// A loop over elements. The result is never one of the operands, but may hold what an earlier call left.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) f: StepFn,
    pub(super) args: [Option<Slot>; 3],
    pub(super) dst: Slot,
    /// Where rows that fault are flagged.
    pub(super) flag: Option<Slot>,
    pub(super) imm: Imm,
}

/// A look-up.
#[derive(Clone, Debug)]
pub(super) struct Lookup {
    /// The loop over values.
    pub(super) f: StepFn,
    /// Which table, among [`Program::tables`].
    pub(super) table: usize,
    pub(super) index: Slot,
    pub(super) dst: Slot,
    pub(super) flag: Slot,
    /// Where the elements' validity goes, with its loop; for nullable columns.
    pub(super) valid: Option<(StepFn, Slot)>,
}

/// A bounded loop.
#[derive(Clone, Debug)]
pub(super) struct LoopStep {
    /// The maximum number of iterations.
    pub(super) bound: u32,
    /// Sets the state, the active rows and the flags.
    pub(super) before: Vec<Step>,
    /// The number of the iteration.
    pub(super) index: Option<Slot>,
    /// One iteration: the region, the checks, the condition, the new state.
    pub(super) body: Vec<Step>,
    /// Rows still iterating, if the loop has a condition.
    pub(super) active: Option<Slot>,
}

/// A column that a block loads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The kernel's column.
    pub(super) column: usize,
    /// Where it goes.
    pub(super) value: Value,
}

/// A table that look-ups read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableSource {
    /// A captured table.
    List(usize),
    /// A column of another table.
    Column {
        /// The other table.
        table: usize,
        /// Its column.
        column: usize,
    },
}

/// A loaded program.
pub(super) struct Program {
    /// The kernel as it was compiled.
    pub(super) kernel: Arc<Kernel>,
    /// Columns to load at the start of a block.
    pub(super) loads: Vec<Load>,
    /// Where the rows' numbers go.
    pub(super) row_numbers: Option<Slot>,
    /// Parameters and their values' slots.
    pub(super) params: Vec<(usize, Value)>,
    /// Slots that hold one constant value.
    pub(super) constants: Vec<(Slot, Scalar)>,
    /// Bytes of an element of each slot.
    pub(super) widths: Vec<usize>,
    /// Tables that look-ups read, with their columns' types.
    pub(super) tables: Vec<(TableSource, Type)>,
    /// The steps of a block.
    pub(super) steps: Vec<Step>,
    /// The rows that fault, if any can.
    pub(super) fault: Option<Slot>,
    /// The rows that reach the sink; `None`: all.
    pub(super) mask: Option<Slot>,
    /// Takes the rows that the mask selects.
    pub(super) sink: SinkProgram,
    /// The kernel as machine code; then there are no steps, and slots mean nothing.
    pub(super) jit_code: Option<JitCode>,
    /// The types of the finished result.
    pub(super) output: Vec<Type>,
    /// The types of a partial result.
    pub(super) partial: PartialSchema,
    /// How the program runs, as text for `explain`.
    pub(super) description: String,
    /// Chooses the number of threads of a launch.
    pub(super) thread_tuner: ThreadTuner,
    /// Reusable buffers in which threads merge their tree nodes.
    pub(super) merged: ObjectPool<[Nodes; 2]>,
    /// Frames that no launch uses now.
    frames: ObjectPool<BlockFrame>,
}

/// The parts of a block program, as `compile.rs` produces them.
pub(super) struct Parts {
    pub(super) loads: Vec<Load>,
    pub(super) row_numbers: Option<Slot>,
    pub(super) params: Vec<(usize, Value)>,
    pub(super) constants: Vec<(Slot, Scalar)>,
    pub(super) widths: Vec<usize>,
    pub(super) tables: Vec<(TableSource, Type)>,
    pub(super) steps: Vec<Step>,
    pub(super) fault: Option<Slot>,
    pub(super) mask: Option<Slot>,
    pub(super) sink: SinkProgram,
}

impl Program {
    /// A program of these parts.
    pub(super) fn new(kernel: Arc<Kernel>, parts: Parts, jit_code: Option<JitCode>, description: String) -> Program {
        let Parts { loads, row_numbers, params, constants, widths, tables, steps, fault, mask, sink } = parts;
        let width = |ty: &Type| ty.dtype.repr().bytes();
        let read: usize = loads.iter().map(|load| width(&load.value.ty)).sum();
        let written: usize =
            if matches!(sink, SinkProgram::Reduce(_)) { 0 } else { kernel.output().iter().map(width).sum() };
        let thread_tuner = ThreadTuner::new(read + written).with_operations_of(&kernel);
        Program {
            output: kernel.output(),
            partial: kernel.partial(),
            kernel,
            loads,
            row_numbers,
            params,
            constants,
            widths,
            tables,
            steps,
            fault,
            mask,
            sink,
            jit_code,
            description,
            thread_tuner,
            merged: ObjectPool::default(),
            frames: ObjectPool::default(),
        }
    }

    /// The number of rows, in whole leaves, after which a launch should report its progress.
    pub(super) fn call_rows(&self) -> usize {
        match &self.jit_code {
            Some(code) => code.call_rows,
            None => (BLOCK_MORSEL_COST / self.steps.len().max(1) / LEAF_ROWS).max(1) * LEAF_ROWS,
        }
    }

    /// Runs `f` with a frame of its own; frames are kept, so that a launch allocates nothing.
    pub(super) fn with_frame<R>(&self, params: &[Option<Scalar>], f: impl FnOnce(&mut BlockFrame) -> R) -> R {
        let mut frame = self.frames.take(|| BlockFrame::new(self));
        match &mut frame.jit {
            Some(jit_code) => jit_code.set_params(self, params),
            None => frame.block.set_params(self, params),
        }
        let result = f(&mut frame);
        self.frames.put(frame);
        result
    }
}
