//! One row's values: in go a kernel and its inputs, out comes any value of the current row, computed once and only if asked.
//!
//! A row passes the **stages** first: the inner and left probes, in order of instructions. A stage's `when` drops the row
//! unless it is true; then the rest runs once a match, in order of the other table's rows. Behind the last stage the row
//! mask is asked. An `Exists` probe is a value like any other. No recursion goes along operands: what waits for what lies on an explicit stack. Loops in
//! loops recurse, at most as deep as they are nested.

use super::fault::Fault;
use super::scalar::{self, is_true};
use super::shape::Shape;
use super::{Inputs, order};
use crate::body::{ColumnId, Inst, TableId, ValueId};
use crate::kernel::Kernel;
use crate::op::{Need, Op};
use crate::types::Scalar;

/// The matches of a stage that are still to come.
#[derive(Clone, Copy, Default)]
struct Matches<'a> {
    rows: &'a [u64],
    /// Whether the row goes on once without a row number.
    alone: bool,
}

/// A walk over rows.
pub(super) struct Rows<'a> {
    kernel: &'a Kernel,
    inputs: &'a Inputs<'a>,
    shape: Shape,
    row: usize,
    /// The row's stages are still to be entered.
    fresh: bool,
    matches: Vec<Matches<'a>>,
    /// The matches of the current row that were entered: all combinations of all stages.
    entered: u64,
    memo: Vec<Option<Scalar>>,
    /// A value is known if its stamp is its group's epoch.
    stamps: Vec<u64>,
    epochs: Vec<u64>,
    clock: u64,
    waiting: Vec<ValueId>,
    /// For every loop its state, that of the iteration under way or the last.
    states: Vec<Vec<Option<Scalar>>>,
    next_states: Vec<Vec<Option<Scalar>>>,
    iterations: Vec<u32>,
    keys: Vec<Scalar>,
}

