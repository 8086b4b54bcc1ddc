//! Copies a body: walks the old one in order and writes a new one, with values renamed and loops kept nested. All
//! copies of bodies use this.
//!
//! The copy has the wanted values of a body and everything that they need, in the old order, so copying also eliminates
//! dead code. A [`Rewrite`] may replace an instruction by another value of the same type, so types need not be derived
//! again. An operand is never moved into or out of a loop.
//!
//! **Merging.** [`Writer::push`] returns an existing equal value instead of writing a second one. A value that a loop
//! takes from outside is needed whenever the loop is, whereas the same value inside may be needed in few iterations
//! only. So inside a loop, only values that can never fault are merged with values outside; otherwise the merge could
//! add an error.

pub(crate) mod edit;
pub(crate) mod node;

use crate::body::{Body, Inst, ValueId};
use crate::op::{Op, TypeError};
use crate::types::{DType, Scalar, Type};
use std::collections::{BTreeSet, HashMap};

/// Which new value stands for which old one.
#[derive(Clone, Debug, Default)]
pub struct Renamed {
    names: HashMap<ValueId, ValueId>,
}

impl Renamed {
    /// Creates an empty renaming.
    pub fn new() -> Renamed {
        Renamed::default()
    }

    /// Says what stands for an old value.
    pub fn set(&mut self, old: ValueId, new: ValueId) {
        self.names.insert(old, new);
    }

    /// Whether something stands for the old value.
    pub fn contains(&self, old: ValueId) -> bool {
        self.names.contains_key(&old)
    }

    /// The new value of an old one, which must have been copied.
    pub fn get(&self, old: ValueId) -> ValueId {
        *self.names.get(&old).expect("operands are copied before their users")
    }
}

/// Rewrites each instruction that is copied.
pub trait Rewrite {
    /// Writes the instruction (its operands are renamed already) or something of the same type in its place.
    /// Never called for loops.
    fn write(&mut self, out: &mut Writer, at: ValueId, inst: Inst, ty: Type, names: &Renamed) -> ValueId;

    /// Called when all of a loop's region is written, before the loop closes.
    fn end_region(&mut self, _out: &mut Writer, _of: ValueId, _names: &Renamed) {}
}

/// Copies as it is.
#[derive(Clone, Copy, Debug)]
pub struct Keep;

impl Rewrite for Keep {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        out.append(inst, ty)
    }
}

/// Copies equal values once.
#[derive(Clone, Copy, Debug)]
pub struct Merge;

impl Rewrite for Merge {
    fn write(&mut self, out: &mut Writer, _: ValueId, inst: Inst, ty: Type, _: &Renamed) -> ValueId {
        out.push(inst, ty)
    }
}

/// Copies what the roots need and is not renamed yet, in the old order.
pub fn copy(old: &Body, roots: &[ValueId], out: &mut Writer, names: &mut Renamed, rule: &mut dyn Rewrite) {
    replay(&extract(old, roots, names), out, names, rule);
}

/// An instruction taken out of a body.
#[derive(Clone, Debug)]
pub struct Part {
    at: ValueId,
    inst: Inst,
    ty: Type,
}

/// Takes out what the roots need and is not renamed yet, in order.
pub fn extract(old: &Body, roots: &[ValueId], names: &Renamed) -> Vec<Part> {
    let part = |v| Part { at: v, inst: old.inst(v).clone(), ty: old.ty(v) };
    needed(old, roots, names).into_iter().map(part).collect()
}

/// Writes values of a body into another body, or at the end of the same one.
pub fn replay(parts: &[Part], out: &mut Writer, names: &mut Renamed, rule: &mut dyn Rewrite) {
    let mut open: Vec<(&Part, u32)> = Vec::new();
    for part in parts {
        while let Some((of, _)) = open.pop_if(|(_, end)| *end <= part.at.0) {
            close(of, out, names, rule);
        }
        let new = if let Inst::Loop { bound, slots, init, end, .. } = &part.inst {
            open.push((part, *end));
            let init = init.iter().map(|&v| names.get(v)).collect();
            out.open_loop(*bound, slots.clone(), init)
        } else {
            rule.write(out, part.at, part.inst.map_operands(|v| names.get(v)), part.ty, names)
        };
        debug_assert_eq!(out.body.ty(new), part.ty, "what replaces a value has its type");
        names.set(part.at, new);
    }
    while let Some((of, _)) = open.pop() {
        close(of, out, names, rule);
    }
}

fn close(of: &Part, out: &mut Writer, names: &Renamed, rule: &mut dyn Rewrite) {
    rule.end_region(out, of.at, names);
    if let Inst::Loop { while_, next, .. } = &of.inst {
        let next: Vec<ValueId> = next.iter().map(|&v| names.get(v)).collect();
        out.close_loop(names.get(of.at), while_.map(|v| names.get(v)), &next);
    }
}

/// The values that the roots need, including the roots, without those that are renamed already, in order.
pub fn needed(body: &Body, roots: &[ValueId], names: &Renamed) -> BTreeSet<ValueId> {
    let mut needed = BTreeSet::new();
    let mut left = roots.to_vec();
    while let Some(v) = left.pop() {
        if !names.contains(v) && needed.insert(v) {
            left.extend(body.inst(v).operands());
        }
    }
    needed
}

