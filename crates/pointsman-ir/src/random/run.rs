//! Cases and plans through the interpreter: in goes what was made at random, out comes what it means.

use super::plans::PlanCase;
use super::{Case, OwnedInputs};
use crate::data::{ColumnData, TableData};
use crate::fuse::{Stage, StageInput, StageParam, StageTable};
use crate::interpret::{self, BuiltTable, Fault, Inputs, Partial};
use crate::kernel::{Kernel, SideTable};
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

    /// What the interpreter takes; `tables` come from [`OwnedInputs::built_tables`].
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
pub fn run_stages(case: &PlanCase, stages: &[Stage]) -> Result<TableData, Fault> {
    let mut outputs: Vec<TableData> = Vec::new();
    for stage in stages {
        let table = |input: StageInput| match input {
            StageInput::Source(source) => &case.sources[source.0 as usize],
            StageInput::Stage(stage) => &outputs[stage],
        };
        let mut columns: Vec<ColumnData> = stage.kernel.columns.iter().map(|&ty| ColumnData::empty(ty, 0)).collect();
        let mut rows = 0;
        for part in &stage.parts {
            let table = table(part.input);
            let first = usize::try_from(part.skip).unwrap_or(usize::MAX).min(table.rows);
            let fetch = part.fetch.map_or(usize::MAX, |fetch| usize::try_from(fetch).unwrap_or(usize::MAX));
            let range = first..first.saturating_add(fetch).min(table.rows);
            for (column, &from) in columns.iter_mut().zip(&part.columns) {
                range.clone().for_each(|row| column.push(table.columns[from as usize].get(row)));
            }
            rows += range.len();
        }
        let param = |param: &StageParam| match *param {
            StageParam::Given(param) => case.params[param.index()],
            StageParam::Row { stage, column } => outputs[stage].columns[column as usize].iter().next().flatten(),
        };
        let params: Vec<Option<Scalar>> = stage.params.iter().map(param).collect();
        let lists: Vec<ColumnData> = stage.lists.iter().map(|list| case.lists[list.index()].clone()).collect();
        let built = |(side, from): (&SideTable, &StageTable)| {
            let rows = table(from.rows);
            let columns = from.columns.iter().map(|&column| rows.columns[column as usize].clone()).collect();
            let Some(index) = from.index else { return BuiltTable::plain(columns) };
            let built = &outputs[index.stage];
            let number =
                |row: usize, column: u32| built.columns[column as usize].get(row).map_or(0, |v| v.bits() as u64);
            let numbers = (0..built.rows).map(|row| index.numbers.map_or(row as u64, |column| number(row, column)));
            BuiltTable::indexed(&built.columns[..side.keys.len()], numbers, columns)
        };
        let tables: Vec<BuiltTable> = stage.kernel.tables.iter().zip(&stage.tables).map(built).collect();
        let kernel = stage.for_keys(|table| tables[table.index()].key_uniqueness());
        let inputs = Inputs { columns: &columns, params: &params, lists: &lists, tables: &tables, first_row: 0, rows };
        outputs.push(interpret::run(&kernel, &inputs)?);
    }
    Ok(outputs.pop().unwrap_or_default())
}
