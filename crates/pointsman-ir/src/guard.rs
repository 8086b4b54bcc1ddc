//! Computes where an operation that can fault is needed, for devices that compute eagerly.
//!
//! In: a kernel. Out: the kernel with extra truth values after the body (and after each loop's region, and before each
//! probe), and [`Check`]s that name them. Existing values do not change, but their ids may. A kernel that cannot fault
//! is returned unchanged.
//!
//! **The contract with a device.** Every instruction is computed in every row. If it faults, it yields zero and sets
//! its flag in that row. At the end of a region, when all of its values are computed, each check is evaluated: if `of`
//! is flagged and the guard is true (or missing), the row faults. There are three kinds of checks:
//! * `checks`, at the end of the body: in every row that reached it;
//! * `loop_checks`, at the end of a loop's region: in every iteration in which `while_` was evaluated, including the
//!   last time, when it was not true. A loop whose iteration faults in a row is itself flagged in that row, and has a
//!   check of its own in the region around it;
//! * `probe_checks`, just before a probe: in every row that reached it (a row without a match never reaches the end).
//!
//! **The guard** of an instruction is the OR over its uses of: the user is needed AND the use needs it ([`Op::need`]).
//! A kernel's outputs are needed where the mask is true, the mask in every row, a probe's `when` in every row
//! that reaches it and its keys where that is true (for `exists`: where its answer is needed, like any operand);
//! the condition of a loop in every iteration, the next state where the condition is true; what a loop takes from
//! outside whenever the loop is.
//!
//! **Why the end is early enough, though a guard may hang on a value that faulted.** If no needed value of a row
//! faults, then every needed value is right, by induction along the body: what it is made of is needed too, or is not
//! looked at. Follow a guard that is true from a root: the root is needed, so the condition of its use is needed and
//! right, so the operand is needed, and so on to the flagged instruction, which is needed, has right operands, and so
//! does fault: a contradiction. Hence no row faults that should not. The other way: take the first fault that lazy
//! evaluation meets. The conditions on the way to it were computed before it without a fault, so they are right, and
//! its guard is true. In a row that faults, other values may be wrong, and so may other guards: which fault is told is
//! for the host, which computes that row again, lazily.

mod formula;

use crate::body::{Inst, ValueId};
use crate::kernel::Kernel;
use crate::op::Op;
use crate::rewrite::{Renamed, Rewrite, Writer, copy, may_fault};
use crate::types::Type;
pub(crate) use formula::Formula;
use formula::{Formulas, Test};
use std::collections::BTreeMap;

/// "If `of` faulted where `guard` is true, the row faults."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// An instruction that can fault, or a loop in which some iteration can.
    pub of: ValueId,
    /// A truth value without nulls; `None` if the check applies to all rows.
    pub guard: Option<ValueId>,
}

/// A kernel with its checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guarded {
    /// The kernel with the guards' values.
    pub kernel: Kernel,
    /// The checks after the body.
    pub checks: Vec<Check>,
    /// The checks after each iteration, by loop.
    pub loop_checks: BTreeMap<ValueId, Vec<Check>>,
    /// The checks before a probe, by probe.
    pub probe_checks: BTreeMap<ValueId, Vec<Check>>,
}

/// Finds where each operation that can fault is needed.
pub fn guard(kernel: &Kernel) -> Guarded {
    let mut needs = Needs::new(kernel);
    let roots = needs.output_roots();
    let whole = needs.sweep(kernel.body.len(), &roots);
    let mut loops: BTreeMap<ValueId, Vec<Due>> = BTreeMap::new();
    let mut checks = Vec::new();
    for (region, due) in whole {
        match region {
            Some(of) => drop(loops.insert(of, due)),
            None => checks = due,
        }
    }
    let probes = needs.probes();
    if checks.is_empty() && loops.is_empty() && probes.is_empty() {
        return Guarded {
            kernel: kernel.clone(),
            checks: Vec::new(),
            loop_checks: BTreeMap::new(),
            probe_checks: BTreeMap::new(),
        };
    }
    write(kernel, &needs.formulas, &checks, loops, probes)
}

/// A check whose guard is not written yet.
#[derive(Clone, Copy, Debug)]
struct Due {
    of: ValueId,
    guard: Formula,
}

