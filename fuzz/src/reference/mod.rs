//! The scalar reference: in go a program and the columns of its source, out comes the answer that docs/semantics.md
//! prescribes, row by row. It shares no code with the crates and is written for being plain.
//!
//! Evaluation is lazy. [`Evaluator::full`] asks for a value that is needed, and for those of its operands that it needs;
//! [`Evaluator::valid`], for `is_null`, asks only whether a value is null, and for other values only as far as they decide
//! that. So a fault is raised exactly where a value is needed.

pub(crate) mod elementary;
mod folds;
mod scalar;

use crate::program::{Binary, Fold, Loop, Node, NodeId, Operation, Overflow, Program, Running, Step, StepKind, Unary};
use crate::sources::Data;
use crate::value::{Type, Value};
use scalar::Fault;

/// A wrong rule in the reference, for tests to see that the fuzzer notices one.
#[cfg_attr(not(test), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Planted {
    LessIsLessOrEqual,
    NullConditionTakesSecond,
    CheckedAddWraps,
    ShiftRightIsLogical,
    LeastIgnoresNan,
    SumsFromTheLast,
    NullsCount,
    LoopRunsOnceMore,
    CastSaturates,
    SaturatingAddWraps,
}

/// The right answer of a query.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    /// The columns of the result, or one row of folds.
    Columns(Vec<Vec<Option<Value>>>),
    /// A row without a value; `None` where no row is named. One of these rows must be named.
    Fault(Vec<Option<u64>>),
}

/// The parts of a scan whose faults count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScanParts {
    /// All of them: a scan needs what it folds and keeps.
    All,
    /// Those that later steps use: a pass drops the others, and their faults with them.
    Used,
}

/// The right answer of a program over these columns.
pub(crate) fn answer(
    program: &Program,
    data: &[Data],
    rows: usize,
    parts: ScanParts,
    planted: Option<Planted>,
) -> Expected {
    let mut evaluator = Evaluator::new(program, data, parts, planted);
    let (mut alive, mut first_step): (Vec<usize>, usize) = ((0..rows).collect(), 0);
    loop {
        match evaluator.pass(&alive, first_step, rows) {
            Pass::Answer(expected) => return expected,
            Pass::Scanned { next_step, kept } => (alive, first_step) = (kept, next_step),
        }
    }
}

/// What came out of the steps up to a scan, or up to the end.
enum Pass {
    Answer(Expected),
    Scanned { next_step: usize, kept: Vec<usize> },
}

/// What is known of a node in the current row.
#[derive(Clone, Default)]
struct Slot {
    valid: Option<bool>,
    value: Option<Option<Value>>,
    /// The state of a loop: while it runs, and at its end.
    state: Vec<Option<Value>>,
    is_done: bool,
    index: u32,
}

struct Evaluator<'p> {
    program: &'p Program,
    data: &'p [Data],
    parts: ScanParts,
    planted: Option<Planted>,
    /// For each step, the step that makes its row; `None` is the source.
    producers: Vec<Option<usize>>,
    slots: Vec<Vec<Slot>>,
    /// For each loop, the nodes it takes from outside.
    outer: Vec<Vec<Vec<NodeId>>>,
    /// The running folds of each scan, by part and position.
    scanned: Vec<Vec<Vec<Option<Value>>>>,
    row: usize,
    position: usize,
}

