//! Register allocation for straight-line code: assigns the processor's registers to steps over virtual ones.
//!
//! Linear scan: every register lives from its first to its last step, or to the end of a loop that reads it; when none
//! is left, the one that is needed last is kept in memory, and so are constants that find no room. What lives in memory
//! is loaded into a scratch register before each step that reads it and stored after each that writes it.

use super::Target;
use super::regions::Regions;
use super::step::{Access, Body, Class, Fill, Home, Memory, Position, Reg, RegInfo, Size, Step, VirtualOperand};
use iced_x86::{Code, Instruction, Register};

/// Scratch registers a class needs when something lives in memory: no step reads more registers of a class.
const SCRATCH: usize = 3;

/// The numbers of allocatable vectors and masks, and the first of each. The first mask register is reserved, because it
/// means no mask.
fn bank(target: Target) -> [(Class, u32, usize); 2] {
    match target {
        Target::Avx512 => [(Class::Vector, 0, 32), (Class::Mask, 1, 7)],
        Target::Avx2 => [(Class::Vector, 0, 16), (Class::Mask, 1, 0)],
    }
}

/// The memory of a spilled register.
fn spill_bytes(target: Target) -> u32 {
    match target {
        Target::Avx512 => 64,
        Target::Avx2 => 32,
    }
}

/// Instructions with the processor's registers.
pub(super) struct Allocated {
    /// Loads what never changes; run once before the loop.
    pub(super) before: Vec<Instruction>,
    /// The steps.
    pub(super) body: Vec<Instruction>,
    /// One past the last byte of memory that spilled registers take.
    pub(super) spill_end: u32,
    /// Whether everything found a register.
    pub(super) fits: bool,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    Register(u32),
    Memory(Home),
}

/// Gives registers out; spilled registers lie from `spill_start` on, counted from `base`.
pub(super) fn allocate(body: &Body, target: Target, (base, spill_start): (Register, u32)) -> Allocated {
    let Body { steps, regs, regions, cost: _ } = body;
    let lives = lives(steps, regions, regs.len());
    let mut places = vec![Place::Nowhere; regs.len()];
    let mut spill_end = spill_start;
    let mut scratch = [0u32; 2];
    for (class, first, count) in bank(target) {
        let mut scan = Scan { regs, lives: &lives, class, base, spill_end, spill_bytes: spill_bytes(target) };
        scratch[class as usize] = scan.run(first, count, &mut places);
        spill_end = scan.spill_end;
    }
    let fits = !places.iter().any(|place| matches!(place, Place::Memory(_)));
    let mut out = Allocated { before: Vec::new(), body: Vec::new(), spill_end, fits };
    for (info, place) in regs.iter().zip(&places) {
        if let (Some(home), Place::Register(number)) = (info.home, place) {
            out.before.push(load(target, info.class, *number, home));
        }
    }
    let mut filler = Filler { target, regs, places: &places, scratch, held: Default::default(), borrows: 0 };
    for step in steps {
        filler.fill(step, &mut out.body);
    }
    out
}

/// The first and last step of each register; `None` for those that no step names.
fn lives(steps: &[Step], regions: &[(usize, usize)], regs: usize) -> Vec<Option<(usize, usize)>> {
    let mut lives = vec![None; regs];
    for (at, step) in steps.iter().enumerate() {
        for operand in &step.virtual_operands {
            let life: &mut Option<(usize, usize)> = &mut lives[operand.reg.index()];
            *life = Some((life.map_or(at, |(start, _)| start), at));
        }
    }
    if regions.is_empty() {
        return lives;
    }
    let regions = Regions::new(regions, steps.len());
    for (start, end) in lives.iter_mut().flatten() {
        *end = regions.end_of_life(*start, *end);
    }
    lives
}

struct Scan<'a> {
    regs: &'a [RegInfo],
    lives: &'a [Option<(usize, usize)>],
    class: Class,
    base: Register,
    spill_end: u32,
    spill_bytes: u32,
}

