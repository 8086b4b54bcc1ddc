//! Cuts a verified kernel at its probes, into a chain of kernels without probes, for devices that search tables between
//! two kernels.
//!
//! A **step** stands for one probe. Its kernel is a `Compact` of the rows that search: each row's position, then its
//! keys. The results of the search become columns ([`SplitColumn`]) of the kernels after it. The last kernel has the
//! sink of the whole. Steps that find rows come in the order of their probes; before each, and before the last kernel,
//! come steps for the `exists` probes that it needs (if two of them need the same answer, it is searched for twice).
//!
//! **Rows.** A step that multiplies rows replaces each by its matches: the kernels after it run over these, and
//! [`SplitColumn::RowNumber`] is their source row's number. Any other step leaves rows in their places and selects some
//! of them ([`SplitColumn::Selected`]); the kernels after it mask the others out.
//!
//! **Faults.** A key is computed where the row searches, and an `exists` searches only where its answer is needed (the
//! conditions that `guard` finds, written so that they are evaluated in the order in which they are asked). So the
//! chain faults in a row exactly if the kernel does, and the smallest row over all of its kernels is the kernel's.

use crate::body::{Body, ColumnId, Inst, ProbeKind, TableId, ValueId};
use crate::guard::{Formula, Needs};
use crate::kernel::{FoldInput, Kernel, SideTable, Sink};
use crate::op::Op;
use crate::rewrite::{Renamed, Rewrite, Writer, copy, may_fault};
use crate::types::{DType, Type};
use std::collections::{BTreeMap, BTreeSet};

/// The source of a column of a kernel in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SplitColumn {
    /// A column of the whole kernel.
    Source(ColumnId),
    /// The number of the row in its source (`u64`).
    RowNumber,
    /// Whether the row goes on after this step (`bool`), which finds rows and multiplies none.
    Selected(usize),
    /// The result of this step: a row number (`u64`, nullable if rows without a match are kept), or an answer (`bool`).
    Match(usize),
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitStep {
    /// Gives the position (`u64`) and the keys of each row that searches.
    pub kernel: Kernel,
    /// The sources of its columns.
    pub columns: Vec<SplitColumn>,
    /// The table that is searched.
    pub table: TableId,
    /// The kind of the probe.
    pub kind: ProbeKind,
}

/// A kernel without its probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitKernel {
    /// Its probes, in the order in which they are searched.
    pub steps: Vec<SplitStep>,
    /// The effect of the step on the rows.
    pub last: Kernel,
    /// The sources of the last kernel's columns.
    pub last_columns: Vec<SplitColumn>,
}

/// Why a kernel cannot be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitError {
    /// The probe, and what is wrong with it.
    pub message: String,
}

/// Cuts a kernel at its probes. The error names a probe whose keys may fault and whose answer is needed or not
/// depending on the answer of another that depends on its own.
pub fn split(kernel: &Kernel) -> Result<SplitKernel, SplitError> {
    let mut chain = SplitChain {
        kernel,
        needs: Needs::new(kernel),
        known: BTreeMap::new(),
        found: BTreeMap::new(),
        selected: None,
        expanded: false,
        steps: Vec::new(),
    };
    for (v, inst, _) in kernel.body.iter() {
        let Inst::Probe { table, keys, when, kind } = inst else { continue };
        if !kind.finds_rows() {
            continue;
        }
        let searched = chain.needs.if_true(*when);
        let keys_needed = keys.iter().map(|&key| (key, searched));
        let roots: Vec<_> = when.map(|when| (when, Formula::ALWAYS)).into_iter().chain(keys_needed).collect();
        chain.answers(v.index(), &roots)?;
        chain.step(Search { table: *table, kind: *kind, keys, when: *when }, Formula::ALWAYS);
        let step = chain.steps.len() - 1;
        chain.found.insert(v, step);
        chain.expanded |= kind.multiplies();
        if kind.multiplies() {
            chain.selected = None;
        } else if when.is_some() || !kind.keeps_unmatched() {
            chain.selected = Some(step);
        }
    }
    let roots = chain.needs.output_roots();
    chain.answers(kernel.body.len(), &roots)?;
    let (last, last_columns) = chain.last();
    Ok(SplitKernel { steps: chain.steps, last, last_columns })
}

/// The keys that a probe searches for.
#[derive(Clone, Copy)]
struct Search<'a> {
    table: TableId,
    kind: ProbeKind,
    keys: &'a [ValueId],
    when: Option<ValueId>,
}

