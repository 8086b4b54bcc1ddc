//! Bounded loops: the state lives in the scratch memory, the steps of the region run again while a row goes on.
//!
//! A region whose condition is known before it is skipped where no row meets it: what is loaded for the first time
//! inside such a region is forgotten after it. Other regions run at least once. Registers from outside that a region
//! reads live until its end; `allocate` sees to that.

use super::emitter::{Lane, SCRATCH};
use super::frame::STEP_ROWS;
use super::lower::{Data, Loaded, Lower, Value, wide_integers};
use super::step::{Memory, Reg, Step};
use super::{NotEmitted, countdown};
use crate::body::{Inst, ValueId};
use crate::types::{DType, Type};
use iced_x86::{Code, Register};

/// Parts of a loop's memory.
const ACTIVE: u32 = 0;
const FLAG: u32 = 1;
const COUNTER: u32 = 2;
const SLOTS: u32 = 3;

/// A loop whose region is being lowered.
pub(super) struct OpenLoop {
    v: ValueId,
    end: u32,
    again: u64,
    done: u64,
    start: usize,
    /// Of a loop that counts down: the step that turns what is left into a number of iterations.
    limit: Option<usize>,
    /// The cost of the iterations of earlier loops in the surrounding region, beyond their steps.
    repeated_cost: u64,
    /// The values that were loaded before a region that may be skipped.
    before: Option<Loaded>,
}

/// Bytes of a slot's values: up to 8 of each row, or 16.
fn slot_bytes(ty: Type) -> u32 {
    STEP_ROWS as u32 * ty.dtype.repr().bytes().max(8) as u32
}

impl Lower<'_, '_> {
    /// A part of a loop's memory: 8 bytes, or a slot's values.
    fn part(&mut self, of: ValueId, part: u32, bytes: u32) -> Memory {
        Memory::at(SCRATCH, self.e.shared.state((of.0, part), bytes))
    }

    fn load_mask(&mut self, memory: Memory) -> Reg {
        let dst = self.e.mask();
        self.e.push(Step::new(Code::VEX_Kmovw_kr_km16).def_mask(dst).mem(memory));
        dst
    }

    fn store_mask(&mut self, memory: Memory, mask: Reg) {
        self.e.push(Step::new(Code::VEX_Kmovw_m16_kr).mem(memory).read_mask(mask));
    }

    /// Sets the state and opens the region.
    pub(super) fn open_loop(&mut self, v: ValueId) -> Result<(), NotEmitted> {
        let Inst::Loop { bound, slots, init, end, while_, .. } = self.body.inst(v) else { return Ok(()) };
        let mut all = self.rows_to_iterate()?;
        let condition = while_.filter(|condition| condition.0 < v.0);
        if let Some(condition) = condition {
            let truth = self.is_true(condition)?;
            all = self.e.and(all, truth);
        }
        for ((slot, &ty), &init) in (0..).zip(slots).zip(init) {
            let value = self.get(init)?;
            self.set_state(v, slot, ty, &value, None)?;
        }
        let none = self.e.fixed_mask(0);
        let (active, flag, counter) = (self.part(v, ACTIVE, 8), self.part(v, FLAG, 8), self.part(v, COUNTER, 8));
        self.store_mask(active, all);
        self.store_mask(flag, none);
        let counts = self.counting.contains(&v);
        self.e.push(if counts {
            // The second half is the number of iterations that are paid.
            Step::new(Code::Mov_rm64_imm32).mem(counter).imm32_sx64(0)
        } else {
            Step::new(Code::Mov_rm32_imm32).mem(counter).imm32(0)
        });
        let (again, done) = (self.e.shared.label(), self.e.shared.label());
        if condition.is_some() {
            self.e.push(Step::new(Code::VEX_Kortestw_kr_kr).read_mask(all).read_mask(all));
            self.e.push(Step::jump(Code::Je_rel32_64, done));
        }
        let before = condition.map(|_| self.loaded());
        let limit = counts.then(|| self.set_limit(v, *bound));
        let repeated_cost = std::mem::take(&mut self.e.repeated_cost);
        let start = self.e.steps.len();
        self.e.push(Step::label(again));
        self.open.push(OpenLoop { v, end: *end, again, done, start, limit, repeated_cost, before });
        Ok(())
    }

