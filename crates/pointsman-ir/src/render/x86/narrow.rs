//! Rewrites AVX-512 steps as AVX2 steps: a body over 64-byte vectors and masks becomes one over 32-byte vectors that
//! computes the same bits, or an error names an instruction that has no AVX2 form here.
//!
//! A vector becomes its two halves. A mask becomes two vectors of eight 32-bit lanes, all ones in the rows it has: rows
//! 0–7 and 8–15; where it governs 64-bit lanes, its rows 0–7 are widened to two vectors of four. A register is what was
//! last computed for it, or half of another one: nothing is copied. A register that is written more than once with a
//! label between (a loop carries it) has two of its own. General registers keep what the steps gave them; flags do not.
//!
//! `table` has the translation of each instruction, `build` holds the words that sequences are made of, a file an idea
//! the sequences; `dead` removes steps whose results are unused.

mod build;
mod compare;
mod convert;
mod dead;
mod float;
mod general;
mod integer;
mod lanes;
mod mask;
mod memory;
mod pack;
mod table;
#[cfg(test)]
mod tests;

use super::emitter::{SCRATCH, Shared};
use super::step::{Access, Body, Class, Fill, Home, Position, Reg, RegInfo, Size, Step, VirtualOperand};
use super::{NotEmitted, Target};
use iced_x86::{Code, OpKind, Register};
use std::collections::{BTreeMap, BTreeSet};
use table::Form;

/// Whether a sequence was found.
type Done = Result<(), NotEmitted>;

/// Bytes of a vector.
const HALF: u32 = 32;

/// The body in steps of the target; `tail` says that rows after the last one may lie outside of memory.
pub(super) fn for_target(body: Body, shared: &mut Shared, tail: bool) -> Result<Body, NotEmitted> {
    match shared.target {
        Target::Avx512 => Ok(body),
        Target::Avx2 => narrow(&body, shared, tail),
    }
}

/// The body in AVX2 steps; `tail` says that rows after the last one may lie outside of memory.
fn narrow(body: &Body, shared: &mut Shared, tail: bool) -> Result<Body, NotEmitted> {
    let mut to = Narrow::new(body, shared, tail);
    let mut starts = Vec::with_capacity(body.steps.len() + 1);
    for (at, step) in body.steps.iter().enumerate() {
        starts.push(to.steps.len());
        (to.at, to.first) = (at, to.steps.len());
        to.step(step)?;
    }
    starts.push(to.steps.len());
    let regions = body.regions.iter().map(|&(first, last)| (starts[first], starts[last])).collect();
    Ok(dead::removed(Body { steps: to.steps, regs: to.regs, regions, cost: body.cost }))
}

/// A body while it is rewritten.
struct Narrow<'a> {
    shared: &'a mut Shared,
    old: &'a Body,
    /// Whether rows after the last one may lie outside of memory.
    tail: bool,
    /// The old step that is being turned, and the first new one it became.
    at: usize,
    first: usize,
    steps: Vec<Step>,
    regs: Vec<RegInfo>,
    /// Whether an old register has two of its own.
    own: Vec<bool>,
    /// The halves of each old register, once it has any.
    pairs: Vec<Option<[Reg; 2]>>,
    /// Registers that may be written again.
    changing: BTreeSet<Reg>,
    /// Masks that are the same in all rows.
    uniform: BTreeSet<Reg>,
    /// Masks of rows 0–7 in 64-bit lanes.
    wide: BTreeMap<Reg, [Reg; 2]>,
    homes: BTreeMap<(bool, u32, Fill), Reg>,
    /// Old registers whose rows were moved together, and that are only written to memory.
    packed: BTreeMap<Reg, lanes::Packed>,
}

