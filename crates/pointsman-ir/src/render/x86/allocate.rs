//! Registers for straight-line code: in go steps over virtual registers, out come instructions over the processor's.
//!
//! Linear scan: every register lives from its first to its last step, or to the end of a loop that reads it; when none is left, the one that is needed last is
//! kept in memory, and so are constants that find no room. What lives in memory is loaded into a scratch register before
//! each step that reads it and stored behind each that writes it.

use super::Target;
use super::step::{Access, Body, Class, Fill, Hole, Home, Memory, Position, Reg, RegInfo, Size, Step};
use iced_x86::{Code, Instruction, Register};

/// Scratch registers a class needs when something lives in memory: no step reads more registers of a class.
const SCRATCH: usize = 3;

/// How many vectors and masks there are to give out, and the first of each; the first mask means no mask at all.
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
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Nowhere,
    Register(u32),
    Memory(Home),
}

/// Gives registers out; spilled registers lie from `spill_start` on, counted from `base`.
pub(super) fn allocate(body: &Body, target: Target, (base, spill_start): (Register, u32)) -> Allocated {
    let Body { steps, regs, regions } = body;
    let lives = lives(steps, regions, regs.len());
    let mut places = vec![Place::Nowhere; regs.len()];
    let mut spill_end = spill_start;
    let mut scratch = [0u32; 2];
    for (class, first, count) in bank(target) {
        let mut scan = Scan { regs, lives: &lives, class, base, spill_end, spill_bytes: spill_bytes(target) };
        scratch[class as usize] = scan.run(first, count, &mut places);
        spill_end = scan.spill_end;
    }
    let mut out = Allocated { before: Vec::new(), body: Vec::new(), spill_end };
    for (info, place) in regs.iter().zip(&places) {
        if let (Some(home), Place::Register(number)) = (info.home, place) {
            out.before.push(load(target, info.class, *number, home));
        }
    }
    let filler = Filler { target, regs, places: &places, scratch };
    for step in steps {
        filler.fill(step, &mut out.body);
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

/// Fills the holes of steps.
struct Filler<'a> {
    target: Target,
    regs: &'a [RegInfo],
    places: &'a [Place],
    scratch: [u32; 2],
}

/// A scratch register that stands for one in memory during a step.
struct Borrowed {
    reg: Reg,
    number: u32,
    home: Home,
    written: bool,
}

impl Filler<'_> {
    fn class(&self, reg: Reg) -> Class {
        self.regs[reg.index()].class
    }

    /// What is read is loaded first; what is only written takes the place of something read, and is stored behind.
    fn fill(&self, step: &Step, out: &mut Vec<Instruction>) {
        let mut inst = step.inst;
        let mut borrowed: Vec<Borrowed> = Vec::new();
        let (read, written): (Vec<&Hole>, Vec<&Hole>) = step.holes.iter().partition(|hole| hole.access != Access::Def);
        for hole in read {
            let number = self.number(hole, &mut borrowed, out);
            put(&mut inst, hole, number);
        }
        for hole in written {
            let class = self.class(hole.reg);
            let number = match self.places[hole.reg.index()] {
                Place::Register(number) => number,
                Place::Nowhere => self.scratch[class as usize],
                Place::Memory(home) => {
                    let known = borrowed.iter().find(|other| other.reg == hole.reg).map(|other| other.number);
                    let number = known.unwrap_or(self.scratch[class as usize]);
                    borrowed.push(Borrowed { reg: hole.reg, number, home, written: true });
                    number
                }
            };
            put(&mut inst, hole, number);
        }
        out.push(inst);
        for Borrowed { reg, number, home, .. } in borrowed.into_iter().filter(|borrowed| borrowed.written) {
            out.push(store(self.target, self.class(reg), number, home));
        }
    }

    /// The register of a hole that is read.
    fn number(&self, hole: &Hole, borrowed: &mut Vec<Borrowed>, out: &mut Vec<Instruction>) -> u32 {
        let class = self.class(hole.reg);
        let home = match self.places[hole.reg.index()] {
            Place::Register(number) => return number,
            Place::Nowhere => return self.scratch[class as usize],
            Place::Memory(home) => home,
        };
        let changed = hole.access == Access::Change;
        if let Some(known) = borrowed.iter_mut().find(|other| other.reg == hole.reg) {
            known.written |= changed;
            return known.number;
        }
        let taken = borrowed.iter().filter(|other| self.class(other.reg) == class).count();
        let number = self.scratch[class as usize] + taken as u32;
        borrowed.push(Borrowed { reg: hole.reg, number, home, written: changed });
        out.push(load(self.target, class, number, home));
        number
    }
}

fn put(inst: &mut Instruction, hole: &Hole, number: u32) {
    let register = match hole.size {
        Size::Zmm => Register::ZMM0 + number,
        Size::Ymm => Register::YMM0 + number,
        Size::Xmm => Register::XMM0 + number,
        Size::Mask => Register::K0 + number,
    };
    match hole.position {
        Position::Operand(operand) => inst.set_op_register(operand, register),
        Position::Opmask => inst.set_op_mask(register),
    }
}

fn load(target: Target, class: Class, number: u32, home: Home) -> Instruction {
    let memory = Memory::at(home.base, home.offset);
    let (code, first) = match (target, class, home.fill) {
        (_, Class::Mask, _) => (Code::VEX_Kmovw_kr_km16, Register::K0),
        (Target::Avx512, _, Fill::Whole) => (Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512, Register::ZMM0),
        (Target::Avx512, _, Fill::Words) => (Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64, Register::ZMM0),
        (Target::Avx512, _, Fill::Pairs) => (Code::EVEX_Vpbroadcastw_zmm_k1z_xmmm16, Register::ZMM0),
        (Target::Avx2, _, Fill::Whole) => (Code::VEX_Vmovdqu_ymm_ymmm256, Register::YMM0),
        (Target::Avx2, _, Fill::Words) => (Code::VEX_Vpbroadcastq_ymm_xmmm64, Register::YMM0),
        (Target::Avx2, _, Fill::Pairs) => (Code::VEX_Vpbroadcastw_ymm_xmmm16, Register::YMM0),
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
