//! Registers for straight-line code: in go steps over virtual registers, out come instructions over the processor's.
//!
//! Linear scan: every register lives from its first to its last step, or to the end of a loop that reads it; when none is left, the one that is needed last is
//! kept in memory, and so are constants that find no room. What lives in memory is loaded into a scratch register before
//! each step that reads it and stored behind each that writes it.

use super::step::{Access, Class, Hole, Home, Memory, Position, Reg, RegInfo, Size, Step};
use iced_x86::{Code, Instruction, Register};

/// Scratch registers a class needs when something lives in memory: no step has more operands of a class.
const SCRATCH: usize = 3;
/// Where a spilled register lies: its own 64 bytes.
const SPILL_BYTES: u32 = 64;

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

/// Gives registers out; `regions` are steps that run again, inner ones first; spilled registers lie from `spill_start`
/// on, counted from `base`.
pub(super) fn allocate(
    steps: &[Step],
    regs: &[RegInfo],
    regions: &[(usize, usize)],
    (base, spill_start): (Register, u32),
) -> Allocated {
    let lives = lives(steps, regions, regs.len());
    let mut places = vec![Place::Nowhere; regs.len()];
    let mut spill_end = spill_start;
    let mut scratch = [0u32; 2];
    for (class, first, count) in [(Class::Vector, 0, 32), (Class::Mask, 1, 7)] {
        let mut scan = Scan { regs, lives: &lives, class, base, spill_end };
        scratch[class as usize] = scan.run(first, count, &mut places);
        spill_end = scan.spill_end;
    }
    let fits = !places.iter().any(|place| matches!(place, Place::Memory(_)));
    let mut out = Allocated { before: Vec::new(), body: Vec::new(), spill_end, fits };
    for (info, place) in regs.iter().zip(&places) {
        if let (Some(home), Place::Register(number)) = (info.home, place) {
            out.before.push(load(info.class, *number, home));
        }
    }
    for step in steps {
        fill(step, regs, &places, scratch, &mut out.body);
    }
    out
}

/// The first and last step of each register; `None` for those that no step names.
fn lives(steps: &[Step], regions: &[(usize, usize)], regs: usize) -> Vec<Option<(usize, usize)>> {
    let mut lives = vec![None; regs];
    for (at, step) in steps.iter().enumerate() {
        for hole in &step.holes {
            let life: &mut Option<(usize, usize)> = &mut lives[hole.reg.index()];
            *life = Some((life.map_or(at, |(start, _)| start), at));
        }
    }
    for &(first, last) in regions {
        for (start, end) in lives.iter_mut().flatten() {
            if *start < first && (first..last).contains(end) {
                *end = last;
            }
        }
    }
    lives
}

struct Scan<'a> {
    regs: &'a [RegInfo],
    lives: &'a [Option<(usize, usize)>],
    class: Class,
    base: Register,
    spill_end: u32,
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
        let room = if fits { count } else { count - SCRATCH };
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
            let home = Home { base: self.base, offset: self.spill_end, spread: false };
            self.spill_end += SPILL_BYTES;
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

/// Fills the holes of a step.
fn fill(step: &Step, regs: &[RegInfo], places: &[Place], scratch: [u32; 2], out: &mut Vec<Instruction>) {
    let mut inst = step.inst;
    let mut borrowed: Vec<(Reg, u32, Home, bool)> = Vec::new();
    for hole in &step.holes {
        let class = regs[hole.reg.index()].class;
        let number = match places[hole.reg.index()] {
            Place::Register(number) => number,
            Place::Nowhere => scratch[class as usize],
            Place::Memory(home) => {
                let known = borrowed.iter().position(|(reg, ..)| *reg == hole.reg);
                let at = known.unwrap_or_else(|| {
                    let taken = borrowed.iter().filter(|(reg, ..)| regs[reg.index()].class == class).count();
                    borrowed.push((hole.reg, scratch[class as usize] + taken as u32, home, false));
                    if hole.access != Access::Def {
                        out.push(load(class, borrowed[borrowed.len() - 1].1, home));
                    }
                    borrowed.len() - 1
                });
                borrowed[at].3 |= hole.access != Access::Use;
                borrowed[at].1
            }
        };
        put(&mut inst, hole, number);
    }
    out.push(inst);
    for (reg, number, home, written) in borrowed {
        if written {
            out.push(store(regs[reg.index()].class, number, home));
        }
    }
}

fn put(inst: &mut Instruction, hole: &Hole, number: u32) {
    let register = match hole.size {
        Size::Zmm => Register::ZMM0 + number,
        Size::Ymm => Register::YMM0 + number,
        Size::Mask => Register::K0 + number,
    };
    match hole.position {
        Position::Operand(operand) => inst.set_op_register(operand, register),
        Position::Opmask => inst.set_op_mask(register),
    }
}

fn load(class: Class, number: u32, home: Home) -> Instruction {
    let memory = Memory::at(home.base, home.offset);
    let step = match (class, home.spread) {
        (Class::Mask, _) => Step::new(Code::VEX_Kmovw_kr_km16).gpr(Register::K0 + number),
        (Class::Vector, true) => Step::new(Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64).gpr(Register::ZMM0 + number),
        (Class::Vector, false) => Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).gpr(Register::ZMM0 + number),
    };
    step.mem(memory).inst
}

fn store(class: Class, number: u32, home: Home) -> Instruction {
    let memory = Memory::at(home.base, home.offset);
    match class {
        Class::Mask => Step::new(Code::VEX_Kmovw_m16_kr).mem(memory).gpr(Register::K0 + number).inst,
        Class::Vector => Step::new(Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm).mem(memory).gpr(Register::ZMM0 + number).inst,
    }
}