impl<'a> Rows<'a> {
    /// A walk that has not begun.
    pub(super) fn new(kernel: &'a Kernel, inputs: &'a Inputs<'a>) -> Rows<'a> {
        let shape = Shape::new(&kernel.body);
        let (values, loops) = (kernel.body.len(), shape.loop_needs.len());
        Rows {
            row: 0,
            fresh: true,
            matches: vec![Matches::default(); shape.stages.len()],
            entered: 0,
            memo: vec![None; values],
            stamps: vec![0; values],
            epochs: vec![1; shape.groups()],
            clock: 1,
            waiting: Vec::new(),
            states: vec![Vec::new(); loops],
            next_states: vec![Vec::new(); loops],
            iterations: vec![0; loops],
            keys: Vec::new(),
            kernel,
            inputs,
            shape,
        }
    }

    /// Begins a row (counting from the inputs' first).
    pub(super) fn start(&mut self, row: usize) {
        self.row = row;
        self.fresh = true;
        self.entered = 0;
        self.expire(0..self.shape.stages.len() + 1);
    }

    /// The number of the current row in its source.
    pub(super) fn source_row(&self) -> u64 {
        self.inputs.first_row + self.row as u64
    }

    /// Goes on to the next time that the current row reaches the sink; false if it does not any more.
    pub(super) fn next_selected(&mut self) -> Result<bool, Fault> {
        while self.next_match()? {
            let selected = match self.kernel.mask {
                Some(mask) => is_true(self.value(mask)?),
                None => true,
            };
            if selected {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Leaves out the first matches of the current row.
    pub(super) fn skip_matches(&mut self, count: u64) -> Result<(), Fault> {
        while self.entered < count && self.next_match()? {}
        Ok(())
    }

    /// How many matches of the current row come before the one that it is at.
    pub(super) fn matches_before(&self) -> u64 {
        self.entered.saturating_sub(1)
    }

    /// A value of the current row.
    pub(super) fn value(&mut self, v: ValueId) -> Result<Option<Scalar>, Fault> {
        if !self.known(v) {
            let base = self.waiting.len();
            self.waiting.push(v);
            while self.waiting.len() > base {
                let top = self.waiting[self.waiting.len() - 1];
                if self.known(top) || self.compute(top)? {
                    self.waiting.pop();
                }
            }
        }
        Ok(self.memo[v.index()])
    }

    /// The current row of several columns in a row.
    pub(super) fn columns(&self, first: ColumnId, count: usize) -> Vec<Option<Scalar>> {
        let columns = &self.inputs.columns[first.index()..first.index() + count];
        columns.iter().map(|column| column.get(self.row)).collect()
    }

    /// Appends several values of the current row, as they leave a kernel.
    pub(super) fn outputs(&mut self, values: &[ValueId], row: &mut Vec<Option<Scalar>>) -> Result<(), Fault> {
        for &v in values {
            row.push(self.value(v)?.map(Scalar::canonical));
        }
        Ok(())
    }

    /// Appends several keys of the current row, in canonical form.
    pub(super) fn keys(&mut self, values: &[ValueId], row: &mut Vec<Option<Scalar>>) -> Result<(), Fault> {
        for &v in values {
            row.push(self.value(v)?.map(order::key));
        }
        Ok(())
    }

    /// Makes the values of some groups unknown.
    fn expire(&mut self, groups: std::ops::Range<usize>) {
        self.clock += 1;
        self.epochs[groups].fill(self.clock);
    }

    /// Whether `memo` has the value. Values are read from there, not returned in further `Option`s: taking those apart
    /// splits the scalar's bytes, and the processor then waits for its own writes.
    #[inline]
    fn known(&self, v: ValueId) -> bool {
        self.stamps[v.index()] == self.epochs[self.shape.group[v.index()]]
    }

    #[inline]
    fn set(&mut self, v: ValueId, value: Option<Scalar>) {
        self.memo[v.index()] = value;
        self.stamps[v.index()] = self.epochs[self.shape.group[v.index()]];
    }

    /// Whether the value is known; otherwise it is put on the stack, to be computed first.
    #[inline]
    fn ask(&mut self, v: ValueId) -> bool {
        let known = self.known(v);
        if !known {
            self.waiting.push(v);
        }
        known
    }

    /// Goes on to the next combination of matches of all stages.
    fn next_match(&mut self) -> Result<bool, Fault> {
        let stages = self.shape.stages.len();
        let mut entering = std::mem::take(&mut self.fresh);
        let mut stage = if entering { 0 } else { stages };
        loop {
            if entering {
                if stage == stages {
                    self.entered += 1;
                    return Ok(true);
                }
                self.matches[stage] = self.enter(stage)?;
            } else if stage == 0 {
                return Ok(false);
            } else {
                stage -= 1;
            }
            entering = self.take_match(stage);
            if entering {
                stage += 1;
            }
        }
    }

    /// The matches of a stage for the current row.
    fn enter(&mut self, stage: usize) -> Result<Matches<'a>, Fault> {
        let v = self.shape.stages[stage];
        let kernel = self.kernel;
        let Inst::Probe { table, keys, when, kind } = kernel.body.inst(v) else {
            unreachable!("only probes are stages");
        };
        if let Some(when) = when
            && !is_true(self.value(*when)?)
        {
            return Ok(Matches::default());
        }
        for &key in keys {
            self.value(key)?;
        }
        let rows = self.search(*table, keys);
        // Devices refuse a table with repeated keys here.
        let rows = if kind.multiplies() { rows } else { &rows[..rows.len().min(1)] };
        Ok(Matches { rows, alone: rows.is_empty() && kind.keeps_unmatched() })
    }

    /// Takes the next match of a stage, if there is one.
    fn take_match(&mut self, stage: usize) -> bool {
        let v = self.shape.stages[stage];
        let matches = &mut self.matches[stage];
        let value = match matches.rows.split_first() {
            Some((&row, rest)) => {
                matches.rows = rest;
                Some(Scalar::U64(row))
            }
            None if std::mem::take(&mut matches.alone) => None,
            None => return false,
        };
        // Later stages expire their own groups when they take a match.
        self.expire(stage + 1..stage + 2);
        self.set(v, value);
        true
    }

    /// The rows of a table with these keys, which are known. A null matches nothing.
    fn search(&mut self, table: TableId, keys: &[ValueId]) -> &'a [u64] {
        self.keys.clear();
        for key in keys {
            match self.memo[key.index()] {
                None => return &[],
                Some(value) => self.keys.push(order::key(value)),
            }
        }
        self.inputs.tables[table.index()].matches(&self.keys)
    }

    /// Computes a value from known ones; false if it has to wait for another, which is then on the stack.
    fn compute(&mut self, v: ValueId) -> Result<bool, Fault> {
        let (kernel, inputs) = (self.kernel, self.inputs);
        let value = match kernel.body.inst(v) {
            Inst::Column(column) => inputs.columns[column.index()].get(self.row),
            Inst::Param(param) => inputs.params[param.index()],
            Inst::Const(value) => *value,
            Inst::RowIndex => Some(Scalar::U64(self.source_row())),
            Inst::Call { op, args } => return self.call(v, *op, args),
            Inst::Lookup { index, .. } | Inst::Gather { row: index, .. } if !self.ask(*index) => return Ok(false),
            Inst::Lookup { list, index } => {
                let list = &inputs.lists[list.index()];
                self.position("position", *index, list.len())?.and_then(|position| list.get(position))
            }
            Inst::Gather { table, column, row } => {
                let table = &inputs.tables[table.index()];
                self.position("row", *row, table.rows())?.and_then(|row| table.get(*column, row))
            }
            Inst::Probe { table, keys, when, .. } => match self.exists(*table, keys, *when) {
                Some(exists) => Some(Scalar::Bool(exists)),
                None => return Ok(false),
            },
            Inst::Loop { .. } => {
                let number = self.shape.loop_number[v.index()];
                let needs = std::mem::take(&mut self.shape.loop_needs[number]);
                let waits = self.wait_for(&needs);
                self.shape.loop_needs[number] = needs;
                if waits {
                    return Ok(false);
                }
                self.run_loop(v, number)?;
                Some(Scalar::Bool(true))
            }
            Inst::LoopIndex(of) => Some(Scalar::U32(self.iterations[self.shape.loop_number[of.index()]])),
            Inst::LoopResult { of, .. } if !self.ask(*of) => return Ok(false),
            Inst::LoopCarried { of, slot } | Inst::LoopResult { of, slot } => {
                self.states[self.shape.loop_number[of.index()]][*slot as usize]
            }
        };
        self.set(v, value);
        Ok(true)
    }

    /// Whether a row of a table has these keys; false, and the keys not needed, where `when` is not true. `None` if a
    /// value has to be computed first.
    fn exists(&mut self, table: TableId, keys: &[ValueId], when: Option<ValueId>) -> Option<bool> {
        let searches = match when {
            Some(when) if !self.ask(when) => return None,
            Some(when) => is_true(self.memo[when.index()]),
            None => true,
        };
        if searches && self.wait_for(keys) {
            return None;
        }
        Some(searches && !self.search(table, keys).is_empty())
    }

    /// Puts those of the values on the stack that are unknown; whether there were any.
    fn wait_for(&mut self, values: &[ValueId]) -> bool {
        let before = self.waiting.len();
        for &v in values {
            self.ask(v);
        }
        self.waiting.len() > before
    }

    fn call(&mut self, v: ValueId, op: Op, args: &[ValueId]) -> Result<bool, Fault> {
        let mut operands = [None; 3];
        for (position, &arg) in args.iter().enumerate() {
            if needs(op, position, &operands[0]) {
                if !self.ask(arg) {
                    return Ok(false);
                }
                operands[position] = self.memo[arg.index()];
            }
        }
        let operands = &operands[..args.len()];
        let (types, result) = (&self.shape.operand_types[v.index()], self.kernel.body.ty(v));
        match scalar::call(op, operands, types, result) {
            Ok(value) => {
                self.set(v, value);
                Ok(true)
            }
            Err(kind) => Err(Fault::of_call(kind, self.source_row(), op, operands, types, result)),
        }
    }

    /// The known value as a position, checked against a length; `None` if it is null.
    fn position(&self, what: &str, index: ValueId, length: usize) -> Result<Option<usize>, Fault> {
        let Some(index) = self.memo[index.index()] else { return Ok(None) };
        let index = index.bits() as u64;
        match usize::try_from(index) {
            Ok(position) if position < length => Ok(Some(position)),
            _ => Err(Fault::of_index(self.source_row(), what, index, length)),
        }
    }

    /// Runs a loop whose needs are known; its final state stays in `states`.
    fn run_loop(&mut self, v: ValueId, number: usize) -> Result<(), Fault> {
        let kernel = self.kernel;
        let Inst::Loop { bound, init, while_, next, .. } = kernel.body.inst(v) else {
            unreachable!("only loops are run");
        };
        let group = self.shape.loop_group(v);
        self.states[number].clear();
        self.states[number].extend(init.iter().map(|v| self.memo[v.index()]));
        for iteration in 0..*bound {
            self.iterations[number] = iteration;
            self.expire(group..group + 1);
            if let Some(condition) = while_
                && !is_true(self.value(*condition)?)
            {
                break;
            }
            self.next_states[number].clear();
            for &slot in next {
                let value = self.value(slot)?;
                self.next_states[number].push(value);
            }
            std::mem::swap(&mut self.states[number], &mut self.next_states[number]);
        }
        Ok(())
    }
}

/// Whether an operation needs its operand, given the first one.
fn needs(op: Op, position: usize, first: &Option<Scalar>) -> bool {
    match op.need(position) {
        Need::Always => true,
        Need::IfTrue => is_true(*first),
        Need::IfNotTrue => !is_true(*first),
        Need::IfNotFalse => *first != Some(Scalar::Bool(false)),
        Need::IfNull => first.is_none(),
    }
}
