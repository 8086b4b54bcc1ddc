//! Runs random cases and plans in the interpreter.

use super::plans::PlanCase;
use super::{Case, OwnedInputs};
use crate::data::{ColumnData, TableData};
use crate::fuse::{Stage, StageInput, StageParam, StageTable};
use crate::interpret::{self, BuiltTable, Fault, Inputs, Partial, PlanFault};
use crate::kernel::{Kernel, SideTable, Sink};
use crate::types::Scalar;
use std::ops::Range;

impl OwnedInputs {
    /// The other tables, ready to be searched and gathered from.
    pub fn built_tables(&self, kernel: &Kernel) -> Vec<BuiltTable> {
        let built = kernel.tables.iter().zip(&self.tables);
        built
            .map(|(side, table)| match side.keys.is_empty() {
                true => BuiltTable::plain(table.columns.clone()),
                false => BuiltTable::new(side, table.clone()),
            })
            .collect()
    }

    /// The inputs for the interpreter; `tables` come from [`OwnedInputs::built_tables`].
    pub fn borrow<'a>(&'a self, tables: &'a [BuiltTable]) -> Inputs<'a> {
        let OwnedInputs { columns, params, lists, first_row, rows, .. } = self;
        Inputs { columns, params, lists, tables, first_row: *first_row, rows: *rows }
    }

    /// Some of the rows. They keep their numbers.
    pub fn slice(&self, rows: Range<usize>) -> OwnedInputs {
        OwnedInputs {
            columns: self.columns.iter().map(|column| column.slice(rows.clone())).collect(),
            params: self.params.clone(),
            lists: self.lists.clone(),
            tables: self.tables.clone(),
            first_row: self.first_row + rows.start as u64,
            rows: rows.len(),
        }
    }
}

impl Case {
    /// The result over all rows.
    pub fn run(&self) -> Result<TableData, Fault> {
        let tables = self.inputs.built_tables(&self.kernel);
        interpret::run(&self.kernel, &self.inputs.borrow(&tables))
    }

    /// The partial result over some of the rows.
    pub fn partial(&self, rows: Range<usize>) -> Result<Partial, Fault> {
        let tables = self.inputs.built_tables(&self.kernel);
        interpret::partial(&self.kernel, &self.inputs.slice(rows).borrow(&tables))
    }
}

/// The result of these stages over the inputs of a plan's case.
pub fn run_stages(case: &PlanCase, stages: &[Stage]) -> Result<TableData, PlanFault> {
    let mut run = StageRun { case, outputs: Vec::new() };
    for stage in stages {
        let output = run.stage(stage)?;
        run.outputs.push(output);
    }
    Ok(run.outputs.pop().unwrap_or_default())
}

struct StageRun<'a> {
    case: &'a PlanCase,
    outputs: Vec<TableData>,
}

impl StageRun<'_> {
    fn stage(&self, stage: &Stage) -> Result<TableData, PlanFault> {
        let (columns, rows) = self.parts(stage);
        let params = stage.params.iter().map(|param| self.param(param)).collect::<Result<Vec<_>, _>>()?;
        let lists: Vec<ColumnData> = stage.lists.iter().map(|list| self.case.lists[list.index()].clone()).collect();
        let tables: Vec<BuiltTable> =
            stage.kernel.tables.iter().zip(&stage.tables).map(|(side, from)| self.built(side, from)).collect();
        for limit in &stage.pair_limits {
            let built = self.table(stage.tables[limit.table].rows).rows;
            let pairs = rows as u128 * built as u128;
            if pairs > u128::from(limit.pairs_max) {
                return Err(PlanFault::PairLimit { pairs, pairs_max: limit.pairs_max });
            }
        }
        if let Sink::Call { call, table, .. } = &stage.kernel.sink {
            let table_rows = table.map_or(0, |table| lists[table.index()].len() as u64);
            call.check_rows(rows as u64, table_rows)?;
        }
        let kernel = stage.for_keys(|table| tables[table.index()].key_uniqueness());
        let inputs = Inputs { columns: &columns, params: &params, lists: &lists, tables: &tables, first_row: 0, rows };
        Ok(interpret::run(&kernel, &inputs)?)
    }

    fn table(&self, input: StageInput) -> &TableData {
        match input {
            StageInput::Source(source) => &self.case.sources[source.0 as usize],
            StageInput::Stage(stage) => &self.outputs[stage],
        }
    }

    /// The rows of all parts, one part after the other.
    fn parts(&self, stage: &Stage) -> (Vec<ColumnData>, usize) {
        let mut columns: Vec<ColumnData> = stage.kernel.columns.iter().map(|&ty| ColumnData::empty(ty, 0)).collect();
        let mut rows = 0;
        for part in &stage.parts {
            let table = self.table(part.input);
            let whole = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
            let first = whole(part.skip).min(table.rows);
            let end = first.saturating_add(part.fetch.map_or(usize::MAX, whole)).min(table.rows);
            for (column, &from) in columns.iter_mut().zip(&part.columns) {
                (first..end).for_each(|row| column.push(table.columns[from as usize].get(row)));
            }
            rows += end - first;
        }
        (columns, rows)
    }

    fn param(&self, param: &StageParam) -> Result<Option<Scalar>, PlanFault> {
        match *param {
            StageParam::Given(param) => Ok(self.case.params[param.index()]),
            StageParam::Row { stage, column } => {
                let table = &self.outputs[stage];
                if table.rows > 1 {
                    return Err(PlanFault::ScalarRows { rows: table.rows });
                }
                Ok(table.columns[column as usize].iter().next().flatten())
            }
        }
    }

    fn built(&self, side: &SideTable, from: &StageTable) -> BuiltTable {
        let rows = self.table(from.rows);
        let columns = from.columns.iter().map(|&column| rows.columns[column as usize].clone()).collect();
        let Some(index) = from.index else { return BuiltTable::plain(columns) };
        let built = &self.outputs[index.stage];
        let number = |row: usize, column: u32| built.columns[column as usize].get(row).map_or(0, |v| v.bits() as u64);
        let numbers = (0..built.rows).map(|row| index.numbers.map_or(row as u64, |column| number(row, column)));
        BuiltTable::indexed(&built.columns[..side.keys.len()], numbers, columns)
    }
}