/// Writes the kernel again, with the guards.
fn write(
    kernel: &Kernel,
    formulas: &Formulas,
    checks: &[Due],
    loops: BTreeMap<ValueId, Vec<Due>>,
    probes: BTreeMap<ValueId, Vec<Due>>,
) -> Guarded {
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    let mut rule = Guards { formulas, loops, probes, loop_checks: BTreeMap::new(), probe_checks: BTreeMap::new() };
    let everything: Vec<ValueId> = kernel.body.iter().map(|(v, ..)| v).collect();
    copy(&kernel.body, &everything, &mut out, &mut names, &mut rule);
    let checks = rule.emit(&mut out, checks, &names);
    let Guards { loop_checks, probe_checks, .. } = rule;
    let kernel = Kernel {
        mask: kernel.mask.map(|v| names.get(v)),
        sink: kernel.sink.map_operands(|v| names.get(v)),
        body: out.finish(),
        ..kernel.clone()
    };
    Guarded { kernel, checks, loop_checks, probe_checks }
}

/// Writes guards at the end of regions and before probes.
struct Guards<'a> {
    formulas: &'a Formulas,
    loops: BTreeMap<ValueId, Vec<Due>>,
    probes: BTreeMap<ValueId, Vec<Due>>,
    loop_checks: BTreeMap<ValueId, Vec<Check>>,
    probe_checks: BTreeMap<ValueId, Vec<Check>>,
}

impl Guards<'_> {
    fn emit(&self, out: &mut Writer, due: &[Due], names: &Renamed) -> Vec<Check> {
        let guards = self.formulas.write(due.iter().map(|due| due.guard), out, names);
        due.iter().zip(guards).map(|(due, guard)| Check { of: names.get(due.of), guard }).collect()
    }
}

impl Rewrite for Guards<'_> {
    fn write(&mut self, out: &mut Writer, at: ValueId, inst: Inst, ty: Type, names: &Renamed) -> ValueId {
        let checks = self.probes.get(&at).map(|due| self.emit(out, due, names));
        let new = out.append(inst, ty);
        self.probe_checks.extend(checks.map(|checks| (new, checks)));
        new
    }

    fn end_region(&mut self, out: &mut Writer, of: ValueId, names: &Renamed) {
        if let Some(due) = self.loops.get(&of) {
            let checks = self.emit(out, due, names);
            self.loop_checks.insert(names.get(of), checks);
        }
    }
}

/// The rows in which each value is needed, as formulas over the values of its region.
pub(crate) struct Needs<'a> {
    kernel: &'a Kernel,
    /// The loop each value lies in.
    region: Vec<Option<ValueId>>,
    formulas: Formulas,
}

