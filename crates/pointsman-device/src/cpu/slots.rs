//! Which slot is free, and when a value is used for the last time.

use super::program::Slot;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::guard::{Check, Guarded};
use std::collections::BTreeMap;

/// Slots by width, with a count of users each; a slot without users is taken again.
#[derive(Default)]
pub(super) struct Slots {
    widths: Vec<usize>,
    users: Vec<u32>,
    free: BTreeMap<usize, Vec<Slot>>,
}

impl Slots {
    /// A slot for elements of this width, with one user.
    pub(super) fn take(&mut self, width: usize) -> Slot {
        if let Some(slot) = self.free.get_mut(&width).and_then(Vec::pop) {
            self.users[slot.index()] = 1;
            return slot;
        }
        self.fresh(width)
    }

    /// A slot that no step has written: for what is there before the first step.
    pub(super) fn fresh(&mut self, width: usize) -> Slot {
        self.widths.push(width);
        self.users.push(1);
        Slot(self.widths.len() as u32 - 1)
    }

    /// One more user.
    pub(super) fn share(&mut self, slot: Slot) -> Slot {
        self.users[slot.index()] += 1;
        slot
    }

    /// One user less.
    pub(super) fn release(&mut self, slot: Slot) {
        let users = &mut self.users[slot.index()];
        debug_assert!(*users > 0, "a slot is released once a user");
        *users -= 1;
        if *users == 0 {
            self.free.entry(self.widths[slot.index()]).or_default().push(slot);
        }
    }

    /// One user less of each.
    pub(super) fn release_each(&mut self, slots: impl IntoIterator<Item = Slot>) {
        slots.into_iter().for_each(|slot| self.release(slot));
    }

    /// The widths of all slots.
    pub(super) fn into_widths(self) -> Vec<usize> {
        self.widths
    }
}

/// When values are used for the last time: after an instruction, with the end of a loop, or never.
#[derive(Default)]
pub(super) struct Lives {
    after: BTreeMap<ValueId, Vec<ValueId>>,
    with: BTreeMap<ValueId, Vec<ValueId>>,
}

/// The last use of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    After(ValueId),
    /// With the end of this loop.
    With(ValueId),
    Never,
}

impl Lives {
    /// The lives of a kernel's values.
    pub(super) fn of(guarded: &Guarded) -> Lives {
        let body = &guarded.kernel.body;
        let enclosing = body.enclosing_loops();
        let mut last: Vec<Last> = body.iter().map(|(v, ..)| Last::After(v)).collect();
        let mut used_at = |v: ValueId, at: ValueId, region: Option<ValueId>| {
            last[v.index()] = later(&enclosing, last[v.index()], v, at, region);
        };
        for (user, inst, _) in body.iter() {
            let region = enclosing[user.index()];
            match inst {
                Inst::Loop { init, while_, next, .. } => {
                    init.iter().for_each(|&v| used_at(v, user, region));
                    while_.iter().chain(next).for_each(|&v| used_at(v, user, Some(user)));
                }
                Inst::LoopIndex(_) | Inst::LoopCarried { .. } => {}
                Inst::LoopResult { of, .. } => used_at(*of, user, region),
                Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => {}
                Inst::Call { .. } | Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Probe { .. } => {
                    inst.operands().into_iter().for_each(|v| used_at(v, user, region));
                }
            }
        }
        let checked = |check: &Check| std::iter::once(check.of).chain(check.guard).collect::<Vec<_>>();
        for (&of, checks) in &guarded.loop_checks {
            checks.iter().flat_map(checked).for_each(|v| used_at(v, of, Some(of)));
        }
        for v in guarded.checks.iter().flat_map(checked).chain(guarded.kernel.roots()) {
            last[v.index()] = Last::Never;
        }
        Lives::sorted(&last)
    }

    fn sorted(last: &[Last]) -> Lives {
        let mut lives = Lives { after: BTreeMap::new(), with: BTreeMap::new() };
        for (i, last) in last.iter().enumerate() {
            let v = ValueId(i as u32);
            match last {
                Last::After(at) => lives.after.entry(*at).or_default().push(v),
                Last::With(of) => lives.with.entry(*of).or_default().push(v),
                Last::Never => {}
            }
        }
        lives
    }

    /// The values whose last use is this instruction.
    pub(super) fn ending_at(&mut self, v: ValueId) -> Vec<ValueId> {
        self.after.remove(&v).unwrap_or_default()
    }

    /// The values whose last use is in this loop.
    pub(super) fn ending_with(&mut self, of: ValueId) -> Vec<ValueId> {
        self.with.remove(&of).unwrap_or_default()
    }
}

/// The later of a known last use of `v` and a use at `at`, which lies in `region`.
fn later(enclosing: &[Option<ValueId>], known: Last, v: ValueId, at: ValueId, region: Option<ValueId>) -> Last {
    let home = enclosing[v.index()];
    // The outermost loop around the use that is not around the value: the value lives until that loop ends.
    let (mut around, mut outermost) = (region, None);
    while around != home {
        let Some(of) = around else { break };
        outermost = Some(of);
        around = enclosing[of.index()];
    }
    let new = match outermost {
        Some(of) => Last::With(of),
        // Used by the loop that the value lies in: by its condition, its next state or its checks.
        None if region == Some(at) => Last::With(at),
        None => Last::After(at),
    };
    match (known, new) {
        (Last::Never, _) => Last::Never,
        (known, new) => {
            if position(known, home) > position(new, home) {
                known
            } else {
                new
            }
        }
    }
}

/// The order of last uses of a value whose innermost loop is `home`, which ends after everything in it.
fn position(last: Last, home: Option<ValueId>) -> (u32, bool) {
    match last {
        Last::With(of) if Some(of) == home => (u32::MAX, false),
        Last::After(v) => (v.0, false),
        Last::With(of) => (of.0, true),
        Last::Never => (u32::MAX, true),
    }
}
