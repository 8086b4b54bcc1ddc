//! The scratch memory of one thread in one program, and the execution of a block in it: columns are read, slots are
//! written.
//!
//! A slot holds [`BLOCK_ROWS`] elements. Columns that can be read in place are; their slots are then unused. Nothing
//! here allocates after [`BlockFrame::new`].

use super::block::{Args, BLOCK_ROWS, Imm, bytes};
use super::input::{ChunkSlice, Inputs};
use super::jit::JitFrame;
use super::launch::Execution;
use super::program::{Call, Lookup, LoopStep, Program, Slot, Step, Value};
use super::sink::SinkScratch;
use crate::host::HostBuffer;
use pointsman_ir::types::Scalar;

/// The scratch memory of one thread in one program.
pub(super) struct BlockFrame {
    /// The slots of the current block.
    pub(super) block: BlockSlots,
    /// The memory of machine code; if set, the slots are empty.
    pub(super) jit: Option<JitFrame>,
    /// The scratch memory of the sink.
    pub(super) sink: SinkScratch,
}

/// The slots of a block.
pub(super) struct BlockSlots {
    slots: Vec<HostBuffer>,
    /// The location of each loaded column if it is read in place, by position among the program's loads.
    places: Vec<Option<ChunkSlice>>,
    /// The load that fills each slot; `u32::MAX` if none does.
    load_of: Vec<u32>,
    params: Vec<Option<Scalar>>,
    params_set: bool,
    /// The number of rows of the current block.
    rows: usize,
    /// The cost, in about nanoseconds, that may still be spent before the next poll whether to continue.
    countdown: i64,
}

/// How the computation of a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockEnd {
    /// All rows are valid.
    Done,
    /// The first row that faults, relative to the block.
    Fault(usize),
    /// The launch was stopped.
    Stopped,
}

/// The launch was stopped inside a block.
struct Stopped;

/// The cost between two polls whether to continue, in about nanoseconds: a fraction of a millisecond, since some
/// operations take many times longer than others.
const POLL_BUDGET: i64 = 1 << 17;
/// The cost of a step besides that of its rows.
const STEP_COST: usize = 16;

impl BlockFrame {
    /// Allocates the frame of a program and writes its constants.
    pub(super) fn new(program: &Program) -> BlockFrame {
        let jit = program.jit_code.as_ref().map(|code| JitFrame::new(code, program));
        let slot_rows = if jit.is_some() { 0 } else { BLOCK_ROWS };
        let mut slots: Vec<HostBuffer> =
            program.widths.iter().map(|width| HostBuffer::zeroed(width * slot_rows)).collect();
        if jit.is_none() {
            for &(slot, value) in &program.constants {
                bytes::broadcast(&mut slots[slot.index()], value);
            }
        }
        let mut load_of = vec![u32::MAX; slots.len()];
        for (number, load) in program.loads.iter().enumerate() {
            load_of[load.value.data.index()] = number as u32;
        }
        let block = BlockSlots {
            slots,
            places: vec![None; program.loads.len()],
            load_of,
            params: vec![None; program.kernel.params.len()],
            params_set: false,
            rows: 0,
            countdown: POLL_BUDGET,
        };
        BlockFrame { block, jit, sink: SinkScratch::new(&program.sink) }
    }
}

impl BlockSlots {
    /// Broadcasts the parameters that changed to their slots.
    pub(super) fn set_params(&mut self, program: &Program, params: &[Option<Scalar>]) {
        for &(param, value) in &program.params {
            if self.params_set && self.params[param] == params[param] {
                continue;
            }
            let repr = value.ty.dtype.repr();
            bytes::broadcast(&mut self.slots[value.data.index()], params[param].unwrap_or(repr.zero()));
            if let Some(valid) = value.valid {
                self.slots[valid.index()].fill(params[param].is_some().into());
            }
        }
        self.params.copy_from_slice(params);
        self.params_set = true;
    }

    /// Computes the rows `start .. start + rows` of the launch.
    pub(super) fn run(&mut self, run: &Execution<'_>, start: usize, rows: usize) -> BlockEnd {
        let (program, inputs) = (run.program, &run.inputs);
        self.rows = rows;
        for (number, load) in program.loads.iter().enumerate() {
            self.load(number, load.column, load.value, inputs, start);
        }
        if let Some(slot) = program.row_numbers {
            bytes::number(&mut self.slots[slot.index()], rows, inputs.first_row + start as u64);
        }
        if let Err(Stopped) = self.steps(&program.steps, run) {
            return BlockEnd::Stopped;
        }
        let Some(fault) = program.fault else { return BlockEnd::Done };
        let faults = &self.slots[fault.index()][..rows];
        let first = if bytes::any(faults) { faults.iter().position(|&fault| fault != 0) } else { None };
        first.map_or(BlockEnd::Done, BlockEnd::Fault)
    }