/// A chain while it is built.
struct SplitChain<'a> {
    kernel: &'a Kernel,
    needs: Needs<'a>,
    /// The steps of the `exists` probes that were answered for the kernel that is made next.
    known: BTreeMap<ValueId, usize>,
    /// The steps of the probes that find rows.
    found: BTreeMap<ValueId, usize>,
    /// The step that selects the rows; `None` if all rows remain.
    selected: Option<usize>,
    /// Whether a step multiplied rows.
    expanded: bool,
    steps: Vec<SplitStep>,
}

impl SplitChain<'_> {
    /// The step whose match is a probe's value; `None` for an answer that is not needed.
    fn step_of(&self, probe: ValueId) -> Option<usize> {
        self.known.get(&probe).or_else(|| self.found.get(&probe)).copied()
    }

    /// Adds steps for the `exists` probes before instruction `limit` that the roots need.
    fn answers(&mut self, limit: usize, roots: &[(ValueId, Formula)]) -> Result<(), SplitError> {
        self.known.clear();
        let needs = self.needs.needs_of(limit, roots);
        let mut left: BTreeSet<ValueId> = self
            .kernel
            .body
            .iter()
            .take(limit)
            .filter(|(v, inst, _)| {
                matches!(inst, Inst::Probe { kind, .. } if !kind.finds_rows()) && needs[v.index()] != Formula::NEVER
            })
            .map(|(v, ..)| v)
            .collect();
        while !left.is_empty() {
            let ready = left.iter().copied().find(|&v| !self.waits(v, needs[v.index()], &left));
            let (v, need) = match ready {
                Some(v) => (v, needs[v.index()]),
                None => (self.without_faults(&left)?, Formula::ALWAYS),
            };
            let Inst::Probe { table, keys, when, kind } = self.kernel.body.inst(v) else { continue };
            self.step(Search { table: *table, kind: *kind, keys, when: *when }, need);
            self.known.insert(v, self.steps.len() - 1);
            left.remove(&v);
        }
        Ok(())
    }

    /// Whether what a probe looks for, or the condition under which it is needed, takes one of these answers.
    fn waits(&self, probe: ValueId, need: Formula, unknown: &BTreeSet<ValueId>) -> bool {
        let mut roots = self.kernel.body.inst(probe).operands();
        roots.extend(self.needs.tested(need));
        let own = wanted(&self.kernel.body, &roots);
        own.iter().any(|v| unknown.contains(v))
    }

    /// An `exists` probe that may search where its answer is not needed: nothing that it takes can fault or is unknown.
    fn without_faults(&self, left: &BTreeSet<ValueId>) -> Result<ValueId, SplitError> {
        let body = &self.kernel.body;
        let harmless = |&v: &ValueId| {
            let own = wanted(body, &body.inst(v).operands());
            own.iter().all(|&v| !may_fault(body, v) && !left.contains(&v))
        };
        left.iter().copied().find(harmless).ok_or_else(|| SplitError {
            message: left.first().map_or_else(String::new, |v| {
                format!(
                    "the probe {v} and another one are needed depending on each other's answer, and its keys may fault"
                )
            }),
        })
    }

    /// Adds the step of a probe whose answer is needed under a condition.
    fn step(&mut self, search: Search<'_>, need: Formula) {
        let operands: Vec<ValueId> =
            search.keys.iter().chain(&search.when).copied().chain(self.needs.tested(need)).collect();
        let mut kernel = PartKernel::new(self, &operands);
        let selected = kernel.selected();
        let needed = self.needs.write_one(need, &mut kernel.out, &kernel.names);
        let when = search.when.map(|when| kernel.names.get(when));
        let mask = [selected, needed, when].into_iter().flatten().reduce(|a, b| kernel.both(a, b));
        let position = kernel.out.append(Inst::RowIndex, DType::U64.required());
        let mut columns = vec![position];
        columns.extend(search.keys.iter().map(|&key| kernel.names.get(key)));
        let (kernel, columns) = kernel.finish(mask, Sink::Compact { columns });
        self.steps.push(SplitStep { kernel, columns, table: search.table, kind: search.kind });
    }

    fn last(&self) -> (Kernel, Vec<SplitColumn>) {
        if self.kernel.sink.folds().iter().any(|fold| matches!(fold.input, FoldInput::State { .. })) {
            // A merge has no probes, and its folds read columns that no value does.
            let columns = (0..self.kernel.columns.len() as u32).map(|column| SplitColumn::Source(ColumnId(column)));
            return (self.kernel.clone(), columns.collect());
        }
        let mut kernel = PartKernel::new(self, &self.kernel.roots());
        let selected = kernel.selected();
        let mask = self.kernel.mask.map(|mask| kernel.names.get(mask));
        let mask = match (selected, mask) {
            (Some(selected), Some(mask)) => Some(kernel.both(selected, mask)),
            (one, other) => one.or(other),
        };
        let sink = self.kernel.sink.map_operands(|v| kernel.names.get(v));
        kernel.finish(mask, sink)
    }
}