impl<'a> Narrow<'a> {
    fn new(old: &'a Body, shared: &'a mut Shared, tail: bool) -> Narrow<'a> {
        Narrow {
            shared,
            old,
            tail,
            at: 0,
            first: 0,
            steps: Vec::with_capacity(4 * old.steps.len()),
            regs: Vec::with_capacity(4 * old.regs.len()),
            own: carried(old),
            pairs: vec![None; old.regs.len()],
            changing: BTreeSet::new(),
            uniform: BTreeSet::new(),
            wide: BTreeMap::new(),
            homes: BTreeMap::new(),
            packed: BTreeMap::new(),
        }
    }

    /// Turns one step.
    fn step(&mut self, step: &Step) -> Done {
        if step.virtual_operands.is_empty() {
            // After a label, values that a jump may have skipped are unknown.
            if step.inst.code() == Code::Nopd {
                self.wide.clear();
            }
            self.steps.push(step.clone());
            return Ok(());
        }
        match table::form(step.inst.code()) {
            Some(Form::Lanes { to, bits }) => self.lanewise(step, to, bits),
            Some(Form::Grow { to, bits, bytes }) => self.grown(step, to, bits, bytes),
            Some(Form::Own(f)) => f(self, step),
            None => Err(NotEmitted::new(format!("`{:?}` has no AVX2 form yet", step.inst.code()))),
        }
    }

    /// Each half through an instruction of the same meaning.
    fn lanewise(&mut self, step: &Step, to: Code, bits: u32) -> Done {
        let mut written = Vec::with_capacity(2);
        for half in 0..2 {
            let mut new = Step::new(to);
            for operand in 0..step.operands() {
                let virtual_operand =
                    step.virtual_operands.iter().find(|one| one.position == Position::Operand(operand));
                new = match (virtual_operand, step.inst.op_kind(operand)) {
                    (Some(virtual_operand), _) => {
                        let (reg, access) = self.filled(step, virtual_operand, half);
                        if access != Access::Use {
                            written.push(reg);
                        }
                        new.operand(reg, Size::Ymm, access)
                    }
                    (None, OpKind::Memory) => match step.memory() {
                        Some(memory) => new.mem(memory.plus(HALF * half as u32)),
                        None => return Err(unknown(step)),
                    },
                    (None, OpKind::Immediate8) => new.imm(step.inst.immediate8()),
                    (None, _) => return Err(unknown(step)),
                };
            }
            self.push(new);
        }
        match written[..] {
            [low, high] => self.finish(step, [low, high], bits),
            _ => Err(unknown(step)),
        }
    }

    /// One half of an operand. An operand that is changed is a copy, unless its old value is read under another name.
    fn filled(&mut self, step: &Step, operand: &VirtualOperand, half: usize) -> (Reg, Access) {
        let is_read =
            || step.virtual_operands.iter().any(|other| other.reg == operand.reg && other.access == Access::Use);
        match operand.access {
            Access::Use => (self.pair(operand.reg)[half], Access::Use),
            Access::Change if !is_read() => {
                let old = self.pair(operand.reg)[half];
                (self.copy(old), Access::Change)
            }
            Access::Def | Access::Change => (self.fresh(), Access::Def),
        }
    }

    /// Each half from half as much: a quarter of a register, or `bytes` of memory.
    fn grown(&mut self, step: &Step, to: Code, bits: u32, bytes: u32) -> Done {
        let halves = match (step.memory(), reads(step).first()) {
            (Some(memory), _) => [0, 1].map(|half| {
                let dst = self.fresh();
                self.push(Step::new(to).def_half(dst).mem(memory.plus(bytes * half)));
                dst
            }),
            (None, Some(&from)) => {
                let from = self.pair(from)[0];
                self.quarters(from).map(|quarter| self.grow(to, quarter))
            }
            (None, None) => return Err(unknown(step)),
        };
        self.finish(step, halves, bits)
    }

    /// Takes down what was computed for the step's first register, in the rows of its mask.
    fn finish(&mut self, step: &Step, halves: [Reg; 2], bits: u32) -> Done {
        let dst = written(step)?;
        let Some(mask) = step.opmask() else {
            self.define(dst, halves);
            return Ok(());
        };
        let rows = self.rows(mask, bits);
        let merged = if step.inst.zeroing_masking() {
            [0, 1].map(|half| self.op2(Code::VEX_Vpand_ymm_ymm_ymmm256, halves[half], rows[half]))
        } else {
            let old = self.pair(dst);
            [0, 1].map(|half| self.blend(rows[half], halves[half], old[half]))
        };
        self.define(dst, merged);
        Ok(())
    }

    /// Takes down the lower half of the step's first register; the upper one becomes zero.
    fn define_half(&mut self, step: &Step, low: Reg) -> Done {
        if step.opmask().is_some() {
            return Err(unknown(step));
        }
        let halves = [low, self.zero()];
        self.define(written(step)?, halves);
        Ok(())
    }

    /// From now on an old register is these two.
    fn define(&mut self, dst: Reg, halves: [Reg; 2]) {
        if !self.own[dst.index()] {
            self.pairs[dst.index()] = Some(halves);
            return;
        }
        let own = self.pair(dst);
        // Both are read before one is written: they may be each other.
        let halves = halves.map(|half| if own.contains(&half) { self.copy(half) } else { half });
        for half in 0..2 {
            self.wide.remove(&own[half]);
            if halves[0] == halves[1] || !self.retarget(halves[half], own[half]) {
                self.push(Step::new(Code::VEX_Vmovdqa_ymm_ymmm256).def_half(own[half]).read_half(halves[half]));
            }
        }
    }

    /// Lets the step that computed `from` write `to` instead; only where nothing reads either after it.
    fn retarget(&mut self, from: Reg, to: Reg) -> bool {
        let touches = |step: &Step, reg: Reg| step.virtual_operands.iter().any(|one| one.reg == reg);
        let new = &mut self.steps[self.first..];
        let Some(last) = new.iter().rposition(|step| touches(step, from)) else { return false };
        let is_free = new[last + 1..].iter().all(|step| !touches(step, to));
        let mut virtual_operands = new[last].virtual_operands.iter_mut().filter(|one| one.reg == from);
        match (virtual_operands.next(), virtual_operands.next()) {
            (Some(operand), None) if operand.access == Access::Def && is_free => {
                operand.reg = to;
                true
            }
            _ => false,
        }
    }

    /// The halves of an old register.
    fn pair(&mut self, reg: Reg) -> [Reg; 2] {
        if let Some(pair) = self.pairs[reg.index()] {
            return pair;
        }
        let RegInfo { class, home } = self.old.regs[reg.index()];
        let pair = match (class, home) {
            (_, None) => {
                let pair = [self.fresh(), self.fresh()];
                self.changing.extend(pair);
                pair
            }
            (Class::Vector, Some(home)) if home.fill == Fill::Whole => {
                [0, 1].map(|half| self.at_home(Home { offset: home.offset + HALF * half, ..home }))
            }
            (Class::Vector, Some(home)) => [self.at_home(home); 2],
            (Class::Mask, Some(home)) => self.fixed_mask(home),
        };
        self.pairs[reg.index()] = Some(pair);
        pair
    }

    /// A mask that never changes: a constant, or a word of the block that is 0 or `0xffff`.
    fn fixed_mask(&mut self, home: Home) -> [Reg; 2] {
        let constant = (home.base == SCRATCH).then(|| self.shared.constants[home.offset as usize / 8] as u16);
        if let Some(bits) = constant.filter(|&bits| bits != 0 && bits != u16::MAX) {
            let lane = |row: u32| if bits >> row & 1 == 1 { u64::from(u32::MAX) } else { 0 };
            return [0, 8].map(|first| self.words([0, 2, 4, 6].map(|i| lane(first + i) | lane(first + i + 1) << 32)));
        }
        let reg = self.at_home(Home { fill: Fill::Broadcast2, ..home });
        self.uniform.insert(reg);
        [reg; 2]
    }

    fn at_home(&mut self, home: Home) -> Reg {
        let key = (home.base == SCRATCH, home.offset, home.fill);
        if let Some(&reg) = self.homes.get(&key) {
            return reg;
        }
        self.regs.push(RegInfo { class: Class::Vector, home: Some(home) });
        let reg = Reg(self.regs.len() as u32 - 1);
        self.homes.insert(key, reg);
        reg
    }

    fn fresh(&mut self) -> Reg {
        self.regs.push(RegInfo { class: Class::Vector, home: None });
        Reg(self.regs.len() as u32 - 1)
    }

    fn push(&mut self, step: Step) {
        self.steps.push(step);
    }
}

