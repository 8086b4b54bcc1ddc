//! `Reduce`: a call's rows, folded into the lanes of a leaf: 128 accumulators a fold.
//!
//! A float sum adds row `r` to accumulator `r % 128`, in order of rows. So eight steps of 16 rows make a round, and a
//! sum has eight groups of accumulators. The other folds are the same in any order, and have as many groups as there
//! are registers for. Accumulators stay in registers over all whole rounds of a call; those that find none, and the
//! steps that make no round, go to memory. Rows are read in order, once: only then does the processor fetch them ahead.
//! In the end the lanes are folded into the first one.

use super::allocate::allocate;
use super::emitter::{BLOCK, BYTE, CURSOR, Emitter, ROW, ROWS, SCRATCH, Shared};
use super::fold::{self, fold_in};
use super::frame::{Function, Labels, STEP_ROWS, checks, last_rows};
use super::layout::Layout;
use super::lower::Lower;
use super::step::{Body, Memory, Reg, Step};
use super::{NotEmitted, Target};
use crate::guard::Guarded;
use crate::kernel::{Fold, LEAF_LANES};
use iced_x86::{Code, Register};

/// The number of pointers in registers; the last one is [`COUNT`].
pub(super) const POINTERS_MAX: usize = 5;
/// The number of values of the first set of rows that is counted.
const COUNT: Register = Register::R13;
/// Groups of lanes: steps of a round.
const GROUPS: usize = LEAF_LANES / STEP_ROWS as usize;
/// The maximum number of steps of a round; larger kernels have so much else to do that their accumulators stay in
/// memory.
const ROUND_STEPS_MAX: usize = 600;

/// Vector registers, as vectors of 64 bytes.
fn vectors(target: Target) -> usize {
    match target {
        Target::Avx512 => 32,
        Target::Avx2 => 8,
    }
}

/// Makes the function.
pub(super) fn function(
    guarded: &Guarded,
    folds: &[Fold],
    shared: &mut Shared,
    labels: &Labels,
) -> Result<Function, NotEmitted> {
    let (single, counted) = single_steps(guarded, folds, shared, labels, false)?;
    let (tail, _) = single_steps(guarded, folds, shared, labels, true)?;
    let is_large = !single.regions.is_empty() || GROUPS * single.steps.len() > ROUND_STEPS_MAX;
    let start = if is_large {
        (cleared(guarded, folds, shared)?, None)
    } else {
        let (round, again) = rounds(guarded, folds, shared, labels)?;
        (round, Some(again))
    };
    let (total, join) = (shared.label(), joined(guarded, folds, shared)?);
    let mut code = Function::new(shared);
    code.push(Step::new(Code::Xor_r32_rm32).gpr(Register::R13D).gpr(Register::R13D));
    code.heads.extend(start.1);
    code.body(&start.0, |_| {});
    code.full(&single, shared, labels.tail);
    code.push(Step::label(labels.tail));
    code.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(ROWS));
    code.push(Step::jump(Code::Jae_rel32_64, total));
    code.body(&tail, |_| {});
    code.push(Step::label(total));
    code.body(&join, |_| {});
    finish(&mut code, shared, &counted, labels);
    Ok(code)
}

/// Sets all lanes in memory to what the folds start from.
fn cleared(guarded: &Guarded, folds: &[Fold], shared: &mut Shared) -> Result<Body, NotEmitted> {
    let mut e = Emitter::new(shared);
    for fold in folds.iter().enumerate() {
        fold::clear(&mut e, guarded, fold, 0..GROUPS)?;
    }
    e.into_body(false)
}

/// Folds the lanes in memory into the first one.
fn joined(guarded: &Guarded, folds: &[Fold], shared: &mut Shared) -> Result<Body, NotEmitted> {
    let mut e = Emitter::new(shared);
    for fold in folds.iter().enumerate() {
        let mut groups = Vec::with_capacity(GROUPS);
        for group in 0..GROUPS {
            groups.push(fold::load(&mut e, guarded, fold, Register::None, group)?);
        }
        fold::total(&mut e, guarded, fold, &groups)?;
    }
    e.into_body(false)
}

/// Goes on by a step.
fn advance() -> [Step; 2] {
    [(ROW, STEP_ROWS), (BYTE, STEP_ROWS / 8)]
        .map(|(register, by)| Step::new(Code::Add_rm64_imm8).gpr(register).imm8_sx64(by))
}

/// Compares the row after the next round with the number of rows.
fn compare_end() -> [Step; 2] {
    let end = Memory::at(ROW, LEAF_LANES as u32);
    [Step::new(Code::Lea_r64_m).gpr(Register::RAX).mem(end), Step::new(Code::Cmp_r64_rm64).gpr(Register::RAX).gpr(ROWS)]
}