/// A kernel of the chain while it is built.
struct PartKernel<'c, 'k> {
    chain: &'c SplitChain<'k>,
    out: Writer,
    names: Renamed,
    columns: Vec<(SplitColumn, Type)>,
}

impl<'c, 'k> PartKernel<'c, 'k> {
    /// A kernel with copies of these values of the whole.
    fn new(chain: &'c SplitChain<'k>, roots: &[ValueId]) -> PartKernel<'c, 'k> {
        let (mut out, mut names) = (Writer::new(), Renamed::new());
        let body = &chain.kernel.body;
        let wanted = wanted(body, roots);
        let mut columns = ColumnRewrite { chain, columns: Vec::new() };
        for &probe in wanted.iter().filter(|v| matches!(body.inst(**v), Inst::Probe { .. })) {
            let value = match chain.step_of(probe) {
                Some(step) => columns.read(&mut out, SplitColumn::Match(step), body.ty(probe)),
                // An answer that no row needs.
                None => out.truth(false),
            };
            names.set(probe, value);
        }
        copy(body, &wanted, &mut out, &mut names, &mut columns);
        let columns = columns.columns;
        PartKernel { chain, out, names, columns }
    }

    /// Which rows are there.
    fn selected(&mut self) -> Option<ValueId> {
        let step = self.chain.selected?;
        let mut columns = ColumnRewrite { chain: self.chain, columns: std::mem::take(&mut self.columns) };
        let value = columns.read(&mut self.out, SplitColumn::Selected(step), DType::Bool.required());
        self.columns = columns.columns;
        Some(value)
    }

    /// The first, and where it is true the second.
    fn both(&mut self, first: ValueId, second: ValueId) -> ValueId {
        let nullable = [first, second].iter().any(|&v| self.out.body().ty(v).nullable);
        let ty = Type { dtype: DType::Bool, nullable };
        self.out.push(Inst::Call { op: Op::And, args: vec![first, second] }, ty)
    }

    fn finish(self, mask: Option<ValueId>, sink: Sink) -> (Kernel, Vec<SplitColumn>) {
        let kernel = Kernel {
            columns: self.columns.iter().map(|(_, ty)| *ty).collect(),
            body: self.out.finish(),
            mask,
            sink,
            tables: gathered(&self.chain.kernel.tables),
            ..self.chain.kernel.clone()
        };
        (kernel, self.columns.into_iter().map(|(column, _)| column).collect())
    }
}

/// The tables of a kernel that only gathers from them.
fn gathered(tables: &[SideTable]) -> Vec<SideTable> {
    tables.iter().map(|table| SideTable { keys: Vec::new(), columns: table.columns.clone() }).collect()
}

/// The values that the roots need, up to the probes whose answers are columns. All of a loop is needed with it, as it
/// needs all that its region takes from outside, whether or not the region uses it.
fn wanted(body: &Body, roots: &[ValueId]) -> Vec<ValueId> {
    let (mut seen, mut left) = (BTreeSet::new(), roots.to_vec());
    while let Some(v) = left.pop() {
        if !seen.insert(v) || matches!(body.inst(v), Inst::Probe { .. }) {
            continue;
        }
        left.extend(body.inst(v).operands());
        if let Inst::Loop { end, .. } = body.inst(v) {
            left.extend((v.0 + 1..*end).map(ValueId));
        }
    }
    seen.into_iter().collect()
}

/// Puts columns of the chain in the place of the whole kernel's columns and row numbers.
struct ColumnRewrite<'c, 'k> {
    chain: &'c SplitChain<'k>,
    columns: Vec<(SplitColumn, Type)>,
}

impl ColumnRewrite<'_, '_> {
    fn read(&mut self, out: &mut Writer, column: SplitColumn, ty: Type) -> ValueId {
        let number = self.columns.iter().position(|(known, _)| *known == column).unwrap_or_else(|| {
            self.columns.push((column, ty));
            self.columns.len() - 1
        });
        out.append(Inst::Column(ColumnId(number as u32)), ty)
    }
}

impl Rewrite for ColumnRewrite<'_, '_> {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        if let Inst::Column(column) = inst {
            return self.read(out, SplitColumn::Source(column), ty);
        }
        if inst == Inst::RowIndex && self.chain.expanded {
            return self.read(out, SplitColumn::RowNumber, ty);
        }
        out.append(inst, ty)
    }
}
