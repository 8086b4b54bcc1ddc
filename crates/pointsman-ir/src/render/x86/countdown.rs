//! How emitted code polls for cancellation. The argument block holds a budget: the cost that may still be spent before
//! the code polls again. A costly loop converts the budget into an iteration limit on entry and charges its iterations
//! on exit, so an iteration costs nothing extra: it compares its counter with the limit instead of the bound. The row
//! loop charges the budget if one step of rows is costly. The cost of every other loop is part of the code around it.
//!
//! The poll routine is emitted once, after the function, and saves all caller-saved registers, so no step needs to
//! know about it.

use super::Target;
use super::emitter::{BLOCK, Shared};
use super::frame::Function;
use super::layout::Layout;
use super::step::{Memory, Step};
use crate::body::{Body, Inst, ValueId};
use iced_x86::{Code, Mnemonic, Register};
use std::collections::BTreeSet;

/// The cost between two polls, in vector instructions; about a millisecond.
pub const POLL_BUDGET: i64 = 1 << 21;
/// The most that a loop may cost without counting down.
const LOOP_COST_MAX: u64 = 1 << 14;
/// The most that a step of rows may cost if the loop over rows does not count down: a leaf then costs no more than
/// [`POLL_BUDGET`].
const STEP_COST_MAX: u64 = 1 << 13;
/// The assumed cost of an instruction of the body, before it is lowered.
const INST_COST: u64 = 8;

/// The largest shift that stands for a cost: with [`LOOP_BOUND_MAX`] iterations it stays in 64 bits.
///
/// [`LOOP_BOUND_MAX`]: crate::body::LOOP_BOUND_MAX
const COST_SHIFT_MAX: u32 = 32;

