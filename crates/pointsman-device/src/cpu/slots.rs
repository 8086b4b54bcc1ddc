//! Slot allocation: which slots are free, and when each value is used for the last time.

use super::program::Slot;
use pointsman_ir::body::{Inst, ValueId};
use pointsman_ir::guard::{Check, Guarded};
use std::collections::BTreeMap;

/// Slots by width, with a count of users each; a slot without users is reused.
#[derive(Default)]
pub(super) struct SlotAllocator {
    widths: Vec<usize>,
    users: Vec<u32>,
    free: BTreeMap<usize, Vec<Slot>>,
}

impl SlotAllocator {
    /// Allocates a slot for elements of this width, with one user.
    pub(super) fn take(&mut self, width: usize) -> Slot {
        if let Some(slot) = self.free.get_mut(&width).and_then(Vec::pop) {
            self.users[slot.index()] = 1;
            return slot;
        }
        self.fresh(width)
    }

    /// Allocates a slot that no step has written: for values that exist before the first step.
    pub(super) fn fresh(&mut self, width: usize) -> Slot {
        self.widths.push(width);
        self.users.push(1);
        Slot(self.widths.len() as u32 - 1)
    }

    /// Adds a user.
    pub(super) fn share(&mut self, slot: Slot) -> Slot {
        self.users[slot.index()] += 1;
        slot
    }

    /// Removes a user.
    pub(super) fn release(&mut self, slot: Slot) {
        let users = &mut self.users[slot.index()];
        debug_assert!(*users > 0, "a slot is released once a user");
        *users -= 1;
        if *users == 0 {
            self.free.entry(self.widths[slot.index()]).or_default().push(slot);
        }
    }

    /// Removes one user from each slot.
    pub(super) fn release_each(&mut self, slots: impl IntoIterator<Item = Slot>) {
        slots.into_iter().for_each(|slot| self.release(slot));
    }

    /// The widths of all slots.
    pub(super) fn into_widths(self) -> Vec<usize> {
        self.widths
    }
}

/// The last uses of values: after an instruction, with the end of a loop, or never.
#[derive(Default)]
pub(super) struct LiveRanges {
    after: BTreeMap<ValueId, Vec<ValueId>>,
    with: BTreeMap<ValueId, Vec<ValueId>>,
}

/// The last use of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastUse {
    After(ValueId),
    /// With the end of this loop.
    With(ValueId),
    Never,
}

impl LiveRanges {
    /// The live ranges of a kernel's values.
    pub(super) fn of(guarded: &Guarded) -> LiveRanges {
        let body = &guarded.kernel.body;
        let enclosing = body.enclosing_loops();
        let mut last: Vec<LastUse> = body.iter().map(|(v, ..)| LastUse::After(v)).collect();
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
            last[v.index()] = LastUse::Never;
        }
        LiveRanges::sorted(&last)
    }

    fn sorted(last: &[LastUse]) -> LiveRanges {
        let mut live_ranges = LiveRanges { after: BTreeMap::new(), with: BTreeMap::new() };
        for (i, last) in last.iter().enumerate() {
            let v = ValueId(i as u32);
            match last {
                LastUse::After(at) => live_ranges.after.entry(*at).or_default().push(v),
                LastUse::With(of) => live_ranges.with.entry(*of).or_default().push(v),
                LastUse::Never => {}
            }
        }
        live_ranges
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
fn later(enclosing: &[Option<ValueId>], known: LastUse, v: ValueId, at: ValueId, region: Option<ValueId>) -> LastUse {
    let home = enclosing[v.index()];
    // The outermost loop around the use that is not around the value: the value lives until that loop ends.
    let (mut around, mut outermost) = (region, None);
    while around != home {
        let Some(of) = around else { break };
        outermost = Some(of);
        around = enclosing[of.index()];
    }
    let new = match outermost {
        Some(of) => LastUse::With(of),
        // The loop that contains the value uses it: in its condition, its next state or its checks.
        None if region == Some(at) => LastUse::With(at),
        None => LastUse::After(at),
    };
    match (known, new) {
        (LastUse::Never, _) => LastUse::Never,
        (known, new) => {
            if position(known, home) > position(new, home) {
                known
            } else {
                new
            }
        }
    }
}

/// Orders the last uses of a value whose innermost loop is `home`, which ends after everything in it.
fn position(last: LastUse, home: Option<ValueId>) -> (u32, bool) {
    match last {
        LastUse::With(of) if Some(of) == home => (u32::MAX, false),
        LastUse::After(v) => (v.0, false),
        LastUse::With(of) => (of.0, true),
        LastUse::Never => (u32::MAX, true),
    }
}