/// Which registers are written more than once, with a label between the first and the last step that names them.
fn carried(body: &Body) -> Vec<bool> {
    let mut labels = 0u32;
    let mut known: Vec<Option<(u32, u32, u32)>> = vec![None; body.regs.len()];
    for step in &body.steps {
        labels += u32::from(step.inst.code() == Code::Nopd);
        for operand in &step.virtual_operands {
            let (first, _, writes) = known[operand.reg.index()].unwrap_or((labels, labels, 0));
            known[operand.reg.index()] = Some((first, labels, writes + u32::from(operand.access != Access::Use)));
        }
    }
    known.iter().map(|known| known.is_some_and(|(first, last, writes)| writes > 1 && first != last)).collect()
}

/// The registers that a step reads as operands, in order.
fn reads(step: &Step) -> Vec<Reg> {
    let read = |one: &&VirtualOperand| one.access == Access::Use && one.position != Position::Opmask;
    step.virtual_operands.iter().filter(read).map(|one| one.reg).collect()
}

/// The first, the first two registers that a step reads.
fn one(step: &Step) -> Result<Reg, NotEmitted> {
    reads(step).first().copied().ok_or_else(|| unknown(step))
}

fn two(step: &Step) -> Result<[Reg; 2], NotEmitted> {
    let reads = reads(step);
    if let [a, b, ..] = reads[..] { Ok([a, b]) } else { Err(unknown(step)) }
}

/// The register that a step writes.
fn written(step: &Step) -> Result<Reg, NotEmitted> {
    let operand = step.virtual_operands.iter().find(|one| one.access != Access::Use);
    operand.map(|one| one.reg).ok_or_else(|| unknown(step))
}

/// The general register that a step names first.
fn general(step: &Step) -> Result<Register, NotEmitted> {
    let is_general = |operand: &u32| {
        let filled = step.virtual_operands.iter().any(|one| one.position == Position::Operand(*operand));
        step.inst.op_kind(*operand) == OpKind::Register && !filled
    };
    let operand = (0..step.operands()).find(is_general).ok_or_else(|| unknown(step))?;
    Ok(step.inst.op_register(operand))
}

/// Why an instruction that is known in another form is refused.
fn unknown(step: &Step) -> NotEmitted {
    NotEmitted::new(format!("this form of `{:?}` has no AVX2 form yet", step.inst.code()))
}
