//! Emits the function of a guarded kernel, around its bodies.
//!
//! Up to three bodies: full steps past the caches (`Store` with a flag set), full steps, and the last, partial step.
//! Each has its own registers; only the general registers named in `emitter` pass from one to the next.

use super::allocate::allocate;
use super::countdown;
use super::emitter::{BLOCK, BYTE, CURSOR, Emitter, POINTERS, ROW, ROWS, SCRATCH, Shared};
use super::fill::{self, Filled};
use super::layout::{Layout, Source};
use super::lower::Lower;
use super::place;
use super::sink::{self, Write};
use super::step::{Body, Memory, Reg, Step};
use super::{Code as Rendered, NotEmitted, Target, reduce};
use crate::guard::Guarded;
use crate::kernel::{Kernel, Sink};
use crate::types::Type;
use iced_x86::{Code, Instruction, Register};

/// Registers that the caller wants back as they were.
const SAVED: [Register; 6] = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];

/// Rows of a step.
pub(super) const STEP_ROWS: i8 = 16;

/// The maximum number of instructions of a kernel: beyond, the code would not fit the first-level cache by far, and
/// would take long to make.
const STEPS_MAX: usize = 20_000;

/// Refuses code of more than [`STEPS_MAX`] instructions.
pub(super) fn check_length(steps: usize) -> Result<(), NotEmitted> {
    if steps > STEPS_MAX {
        return Err(NotEmitted::new(format!("the code would have more than {STEPS_MAX} instructions")));
    }
    Ok(())
}

impl Body {
    /// Whether it reads or writes bitmaps.
    fn uses_bytes(&self) -> bool {
        self.steps.iter().any(|step| {
            let named = (0..step.inst.op_count()).map(|operand| step.inst.op_register(operand));
            let in_memory = [step.inst.memory_base(), step.inst.memory_index()];
            named.chain(in_memory).any(|register| register == BYTE)
        })
    }
}

/// Places in the code.
pub(super) struct Labels {
    pub(super) fault: u64,
    pub(super) end: u64,
    pub(super) tail: u64,
}

/// Makes machine code.
pub(super) fn render(guarded: &Guarded, target: Target) -> Result<Rendered, NotEmitted> {
    let kernel = &guarded.kernel;
    let layout = Layout::of(kernel);
    let mut shared = Shared::new(target, layout, pointers(kernel, &layout), Source::all(kernel));
    let labels = Labels { fault: shared.label(), end: shared.label(), tail: shared.label() };
    let mut code = if let Sink::Reduce { folds } = &kernel.sink {
        reduce::function(guarded, folds, &mut shared, &labels)?
    } else {
        written(guarded, &mut shared, &labels)?
    };
    code.countdown(&shared);
    check_length(code.out.len())?;
    Ok(Rendered {
        bytes: place::encode(&code.out, &code.heads)?,
        layout,
        sources: shared.sources,
        constants: shared.constants,
        scratch_bytes: code.spill_end as usize,
        step_cost: code.step_cost,
    })
}

/// The function of a kernel that writes rows.
fn written(guarded: &Guarded, shared: &mut Shared, labels: &Labels) -> Result<Function, NotEmitted> {
    let streaming = matches!(guarded.kernel.sink, Sink::Store { .. });
    let full = body(guarded, shared, labels, false, Write::Cached)?;
    let streamed = if streaming { Some(body(guarded, shared, labels, false, Write::Streaming)?) } else { None };
    let tail = body(guarded, shared, labels, true, Write::Cached)?;
    Ok(function(&full, streamed.as_ref(), &tail, shared, labels))
}

/// The function of these bodies.
fn function(full: &Body, streamed: Option<&Body>, tail: &Body, shared: &mut Shared, labels: &Labels) -> Function {
    let mut code = Function::new(shared);
    if let Some(streamed) = streamed {
        let cached = shared.label();
        let flag = Memory::at(BLOCK, 8 * Layout::STREAM as u32);
        code.push(Step::new(Code::Cmp_rm64_imm8).mem(flag).imm8_sx64(0));
        code.push(Step::jump(Code::Je_rel32_64, cached));
        code.full(streamed, shared, labels.tail);
        code.push(Step::new(Code::Sfence));
        code.push(Step::jump(Code::Jmp_rel32_64, labels.tail));
        code.push(Step::label(cached));
    }
    code.full(full, shared, labels.tail);
    code.push(Step::label(labels.tail));
    code.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(ROWS));
    code.push(Step::jump(Code::Jae_rel32_64, labels.end));
    code.body(tail, |_| {});
    code.epilogue(labels);
    code
}

