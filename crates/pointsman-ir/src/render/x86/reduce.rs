//! `Reduce`: a call's rows, folded into the lanes of a leaf: 128 accumulators a fold, row `r` into number `r % 128`.
//!
//! Accumulators live in registers while rows come in. As many groups of 16 lanes as fit go together; the next ones take
//! another pass over the rows. Rows that fill no whole pass are folded one step after the other, in memory. Every
//! accumulator takes its rows in order either way. A fault ends a pass, not the call: a later pass may find a smaller row.

use super::NotEmitted;
use super::allocate::allocate;
use super::emitter::{BLOCK, BYTE, CURSOR, Emitter, Lane, ROW, ROWS, SCRATCH, Shared};
use super::fold::{self, fold_in};
use super::frame::{Body, Function, Labels, STEP_ROWS, checks, last_rows};
use super::layout::Layout;
use super::lower::Lower;
use super::step::{Memory, Reg, Step};
use crate::guard::Guarded;
use crate::kernel::{Fold, LEAF_LANES, LEAF_ROWS};
use iced_x86::{Code, Register};

/// How many pointers have registers: the others are [`COUNT`] and [`AHEAD`].
pub(super) const POINTERS_MAX: usize = 4;
/// How many values the first set of rows that is counted has.
const COUNT: Register = Register::R12;
/// The row of the next leaf that is fetched; in the last steps of a call the step's first lane.
const AHEAD: Register = Register::R13;
/// Groups of lanes.
const GROUPS: usize = LEAF_LANES / STEP_ROWS as usize;
/// The most steps of a loop that takes several groups together.
const LOOP_STEPS_MAX: usize = 500;
/// What memory is fetched in.
const LINE_BYTES: usize = 64;

/// Makes the function.
pub(super) fn function(
    guarded: &Guarded,
    folds: &[Fold],
    shared: &mut Shared,
    labels: &Labels,
) -> Result<Function, NotEmitted> {
    let mut groups = GROUPS;
    let (mut full, counted) = full_steps(guarded, folds, shared, labels, groups)?;
    while groups > 1 && !(full.steps.len() <= LOOP_STEPS_MAX && fits(&full)) {
        groups /= 2;
        full = full_steps(guarded, folds, shared, labels, groups)?.0;
    }
    let tail = last_steps(guarded, folds, shared, labels)?;
    let (pass, next) = (shared.label(), shared.label());
    let mut code = Function::new(shared);
    for register in [Register::R12D, Register::R13D] {
        code.push(Step::new(Code::Xor_r32_rm32).gpr(register).gpr(register));
    }
    code.push(Step::label(pass));
    code.push(Step::new(Code::Mov_r64_rm64).gpr(ROW).gpr(CURSOR));
    code.push(Step::new(Code::Mov_r64_rm64).gpr(BYTE).gpr(CURSOR));
    code.push(Step::new(Code::Shr_rm64_imm8).gpr(BYTE).imm(3));
    compare_end(groups).into_iter().for_each(|step| code.push(step));
    code.push(Step::jump(Code::Ja_rel32_64, labels.tail));
    code.body(&full, |_| {});
    code.push(Step::label(labels.tail));
    code.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(ROWS));
    code.push(Step::jump(Code::Jae_rel32_64, next));
    let again = shared.label();
    code.body(&tail, |code| code.push(Step::label(again)));
    advance(STEP_ROWS as usize).into_iter().for_each(|step| code.push(step));
    code.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(ROWS));
    code.push(Step::jump(Code::Jb_rel32_64, again));
    code.push(Step::label(next));
    let lanes = groups * STEP_ROWS as usize;
    code.push(Step::new(Code::Lea_r64_m).gpr(CURSOR).mem(Memory::at(CURSOR, lanes as u32)));
    code.push(Step::new(Code::Cmp_rm64_imm8).gpr(CURSOR).imm_wide((LEAF_LANES - lanes) as i8));
    code.push(Step::jump(Code::Jbe_rel32_64, pass));
    finish(&mut code, shared, &counted, labels, next);
    Ok(code)
}

/// Whether all of a body finds registers.
fn fits(body: &Body) -> bool {
    allocate(&body.steps, &body.regs, &body.regions, (SCRATCH, 0)).fits
}

/// Goes on by some rows.
fn advance(rows: usize) -> [Step; 2] {
    [(ROW, rows), (BYTE, rows / 8)]
        .map(|(register, by)| Step::new(Code::Lea_r64_m).gpr(register).mem(Memory::at(register, by as u32)))
}

