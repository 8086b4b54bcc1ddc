//! Counts the operations and other parts of kernels on which their results depend, and reports those that are too rare.

use super::classes::DTypeClass;
use super::profile::{CastPair, FoldTriple, Profile, SinkKind, Triple};
use crate::body::{Inst, ValueId};
use crate::kernel::Kernel;
use crate::op::Op;
use std::collections::BTreeMap;

/// The number of occurrences of each part.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Operations by the kind of their first operand.
    pub triples: BTreeMap<Triple, u64>,
    /// Conversions by the kinds on both sides.
    pub casts: BTreeMap<CastPair, u64>,
    /// Folds by the kind of their value.
    pub folds: BTreeMap<FoldTriple, u64>,
    /// Kinds of sinks.
    pub sinks: BTreeMap<SinkKind, u64>,
    /// Numbers of rows.
    pub rows: BTreeMap<usize, u64>,
    /// Other kinds of instructions, and masks, by name.
    pub others: BTreeMap<&'static str, u64>,
    /// For each kernel how many operations it has.
    pub calls: Vec<usize>,
}

/// How often each thing must occur.
#[derive(Clone, Copy, Debug)]
pub struct Least {
    /// Each operation × kind × nullability, and each fold.
    pub triple: u64,
    /// Each conversion from kind to kind.
    pub cast: u64,
    /// Each number of rows.
    pub rows: u64,
    /// The operations of the median kernel.
    pub median_calls: usize,
}

impl Coverage {
    /// Creates empty counts.
    pub fn new() -> Coverage {
        Coverage::default()
    }

    /// Counts a kernel that runs over this many rows.
    pub fn add(&mut self, kernel: &Kernel, rows: usize) {
        let live = live(kernel);
        let mut calls = 0;
        for (v, inst, ty) in kernel.body.iter().filter(|(v, ..)| live[v.index()]) {
            if let Inst::Call { op, args } = inst {
                calls += 1;
                self.call(kernel, *op, args, DTypeClass::of(ty.dtype));
            }
            if let Some(name) = other_name(kernel, v) {
                *self.others.entry(name).or_default() += 1;
            }
        }
        if let Some(mask) = kernel.mask {
            let name = if kernel.body.ty(mask).nullable { "mask with nulls" } else { "mask" };
            *self.others.entry(name).or_default() += 1;
        }
        self.calls.push(calls);
        *self.sinks.entry(SinkKind::of(&kernel.sink)).or_default() += 1;
        *self.rows.entry(rows).or_default() += 1;
        for fold in kernel.sink.folds() {
            if let Some(ty) = fold.value().map(|v| kernel.body.ty(v)) {
                *self.folds.entry((fold.op, DTypeClass::of(ty.dtype), ty.nullable)).or_default() += 1;
            }
        }
    }

    fn call(&mut self, kernel: &Kernel, op: Op, args: &[ValueId], result: DTypeClass) {
        let ty = kernel.body.ty(args[usize::from(op == Op::Select)]);
        let class = DTypeClass::of(ty.dtype);
        *self.triples.entry((op, class, ty.nullable)).or_default() += 1;
        if op.is_cast() {
            *self.casts.entry((op, class, result)).or_default() += 1;
        }
    }

    /// The number of operations that half of the kernels have at least.
    pub fn median_calls(&self) -> usize {
        let mut calls = self.calls.clone();
        calls.sort_unstable();
        calls.get(calls.len() / 2).copied().unwrap_or(0)
    }

    /// The parts that are too rare, one per line; empty if nothing is missing.
    pub fn missing(&self, profile: &Profile, least: Least) -> Vec<String> {
        let mut missing = Vec::new();
        let mut check = |what: String, count: u64, least: u64| {
            if count < least {
                missing.push(format!("{what}: {count} of {least}"));
            }
        };
        let nulls = |nullable: bool| if nullable { "?" } else { "" };
        let count = |found: Option<&u64>| found.copied().unwrap_or(0);
        for triple in &profile.wanted().triples {
            let (op, class, nullable) = *triple;
            check(format!("{} {class:?}{}", op.name(), nulls(nullable)), count(self.triples.get(triple)), least.triple);
        }
        for pair in &profile.wanted().casts {
            let (op, from, to) = *pair;
            check(format!("{} {from:?} -> {to:?}", op.name()), count(self.casts.get(pair)), least.cast);
        }
        if profile.sinks.iter().any(|sink| sink.folds()) {
            for triple in &profile.wanted().folds {
                let (op, class, nullable) = *triple;
                let what = format!("fold {} {class:?}{}", op.name(), nulls(nullable));
                check(what, count(self.folds.get(triple)), least.triple);
            }
        }
        for (rows, _) in &profile.rows {
            check(format!("{rows} rows"), count(self.rows.get(rows)), least.rows);
        }
        check("the median kernel's operations".to_string(), self.median_calls() as u64, least.median_calls as u64);
        missing
    }
}

/// Which values the mask and the sink depend on. A loop that is needed needs its whole state.
pub fn live(kernel: &Kernel) -> Vec<bool> {
    let mut live = vec![false; kernel.body.len()];
    let mut open: Vec<ValueId> = kernel.roots();
    // A probe that multiplies or drops rows is needed even if its value is unused.
    open.extend(kernel.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Probe { .. })).map(|(v, ..)| v));
    while let Some(v) = open.pop() {
        if !std::mem::replace(&mut live[v.index()], true) {
            open.extend(kernel.body.inst(v).operands());
        }
    }
    live
}

/// The name under which an instruction is counted, if it is not an operation.
fn other_name(kernel: &Kernel, v: ValueId) -> Option<&'static str> {
    Some(match kernel.body.inst(v) {
        Inst::Call { .. } => return None,
        Inst::Column(_) => "column",
        Inst::Param(_) => "param",
        Inst::Const(Some(_)) => "const",
        Inst::Const(None) => "null const",
        Inst::RowIndex => "row index",
        Inst::Lookup { .. } => "lookup",
        Inst::Gather { .. } => "gather",
        Inst::Probe { .. } => "probe",
        Inst::Loop { while_: None, .. } => "repeat",
        Inst::Loop { while_: Some(_), .. } => "while",
        Inst::LoopIndex(_) => "loop index",
        Inst::LoopCarried { .. } => "loop state",
        Inst::LoopResult { .. } => "loop result",
    })
}