    /// The rows a loop need look at: those that iterate in the loop around it, or that the mask selects if it is known.
    fn rows_to_iterate(&mut self) -> Result<Reg, NotEmitted> {
        if let Some(around) = self.open.last().map(|open| open.v) {
            let active = self.part(around, ACTIVE, 8);
            return Ok(self.load_mask(active));
        }
        let selected = match self.guarded.kernel.mask {
            Some(mask) if self.is_known(mask) => Some(self.is_true(mask)?),
            Some(_) | None => None,
        };
        let tail = self.e.tail;
        let rows = self.e.both(selected, tail);
        Ok(rows.unwrap_or_else(|| self.e.fixed_mask(0xffff)))
    }

    /// Writes a slot of the state, in the rows of a mask.
    fn set_state(
        &mut self,
        of: ValueId,
        slot: u32,
        ty: Type,
        value: &Value,
        rows: Option<Reg>,
    ) -> Result<(), NotEmitted> {
        let memory = self.part(of, SLOTS + 2 * slot, slot_bytes(ty));
        match &value.data {
            Data::Truth(truth) => self.set_mask(memory, *truth, rows),
            Data::Lanes(parts) => {
                let lane = Lane::moved(ty.dtype.repr()).ok_or_else(wide_integers)?;
                let code = lane.pick(Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm);
                for (part, &value) in parts.iter().enumerate() {
                    let rows = rows.map(|rows| self.e.mask_of(rows, part));
                    let memory = Memory { offset: memory.offset + 64 * part as u32, ..memory };
                    let step = Step::new(code).mem(memory).read(value);
                    self.e.push(match rows {
                        Some(rows) => step.masked(rows),
                        None => step,
                    });
                }
            }
        }
        if ty.nullable {
            let valid = value.valid.unwrap_or_else(|| self.e.fixed_mask(0xffff));
            let memory = self.part(of, SLOTS + 2 * slot + 1, 8);
            self.set_mask(memory, valid, rows);
        }
        Ok(())
    }

    fn set_mask(&mut self, memory: Memory, mask: Reg, rows: Option<Reg>) {
        let mask = match rows {
            Some(rows) => {
                let old = self.load_mask(memory);
                let (new, old) = (self.e.and(mask, rows), self.e.without(old, rows));
                self.e.or(new, old)
            }
            None => mask,
        };
        self.store_mask(memory, mask);
    }

    /// A slot of the state as it is now.
    pub(super) fn state(&mut self, of: ValueId, slot: u32, ty: Type) -> Result<Value, NotEmitted> {
        let memory = self.part(of, SLOTS + 2 * slot, slot_bytes(ty));
        let data = if ty.dtype == DType::Bool {
            Data::Truth(self.load_mask(memory))
        } else {
            let lane = Lane::moved(ty.dtype.repr()).ok_or_else(wide_integers)?;
            let mut parts = Vec::with_capacity(lane.parts());
            for part in 0..lane.parts() {
                let memory = Memory { offset: memory.offset + 64 * part as u32, ..memory };
                let dst = self.e.vector();
                self.e.push(Step::new(Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512).def(dst).mem(memory));
                parts.push(dst);
            }
            Data::Lanes(parts)
        };
        let valid = if ty.nullable {
            let memory = self.part(of, SLOTS + 2 * slot + 1, 8);
            Some(self.load_mask(memory))
        } else {
            None
        };
        Ok(Value { data, valid, flag: None, is_number: false })
    }

    /// The number of the iteration.
    pub(super) fn loop_index(&mut self, of: ValueId) -> Value {
        let counter = self.part(of, COUNTER, 8);
        let dst = self.e.vector();
        self.e.push(Step::new(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32).def(dst).mem(counter));
        Value::lanes(vec![dst], None)
    }

    /// Closes the loops whose region ends before `v`.
    pub(super) fn close_loops(&mut self, v: ValueId) -> Result<(), NotEmitted> {
        while self.open.last().is_some_and(|open| open.end <= v.0) {
            if let Some(open) = self.open.pop() {
                self.close_loop(open)?;
            }
        }
        Ok(())
    }