/// Compares the row behind the next steps with the number of rows.
fn compare_end(groups: usize) -> [Step; 2] {
    let end = Memory::at(ROW, groups as u32 * STEP_ROWS as u32);
    [Step::new(Code::Lea_r64_m).gpr(Register::RAX).mem(end), Step::new(Code::Cmp_r64_rm64).gpr(Register::RAX).gpr(ROWS)]
}

/// What follows the passes: the smallest row that faults, and how many values were seen.
fn finish(code: &mut Function, shared: &Shared, counted: &[Counted], labels: &Labels, next: u64) {
    let word = |word: usize| Memory::at(BLOCK, 8 * word as u32);
    let rax = Register::RAX;
    code.push(Step::jump(Code::Jmp_rel32_64, labels.end));
    code.push(Step::label(labels.fault));
    code.push(Step::new(Code::Tzcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    code.push(Step::new(Code::Add_r64_rm64).gpr(rax).gpr(ROW));
    code.push(Step::new(Code::Cmp_r64_rm64).gpr(rax).mem(word(Layout::FAULT)));
    code.push(Step::jump(Code::Jae_rel32_64, next));
    code.push(Step::new(Code::Mov_rm64_r64).mem(word(Layout::FAULT)).gpr(rax));
    code.push(Step::jump(Code::Jmp_rel32_64, next));
    code.push(Step::label(labels.end));
    for (number, counted) in counted.iter().enumerate() {
        let seen = word(shared.layout.fold_seen(number));
        match *counted {
            Counted::Nothing => {}
            Counted::AllRows => code.push(Step::new(Code::Mov_rm64_r64).mem(seen).gpr(ROWS)),
            Counted::First(0) => code.push(Step::new(Code::Mov_rm64_r64).mem(seen).gpr(COUNT)),
            Counted::First(_) => {}
            Counted::As(fold) => {
                code.push(Step::new(Code::Mov_r64_rm64).gpr(rax).mem(word(shared.layout.fold_seen(fold))));
                code.push(Step::new(Code::Mov_rm64_r64).mem(seen).gpr(rax));
            }
        }
    }
    code.ret();
}

/// Which rows a fold counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    /// None: sums do not.
    Nothing,
    /// All of the call.
    AllRows,
    /// A set of rows that no fold before it counts, by number; the first in [`COUNT`], others in the fold's word.
    First(usize),
    /// The same as this fold.
    As(usize),
}

/// The loop over whole steps of some groups, with their accumulators in registers.
fn full_steps(
    guarded: &Guarded,
    folds: &[Fold],
    shared: &mut Shared,
    labels: &Labels,
    groups: usize,
) -> Result<(Body, Vec<Counted>), NotEmitted> {
    let mut e = Emitter::new(shared);
    let mut lanes = Vec::with_capacity(groups);
    for group in 0..groups {
        lanes.push(fold::load(&mut e, guarded, folds, CURSOR, group)?);
    }
    let again = e.shared.label();
    let start = e.steps.len();
    e.push(Step::label(again));
    let mut counted = Vec::new();
    for (group, lanes) in lanes.iter().enumerate() {
        if groups < GROUPS {
            fetch_ahead(&mut e, guarded, group);
        }
        (e, counted) = step(e, guarded, folds, lanes, labels)?;
        let last = group + 1 == groups;
        let rows = if last { LEAF_LANES - group * STEP_ROWS as usize } else { STEP_ROWS as usize };
        advance(rows).into_iter().for_each(|step| e.push(step));
    }
    if groups < GROUPS {
        let rows = groups as u32 * STEP_ROWS as u32;
        e.push(Step::new(Code::Lea_r64_m).gpr(AHEAD).mem(Memory::at(AHEAD, rows)));
    }
    compare_end(groups).into_iter().for_each(|step| e.push(step));
    e.push(Step::jump(Code::Jbe_rel32_64, again));
    let region = (start, e.steps.len());
    e.regions.push(region);
    for (group, lanes) in lanes.iter().enumerate() {
        fold::store(&mut e, guarded, folds, lanes, CURSOR, group)?;
    }
    Ok((Body { steps: e.steps, regs: e.regs, regions: e.regions }, counted))
}

/// One of the last steps: at most 16 rows, the accumulators from memory and back.
fn last_steps(guarded: &Guarded, folds: &[Fold], shared: &mut Shared, labels: &Labels) -> Result<Body, NotEmitted> {
    let mut e = Emitter::new(shared);
    e.tail = Some(last_rows(&mut e));
    e.push(Step::new(Code::Mov_r64_rm64).gpr(AHEAD).gpr(ROW));
    e.push(Step::new(Code::And_rm64_imm8).gpr(AHEAD).imm_wide((LEAF_LANES - 1) as i8));
    let lanes = fold::load(&mut e, guarded, folds, AHEAD, 0)?;
    let (mut e, _) = step(e, guarded, folds, &lanes, labels)?;
    fold::store(&mut e, guarded, folds, &lanes, AHEAD, 0)?;
    Ok(Body { steps: e.steps, regs: e.regs, regions: e.regions })
}

/// Fetches what the same step of the next leaf reads: passes go over a leaf in strides, which no hardware foresees.
fn fetch_ahead(e: &mut Emitter<'_>, guarded: &Guarded, group: usize) {
    for (column, ty) in guarded.kernel.columns.iter().enumerate() {
        let (word, bytes) = (e.shared.layout.column_values(column), ty.dtype.repr().bytes());
        if !e.shared.pointers.contains(&word) || Lane::of(ty.dtype.repr()).is_none() {
            continue;
        }
        let base = e.pointer(word);
        let rows = LEAF_ROWS + group * STEP_ROWS as usize;
        for line in 0..(STEP_ROWS as usize * bytes).div_ceil(LINE_BYTES) {
            let offset = (rows * bytes + line * LINE_BYTES) as u32;
            let memory = Memory { offset, ..Memory::indexed(base, AHEAD, bytes as u32) };
            e.push(Step::new(Code::Prefetcht0_m8).mem(memory));
        }
    }
}

/// Rows that some folds take in.
struct Taken {
    /// Where their values are not null.
    valid: Option<Reg>,
    /// Those that are selected too.
    rows: Option<Reg>,
    /// The fold that counts them.
    counted_by: Option<usize>,
}

/// Computes 16 rows and folds them into accumulators.
fn step<'a>(
    e: Emitter<'a>,
    guarded: &Guarded,
    folds: &[Fold],
    lanes: &[Vec<Reg>],
    labels: &Labels,
) -> Result<(Emitter<'a>, Vec<Counted>), NotEmitted> {
    let mut to = Lower::new(e, guarded);
    to.run()?;
    checks(&mut to, labels)?;
    let mask = match guarded.kernel.mask {
        Some(mask) => Some(to.is_true(mask)?),
        None => None,
    };
    let mut sets: Vec<Taken> = Vec::new();
    let mut counted = vec![Counted::Nothing; folds.len()];
    for (number, (fold, lanes)) in folds.iter().zip(lanes).enumerate() {
        let value = match fold.value {
            Some(v) => Some((v, to.get(v)?)),
            None => None,
        };
        let valid = value.as_ref().and_then(|(_, value)| value.valid);
        let set = sets.iter().position(|set| set.valid == valid).unwrap_or_else(|| {
            let (rows, tail) = (to.e.both(valid, mask), to.e.tail);
            sets.push(Taken { valid, rows: to.e.both(rows, tail), counted_by: None });
            sets.len() - 1
        });
        if let Some((v, value)) = &value {
            fold_in(&mut to, fold.op, (*v, value), sets[set].rows, lanes)?;
        }
        if !fold.op.is_sum() {
            let is_all = valid.is_none() && mask.is_none();
            counted[number] = if is_all { Counted::AllRows } else { count(&mut to.e, &mut sets, set, number) };
        }
    }
    Ok((to.e, counted))
}

/// Counts a set of rows, unless a fold has.
fn count(e: &mut Emitter<'_>, sets: &mut [Taken], set: usize, fold: usize) -> Counted {
    if let Some(fold) = sets[set].counted_by {
        return Counted::As(fold);
    }
    let order = sets.iter().filter(|set| set.counted_by.is_some()).count();
    sets[set].counted_by = Some(fold);
    let rows = sets[set].rows.unwrap_or_else(|| e.fixed_mask(0xffff));
    e.push(Step::new(Code::VEX_Kmovw_r32_kr).gpr(Register::EAX).read_mask(rows));
    e.push(Step::new(Code::Popcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    if order == 0 {
        e.push(Step::new(Code::Add_r64_rm64).gpr(COUNT).gpr(Register::RAX));
    } else {
        let seen = Memory::at(BLOCK, 8 * e.shared.layout.fold_seen(fold) as u32);
        e.push(Step::new(Code::Add_rm64_r64).mem(seen).gpr(Register::RAX));
    }
    Counted::First(order)
}