/// General registers that a callee may change; all but the result.
const VOLATILE: [Register; 8] = [
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

/// The labels of the poll routine, and whether a loop uses it.
pub(super) struct Countdown {
    /// The poll routine; the flag "zero" is set if the code must stop.
    poll: u64,
    /// Leaves the code as stopped.
    stopped: u64,
    is_used: bool,
}

impl Countdown {
    pub(super) fn new(poll: u64, stopped: u64) -> Countdown {
        Countdown { poll, stopped, is_used: false }
    }
}

/// The cost of steps that run once.
pub(super) fn cost(steps: &[Step], target: Target) -> u64 {
    let factor = match target {
        Target::Avx512 => 1,
        // Most instructions become two.
        Target::Avx2 => 2,
    };
    steps.iter().map(|step| factor * step_cost(step)).sum()
}

fn step_cost(step: &Step) -> u64 {
    use Mnemonic::{Div, Idiv, Vdivpd, Vdivps, Vdivsd, Vsqrtpd, Vsqrtps};
    if matches!(step.inst.mnemonic(), Div | Idiv | Vdivpd | Vdivps | Vdivsd | Vsqrtpd | Vsqrtps) { 16 } else { 1 }
}

/// The loops that count down: those whose iterations may cost more than [`LOOP_COST_MAX`] in total, including inner
/// loops that do not count down themselves.
pub(super) fn counting_loops(body: &Body) -> BTreeSet<ValueId> {
    let mut counting = BTreeSet::new();
    let mut open: Vec<(ValueId, u32, u32, u64)> = Vec::new();
    let mut close = |open: &mut Vec<(ValueId, u32, u32, u64)>| {
        let Some((v, bound, _, iteration)) = open.pop() else { return };
        let all = u64::from(bound).saturating_mul(iteration);
        let counts = all > LOOP_COST_MAX;
        if counts {
            counting.insert(v);
        }
        if let Some((.., around)) = open.last_mut() {
            *around = around.saturating_add(if counts { iteration } else { all });
        }
    };
    for (v, inst, _) in body.iter() {
        while open.last().is_some_and(|&(_, _, end, _)| end <= v.0) {
            close(&mut open);
        }
        if let Some((.., iteration)) = open.last_mut() {
            *iteration += INST_COST;
        }
        if let Inst::Loop { bound, end, .. } = inst {
            open.push((v, *bound, *end, INST_COST));
        }
    }
    while !open.is_empty() {
        close(&mut open);
    }
    counting
}

/// log2 of the cost, rounded up.
pub(super) fn shift(cost: u64) -> u8 {
    (u64::BITS - (cost.max(1) - 1).leading_zeros()).min(COST_SHIFT_MAX) as u8
}

fn word(shared: &Shared, of: impl FnOnce(&Layout) -> usize) -> Memory {
    Memory::at(BLOCK, 8 * of(&shared.layout) as u32)
}

/// Sets the first limit of a loop: the iterations that are left, but no more than the bound. The shift of the
/// second step is set when the cost of an iteration is known.
pub(super) fn set_limit(shared: &Shared, bound: u32, limit: Memory) -> [Step; 6] {
    let (eax, rax, ebx, rbx) = (Register::EAX, Register::RAX, Register::EBX, Register::RBX);
    [
        Step::new(Code::Mov_r64_rm64).gpr(rax).mem(word(shared, Layout::countdown)),
        Step::new(Code::Sar_rm64_imm8).gpr(rax).imm(0),
        Step::new(Code::Mov_r32_imm32).gpr(ebx).imm32(bound),
        Step::new(Code::Cmp_r64_rm64).gpr(rax).gpr(rbx),
        Step::new(Code::Cmovg_r64_rm64).gpr(rax).gpr(rbx),
        Step::new(Code::Mov_rm32_r32).mem(limit).gpr(eax),
    ]
}

/// Sets the next limit of a loop when its countdown has started again: all iterations so far are charged.
pub(super) fn next_limit(bound: u32, counter: Memory, limit: Memory, shift: u8) -> [Step; 7] {
    let (eax, ebx) = (Register::EAX, Register::EBX);
    let left = (POLL_BUDGET >> shift).max(1) as u32;
    [
        Step::new(Code::Mov_r32_rm32).gpr(eax).mem(counter),
        Step::new(Code::Mov_rm32_r32).mem(counter.plus(4)).gpr(eax),
        Step::new(Code::Add_rm32_imm32).gpr(eax).imm32(left),
        Step::new(Code::Mov_r32_imm32).gpr(ebx).imm32(bound),
        Step::new(Code::Cmp_r32_rm32).gpr(eax).gpr(ebx),
        Step::new(Code::Cmovg_r32_rm32).gpr(eax).gpr(ebx),
        Step::new(Code::Mov_rm32_r32).mem(limit).gpr(eax),
    ]
}

/// Charges the iterations since the last charge.
pub(super) fn charge(shared: &Shared, counter: Memory, shift: u8) -> [Step; 4] {
    let (eax, rax) = (Register::EAX, Register::RAX);
    [
        Step::new(Code::Mov_r32_rm32).gpr(eax).mem(counter),
        Step::new(Code::Sub_r32_rm32).gpr(eax).mem(counter.plus(4)),
        Step::new(Code::Shl_rm64_imm8).gpr(rax).imm(shift),
        Step::new(Code::Sub_rm64_r64).mem(word(shared, Layout::countdown)).gpr(rax),
    ]
}

/// Polls; the code after it runs only if it may continue, with a new budget.
pub(super) fn poll(shared: &mut Shared) -> [Step; 3] {
    shared.countdown.is_used = true;
    let start = Step::new(Code::Mov_rm64_imm32).mem(word(shared, Layout::countdown)).imm32_sx64(POLL_BUDGET as i32);
    [
        Step::jump(Code::Call_rel32_64, shared.countdown.poll),
        Step::jump(Code::Je_rel32_64, shared.countdown.stopped),
        start,
    ]
}

/// Whether the row loop polls: if one step of rows is costly.
pub(super) fn polls_in_row_loop(step_cost: u64) -> bool {
    step_cost > STEP_COST_MAX
}

/// The end of a loop over rows.
pub(super) fn count_rows(shared: &mut Shared, step_cost: u64) -> Vec<Step> {
    if !polls_in_row_loop(step_cost) {
        return Vec::new();
    }
    let goes_on = shared.label();
    let cost = step_cost.min(POLL_BUDGET as u64) as i32;
    let mut steps = vec![
        Step::new(Code::Sub_rm64_imm32).mem(word(shared, Layout::countdown)).imm32_sx64(cost),
        Step::jump(Code::Jns_rel32_64, goes_on),
    ];
    steps.extend(poll(shared));
    steps.push(Step::label(goes_on));
    steps
}

impl Function {
    /// The poll routine, and the exit of code that must stop; nothing if no loop polls.
    pub(super) fn countdown(&mut self, shared: &Shared) {
        if !shared.countdown.is_used {
            return;
        }
        self.push(Step::label(shared.countdown.stopped));
        // Makes non-temporal stores visible before the memory is reused.
        self.push(Step::new(Code::Sfence));
        self.push(Step::new(Code::Mov_rm64_imm32).mem(word(shared, Layout::stopped)).imm32_sx64(1));
        self.ret();
        self.push(Step::label(shared.countdown.poll));
        for register in VOLATILE.into_iter().chain([Register::RBP]) {
            self.push(Step::new(Code::Push_r64).gpr(register));
        }
        let (rsp, rbp, rax, rdi) = (Register::RSP, Register::RBP, Register::RAX, Register::RDI);
        let saved = saved(shared.target);
        let bytes = saved.last().map_or(0, |(_, _, memory)| memory.offset + 64).next_multiple_of(64);
        self.push(Step::new(Code::Mov_r64_rm64).gpr(rbp).gpr(rsp));
        self.push(Step::new(Code::Sub_rm64_imm32).gpr(rsp).imm32_sx64(bytes as i32));
        self.push(Step::new(Code::And_rm64_imm8).gpr(rsp).imm8_sx64(-64));
        for (register, [store, _], memory) in &saved {
            self.push(Step::new(*store).mem(*memory).gpr(*register));
        }
        self.push(Step::new(Code::Mov_r64_rm64).gpr(rax).mem(word(shared, Layout::should_continue)));
        self.push(Step::new(Code::Mov_r64_rm64).gpr(rdi).mem(word(shared, Layout::should_continue_argument)));
        self.push(Step::new(Code::VEX_Vzeroupper));
        self.push(Step::new(Code::Call_rm64).gpr(rax));
        for (register, [_, load], memory) in &saved {
            self.push(Step::new(*load).gpr(*register).mem(*memory));
        }
        self.push(Step::new(Code::Mov_r64_rm64).gpr(rsp).gpr(rbp));
        for register in [Register::RBP].into_iter().chain(VOLATILE.into_iter().rev()) {
            self.push(Step::new(Code::Pop_r64).gpr(register));
        }
        self.push(Step::new(Code::Test_rm32_r32).gpr(Register::EAX).gpr(Register::EAX));
        self.push(Step::new(Code::Retnq));
    }
}

/// The vectors and masks of a target, how each is stored and loaded, and its place on the stack.
fn saved(target: Target) -> Vec<(Register, [Code; 2], Memory)> {
    let (vectors, masks, first, codes) = match target {
        Target::Avx512 => {
            let codes = [Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512];
            (32, 8, Register::ZMM0, codes)
        }
        Target::Avx2 => (16, 0, Register::YMM0, [Code::VEX_Vmovdqu_ymmm256_ymm, Code::VEX_Vmovdqu_ymm_ymmm256]),
    };
    let place = |number: u32| Memory::at(Register::RSP, 64 * number);
    let vectors = (0..vectors).map(|number| (first + number, codes, place(number)));
    let codes = [Code::VEX_Kmovw_m16_kr, Code::VEX_Kmovw_kr_km16];
    let masks = (0..masks).map(|number| (Register::K0 + number, codes, place(32 + number)));
    vectors.chain(masks).collect()
}
