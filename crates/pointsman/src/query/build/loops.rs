//! Loops of the plan under construction: opened, filled by closures, closed.

use super::{Handle, PlanBuilder};
use crate::error::{CallSite, Error};
use crate::query::steps::ResultParts;
use pointsman_ir::body::{Body, LOOP_BOUND_MAX, ValueId};
use pointsman_ir::plan::PLAN_DEPTH_MAX;

impl PlanBuilder {
    /// Opens a loop; `None` where a mistake was made.
    pub(crate) fn open_loop(&mut self, bound: u32, init: &ResultParts, at: CallSite) -> Option<ValueId> {
        let init = self.values(init.values(), at)?;
        if bound == 0 || bound > LOOP_BOUND_MAX {
            let what = match bound {
                0 => "a loop without a bound".to_string(),
                _ => format!("a loop of up to {bound} iterations is too long"),
            };
            let what = format!("{what}: give the most iterations that it may run, 1 to {LOOP_BOUND_MAX}");
            self.fail(Error::invalid(what), at);
            return None;
        }
        if self.open_loops.len() >= PLAN_DEPTH_MAX {
            let what = format!("more than {PLAN_DEPTH_MAX} loops, one inside the other: join some of them into one");
            self.fail(Error::invalid(what), at);
            return None;
        }
        let of = self.plan.body.open_loop(bound, &init);
        self.appended(of, at);
        self.open_loops.push(self.loop_is_open.len() as u32);
        self.loop_is_open.push(true);
        (!self.has_failed()).then_some(of)
    }

    /// Appends a value of a loop: the number of the iteration, or a part of its state.
    pub(crate) fn loop_value(
        &mut self,
        of: Option<ValueId>,
        at: CallSite,
        value: impl FnOnce(&mut Body, ValueId) -> ValueId,
    ) -> Handle {
        match of {
            Some(of) => self.push(at, |plan| Ok(value(&mut plan.body, of))),
            None => self.poisoned(),
        }
    }

    /// Closes a loop.
    pub(crate) fn close_loop(&mut self, of: Option<ValueId>, go_on: Option<Handle>, next: &ResultParts, at: CallSite) {
        let go_on = match go_on {
            None => Some(None),
            Some(go_on) => self.value(go_on, at).map(Some),
        };
        let next = self.values(next.values(), at);
        if of.is_some()
            && let Some(number) = self.open_loops.pop()
        {
            self.loop_is_open[number as usize] = false;
        }
        if let (Some(of), Some(go_on), Some(next)) = (of, go_on, next)
            && let Err(error) = self.plan.body.close_loop(of, go_on, &next)
        {
            self.fail(Error::invalid(error.message), at);
        }
    }
}