/// The code after the loops: the row that faults, and the number of values.
fn finish(code: &mut Function, shared: &Shared, counted: &[Counted], labels: &Labels) {
    let word = |word: usize| Memory::at(BLOCK, 8 * word as u32);
    let rax = Register::RAX;
    code.push(Step::jump(Code::Jmp_rel32_64, labels.end));
    code.push(Step::label(labels.fault));
    code.push(Step::new(Code::Tzcnt_r32_rm32).gpr(Register::EAX).gpr(Register::EAX));
    code.push(Step::new(Code::Add_r64_rm64).gpr(rax).gpr(ROW));
    code.push(Step::new(Code::Mov_rm64_r64).mem(word(Layout::FAULT)).gpr(rax));
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

/// The loop over whole rounds, with as many groups for the folds without an order as fit.
fn rounds(guarded: &Guarded, folds: &[Fold], shared: &mut Shared, labels: &Labels) -> Result<(Body, u64), NotEmitted> {
    let (mut ordered, mut free) = (0, 0);
    for one in folds {
        let vectors = fold::vectors(guarded, one)?;
        if fold::has_order(guarded, one) { ordered += GROUPS * vectors } else { free += vectors }
    }
    let mut groups = if free == 0 { 1 } else { GROUPS };
    loop {
        // Plans that cannot fit are not tried.
        if groups == 1 || ordered + groups * free < vectors(shared.target) {
            let (round, again) = round(guarded, folds, shared, labels, groups)?;
            if groups == 1 || allocate(&round, shared.target, (SCRATCH, 0)).fits {
                return Ok((round, again));
            }
        }
        groups /= 2;
    }
}

/// The loop over whole rounds, and the label that it starts with; folds without an order have `groups` groups. Rows
/// that make no round find the lanes in memory; without such rows the call ends here.
fn round(
    guarded: &Guarded,
    folds: &[Fold],
    shared: &mut Shared,
    labels: &Labels,
    groups: usize,
) -> Result<(Body, u64), NotEmitted> {
    let mut e = Emitter::new(shared);
    let [again, rest] = [(); 2].map(|()| e.shared.label());
    let mut lanes = Vec::with_capacity(folds.len());
    for one in folds {
        let groups = if fold::has_order(guarded, one) { GROUPS } else { groups };
        let mut of_fold = Vec::with_capacity(groups);
        for _ in 0..groups {
            of_fold.push(fold::start(&mut e, guarded, one)?);
        }
        lanes.push(of_fold);
    }
    compare_end().into_iter().for_each(|step| e.push(step));
    e.push(Step::jump(Code::Ja_rel32_64, rest));
    let start = e.steps.len();
    e.push(Step::label(again));
    for group in 0..GROUPS {
        let of_step: Vec<&[Reg]> = lanes.iter().map(|groups| &groups[group % groups.len()][..]).collect();
        (e, _) = step(e, guarded, folds, &of_step, labels)?;
        advance().into_iter().for_each(|step| e.push(step));
    }
    compare_end().into_iter().for_each(|step| e.push(step));
    e.push(Step::jump(Code::Jbe_rel32_64, again));
    let region = (start, e.steps.len());
    e.regions.push(region);
    leave(&mut e, guarded, folds, &lanes, (rest, labels.end))?;
    Ok((e.into_body(false)?, again))
}

/// The code after the rounds: stores the accumulators for the `rest` of the rows or, if there is none, folds them.
fn leave(
    e: &mut Emitter<'_>,
    guarded: &Guarded,
    folds: &[Fold],
    lanes: &[Vec<Vec<Reg>>],
    (rest, end): (u64, u64),
) -> Result<(), NotEmitted> {
    let [whole, behind] = [(); 2].map(|()| e.shared.label());
    e.push(Step::new(Code::Cmp_r64_rm64).gpr(ROW).gpr(ROWS));
    e.push(Step::jump(Code::Je_rel32_64, whole));
    e.push(Step::label(rest));
    for (fold, groups) in folds.iter().enumerate().zip(lanes) {
        for (group, regs) in groups.iter().enumerate() {
            fold::store(e, guarded, fold, regs, Register::None, group)?;
        }
        fold::clear(e, guarded, fold, groups.len()..GROUPS)?;
    }
    e.push(Step::jump(Code::Jmp_rel32_64, behind));
    e.push(Step::label(whole));
    for (fold, groups) in folds.iter().enumerate().zip(lanes) {
        fold::total(e, guarded, fold, groups)?;
    }
    e.push(Step::jump(Code::Jmp_rel32_64, end));
    e.push(Step::label(behind));
    Ok(())
}

/// A step alone, or the last, partial one: the accumulators come from memory and go back there.
fn single_steps(
    guarded: &Guarded,
    folds: &[Fold],
    shared: &mut Shared,
    labels: &Labels,
    tail: bool,
) -> Result<(Body, Vec<Counted>), NotEmitted> {
    let mut e = Emitter::new(shared);
    if tail {
        e.tail = Some(last_rows(&mut e));
    }
    // The step's first lane.
    e.push(Step::new(Code::Mov_r64_rm64).gpr(CURSOR).gpr(ROW));
    e.push(Step::new(Code::And_rm64_imm8).gpr(CURSOR).imm8_sx64((LEAF_LANES - 1) as i8));
    let mut lanes = Vec::with_capacity(folds.len());
    for fold in folds.iter().enumerate() {
        lanes.push(fold::load(&mut e, guarded, fold, CURSOR, 0)?);
    }
    let of_step: Vec<&[Reg]> = lanes.iter().map(|regs| &regs[..]).collect();
    let (mut e, counted) = step(e, guarded, folds, &of_step, labels)?;
    for (fold, regs) in folds.iter().enumerate().zip(&lanes) {
        fold::store(&mut e, guarded, fold, regs, CURSOR, 0)?;
    }
    Ok((e.into_body(tail)?, counted))
}

/// Rows that some folds take in.
struct Taken {
    /// The rows whose values are not null.
    valid: Option<Reg>,
    /// The rows that are also selected.
    rows: Option<Reg>,
    /// The fold that counts them.
    counted_by: Option<usize>,
}

/// Computes 16 rows and folds them into accumulators.
fn step<'a>(
    e: Emitter<'a>,
    guarded: &Guarded,
    folds: &[Fold],
    lanes: &[&[Reg]],
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
        let value = match fold.value() {
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