/// Whether an instruction can fault on some row; sharper than [`Body::can_fault`], since it looks at the operands.
pub fn may_fault(body: &Body, v: ValueId) -> bool {
    match body.inst(v) {
        Inst::Call { op: op @ (Op::Div | Op::Rem), args } => {
            body.can_fault(v) && !safe_divisor(*op, body.inst(args[1]))
        }
        // The result of a probe is a row of the table.
        Inst::Gather { table, row, .. } => !matches!(body.inst(*row),
            Inst::Probe { table: probed, kind, .. } if probed == table && kind.finds_rows()),
        Inst::Call { .. } | Inst::Lookup { .. } => body.can_fault(v),
        Inst::Column(_) | Inst::Param(_) | Inst::Const(_) | Inst::RowIndex | Inst::Probe { .. } => false,
        Inst::Loop { .. } | Inst::LoopIndex(_) | Inst::LoopCarried { .. } | Inst::LoopResult { .. } => false,
    }
}

/// A constant that divides every integer: null, or not 0 and (for the quotient, where `MIN / -1` faults) not −1.
fn safe_divisor(op: Op, divisor: &Inst) -> bool {
    let Inst::Const(value) = divisor else { return false };
    match value.and_then(Scalar::as_integer) {
        Some(0) => false,
        Some(-1) => op == Op::Rem,
        Some(_) | None => true,
    }
}

/// Writes a body and knows what is in it.
#[derive(Debug)]
pub struct Writer {
    body: Body,
    /// For each value: neither it nor anything it needs can fault.
    total: Vec<bool>,
    /// The candidates for merging: the top level, then the open loops.
    scopes: Vec<HashMap<(Inst, Type), ValueId>>,
}

impl Default for Writer {
    fn default() -> Writer {
        Writer::new()
    }
}

impl Writer {
    /// An empty body.
    pub fn new() -> Writer {
        Writer { body: Body::new(), total: Vec::new(), scopes: vec![HashMap::new()] }
    }

    /// Continues after the end of a body. No value is merged with the existing ones.
    pub fn behind(body: Body) -> Writer {
        let total = vec![false; body.len()];
        Writer { body, total, scopes: vec![HashMap::new()] }
    }

    /// The values written so far.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The finished body.
    pub fn finish(self) -> Body {
        debug_assert_eq!(self.scopes.len(), 1, "every loop was closed");
        self.body
    }

    /// Whether neither the value nor anything it needs can fault.
    pub fn is_total(&self, v: ValueId) -> bool {
        self.total[v.index()]
    }

    /// Appends an instruction, even where an equal one exists.
    pub fn append(&mut self, inst: Inst, ty: Type) -> ValueId {
        let v = self.body.push(inst.clone(), ty);
        let total = self.total_now(v);
        self.total.push(total);
        let scope = self.scopes.last_mut().expect("the top level is never closed");
        scope.entry((inst, ty)).or_insert(v);
        v
    }

    /// An equal value if there is one that may be used here, else a new one.
    pub fn push(&mut self, inst: Inst, ty: Type) -> ValueId {
        if matches!(inst, Inst::Probe { .. } | Inst::Loop { .. }) {
            return self.append(inst, ty);
        }
        let key = (inst, ty);
        let inner = self.scopes.len() - 1;
        let found =
            self.scopes.iter().enumerate().rev().find_map(|(depth, scope)| {
                scope.get(&key).copied().filter(|&v| depth == inner || self.total[v.index()])
            });
        found.unwrap_or_else(|| self.append(key.0, key.1))
    }

    /// An operation on values that are there, its type by its rule; merged like [`Writer::push`].
    pub fn call(&mut self, op: Op, args: &[ValueId]) -> Result<ValueId, TypeError> {
        let ty = op.result_type(&self.body.types_of(args), None)?;
        Ok(self.push(Inst::Call { op, args: args.to_vec() }, ty))
    }

    /// A baked truth value.
    pub fn truth(&mut self, value: bool) -> ValueId {
        self.push(Inst::Const(Some(Scalar::Bool(value))), DType::Bool.required())
    }

    /// Opens a loop; what is written until [`Writer::close_loop`] is its region.
    pub fn open_loop(&mut self, bound: u32, slots: Vec<Type>, init: Vec<ValueId>) -> ValueId {
        let inst = Inst::Loop { bound, slots, init, end: 0, while_: None, next: Vec::new() };
        let v = self.append(inst, DType::Bool.required());
        self.scopes.push(HashMap::new());
        v
    }

    /// Closes the loop that was opened last.
    pub fn close_loop(&mut self, of: ValueId, while_: Option<ValueId>, next: &[ValueId]) {
        self.scopes.pop();
        self.body.close_loop(of, while_, next).expect("a copy keeps every type");
        let region = of.index() + 1..self.body.len();
        let ends_total = while_.iter().chain(next).all(|v| self.total[v.index()]);
        let region_total = self.total[region].iter().all(|total| *total);
        self.total[of.index()] &= ends_total && region_total;
    }

    /// Whether a value just appended is total; a loop's region is looked at when it closes.
    fn total_now(&self, v: ValueId) -> bool {
        let inst = self.body.inst(v);
        // The state is needed in any case: the loop answers for its faults.
        let state = matches!(inst, Inst::LoopIndex(_) | Inst::LoopCarried { .. });
        state || !may_fault(&self.body, v) && inst.operands().iter().all(|v| self.total[v.index()])
    }
}
