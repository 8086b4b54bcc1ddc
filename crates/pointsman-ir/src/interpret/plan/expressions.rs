//! Expressions of a plan, row by row. In: the values that a node takes, and the row's columns. Out: those values as cells.
//! Every value is computed, in order: faults are values, so nothing has to be left out. Only nested loops recurse.

use super::super::fault::Fault;
use super::super::scalar::is_true;
use super::cell::{Cell, call};
use crate::body::{Inst, ValueId};
use crate::data::ColumnData;
use crate::plan::{Plan, PlanColumn};
use crate::rewrite::{Renamed, needed};
use crate::types::{Scalar, Type};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The values that a node takes.
pub(super) struct Expressions<'a> {
    plan: &'a Plan,
    lists: &'a [ColumnData],
    params: &'a [Cell],
    roots: Vec<ValueId>,
    /// What the roots need, in order, by the loop it lies in.
    regions: BTreeMap<Option<ValueId>, Vec<ValueId>>,
    operand_types: BTreeMap<ValueId, Vec<Type>>,
}

/// A row under way.
struct RowValues<'r> {
    column: &'r dyn Fn(PlanColumn) -> Cell,
    row: u64,
    cells: BTreeMap<ValueId, Cell>,
    /// For each loop its state, that of the iteration under way or the last.
    states: BTreeMap<ValueId, Vec<Cell>>,
    iterations: BTreeMap<ValueId, u32>,
}

impl<'a> Expressions<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        lists: &'a [ColumnData],
        params: &'a [Cell],
        roots: Vec<ValueId>,
    ) -> Expressions<'a> {
        let enclosing = plan.body.enclosing_loops();
        let mut regions: BTreeMap<Option<ValueId>, Vec<ValueId>> = BTreeMap::new();
        let mut operand_types = BTreeMap::new();
        for v in needed(&plan.body, &roots, &Renamed::new()) {
            regions.entry(enclosing[v.index()]).or_default().push(v);
            if let Inst::Call { args, .. } = plan.body.inst(v) {
                operand_types.insert(v, plan.body.types_of(args));
            }
        }
        Expressions { plan, lists, params, roots, regions, operand_types }
    }

    /// The values in a row with this number and these columns.
    pub(super) fn evaluate(&self, row: u64, column: &dyn Fn(PlanColumn) -> Cell) -> Vec<Cell> {
        let (cells, states, iterations) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut values = RowValues { column, row, cells, states, iterations };
        self.region(None, &mut values);
        self.roots.iter().map(|v| values.cells[v].clone()).collect()
    }

    /// Computes the values of a region in order, or those of the top level.
    fn region(&self, of: Option<ValueId>, values: &mut RowValues<'_>) {
        for &v in self.regions.get(&of).map_or(&[][..], Vec::as_slice) {
            let cell = self.value(v, values);
            values.cells.insert(v, cell);
        }
    }

    fn value(&self, v: ValueId, values: &mut RowValues<'_>) -> Cell {
        let body = &self.plan.body;
        match body.inst(v) {
            Inst::Column(column) => (values.column)(self.plan.columns[column.index()]),
            Inst::Param(param) => self.params[param.index()].clone(),
            Inst::Const(value) => Cell::Value(value.map(Scalar::canonical)),
            Inst::Call { op, args } => {
                let args: Vec<Cell> = args.iter().map(|arg| values.cells[arg].clone()).collect();
                call(*op, &args, &self.operand_types[&v], body.ty(v), values.row)
            }
            Inst::Lookup { list, index } => look_up(&self.lists[list.index()], &values.cells[index], values.row),
            Inst::Loop { .. } => self.run_loop(v, values),
            Inst::LoopIndex(of) => Cell::of(Scalar::U32(values.iterations[of])),
            Inst::LoopCarried { of, slot } => values.states[of][*slot as usize].clone(),
            Inst::LoopResult { of, slot } => match &values.cells[of] {
                Cell::Fault { fault, .. } => {
                    let null = (!body.ty(v).nullable).then_some(false);
                    Cell::Fault { fault: fault.clone(), null }
                }
                Cell::Unknown | Cell::Near(_) => Cell::Unknown,
                Cell::Value(_) => values.states[of][*slot as usize].clone(),
            },
            Inst::RowIndex | Inst::Gather { .. } | Inst::Probe { .. } => {
                unreachable!("`verify` leaves these to kernels")
            }
        }
    }

    /// Runs a loop; its cell is true if the final state is known, else why it is not.
    fn run_loop(&self, v: ValueId, values: &mut RowValues<'_>) -> Cell {
        let Inst::Loop { bound, init, while_, next, .. } = self.plan.body.inst(v) else {
            unreachable!("only loops are run");
        };
        let done = Cell::of(Scalar::Bool(true));
        let outer = self.regions.get(&Some(v)).into_iter().flatten().flat_map(|v| self.plan.body.inst(*v).operands());
        let outer = outer.chain(next.iter().copied()).filter(|u| u.0 < v.0).chain(init.iter().copied());
        let outer: Vec<Cell> = outer.filter_map(|u| values.cells.get(&u).cloned()).collect();
        if let Some(open) = first_open(&outer) {
            return open;
        }
        values.states.insert(v, init.iter().map(|u| values.cells[u].clone()).collect());
        for iteration in 0..*bound {
            values.iterations.insert(v, iteration);
            self.region(Some(v), values);
            match while_.map(|u| values.cells[&u].clone()) {
                None => {}
                Some(Cell::Value(value)) if is_true(value) => {}
                Some(Cell::Value(_)) => break,
                Some(open) => return open,
            }
            let next: Vec<Cell> = next.iter().map(|u| values.cells[u].clone()).collect();
            if let Some(open) = first_open(&next) {
                return open;
            }
            values.states.insert(v, next);
        }
        done
    }
}

/// The first cell that is no value.
fn first_open(cells: &[Cell]) -> Option<Cell> {
    cells.iter().find(|cell| !matches!(cell, Cell::Value(_))).cloned()
}

fn look_up(list: &ColumnData, index: &Cell, row: u64) -> Cell {
    match index {
        Cell::Value(None) => Cell::NULL,
        Cell::Value(Some(index)) => {
            let index = index.bits() as u64;
            match usize::try_from(index) {
                Ok(position) if position < list.len() => Cell::Value(list.get(position).map(Scalar::canonical)),
                _ => {
                    let fault = Rc::new(Fault::of_index(row, "position", index, list.len()));
                    Cell::Fault { fault, null: Some(false) }
                }
            }
        }
        Cell::Near(_) | Cell::Unknown | Cell::Fault { .. } => index.clone(),
    }
}