impl<'p> Evaluator<'p> {
    fn new(program: &'p Program, data: &'p [Data], parts: ScanParts, planted: Option<Planted>) -> Evaluator<'p> {
        let mut producer = None;
        let producers = program.steps.iter().enumerate().map(|(number, step)| {
            let own = producer;
            if step.row().is_some() {
                producer = Some(number);
            }
            own
        });
        let outer = |step: &Step| {
            let of = |(at, node): (usize, &Node)| match &node.operation {
                Operation::Loop(of) => step.outer_values(at, of),
                _ => Vec::new(),
            };
            step.nodes.iter().enumerate().map(of).collect()
        };
        Evaluator {
            program,
            data,
            parts,
            planted,
            producers: producers.collect(),
            slots: program.steps.iter().map(|step| vec![Slot::default(); step.nodes.len()]).collect(),
            outer: program.steps.iter().map(outer).collect(),
            scanned: vec![Vec::new(); program.steps.len()],
            row: 0,
            position: 0,
        }
    }

    /// Runs the steps from `first` to the next scan, or to the end, over the rows that are left.
    fn pass(&mut self, alive: &[usize], first: usize, rows: usize) -> Pass {
        let steps = &self.program.steps;
        let scan = (first..steps.len()).find(|&at| matches!(steps[at].kind, StepKind::Scan { .. }));
        let last = scan.unwrap_or(steps.len() - 1);
        let wanted = self.wanted(last);
        let slots = if first == 0 { rows } else { alive.len() };
        let mut columns: Vec<Vec<Option<Value>>> = vec![vec![None; slots]; wanted.len()];
        let (mut kept, mut kept_slots) = (Vec::new(), Vec::new());
        let mut faulty = None;
        for (position, &row) in alive.iter().enumerate() {
            let slot = if first == 0 { row } else { position };
            (self.row, self.position) = (row, position);
            self.slots.iter_mut().flatten().for_each(Slot::clear);
            match self.row_values(first, last, &wanted) {
                Ok(None) => {}
                Ok(Some(values)) => {
                    kept.push(row);
                    kept_slots.push(slot);
                    columns.iter_mut().zip(values).for_each(|(column, value)| column[slot] = value);
                }
                Err(Fault) => {
                    // The first faulty row is the smallest one.
                    faulty = Some(row as u64);
                    break;
                }
            }
        }
        if let Some(row) = faulty {
            // Behind a filter and a scan, the row of the source is not known.
            let is_filtered = steps[..first].iter().any(|step| matches!(step.kind, StepKind::Filter(_)));
            return Pass::Answer(Expected::Fault(if is_filtered { vec![Some(row), None] } else { vec![Some(row)] }));
        }
        self.finish(last, columns, kept, &kept_slots)
    }

    /// The nodes of a step that must be computed in each row that is left, with the number of their part.
    fn wanted(&self, step: usize) -> Vec<(usize, NodeId)> {
        let used = self.used_columns(step);
        match &self.program.steps[step].kind {
            // Columns of the row, which is not the filter's own.
            StepKind::Filter(_) => (0..self.width(step)).map(|column| (column, 0)).collect(),
            StepKind::Map { outputs, .. } => outputs.iter().copied().enumerate().collect(),
            StepKind::Scan { parts, .. } => {
                let is_wanted = |&(at, &(kind, _)): &(usize, &(Running, NodeId))| {
                    let is_read = used[at] && (kind != Running::Kept || step + 1 == self.program.steps.len());
                    is_read || self.parts == ScanParts::All
                };
                parts.iter().enumerate().filter(is_wanted).map(|(at, &(_, node))| (at, node)).collect()
            }
            StepKind::Fold { parts, .. } => parts.iter().enumerate().map(|(at, &(_, node))| (at, node)).collect(),
        }
    }

    /// The number of columns of the row that a step gets.
    fn width(&self, step: usize) -> usize {
        match self.producers[step] {
            None => self.program.columns.len(),
            Some(producer) => self.program.steps[producer].row().map_or(0, |row| row.len()),
        }
    }

    /// Which columns of a step's row later steps or the result use.
    fn used_columns(&self, step: usize) -> Vec<bool> {
        let steps = &self.program.steps;
        let width = steps[step].row().map_or(0, |row| row.len());
        let readers: Vec<usize> = (step + 1..steps.len()).filter(|&at| self.producers[at] == Some(step)).collect();
        let is_result = !(step + 1..steps.len()).any(|at| steps[at].row().is_some() || is_fold(&steps[at]));
        let mut used = vec![is_result; width];
        for reader in readers {
            let outputs = steps[reader].outputs();
            let roots: Vec<NodeId> = match steps[reader].kind {
                StepKind::Filter(_) | StepKind::Fold { .. } => outputs,
                StepKind::Map { .. } | StepKind::Scan { .. } => {
                    let used_there = self.used_columns(reader);
                    outputs.into_iter().zip(used_there).filter(|(_, used)| *used).map(|(node, _)| node).collect()
                }
            };
            mark_columns(&steps[reader], roots, &mut used);
        }
        used
    }

    /// The values that a row gives to the last step; `None` if a filter drops it.
    fn row_values(
        &mut self,
        first: usize,
        last: usize,
        wanted: &[(usize, NodeId)],
    ) -> Result<Option<Vec<Option<Value>>>, Fault> {
        for step in first..=last {
            if let StepKind::Filter(condition) = self.program.steps[step].kind
                && !self.is_true(step, condition)?
            {
                return Ok(None);
            }
        }
        if let StepKind::Filter(_) = self.program.steps[last].kind {
            return self.row_behind_filters(last).map(Some);
        }
        let value = |&(part, node): &(usize, NodeId)| match &self.program.steps[last].kind {
            StepKind::Fold { parts, .. } if parts[part].0 == Fold::CountRows => Ok(None),
            _ => self.full(last, node),
        };
        wanted.iter().map(value).collect::<Result<_, _>>().map(Some)
    }

    /// The row of a result whose last step is a filter.
    fn row_behind_filters(&mut self, last: usize) -> Result<Vec<Option<Value>>, Fault> {
        let width = self.width(last);
        (0..width).map(|column| self.column_value(last, column)).collect()
    }

    /// Makes the answer of the last step, or the columns of a scan.
    fn finish(&mut self, last: usize, columns: Vec<Vec<Option<Value>>>, kept: Vec<usize>, slots: &[usize]) -> Pass {
        let step = &self.program.steps[last];
        let is_end = last + 1 == self.program.steps.len();
        let compact = |column: &Vec<Option<Value>>| slots.iter().map(|&slot| column[slot]).collect::<Vec<_>>();
        match &step.kind {
            StepKind::Filter(_) | StepKind::Map { .. } => {
                Pass::Answer(Expected::Columns(columns.iter().map(compact).collect()))
            }
            StepKind::Fold { parts, .. } => {
                let folded = parts.iter().zip(&columns).map(|(&(kind, node), column)| {
                    let ty = step.nodes[node].ty;
                    let selected = kept.len();
                    let mut column = column.clone();
                    if self.planted == Some(Planted::SumsFromTheLast) {
                        column.reverse();
                    }
                    if self.planted == Some(Planted::NullsCount) && kind == Fold::Count {
                        return Ok(vec![Some(Value::Int(selected as i128))]);
                    }
                    folds::fold(kind, ty, &column, selected).map(|value| vec![value])
                });
                let folded: Result<Vec<_>, Fault> = folded.collect();
                Pass::Answer(folded.map_or(Expected::Fault(vec![None]), Expected::Columns))
            }
            StepKind::Scan { parts, .. } => {
                let wanted = self.wanted(last);
                let mut results = vec![Vec::new(); parts.len()];
                for (&(part, node), column) in wanted.iter().zip(&columns) {
                    match folds::running(parts[part].0, step.nodes[node].ty, column) {
                        Ok(running) => results[part] = compact(&running),
                        Err(Fault) => return Pass::Answer(Expected::Fault(vec![None])),
                    }
                }
                if is_end {
                    return Pass::Answer(Expected::Columns(results));
                }
                self.scanned[last] = results;
                Pass::Scanned { next_step: last + 1, kept }
            }
        }
    }

    fn node(&self, step: usize, node: NodeId) -> &'p Node {
        &self.program.steps[step].nodes[node]
    }

    fn is_true(&mut self, step: usize, node: NodeId) -> Result<bool, Fault> {
        Ok(self.full(step, node)?.is_some_and(Value::truth))
    }

    /// Whether a node is not null.
    fn valid(&mut self, step: usize, node: NodeId) -> Result<bool, Fault> {
        if let Some(known) = self.slots[step][node].valid {
            return Ok(known);
        }
        let valid = match &self.node(step, node).operation {
            Operation::Column(column) => self.column_valid(step, *column)?,
            Operation::Literal(_) | Operation::Parameter(_) | Operation::LoopIndex(_) => true,
            Operation::Null => false,
            Operation::Unary(Unary::IsNull, _) => true,
            Operation::Unary(_, x) | Operation::Cast(_, x) | Operation::Lookup { index: x, .. } => {
                self.valid(step, *x)?
            }
            Operation::Binary(Binary::And, x, y) => self.logic_valid(step, *x, *y, false)?,
            Operation::Binary(Binary::Or, x, y) => self.logic_valid(step, *x, *y, true)?,
            Operation::Binary(Binary::Coalesce, x, y) => self.valid(step, *x)? || self.valid(step, *y)?,
            Operation::Binary(_, x, y) => self.valid(step, *x)? && self.valid(step, *y)?,
            Operation::Elementary(function, x, y) => {
                self.valid(step, *x)? && (!elementary::is_binary(*function) || self.valid(step, *y)?)
            }
            Operation::Method(_, operands, _) => operands
                .iter()
                .map(|&operand| self.valid(step, operand))
                .try_fold(true, |all, valid| Ok(all & valid?))?,
            Operation::Clamp(x, y, z) | Operation::Fma(x, y, z) => {
                self.valid(step, *x)? && self.valid(step, *y)? && self.valid(step, *z)?
            }
            Operation::Select(condition, x, y) => match (self.valid(step, *x), self.valid(step, *y)) {
                (Ok(first), Ok(second)) if first == second => first,
                (first, second) => {
                    if self.takes_second(step, *condition)? {
                        first?
                    } else {
                        second?
                    }
                }
            },
            Operation::Loop(_) => true,
            Operation::LoopState(of, slot) => self.slots[step][*of].state[*slot].is_some(),
            Operation::LoopResult(of, slot) => self.finished_loop(step, *of)?[*slot].is_some(),
        };
        self.slots[step][node].valid = Some(valid);
        Ok(valid)
    }

    /// Whether `and` (decided by false) or `or` (decided by true) is not null.
    fn logic_valid(&mut self, step: usize, x: NodeId, y: NodeId, decisive: bool) -> Result<bool, Fault> {
        Ok(match (self.valid(step, x)?, self.valid(step, y)?) {
            (true, true) => true,
            (false, false) => false,
            (true, false) => self.full(step, x)?.is_some_and(|x| x.truth() == decisive),
            (false, true) => self.full(step, y)?.is_some_and(|y| y.truth() == decisive),
        })
    }

    /// Whether a `select` takes its second operand: a null condition takes the third.
    fn takes_second(&mut self, step: usize, condition: NodeId) -> Result<bool, Fault> {
        let condition = self.full(step, condition)?;
        let of_null = self.planted == Some(Planted::NullConditionTakesSecond);
        Ok(condition.map_or(of_null, Value::truth))
    }

    /// The value of a node that is needed, or null.
    fn full(&mut self, step: usize, node: NodeId) -> Result<Option<Value>, Fault> {
        if let Some(known) = self.slots[step][node].value {
            return Ok(known);
        }
        let value = match &self.node(step, node).operation {
            Operation::Column(column) => self.column_value(step, *column)?,
            Operation::Literal(value) | Operation::Parameter(value) => Some(*value),
            Operation::Null => None,
            Operation::Loop(_) => unreachable!("a loop has results instead of a value"),
            Operation::Unary(Unary::IsNull, x) => Some(Value::Bool(!self.valid(step, *x)?)),
            Operation::Binary(Binary::And, x, y) => self.logic(step, *x, *y, false)?,
            Operation::Binary(Binary::Or, x, y) => self.logic(step, *x, *y, true)?,
            Operation::Binary(Binary::Coalesce, x, y) => match self.full(step, *x)? {
                Some(value) => Some(value),
                None => self.full(step, *y)?,
            },
            Operation::Select(condition, x, y) => {
                let taken = if self.takes_second(step, *condition)? { *x } else { *y };
                self.full(step, taken)?
            }
            Operation::LoopIndex(of) => Some(Value::Int(self.slots[step][*of].index.into())),
            Operation::LoopState(of, slot) => self.slots[step][*of].state[*slot],
            Operation::LoopResult(of, slot) => self.finished_loop(step, *of)?[*slot],
            Operation::Unary(..) | Operation::Binary(..) | Operation::Clamp(..) | Operation::Fma(..) => {
                self.strict(step, node)?
            }
            Operation::Cast(..) | Operation::Lookup { .. } => self.strict(step, node)?,
            Operation::Elementary(..) | Operation::Method(..) => self.strict(step, node)?,
        };
        self.slots[step][node].value = Some(value);
        Ok(value)
    }

    /// An operation that needs all of its operands and is null if one of them is.
    fn strict(&mut self, step: usize, node: NodeId) -> Result<Option<Value>, Fault> {
        let of = self.node(step, node);
        let mut operands = of.operation.operands();
        if let Operation::Elementary(function, ..) = of.operation
            && !elementary::is_binary(function)
        {
            operands.truncate(1);
        }
        let values = operands.iter().map(|&operand| self.full(step, operand)).collect::<Result<Vec<_>, _>>()?;
        let Some(values) = values.into_iter().collect::<Option<Vec<Value>>>() else { return Ok(None) };
        let operand = self.node(step, operands[0]).ty;
        Ok(Some(match (&of.operation, &values[..]) {
            (Operation::Unary(op, _), &[x]) => scalar::unary(*op, of.ty, x),
            (Operation::Binary(op, ..), &[x, y]) => self.binary(*op, operand, x, y)?,
            (Operation::Clamp(..), &[x, low, high]) => scalar::least(scalar::greatest(x, low), high),
            (Operation::Fma(..), &[x, y, z]) => scalar::fma(x, y, z),
            (Operation::Cast(overflow, _), &[x]) => {
                let is_planted = self.planted == Some(Planted::CastSaturates);
                scalar::cast(if is_planted { Overflow::Saturates } else { *overflow }, operand, of.ty, x)?
            }
            (Operation::Method(method, _, values), operands) => {
                let is_planted = self.planted == Some(Planted::SaturatingAddWraps);
                method.value(operand, operands, values, is_planted)
            }
            (Operation::Lookup { table, .. }, &[index]) => {
                let values = &self.program.tables[*table].values;
                *usize::try_from(index.int()).ok().and_then(|index| values.get(index)).ok_or(Fault)?
            }
            (Operation::Elementary(function, ..), &[x, ..]) => {
                elementary::elementary(*function, x, *values.get(1).unwrap_or(&x))
            }
            (operation, _) => unreachable!("{operation:?} is not strict"),
        }))
    }

    /// `and` (decided by false) or `or` (decided by true). The right side is needed where the left one does not decide.
    fn logic(&mut self, step: usize, x: NodeId, y: NodeId, decisive: bool) -> Result<Option<Value>, Fault> {
        let first = self.full(step, x)?.map(Value::truth);
        if first == Some(decisive) {
            return Ok(Some(Value::Bool(decisive)));
        }
        Ok(match (first, self.full(step, y)?.map(Value::truth)) {
            (_, Some(second)) if second == decisive => Some(Value::Bool(decisive)),
            (Some(_), Some(second)) => Some(Value::Bool(second)),
            _ => None,
        })
    }

    fn binary(&self, op: Binary, ty: Type, x: Value, y: Value) -> Result<Value, Fault> {
        let is_nan =
            |value: Value| matches!(value, Value::F32(x) if x.is_nan()) || matches!(value, Value::F64(x) if x.is_nan());
        match (self.planted, op) {
            (Some(Planted::LessIsLessOrEqual), Binary::Lt) => scalar::binary(Binary::Le, ty, x, y),
            (Some(Planted::CheckedAddWraps), Binary::CheckedAdd) => scalar::binary(Binary::Add, ty, x, y),
            (Some(Planted::ShiftRightIsLogical), Binary::Shr) if ty.is_signed_integer() => {
                let bits = x.int() & ((1 << ty.bits()) - 1);
                Ok(ty.wrap(bits >> (y.int() & i128::from(ty.bits() - 1))))
            }
            (Some(Planted::LeastIgnoresNan), Binary::Least) if is_nan(x) || is_nan(y) => Ok(x),
            _ => scalar::binary(op, ty, x, y),
        }
    }

    fn column_valid(&mut self, step: usize, column: usize) -> Result<bool, Fault> {
        match self.origin(step, column) {
            Origin::Source => Ok(self.data[column].get(self.row).is_some()),
            Origin::Node(earlier, node) => self.valid(earlier, node),
            Origin::Scanned(earlier) => Ok(self.scanned[earlier][column][self.position].is_some()),
        }
    }

    fn column_value(&mut self, step: usize, column: usize) -> Result<Option<Value>, Fault> {
        match self.origin(step, column) {
            Origin::Source => Ok(self.data[column].get(self.row)),
            Origin::Node(earlier, node) => self.full(earlier, node),
            Origin::Scanned(earlier) => Ok(self.scanned[earlier][column][self.position]),
        }
    }

    /// Where a column of a step's row comes from.
    fn origin(&self, step: usize, column: usize) -> Origin {
        let Some(earlier) = self.producers[step] else { return Origin::Source };
        match &self.program.steps[earlier].kind {
            StepKind::Map { outputs, .. } => Origin::Node(earlier, outputs[column]),
            StepKind::Scan { parts, .. } => match parts[column] {
                (Running::Kept, node) => Origin::Node(earlier, node),
                _ => Origin::Scanned(earlier),
            },
            StepKind::Filter(_) | StepKind::Fold { .. } => unreachable!("they make no row"),
        }
    }

    /// Runs a loop once per row and returns its last state.
    fn finished_loop(&mut self, step: usize, at: NodeId) -> Result<Vec<Option<Value>>, Fault> {
        if self.slots[step][at].is_done {
            return Ok(self.slots[step][at].state.clone());
        }
        let Operation::Loop(of) = &self.node(step, at).operation else { unreachable!("a loop") };
        let mut state = of.init.iter().map(|&node| self.full(step, node)).collect::<Result<Vec<_>, _>>()?;
        if of.condition.is_some() || of.bound > 0 {
            for node in self.outer[step][at].clone() {
                self.full(step, node)?;
            }
        }
        let bound = of.bound + u32::from(self.planted == Some(Planted::LoopRunsOnceMore));
        for index in 0..bound {
            match self.iteration(step, at, of, index, state.clone())? {
                None => break,
                Some(next) => state = next,
            }
        }
        let slot = &mut self.slots[step][at];
        (slot.state, slot.is_done) = (state.clone(), true);
        Ok(state)
    }

    /// The next state of a loop; `None` at its end.
    fn iteration(
        &mut self,
        step: usize,
        at: NodeId,
        of: &Loop,
        index: u32,
        state: Vec<Option<Value>>,
    ) -> Result<Option<Vec<Option<Value>>>, Fault> {
        self.slots[step][at + 1..of.end].iter_mut().for_each(Slot::clear);
        (self.slots[step][at].state, self.slots[step][at].index) = (state, index);
        if let Some(condition) = of.condition
            && !self.is_true(step, condition)?
        {
            return Ok(None);
        }
        of.next.iter().map(|&node| self.full(step, node)).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

impl Slot {
    fn clear(&mut self) {
        (self.valid, self.value, self.is_done) = (None, None, false);
    }
}

/// Where a column comes from.
enum Origin {
    Source,
    Node(usize, NodeId),
    Scanned(usize),
}

fn is_fold(step: &Step) -> bool {
    matches!(step.kind, StepKind::Fold { .. })
}

/// Marks the columns of the row that these nodes depend on.
fn mark_columns(step: &Step, mut open: Vec<NodeId>, used: &mut [bool]) {
    let mut seen = vec![false; step.nodes.len()];
    while let Some(node) = open.pop() {
        if std::mem::replace(&mut seen[node], true) {
            continue;
        }
        let operation = &step.nodes[node].operation;
        open.extend(operation.operands());
        match operation {
            Operation::Column(column) => used[*column] = true,
            Operation::Loop(of) => open.extend(of.next.iter().chain(&of.condition)),
            _ => {}
        }
    }
}
