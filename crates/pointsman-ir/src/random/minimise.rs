//! Reduces a failing case to fewer rows, fewer outputs and a shorter body, as long as it still fails. In: a case and
//! what "fails" means. Out: a case that fails, no larger. Greedy, and bounded by a number of attempts.

use super::Case;
use crate::body::{Body, ColumnId, Inst, ParamId, ValueId};
use crate::kernel::{Kernel, Sink};
use crate::rewrite::{Keep, Renamed, Rewrite, Writer, copy, needed};
use crate::types::Type;
use crate::verify;

/// After this many candidates the best so far is handed back.
const ATTEMPTS_MAX: usize = 4_000;

/// Many rows are left out in at most this many stretches a round, so that attempts are left for the rest.
const STRETCHES_MAX: usize = 128;

/// The smallest case found that still fails. If `case` does not fail, it is returned unchanged.
pub fn minimise(case: Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut search = Search { best: case, fails, attempts: 0 };
    loop {
        let before = search.attempts;
        let found = search.rows() | search.outputs() | search.body() | search.declarations();
        if !found || search.attempts >= ATTEMPTS_MAX || search.attempts == before {
            return search.best;
        }
    }
}

struct Search<'a> {
    best: Case,
    fails: &'a dyn Fn(&Case) -> bool,
    attempts: usize,
}

impl Search<'_> {
    /// Takes the candidate if it fails too.
    fn accept(&mut self, candidate: Case) -> bool {
        self.attempts += 1;
        let better = self.attempts <= ATTEMPTS_MAX && (self.fails)(&candidate);
        if better {
            self.best = candidate;
        }
        better
    }

    /// Leaves out stretches of rows, long ones first.
    fn rows(&mut self) -> bool {
        let mut found = false;
        let mut stretch = self.best.inputs.rows;
        while stretch > self.best.inputs.rows / STRETCHES_MAX {
            let mut start = 0;
            while start < self.best.inputs.rows && self.attempts < ATTEMPTS_MAX {
                let end = (start + stretch).min(self.best.inputs.rows);
                if self.accept(without_rows(&self.best, start, end)) {
                    found = true;
                } else {
                    start = end;
                }
            }
            stretch /= 2;
        }
        if self.best.inputs.first_row != 0 {
            let mut candidate = self.best.clone();
            candidate.inputs.first_row = 0;
            found |= self.accept(candidate);
        }
        found
    }

    /// Leaves out the mask and parts of the sink.
    fn outputs(&mut self) -> bool {
        let mut found = false;
        if self.best.kernel.mask.is_some() {
            let kernel = Kernel { mask: None, ..self.best.kernel.clone() };
            found |= self.accept(Case { kernel, ..self.best.clone() });
        }
        while self.smaller_sink() {
            found = true;
        }
        found
    }

    fn smaller_sink(&mut self) -> bool {
        let kernel = self.best.kernel.clone();
        let sinks = smaller_sinks(&kernel.sink).into_iter().chain(earlier_sinks(&kernel));
        let mut kernels = sinks.map(|sink| Kernel { sink, ..kernel.clone() });
        kernels.any(|kernel| self.accept(Case { kernel, ..self.best.clone() }))
    }

    /// Puts an operand or a constant in the place of an operation, last ones first.
    fn body(&mut self) -> bool {
        let mut found = self.accept_kernel(rewritten(&self.best.kernel, &mut Keep, Dead::Drop));
        let mut at = self.best.kernel.body.len();
        while at > 0 {
            at = (at - 1).min(self.best.kernel.body.len().saturating_sub(1));
            let v = ValueId(at as u32);
            for with in replacements(&self.best.kernel.body, v) {
                if self.accept_kernel(replaced(&self.best.kernel, v, with)) {
                    found = true;
                    break;
                }
            }
        }
        found
    }

    /// Takes a kernel if it is shorter and fails too.
    fn accept_kernel(&mut self, kernel: Kernel) -> bool {
        let size = |kernel: &Kernel| {
            let leaf = |inst: &Inst| matches!(inst, Inst::Const(_) | Inst::Column(_) | Inst::Param(_));
            kernel.body.iter().map(|(_, inst, _)| if leaf(inst) { 1 } else { 2 }).sum::<usize>()
        };
        size(&kernel) < size(&self.best.kernel) && self.accept(Case { kernel, ..self.best.clone() })
    }

    /// Leaves out columns and parameters that nothing uses.
    fn declarations(&mut self) -> bool {
        let candidate = without_unused(&self.best);
        let fewer = candidate.kernel.columns.len() < self.best.kernel.columns.len()
            || candidate.kernel.params.len() < self.best.kernel.params.len();
        fewer && self.accept(candidate)
    }
}