impl<'a> Needs<'a> {
    /// The needs of a kernel.
    pub(crate) fn new(kernel: &'a Kernel) -> Needs<'a> {
        Needs { kernel, region: kernel.body.enclosing_loops(), formulas: Formulas::new() }
    }

    /// The mask in every row, what the sink takes where it is true.
    pub(crate) fn output_roots(&mut self) -> Vec<(ValueId, Formula)> {
        let selected = self.if_true(self.kernel.mask);
        let outputs = self.kernel.sink.operands().into_iter().map(|v| (v, selected));
        self.kernel.mask.map(|mask| (mask, Formula::ALWAYS)).into_iter().chain(outputs).collect()
    }

    /// The checks before each probe; probes without checks are left out.
    fn probes(&mut self) -> BTreeMap<ValueId, Vec<Due>> {
        let mut probes = BTreeMap::new();
        let kernel = self.kernel;
        for (v, inst, _) in kernel.body.iter() {
            let Inst::Probe { keys, when, kind, .. } = inst else { continue };
            if !kind.finds_rows() {
                continue;
            }
            let searched = self.if_true(*when);
            let keys = keys.iter().map(|&key| (key, searched));
            let roots: Vec<_> = when.map(|when| (when, Formula::ALWAYS)).into_iter().chain(keys).collect();
            if let Some(due) = self.sweep(v.index(), &roots).remove(&None) {
                probes.insert(v, due);
            }
        }
        probes
    }

    /// Goes backward from instruction `limit`, from users to operands: what must be checked, by region.
    fn sweep(&mut self, limit: usize, roots: &[(ValueId, Formula)]) -> BTreeMap<Option<ValueId>, Vec<Due>> {
        let needs = self.needs_of(limit, roots);
        let mut due: BTreeMap<Option<ValueId>, Vec<Due>> = BTreeMap::new();
        for i in (0..limit).rev() {
            let v = ValueId(i as u32);
            let flagged = may_fault(&self.kernel.body, v) || due.contains_key(&Some(v));
            if flagged && needs[i] != Formula::NEVER {
                due.entry(self.region[i]).or_default().push(Due { of: v, guard: needs[i] });
            }
        }
        due.values_mut().for_each(|due| due.reverse());
        due
    }

    /// The rows in which the roots need each value before instruction `limit`.
    pub(crate) fn needs_of(&mut self, limit: usize, roots: &[(ValueId, Formula)]) -> Vec<Formula> {
        let mut needs = vec![Formula::NEVER; limit];
        for &(v, need) in roots {
            needs[v.index()] = self.formulas.or(needs[v.index()], need);
        }
        self.loop_roots(&mut needs);
        for i in (0..limit).rev() {
            self.use_operands(ValueId(i as u32), &mut needs);
        }
        needs
    }

    /// The values that a condition looks at.
    pub(crate) fn tested(&self, condition: Formula) -> Vec<ValueId> {
        self.formulas.tested(condition)
    }

    /// Writes a condition; `None` if it always holds.
    pub(crate) fn write_one(&self, condition: Formula, out: &mut Writer, names: &Renamed) -> Option<ValueId> {
        self.formulas.write(std::iter::once(condition), out, names).pop().flatten()
    }

    /// In a loop the condition is always needed, the next state where the condition is true.
    fn loop_roots(&mut self, needs: &mut [Formula]) {
        let kernel = self.kernel;
        for (v, inst, _) in kernel.body.iter().take(needs.len()) {
            let Inst::Loop { while_, next, .. } = inst else { continue };
            let goes_on = self.if_true(*while_);
            let roots = while_.iter().map(|&w| (w, Formula::ALWAYS)).chain(next.iter().map(|&n| (n, goes_on)));
            for (root, need) in roots.filter(|(root, _)| self.region[root.index()] == Some(v)) {
                needs[root.index()] = self.formulas.or(needs[root.index()], need);
            }
        }
    }

    /// Adds an instruction's need to its operands.
    fn use_operands(&mut self, user: ValueId, needs: &mut [Formula]) {
        let kernel = self.kernel;
        let need = needs[user.index()];
        match kernel.body.inst(user) {
            Inst::Call { op, args } => {
                for (position, &arg) in args.iter().enumerate() {
                    let condition = self.condition(*op, position, args[0]);
                    let need = self.formulas.and(need, condition);
                    self.use_value(user, arg, need, needs);
                }
            }
            inst @ (Inst::Lookup { .. } | Inst::Gather { .. } | Inst::Loop { .. } | Inst::LoopResult { .. }) => {
                for operand in inst.operands() {
                    self.use_value(user, operand, need, needs);
                }
            }
            Inst::Probe { keys, when, kind, .. } if !kind.finds_rows() => {
                let condition = self.if_true(*when);
                let searched = self.formulas.and(need, condition);
                for (operand, need) in when.iter().map(|&w| (w, need)).chain(keys.iter().map(|&key| (key, searched))) {
                    self.use_value(user, operand, need, needs);
                }
            }
            // What other probes take are roots before them; a loop's state is needed in any case.
            Inst::Probe { .. } => {}
            Inst::LoopIndex(_) | Inst::LoopCarried { .. } => {}
            Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex => {}
        }
    }

    /// An operand of the user's region is needed as said; one from outside whenever the loop it is taken into is.
    fn use_value(&mut self, user: ValueId, operand: ValueId, need: Formula, needs: &mut [Formula]) {
        let home = self.region[operand.index()];
        if home == Some(user) {
            return;
        }
        let mut need = need;
        let mut region = self.region[user.index()];
        while region != home {
            let Some(taker) = region else { return };
            need = needs[taker.index()];
            region = self.region[taker.index()];
        }
        needs[operand.index()] = self.formulas.or(needs[operand.index()], need);
    }

    /// When a needed operation needs an operand.
    fn condition(&mut self, op: Op, position: usize, first: ValueId) -> Formula {
        use crate::op::Need;
        let nullable = self.kernel.body.ty(first).nullable;
        match op.need(position) {
            Need::Always => Formula::ALWAYS,
            Need::IfTrue => self.formulas.test(first, Test::True, nullable),
            Need::IfNotTrue => self.formulas.test(first, Test::NotTrue, nullable),
            Need::IfNotFalse => self.formulas.test(first, Test::NotFalse, nullable),
            Need::IfNull => self.formulas.test(first, Test::Null, nullable),
        }
    }

    /// The rows in which a condition is true; all rows if there is none.
    pub(crate) fn if_true(&mut self, condition: Option<ValueId>) -> Formula {
        match condition {
            Some(v) => self.formulas.test(v, Test::True, self.kernel.body.ty(v).nullable),
            None => Formula::ALWAYS,
        }
    }
}