impl Scan<'_> {
    /// Gives out `count` registers from `first` on; the first of the scratch registers.
    fn run(&mut self, first: u32, count: usize, places: &mut [Place]) -> u32 {
        let of_class = |reg: usize| self.regs[reg].class == self.class && self.lives[reg].is_some();
        let (fixed, moving): (Vec<usize>, Vec<usize>) =
            (0..self.regs.len()).filter(|&reg| of_class(reg)).partition(|&reg| self.regs[reg].home.is_some());
        let mut moving: Vec<(usize, usize, usize)> =
            moving.into_iter().filter_map(|reg| self.lives[reg].map(|(start, end)| (start, end, reg))).collect();
        moving.sort_unstable();
        let peak = peak(&moving);
        let fits = peak + fixed.len() <= count;
        let room = if fits { count } else { count.saturating_sub(SCRATCH) };
        let kept = room.saturating_sub(peak).min(fixed.len());
        for (number, &reg) in fixed.iter().enumerate() {
            let home = self.regs[reg].home;
            places[reg] = match home {
                Some(home) if number >= kept => Place::Memory(home),
                Some(_) | None => Place::Register(first + number as u32),
            };
        }
        let free: Vec<u32> = (first + kept as u32..first + room as u32).rev().collect();
        self.scan(&moving, free, places);
        first + room as u32
    }

    fn scan(&mut self, moving: &[(usize, usize, usize)], mut free: Vec<u32>, places: &mut [Place]) {
        let mut active: Vec<(usize, u32, usize)> = Vec::new();
        for &(start, end, reg) in moving {
            // A register that is read for the last time may be written by the same step.
            active.retain(|&(last, number, _)| {
                if last <= start {
                    free.push(number);
                }
                last > start
            });
            if let Some(number) = free.pop() {
                places[reg] = Place::Register(number);
                active.push((end, number, reg));
                continue;
            }
            let home = Home { base: self.base, offset: self.spill_end, fill: Fill::Whole };
            self.spill_end += self.spill_bytes;
            let longest = active.iter().copied().enumerate().max_by_key(|(_, (last, ..))| *last);
            match longest {
                Some((position, (last, number, other))) if last > end => {
                    places[other] = Place::Memory(home);
                    places[reg] = Place::Register(number);
                    active[position] = (end, number, reg);
                }
                Some(_) | None => places[reg] = Place::Memory(home),
            }
        }
    }
}

/// The most registers alive at once; `moving` is in order of starts.
fn peak(moving: &[(usize, usize, usize)]) -> usize {
    let mut ends = std::collections::BinaryHeap::new();
    let mut most = 0;
    for &(start, end, _) in moving {
        while ends.peek().is_some_and(|&std::cmp::Reverse(last)| last <= start) {
            ends.pop();
        }
        ends.push(std::cmp::Reverse(end));
        most = most.max(ends.len());
    }
    most
}

/// Replaces the virtual operands of steps by registers.
struct Filler<'a> {
    target: Target,
    regs: &'a [RegInfo],
    places: &'a [Place],
    scratch: [u32; 2],
    /// The contents of the scratch registers of each class.
    held: [[Held; SCRATCH]; 2],
    borrows: u64,
}

/// The contents of a scratch register, and the number of borrows up to its last use.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    reg: Option<Reg>,
    used: u64,
}

/// Scratch registers that the step in progress reads, by class.
type Taken = [[bool; SCRATCH]; 2];