fn without_rows(case: &Case, start: usize, end: usize) -> Case {
    let mut small = case.clone();
    small.inputs.rows -= end - start;
    for column in &mut small.inputs.columns {
        let kept = (0..start).chain(end..column.len()).map(|row| column.get(row)).collect::<Vec<_>>();
        *column = crate::data::ColumnData::from_scalars(column.ty(), kept);
    }
    small
}

/// The list without each of its items, one at a time.
fn without_each<T: Clone>(items: &[T], least: usize) -> Vec<Vec<T>> {
    let without = |i: usize| items[..i].iter().chain(&items[i + 1..]).cloned().collect();
    if items.len() > least { (0..items.len()).map(without).collect() } else { Vec::new() }
}

/// The sink with one part less.
fn smaller_sinks(sink: &Sink) -> Vec<Sink> {
    let mut smaller: Vec<Sink> = Vec::new();
    match sink {
        Sink::Store { columns } => {
            smaller.extend(without_each(columns, 1).into_iter().map(|columns| Sink::Store { columns }));
        }
        Sink::Compact { columns } => {
            smaller.extend(without_each(columns, 1).into_iter().map(|columns| Sink::Compact { columns }));
        }
        Sink::Reduce { folds } => {
            smaller.extend(without_each(folds, 1).into_iter().map(|folds| Sink::Reduce { folds }));
        }
        Sink::Scan { columns, running, segment } => {
            let scan = |columns, running, segment| Sink::Scan { columns, running, segment };
            smaller.extend(without_each(columns, 0).into_iter().map(|less| scan(less, running.clone(), *segment)));
            smaller.extend(without_each(running, 1).into_iter().map(|less| scan(columns.clone(), less, *segment)));
            smaller.extend(segment.map(|_| scan(columns.clone(), running.clone(), None)));
        }
        Sink::Sort { keys, columns, limit } => {
            let sort = |keys, columns, limit| Sink::Sort { keys, columns, limit };
            smaller.extend(without_each(keys, 1).into_iter().map(|less| sort(less, columns.clone(), *limit)));
            smaller.extend(without_each(columns, 1).into_iter().map(|less| sort(keys.clone(), less, *limit)));
            smaller.extend(limit.map(|_| sort(keys.clone(), columns.clone(), None)));
        }
        Sink::Group { keys, folds, order } => {
            let group = |keys, folds| Sink::Group { keys, folds, order: *order };
            smaller.extend(without_each(keys, 1).into_iter().map(|less| group(less, folds.clone())));
            smaller.extend(without_each(folds, 0).into_iter().map(|less| group(keys.clone(), less)));
        }
        Sink::Build { keys, columns } => {
            let build = |keys, columns| Sink::Build { keys, columns };
            smaller.extend(without_each(keys, 1).into_iter().map(|less| build(less, columns.clone())));
            smaller.extend(without_each(columns, 0).into_iter().map(|less| build(keys.clone(), less)));
        }
        Sink::Partition { by, bits, columns } => {
            let less = without_each(columns, 0).into_iter();
            smaller.extend(less.map(|columns| Sink::Partition { by: by.clone(), bits: *bits, columns }));
        }
        // No random kernel has calls.
        Sink::Call { .. } => {}
    }
    smaller
}

/// The sink with one of its values replaced by one that it is made from.
fn earlier_sinks(kernel: &Kernel) -> Vec<Sink> {
    let mut earlier = Vec::new();
    for v in kernel.sink.operands() {
        let inst = kernel.body.inst(v);
        let source = if let Inst::LoopResult { of, .. } = inst { kernel.body.inst(*of) } else { inst };
        let used = source.operands();
        for u in used.into_iter().filter(|&u| u < v) {
            let sink = kernel.sink.map_operands(|w| if w == v { u } else { w });
            let candidate = Kernel { sink: sink.clone(), ..kernel.clone() };
            if verify::kernel(&candidate).is_ok() {
                earlier.push(sink);
            }
        }
    }
    earlier
}

/// The replacement of an instruction.
#[derive(Clone, Copy, Debug)]
enum Replacement {
    /// Another value that it uses.
    Value(ValueId),
    /// Zero, or null where the type allows it.
    Constant,
}

