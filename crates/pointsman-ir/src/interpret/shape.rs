//! What the evaluation of rows knows about a body beforehand: in goes a body, out come the lifetimes of its values.
//!
//! Every value belongs to a **group** of values that become stale together. Group 0 lasts a row; group `k` (up to the
//! number of stages) lasts one match of stage `k − 1`; each loop has a group behind these that lasts an iteration.

use crate::body::{Body, Inst, ValueId};
use crate::types::Type;

/// The lifetimes of values, and what loops need.
pub(super) struct Shape {
    /// For every value its group.
    pub(super) group: Vec<usize>,
    /// For every loop its number; 0 for other values.
    pub(super) loop_number: Vec<usize>,
    /// For every loop (by number): the initial state, then the outer values that its region uses.
    pub(super) loop_needs: Vec<Vec<ValueId>>,
    /// The probes that multiply or drop rows, in order of instructions.
    pub(super) stages: Vec<ValueId>,
    /// For every value the types of its operands, if it is an operation.
    pub(super) operand_types: Vec<Vec<Type>>,
}

impl Shape {
    /// The shape of a body.
    pub(super) fn new(body: &Body) -> Shape {
        let stages: Vec<ValueId> = body.iter().filter(|(_, inst, _)| is_stage(inst)).map(|(v, ..)| v).collect();
        let mut shape = Shape {
            group: vec![0; body.len()],
            loop_number: vec![0; body.len()],
            loop_needs: Vec::new(),
            stages,
            operand_types: body.iter().map(|(_, inst, _)| call_types(body, inst)).collect(),
        };
        let enclosing = body.enclosing_loops();
        for (v, inst, _) in body.iter() {
            if let Inst::Loop { init, end, .. } = inst {
                shape.loop_number[v.index()] = shape.loop_needs.len();
                let needs = init.iter().copied().chain(captured(body, v, *end)).collect();
                shape.loop_needs.push(needs);
            }
            shape.group[v.index()] = match enclosing[v.index()] {
                Some(of) => shape.loop_group(of),
                None => shape.stage_group(v, inst),
            };
        }
        shape
    }

    /// The group of a loop's region.
    pub(super) fn loop_group(&self, of: ValueId) -> usize {
        self.stages.len() + 1 + self.loop_number[of.index()]
    }

    /// How many groups there are.
    pub(super) fn groups(&self) -> usize {
        self.stages.len() + 1 + self.loop_needs.len()
    }

    /// The group of a value outside all loops: that of the last stage it depends on.
    fn stage_group(&self, v: ValueId, inst: &Inst) -> usize {
        if let Ok(stage) = self.stages.binary_search(&v) {
            return stage + 1;
        }
        let group_of = |operand: &ValueId| self.group[operand.index()];
        if let Inst::Loop { .. } = inst {
            let needs = &self.loop_needs[self.loop_number[v.index()]];
            return needs.iter().map(group_of).max().unwrap_or(0);
        }
        inst.operands().iter().map(group_of).max().unwrap_or(0)
    }
}

/// Whether an instruction can multiply or drop rows.
fn is_stage(inst: &Inst) -> bool {
    matches!(inst, Inst::Probe { kind, .. } if kind.finds_rows())
}

/// The values outside a loop that its region uses, each once. The loops around it are under way and not among them.
fn captured(body: &Body, of: ValueId, end: u32) -> Vec<ValueId> {
    let around = |v: ValueId| matches!(body.inst(v), Inst::Loop { end: theirs, .. } if *theirs >= end);
    let region = (of.0..end).flat_map(|v| body.inst(ValueId(v)).operands());
    let mut values: Vec<ValueId> = region.filter(|&v| v < of && !around(v)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn call_types(body: &Body, inst: &Inst) -> Vec<Type> {
    if let Inst::Call { args, .. } = inst { body.types_of(args) } else { Vec::new() }
}