impl Filler<'_> {
    fn class(&self, reg: Reg) -> usize {
        self.regs[reg.index()].class as usize
    }

    /// Loads the registers that the step reads, unless an earlier step left them there, and stores those that it
    /// writes.
    fn fill(&mut self, step: &Step, out: &mut Vec<Instruction>) {
        if step.inst.code() == Code::Nopd {
            // Jumps come here from elsewhere.
            self.held = Default::default();
        }
        let mut inst = step.inst;
        let mut taken = Taken::default();
        let mut stores = Vec::new();
        let (read, written): (Vec<&VirtualOperand>, Vec<&VirtualOperand>) =
            step.virtual_operands.iter().partition(|operand| operand.access != Access::Def);
        for operand in read.into_iter().chain(written) {
            let number = match self.places[operand.reg.index()] {
                Place::Register(number) => number,
                Place::Nowhere => self.scratch[self.class(operand.reg)],
                Place::Memory(home) => {
                    let number = self.borrow(operand, home, &mut taken, out);
                    if operand.access != Access::Use {
                        stores.push(store(self.target, self.regs[operand.reg.index()].class, number, home));
                    }
                    number
                }
            };
            put(&mut inst, operand, number);
        }
        out.push(inst);
        out.extend(stores);
    }

    /// A scratch register for one that lives in memory: the one that holds it, or the one that was used longest ago and
    /// that the step does not read; what is only written may take one that is read.
    fn borrow(&mut self, operand: &VirtualOperand, home: Home, taken: &mut Taken, out: &mut Vec<Instruction>) -> u32 {
        let class = self.class(operand.reg);
        let held = &mut self.held[class];
        let known = held.iter().position(|held| held.reg == Some(operand.reg));
        let free = || (0..SCRATCH).filter(|&at| !taken[class][at]).min_by_key(|&at| held[at].used);
        let at = known.or_else(free).unwrap_or(0);
        self.borrows += 1;
        held[at] = Held { reg: Some(operand.reg), used: self.borrows };
        taken[class][at] |= operand.access != Access::Def;
        let number = self.scratch[class] + at as u32;
        if known.is_none() && operand.access != Access::Def {
            out.push(load(self.target, self.regs[operand.reg.index()].class, number, home));
        }
        number
    }
}

fn put(inst: &mut Instruction, operand: &VirtualOperand, number: u32) {
    let register = match operand.size {
        Size::Zmm => Register::ZMM0 + number,
        Size::Ymm => Register::YMM0 + number,
        Size::Xmm => Register::XMM0 + number,
        Size::Mask => Register::K0 + number,
    };
    match operand.position {
        Position::Operand(operand) => inst.set_op_register(operand, register),
        Position::Opmask => inst.set_op_mask(register),
    }
}

fn load(target: Target, class: Class, number: u32, home: Home) -> Instruction {
    let memory = Memory::at(home.base, home.offset);
    let (code, first) = match (target, class, home.fill) {
        (_, Class::Mask, _) => (Code::VEX_Kmovw_kr_km16, Register::K0),
        (Target::Avx512, _, Fill::Whole) => (Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, Register::ZMM0),
        (Target::Avx512, _, Fill::Broadcast8) => (Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, Register::ZMM0),
        (Target::Avx512, _, Fill::Broadcast2) => (Code::EVEX_Vpbroadcastw_zmm_k1z_xmmm16, Register::ZMM0),
        (Target::Avx2, _, Fill::Whole) => (Code::VEX_Vmovdqu_ymm_ymmm256, Register::YMM0),
        (Target::Avx2, _, Fill::Broadcast8) => (Code::VEX_Vpbroadcastq_ymm_xmmm64, Register::YMM0),
        (Target::Avx2, _, Fill::Broadcast2) => (Code::VEX_Vpbroadcastw_ymm_xmmm16, Register::YMM0),
    };
    Step::new(code).gpr(first + number).mem(memory).inst
}

fn store(target: Target, class: Class, number: u32, home: Home) -> Instruction {
    let (code, first) = match (target, class) {
        (_, Class::Mask) => (Code::VEX_Kmovw_m16_kr, Register::K0),
        (Target::Avx512, Class::Vector) => (Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm, Register::ZMM0),
        (Target::Avx2, Class::Vector) => (Code::VEX_Vmovdqu_ymmm256_ymm, Register::YMM0),
    };
    Step::new(code).mem(Memory::at(home.base, home.offset)).gpr(first + number).inst
}