/// The pointers that get registers: values first, then bitmaps.
fn pointers(kernel: &Kernel, layout: &Layout) -> Vec<usize> {
    let mut used = vec![false; kernel.columns.len()];
    for (_, inst, _) in kernel.body.iter() {
        if let crate::body::Inst::Column(column) = inst {
            used[column.index()] = true;
        }
    }
    let columns = || (0..used.len()).filter(|&column| used[column]);
    let mut words: Vec<usize> = columns().map(|column| layout.column_values(column)).collect();
    let (mut outputs, mut room): (Vec<Filled>, usize) = (fill::outputs(kernel), POINTERS.len());
    if matches!(kernel.sink, Sink::Store { .. } | Sink::Compact { .. }) {
        let written = |ty: Type| Filled { values: true, bits: ty.nullable };
        outputs = kernel.output().into_iter().map(written).collect();
    } else if matches!(kernel.sink, Sink::Reduce { .. }) {
        room = reduce::POINTERS_MAX;
    }
    let with_values = (0..outputs.len()).filter(|&output| outputs[output].values);
    words.extend(with_values.map(|output| layout.output_values(output)));
    words.extend(columns().filter(|&c| kernel.columns[c].nullable).map(|column| layout.column_validity(column)));
    let with_bits = (0..outputs.len()).filter(|&output| outputs[output].bits);
    words.extend(with_bits.map(|output| layout.output_validity(output)));
    words.truncate(room);
    words
}

/// The steps of 16 rows, or of the last ones.
fn body(guarded: &Guarded, shared: &mut Shared, labels: &Labels, tail: bool, write: Write) -> Result<Body, NotEmitted> {
    let mut e = Emitter::new(shared);
    if tail {
        e.tail = Some(last_rows(&mut e));
    }
    let mut lower = Lower::new(e, guarded);
    lower.run()?;
    checks(&mut lower, labels)?;
    let mask = match guarded.kernel.mask {
        Some(mask) => Some(lower.is_true(mask)?),
        None => None,
    };
    sink::lower(&mut lower, mask, write)?;
    lower.e.into_body(tail)
}

/// The rows that are left, as a mask of 16; there are fewer than 256.
pub(super) fn last_rows(e: &mut Emitter<'_>) -> Reg {
    let (eax, ebx) = (Register::EAX, Register::EBX);
    e.push(Step::new(Code::Mov_r32_rm32).gpr(eax).gpr(Register::ECX));
    e.push(Step::new(Code::Sub_r32_rm32).gpr(eax).gpr(Register::ESI));
    e.push(Step::new(Code::Mov_r32_imm32).gpr(ebx).imm32(u32::MAX));
    e.push(Step::new(Code::VEX_Bzhi_r32_rm32_r32).gpr(ebx).gpr(ebx).gpr(eax));
    let rows = e.mask();
    e.push(Step::new(Code::VEX_Kmovw_kr_r32).def_mask(rows).gpr(ebx));
    rows
}

/// Returns if a row faults, with the mask of these rows in `eax`.
pub(super) fn checks(lower: &mut Lower<'_, '_>, labels: &Labels) -> Result<(), NotEmitted> {
    let guarded = lower.guarded;
    let Some(faults) = lower.faults(&guarded.checks)? else { return Ok(()) };
    let tail = lower.e.tail;
    let faults = tail.map_or(faults, |tail| lower.e.and(faults, tail));
    lower.e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(faults));
    lower.e.push(Step::new(Code::Test_rm32_r32).gpr(Register::EAX).gpr(Register::EAX));
    lower.e.push(Step::jump(Code::Jne_rel32_64, labels.fault));
    Ok(())
}

/// The function while it is emitted.
pub(super) struct Function {
    target: Target,
    out: Vec<Instruction>,
    /// The labels of the loops over rows.
    pub(super) heads: Vec<u64>,
    spill_start: u32,
    spill_end: u32,
    /// The cost of a full step.
    step_cost: u64,
}

