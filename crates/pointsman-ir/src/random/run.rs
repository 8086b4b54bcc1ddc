//! Cases and plans through the interpreter: in goes what was made at random, out comes what it means.

use super::plans::PlanCase;
use super::{Case, OwnedInputs};
use crate::data::TableData;
use crate::fuse::{Stage, StageInput};
use crate::interpret::{self, BuiltTable, Fault, Inputs, Partial};
use crate::kernel::Kernel;
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

impl PlanCase {
    /// The result of these stages over the inputs of this case.
    pub fn run(&self, stages: &[Stage]) -> Result<TableData, Fault> {
        let mut outputs: Vec<TableData> = Vec::new();
        for stage in stages {
            let table = match stage.input {
                StageInput::Source(source) => &self.sources[source.0 as usize],
                StageInput::Stage(stage) => &outputs[stage],
            };
            let inputs = OwnedInputs {
                columns: stage.columns.iter().map(|&column| table.columns[column as usize].clone()).collect(),
                params: stage.params.iter().map(|param| self.params[param.index()]).collect(),
                lists: stage.lists.iter().map(|list| self.lists[list.index()].clone()).collect(),
                tables: stage.tables.iter().map(|&table| outputs[table].clone()).collect(),
                first_row: 0,
                rows: table.rows,
            };
            let tables = inputs.built_tables(&stage.kernel);
            outputs.push(interpret::run(&stage.kernel, &inputs.borrow(&tables))?);
        }
        Ok(outputs.pop().unwrap_or_default())
    }
}
