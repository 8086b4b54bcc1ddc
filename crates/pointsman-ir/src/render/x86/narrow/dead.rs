//! Dead code elimination: removes the steps of a body that only write registers that are never read.

use crate::render::x86::step::{Access, Body, Position, Reg, Step};

/// The body without them.
pub(super) fn removed(body: Body) -> Body {
    let mut readers = vec![0u32; body.regs.len()];
    for reg in body.steps.iter().flat_map(reads) {
        readers[reg.index()] += 1;
    }
    let mut kept = vec![true; body.steps.len()];
    // Most steps read values that earlier steps write, so one walk from the end finds nearly all dead steps.
    for (at, step) in body.steps.iter().enumerate().rev() {
        if target(step).is_some_and(|reg| readers[reg.index()] == 0) {
            kept[at] = false;
            reads(step).for_each(|reg| readers[reg.index()] -= 1);
        }
    }
    let mut starts = Vec::with_capacity(kept.len() + 1);
    let mut count = 0;
    for &kept in &kept {
        starts.push(count);
        count += usize::from(kept);
    }
    starts.push(count);
    let regions = body.regions.iter().map(|&(first, last)| (starts[first], starts[last])).collect();
    let steps = body.steps.into_iter().zip(kept).filter_map(|(step, kept)| kept.then_some(step)).collect();
    Body { steps, regs: body.regs, regions, cost: body.cost }
}

/// The register that is all a step writes: its first operand, a vector.
fn target(step: &Step) -> Option<Reg> {
    let first = step.virtual_operands.first()?;
    (first.position == Position::Operand(0) && first.access == Access::Def).then_some(first.reg)
}

fn reads(step: &Step) -> impl Iterator<Item = Reg> + '_ {
    step.virtual_operands.iter().filter(|operand| operand.access != Access::Def).map(|operand| operand.reg)
}