impl Function {
    /// A function that has all but its bodies; no constants are added once it is there.
    pub(super) fn new(shared: &Shared) -> Function {
        let spill_start = (8 * shared.constants.len() as u32).next_multiple_of(64);
        let mut code = Function {
            target: shared.target,
            out: Vec::new(),
            heads: Vec::new(),
            spill_end: spill_start,
            spill_start,
            step_cost: 0,
        };
        code.prologue(shared);
        code
    }

    pub(super) fn push(&mut self, step: Step) {
        self.out.push(step.inst);
    }

    fn prologue(&mut self, shared: &Shared) {
        for register in SAVED {
            self.push(Step::new(Code::Push_r64).gpr(register));
        }
        let word = |word: usize| Memory::at(BLOCK, 8 * word as u32);
        self.push(Step::new(Code::Mov_r64_rm64).gpr(ROWS).mem(word(Layout::ROWS)));
        self.push(Step::new(Code::Mov_r64_rm64).gpr(SCRATCH).mem(word(Layout::SCRATCH)));
        for (&pointer, register) in shared.pointers.iter().zip(POINTERS) {
            self.push(Step::new(Code::Mov_r64_rm64).gpr(register).mem(word(pointer)));
        }
        for register in [Register::ESI, Register::EDX, Register::R15D] {
            self.push(Step::new(Code::Xor_r32_rm32).gpr(register).gpr(register));
        }
    }

    /// All full steps, then a jump after them.
    pub(super) fn full(&mut self, body: &Body, shared: &mut Shared, tail: u64) {
        let again = shared.label();
        self.heads.push(again);
        self.step_cost = body.cost;
        let last = Memory::at(BLOCK, 8 * Layout::LAST_STEP as u32);
        // A call of fewer rows than a step has no last step: the number is below 0.
        self.push(Step::new(Code::Mov_r64_rm64).gpr(Register::RAX).gpr(ROWS));
        self.push(Step::new(Code::Sub_rm64_imm8).gpr(Register::RAX).imm8_sx64(STEP_ROWS));
        self.push(Step::new(Code::Mov_rm64_r64).mem(last).gpr(Register::RAX));
        self.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(Register::RAX));
        self.push(Step::jump(Code::Jg_rel32_64, tail));
        self.body(body, |code| code.push(Step::label(again)));
        self.push(Step::new(Code::Add_rm64_imm8).gpr(ROW).imm8_sx64(STEP_ROWS));
        if body.uses_bytes() {
            self.push(Step::new(Code::Add_rm64_imm8).gpr(BYTE).imm8_sx64(STEP_ROWS / 8));
        }
        countdown::count_rows(shared, body.cost).into_iter().for_each(|step| self.push(step));
        self.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).mem(last));
        self.push(Step::jump(Code::Jle_rel32_64, again));
    }

    /// A body with registers; what never changes is loaded before `start`.
    pub(super) fn body(&mut self, body: &Body, start: impl FnOnce(&mut Function)) {
        let allocated = allocate(body, self.target, (SCRATCH, self.spill_start));
        self.spill_end = self.spill_end.max(allocated.spill_end);
        self.out.extend(allocated.before);
        start(self);
        self.out.extend(allocated.body);
    }

    fn epilogue(&mut self, labels: &Labels) {
        let word = |word: usize| Memory::at(BLOCK, 8 * word as u32);
        self.push(Step::jump(Code::Jmp_rel32_64, labels.end));
        self.push(Step::label(labels.fault));
        // Stores that bypass the caches complete before the memory is reused.
        self.push(Step::new(Code::Sfence));
        self.push(Step::new(Code::Tzcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
        self.push(Step::new(Code::Add_r64_rm64).gpr(Register::RAX).gpr(ROW));
        self.push(Step::new(Code::Mov_rm64_r64).mem(word(Layout::FAULT)).gpr(Register::RAX));
        self.push(Step::label(labels.end));
        self.push(Step::new(Code::Mov_rm64_r64).mem(word(Layout::WRITTEN)).gpr(CURSOR));
        self.ret();
    }

    /// Gives the caller's registers back and returns.
    pub(super) fn ret(&mut self) {
        self.push(Step::new(Code::VEX_Vzeroupper));
        for register in SAVED.into_iter().rev() {
            self.push(Step::new(Code::Pop_r64).gpr(register));
        }
        self.push(Step::new(Code::Retnq));
    }
}