    fn close_loop(&mut self, open: OpenLoop) -> Result<(), NotEmitted> {
        let Inst::Loop { bound, slots, while_, next, .. } = self.body.inst(open.v) else { return Ok(()) };
        let (active_at, flag_at) = (self.part(open.v, ACTIVE, 8), self.part(open.v, FLAG, 8));
        let mut active = self.load_mask(active_at);
        let guarded = self.guarded;
        if let Some(checks) = guarded.loop_checks.get(&open.v)
            && let Some(faults) = self.faults(checks)?
        {
            let (new, old) = (self.e.and(faults, active), self.load_mask(flag_at));
            let flag = self.e.or(new, old);
            self.store_mask(flag_at, flag);
        }
        if let Some(condition) = while_ {
            let truth = self.is_true(*condition)?;
            active = self.e.and(active, truth);
            self.store_mask(active_at, active);
        }
        let mut values = Vec::with_capacity(next.len());
        for &v in next {
            values.push(self.get(v)?);
        }
        for ((slot, &ty), value) in (0..).zip(slots).zip(&values) {
            self.set_state(open.v, slot, ty, value, Some(active))?;
        }
        let cost = countdown::cost(&self.e.steps[open.start..], self.e.shared.target);
        let cost = cost.saturating_add(self.e.repeated_cost);
        self.repeat(&open, *bound, active, countdown::shift(cost));
        let end = self.e.steps.len();
        self.e.push(Step::label(open.done));
        self.e.regions.push((open.start, end));
        self.charge(&open, *bound, cost);
        if let Some(before) = open.before {
            self.forget_since(before);
        }
        let (none, flag) = (self.e.fixed_mask(0), self.load_mask(flag_at));
        self.set(open.v, Value { flag: Some(flag), ..Value::truth(none, None) });
        Ok(())
    }

    /// The limit of a loop that counts down: after the mask of active rows, which takes two bytes.
    fn limit(&mut self, of: ValueId) -> Memory {
        self.part(of, ACTIVE, 8).plus(4)
    }

    /// Sets the first limit of a loop that counts down; the step that needs the cost of an iteration.
    fn set_limit(&mut self, of: ValueId, bound: u32) -> usize {
        let limit = self.limit(of);
        let at = self.e.steps.len();
        countdown::set_limit(self.e.shared, bound, limit).into_iter().for_each(|step| self.e.push(step));
        at + 1
    }

    /// The next iteration, if there is one: below the bound, and with a row that continues.
    fn repeat(&mut self, open: &OpenLoop, bound: u32, active: Reg, shift: u8) {
        let counter = self.part(open.v, COUNTER, 8);
        let any = Step::new(Code::VEX_Kortestw_kr_kr).read_mask(active).read_mask(active);
        let count = [
            Step::new(Code::Mov_r32_rm32).gpr(Register::EAX).mem(counter),
            Step::new(Code::Add_rm32_imm8).gpr(Register::EAX).imm8_sx32(1),
            Step::new(Code::Mov_rm32_r32).mem(counter).gpr(Register::EAX),
        ];
        let compare_bound = Step::new(Code::Cmp_rm32_imm32).gpr(Register::EAX).imm32(bound);
        let leave = Step::jump(Code::Jae_rel32_64, open.done);
        if open.limit.is_none() {
            count.into_iter().chain([compare_bound, leave, any]).for_each(|step| self.e.push(step));
            self.e.push(Step::jump(Code::Jne_rel32_64, open.again));
            return;
        }
        let limit = self.limit(open.v);
        self.e.push(any);
        self.e.push(Step::jump(Code::Je_rel32_64, open.done));
        count.into_iter().for_each(|step| self.e.push(step));
        self.e.push(Step::new(Code::Cmp_r32_rm32).gpr(Register::EAX).mem(limit));
        self.e.push(Step::jump(Code::Jl_rel32_64, open.again));
        self.e.push(compare_bound);
        self.e.push(leave);
        // Here the limit was reached before the bound.
        countdown::poll(self.e.shared).into_iter().for_each(|step| self.e.push(step));
        countdown::next_limit(bound, counter, limit, shift).into_iter().for_each(|step| self.e.push(step));
        self.e.push(Step::jump(Code::Jmp_rel32_64, open.again));
    }

    /// The code after a loop. A loop that counts down charges its iterations; the cost of others is part of the code
    /// around them.
    fn charge(&mut self, open: &OpenLoop, bound: u32, cost: u64) {
        self.e.repeated_cost = open.repeated_cost;
        let Some(limit) = open.limit else {
            let repeated = u64::from(bound - 1).saturating_mul(cost);
            self.e.repeated_cost = self.e.repeated_cost.saturating_add(repeated);
            return;
        };
        let shift = countdown::shift(cost);
        self.e.steps[limit].inst.set_immediate8(shift);
        let counter = self.part(open.v, COUNTER, 8);
        countdown::charge(self.e.shared, counter, shift).into_iter().for_each(|step| self.e.push(step));
    }
}
