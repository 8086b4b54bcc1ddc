//! A case as text: the seed, the kernel, and its inputs row by row, for the message of a test that failed.

use super::{Case, OwnedInputs};
use crate::data::ColumnData;
use crate::types::Scalar;
use std::fmt;

/// Rows beyond this many are not written out.
const ROWS_SHOWN: usize = 40;

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}\n{}", self.seed, self.kernel.print().trim_end())?;
        self.inputs.fmt(f)
    }
}

impl fmt::Display for OwnedInputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} rows from row {}", self.rows, self.first_row)?;
        for (i, param) in self.params.iter().enumerate() {
            writeln!(f, "p{i} = {}", value(*param))?;
        }
        for (i, list) in self.lists.iter().enumerate() {
            writeln!(f, "l{i} = {}", column(list))?;
        }
        for (i, table) in self.tables.iter().enumerate() {
            for (k, values) in table.columns.iter().enumerate() {
                writeln!(f, "t{i} column {k} = {}", column(values))?;
            }
        }
        for (i, values) in self.columns.iter().enumerate() {
            writeln!(f, "c{i} = {}", column(values))?;
        }
        Ok(())
    }
}

fn column(column: &ColumnData) -> String {
    let shown: Vec<String> = column.iter().take(ROWS_SHOWN).map(value).collect();
    let rest = if column.len() > ROWS_SHOWN { ", …" } else { "" };
    format!("[{}{rest}]", shown.join(", "))
}

/// A value; of NaNs the bits.
fn value(value: Option<Scalar>) -> String {
    match value {
        None => "null".to_string(),
        Some(Scalar::F32(v)) if v.is_nan() => format!("NaN({:#x})", v.to_bits()),
        Some(Scalar::F64(v)) if v.is_nan() => format!("NaN({:#x})", v.to_bits()),
        Some(value) => value.to_string(),
    }
}