    /// The values of a slot in the current block.
    pub(super) fn get<'a>(&'a self, inputs: &'a Inputs<'_>, slot: Slot) -> &'a [u8] {
        let load = self.load_of[slot.index()];
        if load != u32::MAX
            && let Some(place) = self.places[load as usize]
        {
            return inputs.bytes(place);
        }
        &self.slots[slot.index()]
    }

    /// The selection bytes of a slot in the current block.
    pub(super) fn flags(&self, slot: Slot) -> &[u8] {
        &self.slots[slot.index()][..self.rows]
    }

    fn load(&mut self, number: usize, column: usize, value: Value, inputs: &Inputs<'_>, start: usize) {
        self.places[number] = inputs.place(column, value.ty.dtype, start, self.rows);
        if self.places[number].is_none() {
            let dst = &mut self.slots[value.data.index()];
            inputs.load(column, value.ty.dtype, start, self.rows, dst);
        }
        if let Some(valid) = value.valid {
            inputs.load_validity(column, start, &mut self.slots[valid.index()][..self.rows]);
        }
    }

    fn steps(&mut self, steps: &[Step], run: &Execution<'_>) -> Result<(), Stopped> {
        for step in steps {
            self.count_down(run)?;
            match step {
                Step::Call(call) => self.call(call, &run.inputs),
                Step::Lookup(lookup) => self.lookup(lookup, &run.inputs),
                Step::Loop(repeat) => self.repeat(repeat, run)?,
            }
        }
        Ok(())
    }

    /// Counts a step, or an iteration, and asks whether the launch should continue if enough of them were computed
    /// since the last question.
    fn count_down(&mut self, run: &Execution<'_>) -> Result<(), Stopped> {
        self.countdown -= (STEP_COST + self.rows) as i64;
        if self.countdown >= 0 {
            return Ok(());
        }
        self.countdown = POLL_BUDGET;
        if run.should_continue() { Ok(()) } else { Err(Stopped) }
    }

    fn take(&mut self, slot: Option<Slot>) -> HostBuffer {
        slot.map_or_else(HostBuffer::default, |slot| std::mem::take(&mut self.slots[slot.index()]))
    }

    fn call(&mut self, call: &Call, inputs: &Inputs<'_>) {
        let mut dst = self.take(Some(call.dst));
        let mut flag = self.take(call.flag);
        let arg = |slot: Option<Slot>| slot.map_or(&[][..], |slot| self.get(inputs, slot));
        let [a, b, c] = call.args;
        (call.f)(Args { n: self.rows, a: arg(a), b: arg(b), c: arg(c), dst: &mut dst, flag: &mut flag, imm: call.imm });
        self.slots[call.dst.index()] = dst;
        if let Some(slot) = call.flag {
            self.slots[slot.index()] = flag;
        }
    }

    fn lookup(&mut self, lookup: &Lookup, inputs: &Inputs<'_>) {
        let mut dst = self.take(Some(lookup.dst));
        let mut flag = self.take(Some(lookup.flag));
        let mut valid = self.take(lookup.valid.map(|(_, slot)| slot));
        let table = inputs.table(lookup.table);
        let imm = Imm { factor: 0, limit: table.rows as i128 };
        let a = self.get(inputs, lookup.index);
        let n = self.rows;
        if let Some((f, slot)) = lookup.valid {
            f(Args { n, a, b: table.valid(), c: &[], dst: &mut valid, flag: &mut flag, imm });
            if table.valid().is_empty() {
                valid[..n].fill(1);
            }
            self.slots[slot.index()] = valid;
        }
        let a = self.get(inputs, lookup.index);
        (lookup.f)(Args { n, a, b: table.values(), c: &[], dst: &mut dst, flag: &mut flag, imm });
        self.slots[lookup.dst.index()] = dst;
        self.slots[lookup.flag.index()] = flag;
    }

    fn repeat(&mut self, repeat: &LoopStep, run: &Execution<'_>) -> Result<(), Stopped> {
        self.steps(&repeat.before, run)?;
        for iteration in 0..repeat.bound {
            if let Some(active) = repeat.active
                && !bytes::any(&self.slots[active.index()][..self.rows])
            {
                break;
            }
            if let Some(index) = repeat.index {
                bytes::broadcast(&mut self.slots[index.index()], Scalar::U32(iteration));
            }
            self.count_down(run)?;
            self.steps(&repeat.body, run)?;
        }
        Ok(())
    }
}
