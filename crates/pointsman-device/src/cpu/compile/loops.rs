//! Lowers a loop to a step that runs the loop's region until no row continues.
//!
//! The loop's state has slots of its own. After each iteration, the next state is blended into the rows that continue;
//! rows that stopped keep their state.

use super::super::block::bytes;
use super::super::program::{LoopStep, Slot, Step, Value};
use super::{Lowering, internal};
use crate::DeviceResult;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::types::DType;

/// A loop whose region is being lowered.
pub(super) struct OpenLoop {
    pub(super) v: ValueId,
    end: u32,
    before: Vec<Step>,
    pub(super) index: Option<Slot>,
    state: Vec<Value>,
    active: Option<Slot>,
    flag: Option<Slot>,
    /// The steps so far of the code around the loop.
    outer: Vec<Step>,
}

impl Lowering<'_> {
    pub(super) fn open_loop(&mut self, v: ValueId, inst: &Inst) {
        let Inst::Loop { slots, init, end, while_, .. } = inst else { unreachable!("only loops are opened") };
        let outer = std::mem::take(&mut self.steps);
        let mut state = Vec::with_capacity(slots.len());
        for (&ty, &init) in slots.iter().zip(init) {
            let (value, from) = (self.new_value(ty), self.get(init));
            self.copy_value(from, value);
            state.push(value);
        }
        let active = while_.map(|_| {
            let (from, active) = (self.rows_to_iterate(), self.slots.take(1));
            self.call(bytes::copy(1), &[from], active);
            self.slots.release(from);
            active
        });
        // A condition from outside the loop is known before the first iteration, and may stop every row before it.
        if let (Some(condition), Some(active)) = (while_.filter(|condition| *condition < v), active) {
            let truth = self.truth(condition);
            self.call(bytes::narrow(self.level), &[truth], active);
            self.slots.release(truth);
        }
        let flag = self.guarded.loop_checks.contains_key(&v).then(|| self.slots.take(1));
        if let Some(flag) = flag {
            self.call(bytes::clear, &[], flag);
        }
        let before = std::mem::take(&mut self.steps);
        self.states.insert(v, state.clone());
        self.open.push(OpenLoop { v, end: *end, before, index: None, state, active, flag, outer });
    }

    /// The rows that a loop must run for: the rows that iterate in the enclosing loop, or the rows that the mask
    /// selects if it is known, else all. A row that nothing needs could iterate to the bound.
    fn rows_to_iterate(&mut self) -> Slot {
        if let Some(outer) = self.open.iter().rev().find_map(|open| open.active) {
            return self.slots.share(outer);
        }
        match self.guarded.kernel.mask {
            Some(mask) if self.values[mask.index()].is_some() => self.truth(mask),
            Some(_) | None => self.ones(),
        }
    }

    /// Copies a value into the slots of `to`, which must be nullable if `from` is.
    fn copy_value(&mut self, from: Value, to: Value) {
        self.call(bytes::copy(to.ty.dtype.repr().bytes()), &[from.data], to.data);
        if let Some(valid) = to.valid {
            let from = from.valid.unwrap_or_else(|| self.ones());
            self.call(bytes::copy(1), &[from], valid);
        }
    }

    /// Closes the loops whose region ends before `v`.
    pub(super) fn close_loops(&mut self, v: ValueId) -> DeviceResult<()> {
        while self.open.last().is_some_and(|open| open.end <= v.0) {
            let open = self.open.pop().ok_or_else(|| internal("a loop closes that was not opened"))?;
            self.close_loop(open);
        }
        Ok(())
    }

    fn close_loop(&mut self, open: OpenLoop) {
        let Inst::Loop { bound, while_, next, .. } = self.body.inst(open.v) else {
            unreachable!("only loops are open")
        };
        if let (Some(flag), Some(checks)) = (open.flag, self.guarded.loop_checks.get(&open.v)) {
            let entered = open.active.unwrap_or_else(|| self.ones());
            self.checks(checks, entered, flag);
        }
        if let (Some(condition), Some(active)) = (while_, open.active) {
            let truth = self.truth(*condition);
            self.call(bytes::narrow(self.level), &[truth], active);
            self.slots.release(truth);
        }
        self.next_state(&open, next);
        let body = std::mem::replace(&mut self.steps, open.outer);
        let step = LoopStep { bound: *bound, before: open.before, index: open.index, body, active: open.active };
        self.steps.push(Step::Loop(Box::new(step)));
        self.slots.release_each(open.index);
        self.slots.release_each(open.active);
        // A loop has no value of its own, so it gets a constant. Its state has its own slots, released with the loop.
        let data = self.ones();
        self.set(open.v, Value { data, valid: None, ty: DType::Bool.required() }, open.flag);
        for dead in self.live_ranges.ending_with(open.v) {
            self.release_value(dead);
        }
    }

    /// Replaces the state in the rows that continue. Copies a next value first if it is in a slot of the state.
    fn next_state(&mut self, open: &OpenLoop, next: &[ValueId]) {
        let mut sources = Vec::with_capacity(next.len());
        for &v in next {
            let value = self.get(v);
            let in_state = |slot: Slot| open.state.iter().any(|one| one.data == slot || one.valid == Some(slot));
            if in_state(value.data) || value.valid.is_some_and(in_state) {
                let copy = self.new_value(value.ty);
                self.copy_value(value, copy);
                sources.push((copy, true));
            } else {
                sources.push((value, false));
            }
        }
        for (&to, &(from, _)) in open.state.iter().zip(&sources) {
            self.move_on(open.active, from.data, to.data, to.ty.dtype.repr().bytes());
            if let Some(valid) = to.valid {
                let from = from.valid.unwrap_or_else(|| self.ones());
                self.move_on(open.active, from, valid, 1);
            }
        }
        for (copy, owned) in sources {
            if owned {
                self.slots.release(copy.data);
                self.slots.release_each(copy.valid);
            }
        }
    }

    fn move_on(&mut self, active: Option<Slot>, from: Slot, to: Slot, width: usize) {
        match active {
            Some(active) => self.call(bytes::blend(self.level, width), &[active, from], to),
            None => self.call(bytes::copy(width), &[from], to),
        }
    }
}