/// Possible replacements of an instruction: operands of its type, then a constant.
fn replacements(body: &Body, v: ValueId) -> Vec<Replacement> {
    let used = match body.inst(v) {
        Inst::Call { args, .. } => args.clone(),
        Inst::LoopResult { of, slot } => body.inst(*of).operands().get(*slot as usize).copied().into_iter().collect(),
        Inst::Lookup { .. } | Inst::Gather { .. } | Inst::RowIndex | Inst::LoopIndex(_) => Vec::new(),
        Inst::LoopCarried { .. } | Inst::Column(_) | Inst::Param(_) => Vec::new(),
        Inst::Const(_) | Inst::Probe { .. } | Inst::Loop { .. } => return Vec::new(),
    };
    let same = used.into_iter().filter(|&u| body.ty(u) == body.ty(v)).map(Replacement::Value);
    same.chain([Replacement::Constant]).collect()
}

struct Replace {
    at: ValueId,
    with: Replacement,
}

impl Rewrite for Replace {
    fn write(&mut self, out: &mut Writer, at: ValueId, inst: Inst, ty: Type, names: &Renamed) -> ValueId {
        match self.with {
            _ if self.at != at => out.append(inst, ty),
            Replacement::Value(u) => names.get(u),
            Replacement::Constant => {
                let value = (!ty.nullable).then(|| ty.dtype.repr().zero());
                out.append(Inst::Const(value), ty)
            }
        }
    }
}

/// The kernel with one value replaced and without what nothing needs then.
fn replaced(kernel: &Kernel, at: ValueId, with: Replacement) -> Kernel {
    let first = rewritten(kernel, &mut Replace { at, with }, Dead::KeepInLoops);
    rewritten(&first, &mut Keep, Dead::KeepInLoops)
}

/// The treatment of unused values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dead {
    /// They go.
    Drop,
    /// Those in a loop that is needed stay: what they take from outside is needed with the loop, and may fault.
    KeepInLoops,
}

/// The values that the kernel needs.
fn roots(kernel: &Kernel, dead: Dead) -> Vec<ValueId> {
    let probes = kernel.body.iter().filter(|(_, inst, _)| matches!(inst, Inst::Probe { .. })).map(|(v, ..)| v);
    let mut roots: Vec<ValueId> = kernel.roots().into_iter().chain(probes).collect();
    let mut before = 0;
    while dead == Dead::KeepInLoops && roots.len() != before {
        before = roots.len();
        let mut all = needed(&kernel.body, &roots, &Renamed::new());
        for v in all.clone() {
            if let Inst::Loop { end, .. } = kernel.body.inst(v) {
                all.extend((v.0 + 1..*end).map(ValueId));
            }
        }
        roots = all.into_iter().collect();
    }
    roots
}

fn rewritten(kernel: &Kernel, rule: &mut dyn Rewrite, dead: Dead) -> Kernel {
    let roots = roots(kernel, dead);
    let (mut out, mut names) = (Writer::new(), Renamed::new());
    copy(&kernel.body, &roots, &mut out, &mut names, rule);
    Kernel {
        body: out.finish(),
        mask: kernel.mask.map(|v| names.get(v)),
        sink: kernel.sink.map_operands(|v| names.get(v)),
        ..kernel.clone()
    }
}

/// Numbers the columns and parameters that are used by first use.
#[derive(Default)]
struct Number {
    columns: Vec<ColumnId>,
    params: Vec<ParamId>,
}

fn place<T: PartialEq>(items: &mut Vec<T>, item: T) -> u32 {
    let known = items.iter().position(|other| *other == item);
    known.unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    }) as u32
}

impl Rewrite for Number {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        let inst = if let Inst::Column(column) = inst {
            Inst::Column(ColumnId(place(&mut self.columns, column)))
        } else if let Inst::Param(param) = inst {
            Inst::Param(ParamId(place(&mut self.params, param)))
        } else {
            inst
        };
        out.append(inst, ty)
    }
}

fn without_unused(case: &Case) -> Case {
    let mut numbers = Number::default();
    let mut small = case.clone();
    small.kernel = rewritten(&case.kernel, &mut numbers, Dead::KeepInLoops);
    small.kernel.columns = numbers.columns.iter().map(|c| case.kernel.columns[c.index()]).collect();
    small.kernel.params = numbers.params.iter().map(|p| case.kernel.params[p.index()]).collect();
    small.inputs.columns = numbers.columns.iter().map(|c| case.inputs.columns[c.index()].clone()).collect();
    small.inputs.params = numbers.params.iter().map(|p| case.inputs.params[p.index()]).collect();
    small
}
